#include "weft/unfold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "base/cache.h"
#include "ops/window_case.h"
#include "weft/info.h"

namespace weft {
namespace {

using ::testing::ElementsAre;
using testing::for_each_window_element;
using testing::GuardedMemory;
using testing::random_window_case;
using testing::WindowCase;

std::vector<std::string> messages(const UnfoldParams& params) {
  std::vector<std::string> result;
  for (const Violation& violation : validate(params)) result.push_back(violation.text());
  return result;
}

// 3x3 windows of a 5x5 image.
UnfoldParams small_unfold() {
  UnfoldParams params;
  params.input.sizes = {1, 1, 5, 5};
  params.output.sizes = {1, 9, 9};
  params.window_sizes = {3, 3};
  return params;
}

std::vector<float> unfold_iota(const Dims& output_sizes, const UnfoldParams& params) {
  std::vector<float> input(25);
  std::iota(input.begin(), input.end(), 0.0f);
  std::vector<float> output(*element_count(output_sizes), -1.0f);
  unfold<float>({input, {1, 1, 5, 5}}, {output, output_sizes}, params);
  return output;
}

TEST(Unfold, DocumentationExample1) {
  EXPECT_THAT(unfold_iota({1, 9, 9}, {.window_sizes = {3, 3}}),
              ::testing::ElementsAreArray<float>({
                  0,  1,  2,  5,  6,  7,  10, 11, 12,  //
                  1,  2,  3,  6,  7,  8,  11, 12, 13,  //
                  2,  3,  4,  7,  8,  9,  12, 13, 14,  //
                  5,  6,  7,  10, 11, 12, 15, 16, 17,  //
                  6,  7,  8,  11, 12, 13, 16, 17, 18,  //
                  7,  8,  9,  12, 13, 14, 17, 18, 19,  //
                  10, 11, 12, 15, 16, 17, 20, 21, 22,  //
                  11, 12, 13, 16, 17, 18, 21, 22, 23,  //
                  12, 13, 14, 17, 18, 19, 22, 23, 24,
              }));
}

TEST(Unfold, DocumentationExample2) {
  EXPECT_THAT(unfold_iota({1, 9, 15},
                          {.window_sizes = {3, 3}, .start_padding = {1, 0}, .end_padding = {1, 0}}),
              ::testing::ElementsAreArray<float>({
                  0, 0, 0, 0,  1,  2,  5,  6,  7,  10, 11, 12, 15, 16, 17,  //
                  0, 0, 0, 1,  2,  3,  6,  7,  8,  11, 12, 13, 16, 17, 18,  //
                  0, 0, 0, 2,  3,  4,  7,  8,  9,  12, 13, 14, 17, 18, 19,  //
                  0, 1, 2, 5,  6,  7,  10, 11, 12, 15, 16, 17, 20, 21, 22,  //
                  1, 2, 3, 6,  7,  8,  11, 12, 13, 16, 17, 18, 21, 22, 23,  //
                  2, 3, 4, 7,  8,  9,  12, 13, 14, 17, 18, 19, 22, 23, 24,  //
                  5, 6, 7, 10, 11, 12, 15, 16, 17, 20, 21, 22, 0,  0,  0,   //
                  6, 7, 8, 11, 12, 13, 16, 17, 18, 21, 22, 23, 0,  0,  0,   //
                  7, 8, 9, 12, 13, 14, 17, 18, 19, 22, 23, 24, 0,  0,  0,
              }));
}

void fill(const GuardedMemory& memory, std::mt19937_64& engine) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory.as<unsigned char>()[i] = static_cast<unsigned char>(engine());
  }
}

// Bits, gaps included; input and output end where nothing may be read or written.
void expect_exact_unfold(const WindowCase& c, const PlanOptions& options, std::mt19937_64& engine) {
  SCOPED_TRACE(c.text() + " threads " + std::to_string(options.threads));
  const GuardedMemory input(testing::buffer_bytes(c.image));
  const GuardedMemory output(testing::buffer_bytes(c.columns));
  fill(input, engine);
  fill(output, engine);
  std::vector<std::byte> expected(output.as<std::byte>(), output.as<std::byte>() + output.size());
  for_each_window_element(c, [&](std::int64_t column, std::int64_t pixel) {
    const unsigned bytes = byte_size(c.image.data_type);
    std::memset(&expected[column], 0, bytes);
    if (pixel >= 0) std::memcpy(&expected[column], input.as<std::byte>() + pixel, bytes);
  });
  const ConstBuffer in(input.data(), input.size());
  const Buffer out{output.data(), output.size()};
  plan(c.unfold(), options).run({.inputs = {&in, 1}, .outputs = {&out, 1}});
  EXPECT_EQ(std::memcmp(output.data(), expected.data(), expected.size()), 0);
  EXPECT_TRUE(output.intact());
}

TEST(Unfold, RandomCasesAreExactOnEveryInstructionSet) {
  std::mt19937_64 engine(7);
  const std::vector<Isa> isas = machine_isas();
  for (int i = 0; i < 1500 && !::testing::Test::HasFailure(); ++i) {
    const WindowCase c = random_window_case(engine, true);
    ASSERT_THAT(messages(c.unfold()), ElementsAre()) << c.text();
    PlanOptions options;
    options.threads = static_cast<unsigned>(i % 4 + 1);
    options.max_isa = isas[i % isas.size()];
    expect_exact_unfold(c, options, engine);
  }
}

// Windows further apart than they are long, as long, and overlapping, in one to three dimensions.
TEST(Unfold, DistantWindowsAreExact) {
  std::mt19937_64 engine(19);
  const std::vector<Isa> isas = machine_isas();
  for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
    const WindowCase c = testing::random_distant_windows(engine);
    ASSERT_THAT(messages(c.unfold()), ElementsAre()) << c.text();
    PlanOptions options;
    options.threads = static_cast<unsigned>(i % 3 + 1);
    options.max_isa = isas[i % isas.size()];
    expect_exact_unfold(c, options, engine);
  }
}

TEST(Unfold, LargeTilesAreExact) {
  std::mt19937_64 engine(11);
  WindowCase c;
  c.image.sizes = {2, 3, 61, 67};
  c.window_sizes = {3, 5};
  c.strides = {1, 1};
  c.dilations = {2, 1};
  c.start_padding = {1, 2};
  c.end_padding = {2, 3};
  c.columns.sizes = output_sizes(c.unfold());
  for (const unsigned threads : {1u, 2u, 5u}) {
    expect_exact_unfold(c, {.threads = threads, .max_isa = {}}, engine);
  }
}

// Larger than what a core has of the outer cache, on many machines: whole lines, 56 columns a row
// of the image, and every other element.
TEST(Unfold, LargeOutputsAreExact) {
  std::mt19937_64 engine(12);
  for (const auto& [width, stride] : {std::pair{64u, 1u}, std::pair{56u, 1u}, std::pair{64u, 2u}}) {
    WindowCase c;
    c.image.sizes = {1, 60 * stride * stride, 64, width};
    c.window_sizes = {7, 7};
    c.strides = {stride, stride};
    c.dilations = {1, 1};
    c.start_padding = c.end_padding = {3, 3};
    c.columns.sizes = output_sizes(c.unfold());
    const std::string text = plan(c.unfold(), {.max_isa = Isa::avx512}).explain();
    const bool streams =
        *minimum_size_in_bytes(c.columns) > static_cast<std::uint64_t>(base::past_caches_bytes());
    if (best_isa() >= Isa::avx512) {
      EXPECT_EQ(text.find("past the caches") != text.npos, streams) << text;
    }
    expect_exact_unfold(c, {.threads = 2, .max_isa = Isa::avx2}, engine);
    if (best_isa() > Isa::avx2) expect_exact_unfold(c, {.threads = 2, .max_isa = {}}, engine);
  }
}

// Channels are neighbours in memory: of any type, more or fewer than are taken at once, with
// windows that reach into the padding and tiles that end within the image.
TEST(Unfold, ChannelsLastAreExact) {
  std::mt19937_64 engine(23);
  const std::vector<Isa> isas = machine_isas();
  for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
    WindowCase c;
    const auto up_to = [&](std::uint32_t most) {
      return static_cast<std::uint32_t>(engine() % most) + 1;
    };
    c.image.sizes = {up_to(2), 7 + up_to(60), 5 + up_to(30), 5 + up_to(70)};
    const Dims& n = c.image.sizes;
    c.image.strides = {n[1] * n[2] * n[3], 1, n[3] * n[1], n[1]};
    c.image.data_type = std::array{DataType::uint8, DataType::float16, DataType::float32,
                                   DataType::float64}[engine() % 4];
    c.columns.data_type = c.image.data_type;
    for (int d = 0; d < 2; ++d) c.add_dimension(up_to(5), up_to(3), 1, up_to(4) - 1, up_to(4) - 1);
    c.columns.sizes = output_sizes(c.unfold());
    if (i % 4 == 0) c.columns.sizes.insert(c.columns.sizes.begin(), 1);
    expect_exact_unfold(c, {.threads = up_to(3), .max_isa = isas[engine() % isas.size()]}, engine);
  }
  const UnfoldParams params{
      .input = {.sizes = {1, 16, 9, 9}, .strides = {1296, 1, 144, 16}},
      .output = {.sizes = {1, 144, 81}},
      .window_sizes = {3, 3},
      .start_padding = {1, 1},
      .end_padding = {1, 1},
  };
  EXPECT_THAT(plan(params).explain(), ::testing::HasSubstr("packs 1x16 channels at a time"));
}

// What is packed at a time is not all: of the channels, of the images.
TEST(Unfold, ChannelsLastInSeveralPartsAreExact) {
  std::mt19937_64 engine(24);
  WindowCase channels{
      .image = {.sizes = {2, 37, 120, 80}, .strides = {364800, 1, 3040, 38}},
      .columns = {.sizes = {2, 148, 9480}, .strides = {1600000, 9485, 1}},
      .window_sizes = {2, 2},
      .strides = {1, 1},
      .dilations = {1, 1},
      .start_padding = {0, 1},
      .end_padding = {0, 0},
  };
  channels.columns.sizes = output_sizes(channels.unfold());
  channels.columns.strides[1] = channels.columns.sizes[2] + 5;
  WindowCase images = channels;
  images.image = {.sizes = {13, 5, 61, 70}, .strides = {21350, 1, 350, 5}};
  images.columns.sizes = output_sizes(images.unfold());
  images.columns.strides.clear();
  for (const unsigned threads : {1u, 3u}) {
    expect_exact_unfold(channels, {.threads = threads, .max_isa = {}}, engine);
    expect_exact_unfold(images, {.threads = threads, .max_isa = {}}, engine);
  }
  EXPECT_THAT(plan(channels.unfold()).explain(), ::testing::HasSubstr("packs 1x27 channels"));
  EXPECT_THAT(plan(images.unfold()).explain(), ::testing::HasSubstr("packs 12x5 channels"));
  // An image of which some channels are too much to keep.
  UnfoldParams large{.input = {.sizes = {1, 16, 300, 300}, .strides = {1440000, 1, 4800, 16}},
                     .window_sizes = {3, 3}};
  large.output.sizes = output_sizes(large);
  EXPECT_EQ(plan(large).workspace_size_in_bytes(), 0u);
}

TEST(Unfold, OneLongRowIsSplit) {
  UnfoldParams params;
  params.input = {.data_type = DataType::uint8, .sizes = {1, 1, UINT32_MAX}};
  params.window_sizes = {1};
  params.output = params.input;
  const Plan in_threads = plan(params, {.threads = 3, .max_isa = {}});
  EXPECT_THAT(in_threads.explain(),
              ::testing::HasSubstr("65536 tiles of 1x1x65536 elements, 3 threads"));
  EXPECT_EQ(in_threads.workspace_size_in_bytes(), 0u);
}

// Only UBSan sees it.
TEST(Unfold, StepsThatAreNeverTakenMayBeTooLong) {
  UnfoldParams params;
  params.input = {.sizes = {1, 1, 2, 32}, .strides = {1, 1, 1u << 31, 1}};
  params.window_sizes = {2, 4};
  params.strides = {1, 8};
  params.dilations = {UINT32_MAX, 1};
  params.start_padding = {UINT32_MAX - 1, 0};
  params.end_padding = {0, 0};
  params.output.sizes = output_sizes(params);
  EXPECT_EQ(params.output.sizes, (Dims{1, 8, 4}));
  EXPECT_EQ(plan(params).workspace_size_in_bytes(), 0u);
}

TEST(Unfold, ReachesBeyondFourGiB) {
  // The elements lie 2^32 - 1 positions apart; only the pages in use exist.
  WindowCase c;
  c.image = {.data_type = DataType::uint16, .sizes = {1, 1, 3}};
  c.window_sizes = {2};
  c.strides = c.dilations = {1};
  c.start_padding = {1};
  c.end_padding = {0};
  c.columns = {.data_type = DataType::uint16, .sizes = {1, 2, 3}, .strides = {0, 7, UINT32_MAX}};
  const std::uint64_t bytes = testing::buffer_bytes(c.columns);
  ASSERT_GT(bytes, std::uint64_t{1} << 34);
  const GuardedMemory output(bytes);
  const std::vector<std::uint16_t> input = {5, 6, 7};
  unfold(c.unfold(), {input.data(), 6}, {output.data(), bytes});
  const auto* data = output.as<std::uint16_t>();
  constexpr std::uint64_t step = UINT32_MAX;
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(data[step], 5);
  EXPECT_EQ(data[2 * step], 6);
  EXPECT_EQ(data[7], 5);
  EXPECT_EQ(data[7 + step], 6);
  EXPECT_EQ(data[7 + 2 * step], 7);
}

TEST(Unfold, HostileNumbersCostNoMoreThanTheTensors) {
  constexpr std::uint32_t huge = UINT32_MAX;
  std::mt19937_64 engine(3);
  WindowCase c;
  c.image.data_type = DataType::uint8;
  c.columns.data_type = DataType::uint8;
  c.image.sizes = {1, 1, 2, 3};
  const auto expect = [&](Dims window, Dims strides, Dims dilations, Dims start, Dims end) {
    c.window_sizes = std::move(window);
    c.strides = std::move(strides);
    c.dilations = std::move(dilations);
    c.start_padding = std::move(start);
    c.end_padding = std::move(end);
    c.columns.sizes = output_sizes(c.unfold());
    expect_exact_unfold(c, {}, engine);
  };
  expect({1, 1}, {huge, huge}, {1, 1}, {huge, huge}, {huge, huge});     // every block in padding
  expect({2, 2}, {huge, huge}, {huge, huge}, {huge, 1}, {huge, huge});  // few positions inside
  expect({3, 1}, {1, 1}, {huge, 1}, {huge, 0}, {huge, 0});
  expect({1, 2}, {1, huge}, {1, huge}, {0, 0}, {0, huge});
}

TEST(Unfold, WindowAsWideAsATensor) {
  UnfoldParams params;
  params.input = {.data_type = DataType::uint8, .sizes = {1, 1, 1}};
  params.window_sizes = {UINT32_MAX};
  params.end_padding = {UINT32_MAX - 1};
  EXPECT_THAT(output_sizes(params), ElementsAre(1, UINT32_MAX, 1));
  params.output = {.data_type = DataType::uint8, .sizes = {1, UINT32_MAX, 1}};
  EXPECT_THAT(messages(params), ElementsAre());
  EXPECT_GT(plan(params).explain().size(), 0u);
}

TEST(Unfold, PlanTellsWhatItDoes) {
  const Plan p = plan(small_unfold(), {.threads = 1, .max_isa = Isa::base});
  EXPECT_EQ(p.type(), OperatorType::unfold);
  EXPECT_EQ(p.algorithm(), "unfold_32_base");
  EXPECT_EQ(p.workspace_size_in_bytes(), 0u);
  EXPECT_EQ(p.explain(),
            "UNFOLD: unfold_32_base, 1 tiles of 9x3x3 elements, 1 thread, "
            "workspace 0 bytes");
}

TEST(Unfold, LeadingOnesMayBringTheOutputToTheInputsRank) {
  UnfoldParams params = small_unfold();
  params.output.sizes = {1, 1, 9, 9};
  EXPECT_THAT(messages(params), ElementsAre());
  params.output.sizes = {1, 1, 1, 9, 9};
  EXPECT_THAT(messages(params),
              ElementsAre("UNFOLD.OutputTensor.DimensionCount is 5, must be 3 or 4: columns are "
                          "(N, C * WindowSizes, BlockCount), with leading ones up to the rank of "
                          "InputTensor"));
  params.output.sizes = {2, 1, 9, 9};
  EXPECT_THAT(messages(params), ElementsAre("UNFOLD.OutputTensor.Sizes[0] is 2, must be 1: only "
                                            "the last three dimensions of columns are used"));
}

TEST(Unfold, NamesTheRightBlockCount) {
  UnfoldParams params = small_unfold();
  params.output.sizes = {1, 9, 14};
  params.start_padding = {1, 0};
  params.end_padding = {1, 0};
  EXPECT_THAT(messages(params),
              ElementsAre("UNFOLD.OutputTensor.Sizes[2] is 14, must be 15: BlockCount = 5 * 3 "
                          "(InputTensor.Sizes 5x5, WindowSizes 3x3, Strides 1x1, Dilations 1x1, "
                          "padding 1+1, 0+0)"));
}

TEST(Unfold, CollectsEveryViolation) {
  UnfoldParams params = small_unfold();
  params.output = {.data_type = DataType::int32, .sizes = {2, 8, 9}};
  EXPECT_THAT(messages(params),
              ElementsAre("UNFOLD.OutputTensor.DataType is INT32, must be FLOAT32: the data type "
                          "of InputTensor",
                          "UNFOLD.OutputTensor.Sizes[0] is 2, must be 1: the batch of InputTensor",
                          "UNFOLD.OutputTensor.Sizes[1] is 8, must be 9: C * WindowSizes = "
                          "1 * 3 * 3"));
  params = small_unfold();
  params.strides = {0, 1};
  params.dilations = {1, 0};
  params.window_sizes = {0, 3};
  params.start_padding = {1};
  EXPECT_THAT(
      messages(params),
      ElementsAre(
          "UNFOLD.WindowSizes[0] is 0, must be >= 1: a window has at least one element",
          "UNFOLD.Strides[0] is 0, must be >= 1: a stride of 0 never moves the window",
          "UNFOLD.Dilations[1] is 0, must be >= 1: a dilation of 0 reads one element over and over",
          "UNFOLD.StartPadding is 1 entry, must be 2 entries: DimensionCount, "
          "one a spatial dimension"));
}

TEST(Unfold, RefusesWhatCannotBeHeld) {
  UnfoldParams params = small_unfold();
  params.window_sizes = {UINT32_MAX, UINT32_MAX};
  params.start_padding = params.end_padding = {UINT32_MAX, UINT32_MAX};
  EXPECT_THAT(messages(params),
              ElementsAre("UNFOLD.OutputTensor.Sizes[1] is 9: no size can hold C * WindowSizes = "
                          "1 * 4294967295 * 4294967295",
                          "UNFOLD.OutputTensor.Sizes[2] is 9: no size can hold BlockCount = "
                          "4294967301 * 4294967301 (InputTensor.Sizes 5x5, WindowSizes "
                          "4294967295x4294967295, Strides 1x1, Dilations 1x1, padding "
                          "4294967295+4294967295, 4294967295+4294967295)"));
  EXPECT_THROW(output_sizes(params), Error);
  // Each size fits, all together do not.
  params.window_sizes = {65536, 65536};
  params.strides = {UINT32_MAX, UINT32_MAX};
  EXPECT_THROW(output_sizes(params), Error);
  params.input.sizes = {1, 70000, 5, 5};
  EXPECT_THROW(output_sizes(params), Error);
}

TEST(Unfold, WindowHasToFit) {
  UnfoldParams params = small_unfold();
  params.window_sizes = {3, 4};
  params.dilations = {1, 2};
  params.end_padding = {0, 1};
  EXPECT_THAT(messages(params),
              ElementsAre("UNFOLD.WindowSizes[1] is 4, must be at most 3: a window spans "
                          "(WindowSizes - 1) * Dilations + 1 = 7, padded InputTensor.Sizes[3] is "
                          "5, padding 0+1",
                          "UNFOLD.OutputTensor.Sizes[1] is 9, must be 12: C * WindowSizes = "
                          "1 * 3 * 4"));
  params.window_sizes = {UINT32_MAX, UINT32_MAX};
  params.dilations = {UINT32_MAX, UINT32_MAX};
  EXPECT_EQ(messages(params).size(), 3u);
  EXPECT_THROW(plan(params), Error);
}

TEST(Unfold, DimensionCountFollowsFromTheInput) {
  UnfoldParams params = small_unfold();
  params.window_sizes = {3};
  EXPECT_THAT(messages(params), ElementsAre("UNFOLD.DimensionCount is 1, must be 2: the spatial "
                                            "dimensions of InputTensor, which has N and C before "
                                            "them"));
  params.window_sizes = {};
  EXPECT_THAT(messages(params), ElementsAre("UNFOLD.DimensionCount is 0, must be 1 to 6: one "
                                            "entry of WindowSizes each"));
  params.window_sizes = Dims(1000, 1);
  params.input.sizes = Dims(9, 1);
  params.output.sizes = {};
  EXPECT_THAT(messages(params),
              ElementsAre("UNFOLD.InputTensor.DimensionCount is 9, must be 3 to 8: one entry of "
                          "Sizes each",
                          "UNFOLD.DimensionCount is 1000, must be 1 to 6: one entry of WindowSizes "
                          "each",
                          "UNFOLD.OutputTensor.DimensionCount is 0, must be 3 to 8: one entry of "
                          "Sizes each"));
}

TEST(Unfold, RandomNumbersNeverCrashTheRules) {
  std::mt19937_64 engine(5);
  const auto number = [&]() -> std::uint32_t {
    constexpr std::uint32_t special[] = {0, 1, 2, 3, 5, 65536, UINT32_MAX - 1, UINT32_MAX};
    return special[engine() % std::size(special)];
  };
  const auto dims = [&](std::size_t count) {
    Dims result(engine() % 16 == 0 ? engine() % 12 : count);
    for (std::uint32_t& x : result) x = number();
    return result;
  };
  for (int i = 0; i < 20000; ++i) {
    UnfoldParams params;
    const std::size_t spatial = engine() % 7;
    const auto tensor = [&](std::size_t rank) {
      return TensorDesc{.data_type = static_cast<DataType>(engine() % 15),
                        .sizes = dims(rank),
                        .strides = engine() % 2 == 0 ? Dims{} : dims(rank)};
    };
    params.input = tensor(spatial + 2);
    params.output = tensor(3);
    params.window_sizes = dims(spatial);
    params.strides = dims(spatial);
    params.dilations = dims(spatial);
    params.start_padding = dims(spatial);
    params.end_padding = dims(spatial);
    try {
      params.output.sizes = output_sizes(params);
      params.output.data_type = params.input.data_type;
      params.output.strides = {};
      plan(params);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
    EXPECT_NO_THROW(validate(params));
  }
}

}  // namespace
}  // namespace weft
