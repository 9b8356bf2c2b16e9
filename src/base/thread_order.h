#pragma once

#if defined(__SANITIZE_THREAD__)
#define WEFT_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_THREAD_SANITIZER 1
#endif
#endif

#ifdef WEFT_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace weft::base {

// Tells ThreadSanitizer of an order that a library which it does not see into keeps: each before()
// comes before all after() that follow it in time. No code in other builds.
class ThreadOrder {
 public:
#ifdef WEFT_THREAD_SANITIZER
  void before() noexcept { __tsan_release(this); }
  void after() noexcept { __tsan_acquire(this); }
#else
  void before() noexcept {}
  void after() noexcept {}
#endif
};

}  // namespace weft::base
