#pragma once

#include <cstdint>
#include <string>

#include "memory.h"

namespace weft::cli {

// A picture of 8-bit samples, rows from top to bottom without gaps, channels interleaved.
//
//   sample(c, y, x) = samples.bytes()[(y * width + x) * channels + c]
//
// channels  1 gray, 2 gray and alpha, 3 RGB, 4 RGBA; alpha is not premultiplied
// samples   rounded up to a multiple of 4 bytes, as tensors are
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 0;
  Memory samples = {};
};

// The most pixels a side, which is libpng's own limit, and the most bytes in all.
constexpr std::uint32_t kMaxPictureSide = 1'000'000;
constexpr std::uint64_t kMaxPictureBytes = std::uint64_t{1} << 30;

// A black picture. Throws BadInput when a side is 0 or a limit is passed; `place` is the
// message's.
Picture make_picture(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                     const std::string& place);

// Reads a PNG of any colour type and bit depth: palettes become RGB, transparent colours an alpha
// channel, 16-bit samples 8-bit ones, and a gamma that the file states is converted to sRGB's.
// Throws BadInput, naming the file, for what is not a sound PNG.
Picture read_png(const std::string& path);

// Writes a PNG that appears complete or not at all. Throws BadInput, naming the file.
void write_png(const std::string& path, const Picture& picture);

}  // namespace weft::cli
