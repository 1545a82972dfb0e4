// What to say beside an error: what a name that does not fit here is elsewhere, and how a value becomes what is asked
// for.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

void Checker::sayWhatElse(Report &report, std::string_view name) const {
  auto say = [&](SourceRange at, std::string text) {
    at ? report.note(at, std::move(text)) : report.note(std::move(text));
  };
  if (auto it = opsByName_.find(name); it != opsByName_.end())
    return say(module.op(it->second.front()).nameRange,
               fmt::format("`{0}` is an op: where one is meant, its operands are written, `{0}(..)`", name));
  if (FnIndex fn = fnNamed(name))
    return say(module.fn(fn).nameRange,
               fmt::format("`{}` is a function: it is called in conditions, and right of `=>`", name));
  if (NativeIndex id = nativeNamed(name)) {
    const Native &native = module.native(id);
    return say(native.nameRange, native.isConstraint
                                     ? fmt::format("`{}` is a constraint: it stands in the `where`", name)
                                     : fmt::format("`{}` builds ops: it is called right of `=>`", name));
  }
  if (auto it = matchers.find(name); it != matchers.end())
    return say(declOf(it->second.front()).nameRange,
               fmt::format("`{}` is a named match: it stands on left sides, and right of `is`", name));
  if (auto it = rewrites.find(name); it != rewrites.end())
    return say(declOf(it->second.front()).nameRange,
               fmt::format("`{}` builds ops: it is called right of `=>`; a left side is named by `match`", name));
  if (auto it = groups.find(name); it != groups.end())
    return say(declOf(it->second.front()).nameRange,
               fmt::format("`{}` stands for ops: in heads, chains and `for` clauses", name));
  if (auto it = patterns.find(name); it != patterns.end())
    return say(declOf(it->second.front()).nameRange,
               fmt::format("`{0}` is a pattern; a pass runs patterns: `pass p {{ {0}; }}`", name));
  if (auto it = passes.find(name); it != passes.end())
    return say(declOf(it->second.front()).nameRange,
               fmt::format("`{0}` is a pass; a pipeline runs passes: `pipeline p = {0}, dce;`", name));
  if (auto it = pipelines.find(name); it != pipelines.end())
    return say(declOf(it->second.front()).nameRange, fmt::format("`{}` is a pipeline", name));
  for (const Pattern &pattern : module.patterns)
    if (std::ranges::find(pattern.labels, name) != pattern.labels.end())
      return say(pattern.nameRange,
                 fmt::format("`{0}` is a label: `pass p = label \"{0}\";` runs the patterns that have it", name));
  for (std::string_view member : {"shape", "rank", "dtype", "type", "size", "ints", "floats", "value", "uses"})
    if (member == name)
      return say({}, fmt::format("`{0}` is a member of values: `x.{0}`", name));
  for (const BuiltinInfo &builtin : builtins())
    if (builtin.name == name)
      return say(
          {}, fmt::format("`{}` is a function of the language: it is called in conditions, and right of `=>`", name));
  if (std::string_view ours = wordOfOthers(name); !ours.empty())
    say({}, std::string(ours));
}

/// How what is asked for is written.
std::string exampleOf(Type wanted) {
  if (wanted.lists > 1)
    return "a list of lists stands in brackets twice, `[[1, 2], [3]]`; `[[i, i] for i in list]` makes one";
  if (wanted.isList())
    return wanted == Type::list(TypeKind::Dim) ? "a shape is `x.shape`, or a list of dimensions: `[2, n]`"
           : wanted == Type::list(TypeKind::Value)
               ? "several values are a list: `[x, y]`, or what `xs...` has bound"
               : "a list stands in brackets, `[a, b]`; each element of one is made by `[i + 1 for i in list]`";
  switch (wanted.kind) {
  case TypeKind::Int:
    return "an int is a number without a point, `3`, or what counts: `x.rank`, `len(list)`";
  case TypeKind::Float:
    return "a float is a number with a point: `0.5`";
  case TypeKind::Bool:
    return "what is true or false compares or asks: `n == 0`, `has(b)`";
  case TypeKind::String:
    return "a string stands in quotes: `\"max\"`";
  case TypeKind::DType:
    return "an element type is `f32`, `i64` and the like, or `x.dtype`";
  case TypeKind::Dim:
    return "a dimension is a number, a name of a shape on the left, or `x.shape[0]`";
  case TypeKind::Type:
    return "a type is `x.type`, `f32[2, n]` or `(x.dtype, x.shape)`";
  case TypeKind::Tensor:
    return "a tensor is `c.value` of a constant, or made by `splat(0, x.type)` and `constant(list, type)`";
  case TypeKind::Value:
    return "a value is what a name on the left stands for, or what is built right of `=>`";
  case TypeKind::Op:
    return "an op is named on the left: `d: relu(x)`";
  default:
    return "what is asked for is said where it is declared";
  }
}

void BodyChecker::hint(Report &report, const Expr &e, Type wanted) const {
  bool said = false;
  std::string name = e.kind == ExprKind::Var ? body.var(e.var()).name : "x";
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
                                           c.module.native(e.native()).name));
    else if ((from == TypeKind::Int || from == TypeKind::Float || from == TypeKind::Bool) && allow == Allow::Builds)
      said = true, report.note(fmt::format("`splat({}, x.type)` is a constant like x all of whose elements are that",
                                           c.textOf(e.range)));
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
    std::string list = c.textOf(e.range);
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

/// Of a name for a value, where an op was asked for.
void BodyChecker::sayWhyValue(Report &report, VarId id) const {
  if (auto it = whyValue_.find(id.raw); it != whyValue_.end())
    report.note(it->second.range, it->second.text);
}

/// A name of an op's match or build that is one of its operands, not an attribute.
bool BodyChecker::namedOperand(const Op &op, const ast::Name &name, SourceRange arg) {
  if (op.attrNamed(name.text) >= 0) // for which the operand stands
    return false;
  bool isOperand = std::ranges::find(op.operands, name.text, &Operand::name) != op.operands.end();
  if (!isOperand || std::ranges::find(op.attrs, name.text, &OpAttrDecl::name) != op.attrs.end())
    return false;
  c.error("named-argument", arg,
          fmt::format("`{}` is an operand of `{}`: operands are given by place", name.text, op.fullName()))
      .note(fmt::format("leave out the `{} =`; names are for attributes", name.text));
  implied_.push_back(name.text);
  return true;
}

/// `y = relu(x)` of a match, for `y: relu(x)`.
bool BodyChecker::isNamedMatch(const Op &op, const ast::MatchArg &arg) {
  return arg.attr && arg.match->kind == ast::MatchKind::Op && op.attrNamed(arg.attr.text) < 0;
}

/// `k: 1` of a match, for `k = 1`.
bool BodyChecker::colonAttribute(const Op &op, const ast::Match &written) {
  const auto *named = written.as<ast::BindMatch>();
  if (!named || op.attrNamed(named->name.text) < 0)
    return false;
  bool isLiteral = named->inner->kind == ast::MatchKind::Literal || named->inner->kind == ast::MatchKind::List;
  const ast::Name *word = isLiteral ? nullptr : unknownType(*named->inner); // `perm: p`
  if (!isLiteral && !word)
    return false;
  c.error("named-argument", written.range,
          fmt::format("`{}` is an attribute of `{}`: what it is stands behind `=`", named->name.text, op.fullName()))
      .fixIt({named->name.range.end, named->inner->range.begin}, " = ");
  implied_.push_back(named->name.text);
  if (word) {
    VarId id = declare(word->text, word->range, TypeKind::Error, VarKind::Bound);
    setBound(id, Bound::Yes);
    use(id);
  }
  return true;
}

/// `perm[1, 0]` for `perm = [1, 0]`.
bool BodyChecker::indexedAttribute(const Op &op, const ast::CallArg &arg) {
  const auto *index = arg.value ? arg.value->as<ast::IndexExpr>() : nullptr;
  const auto *name = index ? index->object->as<ast::NameExpr>() : nullptr;
  if (!name || arg.form != ast::CallArg::Form::Plain || find(name->name.text))
    return false;
  auto attr = std::ranges::find(op.attrs, name->name.text, &OpAttrDecl::name);
  if (attr == op.attrs.end())
    return false;
  SourceRange behind{name->range.end, name->range.end};
  c.error("named-argument", arg.range,
          fmt::format("`{}` is an attribute of `{}`: it is given by `=`", attr->name, op.fullName()))
      .fixIt(behind, " = ");
  return true;
}

/// More operands than the op has, and an attribute that it needs is not there.
bool BodyChecker::unnamedAttribute(const Op &op, const std::vector<std::string_view> &given, SourceRange arg) {
  for (const OpAttrDecl &attr : op.attrs) {
    if (!attr.required() || std::ranges::find(given, attr.name) != given.end())
      continue;
    c.error("operand-count", arg,
            fmt::format("`{}` has {}; its attribute `{}` is given by name", op.fullName(), operandCount(op), attr.name))
        .note(fmt::format("write `{} = ...`", attr.name))
        .note(attr.range, fmt::format("`{}` is declared here", attr.name));
    implied_.push_back(attr.name);
    return true;
  }
  return false;
}

/// Names in what is not checked any further: they are not unbound as well.
void BodyChecker::bindNamesOf(const ast::Match &m) {
  auto bind = [&](const ast::Name &name) {
    if (!name || name.text == "_" || substituted(name.text))
      return;
    VarId id = find(name.text);
    if (!id)
      id = declare(name.text, name.range, TypeKind::Error, VarKind::Bound);
    setBound(id, Bound::Yes); // a parameter of a named match is found, and bound nowhere else
    use(id);
  };
  if (const auto *name = m.as<ast::NameMatch>())
    bind(name->name);
  if (const auto *rest = m.as<ast::RestMatch>())
    bind(rest->name);
  if (const auto *named = m.as<ast::BindMatch>()) {
    bind(named->name);
    bindNamesOf(*named->inner);
  }
  if (const auto *op = m.as<ast::OpMatch>())
    for (const ast::MatchArg &arg : op->args)
      bindNamesOf(*arg.match);
  if (const auto *region = m.as<ast::RegionMatch>())
    for (const auto *list : {&region->params, &region->results})
      for (const ast::MatchPtr &value : *list)
        bindNamesOf(*value);
  if (const auto *each = m.as<ast::EachMatch>())
    bindNamesOf(*each->inner);
  if (const auto *single = m.as<ast::SingleMatch>())
    bindNamesOf(*single->inner);
  if (const auto *constant = m.as<ast::ConstMatch>())
    bindNamesOf(*constant->inner);
  if (const auto *optional = m.as<ast::OptionalMatch>())
    bindNamesOf(*optional->inner);
  if (const auto *splat = m.as<ast::SplatMatch>())
    bindNamesOf(*splat->inner);
  if (const auto *list = m.as<ast::ListMatch>())
    for (const ast::MatchPtr &element : list->elements)
      bindNamesOf(*element);
  if (const auto *alternatives = m.as<ast::AlternativesMatch>())
    for (const ast::MatchPtr &alternative : alternatives->alternatives)
      bindNamesOf(*alternative);
}

/// A name that is bound, but where this place does not see it.
void BodyChecker::sayWhereBound(Report &report, std::string_view name) const {
  for (const Var &v : body.vars)
    if (v.name == name && !v.type.isError() && !putInVars_.contains(uint32_t(&v - body.vars.data()))) {
      report.note(
          v.range,
          v.kind == VarKind::Loop || v.kind == VarKind::Let
              ? fmt::format("`{}` is bound here, for the expression it stands in alone", name)
          : defining_ || names_->of ? fmt::format("`{}` is bound here, by another case or for a test alone", name)
          : v.kind == VarKind::Attr || v.kind == VarKind::Operand
              ? fmt::format("`{}` is declared here: a default looks at operands and at attributes above it", name)
              : fmt::format("`{}` is bound here, for this test alone: inside `not` and `or` a name may stay unbound",
                            name));
      return;
    }
  if (find(std::string(name) + ".params"))
    report.note(fmt::format("`{0}` is a region: `{0}.params` and `{0}.results` are lists of values", name));
  else if (symbolsBind_)
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
    c.sayWhatElse(report, name);
}

} // namespace rw::sema
