#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/plan.h"

namespace weft::ops {

// What run() gets once its buffers have been checked: one pointer a tensor, null where absent.
struct RunArguments {
  const void* const* inputs;
  void* const* outputs;
  const void* prepared;  // null: pack the weights into the workspace
  std::byte* workspace;
};

// The inside of a Plan: what each operator derives from. Immutable once made.
class PlanBody {
 public:
  PlanBody() = default;
  PlanBody(const PlanBody&) = delete;
  PlanBody& operator=(const PlanBody&) = delete;
  virtual ~PlanBody() = default;

  virtual void run(const RunArguments& arguments) const noexcept = 0;

  // Packs a filter; only where prepared_size_in_bytes is not 0.
  virtual void prepare(const void* /*filter*/, void* /*prepared*/) const noexcept {}

  OperatorType type = OperatorType::element_wise_identity;
  std::string_view algorithm;  // static storage
  std::string explanation;     // tiles and memory, for people
  std::vector<std::optional<TensorDesc>> inputs;
  std::vector<std::optional<TensorDesc>> outputs;
  std::uint64_t workspace_size_in_bytes = 0;
  std::uint64_t prepared_size_in_bytes = 0;
  bool in_place = false;  // input and output may be the same memory in the same layout
};

// Threads for a plan: what was asked for, or all, but never more than there are tiles.
unsigned slot_count(const PlanOptions& options, std::int64_t tiles);

// The same for a plan that does little but read `input` and write `output`. Unless told otherwise,
// it uses fewer threads where all is over before another has come.
unsigned moving_slot_count(const PlanOptions& options, std::int64_t tiles, const TensorDesc& input,
                           const TensorDesc& output);

// "1 thread", "4 threads": what explanations end with.
std::string threads_text(unsigned slots);

}  // namespace weft::ops
