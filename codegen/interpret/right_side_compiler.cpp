// Right sides: everything is computed and built first, then all that is to be replaced is checked, then edited. Members
// of PatternCompiler.
#include "codegen/interpret/pattern_compiler.h"

#include "codegen/plan/failures.h"

#include <algorithm>

namespace rw::interpret {

using sema::ActionKind;
using sema::Arity;
using sema::Build;
using sema::BuildKind;
using sema::Expr;
using sema::ExprKind;
using sema::TypeKind;

using Commits = std::vector<std::function<void(bool last)>>;

/// From here on failing means `why`.
void PatternCompiler::because(SourceRange range, std::string why) {
  ofWhole_ = why.empty();
  bool here = range && builder.sources.fileOf(range.begin) == plan_.file; // else of a named rewrite of another file
  setReason(builder.reason(why.empty() ? "the right side can be evaluated" : std::move(why),
                           here ? builder.line(range) : plan_.line));
}

uint32_t PatternCompiler::failure(const Expr &e) {
  std::string why = plan::computed(e, builder.module, body);
  if (why.empty())
    return 0;
  bool here = e.range && builder.sources.fileOf(e.range.begin) == plan_.file;
  return builder.reason(std::move(why), here ? builder.line(e.range) : plan_.line);
}

/// Whether ops beside the root are replaced, so that it must be seen where new ops can go.
bool PatternCompiler::changesOthers() const {
  return pattern_.roots.size() > 1 || std::ranges::any_of(pattern_.actions, [&](const sema::Action &a) {
           return a.kind == ActionKind::Replace && a.op && vars[a.op.raw].reg != 0;
         });
}

/// New ops go above everything that uses what they replace.
void PatternCompiler::placeResults() {
  Placement placement;
  std::vector<Reg> changed;
  for (plan::Slot s = 0; s < plan_.slots.size(); ++s)
    if (std::ranges::find(rootSlots_, s) != rootSlots_.end())
      placement.roots.push_back(Reg(s));
  for (const sema::Action &action : pattern_.actions) {
    if (!action.changes())
      continue;
    Reg op = target(action);
    if (action.kind == ActionKind::Replace)
      placement.replaced.push_back(op);
    for (Reg other : changed) {
      if (other == op)
        continue;
      because(action.range, "the ops that change are not one op");
      emit(Opcode::Different, other, op);
    }
    if (std::ranges::find(changed, op) == changed.end())
      changed.push_back(op);
  }
  because(pattern_.nameRange, "there is a place for new ops");
  emit(Opcode::PlaceBefore, kNoReg, kNoReg, kNoReg, int32_t(builder.unit.placements.size()));
  builder.unit.placements.push_back(std::move(placement));
}

Reg PatternCompiler::target(const sema::Action &action) { return action.op ? variable(action.op) : Reg(0); }

/// Whether it is asked, before anything changes, that values are there where they are used: the match may have named
/// some inside regions.
bool PatternCompiler::asksPlaces() const { return plan_.looksInRegions || changesOthers(); }

void PatternCompiler::rewrite() {
  Commits commits;
  because({});
  if (changesOthers())
    placeResults();
  for (const sema::Action &action : pattern_.actions) {
    because(action.range);
    switch (action.kind) {
    case ActionKind::Let: {
      if (action.vars.size() == action.values.size()) {
        for (size_t i = 0; i < action.vars.size(); ++i)
          ExpressionCompiler::bindTo(action.vars[i], value(action.values[i]));
        break;
      }
      Reg op = value(action.values[0]);
      for (size_t i = 0; i < action.vars.size(); ++i) {
        Reg result = reg();
        emit(Opcode::ResultAny, result, op, kNoReg, int32_t(i));
        ExpressionCompiler::bindTo(action.vars[i], result);
      }
      break;
    }
    case ActionKind::Where:
      because(action.range, sema::toString(action.values[0], builder.module, body));
      require(action.values[0]);
      break;
    case ActionKind::Replace:
      replace(action, commits);
      break;
    case ActionKind::Update:
      update(action, commits);
      break;
    case ActionKind::Erase:
      erase(action, commits);
      break;
    }
  }
  if (asksPlaces()) {
    because(pattern_.nameRange,
            changesOthers() ? "new ops stand below what they need" : "new ops stand where what they need is there");
    emit(Opcode::InOrder);
  }
  setReason(0);
  ofWhole_ = false;
  for (size_t i = 0; i < commits.size(); ++i)
    commits[i](i + 1 == commits.size());
  if (commits.empty())
    emit(Opcode::Fail);
}

/// The right side if it is a new op with one result whose operands stand one by one and whose type is inferred.
const Build *PatternCompiler::newOpOf(const Expr &e) const {
  if (e.kind != ExprKind::Build)
    return nullptr;
  const Build &b = body.builds[e.build().raw];
  if (b.kind != BuildKind::Op || b.resultCount != 1 || !isPlain(b) || !b.regions.empty() || rebuilds_ > 0)
    return nullptr;
  const sema::Op &op = builder.module.op(b.op);
  return op.results.size() == 1 && op.results[0].arity == Arity::Single ? &b : nullptr;
}

void PatternCompiler::replace(const sema::Action &action, Commits &commits) {
  Reg op = target(action);
  const sema::Op *root = plan_.roots.ops.size() == 1 ? &builder.module.op(plan_.roots.ops[0]) : nullptr;
  bool oneResult = !action.op && root && root->results.size() == 1 && root->results[0].arity == Arity::Single;
  bool isOp = action.values.size() == 1 && action.values[0].type.is(TypeKind::Op);
  bool others = asksPlaces();
  if (action.values.size() == 1 && oneResult && !isOp && !action.values[0].type.isList()) {
    if (const Build *b = newOpOf(action.values[0]);
        b && commits.empty() && &action == &pattern_.actions.back() && !others) {
      BuildCode build = creation(*b);
      build.sameType = action.sameType;
      commits.push_back([this, op, build](bool) { emit(Opcode::ReplaceByNew, op, kNoReg, kNoReg, add(build)); });
      return;
    }
    Reg by = value(action.values[0]);
    because(action.range, "the types go together");
    emit(Opcode::CanReplace, op, by, kNoReg, action.sameType);
    if (others)
      emit(Opcode::ReachesUses, op, by);
    commits.push_back([this, op, by](bool last) { emit(Opcode::Replace, op, by, kNoReg, last); });
    return;
  }
  Reg list = kNoReg;
  if (isOp) {
    Reg by = value(action.values[0]);
    list = op1(Opcode::ResultsOf, by);
  } else {
    BuildCode collected;
    operandsOf(action.values, {}, collected);
    list = listOf(collected);
  }
  because(action.range, "there are as many results, and the types go together");
  emit(Opcode::CanReplaceAll, op, list, kNoReg, action.sameType);
  if (others)
    emit(Opcode::ListReachesUses, op, list);
  commits.push_back([this, op, list](bool last) { emit(Opcode::ReplaceAll, op, list, kNoReg, last); });
}

std::vector<std::pair<uint32_t, Reg>> PatternCompiler::settings(const std::vector<sema::BuildAttr> &attrs) {
  std::vector<std::pair<uint32_t, Reg>> out;
  for (const sema::BuildAttr &a : attrs)
    out.push_back({a.index, attribute(a.value, sema::AttrType::Any)});
  return out;
}

void PatternCompiler::update(const sema::Action &action, Commits &commits) {
  Reg op = target(action), updated = reg();
  BuildCode build;
  build.settings = settings(action.attrs);
  if (sema::attrsMove(body.var(action.op).ops, action.attrs, builder.module)) {
    for (size_t i = 0; i < action.attrs.size(); ++i)
      build.named.push_back({uint32_t(builder.string(action.attrs[i].name)), build.settings[i].second});
    build.settings.clear();
  }
  emit(Opcode::WithAttrs, updated, op, kNoReg, add(std::move(build)));
  because(action.range, "the attributes change, and the types do not");
  emit(Opcode::CanUpdate, op, updated, kNoReg, action.sameType);
  commits.push_back([this, op, updated](bool last) { emit(Opcode::Update, op, updated, kNoReg, last); });
}

void PatternCompiler::erase(const sema::Action &action, Commits &commits) {
  Reg op = target(action);
  because(action.range, "the op is unused");
  emit(Opcode::Unused, op);
  commits.push_back([this, op](bool last) { emit(Opcode::Erase, op, kNoReg, kNoReg, last); });
}

// Building --------------------------------------------------------------------------------------------------------

int32_t PatternCompiler::add(BuildCode build) {
  builder.unit.builds.push_back(std::move(build));
  return int32_t(builder.unit.builds.size() - 1);
}

Reg PatternCompiler::build(const Expr &e) {
  const Build &b = body.builds[e.build().raw];
  auto result = [&](Reg op) {
    if (e.type.is(TypeKind::Op))
      return op;
    Reg out = op1(e.type.isList() ? Opcode::ResultsOf : Opcode::FirstResult, op);
    if (!e.type.isList() && b.like && body.var(b.like).ops.byTrait()) // which may have no results
      emit(Opcode::FailIfNone, out);
    return out;
  };
  switch (b.kind) {
  case BuildKind::Op:
    return result(buildOp(b));
  case BuildKind::Like: {
    const VarState like = vars[b.like.raw];
    if (like.presence == VarState::Bound)
      return result(buildLike(b));
    bool optional = body.var(b.like).optional; // where the op is absent, the result is what it stands around
    if (like.presence == VarState::Unbound)
      return optional ? value(b.operands[0]) : unsupported();
    Label absent, end;
    Reg out = reg(), there = isBound(like);
    jump(Opcode::JumpUnless, there, absent);
    conditionally([&] {
      vars[b.like.raw].presence = VarState::Bound;
      Reg made = result(buildLike(b));
      emit(Opcode::Move, out, made);
    });
    jump(end);
    bind(absent);
    conditionally([&] {
      if (!optional) {
        emit(Opcode::Fail);
        return;
      }
      Reg operand = value(b.operands[0]);
      emit(Opcode::Move, out, operand);
    });
    bind(end);
    return out;
  }
  case BuildKind::Chain:
    return vars[b.like.raw].presence == VarState::Unbound ? unsupported() : buildChain(b);
  case BuildKind::Native:
    break; // files with natives are refused
  }
  return unsupported();
}

/// A tensor as the value of a new constant op.
Reg PatternCompiler::constantOp(const Expr &e) {
  Reg tensor = value(e.args[0]), out = reg();
  std::string dialect = e.text;
  for (const Build &b : body.builds) // a test has no root whose dialect it could be
    if (inTest_ && dialect.empty() && b.kind == BuildKind::Op)
      dialect = builder.module.op(b.op).dialect;
  because(e.range);
  emit(Opcode::Materialize, out, tensor, kNoReg, builder.string(dialect));
  return out;
}

/// Operands as registers or, where some are lists, as one list. What is absent stays so where the op built allows that.
void PatternCompiler::operandsOf(const std::vector<Expr> &operands, std::span<const sema::OpIndex> of, BuildCode &out) {
  auto arity = [&](sema::OpIndex id, size_t i) {
    const std::vector<sema::Operand> &declared = builder.module.op(id).operands;
    return i < declared.size() ? declared[i].arity : Arity::Variadic;
  };
  auto some = [&](size_t i, Arity wanted) {
    return std::ranges::any_of(of, [&](sema::OpIndex id) { return arity(id, i) == wanted; });
  };
  std::vector<Reg> regs;
  bool lists = false;
  for (const Expr &o : operands) {
    bool optional =
        some(regs.size(), Arity::Optional) && !some(regs.size(), Arity::Variadic) && plan::mayBeAbsent(o, body);
    // Where only some of the ops may do without an operand, it is seen which one it is.
    lists |= o.type.isList() || (optional && some(regs.size(), Arity::Single));
    regs.push_back(reached(o, optional ? orAbsent(o) : value(o)));
  }
  if (!lists) {
    out.operands = std::move(regs);
    return;
  }
  if (operands.size() == 1 && operands[0].type.isList()) {
    out.operandList = regs[0];
    return;
  }
  out.operandList = reg();
  emit(Opcode::NewList, out.operandList);
  for (size_t i = 0; i < regs.size(); ++i)
    emit(operands[i].type.isList() ? Opcode::PushList : Opcode::Push, out.operandList, regs[i], kNoReg, 0, Elem::Value);
}

/// Operands that operandsOf() has found, as one list.
Reg PatternCompiler::listOf(const BuildCode &build) {
  if (build.operandList != kNoReg)
    return build.operandList;
  Reg list = reg();
  emit(Opcode::NewList, list);
  for (Reg v : build.operands)
    emit(Opcode::Push, list, v, kNoReg, 0, Elem::Value);
  return list;
}

/// What an attribute of a new op becomes. What it has by default anyway is left out, so that equal ops are spelled
/// alike, for people and for cse.
Reg PatternCompiler::attrVariable(const sema::BuildAttr &a, const Build &b) {
  const sema::OpAttrDecl &declared = builder.module.op(b.op).attrs[a.index];
  Reg made = declared.optional && a.value.kind != ExprKind::None && plan::mayBeAbsent(a.value, body)
                 ? orAbsent(a.value)
                 : attrOf(a.value, declared.type);
  // versions may have other defaults
  if (!b.versions.empty() || !declared.defaultValue || !plan::isLiteral(*declared.defaultValue))
    return made;
  Reg out = reg();
  emit(Opcode::Move, out, made);
  Reg standard = attribute(*declared.defaultValue, declared.type);
  Reg same = op2(Opcode::EqId, out, standard);
  Label other;
  jump(Opcode::JumpUnless, same, other);
  emit(Opcode::LoadNone, out);
  bind(other);
  return out;
}

/// Whether it is made of a schema, operands one by one and attributes alone.
bool PatternCompiler::isPlain(const Build &b) const {
  return b.types.empty() && !b.byName && b.regions.empty() &&
         std::ranges::all_of(builder.module.op(b.op).operands, [](auto &o) { return o.arity == Arity::Single; });
}

BuildCode PatternCompiler::creation(const Build &b) {
  BuildCode out;
  if (b.versions.empty())
    out.schemas = {builder.opName(b.op)};
  for (sema::OpIndex version : b.versions)
    out.schemas.push_back(builder.opName(version));
  if (b.byName)
    namedSettings(b, builder.module.op(b.op), out);
  for (const sema::BuildAttr &a : b.attrs) {
    if (b.byName)
      break;
    if (out.attrs.size() <= a.index)
      out.attrs.resize(a.index + 1, kNoReg);
    out.attrs[a.index] = attrVariable(a, b);
  }
  out.open = b.resultCount == sema::kOpenResults;
  out.plain = !out.open && isPlain(b);
  operandsOf(b.operands, {&b.op, 1}, out);
  if (!out.open)
    for (const Expr &t : b.types)
      out.types.push_back(value(t));
  return out;
}

/// Attributes of what is built by name.
void PatternCompiler::namedSettings(const Build &b, const sema::Op &op, BuildCode &out) {
  out.byName = true;
  for (const sema::BuildAttr &a : b.attrs) {
    const sema::OpAttrDecl &declared = op.attrAt(size_t(op.attrNamed(a.name)));
    Reg made = declared.optional && a.value.kind != ExprKind::None && plan::mayBeAbsent(a.value, body)
                   ? orAbsent(a.value)
                   : attrOf(a.value, declared.type);
    out.named.push_back({uint32_t(builder.string(a.name)), made});
  }
}

/// Inside of a region that is built anew: what stands there for a value of the one that was matched.
Reg PatternCompiler::reached(const Expr &e, Reg r) {
  if (rebuilds_ == 0 || e.kind == ExprKind::Build || e.kind == ExprKind::None)
    return r;
  uint32_t reasonBefore = reason();
  bool wholeBefore = ofWhole_;
  because(e.range, plan::builtAgain(e, builder.module, body));
  Reg out = op1(e.type.isList() ? Opcode::TakeAllInside : Opcode::TakeInside, r);
  setReason(reasonBefore);
  ofWhole_ = wholeBefore;
  return out;
}

/// A region of the op that is about to be built.
void PatternCompiler::region(const sema::RegionBuild &r) {
  if (r.copied) {
    Reg copied = value(*r.copied);
    emit(Opcode::CopyRegion, kNoReg, copied);
    return;
  }
  Reg source = r.source ? variable(r.source) : kNoReg;
  emit(Opcode::OpenRegion, kNoReg, source);
  for (const sema::RegionBuild::Param &param : r.params) {
    if (!param.type) {
      Reg again = variable(param.var);
      emit(param.list ? Opcode::RepeatParams : Opcode::RepeatParam, kNoReg, again);
      continue;
    }
    Reg type = value(*param.type), made = reg();
    emit(param.list ? Opcode::NewParams : Opcode::NewParam, made, type);
    ExpressionCompiler::bindTo(param.var, made);
  }
  rebuilds_ += bool(r.source);
  if (r.source) {
    because(r.range, plan::effectsBuiltAgain());
    emit(Opcode::KeepEffects);
    because(r.range);
  }
  for (const auto &[var, value] : r.lets)
    ExpressionCompiler::bindTo(var, this->value(value));
  BuildCode results;
  operandsOf(r.results, {}, results);
  rebuilds_ -= bool(r.source);
  emit(Opcode::CloseRegion, kNoReg, listOf(results));
}

/// The regions of the op that builds[build] is about to build, which takes them.
void PatternCompiler::regions(const Build &b, int32_t build, Reg model) {
  because(b.range);
  emit(Opcode::OpenRegions, model, kNoReg, kNoReg, build);
  if (model == kNoReg) {
    for (const sema::RegionBuild &r : b.regions)
      region(r);
    return;
  }
  size_t count = builder.module.op(body.var(b.like).ops.ops.front()).regions.size();
  for (size_t i = 0; i < count; ++i) {
    auto given = std::ranges::find(b.regions, uint32_t(i), &sema::RegionBuild::index);
    if (given != b.regions.end())
      region(*given);
    else
      emit(Opcode::CopyRegion, kNoReg, kNoReg, model, int32_t(i));
  }
}

Reg PatternCompiler::buildOp(const Build &b) {
  BuildCode build = creation(b);
  Reg out = reg();
  if (!b.regions.empty()) {
    build.takes = true;
    int32_t place = add(std::move(build));
    regions(b, place, kNoReg);
    emit(Opcode::BuildOp, out, kNoReg, kNoReg, place);
    because(b.range);
    return out;
  }
  emit(Opcode::BuildOp, out, kNoReg, kNoReg, add(std::move(build)));
  because(b.range);
  return out;
}

Reg PatternCompiler::buildLike(const Build &b) {
  BuildCode build;
  build.model = variable(b.like);
  if (b.byName)
    namedSettings(b, builder.module.op(body.var(b.like).ops.ops.front()), build);
  else
    build.settings = settings(b.attrs);
  for (const Expr &t : b.types)
    build.types.push_back(value(t));
  const sema::OpSet &ops = body.var(b.like).ops;
  operandsOf(b.operands, ops.byTrait() ? std::span<const sema::OpIndex>() : ops.ops, build);
  Reg out = reg(), model = build.model;
  if (!b.regions.empty()) {
    build.operandList = listOf(build);
    build.operands.clear();
  }
  if (build.operandList != kNoReg && !b.byName)
    emit(Opcode::TakesOperands, model, build.operandList);
  if (!b.regions.empty()) {
    build.takes = true;
    int32_t place = add(std::move(build));
    regions(b, place, model);
    emit(Opcode::BuildLike, out, kNoReg, kNoReg, place);
    because(b.range);
    return out;
  }
  emit(Opcode::BuildLike, out, kNoReg, kNoReg, add(std::move(build)));
  because(b.range);
  return out;
}

Reg PatternCompiler::buildChain(const Build &b) {
  Reg chain = variable(b.like), input = reached(b.operands[0], value(b.operands[0])), out = reg();
  auto replay = uint32_t(builder.unit.replays.size());
  builder.unit.replays.emplace_back();
  if (b.sideValue) {
    Reg side = reg();
    builder.unit.replays[replay].side = side;
    unsigned rebuilds = rebuilds_;
    defer([=, this, &b] {
      setReason(0);
      ExpressionCompiler::bindTo(b.sideVar, side);
      uint32_t entry = place();
      rebuilds_ = rebuilds;
      Reg made = reached(*b.sideValue, value(*b.sideValue));
      rebuilds_ = 0;
      emit(Opcode::Pass);
      builder.unit.replays[replay].entry = entry;
      builder.unit.replays[replay].result = made;
    });
  }
  because(b.range);
  auto saved = saveFlags(); // what tells sides from single elements begins with nothing bound
  emit(Opcode::ReplayChain, out, chain, input, int32_t(replay));
  restoreFlags(saved);
  if (!b.types.empty()) {
    Reg stated = value(b.types[0]);
    emit(Opcode::StateType, out, stated);
  }
  return out;
}

// Tests -----------------------------------------------------------------------------------------------------------

TestCode PatternCompiler::compileTest(const sema::Test &test) {
  inTest_ = true;
  TestCode out;
  out.name = test.name;
  out.kind = test.pattern ? 0 : test.pass ? 1 : 2;
  out.line = plan_.line;
  out.unchanged = test.unchanged;
  auto side = [&](const sema::Test::Side &given) -> ClauseCode {
    std::fill(vars.begin(), vars.end(), VarState());
    because({}, "");
    ClauseCode code{.entry = place()};
    size_t symbol = 0;
    for (uint32_t id = 0; id < body.vars.size() && symbol < test.symbols.size(); ++id) {
      const sema::Var &v = body.vars[id];
      if (v.kind != sema::VarKind::Bound || v.name != test.symbols[symbol])
        continue;
      ++symbol;
      Reg dim = reg();
      emit(Opcode::SymbolDim, dim, kNoReg, kNoReg, builder.string(v.name));
      ExpressionCompiler::bindTo(sema::VarId(id), dim);
    }
    for (const sema::Test::Param &param : test.params) {
      Reg type = value(param.type), made = reg();
      emit(Opcode::TestParam, made, type, kNoReg, builder.string(test.body.var(param.var).name));
      ExpressionCompiler::bindTo(param.var, made);
    }
    for (const sema::Test::Let &let : given.lets)
      ExpressionCompiler::bindTo(let.var, value(let.value));
    code.result = reg();
    emit(Opcode::NewList, code.result);
    for (const Expr &e : given.values) {
      Reg v = value(e);
      if (e.type.is(TypeKind::Op)) {
        Reg results = op1(Opcode::ResultsOf, v);
        emit(Opcode::PushList, code.result, results, kNoReg, 0, Elem::Value);
      } else {
        emit(Opcode::Push, code.result, v, kNoReg, 0, Elem::Value);
      }
    }
    emit(Opcode::Pass);
    writeDeferred();
    return code;
  };
  out.before = side(test.before);
  if (!test.unchanged)
    out.after = side(test.after);
  out.registers = uint16_t(registers());
  return out;
}

} // namespace rw::interpret
