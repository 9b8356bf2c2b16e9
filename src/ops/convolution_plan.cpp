#include "ops/convolution_plan.h"

#include <algorithm>
#include <string>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"

namespace weft::ops {

namespace {

// Below this many output channels a group a gemm panel would be mostly padding.
constexpr std::int64_t kMinGemmChannels = 4;

// Windows of more taps than any real one has would take lists of terms beyond every cache.
constexpr std::int64_t kMaxGemmTaps = 4096;

// A packed filter past this many bytes, and this many times its own memory, is a broadcast one:
// it is read where it lies, however slowly, instead of being written out.
constexpr std::uint64_t kMaxUnfoldedBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxUnfolding = 8;

// Of all lists together, unless strips end with taps.
constexpr std::int64_t kMaxListTerms = 8192;

// Where vectors of AVX-512 take two turns, strips of AVX2 that leave less of their last vector
// empty are faster. In turns, one thread of Zen 4, us: 96 to 576 channels, 14x14, 233 and 212; 112
// to 672, 315 and 288.
bool suits_shorter_strips(const ConvolutionGeometry& g, const kernels::GemmKernel& kernel) {
  constexpr std::int64_t kFewest = 65, kMost = 256, kMostToMore = 128;
  const std::int64_t most = g.out_channels <= g.in_channels ? kMost : kMostToMore;
  const kernels::GemmKernel& shorter = kernels::gemm_kernel(Isa::avx2);
  const std::int64_t positions = position_count(g);
  const bool leaves_less =
      base::round_up(positions, shorter.lanes) < base::round_up(positions, kernel.lanes);
  return kernel.isa == Isa::avx512 && base::halves_vectors() && leaves_less &&
         g.in_channels >= kFewest && g.in_channels <= most && joins_rows(g) &&
         is_best_across(g, kernel) && is_best_across(g, shorter) && suits_packed_strips(g, shorter);
}

const kernels::GemmKernel& kernel_for(const ConvolutionGeometry& g, DataType type,
                                      const PlanOptions& options) {
  const Isa isa = base::choose_isa(options.max_isa);
  if (options.strict) return kernels::fused_gemm_kernel(isa);
  const kernels::GemmKernel& kernel = kernels::gemm_kernel(isa);
  const bool shorter = type == DataType::float32 && suits_shorter_strips(g, kernel);
  return shorter ? kernels::gemm_kernel(Isa::avx2) : kernel;
}

double multiply_adds(const ConvolutionGeometry& g) {
  double terms =
      static_cast<double>(g.in_channels * g.out_channels) * static_cast<double>(g.groups * g.batch);
  for (const ConvolutionAxis& axis : g.axes) {
    terms *= static_cast<double>(axis.window()) *
             static_cast<double>(std::min(axis.in_size(), axis.out_size()));
  }
  return terms;
}

}  // namespace

bool ConvolutionPlan::reads_filter_in_place(const ConvolutionParams& params,
                                            const PlanOptions& options) {
  const TensorDesc& filter = params.filter;
  const std::uint64_t unfolded = *element_count(filter.sizes) * sizeof(float);
  const std::uint64_t memory = *extent_in_elements(filter) * byte_size(filter.data_type);
  return !options.prepare_filter && unfolded > kMaxUnfoldedBytes &&
         unfolded / kMaxUnfolding > memory;
}

ConvolutionPlan::ConvolutionPlan(const ConvolutionParams& params, const PlanOptions& options,
                                 SumChains chains)
    : geometry_(params),
      data_type_(params.input.data_type),
      element_bytes_(byte_size(params.input.data_type)),
      activation_(params.fused_activation),
      ramp_(ramp_of(activation_)),
      gemm_(kernel_for(geometry_, data_type_, options)),
      rows_(kernels::row_kernels(gemm_.isa)),
      load_rows_(kernels::direct_kernels(gemm_.isa).load(data_type_)),
      transpose_(kernels::transpose_kernel(gemm_.isa, 32).transpose),
      filter_in_place_(reads_filter_in_place(params, options)),
      direct_(filter_in_place_ || geometry_.window() > kMaxGemmTaps ||
              (geometry_.out_channels < kMinGemmChannels && !is_line_across(geometry_, gemm_))),
      chains_(chains),
      best_across_(chains == SumChains::as_usual && is_best_across(geometry_, gemm_) &&
                   !is_best_along(data_type_, geometry_, gemm_)),
      windows_(!direct_ && chains == SumChains::as_usual &&
               suits_windows(params, geometry_, options)),
      across_(!direct_ && (windows_ || best_across_)),
      // However a filter lies: other sums across have few terms, or are rounded to float16.
      one_chain_(options.strict || windows_ ||
                 (best_across_ && !(data_type_ == DataType::float32 && joins_rows(geometry_) &&
                                    suits_packed_strips(geometry_, gemm_)))),
      chain_(one_chain_ ? geometry_.in_channels : channels_a_chain(geometry_, chains)),
      // Strips of float16 are of one row each.
      joined_(across_ && joins_rows(geometry_) &&
              (data_type_ == DataType::float32 || geometry_.axes[0].max_count() > 1 ||
               geometry_.axes[1].max_count() > 1 || !suits_strips(geometry_, gemm_))),
      slabs_(joined_ && data_type_ == DataType::float32 && !suits_packed_strips(geometry_, gemm_) &&
             channels_a_slab(geometry_, gemm_) > 0),
      strips_first_(joined_ && data_type_ == DataType::float32 && !slabs_ &&
                    !suits_packed_strips(geometry_, gemm_) && suits_strips(geometry_, gemm_)),
      copies_strips_(false),
      strips_apart_(false),
      adds_to_bias_(!options.strict && data_type_ == DataType::float32 && params.bias &&
                    (windows_ || best_across_) && !joins_rows(geometry_)),
      vectors_(direct_   ? 1
               : across_ ? vectors_across(geometry_, gemm_)
                         : choose_vectors(geometry_, gemm_)),
      filter_(geometry_, data_type_, rows_.load(data_type_),
              direct_    ? 1
              : windows_ ? kernels::kGemmWindowsChannels
              : across_  ? equal_parts(geometry_.out_channels, gemm_.max_positions[vectors_ - 1])
                         : vectors_ * gemm_.lanes) {
  type = OperatorType::convolution;
  inputs = {params.input, params.filter, params.bias};
  outputs = {params.output};
  if (activation_) {
    const auto* kernel = kernels::activation_kernel(activation_->type, gemm_.isa);
    activation_row_ = kernel != nullptr ? kernel->function : nullptr;
    scale_row_ = kernels::activation_kernel(OperatorType::activation_linear, gemm_.isa)->function;
  }

  const bool half = data_type_ == DataType::float16;
  algorithm = direct_ ? (half ? gemm_.rows_f16_name : gemm_.rows_f32_name)
                      : (half ? gemm_.gemm_f16_name : gemm_.gemm_f32_name);

  choose_phases();
  choose_memory(multiply_adds(geometry_) < kMinParallelWork ? 1 : slot_count(options, INT64_MAX));
  workspace_size_in_bytes = slots_ * slot_bytes_;
  if (options.prepare_filter) {
    prepared_size_in_bytes = filter_.size_in_bytes();
  } else if (!filter_in_place_) {
    workspace_size_in_bytes += filter_.size_in_bytes();
  }
  explanation =
      "tiles of " +
      std::to_string(std::min(tiling_.panel_block * filter_.panel_rows(), geometry_.out_channels)) +
      " channels x " + std::to_string(tiling_.box_positions() * merged_phases()) + " positions, " +
      std::to_string(tiling_.channel_block) + " input channels at a time, " +
      std::to_string(tile_count_) + " tiles, " + std::to_string(slots_) + " slots" +
      (windows_          ? ", in place"
       : padded_rows_    ? ", rows in place"
       : tiling_.gathers ? ", gathered"
                         : "");
}

void ConvolutionPlan::choose_phases() {
  for (int d = 0; d < kSpatial; ++d) phase_counts_[d] = geometry_.axes[d].phase_count();
  if (direct_ || across_) return;
  const ConvolutionAxis& axis = geometry_.axes[kSpatial - 1];
  const Phase first = axis.phase(0);
  const std::int64_t stride = first.step;
  if (stride > kMaxMerged || stride > axis.phase_count()) return;
  merged_offsets_ = {INT64_MAX, INT64_MIN};
  for (std::int64_t i = 0; i < stride; ++i) {
    const Phase phase = axis.phase(i);
    if (phase.start != i || phase.step != stride) return;
    if (phase.taps == 0) continue;
    const auto [low, high] = offset_range(phase);
    merged_offsets_ = {std::min(merged_offsets_[0], low), std::max(merged_offsets_[1], high)};
  }
  if (merged_offsets_[0] > merged_offsets_[1]) return;  // no taps at all
  const std::int64_t spread = merged_offsets_[1] - merged_offsets_[0];
  if (stride > 1 && spread > 4 * axis.class_taps(0) + 16) return;
  merges_ = stride > 1;
  merged_ = stride;
  if (merges_) phase_counts_[kSpatial - 1] += 1 - stride;
}

void ConvolutionPlan::choose_memory(unsigned threads) {
  const ConvolutionGeometry& g = geometry_;
  std::int64_t others = g.batch * g.groups;
  for (const std::int64_t count : phase_counts_) others *= count;
  const std::int64_t columns = filter_.panel_rows();
  std::uint64_t bytes = 1024;
  if (direct_) {
    // Rows of one phase, cut so that a few fit the first-level cache.
    const std::int64_t width = g.axes[kSpatial - 1].max_count();
    tiling_.box[kSpatial - 1] = std::min<std::int64_t>(width, 1024);
    for (int d = 0; d < kSpatial; ++d) {
      tiling_.boxes[d] = base::divide_up(g.axes[d].max_count(), tiling_.box[d]);
    }
    tiling_.panel_blocks = filter_.panels();
  } else {
    if (across_) {
      choose_boxes_across(threads);
    } else {
      // One position has nothing to pack: its channels are read where they lie, if they are near.
      one_tap_ = most_taps(g) == 1 && !has_one_position(g) &&
                 (!merges_ || merged_offsets_[0] == merged_offsets_[1]);
      tiling_ =
          choose_tiling(g, gemm_, vectors_, {merged_phases(), others, threads, one_tap_, chains_});
      padded_rows_ = reads_padded_rows();
    }
    std::int64_t plane = 1;
    for (int d = 0; d < kSpatial; ++d) {
      const ConvolutionAxis& axis = g.axes[d];
      std::int64_t size = tiling_.window_size(axis, d);
      if (d == kSpatial - 1 && merges_) {
        size = tiling_.box[d] + merged_offsets_[1] - merged_offsets_[0];
      }
      if (d == kSpatial - 1 && across_ && !joined_) {
        size =
            AxisWindow::in_vectors(axis.phase(0), 0, tiling_.box[d], kernels::kDirectColumns).size;
      } else if (d == kSpatial - 1 && across_ && axis.phase(0).in_step != 1) {
        size = AxisWindow::strided(axis.phase(0), 0, tiling_.box[d]).size;
      }
      plane *= size;
    }
    plane_floats_ = windows_ || padded_rows_ ? 0 : tiling_.channel_block * plane_stride(plane);
    phases_alike_ = one_tap_ && tiling_.channel_block == g.in_channels && phases_read_alike(g);
    if (one_tap_) {
      plane_floats_ = tiling_.channel_block * tiling_.box[0] * tiling_.box[1] *
                      base::round_up(tiling_.box[2], tiling_.strip);
    }
    if (joined_) {
      line_floats_ = strips_apart_ ? tiling_.box_positions() : 0;
      plane_floats_ =
          tiling_.channel_block *
          (copies_strips_ ? copied_stride() : base::round_up(line_floats_, tiling_.strip));
      line_floats_ += kernels::kDirectColumns;
    }
    panel_floats_ = !across_ ? tiling_.box_positions() * merged_phases() * columns
                    : slabs_ || data_type_ == DataType::float16 ? columns * tiling_.strip
                                                                : 0;
    if (windows_) panel_floats_ = 0;
    list_terms_ = tiling_.channel_block * most_taps(g);
    list_count_ =
        merged_phases() + (tiling_.tap_ranges > 0 ? tiling_.tap_ranges
                           : padded_rows_         ? count_tap_ranges(g)
                                          : std::min(kMostTermLists, kMaxListTerms / list_terms_));
    strip_count_ = tiling_.box[0] * tiling_.box[1] * merged_phases() *
                   (Strips(tiling_.box[2], tiling_.strip).count + tiling_.tap_ranges);
    if (windows_) list_count_ = strip_count_ = 0;
    const bool at_once = tiling_.channel_block == g.in_channels;
    const std::int64_t floats =
        plane_floats_ + line_floats_ + (at_once ? 1 : tiling_.panel_block) * panel_floats_ +
        columns * (tiling_.panel_block + kBlockPositions) + packed_floats() + kept_floats();
    bytes += floats * sizeof(float) + list_count_ * list_terms_ * sizeof(kernels::GemmTerm) +
             strip_count_ * sizeof(Strip) + offset_count() * sizeof(std::int64_t);
  }
  bytes += (row_floats() + 2 * tiling_.box[kSpatial - 1]) * sizeof(float);
  tile_count_ = others * tiling_.box_count() * tiling_.panel_blocks;
  slots_ = static_cast<unsigned>(std::min<std::int64_t>(threads, tile_count_));
  slot_bytes_ = base::slot_bytes(bytes);
}

ConvolutionPlan::Slot ConvolutionPlan::slot_memory(std::byte* slots, unsigned slot) const noexcept {
  std::byte* memory = slots + slot * slot_bytes_;
  const std::int64_t columns = direct_ ? 0 : filter_.panel_rows();
  const bool at_once = tiling_.channel_block == geometry_.in_channels;
  Slot result;
  result.planes = base::take<float>(memory, plane_floats_);
  result.line = base::take<float>(memory, line_floats_);
  result.box = base::take<std::int64_t>(memory, 1);
  result.sums = base::take<float>(memory, (at_once ? 1 : tiling_.panel_block) * panel_floats_);
  result.bias = base::take<float>(memory, columns * tiling_.panel_block);
  result.block = base::take<float>(memory, columns * kBlockPositions);
  result.row = base::take<float>(memory, row_floats());
  result.row_sums = base::take<float>(memory, tiling_.box[kSpatial - 1]);
  result.row_chain = base::take<float>(memory, tiling_.box[kSpatial - 1]);
  result.packed = base::take<float>(memory, packed_floats());
  result.kept = base::take<float>(memory, kept_floats());
  result.terms = base::take<kernels::GemmTerm>(memory, list_count_ * list_terms_);
  result.strips = base::take<Strip>(memory, strip_count_);
  result.offsets = base::take<std::int64_t>(memory, offset_count());
  return result;
}

void ConvolutionPlan::run(const RunArguments& arguments) const noexcept {
  std::byte* slots = arguments.workspace;
  const std::byte* packed = static_cast<const std::byte*>(arguments.prepared);
  if (prepared_size_in_bytes == 0 && !filter_in_place_) {
    pack_filter(arguments.inputs[1], arguments.workspace);
    packed = arguments.workspace;
    slots += filter_.size_in_bytes();
  }
  run_tiles(arguments, packed, 0, tile_count_, slots);
}

void ConvolutionPlan::run_image(const RunArguments& arguments, const std::byte* packed,
                                std::int64_t image, std::byte* slots) const noexcept {
  const std::int64_t tiles = tile_count_ / geometry_.batch;
  run_tiles(arguments, packed, image * tiles, tiles, slots);
}

void ConvolutionPlan::run_tiles(const RunArguments& arguments, const std::byte* packed,
                                std::int64_t first, std::int64_t count,
                                std::byte* slots) const noexcept {
  for (unsigned slot = 0; slot < slots_; ++slot) *slot_memory(slots, slot).box = -1;
  const auto body = [&](std::int64_t index, unsigned slot) {
    Tile tile = locate(first + index);
    for (const std::int64_t n : tile.count) {
      if (n <= 0) return;  // this phase has fewer positions than the largest
    }
    compute_tile(arguments, packed, tile, slot_memory(slots, slot));
  };
  // Groups of a tile each have nothing in common.
  const bool apart = geometry_.groups > 1 && tile_count_ == geometry_.batch * geometry_.groups;
  if (across_ || apart) return base::parallel_tiles_apart(slots_, count, body);
  // One thread takes all phases that share what it packs, where there are enough of these.
  const std::int64_t phases = phase_counts_[0] * phase_counts_[1] * phase_counts_[2];
  const std::int64_t together = phases_alike_ && count >= 4 * phases * slots_ ? phases : 1;
  base::parallel_tiles(slots_, count / together, [&](std::int64_t index, unsigned slot) {
    for (std::int64_t i = index * together; i < (index + 1) * together; ++i) body(i, slot);
  });
}

void ConvolutionPlan::pack_filter(const void* filter, std::byte* packed) const noexcept {
  filter_.pack(filter, packed, slots_);
}

void ConvolutionPlan::prepare(const void* filter, void* prepared) const noexcept {
  pack_filter(filter, static_cast<std::byte*>(prepared));
}

ConvolutionPlan::Tile ConvolutionPlan::locate(std::int64_t index) const noexcept {
  Tile tile;
  tile.index = index;
  // Positions run fastest: neighbouring tiles share the panels that they read, or, where that costs
  // a copy, what these are multiplied by.
  std::array<std::int64_t, kSpatial> phases;
  const auto take_phases = [&] {
    for (int d = kSpatial; d-- > 0;) phases[d] = base::take_digit(index, phase_counts_[d]);
  };
  std::int64_t block = strips_apart_ ? base::take_digit(index, tiling_.panel_blocks) : 0;
  if (phases_alike_) take_phases();
  tile.box = index;
  for (int d = kSpatial; d-- > 0;) {
    tile.first[d] = base::take_digit(index, tiling_.boxes[d]) * tiling_.box[d];
  }
  if (!strips_apart_) block = base::take_digit(index, tiling_.panel_blocks);
  const base::Portion panels = base::portion_of(filter_.panels(), tiling_.panel_blocks, block);
  tile.first_panel = panels.first;
  tile.panel_count = panels.count;
  if (!phases_alike_) take_phases();
  for (int d = kSpatial; d-- > 0;) {
    std::int64_t phase = phases[d];
    if (d == kWidth && merges_) {
      tile.merged = phase == 0 ? merged_ : 1;
      if (phase > 0) phase += merged_ - 1;
    }
    tile.phases[d] = geometry_.axes[d].phase(phase);
    tile.count[d] = std::min(tiling_.box[d], tile.phases[d].count - tile.first[d]);
  }
  for (std::int64_t i = 0; i < tile.merged; ++i) {
    tile.last[i] = tile.merged > 1 ? geometry_.axes[kWidth].phase(i) : tile.phases[kWidth];
  }
  tile.group = base::take_digit(index, geometry_.groups);
  tile.image = index;
  return tile;
}

void ConvolutionPlan::compute_tile(const RunArguments& arguments, const std::byte* packed,
                                   Tile& tile, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  tile.input = input_of(arguments, tile);
  if (!direct_) {
    lay_out(tile);
    if (across_) {
      multiply_across(arguments, packed, tile, slot);
    } else {
      multiply(arguments, packed, tile, slot);
    }
  }
  const bool padded = !direct_ && touches_padding(tile);
  if (!direct_ && !padded) return;
  for (std::int64_t p = tile.first_panel; p < tile.first_panel + tile.panel_count; ++p) {
    // Zeros stand for the padding in the planes; an infinite weight must not meet them.
    if (padded && !filter_.has_non_finite(packed, tile.group, p)) continue;
    const std::int64_t first = p * filter_.panel_rows();
    const std::int64_t end = std::min(first + filter_.panel_rows(), g.out_channels);
    for (std::int64_t channel = first; channel < end; ++channel) {
      sum_rows(arguments, packed, tile, channel, slot);
    }
  }
}

const std::byte* ConvolutionPlan::input_of(const RunArguments& arguments,
                                           const Tile& tile) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  return static_cast<const std::byte*>(arguments.inputs[0]) +
         (tile.image * g.in_batch_stride + tile.group * g.in_channels * g.in_channel_stride) *
             element_bytes_;
}

void ConvolutionPlan::multiply(const RunArguments& arguments, const std::byte* packed,
                               const Tile& tile, const Slot& slot) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t columns = filter_.panel_rows();
  const bool at_once = tiling_.channel_block == g.in_channels;
  const std::int64_t step = tile.windows[kSpatial - 1].step * tile.element_strides[kSpatial - 1];
  std::array<std::int64_t, kMaxMerged> offsets, taps, chains;  // of the phases, in a panel
  std::array<const float*, kMaxMerged> filters;
  std::array<const char*, kMaxMerged> next;
  for (std::int64_t i = 0; i < tile.merged; ++i) {
    const std::array<Phase, kSpatial> phases = {tile.phases[0], tile.phases[1], tile.last[i]};
    offsets[i] = filter_.class_offset(phases);
    taps[i] = phases[0].taps * phases[1].taps * phases[2].taps;
    chains[i] = chain_ * chains_in_one(g, gemm_, taps[i]);
  }
  std::int64_t strips = 0;
  for (std::int64_t first = 0; first < g.in_channels; first += tiling_.channel_block) {
    const std::int64_t channels = std::min(tiling_.channel_block, g.in_channels - first);
    const float* a = slot.planes;
    if (tile.in_place) {
      a = reinterpret_cast<const float*>(tile.input) + first * g.in_channel_stride;
    } else if (!phases_alike_ || *slot.box != tile.box) {
      pack_planes(tile, first, channels, slot);
      *slot.box = tile.box;
    }
    if (first == 0 || channels != tiling_.channel_block) {
      strips =
          tiling_.gathers ? list_gathered(tile, channels, slot) : list_strips(tile, channels, slot);
    }
    if (tiling_.gathers && !one_tap_) {
      gather_strips(tile, a, strips, slot);
      a = slot.packed;
    }
    const bool last = first + channels == g.in_channels;
    // Of the filters that the next block of products reads, a part comes with each term, so that
    // they do not come faster than a far cache gives them.
    std::int64_t filter_rows = 0, terms = 0;
    for (std::int64_t i = 0; i < tile.merged; ++i) filter_rows += channels * taps[i];
    for (std::int64_t s = 0; s < strips; ++s) terms += slot.strips[s].depth;
    const std::int64_t next_step =
        base::divide_up(filter_rows * columns * sizeof(float), std::max<std::int64_t>(terms, 1));
    const std::int64_t steps = strips * tile.panel_count;
    LinesAhead input = last ? next_tile_ahead(arguments, tile, steps)
                            : input_ahead(tile, first + channels, tiling_.channel_block, steps);
    kernels::GemmTile product{.a_step = step,
                              .acc_stride = tile.merged * columns,
                              .next_step = std::min<std::int64_t>(next_step, 64)};
    for (std::int64_t p = 0; p < tile.panel_count; ++p) {
      const std::int64_t panel = tile.first_panel + p;
      const auto filter = [&](std::int64_t i, std::int64_t of_panel, std::int64_t channel) {
        return filter_.panel(packed, tile.group, of_panel, offsets[i] + channel * taps[i]);
      };
      const bool more = p + 1 < tile.panel_count;
      const std::int64_t next_panel = more ? panel + 1 : tile.first_panel;
      const std::int64_t next_channel = more || last ? first : first + channels;
      for (std::int64_t i = 0; i < tile.merged; ++i) {
        filters[i] = filter(i, panel, first);
        next[i] = reinterpret_cast<const char*>(filter(i, next_panel, next_channel));
      }
      float* sums = slot.sums + (at_once ? 0 : p * panel_floats_);
      if (last) load_bias(arguments, tile, panel, 1, slot.bias);
      LinesAhead results;
      if (last) results = results_ahead(arguments, tile, panel, strips);
      for (std::int64_t s = 0; s < strips; ++s) {
        const Strip& strip = slot.strips[s];
        results.fetch_share();
        input.fetch_share();
        product.a = a + strip.a;
        product.b = filters[strip.phase];
        product.acc = sums + strip.acc;
        product.terms = strip.terms;
        product.rows_follow = strip.all_taps;
        product.padded_before = strip.padded_before;
        product.padded_after = strip.padded_after;
        product.a_offsets = strip.offsets;
        for (std::int64_t c = 0, count = 0; c < channels; c += count) {
          count = std::min(chains[strip.phase], channels - c);
          std::int64_t left = count * strip.taps;  // none where a phase has no taps
          const std::int64_t part = terms_a_chain(left, chains_);
          product.first = first + c == 0;
          do {
            product.depth = std::min(part, left);
            left -= product.depth;
            product.last = last && c + count == channels && left == 0;
            product.bias = product.last ? slot.bias : nullptr;
            product.next = next[strip.phase];
            next[strip.phase] += product.depth * product.next_step;
            product.apart = !product.first && !one_chain_;
            strip.function(product);
            product.first = false;
            product.terms += product.depth;
            if (tiling_.gathers) product.a += product.depth * strip.count;
          } while (left > 0);
        }
      }
      if (last) store_panel(arguments, tile, panel, sums, slot);
    }
  }
}

}  // namespace weft::ops
