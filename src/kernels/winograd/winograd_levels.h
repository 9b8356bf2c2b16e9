#pragma once

// Declares the Winograd kernels of the instruction sets that have them; winograd.h has their
// contracts. The end of a name is the tile.

namespace weft::kernels {
struct SplitRange;
struct WinogradChannel;
struct WinogradChannels;
struct WinogradColumns;
struct WinogradProduct;
struct WinogradResult;
struct WinogradRows;
}  // namespace weft::kernels

#define WEFT_DECLARE_WINOGRAD(tile)                                                \
  void winograd_rows_##tile(const WinogradRows& rows, SplitRange& range) noexcept; \
  void winograd_channel_##tile(const WinogradChannel& channel) noexcept;           \
  void winograd_store_##tile(const WinogradResult& result) noexcept;               \
  void winograd_channels_##tile(const WinogradChannels& result) noexcept;
namespace weft::kernels::avx2 {
WEFT_DECLARE_WINOGRAD(2x2)
WEFT_DECLARE_WINOGRAD(2x4)
WEFT_DECLARE_WINOGRAD(4x4)
}  // namespace weft::kernels::avx2
namespace weft::kernels::avx512 {
WEFT_DECLARE_WINOGRAD(2x2)
WEFT_DECLARE_WINOGRAD(2x4)
WEFT_DECLARE_WINOGRAD(4x4)
}  // namespace weft::kernels::avx512
#undef WEFT_DECLARE_WINOGRAD

namespace weft::kernels::amx {

void winograd_columns_2x2(const WinogradColumns& columns) noexcept;
void winograd_columns_2x4(const WinogradColumns& columns) noexcept;
void winograd_columns_4x4(const WinogradColumns& columns) noexcept;
void winograd_multiply(const WinogradProduct& product) noexcept;

}  // namespace weft::kernels::amx
