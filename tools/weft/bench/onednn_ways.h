#pragma once

#include <optional>

#include "bench/contender.h"
#include "bench/onednn_library.h"

namespace weft::cli::bench {

// What the layouts of a way are.
enum class DnnlLayout { plain, any, nhwc, blocked };

// An operator in the library's words.
struct DnnlOperator {
  dnnl_memory_desc_t input = {}, output = {};  // packed as the user has them
  dnnl_memory_desc_t filter = {}, bias = {};   // with 0 dimensions where there is none

  // A primitive for tensors of these layouts; null where the library has none.
  virtual DnnlPrimitiveDesc primitive_desc(const OnednnLibrary& library,
                                           const dnnl_memory_desc_t& in,
                                           const dnnl_memory_desc_t& out, bool winograd) const = 0;
  virtual ~DnnlOperator() = default;
};

// Nothing where the library does not have what the task needs.
std::unique_ptr<DnnlOperator> onednn_operator(const OnednnLibrary& library, const Task& task);

// One way to run it; nothing where the library has no primitive for it.
struct DnnlWay {
  DnnlLayout layout = DnnlLayout::plain;
  bool winograd = false;
  bool reorder = true;  // input and output from and to the user's layout, within the timing
};
std::unique_ptr<Contender> onednn_contender(const OnednnLibrary& library, const Task& task,
                                            const DnnlOperator& op, const DnnlWay& way);

}  // namespace weft::cli::bench
