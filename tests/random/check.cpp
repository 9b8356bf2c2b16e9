#include "random/check.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>

#include "random/fill.h"
#include "reference/reference.h"
#include "support/number.h"
#include "support/tensor_walk.h"

namespace weft::random_cases {

namespace {

using testing::GuardedBuffer;

// The bits of the output's elements, in row-major order.
std::vector<std::uint64_t> elements(const TensorDesc& desc, const std::byte* data) {
  std::vector<std::uint64_t> result;
  testing::for_each_element(desc, [&](const testing::Coordinate&, std::int64_t at) {
    result.push_back(testing::read_bits(desc.data_type, data + at));
  });
  return result;
}

std::string place_text(const testing::Coordinate& x, std::size_t rank) {
  std::string result = "(";
  for (std::size_t d = 0; d < rank; ++d) result += (d == 0 ? "" : ", ") + std::to_string(x[d]);
  return result + ")";
}

// One run in memory of its own, `guarded` by pages that nobody may touch.
class Run {
 public:
  Run(const Case& c, std::uint64_t variant, bool guarded = true)
      : case_(c), dice_(Dice::of(c.data_seed, variant)), guarded_(guarded) {
    const auto descs = inputs_of(c.params);
    for (std::size_t i = 0; i < descs.size(); ++i) {
      if (!descs[i]) {
        inputs_.emplace_back(0, GuardedBuffer::Place{}, 0);
        continue;
      }
      // The contents follow from the data seed alone, the place in memory from the variant.
      inputs_.push_back(
          filled_input(*descs[i], c.values, Dice::of(c.data_seed, 100 + i), place_of(*descs[i])));
    }
    make_output();
  }

  std::vector<const std::byte*> input_pointers() const {
    std::vector<const std::byte*> result;
    for (const GuardedBuffer& input : inputs_) {
      result.push_back(input.size() == 0 ? nullptr : input.data());
    }
    return result;
  }

  GuardedBuffer& first_input() { return inputs_[0]; }
  GuardedBuffer& output() { return *output_; }

  // The output shares the input's memory from now on.
  void in_place() { in_place_ = true; }

  std::string run(const OperatorParams& params, const PlanOptions& options) {
    const Plan plan = weft::plan(params, options);
    algorithm_ = plan.algorithm();
    GuardedBuffer workspace(plan.workspace_size_in_bytes(), place(256, 0), dice_.bits());
    GuardedBuffer prepared(plan.prepared_size_in_bytes(), place(256, 0), dice_.bits());
    std::vector<ConstBuffer> buffers;
    for (GuardedBuffer& input : inputs_) {
      buffers.push_back(input.size() == 0 ? ConstBuffer() : ConstBuffer(input.buffer()));
    }
    const auto* p = std::get_if<ConvolutionParams>(&params);
    if (p != nullptr && !p->bias) buffers[2] = {};
    std::vector<const GuardedBuffer*> touched = {&workspace, &prepared, output_.get()};
    for (const GuardedBuffer& input : inputs_) touched.push_back(&input);
    {
      const testing::Fence fence(touched);
      if (execute(plan, std::move(buffers), workspace.buffer(), prepared.buffer()) !=
          ErrorCode::ok) {
        return "run() refused its buffers";
      }
    }
    for (const auto& [memory, what] :
         {std::pair(&workspace, "the workspace"), std::pair(&prepared, "the prepared filter")}) {
      const std::string change = memory->first_change(testing::ByteMarks(memory->size(), 1));
      if (!change.empty()) return std::string("written outside ") + what + ": " + change;
    }
    return {};
  }

  // Writes where nothing may be written.
  std::string stray_write() const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (in_place_ && i == 0) continue;
      const std::string change = inputs_[i].first_change();
      if (!change.empty()) return "input " + std::to_string(i) + " was written: " + change;
    }
    const GuardedBuffer& written = in_place_ ? inputs_[0] : *output_;
    const std::string change =
        written.first_change(testing::addressed_bytes(output_of(case_.params)));
    if (!change.empty()) return "written outside the output's elements: " + change;
    return {};
  }

  // Of the last run.
  const std::string& algorithm() const { return algorithm_; }

  std::vector<std::uint64_t> result() const {
    return elements(output_of(case_.params), in_place_ ? inputs_[0].data() : output_->data());
  }

 private:
  ErrorCode execute(const Plan& plan, std::vector<ConstBuffer> inputs, const Buffer& workspace,
                    const Buffer& prepared) {
    const Buffer output = in_place_ ? inputs_[0].buffer() : output_->buffer();
    Bindings bindings{.inputs = inputs, .outputs = {&output, 1}};
    if (plan.prepared_size_in_bytes() != 0) {
      plan.prepare(inputs[1], prepared);
      inputs[1] = {};  // not read any more
      bindings.prepared = prepared;
    }
    plan.check(bindings, workspace);
    return plan.run(bindings, workspace);
  }

  GuardedBuffer::Place place(std::size_t alignment, std::size_t misalignment) {
    using enum GuardedBuffer::Place::Side;
    const auto side = dice_.pick({start, end, end, neither});
    return {guarded_ ? side : neither, alignment, misalignment};
  }

  GuardedBuffer::Place place_of(const TensorDesc& desc) {
    const std::size_t bytes = byte_size(desc.data_type);
    return place(bytes, dice_.between(0, 8) * bytes);
  }

  void make_output() {
    const TensorDesc& desc = output_of(case_.params);
    output_ =
        std::make_unique<GuardedBuffer>(testing::buffer_bytes(desc), place_of(desc), dice_.bits());
  }

  const Case& case_;
  Dice dice_;
  bool guarded_;
  std::vector<GuardedBuffer> inputs_;
  std::unique_ptr<GuardedBuffer> output_;
  bool in_place_ = false;
  std::string algorithm_;
};

// The first element that the reference does not allow, and how many there are.
std::string compare(const TensorDesc& desc, const reference::ExpectedTensor& expected,
                    const std::byte* data) {
  std::string first;
  std::size_t i = 0;
  std::size_t wrong = 0;
  testing::for_each_element(desc, [&](const testing::Coordinate& x, std::int64_t at) {
    const reference::Expected& right = expected[i++];
    if (reference::accepts(right, desc.data_type, data + at)) return;
    if (++wrong > 1) return;
    first = "output" + place_text(x, desc.sizes.size()) + " is " +
            reference::text_of_element(desc.data_type, data + at) + ", must be " +
            reference::text(right, desc.data_type);
  });
  if (wrong == 0) return {};
  return first + "; " + std::to_string(wrong) + " of " + std::to_string(i) + " elements are wrong";
}

std::string violations_text(const OperatorParams& params) {
  std::string result;
  for (const Violation& v : validate(params)) result += "\n    " + v.text();
  return result;
}

bool may_run_in_place(const OperatorParams& params) {
  const auto* p = std::get_if<ElementWiseParams>(&params);
  return p != nullptr && p->input.strides == p->output.strides &&
         testing::buffer_bytes(p->input) == testing::buffer_bytes(p->output);
}

// Further runs have to give the same bits.
std::string check_repeatable(const Case& c, const std::vector<std::uint64_t>& bits) {
  PlanOptions other = c.options;
  other.threads = c.other_threads;
  other.prepare_filter = !c.options.prepare_filter;
  if (other.strict) other.max_isa = c.options.max_isa ? std::nullopt : std::optional(Isa::base);
  Run again(c, 2);
  std::string problem = again.run(c.params, other);
  if (problem.empty()) problem = again.stray_write();
  if (!problem.empty()) return "second run: " + problem;
  const std::vector<std::uint64_t> others = again.result();
  if (others != bits) {
    const auto [one, two] = std::mismatch(bits.begin(), bits.end(), others.begin());
    std::ostringstream text;
    text << "other bits with " << other.threads
         << " threads, other places, other workspace contents, the filter "
         << (other.prepare_filter ? "prepared" : "not prepared") << ": element "
         << one - bits.begin() << " is 0x" << std::hex << *one << ", then 0x" << *two;
    return text.str();
  }
  if (!may_run_in_place(c.params)) return {};
  Run shared(c, 3);
  shared.in_place();
  problem = shared.run(c.params, c.options);
  if (problem.empty()) problem = shared.stray_write();
  if (!problem.empty()) return "in place: " + problem;
  return shared.result() == bits ? "" : "other bits in place";
}

}  // namespace

Result check(const Case& c, const Defect* defect) {
  const auto wrong = [](std::string message) { return Result{Verdict::wrong, std::move(message)}; };
  const std::string refused = violations_text(c.params);
  if (!refused.empty()) return wrong("validate() refuses it:" + refused);
  Run first(c, 1, defect == nullptr);
  const auto expected = reference::evaluate(c.params, first.input_pointers(), c.checked_every);

  OperatorParams asked = c.params;
  if (defect != nullptr && defect->params != nullptr &&
      (!defect->params(asked) || !validate(asked).empty())) {
    return {Verdict::not_applicable, {}};
  }
  if (defect != nullptr && defect->input != nullptr) {
    if (!defect->input(c.params, first.first_input().data())) return {Verdict::not_applicable, {}};
    first.first_input().remember();
  }
  std::string problem;
  try {
    problem = first.run(asked, c.options);
    if (!problem.empty()) return wrong(problem);
    if (defect != nullptr && defect->output != nullptr &&
        !defect->output(c.params, first.output().data())) {
      return {Verdict::not_applicable, {}};
    }
    problem = compare(output_of(c.params), expected, first.output().data());
    if (problem.empty()) problem = first.stray_write();
    if (problem.empty() && defect == nullptr) problem = check_repeatable(c, first.result());
  } catch (const Error& error) {
    // Changed params may ask for more memory than there is: that tells nothing of the check.
    if (defect != nullptr) return {Verdict::not_applicable, {}};
    problem = std::string("refused: ") + error.what();
  }
  return problem.empty() ? Result{Verdict::right, {}, first.algorithm()} : wrong(problem);
}

}  // namespace weft::random_cases
