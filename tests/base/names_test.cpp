#include <gtest/gtest.h>

#include <set>

#include "weft/operator.h"

namespace weft {
namespace {

constexpr DataType kTypes[] = {
    DataType::float32, DataType::float16, DataType::uint32, DataType::uint16,  DataType::uint8,
    DataType::int32,   DataType::int16,   DataType::int8,   DataType::float64, DataType::uint64,
    DataType::int64,   DataType::uint4,   DataType::int4};

TEST(DataTypeNames, ReadBackWithAndWithoutThePrefix) {
  std::set<std::string_view> names;
  for (const DataType type : kTypes) {
    const std::string_view text = name(type);
    EXPECT_TRUE(names.insert(text).second) << text;
    EXPECT_EQ(parse_data_type(text), type);
    EXPECT_EQ(parse_data_type("DML_TENSOR_DATA_TYPE_" + std::string(text)), type);
  }
  EXPECT_EQ(names.size(), 13u);
}

TEST(DataTypeNames, NothingElseIsRead) {
  for (const char* text :
       {"", "UNKNOWN", "float32", "FLOAT32 ", "DML_TENSOR_DATA_TYPE_", "DML_FLOAT32", "FLOAT"}) {
    EXPECT_EQ(parse_data_type(text), std::nullopt) << text;
  }
  EXPECT_EQ(name(DataType::unknown), "UNKNOWN");
  EXPECT_EQ(name(static_cast<DataType>(14)), "UNKNOWN");
}

TEST(DataTypeSizes, AreTheOnesOfTheNames) {
  for (const DataType type : kTypes) {
    const std::string text(name(type));
    const unsigned bits =
        static_cast<unsigned>(std::stoul(text.substr(text.find_first_of("0123456789"))));
    EXPECT_EQ(bit_size(type), bits) << text;
    EXPECT_EQ(byte_size(type), bits / 8) << text;
  }
  EXPECT_EQ(bit_size(DataType::unknown), 0u);
  EXPECT_EQ(byte_size(static_cast<DataType>(99)), 0u);
}

TEST(OperatorNames, ReadBackWithAndWithoutThePrefix) {
  std::set<std::string_view> names;
  for (const OperatorType type : all_operator_types()) {
    const std::string_view text = name(type);
    EXPECT_TRUE(names.insert(text).second) << text;
    EXPECT_EQ(parse_operator_type(text), type);
    EXPECT_EQ(parse_operator_type("DML_OPERATOR_" + std::string(text)), type);
  }
  EXPECT_EQ(names.size(), 26u);
  EXPECT_EQ(parse_operator_type("UPSAMPLE_2D"), std::nullopt);
  EXPECT_EQ(parse_operator_type("unfold"), std::nullopt);
  EXPECT_EQ(parse_operator_type("DML_OPERATOR_"), std::nullopt);
}

TEST(OperatorNames, OfOperatorsThatWeftDoesNotHaveAreKnown) {
  EXPECT_EQ(name(OperatorType{2}), "ELEMENT_WISE_ABS");
  EXPECT_EQ(name(OperatorType{48}), "ACTIVATION_SOFTMAX");
  EXPECT_EQ(name(OperatorType{54}), "GEMM");
  EXPECT_EQ(name(OperatorType{66}), "UPSAMPLE_2D");
  EXPECT_EQ(name(OperatorType{174}), "DEQUANTIZE");
  for (const std::uint32_t value : {0u, 178u, 12345u, UINT32_MAX}) {
    EXPECT_EQ(name(OperatorType{value}), "INVALID") << value;
  }
  std::set<std::string_view> names;
  for (std::uint32_t value = 0; value < 178; ++value) names.insert(name(OperatorType{value}));
  EXPECT_EQ(names.size(), 178u);
}

TEST(OperatorNames, AreInTheOrderOfTheirValues) {
  const auto types = all_operator_types();
  for (std::size_t i = 1; i < types.size(); ++i) EXPECT_LT(types[i - 1], types[i]);
}

TEST(OperatorSupportTable, HasEveryOperatorInTheSameOrder) {
  const auto types = all_operator_types();
  const auto table = operator_support();
  ASSERT_EQ(table.size(), types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(table[i].type, types[i]);
    EXPECT_EQ(&operator_support(types[i]), &table[i]);
    EXPECT_EQ(table[i].fusable, is_fusable(types[i])) << name(types[i]);
    EXPECT_FALSE(table[i].data_types.empty()) << name(types[i]);
    EXPECT_LE(table[i].min_dimension_count, table[i].max_dimension_count);
  }
}

TEST(Activations, EighteenAreFusable) {
  std::size_t fusable = 0;
  for (const OperatorType type : all_operator_types()) {
    if (is_fusable(type)) ++fusable;
    EXPECT_TRUE(!is_fusable(type) || is_activation(type));
    const bool named = !activation_field_names(type)[0].empty();
    EXPECT_TRUE(!named || is_activation(type));
  }
  EXPECT_EQ(fusable, 18u);
  EXPECT_FALSE(is_fusable(OperatorType::element_wise_identity));
  EXPECT_TRUE(is_activation(OperatorType::element_wise_identity));
  EXPECT_FALSE(is_activation(OperatorType::convolution));
}

TEST(Activations, HaveTheFieldsOfTheirDescs) {
  using Names = std::array<std::string_view, 2>;
  EXPECT_EQ(activation_field_names(OperatorType::element_wise_clip), (Names{"Min", "Max"}));
  EXPECT_EQ(activation_field_names(OperatorType::activation_elu), (Names{"Alpha", ""}));
  EXPECT_EQ(activation_field_names(OperatorType::activation_scaled_elu), (Names{"Alpha", "Gamma"}));
  EXPECT_EQ(activation_field_names(OperatorType::activation_softplus), (Names{"Steepness", ""}));
  EXPECT_EQ(activation_field_names(OperatorType::activation_shrink), (Names{"Bias", "Threshold"}));
  EXPECT_EQ(activation_field_names(OperatorType::activation_relu), (Names{"", ""}));
}

}  // namespace
}  // namespace weft
