// Sets and traits of one's own: `set reductions = {onnx.ReduceSum, onnx.ReduceMax};`, `trait movement;`, given by the
// `traits` of an op's declaration or by `trait movement for onnx.Transpose;`. Either stands where the ops could be
// listed: in heads, chains and `for`.
#include "frontend/check/checker.h"

#include <fmt/format.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rw::sema {

/// Of what may be declared in several files, the one that a name means, or none.
template <class Index>
Index Checker::namedOnce(const Named<Index> &table, const ast::Name &name, std::string_view what, bool silent) {
  if (table.empty() || !table.contains(name.text))
    return {};
  FileId file = sources.fileOf(name.range.begin);
  if (auto ops = opsByName_.find(name.text); ops != opsByName_.end()) // a file's own op hides what it imports
    for (OpIndex op : ops->second)
      if (module.op(op).file == file)
        return {};
  llvm::SmallVector<Index, 1> found = meantBy(table, name.text, file);
  if (found.empty())
    return {};
  if (found.size() > 1 && !silent) {
    Report report =
        error("ambiguous-name", name.range, fmt::format("`{}` is a {} of several imported files", name.text, what));
    for (Index index : found)
      report.note(declOf(index).nameRange, "one of them");
    report.note(
        "one that this file declares hides those it imports; one that only its own file needs can be `private` there");
  }
  return found.front();
}
template MatcherIndex Checker::namedOnce(const Named<MatcherIndex> &, const ast::Name &, std::string_view, bool);
template RewriteIndex Checker::namedOnce(const Named<RewriteIndex> &, const ast::Name &, std::string_view, bool);
template GroupIndex Checker::namedOnce(const Named<GroupIndex> &, const ast::Name &, std::string_view, bool);

/// Whether what is checked by itself when it is first used may be checked now: not while it is being checked already.
bool Checker::mayOpen(const Decl &decl, SourceRange used, std::string_view tag, std::string_view what, bool isOpen) {
  if (!isOpen && open_.size() < kMaxUsesDeep)
    return true;
  if (!isOpen) {
    error("too-deep", used, fmt::format("{} use each other more than {} deep", what, kMaxUsesDeep))
        .note("write out some of those in between where they are used");
    return false;
  }
  Report report = error(std::string(tag), used, fmt::format("`{}` uses itself, and {} cannot", decl.name, what));
  auto from = std::ranges::find(open_, &decl);
  std::string path;
  for (auto it = from; it != open_.end(); ++it)
    path += (*it)->name + " -> ";
  if (open_.end() - from > 1)
    report.note("the way round: " + path + decl.name);
  if (what == "named matches")
    report.note("a chain goes through any number of ops: `elementwise*(x)`");
  if (what == "named rewrites")
    report.note("what is built for each of several values is a list: `[neg(x) for x in xs]`");
  return false;
}

/// A named match, a set or a trait is meant left of `=>`, a named rewrite right of it; an imported op of that name on
/// the other side.
void Checker::hidesOp(const Decl &decl, const ast::Name &name, const OpList &ops) {
  const std::vector<bool> &visible = visibleFrom(decl.file);
  if (decl.imported)
    return;
  bool isRewrite = std::ranges::any_of(module.rewrites, [&](const NamedRewrite &r) { return &r == &decl; });
  for (OpIndex index : ops) {
    const Op &op = module.op(index);
    bool seen = false;
    for (size_t f = 0; f < module.files.size(); ++f)
      seen |= visible[f] && module.files[f].id == op.file;
    if (!seen || op.file == decl.file)
      continue;
    warning("hides-op", name.range,
            fmt::format("`{}` is also the op `{}`: {} of `=>` the name means what is declared here, {} of it the op",
                        decl.name, op.fullName(), isRewrite ? "right" : "left", isRewrite ? "left" : "right"))
        .note(op.nameRange, fmt::format("`{}` is declared here", op.fullName()))
        .note("give it a name that no op has");
    return;
  }
}

/// The name stands for something else in the same file.
void Checker::clashes(const Decl &decl, const ast::Name &name) {
  auto clash = [&](const Decl &other, std::string_view what) {
    if (&other != &decl && other.file == decl.file)
      error("duplicate-name", name.range, fmt::format("there already is {} named `{}`", what, decl.name))
          .note(other.nameRange, fmt::format("`{}` is declared here", decl.name));
  };
  auto first = [&](const auto &table, std::string_view what) {
    if (auto it = table.find(decl.name); it != table.end())
      for (auto index : it->second)
        clash(declOf(index), what);
  };
  if (auto ops = opsByName_.find(decl.name); ops != opsByName_.end()) {
    clash(module.op(ops->second.front()), "an op");
    hidesOp(decl, name, ops->second);
  }
  if (FnIndex fn = fnNamed(decl.name))
    clash(module.fn(fn), "a function");
  if (NativeIndex native = nativeNamed(decl.name))
    clash(module.native(native), "a native function");
  first(groups, "a set or trait");
  if (std::ranges::none_of(module.groups, [&](const Group &g) { return &g == &decl; })) {
    first(matchers, "a named match");
    first(rewrites, "a named rewrite");
  }
}

void Checker::declareGroup(Item &item) {
  const auto &decl = item.decl->get<ast::GroupDecl>();
  item.index = 0;
  if (decl.gives)
    return;
  item.index = uint32_t(module.groups.size());
  Group &group = module.groups.emplace_back();
  fill(group, decl, item.imported, item.deferred);
  group.isTrait = decl.isTrait;
  groupItems_.push_back({&decl});
  if (traitNamed(group.name) || group.name == "effect" || group.name == "splat")
    error("duplicate-name", decl.name.range, fmt::format("`{}` has a meaning of its own", group.name))
        .note("give it another name");
  claim(groups, decl.name, item.index, decl.isTrait ? "trait" : "set");
}

/// `trait t for a, b;`
void Checker::giveTraits(Item &item) {
  const auto &decl = item.decl->get<ast::GroupDecl>();
  if (!decl.gives)
    return;
  GroupIndex trait = groupNamed(decl.name);
  if (!trait || !module.group(trait).isTrait) {
    if (isDamaged(ast::DeclKind::Group, decl.name.text))
      return;
    std::vector<std::string_view> candidates;
    for (const Group &group : module.groups)
      if (group.isTrait)
        candidates.push_back(group.name);
    Report report = error(
        "bad-trait", decl.name.range,
        trait ? fmt::format("`{}` is a set, whose ops are those listed where it is declared", decl.name.text)
        : traitNamed(decl.name.text)
            ? fmt::format("what `{}` means is known of an op where it is declared: it is given there", decl.name.text)
            : fmt::format("no trait named `{}`", decl.name.text));
    if (!trait)
      suggest(report, decl.name.range, decl.name.text, candidates);
    report.note(
        fmt::format("a trait is declared by `trait {};`", traitNamed(decl.name.text) ? "mine" : decl.name.text));
    return;
  }
  FileId file = sources.fileOf(decl.range.begin);
  for (const ast::QualifiedName &member : decl.members) {
    auto again = std::ranges::find_if(given_, [&](const Given &given) {
      if (given.trait != trait || given.file != file)
        return false;
      bool sameDialect =
          !given.name || !given.name->dialect || !member.dialect || given.name->dialect.text == member.dialect.text;
      return given.name ? sameDialect && given.name->name.text == member.name.text
                        : module.op(given.op).fullName() == member.spelling() ||
                              (!member.dialect && module.op(given.op).name == member.name.text);
    });
    if (again != given_.end() &&
        !(again->name >= decl.members.data() && again->name < decl.members.data() + decl.members.size()))
      warning("duplicate-name", member.range,
              fmt::format("`{}` has the trait `{}` already", member.spelling(), decl.name.text))
          .note(again->name ? again->name->range : module.op(again->op).nameRange,
                "it is given here first, which is enough");
    given_.push_back({trait, {}, &member, file});
  }
}

GroupIndex Checker::groupNamed(const ast::Name &name, bool silent) {
  return namedOnce(groups, name, "set or trait", silent);
}

const std::vector<OpIndex> &Checker::opsOf(GroupIndex index, SourceRange used) {
  Group &group = module.groups[index.raw];
  auto add = [&](std::vector<OpIndex> &to, OpIndex op) {
    if (std::ranges::find(to, op) == to.end())
      to.push_back(op);
  };
  auto addNamed = [&](std::vector<OpIndex> &to, const ast::QualifiedName &name) {
    GroupIndex inner = name.dialect ? GroupIndex() : groupNamed(name.name);
    if (inner)
      for (OpIndex op : std::vector<OpIndex>(opsOf(inner, name.range)))
        add(to, op);
    else
      for (OpIndex op : lookupOp(name))
        add(to, op);
  };
  auto &item = groupItems_[index.raw];
  if (isOfTuples(index)) {
    static const std::vector<OpIndex> kNone;
    error("misplaced", used, fmt::format("`{}` is of tuples, which only a `for` takes apart", group.name))
        .note(group.nameRange, fmt::format("`{}` is declared here", group.name))
        .note(fmt::format("`for (f, g) in {} pattern …`", group.name));
    return kNone;
  }
  if (!group.isTrait && (item.state == Seen::Right || item.state == Seen::Wrong))
    return group.ops;
  if (item.state == Seen::Open || open_.size() > 90) {
    static const std::vector<OpIndex> kNone;
    if (!mayOpen(group, used, "recursive-set", "sets and traits", item.state == Seen::Open))
      return kNone;
  }
  FileId file = sources.fileOf(used.begin);
  if (group.isTrait)
    if (auto known = traitOps_.find({index.raw, file.index}); known != traitOps_.end())
      return known->second;
  item.state = Seen::Open;
  open_.push_back(&group);
  std::vector<OpIndex> ops;
  if (group.isTrait) {
    const std::vector<bool> &seen = visibleFrom(file);
    for (size_t i = 0; i < given_.size(); ++i) {
      const Given given = given_[i];
      bool visible = false;
      for (size_t f = 0; f < module.files.size(); ++f)
        visible |= seen[f] && module.files[f].id == given.file;
      if (given.trait != index || !visible)
        continue;
      if (given.name) {
        addNamed(ops, *given.name);
      } else {
        want(given.op);
        add(ops, given.op);
      }
    }
  } else {
    for (const ast::QualifiedName &member : item.decl->members)
      addNamed(ops, member);
  }
  open_.pop_back();
  item.state = Seen::Right;
  if (group.isTrait)
    return traitOps_[{index.raw, file.index}] = std::move(ops);
  group.ops = std::move(ops);
  return group.ops;
}

void Checker::checkGroup(const ast::GroupDecl &decl) {
  llvm::StringMap<SourceRange> seen;
  for (const ast::QualifiedName &member : decl.members) {
    auto [it, isNew] = seen.try_emplace(member.spelling(), member.range);
    if (!isNew)
      error("duplicate-name", member.range, fmt::format("`{}` is listed twice", member.spelling()))
          .note(it->second, "here first");
    if (member.dialect || !groupNamed(member.name, true))
      lookupOp(member);
  }
  if (decl.gives)
    return;
  auto item = std::ranges::find(groupItems_, &decl, &PutIn<ast::GroupDecl>::decl);
  GroupIndex index{uint32_t(item - groupItems_.begin())};
  clashes(module.group(index), decl.name);
  if (isOfTuples(index))
    return checkTuples(index);
  opsOf(index, decl.name.range);
  if (decl.isTrait) // of its ops those are known that this file sees
    for (OpIndex op : std::vector<OpIndex>(opsOf(index, decl.name.range)))
      module.groups[index.raw].ops.push_back(op);
}

/// Whether it lists tuples, or sets of tuples. That none of those it lists does is known of each of them then.
bool Checker::isOfTuples(GroupIndex index) {
  if (auto known = isOfTuples_.find(index.raw); known != isOfTuples_.end())
    return known->second;
  std::set<uint32_t> seen;
  std::vector<GroupIndex> pending{index};
  while (!pending.empty()) {
    GroupIndex at = pending.back();
    pending.pop_back();
    const ast::GroupDecl &decl = *groupItems_[at.raw].decl;
    auto known = isOfTuples_.find(at.raw);
    if (!decl.tuples.empty() || (known != isOfTuples_.end() && known->second))
      return isOfTuples_[index.raw] = true;
    if (decl.isTrait || known != isOfTuples_.end() || !seen.insert(at.raw).second)
      continue;
    for (const ast::QualifiedName &member : decl.members)
      if (GroupIndex inner = member.dialect ? GroupIndex() : groupNamed(member.name, true))
        pending.push_back(inner);
  }
  for (uint32_t set : seen)
    isOfTuples_[set] = false;
  return false;
}

/// What tells an entry from others: ops of sets have their dialect, since where they are declared it is not written.
std::string Checker::keyOf(const ForEntry &entry) const {
  std::string out;
  for (const ast::Expr *value : entry.second) {
    const auto *member = value->as<ast::MemberExpr>();
    const auto *dialect = member ? member->object->as<ast::NameExpr>() : nullptr;
    out +=
        (out.empty() ? "" : ", ") + (dialect ? dialect->name.text + "." + member->member.text : textOf(value->range));
  }
  return out;
}

/// Adds what a set stands for, but for what is listed already.
void Checker::addNew(std::vector<ForEntry> entries, std::vector<ForEntry> &out) const {
  llvm::StringSet<> known;
  for (const ForEntry &entry : out)
    known.insert(keyOf(entry));
  for (ForEntry &entry : entries)
    if (known.insert(keyOf(entry)).second)
      out.push_back(std::move(entry));
}

/// The tuples of a set, with those of the sets that it lists, each once. False after a report.
bool Checker::tuplesOf(GroupIndex index, SourceRange used, std::vector<ForEntry> &out) {
  if (auto known = tuples_.find(index.raw); known != tuples_.end()) {
    out = known->second.second;
    return known->second.first;
  }
  const ast::GroupDecl &decl = *groupItems_[index.raw].decl;
  bool isOpen = groupItems_[index.raw].state == Seen::Open;
  if (!mayOpen(module.group(index), used, "recursive-set", "sets and traits", isOpen))
    return false;
  Seen before = std::exchange(groupItems_[index.raw].state, Seen::Open);
  open_.push_back(&module.group(index));
  bool ok = true;
  auto putIn = [&](GroupIndex inner, SourceRange range) {
    std::vector<ForEntry> entries;
    ok &= tuplesOf(inner, range, entries);
    addNew(std::move(entries), out);
  };
  for (const ast::QualifiedName &member : decl.members) {
    GroupIndex inner = member.dialect ? GroupIndex() : groupNamed(member.name);
    if (inner && isOfTuples(inner)) {
      putIn(inner, member.range);
      continue;
    }
    error("argument-count", member.range,
          fmt::format("`{}` is {}, and other entries of `{}` are tuples", member.spelling(),
                      inner ? "a set of ops" : "no set of tuples", decl.name.text))
        .note("a set is of ops, or of tuples for `for` clauses: `set acts = {relu, gelu};`, "
              "`set pairs = {(exp, log), (log, exp)};`");
    ok = false;
  }
  for (const ast::ForEntry &written : decl.tuples) {
    const auto *name = written.values.size() == 1 ? written.values[0]->as<ast::NameExpr>() : nullptr;
    if (GroupIndex inner = name ? groupNamed(name->name) : GroupIndex(); inner && isOfTuples(inner)) {
      putIn(inner, written.range);
      continue;
    }
    auto &[range, values] = out.emplace_back();
    range = written.range;
    for (const ast::ExprPtr &value : written.values)
      values.push_back(value.get());
  }
  open_.pop_back();
  groupItems_[index.raw].state = before;
  tuples_[index.raw] = {ok, out}; // what is wrong is said once, and sets that list each other's sets stay as fast
  return ok;
}

/// Each entry is as long as the first and stands once.
void Checker::checkTuples(GroupIndex index) {
  const ast::GroupDecl &decl = *groupItems_[index.raw].decl;
  llvm::StringMap<SourceRange> seen;
  for (const ast::ForEntry &tuple : decl.tuples) {
    if (auto [it, isNew] = seen.try_emplace(textOf(tuple.range), tuple.range); !isNew)
      error("duplicate-name", tuple.range, fmt::format("`{}` is listed twice", textOf(tuple.range)))
          .note(it->second, "here first");
    for (const ast::ExprPtr &value : tuple.values)
      checkEntry(*value);
  }
  std::vector<ForEntry> all;
  if (!tuplesOf(index, decl.name.range, all))
    return;
  for (const ForEntry &entry : all)
    if (entry.second.size() != all.front().second.size()) {
      bool isOwn =
          std::ranges::any_of(decl.tuples, [&](const ast::ForEntry &t) { return t.range.begin == entry.first.begin; });
      error("argument-count", isOwn ? entry.first : decl.name.range,
            fmt::format("{} has {}, the first has {}", isOwn ? "this entry" : "an entry of a set that this one lists",
                        counted(entry.second.size(), "value"), all.front().second.size()))
          .note(all.front().first, "which is here")
          .note("a set is of ops, `{relu, gelu}`, or of tuples, which have as many values as a `for` has names: "
                "`for (f, g) in {(exp, log), (log, exp)}`");
    }
}

/// What stands for the ops of a set in a `for` clause.
void Checker::membersOf(GroupIndex index, SourceRange used, std::vector<const ast::Expr *> &out) {
  for (OpIndex id : opsOf(index, used)) {
    const Op &op = module.op(id);
    auto head = std::make_unique<ast::NameExpr>(op.nameRange);
    head->name = {op.dialect, op.nameRange};
    auto entry = std::make_unique<ast::MemberExpr>(op.nameRange);
    entry->object = std::move(head);
    entry->member = {op.name, op.nameRange};
    bool known = std::ranges::any_of(out, [&](const ast::Expr *e) { // another version of it
      const auto *member = e->as<ast::MemberExpr>();
      return member && member->member.text == op.name && member->object->get<ast::NameExpr>().name.text == op.dialect;
    });
    if (!known)
      out.push_back(entries_.emplace_back(std::move(entry)).get());
  }
}

/// The entries of a `for` clause, each with where it is written; those of a set are its ops or tuples.
bool Checker::entriesOf(const ast::ForClause &clause, std::vector<ForEntry> &out) {
  SourceRange binder{clause.names.front().range.begin, clause.names.back().range.end};
  auto wrongCount = [&](GroupIndex set, size_t values) {
    const std::string &name = module.group(set).name;
    error("argument-count", binder,
          fmt::format("an entry of `{}` is {}, but {} here", name, values == 1 ? "one op" : counted(values, "value"),
                      clause.names.size() == 1 ? "one name stands" : counted(clause.names.size(), "name") + " stand"))
        .note(module.group(set).nameRange, fmt::format("`{}` is declared here", name))
        .note(values == 1 ? fmt::format("one name takes an op: `for f in {}`", name)
                          : fmt::format("as many names take an entry apart: `for ({}) in {}`",
                                        values == 2   ? "f, g"
                                        : values == 3 ? "f, g, h"
                                                      : "f, g, ...",
                                        name));
    return false;
  };
  auto addSet = [&](GroupIndex set, SourceRange range) {
    if (isOfTuples(set)) {
      std::vector<ForEntry> entries;
      if (!tuplesOf(set, range, entries) || entries.empty())
        return false;
      if (entries.front().second.size() != clause.names.size())
        return wrongCount(set, entries.front().second.size());
      addNew(std::move(entries), out);
      return true;
    }
    if (clause.names.size() != 1)
      return wrongCount(set, 1);
    std::vector<const ast::Expr *> members;
    membersOf(set, range, members);
    std::vector<ForEntry> entries;
    for (const ast::Expr *member : members)
      entries.push_back({member->range, {member}});
    addNew(std::move(entries), out);
    if (members.empty())
      error("empty-set", range, fmt::format("no op that is seen here is in `{}`", module.group(set).name))
          .note(module.group(set).nameRange, fmt::format("`{}` is declared here", module.group(set).name));
    return !members.empty();
  };
  if (clause.set) {
    if (GroupIndex set = groupNamed(clause.set))
      return addSet(set, clause.set.range);
    if (isDamaged(ast::DeclKind::Group, clause.set.text))
      return false;
    std::vector<std::string_view> candidates;
    for (const Group &group : module.groups)
      candidates.push_back(group.name);
    Report report = error("undefined-set", clause.set.range, fmt::format("no set named `{}`", clause.set.text));
    suggest(report, clause.set.range, clause.set.text, candidates);
    report.note("as in `set reductions = {a, b};`; entries that are listed stand in braces: `for f in {a, b}`");
    return false;
  }
  bool ok = true;
  for (const ast::ForEntry &entry : clause.entries) {
    const auto *name = entry.values.size() == 1 ? entry.values[0]->as<ast::NameExpr>() : nullptr;
    if (GroupIndex set = name ? groupNamed(name->name) : GroupIndex()) {
      ok &= addSet(set, entry.range);
      continue;
    }
    auto &[range, values] = out.emplace_back();
    range = entry.range;
    for (const ast::ExprPtr &value : entry.values)
      values.push_back(value.get());
  }
  return ok;
}

} // namespace rw::sema
