#include "codegen/interpret/pattern_compiler.h"

#include "codegen/plan/literals.h"

#include <algorithm>

namespace rw::interpret {

using plan::Slot;
using plan::SlotKind;
using plan::Step;
using plan::StepKind;
using plan::VarId;
using sema::Expr;
using sema::ExprKind;
using sema::TypeKind;
using sema::Use;

PatternCompiler::PatternCompiler(UnitBuilder &builder, const plan::MatchPlan &plan)
    : PatternCompiler(builder, builder.module.pattern(plan.pattern), plan) {}

PatternCompiler::PatternCompiler(UnitBuilder &builder, const sema::Pattern &pattern, const plan::MatchPlan &plan)
    : ExpressionCompiler(builder, pattern.body), plan_(plan), pattern_(pattern),
      headAttrs_(plan, pattern.body, builder.module), describe_(plan, builder.module),
      dynamic_(pattern.body.vars.size()), sites_(pattern.body.vars.size()),
      slotOf_(pattern.body.vars.size(), plan::kNoSlot), homes_(pattern.body.vars.size(), kNoReg), attrHomes_(homes_),
      flags_(homes_) {
  regs(plan.slots.size()); // slot n is register n
  for (const Step &s : plan.steps)
    if (s.kind == StepKind::Def)
      defines_.insert(s.in); // which asks whether there is a value
    else if (s.kind == StepKind::Users)
      rootSlots_.push_back(s.out);
}

PatternCode PatternCompiler::compile(const plan::SharedTests &tests) {
  PatternCode out;
  out.name = plan_.name;
  out.doc = pattern_.doc;
  std::string_view file = builder.sources.name(plan_.file);
  out.file = file.substr(file.rfind('/') + 1);
  out.line = plan_.line;
  out.benefit = plan_.benefit;
  out.depth = plan_.depth;
  out.fastmath = plan_.fastmath.bits();
  out.recursive = plan_.recursive;
  out.looksAtLeaves = plan_.looksAtLeaves;
  out.looksAtUses = plan_.looksAtUses;
  out.countsUses = plan_.countsUses;
  out.looksAtUsers = plan_.looksAtUsers;
  out.looksInRegions = plan_.looksInRegions;
  out.labels = pattern_.labels;
  out.roots = builder.kindSet(plan_.roots);
  for (const plan::OpSet &links : plan_.chains)
    out.chains.push_back(builder.kindSet(links));
  std::set<uint32_t> bound;
  scan(plan_.steps, bound);
  for (const plan::NestedTest &nested : plan_.tests) {
    std::set<uint32_t> inside;
    scan(nested.steps, inside);
  }
  for (uint32_t v = 0; v < dynamic_.size(); ++v)
    if (dynamic_[v])
      flags_[v] = reg();
  const plan::Search search(plan_, tests.covered);
  search_ = &search;
  out.entry = place();
  resetFlags();
  out.opening = uint32_t(tests.opening);
  out.swaps = tests.swaps;
  for (size_t i = 0; i < plan_.steps.size(); ++i)
    if (const Step &s = plan_.steps[i]; !tests.covered[i]) {
      step(s);
    } else if (s.out != plan::kNoSlot) {
      out.opened.push_back(Reg(s.out));
      if (s.kind == StepKind::Commute)
        out.opened.push_back(Reg(s.out + 1));
    }
  blame(plan::Search::kAll);
  out.bound = boundNames();
  rewrite();
  emit(Opcode::Pass);
  writeDeferred();
  out.registers = uint16_t(registers());
  out.chainCount = uint16_t(chainCount_);
  if (tooLarge())
    out.entry = 0;
  return out;
}

/// What a match binds, as it is known where all steps have passed. Of what was read from an attribute, the attribute.
std::vector<BoundName> PatternCompiler::boundNames() const {
  std::vector<BoundName> out;
  for (uint32_t v = 0; v < vars.size(); ++v) {
    const sema::Var &var = body.var(VarId(v));
    const VarState &state = vars[v];
    bool hasText = var.type.kind != TypeKind::Chain && var.type.kind != TypeKind::Region &&
                   var.type.kind != TypeKind::Never && var.type.lists < 2;
    if (var.name.empty() || var.name == "_" || state.presence == VarState::Unbound || var.type.isError())
      continue;
    BoundName &bound = out.emplace_back();
    bound.name = var.name;
    bound.flag = state.presence == VarState::Maybe ? state.flag : kNoReg;
    if (state.attrPresence == VarState::Bound) {
      bound.reg = state.attr;
      bound.elem = Elem::Attr;
    } else if (!hasText) {
      out.pop_back();
    } else {
      bound.reg = state.reg;
      bound.elem = elemOf(var.type.kind);
      bound.isList = var.type.isList();
    }
  }
  return out;
}

// What variables need ---------------------------------------------------------------------------------------------

/// Counts the places that bind variables, and finds those that only some ways bind.
void PatternCompiler::scan(const Steps &list, std::set<uint32_t> &bound) {
  auto site = [&](VarId id, Slot slot = plan::kNoSlot) {
    slotOf_[id.raw] = sites_[id.raw] == 0 || slotOf_[id.raw] == slot ? slot : plan::kNoSlot;
    ++sites_[id.raw];
    bound.insert(id.raw);
  };
  auto use = [&](const sema::VarUse &u) {
    if (u.use == Use::Bind || u.use == Use::BindOrCompare)
      site(u.var);
    if (u.use == Use::BindOrCompare)
      dynamic_[u.var.raw] = true;
  };
  for (const Step &s : list) {
    switch (s.kind) {
    case StepKind::BindOrSame:
      dynamic_[s.var.raw] = true;
      [[fallthrough]];
    case StepKind::Bind:
      site(s.var, plan_.slots[s.in].kind == SlotKind::Attr ? plan::kNoSlot : s.in);
      break;
    case StepKind::Let:
      if (s.var)
        site(s.var);
      break;
    case StepKind::Type:
      sema::forEachDim(*s.type, [&](const sema::DimMatch &d) { use(d.var); });
      break;
    case StepKind::AttrList:
      for (const plan::ListElement &x : s.elements)
        use(x.var);
      use(s.rest);
      break;
    case StepKind::Alternatives: {
      std::vector<std::set<uint32_t>> ends;
      for (const Steps &alternative : s.alternatives)
        scan(alternative, ends.emplace_back());
      collectDynamic(bound, ends);
      break;
    }
    case StepKind::Each:
    case StepKind::Is:
    case StepKind::Chain: {
      std::set<uint32_t> inside;
      scan(s.link, inside);
      scan(s.body, inside);
      if (s.kind == StepKind::Each)
        for (uint32_t v : inside) {
          dynamic_[v] = true;
          bound.insert(v);
        }
      break;
    }
    default:
      break;
    }
  }
}

void PatternCompiler::collectDynamic(std::set<uint32_t> &bound, const std::vector<std::set<uint32_t>> &alternatives) {
  std::set<uint32_t> any;
  for (const std::set<uint32_t> &end : alternatives)
    any.insert(end.begin(), end.end());
  for (uint32_t v : any) {
    bool always = std::ranges::all_of(alternatives, [&](const std::set<uint32_t> &end) { return end.contains(v); });
    dynamic_[v] |= !always && !bound.contains(v);
  }
  bound.insert(any.begin(), any.end());
}

// Choices ---------------------------------------------------------------------------------------------------------

/// Copies of what says which variables are bound: what is bound behind a choice is not, when the choice is tried again.
std::vector<std::pair<Reg, Reg>> PatternCompiler::saveFlags() {
  std::vector<std::pair<Reg, Reg>> saved;
  auto save = [&](Reg r) {
    Reg copy = reg();
    emit(Opcode::Move, copy, r);
    saved.push_back({r, copy});
  };
  for (uint32_t v = 0; v < dynamic_.size(); ++v)
    if (dynamic_[v] && vars[v].presence != VarState::Bound)
      save(flags_[v]);
  if (single_ != kNoReg)
    save(single_);
  return saved;
}

void PatternCompiler::restoreFlags(const std::vector<std::pair<Reg, Reg>> &saved) {
  for (auto [to, copy] : saved)
    emit(Opcode::Move, to, copy);
}

/// Code that may run again begins with nothing bound.
void PatternCompiler::resetFlags() {
  for (uint32_t v = 0; v < dynamic_.size(); ++v)
    if (dynamic_[v] && vars[v].presence == VarState::Unbound)
      loadInt(flags_[v], 0);
}

/// Leaves a place to come back to; what then fails depends on what is said anew.
void PatternCompiler::choose(const Step &s, Label &retry) {
  if (!searches()) {
    emitTo(retry, Opcode::Choose, kNoReg);
    return;
  }
  unsigned choice = search_->choice(s);
  emitTo(retry, Opcode::ChooseOf, kNoReg, kNoReg, choice == plan::Search::kNoChoice ? kNoReg : Reg(choice));
  blamed_.reset();
}

void PatternCompiler::blame(uint64_t choices) {
  if (!searches() || blamed_ == choices)
    return;
  blamed_ = choices;
  emit(Opcode::Blame, kNoReg, kNoReg, kNoReg, builder.number(int64_t(choices)));
}

/// Code that jumps lead to: what fails in it depends on the same as the step.
void PatternCompiler::blameAnew(uint64_t choices) {
  emit(Opcode::Blame, kNoReg, kNoReg, kNoReg, builder.number(int64_t(choices)));
}

/// Code that stands behind all other, written with what is known of variables here.
void PatternCompiler::defer(std::function<void()> write) { deferred_.push_back({vars, std::move(write)}); }

void PatternCompiler::writeDeferred() {
  search_ = nullptr;                              // questions of their own
  for (size_t i = 0; i < deferred_.size(); ++i) { // which may defer more
    auto [states, write] = std::move(deferred_[i]);
    vars = std::move(states);
    shared_.clear();
    single_ = kNoReg;
    write();
  }
  deferred_.clear();
}

void PatternCompiler::commute(const Step &s) {
  auto saved = saveFlags();
  emit(Opcode::Commute, Reg(s.out), Reg(s.in));
  auto retry = std::make_shared<Label>(), go = std::make_shared<Label>();
  Label single;
  if (s.ifCommutative) {
    Reg commutes = op1(Opcode::IsCommutative, Reg(s.in));
    jump(Opcode::JumpUnless, commutes, single);
  }
  if (searches()) { // one value twice stands in one order
    Reg differ = reg();
    emit(Opcode::NeId, differ, Reg(s.out), Reg(s.out + 1));
    jump(Opcode::JumpUnless, differ, single);
  }
  choose(s, *retry);
  bind(single);
  blamed_.reset();
  uint32_t on = place();
  defer([=, this] {
    bind(*retry);
    restoreFlags(saved);
    emit(Opcode::Swap, Reg(s.out));
    emit(Opcode::Jump, kNoReg, kNoReg, kNoReg, int32_t(on));
  });
}

void PatternCompiler::alternatives(const Step &s) {
  auto saved = s.alternatives.size() > 1 ? saveFlags() : std::vector<std::pair<Reg, Reg>>();
  Label end, next;
  const std::vector<VarState> before = vars;
  std::vector<std::vector<VarState>> ends;
  for (size_t i = 0; i < s.alternatives.size(); ++i) {
    vars = before;
    setReason(0);
    if (i > 0) {
      bind(next);
      restoreFlags(saved);
    }
    blamed_.reset();
    if (i + 1 < s.alternatives.size())
      choose(s, next);
    steps(s.alternatives[i]);
    // What is read late is read here, if another way may have it in another register.
    for (uint32_t v = 0; v < vars.size(); ++v)
      if (vars[v].lazy && !before[v].lazy)
        variable(VarId(v));
    ends.push_back(vars);
    if (i + 1 < s.alternatives.size())
      jump(end);
  }
  bind(end);
  blamed_.reset();
  joinStates(std::move(ends));
}

void PatternCompiler::joinStates(std::vector<std::vector<VarState>> ends) {
  vars = ends[0];
  for (size_t i = 1; i < ends.size(); ++i)
    for (size_t v = 0; v < vars.size(); ++v) {
      VarState &a = vars[v];
      const VarState &b = ends[i][v];
      bool both = a.presence == VarState::Bound && b.presence == VarState::Bound;
      bool none = a.presence == VarState::Unbound && b.presence == VarState::Unbound;
      if (none)
        continue;
      if (a.presence == VarState::Unbound)
        a = b;
      else if (b.presence != VarState::Unbound && a.attrPresence != b.attrPresence)
        a.attrPresence = VarState::Maybe;
      if (a.attr == kNoReg && b.attr != kNoReg && b.presence != VarState::Unbound)
        a.attr = b.attr;
      a.lazy = a.lazy || b.lazy; // where only one way has read it, reading it again does no harm
      if (!both) {
        a.presence = VarState::Maybe;
        a.flag = flags_[v];
      }
    }
}

void PatternCompiler::chain(const Step &s) {
  Reg links = Reg(s.out), end = Reg(s.out + 1);
  auto test = uint32_t(builder.unit.chainTests.size());
  builder.unit.chainTests.push_back({.kinds = builder.kindSet(s.ops)});
  auto ask = [&](const Steps &list, Slot slot, uint32_t ChainTest::*entry, Reg ChainTest::*where) {
    if (list.empty())
      return;
    builder.unit.chainTests[test].*where = Reg(slot);
    defer([=, this, &list] {
      setReason(0);
      builder.unit.chainTests[test].*entry = place();
      resetFlags();
      steps(list);
      emit(Opcode::Pass);
    });
  };
  ask(s.link, s.out + 3, &ChainTest::linkEntry, &ChainTest::link);
  ask(s.body, s.out + 2, &ChainTest::sideEntry, &ChainTest::side);
  setReason(0);
  emit(Opcode::ChainBegin, links, Reg(s.in), Reg(chainCount_++), int32_t(test));
  auto saved = saveFlags();
  auto retry = std::make_shared<Label>();
  if (s.least)
    jump(*retry);
  uint32_t on = place();
  emit(Opcode::ChainEnd, end, links);
  choose(s, *retry);
  std::optional<uint64_t> choices = choicesOf(s);
  defer([=, this] {
    setReason(0);
    bind(*retry);
    restoreFlags(saved);
    if (choices)
      blameAnew(*choices);
    emit(Opcode::ChainExtend, links);
    emit(Opcode::Jump, kNoReg, kNoReg, kNoReg, int32_t(on));
  });
}

void PatternCompiler::users(const Step &s) {
  Reg from = Reg(s.in);
  if (VarId var = plan_.slots[s.in].var) { // bound in several alternatives, it has a slot in each
    VarState &v = vars[var.raw];
    if (v.presence == VarState::Unbound) {
      setReason(0);
      emit(Opcode::Fail);
      return;
    }
    if (v.presence == VarState::Maybe) {
      reasonOf(s);
      emit(Opcode::FailUnless, v.flag);
    }
    from = v.reg;
  }
  setReason(0);
  Reg found = reg(), index = loadInt(-1);
  bool isOp = plan_.slots[s.in].kind == SlotKind::Op;
  emit(isOp ? Opcode::UsersOfOp : Opcode::UsersBegin, found, from, Reg(s.least));
  auto saved = saveFlags();
  auto end = std::make_shared<Label>(), retry = std::make_shared<Label>();
  uint32_t next = place();
  emitTo(*end, Opcode::Next, Reg(s.out), index, found, Elem::Op);
  choose(s, *retry);
  std::optional<uint64_t> choices = choicesOf(s);
  if (choices)
    blameAnew(*choices);
  reasonOf(s);
  emit(Opcode::InSet, Reg(s.out), kNoReg, kNoReg, int32_t(builder.kindSet(s.ops)));
  defer([=, this] {
    setReason(0);
    bind(*retry);
    restoreFlags(saved);
    emit(Opcode::Jump, kNoReg, kNoReg, kNoReg, int32_t(next));
    bind(*end);
    if (choices)
      blameAnew(*choices);
    emit(Opcode::Fail);
  });
}

// Single steps ----------------------------------------------------------------------------------------------------

void PatternCompiler::steps(const Steps &list) {
  for (const Step &s : list)
    step(s);
}

void PatternCompiler::reasonOf(const Step &s) { setReason(inTest_ ? 0 : builder.reason(describe_(s), s.line)); }

void PatternCompiler::step(const Step &s) {
  if (searches())
    blame(search_->blame(s));
  reasonOf(s);
  const Reg in = Reg(s.in), out = Reg(s.out);
  switch (s.kind) {
  case StepKind::Root:
    return;
  case StepKind::Def:
    return define(s);
  case StepKind::Kind:
    emit(Opcode::InSet, in, kNoReg, kNoReg, int32_t(builder.kindSet(s.ops)));
    return;
  case StepKind::Result:
    emit(Opcode::Result, out, in, kNoReg, int32_t(s.index));
    return;
  case StepKind::Count:
    if (s.most != UINT32_MAX || s.least > 0)
      emit(Opcode::Count, in, Reg(s.least), s.most == UINT32_MAX ? kNoReg : Reg(s.most));
    return;
  case StepKind::Operand: {
    bool may = defines_.contains(s.out);
    emit(s.fromEnd ? may ? Opcode::OperandAtEnd : Opcode::OperandAtEndThere
         : may     ? Opcode::Operand
                   : Opcode::OperandThere,
         out, in, kNoReg, int32_t(s.index));
    return;
  }
  case StepKind::OperandList:
    emit(Opcode::OperandList, out, in, Reg(s.index), int32_t(s.most));
    return;
  case StepKind::Absent:
    emit(Opcode::Absent, in, kNoReg, kNoReg, int32_t(s.index));
    return;
  case StepKind::Attr:
    return attrStep(s);
  case StepKind::AttrDefault:
  case StepKind::AttrAbsent: {
    bool byDefault = s.kind == StepKind::AttrDefault;
    if (s.indexes.empty())
      emit(byDefault ? Opcode::AttrDefault : Opcode::AttrAbsent, in, kNoReg, kNoReg, int32_t(s.index));
    else
      emit(byDefault ? Opcode::AttrDefaultAt : Opcode::AttrAbsentAt, in, attrIndex(s));
    return;
  }
  case StepKind::NoExtras:
    emit(Opcode::NoExtras, in);
    return;
  case StepKind::Region:
    if (s.indexes.empty())
      emit(Opcode::Region, out, in, kNoReg, int32_t(s.index));
    else
      emit(Opcode::RegionAt, out, in, attrIndex(s));
    return;
  case StepKind::ParamCount:
    if (s.most != UINT32_MAX || s.least > 0 || s.negated)
      emit(Opcode::ParamCount, in, Reg(s.least), s.most == UINT32_MAX ? kNoReg : Reg(s.most), s.negated);
    return;
  case StepKind::Param:
    emit(Opcode::Param, out, in, kNoReg, s.fromEnd ? -int32_t(s.index) : int32_t(s.index));
    return;
  case StepKind::ParamList:
    emit(Opcode::ParamList, out, in, Reg(s.index), int32_t(s.most));
    return;
  case StepKind::Terminator:
    emit(Opcode::Terminator, out, in);
    return;
  case StepKind::AttrEquals:
    return attrEquals(in, *s.expr);
  case StepKind::AttrOneOf:
    return attrOneOf(s);
  case StepKind::AttrList:
    return attrList(s);
  case StepKind::Bind:
  case StepKind::Same:
  case StepKind::BindOrSame:
    return bindStep(s);
  case StepKind::Single:
    emit(Opcode::OneUse, in);
    return;
  case StepKind::Type:
    return typeTests(*s.type, op1(Opcode::TypeOf, in));
  case StepKind::Const: {
    Reg constant = op1(Opcode::ConstantOf, in);
    emit(Opcode::FailIfNone, constant);
    return;
  }
  case StepKind::Element:
    emit(Opcode::ElementOf, out, in);
    return;
  case StepKind::Splat: {
    Reg repeated = value(*s.expr);
    emit(Opcode::IsSplat, in, repeated, kNoReg, 0, elemOf(s.expr->type));
    return;
  }
  case StepKind::Let: {
    Reg v = value(*s.expr);
    if (s.var)
      bindTo(s.var, v);
    else
      emit(Opcode::Move, out, v);
    return;
  }
  case StepKind::Test:
    return test(*s.expr);
  case StepKind::Is:
    return is(s);
  case StepKind::Each:
    return each(s);
  case StepKind::Commute:
    return commute(s);
  case StepKind::Alternatives:
    return alternatives(s);
  case StepKind::Users:
    return users(s);
  case StepKind::Chain:
    return chain(s);
  }
}

void PatternCompiler::define(const Step &s) {
  const Reg in = Reg(s.in), out = Reg(s.out);
  if (s.ops.ops.size() != 1 || s.ops.byTrait()) {
    emit(Opcode::DefinedBySet, out, in, Reg(s.index), int32_t(builder.kindSet(s.ops)));
    return;
  }
  const sema::Op &op = builder.module.op(s.ops.ops[0]);
  bool oneResult = op.results.size() == 1 && op.results[0].arity != sema::Arity::Variadic;
  if (Instr &last = builder.unit.code.back();
      oneResult && last.op == Opcode::Operand && last.a == in && last.d < 256 && !isPlace(here())) {
    // The value is asked for by nobody else in between: one instruction for both.
    last = {Opcode::OperandDefinedBy,
            Elem(last.d),
            last.a,
            last.b,
            out,
            int32_t(builder.opName(s.ops.ops[0])),
            last.onFail};
    builder.unit.reasonOf.back() = reason();
    return;
  }
  emit(oneResult ? Opcode::DefinedBy : Opcode::DefinedByResult, out, in, Reg(s.index),
       int32_t(builder.opName(s.ops.ops[0])));
}

// Attributes ------------------------------------------------------------------------------------------------------

/// Where the op declares the attribute, if ops of the set declare it at different places.
Reg PatternCompiler::attrIndex(const Step &s) {
  AttrPlace place;
  for (size_t i = 0; i < s.indexes.size() && i < s.opSet.ops.size(); ++i)
    if (s.indexes[i] >= 0)
      place.indexes.push_back({builder.opName(s.opSet.ops[i]), s.indexes[i]});
  Reg index = reg();
  emit(Opcode::AttrIndex, index, Reg(s.in), kNoReg, int32_t(builder.unit.attrPlaces.size()));
  builder.unit.attrPlaces.push_back(std::move(place));
  return index;
}

/// Whether the attribute may be left out and still have a value.
bool PatternCompiler::hasDefault(const Step &s) const {
  return s.opSet.byTrait() || std::ranges::any_of(s.opSet.ops, [&](sema::OpIndex op) {
           return std::ranges::any_of(builder.module.op(op).attrs,
                                      [&](auto &a) { return a.name == s.name && a.defaultValue.has_value(); });
         });
}

void PatternCompiler::attrStep(const Step &s) {
  bool byDefault = s.standIn || hasDefault(s);
  if (s.indexes.empty())
    emit(byDefault ? Opcode::AttrOrDefault : Opcode::Attr, Reg(s.out), Reg(s.in), kNoReg, int32_t(s.index));
  else
    emit(byDefault ? Opcode::AttrOrDefaultAt : Opcode::AttrAt, Reg(s.out), Reg(s.in), attrIndex(s));
}

void PatternCompiler::requireIdentical(Reg a, Reg b, sema::Type type) {
  if (type.isList()) {
    sema::Type element = type.element();
    emit(Opcode::IdenticalList, kNoReg, a, b, int32_t(elemOf(element.kind)), elemOf(element));
  } else {
    emit(Opcode::Identical, kNoReg, a, b, 0, elemOf(type));
  }
}

void PatternCompiler::attrEquals(Reg attr, const Expr &e) {
  Step literal;
  literal.kind = StepKind::AttrEquals;
  literal.expr = e;
  if (plan::equalsLiteral(literal)) {
    if (std::optional<int64_t> n = plan::literalInt(literal))
      emit(Opcode::AttrIsInt, attr, kNoReg, kNoReg, builder.number(*n));
    else if (e.kind == ExprKind::String)
      emit(Opcode::AttrIsString, attr, kNoReg, kNoReg, builder.string(e.text));
    else if (e.kind == ExprKind::Bool)
      emit(Opcode::AttrIsBool, attr, kNoReg, kNoReg, int32_t(e.i));
    else
      emit(Opcode::AttrIsDType, attr, kNoReg, kNoReg, int32_t(dtypeFromName(e.text).value_or(DType::Unknown)));
    return;
  }
  // The element of a constant is compared as it is, not as the attribute it would become.
  bool element = e.kind == ExprKind::Convert && e.type.is(TypeKind::Float);
  if (!e.type.isList() && !e.type.is(TypeKind::Dim) && !element) {
    Reg want = attribute(e, e.type.is(TypeKind::Attr) ? sema::AttrType::Any : sema::AttrType::Int);
    emit(Opcode::SameId, attr, want);
    return;
  }
  Reg have = reg();
  view(have, attr, e.type);
  Reg want = value(e);
  requireIdentical(have, want, e.type);
}

void PatternCompiler::attrOneOf(const Step &s) {
  Label found;
  for (const Expr &choice : s.choices) {
    Label next;
    bool last = &choice == &s.choices.back();
    conditionally([&] { withHandler(last ? handler() : &next, [&] { attrEquals(Reg(s.in), choice); }); });
    if (!last)
      jump(found);
    bind(next);
  }
  bind(found);
}

void PatternCompiler::attrList(const Step &s) {
  const sema::Type &element = s.element;
  Reg list = reg();
  view(list, Reg(s.in), element.listOf());
  emit(s.hasRest ? Opcode::SizeAtLeast : Opcode::SizeIs, list, kNoReg, kNoReg, int32_t(s.elements.size()));
  for (size_t i = 0; i < s.elements.size(); ++i) {
    const plan::ListElement &x = s.elements[i];
    if (!x.var && !x.value)
      continue;
    Reg here = reg();
    bool fromEnd = s.hasRest && i >= s.restAt;
    emit(Opcode::ElementAt, here, list, kNoReg, fromEnd ? int32_t(i) - int32_t(s.elements.size()) : int32_t(i),
         elemOf(element));
    if (x.var)
      sameAs(x.var.var, here, element);
    else
      requireIdentical(here, value(*x.value), element);
  }
  if (!s.hasRest || !s.rest)
    return;
  Reg rest = reg();
  emit(Opcode::Middle, rest, list, kNoReg, int32_t(s.restAt << 16 | (s.elements.size() - s.restAt)), elemOf(element));
  sameAs(s.rest.var, rest, element.listOf());
}

// Variables -------------------------------------------------------------------------------------------------------

void PatternCompiler::bindTo(VarId id, Reg r, Reg attr, bool lazy) {
  uint32_t v = id.raw;
  VarState state{.presence = VarState::Bound,
                 .reg = r,
                 .attr = attr,
                 .attrPresence = attr == kNoReg ? VarState::Unbound : VarState::Bound};
  state.lazy = lazy;
  if (slotOf_[v] == r && slotOf_[v] != plan::kNoSlot) { // wherever it is bound, it is the same slot
    if (dynamic_[v])
      loadInt(flags_[v], 1);
  } else if (dynamic_[v] || sites_[v] > 1) { // other places bind it too: all to one register
    if (lazy)
      view(r, attr, body.var(id).type);
    state.lazy = false;
    if (homes_[v] == kNoReg)
      homes_[v] = reg();
    if (attrHomes_[v] == kNoReg)
      attrHomes_[v] = reg();
    emit(Opcode::Move, homes_[v], r);
    if (attr == kNoReg)
      emit(Opcode::LoadNone, attrHomes_[v]);
    else
      emit(Opcode::Move, attrHomes_[v], attr);
    if (dynamic_[v])
      loadInt(flags_[v], 1);
    state.reg = homes_[v];
    state.attr = attrHomes_[v];
  }
  vars[v] = state;
}

/// Binds the variable or, where it is bound, compares with it.
void PatternCompiler::sameAs(VarId id, Reg here, sema::Type type) {
  VarState v = vars[id.raw];
  if (v.presence == VarState::Unbound) {
    compareShared(id, here, false);
    return bindTo(id, here);
  }
  if (v.presence == VarState::Bound)
    return requireIdentical(here, variable(id), type);
  Label unbound, end;
  Reg there = isBound(v);
  jump(Opcode::JumpUnless, there, unbound);
  requireIdentical(here, v.reg, type);
  jump(end);
  bind(unbound);
  compareShared(id, here, false);
  bindTo(id, here);
  bind(end);
  vars[id.raw].attrPresence = v.attr == kNoReg ? VarState::Unbound : VarState::Maybe;
  vars[id.raw].attr = v.attr != kNoReg ? v.attr : attrHomes_[id.raw];
}

void PatternCompiler::bindStep(const Step &s) {
  const VarState v = vars[s.var.raw];
  auto bindHere = [&] {
    compareShared(s.var, Reg(s.in), plan_.slots[s.in].kind == SlotKind::Attr);
    bindSlot(s.var, s.in);
  };
  if (v.presence == VarState::Unbound)
    return bindHere();
  if (v.presence == VarState::Bound)
    return same(s);
  // nothing is the same as an operand that is left out
  if (s.kind == StepKind::Same && body.var(s.var).isOptionalOperand()) {
    emit(Opcode::FailUnless, isBound(v));
    return same(s);
  }
  Label unbound, end;
  Reg there = isBound(v);
  jump(Opcode::JumpUnless, there, unbound);
  vars[s.var.raw].presence = VarState::Bound;
  same(s);
  jump(end);
  bind(unbound);
  bindHere();
  bind(end);
  VarState &after = vars[s.var.raw];
  if (after.attrPresence != v.attrPresence)
    after.attrPresence = VarState::Maybe;
}

void PatternCompiler::bindSlot(VarId var, Slot slot) {
  sema::Type type = body.var(var).type;
  Reg r = Reg(slot);
  if (plan_.slots[slot].kind != SlotKind::Attr)
    return bindTo(var, r);
  if (type.is(TypeKind::Attr))
    return bindTo(var, r, r);
  if (type.is(TypeKind::Tensor)) {
    Reg tensor = op1(Opcode::TensorAttr, r);
    return bindTo(var, tensor, r);
  }
  Reg read = reg();
  bool lazy = isOfDeclaredType(slot, type);
  if (!lazy && (type.is(TypeKind::Float) || type.is(TypeKind::String))) // of any kind, of which one is asked for
    emit(Opcode::View, read, r, kNoReg, int32_t(type.is(TypeKind::Float) ? View::FloatAlone : View::StringAlone));
  else if (!lazy)
    view(read, r, type);
  bindTo(var, read, r, lazy);
}

/// Whether all ops that the attribute may be of declare it with that type: the verifier has seen to it.
bool PatternCompiler::isOfDeclaredType(Slot attr, const sema::Type &type) const {
  std::function<const Step *(const Steps &)> find = [&](const Steps &list) -> const Step * {
    for (const Step &step : list) {
      if (step.kind == StepKind::Attr && step.out == attr)
        return &step;
      for (const Steps &alternative : step.alternatives)
        if (const Step *found = find(alternative))
          return found;
    }
    return nullptr;
  };
  const Step *step = find(plan_.steps);
  if (!step || step->opSet.byTrait() || step->opSet.ops.empty())
    return false;
  return std::ranges::all_of(step->opSet.ops, [&](sema::OpIndex op) {
    return std::ranges::any_of(builder.module.op(op).attrs,
                               [&](auto &a) { return a.name == step->name && sema::typeOf(a.type) == type; });
  });
}

/// The slot is what the bound variable holds.
void PatternCompiler::same(const Step &s) {
  const VarState v = vars[s.var.raw];
  sema::Type type = body.var(s.var).type;
  const Reg here = Reg(s.in);
  if (plan_.slots[s.in].kind != SlotKind::Attr) {
    if (type.isList()) { // operands of any number
      requireIdentical(here, v.reg, type);
    } else if (type.is(TypeKind::Op)) {
      Reg result = op1(Opcode::FirstResult, v.reg);
      emit(Opcode::SameId, here, result);
    } else {
      emit(Opcode::SameId, here, v.reg);
    }
    return;
  }
  Label values, end;
  if (v.attrPresence == VarState::Bound) {
    emit(Opcode::SameId, here, v.attr);
    return;
  }
  if (v.attrPresence == VarState::Maybe) {
    Reg there = op1(Opcode::IsThere, v.attr);
    jump(Opcode::JumpUnless, there, values);
    emit(Opcode::SameId, here, v.attr);
    jump(end);
  }
  bind(values);
  conditionally([&] {
    Reg have = reg();
    view(have, here, type);
    requireIdentical(have, variable(s.var), type);
  });
  bind(end);
}

// Types -----------------------------------------------------------------------------------------------------------

void PatternCompiler::typeTests(const sema::TypeMatch &t, Reg type) {
  if (!t.elements.empty()) {
    Reg elements = op1(Opcode::TupleElements, type);
    emit(Opcode::SizeIs, elements, kNoReg, kNoReg, int32_t(t.elements.size()));
    for (size_t i = 0; i < t.elements.size(); ++i) {
      Reg element = reg();
      emit(Opcode::ElementAt, element, elements, kNoReg, int32_t(i), Elem::Type);
      typeTests(t.elements[i], element);
    }
    return;
  }
  if (t.singleElement) {
    Reg single = op1(Opcode::SingleElement, type);
    emit(Opcode::FailUnless, single);
    if (single_ != kNoReg)
      loadInt(single_, 1);
  }
  if (t.dtypeClass != sema::DTypeClass::Any) {
    Reg dtype = op1(Opcode::DTypeOf, type);
    Reg holds = t.dtypeClass == sema::DTypeClass::Exactly ? op2(Opcode::EqInt, dtype, value(*t.dtype))
                : t.dtypeClass == sema::DTypeClass::Float ? op1(Opcode::IsFloat, dtype)
                                                          : op1(Opcode::IsInteger, dtype);
    emit(Opcode::FailUnless, holds);
  }
  if (t.dims)
    dims(type, *t.dims);
  if (t.equals) {
    Reg want = value(*t.equals);
    Reg same = op2(Opcode::EqType, type, want);
    emit(Opcode::FailUnless, same);
  }
}

void PatternCompiler::dims(Reg type, const std::vector<sema::DimMatch> &dims) {
  Reg shape = op1(Opcode::ShapeOf, type);
  auto rest = std::ranges::find_if(dims, [](auto &d) { return d.rest; });
  size_t restAt = size_t(rest - dims.begin());
  bool hasRest = rest != dims.end();
  emit(hasRest ? Opcode::SizeAtLeast : Opcode::SizeIs, shape, kNoReg, kNoReg, int32_t(dims.size() - hasRest));
  for (size_t i = 0; i < dims.size(); ++i) {
    const sema::DimMatch &d = dims[i];
    if (!d.var && !d.value)
      continue;
    Reg here = reg();
    if (d.rest)
      emit(Opcode::Middle, here, shape, kNoReg, int32_t(i << 16 | (dims.size() - 1 - i)), Elem::Dim);
    else
      emit(Opcode::ElementAt, here, shape, kNoReg,
           !hasRest || i < restAt ? int32_t(i) : int32_t(i) - int32_t(dims.size()), Elem::Dim);
    sema::Type is = d.rest ? sema::Type::list(TypeKind::Dim) : sema::Type(TypeKind::Dim);
    if (d.var)
      sameAs(d.var.var, here, is);
    else
      requireIdentical(here, value(*d.value), is);
  }
}

// Tests that look further -----------------------------------------------------------------------------------------

/// Whether a value fits steps over its slot.
Reg PatternCompiler::fits(const Steps &list, Slot slot, Reg v) {
  emit(Opcode::Move, Reg(slot), v);
  Reg out = reg();
  auto entry = std::make_shared<Label>();
  emitTo(*entry, Opcode::TestCall, out);
  defer([=, this, &list] {
    setReason(0);
    bind(*entry);
    resetFlags();
    steps(list);
    emit(Opcode::Pass);
  });
  return out;
}

void PatternCompiler::is(const Step &s) {
  Reg v = value(*s.expr);
  Reg fit = fits(s.body, s.out, v);
  reasonOf(s);
  emit(s.negated ? Opcode::FailIf : Opcode::FailUnless, fit);
}

/// `is` inside a larger condition. The plan holds its steps under the test it stands in.
Reg PatternCompiler::isExpr(const Expr &e) {
  for (const plan::NestedTest &nested : plan_.tests)
    if (nested.test == e.test())
      return fits(nested.steps, nested.value, value(e.args[0]));
  return loadInt(0);
}

// What attributes alone decide ------------------------------------------------------------------------------------

/// The one or two attributes that the expression depends on; none if it depends on anything else or costs little.
PatternCompiler::RecalledFrom PatternCompiler::recalledFrom(const Expr &e) const {
  if (inTest_ || plan::looksAround(e) || !plan::isWork(e))
    return {};
  std::vector<bool> used(body.vars.size());
  plan::collectVars(e, used);
  RecalledFrom from;
  for (uint32_t i = 0; i < used.size(); ++i) {
    const VarState &v = vars[i];
    if (!used[i] || v.presence == VarState::Unbound) // bound inside the expression
      continue;
    if (v.attrPresence != VarState::Bound || v.presence == VarState::Maybe)
      return {};
    from.attrs.push_back(v.attr);
    from.ofHead &= headAttrs_.contains(sema::VarId(i));
  }
  if (from.attrs.size() > 2)
    return {};
  return from;
}

void PatternCompiler::test(const Expr &e) {
  const auto [from, ofHead] = recalledFrom(e);
  if (from.empty())
    return require(e);
  Reg a = from[0], b = from.size() > 1 ? from[1] : kNoReg, answer = reg();
  Label end, failed;
  uint32_t asked = place();
  emitTo(end, Opcode::Recall, ofHead ? kRulesOut : kNoReg, a, b);
  conditionally([&] { withHandler(&failed, [&] { require(e); }); });
  loadInt(answer, 1);
  emit(Opcode::Remember, answer, a, b, int32_t(asked));
  jump(end);
  bind(failed);
  loadInt(answer, 0);
  emit(Opcode::Remember, answer, a, b, int32_t(asked));
  emit(Opcode::Fail);
  bind(end);
}

/// The attribute that an expression makes.
Reg PatternCompiler::attrOf(const Expr &e, sema::AttrType type) {
  const std::vector<Reg> from = recalledFrom(e).attrs;
  Because because(*this, e);
  if (from.empty())
    return attribute(e, type);
  Reg a = from[0], b = from.size() > 1 ? from[1] : kNoReg, out = reg();
  Label end, failed;
  uint32_t asked = place();
  emitTo(end, Opcode::RecallAttr, out, a, b);
  conditionally([&] {
    withHandler(&failed, [&] {
      Reg made = attribute(e, type);
      emit(Opcode::Move, out, made);
      emit(Opcode::FailIfNone, out);
    });
  });
  emit(Opcode::RememberAttr, out, a, b, int32_t(asked));
  jump(end);
  bind(failed);
  emit(Opcode::LoadNone, out);
  emit(Opcode::RememberAttr, out, a, b, int32_t(asked));
  emit(Opcode::Fail);
  bind(end);
  return out;
}

} // namespace rw::interpret
