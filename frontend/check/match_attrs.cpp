#include "frontend/check/match_attrs.h"

#include "frontend/check/bindings.h"
#include "frontend/check/built_ops.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/matches.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/regions.h"
#include "frontend/check/rounding.h"
#include "frontend/check/string_choices.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/value_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

static int attrIndex(const Op &op, std::string_view name) { return op.attrNamed(name); }

static VarUse bindAttr(BodyContext &b, const ast::Name &name, Type type) {
  VarUse use = bindName(b, name, type, VarKind::Bound);
  if (use)
    b.var(use.var).ofAttr = true;
  return use;
}

static bool allLiterals(const ast::ListMatch &list) {
  return std::ranges::all_of(list.elements, [](const ast::MatchPtr &e) {
    const auto *inner = e->as<ast::ListMatch>();
    return inner ? allLiterals(*inner) : e->kind == ast::MatchKind::Literal;
  });
}

static void matchAttrList(BodyContext &b, const ast::ListMatch &m, Type type, AttrMatch &out) {
  if (!type.isList() && !type.is(TypeKind::Attr)) {
    b.error("type-mismatch", m.range, fmt::format("this attribute is {}, but this is a list", toString(type)))
        .note(fmt::format("a name or a literal stands here: `{}`",
                          type.is(TypeKind::String) ? "mode = \"max\"" : "axis = a"));
    return;
  }
  if (type.is(TypeKind::Attr)) {
    b.error("bad-match", m.range, "this attribute may be of any kind, so it is not matched by a list")
        .note("bind it, and compare it in the `where`: `where v == [1, 0]`");
    bindNamesOf(b, m);
    return;
  }
  Type element = out.element = type.element();
  std::vector<Expr> literals;
  bool allLiteral = true;
  for (const ast::MatchPtr &written : m.elements) {
    if (const auto *rest = written->as<ast::RestMatch>()) {
      allLiteral = false;
      if (out.hasRest)
        b.error("bad-rest", written->range, "a list has at most one `...`: with two, nobody could tell where one ends")
            .note("name the whole list, `perm = p`, and look at its parts in the `where`: `p[0..2]`");
      out.hasRest = true;
      out.restAt = uint32_t(out.elements.size());
      if (rest->name)
        out.rest = bindAttr(b, rest->name, type);
      continue;
    }
    AttrMatch::Element &e = out.elements.emplace_back();
    if (std::optional<Expr> value = matchLiteral(b, *written, element, "an element of this list")) {
      roundLiterals(b, *value);
      literals.push_back(*value);
      e.value = std::move(value);
      continue;
    }
    if (const auto *inner = written->as<ast::ListMatch>(); inner && element.isList()) { // a list in a list
      AttrMatch whole;
      matchAttrList(b, *inner, element, whole);
      if (whole.kind == AttrMatchKind::Equal) {
        literals.push_back(*whole.value);
        e.value = std::move(whole.value);
        continue;
      }
      b.error("bad-match", written->range, "a list in a list is matched by a name, by literals, or `_`")
          .note("name it, and say the rest in the `where`: `pads = [p, _...]` and then `p[0] == 0`");
    }
    if (const auto *typed = written->as<ast::TypeMatch>(); typed && element.is(TypeKind::Type)) {
      e.value = checkType(b, *typed->type);
      literals.push_back(*e.value);
      continue;
    }
    allLiteral = false;
    if (written->kind == ast::MatchKind::Any)
      continue;
    if (const auto *name = written->as<ast::NameMatch>())
      e.var = bindAttr(b, name->name, element);
    else if (written->kind != ast::MatchKind::List || !element.isList())
      b.error("bad-match", written->range, "an element of a list is matched by a name, a literal, or `_`")
          .note("as in `perm = [0, p, _, rest...]`; whatever else is asked stands in the `where`");
  }
  out.kind = AttrMatchKind::List;
  if (!allLiteral)
    return;
  out.kind = AttrMatchKind::Equal;
  out.value = b.make(ExprKind::List, type, m.range, std::move(literals));
  out.elements.clear();
}

static void matchAttrChoice(BodyContext &b, const ast::AlternativesMatch &m, Type type, AttrMatch &out) {
  out.kind = AttrMatchKind::OneOf;
  std::vector<SourceRange> all;
  for (const ast::MatchPtr &written : m.alternatives)
    all.push_back(written->range);
  if (!b.names->of)
    warnOfRepetition(b, all, "value");
  for (const ast::MatchPtr &written : m.alternatives) {
    AttrMatch one;
    std::optional<Expr> value = matchLiteral(b, *written, type, "this attribute");
    if (const auto *list = written->as<ast::ListMatch>(); list && allLiterals(*list)) {
      matchAttrList(b, *list, type, one);
      value = std::move(one.value);
      if (!value)
        continue;
    }
    if (value) {
      roundLiterals(b, *value);
      out.choices.push_back(std::move(*value));
      continue;
    }
    b.error("bad-match", written->range, "a choice of attribute values is between literals: `axis = 0 | 1`")
        .note("`axis = a: 0 | 1` also names which it is");
    bindNamesOf(b, *written);
  }
}

static void matchAttrValue(BodyContext &b, const ast::Match &m, Type type, AttrMatch &out) {
  const What what = "this attribute";
  if (std::optional<Expr> value = matchLiteral(b, m, type, what)) {
    roundLiterals(b, *value);
    out.kind = AttrMatchKind::Equal;
    out.value = std::move(value);
    return;
  }
  switch (m.kind) {
  case ast::MatchKind::Any:
    out.kind = AttrMatchKind::Ignored;
    return;
  case ast::MatchKind::Name: {
    const ast::Name &name = m.get<ast::NameMatch>().name;
    VarId id = b.find(name.text);
    if (id && !(b.var(id).type == type) && !b.var(id).type.isError() && convertible(b.var(id).type, type) &&
        b.bound(id) == Bound::Yes) {
      // The same number or list in another guise.
      out.kind = AttrMatchKind::Equal;
      out.value = convert(b, b.varExpr(id, name.range), type, what);
      return;
    }
    out.kind = AttrMatchKind::Var;
    out.var = bindAttr(b, name, type);
    if (!out.var)
      out.kind = AttrMatchKind::Ignored;
    return;
  }
  case ast::MatchKind::List:
    matchAttrList(b, m.get<ast::ListMatch>(), type, out);
    return;
  case ast::MatchKind::Type:
    if (type.is(TypeKind::Type) || type.is(TypeKind::Attr)) {
      out.kind = AttrMatchKind::Equal;
      out.value = convert(b, checkType(b, *m.get<ast::TypeMatch>().type), type, what);
      return;
    }
    break;
  case ast::MatchKind::Alternatives:
    return matchAttrChoice(b, m.get<ast::AlternativesMatch>(), type, out);
  default:
    break;
  }
  b.error("bad-match", m.range, "an attribute is matched by a name, a literal, a list, or `_`")
      .note("to compare it with something computed, bind it and write the condition in the `where`");
  bindNamesOf(b, m);
}

/// `axis = m`, or `axis = a: m`, which binds it as well.
static void matchAttr(BodyContext &b, const ast::Match &written, AttrType declared, const AttrMatch &place,
                      std::vector<AttrMatch> &out) {
  const ast::Match *m = &written;
  Type type = typeOf(declared);
  if (const auto *name = m->as<ast::NameMatch>(); name && b.names->of)
    if (auto asked = b.names->asked.find(name->name.text); asked != b.names->asked.end()) {
      AttrMatch &bound = out.emplace_back(place);
      bound.kind = AttrMatchKind::Var;
      bound.var = bindAttr(b, name->name, type);
      if (!bound.var)
        bound.kind = AttrMatchKind::Ignored;
      InScope outside(b, *asked->second.names);
      return matchAttr(b, *asked->second.match, declared, place, out);
    }
  if (const auto *bind = m->as<ast::BindMatch>()) {
    const auto *kind = bind->inner->as<ast::TypeMatch>();
    const auto *word = kind ? kind->type->as<ast::NamedType>() : nullptr;
    bool plain = word && !word->name.dialect && !word->hasDims;
    static constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
        {"int", TypeKind::Int}, {"float", TypeKind::Float}, {"bool", TypeKind::Bool}, {"string", TypeKind::String}};
    for (const auto &[text, wanted] : kKinds)
      if (plain && word->name.name.text == text && (type.is(wanted) || type.is(TypeKind::Attr))) {
        AttrMatch &bound = out.emplace_back(place);
        bound.kind = AttrMatchKind::Var;
        bound.var = bindAttr(b, bind->name, wanted);
        if (type.is(TypeKind::Attr))
          b.kindAsked.emplace(bound.var.var.raw, text);
        return;
      }
    if (bind->name) {
      AttrMatch &bound = out.emplace_back(place);
      bound.kind = AttrMatchKind::Var;
      bound.var = bindAttr(b, bind->name, type);
    }
    m = bind->inner.get();
  }
  AttrMatch asked = place;
  matchAttrValue(b, *m, type, asked);
  if (asked.kind == AttrMatchKind::Var)
    countSite(b, asked.var.var, true);
  if (asked.kind != AttrMatchKind::Ignored || m == &written)
    out.push_back(std::move(asked));
}

void matchAttrs(BodyContext &b, const ast::OpMatch &m, Match &out) {
  out.ignoreAttrs = bool(m.rest) || out.ops.byTrait();
  llvm::StringMap<SourceRange> mentioned;
  for (const std::string &name : b.implied)
    mentioned.try_emplace(name, m.headRange);
  for (const ast::MatchArg &arg : m.args) {
    if (!arg.attr || std::ranges::find(b.implied, arg.attr.text) != b.implied.end() || isRegion(b, arg, out.ops))
      continue;
    ast::Name name = arg.attr;
    if (out.ops.byTrait()) {
      b.error("undefined-attribute", arg.attr.range,
              fmt::format("`{}` is not known of {}", name.text,
                          out.ops.any ? "any op" : "an op that is given by trait only"))
          .note(out.kind == MatchKind::Chain
                    ? fmt::format("list the ops that have it: `(scale | shift)*(x, {} = ...)`", name.text)
                    : fmt::format("name the op, and ask in the `where`: `contains(d.attribute_names, \"{0}\")`, "
                                  "`d.attributes[index_of(d.attribute_names, \"{0}\")]`",
                                  name.text));
      continue;
    }
    const Op &first = b.c.module.op(out.ops.ops.front());
    if (attrIndex(first, name.text) < 0)
      if (const ast::Expr *value = b.substituted(name.text); value && value->kind == ast::ExprKind::Name)
        name.text = value->get<ast::NameExpr>().name.text;
    auto [it, isNew] = mentioned.try_emplace(name.text, name.range);
    if (!isNew) {
      b.error("duplicate-attribute", name.range, fmt::format("the attribute `{}` is mentioned twice", name.text))
          .note(it->second, "here first");
      continue;
    }
    for (OpIndex id : out.ops.ops)
      if (const Op &op = b.c.module.op(id); op.isStandIn(op.attrNamed(name.text)))
        if (size_t operand = op.attrAt(size_t(op.attrNamed(name.text))).operand;
            operand < out.operands.size() && out.operands[operand].kind != OperandMatchKind::Ignored &&
            !out.operands[operand].elements.empty()) {
          b.error("duplicate-attribute", name.range,
                  fmt::format("the operand `{}` of `{}` stands for the attribute `{}`, and both are mentioned",
                              op.operands[operand].name, op.fullName(), name.text))
              .note(out.operands[operand].elements[0].range, "here as an operand");
          break;
        }
    std::vector<int> index;
    const OpAttrDecl *declared = nullptr;
    bool ok = true;
    for (OpIndex id : out.ops.ops) {
      const Op &op = b.c.module.op(id);
      int i = attrIndex(op, name.text);
      index.push_back(i);
      if (i < 0 && b.operandsMissing && isNamedMatch(op, arg)) { // which was said
        ok = false;
        break;
      }
      if (i < 0) {
        Report report = b.error("undefined-attribute", name.range,
                                fmt::format("`{}` has no attribute `{}`", op.fullName(), name.text));
        std::vector<std::string_view> candidates;
        for (size_t a = 0; a < op.attrCount(); ++a)
          candidates.push_back(op.attrAt(a).name);
        std::string_view nearest = b.c.nearestHint(name.text, candidates);
        if (!nearest.empty()) {
          report.fixIt(name.range, std::string(nearest))
              .note(op.attrAt(size_t(attrIndex(op, nearest))).range, fmt::format("`{}` is declared here", nearest));
          mentioned.try_emplace(nearest, name.range);
        } else if (std::string_view ours = wordOfOthers(name.text); !ours.empty()) {
          report.note(std::string(ours));
        } else {
          report.note(op.nameRange, fmt::format("`{}` is declared here", op.name));
        }
        ok = false;
        break;
      }
      if (declared && declared->type != op.attrAt(size_t(i)).type) {
        b.error("type-mismatch", name.range,
                fmt::format("`{}` is {} or {}, depending on the op", name.text, spelling(declared->type),
                            spelling(op.attrAt(size_t(i)).type)));
        ok = false;
        break;
      }
      declared = &op.attrAt(size_t(i));
    }
    if (!ok) {
      if (const auto *bound = arg.match->as<ast::NameMatch>(); bound && !b.find(bound->name.text))
        b.declare(bound->name, TypeKind::Error, VarKind::Bound);
      continue;
    }
    AttrMatch place;
    place.name = name.text;
    place.range = arg.range;
    place.index = std::move(index);
    size_t before = out.attrs.size();
    if (saysNone(b, *arg.match)) {
      place.kind = AttrMatchKind::Absent;
      reportNone(b, out.ops, name, arg.match->range);
      out.attrs.push_back(std::move(place));
      continue;
    }
    matchAttr(b, *arg.match, declared->type, place, out.attrs);
    checkMatchedChoices(b, *declared, std::span(out.attrs).subspan(before));
  }
  if (out.ops.byTrait())
    return;

  if (out.kind == MatchKind::Chain)
    return; // of its ops' attributes only those count that it mentions

  // Those left out, in the order in which the ops declare them.
  std::vector<std::string> missing;
  SourceRange missingAt;
  OpIndex missingOf;
  for (size_t head = 0; head < out.ops.ops.size(); ++head) {
    const Op &op = b.c.module.op(out.ops.ops[head]);
    for (size_t i = 0; i < op.attrCount(); ++i) {
      const OpAttrDecl &declared = op.attrAt(i);
      // What stands among the operands is asked there.
      if (i >= op.attrs.size() && (out.each || (declared.operand < out.operands.size() &&
                                                out.operands[declared.operand].kind != OperandMatchKind::Ignored)))
        continue;
      if (!mentioned.try_emplace(declared.name, m.headRange).second)
        continue;
      AttrMatch &left = out.attrs.emplace_back();
      left.name = declared.name;
      left.range = m.headRange;
      for (OpIndex id : out.ops.ops)
        left.index.push_back(attrIndex(b.c.module.op(id), declared.name));
      if (m.rest || m.anyAttrs) {
        left.kind = AttrMatchKind::Ignored;
        if (out.op)
          b.leftOut[out.op.var.raw].attrs.push_back(declared.name);
      } else if (declared.optional)
        left.kind = AttrMatchKind::Absent;
      else if (b.c.hasDefault(out.ops.ops[head], i))
        left.kind = AttrMatchKind::Default;
      else {
        missing.push_back(declared.name);
        missingAt = missingAt ? missingAt : declared.range;
        missingOf = missingOf ? missingOf : out.ops.ops[head];
      }
    }
  }
  if (!missing.empty())
    b.error("missing-attribute", m.headRange,
            fmt::format("the match does not mention {} of `{}`", listed(missing, "and"),
                        b.c.module.op(missingOf).fullName()))
        .note(missingAt, fmt::format("`{}` is declared here, without a default", missing.front()))
        .note(fmt::format("write `{} = _` if it may be anything, or `_ = _` if all that is left out may be",
                          missing.front()));
}

} // namespace rw::sema
