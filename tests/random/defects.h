#pragma once

#include <span>

#include "random/check.h"

namespace weft::random_cases {

// Mistakes that implementations make, each on its own, for the operators that they can happen to.
std::span<const Defect> convolution_defects();
std::span<const Defect> sliding_window_defects();
std::span<const Defect> resample_defects();
std::span<const Defect> element_wise_defects();
std::span<const Defect> writing_defects();  // any operator

}  // namespace weft::random_cases
