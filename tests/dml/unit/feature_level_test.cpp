#include "dml/feature_level.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::dml {
namespace {

TensorDesc tensor(std::size_t rank, DataType type) {
  TensorDesc desc;
  desc.data_type = type;
  desc.sizes = Dims(rank, 1);
  return desc;
}

// An operator whose tensors have that rank and type, as far as the level looks at it.
OperatorParams params(OperatorType type, std::size_t rank, DataType data_type) {
  const TensorDesc desc = tensor(rank, data_type);
  switch (type) {
    case OperatorType::convolution: {
      ConvolutionParams p;
      p.input = p.filter = p.output = desc;
      return p;
    }
    case OperatorType::resample:
    case OperatorType::resample1:
    case OperatorType::resample2:
    case OperatorType::resample3: {
      ResampleParams p{.type = type};
      p.input = p.output = desc;
      return p;
    }
    case OperatorType::fold: {
      FoldParams p;
      p.input = p.output = desc;
      return p;
    }
    case OperatorType::unfold: {
      UnfoldParams p;
      p.input = p.output = desc;
      return p;
    }
    default:
      return ElementWiseParams{desc, desc, {.type = type, .alpha = 1}};
  }
}

// ok, or why not.
ErrorCode at(const OperatorParams& p, FeatureLevel level) {
  try {
    check_feature_level(p, level);
    return ErrorCode::ok;
  } catch (const Error& error) {
    return error.code();
  }
}

// One row: refused below `first`, accepted from there on.
struct Row {
  OperatorType type;
  std::size_t rank;
  DataType data_type;
  FeatureLevel first;
};

// Source: the tables of the operators' pages.
const Row kRows[] = {{OperatorType::convolution, 4, DataType::float32, 0x1000},
                     {OperatorType::convolution, 5, DataType::float16, 0x1000},
                     {OperatorType::convolution, 3, DataType::float32, 0x4000},
                     {OperatorType::element_wise_identity, 5, DataType::float32, 0x1000},
                     {OperatorType::element_wise_identity, 4, DataType::int8, 0x2100},
                     {OperatorType::element_wise_identity, 2, DataType::uint32, 0x3000},
                     {OperatorType::element_wise_identity, 8, DataType::float64, 0x4100},
                     {OperatorType::element_wise_clip, 4, DataType::float32, 0x1000},
                     {OperatorType::element_wise_clip, 5, DataType::float32, 0x3000},
                     {OperatorType::element_wise_clip, 4, DataType::int64, 0x5000},
                     {OperatorType::activation_tanh, 4, DataType::float32, 0x1000},
                     {OperatorType::activation_tanh, 5, DataType::float32, 0x2000},
                     {OperatorType::activation_tanh, 1, DataType::float32, 0x3000},
                     {OperatorType::activation_relu, 4, DataType::int32, 0x5100},
                     {OperatorType::activation_shrink, 4, DataType::float32, 0x2000},
                     {OperatorType::activation_shrink, 1, DataType::uint8, 0x5100},
                     {OperatorType::activation_celu, 1, DataType::float32, 0x3000},
                     {OperatorType::activation_gelu, 1, DataType::float32, 0x5100},
                     {OperatorType::resample, 4, DataType::float32, 0x2000},
                     {OperatorType::resample, 1, DataType::float32, 0x5100},
                     {OperatorType::resample, 4, DataType::int8, 0x6200},
                     {OperatorType::resample1, 4, DataType::float32, 0x2100},
                     {OperatorType::resample2, 1, DataType::float32, 0x5100},
                     {OperatorType::resample2, 1, DataType::uint8, 0x6200},
                     {OperatorType::resample3, 4, DataType::float32, 0x6400},
                     {OperatorType::fold, 3, DataType::float32, 0x6400},
                     {OperatorType::unfold, 8, DataType::uint64, 0x6400}};

constexpr FeatureLevel kLevels[] = {0x1000, 0x2000, 0x2100, 0x3000, 0x3100, 0x4000, 0x4100, 0x5000,
                                    0x5100, 0x5200, 0x6000, 0x6100, 0x6200, 0x6300, 0x6400};

TEST(FeatureLevel, OperatorsRanksAndTypesByLevel) {
  for (const Row& row : kRows) {
    const OperatorParams p = params(row.type, row.rank, row.data_type);
    for (const FeatureLevel level : kLevels) {
      EXPECT_EQ(at(p, level) == ErrorCode::ok, level >= row.first)
          << name(row.type) << " " << row.rank << " " << name(row.data_type) << " "
          << feature_level_text(level);
    }
  }
}

TEST(FeatureLevel, FirstLevelIsThatOfTheSupportTable) {
  for (const OperatorSupport& support : operator_support()) {
    const OperatorParams p = params(support.type, 4, DataType::float32);
    for (const FeatureLevel level : kLevels) {
      const bool exists = at(p, level) != ErrorCode::unsupported;
      EXPECT_EQ(exists, feature_level_text(level) >= support.first_feature_level)
          << name(support.type) << " " << feature_level_text(level);
    }
  }
}

TEST(FeatureLevel, FusedFunctions) {
  const auto fused = [](OperatorType type, float alpha = 1) {
    ConvolutionParams p =
        std::get<ConvolutionParams>(params(OperatorType::convolution, 4, DataType::float32));
    p.fused_activation = {.type = type, .alpha = alpha};
    return p;
  };
  EXPECT_EQ(at(fused(OperatorType::element_wise_clip), 0x5200), ErrorCode::invalid_argument);
  EXPECT_EQ(at(fused(OperatorType::element_wise_clip), 0x6000), ErrorCode::ok);
  EXPECT_EQ(at(fused(OperatorType::activation_gelu), 0x5000), ErrorCode::invalid_argument);
  EXPECT_EQ(at(fused(OperatorType::activation_gelu), 0x5100), ErrorCode::ok);
  EXPECT_EQ(at(fused(OperatorType::activation_softplus, 0.5f), 0x6300),
            ErrorCode::invalid_argument);
  EXPECT_EQ(at(fused(OperatorType::activation_softplus, 0.5f), 0x6400), ErrorCode::ok);
  EXPECT_EQ(at(fused(OperatorType::activation_softplus, 1), 0x1000), ErrorCode::ok);
}

TEST(FeatureLevel, MessageNamesOperatorAndLevels) {
  try {
    check_feature_level(params(OperatorType::fold, 3, DataType::float32), 0x5000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "FOLD needs feature level 6_4, the device has 5_0");
  }
  try {
    check_feature_level(params(OperatorType::activation_tanh, 5, DataType::float32), 0x1000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "ACTIVATION_TANH.InputTensor.DimensionCount is 5, must be 4: feature level 1_0\n"
              "ACTIVATION_TANH.OutputTensor.DimensionCount is 5, must be 4: feature level 1_0");
  }
}

TEST(FeatureLevel, DataTypes) {
  EXPECT_TRUE(supports_data_type(DataType::float16, 0x1000));
  EXPECT_FALSE(supports_data_type(DataType::int8, 0x2000));
  EXPECT_TRUE(supports_data_type(DataType::int8, 0x2100));
  EXPECT_FALSE(supports_data_type(DataType::float64, 0x4000));
  EXPECT_TRUE(supports_data_type(DataType::float64, 0x6400));
  EXPECT_FALSE(supports_data_type(DataType::int4, 0x6400));
}

TEST(FeatureLevel, Numbers) {
  EXPECT_TRUE(is_feature_level(0x6400));
  EXPECT_FALSE(is_feature_level(0x6500));
  EXPECT_FALSE(is_feature_level(0));
  EXPECT_EQ(device_feature_level(), kHighestFeatureLevel);
}

}  // namespace
}  // namespace weft::dml
