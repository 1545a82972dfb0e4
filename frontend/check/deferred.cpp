#include "frontend/check/deferred.h"

#include "frontend/check/checked_bodies.h"
#include "frontend/check/declare.h"

#include <algorithm>
#include <optional>

namespace rw::sema {

void noteDeferred(CheckContext &c) {
  auto note = [](std::vector<uint32_t> &items, uint32_t index, size_t item) {
    if (index >= items.size())
      items.resize(index + 1, UINT32_MAX);
    items[index] = uint32_t(item);
  };
  for (size_t i = 0; i < c.items.size(); ++i) {
    const DeclItem &item = c.items[i];
    if (item.index == UINT32_MAX)
      continue;
    if (item.decl->kind == ast::DeclKind::Op)
      note(c.opItems, item.index, i);
    else if (!item.deferred)
      continue;
    else if (item.decl->kind == ast::DeclKind::Fn)
      note(c.fnItems, item.index, i);
    else if (item.decl->kind == ast::DeclKind::Pattern)
      for (uint32_t p = item.index; p < c.instances.size() && c.instances[p].decl == item.decl; ++p)
        note(c.patternItems, p, i);
  }
}

/// Whether nothing referred to it before: then it is wanted from here on.
static bool isWanted(CheckContext &c, const std::vector<uint32_t> &items, uint32_t index) {
  if (index >= items.size() || items[index] == UINT32_MAX || !c.items[items[index]].deferred)
    return false;
  c.items[items[index]].deferred = false;
  c.wanted.push_back(items[index]);
  return true;
}

void want(CheckContext &c, OpIndex op) {
  if (!isWanted(c, c.opItems, op.raw))
    return;
  DeclItem &item = c.items[c.opItems[op.raw]];
  if ((item.isTaken = takeChecked(c, op, *c.opDecls[op.raw])) || (c.module.op(op).traits & trait::constant))
    return;
  c.module.ops[op.raw].traits = 0; // declared again, with the rest
  declareParts(c, c.module.ops[op.raw], *c.opDecls[op.raw]);
}

void want(CheckContext &c, FnIndex fn) {
  if (isWanted(c, c.fnItems, fn.raw))
    declareParts(c, c.module.fns[fn.raw], *c.fnDecls[fn.raw]);
}

void want(CheckContext &c, PatternIndex pattern) { isWanted(c, c.patternItems, pattern.raw); }

/// What another file's check came to, if it is kept: calls get the numbers that the functions have here, and these are
/// wanted.
template <class D, class Decl> static std::optional<D> checkedBefore(CheckContext &c, const Decl &decl) {
  auto known = c.options.parsed && c.options.parsed->bodies ? c.options.parsed->bodies->find(decl) : nullptr;
  if (!known)
    return std::nullopt;
  if (!known->fns.empty() && c.fnOf.empty())
    for (uint32_t i = 0; i < c.fnDecls.size(); ++i)
      c.fnOf.try_emplace(c.fnDecls[i], FnIndex(i));
  if (!std::ranges::all_of(known->fns, [&](const ast::FnDecl *fn) { return c.fnOf.contains(fn); }))
    return std::nullopt;
  D taken = known->checked;
  forEachExpr(taken, [&](Expr &whole) {
    forEachCall(whole, [&](Expr &call) { call.id = c.fnOf.lookup(known->fns[call.id]).raw; });
  });
  for (const ast::FnDecl *fn : known->fns)
    want(c, c.fnOf.lookup(fn));
  return taken;
}

bool takeChecked(CheckContext &c, OpIndex index, const ast::OpDecl &decl) {
  std::optional<Op> taken = checkedBefore<Op>(c, decl);
  if (!taken)
    return false;
  Op &op = c.module.ops[index.raw];
  static_cast<Decl &>(*taken) = std::move(static_cast<Decl &>(op));
  taken->dialect = std::move(op.dialect);
  taken->externalDialect = std::move(op.externalDialect);
  taken->means = std::move(op.means); // of this module
  op = std::move(*taken);
  return true;
}

bool takeChecked(CheckContext &c, FnIndex index, const ast::FnDecl &decl) {
  std::optional<Fn> taken = checkedBefore<Fn>(c, decl);
  if (!taken)
    return false;
  Fn &fn = c.module.fns[index.raw];
  static_cast<Decl &>(*taken) = std::move(static_cast<Decl &>(fn));
  fn = std::move(*taken);
  return true;
}

template <class D, class Decl>
static void keep(CheckContext &c, const DeclItem &item, const D &checked, const Decl &decl) {
  if (!item.imported || !c.options.parsed || !c.options.parsed->bodies || c.diags.hasErrors())
    return;
  auto tree = std::ranges::find(c.trees, item.file, [](const auto &t) { return t->file; });
  if (tree != c.trees.end())
    c.options.parsed->bodies->keep(decl, *tree, checked, c.fnDecls);
}

void keepChecked(CheckContext &c, const DeclItem &item, const Op &checked, const ast::OpDecl &decl) {
  keep(c, item, checked, decl);
}

void keepChecked(CheckContext &c, const DeclItem &item, const Fn &checked, const ast::FnDecl &decl) {
  keep(c, item, checked, decl);
}

} // namespace rw::sema
