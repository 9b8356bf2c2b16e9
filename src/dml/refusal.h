#pragma once

#include <string>

#include "com/guard.h"

namespace weft::dml {

// Throws E_INVALIDARG with "WHERE is VALUE, must be RIGHT: RULE", the form of weft::Violation;
// `right` and `rule` may be empty.
[[noreturn]] inline void refuse(const std::string& where, const std::string& value,
                                const std::string& right, const std::string& rule = {}) {
  std::string text = where + " is " + value;
  if (!right.empty()) text += ", must be " + right;
  if (!rule.empty()) text += ": " + rule;
  throw com::Failure(E_INVALIDARG, std::move(text));
}

// Throws as above for an object that the application gave: `found` is what own() made of it, null
// where it is none of Weft's.
[[noreturn]] inline void refuse_object(const std::string& where, const void* given,
                                       const void* found, const std::string& right) {
  refuse(where, !given ? "null" : found ? "of another device" : "not an object of Weft's", right);
}

}  // namespace weft::dml
