#include <algorithm>

#include "random/draw_tensor.h"

namespace weft::random_cases {

namespace {

constexpr DataType kTypes[] = {DataType::float32, DataType::float32, DataType::float16,
                               DataType::float64, DataType::int8,    DataType::int16,
                               DataType::int32,   DataType::int64,   DataType::uint8,
                               DataType::uint16,  DataType::uint32,  DataType::uint64};

// What FOLD and UNFOLD share, for an image of the drawn sizes and its columns.
struct SlidingWindow {
  Dims image, columns, window_sizes, strides, dilations, start_padding, end_padding;
};

// Adds one spatial dimension; returns the number of blocks.
std::uint32_t draw_axis(Dice& dice, SlidingWindow& w, std::uint32_t usual_size) {
  const std::uint32_t window = dice.mostly(1, 3, 6);
  const std::uint32_t stride = dice.mostly(1, 3, 6);
  const std::uint32_t dilation = dice.mostly(1, 2, 4);
  const std::uint32_t start = dice.chance(0.5) ? 0 : dice.mostly(0, 2, 9);
  const std::uint32_t end = dice.chance(0.4) ? start : dice.mostly(0, 2, 9);
  const std::uint32_t span = (window - 1) * dilation + 1;
  std::uint32_t size = dice.mostly(1, usual_size, 4 * usual_size);
  if (size + start + end < span) size = span - start - end;
  w.image.push_back(size);
  w.window_sizes.push_back(window);
  w.strides.push_back(stride);
  w.dilations.push_back(dilation);
  w.start_padding.push_back(start);
  w.end_padding.push_back(end);
  return (size + start + end - span) / stride + 1;
}

// The same for windows side by side, as vision transformers take them.
std::uint32_t draw_patches(Dice& dice, SlidingWindow& w, std::uint32_t window) {
  const std::uint32_t blocks = dice.between(1, 12);
  w.image.push_back(blocks * window + (dice.chance(0.2) ? dice.between(0, window - 1) : 0));
  w.window_sizes.push_back(window);
  w.strides.push_back(window);
  w.dilations.push_back(1);
  w.start_padding.push_back(0);
  w.end_padding.push_back(0);
  return blocks;
}

SlidingWindow draw_window(Case& c, Dice& dice) {
  const std::size_t spatial = dice.pick({1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 6});
  const bool patches = spatial <= 2 && dice.chance(0.06);
  const std::uint32_t patch = patches ? dice.pick({2u, 4u, 8u, 14u, 16u, 20u, 32u}) : 0;
  const double budget = c.large || patches ? 300'000 : 8'000;
  SlidingWindow w;
  for (std::uint32_t size = c.large ? 60 : 12;; size = std::max(size / 2, 1u)) {
    const std::uint32_t batch = dice.mostly(1, 2, 4);
    const std::uint32_t channels = dice.mostly(1, 3, 12);
    w = {};
    w.image = {batch, channels};
    std::uint64_t rows = channels;
    std::uint64_t blocks = 1;
    double pixels = 1.0 * batch * channels;
    double window_elements = 1;
    for (std::size_t d = 0; d < spatial; ++d) {
      blocks *= patches ? draw_patches(dice, w, patch) : draw_axis(dice, w, size);
      rows *= w.window_sizes[d];
      pixels *= w.image[d + 2];
      window_elements *= w.window_sizes[d];
    }
    // What unfolding and what folding costs.
    if (1.0 * batch * static_cast<double>(rows * blocks) > budget) continue;
    if (pixels * window_elements > 4 * budget) continue;
    w.columns = {batch, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(blocks)};
    break;
  }
  // Leading ones may bring the columns to the image's rank, and nowhere between.
  if (spatial > 1 && dice.chance(0.3)) {
    w.columns.insert(w.columns.begin(), spatial - 1, 1);
    c.traits.emplace("columns", "leading ones");
  } else {
    c.traits.emplace("columns", "3 dimensions");
  }
  c.traits.emplace("window blocks", patches ? "side by side" : "any");
  for (std::size_t d = 0; d < spatial; ++d) {
    c.traits.emplace("window size", std::to_string(w.window_sizes[d]));
    c.traits.emplace("window stride", std::to_string(w.strides[d]));
    c.traits.emplace("window dilation", std::to_string(w.dilations[d]));
    c.traits.emplace("window padding", w.start_padding[d] != w.end_padding[d] ? "asymmetric"
                                       : w.start_padding[d] == 0              ? "none"
                                                                 : "same on both sides");
  }
  leave_out_defaults(dice, {&w.strides, &w.dilations}, 1);
  leave_out_defaults(dice, {&w.start_padding, &w.end_padding}, 0);
  return w;
}

template <class Params>
void draw(Case& c, Dice& dice, bool image_is_input) {
  SlidingWindow w = draw_window(c, dice);
  const DataType type = dice.pick(kTypes);
  Params p;
  p.input = draw_tensor(c, dice, "inputs", type, image_is_input ? w.image : w.columns, Role::input);
  p.output =
      draw_tensor(c, dice, "outputs", type, image_is_input ? w.columns : w.image, Role::output);
  p.window_sizes = std::move(w.window_sizes);
  p.strides = std::move(w.strides);
  p.dilations = std::move(w.dilations);
  p.start_padding = std::move(w.start_padding);
  p.end_padding = std::move(w.end_padding);
  c.params = std::move(p);
}

}  // namespace

void draw_unfold(Case& c, Dice& dice) { draw<UnfoldParams>(c, dice, true); }
void draw_fold(Case& c, Dice& dice) { draw<FoldParams>(c, dice, false); }

}  // namespace weft::random_cases
