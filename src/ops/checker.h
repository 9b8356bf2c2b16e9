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

  // The rules that every tensor has to keep (DML_BUFFER_TENSOR_DESC), with the types and dimension
  // counts of the operator's support table. Returns whether the shape can be worked with.
  bool tensor(std::string_view field, const TensorDesc& desc, Role role);

  // Number of dimensions; nothing where the operator takes no such number, so that rules which
  // depend on it are skipped.
  std::optional<std::size_t> rank(const TensorDesc& desc) const;

  // The limit of a tensor, for sizes that were given and for sizes that were inferred.
  bool element_limit(std::string_view field, const Dims& sizes);

  // Skipped where `other` has a type that the operator does not take: nothing has to follow it.
  void same_type(std::string_view field, const TensorDesc& desc, std::string_view other_field,
                 const TensorDesc& other);

  // An array with one entry a spatial dimension, or none where the default stands for them. Not
  // counted where `count` is nothing. `zero_rule` says what is wrong with an entry of 0, if it is.
  bool array(std::string_view field, const Dims& values, std::optional<std::size_t> count,
             std::string_view zero_rule = {});

  // Strides, Dilations, StartPadding and EndPadding, which all operators with windows have.
  bool window_arrays(const Dims& strides, const Dims& dilations, const Dims& start_padding,
                     const Dims& end_padding, std::optional<std::size_t> count);

  // "field[index] is value, must be right: rule" when they differ.
  void equal(std::string_view field, std::optional<std::size_t> index, std::uint64_t value,
             std::uint64_t right, const std::string& rule);

  bool ok() const noexcept { return violations_.empty(); }
  std::vector<Violation> take() { return std::exchange(violations_, {}); }

 private:
  bool takes(DataType type) const;
  bool shape(const std::string& prefix, const TensorDesc& desc);
  bool memory(const std::string& prefix, const TensorDesc& desc, Role role);

  OperatorType type_;
  std::string operator_name_;
  std::vector<Violation> violations_;
};

// Throws Error when there is any violation: ErrorCode::unsupported where `type` is an operator that
// DirectML has and Weft has not.
void throw_if_any(std::vector<Violation> violations, OperatorType type);

// "UNFOLD", "GEMM (54)" where Weft does not have it, "12345" where there is no such operator.
std::string type_text(OperatorType type);

// "FLOAT32", "99" where there is no such type.
std::string type_text(DataType type);

// "1.5", "nan", "-inf": the shortest text that reads back as the same float.
std::string number_text(float value);

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
