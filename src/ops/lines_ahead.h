#pragma once

#include <cstddef>
#include <cstdint>

#include "base/checked.h"
#include "base/fetch.h"

namespace weft::ops {

// Runs of memory that are wanted after some steps, of which each step brings a share nearer, to the
// second level.
class LinesAhead {
 public:
  LinesAhead() = default;  // of nothing
  LinesAhead(const std::byte* from, std::int64_t runs, std::int64_t run_stride,
             std::int64_t run_bytes, std::int64_t steps) noexcept
      : run_(from),
        runs_(runs),
        run_stride_(run_stride),
        run_bytes_(run_bytes),
        share_(base::divide_up(runs * base::divide_up(run_bytes, base::kLineBytes), steps)) {}

  [[gnu::always_inline]] void fetch_share() noexcept {
    for (std::int64_t i = 0; i < share_ && runs_ > 0; ++i) {
      __builtin_prefetch(run_ + at_, 0, 2);
      at_ += base::kLineBytes;
      if (at_ < run_bytes_) continue;
      at_ = 0;
      run_ += run_stride_;
      --runs_;
    }
  }

 private:
  const std::byte* run_ = nullptr;
  std::int64_t runs_ = 0, run_stride_ = 0, run_bytes_ = 0, share_ = 0, at_ = 0;
};

}  // namespace weft::ops
