#include <cassert>

#include "kernels/fold/fold.h"
#include "kernels/fold/fold_levels.h"
#include "kernels/isa.h"

namespace weft::kernels {

namespace {

// Only AVX-512 has enough registers for rows.
constexpr FoldRowsFunction from_avx512(Isa level, FoldRowsFunction rows) {
  return level >= Isa::avx512 ? rows : nullptr;
}

#define WEFT_FOLD(level)                                                                 \
  {Isa::level, false, 8, 1, level::fold_i8, nullptr, nullptr, "fold_i8_" #level},        \
      {Isa::level, false, 16, 2, level::fold_i16, nullptr, nullptr, "fold_i16_" #level}, \
      {Isa::level,                                                                       \
       false,                                                                            \
       32,                                                                               \
       4,                                                                                \
       level::fold_i32,                                                                  \
       from_avx512(Isa::level, level::fold_rows_i32),                                    \
       nullptr,                                                                          \
       "fold_i32_" #level},                                                              \
      {Isa::level, false, 64, 8, level::fold_i64, nullptr, nullptr, "fold_i64_" #level}, \
      {Isa::level,                                                                       \
       true,                                                                             \
       16,                                                                               \
       4,                                                                                \
       level::fold_f16,                                                                  \
       from_avx512(Isa::level, level::fold_rows_f16),                                    \
       level::tidy_f32,                                                                  \
       "fold_f16_" #level},                                                              \
      {Isa::level,                                                                       \
       true,                                                                             \
       32,                                                                               \
       4,                                                                                \
       level::fold_f32,                                                                  \
       from_avx512(Isa::level, level::fold_rows_f32),                                    \
       level::tidy_f32,                                                                  \
       "fold_f32_" #level},                                                              \
      {Isa::level, true, 64, 8, level::fold_f64, nullptr, level::tidy_f64, "fold_f64_" #level},
constexpr FoldKernel kFoldTable[] = {WEFT_FOR_EACH_LEVEL(WEFT_FOLD)};
#undef WEFT_FOLD

}  // namespace

std::span<const FoldKernel> fold_kernel_table() noexcept { return kFoldTable; }

const FoldKernel& fold_kernel(Isa isa, DataType type) noexcept {
  const bool is_float =
      type == DataType::float16 || type == DataType::float32 || type == DataType::float64;
  const auto* row = first_fit(kFoldTable, isa, [&](const auto& r) {
    return r.is_float == is_float && r.bits == bit_size(type);
  });
  assert(row != nullptr);  // every type has a base row
  return *row;
}

}  // namespace weft::kernels
