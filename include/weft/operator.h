#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/convolution.h"
#include "weft/element_wise.h"
#include "weft/fold.h"
#include "weft/resample.h"
#include "weft/unfold.h"

namespace weft {

// Any operator, for code that reads operators from somewhere (a model file, another API).
using OperatorParams =
    std::variant<ConvolutionParams, FoldParams, UnfoldParams, ResampleParams, ElementWiseParams>;

WEFT_API OperatorType type_of(const OperatorParams& params);
WEFT_API std::vector<Violation> validate(const OperatorParams& params);
WEFT_API Plan plan(const OperatorParams& params, const PlanOptions& options = {});

// What one operator accepts: what `weft info` prints and docs/operators.md holds.
struct OperatorSupport {
  OperatorType type;
  std::string_view first_feature_level;  // "6_4"
  std::uint32_t min_dimension_count;     // of the tensor that holds the image
  std::uint32_t max_dimension_count;
  std::span<const DataType> data_types;
  bool fusable;  // as the fused activation of CONVOLUTION
};

WEFT_API std::span<const OperatorSupport> operator_support() noexcept;
WEFT_API const OperatorSupport& operator_support(OperatorType type) noexcept;

}  // namespace weft
