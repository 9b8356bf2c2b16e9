#include "bench/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "bench/exact.h"
#include "elements.h"

namespace weft::cli::bench {

namespace {

template <class T>
double as_double(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  if constexpr (std::is_same_v<T, Half>) {
    return value.value();
  } else {
    return static_cast<double>(value);
  }
}

double read(DataType type, std::span<const std::byte> elements, std::size_t index) {
  double result = 0;
  visit_type(type, [&]<class T>() { result = as_double<T>(elements.data() + index * sizeof(T)); });
  return result;
}

// Half the distance from 1 to the next number; integers are exact.
double unit(DataType type) {
  switch (type) {
    case DataType::float16:
      return 0x1p-11;
    case DataType::float32:
      return 0x1p-24;
    case DataType::float64:
      return 0x1p-53;
    default:
      return 0;
  }
}

bool interpolates(const Shape& shape) {
  const auto* const p = std::get_if<ResampleParams>(&shape.params);
  return p != nullptr && p->interpolation_mode == InterpolationMode::linear;
}

bool only_moves(const Shape& shape) {
  return shape.type() == OperatorType::unfold ||
         (shape.type() == OperatorType::resample2 && !interpolates(shape));
}

std::vector<std::size_t> sample_positions(std::uint64_t count, double terms) {
  constexpr double kMostTerms = 1 << 25;
  const double affordable = std::clamp(kMostTerms / terms, 64.0, 4096.0);
  const auto wanted = static_cast<std::size_t>(affordable);
  std::vector<std::size_t> positions;
  if (count <= wanted) {
    for (std::size_t i = 0; i < count; ++i) positions.push_back(i);
    return positions;
  }
  positions = {0, count - 1};
  std::mt19937_64 random(1);
  while (positions.size() < wanted) positions.push_back(random() % count);
  return positions;
}

}  // namespace

Judge::Judge(const Shape& shape, const Tensors& tensors)
    : type_(shape.data_type()),
      sizes_(std::visit([](const auto& p) { return p.output.sizes; }, shape.params)),
      compared_(sizes_) {
  if (const auto* const p = std::get_if<ConvolutionParams>(&shape.params)) {
    for (std::size_t d = 0; d < p->output_padding.size(); ++d) {
      compared_[d + 2] -= p->output_padding[d];
    }
  }
  double squares = 0;
  const std::uint64_t count = element_count(sizes_).value_or(1);
  for (const std::size_t position : sample_positions(count, term_count(shape))) {
    samples_.push_back({position, exact_output(shape, tensors, position)});
    squares += samples_.back().exact * samples_.back().exact;
  }
  if (only_moves(shape)) return;
  const double size = std::sqrt(squares / static_cast<double>(samples_.size()));
  const double sum_error = 32 * std::max(unit(type_), 0x1p-24) * std::sqrt(term_count(shape));
  // Positions of interpolation are rounded to float32: up to the size of the image in such units.
  const double position_error = interpolates(shape) ? 1e-3 : 0;
  absolute_ = unit(type_) == 0 ? 1 : (sum_error + position_error) * size;
  relative_ = 4 * unit(type_);
}

bool Judge::compared(std::size_t element) const {
  if (compared_ == sizes_) return true;
  for (std::size_t d = sizes_.size(); d-- > 0; element /= sizes_[d]) {
    if (element % sizes_[d] >= compared_[d]) return false;
  }
  return true;
}

double Judge::rms_error(std::span<const std::byte> result) const {
  double wrong = 0, right = 0;
  for (const auto& [element, exact] : samples_) {
    if (!compared(element)) continue;
    const double error = read(type_, result, element) - exact;
    wrong += error * error;
    right += exact * exact;
  }
  return right == 0 ? std::sqrt(wrong) : std::sqrt(wrong / right);
}

std::optional<std::string> Judge::difference(std::span<const std::byte> result) const {
  for (const auto& [element, exact] : samples_) {
    const double value = read(type_, result, element);
    if (!(std::abs(value - exact) <= allowance(exact))) return describe(element, value, exact);
  }
  return std::nullopt;
}

std::optional<std::string> Judge::difference(std::span<const std::byte> result,
                                             std::span<const std::byte> expected) const {
  std::optional<std::string> message;
  visit_type(type_, [&]<class T>() {
    for (std::size_t i = 0; i * sizeof(T) < result.size() && !message; ++i) {
      const double value = as_double<T>(result.data() + i * sizeof(T));
      const double other = as_double<T>(expected.data() + i * sizeof(T));
      const bool right = std::abs(value - other) <= allowance(other);
      if (!right && compared(i)) message = describe(i, value, other);
    }
  });
  return message;
}

std::string Judge::describe(std::size_t element, double value, double expected) const {
  Dims at(sizes_.size());
  std::size_t rest = element;
  for (std::size_t d = sizes_.size(); d-- > 0; rest /= sizes_[d]) {
    at[d] = static_cast<std::uint32_t>(rest % sizes_[d]);
  }
  return fmt::format("element {} ({}) is {:.9g}, must be {:.9g} to within {:.2g}", element,
                     fmt::join(at, ", "), value, expected, allowance(expected));
}

}  // namespace weft::cli::bench
