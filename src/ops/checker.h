#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/error.h"
#include "weft/operator_type.h"
#include "weft/tensor.h"

namespace weft::ops {

// Collects the broken rules of one operator: every validate() is a list of calls on it.
class Checker {
 public:
  explicit Checker(OperatorType type) : type_(type), operator_name_(name(type)) {}

  OperatorType type() const noexcept { return type_; }

  // Records a violation. `value`, `right` and `rule` are as in Violation.
  void fail(std::string_view field, std::optional<std::size_t> index, std::string value,
            std::string right, std::string rule);

  enum class Role { input, output };

  // The rules that every tensor has to keep (directml: DML_BUFFER_TENSOR_DESC), with the types and
  // the number of dimensions that the operator takes. Returns whether the shape can be worked with.
  bool tensor(std::string_view field, const TensorDesc& desc, Role role,
              std::span<const DataType> types, std::size_t min_rank, std::size_t max_rank);

  // As above with the types and dimension counts of the operator's support table.
  bool tensor(std::string_view field, const TensorDesc& desc, Role role);

  void same_type(std::string_view field, const TensorDesc& desc, std::string_view other_field,
                 const TensorDesc& other);

  // An array with one entry a spatial dimension; returns whether it has them. `minimum` bounds
  // each entry from below. An empty array stands for the default and is fine unless `required`.
  bool array(std::string_view field, const Dims& values, std::size_t count, std::uint32_t minimum,
             bool required = false);

  // "field[index] is value, must be right: rule" when they differ.
  void equal(std::string_view field, std::optional<std::size_t> index, std::uint64_t value,
             std::uint64_t right, const std::string& rule);

  bool ok() const noexcept { return violations_.empty(); }
  std::vector<Violation> take() { return std::exchange(violations_, {}); }

 private:
  OperatorType type_;
  std::string operator_name_;
  std::vector<Violation> violations_;
};

// Throws Error when there is any violation.
void throw_if_any(std::vector<Violation> violations);

// "1 entry", "3 entries": the length of an array as messages show it.
std::string entries(std::size_t count);

// "5x3": sizes as messages show them.
std::string text(std::span<const std::uint32_t> values);

// `values`, or `count` times `fallback` where it is empty.
Dims or_default(const Dims& values, std::size_t count, std::uint32_t fallback);

// Windows along one dimension: floor((size + start + end - (window - 1) * dilation - 1) / stride)
// + 1, or nothing when the window is larger than the padded size. All from 32-bit numbers, so
// nothing overflows.
std::optional<std::uint64_t> window_count(std::uint64_t size, std::uint64_t window,
                                          std::uint64_t stride, std::uint64_t dilation,
                                          std::uint64_t start, std::uint64_t end);

}  // namespace weft::ops
