#include "kernels/winograd/winograd.h"
#include "kernels/winograd/winograd_levels.h"

namespace weft::kernels {

const WinogradKernels* winograd_kernels([[maybe_unused]] Isa isa,
                                        [[maybe_unused]] const WinogradTile& tile) noexcept {
#ifdef WEFT_HAVE_avx512
  static constexpr WinogradKernels table[] = {
      {{2, 2},
       "winograd_2x2_avx512",
       avx512::winograd_rows_2x2,
       avx512::winograd_channel_2x2,
       avx512::winograd_store_2x2},
      {{2, 4},
       "winograd_2x4_avx512",
       avx512::winograd_rows_2x4,
       avx512::winograd_channel_2x4,
       avx512::winograd_store_2x4},
      {{4, 4},
       "winograd_4x4_avx512",
       avx512::winograd_rows_4x4,
       avx512::winograd_channel_4x4,
       avx512::winograd_store_4x4},
  };
  for (const WinogradKernels& row : table) {
    if (isa >= Isa::avx512 && row.tile == tile) return &row;
  }
#endif
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
