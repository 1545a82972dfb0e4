#include "frontend/check/lint_pattern_pairs.h"

#include "frontend/check/contradictions.h"
#include "frontend/check/declare.h"
#include "frontend/check/folded.h"
#include "frontend/check/lint_alternatives.h"
#include "frontend/check/lint_conditions.h"
#include "frontend/check/lint_requires.h"
#include "frontend/check/stated_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rw::sema {
namespace {
/// What stands at the first few places of a left side, one byte each: a cheap look at whether one pattern can cover
/// another.
class Outline {
public:
  Outline(const Pattern &pattern, const Module &module) : pattern_(pattern), module_(module) {
    place(pattern.roots[0], 0, 2);
  }
  /// False only if Covers would be.
  bool mayCover(const Outline &later) const {
    return ((code_ ^ later.code_) & asked_) == 0 && (asks() & ~later.asks()) == 0 &&
           std::ranges::includes(later.words_, words_);
  }
  /// What another pattern must ask as well if this one covers it, sorted.
  const std::vector<size_t> &words() const {
    asks();
    return words_;
  }
  const Pattern &pattern() const { return pattern_; }

private:
  /// A bit for each literal that an attribute must be, with its place, and for each condition: a pattern covers another
  /// one only if that asks all of them too. Thousands of patterns differ in nothing else.
  uint64_t asks() const {
    if (!asks_) {
      literals(pattern_.roots[0], "");
      for (const Condition &c : pattern_.conditions)
        if (c.kind == ConditionKind::Test)
          words_.push_back(std::hash<std::string>()(toString(c.expr, module_, pattern_.body)));
      std::ranges::sort(words_);
      asks_ = 0;
      for (size_t word : words_)
        *asks_ |= uint64_t(1) << (word % 64);
    }
    return *asks_;
  }
  void literals(const Match &m, const std::string &place) const {
    for (const AttrMatch &attr : m.attrs)
      if (attr.kind == AttrMatchKind::Equal)
        words_.push_back(std::hash<std::string>()(
            fmt::format("{}{} = {}", place, attr.name, toString(*attr.value, module_, pattern_.body))));
    for (size_t i = 0; i < m.operands.size(); ++i)
      if (m.operands[i].kind == OperandMatchKind::One)
        literals(m.operands[i].elements[0], fmt::format("{}{}.", place, i));
  }

  /// The operands of a match, from the first free place on; of those the operands, `depth` levels in all.
  void place(const Match &m, unsigned first, unsigned depth) {
    constexpr unsigned kWidth = 2;
    for (unsigned i = 0; i < kWidth && i < m.operands.size(); ++i) {
      const OperandMatch &operand = m.operands[i];
      if (operand.kind != OperandMatchKind::One)
        continue;
      const Match &part = operand.elements[0];
      const unsigned at = first + i;
      if (part.kind == MatchKind::Op && part.ops.ops.size() == 1 && !part.ops.byTrait()) {
        code_ |= uint64_t(part.ops.ops[0].raw % 255 + 1) << (at * 8);
        asked_ |= uint64_t(0xff) << (at * 8);
        if (depth > 1)
          place(part, kWidth + kWidth * i, depth - 1);
      }
    }
  }

  const Pattern &pattern_;
  const Module &module_;
  uint64_t code_ = 0, asked_ = 0;
  mutable std::optional<uint64_t> asks_; // when they are first needed: most patterns differ in their ops
  mutable std::vector<size_t> words_;
};

/// Whether everything that `later` matches is matched by `earlier` too, by their left sides alone.
class Covers {
public:
  /// False if the pattern, with one root, covers none: of what is built nothing is known before.
  static bool anyBy(const Pattern &p) {
    return anyBy(p.roots[0]) &&
           std::ranges::none_of(p.actions, [](const Action &a) { return a.kind == ActionKind::Where; }) &&
           std::ranges::all_of(p.conditions, [](const Condition &c) { return c.kind == ConditionKind::Test; });
  }
  static bool anyBy(const Match &m) {
    if (!m.types.empty() || !m.after.empty() || !m.regions.empty())
      return false;
    if (m.kind == MatchKind::Any || m.kind == MatchKind::Const)
      return true;
    return m.kind == MatchKind::Op && !m.each && !m.optional &&
           std::ranges::all_of(m.operands, [](const OperandMatch &operand) {
             return operand.kind == OperandMatchKind::Ignored ||
                    (operand.kind != OperandMatchKind::List &&
                     (operand.kind != OperandMatchKind::One || anyBy(operand.elements[0])));
           });
  }
  Covers(const Pattern &earlier, const Pattern &later, const Module &module) : a_(earlier), b_(later), m_(module) {}

  bool patterns() {
    if (a_.roots.size() != 1 || b_.roots.size() != 1)
      return false;
    return match(a_.roots[0], b_.roots[0]) && conditionsCovered();
  }

private:
  bool conditionsCovered() const {
    // Each condition of the earlier one must be a condition of the later one, word for word.
    for (const Condition &c : a_.conditions) {
      if (c.kind != ConditionKind::Test)
        return false;
      std::string text = toString(c.expr, m_, a_.body);
      bool found = std::any_of(b_.conditions.begin(), b_.conditions.end(), [&](const Condition &other) {
        return other.kind == ConditionKind::Test && toString(other.expr, m_, b_.body) == text;
      });
      if (!found)
        return false;
    }
    if (a_.conditions.empty())
      return true;
    // Then the names in them must mean the same, which only the same left side makes sure of.
    return a_.body.tests.empty() && b_.body.tests.empty();
  }

  /// A name of the earlier pattern stands for one part of the later one.
  bool name(const VarUse &a, const void *part, const VarUse &b) {
    if (!a)
      return true;
    if (!a_.conditions.empty() && (!b || a_.body.var(a.var).name != b_.body.var(b.var).name))
      return false;
    auto [it, isNew] = names_.try_emplace(a.var.raw, part, b ? b.var.raw : UINT32_MAX);
    if (isNew)
      return true;
    return b && it->second.second == b.var.raw;
  }

  bool match(const Match &a, const Match &b) {
    if (!a.types.empty() || !a.after.empty() || !a.regions.empty() || (a.single && !b.single))
      return false;
    if (a.kind == MatchKind::Any)
      return name(a.value, &b, b.value);
    if (a.kind == MatchKind::Const)
      return (b.kind == MatchKind::Const || b.kind == MatchKind::Splat) && name(a.value, &b, b.value);
    if (a.kind != MatchKind::Op || b.kind != MatchKind::Op || a.each || b.each || a.optional || b.optional)
      return false;
    if (a.result != b.result || !ops(a.ops, b.ops) || !name(a.op, &b, b.op))
      return false;
    if (a.operands.size() != b.operands.size() || (!a.ignoreAttrs && b.ignoreAttrs) ||
        (b.commutative && !a.commutative))
      return false;
    for (size_t i = 0; i < a.operands.size(); ++i) {
      const OperandMatch &x = a.operands[i], &y = b.operands[i];
      if (x.kind == OperandMatchKind::Ignored)
        continue;
      if (x.kind != y.kind || x.kind == OperandMatchKind::List)
        return false;
      if (x.kind == OperandMatchKind::One && !match(x.elements[0], y.elements[0]))
        return false;
    }
    return std::all_of(a.attrs.begin(), a.attrs.end(), [&](const AttrMatch &attr) { return this->attr(attr, b); });
  }

  bool ops(const OpSet &a, const OpSet &b) const {
    if (a.byTrait() || b.byTrait())
      return a.traits == b.traits && a.ops.empty() && b.ops.empty() && !a.mixed() && !b.mixed();
    return std::all_of(b.ops.begin(), b.ops.end(),
                       [&](OpIndex op) { return std::find(a.ops.begin(), a.ops.end(), op) != a.ops.end(); });
  }

  /// Of an attribute of any kind, `v: int` takes ints alone: then the later one must ask for an int as well.
  bool takesKind(const AttrMatch &a, const AttrMatch &other, const OpSet &ops) const {
    Type kind = a_.body.var(a.var.var).type;
    auto declaresIt = [&](OpIndex op) {
      int at = m_.op(op).attrNamed(a.name);
      return at >= 0 && typeOf(m_.op(op).attrAt(size_t(at)).type) == kind;
    };
    if (std::ranges::all_of(ops.ops, declaresIt))
      return true;
    if (other.kind == AttrMatchKind::Var)
      return b_.body.var(other.var.var).type == kind;
    const Expr *value = other.kind == AttrMatchKind::Equal ? &*other.value : nullptr;
    while (value && value->kind == ExprKind::Convert)
      value = &value->args[0];
    return value && value->type == kind;
  }

  bool attr(const AttrMatch &a, const Match &b) {
    if (a.kind == AttrMatchKind::Ignored)
      return true;
    for (const AttrMatch &other : b.attrs) {
      if (other.name != a.name)
        continue;
      if (a.kind == AttrMatchKind::Var) {
        bool optional = std::any_of(b.ops.ops.begin(), b.ops.ops.end(), [&](OpIndex op) {
          for (const OpAttrDecl &declared : m_.op(op).attrs)
            if (declared.name == a.name)
              return declared.optional;
          return true;
        });
        return takesKind(a, other, b.ops) &&
               (!optional || other.kind == AttrMatchKind::Var || other.kind == AttrMatchKind::Equal) &&
               name(a.var, &other, other.var);
      }
      if (a.kind != other.kind)
        return false;
      if (a.kind == AttrMatchKind::Equal)
        return toString(*a.value, m_, a_.body) == toString(*other.value, m_, b_.body);
      return a.kind == AttrMatchKind::Default || a.kind == AttrMatchKind::Absent;
    }
    return false;
  }

  const Pattern &a_, &b_;
  const Module &m_;
  std::map<uint32_t, std::pair<const void *, uint32_t>> names_;
};

/// Patterns that start at one op, to ask which of them may cover another one. Of many only those are looked at of which
/// one word at least is the other's, or that have none: files have thousands that differ in a literal.
class CoverCandidates {
public:
  void add(const Outline &outline) { all_.push_back(&outline); }
  /// In the order of the text.
  std::vector<const Outline *> of(const Outline &later) {
    constexpr size_t kFew = 64;
    if (all_.size() <= kFew)
      return all_;
    if (byWord_.empty())
      for (const Outline *outline : all_)
        byWord_[outline->words().empty() ? std::nullopt : std::optional(outline->words().front())].push_back(outline);
    std::vector<const Outline *> out;
    auto take = [&](std::optional<size_t> word) {
      if (auto it = byWord_.find(word); it != byWord_.end())
        out.insert(out.end(), it->second.begin(), it->second.end());
    };
    take(std::nullopt);
    std::optional<size_t> last;
    for (size_t word : later.words())
      if (word != last)
        take(last = word);
    std::ranges::sort(out, {}, [](const Outline *o) { return &o->pattern(); });
    return out;
  }

private:
  std::vector<const Outline *> all_;
  std::map<std::optional<size_t>, std::vector<const Outline *>> byWord_; // the first of their words, once it is needed
};

/// Whether what a right side builds is matched by the left side again, whatever the values are that it is built on.
class Again {
public:
  Again(const Pattern &pattern, const Module &module) : p_(pattern), m_(module) { findConstants(p_.roots[0]); }

  /// Whether the pattern matches what it puts in place of its root: a value, behind `let`s perhaps.
  bool always() {
    const Action *replace = nullptr;
    for (const Action &action : p_.actions) {
      bool isLet = action.kind == ActionKind::Let && action.vars.size() == 1 && action.values.size() == 1;
      if (isLet)
        lets_.emplace(action.vars[0].raw, &action.values[0]);
      else if (action.kind == ActionKind::Update && p_.actions.size() == 1)
        return updated(action);
      else if (replace || action.kind != ActionKind::Replace || action.values.size() != 1)
        return false;
      else
        replace = &action;
    }
    const VarUse &root = p_.roots[0].op;
    bool ofRoot = replace && (!replace->op || (root && root.var == replace->op));
    return ofRoot && anywhereIn(replace->values[0]);
  }

private:
  /// Whether the root, its attributes set anew, is matched again and changes again: `update d { by = s + 1.0 }`.
  bool updated(const Action &update) {
    const Match &root = p_.roots[0];
    if (p_.roots.size() != 1 || root.kind != MatchKind::Op || !root.op || !(root.op.var == update.op) ||
        !root.after.empty() || !update.sameType) // else a change of type may end it
      return false;
    bool moves = false;
    for (const BuildAttr &set : update.attrs) {
      std::set<std::string> same = {fmt::format("{}.{}", p_.body.var(update.op).name, set.name)}; // what it was
      for (const AttrMatch &asked : root.attrs) {
        if (asked.name != set.name || asked.kind == AttrMatchKind::Ignored)
          continue;
        if (asked.kind != AttrMatchKind::Var || !name(asked.var, text(set.value)) || usesOf(asked.var.var) != 1)
          return false;
        same.insert(p_.body.var(asked.var.var).name);
        given_[asked.var.var.raw] = &set.value;
      }
      if (isRequired(root.ops, set.name)) // what is required may end it
        return false;
      moves = moves || movesOn(set.value, same);
    }
    return moves && std::ranges::all_of(p_.conditions, [&](const Condition &c) { return holdsAgain(c); });
  }
  /// Whether an op requires something of the attribute.
  bool isRequired(const OpSet &ops, std::string_view attr) const {
    return std::ranges::any_of(ops.ops, [&](OpIndex id) {
      const Op &op = m_.op(id);
      std::function<bool(const Expr &)> asks = [&](const Expr &e) {
        return (e.kind == ExprKind::Var && op.body.var(e.var()).kind == VarKind::Attr &&
                op.body.var(e.var()).name == attr) ||
               std::ranges::any_of(e.args, asks);
      };
      return std::ranges::any_of(op.requires_, [&](const Require &r) { return asks(r.condition); });
    });
  }
  size_t usesOf(VarId var) const {
    size_t uses = 0;
    forEachUse(p_.roots[0], [&](const VarUse &use) { uses += use && use.var == var; });
    return uses;
  }
  /// Whether what is computed of a value hardly ever is that value: `s + 1`, `-s`, `s ++ [0]`, but not `abs(s)`.
  bool movesOn(const Expr &e, const std::set<std::string> &same) const {
    auto isIt = [&](const Expr &part) { return same.contains(text(part)); };
    switch (e.kind) {
    case ExprKind::Convert:
      return movesOn(e.args[0], same);
    case ExprKind::Neg:
    case ExprKind::Not:
      return isIt(e.args[0]);
    case ExprKind::Builtin:
      return e.builtin == Builtin::Reversed && isIt(e.args[0]);
    case ExprKind::Binary:
      break;
    default:
      return false;
    }
    const bool left = isIt(e.args[0]);
    const Expr &other = e.args[left ? 1 : 0];
    bool isList = other.kind == ExprKind::List && !other.args.empty(),
         isNumber = other.kind == ExprKind::Int || other.kind == ExprKind::Float;
    double number = other.kind == ExprKind::Int ? double(other.i) : other.f;
    if (!left && !isIt(e.args[1]))
      return false;
    switch (e.binary) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return isNumber && number != 0;
    case BinaryOp::Mul:
      return isNumber && number != 0 && number != 1;
    case BinaryOp::ShiftLeft:
      return left && isNumber && number != 0;
    case BinaryOp::Concat:
      return isList;
    default:
      return false;
    }
  }

  bool anywhereIn(const Expr &written) {
    const Expr &e = meant(written);
    if (e.kind == ExprKind::Let) // of a named rewrite
      return anywhereIn(e.args[0]) || anywhereIn(e.args[1]);
    if (e.kind != ExprKind::Build || !looked_.insert(e.build().raw).second)
      return false;
    names_.clear();
    given_.clear();
    if (match(p_.roots[0], e) && std::ranges::all_of(p_.conditions, [&](const Condition &c) { return holdsAgain(c); }))
      return true;
    const Build &built = p_.body.builds[e.build().raw];
    bool inside = false;
    forEachInside(built, [&](const Expr &part) { inside = inside || anywhereIn(part); });
    return inside || std::ranges::any_of(built.operands, [&](const Expr &operand) { return anywhereIn(operand); });
  }

  /// Whether a condition that has held is about the same as before, of names alone that stand for what they stood for;
  /// or about a number or a list that has only moved on from where it asks it to be.
  bool holdsAgain(const Condition &condition) const {
    return condition.kind != ConditionKind::Is &&
           (isOfSameNames(condition.expr) || (condition.kind == ConditionKind::Test && staysTrue(condition.expr)));
  }
  static std::optional<double> literalOf(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Int:
      return double(e.i);
    case ExprKind::Float:
      return e.f;
    case ExprKind::Convert:
      return literalOf(e.args[0]);
    case ExprKind::Neg:
      if (std::optional<double> n = literalOf(e.args[0]))
        return -*n;
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }
  static const Expr &bare(const Expr &e) { return e.kind == ExprKind::Convert ? bare(e.args[0]) : e; }
  /// `s > 0` where `s` becomes `s + 1`, `len(l) > 1` where `l` becomes `l ++ [0]`, and the like.
  bool staysTrue(const Expr &e) const {
    if (e.kind != ExprKind::Binary)
      return false;
    if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or)
      return std::ranges::all_of(e.args, [&](const Expr &part) { return isOfSameNames(part) || staysTrue(part); });
    const bool swapped = literalOf(e.args[0]).has_value();
    const Expr *asked = &bare(e.args[swapped ? 1 : 0]);
    const std::optional<double> limit = literalOf(e.args[swapped ? 0 : 1]);
    BinaryOp op = e.binary;
    if (swapped)
      op = op == BinaryOp::Lt   ? BinaryOp::Gt
           : op == BinaryOp::Le ? BinaryOp::Ge
           : op == BinaryOp::Gt ? BinaryOp::Lt
           : op == BinaryOp::Ge ? BinaryOp::Le
                                : op;
    const bool isLength = asked->kind == ExprKind::Builtin && asked->builtin == Builtin::Len;
    if (isLength)
      asked = &bare(asked->args[0]);
    auto given = asked->kind == ExprKind::Var ? given_.find(asked->id) : given_.end();
    if (!limit || given == given_.end())
      return false;
    const Expr &now = bare(*given->second);
    if (now.kind != ExprKind::Binary)
      return false;
    auto isIt = [&](const Expr &part) { return bare(part).kind == ExprKind::Var && bare(part).id == asked->id; };
    const bool left = isIt(now.args[0]);
    if (!left && !isIt(now.args[1]))
      return false;
    const bool above = op == BinaryOp::Gt || op == BinaryOp::Ge, below = op == BinaryOp::Lt || op == BinaryOp::Le;
    if (isLength)
      return above && now.binary == BinaryOp::Concat;
    const std::optional<double> step = literalOf(now.args[left ? 1 : 0]);
    if (!step)
      return false;
    if (now.binary == BinaryOp::Mul)
      return *step >= 1 && ((above && *limit >= 0) || (below && *limit <= 0) || (op == BinaryOp::Ne && *limit == 0));
    const double moves = now.binary == BinaryOp::Add ? *step : now.binary == BinaryOp::Sub && left ? -*step : 0;
    return (above && moves > 0) || (below && moves < 0);
  }
  bool isOfSameNames(const Expr &e) const {
    if (looksAround(e) || e.type.kind == TypeKind::Op)
      return false;
    if (e.kind == ExprKind::Var) {
      auto it = names_.find(e.id);
      return it == names_.end() || it->second == text(e);
    }
    return std::ranges::all_of(e.args, [&](const Expr &part) { return isOfSameNames(part); });
  }
  /// Whether what is asked of a value may change while the value stays: who uses it, what native code looks at.
  bool looksAround(const Expr &e) const {
    return e.kind == ExprKind::Is || e.kind == ExprKind::Native ||
           (e.kind == ExprKind::Property && e.property == Property::Uses) ||
           (e.kind == ExprKind::Builtin && e.builtin == Builtin::OneUser) ||
           (e.kind == ExprKind::Call && looksAround(e.fn())) ||
           std::ranges::any_of(e.args, [&](const Expr &part) { return looksAround(part); });
  }
  /// Each function is looked at once: those that call others twice are many.
  bool looksAround(FnIndex fn) const {
    auto it = fnsLook_.find(fn.raw);
    return it != fnsLook_.end() ? it->second : (fnsLook_[fn.raw] = looksAround(m_.fn(fn).value));
  }

  /// What a name of a `let` stands for.
  const Expr &meant(const Expr &e) const {
    const Expr *out = &e;
    while (out->kind == ExprKind::Convert || (out->kind == ExprKind::OpResult && out->i == 0))
      out = &out->args[0];
    auto it = out->kind == ExprKind::Var ? lets_.find(out->id) : lets_.end();
    return it == lets_.end() ? (out->kind == ExprKind::Build ? *out : e) : meant(*it->second);
  }

  bool name(const VarUse &use, const std::string &text) {
    return !use || names_.try_emplace(use.var.raw, text).first->second == text;
  }
  std::string text(const Expr &e) const { return toString(e, m_, p_.body); }

  bool match(const Match &m, const Expr &written) {
    if (!m.types.empty() || !m.after.empty())
      return false;
    if (m.kind == MatchKind::Any)
      return !m.single && written.kind != ExprKind::None && name(m.value, text(written));
    if (m.kind == MatchKind::Const)
      return !m.single && written.kind == ExprKind::Var && constants_.contains(written.id) &&
             name(m.value, text(written));
    if (m.single && &m != &p_.roots[0] && written.kind == ExprKind::Var) // a name of a `let`: others may use it
      return false;
    const Expr &e = meant(written);
    if (m.kind == MatchKind::Alternatives)
      return std::ranges::any_of(m.children, [&](const Match &child) {
        auto before = names_;
        return match(child, e) || (names_ = std::move(before), false);
      });
    if (m.kind != MatchKind::Op || m.optional || e.kind != ExprKind::Build)
      return false;
    const Build &b = p_.body.builds[e.build().raw];
    if (!std::ranges::all_of(m.regions, [&](const RegionMatch &region) { return this->region(region, m, b); }))
      return false;
    if (b.kind == BuildKind::Like ? !isAgain(m, b) : b.kind != BuildKind::Op || !isOneOf(b.op, m.ops))
      return false;
    bool commutes = m.commutative && !m.ifCommutative && b.operands.size() == 2 &&
                    (b.kind == BuildKind::Like || (m_.op(b.op).traits & trait::commutative));
    auto before = names_;
    if (m.each ? !each(m, b)
               : !operands(m, b, false) && !(commutes && (names_ = std::move(before), operands(m, b, true))))
      return false;
    return std::ranges::all_of(m.attrs, [&](const AttrMatch &attr) { return this->attr(attr, m, b); });
  }

  /// `each m`: what is built for every operand of a list is what `m` matches.
  bool each(const Match &m, const Build &b) {
    if (b.operands.size() != 1 || m.children.empty())
      return false;
    const Expr &list = meant(b.operands[0]);
    return list.kind == ExprKind::Comprehension && !list.hasFilter && match(m.children[0], list.args[0]);
  }
  /// Whether a region that is built is what the match asks of it, or is the one it has looked at.
  bool region(const RegionMatch &asked, const Match &m, const Build &b) {
    if (!asked.looksInside)
      return true;
    auto built = std::ranges::find_if(b.regions, [&](const RegionBuild &region) {
      return std::ranges::all_of(asked.index, [&](int index) { return index == int(region.index); });
    });
    if (built == b.regions.end())
      return b.kind == BuildKind::Like && m.op && m.op.var == b.like;
    if (built->copied || asked.params.hasRest || asked.results.hasRest ||
        asked.params.elements.size() != built->params.size() || asked.results.elements.size() != built->results.size())
      return false;
    for (const auto &[var, value] : built->lets)
      lets_.emplace(var.raw, &value);
    for (size_t i = 0; i < built->params.size(); ++i)
      if (const Match &param = asked.params.elements[i];
          built->params[i].list || !param.types.empty() || !name(param.value, p_.body.var(built->params[i].var).name))
        return false;
    for (size_t i = 0; i < built->results.size(); ++i)
      if (!match(asked.results.elements[i], built->results[i]))
        return false;
    return true;
  }

  bool isOneOf(OpIndex op, const OpSet &set) const {
    auto has = [&](uint32_t trait) { return (m_.op(op).traits & trait) != 0; };
    return m_.op(op).results.size() == 1 &&
           (set.any || (set.traits && has(set.traits)) || std::ranges::any_of(set.otherTraits, has) ||
            std::ranges::find(set.ops, op) != set.ops.end() ||
            std::ranges::find(set.otherOps, op) != set.otherOps.end());
  }

  /// Whether a matched op that is built again is matched by `m`, its operands and attributes aside.
  bool isAgain(const Match &m, const Build &b) const {
    if (m.op && m.op.var == b.like)
      return true;
    const OpSet &set = p_.body.var(b.like).ops;
    if (p_.body.var(b.like).optional)
      return false;
    if (set.byTrait())
      return m.ops.any || (!set.any && set.traits == m.ops.traits && !set.mixed());
    return !set.ops.empty() && std::ranges::all_of(set.ops, [&](OpIndex op) { return isOneOf(op, m.ops); });
  }

  /// One operand or, where any number may stand, null with what it is called.
  struct Item {
    const Match *match = nullptr;
    const Expr *value = nullptr;
    VarUse rest;
    std::string list;
    bool isList = false, isIgnored = false, mayBeAbsent = false;
  };
  /// In their order, or the other way round. `..` stands for all operands that the match does not mention.
  bool operands(const Match &m, const Build &b, bool swapped) {
    std::vector<Item> asked, given;
    for (const OperandMatch &operand : m.operands) {
      for (size_t i = 0; i < operand.elements.size() || (operand.hasRest && i == operand.restAt); ++i) {
        if (operand.hasRest && i == operand.restAt) {
          asked.push_back({.rest = operand.rest, .isList = true});
          if (i == operand.elements.size())
            break;
        }
        asked.push_back({.match = &operand.elements[i], .mayBeAbsent = operand.kind == OperandMatchKind::Maybe});
      }
      if (operand.kind == OperandMatchKind::Absent)
        asked.push_back({.mayBeAbsent = true});
      if (operand.kind == OperandMatchKind::Ignored)
        asked.push_back({.isIgnored = true});
    }
    for (const Expr &operand : b.operands)
      collect(operand, given);
    if (swapped) { // two expressions may stand for more operands, or fewer
      if (given.size() != 2)
        return false;
      std::swap(given[0], given[1]);
    }
    auto list = std::ranges::find(asked, true, &Item::isList);
    if (list == asked.end()) {
      for (size_t i = 0; i < std::max(asked.size(), given.size()); ++i)
        if (i >= asked.size() ? !m.ignoreOperands : !fits(asked[i], i < given.size() ? &given[i] : nullptr))
          return false;
      return true;
    }
    size_t front = size_t(list - asked.begin()), back = asked.size() - front - 1;
    if (given.size() < front + back)
      return false;
    if (auto some = rotated(asked, given))
      return *some;
    for (size_t i = 0; i < front; ++i)
      if (!fits(asked[i], &given[i]))
        return false;
    for (size_t i = 1; i <= back; ++i)
      if (!fits(asked[asked.size() - i], &given[given.size() - i]))
        return false;
    std::string between;
    for (size_t i = front; i < given.size() - back; ++i)
      between += (between.empty() ? "" : ", ") + given[i].list;
    return name(list->rest, between);
  }
  /// Where a list is given in the place of a single value, as in `d(rest..., x)` of `d: op(x, rest...)`: whether any
  /// values will do, which then are others than before. Nothing if no list is in such a place.
  std::optional<bool> rotated(const std::vector<Item> &asked, const std::vector<Item> &given) {
    auto isAnything = [](const Item &item) {
      return item.isList || (item.match && item.match->kind == MatchKind::Any && !item.match->single &&
                             item.match->types.empty() && item.match->after.empty());
    };
    size_t front = size_t(std::ranges::find(asked, true, &Item::isList) - asked.begin());
    size_t back = asked.size() - front - 1;
    bool inPlace = true;
    for (size_t i = 0; i < given.size(); ++i)
      inPlace = inPlace && !(given[i].isList && (i < front || i + back >= given.size()));
    if (inPlace)
      return std::nullopt;
    size_t values = size_t(std::ranges::count(given, false, &Item::isList));
    if (values < front + back || !std::ranges::all_of(asked, isAnything))
      return false;
    for (size_t i = 0; i < asked.size(); ++i) // each is a value of its own
      if (!name(asked[i].isList ? asked[i].rest : asked[i].match->value, fmt::format("?{}", i)))
        return false;
    return true;
  }
  /// `xs ++ [x]` is a list and a value.
  void collect(const Expr &e, std::vector<Item> &out) const {
    if (e.kind == ExprKind::List || (e.kind == ExprKind::Binary && e.binary == BinaryOp::Concat)) {
      for (const Expr &part : e.args)
        collect(part, out);
      return;
    }
    out.push_back({.value = &e, .list = text(e), .isList = e.type.isList()});
  }
  bool fits(const Item &asked, const Item *given) {
    if (asked.isIgnored)
      return true;
    bool absent = !given || (given->value->kind == ExprKind::None && given->value->type.is(TypeKind::Value));
    if (absent)
      return asked.mayBeAbsent;
    bool mayBeAbsent = given->value->kind == ExprKind::Var && p_.body.var(given->value->var()).isOptionalOperand();
    return asked.match && !given->isList && (!mayBeAbsent || asked.mayBeAbsent) && match(*asked.match, *given->value);
  }

  /// The names that the left side binds to constants.
  void findConstants(const Match &m) {
    if (m.kind == MatchKind::Const && m.value)
      constants_.insert(m.value.var.raw);
    for (const OperandMatch &operand : m.operands)
      for (const Match &element : operand.elements)
        findConstants(element);
  }

  bool attr(const AttrMatch &a, const Match &m, const Build &b) {
    auto given = std::ranges::find(b.attrs, a.name, &BuildAttr::name);
    bool isGiven = given != b.attrs.end();
    if (b.kind == BuildKind::Like && !isGiven) { // it keeps what it has
      bool same = m.op && m.op.var == b.like;
      return a.kind == AttrMatchKind::Ignored ||
             (same && (a.kind != AttrMatchKind::Var || name(a.var, p_.body.var(a.var.var).name)));
    }
    switch (a.kind) {
    case AttrMatchKind::Ignored:
      return true;
    case AttrMatchKind::Var:
      if (!isGiven)
        return false;
      if (a.var) {
        given_[a.var.var.raw] = &given->value;
        if (isRequired(m.ops, a.name) && text(given->value) != p_.body.var(a.var.var).name)
          return false; // what is required may end it
      }
      return name(a.var, text(given->value));
    case AttrMatchKind::Equal:
      return text(*a.value) == (isGiven ? text(given->value) : byDefault(a, b.op));
    case AttrMatchKind::Default:
      return !isGiven || byDefault(a, b.op) == text(given->value);
    case AttrMatchKind::Absent:
      return !isGiven;
    default:
      return false;
    }
  }
  /// What the attribute is where it is not stated, as text.
  std::string byDefault(const AttrMatch &a, OpIndex op) const {
    if (!op || m_.op(op).attrNamed(a.name) < 0)
      return "";
    const OpAttrDecl &declared = m_.op(op).attrAt(size_t(m_.op(op).attrNamed(a.name)));
    return declared.defaultValue ? toString(*declared.defaultValue, m_, m_.op(op).body) : "";
  }

  const Pattern &p_;
  const Module &m_;
  std::map<uint32_t, const Expr *> lets_; // by variable: what it stands for
  std::map<uint32_t, std::string> names_;
  std::map<uint32_t, const Expr *> given_;   // what the attributes become that names stand for
  mutable std::map<uint32_t, bool> fnsLook_; // what is known of functions
  std::set<uint32_t> constants_;
  std::set<uint32_t> looked_; // what is built, by name perhaps many times over
};

/// A left side or right side as text in which names are numbered by first appearance.
class Shape {
public:
  Shape(const Module &m, const Body &body) : m_(m), body_(body) {}
  /// Empty if it is of a form that is not compared.
  std::string of(const Match &m) {
    if (m.single || !m.types.empty() || !m.after.empty() || !m.regions.empty())
      return "";
    if (m.kind == MatchKind::Any)
      return m.value ? number(m.value.var) : "";
    if (m.kind != MatchKind::Op || m.ops.ops.size() != 1 || m.each || m.optional || m.ignoreOperands || m.op)
      return "";
    std::string out = m_.op(m.ops.ops[0]).fullName() + "(";
    for (const OperandMatch &operand : m.operands) {
      if (operand.kind == OperandMatchKind::Absent) {
        out += ",";
        continue;
      }
      std::string inner = operand.kind == OperandMatchKind::One ? of(operand.elements[0]) : "";
      if (inner.empty())
        return "";
      out += inner + ",";
    }
    std::map<std::string, std::string> attrs;
    for (const AttrMatch &attr : m.attrs) {
      if (attr.kind == AttrMatchKind::Default || attr.kind == AttrMatchKind::Absent)
        continue;
      if (attr.kind == AttrMatchKind::Var)
        attrs[attr.name] = number(attr.var.var);
      else if (attr.kind == AttrMatchKind::Equal)
        attrs[attr.name] = toString(*attr.value, m_, body_);
      else
        return "";
    }
    return closed(std::move(out)) + join(attrs) + ")";
  }
  std::string of(const Expr &e) {
    if (e.kind == ExprKind::Var)
      return number(e.var());
    if (e.kind != ExprKind::Build)
      return "";
    const Build &b = body_.builds[e.build().raw];
    if (b.kind != BuildKind::Op || !b.regions.empty())
      return "";
    std::string out = m_.op(b.op).fullName() + "(";
    for (const Expr &operand : b.operands) {
      if (operand.kind == ExprKind::None) {
        out += ",";
        continue;
      }
      std::string inner = of(operand);
      if (inner.empty())
        return "";
      out += inner + ",";
    }
    std::map<std::string, std::string> attrs;
    for (const BuildAttr &attr : b.attrs)
      attrs[attr.name] = attr.value.kind == ExprKind::Var ? number(attr.value.var()) : toString(attr.value, m_, body_);
    return closed(std::move(out)) + join(attrs) + ")";
  }

private:
  /// Without the operands left out at the end.
  static std::string closed(std::string out) {
    while (out.ends_with(",,"))
      out.pop_back();
    if (out.ends_with("(,"))
      out.pop_back();
    return out;
  }
  static std::string join(const std::map<std::string, std::string> &attrs) {
    std::string out;
    for (const auto &[name, value] : attrs)
      out += name + "=" + value + ",";
    return out;
  }
  std::string number(VarId id) {
    return "$" + std::to_string(numbers_.try_emplace(id.raw, numbers_.size()).first->second);
  }
  const Module &m_;
  const Body &body_;
  std::map<uint32_t, size_t> numbers_;
};
} // namespace

/// What a comparison of two numbers gives; none of anything else.
static std::optional<bool> compared(const Expr &e) {
  if (e.kind != ExprKind::Binary || e.args[0].kind != ExprKind::Int || e.args[1].kind != ExprKind::Int)
    return std::nullopt;
  int64_t a = e.args[0].i, b = e.args[1].i;
  switch (e.binary) {
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Ne:
    return a != b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Gt:
    return a > b;
  case BinaryOp::Ge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

static bool isLiteral(const Expr &e) {
  return e.kind == ExprKind::Int || e.kind == ExprKind::String || e.kind == ExprKind::DType || e.kind == ExprKind::Bool;
}

/// Demands on one attribute, rank or number that cannot both hold: `n == 1` and `not n == 1`, or `n == 2`.
/// What conditions leave a number: from `least` to `most`, and which of them says so.
struct Between {
  int64_t least = INT64_MIN, most = INT64_MAX;
  const Condition *byLeast = nullptr, *byMost = nullptr;

  /// The earlier condition that contradicts `number OP n`; else null, and that is taken in.
  const Condition *narrow(BinaryOp op, int64_t n, const Condition &condition) {
    if (op == BinaryOp::Ne)
      return least == n && most == n ? byLeast : nullptr;
    bool below = op == BinaryOp::Lt || op == BinaryOp::Le || op == BinaryOp::Eq;
    bool above = op == BinaryOp::Gt || op == BinaryOp::Ge || op == BinaryOp::Eq;
    if ((op == BinaryOp::Lt && n == INT64_MIN) || (op == BinaryOp::Gt && n == INT64_MAX))
      return nullptr;
    int64_t up = n - (op == BinaryOp::Lt), from = n + (op == BinaryOp::Gt);
    if (below && up < least)
      return byLeast;
    if (above && from > most)
      return byMost;
    if (below && up < most)
      most = up, byMost = &condition;
    if (above && from > least)
      least = from, byLeast = &condition;
    return nullptr;
  }
};

/// `n OP 3` or `3 OP n`: the number, how it is compared, and with what.
static std::optional<std::tuple<const Expr *, BinaryOp, int64_t>> comparedWithNumber(const Expr &e) {
  if (e.kind != ExprKind::Binary)
    return std::nullopt;
  auto bare = [](const Expr *part) {
    while (part->kind == ExprKind::Convert && !part->type.is(TypeKind::Float))
      part = &part->args[0];
    return part;
  };
  const Expr *a = bare(&e.args[0]), *b = bare(&e.args[1]);
  BinaryOp op = e.binary;
  if (a->kind == ExprKind::Int) {
    std::swap(a, b);
    op = op == BinaryOp::Lt   ? BinaryOp::Gt
         : op == BinaryOp::Le ? BinaryOp::Ge
         : op == BinaryOp::Gt ? BinaryOp::Lt
         : op == BinaryOp::Ge ? BinaryOp::Le
                              : op;
  }
  bool isComparison = op == BinaryOp::Eq || op == BinaryOp::Ne || op == BinaryOp::Lt || op == BinaryOp::Le ||
                      op == BinaryOp::Gt || op == BinaryOp::Ge;
  if (!isComparison || b->kind != ExprKind::Int || !(a->type.is(TypeKind::Int) || a->type.is(TypeKind::Dim)))
    return std::nullopt;
  return std::tuple(a, op, b->i);
}

static void neverMatches(CheckContext &c, const Pattern &pattern, bool ofTemplate) {
  const Folded folded(pattern.conditions);
  auto text = [&](const Expr &part) { return toString(part, c.module, pattern.body); };
  // What earlier conditions ask: by text, those under `not`, and comparisons with a literal by what is compared.
  std::map<std::string, const Condition *> asked, denied, compares;
  std::map<std::string, Between> numbers;
  for (const Condition &condition : pattern.conditions) {
    if (condition.kind != ConditionKind::Test)
      continue;
    const Expr &e = condition.expr;
    bool constant = e.kind == ExprKind::Bool && !e.i;
    bool mayBeNan = e.kind == ExprKind::Binary && e.args[0].type.is(TypeKind::Float);
    bool self = e.kind == ExprKind::Binary &&
                ((e.binary == BinaryOp::Ne && !mayBeNan) || e.binary == BinaryOp::Lt || e.binary == BinaryOp::Gt) &&
                text(e.args[0]) == text(e.args[1]);
    std::optional<bool> known = ofTemplate ? std::nullopt : folded.truth(e); // another instance has other entries
    if (known == true)
      c.warning("empty-condition", e.range, "this is always true").note("leave it out, or ask what was meant");
    if (constant || self || known == false || !compared(e).value_or(true))
      c.warning("never-matches", e.range, "this is never true, so the pattern never matches")
          .note("change it, or leave the pattern out");
    std::string whole = text(e);
    const Condition *other = nullptr;
    if (auto at = denied.find(whole); at != denied.end())
      other = at->second;
    if (e.kind == ExprKind::Not) {
      auto at = asked.find(text(e.args[0]));
      other = at != asked.end() ? at->second : other;
      denied.try_emplace(text(e.args[0]), &condition);
    }
    if (e.kind == ExprKind::Binary && e.binary == BinaryOp::Eq && isLiteral(e.args[1])) {
      auto [at, first] =
          compares.try_emplace(fmt::format("{} {}", unsigned(e.args[1].kind), text(e.args[0])), &condition);
      if (!first && text(at->second->expr.args[1]) != text(e.args[1]))
        other = at->second;
    }
    if (e.kind == ExprKind::Binary && (e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne)) {
      const char *opposite = e.binary == BinaryOp::Eq ? "!=" : "==";
      auto at = asked.find(fmt::format("{} {} {}", text(e.args[0]), opposite, text(e.args[1])));
      other = at != asked.end() ? at->second : other;
    }
    if (auto number = ofTemplate ? std::nullopt : comparedWithNumber(e); number && !other)
      other = numbers[text(*std::get<0>(*number))].narrow(std::get<1>(*number), std::get<2>(*number), condition);
    asked.try_emplace(std::move(whole), &condition);
    if (other)
      c.warning("never-matches", e.range, "this contradicts an earlier condition, so the pattern never matches")
          .note(other->range, "the other one");
  }
}

static bool hasEffects(const OpSet &ops, const Module &module) {
  auto effects = [](uint32_t traits) {
    return !(traits & trait::pure) || (traits & (trait::effectRandom | trait::effectError | trait::effectState));
  };
  if (ops.byTrait()) { // all that are known to have the traits
    auto has = [&](const Op &op) { return (op.traits & ops.traits) == ops.traits; };
    return std::ranges::any_of(module.ops, has) &&
           std::ranges::all_of(module.ops, [&](const Op &op) { return !has(op) || effects(op.traits); });
  }
  return !ops.ops.empty() && std::ranges::all_of(ops.ops, [&](OpIndex op) { return effects(module.op(op).traits); });
}

/// Ops with effects that are built again, `f(y)`, while the matched one stays: it does not go with its last use.
static void effectsTwice(CheckContext &c, const Pattern &pattern) {
  for (const Build &b : pattern.body.builds) {
    if (b.kind != BuildKind::Like || !hasEffects(pattern.body.var(b.like).ops, c.module))
      continue;
    bool goes = std::ranges::any_of(pattern.actions, [&](const Action &action) {
      bool removes = action.kind == ActionKind::Replace || action.kind == ActionKind::Erase;
      return removes && (action.op ? action.op.raw == b.like.raw
                                   : pattern.roots[0].op && pattern.roots[0].op.var.raw == b.like.raw);
    });
    if (!goes)
      c.warning("effect-twice", b.range,
                fmt::format("`{0}` has effects and stays where it is, so this is a second one",
                            pattern.body.var(b.like).name))
          .note(fmt::format("in a block, `replace {0} with …` or `erase {0}` takes the first away",
                            pattern.body.var(b.like).name));
  }
}

static const OpSet *rootOps(const Pattern &p) {
  return p.roots.size() == 1 && p.roots[0].kind == MatchKind::Op ? &p.roots[0].ops : nullptr;
}

void lintPatterns(CheckContext &c) {
  for (SourceRange doc : c.loaded[0].tree->strayDocs)
    c.warning("misplaced-doc", doc, "this documents nothing: `///` stands directly above a declaration or an attribute")
        .note("an ordinary comment begins with `//`");
  for (SourceRange element : c.loaded[0].tree->lostCommas)
    c.warning("lost-comma", element, "this is one element: what stands behind the space belongs to it")
        .note("two are separated by a comma, `a, -b` and `a, [b]`; a difference has a space on both sides, `a - b`, an "
              "index none before it, `a[b]`");
  for (const Pattern &pattern : c.module.patterns) {
    c.imported = pattern.imported;
    if (pattern.meaningOf) {
      if (!c.imported)
        reportContradictoryTypes(c, pattern);
    } else if (bool ofTemplate = c.isOfTemplate(pattern); !c.imported)
      neverMatches(c, pattern, ofTemplate), reportContradictedTypes(c, pattern, ofTemplate),
          reportSingleUsedTwice(c, pattern), reportMadeByTwo(c, pattern), reportContradictoryTypes(c, pattern),
          reportErasedUses(c, pattern), effectsTwice(c, pattern), lintAlternatives(c, pattern);
    if (!pattern.imported && !pattern.meaningOf && !c.isOfTemplate(pattern))
      reportContradictedRequires(c, pattern);
  }
  c.imported = false;
  for (const Test &test : c.module.tests)
    if (!test.imported)
      reportContradictedRequires(c, test);
  lintConditions(c);
  reportVersionsLeftOut(c);
  // By root op, so that a file of many patterns stays quick.
  std::map<uint32_t, CoverCandidates> byRoot;
  std::map<const Pattern *, Outline> outlines;
  for (const Pattern &pattern : c.module.patterns)
    if (const OpSet *ops = pattern.meaningOf ? nullptr : rootOps(pattern); ops && !ops->byTrait()) {
      const Outline &outline = outlines.try_emplace(&pattern, pattern, c.module).first->second;
      if (Covers::anyBy(pattern))
        byRoot[ops->ops.front().raw].add(outline);
    }
  std::map<std::string, const Pattern *> turns; // "left => right"
  for (const Pattern &pattern : c.module.patterns) {
    if (pattern.imported || pattern.meaningOf || pattern.roots.size() != 1)
      continue;
    bool isEndless = !pattern.recursive && Again(pattern, c.module).always();
    auto sayEndless = [&] {
      c.warning("matches-itself", pattern.nameRange,
                fmt::format("`{}` matches what it builds, so it never comes to an end", pattern.name))
          .note("a condition that what it builds does not meet ends it; the tag `recursive` says that it is meant");
    };
    if (!rootOps(pattern)) {
      if (isEndless)
        sayEndless();
      continue;
    }
    if (const OpSet *ops = rootOps(pattern); !ops->byTrait()) {
      const Outline &outline = outlines.at(&pattern);
      for (const Outline *candidate : byRoot[ops->ops.front().raw].of(outline)) {
        const Pattern *earlier = &candidate->pattern();
        if (earlier == &pattern || !candidate->mayCover(outline))
          continue;
        bool written = earlier < &pattern; // before this one
        bool first = earlier->benefit > pattern.benefit || (earlier->benefit == pattern.benefit && written);
        if (!first || earlier->imported ||
            !pattern.fastmath.allows(earlier->fastmath)) // an import's is in passes of its own
          continue;
        if (earlier->range.begin == pattern.range.begin || !Covers(*earlier, pattern, c.module).patterns())
          continue;
        Report report =
            c.warning("shadowed-pattern", pattern.nameRange,
                      fmt::format("`{}` is in the shadow of `{}`, which matches all that it matches and is tried first",
                                  pattern.name, earlier->name));
        report.note(earlier->nameRange, fmt::format("`{}` is declared here", earlier->name));
        auto replaces = [](const Action &a) { return a.kind != ActionKind::Erase; };
        const char *where = std::ranges::any_of(earlier->actions, replaces)
                                ? "it fires only where what the other builds has not the type of what it replaces; "
                                : "";
        report.note(fmt::format("{}give the more special one a greater benefit", where));
        break;
      }
    }
    bool isPlain = pattern.conditions.empty() && pattern.actions.size() == 1 &&
                   pattern.actions[0].kind == ActionKind::Replace && !pattern.actions[0].op &&
                   pattern.actions[0].values.size() == 1;
    if (!isPlain) {
      if (isEndless)
        sayEndless();
      continue;
    }
    Shape shape(c.module, pattern.body);
    std::string left = shape.of(pattern.roots[0]), right = shape.of(pattern.actions[0].values[0]);
    if (!left.empty() && left == right) {
      c.warning("no-action", pattern.nameRange,
                fmt::format("`{}` replaces its root by the same again, so it never comes to an end", pattern.name))
          .note("something of it changes: an operand, an attribute, or the op");
      continue;
    }
    if (isEndless) {
      sayEndless();
      continue;
    }
    if (left.empty() || right.empty())
      continue;
    Shape backShape(c.module, pattern.body);
    std::string backRight = backShape.of(pattern.actions[0].values[0]), backLeft = backShape.of(pattern.roots[0]);
    if (auto other = turns.find(backRight + " => " + backLeft); other != turns.end())
      c.warning("patterns-undo-each-other", pattern.nameRange,
                fmt::format("`{}` undoes what `{}` does, so together they never come to an end", pattern.name,
                            other->second->name))
          .note(other->second->nameRange, fmt::format("`{}` is declared here", other->second->name));
    turns.try_emplace(left + " => " + right, &pattern);
  }
}

} // namespace rw::sema
