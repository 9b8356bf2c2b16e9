#include "dml/command_recorder.h"

#include <memory>
#include <string>

#include "dml/binding_table.h"
#include "dml/refusal.h"
#include "dml/work.h"

namespace weft::dml {

namespace {

// The list to record into; nothing else may go on with an error in it.
com::Ptr<d3d12::IWorkList> work_list(ID3D12CommandList* list, ID3D12Device* device) {
  if (!list) refuse("commandList", "null", "a command list");
  auto work_list = com::query<d3d12::IWorkList>(list);
  if (!work_list)
    refuse("commandList", "not a list of this D3D12", "one of type DIRECT or COMPUTE");
  void* owner = nullptr;
  if (FAILED(list->GetDevice(__uuidof(ID3D12Device), &owner))) owner = nullptr;
  const auto held = com::Ptr<ID3D12Device>::adopt(static_cast<ID3D12Device*>(owner));
  if (held.get() != device) {
    refuse("commandList", "a list of another D3D12 device",
           "one of the DirectML device's D3D12 device");
  }
  const std::string_view fault = work_list->recording_fault();
  if (!fault.empty()) throw com::Failure(E_INVALIDARG, std::string(fault));
  return work_list;
}

}  // namespace

void CommandRecorder::RecordDispatch(ID3D12CommandList* commandList, IDMLDispatchable* dispatchable,
                                     IDMLBindingTable* bindings) {
  act(state(), "IDMLCommandRecorder::RecordDispatch", [&](Trace& trace) {
    record(commandList, dispatchable, bindings);
    trace.detail([&] { return own<DispatchSource>(dispatchable)->dispatch()->name(); });
  });
}

void CommandRecorder::record(ID3D12CommandList* list, IDMLDispatchable* dispatchable,
                             IDMLBindingTable* bindings) {
  const com::Ptr<d3d12::IWorkList> target = work_list(list, device().d3d12_device());
  const auto* source = own<DispatchSource>(dispatchable);
  if (!source || source->device_state() != &state()) {
    refuse_object("dispatchable", dispatchable, source,
                  "a compiled operator or initializer of this device");
  }
  auto* table = own<BindingTable>(bindings);
  if (!table || &table->device() != &device()) {
    refuse_object("bindings", bindings, table, "a binding table of this device");
  }
  if (!table->bound()) refuse("bindings", "a table without a dispatchable", "one for dispatchable");
  const std::shared_ptr<const Dispatch> dispatch = source->dispatch();
  if (table->bound()->dispatch != dispatch) {
    refuse("bindings", "a table for " + table->bound()->dispatch->name(),
           "one for dispatchable, " + dispatch->name(),
           "IDMLBindingTable::Reset makes it one, also after IDMLOperatorInitializer::Reset");
  }
  const DescriptorRange range{&device().descriptors(), table->gpu_descriptors(),
                              table->descriptor_count(), device().descriptor_size_in_bytes()};
  if (range.count != 0 && !target->has_descriptor(range.first)) {
    refuse("bindings", "in a descriptor heap that the list does not have",
           "in one that ID3D12GraphicsCommandList::SetDescriptorHeaps has set");
  }
  if (dispatch->binds_late()) {
    target->record(std::make_shared<LateWork>(device().shared_state(), dispatch, range));
  } else {
    table->check();
    if (range.count != 0 && read_descriptors(range, *dispatch) != table->bound()) {
      refuse("bindings", "changed since its descriptors were copied to GPUDescriptorHandle",
             "copied again: CPU and GPU handle lie in different heaps");
    }
    target->record(std::make_shared<DispatchWork>(device().shared_state(), *table->bound()));
  }
  table->recorded();
}

}  // namespace weft::dml
