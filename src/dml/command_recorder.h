#pragma once

#include "dml/device_child.h"

namespace weft::dml {

// IDMLCommandRecorder. Stateless, so that any number of threads may record, each into a list of its
// own.
class CommandRecorder final : public DeviceChild<IDMLCommandRecorder> {
 public:
  explicit CommandRecorder(Device& device) : DeviceChild(device) {}

  void RecordDispatch(ID3D12CommandList* commandList, IDMLDispatchable* dispatchable,
                      IDMLBindingTable* bindings) override;

 private:
  void record(ID3D12CommandList* list, IDMLDispatchable* dispatchable, IDMLBindingTable* bindings);
};

}  // namespace weft::dml
