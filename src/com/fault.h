#pragma once

// Faults that users ask for, to test their own error paths: WEFT_FAULT, a comma-separated list of
//
//   device_removed@N     the device is removed when the N-th dispatch is executed
//   out_of_memory@N      the N-th allocation of a resource or heap fails
//   feature_level=5_0    the device has that feature level: its ranks, types and operators only
//
// N counts from 1 in each process. Nothing is counted while the variable is unset.

#include <cstdint>

namespace weft::com {

// True at the N-th call, when the switch is set; counts calls.
bool fault_removes_device() noexcept;
bool fault_out_of_memory() noexcept;

// The DML_FEATURE_LEVEL that was asked for; 0: none.
std::uint32_t fault_feature_level() noexcept;

}  // namespace weft::com
