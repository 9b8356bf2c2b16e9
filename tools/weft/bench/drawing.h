#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace weft::cli::bench {

// An SVG picture that grows; places in pixels from its left upper corner.
class Drawing {
 public:
  void text(double x, double y, std::string_view words, std::string_view anchor = "start",
            int size = 11, std::string_view color = "#333333");
  void line(double x1, double y1, double x2, double y2, std::string_view color, double width = 1);
  void bar(double x, double y, double width, double height, std::string_view color,
           std::string_view title);
  void dot(double x, double y, double radius, std::string_view color, bool filled,
           std::string_view title);

  // The whole document.
  std::string svg(double width, double height) const;

 private:
  std::string content_;
};

// Where a number lies on a logarithmic axis.
struct LogAxis {
  double low, high, from, to;
  double at(double value) const {
    const double position = std::log(value / low) / std::log(high / low);
    return from + (to - from) * std::clamp(position, 0.0, 1.0);
  }
};

}  // namespace weft::cli::bench
