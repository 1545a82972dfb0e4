#include "frontend/check/body_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

BodyContext::BodyContext(CheckContext &c, Body &body, size_t visible) : c(c), body(body), errorsBefore(c.errorsSeen) {
  ownNames.imported = c.imported;
  ownNames.file = c.from;
  for (uint32_t i = 0; i < body.vars.size() && i < visible; ++i)
    enter(VarId(i));
  used.resize(body.vars.size());
  eachDepths.resize(body.vars.size());
  bounds.resize(body.vars.size(), Bound::Yes);
}

VarId BodyContext::declare(std::string name, SourceRange range, Type type, VarKind kind) {
  VarId id{uint32_t(body.vars.size())};
  Var var;
  var.name = std::move(name);
  var.type = type;
  var.kind = kind;
  var.range = range;
  body.vars.push_back(std::move(var));
  used.resize(body.vars.size());
  eachDepths.resize(body.vars.size());
  bounds.resize(body.vars.size(), Bound::Yes);
  enter(id);
  return id;
}

void BodyContext::enterAs(std::string_view name, VarId id) {
  auto &entry = *names->innermost.try_emplace(name, 0).first;
  names->scope.push_back({&entry, id, entry.second});
  entry.second = uint32_t(names->scope.size());
}

void BodyContext::closeScope(size_t mark) {
  for (std::vector<Scoped> &scope = names->scope; scope.size() > mark; scope.pop_back())
    scope.back().entry->second = scope.back().hides;
}

VarId BodyContext::declare(const ast::Name &name, Type type, VarKind kind) {
  if (name.text == "if" || name.text == "let" || name.text == "not") {
    c.error("bad-name", name.range, fmt::format("`{}` has a meaning of its own here and cannot be a name", name.text));
    type = TypeKind::Error;
  }
  for (const Substitution &s : c.substitutions && !names->putIn ? *c.substitutions : std::vector<Substitution>{})
    if (s.name == name.text)
      c.error("duplicate-name", name.range, fmt::format("`{}` is a name of the `for` clause", name.text))
          .note(s.value->range, "which stands for this here");
  return declare(name.text, name.range, type, kind);
}

VarId BodyContext::declareLet(const ast::Name &name, Type type) {
  if (VarId id = find(name.text)) {
    c.error("duplicate-name", name.range, fmt::format("`{}` already names something else", name.text))
        .note(var(id).range, fmt::format("`{}` is bound here", name.text));
    type = TypeKind::Error;
  }
  return declare(name, type, VarKind::Let);
}

VarId BodyContext::find(std::string_view name) const {
  uint32_t place = names->innermost.lookup(name);
  return place ? names->scope[place - 1].var : VarId{};
}

const ast::Expr *BodyContext::substituted(std::string_view name) const {
  if (!names->putIn && !c.substitutions)
    return nullptr;
  for (const Substitution &s : names->putIn ? names->constants : *c.substitutions)
    if (s.name == name)
      return s.value;
  return nullptr;
}

ast::QualifiedName BodyContext::resolved(const ast::QualifiedName &name) const {
  ast::QualifiedName out = name;
  if (!name.dialect) {
    const ast::Expr *value = substituted(name.name.text);
    if (!value)
      return out;
    if (const auto *plain = value->as<ast::NameExpr>()) {
      out.name.text = plain->name.text;
    } else if (const auto *member = value->as<ast::MemberExpr>()) {
      if (const auto *dialect = member->object->as<ast::NameExpr>()) {
        out.dialect = {dialect->name.text, name.range};
        out.name.text = member->member.text;
      }
    }
    return out;
  }
  if (const ast::Expr *value = substituted(name.dialect.text))
    if (const auto *plain = value->as<ast::NameExpr>())
      out.dialect.text = plain->name.text;
  if (const ast::Expr *value = substituted(name.name.text))
    if (const auto *plain = value->as<ast::NameExpr>())
      out.name.text = plain->name.text;
  return out;
}

Expr BodyContext::make(ExprKind kind, Type type, SourceRange range, std::vector<Expr> args) {
  Expr e;
  e.kind = kind;
  e.type = type;
  e.range = range;
  e.args = std::move(args);
  return e;
}

Expr BodyContext::varExpr(VarId id, SourceRange range) {
  use(id);
  Expr e = make(ExprKind::Var, var(id).type, range);
  e.id = id.raw;
  if (bounds[id.raw] == Bound::Maybe)
    var(id).mayBeUnbound = true;
  return e;
}

} // namespace rw::sema
