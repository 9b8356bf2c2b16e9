#include "kernels/unfold/unfold.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "kernels/kernel_test.h"

namespace weft::kernels {

std::ostream& operator<<(std::ostream& out, const UnfoldKernel& row) { return out << row.name; }

namespace {

class Unfold : public KernelTest<UnfoldKernel> {};

INSTANTIATE_TEST_SUITE_P(, Unfold, ::testing::ValuesIn(unfold_kernel_table()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(UnfoldKernelTable, HasEveryWidthAtEveryLevelBestFirst) {
  const auto table = unfold_kernel_table();
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_GE(table[i - 1].isa, table[i].isa);
  for (const UnfoldKernel& row : table) {
    EXPECT_EQ(unfold_kernel(row.isa, row.bits).name, row.name);
    EXPECT_EQ(unfold_kernel(Isa::base, row.bits).isa, Isa::base);
  }
}

// The lowest and highest offset of a rectangle of elements, and memory that holds just these.
struct Extent {
  std::int64_t low = 0;
  std::int64_t high = -1;

  Extent(std::int64_t rows, std::int64_t row, std::int64_t count, std::int64_t step) {
    if (rows <= 0 || count <= 0) return;
    high = 0;
    for (const std::int64_t reach : {(rows - 1) * row, (count - 1) * step}) {
      (reach < 0 ? low : high) += reach;
    }
  }
  std::size_t size() const { return static_cast<std::size_t>(high - low + 1); }
};

class Rectangles {
 public:
  Rectangles(const UnfoldKernel& kernel, std::uint64_t seed)
      : kernel_(kernel), bytes_(kernel.bits / 8), random_(seed) {}

  // One rectangle with everything drawn at random but the count.
  void run(std::int64_t count) {
    UnfoldRectangle r{};
    r.rows = pick({0, 1, 2, 5});
    r.row_begin = draw(r.rows + 1);
    r.row_end = r.row_begin + draw(r.rows - r.row_begin + 1);
    r.count = count;
    r.begin = draw(2) != 0 ? draw(count + 1) : 0;
    r.end = draw(2) != 0 ? r.begin + draw(count - r.begin + 1) : count;
    r.from_step = pick({1, 1, 1, 0, 2, 3, -1, -2, 16});
    r.from_row = pick({0, 1, count + 3, -count - 3, 7});
    r.to_step = pick({1, 1, 1, 2, 3, -1});
    const std::int64_t span = count * (r.to_step < 0 ? -r.to_step : r.to_step) + 1;
    r.to_row = pick({span, span + 5, -span});
    if (r.to_step == 1 && draw(2) != 0) r.to_row = count;
    if (r.rows == 1 && draw(2) != 0) r.to_row = 0;
    r.stores = static_cast<UnfoldStores>(draw(3));
    SCOPED_TRACE("rows " + std::to_string(r.rows) + " [" + std::to_string(r.row_begin) + ", " +
                 std::to_string(r.row_end) + ") by " + std::to_string(r.from_row) + " to " +
                 std::to_string(r.to_row) + ", count " + std::to_string(r.count) + " [" +
                 std::to_string(r.begin) + ", " + std::to_string(r.end) + ") by " +
                 std::to_string(r.from_step) + " to " + std::to_string(r.to_step) + ", stores " +
                 std::to_string(static_cast<int>(r.stores)));

    const Extent source(r.row_end - r.row_begin, r.from_row, r.end - r.begin, r.from_step);
    const Extent target(r.rows, r.to_row, r.count, r.to_step);
    const testing::GuardedMemory from(source.size() * bytes_);
    const testing::GuardedMemory to(target.size() * bytes_);
    scramble(from);
    scramble(to);
    const auto* from_first = from.as<std::byte>() - source.low * bytes_;
    auto* to_first = to.as<std::byte>() - target.low * bytes_;
    r.from = source.size() != 0 ? from_first : nullptr;
    r.to = to_first;

    std::vector<std::byte> expected(to.as<std::byte>(), to.as<std::byte>() + to.size());
    for (std::int64_t row = 0; row < r.rows; ++row) {
      for (std::int64_t i = 0; i < r.count; ++i) {
        std::byte* element =
            expected.data() + (row * r.to_row + i * r.to_step - target.low) * bytes_;
        std::memset(element, 0, static_cast<std::size_t>(bytes_));
        if (row < r.row_begin || row >= r.row_end || i < r.begin || i >= r.end) continue;
        const std::int64_t at = (row - r.row_begin) * r.from_row + (i - r.begin) * r.from_step;
        std::memcpy(element, from_first + at * bytes_, static_cast<std::size_t>(bytes_));
      }
    }
    kernel_.copy(r);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to.as<std::byte>()));
    ASSERT_TRUE(to.intact());
  }

 private:
  std::int64_t draw(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  std::int64_t pick(std::initializer_list<std::int64_t> choices) {
    return choices.begin()[draw(static_cast<std::int64_t>(choices.size()))];
  }
  void scramble(const testing::GuardedMemory& memory) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      memory.as<std::byte>()[i] = static_cast<std::byte>(random_());
    }
  }

  const UnfoldKernel& kernel_;
  std::int64_t bytes_;
  std::mt19937_64 random_;
};

TEST_P(Unfold, CopiesRectanglesAndFillsTheRestWithZeros) {
  Rectangles rectangles(GetParam(), 20240919);
  std::vector<std::int64_t> counts = counts_around_lanes();
  counts.push_back(3000);  // longer than what is gathered before it is streamed
  for (const std::int64_t count : counts) {
    for (int i = 0; i < 60; ++i) rectangles.run(count);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace weft::kernels
