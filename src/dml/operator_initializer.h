#pragma once

#include <memory>
#include <mutex>

#include "dml/device_child.h"
#include "dml/initializer_dispatch.h"

namespace weft::dml {

// IDMLOperatorInitializer. Holds what its targets compute, not the targets.
class OperatorInitializer final
    : public DeviceChild<IDMLOperatorInitializer, IDMLDispatchable, IDMLPageable>,
      public DispatchSource {
 public:
  // Throws com::Failure.
  OperatorInitializer(Device& device, UINT operator_count, IDMLCompiledOperator* const* operators);

  DML_BINDING_PROPERTIES GetBindingProperties() override { return dispatch()->traced_properties(); }
  HRESULT Reset(UINT operatorCount, IDMLCompiledOperator* const* operators) override;

  std::shared_ptr<const Dispatch> dispatch() const noexcept override;
  const DeviceState* device_state() const noexcept override { return &state(); }

 private:
  ~OperatorInitializer() override { dispatch_->set_released(); }

  void* query(REFIID riid) noexcept override;

  mutable std::mutex mutex_;
  std::shared_ptr<const InitializerDispatch> dispatch_;
};

}  // namespace weft::dml
