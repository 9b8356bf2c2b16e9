#include "dml/device.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "dml/binding_table.h"
#include "dml/command_recorder.h"
#include "dml/compiled_operator.h"
#include "dml/describe.h"
#include "dml/hand_out.h"
#include "dml/operator.h"
#include "dml/operator_initializer.h"
#include "dml/read_graph.h"
#include "dml/read_operator.h"
#include "dml/refusal.h"

namespace weft::dml {

namespace {

constexpr std::uint32_t kAllExecutionFlags = DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION |
                                             DML_EXECUTION_FLAG_DISABLE_META_COMMANDS |
                                             DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;

std::uint32_t checked_flags(const DML_EXECUTION_FLAGS& flags) {
  const std::uint32_t number = raw(flags);
  if ((number & ~kAllExecutionFlags) != 0) {
    refuse("flags", std::to_string(number), "a combination of DML_EXECUTION_FLAGS");
  }
  return number;
}

// The only metacommands that Weft has.
Winograd winograd(std::uint32_t flags) {
  return flags & DML_EXECUTION_FLAG_DISABLE_META_COMMANDS ? Winograd::never : Winograd::accurate;
}

// "flags 4; ", for the trace; empty without any.
std::string flags_text(std::uint32_t flags) {
  return flags == 0 ? "" : "flags " + std::to_string(flags) + "; ";
}

void clear(void** out) noexcept {
  if (out) *out = nullptr;
}

template <class T, class... Arguments>
com::Ptr<T> make(Arguments&&... arguments) {
  return com::Ptr<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace

const GUID Device::kId = {
    0x3f9c51d2, 0x6a0b, 0x4c7e, {0x8d, 0x25, 0x91, 0x4e, 0x07, 0xb3, 0xc8, 0x15}};

Device::Device(ID3D12Device* d3d12_device, com::Ptr<d3d12::IDescriptors> descriptors, bool debug,
               FeatureLevel feature_level)
    : d3d12_device_(com::query<ID3D12Device>(d3d12_device)),
      descriptors_(std::move(descriptors)),
      state_(std::make_shared<DeviceState>(d3d12_device_.get(), debug)),
      descriptor_size_(
          d3d12_device_->GetDescriptorHandleIncrementSize(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV)),
      debug_asked_for_(debug),
      feature_level_(feature_level) {}

Device::~Device() { state_->detach(); }

void* Device::query(REFIID riid) noexcept {
  if (riid == kId) return this;
  if (riid == __uuidof(IDMLDebugDevice) && debug_asked_for_) return &debug_;
  return DmlObject::query(riid);
}

HRESULT Device::Debug::QueryInterface(REFIID riid, void** object) {
  return device_.QueryInterface(riid, object);
}

HRESULT Device::CreateOperator(const DML_OPERATOR_DESC* desc, REFIID riid, void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice::CreateOperator", [&](Trace& trace) {
    trace.detail([&] {
      return desc ? std::string(name(static_cast<OperatorType>(raw(desc->Type)))) : "null";
    });
    OperatorParams params = read_operator(desc);
    trace.detail([&] { return describe(params); });
    check_feature_level(params, feature_level_);
    return hand_out(make<Operator>(*this, std::move(params)), riid, ppv);
  });
}

HRESULT Device::CompileOperator(IDMLOperator* op, DML_EXECUTION_FLAGS flags, REFIID riid,
                                void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice::CompileOperator", [&](Trace& trace) {
    const auto* source = own<Operator>(op);
    if (!source || &source->device() != this) {
      refuse_object("op", op, source, "an operator of this device");
    }
    const std::uint32_t checked = checked_flags(flags);
    const auto compiled = std::make_shared<const CompiledDispatch>(
        std::string(name(type_of(source->params()))),
        std::make_shared<const Executable>(single_node_graph(source->params()), winograd(checked)),
        checked);
    trace.detail([&] {
      return flags_text(checked) + compiled->executable().explain() + "; " +
             describe(compiled->properties());
    });
    return hand_out(make<CompiledOperator>(*this, compiled, com::Ptr<IDMLOperator>(op)), riid, ppv);
  });
}

HRESULT Device::CompileGraph(const DML_GRAPH_DESC* desc, DML_EXECUTION_FLAGS flags, REFIID riid,
                             void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice1::CompileGraph", [&](Trace& trace) {
    const std::uint32_t checked = checked_flags(flags);
    Graph graph = read_graph(desc, *this);
    std::string edges;
    trace.detail([&] { return edges = flags_text(checked) + describe(graph); });
    std::string name = "graph of " + std::to_string(graph.nodes.size()) +
                       (graph.nodes.size() == 1 ? " operator" : " operators");
    const auto compiled = std::make_shared<const CompiledDispatch>(
        std::move(name), std::make_shared<const Executable>(std::move(graph), winograd(checked)),
        checked);
    trace.detail([&] {
      return edges + "; " + compiled->executable().explain() + "; " +
             describe(compiled->properties());
    });
    return hand_out(make<CompiledOperator>(*this, compiled, com::Ptr<IDMLOperator>()), riid, ppv);
  });
}

HRESULT Device::CreateOperatorInitializer(UINT operatorCount,
                                          IDMLCompiledOperator* const* operators, REFIID riid,
                                          void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice::CreateOperatorInitializer", [&](Trace& trace) {
    trace.detail([&] { return std::to_string(operatorCount) + " operators"; });
    return hand_out_required(make<OperatorInitializer>(*this, operatorCount, operators), riid, ppv);
  });
}

HRESULT Device::CreateCommandRecorder(REFIID riid, void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice::CreateCommandRecorder",
                [&](Trace&) { return hand_out_required(make<CommandRecorder>(*this), riid, ppv); });
}

HRESULT Device::CreateBindingTable(const DML_BINDING_TABLE_DESC* desc, REFIID riid, void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice::CreateBindingTable", [&](Trace& trace) {
    const auto table = make<BindingTable>(*this, desc);
    trace.detail([&] {
      return table->bound() ? table->bound()->dispatch->name() : std::string("no dispatchable");
    });
    return hand_out_required(table, riid, ppv);
  });
}

HRESULT Device::GetDeviceRemovedReason() {
  Trace trace("IDMLDevice::GetDeviceRemovedReason");
  const HRESULT reason = state_->reason();
  trace.finish(reason);
  return reason;
}

HRESULT Device::GetParentDevice(REFIID riid, void** ppv) {
  clear(ppv);
  return answer(state(), "IDMLDevice::GetParentDevice",
                [&](Trace&) { return hand_out_required(d3d12_device_, riid, ppv); });
}

}  // namespace weft::dml
