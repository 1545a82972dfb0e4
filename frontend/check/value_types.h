// Types as they are written: of what is built, `-> f32[2, n]`, and of what is matched, `x: f32[m, k]`.
//
// In:  syntax of a type.
// Out: on right sides an Expr, on left sides what a match asks for.
// Elsewhere: types of parameters and attributes of declarations are annotations.h.
//
//   Expr type = checkType(b, *e.statedType);
//   matchType(b, *m.type, out);
#pragma once

#include "frontend/check/body_context.h"

#include <span>

namespace rw::sema {

/// A type as a value. With `symbolsBind` names of dimensions are declared where they first stand.
Expr checkType(BodyContext &b, const ast::TypeExpr &type, bool symbolsBind = false);
/// What a type asks of the value that `into` matches; names of dimensions bind.
void matchType(BodyContext &b, const ast::TypeExpr &type, Match &into);
/// The word behind a colon that is neither a type nor anything that has a name here.
const ast::Name *unknownType(BodyContext &b, const ast::Match &m);
/// The lists, one or more, joined: a tree of `++` that is not deep, however many they are.
Expr joinLists(BodyContext &b, std::span<Expr> lists, SourceRange range);

} // namespace rw::sema
