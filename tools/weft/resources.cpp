#include "resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "elements.h"
#include "files.h"
#include "npy.h"
#include "problem.h"
#include "text.h"
#include "value_reader.h"

namespace weft::cli {

namespace {

[[noreturn]] void fail(std::string message) { throw BadInput("", std::move(message)); }

// Knows the size of its values as soon as it exists, and writes them when there is memory.
class ValueSource {
 public:
  explicit ValueSource(const Values& values) : values_(values), type_(values.type) {
    std::visit([&](const auto& source) { open(source); }, values.source);
  }

  DataType type() const { return type_; }
  // Empty where it is not known, or has a size that a tensor cannot have.
  Dims shape() const {
    Dims sizes;
    for (const std::uint64_t size : header_.shape) {
      if (size > UINT32_MAX) return {};
      sizes.push_back(static_cast<std::uint32_t>(size));
    }
    return sizes;
  }
  std::uint64_t size_in_bytes() const { return size_in_bytes_; }

  void write(std::span<std::byte> target) {
    std::visit([&](const auto& source) { fill(source, target); }, values_.source);
  }

 private:
  void open(const ListedValues& list) {
    if (type_ == DataType::unknown) type_ = DataType::uint8;
    size_in_bytes_ = list.bytes.size();
  }
  void open(const ConstantValues& constant) { open_count(constant.count); }
  void open(const SequenceValues& sequence) { open_count(sequence.count); }
  void open_count(std::uint64_t count) {
    if (__builtin_mul_overflow(count, byte_size(type_), &size_in_bytes_)) {
      fail(fmt::format("{} elements of {} pass 2^64 bytes", count, name(type_)));
    }
  }

  void open(const FileValues& source) {
    file_.emplace(source.path);
    const std::string& path = source.path.native();
    if (is_npy(source.path)) {
      header_ = read_npy_header(*file_);
      if (type_ != DataType::unknown && type_ != header_.type) {
        throw BadInput(path, fmt::format("holds {}, must hold {}: the type that the model says",
                                         name(header_.type), name(type_)));
      }
      type_ = header_.type;
      size_in_bytes_ = header_.size_in_bytes();
      return;
    }
    size_in_bytes_ = file_->size_in_bytes();
    if (size_in_bytes_ == 0) throw BadInput(path, "is empty, must have at least one element");
    if (size_in_bytes_ % byte_size(type_) != 0) {
      throw BadInput(path,
                     fmt::format("has {}, must have a multiple of {}: whole elements of {}",
                                 counted(size_in_bytes_, "byte"), byte_size(type_), name(type_)));
    }
  }

  void fill(const ListedValues& list, std::span<std::byte> target) {
    std::memcpy(target.data(), list.bytes.data(), target.size());
  }
  void fill(const ConstantValues& constant, std::span<std::byte> target) {
    // Zeros are there already, and untouched pages cost nothing.
    if (constant.value == std::array<std::byte, 8>{}) return;
    std::size_t filled = byte_size(type_);
    std::memcpy(target.data(), constant.value.data(), filled);
    while (filled < target.size()) {
      const std::size_t count = std::min(filled, target.size() - filled);
      std::memcpy(target.data() + filled, target.data(), count);
      filled += count;
    }
  }
  void fill(const SequenceValues& sequence, std::span<std::byte> target) {
    fill_sequence(type_, sequence.start.data(), sequence.delta.data(), target);
  }
  void fill(const FileValues& source, std::span<std::byte> target) {
    if (is_npy(source.path)) {
      read_npy_elements(*file_, header_, target);
    } else {
      file_->read(target);
    }
  }

  const Values& values_;
  DataType type_;
  std::uint64_t size_in_bytes_ = 0;
  std::optional<InputFile> file_;
  NpyHeader header_;
};

std::uint64_t round_up_to_4(std::uint64_t bytes) {
  if (bytes > UINT64_MAX - 3) fail(fmt::format("{} bytes pass 2^64 when rounded up to 4", bytes));
  return (bytes + 3) / 4 * 4;
}

}  // namespace

Memory MemoryBudget::allocate(std::uint64_t size_in_bytes) {
  if (size_in_bytes > left_) {
    fail(fmt::format("needs {} of memory, of the {} available {} are left",
                     counted(size_in_bytes, "byte"), available_, left_));
  }
  Memory memory(size_in_bytes);
  left_ -= size_in_bytes;
  return memory;
}

LoadedValues load_resource(const Resource& resource, MemoryBudget& budget) {
  ValueSource source(*resource.initial_values);
  std::uint64_t used = 0;
  if (__builtin_add_overflow(resource.offset_in_bytes, source.size_in_bytes(), &used)) {
    fail(fmt::format("initialValuesOffsetInBytes {} and {} of values pass 2^64 bytes",
                     resource.offset_in_bytes, counted(source.size_in_bytes(), "byte")));
  }
  const std::uint64_t size = resource.size_in_bytes.value_or(used);
  if (used > size) {
    fail(fmt::format("sizeInBytes is {}, must be at least {}: {} of values at offset {}", size,
                     used, counted(source.size_in_bytes(), "byte"), resource.offset_in_bytes));
  }
  LoadedValues loaded;
  loaded.memory = budget.allocate(round_up_to_4(size));
  loaded.type = source.type();
  loaded.element_count = size / byte_size(loaded.type);
  if (size == source.size_in_bytes()) loaded.shape = source.shape();
  source.write(loaded.memory.bytes().subspan(resource.offset_in_bytes, source.size_in_bytes()));
  return loaded;
}

LoadedValues load_values(const Values& values, MemoryBudget& budget) {
  ValueSource source(values);
  LoadedValues loaded;
  loaded.memory = budget.allocate(source.size_in_bytes());
  loaded.type = source.type();
  loaded.element_count = source.size_in_bytes() / byte_size(loaded.type);
  loaded.shape = source.shape();
  source.write(loaded.memory.bytes());
  return loaded;
}

}  // namespace weft::cli
