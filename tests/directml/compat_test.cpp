// The Windows-shaped headers: events, memory, errors, as Windows' documentation has them.

#include <gtest/gtest.h>

// gtest first: Windows' headers define macros.
#include <Windows.h>
#include <wil/resource.h>
#include <wil/result.h>
#include <wrl.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "directml/compiler.h"

namespace weft::testing {
namespace {

TEST(EventTest, ManualResetStaysSignalledUntilReset) {
  const wil::unique_handle event(CreateEvent(nullptr, TRUE, FALSE, nullptr));
  ASSERT_TRUE(event);
  EXPECT_EQ(WaitForSingleObject(event.get(), 0), WAIT_TIMEOUT);
  EXPECT_TRUE(SetEvent(event.get()));
  EXPECT_TRUE(SetEvent(event.get()));
  EXPECT_EQ(WaitForSingleObject(event.get(), 0), WAIT_OBJECT_0);
  EXPECT_EQ(WaitForSingleObjectEx(event.get(), INFINITE, FALSE), WAIT_OBJECT_0);
  EXPECT_TRUE(ResetEvent(event.get()));
  EXPECT_TRUE(ResetEvent(event.get()));
  EXPECT_EQ(WaitForSingleObject(event.get(), 1), WAIT_TIMEOUT);
}

TEST(EventTest, AutoResetLetsOneWaiterThrough) {
  const wil::unique_handle event(CreateEvent(nullptr, FALSE, TRUE, nullptr));
  EXPECT_EQ(WaitForSingleObject(event.get(), 0), WAIT_OBJECT_0);
  EXPECT_EQ(WaitForSingleObject(event.get(), 0), WAIT_TIMEOUT);
}

// Each signal, given after the last one was taken, wakes exactly one of the waiters.
TEST(EventTest, WaitersShareSignals) {
  constexpr int kThreads = 4;
  constexpr int kSignals = 200;
  const wil::unique_handle go(CreateEvent(nullptr, FALSE, FALSE, nullptr));
  const wil::unique_handle taken(CreateEvent(nullptr, FALSE, FALSE, nullptr));
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      while (WaitForSingleObject(go.get(), INFINITE) == WAIT_OBJECT_0) {
        const bool last = ++count > kSignals;
        SetEvent(last ? go.get() : taken.get());
        if (last) return;
      }
    });
  }
  for (int i = 0; i < kSignals; ++i) {
    SetEvent(go.get());
    EXPECT_EQ(WaitForSingleObject(taken.get(), INFINITE), WAIT_OBJECT_0);
  }
  EXPECT_EQ(count, kSignals);
  SetEvent(go.get());
  for (std::thread& thread : threads) thread.join();
}

TEST(EventTest, WaitEndsWhenItsTimeIsUp) {
  const wil::unique_handle event(CreateEvent(nullptr, FALSE, FALSE, nullptr));
  const uint64_t start = GetTickCount64();
  EXPECT_EQ(WaitForSingleObject(event.get(), 20), WAIT_TIMEOUT);
  EXPECT_GE(GetTickCount64() - start, 19u);
}

// What ID3D12Fence::SetEventOnCompletion does with a handle.
TEST(EventTest, IsAnEventfd) {
  const wil::unique_handle event(CreateEvent(nullptr, TRUE, FALSE, nullptr));
  const int descriptor = static_cast<int>(reinterpret_cast<intptr_t>(event.get()));
  EXPECT_EQ(eventfd_write(descriptor, 1), 0);
  EXPECT_EQ(WaitForSingleObject(event.get(), 0), WAIT_OBJECT_0);
}

// A foreign eventfd resets itself, as an event of the default kind.
TEST(EventTest, TakesAnyEventfd) {
  const wil::unique_handle event(reinterpret_cast<HANDLE>(static_cast<intptr_t>(eventfd(1, 0))));
  EXPECT_EQ(WaitForSingleObject(event.get(), INFINITE), WAIT_OBJECT_0);
  EXPECT_EQ(WaitForSingleObject(event.get(), 0), WAIT_TIMEOUT);
}

TEST(EventTest, BadHandlesFailWithAReason) {
  const HANDLE closed = CreateEvent(nullptr, FALSE, FALSE, nullptr);
  EXPECT_TRUE(CloseHandle(closed));
  for (const HANDLE handle : {closed, HANDLE{nullptr}, INVALID_HANDLE_VALUE}) {
    SetLastError(0);
    EXPECT_EQ(WaitForSingleObject(handle, INFINITE), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
    SetLastError(0);
    EXPECT_FALSE(CloseHandle(handle));
    EXPECT_EQ(GetLastError(), ERROR_INVALID_HANDLE);
  }
  EXPECT_FALSE(SetEvent(INVALID_HANDLE_VALUE));
  EXPECT_FALSE(ResetEvent(INVALID_HANDLE_VALUE));
  EXPECT_EQ(CreateEvent(nullptr, FALSE, FALSE, L"name"), nullptr);
  EXPECT_EQ(GetLastError(), ERROR_NOT_SUPPORTED);
}

TEST(LastErrorTest, IsOneAThread) {
  SetLastError(7);
  std::thread([] { EXPECT_EQ(GetLastError(), 0u); }).join();
  EXPECT_EQ(GetLastError(), 7u);
}

TEST(ErrorCodeTest, ConvertsAsDocumented) {
  static_assert(sizeof(byte) == 1);
  EXPECT_EQ(HRESULT_FROM_WIN32(ERROR_SUCCESS), S_OK);
  EXPECT_EQ(HRESULT_FROM_WIN32(ERROR_OUTOFMEMORY), E_OUTOFMEMORY);
  EXPECT_EQ(HRESULT_FROM_WIN32(ERROR_INVALID_PARAMETER), E_INVALIDARG);
  EXPECT_EQ(HRESULT_FROM_WIN32(static_cast<DWORD>(E_FAIL)), E_FAIL);
}

TEST(VirtualMemoryTest, GivesZeroedPagesAndTakesThemBack) {
  constexpr SIZE_T kSize = 100'000;
  auto* memory = static_cast<unsigned char*>(
      VirtualAlloc(nullptr, kSize, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
  EXPECT_EQ(memory[0] | memory[kSize - 1], 0);
  std::memset(memory, 1, kSize);
  EXPECT_FALSE(VirtualFree(memory, kSize, MEM_RELEASE));
  EXPECT_TRUE(VirtualFree(memory, 0, MEM_RELEASE));
  EXPECT_EQ(VirtualAlloc(nullptr, SIZE_MAX, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE), nullptr);
  EXPECT_EQ(GetLastError(), ERROR_NOT_ENOUGH_MEMORY);
}

TEST(ClockTest, Runs) {
  LARGE_INTEGER frequency, before, after;
  EXPECT_TRUE(QueryPerformanceFrequency(&frequency));
  EXPECT_TRUE(QueryPerformanceCounter(&before));
  Sleep(2);
  EXPECT_TRUE(QueryPerformanceCounter(&after));
  EXPECT_GE((after.QuadPart - before.QuadPart) * 1000 / frequency.QuadPart, 2);
}

TEST(ResultTest, FailureIsAnExceptionThatSaysWhere) {
  EXPECT_EQ(THROW_IF_FAILED(S_FALSE), S_FALSE);
  try {
    THROW_IF_FAILED(E_INVALIDARG);
    FAIL();
  } catch (const wil::ResultException& error) {
    EXPECT_EQ(error.GetErrorCode(), E_INVALIDARG);
    EXPECT_NE(std::string(error.what()).find("compat_test.cpp"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("E_INVALIDARG failed: 0x80070057"), std::string::npos)
        << error.what();
  }
  SetLastError(ERROR_ACCESS_DENIED);
  const wil::unique_handle none;
  EXPECT_THROW(THROW_LAST_ERROR_IF_NULL(none), wil::ResultException);
  EXPECT_THROW(THROW_HR_IF(E_FAIL, true), wil::ResultException);
  EXPECT_NO_THROW(THROW_HR_IF(E_FAIL, false));
  EXPECT_THROW(THROW_LAST_ERROR_IF(true), wil::ResultException);
}

HRESULT first_failure(HRESULT a, HRESULT b) {
  RETURN_IF_FAILED(a);
  RETURN_HR_IF(E_ABORT, b == S_FALSE);
  return b;
}

HRESULT as_result(void (*function)()) try {
  function();
  return S_OK;
}
CATCH_RETURN()

TEST(ResultTest, FailureIsReturned) {
  EXPECT_EQ(first_failure(E_FAIL, S_OK), E_FAIL);
  EXPECT_EQ(first_failure(S_OK, S_FALSE), E_ABORT);
  EXPECT_EQ(first_failure(S_OK, S_OK), S_OK);
  EXPECT_EQ(as_result([] {}), S_OK);
  EXPECT_EQ(as_result([] { THROW_HR(E_NOTIMPL); }), E_NOTIMPL);
  EXPECT_EQ(as_result([] { throw std::bad_alloc(); }), E_OUTOFMEMORY);
}

TEST(HandleOwnerTest, ClosesWhatItOwns) {
  HANDLE raw = nullptr;
  {
    wil::unique_event event(wil::EventOptions::ManualReset);
    raw = event.get();
    EXPECT_FALSE(event.is_signaled());
    event.SetEvent();
    EXPECT_TRUE(event.wait());
    Microsoft::WRL::Wrappers::Event other(event.release());
    EXPECT_TRUE(other.IsValid());
    EXPECT_FALSE(event);
  }
  EXPECT_FALSE(CloseHandle(raw));
}

// Each header by itself, by each compiler, without a warning.
TEST(CompatHeaderTest, EveryHeaderStandsAlone) {
  const std::filesystem::path root = source_dir() + "/include/directml/compat";
  const TemporaryFolder folder;
  int count = 0;
  for (const std::string& compiler : client_compilers()) {
    if (!is_installed(compiler)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".h") continue;
      const std::string name = entry.path().lexically_relative(root);
      write_file(folder.path() / "alone.cpp", "#include <" + name +
                                                  ">\n#include <DirectML.h>\nGUID id() { return "
                                                  "__uuidof(ID3D12Device9); }\n");
      const Outcome outcome =
          compile(compiler, folder.path() / "alone.cpp", "-std=c++14 -Iinclude/directml/compat");
      EXPECT_EQ(outcome.status, 0) << compiler << " " << name << "\n" << outcome.err;
      ++count;
    }
  }
  EXPECT_GE(count, 24);
}

TEST(CompatHeaderTest, D3D12MayComeFirst) {
  for (const std::string& compiler : client_compilers()) {
    if (!is_installed(compiler)) continue;
    const Outcome outcome = compile(compiler, "d3d12_first.cpp", "-Iinclude/directml/compat");
    EXPECT_EQ(outcome.status, 0) << compiler << "\n" << outcome.err;
  }
}

}  // namespace
}  // namespace weft::testing
