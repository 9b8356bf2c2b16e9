// A comparison that cannot fail proves nothing: these results are wrong, and have to be found.

#include "conformance/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "conformance/backend.h"
#include "conformance/npy.h"
#include "support/locations.h"

namespace weft::conformance {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Three elements, two apart, within 0.5 of 1, infinity and NaN.
class Compare : public ::testing::Test {
 protected:
  void SetUp() override {
    test_.output.field = "OutputTensor";
    test_.output.desc = {.sizes = {3}, .strides = {2}, .total_size_in_bytes = 20};
    test_.output.bytes.resize(20);
    test_.atol = 0.5;
    write(test_.output.bytes, {1, kInfinity, std::nanf("")});
    initial_ = filled_output(test_);
    result_ = initial_;
  }

  static void write(std::vector<std::byte>& bytes, const std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(bytes.data() + 8 * i, &values[i], sizeof values[i]);
    }
  }

  std::string difference_of(const std::vector<float>& values) {
    write(result_, values);
    return difference(test_, initial_, result_);
  }

  Case test_;
  std::vector<std::byte> initial_;
  std::vector<std::byte> result_;
};

TEST_F(Compare, AcceptsWhatIsWithinTheTolerance) {
  EXPECT_EQ(difference_of({1.5f, kInfinity, std::nanf("")}), "");
  EXPECT_EQ(difference_of({0.5f, kInfinity, -std::nanf("")}), "");
}

TEST_F(Compare, FindsWhatIsNot) {
  EXPECT_EQ(difference_of({1.75f, kInfinity, std::nanf("")}),
            "1 of 3 elements: element 0 (byte 0) is 1.75, must be 1 +- 0.5");
  EXPECT_NE(difference_of({std::nanf(""), kInfinity, std::nanf("")}), "");
  EXPECT_NE(difference_of({kInfinity, kInfinity, std::nanf("")}), "");
  EXPECT_NE(difference_of({1, -kInfinity, std::nanf("")}), "");
  EXPECT_NE(difference_of({1, 3e38f, std::nanf("")}), "");
  EXPECT_NE(difference_of({1, kInfinity, 1}), "");
}

TEST_F(Compare, FindsAGapThatWasWritten) {
  write(result_, {1, kInfinity, std::nanf("")});
  result_[13] = ~result_[13];
  EXPECT_EQ(difference(test_, initial_, result_), "byte 13 was written, where no element lies");
}

TEST_F(Compare, FindsAResultOfAnotherSize) {
  result_.resize(16);
  EXPECT_NE(difference(test_, initial_, result_), "");
}

TEST_F(Compare, TellsLargeIntegersApart) {
  test_.output.desc = {.data_type = DataType::uint64, .sizes = {1}, .total_size_in_bytes = 8};
  const std::uint64_t expected = UINT64_MAX;
  std::memcpy(test_.output.bytes.data(), &expected, 8);
  test_.output.bytes.resize(8);
  result_ = test_.output.bytes;
  initial_ = filled_output(test_);
  EXPECT_EQ(difference(test_, initial_, result_), "");
  result_[0] = std::byte{0xFE};
  EXPECT_NE(difference(test_, initial_, result_), "");
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "weft_bad.npy";
  for (const char* text : {"", "\x93NUMPY", "not an array at all"}) {
    std::ofstream(path) << text;
    EXPECT_THROW(read_npy(path), std::runtime_error) << text;
  }
  std::filesystem::remove(path);
  EXPECT_THROW(read_npy(path), std::runtime_error);
}

// A case with one expected number changed fails at either door.
class PlantedDefect : public ::testing::Test {
 protected:
  Case test_ = load_case(std::filesystem::path(testing::source_dir()) /
                         "tests/data/directml-docs/FOLD_example_2");
  const std::vector<std::byte> initial_ = filled_output(test_);

  void SetUp() override {
    const float wrong = 1000;
    std::memcpy(test_.output.bytes.data() + 12, &wrong, sizeof wrong);
  }
};

TEST_F(PlantedDefect, IsFoundInTheResultOfTheApi) {
  const auto results = make_api_backend()->run(test_, initial_);
  ASSERT_FALSE(results.empty());
  for (const Result& result : results) EXPECT_NE(difference(test_, initial_, result.output), "");
}

TEST_F(PlantedDefect, IsFoundByTheModelItself) {
  if (testing::weft_binary().empty()) GTEST_SKIP() << "this build has no weft command";
  try {
    make_command_backend()->run(test_, initial_);
    ADD_FAILURE() << "weft run found nothing";
  } catch (const std::exception& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("exit status 1")) << error.what();
  }
}

}  // namespace
}  // namespace weft::conformance
