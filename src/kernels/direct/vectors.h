#pragma once

// The vectors that the direct kernels share. Only for files that are compiled once a level.

#include <hwy/highway.h>

#include <cstdint>

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

#else

inline const hn::ScalableTag<float> vector_tag;
using Vector = hn::Vec<decltype(vector_tag)>;
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(decltype(vector_tag)()));

inline Vector load(const float* from) { return hn::LoadU(vector_tag, from); }
inline void store(Vector x, float* to) { hn::StoreU(x, vector_tag, to); }
inline Vector set(float x) { return hn::Set(vector_tag, x); }
inline Vector add(Vector a, Vector b) { return hn::Add(a, b); }
inline Vector multiply_add(Vector a, Vector b, Vector c) { return hn::MulAdd(a, b, c); }

#endif

// As load(), for numbers that are used several times: gcc would read them from memory each time.
inline Vector load_once(const float* from) {
  Vector x = load(from);
#if defined(__AVX512F__)
  asm("" : "+v"(x.raw));
#elif defined(__AVX__)
  asm("" : "+x"(x.raw));
#endif
  return x;
}

}  // namespace
}  // namespace weft::kernels::WEFT_ISA
