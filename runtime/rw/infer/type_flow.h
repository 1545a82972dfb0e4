// Types of values: inferred from the ops that compute them, completed by the types that the program states.
//
// In:  a function whose parameters have types; per value what a model records of it. A size recorded as a symbol says
//      nothing: it is a name for readers, and two of one name may differ. What contradicts inference is not believed,
//      and remembered.
// Out: types of all values, parameters of regions included. Elsewhere: what passes infer later is infer_shapes.h.
//
//   TypeFlow flow(fn);
//   flow.params(fn.body());                    // then, in program order:
//   flow.record(result, type); flow.results(op);
//   …
//   flow.finish();                             // until then unknown sizes have symbols of their own
//   for (const TypeFlow::Untrue &u : flow.untrue()) …
//
// What a Loop carries is of the recorded sizes as long as neither what it begins with nor what a round makes of it is
// of others; else its body is looked at once more. The cost is that of the function, times the depth of such loops.
#pragma once

#include "rw/infer/contents.h"
#include "rw/infer/local_symbols.h"
#include "rw/infer/type_rules.h"

#include <functional>
#include <optional>

namespace rw {

class TypeFlow {
public:
  using Types = InlineList<TypeId, 4>;
  /// A record that cannot be.
  struct Untrue {
    ValueId value;
    TypeId recorded, inferred;
  };

  explicit TypeFlow(Function &fn) : fn_(fn), ctx_(fn.context()), contents_(fn), rules_(fn, contents_), names_(fn) {}
  /// `like`: of a function of the same program, to share what is known of kinds of ops.
  TypeFlow(Function &fn, const TypeFlow &like)
      : fn_(fn), ctx_(fn.context()), contents_(fn, like.contents_), rules_(fn, contents_), names_(fn) {}

  TypeFlow(const TypeFlow &) = delete; // its parts refer to each other

  void record(ValueId, TypeId);
  /// Of ops that it knows, says what they make (false: it does not), instead of what follows from operands and regions.
  void setOther(std::function<bool(Op, Types &)> other) { other_ = std::move(other); }

  /// Types of a region's parameters; those of the function's body have theirs.
  void params(RegionId);
  /// Of an op whose regions have been looked at.
  void results(Op);
  /// Of everything in a region, its parameters included.
  void region(RegionId);
  /// Unknown sizes are unknown again, and it may start anew.
  void finish();
  /// Goes back to what was believed, and known to be untrue, when this was first called: what was found since followed
  /// from types that are others now.
  void believeAgain();

  TypeId plain(TypeId type) const { return names_.without(type); } ///< without the symbols of unknown sizes
  const std::vector<Untrue> &untrue() const { return untrue_; }    ///< in the order in which they were found

private:
  TypeId &recordOf(ValueId);
  TypeId filled(TypeId found, ValueId);
  TypeId agreed(TypeId record, TypeId with);
  void set(ValueId, TypeId found);
  void doubt(ValueId, TypeId found);
  bool weaken(Op);

  Function &fn_;
  Context &ctx_;
  Contents contents_;
  TypeRules rules_;
  LocalSymbols names_;
  std::function<bool(Op, Types &)> other_;
  std::vector<TypeId> records_; // by value: what is still believed
  std::vector<Untrue> untrue_;
  std::optional<std::pair<std::vector<TypeId>, size_t>> atFirst_; // records and how many were untrue, of believeAgain
};

} // namespace rw
