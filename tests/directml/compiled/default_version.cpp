// Which target version the header chooses by itself.

#ifdef WEFT_NTDDI
#define NTDDI_WIN10_VB 0x0A000008
#define NTDDI_WIN10_FE 0x0A00000A
#define NTDDI_WIN10_CO 0x0A00000B
#define NTDDI_WIN10_NI 0x0A00000C
#define NTDDI_WIN10_ZN 0x0A00000E
#define NTDDI_VERSION WEFT_NTDDI
#endif
#include <DirectML.h>

static_assert(DML_TARGET_VERSION == WEFT_EXPECTED, "");
