// Any bytes read as a model: problems, BadInput or a model whose operators can be planned.

#include "memory_file.h"
#include "model_reader.h"
#include "problem.h"
#include "weft/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  const weft::testing::MemoryFile file(data, size);
  const weft::cli::Model model = weft::cli::read_model(file.path(), {});
  for (const weft::cli::Problem& problem : model.problems) problem.text();
  for (const weft::cli::Dispatchable& dispatchable : model.dispatchables) {
    if (dispatchable.params) weft::plan(*dispatchable.params).explain();
  }
  return 0;
} catch (const weft::cli::BadInput&) {
  return 0;
}
