#include "ops/layout.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/checked.h"

namespace weft::ops {

std::int64_t Layout::element_count() const noexcept {
  std::int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= sizes[d];
  return count;
}

Layout layout_of(const TensorDesc& desc) {
  Layout layout;
  layout.rank = static_cast<int>(desc.sizes.size());
  std::int64_t packed = 1;
  for (int d = layout.rank; d-- > 0;) {
    layout.sizes[d] = desc.sizes[d];
    layout.strides[d] = desc.strides.empty() ? packed : desc.strides[d];
    packed *= layout.sizes[d];
  }
  return layout;
}

std::optional<std::uint64_t> extent_in_elements(const TensorDesc& desc) noexcept {
  if (desc.strides.empty()) return weft::element_count(desc.sizes);
  if (desc.strides.size() != desc.sizes.size()) return std::nullopt;
  std::optional<std::uint64_t> extent = 1;
  for (std::size_t d = 0; d < desc.sizes.size(); ++d) {
    if (desc.sizes[d] == 0) return 0;
    // The product of two 32-bit numbers fits 64 bits; the sum may not.
    if (extent) extent = base::add(*extent, std::uint64_t{desc.sizes[d] - 1} * desc.strides[d]);
  }
  return extent;
}

bool same_layout(const TensorDesc& a, const TensorDesc& b) {
  if (a.sizes != b.sizes) return false;
  const Layout first = layout_of(a);
  const Layout second = layout_of(b);
  for (int d = 0; d < first.rank; ++d) {
    if (first.sizes[d] > 1 && first.strides[d] != second.strides[d]) return false;
  }
  return true;
}

namespace {

struct Axis {
  std::int64_t stride;
  std::int64_t steps;  // size - 1
};

// Looks for differences x[d], not all zero, |x[d]| <= steps[d], whose sum of x[d] * stride[d] is 0:
// the difference of two coordinates that share an offset. Largest stride first; what the smaller
// strides can still make up for bounds each choice.
class ZeroSum {
 public:
  explicit ZeroSum(std::vector<Axis> axes) : axes_(std::move(axes)), reach_(axes_.size() + 1) {
    divisor_.resize(axes_.size() + 1);
    for (std::size_t d = axes_.size(); d-- > 0;) {
      reach_[d] = reach_[d + 1] + static_cast<__int128>(axes_[d].stride) * axes_[d].steps;
      divisor_[d] = std::gcd(divisor_[d + 1], axes_[d].stride);
    }
  }

  bool exists() { return search(0, 0, false) || budget_ < 0; }

 private:
  bool search(std::size_t d, __int128 sum, bool nonzero) {
    if (--budget_ < 0) return true;
    if (d == axes_.size()) return nonzero && sum == 0;
    if (sum % divisor_[d] != 0) return false;
    const auto [stride, steps] = axes_[d];
    // x * stride must lie within -sum +- reach of the rest.
    const __int128 low = -sum - reach_[d + 1];
    const __int128 high = -sum + reach_[d + 1];
    // The negated difference is one too, so the first x that is not 0 may be taken positive.
    const __int128 first = std::max<__int128>(nonzero ? -steps : 0, divide_up(low, stride));
    const __int128 last = std::min<__int128>(steps, divide_down(high, stride));
    for (__int128 x = first; x <= last; ++x) {
      if (search(d + 1, sum + x * stride, nonzero || x != 0)) return true;
      if (budget_ < 0) return true;
    }
    return false;
  }

  static __int128 divide_down(__int128 a, __int128 b) { return a / b - (a % b < 0 ? 1 : 0); }
  static __int128 divide_up(__int128 a, __int128 b) { return -divide_down(-a, b); }

  std::vector<Axis> axes_;
  std::vector<__int128> reach_;
  std::vector<std::int64_t> divisor_;
  std::int64_t budget_ = 1'000'000;
};

}  // namespace

bool overlaps_itself(const Dims& sizes, const Dims& strides) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] <= 1) continue;
    if (strides[d] == 0) return true;
    axes.push_back({strides[d], std::int64_t{sizes[d]} - 1});
  }
  std::sort(axes.begin(), axes.end(), [](Axis a, Axis b) { return a.stride > b.stride; });
  // The usual case: every stride steps over all that the smaller ones can reach.
  __int128 reach = 0;
  bool nested = true;
  for (std::size_t d = axes.size(); d-- > 0;) {
    nested = nested && axes[d].stride > reach;
    reach += static_cast<__int128>(axes[d].stride) * axes[d].steps;
  }
  return !nested && ZeroSum(std::move(axes)).exists();
}

}  // namespace weft::ops
