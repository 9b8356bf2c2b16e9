#pragma once

// WEFT_FOR_EACH_LEVEL(X) expands X(level) for each instruction set this build has, best first: what
// kernel headers declare their functions with and tables list their rows with.

#ifdef WEFT_HAVE_avx512
#define WEFT_LEVEL_avx512(X) X(avx512)
#else
#define WEFT_LEVEL_avx512(X)
#endif
#ifdef WEFT_HAVE_avx2
#define WEFT_LEVEL_avx2(X) X(avx2)
#else
#define WEFT_LEVEL_avx2(X)
#endif
#ifdef WEFT_HAVE_sse4
#define WEFT_LEVEL_sse4(X) X(sse4)
#else
#define WEFT_LEVEL_sse4(X)
#endif

#define WEFT_FOR_EACH_LEVEL(X) WEFT_LEVEL_avx512(X) WEFT_LEVEL_avx2(X) WEFT_LEVEL_sse4(X) X(base)
