#pragma once

#include <gtest/gtest.h>

#include <iterator>

#include "base/cpu.h"
#include "random/check.h"

namespace weft::testing {

// Fills the tensors with random numbers and holds the result against the naive reference, with
// canaries around everything, other thread counts and buffer alignments: random/check.h. The
// instruction set changes with `seed`.
inline void expect_right(const OperatorParams& params, std::uint64_t seed,
                         random_cases::Values values = random_cases::Values::plain) {
  constexpr Isa isas[] = {Isa::amx, Isa::avx512, Isa::base, Isa::avx2, Isa::sse4};
  random_cases::Case c;
  c.params = params;
  c.options.threads = static_cast<unsigned>(seed % 4 + 1);
  c.options.max_isa = isas[seed % std::size(isas)];
  c.other_threads = static_cast<unsigned>(seed % 3 + 5);
  c.values = values;
  c.data_seed = seed;
  const random_cases::Result result = random_cases::check(c);
  EXPECT_EQ(result.verdict, random_cases::Verdict::right) << result.message << '\n'
                                                          << random_cases::describe(c);
}

// The messages of validate(), one line each.
template <class Params>
std::vector<std::string> messages(const Params& params) {
  std::vector<std::string> result;
  for (const Violation& violation : validate(params)) result.push_back(violation.text());
  return result;
}

}  // namespace weft::testing
