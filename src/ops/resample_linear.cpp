#include <array>
#include <span>
#include <vector>

#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/resample/resample.h"
#include "kernels/rows/rows.h"
#include "ops/resample_plan.h"

namespace weft::ops {

namespace {

using std::int64_t;

constexpr int64_t kMaxChunk = 512;

// Elements an output for which reading all is cheaper than gathering two.
constexpr int64_t kDense = 4;

// How rows of a data type are read, mixed and written in one precision.
template <class Real>
struct RowLoops {
  kernels::WidenRow<Real> load;
  void (*store)(const Real* from, void* to, int64_t to_stride, int64_t count) noexcept;
  kernels::LinearLoops<Real> linear;
};

RowLoops<float> float_loops(DataType type, Isa isa) {
  const kernels::RowKernels& rows = kernels::row_kernels(isa);
  return {rows.load(type), rows.store(type), kernels::resample_kernels(isa).linear_f32};
}

RowLoops<double> integer_loops(DataType type, Isa isa) {
  const kernels::ResampleKernels& k = kernels::resample_kernels(isa);
  if (type == DataType::int8) return {k.load_i8_f64, k.store_f64_i8, k.linear_f64};
  return {k.load_u8_f64, k.store_f64_u8, k.linear_f64};
}

// Interpolates between whole rows along the outer dimensions first, then along the row that
// remains. A row is the range of the inner dimension that a chunk of the output needs, or, where
// that is much more than the chunk reads, only the elements it reads.
template <class Real>
class LinearBody final : public PlanBody {
 public:
  LinearBody(const ResampleParams& params, const PlanOptions& options, Isa isa,
             const RowLoops<Real>& loops)
      : geometry_(params, kMaxChunk),
        loops_(loops),
        data_type_(params.input.data_type),
        element_bytes_(byte_size(params.input.data_type)),
        slots_(slot_count(options, geometry_.tiles)) {
    const kernels::ResampleKernels& kernels = kernels::resample_kernels(isa);
    gather_ = kernels.gather(data_type_);
    copy_ = kernels::row_kernels(isa).copy(data_type_);
    inner_table_ =
        axis_table(geometry_.inner, [&](int64_t o) { return geometry_.inner.neighbors(o); });
    for (std::size_t d = 0; d < geometry_.outer.size(); ++d) {
      pair_tables_[d] = axis_table(geometry_.outer[d], [&](int64_t o) { return find_pair(d, o); });
    }
    algorithm = kernels.linear_name;
    explanation = geometry_.text(slots_);
    plan_scratch();
    workspace_size_in_bytes = static_cast<std::uint64_t>(slot_bytes_) * slots_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    const auto* from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* to = static_cast<std::byte*>(arguments.outputs[0]);
    base::parallel_tiles_apart(slots_, geometry_.tiles, [&](int64_t tile, unsigned slot) {
      run_tile(geometry_.tile(tile), from, to, arguments.workspace + slot * slot_bytes_);
    });
  }

 private:
  // The two rows that an outer dimension mixes; one where t is 0.
  struct Pair {
    int64_t first;
    int64_t second;
    float t;
  };

  // The inner dimension's elements that a tile reads, relative to the row.
  struct Source {
    int64_t start = 0;  // offset of the first
    int64_t count = 0;
    const int64_t* offsets = nullptr;     // of each, where they are not a range
    const std::int32_t* index = nullptr;  // null: no interpolation along the row
    const float* t = nullptr;
  };

  // What mix() works on.
  struct Row {
    const std::byte* from;
    const Source& source;
    std::span<const Pair> pairs;
    std::byte* scratch;
  };

  template <class T>
  static T* at(std::byte* scratch, int64_t offset) {
    return reinterpret_cast<T*>(scratch + offset);
  }

  void plan_scratch() {
    ScratchLayout layout;
    std::int64_t longest = geometry_.chunk;
    if (!geometry_.inner.direct) {
      longest = kDense * geometry_.chunk;
      index_at_ = layout.take<std::int32_t>(geometry_.chunk);
      t_at_ = layout.take<float>(geometry_.chunk);
      offsets_at_ = layout.take<int64_t>(2 * geometry_.chunk);
      raw_at_ = layout.take<std::byte>(2 * geometry_.chunk * element_bytes_);
      result_at_ = layout.take<Real>(geometry_.chunk);
    }
    for (std::size_t d = 0; d <= geometry_.outer.size(); ++d) {
      rows_at_[d] = layout.take<Real>(longest);
    }
    slot_bytes_ = slot_bytes(layout);
  }

  Pair find_pair(std::size_t d, int64_t o) const noexcept {
    const ResampleAxis& axis = geometry_.outer[d];
    const Neighbors n = axis.direct ? Neighbors{o, 0} : axis.neighbors(o);
    return {n.index * axis.input_stride, (n.index + 1) * axis.input_stride, n.t};
  }

  Pair pair_of(std::size_t d, int64_t o) const noexcept {
    const std::vector<Pair>& table = pair_tables_[d];
    return table.empty() ? find_pair(d, o) : table[static_cast<std::size_t>(o)];
  }

  Neighbors inner_neighbors(int64_t o) const noexcept {
    return inner_table_.empty() ? geometry_.inner.neighbors(o)
                                : inner_table_[static_cast<std::size_t>(o)];
  }

  Source source_of(const ResampleGeometry::Tile& tile, std::byte* scratch) const noexcept {
    const ResampleAxis& inner = geometry_.inner;
    Source source;
    if (inner.direct) {
      source.start = tile.first * inner.input_stride;
      source.count = tile.count;
      return source;
    }
    auto* index = at<std::int32_t>(scratch, index_at_);
    auto* t = at<float>(scratch, t_at_);
    auto* offsets = at<int64_t>(scratch, offsets_at_);
    // Coordinates never decrease.
    const int64_t low = inner_neighbors(tile.first).index;
    const Neighbors last = inner_neighbors(tile.first + tile.count - 1);
    const int64_t range = last.index - low + (last.t > 0 ? 2 : 1);
    const bool dense = range <= kDense * tile.count;
    for (int64_t i = 0; i < tile.count; ++i) {
      const Neighbors n = inner_neighbors(tile.first + i);
      t[i] = n.t;
      if (dense) {
        index[i] = static_cast<std::int32_t>(n.index - low);
      } else {
        index[i] = static_cast<std::int32_t>(2 * i);
        offsets[2 * i] = n.index * inner.input_stride;
        offsets[2 * i + 1] = (n.t > 0 ? n.index + 1 : n.index) * inner.input_stride;
      }
    }
    source.start = dense ? low * inner.input_stride : 0;
    source.count = dense ? range : 2 * tile.count;
    source.offsets = dense ? nullptr : offsets;
    source.index = index;
    source.t = t;
    return source;
  }

  void run_tile(const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
                std::byte* scratch) const noexcept {
    const Source source = source_of(tile, scratch);
    std::array<Pair, kMaxResampleRank> pairs{};
    const auto step = [&](std::size_t d, int64_t o) { pairs[d] = pair_of(d, o); };
    geometry_.visit(tile, step, [&](int64_t output_offset) {
      std::array<Pair, kMaxResampleRank> mixed;
      std::size_t count = 0;
      int64_t offset = source.start;
      for (std::size_t d = 0; d < geometry_.outer.size(); ++d) {
        if (pairs[d].t > 0) {
          mixed[count++] = pairs[d];
        } else {
          offset += pairs[d].first;
        }
      }
      const Row row{from, source, {mixed.data(), count}, scratch};
      write(row, offset, tile.count, to + output_offset * element_bytes_);
    });
  }

  void write(const Row& row, int64_t offset, int64_t count, std::byte* to) const noexcept {
    const ResampleAxis& inner = geometry_.inner;
    const Source& source = row.source;
    if (source.index == nullptr && row.pairs.empty()) {
      copy_(row.from + offset * element_bytes_, inner.input_stride, to, inner.output_stride, count);
      return;
    }
    // Where the output is a row of the same numbers, results go there at once.
    Real* in_place = nullptr;
    if (data_type_ == DataType::float32 && inner.output_stride == 1) {
      in_place = reinterpret_cast<Real*>(to);
    }
    if (source.index == nullptr) {
      Real* place = in_place != nullptr ? in_place : at<Real>(row.scratch, rows_at_[0]);
      mix(row, row.pairs, offset, place);
      if (in_place == nullptr) loops_.store(place, to, inner.output_stride, count);
      return;
    }
    const Real* mixed = mix(row, row.pairs, offset, at<Real>(row.scratch, rows_at_[0]));
    Real* place = in_place != nullptr ? in_place : at<Real>(row.scratch, result_at_);
    loops_.linear.along(mixed, source.index, source.t, place, count);
    if (in_place == nullptr) loops_.store(place, to, inner.output_stride, count);
  }

  // The row that the pairs mix, in `place`, or in the tensor itself where it stands there as it is
  // needed.
  const Real* mix(const Row& row, std::span<const Pair> pairs, int64_t offset,
                  Real* place) const noexcept {
    if (pairs.empty()) return load(row, offset, place);
    const Pair& pair = pairs.front();
    Real* other = at<Real>(row.scratch, rows_at_[pairs.size()]);
    pairs = pairs.subspan(1);
    const Real* a = mix(row, pairs, offset + pair.first, place);
    const Real* b = mix(row, pairs, offset + pair.second, other);
    loops_.linear.between(a, b, pair.t, place, row.source.count);
    return place;
  }

  const Real* load(const Row& row, int64_t offset, Real* place) const noexcept {
    const Source& source = row.source;
    const std::byte* from = row.from + offset * element_bytes_;
    int64_t stride = geometry_.inner.input_stride;
    if (source.offsets != nullptr) {
      std::byte* raw = row.scratch + raw_at_;
      gather_(from, source.offsets, raw, 1, source.count);
      from = raw;
      stride = 1;
    } else if (data_type_ == DataType::float32 && stride == 1) {
      return reinterpret_cast<const Real*>(from);
    }
    loops_.load(from, stride, place, source.count);
    return place;
  }

  ResampleGeometry geometry_;
  std::vector<Neighbors> inner_table_;
  std::array<std::vector<Pair>, kMaxResampleRank> pair_tables_;
  RowLoops<Real> loops_;
  kernels::GatherRow gather_;
  kernels::CopyRow copy_;
  DataType data_type_;
  int64_t element_bytes_;
  unsigned slots_;
  // Where the parts of a slot's scratch memory start.
  int64_t index_at_ = 0;
  int64_t t_at_ = 0;
  int64_t offsets_at_ = 0;
  int64_t raw_at_ = 0;
  int64_t result_at_ = 0;
  std::array<int64_t, kMaxResampleRank> rows_at_{};
  int64_t slot_bytes_ = 0;
};

}  // namespace

std::shared_ptr<PlanBody> linear_plan(const ResampleParams& params, const PlanOptions& options) {
  const Isa isa = base::choose_isa(options.max_isa);
  const DataType type = params.input.data_type;
  if (type == DataType::float32 || type == DataType::float16) {
    return std::make_shared<LinearBody<float>>(params, options, isa, float_loops(type, isa));
  }
  return std::make_shared<LinearBody<double>>(params, options, isa, integer_loops(type, isa));
}

}  // namespace weft::ops
