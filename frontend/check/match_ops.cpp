#include "frontend/check/match_ops.h"

#include "frontend/check/bindings.h"
#include "frontend/check/expressions.h"
#include "frontend/check/match_attrs.h"
#include "frontend/check/matches.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/names.h"
#include "frontend/check/operand_groups.h"
#include "frontend/check/regions.h"
#include "frontend/check/sets_and_traits.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/unknown_names.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

/// Whether the op has the attributes and can have as many operands as the match mentions.
static bool fitsMention(const BodyContext &b, const ast::OpMatch &m, const Op &op) {
  size_t operands = 0, required = 0;
  bool open = bool(m.rest);
  for (const ast::MatchArg &arg : m.args) {
    if (arg.attr) {
      std::string_view name = arg.attr.text;
      if (const ast::Expr *value = b.substituted(name); value && value->kind == ast::ExprKind::Name)
        name = value->get<ast::NameExpr>().name.text;
      if (op.attrNamed(name) < 0 && std::ranges::find(op.regions, name) == op.regions.end())
        return false;
      continue;
    }
    open |= arg.match->kind == ast::MatchKind::Each || arg.match->kind == ast::MatchKind::Rest;
    ++operands;
  }
  for (const Operand &operand : op.operands) {
    required += operand.arity == Arity::Single && !op.standInOf(size_t(&operand - op.operands.data()));
    open |= operand.arity == Arity::Variadic;
  }
  return open || (operands >= required && operands <= op.operands.size());
}

/// Of an op declared for several ranges of versions, those are meant that have what the match mentions.
static OpList versionsMeant(const BodyContext &b, const ast::OpMatch &m, OpList ops) {
  bool chain = m.quantifier == ast::OpMatch::Quantifier::Star || m.quantifier == ast::OpMatch::Quantifier::Plus;
  if (auto fits = [&](OpIndex id) { return fitsMention(b, m, b.c.module.op(id)); };
      !chain && ops.size() > 1 && std::ranges::any_of(ops, fits))
    llvm::erase_if(ops, [&](OpIndex id) { return !fits(id); });
  return ops;
}

static bool matchHeads(BodyContext &b, const ast::OpMatch &m, OpSet &out) {
  if (&m == b.c.meantRoot) { // this version of it
    out.ops = {b.c.meantOp};
    return true;
  }
  for (const ast::QualifiedName &written : m.heads) {
    if (written.spelling() == "_") {
      out.any = true; // it stands alone
      continue;
    }
    ast::QualifiedName head = b.resolved(written);
    if (!head.dialect && !namesOp(b.c, head)) {
      if (std::optional<uint32_t> trait = traitNamed(head.name.text)) {
        if (out.byTrait())
          out.otherTraits.push_back(*trait);
        else
          out.traits = *trait;
        continue;
      }
    }
    if (GroupIndex group = head.dialect ? GroupIndex() : groupNamed(b.c, head.name)) {
      // By name: what is written is asked of the versions of each op by themselves.
      std::vector<OpList> byName;
      for (OpIndex op : opsOfSet(b.c, group, written.range)) {
        auto same = std::ranges::find_if(
            byName, [&](const OpList &l) { return b.c.module.op(l[0]).fullName() == b.c.module.op(op).fullName(); });
        (same == byName.end() ? byName.emplace_back() : *same).push_back(op);
      }
      if (byName.empty() && isOfTuples(b.c, group))
        return false;
      if (byName.empty()) {
        b.error("empty-set", written.range, fmt::format("no op that is seen here is in `{}`", head.name.text))
            .note(b.c.declOf(group).nameRange, fmt::format("`{}` is declared here", head.name.text));
        return false;
      }
      for (OpList &ops : byName)
        for (OpIndex op : versionsMeant(b, m, std::move(ops)))
          if (std::ranges::find(out.ops, op) == out.ops.end())
            out.ops.push_back(op);
      continue;
    }
    OpList ops = lookupOp(b.c, head);
    if (ops.empty())
      return false;
    for (OpIndex op : versionsMeant(b, m, std::move(ops))) {
      if (std::find(out.ops.begin(), out.ops.end(), op) == out.ops.end()) {
        out.ops.push_back(op);
      } else {
        b.error("duplicate-name", written.range, fmt::format("`{}` is listed twice", written.spelling()));
        return false;
      }
    }
  }
  if (out.byTrait())
    out.otherOps = std::exchange(out.ops, {});
  return true;
}

/// Whether every op of a set has a trait.
static bool allHave(const BodyContext &b, const OpSet &ops, uint32_t trait) {
  auto op = [&](OpIndex id) { return (b.c.module.op(id).traits & trait) != 0; };
  auto traits = [&](uint32_t t) { return (t & trait) != 0; };
  if (ops.byTrait())
    return traits(ops.traits) && std::ranges::all_of(ops.otherTraits, traits) && std::ranges::all_of(ops.otherOps, op);
  return std::ranges::all_of(ops.ops, op);
}

static void bindOp(BodyContext &b, const ast::Name &name, Match &out, bool optional) {
  bool isChain = out.kind == MatchKind::Chain;
  VarId id = b.find(name.text);
  TypeKind kind = isChain ? TypeKind::Chain : TypeKind::Op;
  if (id && b.inEach && b.var(id).perOperand && b.bound(id) == Bound::No && b.var(id).type.kind == kind)
    b.var(id).type = kind; // in the `each` of another alternative, which is over
  if (id && b.bound(id) == Bound::No && b.var(id).type.is(kind)) {
    if (!sameEachDepth(b, name, id)) {
      b.setBound(id, Bound::Yes);
      return;
    }
    if (b.var(id).ops.ops.empty() && !b.var(id).ops.byTrait()) { // by the use of a named match
      b.var(id).ops = out.ops;
      b.var(id).optional = optional;
    } else {
      for (OpIndex op : out.ops.ops)
        b.var(id).ops.ops.push_back(op); // named in another alternative
    }
    b.setBound(id, Bound::Yes);
  } else if (id) {
    b.error("duplicate-name", name.range, fmt::format("`{}` already names something else", name.text))
        .note(b.var(id).range, fmt::format("`{}` is bound here", name.text));
    return;
  } else {
    id = b.declare(name, kind, isChain ? VarKind::Chain : VarKind::Op);
    b.var(id).ops = out.ops;
    b.var(id).optional = optional;
    b.var(id).perOperand = b.inEach;
    b.eachDepths[id.raw] = b.eachDepth;
  }
  out.op = {Use::Bind, id, name.range};
}

/// `svd(x).u`: the number of the result, the same for every op this may be.
static uint32_t matchedResult(BodyContext &b, const ast::OpMatch &m, const OpSet &ops) {
  if (ops.byTrait() || m.quantifier != ast::OpMatch::Quantifier::One) {
    b.error("bad-match", m.result.range,
            fmt::format("which result `{}` is, is known of listed ops only", m.result.text))
        .note("an op given by trait or left out at will stands for its first result");
    return 0;
  }
  std::optional<uint32_t> index;
  for (OpIndex id : ops.ops) {
    const Op &op = b.c.module.op(id);
    auto it = std::ranges::find(op.results, m.result.text, &OpResultDecl::name);
    uint32_t here = uint32_t(it - op.results.begin());
    if (it == op.results.end()) {
      std::vector<std::string_view> names;
      for (const OpResultDecl &result : op.results)
        names.push_back(result.name);
      Report report = b.error("undefined-member", m.result.range,
                              fmt::format("`{}` has no result `{}`", op.fullName(), m.result.text));
      suggest(b.c, report, m.result.range, m.result.text, names);
      report.note(op.nameRange, fmt::format("`{}` is declared here", op.name));
      return 0;
    }
    bool open =
        std::any_of(op.results.begin(), it + 1, [](const OpResultDecl &r) { return r.arity == Arity::Variadic; });
    if (open || (index && *index != here)) {
      b.error("bad-match", m.result.range,
              it->arity == Arity::Variadic ? fmt::format("`{}` is any number of results", m.result.text)
              : open                       ? fmt::format("`{}` stands behind any number of results", m.result.text)
                     : fmt::format("`{}` is not the same result in all the ops this may be", m.result.text))
          .note(open ? "name the op where it is a root: `d: f(x)`, and then `d." + m.result.text + "`"
                     : "a pattern for each op can say which");
      return 0;
    }
    index = here;
  }
  return *index;
}

/// Why no chain goes through an op, or nothing (rw::Chain::isLink).
static std::string_view whyNoLink(const Op &op) {
  constexpr uint32_t kEffects = trait::effectRandom | trait::effectError | trait::effectState;
  if (!op.regions.empty())
    return "has regions";
  if (!(op.traits & trait::pure) || (op.traits & kEffects))
    return op.traits & kEffects ? "has effects" : "is taken to have all effects: it is neither pure nor are any stated";
  if (op.operands.empty())
    return "has no operands";
  bool open = std::ranges::any_of(op.results, [](const OpResultDecl &r) { return r.arity == Arity::Variadic; });
  if (op.results.size() > 1 && !open)
    return "has several results";
  return "";
}

/// Reports heads of a chain that it cannot go through: each that is listed, and a set of which all are such.
static bool checkChainHeads(BodyContext &b, const ast::OpMatch &m, const OpSet &ops) {
  auto isLink = [&](OpIndex id) { return whyNoLink(b.c.module.op(id)).empty() || b.c.module.op(id).results.empty(); };
  auto refuse = [&](SourceRange at, OpIndex id) {
    const Op &op = b.c.module.op(id);
    b.error("bad-match", at, fmt::format("a chain never goes through `{}`, which {}", op.fullName(), whyNoLink(op)))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
        .note("a chain goes through pure ops of one result without regions; any other op is matched by itself, "
              "`f: op(x)` without `*` or `+`");
    return false;
  };
  for (const ast::QualifiedName &written : m.heads) {
    ast::QualifiedName head = b.resolved(written);
    if (written.spelling() == "_" || !namesOp(b.c, head) || (!head.dialect && groupNamed(b.c, head.name, true)))
      continue;
    OpList versions = lookupOp(b.c, head);
    if (!versions.empty() && std::ranges::none_of(versions, isLink))
      return refuse(written.range, versions.front());
  }
  if (ops.traits == trait::constant && !ops.mixed()) {
    b.error("bad-match", m.headRange, "a chain never goes through constants, which have no operands")
        .note("a constant is matched by `const c`");
    return false;
  }
  if (!ops.byTrait() && !ops.ops.empty() && std::ranges::none_of(ops.ops, isLink))
    return refuse(m.headRange, ops.ops.front());
  return true;
}

/// What each op of a chain must have: literals, and what was bound before, since every op has its own attributes.
static void matchChainAttrs(BodyContext &b, const ast::OpMatch &m, Match &out) {
  size_t known = b.body.vars.size();
  b.implied.clear();
  matchAttrs(b, m, out);
  for (const AttrMatch &attr : out.attrs) {
    VarUse own = attr.var ? attr.var : attr.rest;
    for (const AttrMatch::Element &element : attr.elements)
      own = own ? own : element.var;
    if (!own || own.use == Use::Compare)
      continue;
    b.error("bad-match", own.range,
            fmt::format("each op of a chain has its own `{}`: it is compared, not named", attr.name))
        .note("with a literal, or with a name that is bound before the chain");
  }
  for (size_t v = known; v < b.body.vars.size(); ++v)
    b.use(VarId(uint32_t(v)));
}

static void matchChain(BodyContext &b, const ast::OpMatch &m, Match &out, const ast::Name *bind) {
  if (m.result)
    b.error("bad-match", m.result.range, "the ops of a chain have one result each")
        .note("a chain goes from result to operand: leave out the `.` and the name");
  out.kind = MatchKind::Chain;
  out.atLeastOne = m.quantifier == ast::OpMatch::Quantifier::Plus;
  bool known = matchHeads(b, m, out.ops) && checkChainHeads(b, m, out.ops);
  std::vector<const ast::MatchArg *> args;
  for (const ast::MatchArg &arg : m.args) {
    if (!arg.attr)
      args.push_back(&arg);
  }
  if (args.empty() || args.size() > 2) {
    b.error("operand-count", m.headRange,
            "a chain has what stands at its end, and at most one match for the other operands of its ops")
        .note("`elementwise*(transpose(x, perm = p), side: f32[n])`");
    if (args.empty()) {
      if (bind)
        b.declare(*bind, TypeKind::Error, VarKind::Chain);
      return;
    }
  }
  for (size_t i = 0; i < args.size() && i < 2; ++i)
    if (args[i]->match->kind == ast::MatchKind::Each || args[i]->match->kind == ast::MatchKind::Rest) {
      b.error("misplaced", args[i]->range, "a chain goes through one operand of each op");
      return;
    }
  if (known) {
    matchChainAttrs(b, m, out);
    matchRegions(b, m, out);
  }
  if (known && bind)
    bindOp(b, *bind, out, false);
  else if (bind)
    b.declare(*bind, TypeKind::Error, VarKind::Chain);
  out.children.push_back(checkMatch(b, *args[0]->match));
  if (args.size() < 2)
    return;
  size_t mark = b.openScope();
  out.side.push_back(checkMatch(b, *args[1]->match));
  for (size_t i = mark; i < b.names->scope.size(); ++i)
    b.use(b.names->scope[i].var);
  b.closeScope(mark);
}

// ---- operands

/// Two operands of an op that may be commutative match in either order, unless the match says otherwise.
static void matchEitherOrder(BodyContext &b, const ast::OpMatch &m, Match &out) {
  bool two = out.operands.size() == 2 && out.operands[0].kind == OperandMatchKind::One &&
             out.operands[1].kind == OperandMatchKind::One;
  bool every = allHave(b, out.ops, trait::commutative);
  bool some = every || out.ops.byTrait() || std::ranges::any_of(out.ops.ops, [&](OpIndex id) {
                return (b.c.module.op(id).traits & trait::commutative) != 0;
              });
  out.commutative = two && some && !m.ordered;
  out.ifCommutative = out.commutative && !every;
  bool given = b.names->putIn ||
               (b.c.substitutions && !b.c.substitutions->empty()); // the op may be another one in the next instance
  if (m.ordered && !(two && some) && !given)
    b.error("misplaced", m.ordered,
            !two ? "`ordered` is about the two operands of a commutative op"
                 : fmt::format("`{}` is not commutative: its operands match as written anyway", m.heads[0].spelling()))
        .fixIt({m.ordered.begin, m.headRange.begin}, "");
}

/// `none`, `b?`, `_?`, `(const b)?`: an operand that is left out, or may be. False if it is none of these. `op` and
/// `declared` are none of an op that is given by trait.
static bool matchMaybeOperand(BodyContext &b, const ast::Match &written, const OpSet &ops, const Op *op,
                              const Operand *declared, OperandMatch &out) {
  const auto *optional = written.as<ast::OptionalMatch>();
  if (!optional && !saysNone(b, written))
    return false;
  size_t place = declared ? size_t(declared - op->operands.data()) : 0;
  bool optionalInSome = std::ranges::any_of(ops.ops, [&](OpIndex id) { // of one name's versions, say
    const std::vector<Operand> &operands = b.c.module.op(id).operands;
    return place < operands.size() && operands[place].arity == Arity::Optional;
  });
  if (!declared || declared->arity == Arity::Variadic || !optionalInSome) {
    Report report =
        declared
            ? b.error("operand-count", written.range,
                      fmt::format("the operand `{}` of `{}` is {}", declared->name, op->fullName(),
                                  declared->arity == Arity::Variadic ? "any number of values, none of them left out"
                                                                     : "never left out"))
            : b.error("operand-count", written.range,
                      "of an op that is given by trait it is not known which operands may be left out");
    if (declared && declared->arity == Arity::Variadic)
      report.note(declared->range, fmt::format("`{0}` is any number of operands: `{0}...`", declared->name));
    else if (declared)
      report.note(declared->range,
                  fmt::format("`{0}` is declared here; one that may be left out is `{0}: tensor?`", declared->name));
    else
      report.note("list the ops that are meant: `(conv | gemm)(x, w, b?)`");
    if (optional) {
      if (declared && declared->arity == Arity::Single)
        report.fixIt(written.range, b.c.textOf(optional->inner->range));
      bindNamesOf(b, *optional->inner);
    }
    return true;
  }
  if (!optional) {
    out.kind = OperandMatchKind::Absent;
    return true;
  }
  out.kind = OperandMatchKind::Maybe;
  const auto *name = optional->inner->as<ast::NameMatch>();
  if (const auto *prefix = optional->inner->as<ast::ConstMatch>())
    name = prefix->inner->as<ast::NameMatch>();
  if (name)
    if (VarId id = b.find(name->name.text); id && b.bound(id) != Bound::No) {
      b.error("duplicate-name", name->name.range,
              fmt::format("`{}` is bound already, and what may be left out is named where it stands first",
                          name->name.text))
          .note(b.var(id).range, fmt::format("`{}` is bound here", name->name.text))
          .note(fmt::format("give it another name, and say in the `where` what the two have in common: `has({0}) and "
                            "has(other), {0} == other`",
                            name->name.text));
      out.elements.emplace_back();
      return true;
    }
  if (name && b.inEach) {
    b.error("bad-each", name->name.range,
            fmt::format("`{}` would be a list, of which some elements are left out", name->name.text))
        .note("`_?` is anything, there or not");
    bindNamesOf(b, *name);
    out.elements.emplace_back();
    return true;
  }
  Match choice;
  matchAlternatives(b, 2, choice, [&](size_t i, Match &one) {
    if (i == 0)
      one = checkMatch(b, *optional->inner);
  });
  out.elements.push_back(std::move(choice.children[0]));
  if (VarId id = name ? b.find(name->name.text) : VarId(); id && b.var(id).kind == VarKind::Value)
    b.var(id).optional = true;
  return true;
}

/// Whether an operand that is not written stands for an attribute, of which the match asks something or which other ops
/// of it have.
static bool isAskedAsAttribute(const ast::OpMatch &m, const Op &op, size_t operand, const Match &out) {
  const OpAttrDecl *attr = op.standInOf(operand);
  if (!attr)
    return false;
  bool asked = m.anyAttrs || out.ops.ops.size() > 1 || op.operands[operand].arity == Arity::Single;
  for (const ast::MatchArg &arg : m.args)
    asked |= arg.attr && arg.attr.text == attr->name;
  return asked;
}

static void matchOperandsOf(BodyContext &b, const ast::OpMatch &m, const Op &op,
                            const std::vector<const ast::MatchArg *> &args, Match &out) {
  if (op.variadicGroups() > 1) {
    b.operandsMissing |= !matchOperandGroups(b, m, op, args, out);
    return;
  }
  size_t variadic = op.operands.size();
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (op.operands[i].arity == Arity::Variadic)
      variadic = i;
  size_t after = variadic < op.operands.size() ? op.operands.size() - variadic - 1 : 0;
  auto wrongCount = [&](SourceRange at) {
    b.operandsMissing |= args.size() < op.operands.size();
    for (const ast::MatchArg &arg : m.args)
      if (isNamedMatch(op, arg)) { // relu(y = relu(x))
        b.error("named-argument", arg.match->range, "what a match names stands behind the name and a `:`")
            .fixIt({arg.attr.range.end, arg.match->range.begin}, ": ");
        bindNamesOf(b, *arg.match);
        return;
      }
    b.error("operand-count", at, fmt::format("`{}` has {}, not {}", op.fullName(), operandCount(op), args.size()))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
        .note("a match mentions every operand; `_` is any, `..` ignores the rest");
  };
  size_t next = 0;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Operand &declared = op.operands[i];
    OperandMatch &operand = out.operands.emplace_back();
    if (declared.arity == Arity::Variadic) {
      size_t end = args.size() >= next + after ? args.size() - after : next;
      operand.kind = m.rest && next == end ? OperandMatchKind::Ignored : OperandMatchKind::List;
      for (; next < end; ++next) {
        if (const auto *rest = args[next]->match->as<ast::RestMatch>()) {
          if (operand.hasRest)
            b.error("bad-rest", args[next]->range,
                    "an op has at most one `...` among its operands: with two, nobody could tell where one ends")
                .note("name one of the two by its place, or look at both in the `where`: `len(xs)`, `xs[0]`");
          operand.hasRest = true;
          operand.restAt = uint32_t(operand.elements.size());
          if (rest->name)
            operand.rest = bindRest(b, rest->name);
        } else if (OperandMatch none; !matchMaybeOperand(b, *args[next]->match, out.ops, &op, &declared, none)) {
          operand.elements.push_back(checkMatch(b, *args[next]->match));
        }
      }
      continue;
    }
    if (next == args.size()) {
      if (m.rest || isAskedAsAttribute(m, op, i, out))
        operand.kind = OperandMatchKind::Ignored;
      else if (declared.arity == Arity::Optional)
        operand.kind = OperandMatchKind::Absent;
      else {
        wrongCount(m.headRange);
        return;
      }
      continue;
    }
    const ast::Match &written = *args[next++]->match;
    if (!matchMaybeOperand(b, written, out.ops, &op, &declared, operand))
      operand.elements.push_back(checkMatch(b, written));
    else if (operand.kind == OperandMatchKind::One) // reported
      operand.elements.emplace_back();
  }
  b.implied.clear(); // matches inside had theirs
  if (next == args.size())
    return;
  std::vector<std::string_view> given;
  for (const ast::MatchArg &arg : m.args)
    if (arg.attr)
      given.push_back(arg.attr.text);
  if (m.rest || !reportUnnamedAttribute(b, op, given, args[next]->range))
    wrongCount(args[next]->range);
  for (; next < args.size(); ++next) // names in it are bound all the same
    bindNamesOf(b, *args[next]->match);
}

static void matchEach(BodyContext &b, const ast::EachMatch &m, Match &out) {
  out.each = true;
  bool inner = std::exchange(b.inEach, true);
  ++b.eachDepth;
  if (!inner)
    b.eachMark = b.body.vars.size();
  std::vector<Bound> before = b.bounds;
  out.children.push_back(checkMatch(b, *m.inner));
  b.inEach = inner;
  --b.eachDepth;
  for (size_t v = 0; v < b.body.vars.size(); ++v) {
    Var &variable = b.var(VarId(uint32_t(v)));
    if (v < before.size() && b.bounds[v] == before[v])
      continue;
    if (variable.localTo > b.eachDepth) { // nobody outside sees it
      b.bounds[v] = Bound::No;
      continue;
    }
    if (!variable.perOperand) {
      b.bounds[v] = Bound::Maybe; // an op may have no operands, or none that takes this alternative
      continue;
    }
    if (b.bounds[v] != Bound::Yes)
      b.error("bad-each", variable.range,
              fmt::format("`{}` is bound once per operand, but not every alternative binds it", variable.name));
    if (variable.type.lists >= 3)
      b.error("bad-each", m.range, "`each` is nested at most three deep");
    else
      variable.type = variable.type.listOf();
    b.bounds[v] = Bound::Yes;
  }
}

static void matchOperands(BodyContext &b, const ast::OpMatch &m, Match &out) {
  b.implied.clear();
  if (!out.ops.byTrait()) {
    bool named = false;
    for (const ast::MatchArg &arg : m.args)
      named |= arg.attr ? reportNamedOperand(b, b.c.module.op(out.ops.ops.front()), arg.attr, arg.range)
                        : reportColonAttribute(b, b.c.module.op(out.ops.ops.front()), *arg.match);
    if (named) { // how many operands were meant is not known then
      for (const ast::MatchArg &arg : m.args)
        if (!arg.attr || std::ranges::find(b.implied, arg.attr.text) != b.implied.end())
          bindNamesOf(b, *arg.match);
      return;
    }
  }
  std::vector<const ast::MatchArg *> args;
  for (const ast::MatchArg &arg : m.args)
    if (!arg.attr)
      args.push_back(&arg);
  out.ignoreOperands = bool(m.rest);
  if (args.size() == 1 && args[0]->match->kind == ast::MatchKind::Each) {
    if (m.ordered)
      b.error("misplaced", m.ordered, "`each` asks the same of every operand: there is no order to ask for")
          .fixIt({m.ordered.begin, m.headRange.begin}, "");
    matchEach(b, args[0]->match->get<ast::EachMatch>(), out);
    return;
  }
  if (out.ops.byTrait()) {
    for (const ast::MatchArg *arg : args) {
      OperandMatch &operand = out.operands.emplace_back();
      const auto *rest = arg->match->as<ast::RestMatch>();
      if (!rest) {
        if (matchMaybeOperand(b, *arg->match, out.ops, nullptr, nullptr, operand))
          operand.elements.emplace_back();
        else
          operand.elements.push_back(checkMatch(b, *arg->match));
        continue;
      }
      if (std::ranges::any_of(out.operands, &OperandMatch::hasRest))
        b.error("bad-rest", arg->range,
                "an op has at most one `...` among its operands: with two, nobody could tell where one ends")
            .note("name one of the two by its place, or look at both in the `where`: `len(xs)`, `xs[0]`");
      operand.kind = OperandMatchKind::List;
      operand.hasRest = true;
      if (rest->name)
        operand.rest = bindRest(b, rest->name);
    }
    if (!out.ignoreOperands || m.ordered)
      matchEitherOrder(b, m, out);
    return;
  }
  const Op &first = b.c.module.op(out.ops.ops.front());
  matchOperandsOf(b, m, first, args, out);
  // What is written must mean the same for every head.
  for (OpIndex id : out.ops.ops) {
    const Op &op = b.c.module.op(id);
    size_t required = 0;
    bool fits = op.variadicGroups() == first.variadicGroups();
    if (fits && op.variadicGroups() > 1) { // what is written was taken apart by the first one's declaration
      fits = std::ranges::equal(op.operands, first.operands, {}, &Operand::arity, &Operand::arity);
      if (fits)
        continue;
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bool written = i < out.operands.size() && (out.operands[i].kind == OperandMatchKind::One ||
                                                 out.operands[i].kind == OperandMatchKind::Maybe ||
                                                 out.operands[i].kind == OperandMatchKind::List);
      if (op.operands[i].arity == Arity::Single && !written && !m.rest && !op.standInOf(i))
        ++required;
      if (written && (op.operands[i].arity == Arity::Variadic) != (out.operands[i].kind == OperandMatchKind::List))
        fits = false;
    }
    for (size_t i = op.operands.size(); i < out.operands.size(); ++i)
      fits &= out.operands[i].kind == OperandMatchKind::Absent || out.operands[i].kind == OperandMatchKind::Maybe ||
              (out.operands[i].kind == OperandMatchKind::Ignored && // an earlier head's, which this one does not have
               (m.rest || std::ranges::any_of(out.ops.ops, [&](OpIndex o) { return b.c.module.op(o).standInOf(i); })));
    if (id != out.ops.ops.front() && (required || !fits)) {
      b.error("operand-count", m.headRange,
              fmt::format("`{}` and `{}` do not have these operands in common", first.fullName(), op.fullName()))
          .note(first.nameRange, fmt::format("`{}` has {}", first.name, counted(first.operands.size(), "operand")))
          .note(op.nameRange, fmt::format("`{}` has {}", op.name, counted(op.operands.size(), "operand")));
      return;
    }
    for (size_t i = out.operands.size(); i < op.operands.size(); ++i)
      out.operands.emplace_back().kind =
          m.rest || op.standInOf(i) ? OperandMatchKind::Ignored : OperandMatchKind::Absent;
  }
  matchEitherOrder(b, m, out);
}

void matchOp(BodyContext &b, const ast::OpMatch &m, Match &out, const ast::Name *bind) {
  for (const ast::QualifiedName &head : m.heads)
    if (MatcherIndex matcher = &m == b.c.meantRoot ? MatcherIndex() : matcherOf(b, head)) {
      if (m.ordered)
        b.error("misplaced", m.ordered,
                fmt::format("`{}` is a named match, which says itself where the order of operands counts",
                            head.spelling()))
            .note(b.c.module.matcher(matcher).nameRange,
                  fmt::format("write `ordered` where `{}` is declared", head.spelling()));
      if (m.heads.size() == 1)
        return matchNamed(b, m, matcher, out, bind);
      b.error("misplaced", head.range, fmt::format("`{}` is a named match: it is no op among others", head.spelling()))
          .note(b.c.module.matcher(matcher).nameRange, fmt::format("`{}` is declared here", head.spelling()))
          .note("alternatives are whole matches then: `(f(x) | relu(x))`");
      for (const ast::MatchArg &arg : m.args)
        bindNamesOf(b, *arg.match);
      if (bind && bind->text != "_")
        b.declare(*bind, TypeKind::Error, VarKind::Op);
      out.kind = MatchKind::Op; // of no known kind
      return;
    }
  if (m.quantifier == ast::OpMatch::Quantifier::Star || m.quantifier == ast::OpMatch::Quantifier::Plus) {
    matchChain(b, m, out, bind);
    return;
  }
  out.kind = MatchKind::Op;
  out.optional = m.quantifier == ast::OpMatch::Quantifier::Optional;
  if (!matchHeads(b, m, out.ops)) {
    // The rest is checked all the same, so that names are bound and further errors seen.
    if (bind)
      b.declare(*bind, TypeKind::Error, VarKind::Op);
    const bool isConst = m.heads.size() == 1 && m.heads[0].spelling() == "const"; // `const(0)`
    for (const ast::MatchArg &arg : m.args) {
      if (isConst) {
        bindNamesOf(b, *arg.match);
      } else if (arg.attr) {
        if (const auto *name = arg.match->as<ast::NameMatch>(); name && !b.find(name->name.text))
          b.declare(name->name, TypeKind::Error, VarKind::Bound);
        else if (arg.match->kind == ast::MatchKind::Region || arg.match->kind == ast::MatchKind::Bind)
          bindNamesOf(b, *arg.match);
      } else if (const auto *rest = arg.match->as<ast::RestMatch>()) {
        if (rest->name && !b.find(rest->name.text))
          b.declare(rest->name, TypeKind::Error, VarKind::Value);
      } else if (arg.match->kind == ast::MatchKind::Each) {
        matchEach(b, arg.match->get<ast::EachMatch>(), out);
      } else if (arg.match->kind == ast::MatchKind::Optional) {
        bindNamesOf(b, *arg.match);
      } else if (!saysNone(b, *arg.match)) {
        out.children.push_back(checkMatch(b, *arg.match));
      }
    }
    return;
  }
  if (bind && bind->text != "_")
    bindOp(b, *bind, out, out.optional);
  std::vector<Bound> before = b.bounds;
  if (m.result)
    out.result = matchedResult(b, m, out.ops);
  matchOperands(b, m, out);
  if (m.anyAttrs && out.ops.byTrait())
    b.error("misplaced", m.anyAttrs,
            out.ops.any ? "attributes of any op, `_(...)`, are not asked for"
                        : "attributes of an op that is given by trait are not asked for")
        .note("it is taken whatever attributes it has: leave `_ = _` out");
  matchAttrs(b, m, out);
  matchRegions(b, m, out);
  if (out.op && !out.ops.byTrait())
    for (size_t i = 0; i < out.operands.size(); ++i)
      if (LeftOut &left = b.leftOut[out.op.var.raw]; out.operands[i].kind == OperandMatchKind::Ignored && m.rest) {
        for (OpIndex id : out.ops.ops)
          if (const Op &op = b.c.module.op(id);
              i < op.operands.size() && !op.standInOf(i) &&
              std::ranges::find(left.operands, op.operands[i].name) == left.operands.end())
            left.operands.push_back(op.operands[i].name);
        if (!left.operands.empty())
          left.firstOperand = std::min(left.firstOperand, i);
        left.rest = m.rest;
      }
  for (const OperandMatch &operand : out.operands)
    for (const Match &element : operand.elements)
      forEachUse(element, [&](const VarUse &use) {
        if (use && out.op && use.var == out.op.var)
          b.warning("never-matches", use.range,
                    fmt::format(
                        "`{}` is the op around this, and no op is made of its own result, so the pattern never matches",
                        b.var(use.var).name))
              .note("give the operand a name of its own");
      });
  if (!out.optional)
    return;
  // Where the op is absent, its first operand stands for it and nothing else is bound.
  if (!out.operands.empty() && out.operands[0].kind == OperandMatchKind::One && out.operands[0].elements.empty())
    return; // too few operands, as was reported
  if (out.operands.empty() || out.operands[0].kind != OperandMatchKind::One) {
    b.error("bad-match", m.range, "an optional op needs a first operand that stands for it where it is absent")
        .note("as in `convert?(x)`");
    return;
  }
  if (out.operands[0].elements.empty()) // it is not written; matchOperands has said so
    return;
  before.resize(b.bounds.size(), Bound::No);
  forEachUse(out.operands[0].elements[0], [&](const VarUse &use) {
    if (use)
      before[use.var.raw] = b.bounds[use.var.raw];
  });
  for (size_t v = 0; v < b.bounds.size(); ++v)
    if (b.bounds[v] != before[v])
      b.bounds[v] = Bound::Maybe;
}

} // namespace rw::sema
