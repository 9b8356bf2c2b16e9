#pragma once

#include <cstdint>
#include <string_view>

namespace weft::dml {

// DirectML's name of any operator of feature level 6.4, without its prefix: "GEMM" for 54. Empty
// for 0 and for numbers that stand for no operator.
std::string_view directml_operator_name(std::uint32_t type) noexcept;

}  // namespace weft::dml
