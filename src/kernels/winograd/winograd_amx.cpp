#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/split/product.h"
#include "kernels/split/split_parts.h"
#include "kernels/winograd/winograd.h"
#include "kernels/winograd/winograd_levels.h"
#include "kernels/winograd/winograd_transforms.h"

namespace weft::kernels::WEFT_ISA {

namespace {

template <int parts, int m, int r, int n, int s>
void transform_columns(const WinogradColumns& columns) {
  constexpr int kPoints = m + r - 1;
  constexpr int kRowPoints = n + s - 1;
  const std::int64_t end = (columns.tiles + kSplitBlock - 1) / kSplitBlock * kSplitBlock;
  for (std::int64_t tile = 0; tile < end; tile += kLanes) {
    const __mmask16 mask = first_of_16(columns.tiles - tile);
    const __mmask16 even_mask = columns.even == nullptr ? __mmask16{0} : mask;
    const __mmask16 odd_mask = columns.odd == nullptr ? __mmask16{0} : mask;
    std::uint16_t* to =
        columns.to + tile / kSplitBlock * columns.block_stride + tile % kSplitBlock / kHalf * kTile;
    for (int point = 0; point < kRowPoints; ++point) {
      const std::int64_t from = point * columns.from_stride + tile;
      __m512 even[kPoints], odd[kPoints];
      for (int i = 0; i < kPoints; ++i) {
        const std::int64_t at =
            from + i % m * columns.remainder_stride + i / m * columns.tiles_a_row;
        even[i] = _mm512_maskz_loadu_ps(even_mask, even_mask != 0 ? columns.even + at : nullptr);
        odd[i] = _mm512_maskz_loadu_ps(odd_mask, odd_mask != 0 ? columns.odd + at : nullptr);
      }
      transform_inputs(even);
      transform_inputs(odd);
      for (int i = 0; i < kPoints; ++i) {
        const Split<parts> e(even[i]);
        const Split<parts> o(odd[i]);
        std::uint16_t* pair_to = to + (i * kRowPoints + point) * columns.point_stride;
        for (int q = 0; q < parts; ++q) {
          _mm512_store_si512(pair_to + q * kSplitPatchPart, pair(e.part[q], o.part[q]));
        }
      }
    }
  }
}

template <int parts>
void multiply(const WinogradProduct& product) {
  SplitAhead ahead = product.ahead;
  multiply_block<parts, true>({.filter = product.filter,
                               .patches = product.patches,
                               .next = nullptr,
                               .layout = {},
                               .steps = product.steps,
                               .chain = product.steps,
                               .outputs = kSplitBlock,
                               .positions = kSplitBlock,
                               .acc = product.acc,
                               .acc_stride = product.output_stride,
                               .first = true,
                               .all_products = false,
                               .ahead = {}},
                              [&] { ahead.fetch(); });
}

}  // namespace

#define WEFT_DEFINE_WINOGRAD(tile, m, r, n, s)                                \
  void winograd_columns_##tile##_2(const WinogradColumns& columns) noexcept { \
    transform_columns<2, m, r, n, s>(columns);                                \
  }                                                                           \
  void winograd_columns_##tile##_3(const WinogradColumns& columns) noexcept { \
    transform_columns<3, m, r, n, s>(columns);                                \
  }
WEFT_WINOGRAD_TILES(WEFT_DEFINE_WINOGRAD)
#undef WEFT_DEFINE_WINOGRAD

void winograd_multiply_2(const WinogradProduct& product) noexcept { multiply<2>(product); }
void winograd_multiply_3(const WinogradProduct& product) noexcept { multiply<3>(product); }

}  // namespace weft::kernels::WEFT_ISA
