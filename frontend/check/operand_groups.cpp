// All groups of an op have as many operands, so that an op's operands alone say where one ends.
#include "frontend/check/operand_groups.h"

#include "frontend/check/bindings.h"
#include "frontend/check/matches.h"
#include "frontend/check/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

/// Elements one by one, in which group each is: every group has the same number. Nothing if they do not divide evenly.
static std::optional<size_t> sizeOfGroups(const Op &op, size_t written) {
  size_t groups = op.variadicGroups(), singles = op.operands.size() - groups;
  if (written < singles || (written - singles) % groups != 0)
    return std::nullopt;
  return (written - singles) / groups;
}

/// `isList` says of each operand that is written whether it is a list.
static void reportGroupCount(BodyContext &b, const Op &op, SourceRange at, const std::vector<bool> &isList) {
  std::vector<std::string> groups, singles, oneByOne, asLists;
  for (const Operand &operand : op.operands) {
    bool isGroup = operand.arity == Arity::Variadic;
    (isGroup ? groups : singles).push_back("`" + operand.name + "`");
    oneByOne.push_back(operand.name);
    asLists.push_back(operand.name + (isGroup ? "..." : ""));
  }
  size_t lists = size_t(std::ranges::count(isList, true));
  std::string what;
  if (lists == 0) {
    what = fmt::format("{} cannot be shared out", counted(isList.size(), "operand"));
  } else if (lists != groups.size()) {
    what = fmt::format("{} of {} {} here", counted(lists, "list"), groups.size(), lists == 1 ? "stands" : "stand");
  } else { // how many elements each has before its list
    std::vector<std::string> before{""};
    size_t elements = 0;
    for (bool list : isList) {
      if (list)
        before.push_back(std::to_string(std::exchange(elements, 0)));
      else
        ++elements;
    }
    before.erase(before.begin());
    what = fmt::format("before the lists stand {} here", fmt::join(before, " and "));
    if (elements)
      what += fmt::format(", and {} behind the last", elements);
  }
  b.error("operand-count", at,
          fmt::format("`{}` takes {}as many operands for {} as for {}: {}", op.fullName(),
                      singles.empty() ? "" : fmt::format("{} and ", fmt::join(singles, ", ")), groups[0],
                      fmt::join(groups.begin() + 1, groups.end(), " and "), what))
      .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
      .note(fmt::format("of each group one, `{0}({1})`, or two and so on; or a list for each, `{0}({2})`, before which "
                        "as many elements may stand",
                        op.name, fmt::join(oneByOne, ", "), fmt::join(asLists, ", ")));
}

/// The rest of a group: its name is bound here, or was bound before and is compared.
static void bindList(BodyContext &b, const ast::Name &name, Expr list, Match &out) {
  const Type type = Type::list(TypeKind::Value);
  VarId id = b.find(name.text);
  if (id && b.bound(id) == Bound::Maybe) {
    b.error("duplicate-name", name.range, fmt::format("`{}` is bound already, by some alternatives only", name.text))
        .note(b.var(id).range, fmt::format("`{}` is bound here", name.text))
        .note("give the list a name of its own, and compare it in the `where`");
    return;
  }
  Condition condition;
  condition.range = name.range;
  if (id && b.bound(id) == Bound::Yes) {
    ast::BinaryExpr equals(name.range);
    equals.op = ast::BinaryOp::Eq;
    equals.opRange = name.range;
    condition.expr = checkComparison(b, equals, std::move(list), b.varExpr(id, name.range));
  } else {
    if (!id)
      id = b.declareLet(name, type);
    else if (b.var(id).type != type) // of another alternative, or a parameter that the use names
      b.error(
           "type-mismatch", name.range,
           fmt::format("`{}` is {} here, but it was bound to {}", name.text, toString(type), toString(b.var(id).type)))
          .note(b.var(id).range, fmt::format("`{}` is bound here", name.text))
          .note("give the list a name of its own");
    condition.kind = ConditionKind::Let;
    condition.var = id;
    condition.expr = std::move(list);
    b.setBound(id, Bound::Yes);
  }
  out.after.push_back(std::move(condition));
}

bool matchOperandGroups(BodyContext &b, const ast::OpMatch &m, const Op &op,
                        const std::vector<const ast::MatchArg *> &args, Match &out) {
  auto isRest = [](const ast::MatchArg *arg) { return arg->match->kind == ast::MatchKind::Rest; };
  const size_t first = size_t(std::ranges::find(op.operands, Arity::Variadic, &Operand::arity) - op.operands.begin());
  std::vector<bool> isList;
  for (const ast::MatchArg *arg : args)
    isList.push_back(isRest(arg));
  auto bindAll = [&] {
    for (const ast::MatchArg *arg : args)
      bindNamesOf(b, *arg->match);
    return false;
  };
  if (m.rest) {
    if (args.size() > first) {
      b.error("operand-count", args[first]->range,
              fmt::format("with `..` it is not known which of the groups of `{}` this is", op.fullName()))
          .note(fmt::format("ask the op: `d: {}(..) where d.{}[0] is const _`", op.name, op.operands[first].name));
      return bindAll();
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      OperandMatch &operand = out.operands.emplace_back();
      operand.kind = i < args.size() ? OperandMatchKind::One : OperandMatchKind::Ignored;
      if (i < args.size())
        operand.elements.push_back(checkMatch(b, *args[i]->match));
    }
    return true;
  }
  if (std::ranges::none_of(args, isRest)) {
    std::optional<size_t> size = sizeOfGroups(op, args.size());
    if (!size) {
      reportGroupCount(b, op, m.headRange, isList);
      return bindAll();
    }
    size_t next = 0;
    for (const Operand &declared : op.operands) {
      bool group = declared.arity == Arity::Variadic;
      OperandMatch &operand = out.operands.emplace_back();
      operand.kind = group ? OperandMatchKind::List : OperandMatchKind::One;
      for (size_t left = group ? *size : 1; left; --left)
        operand.elements.push_back(checkMatch(b, *args[next++]->match));
    }
    return true;
  }
  // Lists: each group is some elements and a list, as many elements as the others.
  struct Group {
    std::vector<const ast::MatchArg *> elements;
    const ast::RestMatch *rest = nullptr;
  };
  std::vector<Group> groups;
  size_t next = 0;
  bool fits = true;
  for (const Operand &declared : op.operands) {
    Group &group = groups.emplace_back();
    if (declared.arity == Arity::Single) {
      fits &= next < args.size() && !isRest(args[next]);
      if (fits)
        group.elements.push_back(args[next++]);
      continue;
    }
    while (next < args.size() && !isRest(args[next]))
      group.elements.push_back(args[next++]);
    fits &= next < args.size();
    if (fits)
      group.rest = args[next++]->match->as<ast::RestMatch>();
    fits &= group.elements.size() == groups[first].elements.size();
  }
  if (!fits || next < args.size()) {
    reportGroupCount(b, op, m.headRange, isList);
    return bindAll();
  }
  if (b.inEach) {
    b.error("bad-each", m.headRange,
            fmt::format("inside `each`, the groups of `{}` are not told apart by lists", op.fullName()))
        .note("write their elements one by one, or ask of one such op outside of `each`");
    return bindAll();
  }
  if (!out.op) { // nobody else sees the name
    size_t scope = b.openScope();
    VarId id = b.declare(op.name, m.headRange, TypeKind::Op, VarKind::Op);
    b.closeScope(scope);
    b.var(id).ops = out.ops;
    b.used[id.raw] = true;
    b.setBound(id, Bound::Yes);
    out.op = {Use::Bind, id, m.headRange};
  }
  auto member = [&](size_t operand) {
    Expr e =
        b.make(ExprKind::OpOperand, Type(TypeKind::Value, op.operands[operand].arity == Arity::Variadic), m.headRange);
    e.i = int64_t(operand);
    e.behindVariadic = operand > first;
    e.text = op.operands[operand].name;
    e.args.push_back(b.varExpr(out.op.var, m.headRange));
    return e;
  };
  auto number = [&](size_t n) {
    Expr e = b.make(ExprKind::Int, TypeKind::Int, m.headRange);
    e.i = int64_t(n);
    return e;
  };
  auto is = [&](Expr value, const ast::MatchArg &arg) {
    Match asked = checkMatch(b, *arg.match);
    Condition &condition = out.after.emplace_back();
    condition.kind = ConditionKind::Is;
    condition.range = arg.range;
    condition.expr = std::move(value);
    condition.match = std::move(asked);
  };
  for (size_t i = 0; i < op.operands.size(); ++i) {
    OperandMatch &operand = out.operands.emplace_back();
    if (i < first) {
      operand.kind = OperandMatchKind::One;
      operand.elements.push_back(checkMatch(b, *groups[i].elements[0]->match));
      continue;
    }
    operand.kind = OperandMatchKind::Ignored;
    if (op.operands[i].arity == Arity::Single) {
      is(member(i), *groups[i].elements[0]);
      continue;
    }
    const size_t size = groups[i].elements.size();
    for (size_t k = 0; k < size; ++k) {
      std::vector<Expr> parts;
      parts.push_back(member(i));
      parts.push_back(number(k));
      is(b.make(ExprKind::Index, TypeKind::Value, groups[i].elements[k]->range, std::move(parts)),
         *groups[i].elements[k]);
    }
    const ast::Name &name = groups[i].rest->name;
    if (!name)
      continue;
    Expr list = member(i);
    if (size > 0) {
      std::vector<Expr> parts;
      parts.push_back(member(i));
      parts.push_back(number(size));
      std::vector<Expr> length;
      length.push_back(member(i));
      Expr end = b.make(ExprKind::Builtin, TypeKind::Int, name.range, std::move(length));
      end.builtin = Builtin::Len;
      parts.push_back(std::move(end));
      list = b.make(ExprKind::Slice, Type::list(TypeKind::Value), name.range, std::move(parts));
    }
    bindList(b, name, std::move(list), out);
  }
  return true;
}

/// `exactly(list, len(other))`.
static Expr exactlyAsLong(BodyContext &b, Expr list, const Expr &other) {
  SourceRange at = list.range;
  std::vector<Expr> length, parts;
  length.push_back(other);
  Expr n = b.make(ExprKind::Builtin, TypeKind::Int, at, std::move(length));
  n.builtin = Builtin::Len;
  parts.push_back(std::move(list));
  parts.push_back(std::move(n));
  Expr out = b.make(ExprKind::Builtin, Type::list(TypeKind::Value), at, std::move(parts));
  out.builtin = Builtin::Exactly;
  return out;
}

std::vector<size_t> fitGroups(BodyContext &b, const Op &op, SourceRange range, std::vector<Expr> &given) {
  std::vector<size_t> sizes;
  std::vector<bool> isList;
  for (const Expr &e : given)
    isList.push_back(e.type.isList());
  auto no = [&] {
    reportGroupCount(b, op, range, isList);
    return std::vector<size_t>();
  };
  if (std::ranges::none_of(given, [](const Expr &e) { return e.type.isList(); })) {
    std::optional<size_t> size = sizeOfGroups(op, given.size());
    if (!size)
      return no();
    for (const Operand &declared : op.operands)
      sizes.push_back(declared.arity == Arity::Variadic ? *size : 1);
    return sizes;
  }
  std::optional<size_t> list; // of the first group: where it is
  size_t next = 0, size = 0;
  for (const Operand &declared : op.operands) {
    size_t begin = next;
    if (declared.arity == Arity::Single) {
      if (next >= given.size() || given[next].type.isList())
        return no();
      sizes.push_back(++next - begin);
      continue;
    }
    while (next < given.size() && !given[next].type.isList())
      ++next;
    if (next >= given.size() || (list && next - begin != size))
      return no();
    if (!list) {
      list = next, size = next - begin;
      if (given[next].kind != ExprKind::Var && given[next].kind != ExprKind::OpOperand) {
        b.error("operand-count", given[next].range,
                "the list of the first group is asked how long it is, so it needs a name")
            .note("`let xs = ...`, and then `xs...`");
        return {};
      }
    } else {
      given[next] = exactlyAsLong(b, std::move(given[next]), given[*list]);
    }
    sizes.push_back(++next - begin);
  }
  return next == given.size() ? sizes : no();
}

} // namespace rw::sema
