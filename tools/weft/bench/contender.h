#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/shapes.h"
#include "bench/tensors.h"
#include "weft/plan.h"

namespace weft::cli::bench {

// One way to compute a shape, ready to run: Weft, or a rival. Takes the input of one set of
// Tensors after the other, and writes that set's output.
class Contender {
 public:
  virtual ~Contender() = default;

  // Microseconds of each of `calls` calls, one set after the other.
  virtual std::vector<double> time(std::size_t calls) = 0;

  // Computes the output of set 0, which is then in tensors.output(0) as Weft would have it there.
  virtual void compute() = 0;
};

// One that runs in this process.
class LocalContender : public Contender {
 public:
  explicit LocalContender(std::size_t sets) : sets_(sets) {}
  std::vector<double> time(std::size_t calls) override;
  void compute() override { run(0); }

 protected:
  virtual void run(std::size_t set) = 0;

 private:
  std::size_t sets_;
  std::size_t next_ = 0;
};

// What has to be computed.
struct Task {
  const Shape& shape;
  const Tensors& tensors;
  unsigned threads = 1;
  Winograd winograd = Winograd::accurate;  // rivals have it only where it is allowed
};

// A rival may know several ways for one shape. Its figure is the fastest way of those that count;
// what does not (a layout of its own, not reordered to the user's) is only for comparison.
struct Way {
  std::string name;  // "plain", "direct"
  bool counts = true;
  std::unique_ptr<Contender> contender;
};

// Thrown where a rival cannot be measured at all: not installed, broke down.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A rival, ready to be asked for its ways.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;     // "onednn"
  virtual std::string version() const = 0;  // "2.6.3"

  // None where it does not have this operator, type or coordinate rule. Throws Unavailable.
  virtual std::vector<Way> ways(const Task& task) = 0;
};

// A rival as this run has it: ready, or why not.
struct PeerSlot {
  std::string name;
  std::string status;  // "not installed"; a version where it is ready
  std::unique_ptr<Peer> peer;
};

}  // namespace weft::cli::bench
