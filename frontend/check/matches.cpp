#include "frontend/check/matches.h"

#include "frontend/check/bindings.h"
#include "frontend/check/expressions.h"
#include "frontend/check/match_ops.h"
#include "frontend/check/names.h"
#include "frontend/check/value_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rw::sema {

Match checkMatch(BodyContext &b, const ast::Match &m) {
  Match out;
  out.range = m.range;
  matchInto(b, m, out);
  return out;
}

/// `single single m`.
static void warnOfNeedlessSingle(BodyContext &b, const ast::Match &inner) {
  if (inner.kind == ast::MatchKind::Single)
    b.warning("duplicate-name", inner.range, "`single` stands here twice").note("once asks for it: no other use");
}

/// `add:c(x, y)`, `add:s(x, y)`: what GCC's match.pd asks of an op by a letter.
static bool matchPdLetter(BodyContext &b, const ast::BindMatch &m, const ast::OpMatch &op, Match &out) {
  const ast::QualifiedName &head = op.heads.front();
  bool letter = op.heads.size() == 1 && !head.dialect && (head.name.text == "c" || head.name.text == "s");
  bool declared = namesOp(b.c, head) || b.c.matchers.contains(head.name.text) || b.c.groups.contains(head.name.text) ||
                  b.substituted(head.name.text);
  if (!letter || declared || !namesOp(b.c, {{}, m.name, m.name.range}))
    return false;
  Report report = b.error("bad-match", head.range, fmt::format("an op has no `:{}`", head.name.text));
  if (head.name.text == "s")
    report.note(fmt::format("that nothing else uses the value is asked by `single {}(...)`", m.name.text));
  else
    report.note("where an op is declared `commutative`, its operands match in either order");
  out.kind = MatchKind::Op; // of which nothing is known
  bindNamesOf(b, op);
  return true;
}

static void matchBind(BodyContext &b, const ast::BindMatch &m, Match &out) {
  const ast::Match *inner = m.inner.get();
  if (const auto *single = inner->as<ast::SingleMatch>()) {
    out.single = true;
    inner = single->inner.get();
    warnOfNeedlessSingle(b, *inner);
  }
  if (const auto *op = inner->as<ast::OpMatch>()) {
    if (matchPdLetter(b, m, *op, out))
      return;
    matchOp(b, *op, out, &m.name);
    return;
  }
  if (const auto *shape = inner->as<ast::ListMatch>()) {
    b.error("bad-match", shape->range, "a shape stands behind an element type")
        .fixIt({shape->range.begin, shape->range.begin}, "_")
        .note("`_` is any element type, `f32` one, `float` any of floats; an attribute that is a list is matched so: "
              "`perm = [0, 1]`; what else is asked of a value stands in the `where`");
    if (m.name.text != "_" && !b.find(m.name.text))
      b.use(b.declare(m.name, TypeKind::Error, VarKind::Value));
    return;
  }
  matchInto(b, *inner, out);
  if (m.name.text == "_")
    return; // `_: f32[m]` asks for a type and names nothing
  if (out.value)
    b.error("duplicate-name", m.name.range,
            fmt::format("the value is named `{}` and `{}`", m.name.text, b.var(out.value.var).name));
  else
    out.value = bindName(b, m.name, TypeKind::Value, VarKind::Value);
  if (out.value && inner->kind == ast::MatchKind::Alternatives)
    b.whyValue.try_emplace(out.value.var.raw,
                           WhyValue{inner->range, "of alternatives that are whole matches it names the value; an op is "
                                                  "named where its kinds are listed: `d: (relu | neg)(x)`"});
}

static void matchConst(BodyContext &b, const ast::ConstMatch &m, Match &out) {
  out.kind = MatchKind::Const;
  const ast::Match *inner = m.inner.get();
  bool fits =
      inner->kind == ast::MatchKind::Any || inner->kind == ast::MatchKind::Name || inner->kind == ast::MatchKind::Type;
  if (const auto *bind = inner->as<ast::BindMatch>())
    fits = bind->inner->kind == ast::MatchKind::Type;
  if (!fits) {
    b.error("bad-match", inner->range, "after `const` stands a name, `_`, or a name with a type");
    return;
  }
  matchInto(b, *inner, out);
  out.kind = MatchKind::Const;
}

static void matchSplat(BodyContext &b, const ast::SplatMatch &m, Match &out) {
  out.kind = MatchKind::Splat;
  const ast::Match &inner = *m.inner;
  if (inner.kind == ast::MatchKind::Any)
    return;
  if (const auto *name = inner.as<ast::NameMatch>(); name && !b.substituted(name->name.text)) {
    // What is bound already says which kind of element is asked for: `splat(n: int)), splat(n)`.
    Type kind = TypeKind::Attr;
    if (VarId known = b.find(name->name.text))
      for (TypeKind asked : {TypeKind::Int, TypeKind::Float, TypeKind::Bool})
        if (b.var(known).type.is(asked))
          kind = asked;
    out.splatVar = bindName(b, name->name, kind, VarKind::Bound);
    if (out.splatVar)
      b.var(out.splatVar.var).ofConstant = true;
    return;
  }
  if (const auto *bind = inner.as<ast::BindMatch>()) { // `splat(s: int)`
    const auto *type = bind->inner->as<ast::TypeMatch>();
    const auto *word = type ? type->type->as<ast::NamedType>() : nullptr;
    static constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
        {"int", TypeKind::Int}, {"float", TypeKind::Float}, {"bool", TypeKind::Bool}};
    for (const auto &[text, kind] : kKinds)
      if (word && !word->name.dialect && !word->hasDims && word->name.name.text == text) {
        out.splatVar = bindName(b, bind->name, kind, VarKind::Bound);
        if (out.splatVar)
          b.var(out.splatVar.var).ofConstant = true;
        return;
      }
  }
  if (std::optional<Expr> value = matchLiteral(b, inner, TypeKind::Attr, "the element of a splat")) {
    while (value->kind == ExprKind::Convert)
      value = Expr(std::move(value->args[0]));
    if (value->kind == ExprKind::Int || value->kind == ExprKind::Float || value->kind == ExprKind::Bool) {
      out.literal = std::move(value);
      return;
    }
  }
  b.error("bad-match", inner.range, "the element of a splat is a number, true, false, a name, or `_`")
      .note("`splat(s)` binds whatever it is, `splat(s: int)`, `splat(s: float)` and `splat(s: bool)` one kind of "
            "element");
}

void matchInto(BodyContext &b, const ast::Match &m, Match &out) {
  if (b.names->putIn && ++b.putIn > kMaxPutIn) {
    if (b.putIn == kMaxPutIn + 1)
      b.error("too-complex", m.range,
              fmt::format("with the named matches put in, this is more than {} matches", kMaxPutIn))
          .note("a named match is put in wherever it is used: one that uses another one twice doubles it");
    return;
  }
  struct Level {
    unsigned &depth;
    ~Level() { --depth; }
  } level{++b.matchDepth};
  if (b.matchDepth > ast::kMaxNesting) {
    b.error("too-deep", m.range,
            fmt::format("with the named matches put in, this is nested more than {} levels deep", ast::kMaxNesting))
        .note("ask for the inner parts in the `where`: `x is f(...)`");
    return;
  }
  switch (m.kind) {
  case ast::MatchKind::Any:
    break;
  case ast::MatchKind::Name: {
    const ast::Name &name = m.get<ast::NameMatch>().name;
    if (saysNone(b, m)) {
      b.error("misplaced", name.range,
              "`none` is an operand or attribute that is left out: it stands alone in its place among those of an op")
          .note("as in `clip(x, none, max)`; `b?` is an operand, left out or not");
      break;
    }
    if (b.substituted(name.text)) {
      b.error("bad-match", name.range, fmt::format("`{}` is a name of the `for` clause, not a value", name.text));
      break;
    }
    if (isDTypeName(name.text) && !b.find(name.text)) {
      b.error("bad-match", name.range, fmt::format("`{}` is an element type, not a value", name.text))
          .note(fmt::format("`x: {0}` asks for it; one of several is a condition: `where x.dtype == {0} or …`",
                            name.text));
      break;
    }
    out.value = bindName(b, name, TypeKind::Value, VarKind::Value);
    break;
  }
  case ast::MatchKind::Bind:
    matchBind(b, m.get<ast::BindMatch>(), out);
    break;
  case ast::MatchKind::Type:
    matchType(b, *m.get<ast::TypeMatch>().type, out);
    break;
  case ast::MatchKind::Literal:
  case ast::MatchKind::List: {
    Report report = b.error("bad-match", m.range, "an operand is a value, not a literal");
    if (m.kind == ast::MatchKind::Literal)
      report.note(fmt::format("`splat({})` matches a constant all of whose elements are that",
                              b.c.textOf(m.range).starts_with('"') ? "..." : b.c.textOf(m.range)));
    else
      report.note("write `const c` and compare `c.ints` in the `where`");
    break;
  }
  case ast::MatchKind::Const:
    matchConst(b, m.get<ast::ConstMatch>(), out);
    break;
  case ast::MatchKind::Splat:
    matchSplat(b, m.get<ast::SplatMatch>(), out);
    break;
  case ast::MatchKind::Op:
    matchOp(b, m.get<ast::OpMatch>(), out, nullptr);
    break;
  case ast::MatchKind::Alternatives:
    if (!b.names->of) {
      std::vector<SourceRange> written;
      for (const ast::MatchPtr &one : m.get<ast::AlternativesMatch>().alternatives)
        written.push_back(one->range);
      warnOfRepetition(b, written, "alternative");
    }
    matchAlternatives(b, m.get<ast::AlternativesMatch>().alternatives.size(), out, [&](size_t i, Match &one) {
      one = checkMatch(b, *m.get<ast::AlternativesMatch>().alternatives[i]);
    });
    break;
  case ast::MatchKind::Single:
    out.single = true;
    warnOfNeedlessSingle(b, *m.get<ast::SingleMatch>().inner);
    matchInto(b, *m.get<ast::SingleMatch>().inner, out);
    break;
  case ast::MatchKind::Each:
    b.error("misplaced", m.range, "`each` stands alone in an op's parentheses: it is about all of its operands")
        .note("as in `concat(each relu(x))`");
    bindNamesOf(b, m);
    break;
  case ast::MatchKind::Optional:
    b.error("misplaced", m.range, "`?` stands behind an operand that an op may leave out, among its operands")
        .note("as in `conv(x, w, b?)` or `conv(x, w, (const b)?)`; an op that may be absent is `convert?(x)`");
    bindNamesOf(b, m);
    break;
  case ast::MatchKind::Region:
    b.error("misplaced", m.range, "`(a) => b` is a region: it stands behind the name of one that the op has")
        .note("as in `loop(x, body = (a) => relu(a))`");
    bindNamesOf(b, m);
    break;
  case ast::MatchKind::Rest:
    b.error("bad-rest", m.range, "`...` stands for the operands of a variadic op, or for elements of a list")
        .note("as in `concat(x, rest...)` and `perm = [0, rest...]`");
    bindNamesOf(b, m);
    break;
  }
}

void warnOfRepetition(BodyContext &b, const std::vector<SourceRange> &written, std::string_view what) {
  std::map<std::string, SourceRange> seen;
  for (SourceRange range : written)
    if (auto [it, isNew] = seen.try_emplace(b.c.textOf(range), range); !isNew)
      b.warning("duplicate-name", range, fmt::format("this {} stands here twice", what))
          .note(it->second, "here first, where it matches all that this one does")
          .note("leave one of the two out, or say what was meant");
}

void matchAlternatives(BodyContext &b, size_t count, Match &out, const std::function<void(size_t, Match &)> &one) {
  out.kind = MatchKind::Alternatives;
  std::vector<Bound> before = b.bounds, joined;
  for (size_t i = 0; i < count; ++i) {
    size_t known = b.body.vars.size();
    b.bounds.resize(known, Bound::No);
    std::copy(before.begin(), before.end(), b.bounds.begin());
    std::fill(b.bounds.begin() + std::ptrdiff_t(before.size()), b.bounds.end(),
              Bound::No); // bound in other alternatives
    one(i, out.children.emplace_back());
    if (i == 0) {
      joined = b.bounds;
      continue;
    }
    joined.resize(b.bounds.size(), Bound::No);
    for (size_t v = 0; v < joined.size(); ++v)
      if (joined[v] != b.bounds[v])
        joined[v] = Bound::Maybe;
  }
  b.bounds = std::move(joined);
}

std::optional<Expr> matchLiteral(BodyContext &b, const ast::Match &m, Type type, What what) {
  if (const auto *lit = m.as<ast::LiteralMatch>())
    return checkExprAs(b, *lit->value, type, what);
  if (const auto *name = m.as<ast::NameMatch>()) {
    if (const ast::Expr *value = b.substituted(name->name.text)) {
      Expr out = checkExprAs(b, *value, type, what);
      out.range = name->range;
      return out;
    }
    if (type.is(TypeKind::DType) && isDTypeName(name->name.text) && !b.find(name->name.text)) {
      Expr out = b.make(ExprKind::DType, TypeKind::DType, name->range);
      out.text = name->name.text;
      return out;
    }
  }
  return std::nullopt;
}

Match checkRoot(BodyContext &b, const ast::Match &m) {
  size_t first = b.body.vars.size(), errors = b.c.errorsSeen;
  Match out = checkMatch(b, m);
  const std::function<bool(const Match &)> isOp = [&](const Match &x) {
    return (x.kind == MatchKind::Op && !x.optional) ||
           (x.kind == MatchKind::Alternatives && std::ranges::all_of(x.children, isOp));
  };
  if (const auto *op = m.as<ast::OpMatch>(); op && op->result && b.c.errorsSeen == errors)
    b.error("bad-root", op->result.range, "a pattern is tried at an op, not at one of its results")
        .note(fmt::format("leave `.{}` out and name the op, `d: …`: `replace d with (…)` is said of all results",
                          op->result.text));
  bool fits = isOp(out);
  if (!fits && out.range)
    b.error("bad-root", m.range, "a pattern begins with an op: `transpose(x, perm = p)`")
        .note("what stands first is the op that the pattern is tried at");
  for (size_t v = first; v < b.body.vars.size() && !fits; ++v)
    b.body.vars[v].type = TypeKind::Error; // what it would be is not known
  return out;
}

} // namespace rw::sema
