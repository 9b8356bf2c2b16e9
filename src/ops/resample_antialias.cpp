#include <array>

#include "base/cpu.h"
#include "kernels/resample/resample.h"
#include "kernels/rows/rows.h"
#include "ops/resample_plan.h"

namespace weft::ops {

namespace {

using std::int64_t;

constexpr int64_t kAntialiasChunk = 512;

// Input elements of the inner dimension that are summed up at a time. Pieces start at its multiples
// whatever the tile, so that sums have the same order and bits in every tiling.
constexpr int64_t kPiece = 512;

// Weighted integers that were meant to be whole may have come out a little less; what is nearer
// than this to the next integer counts as having reached it before the truncation.
constexpr double kNearlyWhole = 1e-9;

// Sums everything in double: rows over the outer dimensions' triangles, then pieces of the summed
// row over the inner dimension's. A triangle may be as wide as the input, so rows are taken in
// pieces.
class AntialiasBody final : public PlanBody {
 public:
  AntialiasBody(const ResampleParams& params, const PlanOptions& options)
      : geometry_(params, kAntialiasChunk),
        data_type_(params.input.data_type),
        element_bytes_(byte_size(params.input.data_type)),
        isa_(base::choose_isa(options.max_isa)),
        kernels_(kernels::resample_kernels(isa_)),
        slots_(slot_count(options, geometry_.tiles)) {
    load_ = data_type_ == DataType::int8    ? kernels_.load_i8_f32
            : data_type_ == DataType::uint8 ? kernels_.load_u8_f32
                                            : kernels::row_kernels(isa_).load(data_type_);
    store_ = kernels::row_kernels(isa_).store(data_type_);
    algorithm = kernels_.antialias_name;
    explanation = geometry_.text(slots_);
    ScratchLayout layout;
    const int64_t piece =
        geometry_.inner.direct ? geometry_.chunk : std::min(kPiece, geometry_.inner.input_size);
    triangles_at_ = layout.take<Triangle>(geometry_.chunk);
    results_at_ = layout.take<double>(geometry_.chunk);
    sums_at_ = layout.take<double>(piece);
    row_at_ = layout.take<float>(std::max(piece, geometry_.chunk));
    slot_bytes_ = slot_bytes(layout);
    workspace_size_in_bytes = static_cast<std::uint64_t>(slot_bytes_) * slots_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    geometry_.run_tiles(arguments, slots_, slot_bytes_,
                        [&](const ResampleGeometry::Tile& tile, const std::byte* from,
                            std::byte* to, std::byte* scratch) {
                          run_tile(tile, from, to,
                                   {reinterpret_cast<Triangle*>(scratch + triangles_at_),
                                    reinterpret_cast<double*>(scratch + results_at_),
                                    reinterpret_cast<double*>(scratch + sums_at_),
                                    reinterpret_cast<float*>(scratch + row_at_)});
                        });
  }

 private:
  struct Scratch {
    Triangle* triangles;  // of the inner dimension's elements
    double* results;
    double* sums;  // of a piece
    float* row;
  };

  // The outer dimensions' triangles at one row.
  using Outer = std::array<Triangle, kMaxResampleRank>;

  static Triangle triangle(const ResampleAxis& axis, int64_t o) noexcept {
    return axis.direct ? Triangle{static_cast<double>(o), 1, o, o, 1} : axis.triangle(o);
  }

  void run_tile(const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
                const Scratch& scratch) const noexcept {
    if (!geometry_.inner.direct) {
      for (int64_t i = 0; i < tile.count; ++i) {
        scratch.triangles[i] = triangle(geometry_.inner, tile.first + i);
      }
    }
    Outer outer{};
    const auto step = [&](std::size_t d, int64_t o) { outer[d] = triangle(geometry_.outer[d], o); };
    geometry_.visit(tile, step, [&](int64_t output_offset) {
      const double* results = scratch.results;
      if (geometry_.inner.direct) {
        sum_rows(outer, from, tile.first, tile.count, scratch);
        results = scratch.sums;
      } else {
        sum_along(outer, from, tile.count, scratch);
      }
      store(results, tile.count, to + output_offset * element_bytes_, scratch);
    });
  }

  // results[i] = the inner triangle i over the rows that the outer triangles sum up.
  void sum_along(const Outer& outer, const std::byte* from, int64_t count,
                 const Scratch& scratch) const noexcept {
    std::fill_n(scratch.results, count, 0.0);
    // Centers never decrease, so neither do the bounds of the triangles.
    const int64_t begin = scratch.triangles[0].begin;
    const int64_t end = scratch.triangles[count - 1].end;
    int64_t first = 0;  // triangle that reaches into the piece
    for (int64_t low = begin; low <= end; low = (low / kPiece + 1) * kPiece) {
      const int64_t high = std::min(end, low / kPiece * kPiece + kPiece - 1);
      while (scratch.triangles[first].end < low) ++first;
      if (scratch.triangles[first].begin > high) continue;
      sum_rows(outer, from, low, high - low + 1, scratch);
      for (int64_t i = first; i < count && scratch.triangles[i].begin <= high; ++i) {
        scratch.results[i] += piece_of(scratch.triangles[i], low, high, scratch.sums);
      }
    }
    for (int64_t i = 0; i < count; ++i) scratch.results[i] /= scratch.triangles[i].sum;
  }

  // The part of a triangle that lies in the piece [low, high], whose elements are in `sums`.
  double piece_of(const Triangle& t, int64_t low, int64_t high, const double* sums) const noexcept {
    const int64_t begin = std::max(low, t.begin);
    const int64_t end = std::min(high, t.end);
    if (t.ordinary()) {
      double result = 0;
      for (int64_t k = begin; k <= end; ++k) result += t.weight(k) * sums[k - low];
      return result;
    }
    return kernels_.triangle_sum(sums + (begin - low), end - begin + 1, static_cast<double>(begin),
                                 t.center, t.slope);
  }

  // sums = the outer triangles over elements [low, low + count) of their rows.
  void sum_rows(const Outer& outer, const std::byte* from, int64_t low, int64_t count,
                const Scratch& scratch) const noexcept {
    std::fill_n(scratch.sums, count, 0.0);
    add(outer, 0, from, low * geometry_.inner.input_stride, 1, count, scratch);
  }

  void add(const Outer& outer, std::size_t d, const std::byte* from, int64_t offset, double weight,
           int64_t count, const Scratch& scratch) const noexcept {
    if (d == geometry_.outer.size()) {
      const std::byte* row = from + offset * element_bytes_;
      const bool as_it_is = data_type_ == DataType::float32 && geometry_.inner.input_stride == 1;
      if (!as_it_is) load_(row, geometry_.inner.input_stride, scratch.row, count);
      kernels_.add_row(as_it_is ? reinterpret_cast<const float*>(row) : scratch.row, weight,
                       scratch.sums, count);
      return;
    }
    const Triangle& t = outer[d];
    for (int64_t k = t.begin; k <= t.end; ++k) {
      add(outer, d + 1, from, offset + k * geometry_.outer[d].input_stride,
          weight * (t.weight(k) / t.sum), count, scratch);
    }
  }

  void store(const double* results, int64_t count, std::byte* to,
             const Scratch& scratch) const noexcept {
    const int64_t stride = geometry_.inner.output_stride;
    if (data_type_ == DataType::float32 || data_type_ == DataType::float16) {
      kernels_.narrow(results, scratch.row, count);
      store_(scratch.row, to, stride, count);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      scratch.results[i] = results[i] + std::copysign(kNearlyWhole, results[i]);
    }
    (data_type_ == DataType::int8 ? kernels_.store_f64_i8 : kernels_.store_f64_u8)(
        scratch.results, to, stride, count);
  }

  ResampleGeometry geometry_;
  DataType data_type_;
  int64_t element_bytes_;
  Isa isa_;
  const kernels::ResampleKernels& kernels_;
  kernels::WidenRow<float> load_;
  kernels::StoreRow store_;
  unsigned slots_;
  // Where the parts of a slot's scratch memory start.
  int64_t triangles_at_ = 0;
  int64_t results_at_ = 0;
  int64_t sums_at_ = 0;
  int64_t row_at_ = 0;
  int64_t slot_bytes_ = 0;
};

}  // namespace

std::shared_ptr<PlanBody> antialias_plan(const ResampleParams& params, const PlanOptions& options) {
  return std::make_shared<AntialiasBody>(params, options);
}

}  // namespace weft::ops
