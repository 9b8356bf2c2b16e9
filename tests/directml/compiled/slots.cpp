// A program that says which virtual methods are not in their slot of the virtual table, or have not
// the signature they should have. Prints nothing when all is right.

#include <DirectML.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace {

int wrong = 0;
int checked = 0;

// In the Itanium C++ ABI a pointer to a virtual method holds 1 + its offset in the table.
template <class Method>
void check(const char* name, Method method, std::uintptr_t slot) {
  std::uintptr_t offset = 0;
  std::memcpy(&offset, &method, sizeof offset);
  ++checked;
  if (offset == 1 + slot * sizeof(void*)) return;
  ++wrong;
  std::printf("%s is in slot %d, must be in %d\n", name,
              static_cast<int>((offset - 1) / sizeof(void*)), static_cast<int>(slot));
}

// The pointer's type states the signature; it would not compile with another.
#define WEFT_SLOT(slot, result, interface_name, method, ...) \
  check(#interface_name "::" #method,                        \
        static_cast<result (interface_name::*)(__VA_ARGS__)>(&interface_name::method), slot)
#define WEFT_BASE(derived, base) \
  static_assert(std::is_base_of<base, derived>::value && sizeof(derived) == sizeof(void*), "")

}  // namespace

int main() {
  using Operators = IDMLCompiledOperator* const*;

  WEFT_BASE(IDMLObject, IUnknown);
  WEFT_SLOT(0, HRESULT, IDMLObject, QueryInterface, REFIID, void**);
  WEFT_SLOT(1, ULONG, IDMLObject, AddRef, );
  WEFT_SLOT(2, ULONG, IDMLObject, Release, );
  WEFT_SLOT(3, HRESULT, IDMLObject, GetPrivateData, REFGUID, UINT*, void*);
  WEFT_SLOT(4, HRESULT, IDMLObject, SetPrivateData, REFGUID, UINT, const void*);
  WEFT_SLOT(5, HRESULT, IDMLObject, SetPrivateDataInterface, REFGUID, IUnknown*);
  WEFT_SLOT(6, HRESULT, IDMLObject, SetName, PCWSTR);

  WEFT_BASE(IDMLDevice, IDMLObject);
  WEFT_SLOT(7, HRESULT, IDMLDevice, CheckFeatureSupport, DML_FEATURE, UINT, const void*, UINT,
            void*);
  WEFT_SLOT(8, HRESULT, IDMLDevice, CreateOperator, const DML_OPERATOR_DESC*, REFIID, void**);
  WEFT_SLOT(9, HRESULT, IDMLDevice, CompileOperator, IDMLOperator*, DML_EXECUTION_FLAGS, REFIID,
            void**);
  WEFT_SLOT(10, HRESULT, IDMLDevice, CreateOperatorInitializer, UINT, Operators, REFIID, void**);
  WEFT_SLOT(11, HRESULT, IDMLDevice, CreateCommandRecorder, REFIID, void**);
  WEFT_SLOT(12, HRESULT, IDMLDevice, CreateBindingTable, const DML_BINDING_TABLE_DESC*, REFIID,
            void**);
  WEFT_SLOT(13, HRESULT, IDMLDevice, Evict, UINT, IDMLPageable* const*);
  WEFT_SLOT(14, HRESULT, IDMLDevice, MakeResident, UINT, IDMLPageable* const*);
  WEFT_SLOT(15, HRESULT, IDMLDevice, GetDeviceRemovedReason, );
  WEFT_SLOT(16, HRESULT, IDMLDevice, GetParentDevice, REFIID, void**);

  WEFT_BASE(IDMLDevice1, IDMLDevice);
  WEFT_SLOT(17, HRESULT, IDMLDevice1, CompileGraph, const DML_GRAPH_DESC*, DML_EXECUTION_FLAGS,
            REFIID, void**);

  WEFT_BASE(IDMLDeviceChild, IDMLObject);
  WEFT_SLOT(7, HRESULT, IDMLDeviceChild, GetDevice, REFIID, void**);

  WEFT_BASE(IDMLPageable, IDMLDeviceChild);
  WEFT_BASE(IDMLOperator, IDMLDeviceChild);
  static_assert(!std::is_base_of<IDMLPageable, IDMLOperator>::value, "");

  WEFT_BASE(IDMLDispatchable, IDMLPageable);
  WEFT_SLOT(8, DML_BINDING_PROPERTIES, IDMLDispatchable, GetBindingProperties, );
  WEFT_BASE(IDMLCompiledOperator, IDMLDispatchable);

  WEFT_BASE(IDMLOperatorInitializer, IDMLDispatchable);
  WEFT_SLOT(9, HRESULT, IDMLOperatorInitializer, Reset, UINT, Operators);

  WEFT_BASE(IDMLBindingTable, IDMLDeviceChild);
  WEFT_SLOT(8, void, IDMLBindingTable, BindInputs, UINT, const DML_BINDING_DESC*);
  WEFT_SLOT(9, void, IDMLBindingTable, BindOutputs, UINT, const DML_BINDING_DESC*);
  WEFT_SLOT(10, void, IDMLBindingTable, BindTemporaryResource, const DML_BINDING_DESC*);
  WEFT_SLOT(11, void, IDMLBindingTable, BindPersistentResource, const DML_BINDING_DESC*);
  WEFT_SLOT(12, HRESULT, IDMLBindingTable, Reset, const DML_BINDING_TABLE_DESC*);

  WEFT_BASE(IDMLCommandRecorder, IDMLDeviceChild);
  WEFT_SLOT(8, void, IDMLCommandRecorder, RecordDispatch, ID3D12CommandList*, IDMLDispatchable*,
            IDMLBindingTable*);

  WEFT_BASE(IDMLDebugDevice, IUnknown);
  static_assert(!std::is_base_of<IDMLObject, IDMLDebugDevice>::value, "");
  WEFT_SLOT(3, void, IDMLDebugDevice, SetMuteDebugOutput, BOOL);

  if (checked != 28) std::printf("checked %d slots, must be 28\n", checked);
  return wrong == 0 && checked == 28 ? 0 : 1;
}
