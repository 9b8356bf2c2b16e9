#include "com/private_data.h"

#include <gtest/gtest.h>

#include <cstring>

#include "com/object.h"

namespace {

using weft::com::PrivateData;
using weft::com::Ptr;

constexpr GUID kFirst = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
constexpr GUID kSecond = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 12}};
constexpr GUID kNarrowName = {
    0x429b8c22, 0x9188, 0x4b0c, {0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0x00}};

class Plain final : public weft::com::Object<IUnknown> {};

TEST(PrivateData, KeepsBytesById) {
  PrivateData data;
  const int value = 42;
  EXPECT_EQ(data.set(kFirst, sizeof value, &value), S_OK);
  int read = 0;
  UINT size = sizeof read;
  EXPECT_EQ(data.get(kFirst, &size, &read), S_OK);
  EXPECT_EQ(read, 42);
  size = 7;
  EXPECT_EQ(data.get(kSecond, &size, &read), DXGI_ERROR_NOT_FOUND);
  EXPECT_EQ(size, 0U);
}

TEST(PrivateData, TellsTheSize) {
  PrivateData data;
  const char text[] = "twelve bytes";
  ASSERT_EQ(data.set(kFirst, 12, text), S_OK);
  UINT size = 0;
  EXPECT_EQ(data.get(kFirst, &size, nullptr), S_OK);
  EXPECT_EQ(size, 12U);
  char room[11] = {};
  size = sizeof room;
  EXPECT_EQ(data.get(kFirst, &size, room), DXGI_ERROR_MORE_DATA);
  EXPECT_EQ(size, 12U);
  EXPECT_EQ(room[0], 0);
  EXPECT_EQ(data.get(kFirst, nullptr, room), E_INVALIDARG);
}

TEST(PrivateData, NothingDeletes) {
  PrivateData data;
  ASSERT_EQ(data.set(kFirst, 4, "abc"), S_OK);
  EXPECT_EQ(data.set(kFirst, 4, nullptr), E_INVALIDARG);
  EXPECT_EQ(data.set(kFirst, 0, nullptr), S_OK);
  UINT size = 0;
  EXPECT_EQ(data.get(kFirst, &size, nullptr), DXGI_ERROR_NOT_FOUND);
}

TEST(PrivateData, HoldsInterfaces) {
  {
    PrivateData data;
    auto object = Ptr<IUnknown>::adopt(new Plain);
    ASSERT_EQ(data.set_interface(kFirst, object.get()), S_OK);
    IUnknown* found = nullptr;
    UINT size = sizeof(void*);
    ASSERT_EQ(data.get(kFirst, &size, &found), S_OK);
    EXPECT_EQ(found, object.get());
    EXPECT_EQ(found->Release(), 2U);
    EXPECT_EQ(data.set(kFirst, 1, "x"), S_OK);  // replaced: its reference goes
    EXPECT_EQ(object->AddRef(), 2U);
    object->Release();
    ASSERT_EQ(data.set_interface(kFirst, object.get()), S_OK);
  }
  EXPECT_EQ(weft::com::live_objects(), 0);
}

TEST(PrivateData, NamesAreUtf8) {
  PrivateData data;
  EXPECT_EQ(data.name(), "");
  EXPECT_EQ(data.set(kNarrowName, 5, "plain"), S_OK);
  EXPECT_EQ(data.name(), "plain");
  EXPECT_EQ(data.set_name(L"Gr\u00f6\u00dfe \u2211 \U0001F9F5"), S_OK);
  EXPECT_EQ(data.name(), "Gr\u00f6\u00dfe \u2211 \U0001F9F5");
  const wchar_t broken[] = {static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), 0};
  EXPECT_EQ(data.set_name(broken), S_OK);
  EXPECT_EQ(data.name(), "\uFFFD\uFFFD");
  EXPECT_EQ(data.set_name(nullptr), S_OK);
  EXPECT_EQ(data.name(), "plain");
}

}  // namespace
