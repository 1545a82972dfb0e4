#include "codegen/machine/loaded_unit.h"

#include "codegen/machine/cell_text.h"
#include "codegen/machine/op_clauses.h"
#include "codegen/machine/scratch.h"
#include "codegen/machine/straight.h"

#include "rw/ir/printer.h"
#include "rw/ir/structure_helpers.h"
#include "rw/rewrite/attempt.h"
#include "rw/rewrite/binding_listener.h"
#include "rw/rewrite/meaning.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace rw::interpret {

class LoadedUnit;

namespace {
/// A declared op with its clauses as code.
struct LoadedSchema : OpSchema {
  const Bound *unit = nullptr;
  const OpCode *code = nullptr;
  const LoadedUnit *owner = nullptr;
  std::vector<OperandSchema> operandStore;
  std::vector<ResultSchema> resultStore;
  std::vector<AttrSchema> attrStore;
  std::vector<StandInSchema> standInStore;
  std::vector<std::string_view> regionStore;
};

const LoadedSchema &loaded(const OpSchema &schema) { return static_cast<const LoadedSchema &>(schema); }

OpClauses clausesOf(const OpSchema &schema) { return {*loaded(schema).unit, *loaded(schema).code}; }
bool loadedTypes(const OpInputs &in, std::span<TypeId> types) { return inferTypes(clausesOf(in.schema()), in, types); }
bool loadedCheck(const OpInputs &in, CheckSink &sink) { return check(clausesOf(in.schema()), in, sink); }
AttrId loadedDefault(const OpInputs &in, unsigned index) { return defaultAttr(clausesOf(in.schema()), in, index); }
FoldResult loadedFold(Op op) { return fold(clausesOf(op.schema()), op); }
bool expand(Op op, PatternRewriter &rw);
} // namespace

class LoadedUnit {
public:
  explicit LoadedUnit(Unit code) : LoadedUnit(UnitHead{std::move(code), {}}) {}
  /// The bytes of the code stay where they are.
  explicit LoadedUnit(UnitHead head) : unit_(std::move(head.unit)), unbound_(unit), unread_(head.code) {
    for (const OpCode &op : unit.ops)
      addSchema(op);
    for (const PatternCode &pattern : unit.patterns) {
      auto &labels = labels_.emplace_back();
      for (const std::string &label : pattern.labels)
        labels.push_back(label);
    }
  }

  /// What the unit's names are in a registry; null if the unit's code cannot be read. Registries grow while a tool
  /// starts, so this is asked for when patterns are made, and answered anew if there is more by then.
  std::shared_ptr<const Bound> boundTo(const OpRegistry &ops) const {
    std::lock_guard lock(mutex_);
    const Binding *binding = bindingTo(ops);
    return binding ? binding->bound : nullptr;
  }

  PatternInfo info(size_t pattern) const {
    const PatternCode &code = unit.patterns[pattern];
    PatternInfo info;
    info.name = code.name;
    info.benefit = code.benefit;
    info.fastmath = FastMath::of(code.fastmath);
    info.recursive = code.recursive;
    info.labels = labels_[pattern];
    info.doc = code.doc;
    info.file = code.file;
    info.line = code.line;
    info.depth = code.depth;
    info.looksAtLeaves = code.looksAtLeaves;
    info.looksAtUses = code.looksAtUses;
    info.countsUses = code.countsUses;
    info.looksAtUsers = code.looksAtUsers;
    info.looksInRegions = code.looksInRegions;
    return info;
  }

  /// Puts what an op means in its place: the first of its meanings that holds.
  bool expand(const OpCode &code, Op op, PatternRewriter &rw) const {
    for (uint32_t pattern : code.means)
      if (PatternPtr meant = meaning(pattern, op.context().ops()); meant && meant->matchAndRewrite(op, rw))
        return true;
    return false;
  }
  /// What the clauses of ops run in.
  const Bound &unbound() const { return unbound_; }

private:
  mutable Unit unit_; // its code is there once the unit has been bound

public:
  const Unit &unit = unit_;
  std::deque<LoadedSchema> schemas;

private:
  /// A registry, and what was made for it.
  struct Binding {
    uint64_t registry = 0;
    std::shared_ptr<const Bound> bound;
    std::map<uint32_t, PatternPtr> meanings; // by pattern
  };
  Binding *bindingTo(const OpRegistry &) const;
  /// The pattern that an op of the registry means, made once; null if there is none, or it cannot be read.
  PatternPtr meaning(uint32_t pattern, const OpRegistry &ops) const;

  void addSchema(const OpCode &op) {
    LoadedSchema &schema = schemas.emplace_back();
    schema.unit = &unbound_;
    schema.code = &op;
    schema.owner = this;
    schema.dialect = op.dialect;
    schema.name = op.name;
    for (const OpCode::Part &part : op.operands)
      schema.operandStore.push_back({part.name, Arity(part.arity)});
    for (const OpCode::Part &part : op.results)
      schema.resultStore.push_back({part.name, Arity(part.arity)});
    bool defaults = false;
    for (const OpCode::Attribute &attr : op.attrs) {
      schema.attrStore.push_back({attr.name, AttrType(attr.type), attr.required, bool(attr.byDefault)});
      defaults |= bool(attr.byDefault);
    }
    for (const std::string &region : op.regions)
      schema.regionStore.push_back(region);
    for (const OpCode::StandIn &s : op.standIns)
      schema.standInStore.push_back(
          {s.name, s.operand, AttrType(s.type), DType(s.dtype), s.rank, s.hasDefault, s.byDefault});
    schema.standIns = schema.standInStore;
    schema.operands = schema.operandStore;
    schema.results = schema.resultStore;
    schema.attrs = schema.attrStore;
    schema.regions = schema.regionStore;
    schema.traits = op.traits;
    schema.moved = op.moved;
    if (op.since)
      schema.since = int(op.since);
    if (op.until)
      schema.until = int(*op.until);
    schema.doc = op.doc;
    schema.file = op.file;
    schema.domain = op.domain;
    if (!op.types.empty())
      schema.inferTypes = loadedTypes;
    if (!op.requirements.empty())
      schema.check = loadedCheck;
    if (defaults)
      schema.defaultAttr = loadedDefault;
    if (!op.folds.empty())
      schema.fold = loadedFold;
    if (!op.means.empty()) {
      schema.expand = interpret::expand;
      schema.meantTypes = inferByMeaning;
      if (op.types.empty())
        schema.inferTypes = inferByMeaning;
    }
  }

  const Bound unbound_;                              // what clauses run in
  std::deque<std::vector<std::string_view>> labels_; // of each pattern
  mutable std::mutex mutex_;
  mutable std::string_view unread_; // the bytes of the code
  mutable bool broken_ = false;
  mutable std::deque<Binding> bindings_; // the newest last
};

/// With the mutex held. A program has one registry or a few; units that are embedded see those of all threads.
LoadedUnit::Binding *LoadedUnit::bindingTo(const OpRegistry &ops) const {
  constexpr size_t kMostRegistries = 16; // what an older one is bound to is worked out again
  if (!unread_.empty() && !readCode(std::exchange(unread_, {}), unit_))
    broken_ = true;
  if (broken_)
    return nullptr;
  for (Binding &binding : bindings_)
    if (binding.registry == ops.number() && binding.bound->size == ops.size())
      return &binding;
  if (bindings_.size() == kMostRegistries)
    bindings_.pop_front();
  return &bindings_.emplace_back(Binding{ops.number(), std::make_shared<const Bound>(bind(unit, ops)), {}});
}

namespace {
/// An attribute as .rwir writes it, but for what is in large tensors.
std::string attrText(const Context &ctx, AttrId id) {
  constexpr size_t kShown = 4096; // bytes
  const AttrData &attr = ctx.attr(id);
  if (attr.kind == AttrKind::Dense && attr.dense->bytes.size() > kShown)
    return "dense<" + ctx.typeToString(attr.dense->type) + ": …>";
  return printAttr(ctx, id);
}

/// What a name stands for after a match; none if this match does not bind it.
std::optional<MatchedName> bindingOf(const BoundName &name, Machine &machine) {
  const Cell &cell = machine.cell(name.reg);
  const bool isId = !name.isList && (name.elem == Elem::Value || name.elem == Elem::Op || name.elem == Elem::Type ||
                                     name.elem == Elem::Attr);
  if ((name.flag != kNoReg && !machine.cell(name.flag).i) || (isId && cell.id == UINT32_MAX))
    return std::nullopt;
  Function *fn = machine.root().fn;
  MatchedName out{.name = name.name};
  if (name.elem == Elem::Value) {
    out.kind = name.isList ? MatchedName::OfValues : MatchedName::OfValue;
    for (ValueId value : name.isList ? listOf<ValueId>(cell) : std::span<const ValueId>())
      out.values.push_back({fn, value});
    if (!name.isList)
      out.values.push_back({fn, ValueId(cell.id)});
  } else if (name.elem == Elem::Op) {
    if (name.isList)
      return std::nullopt;
    out.kind = MatchedName::OfOp;
    out.op = {fn, OpId(cell.id)};
  } else if (name.elem == Elem::Attr && !name.isList) {
    out.text = attrText(machine.context(), AttrId(cell.id));
  } else {
    out.text = textOf(machine.context(), name.elem, name.isList, cell);
  }
  return out;
}

class LoadedPattern final : public MultiOpPattern {
public:
  LoadedPattern(const LoadedUnit &unit, size_t index, const OpRegistry &ops)
      : MultiOpPattern(unit.info(index), {}), unit_(unit.unit), code_(unit.unit.patterns[index]),
        bound_(unit.boundTo(ops)), straight_(*bound_, code_) {
    const OpKindSet &roots = unit_.kindSets[code_.roots];
    addKinds(code_.roots, roots.traits.empty() ? &roots : nullptr, roots_);
    for (uint32_t chain : code_.chains)
      addKinds(chain, nullptr, chainKinds_);
    tests_.reserve(code_.tests.size());
    for (const TestRow &row : code_.tests)
      addTest(row);
    info_.tests = tests_;
    info_.opening = code_.opening;
  }

  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    Attempt match(root, rw);
    if (!code_.swaps) // an opening that asks nothing finds nothing
      return (!info_.opening || match.opens(info_)) && run(match, root, rw);
    for (unsigned order = match.firstOrder(); order < match.endOrder(); ++order)
      if (match.opens(info_, order) && run(match, root, rw))
        return true;
    return false;
  }
  bool isGivenUp() const override { return exhausted_.load(std::memory_order_relaxed) >= kPatience; }

private:
  [[gnu::always_inline]] bool run(const Attempt &match, Op root, PatternRewriter &rw) const {
    if (rw.explains()) [[unlikely]] // and straight code does not
      return goOn({.place = code_.entry}, nullptr, false, match, root, rw);
    return straight_.run(root, rw, match, [&](const StraightCode::Handover &from, const uint32_t *ids, bool built) {
      return goOn(from, ids, built, match, root, rw);
    });
  }
  /// Runs the code from a place, registers and what was built being what they are there.
  [[gnu::noinline]] bool goOn(const StraightCode::Handover &from, const uint32_t *ids, bool built, const Attempt &match,
                              Op root, PatternRewriter &rw) const {
    if (isGivenUp()) [[unlikely]] {
      if (built)
        rw.abandon();
      return rw.noMatch(root, "the pattern has been given up: it takes too many steps", code_.line);
    }
    Machine machine(*bound_, code_.registers, code_.chainCount, *root.fn, &rw, root);
    bool fired = machine.goOn(from.place, built, [&] {
      for (Reg slot : code_.opened)
        machine.cell(slot).id = match.raw(slot);
      for (Reg r : from.ids)
        machine.cell(r).id = ids[r];
      for (auto [r, number] : from.numbers)
        machine.cell(r).i = number;
      for (const StraightCode::LateRead &read : from.late) {
        Value operand = Op{root.fn, OpId(machine.cell(read.of).id)}.operand(read.index);
        if (!operand)
          return false;
        machine.cell(read.to).id = operand.id.raw;
      }
      return true;
    });
    if (fired && rw.explains()) [[unlikely]]
      tellNames(machine);
    if (!fired && machine.search()) [[unlikely]]
      Attempt(root, rw).ends(*machine.search(), code_.line);
    return machine.exhausted() ? ranOut(machine) : fired;
  }
  [[gnu::cold]] void tellNames(Machine &machine) const {
    auto *listener = dynamic_cast<BindingListener *>(machine.rewriter().listener());
    if (!listener)
      return;
    for (const BoundName &name : code_.bound)
      if (std::optional<MatchedName> binding = bindingOf(name, machine))
        listener->bound(*binding);
  }
  [[gnu::cold]] bool ranOut(Machine &machine) const {
    exhausted_.fetch_add(1, std::memory_order_relaxed);
    return machine.rewriter().noMatch(machine.root(), "the match takes no more than some million steps", code_.line);
  }
  /// In the order in which the ops are named; those of a trait by number.
  void addKinds(uint32_t set, const OpKindSet *named, std::vector<KindId> &out) const {
    if (named) {
      for (uint32_t op : named->ops)
        if (uint32_t kind = bound_->kinds[op]; kind != UINT32_MAX)
          out.push_back(KindId{uint16_t(kind)});
      return;
    }
    const std::vector<uint8_t> &in = bound_->sets[set];
    for (size_t kind = 0; kind < in.size(); ++kind)
      if (in[kind])
        out.push_back(KindId{uint16_t(kind)});
  }

  /// Of an op that the registry does not have it holds for none.
  void addTest(const TestRow &row) {
    SharedTest test = row.test;
    test.text = row.text;
    test.why = row.why.c_str();
    if (row.op)
      test.op = bound_->schemas[*row.op];
    if (row.kinds) {
      KindSet &kinds = kindSets_.emplace_back();
      kinds.ops = bound_->setOps[*row.kinds];
      kinds.traits = unit_.kindSets[*row.kinds].traits;
      test.kinds = &kinds;
    }
    tests_.push_back(test);
  }

  static constexpr unsigned kPatience = 4; // attempts that ran out of fuel
  const Unit &unit_;
  const PatternCode &code_;
  std::shared_ptr<const Bound> bound_;
  StraightCode straight_;
  std::vector<SharedTest> tests_;
  std::deque<KindSet> kindSets_;
  mutable std::atomic<unsigned> exhausted_ = 0;
};

bool expand(Op op, PatternRewriter &rw) {
  const LoadedSchema &schema = loaded(op.schema());
  return schema.owner->expand(*schema.code, op, rw);
}

/// What a pattern is made of: the unit, which the registry keeps, and its number.
struct PatternOf {
  const LoadedUnit *unit;
  size_t index;
};
/// In place of one whose code cannot be read.
class MissingPattern final : public MultiOpPattern {
public:
  explicit MissingPattern(PatternInfo info) : MultiOpPattern(info, {}) {}
  bool matchAndRewrite(Op, PatternRewriter &) const override { return false; }
};
PatternPtr makePattern(const OpRegistry &ops, const void *data) {
  const PatternOf &of = *static_cast<const PatternOf *>(data);
  if (!of.unit->boundTo(ops))
    return std::make_unique<MissingPattern>(of.unit->info(of.index));
  return std::make_unique<LoadedPattern>(*of.unit, of.index, ops);
}

bool buildSide(const LoadedUnit &unit, size_t index, PatternRewriter &rw, bool after, InlineList<Value> &results) {
  const TestCode &code = unit.unit.tests[index];
  const ClauseCode &side = after ? code.after : code.before;
  if (!side)
    return false;
  std::shared_ptr<const Bound> bound = unit.boundTo(rw.context().ops());
  if (!bound)
    return false;
  Machine machine(*bound, code.registers, 0, rw.function(), &rw, Op());
  if (!machine.run(side.entry))
    return false;
  for (ValueId id : listOf<ValueId>(machine.cell(side.result)))
    results.push_back({&rw.function(), id});
  return true;
}

/// Builds the sides of a test.
struct TestBuilder {
  std::shared_ptr<const LoadedUnit> unit;
  size_t index;
  const void *origin; // of an embedded unit
  bool operator()(PatternRewriter &rw, bool after, InlineList<Value> &results) const {
    return buildSide(*unit, index, rw, after, results);
  }
};

void addTest(const std::shared_ptr<const LoadedUnit> &unit, size_t index, const void *origin, Registry &registry) {
  const TestCode &test = unit->unit.tests[index];
  TestEntry entry{.name = test.name,
                  .kind = TestEntry::Kind(test.kind),
                  .file = unit->unit.file,
                  .line = test.line,
                  .unchanged = test.unchanged,
                  .build = TestBuilder{unit, index, origin}};
  if (!test.target.name.empty())
    entry.target = {test.target.name.c_str(), test.target.file.c_str(), test.target.line};
  registry.addTest(std::move(entry));
}
} // namespace

/// What makes each of the unit's patterns; the registry keeps the unit.
static std::vector<PatternMaker> makersOf(const std::shared_ptr<const LoadedUnit> &unit, Registry &registry) {
  registry.keep(unit);
  auto patterns = std::make_shared<std::deque<PatternOf>>();
  registry.keep(patterns);
  std::vector<PatternMaker> out;
  for (size_t i = 0; i < unit->unit.patterns.size(); ++i)
    out.emplace_back(makePattern, &patterns->emplace_back(PatternOf{unit.get(), i}));
  return out;
}

size_t substitutePatterns(Unit code, Registry &registry) {
  auto unit = std::make_shared<const LoadedUnit>(std::move(code));
  std::vector<PatternMaker> makers = makersOf(unit, registry);
  size_t found = 0;
  for (size_t i = 0; i < makers.size(); ++i)
    found += unit->unit.patterns[i].isMeaning ||
             registry.patterns.remake(unit->unit.patterns[i].name, unit->unit.patterns[i].file, makers[i]);
  return found;
}

PatternPtr LoadedUnit::meaning(uint32_t pattern, const OpRegistry &ops) const {
  if (pattern >= unit.patterns.size())
    return nullptr;
  {
    std::lock_guard lock(mutex_);
    const Binding *binding = bindingTo(ops);
    if (!binding)
      return nullptr;
    if (auto known = binding->meanings.find(pattern); known != binding->meanings.end())
      return known->second;
  }
  PatternPtr made = std::make_shared<LoadedPattern>(*this, pattern, ops);
  std::lock_guard lock(mutex_);
  bindingTo(ops)->meanings.emplace(pattern, made);
  return made;
}

static NameRef reference(const DeclName &name) { return {name.name, name.file, name.line}; }

static std::vector<NameRef> references(const std::vector<DeclName> &names) {
  std::vector<NameRef> out;
  for (const DeclName &name : names)
    out.push_back(reference(name));
  return out;
}

void registerUnit(Unit code, Registry &registry) {
  auto unit = std::make_shared<const LoadedUnit>(std::move(code));
  const Registry::Scope scope(registry, "", unit->unit.file);
  for (const LoadedSchema &schema : unit->schemas)
    registry.ops.add(schema);
  std::vector<PatternMaker> makers = makersOf(unit, registry);
  for (size_t i = 0; i < makers.size(); ++i)
    if (!unit->unit.patterns[i].isMeaning)
      registry.patterns.add({unit->info(i), makers[i]});
  for (const DeclName &pattern : unit->unit.canonicalizations)
    registry.addCanonicalization(reference(pattern));
  auto conversionOf = [](const PassCode &pass) -> std::shared_ptr<const ConversionEntry> {
    if (pass.conversion.empty())
      return nullptr;
    const PassCode::Conversion &c = pass.conversion.front();
    auto entry = std::make_shared<ConversionEntry>(ConversionEntry{.from = c.from,
                                                                   .to = c.to,
                                                                   .legal = c.legal,
                                                                   .version = int(c.version),
                                                                   .lastVersion = int(c.lastVersion),
                                                                   .keepsFunctions = c.keepsFunctions});
    for (const auto &[type, reason] : c.refused)
      entry->refused.push_back({type, reason});
    return entry;
  };
  for (const PassCode &pass : unit->unit.passes)
    registry.addPass({.name = pass.name,
                      .doc = pass.doc,
                      .patterns = references(pass.patterns),
                      .labels = pass.labels,
                      .maxIterations = pass.maxIterations,
                      .file = unit->unit.file,
                      .line = pass.line,
                      .conversion = conversionOf(pass)});
  for (const PipelineCode &p : unit->unit.pipelines)
    registry.addPipeline({.name = p.name,
                          .text = p.text,
                          .doc = p.doc,
                          .file = unit->unit.file,
                          .line = p.line,
                          .imports = references(p.imports)});
  for (size_t i = 0; i < unit->unit.tests.size(); ++i)
    addTest(unit, i, nullptr, registry);
}

EmbeddedUnit::EmbeddedUnit(UnitHead code, const void *origin, Registry &registry)
    : unit_(std::make_shared<const LoadedUnit>(std::move(code))), origin_(origin), makers_(makersOf(unit_, registry)) {}

void EmbeddedUnit::addPatterns(size_t first, size_t last, Registry &registry) const {
  for (size_t i = first; i < last && i < makers_.size(); ++i)
    if (!unit_->unit.patterns[i].isMeaning)
      registry.patterns.add({unit_->info(i), makers_[i]});
}

void EmbeddedUnit::addTests(Registry &registry) const {
  for (const TestEntry &test : registry.tests())
    if (const TestBuilder *builder = test.build.target<TestBuilder>(); builder && builder->origin == origin_)
      return;
  for (size_t i = 0; i < unit_->unit.tests.size(); ++i)
    addTest(unit_, i, origin_, registry);
}

EmbeddedOps::EmbeddedOps(Unit unit) : unit_(std::make_shared<const LoadedUnit>(std::move(unit))) {}

std::optional<OpClauses> EmbeddedOps::clauses(size_t op) const {
  if (op >= unit_->unit.ops.size())
    return std::nullopt;
  return OpClauses{unit_->unbound(), unit_->unit.ops[op]};
}

bool EmbeddedOps::expand(size_t op, Op root, PatternRewriter &rw) const {
  return op < unit_->unit.ops.size() && unit_->expand(unit_->unit.ops[op], root, rw);
}

} // namespace rw::interpret
