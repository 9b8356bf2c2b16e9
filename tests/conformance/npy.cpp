#include "conformance/npy.h"

#include <charconv>
#include <cmath>
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

long double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const long double fraction = bits & 1023;
  const long double sign = (bits & 0x8000) != 0 ? -1.0L : 1.0L;
  if (exponent == 31) return fraction != 0 ? std::nanl("") : sign * HUGE_VALL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

template <class T>
long double read(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<long double>(value);
}

}  // namespace

ElementType element_type(std::string_view name) {
  constexpr std::pair<std::string_view, char> kinds[] = {
      {"FLOAT", 'f'}, {"INT", 'i'}, {"UINT", 'u'}};
  for (const auto& [prefix, kind] : kinds) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    for (const unsigned bits : {8u, 16u, 32u, 64u}) {
      if (digits == std::to_string(bits)) return {kind, bits / 8};
    }
  }
  throw std::runtime_error("unknown data type " + std::string(name));
}

long double element_value(ElementType type, const std::byte* element) {
  const unsigned bits = type.bytes * 8;
  if (type.kind == 'f') {
    if (bits == 64) return read<double>(element);
    if (bits == 32) return read<float>(element);
    std::uint16_t half;
    std::memcpy(&half, element, sizeof half);
    return half_value(half);
  }
  if (type.kind == 'i') {
    if (bits == 64) return read<std::int64_t>(element);
    if (bits == 32) return read<std::int32_t>(element);
    return bits == 16 ? read<std::int16_t>(element) : read<std::int8_t>(element);
  }
  if (bits == 64) return read<std::uint64_t>(element);
  if (bits == 32) return read<std::uint32_t>(element);
  return bits == 16 ? read<std::uint16_t>(element) : read<std::uint8_t>(element);
}

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
  const std::string_view type = after("'descr': ", header);
  if (type.size() < 4 || (type[1] != '<' && type[1] != '|')) fail(path, "unexpected descr");
  array.type = {type[2], static_cast<unsigned>(type[3] - '0')};
  if (!after("'fortran_order': ", header).starts_with("False")) fail(path, "not in C order");

  std::string_view shape = after("'shape': ", header);
  shape = shape.substr(0, shape.find(')'));
  std::uint64_t size = array.type.bytes;
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
  header += array.type.bytes == 1 ? '|' : '<';
  header += array.type.kind + std::to_string(array.type.bytes);
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
