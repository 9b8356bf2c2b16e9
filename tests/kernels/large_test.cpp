// Offsets that do not fit 32 bits, in bytes or in elements: the memory is reserved but, but for the
// few elements in use, never touched.

#include <cstring>

#include "kernels/fold/fold.h"
#include "kernels/kernel_test.h"
#include "kernels/rows/rows.h"
#include "kernels/unfold/unfold.h"

namespace weft::kernels {
namespace {

constexpr std::int64_t kCount = 5;
constexpr std::int64_t kFar = (std::int64_t{1} << 32) + 3;  // elements

// Five elements kFar apart.
template <class T>
class FarArray {
 public:
  FarArray() : memory_(((kCount - 1) * kFar + 1) * sizeof(T)) {}
  T* first() const { return memory_.as<T>(); }
  T& operator[](std::int64_t i) const { return first()[i * kFar]; }

 private:
  testing::GuardedMemory memory_;
};

template <class T>
void test_copy(CopyRow copy) {
  const FarArray<T> from;
  const FarArray<T> to;
  for (std::int64_t i = 0; i < kCount; ++i) from[i] = static_cast<T>(100 + i);
  copy(from.first(), kFar, to.first(), kFar, kCount);
  for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(to[i], static_cast<T>(100 + i));
}

TEST(LargeOffsets, Rows) {
  for (const RowKernels& row : row_kernel_table()) {
    if (!base::machine_has(row.isa)) continue;
    test_copy<std::uint8_t>(row.copy_8);
    test_copy<std::uint16_t>(row.copy_16);
    test_copy<std::uint32_t>(row.copy_32);
    test_copy<std::uint64_t>(row.copy_64);

    const FarArray<float> far;
    const float values[kCount] = {1, 2, 3, 4, 5};
    float back[kCount] = {};
    row.store_f32(values, far.first(), kFar, kCount);
    row.load_f32(far.first(), kFar, back, kCount);
    ASSERT_EQ(std::memcmp(values, back, sizeof values), 0);

    const FarArray<std::uint16_t> far_half;
    row.store_f16(values, far_half.first(), kFar, kCount);
    row.load_f16(far_half.first(), kFar, back, kCount);
    ASSERT_EQ(std::memcmp(values, back, sizeof values), 0);
  }
}

TEST(LargeOffsets, Unfold) {
  for (const UnfoldKernel& kernel : unfold_kernel_table()) {
    if (!base::machine_has(kernel.isa) || kernel.bits != 8) continue;
    const FarArray<std::uint8_t> from;
    const FarArray<std::uint8_t> to;
    for (std::int64_t i = 0; i < kCount; ++i) from[i] = static_cast<std::uint8_t>(100 + i);
    UnfoldRectangle rectangle{.from = from.first(),
                              .from_row = 0,
                              .from_step = kFar,
                              .to = to.first(),
                              .to_row = 0,
                              .to_step = kFar,
                              .rows = 1,
                              .row_begin = 0,
                              .row_end = 1,
                              .count = kCount,
                              .begin = 1,
                              .end = kCount,
                              .stores = UnfoldStores::near};
    kernel.copy(rectangle);
    EXPECT_EQ(to[0], 0) << kernel.name;
    for (std::int64_t i = 1; i < kCount; ++i) EXPECT_EQ(to[i], 99 + i) << kernel.name;

    std::swap(rectangle.from_row, rectangle.from_step);
    std::swap(rectangle.to_row, rectangle.to_step);
    std::swap(rectangle.rows, rectangle.count);
    std::swap(rectangle.row_begin, rectangle.begin);
    std::swap(rectangle.row_end, rectangle.end);
    to[4] = 0;
    kernel.copy(rectangle);
    for (std::int64_t i = 1; i < kCount; ++i) EXPECT_EQ(to[i], 99 + i) << kernel.name;
  }
}

TEST(LargeOffsets, Fold) {
  for (const FoldKernel& kernel : fold_kernel_table()) {
    if (!base::machine_has(kernel.isa) || kernel.bits != 8) continue;
    const FarArray<std::uint8_t> from;
    for (std::int64_t i = 0; i < kCount; ++i) from[i] = static_cast<std::uint8_t>(100 + i);
    std::uint8_t sum[kCount] = {1, 1, 1, 1, 1};
    FoldBox box{.sum = sum,
                .sum_plane = kCount,
                .sum_row = kCount,
                .from_plane = 0,
                .from_row = 0,
                .from_step = kFar,
                .ahead = 0,
                .planes = 1,
                .rows = 1,
                .count = kCount,
                .start = false,
                .term_count = 1,
                .terms = {{from.first(), 0, kCount}}};
    kernel.add(box);
    std::swap(box.from_row, box.from_step);
    std::swap(box.rows, box.count);
    box.sum_row = 1;
    box.terms[0].end = 1;
    kernel.add(box);
    std::swap(box.from_plane, box.from_row);
    std::swap(box.planes, box.rows);
    box.sum_plane = 1;
    kernel.add(box);
    for (std::int64_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(sum[i], static_cast<std::uint8_t>(3 * (100 + i) + 1)) << kernel.name;
    }
  }
}

}  // namespace
}  // namespace weft::kernels
