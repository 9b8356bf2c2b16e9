#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "weft/data_type.h"

namespace weft::cli {

// How far results may be from what is expected, element by element:
//
//   |result - expected| <= atol + rtol * |expected|
//
// Equal infinities pass, and so do two NaNs.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

// An element outside the tolerance. Numbers are text: no one type holds them all.
struct WrongElement {
  std::uint64_t index;  // flat, in the order of memory
  std::string got;
  std::string expected;
  std::string difference;
};

struct Comparison {
  std::uint64_t element_count = 0;
  std::uint64_t wrong_count = 0;
  std::optional<WrongElement> first_wrong = std::nullopt;
  bool passed() const { return wrong_count == 0; }
};

// Compares as many elements of `type` as both spans have, which are equally long.
Comparison compare(DataType type, std::span<const std::byte> results,
                   std::span<const std::byte> expected, const Tolerance& tolerance);

}  // namespace weft::cli
