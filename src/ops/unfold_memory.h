#pragma once

#include <cstdint>

#include "base/cache.h"
#include "base/cpu.h"
#include "kernels/unfold/unfold.h"

namespace weft::ops {

// How to write an output of rows of `count` elements that are `from_step` apart in the image.
inline kernels::UnfoldStores choose_stores(const kernels::UnfoldKernel& kernel,
                                           std::int64_t from_step, std::int64_t count,
                                           std::int64_t output_bytes) {
  using kernels::UnfoldStores, kernels::UnfoldStream;
  const UnfoldStream stream = kernels::unfold_stream(kernel, from_step, count);
  const std::int64_t past_caches =
      stream == UnfoldStream::direct ? base::past_caches_bytes() : base::outer_cache_bytes();
  if (stream != UnfoldStream::none && output_bytes > past_caches) return UnfoldStores::past_caches;
  const bool leaves = output_bytes > 2 * base::second_cache_bytes();
  return base::is_amd() && leaves ? UnfoldStores::lines : UnfoldStores::near;
}

// Bytes from the input of a plane to that of a later one, which is fetched meanwhile: of `count`
// planes that are step_bytes apart, and then of those that begin next_bytes behind the first.
// Patches 16x16 of 3x224x224, one thread of Zen 5: 31 us with three planes, 45 with one.
class PlanesAhead {
 public:
  PlanesAhead() = default;
  PlanesAhead(std::int64_t count, std::int64_t step_bytes, std::int64_t next_bytes) {
    const std::int64_t planes = base::is_amd() ? 3 : 1;
    inside_ = count - planes;
    bytes_ = planes * step_bytes;
    std::int64_t all_bytes = 0;  // beyond 64 bits for steps that no image has: nothing is lost then
    const bool far = __builtin_mul_overflow(count, step_bytes, &all_bytes);
    behind_ = planes == 1 || next_bytes == 0 || far ? bytes_ : bytes_ - all_bytes + next_bytes;
  }

  std::int64_t of(std::int64_t plane) const { return plane < inside_ ? bytes_ : behind_; }

 private:
  std::int64_t inside_ = 0, bytes_ = 0, behind_ = 0;
};

}  // namespace weft::ops
