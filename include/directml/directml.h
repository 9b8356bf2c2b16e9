#pragma once

// Microsoft's pages also write the header's name in lower case; on Windows that is the same file.
#include "DirectML.h"
