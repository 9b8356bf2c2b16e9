#pragma once

#include <algorithm>
#include <vector>

#include "com/windows.h"

namespace weft::d3d12 {

// What identifies a message to filters.
struct MessageKind {
  D3D12_MESSAGE_CATEGORY category;
  D3D12_MESSAGE_SEVERITY severity;
  D3D12_MESSAGE_ID id;
};

// One side of a D3D12_INFO_QUEUE_FILTER, with storage of its own.
struct MessageList {
  std::vector<D3D12_MESSAGE_CATEGORY> categories;
  std::vector<D3D12_MESSAGE_SEVERITY> severities;
  std::vector<D3D12_MESSAGE_ID> ids;

  // Adds the entries. Throws std::bad_alloc.
  void add(const D3D12_INFO_QUEUE_FILTER_DESC& desc) {
    if (desc.pCategoryList) {
      categories.insert(categories.end(), desc.pCategoryList,
                        desc.pCategoryList + desc.NumCategories);
    }
    if (desc.pSeverityList) {
      severities.insert(severities.end(), desc.pSeverityList,
                        desc.pSeverityList + desc.NumSeverities);
    }
    if (desc.pIDList) ids.insert(ids.end(), desc.pIDList, desc.pIDList + desc.NumIDs);
  }

  template <class T>
  static bool holds(const std::vector<T>& list, T value) noexcept {
    return std::find(list.begin(), list.end(), value) != list.end();
  }
};

// A message passes when each list of `allow` that has entries holds it, and none of `deny` does.
struct MessageFilter {
  MessageList allow;
  MessageList deny;

  bool passes(const MessageKind& kind) const noexcept {
    const auto allowed = [](const auto& list, auto value) {
      return list.empty() || MessageList::holds(list, value);
    };
    return allowed(allow.categories, kind.category) && allowed(allow.severities, kind.severity) &&
           allowed(allow.ids, kind.id) && !MessageList::holds(deny.categories, kind.category) &&
           !MessageList::holds(deny.severities, kind.severity) &&
           !MessageList::holds(deny.ids, kind.id);
  }
};

}  // namespace weft::d3d12
