#include "kernels/fold/fold.h"

#include <cstddef>
#include <cstdint>

#include "kernels/fold/fold_levels.h"
#include "kernels/half.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

// float16 as its bits.
enum class Half : std::uint16_t {};

template <class T>
T widen(T value) {
  return value;
}
float widen(Half value) { return widen_half(static_cast<std::uint16_t>(value)); }

template <class Sum, class T>
void add_row(Sum* __restrict sum, const T* __restrict from, int64_t step, int64_t count) {
  if (step == 1) {
    for (int64_t i = 0; i < count; ++i) sum[i] = static_cast<Sum>(sum[i] + widen(from[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) sum[i] = static_cast<Sum>(sum[i] + widen(from[i * step]));
  }
}

#ifdef __F16C__
// The compiler does not find the conversion of eight at a time.
void add_row(float* __restrict sum, const Half* __restrict from, int64_t step, int64_t count) {
  int64_t i = 0;
  if (step == 1) {
    for (; i + 8 <= count; i += 8) {
      const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm256_storeu_ps(sum + i, _mm256_add_ps(_mm256_loadu_ps(sum + i), _mm256_cvtph_ps(half)));
    }
  }
  for (; i < count; ++i) sum[i] += widen(from[i * step]);
}
#endif

template <class Sum, class T>
void add(const FoldRectangle& k) {
  for (int64_t row = 0; row < k.rows; ++row) {
    add_row(static_cast<Sum*>(k.sum) + row * k.sum_row,
            static_cast<const T*>(k.from) + row * k.from_row, k.from_step, k.count);
  }
}

}  // namespace

void fold_i8(const FoldRectangle& k) noexcept { add<std::uint8_t, std::uint8_t>(k); }
void fold_i16(const FoldRectangle& k) noexcept { add<std::uint16_t, std::uint16_t>(k); }
void fold_i32(const FoldRectangle& k) noexcept { add<std::uint32_t, std::uint32_t>(k); }
void fold_i64(const FoldRectangle& k) noexcept { add<std::uint64_t, std::uint64_t>(k); }
void fold_f16(const FoldRectangle& k) noexcept { add<float, Half>(k); }
void fold_f32(const FoldRectangle& k) noexcept { add<float, float>(k); }
void fold_f64(const FoldRectangle& k) noexcept { add<double, double>(k); }

}  // namespace weft::kernels::WEFT_ISA
