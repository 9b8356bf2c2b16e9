#pragma once

#include <filesystem>

#include "model.h"

namespace weft::cli {

// Where relative paths in a model start; empty: the folder of the model.
struct ModelPaths {
  std::filesystem::path input;
  std::filesystem::path output;
};

// Reads a model: DxDispatch's JSON, with Weft's additions (FOLD, UNFOLD and RESAMPLE3, output
// sizes left out, the command "expect"). Data files are not opened. Throws BadInput when the file
// is not JSON; everything else that is wrong is in the model's problems.
Model read_model(const std::filesystem::path& file, const ModelPaths& paths);

}  // namespace weft::cli
