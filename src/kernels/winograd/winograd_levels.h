#pragma once

// Declares the Winograd kernels of the instruction sets that have a matrix unit; winograd.h has
// their contracts. The end of a name is the tile.

namespace weft::kernels {
struct SplitRange;
struct WinogradColumns;
struct WinogradProduct;
struct WinogradResult;
struct WinogradRows;
}  // namespace weft::kernels

namespace weft::kernels::amx {

void winograd_rows_2x2(const WinogradRows& rows, SplitRange& range) noexcept;
void winograd_rows_2x4(const WinogradRows& rows, SplitRange& range) noexcept;
void winograd_rows_4x4(const WinogradRows& rows, SplitRange& range) noexcept;
void winograd_columns_2x2(const WinogradColumns& columns) noexcept;
void winograd_columns_2x4(const WinogradColumns& columns) noexcept;
void winograd_columns_4x4(const WinogradColumns& columns) noexcept;
void winograd_multiply(const WinogradProduct& product) noexcept;
void winograd_store_2x2(const WinogradResult& result) noexcept;
void winograd_store_2x4(const WinogradResult& result) noexcept;
void winograd_store_4x4(const WinogradResult& result) noexcept;

}  // namespace weft::kernels::amx
