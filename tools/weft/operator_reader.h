#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json_reader.h"
#include "weft/operator.h"

namespace weft::cli {

// The params of an operator with nothing said but its type.
OperatorParams empty_params(OperatorType type);

// For messages about a name that is no operator's: " (did you mean \"UNFOLD\"?); Weft has ...".
std::string known_operators(std::string_view text);

// Reads the desc of an operator, under the names of DirectML's C structs and enumerations:
//
//   {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 5, 5]}, ..., "DimensionCount": 2}
//
// Every field is required unless DirectML lets it be null. A tensor desc needs DataType and Sizes
// only; an output's Sizes may be left out too where they follow from the rest (not for FOLD).
// Records everything that is wrong, the operator's own rules included, and returns nothing then.
std::optional<OperatorParams> read_operator(OperatorType type, const JsonValue& desc);

}  // namespace weft::cli
