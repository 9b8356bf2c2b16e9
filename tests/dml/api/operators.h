#pragma once

#include <memory>
#include <vector>

#include "machine.h"

namespace weft::testing {

// A DML_TENSOR_DESC with what it points at. Change fields through `buffer`.
class Tensor {
 public:
  explicit Tensor(std::vector<UINT> sizes, DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE,
                  DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_FLOAT32);
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  const DML_TENSOR_DESC* operator&() const { return &desc; }

  std::vector<UINT> sizes;
  DML_BUFFER_TENSOR_DESC buffer = {};
  DML_TENSOR_DESC desc = {};
};

// CONVOLUTION of a 1x1x3x3 input with a 1x1x2x2 filter, as a desc to be changed.
//   input 1 .. 9 and filter 0.5 everywhere give 6 8 12 14
struct ConvolutionDesc {
  explicit ConvolutionDesc(DML_TENSOR_FLAGS filter_flags = DML_TENSOR_FLAG_NONE);
  DML_OPERATOR_DESC operator_desc() const { return {DML_OPERATOR_CONVOLUTION, &desc}; }

  Tensor input{{1, 1, 3, 3}};
  Tensor filter;
  Tensor output{{1, 1, 2, 2}};
  UINT ones[2] = {1, 1};
  UINT zeros[2] = {0, 0};
  DML_CONVOLUTION_OPERATOR_DESC desc = {};
};

// ACTIVATION_RELU over `count` floats.
struct ReluDesc {
  explicit ReluDesc(UINT count, DML_TENSOR_FLAGS input_flags = DML_TENSOR_FLAG_NONE);
  DML_OPERATOR_DESC operator_desc() const { return {DML_OPERATOR_ACTIVATION_RELU, &desc}; }

  Tensor input;
  Tensor output;
  DML_ACTIVATION_RELU_OPERATOR_DESC desc = {};
};

ComPtr<IDMLOperator> create(Machine& machine, const DML_OPERATOR_DESC& desc);
ComPtr<IDMLCompiledOperator> compile(Machine& machine, const DML_OPERATOR_DESC& desc,
                                     DML_EXECUTION_FLAGS flags = DML_EXECUTION_FLAG_NONE);

// A DML_BINDING_DESC of one buffer, or of none.
class Binding {
 public:
  Binding() = default;
  Binding(ID3D12Resource* resource, std::uint64_t offset, std::uint64_t size);
  explicit Binding(const ComPtr<ID3D12Resource>& resource);

  DML_BINDING_DESC desc() const;

  DML_BUFFER_BINDING buffer = {};
  bool is_bound = false;
};

// A binding table of its own range of descriptors.
ComPtr<IDMLBindingTable> table_for(Machine& machine, IDMLDispatchable* dispatchable);

void bind_inputs(IDMLBindingTable* table, const std::vector<Binding>& bindings);
void bind_outputs(IDMLBindingTable* table, const std::vector<Binding>& bindings);

// Initializes one compiled operator, whose owned inputs are given in order (others unbound), with
// its persistent resource; executes at once.
void initialize(Machine& machine, IDMLCompiledOperator* compiled,
                const std::vector<Binding>& inputs = {}, ID3D12Resource* persistent = nullptr);

// A table with everything bound, temporary and persistent resource too.
struct BoundTable {
  ComPtr<IDMLBindingTable> table;
  ComPtr<ID3D12Resource> temporary;
};
BoundTable bind_all(Machine& machine, IDMLCompiledOperator* compiled,
                    const std::vector<Binding>& inputs, const std::vector<Binding>& outputs,
                    ID3D12Resource* persistent = nullptr);

// The persistent resource that a compiled operator asks for; null for none.
ComPtr<ID3D12Resource> persistent_for(Machine& machine, IDMLCompiledOperator* compiled);

}  // namespace weft::testing
