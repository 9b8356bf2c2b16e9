#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "ops/layout.h"

namespace weft::ops {

// Visits every element of two tensors of the same sizes once, in rows as long as memory allows.
//
// Dimensions are put in the order of the output's memory and neighbours merged, so packed tensors
// are one dimension. A block is a rectangle of two dimensions: rows along the one that moves least
// in the output, next to each other along the other. Where input and output disagree about the
// order, the other is the one that moves least in the input, and blocks are small enough that cache
// lines of both stay until they are used up. A tile is some blocks.
class Traversal {
 public:
  Traversal(const Layout& input, const Layout& output);

  std::int64_t tiles() const noexcept { return tiles_; }
  std::int64_t longest_row() const noexcept { return x_chunk_; }
  std::int64_t input_stride() const noexcept { return x_.in; }    // along a row
  std::int64_t output_stride() const noexcept { return x_.out; }  // along a row

  // "12 tiles, rows of 2048, 2 threads", for people.
  std::string text(unsigned slots) const;

  struct Dimension {
    std::int64_t size = 1;
    std::int64_t in = 0;  // strides
    std::int64_t out = 0;
  };
  struct Block {
    std::int64_t input;  // offset of its first element
    std::int64_t output;
    std::int64_t rows;
    std::int64_t count;  // elements of a row
  };

  // Along a row of a block, and from row to row.
  const Dimension& along() const noexcept { return x_; }
  const Dimension& across() const noexcept { return y_; }

  // Calls visitor(block) for each block of a tile.
  template <class Visitor>
  void visit_blocks(std::int64_t tile, const Visitor& visitor) const noexcept {
    const std::int64_t end = std::min(blocks_, (tile + 1) * blocks_per_tile_);
    for (std::int64_t block = tile * blocks_per_tile_; block < end; ++block) visitor(at(block));
  }

  // Calls row(input offset, output offset, count) for each row of a tile; offsets in elements.
  template <class Row>
  void visit(std::int64_t tile, const Row& row) const noexcept {
    visit_blocks(tile, [&](const Block& b) {
      for (std::int64_t y = 0; y < b.rows; ++y) {
        row(b.input + y * y_.in, b.output + y * y_.out, b.count);
      }
    });
  }

 private:

  Block at(std::int64_t block) const noexcept;

  Dimension x_;                            // along a row
  Dimension y_;                            // from row to row
  std::array<Dimension, kMaxRank> outer_;  // slowest first
  int outer_count_ = 0;
  std::int64_t x_chunk_ = 1;
  std::int64_t y_chunk_ = 1;
  std::int64_t blocks_ = 1;
  std::int64_t blocks_per_tile_ = 1;
  std::int64_t tiles_ = 1;
};

}  // namespace weft::ops
