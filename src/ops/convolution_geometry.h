#pragma once

#include <array>
#include <cstdint>

#include "ops/layout.h"
#include "weft/convolution.h"

namespace weft::ops {

// One stride phase of one spatial dimension: output positions and filter taps for which the
// convolution is a plain forward one,
//
//   out(start + t * step) = sum over j in [0, taps) of in(t * in_step + offset(j)) * filter(tap(j))
//
// with t in [0, count). FORWARD has one phase; BACKWARD has one for each remainder of the output
// position by the stride, so nothing is scattered and no zeros are multiplied. A phase without taps
// has no contributors: its outputs are zero before bias and activation.
struct Phase {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
  std::int64_t taps = 0;
  std::int64_t tap_class = 0;  // the taps are tap_class, tap_class + tap_step, ...
  std::int64_t in_step = 1;
  std::int64_t first_offset = 0;
  std::int64_t offset_step = 0;

  std::int64_t offset(std::int64_t j) const noexcept { return first_offset + j * offset_step; }
};

// The stride phases of a dimension, in an order in which they lie side by side in the output and,
// as a rule, read the same inputs: position u of all of them is outputs u * count - late and
// following, of which the first `late` are those of position u - 1 of the last phases.
struct PhaseRing {
  std::int64_t count = 1;
  std::int64_t late = 0;
  bool alike = true;  // the phases read the same inputs

  std::int64_t phase(std::int64_t i) const noexcept { return (i + count - late) % count; }
  std::int64_t delay(std::int64_t i) const noexcept { return i < late ? 1 : 0; }
};

// One spatial dimension of a convolution, in either direction.
//
// Filter taps fall into tap_step() classes by their remainder; a phase uses one class or none.
class ConvolutionAxis {
 public:
  ConvolutionAxis() = default;  // size 1, window 1: leaves everything as it is
  ConvolutionAxis(ConvolutionDirection direction, std::int64_t in_size, std::int64_t out_size,
                  std::int64_t window, std::int64_t stride, std::int64_t dilation,
                  std::int64_t start_padding, std::int64_t output_padding);

  std::int64_t in_size() const noexcept { return in_size_; }
  std::int64_t out_size() const noexcept { return out_size_; }
  std::int64_t window() const noexcept { return window_; }

  // The output padding, where there is any, makes up the last phases, none longer than the first of
  // all: work is cut by the largest phase.
  std::int64_t phase_count() const noexcept { return strided_phases_ + tail_phases_; }
  Phase phase(std::int64_t index) const noexcept;
  std::int64_t max_count() const noexcept { return phase(0).count; }  // the largest of any phase

  // One phase where the stride has more than there are outputs.
  PhaseRing ring() const noexcept;

  std::int64_t class_count() const noexcept;
  std::int64_t class_taps(std::int64_t tap_class) const noexcept;
  std::int64_t taps_before(std::int64_t tap_class) const noexcept;  // in all smaller classes
  std::int64_t tap_step() const noexcept { return tap_step_; }

  // Whether every output position reads the input position of its own number, and no other.
  bool is_identity() const noexcept;
  bool is_single() const noexcept { return is_identity() && out_size_ == 1; }  // with one position

  // The range [first, second) of t for which t * in_step + offset lies inside the input.
  std::array<std::int64_t, 2> inside(const Phase& phase, std::int64_t offset) const noexcept;

  // The end of the range from t = first on for which the same taps lie inside the input.
  std::int64_t end_of_same_taps(const Phase& phase, std::int64_t first) const noexcept;

 private:
  bool backward_ = false;
  std::int64_t in_size_ = 1;
  std::int64_t out_size_ = 1;
  std::int64_t window_ = 1;
  std::int64_t stride_ = 1;
  std::int64_t dilation_ = 1;
  std::int64_t start_padding_ = 0;
  std::int64_t tail_ = 0;  // output padding
  std::int64_t strided_phases_ = 1;
  std::int64_t tail_phases_ = 0;
  std::int64_t tap_step_ = 1;
  std::int64_t divisor_ = 1;  // gcd of stride and dilation, BACKWARD
  std::int64_t inverse_ = 0;  // of dilation / divisor_ modulo stride / divisor_
};

inline constexpr int kSpatial = 3, kDepth = 0, kHeight = 1, kWidth = 2;

// A checked convolution as the plan works on it: always three spatial dimensions, absent ones of
// size 1. Strides are in elements; filter_strides[0] and [1] are those of the output and input
// channel whatever the direction, and negative over the window in CONVOLUTION mode, counted from
// filter_origin.
struct ConvolutionGeometry {
  explicit ConvolutionGeometry(const ConvolutionParams& params);

  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t in_channels = 1;   // a group
  std::int64_t out_channels = 1;  // a group
  std::array<ConvolutionAxis, kSpatial> axes;

  std::int64_t in_batch_stride = 0;
  std::int64_t in_channel_stride = 0;
  std::array<std::int64_t, kSpatial> in_strides{};
  std::int64_t out_batch_stride = 0;
  std::int64_t out_channel_stride = 0;
  std::array<std::int64_t, kSpatial> out_strides{};
  std::int64_t filter_origin = 0;
  std::int64_t filter_group_stride = 0;
  std::int64_t filter_out_stride = 0;
  std::int64_t filter_in_stride = 0;
  std::array<std::int64_t, kSpatial> filter_strides{};
  std::int64_t bias_stride = 0;

  std::int64_t window() const noexcept {
    return axes[0].window() * axes[1].window() * axes[2].window();
  }

  // Taps of all classes before the one that the phases use, in the order of each_tap_class().
  std::int64_t taps_before(const std::array<Phase, kSpatial>& phases) const noexcept;

  // Calls body(each_tap) for every class of taps; each_tap(f) calls f(offset) for every tap of the
  // class, with the offset of its elements in the filter from filter_origin.
  template <class Body>
  void each_tap_class(const Body& body) const {
    const auto taps = [this](int axis, std::int64_t tap_class, const auto& f) {
      for (std::int64_t k = tap_class; k < axes[axis].window(); k += axes[axis].tap_step()) {
        f(k * filter_strides[axis]);
      }
    };
    for (std::int64_t cd = 0; cd < axes[0].class_count(); ++cd) {
      for (std::int64_t ch = 0; ch < axes[1].class_count(); ++ch) {
        for (std::int64_t cw = 0; cw < axes[2].class_count(); ++cw) {
          body([&](const auto& f) {
            taps(0, cd, [&](std::int64_t d) {
              taps(1, ch,
                   [&](std::int64_t h) { taps(2, cw, [&](std::int64_t w) { f(d + h + w); }); });
            });
          });
        }
      }
    }
  }

 private:
  void lengthen_rows();
};

}  // namespace weft::ops
