#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "bench/contender.h"
#include "bench/shapes.h"
#include "bench/tensors.h"
#include "weft/isa.h"

namespace weft::cli::bench {

// How Weft's input and output lie in memory; rivals have them packed.
enum class Layout {
  packed,
  nhwc,       // channels fastest; the columns of UNFOLD and FOLD stay packed
  gaps,       // 64 bytes between the rows
  broadcast,  // all channels of the input are the same one (stride 0)
};
std::string_view name(Layout layout);
Layout layout_of(std::string_view name);  // one of them

// A task in another layout, with the same numbers in its tensors.
class LaidOut {
 public:
  // Of Layout::broadcast, the channels of the task's input have to be alike.
  LaidOut(const Task& packed, Layout layout);

  Task task() const { return {shape_, tensors_, packed_.threads, packed_.winograd}; }

  // Copies the output of set 0 to that of the packed task.
  void pack_output() const;

 private:
  const Task& packed_;
  Shape shape_;
  Tensors tensors_;
};

// Weft on packed tensors, as what another layout is compared with.
PeerSlot packed_weft(std::optional<Isa> max_isa);

}  // namespace weft::cli::bench
