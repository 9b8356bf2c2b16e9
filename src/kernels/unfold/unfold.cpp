#include "kernels/unfold/unfold.h"

#include <cstddef>
#include <cstdint>

#include "kernels/unfold/unfold_levels.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class T>
void clear(T* to, int64_t step, int64_t begin, int64_t end) {
  if (step == 1) {
    for (int64_t i = begin; i < end; ++i) to[i] = 0;
  } else {
    for (int64_t i = begin; i < end; ++i) to[i * step] = 0;
  }
}

template <class T>
void copy(const T* __restrict from, int64_t from_step, T* __restrict to, int64_t to_step,
          int64_t count) {
  if (to_step != 1) {
    for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
  } else if (from_step == 1) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (from_step == 2) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * from_step];
  }
}

template <class T>
void unfold(const UnfoldRectangle& k) {
  for (int64_t row = 0; row < k.rows; ++row) {
    T* to = static_cast<T*>(k.to) + row * k.to_row;
    if (row < k.row_begin || row >= k.row_end || k.begin >= k.end) {
      clear(to, k.to_step, 0, k.count);
      continue;
    }
    const T* from = static_cast<const T*>(k.from) + (row - k.row_begin) * k.from_row;
    clear(to, k.to_step, 0, k.begin);
    copy(from, k.from_step, to + k.begin * k.to_step, k.to_step, k.end - k.begin);
    clear(to, k.to_step, k.end, k.count);
  }
}

}  // namespace

void unfold_8(const UnfoldRectangle& k) noexcept { unfold<std::uint8_t>(k); }
void unfold_16(const UnfoldRectangle& k) noexcept { unfold<std::uint16_t>(k); }
void unfold_32(const UnfoldRectangle& k) noexcept { unfold<std::uint32_t>(k); }
void unfold_64(const UnfoldRectangle& k) noexcept { unfold<std::uint64_t>(k); }

}  // namespace weft::kernels::WEFT_ISA
