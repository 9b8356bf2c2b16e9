#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dml/graph.h"
#include "weft/plan.h"

namespace weft::dml {

// A compiled graph: plans in the order in which they run, and for every buffer of every plan where
// it lies. Immutable; any number of threads may run one at once, each with its own memory.
//
// At run time there is one pointer for each slot:
//
//   0 .. inputs - 1    the graph's inputs; null for those owned by DirectML and those absent
//   .. + outputs - 1   the graph's outputs
//   the last two       the temporary resource, the persistent resource; null where their size is 0
class Executable {
 public:
  // A graph input or output.
  struct Tensor {
    std::string name;                 // "CONVOLUTION.FilterTensor", for messages
    bool connected = false;           // false: nothing reads it
    bool absent = false;              // an optional tensor that the operator's desc does not have
    bool owned_by_dml = false;        // bound at initialization instead of at execution
    std::uint64_t size_in_bytes = 0;  // TotalTensorSizeInBytes
    std::uint64_t alignment_in_bytes = 0;  // of its offset, where more than the usual is asked for
  };

  // Fuses, plans every node and gives every buffer a place (compiler.cpp). Throws Error.
  explicit Executable(Graph graph, Winograd winograd = Winograd::accurate);
  ~Executable();

  std::span<const Tensor> inputs() const noexcept { return inputs_; }
  std::span<const Tensor> outputs() const noexcept { return outputs_; }
  std::uint64_t temporary_size_in_bytes() const noexcept { return temporary_bytes_; }
  std::uint64_t persistent_size_in_bytes() const noexcept { return persistent_bytes_; }
  std::size_t slot_count() const noexcept { return inputs_.size() + outputs_.size() + 2; }
  // The only input and output may be the same memory.
  bool runs_in_place() const noexcept { return in_place_; }

  // Copies and packs the inputs that DirectML owns into the persistent resource: one pointer an
  // input, null where not owned. Throws nothing that sizes checked before could cause.
  void initialize(std::span<std::byte* const> inputs, std::byte* persistent) const;

  // Allocates nothing, throws nothing. False where a plan refused its buffers.
  bool run(std::span<std::byte* const> slots) const noexcept;

  std::size_t step_count() const noexcept { return steps_.size(); }
  // One line a step, for people.
  std::string explain() const;

 private:
  friend class Compiler;

  // A part of a slot's memory; slot kConstants is memory of the executable's own.
  struct Place {
    std::uint32_t slot = 0;
    std::uint64_t offset_in_bytes = 0;
    std::uint64_t size_in_bytes = 0;  // 0: absent
  };
  static constexpr std::uint32_t kConstants = UINT32_MAX;

  struct Step {
    Plan plan;
    std::array<Place, 3> inputs;
    Place output;
    Place prepared;
    Place workspace;
  };

  // Initialization of a part of the persistent resource.
  struct Pack {
    enum class Kind : std::uint8_t { copy, filter };
    std::uint32_t input;
    std::uint64_t size_in_bytes;
    std::uint64_t persistent_offset_in_bytes;
    Kind kind;
    std::uint32_t step;  // the filter is packed for this one's plan
  };

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };

  Buffer at(const Place& place, std::span<std::byte* const> slots) const noexcept;

  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<Step> steps_;
  std::vector<Pack> packs_;
  std::unique_ptr<std::byte, Free> constants_;
  std::uint64_t temporary_bytes_ = 0;
  std::uint64_t persistent_bytes_ = 0;
  bool in_place_ = false;
};

}  // namespace weft::dml
