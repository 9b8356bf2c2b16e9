#include "weft/error.h"

#include <utility>

namespace weft {

namespace {

std::string join(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    if (!text.empty()) text += '\n';
    text += violation.text();
  }
  return text;
}

}  // namespace

std::string Violation::text() const {
  std::string result = operator_name + '.' + field;
  if (index) result += '[' + std::to_string(*index) + ']';
  result += " is " + value;
  if (!right.empty()) result += ", must be " + right;
  if (!rule.empty()) result += ": " + rule;
  return result;
}

Error::Error(ErrorCode code, std::vector<Violation> violations)
    : code_(code), violations_(std::move(violations)), message_(join(violations_)) {}
Error::Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
Error::Error(const Error&) = default;
Error::~Error() = default;

}  // namespace weft
