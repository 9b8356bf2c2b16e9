#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dml/dispatch.h"

namespace weft::dml {

// What is bound for one dispatch, as a binding table writes it into its descriptors. Immutable once
// there. Holds no buffer alive: a bound resource is the application's to keep.
struct BindingSet {
  struct Bound {
    std::weak_ptr<d3d12::Buffer> buffer;  // empty: nothing is bound
    const d3d12::Buffer* identity = nullptr;
    std::byte* address = nullptr;
    std::uint64_t offset_in_bytes = 0;

    bool is_bound() const noexcept { return identity != nullptr; }
  };

  std::shared_ptr<const Dispatch> dispatch;
  std::vector<Bound> slots;  // one for each of the dispatch's
};

// Checks one buffer for a slot by itself: kind and heap of the resource, offset, size. `device` is
// the D3D12 device that it has to belong to. Null, or without a buffer: nothing is bound.
// Throws com::Failure.
BindingSet::Bound bind_buffer(const Slot& slot, const DML_BUFFER_BINDING* binding,
                              ID3D12Device* device);

// Checks that buffers do not lie in each other's way:
//
//   outputs, temporary     with nothing else, except
//   input and output       the same range, where the operator runs in place
//   persistent             with neither outputs nor temporary
//   initialization         no input in the resource of an output
//
// `counts` says which slots to look at; without it, all. Throws com::Failure.
void check_hazards(const BindingSet& set, const std::vector<bool>& counts);
void check_hazards(const BindingSet& set);

// Throws com::Failure for the first required slot that is not bound.
void check_complete(const BindingSet& set);

}  // namespace weft::dml
