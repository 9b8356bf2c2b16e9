#pragma once

// What Weft's libdirectml.so tells beyond the DirectML API. Nothing here is needed to use it; a
// program that should also run on Microsoft's library looks these up with dlsym().

#include <stdint.h>

#include "DirectML.h"

#if defined(__GNUC__)
#define WEFT_DIRECTML_API __attribute__((visibility("default")))
#else
#define WEFT_DIRECTML_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The last message of a DirectML call of the calling thread: what was wrong, where, and what would
// be right. One rule a line.
//
//   IDMLDevice::CreateOperator: UNFOLD.OutputTensor.Sizes[2] is 14, must be 15: BlockCount = 5 * 3
//
// Never null; empty before the first. A call that succeeds leaves it alone. Valid until the
// thread's next message.
WEFT_DIRECTML_API const char* weft_last_error(void);

// Why the device is removed (IDMLDevice::GetDeviceRemovedReason has only a code): the call or
// execution that removed it and its cause, whichever thread it was. Never null; empty while the
// device is not removed. Valid as long as the device.
WEFT_DIRECTML_API const char* weft_device_removed_message(IDMLDevice* device);

// How many objects of libdirectml.so are alive in the process: 0 once every reference has been
// released. For tests.
WEFT_DIRECTML_API int64_t weft_dml_live_objects(void);

#ifdef __cplusplus
}
#endif
