#include <span>

#include "kernels/winograd/winograd.h"
#include "kernels/winograd/winograd_levels.h"

namespace weft::kernels {

namespace {

// A level's tiles.
#define WEFT_WINOGRAD_TILE(level, tile, rows, columns)                          \
  {                                                                             \
    {rows, columns}, "winograd_" #tile "_" #level, level::winograd_rows_##tile, \
        level::winograd_channel_##tile, level::winograd_store_##tile,           \
        level::winograd_channels_##tile                                         \
  }
#define WEFT_WINOGRAD_LEVEL(level)                                                   \
  constexpr WinogradKernels level##_table[] = {WEFT_WINOGRAD_TILE(level, 2x2, 2, 2), \
                                               WEFT_WINOGRAD_TILE(level, 2x4, 2, 4), \
                                               WEFT_WINOGRAD_TILE(level, 4x4, 4, 4)};
#ifdef WEFT_HAVE_avx2
WEFT_WINOGRAD_LEVEL(avx2)
#endif
#ifdef WEFT_HAVE_avx512
WEFT_WINOGRAD_LEVEL(avx512)
#endif
#undef WEFT_WINOGRAD_LEVEL
#undef WEFT_WINOGRAD_TILE

std::span<const WinogradKernels> table_of([[maybe_unused]] Isa isa) noexcept {
#ifdef WEFT_HAVE_avx512
  if (isa >= Isa::avx512) return avx512_table;
#endif
#ifdef WEFT_HAVE_avx2
  if (isa >= Isa::avx2) return avx2_table;
#endif
  return {};
}

}  // namespace

const WinogradKernels* winograd_kernels(Isa isa, const WinogradTile& tile) noexcept {
  for (const WinogradKernels& row : table_of(isa)) {
    if (row.tile == tile) return &row;
  }
  return nullptr;
}

const WinogradUnit* winograd_unit([[maybe_unused]] const WinogradTile& tile) noexcept {
#ifdef WEFT_HAVE_amx
  static constexpr WinogradUnit table[] = {
      {{2, 2}, "winograd_2x2_amx", amx::winograd_columns_2x2, amx::winograd_multiply},
      {{2, 4}, "winograd_2x4_amx", amx::winograd_columns_2x4, amx::winograd_multiply},
      {{4, 4}, "winograd_4x4_amx", amx::winograd_columns_4x4, amx::winograd_multiply},
  };
  for (const WinogradUnit& row : table) {
    if (row.tile == tile) return &row;
  }
#endif
  return nullptr;
}

}  // namespace weft::kernels
