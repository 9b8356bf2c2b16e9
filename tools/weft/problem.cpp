#include "problem.h"

#include <new>
#include <utility>

#include "text.h"
#include "weft/error.h"

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

std::vector<Problem> problems_of_exception() try { throw; } catch (const BadInput& error) {
  return error.problems();
} catch (const Error& error) {
  std::vector<Problem> problems;
  for (const Violation& violation : error.violations()) problems.push_back({"", violation.text()});
  if (problems.empty()) problems.push_back({"", error.what()});
  return problems;
} catch (const std::bad_alloc&) {
  return {{"", "out of memory"}};
} catch (const std::exception& error) {
  return {{"", error.what()}};
}

}  // namespace weft::cli
