// Attributes that hold one of a few strings, `attr mode: "same" | "valid"`: whatever is written for them, or compared
// with them, is one of these.
//
// In:  checked values, and the choices of the attribute that they are for.
// Out: reports of literals that are none of them.
//
//   checkChoice(b, value, attr.choices, "the default", attr.nameRange);
#pragma once

#include "frontend/check/body_context.h"

#include <span>

namespace rw::sema {

/// Reports a literal that is none of the choices of an attribute. Of an `if` either branch counts. Other expressions
/// are asked when they are evaluated.
void checkChoice(BodyContext &b, const Expr &value, const std::vector<std::string> &choices, What what,
                 SourceRange declared);
/// All that a match asks of one attribute.
void checkMatchedChoices(BodyContext &b, const OpAttrDecl &attr, std::span<const AttrMatch> matches);
/// `mode == "smae"`.
void checkComparedChoices(BodyContext &b, const Expr &lhs, const Expr &rhs);
/// What the value of an expression can be, if it is such an attribute.
const std::vector<std::string> *choicesOf(const BodyContext &b, const Expr &e, SourceRange &declared);

} // namespace rw::sema
