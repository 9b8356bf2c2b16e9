#include <algorithm>
#include <utility>

#include "random/defects.h"
#include "support/guarded_buffer.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::random_cases {

namespace {

template <bool (*kChange)(ElementWiseParams&)>
bool changed(OperatorParams& params) {
  return kChange(std::get<ElementWiseParams>(params));
}

bool scale_and_bias_dropped(ElementWiseParams& p) {
  return std::exchange(p.function.scale_bias, std::nullopt).has_value();
}

bool scale_and_bias_exchanged(ElementWiseParams& p) {
  if (!p.function.scale_bias) return false;
  std::swap(p.function.scale_bias->scale, p.function.scale_bias->bias);
  return true;
}

bool parameters_exchanged(ElementWiseParams& p) {
  std::swap(p.function.alpha, p.function.beta);
  return !activation_field_names(p.function.type)[1].empty();
}

bool parameters_ignored(ElementWiseParams& p) {
  p.function.alpha = 1;
  p.function.beta = 1;
  return !activation_field_names(p.function.type)[0].empty();
}

bool function_dropped(ElementWiseParams& p) {
  const OperatorType before = std::exchange(p.function.type, OperatorType::element_wise_identity);
  return before != OperatorType::activation_identity &&
         before != OperatorType::element_wise_identity;
}

// SOFTSIGN for TANH, LEAKY_RELU for ELU, ...: the next function in DirectML's list.
bool wrong_function(ElementWiseParams& p) {
  const auto all = all_operator_types();
  const auto here = std::find(all.begin(), all.end(), p.function.type);
  const auto next = std::find_if(here + 1, all.end(), is_activation);
  if (next == all.end()) return false;
  p.function.type = *next;
  p.function.scale_bias.reset();
  return true;
}

bool input_strides_ignored(ElementWiseParams& p) {
  if (p.input.strides.empty()) return false;
  const std::uint64_t bytes = testing::buffer_bytes(p.input);
  p.input.strides.clear();
  return testing::buffer_bytes(p.input) <= bytes;
}

constexpr std::string_view kElementWise = "ELEMENT_WISE";

constexpr Defect kElementWiseDefects[] = {
    {kElementWise, "scale and bias dropped", changed<scale_and_bias_dropped>},
    {kElementWise, "scale and bias exchanged", changed<scale_and_bias_exchanged>},
    {kElementWise, "parameters exchanged", changed<parameters_exchanged>},
    {kElementWise, "parameters ignored", changed<parameters_ignored>},
    {kElementWise, "function dropped", changed<function_dropped>},
    {kElementWise, "wrong function", changed<wrong_function>},
    {kElementWise, "input strides ignored", changed<input_strides_ignored>},
};

bool element_left_out(const OperatorParams& params, std::byte* data) {
  const TensorDesc& desc = output_of(params);
  std::int64_t last = 0;
  testing::for_each_element(desc, [&](const testing::Coordinate&, std::int64_t at) { last = at; });
  const auto bits = testing::read_bits(desc.data_type, data + last);
  testing::write_bits(desc.data_type, data + last, ~bits);
  return true;
}

bool gap_written(const OperatorParams& params, std::byte* data) {
  const testing::ByteMarks addressed = testing::addressed_bytes(output_of(params));
  const auto gap = std::find(addressed.begin(), addressed.end(), false);
  if (gap == addressed.end()) return false;
  data[gap - addressed.begin()] ^= std::byte{1};
  return true;
}

bool written_past_the_end(const OperatorParams& params, std::byte* data) {
  data[testing::buffer_bytes(output_of(params))] ^= std::byte{1};
  return true;
}

bool written_before_the_start(const OperatorParams&, std::byte* data) {
  *(data - 1) ^= std::byte{1};
  return true;
}

constexpr Defect kWritingDefects[] = {
    {{}, "last element wrong", nullptr, nullptr, element_left_out},
    {{}, "a gap between strides written", nullptr, nullptr, gap_written},
    {{}, "a byte past the end written", nullptr, nullptr, written_past_the_end},
    {{}, "a byte before the start written", nullptr, nullptr, written_before_the_start},
};

}  // namespace

std::span<const Defect> element_wise_defects() { return kElementWiseDefects; }
std::span<const Defect> writing_defects() { return kWritingDefects; }

}  // namespace weft::random_cases
