// `each m`: every operand of an op fits m. Members of PatternCompiler.
//
// A variable that m binds is bound once per operand where it is a list outside (Var::perOperand); else the first
// operand that binds it decides, and the others are compared. What an operand binds counts once the operand fits.
#include "codegen/interpret/pattern_compiler.h"

#include <algorithm>

namespace rw::interpret {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;
using plan::VarId;
using sema::TypeKind;

PatternCompiler::Shared *PatternCompiler::sharedOf(VarId var) {
  auto it = std::ranges::find(shared_, var, &Shared::var);
  return it == shared_.end() ? nullptr : &*it;
}

/// The variables that the body of an `each` binds.
void PatternCompiler::collectShared(const Steps &list, std::vector<Shared> &out) {
  auto add = [&](VarId id) {
    if (id && body.var(id).localTo <= eachDepth_ && vars[id.raw].presence != VarState::Bound &&
        std::ranges::find(out, id, &Shared::var) == out.end())
      out.push_back({.var = id, .perOperand = body.var(id).perOperand});
  };
  for (const Step &s : list) {
    if (s.kind == StepKind::Bind || s.kind == StepKind::BindOrSame)
      add(s.var);
    if (s.kind == StepKind::Type)
      sema::forEachDim(*s.type, [&](const sema::DimMatch &d) {
        if (d.var.use == sema::Use::Bind || d.var.use == sema::Use::BindOrCompare)
          add(d.var.var);
      });
    for (const Steps &alternative : s.alternatives)
      collectShared(alternative, out);
    if (s.kind == StepKind::Each)
      collectShared(s.body, out);
  }
}

/// Inside `each`: what an operand before this one bound must be the same.
void PatternCompiler::compareShared(VarId var, Reg here, bool isAttr) {
  Shared *shared = sharedOf(var);
  if (!shared || shared->perOperand)
    return;
  Label first;
  jump(Opcode::JumpUnless, shared->flag, first);
  sema::Type type = body.var(var).type;
  if (isAttr)
    emit(Opcode::SameId, here, shared->attr);
  else if (type.is(TypeKind::Value) || type.is(TypeKind::Op) || type.is(TypeKind::Region))
    emit(Opcode::SameId, here, shared->reg);
  else
    requireIdentical(here, shared->reg, type);
  bind(first);
}

void PatternCompiler::each(const Step &s) {
  const Reg op = Reg(s.in), operand = Reg(s.out);
  std::vector<Shared> inner;
  collectShared(s.body, inner);
  setReason(0);
  for (Shared &shared : inner) {
    uint32_t v = shared.var.raw;
    shared.reg = reg();
    if (shared.perOperand) {
      emit(Opcode::NewList, shared.reg);
      continue;
    }
    shared.attr = reg();
    shared.flag = reg();
    const Shared *outer = sharedOf(shared.var); // what operands of the outer op before this one have bound
    if (outer) {
      emit(Opcode::Move, shared.reg, outer->reg);
      emit(Opcode::Move, shared.attr, outer->attr);
      emit(Opcode::Move, shared.flag, outer->flag);
    } else {
      emit(Opcode::LoadNone, shared.attr);
      loadInt(shared.flag, 0);
    }
    if (vars[v].presence != VarState::Maybe)
      continue;
    Label unbound;
    Reg there = isBound(vars[v]);
    jump(Opcode::JumpUnless, there, unbound);
    emit(Opcode::Move, shared.reg, vars[v].reg);
    if (vars[v].attr != kNoReg)
      emit(Opcode::Move, shared.attr, vars[v].attr);
    loadInt(shared.flag, 1);
    bind(unbound);
  }
  Reg singles = reg(), i = loadInt(-1), single = reg();
  emit(Opcode::NewList, singles);
  Label end, fitting;
  auto entry = std::make_shared<Label>();
  uint32_t next = place();
  emitTo(end, Opcode::EachNext, operand, i, op);
  loadInt(single, 0);
  Reg passed = reg(); // left out, or without a layout
  emit(Opcode::IsTypeOnly, passed, operand, i, int32_t(op));
  jump(Opcode::JumpIf, passed, fitting);
  reasonOf(s);
  emitTo(*entry, Opcode::EachTest, kNoReg, i);
  setReason(0);
  bind(fitting);
  for (const Shared &shared : inner) {
    sema::Type type = body.var(shared.var).type;
    if (!shared.perOperand || type.kind != TypeKind::Value) // of ops and regions there are only those that match
      continue;
    type.lists = uint8_t(type.lists - (eachDepth_ - body.var(shared.var).localTo));
    sema::Type element = type.element();
    Label none;
    jump(Opcode::JumpUnless, passed, none);
    Reg pushed = operand;
    if (element.isList()) {
      pushed = reg();
      emit(Opcode::NewList, pushed);
    }
    emit(Opcode::Push, shared.reg, pushed, kNoReg, 0, elemOf(element));
    bind(none);
  }
  emit(Opcode::Push, singles, single, kNoReg, 0, Elem::Bool);
  emit(Opcode::Jump, kNoReg, kNoReg, kNoReg, int32_t(next));
  bind(end);
  setReason(builder.reason("single elements have no greater rank than the other operands", s.line));
  emit(Opcode::KeepRank, op, singles);
  reasonOf(s);

  unsigned depth = eachDepth_;
  defer([=, this, &s] { // one operand
    setReason(0);
    bind(*entry);
    shared_ = inner;
    single_ = single;
    for (const Shared &shared : inner)
      vars[shared.var.raw] = {};
    resetFlags();
    unsigned outerDepth = std::exchange(eachDepth_, depth + 1);
    steps(s.body);
    setReason(0);
    for (const Shared &shared : inner) {
      const VarState v = vars[shared.var.raw];
      if (v.presence == VarState::Unbound)
        continue;
      Label unbound;
      if (v.presence == VarState::Maybe)
        jump(Opcode::JumpUnless, isBound(v), unbound);
      if (shared.perOperand) {
        sema::Type type = body.var(shared.var).type;
        type.lists = uint8_t(type.lists - (depth - body.var(shared.var).localTo));
        bool chain = type.element().is(TypeKind::Chain); // the next operand has another one in its place
        emit(Opcode::Push, shared.reg, chain ? op1(Opcode::KeepChain, v.reg) : v.reg, kNoReg, 0,
             elemOf(type.element()));
      } else {
        emit(Opcode::Move, shared.reg, v.reg);
        if (v.attr != kNoReg)
          emit(Opcode::Move, shared.attr, v.attr);
        else
          emit(Opcode::LoadNone, shared.attr);
        loadInt(shared.flag, 1);
      }
      bind(unbound);
    }
    emit(Opcode::Pass);
    eachDepth_ = outerDepth;
  });

  // What the loop bound, as variables of what follows.
  for (const Shared &shared : inner) {
    uint32_t v = shared.var.raw;
    if (shared.perOperand) {
      bindTo(shared.var, shared.reg);
      continue;
    }
    if (homes_[v] == kNoReg)
      homes_[v] = reg();
    if (attrHomes_[v] == kNoReg)
      attrHomes_[v] = reg();
    emit(Opcode::Move, homes_[v], shared.reg);
    emit(Opcode::Move, attrHomes_[v], shared.attr);
    emit(Opcode::Move, flags_[v], shared.flag);
    vars[v] = {.presence = VarState::Maybe,
               .reg = homes_[v],
               .attr = attrHomes_[v],
               .attrPresence = VarState::Maybe,
               .flag = flags_[v]};
  }
}

} // namespace rw::interpret
