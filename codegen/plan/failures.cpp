#include "codegen/plan/failures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <fmt/format.h>

#include <algorithm>
#include <forward_list>

namespace rw::plan {
namespace {

using sema::BinaryOp;
using sema::Builtin;
using sema::Expr;
using sema::ExprKind;
using sema::Property;
using sema::TypeKind;

/// What may be the matter with an expression, in the order in which it is met.
class Causes {
public:
  explicit Causes(const sema::Module &module) : module_(module) {}

  void expr(const Expr &e, const sema::Body &body) {
    add(causeOf(e, body));
    if (e.kind == ExprKind::Call && std::ranges::find(calls_, e.id) == calls_.end()) {
      calls_.push_back(e.id);
      const sema::Fn &fn = module_.fn(e.fn());
      expr(fn.value, fn.body);
    }
    for (const Expr &arg : e.args)
      expr(arg, body);
  }
  llvm::SmallVector<std::string_view, 8> all;

private:
  void add(std::string_view cause) {
    if (!cause.empty() && std::ranges::find(all, cause) == all.end())
      all.push_back(cause);
  }
  /// What names something is made for it, and kept here.
  std::string_view made(std::string cause) { return made_.emplace_front(std::move(cause)); }

  std::string_view causeOf(const Expr &e, const sema::Body &body) {
    switch (e.kind) {
    case ExprKind::Var:
      return body.var(e.var()).mayBeUnbound ? made(fmt::format("`{}` is not there", body.var(e.var()).name)) : "";
    case ExprKind::Index:
      return "an index is outside of its list";
    case ExprKind::Slice:
      return "a part reaches beyond its list";
    case ExprKind::Range:
      return "a range is too long";
    case ExprKind::OpOperand:
    case ExprKind::OpAttr:
      return ofMember(e, body);
    case ExprKind::Neg:
      return e.type.is(TypeKind::Int) && e.args[0].kind != ExprKind::Int ? kTooLarge : "";
    case ExprKind::Binary:
      return ofOperator(e);
    case ExprKind::Builtin:
      return ofBuiltin(e);
    case ExprKind::Property:
      return ofProperty(e);
    case ExprKind::Convert:
      return ofConversion(e);
    default:
      return "";
    }
  }

  /// Of a matched op, whichever of several it is.
  std::string_view ofMember(const Expr &e, const sema::Body &body) {
    if (e.args[0].kind != ExprKind::Var)
      return "";
    for (sema::OpIndex id : body.var(e.args[0].var()).ops.ops) {
      const sema::Op &op = module_.op(id);
      if (size_t i = size_t(e.i); e.kind == ExprKind::OpAttr && i < op.attrs.size() && op.attrs[i].optional)
        return made(fmt::format("`{}` is left out", op.attrs[i].name));
      else if (e.kind == ExprKind::OpOperand && i < op.operands.size() && op.operands[i].arity == sema::Arity::Optional)
        return made(fmt::format("`{}` is left out", op.operands[i].name));
    }
    return "";
  }

  static std::string_view ofOperator(const Expr &e) {
    switch (e.binary) {
    case BinaryOp::Div:
    case BinaryOp::Mod:
      return e.type.is(TypeKind::Float) ? "" : "a divisor is 0";
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      return "a shift is by a number below 0, or too far";
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
      return e.type.is(TypeKind::Int) ? kTooLarge : "";
    case BinaryOp::Concat:
      return "";
    case BinaryOp::And:
    case BinaryOp::Or:
      return "";
    default:
      return e.args[0].type.kind == TypeKind::Dim ? "sizes are not known well enough to compare them" : "";
    }
  }

  static std::string_view ofBuiltin(const Expr &e) {
    switch (e.builtin) {
    case Builtin::MinOf:
    case Builtin::MaxOf:
      return "a list is empty";
    case Builtin::IndexOf:
      return "the list does not hold it";
    case Builtin::Broadcast:
    case Builtin::BroadcastAll:
      return "shapes do not provably stretch to one";
    case Builtin::Splat:
      return "the type has no known shape, or cannot hold the element";
    case Builtin::Constant:
      return "the type has no known shape, or another number of elements";
    case Builtin::Exactly:
      return "lists are not equally long";
    case Builtin::Zip:
      return "lists are not equally long";
    case Builtin::BitLength:
      return "a number is below 0";
    case Builtin::Bits:
      return "the element type has no number of bits";
    case Builtin::Sum:
    case Builtin::Product:
    case Builtin::Abs:
      return e.type.is(TypeKind::Int) ? kTooLarge : "";
    default:
      return "";
    }
  }

  static std::string_view ofProperty(const Expr &e) {
    switch (e.property) {
    case Property::Shape:
    case Property::Rank:
    case Property::Size:
      return "a rank is not known";
    case Property::DType:
      return "an element type is not known";
    case Property::Ints:
      return "it is no constant of ints";
    case Property::Floats:
      return "it is no constant of floats";
    case Property::Value:
      return "it is no constant";
    case Property::Type:
      return e.type.isList() ? "it is no tuple" : "";
    default:
      return "";
    }
  }

  static std::string_view ofConversion(const Expr &e) {
    const sema::Type &from = e.args[0].type;
    if (e.type.kind == TypeKind::Int && from.kind == TypeKind::Dim)
      return "a size is no number";
    if (from.is(TypeKind::Attr) && !e.type.is(TypeKind::Attr))
      return "an attribute is of another kind";
    return e.type.is(TypeKind::Tensor) && from.is(TypeKind::Value) ? "it is no constant" : "";
  }

  static constexpr const char *kTooLarge = "a number is beyond 64 bits";
  const sema::Module &module_;
  llvm::SmallVector<uint32_t, 8> calls_;
  std::forward_list<std::string> made_; // they stay where they are; mostly there are none
};

} // namespace

std::string computed(const Expr &e, const sema::Module &module, const sema::Body &body) {
  if (e.kind == ExprKind::Var)
    return body.var(e.var()).mayBeUnbound ? fmt::format("`{}` is there", body.var(e.var()).name) : "";
  Causes causes(module);
  causes.expr(e, body);
  // That a number is too large hardly ever is it.
  if (causes.all.size() > 1)
    llvm::erase_if(causes.all, [](std::string_view cause) { return cause == "a number is beyond 64 bits"; });
  if (causes.all.empty())
    return "";
  // Put together by hand: a pattern has as many of these as there are values on its right side.
  std::string out = "`";
  sema::addText(e, module, body, out);
  out += "` can be computed (it cannot where ";
  for (size_t i = 0; i < causes.all.size(); ++i) {
    if (i)
      out += i + 1 == causes.all.size() ? " or " : ", ";
    out += causes.all[i];
  }
  out += ')';
  return out;
}

std::string builtAgain(const Expr &e, const sema::Module &module, const sema::Body &body) {
  return fmt::format("`{}` can be built again from the parameters that the new region has",
                     sema::toString(e, module, body));
}
std::string effectsBuiltAgain() {
  return "ops with effects in the region can be built again from the parameters that the new one has";
}

} // namespace rw::plan
