#pragma once

// Everything in one include. Each header says what its operator computes.

#include "weft/activation.h"    // IWYU pragma: export
#include "weft/convolution.h"   // IWYU pragma: export
#include "weft/data_type.h"     // IWYU pragma: export
#include "weft/element_wise.h"  // IWYU pragma: export
#include "weft/error.h"         // IWYU pragma: export
#include "weft/fold.h"          // IWYU pragma: export
#include "weft/info.h"          // IWYU pragma: export
#include "weft/isa.h"           // IWYU pragma: export
#include "weft/operator.h"      // IWYU pragma: export
#include "weft/plan.h"          // IWYU pragma: export
#include "weft/resample.h"      // IWYU pragma: export
#include "weft/tensor.h"        // IWYU pragma: export
#include "weft/unfold.h"        // IWYU pragma: export
