#include "weft/fold.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/fold/fold.h"
#include "kernels/rows/rows.h"
#include "ops/checker.h"
#include "ops/layout.h"
#include "ops/plan_body.h"
#include "ops/window_axes.h"

namespace weft {

namespace ops {

namespace {

using base::divide_up;
using std::int64_t;

// The sums of one tile stay in the first-level cache next to what is added to them; small images
// take smaller tiles, so that there is one for every thread.
constexpr int64_t kMaxTileElements = 4096;
constexpr int64_t kMinTileElements = 256;
constexpr int64_t kWantedTiles = 64;

// Runs that hold fewer are mostly overhead.
constexpr int64_t kShortRun = 8;

// Runs that a tile works out once for all its rows.
constexpr int64_t kKeptRuns = 32;

// Finds what adds to one position of an axis: the pairs of window element and block with
//
//   element * window.step + block * block.step = position + start
//
// These are every modulus-th element, from one whose residue the inverse of window.step gives, so
// that finding them takes no longer than visiting them, whatever the steps.
class Contributors {
 public:
  explicit Contributors(const WindowAxis& axis)
      : axis_(axis),
        divisor_(std::gcd(axis.window.step, axis.block.step)),
        modulus_(axis.block.step / divisor_),
        inverse_(static_cast<std::uint64_t>(
            base::inverse_modulo(axis.window.step / divisor_ % modulus_, modulus_))) {}

  // Calls add(element, block) for each, elements ascending.
  template <class Add>
  void each(int64_t position, const Add& add) const {
    const int64_t target = position + axis_.start;
    if (target % divisor_ != 0) return;
    const auto modulus = static_cast<std::uint64_t>(modulus_);
    // Both factors are below a stride, thus below 2^32.
    const auto residue = static_cast<int64_t>(static_cast<std::uint64_t>(target / divisor_) %
                                              modulus * inverse_ % modulus);
    const int64_t first_block = target - (axis_.block.count - 1) * axis_.block.step;
    const int64_t lowest = first_block > 0 ? divide_up(first_block, axis_.window.step) : 0;
    const int64_t end = std::min(axis_.window.count, target / axis_.window.step + 1);
    int64_t element = lowest + ((residue - lowest) % modulus_ + modulus_) % modulus_;
    for (; element < end; element += modulus_) {
      add(element, (target - element * axis_.window.step) / axis_.block.step);
    }
  }

 private:
  WindowAxis axis_;
  int64_t divisor_;
  int64_t modulus_;
  std::uint64_t inverse_;
};

// Which of the indices of `digit` can put a position within [first, last] at all, when the indices
// of `partner` are free.
IndexRange reaching(const Digit& digit, const Digit& partner, int64_t start, int64_t first,
                    int64_t last) {
  const int64_t nearest = first + start - (partner.count - 1) * partner.step;
  const int64_t begin = nearest > 0 ? divide_up(nearest, digit.step) : 0;
  return {begin, std::min(digit.count, (last + start) / digit.step + 1)};
}

// Each tile owns a rectangle of the image, x along the last axis and y along the one before: it
// gathers everything that adds to it into sums of its own and writes each element once.
//
// Sums are de-interleaved: with runs that step by s, position x is kept at
// [x % s][x / s], where a run is contiguous.
class FoldBody final : public PlanBody {
 public:
  FoldBody(const FoldParams& params, const PlanOptions& options)
      : axes_(window_axes(sliding_window(params))),
        data_type_(params.input.data_type),
        element_bytes_(byte_size(data_type_)),
        kernel_(kernels::fold_kernel(base::choose_isa(options.max_isa), data_type_)),
        rows_(kernels::row_kernels(kernel_.isa)) {
    choose_order();
    choose_tiles();
    choose_runs();
    slots_ = slot_count(options, tiles_);
    type = OperatorType::fold;
    algorithm = kernel_.name;
    explanation = std::to_string(tiles_) + " tiles of " + std::to_string(y_chunk_) + 'x' +
                  std::to_string(x_chunk_) + " elements, " + threads_text(slots_);
    inputs = {params.input};
    outputs = {params.output};
    slot_bytes_ =
        base::round_up(static_cast<std::uint64_t>(y_chunk_ * sum_row_) * kernel_.sum_bytes,
                       base::kWorkspaceAlignment);
    workspace_size_in_bytes = slots_ * slot_bytes_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    base::parallel_tiles(slots_, tiles_, [&](int64_t tile, unsigned slot) {
      Tile t;
      locate(tile, t);
      t.sum = arguments.workspace + slot * slot_bytes_;
      t.from = static_cast<const std::byte*>(arguments.inputs[0]);
      t.to = static_cast<std::byte*>(arguments.outputs[0]);
      std::memset(t.sum, 0, static_cast<std::size_t>(t.rows * sum_row_) * kernel_.sum_bytes);
      add(t, 0, 0);
      store(t);
    });
  }

 private:
  // What one index of other_ adds to a row: `count` sums from `place` on.
  struct Run {
    int64_t place;
    int64_t offset;  // in the columns
    int64_t count;
  };

  struct Tile {
    std::array<int64_t, kMaxRank> position;  // on the outer axes
    int64_t y, rows;
    int64_t x, count;
    IndexRange y_elements;            // window elements that can reach the rows
    IndexRange x_others;              // indices of other_ that can reach the columns
    std::array<Run, kKeptRuns> runs;  // the first of their runs
    std::byte* sum;
    const std::byte* from;
    std::byte* to;
  };

  const WindowAxis& x_axis() const { return axes_.back(); }
  const WindowAxis& y_axis() const { return axes_[axes_.size() - 2]; }

  // An axis without windows may stand anywhere: the order in which things are added is that of the
  // window elements.
  void choose_order() {
    const int64_t last = x_axis().image;
    if (last >= kShortRun) return;
    auto best = axes_.end();
    int64_t longest = last;
    for (auto axis = axes_.begin(); axis != axes_.end(); ++axis) {
      if (axis->plain() && axis->image > longest) {
        best = axis;
        longest = axis->image;
      }
    }
    if (best != axes_.end()) std::rotate(best, best + 1, axes_.end());
  }

  void choose_tiles() {
    int64_t elements = 1;
    for (const WindowAxis& axis : axes_) elements *= axis.image;
    const int64_t budget = std::clamp(elements / kWantedTiles, kMinTileElements, kMaxTileElements);
    x_chunk_ = std::min(x_axis().image, budget);
    x_tiles_ = divide_up(x_axis().image, x_chunk_);
    if (axes_.size() > 1) {
      y_chunk_ = std::max<int64_t>(budget / x_chunk_, 1);
      if (y_axis().block.step <= kMaxTileElements / x_chunk_) {
        y_chunk_ = std::max(y_chunk_, y_axis().block.step);
      }
      y_chunk_ = std::min(y_chunk_, y_axis().image);
      // With fewer rows than a stride, most window elements miss them: better look for those that
      // do not, row by row.
      if (y_chunk_ < y_axis().block.step) y_chunk_ = 1;
    }
    outer_count_ = axes_.size() - (y_chunk_ > 1 ? 2 : 1);
    y_tiles_ = y_chunk_ > 1 ? divide_up(y_axis().image, y_chunk_) : 1;
    tiles_ = x_tiles_ * y_tiles_;
    for (std::size_t a = 0; a < outer_count_; ++a) {
      tiles_ *= axes_[a].image;
      outer_.emplace_back(axes_[a]);
    }
  }

  // Runs go along blocks, or along window elements where those are longer: blocks descending then
  // visit the elements that add to one position in ascending order, too.
  void choose_runs() {
    const Digit& block = x_axis().block;
    const Digit& element = x_axis().window;
    const auto run_length = [&](const Digit& digit) {
      return std::min(digit.count, x_chunk_ / digit.step + 1);
    };
    along_elements_ = run_length(block) < kShortRun / 2 && run_length(element) > run_length(block);
    run_ = along_elements_ ? element : block;
    other_ = along_elements_ ? block : element;
    phases_ = std::min(run_.step, x_chunk_);
    phase_pitch_ = divide_up(x_chunk_, phases_);
    sum_row_ = phases_ * phase_pitch_;
  }

  void locate(int64_t tile, Tile& t) const {
    t.x = tile % x_tiles_ * x_chunk_;
    t.count = std::min(x_chunk_, x_axis().image - t.x);
    t.x_others = reaching(other_, run_, x_axis().start, t.x, t.x + t.count - 1);
    for (int64_t i = 0; i < std::min(t.x_others.size(), kKeptRuns); ++i) {
      t.runs[static_cast<std::size_t>(i)] = run_of(t, i);
    }
    tile /= x_tiles_;
    t.y = 0;
    t.rows = 1;
    if (y_chunk_ > 1) {
      t.y = tile % y_tiles_ * y_chunk_;
      t.rows = std::min(y_chunk_, y_axis().image - t.y);
      t.y_elements =
          reaching(y_axis().window, y_axis().block, y_axis().start, t.y, t.y + t.rows - 1);
      tile /= y_tiles_;
    }
    for (std::size_t a = outer_count_; a-- > 0;) {
      t.position[a] = tile % axes_[a].image;
      tile /= axes_[a].image;
    }
  }

  // Adds everything whose outer axes up to `axis` are settled; `offset` is theirs in the columns.
  void add(const Tile& t, std::size_t axis, int64_t offset) const {
    if (axis == outer_count_) return add_rows(t, offset);
    outer_[axis].each(t.position[axis], [&](int64_t element, int64_t block) {
      add(t, axis + 1,
          offset + element * axes_[axis].window.column_step +
              block * axes_[axis].block.column_step);
    });
  }

  void add_rows(const Tile& t, int64_t offset) const {
    kernels::FoldRectangle k{};
    k.rows = 1;
    if (y_chunk_ == 1) return add_runs(t, k, offset, 0);
    const WindowAxis& y = y_axis();
    k.sum_row = y.block.step * sum_row_;
    k.from_row = y.block.column_step;
    for (int64_t element = t.y_elements.begin; element < t.y_elements.end; ++element) {
      const int64_t position = element * y.window.step - y.start;
      const IndexRange blocks = indices_within(y.block, position, t.y, t.y + t.rows);
      k.rows = blocks.size();
      if (k.rows <= 0) continue;
      add_runs(t, k, offset + element * y.window.column_step + blocks.begin * y.block.column_step,
               position + blocks.begin * y.block.step - t.y);
    }
  }

  // The run of the i-th index of other_ that the tile has, in the order of adding.
  Run run_of(const Tile& t, int64_t i) const {
    const int64_t other = along_elements_ ? t.x_others.end - 1 - i : t.x_others.begin + i;
    const int64_t position = other * other_.step - x_axis().start;
    const IndexRange indices = indices_within(run_, position, t.x, t.x + t.count);
    if (indices.size() <= 0) return {};
    const int64_t x = position + indices.begin * run_.step - t.x;
    return {phases_ == 1 ? x : x % phases_ * phase_pitch_ + x / phases_,
            other * other_.column_step + indices.begin * run_.column_step, indices.size()};
  }

  // `row` is the first of k.rows, `offset` what x does not settle of the place in the columns.
  void add_runs(const Tile& t, kernels::FoldRectangle& k, int64_t offset, int64_t row) const {
    k.from_step = run_.column_step;
    for (int64_t i = 0; i < t.x_others.size(); ++i) {
      const Run run = i < kKeptRuns ? t.runs[static_cast<std::size_t>(i)] : run_of(t, i);
      if (run.count == 0) continue;
      k.count = run.count;
      k.sum = t.sum + (row * sum_row_ + run.place) * kernel_.sum_bytes;
      k.from = t.from + (offset + run.offset) * element_bytes_;
      kernel_.add(k);
    }
  }

  void store(const Tile& t) const {
    int64_t offset = t.x * x_axis().image_step;
    for (std::size_t a = 0; a < outer_count_; ++a) offset += t.position[a] * axes_[a].image_step;
    const bool in_order = phases_ == 1 || phase_pitch_ == 1;
    const int64_t phases = in_order ? 1 : phases_;
    for (int64_t row = 0; row < t.rows; ++row) {
      const int64_t to = y_chunk_ > 1 ? offset + (t.y + row) * y_axis().image_step : offset;
      const std::byte* sum = t.sum + row * sum_row_ * kernel_.sum_bytes;
      for (int64_t phase = 0; phase < std::min(phases, t.count); ++phase) {
        const int64_t extra = phase < t.count % phases ? 1 : 0;
        store_run(sum + phase * phase_pitch_ * kernel_.sum_bytes,
                  t.to + (to + phase * x_axis().image_step) * element_bytes_,
                  phases * x_axis().image_step, t.count / phases + extra);
      }
    }
  }

  void store_run(const std::byte* sum, std::byte* to, int64_t step, int64_t count) const {
    if (data_type_ == DataType::float16) {
      rows_.store_f16(reinterpret_cast<const float*>(sum), to, step, count);
    } else {
      rows_.copy(data_type_)(sum, 1, to, step, count);
    }
  }

  std::vector<WindowAxis> axes_;
  std::vector<Contributors> outer_;
  DataType data_type_;
  int64_t element_bytes_;
  const kernels::FoldKernel& kernel_;
  const kernels::RowKernels& rows_;
  std::size_t outer_count_ = 0;  // axes that a tile has one position of
  int64_t y_chunk_ = 1;
  int64_t y_tiles_ = 1;
  int64_t x_chunk_ = 0;
  int64_t x_tiles_ = 0;
  int64_t tiles_ = 0;
  Digit run_{};
  Digit other_{};
  bool along_elements_ = false;
  int64_t phases_ = 1;
  int64_t phase_pitch_ = 0;
  int64_t sum_row_ = 0;
  std::uint64_t slot_bytes_ = 0;
  unsigned slots_ = 1;
};

}  // namespace
}  // namespace ops

std::vector<Violation> validate(const FoldParams& params) {
  return ops::validate(ops::sliding_window(params));
}

Dims input_sizes(const FoldParams& params) {
  return ops::column_sizes(ops::sliding_window(params));
}

Plan plan(const FoldParams& params, const PlanOptions& options) {
  ops::throw_if_any(validate(params), OperatorType::fold);
  return Plan(std::make_shared<const ops::FoldBody>(params, options));
}

void fold(const FoldParams& params, ConstBuffer input, Buffer output) {
  plan(params).run(Bindings{.inputs = {&input, 1}, .outputs = {&output, 1}});
}

}  // namespace weft
