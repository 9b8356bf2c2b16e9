#pragma once

#include <memory>

#include "com/ptr.h"
#include "dml/compiled_dispatch.h"
#include "dml/device_child.h"

namespace weft::dml {

// IDMLCompiledOperator, of an operator (which it holds) or of a graph.
class CompiledOperator final
    : public DeviceChild<IDMLCompiledOperator, IDMLDispatchable, IDMLPageable>,
      public DispatchSource {
 public:
  static const GUID kId;

  CompiledOperator(Device& device, std::shared_ptr<const CompiledDispatch> compiled,
                   com::Ptr<IDMLOperator> compiled_from)
      : DeviceChild(device),
        compiled_(std::move(compiled)),
        compiled_from_(std::move(compiled_from)) {}

  const std::shared_ptr<const CompiledDispatch>& compiled() const noexcept { return compiled_; }

  DML_BINDING_PROPERTIES GetBindingProperties() override { return compiled_->traced_properties(); }

  std::shared_ptr<const Dispatch> dispatch() const noexcept override { return compiled_; }
  const DeviceState* device_state() const noexcept override { return &state(); }

 private:
  ~CompiledOperator() override { compiled_->set_released(); }

  void* query(REFIID riid) noexcept override;
  void named(const std::string& name) override { compiled_->set_label(name); }

  std::shared_ptr<const CompiledDispatch> compiled_;
  com::Ptr<IDMLOperator> compiled_from_;
};

}  // namespace weft::dml
