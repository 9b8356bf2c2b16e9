#include "dml/last_error.h"

#include <utility>

namespace weft::dml {

namespace {

std::string& text_of_this_thread() noexcept {
  thread_local std::string text;
  return text;
}

}  // namespace

const char* last_error() noexcept { return text_of_this_thread().c_str(); }

void set_last_error(std::string text) noexcept { text_of_this_thread() = std::move(text); }

}  // namespace weft::dml
