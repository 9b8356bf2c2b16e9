#include "api/sample.h"

#include <cstring>

#include "support/number.h"

namespace weft::api_tests {

namespace {

using enum DataType;

ConvolutionParams forward(DataType type) {
  return {.input = {.data_type = type, .sizes = {2, 6, 19, 21}},
          .filter = {.data_type = type, .sizes = {8, 6, 3, 3}},
          .bias = TensorDesc{.data_type = type, .sizes = {1, 8, 1, 1}},
          .output = {.data_type = type, .sizes = {2, 8, 10, 21}},
          .strides = {2, 1},
          .start_padding = {1, 1},
          .end_padding = {1, 1},
          .fused_activation = Activation{.type = OperatorType::activation_elu, .alpha = 0.5f}};
}

ConvolutionParams backward(DataType type) {
  return {.input = {.data_type = type, .sizes = {2, 6, 9, 11}},
          .filter = {.data_type = type, .sizes = {6, 4, 3, 3}},
          .output = {.data_type = type, .sizes = {2, 8, 19, 24}},
          .direction = ConvolutionDirection::backward,
          .strides = {2, 2},
          .group_count = 2};
}

ConvolutionParams depthwise() {
  return {.input = {.sizes = {3, 16, 20, 20}},
          .filter = {.sizes = {16, 1, 3, 3}},
          .output = {.sizes = {3, 16, 16, 16}},
          .mode = ConvolutionMode::convolution,
          .dilations = {2, 2},
          .group_count = 16};
}

UnfoldParams unfold(DataType type) {
  return {.input = {.data_type = type, .sizes = {2, 3, 20, 17}},
          .output = {.data_type = type, .sizes = {2, 27, 400}},
          .window_sizes = {3, 3},
          .dilations = {1, 2},
          .start_padding = {1, 3},
          .end_padding = {1, 4}};
}

FoldParams fold(DataType type) {
  return {.input = {.data_type = type, .sizes = {2, 27, 400}},
          .output = {.data_type = type, .sizes = {2, 3, 20, 17}},
          .window_sizes = {3, 3},
          .dilations = {1, 2},
          .start_padding = {1, 3},
          .end_padding = {1, 4}};
}

ResampleParams resample(OperatorType type, InterpolationMode mode, DataType data_type) {
  return {.type = type,
          .input = {.data_type = data_type, .sizes = {2, 3, 20, 17}},
          .output = {.data_type = data_type, .sizes = {2, 3, 31, 12}},
          .interpolation_mode = mode,
          .scales = {1, 1, 1.55f, 0.7f}};
}

// The output has its channels innermost, and gaps between its images.
ElementWiseParams element_wise(OperatorType type, DataType data_type) {
  const bool shrink = type == OperatorType::activation_shrink;
  return {.input = {.data_type = data_type, .sizes = {3, 5, 31, 17}},
          .output = {.data_type = data_type,
                     .sizes = {3, 5, 31, 17},
                     .strides = {5 * 31 * 17 + 9, 1, 5 * 17, 5}},
          .function = {.type = type, .alpha = shrink ? 0.25f : 0.5f, .beta = 0.75f}};
}

std::string label(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text += '_';
    text += part;
  }
  return text;
}

std::vector<Sample> make_samples() {
  std::vector<Sample> list = {
      {"convolution_forward_f32", forward(float32)},
      {"convolution_forward_f16", forward(float16)},
      {"convolution_backward_f32", backward(float32)},
      {"convolution_backward_f16", backward(float16)},
      {"convolution_depthwise_f32", depthwise()},
  };
  for (const DataType type : operator_support(OperatorType::fold).data_types) {
    list.push_back({label({"unfold", name(type)}), unfold(type)});
    list.push_back({label({"fold", name(type)}), fold(type)});
  }
  for (const OperatorType type : {OperatorType::resample, OperatorType::resample1,
                                  OperatorType::resample2, OperatorType::resample3}) {
    for (const DataType data_type : operator_support(type).data_types) {
      list.push_back({label({name(type), "nearest", name(data_type)}),
                      resample(type, InterpolationMode::nearest_neighbor, data_type)});
      list.push_back({label({name(type), "linear", name(data_type)}),
                      resample(type, InterpolationMode::linear, data_type)});
    }
  }
  ResampleParams antialiased =
      resample(OperatorType::resample3, InterpolationMode::linear, float32);
  antialiased.antialiased = true;
  list.push_back({"RESAMPLE3_antialiased_FLOAT32", antialiased});
  for (const OperatorType type : all_operator_types()) {
    if (!is_activation(type)) continue;
    for (const DataType data_type : operator_support(type).data_types) {
      list.push_back({label({name(type), name(data_type)}), element_wise(type, data_type)});
    }
  }
  return list;
}

// Numbers between -2 and 2 for the float types, any bits for integers.
void fill(const TensorDesc& desc, const testing::GuardedMemory& memory, std::uint64_t seed) {
  const unsigned bytes = byte_size(desc.data_type);
  for (std::size_t at = 0; at + bytes <= memory.size(); at += bytes) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::byte* element = memory.as<std::byte>() + at;
    if (testing::is_float(desc.data_type)) {
      testing::write_real(desc.data_type, element, static_cast<double>(seed >> 40) * 0x1p-22 - 2);
    } else {
      testing::write_bits(desc.data_type, element, seed >> 20);
    }
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Sample& sample) { return out << sample.name; }

const std::vector<Sample>& samples() {
  static const std::vector<Sample> list = make_samples();
  return list;
}

std::string sample_name(const ::testing::TestParamInfo<Sample>& info) { return info.param.name; }

RunMemory::RunMemory(const Plan& plan)
    : workspace_(plan.workspace_size_in_bytes()), prepared_(plan.prepared_size_in_bytes()) {
  std::uint64_t seed = 1;
  for (const std::optional<TensorDesc>& desc : plan.inputs()) {
    if (!desc) {
      inputs.emplace_back();
      continue;
    }
    const testing::GuardedMemory& memory = memory_.emplace_back(*minimum_size_in_bytes(*desc));
    fill(*desc, memory, seed++);
    inputs.emplace_back(memory.data(), memory.size());
  }
  for (const std::optional<TensorDesc>& desc : plan.outputs()) {
    const testing::GuardedMemory& memory = memory_.emplace_back(*minimum_size_in_bytes(*desc));
    std::memset(memory.data(), 0x5A, memory.size());
    outputs.push_back({memory.data(), memory.size()});
  }
  workspace = workspace_.buffer();
  fill_workspace(0x5A);
  if (plan.prepared_size_in_bytes() != 0) {
    plan.prepare(inputs[1], prepared_.buffer());
    prepared = prepared_.buffer();
  }
}

std::vector<std::byte> RunMemory::output() const {
  const auto* bytes = static_cast<const std::byte*>(memory_.back().data());
  return {bytes, bytes + memory_.back().size()};
}

void RunMemory::fill_workspace(unsigned char value) {
  if (workspace_.data() != nullptr) {
    std::memset(workspace_.data(), value, workspace_.buffer().size_in_bytes);
  }
}

std::vector<std::byte> output_of(const Plan& plan) {
  RunMemory memory(plan);
  EXPECT_EQ(plan.run(memory.bindings(), memory.workspace), ErrorCode::ok);
  return memory.output();
}

}  // namespace weft::api_tests
