// Patterns: left side, conditions in written order, right side.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

/// Splits `a and b` and takes `is` apart, so that names it binds are seen by what follows.
void BodyChecker::condition(const ast::Expr &e, std::vector<Condition> &out) {
  if (const auto *binary = e.as<ast::BinaryExpr>(); binary && binary->op == ast::BinaryOp::And) {
    condition(*binary->lhs, out);
    condition(*binary->rhs, out);
    return;
  }
  Condition condition;
  condition.range = e.range;
  if (const auto *is = e.as<ast::IsExpr>()) {
    condition.kind = ConditionKind::Is;
    condition.expr = lookedAt(*is);
    if (condition.expr.type.isError())
      return bindNamesOf(*is->match);
    condition.match = isMatch(*is->match);
  } else {
    condition.expr = this->condition(e, "a condition");
  }
  out.push_back(std::move(condition));
}

void BodyChecker::letCondition(const ast::Condition &condition, std::vector<Condition> &out) {
  auto add = [&](VarId id, Expr value) {
    Condition &let = out.emplace_back();
    let.kind = ConditionKind::Let;
    let.range = condition.range;
    let.expr = std::move(value);
    let.var = id;
  };
  if (condition.letNames.size() == 1) {
    if (letParam(condition.letNames.front(), condition, out))
      return;
    Expr value = expr(*condition.value);
    VarId id = declareLet(condition.letNames.front(), value.type);
    rememberRounding(id, value);
    if (value.kind == ExprKind::Var)
      var(id).ops = OpSet(var(value.var()).ops);
    return add(id, std::move(value));
  }
  BodyChecker::Apart apart = takeApart(condition.letNames, *condition.value);
  if (apart.value)
    add(apart.whole, std::move(*apart.value));
  for (size_t i = 0; i < apart.parts.size(); ++i) {
    VarId id = declareLet(condition.letNames[i], apart.parts[i].type);
    add(id, std::move(apart.parts[i]));
  }
}

void BodyChecker::conditions(const std::vector<ast::Condition> &list, std::vector<Condition> &out) {
  for (const ast::Condition &item : list) {
    if (item.letNames.empty())
      condition(*item.value, out);
    else
      letCondition(item, out);
  }
}

/// Whether two roots have a value or op in common, through the tests before.
static void collectVars(const Match &m, std::vector<uint32_t> &out) {
  for (const VarUse *use : {&m.value, &m.op})
    if (*use)
      out.push_back(use->var.raw);
  for (const OperandMatch &operand : m.operands) {
    if (operand.rest)
      out.push_back(operand.rest.var.raw);
    for (const Match &element : operand.elements)
      collectVars(element, out);
  }
  for (const Match &child : m.children)
    collectVars(child, out);
  forEachInside(m, [&](const Match &part) { collectVars(part, out); });
  for (const Condition &condition : m.after)
    if (condition.match)
      collectVars(*condition.match, out);
}

static void checkRootsConnect(Checker &c, const Pattern &pattern) {
  std::vector<uint32_t> known;
  collectVars(pattern.roots[0], known);
  for (size_t i = 1; i < pattern.roots.size(); ++i) {
    std::vector<uint32_t> here;
    collectVars(pattern.roots[i], here);
    bool shared = std::any_of(here.begin(), here.end(),
                              [&](uint32_t v) { return std::find(known.begin(), known.end(), v) != known.end(); });
    if (!shared)
      c.error("unconnected-root", pattern.roots[i].range, "this root shares no value with the roots before it")
          .note("finding it would mean to try every pair of ops of a program; name a value in both");
    known.insert(known.end(), here.begin(), here.end());
  }
}

/// The dialect that all ops of a root belong to, or nothing.
std::string Checker::dialectOf(const Match &root) const {
  std::string dialect;
  bool one = true;
  forEachRootOp(root, [&](const Match &m) {
    for (OpIndex op : m.ops.ops) {
      const std::string &here = module.op(op).dialect;
      one &= dialect.empty() || dialect == here;
      dialect = here;
    }
  });
  return one ? dialect : std::string();
}

static void checkActions(Checker &c, const Pattern &pattern, const ast::PatternDecl &decl) {
  std::vector<std::pair<VarId, SourceRange>> gone;
  bool acts = false;
  for (const Action &action : pattern.actions) {
    if (!action.changes())
      continue;
    acts = true;
    if (!action.op && action.kind != ActionKind::Replace)
      continue;
    VarId op = action.op ? action.op : pattern.roots[0].op.var;
    if (!op)
      continue;
    for (const auto &[other, range] : gone)
      if (other == op)
        c.error("duplicate-action", action.range, fmt::format("`{}` is gone already", pattern.body.var(op).name))
            .note(range, "replaced or erased here");
    if (action.kind != ActionKind::Update)
      gone.emplace_back(op, action.range);
  }
  if (!acts && !c.diags.hasErrors())
    c.error("no-action", decl.arrow, "the right side changes nothing")
        .note("end it with a value that replaces the root, or `replace`, `update` or `erase` an op");
}

void Checker::checkPattern(Pattern &pattern, const PatternInstance &instance) {
  const ast::PatternDecl &decl = *instance.decl;
  if (pattern.meaningOf && !mayMean(module.op(pattern.meaningOf), decl))
    return;
  instanceErrors_ = 0;
  firstInstance_ = &instance == instances_.data() || (&instance - 1)->decl != instance.decl;
  substitutions = &instance.substitutions;
  instanceName = pattern.name;
  if (decl.benefit) {
    if (*decl.benefit < 0 || *decl.benefit > 65535)
      error("bad-benefit", decl.benefitRange, "a benefit lies between 0 and 65535")
          .note("as in `pattern P benefit 2 { ... }`");
    else
      pattern.benefit = unsigned(*decl.benefit);
  }
  pattern.fastmath = decl.fastmath && decl.freedoms.empty();
  for (const ast::Name &freedom : decl.freedoms) {
    std::optional<FastMath> one = FastMath::named(freedom.text);
    if (!one) {
      Report report = error("unknown-freedom", freedom.range,
                            fmt::format("`{}` is no freedom that a pattern can take", freedom.text));
      report.note(
          fmt::format("`fastmath` takes all but no_overflow, `fastmath(…)` some of {}", FastMath::every().list()));
      suggest(report, freedom.range, freedom.text, {std::begin(FastMath::kNames), std::end(FastMath::kNames)});
    } else if (pattern.fastmath.allows(*one)) {
      error("duplicate-name", freedom.range, fmt::format("`{}` is given twice", freedom.text));
    } else {
      pattern.fastmath = pattern.fastmath | *one;
    }
  }
  pattern.recursive = decl.recursive;
  pattern.assumeSameType = decl.assumeSameType;
  for (const ast::Name &label : decl.labels) {
    if (label.text.empty())
      error("bad-label", label.range, "a label has a name: `label \"layout\"`");
    if (std::ranges::find(pattern.labels, label.text) != pattern.labels.end())
      error("duplicate-name", label.range, fmt::format("the label \"{}\" is given twice", label.text))
          .note("once is enough");
    pattern.labels.push_back(label.text);
  }

  const size_t start = errorsSeen;
  BodyChecker body(*this, pattern.body);
  body.allow = BodyChecker::Allow::Matches;
  if (pattern.meaningOf) {
    if (!decl.conditions.empty())
      pattern.guard = decl.conditions[0].range;
    meantRoot = decl.roots[0]->get<ast::BindMatch>().inner.get();
    meantOp = pattern.meaningOf;
  }
  for (const ast::MatchPtr &root : decl.roots)
    pattern.roots.push_back(body.root(*root));
  if (pattern.meaningOf)
    for (uint32_t v = 0; v < pattern.body.vars.size(); ++v)
      body.use({v}); // what an op takes, it need not need
  if (!pattern.roots.empty())
    body.constantDialect = dialectOf(pattern.roots[0]);
  body.conditions(decl.conditions, pattern.conditions, pattern.actions);
  body.allow = BodyChecker::Allow::Builds;
  size_t before = errorsSeen;
  for (const ast::StmtPtr &stmt : decl.result) {
    Action action = body.action(*stmt, &stmt == &decl.result.back(), decl.roots.size(),
                                pattern.roots.empty() ? nullptr : &pattern.roots[0]);
    std::move(body.before.begin(), body.before.end(), std::back_inserter(pattern.actions));
    body.before.clear();
    pattern.actions.push_back(std::move(action));
  }
  if (!pattern.roots.empty()) {
    checkRootsConnect(*this, pattern);
    if (errorsSeen == before) // else what is meant to act on what is not known
      checkActions(*this, pattern, decl);
  }
  if (errorsSeen == start)
    placeInsides(pattern);
  if (!imported)
    matchesNoValue(pattern);
  body.reportUnused();
  meantRoot = nullptr;
  meantOp = {};
  substitutions = nullptr;
  instanceName = {};
}

} // namespace rw::sema
