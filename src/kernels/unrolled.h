#pragma once

// For functions that are unrolled many times over: with the checks of UndefinedBehaviorSanitizer
// between all their sums gcc takes twice as long for each file. Accesses to memory stay checked.
#define WEFT_UNROLLED __attribute__((no_sanitize("undefined")))
