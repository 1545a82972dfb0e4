// Machine: runs the code of a Unit.
//
// In:  a Unit bound to a registry, an entry point, and what it works on: an op and a rewriter (patterns), the inputs of
//      an op (clauses), a rewriter alone (tests).
// Out: whether the code passed, and its registers.
// Elsewhere: what the instructions mean is code.h.
//
// Nothing is allocated per attempt: registers, lists and open choices live on stacks that the thread keeps. An attempt
// has a limited number of steps ("fuel"), for its code may come from anybody; one that runs out fails as a whole.
//
//   Machine machine(bound, pattern.registers, pattern.chainCount, *root.fn, &rewriter, root);
//   bool fired = machine.run(pattern.entry);
#pragma once

#include "codegen/machine/fuse.h"
#include "rw/ir/stand_ins.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/rewrite/named_builds.h"
#include "rw/rewrite/order_search.h"
#include "rw/rewrite/type_proof.h"

#include <memory>

namespace rw::interpret {

/// A Unit, and what its names are in one registry. Clauses of ops name no others: a Unit not bound to any runs them.
struct Bound {
  explicit Bound(const Unit &unit) : unit(&unit), code(unit.code.data()), plainCode(code) {}
  Bound(Bound &&) = default; // memory of vectors stays where it is
  const Unit *unit;
  const Instr *code;      // what runs, fused (fuse.h), with the kinds of this registry
  const Instr *plainCode; // the same as it was written: it can say why it fails
  const OpRegistry *ops = nullptr;
  size_t size = 0; // of the registry when it was bound
  FusedCode fused;
  std::vector<Instr> plain;
  /// An op that a right side makes, of one schema, with few operands and no attribute or one. Without a schema: of
  /// others.
  struct Build {
    const OpSchema *schema = nullptr;
    uint8_t operandCount = 0;
    bool hasAttr = false;
    bool isPlain = false; // types inferred, one result
    bool sameType = false;
    Reg attr = kNoReg, operands[4] = {};
  };
  std::vector<Build> builds;                         // by Unit::builds
  std::vector<const OpSchema *> schemas;             // by Unit::opNames; null: not registered
  std::vector<uint32_t> kinds;                       // likewise; UINT32_MAX: not registered
  std::vector<std::vector<uint8_t>> sets;            // by Unit::kindSets, then by kind: whether it is in
  std::vector<std::vector<int32_t>> attrPlaces;      // by Unit::attrPlaces, then by kind
  std::vector<std::vector<const OpSchema *>> setOps; // by Unit::kindSets: the ops named
};
Bound bind(const Unit &, const OpRegistry &);

/// The stacks of a thread.
class Scratch;

class Machine {
public:
  /// `rewriter` or `inputs` may be null where the code has no use for them.
  Machine(const Bound &, unsigned registers, unsigned chains, Function &, PatternRewriter *, Op root,
          const OpInputs *inputs = nullptr);
  ~Machine();
  Machine(const Machine &) = delete;

  bool run(uint32_t entry);
  /// From any place, after `prepare` has set the registers; `built` says that the right side has created ops.
  template <class Prepare> bool goOn(uint32_t place, bool built, const Prepare &prepare);
  Cell &cell(Reg r) { return r_[r]; }
  Context &context() { return ctx(); }
  PatternRewriter &rewriter() { return *rw_; }
  Op root() const { return {&fn_, root_}; }
  /// Whether the last run ended for want of fuel.
  bool exhausted() const { return exhausted_; }
  /// How the last run has gone back to its choices, if it has many.
  const std::optional<OrderSearch> &search() const { return search_; }

  /// Steps of one attempt: loop rounds, calls, and list elements by the dozen.
  static constexpr int64_t kFuel = 4'000'000;

private:
  enum class Reporting : uint8_t { Root, Operand, None };
  bool execute(const Instr *pc);
  /// A piece of code ends: its choices are open no more. Returns `passed`.
  bool closeChoices(bool passed) {
    if (choices_) [[unlikely]]
      dropChoices();
    return passed;
  }
  [[gnu::noinline]] void dropChoices();
  [[gnu::noinline]] void openChains(unsigned count);
  [[gnu::noinline]] void tidy();
  bool nested(uint32_t entry, Reporting);
  [[gnu::noinline]] void choose(const Instr &);
  [[gnu::noinline]] bool goesBack(uint64_t choice);
  bool fits(const Instr &, Reporting);
  bool callFn(const Instr &);
  void failed(const Instr &);
  bool view(const Instr &);
  AttrId makeAttr(const Instr &);
  bool contents(const Instr &);
  bool tensorOf(const Instr &);
  std::optional<bool> same(Elem, Elem inner, const Cell &, const Cell &);
  std::optional<bool> sameLists(Elem, Elem inner, ListRef, ListRef);
  bool identical(const Instr &, bool lists);
  void unrounded(const Instr &);
  bool least(const Instr &, bool greatest);
  bool aggregate(const Instr &);
  bool find(const Instr &);
  bool reordered(const Instr &);
  void push(Cell &list, const Cell &value, Elem);
  void pushAll(Cell &list, ListRef from, Elem);
  bool concat(const Instr &, bool limited);
  void chainBegin(const Instr &);
  void users(const Instr &);
  void keepChain(const Instr &);
  void group(const Instr &);
  bool region(const Instr &);
  bool tuple(const Instr &);
  bool convertList(const Instr &);
  bool broadcast(const Instr &);
  bool keepsRank(const Instr &);
  bool canReplaceBy(const Instr &s) {
    Value old = op(s.a).result(), by = value(s.b);
    return s.d ? rw_->mayReplace(old, by) : canReplace(*rw_, old, by);
  }
  bool canReplaceByList(const Instr &);
  bool listReachesUses(const Instr &);
  bool listFits(const Instr &);
  bool buildNamedOp(const Instr &, const BuildCode &);
  std::vector<NamedSetting> namedOf(const BuildCode &) const;
  bool replaceByList(const Instr &);
  void setValues(Cell &, std::span<const Value>);
  bool place(const Placement &);
  const OpSchema &schemaOf(const BuildCode &);
  AttrsId attrsOf(const BuildCode &);
  bool buildOp(const Instr &);
  bool sameTypes(const Instr *parts);
  AttrsId attrsOf(const Bound::Build &build) {
    return build.hasAttr ? ctx().attrs(attr(build.attr)) : ctx().attrs(std::span<const AttrId>());
  }
  bool replaceByNew(const Instr &);
  bool buildLike(const Instr &);
  bool replay(const Instr &);
  void openRegions(const Instr &);
  void newParams(const Instr &);
  bool takeAllInside(const Instr &);
  void closeRegion(const Instr &);
  void spend(int64_t steps) { exhausted_ |= (fuel_ -= steps) < 0; }
  void *allocate(size_t bytes);
  template <class T> void setList(Cell &, std::span<const T>);

  Op op(Reg r) const { return {&fn_, OpId(r_[r].id)}; }
  Value value(Reg r) const { return {&fn_, ValueId(r_[r].id)}; }
  AttrId attr(Reg r) const { return AttrId(r_[r].id); }
  TypeId type(Reg r) const { return TypeId(r_[r].id); }
  Dim dim(Reg r) const { return Dim::fromBits(r_[r].i); }
  template <class T> std::span<const T> list(Reg r) const {
    return {static_cast<const T *>(r_[r].list.data), r_[r].list.size};
  }
  std::string_view text(Reg r) const { return {static_cast<const char *>(r_[r].list.data), r_[r].list.size}; }
  void set(Reg r, uint32_t id) { r_[r].id = id; }
  void set(Reg r, Op op) { r_[r].id = op.id.raw; }
  void set(Reg r, Value v) { r_[r].id = v.id.raw; }
  void set(Reg r, std::string_view s) { r_[r].list = {s.data(), s.size()}; }
  InlineList<Value> values(Reg r) const;
  InlineList<Value> values(const std::vector<Reg> &) const;

  const Unit &unit() const { return *bound_.unit; }
  Context &ctx() const { return fn_.context(); }

  // To begin an attempt is a dozen stores: what few patterns have (lists, chains, choices) is set up when it comes.
  const Bound &bound_;
  const Instr *const code_;
  Scratch &scratch_;
  Function &fn_;
  PatternRewriter *const rw_;
  const OpInputs *const inputs_;
  Cell *r_; // the registers of the piece of code that runs
  int64_t fuel_ = kFuel;
  const OpId root_;
  uint32_t choices_ = 0; // open ones of the piece of code that runs
  uint32_t chainCount_ = 0;
  uint16_t depth_ = 0; // of calls
  Reporting reporting_ = Reporting::Root;
  bool created_ = false; // the right side has built something
  bool exhausted_ = false;
  bool ownsLists_ = false;    // and they began at:
  bool isUntidy_ = false;     // it has lists or chains
  size_t oldBlock_, oldUsed_; // of the scratch's lists
  size_t chains_;             // number of the first chain that is ours, if any is
  OperandReason reason_;      // inside `each`
  // Of a match with many choices:
  std::optional<OrderSearch> search_;
  uint64_t blame_; // what a failure depends on here
};

} // namespace rw::interpret
