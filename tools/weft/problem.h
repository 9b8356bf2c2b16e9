#pragma once

#include <exception>
#include <string>
#include <vector>

namespace weft::cli {

// One thing that is wrong with what the user gave.
//
//   place    where: "model.json:3:14" for broken JSON, "model.json: /dispatchables/conv/desc" (a
//            JSON pointer) for the rest, a file name, or empty
//   message  what, and which rule it breaks
struct Problem {
  std::string place;
  std::string message;

  std::string text() const;  // one printable line
};

// Thrown for bad input, with everything that was found. main() prints one line a problem, with
// --json a document that has them too, and exits with status 2.
class BadInput : public std::exception {
 public:
  explicit BadInput(std::vector<Problem> problems);
  BadInput(std::string place, std::string message);

  const std::vector<Problem>& problems() const noexcept { return problems_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::vector<Problem> problems_;
  std::string what_;
};

// For a handler: the exception as problems, whatever it is. A weft::Error has one a violation, and
// nothing but BadInput has a place.
std::vector<Problem> problems_of_exception();

}  // namespace weft::cli
