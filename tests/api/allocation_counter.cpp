#include "api/allocation_counter.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEFT_COUNTS_ALLOCATIONS
#endif

namespace weft::api_tests {

namespace {
thread_local bool counting = false;
thread_local long calls = 0;

[[maybe_unused]] void note() {
  if (counting) ++calls;
}
}  // namespace

AllocationCounter::AllocationCounter() {
  calls = 0;
  counting = true;
}
AllocationCounter::~AllocationCounter() { counting = false; }
long AllocationCounter::count() const { return calls; }

bool counts_allocations() {
#ifdef WEFT_COUNTS_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

}  // namespace weft::api_tests

#ifdef WEFT_COUNTS_ALLOCATIONS
// In place of the C library's, whose own names they go on to.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

void* malloc(std::size_t size) {
  weft::api_tests::note();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  weft::api_tests::note();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  weft::api_tests::note();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  weft::api_tests::note();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  weft::api_tests::note();
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}
}
#endif
