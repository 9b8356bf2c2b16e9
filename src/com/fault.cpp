#include "com/fault.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "com/log.h"

namespace weft::com {

namespace {

// The switches; 0: off.
struct Faults {
  std::uint64_t device_removed = 0;
  std::uint64_t out_of_memory = 0;
  std::uint32_t feature_level = 0;
};

// "5_0" as DML_FEATURE_LEVEL_5_0 = 0x5000; 0 when it is no level.
std::uint32_t level_of(std::string_view text) noexcept {
  if (text.size() != 3 || text[1] != '_') return 0;
  if (text[0] < '1' || text[0] > '6' || text[2] < '0' || text[2] > '9') return 0;
  return static_cast<std::uint32_t>(text[0] - '0') << 12 | static_cast<std::uint32_t>(text[2] - '0')
                                                               << 8;
}

// Everything after `name` in `entry`; empty when the entry is another one.
std::string_view value_after(std::string_view entry, std::string_view name) noexcept {
  return entry.starts_with(name) ? entry.substr(name.size()) : std::string_view();
}

std::uint64_t number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

bool read_entry(std::string_view entry, Faults& faults) noexcept {
  if (const auto removed = value_after(entry, "device_removed@"); !removed.empty()) {
    return (faults.device_removed = number(removed)) != 0;
  }
  if (const auto memory = value_after(entry, "out_of_memory@"); !memory.empty()) {
    return (faults.out_of_memory = number(memory)) != 0;
  }
  if (const auto level = value_after(entry, "feature_level="); !level.empty()) {
    return (faults.feature_level = level_of(level)) != 0;
  }
  return false;
}

void complain(std::string_view entry) noexcept {
  try {
    log(Severity::error, "WEFT_FAULT: \"" + std::string(entry) +
                             "\" is none of device_removed@N, out_of_memory@N, feature_level=M_N");
  } catch (...) {  // out of memory: nobody to tell
  }
}

Faults read_faults() noexcept {
  Faults faults;
  const char* variable = std::getenv("WEFT_FAULT");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(entry.size() == rest.size() ? rest.size() : entry.size() + 1);
    if (!read_entry(entry, faults)) complain(entry);
  }
  return faults;
}

const Faults& faults() noexcept {
  static const Faults read = read_faults();
  return read;
}

bool is_nth(std::uint64_t n, std::atomic<std::uint64_t>& calls) noexcept {
  return n != 0 && calls.fetch_add(1, std::memory_order_relaxed) + 1 == n;
}

}  // namespace

bool fault_removes_device() noexcept {
  static std::atomic<std::uint64_t> dispatches{0};
  return is_nth(faults().device_removed, dispatches);
}

bool fault_out_of_memory() noexcept {
  static std::atomic<std::uint64_t> allocations{0};
  return is_nth(faults().out_of_memory, allocations);
}

std::uint32_t fault_feature_level() noexcept { return faults().feature_level; }

}  // namespace weft::com
