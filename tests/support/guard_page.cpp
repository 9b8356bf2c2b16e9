#include "support/guard_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace weft::testing {

namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

int guard_protection = PROT_NONE;

std::byte* map(std::size_t size) {
  const std::size_t mapped = size + 2 * page_size();
  void* mapping =
      mmap(nullptr, mapped, guard_protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  std::byte* begin = static_cast<std::byte*>(mapping) + page_size();
  if (size != 0 && mprotect(begin, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, mapped);
    throw std::bad_alloc();
  }
  return begin;
}

// Pages that nobody uses, by their size.
struct Pool {
  std::mutex mutex;
  std::map<std::size_t, std::vector<std::byte*>> free;
};

Pool& pool() {
  static Pool result;
  return result;
}

constexpr std::size_t kMostKept = std::size_t{256} << 10;  // bytes

}  // namespace

void let_guards_be_read() { guard_protection = PROT_READ; }

GuardedPages::GuardedPages(std::size_t bytes)
    : begin_(nullptr), size_((bytes + page_size() - 1) / page_size() * page_size()) {
  if (size_ <= kMostKept) {
    const std::lock_guard lock(pool().mutex);
    std::vector<std::byte*>& free = pool().free[size_];
    if (!free.empty()) {
      begin_ = free.back();
      free.pop_back();
    }
  }
  if (begin_ == nullptr) {
    begin_ = map(size_);
  } else {
    std::memset(begin_, 0, size_);
  }
}

GuardedPages::~GuardedPages() {
  if (begin_ == nullptr) return;
  if (size_ <= kMostKept) {
    const std::lock_guard lock(pool().mutex);
    pool().free[size_].push_back(begin_);
  } else {
    munmap(begin_ - page_size(), size_ + 2 * page_size());
  }
}

}  // namespace weft::testing
