#pragma once

// The part of Windows.h that DirectML programs use; see README.md.

#include "debugapi.h"
#include "errhandlingapi.h"
#include "handleapi.h"
#include "memoryapi.h"
#include "profileapi.h"
#include "synchapi.h"
#include "windef.h"
#include "winerror.h"
