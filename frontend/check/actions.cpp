#include "frontend/check/actions.h"

#include "frontend/check/built_ops.h"
#include "frontend/check/destructure.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/members.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/unknown_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

std::vector<Expr> checkValues(BodyContext &b, const ast::Expr &e) {
  std::vector<Expr> out;
  if (const auto *tuple = e.as<ast::TupleExpr>())
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      out.push_back(checkExpr(b, *tuple->elements[i]));
      if (!tuple->spreads(i) || out.back().type.isError() || out.back().type == Type::list(TypeKind::Value))
        continue;
      b.error("type-mismatch", tuple->elements[i]->range,
              fmt::format("before `...` stands a list of values, but this is {}", toString(out.back().type)))
          .note("what `rest...` binds on the left is one");
      out.back() = b.errorExpr(tuple->elements[i]->range);
    }
  else
    out.push_back(checkExpr(b, e));
  return out;
}

static VarId checkTarget(BodyContext &b, const ast::Name &name, std::string_view verb) {
  VarId id = b.find(name.text);
  if (!id) {
    std::vector<std::string_view> candidates;
    for (const Scoped &scoped : b.names->scope)
      if (b.var(scoped.var).type.is(TypeKind::Op))
        candidates.push_back(scoped.entry->getKey());
    Report report = b.error("unbound-name", name.range, fmt::format("`{}` is not bound here", name.text));
    suggest(b.c, report, name.range, name.text, candidates);
    report.note(fmt::format("`{}` takes an op that the left side names: `d: transpose(x, perm = p)`", verb));
    return {};
  }
  b.use(id);
  if (b.var(id).type.isError())
    return {};
  if (b.var(id).type.is(TypeKind::Op) && b.var(id).kind == VarKind::Op)
    return id;
  if (b.var(id).type.is(TypeKind::Op)) {
    b.error("type-mismatch", name.range,
            fmt::format("`{}` takes an op by the name that the left side gives it, not by another", verb))
        .note(b.var(id).range, fmt::format("`{}` is bound here", name.text));
    return {};
  }
  Report report = b.error("type-mismatch", name.range,
                          fmt::format("`{}` takes an op, but `{}` is {}", verb, name.text, toString(b.var(id).type)));
  report.note(b.var(id).range, fmt::format("`{}` is bound here", name.text));
  sayWhyValue(b, report, id);
  return {};
}

static Action checkReplace(BodyContext &b, std::vector<Expr> given, VarId op, const Match *root, SourceRange range) {
  Action out;
  out.kind = ActionKind::Replace;
  out.op = op;
  out.range = range;
  OpSet ops;
  if (op)
    ops = b.var(op).ops;
  else if (root && root->kind == MatchKind::Op)
    ops = root->ops;
  else if (root)
    forEachRootOp(
        *root, [&](const Match &child) { ops.ops.insert(ops.ops.end(), child.ops.ops.begin(), child.ops.ops.end()); });
  for (const Expr &value : given)
    if (value.type.isError())
      return out;
  if (ops.ops.empty() && !ops.byTrait())
    return out; // what it is was reported
  int results = resultCount(b, ops);
  const Op *named = ops.ops.empty() ? nullptr : &b.c.module.op(ops.ops.front());
  VarId replaced = op ? op : root && root->op ? root->op.var : VarId();
  if (given.size() == 1 && given[0].kind == ExprKind::Var && given[0].type.is(TypeKind::Op) && replaced &&
      given[0].var() == replaced) {
    b.error("no-action", given[0].range, fmt::format("`{}` would become what it is", b.var(replaced).name))
        .note(results == 0 ? fmt::format("an op without results goes by `erase {}`", b.var(replaced).name)
                           : fmt::format("its operands are named on the left; `{}(x)` builds it again on another one",
                                         b.var(replaced).name));
    return out;
  }
  if (const Build *again =
          given.size() == 1 && given[0].kind == ExprKind::Build ? &b.body.builds[given[0].build().raw] : nullptr;
      ops.any && again && again->kind == BuildKind::Like && b.var(again->like).ops.any) {
    // Any op built again replaces all results of any op, however many both have.
    b.body.builds[given[0].build().raw].resultCount = kOpenResults;
    given[0].type = TypeKind::Op;
  }
  // How many results any op has is counted when the pattern is about to fire.
  if (ops.any &&
      (given.size() != 1 || given[0].type.isList() || (given[0].type.is(TypeKind::Op) && opsOf(b, given[0]).any)))
    results = -1;
  if (results < 0 && given.size() == 1 && given[0].type.is(TypeKind::Op) && opsOf(b, given[0]).any) {
    out.values = std::move(given);
    return out;
  }
  if (given.size() == 1 && given[0].type.is(TypeKind::Op) && results != 1) {
    int built = given[0].kind == ExprKind::Build ? int(b.body.builds[given[0].build().raw].resultCount)
                : given[0].kind == ExprKind::Var ? resultCount(b, b.var(given[0].var()).ops)
                                                 : -1;
    bool first = built > 0 && leastResults(b, opsOf(b, given[0])) == 1 &&
                 leastResults(b, ops) == 1; // of both the first alone will do
    if (built == results ||
        (!first && (built < 0 || results < 0))) { // an open number is counted when the pattern is about to fire
      out.values = std::move(given);
      return out;
    }
    if (!first) {
      b.error("result-count", given[0].range,
              fmt::format("this has {}, but what it replaces has {}", counted(size_t(std::max(built, 0)), "result"),
                          std::max(results, 0)));
      return out;
    }
    given[0] = convert(b, std::move(given[0]), TypeKind::Value, "what replaces a result");
    if (given[0].type.isError())
      return out;
  }
  if (results < 0) { // counted when the pattern is about to fire
    for (Expr &value : given) {
      bool list = value.type.isList();
      out.values.push_back(convert(b, std::move(value), list ? Type::list(TypeKind::Value) : Type(TypeKind::Value),
                                   "what replaces a result"));
    }
    return out;
  }
  if (given.size() == 1 && given[0].type == Type::list(TypeKind::Value) &&
      results > 1) { // exactly as many, as for `let (a, b) = list`
    std::vector<ast::Name> names(size_t(results), ast::Name{"part", given[0].range});
    Apart apart = takeApart(b, names, std::move(given[0]));
    if (!apart.value) // reported
      return out;
    Action &let = b.before.emplace_back();
    let.kind = ActionKind::Let;
    let.range = range;
    let.vars.push_back(apart.whole);
    let.values.push_back(std::move(*apart.value));
    given = std::move(apart.parts);
  }
  // Those that may be left out go with the op, if nothing uses them.
  while (!given.empty() && int(given.size()) < results && int(given.size()) >= leastResults(b, ops))
    given.push_back(b.make(ExprKind::None, TypeKind::Value, range));
  if (int(given.size()) != results) {
    Report report = b.error(
        "result-count", range,
        fmt::format("{} cannot replace {}", counted(given.size(), "value"), counted(size_t(results), "result")));
    if (named)
      report.note(named->nameRange, fmt::format("`{}` has {}", named->fullName(), counted(size_t(results), "result")));
    if (results == 0)
      report.note("an op without results is erased: `=> erase c`, with `c: ...` on the left");
    return out;
  }
  bool changes = given.empty();
  for (size_t i = 0; i < given.size(); ++i) {
    const Expr &e = given[i];
    changes |= !(e.kind == ExprKind::OpResult && e.i == int64_t(i) && e.args[0].kind == ExprKind::Var && replaced &&
                 e.args[0].var() == replaced);
  }
  if (!changes)
    b.error("no-action", range, fmt::format("`{}` would become what it is", b.var(replaced).name))
        .note("say for some result what takes its place");
  for (Expr &value : given)
    out.values.push_back(convert(b, std::move(value), TypeKind::Value, "what replaces a result"));
  return out;
}

void rememberOps(BodyContext &b, VarId id, const Expr &value) {
  if (RewriteIndex rewrite = rewriteOf(b, value))
    b.rewriteVars[id.raw] = rewrite;
  if (value.kind != ExprKind::Build)
    return;
  const Build &built = b.body.builds[value.build().raw];
  b.var(id).native = built.native;
  b.var(id).ops = opsOf(b, value);
}

Action checkLet(BodyContext &b, const std::vector<ast::Name> &names, const ast::Expr &e, SourceRange range) {
  Action out;
  out.kind = ActionKind::Let;
  out.range = range;
  Expr value;
  bool tuple = e.kind == ast::ExprKind::Tuple;
  if (names.size() == 1 || !tuple)
    value = checkExpr(b, e);
  bool open = names.size() > 1 && value.type.is(TypeKind::Op) && resultsOf(b, value) < 0;
  if (names.size() > 1 && (tuple || value.type.isList() || open)) {
    Apart apart = tuple ? takeApart(b, names, e) : takeApart(b, names, std::move(value));
    if (apart.value) {
      out.vars.push_back(apart.whole);
      out.values.push_back(std::move(*apart.value));
    }
    for (size_t i = 0; i < names.size(); ++i) {
      out.vars.push_back(b.declareLet(names[i], apart.parts[i].type));
      out.values.push_back(std::move(apart.parts[i]));
    }
    return out;
  }
  if (names.size() > 1 && !value.type.isError()) {
    bool fits = value.type.is(TypeKind::Op) ? isTakenApart(b, value, names.size()) : false;
    if (!fits && value.type.is(TypeKind::Op))
      reportResultCount(b, value, names.size());
    else if (!fits)
      b.error("result-count", value.range,
              fmt::format("this has 1 result, but there are {}", counted(names.size(), "name")))
          .note("one name takes it: `let a = e`");
    if (!fits)
      value = b.errorExpr(value.range);
  }
  bool apart = names.size() > 1;
  for (const ast::Name &name : names) {
    Type type = value.type.isError() ? value.type : apart ? Type(TypeKind::Value) : value.type;
    VarId id = b.declareLet(name, type);
    if (!apart)
      rememberOps(b, id, value);
    out.vars.push_back(id);
  }
  out.values.push_back(std::move(value));
  return out;
}

const ast::Expr &behindLets(const ast::Expr &e) {
  const ast::Expr *inner = &e;
  while (const auto *let = inner->as<ast::LetExpr>())
    inner = let->body.get();
  return *inner;
}

/// `let a = e in (a, b)`: a tuple is no value, so what it is behind stands before the action.
static const ast::Expr &checkLetsBefore(BodyContext &b, const ast::Expr &e) {
  const ast::Expr &inner = behindLets(e);
  if (inner.kind != ast::ExprKind::Tuple)
    return e;
  for (const ast::Expr *at = &e; at != &inner; at = at->get<ast::LetExpr>().body.get())
    b.before.push_back(checkLet(b, at->get<ast::LetExpr>().names, *at->get<ast::LetExpr>().value, at->range));
  return inner;
}

Action checkAction(BodyContext &b, const ast::Stmt &s, bool last, size_t rootCount, const Match *root) {
  Action out;
  out.range = s.range;
  switch (s.kind) {
  case ast::StmtKind::Let: {
    const auto &stmt = s.get<ast::LetStmt>();
    return checkLet(b, stmt.names, *stmt.value, s.range);
  }
  case ast::StmtKind::Replace: {
    const auto &stmt = s.get<ast::ReplaceStmt>();
    VarId op = checkTarget(b, stmt.target, "replace");
    size_t mark = b.openScope();
    std::vector<Expr> given = checkValues(b, checkLetsBefore(b, *stmt.value));
    b.closeScope(mark);
    if (op)
      return checkReplace(b, std::move(given), op, root, s.range);
    out.kind = ActionKind::Replace;
    return out;
  }
  case ast::StmtKind::Update: {
    const auto &stmt = s.get<ast::UpdateStmt>();
    out.kind = ActionKind::Update;
    out.op = checkTarget(b, stmt.target, "update");
    for (const ast::CallArg &arg : stmt.attrs)
      if (arg.form != ast::CallArg::Form::Attrs && (arg.form != ast::CallArg::Form::Plain || !arg.name))
        b.error("misplaced", arg.range, "`update` sets attributes: `perm = p`");
    if (out.op)
      checkBuildAttrs(b, stmt.attrs, b.var(out.op).ops, out.attrs, false, s.range);
    for (const BuildAttr &attr : out.attrs)
      for (OpIndex id : b.var(out.op).ops.ops)
        if (const Op &op = b.c.module.op(id); op.isStandIn(op.attrNamed(attr.name))) {
          b.error("misplaced", attr.range,
                  fmt::format("of `{}` an operand stands for the attribute `{}`, and `update` changes no operands",
                              op.fullName(), attr.name))
              .note(op.operands[op.attrAt(size_t(op.attrNamed(attr.name))).operand].range, "this one")
              .note(fmt::format("`=> {}(..., {} = ...)` builds the op again", stmt.target.text, attr.name));
          break;
        }
    if (stmt.attrs.empty())
      b.error("no-action", s.range, "this updates nothing").note("say what changes: `update d { perm = p }`");
    return out;
  }
  case ast::StmtKind::Erase:
    out.kind = ActionKind::Erase;
    out.op = checkTarget(b, s.get<ast::EraseStmt>().target, "erase");
    return out;
  case ast::StmtKind::Result: {
    if (!last)
      b.error("misplaced", s.range, "what the root becomes stands last; use `let` or `replace` before it");
    if (rootCount > 1)
      b.error("several-roots", s.range, "with several roots, say which op is replaced: `replace a with ...;`")
          .note("as in `=> { replace a with x; replace b with y; }`");
    size_t mark = b.openScope();
    out = checkReplace(b, checkValues(b, checkLetsBefore(b, *s.get<ast::ResultStmt>().value)), {}, root, s.range);
    b.closeScope(mark);
    return out;
  }
  }
  return out;
}

} // namespace rw::sema
