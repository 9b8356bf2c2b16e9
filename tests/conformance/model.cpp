#include "conformance/model.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace weft::conformance {

namespace {

using rapidjson::Document;
using rapidjson::Value;

// Builds a model in one document, whose memory all its values share.
class ModelBuilder {
 public:
  ModelBuilder() : memory_(model_.GetAllocator()) { model_.SetObject(); }

  void resource(const Tensor& tensor, const std::filesystem::path& file) {
    Value source(rapidjson::kObjectType);
    source.AddMember("sourcePath", text(file.string()), memory_);
    Value entry(rapidjson::kObjectType);
    entry.AddMember("initialValues", source, memory_);
    resources_.AddMember(text(tensor.field), entry, memory_);
    bindings_.AddMember(text(tensor.field), text(tensor.field), memory_);
  }

  // The case's desc as it is, but with each tensor in place of its name, and without what is null.
  void dispatch(const Case& test) {
    Value desc(rapidjson::kObjectType);
    for (const auto& member : test.desc().GetObject()) {
      if (!member.value.IsNull()) {
        desc.AddMember(Value(member.name, memory_), Value(member.value, memory_), memory_);
      }
    }
    for (const Tensor& tensor : test.inputs) desc[tensor.field.c_str()] = tensor_desc(tensor.desc);
    desc[test.output.field.c_str()] = tensor_desc(test.output.desc);

    Value dispatchable(rapidjson::kObjectType);
    dispatchable.AddMember("type", text("DML_OPERATOR_" + test.operator_name), memory_);
    dispatchable.AddMember("desc", desc, memory_);
    dispatchables_.AddMember("operator", dispatchable, memory_);

    Value command(rapidjson::kObjectType);
    command.AddMember("type", "dispatch", memory_);
    command.AddMember("dispatchable", "operator", memory_);
    command.AddMember("bindings", bindings_, memory_);
    commands_.PushBack(command, memory_);
  }

  void write_file(const std::filesystem::path& target) {
    Value command(rapidjson::kObjectType);
    command.AddMember("type", "writeFile", memory_);
    command.AddMember("resource", "OutputTensor", memory_);
    command.AddMember("targetPath", text(target.string()), memory_);
    commands_.PushBack(command, memory_);
  }

  void expect(const std::filesystem::path& source, double atol, double rtol) {
    Value command(rapidjson::kObjectType);
    command.AddMember("type", "expect", memory_);
    command.AddMember("resource", "OutputTensor", memory_);
    command.AddMember("sourcePath", text(source.string()), memory_);
    command.AddMember("atol", atol, memory_);
    command.AddMember("rtol", rtol, memory_);
    commands_.PushBack(command, memory_);
  }

  std::string json() {
    model_.AddMember("resources", resources_, memory_);
    model_.AddMember("dispatchables", dispatchables_, memory_);
    model_.AddMember("commands", commands_, memory_);
    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
    model_.Accept(writer);
    return buffer.GetString();
  }

 private:
  Value text(const std::string& string) { return Value(string.c_str(), memory_); }

  Value numbers(const Dims& values) {
    Value array(rapidjson::kArrayType);
    for (const std::uint32_t value : values) array.PushBack(value, memory_);
    return array;
  }

  Value tensor_desc(const TensorDesc& tensor) {
    Value desc(rapidjson::kObjectType);
    desc.AddMember("DataType", text(std::string(name(tensor.data_type))), memory_);
    desc.AddMember("Sizes", numbers(tensor.sizes), memory_);
    if (!tensor.strides.empty()) desc.AddMember("Strides", numbers(tensor.strides), memory_);
    desc.AddMember("TotalTensorSizeInBytes", tensor.total_size_in_bytes, memory_);
    return desc;
  }

  Document model_;
  Document::AllocatorType& memory_;
  Value resources_{rapidjson::kObjectType};
  Value dispatchables_{rapidjson::kObjectType};
  Value bindings_{rapidjson::kObjectType};
  Value commands_{rapidjson::kArrayType};
};

}  // namespace

std::string model_of(const Case& test, const ModelFiles& files) {
  ModelBuilder model;
  for (const Tensor& tensor : test.inputs) model.resource(tensor, tensor.file);
  model.resource(test.output, files.initial);
  model.dispatch(test);
  model.write_file(files.result);
  model.write_file(files.raw);
  model.expect(files.expected, test.atol, test.rtol);
  return model.json();
}

}  // namespace weft::conformance
