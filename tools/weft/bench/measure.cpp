#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "bench/judge.h"
#include "bench/limit_passes.h"
#include "bench/weft_contender.h"

namespace weft::cli::bench {

namespace {

// Computes into an output that was wiped before, so that no other's result is taken for it.
void compute(Contender& contender, const Tensors& tensors) {
  const auto output = tensors.output_elements(0);
  std::memset(output.data(), 0xff, output.size());
  contender.compute();
}

std::vector<std::byte> copy_of(std::span<const std::byte> elements) {
  return {elements.begin(), elements.end()};
}

// The ways of every peer that is there, with who owns which.
struct Field {
  std::vector<Way> ways;
  std::vector<std::size_t> owners;  // positions in Row::peers
  std::vector<WayResult> results = {};
};

Field gather(const Task& task, std::vector<PeerSlot>& slots, Row& row) {
  Field field;
  for (PeerSlot& slot : slots) {
    row.peers.push_back({slot.name, slot.peer != nullptr});
    if (slot.peer == nullptr) continue;
    try {
      for (Way& way : slot.peer->ways(task)) {
        field.ways.push_back(std::move(way));
        field.owners.push_back(row.peers.size() - 1);
      }
    } catch (const Unavailable& error) {
      slot.status = error.what();
      slot.peer.reset();
    }
  }
  return field;
}

// What limits a task, in turn with the others.
class LimitRacers {
 public:
  LimitRacers(const Task& task, const Limits& limits) : task_(task), memory_(memory_passes(task)) {
    if (task.shape.flops() > 0) multiply_adds_ = multiply_add_pass(task.threads, limits.isa);
    if (task.shape.type() == OperatorType::convolution && limits.amx_float32_gflops) {
      amx_ = amx_pass(task.threads);
    }
  }

  // Owned by `owner` and the two after it.
  void enter(std::vector<Racer>& racers, std::size_t owner) {
    first_ = racers.size();
    for (Way& pass : memory_) racers.push_back({pass.contender.get(), owner});
    if (multiply_adds_) racers.push_back({multiply_adds_.get(), owner + 1});
    if (amx_) racers.push_back({amx_.get(), owner + 2});
  }
  static constexpr std::size_t kOwners = 3;

  void finish(const std::vector<Racer>& racers, Row& row) const {
    std::size_t i = first_;
    const auto median = [&] { return racers[i++].timing().median_us; };
    row.memory_us = median();
    row.memory_us = std::min(row.memory_us, median());
    if (multiply_adds_) row.fma_us = median() * flops() / multiply_adds_->operations();
    if (amx_) row.amx_us = median() * flops() * products() / amx_->operations();
  }

 private:
  double flops() const { return task_.shape.flops(); }
  double products() const {
    return task_.shape.data_type() == DataType::float16 ? kFloat16Products : kFloat32Products;
  }

  const Task& task_;
  std::vector<Way> memory_;
  std::unique_ptr<OperationsPass> multiply_adds_, amx_;
  std::size_t first_ = 0;
};

}  // namespace

const WayResult* PeerResult::best() const {
  const WayResult* result = nullptr;
  for (const WayResult& way : ways) {
    if (!way.counts) continue;
    if (result == nullptr || way.timing.median_us < result->timing.median_us) result = &way;
  }
  return result;
}

const WayResult* PeerResult::way(std::string_view wanted) const {
  const auto found = std::find_if(ways.begin(), ways.end(),
                                  [&](const WayResult& way) { return way.name == wanted; });
  return found == ways.end() ? nullptr : &*found;
}

Row measure(const Task& task, const Limits& limits, std::vector<PeerSlot>& peers,
            const MeasureOptions& options) {
  Row row{.shape = &task.shape, .threads = task.threads};
  const Judge judge(task.shape, task.tensors);
  const std::span<std::byte> output = task.tensors.output_elements(0);

  std::optional<LaidOut> laid_out;
  if (options.layout != Layout::packed) laid_out.emplace(task, options.layout);
  const Task own = laid_out ? laid_out->task() : task;
  WeftContender weft(own, options.max_isa);
  row.algorithm = weft.algorithm();
  row.isa = weft.isa();
  row.input_strides = weft.input_strides();
  row.output_strides = weft.output_strides();
  compute(weft, task.tensors);
  if (laid_out) laid_out->pack_output();
  const std::vector<std::byte> result = copy_of(output);
  row.rms_error = judge.rms_error(result);
  if (const auto wrong = judge.difference(result)) {
    row.disagreements.push_back(fmt::format("weft and the exact result: {}", *wrong));
  }

  LimitRacers limit_racers(own, limits);
  Field field = gather(task, peers, row);
  std::vector<Racer> racers = {{&weft, 0}};
  limit_racers.enter(racers, 1);
  const std::size_t first_rival = racers.size();
  for (std::size_t i = 0; i < field.ways.size(); ++i) {
    racers.push_back({field.ways[i].contender.get(), 1 + LimitRacers::kOwners + field.owners[i]});
    Racer& racer = racers.back();
    WayResult way{field.ways[i].name, field.ways[i].counts};
    try {
      compute(*racer.contender, task.tensors);
      way.rms_error = judge.rms_error(output);
      if (const auto wrong = judge.difference(output, result)) {
        row.disagreements.push_back(
            fmt::format("{} ({}) and weft: {}", row.peers[field.owners[i]].name, way.name, *wrong));
      }
    } catch (const Unavailable& error) {
      racer.failure = error.what();
    }
    field.results.push_back(way);
  }

  race(racers, options.race);
  row.weft = racers[0].timing();
  limit_racers.finish(racers, row);
  for (std::size_t i = 0; i < field.ways.size(); ++i) {
    const Racer& racer = racers[first_rival + i];
    if (racer.failure.empty()) {
      field.results[i].timing = racer.timing();
      row.peers[field.owners[i]].ways.push_back(field.results[i]);
    } else {
      peers[field.owners[i]].status = racer.failure;
      peers[field.owners[i]].peer.reset();
    }
  }
  return row;
}

}  // namespace weft::cli::bench
