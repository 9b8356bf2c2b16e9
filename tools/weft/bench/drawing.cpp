#include "bench/drawing.h"

#include <fmt/format.h>

#include <iterator>

namespace weft::cli::bench {

namespace {

// What XML wants written in another way.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
    }
  }
  return result;
}

}  // namespace

void Drawing::text(double x, double y, std::string_view words, std::string_view anchor, int size,
                   std::string_view color) {
  fmt::format_to(std::back_inserter(content_),
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" "
                 "fill=\"{}\">{}</text>\n",
                 x, y, anchor, size, color, escaped(words));
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view color,
                   double width) {
  fmt::format_to(std::back_inserter(content_),
                 "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                 "stroke-width=\"{}\"/>\n",
                 x1, y1, x2, y2, color, width);
}

void Drawing::bar(double x, double y, double width, double height, std::string_view color,
                  std::string_view title) {
  fmt::format_to(std::back_inserter(content_),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                 "fill=\"{}\"><title>{}</title></rect>\n",
                 x, y, width, height, color, escaped(title));
}

void Drawing::dot(double x, double y, double radius, std::string_view color, bool filled,
                  std::string_view title) {
  fmt::format_to(std::back_inserter(content_),
                 "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" "
                 "stroke=\"{}\"><title>{}</title></circle>\n",
                 x, y, radius, filled ? color : "none", color, escaped(title));
}

std::string Drawing::svg(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{2}</svg>\n",
      width, height, content_);
}

}  // namespace weft::cli::bench
