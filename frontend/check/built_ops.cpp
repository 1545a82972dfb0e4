#include "frontend/check/built_ops.h"

#include "frontend/check/calls.h"
#include "frontend/check/constant_ops.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/items.h"
#include "frontend/check/members.h"
#include "frontend/check/names.h"
#include "frontend/check/operand_groups.h"
#include "frontend/check/regions.h"
#include "frontend/check/rounding.h"
#include "frontend/check/string_choices.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/value_types.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace rw::sema {

int resultCount(const BodyContext &b, const OpSet &ops) {
  if (ops.byTrait() || ops.ops.empty())
    return 1;
  int count = -2;
  for (OpIndex id : ops.ops) {
    const Op &op = b.c.module.op(id);
    int here = int(op.results.size());
    for (const OpResultDecl &result : op.results)
      if (result.arity == Arity::Variadic)
        return -1;
    if (count != -2 && count != here)
      return -1;
    count = here;
  }
  return count;
}

int leastResults(const BodyContext &b, const OpSet &ops) {
  if (int most = resultCount(b, ops); ops.byTrait() || ops.ops.empty() || most == 0)
    return most;
  int most = INT_MAX, least = 1;
  for (OpIndex id : ops.ops) {
    const std::vector<OpResultDecl> &results = b.c.module.op(id).results;
    most = std::min(most, int(results.size()));
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].arity == Arity::Variadic)
        return -1;
      else if (!results[i].optional)
        least = std::max(least, int(i) + 1);
  }
  return least <= most ? least : -1;
}

/// Whether an op with an open number of results has no others: then it is a list of values.
static bool givesList(const BodyContext &b, const Build &build) {
  const std::vector<OpIndex> ops = !build.versions.empty() ? build.versions
                                   : build.op              ? std::vector{build.op}
                                                           : b.body.vars[build.like.raw].ops.ops;
  return std::ranges::all_of(ops, [&](OpIndex op) { return b.c.module.op(op).results.size() == 1; });
}

Expr finishBuild(BodyContext &b, Build build, SourceRange range) {
  build.range = range;
  Type type = build.resultCount == 1 ? TypeKind::Value : TypeKind::Op;
  if (build.resultCount == kOpenResults && givesList(b, build))
    type = Type::list(TypeKind::Value);
  Expr out = b.make(ExprKind::Build, type, range);
  out.id = uint32_t(b.body.builds.size());
  b.body.builds.push_back(std::move(build));
  return out;
}

/// An operand of something built: a value, `each x`, `xs...`.
static Expr checkBuildArg(BodyContext &b, const ast::CallArg &arg) {
  if (arg.form == ast::CallArg::Form::Side) {
    b.error("misplaced", arg.range, "`=>` says how a chain's other operands are rewritten; this is no chain")
        .note(fmt::format("an attribute is set by `{} = …`", arg.name.text));
    return b.errorExpr(arg.range);
  }
  if (arg.form == ast::CallArg::Form::Each && arg.value->kind != ast::ExprKind::Name)
    if (std::optional<Expr> each = checkEachOperand(b, *arg.value))
      return std::move(*each);
  Expr value = checkValueOrNone(b, *arg.value, arg.form == ast::CallArg::Form::Plain);
  if (arg.form == ast::CallArg::Form::Plain || value.type.isError())
    return value;
  if (value.type == Type::list(TypeKind::Value))
    return value;
  b.error("type-mismatch", arg.range, fmt::format("this stands for several values, but it is {}", toString(value.type)))
      .note(value.type == Type(TypeKind::Value, 2)
                ? "these are lists of values: `[y for ys in x for y in ys]` is all of them"
            : arg.form == ast::CallArg::Form::Each ? "`each x` is what an `each` on the left bound to x, in order"
                                                   : "`xs...` is what `xs...` bound on the left");
  return b.errorExpr(arg.range);
}

/// Whether it is `none`, or a choice of that.
static bool isNone(const Expr &e) {
  return e.kind == ExprKind::None ? e.type.is(TypeKind::Value)
                                  : e.kind == ExprKind::If && (isNone(e.args[1]) || isNone(e.args[2]));
}

/// Reports `none` in place of an operand that every such op has.
static bool reportNone(BodyContext &b, const Expr &value, const Op &op, const Operand &operand) {
  if (!isNone(value))
    return true;
  Report report = b.error("operand-count", value.range,
                          fmt::format("the operand `{}` of `{}` is never left out, so `none` cannot stand for it",
                                      operand.name, op.fullName()));
  report.note(operand.range,
              fmt::format("`{}` is declared here{}", operand.name,
                          operand.arity == Arity::Variadic
                              ? ""
                              : fmt::format("; one that may be left out is `{}: tensor?`", operand.name)));
  if (operand.arity == Arity::Variadic)
    report.note("of any number of operands fewer are written, or a list of as many as there are: `xs...`");
  return false;
}

void reportNone(BodyContext &b, const OpSet &ops, const ast::Name &attr, SourceRange range) {
  for (OpIndex id : ops.ops) {
    const Op &op = b.c.module.op(id);
    int at = op.attrNamed(attr.text);
    const OpAttrDecl *declared = at < 0 ? nullptr : &op.attrAt(size_t(at));
    if (!declared || declared->optional || op.isStandIn(at))
      continue;
    b.error("missing-attribute", range,
            fmt::format("the attribute `{}` of `{}` is never left out, so `none` cannot stand for it", attr.text,
                        op.fullName()))
        .note(declared->range, declared->defaultValue
                                   ? fmt::format("where `{}` is not mentioned, it is {}", attr.text,
                                                 toString(*declared->defaultValue, b.c.module, op.body))
                                   : fmt::format("one that may be left out is declared `attr {}: {}?`", attr.text,
                                                 declared->spelling()));
    return;
  }
}

/// Whether the declaration has as many operands, and the attributes, that the call mentions.
static bool takes(const sema::Op &op, const ast::CallExpr &e, bool piped) {
  size_t operands = piped, required = 0;
  bool open = false;
  for (const ast::CallArg &arg : e.args)
    if (arg.form == ast::CallArg::Form::Plain && arg.name) {
      if (op.attrNamed(arg.name.text) < 0 && std::ranges::find(op.regions, arg.name.text) == op.regions.end())
        return false;
    } else if (arg.form != ast::CallArg::Form::Attrs) {
      ++operands;
      open |= arg.form != ast::CallArg::Form::Plain;
    }
  for (const Operand &operand : op.operands) {
    required += operand.arity == Arity::Single && !op.standInOf(size_t(&operand - op.operands.data()));
    open |= operand.arity == Arity::Variadic;
  }
  return open || (operands >= required && operands <= op.operands.size());
}

/// Whether the call gives an attribute for which an operand stands.
static bool givesStandIn(const Op &op, const ast::CallExpr &e) {
  return std::ranges::any_of(
      e.args, [&](const ast::CallArg &arg) { return arg.name && op.isStandIn(op.attrNamed(arg.name.text)); });
}

/// Whether the call states an attribute that the two declare at different places: it is set by its name then.
static bool movesAttr(const Op &a, const Op &b, const ast::CallExpr &e) {
  return std::ranges::any_of(e.args, [&](const ast::CallArg &arg) {
    return arg.name && a.attrNamed(arg.name.text) != b.attrNamed(arg.name.text);
  });
}

/// Whether two lists of operands are alike but for optional ones at the end of one of them, which the call does not
/// give.
static bool differInRest(const std::vector<Operand> &a, const std::vector<Operand> &b, const ast::CallExpr &e,
                         bool piped) {
  const std::vector<Operand> &longer = a.size() < b.size() ? b : a;
  size_t common = std::min(a.size(), b.size()), given = piped;
  for (const ast::CallArg &arg : e.args) {
    if (arg.form != ast::CallArg::Form::Plain && arg.form != ast::CallArg::Form::Attrs)
      return false; // so many that it is not known here
    given += arg.form == ast::CallArg::Form::Plain && !arg.name;
  }
  return given <= common &&
         std::equal(a.begin(), a.begin() + ptrdiff_t(common), b.begin(),
                    [](const Operand &x, const Operand &y) { return x.arity == y.arity; }) &&
         std::all_of(longer.begin() + ptrdiff_t(common), longer.end(),
                     [](const Operand &o) { return o.arity == Arity::Optional; });
}

/// Whether two lists of results are alike but for what may be left out behind the first one.
static bool haveSameFirst(const std::vector<OpResultDecl> &a, const std::vector<OpResultDecl> &b) {
  auto rest = [](const std::vector<OpResultDecl> &list) {
    return !list.empty() && list[0].arity == Arity::Single &&
           std::all_of(list.begin() + 1, list.end(), [](const OpResultDecl &r) { return r.optional; });
  };
  return rest(a) && rest(b);
}

/// What keeps a call from meaning the same for two declarations of one op; empty: nothing.
static std::string difference(const Op &a, const Op &b, const ast::CallExpr &e, bool byName, bool piped,
                              const Module &module) {
  auto arities = [](const auto &x, const auto &y) { return x.arity == y.arity; };
  auto plain = [&](const Op &op) {
    std::vector<Operand> out;
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (!byName || !op.standInOf(i))
        out.push_back(op.operands[i]);
    return out;
  };
  if (!std::ranges::equal(plain(a), plain(b), arities) && !(byName && differInRest(a.operands, b.operands, e, piped)))
    return "they have different operands";
  if (!std::ranges::equal(a.results, b.results, arities) && !haveSameFirst(a.results, b.results))
    return "they have different results";
  if (a.regions != b.regions)
    return "they have different regions";
  if (byName) {
    for (size_t i = 0; i < a.attrCount(); ++i) {
      const OpAttrDecl &attr = a.attrAt(i);
      int at = b.attrNamed(attr.name);
      if (at < 0)
        continue;
      const OpAttrDecl &other = b.attrAt(size_t(at));
      bool stated =
          std::ranges::any_of(e.args, [&](const ast::CallArg &arg) { return arg.name && arg.name.text == attr.name; });
      if (stated && (other.type != attr.type || other.choices != attr.choices))
        return fmt::format("they declare `{}` differently", attr.name);
      auto byDefault = [&](const OpAttrDecl &d, const Op &op) {
        return d.defaultValue ? toString(*d.defaultValue, module, op.body) : std::string();
      };
      if (std::string x = byDefault(attr, a), y = byDefault(other, b); !stated && x != y)
        return fmt::format("where it is not stated, `{}` is {} or {}", attr.name, x.empty() ? "absent" : x,
                           y.empty() ? "absent" : y);
    }
    return "";
  }
  for (const OpAttrDecl &attr : a.attrs) {
    bool stated = std::ranges::any_of(e.args, [&](const ast::CallArg &arg) {
      return arg.form == ast::CallArg::Form::Attrs || (arg.name && arg.name.text == attr.name);
    });
    auto other = std::ranges::find(b.attrs, attr.name, &OpAttrDecl::name);
    if (other == b.attrs.end())
      continue; // left out, or `takes` would not hold
    if (stated && (other - b.attrs.begin() != &attr - a.attrs.data() || other->type != attr.type ||
                   other->choices != attr.choices))
      return fmt::format("they declare `{}` differently", attr.name);
    auto byDefault = [&](const OpAttrDecl &d, const Op &op) {
      return d.defaultValue ? toString(*d.defaultValue, module, op.body) : std::string();
    };
    if (std::string x = byDefault(attr, a), y = byDefault(*other, b); !stated && x != y)
      return fmt::format("where it is not stated, `{}` is {} or {}", attr.name, x.empty() ? "absent" : x,
                         y.empty() ? "absent" : y);
  }
  return "";
}

static std::string rangeOf(const Op &op) {
  return fmt::format("{}..{}", op.since, op.until ? std::to_string(*op.until) : "");
}

/// One call may build whichever version of an op the program has, where it means the same for all of them.
static void checkVersions(BodyContext &b, const ast::CallExpr &e, std::span<const OpIndex> ops, bool byName,
                          bool piped) {
  if (ops.size() > 1)
    for (OpIndex id : ops)
      checkNow(b.c, id); // their defaults are compared
  const Op &first = b.c.module.op(ops.front());
  for (OpIndex id : ops.subspan(1)) {
    const Op &other = b.c.module.op(id);
    std::string why = b.c.hasTypeClause(ops.front()) != b.c.hasTypeClause(id)
                          ? "only one of them infers its types"
                          : difference(first, other, e, byName, piped, b.c.module);
    if (why.empty())
      continue;
    b.error("ambiguous-name", e.callee.range,
            fmt::format("`{}` means different things in versions {} and {}: {}", first.fullName(), rangeOf(first),
                        rangeOf(other), why))
        .note(first.nameRange, "one of them")
        .note(other.nameRange, "the other")
        .note("state what differs, mention what only one of them has, or name the matched op and write `d(x)` to build "
              "the same one again");
    return;
  }
}

static bool checkBuildOperands(BodyContext &b, const ast::CallExpr &e, Build &out, const Op &op,
                               std::optional<Expr> first) {
  struct Given {
    Expr value;
    SourceRange range;
  };
  std::vector<Given> given;
  std::vector<std::string_view> attrs;
  b.implied.clear();
  bool named = false, misplaced = false;
  for (const ast::CallArg &arg : e.args) {
    if (arg.form == ast::CallArg::Form::Side) { // which says so
      misplaced |= checkBuildArg(b, arg).type.isError();
      continue;
    }
    if (regionOf(arg))
      continue;
    if (arg.form == ast::CallArg::Form::Plain && arg.name) {
      named |= reportNamedOperand(b, op, arg.name, arg.range);
      attrs.push_back(arg.name.text);
      continue;
    }
    misplaced |= reportIndexedAttribute(b, op, arg);
    if (misplaced || arg.form == ast::CallArg::Form::Attrs)
      continue;
    if (first && given.empty())
      given.push_back({std::move(*first), arg.range});
    else
      given.push_back({checkBuildArg(b, arg), arg.range});
  }
  bool ok = true;
  for (const Given &g : given)
    ok &= !g.value.type.isError();
  size_t variadic = op.operands.size();
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (op.operands[i].arity == Arity::Variadic)
      variadic = i;
  size_t after = variadic < op.operands.size() ? op.operands.size() - variadic - 1 : 0;
  if (named || misplaced)
    return false; // how many operands were meant is not known
  auto wrongCount = [&](SourceRange at) {
    if (!ok) // which may have been meant as something else
      return false;
    b.error("operand-count", at, fmt::format("`{}` has {}, not {}", op.fullName(), operandCount(op), given.size()))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name));
    return false;
  };
  std::vector<size_t> sizes; // of several groups
  if (ok && op.variadicGroups() > 1) {
    std::vector<Expr> values;
    for (Given &g : given)
      values.push_back(std::move(g.value));
    sizes = fitGroups(b, op, e.callee.range, values);
    for (size_t i = 0; i < values.size(); ++i)
      given[i].value = std::move(values[i]);
    if (sizes.empty())
      return false;
  }
  size_t next = 0;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Operand &declared = op.operands[i];
    const auto what = [&] { return fmt::format("the operand `{}` of `{}`", declared.name, op.fullName()); };
    if (declared.arity == Arity::Variadic) {
      size_t end = !sizes.empty() ? next + sizes[i] : given.size() >= next + after ? given.size() - after : next;
      std::vector<Expr> all;
      all.push_back(b.make(ExprKind::List, Type::list(TypeKind::Value), e.range));
      for (; next < end; ++next) {
        Expr value = std::move(given[next].value);
        ok &= reportNone(b, value, op, declared);
        bool isList = value.type.isList();
        value = convert(b, std::move(value), isList ? Type::list(TypeKind::Value) : Type(TypeKind::Value), what);
        if (!isList && all.size() == 1 && all[0].kind == ExprKind::List) {
          all[0].args.push_back(std::move(value));
          continue;
        }
        Expr more = isList ? std::move(value) : b.make(ExprKind::List, Type::list(TypeKind::Value), given[next].range);
        if (!isList)
          more.args.push_back(std::move(value));
        if (all.size() == 1 && all[0].kind == ExprKind::List && all[0].args.empty())
          all[0] = std::move(more);
        else
          all.push_back(std::move(more));
      }
      out.operands.push_back(joinLists(b, all, e.range));
      continue;
    }
    if (next == given.size()) {
      if (declared.arity != Arity::Optional && !op.standInOf(i))
        return wrongCount(e.callee.range);
      out.operands.push_back(b.make(ExprKind::None, TypeKind::Value, e.callee.range));
      continue;
    }
    ok &= declared.arity == Arity::Optional || reportNone(b, given[next].value, op, declared);
    out.operands.push_back(convert(b, std::move(given[next].value), TypeKind::Value, what));
    ok &= !out.operands.back().type.isError();
    ++next;
  }
  b.implied.clear(); // what was built inside had its own
  if (next < given.size())
    return !reportUnnamedAttribute(b, op, attrs, given[next].range) && wrongCount(given[next].range);
  return ok;
}

/// Where an operand stands for an attribute that is stated, it becomes a constant, unless it is what holds by default.
static void checkStandIns(BodyContext &b, std::span<const OpIndex> ops, const std::vector<BuildAttr> &attrs) {
  for (const BuildAttr &attr : attrs)
    for (OpIndex id : ops) {
      const Op &op = b.c.module.op(id);
      int at = op.attrNamed(attr.name);
      if (!op.isStandIn(at) || attr.value.kind == ExprKind::None)
        continue;
      const OpAttrDecl &declared = op.attrAt(size_t(at));
      bool byDefault = declared.defaultValue && toString(*declared.defaultValue, b.c.module, op.body) ==
                                                    toString(attr.value, b.c.module, b.body);
      if (byDefault || hasConstantOp(b.c, op.dialect))
        continue;
      reportNoConstant(b, op.dialect, attr.range)
          .note(op.operands[declared.operand].range,
                fmt::format("of `{}` this operand stands for the attribute `{}`", op.fullName(), attr.name));
      break;
    }
}

static void checkStatedTypes(BodyContext &b, const ast::CallExpr &e, Build &out) {
  if (!e.statedType)
    return;
  OpSet ops = out.op                                    ? OpSet{{out.op}, 0, {}, {}}
              : out.like && out.kind == BuildKind::Like ? b.var(out.like).ops
                                                        : OpSet();
  bool one = out.kind != BuildKind::Chain && resultCount(b, ops) == 1; // then a tuple is what the result is
  if (const auto *tuple = one ? nullptr : e.statedType->as<ast::TupleType>()) {
    for (const ast::TypePtr &type : tuple->elements)
      out.types.push_back(checkType(b, *type));
  } else {
    out.types.push_back(checkType(b, *e.statedType));
  }
  if (!out.op)
    return;
  const Op &op = b.c.module.op(out.op);
  bool variadic = std::any_of(op.results.begin(), op.results.end(),
                              [](const OpResultDecl &r) { return r.arity == Arity::Variadic; });
  if (!variadic && out.types.size() != op.results.size())
    b.error("result-count", e.statedType->range,
            fmt::format("`{}` has {}, not {}", op.fullName(), counted(op.results.size(), "result"), out.types.size()))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name));
}

Expr checkBuild(BodyContext &b, const ast::CallExpr &e, const ast::QualifiedName &callee, std::optional<Expr> first) {
  OpList ops = lookupOp(b.c, callee);
  if (ops.empty())
    return b.errorExpr(e.range);
  // Of an op declared for several ranges of versions, the one is meant that has what the call mentions.
  if (auto fits = [&](OpIndex id) { return takes(b.c.module.op(id), e, first.has_value()); };
      ops.size() > 1 && std::ranges::any_of(ops, fits))
    llvm::erase_if(ops, [&](OpIndex id) { return !fits(id); });
  Build out;
  // Where an operand stands for an attribute in some of the versions, attributes are given by name, and those operands
  // are not.
  out.byName = std::ranges::any_of(ops, [&](OpIndex id) {
    return givesStandIn(b.c.module.op(id), e) || movesAttr(b.c.module.op(ops[0]), b.c.module.op(id), e) ||
           (ops.size() > 1 && !b.c.module.op(id).standIns.empty());
  });
  for (size_t i = 1; i < ops.size() && out.byName; ++i) // the one that has most operands says what stands where
    if (b.c.module.op(ops[i]).operands.size() > b.c.module.op(ops[0]).operands.size())
      std::swap(ops[0], ops[i]);
  out.op = ops.front();
  const Op &op = b.c.module.op(out.op);
  if (ops.size() > 1) {
    checkVersions(b, e, ops, out.byName, first.has_value());
    out.versions = {ops.begin(), ops.end()};
  }
  std::string outer = b.constantDialect;
  b.constantDialect = constantsOf(b.c, op.dialect, outer);
  bool ok = checkBuildOperands(b, e, out, op, std::move(first));
  b.constantDialect = std::move(outer);
  OpSet set, all;
  set.ops = {out.op};
  all.ops.assign(ops.begin(), ops.end());
  checkBuildAttrs(b, e.args, set, out.attrs, true, e.callee.range);
  checkStandIns(b, ops, out.attrs);
  ok &= checkRegionBuilds(b, e, set, true, out.regions);
  checkStatedTypes(b, e, out);
  int results = resultCount(b, all);
  bool open = results < 0 && out.types.empty();
  if (!b.c.hasTypeClause(out.op) && out.types.empty() && results != 0) {
    ok &= !open; // how many results were meant is not known either
    b.error("missing-type", e.callee.range, fmt::format("the result type of `{}` cannot be inferred", op.fullName()))
        .note(op.nameRange, fmt::format("`{}` has no `type` clause", op.name))
        .note("state the type: `" + e.callee.spelling() +
              "(...) -> x.type`; that of what it replaces is `d.type` of `d: ...`");
  }
  if (!ok)
    return b.errorExpr(e.range);
  out.resultCount = open ? kOpenResults : uint32_t(results < 0 ? int(out.types.size()) : results);
  return finishBuild(b, std::move(out), e.range);
}

/// `_ = c`: what of the op that is built is not stated is as `c` has it.
static void handOnAttrs(BodyContext &b, const ast::CallArg &arg, const OpSet &ops, llvm::StringMap<SourceRange> &given,
                        std::vector<BuildAttr> &out) {
  Expr from = checkExpr(b, *arg.value);
  if (from.type.isError() || ops.ops.empty())
    return;
  OpSet sources = opsOf(b, from);
  if (!from.type.is(TypeKind::Op) || sources.ops.empty() || sources.byTrait()) {
    b.error("type-mismatch", arg.value->range,
            from.type.is(TypeKind::Op)
                ? "which attributes an op has that is given by trait only is not known"
                : fmt::format("right of `_ =` stands an op whose attributes are meant, but this is {}",
                              toString(from.type)))
        .note("`c: conv(x, w, _ = _)` on the left names the op, and `_ = c` hands on what it has");
    return;
  }
  const Op &first = b.c.module.op(ops.ops.front());
  auto declares = [&](OpIndex op, std::string_view name) {
    return std::ranges::find(b.c.module.op(op).attrs, name, &OpAttrDecl::name) != b.c.module.op(op).attrs.end();
  };
  for (const OpAttrDecl &attr : first.attrs) {
    if (given.contains(attr.name) ||
        std::ranges::none_of(sources.ops, [&](OpIndex op) { return declares(op, attr.name); }))
      continue;
    given.try_emplace(attr.name, arg.range);
    Expr value = checkOpMember(b, Expr(from), {attr.name, arg.value->range});
    if (value.type.isError())
      continue;
    BuildAttr &made = out.emplace_back();
    made.index = uint32_t(&attr - first.attrs.data());
    made.name = attr.name;
    made.range = arg.range;
    made.value = convert(b, std::move(value), typeOf(attr.type),
                         [&] { return fmt::format("the attribute `{}` of `{}`", attr.name, first.fullName()); });
  }
  // What `c` may have and the other op cannot take is not dropped unseen.
  if (from.kind != ExprKind::Var)
    return;
  std::vector<std::string> dropped;
  for (const std::string &name : b.leftOut[from.id].attrs)
    if (!given.contains(name) && std::ranges::find(dropped, name) == dropped.end())
      dropped.push_back(name);
  if (!dropped.empty())
    b.error("undefined-attribute", arg.range,
            fmt::format("`{}` has no attribute {}, which `{}` may have", first.fullName(), listed(dropped, "and"),
                        b.c.textOf(arg.value->range)))
        .note(first.nameRange, fmt::format("`{}` is declared here", first.name))
        .note(fmt::format("say on the left what it must be, `{0} = 1`, or that it is dropped whatever it is, `{0} = _`",
                          dropped.front()));
}

void checkBuildAttrs(BodyContext &b, const std::vector<ast::CallArg> &args, OpSet ops, std::vector<BuildAttr> &out,
                     bool opIsNew, SourceRange calleeRange) {
  size_t operandsGiven = 0;
  for (const ast::CallArg &arg : args)
    operandsGiven += arg.form != ast::CallArg::Form::Attrs && !(arg.form == ast::CallArg::Form::Plain && arg.name);
  llvm::StringMap<SourceRange> given;
  if (opIsNew)
    for (const std::string &name : b.implied)
      given.try_emplace(name, SourceRange()); // reported
  for (const ast::CallArg &arg : args) {
    if (arg.form != ast::CallArg::Form::Plain || !arg.name || regionOf(arg) || isRegionName(b, ops, arg.name.text) ||
        (opIsNew && given.contains(arg.name.text) && !given[arg.name.text]))
      continue;
    ast::Name name = arg.name;
    if (ops.ops.empty()) {
      b.error("undefined-attribute", name.range,
              fmt::format("`{}` is not known of an op that is given by trait only", name.text));
      continue;
    }
    const Op &first = b.c.module.op(ops.ops.front());
    auto find = [](const Op &op, std::string_view wanted) -> const OpAttrDecl * {
      int at = op.attrNamed(wanted);
      return at < 0 ? nullptr : &op.attrAt(size_t(at));
    };
    if (!find(first, name.text))
      if (const ast::Expr *value = b.substituted(name.text); value && value->kind == ast::ExprKind::Name)
        name.text = value->get<ast::NameExpr>().name.text;
    auto [it, isNew] = given.try_emplace(name.text, name.range);
    if (!isNew) {
      b.error("duplicate-attribute", name.range, fmt::format("the attribute `{}` is given twice", name.text))
          .note(it->second, "here first");
      continue;
    }
    const OpAttrDecl *declared = nullptr;
    for (OpIndex id : ops.ops) {
      const Op &op = b.c.module.op(id);
      declared = find(op, name.text);
      if (declared)
        continue;
      Report report = b.error("undefined-attribute", name.range,
                              fmt::format("`{}` has no attribute `{}`", op.fullName(), name.text));
      std::vector<std::string_view> candidates;
      for (size_t a = 0; a < op.attrCount(); ++a)
        candidates.push_back(op.attrAt(a).name);
      if (std::string_view nearest = b.c.nearestHint(name.text, candidates); !nearest.empty()) {
        report.fixIt(name.range, std::string(nearest))
            .note(find(op, nearest)->range, fmt::format("`{}` is declared here", nearest));
        given.try_emplace(nearest, name.range);
      } else if (std::ranges::find(op.operands, name.text, &Operand::name) != op.operands.end()) {
        report.note(op.nameRange,
                    fmt::format("`{}` is an operand: other operands make another op, which `replace` puts in its place",
                                name.text));
      } else {
        report.note(op.nameRange, fmt::format("`{}` is declared here", op.name));
      }
      break;
    }
    if (!declared) {
      checkExpr(b, *arg.value);
      continue;
    }
    BuildAttr &attr = out.emplace_back();
    const OpAttrDecl *inFirst = find(first, name.text);
    attr.index = uint32_t(first.attrNamed(name.text));
    attr.name = name.text;
    attr.range = arg.range;
    if (saysNone(b, *arg.value)) {
      attr.value = b.make(ExprKind::None, typeOf(inFirst->type), arg.value->range);
      reportNone(b, ops, name, arg.value->range);
      continue;
    }
    attr.value = checkExprAs(b, *arg.value, typeOf(inFirst->type),
                             [&] { return fmt::format("the attribute `{}` of `{}`", name.text, first.fullName()); });
    roundLiterals(b, attr.value);
    checkChoice(
        b, attr.value, inFirst->choices, [&] { return inBackticks(name.text); }, inFirst->range);
  }
  const ast::CallArg *handed = nullptr;
  for (const ast::CallArg &arg : args) {
    if (arg.form != ast::CallArg::Form::Attrs)
      continue;
    if (handed)
      b.error("duplicate-attribute", arg.range, "attributes are those of one op").note(handed->range, "here first");
    else
      handOnAttrs(b, arg, ops, given, out);
    handed = &arg;
  }
  if (!opIsNew)
    return;
  const Op &op = b.c.module.op(ops.ops.front());
  std::vector<std::string> missing;
  SourceRange missingAt;
  for (const OpAttrDecl &attr : op.attrs)
    if (!attr.optional && !b.c.hasDefault(ops.ops.front(), size_t(&attr - op.attrs.data())) &&
        !given.contains(attr.name)) {
      missing.push_back(attr.name);
      missingAt = missingAt ? missingAt : attr.range;
    }
  for (const OpAttrDecl &attr : op.standIns) // unless it is given among the operands
    if (attr.required() && !given.contains(attr.name) && attr.operand >= operandsGiven) {
      missing.push_back(attr.name);
      missingAt = missingAt ? missingAt : attr.range;
    }
  if (!missing.empty())
    b.error("missing-attribute", calleeRange, fmt::format("`{}` needs {}", op.fullName(), listed(missing, "and")))
        .note(missingAt, fmt::format("`{}` is declared here, without a default", missing.front()));
}

/// A matched op that is built again without operands that `..` has left out.
static void reportDroppedOperands(BodyContext &b, const ast::CallExpr &e, VarId id, size_t given) {
  auto left = b.leftOut.find(id.raw);
  if (left == b.leftOut.end() || left->second.operands.empty() || given > left->second.firstOperand)
    return;
  const std::vector<std::string> &names = left->second.operands;
  const std::vector<Operand> &declared = b.c.module.op(b.var(id).ops.ops[0]).operands;
  bool list =
      left->second.firstOperand < declared.size() && declared[left->second.firstOperand].arity == Arity::Variadic;
  b.warning("dropped-operand", e.range,
            fmt::format("`{}` may have {}, which {} dropped here", e.callee.spelling(), listed(names, "and"),
                        names.size() > 1 ? "are" : "is"))
      .note(left->second.rest, "`..` leaves out operands as well as attributes")
      .note(fmt::format("`_ = _` in its place is every attribute and no further operand; `{0}{2}` is the operand, "
                        "there or not, and `{1}(..., {0}{3})` hands it on",
                        names.front(), e.callee.spelling(), list ? "..." : "?", list ? "..." : ""))
      .fixIt(left->second.rest, "_ = _");
}

Expr checkReplay(BodyContext &b, const ast::CallExpr &e, VarId id) {
  b.use(id);
  b.var(id).mayBeUnbound |= b.bounds[id.raw] == Bound::Maybe;
  if (b.allow != Allow::Builds) {
    b.error("build-not-allowed", e.callee.range,
            fmt::format("`{}` is an op: ops are built right of `=>` only", e.callee.spelling()));
    return b.errorExpr(e.range);
  }
  Build out;
  out.kind = BuildKind::Like;
  out.like = id;
  size_t count = 0;
  bool list = false;
  for (const ast::CallArg &arg : e.args) {
    if (arg.form == ast::CallArg::Form::Attrs || (arg.form == ast::CallArg::Form::Plain && arg.name))
      continue;
    Expr value = checkBuildArg(b, arg);
    list |= value.type.isList();
    value = convert(b, std::move(value), value.type.isList() ? Type::list(TypeKind::Value) : Type(TypeKind::Value),
                    "an operand");
    if (value.type.isError())
      return value;
    out.operands.push_back(std::move(value));
    ++count;
  }
  checkBuildAttrs(b, e.args, b.var(id).ops, out.attrs, false, e.callee.range);
  checkStandIns(b, OpSet(b.var(id).ops).ops, out.attrs);
  if (!checkRegionBuilds(b, e, OpSet(b.var(id).ops), false, out.regions))
    return b.errorExpr(e.range);
  out.byName =
      std::ranges::any_of(b.var(id).ops.ops, [&](OpIndex op) { return !b.c.module.op(op).standIns.empty(); }) ||
      attrsMove(b.var(id).ops, out.attrs, b.c.module);
  checkStatedTypes(b, e, out);
  if (!list)
    reportDroppedOperands(b, e, id, count);
  if (b.var(id).ops.byTrait())
    for (const Expr &value : out.operands)
      if (isNone(value)) {
        b.error("operand-count", value.range,
                fmt::format("`{}` is given by trait: which of its operands may be left out is not known",
                            e.callee.spelling()));
        return b.errorExpr(e.range);
      }
  auto optionalInSome = [&](size_t i) {
    return std::ranges::any_of(b.var(id).ops.ops, [&](OpIndex op) {
      const std::vector<Operand> &operands = b.c.module.op(op).operands;
      return i < operands.size() && operands[i].arity == Arity::Optional;
    });
  };
  for (OpIndex op : b.var(id).ops.ops) {
    const Op &declared = b.c.module.op(op);
    for (size_t i = 0; i < declared.operands.size() && i < out.operands.size() && !list; ++i)
      if (!optionalInSome(i) && !reportNone(b, out.operands[i], declared, declared.operands[i]))
        return b.errorExpr(e.range);
    size_t least = 0;
    bool variadic = false;
    for (const Operand &operand : declared.operands) {
      least += operand.arity == Arity::Single && !declared.standInOf(size_t(&operand - declared.operands.data()));
      variadic |= operand.arity == Arity::Variadic;
    }
    if (list || (count >= least && (variadic || count <= declared.operands.size())))
      continue;
    b.error("operand-count", e.callee.range,
            fmt::format("`{}` has {}, not {}", declared.fullName(), operandCount(declared), count))
        .note(declared.nameRange, fmt::format("`{}` is declared here", declared.name));
    return b.errorExpr(e.range);
  }
  if (b.var(id).optional && count == 0) {
    b.error("operand-count", e.callee.range,
            "an optional op needs a first operand, which stands for it where it is absent");
    return b.errorExpr(e.range);
  }
  int results = resultCount(b, b.var(id).ops);
  out.resultCount = uint32_t(std::max(results, 1));
  if (results < 0)
    out.resultCount = out.types.empty() ? kOpenResults : uint32_t(out.types.size());
  else if (!out.types.empty() && int(out.types.size()) != results)
    b.error(
        "result-count", e.statedType->range,
        fmt::format("`{}` has {}, not {}", e.callee.spelling(), counted(size_t(results), "result"), out.types.size()));
  return finishBuild(b, std::move(out), e.range);
}

Expr checkChainReplay(BodyContext &b, const ast::CallExpr &e, VarId id) {
  b.use(id);
  b.var(id).mayBeUnbound |= b.bounds[id.raw] == Bound::Maybe;
  if (b.allow != Allow::Builds) {
    b.error("build-not-allowed", e.callee.range,
            fmt::format("`{}` is a chain of ops: ops are built right of `=>` only", e.callee.spelling()));
    return b.errorExpr(e.range);
  }
  Build out;
  out.kind = BuildKind::Chain;
  out.like = id;
  for (const ast::CallArg &arg : e.args) {
    if (arg.form == ast::CallArg::Form::Side && !out.sideVar) {
      size_t mark = b.openScope();
      if (arg.name)
        out.sideVar = b.declare(arg.name, TypeKind::Value, VarKind::Side);
      else
        b.error("misplaced", arg.range, "left of `=>` stands a name for the other operand");
      out.sideValue = checkExprAs(b, *arg.value, TypeKind::Value, "an operand");
      b.closeScope(mark);
    } else if (arg.form == ast::CallArg::Form::Plain && !arg.name && out.operands.empty()) {
      out.operands.push_back(checkExprAs(b, *arg.value, TypeKind::Value, "what a chain is put on"));
    } else {
      b.error("operand-count", arg.range,
              "a chain takes one value, and at most one `side => ...` for the other operands of its ops");
      return b.errorExpr(e.range);
    }
  }
  if (out.operands.empty()) {
    b.error("operand-count", e.callee.range, "a chain is put on a value: `mid(x)`");
    return b.errorExpr(e.range);
  }
  checkStatedTypes(b, e, out);
  if (out.types.size() > 1)
    b.error("result-count", e.statedType->range, fmt::format("a chain gives 1 value, not {}", out.types.size()));
  return finishBuild(b, std::move(out), e.range);
}

} // namespace rw::sema
