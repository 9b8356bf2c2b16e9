#include "kernels/transpose/transpose.h"

#include <cstring>
#include <random>

#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const TransposeKernel& row) { return out << row.name; }

namespace {

class Transpose : public KernelTest<TransposeKernel> {};

INSTANTIATE_TEST_SUITE_P(, Transpose, ::testing::ValuesIn(transpose_kernel_table()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TransposeKernelTable, HasEveryWidthAtEveryLevelBestFirst) {
  const auto table = transpose_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GE(table[i - 1].isa, table[i].isa);
  for (const TransposeKernel& row : table) {
    EXPECT_EQ(transpose_kernel(row.isa, row.bits).name, row.name);
    EXPECT_EQ(transpose_kernel(Isa::base, row.bits).isa, Isa::base);
  }
}

// Tensors hold just what is addressed; gaps between the rows of the output keep what they held.
void test_rectangle(const TransposeKernel& kernel, TransposeRectangle k, std::mt19937_64& random) {
  const std::int64_t bytes = kernel.bits / 8;
  const bool empty = k.rows == 0 || k.count == 0;
  const auto size = [&](std::int64_t lines, std::int64_t line, std::int64_t length) {
    return static_cast<std::size_t>(empty ? 0 : ((lines - 1) * line + length) * bytes);
  };
  const testing::GuardedMemory from(size(k.count, k.from_row, k.rows));
  const testing::GuardedMemory to(size(k.rows, k.to_row, k.count));
  for (const testing::GuardedMemory* memory : {&from, &to}) {
    for (std::size_t i = 0; i < memory->size(); ++i) {
      memory->as<std::byte>()[i] = static_cast<std::byte>(random());
    }
  }
  std::vector<std::byte> expected(to.as<std::byte>(), to.as<std::byte>() + to.size());
  for (std::int64_t r = 0; r < k.rows; ++r) {
    for (std::int64_t i = 0; i < k.count; ++i) {
      std::memcpy(expected.data() + (r * k.to_row + i) * bytes,
                  from.as<std::byte>() + (i * k.from_row + r) * bytes,
                  static_cast<std::size_t>(bytes));
    }
  }
  k.from = from.data();
  k.to = to.data();
  kernel.transpose(k);
  ASSERT_EQ(std::memcmp(to.data(), expected.data(), expected.size()), 0)
      << k.rows << " x " << k.count << ", from " << k.from_row << " to " << k.to_row;
  ASSERT_TRUE(to.intact());
}

TEST_P(Transpose, MovesPieces) {
  constexpr std::int64_t kRows = 21, kCount = 2, kOuter = 3, kInner = 4;
  const std::int64_t bytes = GetParam().bits / 8;
  // Up to the last element of the last piece.
  const testing::GuardedMemory from((2 * 60 + 3 * 200 + 30 + kRows) * bytes);
  const testing::GuardedMemory to((2 * 200 + 3 * 50 + kRows * 2) * bytes);
  std::mt19937_64 random(20261125);
  for (const testing::GuardedMemory* memory : {&from, &to}) {
    for (std::size_t i = 0; i < memory->size(); ++i) {
      memory->as<std::byte>()[i] = static_cast<std::byte>(random());
    }
  }
  std::vector<std::byte> expected(to.as<std::byte>(), to.as<std::byte>() + to.size());
  const TransposeRectangle k{.from = from.data(),
                             .from_row = 30,
                             .to = to.data(),
                             .to_row = 2,
                             .rows = kRows,
                             .count = kCount,
                             .outer = {kOuter, 60, 200},
                             .inner = {kInner, 200, 50}};
  for (std::int64_t o = 0; o < kOuter; ++o) {
    for (std::int64_t n = 0; n < kInner; ++n) {
      for (std::int64_t r = 0; r < kRows; ++r) {
        for (std::int64_t i = 0; i < kCount; ++i) {
          std::memcpy(expected.data() + (o * 200 + n * 50 + r * 2 + i) * bytes,
                      from.as<std::byte>() + (o * 60 + n * 200 + i * 30 + r) * bytes,
                      static_cast<std::size_t>(bytes));
        }
      }
    }
  }
  GetParam().transpose(k);
  EXPECT_EQ(std::memcmp(to.data(), expected.data(), expected.size()), 0);
  EXPECT_TRUE(to.intact());
}

TEST_P(Transpose, MovesRectangles) {
  std::mt19937_64 random(20241121);
  for (const std::int64_t rows : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 50}) {
    for (const std::int64_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 50, 64, 133}) {
      // Columns packed, apart, overlapping, the same.
      for (const std::int64_t from_row : {rows, rows + 3, (rows + 1) / 2, std::int64_t{0}}) {
        for (const std::int64_t to_row : {count, count + 2}) {
          test_rectangle(GetParam(),
                         {.from = nullptr,
                          .from_row = from_row,
                          .to = nullptr,
                          .to_row = to_row,
                          .rows = rows,
                          .count = count},
                         random);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
