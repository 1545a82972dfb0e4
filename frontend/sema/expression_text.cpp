// Expressions as .rw text.
#include "frontend/ast/ast.h"
#include "frontend/sema/module.h"

#include "rw/support/numbers.h"

#include <string_view>

namespace rw::sema {

// The operators are those of the syntax, in its order (check/operators.cpp).
std::string_view spelling(BinaryOp op) { return ast::spelling(ast::BinaryOp(unsigned(op))); }

namespace {
/// Adds to one text: every reason why a pattern may not match has such texts, so loading patterns makes thousands.
class Text {
public:
  Text(const Module &module, const Body &body, std::string &out) : module_(module), body_(body), out_(out) {}
  void expr(const Expr &, int context = 0);

private:
  void add(std::string_view text) { out_ += text; }
  template <class... Parts> void add(std::string_view first, const Parts &...rest) { add(first), (add(rest), ...); }
  /// Between what stands behind `begin` and what comes next.
  void separate(size_t begin) {
    if (out_.size() != begin)
      add(", ");
  }
  void exprs(const std::vector<Expr> &list) {
    const size_t begin = out_.size();
    for (const Expr &e : list) {
      separate(begin);
      expr(e);
    }
  }
  /// What `inner` adds, in parentheses if need be.
  template <class F> void wrap(bool inParentheses, const F &inner) {
    if (inParentheses)
      add("(");
    inner();
    if (inParentheses)
      add(")");
  }
  void string(std::string_view text);
  void call(std::string_view name, const std::vector<Expr> &args) {
    add(name, "(");
    exprs(args);
    add(")");
  }
  void region(const Build &, const RegionBuild &);
  void build(const Build &);
  void comprehension(const Expr &);
  void type(const Expr &);
  const Module &module_;
  const Body &body_;
  std::string &out_;
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

} // namespace

void Text::string(std::string_view text) {
  add("\"");
  for (char ch : text) {
    if (ch == '"' || ch == '\\')
      out_ += '\\';
    if (ch == '\n')
      add("\\n");
    else if (ch == '\t')
      add("\\t");
    else
      out_ += ch;
  }
  add("\"");
}

void Text::comprehension(const Expr &e) {
  expr(e.args[0]);
  for (size_t source = 0, at = 0; source < e.sourceCount(); at += e.groupSize(source++)) {
    add(" for ");
    wrap(e.groupSize(source) > 1, [&] {
      for (size_t i = 0; i < e.groupSize(source); ++i)
        add(i ? ", " : "", body_.var(e.loopVars[at + i]).name);
    });
    add(" in ");
    expr(e.args[source + 1]);
  }
  if (e.hasFilter) {
    add(" if ");
    expr(e.filter());
  }
}

void Text::type(const Expr &e) {
  if (e.args.size() == 1)
    return expr(e.args[0]);
  if (e.args[0].kind == ExprKind::DType && e.args[1].kind == ExprKind::List) {
    add(e.args[0].text, "[");
    exprs(e.args[1].args);
    return add("]");
  }
  call("", e.args);
}

void Text::region(const Build &b, const RegionBuild &region) {
  OpIndex op = b.op ? b.op : body_.var(b.like).ops.ops.front();
  add(module_.op(op).regions[region.index], " = ");
  if (region.copied)
    return expr(*region.copied);
  add("(");
  const size_t begin = out_.size();
  for (const RegionBuild::Param &param : region.params) {
    separate(begin);
    add(body_.var(param.var).name, param.list ? "..." : "");
    if (param.type) {
      add(" -> ");
      expr(*param.type);
    }
  }
  add(") => ");
  for (const auto &[var, value] : region.lets) {
    add("let ", body_.var(var).name, " = ");
    expr(value);
    add(" in ");
  }
  wrap(region.results.size() != 1 || region.results[0].type.isList(), [&] {
    const size_t begin = out_.size();
    for (const Expr &result : region.results) {
      separate(begin);
      expr(result);
      add(result.type.isList() ? "..." : "");
    }
  });
}

void Text::build(const Build &b) {
  switch (b.kind) {
  case BuildKind::Op:
    add(module_.op(b.op).fullName());
    break;
  case BuildKind::Native:
    add(module_.native(b.native).name);
    break;
  case BuildKind::Like:
  case BuildKind::Chain:
    add(body_.var(b.like).name);
    break;
  }
  add("(");
  const size_t begin = out_.size();
  for (const Expr &operand : b.operands) {
    if (operand.kind == ExprKind::None)
      continue;
    const bool isGroup = operand.type.isList() && b.kind != BuildKind::Native;
    if (isGroup && operand.kind == ExprKind::List) {
      if (!operand.args.empty()) {
        separate(begin);
        exprs(operand.args);
      }
      continue;
    }
    separate(begin);
    expr(operand, isGroup ? kPostfix : 0);
    add(isGroup ? "..." : "");
  }
  for (const BuildAttr &attr : b.attrs) {
    separate(begin);
    add(attr.name, " = ");
    expr(attr.value);
  }
  if (b.sideValue) {
    separate(begin);
    add(body_.var(b.sideVar).name, " => ");
    expr(*b.sideValue);
  }
  for (const RegionBuild &region : b.regions) {
    separate(begin);
    this->region(b, region);
  }
  add(")");
  for (const Expr &t : b.types) {
    add(&t == &b.types.front() ? " -> " : ", ");
    expr(t);
  }
}

void Text::expr(const Expr &e, int context) {
  // What binds less tightly than anything around it: only by itself it needs no parentheses.
  auto open = [&](const auto &inner) { wrap(context != 0, inner); };
  switch (e.kind) {
  case ExprKind::Int:
    return wrap((e.i < 0 ? kUnary : kPostfix) < context, [&] { add(std::to_string(e.i)); });
  case ExprKind::Float:
    return add(printNumber(e.f));
  case ExprKind::Bool:
    return add(e.i ? "true" : "false");
  case ExprKind::String:
    return string(e.text);
  case ExprKind::DType:
    return add(e.text);
  case ExprKind::None:
    return add(e.type.is(TypeKind::Dim) ? "?" : "none");
  case ExprKind::List:
    add("[");
    exprs(e.args);
    return add("]");
  case ExprKind::Var:
    return add(body_.var(e.var()).name);
  case ExprKind::Neg:
    return wrap(kUnary < context, [&] { add("-"), expr(e.args[0], kUnary); });
  case ExprKind::Not:
    return wrap(kNot < context, [&] { add("not "), expr(e.args[0], kNot); });
  case ExprKind::Binary: {
    const int p = precedence(e.binary);
    return wrap(p < context, [&] {
      expr(e.args[0], p == 4 ? p + 1 : p);
      add(" ", spelling(e.binary), " ");
      expr(e.args[1], p + 1);
    });
  }
  case ExprKind::If:
    return open([&] {
      add("if "), expr(e.args[0]);
      add(" then "), expr(e.args[1]);
      add(" else "), expr(e.args[2]);
    });
  case ExprKind::Let:
    return open([&] {
      add("let ", body_.var(e.var()).name, " = "), expr(e.args[0]);
      add(" in "), expr(e.args[1]);
    });
  case ExprKind::Range:
    return open([&] { expr(e.args[0], 5), add(".."), expr(e.args[1], 5); });
  case ExprKind::Comprehension:
    add("[");
    comprehension(e);
    return add("]");
  case ExprKind::Index:
    expr(e.args[0], kPostfix);
    add("["), expr(e.args[1]);
    return add("]");
  case ExprKind::Slice: {
    auto end = [&](const Expr &x) {
      if (x.kind != ExprKind::None)
        expr(x, 5);
    };
    expr(e.args[0], kPostfix);
    add("["), end(e.args[1]);
    add(".."), end(e.args[2]);
    return add("]");
  }
  case ExprKind::Call:
    return call(module_.fn(e.fn()).name, e.args);
  case ExprKind::Native:
    return call(module_.native(e.native()).name, e.args);
  case ExprKind::Builtin:
    if (e.args.size() != 1 || e.args[0].kind != ExprKind::Comprehension)
      return call(builtinInfo(e.builtin).name, e.args);
    add(builtinInfo(e.builtin).name, "(");
    comprehension(e.args[0]);
    return add(")");
  case ExprKind::Property:
    expr(e.args[0], kPostfix);
    return add(".", spelling(e.property));
  case ExprKind::OpOperand:
  case ExprKind::OpAttr:
  case ExprKind::OpRegion:
    expr(e.args[0], kPostfix);
    return add(".", e.text);
  case ExprKind::OpResult:
    if (e.text.empty())
      return expr(e.args[0], context);
    expr(e.args[0], kPostfix);
    return add(".", e.text);
  case ExprKind::Convert:
    return expr(e.args[0], context);
  case ExprKind::MakeType:
    return type(e);
  case ExprKind::Is:
    return wrap(kNot < context, [&] {
      expr(e.args[0], 4);
      add(" is test ", std::to_string(e.test().raw));
    });
  case ExprKind::Build:
    return build(body_.builds[e.build().raw]);
  }
  add("?");
}

std::string otherHeads(const OpSet &set, const Module &module) {
  std::string out;
  for (uint32_t traits : set.otherTraits)
    out += " | " + traitsToString(traits);
  for (OpIndex op : set.otherOps)
    out += " | " + module.op(op).fullName();
  return out;
}

std::string toString(const Expr &e, const Module &module, const Body &body) {
  std::string out;
  addText(e, module, body, out);
  return out;
}
void addText(const Expr &e, const Module &module, const Body &body, std::string &out) {
  Text(module, body, out).expr(e);
}

} // namespace rw::sema
