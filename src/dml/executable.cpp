#include "dml/executable.h"

#include <cstring>
#include <new>

#include "dml/memory_plan.h"

namespace weft::dml {

Executable::~Executable() = default;

void Executable::Free::operator()(std::byte* memory) const noexcept {
  ::operator delete (memory, std::align_val_t{kMemoryAlignment});
}

Buffer Executable::at(const Place& place, std::span<std::byte* const> slots) const noexcept {
  if (place.size_in_bytes == 0) return {};
  std::byte* base = place.slot == kConstants ? constants_.get() : slots[place.slot];
  return {base + place.offset_in_bytes, place.size_in_bytes};
}

void Executable::initialize(std::span<std::byte* const> inputs, std::byte* persistent) const {
  for (const Pack& pack : packs_) {
    const std::byte* from = inputs[pack.input];
    std::byte* to = persistent + pack.persistent_offset_in_bytes;
    if (pack.kind == Pack::Kind::filter) {
      const Step& step = steps_[pack.step];
      step.plan.prepare({from, pack.size_in_bytes}, {to, step.prepared.size_in_bytes});
    } else {
      std::memcpy(to, from, pack.size_in_bytes);
    }
  }
}

bool Executable::run(std::span<std::byte* const> slots) const noexcept {
  for (const Step& step : steps_) {
    std::array<ConstBuffer, 3> inputs;
    const std::size_t count = step.plan.inputs().size();
    for (std::size_t i = 0; i < count; ++i) inputs[i] = at(step.inputs[i], slots);
    const Buffer output = at(step.output, slots);
    const Bindings bindings{.inputs = std::span(inputs).first(count),
                            .outputs = {&output, 1},
                            .prepared = at(step.prepared, slots)};
    if (step.plan.run(bindings, at(step.workspace, slots)) != ErrorCode::ok) return false;
  }
  return true;
}

std::string Executable::explain() const {
  std::string text;
  for (const Step& step : steps_) {
    if (!text.empty()) text += "; ";
    text += step.plan.explain();
  }
  return text;
}

}  // namespace weft::dml
