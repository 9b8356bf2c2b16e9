#pragma once

#include <functional>
#include <memory>

#include "ops/plan_body.h"
#include "weft/convolution.h"

namespace weft::ops {

// What plans the parts: CONVOLUTION of whatever memory its params say.
using ConvolutionPlanner = std::function<std::shared_ptr<const PlanBody>(
    const ConvolutionParams& params, const PlanOptions& options)>;

// For images whose pixels are apart in memory, as those with channels last are: packs some images
// at a time into the workspace, convolves them there, and moves the results to where they belong.
// The results have the bits of packed tensors.
//
// The workspace holds up to 16 MiB of packed images, or one image of at most 1 GiB, inputs and
// outputs together, besides what the planner asks for. Nothing where that would not do, or where
// nothing has to be packed. The params have passed validation.
std::shared_ptr<const PlanBody> convolution_packed(const ConvolutionParams& params,
                                                   const PlanOptions& options,
                                                   const ConvolutionPlanner& planner);

}  // namespace weft::ops
