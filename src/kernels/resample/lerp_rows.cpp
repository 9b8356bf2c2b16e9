#include <cstdint>

#include "kernels/resample/resample_levels.h"
#include "kernels/resample/row_loops.h"

#ifdef __AVX512BW__

namespace weft::kernels::WEFT_ISA {

namespace {

using std::int64_t;

template <class Lanes, bool kOther>
bool interpolate_any(const LerpRows& k) noexcept {
  if (k.picks->index == nullptr) {
    interpolate_rows<Lanes, Maker<Lanes, false, kOther>>(k);
  } else if (k.picks->doubles) {
    interpolate_rows<Lanes, Doubler<Lanes, kOther>>(k);
  } else if (k.picks->reach_16 <= 2 * Floats::kLanes) {
    interpolate_rows<Lanes, Maker<Lanes, true, kOther>>(k);
  } else {
    return false;
  }
  return true;
}

template <class Lanes>
bool interpolate_any(const LerpRows& k) noexcept {
  return k.other == nullptr ? interpolate_any<Lanes, false>(k) : interpolate_any<Lanes, true>(k);
}

}  // namespace

template <class T>
bool lerp_rows(const LerpRows& k) noexcept {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (k.past_caches && are_at_lines(k)) return interpolate_any<StreamedRows>(k);
  }
  return interpolate_any<RowLanes<T>>(k);
}
template bool lerp_rows<float>(const LerpRows&) noexcept;
template bool lerp_rows<std::uint16_t>(const LerpRows&) noexcept;

}  // namespace weft::kernels::WEFT_ISA

#endif
