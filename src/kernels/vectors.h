#pragma once

// Vectors of float32, as kernels for sums use them. Only for files that are compiled once a level.

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/one_nan.h"
#include "kernels/ramp.h"

namespace weft::kernels::WEFT_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using std::int64_t;

#if HWY_TARGET == HWY_SCALAR

// Highway's portable vectors hold one number, the compiler's own four.
using Vector = float __attribute__((vector_size(16)));
inline constexpr int64_t kLanes = 4;

inline Vector load(const float* from) {
  Vector x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store(Vector x, float* to) { __builtin_memcpy(to, &x, sizeof x); }
inline Vector set(float x) { return Vector{x, x, x, x}; }
inline Vector add(Vector a, Vector b) { return a + b; }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
inline Vector one_nan(Vector x) {
  const auto is_number = x == x;
  using Bits = std::remove_const_t<decltype(is_number)>;
  const Bits nan = reinterpret_cast<Bits>(set(kOneNan));
  return reinterpret_cast<Vector>((reinterpret_cast<Bits>(x) & is_number) | (nan & ~is_number));
}
inline Vector ramp(Vector x, const Ramp& r) {
  const Vector bent = x < set(0) ? x * set(r.slope) : x;
  const Vector raised = bent < set(r.least) ? set(r.least) : bent;
  return raised > set(r.most) ? set(r.most) : raised;
}
inline bool has_nan(Vector x) {
  bool result = false;
  for (int64_t i = 0; i < kLanes; ++i) result |= x[i] != x[i];
  return result;
}

#else

inline const hn::ScalableTag<float> vector_tag;
using Vector = hn::Vec<decltype(vector_tag)>;
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(decltype(vector_tag)()));

inline Vector load(const float* from) { return hn::LoadU(vector_tag, from); }
inline void store(Vector x, float* to) { hn::StoreU(x, vector_tag, to); }
inline Vector set(float x) { return hn::Set(vector_tag, x); }
inline Vector add(Vector a, Vector b) { return hn::Add(a, b); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return hn::MulAdd(a, b, c); }
inline Vector one_nan(Vector x) {
#ifdef __AVX512F__
  return Vector{kernels::one_nan(x.raw)};
#else
  return hn::IfThenElse(hn::IsNaN(x), set(kOneNan), x);
#endif
}
inline Vector ramp(Vector x, const Ramp& r) {
#ifdef __AVX__
  const Ramp* anew = &r;  // for each vector: its numbers fill no registers beside the sums
  asm("" : "+r"(anew));
  return Vector{kernels::ramp(x.raw, *anew)};
#else
  const Vector bent = hn::IfThenElse(hn::Lt(x, set(0)), hn::Mul(x, set(r.slope)), x);
  const Vector raised = hn::IfThenElse(hn::Lt(bent, set(r.least)), set(r.least), bent);
  return hn::IfThenElse(hn::Gt(raised, set(r.most)), set(r.most), raised);
#endif
}
inline bool has_nan(Vector x) { return !hn::AllFalse(vector_tag, hn::IsNaN(x)); }

#endif

// Keeps a number in its register: gcc would rather read it from memory at each use.
inline void keep([[maybe_unused]] Vector& x) {
#if defined(__AVX512F__)
  asm("" : "+v"(x.raw));
#elif defined(__AVX__)
  asm("" : "+x"(x.raw));
#endif
}

inline Vector load_once(const float* from) {
  Vector x = load(from);
  keep(x);
  return x;
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
