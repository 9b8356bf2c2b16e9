// The stride phases of BACKWARD that DirectConvolution sums together: they read the same inputs,
// which are loaded once, and lie side by side in the output, which is written in whole lines.

#include <algorithm>
#include <map>
#include <optional>

#include "ops/convolution_direct.h"

namespace weft::ops {

using kernels::DirectTap;
using kernels::kDirectColumns;
using kernels::kDirectPhases;

namespace {

// Terms of a sum from 0: so many that adding to those before takes little time, a hundredth or two.
constexpr std::int64_t kBlockTerms = 56;

// Lines of the output are fetched that far ahead: the processor would begin too late.
constexpr std::int64_t kLine = 64, kFetchAhead = 4096;  // bytes

}  // namespace

void DirectConvolution::join_phases() {
  const auto& axes = geometry_.axes;
  const PhaseRing rows = axes[kHeight].ring();
  PhaseRing columns = axes[kWidth].ring();
  bool alike = rows.alike && columns.alike;
  // With few registers one phase at a time, if its outputs make enough sums: no tap then asks which
  // of them it has factors for, where phases read other inputs. In turns, one thread of Zen 3, us:
  // 64 to 3, 4x4 at 2, 32x32 234 and 135; 128x128 2950 and 2130; 3x3 at 2, 64x64 546 and 392; but
  // of 16 to 2, 16x16x16 616 and 806.
  constexpr std::int64_t kFewestApart = 3;
  const bool several = kernels_.isa < Isa::avx512 && geometry_.in_channels > 1;
  const bool may_be_apart = several && filter_.panel_rows() >= kFewestApart;
  // Not where a position more would take a vector more, of few, but for sums that then ask nothing:
  // 64 to 1, 4x4x4 at 2, 16x32x32 5720 and 4970.
  const std::int64_t width = axes[kWidth].max_count();
  const bool fills_vectors = width % kDirectColumns == 0 && width <= 8 * kDirectColumns;
  if (may_double() || (fills_vectors && (!several || may_be_apart))) {
    alike = alike && columns.late == 0;
    columns.late = 0;
  }
  const std::int64_t together = rows.count * columns.count;
  if (together < 2 || together * filter_.panel_rows() > kDirectPhases || remainders_.size() > 1) {
    return;
  }
  rings_ = {PhaseRing{}, rows, columns};
  for (int d = 0; d < kSpatial; ++d) most_[d] = axes[d].max_count();
  for (const int d : {kHeight, kWidth}) {
    for (std::int64_t p = 0; p < rings_[d].count; ++p) joined_sizes_[d] += axes[d].phase(p).count;
  }
  const std::int64_t phases = may_be_apart && !alike ? 1 : together;
  for (std::int64_t d = 0; d < axes[kDepth].phase_count(); ++d) {
    JointPhases joint;
    joint.depth = axes[kDepth].phase(d);
    for (std::int64_t first = 0; first < together; first += phases) {
      joint.parts.push_back(joint_part(d, first, phases));
    }
    find_doubling(joint);
    joint_.push_back(std::move(joint));
  }
}

// Of some phases of the last two dimensions, for one of the first.
DirectConvolution::JointPhases::Part DirectConvolution::joint_part(std::int64_t depth,
                                                                   std::int64_t first,
                                                                   std::int64_t count) {
  const auto& axes = geometry_.axes;
  const auto& [unused, rows, columns] = rings_;
  JointPhases::Part part{first, {}, {}, joint_factors_};
  // By place in the planes.
  std::map<std::int64_t, std::array<std::optional<JointPhases::Factor>, kDirectPhases>> users;
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t h = (first + p) / columns.count, w = (first + p) % columns.count;
    PhaseTaps& phase =
        phases_[(depth * axes[kHeight].phase_count() + rows.phase(h)) * axes[kWidth].phase_count() +
                columns.phase(w)];
    phase.joined = true;
    const std::int64_t delay = rows.delay(h) * rows_of_[kWidth] + columns.delay(w);
    const std::int64_t taps = std::ssize(phase.taps);
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t m = 0; m < filter_.panel_rows(); ++m) {
        users[phase.taps[t] - delay][m * count + p] = {phase.class_offset + t, taps, m};
      }
    }
  }
  std::int64_t line = -1;
  for (const auto& [offset, factors] : users) {
    DirectTap tap{.offset = offset, .users = 0, .fetch = offset / rows_of_[kWidth] != line};
    line = offset / rows_of_[kWidth];
    for (int p = 0; p < kDirectPhases; ++p) {
      if (!factors[p]) continue;
      tap.users |= 1u << p;
      part.factors.push_back(*factors[p]);
    }
    part.taps.push_back(tap);
  }
  joint_factors_ += geometry_.in_channels * std::ssize(part.factors);
  return part;
}

// Whether DirectDoubling is for such sums, if their taps lie as it wants them.
bool DirectConvolution::may_double() const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto doubles = [](const ConvolutionAxis& axis) {
    return axis.phase_count() == 2 && axis.phase(0).taps == 2 && axis.phase(1).taps == 2;
  };
  return kernels_.sum_doubling != nullptr && g.in_channels == 1 && g.out_channels == 1 &&
         g.axes[kDepth].window() == 1 && doubles(g.axes[kHeight]) && doubles(g.axes[kWidth]) &&
         g.out_strides[kWidth] == 1 && general_.stores_sums();
}

void DirectConvolution::find_doubling(JointPhases& joint) const {
  if (!may_double() || rings_[kHeight].count != 2 || rings_[kWidth].count != 2) return;
  const std::vector<DirectTap>& of_joint = joint.parts.front().taps;
  // Two columns of the input, or three of which the second phase leaves out the first.
  for (const int shift : {0, 1}) {
    std::vector<DirectTap> taps;
    const std::int64_t first = of_joint[0].offset;
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t w = 0; w < 2 + shift; ++w) {
        const std::uint32_t even = w < 2 ? 5 : 0, odd = w >= shift ? 10 : 0;
        taps.push_back({first + h * rows_of_[kWidth] + w, even | odd, false});
      }
    }
    const auto same = [](const DirectTap& a, const DirectTap& b) {
      return a.offset == b.offset && a.users == b.users;
    };
    if (std::ranges::equal(of_joint, taps, same)) joint.doubling_shift = shift;
  }
}

void DirectConvolution::pack_all(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
  if (in_place_) put_columns_first(packed);
  pack_joint(packed, reinterpret_cast<float*>(packed + joint_offset_));
}

void DirectConvolution::pack_joint(const std::byte* packed, float* to) const noexcept {
  for (std::int64_t group = 0; group < geometry_.groups; ++group) {
    for (std::int64_t panel = 0; panel < filter_.panels(); ++panel) {
      for (const JointPhases& joint : joint_) {
        for (const JointPhases::Part& part : joint.parts) {
          for (std::int64_t c = 0; c < geometry_.in_channels; ++c) {
            for (const JointPhases::Factor& f : part.factors) {
              *to++ = filter_.panel(packed, group, panel, f.row + c * f.rows_a_channel)[f.channel];
            }
          }
        }
      }
    }
  }
}

void DirectConvolution::sum_joint(const RunArguments& arguments, const float* factors,
                                  const Tile& tile, std::int64_t group, const JointPhases& joint,
                                  const float* planes, const float* next,
                                  float* scratch) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Phase& pd = joint.depth;
  const auto& [unused, rows, columns] = rings_;
  const std::int64_t depth = std::min(tile.size[kDepth], pd.count - tile.first[kDepth]);
  // The last tile has the late phases' last outputs too.
  const auto positions = [&](int d) {
    const bool last = tile.first[d] + tile.size[d] == most_[d];
    return tile.size[d] + (last && rings_[d].late > 0 ? 1 : 0);
  };
  const std::int64_t height = positions(kHeight), width = positions(kWidth);
  // Outputs of a row, from the first of the tile's first position on.
  const std::int64_t start = tile.first[kWidth] * columns.count - columns.late;
  const std::int64_t begin = std::max<std::int64_t>(-start, 0);
  const std::int64_t end = std::min(width * columns.count, joined_sizes_[kWidth] - start);
  float* const line = scratch + kDirectPhases * sums_stride_;
  const std::int64_t together = rows.count * columns.count;
  for (std::int64_t panel = 0; panel < filter_.panels(); ++panel) {
    const std::int64_t first_channel = panel * filter_.panel_rows();
    const std::int64_t channels = std::min(filter_.panel_rows(), g.out_channels - first_channel);
    const std::int64_t channel = group * g.out_channels + first_channel;
    const std::int64_t phases = together / std::ssize(joint.parts);  // of each part
    float bias[kDirectPhases] = {};
    for (std::int64_t m = 0; m < channels; ++m) {
      std::fill_n(bias + m * phases, phases, bias_of(arguments, channel + m));
    }
    const auto sum_row = [&](const JointPhases::Part& part, const float* from, std::int64_t r) {
      const std::int64_t sums = filter_.panel_rows() * phases;
      const std::int64_t factors_a_sum = std::ssize(part.factors) / sums;
      // The first part brings nearer what is wanted next.
      const bool fetches = next != nullptr && part.first == 0;
      kernels_.sum_phases(
          {.in = from,
           .in_channel_stride = channel_stride_,
           .in_channels = g.in_channels,
           .next = fetches ? next + r * g.in_strides[kHeight] : from,
           .next_channel_stride = fetches ? g.in_channel_stride : 0,
           .channel_block = kBlockTerms / std::clamp<std::int64_t>(factors_a_sum, 1, kBlockTerms),
           .taps = part.taps.data(),
           .tap_count = std::ssize(part.taps),
           .filter = factors + panel * joint_factors_ + part.first_factor,
           .bias = bias,
           .ramp = general_.ramp(),
           .sums = static_cast<int>(sums),
           .out = scratch + part.first * sums_stride_,
           .out_stride = together / phases * sums_stride_,
           .columns = width});
    };
    for (std::int64_t i = 0; i < depth; ++i) {
      for (std::int64_t r = 0; r < height; ++r) {
        const float* const from =
            planes + (i * step_[kDepth] * rows_of_[kHeight] + r) * rows_of_[kWidth];
        for (const JointPhases::Part& part : joint.parts) sum_row(part, from, r);
        const std::int64_t first_row = (tile.first[kHeight] + r) * rows.count - rows.late;
        std::int64_t m = 0, row = first_row - 1;
        for (std::int64_t n = 0; n < channels * rows.count; ++n) {
          if (++row == first_row + rows.count) {
            row = first_row;
            ++m;
          }
          if (row < 0 || row >= joined_sizes_[kHeight]) continue;
          float* const from = scratch + n * columns.count * sums_stride_;
          if (!general_.only_ramps()) general_.activate(from, columns.count * sums_stride_);
          const std::int64_t offset =
              tile.image * g.out_batch_stride + (channel + m) * g.out_channel_stride +
              (pd.start + (tile.first[kDepth] + i) * pd.step) * g.out_strides[kDepth] +
              row * g.out_strides[kHeight] + start * g.out_strides[kWidth];
          auto* output = static_cast<std::byte*>(arguments.outputs[0]) + offset * element_bytes_;
          for (std::int64_t at = 0; at < (end - begin) * element_bytes_; at += kLine) {
            __builtin_prefetch(output + kFetchAhead + at, 1);
          }
          if (data_type_ == DataType::float32 && g.out_strides[kWidth] == 1) {
            rows_.interleave(from, sums_stride_, columns.count, reinterpret_cast<float*>(output),
                             begin, end);
          } else if (g.out_strides[kWidth] == 1) {
            rows_.interleave_f16(from, sums_stride_, columns.count, output, begin, end);
          } else {
            rows_.interleave(from, sums_stride_, columns.count, line, begin, end);
            rows_.store(data_type_)(line + begin,
                                    output + begin * g.out_strides[kWidth] * element_bytes_,
                                    g.out_strides[kWidth], end - begin);
          }
        }
      }
    }
  }
}

void DirectConvolution::sum_doubling(const RunArguments& arguments, const float* factors,
                                     const Tile& tile, std::int64_t group, const JointPhases& joint,
                                     const float* planes, const float* next) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Phase& pd = joint.depth;
  const std::int64_t depth = std::min(tile.size[kDepth], pd.count - tile.first[kDepth]);
  // The last tile has the late phases' last outputs too.
  const bool last = tile.first[kHeight] + tile.size[kHeight] == most_[kHeight];
  const std::int64_t late = rings_[kHeight].late;
  const std::int64_t row = 2 * tile.first[kHeight] - late, column = 2 * tile.first[kWidth];
  kernels::DirectDoubling sums{
      .in = nullptr,
      .in_row_stride = rows_of_[kWidth],
      .shift = joint.doubling_shift,
      .filter = factors + joint.parts.front().first_factor,
      .bias = bias_of(arguments, group),
      .ramp = general_.ramp(),
      .out = nullptr,
      .half = data_type_ == DataType::float16,
      .out_row_stride = g.out_strides[kHeight],
      .rows = tile.size[kHeight] + (last ? late : 0),
      .columns = tile.size[kWidth],
      .next = next,
      .next_row_stride = next != nullptr ? g.in_strides[kHeight] : 0,
      .row_begin = std::max<std::int64_t>(-row, 0),
      .row_end = joined_sizes_[kHeight] - row,
      .column_begin = 0,
      .column_end = std::min(2 * tile.size[kWidth], joined_sizes_[kWidth] - column)};
  sums.row_end = std::min(sums.row_end, 2 * sums.rows);
  for (std::int64_t i = 0; i < depth; ++i) {
    const std::int64_t offset =
        tile.image * g.out_batch_stride + group * g.out_channel_stride +
        (pd.start + (tile.first[kDepth] + i) * pd.step) * g.out_strides[kDepth] +
        row * g.out_strides[kHeight] + column;
    sums.in = planes + i * step_[kDepth] * rows_of_[kHeight] * rows_of_[kWidth] +
              joint.parts.front().taps[0].offset;
    sums.out = static_cast<std::byte*>(arguments.outputs[0]) + offset * element_bytes_;
    kernels_.sum_doubling(sums);
    activate_rows(static_cast<float*>(sums.out) + sums.row_begin * sums.out_row_stride,
                  sums.row_end - sums.row_begin, sums.out_row_stride, sums.column_end);
  }
}

const float* DirectConvolution::wanted_next(const std::byte* image, const Tile& tile,
                                            std::int64_t group, std::int64_t index) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  if (data_type_ != DataType::float32 || g.in_strides[kWidth] != 1) return nullptr;
  Tile wanted = tile;
  if (group + 1 < tile.first_group + tile.group_count) {
    wanted.first_group = group + 1;
  } else if (index + 1 < tile_count_) {
    wanted = locate(index + 1);
    if (wanted.image != tile.image) return nullptr;
    if (wanted.first_group == tile.first_group) wanted.first[kHeight] += spread_[kHeight];
  } else {
    return nullptr;
  }
  std::int64_t offset = wanted.first_group * g.in_channels * g.in_channel_stride;
  for (int d = 0; d < kSpatial; ++d) {
    offset += std::max<std::int64_t>(wanted.first[d] + lowest_[d], 0) * g.in_strides[d];
  }
  return reinterpret_cast<const float*>(image) + offset;
}

float DirectConvolution::bias_of(const RunArguments& arguments,
                                 std::int64_t channel) const noexcept {
  float bias = 0;
  if (const auto* biases = static_cast<const std::byte*>(arguments.inputs[2])) {
    rows_.load(data_type_)(biases + channel * geometry_.bias_stride * element_bytes_, 1, &bias, 1);
  }
  return bias;
}

}  // namespace weft::ops
