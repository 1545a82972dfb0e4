// Declarations other than patterns.
#include "frontend/parse/builder.h"
#include "frontend/parse/keywords.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace rw::parse {

using namespace ast;
using L = Lexer;

Name Builder::nameOf(const Token *token) const { return {std::string(tokens_.textOf(token)), rangeOf(token)}; }

std::vector<Name> Builder::namesOf(const std::vector<Token *> &tokens) const {
  std::vector<Name> names;
  for (const Token *t : tokens)
    names.push_back(nameOf(t));
  return names;
}

Name Builder::chosenName(const Token *token, bool isCalled) {
  Name name = nameOf(token);
  if (isReserved(name.text, isCalled))
    error("bad-name", name.range, fmt::format("`{}` has a meaning of its own and cannot be a name", name.text))
        .note(fmt::format("give it another name, such as `{}_`; only ops, operands and attributes may be called so",
                          name.text));
  return name;
}

std::vector<Name> Builder::chosenNames(P::BinderContext *c) {
  std::vector<Name> names;
  for (const Token *t : c->names)
    names.push_back(chosenName(t));
  return names;
}

QualifiedName Builder::qualifiedName(const Token *head, const Token *member) const {
  QualifiedName q;
  q.range = tokens_.rangeOf(head, member ? member : head);
  if (member)
    q.dialect = nameOf(head);
  q.name = nameOf(member ? member : head);
  return q;
}

/// The text of the name holds all of it: `my::opt::Merge`.
QualifiedName Builder::declaredName(P::DeclaredNameContext *c) const {
  QualifiedName q = qualifiedName(c->name);
  if (c->spaces.empty())
    return q;
  std::string text;
  for (const Token *space : c->spaces)
    text += nameOf(space).text + "::";
  q.range = q.name.range = rangeOf(c);
  q.name.text = text + q.name.text;
  return q;
}

Diagnostics::Builder Builder::error(const char *tag, SourceRange range, std::string message) {
  failed_ = true;
  return diags_.error(tag, range, std::move(message));
}

DeclPtr Builder::declaration(P::DeclarationContext *c) {
  failed_ = saidTooDeep_ = false;
  DeclPtr d;
  if (c->dialect) {
    auto dialect = declare<DialectDecl>(c->dialect, c->dialect->name);
    if (c->dialect->external) {
      dialect->externalName = stringOf(c->dialect->external);
      dialect->externalRange = rangeOf(c->dialect->external);
    }
    d = std::move(dialect);
  } else if (c->import_) {
    auto import = declare<ImportDecl>(c->import_, nullptr);
    import->name = {stringOf(c->import_->path), rangeOf(c->import_->path)};
    d = std::move(import);
  } else if (c->op) {
    d = op(c->op);
  } else if (c->fn) {
    auto fn = declare<FnDecl>(c->fn, c->fn->name);
    fn->params = params(c->fn->args);
    fn->result = type(c->fn->yields);
    fn->body = expression(c->fn->body);
    d = std::move(fn);
  } else if (c->pattern) {
    d = pattern(c->pattern);
  } else if (c->matcher) {
    d = matcher(c->matcher);
  } else if (c->group) {
    d = group(c->group);
  } else if (c->native) {
    d = native(c->native);
  } else if (c->pass) {
    d = pass(c->pass);
  } else if (c->pipeline) {
    d = pipeline(c->pipeline);
  } else if (c->conversion) {
    d = conversion(c->conversion);
  } else if (c->test) {
    d = test(c->test);
  } else {
    d = expect(c->expect);
  }
  if (c->hidden && d) {
    bool fits = c->fn || c->matcher || c->native || (c->group && !d->get<GroupDecl>().gives);
    d->hidden = rangeOf(c->hidden);
    SourceRange docs;
    d->doc = docBefore(c->hidden, docs);
    d->docRange = docs;
    if (!fits)
      error("misplaced", d->hidden, "`private` stands before `fn`, `match`, `rewrite`, `set`, `trait` and `constraint`")
          .fixIt({d->hidden.begin, d->range.begin}, "")
          .note("ops belong to a dialect; patterns, passes and pipelines of several files may have one name");
  }
  return failed_ ? nullptr : std::move(d);
}

template <class T> std::unique_ptr<T> Builder::declare(antlr4::ParserRuleContext *c, const Token *name) {
  auto d = std::make_unique<T>(rangeOf(c));
  constexpr bool isGiven = std::is_same_v<T, OpDecl> || std::is_same_v<T, DialectDecl> || std::is_same_v<T, TestDecl>;
  constexpr bool isListed = std::is_same_v<T, PatternDecl> || std::is_same_v<T, PassDecl> ||
                            std::is_same_v<T, PipelineDecl> || std::is_same_v<T, ConversionDecl>;
  if (name)
    d->name = isGiven ? nameOf(name) : chosenName(name, !isListed); // by other formats, or by what it tests
  d->doc = docBefore(c->start, d->docRange);
  return d;
}
template std::unique_ptr<PatternDecl> Builder::declare(antlr4::ParserRuleContext *, const Token *);
template std::unique_ptr<MatcherDecl> Builder::declare(antlr4::ParserRuleContext *, const Token *);

void Builder::strayDocs(std::vector<SourceRange> &out, const Builder *other) const {
  size_t end = 0;
  for (size_t i = 0; i < tokens_.docs.size(); ++i) {
    const TokenList::DocComment &doc = tokens_.docs[i];
    if (usesDoc(i) || (other && other->usesDoc(i)))
      continue;
    bool adjacent =
        i && end && tokens_.text.substr(end, doc.begin - end).find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (adjacent)
      out.back().end = tokens_.rangeOf(doc.begin, doc.end).end;
    else
      out.push_back(tokens_.rangeOf(doc.begin, doc.end));
    end = doc.end;
  }
}

/// The `///` lines directly above a token.
std::string Builder::docBefore(const Token *token, SourceRange &range) {
  auto last = std::upper_bound(tokens_.docs.begin(), tokens_.docs.end(), token->getTokenIndex(),
                               [](size_t index, const TokenList::DocComment &d) { return index < d.before; });
  // Upwards as long as only a line break lies between.
  size_t below = token->getStartIndex();
  auto first = last;
  while (first != tokens_.docs.begin() && (first - 1)->before == token->getTokenIndex()) {
    std::string_view gap = tokens_.text.substr((first - 1)->end, below - (first - 1)->end);
    if (gap.find_first_not_of(" \t\r\n") != gap.npos || std::count(gap.begin(), gap.end(), '\n') != 1)
      break;
    --first;
    below = first->begin;
  }
  if (first == last)
    return {};
  range = tokens_.rangeOf(first->begin, (last - 1)->end);
  usedDocs_.resize(tokens_.docs.size());
  std::fill(usedDocs_.begin() + (first - tokens_.docs.begin()), usedDocs_.begin() + (last - tokens_.docs.begin()),
            true);
  std::string doc;
  for (auto d = first; d != last; ++d) {
    std::string_view line = tokens_.text.substr(d->begin + 3, d->end - d->begin - 3);
    if (line.starts_with(' '))
      line.remove_prefix(1);
    if (d != first)
      doc += '\n';
    doc += line;
  }
  return doc;
}

DeclPtr Builder::op(P::OpDeclContext *c) {
  auto d = declare<OpDecl>(c, c->name);
  if (P::VersionRangeContext *v = c->version) {
    d->versions.range = rangeOf(v);
    d->versions.first = intOf(v->first);
    if (!v->dots)
      d->versions.last = d->versions.first;
    else if (v->last)
      d->versions.last = intOf(v->last);
    if (d->versions.last && *d->versions.last < d->versions.first)
      error("bad-number", d->versions.range, "the last version comes before the first").note("as in `versions 1..12`");
  }
  d->operands = params(c->operands, true);
  d->results = results(c->results);
  d->saysResults = c->results != nullptr;
  for (P::OpClauseContext *k : c->clauses)
    clause(*d, k);
  for (const std::unique_ptr<PatternDecl> &m : d->means)
    m->roots.push_back(meantOp(*d, m->range));
  return d;
}

/// A pattern of which the left side, the op itself, is made when all of it is known.
void Builder::meaning(OpDecl &d, P::OpClauseContext *c) {
  auto p = std::make_unique<PatternDecl>(rangeOf(c));
  p->name = {d.name.text + ".means", rangeOf(c->kind)};
  p->nameParts.push_back({p->name});
  p->assumeSameType = true; // the author answers for it: programs are held to it by the verifier
  p->arrow = rangeOf(c->kind);
  if (c->guard) {
    Condition &guard = p->conditions.emplace_back();
    guard.value = expression(c->guard);
    guard.range = rangeOf(c->guard);
  }
  auto result = std::make_unique<ResultStmt>(rangeOf(c->value));
  result->value = expression(c->value);
  p->result.push_back(std::move(result));
  d.means.push_back(std::move(p));
}

/// The op with its operands by their names, whatever its attributes are.
MatchPtr Builder::meantOp(const OpDecl &d, SourceRange range) {
  auto op = std::make_unique<OpMatch>(range);
  op->heads.push_back({{}, {d.name.text, range}, range});
  op->headRange = op->anyAttrs = range;
  if (std::ranges::find(d.traits, "commutative", [](const Trait &t) -> std::string_view { return t.name.text; }) !=
      d.traits.end())
    op->ordered = range;
  for (const Param &operand : d.operands) {
    MatchPtr match;
    if (operand.arity == Param::Arity::Variadic) {
      auto rest = std::make_unique<RestMatch>(operand.name.range);
      rest->name = operand.name;
      match = std::move(rest);
    } else {
      auto name = std::make_unique<NameMatch>(operand.name.range);
      name->name = operand.name;
      match = std::move(name);
    }
    if (operand.arity == Param::Arity::Optional) {
      auto optional = std::make_unique<OptionalMatch>(operand.name.range);
      optional->inner = std::move(match);
      match = std::move(optional);
    }
    op->args.push_back({{}, operand.name.range, std::move(match)});
  }
  auto bound = std::make_unique<BindMatch>(range);
  bound->name = {"(op)", range}; // which nobody can write
  bound->inner = std::move(op);
  return bound;
}

void Builder::clause(OpDecl &d, P::OpClauseContext *c) {
  switch (c->kind->getType()) {
  case L::ATTR:
    return attribute(d, c);
  case L::TRAITS:
    for (P::TraitContext *t : c->traits)
      d.traits.push_back({nameOf(t->name), rangeOf(t), namesOf(t->args)});
    return;
  case L::REQUIRE: {
    Require r;
    r.range = rangeOf(c);
    r.condition = expression(c->value);
    r.message = messageOf(c->message);
    d.requires_.push_back(std::move(r));
    return;
  }
  case L::TYPE:
    if (d.typesRange)
      error("duplicate-clause", rangeOf(c), "an op has one `type` clause").note(d.typesRange, "the first is here");
    d.typesRange = rangeOf(c);
    for (P::ExpressionContext *e : c->types)
      d.types.push_back(expression(e));
    return;
  case L::FOLD: {
    Fold f;
    f.range = rangeOf(c);
    f.value = expression(c->value);
    if (c->guard)
      f.condition = expression(c->guard);
    d.folds.push_back(std::move(f));
    return;
  }
  case L::MEANS:
    return meaning(d, c);
  case L::CANONICALIZE:
    for (P::DeclaredNameContext *n : c->patterns)
      d.canonicalize.push_back(declaredName(n));
    return;
  default:
    for (const Token *r : c->regions)
      d.regions.push_back(nameOf(r));
    return;
  }
}

void Builder::attribute(OpDecl &d, P::OpClauseContext *c) {
  AttrDecl a;
  a.name = nameOf(c->name);
  a.range = rangeOf(c);
  SourceRange docRange;
  a.doc = docBefore(c->start, docRange);
  if (c->type)
    a.type = type(c->type);
  for (const Token *choice : c->choices)
    a.choices.push_back({stringOf(choice), rangeOf(choice)});
  a.optional = c->optional != nullptr;
  if (c->value)
    a.defaultValue = expression(c->value);
  d.attrs.push_back(std::move(a));
}

/// A name among tuples, as an expression.
static ExprPtr entryOf(const QualifiedName &name) {
  auto last = std::make_unique<NameExpr>(name.range);
  if (!name.dialect) {
    last->name = name.name;
    return last;
  }
  last->name = name.dialect;
  auto member = std::make_unique<MemberExpr>(name.range);
  member->object = std::move(last);
  member->member = name.name;
  return member;
}

DeclPtr Builder::group(P::GroupDeclContext *c) {
  auto d = declare<GroupDecl>(c, c->name);
  d->isTrait = c->kind->getType() == L::TRAIT;
  d->gives = c->given != nullptr;
  for (P::QualifiedNameContext *m : c->members)
    d->members.push_back(qualifiedName(m));
  bool ofTuples = std::ranges::any_of(c->entries, [](P::SetEntryContext *e) { return !e->op; });
  for (P::SetEntryContext *e : c->entries) {
    if (!ofTuples) {
      d->members.push_back(qualifiedName(e->op));
      continue;
    }
    ForEntry &entry = d->tuples.emplace_back();
    entry.range = rangeOf(e);
    if (e->op)
      entry.values.push_back(entryOf(qualifiedName(e->op)));
    for (P::ExpressionContext *value : e->values)
      entry.values.push_back(expression(value));
  }
  return d;
}

/// A rewrite that is no C++.
DeclPtr Builder::rewrite(P::NativeDeclContext *c) {
  auto d = declare<RewriteDecl>(c, c->name);
  d->params = params(c->args);
  d->results = results(c->results);
  if (c->external)
    error("misplaced", c->value ? rangeOf(c->value) : rangeOf(c->open),
          "what is `extern` is defined elsewhere and builds nothing here")
        .note("leave out `extern`, or what follows it");
  if (c->kind->getType() == L::CONSTRAINT && c->open) {
    error("syntax", rangeOf(c->open), "expected C++ code or `;`, found `{`")
        .note("C++ stands between `[{` and `}]`; what is linked from elsewhere is declared `extern …;`")
        .note("what asks for ops is a named match, `match c(x) = relu(x);`, what computes a function, "
              "`fn c(x: value) -> bool = x.rank == 2;`");
    return d;
  }
  if (c->kind->getType() == L::CONSTRAINT)
    error("syntax", rangeOf(c->kind), fmt::format("the constraint `{}` is no C++", d->name.text))
        .note(
            "what holds of values is a function, `fn f(x: value) -> bool = …`; what asks for ops is `match f(x) = …`");
  if (c->value) {
    auto s = std::make_unique<ResultStmt>(rangeOf(c->value));
    s->value = expression(c->value);
    d->statements.push_back(std::move(s));
    return d;
  }
  for (P::StatementContext *s : c->statements) {
    d->statements.push_back(statement(s));
    const Stmt &made = *d->statements.back();
    bool last = s == c->statements.back();
    if (made.kind != StmtKind::Let && !(made.kind == StmtKind::Result && last))
      error("misplaced", made.range,
            made.kind == StmtKind::Result ? "only the last statement of a block is a value: what it gives"
                                          : "a named rewrite builds; patterns replace, update and erase")
          .note(
              made.kind == StmtKind::Result
                  ? "what is built before it gets a name by `let`, an op without results as well: `let _c = check(x);`"
                  : "it gives what is built: `rewrite f(x: value) -> value { let y = relu(x); neg(y) }`");
    else if (last && made.kind == StmtKind::Let)
      error("missing-result", made.range, fmt::format("`{}` gives nothing", d->name.text))
          .note("its last statement is what it gives: `{ let y = relu(x); neg(y) }`");
  }
  if (d->statements.empty())
    error("missing-result", d->name.range, fmt::format("`{}` gives nothing", d->name.text))
        .note("its last statement is what it gives: `{ let y = relu(x); neg(y) }`");
  return d;
}

DeclPtr Builder::native(P::NativeDeclContext *c) {
  if (c->value || c->open)
    return rewrite(c);
  auto d = declare<NativeDecl>(c, c->name);
  d->isConstraint = c->kind->getType() == L::CONSTRAINT;
  d->isExtern = c->external != nullptr;
  d->params = params(c->args);
  d->results = results(c->results);
  if (d->isConstraint && c->results)
    error("misplaced", rangeOf(c->results), "a constraint has no result: it holds or it does not")
        .note("leave out the `->` and what follows; what gives values is a `rewrite`, numbers a `fn`");
  if (c->code)
    d->code = tokens_.rangeOf(c->code->getStartIndex() + 2, c->code->getStopIndex() - 2);
  if (d->isExtern && c->code)
    error("misplaced", rangeOf(c->code), "what is `extern` is defined elsewhere and has no code here")
        .note("leave out `extern`, or the code");
  if (!d->isExtern && !c->code)
    error("syntax", d->name.range, fmt::format("`{}` has no code", d->name.text))
        .note("C++ stands between `[{` and `}]`; what is linked from elsewhere is declared `extern …;`");
  return d;
}

/// `label "layout"`, or a name.
PassDecl::Member Builder::member(P::PassMemberContext *m) {
  PassDecl::Member out;
  out.label = m->label != nullptr;
  if (m->label) {
    out.name.name = {stringOf(m->label), rangeOf(m->label)};
    out.name.range = out.name.name.range;
  } else {
    out.name = declaredName(m->pattern);
  }
  return out;
}

DeclPtr Builder::conversion(P::ConversionDeclContext *c) {
  auto d = declare<ConversionDecl>(c, c->name);
  for (P::ConversionClauseContext *clause : c->clauses) {
    ConversionDecl::Clause out{nameOf(clause->word), rangeOf(clause), {}};
    for (P::ConversionItemContext *i : clause->items) {
      ConversionDecl::Item item;
      item.range = rangeOf(i);
      if (i->text) {
        item.text = true;
        item.name.name = {stringOf(i->text), rangeOf(i->text)};
        item.name.range = item.name.name.range;
      } else {
        PassDecl::Member named = member(i->member);
        item.label = named.label;
        item.name = std::move(named.name);
      }
      if (i->first)
        item.first = intOf(i->first);
      if (i->last)
        item.last = intOf(i->last);
      item.open = i->dots && !i->last;
      if (i->first && !i->dots)
        item.last = item.first;
      out.items.push_back(std::move(item));
    }
    d->clauses.push_back(std::move(out));
  }
  return d;
}

DeclPtr Builder::pass(P::PassDeclContext *c) {
  auto d = declare<PassDecl>(c, c->name);
  auto add = [&](P::PassMemberContext *m) { d->members.push_back(member(m)); };
  for (P::PassMemberContext *m : c->members)
    add(m);
  for (P::PassItemContext *i : c->items) {
    if (!i->value) {
      add(i->first);
      for (P::PassMemberContext *m : i->others)
        add(m);
    } else if (i->first->label || i->first->pattern->name->member || !i->first->pattern->spaces.empty()) {
      error("syntax", rangeOf(i->first), "left of `=` stands the name of an option")
          .note("as in `max_iterations = 10;`");
    } else {
      d->options.push_back({nameOf(i->first->pattern->name->head), rangeOf(i), expression(i->value)});
    }
  }
  return d;
}

DeclPtr Builder::pipeline(P::PipelineDeclContext *c) {
  auto d = declare<PipelineDecl>(c, c->name);
  for (P::StageContext *s : c->stages)
    d->stages.push_back(stage(s));
  return d;
}

Stage Builder::stage(P::StageContext *c) {
  Stage s;
  s.range = rangeOf(c);
  if (c->repeat) {
    s.repeat = intOf(c->count);
    s.repeatRange = rangeOf(c->count);
    for (P::StageContext *inner : c->stages)
      s.stages.push_back(stage(inner));
  } else {
    s.pass = declaredName(c->pass);
    for (P::OptionContext *o : c->options)
      s.options.push_back({nameOf(o->name), rangeOf(o), expression(o->value)});
  }
  return s;
}

DeclPtr Builder::test(P::TestDeclContext *c) {
  auto d = declare<TestDecl>(c, c->name);
  d->params = params(c->args);
  d->before = expression(c->before);
  d->after = expression(c->after);
  const NameExpr *name = d->after->as<NameExpr>();
  bool isParam = name && std::any_of(d->params.begin(), d->params.end(),
                                     [&](const Param &p) { return p.name.text == name->name.text; });
  if (name && name->name.text == "unchanged" && !isParam)
    d->after = nullptr;
  return d;
}

DeclPtr Builder::expect(P::ExpectDeclContext *c) {
  auto d = declare<ExpectDecl>(c, nullptr);
  d->verdict = nameOf(c->verdict);
  for (P::DeclaredNameContext *pattern : c->patterns)
    d->patterns.push_back(declaredName(pattern));
  d->name = d->patterns.front().name;
  return d;
}

} // namespace rw::parse
