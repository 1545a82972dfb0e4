// The machine's loop: control, and what is small. Lists, attributes and comparisons are machine_values.cpp; what right
// sides do is machine_build.cpp.
#include "codegen/machine/scratch.h"
#include "codegen/machine/straight.h"

#include "rw/ir/structure_helpers.h"
#include "rw/rewrite/effects.h"

#include <cmath>

namespace rw::interpret {

std::string_view name(Opcode op) {
  static constexpr std::string_view names[] = {
#define X(name) #name,
      RW_INTERPRET_OPCODES(X)
#undef X
  };
  return names[size_t(op)];
}

thread_local constinit Scratch *Scratch::current = nullptr;

[[gnu::noinline]] Scratch &Scratch::make() {
  static thread_local Scratch scratch;
  return scratch;
}

/// Whether two things compare as a CompareString asks, of which `order` is below 0, 0 or above 0.
static bool compares(const Instr &s, int order) {
  switch (Opcode(unsigned(Opcode::EqInt) + unsigned(s.d))) {
  case Opcode::EqInt:
    return order == 0;
  case Opcode::NeInt:
    return order != 0;
  case Opcode::LtInt:
    return order < 0;
  case Opcode::LeInt:
    return order <= 0;
  case Opcode::GtInt:
    return order > 0;
  default:
    return order >= 0;
  }
}

/// What is known beforehand of an op that a right side builds.
static Bound::Build simpleBuild(const BuildCode &build, const Bound &bound) {
  Bound::Build out;
  if (build.takes || build.schemas.size() != 1 || build.operandList != kNoReg ||
      build.operands.size() > std::size(out.operands) || build.attrs.size() > 1)
    return out;
  std::copy(build.operands.begin(), build.operands.end(), out.operands);
  out.operandCount = uint8_t(build.operands.size());
  out.hasAttr = build.attrs.size() == 1 && build.attrs[0] != kNoReg;
  if (out.hasAttr)
    out.attr = build.attrs[0];
  else if (!build.attrs.empty())
    return out;
  out.schema = bound.schemas[build.schemas[0]];
  out.isPlain = build.plain && out.schema;
  out.sameType = build.sameType;
  return out;
}

Bound bind(const Unit &unit, const OpRegistry &ops) {
  Bound out(unit);
  out.ops = &ops;
  out.size = ops.size();
  for (const OpName &op : unit.opNames) {
    KindId kind =
        op.since ? ops.lookup(op.dialect + "." + op.name, int(op.since)) : ops.lookup(op.dialect + "." + op.name);
    bool found = kind != kOpaqueKind && (!op.since || ops.schema(kind).since == op.since);
    out.schemas.push_back(found ? &ops.schema(kind) : nullptr);
    out.kinds.push_back(found ? kind.raw : UINT32_MAX);
  }
  // No kind where it is not registered.
  auto bindKinds = [&out](std::vector<Instr> &code) {
    for (Instr &s : code)
      if (s.op == Opcode::DefinedBy || s.op == Opcode::OperandDefinedBy || s.op == Opcode::DefinedByResult)
        s.d = int32_t(out.kinds[size_t(s.d)]);
  };
  out.plain = unit.code;
  bindKinds(out.plain);
  out.plainCode = out.plain.data();
  out.fused = fuse(unit);
  bindKinds(out.fused.code);
  out.code = out.fused.code.data();
  for (HeadNode &node : out.fused.nodes)
    if (node.from != kNoReg)
      node.kind = int32_t(out.kinds[size_t(node.kind)]);
  for (const BuildCode &build : unit.builds)
    out.builds.push_back(simpleBuild(build, out));
  for (const OpKindSet &set : unit.kindSets) {
    std::vector<uint8_t> &in = out.sets.emplace_back(ops.size(), uint8_t(0));
    std::vector<const OpSchema *> &named = out.setOps.emplace_back();
    for (uint32_t op : set.ops)
      if (out.kinds[op] != UINT32_MAX) {
        in[out.kinds[op]] = 1;
        named.push_back(out.schemas[op]);
      }
    for (uint32_t traits : set.traits)
      for (size_t kind = kFirstDeclaredKind; kind < ops.size(); ++kind)
        if ((ops.schema(KindId{uint16_t(kind)}).traits & traits) == traits)
          in[kind] = 1;
  }
  for (const AttrPlace &place : unit.attrPlaces) {
    std::vector<int32_t> &at = out.attrPlaces.emplace_back(ops.size(), -1);
    for (auto [op, index] : place.indexes)
      if (out.kinds[op] != UINT32_MAX)
        at[out.kinds[op]] = index;
  }
  return out;
}

/// Runs a question of its own: its choices are closed when it has an answer.
bool Machine::nested(uint32_t entry, Reporting reporting) {
  if (++depth_ > 500) [[unlikely]] { // the thread's stack
    exhausted_ = true;
    return false;
  }
  Reporting outer = std::exchange(reporting_, reporting);
  uint32_t choices = std::exchange(choices_, 0u);
  bool passed = execute(code_ + entry);
  choices_ = choices;
  reporting_ = outer;
  --depth_;
  return passed;
}

bool Machine::callFn(const Instr &s) {
  const FnCode &fn = unit().fns[size_t(s.d)];
  spend(1);
  if (size_t(scratch_.end() - scratch_.top) < fn.registers || exhausted_) {
    exhausted_ = true;
    return false;
  }
  Cell *caller = r_, *callee = scratch_.top;
  for (unsigned i = 0; i < s.c; ++i)
    callee[i] = caller[s.b + i];
  r_ = callee;
  scratch_.top += fn.registers;
  bool passed = nested(fn.entry, Reporting::None);
  scratch_.top = callee;
  r_ = caller;
  if (passed)
    r_[s.a] = callee[fn.result];
  return passed;
}

/// Says why the pattern does not match.
[[gnu::cold]] void Machine::failed(const Instr &s) {
  size_t at = size_t(&s - code_);
  const Reason &reason = unit().reasons[at < unit().reasonOf.size() ? unit().reasonOf[at] : 0];
  if (reason.text.empty())
    return;
  if (reporting_ == Reporting::Root)
    rw_->noMatch(root(), reason.text.c_str(), reason.line);
  else if (reporting_ == Reporting::Operand)
    reason_.fail(reason.text.c_str(), reason.line);
}

/// Whether the code at the end of a test passes for operand `b` of an `each`; if not, that is why.
bool Machine::fits(const Instr &s, Reporting reporting) {
  if (nested(uint32_t(s.d), Reporting::Operand))
    return true;
  if (reporting == Reporting::Root && !exhausted_ && rw_->explains())
    reason_.noMatch(*rw_, root(), unsigned(r_[s.b].i));
  return false;
}

/// Number kAlways: a choice without a number.
static constexpr uint64_t kAlways = kNoReg + uint64_t(1);

void Machine::choose(const Instr &s) {
  if (!search_)
    search_.emplace();
  if (s.c != kNoReg)
    search_->begin(s.c);
  scratch_.choices.push_back(uint64_t(uint32_t(s.d)) | (s.c + uint64_t(1)) << 32);
  ++choices_;
}

/// Whether the choice that a failure has come back to is worth another try. When the search gives up, none is.
bool Machine::goesBack(uint64_t choice) {
  search_->blame(blame_);
  return choice == kAlways ? !search_->gaveUp() : search_->goesBack(unsigned(choice - 1));
}

void Machine::dropChoices() {
  scratch_.choices.resize(scratch_.choices.size() - choices_);
  choices_ = 0;
}

void Machine::openChains(unsigned count) {
  chains_ = scratch_.chainsUsed;
  chainCount_ = count;
  isUntidy_ = true;
  scratch_.chainsUsed += count;
  if (scratch_.chains.size() < scratch_.chainsUsed)
    scratch_.chains.resize(scratch_.chainsUsed);
}

void Machine::tidy() {
  if (ownsLists_)
    scratch_.rewind(oldBlock_, oldUsed_);
  if (!chainCount_)
    return;
  for (size_t i = 0; i < chainCount_; ++i)
    scratch_.chains[chains_ + i].reset();
  scratch_.chainsUsed = chains_;
}

void Machine::users(const Instr &s) {
  InlineList<OpId> ids;
  for (Op user : s.op == Opcode::UsersBegin ? usersBelow(value(s.b), s.c, root()) : usersBelow(op(s.b), s.c, root()))
    ids.push_back(user.id);
  setList<OpId>(r_[s.a], ids);
}

void Machine::chainBegin(const Instr &s) {
  std::optional<Chain> &chain = scratch_.chains[chains_ + s.c];
  const ChainTest &test = unit().chainTests[size_t(s.d)];
  auto isLink = [this, &test](Op link) {
    if (!bound_.sets[test.kinds][link.kind().raw])
      return false;
    if (!test.linkEntry)
      return true;
    set(test.link, link);
    return nested(test.linkEntry, Reporting::None);
  };
  if (test.sideEntry)
    chain.emplace(value(s.b), isLink, [this, &test](Value side) {
      set(test.side, side);
      return nested(test.sideEntry, Reporting::None);
    });
  else
    chain.emplace(value(s.b), isLink);
  r_[s.a].i = int64_t(s.c);
}

void Machine::keepChain(const Instr &s) {
  spend(int64_t(scratch_.chains[chains_ + size_t(r_[s.b].i)]->length() + 1));
  size_t place = chains_ + chainCount_;
  scratch_.chainsUsed = place + 1;
  if (scratch_.chains.size() < scratch_.chainsUsed)
    scratch_.chains.resize(scratch_.chainsUsed);
  scratch_.chains[place] = scratch_.chains[chains_ + size_t(r_[s.b].i)]->kept();
  r_[s.a].i = int64_t(chainCount_++);
}

bool Machine::sameTypes(const Instr *parts) {
  TypeId a = typeOf(value(parts[0].b)), b = typeOf(value(parts[2].b));
  r_[parts[0].a].id = a.raw;
  r_[parts[2].a].id = b.raw;
  if (!a || !b)
    return false;
  std::optional<bool> answer = equal(ctx(), a, b);
  r_[parts[4].a].i = answer.value_or(false);
  return answer.value_or(false);
}

// The loop. Each instruction goes on to the next by itself (labels as values, of GCC and Clang): no bounds check, and a
// branch of its own for the processor to learn from. Such a jump runs no destructors, so what has one lives in
// functions of its own.
#define RW_OP(name) name##_:
#define RW_GO(place)                                                                                                   \
  do {                                                                                                                 \
    pc = code + (place);                                                                                               \
    goto *kPlaces[size_t(pc->op)];                                                                                     \
  } while (false)
#define RW_SKIP(count)                                                                                                 \
  do {                                                                                                                 \
    pc += (count);                                                                                                     \
    goto *kPlaces[size_t(pc->op)];                                                                                     \
  } while (false)
#define RW_NEXT RW_SKIP(1)

bool Machine::execute(const Instr *pc) {
  static const void *const kPlaces[] = {
#define X(name) &&name##_,
      RW_INTERPRET_OPCODES(X)
#undef X
  };
  Cell *const r = r_;
  const Instr *const code = code_;
  goto *kPlaces[size_t(pc->op)];

  // Control ---------------------------------------------------------------------------------------------------------
  RW_OP(Pass) return closeChoices(true);
  RW_OP(Fail) goto fail;
  RW_OP(Jump) RW_GO(pc->d);
  RW_OP(JumpIf)
  if (r[pc->a].i)
    RW_GO(pc->d);
  RW_NEXT;
  RW_OP(JumpUnless)
  if (!r[pc->a].i)
    RW_GO(pc->d);
  RW_NEXT;
  RW_OP(FailIf)
  if (r[pc->a].i)
    goto fail;
  RW_NEXT;
  RW_OP(FailUnless)
  if (!r[pc->a].i)
    goto fail;
  RW_NEXT;
  RW_OP(FailIfNone)
  if (r[pc->a].id == UINT32_MAX)
    goto fail;
  RW_NEXT;
  RW_OP(IsThere) r[pc->a].i = r[pc->b].id != UINT32_MAX;
  RW_NEXT;
  RW_OP(Choose)
  scratch_.choices.push_back(uint32_t(pc->d));
  ++choices_;
  RW_NEXT;
  RW_OP(ChooseOf) choose(*pc);
  RW_NEXT;
  RW_OP(Blame) blame_ = uint64_t(unit().numbers[size_t(pc->d)]);
  RW_NEXT;
  RW_OP(TestCall)
  r[pc->a].i = nested(uint32_t(pc->d), Reporting::None);
  if (exhausted_) [[unlikely]]
    goto fail;
  RW_NEXT;
  RW_OP(Move) r[pc->a] = r[pc->b];
  RW_NEXT;
  RW_OP(LoadInt) r[pc->a].i = pc->d;
  RW_NEXT;
  RW_OP(LoadLong) r[pc->a].i = unit().numbers[size_t(pc->d)];
  RW_NEXT;
  RW_OP(LoadNumbers) r[pc->a].list = {unit().numbers.data() + pc->d, pc->c};
  RW_NEXT;
  RW_OP(LoadString) set(pc->a, std::string_view(unit().strings[size_t(pc->d)]));
  RW_NEXT;
  RW_OP(LoadNone) r[pc->a].id = UINT32_MAX;
  RW_NEXT;
  RW_OP(Recall)
  if (const uint32_t *known =
          rw_ ? rw_->recalled(pc, attr(pc->b), pc->c == kNoReg ? AttrId() : attr(pc->c)) : nullptr) {
    if (!*known)
      goto fail;
    RW_GO(pc->d);
  }
  RW_NEXT;
  RW_OP(Remember)
  if (rw_)
    rw_->remember(code_ + pc->d, attr(pc->b), pc->c == kNoReg ? AttrId() : attr(pc->c), uint32_t(r[pc->a].i));
  RW_NEXT;
  RW_OP(RecallAttr)
  if (const uint32_t *known =
          rw_ ? rw_->recalled(pc, attr(pc->b), pc->c == kNoReg ? AttrId() : attr(pc->c)) : nullptr) {
    if (*known == UINT32_MAX)
      goto fail;
    r[pc->a].id = *known;
    RW_GO(pc->d);
  }
  RW_NEXT;
  RW_OP(RememberAttr)
  if (rw_)
    rw_->remember(code_ + pc->d, attr(pc->b), pc->c == kNoReg ? AttrId() : attr(pc->c), r[pc->a].id);
  RW_NEXT;

  // Ops and values --------------------------------------------------------------------------------------------------
  RW_OP(Operand) set(pc->a, op(pc->b).operand(unsigned(pc->d)));
  RW_NEXT;
  RW_OP(OperandThere)
  set(pc->a, op(pc->b).operand(unsigned(pc->d)));
  if (r[pc->a].id == UINT32_MAX)
    goto fail;
  RW_NEXT;
  RW_OP(OperandAtEnd) set(pc->a, op(pc->b).operand(op(pc->b).operandCount() - unsigned(pc->d)));
  RW_NEXT;
  RW_OP(OperandAtEndThere)
  set(pc->a, op(pc->b).operand(op(pc->b).operandCount() - unsigned(pc->d)));
  if (r[pc->a].id == UINT32_MAX)
    goto fail;
  RW_NEXT;
  RW_OP(OperandList) group(*pc);
  RW_NEXT;
  RW_OP(DefinedBy) {
    Op def = definitionOf(value(pc->b));
    if (!def || def.kind().raw != pc->d)
      goto fail;
    set(pc->a, def);
    RW_NEXT;
  }
  RW_OP(OperandDefinedBy) {
    Value operand = op(pc->b).operand(pc->index());
    Op def = definitionOf(operand);
    set(Reg(pc->a), operand);
    if (!def || def.kind().raw != pc->d)
      goto fail;
    set(pc->c, def);
    RW_NEXT;
  }
  RW_OP(DefinedByResult) {
    Op def = definitionOf(value(pc->b));
    if (!def || def.kind().raw != pc->d || !isResult(value(pc->b), def, pc->c))
      goto fail;
    set(pc->a, def);
    RW_NEXT;
  }
  RW_OP(DefinedBySet) {
    Op def = definitionOf(value(pc->b));
    if (!def || !bound_.sets[size_t(pc->d)][def.kind().raw] || !isResult(value(pc->b), def, pc->c))
      goto fail;
    set(pc->a, def);
    RW_NEXT;
  }
  RW_OP(InSet)
  if (!bound_.sets[size_t(pc->d)][op(pc->a).kind().raw])
    goto fail;
  RW_NEXT;
  RW_OP(Result)
  if (op(pc->b).resultCount() <= unsigned(pc->d))
    goto fail;
  set(pc->a, op(pc->b).result(unsigned(pc->d)));
  RW_NEXT;
  RW_OP(ResultAny)
  set(pc->a, op(pc->b).result(pc->d < 0 ? op(pc->b).resultCount() - unsigned(-pc->d) : unsigned(pc->d)));
  RW_NEXT;
  RW_OP(ResultGroup)
  RW_OP(OperandGroup) group(*pc);
  RW_NEXT;
  RW_OP(OperandOfGroup) set(pc->a, firstOf(operandGroupOf(op(pc->b), unsigned(pc->d))));
  RW_NEXT;
  RW_OP(Count) {
    unsigned count = op(pc->a).operandCount();
    if (count < pc->b || (pc->c != kNoReg && count > pc->c))
      goto fail;
    RW_NEXT;
  }
  RW_OP(Absent)
  if (op(pc->a).operand(unsigned(pc->d)))
    goto fail;
  RW_NEXT;
  RW_OP(NoExtras)
  if (hasExtraAttrs(op(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(Region)
  if (r[pc->a].id = regionOf(op(pc->b), unsigned(pc->d)).raw; r[pc->a].id == UINT32_MAX)
    goto fail;
  RW_NEXT;
  RW_OP(RegionAt)
  if (r[pc->a].id = regionOf(op(pc->b), unsigned(r[pc->c].i)).raw; r[pc->a].id == UINT32_MAX)
    goto fail;
  RW_NEXT;
  RW_OP(ParamCount)
  if (size_t count = fn_.params(RegionId(r[pc->a].id)).size(); count < pc->b || (pc->c != kNoReg && count > pc->c))
    goto fail;
  if (pc->d && !holdsNoEffects(fn_, RegionId(r[pc->a].id)))
    goto fail;
  RW_NEXT;
  RW_OP(Param) {
    std::span<const ValueId> params = fn_.params(RegionId(r[pc->b].id));
    size_t at = pc->d < 0 ? params.size() - size_t(-int64_t(pc->d)) : size_t(pc->d); // beyond all if there are fewer
    if (at >= params.size())
      goto fail;
    r[pc->a].id = params[at].raw;
    RW_NEXT;
  }
  RW_OP(ParamList) {
    std::span<const ValueId> params = fn_.params(RegionId(r[pc->b].id));
    size_t both = size_t(pc->c) + size_t(pc->d);
    setList<ValueId>(r[pc->a], params.size() < both ? params.first(0) : params.subspan(pc->c, params.size() - both));
    RW_NEXT;
  }
  RW_OP(Terminator) set(pc->a, fn_.terminator(RegionId(r[pc->b].id)));
  RW_NEXT;
  RW_OP(OneUse)
  if (!value(pc->a).hasOneUse())
    goto fail;
  RW_NEXT;
  RW_OP(SameId)
  if (r[pc->a].id != r[pc->b].id)
    goto fail;
  RW_NEXT;
  RW_OP(FirstResult) set(pc->a, op(pc->b).result());
  RW_NEXT;

  // Attributes ------------------------------------------------------------------------------------------------------
  RW_OP(Attr)
  if (!(r[pc->a].id = op(pc->b).attr(unsigned(pc->d)).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrOrDefault)
  if (!(r[pc->a].id = op(pc->b).attrOrDefault(unsigned(pc->d)).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrOrNone) r[pc->a].id = op(pc->b).attrOrDefault(unsigned(pc->d)).raw;
  RW_NEXT;
  RW_OP(AttrIndex) {
    int32_t index = bound_.attrPlaces[size_t(pc->d)][op(pc->b).kind().raw];
    r[pc->a].i = index < 0 ? UINT16_MAX : index;
    RW_NEXT;
  }
  RW_OP(AttrAt)
  if (!(r[pc->a].id = op(pc->b).attr(unsigned(r[pc->c].i)).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrOrDefaultAt)
  if (!(r[pc->a].id = op(pc->b).attrOrDefault(unsigned(r[pc->c].i)).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrDefault)
  if (!attrIsDefault(op(pc->a), unsigned(pc->d)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrDefaultAt)
  if (!attrIsDefault(op(pc->a), unsigned(r[pc->b].i)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrAbsent)
  if (!attrIsAbsent(op(pc->a), unsigned(pc->d)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrAbsentAt)
  if (!attrIsAbsent(op(pc->a), unsigned(r[pc->b].i)))
    goto fail;
  RW_NEXT;
  RW_OP(AttrIsInt)
  if (attrAs<int64_t>(ctx(), attr(pc->a)) != unit().numbers[size_t(pc->d)])
    goto fail;
  RW_NEXT;
  RW_OP(AttrIsBool)
  if (attrAs<bool>(ctx(), attr(pc->a)) != (pc->d != 0))
    goto fail;
  RW_NEXT;
  RW_OP(AttrIsString)
  if (attrAs<std::string_view>(ctx(), attr(pc->a)) != std::string_view(unit().strings[size_t(pc->d)]))
    goto fail;
  RW_NEXT;
  RW_OP(AttrIsDType)
  if (attrAs<DType>(ctx(), attr(pc->a)) != DType(pc->d))
    goto fail;
  RW_NEXT;
  RW_OP(View)
  if (!view(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(ViewInts)
  if (std::optional<std::span<const int64_t>> ints = attrAs<std::span<const int64_t>>(ctx(), attr(pc->b))) {
    r[pc->a].list = {ints->data(), ints->size()};
    RW_NEXT;
  }
  goto fail;
  RW_OP(TensorAttr)
  if (!(r[pc->a].id = tensorAttr(ctx(), attr(pc->b)).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(MakeElement) r[pc->a].id = ctx().elementAttr(r[pc->b].f).raw;
  RW_NEXT;
  RW_OP(MakeAttr) r[pc->a].id = makeAttr(*pc).raw;
  RW_NEXT;
  RW_OP(MakeSymbol) r[pc->a].id = ctx().symbolAttr(text(pc->b)).raw;
  RW_NEXT;

  // Types and constants ---------------------------------------------------------------------------------------------
  RW_OP(TypeOf) r[pc->a].id = typeOf(value(pc->b)).raw;
  RW_NEXT;
  RW_OP(TypeOfTensor) r[pc->a].id = typeOfTensor(ctx(), attr(pc->b)).raw;
  RW_NEXT;
  RW_OP(TypeOfOp) r[pc->a].id = typeOf(op(pc->b).result()).raw;
  RW_NEXT;
  RW_OP(ShapeOf)
  if (std::optional<std::span<const Dim>> shape = shapeOf(ctx(), type(pc->b))) {
    r[pc->a].list = {shape->data(), shape->size()};
    RW_NEXT;
  }
  goto fail;
  RW_OP(RankOf)
  if (std::optional<int64_t> rank = rankOf(ctx(), type(pc->b))) {
    r[pc->a].i = *rank;
    RW_NEXT;
  }
  goto fail;
  RW_OP(DTypeOf)
  if (std::optional<DType> dtype = dtypeOf(ctx(), type(pc->b))) {
    r[pc->a].i = int64_t(*dtype);
    RW_NEXT;
  }
  goto fail;
  RW_OP(SizeOf)
  if (std::optional<Dim> size = sizeOf(ctx(), type(pc->b))) {
    r[pc->a].i = size->bits();
    RW_NEXT;
  }
  goto fail;
  RW_OP(TupleElements)
  if (std::optional<std::span<const TypeId>> elements = tupleElements(ctx(), type(pc->b))) {
    r[pc->a].list = {elements->data(), elements->size()};
    RW_NEXT;
  }
  goto fail;
  RW_OP(TupleType)
  if (!tuple(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(TensorType) r[pc->a].id = ctx().tensorType(DType(r[pc->b].i), list<Dim>(pc->c)).raw;
  RW_NEXT;
  RW_OP(UnrankedType) r[pc->a].id = ctx().unrankedType(DType(r[pc->b].i)).raw;
  RW_NEXT;
  RW_OP(SingleElement) r[pc->a].i = isSingleElement(ctx(), type(pc->b));
  RW_NEXT;
  RW_OP(IsFloat) r[pc->a].i = isFloat(DType(r[pc->b].i));
  RW_NEXT;
  RW_OP(IsInteger) r[pc->a].i = isInteger(DType(r[pc->b].i));
  RW_NEXT;
  RW_OP(IsSigned) r[pc->a].i = isSigned(DType(r[pc->b].i));
  RW_NEXT;
  RW_OP(IsComplex) r[pc->a].i = isComplex(DType(r[pc->b].i));
  RW_NEXT;
  RW_OP(Bits)
  if (std::optional<int64_t> bits = bitsOf(DType(r[pc->b].i))) {
    r[pc->a].i = *bits;
    RW_NEXT;
  }
  goto fail;
  RW_OP(ConstantOf) r[pc->a].id = constantOf(value(pc->b)).raw;
  RW_NEXT;
  RW_OP(ElementOf)
  if (!(r[pc->a].id = elementOf(ctx(), constantOf(value(pc->b))).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(IsSplat) {
    AttrId constant = constantOf(value(pc->a));
    bool holds = pc->elem == Elem::Float  ? isSplat(ctx(), constant, r[pc->b].f)
                 : pc->elem == Elem::Bool ? isSplat(ctx(), constant, r[pc->b].i != 0)
                                          : isSplat(ctx(), constant, r[pc->b].i);
    if (!holds)
      goto fail;
    RW_NEXT;
  }
  RW_OP(IntsOf)
  RW_OP(FloatsOf)
  RW_OP(ContentsOf)
  if (!contents(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(SplatOf)
  if (!(r[pc->a].id = splatOf(ctx(), attr(pc->b), type(pc->c)).raw, attr(pc->a)))
    goto fail;
  RW_NEXT;
  RW_OP(TensorOf)
  if (!tensorOf(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(NameOf) set(pc->a, pc->d ? op(pc->b).schema().dialect : op(pc->b).schema().name);
  RW_NEXT;
  RW_OP(AttrsOf)
  if (pc->d)
    setList<std::string_view>(r[pc->a], attrNamesOf(op(pc->b)));
  else
    setList<AttrId>(r[pc->a], rw::attrsOf(op(pc->b)));
  RW_NEXT;
  RW_OP(UsesOf) r[pc->a].i = usesOf(value(pc->b));
  RW_NEXT;
  RW_OP(OneUser) r[pc->a].i = hasOneUser(value(pc->b));
  RW_NEXT;

  // Numbers ---------------------------------------------------------------------------------------------------------
  RW_OP(AddInt)
  if (addFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(SubInt)
  if (subFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(MulInt)
  if (mulFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(DivInt)
  if (divFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(ModInt)
  if (modFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(AndInt) r[pc->a].i = r[pc->b].i & r[pc->c].i;
  RW_NEXT;
  RW_OP(OrInt) r[pc->a].i = r[pc->b].i | r[pc->c].i;
  RW_NEXT;
  RW_OP(XorInt) r[pc->a].i = r[pc->b].i ^ r[pc->c].i;
  RW_NEXT;
  RW_OP(ShiftLeft)
  if (shiftLeftFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(ShiftRight)
  if (shiftRightFails(r[pc->b].i, r[pc->c].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(BitLength)
  if (bitLengthFails(r[pc->b].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(IsPowerOfTwo) r[pc->a].i = isPowerOfTwo(r[pc->b].i);
  RW_NEXT;
  RW_OP(NegInt)
  if (negFails(r[pc->b].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(AbsInt)
  if (absFails(r[pc->b].i, r[pc->a].i))
    goto fail;
  RW_NEXT;
  RW_OP(AddFloat) r[pc->a].f = r[pc->b].f + r[pc->c].f;
  RW_NEXT;
  RW_OP(SubFloat) r[pc->a].f = r[pc->b].f - r[pc->c].f;
  RW_NEXT;
  RW_OP(MulFloat) r[pc->a].f = r[pc->b].f * r[pc->c].f;
  RW_NEXT;
  RW_OP(DivFloat) r[pc->a].f = r[pc->b].f / r[pc->c].f;
  RW_NEXT;
  RW_OP(ModFloat) r[pc->a].f = std::fmod(r[pc->b].f, r[pc->c].f);
  RW_NEXT;
  RW_OP(NegFloat) r[pc->a].f = -r[pc->b].f;
  RW_NEXT;
  RW_OP(AbsFloat) r[pc->a].f = std::abs(r[pc->b].f);
  RW_NEXT;
  RW_OP(AddDim) r[pc->a].i = ctx().dims().add(dim(pc->b), dim(pc->c)).bits();
  RW_NEXT;
  RW_OP(SubDim) r[pc->a].i = ctx().dims().sub(dim(pc->b), dim(pc->c)).bits();
  RW_NEXT;
  RW_OP(MulDim) r[pc->a].i = ctx().dims().mul(dim(pc->b), dim(pc->c)).bits();
  RW_NEXT;
  RW_OP(DivDim)
  RW_OP(ModDim) {
    std::optional<Dim> result =
        pc->op == Opcode::DivDim ? divide(ctx(), dim(pc->b), dim(pc->c)) : modulo(ctx(), dim(pc->b), dim(pc->c));
    if (!result)
      goto fail;
    r[pc->a].i = result->bits();
    RW_NEXT;
  }
  RW_OP(Not) r[pc->a].i = !r[pc->b].i;
  RW_NEXT;
  RW_OP(EqInt) r[pc->a].i = r[pc->b].i == r[pc->c].i;
  RW_NEXT;
  RW_OP(NeInt) r[pc->a].i = r[pc->b].i != r[pc->c].i;
  RW_NEXT;
  RW_OP(LtInt) r[pc->a].i = r[pc->b].i < r[pc->c].i;
  RW_NEXT;
  RW_OP(LeInt) r[pc->a].i = r[pc->b].i <= r[pc->c].i;
  RW_NEXT;
  RW_OP(GtInt) r[pc->a].i = r[pc->b].i > r[pc->c].i;
  RW_NEXT;
  RW_OP(GeInt) r[pc->a].i = r[pc->b].i >= r[pc->c].i;
  RW_NEXT;
  RW_OP(EqFloat) r[pc->a].i = r[pc->b].f == r[pc->c].f;
  RW_NEXT;
  RW_OP(NeFloat) r[pc->a].i = r[pc->b].f != r[pc->c].f;
  RW_NEXT;
  RW_OP(LtFloat) r[pc->a].i = r[pc->b].f < r[pc->c].f;
  RW_NEXT;
  RW_OP(LeFloat) r[pc->a].i = r[pc->b].f <= r[pc->c].f;
  RW_NEXT;
  RW_OP(GtFloat) r[pc->a].i = r[pc->b].f > r[pc->c].f;
  RW_NEXT;
  RW_OP(GeFloat) r[pc->a].i = r[pc->b].f >= r[pc->c].f;
  RW_NEXT;
  RW_OP(CompareString) r[pc->a].i = compares(*pc, text(pc->b).compare(text(pc->c)));
  RW_NEXT;
  RW_OP(EqId) r[pc->a].i = r[pc->b].id == r[pc->c].id;
  RW_NEXT;
  RW_OP(NeId) r[pc->a].i = r[pc->b].id != r[pc->c].id;
  RW_NEXT;
  RW_OP(EqDim)
  RW_OP(EqType)
  RW_OP(EqList)
  RW_OP(LtDim)
  RW_OP(LeDim) {
    std::optional<bool> answer = pc->op == Opcode::EqDim    ? equal(ctx(), dim(pc->b), dim(pc->c))
                                 : pc->op == Opcode::EqType ? equal(ctx(), type(pc->b), type(pc->c))
                                 : pc->op == Opcode::LtDim  ? less(ctx(), dim(pc->b), dim(pc->c))
                                 : pc->op == Opcode::LeDim
                                     ? lessOrEqual(ctx(), dim(pc->b), dim(pc->c))
                                     : sameLists(pc->elem, Elem(pc->d), r[pc->b].list, r[pc->c].list);
    if (!answer)
      goto fail;
    r[pc->a].i = *answer;
    RW_NEXT;
  }
  RW_OP(Identical)
  RW_OP(IdenticalList)
  if (!identical(*pc, pc->op == Opcode::IdenticalList))
    goto fail;
  RW_NEXT;
  RW_OP(Unrounded) unrounded(*pc);
  RW_NEXT;
  RW_OP(DimFromInt) {
    std::optional<Dim> d = dimOf(r[pc->b].i);
    if (!d)
      goto fail;
    r[pc->a].i = d->bits();
    RW_NEXT;
  }
  RW_OP(IntFromDim)
  if (!dim(pc->b).isNumber())
    goto fail;
  r[pc->a].i = dim(pc->b).value();
  RW_NEXT;
  RW_OP(FloatFromInt) r[pc->a].f = double(r[pc->b].i);
  RW_NEXT;
  RW_OP(DimsFromInts)
  RW_OP(IntsFromDims)
  RW_OP(FloatsFromInts)
  if (!convertList(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(IsNumber) r[pc->a].i = pc->d ? !dim(pc->b).isUnknown() : dim(pc->b).isNumber();
  RW_NEXT;
  RW_OP(MinOf)
  RW_OP(MaxOf)
  if (!least(*pc, pc->op == Opcode::MaxOf))
    goto fail;
  RW_NEXT;
  RW_OP(SymbolDim) r[pc->a].i = ctx().dims().symbol(ctx().intern(unit().strings[size_t(pc->d)])).bits();
  RW_NEXT;

  // Lists -----------------------------------------------------------------------------------------------------------
  RW_OP(NewList) r[pc->a].list = {nullptr, 0};
  RW_NEXT;
  RW_OP(Push) push(r[pc->a], r[pc->b], pc->elem);
  RW_NEXT;
  RW_OP(PushList) pushAll(r[pc->a], r[pc->b].list, pc->elem);
  RW_NEXT;
  RW_OP(Len) r[pc->a].i = int64_t(r[pc->b].list.size);
  RW_NEXT;
  RW_OP(Index) {
    int64_t index = r[pc->c].i;
    if (!inRange(index, r[pc->b].list.size))
      goto fail;
    load(r[pc->a], pc->elem, r[pc->b].list.data, size_t(index));
    RW_NEXT;
  }
  RW_OP(SizeIs)
  if (r[pc->a].list.size != size_t(pc->d))
    goto fail;
  RW_NEXT;
  RW_OP(SizeAtLeast)
  if (r[pc->a].list.size < size_t(pc->d))
    goto fail;
  RW_NEXT;
  RW_OP(SizeEquals)
  if (int64_t(r[pc->a].list.size) != r[pc->b].i)
    goto fail;
  RW_NEXT;
  RW_OP(SameSize)
  if (r[pc->a].list.size != r[pc->b].list.size)
    goto fail;
  RW_NEXT;
  RW_OP(ElementAt) {
    ListRef from = r[pc->b].list;
    load(r[pc->a], pc->elem, from.data, pc->d < 0 ? from.size - size_t(-pc->d) : size_t(pc->d));
    RW_NEXT;
  }
  RW_OP(Middle) {
    ListRef from = r[pc->b].list;
    size_t first = size_t(pc->d >> 16), last = size_t(pc->d & 0xffff);
    r[pc->a].list = {static_cast<const std::byte *>(from.data) + first * sizeOf(pc->elem), from.size - first - last};
    RW_NEXT;
  }
  RW_OP(Slice) {
    ListRef from = r[pc->b].list;
    int64_t begin = r[pc->c].i, end = r[Reg(pc->d)].i;
    if (!sliceFits(begin, end, from.size))
      goto fail;
    r[pc->a].list = {static_cast<const std::byte *>(from.data) + size_t(begin) * sizeOf(pc->elem), size_t(end - begin)};
    RW_NEXT;
  }
  RW_OP(Concat)
  RW_OP(ConcatShort)
  if (!concat(*pc, pc->op == Opcode::Concat))
    goto fail;
  RW_NEXT;
  RW_OP(Range) {
    int64_t begin = r[pc->b].i, end = r[pc->c].i;
    if (!rangeFits(begin, end))
      goto fail;
    size_t count = end > begin ? size_t(end - begin) : 0;
    int64_t *out = static_cast<int64_t *>(allocate(count * 8));
    for (size_t i = 0; i < count; ++i)
      out[i] = begin + int64_t(i);
    r[pc->a].list = {out, count};
    RW_NEXT;
  }
  RW_OP(RangeFits)
  if (!rangeFits(r[pc->a].i, r[pc->b].i))
    goto fail;
  RW_NEXT;
  RW_OP(Next)
  if (size_t(++r[pc->b].i) >= r[pc->c].list.size) {
    RW_GO(pc->d);
  }
  load(r[pc->a], pc->elem, r[pc->c].list.data, size_t(r[pc->b].i));
  spend(1);
  if (exhausted_) [[unlikely]]
    goto fail;
  RW_NEXT;
  RW_OP(Before) r[pc->a].i = int64_t(uint64_t(r[pc->b].i) - 1);
  RW_NEXT;
  RW_OP(NextInt)
  if (++r[pc->a].i >= r[pc->b].i) {
    RW_GO(pc->d);
  }
  spend(1);
  if (exhausted_) [[unlikely]]
    goto fail;
  RW_NEXT;
  RW_OP(Step)
  if (size_t(++r[pc->a].i) > kMaxSteps)
    goto fail;
  RW_NEXT;
  RW_OP(Reversed)
  RW_OP(Sorted)
  RW_OP(Argsort)
  if (!reordered(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(IsSorted) r[pc->a].i = isSorted(list<int64_t>(pc->b));
  RW_NEXT;
  RW_OP(IsUnique) r[pc->a].i = isUnique(list<int64_t>(pc->b));
  RW_NEXT;
  RW_OP(IsPermutation) r[pc->a].i = isPermutation(list<int64_t>(pc->b), r[pc->c].i);
  RW_NEXT;
  RW_OP(AllOf) r[pc->a].i = allOf(list<bool>(pc->b));
  RW_NEXT;
  RW_OP(AnyOf) r[pc->a].i = anyOf(list<bool>(pc->b));
  RW_NEXT;
  RW_OP(Sum)
  RW_OP(Product)
  RW_OP(LeastOf)
  RW_OP(GreatestOf)
  if (!aggregate(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(Contains)
  RW_OP(IndexOf)
  RW_OP(CountOf)
  if (!find(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(Broadcast)
  if (!broadcast(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(UnknownSizes) {
    const std::optional<Dims> sizes = unknownSizes(r[pc->b].i);
    if (!sizes)
      goto fail;
    setList<Dim>(r[pc->a], *sizes);
    RW_NEXT;
  }
  RW_OP(CallFn)
  if (!callFn(*pc))
    goto fail;
  RW_NEXT;

  // Choices ---------------------------------------------------------------------------------------------------------
  RW_OP(Commute)
  set(pc->a, op(pc->b).operand(0));
  set(Reg(pc->a + 1), op(pc->b).operand(1));
  RW_NEXT;
  RW_OP(Swap) std::swap(r[pc->a], r[pc->a + 1]);
  RW_NEXT;
  RW_OP(IsCommutative) r[pc->a].i = op(pc->b).hasTrait(Trait::Commutative);
  RW_NEXT;
  RW_OP(ChainBegin) chainBegin(*pc);
  RW_NEXT;
  RW_OP(ChainEnd) set(pc->a, scratch_.chains[chains_ + size_t(r[pc->b].i)]->end());
  RW_NEXT;
  RW_OP(ChainExtend)
  spend(1);
  if (!scratch_.chains[chains_ + size_t(r[pc->a].i)]->extend())
    goto fail;
  RW_NEXT;
  RW_OP(KeepChain) keepChain(*pc);
  RW_NEXT;
  RW_OP(UsersBegin)
  RW_OP(UsersOfOp) users(*pc);
  RW_NEXT;
  RW_OP(EachNext)
  if (++r[pc->b].i >= int64_t(op(pc->c).operandCount())) {
    RW_GO(pc->d);
  }
  set(pc->a, op(pc->c).operand(unsigned(r[pc->b].i)));
  spend(1);
  RW_NEXT;
  RW_OP(IsTypeOnly) r[pc->a].i = !value(pc->b) || isTypeOnly(op(Reg(pc->d)), unsigned(r[pc->c].i));
  RW_NEXT;
  RW_OP(EachTest)
  if (!fits(*pc, reporting_))
    goto failSilently;
  RW_NEXT;
  RW_OP(KeepRank)
  if (!keepsRank(*pc))
    goto fail;
  RW_NEXT;

  // Right sides -----------------------------------------------------------------------------------------------------
  RW_OP(PlaceBefore)
  if (!place(unit().placements[size_t(pc->d)]))
    goto fail;
  RW_NEXT;
  RW_OP(Different)
  if (r[pc->a].id == r[pc->b].id)
    goto fail;
  RW_NEXT;
  RW_OP(BuildOp)
  if (!buildOp(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(ReplaceByNew)
  if (!replaceByNew(*pc)) {
    created_ = false; // gone again
    goto failSilently;
  }
  return closeChoices(true);
  RW_OP(BuildLike)
  if (!buildLike(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(TakesOperands)
  if (!listFits(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(OpenRegions) openRegions(*pc);
  RW_NEXT;
  RW_OP(OpenRegion) rw_->openRegion(pc->b == kNoReg ? RegionId() : RegionId(r[pc->b].id));
  RW_NEXT;
  RW_OP(NewParam) set(pc->a, rw_->addParam(type(pc->b)));
  RW_NEXT;
  RW_OP(NewParams) newParams(*pc);
  RW_NEXT;
  RW_OP(RepeatParam) rw_->repeatParam(value(pc->b));
  RW_NEXT;
  RW_OP(RepeatParams)
  for (ValueId param : list<ValueId>(pc->b))
    rw_->repeatParam({&fn_, param});
  RW_NEXT;
  RW_OP(KeepEffects)
  if (!rw_->keepEffects())
    goto fail;
  RW_NEXT;
  RW_OP(TakeInside) {
    Value v = value(pc->b);
    if (!rw_->takeInside(v))
      goto fail;
    set(pc->a, v);
    RW_NEXT;
  }
  RW_OP(TakeAllInside)
  if (!takeAllInside(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(CloseRegion) closeRegion(*pc);
  RW_NEXT;
  RW_OP(CopyRegion) rw_->copyRegion(pc->b == kNoReg ? regionOf(op(pc->c), unsigned(pc->d)) : RegionId(r[pc->b].id));
  RW_NEXT;
  RW_OP(ReplayChain)
  if (!replay(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(StateType)
  if (!stateType(*rw_, value(pc->a), type(pc->b)))
    goto fail;
  RW_NEXT;
  RW_OP(Materialize)
  created_ = true;
  set(pc->a, materialize(*rw_, root(), unit().strings[size_t(pc->d)], attr(pc->b)));
  if (r[pc->a].id == UINT32_MAX)
    goto fail;
  RW_NEXT;
  RW_OP(ResultsOf) group(*pc);
  RW_NEXT;
  RW_OP(CanReplace)
  if (!value(pc->b) || !canReplaceBy(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(CanReplaceAll)
  if (!canReplaceByList(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(ReachesUses)
  if (!reachesUses(op(pc->a), {value(pc->b)}))
    goto fail;
  RW_NEXT;
  RW_OP(ListReachesUses)
  if (!listReachesUses(*pc))
    goto fail;
  RW_NEXT;
  RW_OP(Replace)
  if (!rw_->replaceOp(op(pc->a), value(pc->b)) && pc->d)
    goto failSilently;
  RW_NEXT;
  RW_OP(ReplaceAll)
  if (!replaceByList(*pc) && pc->d)
    goto failSilently;
  RW_NEXT;
  RW_OP(WithAttrs) {
    const BuildCode &build = unit().builds[size_t(pc->d)];
    AttrsId attrs = build.named.empty() ? op(pc->b).attrsId() : withNamedAttrs(op(pc->b), namedOf(build));
    for (auto [index, setting] : build.settings)
      attrs = ctx().withAttr(attrs, index, attr(setting));
    r[pc->a].id = attrs.raw;
    RW_NEXT;
  }
  RW_OP(CanUpdate)
  if (AttrsId attrs(r[pc->b].id); attrs == op(pc->a).attrsId() || !canUpdate(op(pc->a), attrs, pc->d != 0))
    goto fail;
  RW_NEXT;
  RW_OP(Update)
  if (!rw_->setAttrs(op(pc->a), AttrsId(r[pc->b].id)) && pc->d)
    goto failSilently;
  RW_NEXT;
  RW_OP(Unused)
  if (op(pc->a).hasUses())
    goto fail;
  RW_NEXT;
  RW_OP(Erase)
  if (!rw_->erase(op(pc->a)) && pc->d)
    goto failSilently;
  RW_NEXT;
  RW_OP(InOrder)
  if (created_ && !createdInOrder(*rw_))
    goto fail;
  RW_NEXT;
  RW_OP(TestParam) {
    Value made = fn_.addParam(type(pc->b));
    fn_.setValueName(made.id, ctx().intern(unit().strings[size_t(pc->d)]));
    set(pc->a, made);
  }
  RW_NEXT;

  // Clauses of ops --------------------------------------------------------------------------------------------------
  RW_OP(InputOperand) set(pc->a, inputs_->operand(unsigned(pc->d)));
  RW_NEXT;
  RW_OP(InputGroup)
  RW_OP(InputFirst) {
    std::span<const ValueId> group = inputs_->group(unsigned(pc->d));
    if (pc->op == Opcode::InputFirst)
      r[pc->a].id = group.empty() ? UINT32_MAX : group[0].raw;
    else
      setList<ValueId>(r[pc->a], group);
    RW_NEXT;
  }
  RW_OP(InputAttr) r[pc->a].id = inputs_->attrOrDefault(unsigned(pc->d)).raw;
  RW_NEXT;
  RW_OP(RegionParams)
  RW_OP(RegionResults)
  if (!region(*pc))
    goto fail;
  RW_NEXT;

  // Fused instructions: they go on behind their parts.
  RW_OP(Head) {
    const HeadNode *nodes = bound_.fused.nodes.data() + pc->d;
    if (!runHead(nodes, pc->a, bound_.fused.loads.data() + nodes->loads, fn_,
                 [r](Reg reg) -> uint32_t & { return r[reg].id; }))
      goto fail;
    RW_SKIP(pc->c);
  }
  RW_OP(IsSplatInt)
  r[pc[0].a].i = pc[0].d;
  if (!isSplat(ctx(), constantOf(value(pc[1].a)), int64_t(pc[0].d)))
    goto fail;
  RW_SKIP(2);
  RW_OP(SameTypes)
  if (!sameTypes(pc))
    goto fail;
  RW_SKIP(6);
  RW_OP(BuildValue)
  if (!buildOp(*pc))
    goto fail;
  set(pc[1].a, op(pc[0].a).result());
  RW_SKIP(2);
  RW_OP(ReplaceEnd) {
    Value by = value(pc->b);
    if (!by || !canReplaceBy(*pc))
      goto fail;
    if (!rw_->replaceOp(op(pc->a), by))
      goto failSilently;
    return closeChoices(true);
  }

fail:
  if (exhausted_) [[unlikely]]
    return closeChoices(false);
  if (pc->onFail)
    RW_GO(pc->onFail);
  if (rw_ && rw_->explains()) [[unlikely]]
    failed(*pc);
failSilently:
  if (!choices_ || exhausted_)
    return closeChoices(false);
  if (created_ && reporting_ == Reporting::Root) {
    rw_->abandon();
    created_ = false;
  }
  --choices_;
  uint64_t next = scratch_.choices.back();
  scratch_.choices.pop_back();
  if (next >> 32 && !goesBack(next >> 32)) [[unlikely]]
    goto failSilently;
  RW_GO(uint32_t(next));
}
#undef RW_OP
#undef RW_GO
#undef RW_SKIP
#undef RW_NEXT

} // namespace rw::interpret
