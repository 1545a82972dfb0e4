#include "frontend/check/wording.h"

#include <fmt/format.h>

namespace rw::sema {

std::string inBackticks(std::string_view name) { return fmt::format("`{}`", name); }

std::string listed(const std::vector<std::string> &names, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i)
      out += i + 1 == names.size() ? fmt::format(" {} ", last) : ", ";
    out += inBackticks(names[i]);
  }
  return out;
}

std::string operandCount(const Op &op) {
  size_t least = 0;
  bool variadic = false;
  for (const Operand &operand : op.operands) {
    least += operand.arity == Arity::Single;
    variadic |= operand.arity == Arity::Variadic;
  }
  size_t most = op.operands.size();
  if (op.variadicGroups() > 1)
    return fmt::format("{}{} groups of one size", least ? counted(least, "operand") + " and " : "",
                       op.variadicGroups());
  if (variadic)
    return "at least " + counted(least, "operand");
  if (least == most)
    return counted(most, "operand");
  return fmt::format("{} {} {} operands", least, most == least + 1 ? "or" : "to", most);
}

std::string counted(size_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

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

} // namespace rw::sema
