#include "codegen/plan/decision_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rw::plan {
namespace {

/// One pattern's leading tests, by access path, and where its rest begins.
struct Row {
  uint32_t plan;
  std::vector<TreeTest> tests;       // to be done, in an order in which they may run
  std::vector<std::string> remaining; // what cannot be shared
};

class RowBuilder {
public:
  RowBuilder(const Module &module, uint32_t index) : module_(module), plan_(module.plans[index]), row_{index, {}, {}} {
    paths_.resize(plan_.slots.size());
  }

  Row build() {
    size_t i = 0;
    for (; i < plan_.steps.size() && lead(plan_.steps[i]); ++i)
      ;
    for (; i < plan_.steps.size(); ++i)
      row_.remaining.push_back(describe(plan_.steps[i], plan_, *module_.source));
    return std::move(row_);
  }

private:
  void test(std::string question, std::string answer) { row_.tests.push_back({std::move(question), std::move(answer)}); }
  static std::string kinds(const OpSet &set, const sema::Module &module) {
    if (set.byTrait())
      return "any " + sema::traitsToString(set.traits) + sema::otherHeads(set, module);
    std::string text;
    for (sema::OpIndex op : set.ops)
      text += (text.empty() ? "" : " | ") + module.op(op).fullName();
    return text;
  }

  /// Takes a step up as a shared test or as the naming of a path; false from the first that is neither.
  bool lead(const Step &s) {
    auto in = [&] { return paths_[s.in]; };
    switch (s.kind) {
    case StepKind::Root: paths_[s.out] = "root"; return true;
    case StepKind::Operand: paths_[s.out] = fmt::format("{}.{}{}", in(), s.fromEnd ? "-" : "", s.index); return true;
    case StepKind::Def:
      paths_[s.out] = fmt::format("def({})", in());
      test(fmt::format("kind of {}", paths_[s.out]), kinds(s.ops, *module_.source));
      return true;
    case StepKind::Count:
      test(fmt::format("operands of {}", in()), s.least == s.most ? fmt::format("{}", s.least)
                                                : s.most == UINT32_MAX ? fmt::format("{}..", s.least)
                                                                       : fmt::format("{}..{}", s.least, s.most));
      return true;
    case StepKind::Attr:
      if (!s.indexes.empty())
        return false;
      paths_[s.out] = fmt::format("{}:{}", in(), s.name);
      test(fmt::format("attribute {} of {}", s.name, in()), "there");
      return true;
    case StepKind::AttrDefault: test(fmt::format("attribute {} of {}", s.name, in()), "default"); return true;
    case StepKind::AttrAbsent: test(fmt::format("attribute {} of {}", s.name, in()), "absent"); return true;
    case StepKind::NoExtras: test(fmt::format("undeclared attributes of {}", in()), "none"); return true;
    case StepKind::Single: test(fmt::format("uses of {}", in()), "one"); return true;
    case StepKind::Const: test(fmt::format("constant {}", in()), "yes"); return true;
    case StepKind::Bind:
      if (auto it = vars_.find(s.var.raw); it != vars_.end())
        return false;
      vars_[s.var.raw] = in();
      return true;
    case StepKind::Same:
      if (auto it = vars_.find(s.var.raw); it != vars_.end()) {
        test(fmt::format("{} and {}", it->second, in()), "same");
        return true;
      }
      return false;
    default: return false;
    }
  }

  const Module &module_;
  const MatchPlan &plan_;
  Row row_;
  std::vector<std::string> paths_;
  std::map<uint32_t, std::string> vars_;
};

/// The question a test asks of a path may be put once the path is known to exist: the tests before it that name a
/// prefix of the path have been answered.
bool mayRun(const Row &row, size_t index) {
  const std::string &question = row.tests[index].question;
  for (size_t i = 0; i < index; ++i) {
    const std::string &before = row.tests[i].question;
    if (before.starts_with("kind of ") && question != before && question.find(before.substr(8)) != std::string::npos)
      return false;
  }
  return true;
}

const TreeTest *testOf(const Row &row, const std::string &question) {
  for (size_t i = 0; i < row.tests.size(); ++i)
    if (row.tests[i].question == question)
      return mayRun(row, i) ? &row.tests[i] : nullptr;
  return nullptr;
}

/// The question most rows ask and may ask now; ties go to the one asked first.
std::string bestQuestion(const std::vector<Row> &rows) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const Row &row : rows)
    for (size_t i = 0; i < row.tests.size(); ++i) {
      if (!mayRun(row, i))
        continue;
      auto it = std::ranges::find(counts, row.tests[i].question, &std::pair<std::string, size_t>::first);
      if (it == counts.end())
        counts.push_back({row.tests[i].question, 1});
      else
        ++it->second;
    }
  auto best = std::ranges::max_element(counts, {}, &std::pair<std::string, size_t>::second);
  return best == counts.end() ? "" : best->first;
}

std::vector<TreeItem> partition(std::vector<Row> rows);

void leaf(Row row, std::vector<TreeItem> &out) {
  TreeItem item;
  item.plan = row.plan;
  for (const TreeTest &t : row.tests)
    item.remaining.push_back(fmt::format("{}: {}", t.question, t.answer));
  item.remaining.insert(item.remaining.end(), row.remaining.begin(), row.remaining.end());
  out.push_back(std::move(item));
}

/// Rows in order of priority. A run of rows that ask the question becomes a branch; within it rows may pass each
/// other only where their answers differ, so that at most one of them can match.
std::vector<TreeItem> partition(std::vector<Row> rows) {
  std::vector<TreeItem> out;
  if (rows.size() == 1) {
    leaf(std::move(rows[0]), out);
    return out;
  }
  for (size_t i = 0; i < rows.size();) {
    std::vector<Row> rest(std::make_move_iterator(rows.begin() + ptrdiff_t(i)), std::make_move_iterator(rows.end()));
    std::string question = bestQuestion(rest);
    size_t skipped = 0; // rows before the first that asks
    while (skipped < rest.size() && !testOf(rest[skipped], question))
      ++skipped;
    if (question.empty() || skipped == rest.size())
      skipped = rest.size();
    size_t end = skipped;
    while (end < rest.size() && testOf(rest[end], question))
      ++end;
    if (skipped > 0) { // these keep their place before the branch
      std::vector<Row> before(std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.begin() + ptrdiff_t(skipped)));
      if (before.size() == rest.size() && question.empty()) {
        for (Row &row : before)
          leaf(std::move(row), out);
      } else {
        for (TreeItem &item : partition(std::move(before)))
          out.push_back(std::move(item));
      }
    }
    if (end > skipped) {
      auto branch = std::make_unique<TreeBranch>();
      branch->question = question;
      std::vector<std::pair<std::string, std::vector<Row>>> cases;
      for (size_t k = skipped; k < end; ++k) {
        std::string answer = testOf(rest[k], question)->answer;
        std::erase_if(rest[k].tests, [&](const TreeTest &t) { return t.question == question; });
        // Answers such as "any elementwise" overlap with others: then a new case, so that order stays.
        auto it = std::ranges::find_if(cases, [&](auto &c) { return c.first == answer; });
        bool overlaps = std::any_of(it == cases.end() ? cases.end() : it + 1, cases.end(),
                                    [](auto &c) { return c.first.starts_with("any ") || c.first.find('|') != std::string::npos; });
        if (it == cases.end() || overlaps || answer.starts_with("any "))
          it = it != cases.end() && it + 1 == cases.end() ? it : cases.insert(cases.end(), {answer, {}});
        it->second.push_back(std::move(rest[k]));
      }
      for (auto &[answer, below] : cases)
        branch->cases.push_back({answer, partition(std::move(below))});
      TreeItem item;
      item.branch = std::move(branch);
      out.push_back(std::move(item));
    }
    std::move(rest.begin() + ptrdiff_t(end), rest.end(), rows.begin() + ptrdiff_t(i + end));
    i += end;
  }
  return out;
}

void print(const std::vector<TreeItem> &items, const Module &module, unsigned indent, std::string &out) {
  std::string space(indent * 2, ' ');
  for (const TreeItem &item : items) {
    if (!item.branch) {
      out += fmt::format("{}{} (line {})\n", space, module.plans[item.plan].name, module.plans[item.plan].line);
      for (const std::string &step : item.remaining)
        out += fmt::format("{}  - {}\n", space, step);
      continue;
    }
    out += fmt::format("{}{}?\n", space, item.branch->question);
    for (const TreeBranch::Case &c : item.branch->cases) {
      out += fmt::format("{}  {}:\n", space, c.answer);
      print(c.items, module, indent + 2, out);
    }
  }
}

} // namespace

std::vector<RootTree> buildTrees(const Module &module) {
  std::vector<std::pair<std::string, std::vector<Row>>> roots;
  auto add = [&](const std::string &root, Row row) {
    auto it = std::ranges::find(roots, root, &std::pair<std::string, std::vector<Row>>::first);
    if (it == roots.end())
      it = roots.insert(roots.end(), {root, {}});
    it->second.push_back(std::move(row));
  };
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < module.plans.size(); ++i)
    order.push_back(i);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return module.plans[a].benefit > module.plans[b].benefit; });
  for (uint32_t i : order) {
    const MatchPlan &plan = module.plans[i];
    if (plan.roots.byTrait())
      add("any " + sema::traitsToString(plan.roots.traits) + sema::otherHeads(plan.roots, *module.source), RowBuilder(module, i).build());
    for (sema::OpIndex op : plan.roots.ops)
      add(module.source->op(op).fullName(), RowBuilder(module, i).build());
  }
  std::vector<RootTree> trees;
  for (auto &[root, rows] : roots)
    trees.push_back({root, partition(std::move(rows))});
  return trees;
}

std::string dump(const std::vector<RootTree> &trees, const Module &module) {
  std::string out;
  for (const RootTree &tree : trees) {
    out += fmt::format("root {}\n", tree.root);
    print(tree.items, module, 1, out);
    out += '\n';
  }
  return out;
}

} // namespace rw::plan
