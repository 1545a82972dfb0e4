#include "frontend/ast/ast.h"

namespace rw::ast {

std::string_view spelling(UnaryOp op) { return op == UnaryOp::Neg ? "-" : "not"; }

std::string_view spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Or:
    return "or";
  case BinaryOp::And:
    return "and";
  case BinaryOp::Eq:
    return "==";
  case BinaryOp::Ne:
    return "!=";
  case BinaryOp::Lt:
    return "<";
  case BinaryOp::Le:
    return "<=";
  case BinaryOp::Gt:
    return ">";
  case BinaryOp::Ge:
    return ">=";
  case BinaryOp::Concat:
    return "++";
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::BitAnd:
    return "&";
  case BinaryOp::BitOr:
    return "|";
  case BinaryOp::BitXor:
    return "^";
  case BinaryOp::ShiftLeft:
    return "<<";
  case BinaryOp::ShiftRight:
    return ">>";
  }
  return "?";
}

std::string_view declKindName(DeclKind kind) {
  switch (kind) {
  case DeclKind::Dialect:
    return "dialect";
  case DeclKind::Import:
    return "import";
  case DeclKind::Op:
    return "op";
  case DeclKind::Fn:
    return "function";
  case DeclKind::Pattern:
    return "pattern";
  case DeclKind::Matcher:
    return "match";
  case DeclKind::Group:
    return "set";
  case DeclKind::Native:
    return "native";
  case DeclKind::Rewrite:
    return "rewrite";
  case DeclKind::Pass:
    return "pass";
  case DeclKind::Pipeline:
    return "pipeline";
  case DeclKind::Conversion:
    return "conversion";
  case DeclKind::Test:
    return "test";
  case DeclKind::Expect:
    return "expect";
  }
  return "?";
}

} // namespace rw::ast
