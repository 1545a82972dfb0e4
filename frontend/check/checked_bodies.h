// Checked bodies of functions and ops that several files import: checked in the first, copied into the others.
//
// In:  a function or an op as it was checked, with the functions that it calls.
// Out: the same for another module, where these functions have other numbers.
// Elsewhere: who may import without checking again is ParsedFiles (check.h); which bodies a file needs, deferred.h.
//
// Of the ops of `patterns/` each is looked at in three files: copying what one check came to takes a tenth of another
// check. Only what refers to nothing of its module but functions is kept; anything else is checked again. Threads may
// share one.
//
//   if (auto known = bodies.find(decl)) fn = known->fn ...       // takeChecked of deferred.h
#pragma once

#include "frontend/ast/ast.h"
#include "frontend/sema/module.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

namespace rw::sema {

class CheckedBodies {
public:
  /// One of the two. Calls in it have as number a place in `fns`.
  template <class D> struct Body {
    std::shared_ptr<const ast::Module> tree; // of the declarations, which must not be another's meanwhile
    D checked;
    std::vector<const ast::FnDecl *> fns;
  };

  std::shared_ptr<const Body<Op>> find(const ast::OpDecl &decl) const { return find(ops_, &decl); }
  std::shared_ptr<const Body<Fn>> find(const ast::FnDecl &decl) const { return find(fns_, &decl); }

  /// `decls`: of the module's functions. Nothing is kept if it refers to something else.
  void keep(const ast::OpDecl &, std::shared_ptr<const ast::Module> tree, const Op &,
            std::span<const ast::FnDecl *const> decls);
  void keep(const ast::FnDecl &, std::shared_ptr<const ast::Module> tree, const Fn &,
            std::span<const ast::FnDecl *const> decls);

  /// What other trees declare is not kept any longer: their files have another text by now.
  void keepOnly(const std::set<const ast::Module *> &trees);

private:
  template <class Decl, class D> using Table = std::map<const Decl *, std::shared_ptr<const Body<D>>>;
  template <class Decl, class D>
  std::shared_ptr<const Body<D>> find(const Table<Decl, D> &table, const Decl *decl) const {
    std::lock_guard lock(mutex_);
    auto it = table.find(decl);
    return it == table.end() ? nullptr : it->second;
  }
  template <class Decl, class D>
  void keep(Table<Decl, D> &, const Decl &, std::shared_ptr<const ast::Module> tree, const D &,
            std::span<const ast::FnDecl *const> decls);

  mutable std::mutex mutex_;
  Table<ast::OpDecl, Op> ops_;
  Table<ast::FnDecl, Fn> fns_;
};

/// Calls `visit` with each call of a function in an expression.
template <class F> void forEachCall(Expr &e, const F &visit) {
  if (e.kind == ExprKind::Call)
    visit(e);
  for (Expr &arg : e.args)
    forEachCall(arg, visit);
}
/// In the expressions of a function or an op.
template <class F> void forEachExpr(Fn &fn, const F &visit) { visit(fn.value); }
template <class F> void forEachExpr(TypeMatch &type, const F &visit) {
  if (type.dtype)
    visit(*type.dtype);
  if (type.dims)
    for (DimMatch &dim : *type.dims)
      if (dim.value)
        visit(*dim.value);
  for (TypeMatch &element : type.elements)
    forEachExpr(element, visit);
  if (type.equals)
    visit(*type.equals);
}
template <class F> void forEachExpr(Op &op, const F &visit) {
  for (Operand &operand : op.operands)
    if (operand.type)
      forEachExpr(*operand.type, visit);
  for (auto *attrs : {&op.attrs, &op.standIns})
    for (OpAttrDecl &attr : *attrs)
      if (attr.defaultValue)
        visit(*attr.defaultValue);
  for (Require &require : op.requires_) {
    visit(require.condition);
    for (MessagePiece &piece : require.message)
      if (piece.value)
        visit(*piece.value);
  }
  for (Op::Dimension &dimension : op.dimensions)
    visit(dimension.value);
  for (Expr &type : op.types)
    visit(type);
  for (FoldRule &fold : op.folds) {
    visit(fold.value);
    if (fold.condition)
      visit(*fold.condition);
  }
}

} // namespace rw::sema
