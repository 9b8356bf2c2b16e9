#include "kernels/isa.h"
#include "kernels/rows/rows.h"
#include "kernels/rows/rows_levels.h"

namespace weft::kernels {

namespace {

#define WEFT_ROWS(level)  \
  {Isa::level,            \
   level::load_f32,       \
   level::load_f16,       \
   level::store_f32,      \
   level::store_f16,      \
   level::load_rows_f16,  \
   level::store_rows_f16, \
   level::interleave,     \
   level::interleave_f16, \
   level::copy_8,         \
   level::copy_16,        \
   level::copy_32,        \
   level::copy_64},
constexpr RowKernels kRowsTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_ROWS)};
#undef WEFT_ROWS

}  // namespace

std::span<const RowKernels> row_kernel_table() noexcept { return kRowsTable; }

const RowKernels& row_kernels(Isa isa) noexcept { return first_fit(kRowsTable, isa); }

}  // namespace weft::kernels
