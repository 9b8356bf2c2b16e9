#pragma once

#include <memory>

#include "bench/contender.h"

namespace weft::cli::bench {

// oneDNN 2 (Debian: libdnnl2), for CONVOLUTION in float32 and RESAMPLE2. Its ways:
//
//   plain     NCHW on both sides, as the user has it
//   direct    layouts of its own choice, with the reordering of input and output timed
//   nhwc      channels last, with the reordering timed
//   blocked   as direct, without the reordering: does not count, for its user has no such data
//   winograd  as direct, where Winograd is allowed
//
// Weights are in the layout that it likes best, outside the timing.
//
// Throws Unavailable where it is not installed, or its header was not there at build time.
std::unique_ptr<Peer> open_onednn();

}  // namespace weft::cli::bench
