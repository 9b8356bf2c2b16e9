#include "weft/unfold.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/unfold/unfold.h"
#include "ops/checker.h"
#include "ops/layout.h"
#include "ops/plan_body.h"
#include "ops/window_axes.h"

namespace weft {

namespace ops {

namespace {

using base::divide_up;
using std::int64_t;

// Large enough to hide the cost of starting a tile, small enough for many threads.
constexpr int64_t kMaxTileBytes = 65536;
constexpr int64_t kMinTileBytes = 4096;
constexpr int64_t kWantedTiles = 64;

// Runs shorter than this are mostly overhead: another digit may have longer ones.
constexpr int64_t kShortRun = 8;

// Block and window element play the same part in UNFOLD: each is a number that counts through the
// columns, or through their rows, and moves the position in the image.
enum Role { block, element };
struct DigitName {
  std::size_t axis;
  Role role;
  bool operator==(const DigitName&) const = default;
};

// The output is a stack of planes: x counts along one digit, y along a digit of another axis, and
// all digits that are left, the outer ones, choose the plane.
class UnfoldBody final : public PlanBody {
 public:
  UnfoldBody(const UnfoldParams& params, const PlanOptions& options)
      : axes_(window_axes(sliding_window(params))),
        element_bytes_(byte_size(params.input.data_type)),
        kernel_(kernels::unfold_kernel(base::choose_isa(options.max_isa),
                                       bit_size(params.input.data_type))) {
    choose_digits();
    choose_tiles();
    slots_ = slot_count(options, tiles_);
    type = OperatorType::unfold;
    algorithm = kernel_.name;
    explanation = std::to_string(tiles_) + " tiles of " + std::to_string(planes_per_tile_) + 'x' +
                  std::to_string(y_chunk_) + 'x' + std::to_string(x_chunk_) + " elements, " +
                  threads_text(slots_);
    inputs = {params.input};
    outputs = {params.output};
  }

  void run(const RunArguments& arguments) const noexcept override {
    const auto* from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* to = static_cast<std::byte*>(arguments.outputs[0]);
    base::parallel_tiles(slots_, tiles_, [&](int64_t tile, unsigned) { run_tile(tile, from, to); });
  }

 private:
  // The value of each digit, by axis and role; 0 for x and y.
  using Place = std::array<std::array<int64_t, 2>, kMaxRank>;

  // The part of a plane that a tile has.
  struct Part {
    int64_t y, rows;
    int64_t x, count;
  };

  const Digit& digit(DigitName name) const {
    const WindowAxis& axis = axes_[name.axis];
    return name.role == block ? axis.block : axis.window;
  }

  void choose_digits() {
    std::vector<DigitName> names;  // best first: blocks that are neighbours in memory
    for (std::size_t a = axes_.size(); a-- > 0;) {
      names.push_back({a, block});
      names.push_back({a, element});
    }
    const auto shorter = [&](DigitName a, DigitName b) { return digit(a).count < digit(b).count; };
    const auto long_enough = [&](DigitName name) { return digit(name).count >= kShortRun; };
    auto best = std::find_if(names.begin(), names.end(), long_enough);
    if (best == names.end()) best = std::max_element(names.begin(), names.end(), shorter);
    x_ = *best;

    // Only a digit of another axis leaves the rows of a plane with one common range of x.
    std::vector<DigitName> others;
    std::copy_if(names.begin(), names.end(), std::back_inserter(others),
                 [&](DigitName name) { return name.axis != x_.axis; });
    if (!others.empty()) {
      best = std::find_if(others.begin(), others.end(), long_enough);
      if (best == others.end()) best = std::max_element(others.begin(), others.end(), shorter);
      y_ = *best;
    }

    for (const DigitName name : names) {
      if (name != x_ && name != y_ && digit(name).count > 1) outer_.push_back(name);
    }
    // In the order of the output's memory.
    std::stable_sort(outer_.begin(), outer_.end(), [&](DigitName a, DigitName b) {
      return digit(a).column_step > digit(b).column_step;
    });
  }

  void choose_tiles() {
    const int64_t x_count = digit(x_).count;
    const int64_t y_count = y_ ? digit(*y_).count : 1;
    planes_ = 1;
    for (const DigitName name : outer_) planes_ *= digit(name).count;
    const int64_t output_bytes = planes_ * y_count * x_count * element_bytes_;
    const int64_t budget =
        std::clamp(output_bytes / kWantedTiles, kMinTileBytes, kMaxTileBytes) / element_bytes_;
    x_chunk_ = std::min(x_count, budget);
    y_chunk_ = std::min(y_count, std::max<int64_t>(budget / x_chunk_, 1));
    const bool whole = x_chunk_ == x_count && y_chunk_ == y_count;
    planes_per_tile_ = whole ? std::clamp<int64_t>(budget / (x_chunk_ * y_chunk_), 1, planes_) : 1;
    x_tiles_ = divide_up(x_count, x_chunk_);
    y_tiles_ = divide_up(y_count, y_chunk_);
    tiles_ = divide_up(planes_, planes_per_tile_) * y_tiles_ * x_tiles_;
  }

  void run_tile(int64_t tile, const std::byte* from, std::byte* to) const noexcept {
    Part part{};
    part.x = tile % x_tiles_ * x_chunk_;
    part.count = std::min(x_chunk_, digit(x_).count - part.x);
    tile /= x_tiles_;
    part.y = tile % y_tiles_ * y_chunk_;
    part.rows = y_ ? std::min(y_chunk_, digit(*y_).count - part.y) : 1;
    const int64_t first = tile / y_tiles_ * planes_per_tile_;
    const int64_t last = std::min(first + planes_per_tile_, planes_);

    Place place{};
    int64_t rest = first;
    for (std::size_t i = outer_.size(); i-- > 0;) {
      const int64_t count = digit(outer_[i]).count;
      place[outer_[i].axis][outer_[i].role] = rest % count;
      rest /= count;
    }
    for (int64_t plane = first; plane < last; ++plane) {
      copy_part(place, part, from, to);
      for (std::size_t i = outer_.size(); i-- > 0;) {
        int64_t& value = place[outer_[i].axis][outer_[i].role];
        if (++value < digit(outer_[i]).count) break;
        value = 0;
      }
    }
  }

  void copy_part(const Place& place, const Part& part, const std::byte* from,
                 std::byte* to) const noexcept {
    kernels::UnfoldRectangle k{};
    k.rows = part.rows;
    k.count = part.count;
    k.row_end = part.rows;
    int64_t from_offset = 0;
    int64_t to_offset = 0;
    bool inside = true;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const WindowAxis& axis = axes_[a];
      to_offset +=
          place[a][block] * axis.block.column_step + place[a][element] * axis.window.column_step;
      int64_t position =
          place[a][block] * axis.block.step + place[a][element] * axis.window.step - axis.start;
      if (a == x_.axis) {
        k.from_step = along(x_, position, part.x, part.count, k.begin, k.end);
      } else if (y_ && a == y_->axis) {
        k.from_row = along(*y_, position, part.y, part.rows, k.row_begin, k.row_end);
      }
      inside = inside && position >= 0 && position < axis.image;
      if (inside) from_offset += position * axis.image_step;
    }
    k.to_step = digit(x_).column_step;
    to_offset += part.x * k.to_step;
    if (y_) {
      k.to_row = digit(*y_).column_step;
      to_offset += part.y * k.to_row;
    }
    if (inside) {
      k.from = from + from_offset * element_bytes_;
    } else {
      k.end = k.begin;
    }
    k.to = to + to_offset * element_bytes_;
    kernel_.copy(k);
  }

  // Of the `count` indices of a digit from `first` on, [begin, end) are inside the image. Moves
  // `position`, that of index 0, to the first of them, or outside when there is none. Returns the
  // step between them in elements of the image.
  int64_t along(DigitName name, int64_t& position, int64_t first, int64_t count, int64_t& begin,
                int64_t& end) const noexcept {
    const WindowAxis& axis = axes_[name.axis];
    const int64_t step = digit(name).step;
    const IndexRange range = indices_within(digit(name), position, 0, axis.image);
    const int64_t from = std::clamp(range.begin, first, first + count);
    const int64_t to = std::clamp(range.end, from, first + count);
    begin = from - first;
    end = to - first;
    position = from < to ? position + from * step : -1;
    return step < axis.image ? step * axis.image_step : 0;  // larger steps are never taken
  }

  std::vector<WindowAxis> axes_;
  int64_t element_bytes_;
  const kernels::UnfoldKernel& kernel_;
  DigitName x_{};
  std::optional<DigitName> y_;
  std::vector<DigitName> outer_;
  int64_t planes_ = 0;
  int64_t planes_per_tile_ = 0;
  int64_t y_chunk_ = 0;
  int64_t y_tiles_ = 0;
  int64_t x_chunk_ = 0;
  int64_t x_tiles_ = 0;
  int64_t tiles_ = 0;
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
  return Plan(std::make_shared<const ops::UnfoldBody>(params, options));
}

void unfold(const UnfoldParams& params, ConstBuffer input, Buffer output) {
  plan(params).run(Bindings{.inputs = {&input, 1}, .outputs = {&output, 1}});
}

}  // namespace weft
