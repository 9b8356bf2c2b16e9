// The methods of the device that ask and manage, beside device.cpp's that create.

#include <algorithm>
#include <cstring>
#include <string>

#include "dml/compiled_operator.h"
#include "dml/device.h"
#include "dml/operator_initializer.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

// More than there are levels many times over; no application's array is longer.
constexpr UINT kMaxRequestedLevels = 1024;

template <class T>
const T& read_as(const char* field, UINT size, const void* data) {
  if (!data) refuse(field, "null", "a pointer");
  if (size != sizeof(T)) {
    refuse(std::string(field) + "Size", std::to_string(size), std::to_string(sizeof(T)));
  }
  return *static_cast<const T*>(data);
}

template <class T>
void write_as(UINT size, void* data, const T& value) {
  if (!data) refuse("featureSupportData", "null", "a pointer");
  if (size != sizeof(T)) {
    refuse("featureSupportDataSize", std::to_string(size), std::to_string(sizeof(T)));
  }
  std::memcpy(data, &value, sizeof value);
}

// The highest requested level that the device has; 0: none.
FeatureLevel best_level(const DML_FEATURE_QUERY_FEATURE_LEVELS& query, FeatureLevel device_level) {
  const UINT count = query.RequestedFeatureLevelCount;
  if (!query.RequestedFeatureLevels || count == 0 || count > kMaxRequestedLevels) {
    refuse("RequestedFeatureLevels",
           query.RequestedFeatureLevels ? "of " + std::to_string(count) + " entries" : "null",
           "an array of 1 to " + std::to_string(kMaxRequestedLevels) + " entries");
  }
  FeatureLevel best = 0;
  for (UINT i = 0; i < count; ++i) {
    const std::uint32_t level = raw(query.RequestedFeatureLevels[i]);
    if (is_feature_level(level) && level <= device_level) best = std::max(best, level);
  }
  return best;
}

}  // namespace

HRESULT Device::CheckFeatureSupport(DML_FEATURE feature, UINT featureQueryDataSize,
                                    const void* featureQueryData, UINT featureSupportDataSize,
                                    void* featureSupportData) {
  return answer(state(), "IDMLDevice::CheckFeatureSupport", [&](Trace& trace) {
    const std::uint32_t number = raw(feature);
    trace.detail([&] { return "feature " + std::to_string(number); });
    if (number == DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT) {
      const auto& query = read_as<DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT>(
          "featureQueryData", featureQueryDataSize, featureQueryData);
      const std::uint32_t type = raw(query.DataType);
      if (type == DML_TENSOR_DATA_TYPE_UNKNOWN || type > DML_TENSOR_DATA_TYPE_INT4) {
        refuse("DataType", std::to_string(type), "a DML_TENSOR_DATA_TYPE");
      }
      const bool supported = supports_data_type(static_cast<DataType>(type), feature_level_);
      write_as(featureSupportDataSize, featureSupportData,
               DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT{supported ? TRUE : FALSE});
    } else if (number == DML_FEATURE_FEATURE_LEVELS) {
      const FeatureLevel level =
          best_level(read_as<DML_FEATURE_QUERY_FEATURE_LEVELS>(
                         "featureQueryData", featureQueryDataSize, featureQueryData),
                     feature_level_);
      if (level == 0) {
        throw com::Failure(DXGI_ERROR_UNSUPPORTED, "RequestedFeatureLevels has none up to " +
                                                       feature_level_text(feature_level_) +
                                                       ", the device's");
      }
      write_as(featureSupportDataSize, featureSupportData,
               DML_FEATURE_DATA_FEATURE_LEVELS{static_cast<DML_FEATURE_LEVEL>(level)});
    } else {
      throw com::Failure(DXGI_ERROR_UNSUPPORTED,
                         "feature is " + std::to_string(number) +
                             ", must be TENSOR_DATA_TYPE_SUPPORT (0) or FEATURE_LEVELS (1)");
    }
    return S_OK;
  });
}

namespace {

// All objects are looked at before any is changed.
template <class Change>
HRESULT change_residency(Device& device, UINT count, IDMLPageable* const* objects,
                         const Change& change) {
  if (count != 0 && !objects) refuse("ppObjects", "null", "an array of count objects");
  const auto check = [&](UINT i) {
    const auto* object = own<DispatchSource>(objects[i]);
    if (!object || object->device_state() != &device.state()) {
      refuse_object("ppObjects[" + std::to_string(i) + "]", objects[i], object,
                    "an object of this device");
    }
  };
  for (UINT i = 0; i < count; ++i) check(i);
  for (UINT i = 0; i < count; ++i) {
    if (const auto* compiled = own<CompiledOperator>(objects[i])) change(*compiled->compiled());
  }
  return S_OK;
}

}  // namespace

HRESULT Device::Evict(UINT count, IDMLPageable* const* ppObjects) {
  return answer(state(), "IDMLDevice::Evict", [&](Trace& trace) {
    trace.detail([&] { return std::to_string(count) + " objects"; });
    return change_residency(*this, count, ppObjects,
                            [](const CompiledDispatch& each) { each.evict(); });
  });
}

HRESULT Device::MakeResident(UINT count, IDMLPageable* const* ppObjects) {
  return answer(state(), "IDMLDevice::MakeResident", [&](Trace& trace) {
    trace.detail([&] { return std::to_string(count) + " objects"; });
    return change_residency(*this, count, ppObjects,
                            [](const CompiledDispatch& each) { each.make_resident(); });
  });
}

}  // namespace weft::dml
