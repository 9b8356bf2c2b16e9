#pragma once

// The subcommands of `weft`: what each is asked for, and what does it (bench/bench.h has the one
// that is not here).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model_reader.h"
#include "report.h"

namespace weft::cli {

struct RunOptions {
  std::string model;
  ModelPaths paths;
  std::size_t iterations = 0;  // 0: not given
  unsigned threads = 0;
  ReportOptions report;
};
int run(const RunOptions& options, bool json);

struct CheckOptions {
  std::string model;
  ModelPaths paths;
};
int check(const CheckOptions& options, bool json);

// What an operator on the command line is described with.
struct Operands {
  Dims input, filter, output, window, strides, dilations, padding, start_padding, end_padding,
      output_padding;
  std::vector<float> scales;
  std::uint32_t groups = 1;
  std::string direction = "forward";
};

struct ShapeOptions {
  std::string target;
  std::string name;
  Operands operands;
  std::vector<std::string> given;  // the flags among the command line
};
int shape(const ShapeOptions& options, bool json);

struct ImageOptions {
  std::string input;
  std::string output;
  std::string scale;  // "2" or "2,1.5", width first
  std::string size;   // "640x480"
  std::string mode = "linear";
  bool antialias = false;
  unsigned threads = 0;
};
int image(const ImageOptions& options, bool json);

int info(bool markdown, bool json);

struct ExecOptions {
  std::string program;
  std::vector<std::string> arguments;  // as CLI11 left them: with the "--" before the program
  bool trace = false;
};
// Becomes the program; returns only when that fails.
int exec(const ExecOptions& options);

}  // namespace weft::cli
