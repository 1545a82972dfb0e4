// What is put in where it is used, named matches and named rewrites: each is checked by itself once, when something
// first uses it or when its own turn comes; and what its `let`s name.
//
// In:  a declaration, and where it is used.
// Out: what it is, or null if there is something wrong with it, which is said once.
// Elsewhere: how matches are put in is named_matches.cpp, how rewrites are named_rewrites.cpp.
#include "frontend/check/body.h"

#include <utility>

namespace rw::sema {

/// Perhaps in the middle of what uses it.
template <class D, class Checked>
const Checked *Checker::checkedOnce(PutIn<D> &item, Checked &named, SourceRange used, std::string_view tag,
                                    std::string_view what, bool builds) {
  if (item.state == Seen::Open || item.state == Seen::Unseen) {
    if (!mayOpen(named, used, tag, what, item.state == Seen::Open)) {
      ++wrongPutIn_;
      return nullptr;
    }
    Aside aside(*this, named);
    item.state = Seen::Open;
    const size_t before = errorsSeen + wrongPutIn_;
    clashes(named, item.decl->name);
    BodyChecker body(*this, named.body);
    body.allow = builds ? BodyChecker::Allow::Builds : BodyChecker::Allow::Matches;
    if (!builds || !trusts(named.file)) // uses of a rewrite need no more than its declaration says
      body.define(*item.decl, named);
    // What uses a wrong one is wrong, though nothing more is said: put in again and again it would come to nothing in
    // ever more steps.
    item.state = errorsSeen + wrongPutIn_ == before ? Seen::Right : Seen::Wrong;
  }
  if (item.state == Seen::Right)
    return &named;
  ++wrongPutIn_;
  return nullptr;
}

const Matcher *Checker::checkedMatcher(MatcherIndex index, SourceRange used) {
  return checkedOnce(matcherItems_[index.raw], module.matchers[index.raw], used, "recursive-match", "named matches",
                     false);
}

const NamedRewrite *Checker::checkedRewrite(RewriteIndex index, SourceRange used) {
  return checkedOnce(rewriteItems_[index.raw], module.rewrites[index.raw], used, "recursive-rewrite", "named rewrites",
                     true);
}

/// What a `let` names, one or several, in their order. In a region it may hide what has the name, in a block not.
void BodyChecker::letInto(const std::vector<ast::Name> &names, const ast::Expr &written,
                          std::vector<std::pair<VarId, Expr>> &lets, bool mayHide) {
  auto add = [&](const ast::Name &name, Type type) {
    return mayHide ? declare(name, type, VarKind::Let) : declareLet(name, type);
  };
  if (names.size() == 1) {
    Expr value = expr(written);
    VarId id = add(names[0], value.type);
    rememberRounding(id, value);
    rememberOps(id, value);
    lets.emplace_back(id, std::move(value));
    return;
  }
  Apart apart = takeApart(names, written);
  if (apart.value)
    lets.emplace_back(apart.whole, std::move(*apart.value));
  for (size_t i = 0; i < names.size(); ++i) {
    VarId id = add(names[i], apart.parts[i].type);
    lets.emplace_back(id, std::move(apart.parts[i]));
  }
}

} // namespace rw::sema
