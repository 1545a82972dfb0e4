#include "codegen/plan/tree_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rw::plan {
namespace {

/// A leaf with the tests that are still to be done.
struct Row {
  uint32_t leaf;
  std::vector<TreeTest> tests;
};

class TreeBuilder {
public:
  explicit TreeBuilder(RootTree &tree) : tree_(tree) {}

  void build() {
    std::vector<Row> rows;
    for (uint32_t i = 0; i < tree_.leaves.size(); ++i)
      rows.push_back({i, tree_.leaves[i].tests});
    std::vector<TreeItem> ordered = inOrder(rows);
    size_t orderedTests = mostTests(ordered);
    auto own = ownTests();
    std::vector<TreeItem> free = freely(std::move(rows));
    size_t freeTests = mostTests(free);
    tree_.inOrder = orderedTests <= freeTests + freeTests / 2 + 4;
    if (tree_.inOrder) {
      for (size_t i = 0; i < own.size(); ++i)
        tree_.leaves[i].own = std::move(own[i]);
      tree_.items = std::move(ordered);
    } else {
      tree_.items = std::move(free);
    }
  }

private:
  std::vector<std::vector<TreeTest>> ownTests() const {
    std::vector<std::vector<TreeTest>> out;
    for (const TreeLeaf &leaf : tree_.leaves)
      out.push_back(leaf.own);
    return out;
  }
  /// The most tests that one op goes through.
  size_t mostTests(const std::vector<TreeItem> &items) const {
    size_t tests = 0;
    for (const TreeItem &item : items) {
      if (!item.branch) {
        tests += tree_.leaves[item.leaf].own.size();
        continue;
      }
      size_t below = 0;
      for (const TreeBranch::Case &c : item.branch->cases)
        below = splits(item.branch->question) ? std::max(below, mostTests(c.items)) : below + mostTests(c.items);
      tests += 1 + below;
    }
    return tests;
  }
  const Question &question(const TreeTest &t) const { return tree_.questions[t.question]; }

  /// Whether the paths a test walks are known to exist: the kinds of the ops on them have been asked for.
  bool mayRun(const Row &row, const TreeTest &test) const {
    return std::ranges::none_of(question(test).needs, [&](PathId need) {
      return std::ranges::any_of(row.tests, [&](const TreeTest &t) {
        Ask ask = question(t).ask;
        return (ask == Ask::Kind || ask == Ask::OneOf) && question(t).path == need;
      });
    });
  }
  const TreeTest *testOf(const Row &row, uint32_t question) const {
    auto it = std::ranges::find(row.tests, question, &TreeTest::question);
    return it != row.tests.end() && mayRun(row, *it) ? &*it : nullptr;
  }
  /// Questions for kinds and other numbers tell most patterns apart.
  bool splits(uint32_t question) const { return excludes(tree_.questions[question].ask); }

  void addLeaf(Row row, std::vector<TreeItem> &out) {
    tree_.leaves[row.leaf].own = std::move(row.tests);
    out.push_back({row.leaf, nullptr});
  }

  using Build = std::vector<TreeItem> (TreeBuilder::*)(std::vector<Row>);
  TreeItem branch(uint32_t question, std::vector<Row> rows, Build below) {
    auto branch = std::make_unique<TreeBranch>();
    branch->question = question;
    std::vector<std::pair<Answer, std::vector<Row>>> cases;
    for (Row &row : rows) {
      auto at = std::ranges::find(row.tests, question, &TreeTest::question);
      Answer answer = at->answer;
      row.tests.erase(at);
      auto it = std::ranges::find(cases, answer, [](auto &c) -> const Answer & { return c.first; });
      if (it == cases.end())
        it = cases.insert(cases.end(), {std::move(answer), {}});
      it->second.push_back(std::move(row));
    }
    for (auto &[answer, inside] : cases) {
      auto &made = branch->cases.emplace_back();
      made.answer = answer;
      made.items = (this->*below)(std::move(inside));
    }
    return {UINT32_MAX, std::move(branch)};
  }

  /// Rows in order of priority: the next row's question that most rows right behind it share becomes a branch.
  /// Within it rows may pass each other only where their answers exclude each other.
  std::vector<TreeItem> inOrder(std::vector<Row> rows) {
    std::vector<TreeItem> out;
    for (size_t i = 0; i < rows.size();) {
      uint32_t best = UINT32_MAX;
      size_t most = 1;
      for (const TreeTest &test : rows[i].tests) {
        if (!mayRun(rows[i], test))
          continue;
        size_t end = i + 1;
        while (end < rows.size() && testOf(rows[end], test.question))
          ++end;
        size_t run = end - i;
        bool better = run > most;
        if (best != UINT32_MAX && splits(best) != splits(test.question))
          better = splits(test.question) && run > 1;
        if (better) {
          best = test.question;
          most = run;
        }
      }
      if (best == UINT32_MAX) {
        addLeaf(std::move(rows[i++]), out);
        continue;
      }
      std::vector<Row> inside(std::make_move_iterator(rows.begin() + ptrdiff_t(i)),
                              std::make_move_iterator(rows.begin() + ptrdiff_t(i + most)));
      out.push_back(branch(best, std::move(inside), &TreeBuilder::inOrder));
      i += most;
    }
    return out;
  }

  /// Without regard to order: the question that most rows share becomes a branch, then that of the others.
  std::vector<TreeItem> freely(std::vector<Row> rows) {
    std::vector<TreeItem> out;
    while (!rows.empty()) {
      std::map<uint32_t, size_t> counts;
      for (const Row &row : rows)
        for (const TreeTest &test : row.tests)
          if (mayRun(row, test))
            ++counts[test.question];
      uint32_t best = UINT32_MAX;
      size_t most = 1;
      for (auto &[question, count] : counts) {
        bool better = count > most;
        if (best != UINT32_MAX && splits(best) != splits(question))
          better = splits(question) && count > 1;
        if (better) {
          best = question;
          most = count;
        }
      }
      if (best == UINT32_MAX) {
        for (Row &row : rows)
          addLeaf(std::move(row), out);
        break;
      }
      std::vector<Row> inside, others;
      for (Row &row : rows) {
        bool asks = testOf(row, best);
        (asks ? inside : others).push_back(std::move(row));
      }
      out.push_back(branch(best, std::move(inside), &TreeBuilder::freely));
      rows = std::move(others);
    }
    return out;
  }

  RootTree &tree_;
};

// Sets ------------------------------------------------------------------------------------------------------------

class SetBuilder {
public:
  explicit SetBuilder(const Module &plans) : plans_(plans), module_(*plans.source) {
    for (uint32_t i = 0; i < plans_.plans.size(); ++i)
      planOf_[plans_.plans[i].pattern.raw] = i;
    for (const MatchPlan &plan : plans_.plans)
      leads_.push_back(splitPlan(plan));
  }

  std::vector<MergedSet> build() {
    for (const sema::Pass &pass : module_.passes)
      if (!pass.imported)
        add(pass.name, membersOf(pass));
    std::vector<uint32_t> canonical;
    for (const sema::Op &op : module_.ops)
      if (!op.imported)
        for (sema::PatternIndex p : op.canonicalize)
          append(p, canonical);
    add("canonicalize", std::move(canonical));
    std::vector<uint32_t> others;
    for (uint32_t i = 0; i < plans_.plans.size(); ++i)
      if (!inSet_.contains(i))
        others.push_back(i);
    add("", std::move(others));
    return std::move(sets_);
  }

private:
  /// The pattern if it has a plan, is of this file, not there yet, and its roots are named.
  void append(sema::PatternIndex pattern, std::vector<uint32_t> &out) const {
    auto it = planOf_.find(pattern.raw);
    if (it != planOf_.end() && !plans_.plans[it->second].roots.byTrait() && std::ranges::find(out, it->second) == out.end())
      out.push_back(it->second);
  }
  /// In the order in which the pass runs them: those named, then those with a label as they are registered.
  std::vector<uint32_t> membersOf(const sema::Pass &pass) const {
    std::vector<uint32_t> out;
    for (const sema::Pass::Member &m : pass.members)
      if (m.pattern)
        append(m.pattern, out);
    for (const MatchPlan &plan : plans_.plans) {
      const auto &labels = module_.pattern(plan.pattern).labels;
      for (const sema::Pass::Member &m : pass.members)
        if (!m.pattern && std::ranges::find(labels, m.label) != labels.end())
          append(plan.pattern, out);
    }
    return out;
  }

  void add(std::string name, std::vector<uint32_t> members) {
    inSet_.insert(members.begin(), members.end());
    std::erase_if(members, [&](uint32_t i) { return plans_.plans[i].roots.byTrait(); });
    std::ranges::stable_sort(members, [&](uint32_t a, uint32_t b) { return plans_.plans[a].benefit > plans_.plans[b].benefit; });
    // Only what shares a root with another gains from being merged.
    std::map<uint32_t, std::vector<uint32_t>> byRoot;
    std::vector<uint32_t> roots;
    for (uint32_t plan : members)
      for (sema::OpIndex root : plans_.plans[plan].roots.ops) {
        if (byRoot[root.raw].empty())
          roots.push_back(root.raw);
        byRoot[root.raw].push_back(plan);
      }
    std::erase_if(roots, [&](uint32_t root) { return byRoot[root].size() < 2; });
    std::erase_if(members, [&](uint32_t plan) {
      return std::ranges::none_of(roots, [&](uint32_t root) { return std::ranges::find(byRoot[root], plan) != byRoot[root].end(); });
    });
    for (const MergedSet &other : sets_)
      if (other.members == members)
        return;
    if (members.empty())
      return;
    MergedSet &set = sets_.emplace_back();
    set.name = std::move(name);
    set.members = std::move(members);
    std::map<uint32_t, uint32_t> number;
    for (uint32_t i = 0; i < set.members.size(); ++i)
      number[set.members[i]] = i;
    for (uint32_t root : roots) {
      RootTree &tree = set.trees.emplace_back();
      tree.root = {root};
      TreeRows rows(plans_, tree);
      for (uint32_t plan : byRoot[root]) {
        rows.add(plan, number[plan], leads_[plan], false);
        if (leads_[plan].commutes)
          rows.add(plan, number[plan], leads_[plan], true);
      }
      TreeBuilder(tree).build();
    }
  }

  const Module &plans_;
  const sema::Module &module_;
  std::map<uint32_t, uint32_t> planOf_; // by pattern
  std::vector<Lead> leads_;
  std::set<uint32_t> inSet_;
  std::vector<MergedSet> sets_;
};

void print(const RootTree &tree, const std::vector<TreeItem> &items, const Module &module, unsigned indent, std::string &out) {
  std::string space(indent * 2, ' ');
  for (const TreeItem &item : items) {
    if (item.branch) {
      out += fmt::format("{}{}?\n", space, tree.questions[item.branch->question].text);
      for (const TreeBranch::Case &c : item.branch->cases) {
        out += fmt::format("{}  {}:\n", space, c.answer.text);
        print(tree, c.items, module, indent + 2, out);
      }
      continue;
    }
    const TreeLeaf &leaf = tree.leaves[item.leaf];
    const MatchPlan &plan = module.plans[leaf.plan];
    out += fmt::format("{}{}{} (line {}{})\n", space, tree.inOrder ? "" : fmt::format("{}: ", item.leaf + 1), plan.name, plan.line,
                       leaf.swapped ? ", operands swapped" : "");
    for (const TreeTest &test : leaf.own)
      out += fmt::format("{}  - {}: {}\n", space, tree.questions[test.question].text, test.answer.text);
    for (const std::string &step : leaf.rest)
      out += fmt::format("{}  + {}\n", space, step);
  }
}

} // namespace

std::vector<MergedSet> buildSets(const Module &module) { return SetBuilder(module).build(); }

std::string dump(const std::vector<MergedSet> &sets, const Module &module) {
  std::string out;
  for (const MergedSet &set : sets) {
    out += set.name.empty() ? "patterns of no pass\n" : set.name == "canonicalize" ? "canonicalize\n" : fmt::format("pass {}\n", set.name);
    for (const RootTree &tree : set.trees) {
      out += fmt::format("  root {}{}\n", module.source->op(tree.root).fullName(), tree.inOrder ? "" : ", in any order, then by number");
      print(tree, tree.items, module, 2, out);
    }
    out += '\n';
  }
  return out;
}

} // namespace rw::plan
