// GoogleTest's main() for tests of the libraries with Microsoft's names. After every test no object
// of theirs may be left alive: each library that is loaded counts its own.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace {

class LiveObjects : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override {
    for (const char* name :
         {"weft_dml_live_objects", "weft_d3d12_live_objects", "weft_dxcore_live_objects"}) {
      void* const symbol = dlsym(RTLD_DEFAULT, name);
      if (!symbol) continue;
      const auto count = reinterpret_cast<std::int64_t (*)()>(symbol);
      EXPECT_EQ(count(), 0) << name << ": references were not balanced";
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::UnitTest::GetInstance()->listeners().Append(new LiveObjects);  // which owns it
  return RUN_ALL_TESTS();
}
