// What right sides do; members of Machine.
#include "codegen/machine/scratch.h"

namespace rw::interpret {

InlineList<Value> Machine::values(Reg r) const {
  InlineList<Value> out;
  for (ValueId id : list<ValueId>(r))
    out.push_back({&fn_, id});
  return out;
}

InlineList<Value> Machine::values(const std::vector<Reg> &regs) const {
  InlineList<Value> out;
  for (Reg r : regs)
    out.push_back(value(r));
  return out;
}

bool Machine::canReplaceByList(const Instr &s) { return canReplaceAll(*rw_, op(s.a), values(s.b), s.d != 0); }
bool Machine::listReachesUses(const Instr &s) { return reachesUses(op(s.a), values(s.b)); }
bool Machine::replaceByList(const Instr &s) { return replaceAll(*rw_, op(s.a), values(s.b)); }

bool Machine::place(const Placement &placement) {
  InlineList<Op> roots, replaced;
  for (Reg r : placement.roots)
    roots.push_back(op(r));
  for (Reg r : placement.replaced)
    replaced.push_back(op(r));
  return placeBefore(*rw_, roots, replaced);
}

const OpSchema &Machine::schemaOf(const BuildCode &build) {
  if (build.schemas.size() == 1)
    return *bound_.schemas[build.schemas[0]];
  InlineList<const OpSchema *> versions;
  for (uint32_t op : build.schemas)
    versions.push_back(bound_.schemas[op]);
  return ofVersion(ctx(), std::span<const OpSchema *const>(versions.data(), versions.size()));
}

AttrsId Machine::attrsOf(const BuildCode &build) {
  if (build.attrs.size() == 1 && build.attrs[0] != kNoReg)
    return ctx().attrs(attr(build.attrs[0]));
  InlineList<AttrId> attrs;
  for (Reg r : build.attrs)
    attrs.push_back(r == kNoReg ? AttrId() : attr(r));
  return ctx().attrs(attrs);
}

std::vector<NamedSetting> Machine::namedOf(const BuildCode &build) const {
  std::vector<NamedSetting> out;
  for (auto [name, r] : build.named)
    out.push_back({unit().strings[name], attr(r)});
  return out;
}

bool Machine::buildNamedOp(const Instr &s, const BuildCode &build) {
  InlineList<Value> operands = build.operandList != kNoReg ? values(build.operandList) : values(build.operands);
  InlineList<TypeId> types;
  for (Reg r : build.types)
    types.push_back(type(r));
  created_ = true;
  Op made = build.model == kNoReg
                ? buildNamed(*rw_, schemaOf(build), operands, namedOf(build), build.open, types, build.takes)
                : againNamed(*rw_, op(build.model), operands, namedOf(build), types, build.takes);
  set(s.a, made);
  return bool(made);
}

bool Machine::buildOp(const Instr &s) {
  if (const Bound::Build &simple = bound_.builds[size_t(s.d)]; simple.isPlain) [[likely]] {
    ValueId operands[std::size(simple.operands)];
    for (unsigned i = 0; i < simple.operandCount; ++i)
      operands[i] = ValueId(r_[simple.operands[i]].id);
    created_ = true;
    set(s.a, rw_->create(*simple.schema, {operands, simple.operandCount}, attrsOf(simple)));
    return true;
  }
  const BuildCode &build = unit().builds[size_t(s.d)];
  if (build.byName)
    return buildNamedOp(s, build);
  const OpSchema &schema = schemaOf(build);
  AttrsId attrs = attrsOf(build);
  created_ = true;
  if (build.plain) {
    InlineList<ValueId> operands;
    for (Reg r : build.operands)
      operands.push_back(ValueId(r_[r].id));
    set(s.a, rw_->create(schema, operands, attrs));
    return true;
  }
  InlineList<Value> operands = build.operandList != kNoReg ? values(build.operandList) : values(build.operands);
  if (build.takes) {
    InlineList<TypeId> types;
    for (Reg r : build.types)
      types.push_back(type(r));
    Op made = takeRegions(*rw_, schema, operands, attrs, build.open, types);
    set(s.a, made);
    return bool(made);
  }
  if (build.open) {
    Op made = buildOpen(*rw_, schema, operands, attrs);
    set(s.a, made);
    return bool(made);
  }
  InlineList<TypeId> types;
  for (Reg r : build.types)
    types.push_back(type(r));
  set(s.a, rw::build(*rw_, schema, operands, attrs, types));
  return true;
}

bool Machine::replaceByNew(const Instr &s) {
  if (const Bound::Build &simple = bound_.builds[size_t(s.d)]; simple.schema) [[likely]] {
    ValueId operands[std::size(simple.operands)];
    for (unsigned i = 0; i < simple.operandCount; ++i)
      operands[i] = ValueId(r_[simple.operands[i]].id);
    return rw_->replaceOpWithNew(op(s.a), *simple.schema, {operands, simple.operandCount}, attrsOf(simple),
                                 simple.sameType);
  }
  const BuildCode &build = unit().builds[size_t(s.d)];
  InlineList<ValueId> operands;
  for (Reg r : build.operands)
    operands.push_back(ValueId(r_[r].id));
  return rw_->replaceOpWithNew(op(s.a), schemaOf(build), operands, attrsOf(build), build.sameType);
}

bool Machine::listFits(const Instr &s) { return takesOperands(op(s.a), values(s.b)); }

bool Machine::buildLike(const Instr &s) {
  const BuildCode &build = unit().builds[size_t(s.d)];
  if (build.byName)
    return buildNamedOp(s, build);
  Op model = op(build.model);
  InlineList<Value> operands = build.operandList != kNoReg ? values(build.operandList) : values(build.operands);
  created_ = true;
  if (build.settings.empty() && build.types.empty() && !build.takes) {
    set(s.a, again(*rw_, model, operands));
    return true;
  }
  AttrsId attrs = model.attrsId();
  for (auto [index, setting] : build.settings)
    attrs = ctx().withAttr(attrs, index, attr(setting));
  InlineList<TypeId> types;
  for (Reg r : build.types)
    types.push_back(type(r));
  set(s.a, build.takes ? takeRegionsAs(*rw_, model, operands, attrs, types)
                       : againWith(*rw_, model, operands, attrs, types));
  return true;
}

void Machine::openRegions(const Instr &s) {
  created_ = true;
  if (s.a == kNoReg)
    rw_->openRegions(schemaOf(unit().builds[size_t(s.d)]));
  else
    rw_->openRegionsOf(op(s.a));
}

void Machine::newParams(const Instr &s) {
  InlineList<ValueId> params;
  for (TypeId type : list<TypeId>(s.b))
    params.push_back(rw_->addParam(type).id);
  setList<ValueId>(r_[s.a], params);
}

bool Machine::takeAllInside(const Instr &s) {
  InlineList<Value> all = values(s.b);
  if (!rw_->takeInside(all))
    return false;
  InlineList<ValueId> ids;
  for (Value v : all)
    ids.push_back(v.id);
  setList<ValueId>(r_[s.a], ids);
  return true;
}

void Machine::closeRegion(const Instr &s) { rw_->closeRegion(values(s.b)); }

bool Machine::replay(const Instr &s) {
  const ReplayCode &replay = unit().replays[size_t(s.d)];
  const Chain &chain = *scratch_.chains[chains_ + size_t(r_[s.b].i)];
  created_ = true;
  Value out;
  if (!replay.entry) {
    out = rw::replay(*rw_, chain, value(s.c));
  } else {
    out = rw::replay(*rw_, chain, value(s.c), [this, &replay](Value side) {
      set(replay.side, side);
      return nested(replay.entry, Reporting::None) ? value(replay.result) : Value();
    });
  }
  set(s.a, out);
  return bool(out);
}

} // namespace rw::interpret
