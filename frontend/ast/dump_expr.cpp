#include "frontend/ast/dumper.h"

#include "rw/support/numbers.h"

#include <fmt/format.h>

namespace rw::ast {

std::string joined(const std::vector<Name> &names) {
  std::string out;
  for (const Name &n : names)
    out += (out.empty() ? "" : ", ") + n.text;
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if ((unsigned char)c < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", (unsigned char)c);
    else
      out += c;
  }
  return out + '"';
}

Dumper::Level Dumper::node(std::string_view kind, SourceRange range, std::string_view text) {
  LineColumn at = sources_.lineColumn(range.begin);
  out_ += fmt::format("{:{}}{} {}:{}", "", depth_ * 2, kind, at.line, at.column);
  if (!text.empty())
    out_ += fmt::format(" {}", text);
  out_ += '\n';
  return Level(depth_);
}

Dumper::Level Dumper::part(std::string_view name) {
  out_ += fmt::format("{:{}}{}\n", "", depth_ * 2, name);
  return Level(depth_);
}

void Dumper::expr(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
    return leaf("int", e.range, std::to_string(e.get<IntExpr>().value));
  case ExprKind::Float:
    return leaf("float", e.range, printFloat(e.get<FloatExpr>().value));
  case ExprKind::Bool:
    return leaf("bool", e.range, e.get<BoolExpr>().value ? "true" : "false");
  case ExprKind::String:
    return leaf("string", e.range, quoted(e.get<StringExpr>().value));
  case ExprKind::Name:
    return leaf("name", e.range, e.get<NameExpr>().name.text);
  case ExprKind::Member: {
    auto level = node("member", e.range, e.get<MemberExpr>().member.text);
    return expr(*e.get<MemberExpr>().object);
  }
  case ExprKind::Index: {
    const auto &index = e.get<IndexExpr>();
    auto level = node("index", e.range);
    expr(*index.object);
    for (const IndexArg &a : index.args) {
      if (!a.slice) {
        exprPart("at", a.begin);
        continue;
      }
      auto slice = node("slice", a.range);
      exprPart("from", a.begin);
      exprPart("to", a.end);
    }
    return;
  }
  case ExprKind::Call: {
    const auto &call = e.get<CallExpr>();
    auto level = node("call", e.range, call.target ? "" : call.callee.spelling());
    if (call.target)
      exprPart("of", call.target);
    for (const CallArg &a : call.args)
      arg(a);
    if (call.statedType) {
      auto stated = part("type");
      type(*call.statedType);
    }
    return;
  }
  case ExprKind::List: {
    auto level = node("list", e.range);
    for (const ExprPtr &x : e.get<ListExpr>().elements)
      expr(*x);
    return;
  }
  case ExprKind::Tuple: {
    auto level = node("tuple", e.range);
    const auto &tuple = e.get<TupleExpr>();
    for (size_t i = 0; i < tuple.elements.size(); ++i)
      tuple.spreads(i) ? exprPart("spread", tuple.elements[i]) : expr(*tuple.elements[i]);
    return;
  }
  case ExprKind::Unary: {
    auto level = node("unary", e.range, spelling(e.get<UnaryExpr>().op));
    return expr(*e.get<UnaryExpr>().operand);
  }
  case ExprKind::Binary: {
    auto level = node("binary", e.range, spelling(e.get<BinaryExpr>().op));
    expr(*e.get<BinaryExpr>().lhs);
    return expr(*e.get<BinaryExpr>().rhs);
  }
  case ExprKind::If: {
    auto level = node("if", e.range);
    exprPart("condition", e.get<IfExpr>().condition);
    exprPart("then", e.get<IfExpr>().thenValue);
    return exprPart("else", e.get<IfExpr>().elseValue);
  }
  case ExprKind::Let: {
    auto level = node("let", e.range, joined(e.get<LetExpr>().names));
    exprPart("value", e.get<LetExpr>().value);
    return exprPart("in", e.get<LetExpr>().body);
  }
  case ExprKind::Range: {
    auto level = node("range", e.range);
    expr(*e.get<RangeExpr>().begin);
    return expr(*e.get<RangeExpr>().end);
  }
  case ExprKind::Comprehension: {
    const auto &c = e.get<ComprehensionExpr>();
    auto level = node("comprehension", e.range);
    expr(*c.element);
    for (const auto &s : c.sources)
      exprPart("for " + joined(s.names), s.list);
    return exprPart("if", c.filter);
  }
  case ExprKind::Region: {
    const auto &region = e.get<RegionExpr>();
    auto level = node("region", e.range);
    for (const RegionExpr::Param &p : region.params) {
      auto param = node("param", p.range, p.name.text + (p.list ? "..." : ""));
      if (p.type)
        type(*p.type);
    }
    return exprPart("result", region.result);
  }
  case ExprKind::Is: {
    auto level = node("is", e.range);
    expr(*e.get<IsExpr>().value);
    return match(*e.get<IsExpr>().match);
  }
  }
}

void Dumper::arg(const CallArg &a) {
  switch (a.form) {
  case CallArg::Form::Plain:
    return a.name ? exprPart(a.name.text + " =", a.value) : expr(*a.value);
  case CallArg::Form::Each:
    return exprPart("each", a.value);
  case CallArg::Form::Attrs:
    return exprPart("_ =", a.value);
  case CallArg::Form::Spread:
    return exprPart("spread", a.value);
  case CallArg::Form::Side:
    return exprPart(a.name.text + " =>", a.value);
  }
}

void Dumper::type(const TypeExpr &t) {
  switch (t.kind) {
  case TypeKind::Named: {
    const auto &named = t.get<NamedType>();
    auto level = node("type", t.range, named.name.spelling() + (named.hasDims && named.dims.empty() ? "[]" : ""));
    for (const TypeDim &d : named.dims) {
      if (d.form == TypeDim::Form::Value)
        expr(*d.value);
      else
        leaf(d.form == TypeDim::Form::Any ? "any" : "rest", d.range, d.name.text);
    }
    return;
  }
  case TypeKind::List: {
    auto level = node("list-type", t.range);
    return type(*t.get<ListType>().element);
  }
  case TypeKind::Tuple: {
    auto level = node("tuple-type", t.range);
    for (const TypePtr &x : t.get<TupleType>().elements)
      type(*x);
    return;
  }
  }
}

} // namespace rw::ast
