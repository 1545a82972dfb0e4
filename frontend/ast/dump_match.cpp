#include "frontend/ast/dumper.h"

namespace rw::ast {

void Dumper::match(const Match &m) {
  auto inner = [&](std::string_view kind, const Match &x, std::string_view text = {}) {
    auto level = node(kind, m.range, text);
    match(x);
  };
  auto all = [&](std::string_view kind, const std::vector<MatchPtr> &list) {
    auto level = node(kind, m.range);
    for (const MatchPtr &x : list)
      match(*x);
  };
  switch (m.kind) {
  case MatchKind::Any:
    return leaf("any", m.range);
  case MatchKind::Name:
    return leaf("bind", m.range, m.get<NameMatch>().name.text);
  case MatchKind::Bind:
    return inner("bind", *m.get<BindMatch>().inner, m.get<BindMatch>().name ? m.get<BindMatch>().name.text : "_");
  case MatchKind::Type:
    return type(*m.get<TypeMatch>().type);
  case MatchKind::Literal:
    return expr(*m.get<LiteralMatch>().value);
  case MatchKind::List:
    return all("list", m.get<ListMatch>().elements);
  case MatchKind::Const:
    return inner("const", *m.get<ConstMatch>().inner);
  case MatchKind::Splat:
    return inner("splat", *m.get<SplatMatch>().inner);
  case MatchKind::Op:
    return opMatch(m.get<OpMatch>());
  case MatchKind::Alternatives:
    return all("alternatives", m.get<AlternativesMatch>().alternatives);
  case MatchKind::Each:
    return inner("each", *m.get<EachMatch>().inner);
  case MatchKind::Single:
    return inner("single", *m.get<SingleMatch>().inner);
  case MatchKind::Optional:
    return inner("optional", *m.get<OptionalMatch>().inner);
  case MatchKind::Region: {
    const auto &region = m.get<RegionMatch>();
    auto level = node("region", m.range);
    auto list = [&](std::string_view what, const std::vector<MatchPtr> &elements) {
      auto inside = part(what);
      for (const MatchPtr &x : elements)
        match(*x);
    };
    list("params", region.params);
    return list("results", region.results);
  }
  case MatchKind::Rest:
    return leaf("rest", m.range, m.get<RestMatch>().name ? m.get<RestMatch>().name.text : "_");
  }
}

void Dumper::opMatch(const OpMatch &m) {
  std::string text;
  for (const QualifiedName &head : m.heads)
    text += (text.empty() ? "" : " | ") + head.spelling();
  switch (m.quantifier) {
  case OpMatch::Quantifier::One:
    break;
  case OpMatch::Quantifier::Optional:
    text += " ?";
    break;
  case OpMatch::Quantifier::Star:
    text += " *";
    break;
  case OpMatch::Quantifier::Plus:
    text += " +";
    break;
  }
  if (m.ordered)
    text += " ordered";
  if (m.result)
    text += " ." + m.result.text;
  auto level = node("op", m.range, text);
  for (const MatchArg &a : m.args) {
    if (!a.attr) {
      match(*a.match);
      continue;
    }
    auto attr = part(a.attr.text + " =");
    match(*a.match);
  }
  if (m.anyAttrs)
    leaf("_ = _", m.anyAttrs);
  if (m.rest)
    leaf("..", m.rest);
}

} // namespace rw::ast
