#include "picture.h"

#include <fmt/format.h>
#include <png.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "output_file.h"
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

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open_to_read(const std::string& path) {
  File file{std::fopen(path.c_str(), "rb")};
  if (!file) throw BadInput(path, std::strerror(errno));
  struct stat status = {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw BadInput(path, "is a directory, must be a PNG file");
  }
  return file;
}

BadInput not_a_sound_png(const std::string& path, std::FILE* file, const png_image& image) {
  if (std::ferror(file)) return {path, "reading failed"};
  if (std::feof(file)) return {path, "is not a sound PNG: the file ends too early"};
  return {path, fmt::format("is not a sound PNG: {}", image.message)};
}

constexpr png_uint_32 formats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};

}  // namespace

Picture make_picture(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                     const std::string& what) {
  Picture picture{width, height, channels};
  if (width < 1 || height < 1 || width > kMaxPictureSide || height > kMaxPictureSide) {
    throw BadInput(
        what, fmt::format("{}x{} pixels; a side must be 1 to {}", width, height, kMaxPictureSide));
  }
  if (picture.size_in_bytes() > kMaxPictureBytes) {
    throw BadInput(what, fmt::format("{}x{} pixels of {} bytes are {} bytes, must be <= {}", width,
                                     height, channels, picture.size_in_bytes(), kMaxPictureBytes));
  }
  picture.samples = std::make_unique_for_overwrite<std::uint8_t[]>(picture.size_in_bytes());
  return picture;
}

Picture read_png(const std::string& path) {
  const File file = open_to_read(path);
  PngImage image;
  if (!png_image_begin_read_from_stdio(&image, file.get())) {
    throw not_a_sound_png(path, file.get(), image);
  }
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // else 16-bit samples without gamma count as linear
  image.format &= PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLOR;
  Picture picture =
      make_picture(image.width, image.height, PNG_IMAGE_SAMPLE_CHANNELS(image.format), path);
  if (!png_image_finish_read(&image, nullptr, picture.samples.get(), 0, nullptr)) {
    throw not_a_sound_png(path, file.get(), image);
  }
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  OutputFile file(path);
  PngImage image;
  image.width = picture.width;
  image.height = picture.height;
  image.format = formats[picture.channels - 1];
  errno = 0;
  if (!png_image_write_to_stdio(&image, file.stream(), 0, picture.samples.get(), 0, nullptr)) {
    throw BadInput(
        path, fmt::format("writing failed: {}", errno != 0 ? std::strerror(errno) : image.message));
  }
  file.commit();
}

}  // namespace weft::cli
