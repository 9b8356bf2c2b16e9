#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/checked.h"
#include "base/parallel.h"

namespace weft::ops {

// Work cut into tiles: units, each of which packs some input, and shares of a unit's blocks of
// output channels, which all read what it packed.
class TileShares {
 public:
  struct Share {
    std::int64_t unit, first_block, blocks;
  };

  TileShares() = default;

  // All units alike, in shares of at most `blocks_a_share` that pack for themselves.
  TileShares(std::int64_t units, std::int64_t blocks, std::int64_t blocks_a_share) noexcept
      : units_(units),
        blocks_(blocks),
        shares_(base::divide_up(blocks, blocks_a_share)),
        alone_(true) {}

  // Few units for so many threads have their last ones cut so finely that a slow thread leaves some
  // shares to the others: each into at most `most` shares, unless some thread had none then, and if
  // possible into as many for each thread. A thread packs once for all shares of a unit that it
  // takes one after the other.
  static TileShares for_threads(std::int64_t units, std::int64_t blocks, std::int64_t most,
                                unsigned threads) noexcept {
    const std::int64_t count = threads;
    TileShares result;
    result.units_ = result.whole_ = units;
    result.blocks_ = blocks;
    result.threads_ = std::max<std::int64_t>(count, 1);
    if (threads <= 1 || units <= 0 || units >= kTilesAThread * count) return result;
    result.whole_ = std::max<std::int64_t>(0, (units - count) / count * count);
    const std::int64_t last = units - result.whole_;
    const std::int64_t least = std::min(base::divide_up(count, last), blocks);
    most = std::clamp(most, least, blocks);
    std::int64_t shares = std::clamp(base::divide_up(kTilesAThread * count, last), least, most);
    const std::int64_t alike = count / std::gcd(last, count);
    const std::int64_t up = base::divide_up(shares, alike) * alike;
    if (up <= most) {
      shares = up;
    } else if (shares > alike) {
      shares = shares / alike * alike;
    }
    result.shares_ = shares;
    return result;
  }

  std::int64_t units() const noexcept { return units_; }
  // The first units, whose blocks are not cut.
  std::int64_t whole() const noexcept { return whole_; }
  std::int64_t tiles() const noexcept { return whole_ + (units_ - whole_) * shares_; }
  // Blocks of the largest tile.
  std::int64_t most_blocks() const noexcept {
    return whole_ > 0 ? blocks_ : base::divide_up(blocks_, shares_);
  }
  // Of a unit that is not whole.
  std::int64_t shares() const noexcept { return shares_; }

  Share at(std::int64_t tile) const noexcept {
    if (tile < whole_) return {unit_of(tile), 0, blocks_};
    const std::int64_t share = (tile - whole_) % shares_;
    const base::Portion blocks = base::portion_of(blocks_, shares_, share);
    return {unit_of(tile), blocks.first, blocks.count};
  }

  // Calls body(share, slot, packed) for each, where `packed` tells that the slot's share before was
  // of the same unit.
  template <class Body>
  void run(unsigned slots, const Body& body) const noexcept {
    base::parallel_parts(slots, tiles(), alone_ ? tiles() : whole_,
                         [&](std::int64_t tile, unsigned slot, std::int64_t previous) {
                           const bool packed =
                               !alone_ && previous >= 0 && unit_of(previous) == unit_of(tile);
                           body(at(tile), slot, packed);
                         });
  }

 private:
  static constexpr std::int64_t kTilesAThread = 8;

  std::int64_t unit_of(std::int64_t tile) const noexcept {
    if (tile >= whole_) return whole_ + (tile - whole_) / shares_;
    // Threads that take turns work far from each other: close by, the processor's own fetching
    // takes lines from its neighbour that this one is writing to.
    const std::int64_t part = whole_ / threads_;
    return tile < part * threads_ ? tile % threads_ * part + tile / threads_ : tile;
  }

  std::int64_t units_ = 0;
  std::int64_t whole_ = 0;  // the first ones
  std::int64_t blocks_ = 0;
  std::int64_t shares_ = 1;
  std::int64_t threads_ = 1;
  bool alone_ = false;  // shares pack for themselves
};

}  // namespace weft::ops
