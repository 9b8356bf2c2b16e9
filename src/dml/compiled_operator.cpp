#include "dml/compiled_operator.h"

namespace weft::dml {

const GUID CompiledOperator::kId = {
    0x3f9c51d2, 0x6a0b, 0x4c7e, {0x8d, 0x25, 0x91, 0x4e, 0x07, 0xb3, 0xc8, 0x13}};

void* CompiledOperator::query(REFIID riid) noexcept {
  if (riid == kId) return this;
  if (riid == DispatchSource::kId) return static_cast<DispatchSource*>(this);
  return DeviceChild::query(riid);
}

}  // namespace weft::dml
