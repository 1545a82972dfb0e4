#include "frontend/check/suggestions.h"

#include "frontend/check/implicit_conversions.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/value_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

void addHint(const BodyContext &b, Report &report, const Expr &e, Type wanted) {
  bool said = false;
  std::string name = e.kind == ExprKind::Var ? b.body.var(e.var()).name : "x";
  TypeKind from = e.type.lists ? TypeKind::Error : e.type.kind;
  if (wanted.is(TypeKind::Value)) {
    if (from == TypeKind::Chain)
      said = true, report.note(fmt::format("`{}(x)` puts the ops of the chain on x", name));
    else if (e.type == Type::list(TypeKind::Value))
      said = true,
      report.note(
          fmt::format("these are several values: `{0}...` stands where an op takes many, `{0}[0]` is the first", name));
    else if (e.kind == ExprKind::Native)
      said = true, report.note(fmt::format("`{}` answers true or false: it stands in the `where`",
                                           b.c.module.native(e.native()).name));
    else if ((from == TypeKind::Int || from == TypeKind::Float || from == TypeKind::Bool) && b.allow == Allow::Builds)
      said = true, report.note(fmt::format("`splat({}, x.type)` is a constant like x all of whose elements are that",
                                           b.c.textOf(e.range)));
    else if (from == TypeKind::Type)
      said = true, report.note("a type is stated behind `->`: `f(x) -> x.type`");
  } else if (from == TypeKind::Value && wanted.is(TypeKind::Type)) {
    said = true, report.note(fmt::format("`{}.type` is the type of a value", name));
  } else if (from == TypeKind::Value && wanted.is(TypeKind::DType)) {
    said = true,
    report.note(fmt::format("`{0}.dtype` is the element type of a value, `{0}.type` its whole type", name));
  } else if (from == TypeKind::Value && wanted == Type::list(TypeKind::Dim)) {
    said = true, report.note(fmt::format("`{}.shape` is the shape of a value", name));
  } else if (from == TypeKind::Value && wanted == Type::list(TypeKind::Int)) {
    said = true, report.note(fmt::format("`{}.ints` are the elements of a constant of integers", name));
  } else if (from == TypeKind::DType && wanted.is(TypeKind::Type)) {
    said = true, report.note("a type has a shape, too: `(x.dtype, x.shape)`");
  } else if (from == TypeKind::Type && wanted == Type::list(TypeKind::Type)) {
    said = true, report.note("a list of one type is written `[x.type]`");
  } else if (e.type == Type::list(TypeKind::Attr) && wanted.isList()) {
    std::string list = b.c.textOf(e.range);
    said = true, report.note(fmt::format(
                     "its elements are of any kind: each is compared by itself, `any(a == 1 for a in {})`", list));
  } else if (e.type.kind == TypeKind::Dim && wanted == Type(TypeKind::Float, e.type.lists)) {
    said = true,
    report.note(
        "a size becomes an int where it is a number, and that a float: `1.0 * number(d)` with `fn number(d: dim) "
        "-> int = d;`");
  } else if (wanted.lists == e.type.lists + 1 && convertible(e.type, wanted.element())) {
    said = true, report.note("a list of one element is written in brackets");
  }
  if (!said)
    report.note(exampleOf(wanted));
}

void sayWhyValue(const BodyContext &b, Report &report, VarId id) {
  if (auto it = b.whyValue.find(id.raw); it != b.whyValue.end())
    report.note(it->second.range, it->second.text);
}

bool reportNamedOperand(BodyContext &b, const Op &op, const ast::Name &name, SourceRange arg) {
  if (op.attrNamed(name.text) >= 0) // for which the operand stands
    return false;
  bool isOperand = std::ranges::find(op.operands, name.text, &Operand::name) != op.operands.end();
  if (!isOperand || std::ranges::find(op.attrs, name.text, &OpAttrDecl::name) != op.attrs.end())
    return false;
  b.error("named-argument", arg,
          fmt::format("`{}` is an operand of `{}`: operands are given by place", name.text, op.fullName()))
      .note(fmt::format("leave out the `{} =`; names are for attributes", name.text));
  b.implied.push_back(name.text);
  return true;
}

bool isNamedMatch(const Op &op, const ast::MatchArg &arg) {
  return arg.attr && arg.match->kind == ast::MatchKind::Op && op.attrNamed(arg.attr.text) < 0;
}

bool reportColonAttribute(BodyContext &b, const Op &op, const ast::Match &written) {
  const auto *named = written.as<ast::BindMatch>();
  if (!named || op.attrNamed(named->name.text) < 0)
    return false;
  bool isLiteral = named->inner->kind == ast::MatchKind::Literal || named->inner->kind == ast::MatchKind::List;
  const ast::Name *word = isLiteral ? nullptr : unknownType(b, *named->inner); // `perm: p`
  if (!isLiteral && !word)
    return false;
  b.error("named-argument", written.range,
          fmt::format("`{}` is an attribute of `{}`: what it is stands behind `=`", named->name.text, op.fullName()))
      .fixIt({named->name.range.end, named->inner->range.begin}, " = ");
  b.implied.push_back(named->name.text);
  if (word) {
    VarId id = b.declare(word->text, word->range, TypeKind::Error, VarKind::Bound);
    b.setBound(id, Bound::Yes);
    b.use(id);
  }
  return true;
}

bool reportIndexedAttribute(BodyContext &b, const Op &op, const ast::CallArg &arg) {
  const auto *index = arg.value ? arg.value->as<ast::IndexExpr>() : nullptr;
  const auto *name = index ? index->object->as<ast::NameExpr>() : nullptr;
  if (!name || arg.form != ast::CallArg::Form::Plain || b.find(name->name.text))
    return false;
  auto attr = std::ranges::find(op.attrs, name->name.text, &OpAttrDecl::name);
  if (attr == op.attrs.end())
    return false;
  SourceRange behind{name->range.end, name->range.end};
  b.error("named-argument", arg.range,
          fmt::format("`{}` is an attribute of `{}`: it is given by `=`", attr->name, op.fullName()))
      .fixIt(behind, " = ");
  return true;
}

bool reportUnnamedAttribute(BodyContext &b, const Op &op, const std::vector<std::string_view> &given, SourceRange arg) {
  for (const OpAttrDecl &attr : op.attrs) {
    if (!attr.required() || std::ranges::find(given, attr.name) != given.end())
      continue;
    b.error("operand-count", arg,
            fmt::format("`{}` has {}; its attribute `{}` is given by name", op.fullName(), operandCount(op), attr.name))
        .note(fmt::format("write `{} = ...`", attr.name))
        .note(attr.range, fmt::format("`{}` is declared here", attr.name));
    b.implied.push_back(attr.name);
    return true;
  }
  return false;
}

void sayWhereBound(const BodyContext &b, Report &report, std::string_view name) {
  for (const Var &v : b.body.vars)
    if (v.name == name && !v.type.isError() && !b.putInVars.contains(uint32_t(&v - b.body.vars.data()))) {
      report.note(
          v.range,
          v.kind == VarKind::Loop || v.kind == VarKind::Let
              ? fmt::format("`{}` is bound here, for the expression it stands in alone", name)
          : b.defining || b.names->of ? fmt::format("`{}` is bound here, by another case or for a test alone", name)
          : v.kind == VarKind::Attr || v.kind == VarKind::Operand
              ? fmt::format("`{}` is declared here: a default looks at operands and at attributes above it", name)
              : fmt::format("`{}` is bound here, for this test alone: inside `not` and `or` a name may stay unbound",
                            name));
      return;
    }
  if (b.find(std::string(name) + ".params"))
    report.note(fmt::format("`{0}` is a region: `{0}.params` and `{0}.results` are lists of values", name));
  else if (b.symbolsBind)
    report.note(
        fmt::format("a dimension is named by standing alone, before it is computed with: `f32[{0}, 2 * {0}]`", name));
  else if (name == "float" || name == "int")
    report.note(fmt::format("of a class of element types ask `is_{}(x.dtype)`", name == "int" ? "integer" : name));
  else if (name == "erase" || name == "replace" || name == "update")
    report.note(fmt::format("to `{}` an op, say which: {}", name,
                            name == "erase"    ? "`erase d`"
                            : name == "update" ? "`update d { perm = p }`"
                                               : "`replace d with x`"));
  else
    sayWhatElse(b.c, report, name);
}

} // namespace rw::sema
