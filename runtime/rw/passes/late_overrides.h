// Late overrides: attributes that are set on ops after all rewriting is done.
//
// In:  ops and the attributes they shall have in the end; what happens to the ops, as a listener of the rewriter.
// Out: the attributes, on the ops that are left. An op that replaces the root of an entry inherits the entry, before it
//      the same op on other operands; entries whose op is gone, or which the op does not accept, are skipped and
//      counted.
// Elsewhere: the pass manager lets a table listen and takes it back with a pass that fails
//            (PassManagerOptions::lateOverrides). The stage is that of trace/trace.h.
//
//   LateOverrides overrides;
//   overrides.set(op, "perm", perm);
//   options.lateOverrides = &overrides;
//   manager.run(program, options);
//   LateOverrides::Outcome outcome = overrides.apply();    // outcome.skipped
#pragma once

#include "rw/rewrite/rewriter.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rw {

class LateOverrides : public RewriteListener {
public:
  struct Outcome {
    uint64_t applied = 0, skipped = 0;
    std::vector<std::string> reasons; // of the skipped ones
  };

  /// `name` is a declared attribute of the op, or any name for an op of no registered kind.
  void set(Op op, std::string_view name, AttrId value);
  size_t size() const { return entries_.size(); }
  /// Sets the attributes in the order of set(), and empties the table.
  Outcome apply();

  /// The table as it is, to go back to if what follows is undone.
  void checkpoint();
  void rollBack();

  // Listening.
  void created(Op) override;
  void replacing(Value from, Value to) override;
  void continued(Op from, Op as) override { move(from, as); }
  void patternBegin(const PatternInfo &, Op root) override;

private:
  struct Entry {
    Op op;
    std::string name;
    AttrId value;
    std::string label; // the op as it was when the entry was made
  };
  using Key = std::pair<const Function *, uint32_t>;
  static Key keyOf(Op op) { return {op.fn, op.id.raw}; }
  void move(Op from, Op to);

  std::vector<Entry> entries_, saved_;
  std::map<Key, std::vector<uint32_t>> byOp_, savedByOp_; // indexes into entries_
  std::vector<Op> created_;                               // by the running pattern
};

} // namespace rw
