// TreeRows: the patterns at one root as rows of tests. For the files of the decision tree alone.
//
// In:  plans and their leads, in order of priority.
// Out: RootTree with paths, questions and leaves; its items are still to be built.
#pragma once

#include "codegen/plan/decision_tree.h"

#include <map>
#include <tuple>

namespace rw::plan {

class TreeRows {
public:
  TreeRows(const Module &plans, RootTree &tree) : plans_(plans), module_(*plans.source), tree_(tree) {
    tree_.paths.emplace_back();
  }
  void add(uint32_t plan, uint32_t member, const Lead &, bool swapped);
  /// What a question costs to ask, in classes.
  static unsigned cost(Ask);

private:
  const MatchPlan &plan() const { return plans_.plans[leaf_->plan]; }
  PathId &path(Slot s) { return leaf_->slots[s]; }
  PathId intern(Path);
  std::vector<PathId> needs(PathId) const;
  bool hasOneResult(const OpSet &) const;
  void test(Ask, PathId, std::string text, Answer, const Step &, PathId other = kNoPath);
  void step(const Step &, const std::vector<bool> &defined);
  void def(const Step &, PathId value);
  void count(const Step &, PathId op);

  const Module &plans_;
  const sema::Module &module_;
  RootTree &tree_;
  TreeLeaf *leaf_ = nullptr;
  std::map<uint32_t, PathId> vars_;      // what the lead's variables are bound to
  std::vector<const OpSet *> opsOf_;     // by slot
  std::map<std::tuple<Path::Kind, PathId, uint32_t, bool, bool, std::string>, PathId> pathIds_{
      {std::tuple(Path::Root, kNoPath, 0u, false, false, std::string()), 0}};
  std::map<std::tuple<std::string, PathId, PathId, unsigned>, uint32_t> questionIds_;
};

} // namespace rw::plan
