#pragma once

#include <DirectML.h>

#include <deque>
#include <span>
#include <vector>

namespace weft::testing {

// A buffer, or a part of one, as it is bound. Without a buffer: NONE.
struct Part {
  ID3D12Resource* buffer = nullptr;
  UINT64 offset = 0;
  UINT64 size_in_bytes = 0;  // 0: the rest of the buffer

  DML_BUFFER_BINDING binding() const;
};

// The descs that Bind* take, with all that they point to.
class Bindings {
 public:
  Bindings() = default;
  // One binding a part.
  explicit Bindings(std::span<const Part> parts);
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;

  // A BUFFER_ARRAY of all parts; NONE when there are none.
  void add_array(std::span<const Part> parts);

  UINT count() const { return static_cast<UINT>(descs_.size()); }
  const DML_BINDING_DESC* descs() const { return descs_.data(); }

 private:
  std::deque<std::vector<DML_BUFFER_BINDING>> buffers_;
  std::deque<DML_BUFFER_ARRAY_BINDING> arrays_;
  std::vector<DML_BINDING_DESC> descs_;
};

}  // namespace weft::testing
