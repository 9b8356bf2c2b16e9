#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/shapes.h"
#include "bench/tensors.h"

namespace weft::cli::bench {

// Says how right a result is.
//
// A sample of the outputs (the first, the last, up to 4096 at random; fewer where each is a long
// sum) is computed in double from the operator's formula.
//
//   rms error = sqrt( sum (result - exact)^2 / sum exact^2 )     over the sample
//
// Rivals compute what BACKWARD's OutputPadding adds to an output, where DirectML has zeros: those
// elements count for Weft against the exact result alone.
//
// Two results agree where every element of them differs by no more than rounding explains: for
// sums of n terms 32 sqrt(n) units of the type at the size of the exact results' root mean square;
// 1 for integers, which some round and some truncate; nothing where data is only moved.
class Judge {
 public:
  Judge(const Shape& shape, const Tensors& tensors);

  double rms_error(std::span<const std::byte> result) const;

  // How a result differs from the exact sample, or from another result: "element 12 (0, 0, 0, 12)
  // is 1.5, must be 2 to within 1e-06". Nothing where it does not.
  std::optional<std::string> difference(std::span<const std::byte> result) const;
  std::optional<std::string> difference(std::span<const std::byte> result,
                                        std::span<const std::byte> expected) const;

 private:
  struct Sample {
    std::size_t element;
    double exact;
  };
  bool compared(std::size_t element) const;
  double allowance(double expected) const { return absolute_ + relative_ * std::abs(expected); }
  std::string describe(std::size_t element, double value, double expected) const;

  DataType type_;
  Dims sizes_;
  Dims compared_;  // the part of the output that rivals compute too
  std::vector<Sample> samples_;
  double absolute_ = 0, relative_ = 0;
};

}  // namespace weft::cli::bench
