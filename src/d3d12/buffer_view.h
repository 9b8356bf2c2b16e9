#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "d3d12/descriptor_table.h"

namespace weft::d3d12 {

// Throws com::Failure where the view breaks a rule of D3D12. A view of no buffer is a null
// descriptor: its description has to be good all the same.
void check_view(const BufferView& view);

// The bytes of one element of a view, at most 16, and what ClearUnorderedAccessView writes there.
struct ClearPattern {
  std::array<std::byte, 16> bytes;
  std::uint32_t size_in_bytes;
};

// Uint writes the low bits of each value, whatever the format; Float converts to it. Throws
// com::Failure for structured views, and where the format is none of floats or normalised integers.
ClearPattern clear_pattern(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc, const UINT values[4]);
ClearPattern clear_pattern(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc, const float values[4]);

// The bytes from the first element to behind the last. Both fit: check_view() has passed.
struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};
ByteRange viewed_bytes(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) noexcept;

}  // namespace weft::d3d12
