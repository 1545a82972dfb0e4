// Patterns as tables: how rwc writes the patterns of files that have many, so that thousands compile in seconds.
//
// In:  a CompiledRule: the tests that come first and the ops that the right side builds as data, and a function for
//      what needs expressions.
// Out: a Pattern that does what the class of the same pattern would do, reports why it does not match included.
// Elsewhere: few patterns become classes (pattern.h), which are faster and easier to read. The tables are written by
//            codegen/emit/rule_emitter.cpp.
//
//   // relu(transpose(x, perm = p)) => transpose(relu(x), perm = p)
//   constexpr LeadStep kSinkLead[] = {
//     {.kind = LeadStep::Operand, .in = 0, .out = 1, .line = 5},
//     {.kind = LeadStep::Def, .in = 1, .out = 2, .line = 5, .op = &TransposeOp::schema(), .why = "operand `x` of the …"},
//     …
//   constexpr BuildStep kSinkBuilds[] = {{&ReluOp::schema(), 1, {3}}, {&TransposeOp::schema(), 1, {made(0)}, 1, {4}}};
#pragma once

#include "rw/rewrite/rewriter.h"

#include <initializer_list>

namespace rw {

/// What an attribute can be read as (attrAs).
enum class AttrView : uint8_t { Int, Float, Bool, String, DType, Dim, Type, Ints, Floats, Dims, Bools, Strings };

/// One test of a rule's lead. Slots are numbered; 0 is the root.
struct LeadStep {
  enum Kind : uint8_t {
    Operand,      // value `out` = operand `index` of op `in`
    OperandAtEnd, // the same, counted from the end
    Def,          // op `out` makes value `in` as result `index`; it is `op`, or one of `kinds`
    Attr,         // attribute `out` = declared attribute `index` of op `in`; it is there
    AttrOrDefault,
    AttrDefault, // declared attribute `index` of op `in` is left out or equals its default
    AttrAbsent,
    AttrInt,    // attribute `in` is the int `number`
    AttrBool,
    AttrDType,  // `number` is the DType
    AttrString, // `text`, `number` bytes long
    AttrIs,     // attribute `in` is of type AttrView(number)
    Count,      // op `in` has `number` to `most` operands
    Absent,     // operand `index` of op `in` is left out
    NoExtras,   // op `in` has no undeclared attributes
    OneUse,     // of value `in`
    Constant,   // value `in` is one
    DTypeIs,    // of value `in`: `number`
    SplatInt, // value `in` is a constant whose elements all equal `number` (isSplat)
    SplatBool,
    SplatFloat, // `real`
    FloatType,
    IntegerType,
    RankIs,    // of value `in`: `number`
    SameType,  // values `in` and `out` have types that are equal and fully known
    SameDType, // likewise their dtypes
    Same,    // slots `in` and `out` are the same value
    Commute, // values `out`, `out` + 1: operands 0 and 1 of op `in` as written, then swapped; all that follows for each
  };
  Kind kind = Operand;
  bool required = false; // Operand: it is there
  uint16_t in = 0, out = 0, index = 0;
  uint32_t line = 0, most = 0;
  int64_t number = 0;
  double real = 0;
  const OpSchema *op = nullptr;
  const KindSet *kinds = nullptr;
  const char *text = nullptr;
  const char *why = ""; // what does not hold if the step fails
};

/// What a lead has found: the root and the ops, values and attributes of its slots.
class Matched {
public:
  Matched(Op root, PatternRewriter &rewriter, unsigned slots) : root(root), rewriter(rewriter), ids_(slots, 0) { ids_[0] = root.id.raw; }
  Op op(unsigned slot) const { return {root.fn, OpId(ids_[slot])}; }
  Value value(unsigned slot) const { return {root.fn, ValueId(ids_[slot])}; }
  AttrId attr(unsigned slot) const { return AttrId(ids_[slot]); }
  Context &context() const { return rewriter.context(); }
  /// Records why the pattern does not match and returns false.
  [[gnu::cold]] bool noMatch(const char *why, unsigned line) const;
  /// The same where a rule's function ends: told when it has returned. Functions without calls for it compile faster.
  bool fail(const char *why, unsigned line) const {
    why_ = why;
    line_ = line;
    return false;
  }
  bool tellFailure() const { return why_ && noMatch(why_, line_); }
  void set(unsigned slot, uint32_t id) { ids_[slot] = id; }

  const Op root;
  PatternRewriter &rewriter;

private:
  InlineList<uint32_t, 32> ids_;
  mutable const char *why_ = nullptr;
  mutable unsigned line_ = 0;
};

/// A value for a new op: a slot, or the result of an op built before.
constexpr int16_t made(int16_t build) { return int16_t(-1 - build); }
/// An attribute for a new op: a slot, none, or one that the rule's function has computed.
inline constexpr int16_t kNoAttr = -1;
constexpr int16_t given(int16_t number) { return int16_t(-2 - number); }

/// An op that the right side builds.
struct BuildStep {
  const OpSchema *op;
  uint8_t operandCount = 0;
  int16_t operands[4] = {};
  uint8_t attrCount = 0;
  int16_t attrs[4] = {};
};
/// A right side that replaces the root, which has one result, by one value.
struct RuleRewrite {
  std::span<const BuildStep> builds;
  int16_t value = 0;
  uint32_t line = 0;
};
/// Builds and replaces; true if it did, and nothing has changed if not.
bool rewrite(const Matched &, const RuleRewrite &, std::initializer_list<AttrId> given = {});

struct CompiledRule {
  PatternInfo info;
  const OpSchema *root = nullptr; // or one of `roots`
  KindSet roots;
  std::span<const KindSet> chains;
  unsigned slots = 1;
  std::span<const LeadStep> lead;
  /// What comes behind the lead; without it `rewrite` does.
  bool (*rest)(const Matched &) = nullptr;
  RuleRewrite rewrite;
};

} // namespace rw
