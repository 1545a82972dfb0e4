// What a step asks that is fixed when the pattern is compiled: a literal that an attribute equals, a dtype, an
// attribute that is always there.
//
// In:  steps of a plan.
// Out: whether a step asks for no more than that, and the literal.
// Elsewhere: shared_tests.h makes rows of such steps, codegen/emit and codegen/interpret short tests.
//
//   reduce(x, axis: 2)      equalsLiteral, literalInt: 2
//   add(x, splat(0))        splatInt, splatNumber: 0
//   add(x, splat(0.5))      splatNumber: 0.5
#pragma once

#include "codegen/plan/plan.h"

namespace rw::plan {

/// Whether a step asks whether an attribute equals a literal number, string, bool or dtype.
bool equalsLiteral(const Step &);
/// The int, if the step asks whether an attribute is one.
std::optional<int64_t> literalInt(const Step &);
/// The int, if the step asks whether a constant repeats one.
std::optional<int64_t> splatInt(const Step &);
/// The number that a literal splat stands for, if that is the same whatever the constant's dtype.
std::optional<double> splatNumber(const Step &);
/// Whether the type asked for is a dtype or a class of dtypes and no more.
bool asksDTypeOnly(const Step &);
/// Whether the attribute that the step looks at is there in every op that verifies.
bool alwaysThere(const Step &attr, const sema::Module &);
/// The declaration in `op` of the attribute that a step asks for, or none.
const sema::OpAttrDecl *attrOf(const sema::Op &op, const Step &attr);

/// Of the constants that stand for an attribute: the element type (empty: that of the first operand) and the rank.
struct StandInType {
  std::string dtype;
  uint8_t rank = 0;
};
StandInType typeOfStandIn(const sema::Op &, const sema::OpAttrDecl &);

} // namespace rw::plan
