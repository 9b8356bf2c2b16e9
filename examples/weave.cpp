// Draws examples/weave.png: a small piece of twill, the crosswise threads (the weft) in ochre over
// and under the lengthwise ones (the warp) in indigo.
//
//   weave OUT.png

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int kThread = 8;  // pixels across one thread, its gap included
constexpr int kWidth = 15 * kThread;
constexpr int kHeight = 10 * kThread;

struct Colour {
  int red, green, blue;
};
constexpr Colour kWeft{226, 166, 52};
constexpr Colour kWarp{52, 70, 138};
constexpr Colour kGap{24, 22, 34};

// Brightness across a thread, 0 to 100: a round back, dark at the edges.
int round_back(int position) {
  const int from_middle = 2 * (position % kThread) - (kThread - 1);
  return 100 - 60 * from_middle * from_middle / (kThread * kThread);
}

// Brightness along a visible stretch of thread, which dips under its neighbours at both ends.
int dip(int position) {
  const int into = position % (2 * kThread);
  return std::min({100, 60 + 14 * into, 60 + 14 * (2 * kThread - 1 - into)});
}

Colour pixel(int x, int y) {
  const int column = x / kThread;
  const int row = y / kThread;
  // Two over, two under, one further to the right with each row.
  const int phase = (column - row + 4 * kHeight) % 4;
  const bool weft_on_top = phase < 2;
  const int across = weft_on_top ? y : x;
  const int along =
      weft_on_top ? phase * kThread + x % kThread : (3 - phase) * kThread + y % kThread;
  if (across % kThread == 0) return kGap;
  const int light = round_back(across) * dip(along) / 100;
  const Colour thread = weft_on_top ? kWeft : kWarp;
  return {thread.red * light / 100, thread.green * light / 100, thread.blue * light / 100};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: weave OUT.png\n");
    return 2;
  }
  std::vector<std::uint8_t> samples;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const Colour colour = pixel(x, y);
      for (const int value : {colour.red, colour.green, colour.blue}) {
        samples.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = kWidth;
  image.height = kHeight;
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, argv[1], 0, samples.data(), 0, nullptr)) {
    std::fprintf(stderr, "weave: %s: %s\n", argv[1], image.message);
    return 1;
  }
}
