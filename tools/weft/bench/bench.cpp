// `weft bench`: Weft and its rivals on the layers of real networks, measured in turns.

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "bench/onednn.h"
#include "bench/shapes.h"
#include "bench/table.h"
#include "command.h"
#include "problem.h"
#include "text.h"
#include "weft/info.h"

namespace weft::cli {

namespace {

using namespace bench;
namespace fs = std::filesystem;

struct Options {
  std::string shapes, op, data_type, max_isa;
  std::vector<std::string> only, peers = {"onednn"};
  std::vector<unsigned> threads = {1};
  bool allow_winograd = false;
  unsigned rounds = 9;
  double seconds = 0.5;
};

// A file that is installed with the command: counted from where this lies, first as installed, then
// as built.
fs::path shared_file(const char* name) {
  std::error_code failed;
  const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  const fs::path installed = (here / WEFT_SHARE_FROM_BIN / name).lexically_normal();
  if (fs::exists(installed, failed)) return installed;
  const fs::path built = (here / "../../share/weft" / name).lexically_normal();
  return fs::exists(built, failed) ? built : installed;
}

std::optional<Isa> isa_cap(const Options& options) {
  if (options.max_isa.empty()) return std::nullopt;
  return parse_isa(options.max_isa);
}

// Rivals get the same cap, unless the user has given them another.
void cap_rivals(Isa isa) {
  const char* const cap = isa <= Isa::sse4     ? "SSE41"
                          : isa == Isa::avx2   ? "AVX2"
                          : isa == Isa::avx512 ? "AVX512_CORE"
                                               : nullptr;
  if (cap != nullptr) setenv("ONEDNN_MAX_CPU_ISA", cap, 0);
}

std::vector<PeerSlot> open_peers(const Options& options) {
  std::vector<PeerSlot> slots;
  for (const std::string& name : options.peers) {
    PeerSlot slot{name, "", nullptr};
    try {
      slot.peer = open_onednn();
      slot.status = slot.peer->version();
    } catch (const Unavailable& error) {
      slot.status = error.what();
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

int run_bench(const Options& options, bool /*json*/) {
  Selection selection{options.only, upper_case(options.op)};
  if (!options.data_type.empty())
    selection.data_type = parse_data_type(upper_case(options.data_type));
  const fs::path file =
      options.shapes.empty() ? shared_file("shapes.json") : fs::path(options.shapes);
  const std::vector<Shape> shapes = read_shapes(file, selection);
  const Isa isa = std::min(isa_cap(options).value_or(best_isa()), best_isa());
  cap_rivals(isa);
  std::vector<PeerSlot> peers = open_peers(options);
  for (const PeerSlot& slot : peers) fmt::print("{}: {}\n", slot.name, slot.status);
  std::vector<Row> rows;
  for (const unsigned threads : options.threads) {
    const Limits limits = measure_limits(isa, threads);
    print_heading(limits, peers);
    for (const Shape& shape : shapes) {
      const Tensors tensors(shape.params);
      const Task task{shape, tensors, threads, options.allow_winograd};
      rows.push_back(
          measure(task, limits, peers, {isa, {options.rounds, options.seconds, threads}}));
      print_row(rows.back());
      for (const auto& d : rows.back().disagreements) fmt::print(stderr, "{}: {}\n", shape.id, d);
    }
  }
  print_means(geometric_means(rows));
  return kDone;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Measures Weft and rivals.");
  command->add_option("--shapes", options->shapes)->type_name("FILE");
  command->add_option("--only", options->only)->delimiter(',')->allow_extra_args(false);
  command->add_option("--op", options->op);
  command->add_option("--threads", options->threads)->delimiter(',')->allow_extra_args(false);
  command->add_option("--dtype", options->data_type);
  command->add_option("--peers", options->peers)->delimiter(',')->allow_extra_args(false);
  command->add_option("--max-isa", options->max_isa);
  command->add_flag("--allow-winograd", options->allow_winograd);
  command->add_option("--rounds", options->rounds);
  command->add_option("--seconds", options->seconds);
  add_json(*command, context);
  command->callback([&context, options] {
    context.action = [&context, options] { return run_bench(*options, context.json); };
  });
}

}  // namespace weft::cli
