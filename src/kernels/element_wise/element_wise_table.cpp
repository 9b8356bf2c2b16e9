#include "kernels/element_wise/element_wise.h"
#include "kernels/element_wise/element_wise_levels.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

#define WEFT_SMALL(level, type)     \
  {Isa::level,                      \
   DataType::type,                  \
   #type "_" #level,                \
   level::clamp_row<std::type##_t>, \
   level::scale_row<std::type##_t>, \
   level::integer_shrink_row<std::type##_t>},
#define WEFT_LARGE(level, type) \
  {Isa::level, DataType::type, #type "_" #level, level::clamp_row<std::type##_t>, nullptr, nullptr},
#define WEFT_LEVEL(level)   \
  WEFT_SMALL(level, int8)   \
  WEFT_SMALL(level, int16)  \
  WEFT_SMALL(level, int32)  \
  WEFT_SMALL(level, uint8)  \
  WEFT_SMALL(level, uint16) \
  WEFT_SMALL(level, uint32) \
  WEFT_LARGE(level, int64)  \
  WEFT_LARGE(level, uint64)
constexpr IntegerKernel kElementWiseTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_LEVEL)};
#undef WEFT_LEVEL
#undef WEFT_LARGE
#undef WEFT_SMALL

}  // namespace

std::span<const IntegerKernel> integer_kernel_table() noexcept { return kElementWiseTable; }

const IntegerKernel* integer_kernel(DataType type, Isa isa) noexcept {
  return first_fit(kElementWiseTable, isa, [&](const auto& row) { return row.type == type; });
}

}  // namespace weft::kernels
