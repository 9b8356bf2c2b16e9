#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/operator.h"

namespace weft::random_cases {

// What kind of numbers the inputs hold.
enum class Values {
  plain,
  special,  // infinities, NaN, subnormals, huge numbers among them
  tiny      // of float32: products are subnormal or vanish, and only their signs are left
};
std::string_view name(Values values);

// One drawn case: an operator with all parameters, how to run it, and what to fill it with.
struct Case {
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  OperatorParams params;
  PlanOptions options;
  unsigned other_threads = 1;  // a second run uses as many and has to give the same bits
  Values values = Values::plain;
  bool large = false;   // past the tile sizes of the plans, where most cases fit one tile
  bool layer = false;   // a convolution as networks have them
  bool packed = false;  // all tensors
  std::int64_t checked_every = 1;  // of so many outputs one is held against the reference
  std::uint64_t data_seed = 0;

  // What was drawn, for the histogram: {"tensor strides", "permuted"}, ...
  std::multimap<std::string, std::string> traits;
};

// The names that --operator takes: "CONVOLUTION", "FOLD", "UNFOLD", "RESAMPLE" (and its kin),
// "ELEMENT_WISE" (and the activations).
std::span<const std::string_view> family_names();
std::string_view family_of(const OperatorParams& params);

// The case of an index: the same for the same seed and family, whatever came before. Without a
// family, the index draws one.
Case draw(std::uint64_t seed, std::uint64_t index, std::optional<std::string_view> family = {});

// The tensors, in the order of Bindings.
std::vector<std::optional<TensorDesc>> inputs_of(const OperatorParams& params);
const TensorDesc& output_of(const OperatorParams& params);

// Every parameter, readably, one a line.
std::string describe(const Case& c);

}  // namespace weft::random_cases
