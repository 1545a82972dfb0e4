// RuledOut: which patterns are known not to match, whatever else there is, at ops of given attributes.
//
// In:  the patterns that failed by what they ask of attributes alone (PatternRewriter::ruleOut).
// Out: at an op, the places of those that need not be tried.
// Elsewhere: which conditions those are is known where patterns are compiled (codegen/plan/head_attrs.h); the driver
//            asks.
//
// Models have few different attributes, so `is_identity(compose(p, q))` is asked of the same p and q over and over. The
// key is what such conditions may look at: kind and attributes of the op and of the op that makes its operand 0. It is
// a cache: what no longer has room is asked again.
//
//   uint64_t worthTrying = found & ~ruledOut.places(fn, op, maker); // maker: of operand 0; none if nothing makes it
//   // tried in vain:
//   ruledOut.add(fn, op, maker, place);
#pragma once

#include "rw/ir/function.h"

namespace rw {

class RuledOut {
public:
  /// Bits of the places below 64 that are ruled out at `op`.
  uint64_t places(const Function &fn, OpId op, OpId maker) const {
    if (!(kinds_ >> bitOf(fn, op) & 1)) // at most kinds of op nothing ever is
      return 0;
    const Key key(fn, op, maker);
    const Entry &e = entries_[key.index()];
    return e.key == key ? e.places : 0;
  }
  void add(const Function &fn, OpId op, OpId maker, unsigned place) {
    kinds_ |= uint64_t(1) << bitOf(fn, op);
    const Key key(fn, op, maker);
    Entry &e = entries_[key.index()];
    if (!(e.key == key))
      e = {key, 0};
    e.places |= uint64_t(1) << place;
  }

private:
  static constexpr unsigned kBits = 8;
  struct Key {
    uint64_t op = UINT64_MAX, maker = UINT64_MAX; // kind and attributes; of none
    Key() = default;
    Key(const Function &fn, OpId op, OpId maker) : op(of(fn, op)), maker(maker ? of(fn, maker) : UINT64_MAX) {}
    bool operator==(const Key &) const = default;
    size_t index() const { return size_t((op * 0x9e3779b97f4a7c15u + maker * 0xc2b2ae3d27d4eb4fu) >> (64 - kBits)); }
    static uint64_t of(const Function &fn, OpId op) {
      const OpData &d = fn.data(op);
      return uint64_t(d.kind.raw) << 32 | d.attrs.raw;
    }
  };
  struct Entry {
    Key key;
    uint64_t places = 0, room = 0; // to a size of 32
  };
  static unsigned bitOf(const Function &fn, OpId op) { return fn.data(op).kind.raw % 64; }

  uint64_t kinds_ = 0; // the kinds of ops that entries are of, by bitOf
  Entry entries_[size_t(1) << kBits];
};

} // namespace rw
