#include "codegen/emit/expr_text.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

using sema::BinaryOp;
using sema::Builtin;
using sema::Expr;
using sema::ExprKind;
using sema::Property;
using sema::TypeKind;

std::string ExprEmitter::checked(std::string_view hint, std::string_view call) {
  std::string name = names.unique(hint);
  size_t before = out().mark();
  out().line("auto {} = {};", name, call);
  failIf("!" + name);
  checked_ = {"(*" + name + ")", std::string(call), before, out().mark(), out_};
  return checked_.text;
}

std::string ExprEmitter::uncheck(const std::string &text, size_t since) {
  if (checked_.in != out_ || checked_.begin < since || checked_.text != text || checked_.end != out().mark())
    return "";
  out().takeBack(checked_.begin);
  checked_.in = nullptr;
  return checked_.call;
}

std::string ExprEmitter::named(const Expr &e, std::string_view hint) {
  std::string text = value(e);
  if (isAtom(text))
    return text;
  std::string name = names.unique(hint);
  out().declare(e.type.isList() ? "auto" : cppType(e.type), name, bare(text));
  return name;
}

void ExprEmitter::failIf(std::string_view condition) {
  const std::string &leave = fail_.leave, &attempt = fail_.attempt, &why = fail_.why;
  const bool built = fail_.built;
  bool returns = leave == "return false;";
  if (attempt.empty())
    out().test(std::string(condition), leave);
  else if (returns)
    out().test(std::string(condition), fmt::format("return {}.{}({});", attempt, built ? "abandon" : "no", why));
  else
    out().test(fmt::format("{}.{}({}, {})", attempt, built ? "failsBuilt" : "fails", condition, why), leave);
}

void ExprEmitter::failUnless(std::string_view test) { out().test(fmt::format("!{}", test), fail_.leave); }

std::string ExprEmitter::captured(const Expr &e, Writer &statements, Evaluate evaluate) {
  statements.setDepth(out().depth() + 1);
  Writer *outer = std::exchange(out_, &statements);
  std::string text = evaluate ? (this->*evaluate)(e) : value(e);
  out_ = outer;
  return text;
}

std::string ExprEmitter::lambda(const Expr &e) {
  Writer inner;
  Fail fail = std::exchange(fail_, Fail{"return std::nullopt;", "", ""});
  std::string text = captured(e, inner), type = cppType(e.type);
  fail_ = std::move(fail);
  bool sole = checked_.in == &inner && checked_.text == text && checked_.begin == 0 && checked_.end == inner.mark();
  std::string call = std::exchange(checked_, {}).call;
  if (sole) // whose result may be none
    return fmt::format("std::optional<{}>({})", type, call);
  if (inner.empty())
    return fmt::format("std::optional<{}>({})", type, bare(text));
  inner.line("return {};", bare(text));
  std::string end(out().depth() * 2, ' ');
  return fmt::format("[&]() -> std::optional<{}> {{\n{}{}}}()", type, inner.take(), end);
}

/// A comprehension that builds ops, where failing goes on with a loop around it: in a lambda, which tells by itself why
/// it fails.
std::string ExprEmitter::builtList(const Expr &e) {
  Writer inner;
  Fail fail = fail_;
  fail_.leave = kLeaveLambda;
  ++lambdas_;
  std::string text = captured(e, inner), name = names.unique("list");
  --lambdas_;
  fail_ = std::move(fail);
  inner.line("return {};", bare(text));
  out().line("auto {} = [&]() -> std::optional<{}> {{\n{}{}}}();", name, cppType(e.type), inner.take(),
             std::string(out().depth() * 2, ' '));
  out().test("!" + name, fail_.leave);
  return "(*" + name + ")";
}

ExprEmitter::Because::Because(ExprEmitter &e, const Expr &expr) : e_(e) {
  if (!e_.fail_.ofWhole || plan::builds(expr))
    return;
  std::string why = e_.onFailure(expr);
  if (why.empty())
    return;
  outer_ = std::exchange(e_.fail_.why, std::move(why));
  e_.fail_.ofWhole = false;
}

ExprEmitter::Because::~Because() {
  if (!outer_)
    return;
  e_.fail_.why = std::move(*outer_);
  e_.fail_.ofWhole = true;
}

std::string ExprEmitter::value(const Expr &e) {
  Because because(*this, e);
  return valueOf(e);
}

std::string ExprEmitter::valueOf(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
    if (e.type.is(TypeKind::Dim))
      return fmt::format("Dim({})", e.i);
    return e.i == INT64_MIN ? "INT64_MIN" : fmt::format("{}", e.i);
  case ExprKind::Float:
    return floatLiteral(e.f);
  case ExprKind::Bool:
    return e.i ? "true" : "false";
  case ExprKind::String:
    return fmt::format("std::string_view({}, {})", cppString(e.text), e.text.size());
  case ExprKind::DType:
    return cppDType(e.text);
  case ExprKind::None:
    return e.type.is(TypeKind::Dim)                                   ? "Dim::unknown()"
           : e.type.is(TypeKind::Attr) || e.type.is(TypeKind::Tensor) ? "AttrId()"
                                                                      : "Value()";
  case ExprKind::List:
    return list(e);
  case ExprKind::Var:
    return variable(e);
  case ExprKind::Not:
    return negated(value(e.args[0]));
  case ExprKind::Neg: {
    if (e.args[0].kind == ExprKind::Int)
      return fmt::format("-{}", e.args[0].i);
    std::string a = value(e.args[0]);
    if (!e.type.is(TypeKind::Int))
      return "(-" + a + ")";
    std::string result = names.unique("negative");
    out().line("int64_t {};", result);
    failIf(fmt::format("negFails({}, {})", a, result));
    return result;
  }
  case ExprKind::Binary:
    return binary(e);
  case ExprKind::If:
    return ifElse(e, nullptr);
  case ExprKind::Let: {
    std::string name = names.unique(body.var(e.var()).name);
    std::string text = value(e.args[0]);
    out().line("auto {} = {};", name,
               e.args[0].type.isList() || !isAtom(text) ? fmt::format("{}({})", cppType(e.args[0].type), bare(text))
                                                        : text);
    bind(e.var(), {.text = name});
    return value(e.args[1]);
  }
  case ExprKind::Range: {
    std::string begin = value(e.args[0]), end = value(e.args[1]);
    return checked("range", fmt::format("range({}, {})", begin, end));
  }
  case ExprKind::Comprehension:
    return comprehension(e);
  case ExprKind::Index:
    return index(e);
  case ExprKind::Slice:
    return slice(e);
  case ExprKind::Call:
    return call(e);
  case ExprKind::Builtin:
    return builtin(e);
  case ExprKind::Native: {
    std::string args = ctx();
    for (const Expr &a : e.args)
      args += ", " + value(a);
    return fmt::format("{}({})", refs.native(e.native()), args);
  }
  case ExprKind::Property:
    return property(e);
  case ExprKind::OpOperand:
  case ExprKind::OpAttr:
  case ExprKind::OpResult:
    return opMember(e);
  case ExprKind::OpRegion: {
    std::string op = named(e.args[0], "matched"), name = names.unique("region");
    out().line("RegionId {} = regionOf({}, {});", name, op, e.i);
    failIf("!" + name);
    return name;
  }
  case ExprKind::Convert:
    return convert(e);
  case ExprKind::MakeType: {
    std::string dtype = value(e.args[0]);
    if (e.args.size() == 1)
      return fmt::format("{}.unrankedType({})", ctx(), dtype);
    std::string dims = named(e.args[1], "dims");
    return fmt::format("{}.tensorType({}, std::span<const Dim>({}))", ctx(), dtype, dims);
  }
  case ExprKind::Is:
    return onIs(e);
  case ExprKind::Build:
    return onBuild(e);
  }
  return "";
}

std::string ExprEmitter::variable(const Expr &e) {
  const VarText &v = vars_[e.var().raw];
  if (v.text.empty()) { // no way the match went binds it
    failIf("true");
    return cppType(e.type) + "()";
  }
  if (v.maybe)
    failIf("!" + v.text);
  return v.deref ? "(*" + v.text + ")" : v.text;
}

std::string ExprEmitter::list(const Expr &e) {
  std::string elements;
  for (const Expr &a : e.args) {
    std::string text = value(a);
    if (a.type.isList())
      text = fmt::format("{}({})", cppType(a.type), text);
    elements += (elements.empty() ? "" : ", ") + text;
  }
  std::string name = names.unique("list");
  out().line("{} {}{{{}}};", cppType(e.type), name, elements);
  return name;
}

std::string ExprEmitter::binary(const Expr &e) {
  switch (e.binary) {
  case BinaryOp::And:
  case BinaryOp::Or:
    return lazy(e);
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return comparison(e);
  case BinaryOp::Concat: {
    std::string a = named(e.args[0], "head"), b = named(e.args[1], "tail");
    if (joinMayFail(e))
      failIf(fmt::format("!joinFits({}.size(), {}.size())", a, b));
    std::string name = names.unique("joined");
    if (e.type.isList())
      out().line("{} {} = concat<{}>({}, {});", cppType(e.type), name, cppElement(e.type), a, b);
    else
      out().line("{} {} = joinedText(ctx, {}, {});", cppType(e.type), name, a, b);
    return name;
  }
  default:
    return arithmetic(e);
  }
}

std::string ExprEmitter::ifElse(const Expr &e, Evaluate branch) {
  std::string condition = value(e.args[0]);
  Writer thenStatements, elseStatements;
  std::string yes = captured(e.args[1], thenStatements, branch), no = captured(e.args[2], elseStatements, branch);
  if (thenStatements.empty() && elseStatements.empty() && !e.type.isList())
    return fmt::format("({} ? {} : {})", condition, yes, no);
  std::string name = names.unique("chosen");
  out().line("{} {}{{}};", cppType(e.type), name);
  out().open(fmt::format("if ({}) {{", bare(condition)));
  out().append(std::move(thenStatements));
  out().line("{} = {};", name, bare(yes));
  out().close("} else {");
  out().indent();
  out().append(std::move(elseStatements));
  out().line("{} = {};", name, bare(no));
  out().close("}");
  return name;
}

std::string ExprEmitter::arithmetic(const Expr &e) {
  std::string a = value(e.args[0]), b = value(e.args[1]);
  static constexpr std::string_view verbs[] = {"add", "sub", "mul", "div",       "mod",
                                               "",    "",    "",    "shiftLeft", "shiftRight"};
  static constexpr std::string_view results[] = {"sum", "difference", "product", "quotient", "remainder",
                                                 "",    "",           "",        "shifted",  "shifted"};
  static constexpr std::string_view dimVerbs[] = {"add", "sub", "mul"};
  unsigned which = unsigned(e.binary) - unsigned(BinaryOp::Add);
  if (e.binary >= BinaryOp::BitAnd && e.binary <= BinaryOp::BitXor)
    return fmt::format("(int64_t({}) {} int64_t({}))", a, sema::spelling(e.binary), b);
  if (e.type.is(TypeKind::Int)) {
    std::string name = names.unique(results[which]);
    out().line("int64_t {};", name);
    failIf(fmt::format("{}Fails({}, {}, {})", verbs[which], a, b, name));
    return name;
  }
  if (e.type.is(TypeKind::Dim)) {
    if (which < 3)
      return fmt::format("{}.dims().{}({}, {})", ctx(), dimVerbs[which], a, b);
    return checked(results[which], fmt::format("{}({}, {}, {})", which == 3 ? "divide" : "modulo", ctx(), a, b));
  }
  if (e.binary == BinaryOp::Mod)
    return fmt::format("std::fmod({}, {})", a, b);
  return fmt::format("({} {} {})", a, sema::spelling(e.binary), b);
}

std::string ExprEmitter::index(const Expr &e) {
  std::string list = named(e.args[0], "list"), i = named(e.args[1], "i");
  failIf(fmt::format("!inRange({}, {}.size())", i, list));
  return fmt::format("{}[size_t({})]", list, i);
}

std::string ExprEmitter::slice(const Expr &e) {
  std::string list = named(e.args[0], "list");
  std::string begin = e.args[1].kind == ExprKind::None ? "int64_t(0)" : named(e.args[1], "begin");
  std::string end =
      e.args[2].kind == ExprKind::None ? fmt::format("int64_t({}.size())", list) : named(e.args[2], "end");
  failIf(fmt::format("!sliceFits({}, {}, {}.size())", begin, end, list));
  std::string name = names.unique("part");
  out().line("{} {} = {}({}).subspan(size_t({}), size_t({} - {}));", cppParam(e.type), name, cppParam(e.type), list,
             begin, end, begin);
  return name;
}

std::string ExprEmitter::callText(const Expr &e) {
  std::string args = ctx();
  for (const Expr &a : e.args)
    args += ", " + (a.type.isList() ? named(a, "list") : bare(value(a)));
  return fmt::format("{}({})", refs.fn(e.fn()), args);
}

std::string ExprEmitter::call(const Expr &e) {
  std::string text = callText(e);
  return checked(refs.module().fn(e.fn()).name, text);
}

// Types, ops, conversions -----------------------------------------------------------------------------------------

/// The TypeId of a value, type, tensor or op.
std::string ExprEmitter::typeText(const Expr &e) {
  std::string text = value(e);
  switch (e.type.kind) {
  case TypeKind::Type:
    return text;
  case TypeKind::Tensor:
  case TypeKind::Attr:
    return fmt::format("typeOfTensor({}, {})", ctx(), text);
  case TypeKind::Op:
    return fmt::format("typeOf({}.result())", text);
  default:
    return fmt::format("typeOf({})", text);
  }
}

std::string ExprEmitter::property(const Expr &e) {
  const Expr &of = e.args[0];
  auto ask = [&](std::string_view hint, std::string_view fn) {
    std::string type = typeText(of);
    return checked(hint, fmt::format("{}({}, {})", fn, ctx(), type));
  };
  auto constant = [&] {
    std::string text = value(of);
    return of.type.is(TypeKind::Value) ? fmt::format("constantOf({})", text) : text;
  };
  switch (e.property) {
  case Property::Shape:
    return ask("shape", "shapeOf");
  case Property::Rank:
    return ask("rank", "rankOf");
  case Property::DType:
    return ask("dtype", "dtypeOf");
  case Property::Size:
    return ask("size", "sizeOf");
  case Property::Type: {
    if (e.type.isList())
      return ask("elements", "tupleElements");
    std::string type = typeText(of);
    if (of.type.is(TypeKind::Type))
      return type;
    std::string name = names.unique("type");
    out().line("TypeId {} = {};", name, type);
    failIf("!" + name);
    return name;
  }
  case Property::Ints: {
    std::string text = constant();
    return checked("ints", fmt::format("intsOfTensor({}, {})", ctx(), text));
  }
  case Property::Floats: {
    std::string text = constant();
    return checked("floats", fmt::format("floatsOfTensor({}, {})", ctx(), text));
  }
  case Property::Contents:
  case Property::Sizes: {
    std::string text = value(of);
    return checked("known", fmt::format("contentsOf({}, {})", text, e.property == Property::Sizes));
  }
  case Property::Value: {
    std::string text = constant(), name = names.unique("constant");
    out().line("AttrId {} = {};", name, text);
    failIf("!" + name);
    return name;
  }
  case Property::Uses:
    return fmt::format("usesOf({})", value(of));
  case Property::Name:
    return fmt::format("{}.schema().name", value(of));
  case Property::Dialect:
    return fmt::format("{}.schema().dialect", value(of));
  case Property::Operands:
    return fmt::format("operandsOf({0}, 0, {0}.operandCount())", value(of));
  case Property::Results:
    return fmt::format("resultsOf({})", value(of));
  case Property::AttributeNames:
    return fmt::format("attrNamesOf({})", value(of));
  case Property::Attributes:
    return fmt::format("attrsOf({})", value(of));
  }
  return "";
}

/// One operand of an op; none if it is left out.
static std::string operandText(const std::string &op, const Expr &e) {
  return e.behindVariadic ? fmt::format("firstOf(operandGroupOf({}, {}))", op, e.i)
                          : fmt::format("{}.operand({})", op, e.i);
}

std::string ExprEmitter::opMember(const Expr &e) {
  std::string op = named(e.args[0], "matched");
  switch (e.kind) {
  case ExprKind::OpOperand: {
    if (e.type.isList())
      return fmt::format("operandGroupOf({}, {})", op, e.i);
    std::string name = names.unique("operand");
    out().line("Value {} = {};", name, operandText(op, e));
    failIf("!" + name);
    return name;
  }
  case ExprKind::OpResult:
    if (e.type.isList())
      return fmt::format("resultGroupOf({}, {})", op, e.i);
    if (e.mayLack) {
      std::string name = names.unique("result");
      out().line("Value {} = {}.result();", name, op);
      failIf("!" + name);
      return name;
    }
    return e.i < 0 ? fmt::format("{0}.result({0}.resultCount() - {1})", op, -e.i)
                   : fmt::format("{}.result({})", op, e.i);
  default:
    break;
  }
  std::string attr = fmt::format("{}.attrOrDefault({})", op, e.i);
  if (e.type.is(TypeKind::Attr))
    return checked("attribute", fmt::format("attrAs<AttrId>({}, {})", ctx(), attr));
  if (e.type.is(TypeKind::Tensor)) {
    std::string name = names.unique("tensor");
    out().line("AttrId {} = tensorAttr({}, {});", name, ctx(), attr);
    failIf("!" + name);
    return name;
  }
  return checked("attribute", fmt::format("attrAs<{}>({}, {})", cppAttrView(e.type), ctx(), attr));
}

std::string ExprEmitter::orAbsent(const Expr &e) {
  if (!plan::mayBeAbsent(e, body))
    return value(e);
  switch (e.kind) {
  case ExprKind::None:
    return "Value()";
  case ExprKind::Var:
    return vars_[e.var().raw].text.empty() ? "Value()" : vars_[e.var().raw].text;
  case ExprKind::If:
    return ifElse(e, &ExprEmitter::orAbsent);
  default:
    break;
  }
  std::string op = named(e.args[0], "matched");
  return e.kind == ExprKind::OpOperand ? operandText(op, e) : fmt::format("{}.attrOrDefault({})", op, e.i);
}

std::string ExprEmitter::convert(const Expr &e) {
  const Expr &from = e.args[0];
  sema::Type to = e.type;
  if (from.type == to || from.type.kind == TypeKind::Never)
    return from.type == to ? value(from) : fmt::format("{}()", cppType(to));
  if (to.is(TypeKind::Dim) && from.kind == ExprKind::Int && from.i >= 0)
    return fmt::format("Dim({})", from.i);
  if (to.is(TypeKind::Float) && from.kind == ExprKind::Int)
    return floatLiteral(double(from.i));
  if (to.is(TypeKind::Attr)) {
    if (from.kind == ExprKind::Var && !vars_[from.var().raw].attr.empty())
      return attribute(from, sema::AttrType::Any);
    std::string text = from.type.isList() ? named(from, "list") : value(from);
    if (from.type.is(TypeKind::Tensor))
      return text;
    if (from.type.is(TypeKind::Float)) // rounded only where an op gets it
      return fmt::format("{}.elementAttr({})", ctx(), bare(text));
    return fmt::format("makeAttr({}, {}({}))", ctx(), cppParam(from.type), text);
  }
  if (from.type.is(TypeKind::Attr)) {
    std::string text = value(from);
    if (to.is(TypeKind::Tensor)) {
      std::string name = names.unique("tensor");
      out().line("AttrId {} = tensorAttr({}, {});", name, ctx(), text);
      failIf("!" + name);
      return name;
    }
    return checked("attribute", fmt::format("attrAs<{}>({}, {})", cppAttrView(to), ctx(), text));
  }
  if (to.is(TypeKind::Value) && from.type.is(TypeKind::Tensor))
    return onConstant(e);
  if (to.is(TypeKind::Tensor)) {
    std::string text = value(from), name = names.unique("constant");
    out().line("AttrId {} = constantOf({});", name, text);
    failIf("!" + name);
    return name;
  }
  if (to.is(TypeKind::Type)) { // of a tuple
    std::string elements = named(from, "elements");
    return checked("tuple", fmt::format("tupleTypeOf({}, ListOf<TypeId>({}))", ctx(), elements));
  }
  if (to.isList() && to.lists == 1) {
    std::string list = named(from, "list");
    if (to.kind == TypeKind::Dim)
      return checked("dims", fmt::format("dimsFrom({})", list));
    if (to.kind == TypeKind::Int)
      return checked("ints", fmt::format("intsFrom({})", list));
    return fmt::format("floatsFrom({})", list);
  }
  std::string text = named(from, "number");
  if (to.is(TypeKind::Dim))
    return checked("dim", fmt::format("dimOf({})", text));
  if (to.is(TypeKind::Float))
    return fmt::format("double({})", text);
  if (to.is(TypeKind::Int)) {
    failIf(fmt::format("!{}.isNumber()", text));
    return fmt::format("{}.value()", text);
  }
  return text;
}

std::string ExprEmitter::attribute(const Expr &e, sema::AttrType type) {
  if (e.kind == ExprKind::None)
    return "AttrId()";
  if (e.kind == ExprKind::Var && !vars_[e.var().raw].attr.empty()) {
    if (vars_[e.var().raw].maybe)
      failIf("!" + vars_[e.var().raw].text);
    return vars_[e.var().raw].attr;
  }
  if (e.kind == ExprKind::Convert && e.type.is(TypeKind::Attr))
    return attribute(e.args[0], type);
  std::string text = e.type.isList() ? named(e, "list") : value(e);
  if (e.type.is(TypeKind::Attr) || e.type.is(TypeKind::Tensor))
    return text;
  if (type == sema::AttrType::Symbol)
    return fmt::format("{}.symbolAttr({})", ctx(), text);
  if (e.kind == ExprKind::Float && text.starts_with("double(")) // says so itself
    return fmt::format("makeAttr({}, {})", ctx(), text);
  return fmt::format("makeAttr({}, {}({}))", ctx(), cppParam(e.type), bare(text));
}

} // namespace rw::emit
