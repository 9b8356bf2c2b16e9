#pragma once

#include <optional>
#include <string>

#include "bench/contender.h"
#include "weft/isa.h"

namespace weft::cli::bench {

// Weft through its C++ API: planned and its filter prepared outside the timing, workspace of its
// own.
class WeftContender : public LocalContender {
 public:
  // Throws weft::Error, std::bad_alloc.
  WeftContender(const Task& task, std::optional<Isa> max_isa);

  std::string algorithm() const { return std::string(plan_.algorithm()); }

  // Of input and output in memory; empty where they are packed.
  Dims input_strides() const { return plan_.inputs()[0]->strides; }
  Dims output_strides() const { return plan_.outputs()[0]->strides; }

  // The instruction set that the algorithm's name ends in: "avx512".
  std::string isa() const;

 protected:
  void run(std::size_t set) override;

 private:
  const Tensors& tensors_;
  Plan plan_;
  Memory workspace_, prepared_;
};

}  // namespace weft::cli::bench
