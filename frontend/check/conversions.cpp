#include "frontend/check/conversions.h"

#include "frontend/check/names.h"
#include "frontend/check/passes.h"
#include "frontend/check/unknown_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rw::sema {
namespace {

constexpr int64_t kMostVersions = 1'000'000;
constexpr std::string_view kForm = "as in `conversion c { from stablehlo; to onnx 17..24; patterns label \"c\"; }`";
constexpr std::string_view kClauses[] = {"from", "to", "legal", "patterns", "refuse", "functions"};

using Item = ast::ConversionDecl::Item;
using Clause = ast::ConversionDecl::Clause;

/// Whether the item is a name and nothing more.
bool isName(const Item &i) { return !i.label && !i.text && !i.first; }

class ConversionChecker {
public:
  ConversionChecker(CheckContext &c, Conversion &out) : c_(c), out_(out) {}

  void clause(const Clause &clause) {
    std::string_view word = clause.word.text;
    if (word == "from")
      dialects(clause, out_.from);
    else if (word == "to")
      targets(clause);
    else if (word == "legal")
      legal(clause);
    else if (word == "refuse")
      refuse(clause);
    else if (word == "functions")
      functions(clause);
  }

private:
  Report wrong(SourceRange range, std::string message) { return c_.error("bad-clause", range, std::move(message)); }

  /// The name of a dialect that this file sees; empty if it is none.
  std::string dialect(const Item &item) {
    if (item.label || item.text || item.name.dialect) {
      wrong(item.range, "this is the name of a dialect").note(std::string(kForm));
      return {};
    }
    const ast::Name &name = item.name.name;
    if (c_.isDialect(name.text))
      return name.text;
    if (isDamaged(c_, ast::DeclKind::Dialect, name.text))
      return {};
    Report report = c_.error("undefined-dialect", name.range, fmt::format("no dialect named `{}`", name.text));
    std::vector<std::string_view> known = dialectNames(c_);
    suggest(c_, report, name.range, name.text, known);
    if (c_.nearestHint(name.text, known).empty())
      report.note("import a file that declares ops of it");
    return {};
  }

  void add(std::vector<std::string> &to, std::string name, SourceRange range) {
    if (name.empty())
      return;
    if (std::ranges::count(out_.from, name) || std::ranges::count(out_.to, name))
      c_.error("duplicate-name", range, fmt::format("`{}` is a dialect of this conversion already", name))
          .note("it goes, or it may stay: it is named once, in `from` or in `to`");
    else
      to.push_back(std::move(name));
  }

  void dialects(const Clause &clause, std::vector<std::string> &to) {
    for (const Item &item : clause.items) {
      if (item.first)
        wrong(item.range, "versions are those of the first dialect behind `to`").note(std::string(kForm));
      add(to, dialect(item), item.range);
    }
  }

  void targets(const Clause &clause) {
    for (const Item &item : clause.items) {
      if (item.first && (&item != &clause.items.front() || out_.version)) {
        wrong(item.range, "the first dialect alone has versions").note(std::string(kForm));
      } else if (item.first) {
        if (*item.first < 1 || *item.first > kMostVersions ||
            (item.last && (*item.last < *item.first || *item.last > kMostVersions)))
          wrong(item.range, "versions are two numbers from 1 on, the lower one first")
              .note("the first is tried first, then each up to the last: `17..24`");
        else if (item.open)
          wrong(item.range, "which version is the last one?").note("as in `17..24`; `17` alone is that one");
        out_.version = item.first;
        out_.last = item.last;
      }
      add(out_.to, dialect(item), item.range);
    }
  }

  void legal(const Clause &clause) {
    for (const Item &item : clause.items) {
      if (!isName(item)) {
        wrong(item.range, "this is the name of an op that may be there afterwards").note("as in `legal tensor.call;`");
        continue;
      }
      for (OpIndex op : lookupOp(c_, item.name)) {
        std::string name = c_.module.op(op).fullName();
        if (!std::ranges::count(out_.legal, name))
          out_.legal.push_back(std::move(name));
      }
    }
  }

  void refuse(const Clause &clause) {
    std::string reason = clause.items.back().text ? clause.items.back().name.name.text : std::string();
    if (reason.empty())
      wrong(clause.range, "why are these refused?")
          .note("as in `refuse c64, c128, \"ONNX computes nothing with complex numbers\";`");
    for (const Item &item : clause.items) {
      if (item.text && &item == &clause.items.back())
        continue;
      std::string type = isName(item) && !item.name.dialect ? item.name.name.text : std::string();
      if (!std::ranges::count(dtypeNames(), type)) {
        Report report = wrong(item.range, "this is the name of an element type");
        suggest(c_, report, item.range, type, {dtypeNames().begin(), dtypeNames().end()});
      } else if (std::ranges::find(out_.refused, type, &Conversion::Refused::type) != out_.refused.end()) {
        c_.warning("duplicate-name", item.range, fmt::format("`{}` is refused already", type));
      } else {
        out_.refused.push_back({type, reason});
      }
    }
  }

  void functions(const Clause &clause) {
    const Item &item = clause.items.front();
    std::string_view word =
        isName(item) && !item.name.dialect ? std::string_view(item.name.name.text) : std::string_view();
    if (clause.items.size() > 1 || (word != "keep" && word != "inline"))
      wrong(clause.range, "what becomes of functions and calls is `keep` or `inline`")
          .note("as in `functions inline;`, which is what happens without the clause");
    out_.keepsFunctions = word == "keep";
  }

  CheckContext &c_;
  Conversion &out_;
};

} // namespace

void checkConversion(CheckContext &c, Pass &pass, const ast::ConversionDecl &decl) {
  Conversion &out = pass.conversion.emplace();
  ConversionChecker checker(c, out);
  llvm::StringMap<SourceRange> seen, members;
  for (const Clause &clause : decl.clauses) {
    if (!std::ranges::count(kClauses, clause.word.text)) {
      Report report =
          c.error("bad-clause", clause.word.range, fmt::format("a conversion has no clause `{}`", clause.word.text));
      report.note(fmt::format("its clauses are {}", fmt::join(kClauses, ", ")));
      suggest(c, report, clause.word.range, clause.word.text, {std::begin(kClauses), std::end(kClauses)});
      continue;
    }
    auto [before, isNew] = seen.try_emplace(clause.word.text, clause.word.range);
    if (!isNew && (clause.word.text == "to" || clause.word.text == "functions"))
      c.error("duplicate-name", clause.word.range, fmt::format("`{}` is said twice", clause.word.text))
          .note(before->second, "here first");
    checker.clause(clause);
    if (clause.word.text != "patterns")
      continue;
    for (const ast::ConversionDecl::Item &item : clause.items) {
      if (item.text || item.first)
        c.error("bad-clause", item.range, "this is a pattern, or all with a label")
            .note("as in `patterns label \"lower\", Extra;`");
      else
        checkPassMember(c, {item.label, item.name}, pass, members, "conversion");
    }
  }
  for (std::string_view needed : {"from", "to", "patterns"})
    if (!seen.contains(needed))
      c.error("bad-clause", decl.name.range, fmt::format("the conversion `{}` has no `{}`", pass.name, needed))
          .note(std::string(kForm));
}

} // namespace rw::sema
