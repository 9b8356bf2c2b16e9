#pragma once

#include <map>
#include <string>
#include <vector>

namespace weft::testing {

// One change to the text of a model. Places are JSON pointers.
struct Change {
  enum Kind { none, set, merge, remove, replace, text } kind = none;
  std::string at;  // set, merge, remove: where; replace: the text to replace, which is there once
  std::string to;  // set, merge: JSON; replace, text: what to put there, as it is
};

Change set(std::string pointer, std::string json);    // adds what is not there; "-" appends
Change merge(std::string pointer, std::string json);  // the fields of an object
Change remove(std::string pointer);
Change replace(std::string from, std::string to);  // for what JSON itself cannot say
Change text(std::string whole);                    // the whole file

// The model with the change. Throws std::runtime_error when the change does not fit the model.
std::string changed(const std::string& model, const Change& change);

// Files by name; a folder where the name ends in '/'.
using Files = std::map<std::string, std::string>;

// A row of the table: a good model, one change, and what `weft` has to say about it.
struct BadInput {
  std::string name;
  std::string model;  // in good_models()
  Change change;
  // Everything on stderr, one line each, without "weft: error: " before it.
  std::vector<std::string> errors;
  Files files = {};  // beside the model, in place of the good model's own
  // Run in the folder of model.json. Empty: `weft check model.json`, and `weft run model.json
  // --json`, which has to print the same errors as a document too.
  std::string command = {};
  // Whether further lines may follow from the same mistake: an input of the wrong type, say, is
  // also of another type than the output.
  bool more = false;
  // A line without "weft: error: " at the end: the hint after a wrong command line.
  std::string hint = {};
};

// Every operator, as messages list them.
inline constexpr char kOperatorNames[] =
    "ELEMENT_WISE_IDENTITY, ELEMENT_WISE_CLIP, ACTIVATION_ELU, ACTIVATION_HARD_SIGMOID, "
    "ACTIVATION_IDENTITY, ACTIVATION_LEAKY_RELU, ACTIVATION_LINEAR, "
    "ACTIVATION_PARAMETRIC_SOFTPLUS, ACTIVATION_RELU, ACTIVATION_SCALED_ELU, "
    "ACTIVATION_SCALED_TANH, ACTIVATION_SIGMOID, ACTIVATION_SOFTPLUS, ACTIVATION_SOFTSIGN, "
    "ACTIVATION_TANH, ACTIVATION_THRESHOLDED_RELU, CONVOLUTION, ACTIVATION_SHRINK, RESAMPLE, "
    "RESAMPLE1, ACTIVATION_CELU, ACTIVATION_GELU, RESAMPLE2, RESAMPLE3, FOLD, UNFOLD";

// Rows about the desc of the one operator in `model`; pointers of changes start there, and every
// error is one of the desc.
BadInput in_desc(std::string model, std::string name, Change change,
                 std::vector<std::string> violations);

// The table, by subject.
std::vector<BadInput> bad_json();
std::vector<BadInput> bad_resources();
std::vector<BadInput> bad_values();
std::vector<BadInput> bad_dispatchables();
std::vector<BadInput> bad_commands();
std::vector<BadInput> bad_bindings();
std::vector<BadInput> bad_descs();
std::vector<BadInput> bad_tensors();
std::vector<BadInput> bad_windows();
std::vector<BadInput> bad_convolutions();
std::vector<BadInput> bad_resamples();
std::vector<BadInput> bad_functions();
std::vector<BadInput> bad_npy_files();
std::vector<BadInput> bad_raw_files();
std::vector<BadInput> bad_outputs();
std::vector<BadInput> bad_command_lines();
std::vector<BadInput> bad_pictures();

}  // namespace weft::testing
