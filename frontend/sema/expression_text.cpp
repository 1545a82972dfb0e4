// Expressions as .rw text.
#include "frontend/sema/module.h"

#include "rw/support/numbers.h"

#include <fmt/format.h>

#include <initializer_list>

namespace rw::sema {

namespace {
class Text {
public:
  Text(const Module &module, const Body &body) : module_(module), body_(body) {}
  std::string expr(const Expr &, int context = 0) const;

private:
  std::string exprs(const std::vector<Expr> &list) const {
    std::string out;
    for (const Expr &e : list)
      out += (out.empty() ? "" : ", ") + expr(e);
    return out;
  }
  std::string region(const Build &, const RegionBuild &) const;
  std::string build(const Build &) const;
  std::string comprehension(const Expr &) const;
  std::string type(const Expr &) const;
  const Module &module_;
  const Body &body_;
};

int precedence(BinaryOp op) {
  switch (op) {
  case BinaryOp::Or:
    return 1;
  case BinaryOp::And:
    return 2;
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return 4;
  case BinaryOp::Concat:
    return 5;
  case BinaryOp::BitOr:
    return 6;
  case BinaryOp::BitXor:
    return 7;
  case BinaryOp::BitAnd:
    return 8;
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight:
    return 9;
  case BinaryOp::Add:
  case BinaryOp::Sub:
    return 10;
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::Mod:
    return 11;
  }
  return 0;
}
constexpr int kNot = 3, kUnary = 12, kPostfix = 13;

/// Every reason why a pattern may not match has such texts, so loading patterns makes thousands.
std::string concat(std::initializer_list<std::string_view> parts) {
  size_t size = 0;
  for (std::string_view part : parts)
    size += part.size();
  std::string out;
  out.reserve(size);
  for (std::string_view part : parts)
    out += part;
  return out;
}

std::string string(std::string_view text) {
  std::string out = "\"";
  for (char ch : text) {
    if (ch == '"' || ch == '\\')
      out += '\\';
    if (ch == '\n')
      out += "\\n";
    else if (ch == '\t')
      out += "\\t";
    else
      out += ch;
  }
  return out + "\"";
}
} // namespace

std::string Text::comprehension(const Expr &e) const {
  std::string out = expr(e.args[0]);
  for (size_t source = 0, at = 0; source < e.sourceCount(); at += e.groupSize(source++)) {
    std::string names = body_.var(e.loopVars[at]).name;
    for (size_t i = 1; i < e.groupSize(source); ++i)
      names += ", " + body_.var(e.loopVars[at + i]).name;
    if (e.groupSize(source) > 1)
      names = "(" + names + ")";
    out += concat({" for ", names, " in ", expr(e.args[source + 1])});
  }
  if (e.hasFilter)
    out += " if " + expr(e.filter());
  return out;
}

std::string Text::type(const Expr &e) const {
  if (e.args.size() == 1)
    return expr(e.args[0]);
  bool plain = e.args[0].kind == ExprKind::DType && e.args[1].kind == ExprKind::List;
  return plain ? fmt::format("{}[{}]", e.args[0].text, exprs(e.args[1].args)) : fmt::format("({})", exprs(e.args));
}

std::string Text::region(const Build &b, const RegionBuild &region) const {
  OpIndex op = b.op ? b.op : body_.var(b.like).ops.ops.front();
  std::string out = module_.op(op).regions[region.index] + " = ", results;
  if (region.copied)
    return out + expr(*region.copied);
  std::string params;
  for (const RegionBuild::Param &param : region.params)
    params += fmt::format("{}{}{}{}", params.empty() ? "" : ", ", body_.var(param.var).name, param.list ? "..." : "",
                          param.type ? " -> " + expr(*param.type) : "");
  for (const Expr &result : region.results)
    results += fmt::format("{}{}{}", results.empty() ? "" : ", ", expr(result), result.type.isList() ? "..." : "");
  out += fmt::format("({}) => ", params);
  for (const auto &[var, value] : region.lets)
    out += fmt::format("let {} = {} in ", body_.var(var).name, expr(value));
  return out + (region.results.size() == 1 && !region.results[0].type.isList() ? results : "(" + results + ")");
}

std::string Text::build(const Build &b) const {
  std::string head;
  switch (b.kind) {
  case BuildKind::Op:
    head = module_.op(b.op).fullName();
    break;
  case BuildKind::Native:
    head = module_.native(b.native).name;
    break;
  case BuildKind::Like:
  case BuildKind::Chain:
    head = body_.var(b.like).name;
    break;
  }
  std::string args;
  auto add = [&](std::string text) { args += (args.empty() ? "" : ", ") + text; };
  for (const Expr &operand : b.operands) {
    if (operand.kind == ExprKind::None)
      continue;
    if (operand.type.isList() && b.kind != BuildKind::Native) {
      if (operand.kind == ExprKind::List) {
        if (!operand.args.empty())
          add(exprs(operand.args));
      } else {
        add(expr(operand, kPostfix) + "...");
      }
    } else {
      add(expr(operand));
    }
  }
  for (const BuildAttr &attr : b.attrs)
    add(fmt::format("{} = {}", attr.name, expr(attr.value)));
  if (b.sideValue)
    add(fmt::format("{} => {}", body_.var(b.sideVar).name, expr(*b.sideValue)));
  for (const RegionBuild &region : b.regions)
    add(this->region(b, region));
  std::string out = fmt::format("{}({})", head, args);
  for (const Expr &t : b.types)
    out += (&t == &b.types.front() ? " -> " : ", ") + expr(t);
  return out;
}

std::string Text::expr(const Expr &e, int context) const {
  auto inParentheses = [](std::string text) {
    text.insert(text.begin(), '(');
    text += ')';
    return text;
  };
  auto wrap = [&](int here, std::string text) { return here < context ? inParentheses(std::move(text)) : text; };
  auto open = [&](std::string text) { return context ? inParentheses(std::move(text)) : text; };
  switch (e.kind) {
  case ExprKind::Int:
    return wrap(e.i < 0 ? kUnary : kPostfix, std::to_string(e.i));
  case ExprKind::Float:
    return printNumber(e.f);
  case ExprKind::Bool:
    return e.i ? "true" : "false";
  case ExprKind::String:
    return string(e.text);
  case ExprKind::DType:
    return e.text;
  case ExprKind::None:
    return e.type.is(TypeKind::Dim) ? "?" : "none";
  case ExprKind::List:
    return concat({"[", exprs(e.args), "]"});
  case ExprKind::Var:
    return body_.var(e.var()).name;
  case ExprKind::Neg:
    return wrap(kUnary, "-" + expr(e.args[0], kUnary));
  case ExprKind::Not:
    return wrap(kNot, "not " + expr(e.args[0], kNot));
  case ExprKind::Binary: {
    int p = precedence(e.binary);
    return wrap(p, concat({expr(e.args[0], p == 4 ? p + 1 : p), " ", spelling(e.binary), " ", expr(e.args[1], p + 1)}));
  }
  case ExprKind::If:
    return open(concat({"if ", expr(e.args[0]), " then ", expr(e.args[1]), " else ", expr(e.args[2])}));
  case ExprKind::Let:
    return open(concat({"let ", body_.var(e.var()).name, " = ", expr(e.args[0]), " in ", expr(e.args[1])}));
  case ExprKind::Range:
    return open(concat({expr(e.args[0], 5), "..", expr(e.args[1], 5)}));
  case ExprKind::Comprehension:
    return concat({"[", comprehension(e), "]"});
  case ExprKind::Index:
    return concat({expr(e.args[0], kPostfix), "[", expr(e.args[1]), "]"});
  case ExprKind::Slice: {
    auto end = [&](const Expr &x) { return x.kind == ExprKind::None ? std::string() : expr(x, 5); };
    return concat({expr(e.args[0], kPostfix), "[", end(e.args[1]), "..", end(e.args[2]), "]"});
  }
  case ExprKind::Call:
    return concat({module_.fn(e.fn()).name, "(", exprs(e.args), ")"});
  case ExprKind::Native:
    return concat({module_.native(e.native()).name, "(", exprs(e.args), ")"});
  case ExprKind::Builtin:
    if (e.args.size() == 1 && e.args[0].kind == ExprKind::Comprehension)
      return concat({builtinInfo(e.builtin).name, "(", comprehension(e.args[0]), ")"});
    return concat({builtinInfo(e.builtin).name, "(", exprs(e.args), ")"});
  case ExprKind::Property:
    return concat({expr(e.args[0], kPostfix), ".", spelling(e.property)});
  case ExprKind::OpOperand:
  case ExprKind::OpAttr:
  case ExprKind::OpRegion:
    return concat({expr(e.args[0], kPostfix), ".", e.text.str()});
  case ExprKind::OpResult:
    return e.text.empty() ? expr(e.args[0], context) : concat({expr(e.args[0], kPostfix), ".", e.text.str()});
  case ExprKind::Convert:
    return expr(e.args[0], context);
  case ExprKind::MakeType:
    return type(e);
  case ExprKind::Is:
    return wrap(kNot, fmt::format("{} is test {}", expr(e.args[0], 4), e.test().raw));
  case ExprKind::Build:
    return build(body_.builds[e.build().raw]);
  }
  return "?";
}

std::string otherHeads(const OpSet &set, const Module &module) {
  std::string out;
  for (uint32_t traits : set.otherTraits)
    out += " | " + traitsToString(traits);
  for (OpIndex op : set.otherOps)
    out += " | " + module.op(op).fullName();
  return out;
}

std::string toString(const Expr &e, const Module &module, const Body &body) { return Text(module, body).expr(e); }

} // namespace rw::sema
