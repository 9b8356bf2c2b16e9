#include "ops/convolution_phases.h"

#include <algorithm>
#include <string>

#include "base/aligned_memory.h"
#include "base/cache.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/gemm/gemm.h"
#include "ops/convolution_tiling.h"

namespace weft::ops {

namespace {

// Other ways have registers for so many phases of a row.
constexpr std::int64_t kFewPhases = 8;

// Of a dimension: whether more of them read the same inputs takes too long to see.
constexpr std::int64_t kMostAxisPhases = 1 << 20;

constexpr std::uint64_t kMost = std::uint64_t{1} << 28;  // results, and elements of a filter

// Results of an image that are worth a second trip for fewer products.
constexpr std::uint64_t kMostOfFewPhases = std::uint64_t{1} << 24;

// Outputs of few terms are bound by memory: then results are worth no second trip, unless other
// ways have too few channels for their vectors.
constexpr std::int64_t kFewTerms = 32;
constexpr std::int64_t kFewPhaseChannels = 4;

// Of what is copied at a time, so that it stays in the first-level cache.
constexpr std::int64_t kFilterBlock = 16;  // input channels
constexpr std::int64_t kRunBytes = 16 << 10;

std::array<PhaseRing, kSpatial> rings_of(const ConvolutionGeometry& g) {
  return {g.axes[0].ring(), g.axes[1].ring(), g.axes[2].ring()};
}

std::int64_t position_count(const ConvolutionAxis& axis, const PhaseRing& ring) {
  return base::divide_up(axis.out_size() + ring.late, ring.count);
}

// The first input of position 0, of the taps in the order of their inputs.
std::int64_t first_input(const Phase& phase) { return phase.offset(phase.taps - 1); }

// Of windows that do not overlap: no more than one chain sums as exactly as other libraries do;
// packed strips, of as many terms as sums across may have, have chains of fewer. In turns, with
// AVX2, one thread of a Zen 3, us: 512 to 64 channels, 32x32, 4x4 at 4: 14400 and, by phases,
// 12300; 768 to 64, 14x14: 4530 and 3670.
std::int64_t most_terms_apart(const ConvolutionParams& params, ConvolutionGeometry g, Isa isa) {
  constexpr std::int64_t kOfAChain = 256, kOfChains = 1024;
  for (const ConvolutionAxis& axis : g.axes) g.out_channels *= axis.ring().count;
  const bool has_chains = params.input.data_type == DataType::float32 &&
                          suits_packed_strips(g, kernels::gemm_kernel(isa));
  return has_chains ? kOfChains : kOfAChain;
}

TensorDesc packed_desc(DataType type, std::initializer_list<std::int64_t> sizes) {
  TensorDesc result{.data_type = type};
  for (const std::int64_t size : sizes) result.sizes.push_back(static_cast<std::uint32_t>(size));
  return result;
}

// Whether windows do not overlap: a 1x1 layer with all phases as channels.
bool has_one_tap(const ConvolutionGeometry& g) {
  for (const ConvolutionAxis& axis : g.axes) {
    if (axis.phase(0).taps != 1) return false;
  }
  return true;
}

// As many positions of a dimension as a block takes of `most`, in blocks about equal; all of them
// where the last ones read beyond the input.
std::int64_t block_size(const ConvolutionAxis& axis, std::int64_t positions, std::int64_t most) {
  if (positions != axis.in_size() || first_input(axis.phase(0)) != 0) return positions;
  const std::int64_t blocks =
      base::divide_up(positions, std::clamp<std::int64_t>(most, 1, positions));
  return base::divide_up(positions, blocks);
}

// Whether all phases read the same inputs, and what that makes is of a size to work with.
bool can_be_forward(const ConvolutionParams& params, const ConvolutionGeometry& g) {
  for (const ConvolutionAxis& axis : g.axes) {
    if (axis.phase_count() > kMostAxisPhases) return false;
  }
  std::uint64_t results = g.groups * g.out_channels;
  for (const ConvolutionAxis& axis : g.axes) {
    const PhaseRing ring = axis.ring();
    const Phase first = axis.phase(0);
    if (!ring.alike || ring.count != axis.phase_count() || first.taps == 0 ||
        first_input(first) > 0 || first_input(first) < -std::int64_t{UINT32_MAX}) {
      return false;
    }
    const auto of_axis = base::multiply(results, ring.count * position_count(axis, ring));
    if (!of_axis) return false;
    results = *of_axis;
  }
  return g.out_strides[kWidth] == 1 && results <= kMost &&
         *element_count(params.filter.sizes) <= kMost;
}

// Of one block.
ConvolutionParams forward(const ConvolutionParams& params, const ConvolutionGeometry& g,
                          const std::array<std::int64_t, kSpatial>& block) {
  const DataType type = params.input.data_type;
  const auto rings = rings_of(g);
  const std::int64_t phases = rings[0].count * rings[1].count * rings[2].count;
  const std::int64_t channels = g.groups * g.out_channels * phases;
  ConvolutionParams result;
  result.mode = ConvolutionMode::cross_correlation;
  result.direction = ConvolutionDirection::forward;
  result.input = packed_desc(type, {1, g.groups * g.in_channels});
  result.input.strides = {0, static_cast<std::uint32_t>(g.in_channel_stride)};
  result.filter = packed_desc(type, {channels, g.in_channels});
  result.output = packed_desc(type, {1, channels});
  for (int d = 0; d < kSpatial; ++d) {
    const ConvolutionAxis& axis = g.axes[d];
    const Phase phase = axis.phase(0);
    const bool cut = block[d] < position_count(axis, rings[d]);
    result.input.sizes.push_back(static_cast<std::uint32_t>(cut ? block[d] : axis.in_size()));
    result.input.strides.push_back(static_cast<std::uint32_t>(g.in_strides[d]));
    result.filter.sizes.push_back(static_cast<std::uint32_t>(phase.taps));
    result.output.sizes.push_back(static_cast<std::uint32_t>(block[d]));
    result.strides.push_back(1);
    result.dilations.push_back(static_cast<std::uint32_t>(-phase.offset_step));
    result.start_padding.push_back(static_cast<std::uint32_t>(-first_input(phase)));
    result.end_padding.push_back(0);
    result.output_padding.push_back(0);
  }
  if (params.bias) result.bias = packed_desc(type, {1, channels, 1, 1, 1});
  result.group_count = params.group_count;
  result.fused_activation = params.fused_activation;
  return result;
}

}  // namespace

bool PhaseConvolution::suits(const ConvolutionParams& params, const PlanOptions& options) {
  if (params.direction != ConvolutionDirection::backward) return false;
  const ConvolutionGeometry g(params);
  if (!can_be_forward(params, g)) return false;
  std::int64_t terms = g.in_channels;
  for (const ConvolutionAxis& axis : g.axes) terms *= axis.phase(0).taps;
  if (terms < kFewTerms && g.out_channels >= kFewPhaseChannels) return false;
  const std::int64_t phases = g.axes[kWidth].ring().count;
  // Else results are turned from columns into rows first. In turns, one thread of Zen 5, us, where
  // PairsConvolution is even faster: 64 to 32 channels, 24x32x32, 2x2x2: AVX-512 7700 and 5400,
  // AVX2 10900 and 8260; a second tap gained nothing. Sums would be one chain: of 512 terms the
  // error is 4.1e-7, not 2.1e-7. A matrix unit is faster, but where a few channels do not fill it:
  // on one core of a Xeon 64 to 3, 24x24x24, 2x2x2, takes 671 us by phases and 880 without.
  const Isa isa = base::choose_isa(options.max_isa);
  const bool apart = phases > 1 && has_one_tap(g) && isa >= Isa::avx2 &&
                     (isa < Isa::amx || g.out_channels < kFewPhaseChannels) &&
                     terms <= most_terms_apart(params, g, isa);
  return phases > kFewPhases || apart;
}

std::optional<ConvolutionParams> PhaseConvolution::as_forward(const ConvolutionParams& params) {
  if (params.direction != ConvolutionDirection::backward) return std::nullopt;
  const ConvolutionGeometry g(params);
  if (!can_be_forward(params, g) || has_one_tap(g)) return std::nullopt;
  std::array<std::int64_t, kSpatial> positions;
  std::int64_t phases = 1;
  for (int d = 0; d < kSpatial; ++d) {
    const PhaseRing ring = g.axes[d].ring();
    positions[d] = position_count(g.axes[d], ring);
    phases *= ring.count;
  }
  if (phases == 1) return std::nullopt;
  ConvolutionParams result = forward(params, g, positions);
  if (*element_count(result.output.sizes) > kMostOfFewPhases) return std::nullopt;
  return result;
}

double PhaseConvolution::seconds(const ConvolutionParams& params, const ConvolutionParams& forward,
                                 double forward_seconds) {
  constexpr double kInterleaved = 0.8e-9;  // a result, there and back
  return params.input.sizes[0] *
         (forward_seconds +
          kInterleaved * static_cast<double>(*element_count(forward.output.sizes)));
}

PhaseConvolution::PhaseConvolution(const ConvolutionParams& params, const PlanOptions& options,
                                   const ConvolutionPlanner& planner)
    : geometry_(params),
      rings_(rings_of(geometry_)),
      phases_(rings_[0].count * rings_[1].count * rings_[2].count),
      element_bytes_(byte_size(params.input.data_type)) {
  const Isa isa = base::choose_isa(options.max_isa);
  copy_ = kernels::row_kernels(isa).copy(params.input.data_type);
  transpose_ = kernels::transpose_kernel(isa, bit_size(params.input.data_type)).transpose;
  for (int d = 0; d < kSpatial; ++d) {
    positions_[d] = position_count(geometry_.axes[d], rings_[d]);
  }
  block_ = positions_;
  if (has_one_tap(geometry_)) {
    const std::int64_t row_bytes =
        geometry_.groups * geometry_.out_channels * phases_ * positions_[kWidth] * element_bytes_;
    const std::int64_t rows = base::second_cache_bytes() / row_bytes;
    block_[0] = block_size(geometry_.axes[0], positions_[0], rows / positions_[1]);
    if (block_[0] == 1) block_[1] = block_size(geometry_.axes[1], positions_[1], rows);
  }
  for (int d = 0; d < 2; ++d) blocks_[d] = base::divide_up(positions_[d], block_[d]);
  const std::int64_t blocks = blocks_[0] * blocks_[1];
  const ConvolutionParams of_block = forward(params, geometry_, block_);
  PlanOptions prepared = options;  // the filter does not change from one image to the next
  prepared.prepare_filter = true;
  if (blocks > 1) prepared.threads = 1;
  forward_ = planner(of_block, prepared);

  const auto bytes_of = [&](const TensorDesc& desc) {
    return base::round_up(*element_count(desc.sizes) * element_bytes_, base::kWorkspaceAlignment);
  };
  filter_bytes_ = bytes_of(of_block.filter);
  bias_bytes_ = of_block.bias ? bytes_of(*of_block.bias) : 0;
  convolved_bytes_ = bytes_of(of_block.output);
  const std::int64_t channels = geometry_.groups * geometry_.out_channels;
  filter_slots_ =
      slot_count(options, channels * base::divide_up(geometry_.in_channels, kFilterBlock));
  const std::int64_t most =
      std::max<std::int64_t>(kRunBytes / (rings_[kWidth].count * element_bytes_), 1);
  runs_ = base::divide_up(positions_[kWidth], most);
  run_ = base::divide_up(positions_[kWidth], runs_);
  const std::int64_t rows = channels * geometry_.axes[0].out_size();
  row_slots_ = blocks > 1 ? 1 : slot_count(options, rows * runs_);
  slots_ = blocks > 1 ? slot_count(options, geometry_.batch * blocks) : 1;
  slot_bytes_ =
      base::slot_bytes(convolved_bytes_ + base::round_up(forward_->workspace_size_in_bytes,
                                                         base::kWorkspaceAlignment));

  type = OperatorType::convolution;
  algorithm = forward_->algorithm;
  explanation = std::to_string(phases_) + " phases as output channels, " +
                (blocks > 1 ? std::to_string(geometry_.batch * blocks) + " blocks, " : "") +
                forward_->explanation;
  inputs = {params.input, params.filter, params.bias};
  outputs = {params.output};
  (options.prepare_filter ? prepared_size_in_bytes : workspace_size_in_bytes) =
      filter_bytes_ + base::round_up(forward_->prepared_size_in_bytes, base::kWorkspaceAlignment);
  workspace_size_in_bytes += bias_bytes_ + slots_ * slot_bytes_;
}

void PhaseConvolution::prepare(const void* filter, void* prepared) const noexcept {
  auto* const memory = static_cast<std::byte*>(prepared);
  arrange_filter(filter, memory);
  if (forward_->prepared_size_in_bytes != 0) forward_->prepare(memory, memory + filter_bytes_);
}

void PhaseConvolution::run(const RunArguments& arguments) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  std::byte* memory = arguments.workspace;
  const auto* prepared = static_cast<const std::byte*>(arguments.prepared);
  if (prepared_size_in_bytes == 0) {
    prepare(arguments.inputs[1], memory);
    prepared = memory;
    memory +=
        filter_bytes_ + base::round_up(forward_->prepared_size_in_bytes, base::kWorkspaceAlignment);
  }
  std::byte* const bias = memory;
  std::byte* const slots = bias + bias_bytes_;
  const bool has_bias = arguments.inputs[2] != nullptr;
  if (has_bias) repeat_bias(arguments.inputs[2], bias);
  const std::int64_t blocks = blocks_[0] * blocks_[1];
  base::parallel_tiles_apart(slots_, g.batch * blocks, [&](std::int64_t index, unsigned slot) {
    const Block block = block_at(base::take_digit(index, blocks));
    const std::int64_t offset = index * g.in_batch_stride + block.convolved[0] * g.in_strides[0] +
                                block.convolved[1] * g.in_strides[1];
    const void* const from[] = {
        static_cast<const std::byte*>(arguments.inputs[0]) + offset * element_bytes_, prepared,
        has_bias ? bias : nullptr};
    std::byte* const convolved = slots + slot * slot_bytes_;
    void* const to[] = {convolved};
    forward_->run({from, to, prepared + filter_bytes_, convolved + convolved_bytes_});
    interleave(convolved, block,
               static_cast<std::byte*>(arguments.outputs[0]) +
                   index * g.out_batch_stride * element_bytes_);
  });
}

PhaseConvolution::Block PhaseConvolution::block_at(std::int64_t index) const noexcept {
  Block block;
  for (int d = 2; d-- > 0;) {
    block.first[d] = base::take_digit(index, blocks_[d]) * block_[d];
    block.end[d] = std::min(block.first[d] + block_[d], positions_[d]);
    block.convolved[d] = block.end[d] - block_[d];  // all blocks are of one size
  }
  return block;
}

void PhaseConvolution::arrange_filter(const void* filter, void* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t blocks = base::divide_up(g.in_channels, kFilterBlock);
  base::parallel_tiles(
      filter_slots_, g.groups * g.out_channels * blocks, [&](std::int64_t index, unsigned) {
        const std::int64_t first = base::take_digit(index, blocks) * kFilterBlock;
        arrange_block(static_cast<const std::byte*>(filter), index, first,
                      std::min(kFilterBlock, g.in_channels - first), static_cast<std::byte*>(to));
      });
}

// Of one output channel, for some input channels.
void PhaseConvolution::arrange_block(const std::byte* filter, std::int64_t output,
                                     std::int64_t first, std::int64_t count,
                                     std::byte* to) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::byte* from =
      filter + (g.filter_origin + output / g.out_channels * g.filter_group_stride +
                output % g.out_channels * g.filter_out_stride + first * g.filter_in_stride) *
                   element_bytes_;
  std::array<std::int64_t, kSpatial> taps;
  for (int d = 0; d < kSpatial; ++d) taps[d] = g.axes[d].phase(0).taps;
  const std::int64_t all = taps[0] * taps[1] * taps[2];
  for (std::int64_t phase = 0; phase < phases_; ++phase) {
    for (std::int64_t tap = 0; tap < all; ++tap) {
      std::int64_t offset = 0, phase_rest = phase, tap_rest = tap;
      for (int d = kSpatial; d-- > 0;) {
        const std::int64_t of_ring = base::take_digit(phase_rest, rings_[d].count);
        const std::int64_t tap_class = g.axes[d].phase(rings_[d].phase(of_ring)).tap_class;
        const std::int64_t back = taps[d] - 1 - base::take_digit(tap_rest, taps[d]);
        offset += (tap_class + back * g.axes[d].tap_step()) * g.filter_strides[d];
      }
      const std::int64_t at = ((output * phases_ + phase) * g.in_channels + first) * all + tap;
      copy_(from + offset * element_bytes_, g.filter_in_stride, to + at * element_bytes_, all,
            count);
    }
  }
}

void PhaseConvolution::repeat_bias(const void* bias, std::byte* to) const noexcept {
  const std::int64_t channels = geometry_.groups * geometry_.out_channels;
  for (std::int64_t c = 0; c < channels; ++c, to += phases_ * element_bytes_) {
    copy_(static_cast<const std::byte*>(bias) + c * geometry_.bias_stride * element_bytes_, 0, to,
          1, phases_);
  }
}

void PhaseConvolution::interleave(const std::byte* convolved, const Block& block,
                                  std::byte* image) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const PhaseRing& ring = rings_[0];
  const auto depth = [&](std::int64_t position) {
    return std::clamp<std::int64_t>(position * ring.count - ring.late, 0, g.axes[0].out_size());
  };
  const std::int64_t first = depth(block.first[0]), depths = depth(block.end[0]) - first;
  const std::int64_t tiles = g.groups * g.out_channels * depths * runs_;
  base::parallel_tiles_apart(row_slots_, tiles, [&](std::int64_t index, unsigned) {
    Rows rows;
    rows.first = base::take_digit(index, runs_) * run_;
    rows.count = std::min(run_, positions_[kWidth] - rows.first);
    rows.depth = first + base::take_digit(index, depths);
    rows.channel = index;
    interleave_rows(convolved, block, rows, image);
  });
}

// Positions of a block along a dimension, some of their phases.
struct PhaseConvolution::Part {
  std::int64_t position, positions, begin, end;
};

// Of positions [first, end) of a dimension. The first of all may lack its first phases, the last
// its last ones.
std::array<PhaseConvolution::Part, 3> PhaseConvolution::parts_of(int dimension, std::int64_t first,
                                                                 std::int64_t end) const noexcept {
  const PhaseRing& ring = rings_[dimension];
  const std::int64_t size = geometry_.axes[dimension].out_size() + ring.late;
  const std::int64_t whole = size / ring.count;
  const std::int64_t begin = first == 0 && ring.late > 0 ? 1 : first;
  return {{{first, begin - first, ring.late, ring.count},
           {begin, std::min(end, whole) - begin, 0, ring.count},
           {whole, end > whole ? 1 : 0, 0, size - whole * ring.count}}};
}

void PhaseConvolution::interleave_rows(const std::byte* convolved, const Block& block,
                                       const Rows& rows, std::byte* image) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const auto& [rd, rh, rw] = rings_;
  const std::int64_t depth = rows.depth + rd.late;
  const std::int64_t plane = block_[0] * block_[1] * block_[2];
  const std::byte* from =
      convolved +
      ((rows.channel * phases_ + depth % rd.count * rh.count * rw.count) * plane +
       ((depth / rd.count - block.convolved[0]) * block_[1] - block.convolved[1]) * block_[2]) *
          element_bytes_;
  std::byte* to = image + (rows.channel * g.out_channel_stride + rows.depth * g.out_strides[0] -
                           rh.late * g.out_strides[1] - rw.late) *
                              element_bytes_;
  for (const Part& h : parts_of(1, block.first[1], block.end[1])) {
    for (const Part& w : parts_of(kWidth, rows.first, rows.first + rows.count)) {
      if (h.positions <= 0 || w.positions <= 0) continue;
      const std::int64_t source =
          (h.begin * rw.count + w.begin) * plane + h.position * block_[2] + w.position;
      const std::int64_t place =
          (h.position * rh.count + h.begin) * g.out_strides[1] + w.position * rw.count + w.begin;
      transpose_({.from = from + source * element_bytes_,
                  .from_row = plane,
                  .to = to + place * element_bytes_,
                  .to_row = rw.count,
                  .rows = w.positions,
                  .count = w.end - w.begin,
                  .outer = {h.positions, block_[2], rh.count * g.out_strides[1]},
                  .inner = {h.end - h.begin, rw.count * plane, g.out_strides[1]}});
    }
  }
}

}  // namespace weft::ops
