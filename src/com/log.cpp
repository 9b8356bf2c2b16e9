#include "com/log.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace weft::com {

namespace {

// How many severities are asked for, worst first.
int asked() noexcept {
  const char* variable = std::getenv("WEFT_LOG");
  const std::string_view level = variable ? variable : "";
  if (level == "error") return 1;
  if (level == "warning") return 2;
  return level == "info" ? 3 : 0;
}

constexpr std::string_view prefix(Severity severity) noexcept {
  switch (severity) {
    case Severity::error:
      return "weft: error: ";
    case Severity::warning:
      return "weft: warning: ";
    case Severity::info:
      return "weft: info: ";
  }
  return "";
}

}  // namespace

bool logs(Severity severity) noexcept {
  static const int wanted = asked();
  return static_cast<int>(severity) < wanted;
}

void log(Severity severity, std::string_view text) noexcept {
  if (!logs(severity)) return;
  try {
    std::string line(prefix(severity));
    line.append(text).append("\n");
    // One call, so that lines of several threads do not mix.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory: the message is lost, the program goes on
  }
}

}  // namespace weft::com
