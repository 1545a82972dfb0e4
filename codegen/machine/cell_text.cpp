#include "codegen/machine/cell_text.h"

#include "codegen/machine/op_clauses.h"
#include "rw/ir/structure_helpers.h"

namespace rw::interpret {

std::string textOf(Context &ctx, Elem elem, bool isList, const Cell &cell) {
  if (isList) {
    switch (elem) {
    case Elem::Float:
      return show(ctx, listOf<double>(cell));
    case Elem::Bool:
      return show(ctx, listOf<bool>(cell));
    case Elem::String:
      return show(ctx, listOf<std::string_view>(cell));
    case Elem::DType:
      return show(ctx, listOf<DType>(cell));
    case Elem::Dim:
      return show(ctx, listOf<Dim>(cell));
    case Elem::Type:
      return show(ctx, listOf<TypeId>(cell));
    case Elem::Attr:
      return show(ctx, listOf<AttrId>(cell));
    default:
      return show(ctx, listOf<int64_t>(cell));
    }
  }
  switch (elem) {
  case Elem::Float:
    return show(ctx, cell.f);
  case Elem::Bool:
    return show(ctx, cell.i != 0);
  case Elem::String:
    return show(ctx, std::string_view(static_cast<const char *>(cell.list.data), cell.list.size));
  case Elem::DType:
    return show(ctx, DType(cell.i));
  case Elem::Dim:
    return show(ctx, Dim::fromBits(cell.i));
  case Elem::Type:
    return show(ctx, TypeId(cell.id));
  case Elem::Attr:
    return show(ctx, AttrId(cell.id));
  default:
    return show(ctx, cell.i);
  }
}

} // namespace rw::interpret
