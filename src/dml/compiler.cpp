#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <variant>

#include "dml/executable.h"
#include "dml/memory_plan.h"
#include "dml/operator_tensors.h"

namespace weft::dml {

// Fills in an Executable.
//
// A node's output lies in the graph output that it is connected to, else in the temporary resource.
// Constants lie in memory of the executable. A filter that is constant or owned by DirectML is
// packed once (PlanOptions::prepare_filter); other owned inputs are copied as they are.
class Compiler {
 public:
  Compiler(Executable& executable, Graph graph, Winograd winograd)
      : executable_(executable), graph_(std::move(graph)), winograd_(winograd) {}

  void run() {
    fuse_activations(graph_);
    give_each_output_a_node();
    describe_tensors();
    plan_nodes();
    place_node_outputs();
    place_constants();
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) add_step(n);
    executable_.constants_.reset(static_cast<std::byte*>(::operator new (
        std::max<std::uint64_t>(constant_bytes_, 1), std::align_val_t{kMemoryAlignment})));
    fill_constants();
    executable_.in_place_ = runs_in_place();
  }

 private:
  using Place = Executable::Place;
  using Source = Graph::Source;

  // Where a node's result and its scratch memory lie.
  struct NodeMemory {
    Place output;
    Place workspace;
  };

  // A constant filter to be packed for a step.
  struct ConstantPack {
    std::uint32_t constant;
    std::uint32_t step;
  };

  bool is_owned(const Source& source) const {
    return source.kind == Source::Kind::input && executable_.inputs_[source.index].owned_by_dml;
  }

  std::uint32_t temporary_slot() const {
    return static_cast<std::uint32_t>(executable_.slot_count()) - 2;
  }
  std::uint32_t persistent_slot() const { return temporary_slot() + 1; }

  // A constant, or a node that two outputs want, is copied by a node of its own.
  void give_each_output_a_node() {
    for (std::size_t o = 0; o < graph_.outputs.size(); ++o) {
      Source& source = graph_.outputs[o];
      const auto earlier = graph_.outputs.begin() + static_cast<std::ptrdiff_t>(o);
      const bool is_taken = std::find(graph_.outputs.begin(), earlier, source) != earlier;
      if (source.kind == Source::Kind::node && !is_taken) continue;
      graph_.nodes.push_back({copy_of(source), {source}, "copy to an output"});
      source = {Source::Kind::node, static_cast<std::uint32_t>(graph_.nodes.size() - 1)};
    }
  }

  ElementWiseParams copy_of(const Source& source) const {
    TensorDesc desc;
    if (source.kind == Source::Kind::node) {
      desc = *tensors_of(graph_.nodes[source.index].params).output.desc;
    } else {
      desc.data_type = DataType::uint8;
      desc.sizes = {static_cast<std::uint32_t>(graph_.constants[source.index].size())};
    }
    desc.owned_by_dml = false;
    return {desc, desc, {.type = OperatorType::element_wise_identity}};
  }

  void describe_tensors() {
    executable_.inputs_.resize(graph_.input_count);
    executable_.outputs_.resize(graph_.outputs.size());
    for (const Graph::Node& node : graph_.nodes) describe_inputs(node);
    for (std::size_t o = 0; o < graph_.outputs.size(); ++o) {
      const Graph::Node& node = graph_.nodes[graph_.outputs[o].index];
      const OperatorTensors::Tensor tensor = tensors_of(node.params).output;
      describe(executable_.outputs_[o], *tensor.desc, tensor_name("output", o, node, tensor));
    }
    for (std::size_t i = 0; i < executable_.inputs_.size(); ++i) {
      std::string& name = executable_.inputs_[i].name;
      if (name.empty()) name = "graph input " + std::to_string(i);
    }
  }

  void describe_inputs(const Graph::Node& node) {
    const OperatorTensors tensors = tensors_of(node.params);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Source& source = node.inputs[i];
      const OperatorTensors::Tensor& tensor = tensors.inputs()[i];
      if (source.kind == Source::Kind::input) {
        describe(executable_.inputs_[source.index], *tensor.desc,
                 tensor_name("input", source.index, node, tensor));
      } else if (graph_.is_operator) {
        executable_.inputs_[i].name = tensor_name("input", i, node, tensor);
        executable_.inputs_[i].absent = true;
      }
    }
  }

  std::string tensor_name(const char* kind, std::size_t index, const Graph::Node& node,
                          const OperatorTensors::Tensor& tensor) const {
    std::string in_node = node.name + "." + std::string(tensor.name);
    if (graph_.is_operator) return in_node;
    return std::string("graph ") + kind + " " + std::to_string(index) + " (" + in_node + ")";
  }

  // A tensor may have several readers; the first gives the name.
  static void describe(Executable::Tensor& to, const TensorDesc& desc, std::string name) {
    if (!to.connected) to.name = std::move(name);
    to.connected = true;
    to.owned_by_dml = desc.owned_by_dml;
    to.size_in_bytes = std::max(to.size_in_bytes, total_bytes(desc));
    to.alignment_in_bytes =
        std::max<std::uint64_t>(to.alignment_in_bytes, desc.guaranteed_base_offset_alignment);
  }

  void plan_nodes() {
    for (const Graph::Node& node : graph_.nodes) {
      PlanOptions options;
      options.winograd = winograd_;
      options.prepare_filter =
          std::holds_alternative<ConvolutionParams>(node.params) &&
          (node.inputs[1].kind == Source::Kind::constant || is_owned(node.inputs[1]));
      plans_.push_back(plan(node.params, options));
    }
  }

  void place_node_outputs() {
    memory_.resize(graph_.nodes.size());
    for (std::uint32_t o = 0; o < graph_.outputs.size(); ++o) {
      memory_[graph_.outputs[o].index].output = {
          static_cast<std::uint32_t>(executable_.inputs_.size()) + o, 0,
          executable_.outputs_[o].size_in_bytes};
    }
    std::vector<Lifetime> lifetimes;
    std::vector<Place*> places;
    const auto add = [&](Place& place, std::uint32_t first, std::uint32_t last,
                         std::uint64_t size) {
      if (size == 0) return;
      place = {temporary_slot(), 0, size};
      places.push_back(&place);
      lifetimes.push_back({first, last, size});
    };
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      if (memory_[n].output.size_in_bytes == 0) {
        add(memory_[n].output, n, last_use(n),
            total_bytes(*tensors_of(graph_.nodes[n].params).output.desc));
      }
      add(memory_[n].workspace, n, n, plans_[n].workspace_size_in_bytes());
    }
    executable_.temporary_bytes_ = plan_memory(lifetimes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i]->offset_in_bytes = lifetimes[i].offset_in_bytes;
    }
  }

  std::uint32_t last_use(std::uint32_t node) const {
    const Source source{Source::Kind::node, node};
    for (auto n = static_cast<std::uint32_t>(graph_.nodes.size()); n-- > node + 1;) {
      const std::vector<Source>& inputs = graph_.nodes[n].inputs;
      if (std::find(inputs.begin(), inputs.end(), source) != inputs.end()) return n;
    }
    return node;
  }

  // Consumers may read up to their own TotalTensorSizeInBytes, the rounding of a short constant.
  void place_constants() {
    constants_.resize(graph_.constants.size());
    for (std::size_t c = 0; c < graph_.constants.size(); ++c) {
      constants_[c] = {Executable::kConstants, 0, graph_.constants[c].size()};
    }
    for (const Graph::Node& node : graph_.nodes) {
      const OperatorTensors tensors = tensors_of(node.params);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i].kind != Source::Kind::constant) continue;
        std::uint64_t& size = constants_[node.inputs[i].index].size_in_bytes;
        size = std::max(size, total_bytes(*tensors.inputs()[i].desc));
      }
    }
    for (Place& place : constants_) place.offset_in_bytes = take(constant_bytes_, place);
  }

  static std::uint64_t take(std::uint64_t& used, const Place& place) {
    const std::uint64_t offset = used;
    used = aligned_size(used + aligned_size(place.size_in_bytes));
    return offset;
  }

  void add_step(std::uint32_t n) {
    const Graph::Node& node = graph_.nodes[n];
    const OperatorTensors tensors = tensors_of(node.params);
    Executable::Step step{plans_[n], {}, memory_[n].output, {}, memory_[n].workspace};
    const bool prepares = step.plan.prepared_size_in_bytes() != 0;
    if (prepares) step.prepared = place_prepared(n, node.inputs[1]);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].kind == Source::Kind::none || (prepares && i == 1)) continue;
      step.inputs[i] = input_place(node.inputs[i], total_bytes(*tensors.inputs()[i].desc));
    }
    executable_.steps_.push_back(std::move(step));
  }

  Place input_place(const Source& source, std::uint64_t size) {
    Place place{source.index, 0, size};
    if (source.kind == Source::Kind::node) place = memory_[source.index].output;
    if (source.kind == Source::Kind::constant) place = constants_[source.index];
    if (is_owned(source)) return place_owned_copy(source.index);
    place.size_in_bytes = size;
    return place;
  }

  // One copy serves all who read the input.
  Place place_owned_copy(std::uint32_t input) {
    const std::uint64_t size = executable_.inputs_[input].size_in_bytes;
    for (const Executable::Pack& pack : executable_.packs_) {
      if (pack.input == input && pack.kind == Executable::Pack::Kind::copy) {
        return {persistent_slot(), pack.persistent_offset_in_bytes, size};
      }
    }
    Place place{persistent_slot(), 0, size};
    place.offset_in_bytes = take(executable_.persistent_bytes_, place);
    executable_.packs_.push_back(
        {input, size, place.offset_in_bytes, Executable::Pack::Kind::copy, 0});
    return place;
  }

  Place place_prepared(std::uint32_t step, const Source& filter) {
    Place place{Executable::kConstants, 0, plans_[step].prepared_size_in_bytes()};
    if (filter.kind == Source::Kind::constant) {
      place.offset_in_bytes = take(constant_bytes_, place);
      constant_packs_.push_back({filter.index, step});
      return place;
    }
    place.slot = persistent_slot();
    place.offset_in_bytes = take(executable_.persistent_bytes_, place);
    executable_.packs_.push_back({filter.index, executable_.inputs_[filter.index].size_in_bytes,
                                  place.offset_in_bytes, Executable::Pack::Kind::filter, step});
    return place;
  }

  void fill_constants() {
    std::byte* memory = executable_.constants_.get();
    std::memset(memory, 0, constant_bytes_);
    for (std::size_t c = 0; c < constants_.size(); ++c) {
      std::memcpy(memory + constants_[c].offset_in_bytes, graph_.constants[c].data(),
                  graph_.constants[c].size());
    }
    for (const ConstantPack& pack : constant_packs_) {
      const Place& from = constants_[pack.constant];
      const Place& to = executable_.steps_[pack.step].prepared;
      plans_[pack.step].prepare({memory + from.offset_in_bytes, from.size_in_bytes},
                                {memory + to.offset_in_bytes, to.size_in_bytes});
    }
  }

  // Element-wise operators whose page allows it: all but GELU, which says nothing.
  bool runs_in_place() const {
    if (graph_.nodes.size() != 1 || graph_.input_count != 1) return false;
    const auto* params = std::get_if<ElementWiseParams>(&graph_.nodes[0].params);
    return params && params->function.type != OperatorType::activation_gelu &&
           graph_.nodes[0].inputs[0].kind == Source::Kind::input && !params->input.owned_by_dml &&
           params->input.data_type == params->output.data_type && same_layout(*params);
  }

  static bool same_layout(const ElementWiseParams& params) {
    const Dims in = strides_of(params.input);
    const Dims out = strides_of(params.output);
    for (std::size_t d = 0; d < in.size(); ++d) {
      if (params.input.sizes[d] > 1 && in[d] != out[d]) return false;
    }
    return true;
  }

  Executable& executable_;
  Graph graph_;
  Winograd winograd_;
  std::vector<Plan> plans_;  // by node
  std::vector<NodeMemory> memory_;
  std::vector<Place> constants_;
  std::vector<ConstantPack> constant_packs_;
  std::uint64_t constant_bytes_ = 0;
};

Executable::Executable(Graph graph, Winograd winograd) {
  Compiler(*this, std::move(graph), winograd).run();
}

}  // namespace weft::dml
