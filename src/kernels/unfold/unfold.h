#pragma once

// Copies rows of an image into rows of columns, with zeros where a row reaches into the padding.

#include <cstdint>
#include <span>

#include "weft/isa.h"

namespace weft::kernels {

// A hint about output that follows on without a gap: it is near; it is not, so that it is better
// written in whole lines, which are asked for ahead; or it need not enter the caches, and whoever
// gives the hint calls base::end_stream() before another thread may read it.
enum class UnfoldStores { near, lines, past_caches };

// A rectangle of output elements, `rows` by `count`:
//
//   to[r * to_row + i * to_step] = from[(r - row_begin) * from_row + (i - begin) * from_step]
//       for row_begin <= r < row_end and begin <= i < end, 0 elsewhere
//
// Steps are in elements, any sign; from_step and from_row may be 0. `from` is not read, and may be
// null, where the inner rectangle is empty. Input and output do not overlap.
struct UnfoldRectangle {
  const void* from;
  std::int64_t from_row;
  std::int64_t from_step;
  void* to;
  std::int64_t to_row;
  std::int64_t to_step;
  std::int64_t rows;
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t count;
  std::int64_t begin;
  std::int64_t end;
  UnfoldStores stores;
};

using UnfoldFunction = void (*)(const UnfoldRectangle&) noexcept;

struct UnfoldKernel {
  Isa isa;
  unsigned bits;  // of an element
  UnfoldFunction copy;
  std::string_view name;  // "unfold_32_avx2"
};

// Whether a kernel streams rows of `count` elements that are `from_step` apart, side by side in the
// output: not at all, after it has gathered them in memory, or out of registers.
enum class UnfoldStream { none, gathered, direct };
UnfoldStream unfold_stream(const UnfoldKernel& kernel, std::int64_t from_step,
                           std::int64_t count) noexcept;

// Best first.
std::span<const UnfoldKernel> unfold_kernel_table() noexcept;

// The best allowed kernel; `bits` is 8, 16, 32 or 64.
const UnfoldKernel& unfold_kernel(Isa isa, unsigned bits) noexcept;

}  // namespace weft::kernels
