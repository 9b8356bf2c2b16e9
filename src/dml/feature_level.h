#pragma once

#include <cstdint>
#include <string>

#include "weft/operator.h"

namespace weft::dml {

// A DML_FEATURE_LEVEL: 0x6400 for 6_4. Weft implements the last; WEFT_FAULT=feature_level=5_0 asks
// for an older device, which takes only the operators, dimension counts and data types of its time.
using FeatureLevel = std::uint32_t;
inline constexpr FeatureLevel kHighestFeatureLevel = 0x6400;

// The level of a new device; where the fault switch names none that exists, the next below.
FeatureLevel device_feature_level() noexcept;

// Whether the number is one of the levels up to 6_4.
bool is_feature_level(std::uint32_t number) noexcept;

// "5_0"
std::string feature_level_text(FeatureLevel level);

// Throws Error where the operator, as it is described, came with a later level: unsupported for the
// operator itself, invalid_argument for the rest.
void check_feature_level(const OperatorParams& params, FeatureLevel level);

// Whether any operator of the level takes the type.
bool supports_data_type(DataType type, FeatureLevel level) noexcept;

}  // namespace weft::dml
