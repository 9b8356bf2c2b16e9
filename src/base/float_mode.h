#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace weft::base {

// Rounding to nearest, denormals kept, nothing trapped while it lives: the caller's thread may have
// set another mode (audio programs and PyTorch flush denormals to zero), threads of the pool carry
// the mode of whoever started them, and a result must depend on neither.
class DefaultFloatMode {
 public:
#if defined(__SSE2__)
  DefaultFloatMode() noexcept : before_(_mm_getcsr()) {
    if ((before_ & ~kFlags) != kDefault) _mm_setcsr(kDefault);
  }
  ~DefaultFloatMode() {
    if ((before_ & ~kFlags) != kDefault) _mm_setcsr(before_);
  }

 private:
  static constexpr unsigned kFlags = 0x3f;      // of exceptions that have occurred
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked
  unsigned before_;
#elif defined(__aarch64__)
  DefaultFloatMode() noexcept {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    if (before_ != 0) asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  }
  ~DefaultFloatMode() {
    if (before_ != 0) asm volatile("msr fpcr, %0" : : "r"(before_));
  }

 private:
  std::uint64_t before_;
#else
  DefaultFloatMode() noexcept {}
  ~DefaultFloatMode() {}

 public:
#endif
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;
};

}  // namespace weft::base
