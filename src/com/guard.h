#pragma once

// Exceptions stay inside the libraries: every COM method runs its body in guard().

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "com/windows.h"
#include "weft/error.h"

namespace weft::com {

// Thrown inside a method that refuses: the HRESULT, and what is wrong in words: object, method,
// parameter, value, rule and right value.
class Failure : public std::exception {
 public:
  Failure(HRESULT code, std::string message) : code_(code), message_(std::move(message)) {}

  HRESULT code() const noexcept { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  HRESULT code_;
  std::string message_;
};

// Runs body(), which returns an HRESULT or nothing (S_OK). What it throws becomes the HRESULT, and
// its message goes to report(HRESULT, std::string_view), which must not throw.
//
//   Failure          its own code
//   std::bad_alloc   E_OUTOFMEMORY
//   anything else    E_FAIL
template <class Report, class Body>
HRESULT guard(Report&& report, Body&& body) noexcept {
  const auto fail = [&](HRESULT code, std::string_view message) {
    report(code, message);
    return code;
  };
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return S_OK;
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return fail(failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    return fail(E_OUTOFMEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(E_FAIL, error.what());
  } catch (...) {
    return fail(E_FAIL, "unknown failure");
  }
}

inline HRESULT hresult(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::ok:
      return S_OK;
    case ErrorCode::invalid_argument:
      return E_INVALIDARG;
    case ErrorCode::unsupported:
      return DXGI_ERROR_UNSUPPORTED;
    case ErrorCode::out_of_memory:
      return E_OUTOFMEMORY;
  }
  return E_FAIL;
}

// As guard(), for a library that uses libweft: weft::Error becomes hresult(its code).
template <class Report, class Body>
HRESULT guard_plans(Report&& report, Body&& body) noexcept {
  return guard(report, [&]() -> std::invoke_result_t<Body> {
    try {
      return body();
    } catch (const Error& error) {
      throw Failure(hresult(error.code()), error.what());
    }
  });
}

}  // namespace weft::com
