#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "bench/drawing.h"

namespace weft::cli::bench {

namespace {

constexpr double kWidth = 1200, kMargin = 70;
constexpr double kRoofHeight = 560, kBarHeight = 17, kBarLeft = 230, kTitle = 46;

struct PeerColor {
  std::string_view name, color;
};
constexpr PeerColor kColors[] = {
    {"weft", "#1565c0"}, {"onednn", "#d84315"}, {"torch", "#7b1fa2"}, {"opencv", "#2e7d32"}};

std::string_view color_of(std::string_view name) {
  for (const PeerColor& each : kColors) {
    if (each.name == name) return each.color;
  }
  return "#555555";
}

double intensity(const Row& row) { return row.shape->flops() / row.shape->bytes(); }
double gflops(const Row& row, double us) { return row.shape->flops() / us / 1e3; }

void draw_axes(Drawing& drawing, const LogAxis& x, const LogAxis& y) {
  for (double value = x.low; value <= x.high * 1.01; value *= 10) {
    drawing.line(x.at(value), y.from, x.at(value), y.to, "#dddddd");
    drawing.text(x.at(value), y.from + 16, fmt::format("{:g}", value), "middle");
  }
  for (double value = y.low; value <= y.high * 1.01; value *= 10) {
    drawing.line(x.from, y.at(value), x.to, y.at(value), "#dddddd");
    drawing.text(x.from - 6, y.at(value) + 4, fmt::format("{:g}", value), "end");
  }
  drawing.text(x.to, y.from + 32, "operations a byte of input, filter and output", "end");
  drawing.text(x.from, y.to - 8, "GFLOP/s");
}

// The slope of memory up to a flat roof, and its name.
void draw_roof(Drawing& drawing, const LogAxis& x, const LogAxis& y, double gbytes, double peak,
               const std::string& name) {
  const double ridge = peak / gbytes;
  const double start = std::max(x.low, y.low / gbytes);
  drawing.line(x.at(start), y.at(start * gbytes), x.at(ridge), y.at(peak), "#888888", 1.5);
  drawing.line(x.at(ridge), y.at(peak), x.to, y.at(peak), "#888888", 1.5);
  drawing.text(x.to, y.at(peak) - 5, fmt::format("{} {:.0f}", name, peak), "end");
}

const WayResult* fastest(const Row& row, std::string_view& name) {
  const WayResult* result = nullptr;
  for (const PeerResult& peer : row.peers) {
    const WayResult* const best = peer.best();
    if (best == nullptr) continue;
    if (result != nullptr && best->timing.median_us >= result->timing.median_us) continue;
    result = best;
    name = peer.name;
  }
  return result;
}

void draw_roofline(Drawing& drawing, const Limits& limits, const std::vector<const Row*>& rows,
                   double top) {
  const double bottom = top + kRoofHeight - 60;
  const double highest = std::max(limits.fma_gflops, limits.amx_float32_gflops.value_or(0));
  const LogAxis x{0.1, 1e4, kMargin, kWidth - kMargin};
  const LogAxis y{0.1, std::pow(10, std::ceil(std::log10(highest))), bottom, top};
  draw_axes(drawing, x, y);
  draw_roof(drawing, x, y, limits.copy_gbytes, limits.fma_gflops, "multiply-adds");
  if (const auto amx = limits.amx_float32_gflops) {
    draw_roof(drawing, x, y, limits.copy_gbytes, *amx, "matrix unit, float32");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = *rows[i];
    if (row.shape->flops() == 0) continue;
    const double left = x.at(intensity(row)), weft = gflops(row, row.weft.median_us);
    std::string_view name;
    if (const WayResult* const rival = fastest(row, name)) {
      const double theirs = gflops(row, rival->timing.median_us);
      drawing.line(left, y.at(theirs), left, y.at(weft), "#bbbbbb", 0.7);
      drawing.dot(left, y.at(theirs), 3, color_of(name), false,
                  fmt::format("{} {}: {:.1f} GFLOP/s", row.shape->id, name, theirs));
    }
    drawing.dot(left, y.at(weft), 3.5, color_of("weft"), true,
                fmt::format("{}: {:.1f} GFLOP/s", row.shape->id, weft));
    drawing.text(left + 5, y.at(weft) + 4, fmt::format("{}", i + 1), "start", 9);
  }
}

void draw_bars(Drawing& drawing, const std::vector<const Row*>& rows, double top) {
  constexpr double kMostPercent = 300;
  const auto at = [&](double us, const Row& row) {
    const double percent = std::min(100 * row.limit_us() / us, kMostPercent);
    return kBarLeft + (kWidth - kMargin - kBarLeft) * percent / kMostPercent;
  };
  const double bottom = top + kBarHeight * static_cast<double>(rows.size());
  for (int percent = 0; percent <= 300; percent += 50) {
    const double x = kBarLeft + (kWidth - kMargin - kBarLeft) * percent / kMostPercent;
    drawing.line(x, top - 4, x, bottom, percent == 100 ? "#888888" : "#dddddd");
    drawing.text(x, top - 8, fmt::format("{}%", percent), "middle");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = *rows[i];
    const double y = top + kBarHeight * static_cast<double>(i);
    drawing.text(kBarLeft - 6, y + 12, fmt::format("{} {}", i + 1, row.shape->id), "end");
    const double end = at(row.weft.median_us, row);
    drawing.bar(kBarLeft, y + 2, end - kBarLeft, kBarHeight - 4, "#90b8e8",
                fmt::format("weft {:.1f} us", row.weft.median_us));
    drawing.text(end + 4, y + 12, fmt::format("{:.0f}%", 100 * row.limit_us() / row.weft.median_us),
                 "start", 10);
    for (const PeerResult& peer : row.peers) {
      const WayResult* const best = peer.best();
      if (best == nullptr) continue;
      drawing.bar(at(best->timing.median_us, row) - 1.5, y + 1, 3, kBarHeight - 2,
                  color_of(peer.name),
                  fmt::format("{} {} {:.1f} us", peer.name, best->name, best->timing.median_us));
    }
  }
}

void draw_legend(Drawing& drawing, double y) {
  double x = kMargin;
  for (const PeerColor& each : kColors) {
    drawing.dot(x, y - 4, 4, each.color, each.name == "weft", each.name);
    drawing.text(x + 8, y, each.name);
    x += 80;
  }
}

}  // namespace

std::string plot_svg(const Report& report) {
  Drawing drawing;
  double y = kTitle;
  for (const Limits& limits : report.limits) {
    std::vector<const Row*> rows;
    for (const Row& row : report.rows) {
      if (row.threads == limits.threads) rows.push_back(&row);
    }
    drawing.text(kMargin, y - 22,
                 fmt::format("{} on {}, threads: {}; limits: memory {:.1f} GB/s", name(report.isa),
                             report.machine.processor, limits.threads, limits.copy_gbytes),
                 "start", 15);
    draw_roofline(drawing, limits, rows, y + 10);
    y += kRoofHeight;
    draw_legend(drawing, y);
    drawing.text(kWidth - kMargin, y,
                 "share of the limit: of multiply-adds or of memory, whichever takes longer",
                 "end");
    y += 40;
    draw_bars(drawing, rows, y);
    y += kBarHeight * static_cast<double>(rows.size()) + 2 * kTitle;
  }
  return drawing.svg(kWidth, y);
}

}  // namespace weft::cli::bench
