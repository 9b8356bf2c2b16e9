#include "problem.h"

#include <utility>

#include "text.h"

namespace weft::cli {

std::string Problem::text() const {
  return printable(place.empty() ? message : place + ": " + message);
}

BadInput::BadInput(std::vector<Problem> problems) : problems_(std::move(problems)) {
  for (const Problem& problem : problems_) {
    if (!what_.empty()) what_ += '\n';
    what_ += problem.text();
  }
}

BadInput::BadInput(std::string place, std::string message)
    : BadInput(std::vector<Problem>{{std::move(place), std::move(message)}}) {}

}  // namespace weft::cli
