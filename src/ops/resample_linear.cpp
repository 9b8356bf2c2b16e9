#include <array>
#include <span>
#include <vector>

#include "base/cache.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "kernels/resample/resample.h"
#include "kernels/rows/rows.h"
#include "ops/resample_plan.h"
#include "ops/resample_rows.h"

namespace weft::ops {

namespace {

using std::int64_t;

// Numbers that make up a chunk. The rows of a long one are read from end to end, which gains
// nothing where the numbers are double. AMD's processors, which see less of what comes, lose more
// by rows that are cut: doubling 512 rows of 1500 191 us, 409 in halves (Zen 5).
template <class Real>
int64_t max_chunk() noexcept {
  if (sizeof(Real) != sizeof(float)) return 512;
  return base::is_amd() ? 4096 : 2048;
}

// Rows are cut, unless they are doubled with the dimension before them: the loop for that makes
// whole rows. Doubling 3x2160x3840, one thread of Zen 5: 11.4 ms, 16.4 in chunks.
ResampleGeometry in_chunks(const ResampleParams& params, int64_t most) {
  constexpr int64_t kLongest = 1 << 15;
  ResampleGeometry cut(params, most);
  const bool whole = cut.inner.doubles() && cut.inner.output_size <= kLongest &&
                     cut.inner.input_stride == 1 && cut.inner.output_stride == 1 &&
                     !cut.outer.empty() && cut.outer.back().doubles();
  return whole ? ResampleGeometry(params, kLongest) : cut;
}

// Elements of a row that lie within a few lines, of a picture's pixels for instance.
constexpr int64_t kNearPixels = 4;

// Bytes of rows that are asked for at once before they are read. Of a longer one that holds up
// everything else: halving 3x2160x3840, in turns: 11.7 ms, 13.7 with that.
constexpr int64_t kLongRowBytes = 2048;

// How rows of a data type are read, mixed and written in one precision.
template <class Real>
struct RowLoops {
  kernels::WidenRow<Real> load;
  void (*store)(const Real* from, void* to, int64_t to_stride, int64_t count) noexcept;
  kernels::Between<Real> between;
  kernels::Along<Real> along;
  // The same to and from rows of the data type; null where those have to be loaded or narrowed.
  kernels::Between<Real> blend;
  kernels::Along<Real> along_tensor;
  kernels::RowsFunction rows;
};

RowLoops<float> float_loops(DataType type, Isa isa) {
  const kernels::RowKernels& rows = kernels::row_kernels(isa);
  const kernels::ResampleKernels& k = kernels::resample_kernels(isa);
  const bool half = type == DataType::float16;
  return {half ? k.load_f16 : k.load_f32,
          rows.store(type),
          k.between_f32,
          k.along_f32,
          half ? k.between_f16 : k.between_f32,
          k.isa < Isa::avx2 ? nullptr
          : half            ? k.along_f16
                            : k.along_f32,
          half ? k.rows_f16 : k.rows_f32};
}

RowLoops<double> integer_loops(DataType type, Isa isa) {
  const kernels::ResampleKernels& k = kernels::resample_kernels(isa);
  const bool is_signed = type == DataType::int8;
  return {is_signed ? k.load_i8_f64 : k.load_u8_f64,
          is_signed ? k.store_f64_i8 : k.store_f64_u8,
          k.between_f64,
          k.along_f64,
          nullptr,
          nullptr,
          nullptr};
}

// Interpolates between whole rows along the outer dimensions, from the slowest on, then along the
// row that remains. A row is the range of the inner dimension that a chunk of the output needs, or,
// where that is much more than the chunk reads, only the elements it reads.
//
// Where the fastest of the outer dimensions grows, it comes last instead: each of its rows is made
// once and mixed with both of its neighbours. So it does where there is a loop for rows of which
// none are mixed with each other.
template <class Real>
class LinearBody final : public PlanBody {
 public:
  LinearBody(const ResampleParams& params, const PlanOptions& options, Isa isa,
             const RowLoops<Real>& loops)
      : geometry_(in_chunks(params, max_chunk<Real>())),
        sources_(geometry_, layout_),
        loops_(loops),
        isa_(isa),
        data_type_(params.input.data_type),
        element_bytes_(byte_size(params.input.data_type)),
        slots_(slot_count(options, geometry_.tiles)) {
    const kernels::ResampleKernels& kernels = kernels::resample_kernels(isa);
    gather_ = kernels.gather(data_type_);
    for (std::size_t d = 0; d < geometry_.outer.size(); ++d) {
      pair_tables_[d] = axis_table(geometry_.outer[d], [&](int64_t o) { return find_pair(d, o); });
    }
    in_place_ = data_type_ == DataType::float32 && geometry_.inner.output_stride == 1;
    early_ = geometry_.outer.size();
    if (early_ > 0) {
      const ResampleAxis& last = geometry_.outer.back();
      if (last.direct ? suits_rows() : last.output_size >= last.input_size) {
        --early_;
        for (const Pair& pair : pair_tables_[early_]) {
          late_index_.push_back(pair.index);
          late_t_.push_back(pair.t);
        }
      }
      ahead_bytes_ = std::max<int64_t>(last.input_size / last.output_size, 1) * last.input_stride *
                     element_bytes_;
      const ResampleAxis& inner = geometry_.inner;
      fetches_ahead_ = inner.input_stride <= kNearPixels &&
                       inner.input_size * inner.input_stride * element_bytes_ <= kLongRowBytes;
    }
    streams_ = in_place_ && early_ < geometry_.outer.size() && suits_streams();
    if constexpr (std::is_same_v<Real, float>) {
      if (streams_) loops_.blend = kernels.between_f32_past_caches;
    }
    algorithm = kernels.linear_name;
    explanation = geometry_.text(slots_) + (streams_ ? ", past the caches" : "");
    plan_scratch();
    workspace_size_in_bytes = static_cast<std::uint64_t>(slot_bytes_) * slots_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    geometry_.run_tiles(arguments, slots_, slot_bytes_,
                        [&](const ResampleGeometry::Tile& tile, const std::byte* from,
                            std::byte* to, std::byte* scratch) {
                          run_tile(tile, from, to, scratch);
                          if (streams_) base::end_stream();
                        });
  }

 private:
  // The two rows that an outer dimension mixes; one where t is 0.
  struct Pair {
    int64_t index;  // of the first
    int64_t first;  // offsets
    int64_t second;
    float t;
  };

  // The rows of a tile that are made from one row of the tensor each, or from several by the outer
  // dimensions that come early. The latest even and the latest odd one stay.
  struct Rows {
    const std::byte* from;
    const RowSource& source;
    std::byte* scratch;
    std::array<Pair, kMaxResampleRank> pairs{};  // where the early dimensions are
    bool stepped = true;                         // one of them
    std::array<Pair, kMaxResampleRank> mixed{};  // those that mix
    std::size_t mixed_count = 0;
    int64_t offset = 0;  // of the others
    std::array<int64_t, 2> kept{};
  };

  template <class T>
  static T* at(std::byte* scratch, int64_t offset) {
    return reinterpret_cast<T*>(scratch + offset);
  }

  void plan_scratch() {
    int64_t longest = geometry_.chunk;
    if (!geometry_.inner.direct) {
      longest = RowSources::kDense * geometry_.chunk;
      raw_at_ = layout_.take<std::byte>(2 * geometry_.chunk * element_bytes_);
    }
    result_at_ = layout_.take<Real>(geometry_.chunk);
    if (early_ < geometry_.outer.size()) {
      for (int64_t& place : made_at_) place = layout_.take<Real>(geometry_.chunk);
    }
    other_at_ = layout_.take<Real>(longest);
    for (std::size_t i = 0; i < 2 * geometry_.outer.size() + 1; ++i) {
      mixed_at_[i] = layout_.take<Real>(longest);
    }
    slot_bytes_ = slot_bytes(layout_);
  }

  // Whether all rows of a large output lie at cache lines, if the first one does. With AVX2, short
  // ones take more time by themselves than memory does.
  bool suits_streams() const noexcept {
    constexpr int64_t kLongForAvx2 = 128;
    const int64_t bytes = geometry_.rows * geometry_.inner.output_size * element_bytes_;
    for (const ResampleAxis& axis : geometry_.outer) {
      if (axis.output_stride % base::kLineFloats != 0) return false;
    }
    return bytes > base::past_caches_bytes() &&
           (isa_ >= Isa::avx512 || geometry_.chunk >= kLongForAvx2);
  }

  // Whether rows that are mixed along themselves alone are made at once. Of float16 that saves a
  // row of float32 between: 512 rows of 1500, doubled: 252 us, 139 so; with AVX2 553 and 208, of
  // float32 427 and 296 (Zen 5).
  bool suits_rows() const {
    const ResampleAxis& inner = geometry_.inner;
    if (loops_.rows == nullptr || inner.direct || inner.output_size < inner.input_size ||
        inner.input_stride != 1 || inner.output_stride != 1) {
      return false;
    }
    std::vector<std::byte> scratch(static_cast<std::size_t>(layout_.bytes()));
    const RowSource source = sources_.of(geometry_.tile(0), scratch.data());
    const bool suits = isa_ >= Isa::avx512 ? data_type_ == DataType::float16 : source.picks.doubles;
    return suits && source.offsets == nullptr && pays_at_once(source.picks) &&
           loops_.rows({.picks = &source.picks});
  }

  Pair find_pair(std::size_t d, int64_t o) const noexcept {
    const ResampleAxis& axis = geometry_.outer[d];
    const Neighbors n = axis.direct ? Neighbors{o, 0} : axis.neighbors(o);
    return {n.index, n.index * axis.input_stride, (n.index + 1) * axis.input_stride, n.t};
  }

  Pair pair_of(std::size_t d, int64_t o) const noexcept {
    const std::vector<Pair>& table = pair_tables_[d];
    return table.empty() ? find_pair(d, o) : table[static_cast<std::size_t>(o)];
  }

  void run_tile(const ResampleGeometry::Tile& tile, const std::byte* from, std::byte* to,
                std::byte* scratch) const noexcept {
    RowSource source = sources_.of(tile, scratch);
    const kernels::Picks& picks = source.picks;
    if (picks.row_count * element_bytes_ > kLongRowBytes && asks_ahead(picks)) {
      source.picks.ahead = ahead_bytes_ / element_bytes_;
    }
    Rows rows{from, source, scratch};
    const auto step = [&](std::size_t d, int64_t o) {
      rows.pairs[d] = pair_of(d, o);
      rows.stepped = true;
    };
    if (early_ == geometry_.outer.size()) {
      geometry_.visit(tile, step, [&](int64_t offset) {
        settle(rows);
        write_early(rows, to + offset * element_bytes_);
      });
      return;
    }
    geometry_.sweep(tile, step, [&](int64_t offset, int64_t o, int64_t count) {
      if (rows.stepped) settle(rows);
      if (write_at_once(rows, o, count, to + offset * element_bytes_)) return;
      for (int64_t i = 0; i < count;) {
        const int64_t row = offset + i * geometry_.outer[early_].output_stride;
        i += write_late(rows, o + i, count - i, to + row * element_bytes_);
      }
    });
  }

  // Whether memory that is read holds up long rows: where they shrink, and with AMD always.
  // Doubling rows of 6000: 226 us, 549 without (Zen 5).
  static bool asks_ahead(const kernels::Picks& picks) noexcept {
    return picks.row_count > picks.count || base::is_amd();
  }

  // A row of the output, where all dimensions come early.
  void write_early(const Rows& rows, std::byte* to) const noexcept {
    if (rows.source.picks.index == nullptr && rows.mixed_count == 0) {
      return copy(rows, rows.offset, to);
    }
    if (in_place_) fetch_to_write(to, rows.source.picks.count * element_bytes_);
    Real* place = in_place_ ? reinterpret_cast<Real*>(to) : at<Real>(rows.scratch, result_at_);
    make(rows, rows.offset, place);
    if (!in_place_) loops_.store(place, to, geometry_.inner.output_stride, rows.source.picks.count);
  }

  // Asks for what short rows are followed by.
  static void fetch_to_write(const std::byte* to, int64_t bytes) noexcept {
    if (bytes <= kLongRowBytes) base::fetch_to_write(to + kernels::kWriteAhead, bytes);
  }

  // Rows that are doubled do, and short ones. With AVX-512, up to as many vectors as have tables of
  // their own: three times 100x100, 197 us one by one, 118 at once (Zen 5). Longer rows take as
  // much time one by one, but for those of float16 whose vectors are picked alike: there,
  // instructions take more time than memory.
  bool pays_at_once(const kernels::Picks& picks) const noexcept {
    if (picks.doubles) return true;
    if (isa_ < Isa::avx512) return picks.count <= 192;
    return picks.count <= kernels::kMostTables ||
           (data_type_ == DataType::float16 && picks.count - picks.same_end < 32);
  }

  // All `count` rows of the output from o on, where there is a loop for them.
  bool write_at_once(const Rows& rows, int64_t o, int64_t count, std::byte* to) const noexcept {
    const kernels::Picks& picks = rows.source.picks;
    if (loops_.rows == nullptr || rows.mixed_count > 1 || rows.source.offsets != nullptr ||
        geometry_.inner.input_stride != 1 || geometry_.inner.output_stride != 1 ||
        (picks.index != nullptr && !pays_at_once(picks))) {
      return false;
    }
    const Pair mixed = rows.mixed_count > 0 ? rows.mixed[0] : Pair{};
    const ResampleAxis& axis = geometry_.outer[early_];
    constexpr int64_t kMost = 128;
    std::array<int64_t, kMost> index;
    std::array<float, kMost> t;
    kernels::LerpRows k{.row = rows.from + (rows.offset + mixed.first) * element_bytes_,
                        .other = nullptr,
                        .between = mixed.t,
                        .row_stride = axis.input_stride,
                        .picks = &picks,
                        .index = index.data(),
                        .t = t.data(),
                        .rows = 0,
                        .to = to,
                        .to_stride = axis.output_stride,
                        .past_caches = streams_};
    if (mixed.t > 0) k.other = rows.from + (rows.offset + mixed.second) * element_bytes_;
    for (int64_t done = 0; done < count; done += k.rows) {
      k.rows = count - done;
      if (late_t_.empty()) {
        k.rows = std::min(kMost, k.rows);
        for (int64_t i = 0; i < k.rows; ++i) {
          const Pair pair = pair_of(early_, o + done + i);
          index[static_cast<std::size_t>(i)] = pair.index;
          t[static_cast<std::size_t>(i)] = pair.t;
        }
      } else {
        k.index = late_index_.data() + o + done;
        k.t = late_t_.data() + o + done;
      }
      k.to = to + done * axis.output_stride * element_bytes_;
      if (!loops_.rows(k)) return false;
    }
    return true;
  }

  // Some rows of the output from o on, at most `count`; returns how many.
  int64_t write_late(Rows& rows, int64_t o, int64_t count, std::byte* to) const noexcept {
    const Pair pair = pair_of(early_, o);
    const int64_t length = rows.source.picks.count;
    const int64_t stride = geometry_.inner.output_stride;
    if (pair.t == 0) {
      if (rows.source.picks.index == nullptr && rows.mixed_count == 0) {
        copy(rows, rows.offset + pair.first, to);
      } else {
        loops_.store(kept(rows, pair.index, pair.first), to, stride, length);
      }
      return 1;
    }
    const Real* a = kept(rows, pair.index, pair.first);
    const Real* b = kept(rows, pair.index + 1, pair.second);
    if (loops_.blend == nullptr || stride != 1) {
      Real* place = at<Real>(rows.scratch, result_at_);
      loops_.between(a, b, &pair.t, 1, place, 0, length);
      loops_.store(place, to, stride, length);
      return 1;
    }
    std::array<float, 8> t{pair.t};
    std::size_t same = 1;  // rows between the same two
    for (; same < t.size() && static_cast<int64_t>(same) < count; ++same) {
      const Pair next = pair_of(early_, o + static_cast<int64_t>(same));
      if (next.index != pair.index || next.t == 0) break;
      t[same] = next.t;
    }
    loops_.blend(a, b, t.data(), static_cast<int64_t>(same), to,
                 geometry_.outer[early_].output_stride, length);
    return static_cast<int64_t>(same);
  }

  // A row of the tensor, where none are mixed.
  void copy(const Rows& rows, int64_t offset, std::byte* to) const noexcept {
    Real* place = in_place_ ? reinterpret_cast<Real*>(to) : at<Real>(rows.scratch, result_at_);
    load(rows, offset, place);
    if (!in_place_) loops_.store(place, to, geometry_.inner.output_stride, rows.source.picks.count);
  }

  // What the early dimensions stand at, after a step of one of them.
  void settle(Rows& rows) const noexcept {
    rows.stepped = false;
    rows.mixed_count = 0;
    rows.offset = rows.source.start;
    rows.kept = {-1, -1};
    for (std::size_t d = 0; d < early_; ++d) {
      if (rows.pairs[d].t > 0) {
        rows.mixed[rows.mixed_count++] = rows.pairs[d];
      } else {
        rows.offset += rows.pairs[d].first;
      }
    }
  }

  // Row `index` of the late dimension.
  const Real* kept(Rows& rows, int64_t index, int64_t offset) const noexcept {
    const auto place = static_cast<std::size_t>(index % 2);
    Real* const row = at<Real>(rows.scratch, made_at_[place]);
    if (rows.kept[place] != index) {
      rows.kept[place] = index;
      make(rows, rows.offset + offset, row);
    }
    return row;
  }

  // The row at an offset, mixed and interpolated, in `place`.
  void make(const Rows& rows, int64_t offset, Real* place) const noexcept {
    std::span<const Pair> pairs(rows.mixed.data(), rows.mixed_count);
    const RowSource& source = rows.source;
    if (source.picks.index == nullptr) return mix(rows, pairs, offset, place);
    if (loops_.along_tensor != nullptr && pairs.size() <= 1 && source.offsets == nullptr &&
        geometry_.inner.input_stride == 1) {
      const std::byte* row = fetch(rows, offset + (pairs.empty() ? 0 : pairs[0].first));
      const std::byte* other = pairs.empty() ? nullptr : fetch(rows, offset + pairs[0].second);
      loops_.along_tensor(row, other, pairs.empty() ? 0 : pairs[0].t, source.picks, place);
      return;
    }
    const Pair last = pairs.empty() ? Pair{} : pairs.back();
    if (!pairs.empty()) pairs = pairs.first(pairs.size() - 1);
    Real* const row = at<Real>(rows.scratch, mixed_at_[0]);
    Real* const other = last.t > 0 ? at<Real>(rows.scratch, other_at_) : nullptr;
    mix(rows, pairs, offset + last.first, row);
    if (other != nullptr) mix(rows, pairs, offset + last.second, other);
    kernels::Picks picks = source.picks;
    picks.ahead = 0;
    loops_.along(row, other, last.t, picks, place);
  }

  void mix(const Rows& rows, std::span<const Pair> pairs, int64_t offset,
           Real* place) const noexcept {
    if (pairs.empty()) return load(rows, offset, place);
    const Pair& pair = pairs.front();
    Real* first = at<Real>(rows.scratch, mixed_at_[2 * pairs.size() - 1]);
    Real* second = at<Real>(rows.scratch, mixed_at_[2 * pairs.size()]);
    pairs = pairs.subspan(1);
    mix(rows, pairs, offset + pair.first, first);
    mix(rows, pairs, offset + pair.second, second);
    loops_.between(first, second, &pair.t, 1, place, 0, rows.source.picks.row_count);
  }

  // A row of the tensor. A short one asks for the one that will be read when this is done with.
  const std::byte* fetch(const Rows& rows, int64_t offset) const noexcept {
    const std::byte* from = rows.from + offset * element_bytes_;
    if (fetches_ahead_) {
      const int64_t bytes =
          rows.source.picks.row_count * geometry_.inner.input_stride * element_bytes_;
      base::fetch(from + ahead_bytes_, bytes);
    }
    return from;
  }

  void load(const Rows& rows, int64_t offset, Real* place) const noexcept {
    const RowSource& source = rows.source;
    const int64_t count = source.picks.row_count;
    const std::byte* from = fetch(rows, offset);
    int64_t stride = geometry_.inner.input_stride;
    if (source.offsets != nullptr) {
      std::byte* raw = rows.scratch + raw_at_;
      gather_(from, source.offsets, raw, 1, count);
      from = raw;
      stride = 1;
    }
    loops_.load(from, stride, place, count);
  }

  ResampleGeometry geometry_;
  ScratchLayout layout_;
  RowSources sources_;
  std::array<std::vector<Pair>, kMaxResampleRank> pair_tables_;
  std::vector<int64_t> late_index_;  // the table of the dimension that comes last, for LerpRows
  std::vector<float> late_t_;
  RowLoops<Real> loops_;
  Isa isa_;
  std::size_t early_;     // outer dimensions that come before the inner one
  bool in_place_;         // output rows are rows of Real
  bool streams_ = false;  // rows of the output that lie at lines go past the caches
  kernels::GatherRow gather_;
  DataType data_type_;
  int64_t element_bytes_;
  bool fetches_ahead_ = false;
  int64_t ahead_bytes_ = 0;  // from a row to the one that is read in its place next
  unsigned slots_;
  // Where the parts of a slot's scratch memory start.
  int64_t raw_at_ = 0;
  int64_t result_at_ = 0;
  std::array<int64_t, 2> made_at_{};
  int64_t other_at_ = 0;
  std::array<int64_t, 2 * kMaxResampleRank + 1> mixed_at_{};
  int64_t slot_bytes_ = 0;
};

}  // namespace

std::shared_ptr<PlanBody> linear_plan(const ResampleParams& params, const PlanOptions& options) {
  const Isa isa = base::choose_isa(options.max_isa);
  const DataType type = params.input.data_type;
  if (type == DataType::float32 || type == DataType::float16) {
    return std::make_shared<LinearBody<float>>(params, options, isa, float_loops(type, isa));
  }
  if (auto fixed = fixed_plan(params, options)) return fixed;
  return std::make_shared<LinearBody<double>>(params, options, isa, integer_loops(type, isa));
}

}  // namespace weft::ops
