#include "frontend/docs/docs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rw::docs {
namespace {
using namespace sema;

/// Text inside a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}
std::string code(std::string_view text) { return fmt::format("`{}`", text); }
std::string codeCell(std::string_view text) { return code(cell(text)); }

class Page {
public:
  Page(const Module &module, const SourceManager &sources) : m_(module), sources_(sources) {}
  std::string render(std::string_view title);

private:
  template <class Decls, class Each> void section(std::string_view heading, const Decls &decls, Each each) {
    auto isShown = [](const Decl &decl) { return !decl.imported && !decl.isPrivate; };
    if (std::ranges::none_of(decls, isShown))
      return;
    out_ += fmt::format("\n## {}\n", heading);
    for (const auto &decl : decls)
      if (isShown(decl))
        each(decl);
  }
  void heading(std::string_view name, const Decl &decl) {
    out_ += fmt::format("\n### {}\n", code(name));
    doc(decl);
  }
  void doc(const Decl &decl) {
    if (!decl.doc.empty())
      out_ += "\n" + decl.doc + "\n";
  }
  /// A list of facts begins on a new paragraph.
  void fact(std::string_view name, std::string_view text) {
    if (!inFacts_)
      out_ += '\n';
    inFacts_ = true;
    out_ += fmt::format("- {}: {}\n", name, text);
  }
  void codeBlock(std::string_view text) { out_ += fmt::format("\n```rw\n{}\n```\n", text); }
  std::string_view written(SourceRange range) const;
  std::string text(const Expr &e, const Body &body) const { return toString(e, m_, body); }

  void op(const Op &);
  void attributes(const Op &);
  void effects(const Op &);
  void types(const Op &);
  void fn(const Fn &);
  void native(const Native &);
  void named(const Decl &);
  void patterns();
  void pattern(const Pattern &, const std::vector<std::string> &instances);
  void pass(const Pass &);

  const Module &m_;
  const SourceManager &sources_;
  std::string out_;
  bool inFacts_ = false;
};

std::string_view Page::written(SourceRange range) const {
  std::string_view all = sources_.text(sources_.fileOf(range.begin));
  size_t begin = sources_.offsetOf(range.begin);
  return all.substr(begin, sources_.offsetOf(range.end) - begin);
}

// ---- ops

void Page::attributes(const Op &op) {
  if (op.attrs.empty())
    return;
  out_ += "\n| attribute | type | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const OpAttrDecl &attr : op.attrs) {
    std::string usual = attr.defaultValue ? codeCell(text(*attr.defaultValue, op.body))
                        : attr.optional   ? "may be left out"
                                          : "required";
    out_ +=
        fmt::format("| {} | {} | {} | {} |\n", code(attr.name),
                    codeCell(fmt::format("{}{}", attr.spelling(), attr.optional ? "?" : "")), usual, cell(attr.doc));
  }
}

void Page::effects(const Op &op) {
  static constexpr uint32_t kEffects = trait::effectRandom | trait::effectError | trait::effectState;
  std::string traits = traitsToString(op.traits & ~kEffects);
  if (op.typeOnly) {
    std::vector<std::string> mapped;
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (!(op.typeOnly >> i & 1))
        mapped.push_back(code(op.operands[i].name));
    traits += fmt::format(" (elementwise in {}; of the other operands only the type counts)", fmt::join(mapped, ", "));
  }
  if (std::vector<std::string> moved; op.moved) {
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (i < 32 && op.moved >> i & 1)
        moved.push_back(code(op.operands[i].name));
    traits += fmt::format(" (moves the elements of {})", fmt::join(moved, ", "));
  }
  if (!traits.empty())
    fact("Traits", traits);
  std::vector<std::string_view> effects;
  if (op.traits & trait::effectRandom)
    effects.push_back("draws random numbers");
  if (op.traits & trait::effectError)
    effects.push_back("may refuse its input");
  if (op.traits & trait::effectState)
    effects.push_back("reads or writes state outside");
  if (effects.empty())
    effects.push_back(op.traits & trait::pure ? "none" : "any: it is neither pure, nor are effects stated");
  fact("Effects", fmt::format("{}", fmt::join(effects, ", ")));
}

void Page::types(const Op &op) {
  for (size_t i = 0; i < op.types.size(); ++i) {
    const std::string &name = op.results[i].name;
    fact(name.empty() ? "Result type" : fmt::format("Type of {}", code(name)), code(text(op.types[i], op.body)));
  }
  if (op.types.empty() && !op.results.empty())
    fact(op.results.size() == 1 ? "Result type" : "Result types",
         op.means.empty() ? "not inferred: stated where the op is built" : "of what it means");
}

void Page::op(const Op &op) {
  std::vector<std::string_view> operands, results;
  for (const Operand &operand : op.operands)
    operands.push_back(written(operand.range));
  for (const OpResultDecl &result : op.results)
    results.push_back(written(result.range));
  bool plain = op.results.size() == 1 && op.results[0].name.empty();
  std::string versions = op.until        ? fmt::format(" versions {}..{}", op.since, *op.until)
                         : op.since != 0 ? fmt::format(" versions {}..", op.since)
                                         : "";
  heading(op.fullName() + versions, op);
  codeBlock(fmt::format("op {}{}({}) -> {}", op.name, versions.empty() ? "" : versions + " ", fmt::join(operands, ", "),
                        plain ? std::string(results[0]) : fmt::format("({})", fmt::join(results, ", "))));
  attributes(op);
  inFacts_ = false;
  if (!op.externalDialect.empty())
    fact("Dialect in other formats", code(op.externalDialect));
  if (!op.regions.empty())
    fact("Regions", fmt::format("`{}`", fmt::join(op.regions, "`, `")));
  effects(op);
  for (const Require &require : op.requires_) {
    std::string message;
    for (const MessagePiece &piece : require.message)
      message += piece.value ? piece.text + "{" + text(*piece.value, op.body) + "}" : piece.text;
    fact("Requires", code(text(require.condition, op.body)) + (message.empty() ? "" : ": " + message));
  }
  types(op);
  for (const FoldRule &fold : op.folds)
    fact("Folds to",
         code(text(fold.value, op.body)) + (fold.condition ? " if " + code(text(*fold.condition, op.body)) : ""));
  for (PatternIndex p : op.means)
    fact("Means", code(written(m_.pattern(p).actions.back().range)) +
                      (m_.pattern(p).conditions.empty() ? "" : " if " + code(written(m_.pattern(p).guard))));
  std::vector<std::string> canonical;
  for (PatternIndex p : op.canonicalize)
    canonical.push_back(code(m_.pattern(p).name));
  if (!canonical.empty())
    fact("Canonicalized by", fmt::format("{}", fmt::join(canonical, ", ")));
}

// ---- functions

void Page::fn(const Fn &fn) {
  std::vector<std::string> params;
  for (VarId p : fn.params)
    params.push_back(fmt::format("{}: {}", fn.body.var(p).name, toString(fn.body.var(p).type)));
  heading(fn.name, fn);
  codeBlock(fmt::format("fn {}({}) -> {} = {}", fn.name, fmt::join(params, ", "), toString(fn.result),
                        text(fn.value, fn.body)));
}

void Page::native(const Native &native) {
  std::vector<std::string> params, results;
  for (size_t i = 0; i < native.params.size(); ++i)
    params.push_back(fmt::format("{}: {}", native.paramNames[i], toString(native.params[i])));
  for (Type type : native.results)
    results.push_back(toString(type));
  heading(native.name, native);
  std::string_view kind = native.isConstraint ? "constraint" : "rewrite";
  std::string result = results.empty()       ? ""
                       : results.size() == 1 ? " -> " + results[0]
                                             : fmt::format(" -> ({})", fmt::join(results, ", "));
  codeBlock(fmt::format("{}{} {}({}){}", native.isExtern ? "extern " : "", kind, native.name, fmt::join(params, ", "),
                        result));
  inFacts_ = false;
  fact("In C++", native.isExtern ? "defined by the program that links it" : "inline in the file");
}

/// What is put in where it is used: its text says it.
void Page::named(const Decl &decl) {
  heading(decl.name, decl);
  codeBlock(written(decl.range));
}

// ---- patterns

void Page::patterns() {
  auto elsewhere = [](const Pattern &p) { return p.imported || p.meaningOf; };
  if (std::ranges::all_of(m_.patterns, elsewhere))
    return;
  out_ += "\n## Patterns\n";
  for (size_t i = 0; i < m_.patterns.size();) {
    const Pattern &first = m_.patterns[i];
    std::vector<std::string> instances;
    for (; i < m_.patterns.size() && m_.patterns[i].range.begin == first.range.begin; ++i)
      instances.push_back(code(m_.patterns[i].name));
    if (!elsewhere(first))
      pattern(first, instances);
  }
}

static std::vector<std::string_view> freedomsOf(FastMath taken) {
  std::vector<std::string_view> out;
  for (std::string_view name : FastMath::kNames)
    if (taken.allows(*FastMath::named(name)))
      out.push_back(name);
  return out;
}

void Page::pattern(const Pattern &p, const std::vector<std::string> &instances) {
  std::string_view name = written(p.nameRange);
  heading(name, p);
  inFacts_ = false;
  if (instances.size() > 1 || name != p.name)
    fact("Patterns", fmt::format("{}", fmt::join(instances, ", ")));
  if (p.benefit != 1)
    fact("Benefit", std::to_string(p.benefit));
  if (p.fastmath)
    fact("Fastmath", p.fastmath.all() ? "right over the reals, not bit for bit; off unless allowed"
                                      : fmt::format("`{}`: right over the reals, not bit for bit; off unless allowed",
                                                    fmt::join(freedomsOf(p.fastmath), "`, `")));
  if (p.recursive)
    fact("Recursive", "may apply to its own result");
  if (p.assumeSameType)
    fact("Types", "the author answers for it that what replaces a value has its type");
  if (!p.labels.empty())
    fact("Labels", fmt::format("`{}`", fmt::join(p.labels, "`, `")));
  std::vector<std::string> homes;
  for (const Pass &pass : m_.passes)
    for (const Pass::Member &member : pass.members)
      if (!pass.imported && ((member.pattern && m_.pattern(member.pattern).range.begin == p.range.begin) ||
                             (!member.pattern && std::ranges::find(p.labels, member.label) != p.labels.end()))) {
        homes.push_back(code(pass.name));
        break;
      }
  if (!homes.empty())
    fact("In", fmt::format("{}", fmt::join(homes, ", ")));
  codeBlock(written(p.range));
}

void Page::pass(const Pass &pass) {
  heading(pass.name, pass);
  inFacts_ = false;
  std::vector<std::string> members;
  for (const Pass::Member &member : pass.members)
    members.push_back(member.pattern ? code(m_.pattern(member.pattern).name)
                                     : fmt::format("every pattern labelled `{}`", member.label));
  if (pass.conversion) {
    const Conversion &c = *pass.conversion;
    fact("From", fmt::format("`{}`", fmt::join(c.from, "`, `")));
    fact("To", fmt::format("`{}`{}", fmt::join(c.to, "`, `"),
                           !c.version ? ""
                           : c.last.value_or(*c.version) == *c.version
                               ? fmt::format(", version {}", *c.version)
                               : fmt::format(", version {}, or the first one up to {} that has all that is needed",
                                             *c.version, *c.last)));
    if (!c.legal.empty())
      fact("May stay", fmt::format("`{}`", fmt::join(c.legal, "`, `")));
    for (const Conversion::Refused &r : c.refused)
      fact("Refused", fmt::format("`{}`: {}", r.type, r.reason));
    fact("Functions", c.keepsFunctions ? "calls stay" : "what is called is put in the place of the call");
  }
  fact(pass.conversion ? "By" : "Runs", fmt::format("{}", fmt::join(members, ", ")));
  if (pass.maxIterations)
    fact("At most", *pass.maxIterations == 1 ? "1 iteration" : fmt::format("{} iterations", *pass.maxIterations));
}

std::string Page::render(std::string_view title) {
  out_ = fmt::format("# {}\n", title);
  section("Ops", m_.ops, [&](const Op &d) { op(d); });
  section("Functions", m_.fns, [&](const Fn &d) { fn(d); });
  section("Functions in C++", m_.natives, [&](const Native &d) { native(d); });
  section("Sets and traits", m_.groups, [&](const Group &d) { named(d); });
  section("Named matches", m_.matchers, [&](const Matcher &d) { named(d); });
  section("Named rewrites", m_.rewrites, [&](const NamedRewrite &d) { named(d); });
  patterns();
  std::vector<Pass> plain, conversions;
  for (const Pass &p : m_.passes)
    (p.conversion ? conversions : plain).push_back(p);
  section("Passes", plain, [&](const Pass &d) { pass(d); });
  section("Conversions", conversions, [&](const Pass &d) { pass(d); });
  section("Pipelines", m_.pipelines, [&](const Pipeline &d) {
    heading(d.name, d);
    out_ += fmt::format("\n    {}\n", d.text);
  });
  return std::move(out_);
}
} // namespace

std::string markdown(const Module &module, const SourceManager &sources, std::string_view title) {
  return Page(module, sources).render(title);
}

} // namespace rw::docs
