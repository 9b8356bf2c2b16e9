#include "compute/bindings.h"

namespace weft::testing {

DML_BUFFER_BINDING Part::binding() const {
  if (!buffer) return {};
  const UINT64 rest = buffer->GetDesc().Width - offset;
  return {buffer, offset, size_in_bytes == 0 ? rest : size_in_bytes};
}

Bindings::Bindings(std::span<const Part> parts) {
  std::vector<DML_BUFFER_BINDING>& buffers = buffers_.emplace_back();
  for (const Part& part : parts) buffers.push_back(part.binding());
  for (const DML_BUFFER_BINDING& buffer : buffers) {
    if (buffer.Buffer) {
      descs_.push_back({DML_BINDING_TYPE_BUFFER, &buffer});
    } else {
      descs_.push_back({DML_BINDING_TYPE_NONE, nullptr});
    }
  }
}

void Bindings::add_array(std::span<const Part> parts) {
  if (parts.empty()) {
    descs_.push_back({DML_BINDING_TYPE_NONE, nullptr});
    return;
  }
  std::vector<DML_BUFFER_BINDING>& buffers = buffers_.emplace_back();
  for (const Part& part : parts) buffers.push_back(part.binding());
  arrays_.push_back({static_cast<UINT>(buffers.size()), buffers.data()});
  descs_.push_back({DML_BINDING_TYPE_BUFFER_ARRAY, &arrays_.back()});
}

}  // namespace weft::testing
