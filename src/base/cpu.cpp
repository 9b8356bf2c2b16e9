#include "base/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/levels.h"
#include "weft/error.h"
#include "weft/info.h"

namespace weft {

namespace {
constexpr Isa isas[] = {Isa::base, Isa::sse4, Isa::avx2, Isa::avx512};
constexpr std::string_view isa_names[] = {"base", "sse4", "avx2", "avx512"};
}  // namespace

std::string_view name(Isa isa) noexcept {
  const auto i = static_cast<std::size_t>(isa);
  return i < std::size(isa_names) ? isa_names[i] : "unknown";
}

std::optional<Isa> parse_isa(std::string_view text) noexcept {
  for (const Isa isa : isas) {
    if (name(isa) == text) return isa;
  }
  return std::nullopt;
}

std::vector<Isa> built_isas() {
  std::vector<Isa> result;
  for (const Isa isa : isas) {
    if (base::built_with(isa)) result.push_back(isa);
  }
  return result;
}

std::vector<Isa> machine_isas() {
  std::vector<Isa> result;
  for (const Isa isa : isas) {
    if (base::machine_has(isa)) result.push_back(isa);
  }
  return result;
}

Isa best_isa() { return base::choose_isa(); }

namespace base {

bool machine_has(Isa isa) noexcept {
#if defined(__x86_64__)
  // The compiler's run-time test also asks whether the operating system saves the registers. Not
  // every compiler can ask for F16C; no machine has AVX2 without it.
  switch (isa) {
    case Isa::base:
      return true;
    case Isa::sse4:
      return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case Isa::avx512:
      return machine_has(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return isa == Isa::base;
#endif
}

bool built_with(Isa isa) noexcept {
  constexpr Isa built[] = {
#define WEFT_BUILT(level) Isa::level,
      WEFT_FOR_EACH_LEVEL(WEFT_BUILT)
#undef WEFT_BUILT
  };
  return std::find(std::begin(built), std::end(built), isa) != std::end(built);
}

Isa choose_isa(std::optional<Isa> cap) {
  Isa limit = cap.value_or(Isa::avx512);
  if (const char* text = std::getenv("WEFT_MAX_ISA"); text != nullptr && *text != '\0') {
    const std::optional<Isa> wanted = parse_isa(text);
    if (!wanted) {
      throw Error(ErrorCode::invalid_argument, "WEFT_MAX_ISA is \"" + std::string(text) +
                                                   "\", must be one of base, sse4, avx2, avx512");
    }
    limit = std::min(limit, *wanted);
  }
  Isa best = Isa::base;
  for (const Isa isa : isas) {
    if (isa <= limit && built_with(isa) && machine_has(isa)) best = isa;
  }
  return best;
}

}  // namespace base
}  // namespace weft
