#include "ops/sliding_window.h"

#include <optional>
#include <string>
#include <utility>

#include "base/checked.h"
#include "ops/checker.h"

namespace weft::ops {

namespace {

using std::uint64_t;

constexpr std::size_t kMaxSpatialCount = 6;

const char* image_field(const SlidingWindow& window) {
  return window.type == OperatorType::unfold ? "InputTensor" : "OutputTensor";
}

const char* columns_field(const SlidingWindow& window) {
  return window.type == OperatorType::unfold ? "OutputTensor" : "InputTensor";
}

template <class T>
std::string product_text(const std::vector<T>& factors) {
  std::string result;
  for (const T factor : factors) {
    if (!result.empty()) result += " * ";
    result += std::to_string(factor);
  }
  return result;
}

template <class T>
std::optional<uint64_t> product(const std::vector<T>& factors) {
  std::optional<uint64_t> result = 1;
  for (const T factor : factors) {
    if (result) result = base::multiply(*result, factor);
  }
  return result;
}

// The arrays with their defaults filled in; their lengths have been checked.
struct Parameters {
  explicit Parameters(const SlidingWindow& window)
      : strides(or_default(window.strides, window.spatial_count(), 1)),
        dilations(or_default(window.dilations, window.spatial_count(), 1)),
        start_padding(or_default(window.start_padding, window.spatial_count(), 0)),
        end_padding(or_default(window.end_padding, window.spatial_count(), 0)) {}

  std::string padding_text(std::size_t d) const {
    return std::to_string(start_padding[d]) + '+' + std::to_string(end_padding[d]);
  }

  Dims strides;
  Dims dilations;
  Dims start_padding;
  Dims end_padding;
};

// Applies the rules to one set of params; what a broken rule leaves without a meaning is skipped.
class Rules {
 public:
  explicit Rules(const SlidingWindow& window)
      : window_(window), unfold_(window.type == OperatorType::unfold), check_(window.type) {}

  // Everything that does not involve the columns.
  void image() {
    image_ok_ = check_.tensor(image_field(window_), window_.image,
                              unfold_ ? Checker::Role::input : Checker::Role::output);
    windows_ok_ = arrays() && image_ok_ && dimension_count();
    if (!windows_ok_) return;
    parameters_.emplace(window_);
    blocks_ok_ = blocks();
  }

  // The columns for themselves.
  void columns(const TensorDesc& desc) {
    columns_ok_ = check_.tensor(columns_field(window_), desc,
                                unfold_ ? Checker::Role::output : Checker::Role::input);
  }

  // The columns against the image.
  void match() {
    check_.same_type("OutputTensor", unfold_ ? window_.columns : window_.image, "InputTensor",
                     unfold_ ? window_.image : window_.columns);
    if (!image_ok_ || !columns_ok_ || !columns_rank()) return;
    const Dims& sizes = window_.columns.sizes;
    const std::string field = std::string(columns_field(window_)) + ".Sizes";
    const std::size_t first = sizes.size() - 3;
    for (std::size_t d = 0; d < first; ++d) {
      check_.equal(field, d, sizes[d], 1, "only the last three dimensions of columns are used");
    }
    const std::uint32_t batch = window_.image.sizes[0];
    check_.equal("OutputTensor.Sizes", unfold_ ? first : 0, unfold_ ? sizes[first] : batch,
                 unfold_ ? batch : sizes[first], "the batch of InputTensor");
    if (windows_ok_) rows(field, first + 1);
    if (blocks_ok_) sized(field, first + 2, product(block_counts_), block_rule());
  }

  // Sizes of the columns that belong to the image; nothing when a rule is broken.
  std::optional<Dims> inferred_columns() {
    if (!check_.ok()) return std::nullopt;
    const auto size = [&](std::size_t d, std::optional<uint64_t> value, const std::string& rule) {
      if (value && *value <= UINT32_MAX) return static_cast<std::uint32_t>(*value);
      check_.fail(std::string(columns_field(window_)) + ".Sizes", d, "to be inferred", "",
                  "no size can hold " + rule);
      return 0u;
    };
    const std::uint32_t rows = size(1, row_count(), row_rule());
    const std::uint32_t count = size(2, product(block_counts_), block_rule());
    if (!check_.ok()) return std::nullopt;
    const Dims sizes{window_.image.sizes[0], rows, count};
    if (!check_.element_limit(std::string(columns_field(window_)) + ".Sizes", sizes)) return {};
    return sizes;
  }

  std::vector<Violation> take() { return check_.take(); }

 private:
  bool arrays() {
    const std::size_t count = window_.spatial_count();
    if (count < 1 || count > kMaxSpatialCount) {
      check_.fail("DimensionCount", {}, std::to_string(count), "1 to 6",
                  "one entry of WindowSizes each");
      return false;
    }
    const bool good = check_.array("WindowSizes", window_.window_sizes, count,
                                   "a window has at least one element");
    return check_.window_arrays(window_.strides, window_.dilations, window_.start_padding,
                                window_.end_padding, count) &&
           good;
  }

  bool dimension_count() {
    const std::size_t right = window_.image.sizes.size() - 2;
    check_.equal("DimensionCount", {}, window_.spatial_count(), right,
                 std::string("the spatial dimensions of ") + image_field(window_) +
                     ", which has N and C before them");
    return window_.spatial_count() == right;
  }

  bool blocks() {
    bool fit = true;
    for (std::size_t d = 0; d < window_.spatial_count(); ++d) {
      const uint64_t size = window_.image.sizes[d + 2];
      const uint64_t window = window_.window_sizes[d];
      const uint64_t dilation = parameters_->dilations[d];
      const uint64_t start = parameters_->start_padding[d];
      const uint64_t end = parameters_->end_padding[d];
      const auto count = window_count(size, window, parameters_->strides[d], dilation, start, end);
      if (!count) {
        check_.fail("WindowSizes", d, std::to_string(window),
                    "at most " + std::to_string((size + start + end - 1) / dilation + 1),
                    "a window spans (WindowSizes - 1) * Dilations + 1 = " +
                        std::to_string((window - 1) * dilation + 1) + ", padded " +
                        image_field(window_) + ".Sizes[" + std::to_string(d + 2) + "] is " +
                        std::to_string(size) + ", padding " + parameters_->padding_text(d));
        fit = false;
      }
      block_counts_.push_back(count.value_or(0));
    }
    return fit;
  }

  bool columns_rank() {
    const std::size_t found = window_.columns.sizes.size();
    const std::size_t rank = window_.image.sizes.size();
    if (found == 3 || found == rank) return true;
    check_.fail(std::string(columns_field(window_)) + ".DimensionCount", {}, std::to_string(found),
                rank == 3 ? "3" : "3 or " + std::to_string(rank),
                std::string("columns are (N, C * WindowSizes, BlockCount), with leading ones up to "
                            "the rank of ") +
                    image_field(window_));
    return false;
  }

  // UNFOLD: the rows follow from the image. FOLD: the image's channels follow from the rows.
  void rows(const std::string& field, std::size_t index) {
    const std::uint32_t found = window_.columns.sizes[index];
    const auto elements = product(window_.window_sizes);
    if (unfold_ || !elements) {
      sized(field, index, row_count(), row_rule());
    } else if (found % *elements != 0) {
      check_.fail(field, index, std::to_string(found), "a multiple of " + std::to_string(*elements),
                  "C * WindowSizes = C * " + product_text(window_.window_sizes));
    } else {
      check_.equal("OutputTensor.Sizes", 1, window_.image.sizes[1], found / *elements,
                   "InputTensor.Sizes[" + std::to_string(index) + "] " + std::to_string(found) +
                       " / WindowSizes " + text(window_.window_sizes));
    }
  }

  void sized(const std::string& field, std::size_t index, std::optional<uint64_t> right,
             const std::string& rule) {
    const std::uint32_t found = window_.columns.sizes[index];
    if (!right || *right > UINT32_MAX) {
      check_.fail(field, index, std::to_string(found), "", "no size can hold " + rule);
    } else {
      check_.equal(field, index, found, *right, rule);
    }
  }

  std::optional<uint64_t> row_count() const {
    const auto elements = product(window_.window_sizes);
    return elements ? base::multiply(window_.image.sizes[1], *elements) : std::nullopt;
  }

  std::string row_rule() const {
    return "C * WindowSizes = " + std::to_string(window_.image.sizes[1]) + " * " +
           product_text(window_.window_sizes);
  }

  std::string block_rule() const {
    const Dims& sizes = window_.image.sizes;
    std::string rule = "BlockCount = " + product_text(block_counts_) + " (" + image_field(window_) +
                       ".Sizes " + text(std::span(sizes).subspan(2)) + ", WindowSizes " +
                       text(window_.window_sizes) + ", Strides " + text(parameters_->strides) +
                       ", Dilations " + text(parameters_->dilations) + ", padding ";
    for (std::size_t d = 0; d < window_.spatial_count(); ++d) {
      if (d != 0) rule += ", ";
      rule += parameters_->padding_text(d);
    }
    return rule + ')';
  }

  const SlidingWindow& window_;
  const bool unfold_;
  Checker check_;
  bool image_ok_ = false;
  bool columns_ok_ = false;
  bool windows_ok_ = false;
  bool blocks_ok_ = false;
  std::optional<Parameters> parameters_;
  std::vector<uint64_t> block_counts_;
};

}  // namespace

SlidingWindow sliding_window(const UnfoldParams& params) noexcept {
  return {OperatorType::unfold, params.input,     params.output,        params.window_sizes,
          params.strides,       params.dilations, params.start_padding, params.end_padding};
}

SlidingWindow sliding_window(const FoldParams& params) noexcept {
  return {OperatorType::fold, params.output,    params.input,         params.window_sizes,
          params.strides,     params.dilations, params.start_padding, params.end_padding};
}

std::vector<Violation> validate(const SlidingWindow& window) {
  Rules rules(window);
  rules.image();
  rules.columns(window.columns);
  rules.match();
  return rules.take();
}

Dims column_sizes(const SlidingWindow& window) {
  Rules rules(window);
  rules.image();
  const std::optional<Dims> sizes = rules.inferred_columns();
  throw_if_any(rules.take(), window.type);
  return *sizes;
}

TensorDesc last_three(const TensorDesc& columns) {
  TensorDesc result = columns;
  const auto leading = static_cast<std::ptrdiff_t>(columns.sizes.size()) - 3;
  result.sizes.erase(result.sizes.begin(), result.sizes.begin() + leading);
  if (!columns.strides.empty()) {
    result.strides.erase(result.strides.begin(), result.strides.begin() + leading);
  } else {
    result.strides = packed_strides(result.sizes).value();
  }
  return result;
}

}  // namespace weft::ops
