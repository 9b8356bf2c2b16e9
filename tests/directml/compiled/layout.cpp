// Compiled by the tests once for each target version and compiler: every declaration of the API is
// there with its layout, or not there at all, as the version has it.

#include <DirectML.h>

#include <cstddef>

// A name that is not declared can be given another meaning; one that is, cannot.
#define WEFT_ABSENT(name) typedef void name;

#define WEFT_IS_ENUM(type) static_assert(sizeof(type) == 4, #type);
#define WEFT_IS_VALUE(name, value) static_assert(name == value, #name);
#define WEFT_IS_STRUCT(type, size) static_assert(sizeof(type) == size, #type);
#define WEFT_IS_MEMBER(type, name, offset) \
  static_assert(offsetof(type, name) == offset, #type "." #name);

// WEFT_FROM_<version>(a, b): a from that version on, b below.
#define WEFT_FIRST(a, b) a
#define WEFT_SECOND(a, b) b
#define WEFT_FROM_0x1000 WEFT_FIRST
#define WEFT_FROM_0x2000 WEFT_SECOND
#define WEFT_FROM_0x2100 WEFT_SECOND
#define WEFT_FROM_0x3000 WEFT_SECOND
#define WEFT_FROM_0x3100 WEFT_SECOND
#define WEFT_FROM_0x4000 WEFT_SECOND
#define WEFT_FROM_0x4100 WEFT_SECOND
#define WEFT_FROM_0x5000 WEFT_SECOND
#define WEFT_FROM_0x5100 WEFT_SECOND
#define WEFT_FROM_0x6100 WEFT_SECOND
#define WEFT_FROM_0x6200 WEFT_SECOND
#define WEFT_FROM_0x6300 WEFT_SECOND
#define WEFT_FROM_0x6400 WEFT_SECOND
#if DML_TARGET_VERSION >= 0x2000
#undef WEFT_FROM_0x2000
#define WEFT_FROM_0x2000 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x2100
#undef WEFT_FROM_0x2100
#define WEFT_FROM_0x2100 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x3000
#undef WEFT_FROM_0x3000
#define WEFT_FROM_0x3000 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x3100
#undef WEFT_FROM_0x3100
#define WEFT_FROM_0x3100 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x4000
#undef WEFT_FROM_0x4000
#define WEFT_FROM_0x4000 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x4100
#undef WEFT_FROM_0x4100
#define WEFT_FROM_0x4100 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x5000
#undef WEFT_FROM_0x5000
#define WEFT_FROM_0x5000 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x5100
#undef WEFT_FROM_0x5100
#define WEFT_FROM_0x5100 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x6100
#undef WEFT_FROM_0x6100
#define WEFT_FROM_0x6100 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x6200
#undef WEFT_FROM_0x6200
#define WEFT_FROM_0x6200 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x6300
#undef WEFT_FROM_0x6300
#define WEFT_FROM_0x6300 WEFT_FIRST
#endif
#if DML_TARGET_VERSION >= 0x6400
#undef WEFT_FROM_0x6400
#define WEFT_FROM_0x6400 WEFT_FIRST
#endif

#define WEFT_ENUM(since, type) WEFT_FROM_##since(WEFT_IS_ENUM(type), WEFT_ABSENT(type))
#define WEFT_VALUE(since, name, value) \
  WEFT_FROM_##since(WEFT_IS_VALUE(name, value), WEFT_ABSENT(name))
#define WEFT_STRUCT(since, type, size) \
  WEFT_FROM_##since(WEFT_IS_STRUCT(type, size), WEFT_ABSENT(type))
#define WEFT_MEMBER(since, type, name, offset) \
  WEFT_FROM_##since(WEFT_IS_MEMBER(type, name, offset), )
#include "../layout.def"

// Constants, the graph's interface and the second entry point.
WEFT_VALUE(0x1000, DML_TENSOR_DIMENSION_COUNT_MAX, 5)
WEFT_VALUE(0x3000, DML_TENSOR_DIMENSION_COUNT_MAX1, 8)
WEFT_VALUE(0x1000, DML_TEMPORARY_BUFFER_ALIGNMENT, 256)
WEFT_VALUE(0x1000, DML_PERSISTENT_BUFFER_ALIGNMENT, 256)
WEFT_VALUE(0x1000, DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT, 16)
WEFT_FROM_0x2100(WEFT_IS_STRUCT(IDMLDevice1, 8), WEFT_ABSENT(IDMLDevice1))
    WEFT_FROM_0x2000(static_assert(sizeof(DMLCreateDevice1(nullptr, {}, {}, GUID{}, nullptr)) == 4,
                                   "");
                     , WEFT_ABSENT(DMLCreateDevice1))
