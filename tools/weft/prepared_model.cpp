#include "prepared_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "files.h"
#include "text.h"

namespace weft::cli {

namespace {

// DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT.
constexpr std::uint64_t kTensorAlignment = 16;

}  // namespace

PreparedModel::PreparedModel(Model model, const PlanOptions& options) : model_(std::move(model)) {
  load_resources();
  plan_dispatchables(options);
  commands_.resize(model_.commands.size());
  for (std::size_t i = 0; i < model_.commands.size(); ++i) {
    const Command& command = model_.commands[i];
    guard(command.pointer, [&] {
      if (const auto* dispatch = std::get_if<DispatchCommand>(&command.action)) {
        prepare(*dispatch, command, commands_[i].emplace<BoundTensors>());
      } else if (const auto* expect = std::get_if<ExpectCommand>(&command.action)) {
        prepare(*expect, command, commands_[i].emplace<LoadedValues>());
      } else if (const auto* write = std::get_if<WriteFileCommand>(&command.action)) {
        prepare(*write, command);
      }
    });
  }
  if (!model_.problems.empty()) throw BadInput(std::move(model_.problems));
}

void PreparedModel::fail(const std::string& pointer, std::string message) {
  model_.problems.push_back({model_.place(pointer), std::move(message)});
}

template <class Action>
void PreparedModel::guard(const std::string& pointer, const Action& action) try {
  action();
} catch (const std::exception&) {
  for (const Problem& problem : problems_of_exception()) fail(pointer, problem.text());
}

void PreparedModel::load_resources() {
  for (const Resource& resource : model_.resources) {
    LoadedValues& loaded = resources_.emplace_back();
    if (!resource.initial_values) continue;
    guard(resource.pointer, [&] { loaded = load_resource(resource, budget_); });
  }
}

void PreparedModel::plan_dispatchables(const PlanOptions& options) {
  std::uint64_t workspace_bytes = 0;
  for (const Dispatchable& dispatchable : model_.dispatchables) {
    PreparedDispatchable& prepared = dispatchables_.emplace_back();
    if (!dispatchable.params) continue;
    guard(dispatchable.pointer, [&] {
      const auto start = std::chrono::steady_clock::now();
      PlanOptions own = options;
      if (!dispatchable.metacommands) own.winograd = Winograd::never;
      own.prepare_filter = dispatchable.bindings.contains("FilterTensor");
      prepared.plan = plan(*dispatchable.params, own);
      workspace_bytes = std::max(workspace_bytes, prepared.plan->workspace_size_in_bytes());
      initialize(dispatchable, prepared);
      const auto time = std::chrono::steady_clock::now() - start;
      prepared.initialization_ms = std::chrono::duration<double, std::milli>(time).count();
    });
  }
  guard("/dispatchables", [&] { workspace_ = budget_.allocate(workspace_bytes); });
}

void PreparedModel::initialize(const Dispatchable& dispatchable, PreparedDispatchable& prepared) {
  for (const TensorField& tensor : tensor_fields(*dispatchable.params)) {
    if (tensor.is_output) continue;
    Memory& copy = prepared.owned.emplace_back();
    const auto binding = dispatchable.bindings.find(tensor.name);
    if (binding == dispatchable.bindings.end()) continue;
    const auto source = bind(binding->second, *tensor.desc);
    if (!source) continue;
    if (tensor.name == "FilterTensor" && prepared.plan->prepared_size_in_bytes() != 0) {
      prepared.prepared = budget_.allocate(prepared.plan->prepared_size_in_bytes());
      prepared.plan->prepare(*source, prepared.prepared.buffer());
    } else {
      copy = budget_.allocate(source->size_in_bytes);
      std::memcpy(copy.bytes().data(), source->data, source->size_in_bytes);
    }
  }
}

std::optional<Buffer> PreparedModel::bind(const ResourceBinding& binding, const TensorDesc& desc) {
  const LoadedValues& resource = resources_[binding.resource];
  const std::span<std::byte> memory = resource.memory.bytes();
  if (memory.empty()) return std::nullopt;  // the resource's own problem has been recorded
  const std::string name = quote(model_.resources[binding.resource].name);

  const std::uint64_t element = binding.element_size_in_bytes.value_or(byte_size(resource.type));
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(binding.element_offset, element, &offset) || offset >= memory.size()) {
    fail(binding.pointer,
         fmt::format("elementOffset {} is past the end of resource {}: {}", binding.element_offset,
                     name, counted(memory.size(), "byte")));
    return std::nullopt;
  }
  const std::uint64_t left = memory.size() - offset;
  if (!binding.element_count) {
    size = left;
  } else if (__builtin_mul_overflow(*binding.element_count, element, &size) || size > left) {
    fail(binding.pointer,
         fmt::format("elementCount {} reaches past the end of resource {}: {}",
                     *binding.element_count, name, counted(memory.size(), "byte")));
    return std::nullopt;
  }
  const std::uint64_t alignment =
      std::max<std::uint64_t>(kTensorAlignment, desc.guaranteed_base_offset_alignment);
  if (offset % alignment != 0) {
    fail(binding.pointer, fmt::format("starts at byte {}, must be a multiple of {}: the alignment "
                                      "of tensors in a buffer",
                                      offset, alignment));
    return std::nullopt;
  }
  // The last element may end before a multiple of 4; the resource's own end is one.
  size = std::min((size + 3) / 4 * 4, left);
  const std::uint64_t needed =
      std::max(desc.total_size_in_bytes, minimum_size_in_bytes(desc).value_or(0));
  if (size < needed) {
    fail(binding.pointer,
         fmt::format("resource {} has {}{}, must have at least {}: the tensor's "
                     "TotalTensorSizeInBytes",
                     name, counted(size, "byte"), size == memory.size() ? "" : " bound", needed));
    return std::nullopt;
  }
  return Buffer{memory.data() + offset, size};
}

void PreparedModel::prepare(const DispatchCommand& command, const Command& place,
                            BoundTensors& tensors) {
  const PreparedDispatchable& prepared = dispatchables_[command.dispatchable];
  if (!prepared.plan) return;
  bool complete = true;
  for (const TensorField& tensor :
       tensor_fields(*model_.dispatchables[command.dispatchable].params)) {
    Buffer buffer;
    if (const auto binding = command.bindings.find(tensor.name);
        binding != command.bindings.end()) {
      const auto bound = bind(binding->second, *tensor.desc);
      complete = complete && bound;
      buffer = bound.value_or(Buffer{});
    } else if (tensor.desc != nullptr && !tensor.is_output) {
      buffer = prepared.owned[tensors.inputs.size()].buffer();
    }
    if (tensor.is_output) {
      tensors.outputs.push_back(buffer);
    } else {
      tensors.inputs.push_back(buffer);
    }
  }
  tensors.prepared = prepared.prepared.buffer();
  if (!complete || !model_.problems.empty()) return;
  guard(place.pointer + "/bindings",
        [&] { prepared.plan->check(tensors.bindings(), workspace_.buffer()); });
}

void PreparedModel::prepare(const WriteFileCommand& command, const Command& place) {
  guard(place.pointer + "/targetPath", [&] { check_output(command.path); });
  const LoadedValues& resource = resources_[command.resource];
  if (resource.memory.bytes().empty()) return;
  const auto count = element_count(command.dimensions);
  if (!command.dimensions.empty() && count != resource.element_count) {
    fail(place.pointer + "/dimensions",
         fmt::format("is {}, must have {}: those of resource {}", shape_text(command.dimensions),
                     counted(resource.element_count, "element"),
                     quote(model_.resources[command.resource].name)));
  }
}

void PreparedModel::prepare(const ExpectCommand& command, const Command& place,
                            LoadedValues& expected) {
  const LoadedValues& resource = resources_[command.resource];
  if (resource.memory.bytes().empty()) return;
  const std::string name = quote(model_.resources[command.resource].name);
  expected = load_values(command.values, budget_);
  if (expected.type != resource.type) {
    fail(place.pointer, fmt::format("has values of {}, must have {}: the type of resource {}",
                                    weft::name(expected.type), weft::name(resource.type), name));
  } else if (expected.element_count != resource.element_count) {
    fail(place.pointer,
         fmt::format("has {}, must have {}: those of resource {}",
                     counted(expected.element_count, "value"), resource.element_count, name));
  }
}

}  // namespace weft::cli
