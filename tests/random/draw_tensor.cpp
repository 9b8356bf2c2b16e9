#include "random/draw_tensor.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace weft::random_cases {

namespace {

// Strides of a packed tensor whose dimensions lie in `order` (slowest first), each dimension with
// up to `gap` elements left free.
Dims strides_in_order(Dice& dice, const Dims& sizes, const std::vector<std::size_t>& order,
                      std::uint32_t gap) {
  Dims strides(sizes.size());
  std::uint32_t stride = gap == 0 ? 1 : dice.between(1, 1 + gap);
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = stride * sizes[order[i]] + (gap == 0 ? 0 : dice.between(0, gap));
  }
  return strides;
}

std::vector<std::size_t> shuffled(Dice& dice, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[dice.bits() % i]);
  return order;
}

std::string_view draw_strides(Dice& dice, TensorDesc& desc, Role role) {
  const std::size_t rank = desc.sizes.size();
  std::vector<std::size_t> in_order(rank);
  std::iota(in_order.begin(), in_order.end(), 0);
  const std::uint32_t kind = dice.between(0, role == Role::input ? 14 : 10);
  if (kind <= 2) return "none (packed)";
  if (kind == 3) {
    desc.strides = strides_in_order(dice, desc.sizes, in_order, 0);
    return "packed";
  }
  if (kind <= 5) {
    desc.strides = strides_in_order(dice, desc.sizes, shuffled(dice, rank), 0);
    return "permuted";
  }
  if (kind == 6) {
    desc.strides = strides_in_order(dice, desc.sizes, in_order, 3);
    return "gaps";
  }
  if (kind <= 8) {
    desc.strides = strides_in_order(dice, desc.sizes, shuffled(dice, rank), 3);
    return "permuted, gaps";
  }
  if (kind == 9) {
    Dims whole = desc.sizes;  // the tensor is a part of
    whole[dice.bits() % rank] += dice.between(1, 20);
    desc.strides = *packed_strides(whole);
    return "a part of a larger tensor";
  }
  if (kind == 10) {
    if (rank > 1) std::rotate(in_order.begin() + 1, in_order.begin() + 2, in_order.end());
    desc.strides = strides_in_order(dice, desc.sizes, in_order, dice.pick({0u, 0u, 3u}));
    return "channels last";
  }
  if (kind == 11) {
    Dims sizes = desc.sizes;
    const std::size_t repeating = dice.bits() % rank;
    sizes[repeating] = 1;
    desc.strides = *packed_strides(sizes);
    desc.strides[repeating] = 0;
    return "repeating (0) in one dimension";
  }
  if (kind <= 13) {
    const std::uint32_t gap = dice.between(0, 2);
    desc.strides = strides_in_order(dice, desc.sizes, shuffled(dice, rank), gap);
    for (std::uint32_t& stride : desc.strides) {
      if (dice.chance(0.4)) stride = 0;
    }
    desc.strides[dice.bits() % rank] = 0;
    return "repeating (0)";
  }
  for (std::size_t d = 0; d < rank; ++d) desc.strides.push_back(dice.between(0, 3));
  return "overlapping";
}

}  // namespace

TensorDesc draw_tensor(Case& c, Dice& dice, std::string_view name, DataType type, Dims sizes,
                       Role role) {
  TensorDesc desc;
  desc.data_type = type;
  desc.sizes = std::move(sizes);
  const std::string_view kind = c.packed ? "none (packed)" : draw_strides(dice, desc, role);
  c.traits.emplace("strides of " + std::string(name), kind);
  // Nothing is ever a stride of 1 away from itself: any stride will do where the size is 1.
  for (std::size_t d = 0; d < desc.strides.size(); ++d) {
    if (desc.sizes[d] == 1 && dice.chance(0.1)) {
      desc.strides[d] = dice.pick({0u, 7u, std::numeric_limits<std::uint32_t>::max()});
    }
  }
  if (dice.chance(0.2)) {
    const bool exact = dice.chance(0.5);
    desc.total_size_in_bytes = *minimum_size_in_bytes(desc) + (exact ? 0 : dice.between(1, 40));
    c.traits.emplace("total size", exact ? "minimum" : "larger than needed");
  }
  if (dice.chance(0.1)) desc.guaranteed_base_offset_alignment = dice.pick({8u, 16u, 256u});
  if (role == Role::input && dice.chance(0.1)) desc.owned_by_dml = true;
  return desc;
}

void leave_out_defaults(Dice& dice, std::initializer_list<Dims*> arrays, std::uint32_t fallback) {
  for (Dims* values : arrays) {
    if (*values == Dims(values->size(), fallback) && dice.chance(0.5)) values->clear();
  }
}

Activation draw_activation(Dice& dice, OperatorType type, DataType data_type) {
  Activation f{.type = type};
  f.alpha = dice.real(-2, 2);
  f.beta = dice.real(-2, 2);
  const bool integer = data_type != DataType::float32 && data_type != DataType::float16;
  using enum OperatorType;
  if (type == activation_softplus) {
    f.alpha = dice.pick({0.01f, 0.5f, 1.0f, 3.0f, dice.real(0.1, 20)});
  } else if (type == activation_celu) {
    while (f.alpha == 0) f.alpha = dice.real(-2, 2);
  } else if (type == activation_shrink) {
    f.beta = dice.real(-0.2, 1);
  }
  if (integer && dice.chance(0.7)) {
    f.alpha *= 40;
    f.beta *= 40;
  }
  if (type == element_wise_clip) {
    if (dice.chance(0.9) && f.alpha > f.beta) std::swap(f.alpha, f.beta);
    if (dice.chance(0.1)) f.alpha = -std::numeric_limits<float>::infinity();
    if (dice.chance(0.1)) f.beta = std::numeric_limits<float>::max();
  }
  if (dice.chance(0.05)) f.alpha = dice.pick({0.0f, 1.0f, -1.0f, 1e-30f, 1e30f});
  if (dice.chance(0.05)) f.beta = dice.pick({0.0f, 1.0f, -1.0f, 1e-30f, 1e30f});
  if (type == activation_celu && f.alpha == 0) f.alpha = 1;
  if (type == activation_softplus && !(f.alpha > 0)) f.alpha = 1;

  const auto names = activation_field_names(type);
  if (names[0].empty()) f.alpha = 0;
  if (names[1].empty()) f.beta = 0;
  const bool scalable = type == element_wise_clip || type == element_wise_identity;
  if (scalable && byte_size(data_type) < 8 && dice.chance(0.5)) {
    f.scale_bias = ScaleBias{dice.real(-3, 3), dice.real(-3, 3)};
  }
  return f;
}

}  // namespace weft::random_cases
