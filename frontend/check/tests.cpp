#include "frontend/check/tests.h"

#include "frontend/check/actions.h"
#include "frontend/check/body_context.h"
#include "frontend/check/built_ops.h"
#include "frontend/check/constant_ops.h"
#include "frontend/check/declare.h"
#include "frontend/check/destructure.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/members.h"
#include "frontend/check/passes.h"
#include "frontend/check/seen_names.h"
#include "frontend/check/templates.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/unused.h"
#include "frontend/check/value_types.h"
#include "frontend/check/visible_names.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

namespace rw::sema {

/// One side of `=>`: names for what several results share, and the results.
static Test::Side checkSide(BodyContext &b, const Test &test, const ast::Expr &given, bool after) {
  Test::Side side;
  const ast::Expr *e = &given;
  size_t mark = b.openScope();
  for (; const auto *let = e->as<ast::LetExpr>(); e = let->body.get()) {
    if (let->names.size() == 1) {
      Expr value = checkExpr(b, *let->value);
      VarId id = b.declare(let->names[0], value.type, VarKind::Let);
      rememberOps(b, id, value);
      side.lets.push_back({id, std::move(value)});
      continue;
    }
    Apart apart = takeApart(b, let->names, *let->value);
    if (apart.value)
      side.lets.push_back({apart.whole, std::move(*apart.value)});
    for (size_t i = 0; i < let->names.size(); ++i) {
      VarId id = b.declare(let->names[i], apart.parts[i].type, VarKind::Let);
      side.lets.push_back({id, std::move(apart.parts[i])});
    }
  }
  if (const auto *word = e->as<ast::NameExpr>(); word && !b.find(word->name.text) && after && e == &given &&
                                                 nearestName(word->name.text, {"unchanged"}) == "unchanged") {
    b.c.error("unbound-name", word->range, fmt::format("`{}` is not bound here", word->name.text))
        .fixIt(word->range, "unchanged");
    side.values.resize(test.before.values.size());
    return side;
  }
  side.values = checkValues(b, *e);
  for (Expr &value : side.values) {
    if (!value.type.is(TypeKind::Op)) {
      value = convert(b, std::move(value), TypeKind::Value, "what a test returns");
      continue;
    }
    int results = resultsOf(b, value);
    if (results < 0 && leastResults(b, opsOf(b, value)) == 1) { // of some versions it has no other
      value = convert(b, std::move(value), TypeKind::Value, "what a test returns");
      continue;
    }
    if (results < 2 || leastResults(b, opsOf(b, value)) == results)
      continue;
    if (opsOf(b, value).ops.empty()) { // what a rewrite in C++ returns
      b.c.error("result-count", value.range,
                fmt::format("these are {} values, so it is to be said which a test returns", results))
          .note("as in `let (a, b) = f(x) in (a, b)`");
      continue;
    }
    const Op &op = b.c.module.op(opsOf(b, value).ops.front());
    std::vector<std::string> all;
    for (const OpResultDecl &result : op.results)
      all.push_back("d." + result.name);
    std::string text = b.c.textOf(value.range);
    b.c.error(
           "result-count", value.range,
           fmt::format("some results of `{}` may be left out, so it is to be said which a test returns", op.fullName()))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
        .note(fmt::format("the first is `{}.{}`; all are `let d = {} in ({})`",
                          value.kind == ExprKind::Var ? text : op.name + "(...)", op.results[0].name,
                          value.kind == ExprKind::Var ? text : op.name + "(...)", fmt::join(all, ", ")));
  }
  b.closeScope(mark);
  return side;
}

/// What the test is of: the file's own pattern, pass or pipeline of that name, else one that it imports.
static bool findTested(CheckContext &c, Test &test, std::string_view name) {
  FileId file = test.file;
  auto own = [&](auto indexes) { return !indexes.empty() && c.declOf(indexes.front()).file == file; };
  auto tested = meantBy(c, c.patterns, name, file);
  auto pass = meantBy(c, c.passes, name, file);
  auto pipeline = meantBy(c, c.pipelines, name, file);
  for (bool ours : {true, false}) {
    if (!tested.empty() && (!ours || own(tested)))
      return test.pattern = tested.front(), true;
    if (!pass.empty() && (!ours || own(pass)))
      return test.pass = pass.front(), true;
    if (!pipeline.empty() && (!ours || own(pipeline)))
      return test.pipeline = pipeline.front(), true;
  }
  return false;
}

void checkTest(CheckContext &c, Test &test, const ast::TestDecl &decl) {
  const std::string &name = decl.name.text;
  if (findTested(c, test, name))
    ;
  else if (std::ranges::find(c.options.externalPasses, name) != c.options.externalPasses.end())
    ; // a pass of the runtime: none of the three
  else if (!isDamaged(c, ast::DeclKind::Pattern, name) && !isDamaged(c, ast::DeclKind::Pass, name)) {
    std::vector<std::string_view> candidates;
    for (const Pattern &p : c.module.patterns)
      if (!p.meaningOf)
        candidates.push_back(p.name);
    for (const Pass &p : c.module.passes)
      candidates.push_back(p.name);
    for (const Pipeline &p : c.module.pipelines)
      candidates.push_back(p.name);
    candidates.insert(candidates.end(), c.options.externalPasses.begin(), c.options.externalPasses.end());
    Report report = c.error("undefined-pattern", decl.name.range,
                            fmt::format("no pattern, pass or pipeline named `{}` to test", name));
    sayInstances(c, report, name);
    if (std::string_view instance = instanceMeant(c, name); !instance.empty())
      report.fixIt(decl.name.range, std::string(instance));
    else if (c.nearestHint(name, candidates).empty())
      sayWhatElse(c, report, name);
    else
      suggest(c, report, decl.name.range, name, candidates);
  }
  BodyContext b(c, test.body);
  b.allow = Allow::Builds;
  if (test.pattern && !c.module.pattern(test.pattern).roots.empty()) { // whose constants are those of its root
    std::string root = dialectOf(c, c.module.pattern(test.pattern).roots[0]);
    b.constantDialect = hasConstantOp(c, root) ? root : std::string();
  }
  SeenNames seen;
  for (const ast::Param &param : decl.params) {
    nameIsNew(c, seen, param.name, "the parameter");
    if (param.arity != ast::Param::Arity::One)
      c.error("bad-arity", param.range, "a parameter of a test is one value: write one for each")
          .note("as in `test P (x: f32[2], y: f32[2]) { ... }`");
    size_t known = test.body.vars.size();
    Expr type = checkType(b, *param.type, true);
    for (size_t i = known; i < test.body.vars.size(); ++i)
      test.symbols.push_back(test.body.vars[i].name);
    Test::Param &out = test.params.emplace_back();
    out.type = std::move(type);
    out.var = b.declare(param.name, TypeKind::Value, VarKind::Param);
    b.var(out.var).index = uint32_t(test.params.size() - 1);
  }
  const size_t errors = c.errorsSeen;
  test.before = checkSide(b, test, *decl.before, false);
  test.unchanged = !decl.after;
  if (decl.after)
    test.after = checkSide(b, test, *decl.after, true);
  auto count = [&](const std::vector<Expr> &values) { // an op stands for all of its results
    size_t all = 0;
    for (const Expr &value : values)
      if (int results = value.type.is(TypeKind::Op) ? resultsOf(b, value) : 1; results < 0)
        return std::optional<size_t>();
      else
        all += size_t(results);
    return std::optional(all);
  };
  if (auto before = count(test.before.values), after = count(test.after.values);
      decl.after && before && after && *before != *after && errors == c.errorsSeen)
    c.error("result-count", decl.after->range, fmt::format("{} cannot become {}", counted(*before, "value"), *after))
        .note("what stands right of `=>` gives as many values as what stands left of it: several are a tuple, `(a(x), "
              "b(x))`");
  reportUnused(b);
}

void checkExpectation(CheckContext &c, Expectation &out, const ast::ExpectDecl &decl) {
  const ast::Name &verdict = decl.verdict;
  out.verdict = verdict.text;
  if (std::ranges::find(kVerdicts, verdict.text) == std::end(kVerdicts)) {
    Report report = c.error("undefined-verdict", verdict.range,
                            fmt::format("`{}` is nothing that the verifier says of a pattern", verdict.text));
    report.note(fmt::format("it says one of: {}", fmt::join(kVerdicts, ", ")));
    suggest(c, report, verdict.range, verdict.text, {std::begin(kVerdicts), std::end(kVerdicts)});
  }
  for (const ast::QualifiedName &name : decl.patterns) {
    const PatternIndex pattern = patternNamed(c, name);
    if (!pattern)
      continue;
    if (c.module.pattern(pattern).imported) {
      c.error("misplaced", name.range,
              fmt::format("`{}` is declared in another file, whose patterns are not verified with this one",
                          c.module.pattern(pattern).name))
          .note(c.module.pattern(pattern).nameRange, "what is expected of it stands beside it");
      continue;
    }
    for (const Expectation &other : c.module.expectations)
      for (const Expectation::Of &of : other.patterns)
        if (of.pattern == pattern)
          c.error("duplicate-name", name.range,
                  fmt::format("`{}` is expected to be {} already", c.module.pattern(pattern).name, other.verdict))
              .note(of.range, "here");
    out.patterns.push_back({pattern, name.range});
  }
}

} // namespace rw::sema
