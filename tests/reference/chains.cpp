#include "reference/chains.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/tensor_walk.h"

namespace weft::reference {

namespace {

constexpr std::size_t kSpatial = 3;

struct Axis {
  std::int64_t in = 1, out = 1, window = 1, stride = 1, dilation = 1, start = 0;
  bool backward = false;

  // The input position that tap k combines with output y, or -1.
  std::int64_t source(std::int64_t y, std::int64_t k) const {
    std::int64_t at = y * stride + k * dilation - start;
    if (backward) {
      const std::int64_t scaled = y + start - k * dilation;
      if (scaled < 0 || scaled % stride != 0) return -1;
      at = scaled / stride;
    }
    return at >= 0 && at < in ? at : -1;
  }
};

using Axes = std::array<Axis, kSpatial>;

// Those that a tensor lacks, the first ones, have one position.
Axes axes_of(const ConvolutionParams& p) {
  using testing::entry;
  Axes axes;
  const std::size_t rank = p.input.sizes.size() - 2;
  for (std::size_t d = 0; d < rank; ++d) {
    axes[kSpatial - rank + d] = {.in = p.input.sizes[d + 2],
                                 .out = p.output.sizes[d + 2],
                                 .window = p.filter.sizes[d + 2],
                                 .stride = entry(p.strides, d, 1),
                                 .dilation = entry(p.dilations, d, 1),
                                 .start = entry(p.start_padding, d, 0),
                                 .backward = p.direction == ConvolutionDirection::backward};
  }
  return axes;
}

// One tap of one channel. With the instruction, not a function of the library a term, where the
// machine has it.
[[gnu::target_clones("fma", "default")]] void add(const Axes& axes,
                                                  const std::array<std::int64_t, kSpatial>& k,
                                                  const float* plane, float weight, float* sums) {
  for (std::int64_t z = 0; z < axes[0].out; ++z) {
    const std::int64_t from_z = axes[0].source(z, k[0]);
    for (std::int64_t y = 0; y < axes[1].out; ++y, sums += axes[2].out) {
      const std::int64_t from_y = axes[1].source(y, k[1]);
      if (from_z < 0 || from_y < 0) continue;
      const float* row = plane + (from_z * axes[1].in + from_y) * axes[2].in;
      for (std::int64_t x = 0; x < axes[2].out; ++x) {
        const std::int64_t from_x = axes[2].source(x, k[2]);
        if (from_x >= 0) sums[x] = std::fma(weight, row[from_x], sums[x]);
      }
    }
  }
}

}  // namespace

std::vector<float> chains(const ConvolutionParams& params, const std::vector<float>& input,
                          const std::vector<float>& filter, const std::vector<float>& bias,
                          std::int64_t channels) {
  const Axes axes = axes_of(params);
  std::int64_t plane = 1, positions = 1;
  for (const Axis& axis : axes) {
    plane *= axis.in;
    positions *= axis.out;
  }
  const std::int64_t groups = params.group_count;
  const std::int64_t in = params.input.sizes[1] / groups, out = params.output.sizes[1] / groups;
  std::vector<float> result;
  for (std::int64_t n = 0; n < params.input.sizes[0]; ++n) {
    for (std::int64_t channel = 0; channel < groups * out; ++channel) {
      std::vector<float> sums(positions), of_chains(positions);
      const auto end_chain = [&] {
        for (std::int64_t i = 0; i < positions; ++i) of_chains[i] += sums[i];
        std::fill(sums.begin(), sums.end(), 0.0f);
      };
      for (std::int64_t c = channel / out * in; c < (channel / out + 1) * in; ++c) {
        if (c % in > 0 && c % in % channels == 0) end_chain();
        const std::int64_t row = params.direction == ConvolutionDirection::backward
                                     ? c * out + channel % out
                                     : channel * in + c % in;
        const float* weight = &filter[row * axes[0].window * axes[1].window * axes[2].window];
        std::array<std::int64_t, kSpatial> k;
        for (k[0] = 0; k[0] < axes[0].window; ++k[0]) {
          for (k[1] = 0; k[1] < axes[1].window; ++k[1]) {
            for (k[2] = 0; k[2] < axes[2].window; ++k[2]) {
              add(axes, k, &input[(n * groups * in + c) * plane], *weight++, sums.data());
            }
          }
        }
      }
      end_chain();
      for (const float sum : of_chains) result.push_back(sum + bias[channel]);
    }
  }
  return result;
}

}  // namespace weft::reference
