#include "weft/resample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/checked_case.h"
#include "support/guard_page.h"

namespace weft {
namespace {

using enum OperatorType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::messages;

ResampleParams small_params() {
  ResampleParams params;
  params.input.sizes = {1, 1, 2, 3};
  params.output.sizes = {1, 1, 4, 6};
  params.scales = {1, 1, 2, 2};
  return params;
}

TEST(Resample, RandomCases) {
  for (std::uint64_t i = 0; i < 1500 && !HasFailure(); ++i) {
    const random_cases::Case c = random_cases::draw(11, i, "RESAMPLE");
    const random_cases::Result result = random_cases::check(c);
    EXPECT_EQ(result.verdict, random_cases::Verdict::right) << result.message << '\n'
                                                            << random_cases::describe(c);
  }
}

TEST(Resample, DirectDimensionsAreOneCopy) {
  ResampleParams params = small_params();
  params.output.sizes = {5, 1, 1, 3};  // repeated along N, cropped along H
  params.scales = {7, 1, 1, 1};
  for (const InterpolationMode mode :
       {InterpolationMode::nearest_neighbor, InterpolationMode::linear}) {
    params.interpolation_mode = mode;
    EXPECT_EQ(plan(params).algorithm(), "copy");
    testing::expect_right(params, 1, random_cases::Values::special);
  }
}

TEST(Resample, OutputSizes) {
  ResampleParams params = small_params();
  params.output = {};
  EXPECT_THAT(output_sizes(params), ElementsAre(1, 1, 4, 6));
  params.scales = {1, 1.99f, 0.5f, 5.0f / 3};
  EXPECT_THAT(output_sizes(params), ElementsAre(1, 1, 1, 5));
  const auto refuses = [&](float scale, const char* message) {
    params.scales[3] = scale;
    try {
      output_sizes(params);
      ADD_FAILURE() << scale;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), message);
    }
  };
  refuses(0.3f,
          "RESAMPLE2.Scales[3] is 0.3, must be such that 1 <= size < 2^32: output size = floor(3 * "
          "scale)");
  refuses(INFINITY,
          "RESAMPLE2.Scales[3] is inf, must be such that 1 <= size < 2^32: output size = floor(3 * "
          "scale)");
  refuses(0,
          "RESAMPLE2.Scales[3] is 0, must be such that 1 <= size < 2^32: output size = floor(3 * "
          "scale)");
  refuses(1.5e9f,
          "RESAMPLE2.Scales[3] is 1.5e+09, must be such that 1 <= size < 2^32: output size = "
          "floor(3 * scale)");
  params.scales[2] = 1e5f;
  refuses(1e5f,
          "RESAMPLE2.OutputTensor.Sizes is 1x1x200000x300000, must be at most 4294967295 elements: "
          "the limit of a tensor");
}

// On both sides of what a plan keeps tables for, along rows and across them.
TEST(Resample, AxesOfAnyLength) {
  for (const std::uint32_t size : {30'000u, 50'000u}) {
    for (const std::uint32_t width : {1u, 16u}) {
      std::vector<float> ramp;
      for (std::uint32_t i = 0; i < size * width; ++i) {
        ramp.push_back(static_cast<float>(i / width));
      }
      ResampleParams params;
      params.type = resample2;
      params.rounding_direction = AxisDirection::decreasing;
      params.scales = {2, 1};
      params.input_pixel_offsets = params.output_pixel_offsets = {0, 0};
      const Dims in = {size, width};
      const Dims out = {2 * size, width};
      std::vector<float> result(2 * ramp.size());
      weft::resample<float>({ramp, in}, {result, out}, params);
      for (std::size_t i = 0; i < result.size(); ++i) {
        ASSERT_EQ(result[i], static_cast<float>(i / width / 2));
      }
      params.interpolation_mode = InterpolationMode::linear;
      weft::resample<float>({ramp, in}, {result, out}, params);
      for (std::size_t i = 0; i + width < result.size(); ++i) {
        ASSERT_EQ(result[i], 0.5f * static_cast<float>(i / width));
      }
    }
  }
}

TEST(Resample, PlanTellsWhatItDoes) {
  ResampleParams params = small_params();
  const PlanOptions options{.threads = 1, .max_isa = Isa::base};
  EXPECT_EQ(plan(params, options).explain(),
            "RESAMPLE2: nearest_base, 1 tiles of 4x6 elements, 1 thread, workspace 0 bytes");
  params.interpolation_mode = InterpolationMode::linear;
  EXPECT_EQ(plan(params, options).algorithm(), "linear_base");
  params.type = resample3;
  params.antialiased = true;
  EXPECT_EQ(plan(params, options).algorithm(), "linear_base") << "nothing shrinks";
  params.scales[2] = 0.5f;
  EXPECT_EQ(plan(params, options).algorithm(), "antialias_base");
}

TEST(Resample, WorkspaceDoesNotGrowWithTheTensors) {
  ResampleParams params;
  params.type = resample3;
  params.input = {.data_type = DataType::uint8, .sizes = {UINT32_MAX}, .strides = {0}};
  params.output = {.data_type = DataType::uint8, .sizes = {UINT32_MAX}};
  params.scales = {0.75f};
  const auto workspace = [&] { return plan(params, {.threads = 2}).workspace_size_in_bytes(); };
  EXPECT_LE(workspace(), 64u * 1024);
  params.interpolation_mode = InterpolationMode::linear;
  EXPECT_LE(workspace(), 128u * 1024);
  params.antialiased = true;
  EXPECT_LE(workspace(), 128u * 1024);
}

TEST(Resample, BeyondFourGiB) {
  // The elements lie far apart; only the pages in use exist.
  constexpr std::uint64_t far = UINT32_MAX;
  ResampleParams params;
  params.type = resample3;
  params.interpolation_mode = InterpolationMode::linear;
  params.input = {.data_type = DataType::float32, .sizes = {3, 2}, .strides = {UINT32_MAX, 5}};
  params.output = {.data_type = DataType::float32, .sizes = {2, 3}, .strides = {3, UINT32_MAX}};
  params.scales = {0.5f, 2};
  params.input_pixel_offsets = params.output_pixel_offsets = {0, 0};
  const testing::GuardedMemory from((2 * far + 6) * 4);
  const testing::GuardedMemory to((2 * far + 4) * 4);
  for (std::uint64_t y = 0; y < 3; ++y) {
    for (std::uint64_t x = 0; x < 2; ++x) {
      from.as<float>()[y * far + x * 5] = static_cast<float>(10 * y + 2 * x);
    }
  }
  for (const bool antialiased : {false, true}) {
    params.antialiased = antialiased;
    weft::resample(params, {from.data(), from.size()}, {to.data(), to.size()});
    // Antialiased rows: (1 * row0 + 0.5 * row1) / 1.5 and the mirror image of that.
    const float first = antialiased ? 10.0f / 3 : 0;
    const float second = antialiased ? 50.0f / 3 : 20;
    for (std::uint64_t x = 0; x < 3; ++x) {
      const auto shift = static_cast<float>(x);
      EXPECT_FLOAT_EQ(to.as<float>()[x * far], first + shift);
      EXPECT_FLOAT_EQ(to.as<float>()[x * far + 3], second + shift);
    }
  }
}

struct Refused {
  const char* message;
  void (*change)(ResampleParams& params);
};

constexpr Refused kRefused[] = {
    {"FOLD.Type is FOLD, must be RESAMPLE, RESAMPLE1, RESAMPLE2 or RESAMPLE3: the operators that "
     "resample",
     [](ResampleParams& p) { p.type = fold; }},
    {"RESAMPLE2.Scales[2] is nan, must be >= 0: output over input; 0 and infinity read from "
     "-InputPixelOffsets alone",
     [](ResampleParams& p) { p.scales[2] = NAN; }},
    {"RESAMPLE2.Scales[0] is -1, must be >= 0: output over input; 0 and infinity read from "
     "-InputPixelOffsets alone",
     [](ResampleParams& p) { p.scales[0] = -1; }},
    {"RESAMPLE2.Scales is 0 entries, must be 4 entries: DimensionCount of InputTensor",
     [](ResampleParams& p) { p.scales = {}; }},
    {"RESAMPLE2.InputPixelOffsets is 3 entries, must be 4 entries: DimensionCount of InputTensor",
     [](ResampleParams& p) {
       p.input_pixel_offsets = {0, 0, 0};
     }},
    {"RESAMPLE2.InputPixelOffsets[1] is nan, must be finite: a distance in pixels",
     [](ResampleParams& p) {
       p.input_pixel_offsets = {0, NAN, 0, 0};
     }},
    {"RESAMPLE2.OutputPixelOffsets[3] is -inf, must be finite: a distance in pixels",
     [](ResampleParams& p) {
       p.output_pixel_offsets = {0, 0, 0, -INFINITY};
     }},
    {"RESAMPLE.InputPixelOffsets[3] is 0, must be 0.5: RESAMPLE has no other offsets",
     [](ResampleParams& p) {
       p.type = resample;
       p.input_pixel_offsets = {0.5f, 0.5f, 0.5f, 0};
     }},
    {"RESAMPLE.OutputPixelOffsets[0] is nan, must be -0.5: RESAMPLE has no other offsets",
     [](ResampleParams& p) {
       p.type = resample;
       p.output_pixel_offsets = {NAN, -0.5f, -0.5f, -0.5f};
     }},
    {"RESAMPLE2.InterpolationMode is 2, must be NEAREST_NEIGHBOR (0) or LINEAR (1): the values of "
     "DML_INTERPOLATION_MODE",
     [](ResampleParams& p) { p.interpolation_mode = static_cast<InterpolationMode>(2); }},
    {"RESAMPLE3.RoundingDirection is 7, must be INCREASING (0) or DECREASING (1): the values of "
     "DML_AXIS_DIRECTION",
     [](ResampleParams& p) {
       p.type = resample3;
       p.rounding_direction = static_cast<AxisDirection>(7);
     }},
    {"RESAMPLE2.Antialiased is true, must be false: only RESAMPLE3 has it",
     [](ResampleParams& p) { p.antialiased = true; }},
    {"RESAMPLE2.InputTensor.DimensionCount is 5, must be 1 to 4: one entry of Sizes each",
     [](ResampleParams& p) {
       p.input.sizes = {1, 1, 1, 2, 3};
       p.scales = {1, 1, 1, 2, 2};
     }},
    {"RESAMPLE2.OutputTensor.DimensionCount is 3, must be 4: the DimensionCount of InputTensor",
     [](ResampleParams& p) {
       p.output.sizes = {1, 4, 6};
     }},
    {"RESAMPLE2.OutputTensor.DataType is INT8, must be FLOAT32: the data type of InputTensor",
     [](ResampleParams& p) { p.output.data_type = DataType::int8; }},
    {"RESAMPLE2.OutputTensor.Sizes[3] is 0, must be >= 1: tensors cannot be empty",
     [](ResampleParams& p) { p.output.sizes[3] = 0; }},
};

TEST(Resample, RefusesWithAMessage) {
  EXPECT_THAT(messages(small_params()), IsEmpty());
  for (const Refused& refused : kRefused) {
    ResampleParams params = small_params();
    refused.change(params);
    EXPECT_THAT(messages(params), ElementsAre(refused.message));
    EXPECT_THROW(plan(params), Error);
  }
}

TEST(Resample, CollectsEveryViolation) {
  ResampleParams params = small_params();
  params.type = resample;
  params.input.data_type = DataType::int16;
  params.scales = {NAN, -1, 1};
  params.antialiased = true;
  EXPECT_THAT(
      messages(params),
      ElementsAre(
          "RESAMPLE.Antialiased is true, must be false: only RESAMPLE3 has it",
          "RESAMPLE.InputTensor.DataType is INT16, must be one of FLOAT32, FLOAT16, INT8, UINT8: "
          "the types of this operator",
          "RESAMPLE.Scales is 3 entries, must be 4 entries: DimensionCount of InputTensor",
          "RESAMPLE.Scales[0] is nan, must be >= 0: output over input; 0 and infinity read from "
          "-InputPixelOffsets alone",
          "RESAMPLE.Scales[1] is -1, must be >= 0: output over input; 0 and infinity read from "
          "-InputPixelOffsets alone"));
}

TEST(Resample, AnyRoundingDirectionWhereThereIsNone) {
  ResampleParams params = small_params();
  params.type = resample1;
  params.rounding_direction = static_cast<AxisDirection>(9);
  EXPECT_THAT(messages(params), IsEmpty());
}

}  // namespace
}  // namespace weft
