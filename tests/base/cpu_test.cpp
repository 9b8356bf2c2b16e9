#include "base/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "weft/info.h"
#include "weft/unfold.h"

namespace weft {
namespace {

constexpr Isa kIsas[] = {Isa::base, Isa::sse4, Isa::avx2, Isa::avx512, Isa::amx};

// Sets WEFT_MAX_ISA for a test and puts back what was there.
class MaxIsa {
 public:
  explicit MaxIsa(const char* value) {
    if (const char* old = std::getenv(kName)) before_ = old;
    set(value);
  }
  ~MaxIsa() { set(before_ ? before_->c_str() : nullptr); }

 private:
  static constexpr const char* kName = "WEFT_MAX_ISA";
  static void set(const char* value) {
    if (value != nullptr) {
      setenv(kName, value, 1);
    } else {
      unsetenv(kName);
    }
  }
  std::optional<std::string> before_;
};

// The best level up to `cap` that is built and that this machine has.
Isa best_up_to(Isa cap) {
  Isa best = Isa::base;
  for (const Isa isa : kIsas) {
    if (isa <= cap && base::built_with(isa) && base::machine_has(isa)) best = isa;
  }
  return best;
}

TEST(Isa, NamesReadBack) {
  for (const Isa isa : kIsas) EXPECT_EQ(parse_isa(name(isa)), isa);
  EXPECT_EQ(parse_isa("AVX2"), std::nullopt);
  EXPECT_EQ(parse_isa(""), std::nullopt);
  EXPECT_EQ(name(static_cast<Isa>(99)), "unknown");
}

TEST(Isa, TheBaseIsAlwaysThere) {
  EXPECT_TRUE(base::machine_has(Isa::base));
  EXPECT_TRUE(base::built_with(Isa::base));
  for (const std::vector<Isa>& list : {built_isas(), machine_isas()}) {
    EXPECT_EQ(list.front(), Isa::base);
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  }
}

TEST(Isa, AMachineThatHasALevelHasTheOnesBelow) {
  bool above = true;
  for (const Isa isa : kIsas) {
    if (!base::machine_has(isa)) above = false;
    EXPECT_EQ(base::machine_has(isa), above) << name(isa);
  }
}

TEST(Isa, ThePlanOptionCaps) {
  const MaxIsa none(nullptr);
  for (const Isa isa : kIsas) EXPECT_EQ(base::choose_isa(isa), best_up_to(isa)) << name(isa);
  EXPECT_EQ(best_isa(), best_up_to(Isa::amx));
}

TEST(Isa, TheEnvironmentCaps) {
  for (const Isa isa : kIsas) {
    const MaxIsa cap(std::string(name(isa)).c_str());
    EXPECT_EQ(best_isa(), best_up_to(isa)) << name(isa);
    EXPECT_EQ(base::choose_isa(Isa::base), Isa::base);
    EXPECT_EQ(base::choose_isa(Isa::amx), best_up_to(isa));
  }
}

TEST(Isa, AnEmptyEnvironmentVariableCapsNothing) {
  const MaxIsa empty("");
  EXPECT_EQ(best_isa(), best_up_to(Isa::amx));
}

TEST(Isa, AnUnknownNameIsAnError) {
  const MaxIsa wrong("avx3");
  try {
    best_isa();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(),
                 "WEFT_MAX_ISA is \"avx3\", must be one of base, sse4, avx2, avx512, amx");
  }
  const UnfoldParams params{
      .input = {.sizes = {1, 1, 3, 3}}, .output = {.sizes = {1, 4, 4}}, .window_sizes = {2, 2}};
  EXPECT_THROW(plan(params), Error);
}

}  // namespace
}  // namespace weft
