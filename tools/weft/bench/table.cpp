#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text.h"

namespace weft::cli::bench {

namespace {

// "12.3", "1234", "0.056": about four digits.
std::string number(double value) {
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 1 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

double rate(const Row& row) {
  const bool convolution = row.shape->type() == OperatorType::convolution;
  return (convolution ? row.shape->flops() : row.shape->bytes()) / row.weft.median_us / 1e3;
}

std::string ratio_text(double ratio) {
  const std::string text = fmt::format("{:>6.2f}", ratio);
  return ratio < 1 ? colored(text, Color::red) : text;
}

// Adds a shape's ratio to the mean that it belongs to; least and ratio (as logarithms) still open.
void add(std::vector<Mean>& means, const Row& row, const std::string& peer, double peer_us) {
  const double ratio = peer_us / row.weft.median_us;
  const std::string family = row.shape->family();
  auto mean = std::find_if(means.begin(), means.end(), [&](const Mean& each) {
    return each.family == family && each.threads == row.threads && each.peer == peer;
  });
  if (mean == means.end()) {
    means.push_back({family, row.threads, peer});
    mean = means.end() - 1;
  }
  if (mean->shapes++ == 0 || ratio < mean->least) {
    mean->least = ratio;
    mean->least_shape = row.shape->id;
  }
  mean->ratio += std::log(ratio);
}

}  // namespace

std::vector<Mean> geometric_means(const std::vector<Row>& rows) {
  std::vector<Mean> means;
  for (const Row& row : rows) {
    for (const PeerResult& peer : row.peers) {
      if (const WayResult* const best = peer.best()) {
        add(means, row, peer.name, best->timing.median_us);
      }
      for (const WayResult& way : peer.ways) {
        if (!way.counts) add(means, row, peer.name + " " + way.name, way.timing.median_us);
      }
    }
  }
  for (Mean& mean : means) mean.ratio = std::exp(mean.ratio / static_cast<double>(mean.shapes));
  return means;
}

void print_heading(const Limits& limits, const std::vector<PeerSlot>& peers) {
  fmt::print("\n{}: multiply-adds {:.0f} GFLOP/s, ", counted(limits.threads, "thread"),
             limits.fma_gflops);
  if (limits.amx_float32_gflops) {
    fmt::print("AMX {:.0f} GFLOP/s in float32 (six products), ", *limits.amx_float32_gflops);
  } else {
    fmt::print("no AMX, ");
  }
  fmt::print("copy {:.1f} GB/s\n", limits.copy_gbytes);
  fmt::print("{:<21}{:>10} {:>8} {:>12} {:>10}  {:>6}{:>7}", "Shape", "Weft us", "rms", "rate",
             "limit us", "share", "of AMX");
  for (const PeerSlot& slot : peers) {
    if (slot.peer == nullptr) continue;
    fmt::print(" | {:>10} {:<9}{:>8} {:>6}", slot.name + " us", "way", "rms", "ratio");
    if (slot.name == "onednn") fmt::print(" {:>7}", "blocked");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_row(const Row& row) {
  const bool convolution = row.shape->type() == OperatorType::convolution;
  const double share = row.limit_us() / row.weft.median_us;
  fmt::print("{:<21}{:>10} {:>8.1e} {:>7.1f} {} {:>9} {} {:>5.0f}%", row.shape->id,
             number(row.weft.median_us), row.rms_error, rate(row), convolution ? "GF/s" : "GB/s",
             number(row.limit_us()), row.memory_bound() ? 'm' : 'c', 100 * share);
  fmt::print("{:>7}",
             row.amx_us ? fmt::format("{:.0f}%", 100 * *row.amx_us / row.weft.median_us) : "");
  for (const PeerResult& peer : row.peers) {
    const WayResult* const best = peer.best();
    const WayResult* const blocked = peer.way("blocked");
    if (best != nullptr) {
      fmt::print(" | {:>10} {:<9}{:>8.1e} {}", number(best->timing.median_us), best->name,
                 best->rms_error, ratio_text(best->timing.median_us / row.weft.median_us));
      if (peer.name != "onednn") continue;
      fmt::print(" {}", blocked == nullptr ? fmt::format("{:>7}", "-")
                                           : fmt::format("{:>7.2f}", blocked->timing.median_us /
                                                                         row.weft.median_us));
    } else {
      fmt::print(" | {:>10} {:<9}{:>8} {:>6}", "-", "", "", "");
      if (peer.name == "onednn") fmt::print(" {:>7}", "");
    }
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_means(const std::vector<Mean>& means) {
  if (means.empty()) return;
  fmt::print("\nTime of each rival over Weft's, geometric means\n");
  for (const Mean& mean : means) {
    fmt::print("  {:<30}{:<11}{:<16}{:>6.2f}   least {:>5.2f} ({}), {}\n", mean.family,
               counted(mean.threads, "thread"), mean.peer, mean.ratio, mean.least, mean.least_shape,
               counted(mean.shapes, "shape"));
  }
}

}  // namespace weft::cli::bench
