#pragma once

#include <optional>

#include "json_reader.h"
#include "weft/operator.h"

namespace weft::cli {

// Reads the desc of an operator, under the names of DirectML's C structs and enumerations:
//
//   {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 5, 5]}, ..., "DimensionCount": 2}
//
// Every field is required unless DirectML lets it be null. A tensor desc needs DataType and Sizes
// only; an output's Sizes may be left out too where they follow from the rest (not for FOLD).
// Records everything that is wrong, the operator's own rules included, and returns nothing then.
std::optional<OperatorParams> read_operator(OperatorType type, const JsonValue& desc);

}  // namespace weft::cli
