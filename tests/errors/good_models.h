#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "errors/bad_input.h"

namespace weft::testing {

// A model that runs, and its data files. Each row of the table changes one of them.
struct GoodModel {
  std::string text;
  Files files = {};
};

// By name: one for every operator, under its own name (and "BACKWARD", a convolution); and
//
//   npy       x from x.npy      raw     x from x.bin
//   commands  every command     owned   a filter that is OWNED_BY_DML
//   mixed     values of several types in one list
//   no bias   a convolution without one
//
// The operator is always /dispatchables/op; its resources are x, w, b and y, of 1024 FLOAT32 each
// where nothing else is said.
const std::map<std::string, GoodModel>& good_models();

// Little-endian bytes of `count` float32: 0, 1, 2, ...
std::string float_bytes(std::uint32_t count);

}  // namespace weft::testing
