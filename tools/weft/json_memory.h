#pragma once

#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "system_memory.h"

namespace weft::cli {

// Memory for RapidJSON, which writes through the null pointer that its own allocator returns when
// there is none: this one throws std::bad_alloc.
class JsonAllocator {
 public:
  static constexpr bool kNeedFree = true;

  // Its names. NOLINTBEGIN(readability-identifier-naming)
  void* Malloc(std::size_t size) { return Realloc(nullptr, 0, size); }

  void* Realloc(void* block, std::size_t old_size, std::size_t size) {
    if (size == 0) {
      Free(block);
      return nullptr;
    }
    if (size > old_size) require_memory(size - old_size);
    void* const result = std::realloc(block, size);
    if (result == nullptr) throw std::bad_alloc();
    return result;
  }

  static void Free(void* block) { std::free(block); }
  // NOLINTEND(readability-identifier-naming)
};

// RapidJSON's types, with that memory.
using JsonEncoding = rapidjson::UTF8<>;
using JsonDocument =
    rapidjson::GenericDocument<JsonEncoding, rapidjson::MemoryPoolAllocator<JsonAllocator>,
                               JsonAllocator>;
using JsonNode = JsonDocument::ValueType;
using JsonParser = rapidjson::GenericReader<JsonEncoding, JsonEncoding, JsonAllocator>;
using JsonBuffer = rapidjson::GenericStringBuffer<JsonEncoding, JsonAllocator>;
using JsonWriter = rapidjson::PrettyWriter<JsonBuffer, JsonEncoding, JsonEncoding, JsonAllocator>;

}  // namespace weft::cli
