#pragma once

#include "com/windows.h"

namespace weft::d3d12 {

// Levels that programs ask for. Debian's headers lack the first; the graphics levels are accepted
// because programs that only compute ask for them too.
inline bool is_supported(D3D_FEATURE_LEVEL level) noexcept {
  switch (static_cast<int>(level)) {
    case 0x100:  // D3D_FEATURE_LEVEL_1_0_GENERIC
    case D3D_FEATURE_LEVEL_1_0_CORE:
    case D3D_FEATURE_LEVEL_9_1:
    case D3D_FEATURE_LEVEL_9_2:
    case D3D_FEATURE_LEVEL_9_3:
    case D3D_FEATURE_LEVEL_10_0:
    case D3D_FEATURE_LEVEL_10_1:
    case D3D_FEATURE_LEVEL_11_0:
    case D3D_FEATURE_LEVEL_11_1:
    case D3D_FEATURE_LEVEL_12_0:
    case D3D_FEATURE_LEVEL_12_1:
      return true;
    default:
      return false;
  }
}

}  // namespace weft::d3d12
