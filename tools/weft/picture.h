#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace weft::cli {

// A picture of 8-bit samples, rows from top to bottom without gaps, channels interleaved.
//
//   sample(c, y, x) = samples[(y * width + x) * channels + c]
//
// channels  1 gray, 2 gray and alpha, 3 RGB, 4 RGBA; alpha is not premultiplied
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 0;
  std::unique_ptr<std::uint8_t[]> samples = nullptr;

  std::uint64_t size_in_bytes() const { return std::uint64_t{width} * height * channels; }
};

// The most pixels a side, which is libpng's own limit, and the most bytes in all.
constexpr std::uint32_t kMaxPictureSide = 1'000'000;
constexpr std::uint64_t kMaxPictureBytes = std::uint64_t{1} << 30;

// A picture whose samples are not yet set. Throws BadInput when a side is 0 or a limit is passed;
// `what` names the picture in the message.
Picture make_picture(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                     const std::string& what);

// Reads a PNG of any colour type and bit depth: palettes become RGB, transparent colours an alpha
// channel, 16-bit samples 8-bit ones, and a gamma that the file states is converted to sRGB's.
// Throws BadInput, naming the file, for anything that is not a whole and sound PNG.
Picture read_png(const std::string& path);

// Writes a PNG to a temporary file beside `path` and renames that when all is on disk, so that
// `path` never holds half a picture. Throws BadInput, naming the file, and leaves nothing behind.
void write_png(const std::string& path, const Picture& picture);

}  // namespace weft::cli
