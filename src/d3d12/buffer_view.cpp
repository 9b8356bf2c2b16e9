#include "d3d12/buffer_view.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/checked.h"
#include "d3d12/refuse.h"
#include "kernels/half.h"

namespace weft::d3d12 {

namespace {

enum class Kind { typeless, integer, floating, unorm, snorm };

struct Format {
  DXGI_FORMAT format;
  std::uint32_t components;
  std::uint32_t component_bytes;
  Kind kind;
};

// The formats of which every component is a whole number of bytes.
constexpr Format kFormats[] = {
    {DXGI_FORMAT_R32_TYPELESS, 1, 4, Kind::typeless},
    {DXGI_FORMAT_R32G32B32A32_FLOAT, 4, 4, Kind::floating},
    {DXGI_FORMAT_R32G32B32A32_UINT, 4, 4, Kind::integer},
    {DXGI_FORMAT_R32G32B32A32_SINT, 4, 4, Kind::integer},
    {DXGI_FORMAT_R16G16B16A16_FLOAT, 4, 2, Kind::floating},
    {DXGI_FORMAT_R16G16B16A16_UNORM, 4, 2, Kind::unorm},
    {DXGI_FORMAT_R16G16B16A16_UINT, 4, 2, Kind::integer},
    {DXGI_FORMAT_R16G16B16A16_SNORM, 4, 2, Kind::snorm},
    {DXGI_FORMAT_R16G16B16A16_SINT, 4, 2, Kind::integer},
    {DXGI_FORMAT_R32G32_FLOAT, 2, 4, Kind::floating},
    {DXGI_FORMAT_R32G32_UINT, 2, 4, Kind::integer},
    {DXGI_FORMAT_R32G32_SINT, 2, 4, Kind::integer},
    {DXGI_FORMAT_R8G8B8A8_UNORM, 4, 1, Kind::unorm},
    {DXGI_FORMAT_R8G8B8A8_UINT, 4, 1, Kind::integer},
    {DXGI_FORMAT_R8G8B8A8_SNORM, 4, 1, Kind::snorm},
    {DXGI_FORMAT_R8G8B8A8_SINT, 4, 1, Kind::integer},
    {DXGI_FORMAT_R16G16_FLOAT, 2, 2, Kind::floating},
    {DXGI_FORMAT_R16G16_UNORM, 2, 2, Kind::unorm},
    {DXGI_FORMAT_R16G16_UINT, 2, 2, Kind::integer},
    {DXGI_FORMAT_R16G16_SNORM, 2, 2, Kind::snorm},
    {DXGI_FORMAT_R16G16_SINT, 2, 2, Kind::integer},
    {DXGI_FORMAT_R32_FLOAT, 1, 4, Kind::floating},
    {DXGI_FORMAT_R32_UINT, 1, 4, Kind::integer},
    {DXGI_FORMAT_R32_SINT, 1, 4, Kind::integer},
    {DXGI_FORMAT_R8G8_UNORM, 2, 1, Kind::unorm},
    {DXGI_FORMAT_R8G8_UINT, 2, 1, Kind::integer},
    {DXGI_FORMAT_R8G8_SNORM, 2, 1, Kind::snorm},
    {DXGI_FORMAT_R8G8_SINT, 2, 1, Kind::integer},
    {DXGI_FORMAT_R16_FLOAT, 1, 2, Kind::floating},
    {DXGI_FORMAT_R16_UNORM, 1, 2, Kind::unorm},
    {DXGI_FORMAT_R16_UINT, 1, 2, Kind::integer},
    {DXGI_FORMAT_R16_SNORM, 1, 2, Kind::snorm},
    {DXGI_FORMAT_R16_SINT, 1, 2, Kind::integer},
    {DXGI_FORMAT_R8_UNORM, 1, 1, Kind::unorm},
    {DXGI_FORMAT_R8_UINT, 1, 1, Kind::integer},
    {DXGI_FORMAT_R8_SNORM, 1, 1, Kind::snorm},
    {DXGI_FORMAT_R8_SINT, 1, 1, Kind::integer},
};

const Format* find(DXGI_FORMAT format) noexcept {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& entry) { return entry.format == format; });
  return found == std::end(kFormats) ? nullptr : found;
}

bool is_raw(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) noexcept {
  return (desc.Buffer.Flags & D3D12_BUFFER_UAV_FLAG_RAW) != 0;
}

// 0 where the format is none that a view of a buffer can have.
std::uint64_t element_bytes(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) noexcept {
  if (desc.Format == DXGI_FORMAT_UNKNOWN) return desc.Buffer.StructureByteStride;
  const Format* format = find(desc.Format);
  return format ? std::uint64_t{format->components} * format->component_bytes : 0;
}

void check_kind(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) {
  const UINT stride = desc.Buffer.StructureByteStride;
  require((desc.Buffer.Flags & ~D3D12_BUFFER_UAV_FLAG_RAW) == 0, "pDesc->Buffer.Flags is ",
          desc.Buffer.Flags, ", must be NONE or RAW");
  if (is_raw(desc) || desc.Format == DXGI_FORMAT_R32_TYPELESS) {
    require(is_raw(desc) && desc.Format == DXGI_FORMAT_R32_TYPELESS, "pDesc->Format is ",
            desc.Format, ": a raw view has the flag RAW and the format R32_TYPELESS");
    require(desc.Buffer.FirstElement % 4 == 0, "pDesc->Buffer.FirstElement is ",
            desc.Buffer.FirstElement, ", must be a multiple of 4 (16 bytes) in a raw view");
  }
  if (desc.Format == DXGI_FORMAT_UNKNOWN) {
    require(stride != 0 && stride <= 2048 && stride % 4 == 0,
            "pDesc->Buffer.StructureByteStride is ", stride,
            ", must be a multiple of 4 from 4 to 2048 in a structured view");
  } else {
    require(stride == 0, "pDesc->Buffer.StructureByteStride is ", stride,
            ", must be 0 in a raw or typed view");
    require(find(desc.Format) != nullptr, "pDesc->Format is ", desc.Format,
            ", which a view of a buffer cannot have here");
  }
  require(desc.Buffer.CounterOffsetInBytes == 0, "pDesc->Buffer.CounterOffsetInBytes is ",
          desc.Buffer.CounterOffsetInBytes, ", must be 0: there is no counter");
}

// round(clamp(value) * most), not-a-number as 0.
std::int64_t normalised(float value, float least, std::int64_t most) noexcept {
  if (std::isnan(value)) return 0;
  return std::llround(double{std::clamp(value, least, 1.0F)} * static_cast<double>(most));
}

// The bits of the value in the low bytes.
std::uint32_t converted(float value, const Format& format) {
  const int bits = static_cast<int>(format.component_bytes * 8);
  switch (format.kind) {
    case Kind::unorm:
      return static_cast<std::uint32_t>(normalised(value, 0.0F, (std::int64_t{1} << bits) - 1));
    case Kind::snorm:
      return static_cast<std::uint32_t>(
          normalised(value, -1.0F, (std::int64_t{1} << (bits - 1)) - 1));
    case Kind::floating:
      break;
    default:
      refuse(E_INVALIDARG, "the view's format is ", format.format,
             ", which ClearUnorderedAccessViewFloat cannot write: use ...Uint");
  }
  if (format.component_bytes == 2) return kernels::narrow_half(value);
  std::uint32_t same = 0;
  std::memcpy(&same, &value, sizeof same);
  return same;
}

template <class Convert>
ClearPattern pattern_of(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc, const Convert& convert) {
  const Format* format = find(desc.Format);
  require(format != nullptr, "the view is structured, which ClearUnorderedAccessView cannot write");
  ClearPattern pattern = {{}, format->components * format->component_bytes};
  for (std::uint32_t i = 0; i < format->components; ++i) {
    const std::uint32_t value = convert(i, *format);
    std::memcpy(&pattern.bytes[std::size_t{i} * format->component_bytes], &value,
                format->component_bytes);
  }
  return pattern;
}

}  // namespace

void check_view(const BufferView& view) {
  const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc = view.desc;
  require(desc.ViewDimension == D3D12_UAV_DIMENSION_BUFFER, "pDesc->ViewDimension is ",
          desc.ViewDimension, ", must be BUFFER: the software device has buffers only");
  check_kind(desc);
  if (!view.buffer) return;
  require((view.buffer->flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS) != 0,
          view.buffer->name(), " was created without ALLOW_UNORDERED_ACCESS");
  const auto last = base::add(desc.Buffer.FirstElement, desc.Buffer.NumElements);
  const auto end = last ? base::multiply(*last, element_bytes(desc)) : std::nullopt;
  require(desc.Buffer.NumElements != 0, "pDesc->Buffer.NumElements is 0, must be at least 1");
  require(end && *end <= view.buffer->size_in_bytes, "pDesc->Buffer: elements ",
          desc.Buffer.FirstElement, " to ", desc.Buffer.FirstElement + desc.Buffer.NumElements,
          " of ", element_bytes(desc), " bytes do not fit into ", view.buffer->name());
}

ClearPattern clear_pattern(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc, const UINT values[4]) {
  return pattern_of(desc, [&](std::uint32_t i, const Format&) { return values[i]; });
}

ClearPattern clear_pattern(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc, const float values[4]) {
  return pattern_of(
      desc, [&](std::uint32_t i, const Format& format) { return converted(values[i], format); });
}

ByteRange viewed_bytes(const D3D12_UNORDERED_ACCESS_VIEW_DESC& desc) noexcept {
  const std::uint64_t size = element_bytes(desc);
  return {desc.Buffer.FirstElement * size,
          (desc.Buffer.FirstElement + desc.Buffer.NumElements) * size};
}

}  // namespace weft::d3d12
