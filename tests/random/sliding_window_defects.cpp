#include <algorithm>
#include <utility>

#include "random/defects.h"
#include "random/rearrange.h"

namespace weft::random_cases {

namespace {

using testing::Coordinate;

// The arrays of FOLD and of UNFOLD, filled in.
struct Arrays {
  Dims& windows;
  Dims& strides;
  Dims& dilations;
  Dims& start;
  Dims& end;
};

template <bool (*kChange)(Arrays)>
bool arrays_changed(OperatorParams& params) {
  const auto apply = [](auto& p) {
    const std::size_t spatial = p.window_sizes.size();
    if (p.strides.empty()) p.strides = Dims(spatial, 1);
    if (p.dilations.empty()) p.dilations = Dims(spatial, 1);
    if (p.start_padding.empty()) p.start_padding = Dims(spatial, 0);
    if (p.end_padding.empty()) p.end_padding = Dims(spatial, 0);
    return kChange({p.window_sizes, p.strides, p.dilations, p.start_padding, p.end_padding});
  };
  if (auto* fold = std::get_if<FoldParams>(&params)) return apply(*fold);
  return apply(std::get<UnfoldParams>(params));
}

bool padding_shifted(Arrays a) {
  for (std::size_t d = 0; d < a.start.size(); ++d) {
    if (a.start[d] == 0) continue;
    --a.start[d];
    ++a.end[d];
    return true;
  }
  return false;
}

bool ends_swapped(Dims& values) {
  if (values.size() < 2 || values.front() == values.back()) return false;
  std::swap(values.front(), values.back());
  return true;
}

bool windows_swapped(Arrays a) { return ends_swapped(a.windows); }
bool strides_swapped(Arrays a) { return ends_swapped(a.strides); }
bool dilations_swapped(Arrays a) { return ends_swapped(a.dilations); }
bool start_and_end_padding_swapped(Arrays a) {
  std::swap(a.start, a.end);
  return a.start != a.end;
}

bool dilation_ignored(Arrays a) {
  bool any = false;
  for (std::size_t d = 0; d < a.windows.size(); ++d) {
    const std::uint32_t span = (a.windows[d] - 1) * (a.dilations[d] - 1);
    if (span == 0) continue;
    if (a.end[d] < span) return false;
    a.end[d] -= span;
    a.dilations[d] = 1;
    any = true;
  }
  return any;
}

std::int64_t window_elements(const Dims& windows) {
  std::int64_t count = 1;
  for (const std::uint32_t window : windows) count *= window;
  return count;
}

// Rows in the order (window element, channel) instead of (channel, window element).
bool channels_fastest(const TensorDesc& columns, const Dims& windows, std::byte* data) {
  const std::size_t row = columns.sizes.size() - 2;
  const std::int64_t elements = window_elements(windows);
  const std::int64_t channels = columns.sizes[row] / elements;
  return rearrange(columns, data, [&](Coordinate x) {
    x[row] = x[row] % channels * elements + x[row] / channels;
    return x;
  });
}

bool unfold_channels_fastest(const OperatorParams& params, std::byte* data) {
  const auto& p = std::get<UnfoldParams>(params);
  return channels_fastest(p.output, p.window_sizes, data);
}

// Only where each element of the input is stored once can they be moved about.
bool is_stored_once(const TensorDesc& desc) {
  std::vector<std::int64_t> offsets;
  testing::for_each_element(desc,
                            [&](const Coordinate&, std::int64_t at) { offsets.push_back(at); });
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}

bool fold_channels_fastest(const OperatorParams& params, std::byte* data) {
  const auto& p = std::get<FoldParams>(params);
  return is_stored_once(p.input) && channels_fastest(p.input, p.window_sizes, data);
}

// The last element of each window is left out.
bool last_window_element_dropped(const OperatorParams& params, std::byte* data) {
  const auto& p = std::get<FoldParams>(params);
  if (!is_stored_once(p.input)) return false;
  const std::int64_t elements = window_elements(p.window_sizes);
  const std::size_t row = p.input.sizes.size() - 2;
  testing::for_each_element(p.input, [&](const Coordinate& x, std::int64_t at) {
    if (x[row] % elements == elements - 1) testing::write_bits(p.input.data_type, data + at, 0);
  });
  return true;
}

// The last block is never computed.
bool last_block_dropped(const OperatorParams& params, std::byte* data) {
  const auto& p = std::get<UnfoldParams>(params);
  const std::size_t block = p.output.sizes.size() - 1;
  testing::for_each_element(p.output, [&](const Coordinate& x, std::int64_t at) {
    if (x[block] == std::int64_t{p.output.sizes[block]} - 1) {
      testing::write_bits(p.output.data_type, data + at, 0);
    }
  });
  return true;
}

constexpr std::string_view kFold = "FOLD";
constexpr std::string_view kUnfold = "UNFOLD";

constexpr Defect kSlidingWindowDefects[] = {
    {kFold, "padding shifted by one", arrays_changed<padding_shifted>},
    {kFold, "windows swapped", arrays_changed<windows_swapped>},
    {kFold, "strides swapped", arrays_changed<strides_swapped>},
    {kFold, "dilations swapped", arrays_changed<dilations_swapped>},
    {kFold, "start and end padding swapped", arrays_changed<start_and_end_padding_swapped>},
    {kFold, "dilation ignored", arrays_changed<dilation_ignored>},
    {kFold, "channels fastest in rows", nullptr, fold_channels_fastest},
    {kFold, "last window element dropped", nullptr, last_window_element_dropped},
    {kUnfold, "padding shifted by one", arrays_changed<padding_shifted>},
    {kUnfold, "windows swapped", arrays_changed<windows_swapped>},
    {kUnfold, "strides swapped", arrays_changed<strides_swapped>},
    {kUnfold, "dilations swapped", arrays_changed<dilations_swapped>},
    {kUnfold, "start and end padding swapped", arrays_changed<start_and_end_padding_swapped>},
    {kUnfold, "dilation ignored", arrays_changed<dilation_ignored>},
    {kUnfold, "channels fastest in rows", nullptr, nullptr, unfold_channels_fastest},
    {kUnfold, "last block dropped", nullptr, nullptr, last_block_dropped},
};

}  // namespace

std::span<const Defect> sliding_window_defects() { return kSlidingWindowDefects; }

}  // namespace weft::random_cases
