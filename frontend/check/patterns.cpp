#include "frontend/check/patterns.h"

#include "frontend/check/actions.h"
#include "frontend/check/body_context.h"
#include "frontend/check/conditions.h"
#include "frontend/check/constant_ops.h"
#include "frontend/check/contradictions.h"
#include "frontend/check/matches.h"
#include "frontend/check/meanings.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/unused.h"
#include "frontend/check/values_in_regions.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

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

static void checkRootsConnect(CheckContext &c, const Pattern &pattern) {
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

static void checkActions(CheckContext &c, const Pattern &pattern, const ast::PatternDecl &decl) {
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

void checkPattern(CheckContext &c, Pattern &pattern, const PatternInstance &instance) {
  const ast::PatternDecl &decl = *instance.decl;
  if (pattern.meaningOf && !mayMean(c, c.module.op(pattern.meaningOf), decl))
    return;
  c.instanceErrors = 0;
  c.firstInstance = &instance == c.instances.data() || (&instance - 1)->decl != instance.decl;
  c.substitutions = &instance.substitutions;
  c.instanceName = pattern.name;
  if (decl.benefit) {
    if (*decl.benefit < 0 || *decl.benefit > 65535)
      c.error("bad-benefit", decl.benefitRange, "a benefit lies between 0 and 65535")
          .note("as in `pattern P benefit 2 { ... }`");
    else
      pattern.benefit = unsigned(*decl.benefit);
  }
  pattern.fastmath = decl.fastmath && decl.freedoms.empty();
  for (const ast::Name &freedom : decl.freedoms) {
    std::optional<FastMath> one = FastMath::named(freedom.text);
    if (!one) {
      Report report = c.error("unknown-freedom", freedom.range,
                              fmt::format("`{}` is no freedom that a pattern can take", freedom.text));
      report.note(
          fmt::format("`fastmath` takes all but no_overflow, `fastmath(…)` some of {}", FastMath::every().list()));
      suggest(c, report, freedom.range, freedom.text, {std::begin(FastMath::kNames), std::end(FastMath::kNames)});
    } else if (pattern.fastmath.allows(*one)) {
      c.error("duplicate-name", freedom.range, fmt::format("`{}` is given twice", freedom.text));
    } else {
      pattern.fastmath = pattern.fastmath | *one;
    }
  }
  pattern.recursive = decl.recursive;
  pattern.assumeSameType = decl.assumeSameType;
  for (const ast::Name &label : decl.labels) {
    if (label.text.empty())
      c.error("bad-label", label.range, "a label has a name: `label \"layout\"`");
    if (std::ranges::find(pattern.labels, label.text) != pattern.labels.end())
      c.error("duplicate-name", label.range, fmt::format("the label \"{}\" is given twice", label.text))
          .note("once is enough");
    pattern.labels.push_back(label.text);
  }

  const size_t start = c.errorsSeen;
  BodyContext b(c, pattern.body);
  b.allow = Allow::Matches;
  if (pattern.meaningOf) {
    if (!decl.conditions.empty())
      pattern.guard = decl.conditions[0].range;
    c.meantRoot = decl.roots[0]->get<ast::BindMatch>().inner.get();
    c.meantOp = pattern.meaningOf;
  }
  for (const ast::MatchPtr &root : decl.roots)
    pattern.roots.push_back(checkRoot(b, *root));
  if (pattern.meaningOf)
    for (uint32_t v = 0; v < pattern.body.vars.size(); ++v)
      b.use(VarId(v)); // what an op takes, it need not need
  if (!pattern.roots.empty())
    b.constantDialect = dialectOf(c, pattern.roots[0]);
  checkConditions(b, decl.conditions, pattern.conditions, pattern.actions);
  b.allow = Allow::Builds;
  size_t before = c.errorsSeen;
  for (const ast::StmtPtr &stmt : decl.result) {
    Action action = checkAction(b, *stmt, &stmt == &decl.result.back(), decl.roots.size(),
                                pattern.roots.empty() ? nullptr : &pattern.roots[0]);
    std::move(b.before.begin(), b.before.end(), std::back_inserter(pattern.actions));
    b.before.clear();
    pattern.actions.push_back(std::move(action));
  }
  if (!pattern.roots.empty()) {
    checkRootsConnect(c, pattern);
    if (c.errorsSeen == before) // else what is meant to act on what is not known
      checkActions(c, pattern, decl);
  }
  if (c.errorsSeen == start)
    placeInsides(c, pattern);
  if (!c.imported)
    reportMatchOfNoValue(c, pattern);
  reportUnused(b);
  c.meantRoot = nullptr;
  c.meantOp = {};
  c.substitutions = nullptr;
  c.instanceName = {};
}

} // namespace rw::sema
