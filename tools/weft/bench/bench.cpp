// `weft bench`: Weft and its rivals on the layers of real networks, measured in turns.

#include "bench/bench.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/layout.h"
#include "bench/measure.h"
#include "bench/onednn.h"
#include "bench/plot.h"
#include "bench/python_peers.h"
#include "bench/report.h"
#include "bench/shapes.h"
#include "bench/sweep.h"
#include "bench/table.h"
#include "command_line.h"
#include "files.h"
#include "problem.h"
#include "text.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

using namespace bench;
namespace fs = std::filesystem;

// A file that is installed with the command: counted from where this lies, first as installed, then
// as built.
fs::path shared_file(const char* name) {
  std::error_code failed;
  const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  fs::path installed = (here / WEFT_SHARE_FROM_BIN / name).lexically_normal();
  if (fs::exists(installed, failed)) return installed;
  fs::path built = (here / "../../share/weft" / name).lexically_normal();
  return fs::exists(built, failed) ? built : installed;
}

// The allocator of the Python process asks for huge pages too; ours does so itself.
void give_rivals_huge_pages() { setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0); }

// Rivals get the same cap through their own variables, unless the user has set those. OpenCV
// complains of what it should leave out and the machine does not have.
void cap_rivals(Isa isa) {
  const auto set = [](const char* name, const char* value) { setenv(name, value, 0); };
  const Isa machine = machine_isas().back();
  if (isa < Isa::avx2) {
    set("ONEDNN_MAX_CPU_ISA", "SSE41");
    set("ATEN_CPU_CAPABILITY", "default");
    if (machine >= Isa::avx512) {
      set("OPENCV_CPU_DISABLE", "AVX,AVX2,AVX512-SKX");
    } else if (machine == Isa::avx2) {
      set("OPENCV_CPU_DISABLE", "AVX,AVX2");
    }
  } else if (isa == Isa::avx2) {
    set("ONEDNN_MAX_CPU_ISA", "AVX2");
    set("ATEN_CPU_CAPABILITY", "avx2");
    if (machine >= Isa::avx512) set("OPENCV_CPU_DISABLE", "AVX512-SKX");
  } else if (isa == Isa::avx512) {
    set("ONEDNN_MAX_CPU_ISA", "AVX512_CORE");
  }
}

std::vector<PeerSlot> open_peers(const std::vector<std::string>& names) {
  std::vector<PeerSlot> slots;
  std::shared_ptr<PythonProcess> python;
  for (const std::string& name : names) {
    if (name == "none") continue;
    PeerSlot slot{name, "", nullptr};
    try {
      if (name == "onednn") {
        slot.peer = open_onednn();
      } else {
        if (python == nullptr) python = start_python(shared_file("python_peers.py"));
        slot.peer = python_peer(python, name);
      }
      slot.status = slot.peer->version();
    } catch (const Unavailable& error) {
      slot.status = error.what();
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

// One line on a terminal's standard error that says what is being measured.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }

  void step(std::string_view name) {
    ++done_;
    if (!shown_) return;
    fmt::print(stderr, "\r\x1b[K[{}/{}] {}", done_, total_, printable(name));
    std::fflush(stderr);
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

Winograd winograd_of(const BenchOptions& options) {
  if (options.no_winograd) return Winograd::never;
  return options.allow_winograd ? Winograd::allowed : Winograd::accurate;
}

Row measure_shape(const Shape& shape, const Limits& limits, std::vector<PeerSlot>& peers,
                  const BenchOptions& options, Isa isa) try {
  const Tensors tensors(shape.params, layout_of(options.layout) == Layout::broadcast);
  const Task task{shape, tensors, limits.threads, winograd_of(options)};
  const RaceOptions race{options.rounds, options.seconds, limits.threads, tensors.sets()};
  return measure(task, limits, peers, {isa, race, layout_of(options.layout)});
} catch (const std::bad_alloc&) {
  throw BadInput(shape.id, "takes more memory than there is");
}

void write_plot(const fs::path& path, const std::string& svg) {
  const auto bytes = std::as_bytes(std::span(svg));
  write_file(path, {&bytes, 1});
}

int report_status(const Report& report) {
  int status = kDone;
  for (const Row& row : report.rows) {
    for (const std::string& text : row.disagreements) {
      fmt::print(stderr, "weft: error: {}: {}\n", printable(row.shape->id), text);
      status = kCheckFailed;
    }
  }
  return status;
}

Isa highest_isa(const BenchOptions& options) {
  return std::min(parse_isa(options.max_isa).value_or(Isa::amx), best_isa());
}

int run_sweep(const BenchOptions& options, bool json) {
  check_output(options.sweep);
  const SweepOptions sweep_options{highest_isa(options), options.sweep_to, options.seconds};
  std::vector<SweepCurve> curves;
  Progress progress(sweep_steps(sweep_options) * options.threads.size());
  for (const unsigned wanted : options.threads) {
    const auto more = sweep(sweep_options, wanted == 0 ? default_thread_count() : wanted,
                            [&](std::string_view name) { progress.step(name); });
    curves.insert(curves.end(), more.begin(), more.end());
  }
  progress.clear();
  json ? print_sweep_json(curves) : print_sweep(curves);
  write_plot(options.sweep, sweep_svg(curves, fmt::format("{} on {}", name(sweep_options.max_isa),
                                                          this_machine().processor)));
  return kDone;
}

}  // namespace

int run_bench(const BenchOptions& options, bool json) {
  if (!options.sweep.empty()) return run_sweep(options, json);
  Selection selection{options.only, options.op};
  if (!options.data_type.empty()) selection.data_type = parse_data_type(options.data_type);
  const std::vector<Shape> shapes = read_shapes(
      options.shapes.empty() ? shared_file("shapes.json") : fs::path(options.shapes), selection);
  if (!options.plot.empty()) check_output(options.plot);

  const LoadMeter load;
  Report report{.machine = this_machine(),
                .winograd = winograd_of(options),
                .layout = layout_of(options.layout)};
  report.isa = highest_isa(options);
  cap_rivals(report.isa);
  give_rivals_huge_pages();
  if (report.layout == Layout::packed) {
    report.peers = open_peers(options.peers);
  } else {
    report.peers.push_back(packed_weft(report.isa));
  }
  if (!json) print_field(report);
  Progress progress(shapes.size() * options.threads.size());
  for (const unsigned wanted : options.threads) {
    const unsigned threads = wanted == 0 ? default_thread_count() : wanted;
    report.limits.push_back(measure_limits(report.isa, threads));
    if (!json) print_heading(report.limits.back(), report.peers);
    for (const Shape& shape : shapes) {
      progress.step(shape.id);
      report.rows.push_back(
          measure_shape(shape, report.limits.back(), report.peers, options, report.isa));
      progress.clear();
      if (!json) print_row(report.rows.back());
    }
  }
  for (PeerSlot& slot : report.peers) slot.peer.reset();  // the time of a child counts when it ends
  report.other_load = load.others();
  if (json) {
    print_json(report);
  } else {
    print_means(geometric_means(report.rows));
    print_load(report);
  }
  if (!options.plot.empty()) write_plot(options.plot, plot_svg(report));
  return report_status(report);
}

}  // namespace weft::cli
