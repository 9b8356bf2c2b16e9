#include "dml/feature_level.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "com/fault.h"
#include "dml/operator_tensors.h"

namespace weft::dml {

namespace {

constexpr std::array<FeatureLevel, 15> levels = {0x1000, 0x2000, 0x2100, 0x3000, 0x3100,
                                                 0x4000, 0x4100, 0x5000, 0x5100, 0x5200,
                                                 0x6000, 0x6100, 0x6200, 0x6300, 0x6400};

using TypeSet = std::uint32_t;

constexpr TypeSet bit(DataType type) { return TypeSet{1} << static_cast<unsigned>(type); }

constexpr TypeSet kFloats = bit(DataType::float32) | bit(DataType::float16);
constexpr TypeSet kInts = bit(DataType::int32) | bit(DataType::int16) | bit(DataType::int8);
constexpr TypeSet kUints = bit(DataType::uint32) | bit(DataType::uint16) | bit(DataType::uint8);
constexpr TypeSet kInts64 = bit(DataType::int64) | bit(DataType::uint64);
constexpr TypeSet kBytes = bit(DataType::int8) | bit(DataType::uint8);
constexpr TypeSet kAll = kFloats | kInts | kUints | kInts64 | bit(DataType::float64);

// What a kind of operator takes from a level on, up to its next row.
struct Row {
  FeatureLevel level;
  std::size_t min_rank;
  std::size_t max_rank;
  TypeSet types;
};

// Source: the table at the end of each operator's page. docs/operators.md has the last rows.
constexpr Row identity[] = {{0x1000, 4, 5, kFloats},
                            {0x2100, 4, 5, kFloats | kInts | kUints},
                            {0x3000, 1, 8, kFloats | kInts | kUints},
                            {0x4100, 1, 8, kAll}};
constexpr Row clip[] = {{0x1000, 4, 4, kFloats},
                        {0x2100, 4, 4, kFloats | kInts | kUints},
                        {0x3000, 1, 8, kFloats | kInts | kUints},
                        {0x5000, 1, 8, kFloats | kInts | kUints | kInts64}};
constexpr Row activation[] = {
    {0x1000, 4, 4, kFloats}, {0x2000, 4, 5, kFloats}, {0x3000, 1, 8, kFloats}};
constexpr Row relu[] = {{0x1000, 4, 4, kFloats},
                        {0x2000, 4, 5, kFloats},
                        {0x3000, 1, 8, kFloats},
                        {0x5100, 1, 8, kFloats | kInts}};
constexpr Row shrink[] = {
    {0x2000, 4, 5, kFloats}, {0x3000, 1, 8, kFloats}, {0x5100, 1, 8, kFloats | kInts | kUints}};
constexpr Row celu[] = {{0x3000, 1, 8, kFloats}};
constexpr Row gelu[] = {{0x5100, 1, 8, kFloats}};
constexpr Row convolution[] = {{0x1000, 4, 5, kFloats}, {0x4000, 3, 5, kFloats}};
constexpr Row resample[] = {
    {0x2000, 4, 4, kFloats}, {0x5100, 1, 4, kFloats}, {0x6200, 1, 4, kFloats | kBytes}};
constexpr Row resample1[] = {
    {0x2100, 4, 4, kFloats}, {0x5100, 1, 4, kFloats}, {0x6200, 1, 4, kFloats | kBytes}};
constexpr Row resample2[] = {{0x5100, 1, 4, kFloats}, {0x6200, 1, 4, kFloats | kBytes}};
constexpr Row resample3[] = {{0x6400, 1, 4, kFloats | kBytes}};
constexpr Row windows[] = {{0x6400, 3, 8, kAll}};

std::span<const Row> rows(OperatorType type) noexcept {
  switch (type) {
    case OperatorType::element_wise_identity:
      return identity;
    case OperatorType::element_wise_clip:
      return clip;
    case OperatorType::activation_relu:
      return relu;
    case OperatorType::activation_shrink:
      return shrink;
    case OperatorType::activation_celu:
      return celu;
    case OperatorType::activation_gelu:
      return gelu;
    case OperatorType::convolution:
      return convolution;
    case OperatorType::resample:
      return resample;
    case OperatorType::resample1:
      return resample1;
    case OperatorType::resample2:
      return resample2;
    case OperatorType::resample3:
      return resample3;
    case OperatorType::fold:
    case OperatorType::unfold:
      return windows;
    default:
      return activation;
  }
}

// The last row that the level has reached; null: the operator is younger.
const Row* row_at(OperatorType type, FeatureLevel level) noexcept {
  const Row* found = nullptr;
  for (const Row& row : rows(type)) {
    if (row.level <= level) found = &row;
  }
  return found;
}

class LevelCheck {
 public:
  LevelCheck(const OperatorParams& params, FeatureLevel level)
      : params_(params), level_(level), type_(type_of(params)) {}

  void run() {
    const Row* row = row_at(type_, level_);
    if (!row) {
      throw Error(ErrorCode::unsupported, std::string(name(type_)) + " needs feature level " +
                                              feature_level_text(rows(type_).front().level) +
                                              ", the device has " + feature_level_text(level_));
    }
    const OperatorTensors tensors = tensors_of(params_);
    for (const auto& tensor : tensors.inputs()) check(tensor, *row);
    check(tensors.output, *row);
    if (const auto* convolution = std::get_if<ConvolutionParams>(&params_)) {
      if (convolution->fused_activation) check_fused(*convolution->fused_activation);
    } else if (const auto* element_wise = std::get_if<ElementWiseParams>(&params_)) {
      check_steepness("", element_wise->function);
    }
    if (!violations_.empty()) throw Error(ErrorCode::invalid_argument, std::move(violations_));
  }

 private:
  void fail(std::string field, std::string value, std::string right) {
    violations_.push_back({std::string(name(type_)), std::move(field), std::nullopt,
                           std::move(value), "feature level " + feature_level_text(level_),
                           std::move(right)});
  }

  void check(const OperatorTensors::Tensor& tensor, const Row& row) {
    if (!tensor.desc) return;
    const std::string field(tensor.name);
    const std::size_t rank = tensor.desc->sizes.size();
    if (rank < row.min_rank || rank > row.max_rank) {
      fail(field + ".DimensionCount", std::to_string(rank),
           row.min_rank == row.max_rank
               ? std::to_string(row.min_rank)
               : std::to_string(row.min_rank) + " to " + std::to_string(row.max_rank));
    }
    if ((row.types & bit(tensor.desc->data_type)) == 0) {
      fail(field + ".DataType", std::string(name(tensor.desc->data_type)), type_list(row.types));
    }
  }

  // CLIP became fusable at 6_0; every other function when it came.
  void check_fused(const Activation& fused) {
    const FeatureLevel first =
        fused.type == OperatorType::element_wise_clip ? 0x6000 : rows(fused.type).front().level;
    if (level_ < first) {
      fail("FusedActivation.Type", std::string(name(fused.type)),
           "a function that can be fused; this one needs " + feature_level_text(first));
    }
    check_steepness("FusedActivation.", fused);
  }

  void check_steepness(const char* prefix, const Activation& f) {
    if (f.type == OperatorType::activation_softplus && f.alpha < 1 && level_ < 0x6400) {
      fail(std::string(prefix) + "Steepness", std::to_string(f.alpha), ">= 1");
    }
  }

  static std::string type_list(TypeSet types) {
    std::string list;
    for (unsigned t = 1; t <= static_cast<unsigned>(DataType::int64); ++t) {
      if ((types & bit(static_cast<DataType>(t))) == 0) continue;
      list += list.empty() ? "one of " : ", ";
      list += name(static_cast<DataType>(t));
    }
    return list;
  }

  const OperatorParams& params_;
  FeatureLevel level_;
  OperatorType type_;
  std::vector<Violation> violations_;
};

}  // namespace

FeatureLevel device_feature_level() noexcept {
  const FeatureLevel asked_for = com::fault_feature_level();
  if (asked_for == 0) return kHighestFeatureLevel;
  FeatureLevel level = levels.front();
  for (const FeatureLevel each : levels) {
    if (each <= asked_for) level = each;
  }
  return level;
}

bool is_feature_level(std::uint32_t number) noexcept {
  return std::find(levels.begin(), levels.end(), number) != levels.end();
}

std::string feature_level_text(FeatureLevel level) {
  return std::to_string(level >> 12) + "_" + std::to_string(level >> 8 & 15);
}

void check_feature_level(const OperatorParams& params, FeatureLevel level) {
  if (level < kHighestFeatureLevel) LevelCheck(params, level).run();
}

bool supports_data_type(DataType type, FeatureLevel level) noexcept {
  const std::span<const OperatorType> types = all_operator_types();
  return std::any_of(types.begin(), types.end(), [&](OperatorType each) {
    const Row* row = row_at(each, level);
    return row && (row->types & bit(type)) != 0;
  });
}

}  // namespace weft::dml
