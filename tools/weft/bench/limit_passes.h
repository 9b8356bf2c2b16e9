#pragma once

#include <memory>
#include <vector>

#include "bench/contender.h"
#include "weft/isa.h"

namespace weft::cli::bench {

// Limits of a task, measured in turn with the others and with as many threads, so that the
// machine's clock and memory are those that the others had.

// The limit of whatever moves data: reads the input of a task once and writes its output once, and
// does nothing else, in the same memory. Two ways: "cached" and "streamed" stores.
std::vector<Way> memory_passes(const Task& task);

// The limit of whatever computes: nothing but operations in registers, which idle threads take over
// from slow ones. compute() does nothing.
class OperationsPass : public Contender {
 public:
  // Floating-point operations of a call. Few of them say as much as those of the task.
  virtual double operations() const = 0;
};

// float32 multiply-adds at an instruction set that this machine has.
std::unique_ptr<OperationsPass> multiply_add_pass(unsigned threads, Isa isa);

// bfloat16 products of the matrix unit, which this process may use.
std::unique_ptr<OperationsPass> amx_pass(unsigned threads);

}  // namespace weft::cli::bench
