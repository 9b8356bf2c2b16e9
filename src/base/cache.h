#pragma once

#include <cstdint>

namespace weft::base {

// Bytes of a core's data caches, or what nearly every machine has at least where the system does
// not say. Results never depend on them.
std::int64_t first_cache_bytes() noexcept;
std::int64_t second_cache_bytes() noexcept;

// Bytes of the outermost cache, which all cores share; on AMD, all of a core complex.
std::int64_t outer_cache_bytes() noexcept;

// Bytes of an output from which on it is better written past the caches.
std::int64_t past_caches_bytes() noexcept;

}  // namespace weft::base
