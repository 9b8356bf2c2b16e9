#pragma once

#include <memory>

#include "ops/layout.h"
#include "ops/plan_body.h"

namespace weft::ops {

// output = input, bit for bit, from any layout to any other: what remains of an operator once its
// arithmetic is gone. Both tensors have the same sizes and bits an element; `input` may differ from
// the operator's own desc (a dimension repeated by stride 0), which the caller puts into `inputs`.
std::shared_ptr<PlanBody> copy_plan(OperatorType type, const Layout& input, const Layout& output,
                                    DataType data_type, const PlanOptions& options);

}  // namespace weft::ops
