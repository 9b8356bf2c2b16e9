#include "weft/fold.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/aligned_memory.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/fold/fold.h"
#include "kernels/rows/rows.h"
#include "kernels/transpose/transpose.h"
#include "kernels/unfold/unfold.h"
#include "ops/checker.h"
#include "ops/columns_transposed.h"
#include "ops/fold_contributors.h"
#include "ops/fold_tile.h"
#include "ops/fold_walk.h"
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
constexpr int64_t kMaxFoldElements = 4096;
constexpr int64_t kMinFoldElements = 256;
constexpr int64_t kWantedFoldTiles = 32;

// Lanes of half a line leave runs longer than those of a whole one, where much is added up. The
// sums of so many tiles stay near. 128 channels, 7x7 at stride 3: 3.2 ms, 9.0 without lanes.
constexpr int64_t kLaneBytes = 32, kLaneTiles = 4, kMaxLaneTileBytes = 65536;

// What a tile reads by squares, and what is fetched for the next meanwhile, stay in the
// second-level cache.
constexpr int64_t kSquareBytes = 262144;

// Elements of the columns between neighbours in a window: further apart, no memory is fetched
// ahead.
constexpr int64_t kFarColumns = 1 << 24;

// Elements of a run that are fetched ahead: nothing where the columns lie in an outer cache, a
// tenth to a seventh where they do not.
constexpr int64_t kRunAhead = 256;

// Enough neighbours for whole lines of the output.
constexpr int64_t kManyPhases = 16;

// Of long axes, which take several tiles anyway, phases and indices in equal numbers.
constexpr int64_t kSplitPhases = 64;

// Places along x whose steps a plan keeps, which take 2 KiB each.
constexpr int64_t kMostPlaces = 32;

// Each tile owns a part of the image, x along the last axis and y along the one before: it gathers
// everything that adds to it into sums of its own and writes each element once.
//
// A tile has positions of one phase of y, and of some phases of x; where neighbours in memory are
// channels, or another axis without windows, of some of these too, the lanes. Its sums lie by
// [phase of x][lane][index of y][index of x], where a run of the columns along blocks is
// contiguous.
class FoldBody final : public PlanBody {
  using Step = FoldStep;
  using Tile = FoldTile;
  using Values = FoldValues;

 public:
  FoldBody(const FoldParams& params, const PlanOptions& options)
      : data_type_(params.input.data_type),
        element_bytes_(byte_size(data_type_)),
        kernel_(kernels::fold_kernel(base::choose_isa(options.max_isa), data_type_)),
        rows_(kernels::row_kernels(kernel_.isa)),
        copy_(kernels::unfold_kernel(kernel_.isa, bit_size(data_type_))),
        transpose_(kernels::transpose_kernel(kernel_.isa, bit_size(data_type_))) {
    choose_order(window_axes(sliding_window(params)));
    choose_tiles();
    slots_ = moving_slot_count(options, tiles_, params.input, params.output);
    type = OperatorType::fold;
    algorithm = kernel_.name;
    explanation = std::to_string(tiles_) + " tiles of " + std::to_string(y_chunk_) + 'x' +
                  std::to_string(phase_chunk_ * x_chunk_) + " elements, " + threads_text(slots_);
    inputs = {params.input};
    outputs = {params.output};
    const auto elements = static_cast<std::uint64_t>(phase_chunk_ * lanes_ * y_chunk_ * sum_row_);
    sum_bytes_ = base::round_up(elements * kernel_.sum_bytes, base::kWorkspaceAlignment);
    const bool rounds = data_type_ == DataType::float16;
    slot_bytes_ = base::slot_bytes(sum_bytes_ + (rounds ? elements * 2 : 0));
    workspace_size_in_bytes = slots_ * slot_bytes_;
  }

  void run(const RunArguments& arguments) const noexcept override {
    base::parallel_tiles_apart(slots_, tiles_, [&](int64_t tile, unsigned slot) {
      Tile t;
      FoldSteps steps;
      locate(tile, t);
      if (steps_.empty()) {
        steps = find_steps(contributors_.back(), x_axis(), t);
        t.steps = &steps;
      }
      t.from = static_cast<const std::byte*>(arguments.inputs[0]);
      t.to = static_cast<std::byte*>(arguments.outputs[0]);
      t.values.first = nullptr;
      t.ahead = walk_.ahead(tile);
      if (in_registers_ && fold_rows(t)) return;
      std::byte* const sums = arguments.workspace + slot * slot_bytes_;
      for (int64_t lane = t.lanes; lane-- > 0;) {
        t.sum = sums + lane * t.rows * sum_row_ * kernel_.sum_bytes;
        if (lane_axis_) t.position[*lane_axis_] = t.lane + lane;
        t.started = false;
        add(t);
        clear_sums(t);  // unless something was added
      }
      if (t.values.first == nullptr) {
        t.values = rounded_sums(t);
        t.ahead = 0;  // of the columns
      }
      store(t);
    });
  }

 private:
  const WindowAxis& x_axis() const { return axes_.back(); }
  const WindowAxis& y_axis() const { return axes_[outer_count_]; }

  void choose_order(std::vector<WindowAxis> axes) {
    axes_ = std::move(axes);
    // Of a single block, the window elements are the blocks of one element each.
    for (WindowAxis& axis : axes_) {
      if (axis.block.count == 1) std::swap(axis.block, axis.window);
    }
    lengthen_last(axes_);
    if (axes_.size() == 1) axes_.insert(axes_.begin(), {1, 0, 0, {1, 1, 0}, {1, 1, 0}});
    outer_count_ = axes_.size() - 2;
    for (std::size_t a = 0; a < outer_count_ && x_axis().image_step != 1; ++a) {
      if (!axes_[a].plain() || axes_[a].image_step != 1) continue;
      lane_axis_ = a;
      const bool apart = most_parts(axes_) == 1 && Phases(x_axis()).count <= kManyPhases;
      const int64_t bytes = apart && element_bytes_ > 2 ? 2 * kLaneBytes : kLaneBytes;
      lanes_ = std::min(axes_[a].image, bytes / element_bytes_);
    }
    single_ = !lane_axis_ && x_axis().block.column_step == 1;
    for (const WindowAxis& axis : axes_) {
      contributors_.emplace_back(axis);
      overlaps_ = overlaps_ || axis.overlaps;
      single_ = single_ && (axis.window.count - 1) * axis.window.step < axis.block.step;
    }
  }

  void choose_tiles() {
    using Rows = kernels::FoldRows;
    int64_t elements = 1;
    for (const WindowAxis& axis : axes_) elements *= axis.image;
    int64_t budget = std::clamp(elements / kWantedFoldTiles, kMinFoldElements, kMaxFoldElements);
    if (lane_axis_) {
      const int64_t tiles = kLaneTiles * divide_up(lanes_ * element_bytes_, kLaneBytes);
      budget = std::min(tiles * budget, kMaxLaneTileBytes / bytes_of_sum()) / lanes_;
    }
    const Phases x(x_axis());
    const Phases y(y_axis());
    phase_chunk_ = x.count;
    if (x.count > kManyPhases) {
      const int64_t several = budget / (x.indices * y.indices) / kManyPhases * kManyPhases;
      phase_chunk_ = std::min(x.count, several > 0 ? several : kSplitPhases);
    }
    x_chunk_ = even_chunk(x.indices, budget / phase_chunk_);
    // A masked store holds up a load of the lanes that it leaves alone: rows in lines of their own.
    const int64_t lanes = base::kLineBytes / kernel_.sum_bytes;
    sum_row_ = x_chunk_ > lanes / 4 ? divide_up(x_chunk_, lanes) * lanes : x_chunk_;
    y_chunk_ = even_chunk(y.indices, budget / (phase_chunk_ * sum_row_));
    in_registers_ = kernel_.rows != nullptr && !lane_axis_ && overlaps_ &&
                    x_axis().image_step == 1 && x_axis().block.column_step == 1 &&
                    x.count == x_axis().block.step && most_blocks(x_axis()) <= Rows::kMaxTerms &&
                    most_parts({axes_.data(), outer_count_ + 1}) <= Rows::kMaxParts &&
                    (x.count % Rows::kSquare == 0 || x.count <= Rows::kMaxPhases);
    if (in_registers_ && x.count > Rows::kMaxPhases) choose_squares(x, y);
    x_tiles_ = divide_up(x.indices, x_chunk_);
    phase_tiles_ = divide_up(x.count, phase_chunk_);
    y_tiles_ = divide_up(y.indices, y_chunk_);
    tiles_ = x_tiles_ * phase_tiles_ * y_tiles_ * y.count;
    for (std::size_t a = 0; a < outer_count_; ++a) {
      tiles_ *= a == lane_axis_ ? divide_up(axes_[a].image, lanes_) : axes_[a].image;
    }
    if (single_ || in_registers_) choose_walk(y.count);
    const int64_t places = phase_tiles_ * x_tiles_;
    for (int64_t place = 0; places <= kMostPlaces && place < places; ++place) {
      Tile t;
      place_along_x(place, t);
      steps_.push_back(find_steps(contributors_.back(), x_axis(), t));
    }
  }

  void choose_walk(int64_t y_phases) {
    const WindowAxis& x = x_axis();
    const WindowAxis& y = y_axis();
    // Rows with gaps are not read from end to end; and nothing is gained where all is far apart.
    if (y.block.column_step > 2 * x_chunk_) return;
    if (std::max(x.window.column_step, y.window.column_step) > kFarColumns) return;
    walk_.add(phase_tiles_, phase_chunk_ * x.window.column_step);
    walk_.add(x_tiles_, x_chunk_ * x.block.column_step);
    walk_.add(y_tiles_, y_chunk_ * y.block.column_step);
    walk_.add(y_phases, y.window.column_step);
    for (std::size_t a = outer_count_; a-- > 0 && axes_[a].plain();) {
      walk_.add(axes_[a].image, axes_[a].block.column_step);
    }
  }

  // And of the float16 that it is rounded to.
  int64_t bytes_of_sum() const {
    return kernel_.sum_bytes + (data_type_ == DataType::float16 ? 2 : 0);
  }

  // One square of phases, with rows of the columns as long as the second-level cache allows.
  void choose_squares(const Phases& x, const Phases& y) {
    phase_chunk_ = kernels::FoldRows::kSquare;
    const int64_t bytes =  // that an element of a tile's row reads
        phase_chunk_ * element_bytes_ * most_blocks(x_axis()) *
        most_parts({axes_.data(), outer_count_ + 1});
    const int64_t most =
        std::min(kSquareBytes / bytes, kMaxLaneTileBytes / (phase_chunk_ * bytes_of_sum()));
    x_chunk_ = even_chunk(x.indices, most);
    sum_row_ = x_chunk_;
    y_chunk_ = even_chunk(y.indices, most / x_chunk_);
  }

  void place_along_x(int64_t place, Tile& t) const {
    const Phases x(x_axis());
    t.x_phase = place % phase_tiles_ * phase_chunk_;
    t.phases = std::min(phase_chunk_, x.count - t.x_phase);
    t.x = place / phase_tiles_ * x_chunk_;
    t.count = std::min(x_chunk_, x.indices - t.x);
  }

  void locate(int64_t tile, Tile& t) const {
    const auto next = [&tile](int64_t count) {
      const int64_t result = tile % count;
      tile /= count;
      return result;
    };
    t.lanes = 1;
    if (lane_axis_) {
      t.lane = next(divide_up(axes_[*lane_axis_].image, lanes_)) * lanes_;
      t.lanes = std::min(lanes_, axes_[*lane_axis_].image - t.lane);
    }
    const int64_t place = next(phase_tiles_ * x_tiles_);
    place_along_x(place, t);
    if (!steps_.empty()) t.steps = &steps_[static_cast<std::size_t>(place)];
    const Phases y(y_axis());
    t.y = next(y_tiles_) * y_chunk_;
    t.y_phase = next(y.count);
    const int64_t y_indices = divide_up(y_axis().image - t.y_phase, y.count);
    t.rows = std::clamp<int64_t>(y_indices - t.y, 0, y_chunk_);
    for (std::size_t a = outer_count_; a-- > 0;) {
      if (a != lane_axis_) t.position[a] = next(axes_[a].image);
    }
  }

  // Calls use(place, begin, rows) for the columns of each window element of all axes but x, which
  // have so many of the tile's rows from `begin` on, there; outer axes up to `axis` are settled,
  // `offset` is theirs in the columns.
  template <class Use>
  void each_part(const Tile& t, const Use& use, std::size_t axis = 0, int64_t offset = 0) const {
    const WindowAxis& a = axes_[axis];
    if (axis != outer_count_) {
      return contributors_[axis].each(t.position[axis], 1, [&](int64_t element, int64_t block) {
        each_part(t, use, axis + 1,
                  offset + element * a.window.column_step + block * a.block.column_step);
      });
    }
    const int64_t position = t.y_phase + t.y * a.block.step;
    contributors_[axis].each(position, t.rows, [&](int64_t element, int64_t block) {
      const int64_t begin = std::max<int64_t>(0, -block);
      const int64_t rows = std::min(t.rows, a.block.count - block) - begin;
      if (rows <= 0) return;
      use(offset + element * a.window.column_step + (block + begin) * a.block.column_step, begin,
          rows);
    });
  }

  // Stores the tile without sums in memory; false where it does not have the form for that.
  bool fold_rows(const Tile& t) const {
    using Rows = kernels::FoldRows;
    const WindowAxis& x = x_axis();
    const WindowAxis& y = y_axis();
    Rows k;
    k.part_count = 0;
    bool fits = true;
    each_part(t, [&](int64_t place, int64_t begin, int64_t rows) {
      fits = fits && k.part_count < Rows::kMaxParts;
      if (!fits) return;
      place -= begin * y.block.column_step;
      k.parts[k.part_count++] = {t.from + place * element_bytes_, begin, begin + rows};
    });
    k.phases = t.phases;
    k.from_plane = x.window.column_step;
    if (!fits || !set_terms(*t.steps, k)) return false;
    k.count = indices_in_image(t, t.x_phase);
    if (k.count == 0) return true;
    k.to = t.to + place_in_image(t) * element_bytes_;
    k.to_row = t.rows > 1 ? y.block.step * y.image_step : 0;
    k.to_step = x.block.step;
    k.from_row = y.block.column_step;
    k.rows = t.rows;
    k.last = std::min(t.phases, x.image - t.x_phase - (t.x + k.count - 1) * k.to_step);
    k.ahead = t.ahead;
    kernel_.rows(k);
    return true;
  }

  // Of the tile's first element.
  int64_t place_in_image(const Tile& t) const {
    const WindowAxis& x = x_axis();
    const WindowAxis& y = y_axis();
    int64_t place = (t.x_phase + t.x * x.block.step) * x.image_step +
                    (t.y_phase + t.y * y.block.step) * y.image_step;
    for (std::size_t a = 0; a < outer_count_; ++a) place += t.position[a] * axes_[a].image_step;
    return place;
  }

  void add(Tile& t) const {
    const WindowAxis& y = y_axis();
    kernels::FoldBox k{};
    k.sum_plane = t.lanes * t.rows * sum_row_;
    k.sum_row = sum_row_;
    k.from_plane = x_axis().window.column_step;
    k.from_row = y.block.column_step;
    k.from_step = x_axis().block.column_step;
    k.count = t.count;
    each_part(t, [&](int64_t place, int64_t begin, int64_t rows) {
      k.rows = rows;
      const bool start = !t.started && k.rows == t.rows && t.steps->all_phases;
      if (!start) clear_sums(t);
      t.started = true;
      const Step::Term& term = t.steps->kept[0].terms[0];
      if (single_ && start && t.steps->count == 1 && term.begin == 0 && term.end == t.count) {
        t.values = {t.from + (place + term.offset) * element_bytes_, k.from_plane, k.from_row};
        return;
      }
      const auto add_step = [&](const Step& step) {
        k.start = start && step.first;
        k.planes = step.planes;
        const bool next_plane = step.planes > 1 && k.rows * k.count < 2 * kRunAhead;
        k.ahead = next_plane ? k.from_plane : kRunAhead;
        k.sum = t.sum + (step.plane * k.sum_plane + begin * k.sum_row) * kernel_.sum_bytes;
        k.term_count = step.term_count;
        for (int64_t i = 0; i < step.term_count; ++i) {
          k.terms[i] = {
              t.from + (place + step.terms[static_cast<std::size_t>(i)].offset) * element_bytes_,
              step.terms[static_cast<std::size_t>(i)].begin,
              step.terms[static_cast<std::size_t>(i)].end};
        }
        kernel_.add(k);
      };
      const FoldSteps& steps = *t.steps;
      if (steps.count > kKeptSteps) return each_step(contributors_.back(), x_axis(), t, add_step);
      for (int64_t i = 0; i < steps.count; ++i) add_step(steps.kept[static_cast<std::size_t>(i)]);
    });
  }

  void clear_sums(Tile& t) const {
    if (t.started) return;
    t.started = true;
    const int64_t lane_bytes = t.rows * sum_row_ * kernel_.sum_bytes;
    for (int64_t phase = 0; phase < t.phases; ++phase) {
      std::memset(t.sum + phase * t.lanes * lane_bytes, 0, static_cast<std::size_t>(lane_bytes));
    }
  }

  Values rounded_sums(const Tile& t) const {
    const Values sums{t.sum, t.lanes * t.rows * sum_row_, sum_row_};
    if (overlaps_ && kernel_.tidy != nullptr) kernel_.tidy(t.sum, t.phases * sums.plane);
    if (data_type_ != DataType::float16) return sums;
    std::byte* const rounded = t.sum + sum_bytes_;
    rows_.store_f16(reinterpret_cast<const float*>(t.sum), rounded, 1, t.phases * sums.plane);
    return {rounded, sums.plane, sums.row};
  }

  void store(const Tile& t) const {
    const WindowAxis& x = x_axis();
    const WindowAxis& y = y_axis();
    const int64_t to = place_in_image(t);
    // Steps that are never taken may be too long for int64.
    const int64_t to_row = t.rows > 1 ? y.block.step * y.image_step : 0;
    // Phases without a gap between their lanes are stored together.
    const int64_t together = x.image_step == t.lanes ? t.phases : 1;
    for (int64_t phase = 0; together * t.lanes > 1 && phase < t.phases; phase += together) {
      store_across(t, phase, together, to + phase * x.image_step, to_row);
    }
    if (together * t.lanes > 1) return;
    kernels::UnfoldRectangle k{};
    k.from_row = t.values.row;
    k.from_step = 1;
    k.to_row = to_row;
    k.to_step = t.count > 1 ? x.block.step * x.image_step : 0;
    k.rows = k.row_end = t.rows;
    for (int64_t phase = 0; phase < t.phases; ++phase) {
      k.from = t.values.first + phase * t.values.plane * element_bytes_;
      k.to = t.to + (to + phase * x.image_step) * element_bytes_;
      k.count = k.end = indices_in_image(t, t.x_phase + phase);
      copy_.copy(k);
    }
  }

  // How many of the tile's positions of a phase are in the image.
  int64_t indices_in_image(const Tile& t, int64_t phase) const {
    const int64_t indices = divide_up(x_axis().image - phase, x_axis().block.step);
    return std::clamp<int64_t>(indices - t.x, 0, t.count);
  }

  // Neighbours in the image are the lanes of some phases from `phase` on.
  void store_across(const Tile& t, int64_t phase, int64_t phases, int64_t to,
                    int64_t to_row) const {
    kernels::TransposeRectangle k{};
    k.from_row = t.values.plane / t.lanes;
    k.to_row = t.count > 1 ? x_axis().block.step * x_axis().image_step : 0;
    const int64_t all = indices_in_image(t, t.x_phase + phase + phases - 1);  // have every phase
    const bool gapless = k.to_row == phases * t.lanes;
    for (int64_t row = 0; row < t.rows; ++row) {
      if (gapless && t.rows > 1) {
        const int64_t next = row + rows_ahead_;
        const int64_t jump = next < t.rows ? 0 : y_axis().image_step - t.rows * to_row;
        base::fetch_to_write(t.to + (to + next * to_row + jump) * element_bytes_,
                             all * k.to_row * element_bytes_);
      }
      if (t.ahead != 0) fetch_columns(t, row, phase, phases, element_bytes_);
      const int64_t place = phase * t.values.plane + row * t.values.row;
      k.from = t.values.first + place * element_bytes_;
      k.to = t.to + (to + row * to_row) * element_bytes_;
      k.rows = all;
      k.count = phases * t.lanes;
      transpose_.transpose(k);
      if (all == t.count) continue;
      // The last index, as far as the image goes.
      k.from = t.values.first + (place + all) * element_bytes_;
      k.to = t.to + (to + row * to_row + all * k.to_row) * element_bytes_;
      k.rows = 1;
      k.count = x_axis().image - t.x_phase - phase - (t.x + all) * x_axis().block.step;
      k.count *= t.lanes;
      if (k.count > 0) transpose_.transpose(k);
    }
  }

  std::vector<WindowAxis> axes_;            // the last two: y, x
  std::vector<Contributors> contributors_;  // of each
  DataType data_type_;
  int64_t element_bytes_;
  const kernels::FoldKernel& kernel_;
  const kernels::RowKernels& rows_;
  const kernels::UnfoldKernel& copy_;
  const kernels::TransposeKernel& transpose_;
  std::size_t outer_count_ = 0;
  std::optional<std::size_t> lane_axis_;
  bool in_registers_ = false, overlaps_ = false;  // windows overlap
  bool single_ = false;  // columns have each position of the image once at most, side by side
  int64_t lanes_ = 1;
  int64_t y_chunk_ = 0, y_tiles_ = 0;
  int64_t phase_chunk_ = 0, phase_tiles_ = 0;
  int64_t x_chunk_ = 0, x_tiles_ = 0;
  int64_t rows_ahead_ = base::is_amd() ? 3 : 1;  // 16x16 apart, Zen 5: 26 us with 3, 35 with 1
  int64_t sum_row_ = 0, tiles_ = 0;
  std::vector<FoldSteps> steps_;  // by place along x; empty where there are too many
  FoldWalk walk_;                 // empty where nothing is fetched ahead
  std::uint64_t sum_bytes_ = 0, slot_bytes_ = 0;
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
  return Plan(ops::columns_transposed(params, options, [](const auto& p, const auto& o) {
    return std::make_shared<const ops::FoldBody>(p, o);
  }));
}

void fold(const FoldParams& params, ConstBuffer input, Buffer output) {
  plan(params).run(Bindings{.inputs = {&input, 1}, .outputs = {&output, 1}});
}

}  // namespace weft
