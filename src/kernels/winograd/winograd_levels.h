#pragma once

// Declares the Winograd kernels of the instruction sets that have them; winograd.h has their
// contracts. The end of a name is the tile, with its taps where these are not 3 a side that has
// any.

namespace weft::kernels {
struct SplitRange;
struct WinogradChannel;
struct WinogradChannels;
struct WinogradColumns;
struct WinogradLines;
struct WinogradProduct;
struct WinogradResult;
struct WinogradRows;
struct WinogradWindow;
}  // namespace weft::kernels

// All tiles: name, outputs and taps of rows, then of columns.
#define WEFT_WINOGRAD_3x3(of) of(2x2, 2, 3, 2, 3) of(2x4, 2, 3, 4, 3) of(4x4, 4, 3, 4, 3)
#define WEFT_WINOGRAD_1x3(of) of(1x2, 1, 1, 2, 3) of(1x4, 1, 1, 4, 3)
#define WEFT_WINOGRAD_3x1(of) of(2x1, 2, 3, 1, 1) of(4x1, 4, 3, 1, 1)
#define WEFT_WINOGRAD_2x2(of) \
  of(2x2_2x2, 2, 2, 2, 2) of(2x4_2x2, 2, 2, 4, 2) of(4x4_2x2, 4, 2, 4, 2)
#define WEFT_WINOGRAD_1x2(of) of(1x2_1x2, 1, 1, 2, 2) of(1x4_1x2, 1, 1, 4, 2)
#define WEFT_WINOGRAD_TILES(of)                                                           \
  WEFT_WINOGRAD_3x3(of) WEFT_WINOGRAD_1x3(of) WEFT_WINOGRAD_3x1(of) WEFT_WINOGRAD_2x2(of) \
      WEFT_WINOGRAD_1x2(of)

#define WEFT_DECLARE_WINOGRAD(tile, ...)                                           \
  void winograd_rows_##tile(const WinogradRows& rows, SplitRange& range) noexcept; \
  void winograd_channel_##tile(const WinogradChannel& channel) noexcept;           \
  void winograd_store_##tile(const WinogradResult& result) noexcept;               \
  void winograd_channels_##tile(const WinogradChannels& result) noexcept;          \
  void winograd_window_##tile(const WinogradWindow& window) noexcept;              \
  void winograd_lines_##tile(const WinogradLines& lines) noexcept;
namespace weft::kernels::avx2 {
WEFT_WINOGRAD_TILES(WEFT_DECLARE_WINOGRAD)
}  // namespace weft::kernels::avx2
namespace weft::kernels::avx512 {
WEFT_WINOGRAD_TILES(WEFT_DECLARE_WINOGRAD)
}  // namespace weft::kernels::avx512
#undef WEFT_DECLARE_WINOGRAD

namespace weft::kernels::amx {

#define WEFT_DECLARE_WINOGRAD(tile, ...)                                     \
  void winograd_columns_##tile##_2(const WinogradColumns& columns) noexcept; \
  void winograd_columns_##tile##_3(const WinogradColumns& columns) noexcept;
WEFT_WINOGRAD_TILES(WEFT_DECLARE_WINOGRAD)
#undef WEFT_DECLARE_WINOGRAD
void winograd_multiply_2(const WinogradProduct& product) noexcept;
void winograd_multiply_3(const WinogradProduct& product) noexcept;

}  // namespace weft::kernels::amx
