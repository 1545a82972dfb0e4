// Decision trees: the plans of many patterns that share their tests.
//
// In:  plan::Module.
// Out: per root a tree whose inner places test one thing, once, for every pattern below; the leaves hold what remains
//      of each pattern, in order of priority. No pattern stands in two places.
// Elsewhere: plans are plan.h.
//
// The steps that lead a plan, up to its first choice, are tests on access paths (`operand 0 of operand 0 of the root`),
// which do not depend on each other beyond "the path exists". The tree takes the test that most patterns at hand share,
// gives each run of patterns that ask for the same outcome a branch, and goes on below. A pattern that does not ask
// the question ends a run, so that priority stays as it was.
//
//   op0 is tensor.transpose
//     def(op0.0) is tensor.transpose
//       MergeTransposes: …
#pragma once

#include "codegen/plan/plan.h"

#include <memory>

namespace rw::plan {

/// What a test asks of what.
struct TreeTest {
  std::string question; // "def(root.0)", "count(root)", "attr 0 of root is default"
  std::string answer;   // "tensor.transpose", "2"
  friend bool operator==(const TreeTest &, const TreeTest &) = default;
};

struct TreeBranch;
struct TreeItem {
  /// A pattern whose leading tests are done: index into Module::plans, and how many of its steps remain to be done.
  uint32_t plan = UINT32_MAX;
  std::vector<std::string> remaining; // steps, described
  std::unique_ptr<TreeBranch> branch; // or a test with what stands below it
};
struct TreeBranch {
  std::string question;
  struct Case {
    std::string answer;
    std::vector<TreeItem> items;
  };
  std::vector<Case> cases;
};
struct RootTree {
  std::string root; // the kind, or "any pure, elementwise"
  std::vector<TreeItem> items;
};

std::vector<RootTree> buildTrees(const Module &);
std::string dump(const std::vector<RootTree> &, const Module &);

} // namespace rw::plan
