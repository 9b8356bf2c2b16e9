#pragma once

#include <memory>
#include <vector>

#include "dml/compiled_dispatch.h"

namespace weft::dml {

// Initializes compiled operators: one group of inputs and one output (the persistent resource) for
// each, in the order of the targets.
class InitializerDispatch final : public Dispatch {
 public:
  explicit InitializerDispatch(std::vector<std::shared_ptr<const CompiledDispatch>> targets);

  void run(std::span<std::byte* const> slots, DeviceState& state) const noexcept override;

 private:
  std::vector<std::shared_ptr<const CompiledDispatch>> targets_;
};

}  // namespace weft::dml
