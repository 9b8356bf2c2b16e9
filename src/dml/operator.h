#pragma once

#include "dml/device_child.h"
#include "weft/operator.h"

namespace weft::dml {

// IDMLOperator: a checked description, nothing more.
class Operator final : public DeviceChild<IDMLOperator> {
 public:
  static const GUID kId;

  Operator(Device& device, OperatorParams params)
      : DeviceChild(device), params_(std::move(params)) {}

  const OperatorParams& params() const noexcept { return params_; }

 private:
  void* query(REFIID riid) noexcept override {
    return riid == kId ? this : DeviceChild::query(riid);
  }

  const OperatorParams params_;
};

}  // namespace weft::dml
