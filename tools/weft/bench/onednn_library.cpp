#include "bench/onednn_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "bench/contender.h"

namespace weft::cli::bench {

namespace {

template <class Function>
void load(void* library, const char* name, Function& target) {
  target = reinterpret_cast<Function>(dlsym(library, name));
  if (target == nullptr) throw Unavailable(fmt::format("its library has no {}", name));
}

OnednnFunctions load_functions(void* library) {
  OnednnFunctions f;
  load(library, "dnnl_version", f.version);
  load(library, "dnnl_engine_create", f.engine_create);
  load(library, "dnnl_engine_destroy", f.engine_destroy);
  load(library, "dnnl_stream_create", f.stream_create);
  load(library, "dnnl_stream_destroy", f.stream_destroy);
  load(library, "dnnl_stream_wait", f.stream_wait);
  load(library, "dnnl_memory_desc_init_by_tag", f.memory_desc_init_by_tag);
  load(library, "dnnl_memory_desc_init_by_strides", f.memory_desc_init_by_strides);
  load(library, "dnnl_memory_desc_get_size", f.memory_desc_get_size);
  load(library, "dnnl_memory_desc_equal", f.memory_desc_equal);
  load(library, "dnnl_memory_create", f.memory_create);
  load(library, "dnnl_memory_destroy", f.memory_destroy);
  load(library, "dnnl_dilated_convolution_forward_desc_init", f.convolution_desc_init);
  load(library, "dnnl_dilated_deconvolution_forward_desc_init", f.deconvolution_desc_init);
  load(library, "dnnl_resampling_forward_desc_init", f.resampling_desc_init);
  load(library, "dnnl_reorder_primitive_desc_create", f.reorder_primitive_desc_create);
  load(library, "dnnl_primitive_desc_create", f.primitive_desc_create);
  load(library, "dnnl_primitive_desc_query_md", f.primitive_desc_query_md);
  load(library, "dnnl_primitive_desc_destroy", f.primitive_desc_destroy);
  load(library, "dnnl_primitive_create", f.primitive_create);
  load(library, "dnnl_primitive_execute", f.primitive_execute);
  load(library, "dnnl_primitive_destroy", f.primitive_destroy);
  load(library, "dnnl_primitive_attr_create", f.primitive_attr_create);
  load(library, "dnnl_primitive_attr_set_post_ops", f.primitive_attr_set_post_ops);
  load(library, "dnnl_primitive_attr_destroy", f.primitive_attr_destroy);
  load(library, "dnnl_post_ops_create", f.post_ops_create);
  load(library, "dnnl_post_ops_append_eltwise", f.post_ops_append_eltwise);
  load(library, "dnnl_post_ops_destroy", f.post_ops_destroy);
  load(library, "omp_set_num_threads", f.set_threads);  // found among what the library needs
  return f;
}

}  // namespace

OnednnLibrary::OnednnLibrary() {
  void* const library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Unavailable("not installed");
  functions_ = load_functions(library);
  dnnl_engine_t engine = nullptr;
  check(functions_.engine_create(&engine, dnnl_cpu, 0), "engine");
  engine_ = {engine, functions_.engine_destroy};
  dnnl_stream_t stream = nullptr;
  check(functions_.stream_create(&stream, engine, dnnl_stream_default_flags), "stream");
  stream_ = {stream, functions_.stream_destroy};
}

std::string OnednnLibrary::version() const {
  const dnnl_version_t& v = *functions_.version();
  return fmt::format("{}.{}.{}", v.major, v.minor, v.patch);
}

void OnednnLibrary::check(dnnl_status_t status, const char* what) const {
  if (status != dnnl_success) {
    throw Unavailable(fmt::format("{} failed with status {}", what, static_cast<int>(status)));
  }
}

bool OnednnLibrary::has(dnnl_status_t status, const char* what) const {
  if (status == dnnl_unimplemented || status == dnnl_invalid_arguments) return false;
  check(status, what);
  return true;
}

DnnlTensor OnednnLibrary::tensor(const dnnl_memory_desc_t& desc, void* memory) const {
  DnnlTensor result;
  result.desc = desc;
  if (memory == nullptr) {
    result.own = huge_memory(functions_.memory_desc_get_size(&desc));
    memory = result.own.buffer().data;
  }
  dnnl_memory_t handle = nullptr;
  check(functions_.memory_create(&handle, &desc, engine_.get(), memory), "memory");
  result.handle = {handle, functions_.memory_destroy};
  return result;
}

DnnlPrimitiveDesc OnednnLibrary::primitive_desc(const_dnnl_op_desc_t desc, bool relu) const {
  DnnlHandle<dnnl_primitive_attr_t> attributes{nullptr, functions_.primitive_attr_destroy};
  if (relu) {
    dnnl_primitive_attr_t attr = nullptr;
    check(functions_.primitive_attr_create(&attr), "attributes");
    attributes.reset(attr);
    dnnl_post_ops_t post_ops = nullptr;
    check(functions_.post_ops_create(&post_ops), "post-ops");
    const DnnlHandle<dnnl_post_ops_t> owner(post_ops, functions_.post_ops_destroy);
    check(functions_.post_ops_append_eltwise(post_ops, 1, dnnl_eltwise_relu, 0, 0), "RELU");
    check(functions_.primitive_attr_set_post_ops(attr, post_ops), "post-ops");
  }
  dnnl_primitive_desc_t result = nullptr;
  const dnnl_status_t status =
      functions_.primitive_desc_create(&result, desc, attributes.get(), engine_.get(), nullptr);
  if (!has(status, "primitive description")) result = nullptr;
  return {result, functions_.primitive_desc_destroy};
}

DnnlPrimitive OnednnLibrary::primitive(const DnnlPrimitiveDesc& desc) const {
  dnnl_primitive_t result = nullptr;
  check(functions_.primitive_create(&result, desc.get()), "primitive");
  return {result, functions_.primitive_destroy};
}

DnnlPrimitive OnednnLibrary::reorder(const dnnl_memory_desc_t& from,
                                     const dnnl_memory_desc_t& to) const {
  dnnl_primitive_desc_t desc = nullptr;
  check(functions_.reorder_primitive_desc_create(&desc, &from, engine_.get(), &to, engine_.get(),
                                                 nullptr),
        "reorder");
  return primitive({desc, functions_.primitive_desc_destroy});
}

dnnl_memory_desc_t OnednnLibrary::layout(const DnnlPrimitiveDesc& desc, dnnl_query_t tensor) const {
  return *functions_.primitive_desc_query_md(desc.get(), tensor, 0);
}

void OnednnLibrary::execute(const DnnlPrimitive& primitive,
                            std::initializer_list<dnnl_exec_arg_t> tensors) const {
  check(functions_.primitive_execute(primitive.get(), stream_.get(),
                                     static_cast<int>(tensors.size()), tensors.begin()),
        "execution");
  check(functions_.stream_wait(stream_.get()), "execution");
}

}  // namespace weft::cli::bench
