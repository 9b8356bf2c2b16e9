#include "weft/unfold.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/cache.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/fetch.h"
#include "base/parallel.h"
#include "kernels/transpose/transpose.h"
#include "kernels/unfold/unfold.h"
#include "ops/checker.h"
#include "ops/inside_ranges.h"
#include "ops/layout.h"
#include "ops/plan_body.h"
#include "ops/unfold_channels_last.h"
#include "ops/unfold_memory.h"
#include "ops/unfold_place.h"
#include "ops/window_axes.h"

namespace weft {

namespace ops {

namespace {

using base::divide_up;
using base::kLineBytes;
using std::int64_t;

// Large enough to hide the cost of starting a tile, small enough for all threads to end together.
constexpr int64_t kMaxTileBytes = 65536, kMinTileBytes = 4096, kTilesAThread = 8;

// Runs shorter than this are mostly overhead: another digit may have longer ones.
constexpr int64_t kShortCopyRun = 8;

// Windows that are further apart share so little that a row of the image is better turned into many
// rows of the columns at once, as many at a time as fill a vector.
constexpr int64_t kNearWindows = 4, kFewElements = 4, kRowsAtOnce = 16;

constexpr int64_t kKeptParts = 512, kMostLinesAhead = 256;  // a third of a first-level cache

// Block and window element play the same part in UNFOLD: each is a number that counts through the
// columns, or through their rows, and moves the position in the image.
enum Role { block, element };
struct DigitName {
  std::size_t axis;
  Role role;
  bool operator==(const DigitName&) const = default;
};

// The output is a stack of planes: x counts along one digit, y along another, and all digits that
// are left, the outer ones, choose the plane. A plane is filled row by row, or, where y counts the
// window elements of the axis whose blocks x counts, in squares that are transposed.
class UnfoldBody final : public PlanBody {
 public:
  UnfoldBody(const UnfoldParams& params, const PlanOptions& options)
      : axes_(window_axes(sliding_window(params))),
        element_bytes_(byte_size(params.input.data_type)),
        kernel_(kernels::unfold_kernel(base::choose_isa(options.max_isa),
                                       bit_size(params.input.data_type))),
        transpose_(kernels::transpose_kernel(kernel_.isa, bit_size(params.input.data_type))) {
    choose_digits();
    choose_tiles(kTilesAThread *
                 moving_slot_count(options, INT64_MAX, params.input, params.output));
    choose_prefetches();
    x_inside_ = inside_ranges(x_);
    if (y_) y_inside_ = inside_ranges(*y_);
    keep_parts();
    slots_ = moving_slot_count(options, tiles_, params.input, params.output);
    type = OperatorType::unfold;
    algorithm = across_ || transposes_ ? transpose_.name : kernel_.name;
    explanation = std::to_string(tiles_) + " tiles of " + std::to_string(planes_per_tile_) + 'x' +
                  std::to_string(y_chunk_) + 'x' + std::to_string(x_chunk_) + " elements, " +
                  threads_text(slots_) + (past_caches() ? ", past the caches" : "");
    inputs = {params.input};
    outputs = {params.output};
  }

  void run(const RunArguments& arguments) const noexcept override {
    const auto* from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* to = static_cast<std::byte*>(arguments.outputs[0]);
    base::parallel_tiles_apart(slots_, tiles_, [&](int64_t tile, unsigned) {
      run_tile(tile, from, to);
      if (past_caches()) base::end_stream();
    });
  }

 private:
  using AxisPlace = UnfoldAxisPlace;
  using Cursor = UnfoldCursor;
  using Place = UnfoldPlace;
  using Part = UnfoldPart;

  const Digit& digit(DigitName name) const {
    const WindowAxis& axis = axes_[name.axis];
    return name.role == block ? axis.block : axis.window;
  }

  bool past_caches() const { return stores_ == kernels::UnfoldStores::past_caches; }

  static Role other_role(DigitName name) { return name.role == block ? element : block; }

  InsideRanges inside_ranges(DigitName name) const {
    return {axes_[name.axis], digit(name), digit({name.axis, other_role(name)})};
  }

  void choose_digits() {
    std::vector<DigitName> names;  // best first: blocks that are neighbours in memory
    for (std::size_t a = axes_.size(); a-- > 0;) {
      names.push_back({a, block});
      names.push_back({a, element});
    }
    const auto shorter = [&](DigitName a, DigitName b) { return digit(a).count < digit(b).count; };
    const auto long_enough = [&](DigitName name) { return digit(name).count >= kShortCopyRun; };
    const WindowAxis& last = axes_.back();
    across_ = last.block.step > kNearWindows && last.block.count >= kFewElements &&
              last.block.column_step == 1 && last.window.count >= kFewElements &&
              last.window.step == 1 && last.image_step == 1;
    if (across_) {
      x_ = names[0];
      y_ = names[1];
    } else {
      auto best = std::find_if(names.begin(), names.end(), long_enough);
      if (best == names.end()) best = std::max_element(names.begin(), names.end(), shorter);
      x_ = *best;

      // Only a digit of another axis leaves the rows of a plane with one common range of x.
      std::vector<DigitName> others;
      std::copy_if(names.begin(), names.end(), std::back_inserter(others),
                   [&](DigitName name) { return name.axis != x_.axis; });
      if (!others.empty()) {
        best = std::find_if(others.begin(), others.end(), [&](DigitName name) {
          return long_enough(name) && name.role == block && axes_[name.axis].plain() &&
                 axes_[name.axis].image_step == 1;
        });
        transposes_ = best != others.end() && digit(x_).column_step == 1;
        if (!transposes_) best = std::find_if(others.begin(), others.end(), long_enough);
        if (best == others.end()) best = std::max_element(others.begin(), others.end(), shorter);
        y_ = *best;
      }
    }

    for (const DigitName name : names) {
      if (name != x_ && name != y_ && digit(name).count > 1) outer_.push_back(name);
    }
    // In the order of the output's memory.
    std::stable_sort(outer_.begin(), outer_.end(), [&](DigitName a, DigitName b) {
      return digit(a).column_step > digit(b).column_step;
    });
  }

  void choose_tiles(int64_t wanted) {
    const int64_t x_count = digit(x_).count;
    const int64_t y_count = y_ ? digit(*y_).count : 1;
    planes_ = 1;
    for (const DigitName name : outer_) planes_ *= digit(name).count;
    const int64_t output_bytes = planes_ * y_count * x_count * element_bytes_;
    if (!across_ && !transposes_ && digit(x_).column_step == 1) {
      const int64_t from_step = digit(x_).step * axes_[x_.axis].image_step;
      stores_ = choose_stores(kernel_, from_step, x_count, output_bytes);
    }
    const int64_t budget =
        std::clamp(output_bytes / wanted, kMinTileBytes, kMaxTileBytes) / element_bytes_;
    const bool neighbours = y_ && y_->role == block && axes_[y_->axis].plain() &&
                            axes_[y_->axis].image_step == 1;  // rows take lines by turns
    const int64_t rows_at_once =
        across_ || transposes_ || neighbours ? std::min(kRowsAtOnce, y_count) : 1;
    x_chunk_ = std::min(x_count, budget / rows_at_once);
    y_chunk_ = std::max<int64_t>(budget / x_chunk_ / rows_at_once, 1) * rows_at_once;
    y_chunk_ = std::min(y_count, y_chunk_);
    const bool whole = x_chunk_ == x_count && y_chunk_ == y_count;
    planes_per_tile_ = whole ? std::clamp<int64_t>(budget / (x_chunk_ * y_chunk_), 1, planes_) : 1;
    x_tiles_ = divide_up(x_count, x_chunk_);
    y_tiles_ = divide_up(y_count, y_chunk_);
    tiles_ = divide_up(planes_, planes_per_tile_) * y_tiles_ * x_tiles_;
    if (y_tiles_ * x_tiles_ == 1) return;
    for (std::size_t i = outer_.size(); i-- > 0 && outer_[i].role == element;) {
      planes_together_ *= digit(outer_[i]).count;
    }
  }

  // The processor sees by itself where a long run goes on, but not where the next one begins.
  void choose_prefetches() {
    if (outer_.empty()) return;
    const WindowAxis& inner = axes_[outer_.back().axis];
    if (across_ && outer_.back().axis != x_.axis) {
      const Digit& beside = digit(outer_.back());
      plane_lines_ = x_chunk_ * digit(x_).step * element_bytes_ / kLineBytes + 1;
      // Larger steps are never taken.
      if (plane_lines_ > kMostLinesAhead || beside.step >= inner.image) plane_lines_ = 0;
      if (plane_lines_ > 0) {
        const DigitName next = outer_[outer_.size() < 2 ? 0 : outer_.size() - 2];
        const WindowAxis& after = axes_[next.axis];
        const int64_t step = digit(next).step < after.image ? digit(next).step : 0;
        ahead_ = {beside.count, beside.step * inner.image_step * element_bytes_,
                  step * after.image_step * element_bytes_};
      }
      if (x_tiles_ * y_tiles_ == 1 && beside.column_step == x_chunk_ &&
          beside.count * x_chunk_ == digit(*y_).column_step) {
        output_lines_ = y_chunk_ * digit(*y_).column_step * element_bytes_ / kLineBytes;
      }
      return;
    }
    const WindowAxis& outer = axes_[outer_[0].axis];
    if (outer_[0].role != block || !outer.plain()) return;
    planes_a_channel_ = planes_ / outer.image;
    const int64_t lines = outer.image_step * element_bytes_ / kLineBytes + 1;
    if (lines <= kMostLinesAhead) channel_lines_ = divide_up(lines, planes_a_channel_);
  }

  void run_tile(int64_t tile, const std::byte* from, std::byte* to) const noexcept {
    Cursor at = start(tile);
    const int64_t last = std::min(at.plane + planes_per_tile_, planes_);
    if (!parts_.empty()) return copy_kept(at.plane, last, from, to);
    for (std::size_t a = 0; a < axes_.size(); ++a) settle(at, a);
    while (at.plane < last) {
      copy_part(at, from, to);
      next_plane(at);
    }
  }

  // At the first plane of a tile, all axes but to be settled.
  Cursor start(int64_t tile) const noexcept {
    Cursor at{};
    const int64_t together = tile % planes_together_;
    tile /= planes_together_;
    at.x = tile % x_tiles_ * x_chunk_;
    at.k.count = std::min(x_chunk_, digit(x_).count - at.x);
    tile /= x_tiles_;
    at.y = tile % y_tiles_ * y_chunk_;
    at.k.rows = y_ ? std::min(y_chunk_, digit(*y_).count - at.y) : 1;
    at.k.row_end = at.k.rows;
    at.k.to_step = digit(x_).column_step;
    at.k.to_row = y_ ? digit(*y_).column_step : 0;
    at.k.stores = stores_;
    at.plane = (tile / y_tiles_ * planes_together_ + together) * planes_per_tile_;
    int64_t rest = at.plane;
    for (std::size_t i = outer_.size(); i-- > 0;) {
      const int64_t count = digit(outer_[i]).count;
      at.axes[outer_[i].axis].digits[outer_[i].role] = rest % count;
      rest /= count;
    }
    return at;
  }

  void next_plane(Cursor& at) const noexcept {
    ++at.plane;
    for (std::size_t i = outer_.size(); i-- > 0;) {
      int64_t& value = at.axes[outer_[i].axis].digits[outer_[i].role];
      const bool more = ++value < digit(outer_[i]).count;
      if (!more) value = 0;
      settle(at, outer_[i].axis);
      if (more) break;
    }
  }

  // Where planes are whole and channels alike, the parts of one are found once for all: that takes
  // as long as copying a small one.
  void keep_parts() {
    if (across_ || x_tiles_ * y_tiles_ > 1 || planes_a_channel_ > kKeptParts) return;
    Cursor at = start(0);
    for (std::size_t a = 0; a < axes_.size(); ++a) settle(at, a);
    while (at.plane < planes_a_channel_) {
      parts_.push_back({at.k, place_of(at)});
      next_plane(at);
    }
  }

  void copy_kept(int64_t first, int64_t last, const std::byte* from, std::byte* to) const noexcept {
    const WindowAxis& channels = axes_[outer_[0].axis];
    int64_t channel = first / planes_a_channel_;
    int64_t plane = first % planes_a_channel_;
    for (int64_t i = first; i < last; ++i) {
      const Part& part = parts_[static_cast<std::size_t>(plane)];
      Place place = part.place;
      place.from += channel * channels.image_step;
      place.to += channel * channels.block.column_step;
      copy(part.k, place, from, to);
      // Each plane of a channel asks for its share of the next channel.
      if (channel + 1 < channels.image) {
        const int64_t share = channel_lines_ * kLineBytes;
        const int64_t next = (channel + 1) * channels.image_step * element_bytes_;
        base::fetch(from + next + plane * share, share);
      }
      if (++plane < planes_a_channel_) continue;
      plane = 0;
      ++channel;
    }
  }

  // Follows the digits of an axis.
  void settle(Cursor& at, std::size_t a) const noexcept {
    const WindowAxis& axis = axes_[a];
    AxisPlace& place = at.axes[a];
    place.to = place.digits[block] * axis.block.column_step +
               place.digits[element] * axis.window.column_step;
    int64_t position = place.digits[block] * axis.block.step +
                       place.digits[element] * axis.window.step - axis.start;
    kernels::UnfoldRectangle& k = at.k;
    if (a == x_.axis) {
      place.to += at.x * k.to_step;
      if (across_) {
        place.to += at.y * k.to_row;
      } else {
        k.from_step = along(x_, x_inside_.of(place.digits[other_role(x_)], position), position,
                            at.x, k.count, k.begin, k.end);
      }
    } else if (y_ && a == y_->axis) {
      place.to += at.y * k.to_row;
      k.from_row = along(*y_, y_inside_.of(place.digits[other_role(*y_)], position), position, at.y,
                         k.rows, k.row_begin, k.row_end);
    }
    place.inside = across_ && a == x_.axis ? true : position >= 0 && position < axis.image;
    place.from = place.inside ? position * axis.image_step : 0;
  }

  Place place_of(const Cursor& at) const noexcept {
    Place place{0, 0, true};
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      place.from += at.axes[a].from;
      place.to += at.axes[a].to;
      place.inside = place.inside && at.axes[a].inside;
    }
    return place;
  }

  void copy_part(Cursor& at, const std::byte* from, std::byte* to) const noexcept {
    const Place place = place_of(at);
    if (!across_ || !place.inside) return copy(at.k, place, from, to);
    at.k.from = from + place.from * element_bytes_;
    at.k.to = to + place.to * element_bytes_;
    if (plane_lines_ != 0) {
      const DigitName beside = outer_.back();
      const int64_t ahead = ahead_.of(at.axes[beside.axis].digits[beside.role]);
      base::fetch(static_cast<const std::byte*>(at.k.from) + ahead, plane_lines_ * kLineBytes);
    }
    if (output_lines_ != 0) fetch_output(at);
    copy_across(at);
  }

  void copy(kernels::UnfoldRectangle k, Place place, const std::byte* from,
            std::byte* to) const noexcept {
    k.from = from + place.from * element_bytes_;
    k.to = to + place.to * element_bytes_;
    if (!place.inside) k.begin = k.end = 0;
    if (transposes_ && place.inside) return copy_transposed(k);
    kernel_.copy(k);
  }

  // Planes side by side each ask for a share of what those after them will fill. Patches 16x16 of
  // 3x224x224, in turns: 83 us, 109 without.
  [[gnu::always_inline]] void fetch_output(const Cursor& at) const noexcept {
    const DigitName beside = outer_.back();
    const int64_t count = digit(beside).count;
    const int64_t i = at.axes[beside.axis].digits[beside.role];
    const auto* to = static_cast<const std::byte*>(at.k.to) - i * x_chunk_ * element_bytes_ +
                     at.k.rows * at.k.to_row * element_bytes_;
    const base::Portion lines = base::portion_of(output_lines_, count, i);
    base::fetch_to_write(to + lines.first * kLineBytes, lines.count * kLineBytes);
  }

  // All rows are inside.
  void copy_transposed(const kernels::UnfoldRectangle& k) const noexcept {
    auto* to = static_cast<std::byte*>(k.to);
    transpose_.transpose({.from = k.from,
                          .from_row = k.from_step,
                          .to = to + k.begin * element_bytes_,
                          .to_row = k.to_row,
                          .rows = k.rows,
                          .count = k.end - k.begin});
    kernels::UnfoldRectangle zeros = k;
    zeros.begin = zeros.end = 0;
    zeros.count = k.begin;
    if (zeros.count > 0) kernel_.copy(zeros);
    zeros.to = to + k.end * element_bytes_;
    zeros.count = k.count - k.end;
    if (zeros.count > 0) kernel_.copy(zeros);
  }

  // k.from is the axis' position -start: the first element of block 0.
  void copy_across(const Cursor& at) const noexcept {
    const kernels::UnfoldRectangle& k = at.k;
    const WindowAxis& axis = axes_[x_.axis];
    const auto* from = static_cast<const std::byte*>(k.from);
    auto* to = static_cast<std::byte*>(k.to);
    // Blocks that have all elements of the part inside the image.
    const IndexRange first = indices_within(axis.block, at.y - axis.start, 0, axis.image);
    const IndexRange last =
        indices_within(axis.block, at.y + k.rows - 1 - axis.start, 0, axis.image);
    const int64_t begin = std::clamp<int64_t>(first.begin - at.x, 0, k.count);
    const int64_t end = std::clamp<int64_t>(last.end - at.x, begin, k.count);
    transpose_.transpose({.from = from + ((at.x + begin) * axis.block.step + at.y) * element_bytes_,
                          .from_row = axis.block.step,
                          .to = to + begin * element_bytes_,
                          .to_row = k.to_row,
                          .rows = k.rows,
                          .count = end - begin});
    for (int64_t i = 0; i < k.count; ++i) {
      if (i == begin) i = end;
      if (i >= k.count) break;
      // One block: its elements are a row of the image.
      const int64_t position = (at.x + i) * axis.block.step - axis.start + at.y;
      kernels::UnfoldRectangle column{};
      column.begin = std::clamp<int64_t>(-position, 0, k.rows);
      column.end = std::clamp<int64_t>(axis.image - position, column.begin, k.rows);
      column.from = from + (position + axis.start + column.begin) * element_bytes_;
      column.from_step = 1;
      column.to = to + i * element_bytes_;
      column.to_step = k.to_row;
      column.count = k.rows;
      column.rows = column.row_end = 1;
      kernel_.copy(column);
    }
  }

  // Of the `count` indices of a digit from `first` on, [begin, end) are inside the image. Moves
  // `position`, that of index 0, to the first of them, or outside when there is none. Returns the
  // step between them in elements of the image.
  int64_t along(DigitName name, IndexRange inside, int64_t& position, int64_t first, int64_t count,
                int64_t& begin, int64_t& end) const noexcept {
    const WindowAxis& axis = axes_[name.axis];
    const int64_t step = digit(name).step;
    const int64_t from = std::clamp(inside.begin, first, first + count);
    const int64_t to = std::clamp(inside.end, from, first + count);
    begin = from - first;
    end = to - first;
    position = from < to ? position + from * step : -1;
    return step < axis.image ? step * axis.image_step : 0;  // larger steps are never taken
  }

  std::vector<WindowAxis> axes_;
  int64_t element_bytes_;
  const kernels::UnfoldKernel& kernel_;
  const kernels::TransposeKernel& transpose_;
  bool across_ = false;      // y counts elements of x's axis
  bool transposes_ = false;  // y counts neighbours in the image, channels perhaps
  DigitName x_{};
  std::optional<DigitName> y_;
  std::vector<DigitName> outer_;
  InsideRanges x_inside_;
  InsideRanges y_inside_;
  std::vector<Part> parts_;  // of a channel; none: not kept
  kernels::UnfoldStores stores_ = kernels::UnfoldStores::near;
  int64_t planes_ = 0;
  int64_t planes_per_tile_ = 0;
  int64_t planes_together_ = 1;  // whose parts follow each other, for they read the same elements
  int64_t y_chunk_ = 0, y_tiles_ = 0;
  int64_t x_chunk_ = 0, x_tiles_ = 0;
  int64_t tiles_ = 0;
  PlanesAhead ahead_;
  int64_t plane_lines_ = 0;       // of a plane's input
  int64_t output_lines_ = 0;      // that planes side by side fill; 0: they do not
  int64_t planes_a_channel_ = 0;  // where channels are the slowest digit
  int64_t channel_lines_ = 0;     // of the next channel, for each plane
  unsigned slots_ = 1;
};

}  // namespace
}  // namespace ops

std::vector<Violation> validate(const UnfoldParams& params) {
  return ops::validate(ops::sliding_window(params));
}

Dims output_sizes(const UnfoldParams& params) {
  return ops::column_sizes(ops::sliding_window(params));
}

Plan plan(const UnfoldParams& params, const PlanOptions& options) {
  ops::throw_if_any(validate(params), OperatorType::unfold);
  const ops::UnfoldPlanner part = [](const UnfoldParams& p, const PlanOptions& o) {
    return std::make_shared<const ops::UnfoldBody>(p, o);
  };
  return Plan(ops::columns_transposed(params, options, [&](const auto& p, const auto& o) {
    return ops::unfold_channels_last(p, o, part);
  }));
}

void unfold(const UnfoldParams& params, ConstBuffer input, Buffer output) {
  plan(params).run(Bindings{.inputs = {&input, 1}, .outputs = {&output, 1}});
}

}  // namespace weft
