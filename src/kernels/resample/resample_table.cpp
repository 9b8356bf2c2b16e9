#include "kernels/isa.h"
#include "kernels/resample/resample.h"
#include "kernels/resample/resample_levels.h"

namespace weft::kernels {

namespace {

using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint8_t;

#define WEFT_FIXED(level, Row)                                                \
  {                                                                           \
    level::fixed_along<int8_t, Row>, level::fixed_along<uint8_t, Row>,        \
        level::fixed_between<int8_t, Row>, level::fixed_between<uint8_t, Row> \
  }
#define WEFT_RESAMPLE(level)           \
  {Isa::level,                         \
   "nearest_" #level,                  \
   "linear_" #level,                   \
   "antialias_" #level,                \
   level::gather_row<uint8_t>,         \
   level::gather_row<uint16_t>,        \
   level::gather_row<uint32_t>,        \
   level::repeat_rows,                 \
   level::load_row<float>,             \
   level::load_row<uint16_t>,          \
   level::widen_row<int8_t, float>,    \
   level::widen_row<uint8_t, float>,   \
   level::widen_row<int8_t, double>,   \
   level::widen_row<uint8_t, double>,  \
   level::truncate_row<int8_t>,        \
   level::truncate_row<uint8_t>,       \
   level::lerp_between<float>,         \
   level::lerp_between_past_caches,    \
   level::lerp_between<uint16_t>,      \
   level::lerp_between_f64,            \
   level::lerp_along<float, float>,    \
   level::lerp_along<uint16_t, float>, \
   level::lerp_along<double, double>,  \
   level::lerp_rows<float>,            \
   level::lerp_rows<uint16_t>,         \
   WEFT_FIXED(level, uint16_t),        \
   WEFT_FIXED(level, uint32_t),        \
   level::add_row,                     \
   level::triangle_sum,                \
   level::narrow_row},
constexpr ResampleKernels kResampleTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_RESAMPLE)};
#undef WEFT_RESAMPLE
#undef WEFT_FIXED

}  // namespace

std::span<const ResampleKernels> resample_kernel_table() noexcept { return kResampleTable; }

const ResampleKernels& resample_kernels(Isa isa) noexcept { return first_fit(kResampleTable, isa); }

}  // namespace weft::kernels
