#pragma once

#include <cstddef>
#include <span>

namespace weft::cli::bench {

// Whether stores go through the cache (which first reads the line, unless it knows that all of it
// is written) or past it.
enum class Stores { cached, streamed };

// Does nothing but read: each byte once, in wide loads.
void read_once(std::span<const std::byte> source);

// Does nothing but write: each byte once. `target` is 16-byte aligned.
void write_once(std::span<std::byte> target, Stores stores);

// As both. The tensors do not overlap; `target` is 16-byte aligned.
void copy_once(const std::byte* source, std::span<std::byte> target, Stores stores);

}  // namespace weft::cli::bench
