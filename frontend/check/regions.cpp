// A match names the values inside as it does those outside: `body = (a, rest...) => add(a, x)`. What is built there
// again stands in a region that is built with these parameters, `body = (a, rest...) => mul(a, y)`.
#include "frontend/check/regions.h"

#include "frontend/check/actions.h"
#include "frontend/check/bindings.h"
#include "frontend/check/destructure.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/matches.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/value_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

static int regionNamed(const Op &op, std::string_view name) {
  auto it = std::ranges::find(op.regions, name);
  return it == op.regions.end() ? -1 : int(it - op.regions.begin());
}

bool isRegionName(const BodyContext &b, const OpSet &ops, std::string_view name) {
  return !ops.byTrait() && std::ranges::any_of(ops.ops, [&](OpIndex id) {
    return b.c.module.op(id).attrNamed(name) < 0 && regionNamed(b.c.module.op(id), name) >= 0;
  });
}

static const ast::RegionMatch *insideOf(const ast::Match &m) {
  if (const auto *bind = m.as<ast::BindMatch>())
    return bind->inner->as<ast::RegionMatch>();
  return m.as<ast::RegionMatch>();
}

bool isRegion(const BodyContext &b, const ast::MatchArg &arg, const OpSet &ops) {
  return arg.attr && (insideOf(*arg.match) || isRegionName(b, ops, arg.attr.text));
}

/// Parameters or results: one by one, and any number of them where the rest stands.
static void matchRegionValues(BodyContext &b, const std::vector<ast::MatchPtr> &values, OperandMatch &out,
                              const char *what) {
  out.kind = OperandMatchKind::List;
  for (const ast::MatchPtr &value : values) {
    const auto *rest = value->as<ast::RestMatch>();
    if (!rest) {
      out.elements.push_back(checkMatch(b, *value));
      continue;
    }
    if (out.hasRest)
      b.error(
           "bad-rest", value->range,
           fmt::format(
               "there is at most one `...` among the {} of a region: with two, nobody could tell where one ends", what))
          .note("name one of the two by its place, or look at both in the `where`: `len(xs)`, `xs[0]`");
    out.hasRest = true;
    out.restAt = uint32_t(out.elements.size());
    if (rest->name)
      out.rest = bindRest(b, rest->name);
  }
}

static void matchRegion(BodyContext &b, const ast::RegionMatch &m, RegionMatch &out) {
  size_t known = b.body.vars.size();
  llvm::StringMap<SourceRange> params;
  auto isNew = [&](const ast::Name &name) {
    auto [first, isFirst] = params.try_emplace(name.text, name.range);
    if (!isFirst) {
      b.error("duplicate-name", name.range,
              fmt::format("the parameter `{}` stands here twice, and no two parameters are one value", name.text))
          .note(first->second, "here first")
          .note("give each a name of its own; `_` is any");
      return false;
    }
    VarId id = b.find(name.text);
    if (!id || b.bound(id) == Bound::No)
      return true;
    b.error(
         "duplicate-name", name.range,
         fmt::format("`{}` already names something else, and a parameter of a region is a value of its own", name.text))
        .note(b.var(id).range, fmt::format("`{}` is bound here", name.text));
    return false;
  };
  std::vector<ast::Name> names;
  for (const ast::MatchPtr &param : m.params) {
    const ast::Match *one = param.get();
    if (const auto *single = one->as<ast::SingleMatch>())
      one = single->inner.get();
    const auto *bind = one->as<ast::BindMatch>();
    const auto *name = one->as<ast::NameMatch>();
    const auto *rest = one->as<ast::RestMatch>();
    bool fits = one->kind == ast::MatchKind::Any || name || rest || (bind && bind->inner->kind == ast::MatchKind::Type);
    if (!fits) {
      b.error("bad-match", one->range,
              "no op makes a parameter of a region: it is a name, `_`, or `rest...`, with a type perhaps")
          .note("as in `(a, i: i32[], rest...) => add(a, i)`");
      bindNamesOf(b, *one);
    }
    const ast::Name *given = name ? &name->name : bind ? &bind->name : rest && rest->name ? &rest->name : nullptr;
    if (!fits || (given && given->text != "_" && !isNew(*given)))
      return;
  }
  matchRegionValues(b, m.params, out.params, "parameters");
  for (size_t v = 0; v < b.body.vars.size(); ++v)
    if (Var &one = b.var(VarId(uint32_t(v)));
        one.kind == VarKind::Value && (v >= known || std::ranges::any_of(out.params.elements, [&](const Match &x) {
                                         return x.value && x.value.var.raw == v;
                                       })))
      one.paramOf = out.var.var;
  if (out.params.rest)
    b.var(out.params.rest.var).paramOf = out.var.var;
  matchRegionValues(b, m.results, out.results, "results");
}

void matchRegions(BodyContext &b, const ast::OpMatch &m, Match &out) {
  llvm::StringMap<SourceRange> mentioned;
  for (const ast::MatchArg &arg : m.args) {
    if (!isRegion(b, arg, out.ops))
      continue;
    const std::string &name = arg.attr.text;
    auto [it, isNew] = mentioned.try_emplace(name, arg.attr.range);
    bool ok = isNew;
    if (!isNew) {
      b.error("duplicate-attribute", arg.attr.range, fmt::format("the region `{}` is mentioned twice", name))
          .note(it->second, "here first");
    } else if (out.kind == MatchKind::Chain) {
      b.error("bad-match", arg.range, "a chain goes through ops without regions")
          .note("one op with a region is matched by itself: `loop(x, body = (a) => relu(a))`");
      ok = false;
    } else if (out.ops.byTrait()) {
      b.error("undefined-region", arg.attr.range,
              fmt::format("`{}` is not known of an op that is given by trait only", name))
          .note("list the ops that are meant: `(loop | scan)(x, body = (a) => relu(a))`");
      ok = false;
    }
    RegionMatch place;
    place.range = arg.range;
    for (size_t i = 0; ok && i < out.ops.ops.size(); ++i) {
      const Op &op = b.c.module.op(out.ops.ops[i]);
      place.index.push_back(regionNamed(op, name));
      if (place.index.back() >= 0)
        continue;
      Report report =
          b.error("undefined-region", arg.attr.range, fmt::format("`{}` has no region `{}`", op.fullName(), name));
      std::vector<std::string_view> candidates(op.regions.begin(), op.regions.end());
      suggest(b.c, report, arg.attr.range, name, candidates);
      report.note(op.nameRange, fmt::format("`{}` is declared here", op.name));
      ok = false;
    }
    const ast::Match *asked = arg.match.get();
    const auto *bind = asked->as<ast::BindMatch>();
    const ast::RegionMatch *insides = insideOf(*asked);
    const auto *alone = asked->as<ast::NameMatch>();
    if (ok && alone && saysNone(b, *asked)) {
      b.error("bad-match", asked->range,
              fmt::format("the region `{}` is always there, so `none` cannot stand for it", name))
          .note("`_` is any region; one that a pattern does not speak of need not be written");
      ok = false;
    }
    if (ok && !insides && !alone && asked->kind != ast::MatchKind::Any) {
      b.error("bad-match", asked->range,
              fmt::format("`{}` is a region: it is matched by a name, by `_`, or by what it takes and gives", name))
          .note(fmt::format("as in `{} = (a, rest...) => (relu(a), others...)`", name));
      ok = false;
    }
    if (!ok) {
      bindNamesOf(b, *asked);
      continue;
    }
    if (asked->kind == ast::MatchKind::Any)
      continue;
    if (insides && !bind) {
      place.var = {Use::Bind, b.declare("a region", arg.attr.range, TypeKind::Region, VarKind::Region), arg.attr.range};
      b.var(place.var.var).name = name; // which names nothing: it is found by other words
    } else if (VarId known = b.find(bind ? bind->name.text : alone->name.text); known && b.bound(known) != Bound::No) {
      b.error("duplicate-name", asked->range,
              fmt::format("`{}` already names something else, and two regions are not compared", b.var(known).name))
          .note(b.var(known).range, fmt::format("`{}` is bound here", b.var(known).name))
          .note("give the region a name of its own; `_` is any");
      if (insides)
        bindNamesOf(b, *insides);
      continue;
    } else {
      place.var = bindName(b, bind ? bind->name : alone->name, TypeKind::Region, VarKind::Region);
    }
    if (!place.var)
      continue;
    if (insides && !bind)
      b.use(place.var.var);
    if (b.inEach) {
      b.var(place.var.var).perOperand = true;
      b.eachDepths[place.var.var.raw] = b.eachDepth;
      place.var.use = Use::Bind;
    }
    if (insides) {
      place.looksInside = true;
      matchRegion(b, *insides, place);
    }
    out.regions.push_back(std::move(place));
  }
}

// ---- right sides

/// A parameter: with a type it is a new name, without one it is that of a matched region again.
static bool checkRegionParam(BodyContext &b, const ast::RegionExpr::Param &param, RegionBuild &out) {
  RegionBuild::Param made;
  made.list = param.list;
  if (param.type) {
    if (!param.list) {
      made.type = checkType(b, *param.type);
    } else {
      const auto *named = param.type->as<ast::NamedType>();
      VarId from = named && named->name.dialect && named->name.name.text == "type" && !named->hasDims
                       ? b.find(named->name.dialect.text)
                       : VarId();
      if (!from || !(b.var(from).type == Type::list(TypeKind::Value))) {
        b.error("type-mismatch", param.type->range,
                "the types of any number of parameters are those of a list of values")
            .note(fmt::format("as in `{}... -> xs.type`, where `xs...` is bound on the left", param.name.text));
        return false;
      }
      Expr list = b.varExpr(from, param.type->range);
      b.use(from);
      VarId each = b.declare("x", param.type->range, TypeKind::Value, VarKind::Loop);
      b.use(each);
      Expr type = b.make(ExprKind::Property, TypeKind::Type, param.type->range);
      type.property = Property::Type;
      type.args.push_back(b.varExpr(each, param.type->range));
      std::vector<Expr> parts;
      parts.push_back(std::move(type));
      parts.push_back(std::move(list));
      made.type = b.make(ExprKind::Comprehension, Type::list(TypeKind::Type), param.type->range, std::move(parts));
      made.type->loopVars.push_back(each);
    }
    if (made.type->type.isError())
      return false;
    made.var = b.declare(param.name, param.list ? Type::list(TypeKind::Value) : Type(TypeKind::Value), VarKind::Let);
    b.use(made.var); // the op asks for it, whether the region does or not
    out.params.push_back(std::move(made));
    return true;
  }
  VarId id = b.find(param.name.text);
  VarId region = id ? b.var(id).paramOf : VarId();
  if (region && b.var(region).type.isList()) {
    b.error("missing-type", param.range,
            fmt::format(
                "`{}` is a parameter of regions of several ops that `each` names, and a region is built anew of one",
                param.name.text))
        .note(b.var(id).range, "it is bound here")
        .note(fmt::format(
            "a new parameter has its type stated: `{} -> x.type`; a region may be handed on as it is: `body = b`",
            param.name.text));
    b.declare(param.name, TypeKind::Error, VarKind::Let);
    return false;
  }
  bool same = region && b.var(id).type == (param.list ? Type::list(TypeKind::Value) : Type(TypeKind::Value));
  if (!same) {
    Report report = b.error("missing-type", param.range,
                            fmt::format("the type of the parameter `{}` is not known", param.name.text));
    if (region)
      report.note(
          b.var(id).range,
          b.var(id).type.isList() && !param.list
              ? fmt::format("`{0}` is a list of parameters here: `{0}...` is all of them again", param.name.text)
              : fmt::format("`{}` is {} here", param.name.text, toString(b.var(id).type)));
    report.note(fmt::format(
        "state it: `{}`; only a parameter of a region that the left side names, `body = ({}) => …`, is known",
        param.list ? param.name.text + "... -> xs.type" : param.name.text + " -> x.type",
        param.name.text + (param.list ? "..." : "")));
    b.declare(param.name, TypeKind::Error, VarKind::Let);
    return false;
  }
  b.use(id);
  if (out.source && out.source != region) {
    b.error("bad-region", param.range,
            fmt::format("`{}` is a parameter of another region than those before it", param.name.text))
        .note(b.var(id).range, "bound here")
        .note("a region is built anew of one matched region; other parameters have their types stated: `b -> x.type`");
    return false;
  }
  if (std::ranges::any_of(out.params, [&](const RegionBuild::Param &other) { return other.var == id; })) {
    b.error("duplicate-name", param.range, fmt::format("the parameter `{}` stands here twice", param.name.text))
        .note("each is there once; one more has a name and a type of its own: `b -> a.type`");
    return false;
  }
  out.source = region;
  made.var = id;
  out.params.push_back(std::move(made));
  return true;
}

/// `body = (a -> x.type) => (relu(a), y)`, `body = b`, `body = d.body`. False after a report.
static bool checkRegionBuild(BodyContext &b, const ast::CallArg &arg, const Op &op, uint32_t index, RegionBuild &out) {
  out.index = index;
  out.range = arg.range;
  const auto *region = regionOf(arg);
  if (!region) {
    Expr copied = checkExpr(b, *arg.value);
    if (copied.type.isError())
      return false;
    if (!copied.type.is(TypeKind::Region)) {
      b.error("type-mismatch", arg.value->range,
              fmt::format("`{}` of `{}` is a region, but this is {}", op.regions[index], op.fullName(),
                          toString(copied.type)))
          .note(fmt::format(
              "`{0} = (a -> x.type) => relu(a)` is a new one, `{0} = b` one that the left side names so: `{0} = b`",
              op.regions[index]));
      return false;
    }
    out.copied = std::move(copied);
    return true;
  }
  size_t mark = b.openScope(), errors = b.c.errorsSeen;
  llvm::StringMap<SourceRange> names;
  for (const ast::RegionExpr::Param &param : region->params) {
    if (auto [it, isNew] = names.try_emplace(param.name.text, param.range); !isNew && param.type) {
      b.error("duplicate-name", param.range, fmt::format("the parameter `{}` stands here twice", param.name.text))
          .note(it->second, "here first");
      continue;
    }
    checkRegionParam(b, param, out);
  }
  const ast::Expr *e = region->result.get();
  for (; const auto *let = e->as<ast::LetExpr>(); e = let->body.get())
    checkLets(b, let->names, *let->value, out.lets, true);
  for (Expr &value : checkValues(b, *e)) {
    bool list = value.type.isList();
    out.results.push_back(convert(b, std::move(value), list ? Type::list(TypeKind::Value) : Type(TypeKind::Value),
                                  [&] { return fmt::format("a result of the region `{}`", op.regions[index]); }));
  }
  b.closeScope(mark);
  return b.c.errorsSeen == errors;
}

bool checkRegionBuilds(BodyContext &b, const ast::CallExpr &e, const OpSet &ops, bool opIsNew,
                       std::vector<RegionBuild> &out) {
  llvm::StringMap<SourceRange> given;
  bool failed = false;
  for (const ast::CallArg &arg : e.args) {
    if (arg.form != ast::CallArg::Form::Plain || !arg.name || (!regionOf(arg) && !isRegionName(b, ops, arg.name.text)))
      continue;
    auto [it, isNew] = given.try_emplace(arg.name.text, arg.name.range);
    if (!isNew) {
      b.error("duplicate-attribute", arg.name.range, fmt::format("the region `{}` is given twice", arg.name.text))
          .note(it->second, "here first");
      failed = true;
      continue;
    }
    std::optional<int> index;
    bool ok = !ops.ops.empty() && !ops.byTrait();
    if (!ok)
      b.error("undefined-region", arg.name.range,
              fmt::format("`{}` is not known of an op that is given by trait only", arg.name.text))
          .note("list the ops that are meant: `d: (loop | scan)(x)`");
    for (OpIndex id : ops.ops) {
      const Op &op = b.c.module.op(id);
      int here = regionNamed(op, arg.name.text);
      if (here >= 0 && (!index || *index == here)) {
        index = here;
        continue;
      }
      Report report =
          b.error("undefined-region", arg.name.range,
                  here < 0 ? fmt::format("`{}` has no region `{}`", op.fullName(), arg.name.text)
                           : fmt::format("`{}` is not the same region in all the ops this may be", arg.name.text));
      std::vector<std::string_view> candidates(op.regions.begin(), op.regions.end());
      if (here < 0)
        suggest(b.c, report, arg.name.range, arg.name.text, candidates);
      report.note(op.nameRange, fmt::format("`{}` is declared here", op.name));
      for (std::string_view candidate : candidates)
        given.try_emplace(candidate, arg.name.range); // most likely meant
      ok = false;
      break;
    }
    for (size_t i = 1; ok && i < ops.ops.size() && !opIsNew; ++i) {
      const Op &one = b.c.module.op(ops.ops.front()), &other = b.c.module.op(ops.ops[i]);
      if (one.regions.size() == other.regions.size())
        continue;
      b.error("bad-region", arg.name.range,
              fmt::format("`{}` and `{}` have different regions, so that the others cannot be kept", one.fullName(),
                          other.fullName()))
          .note(one.nameRange, "one of them")
          .note(other.nameRange, "the other")
          .note("write a pattern for each");
      ok = false;
    }
    if (!ok) {
      failed = true;
      if (!regionOf(arg))
        checkExpr(b, *arg.value);
      continue;
    }
    RegionBuild made;
    if (checkRegionBuild(b, arg, Op(b.c.module.op(ops.ops.front())), uint32_t(*index), made))
      out.push_back(std::move(made));
    else
      failed = true;
  }
  if (!opIsNew)
    return !failed;
  const Op &op = b.c.module.op(ops.ops.front());
  std::vector<std::string> missing;
  for (const std::string &region : op.regions)
    if (!given.contains(region))
      missing.push_back(region);
  if (!missing.empty())
    b.error("missing-region", e.callee.range,
            fmt::format("`{}` needs {} {}", op.fullName(), missing.size() > 1 ? "the regions" : "the region",
                        listed(missing, "and")))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.name))
        .note(fmt::format("`{0} = (a -> x.type) => relu(a)` is a new one; a matched op keeps its own: `d: {1}(x)` on "
                          "the left, and `d(y)` builds it again",
                          missing.front(), op.name));
  std::ranges::sort(out, {}, &RegionBuild::index);
  return !failed && missing.empty();
}

} // namespace rw::sema
