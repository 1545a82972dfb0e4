#include "frontend/check/meanings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rw::sema {

bool mayMean(CheckContext &c, const Op &op, const ast::PatternDecl &decl) {
  auto refuse = [&](std::string message, std::string cure) {
    c.error("bad-meaning", decl.name.range, std::move(message))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
        .note(std::move(cure));
    return false;
  };
  if (op.results.empty())
    return refuse(fmt::format("`{}` has no results, so there is nothing that it could mean", op.name),
                  "a meaning gives a value for each result");
  if (!op.regions.empty())
    return refuse(fmt::format("`{}` has regions, of which a meaning knows nothing", op.name),
                  "a pattern or a native rewrite can say what becomes of them");
  if (op.traits & trait::constant)
    return refuse(fmt::format("`{}` is a constant: it means its attribute `value`", op.name), "leave the clause out");
  return true;
}

namespace {
constexpr uint32_t kEffects = trait::effectRandom | trait::effectError | trait::effectState;

/// All of them, if nothing is said.
uint32_t effectsOf(const Op &op) {
  return op.traits & trait::pure ? 0 : op.traits & kEffects ? op.traits & kEffects : kEffects;
}

/// What a meaning builds: the op, and where it was written. Every version it may be.
template <class Visit> void forEachBuilt(const Pattern &meaning, Visit visit) {
  for (const Build &build : meaning.body.builds) {
    if (build.kind != BuildKind::Op)
      continue;
    visit(build.op, build.range);
    for (OpIndex version : build.versions)
      if (version != build.op)
        visit(version, build.range);
  }
}
/// What tells more of an operand than its type and, of a constant, what it holds.
struct LooksAround {
  const Module &module;
  const Expr *found = nullptr;
  std::set<uint32_t> fns; // entered
  void expr(const Expr &e) {
    if (e.kind == ExprKind::Is || (e.kind == ExprKind::Property && e.property == Property::Uses) ||
        (e.kind == ExprKind::Builtin && e.builtin == Builtin::OneUser))
      found = &e;
    if (e.kind == ExprKind::Call && fns.insert(e.fn().raw).second) {
      const Expr *before = found;
      expr(module.fn(e.fn()).value);
      if (found != before)
        found = &e; // where it is called
    }
    for (const Expr &part : e.args)
      expr(part);
  }
};

const Expr *looksAround(const Pattern &meaning, const Module &module) {
  LooksAround look{module, nullptr, {}};
  for (const Condition &condition : meaning.conditions)
    look.expr(condition.expr);
  for (const Action &action : meaning.actions)
    for (const Expr &value : action.values)
      look.expr(value);
  for (const Build &build : meaning.body.builds) {
    for (const Expr &operand : build.operands)
      look.expr(operand);
    for (const BuildAttr &attr : build.attrs)
      look.expr(attr.value);
  }
  return look.found;
}

/// Warns of a clause behind one that holds wherever it does: it would only be reached where that one fails.
void shadowedMeanings(CheckContext &c, const Op &op) {
  auto texts = [&](const Pattern &meaning) {
    std::set<std::string> out;
    for (const Condition &condition : meaning.conditions)
      out.insert(toString(condition.expr, c.module, meaning.body));
    return out;
  };
  auto isTested = [](const Condition &condition) { return condition.kind == ConditionKind::Test; };
  for (size_t i = 1; i < op.means.size(); ++i) {
    const Pattern &meaning = c.module.pattern(op.means[i]);
    for (size_t k = 0; k < i; ++k) {
      const Pattern &before = c.module.pattern(op.means[k]);
      if (!std::ranges::all_of(before.conditions, isTested) || !std::ranges::includes(texts(meaning), texts(before)))
        continue;
      c.warning("shadowed-meaning", meaning.nameRange,
                fmt::format("a clause before this {}, so that `{}` means this only where that cannot be worked out",
                            before.conditions.empty() ? "has no `if`" : "holds wherever this one does", op.name))
          .note(before.nameRange, "this one comes first")
          .note(before.conditions.empty()
                    ? "say there when it holds, `means f(x) if x.rank == 1;`, or leave one of the two out"
                    : "the more special one stands first; or leave one of the two out");
      break;
    }
  }
}
} // namespace

void checkMeanings(CheckContext &c) {
  if (!c.trusted)
    for (const Op &op : c.module.ops)
      if (!op.imported)
        shadowedMeanings(c, op);
  // More than anybody would put in: it is what rewrites and the evaluator would have to go through.
  constexpr uint64_t kMaxOps = 10000;
  enum : uint8_t { Unseen, Open, Done };
  std::vector<uint8_t> state(c.module.ops.size(), Unseen);
  std::vector<uint64_t> size(c.module.ops.size(), 1);
  std::vector<size_t> depth(c.module.ops.size(), 0);
  std::vector<bool> tooLarge(c.module.ops.size()), tooDeep(c.module.ops.size()); // it, or one that it uses: said once
  struct Step {
    OpIndex op;
    SourceRange range;
  };
  struct Frame {
    OpIndex op;
    std::vector<Step> steps;
    size_t next = 0;
  };
  auto open = [&](OpIndex op) {
    state[op.raw] = Open;
    Frame frame{op, {}};
    for (PatternIndex p : c.module.op(op).means)
      forEachBuilt(c.module.pattern(p), [&](OpIndex built, SourceRange range) {
        frame.steps.push_back({built, range});
      });
    return frame;
  };
  for (uint32_t start = 0; start < c.module.ops.size(); ++start) {
    if (state[start] != Unseen || c.module.ops[start].means.empty())
      continue;
    std::vector<Frame> stack;
    stack.push_back(open(OpIndex(start)));
    while (!stack.empty()) {
      Frame &top = stack.back();
      const Op &op = c.module.op(top.op);
      c.imported = op.imported;
      if (top.next == top.steps.size()) {
        uint64_t most = 1;
        auto uses = [&](const std::vector<bool> &some) {
          return std::ranges::any_of(top.steps, [&](const Step &step) { return some[step.op.raw]; });
        };
        tooLarge[top.op.raw] = uses(tooLarge);
        tooDeep[top.op.raw] = uses(tooDeep);
        for (PatternIndex p : op.means) {
          uint64_t sum = 1;
          forEachBuilt(c.module.pattern(p),
                       [&](OpIndex built, SourceRange) { sum = std::min(sum + size[built.raw], 2 * kMaxOps); });
          if (sum > kMaxOps && most <= kMaxOps && !tooLarge[top.op.raw])
            c.error("too-complex", c.module.pattern(p).nameRange,
                    fmt::format("with the meanings of all ops in it put in, this is more than {} ops", kMaxOps))
                .note(op.nameRange, fmt::format("of `{}`", op.name))
                .note("an op that uses another one twice in what it means doubles it");
          most = std::max(most, sum);
        }
        for (const Step &step : top.steps)
          depth[top.op.raw] = std::max(depth[top.op.raw], depth[step.op.raw] + 1);
        if (depth[top.op.raw] > kMaxUsesDeep && !tooDeep[top.op.raw]) {
          c.error("too-deep", c.module.pattern(op.means[0]).nameRange,
                  fmt::format("meanings of ops use each other more than {} deep", kMaxUsesDeep))
              .note(op.nameRange, fmt::format("at `{}`", op.name))
              .note("say what some of those in between mean by what theirs are made of");
          tooDeep[top.op.raw] = true;
        }
        tooLarge[top.op.raw] = tooLarge[top.op.raw] || most > kMaxOps;
        size[top.op.raw] = most;
        state[top.op.raw] = Done;
        stack.pop_back();
        continue;
      }
      const Step step = top.steps[top.next++];
      if (state[step.op.raw] == Open) {
        Report report =
            c.error("recursive-meaning", step.range, fmt::format("`{}` means itself", c.module.op(step.op).name));
        std::string path;
        size_t from = 0;
        while (stack[from].op != step.op)
          ++from;
        for (size_t i = from; i < stack.size(); ++i)
          path += c.module.op(stack[i].op).name + " -> ";
        if (stack.size() - from > 1)
          report.note("the way round: " + path + c.module.op(step.op).name);
        report.note("a meaning is of ops that are simpler, so that it comes to an end");
      } else if (state[step.op.raw] == Unseen && !c.module.op(step.op).means.empty()) {
        Frame frame = open(step.op);
        stack.push_back(std::move(frame));
      }
    }
  }
  for (const Pattern &meaning : c.module.patterns) {
    if (!meaning.meaningOf || meaning.imported)
      continue;
    c.imported = false;
    const Op &op = c.module.op(meaning.meaningOf);
    bool asks = std::ranges::any_of(meaning.conditions, [](const Condition &c) { return c.kind == ConditionKind::Is; });
    if (const Expr *around = looksAround(meaning, c.module); around || asks)
      c.error("bad-meaning", around ? around->range : meaning.guard,
              fmt::format("what `{}` means cannot depend on which ops make its operands or use them", op.name))
          .note(
              "it depends on their types, on attributes and on what constants hold: `is_const(x)`, `x.rank`, `has(b)`");
    forEachBuilt(meaning, [&](OpIndex index, SourceRange range) {
      const Op &built = c.module.op(index);
      if (uint32_t more = effectsOf(built) & ~effectsOf(op)) {
        bool unsaid = !(built.traits & (trait::pure | kEffects));
        c.error("meaning-effect", range,
                fmt::format("`{}` {}, and `{}` is declared without", built.name,
                            unsaid ? "is taken to have all effects" : "has " + traitsToString(more), op.name))
            .note(built.nameRange, fmt::format("`{}` is declared here{}", built.name,
                                               unsaid ? ", neither pure nor with effects stated" : ""))
            .note(op.nameRange,
                  fmt::format("an op has the effects of what it means: state them in the traits of `{}`", op.name));
      }
    });
  }
  c.imported = false;
}

} // namespace rw::sema
