// Result types that follow from the contents of operands: shapes that a program computes.
//
// In:  an op whose operands were visited (contents.h). Out: types, as far as they can be inferred.
// Elsewhere: what types and constants alone say is in the `type` clauses of the op declarations.
//
//   TypeRules rules(fn, contents);
//   InlineList<TypeId, 4> types = rules.infer(op);   // one per result; none where nothing is known
#pragma once

#include "rw/infer/contents.h"
#include "rw/support/inline_list.h"

namespace rw {

class TypeRules {
public:
  TypeRules(Function &fn, Contents &contents);
  /// `like`: of a function of the same program, to share what is known of kinds of ops.
  TypeRules(Function &fn, Contents &contents, const TypeRules &like)
      : fn_(fn), contents_(contents), rules_(like.rules_) {}

  InlineList<TypeId, 4> infer(Op);

private:
  using Rule = std::optional<Dims> (TypeRules::*)(Op);
  static Rule ruleNamed(std::string_view fullName);
  std::optional<Dims> reshape(Op);
  std::optional<Dims> expand(Op);
  std::optional<Dims> constantOfShape(Op);
  std::optional<Dims> range(Op);
  std::optional<Dims> slice(Op);
  std::optional<Dims> tile(Op);
  std::optional<Dims> pad(Op);
  std::optional<Dims> nonZero(Op);
  std::optional<Dims> resize(Op);
  std::optional<Dims> broadcastOfAll(Op);
  std::optional<Dims> einsum(Op);
  void split(Op, InlineList<TypeId, 4> &);
  DType resultDType(Op) const;

  std::optional<Dims> dimsOf(Op, unsigned operand) const;
  std::optional<std::vector<Element>> statedList(Op, const char *attr) const;
  /// The sizes that a list says; as many unknown ones as its type says; nothing if not even that is known.
  std::optional<std::vector<Element>> listOf(Op, unsigned operand);

  Function &fn_;
  Contents &contents_;
  std::shared_ptr<const std::vector<Rule>> rules_; // by KindId
};

} // namespace rw
