// Tests beside the patterns: a small program, and what it becomes.
#include "frontend/sema/body.h"

#include <fmt/format.h>

namespace rw::sema {

void Checker::checkTest(Test &test, const ast::TestDecl &decl) {
  const std::string &name = decl.name.text;
  if (auto it = patterns.find(name); it != patterns.end())
    test.pattern = it->second;
  else if (auto pass = passes.find(name); pass != passes.end())
    test.pass = pass->second;
  else if (auto pipeline = pipelines.find(name); pipeline != pipelines.end())
    test.pipeline = pipeline->second;
  else if (!isDamaged(ast::DeclKind::Pattern, name) && !isDamaged(ast::DeclKind::Pass, name)) {
    std::vector<std::string_view> candidates;
    for (const Pattern &p : module.patterns)
      candidates.push_back(p.name);
    for (const Pass &p : module.passes)
      candidates.push_back(p.name);
    for (const Pipeline &p : module.pipelines)
      candidates.push_back(p.name);
    Report report = error("undefined-pattern", decl.name.range,
                          fmt::format("no pattern, pass or pipeline named `{}` to test", name));
    suggest(report, decl.name.range, name, candidates);
    if (nearestName(name, candidates).empty())
      sayWhatElse(report, name);
  }
  BodyChecker body(*this, test.body);
  body.allow = BodyChecker::Allow::Builds;
  llvm::StringMap<SourceRange> seen;
  for (const ast::Param &param : decl.params) {
    nameIsNew(seen, param.name, "the parameter");
    if (param.arity != ast::Param::Arity::One)
      error("bad-arity", param.range, "a parameter of a test is one value: write one for each");
    size_t known = test.body.vars.size();
    Expr type = body.typeExpr(*param.type, true);
    for (size_t i = known; i < test.body.vars.size(); ++i)
      test.symbols.push_back(test.body.vars[i].name);
    Test::Param &out = test.params.emplace_back();
    out.type = std::move(type);
    out.var = body.declare(param.name, TypeKind::Value, VarKind::Param);
    body.var(out.var).index = uint32_t(test.params.size() - 1);
  }
  auto results = [&](const ast::Expr &e) {
    if (const auto *word = e.as<ast::NameExpr>(); word && !body.find(word->name.text) && &e == decl.after.get() &&
                                                  nearestName(word->name.text, {"unchanged"}) == "unchanged") {
      error("unbound-name", word->range, fmt::format("`{}` is not bound here", word->name.text)).fixIt(word->range, "unchanged");
      return std::vector<Expr>(test.before.size());
    }
    std::vector<Expr> values = body.values(e);
    for (Expr &value : values)
      if (!value.type.is(TypeKind::Op))
        value = body.convert(std::move(value), TypeKind::Value, "what a test returns");
    return values;
  };
  test.before = results(*decl.before);
  test.unchanged = !decl.after;
  if (decl.after)
    test.after = results(*decl.after);
  if (decl.after && test.after.size() != test.before.size())
    error("result-count", decl.after->range,
          fmt::format("{} cannot become {}", counted(test.before.size(), "value"), test.after.size()));
  body.reportUnused();
}

} // namespace rw::sema
