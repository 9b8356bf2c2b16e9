#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "random/case.h"

namespace weft::random_cases {

// A mistake made on purpose, to see that the check catches it. Of the three ways, each returns
// whether it applies to the params.
struct Defect {
  std::string_view family;  // of family_names(), or empty: any
  std::string_view name;
  // Changes what the library is asked for; the reference still gets the true params.
  bool (*params)(OperatorParams& params) = nullptr;
  // Changes the first input that the library gets.
  bool (*input)(const OperatorParams& params, std::byte* data) = nullptr;
  // Changes the memory of the output after the run. `data` is guarded: a write before or after
  // the tensor is harmless.
  bool (*output)(const OperatorParams& params, std::byte* data) = nullptr;
};

enum class Verdict { right, wrong, not_applicable };

struct Result {
  Verdict verdict = Verdict::right;
  std::string message;  // what is wrong
  std::string algorithm = {};
};

// Runs a case and holds against it that
//   validate() accepts it
//   every output element is what the naive reference allows
//   nothing but the output's elements is written: no gap, no byte around any buffer, no input
//   nothing around any buffer is read (by the pages around it; all of it under AddressSanitizer)
//   the same bits come out of another number of threads, another workspace content, other buffer
//   places, a filter prepared or not, and in place where that is allowed
// With a defect, only the first run is made, and it may be not applicable.
Result check(const Case& c, const Defect* defect = nullptr);

}  // namespace weft::random_cases
