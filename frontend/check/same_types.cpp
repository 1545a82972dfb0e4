// The `type` clauses of the ops on both sides are read as terms over what the pattern matches: `relu(relu(x)) =>
// relu(x)` has (x.dtype, x.shape) on both. What a `require` of a matched op, a condition, or a type on the left side
// makes the same is told to the terms. Of an op that may be one of several each is looked at. `elementwise` says that
// shapes broadcast. A stated type is the word of the pattern.
#include "frontend/check/same_types.h"

#include "frontend/check/terms.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>
#include <thread>

namespace rw::sema {
namespace {

/// What an expression stands for: a term (of a value: which one it is), or several values, one by one.
struct Sym {
  static constexpr Term kUnset = UINT32_MAX;
  Term term = kUnset;
  bool isList = false;        // `items` are all there are
  std::span<const Sym> items; // in SameTypes' arena
  bool isSet() const { return term != kUnset; }
};

/// An op of the left side, by the variable that names it.
struct MatchedOp {
  const Match *match = nullptr;
  std::span<const Sym> operands;
  Term self = 0;
};

/// Element type and shape.
using TypeParts = std::pair<Term, Term>;
using TermList = llvm::SmallVector<Term, 8>;
using SymList = llvm::SmallVector<Sym, 8>;

/// The variables of a pattern, of a function or of an op's declaration: a piece of the stack of all of them.
struct Env {
  uint32_t base = 0;
  bool isPattern() const { return base == 0; }
};
constexpr Env kPattern;

/// What proofs use one after the other: each needs little memory, but asking for it anew took longer than the proof.
struct ProofMemory {
  Terms terms;
  Arena lists;
  llvm::StringMap<size_t> names;
  void clear() {
    terms.clear();
    lists.clear();
  }
};

class SameTypes {
public:
  SameTypes(const Module &module, const Pattern &pattern, const Match &root, ProofMemory &memory)
      : m_(module), p_(pattern), root_(root), t_(memory.terms), memory_(memory), slots_(pattern.body.vars.size() + 1),
        ops_(pattern.body.vars.size()), chains_(pattern.body.vars.size(), Sym::kUnset) {}

  /// Whether all that `action` replaces has the type of what replaces it.
  bool proves(const Action &action) {
    if (provesOnce(action))
      return true;
    // What is known of inner parts says more about outer ones the second time: of those that were looked at before it
    // was known. Mostly there are none, and another time comes to the same.
    if (!t_.changedBelated() && !wasTooEarly_)
      return false;
    return provesOnce(action);
  }

private:
  /// Another proof that knows what this one does, and may come to know more.
  SameTypes(const SameTypes &other, Terms &terms)
      : m_(other.m_), p_(other.p_), root_(other.root_), t_(terms), memory_(other.memory_), slots_(other.slots_),
        ops_(other.ops_), chains_(other.chains_), rootOp_(other.rootOp_), depth_(other.depth_), walked_(other.walked_) {
  }

  bool provesOnce(const Action &action) {
    match(root_);
    for (const Match &other : p_.roots)
      if (&other != &p_.roots[0])
        match(other);
    for (const Condition &condition : p_.conditions)
      assume(condition);
    for (const Action &before : p_.actions) {
      if (&before == &action)
        break;
      if (before.kind == ActionKind::Let)
        let(before);
      else if (before.kind == ActionKind::Where)
        assumeTrue(before.values[0], kPattern);
    }
    const MatchedOp *op = action.op ? opOf(action.op) : &rootOp_;
    if (!op || !op->match)
      return false;
    return action.kind == ActionKind::Update ? updates(*op, action) : replaces(*op, action);
  }

  // Variables --------------------------------------------------------------------------------------------------------
  Sym &slot(Env env, uint32_t id) { return slots_[env.base + id]; }
  /// Those of a function or a declaration, for as long as they are needed.
  class Frame {
  public:
    Frame(SameTypes &proof, size_t size) : proof_(proof), env{uint32_t(proof.slots_.size())} {
      proof.slots_.resize(env.base + size);
    }
    ~Frame() { proof_.slots_.resize(env.base); }
    Frame(const Frame &) = delete;

  private:
    SameTypes &proof_;

  public:
    const Env env;
  };
  /// A variable that is bound in a part of an expression.
  class BoundVars {
  public:
    BoundVars(SameTypes &proof, Env env, uint32_t id) : proof_(proof), at_(env.base + id), before_(proof.slots_[at_]) {}
    ~BoundVars() { proof_.slots_[at_] = before_; }
    BoundVars(const BoundVars &) = delete;
    void is(Sym sym) { proof_.slots_[at_] = sym; }

  private:
    SameTypes &proof_;
    uint32_t at_;
    Sym before_;
  };
  int64_t nameOf(std::string_view name) {
    return int64_t(memory_.names.try_emplace(name, memory_.names.size()).first->second);
  }
  static Sym single(Term term) { return {term, false, {}}; }
  Sym absent() { return {t_.make(Head::Absent), true, {}}; }
  std::span<const Sym> kept(const SymList &list) { return memory_.lists.copy(std::span<const Sym>(list)); }

  // Values -----------------------------------------------------------------------------------------------------------
  Term dtypeOf(Term value) { return t_.make(Head::DType, {value}); }
  Term shapeOf(Term value) { return t_.make(Head::Shape, {value}); }
  Term typeOf(Term value) { return t_.make(Head::Type, {dtypeOf(value), shapeOf(value)}); }
  TypeParts typeParts(Term value) { return {dtypeOf(value), shapeOf(value)}; }
  Term result(Term op, size_t i) { return t_.make({Head::Result, int64_t(i)}, {op}); }
  void hasType(Term value, Term type) {
    if (t_.head(type) == Head::Type) {
      std::span<const Term> parts = t_.args(type);
      t_.same(dtypeOf(value), parts[0]);
      t_.same(shapeOf(value), parts[1]);
    } else {
      t_.same(typeOf(value), type);
    }
  }

  std::optional<Term> variable(VarId id) const {
    const Sym &known = slots_[kPattern.base + id.raw];
    return known.isSet() ? std::optional(known.term) : std::nullopt;
  }
  /// What the variable stands for, or else the variable itself.
  Term variableOrSymbol(VarId id) {
    if (std::optional<Term> known = variable(id))
      return *known;
    wasTooEarly_ = true;
    return symbolOf(id);
  }
  Term symbolOf(VarId id) { return t_.make({Head::Variable, int64_t(id.raw)}); }
  const MatchedOp *opOf(VarId id) const { return ops_[id.raw].match ? &ops_[id.raw] : nullptr; }

  // The left side ----------------------------------------------------------------------------------------------------
  Term match(const Match &m) {
    if (m.value && m.value.use != Use::Bind) {
      if (std::optional<Term> known = variable(m.value.var))
        return described(m, *known);
      wasTooEarly_ = true;
    }
    Term value = matched(m);
    if (m.value && !p_.body.var(m.value.var).perOperand)
      slot(kPattern, m.value.var.raw) = single(value);
    return described(m, value);
  }
  Term symbolOf(const Match &m) {
    return m.value ? symbolOf(m.value.var)
           : m.op  ? symbolOf(m.op.var)
                   : t_.make({Head::Match, std::bit_cast<intptr_t>(&m)});
  }
  Term described(const Match &m, Term value) {
    for (const TypeMatch &type : m.types)
      described(type, value);
    for (const Condition &condition : m.after)
      assume(condition);
    return value;
  }
  void described(const TypeMatch &type, Term value) {
    if (type.dtypeClass == DTypeClass::Exactly && type.dtype)
      t_.same(dtypeOf(value), evaluate(*type.dtype, kPattern).term);
    if (type.equals)
      hasType(value, evaluate(*type.equals, kPattern).term);
    if (!type.dims)
      return;
    Term shape = t_.list({});
    for (size_t i = 0; i < type.dims->size(); ++i) {
      const DimMatch &dim = (*type.dims)[i];
      Term known = dim.value ? evaluate(*dim.value, kPattern).term
                   : dim.var ? variableOrSymbol(dim.var.var)
                             : t_.make({Head::Dim, int64_t(i)}, {value});
      shape = t_.concat(shape, dim.rest ? known : t_.list({known}));
    }
    t_.same(shapeOf(value), shape);
  }

  Term matched(const Match &m) {
    switch (m.kind) {
    case MatchKind::Op: {
      MatchedOp op = matchedOp(m);
      if (m.op)
        ops_[m.op.var.raw] = op;
      if (&m == &root_)
        rootOp_ = op;
      if (!m.optional)
        return result(op.self, m.result);
      // The op, or what it stands around.
      Term value = t_.make(Head::Passed, {op.self});
      if (!op.operands.empty() && !op.operands[0].isList) {
        Term inner = op.operands[0].term, made = result(op.self, m.result);
        cases(value, m, std::array{typeParts(made), typeParts(inner)});
      }
      return value;
    }
    case MatchKind::Chain: {
      Term inner = match(m.children[0]), value = symbolOf(m);
      if (m.op)
        chains_[m.op.var.raw] = inner;
      t_.same(shapeOf(value), shapeOf(inner)); // other operands hold one element, of no greater rank
      if (m.op)
        t_.same(dtypeOf(value), t_.make(Head::Chain, {symbolOf(m.op.var), dtypeOf(inner)}));
      return value;
    }
    default:
      return symbolOf(m);
    }
  }

  MatchedOp matchedOp(const Match &m) {
    MatchedOp op;
    op.match = &m;
    op.self = m.op ? symbolOf(m.op.var) : t_.make({Head::MatchedOp, std::bit_cast<intptr_t>(&m)});
    if (m.each) {
      op.operands = kept({single(t_.make(Head::Operands, {op.self}))});
      return op;
    }
    SymList operands;
    for (const OperandMatch &operand : m.operands)
      operands.push_back(operandOf(operand, op.self, operands.size()));
    op.operands = kept(operands);
    bindAttrs(m);
    llvm::SmallVector<TypeParts, 4> all;
    bool listed = !m.ops.byTrait();
    for (size_t k = 0; listed && k < m.ops.ops.size(); ++k) {
      const Op &declared = m_.op(m.ops.ops[k]);
      if (declared.results.size() <= m.result)
        return op;
      for (bool swapped : {false, true}) {
        if (swapped && !(m.commutative && op.operands.size() >= 2))
          break;
        if (swapped)
          std::swap(operands[0], operands[1]);
        Frame clauses(*this, declared.body.vars.size());
        Env vars = clauses.env;
        bindClauses(vars, declared, m, k, operands, op.self);
        if (m.ops.ops.size() == 1 && !m.optional && !swapped)
          for (const Require &require : declared.requires_)
            assumeTrue(require.condition, vars);
        if (m.ops.ops.size() == 1 && declared.results.size() > 1 && !m.commutative)
          for (size_t r = 0; r < declared.results.size(); ++r)
            if (std::optional<TypeParts> type = clause(declared, r, vars))
              hasType(result(op.self, r), t_.make(Head::Type, {type->first, type->second}));
        std::optional<TypeParts> type = clause(declared, m.result, vars);
        if (!type)
          return op;
        all.push_back(*type);
      }
    }
    if (m.ops.byTrait())
      if (auto type = elementwiseType(op, op.operands))
        all.push_back(*type);
    cases(result(op.self, m.result), m, all);
    return op;
  }

  /// The result has one of the types: what all of them agree in, and of the rest which op it is decides.
  void cases(Term value, const Match &m, std::span<const TypeParts> all) {
    if (all.empty())
      return;
    TermList dtypes, shapes;
    for (auto [dtype, shape] : all)
      dtypes.push_back(t_.find(dtype)), shapes.push_back(t_.find(shape));
    t_.same(dtypeOf(value), oneOf(dtypes, m.op ? symbolOf(m.op.var) : value));
    t_.same(shapeOf(value), oneOf(shapes, m.op ? symbolOf(m.op.var) : value));
  }
  Term oneOf(TermList all, Term which) {
    if (std::ranges::all_of(all, [&](Term t) { return t == all[0]; }))
      return all[0];
    all.push_back(which);
    return t_.make({Head::OneOf}, all);
  }

  Sym operandOf(const OperandMatch &operand, Term op, size_t i) {
    switch (operand.kind) {
    case OperandMatchKind::One:
      return single(match(operand.elements[0]));
    case OperandMatchKind::Absent:
      return absent();
    case OperandMatchKind::Ignored:
      return single(t_.make({Head::Operand, int64_t(i)}, {op}));
    case OperandMatchKind::Maybe: // none or one
    case OperandMatchKind::List:
      break;
    }
    SymList items;
    TermList ids;
    for (const Match &element : operand.elements) {
      items.push_back(single(match(element)));
      ids.push_back(items.back().term);
    }
    if (!operand.hasRest)
      return {t_.make({Head::Values}, ids), true, kept(items)};
    Term rest = operand.rest ? symbolOf(operand.rest.var) : t_.make({Head::OperandRest, int64_t(i)}, {op});
    if (operand.rest && !variable(operand.rest.var))
      slot(kPattern, operand.rest.var.raw) = single(rest);
    ids.insert(ids.begin() + std::min<ptrdiff_t>(operand.restAt, ptrdiff_t(ids.size())), rest);
    return single(ids.size() == 1 ? rest : t_.make({Head::Values}, ids));
  }

  void bindAttrs(const Match &m) {
    for (const AttrMatch &attr : m.attrs)
      if (attr.kind == AttrMatchKind::Var && attr.var && !variable(attr.var.var) &&
          !p_.body.var(attr.var.var).perOperand)
        slot(kPattern, attr.var.var.raw) = single(symbolOf(attr.var.var));
  }
  /// Attribute `index` of the op as matched, or of the one built again.
  Term attrOf(const Match &m, size_t ofOp, const Op &declared, size_t index, Term op, Env clause) {
    std::optional<Term> found;
    for (const AttrMatch &attr : m.attrs) {
      if (ofOp >= attr.index.size() || attr.index[ofOp] != int(index))
        continue;
      std::optional<Term> is;
      switch (attr.kind) {
      case AttrMatchKind::Var:
        if (attr.var && !p_.body.var(attr.var.var).perOperand)
          is = variableOrSymbol(attr.var.var);
        break;
      case AttrMatchKind::Equal:
        is = evaluate(*attr.value, kPattern).term;
        break;
      case AttrMatchKind::Default:
        if (declared.attrs[index].defaultValue)
          is = evaluate(*declared.attrs[index].defaultValue, clause).term;
        break;
      case AttrMatchKind::Absent:
        is = t_.make(Head::Absent);
        break;
      case AttrMatchKind::List:
        is = listAttr(attr, op);
        break;
      default:
        break;
      }
      if (is && found)
        t_.same(*found, *is);
      else if (is)
        found = is;
    }
    return found ? *found : t_.make({Head::Attr, int64_t(index)}, {op});
  }
  Term listAttr(const AttrMatch &attr, Term op) {
    Term list = t_.list({});
    auto rest = [&] {
      list = t_.concat(list, attr.rest ? symbolOf(attr.rest.var) : t_.make({Head::AttrRest, nameOf(attr.name)}, {op}));
    };
    for (size_t i = 0; i < attr.elements.size(); ++i) {
      if (attr.hasRest && attr.restAt == i)
        rest();
      const AttrMatch::Element &e = attr.elements[i];
      Term is = e.value ? evaluate(*e.value, kPattern).term
                : e.var ? variableOrSymbol(e.var.var)
                        : t_.make({Head::AttrElement, nameOf(attr.name)}, {op, t_.number(int64_t(i))});
      list = t_.concat(list, t_.list({is}));
    }
    if (attr.hasRest && attr.restAt >= attr.elements.size())
      rest();
    return list;
  }

  // Ops --------------------------------------------------------------------------------------------------------------
  /// What the variables of a declaration stand for in the op at hand.
  void bindClauses(Env vars, const Op &declared, const Match &m, size_t ofOp, std::span<const Sym> operands, Term op) {
    bindOperands(vars, declared, operands, op);
    for (size_t i = 0; i < declared.attrs.size(); ++i)
      attrSlot(vars, declared, i) = single(attrOf(m, ofOp, declared, i, op, vars));
    bindDimensions(vars, declared);
  }
  Sym &attrSlot(Env vars, const Op &declared, size_t i) { return slot(vars, uint32_t(declared.operands.size() + i)); }
  void bindOperands(Env vars, const Op &declared, std::span<const Sym> operands, Term op) {
    TermList types;
    for (size_t i = 0; i < declared.operands.size(); ++i) {
      slot(vars, uint32_t(i)) = i < operands.size() ? operands[i] : absent();
      types.push_back(slot(vars, uint32_t(i)).term);
    }
    types.push_back(op);
    for (size_t i = declared.operands.size() + declared.attrs.size(); i < declared.body.vars.size(); ++i)
      if (declared.body.vars[i].name.ends_with(".params") || declared.body.vars[i].name.ends_with(".results"))
        slot(vars, uint32_t(i)) = single(t_.make({Head::RegionList, nameOf(declared.body.vars[i].name)}, types));
  }
  /// Names in the types of operands.
  void bindDimensions(Env vars, const Op &declared) {
    for (const Op::Dimension &dim : declared.dimensions)
      slot(vars, dim.var.raw) = evaluate(dim.value, vars);
  }
  /// Element type and shape of a result by the `type` clause.
  std::optional<TypeParts> clause(const Op &declared, size_t result, Env vars) {
    if (result >= declared.types.size() || declared.results[result].arity != Arity::Single)
      return std::nullopt;
    return partsOf(evaluate(declared.types[result], vars).term);
  }
  TypeParts partsOf(Term type) {
    if (t_.head(type) == Head::Type)
      return {t_.args(type)[0], t_.args(type)[1]};
    return {t_.make(Head::DTypeOf, {type}), t_.make(Head::ShapeOf, {type})};
  }
  /// Of an op that is known by its traits alone: shapes broadcast, and the element type follows from which op it is
  /// and from its operands.
  std::optional<TypeParts> elementwiseType(const MatchedOp &op, std::span<const Sym> operands) {
    const OpSet &ops = op.match->ops;
    if (!(ops.traits & trait::elementwise) || ops.mixed() || op.match->ignoreOperands || operands.empty())
      return std::nullopt;
    TermList dtypes{op.self}, shapes{op.self};
    for (const Sym &operand : operands) {
      if (operand.isList)
        return std::nullopt;
      dtypes.push_back(dtypeOf(operand.term));
      shapes.push_back(shapeOf(operand.term));
    }
    Term shape = operands.size() == 1 ? shapes[1] : t_.make({Head::Shapes}, shapes);
    return TypeParts(t_.make({Head::DTypes}, dtypes), shape);
  }

  // What holds -------------------------------------------------------------------------------------------------------
  void assume(const Condition &condition) {
    switch (condition.kind) {
    case ConditionKind::Test:
      assumeTrue(condition.expr, kPattern);
      break;
    case ConditionKind::Let:
      slot(kPattern, condition.var.raw) = evaluate(condition.expr, kPattern);
      break;
    case ConditionKind::Is:
      if (condition.match && condition.expr.type.is(TypeKind::Value)) {
        Term value = evaluate(condition.expr, kPattern).term, is = match(*condition.match);
        t_.same(dtypeOf(value), dtypeOf(is));
        t_.same(shapeOf(value), shapeOf(is));
      }
      break;
    }
  }
  void assumeTrue(const Expr &e, Env vars) {
    if (isOver())
      return;
    Deeper deeper(*this);
    if (e.kind == ExprKind::Binary && e.binary == BinaryOp::And) {
      assumeTrue(e.args[0], vars);
      assumeTrue(e.args[1], vars);
    } else if (e.kind == ExprKind::Binary && e.binary == BinaryOp::Eq && isAboutTypes(e.args[0].type)) {
      Term a = evaluate(e.args[0], vars).term, b = evaluate(e.args[1], vars).term;
      t_.same(a, b);
    } else if (e.kind == ExprKind::Call) {
      const Fn &fn = m_.fn(e.fn());
      Frame inner(*this, fn.body.vars.size());
      bindParams(inner.env, fn, e, vars);
      assumeTrue(fn.value, inner.env);
    } else if (e.kind == ExprKind::Builtin && e.builtin == Builtin::All) {
      assumeEach(e.args[0], vars);
    } else if (e.kind == ExprKind::Builtin && e.builtin == Builtin::IsPermutation) {
      t_.same(t_.length(evaluate(e.args[0], vars).term), evaluate(e.args[1], vars).term);
    }
  }
  void bindParams(Env inner, const Fn &fn, const Expr &call, Env vars) {
    for (size_t i = 0; i < fn.params.size() && i < call.args.size(); ++i)
      slot(inner, fn.params[i].raw) = evaluate(call.args[i], vars);
  }
  /// `all(list[i] == i for i in 0..n)`: so many elements of the list are their indexes.
  void assumeEach(const Expr &e, Env vars) {
    bool isPlain = e.kind == ExprKind::Comprehension && e.loopVars.size() == 1 && e.loopGroups.empty() &&
                   e.sourceCount() == 1 && !e.hasFilter;
    if (!isPlain || e.args[0].kind != ExprKind::Binary || e.args[0].binary != BinaryOp::Eq)
      return;
    Term range = evaluate(e.args[1], vars).term, bound = t_.placeholder();
    if (t_.head(range) != Head::Range || t_.numberOf(t_.args(range)[0]) != 0)
      return;
    BoundVars each(*this, vars, e.loopVars[0].raw);
    each.is(single(bound));
    Term a = evaluate(e.args[0].args[0], vars).term, b = evaluate(e.args[0].args[1], vars).term;
    if (a == bound || b == bound)
      t_.same(t_.map(range, a == bound ? b : a, bound), range);
    else
      wasTooEarly_ = true; // one of them may be the same as `bound` by and by
  }
  static bool isAboutTypes(Type type) {
    return type.kind == TypeKind::DType || type.kind == TypeKind::Dim || type.kind == TypeKind::Int ||
           (type.kind == TypeKind::Type && !type.isList());
  }

  // The right side ---------------------------------------------------------------------------------------------------
  void let(const Action &action) {
    if (action.vars.size() == action.values.size()) {
      for (size_t i = 0; i < action.vars.size(); ++i)
        slot(kPattern, action.vars[i].raw) = evaluate(action.values[i], kPattern);
    } else if (!action.values.empty()) {
      Sym made = evaluate(action.values[0], kPattern);
      for (size_t i = 0; i < action.vars.size(); ++i)
        slot(kPattern, action.vars[i].raw) = single(result(made.term, i));
    }
  }

  bool replaces(const MatchedOp &op, const Action &action) {
    const OpSet &ops = op.match->ops;
    size_t results = 1;
    if (!ops.byTrait()) {
      results = m_.op(ops.ops[0]).results.size();
      for (OpIndex each : ops.ops)
        if (m_.op(each).results.size() != results ||
            std::ranges::any_of(m_.op(each).results, [](auto &r) { return r.arity != Arity::Single; }))
          return false;
    } else if (!(ops.traits & trait::elementwise)) {
      return false;
    }
    if (action.values.size() == 1 && action.values[0].type.is(TypeKind::Op)) {
      Sym made = evaluate(action.values[0], kPattern);
      for (size_t i = 0; i < results; ++i)
        if (!sameTypes(result(op.self, i), result(made.term, i)))
          return false;
      return true;
    }
    if (action.values.size() != results)
      return false;
    for (size_t i = 0; i < results; ++i)
      if (!action.values[i].type.is(TypeKind::Value) || !provesValue(result(op.self, i), action.values[i]))
        return false;
    return true;
  }
  bool provesValue(Term old, const Expr &by) {
    if (by.kind == ExprKind::If) { // each way by itself, with what it is taken for
      Terms terms = t_;
      SameTypes then(*this, terms);
      wasTooEarly_ = true; // what is looked at there does not show here
      then.assumeTrue(by.args[0], kPattern);
      return then.provesValue(old, by.args[1]) && provesValue(old, by.args[2]);
    }
    if (by.kind == ExprKind::Let) {
      slot(kPattern, by.id) = evaluate(by.args[0], kPattern);
      return provesValue(old, by.args[1]);
    }
    return sameTypes(old, evaluate(by, kPattern).term);
  }
  bool sameTypes(Term old, Term by) {
    return t_.areSame(dtypeOf(old), dtypeOf(by)) && t_.areSame(shapeOf(old), shapeOf(by));
  }

  bool updates(const MatchedOp &op, const Action &action) {
    const OpSet &ops = op.match->ops;
    if (ops.byTrait() || ops.ops.size() != 1 || op.match->commutative)
      return false;
    const Op &declared = m_.op(ops.ops[0]);
    Frame before(*this, declared.body.vars.size()), after(*this, declared.body.vars.size());
    bindClauses(before.env, declared, *op.match, 0, op.operands, op.self);
    bindClauses(after.env, declared, *op.match, 0, op.operands, op.self);
    for (const BuildAttr &attr : action.attrs)
      attrSlot(after.env, declared, attr.index) = evaluate(attr.value, kPattern);
    bindDimensions(after.env, declared);
    for (size_t i = 0; i < declared.results.size(); ++i) {
      auto was = clause(declared, i, before.env), is = clause(declared, i, after.env);
      if (!was || !is || !t_.areSame(was->first, is->first) || !t_.areSame(was->second, is->second))
        return false;
    }
    return !declared.types.empty();
  }

  Sym build(const Build &b) {
    SymList operands;
    for (const Expr &operand : b.operands)
      operands.push_back(operand.kind == ExprKind::None ? absent() : evaluate(operand, kPattern));
    Term made = t_.unknown();
    if (b.kind == BuildKind::Chain) {
      Term inner = chains_[b.like.raw];
      wasTooEarly_ |= inner == Sym::kUnset;
      if (inner != Sym::kUnset && !b.sideValue) {
        t_.same(dtypeOf(made), t_.make(Head::Chain, {symbolOf(b.like), dtypeOf(operands[0].term)}));
        // The other operands of its links hold one element, of no greater rank than what the chain stood on.
        if (t_.areSame(t_.length(shapeOf(operands[0].term)), t_.length(shapeOf(inner))))
          t_.same(shapeOf(made), shapeOf(operands[0].term));
      }
      state(b, made);
      return single(made);
    }
    if (b.kind == BuildKind::Op)
      builtOp(b, operands, made);
    else if (b.kind == BuildKind::Like)
      made = builtLike(b, operands, made);
    for (size_t i = 0; i < b.types.size(); ++i)
      stateType(b.types[i], b.types.size() == 1 && b.resultCount == 1 ? result(made, 0) : result(made, i));
    return single(made);
  }
  void state(const Build &b, Term value) {
    if (b.types.size() == 1)
      stateType(b.types[0], value);
  }
  /// `-> f32` says the element type alone.
  void stateType(const Expr &type, Term value) {
    if (type.kind == ExprKind::MakeType && type.args.size() == 1)
      t_.same(dtypeOf(value), evaluate(type.args[0], kPattern).term);
    else
      hasType(value, evaluate(type, kPattern).term);
  }

  void builtOp(const Build &b, std::span<const Sym> operands, Term made) {
    std::span<const OpIndex> versions = b.versions.empty() ? std::span(&b.op, 1) : std::span(b.versions);
    for (size_t r = 0; r < m_.op(b.op).results.size(); ++r) {
      llvm::SmallVector<TypeParts, 4> all;
      for (OpIndex version : versions) {
        const Op &declared = m_.op(version);
        if (r >= declared.results.size())
          return;
        Frame clauses(*this, declared.body.vars.size());
        Env vars = clauses.env;
        bindOperands(vars, declared, operands, made);
        for (size_t i = 0; i < declared.attrs.size(); ++i) {
          // Where versions have the attribute at other places it is found by name.
          auto stated = std::ranges::find(b.attrs, declared.attrs[i].name, &BuildAttr::name);
          Term is = stated != b.attrs.end()          ? evaluate(stated->value, kPattern).term
                    : declared.attrs[i].defaultValue ? evaluate(*declared.attrs[i].defaultValue, vars).term
                                                     : t_.make(Head::Absent);
          attrSlot(vars, declared, i) = single(is);
        }
        bindDimensions(vars, declared);
        auto type = clause(declared, r, vars);
        if (!type)
          return;
        all.push_back(*type);
      }
      auto same = [&](auto part) {
        return std::ranges::all_of(all, [&](auto &t) { return t_.areSame(t.*part, all[0].*part); });
      };
      if (same(&TypeParts::first))
        t_.same(dtypeOf(result(made, r)), all[0].first);
      if (same(&TypeParts::second))
        t_.same(shapeOf(result(made, r)), all[0].second);
    }
  }

  Term builtLike(const Build &b, std::span<const Sym> operands, Term made) {
    const MatchedOp *like = opOf(b.like);
    wasTooEarly_ |= !like;
    if (!like)
      return made;
    const Match &m = *like->match;
    if (m.each)
      return made;
    Term value = result(made, m.result);
    if (m.ops.byTrait()) {
      if (b.attrs.empty())
        if (auto type = elementwiseType(*like, operands))
          cases(value, m, std::span(&*type, 1));
      return made;
    }
    bool list = operands.size() == 1 && b.operands[0].type.isList();
    for (size_t r = 0; !list && r < m_.op(m.ops.ops[0]).results.size(); ++r) {
      llvm::SmallVector<TypeParts, 4> all;
      for (size_t k = 0; k < m.ops.ops.size(); ++k) {
        const Op &declared = m_.op(m.ops.ops[k]);
        if (r >= declared.results.size())
          return made;
        // Regions that are not as they were give something else.
        Frame clauses(*this, declared.body.vars.size());
        Env vars = clauses.env;
        bindOperands(vars, declared, operands, b.regions.empty() ? like->self : made);
        for (size_t i = 0; i < declared.attrs.size(); ++i)
          attrSlot(vars, declared, i) = single(attrOf(m, k, declared, i, like->self, vars));
        for (const BuildAttr &attr : b.attrs) { // by the first op's place
          auto place = std::ranges::find(declared.attrs, attr.name, &OpAttrDecl::name);
          if (place != declared.attrs.end())
            attrSlot(vars, declared, size_t(place - declared.attrs.begin())) = evaluate(attr.value, kPattern);
        }
        bindDimensions(vars, declared);
        auto type = clause(declared, r, vars);
        if (!type)
          return made;
        all.push_back(*type);
        if (m.commutative && r == m.result) // as matched: in each order
          all.push_back(*type);
      }
      cases(result(made, r), m, all);
    }
    if (!m.optional || operands.empty())
      return made;
    // Where the op is absent, what it stands around.
    Term passed = t_.make(Head::Passed, {made}), there = result(made, m.result);
    cases(result(passed, 0), m, std::array{typeParts(there), typeParts(operands[0].term)});
    return passed;
  }

  // Expressions ------------------------------------------------------------------------------------------------------
  Sym evaluate(const Expr &e, Env vars) {
    if (isOver())
      return single(t_.unknown());
    Deeper deeper(*this);
    return evaluated(e, vars);
  }
  /// Functions that call others twice come to more than anybody waits for, so what is walked is counted.
  bool isOver() { return depth_ >= kMostDeep || ++walked_ > kMostWalked || t_.tooMany(); }
  struct Deeper {
    explicit Deeper(SameTypes &of) : depth(++of.depth_) {}
    ~Deeper() { --depth; }
    unsigned &depth;
  };
  Term termOf(const Expr &e, Env vars) { return evaluate(e, vars).term; }

  /// Which value an expression of kind value, or an op with one result, stands for.
  Term valueOf(const Expr &e, Env vars) {
    Term is = termOf(e, vars);
    return e.type.is(TypeKind::Op) ? result(is, 0) : is;
  }

  Sym evaluated(const Expr &e, Env vars) {
    auto arg = [&](size_t i) { return termOf(e.args[i], vars); };
    switch (e.kind) {
    case ExprKind::Int:
      return single(t_.number(e.i));
    case ExprKind::Float:
      return single(t_.make({Head::Float, std::bit_cast<int64_t>(e.f)}));
    case ExprKind::Bool:
      return single(t_.make(e.i ? Head::True : Head::False));
    case ExprKind::String:
      return single(t_.make({Head::String, nameOf(e.text)}));
    case ExprKind::DType:
      return single(e.text == "?" ? t_.unknown() : t_.make({Head::DTypeName, nameOf(e.text)}));
    case ExprKind::None:
      return single(e.type.is(TypeKind::Dim) ? t_.unknown() : t_.make(Head::Absent));
    case ExprKind::List: {
      SymList items;
      for (const Expr &element : e.args)
        items.push_back(evaluate(element, vars));
      return listOf(items, e.type);
    }
    case ExprKind::Var: {
      if (const Sym &known = slot(vars, e.id); known.isSet())
        return known;
      if (!vars.isPattern())
        return single(t_.unknown());
      if (const MatchedOp *op = opOf(e.var()))
        return single(op->self);
      wasTooEarly_ = true;
      return single(symbolOf(e.var()));
    }
    case ExprKind::Binary:
      return single(binary(e, vars));
    case ExprKind::Neg:
      return single(t_.difference(t_.number(0), arg(0)));
    case ExprKind::If:
      return single(t_.make(Head::If, {arg(0), arg(1), arg(2)}));
    case ExprKind::Let: {
      BoundVars inner(*this, vars, e.id);
      inner.is(evaluate(e.args[0], vars));
      return evaluate(e.args[1], vars);
    }
    case ExprKind::Range:
      return single(t_.make(Head::Range, {arg(0), arg(1)}));
    case ExprKind::Comprehension:
      return comprehension(e, vars);
    case ExprKind::Index: {
      Sym list = evaluate(e.args[0], vars);
      Term at = arg(1);
      if (std::optional<int64_t> n = t_.numberOf(at); list.isList && n && *n >= 0 && size_t(*n) < list.items.size())
        return list.items[size_t(*n)];
      return single(t_.index(list.term, at));
    }
    case ExprKind::Slice:
      return single(t_.make(Head::Slice, {arg(0), arg(1), arg(2)}));
    case ExprKind::Call: {
      const Fn &fn = m_.fn(e.fn());
      Frame inner(*this, fn.body.vars.size());
      bindParams(inner.env, fn, e, vars);
      return evaluate(fn.value, inner.env);
    }
    case ExprKind::Builtin:
      return single(builtin(e, vars));
    case ExprKind::Property:
      return single(property(e, vars));
    case ExprKind::OpOperand: {
      const MatchedOp *op = e.args[0].kind == ExprKind::Var ? opOf(e.args[0].var()) : nullptr;
      if (op && size_t(e.i) < op->operands.size() && !op->match->commutative && !op->match->ops.byTrait())
        return op->operands[size_t(e.i)];
      return single(t_.make({Head::Operand, e.i}, {arg(0)}));
    }
    case ExprKind::OpAttr: {
      const MatchedOp *op = e.args[0].kind == ExprKind::Var ? opOf(e.args[0].var()) : nullptr;
      if (op && op->match->ops.ops.size() == 1 && !op->match->ops.byTrait()) {
        const Op &declared = m_.op(op->match->ops.ops[0]);
        Frame clause(*this, declared.body.vars.size());
        bindOperands(clause.env, declared, op->operands, op->self);
        return single(attrOf(*op->match, 0, declared, size_t(e.i), op->self, clause.env));
      }
      return single(t_.make({Head::Attr, e.i}, {arg(0)}));
    }
    case ExprKind::OpResult:
      return single(result(arg(0), size_t(e.i)));
    case ExprKind::Convert: {
      if (e.type.is(TypeKind::Value) && e.args[0].type.is(TypeKind::Op))
        return single(valueOf(e.args[0], vars));
      bool isSame = e.args[0].type.kind == e.type.kind || e.type.kind == TypeKind::Dim ||
                    e.type.kind == TypeKind::Int || e.type.kind == TypeKind::Attr ||
                    e.args[0].type.kind == TypeKind::Attr;
      if (isSame)
        return evaluate(e.args[0], vars);
      Term made = t_.make({Head::Convert, int64_t(e.type.kind)}, {arg(0)});
      if (e.type.is(TypeKind::Value)) { // a constant op has the type of its tensor
        t_.same(dtypeOf(made), dtypeOf(arg(0)));
        t_.same(shapeOf(made), shapeOf(arg(0)));
      }
      return single(made);
    }
    case ExprKind::MakeType:
      return single(t_.make(Head::Type, {arg(0), e.args.size() > 1 ? arg(1) : t_.unknown()}));
    case ExprKind::Build: {
      if (!vars.isPattern())
        return single(t_.unknown());
      const Build &b = p_.body.builds[e.build().raw];
      Sym made = build(b);
      if (e.type.is(TypeKind::Value) && b.kind != BuildKind::Chain)
        return single(result(made.term, 0));
      return made;
    }
    default:
      return single(t_.unknown());
    }
  }
  /// A list whose elements are all known; of values they are kept one by one.
  Sym listOf(const SymList &items, Type type) {
    TermList terms;
    for (const Sym &item : items)
      terms.push_back(item.term);
    if (!type.element().is(TypeKind::Value))
      return {t_.list(terms), false, kept(items)};
    return {t_.make({Head::Values}, terms), true, kept(items)};
  }

  Term binary(const Expr &e, Env vars) {
    Term a = termOf(e.args[0], vars), b = termOf(e.args[1], vars);
    bool whole = e.type.is(TypeKind::Int) || e.type.is(TypeKind::Dim);
    if (e.binary == BinaryOp::Concat)
      return t_.concat(a, b);
    if (whole && e.binary == BinaryOp::Add)
      return t_.sum(a, b);
    if (whole && e.binary == BinaryOp::Sub)
      return t_.difference(a, b);
    if (whole && e.binary == BinaryOp::Mul)
      return t_.product(a, b);
    return t_.make({Head::Binary, int64_t(e.binary)}, {a, b});
  }

  Sym comprehension(const Expr &e, Env vars) {
    if (e.loopVars.size() != 1 || !e.loopGroups.empty() || e.sourceCount() != 1)
      return single(t_.unknown());
    Sym source = evaluate(e.args[1], vars);
    BoundVars each(*this, vars, e.loopVars[0].raw);
    if (source.isList && !e.hasFilter) {
      SymList items;
      for (const Sym &item : source.items) {
        each.is(item);
        items.push_back(evaluate(e.args[0], vars));
      }
      return listOf(items, e.type);
    }
    Term bound = t_.placeholder();
    each.is(single(bound));
    if (e.hasFilter) {
      Term filter = evaluate(e.filter(), vars).term;
      source.term = t_.make(Head::Where, {source.term, t_.map(source.term, filter, bound)});
    }
    return single(t_.map(source.term, evaluate(e.args[0], vars).term, bound));
  }

  Term builtin(const Expr &e, Env vars) {
    if (e.builtin == Builtin::Len) {
      Sym list = evaluate(e.args[0], vars);
      return list.isList ? t_.number(int64_t(list.items.size())) : t_.length(list.term);
    }
    if (e.builtin == Builtin::BroadcastAll)
      if (Sym list = evaluate(e.args[0], vars); list.isList && !list.items.empty()) {
        Term all = list.items.begin()->term;
        for (size_t i = 1; i < list.items.size(); ++i)
          all = t_.broadcast(all, (list.items.begin() + ptrdiff_t(i))->term);
        return all;
      }
    TermList args;
    for (const Expr &arg : e.args)
      args.push_back(termOf(arg, vars));
    if (e.builtin == Builtin::OrUnknown || e.builtin == Builtin::OrUnknowns) // what the size is, known or not
      return args[0];
    if (e.builtin == Builtin::Broadcast)
      return t_.broadcast(args[0], args[1]);
    if (e.builtin == Builtin::Exactly)
      return args[0];
    Term made = t_.make({Head::Builtin, int64_t(e.builtin)}, args);
    if (e.builtin == Builtin::Splat || e.builtin == Builtin::Constant) // tensors of a type that is said
      hasType(made, args.back());
    return made;
  }

  Term property(const Expr &e, Env vars) {
    const Type of = e.args[0].type;
    if (of.is(TypeKind::Type)) {
      auto [dtype, shape] = partsOf(termOf(e.args[0], vars));
      switch (e.property) {
      case Property::Shape:
        return shape;
      case Property::Rank:
        return t_.length(shape);
      case Property::DType:
        return dtype;
      default:
        break;
      }
      return t_.make({Head::Property, int64_t(e.property)}, {dtype, shape});
    }
    Term value = valueOf(e.args[0], vars);
    switch (e.property) {
    case Property::Shape:
      return shapeOf(value);
    case Property::Rank:
      return t_.length(shapeOf(value));
    case Property::DType:
      return dtypeOf(value);
    case Property::Type:
      return typeOf(value);
    case Property::Size:
      return t_.make(Head::Size, {shapeOf(value)});
    default:
      return t_.make({Head::Property, int64_t(e.property)}, {value});
    }
  }

  const Module &m_;
  const Pattern &p_;
  const Match &root_;
  Terms &t_;
  ProofMemory &memory_;
  std::vector<Sym> slots_;     // variables: those of the pattern, then a piece for each function that is being followed
  std::vector<MatchedOp> ops_; // by the variables of the pattern that name them
  std::vector<Term> chains_;   // what they stand on, likewise
  MatchedOp rootOp_;
  static constexpr unsigned kMostDeep = 200, kMostWalked = 200'000;
  unsigned depth_ = 0, walked_ = 0;
  bool wasTooEarly_ = false; // a variable may have been looked at before it stood for something
};
} // namespace

/// Returns what it took (Terms::steps).
static uint64_t prove(const Module &module, Pattern &pattern, ProofMemory &memory) {
  uint64_t steps = 0;
  for (Action &action : pattern.actions) {
    if (action.kind != ActionKind::Replace && action.kind != ActionKind::Update)
      continue;
    action.sameType = true;
    if (pattern.assumeSameType)
      continue;
    forEachRootOp(pattern.roots[0], [&](const Match &root) { // each that it may be by itself
      if (!action.sameType)
        return;
      memory.clear();
      action.sameType = SameTypes(module, pattern, root, memory).proves(action);
      steps += memory.terms.steps();
    });
  }
  return steps;
}

void proveTypes(CheckContext &c, std::span<const PatternIndex> patterns) {
  // A proof looks at its pattern and at what the module declares, and changes the pattern's actions alone.
  constexpr size_t kWorthThread = 128, kBatch = 16;
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> steps{0};
  auto work = [&] {
    ProofMemory memory;
    uint64_t own = 0;
    for (size_t first; (first = next.fetch_add(kBatch)) < patterns.size();)
      for (PatternIndex index : patterns.subspan(first, std::min(kBatch, patterns.size() - first)))
        own += prove(c.module, c.module.patterns[index.raw], memory);
    steps += own;
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < c.options.threads && patterns.size() >= kWorthThread; ++i)
      others.emplace_back(work);
    work();
  }
  if (c.options.work)
    c.options.work->steps += steps;
}

} // namespace rw::sema
