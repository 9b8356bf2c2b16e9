#include "ops/copy_plan.h"

#include <string>

#include "base/cpu.h"
#include "base/parallel.h"
#include "kernels/rows/rows.h"
#include "kernels/transpose/transpose.h"
#include "ops/traversal.h"

namespace weft::ops {

namespace {

// Elements of a row that are so near each other in the input come out of vectors by CopyRow.
constexpr std::int64_t kNearElements = 4;

class CopyBody final : public PlanBody {
 public:
  CopyBody(OperatorType operator_type, const Layout& input, const Layout& output,
           DataType data_type, const PlanOptions& options)
      : traversal_(input, output),
        copy_(kernels::row_kernels(base::choose_isa(options.max_isa)).copy(data_type)),
        transpose_(kernels::transpose_kernel(base::choose_isa(options.max_isa), bit_size(data_type))
                       .transpose),
        element_bytes_(byte_size(data_type)),
        slots_(slot_count(options, traversal_.tiles())) {
    type = operator_type;
    algorithm = "copy";
    explanation = traversal_.text(slots_);
  }

  void run(const RunArguments& arguments) const noexcept override {
    const auto* from = static_cast<const std::byte*>(arguments.inputs[0]);
    auto* to = static_cast<std::byte*>(arguments.outputs[0]);
    if (from == to) return;  // in place
    const Traversal::Dimension& x = traversal_.along();
    const Traversal::Dimension& y = traversal_.across();
    const bool to_rows = x.out == 1 && y.in == 1 && x.in > kNearElements;
    const bool to_columns = x.in == 1 && y.out == 1;
    base::parallel_tiles_apart(slots_, traversal_.tiles(), [&](std::int64_t tile, unsigned) {
      if (to_rows || to_columns) {
        traversal_.visit_blocks(tile, [&](const Traversal::Block& b) {
          transpose_({.from = from + b.input * element_bytes_,
                      .from_row = to_rows ? x.in : y.in,
                      .to = to + b.output * element_bytes_,
                      .to_row = to_rows ? y.out : x.out,
                      .rows = to_rows ? b.rows : b.count,
                      .count = to_rows ? b.count : b.rows});
        });
        return;
      }
      traversal_.visit(tile, [&](std::int64_t in, std::int64_t out, std::int64_t count) {
        copy_(from + in * element_bytes_, traversal_.input_stride(), to + out * element_bytes_,
              traversal_.output_stride(), count);
      });
    });
  }

 private:
  Traversal traversal_;
  kernels::CopyRow copy_;
  kernels::TransposeFunction transpose_;
  std::int64_t element_bytes_;
  unsigned slots_;
};

}  // namespace

std::shared_ptr<PlanBody> copy_plan(OperatorType type, const Layout& input, const Layout& output,
                                    DataType data_type, const PlanOptions& options) {
  return std::make_shared<CopyBody>(type, input, output, data_type, options);
}

}  // namespace weft::ops
