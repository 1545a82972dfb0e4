#include "frontend/check/lint_conditions.h"

#include "frontend/check/contradictions.h"
#include "frontend/check/folded.h"
#include "frontend/check/missing_imports.h"
#include "frontend/sema/walk.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

namespace rw::sema {
namespace {

class EmptyConditions {
public:
  EmptyConditions(CheckContext &c, const Body &body, Folded folded = {}, bool ofTemplate = false)
      : c_(c), body_(body), folded_(std::move(folded)), ofTemplate_(ofTemplate) {}

  void expr(const Expr &e) {
    folded_.learn(e);
    part(e);
  }
  /// What is not known refutes nothing there, so that `x.dtype == x.dtype` does not even ask whether it is.
  void require(const Expr &e) {
    inRequire_ = true;
    expr(e);
    sameSides(e);
    inRequire_ = false;
  }
  void match(const Match &m) {
    for (const Condition &condition : m.after)
      this->condition(condition);
    forEachPart(m, [&](const Match &part) { match(part); });
  }
  void condition(const Condition &condition) {
    expr(condition.expr);
    if (condition.match)
      match(*condition.match);
  }

  /// `t is s`, of a name that is new there. (A named match may bind a parameter so.)
  void asksOf(const Condition &condition) {
    const Match *m = condition.kind == ConditionKind::Is ? &*condition.match : nullptr;
    if (m && m->kind == MatchKind::Any && m->value.use == Use::Bind && !m->single && m->types.empty() &&
        m->after.empty())
      say(condition.range, fmt::format("`{}` is a new name here, so this is always true", body_.var(m->value.var).name),
          fmt::format("say what it is, as in `x is const {0}`; another name for a value is `let {0} = x`",
                      body_.var(m->value.var).name));
  }

private:
  void sameSides(const Expr &e) {
    bool compares = e.kind == ExprKind::Binary && e.binary >= BinaryOp::Eq && e.binary <= BinaryOp::Ge &&
                    e.args[0].kind != ExprKind::Var && !e.args[0].type.is(TypeKind::Float) &&
                    !e.args[0].type.is(TypeKind::Attr) && !isLiteral(e.args[0]);
    if (compares && isPure(e) && text(e.args[0]) == text(e.args[1]))
      say(e.range, "both sides are the same", "was another name meant on one of them?");
    for (const Expr &arg : e.args)
      sameSides(arg);
  }
  /// `d.ints` of a matched op that holds no constant.
  void elements(const Expr &e) {
    const Expr *of = &e.args[0];
    while (of->kind == ExprKind::Convert || of->kind == ExprKind::OpResult)
      of = &of->args[0];
    if (of->kind != ExprKind::Var || body_.var(of->var()).kind != VarKind::Op)
      return;
    const Var &op = body_.var(of->var());
    auto holdsOne = [&](OpIndex id) { return (c_.module.op(id).traits & trait::constant) != 0; };
    if (op.ops.byTrait() || op.ops.ops.empty() || op.optional || std::ranges::any_of(op.ops.ops, holdsOne))
      return;
    c_.warning("always-fails", e.range,
               fmt::format("this always fails: `{}` is `{}`, which holds no constant", op.name,
                           c_.module.op(op.ops.ops[0]).fullName()))
        .note("`const c` on the left matches a constant, whose elements `c.ints` and `c.floats` are");
  }
  void part(const Expr &e) {
    if (e.kind == ExprKind::Comprehension)
      learnSizes(e);
    if (e.kind == ExprKind::Property &&
        (e.property == Property::Ints || e.property == Property::Floats || e.property == Property::Value))
      elements(e);
    if (e.kind == ExprKind::Binary)
      binary(e);
    if (!ofTemplate_)
      saysNothing(e);
    bool ofTwo = e.kind == ExprKind::Builtin && e.args.size() == 2 &&
                 (e.builtin == Builtin::Broadcast || e.builtin == Builtin::Min || e.builtin == Builtin::Max);
    if (ofTwo && isPure(e) && text(e.args[0]) == text(e.args[1]))
      say(e.range, "both arguments are the same", "was another name meant for one of them?");
    if (e.kind == ExprKind::Is && body_.tests[e.test().raw].kind == MatchKind::Any &&
        asksNothing(body_.tests[e.test().raw]))
      say(e.range, "anything is `_`, so this is always true", "say what it is, as in `x is const _`, or leave it out");
    if (e.kind == ExprKind::Builtin && (e.builtin == Builtin::Contains || e.builtin == Builtin::IndexOf))
      listedTwice(e.args[0]);
    if (e.kind == ExprKind::Range && !ofTemplate_) {
      const int64_t *begin = numberIn(e.args[0]), *end = numberIn(e.args[1]);
      if (begin && end && *end < *begin)
        say(e.range, "this range ends before it begins, so there is nothing in it",
            "`a..b` goes up from a, and b is not in it; downwards it is `reversed(a..b)`");
    }
    if (std::optional<Folded::Failure> failure = ofTemplate_ ? std::nullopt : folded_.failure(e))
      c_.warning("always-fails", e.range, fmt::format("this always fails: {}", failure->why)).note(failure->cure);
    for (const Expr &arg : e.args)
      if (isReached(e, arg))
        part(arg);
  }
  /// What is the same without it: `n * 1`, `list ++ []`, `p[0..]`, `if c then a else a`.
  void saysNothing(const Expr &e) {
    if (e.kind == ExprKind::If && isPure(e) && text(e.args[1]) == text(e.args[2]))
      say(e.range, "both branches are the same", "was another value meant in one of them?");
    auto isEmpty = [](const Expr &list) { return bare(list).kind == ExprKind::List && bare(list).args.empty(); };
    if (e.kind == ExprKind::Slice && e.args[2].kind == ExprKind::None) {
      const int64_t *begin = numberIn(e.args[1]);
      if (begin && *begin == 0)
        say(e.range, "this is the whole list", "leave out the brackets, or write where the part begins or ends");
    }
    if (e.kind != ExprKind::Binary)
      return;
    if (e.binary == BinaryOp::Concat && (isEmpty(e.args[0]) || isEmpty(e.args[1])))
      return say(e.range, "an empty list adds nothing", "leave it out, or write the elements that are meant");
    if (!e.type.is(TypeKind::Int) && !e.type.is(TypeKind::Dim))
      return;
    const int64_t *left = numberIn(e.args[0]), *right = numberIn(e.args[1]);
    bool sum = e.binary == BinaryOp::Add || e.binary == BinaryOp::Sub;
    bool nothing =
        (right && *right == (sum ? 0 : 1) && (sum || e.binary == BinaryOp::Mul || e.binary == BinaryOp::Div)) ||
        (left && !right && *left == (e.binary == BinaryOp::Mul ? 1 : 0) &&
         (e.binary == BinaryOp::Mul || e.binary == BinaryOp::Add));
    if (nothing)
      say(e.range, fmt::format("this is `{}`", text(bare(e.args[right ? 0 : 1]))),
          "leave the number out, or write the one that is meant");
    bool divides = e.binary == BinaryOp::Div || e.binary == BinaryOp::Mod;
    if (divides && bare(e.args[1]).kind == ExprKind::Var && fromZero_.contains(bare(e.args[1]).id))
      c_.warning("always-fails", e.range,
                 fmt::format("this always fails: `{}` is 0 first, which nothing is divided by", text(bare(e.args[1]))))
          .note("numbers from 1 on are `1..n`; how many there are divides by `n`");
  }
  /// `contains([f32, f16, f32], t)`: which of several something is.
  void listedTwice(const Expr &list) {
    if (list.kind != ExprKind::List || ofTemplate_)
      return;
    std::set<std::string> seen;
    for (const Expr &element : list.args)
      if (isLiteral(element) && !seen.insert(text(element)).second)
        say(element.range, "this stands here twice", "was another one meant in one of them?");
  }
  /// Whether a part is ever looked at: not behind a literal that decides.
  bool isReached(const Expr &e, const Expr &part) const {
    if (&part == &e.args[0])
      return true;
    std::optional<bool> decided = folded_.truth(e.args[0]);
    if (e.kind == ExprKind::If)
      return !decided || &part == &e.args[*decided ? 1 : 2];
    bool lazy = e.kind == ExprKind::Binary && (e.binary == BinaryOp::And || e.binary == BinaryOp::Or);
    return !lazy || decided != (e.binary == BinaryOp::Or);
  }

  static const Expr &bare(const Expr &e) { return e.kind == ExprKind::Convert ? bare(e.args[0]) : e; }
  static const int64_t *numberIn(const Expr &e) { return bare(e).kind == ExprKind::Int ? &bare(e).i : nullptr; }
  static bool isShape(const Expr &e) { return e.kind == ExprKind::Property && e.property == Property::Shape; }
  /// The variables that go through shapes.
  void learnSizes(const Expr &e) {
    for (size_t source = 0, var = 0; source < e.sourceCount(); var += e.groupSize(source++))
      if (e.groupSize(source) == 1) {
        const Expr &list = e.args[1 + source];
        if (isShape(list))
          sizes_.insert(e.loopVars[var].raw);
        if (const int64_t *begin = list.kind == ExprKind::Range && !e.hasFilter ? numberIn(list.args[0]) : nullptr;
            begin && *begin == 0)
          fromZero_.insert(e.loopVars[var].raw);
      }
  }
  /// What counts something.
  bool isCount(const Expr &e) const {
    const Expr &b = bare(e);
    if (b.kind == ExprKind::Property)
      return b.property == Property::Rank || b.property == Property::Uses || b.property == Property::Size;
    if (b.kind == ExprKind::Index || b.kind == ExprKind::Var)
      return b.kind == ExprKind::Index ? isShape(b.args[0]) : sizes_.contains(b.id);
    return b.kind == ExprKind::Builtin && (b.builtin == Builtin::Len || b.builtin == Builtin::Count);
  }
  static bool isLiteral(const Expr &e) {
    ExprKind kind = bare(e).kind;
    return kind == ExprKind::Int || kind == ExprKind::DType || kind == ExprKind::String || kind == ExprKind::Bool;
  }
  static BinaryOp mirrored(BinaryOp op) {
    switch (op) {
    case BinaryOp::Lt:
      return BinaryOp::Gt;
    case BinaryOp::Le:
      return BinaryOp::Ge;
    case BinaryOp::Gt:
      return BinaryOp::Lt;
    case BinaryOp::Ge:
      return BinaryOp::Le;
    default:
      return op;
    }
  }
  /// Whether it calls what may answer differently each time.
  static bool isPure(const Expr &e) {
    return e.kind != ExprKind::Native && e.kind != ExprKind::Build && e.kind != ExprKind::Is &&
           std::ranges::all_of(e.args, isPure);
  }
  std::string text(const Expr &e) { return toString(e, c_.module, body_); }

  static bool asksNothing(const Match &m) { return !m.value && !m.single && m.types.empty() && m.after.empty(); }

  void say(SourceRange range, std::string message, std::string cure) {
    c_.warning("empty-condition", range, std::move(message)).note(std::move(cure));
  }

  void binary(const Expr &e) {
    switch (e.binary) {
    case BinaryOp::Or:
    case BinaryOp::And:
      return sides(e);
    case BinaryOp::Mod:
      if (const int64_t *n = numberIn(e.args[1]); n && (*n == 1 || *n == -1))
        say(e.range, fmt::format("what is left of a division by {} is always 0", *n),
            "was another number meant, or `/`?");
      return;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
      return comparison(e);
    default:
      return;
    }
  }

  void comparison(const Expr &e) {
    const Expr &a = e.args[0], &b = e.args[1];
    if (isLiteral(a) && isLiteral(b))
      return; // of a template, which has other entries
    // `d == d` of a dimension and `x.rank == x.rank` ask whether it is known; a float may be nan.
    bool isKnown = a.kind == ExprKind::Var && b.kind == ExprKind::Var &&
                   (a.type.is(TypeKind::Int) || a.type.is(TypeKind::Bool) || a.type.is(TypeKind::String) ||
                    a.type.is(TypeKind::Value));
    if (isKnown && a.id == b.id)
      return say(e.range, "both sides are the same", "was another name meant on one of them?");
    if (isNan(a) || isNan(b))
      return say(e.range,
                 fmt::format("nothing is equal to nan, or less or greater, so this is {} true",
                             e.binary == BinaryOp::Ne ? "always" : "never"),
                 "`s != s` holds of nan alone");
    for (bool swapped : {false, true})
      if (const Expr &whole = bare(swapped ? b : a), &part = bare(swapped ? a : b);
          (whole.type.is(TypeKind::Int) || whole.type.is(TypeKind::Dim)) && isPartOfOne(part) &&
          (e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne))
        return say(e.range,
                   fmt::format("`{}` is a whole number, so this is {} true", text(whole),
                               e.binary == BinaryOp::Ne ? "always" : "never"),
                   "`<` and `>` compare it with what lies between two of them");
    for (bool swapped : {false, true})
      if (const Expr &whole = bare(swapped ? b : a), &parts = bare(swapped ? a : b);
          whole.type.isList() && whole.type.element().is(TypeKind::Int) && parts.kind == ExprKind::List &&
          std::ranges::any_of(parts.args, [](const Expr &part) { return isPartOfOne(bare(part)); }))
        return say(e.range,
                   fmt::format("`{}` holds whole numbers, so this is {} true", text(whole),
                               e.binary == BinaryOp::Ne ? "always" : "never"),
                   "leave the fraction out, or compare one element with `<` or `>`");
    if (ofOp(e) || bounded(e))
      return;
    bool left = numberIn(a) != nullptr;
    const int64_t *n = left ? numberIn(a) : numberIn(b);
    if (!n || !isCount(left ? b : a))
      return;
    std::string counted = text(bare(left ? b : a));
    BinaryOp op = left ? mirrored(e.binary) : e.binary;
    bool always = (op == BinaryOp::Ge && *n <= 0) || (op == BinaryOp::Gt && *n < 0) || (op == BinaryOp::Ne && *n < 0);
    bool never = (op == BinaryOp::Lt && *n <= 0) || (op == BinaryOp::Le && *n < 0) || (op == BinaryOp::Eq && *n < 0);
    const Expr &what = bare(left ? b : a);
    bool mayFail = what.kind == ExprKind::Index || (what.kind == ExprKind::Property && what.property != Property::Uses);
    if (always && mayFail && !inRequire_)
      say(e.range, fmt::format("`{}` is never negative, so this asks no more than whether it is known", counted),
          fmt::format("compare with a greater number; whether it is known asks `{0} == {0}`", counted));
    else if (always || never)
      say(e.range, fmt::format("`{}` is never negative, so this is {}", counted, always ? "always true" : "never true"),
          always ? "leave it out, or compare with a greater number" : "compare with a greater number");
  }

  static bool isPartOfOne(const Expr &e) { return e.kind == ExprKind::Float && e.f != std::floor(e.f); }
  static bool isNan(const Expr &e) { return bare(e).kind == ExprKind::Float && std::isnan(bare(e).f); }

  /// `k & 1 == 2`, `k % 4 < 0`.
  bool bounded(const Expr &e) {
    const Expr &a = bare(e.args[0]), &b = bare(e.args[1]);
    bool left = b.kind != ExprKind::Int;
    const Expr &what = left ? b : a;
    const int64_t *n = numberIn(left ? a : b);
    Folded::Bounds of = folded_.bounds(what);
    if (ofTemplate_ || !n || of.least == of.most || (of.least == INT64_MIN && of.most == INT64_MAX))
      return false;
    bool below = of.most<*n, above = of.least> * n, mayBe = !below && !above;
    bool atMost = of.most <= *n, atLeast = of.least >= *n;
    bool always = false, never = false;
    switch (left ? mirrored(e.binary) : e.binary) {
    case BinaryOp::Eq:
      never = !mayBe;
      break;
    case BinaryOp::Ne:
      always = !mayBe;
      break;
    case BinaryOp::Lt:
      always = below, never = atLeast;
      break;
    case BinaryOp::Le:
      always = atMost, never = above;
      break;
    case BinaryOp::Gt:
      always = above, never = atMost;
      break;
    case BinaryOp::Ge:
      always = atLeast, never = below;
      break;
    default:
      break;
    }
    if (always || never)
      say(e.range,
          fmt::format("`{}` is from {} to {}, so this is {} true", text(what), of.least, of.most,
                      always ? "always" : "never"),
          fmt::format("compare with a number from {} to {}", of.least, of.most));
    return always || never;
  }

  /// `d.name == "Exp"`, `d.dialect == "onx"`: what an op can be called is known.
  bool ofOp(const Expr &e) {
    bool left = bare(e.args[0]).kind == ExprKind::String;
    const Expr &named = e.args[left ? 1 : 0], &literal = e.args[left ? 0 : 1];
    bool isName = named.kind == ExprKind::Property && named.property == Property::Name;
    bool isDialect = named.kind == ExprKind::Property && named.property == Property::Dialect;
    if (ofTemplate_ || literal.kind != ExprKind::String || (!isName && !isDialect) ||
        named.args[0].kind != ExprKind::Var || (e.binary != BinaryOp::Eq && e.binary != BinaryOp::Ne))
      return false;
    const OpSet &ops = body_.var(named.args[0].var()).ops;
    auto nameOf = [&](const Op &op) { return std::string_view(isName ? op.name : op.dialect); };
    std::set<std::string_view> names;
    for (OpIndex id : ops.ops)
      names.insert(nameOf(c_.module.op(id)));
    for (const Op &op : c_.module.ops)
      if (ops.byTrait())
        names.insert(nameOf(op));
    const std::string verdict = e.binary == BinaryOp::Eq ? "never" : "always";
    auto isMisspelt = [&](std::string_view name) {
      return llvm::StringRef(name).equals_insensitive(literal.text.str());
    };
    if (names.contains(literal.text) ||
        (ops.byTrait() && std::ranges::none_of(names, isMisspelt) && isKnownElsewhere(c_, isDialect, literal.text)))
      return false;
    Report report = c_.warning(
        "empty-condition", e.range,
        ops.byTrait() ? fmt::format("no {} that is known here is called \"{}\", so this is {} true",
                                    isName ? "op" : "dialect", literal.text, verdict)
                      : fmt::format("`{}` is {} here, so this is {} true", text(named), quoted(names), verdict));
    if (std::string_view nearest = c_.nearestHint(literal.text, {names.begin(), names.end()}); !nearest.empty())
      report.fixIt(literal.range, fmt::format("\"{}\"", nearest));
    else if (ops.byTrait())
      report.note(fmt::format("an op's name is spelled as it is declared; of {} that another file declares, import the "
                              "file",
                              isName ? "an op" : "a dialect"));
    else
      report.note("name the ops that are meant on the left side, `d: (a | b)(x)`");
    return true;
  }
  static std::string quoted(const std::set<std::string_view> &names) {
    std::vector<std::string> all;
    for (std::string_view name : names)
      all.push_back(all.size() == 5 ? "..." : fmt::format("\"{}\"", name));
    if (all.size() > 6)
      all.resize(6);
    return fmt::format("{}", fmt::join(all, " or "));
  }

  /// The parts of `a or b or c`, once for the whole.
  void sides(const Expr &e) {
    if (inner_.contains(&e))
      return;
    std::vector<const Expr *> parts;
    collect(e, e.binary, parts);
    std::map<std::string, const Expr *> seen;           // parts, by text
    std::map<std::string, const Expr *> unequal, equal; // by what is compared with a literal
    bool isOr = e.binary == BinaryOp::Or;
    if (!ofTemplate_)
      reach(e, parts, isOr);
    for (const Expr *part : parts) {
      if (!isPure(*part))
        continue;
      if (auto [it, isNew] = seen.try_emplace(text(*part), part); !isNew) {
        say(part->range, "this stands here twice", "was another name meant in one of them?");
        continue;
      }
      if (part->kind != ExprKind::Binary || (part->binary != BinaryOp::Eq && part->binary != BinaryOp::Ne))
        continue;
      bool left = isLiteral(part->args[0]);
      if (left == isLiteral(part->args[1]))
        continue;
      std::string what = text(part->args[left ? 1 : 0]);
      if (part->binary == BinaryOp::Ne) {
        auto [it, isNew] = unequal.try_emplace(what, part);
        if (!isNew && isOr)
          say(e.range, fmt::format("`{}` is always different from one of the two, so this is always true", what),
              "`and` asks that it is neither");
      } else {
        equal.try_emplace(what, part);
      }
    }
    for (auto &[what, ne] : unequal)
      if (auto eq = equal.find(what); eq != equal.end())
        say(eq->second->range,
            isOr ? fmt::format("this says nothing: where it holds, `{}` does as well", text(*ne))
                 : fmt::format("where this holds, `{}` needs no asking", text(*ne)),
            isOr ? "`==` in both asks that it is one of the two" : "leave one of the two out");
  }
  /// `n >= 0 or n < k`, `n < 0 and n > 3`: what leaves nothing out, and what leaves nothing.
  void reach(const Expr &whole, const std::vector<const Expr *> &parts, bool isOr) {
    struct Limit {
      const Expr *part;
      BinaryOp op;
      const Expr *against;
    };
    std::map<std::string, std::vector<Limit>> limits; // by what is compared
    for (const Expr *part : parts) {
      if (part->kind != ExprKind::Binary || part->binary < BinaryOp::Lt || part->binary > BinaryOp::Ge ||
          !isPure(*part) || part->args[0].type.is(TypeKind::Float))
        continue;
      bool left = numberIn(part->args[0]) != nullptr;
      limits[text(bare(part->args[left ? 1 : 0]))].push_back(
          {part, left ? mirrored(part->binary) : part->binary, &part->args[left ? 0 : 1]});
    }
    for (const auto &[what, all] : limits)
      for (const Limit &low : all)
        for (const Limit &high : all) {
          const int64_t *from = numberIn(*low.against), *to = numberIn(*high.against);
          bool isLow = low.op == BinaryOp::Gt || low.op == BinaryOp::Ge;
          bool isHigh = high.op == BinaryOp::Lt || high.op == BinaryOp::Le;
          if (!isLow || !isHigh || !from || *from == INT64_MAX || (to && *to == INT64_MIN))
            continue;
          const int64_t least = *from + (low.op == BinaryOp::Gt);
          // what counts is 0 at least
          const int64_t most = to ? *to - (high.op == BinaryOp::Lt) : -int64_t(high.op == BinaryOp::Lt);
          if (isOr && (to || isCount(*high.against)) && least <= most + 1)
            return say(whole.range, fmt::format("`{}` is always one of the two, so this is always true", what),
                       "`and` asks that it is both");
          if (!isOr && to && least > most)
            return say(whole.range, fmt::format("`{}` is never both, so this is never true", what),
                       "`or` asks that it is one of the two");
        }
  }
  void collect(const Expr &e, BinaryOp op, std::vector<const Expr *> &out) {
    if (e.kind != ExprKind::Binary || e.binary != op)
      return out.push_back(&e);
    inner_.insert(&e);
    collect(e.args[0], op, out);
    collect(e.args[1], op, out);
  }

  CheckContext &c_;
  const Body &body_;
  Folded folded_;
  bool ofTemplate_, inRequire_ = false;
  std::set<uint32_t> fromZero_;  // variables that go through `0..n`
  std::set<uint32_t> sizes_;     // variables that are dimensions of values
  std::set<const Expr *> inner_; // of chains that were looked at
};
} // namespace

void lintConditions(CheckContext &c) {
  auto body = [&](const Body &b, EmptyConditions &lint) {
    for (const Match &test : b.tests)
      lint.match(test);
    for (const Build &build : b.builds) {
      for (const Expr &operand : build.operands)
        lint.expr(operand);
      for (const BuildAttr &attr : build.attrs)
        lint.expr(attr.value);
      forEachInside(build, [&](const Expr &part) { lint.expr(part); });
    }
  };
  auto constant = [&](const Expr &e, std::string_view always, std::string_view never) {
    if (std::optional<bool> known = Folded().truth(e))
      c.warning("empty-condition", e.range,
                *known ? fmt::format("this is always true: {}", always) : fmt::format("this is never true: {}", never))
          .note("leave it out, or ask what was meant");
  };
  auto folds = [&](const Op &op) {
    std::map<std::string, SourceRange> before; // by condition
    for (const FoldRule &fold : op.folds) {
      std::string asked = fold.condition ? toString(*fold.condition, c.module, op.body) : std::string();
      auto covers = before.find("");
      covers = covers == before.end() ? before.find(asked) : covers;
      if (covers != before.end())
        c.warning("shadowed-fold", fold.range,
                  fmt::format("a `fold` before this {}, so that this one is used only where that cannot be worked out",
                              covers->first.empty() ? "has no `if`" : "asks the same"))
            .note(covers->second, "this one comes first")
            .note("say there when it holds, `fold x if n == 0;`, or leave one of the two out");
      if (fold.condition)
        constant(*fold.condition, "it needs no `if`", "the op never folds so");
      before.try_emplace(std::move(asked), fold.range);
    }
  };
  for (const Pattern &p : c.module.patterns) {
    if (p.imported)
      continue;
    EmptyConditions lint(c, p.body, foldedIn(p), c.isOfTemplate(p));
    for (const Match &root : p.roots)
      lint.match(root);
    for (const Condition &condition : p.conditions) {
      lint.condition(condition);
      lint.asksOf(condition);
    }
    for (const Action &action : p.actions)
      for (const Expr &value : action.values)
        lint.expr(value);
    for (const Action &action : p.actions)
      for (const BuildAttr &attr : action.attrs)
        lint.expr(attr.value);
    body(p.body, lint);
  }
  for (const Test &test : c.module.tests) {
    if (test.imported)
      continue;
    EmptyConditions lint(c, test.body);
    body(test.body, lint);
    for (const Test::Side *side : {&test.before, &test.after})
      for (const Expr &value : side->values)
        lint.expr(value);
  }
  for (const Fn &fn : c.module.fns)
    if (!fn.imported)
      EmptyConditions(c, fn.body).expr(fn.value);
  for (const Op &op : c.module.ops) {
    if (op.imported)
      continue;
    EmptyConditions lint(c, op.body);
    for (const Require &require : op.requires_) {
      lint.require(require.condition);
      constant(require.condition, "nothing is asked", "no op of this kind is valid");
    }
    folds(op);
    for (PatternIndex meaning : op.means)
      for (const Condition &condition : c.module.pattern(meaning).conditions)
        constant(condition.expr, "it needs no `if`", "the op never means this");
    for (const Expr &type : op.types)
      lint.expr(type);
  }
}

} // namespace rw::sema
