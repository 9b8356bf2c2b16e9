#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/gemm/gemm_levels.h"
#include "kernels/gemm/gemm_vectors.h"

#if defined(__AVX2__) && !defined(__AVX512F__)

namespace weft::kernels::WEFT_ISA {

namespace {

// Of positions that are next to each other or every other.
template <int64_t kStep>
float* gather_near(const GemmTile& tile, int64_t positions, float* to) {
  const auto first = [](int64_t count) {
    return hn::FirstN(vector_tag, static_cast<size_t>(std::clamp<int64_t>(count, 0, kLanes)));
  };
  const auto low = first((positions - 1) * kStep + 1);
  const auto high = first((positions - 1) * kStep + 1 - kLanes);
  const GemmTerm* const end = tile.terms + tile.depth;
  for (const GemmTerm* term = tile.terms; term != end; ++term, to += positions) {
    const float* const from = tile.a + term->a;
    Vector x = hn::MaskedLoad(low, vector_tag, from);
    if constexpr (kStep == 2) {
      x = hn::ConcatEven(vector_tag, hn::MaskedLoad(high, vector_tag, from + kLanes), x);
    }
    store(x, to);
  }
  return to;
}

}  // namespace

float* gemm_gather_f32(const GemmTile& tile, int64_t positions, float* to) noexcept {
  if (tile.a_offsets == nullptr) {
    if (tile.a_step == 1) return gather_near<1>(tile, positions, to);
    if (tile.a_step == 2) return gather_near<2>(tile, positions, to);
  }
  std::array<const float*, kLanes> from;
  for (int64_t m = 0; m < kLanes; ++m) {
    const int64_t last = std::min(m, positions - 1);
    from[m] = tile.a + (tile.a_offsets != nullptr ? tile.a_offsets[last] : last * tile.a_step);
  }
  const GemmTerm* const end = tile.terms + tile.depth;
  for (const GemmTerm* term = tile.terms; term != end;) {
    // Taps that follow each other are turned by fours.
    constexpr int64_t kFour = 4;
    const int64_t a = term->a;
    if (end - term >= kFour && term[1].a == a + 1 && term[2].a == a + 2 && term[3].a == a + 3) {
      __m128 rows[2][kFour] = {};
      for (int64_t i = 0; i * kFour < positions; ++i) {
        for (int64_t m = 0; m < kFour; ++m) rows[i][m] = _mm_loadu_ps(from[i * kFour + m] + a);
        _MM_TRANSPOSE4_PS(rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
      }
      for (int64_t k = 0; k < kFour; ++k, to += positions) {
        _mm_storeu_ps(to, rows[0][k]);
        if (positions > kFour) _mm_storeu_ps(to + kFour, rows[1][k]);
      }
      term += kFour;
      continue;
    }
    for (int64_t m = 0; m < positions; ++m) to[m] = from[m][a];
    to += positions;
    ++term;
  }
  return to;
}

}  // namespace weft::kernels::WEFT_ISA

#endif
