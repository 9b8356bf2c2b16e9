#include "kernels/split/product.h"
#include "kernels/split/split.h"
#include "kernels/split/split_levels.h"

namespace weft::kernels {

const SplitKernels* split_kernels([[maybe_unused]] std::int64_t parts) noexcept {
#ifdef WEFT_HAVE_amx
  static constexpr SplitKernels table[] = {
      {2, "split_f16_amx", amx::split_enter, amx::split_leave, amx::split_pixels_2,
       amx::split_half_pixels, amx::split_filter_2, amx::split_multiply_2, amx::split_transpose,
       amx::split_store},
      {3, "split_f32_amx", amx::split_enter, amx::split_leave, amx::split_pixels_3, nullptr,
       amx::split_filter_3, amx::split_multiply_3, amx::split_transpose, amx::split_store},
  };
  for (const SplitKernels& row : table) {
    if (row.parts == parts) return &row;
  }
#endif
  return nullptr;
}

const ProductKernels* product_kernels([[maybe_unused]] std::int64_t parts) noexcept {
#ifdef WEFT_HAVE_amx
  static constexpr ProductKernels table[] = {
      {2, "product_f16_amx", amx::product_pack_pairs_2, amx::product_multiply_2, amx::product_store,
       amx::product_pack_2},
      {3, "product_f32_amx", amx::product_pack_pairs_3, amx::product_multiply_3, amx::product_store,
       amx::product_pack_3},
  };
  for (const ProductKernels& row : table) {
    if (row.parts == parts) return &row;
  }
#endif
  return nullptr;
}

}  // namespace weft::kernels
