#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "com/windows.h"

namespace weft::dml {

// Whether WEFT_TRACE is set to anything but 0. Read once.
bool tracing() noexcept;

// One line on stderr for a call of the API, with its time, when tracing():
//
//   weft: trace: IDMLDevice::CreateOperator(ACTIVATION_RELU {...}) = S_OK (0x00000000), 12.3 us
class Trace {
 public:
  explicit Trace(const char* method) noexcept : method_(method) {
    if (tracing()) start_ = Clock::now();
  }

  // `text` makes a description of the arguments; called when tracing only. Out of memory: none.
  template <class Text>
  void detail(const Text& text) noexcept {
    if (!tracing()) return;
    try {
      detail_ = text();
    } catch (...) {
      detail_.clear();
    }
  }

  void finish() noexcept;
  void finish(HRESULT result) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void print(const std::string& result) noexcept;

  const char* method_;
  Clock::time_point start_;
  std::string detail_;
};

}  // namespace weft::dml
