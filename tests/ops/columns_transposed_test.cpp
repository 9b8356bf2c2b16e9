#include "ops/columns_transposed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "ops/window_case.h"
#include "weft/info.h"

namespace weft {
namespace {

using testing::GuardedMemory;
using testing::WindowCase;

// The same case with the elements of a block as neighbours, and a gap behind them.
WindowCase turned(WindowCase c, std::uint32_t gap) {
  const Dims& sizes = c.columns.sizes;
  const std::uint32_t elements = sizes[1] + gap;
  c.columns.strides = {sizes[2] * elements, 1, elements};
  return c;
}

template <class Params>
void run(const Params& params, const PlanOptions& options, const GuardedMemory& input,
         const GuardedMemory& output) {
  const ConstBuffer in(input.data(), input.size());
  const Buffer out{output.data(), output.size()};
  plan(params, options).run({.inputs = {&in, 1}, .outputs = {&out, 1}});
  EXPECT_TRUE(output.intact());
}

void fill(const GuardedMemory& memory, std::uint8_t value) {
  std::memset(memory.data(), value, memory.size());
}

// Small numbers, which any order adds to the same in any type.
void fill(const GuardedMemory& memory, DataType type, std::mt19937& engine) {
  for (std::size_t i = 0; i < memory.size() / byte_size(type); ++i) {
    const auto number = static_cast<std::uint32_t>(engine() % 16);
    if (type == DataType::float32) {
      memory.as<float>()[i] = static_cast<float>(number);
    } else if (type == DataType::float16) {
      memory.as<std::uint16_t>()[i] = number == 0 ? 0 : 0x3c00;
    } else {
      memory.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(number);
    }
  }
}

// Every element of packed columns equals its other self; all else is as it was filled.
void expect_turned(const WindowCase& packed, const WindowCase& c, const GuardedMemory& right,
                   const GuardedMemory& memory, std::uint8_t filling) {
  const std::size_t bytes = byte_size(c.columns.data_type);
  std::vector<std::byte> expected(memory.size(), std::byte{filling});
  std::size_t from = 0;
  testing::Coordinate at;
  do {
    std::memcpy(&expected[testing::element_offset(c.columns, at) * bytes],
                right.as<std::byte>() + from++ * bytes, bytes);
  } while (next(at, packed.columns.sizes));
  EXPECT_EQ(std::memcmp(memory.data(), expected.data(), expected.size()), 0);
}

void expect_right(const WindowCase& packed, std::uint32_t gap, const PlanOptions& options,
                  std::mt19937& engine) {
  const WindowCase c = turned(packed, gap);
  SCOPED_TRACE(c.text() + " threads " + std::to_string(options.threads));
  constexpr std::uint8_t kFilling = 0x5a;
  const GuardedMemory image(testing::buffer_bytes(packed.image));
  const GuardedMemory columns(testing::buffer_bytes(packed.columns));
  const GuardedMemory other(testing::buffer_bytes(c.columns));
  fill(image, packed.image.data_type, engine);
  run(packed.unfold(), options, image, columns);
  fill(other, kFilling);
  run(c.unfold(), options, image, other);
  expect_turned(packed, c, columns, other, kFilling);

  const GuardedMemory folded(testing::buffer_bytes(packed.image));
  run(packed.fold(), options, columns, image);
  run(c.fold(), options, other, folded);
  EXPECT_EQ(std::memcmp(image.data(), folded.data(), image.size()), 0);
}

TEST(ColumnsTransposed, AreTheSameColumnsAndImages) {
  std::mt19937 engine(31);
  const std::vector<Isa> isas = machine_isas();
  const auto up_to = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(engine() % most) + 1;
  };
  for (int i = 0; i < 150 && !::testing::Test::HasFailure(); ++i) {
    WindowCase c;
    c.image.sizes = {up_to(2), up_to(40)};
    c.image.data_type = c.columns.data_type =
        std::array{DataType::float32, DataType::float16, DataType::uint8}[i % 3];
    for (std::uint32_t d = 0; d < 1 + static_cast<std::uint32_t>(i) / 3 % 3; ++d) {
      c.image.sizes.push_back(5 + up_to(d == 0 ? 30 : 12));
      c.add_dimension(up_to(5), up_to(3), 1, up_to(4) - 1, up_to(4) - 1);
    }
    c.columns.sizes = output_sizes(c.unfold());
    expect_right(c, static_cast<std::uint32_t>(i) % 4,
                 {.threads = up_to(3), .max_isa = isas[engine() % isas.size()]}, engine);
  }
}

// Some channels at a time, and the rest.
TEST(ColumnsTransposed, InSeveralParts) {
  std::mt19937 engine(32);
  WindowCase c{.image = {.sizes = {2, 67, 61, 70}}};
  c.add_dimension(3, 1, 1, 1, 1);
  c.add_dimension(3, 1, 1, 1, 1);
  c.columns.sizes = output_sizes(c.unfold());
  for (const unsigned threads : {1u, 3u}) expect_right(c, 5, {.threads = threads}, engine);
  EXPECT_THAT(plan(turned(c, 5).unfold()).explain(),
              ::testing::HasSubstr("turns over the columns of 8 channels at a time"));
  EXPECT_THAT(plan(turned(c, 5).fold()).explain(),
              ::testing::HasSubstr("turns over the columns of 8 channels at a time"));
}

// As many as fit, and the rest.
TEST(ColumnsTransposed, SeveralSmallImagesAtATime) {
  std::mt19937 engine(33);
  WindowCase c{.image = {.sizes = {35, 2, 40, 40}}};
  c.add_dimension(3, 1, 1, 1, 1);
  c.add_dimension(3, 1, 1, 1, 1);
  c.columns.sizes = output_sizes(c.unfold());
  for (const unsigned threads : {1u, 3u}) expect_right(c, 3, {.threads = threads}, engine);
  EXPECT_THAT(plan(turned(c, 3).unfold()).explain(),
              ::testing::HasSubstr("turns over the columns of 18 channels at a time"));
}

TEST(ColumnsTransposed, LongRowsAndLargeImagesAreTakenAsTheyLie) {
  WindowCase frames{.image = {.sizes = {1, 1, 16384}}};
  frames.add_dimension(1024, 256, 1, 0, 0);
  frames.columns.sizes = output_sizes(frames.unfold());
  EXPECT_THAT(plan(turned(frames, 0).fold()).explain(),
              ::testing::Not(::testing::HasSubstr("turns over")));
  WindowCase large{.image = {.sizes = {1, 1, 600, 600}}};
  large.add_dimension(3, 1, 1, 0, 0);
  large.add_dimension(3, 1, 1, 0, 0);
  large.columns.sizes = output_sizes(large.unfold());
  EXPECT_EQ(plan(turned(large, 0).unfold()).workspace_size_in_bytes(), 0u);
}

}  // namespace
}  // namespace weft
