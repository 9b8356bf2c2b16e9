#include "kernels/winograd/winograd.h"
#include "kernels/winograd/winograd_levels.h"

namespace weft::kernels {

namespace {

// A level's tiles.
#define WEFT_WINOGRAD_ROW(level, tile, rows, row_taps, columns, column_taps) \
  {{rows, columns, row_taps, column_taps},                                   \
   "winograd_" #tile "_" #level,                                             \
   level::winograd_rows_##tile,                                              \
   level::winograd_channel_##tile,                                           \
   level::winograd_store_##tile,                                             \
   level::winograd_channels_##tile,                                          \
   level::winograd_window_##tile,                                            \
   level::winograd_lines_##tile},
#ifdef WEFT_HAVE_avx2
#define WEFT_WINOGRAD_AVX2(...) WEFT_WINOGRAD_ROW(avx2, __VA_ARGS__)
constexpr WinogradKernels avx2_table[] = {WEFT_WINOGRAD_TILES(WEFT_WINOGRAD_AVX2)};
#endif
#ifdef WEFT_HAVE_avx512
#define WEFT_WINOGRAD_AVX512(...) WEFT_WINOGRAD_ROW(avx512, __VA_ARGS__)
constexpr WinogradKernels avx512_table[] = {WEFT_WINOGRAD_TILES(WEFT_WINOGRAD_AVX512)};
#endif
#ifdef WEFT_HAVE_amx
#define WEFT_WINOGRAD_UNIT(parts, tile, rows, row_taps, columns, column_taps) \
  {{rows, columns, row_taps, column_taps},                                    \
   parts,                                                                     \
   "winograd_" #tile "_amx",                                                  \
   amx::winograd_columns_##tile##_##parts,                                    \
   amx::winograd_multiply_##parts},
#define WEFT_WINOGRAD_UNIT_2(...) WEFT_WINOGRAD_UNIT(2, __VA_ARGS__)
#define WEFT_WINOGRAD_UNIT_3(...) WEFT_WINOGRAD_UNIT(3, __VA_ARGS__)
#endif

}  // namespace

std::span<const WinogradKernels> winograd_kernels([[maybe_unused]] Isa isa) noexcept {
#ifdef WEFT_HAVE_avx512
  if (isa >= Isa::avx512) return avx512_table;
#endif
#ifdef WEFT_HAVE_avx2
  if (isa >= Isa::avx2) return avx2_table;
#endif
  return {};
}

const WinogradKernels* winograd_kernels(Isa isa, const WinogradTile& tile) noexcept {
  for (const WinogradKernels& row : winograd_kernels(isa)) {
    if (row.tile == tile) return &row;
  }
  return nullptr;
}

const WinogradUnit* winograd_unit([[maybe_unused]] const WinogradTile& tile,
                                  [[maybe_unused]] std::int64_t parts) noexcept {
#ifdef WEFT_HAVE_amx
  static constexpr WinogradUnit table[] = {WEFT_WINOGRAD_TILES(WEFT_WINOGRAD_UNIT_2)
                                               WEFT_WINOGRAD_TILES(WEFT_WINOGRAD_UNIT_3)};
  for (const WinogradUnit& row : table) {
    if (row.tile == tile && row.parts == parts) return &row;
  }
#endif
  return nullptr;
}

}  // namespace weft::kernels
