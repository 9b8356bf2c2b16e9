#include "d3d12/buffer_rules.h"

#include <cstring>

#include "base/checked.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

D3D12_RESOURCE_DESC1 widen(const D3D12_RESOURCE_DESC& desc) noexcept {
  return {desc.Dimension,        desc.Alignment, desc.Width,  desc.Height,
          desc.DepthOrArraySize, desc.MipLevels, desc.Format, desc.SampleDesc,
          desc.Layout,           desc.Flags,     {}};
}

D3D12_RESOURCE_DESC narrow(const D3D12_RESOURCE_DESC1& desc) noexcept {
  return {desc.Dimension, desc.Alignment, desc.Width,      desc.Height, desc.DepthOrArraySize,
          desc.MipLevels, desc.Format,    desc.SampleDesc, desc.Layout, desc.Flags};
}

void check_buffer_desc(const D3D12_RESOURCE_DESC1& desc) {
  if (desc.Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE1D ||
      desc.Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE2D ||
      desc.Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D) {
    refuse(E_NOTIMPL, "pDesc->Dimension is a texture: the software device has buffers only");
  }
  require(desc.Dimension == D3D12_RESOURCE_DIMENSION_BUFFER, "pDesc->Dimension is ", desc.Dimension,
          ", must be D3D12_RESOURCE_DIMENSION_BUFFER");
  require(desc.Alignment == 0 || desc.Alignment == kBufferAlignment, "pDesc->Alignment is ",
          desc.Alignment, ", must be 0 or 65536 for a buffer");
  require(desc.Width != 0, "pDesc->Width is 0, must be the size in bytes");
  require(desc.Height == 1, "pDesc->Height is ", desc.Height, ", must be 1 for a buffer");
  require(desc.DepthOrArraySize == 1, "pDesc->DepthOrArraySize is ", desc.DepthOrArraySize,
          ", must be 1 for a buffer");
  require(desc.MipLevels == 1, "pDesc->MipLevels is ", desc.MipLevels, ", must be 1 for a buffer");
  require(desc.Format == DXGI_FORMAT_UNKNOWN, "pDesc->Format is ", desc.Format,
          ", must be DXGI_FORMAT_UNKNOWN for a buffer");
  require(desc.SampleDesc.Count == 1 && desc.SampleDesc.Quality == 0, "pDesc->SampleDesc is {",
          desc.SampleDesc.Count, ", ", desc.SampleDesc.Quality, "}, must be {1, 0} for a buffer");
  require(desc.Layout == D3D12_TEXTURE_LAYOUT_ROW_MAJOR, "pDesc->Layout is ", desc.Layout,
          ", must be D3D12_TEXTURE_LAYOUT_ROW_MAJOR for a buffer");
  require((desc.Flags & ~D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS) == 0, "pDesc->Flags is ",
          desc.Flags, ": a buffer may have ALLOW_UNORDERED_ACCESS only");
}

void check_heap_properties(const D3D12_HEAP_PROPERTIES& heap) {
  require(heap.Type >= D3D12_HEAP_TYPE_DEFAULT && heap.Type <= D3D12_HEAP_TYPE_CUSTOM,
          "pHeapProperties->Type is ", heap.Type,
          ", must be one of DEFAULT, UPLOAD, READBACK, CUSTOM");
  check_node_mask("pHeapProperties->CreationNodeMask", heap.CreationNodeMask);
  check_node_mask("pHeapProperties->VisibleNodeMask", heap.VisibleNodeMask);
  if (heap.Type != D3D12_HEAP_TYPE_CUSTOM) {
    require(heap.CPUPageProperty == D3D12_CPU_PAGE_PROPERTY_UNKNOWN &&
                heap.MemoryPoolPreference == D3D12_MEMORY_POOL_UNKNOWN,
            "pHeapProperties: CPUPageProperty and MemoryPoolPreference must be UNKNOWN for a heap "
            "of type ",
            heap_name(heap.Type));
    return;
  }
  require(heap.CPUPageProperty >= D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE &&
              heap.CPUPageProperty <= D3D12_CPU_PAGE_PROPERTY_WRITE_BACK,
          "pHeapProperties->CPUPageProperty is ", heap.CPUPageProperty,
          ", must be NOT_AVAILABLE, WRITE_COMBINE or WRITE_BACK for a heap of type CUSTOM");
  require(heap.MemoryPoolPreference == D3D12_MEMORY_POOL_L0,
          "pHeapProperties->MemoryPoolPreference is ", heap.MemoryPoolPreference,
          ", must be L0: the device's memory is the machine's");
}

void check_buffer_in_heap(const D3D12_RESOURCE_DESC1& desc, const D3D12_HEAP_PROPERTIES& heap,
                          D3D12_RESOURCE_STATES initial_state) {
  const bool upload = heap.Type == D3D12_HEAP_TYPE_UPLOAD;
  const bool readback = heap.Type == D3D12_HEAP_TYPE_READBACK;
  require(
      !((upload || readback) && (desc.Flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS)),
      "pDesc->Flags: ALLOW_UNORDERED_ACCESS is for buffers of DEFAULT and CUSTOM heaps, not of ",
      heap_name(heap.Type));
  require(!upload || initial_state == D3D12_RESOURCE_STATE_GENERIC_READ, "InitialResourceState is ",
          initial_state, ", must be GENERIC_READ in an UPLOAD heap");
  require(!readback || initial_state == D3D12_RESOURCE_STATE_COPY_DEST, "InitialResourceState is ",
          initial_state, ", must be COPY_DEST in a READBACK heap");
}

bool is_mappable(const D3D12_HEAP_PROPERTIES& heap) noexcept {
  switch (heap.Type) {
    case D3D12_HEAP_TYPE_UPLOAD:
    case D3D12_HEAP_TYPE_READBACK:
      return true;
    case D3D12_HEAP_TYPE_CUSTOM:
      return heap.CPUPageProperty != D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE;
    default:
      return false;
  }
}

D3D12_HEAP_PROPERTIES custom_equivalent(D3D12_HEAP_TYPE type) {
  D3D12_HEAP_PROPERTIES custom = {D3D12_HEAP_TYPE_CUSTOM, D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
                                  D3D12_MEMORY_POOL_L0, 1, 1};
  if (type == D3D12_HEAP_TYPE_UPLOAD || type == D3D12_HEAP_TYPE_READBACK) {
    custom.CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_WRITE_BACK;
  }
  return custom;
}

BufferFootprint buffer_footprint(const D3D12_RESOURCE_DESC1& desc, UINT first_subresource,
                                 UINT subresource_count, UINT64 base_offset) noexcept {
  BufferFootprint footprint;
  std::memset(&footprint, 0xFF, sizeof footprint);
  const auto end = base::add(base_offset, desc.Width);
  if (desc.Dimension != D3D12_RESOURCE_DIMENSION_BUFFER || desc.Width == 0 ||
      desc.Width > UINT32_MAX - 255 || first_subresource != 0 || subresource_count != 1 || !end) {
    return footprint;
  }
  const auto width = static_cast<UINT>(desc.Width);
  footprint.layout.Offset = base_offset;
  footprint.layout.Footprint = {DXGI_FORMAT_UNKNOWN, width, 1, 1,
                                static_cast<UINT>(base::round_up(width, 256))};
  footprint.rows = 1;
  footprint.row_size_in_bytes = width;
  footprint.total_bytes = width;
  return footprint;
}

const char* heap_name(D3D12_HEAP_TYPE type) noexcept {
  switch (type) {
    case D3D12_HEAP_TYPE_DEFAULT:
      return "DEFAULT";
    case D3D12_HEAP_TYPE_UPLOAD:
      return "UPLOAD";
    case D3D12_HEAP_TYPE_READBACK:
      return "READBACK";
    case D3D12_HEAP_TYPE_CUSTOM:
      return "CUSTOM";
    default:
      return "unknown";
  }
}

}  // namespace weft::d3d12
