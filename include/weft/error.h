#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "weft/export.h"

namespace weft {

enum class ErrorCode {
  ok,
  invalid_argument,  // a description or a binding breaks a rule (COM: E_INVALIDARG)
  unsupported,       // a known thing that Weft does not have (COM: DXGI_ERROR_UNSUPPORTED)
  out_of_memory,     // (COM: E_OUTOFMEMORY)
};

// One broken rule. Reads as
//   UNFOLD.OutputTensor.Sizes[2] is 14, must be 15: BlockCount = 5 * 3 (InputTensor.Sizes 5x5, ...)
struct Violation {
  std::string operator_name;  // "UNFOLD"
  std::string field;          // "OutputTensor.Sizes"
  std::optional<std::size_t> index;
  std::string value;  // what was found: "14"
  std::string rule;   // why it is wrong: "BlockCount = 5 * 3 (...)"
  std::string right;  // what would be right: "15", ">= 1", "one of FLOAT32, FLOAT16"; may be empty

  WEFT_API std::string text() const;
};

// Thrown by everything that can refuse its input. what() has one violation a line.
class WEFT_API Error : public std::exception {
 public:
  Error(ErrorCode code, std::vector<Violation> violations);
  Error(ErrorCode code, std::string message);
  ~Error() override;
  Error(const Error&);
  Error& operator=(const Error&) = delete;

  ErrorCode code() const noexcept { return code_; }
  const std::vector<Violation>& violations() const noexcept { return violations_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::vector<Violation> violations_;
  std::string message_;
};

}  // namespace weft
