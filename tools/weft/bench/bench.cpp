// `weft bench`: Weft and its rivals on the layers of real networks, measured in turns.

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
#include "command.h"
#include "files.h"
#include "problem.h"
#include "text.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

using namespace bench;
namespace fs = std::filesystem;

struct Options {
  std::string shapes, op, data_type, max_isa, layout = "packed", plot, sweep;
  std::vector<std::string> only, peers = {"onednn", "torch", "opencv"};
  std::vector<unsigned> threads = {1};
  bool allow_winograd = false, no_winograd = false;
  unsigned rounds = 7;
  double seconds = 0.5;
  std::uint64_t sweep_to = std::uint64_t{4} << 30;
};

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

// Rivals get the same cap through their own variables, unless the user has set those.
void cap_rivals(Isa isa) {
  const auto set = [](const char* name, const char* value) { setenv(name, value, 0); };
  if (isa < Isa::avx2) {
    set("ONEDNN_MAX_CPU_ISA", "SSE41");
    set("ATEN_CPU_CAPABILITY", "default");
    set("OPENCV_CPU_DISABLE", "AVX,AVX2,AVX512-SKX");
  } else if (isa == Isa::avx2) {
    set("ONEDNN_MAX_CPU_ISA", "AVX2");
    set("ATEN_CPU_CAPABILITY", "avx2");
    set("OPENCV_CPU_DISABLE", "AVX512-SKX");
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

Winograd winograd_of(const Options& options) {
  if (options.no_winograd) return Winograd::never;
  return options.allow_winograd ? Winograd::allowed : Winograd::accurate;
}

Row measure_shape(const Shape& shape, const Limits& limits, std::vector<PeerSlot>& peers,
                  const Options& options, Isa isa) try {
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

Isa highest_isa(const Options& options) {
  return std::min(parse_isa(options.max_isa).value_or(Isa::amx), best_isa());
}

int run_sweep(const Options& options, bool json) {
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

int run_bench(const Options& options, bool json) {
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

// Options that say which shapes, and as what.
void add_selection(CLI::App& command, Options& options) {
  command.add_option("--shapes", options.shapes, "Shapes to measure; those of Weft if left out")
      ->type_name("FILE.json");
  CLI::Option* const only = command.add_option("--only", options.only, "The shapes of these names")
                                ->delimiter(',')
                                ->allow_extra_args(false)
                                ->type_name("ID,...");
  command.add_option("--op", options.op, "The shapes of one operator")
      ->transform(CLI::IsMember({"CONVOLUTION", "UNFOLD", "FOLD", "RESAMPLE2"}, CLI::ignore_case))
      ->type_name("OPERATOR")
      ->excludes(only);
  command.add_option("--dtype", options.data_type, "Data type, instead of the one in the file")
      ->transform(CLI::IsMember({"FLOAT32", "FLOAT16", "INT8", "UINT8"}, CLI::ignore_case))
      ->type_name("TYPE");
}

// Options that say how, and against whom.
void add_conditions(CLI::App& command, Options& options) {
  command
      .add_option("--threads", options.threads, "Threads; one run for each number. 0: one a core")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0u, 1024u))
      ->type_name("N,...")
      ->capture_default_str();
  command
      .add_option("--max-isa", options.max_isa,
                  "Most that Weft may use, and oneDNN and PyTorch with it: base, sse4, avx2, "
                  "avx512, amx")
      ->check(CLI::IsMember({"base", "sse4", "avx2", "avx512", "amx"}))
      ->type_name("ISA");
  command.add_flag("--no-winograd", options.no_winograd,
                   "Keep Weft from Winograd's algorithm where it would be exact enough, too");
  command
      .add_flag("--allow-winograd", options.allow_winograd,
                "Let everybody use Winograd's algorithm, which is faster and less exact")
      ->excludes("--no-winograd");
  command
      .add_option("--peers", options.peers,
                  "Rivals, where they are installed: onednn, torch, opencv; none")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"onednn", "torch", "opencv", "none"}))
      ->type_name("NAME,...")
      ->capture_default_str();
  command
      .add_option("--layout", options.layout,
                  "Weft on tensors that are not packed, against itself where they are: nhwc "
                  "(channels last), gaps (64 bytes between rows), broadcast (all channels of the "
                  "input are the same one, stride 0)")
      ->check(CLI::IsMember({"nhwc", "gaps", "broadcast"}))
      ->type_name("NAME")
      ->excludes("--peers");
  command.add_option("--rounds", options.rounds, "Turns of everybody on each shape")
      ->check(CLI::Range(1u, 1000u))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--seconds", options.seconds,
                  "Time that counts on each shape, of everybody together")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
}

// What is measured instead of shapes.
CLI::Option* add_sweep(CLI::App& command, Options& options) {
  CLI::Option* const sweep =
      command
          .add_option(
              "--sweep", options.sweep,
              "Instead of shapes, draw how operators that move data grow with the bytes "
              "of the output, 1 KiB to 4 GiB where memory suffices; --seconds for each size")
          ->type_name("FILE.svg");
  for (const char* other : {"--shapes", "--only", "--op", "--dtype", "--allow-winograd",
                            "--no-winograd", "--peers", "--layout", "--rounds"}) {
    sweep->excludes(command.get_option(other));
  }
  command.add_option("--sweep-to", options.sweep_to, "Largest output of the sweep")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1} << 10, std::uint64_t{4} << 30))
      ->type_name("BYTES")
      ->needs(sweep);
  return sweep;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "Measures Weft on layers of real networks, in turns with oneDNN, PyTorch and OpenCV where "
      "they "
      "are installed, and compares all results. The exit status is 1 where they disagree.");
  add_selection(*command, *options);
  add_conditions(*command, *options);
  CLI::Option* const plot =
      command->add_option("--plot", options->plot, "Draw a roofline and the shares of the limit")
          ->type_name("FILE.svg");
  add_sweep(*command, *options)->excludes(plot);
  add_json(*command, context);
  set_examples(*command,
               {"bench --only rs_i8_nn2,mbv2_pw_96_576 --rounds 3 --seconds 0.05",
                "bench --only mbv2_stem --threads 1,2 --peers torch --allow-winograd --json",
                "bench --only fold_vit_p16 --max-isa avx2 --plot /tmp/weft_bench.svg",
                "bench --only fold_vit_p16 --layout nhwc --rounds 3 --seconds 0.05",
                "bench --sweep /tmp/weft_sweep.svg --sweep-to 64KiB --seconds 0.001"});
  command->callback([&context, options] {
    context.action = [&context, options] { return run_bench(*options, context.json); };
  });
}

}  // namespace weft::cli
