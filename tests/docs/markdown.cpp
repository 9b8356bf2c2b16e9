#include "docs/markdown.h"

#include <cctype>
#include <regex>
#include <sstream>

#include "support/locations.h"

namespace weft::testing {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<CodeBlock> code_blocks(const std::string& page) {
  std::vector<CodeBlock> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), ""});
    } else if (inside) {
      blocks.back().text.append(line).append("\n");
    }
  }
  return blocks;
}

std::vector<ConsoleStep> console_steps(const std::string& block) {
  std::vector<ConsoleStep> steps;
  for (const std::string& line : lines_of(block)) {
    if (line.starts_with("$ ")) {
      steps.push_back({line.substr(2), ""});
    } else if (!steps.empty()) {
      steps.back().output.append(line).append("\n");
    }
  }
  return steps;
}

std::vector<std::string> links(const std::string& page) {
  static const std::regex link_pattern(R"re(\]\(([^)\s]+)\)|<img src="([^"]+)")re");
  std::vector<std::string> result;
  for (std::sregex_iterator it(page.begin(), page.end(), link_pattern), end; it != end; ++it) {
    result.push_back((*it)[1].matched ? (*it)[1] : (*it)[2]);
  }
  return result;
}

std::vector<std::string> anchors(const std::string& page) {
  std::vector<std::string> result;
  for (const std::string& line : lines_of(page)) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(level + 1)) {
      if (c == ' ') anchor += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    result.push_back(anchor);
  }
  return result;
}

std::vector<std::string> header_examples(const std::string& header) {
  std::vector<std::string> examples;
  bool inside = false;
  for (const std::string& line : lines_of(header)) {
    if (line == "// Example:") {
      inside = true;
      examples.emplace_back();
    } else if (inside && (line == "//" || line.starts_with("//   "))) {
      examples.back().append(line.substr(2)).append("\n");
    } else {
      inside = false;
    }
  }
  return examples;
}

std::filesystem::path build_dir() {
  return std::filesystem::path(weft_binary()).parent_path().parent_path().parent_path();
}

}  // namespace weft::testing
