// Models and data files with bytes, words and lengths changed at random: whatever comes of it, the
// command ends with a status of its own, never by a signal.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

#include "errors/good_models.h"
#include "support/command.h"

namespace weft::testing {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) {
  return static_cast<std::size_t>(random() % count);
}

// What a random byte would hardly ever make.
const std::vector<std::string> kWords = {
    "0",         "-1",      "4294967295",  "4294967296", "18446744073709551615",
    "65536",     "1e308",   "1e-45",       "0.5",        "9223372036854775808",
    "\"nan\"",   "\"inf\"", "null",        "true",       "[]",
    "{}",        "[1, 0]",  "\"FLOAT16\"", "\"INT8\"",   "\"OWNED_BY_DML\"",
    "\"x\"",     "\"y\"",   "\"op\"",      "\"FOLD\"",   "\"BACKWARD\"",
    "\"UINT4\"", "(1, 0)",  "True",        "'<i8'",      "'>f2'",
    "[",         "}",       ",",           "\"",         "/*"};

// Start and length of the number, word or string at or after `at`.
std::pair<std::size_t, std::size_t> token(const std::string& text, std::size_t at) {
  constexpr char kLetters[] =
      "0123456789.-+abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_\"'<>";
  const std::size_t start = text.find_first_of(kLetters, at);
  if (start == std::string::npos) return {text.size(), 0};
  const std::size_t end = text.find_first_not_of(kLetters, start);
  return {start, std::min(end, text.size()) - start};
}

std::string mutated(std::string text, Random& random) {
  const std::size_t changes = 1 + below(random, 4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(random, text.size());
    switch (below(random, 12)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
        break;
      case 1:
        text[at] = static_cast<char>(random());
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(at, text.substr(below(random, text.size()), below(random, 64)));
        break;
      case 4:
        text.erase(at, 1 + below(random, 16));
        break;
      case 5:
      case 6:
      case 7:
      case 8: {
        const auto [start, length] = token(text, at);
        text.replace(start, length, kWords[below(random, kWords.size())]);
        break;
      }
      default: {  // two words change places
        const auto [a, a_length] = token(text, at);
        const auto [b, b_length] = token(text, below(random, text.size()));
        const std::string first = text.substr(a, a_length);
        const std::string second = text.substr(b, b_length);
        text.replace(std::max(a, b), a > b ? a_length : b_length, a > b ? second : first);
        text.replace(std::min(a, b), a > b ? b_length : a_length, a > b ? first : second);
      }
    }
  }
  return text;
}

// A mutant of a good model or of its data file, in `folder`; the command line that reads it.
std::string lay_out_mutant(const std::filesystem::path& folder, Random& random) {
  auto model = good_models().begin();
  std::advance(model, below(random, good_models().size()));
  if (below(random, 4) == 0) model = good_models().find("npy");
  GoodModel mutant = model->second;
  if (!mutant.files.empty() && below(random, 2) == 0) {
    std::string& bytes = mutant.files.begin()->second;
    bytes = mutated(bytes, random);
  } else {
    mutant.text = mutated(mutant.text, random);
  }
  write_file(folder / "model.json", mutant.text);
  for (const auto& [name, bytes] : mutant.files) write_file(folder / name, bytes);
  return below(random, 2) == 0 ? "weft check model.json" : "weft shape model.json";
}

// A mutant may ask for all the memory there is, which is not what this test is about.
#ifdef __SANITIZE_ADDRESS__
constexpr char kLimit[] =
    "export ASAN_OPTIONS=max_allocation_size_mb=2048:allocator_may_return_null=1; ";
#else
constexpr char kLimit[] = "ulimit -v 8388608; ";
#endif

TEST(MutationTest, NoMutantEndsTheCommandByASignal) {
  const char* const given = std::getenv("WEFT_TEST_SEED");
  const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  const char* const seconds = std::getenv("WEFT_TEST_SECONDS");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 10);
  const TemporaryFolder folder;
  int statuses[3] = {};
  std::uint64_t seed = first;
  for (; seed < first + 1'000'000 && std::chrono::steady_clock::now() < end; ++seed) {
    Random random(seed);
    const std::string command = lay_out_mutant(folder.path(), random);
    const Outcome outcome = run_shell(kLimit + command, folder.path());
    ASSERT_TRUE(outcome.status >= 0 && outcome.status <= 2)
        << "status " << outcome.status << " with WEFT_TEST_SEED=" << seed << ": " << command << '\n'
        << outcome.err << read_file(folder.path() / "model.json");
    EXPECT_EQ(outcome.status == 2, !outcome.err.empty()) << "WEFT_TEST_SEED=" << seed;
    ++statuses[outcome.status];
  }
  std::cout << "seeds " << first << " to " << seed - 1 << ": " << statuses[0] << " passed, "
            << statuses[2] << " refused\n";
}

}  // namespace
}  // namespace weft::testing
