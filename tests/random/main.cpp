// weft_random: random cases of every operator against the naive reference.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "random/check.h"
#include "random/histogram.h"
#include "support/guard_page.h"

namespace {

namespace random_cases = weft::random_cases;

struct Options {
  std::uint64_t count = 1000;
  std::uint64_t seed = 1;
  std::string family;
  std::optional<std::uint64_t> only;
  bool histogram = false;
  bool emulated = false;
  std::uint64_t most_failures = 5;
};

std::array<char, 128> replay;  // how to run the case again that runs

// Says which case touched memory that it may not; whoever was asked before ends the program.
struct sigaction before;
void tell_case(int signal) {
  [[maybe_unused]] const ssize_t written =
      write(STDOUT_FILENO, replay.data(), std::strlen(replay.data()));
  sigaction(signal, &before, nullptr);
}

void report(const random_cases::Case& c, const std::string& message) {
  std::printf("case %" PRIu64 " of seed %" PRIu64 ": %s  %s\n%s\n", c.index, c.seed,
              random_cases::describe(c).c_str(), message.c_str(), replay.data());
}

int run(const Options& options) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::uint64_t first = options.only.value_or(0);
  const std::uint64_t end = options.only ? first + 1 : options.count;
  std::optional<std::string_view> family;
  if (!options.family.empty()) family = options.family;
  if (options.emulated) weft::testing::let_guards_be_read();
  struct sigaction action {};
  action.sa_handler = tell_case;
  sigaction(SIGSEGV, &action, &before);
  random_cases::Histogram histogram;
  std::uint64_t failures = 0;
  std::uint64_t done = 0;
  for (std::uint64_t i = first; i < end && failures < options.most_failures; ++i, ++done) {
    random_cases::Case c = random_cases::draw(options.seed, i, family);
    if (options.only) std::printf("%s", random_cases::describe(c).c_str());
    std::snprintf(replay.data(), replay.size(),
                  "  replay: weft_random --seed %" PRIu64 " --operator %s --case %" PRIu64 "\n",
                  c.seed, std::string(random_cases::family_of(c.params)).c_str(), c.index);
    const random_cases::Result result = random_cases::check(c);
    c.traits.emplace("algorithm", result.algorithm);
    histogram.add(c);
    if (terminal && i % 64 == 0) {
      std::fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " cases", i - first, end - first);
    }
    if (result.verdict == random_cases::Verdict::right) continue;
    if (terminal) std::fprintf(stderr, "\r");
    report(c, result.message);
    ++failures;
  }
  if (terminal) std::fprintf(stderr, "\r\x1b[K");
  if (options.histogram) std::printf("%s", histogram.text().c_str());
  std::printf("%" PRIu64 " cases of seed %" PRIu64 ", %" PRIu64 " wrong\n", done, options.seed,
              failures);
  return failures == 0 ? 0 : 1;
}

int parse_and_run(int argc, char** argv) {
  Options options;
  CLI::App app("Random cases of every operator, checked against a naive reference.");
  app.add_option("--count", options.count, "how many cases")->capture_default_str();
  app.add_option("--seed", options.seed, "what they are drawn from")->capture_default_str();
  const auto families = random_cases::family_names();
  app.add_option("--operator", options.family, "only this one")
      ->check(CLI::IsMember(std::vector<std::string>(families.begin(), families.end())));
  app.add_option("--case", options.only, "only the case of this number, described");
  app.add_flag("--histogram", options.histogram, "count what was drawn");
  app.add_flag("--emulated", options.emulated,
               "let reads pass the ends of tensors, as those of an emulator's masked loads do");
  app.add_option("--failures", options.most_failures, "stop after as many")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return run(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    return 2;
  }
}
