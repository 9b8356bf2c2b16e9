#include "weft/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "ops/window_case.h"
#include "support/number.h"
#include "weft/info.h"

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::for_each_window_element;
using testing::GuardedMemory;
using testing::random_window_case;
using testing::WindowCase;

std::vector<std::string> messages(const FoldParams& params) {
  std::vector<std::string> result;
  for (const Violation& violation : validate(params)) result.push_back(violation.text());
  return result;
}

// 3x3 windows of a 4x4 image.
FoldParams small_fold() {
  FoldParams params;
  params.input.sizes = {1, 9, 4};
  params.output.sizes = {1, 1, 4, 4};
  params.window_sizes = {3, 3};
  return params;
}

std::vector<float> fold_iota(const Dims& input_sizes, const Dims& output_sizes,
                             const FoldParams& params) {
  std::vector<float> input(*element_count(input_sizes));
  std::iota(input.begin(), input.end(), 0.0f);
  std::vector<float> output(*element_count(output_sizes), -1.0f);
  fold<float>({input, input_sizes}, {output, output_sizes}, params);
  return output;
}

TEST(Fold, DocumentationExample1) {
  EXPECT_THAT(fold_iota({1, 9, 4}, {1, 1, 4, 4}, {.window_sizes = {3, 3}}),
              ElementsAreArray<float>({0, 5, 13, 9, 14, 38, 54, 32,  //
                                       38, 86, 102, 56, 26, 57, 65, 35}));
}

TEST(Fold, DocumentationExample2) {
  EXPECT_THAT(fold_iota({1, 9, 8}, {1, 1, 4, 4},
                        {.window_sizes = {3, 3}, .start_padding = {1, 0}, .end_padding = {1, 0}}),
              ElementsAreArray<float>({26, 70, 102, 60, 78, 183, 231, 129,  //
                                       84, 195, 243, 135, 82, 182, 214, 116}));
}

TEST(Fold, DocumentationExample3) {
  EXPECT_THAT(fold_iota({1, 18, 8}, {1, 2, 4, 4},
                        {.window_sizes = {3, 3}, .start_padding = {1, 0}, .end_padding = {1, 0}}),
              ElementsAreArray<float>({26,  70,  102, 60,  78,  183, 231, 129,  //
                                       84,  195, 243, 135, 82,  182, 214, 116,  //
                                       170, 358, 390, 204, 294, 615, 663, 345,  //
                                       300, 627, 675, 351, 226, 470, 502, 260}));
}

// One tensor element of some type and its sum.
template <class Sum>
void add_naively(const WindowCase& c, const std::byte* input, std::span<std::byte> output) {
  const DataType type = c.image.data_type;
  std::vector<Sum> sums(output.size());  // by byte offset of their element
  for_each_window_element(c, [&](std::int64_t column, std::int64_t pixel) {
    if (pixel < 0) return;
    if constexpr (std::is_floating_point_v<Sum>) {
      sums[pixel] += static_cast<Sum>(testing::read_real(type, input + column));
    } else {
      sums[pixel] += testing::read_bits(type, input + column);
    }
  });
  testing::for_each_element(c.image, [&](const testing::Coordinate&, std::int64_t at) {
    if constexpr (std::is_floating_point_v<Sum>) {
      testing::write_real(type, &output[at], double{sums[at]});
    } else {
      testing::write_bits(type, &output[at], sums[at]);
    }
  });
}

void fill(DataType type, const GuardedMemory& memory, std::mt19937_64& engine) {
  std::normal_distribution<double> normal(0, 3);
  const std::size_t bytes = byte_size(type);
  for (std::size_t at = 0; at < memory.size() / bytes; ++at) {
    std::byte* element = memory.as<std::byte>() + at * bytes;
    if (testing::is_float(type)) {
      testing::write_real(type, element, normal(engine));
    } else {
      testing::write_bits(type, element, engine());
    }
  }
}

// The order of the sum is part of the contract, so even floats have to agree in every bit.
void expect_exact_fold(const WindowCase& c, const PlanOptions& options, std::mt19937_64& engine) {
  SCOPED_TRACE(c.text() + " threads " + std::to_string(options.threads));
  const DataType type = c.image.data_type;
  const GuardedMemory input(testing::buffer_bytes(c.columns));
  const GuardedMemory output(testing::buffer_bytes(c.image));
  fill(type, input, engine);
  fill(type, output, engine);
  std::vector<std::byte> expected(output.as<std::byte>(), output.as<std::byte>() + output.size());
  if (type == DataType::float64) {
    add_naively<double>(c, input.as<std::byte>(), expected);
  } else if (testing::is_float(type)) {
    add_naively<float>(c, input.as<std::byte>(), expected);
  } else {
    add_naively<std::uint64_t>(c, input.as<std::byte>(), expected);
  }
  const Plan p = plan(c.fold(), options);
  // Columns of some channels may be turned over there as well.
  const bool turned = p.explain().find("turns over") != std::string::npos;
  const std::uint64_t columns = *element_count(c.columns.sizes) * byte_size(c.columns.data_type);
  EXPECT_LE(p.workspace_size_in_bytes(),
            64 * 1024 * options.threads +
                (turned ? std::min<std::uint64_t>(columns, 8 << 20) + 1024 : 0));
  const GuardedMemory workspace((p.workspace_size_in_bytes() + 4095) / 4096 * 4096);
  const ConstBuffer in(input.data(), input.size());
  const Buffer out{output.data(), output.size()};
  const Buffer scratch{workspace.data(), p.workspace_size_in_bytes()};
  ASSERT_EQ(p.run({.inputs = {&in, 1}, .outputs = {&out, 1}}, scratch), ErrorCode::ok);
  EXPECT_EQ(std::memcmp(output.data(), expected.data(), expected.size()), 0);
  EXPECT_TRUE(output.intact());
}

TEST(Fold, RandomCasesAreExactOnEveryInstructionSet) {
  std::mt19937_64 engine(8);
  const std::vector<Isa> isas = machine_isas();
  for (int i = 0; i < 1500 && !::testing::Test::HasFailure(); ++i) {
    const WindowCase c = random_window_case(engine, false);
    ASSERT_THAT(messages(c.fold()), ElementsAre()) << c.text();
    PlanOptions options;
    options.threads = static_cast<unsigned>(i % 4 + 1);
    options.max_isa = isas[i % isas.size()];
    expect_exact_fold(c, options, engine);
  }
}

// Windows further apart than they are long, as long, and overlapping, in one to three dimensions.
TEST(Fold, DistantWindowsAreExact) {
  std::mt19937_64 engine(20);
  const std::vector<Isa> isas = machine_isas();
  for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
    const WindowCase c = testing::random_distant_windows(engine);
    ASSERT_THAT(messages(c.fold()), ElementsAre()) << c.text();
    PlanOptions options;
    options.threads = static_cast<unsigned>(i % 3 + 1);
    options.max_isa = isas[i % isas.size()];
    expect_exact_fold(c, options, engine);
  }
}

// Whole squares of phases: frames and tiles that overlap once or many times, more often than some
// kernels take, in one to three dimensions, with all or some of the blocks in a tile.
TEST(Fold, StridesOfWholeVectorsAreExact) {
  std::mt19937_64 engine(22);
  const auto pick = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(engine);
  };
  const DataType types[] = {DataType::float32, DataType::uint32, DataType::float16};
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
    const std::uint32_t stride = 16 * pick(1, 4), window = stride * pick(1, i % 10 == 0 ? 20 : 4);
    const std::uint32_t blocks = pick(1, i % 4 == 0 ? 700 / stride : 20);
    const std::uint32_t length = (blocks - 1) * stride + window, padding = pick(0, window / 2);
    WindowCase c{.image = {.sizes = {1, pick(1, 2)}}};
    c.image.data_type = c.columns.data_type = types[i % 3];
    for (std::uint32_t d = pick(0, 2); d > 0; --d) {
      const std::uint32_t rows = pick(1, 12);
      c.image.sizes.push_back(rows);
      c.add_dimension(pick(1, rows), pick(1, 3), 1, 0, 0);
    }
    c.image.sizes.push_back(std::max(1u, length - std::min(length, padding) + pick(0, 15)));
    c.add_dimension(window, stride, 1, padding, 0);
    c.columns.sizes = input_sizes(c.fold());
    if (*element_count(c.columns.sizes) > 1'000'000) continue;
    ASSERT_THAT(messages(c.fold()), ElementsAre()) << c.text();
    expect_exact_fold(c, {.threads = static_cast<unsigned>(i % 4 + 1)}, engine);
  }
  // Rows longer than a tile's sums may be.
  for (const DataType type : types) {
    WindowCase c{.image = {.data_type = type, .sizes = {1, 1, 1500 * 16 + 48}}};
    c.add_dimension(64, 16, 1, 0, 0);
    c.columns = {.data_type = type, .sizes = input_sizes(c.fold())};
    expect_exact_fold(c, {.threads = 2}, engine);
  }
}

WindowCase with_columns(WindowCase c, DataType type) {
  c.image.data_type = c.columns.data_type = type;
  c.columns.sizes = input_sizes(c.fold());
  return c;
}

// Neighbours in memory are channels: fewer than go together, as many, more; phases with and without
// gaps between them.
TEST(Fold, ChannelsLastAreExact) {
  std::mt19937_64 engine(21);
  const std::vector<Isa> isas = machine_isas();
  for (int i = 0; i < 200 && !::testing::Test::HasFailure(); ++i) {
    WindowCase c = testing::random_distant_windows(engine);
    Dims& sizes = c.image.sizes;
    sizes[1] = std::uniform_int_distribution<std::uint32_t>(2, i % 3 == 0 ? 40 : 9)(engine);
    c.columns.sizes = input_sizes(c.fold());
    c.columns.strides.clear();
    const std::uint32_t gap = i % 2;  // between pixels
    c.image.strides.assign(sizes.size(), 1);
    std::uint32_t step = sizes[1] + gap;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (d == 1) continue;
      c.image.strides[d] = step;
      step *= sizes[d];
    }
    ASSERT_THAT(messages(c.fold()), ElementsAre()) << c.text();
    expect_exact_fold(
        c, {.threads = static_cast<unsigned>(i % 3 + 1), .max_isa = isas[i % isas.size()]}, engine);
  }
}

TEST(Fold, LargeTilesAreExactForEveryThreadCount) {
  std::mt19937_64 engine(12);
  const WindowCase cases[] = {// Planes in several tiles; a stride along each dimension.
                              {.image = {.sizes = {1, 2, 83, 301}},
                               .window_sizes = {3, 5},
                               .strides = {1, 2},
                               .dilations = {2, 1},
                               .start_padding = {1, 2},
                               .end_padding = {2, 3}},
                              // Rows longer than a tile, few blocks: runs along the window.
                              {.image = {.sizes = {1, 1, 9000}},
                               .window_sizes = {3500},
                               .strides = {2900},
                               .dilations = {2},
                               .start_padding = {7},
                               .end_padding = {0}},
                              // Strides longer than a tile of rows.
                              {.image = {.sizes = {1, 1, 500, 100}},
                               .window_sizes = {7, 3},
                               .strides = {90, 3},
                               .dilations = {45, 2},
                               .start_padding = {80, 1},
                               .end_padding = {10, 1}},
                              // Many short rows.
                              {.image = {.sizes = {3, 900, 5}},
                               .window_sizes = {3},
                               .strides = {1},
                               .dilations = {1},
                               .start_padding = {1},
                               .end_padding = {1}},
                              {.image = {.sizes = {900, 5, 3}},
                               .window_sizes = {1},
                               .strides = {2},
                               .dilations = {1},
                               .start_padding = {0},
                               .end_padding = {0}},
                              // Patches, the first and the last of a row cut off; gaps between.
                              {.image = {.sizes = {2, 3, 224, 218}},
                               .window_sizes = {16, 16},
                               .strides = {16, 16},
                               .dilations = {1, 1},
                               .start_padding = {0, 3},
                               .end_padding = {0, 5}},
                              // More squares of phases than a plan keeps the steps of.
                              {.image = {.sizes = {1, 1, 3200}},
                               .window_sizes = {1100},
                               .strides = {1040},
                               .dilations = {1},
                               .start_padding = {5},
                               .end_padding = {0}},
                              // Rows of more vectors than a kernel takes at once.
                              {.image = {.sizes = {1, 2, 40, 1200}},
                               .window_sizes = {2, 5},
                               .strides = {1, 2},
                               .dilations = {1, 1},
                               .start_padding = {0, 2},
                               .end_padding = {1, 1}},
                              {.image = {.sizes = {1, 5, 90, 77}},
                               .window_sizes = {2, 5},
                               .strides = {2, 6},
                               .dilations = {1, 1},
                               .start_padding = {0, 0},
                               .end_padding = {0, 0}},
                              // Channels last.
                              {.image = {.sizes = {1, 37, 43, 41}, .strides = {65231, 1, 1517, 37}},
                               .window_sizes = {7, 7},
                               .strides = {3, 3},
                               .dilations = {1, 1},
                               .start_padding = {3, 3},
                               .end_padding = {3, 3}}};
  for (const WindowCase& c : cases) {
    for (const DataType type : {DataType::float32, DataType::float16, DataType::float64}) {
      for (const unsigned threads : {1u, 2u, 5u}) {
        expect_exact_fold(with_columns(c, type), {.threads = threads, .max_isa = {}}, engine);
      }
    }
  }
}

// Windows that overlap at strides of few positions, and of whole vectors of them.
TEST(Fold, EveryKindOfOverlapIsExact) {
  std::mt19937_64 engine(14);
  const auto isas = machine_isas();
  const DataType types[] = {DataType::float32, DataType::float16, DataType::int32};
  std::size_t i = 0;
  for (const std::uint32_t stride : {1u, 2u, 3u, 4u, 5u, 16u, 32u, 80u}) {
    for (const std::uint32_t window :
         {1u, stride, stride + 1, 3 * stride + 16, 7 * stride - 1, 17 * stride}) {
      for (const std::uint32_t rows : {1u, 2u, 37u}) {
        // Of all positions that there are, the last ones are cut off, or no block reaches them.
        const std::uint32_t image = stride * 4 + static_cast<std::uint32_t>(engine() % 200);
        const std::uint32_t start = static_cast<std::uint32_t>(engine() % window);
        WindowCase c{.image = {.sizes = {1, 2, rows, image}}};
        if (rows == 1) {
          c.image.sizes = {2, 1, image};
        } else {
          const std::uint32_t high = rows == 2 ? 2 : 9;
          c.add_dimension(high, 1 + stride % 3, 1, high / 2, high / 2);
        }
        c.add_dimension(window, stride, 1 + (window < 4 ? 1 : 0), start, window - start);
        const WindowCase typed = with_columns(c, types[engine() % 3]);
        ASSERT_THAT(messages(typed.fold()), ElementsAre()) << typed.text();
        expect_exact_fold(typed, {.threads = 2, .max_isa = {}}, engine);
        expect_exact_fold(typed, {.threads = 1, .max_isa = isas[i % isas.size()]}, engine);
        ++i;
      }
    }
  }
}

TEST(Fold, HostileNumbersCostNoMoreThanTheTensors) {
  constexpr std::uint32_t huge = UINT32_MAX;
  std::mt19937_64 engine(4);
  const auto expect = [&](Dims image, Dims window, Dims strides, Dims dilations,
                          const Dims& padding) {
    const WindowCase c{.image = {.sizes = std::move(image)},
                       .window_sizes = std::move(window),
                       .strides = std::move(strides),
                       .dilations = std::move(dilations),
                       .start_padding = padding,
                       .end_padding = padding};
    expect_exact_fold(with_columns(c, DataType::uint16), {.threads = 2, .max_isa = {}}, engine);
  };
  expect({1, 1, 2, 3}, {1, 1}, {huge, huge}, {1, 1}, {huge, huge});
  expect({1, 1, 2, 3}, {2, 2}, {huge, huge}, {huge, huge}, {huge, huge});
  expect({1, 1, 2, 3}, {3, 1}, {1 << 30, 1}, {huge / 2, 1}, {huge, 0});
  expect({1, 1, 1, 1}, {40, 40}, {1, 1}, {1, 1}, {39, 39});
  // A window element and a block for each row, nearly all of them meeting in no row.
  expect({1, 1, 1 << 16, 1}, {1 << 15, 1}, {1 << 15, 1}, {1, 1}, {0, 0});
  expect({1, 1, 1 << 14, 9}, {1 << 13, 2}, {1 << 13, 2}, {1, 1}, {0, 0});
  expect({1, 1, 1 << 16, 1}, {2, 1}, {1, 1}, {(1 << 16) - 4, 1}, {0, 0});
}

TEST(Fold, UnfoldThenFoldCountsOverlaps) {
  const WindowCase c = with_columns({.image = {.sizes = {2, 3, 9, 11}},
                                     .window_sizes = {3, 4},
                                     .strides = {2, 1},
                                     .dilations = {1, 2},
                                     .start_padding = {1, 3},
                                     .end_padding = {2, 0}},
                                    DataType::int64);
  const auto there_and_back = [&](const std::vector<std::int64_t>& image) {
    std::vector<std::int64_t> columns(*element_count(c.columns.sizes));
    std::vector<std::int64_t> result(image.size());
    unfold<std::int64_t>({image, c.image.sizes}, {columns, c.columns.sizes}, c.unfold());
    fold<std::int64_t>({columns, c.columns.sizes}, {result, c.image.sizes}, c.fold());
    return result;
  };
  std::vector<std::int64_t> image(*element_count(c.image.sizes));
  std::iota(image.begin(), image.end(), -200);
  std::vector<std::int64_t> expected = there_and_back(std::vector<std::int64_t>(image.size(), 1));
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 1);
  for (std::size_t i = 0; i < image.size(); ++i) expected[i] *= image[i];
  EXPECT_EQ(there_and_back(image), expected);
}

TEST(Fold, IntegersWrap) {
  const std::vector<std::int8_t> input = {1, 100, 100, 3};
  std::vector<std::int8_t> output(2);
  fold<std::int8_t>({input, {1, 2, 2}}, {output, {1, 1, 2}},
                    {.window_sizes = {2}, .start_padding = {1}});
  EXPECT_THAT(output, ElementsAre(-56, 3));
}

TEST(Fold, HalfIsRoundedOnce) {
  // 2048 + 1 + 1: rounded after each step it would stay at 2048.
  WindowCase c = with_columns({.image = {.sizes = {1, 1, 1}},
                               .window_sizes = {3},
                               .strides = {1},
                               .dilations = {1},
                               .start_padding = {2},
                               .end_padding = {2}},
                              DataType::float16);
  std::vector<std::uint16_t> input(9);
  input[2] = 0x6800;
  input[4] = input[6] = 0x3C00;
  std::uint16_t output = 0;
  fold(c.fold(), {input.data(), 18}, {&output, 2});
  EXPECT_EQ(output, 0x6801);  // 2050
}

TEST(Fold, ReachesBeyondFourGiB) {
  const WindowCase c{
      .image = {.data_type = DataType::int32, .sizes = {1, 1, 2}, .strides = {0, 0, UINT32_MAX}},
      .columns = {.data_type = DataType::int32, .sizes = {1, 2, 1}},
      .window_sizes = {2},
      .strides = {1},
      .dilations = {1},
      .start_padding = {0},
      .end_padding = {0}};
  const std::uint64_t bytes = testing::buffer_bytes(c.image);
  ASSERT_GT(bytes, std::uint64_t{1} << 33);
  const GuardedMemory output(bytes);
  const std::vector<std::int32_t> input = {5, -6};
  fold(c.fold(), {input.data(), 8}, {output.data(), bytes});
  EXPECT_EQ(output.as<std::int32_t>()[0], 5);
  EXPECT_EQ(output.as<std::int32_t>()[UINT32_MAX], -6);
}

TEST(Fold, PlanTellsWhatItDoes) {
  const Plan p = plan(small_fold(), {.threads = 1, .max_isa = Isa::base});
  EXPECT_EQ(p.type(), OperatorType::fold);
  EXPECT_EQ(p.algorithm(), "fold_f32_base");
  EXPECT_EQ(p.explain(),
            "FOLD: fold_f32_base, 1 tiles of 4x4 elements, 1 thread, workspace 2304 bytes");
}

TEST(Fold, InfersTheInput) {
  FoldParams params = small_fold();
  params.output.sizes = {2, 5, 4, 4};
  params.start_padding = {1, 0};
  params.end_padding = {1, 0};
  EXPECT_THAT(input_sizes(params), ElementsAre(2, 45, 8));
  params.output.sizes = {2, 5, 4};
  EXPECT_THROW(input_sizes(params), Error);
}

TEST(Fold, NamesTheRightSizes) {
  FoldParams params = small_fold();
  params.input = {.data_type = DataType::uint4, .sizes = {1, 10, 5}};
  params.output.sizes = {2, 1, 4, 4};
  EXPECT_THAT(
      messages(params),
      ElementsAre(
          "FOLD.InputTensor.DataType is UINT4, must be one of FLOAT64, FLOAT32, FLOAT16, INT64, "
          "INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8: the types of this operator",
          "FOLD.OutputTensor.Sizes[0] is 2, must be 1: the batch of InputTensor",
          "FOLD.InputTensor.Sizes[1] is 10, must be a multiple of 9: C * WindowSizes = C * 3 * 3",
          "FOLD.InputTensor.Sizes[2] is 5, must be 4: BlockCount = 2 * 2 (OutputTensor.Sizes 4x4, "
          "WindowSizes 3x3, Strides 1x1, Dilations 1x1, padding 0+0, 0+0)"));
  params = small_fold();
  params.input.sizes = {1, 1, 18, 4};
  EXPECT_THAT(messages(params), ElementsAre("FOLD.OutputTensor.Sizes[1] is 1, must be 2: "
                                            "InputTensor.Sizes[2] 18 / WindowSizes 3x3"));
}

TEST(Fold, OutputMayNotOverlapItself) {
  FoldParams params = small_fold();
  params.output.strides = {16, 16, 3, 1};
  params.input.strides = {0, 0, 0};
  EXPECT_THAT(messages(params),
              ElementsAre(::testing::StartsWith("FOLD.OutputTensor.Strides is 16x16x3x1")));
}

}  // namespace
}  // namespace weft
