// The clauses of an op as code: `type`, `require`, defaults and `fold` run on what is known of an op.
//
// In:  the code, and an op or what one would be made of.
// Out: what the hooks of a schema give (rw/ir/schema.h).
// Elsewhere: schemas of files that are loaded are loaded_unit.cpp; those of embedded ones call rw::EmbeddedClauses.
//
//   bool known = inferTypes({bound, unit.ops[0]}, inputs, types);
#pragma once

#include "codegen/machine/machine.h"

namespace rw::interpret {

/// The elements of a list that a register holds.
template <class T> std::span<const T> listOf(const Cell &cell) {
  return {static_cast<const T *>(cell.list.data), cell.list.size};
}

struct OpClauses {
  const Bound &unit;
  const OpCode &op;
};

bool inferTypes(const OpClauses &, const OpInputs &, std::span<TypeId>);
bool check(const OpClauses &, const OpInputs &, CheckSink &);
AttrId defaultAttr(const OpClauses &, const OpInputs &, unsigned index);
FoldResult fold(const OpClauses &, Op);

} // namespace rw::interpret
