// CheckFeatureSupport: what the software device is and has. Everything that needs shaders or
// pictures is answered with no.

#include <algorithm>
#include <cstring>
#include <span>

#include "d3d12/command_queue.h"
#include "d3d12/device.h"
#include "d3d12/feature_level.h"
#include "d3d12/refuse.h"

namespace weft::d3d12 {

namespace {

// Features of which every answer is no, none or 0, and the size of the answer.
struct Absent {
  D3D12_FEATURE feature;
  std::size_t size;
};
constexpr Absent kAbsent[] = {
    {D3D12_FEATURE_D3D12_OPTIONS1, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS1)},
    {D3D12_FEATURE_D3D12_OPTIONS2, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS2)},
    {D3D12_FEATURE_SHADER_CACHE, sizeof(D3D12_FEATURE_DATA_SHADER_CACHE)},
    {D3D12_FEATURE_EXISTING_HEAPS, sizeof(D3D12_FEATURE_DATA_EXISTING_HEAPS)},
    {D3D12_FEATURE_D3D12_OPTIONS4, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS4)},
    {D3D12_FEATURE_CROSS_NODE, sizeof(D3D12_FEATURE_DATA_CROSS_NODE)},
    {D3D12_FEATURE_D3D12_OPTIONS5, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS5)},
    {D3D12_FEATURE_DISPLAYABLE, sizeof(D3D12_FEATURE_DATA_DISPLAYABLE)},
    {D3D12_FEATURE_D3D12_OPTIONS6, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS6)},
    {D3D12_FEATURE_D3D12_OPTIONS7, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS7)},
    {D3D12_FEATURE_D3D12_OPTIONS8, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS8)},
    {D3D12_FEATURE_D3D12_OPTIONS9, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS9)},
    {D3D12_FEATURE_D3D12_OPTIONS10, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS10)},
    {D3D12_FEATURE_D3D12_OPTIONS11, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS11)},
    {D3D12_FEATURE_D3D12_OPTIONS12, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS12)},
    {D3D12_FEATURE_D3D12_OPTIONS13, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS13)},
    {D3D12_FEATURE_D3D12_OPTIONS14, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS14)},
    {D3D12_FEATURE_D3D12_OPTIONS15, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS15)},
};

// The caller's structure, which has to have the size of T.
template <class T>
T& data_as(void* data, UINT size) {
  require(size == sizeof(T), "FeatureSupportDataSize is ", size, ", must be ", sizeof(T));
  return *static_cast<T*>(data);
}

void check_node(UINT index) {
  require(index == 0, "NodeIndex is ", index, ", must be 0: there is one node");
}

void answer_options(D3D12_FEATURE_DATA_D3D12_OPTIONS& options) noexcept {
  options = {};
  options.ResourceBindingTier = D3D12_RESOURCE_BINDING_TIER_3;
  options.ResourceHeapTier = D3D12_RESOURCE_HEAP_TIER_2;
  options.MaxGPUVirtualAddressBitsPerResource = 44;
}

// All memory is the machine's, and the caches are coherent: it is the CPU that computes.
template <class T>
void answer_architecture(T& architecture) {
  check_node(architecture.NodeIndex);
  architecture = {};
  architecture.UMA = TRUE;
  architecture.CacheCoherentUMA = TRUE;
}

HRESULT answer_levels(D3D12_FEATURE_DATA_FEATURE_LEVELS& levels) {
  require(levels.NumFeatureLevels != 0 && levels.pFeatureLevelsRequested,
          "NumFeatureLevels and pFeatureLevelsRequested must not be null");
  int highest = 0;
  for (const D3D_FEATURE_LEVEL level :
       std::span(levels.pFeatureLevelsRequested, levels.NumFeatureLevels)) {
    if (is_supported(level)) highest = std::max(highest, static_cast<int>(level));
  }
  require(highest != 0, "none of the requested feature levels is supported");
  levels.MaxSupportedFeatureLevel = static_cast<D3D_FEATURE_LEVEL>(highest);
  return S_OK;
}

HRESULT answer_absent(D3D12_FEATURE feature, void* data, UINT size) {
  const auto* found = std::find_if(std::begin(kAbsent), std::end(kAbsent),
                                   [&](const Absent& entry) { return entry.feature == feature; });
  require(found != std::end(kAbsent), "Feature is ", feature,
          ", which the software device does not know");
  require(size == found->size, "FeatureSupportDataSize is ", size, ", must be ", found->size);
  std::memset(data, 0, size);
  return S_OK;
}

HRESULT answer_feature(D3D12_FEATURE feature, void* data, UINT size) {
  switch (feature) {
    case D3D12_FEATURE_D3D12_OPTIONS:
      answer_options(data_as<D3D12_FEATURE_DATA_D3D12_OPTIONS>(data, size));
      return S_OK;
    case D3D12_FEATURE_ARCHITECTURE:
      answer_architecture(data_as<D3D12_FEATURE_DATA_ARCHITECTURE>(data, size));
      return S_OK;
    case D3D12_FEATURE_ARCHITECTURE1:
      answer_architecture(data_as<D3D12_FEATURE_DATA_ARCHITECTURE1>(data, size));
      return S_OK;
    case D3D12_FEATURE_FEATURE_LEVELS:
      return answer_levels(data_as<D3D12_FEATURE_DATA_FEATURE_LEVELS>(data, size));
    case D3D12_FEATURE_FORMAT_SUPPORT: {
      auto& support = data_as<D3D12_FEATURE_DATA_FORMAT_SUPPORT>(data, size);
      support.Support1 = D3D12_FORMAT_SUPPORT1_NONE;
      support.Support2 = D3D12_FORMAT_SUPPORT2_NONE;
      return S_OK;
    }
    case D3D12_FEATURE_MULTISAMPLE_QUALITY_LEVELS:
      data_as<D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS>(data, size).NumQualityLevels = 0;
      return S_OK;
    case D3D12_FEATURE_FORMAT_INFO:
      data_as<D3D12_FEATURE_DATA_FORMAT_INFO>(data, size).PlaneCount = 1;
      return S_OK;
    case D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT:
      data_as<D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT>(data, size) = {44, 47};
      return S_OK;
    case D3D12_FEATURE_SHADER_MODEL: {
      auto& model = data_as<D3D12_FEATURE_DATA_SHADER_MODEL>(data, size).HighestShaderModel;
      model = std::min(model, D3D_SHADER_MODEL_5_1);
      return S_OK;
    }
    case D3D12_FEATURE_ROOT_SIGNATURE:
      data_as<D3D12_FEATURE_DATA_ROOT_SIGNATURE>(data, size).HighestVersion =
          D3D_ROOT_SIGNATURE_VERSION_1_0;
      return S_OK;
    case D3D12_FEATURE_COMMAND_QUEUE_PRIORITY: {
      auto& priority = data_as<D3D12_FEATURE_DATA_COMMAND_QUEUE_PRIORITY>(data, size);
      const bool supported = is_list_type(priority.CommandListType) &&
                             is_queue_priority(static_cast<INT>(priority.Priority));
      priority.PriorityForTypeIsSupported = supported ? TRUE : FALSE;
      return S_OK;
    }
    case D3D12_FEATURE_D3D12_OPTIONS3: {
      auto& options = data_as<D3D12_FEATURE_DATA_D3D12_OPTIONS3>(data, size);
      options = {};
      options.CopyQueueTimestampQueriesSupported = TRUE;
      return S_OK;
    }
    case D3D12_FEATURE_SERIALIZATION: {
      auto& tier = data_as<D3D12_FEATURE_DATA_SERIALIZATION>(data, size);
      check_node(tier.NodeIndex);
      tier.HeapSerializationTier = D3D12_HEAP_SERIALIZATION_TIER_0;
      return S_OK;
    }
    case D3D12_FEATURE_PROTECTED_RESOURCE_SESSION_SUPPORT: {
      auto& support = data_as<D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_SUPPORT>(data, size);
      check_node(support.NodeIndex);
      support.Support = D3D12_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAG_NONE;
      return S_OK;
    }
    case D3D12_FEATURE_PROTECTED_RESOURCE_SESSION_TYPE_COUNT: {
      auto& types = data_as<D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_TYPE_COUNT>(data, size);
      check_node(types.NodeIndex);
      types.Count = 0;
      return S_OK;
    }
    default:
      return answer_absent(feature, data, size);
  }
}

}  // namespace

HRESULT Device::CheckFeatureSupport(D3D12_FEATURE feature, void* data, UINT size) {
  return state_->answer("ID3D12Device::CheckFeatureSupport", [&] {
    require(data != nullptr, "pFeatureSupportData is null");
    return answer_feature(feature, data, size);
  });
}

}  // namespace weft::d3d12
