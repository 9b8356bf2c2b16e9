#include "conformance/conformance_case.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/npy.h"

namespace weft::conformance {

namespace {

Dims numbers(const rapidjson::Value& array) {
  Dims result;
  for (const rapidjson::Value& value : array.GetArray()) result.push_back(value.GetUint());
  return result;
}

Tensor load_tensor(const std::filesystem::path& folder, const std::string& field,
                   const rapidjson::Value& description) {
  Tensor tensor;
  tensor.field = field;
  tensor.file = folder / description["file"].GetString();
  TensorDesc& desc = tensor.desc;
  desc.data_type = parse_data_type(description["DataType"].GetString()).value_or(DataType::unknown);
  desc.sizes = numbers(description["Sizes"]);
  if (!description["Strides"].IsNull()) desc.strides = numbers(description["Strides"]);
  desc.total_size_in_bytes = description["TotalTensorSizeInBytes"].GetUint64();

  Npy array = read_npy(tensor.file);
  const std::uint64_t bytes = array.data.size();
  if (array.type != desc.data_type || bytes > desc.total_size_in_bytes ||
      bytes + 4 <= desc.total_size_in_bytes) {
    throw std::runtime_error(tensor.file.string() + ": not what case.json says");
  }
  tensor.bytes = std::move(array.data);
  tensor.bytes.resize(desc.total_size_in_bytes);
  return tensor;
}

}  // namespace

Case load_case(const std::filesystem::path& folder) {
  Case result;
  result.suite = folder.parent_path().filename().string();
  result.name = folder.filename().string();

  const std::filesystem::path path = folder / "case.json";
  const std::vector<std::byte> text = read_bytes(path);
  result.document.Parse<rapidjson::kParseFullPrecisionFlag>(
      reinterpret_cast<const char*>(text.data()), text.size());
  if (result.document.HasParseError() || result.document["format"].GetInt() != 1) {
    throw std::runtime_error(path.string() + ": not a case of format 1");
  }
  result.operator_name = result.document["operator"].GetString();
  result.atol = result.document["tolerance"]["atol"].GetDouble();
  result.rtol = result.document["tolerance"]["rtol"].GetDouble();
  for (const auto& tag : result.document["tags"].GetArray()) {
    result.tags.emplace_back(tag.GetString());
  }
  const rapidjson::Value& tensors = result.document["tensors"];
  for (const char* field : {"InputTensor", "FilterTensor", "BiasTensor"}) {
    const auto entry = result.desc().FindMember(field);
    if (entry == result.desc().MemberEnd() || entry->value.IsNull()) continue;
    result.inputs.push_back(load_tensor(folder, field, tensors[entry->value.GetString()]));
  }
  result.output =
      load_tensor(folder, "OutputTensor", tensors[result.desc()["OutputTensor"].GetString()]);
  return result;
}

std::vector<std::filesystem::path> folders(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_directory()) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace weft::conformance
