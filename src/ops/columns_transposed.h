#pragma once

#include <functional>
#include <memory>

#include "ops/plan_body.h"
#include "weft/fold.h"
#include "weft/unfold.h"

namespace weft::ops {

// What plans the parts: UNFOLD or FOLD of whatever memory their params say.
template <class Params>
using WindowPlanner = std::function<std::shared_ptr<const PlanBody>(const Params& params,
                                                                    const PlanOptions& options)>;

// For columns in which the elements of a block are neighbours in memory, not the blocks, as the
// rows of a matrix product are: a few channels, or small images, at a time, with up to 8 MiB of
// packed columns in the workspace, which are turned over on their way to or from the tensor. The
// planner's plan where that would not pay. The params have passed validation.
std::shared_ptr<const PlanBody> columns_transposed(const UnfoldParams& params,
                                                   const PlanOptions& options,
                                                   const WindowPlanner<UnfoldParams>& planner);
std::shared_ptr<const PlanBody> columns_transposed(const FoldParams& params,
                                                   const PlanOptions& options,
                                                   const WindowPlanner<FoldParams>& planner);

}  // namespace weft::ops
