#include "rw/rewrite/checks.h"

#include "rw/ir/verifier.h"

namespace rw {
namespace {

constexpr size_t kWholeFunction = 2'000; // ops up to which everything is hashed
constexpr unsigned kSurroundings = 32;   // else so many neighbours on either side

class StructureHasher {
public:
  explicit StructureHasher(Function &fn) : fn_(fn) {}

  void add(uint64_t word) {
    state_ = (state_ ^ word) * 0x9fb21c651e98df25u;
    state_ ^= state_ >> 29;
  }
  void addOp(OpId id) {
    const OpData &d = fn_.data(id);
    add(uint64_t(id.raw) << 16 | d.kind.raw);
    add(uint64_t(d.attrs.raw) << 32 | d.region.raw);
    for (uint32_t i = 0; i < d.operandCount; ++i)
      add(fn_.data(SlotId(d.firstOperand.raw + i)).value.raw);
    for (unsigned i = 0; i < d.resultCount; ++i)
      add(uint64_t(d.firstResult.raw + i) << 32 | fn_.data(ValueId(d.firstResult.raw + i)).type.raw);
  }
  uint64_t value() const { return state_; }

private:
  Function &fn_;
  uint64_t state_ = 0x2545f4914f6cdd1du;
};

} // namespace

uint64_t structureHash(Function &fn, Op at) {
  StructureHasher hash(fn);
  hash.add(fn.liveOps());
  if (fn.liveOps() <= kWholeFunction) {
    for (size_t region = 0; region < fn.regionCapacity(); ++region)
      for (Op op : fn.ops(RegionId(uint32_t(region))))
        hash.addOp(op.id);
    return hash.value();
  }
  Op op = at;
  hash.addOp(op.id);
  std::vector<RegionId> inside(at.regions().begin(), at.regions().end());
  for (size_t next = 0; next < inside.size(); ++next)
    for (Op held : fn.ops(inside[next])) {
      hash.addOp(held.id);
      inside.insert(inside.end(), held.regions().begin(), held.regions().end());
    }
  for (unsigned i = 0; i < kSurroundings && (op = op.prev()); ++i)
    hash.addOp(op.id);
  op = at;
  for (unsigned i = 0; i < kSurroundings && (op = op.next()); ++i)
    hash.addOp(op.id);
  for (unsigned i = 0; i < at.operandCount(); ++i)
    if (Value v = at.operand(i))
      if (Op def = v.definingOp())
        hash.addOp(def.id);
  return hash.value();
}

std::string verifyStep(PatternRewriter &rewriter, Op root, std::span<const OpId> around) {
  SourceManager sources;
  Diagnostics diags(sources);
  Function &fn = rewriter.function();
  bool good = true;
  auto check = [&](Op op) { good = good && (op.isErased() || verifyOp(op, diags)); };
  for (OpId id : rewriter.created())
    check(fn.op(id));
  if (root)
    check(root);
  for (OpId id : around)
    check(fn.op(id));
  return good ? "" : diags.all().empty() ? "an op does not verify" : diags.all().front().message;
}

} // namespace rw
