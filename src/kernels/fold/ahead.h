#pragma once

#include <cstdint>

#include "kernels/fold/fold.h"

namespace weft::kernels::WEFT_ISA {

// Fetches what is read next, plane by plane as it lies in memory, so many lines at a time, a little
// at each of `steps`: processors see through this order, not through that of the sums, which takes
// a line of each plane by turns. Overlap-add of 626 frames of 1024 at a step of 256, in turns:
// 384 us, 720 without.
template <class T, int lines>
class Ahead {
 public:
  Ahead(const FoldRows& k, std::int64_t term_count, std::int64_t planes, std::int64_t steps)
      : from_plane_(k.from_plane), steps_(steps) {
    if (k.ahead == 0) return;
    for (std::int64_t part = 0; part < k.part_count; ++part) {
      const T* const from =
          static_cast<const T*>(k.parts[part].from) + k.parts[part].begin * k.from_row + k.ahead;
      for (std::int64_t t = 0; t < term_count; ++t) {
        from_[count_++] = from + k.terms[t].offset + k.terms[t].begin;
      }
    }
    plane_pieces_ = ((k.rows - 1) * k.from_row + k.count) / kPiece + 1;
    if (count_ <= kMostStreams) pieces_ = planes * plane_pieces_;
  }

  void step() {
    for (due_ += pieces_; due_ >= steps_; due_ -= steps_) {
      const std::int64_t at = plane_ * from_plane_ + piece_ * kPiece;
      for (std::int64_t i = 0; i < count_; ++i) {
#pragma GCC unroll 8
        for (std::int64_t line = 0; line < lines; ++line) {
          __builtin_prefetch(from_[i] + at + line * kLineElements, 0, kSecondLevel);
        }
      }
      if (++piece_ != plane_pieces_) continue;
      piece_ = 0;
      ++plane_;
    }
  }

 private:
  static constexpr int kSecondLevel = 2;  // there is too much for the first
  static constexpr std::int64_t kLineElements = 64 / sizeof(T), kPiece = lines * kLineElements;
  static constexpr std::int64_t kMostStreams = 32;  // that processors follow at once

  std::int64_t from_plane_, steps_;
  std::int64_t count_ = 0;
  std::int64_t plane_pieces_ = 0, pieces_ = 0;
  std::int64_t due_ = 0;  // of steps_, for the next piece
  std::int64_t plane_ = 0, piece_ = 0;
  const T* from_[FoldRows::kMaxParts * FoldRows::kMaxTerms];
};

}  // namespace weft::kernels::WEFT_ISA
