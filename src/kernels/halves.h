#pragma once

// The first half of a vector of AVX-512, for which processors with base::halves_vectors() need one
// turn and for a whole vector two. Static: each level's code keeps its own copy.

#ifdef __AVX512F__

#include <immintrin.h>

namespace weft::kernels {

static inline __m256 half_of(__m512 x) { return _mm512_castps512_ps256(x); }
// What the other half holds is not known.
static inline __m512 from_half(__m256 x) { return _mm512_castps256_ps512(x); }

}  // namespace weft::kernels

#endif
