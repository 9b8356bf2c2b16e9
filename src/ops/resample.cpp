#include "weft/resample.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "ops/checker.h"
#include "ops/copy_plan.h"
#include "ops/layout.h"
#include "ops/resample_plan.h"

namespace weft {

namespace ops {

namespace {

using Values = std::vector<float>;

bool is_resample(OperatorType type) {
  return type == OperatorType::resample || type == OperatorType::resample1 ||
         type == OperatorType::resample2 || type == OperatorType::resample3;
}

bool has_rounding_direction(OperatorType type) {
  return type == OperatorType::resample2 || type == OperatorType::resample3;
}

void check_count(Checker& checker, std::string_view field, const Values& values,
                 std::optional<std::size_t> count) {
  if (!count || values.size() == *count) return;
  checker.fail(field, {}, entries(values.size()), entries(*count), "DimensionCount of InputTensor");
}

void check_scales(Checker& checker, const Values& scales, std::optional<std::size_t> count) {
  check_count(checker, "Scales", scales, count);
  for (std::size_t d = 0; d < scales.size(); ++d) {
    if (scales[d] >= 0) continue;  // NaN is not
    checker.fail("Scales", d, number_text(scales[d]), ">= 0",
                 "output over input; 0 and infinity read from -InputPixelOffsets alone");
  }
}

void check_offsets(Checker& checker, std::string_view field, const Values& offsets,
                   std::optional<std::size_t> count, float fallback) {
  if (offsets.empty()) return;
  check_count(checker, field, offsets, count);
  for (std::size_t d = 0; d < offsets.size(); ++d) {
    if (checker.type() == OperatorType::resample && offsets[d] != fallback) {
      checker.fail(field, d, number_text(offsets[d]), number_text(fallback),
                   "RESAMPLE has no other offsets");
    } else if (!std::isfinite(offsets[d])) {
      checker.fail(field, d, number_text(offsets[d]), "finite", "a distance in pixels");
    }
  }
}

bool check_type(Checker& checker, OperatorType type) {
  if (is_resample(type)) return true;
  checker.fail("Type", {}, type_text(type), "RESAMPLE, RESAMPLE1, RESAMPLE2 or RESAMPLE3",
               "the operators that resample");
  return false;
}

void check_modes(Checker& checker, const ResampleParams& params) {
  const auto mode = static_cast<std::uint32_t>(params.interpolation_mode);
  if (mode > 1) {
    checker.fail("InterpolationMode", {}, std::to_string(mode),
                 "NEAREST_NEIGHBOR (0) or LINEAR (1)", "the values of DML_INTERPOLATION_MODE");
  }
  const auto direction = static_cast<std::uint32_t>(params.rounding_direction);
  if (has_rounding_direction(params.type) && direction > 1) {
    checker.fail("RoundingDirection", {}, std::to_string(direction),
                 "INCREASING (0) or DECREASING (1)", "the values of DML_AXIS_DIRECTION");
  }
  if (params.antialiased && params.type != OperatorType::resample3) {
    checker.fail("Antialiased", {}, "true", "false", "only RESAMPLE3 has it");
  }
}

// Everything but the type and the output tensor; returns whether the input's shape can be worked
// with.
bool check_input(Checker& checker, const ResampleParams& params) {
  check_modes(checker, params);
  const bool ok = checker.tensor("InputTensor", params.input, Checker::Role::input);
  const auto rank = checker.rank(params.input);
  check_scales(checker, params.scales, rank);
  check_offsets(checker, "InputPixelOffsets", params.input_pixel_offsets, rank, 0.5f);
  check_offsets(checker, "OutputPixelOffsets", params.output_pixel_offsets, rank, -0.5f);
  return ok;
}

// A plan without arithmetic: the input with the output's sizes, repeated where it has one element.
std::shared_ptr<PlanBody> plain_copy(const ResampleParams& params, const PlanOptions& options) {
  Layout input = layout_of(params.input);
  const Layout output = layout_of(params.output);
  for (int d = 0; d < input.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (input.sizes[i] == 1) input.strides[i] = 0;
    input.sizes[i] = output.sizes[i];
  }
  return copy_plan(params.type, input, output, params.input.data_type, options);
}

std::shared_ptr<PlanBody> make_body(const ResampleParams& params, const PlanOptions& options) {
  if (ResampleGeometry(params, 1).direct()) return plain_copy(params, options);
  if (params.interpolation_mode == InterpolationMode::nearest_neighbor) {
    return nearest_plan(params, options);
  }
  // Without a scale below 1 the triangles are those of linear interpolation.
  const bool shrinks = std::any_of(params.scales.begin(), params.scales.end(),
                                   [](float scale) { return scale > 0 && scale < 1; });
  return params.antialiased && shrinks ? antialias_plan(params, options)
                                       : linear_plan(params, options);
}

}  // namespace
}  // namespace ops

std::vector<Violation> validate(const ResampleParams& params) {
  ops::Checker checker(params.type);
  if (!ops::check_type(checker, params.type)) return checker.take();
  const bool input_ok = ops::check_input(checker, params);
  const bool output_ok = checker.tensor("OutputTensor", params.output, ops::Checker::Role::output);
  checker.same_type("OutputTensor", params.output, "InputTensor", params.input);
  if (input_ok && output_ok) {
    checker.equal("OutputTensor.DimensionCount", {}, params.output.sizes.size(),
                  params.input.sizes.size(), "the DimensionCount of InputTensor");
  }
  return checker.take();
}

Dims output_sizes(const ResampleParams& params) {
  ops::Checker checker(params.type);
  if (ops::check_type(checker, params.type)) ops::check_input(checker, params);
  ops::throw_if_any(checker.take(), params.type);

  Dims sizes;
  for (std::size_t d = 0; d < params.scales.size(); ++d) {
    // In float32, as scales are made: 3 * float(5.0 / 3) is 5 there and less in double.
    const float size = std::floor(static_cast<float>(params.input.sizes[d]) * params.scales[d]);
    if (!(size >= 1 && size < 0x1p32f)) {
      checker.fail("Scales", d, ops::number_text(params.scales[d]), "such that 1 <= size < 2^32",
                   "output size = floor(" + std::to_string(params.input.sizes[d]) + " * scale)");
      continue;
    }
    sizes.push_back(static_cast<std::uint32_t>(size));
  }
  if (checker.ok()) checker.element_limit("OutputTensor.Sizes", sizes);
  ops::throw_if_any(checker.take(), params.type);
  return sizes;
}

Plan plan(const ResampleParams& params, const PlanOptions& options) {
  ops::throw_if_any(validate(params), params.type);
  const auto body = ops::make_body(params, options);
  body->type = params.type;
  body->inputs = {params.input};
  body->outputs = {params.output};
  return Plan(body);
}

void resample(const ResampleParams& params, ConstBuffer input, Buffer output) {
  plan(params).run(Bindings{.inputs = {&input, 1}, .outputs = {&output, 1}});
}

}  // namespace weft
