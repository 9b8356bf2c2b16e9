#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "operators.h"

namespace weft::testing {

// A relu and a convolution with an owned filter, initialized, with tables and buffers: each case
// does one thing wrong with it.
struct Scene {
  explicit Scene(Machine& made) : m(made) {
    relu = compile(m, ReluDesc(4).operator_desc());
    initialize(m, relu.Get());
    convolution = compile(m, ConvolutionDesc(DML_TENSOR_FLAG_OWNED_BY_DML).operator_desc());
    persistent = persistent_for(m, convolution.Get());
    big = m.buffer(4096);
    other = m.buffer(4096);
    initialize(m, convolution.Get(), {{}, Binding(big.Get(), 0, 16), {}}, persistent.Get());
    temporary_size = convolution->GetBindingProperties().TemporaryResourceSize;
    temporary = m.buffer(temporary_size);
    relu_table = table_for(m, relu.Get());
    convolution_table = table_for(m, convolution.Get());
  }

  Binding part(std::uint64_t offset, std::uint64_t size) const {
    return Binding(big.Get(), offset, size);
  }
  Binding elsewhere(std::uint64_t offset, std::uint64_t size) const {
    return Binding(other.Get(), offset, size);
  }

  void bind_relu() const {
    bind_inputs(relu_table.Get(), {part(0, 16)});
    bind_outputs(relu_table.Get(), {elsewhere(0, 16)});
  }
  void record(IDMLDispatchable* dispatchable, IDMLBindingTable* table) const {
    m.recorder->RecordDispatch(m.list.Get(), dispatchable, table);
  }
  void bind_temporary(const Binding& binding) const {
    const DML_BINDING_DESC desc = binding.desc();
    convolution_table->BindTemporaryResource(&desc);
  }
  void bind_persistent(const Binding& binding) const {
    const DML_BINDING_DESC desc = binding.desc();
    convolution_table->BindPersistentResource(&desc);
  }

  Machine& m;
  ComPtr<IDMLCompiledOperator> relu;
  ComPtr<IDMLCompiledOperator> convolution;
  ComPtr<ID3D12Resource> persistent;
  ComPtr<ID3D12Resource> temporary;
  ComPtr<ID3D12Resource> big;
  ComPtr<ID3D12Resource> other;
  ComPtr<IDMLBindingTable> relu_table;
  ComPtr<IDMLBindingTable> convolution_table;
  std::uint64_t temporary_size = 0;
};

struct Removal {
  const char* name;
  const char* message;
  std::function<void(Scene&)> act;
};

inline void PrintTo(const Removal& removal, std::ostream* out) { *out << removal.name; }

class Removals : public MachineTest, public ::testing::WithParamInterface<Removal> {};

}  // namespace weft::testing
