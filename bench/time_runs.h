#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "base/aligned_memory.h"
#include "weft/weft.h"

namespace weft {

// Times runs of one plan, planning and packing of the filter left out. The tensors are float32 and
// stay where they are, so that small ones are found in the cache.
inline void time_runs(benchmark::State& state, const OperatorParams& params, Isa isa,
                      unsigned threads) {
  const std::vector<Isa> machine = machine_isas();
  if (std::find(machine.begin(), machine.end(), isa) == machine.end()) {
    state.SkipWithError("this machine lacks the instruction set");
    return;
  }
  const Plan planned = plan(params, {.threads = threads, .max_isa = isa, .prepare_filter = true});
  std::vector<base::AlignedMemory> memory;
  const auto allocate = [&](std::uint64_t size) { return memory.emplace_back(size).buffer(); };
  const auto tensor = [&](const std::optional<TensorDesc>& desc) {
    if (!desc) return Buffer{};
    const Buffer buffer = allocate(*minimum_size_in_bytes(*desc));
    std::fill_n(static_cast<float*>(buffer.data), buffer.size_in_bytes / sizeof(float), 0.5f);
    return buffer;
  };
  std::vector<ConstBuffer> inputs;
  for (const auto& desc : planned.inputs()) inputs.emplace_back(tensor(desc));
  const Buffer output = tensor(planned.outputs()[0]);
  const Buffer workspace = allocate(planned.workspace_size_in_bytes());
  const Buffer prepared = allocate(planned.prepared_size_in_bytes());
  if (prepared.size_in_bytes != 0) planned.prepare(inputs[1], prepared);

  const Bindings bindings{.inputs = inputs, .outputs = {&output, 1}, .prepared = prepared};
  for ([[maybe_unused]] auto _ : state) {
    if (planned.run(bindings, workspace) != ErrorCode::ok) state.SkipWithError("run() failed");
    benchmark::ClobberMemory();
  }
}

}  // namespace weft
