#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weft/error.h"
#include "weft/export.h"
#include "weft/isa.h"
#include "weft/operator_type.h"
#include "weft/tensor.h"

namespace weft {

// Whether a convolution may use Winograd's algorithm, which takes fewer products for windows of
// several taps, and rounds at other places.
enum class Winograd {
  never,
  accurate,  // where an output's error stays below that of one chain of multiply-adds
  allowed    // wherever it is faster; the root mean square error may be twice that of a chain
};

struct PlanOptions {
  // Most threads one run may use; 0: default_thread_count(). Each has workspace of its own, so
  // more threads than cores only take more memory. At most 1024 count.
  unsigned threads = 0;
  std::optional<Isa> max_isa = {};  // caps the instruction set, as WEFT_MAX_ISA does
  // CONVOLUTION: the same bits on every CPU, as WEFT_DETERMINISM=strict asks for: each sum is one
  // chain of fused multiply-adds, in the order input channel, then depth, height and width of the
  // window. Other operators give the same bits everywhere as they are. Slower, much so on a CPU
  // without fused multiply-add.
  bool strict = false;
  Winograd winograd = Winograd::accurate;
  bool prepare_filter = false;  // CONVOLUTION: pack the filter once with prepare(), not at each run
};

// The tensors of one run, in the order of the tensor members of the DirectML desc
// (CONVOLUTION: input, filter, bias; the bias is an empty buffer when the params have none).
struct Bindings {
  std::span<const ConstBuffer> inputs;
  std::span<const Buffer> outputs;
  ConstBuffer prepared = {};  // what prepare() wrote; the filter's own buffer is then not read
};

namespace ops {
class PlanBody;
}

// An operator ready to run: shapes checked, algorithm, instruction set and tiles chosen.
// Immutable and cheap to copy; any number of threads may run one plan at once, each with its own
// workspace. Made by plan(params, options).
//
// Example:
//
//   weft::ConvolutionParams params{.input = {.sizes = {1, 8, 32, 32}},
//                                  .filter = {.sizes = {16, 8, 3, 3}}};
//   params.output.sizes = weft::output_sizes(params);  // 1x16x30x30
//   const weft::Plan plan = weft::plan(params, {.prepare_filter = true});
//
//   // Once: pack the filter.
//   const auto allocate = [](std::uint64_t size) {
//     return weft::Buffer{std::aligned_alloc(256, (size + 255) / 256 * 256), size};
//   };
//   const std::vector<float> filter(16 * 8 * 3 * 3, 0.5f);
//   const weft::Buffer prepared = allocate(plan.prepared_size_in_bytes());
//   plan.prepare({filter.data(), filter.size() * sizeof(float)}, prepared);
//
//   // As often as there are images, from any number of threads, each with a workspace of its own.
//   const std::vector<float> image(1 * 8 * 32 * 32, 1.0f);
//   const auto run = [&](std::vector<float>& result) {
//     const weft::Buffer workspace = allocate(plan.workspace_size_in_bytes());
//     const weft::ConstBuffer inputs[] = {{image.data(), image.size() * sizeof(float)}, {}, {}};
//     const weft::Buffer outputs[] = {{result.data(), result.size() * sizeof(float)}};
//     plan.run({.inputs = inputs, .outputs = outputs, .prepared = prepared}, workspace);
//     std::free(workspace.data);
//   };
//   std::vector<float> first(16 * 30 * 30), second(16 * 30 * 30);
//   std::thread other(run, std::ref(first));
//   run(second);
//   other.join();
//   std::free(prepared.data);
class WEFT_API Plan {
 public:
  explicit Plan(std::shared_ptr<const ops::PlanBody> body);
  ~Plan();
  Plan(const Plan&);
  Plan& operator=(const Plan&);

  OperatorType type() const noexcept;

  // Algorithm, instruction set, tiles and memory in one line, for people.
  std::string explain() const;

  // The kernel algorithm: "gemm_f32_avx2"; stable enough to print, not to parse.
  std::string_view algorithm() const noexcept;

  // Tensors that run() takes; an absent optional one has no desc.
  std::span<const std::optional<TensorDesc>> inputs() const noexcept;
  std::span<const std::optional<TensorDesc>> outputs() const noexcept;

  // Scratch memory for one run, 256-byte aligned. The result never depends on what is in it.
  std::uint64_t workspace_size_in_bytes() const noexcept;

  // Packed weights; 0 unless PlanOptions::prepare_filter asked for them. 256-byte aligned.
  std::uint64_t prepared_size_in_bytes() const noexcept;
  void prepare(ConstBuffer filter, Buffer prepared) const;  // throws Error

  // Says what is wrong with buffers: missing, too small, misaligned, overlapping. Throws Error.
  void check(const Bindings& bindings, Buffer workspace) const;

  // Computes the outputs. Allocates nothing and throws nothing; returns invalid_argument, having
  // written nothing, where check() would throw.
  ErrorCode run(const Bindings& bindings, Buffer workspace) const noexcept;

  // check(), then run() with a workspace of its own. Throws Error.
  void run(const Bindings& bindings) const;

 private:
  std::shared_ptr<const ops::PlanBody> body_;
};

}  // namespace weft
