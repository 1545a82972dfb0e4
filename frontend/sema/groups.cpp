// Sets and traits of one's own: `set reductions = {onnx.ReduceSum, onnx.ReduceMax};`, `trait movement;`, given by the `traits` of an
// op's declaration or by `trait movement for onnx.Transpose;`. Either stands where the ops could be listed: in heads, chains and `for`.
#include "frontend/sema/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

/// Of what may be declared in several files, the one that a name means, or none.
template <class Index> Index Checker::namedOnce(const Named<Index> &table, const ast::Name &name, std::string_view what, bool silent) {
  if (table.empty() || !table.contains(name.text))
    return {};
  FileId file = sources.fileOf(name.range.begin);
  if (auto ops = opsByShort_.find(name.text); ops != opsByShort_.end()) // a file's own op hides what it imports
    for (OpIndex op : ops->second)
      if (module.op(op).file == file)
        return {};
  llvm::SmallVector<Index, 1> found = meantBy(table, name.text, file);
  if (found.empty())
    return {};
  if (found.size() > 1 && !silent) {
    Report report = error("ambiguous-name", name.range, fmt::format("`{}` is a {} of several imported files", name.text, what));
    for (Index index : found)
      report.note(declOf(index).nameRange, "one of them");
    report.note("one that this file declares hides those it imports; one that only its own file needs can be `private` there");
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
  return false;
}

/// A named match, a set or a trait is meant left of `=>`, a named rewrite right of it; an imported op of that name on the other side.
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
            fmt::format("`{}` is also the op `{}`: {} of `=>` the name means what is declared here, {} of it the op", decl.name, op.fullName(),
                        isRewrite ? "right" : "left", isRewrite ? "left" : "right"))
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
  if (auto ops = opsByShort_.find(decl.name); ops != opsByShort_.end()) {
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
    Report report = error("bad-trait", decl.name.range,
                          trait ? fmt::format("`{}` is a set, whose ops are those listed where it is declared", decl.name.text)
                          : traitNamed(decl.name.text) ? fmt::format("what `{}` means is known of an op where it is declared: it is given there", decl.name.text)
                                                       : fmt::format("no trait named `{}`", decl.name.text));
    if (!trait)
      suggest(report, decl.name.range, decl.name.text, candidates);
    report.note(fmt::format("a trait is declared by `trait {};`", traitNamed(decl.name.text) ? "mine" : decl.name.text));
    return;
  }
  FileId file = sources.fileOf(decl.range.begin);
  for (const ast::QualifiedName &member : decl.members) {
    auto again = std::ranges::find_if(given_, [&](const Given &given) {
      if (given.trait != trait || given.file != file)
        return false;
      bool sameDialect = !given.name || !given.name->dialect || !member.dialect || given.name->dialect.text == member.dialect.text;
      return given.name ? sameDialect && given.name->name.text == member.name.text
                        : module.op(given.op).fullName() == member.spelling() || (!member.dialect && module.op(given.op).name == member.name.text);
    });
    if (again != given_.end() && !(again->name >= decl.members.data() && again->name < decl.members.data() + decl.members.size()))
      warning("duplicate-name", member.range, fmt::format("`{}` has the trait `{}` already", member.spelling(), decl.name.text))
          .note(again->name ? again->name->range : module.op(again->op).nameRange, "it is given here first, which is enough");
    given_.push_back({trait, {}, &member, file});
  }
}

GroupIndex Checker::groupNamed(const ast::Name &name, bool silent) { return namedOnce(groups, name, "set or trait", silent); }

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
      error("duplicate-name", member.range, fmt::format("`{}` is listed twice", member.spelling())).note(it->second, "here first");
    if (member.dialect || !groupNamed(member.name, true))
      lookupOp(member);
  }
  if (decl.gives)
    return;
  auto item = std::ranges::find(groupItems_, &decl, &PutIn<ast::GroupDecl>::decl);
  GroupIndex index{uint32_t(item - groupItems_.begin())};
  clashes(module.group(index), decl.name);
  if (!decl.tuples.empty())
    return checkTuples(decl);
  opsOf(index, decl.name.range);
  if (decl.isTrait) // of its ops those are known that this file sees
    for (OpIndex op : std::vector<OpIndex>(opsOf(index, decl.name.range)))
      module.groups[index.raw].ops.push_back(op);
}

/// Each entry is as long as the first and stands once.
void Checker::checkTuples(const ast::GroupDecl &decl) {
  llvm::StringMap<SourceRange> seen;
  const ast::ForEntry &first = decl.tuples.front();
  for (const ast::ForEntry &tuple : decl.tuples) {
    if (auto [it, isNew] = seen.try_emplace(textOf(tuple.range), tuple.range); !isNew)
      error("duplicate-name", tuple.range, fmt::format("`{}` is listed twice", textOf(tuple.range))).note(it->second, "here first");
    if (tuple.values.size() != first.values.size())
      error("argument-count", tuple.range, fmt::format("this entry has {}, the first has {}", counted(tuple.values.size(), "value"), first.values.size()))
          .note(first.range, "which is here");
    for (const ast::ExprPtr &value : tuple.values)
      checkEntry(*value);
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

/// The entries of a `for` clause, each with where it is written; those of a set are its ops.
bool Checker::entriesOf(const ast::ForClause &clause, std::vector<std::pair<SourceRange, std::vector<const ast::Expr *>>> &out) {
  auto addSet = [&](GroupIndex set, SourceRange range) {
    std::vector<const ast::Expr *> members;
    membersOf(set, range, members);
    for (const ast::Expr *member : members)
      out.push_back({member->range, {member}});
    if (members.empty() && !isOfTuples(set))
      error("empty-set", range, fmt::format("no op that is seen here is in `{}`", module.group(set).name))
          .note(module.group(set).nameRange, fmt::format("`{}` is declared here", module.group(set).name));
    return !members.empty();
  };
  if (clause.set) {
    GroupIndex set = groupNamed(clause.set);
    if (set && isOfTuples(set)) {
      for (const ast::ForEntry &entry : groupItems_[set.raw].decl->tuples) {
        auto &[range, values] = out.emplace_back();
        range = entry.range;
        for (const ast::ExprPtr &value : entry.values)
          values.push_back(value.get());
      }
      return true;
    }
    if (set && clause.names.size() == 1)
      return addSet(set, clause.set.range);
    if (set) {
      error("argument-count", clause.set.range, fmt::format("an entry of `{}` is one op, for {}", clause.set.text, counted(clause.names.size(), "name")))
          .note("one name takes one entry: `for f in reductions`");
      return false;
    }
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
    const auto *name = entry.values.size() == 1 && clause.names.size() == 1 ? entry.values[0]->as<ast::NameExpr>() : nullptr;
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
