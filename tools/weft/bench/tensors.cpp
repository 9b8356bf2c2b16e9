#include "bench/tensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "elements.h"

namespace weft::cli::bench {

namespace {

// SplitMix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

template <class T>
T random_element(Random& random) {
  const std::uint64_t bits = random.next();
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    const double value = static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
    if constexpr (std::is_same_v<T, Half>) {
      return half_from(value);
    } else {
      return static_cast<T>(value);
    }
  }
}

// The numbers begin anew every `period` elements.
void fill_random(const TensorDesc& desc, std::span<std::byte> target, std::uint64_t seed,
                 std::size_t period = SIZE_MAX) {
  Random random(seed);
  visit_type(desc.data_type, [&]<class T>() {
    each_element(desc, [&](std::size_t element, std::size_t place) {
      if (element % period == 0) random = Random(seed);
      const T value = random_element<T>(random);
      std::memcpy(target.data() + place * sizeof(T), &value, sizeof(T));
    });
  });
}

std::size_t size_of(const TensorDesc& desc) {
  if (!desc.strides.empty()) return minimum_size_in_bytes(desc).value();
  const auto count = element_count(desc.sizes);
  std::size_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, byte_size(desc.data_type), &bytes)) {
    throw std::bad_alloc();
  }
  return bytes;
}

Memory random_tensor(const TensorDesc& desc, std::uint64_t seed) {
  Memory memory = huge_memory(size_of(desc));
  fill_random(desc, memory.bytes(), seed);
  return memory;
}

}  // namespace

Memory huge_memory(std::uint64_t size_in_bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  Memory memory(size_in_bytes);
  void* start = memory.bytes().data();
  std::size_t space = memory.bytes().size();
  // Only a wish: where it is refused, small pages do.
  if (std::align(kHugePage, kHugePage, start, space) != nullptr) {
    madvise(start, space / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
  return memory;
}

Tensors::Tensors(const OperatorParams& params, bool channels_alike) {
  const auto& [input, output] = std::visit(
      [](const auto& p) {
        return std::pair<const TensorDesc&, const TensorDesc&>(p.input, p.output);
      },
      params);
  input_bytes_ = size_of(input);
  output_bytes_ = size_of(output);
  // Odd multiples of 256 apart: tensors of whole pages do not all start at the same place of one,
  // where loads would wait for stores to other tensors.
  constexpr std::size_t kAlignment = 256;
  const auto padded = [](std::size_t size) {
    if (size > SIZE_MAX / 4) throw std::bad_alloc();
    return ((size + kAlignment - 1) / kAlignment | 1) * kAlignment + 2 * kAlignment;
  };
  output_offset_ = padded(input_bytes_);
  set_bytes_ = output_offset_ + padded(output_bytes_);
  sets_ = std::max<std::size_t>(1, (kRotationBytes + set_bytes_ - 1) / set_bytes_);
  std::size_t all = 0;
  if (__builtin_mul_overflow(set_bytes_, sets_, &all)) throw std::bad_alloc();
  images_ = huge_memory(all);
  const auto first = images_.bytes().first(input_bytes_);
  std::size_t channel = SIZE_MAX;
  if (channels_alike && input.sizes.size() > 1) {
    channel = element_count({input.sizes.begin() + 2, input.sizes.end()}).value_or(SIZE_MAX);
  }
  fill_random(input, first, 1, channel);
  for (std::size_t set = 1; set < sets_; ++set) {
    std::memcpy(images_.bytes().data() + set * set_bytes_, first.data(), first.size());
  }
  if (const auto* const convolution = std::get_if<ConvolutionParams>(&params)) {
    filter_ = random_tensor(convolution->filter, 2);
    if (convolution->bias) bias_ = random_tensor(*convolution->bias, 3);
  }
}

}  // namespace weft::cli::bench
