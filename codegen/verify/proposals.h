// Proposals: what operands and attributes of an op may be, so that the op has a chance to be valid.
//
// In:  the op's name, the operand's or attribute's name, what is known of the other operands; a pattern's literals.
// Out: shapes, integers, numbers. They are guesses: whether an op takes them says its declaration, and the evaluator.
// Elsewhere: whole programs are made of them by instance_builder.h.
//
// Where any shape fits, and where its name alone says what a list is (`perm`, `axes`, `pads`), nothing is proposed.
// A few ops whose operands hardly ever fit by chance have shapes of their own here.
#pragma once

#include "codegen/verify/choices.h"
#include "codegen/verify/literals.h"
#include "rw/interp/tensor.h"

#include <string_view>

namespace rw::verify {

/// One op that is being made: operands that are there already, none for the others.
struct OpDraft {
  std::string_view op; // "Conv", without the dialect
  std::vector<Tensor> operands;
  std::vector<std::pair<std::string_view, std::vector<int64_t>>> ints; // attributes chosen so far
  unsigned attempt = 0;                                                // the later, the wilder
  const Tensor *data() const { return operands.empty() || !operands[0] ? nullptr : &operands[0]; }
};

constexpr size_t kMostElements = 5000;  ///< of an operand
constexpr size_t kMostOfOneDim = 70000; ///< where places of 16 bits are too narrow

/// How the sizes of instances are chosen.
struct Sizing {
  unsigned coincidences = 20; // of a hundred instances, how many have dimensions of one size
  unsigned lengths = 4;       // how many have a few long dimensions, in which several steps of a slice find room
  /// Where a pattern names integers of 8 or 16 bits, f16 or bf16, or counts places, some dimensions are longer than
  /// these can count.
  bool outgrowsNarrow = false;
  /// Numbers that a pattern names are tried as sizes, pads and places.
  bool namesNumbers = false;
  /// Constants are next to floats that it names. What is computed of such is rounded.
  bool nearFloats = false;
};

class Proposals {
public:
  Proposals(const Literals &literals, Choices &choices, const Sizing &sizing)
      : literals_(literals), choices_(choices), sizing_(sizing) {
    startInstance();
  }

  DType dtype() const { return dtype_; }
  /// Whether this instance looks for what is rare: extreme numbers, element types that differ, every attribute set.
  bool isWild() const { return wild_; }
  DType otherDType();
  /// What an operand of this name mostly is, where that is not as others.
  void dtypeFor(const OpDraft &, size_t index, std::string_view name, DType &);
  size_t mostElements() const { return most_; } ///< of an operand of this instance
  /// Numbers with which a pattern computes exactly: sums and products of powers of 2.
  void plainNumbers() { plain_ = true; }
  void noComplex() { dtype_ = isComplex(dtype_) ? DType::F32 : dtype_; }
  /// What was chosen for one op says nothing of the next, but for what `made` keeps.
  void startOp();
  /// An op was made with these: now and then another one takes the same lists, or what undoes them.
  void made(const OpDraft &);
  /// A shape of an instance's own dimensions.
  Shape freshShape();
  /// The shape of operand `index`, called `name`.
  Shape shapeFor(const OpDraft &, size_t index, std::string_view name);
  /// A shape that stretches to `to`.
  Shape stretching(const Shape &to);
  /// Whether an operand of this name of an op so called holds integers that steer.
  static bool isSteering(std::string_view op, std::string_view name);
  /// A list by its name: `perm`, `axes`, `pads`, …; now and then one that is next to it, or next to another op's.
  std::vector<int64_t> ints(const OpDraft &, std::string_view name, bool isOperand);
  int64_t oneInt(const OpDraft &, std::string_view name);
  /// Which elements to take, or where to put them: places along the axes that the op looks at.
  Tensor indices(const OpDraft &);
  double number();
  /// Far away, or special, or next to a literal with either sign.
  double wildNumber();
  /// At which rewrites of integers tend to be wrong: a power of two, an amount to shift by, any number of 8 bits.
  double wholeNumber(DType);
  /// Names of activation functions, as recurrent ops list them.
  std::vector<std::string> activations(const OpDraft &);
  double epsilon(); ///< what is added to a variance: above 0
  std::string autoPad();
  std::string padMode();
  std::string text(const OpDraft &, std::string_view name, const std::vector<std::string> &allowed);
  /// Of an Einsum of these operands: dimensions of one size mostly have one letter.
  std::string equation(const OpDraft &);
  DType dtypeAttr();
  /// Elements of a constant or of a parameter.
  Tensor contents(DType, const Shape &, bool plain);
  /// Those of the operand `name`: scales mostly above 0, the part of an image that is resized inside it.
  Tensor contentsFor(const OpDraft &, std::string_view name, DType, const Shape &, bool plain);

private:
  void startInstance();
  struct Selectors {
    uint32_t a = 0, b = 0, c = 0;
  };
  std::vector<int64_t> likelyInts(const OpDraft &, std::string_view name, bool isOperand);
  /// What an op before has under this name, or its counterpart; empty if there is none of this length.
  std::vector<int64_t> counterpart(std::string_view name, size_t length, const Selectors &) const;
  int64_t named();
  void nameIn(std::vector<int64_t> &, std::string_view name);
  static void disturb(std::vector<int64_t> &, const Selectors &);
  std::vector<int64_t> targetShape(const OpDraft &);
  /// Dimensions of one operand that are paired with those of another: contracted and batch dimensions.
  std::vector<int64_t> pairedDims(const OpDraft &, std::string_view name);
  std::optional<Shape> pairedShape(const OpDraft &, size_t index);
  /// What a slice takes of one dimension.
  struct Cut {
    int64_t start = 0, end = 0, step = 1;
  };
  /// Plans a slice as a whole, with the lists that are known already.
  void planCuts(const OpDraft &);
  Cut cutOf(int64_t size, bool canTurn, const Cut *before, bool continues);
  std::vector<int64_t> cutList(const OpDraft &, std::string_view name);
  std::vector<int64_t> broadcastTarget(const OpDraft &);

  /// Not taken from the numbers that this instance has already.
  double likelyNumber();
  double nearNamed();
  /// A power of two next to a number.
  double powerNear(double number);

  const Literals &literals_;
  Choices &choices_;
  Sizing sizing_;
  DType dtype_ = DType::F32;
  Shape base_;
  size_t most_ = kMostElements;
  std::vector<double> numbers_; // that this instance has
  bool plain_ = false, uniform_ = false, long_ = false, wild_ = false;
  int64_t outgrowing_ = 0;        // a size that no place of a narrow type says; 0: sizes are small
  std::vector<DType> outgrown_;   // such types
  bool alike_ = false;            // operands whose shapes nothing else tells have the same one
  std::optional<unsigned> alone_; // the one dimension in which an op does anything
  bool cutsPlanned_ = false;
  std::vector<Cut> cuts_, cutsBefore_;             // of each dimension: of this op, and of the slice before
  std::vector<int64_t> cutAlong_, cutAlongBefore_; // the axes in the order in which they are named
  std::vector<int64_t> placed_;                    // where broadcastTarget() put each dimension
  std::vector<std::pair<std::string_view, std::vector<int64_t>>> earlier_; // lists of ops that were made
};

/// A tensor of elements given as numbers, each converted.
Tensor tensorOf(DType, const Shape &, std::span<const double>);
Tensor tensorOfInts(const Shape &, std::span<const int64_t>);

} // namespace rw::verify
