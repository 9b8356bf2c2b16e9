#include "model.h"

#include <fmt/format.h>

namespace weft::cli {

std::vector<TensorField> tensor_fields(const OperatorParams& params) {
  return std::visit(
      []<class Params>(const Params& p) {
        std::vector<TensorField> fields{{"InputTensor", &p.input, false}};
        if constexpr (std::is_same_v<Params, ConvolutionParams>) {
          fields.push_back({"FilterTensor", &p.filter, false});
          fields.push_back({"BiasTensor", p.bias ? &*p.bias : nullptr, false});
        }
        fields.push_back({"OutputTensor", &p.output, true});
        return fields;
      },
      params);
}

std::string describe(const Command& command, const Model& model) {
  const auto resource = [&](std::size_t index) -> const std::string& {
    return model.resources[index].name;
  };
  struct Describe {
    decltype(resource)& name;
    const Model& model;

    std::string operator()(const DispatchCommand& c) const {
      std::string text = "dispatch " + model.dispatchables[c.dispatchable].name + ":";
      for (const auto& [tensor, binding] : c.bindings) {
        text += fmt::format("{} {} = {}", text.back() == ':' ? "" : ",", tensor,
                            name(binding.resource));
      }
      return text;
    }
    std::string operator()(const PrintCommand& c) const { return "print " + name(c.resource); }
    std::string operator()(const WriteFileCommand& c) const {
      return fmt::format("writeFile {} to {}", name(c.resource), c.path.string());
    }
    std::string operator()(const ExpectCommand& c) const {
      return fmt::format("expect {} (atol {}, rtol {})", name(c.resource), c.atol, c.rtol);
    }
  };
  return std::visit(Describe{resource, model}, command.action);
}

}  // namespace weft::cli
