#include "print.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "elements.h"
#include "text.h"

namespace weft::cli {

namespace {

constexpr std::uint64_t kMostElements = 1000;
constexpr std::uint64_t kEdge = 3;

// The positions of a dimension that are shown; kGap stands for those left out.
constexpr std::uint64_t kGap = UINT64_MAX;
std::vector<std::uint64_t> shown_positions(std::uint64_t size, bool all) {
  std::vector<std::uint64_t> positions;
  const bool cut = !all && size > 2 * kEdge + 1;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (cut && i == kEdge) {
      positions.push_back(kGap);
      i = size - kEdge;
    }
    positions.push_back(i);
  }
  return positions;
}

class Matrices {
 public:
  Matrices(DataType type, const Dims& shape, std::span<const std::byte> elements, bool all)
      : type_(type), shape_(shape), elements_(elements) {
    for (const std::uint32_t size : shape) positions_.push_back(shown_positions(size, all));
    rows_ = shape.size() - 2;
    matrix_size_ = std::uint64_t{shape[rows_]} * shape[rows_ + 1];
  }

  std::string text() {
    // Two passes over what is shown: widths first, then text.
    leading(0, 0, true, [this](std::uint64_t matrix) { measure(matrix); });
    const bool many = elements_.size() > matrix_size_ * byte_size(type_);
    leading(0, 0, false, [&](std::uint64_t matrix) {
      if (many) line(coordinates(matrix));
      append(matrix);
    });
    return std::move(text_);
  }

 private:
  // Calls `visit` with the number of each matrix shown. As deep as the shape has dimensions.
  template <class Visit>
  void leading(std::size_t d, std::uint64_t matrix, bool silent, const Visit& visit) {
    if (d == rows_) return visit(matrix);
    for (const std::uint64_t i : positions_[d]) {
      if (i != kGap) {
        leading(d + 1, matrix * shape_[d] + i, silent, visit);
      } else if (!silent) {
        line("...");
      }
    }
  }

  std::string element(std::uint64_t matrix, std::uint64_t row, std::uint64_t column) const {
    if (column == kGap) return "...";
    const std::uint64_t index = matrix * matrix_size_ + row * shape_[rows_ + 1] + column;
    return element_text(type_, elements_.data() + index * byte_size(type_));
  }

  template <class Visit>
  void rows(const Visit& visit) const {
    for (const std::uint64_t row : positions_[rows_]) visit(row);
  }

  void measure(std::uint64_t matrix) {
    rows([&](std::uint64_t row) {
      if (row == kGap) return;
      for (const std::uint64_t column : positions_[rows_ + 1]) {
        width_ = std::max(width_, element(matrix, row, column).size());
      }
    });
  }

  void append(std::uint64_t matrix) {
    rows([&](std::uint64_t row) {
      if (row == kGap) return line("  ...");
      std::string cells;
      for (const std::uint64_t column : positions_[rows_ + 1]) {
        cells += fmt::format("  {:>{}}", element(matrix, row, column), width_);
      }
      line(cells);
    });
  }

  std::string coordinates(std::uint64_t matrix) const {
    const Dims outer(shape_.begin(), shape_.begin() + static_cast<std::ptrdiff_t>(rows_));
    return coordinates_text(outer, matrix);
  }

  void line(std::string_view text) {
    if (!text_.empty()) text_ += '\n';
    text_ += text;
  }

  DataType type_;
  const Dims& shape_;
  std::span<const std::byte> elements_;
  std::vector<std::vector<std::uint64_t>> positions_;
  std::size_t rows_ = 0;  // the dimension that runs down a matrix
  std::uint64_t matrix_size_ = 0;
  std::size_t width_ = 1;
  std::string text_;
};

}  // namespace

std::string tensor_text(DataType type, const Dims& shape, std::span<const std::byte> elements,
                        bool all) {
  const std::uint64_t count = elements.size() / byte_size(type);
  all = all || count <= kMostElements;
  if (shape.size() >= 2) return Matrices(type, shape, elements, all).text();
  std::string text;
  for (const std::uint64_t i : shown_positions(count, all)) {
    if (!text.empty()) text += ", ";
    text += i == kGap ? "..." : element_text(type, elements.data() + i * byte_size(type));
  }
  if (!all) text += fmt::format(" ({})", counted(count, "element"));
  return text;
}

std::string coordinates_text(const Dims& shape, std::uint64_t index) {
  if (shape.empty()) return fmt::format("[{}]", index);
  std::vector<std::uint64_t> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = index % shape[d];
    index /= shape[d];
  }
  return fmt::format("[{}]", fmt::join(coordinates, ", "));
}

}  // namespace weft::cli
