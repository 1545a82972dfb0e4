// Expressions. The grammar lists operators flat; precedence is applied here, loosest first:
//
//   ..    or    and    not    == != < <= > >= is    ++    |    ^    &    << >>    + -    * / %    - (sign)    . [] ()
#include "frontend/parse/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace rw::parse {

using namespace ast;
using L = Lexer;

namespace {

std::optional<BinaryOp> binaryOp(size_t type) {
  switch (type) {
  case L::OR:
    return BinaryOp::Or;
  case L::AND:
    return BinaryOp::And;
  case L::EQ:
    return BinaryOp::Eq;
  case L::NE:
    return BinaryOp::Ne;
  case L::LT:
    return BinaryOp::Lt;
  case L::LE:
    return BinaryOp::Le;
  case L::GT:
    return BinaryOp::Gt;
  case L::GE:
    return BinaryOp::Ge;
  case L::CONCAT:
    return BinaryOp::Concat;
  case L::PLUS:
    return BinaryOp::Add;
  case L::MINUS:
    return BinaryOp::Sub;
  case L::STAR:
    return BinaryOp::Mul;
  case L::SLASH:
    return BinaryOp::Div;
  case L::PERCENT:
    return BinaryOp::Mod;
  case L::BAR:
    return BinaryOp::BitOr;
  case L::CARET:
    return BinaryOp::BitXor;
  case L::AMP:
    return BinaryOp::BitAnd;
  case L::SHL:
    return BinaryOp::ShiftLeft;
  case L::SHR:
    return BinaryOp::ShiftRight;
  default:
    return std::nullopt;
  }
}

constexpr int kOperandLevel = 7;
int arithmeticLevel(size_t type) {
  switch (type) {
  case L::CONCAT:
    return 0;
  case L::BAR:
    return 1;
  case L::CARET:
    return 2;
  case L::AMP:
    return 3;
  case L::SHL:
  case L::SHR:
    return 4;
  case L::PLUS:
  case L::MINUS:
    return 5;
  default:
    return kOperandLevel - 1;
  }
}

SourceRange join(SourceRange a, SourceRange b) { return {a.begin, b.end}; }

} // namespace

ExprPtr Builder::wholeExpression(P::ExpressionContext *c) {
  ExprPtr e = expression(c);
  return failed_ ? nullptr : std::move(e);
}

ExprPtr Builder::expression(P::ExpressionContext *c) {
  if (c->open && c->open->getType() == L::LET)
    return letExpression(c);
  if (c->open) {
    auto e = std::make_unique<IfExpr>(rangeOf(c));
    e->condition = expression(c->cond);
    e->thenValue = expression(c->yes);
    e->elseValue = expression(c->no);
    nest(*e, e->condition);
    nest(*e, e->thenValue);
    nest(*e, e->elseValue);
    return e;
  }
  ExprPtr first = condition(c->first);
  if (!c->dots)
    return first;
  if (!c->last) {
    error("syntax", rangeOf(c->dots), "outside of `[ ]`, a range needs an end")
        .note("as in `0..n`, which leaves out `n`");
    return first;
  }
  auto e = std::make_unique<RangeExpr>(rangeOf(c));
  e->begin = std::move(first);
  e->end = condition(c->last);
  nest(*e, e->begin);
  nest(*e, e->end);
  return e;
}

ExprPtr Builder::letExpression(P::ExpressionContext *c) {
  auto e = std::make_unique<LetExpr>(rangeOf(c));
  e->names = chosenNames(c->names);
  e->value = expression(c->value);
  nest(*e, e->value);
  if (c->body) {
    e->body = expression(c->body);
    nest(*e, e->body);
  } else {
    error("syntax", e->range, "inside an expression, `let` needs `in`")
        .note("as in `let y = f(x) in y + y`; without `in` it is an item of `where` or a statement");
  }
  return e;
}

ExprPtr Builder::condition(P::ConditionContext *c) {
  // Alternatives of `or`, each a chain of `and`, each a comparison.
  size_t at = 0;
  Joined any, all;
  while (true) {
    all.operands.push_back(comparison(c, at));
    const Token *op = at - 1 < c->ops.size() ? c->ops[at - 1] : nullptr;
    if (op && op->getType() == L::AND) {
      all.ops.push_back(op);
      continue;
    }
    any.operands.push_back(joined(std::exchange(all, {})));
    if (!op)
      return joined(std::move(any));
    any.ops.push_back(op);
  }
}

/// Conditions of which all, or one, must hold, from the first to the last. Many become a tree that is as deep as their
/// number has digits: which of them are asked, and in which order, is the same.
ExprPtr Builder::joined(Joined list) {
  constexpr size_t kFew = 64;
  auto &[operands, ops] = list;
  auto part = [&](auto &&self, size_t first, size_t end) -> ExprPtr {
    if (end - first > kFew) {
      size_t middle = first + (end - first) / 2;
      ExprPtr before = self(self, first, middle);
      return binary(std::move(before), self(self, middle, end), ops[middle - 1]);
    }
    ExprPtr e = std::move(operands[first]);
    for (size_t i = first + 1; i < end; ++i)
      e = binary(std::move(e), std::move(operands[i]), ops[i - 1]);
    return e;
  };
  return part(part, 0, operands.size());
}

/// The comparison that begins at `operand`, which is moved behind it.
ExprPtr Builder::comparison(P::ConditionContext *c, size_t &operand) {
  auto isComparison = [&](size_t i) {
    return i < c->ops.size() && c->ops[i]->getType() != L::AND && c->ops[i]->getType() != L::OR;
  };
  size_t first = operand++;
  if (!isComparison(first))
    return comparand(c->operands[first], true);
  const Token *op = c->ops[first];
  ExprPtr e = binary(comparand(c->operands[first], false), comparand(c->operands[first + 1], true), op);
  ++operand;
  if (isComparison(first + 1)) {
    const auto &between = c->operands[first + 1]->value->ops;
    auto bits = std::ranges::find_if(between, [](const Token *t) {
      return t->getType() == L::AMP || t->getType() == L::BAR || t->getType() == L::CARET;
    });
    if (bits != between.end()) { // which bind tighter than comparisons
      auto report =
          error("syntax", rangeOf(*bits), fmt::format("`{}` is of the bits of two ints", tokens_.textOf(*bits)));
      if ((*bits)->getType() != L::CARET)
        report.fixIt(rangeOf(*bits), (*bits)->getType() == L::BAR ? "or" : "and");
      report.note("conditions are joined by `and` and `or`");
    } else if (std::string_view word = tokens_.textOf(c->operands[first]->value->start); // op<toy.relu>(x)
               op->getType() == L::LT && c->ops[first + 1]->getType() == L::GT &&
               (word == "op" || word == "attr" || word == "type")) {
      SourceRange at = rangeOf(c->operands[first]->value->start);
      if (word == "op")
        error("syntax", at, "an op is written by its name alone").note("as in `toy.relu(x)`");
      else if (word == "attr")
        error("syntax", at, "an attribute is a literal by itself").note("as in `axis = 1` and `perm = [1, 0]`");
      else
        error("syntax", at, "a type is written by itself").note("as in `i32[]`, `f32[2, n]` and `x.type`");
    } else if (std::string_view called =
                   tokens_.textOf(c->operands[first]->value->stop); // rewriter.create<toy.relu>(x)
               op->getType() == L::LT && c->ops[first + 1]->getType() == L::GT &&
               (called == "create" || called == "build")) {
      SourceRange head = tokens_.rangeOf(c->operands[first]->value->start, c->ops[first + 1]);
      error("syntax", head, "an op is built by its name alone").fixIt(head, textOf(rangeOf(c->operands[first + 1])));
    } else {
      error("syntax", rangeOf(c->ops[first + 1]), "comparisons do not chain").note("as in `a < b and b < c`");
    }
    while (isComparison(operand - 1))
      ++operand;
  }
  // `not a == b` denies the whole comparison.
  const auto &nots = c->operands[first]->nots;
  for (size_t i = nots.size(); i-- > 0;)
    e = negate(std::move(e), UnaryOp::Not, nots[i]);
  return e;
}

ExprPtr Builder::comparand(P::ComparandContext *c, bool withNots) {
  size_t at = 0;
  ExprPtr e = arithmetic(c->value, at, 0);
  if (c->is) {
    auto test = std::make_unique<IsExpr>(join(e->range, rangeOf(c->pattern)));
    test->opRange = rangeOf(c->is);
    test->value = std::move(e);
    test->match = match(c->pattern);
    nest(*test, test->value);
    nest(*test, test->match);
    e = std::move(test);
  }
  if (withNots)
    for (size_t i = c->nots.size(); i-- > 0;)
      e = negate(std::move(e), UnaryOp::Not, c->nots[i]);
  return e;
}

ExprPtr Builder::negate(ExprPtr operand, UnaryOp op, const Token *token) {
  if (operand->depth >= kMaxNesting && saidTooDeep_)
    return operand;
  auto e = std::make_unique<UnaryExpr>(join(rangeOf(token), operand->range));
  e->op = op;
  e->opRange = rangeOf(token);
  e->operand = std::move(operand);
  nest(*e, e->operand);
  return e;
}

ExprPtr Builder::binary(ExprPtr lhs, ExprPtr rhs, const Token *op) {
  // A chain that is too long already has been reported; it must not grow further.
  if (lhs->depth >= kMaxNesting && saidTooDeep_)
    return lhs;
  auto e = std::make_unique<BinaryExpr>(join(lhs->range, rhs->range));
  e->op = *binaryOp(op->getType());
  e->opRange = rangeOf(op);
  e->lhs = std::move(lhs);
  e->rhs = std::move(rhs);
  nest(*e, e->lhs);
  nest(*e, e->rhs);
  return e;
}

/// The operators of `level` and tighter, beginning at `at`, which is moved behind the last operand taken.
ExprPtr Builder::arithmetic(P::ArithmeticContext *c, size_t &at, int level) {
  if (level == kOperandLevel || c->ops.empty())
    return operand(c->operands[at++]);
  ExprPtr e = arithmetic(c, at, level + 1);
  while (at - 1 < c->ops.size() && arithmeticLevel(c->ops[at - 1]->getType()) == level) {
    const Token *op = c->ops[at - 1];
    ExprPtr rhs = arithmetic(c, at, level + 1);
    e = binary(std::move(e), std::move(rhs), op);
  }
  return e;
}

ExprPtr Builder::operand(P::OperandContext *c) {
  ExprPtr e = atom(c);
  for (P::TailContext *t : c->tails)
    e = tail(std::move(e), t);
  if (c->stated) {
    if (CallExpr *built = e->as<CallExpr>()) {
      built->statedType = type(c->stated);
      built->range = join(built->range, rangeOf(c->stated));
    } else {
      error("misplaced", rangeOf(c->stated), "`-> type` states the type of an op that is built here")
          .note("as in `reshape(x, shape = s) -> f32[m, n]`");
    }
  }
  size_t signs = c->minus.size();
  if (signs && c->tails.empty() && e->as<IntExpr>() && e->get<IntExpr>().value == INT64_MIN) {
    e->range = join(rangeOf(c->minus[signs - 1]), e->range);
    --signs;
  }
  for (size_t i = signs; i-- > 0;)
    e = negate(std::move(e), UnaryOp::Neg, c->minus[i]);
  return e;
}

ExprPtr Builder::atom(P::OperandContext *c) {
  if (c->list)
    return listExpression(c->list);
  if (c->tuple)
    return tupleExpression(c->tuple);
  SourceRange range = rangeOf(c->atom);
  switch (c->atom->getType()) {
  case L::INT: {
    auto e = std::make_unique<IntExpr>(range);
    // The least number has no positive counterpart.
    bool least = !c->minus.empty() && c->tails.empty() && tokens_.textOf(c->atom) == "9223372036854775808";
    e->value = intOf(c->atom, least);
    return e;
  }
  case L::FLOAT: {
    auto e = std::make_unique<FloatExpr>(range);
    e->value = floatOf(c->atom);
    return e;
  }
  case L::STRING: {
    auto e = std::make_unique<StringExpr>(range);
    e->value = stringOf(c->atom);
    return e;
  }
  case L::IDENT: {
    auto e = std::make_unique<NameExpr>(range);
    e->name = nameOf(c->atom);
    return e;
  }
  default: {
    auto e = std::make_unique<BoolExpr>(range);
    e->value = c->atom->getType() == L::TRUE;
    return e;
  }
  }
}

ExprPtr Builder::listExpression(P::ListExprContext *c) {
  if (!c->sources.empty())
    return comprehension(expression(c->elements[0]), c->sources, c->filter, rangeOf(c), false);
  auto e = std::make_unique<ListExpr>(rangeOf(c));
  for (P::ExpressionContext *element : c->elements) {
    e->elements.push_back(expression(element));
    nest(*e, e->elements.back());
    findLostComma(element);
  }
  return e;
}

/// `[1 -1, 0]` and `max(a -b, c)`: what has a space before it and none behind it looks like the sign of an element of
/// its own, and `[p [0]]` like two lists.
void Builder::findLostComma(P::ExpressionContext *c) {
  if (c->open || c->dots)
    return;
  auto isBehindSpace = [&](const Token *t) {
    const size_t at = t->getStartIndex();
    return at && std::isspace(static_cast<unsigned char>(tokens_.text[at - 1]));
  };
  auto isSign = [&](const Token *t) {
    const size_t behind = t->getStopIndex();
    return t->getType() == L::MINUS && isBehindSpace(t) && behind < tokens_.text.size() &&
           !std::isspace(static_cast<unsigned char>(tokens_.text[behind]));
  };
  for (P::ComparandContext *operand : c->first->operands) {
    bool lost = std::ranges::any_of(operand->value->ops, isSign);
    for (P::OperandContext *part : operand->value->operands)
      lost = lost || std::ranges::any_of(part->tails, [&](P::TailContext *tail) {
               return !tail->member && tail->open->getType() == L::LBRACK && isBehindSpace(tail->open);
             });
    if (lost)
      lostCommas_.push_back(rangeOf(operand->value));
  }
}

ExprPtr Builder::tupleExpression(P::TupleExprContext *c) {
  if (c->elements.size() == 1 && !c->elements[0]->spread) {
    ExprPtr e = expression(c->elements[0]->value);
    e->parenthesized = true;
    return e;
  }
  auto e = std::make_unique<TupleExpr>(rangeOf(c));
  for (P::TupleElementContext *element : c->elements) {
    if (element->stated)
      error("misplaced", rangeOf(element->stated),
            "`-> type` states the type of an op that is built, or of a parameter of a region")
          .note("as in `body = (rest... -> xs.type) => rest`");
    if (element->spread) {
      e->spread.resize(e->elements.size());
      e->spread.push_back(true);
    }
    e->elements.push_back(expression(element->value));
    nest(*e, e->elements.back());
  }
  return e;
}

ExprPtr Builder::tail(ExprPtr object, P::TailContext *c) {
  if (object->depth >= kMaxNesting && saidTooDeep_)
    return object;
  SourceRange range = join(object->range, rangeOf(c));
  if (c->member) {
    auto e = std::make_unique<MemberExpr>(range);
    e->object = std::move(object);
    e->member = nameOf(c->member);
    nest(*e, e->object);
    return e;
  }
  if (c->open->getType() == L::LPAREN)
    return call(std::move(object), c);
  auto e = std::make_unique<IndexExpr>(range);
  e->object = std::move(object);
  nest(*e, e->object);
  for (P::IndexContext *i : c->indexes) {
    IndexArg arg;
    arg.range = rangeOf(i);
    if (i->begin && i->begin->dots) {
      arg.slice = true;
      arg.begin = condition(i->begin->first);
      if (i->begin->last)
        arg.end = condition(i->begin->last);
    } else if (i->begin) {
      arg.begin = expression(i->begin);
    } else {
      arg.slice = true;
      if (i->end)
        arg.end = condition(i->end);
    }
    nest(*e, arg.begin);
    nest(*e, arg.end);
    e->args.push_back(std::move(arg));
  }
  return e;
}

/// The `x` of `x[0]` and `x[0][1]`.
static const NameExpr *nameOfList(const Expr *e) {
  const IndexExpr *index = e->as<IndexExpr>();
  if (!index)
    return nullptr;
  while (const IndexExpr *inner = index->object->as<IndexExpr>())
    index = inner;
  return index->object->as<NameExpr>();
}

ExprPtr Builder::call(ExprPtr callee, P::TailContext *c) {
  auto e = std::make_unique<CallExpr>(join(callee->range, rangeOf(c)));
  MemberExpr *member = callee->as<MemberExpr>();
  if (NameExpr *name = callee->as<NameExpr>())
    e->callee.name = std::move(name->name);
  else if (NameExpr *dialect = member ? member->object->as<NameExpr>() : nullptr) {
    e->callee.dialect = std::move(dialect->name);
    e->callee.name = std::move(member->member);
  } else if (const NameExpr *list = nameOfList(callee.get())) {
    e->callee.name = {list->name.text + "[...]", callee->range};
    e->callee.range = callee->range;
    e->target = std::move(callee);
    nest(*e, e->target);
  } else if (member && c->args.empty() &&
             (member->member.text == "size" || member->member.text == "length" || member->member.text == "len" ||
              member->member.text == "count")) // x.shape.size()
    error("syntax", e->range, "how many elements a list has is `len`")
        .fixIt(e->range, fmt::format("len({})", textOf(member->object->range)));
  else
    error("syntax", callee->range, "only what has a name can be called").note("as in `f(x)`");
  if (callee)
    e->callee.range = callee->range;
  for (P::ArgContext *a : c->args) {
    if (!a->sources.empty() && c->args.size() > 1)
      error("misplaced", rangeOf(a), "a comprehension without brackets is the only argument of a call")
          .note("among others it stands in brackets: `[… for … in …]`");
    e->args.push_back(argument(a));
    nest(*e, e->args.back().value);
  }
  return e;
}

CallArg Builder::argument(P::ArgContext *c) {
  CallArg arg;
  arg.range = rangeOf(c);
  if (c->any) {
    arg.form = CallArg::Form::Attrs;
    arg.value = expression(c->named);
    return arg;
  }
  arg.value = expression(c->value);
  if (!c->named && !c->side && c->sources.empty())
    findLostComma(c->value);
  if (c->each) {
    arg.form = CallArg::Form::Each;
  } else if (c->spread) {
    arg.form = CallArg::Form::Spread;
  } else if (c->named && c->body) {
    arg.name = plainName(*arg.value, "left of `=` stands the name of a region");
    arg.value = region(c);
  } else if (c->named) {
    arg.name = plainName(*arg.value, "left of `=` stands the name of an attribute; values are compared with `==`");
    arg.value = expression(c->named);
  } else if (c->side) {
    arg.form = CallArg::Form::Side;
    arg.name = plainName(*arg.value, "left of `=>` stands a name for the other operands of the chain");
    arg.value = expression(c->side);
  } else if (!c->sources.empty()) {
    arg.value = comprehension(std::move(arg.value), c->sources, c->filter, rangeOf(c), true);
  }
  return arg;
}

/// The operand that an expression is, if it is nothing else.
static P::OperandContext *onlyOperand(P::ExpressionContext *c) {
  if (c->open || c->dots || !c->first->ops.empty())
    return nullptr;
  P::ComparandContext *only = c->first->operands[0];
  if (!only->nots.empty() || only->is || !only->value->ops.empty())
    return nullptr;
  P::OperandContext *operand = only->value->operands[0];
  return operand->minus.empty() && operand->tails.empty() ? operand : nullptr;
}

/// `(a -> x.type, rest...)`, left of the `=>` of a region.
std::vector<RegionExpr::Param> Builder::regionParams(P::ExpressionContext *c) {
  std::vector<RegionExpr::Param> params;
  P::OperandContext *list = onlyOperand(c);
  if (!list || !list->tuple || list->stated) {
    error("syntax", rangeOf(c), "left of the `=>` of a region stand its parameters, in parentheses")
        .note("as in `body = (a, b) => add(a, b)`");
    return params;
  }
  for (P::TupleElementContext *element : list->tuple->elements) {
    P::OperandContext *name = onlyOperand(element->value);
    if (!name || !name->atom || name->atom->getType() != L::IDENT || (name->stated && element->spread)) {
      error("syntax", rangeOf(element), "a parameter of a region is a name, and its type if that has to be stated")
          .note("as in `a`, `a -> x.type` or `rest... -> xs.type`");
      continue;
    }
    RegionExpr::Param &param = params.emplace_back();
    param.name = nameOf(name->atom);
    param.range = rangeOf(element);
    param.list = element->spread != nullptr;
    if (P::TypeExprContext *stated = element->spread ? element->stated : name->stated)
      param.type = type(stated);
  }
  return params;
}

/// `body = (a -> x.type) => relu(a)`
ExprPtr Builder::region(P::ArgContext *c) {
  auto e = std::make_unique<RegionExpr>(join(rangeOf(c->named), rangeOf(c->body)));
  e->paramRange = rangeOf(c->named);
  e->params = regionParams(c->named);
  e->result = expression(c->body);
  nest(*e, e->result);
  return e;
}

ExprPtr Builder::comprehension(ExprPtr element, const std::vector<P::ForInContext *> &sources,
                               P::ExpressionContext *filter, SourceRange range, bool bare) {
  auto e = std::make_unique<ComprehensionExpr>(range);
  e->element = std::move(element);
  e->bare = bare;
  nest(*e, e->element, sources.size()); // each `for` is a loop inside the one before
  for (P::ForInContext *s : sources) {
    e->sources.push_back({chosenNames(s->names), expression(s->source)});
    nest(*e, e->sources.back().list);
  }
  if (filter) {
    e->filter = expression(filter);
    nest(*e, e->filter, sources.size());
  }
  return e;
}

Name Builder::plainName(const Expr &e, const char *message) {
  if (const NameExpr *name = e.as<NameExpr>(); name && !e.parenthesized)
    return name->name;
  error("syntax", e.range, message);
  return {};
}

} // namespace rw::parse
