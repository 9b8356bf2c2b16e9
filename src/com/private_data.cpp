#include "com/private_data.h"

#include <cstring>
#include <cwchar>
#include <span>
#include <utility>

namespace weft::com {

namespace {

// Debian's headers only declare these two.
constexpr GUID kDebugObjectName = {
    0x429b8c22, 0x9188, 0x4b0c, {0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0x00}};
constexpr GUID kDebugObjectNameW = {
    0x4cca5fd8, 0x921f, 0x42c8, {0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41}};

std::string key_of(REFGUID id) {
  static_assert(sizeof(GUID) == 16);
  return {reinterpret_cast<const char*>(&id), sizeof(GUID)};
}

void append_utf8(std::string& text, std::uint32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  const auto continuation = [&](int shift) {
    text += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    continuation(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

// Up to the terminator, if there is one.
std::string utf8_of_wide(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t at = 0; at + sizeof(wchar_t) <= bytes.size(); at += sizeof(wchar_t)) {
    wchar_t letter = 0;
    std::memcpy(&letter, bytes.data() + at, sizeof letter);
    if (letter == 0) break;
    append_utf8(text, static_cast<std::uint32_t>(letter));
  }
  return text;
}

std::string text_of(std::span<const std::byte> bytes) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  return {text, bytes.empty() ? 0 : strnlen(text, bytes.size())};
}

}  // namespace

HRESULT PrivateData::get(REFGUID id, UINT* size, void* data) const noexcept try {
  if (!size) return E_INVALIDARG;
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(key_of(id));
  if (found == values_.end()) {
    *size = 0;
    return DXGI_ERROR_NOT_FOUND;
  }
  const auto* bytes = std::get_if<std::vector<std::byte>>(&found->second);
  const UINT needed = bytes ? static_cast<UINT>(bytes->size()) : UINT{sizeof(IUnknown*)};
  const UINT room = std::exchange(*size, needed);
  if (!data) return S_OK;
  if (room < needed) return DXGI_ERROR_MORE_DATA;
  if (bytes) {
    if (needed != 0) std::memcpy(data, bytes->data(), needed);
  } else {
    Ptr<IUnknown> object = std::get<Ptr<IUnknown>>(found->second);
    IUnknown* given = object.detach();
    std::memcpy(data, &given, sizeof(IUnknown*));
  }
  return S_OK;
} catch (...) {
  return E_OUTOFMEMORY;
}

HRESULT PrivateData::set(REFGUID id, UINT size, const void* data) noexcept try {
  if (!data && size != 0) return E_INVALIDARG;
  // What stood there is destroyed after the lock is gone: an object's Release may call back.
  Value value;
  const std::string key = key_of(id);
  if (!data) {
    const std::lock_guard lock(mutex_);
    if (const auto found = values_.find(key); found != values_.end()) {
      value = std::move(found->second);
      values_.erase(found);
    }
    return S_OK;
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  value = std::vector<std::byte>(bytes, bytes + size);
  const std::lock_guard lock(mutex_);
  std::swap(values_[key], value);
  return S_OK;
} catch (...) {
  return E_OUTOFMEMORY;
}

HRESULT PrivateData::set_interface(REFGUID id, IUnknown* object) noexcept try {
  if (!object) return set(id, 0, nullptr);
  Value value = Ptr<IUnknown>(object);
  const std::string key = key_of(id);
  const std::lock_guard lock(mutex_);
  std::swap(values_[key], value);
  return S_OK;
} catch (...) {
  return E_OUTOFMEMORY;
}

HRESULT PrivateData::set_name(PCWSTR name) noexcept {
  if (!name) return set(kDebugObjectNameW, 0, nullptr);
  const std::size_t size = (std::wcslen(name) + 1) * sizeof(wchar_t);
  if (size > UINT32_MAX) return E_INVALIDARG;
  return set(kDebugObjectNameW, static_cast<UINT>(size), name);
}

std::string PrivateData::name() const {
  const std::lock_guard lock(mutex_);
  const auto bytes_of = [this](REFGUID id) -> std::span<const std::byte> {
    const auto found = values_.find(key_of(id));
    if (found == values_.end()) return {};
    const auto* bytes = std::get_if<std::vector<std::byte>>(&found->second);
    return bytes ? std::span<const std::byte>(*bytes) : std::span<const std::byte>();
  };
  const std::string wide = utf8_of_wide(bytes_of(kDebugObjectNameW));
  return wide.empty() ? text_of(bytes_of(kDebugObjectName)) : wide;
}

}  // namespace weft::com
