#include "ops/winograd_images.h"

#include <algorithm>
#include <cstdlib>

#include "base/checked.h"
#include "ops/axis_window.h"
#include "ops/split_plan.h"

namespace weft::ops {

namespace {

// Of larger windows not even the smallest block of tiles would stay in a cache.
constexpr std::int64_t kMostTaps = 64;

constexpr double kFilled = 0.75;

bool has_all_taps(const ConvolutionAxis& axis) {
  return axis.window() <= kMostTaps && axis.phase_count() == 1 &&
         axis.phase(0).taps == axis.window();
}

// BACKWARD with a stride.
bool has_phases(const ConvolutionAxis& axis) {
  if (axis.window() > kMostTaps || axis.phase_count() == 1 || axis.phase_count() > kMostTaps) {
    return false;
  }
  for (std::int64_t i = 0; i < axis.phase_count(); ++i) {
    const Phase phase = axis.phase(i);
    if (phase.step != axis.phase(0).step || (phase.taps > 1 && phase.offset_step != -1)) {
      return false;
    }
  }
  return true;
}

bool is_window(const ConvolutionAxis& axis, std::int64_t taps) {
  if ((axis.window() == 1) != (taps == 1)) return false;
  if (has_phases(axis)) return taps > 1;
  if (!has_all_taps(axis)) return false;
  const Phase phase = axis.phase(0);
  if (phase.step != 1) return false;
  if (taps == 1 || phase.offset_step == 1) return true;
  return phase.in_step == 1 &&
         std::abs(phase.offset_step) <= std::max<std::int64_t>(axis.in_size() - 1, 1);
}

std::int64_t every(std::int64_t step, std::int64_t size, std::int64_t first) {
  return base::divide_up(std::max<std::int64_t>(size - first, 0), step);
}

}  // namespace

bool WinogradImages::suits(const ConvolutionGeometry& geometry,
                           const kernels::WinogradTile& tile) noexcept {
  return has_all_taps(geometry.axes[0]) && is_window(geometry.axes[1], tile.row_taps) &&
         is_window(geometry.axes[2], tile.column_taps);
}

WinogradImages::Axis::Axis(const ConvolutionAxis& axis, std::int64_t tile_outputs,
                           std::int64_t tile_taps)
    : outputs(tile_outputs), taps(tile_taps), tap_step(axis.tap_step()) {
  for (std::int64_t i = 0; i < axis.phase_count(); ++i) phases.push_back(axis.phase(i));
  const Phase& first = phases.front();
  std::int64_t most_taps = 1;
  for (const Phase& phase : phases) most_taps = std::max(most_taps, phase.taps);
  const auto count = static_cast<std::int64_t>(phases.size());
  distance = count == 1 && taps > 1 ? std::abs(first.offset_step) : 1;
  out_step = distance * first.step;
  in_step = distance * first.in_step;
  images = count > 1 ? count : std::min(distance, axis.out_size());
  stride = first.in_step;
  for (std::int64_t remainder = 0; remainder < std::min(stride, most_taps); ++remainder) {
    const std::int64_t of_remainder = every(stride, most_taps, remainder);
    for (std::int64_t i = 0; i < of_remainder; i += taps) {
      const bool in_the_middle = taps == 3 && of_remainder - i == 1;
      firsts.push_back(remainder + stride * (in_the_middle ? i - 1 : i));
    }
  }
}

std::optional<std::int64_t> WinogradImages::Axis::tap(const Phase& phase, std::int64_t part,
                                                      std::int64_t tap) const noexcept {
  const std::int64_t of_all = firsts[part] + stride * tap;
  // The tap before a single one is another part's.
  const bool before = part > 0 && of_all == firsts[part - 1] + stride * (taps - 1);
  if (of_all < 0 || before || of_all >= phase.taps) return std::nullopt;
  return of_all;
}

bool WinogradImages::Axis::vanishes(std::int64_t phase, std::int64_t part,
                                    std::int64_t point) const noexcept {
  const kernels::WinogradFilterRow row = kernels::winograd_filter_row(outputs, taps, point);
  for (std::int64_t i = 0; i < taps; ++i) {
    if (row.g[i] != 0 && tap(phases[phase], part, i)) return false;
  }
  return true;
}

double WinogradImages::Axis::share_of_products() const noexcept {
  const auto count = static_cast<std::int64_t>(phases.size());
  std::int64_t products = 0;
  for (std::int64_t phase = 0; phase < count; ++phase) {
    for (std::int64_t part = 0; part < parts(); ++part) {
      for (std::int64_t point = 0; point < points(); ++point) {
        products += vanishes(phase, part, point) ? 0 : 1;
      }
    }
  }
  return static_cast<double>(products) / static_cast<double>(count * parts() * points());
}

std::int64_t WinogradImages::Axis::size(const ConvolutionAxis& axis,
                                        std::int64_t image) const noexcept {
  if (phases.size() > 1) return phases[image].count;
  return every(out_step, axis.out_size(), image);
}

WinogradImages::WinogradImages(const ConvolutionGeometry& geometry,
                               const kernels::WinogradTile& tile)
    : geometry_(geometry),
      depth_(geometry.axes[0].phase(0)),
      rows_(geometry.axes[1], tile.rows, tile.row_taps),
      columns_(geometry.axes[2], tile.columns, tile.column_taps) {}

std::int64_t WinogradImages::out_rows() const noexcept { return rows_.size(geometry_.axes[1], 0); }
std::int64_t WinogradImages::out_columns() const noexcept {
  return columns_.size(geometry_.axes[2], 0);
}

double WinogradImages::Axis::filled(std::int64_t window) const noexcept {
  const std::int64_t all = parts() * taps * static_cast<std::int64_t>(phases.size());
  return static_cast<double>(window) / static_cast<double>(all);
}

bool WinogradImages::is_whole() const noexcept {
  return rows_.filled(geometry_.axes[1].window()) == 1 &&
         columns_.filled(geometry_.axes[2].window()) == 1;
}

bool WinogradImages::is_filled() const noexcept {
  return rows_.filled(geometry_.axes[1].window()) > kFilled &&
         columns_.filled(geometry_.axes[2].window()) > kFilled;
}

bool WinogradImages::is_just_filled() const noexcept {
  const auto is_axis = [](const ConvolutionAxis& axis, const Axis& of) {
    const double filled = of.filled(axis.window());
    return filled > kFilled || (filled == kFilled && of.stride > 1);
  };
  return is_axis(geometry_.axes[1], rows_) && is_axis(geometry_.axes[2], columns_);
}

std::int64_t WinogradImages::mean_channels() const noexcept {
  return base::divide_up(of_slice() * pairs_inside(geometry_.axes[0]), depth_.count);
}

// Sums of fewer taps err less. At the edges there are always fewer; where taps lie far apart, in
// much of an image.
double WinogradImages::least_channels() const noexcept {
  constexpr double kEdges = 0.95;  // of all taps, that lie inside
  double inside = 1, windows = 1;
  for (const int d : {1, 2}) {
    const ConvolutionAxis& axis = geometry_.axes[d];
    const Axis& of = d == 1 ? rows_ : columns_;
    const auto window = static_cast<double>(axis.window());
    windows *= window / static_cast<double>(of.taps * static_cast<std::int64_t>(of.phases.size()));
    if (of.out_step == 1 && of.parts() == 1) continue;
    inside *=
        static_cast<double>(pairs_inside(axis)) / (window * static_cast<double>(axis.out_size()));
  }
  return static_cast<double>(geometry_.in_channels * least_taps(geometry_.axes[0])) * windows *
         std::min(inside / kEdges, 1.0);
}

WinogradImages::Image WinogradImages::image(std::int64_t index) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  Image image{};
  image.column = base::take_digit(index, columns_.images);
  image.row = base::take_digit(index, rows_.images);
  const std::int64_t slice = base::take_digit(index, depth_.count);
  image.volume = index;
  const std::int64_t row = rows_.start(image.row), column = columns_.start(image.column);
  image.out = index * g.out_batch_stride + slice * g.out_strides[0] + row * g.out_strides[1] +
              column * g.out_strides[2];
  image.rows = rows_.size(g.axes[1], image.row);
  image.columns = columns_.size(g.axes[2], image.column);
  image.filter = rows_.filter(image.row) * static_cast<std::int64_t>(columns_.phases.size()) +
                 columns_.filter(image.column);
  image.first_slice = slice * depth_.in_step + depth_.first_offset;
  const auto taps = taps_inside(depth_, slice, 1, g.axes[0].in_size());
  image.begin_tap = taps[0];
  image.end_tap = taps[1];
  return image;
}

WinogradImages::Parts WinogradImages::parts(std::int64_t channel) const noexcept {
  std::int64_t part = channel / of_part();
  const std::int64_t column = base::take_digit(part, columns_.parts());
  return {.row = part % rows_.parts(), .column = column};
}

WinogradImages::Input WinogradImages::input(const Image& image, std::int64_t group,
                                            std::int64_t channel) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const std::int64_t slice = image.first_slice + channel / of_slice() * depth_.offset_step;
  if (slice < 0 || slice >= g.axes[0].in_size()) return {};
  const Parts part = parts(channel);
  Input input{};
  input.first = image.volume * g.in_batch_stride + slice * g.in_strides[0] +
                (group * g.in_channels + channel % g.in_channels) * g.in_channel_stride;
  // The input that a tap of the first output meets: of which image, and where in it.
  const auto locate = [&](int d, const Axis& of, std::int64_t number, std::int64_t tap,
                          std::int64_t& first, std::int64_t& size) {
    const Phase& phase = of.phases[of.filter(number)];
    if (phase.taps == 0) return;
    const std::int64_t lowest = std::min(phase.offset(0), phase.offset(phase.taps - 1));
    const std::int64_t start = of.phases.size() > 1 ? 0 : number;  // offsets are of a phase's own
    const std::int64_t at = start + lowest + tap * of.distance;
    first = base::floor_divide(at, of.in_step);
    const std::int64_t remainder = at - first * of.in_step;
    size = every(of.in_step, g.axes[d].in_size(), remainder);
    input.first += remainder * g.in_strides[d];
  };
  locate(1, rows_, image.row, rows_.firsts[part.row], input.first_row, input.rows);
  locate(2, columns_, image.column, columns_.firsts[part.column], input.first_column,
         input.columns);
  if (input.columns == 0) input.rows = 0;
  return input;
}

std::optional<std::int64_t> WinogradImages::tap(std::int64_t filter, std::int64_t channel,
                                                std::int64_t i, std::int64_t j) const noexcept {
  const ConvolutionGeometry& g = geometry_;
  const Parts part = parts(channel);
  const auto of_columns = static_cast<std::int64_t>(columns_.phases.size());
  std::int64_t offset =
      channel / of_slice() * g.filter_strides[0] + channel % g.in_channels * g.filter_in_stride;
  for (const int d : {1, 2}) {
    const Axis& of = d == 1 ? rows_ : columns_;
    const Phase& phase = of.phases[d == 1 ? filter / of_columns : filter % of_columns];
    const auto tap = d == 1 ? of.tap(phase, part.row, i) : of.tap(phase, part.column, j);
    if (!tap) return std::nullopt;
    const std::int64_t number = phase.offset_step < 0 ? phase.taps - 1 - *tap : *tap;
    offset += (phase.tap_class + number * of.tap_step) * g.filter_strides[d];
  }
  return offset;
}

bool WinogradImages::vanishes(std::int64_t filter, std::int64_t channel,
                              std::int64_t point) const noexcept {
  const Parts part = parts(channel);
  const auto of_columns = static_cast<std::int64_t>(columns_.phases.size());
  const std::int64_t column_points = columns_.points();
  return rows_.vanishes(filter / of_columns, part.row, point / column_points) ||
         columns_.vanishes(filter % of_columns, part.column, point % column_points);
}

double WinogradImages::share_of_products() const noexcept {
  return rows_.share_of_products() * columns_.share_of_products();
}

}  // namespace weft::ops
