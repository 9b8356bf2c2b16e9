#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

// `text` on one line of sound UTF-8: control characters and broken bytes become \x1b and the like,
// so that a message stays a message whatever a file or its name holds.
std::string printable(std::string_view text);

// The same in double quotes, cut after 60 bytes.
std::string quote(std::string_view text);

// ASCII letters in capitals.
std::string upper_case(std::string_view text);

// The name nearest to `text`: " (did you mean \"Sizes\"?)", or nothing when none is near.
std::string suggestion(std::string_view text, std::span<const std::string_view> names);

// "FLOAT32, FLOAT16".
std::string join(std::span<const std::string_view> names);

// "5x3": sizes as messages show them.
std::string shape_text(std::span<const std::uint32_t> sizes);

// "1 element", "3 elements".
std::string counted(std::uint64_t count, std::string_view noun);

// Whether standard output takes colours: a terminal, and no NO_COLOR in the environment.
bool colors_wanted();

// `text` in a colour where those are wanted.
enum class Color { red, green };
std::string colored(std::string_view text, Color color);

}  // namespace weft::cli
