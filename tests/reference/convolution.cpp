#include "reference/convolution.h"

#include <optional>
#include <span>
#include <vector>

#include "reference/activation.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::reference {

namespace {

using testing::Coordinate;
using testing::entry;

double element(const TensorDesc& desc, const std::byte* data, const Coordinate& x) {
  return testing::read_real(desc.data_type, data + testing::byte_offset(desc, x));
}

class Convolution {
 public:
  Convolution(const ConvolutionParams& params, const std::byte* input, const std::byte* filter)
      : p_(params),
        input_(input),
        filter_(filter),
        spatial_(params.input.sizes.size() - 2),
        window_(std::span(params.filter.sizes).subspan(2)),
        in_channels_(params.input.sizes[1] / params.group_count),
        source_step_(testing::byte_offset(params.input, Coordinate{{0, 1}})),
        weight_step_(testing::byte_offset(
            params.filter, is_forward() ? Coordinate{{0, 1}} : Coordinate{{1, 0}})) {}

  // Everything before bias and activation; y is a coordinate of the output.
  Sum sum(const Coordinate& y) {
    Sum result;
    if (in_output_padding(y)) return result;
    find_taps(y);
    for (std::int64_t i = 0; i < in_channels_; ++i) {
      for (const Tap& tap : taps_) {
        result.add(testing::read_real(p_.input.data_type, tap.source + i * source_step_),
                   testing::read_real(p_.filter.data_type, tap.weight + i * weight_step_));
      }
    }
    return result;
  }

 private:
  // What one element of the window combines, of the group's first input channel.
  struct Tap {
    const std::byte* source;
    const std::byte* weight;
  };

  // Those of output y that do not lie in padding, in the window's order.
  void find_taps(const Coordinate& y) {
    taps_.clear();
    const std::int64_t out_channels = p_.output.sizes[1] / p_.group_count;
    const std::int64_t first = y[1] / out_channels * in_channels_;
    Coordinate k;  // in the window: one entry a spatial dimension
    do {
      Coordinate source{{y[0], first}};
      if (!find_source(y, k, source)) continue;
      Coordinate weight =
          is_forward() ? Coordinate{{y[1], 0}} : Coordinate{{first, y[1] % out_channels}};
      for (std::size_t d = 0; d < spatial_; ++d) {
        const bool flip = p_.mode == ConvolutionMode::convolution;
        weight[d + 2] = flip ? std::int64_t{window_[d]} - 1 - k[d] : k[d];
      }
      taps_.push_back({input_ + testing::byte_offset(p_.input, source),
                       filter_ + testing::byte_offset(p_.filter, weight)});
    } while (testing::next(k, window_));
  }

  bool is_forward() const { return p_.direction == ConvolutionDirection::forward; }

  bool in_output_padding(const Coordinate& y) const {
    for (std::size_t d = 0; d < spatial_; ++d) {
      const std::int64_t computed = p_.output.sizes[d + 2] - entry(p_.output_padding, d, 0);
      if (y[d + 2] >= computed) return true;
    }
    return false;
  }

  // The input position that tap k combines with output y, if there is one.
  //   forward   source = y * stride + k * dilation - start
  //   backward  y = source * stride + k * dilation - start
  bool find_source(const Coordinate& y, const Coordinate& k, Coordinate& source) const {
    for (std::size_t d = 0; d < spatial_; ++d) {
      const std::int64_t stride = entry(p_.strides, d, 1);
      const std::int64_t dilation = entry(p_.dilations, d, 1);
      const std::int64_t start = entry(p_.start_padding, d, 0);
      std::int64_t at = 0;
      if (is_forward()) {
        at = y[d + 2] * stride + k[d] * dilation - start;
      } else {
        const std::int64_t scaled = y[d + 2] - k[d] * dilation + start;
        if (scaled % stride != 0) return false;
        at = scaled / stride;
      }
      if (at < 0 || at >= std::int64_t{p_.input.sizes[d + 2]}) return false;
      source[d + 2] = at;
    }
    return true;
  }

  const ConvolutionParams& p_;
  const std::byte* input_;
  const std::byte* filter_;
  std::size_t spatial_;
  std::span<const std::uint32_t> window_;
  std::int64_t in_channels_;                // a group
  std::int64_t source_step_, weight_step_;  // bytes from one input channel to the next
  std::vector<Tap> taps_;
};

}  // namespace

ExpectedTensor convolution(const ConvolutionParams& params, const std::byte* input,
                           const std::byte* filter, const std::byte* bias, std::int64_t every) {
  Convolution convolution(params, input, filter);
  ExpectedTensor result;
  Coordinate y;
  do {
    if (static_cast<std::int64_t>(result.size()) % every != 0) {
      result.push_back({.bits = {}, .range = {}, .anything = true});
      continue;
    }
    Sum sum = convolution.sum(y);
    if (params.bias) sum.add(element(*params.bias, bias, Coordinate{{0, y[1]}}));
    // float16 is widened and summed in float32 as well.
    const Range range = sum.range(DataType::float32);
    result.push_back(params.fused_activation ? apply(*params.fused_activation, range)
                                             : within(range));
  } while (testing::next(y, params.output.sizes));
  return result;
}

}  // namespace weft::reference
