#include "ops/convolution_geometry.h"

#include <algorithm>
#include <numeric>

#include "base/checked.h"

namespace weft::ops {

ConvolutionAxis::ConvolutionAxis(ConvolutionDirection direction, std::int64_t in_size,
                                 std::int64_t out_size, std::int64_t window, std::int64_t stride,
                                 std::int64_t dilation, std::int64_t start_padding,
                                 std::int64_t output_padding)
    : backward_(direction == ConvolutionDirection::backward),
      in_size_(in_size),
      out_size_(out_size),
      window_(window),
      stride_(stride),
      dilation_(dilation),
      start_padding_(start_padding),
      tail_(output_padding) {
  if (backward_) {
    strided_phases_ = std::min(stride_, out_size_ - tail_);
    divisor_ = std::gcd(stride_, dilation_);
    tap_step_ = stride_ / divisor_;
    inverse_ = base::inverse_modulo(dilation_ / divisor_ % tap_step_, tap_step_);
  }
  tail_phases_ = base::divide_up(tail_, max_count());
}

Phase ConvolutionAxis::phase(std::int64_t index) const noexcept {
  Phase phase;
  const std::int64_t convolved = out_size_ - tail_;
  if (index >= strided_phases_) {
    const std::int64_t first = (index - strided_phases_) * max_count();
    phase.start = convolved + first;
    phase.count = std::min(max_count(), tail_ - first);
    return phase;
  }
  if (!backward_) {
    phase.count = convolved;
    phase.taps = window_;
    phase.in_step = stride_;
    phase.first_offset = -start_padding_;
    phase.offset_step = dilation_;
    return phase;
  }
  // Output position y = start + t * stride gets in(j) * filter(k) where
  // j * stride + k * dilation = y + start_padding. So k * dilation must leave the remainder of
  // start + start_padding by the stride: a linear congruence in k.
  phase.start = index;
  phase.step = stride_;
  phase.count = (convolved - index - 1) / stride_ + 1;
  const std::int64_t remainder = (index + start_padding_) % stride_;
  if (remainder % divisor_ != 0) return phase;
  phase.tap_class =
      static_cast<std::int64_t>(static_cast<__int128>(remainder / divisor_) * inverse_ % tap_step_);
  if (phase.tap_class >= window_) return phase;
  phase.taps = class_taps(phase.tap_class);
  phase.first_offset =
      static_cast<std::int64_t>((static_cast<__int128>(index) + start_padding_ -
                                 static_cast<__int128>(phase.tap_class) * dilation_) /
                                stride_);
  phase.offset_step = -(dilation_ / divisor_);
  return phase;
}

PhaseRing ConvolutionAxis::ring() const noexcept {
  const Phase first = phase(0);
  const std::int64_t stride = first.step;
  if (stride > strided_phases_) return {};
  std::int64_t early = stride;
  for (std::int64_t p = 1; p < stride; ++p) {
    const Phase other = phase(p);
    const std::int64_t above = other.first_offset - first.first_offset;
    if (other.taps != first.taps || other.offset_step != first.offset_step || above < 0 ||
        above > 1 || (above == 0 && early < stride)) {
      return {.count = stride, .alike = false};
    }
    if (above == 1) early = std::min(early, p);
  }
  return {.count = stride, .late = stride - early};
}

std::int64_t ConvolutionAxis::class_count() const noexcept { return std::min(tap_step_, window_); }

std::int64_t ConvolutionAxis::class_taps(std::int64_t tap_class) const noexcept {
  return (window_ - tap_class - 1) / tap_step_ + 1;
}

std::int64_t ConvolutionAxis::taps_before(std::int64_t tap_class) const noexcept {
  // The first window % tap_step classes have one tap more than the others.
  return tap_class * (window_ / tap_step_) + std::min(tap_class, window_ % tap_step_);
}

bool ConvolutionAxis::is_identity() const noexcept {
  return window_ == 1 && stride_ == 1 && start_padding_ == 0 && tail_ == 0 && in_size_ == out_size_;
}

std::array<std::int64_t, 2> ConvolutionAxis::inside(const Phase& phase,
                                                    std::int64_t offset) const noexcept {
  const std::int64_t step = phase.in_step;
  const std::int64_t first = offset < 0 ? base::divide_up(-offset, step) : 0;
  const std::int64_t end = offset < in_size_ ? (in_size_ - 1 - offset) / step + 1 : 0;
  return {first, std::min(end, phase.count)};
}

std::int64_t ConvolutionAxis::end_of_same_taps(const Phase& phase,
                                               std::int64_t first) const noexcept {
  std::int64_t end = phase.count;
  for (std::int64_t j = 0; j < phase.taps; ++j) {
    for (const std::int64_t change : inside(phase, phase.offset(j))) {
      if (change > first) end = std::min(end, change);
    }
  }
  return end;
}

ConvolutionGeometry::ConvolutionGeometry(const ConvolutionParams& params) {
  const Layout in = layout_of(params.input);
  const Layout filter = layout_of(params.filter);
  const Layout out = layout_of(params.output);
  const int spatial = in.rank - 2;
  const bool backward = params.direction == ConvolutionDirection::backward;

  batch = in.sizes[0];
  groups = params.group_count;
  in_channels = in.sizes[1] / groups;
  out_channels = out.sizes[1] / groups;
  in_batch_stride = in.strides[0];
  in_channel_stride = in.strides[1];
  out_batch_stride = out.strides[0];
  out_channel_stride = out.strides[1];
  filter_out_stride = filter.strides[backward ? 1 : 0];
  filter_in_stride = filter.strides[backward ? 0 : 1];
  // A group is a range of the filter's first dimension in both directions.
  filter_group_stride = filter.strides[0] * (backward ? in_channels : out_channels);
  if (params.bias) bias_stride = layout_of(*params.bias).strides[1];

  const auto entry = [](const Dims& values, int d, std::int64_t fallback) {
    return values.empty() ? fallback : static_cast<std::int64_t>(values[d]);
  };
  for (int d = 0; d < spatial; ++d) {
    const int axis = kSpatial - spatial + d;
    axes[axis] =
        ConvolutionAxis(params.direction, in.sizes[d + 2], out.sizes[d + 2], filter.sizes[d + 2],
                        entry(params.strides, d, 1), entry(params.dilations, d, 1),
                        entry(params.start_padding, d, 0), entry(params.output_padding, d, 0));
    in_strides[axis] = in.strides[d + 2];
    out_strides[axis] = out.strides[d + 2];
    filter_strides[axis] = filter.strides[d + 2];
    if (params.mode == ConvolutionMode::convolution) {
      filter_origin += (filter.sizes[d + 2] - 1) * filter.strides[d + 2];
      filter_strides[axis] = -filter_strides[axis];
    }
  }
  lengthen_rows();
}

std::int64_t ConvolutionGeometry::taps_before(
    const std::array<Phase, kSpatial>& phases) const noexcept {
  const auto& [d, h, w] = phases;
  return axes[0].taps_before(d.tap_class) * axes[1].window() * axes[2].window() +
         d.taps * (axes[1].taps_before(h.tap_class) * axes[2].window() +
                   h.taps * axes[2].taps_before(w.tap_class));
}

// Rows along the last dimension are what kernels work on, so the last dimension should be long:
// where it is of size 1 another one takes its place, and where it and the one before are copied
// through one to one (a 1x1 convolution), they become one. Of the other two, the first is the one
// that is left without positions, for ways that have two dimensions: windows along time alone.
void ConvolutionGeometry::lengthen_rows() {
  for (int d = kWidth; d > 0; --d) {
    if (!axes[kWidth].is_single()) break;
    std::rotate(axes.begin(), axes.end() - 1, axes.end());
    std::rotate(in_strides.begin(), in_strides.end() - 1, in_strides.end());
    std::rotate(out_strides.begin(), out_strides.end() - 1, out_strides.end());
    std::rotate(filter_strides.begin(), filter_strides.end() - 1, filter_strides.end());
  }
  for (int d = kWidth - 1; d >= 0; --d) {
    const std::int64_t size = axes[kWidth].out_size();
    if (!axes[kWidth].is_identity() || !axes[d].is_identity() ||
        in_strides[d] != size * in_strides[kWidth] ||
        out_strides[d] != size * out_strides[kWidth]) {
      break;
    }
    const std::int64_t merged = size * axes[d].out_size();
    axes[kWidth] = ConvolutionAxis(ConvolutionDirection::forward, merged, merged, 1, 1, 1, 0, 0);
    axes[d] = ConvolutionAxis();
    in_strides[d] = out_strides[d] = 0;
  }
  if (axes[1].is_single()) {
    std::swap(axes[0], axes[1]);
    std::swap(in_strides[0], in_strides[1]);
    std::swap(out_strides[0], out_strides[1]);
    std::swap(filter_strides[0], filter_strides[1]);
  }
}

}  // namespace weft::ops
