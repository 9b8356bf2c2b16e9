#pragma once

#include <cstdint>

namespace weft::com {

// How many COM objects of this library are alive. Tests see it come back to 0.
std::int64_t live_objects() noexcept;

// Counts its own lifetime. Every object has one.
class LiveObject {
 public:
  LiveObject() noexcept;
  ~LiveObject();
  LiveObject(const LiveObject&) = delete;
  LiveObject& operator=(const LiveObject&) = delete;
};

}  // namespace weft::com
