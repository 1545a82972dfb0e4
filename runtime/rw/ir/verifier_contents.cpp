// Regions, terminators and dominance; every op on the way is checked against its schema.
#include "rw/ir/verifier_impl.h"

#include <vector>

namespace rw::detail {
namespace {

constexpr unsigned kDeepest = 1000; // regions within regions: every walk of the IR recurses over them

class ContentsVerifier {
public:
  ContentsVerifier(Function &fn, OpChecker &checker) : fn_(fn), checker_(checker), inScope_(fn.valueCapacity()) {}

  void region(RegionId id, unsigned depth) {
    OpId parent = fn_.data(id).parent;
    if (depth > kDeepest)
      return checker_.fail("verify-structure", parent, "regions are nested more than 1000 levels deep");
    size_t mark = scope_.size();
    for (ValueId v : fn_.params(id))
      define(v);
    for (OpId op = fn_.data(id).firstOp; op; op = fn_.data(op).next) {
      const OpData &d = fn_.data(op);
      operands(op, d);
      if (d.kind == kReturnKind && d.next)
        checker_.fail("verify-structure", op, "`return` is the last op of its region");
      size_t before = checker_.failures();
      for (RegionId nested : fn_.regionsOf(op))
        region(nested, depth + 1);
      checker_.schema(op, checker_.failures() == before);
      for (unsigned i = 0; i < d.resultCount; ++i) // not visible in the op's own regions
        define(ValueId(d.firstResult.raw + i));
    }
    if (!fn_.terminator(id))
      checker_.fail("verify-structure", fn_.data(id).lastOp ? fn_.data(id).lastOp : parent,
                    "a region does not end with `return`");
    for (; scope_.size() > mark; scope_.pop_back())
      inScope_[scope_.back().raw] = false;
  }

private:
  void define(ValueId v) {
    inScope_[v.raw] = true;
    scope_.push_back(v);
  }

  void operands(OpId op, const OpData &d) {
    for (unsigned i = 0; i < d.operandCount; ++i) {
      ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value;
      if (v && !inScope_[v.raw] && !ofErasedOp(v))
        checker_.fail("verify-dominance", op,
                      checker_.valueText(v) + " is used where it is not defined: " + why(op, v));
    }
  }
  /// Those have been reported with the use lists.
  bool ofErasedOp(ValueId v) const {
    Op def = fn_.value(v).definingOp();
    return def && def.isErased();
  }
  std::string why(OpId op, ValueId v) {
    Value value = fn_.value(v);
    RegionId region = value.isParam() ? value.paramRegion() : value.definingOp().region();
    for (Op at = fn_.op(op); at; at = at.parent())
      if (at.region() == region)
        return "its definition comes later";
    return "its region does not enclose the op";
  }

  Function &fn_;
  OpChecker &checker_;
  std::vector<bool> inScope_;
  std::vector<ValueId> scope_;
};
} // namespace

void verifyContents(Function &fn, OpChecker &checker) { ContentsVerifier(fn, checker).region(fn.body(), 0); }

void verifyOperandsDominate(Op op, OpChecker &checker) {
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    if (!v)
      continue;
    Op def = v.definingOp();
    if (def && def.isErased()) {
      checker.fail("verify-dominance", op.id, "operand " + std::to_string(i) + " is a result of an erased op");
      continue;
    }
    RegionId region = def ? def.region() : v.paramRegion();
    Op at = op; // the op itself, or the one in the value's region that holds it
    while (at && at.region() != region)
      at = at.parent();
    if (!at || (def && !def.isBefore(at)))
      checker.fail("verify-dominance", op.id, checker.valueText(v.id) + " is used where it is not defined");
  }
}

} // namespace rw::detail
