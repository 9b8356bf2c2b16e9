#include "picture.h"

#include <fmt/format.h>
#include <png.h>

#include <cstddef>
#include <span>

#include "files.h"
#include "problem.h"

namespace weft::cli {

namespace {

// libpng's simplified interface: it reports failure by a result, so no longjmp crosses our frames.
struct PngImage : png_image {
  PngImage() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

BadInput not_a_sound_png(const std::string& path, const png_image& image) {
  return {path, fmt::format("not a sound PNG: {}", image.message)};
}

png_uint_32 format_of(std::uint32_t channels) {
  return (channels > 2 ? PNG_FORMAT_FLAG_COLOR : 0u) |
         (channels % 2 == 0 ? PNG_FORMAT_FLAG_ALPHA : 0u);
}

}  // namespace

Picture make_picture(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                     const std::string& place) {
  if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide) {
    throw BadInput(
        place, fmt::format("{}x{} pixels; a side must be 1 to {}", width, height, kMaxPictureSide));
  }
  const std::uint64_t bytes = std::uint64_t{width} * height * channels;
  if (bytes > kMaxPictureBytes) {
    throw BadInput(place, fmt::format("{}x{} pixels of {} bytes are {} bytes, must be <= {}", width,
                                      height, channels, bytes, kMaxPictureBytes));
  }
  return {width, height, channels, Memory((bytes + 3) / 4 * 4)};
}

Picture read_png(const std::string& path) {
  const std::string file = read_text(path);
  if (file.empty()) throw BadInput(path, "not a sound PNG: the file is empty");
  PngImage image;
  if (!png_image_begin_read_from_memory(&image, file.data(), file.size())) {
    throw not_a_sound_png(path, image);
  }
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // else 16-bit samples without gamma count as linear
  image.format &= PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLOR;
  Picture picture =
      make_picture(image.width, image.height, PNG_IMAGE_SAMPLE_CHANNELS(image.format), path);
  if (!png_image_finish_read(&image, nullptr, picture.samples.bytes().data(), 0, nullptr)) {
    throw not_a_sound_png(path, image);
  }
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  PngImage image;
  image.width = picture.width;
  image.height = picture.height;
  image.format = format_of(picture.channels);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  const Memory file(size);
  if (!png_image_write_to_memory(&image, file.bytes().data(), &size, 0,
                                 picture.samples.bytes().data(), 0, nullptr)) {
    throw BadInput(path, fmt::format("cannot make a PNG: {}", image.message));
  }
  const std::span<const std::byte> parts[] = {file.bytes().first(size)};
  write_file(path, parts);
}

}  // namespace weft::cli
