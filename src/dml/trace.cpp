#include "dml/trace.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "dml/hresult.h"

namespace weft::dml {

bool tracing() noexcept {
  static const bool asked_for = [] {
    const char* value = std::getenv("WEFT_TRACE");
    return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
  }();
  return asked_for;
}

void Trace::finish() noexcept {
  if (tracing()) print({});
}

void Trace::finish(HRESULT result) noexcept try {
  if (tracing()) print(" = " + hresult_text(result));
} catch (...) {
  // Out of memory: no line.
}

void Trace::print(const std::string& result) noexcept {
  const double us = std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
  std::fprintf(stderr, "weft: trace: %s(%s)%s, %.1f us\n", method_, detail_.c_str(), result.c_str(),
               us);
}

}  // namespace weft::dml
