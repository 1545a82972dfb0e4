// Signature: everything the hooks of an op may look at (types, check, defaults), as a few words; and a table from
// signatures to result types, so that what was inferred or verified once is not worked out again.
//
// In:  a schema, attributes and operands. Hooks are pure functions of these: of operands they see the types and, of
//      constants, what they hold. Regions make an op too complicated: it has no signature.
// Out: equal words exactly if all of that is equal; found again in constant time.
// Elsewhere: the verifier keeps a table of what it has seen, the greedy driver one of what a run has inferred.
//
//   Signature s = Signature::of(inputs, types.size());
//   if (const SignatureTable::Entry *e = table.find(s)) use(e->types[0]);
//   else table.add(s, types);
#pragma once

#include "rw/ir/builder.h"

#include <vector>

namespace rw {

struct Signature {
  static constexpr unsigned kOperands = 4, kResults = 2; // more: no signature
  uint64_t words[2 + kOperands];
  unsigned count = 0; // of words; 0: there is none

  explicit operator bool() const { return count != 0; }

  static Signature of(const OpInputs &in, size_t results) {
    if (!in.regions().empty())
      return {};
    std::span<const ValueId> operands = in.operands();
    return of(in.function(), in.schema(), in.attrsId(), operands.size(), results,
              [&](size_t i) { return operands[i]; });
  }
  static Signature of(Op op) {
    const OpData &d = op.fn->data(op.id);
    if (d.flags & kHasRegions)
      return {};
    return of(*op.fn, op.schema(), d.attrs, d.operandCount, d.resultCount,
              [&](size_t i) { return op.fn->data(SlotId(d.firstOperand.raw + uint32_t(i))).value; });
  }

private:
  template <class Operand>
  static Signature of(Function &fn, const OpSchema &schema, AttrsId attrs, size_t operands, size_t results,
                      Operand operand) {
    Signature s;
    if (operands > kOperands || results > kResults)
      return s;
    const OpRegistry &ops = fn.context().ops();
    s.words[0] = reinterpret_cast<uintptr_t>(&schema);
    s.words[1] = attrs.raw | uint64_t(operands) << 32 | uint64_t(results) << 40;
    for (size_t i = 0; i < operands; ++i) {
      uint64_t word = UINT64_MAX; // left out
      if (ValueId v = operand(i)) {
        const ValueData &value = fn.data(v);
        word = uint64_t(UINT32_MAX) << 32 | value.type.raw;
        if (!(value.def & ValueData::kParam)) {
          const OpData &def = fn.data(OpId(value.def));
          if (ops.schema(def.kind).hasTrait(Trait::Constant))
            word = uint64_t(def.attrs.raw) << 32 | value.type.raw;
        }
      }
      s.words[2 + i] = word;
    }
    s.count = unsigned(2 + operands);
    return s;
  }
};

/// Direct mapped: a signature may push another one out, which then is worked out again. It begins small, for the many
/// small programs that are made one after another where some are drawn at random.
class SignatureTable {
public:
  struct Entry {
    Signature signature;
    TypeId types[Signature::kResults];
  };

  const Entry *find(const Signature &s) const {
    if (entries_.empty() || !s)
      return nullptr;
    const Entry &e = entries_[slot(s)];
    if (e.signature.count != s.count)
      return nullptr;
    for (unsigned i = 0; i < s.count; ++i)
      if (e.signature.words[i] != s.words[i])
        return nullptr;
    return &e;
  }
  void add(const Signature &s, std::span<const TypeId> types) {
    if (!s)
      return;
    if (added_++ >= entries_.size() && bits_ < kMostBits)
      grow();
    Entry &e = entries_[slot(s)];
    e.signature = s;
    for (size_t i = 0; i < types.size(); ++i)
      e.types[i] = types[i];
  }

private:
  static constexpr unsigned kLeastBits = 4, kMostBits = 9;
  void grow() {
    bits_ = entries_.empty() ? kLeastBits : bits_ + 1;
    std::vector<Entry> old(size_t(1) << bits_);
    old.swap(entries_);
    for (const Entry &e : old)
      if (e.signature)
        entries_[slot(e.signature)] = e;
  }
  size_t slot(const Signature &s) const {
    constexpr uint64_t kFactors[] = {0x9e3779b97f4a7c15u, 0x9fb21c651e98df25u, 0xc2b2ae3d27d4eb4fu,
                                     0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u, 0x2545f4914f6cdd1du};
    static_assert(std::size(kFactors) >= 2 + Signature::kOperands);
    uint64_t hash = 0;
    for (unsigned i = 0; i < s.count; ++i)
      hash += (s.words[i] ^ s.words[i] >> 32) * kFactors[i];
    return size_t(hash >> (64 - bits_));
  }
  std::vector<Entry> entries_;
  size_t added_ = 0;
  unsigned bits_ = 0; // of a place
};

} // namespace rw
