#include "conformance/npy.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace weft::conformance {

namespace {

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw std::runtime_error(path.string() + ": " + what);
}

// The text that follows `key` in a header.
std::string_view after(std::string_view key, std::string_view header) {
  const std::size_t at = header.find(key);
  return at == std::string_view::npos ? std::string_view() : header.substr(at + key.size());
}

// Byte order, kind and size of each data type as .npy writes them.
constexpr std::pair<DataType, std::string_view> kDescriptions[] = {
    {DataType::float64, "<f8"}, {DataType::float32, "<f4"}, {DataType::float16, "<f2"},
    {DataType::int64, "<i8"},   {DataType::int32, "<i4"},   {DataType::int16, "<i2"},
    {DataType::int8, "|i1"},    {DataType::uint64, "<u8"},  {DataType::uint32, "<u4"},
    {DataType::uint16, "<u2"},  {DataType::uint8, "|u1"}};

std::string_view description(DataType type) {
  for (const auto& [known, text] : kDescriptions) {
    if (known == type) return text;
  }
  throw std::runtime_error("no .npy has this data type");
}

DataType type_of(std::string_view text, const std::filesystem::path& path) {
  for (const auto& [type, known] : kDescriptions) {
    if (text.starts_with(known)) return type;
  }
  fail(path, "unexpected descr");
}

}  // namespace

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be opened");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

Npy read_npy(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_bytes(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || text.size() < 10) fail(path, "not a .npy file of version 1.0");
  const std::size_t length =
      static_cast<unsigned char>(text[8]) + 256u * static_cast<unsigned char>(text[9]);
  if (text.size() < 10 + length) fail(path, "the header is cut off");
  const std::string_view header = text.substr(10, length);

  Npy array;
  array.type = type_of(after("'descr': '", header), path);
  if (!after("'fortran_order': ", header).starts_with("False")) fail(path, "not in C order");

  std::string_view shape = after("'shape': ", header);
  shape = shape.substr(0, shape.find(')'));
  std::uint64_t size = byte_size(array.type);
  for (std::size_t i = 1; i < shape.size();) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(shape.data() + i, shape.data() + shape.size(), value);
    if (error != std::errc{}) fail(path, "unexpected shape");
    array.shape.push_back(value);
    size *= value;
    i = shape.find_first_of("0123456789", static_cast<std::size_t>(end - shape.data()));
  }
  array.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(10 + length), bytes.end());
  if (array.data.size() != size) fail(path, "the data is not as long as the shape says");
  return array;
}

void write_npy(const std::filesystem::path& path, const Npy& array) {
  std::string header = "{'descr': '";
  header += description(array.type);
  header += "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t size : array.shape) header += std::to_string(size) + ", ";
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';

  std::ofstream file(path, std::ios::binary);
  file << kMagic << static_cast<char>(header.size() % 256) << static_cast<char>(header.size() / 256)
       << header;
  file.write(reinterpret_cast<const char*>(array.data.data()),
             static_cast<std::streamsize>(array.data.size()));
  if (!file.flush()) fail(path, "cannot be written");
}

}  // namespace weft::conformance
