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
    for (ValueId v : fn_.params(id))
      inScope_[v.raw] = true;
    for (OpId op = fn_.data(id).firstOp; op; op = fn_.data(op).next) {
      const OpData &d = fn_.data(op);
      operands(op, d);
      if (d.kind == kReturnKind && d.next)
        checker_.fail("verify-structure", op, "`return` is the last op of its region");
      size_t before = checker_.failures();
      if (d.flags & kHasRegions)
        for (RegionId nested : fn_.regionsOf(op))
          region(nested, depth + 1);
      checker_.schema(op, checker_.failures() == before);
      for (unsigned i = 0; i < d.resultCount; ++i) // not visible in the op's own regions
        inScope_[d.firstResult.raw + i] = true;
    }
    if (!fn_.terminator(id))
      checker_.fail("verify-structure", fn_.data(id).lastOp ? fn_.data(id).lastOp : parent,
                    "a region does not end with `return`");
    if (depth)
      leave(id);
  }

private:
  void leave(RegionId id) {
    for (ValueId v : fn_.params(id))
      inScope_[v.raw] = false;
    for (Op op : fn_.ops(id))
      for (unsigned i = 0; i < op.resultCount(); ++i)
        inScope_[op.result(i).id.raw] = false;
  }

  void operands(OpId op, const OpData &d) {
    for (unsigned i = 0; i < d.operandCount; ++i) {
      ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value;
      if (!v || inScope_[v.raw]) [[likely]]
        continue;
      if (Op def = fn_.value(v).definingOp(); def && def.isErased())
        checker_.fail("verify-dominance", op, "operand " + std::to_string(i) + " is a result of an erased op");
      else
        checker_.fail("verify-dominance", op,
                      checker_.valueText(v) + " is used where it is not defined: " + why(op, v));
    }
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
  std::vector<bool> inScope_; // values that may be read here
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
