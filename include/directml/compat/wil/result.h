#pragma once

#include "result_macros.h"
