#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/conformance_case.h"

namespace weft::conformance {

struct Result {
  std::string configuration;  // how it was computed, for messages: "avx2, threads 1"
  std::vector<std::byte> output;
};

// An implementation of the operators that cases are run on.
class Backend {
 public:
  virtual ~Backend() = default;

  // The case's output, in every configuration that this back end has. `initial` is what the
  // output's memory holds before. Throws std::exception where the case cannot be run.
  virtual std::vector<Result> run(const Case& test, std::span<const std::byte> initial) = 0;
};

std::unique_ptr<Backend> make_api_backend();        // the C++ API
std::unique_ptr<Backend> make_command_backend();    // `weft run` on a model made from the case
std::unique_ptr<Backend> make_reference_backend();  // the tests' own naive reference

}  // namespace weft::conformance
