// Like a named match (named_matches.cpp) it is checked by itself once, and its text once more at each use, where it has
// names of its own: an argument that is a name stands for that name, any other is evaluated once, as by `let`. The
// result is an expression of the pattern.
#include "frontend/check/named_rewrites.h"

#include "frontend/check/actions.h"
#include "frontend/check/annotations.h"
#include "frontend/check/calls.h"
#include "frontend/check/declare.h"
#include "frontend/check/destructure.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/members.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/named_parts.h"
#include "frontend/check/rounding.h"
#include "frontend/check/seen_names.h"
#include "frontend/check/unused.h"
#include "frontend/check/visible_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

/// So many uses of named rewrites by others are put into one declaration.
static constexpr size_t kMaxPutInWithin = 4 * kMaxPutIn;

void declareRewrite(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::RewriteDecl>();
  item.index = uint32_t(c.module.rewrites.size());
  NamedRewrite &rewrite = c.module.rewrites.emplace_back();
  fillDecl(c, rewrite, decl, item.imported, item.deferred);
  c.rewriteItems.push_back({&decl});
  SeenNames seen;
  for (const ast::Param &param : decl.params) {
    nameIsNew(c, seen, param.name, "the parameter");
    if (param.arity != ast::Param::Arity::One)
      c.error("bad-arity", param.range, "a named rewrite takes each parameter once: any number of values is a list")
          .note(fmt::format("as in `{}: [value]`", param.name.text));
    rewrite.params.push_back(VarId(uint32_t(rewrite.body.vars.size())));
    Var var;
    var.name = param.name.text;
    var.type = typeOfAnnotation(c, *param.type, "parameter", false);
    var.kind = VarKind::Param;
    var.range = param.name.range;
    var.index = uint32_t(rewrite.params.size() - 1);
    rewrite.body.vars.push_back(std::move(var));
  }
  for (const ast::Param &result : decl.results) {
    Type type = typeOfAnnotation(c, *result.type, "result", false);
    if (result.arity == ast::Param::Arity::Variadic)
      type = type.listOf();
    if (!type.isError() && !type.is(TypeKind::Value) &&
        !(decl.results.size() == 1 && type == Type::list(TypeKind::Value)))
      c.error("type-mismatch", result.range, fmt::format("a rewrite gives values, not {}", toString(type)))
          .note("one, or several with a name each, or a list: `-> value`, `-> (a: value, b: value)`, `-> [value]`");
    rewrite.results.push_back(type);
  }
  if (decl.results.empty())
    c.error("result-count", decl.name.range, fmt::format("the rewrite `{}` yields nothing", rewrite.name))
        .note("say what it builds: `-> value`");
  for (const BuiltinInfo &builtin : builtins())
    if (builtin.name == rewrite.name)
      c.error("duplicate-name", decl.name.range, fmt::format("`{}` is a function of the language", rewrite.name))
          .note(fmt::format("{}{}: {}", builtin.name, builtin.signature, builtin.doc));
  claim(c, c.rewrites, decl.name, item.index, "rewrite");
}

static RewriteIndex rewriteNamed(CheckContext &c, const ast::Name &name) {
  return namedOnce(c, c.rewrites, name, "named rewrite", false);
}

/// The results, over what the statements name.
static std::vector<Expr> checkRewriteBody(BodyContext &b, const ast::RewriteDecl &decl,
                                          const std::vector<Type> &results, std::vector<std::pair<VarId, Expr>> &lets) {
  for (const ast::StmtPtr &statement : decl.statements) {
    const auto *let = statement->as<ast::LetStmt>();
    if (!let)
      break;
    checkLets(b, let->names, *let->value, lets);
  }
  std::vector<Expr> out;
  const auto *result = decl.statements.back()->as<ast::ResultStmt>();
  if (!result)
    return out;
  const ast::Expr *value = result->value.get();
  if (results.empty()) { // which was said
    if (value->kind != ast::ExprKind::Tuple)
      checkExpr(b, *value);
    return out;
  }
  if (results.size() > 1 && behindLets(*value).kind == ast::ExprKind::Tuple) // `let (u, s) = f(x) in (s, u)`
    for (; const auto *let = value->as<ast::LetExpr>(); value = let->body.get())
      checkLets(b, let->names, *let->value, lets);
  const auto *tuple = value->as<ast::TupleExpr>();
  if (results.size() > 1 && !tuple) { // a list, or an op of as many results
    Expr whole = checkExpr(b, *value);
    if (whole.type.isError())
      return out;
    if (whole.type == Type::list(TypeKind::Value) ||
        (whole.type.is(TypeKind::Op) && isTakenApart(b, whole, results.size()))) {
      Apart apart = takeApart(b, std::vector<ast::Name>(results.size()), std::move(whole));
      if (apart.value)
        lets.emplace_back(apart.whole, std::move(*apart.value));
      for (Expr &part : apart.parts)
        out.push_back(convert(b, std::move(part), TypeKind::Value,
                              [&] { return fmt::format("a result of `{}`", decl.name.text); }));
      return out;
    }
  }
  if (size_t given = tuple ? tuple->elements.size() : 1; given != results.size()) {
    b.error("result-count", result->range,
            fmt::format("`{}` gives {}, not {}", decl.name.text, counted(results.size(), "value"), given))
        .note(decl.name.range, fmt::format("`{}` is declared here", decl.name.text))
        .note(results.size() > 1 ? "as many stand in parentheses: `(a, b)`"
                                 : "several are said behind the arrow: `-> (a: value, b: value)`");
    return out;
  }
  for (size_t i = 0; i < results.size(); ++i)
    out.push_back(checkExprAs(b, tuple ? *tuple->elements[i] : *value, results[i],
                              [&] { return fmt::format("the result of `{}`", decl.name.text); }));
  return out;
}

void checkDefinition(BodyContext &b, const ast::RewriteDecl &decl, NamedRewrite &out) {
  out.values = checkRewriteBody(b, decl, out.results, out.lets);
  reportUnused(b);
}

RewriteIndex rewriteOf(const BodyContext &b, const ast::QualifiedName &written) {
  if (b.c.rewrites.empty())
    return {};
  ast::QualifiedName callee = b.resolved(written);
  return callee.dialect ? RewriteIndex() : rewriteNamed(b.c, callee.name);
}

Expr checkRewriteCall(BodyContext &b, const ast::CallExpr &e, RewriteIndex index) {
  const NamedRewrite *def = checkedRewrite(b.c, index, e.callee.range);
  if (b.allow != Allow::Builds) {
    const NamedRewrite &named = b.c.module.rewrite(index);
    Report report = b.error("build-not-allowed", e.callee.range,
                            fmt::format("`{}` builds ops, so it is called right of `=>` only", named.name));
    report.note(named.nameRange, fmt::format("`{}` is declared here", named.name));
    if (b.letsMayBuild)
      report.note(fmt::format("a `let` builds, once all else fits: `where let y = {}(...), y.rank == 2`", named.name));
    return b.errorExpr(e.range);
  }
  std::vector<Expr> args = checkPlainArgs(b, e);
  if (!def)
    return b.errorExpr(e.range);
  if (args.size() != def->params.size()) {
    b.error("argument-count", e.range,
            fmt::format("`{}` takes {}, not {}", def->name, counted(def->params.size(), "argument"), args.size()))
        .note(def->nameRange, fmt::format("`{}` is declared here", def->name));
    return b.errorExpr(e.range);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Var &param = def->body.var(def->params[i]);
    args[i] = convert(b, std::move(args[i]), param.type,
                      [&] { return fmt::format("the parameter `{}` of `{}`", param.name, def->name); });
    if (args[i].type.isError())
      return b.errorExpr(e.range);
  }
  if (!b.names->putIn) // of one that is put in, what it uses is counted with it
    b.putIn += 1 + def->body.builds.size();
  // Uses within those are bounded as well: one with mistakes in it builds less than it puts in.
  if (b.names->putIn)
    ++b.putInWithin;
  if (b.putIn > kMaxPutIn || b.putInWithin > kMaxPutInWithin) {
    if (std::exchange(b.saidPutIn, true)) // once for all that the body puts in
      return b.errorExpr(e.range);
    b.error("too-complex", e.range, fmt::format("with the named rewrites put in, this is more than {} ops", kMaxPutIn))
        .note("a named rewrite is put in wherever it is used: one that uses another one twice doubles it");
    return b.errorExpr(e.range);
  }
  if (b.c.expansions.size() >= kMaxUsesDeep) { // as deep again is the syntax that is made
    b.error("too-deep", e.range, fmt::format("named rewrites use each other more than {} deep", kMaxUsesDeep))
        .note("write out some of those in between where they are used");
    return b.errorExpr(e.range);
  }
  std::vector<std::pair<VarId, Expr>> lets;
  std::vector<Expr> values;
  size_t first = b.body.vars.size();
  NameScope inner;
  inner.putIn = true;
  inner.imported = def->imported;
  inner.file = def->file;
  {
    InScope inside(b, inner);
    b.c.expansions.push_back({def->name, e.callee.range});
    for (size_t i = 0; i < args.size(); ++i) {
      const Var param = def->body.var(def->params[i]);
      if (args[i].kind == ExprKind::Var) {
        b.enterAs(param.name, args[i].var());
        continue;
      }
      VarId id = b.declare(param.name, param.range, param.type, VarKind::Let);
      rememberRounding(b, id, args[i]);
      lets.emplace_back(id, std::move(args[i]));
    }
    values = checkRewriteBody(b, b.c.declOfRewrite(index), def->results, lets);
    b.c.expansions.pop_back();
  }
  for (size_t v = first; v < b.body.vars.size(); ++v) {
    b.used[v] = true;
    b.putInVars.insert(uint32_t(v));
  }
  if (values.empty())
    return b.errorExpr(e.range);
  Expr out = std::move(values[0]);
  if (values.size() > 1) {
    b.rewriteCalls[e.range.begin.raw] = index;
    std::vector<Expr> all;
    all.push_back(std::move(out));
    std::move(values.begin() + 1, values.end(), std::back_inserter(all));
    out = b.make(ExprKind::List, Type::list(TypeKind::Value), e.range, std::move(all));
  }
  for (size_t i = lets.size(); i-- > 0;) {
    Type type = out.type;
    std::vector<Expr> parts;
    parts.push_back(std::move(lets[i].second));
    parts.push_back(std::move(out));
    out = b.make(ExprKind::Let, type, e.range, std::move(parts));
    out.id = lets[i].first.raw;
  }
  out.range = e.range;
  return out;
}

} // namespace rw::sema
