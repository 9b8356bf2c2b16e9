#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::testing {

// What a PNG's header says. colour_type: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
struct PngHeader {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint8_t bit_depth = 8;
  std::uint8_t colour_type = 0;
  std::uint8_t interlace = 0;
};

// The bytes of a PNG made by hand, so that nothing has to be right: `rows` are compressed as they
// are, each with its leading filter byte; `before_data` goes between header and data.
std::string png_bytes(const PngHeader& header, const std::string& rows,
                      const std::string& before_data = {});

// One chunk with its length and checksum.
std::string png_chunk(const std::string& type, const std::string& content);

// Rows of 8-bit samples as png_bytes() takes them.
std::string png_rows(const std::vector<std::vector<int>>& rows);

// A PNG file as 8-bit samples, as libpng reads it.
struct PngPixels {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 0;
  std::vector<int> samples = {};
  bool operator==(const PngPixels&) const = default;
};
PngPixels read_pixels(const std::filesystem::path& path);

}  // namespace weft::testing
