#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/png_files.h"
#include "support/command.h"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ImageTest : public ::testing::Test {
 protected:
  // Writes `bytes` as in.png and runs `weft image in.png out.png <options>`.
  Outcome image(const std::string& bytes, const std::string& options) {
    write_file(folder_.path() / "in.png", bytes);
    return run_shell("weft image in.png out.png " + options, folder_.path());
  }

  // The same, for what must succeed.
  PngPixels resized(const std::string& bytes, const std::string& options) {
    const Outcome outcome = image(bytes, options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? read_pixels(output()) : PngPixels{};
  }

  fs::path output() const { return folder_.path() / "out.png"; }

  // Names of the files in the folder, sorted, in one line.
  std::string files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    std::string line;
    for (const std::string& name : names) line.append(line.empty() ? "" : " ").append(name);
    return line;
  }

  TemporaryFolder folder_;
};

std::string gray(const std::vector<std::vector<int>>& rows) {
  return png_bytes(
      {static_cast<std::uint32_t>(rows[0].size()), static_cast<std::uint32_t>(rows.size())},
      png_rows(rows));
}

TEST_F(ImageTest, NearestRepeatsPixels) {
  EXPECT_EQ(resized(gray({{1, 2}, {3, 4}}), "--scale 2 --mode nearest"),
            (PngPixels{4, 4, 1, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}}));
}

TEST_F(ImageTest, NearestTakesThePixelUnderTheCentre) {
  EXPECT_EQ(resized(gray({{10, 20, 30, 40, 50}}), "--size 3x1 --mode nearest"),
            (PngPixels{3, 1, 1, {10, 30, 50}}));
  EXPECT_EQ(resized(gray({{10, 20}}), "--size 5x1 --mode nearest"),
            (PngPixels{5, 1, 1, {10, 10, 20, 20, 20}}));
}

TEST_F(ImageTest, LinearRunsBetweenCentres) {
  EXPECT_EQ(resized(gray({{0, 100}}), "--scale 2,1 --mode linear"),
            (PngPixels{4, 1, 1, {0, 25, 75, 100}}));
  EXPECT_EQ(resized(gray({{0, 100}}), "--scale 2,1"), (PngPixels{4, 1, 1, {0, 25, 75, 100}}));
}

TEST_F(ImageTest, AntialiasAveragesWherePicturesShrink) {
  // Around the middle, 3.5, lies a triangle of half-width 8: the weights
  // are 4.5 5.5 6.5 7.5 7.5 6.5 5.5 4.5, divided by their sum, 48.
  EXPECT_EQ(resized(gray({{0, 0, 0, 160, 0, 0, 0, 0}}), "--size 1x1 --antialias"),
            (PngPixels{1, 1, 1, {25}}));
  EXPECT_EQ(resized(gray({{0, 0, 0, 160, 0, 0, 0, 0}}), "--size 1x1"), (PngPixels{1, 1, 1, {80}}));
}

TEST_F(ImageTest, OneColourStaysThatColour) {
  for (const int level : {0, 1, 100, 255}) {
    const std::string picture = gray(std::vector(7, std::vector(5, level)));
    for (const char* options : {"--scale 3.7", "--scale 0.4", "--scale 0.4 --antialias",
                                "--scale 1.3 --mode nearest", "--size 31x2 --antialias"}) {
      for (const int sample : resized(picture, options).samples) {
        ASSERT_EQ(sample, level) << options;
      }
    }
  }
}

TEST_F(ImageTest, ChannelsStayApart) {
  const std::string two = png_bytes({1, 2, 8, 4}, png_rows({{1, 2}, {3, 4}}));
  EXPECT_EQ(resized(two, "--scale 2,1 --mode nearest"),
            (PngPixels{2, 2, 2, {1, 2, 1, 2, 3, 4, 3, 4}}));
  const std::string three = png_bytes({2, 1, 8, 2}, png_rows({{1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(resized(three, "--scale 1,2 --mode nearest"),
            (PngPixels{2, 2, 3, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}}));
  const std::string four = png_bytes({1, 1, 8, 6}, png_rows({{1, 2, 3, 4}}));
  EXPECT_EQ(resized(four, "--scale 2,1 --mode nearest"),
            (PngPixels{2, 1, 4, {1, 2, 3, 4, 1, 2, 3, 4}}));
}

TEST_F(ImageTest, ReadsEveryKindOfPng) {
  const std::string palette = png_chunk("PLTE", {10, 20, 30, 40, 50, 60});
  const std::string clear = png_chunk("tRNS", std::string(1, '\x80'));
  const struct {
    std::string name;
    std::string bytes;
    PngPixels pixels;
  } kinds[] = {
      {"gray 1", png_bytes({2, 1, 1, 0}, png_rows({{0x40}})), {2, 1, 1, {0, 255}}},
      {"gray 2", png_bytes({2, 1, 2, 0}, png_rows({{0x60}})), {2, 1, 1, {85, 170}}},
      {"gray 4", png_bytes({2, 1, 4, 0}, png_rows({{0x1F}})), {2, 1, 1, {17, 255}}},
      {"gray 16",
       png_bytes({2, 1, 16, 0}, png_rows({{0x12, 0x12, 0xFF, 0xFF}})),
       {2, 1, 1, {0x12, 255}}},
      {"gray and alpha 16",
       png_bytes({1, 1, 16, 4}, png_rows({{0x12, 0x12, 0x34, 0x34}})),
       {1, 1, 2, {0x12, 0x34}}},
      {"RGB 16", png_bytes({1, 1, 16, 2}, png_rows({{1, 1, 2, 2, 3, 3}})), {1, 1, 3, {1, 2, 3}}},
      {"RGBA 16",
       png_bytes({1, 1, 16, 6}, png_rows({{1, 1, 2, 2, 3, 3, 4, 4}})),
       {1, 1, 4, {1, 2, 3, 4}}},
      {"palette 1",
       png_bytes({2, 1, 1, 3}, png_rows({{0x40}}), palette),
       {2, 1, 3, {10, 20, 30, 40, 50, 60}}},
      {"palette 8",
       png_bytes({2, 1, 8, 3}, png_rows({{1, 0}}), palette),
       {2, 1, 3, {40, 50, 60, 10, 20, 30}}},
      {"palette with transparency",
       png_bytes({2, 1, 4, 3}, png_rows({{0x01}}), palette + clear),
       {2, 1, 4, {10, 20, 30, 128, 40, 50, 60, 255}}},
      {"interlaced", png_bytes({1, 1, 8, 0, 1}, png_rows({{77}})), {1, 1, 1, {77}}},
  };
  for (const auto& kind : kinds) {
    EXPECT_EQ(resized(kind.bytes, "--scale 1 --mode nearest"), kind.pixels) << kind.name;
  }
}

TEST_F(ImageTest, SizesAreRoundedAndAtLeastOne) {
  const std::string picture = gray(std::vector(3, std::vector(5, 9)));
  EXPECT_EQ(resized(picture, "--scale 0.5").width, 3u);
  EXPECT_EQ(resized(picture, "--scale 0.5").height, 2u);
  EXPECT_EQ(resized(picture, "--scale 0.001").samples.size(), 1u);
  EXPECT_EQ(resized(gray({std::vector(100, 7)}), "--scale 0.29,1").width, 29u);
}

TEST_F(ImageTest, SameBytesForAnyThreadCountAndInstructionSet) {
  // `options` twice: as it comes, and with the weakest instruction set and many threads.
  const auto expect_same = [this](const std::string& options) {
    const std::string weft = "weft image $PICTURE out.png --threads ";
    const std::string here = "PICTURE=" + source_dir() + "/examples/weave.png; ";
    ASSERT_EQ(run_shell(here + weft + "1" + options, folder_.path()).status, 0);
    const std::string first = read_file(output());
    ASSERT_EQ(run_shell(here + "WEFT_MAX_ISA=base " + weft + "7" + options, folder_.path()).status,
              0);
    EXPECT_EQ(read_file(output()), first) << options;
  };
  expect_same(" --scale 3.3 --mode nearest");
  expect_same(" --scale 3.3");
  expect_same(" --scale 0.3 --antialias");
}

TEST_F(ImageTest, JsonTellsWhatWasDone) {
  const Outcome outcome = image(gray({{1, 2}}), "--scale 2 --mode nearest --json");
  rapidjson::Document json;
  json.Parse(outcome.out.c_str());
  ASSERT_FALSE(json.HasParseError()) << outcome.out;
  EXPECT_STREQ(json["input"]["path"].GetString(), "in.png");
  EXPECT_EQ(json["output"]["width"].GetUint(), 4u);
  EXPECT_EQ(json["output"]["height"].GetUint(), 2u);
  EXPECT_EQ(json["output"]["channels"].GetUint(), 1u);
  EXPECT_STREQ(json["operator"].GetString(), "RESAMPLE2");
  EXPECT_STREQ(json["mode"].GetString(), "nearest");
  EXPECT_FALSE(std::string(json["algorithm"].GetString()).empty());
}

// One message, exit status 2 and no file, whatever the input is.
struct BadPicture {
  std::string name;
  std::string bytes;
  std::string message;
};

TEST_F(ImageTest, UnsoundFilesAreRefused) {
  const std::string sound = gray({{1, 2, 3}, {4, 5, 6}});
  std::string broken = sound;
  broken[broken.size() - 20] ^= 1;  // in the compressed data
  const BadPicture pictures[] = {
      {"empty", "", "not a sound PNG: "},
      {"text", "this is no picture", "not a sound PNG: Not a PNG file"},
      {"half", sound.substr(0, 50), "not a sound PNG: "},
      {"broken checksum", broken, "not a sound PNG: "},
      {"width 0", png_bytes({0, 1}, ""), "not a sound PNG: Invalid IHDR data"},
      {"height 0", png_bytes({1, 0}, ""), "not a sound PNG: Invalid IHDR data"},
      {"too wide", png_bytes({2'000'000, 1}, ""), "not a sound PNG: Invalid IHDR data"},
      {"too large", png_bytes({100'000, 100'000}, ""), "must be <= 1073741824"},
      {"bit depth 3", png_bytes({1, 1, 3}, ""), "not a sound PNG: Invalid IHDR data"},
      {"colour type 5", png_bytes({1, 1, 8, 5}, ""), "not a sound PNG: Invalid IHDR data"},
      {"no palette", png_bytes({1, 1, 8, 3}, png_rows({{0}})), "not a sound PNG: "},
      {"too few rows", png_bytes({3, 9}, png_rows({{1, 2, 3}})), "not a sound PNG: "},
  };
  for (const BadPicture& picture : pictures) {
    const Outcome outcome = image(picture.bytes, "--scale 2");
    EXPECT_EQ(outcome.status, 2) << picture.name;
    EXPECT_THAT(outcome.err, HasSubstr("weft: error: in.png: ")) << picture.name;
    EXPECT_THAT(outcome.err, HasSubstr(picture.message)) << picture.name;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(files(), "in.png") << picture.name;
  }
}

TEST_F(ImageTest, NoTruncationOrFlippedByteCrashes) {
  const std::string sound = png_bytes({3, 2, 8, 3}, png_rows({{0, 1, 0}, {1, 0, 1}}),
                                      png_chunk("PLTE", {10, 20, 30, 40, 50, 60}));
  for (std::size_t i = 0; i < sound.size(); ++i) {
    std::string flipped = sound;
    flipped[i] ^= '\x55';
    for (const std::string& bytes : {sound.substr(0, i), flipped}) {
      const Outcome outcome = image(bytes, "--scale 2 --mode nearest");
      ASSERT_TRUE(outcome.status == 0 || outcome.status == 2) << i << ": " << outcome.err;
    }
  }
}

TEST_F(ImageTest, BadOptionsAreRefused) {
  const struct {
    const char* options;
    const char* message;
  } cases[] = {
      {"", "[--scale,--size]"},
      {"--scale 2 --size 3x3", "[--scale,--size]"},
      {"--scale two", "--scale: 'two' is neither a number nor X,Y"},
      {"--scale 2,", "--scale: '2,' is neither a number nor X,Y"},
      {"--scale 0", "--scale: 0 is no scale, must be > 0"},
      {"--scale=-1", "--scale: -1 is no scale, must be > 0"},
      {"--scale nan", "--scale: nan is no scale, must be > 0"},
      {"--scale inf", "--scale: inf is no scale, must be > 0"},
      {"--scale 1e9", "must be <= 1000000"},
      {"--size 3", "--size: '3' is not WIDTHxHEIGHT"},
      {"--size 3x-3", "--size: '3x-3' is not WIDTHxHEIGHT"},
      {"--size 0x3", "--size: 0x3 pixels; a side must be 1 to 1000000"},
      {"--size 99999999999x3", "is not WIDTHxHEIGHT"},
      {"--size 1000000x1000000", "must be <= 1073741824"},
      {"--scale 2 --mode cubic", "cubic"},
      {"--scale 2 --mode nearest --antialias", "--antialias: works with --mode linear only"},
      {"--scale 2 --threads many", "many"},
  };
  for (const auto& test : cases) {
    const Outcome outcome = image(gray({{1, 2}}), test.options);
    EXPECT_EQ(outcome.status, 2) << test.options;
    EXPECT_THAT(outcome.err, HasSubstr(test.message)) << test.options;
    EXPECT_EQ(files(), "in.png") << test.options;
  }
}

TEST_F(ImageTest, UnreadableAndUnwritablePlacesAreRefused) {
  const std::string here = folder_.path().string();
  write_file(folder_.path() / "in.png", gray({{1, 2}}));
  const struct {
    std::string arguments;
    std::string message;
  } cases[] = {
      {here + "/none.png " + here + "/out.png", "none.png: cannot open: No such file"},
      {here + " " + here + "/out.png", "cannot read: Is a directory"},
      {here + "/in.png " + here, "cannot write: Is a directory"},
      {here + "/in.png " + here + "/none/out.png", "cannot write: no folder "},
  };
  for (const auto& test : cases) {
    const Outcome outcome = run_shell("weft image --scale 2 " + test.arguments);
    EXPECT_EQ(outcome.status, 2) << test.arguments;
    EXPECT_THAT(outcome.err, HasSubstr(test.message)) << test.arguments;
    EXPECT_EQ(files(), "in.png") << test.arguments;
  }
}

TEST_F(ImageTest, FullDiskLeavesTheOldFileAsItWas) {
  write_file(folder_.path() / "in.png", gray({{1, 2}}));
  write_file(output(), "old");
  const Outcome outcome =
      run_shell("{ ulimit -f 0; weft image in.png out.png --scale 2; } 2>&1 | cat", folder_.path());
  EXPECT_THAT(outcome.out, HasSubstr("out.png: cannot write: File too large"));
  EXPECT_EQ(read_file(output()), "old");
  EXPECT_EQ(files(), "in.png out.png");
}

TEST_F(ImageTest, ReplacesAFile) {
  write_file(output(), "old");
  EXPECT_EQ(resized(gray({{5}}), "--scale 1"), (PngPixels{1, 1, 1, {5}}));
  EXPECT_EQ(files(), "in.png out.png");
}

}  // namespace
}  // namespace weft::testing
