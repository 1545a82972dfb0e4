// Named rewrites: `rewrite twice(x: value) -> value = relu(relu(x));`, used on right sides as `twice(y)`.
//
// Like a named match (named_matches.cpp) it is checked by itself once, and its text once more at each use, where it has
// names of its own: an argument that is a name stands for that name, any other is evaluated once, as by `let`. The
// result is an expression of the pattern.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

void Checker::declareRewrite(Item &item) {
  const auto &decl = item.decl->get<ast::RewriteDecl>();
  item.index = uint32_t(module.rewrites.size());
  NamedRewrite &rewrite = module.rewrites.emplace_back();
  fill(rewrite, decl, item.imported, item.deferred);
  rewriteItems_.push_back({&decl});
  SeenNames seen;
  for (const ast::Param &param : decl.params) {
    nameIsNew(seen, param.name, "the parameter");
    if (param.arity != ast::Param::Arity::One)
      error("bad-arity", param.range, "a named rewrite takes each parameter once: any number of values is a list")
          .note(fmt::format("as in `{}: [value]`", param.name.text));
    rewrite.params.push_back({uint32_t(rewrite.body.vars.size())});
    Var var;
    var.name = param.name.text;
    var.type = typeOfAnnotation(*param.type, "parameter", false);
    var.kind = VarKind::Param;
    var.range = param.name.range;
    var.index = uint32_t(rewrite.params.size() - 1);
    rewrite.body.vars.push_back(std::move(var));
  }
  for (const ast::Param &result : decl.results) {
    Type type = typeOfAnnotation(*result.type, "result", false);
    if (result.arity == ast::Param::Arity::Variadic)
      type = type.listOf();
    if (!type.isError() && !type.is(TypeKind::Value) &&
        !(decl.results.size() == 1 && type == Type::list(TypeKind::Value)))
      error("type-mismatch", result.range, fmt::format("a rewrite gives values, not {}", toString(type)))
          .note("one, or several with a name each, or a list: `-> value`, `-> (a: value, b: value)`, `-> [value]`");
    rewrite.results.push_back(type);
  }
  if (decl.results.empty())
    error("result-count", decl.name.range, fmt::format("the rewrite `{}` yields nothing", rewrite.name))
        .note("say what it builds: `-> value`");
  for (const BuiltinInfo &builtin : builtins())
    if (builtin.name == rewrite.name)
      error("duplicate-name", decl.name.range, fmt::format("`{}` is a function of the language", rewrite.name))
          .note(fmt::format("{}{}: {}", builtin.name, builtin.signature, builtin.doc));
  claim(rewrites, decl.name, item.index, "rewrite");
}

RewriteIndex Checker::rewriteNamed(const ast::Name &name, bool silent) {
  return namedOnce(rewrites, name, "named rewrite", silent);
}

void BodyChecker::define(const ast::RewriteDecl &decl, NamedRewrite &out) {
  out.values = rewriteBody(decl, out.results, out.lets);
  reportUnused();
}

/// The results, over what the statements name.
std::vector<Expr> BodyChecker::rewriteBody(const ast::RewriteDecl &decl, const std::vector<Type> &results,
                                           std::vector<std::pair<VarId, Expr>> &lets) {
  for (const ast::StmtPtr &statement : decl.statements) {
    const auto *let = statement->as<ast::LetStmt>();
    if (!let)
      break;
    letInto(let->names, *let->value, lets);
  }
  std::vector<Expr> out;
  const auto *result = decl.statements.back()->as<ast::ResultStmt>();
  if (!result)
    return out;
  const ast::Expr *value = result->value.get();
  if (results.empty()) { // which was said
    if (value->kind != ast::ExprKind::Tuple)
      expr(*value);
    return out;
  }
  if (results.size() > 1 && behindLets(*value).kind == ast::ExprKind::Tuple) // `let (u, s) = f(x) in (s, u)`
    for (; const auto *let = value->as<ast::LetExpr>(); value = let->body.get())
      letInto(let->names, *let->value, lets);
  const auto *tuple = value->as<ast::TupleExpr>();
  if (results.size() > 1 && !tuple) { // a list, or an op of as many results
    Expr whole = expr(*value);
    if (whole.type.isError())
      return out;
    if (whole.type == Type::list(TypeKind::Value) ||
        (whole.type.is(TypeKind::Op) && isTakenApart(whole, results.size()))) {
      Apart apart = takeApart(std::vector<ast::Name>(results.size()), std::move(whole));
      if (apart.value)
        lets.emplace_back(apart.whole, std::move(*apart.value));
      for (Expr &part : apart.parts)
        out.push_back(
            convert(std::move(part), TypeKind::Value, [&] { return fmt::format("a result of `{}`", decl.name.text); }));
      return out;
    }
  }
  if (size_t given = tuple ? tuple->elements.size() : 1; given != results.size()) {
    c.error("result-count", result->range,
            fmt::format("`{}` gives {}, not {}", decl.name.text, counted(results.size(), "value"), given))
        .note(decl.name.range, fmt::format("`{}` is declared here", decl.name.text))
        .note(results.size() > 1 ? "as many stand in parentheses: `(a, b)`"
                                 : "several are said behind the arrow: `-> (a: value, b: value)`");
    return out;
  }
  for (size_t i = 0; i < results.size(); ++i)
    out.push_back(exprOf(tuple ? *tuple->elements[i] : *value, results[i],
                         [&] { return fmt::format("the result of `{}`", decl.name.text); }));
  return out;
}

RewriteIndex BodyChecker::rewriteOf(const ast::QualifiedName &written) const {
  if (c.rewrites.empty())
    return {};
  ast::QualifiedName callee = resolved(written);
  return callee.dialect ? RewriteIndex() : c.rewriteNamed(callee.name);
}

Expr BodyChecker::callRewrite(const ast::CallExpr &e, RewriteIndex index) {
  const NamedRewrite *def = c.checkedRewrite(index, e.callee.range);
  if (allow != Allow::Builds) {
    const NamedRewrite &named = c.module.rewrite(index);
    Report report = c.error("build-not-allowed", e.callee.range,
                            fmt::format("`{}` builds ops, so it is called right of `=>` only", named.name));
    report.note(named.nameRange, fmt::format("`{}` is declared here", named.name));
    if (letsMayBuild_)
      report.note(fmt::format("a `let` builds, once all else fits: `where let y = {}(...), y.rank == 2`", named.name));
    return errorExpr(e.range);
  }
  std::vector<Expr> args = plainArgs(e);
  if (!def)
    return errorExpr(e.range);
  if (args.size() != def->params.size()) {
    c.error("argument-count", e.range,
            fmt::format("`{}` takes {}, not {}", def->name, counted(def->params.size(), "argument"), args.size()))
        .note(def->nameRange, fmt::format("`{}` is declared here", def->name));
    return errorExpr(e.range);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Var &param = def->body.var(def->params[i]);
    args[i] = convert(std::move(args[i]), param.type,
                      [&] { return fmt::format("the parameter `{}` of `{}`", param.name, def->name); });
    if (args[i].type.isError())
      return errorExpr(e.range);
  }
  if (!names_->putIn) // of one that is put in, what it uses is counted with it
    putIn_ += 1 + def->body.builds.size();
  // Uses within those are bounded as well: one with mistakes in it builds less than it puts in.
  if (names_->putIn)
    ++putInWithin_;
  if (putIn_ > kMaxPutIn || putInWithin_ > kMaxPutInWithin) {
    if (std::exchange(saidPutIn_, true)) // once for all that the body puts in
      return errorExpr(e.range);
    c.error("too-complex", e.range, fmt::format("with the named rewrites put in, this is more than {} ops", kMaxPutIn))
        .note("a named rewrite is put in wherever it is used: one that uses another one twice doubles it");
    return errorExpr(e.range);
  }
  if (c.expansions.size() >= Checker::kMaxUsesDeep) { // as deep again is the syntax that is made
    c.error("too-deep", e.range, fmt::format("named rewrites use each other more than {} deep", Checker::kMaxUsesDeep))
        .note("write out some of those in between where they are used");
    return errorExpr(e.range);
  }
  std::vector<std::pair<VarId, Expr>> lets;
  std::vector<Expr> values;
  size_t first = body.vars.size();
  Names inner;
  inner.putIn = true;
  inner.imported = def->imported;
  inner.file = def->file;
  {
    In inside(*this, inner);
    c.expansions.push_back({def->name, e.callee.range});
    for (size_t i = 0; i < args.size(); ++i) {
      const Var param = def->body.var(def->params[i]);
      if (args[i].kind == ExprKind::Var) {
        enterAs(param.name, args[i].var());
        continue;
      }
      VarId id = declare(param.name, param.range, param.type, VarKind::Let);
      rememberRounding(id, args[i]);
      lets.emplace_back(id, std::move(args[i]));
    }
    values = rewriteBody(c.declOfRewrite(index), def->results, lets);
    c.expansions.pop_back();
  }
  for (size_t v = first; v < body.vars.size(); ++v) {
    used_[v] = true;
    putInVars_.insert(uint32_t(v));
  }
  if (values.empty())
    return errorExpr(e.range);
  Expr out = std::move(values[0]);
  if (values.size() > 1) {
    rewriteCalls_[e.range.begin.raw] = index;
    std::vector<Expr> all;
    all.push_back(std::move(out));
    std::move(values.begin() + 1, values.end(), std::back_inserter(all));
    out = make(ExprKind::List, Type::list(TypeKind::Value), e.range, std::move(all));
  }
  for (size_t i = lets.size(); i-- > 0;) {
    Type type = out.type;
    std::vector<Expr> parts;
    parts.push_back(std::move(lets[i].second));
    parts.push_back(std::move(out));
    out = make(ExprKind::Let, type, e.range, std::move(parts));
    out.id = lets[i].first.raw;
  }
  out.range = e.range;
  return out;
}

} // namespace rw::sema
