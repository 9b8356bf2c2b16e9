#pragma once

// Declares the split kernels of the instruction sets that have a matrix unit. split.h and product.h
// have their contracts; the number at the end of a name is that of parts.

#include <cstdint>

namespace weft::kernels {
struct LaneRange;
struct PatchPairs;
struct ProductBlock;
struct ProductSide;
struct SplitRange;
struct SplitResult;
struct SplitTile;
}  // namespace weft::kernels

namespace weft::kernels::amx {

void split_enter() noexcept;
void split_leave() noexcept;
void split_pixels_2(const float* rows, std::int64_t row_stride, std::int64_t count,
                    std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept;
void split_pixels_3(const float* rows, std::int64_t row_stride, std::int64_t count,
                    std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept;
void split_half_pixels(const std::uint16_t* rows, std::int64_t row_stride, std::int64_t count,
                       std::uint16_t* to, std::int64_t part_stride, SplitRange& range) noexcept;
void split_filter_2(const float* rows, std::uint16_t* to, SplitRange& range) noexcept;
void split_filter_3(const float* rows, std::uint16_t* to, SplitRange& range) noexcept;
void split_multiply_2(const SplitTile& tile, SplitResult& before) noexcept;
void split_multiply_3(const SplitTile& tile, SplitResult& before) noexcept;
void split_transpose(const float* acc, float* to, std::int64_t to_stride) noexcept;
void split_store(SplitResult& result) noexcept;

void product_pack_pairs_2(const PatchPairs& pairs, LaneRange& range) noexcept;
void product_pack_pairs_3(const PatchPairs& pairs, LaneRange& range) noexcept;
void product_multiply_2(const ProductBlock& block, ProductSide& side) noexcept;
void product_multiply_3(const ProductBlock& block, ProductSide& side) noexcept;
void product_store(ProductSide& side) noexcept;
void product_pack_2(ProductSide& side) noexcept;
void product_pack_3(ProductSide& side) noexcept;

}  // namespace weft::kernels::amx
