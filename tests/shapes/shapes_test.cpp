// Determinism on every shape of bench/shapes.json.

#include "bench/shapes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
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

// The shapes that one level computes as the best one does: all, or those of few or of many
// operations. Fused multiply-adds without an instruction for them are slow.
struct StrictCase {
  Isa isa;
  double least, most;
  bool is_long;
};

class StrictShapes : public ::testing::TestWithParam<StrictCase> {};

TEST_P(StrictShapes, SameBitsAtEveryLevel) {
  const auto& [isa, least, most, is_long] = GetParam();
  if (base::choose_isa() <= isa)
    GTEST_SKIP() << "no level above " << name(isa) << " to compare with";
  const char* full = std::getenv("WEFT_FULL_TESTS");
  if (is_long && (full == nullptr || std::string_view(full) != "1")) {
    GTEST_SKIP() << "set WEFT_FULL_TESTS=1 (scripts/test --full) to run it";
  }
  for (const Shape& shape : all_shapes()) {
    if (shape.type() != OperatorType::convolution) continue;
    if (shape.flops() < least || shape.flops() >= most) continue;
    SCOPED_TRACE(shape.id);
    Runner runner(shape);
    EXPECT_TRUE(runner.run({.max_isa = isa, .strict = true}) == runner.run({.strict = true}));
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, StrictShapes,
                         ::testing::Values(StrictCase{Isa::avx512, 0, 1e99, false},
                                           StrictCase{Isa::avx2, 0, 1e99, false},
                                           StrictCase{Isa::base, 0, 4e7, false},
                                           StrictCase{Isa::base, 4e7, 1e99, true}),
                         [](const auto& info) {
                           return std::string(name(info.param.isa)) +
                                  (info.param.is_long ? "_long" : "");
                         });

}  // namespace
}  // namespace weft::cli::bench
