#include "weft/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/aligned_memory.h"
#include "base/parallel.h"
#include "ops/layout.h"
#include "ops/plan_body.h"

namespace weft {

namespace {

using ops::PlanBody;

// A half-open range of addresses.
struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
  Range(const void* data, std::uint64_t size)
      : begin(reinterpret_cast<std::uintptr_t>(data)), end(begin + size) {}
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Range&) const = default;
};

// Bytes that have to be there: the addressed extent, not its rounding up to a multiple of 4, so
// that an array of five bytes can be bound as it is.
std::uint64_t required_bytes(const TensorDesc& desc) {
  if (desc.total_size_in_bytes != 0) return desc.total_size_in_bytes;
  std::uint64_t last = 0;
  std::uint64_t packed = 1;
  for (std::size_t d = desc.sizes.size(); d-- > 0;) {
    last += std::uint64_t{desc.sizes[d] - 1} * (desc.strides.empty() ? packed : desc.strides[d]);
    packed *= desc.sizes[d];
  }
  return (last + 1) * byte_size(desc.data_type);
}

// Collects what is wrong with buffers, or, without a list, only whether something is: run() takes
// the second way, which allocates nothing.
class BindingCheck {
 public:
  BindingCheck(const PlanBody& body, std::vector<Violation>* list) : body_(body), list_(list) {}

  bool ok() const { return ok_; }

  template <class Text>
  void fail(const char* field, std::size_t index, const Text& text) {
    ok_ = false;
    if (list_ == nullptr) return;
    const std::array<std::string, 3> parts = text();
    list_->push_back({std::string(name(body_.type)), field, index, parts[0], parts[1], parts[2]});
  }

  void tensor(const char* field, std::size_t i, const TensorDesc& desc, const void* data,
              std::uint64_t size) {
    using Parts = std::array<std::string, 3>;
    if (data == nullptr) {
      return fail(field, i, [] { return Parts{"null", "the tensor is not optional", "a buffer"}; });
    }
    const std::uint64_t needed = required_bytes(desc);
    if (size < needed) {
      fail(field, i, [&] {
        return Parts{std::to_string(size) + " bytes", "the tensor's extent",
                     "at least " + std::to_string(needed)};
      });
    }
    const unsigned alignment = byte_size(desc.data_type);
    if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
      fail(field, i, [&] {
        return Parts{"misaligned", "elements are read whole",
                     "aligned to " + std::to_string(alignment)};
      });
    }
  }

  void memory(const char* field, const void* data, std::uint64_t size, std::uint64_t needed) {
    using Parts = std::array<std::string, 3>;
    if (needed == 0) return;
    if (data == nullptr || size < needed) {
      return fail(field, 0, [&] {
        return Parts{std::to_string(data == nullptr ? 0 : size) + " bytes",
                     "what the plan asks for", "at least " + std::to_string(needed)};
      });
    }
    if (reinterpret_cast<std::uintptr_t>(data) % base::kWorkspaceAlignment != 0) {
      fail(field, 0, [] {
        return Parts{"misaligned", "kernels use aligned vectors",
                     "aligned to " + std::to_string(base::kWorkspaceAlignment)};
      });
    }
  }

  void no_overlap(const char* field, std::size_t i, bool overlaps, const char* rule) {
    if (!overlaps) return;
    fail(field, i, [&] {
      return std::array<std::string, 3>{"overlapping", rule, "memory of its own"};
    });
  }

 private:
  const PlanBody& body_;
  std::vector<Violation>* list_;
  bool ok_ = true;
};

bool check_bindings(const PlanBody& body, const Bindings& bindings, Buffer workspace,
                    std::vector<Violation>* list) {
  BindingCheck check(body, list);
  const auto count = [&](const char* field, std::size_t have, std::size_t want) {
    if (have == want) return true;
    check.fail(field, have, [&] {
      return std::array<std::string, 3>{"missing or extra", "one binding a tensor of the operator",
                                        std::to_string(want) + " bindings"};
    });
    return false;
  };
  if (!count("Inputs", bindings.inputs.size(), body.inputs.size()) ||
      !count("Outputs", bindings.outputs.size(), body.outputs.size())) {
    return false;
  }
  const bool prepared = body.prepared_size_in_bytes != 0;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    if (!body.inputs[i] || (prepared && i == 1)) continue;
    check.tensor("Inputs", i, *body.inputs[i], bindings.inputs[i].data,
                 bindings.inputs[i].size_in_bytes);
  }
  for (std::size_t i = 0; i < body.outputs.size(); ++i) {
    check.tensor("Outputs", i, *body.outputs[i], bindings.outputs[i].data,
                 bindings.outputs[i].size_in_bytes);
  }
  check.memory("Prepared", bindings.prepared.data, bindings.prepared.size_in_bytes,
               body.prepared_size_in_bytes);
  check.memory("Workspace", workspace.data, workspace.size_in_bytes, body.workspace_size_in_bytes);
  if (!check.ok()) return false;

  const Range scratch(workspace.data, body.workspace_size_in_bytes);
  for (std::size_t o = 0; o < body.outputs.size(); ++o) {
    const Range written(bindings.outputs[o].data, required_bytes(*body.outputs[o]));
    check.no_overlap("Outputs", o, written.overlaps(scratch), "the workspace overlaps it");
    check.no_overlap("Outputs", o,
                     written.overlaps(Range(bindings.prepared.data, body.prepared_size_in_bytes)),
                     "the prepared weights overlap it");
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
      if (!body.inputs[i] || (prepared && i == 1)) continue;
      const Range read(bindings.inputs[i].data, required_bytes(*body.inputs[i]));
      const bool same =
          body.in_place && read.begin == written.begin &&
          body.inputs[i]->data_type == body.outputs[o]->data_type &&
          ops::layout_of(*body.inputs[i]).strides == ops::layout_of(*body.outputs[o]).strides;
      check.no_overlap("Outputs", o, !same && written.overlaps(read), "an input overlaps it");
      check.no_overlap("Inputs", i, scratch.overlaps(read), "the workspace overlaps it");
    }
  }
  return check.ok();
}

}  // namespace

Plan::Plan(std::shared_ptr<const PlanBody> body) : body_(std::move(body)) {}
Plan::~Plan() = default;
Plan::Plan(const Plan&) = default;
Plan& Plan::operator=(const Plan&) = default;

OperatorType Plan::type() const noexcept { return body_->type; }
std::string_view Plan::algorithm() const noexcept { return body_->algorithm; }

std::string Plan::explain() const {
  std::string text(name(body_->type));
  text.append(": ").append(body_->algorithm);
  if (!body_->explanation.empty()) text.append(", ").append(body_->explanation);
  text.append(", workspace ").append(std::to_string(body_->workspace_size_in_bytes));
  text.append(" bytes");
  if (body_->prepared_size_in_bytes != 0) {
    text.append(", prepared weights ").append(std::to_string(body_->prepared_size_in_bytes));
    text.append(" bytes");
  }
  return text;
}

std::span<const std::optional<TensorDesc>> Plan::inputs() const noexcept { return body_->inputs; }
std::span<const std::optional<TensorDesc>> Plan::outputs() const noexcept { return body_->outputs; }

std::uint64_t Plan::workspace_size_in_bytes() const noexcept {
  return body_->workspace_size_in_bytes;
}
std::uint64_t Plan::prepared_size_in_bytes() const noexcept {
  return body_->prepared_size_in_bytes;
}

void Plan::prepare(ConstBuffer filter, Buffer prepared) const {
  if (body_->prepared_size_in_bytes == 0) return;
  std::vector<Violation> violations;
  BindingCheck check(*body_, &violations);
  check.tensor("Inputs", 1, *body_->inputs[1], filter.data, filter.size_in_bytes);
  check.memory("Prepared", prepared.data, prepared.size_in_bytes, body_->prepared_size_in_bytes);
  if (check.ok()) {
    const Range read(filter.data, required_bytes(*body_->inputs[1]));
    check.no_overlap("Prepared", 0, read.overlaps({prepared.data, body_->prepared_size_in_bytes}),
                     "the filter overlaps it");
  }
  if (!check.ok()) throw Error(ErrorCode::invalid_argument, std::move(violations));
  body_->prepare(filter.data, prepared.data);
}

void Plan::check(const Bindings& bindings, Buffer workspace) const {
  std::vector<Violation> violations;
  if (!check_bindings(*body_, bindings, workspace, &violations)) {
    throw Error(ErrorCode::invalid_argument, std::move(violations));
  }
}

ErrorCode Plan::run(const Bindings& bindings, Buffer workspace) const noexcept {
  if (!check_bindings(*body_, bindings, workspace, nullptr)) return ErrorCode::invalid_argument;
  // Operators have at most three inputs and one output.
  std::array<const void*, 3> inputs{};
  std::array<void*, 1> outputs{};
  for (std::size_t i = 0; i < body_->inputs.size(); ++i) {
    inputs[i] = body_->inputs[i] ? bindings.inputs[i].data : nullptr;
  }
  for (std::size_t i = 0; i < body_->outputs.size(); ++i) outputs[i] = bindings.outputs[i].data;
  body_->run({inputs.data(), outputs.data(), bindings.prepared.data,
              static_cast<std::byte*>(workspace.data)});
  return ErrorCode::ok;
}

void Plan::run(const Bindings& bindings) const {
  const base::AlignedMemory workspace(body_->workspace_size_in_bytes);
  check(bindings, workspace.buffer());
  run(bindings, workspace.buffer());
}

namespace ops {

unsigned slot_count(const PlanOptions& options, std::int64_t tiles) noexcept {
  // More slots than this would only spread scratch memory over the caches.
  constexpr std::int64_t kMaxSlots = 1024;
  const std::int64_t wanted = options.threads != 0 ? options.threads : base::thread_count();
  return static_cast<unsigned>(std::clamp<std::int64_t>(std::min(wanted, tiles), 1, kMaxSlots));
}

}  // namespace ops
}  // namespace weft
