#pragma once

#include "random/case.h"
#include "random/dice.h"
#include "support/guarded_buffer.h"

namespace weft::random_cases {

// A buffer for an input: random elements, and all other bytes 0xff, which is NaN to whoever reads
// a gap. The same seed gives the same elements at any place.
testing::GuardedBuffer filled_input(const TensorDesc& desc, Values values, Dice dice,
                                    const testing::GuardedBuffer::Place& place);

}  // namespace weft::random_cases
