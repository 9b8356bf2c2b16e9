#include "conformance/conformance_case.h"

#include <algorithm>
#include <stdexcept>

namespace weft::conformance {

namespace {

std::vector<std::uint32_t> numbers(const rapidjson::Value& array) {
  std::vector<std::uint32_t> result;
  for (const rapidjson::Value& value : array.GetArray()) result.push_back(value.GetUint());
  return result;
}

Tensor load_tensor(const std::filesystem::path& folder, const std::string& field,
                   const rapidjson::Value& description) {
  Tensor tensor;
  tensor.field = field;
  tensor.data_type = description["DataType"].GetString();
  tensor.type = element_type(tensor.data_type);
  tensor.sizes = numbers(description["Sizes"]);
  tensor.packed = description["Strides"].IsNull();
  if (!tensor.packed) tensor.strides = numbers(description["Strides"]);
  tensor.total_size_in_bytes = description["TotalTensorSizeInBytes"].GetUint64();
  tensor.file = folder / description["file"].GetString();

  Npy array = read_npy(tensor.file);
  const std::uint64_t bytes = array.data.size();
  if (array.type != tensor.type || bytes > tensor.total_size_in_bytes ||
      bytes + 4 <= tensor.total_size_in_bytes) {
    throw std::runtime_error(tensor.file.string() + ": not what case.json says");
  }
  tensor.bytes = std::move(array.data);
  tensor.bytes.resize(tensor.total_size_in_bytes);
  return tensor;
}

}  // namespace

std::vector<std::uint64_t> Tensor::element_strides() const {
  if (!packed) return {strides.begin(), strides.end()};
  std::vector<std::uint64_t> result(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) result[d - 1] = result[d] * sizes[d];
  return result;
}

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
