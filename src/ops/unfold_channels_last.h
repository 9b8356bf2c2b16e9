#pragma once

#include <memory>

#include "ops/columns_transposed.h"
#include "ops/plan_body.h"
#include "weft/unfold.h"

namespace weft::ops {

using UnfoldPlanner = WindowPlanner<UnfoldParams>;

// For images whose channels are neighbours in memory and whose elements several windows take: packs
// up to 4 MiB of channels or images at a time into the workspace, and unfolds them from there. The
// planner's plan where that would not pay. The params have passed validation.
std::shared_ptr<const PlanBody> unfold_channels_last(const UnfoldParams& params,
                                                     const PlanOptions& options,
                                                     const UnfoldPlanner& planner);

}  // namespace weft::ops
