#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "conformance/conformance_case.h"

namespace weft::conformance {

// A buffer for the case's output with a pattern in every byte, so that a result tells which bytes
// were written.
std::vector<std::byte> filled_output(const Case& test);

// What is wrong with a result that started as `initial`; empty when it passes:
//
//   |result - expected| <= atol + rtol * |expected|     for every element of the output tensor;
//                                                       equal infinities and two NaNs pass as well
//   result byte == initial byte                         wherever no element lies
std::string difference(const Case& test, std::span<const std::byte> initial,
                       std::span<const std::byte> result);

}  // namespace weft::conformance
