#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/rows/rows.h"
#include "ops/convolution_geometry.h"

namespace weft::ops {

// The filter of a convolution as kernels read it: float32, in panels of panel_rows() output
// channels,
//
//   [group][panel][tap class][input channel, tap][row]
//
// where the taps of one class are those that one stride phase uses (Phase), and rows past the last
// channel are zero. One flag a panel, in front, tells whether it holds an infinity or NaN.
class PackedFilter {
 public:
  // Throws Error: out_of_memory when the packed size passes 2^63 bytes.
  PackedFilter(const ConvolutionGeometry& geometry, DataType type, kernels::LoadRow load,
               std::int64_t panel_rows);

  std::int64_t panel_rows() const noexcept { return panel_rows_; }
  std::int64_t panels() const noexcept { return panels_; }  // a group
  std::uint64_t size_in_bytes() const noexcept { return size_in_bytes_; }

  // Packs on at most `slots` threads. `packed` is aligned as workspaces are.
  void pack(const void* filter, std::byte* packed, unsigned slots) const noexcept;

  bool has_non_finite(const std::byte* packed, std::int64_t group,
                      std::int64_t panel) const noexcept {
    return packed[group * panels_ + panel] != std::byte{0};
  }

  // Where the terms of a phase start in a panel, counted in rows of it.
  std::int64_t class_offset(const std::array<Phase, kSpatial>& phases) const noexcept;

  // A panel from its row `offset` on.
  const float* panel(const std::byte* packed, std::int64_t group, std::int64_t panel,
                     std::int64_t offset) const noexcept {
    return reinterpret_cast<const float*>(packed + flag_bytes_) +
           ((group * panels_ + panel) * terms_ + offset) * panel_rows_;
  }

 private:
  void pack_panel(const void* filter, std::int64_t group, std::int64_t panel,
                  std::byte* packed) const noexcept;

  const ConvolutionGeometry& geometry_;
  std::int64_t element_bytes_;
  kernels::LoadRow load_;
  std::int64_t panel_rows_;
  std::int64_t panels_;
  std::int64_t terms_;  // input channels times taps
  std::int64_t flag_bytes_;
  std::uint64_t size_in_bytes_;
};

}  // namespace weft::ops
