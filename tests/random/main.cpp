// weft_random: random cases of every operator against the naive reference.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>

#include "random/check.h"
#include "random/histogram.h"

namespace {

namespace random_cases = weft::random_cases;

struct Options {
  std::uint64_t count = 1000;
  std::uint64_t seed = 1;
  std::string family;
  std::optional<std::uint64_t> only;
  bool histogram = false;
  std::uint64_t most_failures = 5;
};

void report(const random_cases::Case& c, const std::string& message) {
  const std::string family(random_cases::family_of(c.params));
  std::printf("case %" PRIu64 " of seed %" PRIu64 ": %s  %s\n", c.index, c.seed,
              random_cases::describe(c).c_str(), message.c_str());
  std::printf("  replay: weft_random --seed %" PRIu64 " --operator %s --case %" PRIu64 "\n\n",
              c.seed, family.c_str(), c.index);
}

int run(const Options& options) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::uint64_t first = options.only.value_or(0);
  const std::uint64_t end = options.only ? first + 1 : options.count;
  std::optional<std::string_view> family;
  if (!options.family.empty()) family = options.family;
  random_cases::Histogram histogram;
  std::uint64_t failures = 0;
  std::uint64_t done = 0;
  for (std::uint64_t i = first; i < end && failures < options.most_failures; ++i, ++done) {
    const random_cases::Case c = random_cases::draw(options.seed, i, family);
    histogram.add(c);
    if (options.only) std::printf("%s", random_cases::describe(c).c_str());
    const random_cases::Result result = random_cases::check(c);
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
