#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dml/interfaces.h"
#include "weft/operator.h"

namespace weft::dml {

// Copies the fields of one operator's desc and collects what is wrong with pointers and counts. The
// rules of the operator itself are weft::validate()'s.
class DescReader {
 public:
  explicit DescReader(std::string_view operator_name) : operator_name_(operator_name) {}

  void tensor(std::string_view field, const DML_TENSOR_DESC* desc, TensorDesc& to);
  void optional_tensor(std::string_view field, const DML_TENSOR_DESC* desc,
                       std::optional<TensorDesc>& to);

  // DimensionCount (RESAMPLE: ScaleCount): how long the arrays after it are; at least 1.
  void dimension_count(std::string_view field, UINT count, UINT most);
  void array(std::string_view field, const UINT* values, Dims& to);
  void array(std::string_view field, const FLOAT* values, std::vector<float>& to);

  // An activation's numbers; its type is set. `field` is "" or "FusedActivation.".
  void activation(const void* desc, Activation& to);
  void fused_activation(const DML_OPERATOR_DESC* desc, std::optional<Activation>& to);

  void fail(std::string_view field, std::string value, std::string right, std::string rule = {});

  // Throws Error when anything was wrong.
  void finish();

 private:
  template <class T>
  void copy(std::string_view field, const T* values, std::vector<T>& to);
  void buffer_tensor(const std::string& field, const DML_BUFFER_TENSOR_DESC& desc, TensorDesc& to);

  std::string operator_name_;
  std::string_view count_field_;
  std::uint32_t count_ = 0;  // 0: absurd, so that no array is read
  std::vector<Violation> violations_;
};

}  // namespace weft::dml
