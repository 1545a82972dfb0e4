// Left sides of patterns.
#include "frontend/parse/builder.h"

#include <fmt/format.h>

namespace rw::parse {

using namespace ast;
using L = Lexer;

namespace {

/// A word and nothing else: it may turn out to be an attribute's name or an op.
bool isBareName(const P::MatchExprContext *c) {
  return c->head && c->head->getType() != L::UNDERSCORE && !c->bound && !c->dims && !c->call;
}

/// `_` and nothing else.
bool isAny(const P::MatchExprContext *c) {
  return c->head && c->head->getType() == L::UNDERSCORE && !c->bound && !c->dims && !c->call;
}

} // namespace

MatchPtr Builder::match(P::MatchExprContext *c, bool afterColon) {
  if (c->word)
    return prefixedMatch(c);
  if (c->call && !c->call->open)
    return optionalMatch(c, afterColon);
  if (c->head)
    return namedMatch(c, afterColon);
  if (c->literal)
    return literalMatch(c);
  if (c->open->getType() == L::LBRACK)
    return listMatch(c);
  if (c->alternatives.empty() || c->firstRest) {
    error("syntax", c->firstRest ? rangeOf(c->firstRest) : rangeOf(c),
          "a match in parentheses is one match, or several to choose from")
        .note("`(a, rest...) => (b, c)` stands behind the name of a region: `body = (a, rest...) => relu(a)`");
    return std::make_unique<AnyMatch>(rangeOf(c));
  }
  if (c->elements.empty())
    return groupMatch(c);
  if (!afterColon) {
    bool named = false;
    for (P::MatchArgContext *argument : c->elements)
      named |= argument->attr != nullptr;
    if (named)
      error("syntax", rangeOf(c), "an op's name stands before `(`").note("as in `transpose(x, perm = p)`");
    else
      error("syntax", rangeOf(c), "alternatives are separated by `|`")
          .note("a list is matched in brackets, `[1, 0]`; right of a colon, `(f32[m], i32)` is the type of a tuple");
    return std::make_unique<AnyMatch>(rangeOf(c));
  }
  auto m = std::make_unique<TypeMatch>(rangeOf(c));
  m->type = typeOf(c);
  return m;
}

MatchPtr Builder::prefixedMatch(P::MatchExprContext *c) {
  MatchPtr inner = match(c->inner);
  auto wrap = [&](auto m) -> MatchPtr {
    m->inner = std::move(inner);
    nest(*m, m->inner);
    return m;
  };
  if (c->word->getType() == L::EACH)
    return wrap(std::make_unique<EachMatch>(rangeOf(c)));
  if (c->word->getType() == L::ORDERED)
    return orderedMatch(c, std::move(inner));
  if (c->word->getType() == L::SINGLE)
    return wrap(std::make_unique<SingleMatch>(rangeOf(c)));
  const BindMatch *bind = inner->as<BindMatch>();
  if (inner->kind != MatchKind::Any && inner->kind != MatchKind::Name &&
      !(bind && bind->inner->kind == MatchKind::Type))
    error("syntax", inner->range, "`const` is followed by a name or `_`")
        .note("as in `const c`, `const _` or `const c: f32[n]`");
  return wrap(std::make_unique<ConstMatch>(rangeOf(c)));
}

/// The word is of the op, whatever stands between them: `ordered d: add(x, y)`, `ordered single add(x, y)`.
MatchPtr Builder::orderedMatch(P::MatchExprContext *c, MatchPtr inner) {
  Match *m = inner.get();
  while (m->kind == MatchKind::Bind || m->kind == MatchKind::Single)
    m = m->kind == MatchKind::Bind ? m->get<BindMatch>().inner.get() : m->get<SingleMatch>().inner.get();
  auto *op = m->as<OpMatch>();
  if (!op || op->quantifier == OpMatch::Quantifier::Star || op->quantifier == OpMatch::Quantifier::Plus)
    error("syntax", rangeOf(c->word), "`ordered` is followed by an op and its operands")
        .note("as in `ordered add(const c, x)`");
  else
    op->ordered = rangeOf(c->word);
  return inner;
}

MatchPtr Builder::namedMatch(P::MatchExprContext *c, bool afterColon) {
  bool any = c->head->getType() == L::UNDERSCORE;
  if (c->bound)
    return boundMatch(c);
  QualifiedName name = qualifiedName(c->head, c->member);
  if (c->call) {
    SourceRange range = name.range;
    std::vector<QualifiedName> heads;
    heads.push_back(std::move(name));
    return opMatch(std::move(heads), range, c);
  }
  if (c->dims || (afterColon && !any)) {
    auto m = std::make_unique<TypeMatch>(rangeOf(c));
    m->type = typeOf(c);
    return m;
  }
  if (c->member)
    error("syntax", rangeOf(c), fmt::format("a match reads nothing, so `{}` means nothing here", name.spelling()))
        .note("give the value a name here and state the condition after `where`");
  if (any)
    return std::make_unique<AnyMatch>(rangeOf(c));
  auto m = std::make_unique<NameMatch>(rangeOf(c));
  m->name = std::move(name.name);
  return m;
}

/// What stands right of a colon, or in a tuple type there, as a type: `f32[m, k]`, `(f32[m], i32)`.
TypePtr Builder::typeOf(P::MatchExprContext *c) {
  if (c->head && !c->bound && !c->call) {
    auto t = std::make_unique<NamedType>(rangeOf(c));
    t->name = qualifiedName(c->head, c->member);
    if (c->dims) {
      t->hasDims = true;
      t->dims = dims(c->dims);
    }
    return t;
  }
  auto t = std::make_unique<TupleType>(rangeOf(c));
  if (!c->open || c->open->getType() != L::LPAREN || c->call || c->elements.empty()) {
    error("syntax", rangeOf(c), "an element of a tuple type is a type").note("as in `x: (f32[m, k], i32)`");
    return t;
  }
  for (P::MatchArgContext *a : c->elements)
    if (!a->value || a->spread || a->attr) {
      error("syntax", rangeOf(c->open), "an op's name stands before `(`")
          .note("as in `d: transpose(x, perm = p)`; without a name, `x: (f32[m, k], i32)` is the type of a tuple");
      return t;
    }
  t->elements.push_back(typeOf(c->alternatives[0]));
  for (P::MatchArgContext *a : c->elements)
    t->elements.push_back(typeOf(a->value));
  return t;
}

MatchPtr Builder::boundMatch(P::MatchExprContext *c) {
  auto m = std::make_unique<BindMatch>(rangeOf(c));
  if (c->member)
    error("syntax", tokens_.rangeOf(c->head, c->member), "left of `:` stands a new name")
        .note("`d: relu(x)` names the op, `single relu(x)` asks that it has no other use; operands of a commutative op "
              "match "
              "in either order");
  if (c->head->getType() != L::UNDERSCORE)
    m->name = chosenName(c->head, true);
  m->inner = match(c->bound, true);
  if (m->inner->kind == MatchKind::Bind)
    error("syntax", rangeOf(c->bound), "one name is enough").note("leave out one of the names and its colon");
  nest(*m, m->inner);
  return m;
}

/// `b?`, `(const b)?`
MatchPtr Builder::optionalMatch(P::MatchExprContext *c, bool afterColon) {
  if (afterColon)
    error("syntax", rangeOf(c->call->quantifier), "what may be left out stands in parentheses, with its name")
        .note("as in `(b: f32[n])?` or `b?`");
  auto m = std::make_unique<OptionalMatch>(rangeOf(c));
  if (c->part)
    error("syntax", rangeOf(c->part), "an operand that may be left out has no parts");
  c->call = nullptr;
  c->part = nullptr;
  c->dot = nullptr;
  m->inner = match(c);
  nest(*m, m->inner);
  return m;
}

MatchPtr Builder::literalMatch(P::MatchExprContext *c) {
  auto m = std::make_unique<LiteralMatch>(rangeOf(c));
  bool negative = c->minus != nullptr;
  switch (c->literal->getType()) {
  case L::INT: {
    auto e = std::make_unique<IntExpr>(rangeOf(c));
    e->value = intOf(c->literal, negative);
    m->value = std::move(e);
    break;
  }
  case L::FLOAT: {
    auto e = std::make_unique<FloatExpr>(rangeOf(c));
    double value = floatOf(c->literal);
    e->value = negative ? -value : value;
    m->value = std::move(e);
    break;
  }
  case L::STRING: {
    auto e = std::make_unique<StringExpr>(rangeOf(c));
    e->value = stringOf(c->literal);
    m->value = std::move(e);
    break;
  }
  default: {
    auto e = std::make_unique<BoolExpr>(rangeOf(c));
    e->value = c->literal->getType() == L::TRUE;
    m->value = std::move(e);
    break;
  }
  }
  return m;
}

MatchPtr Builder::listMatch(P::MatchExprContext *c) {
  auto m = std::make_unique<ListMatch>(rangeOf(c));
  for (P::MatchArgContext *a : c->elements) {
    if (a->rest || a->attr) {
      error("syntax", rangeOf(a),
            a->rest ? "the rest of a list is written `rest...` or `_...`" : "a list has no attributes");
      continue;
    }
    m->elements.push_back(a->spread ? restMatch(a) : match(a->value));
    nest(*m, m->elements.back());
  }
  return m;
}

MatchPtr Builder::groupMatch(P::MatchExprContext *c) {
  if (c->call) {
    std::vector<QualifiedName> heads;
    for (P::MatchExprContext *a : c->alternatives) {
      if (isBareName(a))
        heads.push_back(qualifiedName(a->head, a->member));
      else
        error("syntax", rangeOf(a), "before `(`, the alternatives are names of ops").note("as in `(relu | relu6)(x)`");
    }
    SourceRange range = tokens_.rangeOf(c->open->getStartIndex(), c->call->start->getStartIndex());
    if (!c->alternatives.empty())
      range.end = tokens_.rangeOf(tokens_.tokens[c->call->start->getTokenIndex() - 1]).end;
    return opMatch(std::move(heads), range, c);
  }
  if (c->alternatives.size() == 1)
    return match(c->alternatives[0]);
  auto m = std::make_unique<AlternativesMatch>(rangeOf(c));
  for (P::MatchExprContext *a : c->alternatives) {
    m->alternatives.push_back(match(a));
    nest(*m, m->alternatives.back());
  }
  return m;
}

MatchPtr Builder::opMatch(std::vector<QualifiedName> heads, SourceRange headRange, P::MatchExprContext *c) {
  P::MatchCallContext *call = c->call;
  if (heads.size() == 1 && !heads[0].dialect && heads[0].name.text == "splat" && !call->quantifier) {
    auto m = std::make_unique<SplatMatch>(rangeOf(c));
    if (c->part)
      error("syntax", rangeOf(c->part), "a splat is one value and has no parts")
          .note("leave out the name behind the point");
    if (call->args.size() != 1 || !call->args[0]->value || call->args[0]->spread || call->args[0]->attr) {
      error("syntax", rangeOf(c), "`splat` takes one literal, name or `_`").note("as in `splat(0)`");
      m->inner = std::make_unique<AnyMatch>(rangeOf(c));
    } else {
      m->inner = match(call->args[0]->value);
    }
    nest(*m, m->inner);
    return m;
  }
  auto m = std::make_unique<OpMatch>(rangeOf(c));
  m->heads = std::move(heads);
  m->headRange = headRange;
  if (call->quantifier) {
    size_t type = call->quantifier->getType();
    m->quantifierRange = rangeOf(call->quantifier);
    m->quantifier = type == L::STAR   ? OpMatch::Quantifier::Star
                    : type == L::PLUS ? OpMatch::Quantifier::Plus
                                      : OpMatch::Quantifier::Optional;
  }
  if (c->part)
    m->result = nameOf(c->part);
  for (P::MatchArgContext *a : call->args) {
    if (m->rest)
      error("misplaced", m->rest, "`..` comes last: it stands for all that was not mentioned")
          .note("as in `pool(x, mode = \"max\", ..)`");
    if (a->rest) {
      m->rest = rangeOf(a->rest);
      continue;
    }
    MatchArg arg;
    arg.range = rangeOf(a);
    if (a->attr && isAny(a->value)) {
      if (!isAny(a->attr) || !a->others.empty())
        error("syntax", arg.range, "`_ = _` stands for every attribute that is not mentioned, whatever it is")
            .note("one attribute is asked for by its name: `axis = 1`");
      else if (m->anyAttrs)
        error("misplaced", arg.range, "`_ = _` once is enough").note(m->anyAttrs, "here first");
      m->anyAttrs = arg.range;
      continue;
    }
    if (a->attr) {
      if (isBareName(a->value) && !a->value->member)
        arg.attr = nameOf(a->value->head);
      else
        error("syntax", rangeOf(a->value), "left of `=` stands the name of an attribute")
            .note("as in `transpose(x, perm = p)`");
      if (a->results) {
        arg.match = regionMatch(a);
        nest(*m, arg.match);
        m->args.push_back(std::move(arg));
        continue;
      }
      arg.match = match(a->attr);
      if (!a->others.empty()) {
        auto choice = std::make_unique<AlternativesMatch>(tokens_.rangeOf(a->attr->start, a->stop));
        auto *named = arg.match ? arg.match->as<BindMatch>() : nullptr; // `axis = a: 0 | 1` names the choice
        choice->alternatives.push_back(std::move(named ? named->inner : arg.match));
        for (P::MatchExprContext *other : a->others)
          choice->alternatives.push_back(match(other));
        for (const MatchPtr &alternative : choice->alternatives)
          nest(*choice, alternative);
        if (named) {
          named->inner = std::move(choice);
          nest(*named, named->inner);
        } else {
          arg.match = std::move(choice);
        }
      }
    } else {
      arg.match = a->spread ? restMatch(a) : match(a->value);
    }
    nest(*m, arg.match);
    m->args.push_back(std::move(arg));
  }
  return m;
}

/// What stands in parentheses, or alone: values one by one, and the rest.
void Builder::valueList(P::MatchExprContext *c, std::vector<MatchPtr> &out) {
  bool list = c->open && c->open->getType() == L::LPAREN && !c->call &&
              (c->alternatives.size() != 1 || c->firstRest || !c->elements.empty());
  if (!list || c->alternatives.size() > 1) { // one, in parentheses or not; or alternatives, which are one
    out.push_back(match(c));
    return;
  }
  if (c->firstRest) {
    auto rest = std::make_unique<RestMatch>(rangeOf(c->alternatives[0]));
    const P::MatchExprContext *name = c->alternatives[0];
    if (isBareName(name) && !name->member)
      rest->name = nameOf(name->head);
    else if (!isAny(name))
      error("syntax", rangeOf(c->alternatives[0]), "before `...` stands a name or `_`").note("as in `rest...`");
    out.push_back(std::move(rest));
  } else if (!c->alternatives.empty()) {
    out.push_back(match(c->alternatives[0]));
  }
  for (P::MatchArgContext *a : c->elements) {
    if (a->rest || a->attr)
      error("syntax", rangeOf(a),
            a->rest ? "the rest of a list is written `rest...` or `_...`"
                    : "parameters and results of a region are values: they have no attributes")
          .note("as in `(a, rest...) => (relu(a), others...)`");
    else
      out.push_back(a->spread ? restMatch(a) : match(a->value));
  }
}

/// `body = (a, rest...) => (add(a, x), others...)`, `body = b: (a) => relu(a)`
MatchPtr Builder::regionMatch(P::MatchArgContext *c) {
  P::MatchExprContext *params = c->attr;
  Name name;
  if (params->bound && !params->member && params->head->getType() != L::UNDERSCORE) {
    name = nameOf(params->head);
    params = params->bound;
  }
  auto m = std::make_unique<RegionMatch>(tokens_.rangeOf(params->start, c->stop));
  m->paramRange = rangeOf(params);
  m->resultRange = rangeOf(c->results);
  if (!c->others.empty() || !params->open || params->open->getType() != L::LPAREN || params->call ||
      params->alternatives.size() > 1)
    error("syntax", rangeOf(c->attr), "left of the `=>` of a region stand its parameters, in parentheses")
        .note("as in `body = (a, b) => add(a, b)`");
  else
    valueList(params, m->params);
  valueList(c->results, m->results);
  for (const auto *list : {&m->params, &m->results})
    for (const MatchPtr &x : *list)
      nest(*m, x);
  if (!name)
    return m;
  auto named = std::make_unique<BindMatch>(rangeOf(c));
  named->name = std::move(name);
  named->inner = std::move(m);
  nest(*named, named->inner);
  return named;
}

MatchPtr Builder::restMatch(P::MatchArgContext *c) {
  auto m = std::make_unique<RestMatch>(rangeOf(c));
  const P::MatchExprContext *value = c->value;
  bool any = isAny(value);
  if (isBareName(value) && !value->member)
    m->name = nameOf(value->head);
  else if (!any)
    error("syntax", rangeOf(c->value), "before `...` stands a name or `_`").note("as in `rest...`");
  return m;
}

} // namespace rw::parse
