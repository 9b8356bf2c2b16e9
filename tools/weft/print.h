#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "weft/data_type.h"
#include "weft/tensor.h"

namespace weft::cli {

// Elements as text for people. Without a shape, or with one dimension, in one line as DxDispatch
// prints them: "1, 2, 3". With more, the last two dimensions as rows and columns, under the
// coordinates of the others where there is more than one matrix:
//
//   [0, 1]
//      0  0.5  10
//     12   -3   7
//
// Of tensors over 1000 elements only the first and last three of each dimension are shown, unless
// `all` is set. Lines after the first start on their own; there is no newline at the end.
std::string tensor_text(DataType type, const Dims& shape, std::span<const std::byte> elements,
                        bool all);

// "[0, 1, 2]": the coordinates of a flat index, or "[5]" without a shape.
std::string coordinates_text(const Dims& shape, std::uint64_t index);

}  // namespace weft::cli
