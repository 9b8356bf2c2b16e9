// The random check itself: that it is reproducible, and that it catches what it is there to catch.

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "random/check.h"
#include "random/defects.h"
#include "random/histogram.h"

namespace weft::random_cases {

namespace {

struct Planted {
  Defect defect;
  std::string_view family;  // of the cases to draw
};

std::ostream& operator<<(std::ostream& out, const Planted& planted) {
  return out << planted.family << ": " << planted.defect.name;
}

std::vector<Planted> all_planted() {
  std::vector<Planted> result;
  for (const auto list : {convolution_defects(), sliding_window_defects(), resample_defects(),
                          element_wise_defects()}) {
    for (const Defect& defect : list) result.push_back({defect, defect.family});
  }
  for (const Defect& defect : writing_defects()) {
    for (const std::string_view family : family_names()) result.push_back({defect, family});
  }
  return result;
}

class PlantedDefect : public ::testing::TestWithParam<Planted> {};

// Within as many cases as the shortest run of the random test draws of each operator.
constexpr std::uint64_t kCases = 400;

TEST_P(PlantedDefect, IsCaught) {
  const Planted& planted = GetParam();
  std::uint64_t applicable = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    const Case c = draw(2, i, planted.family);
    const Result result = check(c, &planted.defect);
    applicable += result.verdict == Verdict::not_applicable ? 0 : 1;
    if (result.verdict == Verdict::wrong) {
      RecordProperty("cases", std::to_string(i + 1));
      return;
    }
  }
  FAIL() << "not caught in " << kCases << " cases, of which it applied to " << applicable;
}

INSTANTIATE_TEST_SUITE_P(, PlantedDefect, ::testing::ValuesIn(all_planted()));

TEST(RandomCases, AreTheSameForTheSameSeed) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Case c = draw(5, i);
    EXPECT_EQ(describe(c), describe(draw(5, i)));
    // Asking for the family that the index draws changes nothing: replays need it.
    EXPECT_EQ(describe(c), describe(draw(5, i, family_of(c.params))));
    EXPECT_EQ(c.data_seed, draw(5, i, family_of(c.params)).data_seed);
  }
  EXPECT_NE(describe(draw(5, 0)), describe(draw(6, 0)));
}

TEST(RandomCases, DrawEveryOperator) {
  Histogram histogram;
  for (std::uint64_t i = 0; i < 2000; ++i) histogram.add(draw(1, i));
  const std::string text = histogram.text();
  for (const OperatorType type : all_operator_types()) {
    EXPECT_NE(text.find("  " + std::string(name(type)) + " "), std::string::npos) << name(type);
  }
}

}  // namespace
}  // namespace weft::random_cases
