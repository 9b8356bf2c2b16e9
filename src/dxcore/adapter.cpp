#include "dxcore/adapter.h"

#include <cstring>
#include <string>

#include "dxcore/adapter_factory.h"
#include "dxcore/answer.h"

namespace weft::dxcore {

namespace {

constexpr GUID kCoreCompute = {
    0x248e2800, 0xa793, 0x4724, {0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90}};
// Debian's headers lack this one.
constexpr GUID kGenericMl = {
    0xb71b0d41, 0x1088, 0x422f, {0xa2, 0x7c, 0x02, 0x50, 0xb7, 0xd3, 0xa9, 0x88}};

// Four 16-bit parts, as Windows drivers number themselves: 0.1.0.0.
constexpr std::uint64_t kDriverVersion = std::uint64_t{1} << 32;

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The value's bytes; empty where the adapter has not that property.
std::string property_bytes(DXCoreAdapterProperty property) {
  const std::uint32_t vendor = com::adapter_vendor_id();
  switch (property) {
    case DXCoreAdapterProperty::InstanceLuid:
      return bytes_of(com::kAdapterLuid);
    case DXCoreAdapterProperty::DriverVersion:
      return bytes_of(kDriverVersion);
    case DXCoreAdapterProperty::DriverDescription: {
      const std::string text = com::adapter_description();
      return {text.c_str(), text.size() + 1};  // with the terminator
    }
    case DXCoreAdapterProperty::HardwareID:
      return bytes_of(DXCoreHardwareID{vendor, com::kAdapterDeviceId, 0, 0});
    case DXCoreAdapterProperty::HardwareIDParts:
      return bytes_of(DXCoreHardwareIDParts{vendor, com::kAdapterDeviceId, 0, 0, 0});
    case DXCoreAdapterProperty::DedicatedAdapterMemory:
    case DXCoreAdapterProperty::DedicatedSystemMemory:
      return bytes_of(std::uint64_t{0});
    case DXCoreAdapterProperty::SharedSystemMemory:
      return bytes_of(com::memory_limit_in_bytes());
    // Programs stop at an adapter that calls itself software.
    case DXCoreAdapterProperty::IsHardware:
    case DXCoreAdapterProperty::IsIntegrated:
      return bytes_of(true);
    case DXCoreAdapterProperty::IsDetachable:
      return bytes_of(false);
    default:
      return {};
  }
}

bool is_known(DXCoreAdapterProperty property) noexcept {
  return static_cast<std::uint32_t>(property) <=
         static_cast<std::uint32_t>(DXCoreAdapterProperty::HardwareIDParts);
}

// As property_bytes(); throws com::Failure where there are none.
std::string supported_bytes(DXCoreAdapterProperty property) {
  std::string bytes = property_bytes(property);
  require(!bytes.empty() || is_known(property), DXGI_ERROR_INVALID_CALL,
          "property is none that there is");
  require(!bytes.empty(), DXGI_ERROR_UNSUPPORTED, "the adapter has not that property");
  return bytes;
}

// The one budget: all memory is local to the one node.
void query_budget(std::size_t input_size, const void* input, std::size_t output_size,
                  void* output) {
  DXCoreAdapterMemoryBudgetNodeSegmentGroup group = {};
  require(input && input_size == sizeof group, E_INVALIDARG,
          "inputStateDetails must be a DXCoreAdapterMemoryBudgetNodeSegmentGroup");
  require(output_size == sizeof(DXCoreAdapterMemoryBudget), E_INVALIDARG,
          "outputBuffer must be a DXCoreAdapterMemoryBudget");
  std::memcpy(&group, input, sizeof group);
  require(group.nodeIndex == 0, E_INVALIDARG, "nodeIndex must be 0: there is one node");
  DXCoreAdapterMemoryBudget budget = {};
  if (group.segmentGroup == DXCoreSegmentGroup::Local) budget.budget = com::memory_limit_in_bytes();
  std::memcpy(output, &budget, sizeof budget);
}

}  // namespace

bool Adapter::has_attribute(REFGUID attribute) noexcept {
  return attribute == kCoreCompute || attribute == kGenericMl;
}

bool Adapter::IsPropertySupported(DXCoreAdapterProperty property) {
  bool supported = false;
  answer("IDXCoreAdapter::IsPropertySupported",
         [&] { supported = !property_bytes(property).empty(); });
  return supported;
}

HRESULT Adapter::GetPropertySize(DXCoreAdapterProperty property, std::size_t* size) {
  if (size) *size = 0;
  return answer("IDXCoreAdapter::GetPropertySize", [&] {
    require(size != nullptr, E_POINTER, "bufferSize is null");
    *size = supported_bytes(property).size();
  });
}

HRESULT Adapter::GetProperty(DXCoreAdapterProperty property, std::size_t size, void* data) {
  return answer("IDXCoreAdapter::GetProperty", [&] {
    require(data != nullptr, E_POINTER, "propertyData is null");
    const std::string bytes = supported_bytes(property);
    require(size >= bytes.size(), E_INVALIDARG,
            "bufferSize is too small: GetPropertySize tells what is needed");
    std::memcpy(data, bytes.data(), bytes.size());
  });
}

bool Adapter::IsQueryStateSupported(DXCoreAdapterState state) {
  return state == DXCoreAdapterState::IsDriverUpdateInProgress ||
         state == DXCoreAdapterState::AdapterMemoryBudget;
}

HRESULT Adapter::QueryState(DXCoreAdapterState state, std::size_t input_size, const void* input,
                            std::size_t output_size, void* output) {
  return answer("IDXCoreAdapter::QueryState", [&] {
    require(IsQueryStateSupported(state), DXGI_ERROR_UNSUPPORTED, "the adapter has not that state");
    require(output != nullptr, E_POINTER, "outputBuffer is null");
    if (state == DXCoreAdapterState::AdapterMemoryBudget) {
      query_budget(input_size, input, output_size, output);
      return;
    }
    require(output_size == sizeof(bool), E_INVALIDARG, "outputBuffer must be a bool");
    *static_cast<bool*>(output) = false;
  });
}

HRESULT Adapter::SetState(DXCoreAdapterState, std::size_t, const void*, std::size_t, const void*) {
  return answer("IDXCoreAdapter::SetState", []() -> HRESULT {
    throw com::Failure(DXGI_ERROR_UNSUPPORTED, "the adapter has no state that can be set");
  });
}

HRESULT Adapter::GetFactory(REFIID riid, void** factory) {
  return give_new<AdapterFactory>("IDXCoreAdapter::GetFactory", E_POINTER, riid, factory);
}

}  // namespace weft::dxcore
