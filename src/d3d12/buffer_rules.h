#pragma once

// The rules of D3D12 for buffers: descriptions, heaps, initial states, footprints.

#include <cstdint>

#include "com/windows.h"
#include "d3d12/memory.h"

namespace weft::d3d12 {

// The parts of D3D12_RESOURCE_DESC and D3D12_RESOURCE_DESC1 that mean something for a buffer, as
// the latter.
D3D12_RESOURCE_DESC1 widen(const D3D12_RESOURCE_DESC& desc) noexcept;
D3D12_RESOURCE_DESC narrow(const D3D12_RESOURCE_DESC1& desc) noexcept;

// Throws com::Failure: E_INVALIDARG where a rule is broken, E_NOTIMPL for a texture.
void check_buffer_desc(const D3D12_RESOURCE_DESC1& desc);
void check_heap_properties(const D3D12_HEAP_PROPERTIES& properties);
// Flags and initial state go with the heap.
void check_buffer_in_heap(const D3D12_RESOURCE_DESC1& desc, const D3D12_HEAP_PROPERTIES& heap,
                          D3D12_RESOURCE_STATES initial_state);

// Whether the CPU may map memory of such a heap.
bool is_mappable(const D3D12_HEAP_PROPERTIES& heap) noexcept;

// What CUSTOM would have to say to get the same kind of memory; node masks 1.
D3D12_HEAP_PROPERTIES custom_equivalent(D3D12_HEAP_TYPE type);

// All fields UINT64_MAX or UINT_MAX where the description is none of a buffer below 4 GiB.
struct BufferFootprint {
  D3D12_PLACED_SUBRESOURCE_FOOTPRINT layout;
  UINT rows;
  UINT64 row_size_in_bytes;
  UINT64 total_bytes;
};
BufferFootprint buffer_footprint(const D3D12_RESOURCE_DESC1& desc, UINT first_subresource,
                                 UINT subresource_count, UINT64 base_offset) noexcept;

// "UPLOAD", ...
const char* heap_name(D3D12_HEAP_TYPE type) noexcept;

}  // namespace weft::d3d12
