#include "frontend/check/operand_types.h"

#include "frontend/check/value_types.h"

#include <fmt/format.h>

namespace rw::sema {
namespace {
/// Makes the conditions of one operand.
class OperandType {
public:
  /// `one`: of a variadic operand, the variable that stands for each of them.
  OperandType(Op &op, size_t operand, VarId one, std::string spelling)
      : op_(op), operand_(operand), one_(one), range_(op.operands[operand].range), spelling_(std::move(spelling)) {
    // Each of its conditions says the whole type: one of thousands of dimensions would be millions of characters.
    if (spelling_.size() > kMaxSpelling)
      spelling_ = spelling_.substr(0, spelling_.find_last_of(",([ ", kMaxSpelling) + 1) + "...";
  }

  void lower(const TypeMatch &type) {
    if (!type.elements.empty())
      return tuple(type);
    if (type.dtypeClass == DTypeClass::Exactly)
      ask(binary(BinaryOp::Eq, property(Property::DType, TypeKind::DType), *type.dtype));
    else if (type.dtypeClass != DTypeClass::Any)
      ask(builtin(type.dtypeClass == DTypeClass::Float ? Builtin::IsFloat : Builtin::IsInteger,
                  property(Property::DType, TypeKind::DType)));
    if (type.singleElement)
      ask(builtin(Builtin::SingleElement, value()));
    if (type.equals)
      ask(binary(BinaryOp::Eq, element_ ? *element_ : property(Property::Type, TypeKind::Type), *type.equals));
    if (type.dims)
      dims(*type.dims);
  }

private:
  static constexpr size_t kMaxSpelling = 300;

  Expr make(ExprKind kind, Type type, std::vector<Expr> args) const {
    Expr e;
    e.kind = kind;
    e.type = type;
    e.range = range_;
    e.args = std::move(args);
    return e;
  }
  Expr declared() const { // operands are the first variables
    Expr e = make(ExprKind::Var, Type(TypeKind::Value, one_ ? 1 : 0), {});
    e.id = uint32_t(operand_);
    return e;
  }
  Expr value() const {
    if (!one_)
      return declared();
    Expr e = make(ExprKind::Var, TypeKind::Value, {});
    e.id = one_.raw;
    return e;
  }
  Expr property(Property property, Type type) const { return propertyOf(subject(), property, type); }
  Expr propertyOf(Expr value, Property property, Type type) const {
    Expr e = make(ExprKind::Property, type, {std::move(value)});
    e.property = property;
    return e;
  }
  Expr number(int64_t i) const {
    Expr e = make(ExprKind::Int, TypeKind::Int, {});
    e.i = i;
    return e;
  }
  Expr binary(BinaryOp op, Expr a, Expr b) const {
    bool arithmetic = op == BinaryOp::Sub;
    Expr e = make(ExprKind::Binary, arithmetic ? a.type : Type(TypeKind::Bool), {std::move(a), std::move(b)});
    e.binary = op;
    return e;
  }
  Expr builtin(Builtin which, Expr a) const {
    Expr e = make(ExprKind::Builtin, TypeKind::Bool, {std::move(a)});
    e.builtin = which;
    return e;
  }
  /// What the type is asked of: the value, or inside a tuple type an element of it.
  Expr subject() const { return element_ ? *element_ : value(); }
  void tuple(const TypeMatch &type) {
    Expr elements = property(Property::Type, Type::list(TypeKind::Type));
    Expr length = make(ExprKind::Builtin, TypeKind::Int, {elements});
    length.builtin = Builtin::Len;
    ask(binary(BinaryOp::Eq, std::move(length), number(int64_t(type.elements.size()))));
    std::optional<Expr> outer = std::move(element_);
    for (size_t i = 0; i < type.elements.size(); ++i) {
      element_ = make(ExprKind::Index, TypeKind::Type, {elements, number(int64_t(i))});
      lower(type.elements[i]);
    }
    element_ = std::move(outer);
  }
  void ask(Expr condition) {
    Require &r = op_.requires_.emplace_back();
    r.range = range_;
    if (one_) {
      Expr each = make(ExprKind::Comprehension, Type::list(TypeKind::Bool), {std::move(condition), declared()});
      each.loopVars = {one_};
      r.condition = builtin(Builtin::All, std::move(each));
      r.message.push_back(
          {fmt::format("each of the operands `{}` must be {}", op_.operands[operand_].name, spelling_), {}});
      return;
    }
    r.condition = std::move(condition);
    r.message.push_back({fmt::format("the operand `{}` must be {}, not ", op_.operands[operand_].name, spelling_), {}});
    r.message.push_back({"", propertyOf(value(), Property::Type, TypeKind::Type)});
  }
  /// A dimension, counted from the end behind a rest.
  Expr place(size_t index, size_t count, bool fromEnd) const {
    return fromEnd ? binary(BinaryOp::Sub, property(Property::Rank, TypeKind::Int), number(int64_t(count - index)))
                   : number(int64_t(index));
  }
  void dims(const std::vector<DimMatch> &list) {
    size_t rests = 0;
    for (const DimMatch &d : list)
      rests += d.rest;
    if (!rests || list.size() > rests) // `[...]` alone is any shape
      ask(binary(rests ? BinaryOp::Ge : BinaryOp::Eq, property(Property::Rank, TypeKind::Int),
                 number(int64_t(list.size() - rests))));
    bool behind = false;
    for (size_t i = 0; i < list.size(); ++i) {
      const DimMatch &d = list[i];
      Type type = d.rest ? Type::list(TypeKind::Dim) : Type(TypeKind::Dim);
      Expr shape = property(Property::Shape, Type::list(TypeKind::Dim));
      Expr here =
          d.rest ? make(ExprKind::Slice, type, {std::move(shape), number(int64_t(i)), place(i + 1, list.size(), true)})
                 : make(ExprKind::Index, type, {std::move(shape), place(i, list.size(), behind)});
      behind |= d.rest;
      if (d.value) {
        ask(binary(BinaryOp::Eq, std::move(here), *d.value));
      } else if (d.var.use == Use::Bind) {
        if (one_) { // what the first one has, and each of the others
          Expr first = make(ExprKind::Index, TypeKind::Value, {declared(), number(0)});
          Expr known = make(ExprKind::Var, type, {});
          known.id = d.var.var.raw;
          ask(binary(BinaryOp::Eq, here, std::move(known)));
          replaceValue(here, first);
        }
        op_.dimensions.push_back({d.var.var, std::move(here)});
      } else if (d.var) {
        Expr known = make(ExprKind::Var, type, {});
        known.id = d.var.var.raw;
        ask(binary(BinaryOp::Eq, std::move(here), std::move(known)));
      }
    }
  }

  /// Puts `by` where the variable for each operand stands.
  void replaceValue(Expr &e, const Expr &by) const {
    if (e.kind == ExprKind::Var && e.id == one_.raw)
      e = Expr(by);
    else
      for (Expr &arg : e.args)
        replaceValue(arg, by);
  }

  Op &op_;
  size_t operand_;
  VarId one_;
  SourceRange range_;
  std::string spelling_;
  std::optional<Expr> element_;
};
} // namespace

/// `k: int` among the operands is a tensor of any integer type, and as a rule meant as an attribute.
static void warnOfNumber(CheckContext &c, const ast::Param &operand) {
  const auto *word = operand.type->as<ast::NamedType>();
  if (!word || word->hasDims || word->name.dialect ||
      (word->name.name.text != "int" && word->name.name.text != "float"))
    return;
  const std::string &kind = word->name.name.text;
  c.warning("number-operand", word->range,
            fmt::format("the operand `{}` is a tensor of any {} type, not a number", operand.name.text,
                        kind == "int" ? "integer" : "float"))
      .note(fmt::format("a number is an attribute, which stands in the braces: `{{ attr {}: {}; }}`", operand.name.text,
                        kind))
      .note(fmt::format("if a tensor is meant, `{}[...]` says so", kind));
}

void checkOperandTypes(BodyContext &b, Op &op, const ast::OpDecl &decl) {
  for (size_t i = 0; i < decl.operands.size(); ++i) {
    Match match;
    b.allow = Allow::Matches;
    matchType(b, *decl.operands[i].type, match);
    if (!op.imported)
      warnOfNumber(b.c, decl.operands[i]);
    if (match.types.empty())
      continue;
    TypeMatch &type = match.types.front();
    if (type.dtypeClass == DTypeClass::Any && !type.dims && !type.singleElement && !type.equals &&
        type.native.empty() && type.elements.empty())
      continue;
    if (!type.native.empty())
      b.error("native-outside-pattern", type.range, "a constraint looks at the program, so only patterns may call it");
    else {
      VarId one;
      if (op.operands[i].arity == Arity::Variadic) {
        size_t scope = b.openScope();
        one = b.declare("each", op.operands[i].range, TypeKind::Value, VarKind::Loop);
        b.closeScope(scope);
      }
      OperandType(
          op, i, one,
          std::string(b.c.sources.text(b.c.sources.fileOf(type.range.begin))
                          .substr(b.c.sources.offsetOf(type.range.begin), type.range.end.raw - type.range.begin.raw)))
          .lower(type);
    }
    op.operands[i].type = std::move(type);
  }
}

} // namespace rw::sema
