#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "memory.h"

namespace weft::cli::bench {

static_assert(DNNL_VERSION_MAJOR == 2, "written for the C API of oneDNN 2");

// oneDNN 2, loaded at run time: nothing of Weft is linked to it.
struct OnednnFunctions {
  decltype(&dnnl_version) version;
  decltype(&dnnl_engine_create) engine_create;
  decltype(&dnnl_engine_destroy) engine_destroy;
  decltype(&dnnl_stream_create) stream_create;
  decltype(&dnnl_stream_destroy) stream_destroy;
  decltype(&dnnl_stream_wait) stream_wait;
  decltype(&dnnl_memory_desc_init_by_tag) memory_desc_init_by_tag;
  decltype(&dnnl_memory_desc_init_by_strides) memory_desc_init_by_strides;
  decltype(&dnnl_memory_desc_get_size) memory_desc_get_size;
  decltype(&dnnl_memory_desc_equal) memory_desc_equal;
  decltype(&dnnl_memory_create) memory_create;
  decltype(&dnnl_memory_destroy) memory_destroy;
  decltype(&dnnl_dilated_convolution_forward_desc_init) convolution_desc_init;
  decltype(&dnnl_dilated_deconvolution_forward_desc_init) deconvolution_desc_init;
  decltype(&dnnl_resampling_forward_desc_init) resampling_desc_init;
  decltype(&dnnl_reorder_primitive_desc_create) reorder_primitive_desc_create;
  decltype(&dnnl_primitive_desc_create) primitive_desc_create;
  decltype(&dnnl_primitive_desc_query_md) primitive_desc_query_md;
  decltype(&dnnl_primitive_desc_destroy) primitive_desc_destroy;
  decltype(&dnnl_primitive_create) primitive_create;
  decltype(&dnnl_primitive_execute) primitive_execute;
  decltype(&dnnl_primitive_destroy) primitive_destroy;
  decltype(&dnnl_primitive_attr_create) primitive_attr_create;
  decltype(&dnnl_primitive_attr_set_post_ops) primitive_attr_set_post_ops;
  decltype(&dnnl_primitive_attr_destroy) primitive_attr_destroy;
  decltype(&dnnl_post_ops_create) post_ops_create;
  decltype(&dnnl_post_ops_append_eltwise) post_ops_append_eltwise;
  decltype(&dnnl_post_ops_destroy) post_ops_destroy;
  void (*set_threads)(int);  // omp_set_num_threads of the OpenMP that the library uses
};

// An object of the library that is destroyed by one of its functions.
template <class T>
using DnnlHandle = std::unique_ptr<std::remove_pointer_t<T>, dnnl_status_t(DNNL_API*)(T)>;

// A piece of memory with a layout; its own, or one that somebody else keeps.
struct DnnlTensor {
  dnnl_memory_desc_t desc = {};
  DnnlHandle<dnnl_memory_t> handle{nullptr, nullptr};
  Memory own = {};
};

using DnnlPrimitiveDesc = DnnlHandle<dnnl_primitive_desc_t>;
using DnnlPrimitive = DnnlHandle<dnnl_primitive_t>;

// The loaded library with an engine and a stream. Everything throws Unavailable where a call fails.
class OnednnLibrary {
 public:
  OnednnLibrary();

  const OnednnFunctions& functions() const { return functions_; }
  std::string version() const;
  void set_threads(unsigned count) const { functions_.set_threads(static_cast<int>(count)); }

  void check(dnnl_status_t status, const char* what) const;

  // A tensor over `memory`, or over new memory where that is null.
  DnnlTensor tensor(const dnnl_memory_desc_t& desc, void* memory = nullptr) const;

  // Whether the library has what was asked for: false for dnnl_unimplemented and for arguments
  // that it refuses.
  bool has(dnnl_status_t status, const char* what) const;

  // Null where the library has no such primitive.
  DnnlPrimitiveDesc primitive_desc(const_dnnl_op_desc_t desc, bool relu) const;
  DnnlPrimitive primitive(const DnnlPrimitiveDesc& desc) const;
  DnnlPrimitive reorder(const dnnl_memory_desc_t& from, const dnnl_memory_desc_t& to) const;
  dnnl_memory_desc_t layout(const DnnlPrimitiveDesc& desc, dnnl_query_t tensor) const;
  bool same(const dnnl_memory_desc_t& a, const dnnl_memory_desc_t& b) const {
    return functions_.memory_desc_equal(&a, &b) != 0;
  }

  // Null tensors stand for those that an operator does not have.
  void execute(const DnnlPrimitive& primitive,
               std::initializer_list<dnnl_exec_arg_t> tensors) const;

 private:
  OnednnFunctions functions_ = {};  // the library stays until the process ends
  DnnlHandle<dnnl_engine_t> engine_{nullptr, nullptr};
  DnnlHandle<dnnl_stream_t> stream_{nullptr, nullptr};
};

}  // namespace weft::cli::bench
