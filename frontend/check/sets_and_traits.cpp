#include "frontend/check/sets_and_traits.h"

#include "frontend/check/declare.h"
#include "frontend/check/deferred.h"
#include "frontend/check/named_parts.h"
#include "frontend/check/names.h"
#include "frontend/check/templates.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/visible_names.h"
#include "frontend/check/wording.h"

#include <fmt/format.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rw::sema {

void declareGroup(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::GroupDecl>();
  item.index = 0;
  if (decl.gives)
    return;
  item.index = uint32_t(c.module.groups.size());
  Group &group = c.module.groups.emplace_back();
  fillDecl(c, group, decl, item.imported, item.deferred);
  group.isTrait = decl.isTrait;
  c.groupItems.push_back({&decl});
  if (traitNamed(group.name) || group.name == "effect" || group.name == "splat")
    c.error("duplicate-name", decl.name.range, fmt::format("`{}` has a meaning of its own", group.name))
        .note("give it another name");
  claim(c, c.groups, decl.name, item.index, decl.isTrait ? "trait" : "set");
}

void giveTraits(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::GroupDecl>();
  if (!decl.gives)
    return;
  GroupIndex trait = groupNamed(c, decl.name);
  if (!trait || !c.module.group(trait).isTrait) {
    if (isDamaged(c, ast::DeclKind::Group, decl.name.text))
      return;
    std::vector<std::string_view> candidates;
    for (const Group &group : c.module.groups)
      if (group.isTrait)
        candidates.push_back(group.name);
    Report report = c.error(
        "bad-trait", decl.name.range,
        trait ? fmt::format("`{}` is a set, whose ops are those listed where it is declared", decl.name.text)
        : traitNamed(decl.name.text)
            ? fmt::format("what `{}` means is known of an op where it is declared: it is given there", decl.name.text)
            : fmt::format("no trait named `{}`", decl.name.text));
    if (!trait)
      suggest(c, report, decl.name.range, decl.name.text, candidates);
    report.note(
        fmt::format("a trait is declared by `trait {};`", traitNamed(decl.name.text) ? "mine" : decl.name.text));
    return;
  }
  FileId file = c.sources.fileOf(decl.range.begin);
  for (const ast::QualifiedName &member : decl.members) {
    auto again = std::ranges::find_if(c.givenTraits, [&](const GivenTrait &given) {
      if (given.trait != trait || given.file != file)
        return false;
      bool sameDialect =
          !given.name || !given.name->dialect || !member.dialect || given.name->dialect.text == member.dialect.text;
      return given.name ? sameDialect && given.name->name.text == member.name.text
                        : c.module.op(given.op).fullName() == member.spelling() ||
                              (!member.dialect && c.module.op(given.op).name == member.name.text);
    });
    if (again != c.givenTraits.end() &&
        !(again->name >= decl.members.data() && again->name < decl.members.data() + decl.members.size()))
      c.warning("duplicate-name", member.range,
                fmt::format("`{}` has the trait `{}` already", member.spelling(), decl.name.text))
          .note(again->name ? again->name->range : c.module.op(again->op).nameRange,
                "it is given here first, which is enough");
    c.givenTraits.push_back({trait, {}, &member, file});
  }
}

GroupIndex groupNamed(CheckContext &c, const ast::Name &name, bool silent) {
  return namedOnce(c, c.groups, name, "set or trait", silent);
}

const std::vector<OpIndex> &opsOfSet(CheckContext &c, GroupIndex index, SourceRange used) {
  Group &group = c.module.groups[index.raw];
  auto add = [&](std::vector<OpIndex> &to, OpIndex op) {
    if (std::ranges::find(to, op) == to.end())
      to.push_back(op);
  };
  auto addNamed = [&](std::vector<OpIndex> &to, const ast::QualifiedName &name) {
    GroupIndex inner = name.dialect ? GroupIndex() : groupNamed(c, name.name);
    if (inner)
      for (OpIndex op : std::vector<OpIndex>(opsOfSet(c, inner, name.range)))
        add(to, op);
    else
      for (OpIndex op : lookupOp(c, name))
        add(to, op);
  };
  auto &item = c.groupItems[index.raw];
  if (isOfTuples(c, index)) {
    static const std::vector<OpIndex> kNone;
    c.error("misplaced", used, fmt::format("`{}` is of tuples, which only a `for` takes apart", group.name))
        .note(group.nameRange, fmt::format("`{}` is declared here", group.name))
        .note(fmt::format("`for (f, g) in {} pattern …`", group.name));
    return kNone;
  }
  if (!group.isTrait && (item.state == PutInState::Right || item.state == PutInState::Wrong))
    return group.ops;
  if (item.state == PutInState::Open || c.open.size() > 90) {
    static const std::vector<OpIndex> kNone;
    if (!mayOpen(c, group, used, "recursive-set", "sets and traits", item.state == PutInState::Open))
      return kNone;
  }
  FileId file = c.sources.fileOf(used.begin);
  if (group.isTrait)
    if (auto known = c.traitOps.find({index.raw, file.raw}); known != c.traitOps.end())
      return known->second;
  item.state = PutInState::Open;
  c.open.push_back(&group);
  std::vector<OpIndex> ops;
  if (group.isTrait) {
    const std::vector<bool> &seen = visibleFrom(c, file);
    for (size_t i = 0; i < c.givenTraits.size(); ++i) {
      const GivenTrait given = c.givenTraits[i];
      bool visible = false;
      for (size_t f = 0; f < c.module.files.size(); ++f)
        visible |= seen[f] && c.module.files[f].id == given.file;
      if (given.trait != index || !visible)
        continue;
      if (given.name) {
        addNamed(ops, *given.name);
      } else {
        want(c, given.op);
        add(ops, given.op);
      }
    }
  } else {
    for (const ast::QualifiedName &member : item.decl->members)
      addNamed(ops, member);
  }
  c.open.pop_back();
  item.state = PutInState::Right;
  if (group.isTrait)
    return c.traitOps[{index.raw, file.raw}] = std::move(ops);
  group.ops = std::move(ops);
  return group.ops;
}

/// Adds what a set stands for, but for what is listed already.
static void addNew(const CheckContext &c, std::vector<ForEntry> entries, std::vector<ForEntry> &out) {
  llvm::StringSet<> known;
  for (const ForEntry &entry : out)
    known.insert(keyOf(c, entry));
  for (ForEntry &entry : entries)
    if (known.insert(keyOf(c, entry)).second)
      out.push_back(std::move(entry));
}

/// The tuples of a set, with those of the sets that it lists, each once. False after a report.
static bool tuplesOf(CheckContext &c, GroupIndex index, SourceRange used, std::vector<ForEntry> &out) {
  if (auto known = c.tuples.find(index.raw); known != c.tuples.end()) {
    out = known->second.second;
    return known->second.first;
  }
  const ast::GroupDecl &decl = *c.groupItems[index.raw].decl;
  bool isOpen = c.groupItems[index.raw].state == PutInState::Open;
  if (!mayOpen(c, c.module.group(index), used, "recursive-set", "sets and traits", isOpen))
    return false;
  PutInState before = std::exchange(c.groupItems[index.raw].state, PutInState::Open);
  c.open.push_back(&c.module.group(index));
  bool ok = true;
  auto putIn = [&](GroupIndex inner, SourceRange range) {
    std::vector<ForEntry> entries;
    ok &= tuplesOf(c, inner, range, entries);
    addNew(c, std::move(entries), out);
  };
  for (const ast::QualifiedName &member : decl.members) {
    GroupIndex inner = member.dialect ? GroupIndex() : groupNamed(c, member.name);
    if (inner && isOfTuples(c, inner)) {
      putIn(inner, member.range);
      continue;
    }
    c.error("argument-count", member.range,
            fmt::format("`{}` is {}, and other entries of `{}` are tuples", member.spelling(),
                        inner ? "a set of ops" : "no set of tuples", decl.name.text))
        .note("a set is of ops, or of tuples for `for` clauses: `set acts = {relu, gelu};`, "
              "`set pairs = {(exp, log), (log, exp)};`");
    ok = false;
  }
  for (const ast::ForEntry &written : decl.tuples) {
    const auto *name = written.values.size() == 1 ? written.values[0]->as<ast::NameExpr>() : nullptr;
    if (GroupIndex inner = name ? groupNamed(c, name->name) : GroupIndex(); inner && isOfTuples(c, inner)) {
      putIn(inner, written.range);
      continue;
    }
    auto &[range, values] = out.emplace_back();
    range = written.range;
    for (const ast::ExprPtr &value : written.values)
      values.push_back(value.get());
  }
  c.open.pop_back();
  c.groupItems[index.raw].state = before;
  c.tuples[index.raw] = {ok, out}; // what is wrong is said once, and sets that list each other's sets stay as fast
  return ok;
}

/// Each entry is as long as the first and stands once.
static void checkTuples(CheckContext &c, GroupIndex index) {
  const ast::GroupDecl &decl = *c.groupItems[index.raw].decl;
  llvm::StringMap<SourceRange> seen;
  for (const ast::ForEntry &tuple : decl.tuples) {
    if (auto [it, isNew] = seen.try_emplace(c.textOf(tuple.range), tuple.range); !isNew)
      c.error("duplicate-name", tuple.range, fmt::format("`{}` is listed twice", c.textOf(tuple.range)))
          .note(it->second, "here first");
    for (const ast::ExprPtr &value : tuple.values)
      checkEntry(c, *value);
  }
  std::vector<ForEntry> all;
  if (!tuplesOf(c, index, decl.name.range, all))
    return;
  for (const ForEntry &entry : all)
    if (entry.second.size() != all.front().second.size()) {
      bool isOwn =
          std::ranges::any_of(decl.tuples, [&](const ast::ForEntry &t) { return t.range.begin == entry.first.begin; });
      c.error("argument-count", isOwn ? entry.first : decl.name.range,
              fmt::format("{} has {}, the first has {}", isOwn ? "this entry" : "an entry of a set that this one lists",
                          counted(entry.second.size(), "value"), all.front().second.size()))
          .note(all.front().first, "which is here")
          .note("a set is of ops, `{relu, gelu}`, or of tuples, which have as many values as a `for` has names: "
                "`for (f, g) in {(exp, log), (log, exp)}`");
    }
}

void checkGroup(CheckContext &c, const ast::GroupDecl &decl) {
  llvm::StringMap<SourceRange> seen;
  for (const ast::QualifiedName &member : decl.members) {
    auto [it, isNew] = seen.try_emplace(member.spelling(), member.range);
    if (!isNew)
      c.error("duplicate-name", member.range, fmt::format("`{}` is listed twice", member.spelling()))
          .note(it->second, "here first");
    if (member.dialect || !groupNamed(c, member.name, true))
      lookupOp(c, member);
  }
  if (decl.gives)
    return;
  auto item = std::ranges::find(c.groupItems, &decl, &PutIn<ast::GroupDecl>::decl);
  GroupIndex index{uint32_t(item - c.groupItems.begin())};
  reportClashes(c, c.module.group(index), decl.name);
  if (isOfTuples(c, index))
    return checkTuples(c, index);
  opsOfSet(c, index, decl.name.range);
  if (decl.isTrait) // of its ops those are known that this file sees
    for (OpIndex op : std::vector<OpIndex>(opsOfSet(c, index, decl.name.range)))
      c.module.groups[index.raw].ops.push_back(op);
}

bool isOfTuples(CheckContext &c, GroupIndex index) {
  if (auto known = c.areOfTuples.find(index.raw); known != c.areOfTuples.end())
    return known->second;
  std::set<uint32_t> seen;
  std::vector<GroupIndex> pending{index};
  while (!pending.empty()) {
    GroupIndex at = pending.back();
    pending.pop_back();
    const ast::GroupDecl &decl = *c.groupItems[at.raw].decl;
    auto known = c.areOfTuples.find(at.raw);
    if (!decl.tuples.empty() || (known != c.areOfTuples.end() && known->second))
      return c.areOfTuples[index.raw] = true;
    if (decl.isTrait || known != c.areOfTuples.end() || !seen.insert(at.raw).second)
      continue;
    for (const ast::QualifiedName &member : decl.members)
      if (GroupIndex inner = member.dialect ? GroupIndex() : groupNamed(c, member.name, true))
        pending.push_back(inner);
  }
  for (uint32_t set : seen)
    c.areOfTuples[set] = false;
  return false;
}

std::string keyOf(const CheckContext &c, const ForEntry &entry) {
  std::string out;
  for (const ast::Expr *value : entry.second) {
    const auto *member = value->as<ast::MemberExpr>();
    const auto *dialect = member ? member->object->as<ast::NameExpr>() : nullptr;
    out +=
        (out.empty() ? "" : ", ") + (dialect ? dialect->name.text + "." + member->member.text : c.textOf(value->range));
  }
  return out;
}

/// What stands for the ops of a set in a `for` clause.
static void membersOf(CheckContext &c, GroupIndex index, SourceRange used, std::vector<const ast::Expr *> &out) {
  for (OpIndex id : opsOfSet(c, index, used)) {
    const Op &op = c.module.op(id);
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
      out.push_back(c.entries.emplace_back(std::move(entry)).get());
  }
}

bool entriesOf(CheckContext &c, const ast::ForClause &clause, std::vector<ForEntry> &out) {
  SourceRange binder{clause.names.front().range.begin, clause.names.back().range.end};
  auto wrongCount = [&](GroupIndex set, size_t values) {
    const std::string &name = c.module.group(set).name;
    c.error("argument-count", binder,
            fmt::format("an entry of `{}` is {}, but {} here", name, values == 1 ? "one op" : counted(values, "value"),
                        clause.names.size() == 1 ? "one name stands" : counted(clause.names.size(), "name") + " stand"))
        .note(c.module.group(set).nameRange, fmt::format("`{}` is declared here", name))
        .note(values == 1 ? fmt::format("one name takes an op: `for f in {}`", name)
                          : fmt::format("as many names take an entry apart: `for ({}) in {}`",
                                        values == 2   ? "f, g"
                                        : values == 3 ? "f, g, h"
                                                      : "f, g, ...",
                                        name));
    return false;
  };
  auto addSet = [&](GroupIndex set, SourceRange range) {
    if (isOfTuples(c, set)) {
      std::vector<ForEntry> entries;
      if (!tuplesOf(c, set, range, entries) || entries.empty())
        return false;
      if (entries.front().second.size() != clause.names.size())
        return wrongCount(set, entries.front().second.size());
      addNew(c, std::move(entries), out);
      return true;
    }
    if (clause.names.size() != 1)
      return wrongCount(set, 1);
    std::vector<const ast::Expr *> members;
    membersOf(c, set, range, members);
    std::vector<ForEntry> entries;
    for (const ast::Expr *member : members)
      entries.push_back({member->range, {member}});
    addNew(c, std::move(entries), out);
    if (members.empty())
      c.error("empty-set", range, fmt::format("no op that is seen here is in `{}`", c.module.group(set).name))
          .note(c.module.group(set).nameRange, fmt::format("`{}` is declared here", c.module.group(set).name));
    return !members.empty();
  };
  if (clause.set) {
    if (GroupIndex set = groupNamed(c, clause.set))
      return addSet(set, clause.set.range);
    if (isDamaged(c, ast::DeclKind::Group, clause.set.text))
      return false;
    std::vector<std::string_view> candidates;
    for (const Group &group : c.module.groups)
      candidates.push_back(group.name);
    Report report = c.error("undefined-set", clause.set.range, fmt::format("no set named `{}`", clause.set.text));
    suggest(c, report, clause.set.range, clause.set.text, candidates);
    report.note("as in `set reductions = {a, b};`; entries that are listed stand in braces: `for f in {a, b}`");
    return false;
  }
  bool ok = true;
  for (const ast::ForEntry &entry : clause.entries) {
    const auto *name = entry.values.size() == 1 ? entry.values[0]->as<ast::NameExpr>() : nullptr;
    if (GroupIndex set = name ? groupNamed(c, name->name) : GroupIndex()) {
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
