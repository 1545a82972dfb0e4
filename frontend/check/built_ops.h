// Ops that a right side builds: `conv(x, w, group = 1)`, and matched ones again on other operands, `d(y)`.
//
// In:  a call whose name is that of an op, or of a variable that holds one.
// Out: a Build of the body, and an Expr that stands for it.
// Elsewhere: what else can be called is calls.h; regions are regions.h.
//
//   Expr op = checkBuild(b, call, callee, std::nullopt);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// A new op. `first` is its first operand, where that was checked to find out what the call means.
Expr checkBuild(BodyContext &b, const ast::CallExpr &e, const ast::QualifiedName &callee, std::optional<Expr> first);
/// `f(x)`: the op that `f` holds again.
Expr checkReplay(BodyContext &b, const ast::CallExpr &e, VarId id);
/// `mid(x)`, `mid(x, side => transpose(side, perm = q))`: every op of a chain again.
Expr checkChainReplay(BodyContext &b, const ast::CallExpr &e, VarId id);
/// The attributes that arguments give; of a new op those that it needs are given.
void checkBuildAttrs(BodyContext &b, const std::vector<ast::CallArg> &args, OpSet ops, std::vector<BuildAttr> &out,
                     bool opIsNew, SourceRange calleeRange);
/// Adds the build to the body: the Expr that stands for it.
Expr finishBuild(BodyContext &b, Build build, SourceRange range);
/// How many results the ops of a variable have; -1 if that differs or is open.
int resultCount(const BodyContext &b, const OpSet &ops);
/// How many results there are before the first that may be left out, at least 1 where there are any; of versions that
/// differ in these alone as well.
int leastResults(const BodyContext &b, const OpSet &ops);
/// Reports `none` for an attribute that one of the ops always has.
void reportNone(BodyContext &b, const OpSet &ops, const ast::Name &attr, SourceRange range);

} // namespace rw::sema
