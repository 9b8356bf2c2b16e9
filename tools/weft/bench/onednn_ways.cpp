// oneDNN's primitives with the reordering around them.

#include "bench/onednn_ways.h"

#include <utility>

#include "bench/onednn.h"

namespace weft::cli::bench {

namespace {

// Memory that is handed to the library but that it only reads.
void* mutable_data(ConstBuffer buffer) { return const_cast<void*>(buffer.data); }

dnnl_memory_desc_t with_layout(const OnednnLibrary& library, const dnnl_memory_desc_t& desc,
                               DnnlLayout layout) {
  constexpr dnnl_format_tag_t kLast[] = {dnnl_acb, dnnl_acdb, dnnl_acdeb};
  constexpr dnnl_format_tag_t kBlocked[] = {dnnl_aBc16b, dnnl_aBcd16b, dnnl_aBcde16b};
  if (layout == DnnlLayout::plain) return desc;
  const int spatial = desc.ndims - 3;
  const dnnl_format_tag_t tag = layout == DnnlLayout::nhwc      ? kLast[spatial]
                                : layout == DnnlLayout::blocked ? kBlocked[spatial]
                                                                : dnnl_format_tag_any;
  dnnl_memory_desc_t result = {};
  library.check(library.functions().memory_desc_init_by_tag(&result, desc.ndims, desc.dims,
                                                            desc.data_type, tag),
                "layout");
  return result;
}

class DnnlContender : public LocalContender {
 public:
  DnnlContender(const OnednnLibrary& library, const Task& task, const DnnlOperator& op,
                const DnnlPrimitiveDesc& desc, bool reorder)
      : LocalContender(task.tensors.sets()), library_(library), reorder_(reorder) {
    primitive_ = library.primitive(desc);
    const dnnl_memory_desc_t in = library.layout(desc, dnnl_query_src_md);
    const dnnl_memory_desc_t out = library.layout(desc, dnnl_query_dst_md);
    if (!library.same(in, op.input)) to_inner_ = library.reorder(op.input, in);
    if (!library.same(out, op.output)) to_user_ = library.reorder(out, op.output);
    for (std::size_t set = 0; set < task.tensors.sets(); ++set) {
      inputs_.push_back(library.tensor(op.input, mutable_data(task.tensors.input(set))));
      outputs_.push_back(library.tensor(op.output, task.tensors.output(set).data));
      // With reordering one inner tensor does, and stays in the cache; without it each set has one.
      if (set > 0 && reorder) continue;
      if (to_inner_) inner_inputs_.push_back(library.tensor(in));
      if (to_user_) inner_outputs_.push_back(library.tensor(out));
    }
    if (op.filter.ndims != 0) prepare_filter(op, task, library.layout(desc, dnnl_query_weights_md));
    if (op.bias.ndims != 0) bias_ = library.tensor(op.bias, mutable_data(task.tensors.bias()));
    if (!reorder_ && to_inner_) {
      for (std::size_t set = 0; set < inputs_.size(); ++set) reorder_input(set);
    }
  }

  void compute() override {
    run(0);
    if (!reorder_ && to_user_) reorder_output(0);
  }

 protected:
  void run(std::size_t set) override {
    if (reorder_ && to_inner_) reorder_input(set);
    library_.execute(
        primitive_,
        {{DNNL_ARG_SRC, (to_inner_ ? inner(inner_inputs_, set) : inputs_[set]).handle.get()},
         {DNNL_ARG_DST, (to_user_ ? inner(inner_outputs_, set) : outputs_[set]).handle.get()},
         {DNNL_ARG_WEIGHTS, filter_.handle.get()},
         {DNNL_ARG_BIAS, bias_.handle.get()}});
    if (reorder_ && to_user_) reorder_output(set);
  }

 private:
  const DnnlTensor& inner(const std::vector<DnnlTensor>& tensors, std::size_t set) const {
    return tensors[reorder_ ? 0 : set];
  }
  void reorder_input(std::size_t set) {
    library_.execute(to_inner_, {{DNNL_ARG_FROM, inputs_[set].handle.get()},
                                 {DNNL_ARG_TO, inner(inner_inputs_, set).handle.get()}});
  }
  void reorder_output(std::size_t set) {
    library_.execute(to_user_, {{DNNL_ARG_FROM, inner(inner_outputs_, set).handle.get()},
                                {DNNL_ARG_TO, outputs_[set].handle.get()}});
  }
  void prepare_filter(const DnnlOperator& op, const Task& task, const dnnl_memory_desc_t& layout) {
    const DnnlTensor user = library_.tensor(op.filter, mutable_data(task.tensors.filter()));
    filter_ = library_.tensor(layout);
    library_.execute(library_.reorder(op.filter, layout),
                     {{DNNL_ARG_FROM, user.handle.get()}, {DNNL_ARG_TO, filter_.handle.get()}});
  }

  const OnednnLibrary& library_;
  bool reorder_;
  DnnlPrimitive primitive_{nullptr, nullptr}, to_inner_{nullptr, nullptr},
      to_user_{nullptr, nullptr};
  std::vector<DnnlTensor> inputs_, outputs_, inner_inputs_, inner_outputs_;
  DnnlTensor filter_, bias_;
};

class OnednnPeer : public Peer {
 public:
  std::string name() const override { return "onednn"; }
  std::string version() const override { return library_.version(); }

  std::vector<Way> ways(const Task& task) override {
    library_.set_threads(task.threads);
    std::vector<Way> result;
    const auto op = onednn_operator(library_, task);
    if (op == nullptr) return result;
    // Resampling chooses no input layout of its own accord: the blocked one is its best.
    const bool convolution = task.shape.type() == OperatorType::convolution;
    const DnnlLayout best = convolution ? DnnlLayout::any : DnnlLayout::blocked;
    const auto add = [&](const char* name, const DnnlWay& way) {
      if (auto contender = onednn_contender(library_, task, *op, way)) {
        result.push_back({name, way.reorder, std::move(contender)});
      }
    };
    add("plain", {.layout = DnnlLayout::plain});
    add("direct", {.layout = best});
    add("nhwc", {.layout = DnnlLayout::nhwc});
    add("blocked", {.layout = best, .reorder = false});
    if (task.winograd == Winograd::allowed)
      add("winograd", {.layout = DnnlLayout::any, .winograd = true});
    return result;
  }

 private:
  OnednnLibrary library_;
};

}  // namespace

std::unique_ptr<Contender> onednn_contender(const OnednnLibrary& library, const Task& task,
                                            const DnnlOperator& op, const DnnlWay& way) {
  const DnnlPrimitiveDesc desc =
      op.primitive_desc(library, with_layout(library, op.input, way.layout),
                        with_layout(library, op.output, way.layout), way.winograd);
  if (desc == nullptr) return nullptr;
  return std::make_unique<DnnlContender>(library, task, op, desc, way.reorder);
}

std::unique_ptr<Peer> open_onednn() { return std::make_unique<OnednnPeer>(); }

}  // namespace weft::cli::bench
