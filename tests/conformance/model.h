#pragma once

#include <filesystem>
#include <string>

#include "conformance/conformance_case.h"

namespace weft::conformance {

// The files that a model names beside the case's own inputs.
struct ModelFiles {
  std::filesystem::path initial;   // .npy: what the output holds before the run
  std::filesystem::path expected;  // .npy: what `expect` compares with
  std::filesystem::path result;    // written by the model: .npy
  std::filesystem::path raw;       // written by the model: the same bytes without a header
};

// A model for `weft run` that computes the case: one resource a tensor, read from its file, one
// dispatchable, one dispatch; then it compares the output by the case's tolerance and writes it.
std::string model_of(const Case& test, const ModelFiles& files);

}  // namespace weft::conformance
