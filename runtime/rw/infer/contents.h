// What is known of the elements of small integer tensors: the shapes that a program computes while it runs.
//
// In:  ops in program order, their operands' types.
// Out: per value the elements, each a number, an expression over the symbols of dimensions, or unknown.
// Elsewhere: types that follow from contents are type_rules.h; the pass is infer_shapes.h.
//
//   Contents contents(fn);
//   contents.visit(shapeOp);                      // x: f32[B, 3] gives [B, 3]
//   if (const Content *c = contents.of(value)) use(c->elements);
//
// Ops with the trait `moves_elements` are run by the evaluator on the positions of elements instead of the elements, so
// each means here what it means there.
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/function.h"

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace rw {

/// One integer of which something may be known.
class Element {
public:
  Element() = default; ///< unknown
  static Element number(int64_t n) { return {Kind::Number, true, n}; }
  static Element boolean(bool b) { return number(b); }
  /// A dimension: never negative.
  static Element size(Dim d) {
    return d.isUnknown() ? Element() : d.isKnown() ? number(d.size()) : Element(Kind::Symbolic, true, d.bits());
  }
  /// A polynomial that may be negative.
  static Element difference(Dim d) { return d.isExpression() ? Element(Kind::Symbolic, false, d.bits()) : size(d); }

  bool isKnown() const { return kind_ != Kind::Unknown; } ///< as a number or an expression
  bool isNumber() const { return kind_ == Kind::Number; }
  bool isSymbolic() const { return kind_ == Kind::Symbolic; }
  int64_t value() const { return bits_; } ///< of a number
  bool isNegativeNumber() const { return isNumber() && bits_ < 0; }
  bool isNonNegative() const { return isNumber() ? bits_ >= 0 : kind_ == Kind::Symbolic && nonNegative_; }
  /// As the size of a dimension; unknown if it may be negative.
  Dim asSize() const { return isNonNegative() ? asPolynomial() : Dim::unknown(); }
  /// Unknown for negative numbers, which `Dim` cannot hold.
  Dim asPolynomial() const { return isNegativeNumber() || !isKnown() ? Dim::unknown() : Dim::fromBits(bits_); }
  /// Known to be the same whatever the symbols stand for.
  bool sameAs(const Element &o) const { return isKnown() && kind_ == o.kind_ && bits_ == o.bits_; }
  uint64_t hash() const { return uint64_t(bits_) * 4 + uint64_t(kind_); }

private:
  enum class Kind : uint8_t { Unknown, Number, Symbolic };
  Element(Kind kind, bool nonNegative, int64_t bits) : kind_(kind), nonNegative_(nonNegative), bits_(bits) {}
  Kind kind_ = Kind::Unknown;
  bool nonNegative_ = false;
  int64_t bits_ = 0; // the number, or a Dim's bits
};

struct Content {
  DType dtype = DType::I64; // an integer type, or bool with elements 0 and 1
  Shape shape;
  std::vector<Element> elements; // row-major

  bool isNumbers() const;  ///< every element is a number
  bool isComplete() const; ///< every element is a number or an expression
  bool sameAs(const Content &) const;
};

struct InferenceRules;
class RulesByKind;

class Contents : public KnownContents {
public:
  explicit Contents(Function &fn);
  /// `like`: of a function of the same program, to share what is known of kinds of ops.
  Contents(Function &fn, const Contents &like)
      : fn_(fn), index_(fn.valueCapacity(), -2), known_(like.known_), rules_(like.rules_) {}

  /// What rules.h says of an op's kind.
  const InferenceRules &rulesOf(Op) const;

  /// Looks at an op whose operands were visited. Contents of its results follow, where they can be known.
  void visit(Op);
  /// Looks at an op again: what was known of its results is forgotten.
  void visitAgain(Op);
  /// Forgets everything.
  void clear();
  /// Null if nothing is known. A constant's elements are read when first asked for.
  const Content *of(Value);
  /// For the `type` clauses of ops. Of a list of which only the length is known, as many unknown ones.
  std::optional<Dims> contentsOf(Value, bool asSizes) override;
  /// What a rule found (rules.h). Left out where it contradicts the value's type.
  void set(Value, Content &&);
  /// A tensor of the content's numbers.
  static std::optional<Tensor> tensorOf(const Content &);

  static constexpr size_t kMostElements = 1024; // larger tensors are not shapes

private:
  bool small(Value) const;
  void numbers(Op);
  void move(Op);

  Function &fn_;
  std::vector<int32_t> index_; // by ValueId: -1 nothing, -2 not asked yet
  std::deque<Content> contents_;
  struct Rule {
    void (*contents)(Op, Contents &) = nullptr;
    bool ofTypes = false, moves = false, evaluated = false;
  };
  std::shared_ptr<const RulesByKind> known_;
  std::shared_ptr<const std::vector<Rule>> rules_; // by KindId
};

} // namespace rw
