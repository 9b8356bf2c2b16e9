// Same inputs, same bits: whatever the number of threads, whoever runs the plan, wherever the
// tensors lie.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "api/sample.h"

namespace weft::api_tests {
namespace {

class Determinism : public ::testing::TestWithParam<Sample> {
 protected:
  Plan plan_with(unsigned threads) const { return plan(GetParam().params, {.threads = threads}); }
};

INSTANTIATE_TEST_SUITE_P(, Determinism, ::testing::ValuesIn(samples()), sample_name);

TEST_P(Determinism, SameBitsForEveryThreadCount) {
  const std::vector<std::byte> one = output_of(plan_with(1));
  for (const unsigned threads : {0u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    EXPECT_EQ(output_of(plan_with(threads)), one) << threads << " threads";
  }
}

TEST_P(Determinism, OnePlanRunsFromEightThreadsAtOnce) {
  const Plan plan = plan_with(2);
  const std::vector<std::byte> expected = output_of(plan);
  std::vector<std::vector<std::byte>> outputs(8);
  std::vector<std::thread> hosts;
  hosts.reserve(outputs.size());
  for (auto& output : outputs) {
    hosts.emplace_back([&plan, &output] {
      RunMemory memory(plan);
      for (int i = 0; i < 3; ++i) {
        if (plan.run(memory.bindings(), memory.workspace) != ErrorCode::ok) return;
      }
      output = memory.output();
    });
  }
  for (std::thread& host : hosts) host.join();
  for (const auto& output : outputs) EXPECT_EQ(output, expected);
}

TEST_P(Determinism, SameBitsWhereverTheTensorsLie) {
  const Plan plan = plan_with(2);
  RunMemory memory(plan);
  const std::vector<std::byte> expected = output_of(plan);
  // Tensors in the sample memory end at a page; here they start at odd elements.
  std::vector<std::vector<std::byte>> copies;
  for (ConstBuffer& input : memory.inputs) {
    if (input.data == nullptr) continue;
    auto& copy = copies.emplace_back(input.size_in_bytes + 128);
    const auto address = reinterpret_cast<std::uintptr_t>(copy.data());
    std::byte* start = copy.data() + (64 - address % 64) % 64 + 8 * (copies.size() % 2);
    std::memcpy(start, input.data, input.size_in_bytes);
    input.data = start;
  }
  ASSERT_EQ(plan.run(memory.bindings(), memory.workspace), ErrorCode::ok);
  EXPECT_EQ(memory.output(), expected);
}

// Each image of a batch comes out as it does alone.
TEST(BatchPosition, DoesNotChangeABit) {
  constexpr std::uint32_t kBatch = 5;
  constexpr std::size_t kIn = std::size_t{7} * 13 * 15;
  constexpr std::size_t kOut = std::size_t{9} * 11 * 13;
  ConvolutionParams params{.input = {.sizes = {1, 7, 13, 15}},
                           .filter = {.sizes = {9, 7, 3, 3}},
                           .output = {.sizes = {1, 9, 11, 13}}};
  std::vector<float> image(kIn);
  std::vector<float> filter(std::size_t{9} * 7 * 9);
  for (std::size_t i = 0; i < kIn; ++i) image[i] = static_cast<float>(i % 101) / 37 - 1;
  for (std::size_t i = 0; i < filter.size(); ++i) filter[i] = static_cast<float>(i % 89) / 41 - 1;
  const ConstBuffer weights = {filter.data(), filter.size() * 4};
  std::vector<float> alone(kOut);
  convolution(params, {image.data(), kIn * 4}, weights, {}, {alone.data(), kOut * 4});

  std::vector<float> images(kBatch * kIn, 3);
  std::vector<float> outputs(kBatch * kOut);
  params.input.sizes[0] = kBatch;
  params.output.sizes[0] = kBatch;
  for (std::size_t n = 0; n < kBatch; ++n) {
    std::copy(image.begin(), image.end(), images.begin() + static_cast<std::ptrdiff_t>(n * kIn));
  }
  convolution(params, {images.data(), images.size() * 4}, weights, {},
              {outputs.data(), outputs.size() * 4});
  for (std::size_t n = 0; n < kBatch; ++n) {
    const auto first = outputs.begin() + static_cast<std::ptrdiff_t>(n * kOut);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), first)) << "image " << n;
  }
}

}  // namespace
}  // namespace weft::api_tests
