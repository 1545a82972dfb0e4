// Operands that stand for attributes (StandInSchema): what they say.
//
// In:  an op and the number of the attribute among those that operands stand for.
// Out: the attribute, if the operand is a constant that can be read as one; or constants, to build an op with.
// Elsewhere: builds are rewrite/named_builds.h.
//
//   AttrId axes = standInAttr(squeeze, 0); // [0, 2], as an older version of the op has it
#pragma once

#include "rw/ir/function.h"

namespace rw {

/// What the operand says, or its default where it is left out; none if it is no constant or cannot be read as such an
/// attribute.
AttrId standInAttr(Op, unsigned which);
/// The attribute as the tensor that the operand would hold, where operand 0 has element type `first`; none if that
/// cannot hold it.
AttrId standInTensor(Context &, const StandInSchema &, AttrId, DType first);
/// The default as an attribute; none if there is none.
AttrId standInDefault(Context &, const StandInSchema &);

/// Whether attribute `index` is left out, stored or among the operands.
inline bool attrIsAbsent(Op op, unsigned index) {
  if (op.attr(index))
    return false;
  const OpSchema &schema = op.schema();
  size_t which = index - schema.attrs.size();
  return index < schema.attrs.size() || which >= schema.standIns.size() || !op.operand(schema.standIns[which].operand);
}

} // namespace rw
