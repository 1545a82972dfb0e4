// How many questions one op is asked by the tree of many patterns: about as many for a thousand patterns as for ten.
#include "../sema/checked.h"
#include "codegen/plan/decision_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

using namespace rw;

namespace {

using PatternText = std::function<std::string(unsigned)>;

/// Questions and leaves that one op meets at most: where answers exclude each other, in the worst of them.
struct Work {
  size_t questions = 0, leaves = 0;
};
Work worst(const plan::RootTree &tree, const std::vector<plan::TreeItem> &items) {
  Work out;
  for (const plan::TreeItem &item : items) {
    if (!item.branch) {
      out.questions += tree.leaves[item.leaf].own.size();
      ++out.leaves;
      continue;
    }
    Work below;
    for (const plan::TreeBranch::Case &c : item.branch->cases) {
      Work here = worst(tree, c.items);
      bool one = plan::excludes(tree.questions[item.branch->question].ask);
      below.questions = one ? std::max(below.questions, here.questions) : below.questions + here.questions;
      below.leaves = one ? std::max(below.leaves, here.leaves) : below.leaves + here.leaves;
    }
    out.questions += 1 + below.questions;
    out.leaves += below.leaves;
  }
  return out;
}

Work workOf(unsigned count, const PatternText &pattern) {
  std::string text = kOps + "op const() -> tensor { attr value: tensor; traits pure, constant; }\n"
                            "op scale(x: tensor) -> tensor { attr by: int; traits pure, elementwise; type x.type; }\n"
                            "op custom(x: tensor) -> tensor { attr target: string; traits pure; type x.type; }\n";
  for (unsigned i = 0; i < 40; ++i)
    text += fmt::format("op u{}(x: tensor) -> tensor {{ traits pure, elementwise; type x.type; }}\n", i);
  for (unsigned i = 0; i < count; ++i)
    text += fmt::format("pattern P{} {{ {} => x }}\n", i, pattern(i));
  Checked checked(text);
  REQUIRE_MESSAGE(!checked.diags.hasErrors(), checked.diags.renderText());
  plan::Module plans = plan::buildPlans(*checked.module, checked.sources, checked.diags);
  std::vector<plan::MergedSet> sets = plan::buildSets(plans);
  REQUIRE(sets.size() == 1);
  REQUIRE(sets[0].trees.size() == 1);
  CHECK(sets[0].members.size() == count);
  return worst(sets[0].trees[0], sets[0].trees[0].items);
}

} // namespace

TEST_CASE("a thousand patterns of one root ask an op less than twice what ten ask it") {
  const std::pair<const char *, PatternText> kinds[] = {
      {"numbers", [](unsigned i) { return fmt::format("relu(scale(x, by = {}))", i); }},
      {"numbers of the root", [](unsigned i) { return fmt::format("scale(x, by = {})", i); }},
      {"constants", [](unsigned i) { return fmt::format("add(x, splat({}))", i); }},
      {"strings", [](unsigned i) { return fmt::format("custom(x, target = \"lib.f{}\")", i); }},
      {"ops", [](unsigned i) { return fmt::format("relu(u{}(u{}(u{}(x))))", i % 10, i / 10 % 10, i / 100); }},
      {"ops and numbers", [](unsigned i) { return fmt::format("add(u{}(scale(x, by = {})), y)", i % 40, i); }},
      {"mixed",
       [](unsigned i) {
         switch (i % 4) {
         case 0: return fmt::format("add(x, splat({}))", i);
         case 1: return fmt::format("add(scale(x, by = {}), y)", i);
         case 2: return fmt::format("add(u{}(scale(x, by = {})), single y)", i % 40, i);
         default: return fmt::format("add(custom(x, target = \"f{}\"), u{}(y))", i, i % 40);
         }
       }},
  };
  for (const auto &[name, pattern] : kinds) {
    CAPTURE(name);
    Work ten = workOf(10, pattern), thousand = workOf(1'000, pattern);
    CAPTURE(ten.questions);
    CAPTURE(thousand.questions);
    CHECK(thousand.questions <= 2 * ten.questions);
    CHECK(thousand.leaves <= ten.leaves + 2);
  }
}

TEST_CASE("what nobody can share is tried one by one: the tree does not hide that") {
  // The rank is a condition, of which the tree knows nothing.
  Work hundred = workOf(100, [](unsigned i) { return fmt::format("relu(x) where x.rank == {}", i); });
  CHECK(hundred.leaves == 100);
}
