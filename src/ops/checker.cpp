#include "ops/checker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "ops/layout.h"
#include "weft/operator.h"

namespace weft::ops {

void Checker::fail(std::string_view field, std::optional<std::size_t> index, std::string value,
                   std::string right, std::string rule) {
  violations_.push_back({operator_name_, std::string(field), index, std::move(value),
                         std::move(rule), std::move(right)});
}

bool Checker::tensor(std::string_view field, const TensorDesc& desc, Role role) {
  const std::string prefix = std::string(field) + '.';
  if (!takes(desc.data_type)) {
    std::string list;
    for (const DataType type : operator_support(type_).data_types) {
      list.append(list.empty() ? "one of " : ", ").append(name(type));
    }
    fail(prefix + "DataType", {}, type_text(desc.data_type), list, "the types of this operator");
  }
  if (!shape(prefix, desc)) return false;
  return !takes(desc.data_type) || memory(prefix, desc, role);
}

bool Checker::shape(const std::string& prefix, const TensorDesc& desc) {
  bool good = true;
  const std::size_t count = desc.sizes.size();
  if (!rank(desc)) {
    const OperatorSupport& support = operator_support(type_);
    fail(prefix + "DimensionCount", {}, std::to_string(count),
         std::to_string(support.min_dimension_count) + " to " +
             std::to_string(support.max_dimension_count),
         "one entry of Sizes each");
    good = false;
  }
  for (std::size_t d = 0; d < count; ++d) {
    if (desc.sizes[d] != 0) continue;
    fail(prefix + "Sizes", d, "0", ">= 1", "tensors cannot be empty");
    good = false;
  }
  if (!desc.strides.empty() && desc.strides.size() != count) {
    fail(prefix + "Strides", {}, entries(desc.strides.size()), entries(count),
         "one a dimension, or none for a packed tensor");
    good = false;
  }
  return good && element_limit(prefix + "Sizes", desc.sizes);
}

bool Checker::memory(const std::string& prefix, const TensorDesc& desc, Role role) {
  const auto needed = minimum_size_in_bytes(desc);
  if (!needed || *needed > INT64_MAX) {
    fail(prefix + "Strides", {}, text(desc.strides), "less than 2^63 bytes in all",
         "the extent of the tensor");
    return false;
  }
  if (desc.total_size_in_bytes != 0 && desc.total_size_in_bytes < *needed) {
    fail(prefix + "TotalTensorSizeInBytes", {}, std::to_string(desc.total_size_in_bytes),
         "at least " + std::to_string(*needed),
         "the extent of the tensor, rounded up to a multiple of 4");
  }
  const std::uint32_t alignment = desc.guaranteed_base_offset_alignment;
  if (alignment != 0 &&
      (!std::has_single_bit(alignment) || alignment < byte_size(desc.data_type))) {
    fail(prefix + "GuaranteedBaseOffsetAlignment", {}, std::to_string(alignment),
         "0 or a power of two >= " + std::to_string(byte_size(desc.data_type)),
         "offsets are whole elements");
  }
  if (role == Role::output) {
    if (desc.owned_by_dml) {
      fail(prefix + "Flags", {}, "OWNED_BY_DML", "NONE", "only inputs can be owned");
    }
    if (!desc.strides.empty() && overlaps_itself(desc.sizes, desc.strides)) {
      fail(prefix + "Strides", {}, text(desc.strides),
           "such that no two elements of " + text(desc.sizes) + " share an offset",
           "each element is written once");
    }
  }
  return true;
}

bool Checker::takes(DataType type) const {
  const auto types = operator_support(type_).data_types;
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::optional<std::size_t> Checker::rank(const TensorDesc& desc) const {
  const OperatorSupport& support = operator_support(type_);
  const std::size_t rank = desc.sizes.size();
  if (rank < support.min_dimension_count || rank > support.max_dimension_count) return {};
  return rank;
}

bool Checker::element_limit(std::string_view field, const Dims& sizes) {
  const auto elements = element_count(sizes);
  if (elements && *elements <= UINT32_MAX) return true;
  fail(field, {}, text(sizes), "at most 4294967295 elements", "the limit of a tensor");
  return false;
}

void Checker::same_type(std::string_view field, const TensorDesc& desc,
                        std::string_view other_field, const TensorDesc& other) {
  if (desc.data_type == other.data_type || !takes(other.data_type)) return;
  fail(std::string(field) + ".DataType", {}, type_text(desc.data_type), type_text(other.data_type),
       "the data type of " + std::string(other_field));
}

bool Checker::array(std::string_view field, const Dims& values, std::optional<std::size_t> count,
                    std::string_view zero_rule) {
  if (values.empty()) return true;
  bool good = true;
  if (count && values.size() != *count) {
    fail(field, {}, entries(values.size()), entries(*count),
         "DimensionCount, one a spatial dimension");
    good = false;
  }
  for (std::size_t d = 0; d < values.size(); ++d) {
    if (values[d] != 0 || zero_rule.empty()) continue;
    fail(field, d, "0", ">= 1", std::string(zero_rule));
    good = false;
  }
  return good;
}

bool Checker::window_arrays(const Dims& strides, const Dims& dilations, const Dims& start_padding,
                            const Dims& end_padding, std::optional<std::size_t> count) {
  bool good = array("Strides", strides, count, "a stride of 0 never moves the window");
  good &= array("Dilations", dilations, count, "a dilation of 0 reads one element over and over");
  good &= array("StartPadding", start_padding, count);
  return array("EndPadding", end_padding, count) && good;
}

void Checker::equal(std::string_view field, std::optional<std::size_t> index, std::uint64_t value,
                    std::uint64_t right, const std::string& rule) {
  if (value != right) fail(field, index, std::to_string(value), std::to_string(right), rule);
}

namespace {

bool weft_has(OperatorType type) {
  const auto all = all_operator_types();
  return std::find(all.begin(), all.end(), type) != all.end();
}

bool directml_has(OperatorType type) { return name(type) != name(OperatorType{0}); }

}  // namespace

void throw_if_any(std::vector<Violation> violations, OperatorType type) {
  if (violations.empty()) return;
  const bool missing = directml_has(type) && !weft_has(type);
  throw Error(missing ? ErrorCode::unsupported : ErrorCode::invalid_argument,
              std::move(violations));
}

std::string type_text(OperatorType type) {
  std::string number = std::to_string(static_cast<std::uint32_t>(type));
  if (!directml_has(type)) return number;
  return std::string(name(type)) + (weft_has(type) ? "" : " (" + number + ")");
}

std::string type_text(DataType type) {
  const bool named = bit_size(type) != 0 || type == DataType::unknown;
  return named ? std::string(name(type)) : std::to_string(static_cast<std::uint32_t>(type));
}

std::string number_text(float value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

std::string entries(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

std::string text(std::span<const std::uint32_t> values) {
  std::string result;
  for (std::size_t d = 0; d < values.size(); ++d) {
    if (d != 0) result += 'x';
    result += std::to_string(values[d]);
  }
  return result;
}

Dims or_default(const Dims& values, std::size_t count, std::uint32_t fallback) {
  return values.empty() ? Dims(count, fallback) : values;
}

std::optional<std::uint64_t> window_count(std::uint64_t size, std::uint64_t window,
                                          std::uint64_t stride, std::uint64_t dilation,
                                          std::uint64_t start, std::uint64_t end) {
  const std::uint64_t padded = size + start + end;
  const std::uint64_t span = (window - 1) * dilation + 1;
  if (span > padded) return std::nullopt;
  return (padded - span) / stride + 1;
}

}  // namespace weft::ops
