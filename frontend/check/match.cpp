// Left sides: names, alternatives, constants, types. Ops are match_ops.cpp, attributes match_attrs.cpp.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rw::sema {

/// Alternatives bind a name as deep in `each` as each other: else it would be a list in one and a list of lists in the
/// other.
bool BodyChecker::sameEachDepth(const ast::Name &name, VarId id) {
  if (eachDepths_[id.raw] == eachDepth_)
    return true;
  auto depth = [](unsigned n) {
    return n ? fmt::format("within {} of `each`", counted(n, "level")) : std::string("outside `each`");
  };
  c.error("bad-each", name.range,
          fmt::format("`{}` is bound {} here, and {} in another alternative", name.text, depth(eachDepth_),
                      depth(eachDepths_[id.raw])))
      .note(var(id).range, fmt::format("`{}` is bound here", name.text));
  var(id).type = TypeKind::Error;
  return false;
}

/// A name on a left side: its first use binds, later ones compare.
VarUse BodyChecker::bindName(const ast::Name &name, Type type, VarKind kind) {
  VarUse out{Use::Bind, {}, name.range};
  if (!name) { // of `_: int`: each is one by itself, and within `each` one for each operand
    out.var = declare(name, type, kind);
    var(out.var).localTo = uint8_t(eachDepth_);
    return out;
  }
  out.var = find(name.text);
  if (!out.var) {
    out.var = declare(name, type, kind);
    countSite(out.var);
    if (inEach_) {
      boundInEach_.insert(out.var.raw);
      if (kind == VarKind::Value && type.is(TypeKind::Value))
        var(out.var).perOperand = true, eachDepths_[out.var.raw] = eachDepth_;
      else
        out.use = Use::BindOrCompare; // the same for every operand
    }
    return out;
  }
  const Var &v = var(out.var);
  if (inEach_ && v.perOperand && bound(out.var) == Bound::No && v.type.kind == type.kind) {
    var(out.var).type = type; // in the `each` of another alternative, which is over
    if (!sameEachDepth(name, out.var)) {
      setBound(out.var, Bound::Yes);
      return {};
    }
  }
  bool same =
      v.type == type || v.type.isError() || type.isError() || (v.type.is(TypeKind::Op) && type.is(TypeKind::Value));
  if (!same) {
    c.error("type-mismatch", name.range,
            fmt::format("`{}` is {} here, but it was bound to {}", name.text, toString(type), toString(v.type)))
        .note(v.range, fmt::format("`{}` is bound here", name.text));
    return {};
  }
  if (v.type.is(TypeKind::Op) && type.is(TypeKind::Value) && bound(out.var) == Bound::No) { // nothing to compare with
    c.error("type-mismatch", name.range,
            fmt::format("`{}` is a value here, but an op in another alternative", name.text))
        .note(v.range, fmt::format("`{}` is bound here", name.text))
        .note("give one of the two another name");
    var(out.var).type = TypeKind::Error;
    setBound(out.var, Bound::Yes);
    return {};
  }
  switch (bound(out.var)) {
  case Bound::No: // in another alternative
    if (inEach_ && !v.perOperand)
      out.use = Use::BindOrCompare;
    break;
  case Bound::Maybe:
    out.use = v.isOptionalOperand() ? Use::Compare : Use::BindOrCompare;
    use(out.var);
    if (!v.isOptionalOperand() && !names_->of && !inEach_ && !boundInEach_.contains(out.var.raw))
      c.warning("partly-bound", name.range,
                fmt::format("only some alternatives bind `{0}`: after these it is compared here, after the others it "
                            "stands for anything",
                            name.text))
          .note(v.range, fmt::format("`{}` is bound here", name.text))
          .note("bind it in every alternative if it is to be the same value, or give one of the two another name");
    break;
  case Bound::Yes: {
    bool shared = inEach_ && !v.perOperand && out.var.raw >= eachMark_;
    out.use = shared ? Use::BindOrCompare : Use::Compare;
    use(out.var);
    break;
  }
  }
  setBound(out.var, Bound::Yes);
  countSite(out.var);
  return out;
}

/// `rest...` among values: a list. Inside `each` values are bound once per operand, and of lists there is one alone.
VarUse BodyChecker::bindRest(const ast::Name &name) {
  VarId id = find(name.text);
  bool isBefore = id && id.raw < eachMark_ && bound(id) == Bound::Yes; // it is compared then
  bool isInner = names_->of; // of a named match: nobody else sees it (give() says so of its parameters)
  if (inEach_ && !isBefore && !isInner) {
    c.error("bad-each", name.range,
            fmt::format("`{}...` inside `each` would be one list, the same for every operand", name.text))
        .note("`_...` is any number of values; a name for the op that has them is one for each operand: `each d: "
              "concat(_..., axis = a)`, and then `d[0].operands`, `[f.operands for f in d]`");
    use(id ? id : declare(name, Type::list(TypeKind::Value), VarKind::Value));
    return {};
  }
  return bindName(name, Type::list(TypeKind::Value), VarKind::Value);
}

Match BodyChecker::match(const ast::Match &m) {
  Match out;
  out.range = m.range;
  matchInto(m, out);
  return out;
}

void BodyChecker::matchInto(const ast::Match &m, Match &out) {
  if (names_->putIn && ++putIn_ > kMaxPutIn) {
    if (putIn_ == kMaxPutIn + 1)
      c.error("too-complex", m.range,
              fmt::format("with the named matches put in, this is more than {} matches", kMaxPutIn))
          .note("a named match is put in wherever it is used: one that uses another one twice doubles it");
    return;
  }
  struct Level {
    unsigned &depth;
    ~Level() { --depth; }
  } level{++matchDepth_};
  if (matchDepth_ > ast::kMaxNesting) {
    c.error("too-deep", m.range,
            fmt::format("with the named matches put in, this is nested more than {} levels deep", ast::kMaxNesting))
        .note("ask for the inner parts in the `where`: `x is f(...)`");
    return;
  }
  switch (m.kind) {
  case ast::MatchKind::Any:
    break;
  case ast::MatchKind::Name: {
    const ast::Name &name = m.get<ast::NameMatch>().name;
    if (saysNone(m)) {
      c.error("misplaced", name.range,
              "`none` is an operand or attribute that is left out: it stands alone in its place among those of an op")
          .note("as in `clip(x, none, max)`; `b?` is an operand, left out or not");
      break;
    }
    if (substituted(name.text)) {
      c.error("bad-match", name.range, fmt::format("`{}` is a name of the `for` clause, not a value", name.text));
      break;
    }
    if (isDTypeName(name.text) && !find(name.text)) {
      c.error("bad-match", name.range, fmt::format("`{}` is an element type, not a value", name.text))
          .note(fmt::format("`x: {0}` asks for it; one of several is a condition: `where x.dtype == {0} or …`",
                            name.text));
      break;
    }
    out.value = bindName(name, TypeKind::Value, VarKind::Value);
    break;
  }
  case ast::MatchKind::Bind:
    bindMatch(m.get<ast::BindMatch>(), out);
    break;
  case ast::MatchKind::Type:
    typeMatch(*m.get<ast::TypeMatch>().type, out);
    break;
  case ast::MatchKind::Literal:
  case ast::MatchKind::List: {
    Report report = c.error("bad-match", m.range, "an operand is a value, not a literal");
    if (m.kind == ast::MatchKind::Literal)
      report.note(fmt::format("`splat({})` matches a constant all of whose elements are that",
                              c.textOf(m.range).starts_with('"') ? "..." : c.textOf(m.range)));
    else
      report.note("write `const c` and compare `c.ints` in the `where`");
    break;
  }
  case ast::MatchKind::Const:
    constMatch(m.get<ast::ConstMatch>(), out);
    break;
  case ast::MatchKind::Splat:
    splat(m.get<ast::SplatMatch>(), out);
    break;
  case ast::MatchKind::Op:
    opMatch(m.get<ast::OpMatch>(), out, nullptr);
    break;
  case ast::MatchKind::Alternatives:
    if (!names_->of) {
      std::vector<SourceRange> written;
      for (const ast::MatchPtr &one : m.get<ast::AlternativesMatch>().alternatives)
        written.push_back(one->range);
      saidTwice(written, "alternative");
    }
    alternatives(m.get<ast::AlternativesMatch>().alternatives.size(), out,
                 [&](size_t i, Match &one) { one = match(*m.get<ast::AlternativesMatch>().alternatives[i]); });
    break;
  case ast::MatchKind::Single:
    out.single = true;
    needlessSingle(*m.get<ast::SingleMatch>().inner);
    matchInto(*m.get<ast::SingleMatch>().inner, out);
    break;
  case ast::MatchKind::Each:
    c.error("misplaced", m.range, "`each` stands alone in an op's parentheses: it is about all of its operands")
        .note("as in `concat(each relu(x))`");
    bindNamesOf(m);
    break;
  case ast::MatchKind::Optional:
    c.error("misplaced", m.range, "`?` stands behind an operand that an op may leave out, among its operands")
        .note("as in `conv(x, w, b?)` or `conv(x, w, (const b)?)`; an op that may be absent is `convert?(x)`");
    bindNamesOf(m);
    break;
  case ast::MatchKind::Region:
    c.error("misplaced", m.range, "`(a) => b` is a region: it stands behind the name of one that the op has")
        .note("as in `loop(x, body = (a) => relu(a))`");
    bindNamesOf(m);
    break;
  case ast::MatchKind::Rest:
    c.error("bad-rest", m.range, "`...` stands for the operands of a variadic op, or for elements of a list")
        .note("as in `concat(x, rest...)` and `perm = [0, rest...]`");
    bindNamesOf(m);
    break;
  }
}

/// Warns of one that is written as another before it.
void BodyChecker::saidTwice(const std::vector<SourceRange> &written, std::string_view what) {
  std::map<std::string, SourceRange> seen;
  for (SourceRange range : written)
    if (auto [it, isNew] = seen.try_emplace(c.textOf(range), range); !isNew)
      c.warning("duplicate-name", range, fmt::format("this {} stands here twice", what))
          .note(it->second, "here first, where it matches all that this one does")
          .note("leave one of the two out, or say what was meant");
}

/// `single single m`.
void BodyChecker::needlessSingle(const ast::Match &inner) {
  if (inner.kind == ast::MatchKind::Single)
    c.warning("duplicate-name", inner.range, "`single` stands here twice").note("once asks for it: no other use");
}

/// `add:c(x, y)`, `add:s(x, y)`: what GCC's match.pd asks of an op by a letter.
bool BodyChecker::matchPdLetter(const ast::BindMatch &m, const ast::OpMatch &op, Match &out) {
  const ast::QualifiedName &head = op.heads.front();
  bool letter = op.heads.size() == 1 && !head.dialect && (head.name.text == "c" || head.name.text == "s");
  bool declared = c.namesOp(head) || c.matchers.contains(head.name.text) || c.groups.contains(head.name.text) ||
                  substituted(head.name.text);
  if (!letter || declared || !c.namesOp({{}, m.name, m.name.range}))
    return false;
  Report report = c.error("bad-match", head.range, fmt::format("an op has no `:{}`", head.name.text));
  if (head.name.text == "s")
    report.note(fmt::format("that nothing else uses the value is asked by `single {}(...)`", m.name.text));
  else
    report.note("where an op is declared `commutative`, its operands match in either order");
  out.kind = MatchKind::Op; // of which nothing is known
  bindNamesOf(op);
  return true;
}

void BodyChecker::bindMatch(const ast::BindMatch &m, Match &out) {
  const ast::Match *inner = m.inner.get();
  if (const auto *single = inner->as<ast::SingleMatch>()) {
    out.single = true;
    inner = single->inner.get();
    needlessSingle(*inner);
  }
  if (const auto *op = inner->as<ast::OpMatch>()) {
    if (matchPdLetter(m, *op, out))
      return;
    opMatch(*op, out, &m.name);
    return;
  }
  if (const auto *shape = inner->as<ast::ListMatch>()) {
    c.error("bad-match", shape->range, "a shape stands behind an element type")
        .fixIt({shape->range.begin, shape->range.begin}, "_")
        .note("`_` is any element type, `f32` one, `float` any of floats; an attribute that is a list is matched so: "
              "`perm = [0, 1]`; what else is asked of a value stands in the `where`");
    if (m.name.text != "_" && !find(m.name.text))
      use(declare(m.name, TypeKind::Error, VarKind::Value));
    return;
  }
  matchInto(*inner, out);
  if (m.name.text == "_")
    return; // `_: f32[m]` asks for a type and names nothing
  if (out.value)
    c.error("duplicate-name", m.name.range,
            fmt::format("the value is named `{}` and `{}`", m.name.text, var(out.value.var).name));
  else
    out.value = bindName(m.name, TypeKind::Value, VarKind::Value);
  if (out.value && inner->kind == ast::MatchKind::Alternatives)
    whyValue_.try_emplace(out.value.var.raw,
                          WhyValue{inner->range, "of alternatives that are whole matches it names the value; an op is "
                                                 "named where its kinds are listed: `d: (relu | neg)(x)`"});
}

void BodyChecker::alternatives(size_t count, Match &out, const std::function<void(size_t, Match &)> &one) {
  out.kind = MatchKind::Alternatives;
  std::vector<Bound> before = bound_, joined;
  for (size_t i = 0; i < count; ++i) {
    size_t known = body.vars.size();
    bound_.resize(known, Bound::No);
    std::copy(before.begin(), before.end(), bound_.begin());
    std::fill(bound_.begin() + std::ptrdiff_t(before.size()), bound_.end(), Bound::No); // bound in other alternatives
    one(i, out.children.emplace_back());
    if (i == 0) {
      joined = bound_;
      continue;
    }
    joined.resize(bound_.size(), Bound::No);
    for (size_t v = 0; v < joined.size(); ++v)
      if (joined[v] != bound_[v])
        joined[v] = Bound::Maybe;
  }
  bound_ = std::move(joined);
}

void BodyChecker::constMatch(const ast::ConstMatch &m, Match &out) {
  out.kind = MatchKind::Const;
  const ast::Match *inner = m.inner.get();
  bool fits =
      inner->kind == ast::MatchKind::Any || inner->kind == ast::MatchKind::Name || inner->kind == ast::MatchKind::Type;
  if (const auto *bind = inner->as<ast::BindMatch>())
    fits = bind->inner->kind == ast::MatchKind::Type;
  if (!fits) {
    c.error("bad-match", inner->range, "after `const` stands a name, `_`, or a name with a type");
    return;
  }
  matchInto(*inner, out);
  out.kind = MatchKind::Const;
}

void BodyChecker::splat(const ast::SplatMatch &m, Match &out) {
  out.kind = MatchKind::Splat;
  const ast::Match &inner = *m.inner;
  if (inner.kind == ast::MatchKind::Any)
    return;
  if (const auto *name = inner.as<ast::NameMatch>(); name && !substituted(name->name.text)) {
    // What is bound already says which kind of element is asked for: `splat(n: int)), splat(n)`.
    Type kind = TypeKind::Attr;
    if (VarId known = find(name->name.text))
      for (TypeKind asked : {TypeKind::Int, TypeKind::Float, TypeKind::Bool})
        if (var(known).type.is(asked))
          kind = asked;
    out.splatVar = bindName(name->name, kind, VarKind::Bound);
    if (out.splatVar)
      var(out.splatVar.var).ofConstant = true;
    return;
  }
  if (const auto *bind = inner.as<ast::BindMatch>()) { // `splat(s: int)`
    const auto *type = bind->inner->as<ast::TypeMatch>();
    const auto *word = type ? type->type->as<ast::NamedType>() : nullptr;
    static constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
        {"int", TypeKind::Int}, {"float", TypeKind::Float}, {"bool", TypeKind::Bool}};
    for (const auto &[text, kind] : kKinds)
      if (word && !word->name.dialect && !word->hasDims && word->name.name.text == text) {
        out.splatVar = bindName(bind->name, kind, VarKind::Bound);
        if (out.splatVar)
          var(out.splatVar.var).ofConstant = true;
        return;
      }
  }
  if (std::optional<Expr> value = literal(inner, TypeKind::Attr, "the element of a splat")) {
    while (value->kind == ExprKind::Convert)
      value = Expr(std::move(value->args[0]));
    if (value->kind == ExprKind::Int || value->kind == ExprKind::Float || value->kind == ExprKind::Bool) {
      out.literal = std::move(value);
      return;
    }
  }
  c.error("bad-match", inner.range, "the element of a splat is a number, true, false, a name, or `_`")
      .note("`splat(s)` binds whatever it is, `splat(s: int)`, `splat(s: float)` and `splat(s: bool)` one kind of "
            "element");
}

/// A literal, or a template name that stands for one, as `type`.
std::optional<Expr> BodyChecker::literal(const ast::Match &m, Type type, What what) {
  if (const auto *lit = m.as<ast::LiteralMatch>())
    return exprOf(*lit->value, type, what);
  if (const auto *name = m.as<ast::NameMatch>()) {
    if (const ast::Expr *value = substituted(name->name.text)) {
      Expr out = exprOf(*value, type, what);
      out.range = name->range;
      return out;
    }
    if (type.is(TypeKind::DType) && isDTypeName(name->name.text) && !find(name->name.text)) {
      Expr out = make(ExprKind::DType, TypeKind::DType, name->range);
      out.text = name->name.text;
      return out;
    }
  }
  return std::nullopt;
}

Match BodyChecker::root(const ast::Match &m) {
  size_t first = body.vars.size(), errors = c.errorsSeen;
  Match out = match(m);
  const std::function<bool(const Match &)> isOp = [&](const Match &x) {
    return (x.kind == MatchKind::Op && !x.optional) ||
           (x.kind == MatchKind::Alternatives && std::ranges::all_of(x.children, isOp));
  };
  if (const auto *op = m.as<ast::OpMatch>(); op && op->result && c.errorsSeen == errors)
    c.error("bad-root", op->result.range, "a pattern is tried at an op, not at one of its results")
        .note(fmt::format("leave `.{}` out and name the op, `d: …`: `replace d with (…)` is said of all results",
                          op->result.text));
  bool fits = isOp(out);
  if (!fits && out.range)
    c.error("bad-root", m.range, "a pattern begins with an op: `transpose(x, perm = p)`")
        .note("what stands first is the op that the pattern is tried at");
  for (size_t v = first; v < body.vars.size() && !fits; ++v)
    body.vars[v].type = TypeKind::Error; // what it would be is not known
  return out;
}

} // namespace rw::sema
