#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/operator.h"

namespace weft::cli::bench {

// One line of a shapes file: an operator with all its sizes, every tensor packed.
struct Shape {
  std::string id;
  std::string pointer;  // its place in the file
  OperatorParams params;

  OperatorType type() const { return type_of(params); }
  DataType data_type() const;
  bool backward() const;  // a CONVOLUTION of that direction

  // What geometric means are taken over: "CONVOLUTION FORWARD float32".
  std::string family() const;

  // Operations of the direct method, 2 a multiply-add, padding included; 0 where data only moves.
  double flops() const;

  // Bytes of input, filter, bias and output, each counted once.
  double bytes() const;
};

// Which shapes are wanted. Empty: all.
struct Selection {
  std::vector<std::string> ids;
  std::string op;                          // "CONVOLUTION": DirectML's name
  std::optional<DataType> data_type = {};  // takes the place of the file's
};

// Reads a file of shapes, an array of
//
//   {"id": "name", "op": "CONVOLUTION", "dtype": "FLOAT32", "input": [...], "output": [...], ...}
//
// CONVOLUTION has direction, mode, filter, bias, strides, dilations, start_padding, end_padding,
// output_padding, groups, activation (null or "RELU"); UNFOLD and FOLD window, strides, dilations
// and paddings; RESAMPLE2 mode, rounding, scales and both pixel offsets. What counts work (flops,
// in_bytes, ...) and tells the origin (source, tier) is not read: work follows from the sizes.
// Throws BadInput with everything that is wrong, an id that is not there included.
std::vector<Shape> read_shapes(const std::filesystem::path& path, const Selection& selection);

}  // namespace weft::cli::bench
