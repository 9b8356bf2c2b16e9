#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/levels.h"
#include "weft/error.h"
#include "weft/info.h"

namespace weft {

namespace {
constexpr Isa isas[] = {Isa::base, Isa::sse4, Isa::avx2, Isa::avx512, Isa::amx};
constexpr std::string_view isa_names[] = {"base", "sse4", "avx2", "avx512", "amx"};
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

#if defined(__x86_64__)

namespace {

// Whether the processor has tiles for bfloat16, and the kernel lets this process use them: the
// registers are so large that it saves them only for those who ask.
bool may_use_tiles() noexcept {
  static const bool granted = [] {
    constexpr unsigned kBfloat16 = 1u << 22, kTiles = 1u << 24;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & kBfloat16) == 0 || (d & kTiles) == 0) return false;
    constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return granted;
}

}  // namespace

#endif

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
    case Isa::amx:
      return machine_has(Isa::avx512) && may_use_tiles();
  }
  return false;
#else
  return isa == Isa::base;
#endif
}

bool is_amd() noexcept {
#if defined(__x86_64__)
  static const bool is = [] {
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") != 0;
  }();
  return is;
#else
  return false;
#endif
}

bool is_zen5() noexcept {
#if defined(__x86_64__)
  static const bool is = [] {
    constexpr unsigned kZen5 = 0x1a;  // its family, which stands in two parts
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!is_amd() || __get_cpuid(1, &a, &b, &c, &d) == 0) return false;
    return (a >> 8 & 0xf) + (a >> 20 & 0xff) >= kZen5;
  }();
  return is;
#else
  return false;
#endif
}

bool halves_vectors() noexcept { return is_amd() && !is_zen5() && machine_has(Isa::avx512); }

bool built_with(Isa isa) noexcept {
  constexpr Isa built[] = {
#define WEFT_BUILT(level) Isa::level,
      WEFT_FOR_EACH_LEVEL(WEFT_BUILT)
#ifdef WEFT_HAVE_amx
          Isa::amx,
#endif
#undef WEFT_BUILT
  };
  return std::find(std::begin(built), std::end(built), isa) != std::end(built);
}

bool strict_asked() {
  const char* text = std::getenv("WEFT_DETERMINISM");
  if (text == nullptr || *text == '\0') return false;
  const std::string_view wanted = text;
  if (wanted == "strict") return true;
  if (wanted == "machine") return false;
  throw Error(ErrorCode::invalid_argument, "WEFT_DETERMINISM is \"" + std::string(wanted) +
                                               "\", must be one of machine, strict");
}

Isa choose_isa(std::optional<Isa> cap) {
  Isa limit = cap.value_or(Isa::amx);
  if (const char* text = std::getenv("WEFT_MAX_ISA"); text != nullptr && *text != '\0') {
    const std::optional<Isa> wanted = parse_isa(text);
    if (!wanted) {
      throw Error(ErrorCode::invalid_argument,
                  "WEFT_MAX_ISA is \"" + std::string(text) +
                      "\", must be one of base, sse4, avx2, avx512, amx");
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
