// What ProductConvolution makes of a convolution before it cuts it into tiles: one image, sets of
// phases that read the same inputs, and bands of rows whose planes are packed together.

#include <algorithm>
#include <cstdlib>

#include "base/checked.h"
#include "ops/convolution_product.h"

namespace weft::ops {

using kernels::kSplitBlock;

namespace {

constexpr std::int64_t kMaxPlaneTerms = 1024;
constexpr std::int64_t kMostPlaneBytes = 2 << 20;  // of a window's rows

// What a tile keeps of them in the second-level cache.
constexpr std::int64_t kPlaneBytes = 640 << 10;

bool same_inputs(const std::array<Phase, kSpatial>& a, const std::array<Phase, kSpatial>& b) {
  for (int d = 0; d < kSpatial; ++d) {
    if (a[d].count != b[d].count || a[d].taps != b[d].taps || a[d].in_step != b[d].in_step ||
        a[d].first_offset != b[d].first_offset || a[d].offset_step != b[d].offset_step) {
      return false;
    }
  }
  return true;
}

// A phase of one dimension, and as what a set sees it.
struct AlignedPhase {
  Phase phase;
  std::int64_t delay = 0;
  Phase inputs;
};

// In the order of the ring; `alike` phases read the same inputs.
std::vector<AlignedPhase> aligned_phases(const ConvolutionAxis& axis, const PhaseRing& ring) {
  std::vector<AlignedPhase> result;
  for (std::int64_t i = 0; i < axis.phase_count(); ++i) {
    const bool strided = i < ring.count;
    AlignedPhase p{.phase = axis.phase(strided ? ring.phase(i) : i), .delay = 0, .inputs = {}};
    p.inputs = p.phase;
    if (strided && ring.alike) {
      p.delay = ring.delay(i);
      p.inputs.first_offset -= p.delay * p.inputs.in_step;
      p.inputs.count = axis.max_count() + (ring.late > 0 ? 1 : 0);
    }
    result.push_back(p);
  }
  return result;
}

// How all phases read the same inputs, where that takes a position more, unless it costs too many.
std::array<PhaseRing, kSpatial> rings_of_products(const ConvolutionGeometry& g) {
  std::array<PhaseRing, kSpatial> rings;
  std::int64_t positions = 1, aligned = 1;
  for (int d = 0; d < kSpatial; ++d) {
    rings[d] = g.axes[d].ring();
    positions *= g.axes[d].max_count();
    aligned *= g.axes[d].max_count() + (rings[d].late > 0 ? 1 : 0);
  }
  if (8 * base::divide_up(aligned, kSplitBlock) > 9 * base::divide_up(positions, kSplitBlock)) {
    for (PhaseRing& ring : rings) {
      if (ring.late > 0) ring = {.count = ring.count, .late = 0, .alike = false};
    }
  }
  return rings;
}

}  // namespace

ConvolutionGeometry ProductConvolution::as_one_image(const ConvolutionGeometry& geometry) {
  if (geometry.batch == 1 || !geometry.axes[0].is_single() ||
      !planes_of(geometry, phase_sets(geometry)).taps.empty()) {
    return geometry;
  }
  ConvolutionGeometry g = geometry;
  const int axis = g.axes[2].is_single() ? 2 : 0;
  g.axes[axis] = ConvolutionAxis(ConvolutionDirection::forward, g.batch, g.batch, 1, 1, 1, 0, 0);
  g.in_strides[axis] = g.in_batch_stride;
  g.out_strides[axis] = g.out_batch_stride;
  g.batch = 1;
  return g;
}

// Only of one phase and one class of taps, where windows overlap, take rows one after the other and
// leave none out, and do not fill blocks of 16 positions badly.
ProductConvolution::Planes ProductConvolution::planes_of(const ConvolutionGeometry& geometry,
                                                         const std::vector<PhaseSet>& sets) {
  Planes planes;
  const PhaseSet& set = sets.front();
  // References, since clang 14 captures no bindings.
  const Phase &pd = set.inputs[0], &ph = set.inputs[1], &pw = set.inputs[2];
  const std::int64_t width = base::round_up(pw.count, kSplitBlock / 2);
  for (const ConvolutionAxis& axis : geometry.axes) {
    if (axis.class_count() > 1) return planes;
  }
  if (sets.size() > 1 || set.members.size() > 1 || set.terms > kMaxPlaneTerms ||
      std::max({pd.in_step, ph.in_step, pw.in_step}) > kMaxPlaneTerms ||
      set.taps < 2 * pd.in_step * ph.in_step * pw.in_step || ph.taps < ph.in_step ||
      (ph.taps > 1 && std::abs(ph.offset_step) != 1) || 3 * pw.count < 2 * width) {
    return planes;
  }
  std::vector<std::int64_t> terms;  // of the taps of a row, from the first one
  const auto add_tap = [&](std::int64_t channel, std::int64_t tap) {
    if (channel < geometry.in_channels) {
      const auto [begin, end] = geometry.axes[2].inside(pw, pw.offset(tap));
      planes.taps.push_back(
          {channel * geometry.in_channel_stride + pw.offset(tap) * geometry.in_strides[2], begin,
           end});
      terms.push_back(channel * set.taps + tap);
    } else {
      planes.taps.push_back({});
      terms.push_back(-1);
    }
  };
  for (std::int64_t c = 0; c < geometry.in_channels; ++c) {
    for (std::int64_t tap = 0; tap < pw.taps / 2 * 2; ++tap) add_tap(c, tap);
  }
  // What is left pairs with the next channel's.
  for (std::int64_t c = 0; pw.taps % 2 == 1 && c < geometry.in_channels; c += 2) {
    add_tap(c, pw.taps - 1);
    add_tap(c + 1, pw.taps - 1);
  }
  planes.pairs = std::ssize(terms) / 2 * pd.taps;
  // An odd number of cache lines: pairs do not share cache sets.
  planes.pitch = (width / (kSplitBlock / 2) | 1) * kSplitBlock;
  planes.first_offset = std::min(ph.offset(0), ph.offset(ph.taps - 1));
  for (std::int64_t h = 0; h < ph.taps; ++h) {
    const std::int64_t tap_h = ph.offset_step < 0 ? ph.taps - 1 - h : h;
    for (std::int64_t d = 0; d < pd.taps; ++d) {
      for (const std::int64_t term : terms) {
        planes.order.push_back(term < 0 ? term : term + (d * ph.taps + tap_h) * pw.taps);
      }
    }
  }
  planes.order.resize(base::round_up(std::ssize(planes.order), kSplitBlock), -1);
  constexpr std::int64_t kParts = 3;
  if (std::ssize(planes.order) * planes.pitch * kParts > kMostPlaneBytes) return {};
  return planes;
}

ProductConvolution::InPlace ProductConvolution::in_place(const ConvolutionGeometry& geometry,
                                                         const PhaseSet& set) {
  constexpr std::int64_t kLeast = 16;  // see PatchRows
  constexpr InPlace kNot{};
  if (set.taps == 0) return kNot;
  std::int64_t step = 0, length = 1, images = 0, image_stride = 0;
  for (int d = kSpatial; d-- > 0;) {
    const Phase& phase = set.inputs[d];
    const auto [first, last] = std::minmax({phase.offset(0), phase.offset(phase.taps - 1)});
    if (first < 0) return kNot;
    if (last + (phase.count - 1) * phase.in_step >= geometry.axes[d].in_size()) return kNot;
    if (phase.count == 1) continue;
    const std::int64_t stride = phase.in_step * geometry.in_strides[d];
    if (step == 0) {
      if (stride != 1 && stride != 2) return kNot;
      step = stride;
    }
    if (images == 0 && stride == length * step) {
      length *= phase.count;
    } else if (images == 0 && length >= kLeast) {
      images = phase.count;
      image_stride = stride;
    } else if (images > 0 && stride == images * image_stride) {
      images *= phase.count;
    } else {
      return kNot;
    }
  }
  return {step == 2 ? 2 : 1, images > 0 ? length : INT64_MAX, image_stride};
}

std::vector<ProductConvolution::PhaseSet> ProductConvolution::phase_sets(
    const ConvolutionGeometry& geometry) {
  const std::array<PhaseRing, kSpatial> rings = rings_of_products(geometry);
  std::array<std::vector<AlignedPhase>, kSpatial> all;
  for (int d = 0; d < kSpatial; ++d) all[d] = aligned_phases(geometry.axes[d], rings[d]);
  std::vector<PhaseSet> sets;
  for (const AlignedPhase& d : all[0]) {
    for (const AlignedPhase& h : all[1]) {
      for (const AlignedPhase& w : all[2]) {
        const Phases inputs{d.inputs, h.inputs, w.inputs};
        auto set = std::find_if(sets.begin(), sets.end(), [&](const PhaseSet& other) {
          return same_inputs(other.inputs, inputs);
        });
        if (set == sets.end()) {
          const std::int64_t taps = inputs[0].taps * inputs[1].taps * inputs[2].taps;
          sets.push_back({inputs, {}, geometry.in_channels * taps, taps});
          set = sets.end() - 1;
        }
        set->members.push_back({{d.phase, h.phase, w.phase}, {d.delay, h.delay, w.delay}});
      }
    }
  }
  for (PhaseSet& set : sets) set.in_place = in_place(geometry, set);
  const PhaseRing& columns = rings[kSpatial - 1];
  if (geometry.out_strides[kSpatial - 1] != 1 || !columns.alike || columns.count < 2 ||
      columns.count > kernels::kMostInterleaved) {
    return sets;
  }
  for (PhaseSet& set : sets) {
    if (set.members.front().phases[2].step != columns.count) continue;
    set.interleaved = columns.count;
    set.late = columns.late;
    for (std::int64_t i = 0; i < columns.count; ++i) set.length += set.members[i].phases[2].count;
  }
  return sets;
}

// Bands of rows whose planes stay near, and so many that all threads have some.
void ProductConvolution::choose_bands(std::int64_t wanted) {
  const auto& [pd, ph, pw] = sets_.front().inputs;
  const std::int64_t row_bytes = kernels_.parts * planes_.pairs * planes_.pitch * 2;
  const std::int64_t fitting = (kPlaneBytes / row_bytes - ph.taps) / ph.in_step + 1;
  const std::int64_t others = shape_.batch * shape_.groups * pd.count;
  bands_ = std::max(base::divide_up(ph.count, std::max<std::int64_t>(fitting, 1)),
                    base::divide_up(wanted, others));
  band_rows_ = base::divide_up(ph.count, std::min(bands_, ph.count));
  bands_ = base::divide_up(ph.count, band_rows_);
  line_ = band_rows_ * pw.count;
  lines_ = pd.count * bands_;
  // Products read whole steps, past the last window.
  const std::int64_t steps = std::ssize(planes_.order) / kSplitBlock;
  plane_part_ =
      ((band_rows_ - 1) * ph.in_step * planes_.pairs + steps * kSplitBlock / 2) * planes_.pitch;
}

bool ProductConvolution::has_short_chains(const ConvolutionParams& params) const noexcept {
  const auto has_one_tap = [](const PhaseSet& set) { return set.taps <= 1; };
  return params.direction == ConvolutionDirection::backward && kernels_.parts == 3 &&
         std::all_of(sets_.begin(), sets_.end(), has_one_tap);
}

}  // namespace weft::ops
