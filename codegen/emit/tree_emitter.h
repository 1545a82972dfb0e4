// TreeEmitter: one set of patterns as a C++ class derived from MergedMatcher.
//
// In:  a MergedSet and the names of its members' classes.
// Out: the class and the function that makes one, in an anonymous namespace of the source.
// Elsewhere: the tree is plan/decision_tree.h, place by place what is written here; what the code calls is
//            rw/rewrite/merged.h. Pattern classes are pattern_emitter.h.
//
//   class MergedAlgebra final : public MergedMatcher {
//     …
//     bool atMul(Op op, MatchRun &run) const {
//       [[maybe_unused]] Context &ctx = op.context();
//       Value x1 = op.operand(1);
//       if (constantOf(x1)) {
//         // MulByOne, algebra.rw:15
//         if (splatNumber(x1) == 1.0 && run.begin(0) && run.end(0, mulByOne_.matchAndRewrite(op, run.rewriter())))
//           return true;
#pragma once

#include "codegen/emit/pattern_emitter.h"
#include "codegen/plan/decision_tree.h"

#include <functional>
#include <map>

namespace rw::emit {

class TreeEmitter {
public:
  /// `classes`: of the patterns, by plan.
  TreeEmitter(const References &refs, const plan::Module &plans, const SourceManager &sources, const std::vector<std::string> &classes, Writer &out)
      : refs_(refs), plans_(plans), sources_(sources), classes_(classes), w_(out) {}
  void emit(const plan::MergedSet &, const std::string &className);

private:
  void collectKinds(const plan::MergedSet &);
  const std::string &kind(sema::OpIndex);
  void root(const plan::RootTree &, const std::string &function);
  void items(const std::vector<plan::TreeItem> &);
  void branch(const plan::TreeBranch &);
  void caseOf(const std::string &label, const plan::TreeBranch::Case &, const std::string &comment = "");
  void byPlace(std::string_view type, const std::vector<const plan::TreeBranch::Case *> &,
               const std::function<std::string(const plan::Answer &)> &literal, const std::string &value);
  void byNumber(const plan::TreeBranch &, const std::string &path);
  void bySplat(const plan::TreeBranch &, const std::string &path);
  void byString(const plan::TreeBranch &, const std::string &path);
  void byDType(const plan::TreeBranch &, const std::string &path);
  void leaf(uint32_t);
  void chosen(uint32_t);
  std::string call(const plan::TreeLeaf &);
  std::string place(const plan::TreeLeaf &) const;
  std::string condition(const plan::Question &, const plan::Answer &);
  std::string kindOf(plan::PathId op);
  std::string operandCount(const plan::Step &, const std::string &op) const;
  std::string oneOf(const plan::Step &, const std::string &op) const;

  /// The variable that holds a path's op, value or attribute; declared where it is not yet.
  const std::string &var(plan::PathId);
  /// The same as an expression, without a declaration.
  std::string text(plan::PathId) const;
  std::string nameOf(plan::PathId);
  bool declares(const plan::Question &) const; // whether asking it declares a variable
  bool declares(plan::PathId path) const { return path != 0 && !vars_.contains(path); }
  struct Scope {
    std::map<plan::PathId, std::string> vars, kinds;
  };
  Scope scope() const { return {vars_, kinds_}; }
  void leave(Scope s) {
    vars_ = std::move(s.vars);
    kinds_ = std::move(s.kinds);
  }

  const References &refs_;
  const plan::Module &plans_;
  const SourceManager &sources_;
  const std::vector<std::string> &classes_;
  Writer &w_;
  const plan::RootTree *tree_ = nullptr;
  std::vector<sema::OpIndex> ops_;        // that the class numbers
  std::map<uint32_t, std::string> names_; // their enumerators
  std::map<plan::PathId, std::string> vars_, kinds_; // in scope
  NameScope locals_;
};

} // namespace rw::emit
