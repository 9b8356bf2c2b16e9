// Products of ConvolutionPlan with positions along vectors, of some input channels after the
// others.

#include <algorithm>
#include <cassert>

#include "base/checked.h"
#include "base/fetch.h"
#include "ops/convolution_plan.h"

namespace weft::ops {

namespace {

const std::byte* bytes_of(const float* from) { return reinterpret_cast<const std::byte*>(from); }

// Runs of memory that come nearer while some products are formed, each a part of a run, or some.
class RunsAhead {
 public:
  RunsAhead(const float* from, std::int64_t run_stride, std::int64_t run_bytes, std::int64_t runs,
            std::int64_t products, std::int64_t terms)
      : run_(from),
        run_stride_(run_stride),
        run_bytes_(run_bytes),
        runs_(runs),
        at_once_(std::max<std::int64_t>(runs / products, 1)),
        parts_(std::max<std::int64_t>(products / std::max<std::int64_t>(runs, 1), 1)),
        step_(runs > 0 ? base::divide_up(run_bytes, parts_ * terms) : 0),
        terms_(terms),
        next_(reinterpret_cast<const char*>(from)),
        parts_left_(parts_) {}

  // The next of the products brings its share, a line a term.
  void come_with(kernels::GemmTile& product) {
    product.next = next_;
    product.next_step = step_;
    next_ += step_ * terms_;
    if (--parts_left_ == 0) end_run();
  }

 private:
  void end_run() {
    for (std::int64_t i = 1; i < std::min(at_once_, runs_); ++i) {
      base::fetch_to_second_level(bytes_of(run_ + i * run_stride_), run_bytes_);
    }
    runs_ -= at_once_;
    run_ += at_once_ * run_stride_;
    parts_left_ = parts_;
    if (runs_ > 0) {
      next_ = reinterpret_cast<const char*>(run_);
    } else {
      next_ -= step_ * terms_;  // the same line again
      step_ = 0;
    }
  }

  const float* run_;
  std::int64_t run_stride_, run_bytes_, runs_, at_once_, parts_, step_, terms_;
  const char* next_;
  std::int64_t parts_left_;
};

}  // namespace

// Strip by strip, a line or two of each channel would be read, which from an outer cache takes four
// times as long as what lies together. So while a slab of some channels is multiplied, the runs of
// the next one come nearer, a part of a run with each product. In turns, one thread, in us: 240 to
// 40 channels, 28x28, 1x1: 284, slab by slab 158; 64 to 64, 80x80: 1237 and 646.
void ConvolutionPlan::multiply_slabs(const RunArguments& arguments, const std::byte* packed,
                                     const Tile& given, const Slot& slot) const noexcept {
  assert(given.in_place);
  const ConvolutionGeometry& g = geometry_;
  const Tile tile = join_rows(given);
  const std::int64_t rows = filter_.panel_rows();
  const std::int64_t channels = channel_count(tile);
  load_bias(arguments, tile, tile.first_panel, tile.panel_count, slot.bias);
  const auto* const input = reinterpret_cast<const float*>(given.input);
  const std::byte* const next = next_input(arguments, given);
  const auto* const next_tile = next == nullptr ? input : reinterpret_cast<const float*>(next);
  const std::int64_t next_tile_runs = next == nullptr ? 0 : kFirstSlab;
  auto* const output = reinterpret_cast<float*>(first_output(arguments, tile));
  const std::int64_t offset = filter_.class_offset(tile.phases);
  const auto filter = [&](std::int64_t p, std::int64_t channel) {
    return filter_.panel(packed, tile.group, tile.first_panel + p, offset + channel);
  };

  // The last strip goes over some positions of the one before, whose sums it must not go on with.
  const std::int64_t strips = list_strips(tile, tiling_.channel_block, slot);
  const std::int64_t columns = vectors_ * gemm_.lanes;
  const Strip& last_strip = slot.strips[strips - 1];
  const bool overlaps =
      strips > 1 && last_strip.acc < slot.strips[strips - 2].acc + slot.strips[strips - 2].count;

  const std::int64_t calls = tile.panel_count * strips;
  const std::int64_t run_bytes = tile.count[2] * 4;
  if (*slot.box != given.index) {
    for (std::int64_t c = 0; c < kFirstSlab; ++c) {
      base::fetch_to_second_level(bytes_of(input + c * g.in_channel_stride), run_bytes);
    }
  }
  *slot.box = given.index + 1;

  kernels::GemmTile product{};
  product.a_step = 1;
  product.bias_of_positions = true;
  for (std::int64_t c = 0, count = kFirstSlab, next_count; count > 0;
       c += count, count = next_count) {
    next_count = std::min(tiling_.channel_block, g.in_channels - c - count);
    const bool last = next_count == 0;
    RunsAhead ahead(last ? next_tile : input + (c + count) * g.in_channel_stride,
                    g.in_channel_stride, run_bytes, last ? next_tile_runs : next_count, calls,
                    count);
    product.depth = count;
    product.first = c == 0;
    product.last = last;
    if (last) product.ramp = ramp();
    for (std::int64_t s = 0; s < strips; ++s) {
      const Strip& strip = slot.strips[s];
      const bool aside = overlaps && s == strips - 1;
      product.b = input + c * g.in_channel_stride + strip.a;
      product.acc_stride = aside ? columns : g.out_channel_stride;
      product.terms = strip.terms;
      for (std::int64_t p = 0; p < tile.panel_count; ++p) {
        const std::int64_t outputs = std::min(rows, channels - p * rows);
        product.a = filter(p, c);
        product.acc = aside ? slot.sums + p * panel_floats_
                            : output + p * rows * g.out_channel_stride + strip.acc;
        product.bias = last ? slot.bias + p * rows : nullptr;
        if (product.first) {
          base::fetch_rows_to_write(bytes_of(product.acc), product.acc_stride * 4, outputs,
                                    std::int64_t{strip.count} * 4);
        }
        ahead.come_with(product);
        (outputs == rows ? strip.function
                         : gemm_.tile(strip.count / gemm_.lanes, outputs, 1))(product);
      }
    }
  }
  for (std::int64_t n = 0; n < channels; ++n) {
    float* const row = output + n * g.out_channel_stride;
    if (overlaps) std::copy_n(slot.sums + n * columns, last_strip.count, row + last_strip.acc);
    if (!only_ramps()) activate(row + slot.strips[0].acc, tile.count[2]);
  }
}

}  // namespace weft::ops
