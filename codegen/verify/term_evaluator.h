// TermEvaluator: what a function computes, as a term for an element of a result.
//
// In:  a function whose values have known types, sizes that may be symbols; a table of terms.
// Out: the term of result `r` at given indices. Two functions whose terms are the same compute the same, at the level
//      of the table.
// Elsewhere: terms are terms.h; laws of elementwise functions scalar_laws.h; comparing two functions decide.h.
//
// Elements are asked for where they are needed: result[i, j] asks the operands at indices made of i and j, so that
// nothing depends on how large a tensor is. What an op is not known to do is a function of all of its operands: equal
// for equal operands, and no more.
//
//   TermTable terms(Level::Exact);
//   TermEvaluator before(terms, f), after(terms, g);
//   std::vector<Term> at = before.freshIndices(0);
//   before.result(0, at) == after.result(0, at);
#pragma once

#include "codegen/verify/terms.h"
#include "rw/interp/tensor.h"
#include "rw/ir/builder.h"

#include <functional>
#include <map>
#include <memory>

namespace rw::verify {

/// A number as the table has it: of floats that are real numbers exactly that, else the bits.
Term literalTerm(TermTable &, DType, double);

class TermEvaluator {
public:
  /// `known` are contents of parameters that steer, such as shapes; none for the others.
  TermEvaluator(TermTable &terms, Function &fn, std::vector<Tensor> known = {})
      : t_(terms), fn_(fn), known_(std::move(known)) {}
  /// Reductions over numbers are written out, and constants read element by element: indices are numbers.
  void writeOut() { writesOut_ = true; }

  std::vector<Term> shapeOf(Value);
  std::vector<Term> freshIndices(unsigned result);
  Term result(unsigned r, const std::vector<Term> &at);
  /// Ops that were taken for functions nothing is known of.
  bool usedOpaque() const { return usedOpaque_; }

private:
  friend class OpTerms;
  using Indices = std::vector<Term>;
  using ElementOf = std::function<Term(const Indices &)>;

  Term at(Value, const Indices &);
  /// What a region of scalars results in, given terms for its parameters.
  Term inRegion(Value result, std::span<const ValueId> params, std::span<const Term> given);
  Term constantAt(AttrId, const Indices &);
  Term operation(Op, unsigned result, const Indices &);
  bool isInitialZero(Op, unsigned operand);
  Term opaque(Op, unsigned result, const Indices &);
  Term whole(Value);
  Term over(std::string_view function, DType, const std::vector<Term> &extents, const ElementOf &);
  Term sumOfProducts(DType, const std::vector<Term> &extents,
                     const std::function<std::pair<Term, Term>(const Indices &)> &);
  std::string_view functionOfIntegers(Op, std::string_view f, DType type);
  Term elementwise(Op, unsigned result, const Indices &);
  Indices broadcastIndices(Value, const Indices &at, const std::vector<Term> &shape);
  Term dimTerm(Dim);

  std::vector<int64_t> intsOf(Value);
  std::optional<std::vector<int64_t>> intsAttr(Op, std::string_view);
  std::vector<int64_t> listOf(Op, std::string_view attr, unsigned operand);
  bool hasList(Op, std::string_view attr, unsigned operand);
  std::vector<int64_t> attrNumbers(Op, std::initializer_list<std::string_view> without = {});

  TermTable &t_;
  Function &fn_;
  std::vector<Tensor> known_;
  bool writesOut_ = false, usedOpaque_ = false;
  std::map<std::pair<uint32_t, Indices>, Term> memo_;
  std::map<uint32_t, Term> wholes_;
  std::map<uint32_t, Term> bound_; // parameters of the region that is looked at
  std::map<uint32_t, Tensor> constants_;
  std::vector<std::unique_ptr<Function>> meanings_;
  std::map<uint32_t, std::unique_ptr<TermEvaluator>> meant_;
  TermEvaluator *outer_ = nullptr; // of a meaning: who knows the operands
  std::vector<Value> outerValues_;
  unsigned depth_ = 0;
};

} // namespace rw::verify
