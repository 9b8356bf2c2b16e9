// DirectML at feature level 6.4, declared for Linux (and for Windows, where d3d12.h is the SDK's).
//
// Binary layout, names and values are those of Microsoft's API, so that a program written for it
// compiles unchanged and links with any library that offers it. Weft's is libdirectml.so.
//
//   ComPtr<IDMLDevice> device;
//   DMLCreateDevice(d3d12_device, DML_CREATE_DEVICE_FLAG_NONE, IID_PPV_ARGS(&device));
//   device->CreateOperator(&desc, ...);            what to compute: an operator desc
//   device->CompileOperator(op, flags, ...);       how: something that can be dispatched
//   device->CreateOperatorInitializer(1, &compiled, ...);   run once, before the first execution
//   device->CreateBindingTable(&table_desc, ...);  which buffers
//   recorder->RecordDispatch(list, compiled, table);        into a D3D12 command list
//
// In this file: tensors, the operator types, operator descs by family, queries of the device,
// binding, graphs, interfaces, entry points. "x" in a formula is an element of InputTensor; a and
// b are elements of ATensor and BTensor. In most operators InputTensor, OutputTensor and their like
// have the same data type and the same number of dimensions. ScaleBias, where given, replaces x by
// x * Scale + Bias first. FusedActivation, where given, is applied to each element of the result;
// its desc has null tensors. A name that ends in a digit is a later and wider form of the operator.
//
// DML_TARGET_VERSION says which version of the API the program is written for; what is younger is
// not declared. 0x6200 means feature level 6.2. Without it, everything is declared.
//
// Interface IDs: __uuidof(IDMLDevice) and IID_PPV_ARGS find them in the library on Linux. A program
// may instead define them itself (WINADAPTER_IID), or include directml/dmlguids.h, which does.

#ifndef DIRECTML_H
#define DIRECTML_H
#pragma once

#ifdef _WIN32
#include <d3d12.h>
#else
// Windows' basic types come first: the headers below need them. Interface IDs come last: they are
// defined for what has been declared before.
#include <wsl/winadapter.h>
// (The order matters.)
#include <d3d12.h>
#if defined(__has_include)
#if __has_include(<dxcore.h>)
#include <dxcore.h>
#endif
#endif
#include <dxguids/dxguids.h>
#endif

// HRESULTs that Windows' headers have and winadapter.h may lack.
#ifndef DXGI_ERROR_WAS_STILL_DRAWING
#define DXGI_ERROR_WAS_STILL_DRAWING ((HRESULT)0x887A000AL)
#endif
#ifndef DXGI_ERROR_NONEXCLUSIVE
#define DXGI_ERROR_NONEXCLUSIVE ((HRESULT)0x887A0021L)
#endif
#ifndef DXGI_ERROR_NOT_CURRENTLY_AVAILABLE
#define DXGI_ERROR_NOT_CURRENTLY_AVAILABLE ((HRESULT)0x887A0022L)
#endif
#ifndef DXGI_ERROR_ACCESS_DENIED
#define DXGI_ERROR_ACCESS_DENIED ((HRESULT)0x887A002BL)
#endif
#ifndef DXGI_ERROR_NAME_ALREADY_EXISTS
#define DXGI_ERROR_NAME_ALREADY_EXISTS ((HRESULT)0x887A002CL)
#endif
// The debug layer was asked for and is not there.
#ifndef DXGI_ERROR_SDK_COMPONENT_MISSING
#define DXGI_ERROR_SDK_COMPONENT_MISSING ((HRESULT)0x887A002DL)
#endif

#ifndef DML_DECLARE_INTERFACE
#define DML_DECLARE_INTERFACE(iid) DECLSPEC_UUID(iid) DECLSPEC_NOVTABLE
#endif

// ---- Target version ---------------------------------------------------------------------------

#ifndef DML_TARGET_VERSION
#if !defined(NTDDI_VERSION) || defined(DML_TARGET_VERSION_USE_LATEST)
#define DML_TARGET_VERSION 0x6400
#elif defined(NTDDI_WIN10_ZN) && NTDDI_VERSION >= NTDDI_WIN10_ZN
#define DML_TARGET_VERSION 0x6000
#elif defined(NTDDI_WIN10_NI) && NTDDI_VERSION >= NTDDI_WIN10_NI
#define DML_TARGET_VERSION 0x5000
#elif defined(NTDDI_WIN10_CO) && NTDDI_VERSION >= NTDDI_WIN10_CO
#define DML_TARGET_VERSION 0x4000
#elif defined(NTDDI_WIN10_FE) && NTDDI_VERSION >= NTDDI_WIN10_FE
#define DML_TARGET_VERSION 0x3000
#elif defined(NTDDI_WIN10_VB) && NTDDI_VERSION >= NTDDI_WIN10_VB
#define DML_TARGET_VERSION 0x2000
#else
#define DML_TARGET_VERSION 0x1000
#endif
#endif  // DML_TARGET_VERSION

// ---- Limits -----------------------------------------------------------------------------------

// Dimensions of a tensor: up to 5 at feature levels 1 and 2, up to 8 since 3.0.
static const UINT DML_TENSOR_DIMENSION_COUNT_MAX = 5;
#if DML_TARGET_VERSION >= 0x3000
static const UINT DML_TENSOR_DIMENSION_COUNT_MAX1 = 8;
#endif

// Offsets into buffers must be multiples of these, in bytes: of a tensor, and of the temporary and
// persistent resources.
static const UINT DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT = 16;
static const UINT DML_TEMPORARY_BUFFER_ALIGNMENT = 256;
static const UINT DML_PERSISTENT_BUFFER_ALIGNMENT = 256;

interface IDMLObject;
interface IDMLDevice;
interface IDMLDeviceChild;
interface IDMLPageable;
interface IDMLDispatchable;
interface IDMLOperator;
interface IDMLCompiledOperator;
interface IDMLOperatorInitializer;
interface IDMLBindingTable;
interface IDMLCommandRecorder;

// ---- Tensors ----------------------------------------------------------------------------------

// The type of a tensor's elements.
enum DML_TENSOR_DATA_TYPE {
  DML_TENSOR_DATA_TYPE_UNKNOWN = 0,
  DML_TENSOR_DATA_TYPE_FLOAT32 = 1,
  DML_TENSOR_DATA_TYPE_FLOAT16 = 2,
  DML_TENSOR_DATA_TYPE_UINT32 = 3,
  DML_TENSOR_DATA_TYPE_UINT16 = 4,
  DML_TENSOR_DATA_TYPE_UINT8 = 5,
  DML_TENSOR_DATA_TYPE_INT32 = 6,
  DML_TENSOR_DATA_TYPE_INT16 = 7,
  DML_TENSOR_DATA_TYPE_INT8 = 8,
  DML_TENSOR_DATA_TYPE_FLOAT64 = 9,
  DML_TENSOR_DATA_TYPE_UINT64 = 10,
  DML_TENSOR_DATA_TYPE_INT64 = 11,
#if DML_TARGET_VERSION >= 0x6300
  DML_TENSOR_DATA_TYPE_UINT4 = 12,
  DML_TENSOR_DATA_TYPE_INT4 = 13,
#endif
};

// Where a tensor lies. Buffers are all there is.
enum DML_TENSOR_TYPE {
  DML_TENSOR_TYPE_INVALID = 0,
  DML_TENSOR_TYPE_BUFFER = 1,
};

enum DML_TENSOR_FLAGS {
  DML_TENSOR_FLAG_NONE = 0,
  DML_TENSOR_FLAG_OWNED_BY_DML = 1,  // bound once, to the initializer, which keeps a copy
};
DEFINE_ENUM_FLAG_OPERATORS(DML_TENSOR_FLAGS)

// A tensor in a buffer. Sizes run from the slowest dimension to the fastest: {N, C, H, W}.
//
// The element at a coordinate lies dot(coordinate, Strides) elements after the tensor's first.
// Without Strides the tensor is packed: the last dimension is contiguous. A stride of 0 repeats its
// dimension (inputs only).
//
// TotalTensorSizeInBytes: at least up to the last element, rounded up to a multiple of 4.
// GuaranteedBaseOffsetAlignment: 0, or a power of two that divides every offset the tensor will be
// bound at.
struct DML_BUFFER_TENSOR_DESC {
  DML_TENSOR_DATA_TYPE DataType;
  DML_TENSOR_FLAGS Flags;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Sizes;
  _Field_size_opt_(DimensionCount) const UINT* Strides;
  UINT64 TotalTensorSizeInBytes;
  UINT GuaranteedBaseOffsetAlignment;
};

// Any tensor: Desc points to a DML_BUFFER_TENSOR_DESC.
struct DML_TENSOR_DESC {
  DML_TENSOR_TYPE Type;
  _Field_size_(_Inexpressible_("depends on the tensor type")) const void* Desc;
};

// x * Scale + Bias.
struct DML_SCALE_BIAS {
  FLOAT Scale;
  FLOAT Bias;
};

// Mind the order: width first.
struct DML_SIZE_2D {
  UINT Width;
  UINT Height;
};

#if DML_TARGET_VERSION >= 0x2100

// One value of a type that another member names.
union DML_SCALAR_UNION {
  BYTE Bytes[8];
  INT8 Int8;
  UINT8 UInt8;
  INT16 Int16;
  UINT16 UInt16;
  INT32 Int32;
  UINT32 UInt32;
  INT64 Int64;
  UINT64 UInt64;
  FLOAT Float32;
  DOUBLE Float64;
};

#endif  // DML_TARGET_VERSION >= 0x2100

// ---- Operator types ---------------------------------------------------------------------------

// Each value DML_OPERATOR_<X> has its desc, DML_<X>_OPERATOR_DESC, below.
enum DML_OPERATOR_TYPE {
  DML_OPERATOR_INVALID = 0,
  DML_OPERATOR_ELEMENT_WISE_IDENTITY = 1,
  DML_OPERATOR_ELEMENT_WISE_ABS = 2,
  DML_OPERATOR_ELEMENT_WISE_ACOS = 3,
  DML_OPERATOR_ELEMENT_WISE_ADD = 4,
  DML_OPERATOR_ELEMENT_WISE_ASIN = 5,
  DML_OPERATOR_ELEMENT_WISE_ATAN = 6,
  DML_OPERATOR_ELEMENT_WISE_CEIL = 7,
  DML_OPERATOR_ELEMENT_WISE_CLIP = 8,
  DML_OPERATOR_ELEMENT_WISE_COS = 9,
  DML_OPERATOR_ELEMENT_WISE_DIVIDE = 10,
  DML_OPERATOR_ELEMENT_WISE_EXP = 11,
  DML_OPERATOR_ELEMENT_WISE_FLOOR = 12,
  DML_OPERATOR_ELEMENT_WISE_LOG = 13,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND = 14,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS = 15,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN = 16,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN = 17,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT = 18,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR = 19,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR = 20,
  DML_OPERATOR_ELEMENT_WISE_MAX = 21,
  DML_OPERATOR_ELEMENT_WISE_MEAN = 22,
  DML_OPERATOR_ELEMENT_WISE_MIN = 23,
  DML_OPERATOR_ELEMENT_WISE_MULTIPLY = 24,
  DML_OPERATOR_ELEMENT_WISE_POW = 25,
  DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW = 26,
  DML_OPERATOR_ELEMENT_WISE_RECIP = 27,
  DML_OPERATOR_ELEMENT_WISE_SIN = 28,
  DML_OPERATOR_ELEMENT_WISE_SQRT = 29,
  DML_OPERATOR_ELEMENT_WISE_SUBTRACT = 30,
  DML_OPERATOR_ELEMENT_WISE_TAN = 31,
  DML_OPERATOR_ELEMENT_WISE_THRESHOLD = 32,
  DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR = 33,
  DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR = 34,
  DML_OPERATOR_ACTIVATION_ELU = 35,
  DML_OPERATOR_ACTIVATION_HARDMAX = 36,
  DML_OPERATOR_ACTIVATION_HARD_SIGMOID = 37,
  DML_OPERATOR_ACTIVATION_IDENTITY = 38,
  DML_OPERATOR_ACTIVATION_LEAKY_RELU = 39,
  DML_OPERATOR_ACTIVATION_LINEAR = 40,
  DML_OPERATOR_ACTIVATION_LOG_SOFTMAX = 41,
  DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU = 42,
  DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS = 43,
  DML_OPERATOR_ACTIVATION_RELU = 44,
  DML_OPERATOR_ACTIVATION_SCALED_ELU = 45,
  DML_OPERATOR_ACTIVATION_SCALED_TANH = 46,
  DML_OPERATOR_ACTIVATION_SIGMOID = 47,
  DML_OPERATOR_ACTIVATION_SOFTMAX = 48,
  DML_OPERATOR_ACTIVATION_SOFTPLUS = 49,
  DML_OPERATOR_ACTIVATION_SOFTSIGN = 50,
  DML_OPERATOR_ACTIVATION_TANH = 51,
  DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU = 52,
  DML_OPERATOR_CONVOLUTION = 53,
  DML_OPERATOR_GEMM = 54,
  DML_OPERATOR_REDUCE = 55,
  DML_OPERATOR_AVERAGE_POOLING = 56,
  DML_OPERATOR_LP_POOLING = 57,
  DML_OPERATOR_MAX_POOLING = 58,
  DML_OPERATOR_ROI_POOLING = 59,
  DML_OPERATOR_SLICE = 60,
  DML_OPERATOR_CAST = 61,
  DML_OPERATOR_SPLIT = 62,
  DML_OPERATOR_JOIN = 63,
  DML_OPERATOR_PADDING = 64,
  DML_OPERATOR_VALUE_SCALE_2D = 65,
  DML_OPERATOR_UPSAMPLE_2D = 66,
  DML_OPERATOR_GATHER = 67,
  DML_OPERATOR_SPACE_TO_DEPTH = 68,
  DML_OPERATOR_DEPTH_TO_SPACE = 69,
  DML_OPERATOR_TILE = 70,
  DML_OPERATOR_TOP_K = 71,
  DML_OPERATOR_BATCH_NORMALIZATION = 72,
  DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION = 73,
  DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION = 74,
  DML_OPERATOR_LP_NORMALIZATION = 75,
  DML_OPERATOR_RNN = 76,
  DML_OPERATOR_LSTM = 77,
  DML_OPERATOR_GRU = 78,
#if DML_TARGET_VERSION >= 0x2000
  DML_OPERATOR_ELEMENT_WISE_SIGN = 79,
  DML_OPERATOR_ELEMENT_WISE_IS_NAN = 80,
  DML_OPERATOR_ELEMENT_WISE_ERF = 81,
  DML_OPERATOR_ELEMENT_WISE_SINH = 82,
  DML_OPERATOR_ELEMENT_WISE_COSH = 83,
  DML_OPERATOR_ELEMENT_WISE_TANH = 84,
  DML_OPERATOR_ELEMENT_WISE_ASINH = 85,
  DML_OPERATOR_ELEMENT_WISE_ACOSH = 86,
  DML_OPERATOR_ELEMENT_WISE_ATANH = 87,
  DML_OPERATOR_ELEMENT_WISE_IF = 88,
  DML_OPERATOR_ELEMENT_WISE_ADD1 = 89,
  DML_OPERATOR_ACTIVATION_SHRINK = 90,
  DML_OPERATOR_MAX_POOLING1 = 91,
  DML_OPERATOR_MAX_UNPOOLING = 92,
  DML_OPERATOR_DIAGONAL_MATRIX = 93,
  DML_OPERATOR_SCATTER_ELEMENTS = 94,
  DML_OPERATOR_SCATTER = DML_OPERATOR_SCATTER_ELEMENTS,
  DML_OPERATOR_ONE_HOT = 95,
  DML_OPERATOR_RESAMPLE = 96,
#endif
#if DML_TARGET_VERSION >= 0x2100
  DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT = 97,
  DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT = 98,
  DML_OPERATOR_ELEMENT_WISE_ROUND = 99,
  DML_OPERATOR_ELEMENT_WISE_IS_INFINITY = 100,
  DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE = 101,
  DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR = 102,
  DML_OPERATOR_FILL_VALUE_CONSTANT = 103,
  DML_OPERATOR_FILL_VALUE_SEQUENCE = 104,
  DML_OPERATOR_CUMULATIVE_SUMMATION = 105,
  DML_OPERATOR_REVERSE_SUBSEQUENCES = 106,
  DML_OPERATOR_GATHER_ELEMENTS = 107,
  DML_OPERATOR_GATHER_ND = 108,
  DML_OPERATOR_SCATTER_ND = 109,
  DML_OPERATOR_MAX_POOLING2 = 110,
  DML_OPERATOR_SLICE1 = 111,
  DML_OPERATOR_TOP_K1 = 112,
  DML_OPERATOR_DEPTH_TO_SPACE1 = 113,
  DML_OPERATOR_SPACE_TO_DEPTH1 = 114,
  DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1 = 115,
  DML_OPERATOR_RESAMPLE1 = 116,
  DML_OPERATOR_MATRIX_MULTIPLY_INTEGER = 117,
  DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY = 118,
  DML_OPERATOR_CONVOLUTION_INTEGER = 119,
  DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION = 120,
#endif
#if DML_TARGET_VERSION >= 0x3000
  DML_OPERATOR_ELEMENT_WISE_BIT_AND = 121,
  DML_OPERATOR_ELEMENT_WISE_BIT_OR = 122,
  DML_OPERATOR_ELEMENT_WISE_BIT_XOR = 123,
  DML_OPERATOR_ELEMENT_WISE_BIT_NOT = 124,
  DML_OPERATOR_ELEMENT_WISE_BIT_COUNT = 125,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL = 126,
  DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL = 127,
  DML_OPERATOR_ACTIVATION_CELU = 128,
  DML_OPERATOR_ACTIVATION_RELU_GRAD = 129,
  DML_OPERATOR_AVERAGE_POOLING_GRAD = 130,
  DML_OPERATOR_MAX_POOLING_GRAD = 131,
  DML_OPERATOR_RANDOM_GENERATOR = 132,
  DML_OPERATOR_NONZERO_COORDINATES = 133,
  DML_OPERATOR_RESAMPLE_GRAD = 134,
  DML_OPERATOR_SLICE_GRAD = 135,
  DML_OPERATOR_ADAM_OPTIMIZER = 136,
  DML_OPERATOR_ARGMIN = 137,
  DML_OPERATOR_ARGMAX = 138,
  DML_OPERATOR_ROI_ALIGN = 139,
  DML_OPERATOR_GATHER_ND1 = 140,
#endif
#if DML_TARGET_VERSION >= 0x3100
  DML_OPERATOR_ELEMENT_WISE_ATAN_YX = 141,
  DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD = 142,
  DML_OPERATOR_ELEMENT_WISE_DIFFERENCE_SQUARE = 143,
  DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD = 144,
  DML_OPERATOR_CUMULATIVE_PRODUCT = 145,
  DML_OPERATOR_BATCH_NORMALIZATION_GRAD = 146,
#endif
#if DML_TARGET_VERSION >= 0x4000
  DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD = 147,
  DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR = 148,
  DML_OPERATOR_ROI_ALIGN1 = 149,
#endif
#if DML_TARGET_VERSION >= 0x4100
  DML_OPERATOR_ROI_ALIGN_GRAD = 150,
  DML_OPERATOR_BATCH_NORMALIZATION_TRAINING = 151,
  DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD = 152,
#endif
#if DML_TARGET_VERSION >= 0x5000
  DML_OPERATOR_ELEMENT_WISE_CLIP1 = 153,
  DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1 = 154,
  DML_OPERATOR_PADDING1 = 155,
  DML_OPERATOR_ELEMENT_WISE_NEGATE = 156,
#endif
#if DML_TARGET_VERSION >= 0x5100
  DML_OPERATOR_ACTIVATION_GELU = 157,
  DML_OPERATOR_ACTIVATION_SOFTMAX1 = 158,
  DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1 = 159,
  DML_OPERATOR_ACTIVATION_HARDMAX1 = 160,
  DML_OPERATOR_RESAMPLE2 = 161,
  DML_OPERATOR_RESAMPLE_GRAD1 = 162,
  DML_OPERATOR_DIAGONAL_MATRIX1 = 163,
#endif
#if DML_TARGET_VERSION >= 0x6100
  DML_OPERATOR_MULTIHEAD_ATTENTION = 164,
#endif
#if DML_TARGET_VERSION >= 0x6200
  DML_OPERATOR_LP_POOLING1 = 165,
  DML_OPERATOR_AVERAGE_POOLING1 = 166,
  DML_OPERATOR_ACTIVATION_SWISH = 167,
  DML_OPERATOR_ACTIVATION_HARD_SWISH = 168,
  DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING = 169,
  DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT = 170,
#endif
#if DML_TARGET_VERSION >= 0x6300
  DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2 = 171,
  DML_OPERATOR_MULTIHEAD_ATTENTION1 = 172,
  DML_OPERATOR_QUANTIZE = 173,
  DML_OPERATOR_DEQUANTIZE = 174,
#endif
#if DML_TARGET_VERSION >= 0x6400
  DML_OPERATOR_RESAMPLE3 = 175,
  DML_OPERATOR_FOLD = 176,
  DML_OPERATOR_UNFOLD = 177,
#endif
};

// Any operator: Desc points to the desc that belongs to Type.
struct DML_OPERATOR_DESC {
  DML_OPERATOR_TYPE Type;
  _Field_size_(_Inexpressible_("depends on the operator type")) const void* Desc;
};

// ---- Words of the operator descs --------------------------------------------------------------

// Whether the filter is turned by 180 degrees first. Most frameworks do not: CROSS_CORRELATION.
enum DML_CONVOLUTION_MODE {
  DML_CONVOLUTION_MODE_CONVOLUTION = 0,
  DML_CONVOLUTION_MODE_CROSS_CORRELATION = 1,
};

// BACKWARD is the gradient for the input, also known as transposed convolution.
enum DML_CONVOLUTION_DIRECTION {
  DML_CONVOLUTION_DIRECTION_FORWARD = 0,
  DML_CONVOLUTION_DIRECTION_BACKWARD = 1,
};

enum DML_INTERPOLATION_MODE {
  DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR = 0,
  DML_INTERPOLATION_MODE_LINEAR = 1,
};

// What lies outside, for a row 1 2 3:
enum DML_PADDING_MODE {
  DML_PADDING_MODE_CONSTANT = 0,    // 0 0 0 | 1 2 3 | 0 0 0
  DML_PADDING_MODE_EDGE = 1,        // 1 1 1 | 1 2 3 | 3 3 3
  DML_PADDING_MODE_REFLECTION = 2,  // 3 2 | 1 2 3 | 2 1
#if DML_TARGET_VERSION >= 0x3000
  DML_PADDING_MODE_SYMMETRIC = 3,  // 3 2 1 | 1 2 3 | 3 2 1
#endif
#if DML_TARGET_VERSION >= 0x6400
  DML_PADDING_MODE_WRAP = 4,  // 1 2 3 | 1 2 3 | 1 2 3
#endif
};

enum DML_REDUCE_FUNCTION {
  DML_REDUCE_FUNCTION_ARGMAX = 0,  // index of the largest
  DML_REDUCE_FUNCTION_ARGMIN = 1,  // index of the smallest
  DML_REDUCE_FUNCTION_AVERAGE = 2,
  DML_REDUCE_FUNCTION_L1 = 3,           // sum of |x|
  DML_REDUCE_FUNCTION_L2 = 4,           // square root of the sum of squares
  DML_REDUCE_FUNCTION_LOG_SUM = 5,      // ln(sum of x)
  DML_REDUCE_FUNCTION_LOG_SUM_EXP = 6,  // ln(sum of exp(x))
  DML_REDUCE_FUNCTION_MAX = 7,
  DML_REDUCE_FUNCTION_MIN = 8,
  DML_REDUCE_FUNCTION_MULTIPLY = 9,
  DML_REDUCE_FUNCTION_SUM = 10,
  DML_REDUCE_FUNCTION_SUM_SQUARE = 11,
};

enum DML_MATRIX_TRANSFORM {
  DML_MATRIX_TRANSFORM_NONE = 0,
  DML_MATRIX_TRANSFORM_TRANSPOSE = 1,
};

// Which way a sequence is walked; BIDIRECTIONAL gives both results, forward first.
enum DML_RECURRENT_NETWORK_DIRECTION {
  DML_RECURRENT_NETWORK_DIRECTION_FORWARD = 0,
  DML_RECURRENT_NETWORK_DIRECTION_BACKWARD = 1,
  DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL = 2,
};

#if DML_TARGET_VERSION >= 0x2100

// Which end of an axis comes first; also which way a coordinate is rounded, and which of several
// equal elements is taken.
enum DML_AXIS_DIRECTION {
  DML_AXIS_DIRECTION_INCREASING = 0,
  DML_AXIS_DIRECTION_DECREASING = 1,
};

enum DML_ROUNDING_MODE {
  DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN = 0,
  DML_ROUNDING_MODE_TOWARD_ZERO = 1,
  DML_ROUNDING_MODE_TOWARD_INFINITY = 2,
};

// Which infinities count.
enum DML_IS_INFINITY_MODE {
  DML_IS_INFINITY_MODE_EITHER = 0,
  DML_IS_INFINITY_MODE_POSITIVE = 1,
  DML_IS_INFINITY_MODE_NEGATIVE = 2,
};

// How a channel index is taken apart.
enum DML_DEPTH_SPACE_ORDER {
  DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW = 0,
  DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH = 1,
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

enum DML_RANDOM_GENERATOR_TYPE {
  DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10 = 0,
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x6100

// What MaskTensor holds.
enum DML_MULTIHEAD_ATTENTION_MASK_TYPE {
  DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE = 0,
  DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH = 1,
  DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START = 2,
  DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END = 3,
  DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN = 4,
};

#endif  // DML_TARGET_VERSION >= 0x6100

#if DML_TARGET_VERSION >= 0x6300

// Which tensors accompany a quantized one: none, its scale, its scale and zero point.
enum DML_QUANTIZATION_TYPE {
  DML_QUANTIZATION_TYPE_NONE = 0,
  DML_QUANTIZATION_TYPE_SCALE = 1,
  DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT = 2,
};

#endif  // DML_TARGET_VERSION >= 0x6300

// ---- Convolution ------------------------------------------------------------------------------

// Slides a filter over the input, or the other way around (BACKWARD).
//
// FORWARD: out(n, k, i) = sum over c, w of in(n, c, i * Strides + w * Dilations - StartPadding) *
// filter(k, c, w), then bias, then FusedActivation.
//
// InputTensor {N, C, spatial...}, FilterTensor {K, C / GroupCount, window...}, BiasTensor {1, K,
// 1...}, OutputTensor {N, K, spatial...}; FORWARD's filter serves BACKWARD unchanged: there the
// input has K channels and the output C. DimensionCount counts the spatial dimensions.
//
// Output sizes, FORWARD: (In + StartPadding + EndPadding - Dilations * (Window - 1) - 1) / Strides
// + 1, rounded down. BACKWARD: paddings crop. OutputPadding extends the end of the result.
struct DML_CONVOLUTION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* FilterTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_CONVOLUTION_MODE Mode;
  DML_CONVOLUTION_DIRECTION Direction;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* Dilations;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  _Field_size_(DimensionCount) const UINT* OutputPadding;
  UINT GroupCount;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

#if DML_TARGET_VERSION >= 0x2100

// Convolution of 8-bit integers, exact in 32 bits; zero points are subtracted first.
struct DML_CONVOLUTION_INTEGER_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  _Maybenull_ const DML_TENSOR_DESC* InputZeroPointTensor;
  const DML_TENSOR_DESC* FilterTensor;
  _Maybenull_ const DML_TENSOR_DESC* FilterZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* Dilations;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  UINT GroupCount;
};

// Convolution of dequantized tensors, result quantized again.
struct DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* InputZeroPointTensor;
  const DML_TENSOR_DESC* FilterTensor;
  const DML_TENSOR_DESC* FilterScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* FilterZeroPointTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* Dilations;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  UINT GroupCount;
};

#endif  // DML_TARGET_VERSION >= 0x2100

// ---- Windows and columns ----------------------------------------------------------------------

#if DML_TARGET_VERSION >= 0x6400

// Each window of the input becomes a column of the output: im2col.
//
// out(n, c * W + w, b) = in(n, c, b * Strides + w * Dilations - StartPadding), 0 outside.
//
// InputTensor (N, C, spatial...), OutputTensor (N, C * W, B): W is the product of WindowSizes, B
// the number of windows. DimensionCount counts the spatial dimensions, 1 to 6.
struct DML_UNFOLD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* WindowSizes;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* Dilations;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
};

// The reverse of UNFOLD: adds each column into the window it stands for: col2im. Paddings are those
// of the output; what falls into them is dropped. InputTensor (N, C * W, B), OutputTensor (N, C,
// spatial...).
struct DML_FOLD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* WindowSizes;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* Dilations;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
};

#endif  // DML_TARGET_VERSION >= 0x6400

// ---- Resampling -------------------------------------------------------------------------------

// Enlarges height and width by whole factors.
struct DML_UPSAMPLE_2D_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_SIZE_2D ScaleSize;
  DML_INTERPOLATION_MODE InterpolationMode;
};

#if DML_TARGET_VERSION >= 0x2000

// RESAMPLE1 with pixel centres at one half: InputPixelOffsets 0.5, OutputPixelOffsets -0.5.
struct DML_RESAMPLE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_INTERPOLATION_MODE InterpolationMode;
  UINT ScaleCount;
  _Field_size_(ScaleCount) const FLOAT* Scales;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x2100

// Scales every dimension by a factor of its own. An element of the output at coordinate out is
// taken from the input at
//   in = (out - OutputPixelOffsets) / Scales - InputPixelOffsets
// clamped to the input: the nearest element (halves up), or a blend of the neighbours.
struct DML_RESAMPLE1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_INTERPOLATION_MODE InterpolationMode;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const FLOAT* Scales;
  _Field_size_(DimensionCount) const FLOAT* InputPixelOffsets;
  _Field_size_(DimensionCount) const FLOAT* OutputPixelOffsets;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

// The gradient of RESAMPLE1 for its input.
struct DML_RESAMPLE_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  DML_INTERPOLATION_MODE InterpolationMode;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const FLOAT* Scales;
  _Field_size_(DimensionCount) const FLOAT* InputPixelOffsets;
  _Field_size_(DimensionCount) const FLOAT* OutputPixelOffsets;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x5100

// RESAMPLE1, but NEAREST_NEIGHBOR rounds the coordinate down (DECREASING) or up (INCREASING).
struct DML_RESAMPLE2_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_INTERPOLATION_MODE InterpolationMode;
  DML_AXIS_DIRECTION RoundingDirection;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const FLOAT* Scales;
  _Field_size_(DimensionCount) const FLOAT* InputPixelOffsets;
  _Field_size_(DimensionCount) const FLOAT* OutputPixelOffsets;
};

// The gradient of RESAMPLE2 for its input.
struct DML_RESAMPLE_GRAD1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  DML_INTERPOLATION_MODE InterpolationMode;
  DML_AXIS_DIRECTION RoundingDirection;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const FLOAT* Scales;
  _Field_size_(DimensionCount) const FLOAT* InputPixelOffsets;
  _Field_size_(DimensionCount) const FLOAT* OutputPixelOffsets;
};

#endif  // DML_TARGET_VERSION >= 0x5100

#if DML_TARGET_VERSION >= 0x6400

// RESAMPLE2; with Antialiased, LINEAR blends all the elements that a shrunk one stands for.
struct DML_RESAMPLE3_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_INTERPOLATION_MODE InterpolationMode;
  DML_AXIS_DIRECTION RoundingDirection;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const FLOAT* Scales;
  _Field_size_(DimensionCount) const FLOAT* InputPixelOffsets;
  _Field_size_(DimensionCount) const FLOAT* OutputPixelOffsets;
  BOOL Antialiased;
};

#endif  // DML_TARGET_VERSION >= 0x6400

// ---- Activations ------------------------------------------------------------------------------

// x >= 0 ? x : Alpha * (exp(x) - 1)
struct DML_ACTIVATION_ELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
};

// 1 at the first largest element of each row, 0 elsewhere; a row is the last dimension.
struct DML_ACTIVATION_HARDMAX_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// max(0, min(Alpha * x + Beta, 1))
struct DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
  FLOAT Beta;
};

// x
struct DML_ACTIVATION_IDENTITY_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// x >= 0 ? x : Alpha * x
struct DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
};

// Alpha * x + Beta
struct DML_ACTIVATION_LINEAR_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
  FLOAT Beta;
};

// ln(exp(x) / sum of exp(x)), over each row
struct DML_ACTIVATION_LOG_SOFTMAX_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// x >= 0 ? x : slope * x
struct DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* SlopeTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// Alpha * ln(1 + exp(Beta * x))
struct DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
  FLOAT Beta;
};

// max(0, x)
struct DML_ACTIVATION_RELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// x > 0 ? Gamma * x : Gamma * (Alpha * exp(x) - Alpha)
struct DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
  FLOAT Gamma;
};

// Alpha * tanh(Beta * x)
struct DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
  FLOAT Beta;
};

// 1 / (1 + exp(-x))
struct DML_ACTIVATION_SIGMOID_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// exp(x) / sum of exp(x), over each row
struct DML_ACTIVATION_SOFTMAX_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// ln(1 + exp(Steepness * x)) / Steepness
struct DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Steepness;
};

// x / (1 + |x|)
struct DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// tanh(x)
struct DML_ACTIVATION_TANH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// x > Alpha ? x : 0
struct DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
};

#if DML_TARGET_VERSION >= 0x2000

// x > Threshold ? x - Bias : x < -Threshold ? x + Bias : 0
struct DML_ACTIVATION_SHRINK_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Bias;
  FLOAT Threshold;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x3000

// max(0, x) + min(0, Alpha * (exp(x / Alpha) - 1))
struct DML_ACTIVATION_CELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
};

// x > 0 ? gradient : 0
struct DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x5100

// x / 2 * (1 + erf(x / sqrt(2)))
struct DML_ACTIVATION_GELU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// SOFTMAX over the listed Axes together.
struct DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
};

// LOG_SOFTMAX over the listed Axes together.
struct DML_ACTIVATION_LOG_SOFTMAX1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
};

// HARDMAX over the listed Axes together.
struct DML_ACTIVATION_HARDMAX1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
};

#endif  // DML_TARGET_VERSION >= 0x5100

#if DML_TARGET_VERSION >= 0x6200

// x / (1 + exp(-SigmoidInputScale * x))
struct DML_ACTIVATION_SWISH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT SigmoidInputScale;
};

// x * max(0, min(Alpha * x + Beta, 1))
struct DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Alpha;
  FLOAT Beta;
};

#endif  // DML_TARGET_VERSION >= 0x6200

// ---- Element by element, one tensor -----------------------------------------------------------

// x; also the way to copy a tensor into another layout.
struct DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// |x|
struct DML_ELEMENT_WISE_ABS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// acos(x)
struct DML_ELEMENT_WISE_ACOS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// asin(x)
struct DML_ELEMENT_WISE_ASIN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// atan(x)
struct DML_ELEMENT_WISE_ATAN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// ceil(x)
struct DML_ELEMENT_WISE_CEIL_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// max(Min, min(x, Max))
struct DML_ELEMENT_WISE_CLIP_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
  FLOAT Min;
  FLOAT Max;
};

// cos(x)
struct DML_ELEMENT_WISE_COS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// exp(x)
struct DML_ELEMENT_WISE_EXP_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// floor(x)
struct DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// ln(x)
struct DML_ELEMENT_WISE_LOG_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// x to the power of Exponent
struct DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
  FLOAT Exponent;
};

// 1 / x
struct DML_ELEMENT_WISE_RECIP_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// sin(x)
struct DML_ELEMENT_WISE_SIN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// square root of x
struct DML_ELEMENT_WISE_SQRT_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// tan(x)
struct DML_ELEMENT_WISE_TAN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// max(x, Min)
struct DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
  FLOAT Min;
};

// !x
struct DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#if DML_TARGET_VERSION >= 0x2000

// -1, 0 or 1
struct DML_ELEMENT_WISE_SIGN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// x is not a number
struct DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// erf(x)
struct DML_ELEMENT_WISE_ERF_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// sinh(x)
struct DML_ELEMENT_WISE_SINH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// cosh(x)
struct DML_ELEMENT_WISE_COSH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// tanh(x)
struct DML_ELEMENT_WISE_TANH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// asinh(x)
struct DML_ELEMENT_WISE_ASINH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// acosh(x)
struct DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// atanh(x)
struct DML_ELEMENT_WISE_ATANH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x2100

// x rounded to a whole number
struct DML_ELEMENT_WISE_ROUND_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_ROUNDING_MODE RoundingMode;
};

// x is infinite
struct DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_IS_INFINITY_MODE InfinityMode;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

// ~x
struct DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// how many bits of x are 1
struct DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x3100

// Min < x && x < Max ? gradient : 0
struct DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  FLOAT Min;
  FLOAT Max;
};

#endif  // DML_TARGET_VERSION >= 0x3100

#if DML_TARGET_VERSION >= 0x5000

// CLIP with bounds of the type MinMaxDataType.
struct DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
  DML_TENSOR_DATA_TYPE MinMaxDataType;
  DML_SCALAR_UNION Min;
  DML_SCALAR_UNION Max;
};

// CLIP_GRAD with bounds of the type MinMaxDataType.
struct DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  DML_TENSOR_DATA_TYPE MinMaxDataType;
  DML_SCALAR_UNION Min;
  DML_SCALAR_UNION Max;
};

// -x
struct DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x5000

// ---- Element by element, several tensors ------------------------------------------------------

// a + b
struct DML_ELEMENT_WISE_ADD_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a + b, then FusedActivation
struct DML_ELEMENT_WISE_ADD1_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

// a / b
struct DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a && b
struct DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a == b
struct DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a > b
struct DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a < b
struct DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a || b
struct DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// !a != !b
struct DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// max(a, b)
struct DML_ELEMENT_WISE_MAX_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// (a + b) / 2
struct DML_ELEMENT_WISE_MEAN_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// min(a, b)
struct DML_ELEMENT_WISE_MIN_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a * b
struct DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// x to the power of the element of ExponentTensor
struct DML_ELEMENT_WISE_POW_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ExponentTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_SCALE_BIAS* ScaleBias;
};

// a - b
struct DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#if DML_TARGET_VERSION >= 0x2000

// condition ? a : b
struct DML_ELEMENT_WISE_IF_OPERATOR_DESC {
  const DML_TENSOR_DESC* ConditionTensor;
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x2100

// a << b
struct DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a >> b
struct DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a - b * trunc(a / b)
struct DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a - b * floor(a / b)
struct DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

// a & b
struct DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a | b
struct DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a ^ b
struct DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a >= b
struct DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// a <= b
struct DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x3100

// atan2(a, b)
struct DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// (a - b) squared
struct DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x3100

// ---- Quantization -----------------------------------------------------------------------------

// round(x / scale) + zero point, clamped to the output's type
struct DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* ZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// (x - zero point) * scale
struct DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* ZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#if DML_TARGET_VERSION >= 0x4000

// a + b of dequantized tensors, quantized again
struct DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* AScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* AZeroPointTensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* BScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* BZeroPointTensor;
  const DML_TENSOR_DESC* OutputScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// Quantizes to 8 bits with a scale and zero point found from the values, and gives these out.
struct DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  const DML_TENSOR_DESC* OutputScaleTensor;
  const DML_TENSOR_DESC* OutputZeroPointTensor;
};

#endif  // DML_TARGET_VERSION >= 0x4000

#if DML_TARGET_VERSION >= 0x6300

// QUANTIZE_LINEAR, also in blocks and to 4 bits; the list holds scale and zero point.
struct DML_QUANTIZE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  DML_QUANTIZATION_TYPE QuantizationType;
  UINT QuantizationTensorCount;
  _Field_size_(QuantizationTensorCount) const DML_TENSOR_DESC* QuantizationTensors;
  const DML_TENSOR_DESC* OutputTensor;
};

// The reverse of QUANTIZE.
struct DML_DEQUANTIZE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  DML_QUANTIZATION_TYPE QuantizationType;
  UINT QuantizationTensorCount;
  _Field_size_(QuantizationTensorCount) const DML_TENSOR_DESC* QuantizationTensors;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x6300

// ---- Matrices and attention -------------------------------------------------------------------

// Alpha * TransA(A) * TransB(B) + Beta * C, over the last two dimensions.
struct DML_GEMM_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* BTensor;
  _Maybenull_ const DML_TENSOR_DESC* CTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_MATRIX_TRANSFORM TransA;
  DML_MATRIX_TRANSFORM TransB;
  FLOAT Alpha;
  FLOAT Beta;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

#if DML_TARGET_VERSION >= 0x2000

// Value on the diagonal that lies Offset columns right of the main one, 0 elsewhere.
struct DML_DIAGONAL_MATRIX_OPERATOR_DESC {
  const DML_TENSOR_DESC* OutputTensor;
  INT Offset;
  FLOAT Value;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x2100

// Product of 8-bit matrices, exact in 32 bits; zero points are subtracted first.
struct DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  _Maybenull_ const DML_TENSOR_DESC* AZeroPointTensor;
  const DML_TENSOR_DESC* BTensor;
  _Maybenull_ const DML_TENSOR_DESC* BZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// Product of dequantized matrices, quantized again.
struct DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* AScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* AZeroPointTensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* BScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* BZeroPointTensor;
  const DML_TENSOR_DESC* OutputScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x5100

// InputTensor (or 0) with Value on diagonals DiagonalFillBegin to DiagonalFillEnd, without the
// last.
struct DML_DIAGONAL_MATRIX1_OPERATOR_DESC {
  _Maybenull_ const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_TENSOR_DATA_TYPE ValueDataType;
  DML_SCALAR_UNION Value;
  INT DiagonalFillBegin;
  INT DiagonalFillEnd;
};

#endif  // DML_TARGET_VERSION >= 0x5100

#if DML_TARGET_VERSION >= 0x6100

// softmax(Q * K^T * Scale + mask) * V for each head. Queries, keys and values come apart or stacked
// in one tensor; the Past and Present tensors carry keys and values from call to call.
struct DML_MULTIHEAD_ATTENTION_OPERATOR_DESC {
  _Maybenull_ const DML_TENSOR_DESC* QueryTensor;
  _Maybenull_ const DML_TENSOR_DESC* KeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* ValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* StackedQueryKeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* StackedKeyValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* StackedQueryKeyValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* MaskTensor;
  _Maybenull_ const DML_TENSOR_DESC* RelativePositionBiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* PastKeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* PastValueTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputPresentKeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputPresentValueTensor;
  FLOAT Scale;
  FLOAT MaskFilterValue;
  UINT HeadCount;
  DML_MULTIHEAD_ATTENTION_MASK_TYPE MaskType;
};

#endif  // DML_TARGET_VERSION >= 0x6100

#if DML_TARGET_VERSION >= 0x6200

// Product of 8-bit matrices, scaled to floating point, plus bias.
struct DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC {
  const DML_TENSOR_DESC* ATensor;
  const DML_TENSOR_DESC* AScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* AZeroPointTensor;
  const DML_TENSOR_DESC* BTensor;
  const DML_TENSOR_DESC* BScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* BZeroPointTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x6200

#if DML_TARGET_VERSION >= 0x6300

// MULTIHEAD_ATTENTION where several query heads may share one head of keys and values.
struct DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC {
  _Maybenull_ const DML_TENSOR_DESC* QueryTensor;
  _Maybenull_ const DML_TENSOR_DESC* KeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* ValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* StackedQueryKeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* StackedKeyValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* StackedQueryKeyValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* MaskTensor;
  _Maybenull_ const DML_TENSOR_DESC* RelativePositionBiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* PastKeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* PastValueTensor;
  _Maybenull_ const DML_TENSOR_DESC* PastSequenceLengthsTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputPresentKeyTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputPresentValueTensor;
  FLOAT Scale;
  FLOAT MaskFilterValue;
  UINT QueryHeadCount;
  UINT KeyValueHeadCount;
  DML_MULTIHEAD_ATTENTION_MASK_TYPE MaskType;
};

#endif  // DML_TARGET_VERSION >= 0x6300

// ---- Pooling ----------------------------------------------------------------------------------

// The mean of each window; with IncludePadding, zeros of the padding count.
struct DML_AVERAGE_POOLING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  BOOL IncludePadding;
};

// The P-norm of each window.
struct DML_LP_POOLING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  UINT P;
};

// The largest element of each window.
struct DML_MAX_POOLING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
};

// MAX_POOLING of each listed region of interest into PooledSize cells.
struct DML_ROI_POOLING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ROITensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT SpatialScale;
  DML_SIZE_2D PooledSize;
};

#if DML_TARGET_VERSION >= 0x2000

// MAX_POOLING that also tells where the largest was.
struct DML_MAX_POOLING1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputIndicesTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
};

// Puts each element back where MAX_POOLING1 found it; 0 elsewhere.
struct DML_MAX_UNPOOLING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x2100

// MAX_POOLING1 with dilated windows.
struct DML_MAX_POOLING2_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputIndicesTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  _Field_size_(DimensionCount) const UINT* Dilations;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

// The gradient of AVERAGE_POOLING for its input.
struct DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  BOOL IncludePadding;
};

// The gradient of MAX_POOLING2 for its input.
struct DML_MAX_POOLING_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  _Field_size_(DimensionCount) const UINT* Dilations;
};

// Pools each listed region from samples between the pixels.
struct DML_ROI_ALIGN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ROITensor;
  const DML_TENSOR_DESC* BatchIndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_REDUCE_FUNCTION ReductionFunction;
  DML_INTERPOLATION_MODE InterpolationMode;
  FLOAT SpatialScaleX;
  FLOAT SpatialScaleY;
  FLOAT OutOfBoundsInputValue;
  UINT MinimumSamplesPerOutput;
  UINT MaximumSamplesPerOutput;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x4000

// ROI_ALIGN with pixel offsets of the caller's choice.
struct DML_ROI_ALIGN1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ROITensor;
  const DML_TENSOR_DESC* BatchIndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_REDUCE_FUNCTION ReductionFunction;
  DML_INTERPOLATION_MODE InterpolationMode;
  FLOAT SpatialScaleX;
  FLOAT SpatialScaleY;
  FLOAT InputPixelOffset;
  FLOAT OutputPixelOffset;
  FLOAT OutOfBoundsInputValue;
  UINT MinimumSamplesPerOutput;
  UINT MaximumSamplesPerOutput;
  BOOL AlignRegionsToCorners;
};

#endif  // DML_TARGET_VERSION >= 0x4000

#if DML_TARGET_VERSION >= 0x4100

// The gradient of ROI_ALIGN1, for the image and for the regions.
struct DML_ROI_ALIGN_GRAD_OPERATOR_DESC {
  _Maybenull_ const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* ROITensor;
  const DML_TENSOR_DESC* BatchIndicesTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputGradientTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputROIGradientTensor;
  DML_REDUCE_FUNCTION ReductionFunction;
  DML_INTERPOLATION_MODE InterpolationMode;
  FLOAT SpatialScaleX;
  FLOAT SpatialScaleY;
  FLOAT InputPixelOffset;
  FLOAT OutputPixelOffset;
  UINT MinimumSamplesPerOutput;
  UINT MaximumSamplesPerOutput;
  BOOL AlignRegionsToCorners;
};

#endif  // DML_TARGET_VERSION >= 0x4100

#if DML_TARGET_VERSION >= 0x6200

// AVERAGE_POOLING with dilated windows.
struct DML_AVERAGE_POOLING1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  _Field_size_(DimensionCount) const UINT* Dilations;
  BOOL IncludePadding;
};

// LP_POOLING with dilated windows.
struct DML_LP_POOLING1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  _Field_size_(DimensionCount) const UINT* Dilations;
  UINT P;
};

// AVERAGE_POOLING1 of a dequantized tensor, quantized again.
struct DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* InputZeroPointTensor;
  const DML_TENSOR_DESC* OutputScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputZeroPointTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Strides;
  _Field_size_(DimensionCount) const UINT* WindowSize;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
  _Field_size_(DimensionCount) const UINT* Dilations;
  BOOL IncludePadding;
};

#endif  // DML_TARGET_VERSION >= 0x6200

// ---- Normalization ----------------------------------------------------------------------------

// (x - mean) / sqrt(variance + Epsilon) * scale + bias
struct DML_BATCH_NORMALIZATION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* MeanTensor;
  const DML_TENSOR_DESC* VarianceTensor;
  const DML_TENSOR_DESC* ScaleTensor;
  const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputTensor;
  BOOL Spatial;
  FLOAT Epsilon;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

// (x - mean) / sqrt(variance + Epsilon) * scale + bias, with mean and variance of each image
// (CrossChannel) or each of its channels.
struct DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  _Maybenull_ const DML_TENSOR_DESC* ScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputTensor;
  BOOL CrossChannel;
  BOOL NormalizeVariance;
  FLOAT Epsilon;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

// x / (Bias + Alpha / LocalSize * sum of squares nearby) ^ Beta
struct DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  BOOL CrossChannel;
  UINT LocalSize;
  FLOAT Alpha;
  FLOAT Beta;
  FLOAT Bias;
};

// x divided by the P-norm along Axis.
struct DML_LP_NORMALIZATION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
  FLOAT Epsilon;
  UINT P;
};

#if DML_TARGET_VERSION >= 0x2100

// MEAN_VARIANCE_NORMALIZATION over the listed Axes.
struct DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  _Maybenull_ const DML_TENSOR_DESC* ScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
  BOOL NormalizeVariance;
  FLOAT Epsilon;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3100

// Gradients of BATCH_NORMALIZATION for input, scale and bias.
struct DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* MeanTensor;
  const DML_TENSOR_DESC* VarianceTensor;
  const DML_TENSOR_DESC* ScaleTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  const DML_TENSOR_DESC* OutputScaleGradientTensor;
  const DML_TENSOR_DESC* OutputBiasGradientTensor;
  FLOAT Epsilon;
};

// The gradient of LOCAL_RESPONSE_NORMALIZATION for its input.
struct DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  BOOL CrossChannel;
  UINT LocalSize;
  FLOAT Alpha;
  FLOAT Beta;
  FLOAT Bias;
};

#endif  // DML_TARGET_VERSION >= 0x3100

#if DML_TARGET_VERSION >= 0x4100

// BATCH_NORMALIZATION with the batch's own mean and variance, which it also gives out.
struct DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* ScaleTensor;
  const DML_TENSOR_DESC* BiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* FusedAddTensor;
  const DML_TENSOR_DESC* OutputTensor;
  const DML_TENSOR_DESC* OutputMeanTensor;
  const DML_TENSOR_DESC* OutputVarianceTensor;
  FLOAT Epsilon;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

// Gradients of BATCH_NORMALIZATION_TRAINING for input, scale and bias.
struct DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* MeanTensor;
  const DML_TENSOR_DESC* VarianceTensor;
  const DML_TENSOR_DESC* ScaleTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  const DML_TENSOR_DESC* OutputScaleGradientTensor;
  const DML_TENSOR_DESC* OutputBiasGradientTensor;
  FLOAT Epsilon;
};

#endif  // DML_TARGET_VERSION >= 0x4100

#if DML_TARGET_VERSION >= 0x6300

// MEAN_VARIANCE_NORMALIZATION1 that may leave out the mean or the variance.
struct DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  _Maybenull_ const DML_TENSOR_DESC* ScaleTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
  BOOL UseMean;
  BOOL UseVariance;
  FLOAT Epsilon;
  _Maybenull_ const DML_OPERATOR_DESC* FusedActivation;
};

#endif  // DML_TARGET_VERSION >= 0x6300

// ---- Reduction, running sums, sorting ---------------------------------------------------------

// Function over the listed Axes, which keep the size 1.
struct DML_REDUCE_OPERATOR_DESC {
  DML_REDUCE_FUNCTION Function;
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
};

// The K largest elements along Axis, in order, and where they were.
struct DML_TOP_K_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputValueTensor;
  const DML_TENSOR_DESC* OutputIndexTensor;
  UINT Axis;
  UINT K;
};

#if DML_TARGET_VERSION >= 0x2100

// The sum of all elements before this one along Axis, this one included unless HasExclusiveSum.
struct DML_CUMULATIVE_SUMMATION_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
  DML_AXIS_DIRECTION AxisDirection;
  BOOL HasExclusiveSum;
};

// TOP_K that can also give the smallest (INCREASING).
struct DML_TOP_K1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputValueTensor;
  const DML_TENSOR_DESC* OutputIndexTensor;
  UINT Axis;
  UINT K;
  DML_AXIS_DIRECTION AxisDirection;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

// Where the smallest element along the listed Axes is; the first or the last of equals.
struct DML_ARGMIN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
  DML_AXIS_DIRECTION AxisDirection;
};

// Where the largest element along the listed Axes is; the first or the last of equals.
struct DML_ARGMAX_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT AxisCount;
  _Field_size_(AxisCount) const UINT* Axes;
  DML_AXIS_DIRECTION AxisDirection;
};

// How many elements are not 0, and their coordinates.
struct DML_NONZERO_COORDINATES_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputCountTensor;
  const DML_TENSOR_DESC* OutputCoordinatesTensor;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x3100

// The product of all elements before this one along Axis, this one included unless
// HasExclusiveProduct.
struct DML_CUMULATIVE_PRODUCT_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
  DML_AXIS_DIRECTION AxisDirection;
  BOOL HasExclusiveProduct;
};

#endif  // DML_TARGET_VERSION >= 0x3100

// ---- Moving, gathering and filling ------------------------------------------------------------

// x converted to the output's type.
struct DML_CAST_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
};

// The part of the input from Offsets on, Sizes long, every Strides-th element.
struct DML_SLICE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* Offsets;
  _Field_size_(DimensionCount) const UINT* Sizes;
  _Field_size_(DimensionCount) const UINT* Strides;
};

// Cuts the input along Axis.
struct DML_SPLIT_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  UINT OutputCount;
  _Field_size_(OutputCount) const DML_TENSOR_DESC* OutputTensors;
  UINT Axis;
};

// Puts tensors one after the other along Axis.
struct DML_JOIN_OPERATOR_DESC {
  UINT InputCount;
  _Field_size_(InputCount) const DML_TENSOR_DESC* InputTensors;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};

// Surrounds the input.
struct DML_PADDING_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_PADDING_MODE PaddingMode;
  FLOAT PaddingValue;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
};

// x * Scale + Bias[channel]
struct DML_VALUE_SCALE_2D_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  FLOAT Scale;
  UINT ChannelCount;
  _Field_size_(ChannelCount) const FLOAT* Bias;
};

// Picks slices of Axis by index.
struct DML_GATHER_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
  UINT IndexDimensions;
};

// Moves blocks of pixels into channels.
struct DML_SPACE_TO_DEPTH_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT BlockSize;
};

// Moves channels into blocks of pixels.
struct DML_DEPTH_TO_SPACE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT BlockSize;
};

// Repeats the input.
struct DML_TILE_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT RepeatsCount;
  _Field_size_(RepeatsCount) const UINT* Repeats;
};

#if DML_TARGET_VERSION >= 0x2000

// A copy of the input in which elements along Axis are replaced: GATHER_ELEMENTS turned around.
struct DML_SCATTER_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* UpdatesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};

// The name that goes with GATHER_ELEMENTS.
using DML_SCATTER_ELEMENTS_OPERATOR_DESC = DML_SCATTER_OPERATOR_DESC;

// ValuesTensor's second element where the index along Axis is the given one, its first elsewhere.
struct DML_ONE_HOT_OPERATOR_DESC {
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* ValuesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};

#endif  // DML_TARGET_VERSION >= 0x2000

#if DML_TARGET_VERSION >= 0x2100

// SLICE of a window whose elements may also be walked backwards.
struct DML_SLICE1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* InputWindowOffsets;
  _Field_size_(DimensionCount) const UINT* InputWindowSizes;
  _Field_size_(DimensionCount) const INT* InputWindowStrides;
};

// out(i, j, k) = in(indices(i, j, k), j, k) for Axis 0, and so on.
struct DML_GATHER_ELEMENTS_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};

// Picks elements, or blocks of them, by whole coordinates.
struct DML_GATHER_ND_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT InputDimensionCount;
  UINT IndicesDimensionCount;
};

// A copy of the input in which blocks at whole coordinates are replaced.
struct DML_SCATTER_ND_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* UpdatesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT InputDimensionCount;
  UINT IndicesDimensionCount;
};

// SPACE_TO_DEPTH with a choice of channel order.
struct DML_SPACE_TO_DEPTH1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT BlockSize;
  DML_DEPTH_SPACE_ORDER Order;
};

// DEPTH_TO_SPACE with a choice of channel order.
struct DML_DEPTH_TO_SPACE1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT BlockSize;
  DML_DEPTH_SPACE_ORDER Order;
};

// Turns around the first elements along Axis, as many as SequenceLengthsTensor says.
struct DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* SequenceLengthsTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT Axis;
};

// Value everywhere.
struct DML_FILL_VALUE_CONSTANT_OPERATOR_DESC {
  const DML_TENSOR_DESC* OutputTensor;
  DML_TENSOR_DATA_TYPE ValueDataType;
  DML_SCALAR_UNION Value;
};

// ValueStart, ValueStart + ValueDelta, ...
struct DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC {
  const DML_TENSOR_DESC* OutputTensor;
  DML_TENSOR_DATA_TYPE ValueDataType;
  DML_SCALAR_UNION ValueStart;
  DML_SCALAR_UNION ValueDelta;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x3000

// The gradient of SLICE1 for its input.
struct DML_SLICE_GRAD_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputGradientTensor;
  const DML_TENSOR_DESC* OutputGradientTensor;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* InputWindowOffsets;
  _Field_size_(DimensionCount) const UINT* InputWindowSizes;
  _Field_size_(DimensionCount) const INT* InputWindowStrides;
};

// GATHER_ND with leading batch dimensions.
struct DML_GATHER_ND1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* IndicesTensor;
  const DML_TENSOR_DESC* OutputTensor;
  UINT InputDimensionCount;
  UINT IndicesDimensionCount;
  UINT BatchDimensionCount;
};

// Random 32-bit integers from a state, and the state that follows.
struct DML_RANDOM_GENERATOR_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputStateTensor;
  const DML_TENSOR_DESC* OutputTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputStateTensor;
  DML_RANDOM_GENERATOR_TYPE Type;
};

#endif  // DML_TARGET_VERSION >= 0x3000

#if DML_TARGET_VERSION >= 0x5000

// PADDING with a value of the type PaddingValueDataType.
struct DML_PADDING1_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* OutputTensor;
  DML_PADDING_MODE PaddingMode;
  DML_TENSOR_DATA_TYPE PaddingValueDataType;
  DML_SCALAR_UNION PaddingValue;
  UINT DimensionCount;
  _Field_size_(DimensionCount) const UINT* StartPadding;
  _Field_size_(DimensionCount) const UINT* EndPadding;
};

#endif  // DML_TARGET_VERSION >= 0x5000

// ---- Recurrent networks and training ----------------------------------------------------------

// A plain recurrent network over a sequence.
struct DML_RNN_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* WeightTensor;
  const DML_TENSOR_DESC* RecurrenceTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* HiddenInitTensor;
  _Maybenull_ const DML_TENSOR_DESC* SequenceLengthsTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputSequenceTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputSingleTensor;
  UINT ActivationDescCount;
  _Field_size_(ActivationDescCount) const DML_OPERATOR_DESC* ActivationDescs;
  DML_RECURRENT_NETWORK_DIRECTION Direction;
};

// Long short-term memory over a sequence.
struct DML_LSTM_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* WeightTensor;
  const DML_TENSOR_DESC* RecurrenceTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* HiddenInitTensor;
  _Maybenull_ const DML_TENSOR_DESC* CellMemInitTensor;
  _Maybenull_ const DML_TENSOR_DESC* SequenceLengthsTensor;
  _Maybenull_ const DML_TENSOR_DESC* PeepholeTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputSequenceTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputSingleTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputCellSingleTensor;
  UINT ActivationDescCount;
  _Field_size_(ActivationDescCount) const DML_OPERATOR_DESC* ActivationDescs;
  DML_RECURRENT_NETWORK_DIRECTION Direction;
  float ClipThreshold;
  BOOL UseClipThreshold;
  BOOL CoupleInputForget;
};

// Gated recurrent units over a sequence.
struct DML_GRU_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputTensor;
  const DML_TENSOR_DESC* WeightTensor;
  const DML_TENSOR_DESC* RecurrenceTensor;
  _Maybenull_ const DML_TENSOR_DESC* BiasTensor;
  _Maybenull_ const DML_TENSOR_DESC* HiddenInitTensor;
  _Maybenull_ const DML_TENSOR_DESC* SequenceLengthsTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputSequenceTensor;
  _Maybenull_ const DML_TENSOR_DESC* OutputSingleTensor;
  UINT ActivationDescCount;
  _Field_size_(ActivationDescCount) const DML_OPERATOR_DESC* ActivationDescs;
  DML_RECURRENT_NETWORK_DIRECTION Direction;
  BOOL LinearBeforeReset;
};

#if DML_TARGET_VERSION >= 0x3000

// One step of the Adam optimizer.
struct DML_ADAM_OPTIMIZER_OPERATOR_DESC {
  const DML_TENSOR_DESC* InputParametersTensor;
  const DML_TENSOR_DESC* InputFirstMomentTensor;
  const DML_TENSOR_DESC* InputSecondMomentTensor;
  const DML_TENSOR_DESC* GradientTensor;
  const DML_TENSOR_DESC* TrainingStepTensor;
  const DML_TENSOR_DESC* OutputParametersTensor;
  const DML_TENSOR_DESC* OutputFirstMomentTensor;
  const DML_TENSOR_DESC* OutputSecondMomentTensor;
  FLOAT LearningRate;
  FLOAT Beta1;
  FLOAT Beta2;
  FLOAT Epsilon;
};

#endif  // DML_TARGET_VERSION >= 0x3000

// ---- What a device can do ---------------------------------------------------------------------

// Questions for IDMLDevice::CheckFeatureSupport. The type of query and of answer goes with each:
// DML_FEATURE_QUERY_<X> and DML_FEATURE_DATA_<X>.
enum DML_FEATURE {
  DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT = 0,
#if DML_TARGET_VERSION >= 0x2000
  DML_FEATURE_FEATURE_LEVELS = 1,
#endif
};

struct DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT {
  DML_TENSOR_DATA_TYPE DataType;
};

// True when at least one operator takes the type.
struct DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT {
  BOOL IsSupported;
};

#if DML_TARGET_VERSION >= 0x2000

// Versions of the set of operators, types and ranks that a device offers.
enum DML_FEATURE_LEVEL {
  DML_FEATURE_LEVEL_1_0 = 0x1000,
  DML_FEATURE_LEVEL_2_0 = 0x2000,
  DML_FEATURE_LEVEL_2_1 = 0x2100,
  DML_FEATURE_LEVEL_3_0 = 0x3000,
  DML_FEATURE_LEVEL_3_1 = 0x3100,
  DML_FEATURE_LEVEL_4_0 = 0x4000,
  DML_FEATURE_LEVEL_4_1 = 0x4100,
  DML_FEATURE_LEVEL_5_0 = 0x5000,
  DML_FEATURE_LEVEL_5_1 = 0x5100,
  DML_FEATURE_LEVEL_5_2 = 0x5200,
  DML_FEATURE_LEVEL_6_0 = 0x6000,
  DML_FEATURE_LEVEL_6_1 = 0x6100,
  DML_FEATURE_LEVEL_6_2 = 0x6200,
  DML_FEATURE_LEVEL_6_3 = 0x6300,
  DML_FEATURE_LEVEL_6_4 = 0x6400,
};

// The levels that the caller knows, in any order.
struct DML_FEATURE_QUERY_FEATURE_LEVELS {
  UINT RequestedFeatureLevelCount;
  _Field_size_(RequestedFeatureLevelCount) const DML_FEATURE_LEVEL* RequestedFeatureLevels;
};

// The highest of them that the device has.
struct DML_FEATURE_DATA_FEATURE_LEVELS {
  DML_FEATURE_LEVEL MaxSupportedFeatureLevel;
};

#endif  // DML_TARGET_VERSION >= 0x2000

enum DML_EXECUTION_FLAGS {
  DML_EXECUTION_FLAG_NONE = 0,
  DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION = 1,  // float16 need not be computed wider
  DML_EXECUTION_FLAG_DISABLE_META_COMMANDS = 2,             // no vendor algorithms
  DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE = 4,              // binding may wait until submission
};
DEFINE_ENUM_FLAG_OPERATORS(DML_EXECUTION_FLAGS)

enum DML_CREATE_DEVICE_FLAGS {
  DML_CREATE_DEVICE_FLAG_NONE = 0,
  DML_CREATE_DEVICE_FLAG_DEBUG = 1,  // say what is wrong
};
DEFINE_ENUM_FLAG_OPERATORS(DML_CREATE_DEVICE_FLAGS)

// ---- Binding ----------------------------------------------------------------------------------

enum DML_BINDING_TYPE {
  DML_BINDING_TYPE_NONE = 0,
  DML_BINDING_TYPE_BUFFER = 1,
  DML_BINDING_TYPE_BUFFER_ARRAY = 2,
};

// A part of a buffer. No buffer: nothing is bound.
struct DML_BUFFER_BINDING {
  _Maybenull_ ID3D12Resource* Buffer;
  UINT64 Offset;
  UINT64 SizeInBytes;
};

// One for each input of an operator; this is how initializers take them.
struct DML_BUFFER_ARRAY_BINDING {
  UINT BindingCount;
  _Field_size_(BindingCount) const DML_BUFFER_BINDING* Bindings;
};

// Any binding: Desc points to what belongs to Type, and is null for DML_BINDING_TYPE_NONE.
struct DML_BINDING_DESC {
  DML_BINDING_TYPE Type;
  _Field_size_opt_(_Inexpressible_("depends on the binding type")) const void* Desc;
};

// What the caller must bring before something can be dispatched.
struct DML_BINDING_PROPERTIES {
  UINT RequiredDescriptorCount;
  UINT64 TemporaryResourceSize;
  UINT64 PersistentResourceSize;
};

// A range of descriptors for the bindings of a dispatchable: written through the CPU handle, read
// at execution through the GPU handle, whose heap is shader-visible.
struct DML_BINDING_TABLE_DESC {
  IDMLDispatchable* Dispatchable;
  D3D12_CPU_DESCRIPTOR_HANDLE CPUDescriptorHandle;
  D3D12_GPU_DESCRIPTOR_HANDLE GPUDescriptorHandle;
  UINT SizeInDescriptors;
};

// ---- Graphs -----------------------------------------------------------------------------------

#if DML_TARGET_VERSION >= 0x2100

enum DML_GRAPH_NODE_TYPE {
  DML_GRAPH_NODE_TYPE_INVALID = 0,
  DML_GRAPH_NODE_TYPE_OPERATOR = 1,
#if DML_TARGET_VERSION >= 0x6200
  DML_GRAPH_NODE_TYPE_CONSTANT = 2,
#endif
};

// Any node: Desc points to what belongs to Type.
struct DML_GRAPH_NODE_DESC {
  DML_GRAPH_NODE_TYPE Type;
  _Field_size_(_Inexpressible_("depends on the node type")) const void* Desc;
};

struct DML_OPERATOR_GRAPH_NODE_DESC {
  IDMLOperator* Operator;
  _Field_z_ _Maybenull_ const char* Name;
};

enum DML_GRAPH_EDGE_TYPE {
  DML_GRAPH_EDGE_TYPE_INVALID = 0,
  DML_GRAPH_EDGE_TYPE_INPUT = 1,
  DML_GRAPH_EDGE_TYPE_OUTPUT = 2,
  DML_GRAPH_EDGE_TYPE_INTERMEDIATE = 3,
};

// Any edge: Desc points to what belongs to Type.
struct DML_GRAPH_EDGE_DESC {
  DML_GRAPH_EDGE_TYPE Type;
  _Field_size_(_Inexpressible_("depends on the edge type")) const void* Desc;
};

// From an input of the graph to an input of a node. One input may feed several.
struct DML_INPUT_GRAPH_EDGE_DESC {
  UINT GraphInputIndex;
  UINT ToNodeIndex;
  UINT ToNodeInputIndex;
  _Field_z_ _Maybenull_ const char* Name;
};

// From an output of a node to an output of the graph.
struct DML_OUTPUT_GRAPH_EDGE_DESC {
  UINT FromNodeIndex;
  UINT FromNodeOutputIndex;
  UINT GraphOutputIndex;
  _Field_z_ _Maybenull_ const char* Name;
};

// From node to node. Both ends have the same size in bytes; what the bytes mean may differ.
struct DML_INTERMEDIATE_GRAPH_EDGE_DESC {
  UINT FromNodeIndex;
  UINT FromNodeOutputIndex;
  UINT ToNodeIndex;
  UINT ToNodeInputIndex;
  _Field_z_ _Maybenull_ const char* Name;
};

// Operators joined by edges, without cycles, to be compiled as one.
struct DML_GRAPH_DESC {
  UINT InputCount;
  UINT OutputCount;
  UINT NodeCount;
  _Field_size_(NodeCount) const DML_GRAPH_NODE_DESC* Nodes;
  UINT InputEdgeCount;
  _Field_size_opt_(InputEdgeCount) const DML_GRAPH_EDGE_DESC* InputEdges;
  UINT OutputEdgeCount;
  _Field_size_(OutputEdgeCount) const DML_GRAPH_EDGE_DESC* OutputEdges;
  UINT IntermediateEdgeCount;
  _Field_size_opt_(IntermediateEdgeCount) const DML_GRAPH_EDGE_DESC* IntermediateEdges;
};

#endif  // DML_TARGET_VERSION >= 0x2100

#if DML_TARGET_VERSION >= 0x6200

// Bytes that stay the same, copied by CompileGraph; for small tensors.
struct DML_CONSTANT_DATA_GRAPH_NODE_DESC {
  _Field_size_bytes_(DataSize) const void* Data;
  SIZE_T DataSize;
  _Field_z_ _Maybenull_ const char* Name;
};

#endif  // DML_TARGET_VERSION >= 0x6200

// ---- Interfaces -------------------------------------------------------------------------------
//
// Methods are in the order of the virtual table. Methods without a result answer a bad argument by
// removing the device: every later method that returns an HRESULT gives DXGI_ERROR_DEVICE_REMOVED.

// What all objects of a device have: a name and the application's own data.
interface DML_DECLARE_INTERFACE("c8263aac-9e0c-4a2d-9b8e-007521a3317c") IDMLObject : IUnknown {
  // Without data: the size alone.
  IFACEMETHOD(GetPrivateData)
  (REFGUID guid, _Inout_ UINT* dataSize, _Out_writes_bytes_opt_(*dataSize) void* data) = 0;
  // Without data and with size 0: forgets what was stored.
  IFACEMETHOD(SetPrivateData)
  (REFGUID guid, UINT dataSize, _In_reads_bytes_opt_(dataSize) const void* data) = 0;
  IFACEMETHOD(SetPrivateDataInterface)(REFGUID guid, _In_opt_ IUnknown* data) = 0;
  IFACEMETHOD(SetName)(PCWSTR name) = 0;
};

// Makes everything else. May be used from any thread.
interface DML_DECLARE_INTERFACE("6dbd6437-96fd-423f-a98c-ae5e7c2a573f") IDMLDevice : IDMLObject {
  IFACEMETHOD(CheckFeatureSupport)
  (DML_FEATURE feature, UINT featureQueryDataSize,
   _In_reads_bytes_opt_(featureQueryDataSize) const void* featureQueryData,
   UINT featureSupportDataSize,
   _Out_writes_bytes_(featureSupportDataSize) void* featureSupportData) = 0;

  // Copies the desc and all it points to. Without ppv, only checks.
  IFACEMETHOD(CreateOperator)
  (const DML_OPERATOR_DESC* desc, REFIID riid, _COM_Outptr_opt_ void** ppv) = 0;
  IFACEMETHOD(CompileOperator)
  (IDMLOperator* op, DML_EXECUTION_FLAGS flags, REFIID riid, _COM_Outptr_opt_ void** ppv) = 0;
  IFACEMETHOD(CreateOperatorInitializer)
  (UINT operatorCount, _In_reads_opt_(operatorCount) IDMLCompiledOperator* const* operators,
   REFIID riid, _COM_Outptr_ void** ppv) = 0;
  IFACEMETHOD(CreateCommandRecorder)(REFIID riid, _COM_Outptr_ void** ppv) = 0;
  IFACEMETHOD(CreateBindingTable)
  (_In_opt_ const DML_BINDING_TABLE_DESC* desc, REFIID riid, _COM_Outptr_ void** ppv) = 0;

  IFACEMETHOD(Evict)(UINT count, _In_reads_(count) IDMLPageable* const* ppObjects) = 0;
  IFACEMETHOD(MakeResident)(UINT count, _In_reads_(count) IDMLPageable* const* ppObjects) = 0;

  // S_OK while the device works.
  IFACEMETHOD(GetDeviceRemovedReason)() = 0;
  // The D3D12 device.
  IFACEMETHOD(GetParentDevice)(REFIID riid, _COM_Outptr_ void** ppv) = 0;
};

#if DML_TARGET_VERSION >= 0x2100

// A device that compiles graphs.
interface DML_DECLARE_INTERFACE("a0884f9a-d2be-4355-aa5d-5901281ad1d2") IDMLDevice1 : IDMLDevice {
  // The result, an IDMLCompiledOperator, keeps none of the graph's operators.
  IFACEMETHOD(CompileGraph)
  (const DML_GRAPH_DESC* desc, DML_EXECUTION_FLAGS flags, REFIID riid,
   _COM_Outptr_opt_ void** ppv) = 0;
};

#endif  // DML_TARGET_VERSION >= 0x2100

// What a device makes. It keeps its device alive.
interface DML_DECLARE_INTERFACE("27e83142-8165-49e3-974e-2fd66e4cb69d") IDMLDeviceChild
    : IDMLObject {
  IFACEMETHOD(GetDevice)(REFIID riid, _COM_Outptr_ void** ppv) = 0;
};

// What can be evicted from the device's memory.
interface DML_DECLARE_INTERFACE("b1ab0825-4542-4a4b-8617-6dde6e8f6201") IDMLPageable
    : IDMLDeviceChild {};

// What to compute, not yet how.
interface DML_DECLARE_INTERFACE("26caae7a-3081-4633-9581-226fbe57695d") IDMLOperator
    : IDMLDeviceChild {};

// What can be dispatched.
interface DML_DECLARE_INTERFACE("dcb821a8-1039-441e-9f1c-b1759c2f3cec") IDMLDispatchable
    : IDMLPageable {
  IFACEMETHOD_(DML_BINDING_PROPERTIES, GetBindingProperties)() = 0;
};

// An operator or a graph, ready to be initialized once and executed any number of times.
interface DML_DECLARE_INTERFACE("6b15e56a-bf5c-4902-92d8-da3a650afea4") IDMLCompiledOperator
    : IDMLDispatchable {};

// Fills the persistent resources of compiled operators.
interface DML_DECLARE_INTERFACE("427c1113-435c-469c-8676-4d5dd072f813") IDMLOperatorInitializer
    : IDMLDispatchable {
  IFACEMETHOD(Reset)
  (UINT operatorCount, _In_reads_opt_(operatorCount) IDMLCompiledOperator* const* operators) = 0;
};

// Which buffers a dispatchable works on: one binding for each input and output, in the order of the
// operator's desc, DML_BINDING_TYPE_NONE where an optional tensor is absent. Keeps no buffer alive.
interface DML_DECLARE_INTERFACE("29c687dc-de74-4e3b-ab00-1168f2fc3cfc") IDMLBindingTable
    : IDMLDeviceChild {
  IFACEMETHOD_(void, BindInputs)
  (UINT bindingCount, _In_reads_opt_(bindingCount) const DML_BINDING_DESC* bindings) = 0;
  IFACEMETHOD_(void, BindOutputs)
  (UINT bindingCount, _In_reads_opt_(bindingCount) const DML_BINDING_DESC* bindings) = 0;
  // Scratch memory; its content has no meaning before or after.
  IFACEMETHOD_(void, BindTemporaryResource)(_In_opt_ const DML_BINDING_DESC* binding) = 0;
  // What the initializer wrote.
  IFACEMETHOD_(void, BindPersistentResource)(_In_opt_ const DML_BINDING_DESC* binding) = 0;
  IFACEMETHOD(Reset)(_In_opt_ const DML_BINDING_TABLE_DESC* desc) = 0;
};

// Writes dispatches into D3D12 command lists.
interface DML_DECLARE_INTERFACE("e6857a76-2e3e-4fdd-bff4-5d2ba10fb453") IDMLCommandRecorder
    : IDMLDeviceChild {
  // The descriptor heap of `bindings` must be set on the list, which is of type DIRECT or COMPUTE.
  IFACEMETHOD_(void, RecordDispatch)
  (ID3D12CommandList* commandList, IDMLDispatchable* dispatchable, IDMLBindingTable* bindings) = 0;
};

// Offered by devices made with DML_CREATE_DEVICE_FLAG_DEBUG.
interface DML_DECLARE_INTERFACE("7d6f3ac9-394a-4ac3-92a7-390cc57a8217") IDMLDebugDevice : IUnknown {
  IFACEMETHOD_(void, SetMuteDebugOutput)(BOOL mute) = 0;
};

// ---- Entry points -----------------------------------------------------------------------------

// Without ppv, only checks.
STDAPI DMLCreateDevice(ID3D12Device* d3d12Device, DML_CREATE_DEVICE_FLAGS flags, REFIID riid,
                       _COM_Outptr_opt_ void** ppv);

#if DML_TARGET_VERSION >= 0x2000

// DXGI_ERROR_UNSUPPORTED where the library is below minimumFeatureLevel.
STDAPI DMLCreateDevice1(ID3D12Device* d3d12Device, DML_CREATE_DEVICE_FLAGS flags,
                        DML_FEATURE_LEVEL minimumFeatureLevel, REFIID riid,
                        _COM_Outptr_opt_ void** ppv);

#endif  // DML_TARGET_VERSION >= 0x2000

#endif  // DIRECTML_H
