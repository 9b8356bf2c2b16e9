// The fast way: plan once, pack the filter once, run as often as there are images, from any number
// of threads at once. A run allocates nothing and throws nothing.

#include <weft/weft.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

// Workspaces and packed filters start at a multiple of 256 bytes.
Memory allocate(std::uint64_t size_in_bytes) {
  Memory memory(std::aligned_alloc(256, (size_in_bytes + 255) / 256 * 256));
  if (!memory && size_in_bytes != 0) throw std::bad_alloc();
  return memory;
}

template <class T>
weft::ConstBuffer bytes(const std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T)};
}

}  // namespace

int main() {
  // 3x3, 8 channels to 16, same size out, bias and RELU in the same pass.
  weft::ConvolutionParams params{
      .input = {.sizes = {1, 8, 32, 32}},
      .filter = {.sizes = {16, 8, 3, 3}},
      .bias = weft::TensorDesc{.sizes = {1, 16, 1, 1}},
      .start_padding = {1, 1},
      .end_padding = {1, 1},
      .fused_activation = weft::Activation{.type = weft::OperatorType::activation_relu},
  };
  params.output.sizes = weft::output_sizes(params);

  const weft::Plan plan = weft::plan(params, {.threads = 1, .prepare_filter = true});
  std::printf("%s\n", plan.explain().c_str());

  const std::vector<float> filter(std::size_t{16} * 8 * 3 * 3, 0.5f);
  const std::vector<float> bias(16, 1.0f);
  const Memory packed = allocate(plan.prepared_size_in_bytes());
  plan.prepare(bytes(filter), {packed.get(), plan.prepared_size_in_bytes()});

  const auto run = [&](float value, std::vector<float>& result) {
    const std::vector<float> image(std::size_t{8} * 32 * 32, value);
    result.resize(std::size_t{16} * 32 * 32);
    const Memory workspace = allocate(plan.workspace_size_in_bytes());
    const weft::ConstBuffer inputs[] = {bytes(image), {}, bytes(bias)};
    const weft::Buffer outputs[] = {{result.data(), result.size() * sizeof(float)}};
    plan.run({.inputs = inputs,
              .outputs = outputs,
              .prepared = {packed.get(), plan.prepared_size_in_bytes()}},
             {workspace.get(), plan.workspace_size_in_bytes()});
  };
  std::vector<float> first;
  std::vector<float> second;
  std::thread other(run, 1.0f, std::ref(first));
  run(-1.0f, second);
  other.join();

  // 8 channels, 0.5 a tap: 4 taps at the corner, 9 inside; then the bias; then RELU.
  std::printf("corner %g, inside %g; of the negative image %g, %g\n", static_cast<double>(first[0]),
              static_cast<double>(first[40]), static_cast<double>(second[0]),
              static_cast<double>(second[40]));
}
