#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/shapes.h"
#include "bench/tensors.h"

namespace weft::cli::bench {

// One element of the output of a shape (its position in row-major order), computed in double by
// the operator's formula, by no code of the library's. Integers come as they are before rounding.
double exact_output(const Shape& shape, const Tensors& tensors, std::size_t element);

// Terms of the longest sum that an output is made of.
double term_count(const Shape& shape);

}  // namespace weft::cli::bench
