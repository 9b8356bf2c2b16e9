#pragma once

// Every class has an interface ID of its own, so that an object which a program passes in is found
// to be one of this library by QueryInterface, never by a cast of a stranger's pointer.

#include "com/ptr.h"
#include "com/windows.h"

namespace weft::d3d12 {

class CommandAllocator;
class CommandList;
class CommandQueue;
class DescriptorHeap;
class Device;
class Fence;
class Heap;
class QueryHeap;
class Resource;

// The object as one of this library's; empty when it is null or somebody else's.
template <class T>
com::Ptr<T> own(IUnknown* object) {
  return com::query<T>(object);
}

}  // namespace weft::d3d12

// Made for Weft.
#define WEFT_CLASS_ID(type, last)                                                             \
  WINADAPTER_IID(weft::d3d12::type, 0x5b0f2c1e, 0x7a64, 0x4a0e, 0x9d, 0x11, 0x3e, 0x6b, 0x52, \
                 0x8f, 0x0c, last)
WEFT_CLASS_ID(CommandAllocator, 0x80);
WEFT_CLASS_ID(CommandList, 0x81);
WEFT_CLASS_ID(CommandQueue, 0x82);
WEFT_CLASS_ID(DescriptorHeap, 0x83);
WEFT_CLASS_ID(Device, 0x84);
WEFT_CLASS_ID(Fence, 0x85);
WEFT_CLASS_ID(Heap, 0x86);
WEFT_CLASS_ID(QueryHeap, 0x87);
WEFT_CLASS_ID(Resource, 0x88);
#undef WEFT_CLASS_ID
