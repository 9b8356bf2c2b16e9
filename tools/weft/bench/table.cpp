#include "bench/table.h"

#include <fmt/format.h>

#include <cstdio>

#include "text.h"
#include "weft/info.h"

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

// A rival's time over ours; "-" where it has none.
std::string ratio_text(const WayResult* way, double weft_us) {
  if (way == nullptr) return fmt::format("{:>7}", "-");
  const double ratio = way->timing.median_us / weft_us;
  const std::string text = fmt::format("{:>7.2f}", ratio);
  return ratio < 1 ? colored(text, Color::red) : text;
}

bool has_blocked(std::string_view peer) { return peer == "onednn"; }

void print_peer(const PeerResult& peer, double weft_us) {
  const WayResult* const best = peer.best();
  if (best == nullptr) {
    fmt::print(" | {:>10} {:<9}{:>8}", "-", "", "");
  } else {
    fmt::print(" | {:>10} {:<9}{:>8.1e}", number(best->timing.median_us), best->name,
               best->rms_error);
  }
  fmt::print("{}", ratio_text(best, weft_us));
  if (has_blocked(peer.name)) fmt::print(" {}", ratio_text(peer.way("blocked"), weft_us));
}

}  // namespace

void print_field(const Report& report) {
  fmt::print("{}, {}; weft {} at {}", report.machine.processor,
             counted(report.machine.cores, "core"), version(), name(report.isa));
  if (report.layout != Layout::packed) fmt::print(", tensors {}", name(report.layout));
  for (const PeerSlot& slot : report.peers) fmt::print("; {} {}", slot.name, slot.status);
  fmt::print("{}\n", report.winograd == Winograd::allowed ? "; Winograd allowed"
                     : report.winograd == Winograd::never ? "; no Winograd"
                                                          : "");
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
    fmt::print(" | {:>10} {:<9}{:>8}{:>7}", slot.name + " us", "way", "rms", "ratio");
    if (has_blocked(slot.name)) fmt::print(" {:>7}", "blocked");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_row(const Row& row) {
  const bool convolution = row.shape->type() == OperatorType::convolution;
  const double share = row.limit_us() / row.weft.median_us;
  fmt::print("{:<21}{:>10} {:>8.1e} {:>7.1f} {} {:>9} {} {:>5.0f}%", printable(row.shape->id),
             number(row.weft.median_us), row.rms_error, rate(row), convolution ? "GF/s" : "GB/s",
             number(row.limit_us()), row.memory_bound() ? 'm' : 'c', 100 * share);
  fmt::print("{:>7}",
             row.amx_us ? fmt::format("{:.0f}%", 100 * *row.amx_us / row.weft.median_us) : "");
  for (const PeerResult& peer : row.peers) {
    if (peer.ready) print_peer(peer, row.weft.median_us);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_means(const std::vector<Mean>& means) {
  if (means.empty()) return;
  fmt::print("\nTime of each rival over Weft's, geometric means\n");
  for (const Mean& mean : means) {
    fmt::print("  {:<30}{:<11}{:<22}{:>6.2f}   least {:>5.2f} ({}), {}\n", mean.family,
               counted(mean.threads, "thread"), mean.rival, mean.ratio, mean.least,
               printable(mean.least_shape), counted(mean.shapes, "shape"));
  }
}

void print_load(const Report& report) {
  constexpr double kQuiet = 0.05;
  if (report.other_load <= kQuiet) return;
  fmt::print("\nThe machine was not quiet: others used {:.0f}% of its processors meanwhile.\n",
             100 * report.other_load);
}

}  // namespace weft::cli::bench
