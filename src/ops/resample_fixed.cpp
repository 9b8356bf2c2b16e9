#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/cpu.h"
#include "base/fetch.h"
#include "kernels/resample/resample.h"
#include "ops/resample_fixed_tables.h"
#include "ops/resample_plan.h"
#include "ops/resample_rows.h"

namespace weft::ops {

namespace {

using kernels::FixedPicks;
using std::int64_t;

// Numbers of a chunk, whose rows stay near, and the least pixels of one.
constexpr int64_t kMaxChunk = 4096, kMinPixels = 256;

// Stores that wait for memory hold up everything else.
constexpr int64_t kBytesAhead = 4096;

// The least shift that makes a whole number of each weight, or more than kMostShift.
int shift_of(const ResampleAxis& axis) {
  int shift = 0;
  if (axis.direct) return shift;
  for (int64_t o = 0; o < axis.output_size; ++o) {
    const float t = axis.neighbors(o).t;
    while (shift <= kernels::kMostShift &&
           std::ldexp(t, shift) != std::floor(std::ldexp(t, shift))) {
      ++shift;
    }
  }
  return shift;
}

// Interpolates along each row first, to numbers that keep all digits, then between two such rows.
template <class Row>
class FixedBody final : public PlanBody {
 public:
  FixedBody(const ResampleParams& params, const PlanOptions& options,
            const ResampleGeometry& geometry, int64_t channels)
      : geometry_(geometry),
        channels_(channels),
        sources_(geometry_, layout_),
        row_shift_(shift_of(geometry_.inner)),
        tables_(geometry_.chunk * channels_, channels_, row_shift_),
        slots_(slot_count(options, geometry_.tiles)) {
    const bool is_signed = params.input.data_type == DataType::int8;
    const kernels::ResampleKernels& kernels =
        kernels::resample_kernels(base::choose_isa(options.max_isa));
    const kernels::FixedKernels<Row>& fixed = kernels.fixed<Row>();
    along_ = is_signed ? fixed.along_i8 : fixed.along_u8;
    between_ = is_signed ? fixed.between_i8 : fixed.between_u8;
    for (int64_t first = 0; first < geometry_.inner.output_size; first += geometry_.chunk) {
      add_chunk(sources_.of({first, 0, 0, 0}, nullptr));
    }
    if (!geometry_.outer.empty()) {
      plan_rows(geometry_.outer.back());
      row_stride_ = geometry_.outer.back().input_stride;
    }
    algorithm = kernels.linear_name;
    explanation = "fixed point, rows of " + std::to_string(8 * sizeof(Row)) + " bits, " +
                  geometry_.text(slots_);
    for (int64_t& place : rows_at_) place = layout_.take<Row>(tables_.entries());
    slot_bytes_ = slot_bytes(layout_);
    workspace_size_in_bytes = static_cast<std::uint64_t>(slot_bytes_) * slots_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    geometry_.run_tiles(
        arguments, slots_, slot_bytes_,
        [&](const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
            std::byte* scratch) { run_tile(tile, from, to, scratch); });
  }

 private:
  // The rows of the last outer dimension that are mixed, `first` and the next; one where the weight
  // is 0.
  struct Pair {
    int64_t first;
    std::uint32_t weight;
  };

  // The rows of a chunk that are made: the latest even and the latest odd one.
  struct Made {
    const std::byte* from;
    FixedPicks picks;
    std::array<Row*, 2> row;
    std::array<int64_t, 2> kept{-1, -1};
  };

  void plan_rows(const ResampleAxis& axis) {
    shift_ = shift_of(axis);
    for (int64_t o = 0; o < axis.output_size && !axis.direct; ++o) {
      const Neighbors n = axis.neighbors(o);
      pairs_.push_back({n.index, static_cast<std::uint32_t>(std::ldexp(n.t, shift_))});
    }
  }

  void add_chunk(const RowSource& source) {
    const kernels::Picks& picks = source.picks;
    std::vector<std::int32_t> index, weights;
    for (int64_t i = 0; i < picks.count * channels_; ++i) {
      const int64_t pixel = i / channels_;
      index.push_back(static_cast<std::int32_t>(picks.index[pixel] * channels_ + i % channels_));
      weights.push_back(static_cast<std::int32_t>(std::ldexp(picks.t[pixel], row_shift_)));
    }
    tables_.add(index, weights, picks.row_count * channels_);
  }

  FixedPicks picks_of(const ResampleGeometry::Tile& tile) const noexcept {
    FixedPicks picks = tables_.picks(tile.first / geometry_.chunk);
    picks.count = tile.count * channels_;
    picks.row_count = sources_.of(tile, nullptr).picks.row_count * channels_;
    picks.ahead = 2 * row_stride_;  // rows are too short for the processor to see what comes
    picks.shift = row_shift_;
    return picks;
  }

  void run_tile(const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
                std::byte* scratch) const noexcept {
    Made rows{from + sources_.of(tile, nullptr).start,
              picks_of(tile),
              {reinterpret_cast<Row*>(scratch + rows_at_[0]),
               reinterpret_cast<Row*>(scratch + rows_at_[1])}};
    if (geometry_.outer.empty()) {
      const Row* row = made(rows, 0, rows.from);
      between_(row, row, {0, 0, row_shift_}, to + tile.first * channels_, rows.picks.count);
      return;
    }
    const ResampleAxis& last = geometry_.outer.back();
    std::array<int64_t, kMaxResampleRank> offsets{};
    const auto step = [&](std::size_t d, int64_t o) {
      offsets[d] = o * geometry_.outer[d].input_stride;
      rows.kept = {-1, -1};
    };
    geometry_.sweep(tile, step, [&](int64_t offset, int64_t o, int64_t count) {
      const std::byte* first = rows.from + (offsets[0] + offsets[1] + offsets[2]);
      for (int64_t i = 0; i < count; ++i) {
        const Pair pair = last.direct ? Pair{o + i, 0} : pairs_[static_cast<std::size_t>(o + i)];
        const std::byte* row = first + pair.first * last.input_stride;
        const Row* a = made(rows, pair.first, row);
        const Row* b = pair.weight > 0 ? made(rows, pair.first + 1, row + last.input_stride) : a;
        std::byte* const place = to + offset + i * last.output_stride;
        base::fetch_to_write(place + kBytesAhead, rows.picks.count);
        between_(a, b, {pair.weight, shift_, row_shift_}, place, rows.picks.count);
      }
    });
  }

  const Row* made(Made& rows, int64_t index, const std::byte* from) const noexcept {
    const auto place = static_cast<std::size_t>(index % 2);
    if (rows.kept[place] != index) {
      rows.kept[place] = index;
      along_(from, rows.picks, rows.row[place]);
    }
    return rows.row[place];
  }

  ResampleGeometry geometry_;
  int64_t channels_;  // elements of a pixel of the inner dimension
  ScratchLayout layout_;
  RowSources sources_;
  kernels::FixedAlong<Row> along_;
  kernels::FixedBetween<Row> between_;
  int row_shift_;
  FixedTables tables_;
  int shift_ = 0;
  int64_t row_stride_ = 0;  // of the input, along the last outer dimension
  std::vector<Pair> pairs_;
  std::array<int64_t, 2> rows_at_{};
  int64_t slot_bytes_ = 0;
  unsigned slots_;
};

}  // namespace

std::shared_ptr<PlanBody> fixed_plan(const ResampleParams& params, const PlanOptions& options) {
  ResampleGeometry geometry(params, kMaxChunk);
  const int64_t channels = geometry.take_channels();
  if (channels > 1) {
    geometry = ResampleGeometry(params, std::max(kMaxChunk / channels, kMinPixels));
    geometry.take_channels();
  }
  const ResampleAxis& inner = geometry.inner;
  if (inner.direct || inner.input_stride != channels || inner.output_stride != channels ||
      inner.output_size > kMaxTableEntries || shift_of(inner) > kernels::kMostShift) {
    return nullptr;
  }
  for (std::size_t d = 0; d < geometry.outer.size(); ++d) {
    const ResampleAxis& axis = geometry.outer[d];
    if (d + 1 < geometry.outer.size()) {
      if (!axis.direct) return nullptr;
    } else if (!axis.direct &&
               (axis.output_size > kMaxTableEntries || shift_of(axis) > kernels::kMostShift)) {
      return nullptr;
    }
  }
  // Whether every chunk reads a range of its rows.
  ScratchLayout layout;
  const RowSources sources(geometry, layout);
  for (int64_t first = 0; first < inner.output_size; first += geometry.chunk) {
    if (sources.of({first, 0, 0, 0}, nullptr).offsets != nullptr) return nullptr;
  }
  const int outer_shift = geometry.outer.empty() ? 0 : shift_of(geometry.outer.back());
  if (shift_of(inner) + outer_shift <= kernels::kShortShift) {
    return std::make_shared<FixedBody<std::uint16_t>>(params, options, geometry, channels);
  }
  return std::make_shared<FixedBody<std::uint32_t>>(params, options, geometry, channels);
}

}  // namespace weft::ops
