#pragma once

#include <cstddef>
#include <span>

#include "weft/isa.h"

namespace weft::kernels {

// The first row of a table, best first, whose instruction set is allowed and that `fits`; null when
// there is none.
template <class Row, std::size_t size, class Fits>
constexpr const Row* first_fit(const Row (&table)[size], Isa isa, const Fits& fits) noexcept {
  for (const Row& row : table) {
    if (row.isa <= isa && fits(row)) return &row;
  }
  return nullptr;
}

// The same for tables that have one row a level, base included.
template <class Row, std::size_t size>
constexpr const Row& first_fit(const Row (&table)[size], Isa isa) noexcept {
  const Row* row = first_fit(table, isa, [](const Row&) { return true; });
  return row != nullptr ? *row : table[size - 1];
}

}  // namespace weft::kernels
