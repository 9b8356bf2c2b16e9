#pragma once

// The Windows Implementation Library's ways to turn failure into an exception or a return value:
// those that DirectML programs use. Each evaluates its argument once.

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "../windows.h"

namespace wil {

// A failed HRESULT, and where it came from.
class ResultException : public std::exception {
 public:
  ResultException(HRESULT code, const char* file, int line, const char* what) : code_(code) {
    char text[16];
    snprintf(text, sizeof text, "0x%08X", (unsigned)code);
    text_ = std::string(file) + ":" + std::to_string(line) + ": " + what + " failed: " + text;
  }
  HRESULT GetErrorCode() const noexcept { return code_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  HRESULT code_;
  std::string text_;
};

// What an exception is as an HRESULT. Inside a catch block only.
inline HRESULT ResultFromCaughtException() noexcept {
  try {
    throw;
  } catch (const ResultException& error) {
    return error.GetErrorCode();
  } catch (const std::bad_alloc&) {
    return E_OUTOFMEMORY;
  } catch (const std::invalid_argument&) {
    return E_INVALIDARG;
  } catch (...) {
    return E_FAIL;
  }
}

namespace details {

inline HRESULT throw_if_failed(HRESULT hr, const char* file, int line, const char* what) {
  if (FAILED(hr)) throw ResultException(hr, file, line, what);
  return hr;
}

inline HRESULT last_error() {
  const HRESULT hr = HRESULT_FROM_WIN32(GetLastError());
  return FAILED(hr) ? hr : E_FAIL;
}

template <class Pointer>
Pointer&& throw_last_error_if_null(Pointer&& pointer, const char* file, int line,
                                   const char* what) {
  if (!pointer) throw ResultException(last_error(), file, line, what);
  return static_cast<Pointer&&>(pointer);
}

}  // namespace details
}  // namespace wil

#define THROW_HR(hr) throw ::wil::ResultException((hr), __FILE__, __LINE__, #hr)
#define THROW_IF_FAILED(hr) ::wil::details::throw_if_failed((hr), __FILE__, __LINE__, #hr)
#define THROW_HR_IF(hr, condition) \
  do {                             \
    if (condition) THROW_HR(hr);   \
  } while (0)
#define THROW_HR_IF_NULL(hr, pointer) THROW_HR_IF(hr, !(pointer))
#define THROW_LAST_ERROR() THROW_HR(::wil::details::last_error())
#define THROW_LAST_ERROR_IF(condition) \
  do {                                 \
    if (condition) THROW_LAST_ERROR(); \
  } while (0)
#define THROW_LAST_ERROR_IF_NULL(pointer) \
  ::wil::details::throw_last_error_if_null((pointer), __FILE__, __LINE__, #pointer)
#define THROW_IF_WIN32_BOOL_FALSE(result) THROW_LAST_ERROR_IF(!(result))
#define THROW_IF_NULL_ALLOC(pointer) THROW_HR_IF_NULL(E_OUTOFMEMORY, pointer)

#define RETURN_HR(hr) return (hr)
#define RETURN_IF_FAILED(hr)                     \
  do {                                           \
    const HRESULT weft_result = (hr);            \
    if (FAILED(weft_result)) return weft_result; \
  } while (0)
#define RETURN_HR_IF(hr, condition) \
  do {                              \
    if (condition) return (hr);     \
  } while (0)
#define RETURN_HR_IF_NULL(hr, pointer) RETURN_HR_IF(hr, !(pointer))
#define RETURN_LAST_ERROR_IF(condition) RETURN_HR_IF(::wil::details::last_error(), condition)

#define CATCH_RETURN()                         \
  catch (...) {                                \
    return ::wil::ResultFromCaughtException(); \
  }
