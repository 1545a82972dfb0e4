// Left sides: ops, their operands, chains and `each`.
#include "frontend/check/body.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

/// Whether the op has the attributes and can have as many operands as the match mentions.
bool BodyChecker::fitsMention(const ast::OpMatch &m, const Op &op) const {
  size_t operands = 0, required = 0;
  bool open = bool(m.rest);
  for (const ast::MatchArg &arg : m.args) {
    if (arg.attr) {
      std::string_view name = arg.attr.text;
      if (const ast::Expr *value = substituted(name); value && value->kind == ast::ExprKind::Name)
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
Checker::OpList BodyChecker::versionsMeant(const ast::OpMatch &m, Checker::OpList ops) const {
  bool chain = m.quantifier == ast::OpMatch::Quantifier::Star || m.quantifier == ast::OpMatch::Quantifier::Plus;
  if (auto fits = [&](OpIndex id) { return fitsMention(m, c.module.op(id)); };
      !chain && ops.size() > 1 && std::ranges::any_of(ops, fits))
    llvm::erase_if(ops, [&](OpIndex id) { return !fits(id); });
  return ops;
}

bool BodyChecker::heads(const ast::OpMatch &m, OpSet &out) {
  if (&m == c.meantRoot) { // this version of it
    out.ops = {c.meantOp};
    return true;
  }
  for (const ast::QualifiedName &written : m.heads) {
    if (written.spelling() == "_") {
      out.any = true; // it stands alone
      continue;
    }
    ast::QualifiedName head = resolved(written);
    if (!head.dialect && !c.namesOp(head)) {
      if (std::optional<uint32_t> trait = c.traitNamed(head.name.text)) {
        if (out.byTrait())
          out.otherTraits.push_back(*trait);
        else
          out.traits = *trait;
        continue;
      }
    }
    if (GroupIndex group = head.dialect ? GroupIndex() : c.groupNamed(head.name)) {
      // By name: what is written is asked of the versions of each op by themselves.
      std::vector<Checker::OpList> byName;
      for (OpIndex op : c.opsOf(group, written.range)) {
        auto same = std::ranges::find_if(byName, [&](const Checker::OpList &l) {
          return c.module.op(l[0]).fullName() == c.module.op(op).fullName();
        });
        (same == byName.end() ? byName.emplace_back() : *same).push_back(op);
      }
      if (byName.empty() && c.isOfTuples(group))
        return false;
      if (byName.empty()) {
        c.error("empty-set", written.range, fmt::format("no op that is seen here is in `{}`", head.name.text))
            .note(c.declOf(group).nameRange, fmt::format("`{}` is declared here", head.name.text));
        return false;
      }
      for (Checker::OpList &ops : byName)
        for (OpIndex op : versionsMeant(m, std::move(ops)))
          if (std::ranges::find(out.ops, op) == out.ops.end())
            out.ops.push_back(op);
      continue;
    }
    Checker::OpList ops = c.lookupOp(head);
    if (ops.empty())
      return false;
    for (OpIndex op : versionsMeant(m, std::move(ops))) {
      if (std::find(out.ops.begin(), out.ops.end(), op) == out.ops.end()) {
        out.ops.push_back(op);
      } else {
        c.error("duplicate-name", written.range, fmt::format("`{}` is listed twice", written.spelling()));
        return false;
      }
    }
  }
  if (out.byTrait())
    out.otherOps = std::exchange(out.ops, {});
  return true;
}

/// Whether every op of a set has a trait.
bool BodyChecker::allHave(const OpSet &ops, uint32_t trait) const {
  auto op = [&](OpIndex id) { return (c.module.op(id).traits & trait) != 0; };
  auto traits = [&](uint32_t t) { return (t & trait) != 0; };
  if (ops.byTrait())
    return traits(ops.traits) && std::ranges::all_of(ops.otherTraits, traits) && std::ranges::all_of(ops.otherOps, op);
  return std::ranges::all_of(ops.ops, op);
}

void BodyChecker::bindOp(const ast::Name &name, Match &out, bool optional) {
  bool isChain = out.kind == MatchKind::Chain;
  VarId id = find(name.text);
  TypeKind kind = isChain ? TypeKind::Chain : TypeKind::Op;
  if (id && inEach_ && var(id).perOperand && bound(id) == Bound::No && var(id).type.kind == kind)
    var(id).type = kind; // in the `each` of another alternative, which is over
  if (id && bound(id) == Bound::No && var(id).type.is(kind)) {
    if (!sameEachDepth(name, id)) {
      setBound(id, Bound::Yes);
      return;
    }
    if (var(id).ops.ops.empty() && !var(id).ops.byTrait()) { // by the use of a named match
      var(id).ops = out.ops;
      var(id).optional = optional;
    } else {
      for (OpIndex op : out.ops.ops)
        var(id).ops.ops.push_back(op); // named in another alternative
    }
    setBound(id, Bound::Yes);
  } else if (id) {
    c.error("duplicate-name", name.range, fmt::format("`{}` already names something else", name.text))
        .note(var(id).range, fmt::format("`{}` is bound here", name.text));
    return;
  } else {
    id = declare(name, kind, isChain ? VarKind::Chain : VarKind::Op);
    var(id).ops = out.ops;
    var(id).optional = optional;
    var(id).perOperand = inEach_;
    eachDepths_[id.raw] = eachDepth_;
  }
  out.op = {Use::Bind, id, name.range};
}

void BodyChecker::opMatch(const ast::OpMatch &m, Match &out, const ast::Name *bind) {
  for (const ast::QualifiedName &head : m.heads)
    if (MatcherIndex matcher = &m == c.meantRoot ? MatcherIndex() : matcherOf(head)) {
      if (m.ordered)
        c.error("misplaced", m.ordered,
                fmt::format("`{}` is a named match, which says itself where the order of operands counts",
                            head.spelling()))
            .note(c.module.matcher(matcher).nameRange,
                  fmt::format("write `ordered` where `{}` is declared", head.spelling()));
      if (m.heads.size() == 1)
        return namedMatch(m, matcher, out, bind);
      c.error("misplaced", head.range, fmt::format("`{}` is a named match: it is no op among others", head.spelling()))
          .note(c.module.matcher(matcher).nameRange, fmt::format("`{}` is declared here", head.spelling()))
          .note("alternatives are whole matches then: `(f(x) | relu(x))`");
      for (const ast::MatchArg &arg : m.args)
        bindNamesOf(*arg.match);
      if (bind && bind->text != "_")
        declare(*bind, TypeKind::Error, VarKind::Op);
      out.kind = MatchKind::Op; // of no known kind
      return;
    }
  if (m.quantifier == ast::OpMatch::Quantifier::Star || m.quantifier == ast::OpMatch::Quantifier::Plus) {
    chain(m, out, bind);
    return;
  }
  out.kind = MatchKind::Op;
  out.optional = m.quantifier == ast::OpMatch::Quantifier::Optional;
  if (!heads(m, out.ops)) {
    // The rest is checked all the same, so that names are bound and further errors seen.
    if (bind)
      declare(*bind, TypeKind::Error, VarKind::Op);
    const bool isConst = m.heads.size() == 1 && m.heads[0].spelling() == "const"; // `const(0)`
    for (const ast::MatchArg &arg : m.args) {
      if (isConst) {
        bindNamesOf(*arg.match);
      } else if (arg.attr) {
        if (const auto *name = arg.match->as<ast::NameMatch>(); name && !find(name->name.text))
          declare(name->name, TypeKind::Error, VarKind::Bound);
        else if (arg.match->kind == ast::MatchKind::Region || arg.match->kind == ast::MatchKind::Bind)
          bindNamesOf(*arg.match);
      } else if (const auto *rest = arg.match->as<ast::RestMatch>()) {
        if (rest->name && !find(rest->name.text))
          declare(rest->name, TypeKind::Error, VarKind::Value);
      } else if (arg.match->kind == ast::MatchKind::Each) {
        each(arg.match->get<ast::EachMatch>(), out);
      } else if (arg.match->kind == ast::MatchKind::Optional) {
        bindNamesOf(*arg.match);
      } else if (!saysNone(*arg.match)) {
        out.children.push_back(match(*arg.match));
      }
    }
    return;
  }
  if (bind && bind->text != "_")
    bindOp(*bind, out, out.optional);
  std::vector<Bound> before = bound_;
  if (m.result)
    out.result = resultOf(m, out.ops);
  operands(m, out);
  if (m.anyAttrs && out.ops.byTrait())
    c.error("misplaced", m.anyAttrs,
            out.ops.any ? "attributes of any op, `_(...)`, are not asked for"
                        : "attributes of an op that is given by trait are not asked for")
        .note("it is taken whatever attributes it has: leave `_ = _` out");
  attrs(m, out);
  regions(m, out);
  if (out.op && !out.ops.byTrait())
    for (size_t i = 0; i < out.operands.size(); ++i)
      if (LeftOut &left = left_[out.op.var.raw]; out.operands[i].kind == OperandMatchKind::Ignored && m.rest) {
        for (OpIndex id : out.ops.ops)
          if (const Op &op = c.module.op(id);
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
          c.warning("never-matches", use.range,
                    fmt::format(
                        "`{}` is the op around this, and no op is made of its own result, so the pattern never matches",
                        var(use.var).name))
              .note("give the operand a name of its own");
      });
  if (!out.optional)
    return;
  // Where the op is absent, its first operand stands for it and nothing else is bound.
  if (!out.operands.empty() && out.operands[0].kind == OperandMatchKind::One && out.operands[0].elements.empty())
    return; // too few operands, as was reported
  if (out.operands.empty() || out.operands[0].kind != OperandMatchKind::One) {
    c.error("bad-match", m.range, "an optional op needs a first operand that stands for it where it is absent")
        .note("as in `convert?(x)`");
    return;
  }
  if (out.operands[0].elements.empty()) // it is not written; operands() has said so
    return;
  before.resize(bound_.size(), Bound::No);
  forEachUse(out.operands[0].elements[0], [&](const VarUse &use) {
    if (use)
      before[use.var.raw] = bound_[use.var.raw];
  });
  for (size_t v = 0; v < bound_.size(); ++v)
    if (bound_[v] != before[v])
      bound_[v] = Bound::Maybe;
}

/// `svd(x).u`: the number of the result, the same for every op this may be.
uint32_t BodyChecker::resultOf(const ast::OpMatch &m, const OpSet &ops) {
  if (ops.byTrait() || m.quantifier != ast::OpMatch::Quantifier::One) {
    c.error("bad-match", m.result.range,
            fmt::format("which result `{}` is, is known of listed ops only", m.result.text))
        .note("an op given by trait or left out at will stands for its first result");
    return 0;
  }
  std::optional<uint32_t> index;
  for (OpIndex id : ops.ops) {
    const Op &op = c.module.op(id);
    auto it = std::ranges::find(op.results, m.result.text, &OpResultDecl::name);
    uint32_t here = uint32_t(it - op.results.begin());
    if (it == op.results.end()) {
      std::vector<std::string_view> names;
      for (const OpResultDecl &result : op.results)
        names.push_back(result.name);
      Report report = c.error("undefined-member", m.result.range,
                              fmt::format("`{}` has no result `{}`", op.fullName(), m.result.text));
      c.suggest(report, m.result.range, m.result.text, names);
      report.note(op.nameRange, fmt::format("`{}` is declared here", op.name));
      return 0;
    }
    bool open =
        std::any_of(op.results.begin(), it + 1, [](const OpResultDecl &r) { return r.arity == Arity::Variadic; });
    if (open || (index && *index != here)) {
      c.error("bad-match", m.result.range,
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
bool BodyChecker::chainHeads(const ast::OpMatch &m, const OpSet &ops) {
  auto isLink = [&](OpIndex id) { return whyNoLink(c.module.op(id)).empty() || c.module.op(id).results.empty(); };
  auto refuse = [&](SourceRange at, OpIndex id) {
    const Op &op = c.module.op(id);
    c.error("bad-match", at, fmt::format("a chain never goes through `{}`, which {}", op.fullName(), whyNoLink(op)))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
        .note("a chain goes through pure ops of one result without regions; any other op is matched by itself, "
              "`f: op(x)` without `*` or `+`");
    return false;
  };
  for (const ast::QualifiedName &written : m.heads) {
    ast::QualifiedName head = resolved(written);
    if (written.spelling() == "_" || !c.namesOp(head) || (!head.dialect && c.groupNamed(head.name, true)))
      continue;
    Checker::OpList versions = c.lookupOp(head);
    if (!versions.empty() && std::ranges::none_of(versions, isLink))
      return refuse(written.range, versions.front());
  }
  if (ops.traits == trait::constant && !ops.mixed()) {
    c.error("bad-match", m.headRange, "a chain never goes through constants, which have no operands")
        .note("a constant is matched by `const c`");
    return false;
  }
  if (!ops.byTrait() && !ops.ops.empty() && std::ranges::none_of(ops.ops, isLink))
    return refuse(m.headRange, ops.ops.front());
  return true;
}

void BodyChecker::chain(const ast::OpMatch &m, Match &out, const ast::Name *bind) {
  if (m.result)
    c.error("bad-match", m.result.range, "the ops of a chain have one result each")
        .note("a chain goes from result to operand: leave out the `.` and the name");
  out.kind = MatchKind::Chain;
  out.atLeastOne = m.quantifier == ast::OpMatch::Quantifier::Plus;
  bool known = heads(m, out.ops) && chainHeads(m, out.ops);
  std::vector<const ast::MatchArg *> args;
  for (const ast::MatchArg &arg : m.args) {
    if (!arg.attr)
      args.push_back(&arg);
  }
  if (args.empty() || args.size() > 2) {
    c.error("operand-count", m.headRange,
            "a chain has what stands at its end, and at most one match for the other operands of its ops")
        .note("`elementwise*(transpose(x, perm = p), side: f32[n])`");
    if (args.empty()) {
      if (bind)
        declare(*bind, TypeKind::Error, VarKind::Chain);
      return;
    }
  }
  for (size_t i = 0; i < args.size() && i < 2; ++i)
    if (args[i]->match->kind == ast::MatchKind::Each || args[i]->match->kind == ast::MatchKind::Rest) {
      c.error("misplaced", args[i]->range, "a chain goes through one operand of each op");
      return;
    }
  if (known) {
    chainAttrs(m, out);
    regions(m, out);
  }
  if (known && bind)
    bindOp(*bind, out, false);
  else if (bind)
    declare(*bind, TypeKind::Error, VarKind::Chain);
  out.children.push_back(match(*args[0]->match));
  if (args.size() < 2)
    return;
  size_t mark = openScope();
  out.side.push_back(match(*args[1]->match));
  for (size_t i = mark; i < names_->scope.size(); ++i)
    use(names_->scope[i].var);
  closeScope(mark);
}

/// What each op of a chain must have: literals, and what was bound before, since every op has its own attributes.
void BodyChecker::chainAttrs(const ast::OpMatch &m, Match &out) {
  size_t known = body.vars.size();
  implied_.clear();
  attrs(m, out);
  for (const AttrMatch &attr : out.attrs) {
    VarUse own = attr.var ? attr.var : attr.rest;
    for (const AttrMatch::Element &element : attr.elements)
      own = own ? own : element.var;
    if (!own || own.use == Use::Compare)
      continue;
    c.error("bad-match", own.range,
            fmt::format("each op of a chain has its own `{}`: it is compared, not named", attr.name))
        .note("with a literal, or with a name that is bound before the chain");
  }
  for (size_t v = known; v < body.vars.size(); ++v)
    use({uint32_t(v)});
}

// ---- operands

void BodyChecker::operands(const ast::OpMatch &m, Match &out) {
  implied_.clear();
  if (!out.ops.byTrait()) {
    bool named = false;
    for (const ast::MatchArg &arg : m.args)
      named |= arg.attr ? namedOperand(c.module.op(out.ops.ops.front()), arg.attr, arg.range)
                        : colonAttribute(c.module.op(out.ops.ops.front()), *arg.match);
    if (named) { // how many operands were meant is not known then
      for (const ast::MatchArg &arg : m.args)
        if (!arg.attr || std::ranges::find(implied_, arg.attr.text) != implied_.end())
          bindNamesOf(*arg.match);
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
      c.error("misplaced", m.ordered, "`each` asks the same of every operand: there is no order to ask for")
          .fixIt({m.ordered.begin, m.headRange.begin}, "");
    each(args[0]->match->get<ast::EachMatch>(), out);
    return;
  }
  if (out.ops.byTrait()) {
    for (const ast::MatchArg *arg : args) {
      OperandMatch &operand = out.operands.emplace_back();
      const auto *rest = arg->match->as<ast::RestMatch>();
      if (!rest) {
        if (maybeOperand(*arg->match, out.ops, nullptr, nullptr, operand))
          operand.elements.emplace_back();
        else
          operand.elements.push_back(match(*arg->match));
        continue;
      }
      if (std::ranges::any_of(out.operands, &OperandMatch::hasRest))
        c.error("bad-rest", arg->range,
                "an op has at most one `...` among its operands: with two, nobody could tell where one ends")
            .note("name one of the two by its place, or look at both in the `where`: `len(xs)`, `xs[0]`");
      operand.kind = OperandMatchKind::List;
      operand.hasRest = true;
      if (rest->name)
        operand.rest = bindRest(rest->name);
    }
    if (!out.ignoreOperands || m.ordered)
      eitherOrder(m, out);
    return;
  }
  const Op &first = c.module.op(out.ops.ops.front());
  operandsOf(m, first, args, out);
  // What is written must mean the same for every head.
  for (OpIndex id : out.ops.ops) {
    const Op &op = c.module.op(id);
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
               (m.rest || std::ranges::any_of(out.ops.ops, [&](OpIndex o) { return c.module.op(o).standInOf(i); })));
    if (id != out.ops.ops.front() && (required || !fits)) {
      c.error("operand-count", m.headRange,
              fmt::format("`{}` and `{}` do not have these operands in common", first.fullName(), op.fullName()))
          .note(first.nameRange, fmt::format("`{}` has {}", first.name, counted(first.operands.size(), "operand")))
          .note(op.nameRange, fmt::format("`{}` has {}", op.name, counted(op.operands.size(), "operand")));
      return;
    }
    for (size_t i = out.operands.size(); i < op.operands.size(); ++i)
      out.operands.emplace_back().kind =
          m.rest || op.standInOf(i) ? OperandMatchKind::Ignored : OperandMatchKind::Absent;
  }
  eitherOrder(m, out);
}

/// Two operands of an op that may be commutative match in either order, unless the match says otherwise.
void BodyChecker::eitherOrder(const ast::OpMatch &m, Match &out) {
  bool two = out.operands.size() == 2 && out.operands[0].kind == OperandMatchKind::One &&
             out.operands[1].kind == OperandMatchKind::One;
  bool every = allHave(out.ops, trait::commutative);
  bool some = every || out.ops.byTrait() || std::ranges::any_of(out.ops.ops, [&](OpIndex id) {
                return (c.module.op(id).traits & trait::commutative) != 0;
              });
  out.commutative = two && some && !m.ordered;
  out.ifCommutative = out.commutative && !every;
  bool given =
      names_->putIn || (c.substitutions && !c.substitutions->empty()); // the op may be another one in the next instance
  if (m.ordered && !(two && some) && !given)
    c.error("misplaced", m.ordered,
            !two ? "`ordered` is about the two operands of a commutative op"
                 : fmt::format("`{}` is not commutative: its operands match as written anyway", m.heads[0].spelling()))
        .fixIt({m.ordered.begin, m.headRange.begin}, "");
}

/// Whether an operand that is not written stands for an attribute, of which the match asks something or which other ops
/// of it have.
bool BodyChecker::isAskedAsAttribute(const ast::OpMatch &m, const Op &op, size_t operand, const Match &out) const {
  const OpAttrDecl *attr = op.standInOf(operand);
  if (!attr)
    return false;
  bool asked = m.anyAttrs || out.ops.ops.size() > 1 || op.operands[operand].arity == Arity::Single;
  for (const ast::MatchArg &arg : m.args)
    asked |= arg.attr && arg.attr.text == attr->name;
  return asked;
}

/// `none`, `b?`, `_?`, `(const b)?`: an operand that is left out, or may be. False if it is none of these. `op` and
/// `declared` are none of an op that is given by trait.
bool BodyChecker::maybeOperand(const ast::Match &written, const OpSet &ops, const Op *op, const Operand *declared,
                               OperandMatch &out) {
  const auto *optional = written.as<ast::OptionalMatch>();
  if (!optional && !saysNone(written))
    return false;
  size_t place = declared ? size_t(declared - op->operands.data()) : 0;
  bool optionalInSome = std::ranges::any_of(ops.ops, [&](OpIndex id) { // of one name's versions, say
    const std::vector<Operand> &operands = c.module.op(id).operands;
    return place < operands.size() && operands[place].arity == Arity::Optional;
  });
  if (!declared || declared->arity == Arity::Variadic || !optionalInSome) {
    Report report =
        declared
            ? c.error("operand-count", written.range,
                      fmt::format("the operand `{}` of `{}` is {}", declared->name, op->fullName(),
                                  declared->arity == Arity::Variadic ? "any number of values, none of them left out"
                                                                     : "never left out"))
            : c.error("operand-count", written.range,
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
        report.fixIt(written.range, c.textOf(optional->inner->range));
      bindNamesOf(*optional->inner);
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
    if (VarId id = find(name->name.text); id && bound(id) != Bound::No) {
      c.error("duplicate-name", name->name.range,
              fmt::format("`{}` is bound already, and what may be left out is named where it stands first",
                          name->name.text))
          .note(var(id).range, fmt::format("`{}` is bound here", name->name.text))
          .note(fmt::format("give it another name, and say in the `where` what the two have in common: `has({0}) and "
                            "has(other), {0} == other`",
                            name->name.text));
      out.elements.emplace_back();
      return true;
    }
  if (name && inEach_) {
    c.error("bad-each", name->name.range,
            fmt::format("`{}` would be a list, of which some elements are left out", name->name.text))
        .note("`_?` is anything, there or not");
    bindNamesOf(*name);
    out.elements.emplace_back();
    return true;
  }
  Match choice;
  alternatives(2, choice, [&](size_t i, Match &one) {
    if (i == 0)
      one = match(*optional->inner);
  });
  out.elements.push_back(std::move(choice.children[0]));
  if (VarId id = name ? find(name->name.text) : VarId(); id && var(id).kind == VarKind::Value)
    var(id).optional = true;
  return true;
}

void BodyChecker::operandsOf(const ast::OpMatch &m, const Op &op, const std::vector<const ast::MatchArg *> &args,
                             Match &out) {
  if (op.variadicGroups() > 1) {
    operandsMissing_ |= !operandGroups(m, op, args, out);
    return;
  }
  size_t variadic = op.operands.size();
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (op.operands[i].arity == Arity::Variadic)
      variadic = i;
  size_t after = variadic < op.operands.size() ? op.operands.size() - variadic - 1 : 0;
  auto wrongCount = [&](SourceRange at) {
    operandsMissing_ |= args.size() < op.operands.size();
    for (const ast::MatchArg &arg : m.args)
      if (isNamedMatch(op, arg)) { // relu(y = relu(x))
        c.error("named-argument", arg.match->range, "what a match names stands behind the name and a `:`")
            .fixIt({arg.attr.range.end, arg.match->range.begin}, ": ");
        bindNamesOf(*arg.match);
        return;
      }
    c.error("operand-count", at, fmt::format("`{}` has {}, not {}", op.fullName(), operandCount(op), args.size()))
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
            c.error("bad-rest", args[next]->range,
                    "an op has at most one `...` among its operands: with two, nobody could tell where one ends")
                .note("name one of the two by its place, or look at both in the `where`: `len(xs)`, `xs[0]`");
          operand.hasRest = true;
          operand.restAt = uint32_t(operand.elements.size());
          if (rest->name)
            operand.rest = bindRest(rest->name);
        } else if (OperandMatch none; !maybeOperand(*args[next]->match, out.ops, &op, &declared, none)) {
          operand.elements.push_back(match(*args[next]->match));
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
    if (!maybeOperand(written, out.ops, &op, &declared, operand))
      operand.elements.push_back(match(written));
    else if (operand.kind == OperandMatchKind::One) // reported
      operand.elements.emplace_back();
  }
  implied_.clear(); // matches inside had theirs
  if (next == args.size())
    return;
  std::vector<std::string_view> given;
  for (const ast::MatchArg &arg : m.args)
    if (arg.attr)
      given.push_back(arg.attr.text);
  if (m.rest || !unnamedAttribute(op, given, args[next]->range))
    wrongCount(args[next]->range);
  for (; next < args.size(); ++next) // names in it are bound all the same
    bindNamesOf(*args[next]->match);
}

void BodyChecker::each(const ast::EachMatch &m, Match &out) {
  out.each = true;
  bool inner = std::exchange(inEach_, true);
  ++eachDepth_;
  if (!inner)
    eachMark_ = body.vars.size();
  std::vector<Bound> before = bound_;
  out.children.push_back(match(*m.inner));
  inEach_ = inner;
  --eachDepth_;
  for (size_t v = 0; v < body.vars.size(); ++v) {
    Var &variable = var({uint32_t(v)});
    if (v < before.size() && bound_[v] == before[v])
      continue;
    if (variable.localTo > eachDepth_) { // nobody outside sees it
      bound_[v] = Bound::No;
      continue;
    }
    if (!variable.perOperand) {
      bound_[v] = Bound::Maybe; // an op may have no operands, or none that takes this alternative
      continue;
    }
    if (bound_[v] != Bound::Yes)
      c.error("bad-each", variable.range,
              fmt::format("`{}` is bound once per operand, but not every alternative binds it", variable.name));
    if (variable.type.lists >= 3)
      c.error("bad-each", m.range, "`each` is nested at most three deep");
    else
      variable.type = variable.type.listOf();
    bound_[v] = Bound::Yes;
  }
}

} // namespace rw::sema
