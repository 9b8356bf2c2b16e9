// Input rows of a direct convolution on their way into its planes.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/direct/direct.h"
#include "kernels/direct/direct_levels.h"
#include "kernels/direct/direct_sums.h"
#include "kernels/half.h"
#include "kernels/vectors.h"

namespace weft::kernels::WEFT_ISA {

namespace {

template <class T, class LoadRow>
void load_rows(const DirectRows& r, const LoadRow& load_row) {
  // Not read again after each store, which might, for all that the compiler knows, change them.
  const int64_t from_stride = r.from_row_stride, to_stride = r.to_row_stride, rows = r.rows;
  for (int64_t channel = 0; channel < r.channels; ++channel) {
    const T* from = static_cast<const T*>(r.from) + channel * r.from_channel_stride;
    float* to = r.to + channel * r.to_channel_stride;
    for (int64_t row = 0; row < rows; ++row) {
      load_row(from, to);
      from += from_stride;
      to += to_stride;
    }
  }
}

float widen(float x) { return x; }
float widen(std::uint16_t x) { return widen_half(x); }

#ifdef __AVX2__  // masked loads that leave the rest of memory alone

// The first numbers of a vector; zeros after them.
template <class T>
class PartialLoad;

template <>
class PartialLoad<float> {
 public:
  explicit PartialLoad(int64_t count)
      : mask_(hn::FirstN(vector_tag,
                         static_cast<std::size_t>(std::clamp<int64_t>(count, 0, kLanes)))) {}
  Vector operator()(const float* from) const { return hn::MaskedLoad(mask_, vector_tag, from); }

 private:
  hn::Mask<decltype(vector_tag)> mask_;
};

template <>
class PartialLoad<std::uint16_t> {
 public:
  explicit PartialLoad(int64_t count) : count_(std::clamp<int64_t>(count, 0, kLanes)) {}
  Vector operator()(const std::uint16_t* from) const {
#ifdef __AVX512F__
    const auto mask = static_cast<__mmask16>((1u << count_) - 1);
    return Vector{_mm512_maskz_cvtph_ps(mask, _mm256_maskz_loadu_epi16(mask, from))};
#else
    return Vector{_mm256_cvtph_ps(load_some_halves(from, count_))};
#endif
  }

 private:
  int64_t count_;
};

template <class T>
void load_dense(const DirectRows& r) {
  const int64_t whole = (r.columns - 1) / kLanes * kLanes;
  const PartialLoad<T> load_last(r.columns - whole);
  load_rows<T>(r, [=](const T* from, float* to) {
    for (int64_t i = 0; i < whole; i += kLanes) store(load_whole(from + i), to + i);
    store(load_last(from + whole), to + whole);
  });
}

// Of the last number that is kept, the one after it is not read.
template <class T>
void load_every_other(const DirectRows& r) {
  const int64_t whole = (r.columns - 1) / kLanes * kLanes;
  const int64_t rest = 2 * (r.columns - whole) - 1;
  const PartialLoad<T> load_low(rest), load_high(rest - kLanes);
  load_rows<T>(r, [=](const T* from, float* to) {
    for (int64_t i = 0; i < whole; i += kLanes) {
      const Vector low = load_whole(from + 2 * i);
      const Vector high = load_whole(from + 2 * i + kLanes);
      store(hn::ConcatEven(vector_tag, high, low), to + i);
    }
    const Vector low = load_low(from + 2 * whole);
    const Vector high = load_high(from + 2 * whole + kLanes);
    store(hn::ConcatEven(vector_tag, high, low), to + whole);
  });
}

// Where there is no odd number after the last even one, nothing is written for it.
template <class T>
void load_pairs(const DirectRows& r) {
  const int64_t whole = (r.columns - 1) / (2 * kLanes) * (2 * kLanes);
  const PartialLoad<T> load_low(r.columns - whole), load_high(r.columns - whole - kLanes);
  const int64_t odd = r.to_odd - r.to, to_stride = r.to_row_stride;
  const bool ends_even = r.columns - whole == 1;
  const auto store_pairs = [odd](Vector low, Vector high, float* to) {
    store(hn::ConcatEven(vector_tag, high, low), to);
    store(hn::ConcatOdd(vector_tag, high, low), to + odd);
  };
  if (r.columns <= kLanes) {
    const Vector zero = hn::Zero(vector_tag);
    return load_rows<T>(r, [=](const T* from, float* to) {
      if (ends_even) return store(load_low(from), to);
      store_pairs(load_low(from), zero, to);
    });
  }
  const auto load = [&](auto fetches) {
    load_rows<T>(r, [=](const T* from, float* to) {
      for (int64_t i = 0; i < whole; i += 2 * kLanes) {
        if (fetches) {
          __builtin_prefetch(to + to_stride + i / 2, 1);
          __builtin_prefetch(to + to_stride + odd + i / 2, 1);
        }
        store_pairs(load_whole(from + i), load_whole(from + i + kLanes), to + i / 2);
      }
      const Vector low = load_low(from + whole);
      if (ends_even) return store(low, to + whole / 2);
      store_pairs(low, load_high(from + whole + kLanes), to + whole / 2);
    });
  };
  // What does not stay in the first-level cache waits for the lines that it is written to.
  constexpr int64_t kNear = 32 << 10;
  if (r.channels * r.rows * to_stride * int64_t{sizeof(float)} > kNear) {
    load(std::true_type());
  } else {
    load(std::false_type());
  }
}

#endif

template <class T>
void load_any(const DirectRows& r) {
#ifdef __AVX2__
  if (r.from_stride == 1) return load_dense<T>(r);
  if (r.to_odd != nullptr) return load_pairs<T>(r);
  if (r.from_stride == 2) return load_every_other<T>(r);
#endif
  const int64_t odd = r.to_odd - r.to;
  load_rows<T>(r, [&](const T* from, float* to) {
    if (r.to_odd != nullptr) {
      for (int64_t i = 0; i < r.columns; ++i) to[i / 2 + i % 2 * odd] = widen(from[i]);
    } else {
      for (int64_t i = 0; i < r.columns; ++i) to[i] = widen(from[i * r.from_stride]);
    }
  });
}

}  // namespace

void direct_load_f32(const DirectRows& r) noexcept { load_any<float>(r); }

void direct_load_f16(const DirectRows& r) noexcept { load_any<std::uint16_t>(r); }

}  // namespace weft::kernels::WEFT_ISA
