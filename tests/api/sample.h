#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/aligned_memory.h"
#include "support/guard_page.h"
#include "weft/operator.h"

namespace weft::api_tests {

// One operator with everything set: small, but with more than one tile.
struct Sample {
  std::string name;
  OperatorParams params;
};

std::ostream& operator<<(std::ostream& out, const Sample& sample);

// Every operator, in several types, shapes and layouts.
const std::vector<Sample>& samples();
std::string sample_name(const ::testing::TestParamInfo<Sample>& info);

// Memory for everything that one run of a plan takes. The inputs hold the same numbers whenever
// the plan's tensors are the same; the output holds a pattern; each ends at a guard page.
class RunMemory {
 public:
  explicit RunMemory(const Plan& plan);

  // Valid as long as this object; the vectors may be changed to make bindings that are wrong.
  std::vector<ConstBuffer> inputs;
  std::vector<Buffer> outputs;
  ConstBuffer prepared;
  Buffer workspace;

  Bindings bindings() const { return {inputs, outputs, prepared}; }

  // What the output holds now.
  std::vector<std::byte> output() const;

  void fill_workspace(unsigned char value);

 private:
  std::vector<testing::GuardedMemory> memory_;
  base::AlignedMemory workspace_;
  base::AlignedMemory prepared_;
};

// The output of one run; fails the test when run() does.
std::vector<std::byte> output_of(const Plan& plan);

}  // namespace weft::api_tests
