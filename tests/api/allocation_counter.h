#pragma once

namespace weft::api_tests {

// Whether this build can count: a sanitizer has malloc for itself.
bool counts_allocations();

// Counts the calls that the current thread makes to malloc and its kin, operator new included,
// from here to its end.
class AllocationCounter {
 public:
  AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;
  ~AllocationCounter();
  long count() const;
};

}  // namespace weft::api_tests
