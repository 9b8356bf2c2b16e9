#include <array>
#include <vector>

#include "base/cpu.h"
#include "base/fetch.h"
#include "kernels/resample/resample.h"
#include "kernels/rows/rows.h"
#include "ops/resample_plan.h"

namespace weft::ops {

namespace {

using std::int64_t;

// Elements that make up a chunk: the rows of all but the longest are read and written from end to
// end. Doubling 512 rows of 1500: 175 us, 290 in quarters (Zen 5).
constexpr int64_t kNearestChunk = 3840;

Rounding rounding_of(const ResampleParams& params) {
  if (params.type == OperatorType::resample || params.type == OperatorType::resample1) {
    return Rounding::half_up;
  }
  return params.rounding_direction == AxisDirection::increasing ? Rounding::up : Rounding::down;
}

// Copies elements: rows as they are where the inner dimension is not scaled, repeated where it
// grows by two or four, else through a table of offsets.
class NearestBody final : public PlanBody {
 public:
  NearestBody(const ResampleParams& params, const PlanOptions& options)
      : geometry_(params, kNearestChunk),
        rounding_(rounding_of(params)),
        element_bytes_(byte_size(params.input.data_type)),
        slots_(slot_count(options, geometry_.tiles)) {
    const Isa isa = base::choose_isa(options.max_isa);
    const kernels::ResampleKernels& kernels = kernels::resample_kernels(isa);
    gather_ = kernels.gather(params.input.data_type);
    copy_ = kernels::row_kernels(isa).copy(params.input.data_type);
    algorithm = kernels.nearest_name;
    explanation = geometry_.text(slots_);
    for (std::size_t d = 0; d < geometry_.outer.size(); ++d) {
      outer_tables_[d] =
          axis_table(geometry_.outer[d], [&](int64_t o) { return source(geometry_.outer[d], o); });
    }
    if (geometry_.inner.direct) return;
    inner_table_ =
        axis_table(geometry_.inner, [&](int64_t o) { return source(geometry_.inner, o); });
    repeat_ = kernels.repeat;
    factor_ = find_factor();
    if (factor_ != 0) {
      late_sources_ = geometry_.outer.empty() ? std::vector<int64_t>{0}
                                              : outer_tables_.at(geometry_.outer.size() - 1);
      for (int64_t& source : late_sources_) source *= element_bytes_;
    }
    if (!inner_table_.empty()) return;
    ScratchLayout layout;
    layout.take<int64_t>(geometry_.chunk);
    slot_bytes_ = slot_bytes(layout);
    workspace_size_in_bytes = static_cast<std::uint64_t>(slot_bytes_) * slots_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    geometry_.run_tiles(
        arguments, slots_, slot_bytes_,
        [&](const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
            std::byte* scratch) { run_tile(tile, from, to, reinterpret_cast<int64_t*>(scratch)); });
  }

 private:
  int64_t source(const ResampleAxis& axis, int64_t o) const noexcept {
    return (axis.direct ? o : axis.nearest(o, rounding_)) * axis.input_stride;
  }

  int64_t outer_source(std::size_t d, int64_t o) const noexcept {
    const std::vector<int64_t>& table = outer_tables_[d];
    return table.empty() ? source(geometry_.outer[d], o) : table[static_cast<std::size_t>(o)];
  }

  // Where the elements of a tile's rows come from, relative to the row: in the table, or found for
  // this tile, in `scratch`.
  const int64_t* inner_sources(const ResampleGeometry::Tile& tile,
                               int64_t* scratch) const noexcept {
    if (!inner_table_.empty()) return inner_table_.data() + tile.first;
    for (int64_t i = 0; i < tile.count; ++i) {
      scratch[i] = source(geometry_.inner, tile.first + i);
    }
    return scratch;
  }

  // How often each element of a row stands in the output, if all chunks start with a new one; 0
  // where that is no number that the kernels know.
  int64_t find_factor() const noexcept {
    const ResampleAxis& inner = geometry_.inner;
    const std::size_t outer = geometry_.outer.size();
    if (inner.input_stride != 1 || inner.output_stride != 1 || inner_table_.empty() ||
        (outer > 0 && outer_tables_[outer - 1].empty())) {
      return 0;
    }
    for (const int64_t factor : {2, 4}) {
      bool right = geometry_.chunk == inner.output_size || geometry_.chunk % factor == 0;
      for (int64_t o = 0; right && o < inner.output_size; ++o) {
        right = inner_table_[static_cast<std::size_t>(o)] == o / factor;
      }
      if (right) return factor;
    }
    return 0;
  }

  // Bytes of a row that are asked for while the one before is picked from. Longer ones hold up
  // everything else, but not AMD's processors.
  int64_t bytes_ahead(const int64_t* offsets, int64_t count) const noexcept {
    const int64_t most = base::is_amd() ? 16384 : 2048;
    const int64_t bytes = (offsets[count - 1] - offsets[0] + 1) * element_bytes_;
    return bytes <= most ? bytes : 0;
  }

  void run_tile(const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
                int64_t* scratch) const noexcept {
    const ResampleAxis& inner = geometry_.inner;
    const int64_t* offsets = inner.direct ? nullptr : inner_sources(tile, scratch);
    if (inner.direct) from += tile.first * inner.input_stride * element_bytes_;
    std::array<int64_t, kMaxResampleRank> sources{};  // zero where there is no dimension
    const auto step = [&](std::size_t d, int64_t o) { sources[d] = outer_source(d, o); };
    if (factor_ != 0) {
      const int64_t stride = geometry_.outer.empty() ? 0 : geometry_.outer.back().output_stride;
      geometry_.sweep(tile, step, [&](int64_t offset, int64_t o, int64_t count) {
        const int64_t first = sources[0] + sources[1] + sources[2] + tile.first / factor_;
        repeat_(from + first * element_bytes_, late_sources_.data() + o, count,
                tile.count * element_bytes_, element_bytes_, factor_, to + offset * element_bytes_,
                stride * element_bytes_);
      });
      return;
    }
    const int64_t ahead_bytes = inner.direct ? 0 : bytes_ahead(offsets, tile.count);
    const std::byte* previous = nullptr;
    const std::byte* copied = nullptr;  // the output row that is the previous input row
    geometry_.visit(tile, step, [&](int64_t output_offset) {
      const std::byte* row =
          from + (sources[0] + sources[1] + sources[2] + sources[3]) * element_bytes_;
      std::byte* result = to + output_offset * element_bytes_;
      if (inner.direct) {
        copy_(row, inner.input_stride, result, inner.output_stride, tile.count);
      } else if (row == previous && inner.output_stride == 1) {
        copy_(copied, 1, result, 1, tile.count);
      } else {
        const std::byte* const next = row + (previous == nullptr ? 0 : row - previous);
        base::fetch(next + offsets[0] * element_bytes_, ahead_bytes);
        gather_(row, offsets, result, inner.output_stride, tile.count);
      }
      previous = row;
      copied = result;
    });
  }

  ResampleGeometry geometry_;
  std::vector<int64_t> inner_table_;  // empty where that dimension is direct
  std::array<std::vector<int64_t>, kMaxResampleRank> outer_tables_;
  Rounding rounding_;
  int64_t element_bytes_;
  kernels::GatherRow gather_;
  kernels::CopyRow copy_;
  kernels::RepeatRows repeat_;
  int64_t factor_ = 0;
  std::vector<int64_t> late_sources_;  // those of the last outer dimension, in bytes
  int64_t slot_bytes_ = 0;
  unsigned slots_;
};

}  // namespace

std::shared_ptr<PlanBody> nearest_plan(const ResampleParams& params, const PlanOptions& options) {
  return std::make_shared<NearestBody>(params, options);
}

}  // namespace weft::ops
