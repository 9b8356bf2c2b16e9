#include "problem.h"

#include <utility>

namespace weft::cli {

BadInput::BadInput(std::vector<Problem> problems) : problems_(std::move(problems)) {
  for (const Problem& problem : problems_) {
    if (!what_.empty()) what_ += '\n';
    what_ += problem.text();
  }
}

BadInput::BadInput(std::string place, std::string message)
    : BadInput(std::vector<Problem>{{std::move(place), std::move(message)}}) {}

}  // namespace weft::cli
