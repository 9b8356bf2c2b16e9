#pragma once

#include <cstdint>
#include <span>

namespace weft::dml {

// Memory that is in use from one step to another, both included.
struct Lifetime {
  std::uint32_t first_step = 0;
  std::uint32_t last_step = 0;
  std::uint64_t size_in_bytes = 0;
  std::uint64_t offset_in_bytes = 0;  // filled in by plan_memory()
};

// Alignment of every piece: DML_TEMPORARY_BUFFER_ALIGNMENT.
inline constexpr std::uint64_t kMemoryAlignment = 256;

// size rounded up to the alignment. Throws Error where that does not fit 63 bits.
std::uint64_t aligned_size(std::uint64_t size_in_bytes);

// The most memory in use at any step: no plan needs less.
std::uint64_t widest_cut(std::span<const Lifetime> lifetimes);

// Gives every piece an offset so that pieces that live at the same time do not overlap; returns the
// bytes that all need together. A chain, in which every step reads what the step before wrote,
// needs exactly its widest cut. Throws Error where the sum of the sizes does not fit 63 bits.
std::uint64_t plan_memory(std::span<Lifetime> lifetimes);

}  // namespace weft::dml
