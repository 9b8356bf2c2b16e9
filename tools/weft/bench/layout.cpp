#include "bench/layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/weft_contender.h"
#include "weft/info.h"

namespace weft::cli::bench {

namespace {

constexpr std::string_view kNames[] = {"packed", "nhwc", "gaps", "broadcast"};

// `order` begins with the fastest dimension, whose rows lie `gap` elements apart.
Dims strides_of(const Dims& sizes, const std::vector<std::size_t>& order, std::uint32_t gap) {
  Dims strides(sizes.size());
  std::uint64_t stride = 1;
  for (const std::size_t d : order) {
    if (stride > UINT32_MAX) throw std::bad_alloc();
    strides[d] = static_cast<std::uint32_t>(stride);
    stride = stride * sizes[d] + (d == order.front() ? gap : 0);
  }
  return strides;
}

Shape laid_out(Shape shape, Layout layout) {
  const auto set = [&](TensorDesc& tensor, bool columns, bool input) {
    const std::size_t rank = tensor.sizes.size();
    if (rank < 2 || (layout == Layout::nhwc && columns)) return;
    std::vector<std::size_t> order;
    if (layout == Layout::nhwc) order.push_back(1);
    for (std::size_t d = rank; d-- > 0;) {
      if (d != 1 || layout != Layout::nhwc) order.push_back(d);
    }
    const auto line = static_cast<std::uint32_t>(64 / byte_size(tensor.data_type));
    tensor.strides = strides_of(tensor.sizes, order, layout == Layout::gaps ? line : 0);
    if (layout == Layout::broadcast && input) tensor.strides[1] = 0;
  };
  const OperatorType type = shape.type();
  std::visit(
      [&](auto& p) {
        set(p.input, type == OperatorType::fold, true);
        set(p.output, type == OperatorType::unfold, false);
      },
      shape.params);
  return shape;
}

class PackedWeft : public Peer {
 public:
  explicit PackedWeft(std::optional<Isa> max_isa) : max_isa_(max_isa) {}
  std::string name() const override { return "packed"; }
  std::string version() const override { return std::string(weft::version()); }
  std::vector<Way> ways(const Task& task) override {
    std::vector<Way> result;
    result.push_back({"weft", true, std::make_unique<WeftContender>(task, max_isa_)});
    return result;
  }

 private:
  std::optional<Isa> max_isa_;
};

}  // namespace

std::string_view name(Layout layout) { return kNames[static_cast<std::size_t>(layout)]; }

Layout layout_of(std::string_view name) {
  return static_cast<Layout>(std::find(std::begin(kNames), std::end(kNames), name) - kNames);
}

LaidOut::LaidOut(const Task& packed, Layout layout)
    : packed_(packed),
      shape_(laid_out(packed.shape, layout)),
      tensors_(shape_.params, layout == Layout::broadcast) {}

void LaidOut::pack_output() const {
  std::visit(
      [&](const auto& p) {
        const std::size_t size = byte_size(p.output.data_type);
        const std::byte* const from = tensors_.output_elements(0).data();
        std::byte* const to = packed_.tensors.output_elements(0).data();
        each_element(p.output, [&](std::size_t element, std::size_t place) {
          std::memcpy(to + element * size, from + place * size, size);
        });
      },
      shape_.params);
}

PeerSlot packed_weft(std::optional<Isa> max_isa) {
  auto peer = std::make_unique<PackedWeft>(max_isa);
  const std::string version = peer->version();
  return {peer->name(), version, std::move(peer)};
}

}  // namespace weft::cli::bench
