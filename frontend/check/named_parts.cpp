#include "frontend/check/named_parts.h"

#include "frontend/check/body_context.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/names.h"
#include "frontend/check/visible_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

bool mayOpen(CheckContext &c, const Decl &decl, SourceRange used, std::string_view tag, std::string_view what,
             bool isOpen) {
  if (!isOpen && c.open.size() < kMaxUsesDeep)
    return true;
  if (!isOpen) {
    c.error("too-deep", used, fmt::format("{} use each other more than {} deep", what, kMaxUsesDeep))
        .note("write out some of those in between where they are used");
    return false;
  }
  Report report = c.error(std::string(tag), used, fmt::format("`{}` uses itself, and {} cannot", decl.name, what));
  auto from = std::ranges::find(c.open, &decl);
  std::string path;
  for (auto it = from; it != c.open.end(); ++it)
    path += (*it)->name + " -> ";
  if (c.open.end() - from > 1)
    report.note("the way round: " + path + decl.name);
  if (what == "named matches")
    report.note("a chain goes through any number of ops: `elementwise*(x)`");
  if (what == "named rewrites")
    report.note("what is built for each of several values is a list: `[neg(x) for x in xs]`");
  return false;
}

/// A named match, a set or a trait is meant left of `=>`, a named rewrite right of it; an imported op of that name on
/// the other side.
static void warnOfHiddenOp(CheckContext &c, const Decl &decl, const ast::Name &name, const OpList &ops) {
  const std::vector<bool> &visible = visibleFrom(c, decl.file);
  if (decl.imported)
    return;
  bool isRewrite = std::ranges::any_of(c.module.rewrites, [&](const NamedRewrite &r) { return &r == &decl; });
  for (OpIndex index : ops) {
    const Op &op = c.module.op(index);
    bool seen = false;
    for (size_t f = 0; f < c.module.files.size(); ++f)
      seen |= visible[f] && c.module.files[f].id == op.file;
    if (!seen || op.file == decl.file)
      continue;
    c.warning("hides-op", name.range,
              fmt::format("`{}` is also the op `{}`: {} of `=>` the name means what is declared here, {} of it the op",
                          decl.name, op.fullName(), isRewrite ? "right" : "left", isRewrite ? "left" : "right"))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.fullName()))
        .note("give it a name that no op has");
    return;
  }
}

void reportClashes(CheckContext &c, const Decl &decl, const ast::Name &name) {
  auto clash = [&](const Decl &other, std::string_view what) {
    if (&other != &decl && other.file == decl.file)
      c.error("duplicate-name", name.range, fmt::format("there already is {} named `{}`", what, decl.name))
          .note(other.nameRange, fmt::format("`{}` is declared here", decl.name));
  };
  auto first = [&](const auto &table, std::string_view what) {
    if (auto it = table.find(decl.name); it != table.end())
      for (auto index : it->second)
        clash(c.declOf(index), what);
  };
  if (auto ops = c.opsByName.find(decl.name); ops != c.opsByName.end()) {
    clash(c.module.op(ops->second.front()), "an op");
    warnOfHiddenOp(c, decl, name, ops->second);
  }
  if (FnIndex fn = fnNamed(c, decl.name))
    clash(c.module.fn(fn), "a function");
  if (NativeIndex native = nativeNamed(c, decl.name))
    clash(c.module.native(native), "a native function");
  first(c.groups, "a set or trait");
  if (std::ranges::none_of(c.module.groups, [&](const Group &g) { return &g == &decl; })) {
    first(c.matchers, "a named match");
    first(c.rewrites, "a named rewrite");
  }
}

/// Perhaps in the middle of what uses it.
template <class D, class Checked>
static const Checked *checkedOnce(CheckContext &c, PutIn<D> &item, Checked &named, SourceRange used,
                                  std::string_view tag, std::string_view what, bool builds) {
  if (item.state == PutInState::Open || item.state == PutInState::Unseen) {
    if (!mayOpen(c, named, used, tag, what, item.state == PutInState::Open)) {
      ++c.wrongPutIn;
      return nullptr;
    }
    Aside aside(c, named);
    item.state = PutInState::Open;
    const size_t before = c.errorsSeen + c.wrongPutIn;
    reportClashes(c, named, item.decl->name);
    BodyContext b(c, named.body);
    b.allow = builds ? Allow::Builds : Allow::Matches;
    if (!builds || !c.trusts(named.file)) // uses of a rewrite need no more than its declaration says
      checkDefinition(b, *item.decl, named);
    // What uses a wrong one is wrong, though nothing more is said: put in again and again it would come to nothing in
    // ever more steps.
    item.state = c.errorsSeen + c.wrongPutIn == before ? PutInState::Right : PutInState::Wrong;
  }
  if (item.state == PutInState::Right)
    return &named;
  ++c.wrongPutIn;
  return nullptr;
}

const Matcher *checkedMatcher(CheckContext &c, MatcherIndex index, SourceRange used) {
  return checkedOnce(c, c.matcherItems[index.raw], c.module.matchers[index.raw], used, "recursive-match",
                     "named matches", false);
}

const NamedRewrite *checkedRewrite(CheckContext &c, RewriteIndex index, SourceRange used) {
  return checkedOnce(c, c.rewriteItems[index.raw], c.module.rewrites[index.raw], used, "recursive-rewrite",
                     "named rewrites", true);
}

} // namespace rw::sema
