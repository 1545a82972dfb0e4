#include "frontend/check/value_types.h"

#include "frontend/check/bindings.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/members.h"
#include "frontend/check/names.h"
#include "frontend/check/unknown_names.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

namespace rw::sema {

static Expr checkDimension(BodyContext &b, const ast::Expr &e) {
  Expr out = checkExprAs(b, e, TypeKind::Dim, "a dimension");
  const Expr *number = &out;
  while (number->kind == ExprKind::Convert)
    number = &number->args[0];
  bool negative = number->kind == ExprKind::Neg && number->args[0].kind == ExprKind::Int;
  if (negative || (number->kind == ExprKind::Int && number->i < 0)) {
    b.error("bad-number", e.range, "a dimension is at least 0").note("`_` is any dimension, known or not");
    return b.errorExpr(e.range);
  }
  return out;
}

static void reportNoValueType(BodyContext &b, SourceRange range) {
  Report report = b.error("undefined-type", range, "no value has a list as its type");
  report.note(
      "a value has a tensor type, an element type and dimensions in brackets, or is a tuple of several: `(f32[m, "
      "k], i32)`");
  if (b.of == BodyOf::Op)
    report.note("a list of numbers is an attribute, which stands in the braces: `{ attr k: [int]; }`");
}

/// `y.type`, `y.dtype`, `y.shape`
static Expr checkPartOfValue(BodyContext &b, const ast::QualifiedName &name) {
  VarId id = b.find(name.dialect.text);
  if (!id) {
    b.error("unbound-name", name.dialect.range, fmt::format("`{}` is not bound here", name.dialect.text));
    return b.errorExpr(name.range);
  }
  Expr object = b.varExpr(id, name.dialect.range);
  if (object.type.is(TypeKind::Op))
    return checkOpMember(b, std::move(object), name.name);
  return object.type.isError() ? object : checkProperty(b, std::move(object), name.name);
}

/// `(f16, x.shape)`: an element type and a shape; none of a tuple of types.
static std::optional<Expr> checkTypeOfParts(BodyContext &b, const ast::TupleType &tuple, bool symbolsBind) {
  const auto *shape = tuple.elements.size() == 2 ? tuple.elements[1]->as<ast::NamedType>() : nullptr;
  const auto *dtype = shape ? tuple.elements[0]->as<ast::NamedType>() : nullptr;
  if (!dtype || !shape->name.dialect || shape->hasDims || shape->name.name.text != "shape" || dtype->hasDims)
    return std::nullopt;
  Expr element = dtype->name.dialect ? checkPartOfValue(b, dtype->name) : checkType(b, *dtype, symbolsBind);
  if (element.kind == ExprKind::MakeType && element.args.size() == 1)
    element = Expr(element.args[0]);
  std::vector<Expr> args;
  args.push_back(convert(b, std::move(element), TypeKind::DType, "an element type"));
  args.push_back(convert(b, checkPartOfValue(b, shape->name), Type::list(TypeKind::Dim), "the shape"));
  return b.make(ExprKind::MakeType, TypeKind::Type, tuple.range, std::move(args));
}

Expr joinLists(BodyContext &b, std::span<Expr> lists, SourceRange range) {
  constexpr size_t kMaxInARow = 64;
  auto both = [&](Expr lhs, Expr rhs) {
    Expr out = b.make(ExprKind::Binary, lhs.type, range);
    out.binary = BinaryOp::Concat;
    out.args.push_back(std::move(lhs));
    out.args.push_back(std::move(rhs));
    return out;
  };
  if (lists.size() > kMaxInARow)
    return both(joinLists(b, lists.first(lists.size() / 2), range),
                joinLists(b, lists.subspan(lists.size() / 2), range));
  Expr out = std::move(lists[0]);
  for (Expr &next : lists.subspan(1))
    out = both(std::move(out), std::move(next));
  return out;
}

Expr checkType(BodyContext &b, const ast::TypeExpr &type, bool symbolsBind) {
  if (const auto *tuple = type.as<ast::TupleType>()) {
    if (std::optional<Expr> pair = checkTypeOfParts(b, *tuple, symbolsBind))
      return std::move(*pair);
    Expr elements = b.make(ExprKind::List, Type::list(TypeKind::Type), type.range);
    for (const ast::TypePtr &element : tuple->elements)
      elements.args.push_back(checkType(b, *element, symbolsBind));
    return convert(b, std::move(elements), TypeKind::Type, "the type of a value");
  }
  const auto *named = type.as<ast::NamedType>();
  if (!named) {
    reportNoValueType(b, type.range);
    return b.errorExpr(type.range);
  }
  const std::string &word = named->name.name.text;
  Expr dtype = b.make(ExprKind::DType, TypeKind::DType, named->name.range);
  dtype.text = "?";
  if (named->name.dialect) {
    Expr object = checkPartOfValue(b, named->name); // `y.type`
    if (!named->hasDims)
      return convert(b, std::move(object), TypeKind::Type, "the type of a value");
    dtype = convert(b, std::move(object), TypeKind::DType, "an element type");
  } else if (VarId id = b.find(word)) {
    Expr object = b.varExpr(id, named->name.range);
    if (object.type.is(TypeKind::Type) && !named->hasDims)
      return object;
    dtype = convert(b, std::move(object), TypeKind::DType, "an element type");
  } else if (const ast::Expr *value = b.substituted(word)) {
    dtype = convert(b, checkExpr(b, *value), TypeKind::DType, "an element type");
  } else if (isDTypeName(word)) {
    dtype.text = word;
  } else if (word != "_" && word != "tensor") {
    Report report = b.error("undefined-type", named->name.range, fmt::format("no element type named `{}`", word));
    suggest(b.c, report, named->name.range, word, {dtypeNames().begin(), dtypeNames().end()});
    return b.errorExpr(type.range);
  }
  std::vector<Expr> args;
  args.push_back(std::move(dtype));
  if (!named->hasDims)
    return b.make(ExprKind::MakeType, TypeKind::Type, type.range, std::move(args));

  const Type dims = Type::list(TypeKind::Dim);
  std::vector<Expr> shape;
  shape.push_back(b.make(ExprKind::List, dims, type.range));
  for (const ast::TypeDim &dim : named->dims) {
    if (dim.form == ast::TypeDim::Form::Rest) {
      VarId id = b.find(dim.name.text);
      if (!id) {
        b.error("unbound-name", dim.range,
                symbolsBind ? "a test says every dimension, by a number or a name: `f32[2, B]`"
                            : "only dimensions that the left side bound can stand here");
        continue;
      }
      shape.push_back(convert(b, b.varExpr(id, dim.range), dims, "a list of dimensions"));
      continue;
    }
    Expr out = b.make(ExprKind::None, TypeKind::Dim, dim.range);
    if (dim.form == ast::TypeDim::Form::Value) {
      const auto *symbol = dim.value->as<ast::NameExpr>();
      if (symbolsBind && symbol && !b.find(symbol->name.text))
        b.use(b.declare(symbol->name, TypeKind::Dim, VarKind::Bound));
      b.symbolsBind = symbolsBind;
      out = checkDimension(b, *dim.value);
      b.symbolsBind = false;
    }
    if (shape.size() > 1)
      shape.push_back(b.make(ExprKind::List, dims, dim.range));
    shape.back().args.push_back(std::move(out));
  }
  args.push_back(joinLists(b, shape, type.range));
  return b.make(ExprKind::MakeType, TypeKind::Type, type.range, std::move(args));
}

/// What a word right of a colon asks of a value's element type; false if it is no such word.
static bool dtypeWord(std::string_view word, TypeMatch &out) {
  if (word == "_" || word == "tensor" || word == "value")
    return true;
  if (word == "float")
    return out.dtypeClass = DTypeClass::Float, true;
  if (word == "int")
    return out.dtypeClass = DTypeClass::Integer, true;
  return false;
}

static std::optional<TypeMatch> checkTypeAsked(BodyContext &b, const ast::TypeExpr &type);

void matchType(BodyContext &b, const ast::TypeExpr &type, Match &into) {
  if (std::optional<TypeMatch> out = checkTypeAsked(b, type))
    into.types.push_back(std::move(*out));
}

static std::optional<TypeMatch> checkTupleAsked(BodyContext &b, const ast::TupleType &tuple) {
  TypeMatch out;
  out.range = tuple.range;
  for (const ast::TypePtr &element : tuple.elements) {
    std::optional<TypeMatch> asked = checkTypeAsked(b, *element);
    if (asked && (!asked->native.empty() || asked->singleElement)) {
      b.error("type-mismatch", element->range,
              "this looks at a value; an element of a tuple is asked for its dtype and dimensions");
      asked.reset();
    }
    out.elements.push_back(asked ? std::move(*asked) : TypeMatch());
  }
  return out;
}

const ast::Name *unknownType(BodyContext &b, const ast::Match &m) {
  const auto *type = m.as<ast::TypeMatch>();
  const auto *named = type ? type->type->as<ast::NamedType>() : nullptr;
  if (!named || named->hasDims || named->name.dialect)
    return nullptr;
  const std::string &word = named->name.name.text;
  TypeMatch known;
  bool isKnown = dtypeWord(word, known) || word == "single_element" || isDTypeName(word) || nativeNamed(b.c, word) ||
                 b.find(word) || b.substituted(word);
  return isKnown ? nullptr : &named->name.name;
}

static std::optional<TypeMatch> checkTypeAsked(BodyContext &b, const ast::TypeExpr &type) {
  if (const auto *tuple = type.as<ast::TupleType>())
    return checkTupleAsked(b, *tuple);
  TypeMatch out;
  out.range = type.range;
  const auto *named = type.as<ast::NamedType>();
  if (!named) {
    reportNoValueType(b, type.range);
    return std::nullopt;
  }
  const std::string &word = named->name.name.text;
  bool plain = !named->name.dialect;
  if (plain && dtypeWord(word, out)) {
    // nothing more is known of the element type
  } else if (plain && word == "single_element" && !named->hasDims) {
    out.singleElement = true;
  } else if (NativeIndex id = plain && !named->hasDims ? nativeNamed(b.c, word) : NativeIndex()) {
    const Native &native = b.c.module.native(id);
    if (!native.isConstraint || native.params.size() != 1 || !native.params[0].is(TypeKind::Value)) {
      b.error("type-mismatch", named->name.range, fmt::format("`{}` is not a constraint on one value", word))
          .note(native.nameRange, fmt::format("`{}` is declared here", word));
      return std::nullopt;
    }
    out.native.push_back(id);
  } else if (!plain || b.find(word) || b.substituted(word) || isDTypeName(word)) {
    if (plain && isDTypeName(word) && !b.find(word)) {
      out.dtypeClass = DTypeClass::Exactly;
      out.dtype = b.make(ExprKind::DType, TypeKind::DType, named->name.range);
      out.dtype->text = word;
    } else {
      ast::NamedType head(named->range);
      head.name = named->name;
      Expr whole = checkType(b, head);
      if (whole.kind == ExprKind::MakeType) {
        out.dtypeClass = DTypeClass::Exactly;
        out.dtype = std::move(whole.args[0]);
      } else if (!whole.type.isError() && named->hasDims) {
        b.error("undefined-type", type.range, "a whole type has no further dimensions");
        return std::nullopt;
      } else if (!whole.type.isError()) {
        out.equals = std::move(whole);
      }
    }
  } else {
    std::vector<std::string_view> candidates(dtypeNames().begin(), dtypeNames().end());
    for (std::string_view more : {"float", "int", "tensor", "single_element"})
      candidates.push_back(more);
    for (const auto &native : b.c.natives)
      candidates.push_back(native.getKey());
    if (word == "const" || word == "single" || word == "each") {
      b.error("undefined-type", named->name.range,
              fmt::format("`{}` stands before a name or a match, not before a list", word))
          .note("the elements of a constant are compared in the `where`: `const c` and `c.ints == [-1]`; if all are "
                "one number, `splat(-1)` matches it");
      return std::nullopt;
    }
    Report report = b.error("undefined-type", named->name.range, fmt::format("no type or constraint named `{}`", word));
    if (std::string_view meant = dtypeOfOthers(word); !meant.empty()) {
      report.fixIt(named->name.range, std::string(meant));
      return std::nullopt;
    }
    suggest(b.c, report, named->name.range, word, candidates);
    if (nearestName(word, candidates).empty()) {
      sayWhatElse(b.c, report, word);
      const ast::QualifiedName name{{}, named->name.name, named->name.range};
      if (word == "s" || word == "c") // match.pd
        report.note(word == "s" ? "that a value has no other use is asked by `single x`"
                                : "operands of an op that is declared `commutative` match in either order");
      if (!namesOp(b.c, name) && !fnNamed(b.c, word) && !b.c.matchers.contains(word) && !b.c.groups.contains(word))
        report.note(
            "behind `x:` stands what is asked of the value, `x: f32[n]`, `x: float`, `d: relu(y)`; the name alone is "
            "any value, and an attribute is asked for by `=`");
      if (!b.find(word)) // perhaps it was meant to be a name
        b.use(b.declare(word, named->name.range, TypeKind::Error, VarKind::Bound));
    }
    return std::nullopt;
  }
  if (named->hasDims) {
    out.dims.emplace();
    size_t rests = 0;
    for (const ast::TypeDim &dim : named->dims) {
      DimMatch &d = out.dims->emplace_back();
      if (dim.form == ast::TypeDim::Form::Rest) {
        d.rest = true;
        if (++rests > 1)
          b.error("bad-rest", dim.range, "a shape has at most one `...`: with two, nobody could tell where one ends")
              .note("name the value, `x`, and look at parts of its shape in the `where`: `x.shape[0..2]`");
        if (dim.name)
          d.var = bindName(b, dim.name, Type::list(TypeKind::Dim), VarKind::Bound);
        continue;
      }
      if (dim.form == ast::TypeDim::Form::Any)
        continue;
      const auto *name = dim.value->as<ast::NameExpr>();
      VarId known = name ? b.find(name->name.text) : VarId{};
      if (name && !b.substituted(name->name.text) && (!known || b.var(known).type.is(TypeKind::Dim)))
        d.var = bindName(b, name->name, TypeKind::Dim, VarKind::Bound);
      else {
        b.inShapeAsked = true;
        d.value = checkDimension(b, *dim.value);
        b.inShapeAsked = false;
      }
    }
  }
  return out;
}

} // namespace rw::sema
