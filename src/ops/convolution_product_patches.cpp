// Patches and results of ProductConvolution: what goes into a tile and what comes out of it.

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "kernels/one_nan.h"
#include "ops/convolution_product.h"

namespace weft::ops {

using kernels::kSplitBlock;
using kernels::LaneRange;
using kernels::PatchPairs;
using kernels::ProductResult;
using kernels::ProductSide;

namespace {

// Elements from one position to the next. Patches 16x16 of 3x224x224 for 768 channels, in turns:
// 1043 us, 1175 term by term; 8x8x8 of 128x128x64 in float16 for 256: 1995, 3634.
constexpr std::int64_t kFarPositions = 2;

}  // namespace

ProductConvolution::Batch ProductConvolution::batch_at(const Tile& tile, std::int64_t first,
                                                       std::int64_t step) const noexcept {
  return {first, std::min(run_, tile.count - first), step,
          std::min(step_chunk_, filter_.steps(tile.set->taps) - step)};
}

// Tells the kernels where the patches of a batch come from, all or, where rows are gathered, those
// of one step.
void ProductConvolution::set_packing(const Tile& tile, const std::byte* input, const Batch& batch,
                                     std::uint16_t* to, const Slot& slot,
                                     ProductSide& side) const noexcept {
  side.units = 0;
  const InPlace& place = tile.set->in_place;
  const std::int64_t taps = tile.set->taps;
  const std::int64_t first_term = batch.step * kSplitBlock;
  const std::int64_t terms = std::min(batch.steps * kSplitBlock, tile.set->terms - first_term);
  for (std::int64_t t = 0; t < std::min(terms, taps); ++t) {
    slot.row_offsets[t] = (first_term + t) / taps * shape_.in_channel_stride +
                          tap_offset(*tile.set, (first_term + t) % taps);
  }
  for (std::int64_t t = taps; t < terms; ++t) {
    slot.row_offsets[t] = slot.row_offsets[t - taps] + shape_.in_channel_stride;
  }
  std::fill_n(slot.row_offsets + terms, kernels::kPatchTermsAhead, std::int64_t{0});
  side.rows = {.rows = input,
               .offsets = slot.row_offsets,
               .half = data_type_ == DataType::float16,
               .step = place.step,
               .first = tile.first + batch.first,
               .length = place.length,
               .image_stride = place.image_stride,
               .terms = terms,
               .positions = batch.count,
               .to = to,
               .block_stride = batch.steps * kernels_.parts * kernels::kSplitPatchPart};
}

void ProductConvolution::pack(const Tile& tile, const std::byte* input, const Batch& batch,
                              std::uint16_t* to, const Slot& slot,
                              ProductSide& side) const noexcept {
  if (tile.set->in_place.step > 0) {
    set_packing(tile, input, batch, to, slot, side);
    kernels_.pack(side);
  } else {
    const std::int64_t step_elements = kernels_.parts * kernels::kSplitPatchPart;
    for (std::int64_t t = 0; t < kSplitBlock + kernels::kPatchTermsAhead; ++t) {
      slot.row_offsets[t] = std::min(t, kSplitBlock - 1) * run_;
    }
    for (std::int64_t s = 0; s < batch.steps; ++s) {
      const std::int64_t first_term = (batch.step + s) * kSplitBlock;
      side.units = 0;
      side.rows = {.rows = slot.rows,
                   .offsets = slot.row_offsets,
                   .half = data_type_ == DataType::float16,
                   .step = 1,
                   .first = 0,
                   .length = INT64_MAX,
                   .image_stride = 0,
                   .terms = std::min(kSplitBlock, tile.set->terms - first_term),
                   .positions = batch.count,
                   .to = to + s * step_elements,
                   .block_stride = batch.steps * step_elements};
      for (std::int64_t t = 0, terms = 0; t < side.rows.terms; t += terms) {
        terms = std::min(neighbours(*tile.set, first_term + t), side.rows.terms - t);
        gather_rows(tile, input, tile.first + batch.first, batch.count, first_term + t, terms,
                    reinterpret_cast<std::byte*>(slot.rows) + t * run_ * element_bytes_);
      }
      kernels_.pack(side);
    }
  }
  side.rows.terms = 0;
}

// Of the first position's element in a channel.
std::int64_t ProductConvolution::tap_offset(const PhaseSet& set, std::int64_t tap) const noexcept {
  const auto& [pd, ph, pw] = set.inputs;
  return pw.offset(tap % pw.taps) * shape_.in_strides[2] +
         ph.offset(tap / pw.taps % ph.taps) * shape_.in_strides[1] +
         pd.offset(tap / (pw.taps * ph.taps)) * shape_.in_strides[0];
}

// How many terms from one on read neighbours in the input, where positions lie so far apart that
// these are better read together.
std::int64_t ProductConvolution::neighbours(const PhaseSet& set, std::int64_t term) const noexcept {
  const Phase& pw = set.inputs[2];
  if (shape_.in_strides[2] != 1 || pw.offset_step != 1 || pw.in_step < kFarPositions) return 1;
  return pw.taps - term % pw.taps;
}

// Rows of positions, run_ apart, of one term or of several neighbours.
void ProductConvolution::gather_rows(const Tile& tile, const std::byte* input,
                                     std::int64_t position, std::int64_t count, std::int64_t term,
                                     std::int64_t terms, std::byte* to) const noexcept {
  const ConvolutionGeometry& g = shape_;
  // References, since clang 14 captures no bindings.
  const Phase &pd = tile.set->inputs[0], &ph = tile.set->inputs[1], &pw = tile.set->inputs[2];
  const std::int64_t tap = term % tile.set->taps;
  const std::int64_t off_w = pw.offset(tap % pw.taps);
  const std::int64_t off_h = ph.offset(tap / pw.taps % ph.taps);
  const std::int64_t off_d = pd.offset(tap / (pw.taps * ph.taps));
  // Columns that lie inside for all of the terms.
  auto [inside_begin, inside_end] = g.axes[2].inside(pw, off_w);
  if (terms > 1) inside_end = g.axes[2].inside(pw, off_w + terms - 1)[1];
  const std::int64_t stride = pw.in_step * g.in_strides[2];
  const std::byte* channel = input + term / tile.set->taps * g.in_channel_stride * element_bytes_;
  std::int64_t row = position / pw.count;
  std::int64_t column = position % pw.count;
  for (std::int64_t n = 0, end = 0; n < count; n += end - column, ++row, column = 0) {
    end = std::min(pw.count, column + count - n);
    const std::int64_t d = row / ph.count * pd.in_step + off_d;
    const std::int64_t h = row % ph.count * ph.in_step + off_h;
    const bool inside = d >= 0 && d < g.axes[0].in_size() && h >= 0 && h < g.axes[1].in_size();
    const std::int64_t begin = inside ? std::clamp(inside_begin, column, end) : end;
    const std::int64_t last = std::clamp(inside_end, begin, end);
    const auto place = [&](std::int64_t at) { return to + (n + at - column) * element_bytes_; };
    const auto gather_edge = [&](std::int64_t from, std::int64_t stop) {
      if (from == stop) return;
      if (terms == 1) {
        std::memset(place(from), 0, (stop - from) * element_bytes_);
        return;
      }
      for (std::int64_t q = 0; q < terms; ++q) {
        gather_rows(tile, input, row * pw.count + from, stop - from, term + q, 1,
                    place(from) + q * run_ * element_bytes_);
      }
    };
    gather_edge(column, begin);
    if (begin < last) {
      const std::byte* from = channel + (d * g.in_strides[0] + h * g.in_strides[1] +
                                         (begin * pw.in_step + off_w) * g.in_strides[2]) *
                                            element_bytes_;
      if (terms == 1 && data_type_ == DataType::float16) {
        rows_.copy(data_type_)(from, stride, place(begin), 1, last - begin);
      } else if (terms == 1) {  // which knows a stride of 2
        rows_.load(data_type_)(from, stride, reinterpret_cast<float*>(place(begin)), last - begin);
      } else {
        transpose_({.from = from,
                    .from_row = stride,
                    .to = place(begin),
                    .to_row = run_,
                    .rows = terms,
                    .count = last - begin});
      }
    }
    gather_edge(last, end);
  }
}

void ProductConvolution::fill_planes(const Tile& tile, const std::byte* input, const Slot& slot,
                                     LaneRange& range) const noexcept {
  const ConvolutionGeometry& g = shape_;
  const Phase &pd = tile.set->inputs[0], &ph = tile.set->inputs[1], &pw = tile.set->inputs[2];
  const std::int64_t first_row = tile.first / pw.count;
  const std::int64_t out_d = first_row / ph.count;
  const std::int64_t first_y = first_row % ph.count * ph.in_step + planes_.first_offset;
  const std::int64_t rows = (tile.count / pw.count - 1) * ph.in_step + ph.taps;
  const std::int64_t stride = pw.in_step * g.in_strides[2];
  const std::int64_t pairs = planes_.pairs / pd.taps;
  std::uint16_t* to = slot.planes;
  const auto fill_zeros = [&](std::int64_t count) {
    for (std::int64_t q = 0; q < kernels_.parts; ++q) {
      std::fill_n(to + q * plane_part_, count * planes_.pitch, std::uint16_t{0});
    }
  };
  for (std::int64_t y = first_y; y < first_y + rows; ++y) {
    for (std::int64_t i = 0; i < pd.taps; ++i, to += pairs * planes_.pitch) {
      const std::int64_t d = out_d * pd.in_step + pd.offset(i);
      if (d < 0 || d >= g.axes[0].in_size() || y < 0 || y >= g.axes[1].in_size()) {
        fill_zeros(pairs);
        continue;
      }
      const std::byte* row = input + (d * g.in_strides[0] + y * g.in_strides[1]) * element_bytes_;
      PatchPairs packing{.row = row,
                         .half = data_type_ == DataType::float16,
                         .step = static_cast<int>(stride),
                         .taps = planes_.taps.data(),
                         .pairs = pairs,
                         .positions = pw.count,
                         .to = to,
                         .pair_stride = planes_.pitch,
                         .part_stride = plane_part_};
      if (stride == 1 || stride == 2) {
        kernels_.pack_pairs(packing, range);
        continue;
      }
      packing.row = slot.rows;
      packing.half = false;
      packing.step = 1;
      packing.pairs = 1;
      for (std::int64_t n = 0; n < pairs; ++n, packing.to += planes_.pitch) {
        std::array<PatchPairs::Tap, 2> taps = {planes_.taps[2 * n], planes_.taps[2 * n + 1]};
        for (std::int64_t q = 0; q < 2; ++q) {
          PatchPairs::Tap& tap = taps[q];
          if (tap.begin < tap.end) {
            rows_.load(data_type_)(row + (tap.offset + tap.begin * stride) * element_bytes_, stride,
                                   slot.rows + q * planes_.pitch + tap.begin, tap.end - tap.begin);
          }
          tap.offset = q * planes_.pitch;
        }
        packing.taps = taps.data();
        kernels_.pack_pairs(packing, range);
      }
    }
  }
  // Products read whole steps, past the last window.
  fill_zeros(std::ssize(planes_.order) / 2 - ph.taps * planes_.pairs);
}

// Hands a block's sums to the next products, which store them on their way, or stores them now.
void ProductConvolution::store(const RunArguments& arguments, const Tile& tile,
                               const Member& member, std::int64_t block, std::int64_t position,
                               std::int64_t count, const Slot& slot, float* acc,
                               ProductSide& side) const noexcept {
  static constexpr float kNoBias[kSplitBlock] = {};
  const ConvolutionGeometry& g = shape_;
  // References, since clang 14 captures no bindings.
  const Phase &pd = member.phases[0], &ph = member.phases[1], &pw = member.phases[2];
  const Phase &in_d = tile.set->inputs[0], &in_h = tile.set->inputs[1], &in_w = tile.set->inputs[2];
  const std::int64_t together = tile.set->interleaved;
  const std::int64_t late = together > 1 ? tile.set->late : member.delays[2];
  const std::int64_t length = together > 1 ? tile.set->length : pw.count;  // of an output row
  const std::int64_t first_channel = (tile.first_out_block + block) * kSplitBlock;
  const std::int64_t outputs = std::min(kSplitBlock, g.out_channels - first_channel);
  const float* bias = slot.bias + block * kSplitBlock;
  auto* output = static_cast<std::byte*>(arguments.outputs[0]) +
                 (tile.image * g.out_batch_stride +
                  (tile.group * g.out_channels + first_channel) * g.out_channel_stride) *
                     element_bytes_;
  const std::int64_t stride = together > 1 ? 1 : pw.step * g.out_strides[2];
  const bool plain = plain_results_ && stride == 1;
  if (side.result.next < side.result.outputs) kernels_.store(side);
  if (!plain) {
    for (std::int64_t q = 0; q < together; ++q) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        float* sums = acc + (q * kSplitBlock + o) * kSplitBlock;
        for (std::int64_t i = 0; i < count; ++i) {
          sums[i] = kernels::one_nan(sums[i] + bias[o]);
        }
        general_.activate(sums, count);
      }
    }
  }
  // Rows that lie one behind the other are one.
  const bool merged = stride == 1 && in_w.count * together == length && in_d.count == 1 &&
                      pd.count == 1 && ph.count == in_h.count &&
                      (ph.count == 1 || ph.step * g.out_strides[1] == length);
  const std::int64_t rows = merged ? 1 : in_h.count;
  const std::int64_t pitch = merged ? in_h.count * in_w.count : in_w.count;
  const std::int64_t row_length = merged ? ph.count * length : length;
  // Depth and height of a row of positions. Divisions take long.
  const auto place = [&](std::int64_t row) {
    const std::int64_t depth = in_d.count == 1 ? 0 : row / rows;
    return std::array{depth - member.delays[0], row - depth * rows - member.delays[1]};
  };
  // Where the outputs of a position begin, in elements from `output`.
  const auto offset_of = [&](std::int64_t row, std::int64_t column) {
    const auto [d, h] = place(row);
    return (pd.start + d * pd.step) * g.out_strides[0] +
           (ph.start + h * ph.step) * g.out_strides[1] +
           (together > 1 ? 0 : pw.start * g.out_strides[2]) + (column * together - late) * stride;
  };
  const auto inside = [&](std::int64_t row) {
    const auto [d, h] = place(row);
    return d >= 0 && d < pd.count && h >= 0 && h < ph.count;
  };
  std::int64_t row = (tile.first + position) / pitch;
  std::int64_t column = (tile.first + position) - row * pitch;
  const std::int64_t ahead =
      column + count < pitch ? count * together * stride
                             : offset_of(row + 1, column + count - pitch) - offset_of(row, column);
  ProductResult& result = side.result;
  result.acc = acc;
  result.bias = plain ? bias : kNoBias;
  result.ramp = plain ? general_.ramp() : nullptr;
  result.half = data_type_ == DataType::float16;
  result.past_cache = past_cache_;
  result.interleaved = static_cast<int>(together);
  result.outputs = stride == 1 ? outputs : 0;
  result.output_stride = g.out_channel_stride;
  result.ahead = ahead;
  result.steps = std::min(step_chunk_, filter_.steps(tile.set->taps)) * together;
  result.run_count = result.next = 0;
  for (std::int64_t first = 0; first < count; ++row, column = 0) {
    const std::int64_t positions = std::min(pitch - column, count - first);
    const std::int64_t start = column * together - late;
    const std::int64_t begin = std::max<std::int64_t>(-start, 0);
    const std::int64_t end = std::min(positions * together, row_length - start);
    std::byte* to = output + offset_of(row, column) * element_bytes_;
    if (begin < end && inside(row) && stride == 1) {
      if (result.run_count == ProductResult::kMostRuns) {
        kernels_.store(side);
        result.run_count = result.next = 0;
      }
      result.runs[result.run_count++] = {first, begin, end, to};
    } else if (begin < end && inside(row)) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        rows_.store(data_type_)(acc + o * kSplitBlock + first + begin,
                                to + (o * g.out_channel_stride + begin * stride) * element_bytes_,
                                stride, end - begin);
      }
    }
    first += positions;
  }
  // A member's phases may begin rows later than those of others.
  if (result.run_count == 0) result.next = result.outputs;
}

}  // namespace weft::ops
