#pragma once

// There is no debug layer of DXGI; programs that include this header and use nothing of it compile.

#include "dxgi.h"
