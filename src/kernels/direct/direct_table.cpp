#include "kernels/direct/direct.h"
#include "kernels/direct/direct_levels.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

constexpr void (*in_place([[maybe_unused]] Isa isa))(const DirectInPlace&) noexcept {
#ifdef WEFT_HAVE_avx512
  if (isa == Isa::avx512) return avx512::direct_in_place;
#endif
#ifdef WEFT_HAVE_avx2
  if (isa == Isa::avx2) return avx2::direct_in_place;
#endif
  return nullptr;
}

constexpr void (*doubling([[maybe_unused]] Isa isa))(const DirectDoubling&) noexcept {
#ifdef WEFT_HAVE_avx512
  if (isa == Isa::avx512) return avx512::direct_double;
#endif
#ifdef WEFT_HAVE_avx2
  if (isa == Isa::avx2) return avx2::direct_double;
#endif
  return nullptr;
}

constexpr void (*channels([[maybe_unused]] Isa isa))(const DirectChannels&) noexcept {
#ifdef WEFT_HAVE_avx512
  if (isa == Isa::avx512) return avx512::direct_channels;
#endif
#ifdef WEFT_HAVE_avx2
  if (isa == Isa::avx2) return avx2::direct_channels;
#endif
  return nullptr;
}

#define WEFT_DIRECT(level)    \
  {Isa::level,                \
   "direct_f32_" #level,      \
   "direct_f16_" #level,      \
   level::direct_multiply,    \
   level::direct_sum_phases,  \
   level::direct_load_f32,    \
   level::direct_load_f16,    \
   doubling(Isa::level),      \
   in_place(Isa::level),      \
   channels(Isa::level),      \
   Isa::level == Isa::avx512, \
   Isa::level == Isa::avx512 ? 16 : 8},
constexpr DirectKernels table[] = {WEFT_FOR_EACH_LEVEL(WEFT_DIRECT)};
#undef WEFT_DIRECT

}  // namespace

std::span<const DirectKernels> direct_kernel_table() noexcept { return table; }

const DirectKernels& direct_kernels(Isa isa) noexcept { return first_fit(table, isa); }

}  // namespace weft::kernels
