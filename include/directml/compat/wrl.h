#pragma once

#include <wrl/client.h>
#include <wrl/implements.h>

#include "wrl/event.h"
