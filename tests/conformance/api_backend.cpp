#include <cstring>
#include <optional>
#include <stdexcept>

#include "conformance/backend.h"
#include "conformance/case_params.h"
#include "support/guard_page.h"
#include "weft/info.h"
#include "weft/operator.h"

namespace weft::conformance {

namespace {

Buffer buffer(const testing::GuardedMemory& memory) { return {memory.data(), memory.size()}; }

class ApiBackend : public Backend {
 public:
  std::vector<Result> run(const Case& test, std::span<const std::byte> initial) override {
    const OperatorParams params = params_of(test);
    const bool convolution = std::holds_alternative<ConvolutionParams>(params);
    std::vector<Result> results;
    for (const Isa isa : machine_isas()) {
      if (isa > best_isa()) continue;  // WEFT_MAX_ISA
      for (const unsigned threads : {1u, 3u}) {
        // One of the two runs takes the filter packed beforehand.
        PlanOptions options;
        options.threads = threads;
        options.max_isa = isa;
        options.prepare_filter = convolution && threads == 3;
        const Plan plan = weft::plan(params, options);
        results.push_back({std::string(weft::name(isa)) + ", threads " + std::to_string(threads) +
                               ", " + std::string(plan.algorithm()),
                           run(plan, test, initial)});
        if (threads != 1 && results.back().output != results[results.size() - 2].output) {
          throw std::runtime_error(results.back().configuration +
                                   ": other bits than with one thread");
        }
      }
    }
    return results;
  }

 private:
  // Every tensor ends at a page that may not be touched.
  static std::vector<std::byte> run(const Plan& plan, const Case& test,
                                    std::span<const std::byte> initial) {
    std::vector<testing::GuardedMemory> memory;
    for (const Tensor& tensor : test.inputs) {
      memory.emplace_back(tensor.bytes.size());
      std::memcpy(memory.back().data(), tensor.bytes.data(), tensor.bytes.size());
    }
    testing::GuardedMemory output(initial.size());
    std::memcpy(output.data(), initial.data(), initial.size());

    std::vector<ConstBuffer> inputs;
    std::size_t next = 0;
    for (const std::optional<TensorDesc>& desc : plan.inputs()) {
      inputs.push_back(desc ? buffer(memory[next++]) : ConstBuffer{});
    }
    const Buffer outputs[] = {buffer(output)};
    testing::GuardedMemory prepared(plan.prepared_size_in_bytes());
    if (prepared.size() != 0) plan.prepare(inputs[1], buffer(prepared));
    plan.run({inputs, outputs, prepared.size() != 0 ? buffer(prepared) : Buffer{}});

    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (std::memcmp(memory[i].data(), test.inputs[i].bytes.data(), memory[i].size()) != 0) {
        throw std::runtime_error(test.inputs[i].field + " was written");
      }
    }
    if (!output.intact()) throw std::runtime_error("memory before the output was written");
    const auto* bytes = static_cast<const std::byte*>(output.data());
    return {bytes, bytes + output.size()};
  }
};

}  // namespace

std::unique_ptr<Backend> make_api_backend() { return std::make_unique<ApiBackend>(); }

}  // namespace weft::conformance
