// The short way: one call plans and runs. Then what happens when a size is wrong.

#include <weft/weft.h>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  std::vector<float> image(25);
  std::iota(image.begin(), image.end(), 0.0f);

  // All 3x3 windows of a 5x5 image: nine of them, each a column of nine numbers.
  std::vector<float> columns(81);
  weft::unfold<float>({image, {1, 1, 5, 5}}, {columns, {1, 9, 9}}, {.window_sizes = {3, 3}});

  for (int row = 0; row < 9; ++row) {
    for (int column = 0; column < 9; ++column) {
      std::printf("%4g", static_cast<double>(columns[row * 9 + column]));
    }
    std::printf("\n");
  }

  try {
    weft::unfold<float>({image, {1, 1, 5, 5}}, {columns, {1, 9, 8}}, {.window_sizes = {3, 3}});
  } catch (const weft::Error& error) {
    std::printf("%s\n", error.what());
  }
}
