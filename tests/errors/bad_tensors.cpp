// The rules that every tensor of every operator has to keep: each rule is tried on each tensor.

#include "errors/bad_input.h"

namespace weft::testing {

namespace {

struct TensorRules {
  const char* model;
  const char* types;  // that the operator takes
  const char* ranks;
};

constexpr char kFloats[] = "FLOAT32, FLOAT16";
constexpr char kResampled[] = "FLOAT32, FLOAT16, INT8, UINT8";
constexpr char kRelu[] = "FLOAT32, FLOAT16, INT32, INT16, INT8";
constexpr char kShrink[] = "FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8";
constexpr char kClip[] =
    "FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8";
constexpr char kAll[] =
    "FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8";

const TensorRules kOperators[] = {{"UNFOLD", kAll, "3 to 8"},
                                  {"FOLD", kAll, "3 to 8"},
                                  {"CONVOLUTION", kFloats, "3 to 5"},
                                  {"RESAMPLE", kResampled, "1 to 4"},
                                  {"RESAMPLE1", kResampled, "1 to 4"},
                                  {"RESAMPLE2", kResampled, "1 to 4"},
                                  {"RESAMPLE3", kResampled, "1 to 4"},
                                  {"ELEMENT_WISE_IDENTITY", kAll, "1 to 8"},
                                  {"ELEMENT_WISE_CLIP", kClip, "1 to 8"},
                                  {"ACTIVATION_ELU", kFloats, "1 to 8"},
                                  {"ACTIVATION_HARD_SIGMOID", kFloats, "1 to 8"},
                                  {"ACTIVATION_IDENTITY", kFloats, "1 to 8"},
                                  {"ACTIVATION_LEAKY_RELU", kFloats, "1 to 8"},
                                  {"ACTIVATION_LINEAR", kFloats, "1 to 8"},
                                  {"ACTIVATION_PARAMETRIC_SOFTPLUS", kFloats, "1 to 8"},
                                  {"ACTIVATION_RELU", kRelu, "1 to 8"},
                                  {"ACTIVATION_SCALED_ELU", kFloats, "1 to 8"},
                                  {"ACTIVATION_SCALED_TANH", kFloats, "1 to 8"},
                                  {"ACTIVATION_SIGMOID", kFloats, "1 to 8"},
                                  {"ACTIVATION_SOFTPLUS", kFloats, "1 to 8"},
                                  {"ACTIVATION_SOFTSIGN", kFloats, "1 to 8"},
                                  {"ACTIVATION_TANH", kFloats, "1 to 8"},
                                  {"ACTIVATION_THRESHOLDED_RELU", kFloats, "1 to 8"},
                                  {"ACTIVATION_SHRINK", kShrink, "1 to 8"},
                                  {"ACTIVATION_CELU", kFloats, "1 to 8"},
                                  {"ACTIVATION_GELU", kFloats, "1 to 8"}};

struct Attempt {
  const char* name;
  std::string fields;  // put into the tensor's desc
  std::string said;    // after "OPERATOR.Tensor."
};

std::vector<Attempt> attempts(const TensorRules& rules) {
  return {
      {"4-bit type", R"({"DataType": "UINT4"})",
       std::string("DataType is UINT4, must be one of ") + rules.types +
           ": the types of this operator"},
      {"type UNKNOWN", R"({"DataType": "UNKNOWN"})",
       std::string("DataType is UNKNOWN, must be one of ") + rules.types +
           ": the types of this operator"},
      {"no dimensions", R"({"Sizes": []})",
       std::string("DimensionCount is 0, must be ") + rules.ranks + ": one entry of Sizes each"},
      {"nine dimensions", R"({"Sizes": [1, 1, 1, 1, 1, 1, 1, 1, 1]})",
       std::string("DimensionCount is 9, must be ") + rules.ranks + ": one entry of Sizes each"},
      {"size 0", R"({"Sizes": [2, 0, 4]})", "Sizes[1] is 0, must be >= 1: tensors cannot be empty"},
      {"too few strides", R"({"Sizes": [2, 3, 4], "Strides": [1]})",
       "Strides is 1 entry, must be 3 entries: one a dimension, or none for a packed tensor"},
      {"too many strides", R"({"Sizes": [2, 3, 4], "Strides": [1, 1, 1, 1]})",
       "Strides is 4 entries, must be 3 entries: one a dimension, or none for a packed tensor"},
      {"2^32 elements", R"({"Sizes": [65536, 65536, 1]})",
       "Sizes is 65536x65536x1, must be at most 4294967295 elements: the limit of a tensor"},
      {"sizes past 2^64", R"({"Sizes": [4294967295, 4294967295, 4294967295]})",
       "Sizes is 4294967295x4294967295x4294967295, must be at most 4294967295 elements: the limit "
       "of a tensor"},
      {"strides past 2^63 bytes", R"({"Sizes": [4294967295, 1, 1], "Strides": [4294967295, 1, 1]})",
       "Strides is 4294967295x1x1, must be less than 2^63 bytes in all: the extent of the tensor"},
      {"TotalTensorSizeInBytes too small", R"({"Sizes": [2, 3, 4], "TotalTensorSizeInBytes": 92})",
       "TotalTensorSizeInBytes is 92, must be at least 96: the extent of the tensor, rounded up to "
       "a multiple of 4"},
      {"TotalTensorSizeInBytes too small for the strides",
       R"({"Sizes": [2, 3, 4], "Strides": [100, 10, 2], "TotalTensorSizeInBytes": 504})",
       "TotalTensorSizeInBytes is 504, must be at least 508: the extent of the tensor, rounded up "
       "to a multiple of 4"},
      {"alignment that is no power of two",
       R"({"Sizes": [2, 3, 4], "GuaranteedBaseOffsetAlignment": 24})",
       "GuaranteedBaseOffsetAlignment is 24, must be 0 or a power of two >= 4: offsets are whole "
       "elements"},
      {"alignment below an element", R"({"Sizes": [2, 3, 4], "GuaranteedBaseOffsetAlignment": 2})",
       "GuaranteedBaseOffsetAlignment is 2, must be 0 or a power of two >= 4: offsets are whole "
       "elements"},
  };
}

std::vector<Attempt> output_attempts() {
  const std::string shared =
      ", must be such that no two elements of 2x3x4 share an offset: each element is written once";
  return {
      {"output that is OWNED_BY_DML", R"({"Sizes": [2, 3, 4], "Flags": ["OWNED_BY_DML"]})",
       "Flags is OWNED_BY_DML, must be NONE: only inputs can be owned"},
      {"output with a stride of 0", R"({"Sizes": [2, 3, 4], "Strides": [0, 4, 1]})",
       "Strides is 0x4x1" + shared},
      {"output whose rows overlap", R"({"Sizes": [2, 3, 4], "Strides": [12, 3, 1]})",
       "Strides is 12x3x1" + shared},
      {"output whose offsets coincide", R"({"Sizes": [2, 3, 4], "Strides": [7, 5, 2]})",
       "Strides is 7x5x2" + shared},
  };
}

void add(std::vector<BadInput>& rows, const std::string& op, const std::string& tensor,
         const std::vector<Attempt>& list) {
  for (const Attempt& attempt : list) {
    BadInput row = in_desc(op, tensor + ", " + attempt.name, merge('/' + tensor, attempt.fields),
                           {op + '.' + tensor + '.' + attempt.said});
    row.more = true;
    row.command = "weft check model.json";
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<BadInput> bad_tensors() {
  std::vector<BadInput> rows;
  for (const TensorRules& rules : kOperators) {
    const std::string op = rules.model;
    add(rows, op, "InputTensor", attempts(rules));
    if (op == "CONVOLUTION") {
      add(rows, op, "FilterTensor", attempts(rules));
      add(rows, op, "BiasTensor", attempts(rules));
    }
    add(rows, op, "OutputTensor", attempts(rules));
    add(rows, op, "OutputTensor", output_attempts());
  }
  return rows;
}

}  // namespace weft::testing
