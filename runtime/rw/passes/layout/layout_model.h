// LayoutModel: which layouts the ops of a function can be computed in, and what each choice costs in movers
// (transposes).
//
// In:  a function, every op of it with operands before users; what tries out whether a mover can be carried past an op.
// Out: a choice of layouts with the fewest movers, and how many movers no choice goes below.
// Elsewhere: what can be crossed is move_probe.h, the search for the best choice cost_network.h, moving by a choice
//            layout_choice.h.
//
// A mover only says how its value looks from one place: values are taken for what they are before movers, their
// *roots*. Each op that the patterns can cross computes its result as it is, or before a permutation, one of those that
// movers near it suggest; an op that takes in a mover behind it makes its result in any of these, and one that takes in
// a mover before it reads that operand in any of these. A root is then there in one form, that of what makes it, and
// users want it in forms; each form beyond the one that is there costs a mover, whoever else wants it too. Forms that
// only differ in where dimensions of 1 stand cost a reshape.
//
//   LayoutModel model(fn, probe, order, LayoutModel::Search::Near);
//   LayoutModel::Choice best = model.fewest(); // best.movers, best.bound; best.layouts: what is moved, and how
#pragma once

#include "rw/passes/layout/cost_network.h"
#include "rw/passes/layout/move_probe.h"

#include <unordered_map>

namespace rw {

class LayoutModel {
public:
  enum class Search : uint8_t {
    Near, ///< the forms that movers suggest
    All   ///< where an op cannot be computed in one of these, all others of up to four dimensions: for small functions
  };
  LayoutModel(Function &fn, MoveProbe &probe, const std::vector<OpId> &order, Search);

  /// An op that is computed before a permutation: the one of its operands.
  struct Moved {
    OpId op;
    AttrId perm;               // none: it reads what it reads, and makes its result in another form
    AttrId resultPerm;         // of what it makes then: moved so, it is what it made; none: nothing moves
    InlineList<bool> operands; // which of them are moved
    uint32_t beside = 0;       // ops and movers that come to stand beside it
    bool takesIn = false;      // patterns that tidy up make one op of it and of what moves its operand
  };
  struct Choice {
    std::vector<Moved> layouts;
    uint64_t movers = 0; // with these layouts, counting neither reshapes nor what folds into constants
    uint64_t bound = 0;  // with no layouts fewer; 0 if that is not known
    bool exact = true;   // `bound` is what the best layouts have, if nothing beside ops counts
    OpId held;           // where fewer would do, were ops beside others free: an op that would be moved, and is not
  };
  /// Movers as things are: what stands in the function, of equal ones once.
  uint64_t movers() const { return now_; }
  /// The layouts of least cost: movers first, then reshapes and ops beside others, then bytes moved.
  Choice fewest();

private:
  static constexpr uint32_t kNone = UINT32_MAX;
  // of All: so many bytes of sums weigh less than a unit
  static constexpr uint64_t kUnit = uint64_t(1) << 36, kMostBytes = uint64_t(1) << 32;
  struct Layout {            // of an op
    AttrId perm, resultPerm; // without the first, it is made so from what there is
    InlineList<bool> operands;
    unsigned ops = 0, movers = 0; // beside it
    bool changesOp = false;       // nothing moves, the op says another form
  };
  struct Node { // an op that can be crossed, or an operand that an op reads in any form
    OpId op;
    std::vector<Layout> layouts; // the first: as it is
    bool isOperand = false;
    uint32_t variable = kNone;
  };
  /// Forms of a root that its users want, whatever is chosen, and by a user's choice.
  struct Wants {
    uint32_t always = 0; // bits of forms
    struct ByUser {
      uint32_t node;
      std::vector<uint32_t> forms; // by its layout
    };
    std::vector<ByUser> users;
  };
  enum class Measure : uint8_t { Movers, All };

  void findRoots(const std::vector<OpId> &order);
  void findLayouts(const std::vector<OpId> &order);
  bool addForm(Value root, AttrId form);
  bool tryLayout(Op op, AttrId perm, std::optional<AttrId> wanted = std::nullopt);
  bool tryResult(Op op, AttrId form);
  bool tryResultsAs(Op op, AttrId form);
  bool tryOperand(Op op, unsigned i, AttrId perm);
  bool tryOtherForms(Op op, Value v, AttrId form);
  bool hasLayout(Op op, AttrId perm) const;
  std::vector<AttrId> freeForms(Value root, AttrId form);
  Node &nodeFor(Op op);
  static std::string likeness(Op op, const InlineList<bool> &operands, AttrId perm);
  ProbedMove probe(Op op, const InlineList<bool> &operands, AttrId perm);
  bool isMovable(Value v, Op user, AttrId perm) const;
  AttrId compose(AttrId inner, AttrId outer);
  AttrId inverse(AttrId perm);
  Node *nodeOf(Op op) { return op && nodeAt_[op.id.raw] != kNone ? &nodes_[nodeAt_[op.id.raw]] : nullptr; }
  uint32_t nodeOfUse(Use use) const;
  Value rootOf(Value v) const { return fn_.value(root_[v.id.raw]); }

  Wants wantsOf(Value root, std::vector<AttrId> &forms);
  void addRoot(CostNetwork &, Value root, Measure);
  uint64_t price(Value root, const std::vector<AttrId> &forms, uint32_t made, uint32_t wanted, Measure);
  std::vector<int64_t> orderOf(Value root, AttrId form);
  static uint64_t besideOf(const Layout &, Measure);
  template <class Each> void eachRoot(Each each);
  CostNetwork network(Measure);
  uint64_t costOf(const std::vector<uint32_t> &chosen, Measure);

  Function &fn_;
  Context &ctx_;
  MoveProbe &probe_;
  Mover mover_;
  std::vector<ValueId> root_; // by value
  std::vector<AttrId> form_;  // by value: the permutation that gives its root back; none: it is its root
  std::vector<std::vector<ValueId>> aliases_; // by root: what movers make of it, and itself
  std::vector<std::vector<AttrId>> forms_;    // by root: those in which it may be of use, none first
  std::vector<Node> nodes_;
  std::vector<uint32_t> nodeAt_;                        // by op
  std::unordered_map<uint32_t, uint32_t> operandNodes_; // by slot
  std::unordered_map<uint64_t, AttrId> composed_;
  std::unordered_map<uint64_t, bool> tried_, triedResults_, triedOperands_, triedForms_, triedFree_;
  std::unordered_map<std::string, ProbedMove> probed_;
  std::unordered_map<std::string, bool> takenIn_;
  bool settled_ = false; // values of an unknown number of dimensions stay as they are
  Search search_;
  bool complete_ = true; // every layout was looked at
  uint64_t now_ = 0;
};

} // namespace rw
