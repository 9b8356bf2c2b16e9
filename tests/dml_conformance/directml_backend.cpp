#include "dml_conformance/directml_backend.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "compute/commands.h"
#include "dml_conformance/desc.h"

namespace weft::conformance {

namespace {

using testing::Commands;
using testing::ComPtr;
using testing::ComputeDevice;
using testing::Part;

enum class Way { compile_operator, graph, bind_late };

// A tensor in the middle of a buffer. The bytes before and behind it must stay as they are.
constexpr UINT64 kMargin = 256;
constexpr std::byte kMarginByte{0xa5};

class TensorBuffer {
 public:
  TensorBuffer(Commands& commands, std::span<const std::byte> bytes)
      : size_in_bytes_(bytes.size()), before_(bytes.size() + 2 * kMargin, kMarginByte) {
    std::copy(bytes.begin(), bytes.end(), before_.begin() + kMargin);
    buffer_ = commands.make_buffer(before_);
  }

  Part part() const { return {buffer_.Get(), kMargin, size_in_bytes_}; }

  // Throws where the margins have changed.
  std::vector<std::byte> download(Commands& commands, const std::string& name) const {
    const std::vector<std::byte> all = commands.download(buffer_.Get());
    const auto first = all.begin() + kMargin;
    const auto last = all.end() - kMargin;
    const auto untouched = [](std::byte byte) { return byte == kMarginByte; };
    if (!std::all_of(all.begin(), first, untouched) || !std::all_of(last, all.end(), untouched)) {
      throw std::runtime_error("bytes around " + name + " were written");
    }
    return {first, last};
  }

  void overwrite(Commands& commands) {
    std::fill(before_.begin() + kMargin, before_.end() - kMargin, std::byte{0xff});
    commands.upload(buffer_.Get(), before_);
  }

  void check_unchanged(Commands& commands, const std::string& name) const {
    if (commands.download(buffer_.Get()) != before_) {
      throw std::runtime_error(name + " was written");
    }
  }

 private:
  UINT64 size_in_bytes_;
  std::vector<std::byte> before_;
  ComPtr<ID3D12Resource> buffer_;
};

// One run of one case.
class Run {
 public:
  Run(const Case& test, Way way, bool owned) : test_(test), way_(way), owned_(owned) {}

  std::vector<std::byte> output(std::span<const std::byte> initial) {
    for (const Tensor& tensor : test_.inputs) inputs_.emplace_back(commands_, tensor.bytes);
    const TensorBuffer output(commands_, initial);
    const ComPtr<IDMLCompiledOperator> compiled = compile();
    const ComPtr<ID3D12Resource> persistent =
        commands_.initialize(compiled.Get(), owned_ ? parts(true) : std::vector<Part>());
    if (owned_) {
      for (std::size_t i = 1; i < inputs_.size(); ++i) inputs_[i].overwrite(commands_);
    }
    commands_.record({.compiled = compiled.Get(),
                      .inputs = parts(false),
                      .outputs = {output.part()},
                      .persistent = {persistent.Get()},
                      .bind_late = way_ == Way::bind_late});
    commands_.run();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i].check_unchanged(commands_, test_.inputs[i].field);
    }
    return output.download(commands_, test_.output.field);
  }

 private:
  // What is bound: at initialization the weights, if DirectML owns them, and at execution the rest.
  // An operator takes a binding for a bias that is not there; a graph that does not mention it
  // none.
  std::vector<Part> parts(bool at_initialization) const {
    std::vector<Part> result;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_weight = owned_ && i > 0;
      result.push_back(is_weight == at_initialization ? inputs_[i].part() : Part());
    }
    if (test_.operator_name == "CONVOLUTION" && way_ != Way::graph) result.resize(3);
    return result;
  }

  ComPtr<IDMLCompiledOperator> compile() {
    const Desc desc(test_, owned_);
    ComPtr<IDMLOperator> op;
    WEFT_CHECK_HR(device_.dml()->CreateOperator(desc.get(), IID_PPV_ARGS(&op)));
    ComPtr<IDMLCompiledOperator> compiled;
    if (way_ == Way::graph) {
      compiled = compile_graph(op.Get());
    } else {
      const DML_EXECUTION_FLAGS flags = way_ == Way::bind_late
                                            ? DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE
                                            : DML_EXECUTION_FLAG_NONE;
      WEFT_CHECK_HR(device_.dml()->CompileOperator(op.Get(), flags, IID_PPV_ARGS(&compiled)));
    }
    return compiled;
  }

  ComPtr<IDMLCompiledOperator> compile_graph(IDMLOperator* op) {
    const DML_OPERATOR_GRAPH_NODE_DESC node = {op, nullptr};
    const DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &node}};
    std::vector<DML_INPUT_GRAPH_EDGE_DESC> input_edges;
    for (UINT i = 0; i < inputs_.size(); ++i) input_edges.push_back({i, 0, i, nullptr});
    std::vector<DML_GRAPH_EDGE_DESC> inputs;
    for (const auto& edge : input_edges) inputs.push_back({DML_GRAPH_EDGE_TYPE_INPUT, &edge});
    const DML_OUTPUT_GRAPH_EDGE_DESC output_edge = {0, 0, 0, nullptr};
    const DML_GRAPH_EDGE_DESC outputs[] = {{DML_GRAPH_EDGE_TYPE_OUTPUT, &output_edge}};
    DML_GRAPH_DESC graph = {};
    graph.InputCount = static_cast<UINT>(inputs.size());
    graph.OutputCount = 1;
    graph.NodeCount = 1;
    graph.Nodes = nodes;
    graph.InputEdgeCount = static_cast<UINT>(inputs.size());
    graph.InputEdges = inputs.data();
    graph.OutputEdgeCount = 1;
    graph.OutputEdges = outputs;
    ComPtr<IDMLCompiledOperator> compiled;
    WEFT_CHECK_HR(
        device_.dml()->CompileGraph(&graph, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled)));
    return compiled;
  }

  const Case& test_;
  const Way way_;
  const bool owned_;
  ComputeDevice device_;
  Commands commands_{device_};
  std::vector<TensorBuffer> inputs_;
};

class DirectMLBackend : public Backend {
 public:
  explicit DirectMLBackend(Way way) : way_(way) {}

  std::vector<Result> run(const Case& test, std::span<const std::byte> initial) override {
    std::vector<Result> results;
    results.push_back({"bound at execution", Run(test, way_, false).output(initial)});
    if (test.operator_name == "CONVOLUTION") {
      results.push_back({"weights owned by DirectML", Run(test, way_, true).output(initial)});
    }
    return results;
  }

 private:
  Way way_;
};

}  // namespace

std::unique_ptr<Backend> make_operator_backend() {
  return std::make_unique<DirectMLBackend>(Way::compile_operator);
}

std::unique_ptr<Backend> make_graph_backend() {
  return std::make_unique<DirectMLBackend>(Way::graph);
}

std::unique_ptr<Backend> make_late_backend() {
  return std::make_unique<DirectMLBackend>(Way::bind_late);
}

}  // namespace weft::conformance
