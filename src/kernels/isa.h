#pragma once

#include <cstddef>
#include <span>

#include "weft/plan.h"

namespace weft::kernels {

// The first row, best first, whose instruction set is allowed. Every table ends with a base row.
template <class Row>
const Row& first_fit(std::span<const Row> rows, Isa isa) noexcept {
  for (const Row& row : rows) {
    if (row.isa <= isa) return row;
  }
  return rows.back();
}

}  // namespace weft::kernels
