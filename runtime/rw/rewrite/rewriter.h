// PatternRewriter: the only way patterns and passes edit the IR.
//
// In:  edits. Out: the edited function, and events to a listener (logs, traces) and to the driver's worklist.
// Elsewhere: the storage edited is ir/function.h; ops are created with inferred types as in ir/builder.h.
//
// New ops go before the insertion point: the root while a pattern runs. An op that replaces a root takes over its name,
// location and result names. A pattern that returns false must have changed nothing; one that created ops and then
// found that they do not fit returns `rw.abandon()`, which removes them again.
//
//   Op t = rw.create(tensor::TransposeOp::schema(), {x}, {perm});
//   return rw.replaceOpWithNew(root, tensor::ReluOp::schema(), {t.result()});
#pragma once

#include "rw/rewrite/pattern.h"

namespace rw {

class Worklist;

/// Told of every edit, in order. All are optional.
class RewriteListener {
public:
  virtual ~RewriteListener() = default;
  virtual void created(Op) {}
  /// Before the op is unlinked; its operands can still be read.
  virtual void erasing(Op) {}
  /// Operands, attributes or kind changed in place.
  virtual void modified(Op) {}
  /// Before all uses of `from` become uses of `to`.
  virtual void replacing(Value from, Value to) { (void)from, (void)to; }
  /// `as` is the same op on other operands, and `from` goes: what was meant for it is meant for `as`.
  virtual void continued(Op from, Op as) { (void)from, (void)as; }
  /// A value lost a use (an operand was changed or its op erased).
  virtual void useRemoved(Value) {}
  virtual void patternBegin(const PatternInfo &, Op root) { (void)root; }
  virtual void patternEnd(const PatternInfo &, bool applied) { (void)applied; }
  /// The driver is about to replace the op by what it folds to.
  virtual void folding(Op) {}
  /// Whether noMatch is wanted. Asked when a run starts.
  virtual bool wantsReasons() const { return false; }
  /// Why the running pattern does not match at `at`: the condition that failed.
  virtual void noMatch(Op at, const char *condition, unsigned line) { (void)at, (void)condition, (void)line; }
};

class PatternRewriter {
public:
  explicit PatternRewriter(Function &fn, RewriteListener *listener = nullptr, Worklist *worklist = nullptr)
      : fn_(fn), listener_(listener), worklist_(worklist), isPlain_(worklist && !listener) {}

  Function &function() { return fn_; }
  Context &context() { return fn_.context(); }

  // Where new ops go.
  void setInsertionPoint(Op before) { before_ = before.id; }
  void setInsertionPointToRoot() { before_ = root_; }
  void setInsertionPointToEnd(RegionId region) { before_ = OpId(), region_ = region; }

  // Creation. Types are inferred; what inference cannot tell is unknown.
  Op create(const OpSchema &, std::span<const ValueId> operands, AttrsId, unsigned resultCount = 1);
  Op create(const OpSchema &s, std::initializer_list<Value> operands, std::initializer_list<AttrId> attrs = {});
  /// Likewise of operands one by one: the only result that ops of the kind have, or the op. What generated patterns
  /// call, again and again: a function that takes lists takes compilers much longer, and for the one or two operands
  /// that most ops have, so does a template.
  ///   Value y = rw.createValue(tensor::TransposeOp::schema(), rw.attrs(perm), x);
  Value createValue(const OpSchema &, AttrsId, Value operand);
  Value createValue(const OpSchema &, AttrsId, Value first, Value second);
  template <std::same_as<Value>... V> Value createValue(const OpSchema &s, AttrsId attrs, V... operands) {
    const ValueId ids[] = {operands.id..., ValueId()};
    return createValueOf(s, {ids, sizeof...(V)}, attrs);
  }
  template <std::same_as<Value>... V> Op createOp(const OpSchema &s, AttrsId attrs, V... operands) {
    const ValueId ids[] = {operands.id..., ValueId()};
    return create(s, {ids, sizeof...(V)}, attrs);
  }
  /// The declared attributes of a new op, in order up to the last that is stated.
  AttrsId attrs() { return context().noAttrs(); }
  AttrsId attrs(AttrId only);
  template <std::same_as<AttrId>... A> AttrsId attrs(AttrId first, A... more) {
    const AttrId list[] = {first, more...};
    return context().attrs(list);
  }
  Op createTyped(KindId, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> types);
  /// Of stated types. Where they contradict what is inferred, the pattern does not match (canReplace).
  Op createStated(const OpSchema &, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> types);
  /// The same kind, attributes and nested regions as `model` on other operands, types inferred anew. A model that goes
  /// with the pattern hands over its name.
  Op cloneWithOperands(Op model, std::span<const ValueId> operands);
  /// The same with other attributes, and of stated types; without these, they are inferred.
  Op cloneWith(Op model, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> stated);

  /// The ops of a region again at the insertion point, with `args` in place of its parameters; what stands for the
  /// region's results. What they capture stays captured.
  InlineList<Value> cloneBody(RegionId, std::span<const Value> args);

  // Ops with new regions. What the regions hold is built first, in an op that holds them meanwhile; then the op takes
  // them. Where a matched region is built anew, its values stand for what is built again of them: of what is needed,
  // and of ops with effects.
  //   rw.openRegions(schema);
  //   rw.openRegion(source);
  //   rw.repeatParam(a);                       // a parameter of `source` once more
  //   Value y = …; if (!rw.keepEffects() || !rw.takeInside(y)) return rw.abandon();
  //   rw.closeRegion({y});
  //   Op loop = rw.takeRegions(schema, operands, attrs, {});
  void openRegions(const OpSchema &);
  void openRegionsOf(Op model);
  /// The next region. With a `source` its params and ops are built again as they are asked for.
  void openRegion(RegionId source = {});
  Value addParam(TypeId);
  void repeatParam(Value param);
  /// Ops of the source with effects, in their order; false if one needs a parameter that the new region has not.
  bool keepEffects();
  /// What stands for a value where the next op goes: itself if it is there, else what is built again of it. False if
  /// there is none. A value left out stays so.
  bool takeInside(Value &);
  bool takeInside(InlineList<Value> &);
  /// Whether a source is built again around the place where the next op goes.
  bool isRebuilding() const;
  void closeRegion(std::span<const Value> results);
  /// A copy of a region, as the next one; what it captures stays captured.
  void copyRegion(RegionId);
  /// The op, which takes the regions built since openRegions(). Of stated types, inferred ones without any; `open`: as
  /// many results as its `type` clause gives, none if that gives none.
  Op takeRegions(const OpSchema &, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> stated,
                 bool open = false);
  /// The op `model` again, with these regions.
  Op takeRegionsAs(Op model, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> stated);

  /// A constant through the constant op of a dialect; none if the dialect has none.
  Value materializeConstant(std::string_view dialect, AttrId value, TypeId type) {
    return createConstant(constantKind(dialect, constants_[0]), value, type);
  }
  /// Likewise in the place of results of `like` (constantKind).
  Value materializeConstant(Op like, AttrId value, TypeId type) {
    return createConstant(constantKind(like), value, type);
  }
  /// The constant op whose values may stand for results of `like`: its dialect's or, where that has none, the one that
  /// makes an operand of it. kOpaqueKind if there is none.
  KindId constantKind(Op like);

  // Replacement. All of these return true, so that a pattern can end with `return rw.replaceOp(…)`.
  /// Whether a value of `type` can stand in for `old`: it is provably of the same type (nothing of either is unknown),
  /// and every op that the running pattern built meets what its declaration requires.
  bool canReplace(Value old, TypeId type) {
    if (old.typeId() == type && context().type(type).known) [[likely]]
      return !rejected_;
    return provesType(old, type);
  }
  /// The same for a value that exists. Where the declaration of an op that the pattern built says nothing of its type,
  /// what was not stated either is as in the type of what it replaces.
  bool canReplace(Value old, Value with) { return canReplaceAtSight(old, with) || canReplaceByProof(old, with); }
  /// Whether canReplace can be seen to hold: nearly always where it holds at all.
  bool canReplaceAtSight(Value old, Value with) {
    return old.typeId() == with.typeId() && !rejected_ && old.type().known;
  }
  /// For callers that have proved that the types are the same, or that answer for it: no known part of them
  /// differs. A parameter keeps its type, so it cannot stand in for a result of the function whose type says more: the
  /// interface never says less than before.
  bool mayReplace(Value old, TypeId type) {
    return !rejected_ && (old.typeId() == type || context().compatible(old.typeId(), type));
  }
  bool mayReplace(Value old, Value with) {
    if (old.typeId() == with.typeId())
      return !rejected_;
    return mayReplace(old, with.typeId()) && !(with.isParam() && widensInterface(old, with.typeId()));
  }
  /// One value per result. The value takes over the name of the result if it has none, and what the result's type
  /// knows beyond its own (but names and types of parameters stay). An op cannot be replaced by itself: false.
  bool replaceOp(Op op, std::span<const ValueId> values);
  bool replaceOp(Op op, Value value);
  /// By the results of an op that this pattern created.
  bool replaceOp(Op op, Op by);
  /// By a new op with one result, as create() would make it. Where no one sees the difference the op itself becomes
  /// the new one, which is several times cheaper. If the types do not go together everything that the pattern created
  /// is removed (abandon) and the result is false.
  bool replaceOpWithNew(Op op, const OpSchema &, std::span<const ValueId> operands, AttrsId, bool sameType = false);
  bool replaceOpWithNew(Op op, const OpSchema &s, std::initializer_list<Value> operands,
                        std::initializer_list<AttrId> attrs = {}) {
    if (operands.size() > kFewOperands)
      return replaceOpWithMany(op, s, {operands.begin(), operands.end()}, attrsOf(attrs));
    ValueId ids[kFewOperands];
    ValueId *end = ids;
    for (Value v : operands)
      *end++ = v.id;
    return replaceOpWithNew(op, s, {ids, end}, attrsOf(attrs));
  }
  /// Ops that this pattern created and that read `from` go on reading it.
  bool replaceAllUses(Value from, Value to);

  /// Likewise of operands one by one.
  bool replaceOpWithNew(Op, const OpSchema &, AttrsId, Value operand);
  bool replaceOpWithNew(Op, const OpSchema &, AttrsId, Value first, Value second);
  template <std::same_as<Value>... V> bool replaceOpWithNew(Op op, const OpSchema &s, AttrsId attrs, V... operands) {
    return replaceWith<false>(op, s, attrs, operands...);
  }
  /// Where it is known, for whatever program, that the types are the same (mayReplace).
  bool replaceOpWithSame(Op, const OpSchema &, AttrsId, Value operand);
  bool replaceOpWithSame(Op, const OpSchema &, AttrsId, Value first, Value second);
  template <std::same_as<Value>... V> bool replaceOpWithSame(Op op, const OpSchema &s, AttrsId attrs, V... operands) {
    return replaceWith<true>(op, s, attrs, operands...);
  }

  /// What `compute` returns for the attributes, which must depend on these alone: worked out once a run as a rule. Each
  /// function has answers of its own. Attributes are interned, so equal ids are equal content.
  /// Out of line: inlined, each takes g++ ten milliseconds.
  AttrId recall(AttrId a, AttrId b, AttrId (*compute)(Context &, AttrId, AttrId));
  bool recall(AttrId a, AttrId b, bool (*compute)(Context &, AttrId, AttrId));
  /// What is remembered of `place`, which stands for what was asked, and two attributes; null if nothing is.
  const uint32_t *recalled(const void *place, AttrId a, AttrId b) const {
    const Recalled *set = recalled_ + recallIndex(place, a, b);
    for (const Recalled *known : {set, set + 1})
      if (known->place == place && known->a == a && known->b == b) [[likely]]
        return &known->answer;
    return nullptr;
  }
  /// Sets of two: patterns that ask about the same attributes in turn do not drive each other's answers out.
  void remember(const void *place, AttrId a, AttrId b, uint32_t answer) {
    Recalled *set = recalled_ + recallIndex(place, a, b);
    set[1] = set[0];
    set[0] = {place, a, b, answer};
  }

  // In-place edits. False if nothing had to change.
  bool setOperand(Op, unsigned index, Value);
  bool setAttr(Op, unsigned index, AttrId);
  bool setAttrs(Op, AttrsId);
  /// Erases an op whose results are unused. An error (false, and refusal() says who uses them) while they are used, by
  /// ops or as results of the function.
  bool erase(Op);
  /// Who uses the op's results, as text for messages: "tensor.add %y, result 0 of @main".
  std::string usersOf(Op) const;
  /// The first edit that was refused, and why: "cannot erase tensor.abs %a: it is used by …". Empty if none was.
  const std::string &refusal() const { return refusal_; }

  /// Records why the pattern does not match (for "why not" reports) and returns false.
  bool noMatch(Op at, const char *condition, unsigned line = 0) {
    if (explain_) [[unlikely]]
      explain(at, condition, line);
    return false;
  }

  /// The attempt fails by the attributes of the root and of the op that makes its operand 0, whatever else there is:
  /// the driver may leave the pattern out where they are the same (ruled_out.h).
  void ruleOut() { rulesOut_ = true; }
  /// Whether one did since this was last asked.
  bool takeRuledOut() { return std::exchange(rulesOut_, false); }

  /// abandon(), and why.
  bool abandon(Op at, const char *condition, unsigned line) {
    abandon();
    return noMatch(at, condition, line);
  }
  /// Whether reasons are wanted, so that it pays to put one into words.
  bool explains() const { return explain_; }

  // Used by drivers around each pattern.
  /// A pattern is about to run at the op for which begin(Op) was called.
  void begin(const PatternInfo &pattern, Op root) {
    before_ = root.id;
    if (listener_) [[unlikely]] {
      typeReason_.clear();
      listener_->patternBegin(pattern, root);
    }
  }
  /// New ops go before `root` and stand at its location.
  void begin(Op root) {
    before_ = root_ = root.id;
    if (edits_) {
      edits_ = 0;
      created_.clear();
      carriedOn_.clear();
      rejected_ = false;
    }
    fn_.reclaim();
  }
  /// Where a matching net leaves what it finds, for a run.
  void setNetRegisters(uint32_t *registers) { netRegisters_ = registers; }
  /// Where the slots of the opening lie of the pattern that runs: what the net has found or, once useOwnRegisters() was
  /// called, room of the rewriter's own.
  uint32_t *registers() const { return registers_; }
  /// No net knows the opening. Slot n is register n.
  uint32_t *useOwnRegisters() { return registers_ = ownRegisters_; }
  /// What of openings is left to ask, of what a net has not asked: it may grow with each rewrite.
  uint8_t asksBehindNet() const { return fn_.context().hasExtras() ? Opening::Rest | Opening::Plain : Opening::Rest; }
  /// What the net knows of the pattern that is about to run, and asksBehindNet().
  void setOpening(const Opening &opening, uint8_t asks) {
    opening_ = &opening;
    registers_ = netRegisters_;
    settled_ = opening.pending & asks ? nullptr : opening.registers;
  }
  /// The net was not asked.
  void setNoOpening() {
    opening_ = nullptr;
    settled_ = nullptr;
  }
  const Opening *opening() const { return opening_; }
  /// The registers of its slots, if nothing of it is left to ask; else null.
  const uint16_t *settledSlots() const { return settled_; }
  void end(const PatternInfo &pattern, bool applied) {
    if (listener_) [[unlikely]]
      listener_->patternEnd(pattern, applied);
  }
  /// An op that is known to be unused and to have no effects.
  void eraseDead(OpId op);
  /// Likewise, where isPlain(), of one operand, one result and no regions.
  void eraseDeadUnary(OpId op);
  /// Whether a driver runs and nobody listens.
  bool isPlain() const { return isPlain_; }
  /// Removes the ops created since begin() and returns false. They must not have been used by others yet.
  bool abandon();
  void setExplain(bool on) { explain_ = on; }
  /// Whether replaceOpWithNew may change the root itself: ids are reused, and no pattern counts uses or looks at users.
  void allowInPlace(bool on) { inPlace_ = on; }
  void setListener(RewriteListener *listener) {
    listener_ = listener;
    isPlain_ = worklist_ && !listener;
  }
  RewriteListener *listener() const { return listener_; }
  /// Whether anything was edited since begin().
  bool changed() const { return edits_ != 0; }
  /// The op for which begin() was called; erased, perhaps.
  OpId root() const { return root_; }
  /// The ops created since begin(), some perhaps erased again.
  std::span<const OpId> created() const { return created_; }

private:
  struct KnownKind {
    const OpSchema *schema = nullptr;
    KindId kind;
    bool oneResult = false; // always
  };
  const KnownKind &known(const OpSchema &schema) {
    KnownKind &known = kindCache_[(reinterpret_cast<uintptr_t>(&schema) >> 5) % std::size(kindCache_)];
    if (known.schema != &schema) [[unlikely]]
      learn(known, schema);
    return known;
  }
  void learn(KnownKind &, const OpSchema &);
  template <bool sameType, class... V> bool replaceWith(Op op, const OpSchema &s, AttrsId attrs, V... operands) {
    const ValueId ids[] = {operands.id..., ValueId()};
    if constexpr (sizeof...(V) > kFewOperands)
      return replaceOpWithCreated(op, s, {ids, sizeof...(V)}, attrs, sameType);
    else
      return replaceOpWithNew(op, s, std::span<const ValueId>(ids, sizeof...(V)), attrs, sameType);
  }
  [[gnu::cold]] void explain(Op at, const char *condition, unsigned line);
  [[gnu::cold]] bool provesType(Value old, TypeId type);
  [[gnu::cold]] bool canReplaceByProof(Value old, Value with);
  bool takesType(Value with);
  bool widensInterface(Value old, TypeId type);
  Op finish(Op);
  template <size_t count> TypeId inferType(const OpSchema &, std::span<const ValueId, count> operands, AttrsId);
  TypeId inferOnce(const OpSchema &, std::span<const ValueId> operands, AttrsId);
  void inferOnce(const OpInputs &, InlineList<TypeId, 4> &types);
  void joinStated(const OpInputs &, std::span<const TypeId> stated, InlineList<TypeId, 4> &types);
  AttrsId attrsOf(std::initializer_list<AttrId> list) {
    return list.size() == 1 ? context().attrs(*list.begin()) : context().attrs(std::span(list.begin(), list.size()));
  }
  Value createValueOf(const OpSchema &, std::span<const ValueId> operands, AttrsId);
  void replaceValue(ValueId from, ValueId to);
  void findOwnUses(ValueId);
  static constexpr unsigned kFewOperands = 4; // more: not worth changing the root in place
  bool replaceOpWithMany(Op op, const OpSchema &, std::span<const Value> operands, AttrsId);
  bool replaceOpWithCreated(Op op, const OpSchema &, std::span<const ValueId> operands, AttrsId, bool sameType = false);
  template <size_t count> bool canBecome(Op op, const KnownKind &, std::span<const ValueId, count> operands);
  template <size_t count> void become(Op op, KindId, std::span<const ValueId, count> operands, AttrsId, TypeId);
  template <size_t count>
  bool replaceInPlace(Op op, const OpSchema &, std::span<const ValueId, count> operands, AttrsId, bool sameType);
  bool replaceByUnary(Op op, const OpSchema &, ValueId operand, AttrsId, bool sameType);
  bool replaceByOther(Op op, const OpSchema &, std::span<const ValueId> operands, AttrsId, bool sameType);
  void takeNames(Op op, Op by);
  void carryOn(Op model, Op copy);
  bool createdHere(OpId) const;
  void refuseErasure(Op);
  void eraseUnused(Op);
  void eraseUnary(OpId);
  void leave(OpId);
  void eraseAbandoned(Op);
  void eraseSlowly(Op);
  void eraseHolder(Op);
  void cloneRegions(Op from, Op to);
  void cloneRegion(RegionId from, OpId to);
  template <class CopyOf, class Copies>
  void cloneNested(std::vector<std::pair<RegionId, OpId>> &pending, CopyOf, Copies &);
  template <class CopyOf, class Copies> Op copyOp(OpId, CopyOf, Copies &, OpId before, RegionId at);
  struct Holder;
  struct Holders;
  void openHolder(KindId);
  bool isVisible(ValueId, RegionId) const;
  RegionId homeOf(ValueId) const;
  bool takeInside(ValueId &);
  bool buildAgain(OpId, size_t holder);
  void readyCaptures(Op model);
  std::vector<ValueId> readsOf(OpId) const;
  void closeHolder(Op);
  void dropHolders();

  Function &fn_;
  RewriteListener *listener_;
  Worklist *worklist_;
  bool isPlain_; // a driver runs, without listeners
  OpId before_;
  RegionId region_{0};
  OpId root_; // whose location new ops get
  bool explain_ = false, inPlace_ = false;
  bool rejected_ = false; // since begin() an op was built against its declaration
  uint32_t edits_ = 0;
  bool rulesOut_ = false;
  const Opening *opening_ = nullptr;
  const uint16_t *settled_ = nullptr;
  uint32_t *registers_ = nullptr, *netRegisters_ = nullptr;
  uint32_t ownRegisters_[kOpeningSlots];
  std::string refusal_;
  std::string typeReason_;      // which types are not provably the same, in words: reported with the next reason
  std::vector<OpId> created_;   // since begin()
  std::vector<SlotId> ownUses_; // of findOwnUses
  struct CarriedOn {
    OpId from, as;
    StringId name;
  };
  std::vector<CarriedOn> carriedOn_; // since begin()
  /// Places may lie side by side (instructions) or apart (data), attributes have small numbers: each is spread on its
  /// own over the upper bits.
  static size_t recallIndex(const void *place, AttrId a, AttrId b) {
    uint32_t hash =
        uint32_t(reinterpret_cast<uintptr_t>(place)) * 0x9fb21c65u + a.raw * 0x9e3779b1u + b.raw * 0x85ebca6bu;
    return size_t(hash >> (33 - kRecalledBits)) << 1;
  }
  struct Recalled {
    const void *place = nullptr;
    AttrId a, b;
    uint32_t answer = 0;
  };
  template <class Answer> static const void *placeOf(Answer (*compute)(Context &, AttrId, AttrId)) {
    return reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(compute));
  }
  AttrId workOut(AttrId a, AttrId b, AttrId (*compute)(Context &, AttrId, AttrId));
  bool workOut(AttrId a, AttrId b, bool (*compute)(Context &, AttrId, AttrId));
  static constexpr unsigned kRecalledBits = 7;
  Recalled recalled_[size_t(1) << kRecalledBits];
  struct DialectConstant {
    std::string_view dialect;
    KindId kind = kOpaqueKind;
  };
  KindId constantKind(std::string_view dialect, DialectConstant &known);
  Value createConstant(KindId, AttrId value, TypeId type);
  DialectConstant constants_[2]; // last looked up: of an op's dialect, of its operands'
  KnownKind kindCache_[32];      // schema → kind, by bits of the address: patterns create few kinds, and those often
  std::shared_ptr<Holders> holders_; // ops with regions that are being built, if there ever were any
  bool holds_ = false;               // there are some
};

} // namespace rw
