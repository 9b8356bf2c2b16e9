#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "memory.h"
#include "weft/operator.h"

namespace weft::cli::bench {

// Memory for what is measured: in huge pages where the system has them, as NumPy's large arrays
// are. Everybody's tensors are, so that nobody waits for page tables. Throws std::bad_alloc.
Memory huge_memory(std::uint64_t size_in_bytes);

// Calls use(element, place) for every element in row-major order: its number, and where it lies,
// counted in elements.
template <class Use>
void each_element(const TensorDesc& desc, const Use& use) {
  const std::size_t count = element_count(desc.sizes).value_or(0);
  const Dims strides = desc.strides.empty() ? packed_strides(desc.sizes).value() : desc.strides;
  Dims at(desc.sizes.size());
  std::size_t place = 0;
  for (std::size_t element = 0; element < count; ++element) {
    use(element, place);
    for (std::size_t d = at.size(); d-- > 0;) {
      place += strides[d];
      if (++at[d] < desc.sizes[d]) break;
      place -= std::size_t{desc.sizes[d]} * strides[d];
      at[d] = 0;
    }
  }
}

// The tensors of one shape: filter and bias once, input and output as often as it takes for a run
// not to find its data in a near cache. All inputs hold the same random numbers, in [-1, 1) or
// any integer, whatever the strides; everybody who is measured packed shares this memory.
class Tensors {
 public:
  // Input and output are there `kRotationBytes` over, or once where they are larger than that.
  static constexpr std::uint64_t kRotationBytes = std::uint64_t{24} << 20;

  // `channels_alike`: all channels of the input hold the same numbers. Throws std::bad_alloc.
  explicit Tensors(const OperatorParams& params, bool channels_alike = false);

  std::size_t sets() const { return sets_; }
  ConstBuffer input(std::size_t set) const { return at(set, 0, input_bytes_); }
  Buffer output(std::size_t set) const { return at(set, output_offset_, output_bytes_); }
  ConstBuffer filter() const { return filter_.buffer(); }  // empty where the operator has none
  ConstBuffer bias() const { return bias_.buffer(); }

  std::span<const std::byte> input_elements() const { return elements(input(0)); }
  std::span<const std::byte> filter_elements() const { return elements(filter()); }
  std::span<const std::byte> bias_elements() const { return elements(bias()); }
  std::span<std::byte> output_elements(std::size_t set) const {
    return {static_cast<std::byte*>(output(set).data), output_bytes_};
  }

 private:
  static std::span<const std::byte> elements(ConstBuffer buffer) {
    return {static_cast<const std::byte*>(buffer.data), buffer.size_in_bytes};
  }
  Buffer at(std::size_t set, std::size_t offset, std::size_t size) const {
    return {images_.bytes().data() + set * set_bytes_ + offset, size};
  }

  std::size_t input_bytes_ = 0, output_bytes_ = 0, output_offset_ = 0, set_bytes_ = 0, sets_ = 1;
  Memory images_, filter_, bias_;
};

}  // namespace weft::cli::bench
