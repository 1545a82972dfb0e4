// The machine's loop: control, and what is small. Lists, attributes and comparisons are machine_values.cpp; what right sides
// do is machine_build.cpp.
#include "codegen/machine/scratch.h"

#include "rw/ir/structure_helpers.h"

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

Bound bind(const Unit &unit, const OpRegistry &ops) {
  Bound out;
  out.ops = &ops;
  out.size = ops.size();
  for (const OpName &op : unit.opNames) {
    KindId kind = op.since ? ops.lookup(op.dialect + "." + op.name, int(op.since)) : ops.lookup(op.dialect + "." + op.name);
    bool found = kind != kOpaqueKind && (!op.since || ops.schema(kind).since == op.since);
    out.schemas.push_back(found ? &ops.schema(kind) : nullptr);
    out.kinds.push_back(found ? kind.raw : UINT32_MAX);
  }
  out.code = unit.code;
  for (Instr &s : out.code)
    if (s.op == Opcode::DefinedBy || s.op == Opcode::OperandDefinedBy || s.op == Opcode::DefinedByResult)
      s.d = int32_t(out.kinds[size_t(s.d)]); // no kind where it is not registered
  for (const OpKindSet &set : unit.kindSets) {
    std::vector<uint8_t> &in = out.sets.emplace_back(ops.size(), uint8_t(0));
    std::vector<const OpSchema *> &named = out.setOps.emplace_back();
    for (uint32_t op : set.ops)
      if (out.kinds[op] != UINT32_MAX) {
        in[out.kinds[op]] = 1;
        named.push_back(out.schemas[op]);
      }
    for (uint32_t traits : set.traits)
      for (size_t kind = 0; kind < ops.size(); ++kind)
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
  bool passed = execute(code_ + entry);
  reporting_ = outer;
  --depth_;
  return passed;
}

bool Machine::callFn(const Instr &s) {
  const FnCode &fn = unit_.fns[size_t(s.d)];
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
  const Reason &reason = unit_.reasons[at < unit_.reasonOf.size() ? unit_.reasonOf[at] : 0];
  if (reason.text.empty())
    return;
  if (reporting_ == Reporting::Root)
    rw_->noMatch(root_, reason.text.c_str(), reason.line);
  else if (reporting_ == Reporting::Operand)
    reason_.fail(reason.text.c_str(), reason.line);
}

/// Whether the code at the end of a test passes for operand `b` of an `each`; if not, that is why.
bool Machine::fits(const Instr &s, Reporting reporting) {
  if (nested(uint32_t(s.d), Reporting::Operand))
    return true;
  if (reporting == Reporting::Root && !exhausted_ && rw_->explains())
    reason_.noMatch(*rw_, root_, unsigned(r_[s.b].i));
  return false;
}

void Machine::users(const Instr &s) {
  InlineList<OpId> ids;
  for (Op user : s.op == Opcode::UsersBegin ? usersBelow(value(s.b), s.c, root_) : usersBelow(op(s.b), s.c, root_))
    ids.push_back(user.id);
  setList<OpId>(r_[s.a], ids);
}

void Machine::chainBegin(const Instr &s) {
  std::optional<Chain> &chain = scratch_.chains[chains_ + s.c];
  const ChainTest &test = unit_.chainTests[size_t(s.d)];
  auto isLink = [this, &test](Op link) {
    if (!bound_->sets[test.kinds][link.kind().raw])
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

bool Machine::execute(const Instr *pc) {
  const size_t base = scratch_.choices.size();
  for (;; ++pc) {
    const Instr &s = *pc;
    Cell *const r = r_;
    switch (s.op) {
    // Control ---------------------------------------------------------------------------------------------------------
    case Opcode::Pass:
      scratch_.choices.resize(base);
      return true;
    case Opcode::Fail: goto fail;
    case Opcode::Jump: pc = code_ + s.d - 1; break;
    case Opcode::JumpIf:
      if (r[s.a].i)
        pc = code_ + s.d - 1;
      break;
    case Opcode::JumpUnless:
      if (!r[s.a].i)
        pc = code_ + s.d - 1;
      break;
    case Opcode::FailIf:
      if (r[s.a].i)
        goto fail;
      break;
    case Opcode::FailUnless:
      if (!r[s.a].i)
        goto fail;
      break;
    case Opcode::FailIfNone:
      if (r[s.a].id == UINT32_MAX)
        goto fail;
      break;
    case Opcode::IsThere: r[s.a].i = r[s.b].id != UINT32_MAX; break;
    case Opcode::Choose: scratch_.choices.push_back(uint32_t(s.d)); break;
    case Opcode::TestCall:
      r[s.a].i = nested(uint32_t(s.d), Reporting::None);
      if (exhausted_) [[unlikely]]
        goto fail;
      break;
    case Opcode::Move: r[s.a] = r[s.b]; break;
    case Opcode::LoadInt: r[s.a].i = s.d; break;
    case Opcode::LoadLong: r[s.a].i = unit_.numbers[size_t(s.d)]; break;
    case Opcode::LoadString: set(s.a, std::string_view(unit_.strings[size_t(s.d)])); break;
    case Opcode::LoadNone: r[s.a].id = UINT32_MAX; break;
    case Opcode::Recall:
      if (const uint32_t *known = rw_ ? rw_->recalled(pc, attr(s.b), s.c == kNoReg ? AttrId() : attr(s.c)) : nullptr) {
        if (!*known)
          goto fail;
        pc = code_ + s.d - 1;
      }
      break;
    case Opcode::Remember:
      if (rw_)
        rw_->remember(code_ + s.d, attr(s.b), s.c == kNoReg ? AttrId() : attr(s.c), uint32_t(r[s.a].i));
      break;
    case Opcode::RecallAttr:
      if (const uint32_t *known = rw_ ? rw_->recalled(pc, attr(s.b), s.c == kNoReg ? AttrId() : attr(s.c)) : nullptr) {
        if (*known == UINT32_MAX)
          goto fail;
        r[s.a].id = *known;
        pc = code_ + s.d - 1;
      }
      break;
    case Opcode::RememberAttr:
      if (rw_)
        rw_->remember(code_ + s.d, attr(s.b), s.c == kNoReg ? AttrId() : attr(s.c), r[s.a].id);
      break;

    // Ops and values --------------------------------------------------------------------------------------------------
    case Opcode::Operand: set(s.a, op(s.b).operand(unsigned(s.d))); break;
    case Opcode::OperandThere:
      set(s.a, op(s.b).operand(unsigned(s.d)));
      if (r[s.a].id == UINT32_MAX)
        goto fail;
      break;
    case Opcode::OperandAtEnd: set(s.a, op(s.b).operand(op(s.b).operandCount() - unsigned(s.d))); break;
    case Opcode::OperandAtEndThere:
      set(s.a, op(s.b).operand(op(s.b).operandCount() - unsigned(s.d)));
      if (r[s.a].id == UINT32_MAX)
        goto fail;
      break;
    case Opcode::OperandList: group(s); break;
    case Opcode::DefinedBy: {
      Op def = definitionOf(value(s.b));
      if (!def || def.kind().raw != s.d)
        goto fail;
      set(s.a, def);
      break;
    }
    case Opcode::OperandDefinedBy: {
      Value operand = op(s.b).operand(s.index());
      Op def = definitionOf(operand);
      set(Reg(s.a), operand);
      if (!def || def.kind().raw != s.d)
        goto fail;
      set(s.c, def);
      break;
    }
    case Opcode::DefinedByResult: {
      Op def = definitionOf(value(s.b));
      if (!def || def.kind().raw != s.d || !isResult(value(s.b), def, s.c))
        goto fail;
      set(s.a, def);
      break;
    }
    case Opcode::DefinedBySet: {
      Op def = definitionOf(value(s.b));
      if (!def || !bound_->sets[size_t(s.d)][def.kind().raw] || !isResult(value(s.b), def, s.c))
        goto fail;
      set(s.a, def);
      break;
    }
    case Opcode::InSet:
      if (!bound_->sets[size_t(s.d)][op(s.a).kind().raw])
        goto fail;
      break;
    case Opcode::Result:
      if (op(s.b).resultCount() <= unsigned(s.d))
        goto fail;
      set(s.a, op(s.b).result(unsigned(s.d)));
      break;
    case Opcode::ResultAny: set(s.a, op(s.b).result(s.d < 0 ? op(s.b).resultCount() - unsigned(-s.d) : unsigned(s.d))); break;
    case Opcode::ResultGroup:
    case Opcode::OperandGroup: group(s); break;
    case Opcode::Count: {
      unsigned count = op(s.a).operandCount();
      if (count < s.b || (s.c != kNoReg && count > s.c))
        goto fail;
      break;
    }
    case Opcode::Absent:
      if (op(s.a).operand(unsigned(s.d)))
        goto fail;
      break;
    case Opcode::NoExtras:
      if (hasExtraAttrs(op(s.a)))
        goto fail;
      break;
    case Opcode::OneUse:
      if (!value(s.a).hasOneUse())
        goto fail;
      break;
    case Opcode::SameId:
      if (r[s.a].id != r[s.b].id)
        goto fail;
      break;
    case Opcode::FirstResult: set(s.a, op(s.b).result()); break;

    // Attributes ------------------------------------------------------------------------------------------------------
    case Opcode::Attr:
      if (!(r[s.a].id = op(s.b).attr(unsigned(s.d)).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::AttrOrDefault:
      if (!(r[s.a].id = op(s.b).attrOrDefault(unsigned(s.d)).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::AttrOrNone: r[s.a].id = op(s.b).attrOrDefault(unsigned(s.d)).raw; break;
    case Opcode::AttrIndex: {
      int32_t index = bound_->attrPlaces[size_t(s.d)][op(s.b).kind().raw];
      r[s.a].i = index < 0 ? UINT16_MAX : index;
      break;
    }
    case Opcode::AttrAt:
      if (!(r[s.a].id = op(s.b).attr(unsigned(r[s.c].i)).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::AttrOrDefaultAt:
      if (!(r[s.a].id = op(s.b).attrOrDefault(unsigned(r[s.c].i)).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::AttrDefault:
      if (!attrIsDefault(op(s.a), unsigned(s.d)))
        goto fail;
      break;
    case Opcode::AttrDefaultAt:
      if (!attrIsDefault(op(s.a), unsigned(r[s.b].i)))
        goto fail;
      break;
    case Opcode::AttrAbsent:
      if (op(s.a).attr(unsigned(s.d)))
        goto fail;
      break;
    case Opcode::AttrAbsentAt:
      if (op(s.a).attr(unsigned(r[s.b].i)))
        goto fail;
      break;
    case Opcode::AttrIsInt:
      if (attrAs<int64_t>(ctx_, attr(s.a)) != unit_.numbers[size_t(s.d)])
        goto fail;
      break;
    case Opcode::AttrIsBool:
      if (attrAs<bool>(ctx_, attr(s.a)) != (s.d != 0))
        goto fail;
      break;
    case Opcode::AttrIsString:
      if (attrAs<std::string_view>(ctx_, attr(s.a)) != std::string_view(unit_.strings[size_t(s.d)]))
        goto fail;
      break;
    case Opcode::AttrIsDType:
      if (attrAs<DType>(ctx_, attr(s.a)) != DType(s.d))
        goto fail;
      break;
    case Opcode::View:
      if (!view(s))
        goto fail;
      break;
    case Opcode::ViewInts:
      if (std::optional<std::span<const int64_t>> ints = attrAs<std::span<const int64_t>>(ctx_, attr(s.b))) {
        r[s.a].list = {ints->data(), ints->size()};
        break;
      }
      goto fail;
    case Opcode::TensorAttr:
      if (!(r[s.a].id = tensorAttr(ctx_, attr(s.b)).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::MakeAttr: r[s.a].id = makeAttr(s).raw; break;
    case Opcode::MakeSymbol: r[s.a].id = ctx_.symbolAttr(text(s.b)).raw; break;

    // Types and constants ---------------------------------------------------------------------------------------------
    case Opcode::TypeOf: r[s.a].id = typeOf(value(s.b)).raw; break;
    case Opcode::TypeOfTensor: r[s.a].id = typeOfTensor(ctx_, attr(s.b)).raw; break;
    case Opcode::TypeOfOp: r[s.a].id = typeOf(op(s.b).result()).raw; break;
    case Opcode::ShapeOf:
      if (std::optional<std::span<const Dim>> shape = shapeOf(ctx_, type(s.b))) {
        r[s.a].list = {shape->data(), shape->size()};
        break;
      }
      goto fail;
    case Opcode::RankOf:
      if (std::optional<int64_t> rank = rankOf(ctx_, type(s.b))) {
        r[s.a].i = *rank;
        break;
      }
      goto fail;
    case Opcode::DTypeOf:
      if (std::optional<DType> dtype = dtypeOf(ctx_, type(s.b))) {
        r[s.a].i = int64_t(*dtype);
        break;
      }
      goto fail;
    case Opcode::SizeOf:
      if (std::optional<Dim> size = sizeOf(ctx_, type(s.b))) {
        r[s.a].i = size->bits();
        break;
      }
      goto fail;
    case Opcode::TupleElements:
      if (std::optional<std::span<const TypeId>> elements = tupleElements(ctx_, type(s.b))) {
        r[s.a].list = {elements->data(), elements->size()};
        break;
      }
      goto fail;
    case Opcode::TupleType:
      if (!tuple(s))
        goto fail;
      break;
    case Opcode::TensorType: r[s.a].id = ctx_.tensorType(DType(r[s.b].i), list<Dim>(s.c)).raw; break;
    case Opcode::UnrankedType: r[s.a].id = ctx_.unrankedType(DType(r[s.b].i)).raw; break;
    case Opcode::SingleElement: r[s.a].i = isSingleElement(ctx_, type(s.b)); break;
    case Opcode::IsFloat: r[s.a].i = isFloat(DType(r[s.b].i)); break;
    case Opcode::IsInteger: r[s.a].i = isInteger(DType(r[s.b].i)); break;
    case Opcode::IsSigned: r[s.a].i = isSigned(DType(r[s.b].i)); break;
    case Opcode::IsComplex: r[s.a].i = isComplex(DType(r[s.b].i)); break;
    case Opcode::Bits:
      if (std::optional<int64_t> bits = bitsOf(DType(r[s.b].i))) {
        r[s.a].i = *bits;
        break;
      }
      goto fail;
    case Opcode::ConstantOf: r[s.a].id = constantOf(value(s.b)).raw; break;
    case Opcode::ElementOf:
      if (!(r[s.a].id = elementOf(ctx_, constantOf(value(s.b))).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::IsSplat: {
      AttrId constant = constantOf(value(s.a));
      bool holds = s.elem == Elem::Float  ? isSplat(ctx_, constant, r[s.b].f)
                   : s.elem == Elem::Bool ? isSplat(ctx_, constant, r[s.b].i != 0)
                                          : isSplat(ctx_, constant, r[s.b].i);
      if (!holds)
        goto fail;
      break;
    }
    case Opcode::IntsOf:
    case Opcode::FloatsOf:
      if (!contents(s))
        goto fail;
      break;
    case Opcode::SplatOf:
      if (!(r[s.a].id = splatOf(ctx_, attr(s.b), type(s.c)).raw, attr(s.a)))
        goto fail;
      break;
    case Opcode::TensorOf:
      if (!tensorOf(s))
        goto fail;
      break;
    case Opcode::UsesOf: r[s.a].i = usesOf(value(s.b)); break;
    case Opcode::OneUser: r[s.a].i = hasOneUser(value(s.b)); break;

    // Numbers ---------------------------------------------------------------------------------------------------------
    case Opcode::AddInt:
      if (addFails(r[s.b].i, r[s.c].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::SubInt:
      if (subFails(r[s.b].i, r[s.c].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::MulInt:
      if (mulFails(r[s.b].i, r[s.c].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::DivInt:
      if (divFails(r[s.b].i, r[s.c].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::ModInt:
      if (modFails(r[s.b].i, r[s.c].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::NegInt:
      if (negFails(r[s.b].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::AbsInt:
      if (absFails(r[s.b].i, r[s.a].i))
        goto fail;
      break;
    case Opcode::AddFloat: r[s.a].f = r[s.b].f + r[s.c].f; break;
    case Opcode::SubFloat: r[s.a].f = r[s.b].f - r[s.c].f; break;
    case Opcode::MulFloat: r[s.a].f = r[s.b].f * r[s.c].f; break;
    case Opcode::DivFloat: r[s.a].f = r[s.b].f / r[s.c].f; break;
    case Opcode::ModFloat: r[s.a].f = std::fmod(r[s.b].f, r[s.c].f); break;
    case Opcode::NegFloat: r[s.a].f = -r[s.b].f; break;
    case Opcode::AbsFloat: r[s.a].f = std::abs(r[s.b].f); break;
    case Opcode::AddDim: r[s.a].i = ctx_.dims().add(dim(s.b), dim(s.c)).bits(); break;
    case Opcode::SubDim: r[s.a].i = ctx_.dims().sub(dim(s.b), dim(s.c)).bits(); break;
    case Opcode::MulDim: r[s.a].i = ctx_.dims().mul(dim(s.b), dim(s.c)).bits(); break;
    case Opcode::DivDim:
    case Opcode::ModDim: {
      std::optional<Dim> result = s.op == Opcode::DivDim ? divide(ctx_, dim(s.b), dim(s.c)) : modulo(ctx_, dim(s.b), dim(s.c));
      if (!result)
        goto fail;
      r[s.a].i = result->bits();
      break;
    }
    case Opcode::Not: r[s.a].i = !r[s.b].i; break;
    case Opcode::EqInt: r[s.a].i = r[s.b].i == r[s.c].i; break;
    case Opcode::NeInt: r[s.a].i = r[s.b].i != r[s.c].i; break;
    case Opcode::LtInt: r[s.a].i = r[s.b].i < r[s.c].i; break;
    case Opcode::LeInt: r[s.a].i = r[s.b].i <= r[s.c].i; break;
    case Opcode::GtInt: r[s.a].i = r[s.b].i > r[s.c].i; break;
    case Opcode::GeInt: r[s.a].i = r[s.b].i >= r[s.c].i; break;
    case Opcode::EqFloat: r[s.a].i = r[s.b].f == r[s.c].f; break;
    case Opcode::NeFloat: r[s.a].i = r[s.b].f != r[s.c].f; break;
    case Opcode::LtFloat: r[s.a].i = r[s.b].f < r[s.c].f; break;
    case Opcode::LeFloat: r[s.a].i = r[s.b].f <= r[s.c].f; break;
    case Opcode::GtFloat: r[s.a].i = r[s.b].f > r[s.c].f; break;
    case Opcode::GeFloat: r[s.a].i = r[s.b].f >= r[s.c].f; break;
    case Opcode::EqString: r[s.a].i = text(s.b) == text(s.c); break;
    case Opcode::NeString: r[s.a].i = text(s.b) != text(s.c); break;
    case Opcode::LtString: r[s.a].i = text(s.b) < text(s.c); break;
    case Opcode::LeString: r[s.a].i = text(s.b) <= text(s.c); break;
    case Opcode::GtString: r[s.a].i = text(s.b) > text(s.c); break;
    case Opcode::GeString: r[s.a].i = text(s.b) >= text(s.c); break;
    case Opcode::EqId: r[s.a].i = r[s.b].id == r[s.c].id; break;
    case Opcode::NeId: r[s.a].i = r[s.b].id != r[s.c].id; break;
    case Opcode::EqDim:
    case Opcode::EqType:
    case Opcode::EqList:
    case Opcode::LtDim:
    case Opcode::LeDim: {
      std::optional<bool> answer = s.op == Opcode::EqDim    ? equal(ctx_, dim(s.b), dim(s.c))
                                   : s.op == Opcode::EqType ? equal(ctx_, type(s.b), type(s.c))
                                   : s.op == Opcode::LtDim  ? less(ctx_, dim(s.b), dim(s.c))
                                   : s.op == Opcode::LeDim  ? lessOrEqual(ctx_, dim(s.b), dim(s.c))
                                                            : sameLists(s.elem, Elem(s.d), r[s.b].list, r[s.c].list);
      if (!answer)
        goto fail;
      r[s.a].i = *answer;
      break;
    }
    case Opcode::Identical:
    case Opcode::IdenticalList:
      if (!identical(s, s.op == Opcode::IdenticalList))
        goto fail;
      break;
    case Opcode::DimFromInt: {
      std::optional<Dim> d = dimOf(r[s.b].i);
      if (!d)
        goto fail;
      r[s.a].i = d->bits();
      break;
    }
    case Opcode::IntFromDim:
      if (!dim(s.b).isKnown())
        goto fail;
      r[s.a].i = dim(s.b).size();
      break;
    case Opcode::FloatFromInt: r[s.a].f = double(r[s.b].i); break;
    case Opcode::DimsFromInts:
    case Opcode::IntsFromDims:
    case Opcode::FloatsFromInts:
      if (!convertList(s))
        goto fail;
      break;
    case Opcode::IsNumber: r[s.a].i = dim(s.b).isKnown(); break;
    case Opcode::MinOf:
    case Opcode::MaxOf:
      if (!least(s, s.op == Opcode::MaxOf))
        goto fail;
      break;
    case Opcode::SymbolDim: r[s.a].i = ctx_.dims().symbol(ctx_.intern(unit_.strings[size_t(s.d)])).bits(); break;

    // Lists -----------------------------------------------------------------------------------------------------------
    case Opcode::NewList: r[s.a].list = {nullptr, 0}; break;
    case Opcode::Push: push(r[s.a], r[s.b], s.elem); break;
    case Opcode::PushList: pushAll(r[s.a], r[s.b].list, s.elem); break;
    case Opcode::Len: r[s.a].i = int64_t(r[s.b].list.size); break;
    case Opcode::Index: {
      int64_t index = r[s.c].i;
      if (!inRange(index, r[s.b].list.size))
        goto fail;
      load(r[s.a], s.elem, r[s.b].list.data, size_t(index));
      break;
    }
    case Opcode::SizeIs:
      if (r[s.a].list.size != size_t(s.d))
        goto fail;
      break;
    case Opcode::SizeAtLeast:
      if (r[s.a].list.size < size_t(s.d))
        goto fail;
      break;
    case Opcode::SizeEquals:
      if (int64_t(r[s.a].list.size) != r[s.b].i)
        goto fail;
      break;
    case Opcode::SameSize:
      if (r[s.a].list.size != r[s.b].list.size)
        goto fail;
      break;
    case Opcode::ElementAt: {
      ListRef from = r[s.b].list;
      load(r[s.a], s.elem, from.data, s.d < 0 ? from.size - size_t(-s.d) : size_t(s.d));
      break;
    }
    case Opcode::Middle: {
      ListRef from = r[s.b].list;
      size_t first = size_t(s.d >> 16), last = size_t(s.d & 0xffff);
      r[s.a].list = {static_cast<const std::byte *>(from.data) + first * sizeOf(s.elem), from.size - first - last};
      break;
    }
    case Opcode::Slice: {
      ListRef from = r[s.b].list;
      int64_t begin = r[s.c].i, end = r[Reg(s.d)].i;
      if (!sliceFits(begin, end, from.size))
        goto fail;
      r[s.a].list = {static_cast<const std::byte *>(from.data) + size_t(begin) * sizeOf(s.elem), size_t(end - begin)};
      break;
    }
    case Opcode::Concat:
    case Opcode::ConcatShort:
      if (!concat(s, s.op == Opcode::Concat))
        goto fail;
      break;
    case Opcode::Range: {
      int64_t begin = r[s.b].i, end = r[s.c].i;
      if (!rangeFits(begin, end))
        goto fail;
      size_t count = end > begin ? size_t(end - begin) : 0;
      int64_t *out = static_cast<int64_t *>(allocate(count * 8));
      for (size_t i = 0; i < count; ++i)
        out[i] = begin + int64_t(i);
      r[s.a].list = {out, count};
      break;
    }
    case Opcode::RangeFits:
      if (!rangeFits(r[s.a].i, r[s.b].i))
        goto fail;
      break;
    case Opcode::Next:
      if (size_t(++r[s.b].i) >= r[s.c].list.size) {
        pc = code_ + s.d - 1;
        break;
      }
      load(r[s.a], s.elem, r[s.c].list.data, size_t(r[s.b].i));
      spend(1);
      if (exhausted_) [[unlikely]]
        goto fail;
      break;
    case Opcode::Before: r[s.a].i = int64_t(uint64_t(r[s.b].i) - 1); break;
    case Opcode::NextInt:
      if (++r[s.a].i >= r[s.b].i) {
        pc = code_ + s.d - 1;
        break;
      }
      spend(1);
      if (exhausted_) [[unlikely]]
        goto fail;
      break;
    case Opcode::Step:
      if (size_t(++r[s.a].i) > kMaxSteps)
        goto fail;
      break;
    case Opcode::Reversed:
    case Opcode::Sorted:
    case Opcode::Argsort:
      if (!reordered(s))
        goto fail;
      break;
    case Opcode::IsSorted: r[s.a].i = isSorted(list<int64_t>(s.b)); break;
    case Opcode::IsUnique: r[s.a].i = isUnique(list<int64_t>(s.b)); break;
    case Opcode::IsPermutation: r[s.a].i = isPermutation(list<int64_t>(s.b), r[s.c].i); break;
    case Opcode::AllOf: r[s.a].i = allOf(list<bool>(s.b)); break;
    case Opcode::AnyOf: r[s.a].i = anyOf(list<bool>(s.b)); break;
    case Opcode::Sum:
    case Opcode::Product:
    case Opcode::LeastOf:
    case Opcode::GreatestOf:
      if (!aggregate(s))
        goto fail;
      break;
    case Opcode::Contains:
    case Opcode::IndexOf:
    case Opcode::CountOf:
      if (!find(s))
        goto fail;
      break;
    case Opcode::Broadcast:
      if (!broadcast(s))
        goto fail;
      break;
    case Opcode::CallFn:
      if (!callFn(s))
        goto fail;
      break;

    // Choices ---------------------------------------------------------------------------------------------------------
    case Opcode::Commute:
      set(s.a, op(s.b).operand(0));
      set(Reg(s.a + 1), op(s.b).operand(1));
      break;
    case Opcode::Swap: std::swap(r[s.a], r[s.a + 1]); break;
    case Opcode::IsCommutative: r[s.a].i = op(s.b).hasTrait(Trait::Commutative); break;
    case Opcode::ChainBegin: chainBegin(s); break;
    case Opcode::ChainEnd: set(s.a, scratch_.chains[chains_ + size_t(r[s.b].i)]->end()); break;
    case Opcode::ChainExtend:
      spend(1);
      if (!scratch_.chains[chains_ + size_t(r[s.a].i)]->extend())
        goto fail;
      break;
    case Opcode::UsersBegin:
    case Opcode::UsersOfOp: users(s); break;
    case Opcode::EachNext:
      if (++r[s.b].i >= int64_t(op(s.c).operandCount())) {
        pc = code_ + s.d - 1;
        break;
      }
      set(s.a, op(s.c).operand(unsigned(r[s.b].i)));
      spend(1);
      break;
    case Opcode::IsTypeOnly: r[s.a].i = !value(s.b) || isTypeOnly(op(Reg(s.d)), unsigned(r[s.c].i)); break;
    case Opcode::EachTest:
      if (!fits(s, reporting_))
        goto failSilently;
      break;
    case Opcode::KeepRank:
      if (!keepsRank(s))
        goto fail;
      break;

    // Right sides -----------------------------------------------------------------------------------------------------
    case Opcode::PlaceBefore:
      if (!place(unit_.placements[size_t(s.d)]))
        goto fail;
      break;
    case Opcode::Different:
      if (r[s.a].id == r[s.b].id)
        goto fail;
      break;
    case Opcode::BuildOp:
      if (!buildOp(s))
        goto fail;
      break;
    case Opcode::ReplaceByNew:
      if (!replaceByNew(s)) {
        created_ = false; // gone again
        goto failSilently;
      }
      scratch_.choices.resize(base);
      return true;
    case Opcode::BuildLike:
      if (!buildLike(s))
        goto fail;
      break;
    case Opcode::TakesOperands:
      if (!takesOperands(op(s.a), r[s.b].list.size))
        goto fail;
      break;
    case Opcode::ReplayChain:
      if (!replay(s))
        goto fail;
      break;
    case Opcode::StateType:
      if (!stateType(*rw_, value(s.a), type(s.b)))
        goto fail;
      break;
    case Opcode::Materialize:
      created_ = true;
      set(s.a, materialize(*rw_, root_, unit_.strings[size_t(s.d)], attr(s.b)));
      if (r[s.a].id == UINT32_MAX)
        goto fail;
      break;
    case Opcode::ResultsOf: group(s); break;
    case Opcode::CanReplace:
      if (!value(s.b) || !rw_->canReplace(op(s.a).result(), value(s.b)))
        goto fail;
      break;
    case Opcode::CanReplaceAll:
      if (!canReplaceByList(s))
        goto fail;
      break;
    case Opcode::ReachesUses:
      if (!reachesUses(op(s.a), {value(s.b)}))
        goto fail;
      break;
    case Opcode::ListReachesUses:
      if (!listReachesUses(s))
        goto fail;
      break;
    case Opcode::Replace:
      if (!rw_->replaceOp(op(s.a), value(s.b)) && s.d)
        goto failSilently;
      break;
    case Opcode::ReplaceAll:
      if (!replaceByList(s) && s.d)
        goto failSilently;
      break;
    case Opcode::WithAttrs: {
      AttrsId attrs = op(s.b).attrsId();
      for (auto [index, setting] : unit_.builds[size_t(s.d)].settings)
        attrs = ctx_.withAttr(attrs, index, attr(setting));
      r[s.a].id = attrs.raw;
      break;
    }
    case Opcode::CanUpdate:
      if (AttrsId attrs(r[s.b].id); attrs == op(s.a).attrsId() || !canUpdate(op(s.a), attrs))
        goto fail;
      break;
    case Opcode::Update:
      if (!rw_->setAttrs(op(s.a), AttrsId(r[s.b].id)) && s.d)
        goto failSilently;
      break;
    case Opcode::Unused:
      if (op(s.a).hasUses())
        goto fail;
      break;
    case Opcode::Erase:
      if (!rw_->erase(op(s.a)) && s.d)
        goto failSilently;
      break;
    case Opcode::InOrder:
      if (created_ && !createdInOrder(*rw_))
        goto fail;
      break;
    case Opcode::AddParam: set(s.a, fn_.addParam(type(s.b))); break;

    // Clauses of ops --------------------------------------------------------------------------------------------------
    case Opcode::InputOperand: set(s.a, inputs_->operand(unsigned(s.d))); break;
    case Opcode::InputGroup:
    case Opcode::InputFirst: {
      std::span<const ValueId> group = inputs_->group(unsigned(s.d));
      if (s.op == Opcode::InputFirst)
        r[s.a].id = group.empty() ? UINT32_MAX : group[0].raw;
      else
        setList<ValueId>(r[s.a], group);
      break;
    }
    case Opcode::InputAttr: r[s.a].id = inputs_->attrOrDefault(unsigned(s.d)).raw; break;
    case Opcode::RegionParams:
    case Opcode::RegionResults:
      if (!region(s))
        goto fail;
      break;
    }
    continue;

  fail:
    if (exhausted_) [[unlikely]]
      break;
    if (pc->onFail) {
      pc = code_ + pc->onFail - 1;
      continue;
    }
    if (rw_ && rw_->explains()) [[unlikely]]
      failed(*pc);
  failSilently:
    if (exhausted_ || scratch_.choices.size() == base)
      break;
    if (created_ && reporting_ == Reporting::Root) {
      rw_->abandon();
      created_ = false;
    }
    pc = code_ + scratch_.choices.back() - 1;
    scratch_.choices.pop_back();
  }
  scratch_.choices.resize(base);
  return false;
}

} // namespace rw::interpret
