#include "frontend/check/checked_bodies.h"

#include <algorithm>

namespace rw::sema {
namespace {

bool isPlain(const Expr &e) {
  return e.kind != ExprKind::Native && e.kind != ExprKind::Is && e.kind != ExprKind::Build &&
         std::ranges::all_of(e.args, isPlain);
}
/// Whether it says nothing of the module's other tables.
bool isPlain(const Body &body) {
  return body.builds.empty() && body.tests.empty() && std::ranges::all_of(body.vars, [](const Var &v) {
           return v.ops.ops.empty() && v.ops.otherOps.empty() && !v.native;
         });
}
bool isPlain(const TypeMatch &type) {
  return type.native.empty() && std::ranges::all_of(type.elements, [](const TypeMatch &t) { return isPlain(t); });
}
bool isPlain(const Fn &) { return true; }
bool isPlain(const Op &op) {
  return std::ranges::all_of(op.operands, [](const Operand &o) { return !o.type || isPlain(*o.type); });
}

} // namespace

template <class Decl, class D>
void CheckedBodies::keep(Table<Decl, D> &table, const Decl &decl, std::shared_ptr<const ast::Module> tree,
                         const D &checked, std::span<const ast::FnDecl *const> decls) {
  if (!isPlain(checked) || !isPlain(checked.body))
    return;
  auto kept = std::make_shared<Body<D>>(Body<D>{std::move(tree), checked, {}});
  bool plain = true;
  forEachExpr(kept->checked, [&](Expr &whole) {
    plain = plain && isPlain(whole);
    forEachCall(whole, [&](Expr &call) {
      const ast::FnDecl *fn = decls[call.id];
      auto at = std::ranges::find(kept->fns, fn);
      call.id = uint32_t(at - kept->fns.begin());
      if (at == kept->fns.end())
        kept->fns.push_back(fn);
    });
  });
  if (!plain)
    return;
  std::lock_guard lock(mutex_);
  table.try_emplace(&decl, std::move(kept));
}

void CheckedBodies::keep(const ast::OpDecl &decl, std::shared_ptr<const ast::Module> tree, const Op &op,
                         std::span<const ast::FnDecl *const> decls) {
  keep(ops_, decl, std::move(tree), op, decls);
}
void CheckedBodies::keep(const ast::FnDecl &decl, std::shared_ptr<const ast::Module> tree, const Fn &fn,
                         std::span<const ast::FnDecl *const> decls) {
  keep(fns_, decl, std::move(tree), fn, decls);
}

void CheckedBodies::keepOnly(const std::set<const ast::Module *> &trees) {
  std::lock_guard lock(mutex_);
  std::erase_if(ops_, [&](const auto &kept) { return !trees.contains(kept.second->tree.get()); });
  std::erase_if(fns_, [&](const auto &kept) { return !trees.contains(kept.second->tree.get()); });
}

} // namespace rw::sema
