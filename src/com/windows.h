#pragma once

// The Windows vocabulary of Debian's directx-headers-dev, in the order that compiles: winadapter
// before d3d12.h, interface IDs after all the headers that declare the interfaces.

#include <wsl/winadapter.h>
// Order matters from here on.
#include <directx/d3d12.h>
#include <directx/d3d12sdklayers.h>
#include <directx/dxcore.h>
#include <directx/dxcore_interface.h>
// IDs of everything above.
#include <dxguids/dxguids.h>
