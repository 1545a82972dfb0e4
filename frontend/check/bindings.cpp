#include "frontend/check/bindings.h"

#include "frontend/check/named_matches.h"

#include <fmt/format.h>

namespace rw::sema {

bool sameEachDepth(BodyContext &b, const ast::Name &name, VarId id) {
  if (b.eachDepths[id.raw] == b.eachDepth)
    return true;
  auto depth = [](unsigned n) {
    return n ? fmt::format("within {} of `each`", counted(n, "level")) : std::string("outside `each`");
  };
  b.error("bad-each", name.range,
          fmt::format("`{}` is bound {} here, and {} in another alternative", name.text, depth(b.eachDepth),
                      depth(b.eachDepths[id.raw])))
      .note(b.var(id).range, fmt::format("`{}` is bound here", name.text));
  b.var(id).type = TypeKind::Error;
  return false;
}

VarUse bindName(BodyContext &b, const ast::Name &name, Type type, VarKind kind) {
  VarUse out{Use::Bind, {}, name.range};
  if (!name) { // of `_: int`: each is one by itself, and within `each` one for each operand
    out.var = b.declare(name, type, kind);
    b.var(out.var).localTo = uint8_t(b.eachDepth);
    return out;
  }
  out.var = b.find(name.text);
  if (!out.var) {
    out.var = b.declare(name, type, kind);
    countSite(b, out.var);
    if (b.inEach) {
      b.boundInEach.insert(out.var.raw);
      if (kind == VarKind::Value && type.is(TypeKind::Value))
        b.var(out.var).perOperand = true, b.eachDepths[out.var.raw] = b.eachDepth;
      else
        out.use = Use::BindOrCompare; // the same for every operand
    }
    return out;
  }
  const Var &v = b.var(out.var);
  if (b.inEach && v.perOperand && b.bound(out.var) == Bound::No && v.type.kind == type.kind) {
    b.var(out.var).type = type; // in the `each` of another alternative, which is over
    if (!sameEachDepth(b, name, out.var)) {
      b.setBound(out.var, Bound::Yes);
      return {};
    }
  }
  bool same =
      v.type == type || v.type.isError() || type.isError() || (v.type.is(TypeKind::Op) && type.is(TypeKind::Value));
  if (!same) {
    b.error("type-mismatch", name.range,
            fmt::format("`{}` is {} here, but it was bound to {}", name.text, toString(type), toString(v.type)))
        .note(v.range, fmt::format("`{}` is bound here", name.text));
    return {};
  }
  if (v.type.is(TypeKind::Op) && type.is(TypeKind::Value) && b.bound(out.var) == Bound::No) { // nothing to compare with
    b.error("type-mismatch", name.range,
            fmt::format("`{}` is a value here, but an op in another alternative", name.text))
        .note(v.range, fmt::format("`{}` is bound here", name.text))
        .note("give one of the two another name");
    b.var(out.var).type = TypeKind::Error;
    b.setBound(out.var, Bound::Yes);
    return {};
  }
  switch (b.bound(out.var)) {
  case Bound::No: // in another alternative
    if (b.inEach && !v.perOperand)
      out.use = Use::BindOrCompare;
    break;
  case Bound::Maybe:
    out.use = v.isOptionalOperand() ? Use::Compare : Use::BindOrCompare;
    b.use(out.var);
    if (!v.isOptionalOperand() && !b.names->of && !b.inEach && !b.boundInEach.contains(out.var.raw))
      b.warning("partly-bound", name.range,
                fmt::format("only some alternatives bind `{0}`: after these it is compared here, after the others it "
                            "stands for anything",
                            name.text))
          .note(v.range, fmt::format("`{}` is bound here", name.text))
          .note("bind it in every alternative if it is to be the same value, or give one of the two another name");
    break;
  case Bound::Yes: {
    bool shared = b.inEach && !v.perOperand && out.var.raw >= b.eachMark;
    out.use = shared ? Use::BindOrCompare : Use::Compare;
    b.use(out.var);
    break;
  }
  }
  b.setBound(out.var, Bound::Yes);
  countSite(b, out.var);
  return out;
}

VarUse bindRest(BodyContext &b, const ast::Name &name) {
  VarId id = b.find(name.text);
  bool isBefore = id && id.raw < b.eachMark && b.bound(id) == Bound::Yes; // it is compared then
  bool isInner = b.names->of; // of a named match: nobody else sees it (checkGivenArg says so of its parameters)
  if (b.inEach && !isBefore && !isInner) {
    b.error("bad-each", name.range,
            fmt::format("`{}...` inside `each` would be one list, the same for every operand", name.text))
        .note("`_...` is any number of values; a name for the op that has them is one for each operand: `each d: "
              "concat(_..., axis = a)`, and then `d[0].operands`, `[f.operands for f in d]`");
    b.use(id ? id : b.declare(name, Type::list(TypeKind::Value), VarKind::Value));
    return {};
  }
  return bindName(b, name, Type::list(TypeKind::Value), VarKind::Value);
}

void bindNamesOf(BodyContext &b, const ast::Match &m) {
  auto bind = [&](const ast::Name &name) {
    if (!name || name.text == "_" || b.substituted(name.text))
      return;
    VarId id = b.find(name.text);
    if (!id)
      id = b.declare(name.text, name.range, TypeKind::Error, VarKind::Bound);
    b.setBound(id, Bound::Yes); // a parameter of a named match is found, and bound nowhere else
    b.use(id);
  };
  if (const auto *name = m.as<ast::NameMatch>())
    bind(name->name);
  if (const auto *rest = m.as<ast::RestMatch>())
    bind(rest->name);
  if (const auto *named = m.as<ast::BindMatch>()) {
    bind(named->name);
    bindNamesOf(b, *named->inner);
  }
  if (const auto *op = m.as<ast::OpMatch>())
    for (const ast::MatchArg &arg : op->args)
      bindNamesOf(b, *arg.match);
  if (const auto *region = m.as<ast::RegionMatch>())
    for (const auto *list : {&region->params, &region->results})
      for (const ast::MatchPtr &value : *list)
        bindNamesOf(b, *value);
  if (const auto *each = m.as<ast::EachMatch>())
    bindNamesOf(b, *each->inner);
  if (const auto *single = m.as<ast::SingleMatch>())
    bindNamesOf(b, *single->inner);
  if (const auto *constant = m.as<ast::ConstMatch>())
    bindNamesOf(b, *constant->inner);
  if (const auto *optional = m.as<ast::OptionalMatch>())
    bindNamesOf(b, *optional->inner);
  if (const auto *splat = m.as<ast::SplatMatch>())
    bindNamesOf(b, *splat->inner);
  if (const auto *list = m.as<ast::ListMatch>())
    for (const ast::MatchPtr &element : list->elements)
      bindNamesOf(b, *element);
  if (const auto *alternatives = m.as<ast::AlternativesMatch>())
    for (const ast::MatchPtr &alternative : alternatives->alternatives)
      bindNamesOf(b, *alternative);
}

} // namespace rw::sema
