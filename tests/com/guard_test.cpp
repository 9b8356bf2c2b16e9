#include "com/guard.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using weft::com::Failure;
using weft::com::guard;
using weft::com::guard_plans;

struct Reported {
  HRESULT code = S_OK;
  std::string text;
  void operator()(HRESULT given, std::string_view message) noexcept {
    code = given;
    text = message;
  }
};

TEST(Guard, GivesWhatTheBodyReturns) {
  Reported reported;
  EXPECT_EQ(guard(reported, [] { return S_FALSE; }), S_FALSE);
  EXPECT_EQ(guard(reported, [] {}), S_OK);
  EXPECT_EQ(reported.code, S_OK);
}

TEST(Guard, FailureBringsItsCodeAndMessage) {
  Reported reported;
  EXPECT_EQ(guard(reported, [] { throw Failure(E_HANDLE, "the handle"); }), E_HANDLE);
  EXPECT_EQ(reported.code, E_HANDLE);
  EXPECT_EQ(reported.text, "the handle");
}

TEST(Guard, OtherExceptionsHaveCodesToo) {
  Reported reported;
  EXPECT_EQ(guard(reported, [] { throw std::bad_alloc(); }), E_OUTOFMEMORY);
  EXPECT_EQ(guard(reported, [] { throw std::logic_error("odd"); }), E_FAIL);
  EXPECT_EQ(reported.text, "odd");
  EXPECT_EQ(guard(reported, [] { throw 5; }), E_FAIL);
}

TEST(Guard, ErrorsOfPlansKeepTheirKind) {
  using weft::Error;
  using weft::ErrorCode;
  Reported reported;
  const auto refuse = [&](ErrorCode code) {
    return guard_plans(reported, [&]() -> HRESULT { throw Error(code, "FOLD.Strides"); });
  };
  EXPECT_EQ(refuse(ErrorCode::invalid_argument), E_INVALIDARG);
  EXPECT_EQ(refuse(ErrorCode::unsupported), DXGI_ERROR_UNSUPPORTED);
  EXPECT_EQ(refuse(ErrorCode::out_of_memory), E_OUTOFMEMORY);
  EXPECT_EQ(reported.text, "FOLD.Strides");
}

}  // namespace
