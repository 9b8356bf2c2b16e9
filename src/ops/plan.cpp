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

// A range of addresses. Sizes are the caller's word, so begin + size may lie past the end of
// memory.
struct Range {
  std::uintptr_t begin;
  std::uint64_t size;
  Range(const void* data, std::uint64_t size_in_bytes)
      : begin(reinterpret_cast<std::uintptr_t>(data)), size(size_in_bytes) {}
  bool overlaps(const Range& other) const {
    if (size == 0 || other.size == 0) return false;
    return begin < other.begin ? other.begin - begin < size : begin - other.begin < other.size;
  }
};

// Operators have at most three inputs and one output.
constexpr const char* kInputNames[] = {"InputTensor", "FilterTensor", "BiasTensor"};
constexpr const char* kOutputName = "OutputTensor";

// Bytes that have to be there: the addressed extent, not its rounding up to a multiple of 4, so
// that an array of five bytes can be bound as it is.
std::uint64_t required_bytes(const TensorDesc& desc) {
  if (desc.total_size_in_bytes != 0) return desc.total_size_in_bytes;
  return *ops::extent_in_elements(desc) * byte_size(desc.data_type);
}

// Collects what is wrong with buffers, or, without a list, only whether something is: run() takes
// the second way, which allocates nothing.
class BindingCheck {
 public:
  BindingCheck(const PlanBody& body, std::vector<Violation>* list) : body_(body), list_(list) {}

  bool ok() const { return ok_; }

  template <class Text>
  void fail(const char* field, const Text& text) {
    ok_ = false;
    if (list_ == nullptr) return;
    const std::array<std::string, 3> parts = text();
    list_->push_back(
        {std::string(name(body_.type)), field, std::nullopt, parts[0], parts[1], parts[2]});
  }

  bool count(const char* field, std::size_t have, std::size_t want) {
    if (have == want) return true;
    fail(field, [&] {
      const auto text = [](std::size_t n) {
        return std::to_string(n) + (n == 1 ? " binding" : " bindings");
      };
      return Parts{text(have), "one for each tensor of the operator, absent ones too", text(want)};
    });
    return false;
  }

  void tensor(const char* field, const TensorDesc& desc, const void* data, std::uint64_t size) {
    if (data == nullptr) {
      return fail(field, [] { return Parts{"null", "the tensor is not optional", "a buffer"}; });
    }
    const std::uint64_t needed = required_bytes(desc);
    if (size < needed) {
      fail(field, [&] {
        return Parts{std::to_string(size) + " bytes", "the tensor's extent",
                     "at least " + std::to_string(needed)};
      });
    }
    aligned(field, data, byte_size(desc.data_type), "elements are read whole");
  }

  void memory(const char* field, const void* data, std::uint64_t size, std::uint64_t needed) {
    if (needed == 0) return;
    if (data == nullptr || size < needed) {
      return fail(field, [&] {
        return Parts{std::to_string(data == nullptr ? 0 : size) + " bytes",
                     "what the plan asks for", "at least " + std::to_string(needed)};
      });
    }
    aligned(field, data, base::kWorkspaceAlignment, "kernels use aligned vectors");
  }

  void apart(const char* field, const Range& range, const char* other_field, const Range& other) {
    if (!range.overlaps(other)) return;
    fail(field, [&] {
      return Parts{"overlapping", std::string(other_field) + " lies there too",
                   "memory of its own"};
    });
  }

 private:
  using Parts = std::array<std::string, 3>;

  void aligned(const char* field, const void* data, std::uint64_t alignment, const char* rule) {
    if (reinterpret_cast<std::uintptr_t>(data) % alignment == 0) return;
    fail(field, [&] {
      return Parts{"misaligned", rule, "aligned to " + std::to_string(alignment)};
    });
  }

  const PlanBody& body_;
  std::vector<Violation>* list_;
  bool ok_ = true;
};

bool check_bindings(const PlanBody& body, const Bindings& bindings, Buffer workspace,
                    std::vector<Violation>* list) {
  BindingCheck check(body, list);
  if (!check.count("Inputs", bindings.inputs.size(), body.inputs.size()) ||
      !check.count("Outputs", bindings.outputs.size(), body.outputs.size())) {
    return false;
  }
  const bool prepared = body.prepared_size_in_bytes != 0;
  const auto is_read = [&](std::size_t i) { return body.inputs[i] && !(prepared && i == 1); };
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    if (!is_read(i)) continue;
    check.tensor(kInputNames[i], *body.inputs[i], bindings.inputs[i].data,
                 bindings.inputs[i].size_in_bytes);
  }
  const TensorDesc& output = *body.outputs[0];
  check.tensor(kOutputName, output, bindings.outputs[0].data, bindings.outputs[0].size_in_bytes);
  check.memory("Prepared", bindings.prepared.data, bindings.prepared.size_in_bytes,
               body.prepared_size_in_bytes);
  check.memory("Workspace", workspace.data, workspace.size_in_bytes, body.workspace_size_in_bytes);
  if (!check.ok()) return false;

  const Range written(bindings.outputs[0].data, required_bytes(output));
  const Range scratch(workspace.data, body.workspace_size_in_bytes);
  const Range weights(bindings.prepared.data, body.prepared_size_in_bytes);
  check.apart(kOutputName, written, "Workspace", scratch);
  check.apart(kOutputName, written, "Prepared", weights);
  check.apart("Workspace", scratch, "Prepared", weights);
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    if (!is_read(i)) continue;
    const TensorDesc& input = *body.inputs[i];
    const Range read(bindings.inputs[i].data, required_bytes(input));
    const bool in_place = body.in_place && read.begin == written.begin &&
                          input.data_type == output.data_type && ops::same_layout(input, output);
    if (!in_place) check.apart(kOutputName, written, kInputNames[i], read);
    check.apart("Workspace", scratch, kInputNames[i], read);
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
  std::vector<Violation> violations;
  BindingCheck check(*body_, &violations);
  if (body_->prepared_size_in_bytes == 0) {
    check.fail("Prepared", [] {
      return std::array<std::string, 3>{"not used", "the plan packs no weights ahead",
                                        "asked for with PlanOptions::prepare_filter"};
    });
    throw Error(ErrorCode::invalid_argument, std::move(violations));
  }
  const TensorDesc& desc = *body_->inputs[1];
  check.tensor(kInputNames[1], desc, filter.data, filter.size_in_bytes);
  check.memory("Prepared", prepared.data, prepared.size_in_bytes, body_->prepared_size_in_bytes);
  if (check.ok()) {
    check.apart("Prepared", {prepared.data, body_->prepared_size_in_bytes}, kInputNames[1],
                {filter.data, required_bytes(desc)});
  }
  if (!check.ok()) throw Error(ErrorCode::invalid_argument, std::move(violations));
  const base::DefaultFloatMode mode;
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
  const base::DefaultFloatMode mode;
  std::array<const void*, std::size(kInputNames)> inputs{};
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

unsigned slot_count(const PlanOptions& options, std::int64_t tiles) {
  // More slots than this would only spread scratch memory over the caches.
  constexpr std::int64_t kMaxSlots = 1024;
  const std::int64_t wanted = options.threads != 0 ? options.threads : base::thread_count();
  const std::int64_t count = std::clamp<std::int64_t>(std::min(wanted, tiles), 1, kMaxSlots);
  if (count > 1) base::start_threads();
  return static_cast<unsigned>(count);
}

unsigned moving_slot_count(const PlanOptions& options, std::int64_t tiles, const TensorDesc& input,
                           const TensorDesc& output) {
  constexpr std::uint64_t kBytesAThread = std::uint64_t{128} << 10;  // 5 us
  const auto bytes = [](const TensorDesc& desc) {
    return element_count(desc.sizes).value_or(0) * byte_size(desc.data_type);
  };
  const std::uint64_t worth = (bytes(input) + bytes(output)) / kBytesAThread;
  if (options.threads == 0 && worth < base::thread_count()) {
    tiles = std::min(tiles, static_cast<std::int64_t>(worth));
  }
  return slot_count(options, tiles);
}

std::string threads_text(unsigned slots) {
  return std::to_string(slots) + (slots == 1 ? " thread" : " threads");
}

}  // namespace ops
}  // namespace weft
