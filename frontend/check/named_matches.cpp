// A named match is checked by itself once, which says what its parameters are. Where it is used it is put in: its text
// is checked again in the use's own body, in names of its own (NameScope), where a parameter is
//   - a variable of the use, if the use gives a name;
//   - a literal, as the name of a `for` clause is;
//   - else a variable of its own: what the use asks of it is asked once all else fits (Match::after), or beside the
//     attribute.
// So its cases stay one choice, however often a parameter stands in them, and whoever compiles a pattern knows nothing
// of names.
#include "frontend/check/named_matches.h"

#include "frontend/check/annotations.h"
#include "frontend/check/bindings.h"
#include "frontend/check/conditions.h"
#include "frontend/check/declare.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/match_ops.h"
#include "frontend/check/matches.h"
#include "frontend/check/named_parts.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/names.h"
#include "frontend/check/operators.h"
#include "frontend/check/rounding.h"
#include "frontend/check/seen_names.h"
#include "frontend/check/unused.h"
#include "frontend/check/visible_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace rw::sema {

/// What the op is called in the names of a named match: no name of a text.
static constexpr const char *kSelf = "(op)";

// ---- declarations

void declareMatcher(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::MatcherDecl>();
  item.index = uint32_t(c.module.matchers.size());
  Matcher &matcher = c.module.matchers.emplace_back();
  fillDecl(c, matcher, decl, item.imported, item.deferred);
  c.matcherItems.push_back({&decl});
  SeenNames seen;
  for (const ast::MatcherDecl::Param &param : decl.params)
    nameIsNew(c, seen, param.name, "the parameter");
  if (traitNamed(matcher.name) || matcher.name == "splat")
    c.error("duplicate-name", decl.name.range, fmt::format("`{}` has a meaning of its own in matches", matcher.name))
        .note("give it another name");
  claim(c, c.matchers, decl.name, item.index, "match");
}

static MatcherIndex matcherNamed(CheckContext &c, const ast::Name &name) {
  return namedOnce(c, c.matchers, name, "named match", false);
}

void countSite(BodyContext &b, VarId id, bool wholeAttr) {
  if (!b.defining)
    return;
  auto &[all, whole] = b.sites[id.raw];
  ++(wholeAttr ? whole : all);
}

bool isUnboundHere(BodyContext &b, VarId id) {
  if (b.bound(id) != Bound::No)
    return false;
  if (!b.defining || b.names->of)
    return true;
  auto param = std::ranges::find(b.defining->params, id, &Matcher::Param::var);
  if (param == b.defining->params.end())
    return true;
  param->role = Matcher::Role::In;
  b.setBound(id, Bound::Yes);
  return false;
}

static bool isOneOp(const Match &m) { return m.kind == MatchKind::Op && !m.optional && m.result == 0; }

static void checkCases(BodyContext &b, const ast::MatcherDecl &decl, Match &out, const ast::Name *self) {
  bool ops = true;
  auto one = [&](size_t i, Match &m) {
    const ast::Match *written = decl.cases[i].match.get();
    m.range = written->range;
    if (const auto *single = written->as<ast::SingleMatch>()) {
      m.single = true;
      written = single->inner.get();
    }
    const auto *op = written->as<ast::OpMatch>();
    MatcherIndex inner = op && op->heads.size() == 1 ? matcherOf(b, op->heads[0]) : MatcherIndex();
    if (op && self)
      matchOp(b, *op, m, self);
    else
      matchInto(b, *written, m);
    ops &= inner ? b.c.module.matcher(inner).namesOp : op && isOneOp(m);
    checkConditions(b, decl.cases[i].conditions, m.after);
  };
  if (decl.cases.size() == 1)
    one(0, out);
  else
    matchAlternatives(b, decl.cases.size(), out, one);
  if (b.defining && !b.names->of)
    b.defining->namesOp = ops;
}

void checkDefinition(BodyContext &b, const ast::MatcherDecl &decl, Matcher &out) {
  b.defining = &out;
  size_t before = b.c.errorsSeen;
  for (const ast::MatcherDecl::Param &written : decl.params) {
    Matcher::Param &param = out.params.emplace_back();
    param.name = written.name.text;
    param.range = written.name.range;
    if (!written.type)
      continue;
    Type type = typeOfAnnotation(b.c, *written.type, "parameter", false);
    param.var = b.declare(written.name, type, type.kind == TypeKind::Value ? VarKind::Value : VarKind::Bound);
    b.setBound(param.var, Bound::No);
  }
  std::map<std::string, SourceRange> plain; // cases without conditions
  for (const auto &one : decl.cases) {
    std::string text = b.c.textOf(one.match->range);
    if (auto before = plain.find(text); before != plain.end())
      b.warning("duplicate-name", one.match->range, "a case before this one matches all that it does")
          .note(before->second, "this one")
          .note("the one with conditions stands first, or leave one of the two out");
    if (one.conditions.empty())
      plain.try_emplace(std::move(text), one.match->range);
  }
  checkCases(b, decl, out.match, nullptr);
  for (size_t i = 0; i < out.params.size(); ++i) {
    Matcher::Param &param = out.params[i];
    VarId id = b.find(param.name);
    param.var = id ? id : param.var;
    if (param.role == Matcher::Role::In) {
      b.use(id);
      continue;
    }
    if (!id || b.bound(id) == Bound::No) {
      if (b.c.errorsSeen == before) // else what is wrong may be why
        b.error("unbound-parameter", param.range, fmt::format("nothing in `{}` binds `{}`", out.name, param.name))
            .note(decl.params[i].type
                      ? "leave it out, or use it"
                      : fmt::format("name a part of the match so; what a use gives has its type stated: `{}: int`",
                                    param.name));
      continue;
    }
    param.role = b.bound(id) == Bound::Yes ? Matcher::Role::Out : Matcher::Role::Maybe;
    param.eachDepth = b.var(id).perOperand ? b.eachDepths[id.raw] : 0;
    auto [all, whole] = b.sites[id.raw];
    param.isAttr = whole && all == whole;
    b.use(id); // by whoever uses it
  }
  reportUnused(b);
  b.defining = nullptr;
}

bool bindLetParam(BodyContext &b, const ast::Name &name, const ast::Condition &item, std::vector<Condition> &out) {
  const Matcher *of = b.names->of ? b.names->of : b.defining;
  if (!of || std::ranges::find(of->params, name.text, &Matcher::Param::name) == of->params.end())
    return false;
  const ast::Expr *constant = b.substituted(name.text);
  VarId id = b.find(name.text);
  if (!constant && (!id || (b.bound(id) == Bound::Yes && !b.names->of)))
    return false;
  Condition &condition = out.emplace_back();
  condition.range = item.range;
  if (constant || b.bound(id) == Bound::Yes) {
    ast::BinaryExpr equals(item.range);
    equals.op = ast::BinaryOp::Eq;
    equals.opRange = name.range;
    Expr given = constant ? checkExpr(b, *constant) : b.varExpr(id, name.range);
    Expr value = checkExpr(b, *item.value);
    condition.expr = checkComparison(b, equals, std::move(value), std::move(given));
    return true;
  }
  if (b.bound(id) == Bound::Maybe)
    b.error("bad-argument", b.var(id).range,
            fmt::format("`{}` may be unbound here, and what `{}` computes is compared with it or named so",
                        b.var(id).name, of->name));
  condition.kind = ConditionKind::Let;
  condition.expr = convert(b, checkExpr(b, *item.value), b.var(id).type,
                           [&] { return fmt::format("the parameter `{}` of `{}`", name.text, of->name); });
  condition.var = id;
  b.var(id).computed = true;
  rememberRounding(b, id, condition.expr);
  if (condition.expr.kind == ExprKind::Var)
    b.var(id).ops = OpSet(b.var(condition.expr.var()).ops);
  b.setBound(id, Bound::Yes);
  return true;
}

// ---- uses

/// What stands for one parameter.
struct GivenArg {
  const ast::Match *arg = nullptr;
  bool thereOnly = false; // Name: of an operand that may be left out, which is there
  enum : uint8_t {
    Any,      // `_`
    Name,     // `var`, a variable of the use
    Constant, // `constant`
    None,     // `none`: `var`, which is left out
    Asked,    // a whole attribute, which `asked` asks something of
    Matched,  // a value that fits `arg`
  } kind = Any;
  VarId var;
  const ast::Expr *constant = nullptr;
  NameScope::Asked asked{};
};

MatcherIndex matcherOf(const BodyContext &b, const ast::QualifiedName &written) {
  if (b.c.matchers.empty())
    return {};
  ast::QualifiedName head = b.resolved(written);
  return head.dialect ? MatcherIndex() : matcherNamed(b.c, head.name);
}

/// The arguments by parameter; false after a report.
static bool checkGivenArgs(BodyContext &b, const ast::OpMatch &m, const Matcher &def, std::vector<GivenArg> &out) {
  out.resize(def.params.size());
  if (m.rest) {
    b.error("misplaced", m.rest, fmt::format("`..` stands for what an op has beyond; `{}` is a named match", def.name))
        .note("a parameter that may be anything is `_`");
    return false;
  }
  size_t next = 0, mentioned = 0;
  for (const ast::MatchArg &arg : m.args) {
    size_t at = arg.attr
                    ? size_t(std::ranges::find(def.params, arg.attr.text, &Matcher::Param::name) - def.params.begin())
                    : next++;
    if (arg.attr && at == def.params.size()) {
      std::vector<std::string_view> names;
      for (const Matcher::Param &param : def.params)
        names.push_back(param.name);
      Report report = b.error("undefined-parameter", arg.attr.range,
                              fmt::format("`{}` has no parameter `{}`", def.name, arg.attr.text));
      if (std::string_view nearest = b.c.nearestHint(arg.attr.text, names); !nearest.empty())
        report.fixIt(arg.attr.range, std::string(nearest));
      report.note(def.nameRange, fmt::format("`{}` is declared here", def.name));
      return false;
    }
    if (at < out.size() && out[at].arg) {
      b.error("duplicate-name", arg.range, fmt::format("the parameter `{}` is given twice", def.params[at].name))
          .note(out[at].arg->range, "here first");
      return false;
    }
    if (at < out.size())
      out[at].arg = arg.match.get();
    ++mentioned;
  }
  if (mentioned == out.size())
    return true;
  b.error("argument-count", m.headRange,
          fmt::format("`{}` takes {}, not {}", def.name, counted(out.size(), "argument"), mentioned))
      .note(def.nameRange, fmt::format("`{}` is declared here", def.name))
      .note("a use gives every parameter; `_` is anything");
  return false;
}

static ast::ExprPtr copyOf(const ast::Expr &e) {
  switch (e.kind) {
  case ast::ExprKind::Int: {
    auto out = std::make_unique<ast::IntExpr>(e.range);
    out->value = e.get<ast::IntExpr>().value;
    return out;
  }
  case ast::ExprKind::Float: {
    auto out = std::make_unique<ast::FloatExpr>(e.range);
    out->value = e.get<ast::FloatExpr>().value;
    return out;
  }
  case ast::ExprKind::Bool: {
    auto out = std::make_unique<ast::BoolExpr>(e.range);
    out->value = e.get<ast::BoolExpr>().value;
    return out;
  }
  default: {
    auto out = std::make_unique<ast::StringExpr>(e.range);
    out->value = e.get<ast::StringExpr>().value;
    return out;
  }
  }
}

/// A list of literals as an expression, or null.
static ast::ExprPtr literalList(const ast::ListMatch &m) {
  auto out = std::make_unique<ast::ListExpr>(m.range);
  for (const ast::MatchPtr &element : m.elements) {
    ast::ExprPtr inner;
    if (const auto *literal = element->as<ast::LiteralMatch>())
      inner = copyOf(*literal->value);
    else if (const auto *list = element->as<ast::ListMatch>())
      inner = literalList(*list);
    if (!inner)
      return nullptr;
    out->elements.push_back(std::move(inner));
  }
  return out;
}

/// What an argument stands for whatever the match: a literal, a list of literals, a dtype.
static const ast::Expr *constantOf(BodyContext &b, const ast::Match &m) {
  if (const auto *literal = m.as<ast::LiteralMatch>())
    return literal->value.get();
  if (const auto *list = m.as<ast::ListMatch>()) {
    ast::ExprPtr made = literalList(*list);
    return made ? b.constants.emplace_back(std::move(made)).get() : nullptr;
  }
  const auto *name = m.as<ast::NameMatch>();
  if (!name)
    return nullptr;
  if (const ast::Expr *value = b.substituted(name->name.text))
    return value;
  if (!isDTypeName(name->name.text) || b.find(name->name.text))
    return nullptr;
  auto dtype = std::make_unique<ast::NameExpr>(m.range);
  dtype->name = name->name;
  return b.constants.emplace_back(std::move(dtype)).get();
}

/// A variable for a parameter, bound where the named match binds it.
static VarId declareParam(BodyContext &b, const ast::Name &name, const Matcher &def, const Matcher::Param &param) {
  const Var &like = def.body.var(param.var);
  VarId id = b.declare(name, like.type, like.kind);
  Var &v = b.var(id);
  v.computed = like.computed || like.kind == VarKind::Let;
  v.ofAttr = like.ofAttr;
  v.ofConstant = like.ofConstant;
  bool oneEach = (like.kind == VarKind::Value && like.type.is(TypeKind::Value)) || like.kind == VarKind::Op ||
                 like.kind == VarKind::Chain || like.kind == VarKind::Region;
  v.perOperand = like.perOperand || (b.inEach && oneEach);
  b.eachDepths[id.raw] = b.eachDepth + param.eachDepth;
  b.setBound(id, Bound::No);
  return id;
}

static void reportWrongArg(BodyContext &b, const GivenArg &given, const Matcher &def, const Matcher::Param &param,
                           std::string message, std::string cure) {
  b.error("bad-argument", given.arg->range, std::move(message))
      .note(param.range, fmt::format("`{}` of `{}` is declared here", param.name, def.name))
      .note(std::move(cure));
  bindNamesOf(b, *given.arg);
}

/// What an argument is for the parameter; what is wrong is reported, and the argument is anything then.
static void checkGivenArg(BodyContext &b, const Matcher &def, const Matcher::Param &param, GivenArg &given) {
  using Role = Matcher::Role;
  const Var &like = def.body.var(param.var);
  const ast::Match &arg = *given.arg;
  std::string what = fmt::format("`{}` of `{}`", param.name, def.name);
  auto wrong = [&](std::string message, std::string cure) {
    reportWrongArg(b, given, def, param, std::move(message), std::move(cure));
  };
  auto notGiven = [&] {
    wrong(fmt::format("{} is given by the use: nothing in the match binds it", what),
          "a name that is bound before stands here, or a literal");
  };
  auto notAlways = [&] {
    wrong(fmt::format("{} is bound by some cases only, so nothing can be asked of it here", what),
          fmt::format("name it, and ask in the `where`: `has({0})`, or what {0} is where it is bound", param.name));
  };
  bool isValue =
      like.type.kind == TypeKind::Value || like.type.kind == TypeKind::Op || like.type.kind == TypeKind::Chain;
  const auto *optional = arg.as<ast::OptionalMatch>();
  bool none = saysNone(b, arg),
       mayBeAbsent =
           like.isOptionalOperand() || ((optional || none) && param.role == Role::Maybe && like.kind == VarKind::Value);
  const auto *plain = (optional ? *optional->inner : arg).as<ast::NameMatch>();
  if ((optional || none) && !mayBeAbsent)
    return wrong(fmt::format("{} is never left out", what),
                 fmt::format("an operand that may be is named `{}?` in the match", param.name));
  if (optional && !plain && optional->inner->kind != ast::MatchKind::Any)
    return wrong(fmt::format("{} may be left out, so nothing can be asked of it here", what),
                 fmt::format("name it, and ask in the `where`: `not has({0}) or {0} is ...`", param.name));
  if (none) {
    given.kind = GivenArg::None;
    return;
  }
  if (optional && !plain)
    return;
  if (arg.kind == ast::MatchKind::Any)
    return param.role == Role::In ? notGiven() : void();
  if (const ast::Expr *constant = optional ? nullptr : constantOf(b, arg)) {
    if (isValue)
      return wrong(fmt::format("{} is {}, not a literal", what, toString(like.type)),
                   "`splat(...)` matches a constant all of whose elements are that");
    bool isOp = (constant->kind == ast::ExprKind::Name && !isDTypeName(constant->get<ast::NameExpr>().name.text)) ||
                constant->kind == ast::ExprKind::Member;
    Expr value = isOp ? b.errorExpr(arg.range) : checkExpr(b, *constant);
    value.range = arg.range;
    if (isOp || (!convertible(b, value, like.type) && !like.type.is(TypeKind::Attr)))
      return wrong(
          fmt::format("{} is {}, but this is {}", what, toString(like.type), isOp ? "an op" : toString(value.type)),
          "an argument is of its parameter's type");
    if (param.role == Role::Maybe)
      return notAlways();
    given.kind = GivenArg::Constant;
    given.constant = constant;
    return;
  }
  if (plain) {
    const ast::Name &name = plain->name;
    given.thereOnly = mayBeAbsent && !optional;
    VarId id = b.find(name.text);
    if (param.role == Role::In && (!id || b.bound(id) == Bound::No)) {
      b.error("unbound-name", name.range, fmt::format("`{}` is not bound here", name.text))
          .note(param.range, fmt::format("{} is what the use gives: nothing in the match binds it", what))
          .note("a name that is bound before stands here, or a literal");
      bindNamesOf(b, arg);
      return;
    }
    if (b.inEach && like.type == Type::list(TypeKind::Value) && like.kind == VarKind::Value && !like.perOperand &&
        !(b.find(name.text) && b.bound(b.find(name.text)) == Bound::Yes && b.find(name.text).raw < b.eachMark))
      return wrong(fmt::format("{} is a list of values, which inside `each` would be the same for every operand", what),
                   "`_` where it may be anything");
    given.kind = GivenArg::Name;
    if (auto asked = b.names->asked.find(name.text); asked != b.names->asked.end())
      given.asked = asked->second;
    // A name of the text around the `each` means one thing for all operands; one of a named match that is used within
    // it is of each operand, as what is computed is.
    if ((like.computed || like.kind == VarKind::Let) && b.eachDepth > b.names->eachDepth &&
        !(id && b.bound(id) == Bound::Yes)) {
      given.kind = GivenArg::Any;
      return wrong(fmt::format("{} is computed for each operand, which no name can stand for", what),
                   "`_` where it may be anything");
    }
    if (!id) {
      given.var = declareParam(b, name, def, param);
      return;
    }
    given.var = id;
    Type type = b.var(id).type;
    bool each = like.perOperand || b.var(id).perOperand;
    bool fits = type == like.type || type.isError() || (type.is(TypeKind::Op) && like.type.is(TypeKind::Value)) ||
                (each && type.kind == like.type.kind) ||
                (!isValue && b.bound(id) == Bound::Yes &&
                 (convertible(type, like.type) || like.type.is(TypeKind::Attr) || param.role == Role::In));
    if (fits && like.perOperand && b.bound(id) == Bound::Yes)
      fits = false;
    if (!fits || (b.bound(id) == Bound::Yes && (like.kind == VarKind::Op || like.kind == VarKind::Chain))) {
      given.kind = GivenArg::Any;
      b.error("type-mismatch", name.range,
              fmt::format("{} is {}, but `{}` {}", what, toString(like.type), name.text,
                          !fits ? "is " + toString(type) : "names something else already"))
          .note(param.range, fmt::format("{} is declared here", what))
          .note(b.var(id).range, fmt::format("`{}` is bound here", name.text));
      return;
    }
    if (mayBeAbsent && b.bound(id) != Bound::No) {
      given.kind = GivenArg::Any;
      return wrong(fmt::format("{} may be left out, and `{}` is bound already", what, name.text),
                   fmt::format("give it another name, and compare them in the `where`: `{} == other`", name.text));
    }
    if (param.role == Role::Maybe && b.bound(id) != Bound::No) {
      given.kind = GivenArg::Any;
      return notAlways();
    }
    if (b.bound(id) == Bound::Yes)
      b.use(id);
    return;
  }
  if (param.role == Role::In)
    return notGiven();
  if (param.role == Role::Maybe && !mayBeAbsent)
    return notAlways();
  if (param.isAttr) {
    given.kind = GivenArg::Asked;
    given.asked = {&arg, b.names};
    return;
  }
  if (like.type.is(TypeKind::Value) && like.kind != VarKind::Op) {
    given.kind = GivenArg::Matched;
    return;
  }
  wrong(fmt::format("{} is {}, which a match asks nothing of", what, toString(like.type)),
        "name it, and ask in the `where`");
}

void matchNamed(BodyContext &b, const ast::OpMatch &m, MatcherIndex index, Match &out, const ast::Name *bind) {
  if (bind && bind->text == "_")
    bind = nullptr;
  const Matcher *def = checkedMatcher(b.c, index, m.headRange);
  std::vector<GivenArg> given;
  if (def && (m.quantifier != ast::OpMatch::Quantifier::One || m.result)) {
    b.error("misplaced", m.result ? m.result.range : m.quantifierRange,
            m.result ? fmt::format("`{}` is a named match, which stands for one value", def->name)
                     : fmt::format("`{}` is a named match: it is there, once", def->name))
        .note(def->nameRange, fmt::format("`{}` is declared here", def->name))
        .note(m.result ? "which result a value is, the match that is named says: `match f(x) = svd(x).u;`"
                       : "chains go through ops and traits; one that may be absent is a case: `(f(x) | x)`");
    def = nullptr;
  }
  if (!def || !checkGivenArgs(b, m, *def, given)) {
    for (const ast::MatchArg &arg : m.args)
      bindNamesOf(b, *arg.match);
    if (bind && !b.find(bind->text))
      b.use(b.declare(bind->text, bind->range, TypeKind::Error, VarKind::Op));
    out.kind = MatchKind::Op; // of no known kind
    return;
  }
  size_t before = b.c.errorsSeen;
  for (size_t i = 0; i < given.size(); ++i) {
    checkGivenArg(b, *def, def->params[i], given[i]);
    // One name for two parameters asks that they are the same, which cannot be told where a case leaves one of them
    // open.
    for (size_t k = 0; k < i && given[i].kind == GivenArg::Name; ++k)
      if (given[k].kind == GivenArg::Name && given[k].var == given[i].var &&
          (def->params[i].role == Matcher::Role::Maybe || def->params[k].role == Matcher::Role::Maybe)) {
        const Matcher::Param &open = def->params[def->params[i].role == Matcher::Role::Maybe ? i : k];
        reportWrongArg(
            b, given[i], *def, open,
            fmt::format("`{}` of `{}` is bound by some cases only, so it cannot be the same as another parameter",
                        open.name, def->name),
            "give it a name of its own, and compare in the `where`");
        break;
      }
  }
  if (b.c.errorsSeen != before) { // what is meant is not known
    for (const GivenArg &g : given)
      if (g.kind == GivenArg::Name) {
        b.setBound(g.var, Bound::Yes);
        b.use(g.var);
      }
    if (bind && !b.find(bind->text))
      b.use(b.declare(bind->text, bind->range, TypeKind::Error, VarKind::Op));
    out.kind = MatchKind::Op;
    return;
  }
  VarId self;
  if (bind && def->namesOp) {
    self = b.find(bind->text);
    if (self && (b.bound(self) != Bound::No || b.var(self).type.kind != TypeKind::Op)) {
      b.error("duplicate-name", bind->range, fmt::format("`{}` already names something else", bind->text))
          .note(b.var(self).range, fmt::format("`{}` is bound here", bind->text));
      self = {};
    } else if (!self) {
      self = b.declare(*bind, TypeKind::Op, VarKind::Op);
      b.var(self).perOperand = b.inEach;
      b.eachDepths[self.raw] = b.eachDepth;
      b.setBound(self, Bound::No);
    }
  }
  size_t first = b.body.vars.size();
  NameScope inner;
  inner.putIn = true;
  inner.of = def;
  inner.imported = def->imported;
  inner.file = def->file;
  inner.eachDepth = b.eachDepth;
  {
    InScope inside(b, inner);
    b.c.expansions.push_back({def->name, m.headRange});
    for (size_t i = 0; i < given.size(); ++i) {
      const Matcher::Param &param = def->params[i];
      GivenArg &g = given[i];
      if (g.kind == GivenArg::Name)
        b.enterAs(param.name, g.var);
      else if (g.kind == GivenArg::Constant)
        inner.constants.push_back({param.name, g.constant});
      else if (g.kind != GivenArg::Any)
        g.var = declareParam(b, {param.name, param.range}, *def, param);
      if (g.asked.match)
        inner.asked[param.name] = g.asked;
    }
    ast::Name selfName{kSelf, bind ? bind->range : SourceRange()};
    if (self)
      b.enterAs(kSelf, self);
    checkCases(b, b.c.declOfMatcher(index), out, self ? &selfName : nullptr);
    b.c.expansions.pop_back();
  }
  if (b.putIn > kMaxPutIn) // which was said: what is left out binds nothing
    for (const GivenArg &g : given)
      if (g.kind == GivenArg::Name) {
        b.setBound(g.var, Bound::Yes);
        b.use(g.var);
      }
  for (size_t v = first; v < b.body.vars.size(); ++v) {
    b.used[v] = true;
    b.putInVars.insert(uint32_t(v));
    if (!b.body.vars[v].localTo)
      b.body.vars[v].localTo = uint8_t(b.eachDepth);
  }
  out.usedAt = m.headRange;
  auto ask = [&](VarId var, SourceRange range) -> Match & {
    Condition &condition = out.after.emplace_back();
    condition.kind = ConditionKind::Is;
    condition.range = range;
    condition.expr = b.varExpr(var, range);
    condition.match.emplace().range = range;
    return *condition.match;
  };
  for (const GivenArg &g : given) {
    if (g.kind == GivenArg::Name && g.arg->kind == ast::MatchKind::Optional)
      b.var(g.var).optional = true;
    if (g.kind != GivenArg::None && (g.kind != GivenArg::Name || !g.thereOnly))
      continue;
    Condition &condition = out.after.emplace_back();
    condition.range = g.arg->range;
    std::vector<Expr> args;
    args.push_back(b.varExpr(g.var, g.arg->range));
    condition.expr = b.make(ExprKind::Builtin, TypeKind::Bool, g.arg->range, std::move(args));
    condition.expr.builtin = Builtin::Has;
    if (g.kind == GivenArg::None) {
      Expr there = std::move(condition.expr);
      condition.expr = b.make(ExprKind::Not, TypeKind::Bool, g.arg->range);
      condition.expr.args.push_back(std::move(there));
    }
  }
  for (const GivenArg &g : given)
    if (g.kind == GivenArg::Name && g.thereOnly) { // from here on
      b.setBound(g.var, Bound::Yes);
      b.askedToBeThere.try_emplace(g.var.raw, g.arg->range);
    }
  for (const GivenArg &g : given)
    if (g.kind == GivenArg::Matched) {
      Match asked = checkMatch(b, *g.arg);
      ask(g.var, g.arg->range) = std::move(asked);
    }
  if (!bind || def->namesOp)
    return;
  VarUse named = bindName(b, *bind, TypeKind::Value, VarKind::Value);
  if (named)
    b.whyValue.try_emplace(named.var.raw,
                           WhyValue{def->nameRange, fmt::format("a use of `{}` is named as a value: not every case of "
                                                                "it is one op without a name of its own",
                                                                def->name)});
  if (!out.value)
    out.value = named;
  else
    ask(out.value.var, bind->range).value = named;
}

} // namespace rw::sema
