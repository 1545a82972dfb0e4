#include "frontend/check/op_clauses.h"

#include "frontend/check/expressions.h"
#include "frontend/check/operand_types.h"
#include "frontend/check/passes.h"
#include "frontend/check/rounding.h"
#include "frontend/check/string_choices.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

static std::vector<MessagePiece> message(BodyContext &b, const std::vector<ast::MessagePart> &parts) {
  std::vector<MessagePiece> out;
  for (const ast::MessagePart &part : parts) {
    MessagePiece &piece = out.emplace_back();
    piece.text = part.text;
    if (!part.value)
      continue;
    piece.value = checkExpr(b, *part.value);
    Type type = piece.value->type;
    if (type.kind == TypeKind::Op || type.kind == TypeKind::Chain || type.kind == TypeKind::Value)
      b.c.error("type-mismatch", part.value->range, fmt::format("a message cannot show {}", toString(type)))
          .note("it shows types, shapes, numbers and words: `{x.type}`");
  }
  return out;
}

/// Variables of an op: operands come first, attributes behind them (declare.cpp).
static VarId attrVar(const Op &op, size_t index) { return VarId(uint32_t(op.operands.size() + index)); }

/// An attribute declared as a choice of strings: the `require` that it is one of them.
static Require isOneOf(const Op &op, uint32_t index) {
  const OpAttrDecl &attr = op.attrs[index];
  auto make = [&](ExprKind kind, Type type) {
    Expr e;
    e.kind = kind;
    e.type = type;
    e.range = attr.range;
    return e;
  };
  Expr value = make(ExprKind::Var, TypeKind::String);
  value.id = attrVar(op, index).raw;
  Require out;
  out.range = attr.range;
  Expr choices = make(ExprKind::List, Type::list(TypeKind::String));
  for (const std::string &choice : attr.choices)
    choices.args.emplace_back(make(ExprKind::String, TypeKind::String)).text = choice;
  out.condition = make(ExprKind::Builtin, TypeKind::Bool);
  out.condition.builtin = Builtin::Contains;
  out.condition.args = {std::move(choices), value};
  out.message.push_back({fmt::format("`{}` must be {}, not \"", attr.name, listOfChoices(attr.choices, "or")), {}});
  out.message.push_back({"", value});
  out.message.push_back({"\"", {}});
  return out;
}

/// The types of the results: `type x.type, y.type`, or in parentheses, as they are stated on right sides. `(x.dtype,
/// x.shape)` is one type.
static std::vector<const ast::Expr *> writtenTypes(const ast::OpDecl &decl, size_t results) {
  std::vector<const ast::Expr *> types;
  const auto *tuple = decl.types.size() == 1 && results > 1 ? decl.types[0]->as<ast::TupleExpr>() : nullptr;
  if (tuple && tuple->elements.size() == results) {
    const auto *member = tuple->elements[0]->as<ast::MemberExpr>();
    if (results > 2 || tuple->elements[0]->as<ast::TupleExpr>() || (member && member->member.text == "type")) {
      for (const ast::ExprPtr &type : tuple->elements)
        types.push_back(type.get());
      return types;
    }
  }
  for (const ast::ExprPtr &type : decl.types)
    types.push_back(type.get());
  return types;
}

static void checkTypes(CheckContext &c, BodyContext &b, Op &op, const ast::OpDecl &decl) {
  if (decl.types.empty()) {
    auto open = std::ranges::find(op.results, Arity::Variadic, &OpResultDecl::arity);
    if (open != op.results.end() && !decl.means.empty())
      c.error("missing-type", open->range ? open->range : op.nameRange,
              fmt::format("how many results `{}` has is open, and does not follow from what it means", op.name))
          .note(decl.means.front()->name.range, "it means this")
          .note("a `type` clause says how many there are, and their types: `type [x.type for i in 0..n];`");
    return;
  }
  std::vector<const ast::Expr *> types = writtenTypes(decl, op.results.size());
  if (types.size() != op.results.size()) {
    Report report = c.error("result-count", decl.typesRange,
                            fmt::format("`{}` has {}, but this gives {}", op.name, counted(op.results.size(), "result"),
                                        counted(types.size(), "type")));
    if (op.results.size() == 1 && types.size() == 2)
      report.note(fmt::format("an element type and a shape are a type in parentheses: `({}, {})`",
                              c.textOf(types[0]->range), c.textOf(types[1]->range)));
    else if (op.results.size() > 1)
      report.note("the types of several results are separated by commas: `type x.type, (x.dtype, x.shape);`");
    return;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    bool variadic = i < op.results.size() && op.results[i].arity == Arity::Variadic;
    // A list of types, where one is asked for: the type of the tuple of them.
    bool list = types[i]->as<ast::ListExpr>() || types[i]->as<ast::ComprehensionExpr>();
    op.types.push_back(checkExprAs(b, *types[i], Type(TypeKind::Type, variadic || list),
                                   variadic ? "the types of a variadic result" : "the type of a result"));
  }
}

void checkOp(CheckContext &c, Op &op, const ast::OpDecl &decl) {
  BodyContext b(c, op.body);
  b.of = BodyOf::Op;
  checkOperandTypes(b, op, decl);
  b.allow = Allow::Pure;
  // Defaults see operands and earlier attributes.
  BodyContext early(c, op.body, op.operands.size());
  for (size_t i = 0; i < decl.attrs.size(); early.enter(attrVar(op, i++))) {
    if (!decl.attrs[i].defaultValue)
      continue;
    op.attrs[i].defaultValue = checkExprAs(early, *decl.attrs[i].defaultValue, typeOf(op.attrs[i].type),
                                           [&] { return fmt::format("the default of `{}`", op.attrs[i].name); });
    roundLiterals(early, *op.attrs[i].defaultValue);
    checkChoice(
        early, *op.attrs[i].defaultValue, op.attrs[i].choices, [&] { return inBackticks(op.attrs[i].name); },
        op.attrs[i].range);
  }
  for (uint32_t i = 0; i < op.attrs.size(); ++i)
    if (!op.attrs[i].choices.empty())
      op.requires_.push_back(isOneOf(op, i));
  for (const ast::Require &require : decl.requires_) {
    Require &out = op.requires_.emplace_back();
    out.range = require.range;
    out.condition = checkCondition(b, *require.condition, "what `require` asks");
    out.message = message(b, require.message);
  }
  b.inTypeClause = true;
  checkTypes(c, b, op, decl);
  b.inTypeClause = false;
  for (const ast::Fold &fold : decl.folds) {
    FoldRule &out = op.folds.emplace_back();
    out.range = fold.value->range;
    out.value = checkExpr(b, *fold.value);
    if (!out.value.type.isError() && !out.value.type.is(TypeKind::Value) && !out.value.type.is(TypeKind::Tensor))
      c.error("type-mismatch", out.value.range,
              fmt::format("an op folds to an operand or a constant, not to {}", toString(out.value.type)))
          .note("as in `fold x if is_identity(perm);` and `fold splat(0, x.type) if n == 0;`");
    if (fold.condition)
      out.condition = checkCondition(b, *fold.condition, "what `fold ... if` asks");
  }
  if (!decl.folds.empty() && op.results.size() != 1)
    c.error("result-count", decl.folds[0].value->range,
            fmt::format("only an op with one result folds; `{}` has {}", op.name, op.results.size()));
}

void checkCanonicalize(CheckContext &c, Op &op, const ast::OpDecl &decl) {
  for (const ast::QualifiedName &name : decl.canonicalize)
    if (PatternIndex pattern = patternNamed(c, name)) {
      if (std::ranges::find(op.canonicalize, pattern) != op.canonicalize.end())
        c.error("duplicate-name", name.range, fmt::format("`{}` is named twice", name.spelling()));
      op.canonicalize.push_back(pattern);
    }
}

} // namespace rw::sema
