#pragma once

#include <cstdint>

#include "weft/isa.h"

namespace weft::cli::bench {

// Loops that do nothing but multiply and add in registers. Each returns the floating-point
// operations it has done, two a multiply-add.
//
// isa  one that this machine has. base, sse4: separate multiplications and additions
double multiply_add_loop(Isa isa, std::uint64_t rounds);

// bfloat16 operations of the matrix unit. 0 where the system does not let this process use it.
double amx_loop(std::uint64_t rounds);

}  // namespace weft::cli::bench
