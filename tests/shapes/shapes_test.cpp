// Determinism on every shape of bench/shapes.json.

#include "bench/shapes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/cpu.h"
#include "bench/tensors.h"
#include "support/locations.h"
#include "weft/operator.h"

namespace weft::cli::bench {
namespace {

std::vector<Shape> all_shapes() {
  return read_shapes(weft::testing::source_dir() + "/bench/shapes.json", {});
}

class Runner {
 public:
  explicit Runner(const Shape& shape) : shape_(shape), tensors_(shape.params) {}

  std::vector<std::byte> run(const PlanOptions& options) {
    const Plan plan = weft::plan(shape_.params, options);
    const Memory workspace(plan.workspace_size_in_bytes());
    const ConstBuffer inputs[] = {tensors_.input(0), tensors_.filter(), tensors_.bias()};
    const Buffer output = tensors_.output(0);
    const std::span<std::byte> bytes = tensors_.output_elements(0);
    std::memset(bytes.data(), 0x5a, bytes.size());
    plan.run({.inputs = {inputs, plan.inputs().size()}, .outputs = {&output, 1}},
             workspace.buffer());
    return {bytes.begin(), bytes.end()};
  }

 private:
  const Shape& shape_;
  Tensors tensors_;
};

TEST(Shapes, SameBitsForEveryThreadCount) {
  for (const Shape& shape : all_shapes()) {
    SCOPED_TRACE(shape.id);
    Runner runner(shape);
    const std::vector<std::byte> expected = runner.run({.threads = 1});
    for (const unsigned threads : {2u, 3u, 7u}) {
      EXPECT_TRUE(runner.run({.threads = threads}) == expected) << threads << " threads";
    }
  }
}

// Fused multiply-adds without an instruction for them are slow: at the base level only the smaller
// shapes, but for full tests.
TEST(Shapes, SameBitsAtEveryLevelInStrictMode) {
  constexpr double kMostOperations = 4e7;
  const char* full = std::getenv("WEFT_FULL_TESTS");
  const bool all = full != nullptr && std::string_view(full) == "1";
  for (const Shape& shape : all_shapes()) {
    if (shape.type() != OperatorType::convolution) continue;
    SCOPED_TRACE(shape.id);
    Runner runner(shape);
    const std::vector<std::byte> expected = runner.run({.strict = true});
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::base}) {
      if (isa >= base::choose_isa() ||
          (isa == Isa::base && !all && shape.flops() > kMostOperations)) {
        continue;
      }
      EXPECT_TRUE(runner.run({.max_isa = isa, .strict = true}) == expected) << name(isa);
    }
  }
}

}  // namespace
}  // namespace weft::cli::bench
