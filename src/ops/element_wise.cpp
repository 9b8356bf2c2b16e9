#include "weft/element_wise.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/activation/activation.h"
#include "kernels/element_wise/element_wise.h"
#include "kernels/rows/rows.h"
#include "ops/activation.h"
#include "ops/checker.h"
#include "ops/copy_plan.h"
#include "ops/layout.h"
#include "ops/plan_body.h"
#include "ops/traversal.h"

namespace weft {

namespace ops {

namespace {

using std::int64_t;

bool is_float(DataType type) { return type == DataType::float32 || type == DataType::float16; }

// Types of 8 to 64 bits; floats are asked for before.
bool is_signed(DataType type) {
  return type == DataType::int8 || type == DataType::int16 || type == DataType::int32 ||
         type == DataType::int64;
}

// `value` truncated toward zero and saturated to an integer type, sign-extended to 64 bits.
std::uint64_t saturate(float value, DataType type) {
  const int bits = static_cast<int>(bit_size(type));
  const int digits = is_signed(type) ? bits - 1 : bits;
  const std::uint64_t highest = UINT64_MAX >> (64 - digits);
  const float limit = std::ldexp(1.0f, digits);  // highest + 1
  if (value >= limit) return highest;
  if (!is_signed(type)) return value <= 0 ? 0 : static_cast<std::uint64_t>(value);
  if (value <= -limit) return ~highest;
  return static_cast<std::uint64_t>(static_cast<int64_t>(value));
}

bool is_copy(const Activation& f) {
  return f.type == OperatorType::activation_identity ||
         (f.type == OperatorType::element_wise_identity && !f.scale_bias);
}

class ElementWiseBody : public PlanBody {
 protected:
  ElementWiseBody(const ElementWiseParams& params, const PlanOptions& options)
      : traversal_(layout_of(params.input), layout_of(params.output)),
        slots_(slot_count(options, traversal_.tiles())) {
    explanation = traversal_.text(slots_);
  }

  // Calls row(from, to, count, slot) for all rows on all threads.
  template <class Row>
  void for_each_row(const RunArguments& arguments, int64_t element_bytes,
                    const Row& row) const noexcept {
    const auto* from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* to = static_cast<std::byte*>(arguments.outputs[0]);
    base::parallel_tiles_apart(slots_, traversal_.tiles(), [&](int64_t tile, unsigned slot) {
      traversal_.visit(tile, [&](int64_t in, int64_t out, int64_t count) {
        row(from + in * element_bytes, to + out * element_bytes, count, slot);
      });
    });
  }

  Traversal traversal_;
  unsigned slots_;
};

// Loads rows as float32, applies up to two functions, stores. Rows that are float32 without gaps in
// the output are computed where they end up.
class FloatBody final : public ElementWiseBody {
 public:
  FloatBody(const ElementWiseParams& params, const PlanOptions& options)
      : ElementWiseBody(params, options), element_bytes_(byte_size(params.input.data_type)) {
    const Isa isa = base::choose_isa(options.max_isa);
    const kernels::RowKernels& rows = kernels::row_kernels(isa);
    load_ = rows.load(params.input.data_type);
    store_ = rows.store(params.input.data_type);
    const Activation& f = params.function;
    if (f.scale_bias) {
      add({OperatorType::activation_linear, f.scale_bias->scale, f.scale_bias->bias}, isa);
    }
    if (f.type != OperatorType::element_wise_identity) add(f, isa);
    direct_ = params.input.data_type == DataType::float32 && traversal_.output_stride() == 1;
    if (!direct_) {
      scratch_bytes_ =
          static_cast<int64_t>(base::slot_bytes(traversal_.longest_row() * sizeof(float)));
      workspace_size_in_bytes = static_cast<std::uint64_t>(scratch_bytes_) * slots_;
    }
  }

  void run(const RunArguments& arguments) const noexcept override {
    for_each_row(arguments, element_bytes_,
                 [&](const std::byte* from, std::byte* to, int64_t count, unsigned slot) {
                   std::byte* place = direct_ ? to : arguments.workspace + slot * scratch_bytes_;
                   auto* row = reinterpret_cast<float*>(place);
                   if (from != place) load_(from, traversal_.input_stride(), row, count);
                   for (int i = 0; i < step_count_; ++i) {
                     steps_[i].function(row, count, steps_[i].alpha, steps_[i].beta);
                   }
                   if (!direct_) store_(row, to, traversal_.output_stride(), count);
                 });
  }

 private:
  struct Step {
    kernels::ActivationRow function;
    float alpha;
    float beta;
  };

  void add(const Activation& f, Isa isa) {
    const kernels::ActivationKernel& kernel = *kernels::activation_kernel(f.type, isa);
    steps_[step_count_++] = {kernel.function, f.alpha, f.beta};
    algorithm = kernel.name;
  }

  int64_t element_bytes_;
  kernels::LoadRow load_;
  kernels::StoreRow store_;
  Step steps_[2] = {};
  int step_count_ = 0;
  bool direct_ = false;
  int64_t scratch_bytes_ = 0;
};

class IntegerBody final : public ElementWiseBody {
 public:
  IntegerBody(const ElementWiseParams& params, const PlanOptions& options)
      : ElementWiseBody(params, options), element_bytes_(byte_size(params.input.data_type)) {
    const DataType data_type = params.input.data_type;
    const kernels::IntegerKernel& kernel =
        *kernels::integer_kernel(data_type, base::choose_isa(options.max_isa));
    algorithm = kernel.name;
    row_ = kernel.clamp;
    const Activation& f = params.function;
    function_.low = saturate(-INFINITY, data_type);
    function_.high = saturate(INFINITY, data_type);
    if (f.type == OperatorType::element_wise_clip) {
      function_.low = saturate(f.alpha, data_type);
      function_.high = saturate(f.beta, data_type);
    } else if (f.type == OperatorType::activation_relu) {
      function_.low = 0;
    } else if (f.type == OperatorType::activation_shrink) {
      function_.shift = f.alpha;
      function_.threshold = f.beta;
      row_ = kernel.shrink;
    }
    if (f.scale_bias) {
      function_.scale = f.scale_bias->scale;
      function_.bias = f.scale_bias->bias;
      row_ = kernel.scale;
    }
  }

  void run(const RunArguments& arguments) const noexcept override {
    for_each_row(arguments, element_bytes_,
                 [&](const std::byte* from, std::byte* to, int64_t count, unsigned) {
                   row_(from, traversal_.input_stride(), to, traversal_.output_stride(), count,
                        function_);
                 });
  }

 private:
  int64_t element_bytes_;
  kernels::IntegerRow row_;
  kernels::IntegerFunction function_;
};

std::shared_ptr<PlanBody> make_body(const ElementWiseParams& params, const PlanOptions& options) {
  if (is_copy(params.function)) {
    return copy_plan(params.function.type, layout_of(params.input), layout_of(params.output),
                     params.input.data_type, options);
  }
  if (is_float(params.input.data_type)) return std::make_shared<FloatBody>(params, options);
  return std::make_shared<IntegerBody>(params, options);
}

}  // namespace
}  // namespace ops

std::vector<Violation> validate(const ElementWiseParams& params) {
  ops::Checker checker(params.function.type);
  ops::check_activation(checker, "", params.function, /*fused=*/false);
  if (!is_activation(params.function.type)) return checker.take();

  using enum ops::Checker::Role;
  const bool input_ok = checker.tensor("InputTensor", params.input, input);
  const bool output_ok = checker.tensor("OutputTensor", params.output, output);
  checker.same_type("OutputTensor", params.output, "InputTensor", params.input);
  if (params.function.scale_bias && bit_size(params.input.data_type) == 64) {
    checker.fail("ScaleBias", {}, "present", "absent",
                 std::string(name(params.input.data_type)) + " tensors take none");
  }
  if (!input_ok || !output_ok) return checker.take();
  const Dims& in = params.input.sizes;
  const Dims& out = params.output.sizes;
  checker.equal("OutputTensor.DimensionCount", {}, out.size(), in.size(),
                "the DimensionCount of InputTensor");
  for (std::size_t d = 0; d < std::min(in.size(), out.size()) && in.size() == out.size(); ++d) {
    checker.equal("OutputTensor.Sizes", d, out[d], in[d], "the size of InputTensor");
  }
  return checker.take();
}

Dims output_sizes(const ElementWiseParams& params) {
  ElementWiseParams inferred = params;
  inferred.output = {.data_type = params.input.data_type, .sizes = params.input.sizes};
  ops::throw_if_any(validate(inferred), params.function.type);
  return params.input.sizes;
}

Plan plan(const ElementWiseParams& params, const PlanOptions& options) {
  ops::throw_if_any(validate(params), params.function.type);
  const auto body = ops::make_body(params, options);
  body->type = params.function.type;
  body->inputs = {params.input};
  body->outputs = {params.output};
  body->in_place = ops::same_layout(params.input, params.output);
  return Plan(body);
}

void element_wise(const ElementWiseParams& params, ConstBuffer input, Buffer output) {
  plan(params).run(Bindings{.inputs = {&input, 1}, .outputs = {&output, 1}});
}

}  // namespace weft
