#include "kernels/direct/direct.h"
#include "kernels/direct/direct_levels.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

#ifdef WEFT_HAVE_avx512
#define WEFT_OF_AVX512(function) avx512::function
#else
#define WEFT_OF_AVX512(function) nullptr
#endif
#ifdef WEFT_HAVE_avx2
#define WEFT_OF_AVX2(function) avx2::function
#else
#define WEFT_OF_AVX2(function) nullptr
#endif

// What needs loads with a mask: null at the other levels.
template <class Block>
using Function = void (*)(const Block&) noexcept;
template <class Block>
constexpr Function<Block> masked(Isa isa, Function<Block> of_avx512, Function<Block> of_avx2) {
  return isa == Isa::avx512 ? of_avx512 : isa == Isa::avx2 ? of_avx2 : nullptr;
}
#define WEFT_MASKED(Block, level, function) \
  masked<Block>(Isa::level, WEFT_OF_AVX512(function), WEFT_OF_AVX2(function))

#define WEFT_DIRECT(level)                              \
  {Isa::level,                                          \
   "direct_f32_" #level,                                \
   "direct_f16_" #level,                                \
   level::direct_multiply,                              \
   level::direct_sum_phases,                            \
   level::direct_load_f32,                              \
   level::direct_load_f16,                              \
   WEFT_MASKED(DirectDoubling, level, direct_double),   \
   WEFT_MASKED(DirectInPlace, level, direct_in_place),  \
   WEFT_MASKED(DirectChannels, level, direct_channels), \
   Isa::level == Isa::avx512},
constexpr DirectKernels kDirectTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_DIRECT)};
#undef WEFT_DIRECT
#undef WEFT_MASKED
#undef WEFT_OF_AVX2
#undef WEFT_OF_AVX512

}  // namespace

std::span<const DirectKernels> direct_kernel_table() noexcept { return kDirectTable; }

const DirectKernels& direct_kernels(Isa isa) noexcept { return first_fit(kDirectTable, isa); }

}  // namespace weft::kernels
