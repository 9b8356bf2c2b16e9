#include "ops/checker.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ops/layout.h"
#include "weft/operator.h"

namespace weft::ops {

void Checker::fail(std::string_view field, std::optional<std::size_t> index, std::string value,
                   std::string right, std::string rule) {
  violations_.push_back({operator_name_, std::string(field), index, std::move(value),
                         std::move(rule), std::move(right)});
}

bool Checker::tensor(std::string_view field, const TensorDesc& desc, Role role,
                     std::span<const DataType> types, std::size_t min_rank, std::size_t max_rank) {
  const std::string prefix = std::string(field) + '.';
  bool shape_ok = true;

  const bool type_ok = std::find(types.begin(), types.end(), desc.data_type) != types.end();
  if (!type_ok) {
    std::string list(types.size() > 1 ? "one of " : "");
    for (const DataType type : types) {
      if (type != types.front()) list += ", ";
      list += name(type);
    }
    fail(prefix + "DataType", {}, std::string(name(desc.data_type)), list,
         "the types of this operator");
  }

  const std::size_t rank = desc.sizes.size();
  if (rank < min_rank || rank > max_rank) {
    const std::string right = min_rank == max_rank
                                  ? std::to_string(min_rank)
                                  : std::to_string(min_rank) + " to " + std::to_string(max_rank);
    fail(prefix + "DimensionCount", {}, std::to_string(rank), right, "one entry of Sizes each");
    shape_ok = false;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (desc.sizes[d] != 0) continue;
    fail(prefix + "Sizes", d, "0", ">= 1", "tensors cannot be empty");
    shape_ok = false;
  }
  if (!desc.strides.empty() && desc.strides.size() != rank) {
    fail(prefix + "Strides", {}, entries(desc.strides.size()), entries(rank),
         "one a dimension, or none for a packed tensor");
    shape_ok = false;
  }
  if (!shape_ok) return false;

  const auto elements = element_count(desc.sizes);
  if (!elements || *elements > UINT32_MAX) {
    fail(prefix + "Sizes", {}, text(desc.sizes), "at most 4294967295 elements",
         "the limit of a tensor");
    return false;
  }
  if (!type_ok) return true;

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

bool Checker::tensor(std::string_view field, const TensorDesc& desc, Role role) {
  const OperatorSupport& support = operator_support(type_);
  return tensor(field, desc, role, support.data_types, support.min_dimension_count,
                support.max_dimension_count);
}

void Checker::same_type(std::string_view field, const TensorDesc& desc,
                        std::string_view other_field, const TensorDesc& other) {
  if (desc.data_type == other.data_type) return;
  fail(std::string(field) + ".DataType", {}, std::string(name(desc.data_type)),
       std::string(name(other.data_type)), "the data type of " + std::string(other_field));
}

bool Checker::array(std::string_view field, const Dims& values, std::size_t count,
                    std::uint32_t minimum, bool required) {
  if (values.empty() && !required) return true;
  if (values.size() != count) {
    fail(field, {}, entries(values.size()), entries(count),
         "DimensionCount, one a spatial dimension");
    return false;
  }
  bool good = true;
  for (std::size_t d = 0; d < count; ++d) {
    if (values[d] >= minimum) continue;
    fail(field, d, std::to_string(values[d]), ">= " + std::to_string(minimum), "");
    good = false;
  }
  return good;
}

void Checker::equal(std::string_view field, std::optional<std::size_t> index, std::uint64_t value,
                    std::uint64_t right, const std::string& rule) {
  if (value != right) fail(field, index, std::to_string(value), std::to_string(right), rule);
}

void throw_if_any(std::vector<Violation> violations) {
  if (!violations.empty()) throw Error(ErrorCode::invalid_argument, std::move(violations));
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
