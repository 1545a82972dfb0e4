// Types, parameters and results.
#include "frontend/parse/builder.h"

#include <fmt/format.h>

namespace rw::parse {

using namespace ast;
using L = Lexer;

TypePtr Builder::type(P::TypeExprContext *c) {
  if (!c->open) {
    auto t = std::make_unique<NamedType>(rangeOf(c));
    t->name = qualifiedName(c->head, c->member);
    if (c->dims) {
      t->hasDims = true;
      t->dims = dims(c->dims);
    }
    return t;
  }
  if (c->open->getType() == L::LBRACK) {
    auto t = std::make_unique<ListType>(rangeOf(c));
    t->element = type(c->element);
    return t;
  }
  auto t = std::make_unique<TupleType>(rangeOf(c));
  for (P::ResultContext *r : c->elements) {
    if (r->type || r->optional || r->variadic)
      error("misplaced", rangeOf(r), "the elements of a tuple type carry no names, `?` or `...`")
          .note("as in `x: (f32[m], i32)`");
    t->elements.push_back(type(r->first));
  }
  return t;
}

std::vector<TypeDim> Builder::dims(P::TypeDimsContext *c) {
  std::vector<TypeDim> out;
  for (P::TypeDimContext *d : c->dims) {
    TypeDim dim;
    dim.range = rangeOf(d);
    if (d->any) {
      dim.form = TypeDim::Form::Any;
    } else if (d->rest) {
      dim.form = TypeDim::Form::Rest;
      if (d->value)
        dim.name = plainName(*expression(d->value), "only a name can stand before `...`");
    } else {
      dim.value = expression(d->value);
    }
    out.push_back(std::move(dim));
  }
  return out;
}

std::vector<Param> Builder::params(P::ParamsContext *c, bool ofOp) {
  std::vector<Param> out;
  for (P::ParamContext *p : c->items) {
    Param param;
    param.name = ofOp ? nameOf(p->name) : chosenName(p->name);
    param.range = rangeOf(p);
    param.type = type(p->type);
    if (p->optional)
      param.arity = Param::Arity::Optional;
    if (p->variadic)
      param.arity = Param::Arity::Variadic;
    if (p->as && ofOp)
      standsFor(p, param);
    else if (p->as)
      error("misplaced", rangeOf(p->as), "operands of ops stand for attributes, and nothing else does")
          .note("as in `op squeeze(x: tensor, axes: tensor? as [int]) -> tensor`");
    out.push_back(std::move(param));
  }
  return out;
}

/// `axes: tensor? as [int]`, `constant_value: tensor? as value: float = 0.0`
void Builder::standsFor(P::ParamContext *p, Param &param) {
  if (tokens_.textOf(p->as->getTokenIndex()) != "as")
    error("syntax", rangeOf(p->as),
          fmt::format("expected `,` or `)`, found `{}`", tokens_.textOf(p->as->getTokenIndex())))
        .note("`axes: tensor? as [int]` is an operand that stands for an attribute");
  param.standsFor.name = param.name;
  if (p->renamed) {
    if (p->stands->open || p->stands->dims || p->stands->member || p->stands->head->getType() != L::IDENT)
      error("syntax", rangeOf(p->stands), "left of `:` stands the name of an attribute")
          .note("as in `constant_value: tensor? as value: float`");
    else
      param.standsFor.name = nameOf(p->stands->head);
  }
  param.standsFor.type = type(p->renamed ? p->renamed : p->stands);
  if (p->value)
    param.standsFor.byDefault = expression(p->value);
}

std::vector<Param> Builder::results(P::ResultContext *c) {
  std::vector<Param> out;
  if (!c)
    return out;
  if (!c->type && c->first->open && c->first->open->getType() == L::LPAREN) {
    for (P::ResultContext *r : c->first->elements)
      out.push_back(result(r));
    if (c->optional || c->variadic)
      error("misplaced", rangeOf(c), "`?` and `...` belong to one of the results")
          .note("as in `-> (u: tensor, rest: tensor...)`");
  } else {
    out.push_back(result(c));
  }
  return out;
}

Param Builder::result(P::ResultContext *c) {
  Param param;
  param.range = rangeOf(c);
  if (c->type) {
    if (c->first->open || c->first->dims || c->first->member || c->first->head->getType() != L::IDENT)
      error("syntax", rangeOf(c->first), "left of `:` stands the name of a result");
    else
      param.name = nameOf(c->first->head);
  }
  param.type = type(c->type ? c->type : c->first);
  if (c->optional)
    param.arity = Param::Arity::Optional;
  if (c->variadic)
    param.arity = Param::Arity::Variadic;
  return param;
}

} // namespace rw::parse
