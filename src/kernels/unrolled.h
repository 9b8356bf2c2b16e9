#pragma once

// For functions that are unrolled many times over: with the checks of UndefinedBehaviorSanitizer
// between all their sums gcc takes twice as long for each file. Accesses to memory stay checked.
#define WEFT_UNROLLED __attribute__((no_sanitize("undefined")))

// For functions of which nothing may stay a call. AddressSanitizer's checks, once for each place
// where all is inlined, take gcc a minute for a file.
#ifdef __SANITIZE_ADDRESS__
#define WEFT_FLATTEN
#else
#define WEFT_FLATTEN [[gnu::flatten]]
#endif
