#include "cli/png_files.h"

#include <png.h>
#include <zlib.h>

#include <stdexcept>

namespace weft::testing {

namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  compress(reinterpret_cast<Bytef*>(result.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  result.resize(size);
  return result;
}

}  // namespace

std::string png_chunk(const std::string& type, const std::string& content) {
  const std::string body = type + content;
  const auto checksum = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
  return big_endian(static_cast<std::uint32_t>(content.size())) + body + big_endian(checksum);
}

std::string png_bytes(const PngHeader& header, const std::string& rows,
                      const std::string& before_data) {
  std::string fields = big_endian(header.width) + big_endian(header.height);
  for (const std::uint8_t field :
       {header.bit_depth, header.colour_type, std::uint8_t{0}, std::uint8_t{0}, header.interlace}) {
    fields += static_cast<char>(field);
  }
  return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR", fields) + before_data +
         png_chunk("IDAT", compressed(rows)) + png_chunk("IEND", "");
}

std::string png_rows(const std::vector<std::vector<int>>& rows) {
  std::string bytes;
  for (const std::vector<int>& row : rows) {
    bytes += '\0';
    for (const int sample : row) bytes += static_cast<char>(sample);
  }
  return bytes;
}

PngPixels read_pixels(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) throw std::runtime_error(path);
  image.format &= PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLOR;
  std::vector<std::uint8_t> samples(PNG_IMAGE_SIZE(image));
  PngPixels pixels{image.width, image.height, PNG_IMAGE_SAMPLE_CHANNELS(image.format)};
  if (!png_image_finish_read(&image, nullptr, samples.data(), 0, nullptr)) {
    throw std::runtime_error(path);
  }
  pixels.samples.assign(samples.begin(), samples.end());
  return pixels;
}

}  // namespace weft::testing
