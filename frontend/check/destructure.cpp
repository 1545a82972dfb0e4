// Taking values apart: `let (a, b) = e`, in expressions, conditions and right sides; and comprehensions, whose
// variables may be several for each `for`.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <utility>

namespace rw::sema {

/// What several names stand for. A tuple is taken apart where it is written; of an op the names are its results; a list
/// must have exactly as many elements. Ops and lists are evaluated once, as the variable `whole`.
BodyChecker::Apart BodyChecker::takeApart(const std::vector<ast::Name> &names, const ast::Expr &e) {
  Apart out;
  if (const auto *tuple = e.as<ast::TupleExpr>()) {
    for (const ast::ExprPtr &element : tuple->elements)
      out.parts.push_back(expr(*element));
    if (out.parts.size() != names.size()) {
      c.error("argument-count", e.range,
              fmt::format("this has {}, but there are {}", counted(out.parts.size(), "element"),
                          counted(names.size(), "name")));
      out.parts.assign(names.size(), errorExpr(e.range));
    }
    return out;
  }
  return takeApart(names, expr(e));
}

int BodyChecker::resultsOf(const Expr &op) const {
  if (NativeIndex native = nativeOf(op))
    return int(c.module.native(native).results.size());
  if (op.kind != ExprKind::Build)
    return resultCount(opsOf(op));
  uint32_t count = body.builds[op.build().raw].resultCount;
  return count == kOpenResults ? -1 : int(count);
}

/// Whether so many names are the results of an op: those that it has or, where one stands for any number, those that it
/// declares.
bool BodyChecker::isTakenApart(const Expr &op, size_t names) const {
  int results = resultsOf(op);
  if (results >= 0)
    return results == int(names);
  OpSet ops = opsOf(op);
  return ops.ops.size() == 1 && !ops.byTrait() && c.module.op(ops.ops[0]).results.size() == names;
}

/// A result by its place in the declaration; a list, if it stands for any number.
Expr BodyChecker::declaredResult(Expr object, const Op &op, size_t index) {
  SourceRange range = object.range;
  std::vector<Expr> args;
  args.push_back(std::move(object));
  bool list = op.results[index].arity == Arity::Variadic;
  Expr out = make(ExprKind::OpResult, Type(TypeKind::Value, list), range, std::move(args));
  bool behind = std::any_of(op.results.begin(), op.results.begin() + ptrdiff_t(index),
                            [](const OpResultDecl &r) { return r.arity == Arity::Variadic; });
  out.i = behind ? int64_t(index) - int64_t(op.results.size()) : int64_t(index); // then counted from the end
  out.text = op.results[index].name;
  return out;
}

void BodyChecker::wrongResultCount(const Expr &op, size_t names) {
  int results = resultsOf(op);
  if (results >= 0) {
    c.error("result-count", op.range,
            fmt::format("this has {}, but there are {}", counted(size_t(results), "result"), counted(names, "name")));
    return;
  }
  OpSet ops = opsOf(op);
  bool one = ops.ops.size() == 1 && !ops.byTrait();
  Report report = c.error(
      "result-count", op.range,
      fmt::format("how many results this has is open, so that {} cannot stand for them", counted(names, "name")));
  if (!one) {
    report.note("it may be one of several ops: `d.results` is the list of all results");
    return;
  }
  const Op &declared = c.module.op(ops.ops[0]);
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

BodyChecker::Apart BodyChecker::takeApart(const std::vector<ast::Name> &names, Expr value) {
  Apart out;
  SourceRange range = value.range;
  if (value.type.is(TypeKind::Op)) {
    if (isTakenApart(value, names.size())) {
      bool open = resultsOf(value) < 0;
      OpSet ops = opsOf(value);
      if (value.kind != ExprKind::Var) { // built once, whatever number of names there are
        out.whole = declare("made", range, TypeKind::Op, VarKind::Let);
        rememberOps(out.whole, value);
        out.value = std::exchange(value, varExpr(out.whole, range));
      }
      for (int i = 0; i < int(names.size()); ++i) {
        if (open) {
          out.parts.push_back(declaredResult(value, c.module.op(ops.ops[0]), size_t(i)));
          continue;
        }
        std::vector<Expr> args;
        args.push_back(value);
        out.parts.push_back(make(ExprKind::OpResult, TypeKind::Value, range, std::move(args)));
        out.parts.back().i = i;
      }
      return out;
    }
    wrongResultCount(value, names.size());
  } else if (value.type.isList()) {
    Type type = value.type;
    const Expr *known = &value; // of a named rewrite the number is known
    while (known->kind == ExprKind::Let)
      known = &known->args[1];
    if (known->kind == ExprKind::List && known->args.size() != names.size()) {
      bool values = known->type == Type::list(TypeKind::Value);
      c.error(values ? "result-count" : "argument-count", range,
              fmt::format("this has {}, but there are {}", counted(known->args.size(), values ? "value" : "element"),
                          counted(names.size(), "name")));
      out.parts.assign(names.size(), errorExpr(range));
      return out;
    }
    std::vector<Expr> args;
    args.push_back(std::move(value));
    args.push_back(make(ExprKind::Int, TypeKind::Int, range));
    args.back().i = int64_t(names.size());
    out.value = make(ExprKind::Builtin, type, range, std::move(args));
    out.value->builtin = Builtin::Exactly;
    out.whole = declare("parts", range, type, VarKind::Let);
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<Expr> at;
      at.push_back(varExpr(out.whole, range));
      at.push_back(make(ExprKind::Int, TypeKind::Int, range));
      at.back().i = int64_t(i);
      out.parts.push_back(make(ExprKind::Index, type.element(), range, std::move(at)));
    }
    return out;
  } else if (!value.type.isError()) {
    c.error("type-mismatch", range,
            fmt::format("a tuple, a list or an op with several results can be taken apart, but this is {}",
                        toString(value.type)))
        .note("one name takes it whole: `let a = e`");
  }
  out.parts.assign(names.size(), errorExpr(range));
  return out;
}

Expr BodyChecker::letExpr(const ast::LetExpr &e) {
  struct Bound {
    VarId id;
    Expr value;
  };
  std::vector<Bound> bound;
  size_t mark = openScope();
  if (e.names.size() == 1) {
    Expr value = expr(*e.value);
    VarId id = declare(e.names[0], value.type, VarKind::Let);
    rememberRounding(id, value);
    rememberOps(id, value);
    bound.push_back({id, std::move(value)});
  } else {
    Apart apart = takeApart(e.names, *e.value);
    if (apart.value)
      bound.push_back({apart.whole, std::move(*apart.value)});
    for (size_t i = 0; i < e.names.size(); ++i) {
      VarId id = declare(e.names[i], apart.parts[i].type, VarKind::Let);
      bound.push_back({id, std::move(apart.parts[i])});
    }
  }
  Expr out = part(*e.body, false);
  closeScope(mark);
  for (size_t i = bound.size(); i-- > 0;) {
    Type type = out.type;
    std::vector<Expr> args;
    args.push_back(std::move(bound[i].value));
    args.push_back(std::move(out));
    out = make(ExprKind::Let, type, e.range, std::move(args));
    out.id = bound[i].id.raw;
  }
  return out;
}

/// `zip(a, b)` and `enumerate(list)` right of `in`; the types of what each element is taken apart into.
std::optional<Expr> BodyChecker::sideBySide(const ast::Expr &source, std::vector<Type> &types) {
  const auto *call = source.as<ast::CallExpr>();
  if (!call || call->callee.dialect || c.fnNamed(call->callee.name.text) || substituted(call->callee.name.text))
    return std::nullopt;
  bool zip = call->callee.name.text == "zip";
  if (!zip && call->callee.name.text != "enumerate")
    return std::nullopt;
  std::vector<Expr> lists = plainArgs(*call);
  if (zip ? lists.size() < 2 : lists.size() != 1)
    c.error("argument-count", call->range, zip ? "`zip` takes two or more lists" : "`enumerate` takes one list")
        .note(zip ? "as in `for (x, y) in zip(a, b)`" : "as in `for (i, x) in enumerate(list)`");
  if (!zip)
    types.push_back(TypeKind::Int);
  for (const Expr &list : lists) {
    if (!list.type.isError() && !list.type.isList())
      c.error("type-mismatch", list.range,
              fmt::format("`{}` takes lists, but this is {}", call->callee.name.text, toString(list.type)))
          .note("as in `for (x, y) in zip(a, b)`");
    types.push_back(list.type.isList() ? list.type.element() : Type());
  }
  Expr out = make(ExprKind::Builtin, Type::list(TypeKind::Never), source.range, std::move(lists));
  out.builtin = zip ? Builtin::Zip : Builtin::Enumerate;
  return out;
}

Expr BodyChecker::comprehension(const ast::ComprehensionExpr &e) {
  size_t mark = openScope();
  Expr out = make(ExprKind::Comprehension, {}, e.range);
  std::vector<Expr> lists;
  bool several = false;
  for (const ast::ComprehensionExpr::Source &source : e.sources) {
    std::vector<Type> types;
    std::optional<Expr> list = sideBySide(*source.list, types);
    bool apart = list.has_value();
    if (!list)
      list = expr(*source.list);
    if (apart && types.size() != source.names.size()) {
      c.error("argument-count", source.names.front().range,
              fmt::format("each element here has {}, but there {} {}", counted(types.size(), "part"),
                          source.names.size() == 1 ? "is" : "are", counted(source.names.size(), "name")));
      types.assign(source.names.size(), {});
    }
    if (!apart) {
      Type element;
      if (!list->type.isError() && !list->type.isList())
        c.error("type-mismatch", list->range,
                fmt::format("`for` goes through a list, but this is {}", toString(list->type)))
            .note("a range is a list: `for i in 0..n`");
      else if (!list->type.isError())
        element = list->type.element();
      if (source.names.size() > 1 && !element.isError() && !element.isList()) {
        c.error("type-mismatch", source.names.front().range,
                fmt::format("each element is {}, which cannot be taken apart", toString(element)))
            .note("`for (x, y) in zip(a, b)` goes through two lists side by side");
        element = {};
      }
      types.assign(source.names.size(), source.names.size() > 1 && element.isList() ? element.element() : element);
    }
    for (size_t i = 0; i < source.names.size(); ++i) {
      out.loopVars.push_back(declare(source.names[i], types[i], VarKind::Loop));
      size_t part = i - (apart && list->builtin == Builtin::Enumerate); // the index comes first
      if (!apart || part < list->args.size())
        rememberRounding(out.loopVars.back(), apart ? list->args[part] : *list);
      if (types[i].is(TypeKind::Op) ||
          types[i].is(TypeKind::Chain)) { // the parts of zip and enumerate are its lists, an index before them
        size_t list0 = list->kind == ExprKind::Builtin && list->builtin == Builtin::Enumerate ? 1 : 0;
        var(out.loopVars.back()).ops = opsOf(apart ? list->args[i - list0] : *list);
      }
    }
    out.loopGroups.push_back(uint8_t(std::min<size_t>(source.names.size(), 255)));
    several |= source.names.size() > 1;
    lists.push_back(std::move(*list));
  }
  if (!several)
    out.loopGroups.clear();
  Expr element = expr(*e.element);
  if (element.type.is(TypeKind::Op))
    element = convert(std::move(element), TypeKind::Value, "an element");
  if (element.type.lists >= 3) {
    c.error("undefined-type", e.range, "lists are nested at most three deep");
    element = errorExpr(e.range);
  }
  out.type = element.type.isError() ? element.type : element.type.listOf();
  out.args.push_back(std::move(element));
  for (Expr &list : lists)
    out.args.push_back(std::move(list));
  if (e.filter) {
    out.hasFilter = true;
    out.args.push_back(condition(*e.filter, "what the filter of a comprehension asks"));
  }
  closeScope(mark);
  return out;
}

} // namespace rw::sema
