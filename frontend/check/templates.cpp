#include "frontend/check/templates.h"

#include "frontend/check/declare.h"
#include "frontend/check/seen_names.h"
#include "frontend/check/sets_and_traits.h"
#include "frontend/check/wording.h"

#include <fmt/format.h>

namespace rw::sema {

static constexpr size_t kMaxInstances = 10'000;

/// What an entry contributes to a pattern's name: `onnx.Transpose` is onnx_Transpose, -1 is minus_1.
static std::string nameOf(const ast::Expr &entry) {
  auto word = [](std::string_view text) {
    std::string out;
    for (char ch : text)
      out += std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' ? ch : '_';
    return out;
  };
  switch (entry.kind) {
  case ast::ExprKind::Name:
    return word(entry.get<ast::NameExpr>().name.text);
  case ast::ExprKind::Member: {
    const auto &member = entry.get<ast::MemberExpr>();
    return nameOf(*member.object) + "_" + word(member.member.text);
  }
  case ast::ExprKind::Int: {
    int64_t value = entry.get<ast::IntExpr>().value;
    return value < 0 ? "minus_" + std::to_string(value).substr(1) : std::to_string(value);
  }
  case ast::ExprKind::Float: // 0.5 is 0_5
    return word(fmt::format("{}", entry.get<ast::FloatExpr>().value));
  case ast::ExprKind::Bool:
    return entry.get<ast::BoolExpr>().value ? "true" : "false";
  case ast::ExprKind::String:
    return word(entry.get<ast::StringExpr>().value);
  case ast::ExprKind::Unary:
    return "minus_" + nameOf(*entry.get<ast::UnaryExpr>().operand);
  default:
    return "";
  }
}

static bool isEntry(const ast::Expr &value) {
  switch (value.kind) {
  case ast::ExprKind::Name:
  case ast::ExprKind::Int:
  case ast::ExprKind::Float:
  case ast::ExprKind::Bool:
  case ast::ExprKind::String:
    return true;
  case ast::ExprKind::Member:
    return value.get<ast::MemberExpr>().object->kind == ast::ExprKind::Name;
  case ast::ExprKind::Unary: {
    const auto &unary = value.get<ast::UnaryExpr>();
    return unary.op == ast::UnaryOp::Neg &&
           (unary.operand->kind == ast::ExprKind::Int || unary.operand->kind == ast::ExprKind::Float);
  }
  default:
    return false;
  }
}

bool checkEntry(CheckContext &c, const ast::Expr &value) {
  if (isEntry(value))
    return true;
  c.error("bad-template", value.range, "an entry is the name of an op, function or dialect, or a literal")
      .note("what is computed of it stands in the pattern");
  return false;
}

void instantiate(CheckContext &c, const ast::PatternDecl &decl, std::vector<PatternInstance> &out) {
  std::vector<PatternInstance> instances{{&decl, {}}};
  SeenNames seen;
  bool ok = true;
  for (const ast::ForClause &clause : decl.templates) {
    for (const ast::Name &name : clause.names)
      ok &= nameIsNew(c, seen, name, "the template name");
    llvm::StringMap<SourceRange> texts;
    std::vector<ForEntry> entries;
    ok &= entriesOf(c, clause, entries);
    for (const ForEntry &entry : entries) {
      const auto &[range, values] = entry;
      std::string key = keyOf(c, entry);
      if (auto [it, isNew] = texts.try_emplace(key, range); !isNew) {
        c.error("duplicate-name", range,
                fmt::format("`{}` stands twice in this list", values.size() == 1 ? key : "(" + key + ")"))
            .note(it->second, "here first");
        ok = false;
      }
      if (values.size() != clause.names.size()) {
        c.error("argument-count", range,
                fmt::format("this entry has {} for {}", counted(values.size(), "value"),
                            counted(clause.names.size(), "name")))
            .note(clause.names.size() > 1 ? "several stand in parentheses: `{(exp, log), (log, exp)}`"
                                          : "one name takes one entry: `for f in {exp, log}`");
        ok = false;
        if (clause.set)
          break; // its entries are alike
      }
      for (const ast::Expr *value : values)
        ok &= checkEntry(c, *value);
    }
    if (!ok)
      continue;
    if (instances.size() * entries.size() > kMaxInstances) {
      c.error("too-large", clause.range, fmt::format("this makes more than {} patterns", kMaxInstances));
      return;
    }
    std::vector<PatternInstance> product; // the last clause turns fastest
    for (const PatternInstance &base : instances)
      for (const auto &[range, values] : entries) {
        PatternInstance &instance = product.emplace_back(base);
        for (size_t i = 0; i < clause.names.size(); ++i)
          instance.substitutions.push_back({clause.names[i].text, values[i]});
      }
    instances = std::move(product);
  }
  for (const ast::NamePart &part : decl.nameParts)
    if (part.splice && !seen.contains(part.name.text)) {
      c.error("unbound-name", part.name.range, fmt::format("`{}` is no name of a `for` clause", part.name.text));
      ok = false;
    }
  if (ok)
    out.insert(out.end(), std::make_move_iterator(instances.begin()), std::make_move_iterator(instances.end()));
}

SourceRange writtenAt(const CheckContext &c, std::string_view name, SourceRange used) {
  for (const Substitution &s : c.substitutions ? *c.substitutions : std::vector<Substitution>())
    if (const auto *plain = s.value->as<ast::NameExpr>(); plain && plain->name.text == name)
      return s.value->range;
  return used;
}

void sayInstances(const CheckContext &c, Report &report, std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < c.instances.size(); ++i)
    if (!c.instances[i].substitutions.empty() && c.module.patterns[i].name.starts_with(std::string(name) + "_"))
      names.push_back(c.module.patterns[i].name);
  if (names.empty())
    return;
  bool more = names.size() > 3;
  if (more)
    names.resize(3);
  report.note(
      fmt::format("the patterns of the template are called {}{}", listed(names, more ? "," : "and"), more ? " …" : ""));
}

std::string_view instanceMeant(const CheckContext &c, std::string_view name) {
  for (const Pattern &pattern : c.module.patterns)
    for (const auto &dialect : c.dialects) {
      const std::string within = "_" + dialect.getKey().str() + "_";
      size_t at = pattern.name.find(within);
      if (at != std::string::npos && pattern.name.substr(0, at) + pattern.name.substr(at + within.size() - 1) == name)
        return pattern.name;
    }
  return {};
}

std::string instanceNameOf(const PatternInstance &instance) {
  if (instance.decl->nameParts.empty())
    return instance.decl->name.text;
  std::string out;
  for (const ast::NamePart &part : instance.decl->nameParts) {
    if (!part.splice) {
      out += part.name.text;
      continue;
    }
    for (const Substitution &s : instance.substitutions)
      if (s.name == part.name.text)
        out += nameOf(*s.value);
  }
  return out;
}

} // namespace rw::sema
