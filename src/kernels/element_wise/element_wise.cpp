#include <cstddef>
#include <cstdint>

#include "kernels/element_wise/element_wise_levels.h"

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class T>
constexpr T kLowest = static_cast<T>(T(-1) < T(0) ? std::uint64_t{1} << (8 * sizeof(T) - 1) : 0);
template <class T>
constexpr T kHighest = static_cast<T>(~kLowest<T>);

template <class T, class Function>
inline void each(const void* from_bytes, int64_t from_stride, void* to_bytes, int64_t to_stride,
                 int64_t count, Function f) {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  if (from_stride == 1 && to_stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = f(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i * to_stride] = f(from[i * from_stride]);
  }
}

// Truncates toward zero, within [low, high]. NaN fails every comparison and ends as 0.
template <class T>
inline T truncate(double value, double low, double high) {
  value = value == value ? value : 0;
  value = value < low ? low : value;
  value = value > high ? high : value;
  return static_cast<T>(value);
}

}  // namespace

template <class T>
void clamp_row(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t count,
               const IntegerFunction& function) noexcept {
  const T low = static_cast<T>(function.low);
  const T high = static_cast<T>(function.high);
  each<T>(from, from_stride, to, to_stride, count, [=](T x) {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  });
}

template <class T>
void scale_row(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t count,
               const IntegerFunction& function) noexcept {
  const double low = static_cast<T>(function.low);
  const double high = static_cast<T>(function.high);
  each<T>(from, from_stride, to, to_stride, count,
          [=, scale = function.scale, bias = function.bias](T x) {
            return truncate<T>(x * scale + bias, low, high);
          });
}

template <class T>
void integer_shrink_row(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                        int64_t count, const IntegerFunction& function) noexcept {
  each<T>(from, from_stride, to, to_stride, count,
          [shift = function.shift, threshold = function.threshold](T element) {
            const double x = element;
            const double lowered = x - shift;
            const double raised = x + shift;
            const double below = x < -threshold ? raised : 0;
            return truncate<T>(x > threshold ? lowered : below, kLowest<T>, kHighest<T>);
          });
}

// A template's name cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define WEFT_INSTANTIATE(function, type)                                           \
  template void function<std::type>(const void*, int64_t, void*, int64_t, int64_t, \
                                    const IntegerFunction&) noexcept;
// NOLINTEND(bugprone-macro-parentheses)
#define WEFT_SMALL(type)            \
  WEFT_INSTANTIATE(clamp_row, type) \
  WEFT_INSTANTIATE(scale_row, type) \
  WEFT_INSTANTIATE(integer_shrink_row, type)
WEFT_SMALL(int8_t)
WEFT_SMALL(int16_t)
WEFT_SMALL(int32_t)
WEFT_SMALL(uint8_t)
WEFT_SMALL(uint16_t)
WEFT_SMALL(uint32_t)
WEFT_INSTANTIATE(clamp_row, int64_t)
WEFT_INSTANTIATE(clamp_row, uint64_t)

}  // namespace weft::kernels::WEFT_ISA
