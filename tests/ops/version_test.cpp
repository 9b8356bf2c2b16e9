#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "weft/info.h"
#include "weft/operator.h"

namespace weft {
namespace {

TEST(Version, HasThreeNumbers) {
  EXPECT_THAT(std::string(version()), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(FeatureLevel, IsTheHighestThatAnOperatorNeeds) {
  const auto table = operator_support();
  const auto newest = std::max_element(
      table.begin(), table.end(),
      [](const auto& a, const auto& b) { return a.first_feature_level < b.first_feature_level; });
  EXPECT_EQ(feature_level(), newest->first_feature_level);
}

}  // namespace
}  // namespace weft
