// Patterns: tags, templates, conditions and right sides; named matches.
#include "frontend/parse/builder.h"

#include <fmt/format.h>

namespace rw::parse {

using namespace ast;
using L = Lexer;

DeclPtr Builder::pattern(P::PatternDeclContext *c) {
  auto d = declare<PatternDecl>(c, c->name);
  for (P::ForClauseContext *f : c->templates)
    d->templates.push_back(forClause(f));
  patternName(*d, c->name);
  for (P::PatternTagContext *t : c->tags)
    patternTag(*d, t);
  for (P::MatchExprContext *m : c->roots)
    d->roots.push_back(match(m));
  for (P::ExpressionContext *e : c->conditions)
    d->conditions.push_back(whereItem(e));
  d->arrow = rangeOf(c->arrow);
  d->isBlock = c->right->open != nullptr;
  const auto &statements = c->right->statements;
  for (P::StatementContext *s : statements) {
    d->result.push_back(statement(s));
    if (d->result.back()->kind == StmtKind::Result && s != statements.back())
      error("misplaced", d->result.back()->range,
            "only the last statement of a block is a value: what the root becomes")
          .note("what is built before it gets a name by `let`, an op without results as well: `let _c = check(x);`");
  }
  return d;
}

DeclPtr Builder::matcher(P::MatchDeclContext *c) {
  auto d = declare<MatcherDecl>(c, c->name);
  for (P::MatchParamContext *p : c->args->items)
    d->params.push_back({chosenName(p->name), rangeOf(p), p->type ? type(p->type) : nullptr});
  for (P::MatchCaseContext *k : c->cases) {
    MatcherDecl::Case &one = d->cases.emplace_back();
    one.range = rangeOf(k);
    one.match = match(k->body);
    for (P::ExpressionContext *e : k->conditions)
      one.conditions.push_back(whereItem(e));
  }
  return d;
}

/// `Cancel_{f}_{g}`: text and splices in turn.
void Builder::patternName(PatternDecl &d, const Token *token) {
  size_t begin = token->getStartIndex(), end = token->getStopIndex();
  for (size_t i = begin; i < end;) {
    NamePart part;
    part.splice = tokens_.text[i] == '{';
    if (part.splice)
      ++i;
    size_t stop = std::min(end, tokens_.text.find_first_of("{}", i));
    part.name = {std::string(tokens_.text.substr(i, stop - i)), tokens_.rangeOf(i, stop)};
    i = part.splice ? stop + 1 : stop;
    d.nameParts.push_back(std::move(part));
  }
}

void Builder::patternTag(PatternDecl &d, P::PatternTagContext *c) {
  auto once = [&](bool given) {
    if (given)
      error("duplicate-clause", rangeOf(c), fmt::format("`{}` is given twice", tokens_.textOf(c->kind)));
  };
  switch (c->kind->getType()) {
  case L::BENEFIT:
    once(d.benefit.has_value());
    d.benefit = intOf(c->number);
    d.benefitRange = rangeOf(c->number);
    break;
  case L::FASTMATH:
    once(d.fastmath);
    d.fastmath = true;
    d.freedoms = namesOf(c->freedoms);
    break;
  case L::RECURSIVE:
    once(d.recursive);
    d.recursive = true;
    break;
  case L::ASSUME_SAME_TYPE:
    once(d.assumeSameType);
    d.assumeSameType = true;
    break;
  default:
    d.labels.push_back({stringOf(c->text), rangeOf(c->text)});
    break;
  }
}

ForClause Builder::forClause(P::ForClauseContext *c) {
  ForClause clause;
  clause.range = rangeOf(c);
  clause.names = chosenNames(c->names);
  if (c->set)
    clause.set = nameOf(c->set);
  for (P::ExpressionContext *e : c->entries) {
    ForEntry entry;
    entry.range = rangeOf(e);
    ExprPtr value = expression(e);
    if (TupleExpr *tuple = value->as<TupleExpr>())
      entry.values = std::move(tuple->elements);
    else
      entry.values.push_back(std::move(value));
    clause.entries.push_back(std::move(entry));
  }
  return clause;
}

Condition Builder::whereItem(P::ExpressionContext *c) {
  Condition condition;
  condition.range = rangeOf(c);
  if (c->open && c->open->getType() == L::LET && !c->body) {
    condition.letNames = chosenNames(c->names);
    condition.value = expression(c->value);
  } else {
    condition.value = expression(c);
  }
  return condition;
}

StmtPtr Builder::statement(P::StatementContext *c) {
  SourceRange range = rangeOf(c);
  size_t kind = c->kind ? c->kind->getType() : 0;
  if (kind == L::REPLACE) {
    auto s = std::make_unique<ReplaceStmt>(range);
    s->target = nameOf(c->target);
    s->value = expression(c->value);
    return s;
  }
  if (kind == L::UPDATE) {
    auto s = std::make_unique<UpdateStmt>(range);
    s->target = nameOf(c->target);
    for (P::ArgContext *a : c->args) {
      s->attrs.push_back(argument(a));
      if (CallArg &arg = s->attrs.back(); arg.form != CallArg::Form::Attrs &&
                                          (arg.form != CallArg::Form::Plain || (!a->named && arg.name.text.empty())))
        error("syntax", arg.range, "`update` sets attributes: `name = value`")
            .note("an operand changes by `replace d with …`");
    }
    return s;
  }
  if (kind == L::ERASE) {
    auto s = std::make_unique<EraseStmt>(range);
    s->target = nameOf(c->target);
    return s;
  }
  P::ExpressionContext *e = c->value;
  if (e->open && e->open->getType() == L::LET && !e->body) {
    auto s = std::make_unique<LetStmt>(range);
    s->names = chosenNames(e->names);
    s->value = expression(e->value);
    return s;
  }
  auto s = std::make_unique<ResultStmt>(range);
  s->value = expression(e);
  return s;
}

} // namespace rw::parse
