#pragma once

// Transposes squares of numbers in vectors.

#include <cstddef>
#include <utility>

namespace weft::kernels::WEFT_ISA {
namespace {

template <class T, int lanes>
struct Vector {
  using Type __attribute__((vector_size(lanes * sizeof(T)))) = T;
};

// Takes a and b by turns, from element `first` of both on.
template <class T, int lanes, int first, std::size_t... i>
auto interleave(typename Vector<T, lanes>::Type a, typename Vector<T, lanes>::Type b,
                std::index_sequence<i...>) {
  return __builtin_shufflevector(a, b, (first + static_cast<int>(i) / 2 + (i % 2) * lanes)...);
}

// Each round doubles the runs of neighbours that have come together.
template <class T, int lanes, int round = 1>
inline __attribute__((always_inline)) void rounds(typename Vector<T, lanes>::Type (&rows)[lanes]) {
  constexpr auto all = std::make_index_sequence<lanes>{};
  typename Vector<T, lanes>::Type next[lanes];
#pragma GCC unroll 8
  for (int i = 0; i < lanes / 2; ++i) {
    next[2 * i] = interleave<T, lanes, 0>(rows[i], rows[i + lanes / 2], all);
    next[2 * i + 1] = interleave<T, lanes, lanes / 2>(rows[i], rows[i + lanes / 2], all);
  }
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) rows[i] = next[i];
  if constexpr (2 * round < lanes) rounds<T, lanes, 2 * round>(rows);
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
