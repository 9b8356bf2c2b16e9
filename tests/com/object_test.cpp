#include "com/object.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "com/ptr.h"

namespace {

struct IGreeter : IUnknown {
  virtual int greet() = 0;
};
struct ICounter : IUnknown {
  virtual int count() = 0;
};
struct IStranger : IUnknown {};

}  // namespace

WINADAPTER_IID(IGreeter, 0x10000000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1);
WINADAPTER_IID(ICounter, 0x10000000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2);
WINADAPTER_IID(IStranger, 0x10000000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3);

namespace {

using weft::com::live_objects;
using weft::com::Ptr;

struct BothInterfaces : IGreeter, ICounter {};

class Both final : public weft::com::Object<BothInterfaces, IGreeter, ICounter> {
 public:
  int greet() override { return 1; }
  int count() override { return 2; }
};

TEST(Object, AnswersForItsInterfacesAndNoOther) {
  const auto greeter = Ptr<IGreeter>::adopt(new Both);
  const Ptr<ICounter> counter = weft::com::query<ICounter>(greeter.get());
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->count(), 2);
  EXPECT_EQ(weft::com::query<IGreeter>(counter.get())->greet(), 1);
  EXPECT_FALSE(weft::com::query<IStranger>(greeter.get()));
}

TEST(Object, IsOneUnknownThroughEveryInterface) {
  const auto greeter = Ptr<IGreeter>::adopt(new Both);
  const auto counter = weft::com::query<ICounter>(greeter.get());
  EXPECT_EQ(weft::com::query<IUnknown>(greeter.get()).get(),
            weft::com::query<IUnknown>(counter.get()).get());
}

TEST(Object, ClearsTheOutPointerWhenItHasNoSuchInterface) {
  const auto greeter = Ptr<IGreeter>::adopt(new Both);
  void* found = &found;
  EXPECT_EQ(greeter->QueryInterface(__uuidof(IStranger), &found), E_NOINTERFACE);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(greeter->QueryInterface(__uuidof(IGreeter), nullptr), E_POINTER);
}

TEST(Object, CountsReferencesAndItself) {
  ASSERT_EQ(live_objects(), 0);
  IGreeter* object = new Both;
  EXPECT_EQ(live_objects(), 1);
  EXPECT_EQ(object->AddRef(), 2U);
  EXPECT_EQ(object->Release(), 1U);
  EXPECT_EQ(object->Release(), 0U);
  EXPECT_EQ(live_objects(), 0);
}

TEST(Object, IsSharedByThreads) {
  {
    const auto object = Ptr<IGreeter>::adopt(new Both);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([object] {
        for (int k = 0; k < 1000; ++k) weft::com::query<ICounter>(object.get());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(live_objects(), 0);
}

}  // namespace
