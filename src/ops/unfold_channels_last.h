#pragma once

#include <memory>

#include "ops/plan_body.h"
#include "weft/unfold.h"

namespace weft::ops {

// What plans the parts: UNFOLD from whatever memory its params say.
using UnfoldPlanner = std::shared_ptr<const PlanBody> (*)(const UnfoldParams& params,
                                                          const PlanOptions& options);

// For images whose channels are neighbours in memory and whose elements several windows take: packs
// up to 4 MiB of channels or images at a time into the workspace, and unfolds them from there.
// Nothing where that would not pay. The params have passed validation.
std::shared_ptr<const PlanBody> unfold_channels_last(const UnfoldParams& params,
                                                     const PlanOptions& options,
                                                     UnfoldPlanner planner);

}  // namespace weft::ops
