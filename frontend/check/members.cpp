#include "frontend/check/members.h"

#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/names.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/unknown_names.h"
#include "frontend/sema/properties.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

/// A result of it, by name.
static Expr checkRewriteMember(BodyContext &b, Expr object, RewriteIndex index, const ast::Name &member) {
  const NamedRewrite &rewrite = b.c.module.rewrite(index);
  const std::vector<ast::Param> &results = b.c.declOfRewrite(index).results;
  SourceRange range{object.range.begin, member.range.end};
  auto at = std::ranges::find_if(results, [&](const ast::Param &result) { return result.name.text == member.text; });
  if (at == results.end()) {
    std::vector<std::string_view> names;
    for (const ast::Param &result : results)
      names.push_back(result.name.text);
    Report report =
        b.error("undefined-member", member.range, fmt::format("`{}` has no result `{}`", rewrite.name, member.text));
    suggest(b.c, report, member.range, member.text, names);
    report.note(rewrite.nameRange, fmt::format("`{}` is declared here", rewrite.name));
    return b.errorExpr(range);
  }
  Expr place = b.make(ExprKind::Int, TypeKind::Int, range, {});
  place.i = at - results.begin();
  std::vector<Expr> args;
  args.push_back(std::move(object));
  args.push_back(std::move(place));
  return b.make(ExprKind::Index, TypeKind::Value, range, std::move(args));
}

Expr checkMember(BodyContext &b, const ast::MemberExpr &e) {
  // `tensor.add` without arguments: a name of two parts, not a member.
  if (const auto *head = e.object->as<ast::NameExpr>(); head && !b.find(head->name.text)) {
    ast::QualifiedName qualified = b.resolved({head->name, e.member, e.range});
    if (b.c.isDialect(qualified.dialect.text)) {
      if (!lookupOp(b.c, qualified).empty())
        b.error("not-a-value", e.range, fmt::format("`{}` is an op, not a value", qualified.spelling()));
      return b.errorExpr(e.range);
    }
  }
  // `body.params`: of a region of the op that is being declared.
  if (const auto *head = e.object->as<ast::NameExpr>(); head && !b.find(head->name.text)) {
    if (VarId part = b.find(head->name.text + "." + e.member.text))
      return b.varExpr(part, e.range);
    else if (b.find(head->name.text + ".params")) {
      Report report = b.error("undefined-member", e.member.range, fmt::format("a region has no `{}`", e.member.text));
      suggest(b.c, report, e.member.range, e.member.text, {"params", "results"});
      return b.errorExpr(e.range);
    }
  }
  // `TensorProto.FLOAT`, `torch.float32`
  if (const auto *module = e.object->as<ast::NameExpr>(); module && !b.find(module->name.text)) {
    std::string_view ours = dtypeOfOthers(e.member.text);
    const bool named = module->name.text == "DataType" || module->name.text == "TensorProto";
    if (ours.empty() && named)
      ours = e.member.text == "FLOAT" ? "f32" : e.member.text == "BOOL" ? "bool" : std::string_view();
    if (!ours.empty() && !b.substituted(module->name.text)) {
      b.error("unbound-name", e.range, "an element type is written by itself").fixIt(e.range, std::string(ours));
      return b.errorExpr(e.range);
    }
  }
  Expr object = checkExpr(b, *e.object);
  if (object.type.isError())
    return object;
  if (object.type.is(TypeKind::Op))
    return checkOpMember(b, std::move(object), e.member);
  if (RewriteIndex rewrite = rewriteOf(b, object))
    return checkRewriteMember(b, std::move(object), rewrite, e.member);
  return checkProperty(b, std::move(object), e.member);
}

Expr checkProperty(BodyContext &b, Expr object, const ast::Name &member) {
  auto isOf = [&](const PropertyInfo &info) {
    return !object.type.isList() && std::ranges::find(info.of, object.type.kind) != info.of.end();
  };
  for (const PropertyInfo &info : properties()) {
    if (info.name != member.text || !isOf(info))
      continue;
    SourceRange range{object.range.begin, member.range.end};
    if (info.isOfTypeClause() && !b.inTypeClause) {
      b.error("misplaced", range, fmt::format("`{}` is asked in the `type` clause of an op only", info.name))
          .note("what is known of what a value holds depends on who infers types; elsewhere the elements of a constant "
                "are asked for, as `c.ints`");
      return b.errorExpr(range);
    }
    std::vector<Expr> args;
    args.push_back(std::move(object));
    Expr out = b.make(ExprKind::Property, info.type, range, std::move(args));
    out.property = info.property;
    return out;
  }
  std::vector<std::string_view> candidates;
  for (const PropertyInfo &info : properties())
    if (isOf(info) && (b.inTypeClause || !info.isOfTypeClause()))
      candidates.push_back(info.name);
  Report report =
      b.error("undefined-member", member.range, fmt::format("{} has no `{}`", toString(object.type), member.text));
  static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"dims", "shape"},        {"ndim", "rank"},       {"ndims", "rank"}, {"element_type", "dtype"},
      {"elementType", "dtype"}, {"elem_type", "dtype"}, {"numel", "size"}};
  auto other =
      std::ranges::find(kOthers, std::string_view(member.text), &std::pair<std::string_view, std::string_view>::first);
  if (other != std::end(kOthers) && std::ranges::find(candidates, other->second) != candidates.end())
    report.fixIt(member.range, std::string(other->second));
  else if (std::string_view ours = wordOfOthers(member.text); !ours.empty())
    report.note(std::string(ours));
  else
    suggest(b.c, report, member.range, member.text, candidates);
  if (std::ranges::find(builtins(), member.text, &BuiltinInfo::name) != builtins().end())
    report.note(fmt::format("it is a function: `{}({})`", member.text, b.c.textOf(object.range)));
  if (!candidates.empty())
    report.note(fmt::format("{} has {}", toString(object.type), listed({candidates.begin(), candidates.end()}, "and")));
  if (object.kind == ExprKind::Var)
    sayWhyValue(b, report, object.var());
  static constexpr std::string_view kMakers[] = {"op",   "defining_op", "definingOp", "op_type", "opType",
                                                 "kind", "def",         "node",       "parent",  "source"};
  if (object.type.is(TypeKind::Value) && std::ranges::count(kMakers, std::string_view(member.text)))
    report.note(fmt::format("which op makes a value is asked by `{} is relu(_)`", b.c.textOf(object.range)));
  if (object.type.is(TypeKind::Region))
    report.note("what a region holds is matched: `body = (a, rest...) => (relu(a), others...)`");
  if (object.kind == ExprKind::Var && object.type.is(TypeKind::Attr) && b.var(object.var()).ofConstant)
    report.note(fmt::format("`{0}` is the element of a constant; the constant has a name by `c: splat({0})`",
                            b.var(object.var()).name));
  if (object.type.isList())
    report.note("this is a list: its elements are `[i]`, their number is `len`");
  return b.errorExpr(member.range);
}

static int indexOf(const auto &declared, std::string_view name) {
  for (size_t i = 0; i < declared.size(); ++i)
    if (declared[i].name == name)
      return int(i);
  return -1;
}

static std::vector<std::string_view> membersOf(const Op &op) {
  std::vector<std::string_view> out;
  for (const Operand &operand : op.operands)
    out.push_back(operand.name);
  for (const OpAttrDecl &attr : op.attrs)
    out.push_back(attr.name);
  for (const OpResultDecl &result : op.results)
    if (!result.name.empty())
      out.push_back(result.name);
  for (const PropertyInfo &info : properties())
    out.push_back(info.name);
  return out;
}

OpSet opsOf(const BodyContext &b, const Expr &e) {
  if (e.kind == ExprKind::Var)
    return b.body.vars[e.var().raw].ops;
  if (e.kind == ExprKind::Index || e.kind == ExprKind::Slice)
    return opsOf(b, e.args[0]);
  OpSet ops;
  if (e.kind != ExprKind::Build)
    return ops;
  const Build &built = b.body.builds[e.build().raw];
  if (built.resultCount == kOpenResults && !built.versions.empty())
    ops.ops = built.versions;
  else if (built.kind == BuildKind::Op)
    ops.ops = {built.op};
  else if (built.like)
    ops = b.body.vars[built.like.raw].ops;
  return ops;
}

NativeIndex nativeOf(const BodyContext &b, const Expr &e) {
  if (!e.type.is(TypeKind::Op))
    return {};
  if (e.kind == ExprKind::Var)
    return b.body.vars[e.var().raw].native;
  return e.kind == ExprKind::Build ? b.body.builds[e.build().raw].native : NativeIndex();
}

/// A result of it, by name.
static Expr checkNativeMember(BodyContext &b, Expr object, NativeIndex id, const ast::Name &member) {
  const Native &native = b.c.module.native(id);
  SourceRange range{object.range.begin, member.range.end};
  auto at = std::ranges::find(native.resultNames, member.text);
  if (member.text.empty() || at == native.resultNames.end()) {
    Report report =
        b.error("undefined-member", member.range, fmt::format("`{}` has no result `{}`", native.name, member.text));
    std::vector<std::string_view> names(native.resultNames.begin(), native.resultNames.end());
    suggest(b.c, report, member.range, member.text, names);
    report.note(native.nameRange, fmt::format("`{}` is declared here", native.name));
    return b.errorExpr(range);
  }
  Expr out = b.make(ExprKind::OpResult, TypeKind::Value, range, {});
  out.i = at - native.resultNames.begin();
  out.text = member.text;
  out.args.push_back(std::move(object));
  return out;
}

RewriteIndex rewriteOf(const BodyContext &b, const Expr &e) {
  if (!(e.type == Type::list(TypeKind::Value)))
    return {};
  const auto &from = e.kind == ExprKind::Var ? b.rewriteVars : b.rewriteCalls;
  auto it = from.find(e.kind == ExprKind::Var ? e.id : e.range.begin.raw);
  bool isCall = e.kind == ExprKind::Var || e.kind == ExprKind::List || e.kind == ExprKind::Let;
  return it == from.end() || !isCall ? RewriteIndex() : it->second;
}

Expr checkOpMember(BodyContext &b, Expr object, const ast::Name &member) {
  OpSet ops = opsOf(b, object);
  SourceRange range{object.range.begin, member.range.end};
  std::optional<Expr> found;
  bool mixed = false;
  for (OpIndex id : ops.ops) {
    const Op &op = b.c.module.op(id);
    Expr out;
    out.range = range;
    if (int i = indexOf(op.attrs, member.text); i >= 0) {
      out.kind = ExprKind::OpAttr;
      out.type = typeOf(op.attrs[size_t(i)].type);
      out.i = i;
    } else if (int j = indexOf(op.operands, member.text); j >= 0) {
      out.kind = ExprKind::OpOperand;
      out.type = Type(TypeKind::Value, op.operands[size_t(j)].arity == Arity::Variadic);
      out.i = j;
      out.behindVariadic = op.isBehindVariadic(size_t(j));
      if (auto left = object.kind == ExprKind::Var ? b.leftOut.find(object.id) : b.leftOut.end();
          left != b.leftOut.end())
        std::erase(left->second.operands, member.text); // whoever speaks of it knows of it
    } else if (int k = indexOf(op.results, member.text); k >= 0) {
      out.kind = ExprKind::OpResult;
      out.type = Type(TypeKind::Value, op.results[size_t(k)].arity == Arity::Variadic);
      bool behind =
          std::any_of(op.results.begin(), op.results.begin() + k, [](auto &r) { return r.arity == Arity::Variadic; });
      out.i = behind ? k - int(op.results.size()) : k; // behind any number of results counted from the end
    } else if (auto region = std::ranges::find(op.regions, member.text); region != op.regions.end()) {
      out.kind = ExprKind::OpRegion;
      out.type = TypeKind::Region;
      out.i = region - op.regions.begin();
    } else {
      out.kind = ExprKind::None;
    }
    out.text = member.text;
    if (!found)
      found = std::move(out);
    else if (found->kind != out.kind || found->i != out.i || found->behindVariadic != out.behindVariadic ||
             !(found->type == out.type))
      mixed = true;
  }
  if (found && found->kind != ExprKind::None && !mixed) {
    found->args.push_back(std::move(object));
    return std::move(*found);
  }
  if (mixed) {
    b.error("undefined-member", member.range,
            fmt::format("`{}` is not the same in all the ops this may be", member.text))
        .note(fmt::format("where it is an attribute of each, the match gives it a name: `{} = a`", member.text));
    return b.errorExpr(range);
  }
  if (NativeIndex native = nativeOf(b, object))
    return checkNativeMember(b, std::move(object), native, member);
  // Not a part of the op: a property of it, or of its only result.
  for (const PropertyInfo &info : properties())
    if (info.name == member.text) {
      if (std::ranges::find(info.of, TypeKind::Op) != info.of.end())
        return checkProperty(b, std::move(object), member);
      Expr value =
          convert(b, std::move(object), TypeKind::Value, [&] { return fmt::format("what has a {}", member.text); });
      return value.type.isError() ? value : checkProperty(b, std::move(value), member);
    }
  if (ops.ops.empty()) {
    b.error(
         "undefined-attribute", member.range,
         fmt::format("`{}` is not known of {}", member.text, ops.any ? "any op" : "an op that is given by trait only"))
        .note("such an op has name, dialect, operands, results, attribute_names and attributes, and the properties of "
              "its result: type, shape, "
              "rank, dtype, size, uses");
    return b.errorExpr(range);
  }
  const Op &op = b.c.module.op(ops.ops.front());
  Report report = b.error("undefined-attribute", member.range,
                          fmt::format("`{}` has no attribute, operand or result `{}`", op.fullName(), member.text));
  std::vector<std::string_view> candidates = membersOf(op);
  if (std::string_view ours = wordOfOthers(member.text); !ours.empty())
    report.note(std::string(ours));
  else if (std::string_view nearest = b.c.nearestHint(member.text, candidates); !nearest.empty())
    report.fixIt(member.range, std::string(nearest));
  candidates.resize(candidates.size() - properties().size());
  std::vector<std::string> declared(candidates.begin(), candidates.end());
  report.note(op.nameRange, declared.empty() ? fmt::format("`{}` is declared here", op.name)
                                             : fmt::format("`{}` has {}, and what its result has, as `d.type`", op.name,
                                                           listed(declared, "and")));
  return b.errorExpr(range);
}

} // namespace rw::sema
