#include "frontend/ast/dumper.h"

#include <fmt/format.h>

namespace rw::ast {

void dump(const Module &module, const SourceManager &sources, std::string &out) {
  Dumper dumper(sources, out);
  for (const DeclPtr &d : module.decls)
    dumper.decl(*d);
  for (const Module::Damaged &d : module.damaged)
    out +=
        fmt::format("damaged {}{}{}\n", d.kind ? declKindName(*d.kind) : "declaration", d.name ? " " : "", d.name.text);
}

void Dumper::params(std::string_view what, const std::vector<Param> &list) {
  for (const Param &p : list) {
    std::string text = p.name ? p.name.text : "_";
    if (p.standsFor.type)
      text += " stands for " + p.standsFor.name.text;
    if (p.arity != Param::Arity::One)
      text += p.arity == Param::Arity::Optional ? " optional" : " variadic";
    auto level = node(what, p.range, text);
    type(*p.type);
  }
}

void Dumper::names(std::string_view what, const std::vector<QualifiedName> &list) {
  for (const QualifiedName &n : list)
    leaf(what, n.range, n.spelling());
}

void Dumper::option(const Option &o) {
  auto level = node("option", o.range, o.name.text);
  expr(*o.value);
}

void Dumper::decl(const Decl &d) {
  std::string_view kind = declKindName(d.kind);
  if (d.kind == DeclKind::Group && d.get<GroupDecl>().isTrait)
    kind = d.get<GroupDecl>().gives ? "trait for" : "trait";
  if (d.kind == DeclKind::Native)
    kind = d.get<NativeDecl>().isConstraint ? "constraint" : "rewrite";
  auto level = node(kind, d.range, d.name.text);
  if (!d.doc.empty())
    leaf("doc", d.docRange, quoted(d.doc));
  switch (d.kind) {
  case DeclKind::Dialect:
    if (!d.get<DialectDecl>().externalName.empty())
      auto external = part("external " + quoted(d.get<DialectDecl>().externalName));
    return;
  case DeclKind::Import:
    return;
  case DeclKind::Op:
    return opDecl(d.get<OpDecl>());
  case DeclKind::Fn: {
    params("param", d.get<FnDecl>().params);
    {
      auto result = part("result");
      type(*d.get<FnDecl>().result);
    }
    return exprPart("body", d.get<FnDecl>().body);
  }
  case DeclKind::Pattern:
    return patternDecl(d.get<PatternDecl>());
  case DeclKind::Matcher:
    return matcherDecl(d.get<MatcherDecl>());
  case DeclKind::Native: {
    const auto &native = d.get<NativeDecl>();
    params("param", native.params);
    params("result", native.results);
    if (native.isExtern)
      auto external = part("extern");
    else
      leaf("code", native.code);
    return;
  }
  case DeclKind::Group:
    for (const ForEntry &tuple : d.get<GroupDecl>().tuples) {
      auto entry = node("entry", tuple.range);
      for (const ExprPtr &v : tuple.values)
        expr(*v);
    }
    return names("member", d.get<GroupDecl>().members);
  case DeclKind::Rewrite:
    params("param", d.get<RewriteDecl>().params);
    params("result", d.get<RewriteDecl>().results);
    for (const StmtPtr &s : d.get<RewriteDecl>().statements)
      stmt(*s);
    return;
  case DeclKind::Pass: {
    for (const auto &m : d.get<PassDecl>().members)
      leaf(m.label ? "label" : "member", m.name.range, m.name.spelling());
    for (const Option &o : d.get<PassDecl>().options)
      option(o);
    return;
  }
  case DeclKind::Pipeline:
    for (const Stage &s : d.get<PipelineDecl>().stages)
      stage(s);
    return;
  case DeclKind::Conversion:
    for (const auto &c : d.get<ConversionDecl>().clauses) {
      auto clause = node("clause", c.range, c.word.text);
      for (const auto &i : c.items)
        leaf(i.label  ? "label"
             : i.text ? "text"
                      : "item",
             i.range,
             i.name.spelling() +
                 (i.first ? fmt::format(" {}..{}", *i.first, i.last ? std::to_string(*i.last) : "") : ""));
    }
    return;
  case DeclKind::Test: {
    const auto &test = d.get<TestDecl>();
    params("param", test.params);
    exprPart("before", test.before);
    exprPart("after", test.after);
    if (!test.after)
      auto unchanged = part("unchanged");
    return;
  }
  case DeclKind::Expect: {
    const auto &expect = d.get<ExpectDecl>();
    leaf("verdict", expect.verdict.range, expect.verdict.text);
    for (const QualifiedName &pattern : expect.patterns)
      leaf("pattern", pattern.range, pattern.spelling());
    return;
  }
  }
}

void Dumper::opDecl(const OpDecl &d) {
  if (d.versions.range)
    leaf("versions", d.versions.range,
         fmt::format("{}..{}", d.versions.first, d.versions.last ? std::to_string(*d.versions.last) : ""));
  params("operand", d.operands);
  params("result", d.results);
  for (const AttrDecl &a : d.attrs) {
    auto level = node("attr", a.range, a.name.text + (a.optional ? " optional" : ""));
    if (!a.doc.empty())
      auto doc = part("doc " + quoted(a.doc));
    if (a.type)
      type(*a.type);
    for (const Name &choice : a.choices)
      leaf("choice", choice.range, quoted(choice.text));
    exprPart("default", a.defaultValue);
  }
  for (const Trait &t : d.traits)
    leaf("trait", t.range, t.args.empty() ? t.name.text : fmt::format("{}({})", t.name.text, joined(t.args)));
  for (const Require &r : d.requires_) {
    auto level = node("require", r.range);
    expr(*r.condition);
    for (const MessagePart &m : r.message) {
      if (m.value)
        exprPart("message", m.value);
      else
        auto text = part("message " + quoted(m.text));
    }
  }
  if (!d.types.empty()) {
    auto level = node("infer", d.typesRange);
    for (const ExprPtr &t : d.types)
      expr(*t);
  }
  for (const Fold &f : d.folds) {
    auto level = node("fold", f.range);
    expr(*f.value);
    exprPart("if", f.condition);
  }
  for (const auto &m : d.means) {
    auto level = node("means", m->range);
    for (const StmtPtr &s : m->result)
      stmt(*s);
    for (const Condition &c : m->conditions)
      exprPart("if", c.value);
  }
  names("canonicalize", d.canonicalize);
  for (const Name &r : d.regions)
    leaf("region", r.range, r.text);
}

void Dumper::patternDecl(const PatternDecl &d) {
  for (const ForClause &f : d.templates) {
    auto level = node("for", f.range, joined(f.names));
    if (f.set)
      leaf("set", f.set.range, f.set.text);
    for (const auto &e : f.entries) {
      auto entry = node("entry", e.range);
      for (const ExprPtr &v : e.values)
        expr(*v);
    }
  }
  for (const NamePart &p : d.nameParts)
    if (p.splice)
      leaf("splice", p.name.range, p.name.text);
  if (d.benefit)
    leaf("benefit", d.benefitRange, std::to_string(*d.benefit));
  if (d.fastmath) {
    auto tag = part("fastmath");
    for (const Name &f : d.freedoms)
      leaf("freedom", f.range, f.text);
  }
  if (d.recursive)
    auto tag = part("recursive");
  if (d.assumeSameType)
    auto tag = part("assume_same_type");
  for (const Name &l : d.labels)
    leaf("label", l.range, quoted(l.text));
  for (const MatchPtr &m : d.roots) {
    auto root = part("root");
    match(*m);
  }
  conditions(d.conditions);
  auto right = node(d.isBlock ? "block" : "right", d.arrow);
  for (const StmtPtr &s : d.result)
    stmt(*s);
}

void Dumper::matcherDecl(const MatcherDecl &d) {
  for (const MatcherDecl::Param &p : d.params) {
    auto level = node("param", p.range, p.name.text);
    if (p.type)
      type(*p.type);
  }
  for (const MatcherDecl::Case &c : d.cases) {
    auto level = node("case", c.range);
    match(*c.match);
    conditions(c.conditions);
  }
}

void Dumper::conditions(const std::vector<Condition> &list) {
  for (const Condition &c : list)
    exprPart(c.letNames.empty() ? "where" : "where let " + joined(c.letNames), c.value);
}

void Dumper::stmt(const Stmt &s) {
  switch (s.kind) {
  case StmtKind::Let: {
    auto level = node("let", s.range, joined(s.get<LetStmt>().names));
    return expr(*s.get<LetStmt>().value);
  }
  case StmtKind::Replace: {
    auto level = node("replace", s.range, s.get<ReplaceStmt>().target.text);
    return expr(*s.get<ReplaceStmt>().value);
  }
  case StmtKind::Update: {
    auto level = node("update", s.range, s.get<UpdateStmt>().target.text);
    for (const CallArg &a : s.get<UpdateStmt>().attrs)
      arg(a);
    return;
  }
  case StmtKind::Erase:
    return leaf("erase", s.range, s.get<EraseStmt>().target.text);
  case StmtKind::Result: {
    auto level = node("value", s.range);
    return expr(*s.get<ResultStmt>().value);
  }
  }
}

void Dumper::stage(const Stage &s) {
  auto level = node("stage", s.range, s.repeat ? fmt::format("repeat {}", *s.repeat) : s.pass.spelling());
  for (const Option &o : s.options)
    option(o);
  for (const Stage &inner : s.stages)
    stage(inner);
}

} // namespace rw::ast
