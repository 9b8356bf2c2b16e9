#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::testing {

// A fenced block of a Markdown page: ```language ... ```.
struct CodeBlock {
  std::string language;
  std::string text;
};
std::vector<CodeBlock> code_blocks(const std::string& page);

// A line "$ command" of a console block, and what the block shows below it.
struct ConsoleStep {
  std::string command;
  std::string output;
};
std::vector<ConsoleStep> console_steps(const std::string& block);

// Targets of all links and pictures: "docs/decisions.md#resample".
std::vector<std::string> links(const std::string& page);

// Anchors of all headings, as GitHub makes them: "## Fold and unfold" is "fold-and-unfold".
std::vector<std::string> anchors(const std::string& page);

// The examples in a header's comments: the indented lines below each line "// Example:".
std::vector<std::string> header_examples(const std::string& header);

// Where the tests run: the folder that `cmake -B` was given.
std::filesystem::path build_dir();

}  // namespace weft::testing
