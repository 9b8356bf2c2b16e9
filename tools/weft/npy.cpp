#include "npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "problem.h"
#include "text.h"

namespace weft::cli {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  std::string_view descr;  // without its byte order
  DataType type;
};

constexpr TypeRow types[] = {
    {"f4", DataType::float32}, {"f2", DataType::float16}, {"f8", DataType::float64},
    {"u1", DataType::uint8},   {"u2", DataType::uint16},  {"u4", DataType::uint32},
    {"u8", DataType::uint64},  {"i1", DataType::int8},    {"i2", DataType::int16},
    {"i4", DataType::int32},   {"i8", DataType::int64}};

// Reads the dictionary of a header, and says what is wrong with it.
class HeaderParser {
 public:
  HeaderParser(const std::filesystem::path& path, std::string_view text)
      : path_(path), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      bool* seen = key == "descr"           ? &have_descr
                   : key == "fortran_order" ? &have_order
                   : key == "shape"         ? &have_shape
                                            : nullptr;
      if (seen == nullptr) fail(fmt::format("unknown key {}", quote(key)));
      if (*seen) fail(fmt::format("key {} is there twice", quote(key)));
      *seen = true;
      if (seen == &have_descr) read_type(header);
      if (seen == &have_order) header.fortran_order = boolean();
      if (seen == &have_shape) header.shape = shape();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) fail("something stands after the dictionary");
    if (!have_descr) fail("key \"descr\" is missing");
    if (!have_order) fail("key \"fortran_order\" is missing");
    if (!have_shape) fail("key \"shape\" is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw BadInput(path_.string(), "broken .npy header: " + message);
  }

  void skip_space() {
    const std::size_t start = text_.find_first_not_of(" \t\n\r\f\v");
    text_.remove_prefix(std::min(start, text_.size()));
  }
  bool take(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (take(c)) return;
    fail(text_.empty() ? fmt::format("'{}' is missing at its end", c)
                       : fmt::format("'{}' is missing before {}", c, quote(text_.substr(0, 20))));
  }

  std::string_view string() {
    const char delimiter = take('\'') ? '\'' : '"';
    if (delimiter == '"') expect('"');
    const std::size_t end = text_.find(delimiter);
    if (end == std::string_view::npos) fail("a string does not end");
    const std::string_view result = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return result;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail("\"fortran_order\" must be True or False");
  }

  NpyShape shape() {
    NpyShape sizes;
    expect('(');
    while (!take(')')) {
      skip_space();
      std::uint64_t size = 0;
      const char* end = text_.data() + text_.size();
      const auto [after, error] = std::from_chars(text_.data(), end, size);
      if (error != std::errc()) {
        fail(fmt::format("{} in \"shape\" is not a size",
                         quote(text_.substr(0, text_.find_first_of(",) ")))));
      }
      text_.remove_prefix(static_cast<std::size_t>(after - text_.data()));
      sizes.push_back(size);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  void read_type(NpyHeader& header) {
    skip_space();
    if (text_.starts_with('[')) fail("structured types are not supported");
    const std::string_view descr = string();
    const char order = descr.empty() ? ' ' : descr.front();
    const auto row = std::find_if(std::begin(types), std::end(types), [&](const TypeRow& each) {
      return descr.size() == 3 && each.descr == descr.substr(1);
    });
    // '|': byte order does not matter, which is so for single bytes only.
    const bool known = row != std::end(types) && (order == '<' || order == '>' || order == '=' ||
                                                  (order == '|' && byte_size(row->type) == 1));
    if (!known) {
      fail(fmt::format("type {} is not supported: only integers and floats of 8 to 64 bits are",
                       quote(descr)));
    }
    header.type = row->type;
    header.big_endian = order == '>';
  }

  const std::filesystem::path& path_;
  std::string_view text_;
};

// The length of the header's text, after magic and version.
std::uint64_t read_header_length(InputFile& file) {
  const auto fail = [&](const std::string& message) {
    throw BadInput(file.path().string(), message);
  };
  std::array<std::byte, 8> start{};
  if (file.remaining_bytes() < start.size()) fail("not a .npy file: too short");
  file.read(start);
  if (std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) {
    fail("not a .npy file: it does not start with \\x93NUMPY");
  }
  const auto major = std::to_integer<unsigned>(start[6]);
  const auto minor = std::to_integer<unsigned>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(fmt::format(".npy version {}.{} is not supported: 1.0, 2.0 and 3.0 are", major, minor));
  }
  std::array<std::byte, 4> length{};
  const auto bytes = std::span(length).first(major == 1 ? 2 : 4);
  if (file.remaining_bytes() < bytes.size()) fail("broken .npy header: the file ends inside it");
  file.read(bytes);
  return std::bit_cast<std::uint32_t>(length);
}

// Bytes of all elements; nothing where they pass 2^64.
std::optional<std::uint64_t> checked_size(const NpyHeader& header) {
  std::uint64_t bytes = byte_size(header.type);
  for (const std::uint64_t size : header.shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes;
}

void swap_bytes(std::span<std::byte> bytes, std::size_t element_size) {
  for (; !bytes.empty(); bytes = bytes.subspan(element_size)) {
    std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(element_size));
  }
}

// Reads elements that lie first dimension fastest, a block at a time so that no second copy of the
// file is in memory, each to its place with the last dimension fastest.
void read_fortran_order(InputFile& file, const NpyHeader& header, std::span<std::byte> target) {
  const std::size_t element_size = byte_size(header.type);
  const std::size_t rank = header.shape.size();
  std::vector<std::size_t> strides(rank);  // bytes between neighbours in `target`
  std::size_t stride = element_size;
  for (std::size_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride *= header.shape[d];
  }
  std::vector<std::uint64_t> position(rank);
  std::size_t offset = 0;
  std::vector<std::byte> block(std::min<std::size_t>(target.size(), 1 << 16));
  for (std::size_t left = target.size(); left != 0;) {
    const std::span<std::byte> part = std::span(block).first(std::min(left, block.size()));
    file.read(part);
    left -= part.size();
    for (std::size_t i = 0; i < part.size(); i += element_size) {
      std::memcpy(target.data() + offset, part.data() + i, element_size);
      for (std::size_t d = 0; d < rank; ++d) {
        offset += strides[d];
        if (++position[d] < header.shape[d]) break;
        offset -= strides[d] * header.shape[d];
        position[d] = 0;
      }
    }
  }
}

}  // namespace

NpyHeader read_npy_header(InputFile& file) {
  const auto fail = [&](const std::string& message) {
    throw BadInput(file.path().string(), message);
  };
  const std::uint64_t length = read_header_length(file);
  constexpr std::uint64_t kLongest = 1 << 20;  // NumPy's own are 118 bytes long
  if (length > file.remaining_bytes()) {
    fail(fmt::format("broken .npy header: it says it has {} bytes, the file has {} left", length,
                     file.remaining_bytes()));
  }
  if (length > kLongest) fail("broken .npy header: longer than 1 MiB");
  std::string text(length, '\0');
  file.read(std::as_writable_bytes(std::span(text)));

  NpyHeader header = HeaderParser(file.path(), text).parse();
  constexpr std::size_t kMaxRank = 32;  // NumPy's own limit
  if (header.shape.size() > kMaxRank) fail("broken .npy header: more than 32 dimensions");
  const auto size = checked_size(header);
  const std::string what = fmt::format(
      "{} {}", header.shape.empty() ? "scalar" : fmt::format("{}", fmt::join(header.shape, "x")),
      name(header.type));
  if (!size) fail(fmt::format("broken .npy header: {} passes 2^64 bytes", what));
  if (*size == 0) fail(fmt::format("{} has no elements", what));
  if (*size > file.remaining_bytes()) {
    fail(fmt::format("{} needs {}, the file has {} after its header", what, counted(*size, "byte"),
                     file.remaining_bytes()));
  }
  if (*size < file.remaining_bytes()) {
    fail(fmt::format("{} takes {}, the file has {} after its header", what, counted(*size, "byte"),
                     file.remaining_bytes()));
  }
  header.element_count = *size / byte_size(header.type);
  return header;
}

void read_npy_elements(InputFile& file, const NpyHeader& header, std::span<std::byte> target) {
  if (header.fortran_order) {
    read_fortran_order(file, header, target);
  } else {
    file.read(target);
  }
  if (header.big_endian) swap_bytes(target, byte_size(header.type));
}

void write_npy(const std::filesystem::path& path, DataType type, const NpyShape& shape,
               std::span<const std::byte> elements) {
  const auto row = std::find_if(std::begin(types), std::end(types),
                                [&](const TypeRow& each) { return each.type == type; });
  std::string dictionary =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  byte_size(type) == 1 ? '|' : '<', row->descr, fmt::join(shape, ", "),
                  shape.size() == 1 ? "," : "");
  // Magic, version, length, dictionary and a final newline fill a multiple of 64 bytes.
  constexpr std::size_t kFixed = 10;
  const std::size_t used = kFixed + dictionary.size() + 1;
  dictionary.append((64 - used % 64) % 64, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff),
             static_cast<char>(dictionary.size() >> 8)};
  header += dictionary;
  const std::array<std::span<const std::byte>, 2> parts = {std::as_bytes(std::span(header)),
                                                           elements};
  write_file(path, parts);
}

}  // namespace weft::cli
