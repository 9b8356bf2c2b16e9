#include "text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace weft::cli {

namespace {

// Letters that have to be changed, added or left out to turn one word into the other; letter case
// counts half as much as a wrong letter.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
      const std::size_t change = a[i - 1] == b[j - 1]                 ? 0
                                 : lower(a[i - 1]) == lower(b[j - 1]) ? 1
                                                                      : 2;
      const std::size_t best = std::min({diagonal + change, row[j] + 2, row[j - 1] + 2});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.size()];
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the printable UTF-8 character that `text` starts with; 0 where there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, numbers past U+10FFFF, and the control characters below U+00A0.
  const unsigned second = byte(1);
  const bool wrong = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                     (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                     (first == 0xf4 && second >= 0x90);
  return wrong ? 0 : length;
}

// The name nearest to `text`; empty when none is near enough.
std::string_view closest(std::string_view text, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 100;  // nobody mistypes a name of this length
  if (text.size() > kLongest) return {};
  std::string_view best;
  // A third of the letters wrong is the most that still looks like a slip; in very short names only
  // letter case is.
  std::size_t best_distance = std::max<std::size_t>(2 * (text.size() / 3) + 1, 2);
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(text, name);
    if (distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && end > 0 && is_continuation(text[end])) --end;
  std::string result = "\"";
  for (const char c : text.substr(0, end)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return printable(result) + (end < text.size() ? "\"..." : "\"");
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string suggestion(std::string_view text, std::span<const std::string_view> names) {
  const std::string_view name = closest(text, names);
  return name.empty() ? "" : fmt::format(" (did you mean {}?)", quote(name));
}

std::string join(std::span<const std::string_view> names) {
  std::string result;
  for (const std::string_view name : names) {
    if (!result.empty()) result += ", ";
    result += name;
  }
  return result;
}

std::string shape_text(std::span<const std::uint32_t> sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool colors_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb" && isatty(STDOUT_FILENO) == 1;
}

std::string colored(std::string_view text, Color color) {
  if (!colors_wanted()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", color == Color::red ? 31 : 32, text);
}

}  // namespace weft::cli
