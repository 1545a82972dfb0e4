// What generated patterns call to match and to build: attributes of ops, chains, `each`, replay, update in place.
//
// In:  ops, values, a PatternRewriter.
// Out: as each function says; nothing is edited except where it says so.
// Elsewhere: arithmetic, lists, shapes and constants are ir/expr_helpers.h; edits rewriter.h.
//
//   Chain mid(op.operand(0), [](Op link) { return link.hasTrait(Trait::Elementwise); });
//   do {
//     if (fits(mid.end())) return rw.replaceOp(op, replay(rw, mid, x));
//   } while (mid.extend());
#pragma once

#include "rw/ir/expr_helpers.h"
#include "rw/rewrite/rewriter.h"

#include <algorithm>
#include <type_traits>

namespace rw {

/// Whether the op has undeclared attributes; those whose names begin with `$` are bookkeeping and do not count.
bool anyExtraAttr(Context &, std::span<const NamedAttr>);
inline bool hasExtraAttrs(Op op) {
  if (!op.context().hasExtras()) [[likely]]
    return false;
  std::span<const NamedAttr> extra = op.context().attrs(op.attrsId()).extra;
  return !extra.empty() && anyExtraAttr(op.context(), extra);
}
/// Whether declared attribute `index` was left out or equals its default.
bool attrIsDefault(Op, unsigned index);
/// Whether the op is elementwise and looks only at the type of operand `index`: its layout is of no matter.
inline bool isTypeOnly(Op op, unsigned index) { return index < 16 && (op.schema().traits >> 16 >> index & 1); }
/// Whether the value is result `index` of its op, the only one if `index` is 0 and the op has one.
inline bool isResult(Value v, Op op, unsigned index = 0) { return op && op.result(index).id == v.id; }
/// The op that makes a value; none of an operand left out or a parameter.
inline Op definitionOf(Value v) { return v ? v.definingOp() : Op(); }
/// The number of uses; results of functions and captures count.
int64_t usesOf(Value);
/// Whether the value has uses, at most kMaxUsesOfOneUser, and one op has them all.
bool hasOneUser(Value);

/// Attributes with `index` set, in the order of declaration.
struct AttrSetting {
  unsigned index;
  AttrId value;
};
AttrsId withAttrs(Context &, AttrsId, std::initializer_list<AttrSetting>);
/// The same op with other attributes: whether it meets what it requires, and the types inferred are provably those it
/// has, or with `sameType` go with them. Edits nothing.
bool canUpdate(Op, AttrsId, bool sameType = false);

/// A chain of ops that a value comes through, found link by link, the one nearest to the value first. A link has one
/// result with one use in its own region, no effects and no regions; one of its operands goes on, the others hold a
/// single element of no greater rank, or fit `side`. Several operands may be the one: each way is gone in turn, to its
/// end.
class Chain {
public:
  using LinkTest = std::function<bool(Op)>;
  using SideTest = std::function<bool(Value)>;
  Chain() = default;
  explicit Chain(Value start, LinkTest isLink, SideTest side = nullptr)
      : end_(start), isLink_(std::move(isLink)), side_(std::move(side)) {}

  /// What stands behind the last link: the start while there is none.
  Value end() const { return end_; }
  size_t length() const { return links_.size(); }
  /// One more link, or the next way on where this one ends; false if there is none, and the chain stays as it is.
  bool extend();
  struct Link {
    OpId op;
    uint32_t operand;                  // the one that goes on
    std::optional<uint32_t> only = {}; // no other one can
    int64_t greatestRank = 0;          // of the single elements
  };
  std::span<const Link> links() const { return links_; }
  /// The same to keep: it cannot go on, and knows by itself which operands fit `side`.
  Chain kept() const;
  /// Whether an operand beside the chain fits `side`.
  bool isBeside(Value v) const { return side_ && side_(v); }

private:
  bool isLink(Op) const;
  std::optional<Link> survey(Op) const;
  std::optional<Link> next(Link) const;

  Value end_;
  LinkTest isLink_;
  SideTest side_;
  InlineList<Link, 8> links_;
};

/// Builds the links again on `input`, types inferred anew; the value that stands for the chain's start. With `side`,
/// each other operand that fits becomes what it returns (none: failure, and the result is none).
Value replay(PatternRewriter &, const Chain &, Value input, const std::function<Value(Value)> &side = nullptr);

/// Why an operand of an `each` does not fit: the condition that failed last.
struct OperandReason {
  const char *why = "";
  unsigned line = 0;
  bool fail(const char *condition, unsigned at) {
    why = condition, line = at;
    return false;
  }
  /// Tells who asks, with the number of the operand, that the pattern does not match at `root`. Returns false.
  bool noMatch(PatternRewriter &, Op root, unsigned operand) const;
};

/// After `each`: operands taken for single elements must not have a greater rank than the others, since the result
/// would have it too. `single` says which operands those are.
bool singleElementsKeepRank(Op, const InlineList<bool> &single);

/// The same op and attributes on other operands (`f(x)`), without those left out at the end.
inline Op again(PatternRewriter &rw, Op model, std::span<const Value> operands) {
  InlineList<ValueId, 6> ids;
  while (!operands.empty() && !operands.back())
    operands = operands.first(operands.size() - 1);
  for (Value v : operands)
    ids.push_back(v.id);
  return rw.cloneWithOperands(model, ids);
}
inline Op again(PatternRewriter &rw, Op model, std::initializer_list<Value> operands) {
  return again(rw, model, std::span(operands.begin(), operands.size()));
}
/// What a native rewrite with several results gave, read as the results of an op are. False if it failed: it gives
/// none, or other than as many as it declares.
class NativeResults {
public:
  NativeResults(InlineList<Value> values, size_t declared) : values_(std::move(values)), declared_(declared) {}
  explicit operator bool() const {
    return values_.size() == declared_ && std::all_of(values_.begin(), values_.end(), [](Value v) { return bool(v); });
  }
  Value result(size_t index) const { return values_[index]; }
  const InlineList<Value> &all() const { return values_; }

private:
  InlineList<Value> values_;
  size_t declared_;
};
inline const InlineList<Value> &resultsOf(const NativeResults &results) { return results.all(); }

/// Whether an op like `model` may have these operands: as many, and none left out that it needs.
bool takesOperands(Op model, std::span<const Value> operands);
bool takesOperands(const OpSchema &, std::span<const Value> operands);
/// The same with some attributes changed, and of stated types.
Op againWith(PatternRewriter &, Op model, std::span<const Value> operands, AttrsId, std::span<const TypeId> types = {});
/// Gives a value that was just built the type a pattern states; false if that contradicts what was inferred.
bool stateType(PatternRewriter &, Value, TypeId);

// Patterns with several roots, and patterns that replace ops beside their root.

/// The ops that a value, or the results of an op, reach through `uses` uses, in the region of `root` and in program
/// order. Of each value at most the first kMaxUsersSeen uses are looked at.
InlineList<Op> usersBelow(Value, unsigned uses, Op root);
InlineList<Op> usersBelow(Op, unsigned uses, Op root);
inline constexpr unsigned kMaxUsersSeen = 1000;
/// Sets the insertion point above everything that uses a result of `replaced`, else above the last of `roots`; false if
/// they do not stand in one region.
bool placeBefore(PatternRewriter &, std::span<const Op> roots, std::span<const Op> replaced);
inline bool placeBefore(PatternRewriter &rw, std::initializer_list<Op> roots, std::initializer_list<Op> replaced) {
  return placeBefore(rw, std::span(roots.begin(), roots.size()), std::span(replaced.begin(), replaced.size()));
}
/// Whether what the pattern created stands below all that it uses.
bool createdInOrder(PatternRewriter &);
/// Whether `values`, one per result of an op, stand above everything that uses those.
bool reachesUses(Op, std::span<const Value> values);
inline bool reachesUses(Op op, std::initializer_list<Value> values) {
  return reachesUses(op, std::span(values.begin(), values.size()));
}

/// A tensor as the value of a new constant op of `dialect`, or of that of `root` if it is empty; none if it has none.
Value materialize(PatternRewriter &, Op root, std::string_view dialect, AttrId tensor);

/// Of the declarations of one op the one that the program's version of the dialect has; the last declared for the
/// newest versions where the program does not say, or has none of them (and then nothing is built).
const OpSchema &ofVersion(const Context &, std::span<const OpSchema *const> versions);
inline const OpSchema &ofVersion(const Context &ctx, std::initializer_list<const OpSchema *> versions) {
  return ofVersion(ctx, std::span(versions.begin(), versions.size()));
}

/// A new op on operands collected in a list, empty ones at the end left out.
Op build(PatternRewriter &, const OpSchema &, InlineList<Value> operands, AttrsId, std::span<const TypeId> types = {});

/// A new op whose results are one variadic group: as many as its `type` clause gives types; none if that gives none, or
/// more than kMaxOpenResults.
Op buildOpen(PatternRewriter &, const OpSchema &, const InlineList<Value> &operands, AttrsId);
inline constexpr size_t kMaxOpenResults = 256;

/// The same of ops that take the regions built since rw.openRegions(): `f(x, body = (a) => …)`. None where results are
/// open and their number is not known.
Op takeRegions(PatternRewriter &, const OpSchema &, InlineList<Value> operands, AttrsId, bool open,
               std::span<const TypeId> types = {});
Op takeRegionsAs(PatternRewriter &, Op model, std::span<const Value> operands, AttrsId,
                 std::span<const TypeId> types = {});

/// Region `index` of an op; none if it has fewer.
inline RegionId regionOf(Op op, unsigned index) {
  return index < op.regions().size() ? op.regions()[index] : RegionId();
}

/// Whether each value may stand in for the result of the same number. A result may stand for itself while it is unused.
/// With `sameType` it is known that the types are the same, and is enough that they do not contradict each other.
bool canReplaceAll(PatternRewriter &, Op, std::span<const Value>, bool sameType = false);
/// One value per result.
bool replaceAll(PatternRewriter &, Op, std::span<const Value>);

} // namespace rw
