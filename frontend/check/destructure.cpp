#include "frontend/check/destructure.h"

#include "frontend/check/actions.h"
#include "frontend/check/built_ops.h"
#include "frontend/check/calls.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/members.h"
#include "frontend/check/names.h"
#include "frontend/check/rounding.h"

#include <fmt/format.h>

#include <utility>

namespace rw::sema {

Apart takeApart(BodyContext &b, const std::vector<ast::Name> &names, const ast::Expr &e) {
  Apart out;
  if (const auto *tuple = e.as<ast::TupleExpr>()) {
    for (const ast::ExprPtr &element : tuple->elements)
      out.parts.push_back(checkExpr(b, *element));
    if (out.parts.size() != names.size()) {
      b.error("argument-count", e.range,
              fmt::format("this has {}, but there are {}", counted(out.parts.size(), "element"),
                          counted(names.size(), "name")));
      out.parts.assign(names.size(), b.errorExpr(e.range));
    }
    return out;
  }
  return takeApart(b, names, checkExpr(b, e));
}

int resultsOf(const BodyContext &b, const Expr &op) {
  if (NativeIndex native = nativeOf(b, op))
    return int(b.c.module.native(native).results.size());
  if (op.kind != ExprKind::Build)
    return resultCount(b, opsOf(b, op));
  uint32_t count = b.body.builds[op.build().raw].resultCount;
  return count == kOpenResults ? -1 : int(count);
}

bool isTakenApart(const BodyContext &b, const Expr &op, size_t names) {
  int results = resultsOf(b, op);
  if (results >= 0)
    return results == int(names);
  OpSet ops = opsOf(b, op);
  return ops.ops.size() == 1 && !ops.byTrait() && b.c.module.op(ops.ops[0]).results.size() == names;
}

/// A result by its place in the declaration; a list, if it stands for any number.
static Expr declaredResult(BodyContext &b, Expr object, const Op &op, size_t index) {
  SourceRange range = object.range;
  std::vector<Expr> args;
  args.push_back(std::move(object));
  bool list = op.results[index].arity == Arity::Variadic;
  Expr out = b.make(ExprKind::OpResult, Type(TypeKind::Value, list), range, std::move(args));
  bool behind = std::any_of(op.results.begin(), op.results.begin() + ptrdiff_t(index),
                            [](const OpResultDecl &r) { return r.arity == Arity::Variadic; });
  out.i = behind ? int64_t(index) - int64_t(op.results.size()) : int64_t(index); // then counted from the end
  out.text = op.results[index].name;
  return out;
}

void reportResultCount(BodyContext &b, const Expr &op, size_t names) {
  int results = resultsOf(b, op);
  if (results >= 0) {
    b.error("result-count", op.range,
            fmt::format("this has {}, but there are {}", counted(size_t(results), "result"), counted(names, "name")));
    return;
  }
  OpSet ops = opsOf(b, op);
  bool one = ops.ops.size() == 1 && !ops.byTrait();
  Report report = b.error(
      "result-count", op.range,
      fmt::format("how many results this has is open, so that {} cannot stand for them", counted(names, "name")));
  if (!one) {
    report.note("it may be one of several ops: `d.results` is the list of all results");
    return;
  }
  const Op &declared = b.c.module.op(ops.ops[0]);
  std::vector<std::string> parts, lists;
  for (const OpResultDecl &result : declared.results) {
    parts.push_back(result.name);
    if (result.arity == Arity::Variadic)
      lists.push_back(result.name);
  }
  report.note(declared.nameRange, fmt::format("`{}` is declared here", declared.name));
  report.note(fmt::format("a name for each result that is declared, `let ({}) = ...`: {} is a list then",
                          fmt::join(parts, ", "), listed(lists, "and")));
}

Apart takeApart(BodyContext &b, const std::vector<ast::Name> &names, Expr value) {
  Apart out;
  SourceRange range = value.range;
  if (value.type.is(TypeKind::Op)) {
    if (isTakenApart(b, value, names.size())) {
      bool open = resultsOf(b, value) < 0;
      OpSet ops = opsOf(b, value);
      if (value.kind != ExprKind::Var) { // built once, whatever number of names there are
        out.whole = b.declare("made", range, TypeKind::Op, VarKind::Let);
        rememberOps(b, out.whole, value);
        out.value = std::exchange(value, b.varExpr(out.whole, range));
      }
      for (int i = 0; i < int(names.size()); ++i) {
        if (open) {
          out.parts.push_back(declaredResult(b, value, b.c.module.op(ops.ops[0]), size_t(i)));
          continue;
        }
        std::vector<Expr> args;
        args.push_back(value);
        out.parts.push_back(b.make(ExprKind::OpResult, TypeKind::Value, range, std::move(args)));
        out.parts.back().i = i;
      }
      return out;
    }
    reportResultCount(b, value, names.size());
  } else if (value.type.isList()) {
    Type type = value.type;
    const Expr *known = &value; // of a named rewrite the number is known
    while (known->kind == ExprKind::Let)
      known = &known->args[1];
    if (known->kind == ExprKind::List && known->args.size() != names.size()) {
      bool values = known->type == Type::list(TypeKind::Value);
      b.error(values ? "result-count" : "argument-count", range,
              fmt::format("this has {}, but there are {}", counted(known->args.size(), values ? "value" : "element"),
                          counted(names.size(), "name")));
      out.parts.assign(names.size(), b.errorExpr(range));
      return out;
    }
    std::vector<Expr> args;
    args.push_back(std::move(value));
    args.push_back(b.make(ExprKind::Int, TypeKind::Int, range));
    args.back().i = int64_t(names.size());
    out.value = b.make(ExprKind::Builtin, type, range, std::move(args));
    out.value->builtin = Builtin::Exactly;
    out.whole = b.declare("parts", range, type, VarKind::Let);
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<Expr> at;
      at.push_back(b.varExpr(out.whole, range));
      at.push_back(b.make(ExprKind::Int, TypeKind::Int, range));
      at.back().i = int64_t(i);
      out.parts.push_back(b.make(ExprKind::Index, type.element(), range, std::move(at)));
    }
    return out;
  } else if (!value.type.isError()) {
    b.error("type-mismatch", range,
            fmt::format("a tuple, a list or an op with several results can be taken apart, but this is {}",
                        toString(value.type)))
        .note("one name takes it whole: `let a = e`");
  }
  out.parts.assign(names.size(), b.errorExpr(range));
  return out;
}

Expr checkLetExpr(BodyContext &b, const ast::LetExpr &e) {
  struct Bound {
    VarId id;
    Expr value;
  };
  std::vector<Bound> bound;
  size_t mark = b.openScope();
  if (e.names.size() == 1) {
    Expr value = checkExpr(b, *e.value);
    VarId id = b.declare(e.names[0], value.type, VarKind::Let);
    rememberRounding(b, id, value);
    rememberOps(b, id, value);
    bound.push_back({id, std::move(value)});
  } else {
    Apart apart = takeApart(b, e.names, *e.value);
    if (apart.value)
      bound.push_back({apart.whole, std::move(*apart.value)});
    for (size_t i = 0; i < e.names.size(); ++i) {
      VarId id = b.declare(e.names[i], apart.parts[i].type, VarKind::Let);
      bound.push_back({id, std::move(apart.parts[i])});
    }
  }
  Expr out = checkPart(b, *e.body, false);
  b.closeScope(mark);
  for (size_t i = bound.size(); i-- > 0;) {
    Type type = out.type;
    std::vector<Expr> args;
    args.push_back(std::move(bound[i].value));
    args.push_back(std::move(out));
    out = b.make(ExprKind::Let, type, e.range, std::move(args));
    out.id = bound[i].id.raw;
  }
  return out;
}

/// `zip(a, b)` and `enumerate(list)` right of `in`; the types of what each element is taken apart into.
static std::optional<Expr> checkSideBySide(BodyContext &b, const ast::Expr &source, std::vector<Type> &types) {
  const auto *call = source.as<ast::CallExpr>();
  if (!call || call->callee.dialect || fnNamed(b.c, call->callee.name.text) || b.substituted(call->callee.name.text))
    return std::nullopt;
  bool zip = call->callee.name.text == "zip";
  if (!zip && call->callee.name.text != "enumerate")
    return std::nullopt;
  std::vector<Expr> lists = checkPlainArgs(b, *call);
  if (zip ? lists.size() < 2 : lists.size() != 1)
    b.error("argument-count", call->range, zip ? "`zip` takes two or more lists" : "`enumerate` takes one list")
        .note(zip ? "as in `for (x, y) in zip(a, b)`" : "as in `for (i, x) in enumerate(list)`");
  if (!zip)
    types.push_back(TypeKind::Int);
  for (const Expr &list : lists) {
    if (!list.type.isError() && !list.type.isList())
      b.error("type-mismatch", list.range,
              fmt::format("`{}` takes lists, but this is {}", call->callee.name.text, toString(list.type)))
          .note("as in `for (x, y) in zip(a, b)`");
    types.push_back(list.type.isList() ? list.type.element() : Type());
  }
  Expr out = b.make(ExprKind::Builtin, Type::list(TypeKind::Never), source.range, std::move(lists));
  out.builtin = zip ? Builtin::Zip : Builtin::Enumerate;
  return out;
}

/// Whether it is a value for each operand of an op: one for each that is left out as well, which `has` tells.
static bool isOfOperands(const BodyContext &b, const Expr &list) {
  return list.kind == ExprKind::Var && list.type == Type::list(TypeKind::Value) && b.body.var(list.var()).perOperand;
}

Expr checkComprehension(BodyContext &b, const ast::ComprehensionExpr &e) {
  size_t mark = b.openScope();
  Expr out = b.make(ExprKind::Comprehension, {}, e.range);
  std::vector<Expr> lists;
  bool several = false;
  for (const ast::ComprehensionExpr::Source &source : e.sources) {
    std::vector<Type> types;
    std::optional<Expr> list = checkSideBySide(b, *source.list, types);
    bool apart = list.has_value();
    if (!list)
      list = checkExpr(b, *source.list);
    if (apart && types.size() != source.names.size()) {
      b.error("argument-count", source.names.front().range,
              fmt::format("each element here has {}, but there {} {}", counted(types.size(), "part"),
                          source.names.size() == 1 ? "is" : "are", counted(source.names.size(), "name")));
      types.assign(source.names.size(), {});
    }
    if (!apart) {
      Type element;
      if (!list->type.isError() && !list->type.isList())
        b.error("type-mismatch", list->range,
                fmt::format("`for` goes through a list, but this is {}", toString(list->type)))
            .note("a range is a list: `for i in 0..n`");
      else if (!list->type.isError())
        element = list->type.element();
      if (source.names.size() > 1 && !element.isError() && !element.isList()) {
        b.error("type-mismatch", source.names.front().range,
                fmt::format("each element is {}, which cannot be taken apart", toString(element)))
            .note("`for (x, y) in zip(a, b)` goes through two lists side by side");
        element = {};
      }
      types.assign(source.names.size(), source.names.size() > 1 && element.isList() ? element.element() : element);
    }
    for (size_t i = 0; i < source.names.size(); ++i) {
      out.loopVars.push_back(b.declare(source.names[i], types[i], VarKind::Loop));
      size_t part = i - (apart && list->builtin == Builtin::Enumerate); // the index comes first
      if (!apart || part < list->args.size()) {
        const Expr &from = apart ? list->args[part] : *list;
        rememberRounding(b, out.loopVars.back(), from);
        b.var(out.loopVars.back()).optional = isOfOperands(b, from);
      }
      if (types[i].is(TypeKind::Op) ||
          types[i].is(TypeKind::Chain)) { // the parts of zip and enumerate are its lists, an index before them
        size_t list0 = list->kind == ExprKind::Builtin && list->builtin == Builtin::Enumerate ? 1 : 0;
        b.var(out.loopVars.back()).ops = opsOf(b, apart ? list->args[i - list0] : *list);
      }
    }
    out.loopGroups.push_back(uint8_t(std::min<size_t>(source.names.size(), 255)));
    several |= source.names.size() > 1;
    lists.push_back(std::move(*list));
  }
  if (!several)
    out.loopGroups.clear();
  Expr element = checkExpr(b, *e.element);
  if (element.type.is(TypeKind::Op))
    element = convert(b, std::move(element), TypeKind::Value, "an element");
  if (element.type.lists >= 3) {
    b.error("undefined-type", e.range, "lists are nested at most three deep");
    element = b.errorExpr(e.range);
  }
  out.type = element.type.isError() ? element.type : element.type.listOf();
  out.args.push_back(std::move(element));
  for (Expr &list : lists)
    out.args.push_back(std::move(list));
  if (e.filter) {
    out.hasFilter = true;
    out.args.push_back(checkCondition(b, *e.filter, "what the filter of a comprehension asks"));
  }
  b.closeScope(mark);
  return out;
}

void checkLets(BodyContext &b, const std::vector<ast::Name> &names, const ast::Expr &written,
               std::vector<std::pair<VarId, Expr>> &lets, bool mayHide) {
  auto add = [&](const ast::Name &name, Type type) {
    return mayHide ? b.declare(name, type, VarKind::Let) : b.declareLet(name, type);
  };
  if (names.size() == 1) {
    Expr value = checkExpr(b, written);
    VarId id = add(names[0], value.type);
    rememberRounding(b, id, value);
    rememberOps(b, id, value);
    lets.emplace_back(id, std::move(value));
    return;
  }
  Apart apart = takeApart(b, names, written);
  if (apart.value)
    lets.emplace_back(apart.whole, std::move(*apart.value));
  for (size_t i = 0; i < names.size(); ++i) {
    VarId id = add(names[i], apart.parts[i].type);
    lets.emplace_back(id, std::move(apart.parts[i]));
  }
}

} // namespace rw::sema
