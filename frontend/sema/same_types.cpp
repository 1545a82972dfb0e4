// What replaces a value has its type, whatever the program: proved of most patterns when they are compiled, so that
// nothing is asked when they run.
//
// In:  a checked pattern.
// Out: Action::sameType. What is not proved here is asked where the pattern is about to fire
//      (PatternRewriter::canReplace).
// Elsewhere: types that contradict each other are stated_types.cpp; the algebra is terms.h.
//
// The `type` clauses of the ops on both sides are read as terms over what the pattern matches: `relu(relu(x)) =>
// relu(x)` has (x.dtype, x.shape) on both. What a `require` of a matched op, a condition, or a type on the left side
// makes the same is told to the terms. Of an op that may be one of several each is looked at. `elementwise` says that
// shapes broadcast. A stated type is the word of the pattern.
#include "frontend/sema/checker.h"
#include "frontend/sema/terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace rw::sema {
namespace {

/// What an expression stands for: a term (of a value: which one it is), or several values, one by one.
struct Sym {
  Term term = 0;
  bool isList = false; // `items` are all there are
  std::vector<Sym> items;
};

/// An op of the left side, by the variable that names it.
struct MatchedOp {
  const Match *match = nullptr;
  std::vector<Sym> operands;
  Term self = 0;
};

using Vars = std::map<uint32_t, Sym>;

class SameTypes {
public:
  SameTypes(const Module &module, const Pattern &pattern, const Match &root) : m_(module), p_(pattern), root_(root) {}

  /// Whether all that `action` replaces has the type of what replaces it.
  bool proves(const Action &action) {
    for (int pass = 0; pass < 2; ++pass) { // what is known of inner parts says more about outer ones the second time
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
      }
    }
    const MatchedOp *op = action.op ? opOf(action.op) : &rootOp_;
    if (!op || !op->match)
      return false;
    return action.kind == ActionKind::Update ? updates(*op, action) : replaces(*op, action);
  }

private:
  // Values -----------------------------------------------------------------------------------------------------------
  Term dtypeOf(Term value) { return t_.make("dtype", {value}); }
  Term shapeOf(Term value) { return t_.make("shape", {value}); }
  Term typeOf(Term value) { return t_.make("type", {dtypeOf(value), shapeOf(value)}); }
  Term result(Term op, size_t i) { return t_.make("result", {op, t_.number(int64_t(i))}); }
  void hasType(Term value, Term type) {
    if (t_.head(type) == "type") {
      const std::vector<Term> parts = t_.args(type);
      t_.same(dtypeOf(value), parts[0]);
      t_.same(shapeOf(value), parts[1]);
    } else {
      t_.same(typeOf(value), type);
    }
  }

  Sym *variable(VarId id) {
    auto it = vars_.find(id.raw);
    return it == vars_.end() ? nullptr : &it->second;
  }
  Term symbolOf(VarId id) { return t_.make(fmt::format("v{}", id.raw)); }
  MatchedOp *opOf(VarId id) {
    auto it = ops_.find(id.raw);
    return it == ops_.end() ? nullptr : &it->second;
  }

  // The left side ----------------------------------------------------------------------------------------------------
  Term match(const Match &m) {
    if (m.value && variable(m.value.var) && m.value.use != Use::Bind)
      return described(m, variable(m.value.var)->term);
    Term value = matched(m);
    if (m.value && !p_.body.var(m.value.var).perOperand)
      vars_[m.value.var.raw] = {value, false, {}};
    return described(m, value);
  }
  Term symbolOf(const Match &m) {
    return m.value ? symbolOf(m.value.var)
           : m.op  ? symbolOf(m.op.var)
                   : t_.make(fmt::format("m{}", static_cast<const void *>(&m)));
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
      t_.same(dtypeOf(value), evaluate(*type.dtype, vars_).term);
    if (type.equals)
      hasType(value, evaluate(*type.equals, vars_).term);
    if (!type.dims)
      return;
    Term shape = t_.list({});
    for (size_t i = 0; i < type.dims->size(); ++i) {
      const DimMatch &dim = (*type.dims)[i];
      Term known = dim.value ? evaluate(*dim.value, vars_).term
                   : dim.var ? (variable(dim.var.var) ? variable(dim.var.var)->term : symbolOf(dim.var.var))
                             : t_.make(fmt::format("dim{}", i), {value});
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
      Term value = t_.make("passed", {op.self});
      if (!op.operands.empty() && !op.operands[0].isList) {
        Term inner = op.operands[0].term, made = result(op.self, m.result);
        cases(value, m, {{dtypeOf(made), shapeOf(made)}, {dtypeOf(inner), shapeOf(inner)}});
      }
      return value;
    }
    case MatchKind::Chain: {
      Term inner = match(m.children[0]), value = symbolOf(m);
      if (m.op)
        chains_[m.op.var.raw] = inner;
      t_.same(shapeOf(value), shapeOf(inner)); // other operands hold one element, of no greater rank
      if (m.op)
        t_.same(dtypeOf(value), t_.make("chain", {symbolOf(m.op.var), dtypeOf(inner)}));
      return value;
    }
    default:
      return symbolOf(m);
    }
  }

  MatchedOp matchedOp(const Match &m) {
    MatchedOp op;
    op.match = &m;
    op.self = m.op ? symbolOf(m.op.var) : t_.make(fmt::format("o{}", static_cast<const void *>(&m)));
    if (m.each) {
      op.operands.push_back({t_.make("operands", {op.self}), false, {}});
      return op;
    }
    for (const OperandMatch &operand : m.operands)
      op.operands.push_back(operandOf(operand, op.self, op.operands.size()));
    bindAttrs(m);
    std::vector<std::pair<Term, Term>> all;
    bool listed = !m.ops.byTrait();
    for (size_t k = 0; listed && k < m.ops.ops.size(); ++k) {
      const Op &declared = m_.op(m.ops.ops[k]);
      if (declared.results.size() <= m.result)
        return op;
      for (bool swapped : {false, true}) {
        if (swapped && !(m.commutative && op.operands.size() >= 2))
          break;
        std::vector<Sym> operands = op.operands;
        if (swapped)
          std::swap(operands[0], operands[1]);
        Vars vars = clauseVars(declared, m, k, operands, op.self);
        if (m.ops.ops.size() == 1 && !m.optional && !swapped)
          for (const Require &require : declared.requires_)
            assumeTrue(require.condition, vars);
        if (m.ops.ops.size() == 1 && declared.results.size() > 1 && !m.commutative)
          for (size_t r = 0; r < declared.results.size(); ++r)
            if (std::optional<std::pair<Term, Term>> type = clause(declared, r, vars))
              hasType(result(op.self, r), t_.make("type", {type->first, type->second}));
        std::optional<std::pair<Term, Term>> type = clause(declared, m.result, vars);
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
  void cases(Term value, const Match &m, const std::vector<std::pair<Term, Term>> &all) {
    if (all.empty())
      return;
    std::vector<Term> dtypes, shapes;
    for (auto [dtype, shape] : all)
      dtypes.push_back(t_.find(dtype)), shapes.push_back(t_.find(shape));
    t_.same(dtypeOf(value), oneOf(dtypes, m.op ? symbolOf(m.op.var) : value));
    t_.same(shapeOf(value), oneOf(shapes, m.op ? symbolOf(m.op.var) : value));
  }
  Term oneOf(const std::vector<Term> &all, Term which) {
    if (std::ranges::all_of(all, [&](Term t) { return t == all[0]; }))
      return all[0];
    std::vector<Term> parts = all;
    parts.push_back(which);
    return t_.make("oneOf", std::move(parts));
  }

  Sym operandOf(const OperandMatch &operand, Term op, size_t i) {
    switch (operand.kind) {
    case OperandMatchKind::One:
      return {match(operand.elements[0]), false, {}};
    case OperandMatchKind::Absent:
      return {t_.make("absent"), true, {}};
    case OperandMatchKind::Ignored:
      return {t_.make(fmt::format("operand{}", i), {op}), false, {}};
    case OperandMatchKind::Maybe: // none or one
    case OperandMatchKind::List:
      break;
    }
    Sym list{0, !operand.hasRest, {}};
    std::vector<Term> ids;
    for (const Match &element : operand.elements) {
      Term value = match(element);
      list.items.push_back({value, false, {}});
      ids.push_back(value);
    }
    if (operand.hasRest) {
      Term rest = operand.rest ? symbolOf(operand.rest.var) : t_.make(fmt::format("rest{}", i), {op});
      if (operand.rest)
        vars_.try_emplace(operand.rest.var.raw, Sym{rest, false, {}});
      ids.insert(ids.begin() + std::min<ptrdiff_t>(operand.restAt, ptrdiff_t(ids.size())), rest);
      list.term = ids.size() == 1 ? rest : t_.make("values", ids);
      list.items.clear();
    } else {
      list.term = t_.make("values", ids);
    }
    return list;
  }

  void bindAttrs(const Match &m) {
    for (const AttrMatch &attr : m.attrs)
      if (attr.kind == AttrMatchKind::Var && attr.var && !variable(attr.var.var) &&
          !p_.body.var(attr.var.var).perOperand)
        vars_[attr.var.var.raw] = {symbolOf(attr.var.var), false, {}};
  }
  /// Attribute `index` of the op as matched, or of the one built again.
  Term attrOf(const Match &m, size_t ofOp, const Op &declared, size_t index, Term op, const Vars &clause) {
    std::optional<Term> found;
    for (const AttrMatch &attr : m.attrs) {
      if (ofOp >= attr.index.size() || attr.index[ofOp] != int(index))
        continue;
      std::optional<Term> is;
      switch (attr.kind) {
      case AttrMatchKind::Var:
        if (attr.var && !p_.body.var(attr.var.var).perOperand)
          is = variable(attr.var.var) ? variable(attr.var.var)->term : symbolOf(attr.var.var);
        break;
      case AttrMatchKind::Equal:
        is = evaluate(*attr.value, vars_).term;
        break;
      case AttrMatchKind::Default:
        if (declared.attrs[index].defaultValue)
          is = evaluate(*declared.attrs[index].defaultValue, clause).term;
        break;
      case AttrMatchKind::Absent:
        is = t_.make("absent");
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
    return found ? *found : t_.make(fmt::format("attr{}", index), {op});
  }
  Term listAttr(const AttrMatch &attr, Term op) {
    Term list = t_.list({});
    auto rest = [&] {
      list = t_.concat(list, attr.rest ? symbolOf(attr.rest.var) : t_.make("rest of " + attr.name, {op}));
    };
    for (size_t i = 0; i < attr.elements.size(); ++i) {
      if (attr.hasRest && attr.restAt == i)
        rest();
      const AttrMatch::Element &e = attr.elements[i];
      Term is = e.value ? evaluate(*e.value, vars_).term
                : e.var ? (variable(e.var.var) ? variable(e.var.var)->term : symbolOf(e.var.var))
                        : t_.make(fmt::format("element {} of {}", i, attr.name), {op});
      list = t_.concat(list, t_.list({is}));
    }
    if (attr.hasRest && attr.restAt >= attr.elements.size())
      rest();
    return list;
  }

  // Ops --------------------------------------------------------------------------------------------------------------
  /// What the variables of a declaration stand for in the op at hand.
  Vars clauseVars(const Op &declared, const Match &m, size_t ofOp, const std::vector<Sym> &operands, Term op) {
    Vars vars = operandVars(declared, operands, op);
    for (size_t i = 0; i < declared.attrs.size(); ++i)
      vars[uint32_t(declared.operands.size() + i)] = {attrOf(m, ofOp, declared, i, op, vars), false, {}};
    finish(declared, vars);
    return vars;
  }
  Vars operandVars(const Op &declared, const std::vector<Sym> &operands, Term op) {
    Vars vars;
    std::vector<Term> types;
    for (size_t i = 0; i < declared.operands.size(); ++i) {
      Sym operand = i < operands.size() ? operands[i] : Sym{t_.make("absent"), true, {}};
      types.push_back(operand.term);
      vars[uint32_t(i)] = std::move(operand);
    }
    for (size_t i = declared.operands.size() + declared.attrs.size(); i < declared.body.vars.size(); ++i)
      if (declared.body.vars[i].name.ends_with(".params") ||
          declared.body.vars[i].name.ends_with(".results")) { // of a region
        std::vector<Term> parts = types;
        parts.push_back(op);
        vars[uint32_t(i)] = {t_.make(declared.body.vars[i].name, parts), false, {}};
      }
    return vars;
  }
  /// Names in the types of operands.
  void finish(const Op &declared, Vars &vars) {
    for (const Op::Dimension &dim : declared.dimensions)
      vars[dim.var.raw] = evaluate(dim.value, vars);
  }
  /// Element type and shape of a result by the `type` clause.
  std::optional<std::pair<Term, Term>> clause(const Op &declared, size_t result, const Vars &vars) {
    if (result >= declared.types.size() || declared.results[result].arity != Arity::Single)
      return std::nullopt;
    return partsOf(evaluate(declared.types[result], vars).term);
  }
  std::pair<Term, Term> partsOf(Term type) {
    if (t_.head(type) == "type")
      return {t_.args(type)[0], t_.args(type)[1]};
    return {t_.make("dtypeOf", {type}), t_.make("shapeOf", {type})};
  }
  /// Of an op that is known by its traits alone: shapes broadcast, and the element type follows from which op it is
  /// and from its operands.
  std::optional<std::pair<Term, Term>> elementwiseType(const MatchedOp &op, const std::vector<Sym> &operands) {
    const OpSet &ops = op.match->ops;
    if (!(ops.traits & trait::elementwise) || ops.mixed() || op.match->ignoreOperands || operands.empty())
      return std::nullopt;
    std::vector<Term> dtypes{op.self}, shapes{op.self};
    for (const Sym &operand : operands) {
      if (operand.isList)
        return std::nullopt;
      dtypes.push_back(dtypeOf(operand.term));
      shapes.push_back(shapeOf(operand.term));
    }
    Term shape = operands.size() == 1 ? shapes[1] : t_.make("shapes", shapes);
    return std::pair(t_.make("dtypes", dtypes), shape);
  }

  // What holds -------------------------------------------------------------------------------------------------------
  void assume(const Condition &condition) {
    switch (condition.kind) {
    case ConditionKind::Test:
      assumeTrue(condition.expr, vars_);
      break;
    case ConditionKind::Let:
      vars_[condition.var.raw] = evaluate(condition.expr, vars_);
      break;
    case ConditionKind::Is:
      if (condition.match && condition.expr.type.is(TypeKind::Value)) {
        Term value = evaluate(condition.expr, vars_).term, is = match(*condition.match);
        t_.same(dtypeOf(value), dtypeOf(is));
        t_.same(shapeOf(value), shapeOf(is));
      }
      break;
    }
  }
  void assumeTrue(const Expr &e, const Vars &vars) {
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
      Vars inner;
      for (size_t i = 0; i < fn.params.size() && i < e.args.size(); ++i)
        inner[fn.params[i].raw] = evaluate(e.args[i], vars);
      assumeTrue(fn.value, inner);
    } else if (e.kind == ExprKind::Builtin && e.builtin == Builtin::All) {
      assumeEach(e.args[0], vars);
    } else if (e.kind == ExprKind::Builtin && e.builtin == Builtin::IsPermutation) {
      t_.same(t_.length(evaluate(e.args[0], vars).term), evaluate(e.args[1], vars).term);
    }
  }
  /// `all(list[i] == i for i in 0..n)`: so many elements of the list are their indexes.
  void assumeEach(const Expr &e, const Vars &vars) {
    bool isPlain = e.kind == ExprKind::Comprehension && e.loopVars.size() == 1 && e.loopGroups.empty() &&
                   e.sourceCount() == 1 && !e.hasFilter;
    if (!isPlain || e.args[0].kind != ExprKind::Binary || e.args[0].binary != BinaryOp::Eq)
      return;
    Term range = evaluate(e.args[1], vars).term, bound = t_.placeholder();
    if (t_.head(range) != "range" || t_.numberOf(t_.args(range)[0]) != 0)
      return;
    Vars inner = vars;
    inner[e.loopVars[0].raw] = {bound, false, {}};
    Vars again = inner;
    Term a = evaluateIn(e.args[0].args[0], inner, vars).term, b = evaluateIn(e.args[0].args[1], again, vars).term;
    if (a == bound || b == bound)
      t_.same(t_.map(range, a == bound ? b : a, bound), range);
  }
  static bool isAboutTypes(Type type) {
    return type.kind == TypeKind::DType || type.kind == TypeKind::Dim || type.kind == TypeKind::Int ||
           (type.kind == TypeKind::Type && !type.isList());
  }

  // The right side ---------------------------------------------------------------------------------------------------
  void let(const Action &action) {
    if (action.vars.size() == action.values.size()) {
      for (size_t i = 0; i < action.vars.size(); ++i)
        vars_[action.vars[i].raw] = evaluate(action.values[i], vars_);
    } else if (!action.values.empty()) {
      Sym made = evaluate(action.values[0], vars_);
      for (size_t i = 0; i < action.vars.size(); ++i)
        vars_[action.vars[i].raw] = {result(made.term, i), false, {}};
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
      Sym made = evaluate(action.values[0], vars_);
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
      SameTypes then = *this;
      then.assumeTrue(by.args[0], then.vars_);
      return then.provesValue(old, by.args[1]) && provesValue(old, by.args[2]);
    }
    if (by.kind == ExprKind::Let) {
      vars_[by.id] = evaluate(by.args[0], vars_);
      return provesValue(old, by.args[1]);
    }
    return sameTypes(old, evaluate(by, vars_).term);
  }
  bool sameTypes(Term old, Term by) {
    return t_.areSame(dtypeOf(old), dtypeOf(by)) && t_.areSame(shapeOf(old), shapeOf(by));
  }

  bool updates(const MatchedOp &op, const Action &action) {
    const OpSet &ops = op.match->ops;
    if (ops.byTrait() || ops.ops.size() != 1 || op.match->commutative)
      return false;
    const Op &declared = m_.op(ops.ops[0]);
    Vars before = clauseVars(declared, *op.match, 0, op.operands, op.self), after = before;
    for (const BuildAttr &attr : action.attrs)
      after[uint32_t(declared.operands.size() + attr.index)] = evaluate(attr.value, vars_);
    finish(declared, after);
    for (size_t i = 0; i < declared.results.size(); ++i) {
      auto was = clause(declared, i, before), is = clause(declared, i, after);
      if (!was || !is || !t_.areSame(was->first, is->first) || !t_.areSame(was->second, is->second))
        return false;
    }
    return !declared.types.empty();
  }

  Sym build(const Build &b) {
    std::vector<Sym> operands;
    std::vector<Term> ids;
    for (const Expr &operand : b.operands) {
      operands.push_back(operand.kind == ExprKind::None ? Sym{t_.make("absent"), true, {}} : evaluate(operand, vars_));
      ids.push_back(operands.back().term);
    }
    Term made = t_.unknown();
    if (b.kind == BuildKind::Chain) {
      auto inner = chains_.find(b.like.raw);
      if (inner != chains_.end() && !b.sideValue) {
        t_.same(dtypeOf(made), t_.make("chain", {symbolOf(b.like), dtypeOf(operands[0].term)}));
        // The other operands of its links hold one element, of no greater rank than what the chain stood on.
        if (t_.areSame(t_.length(shapeOf(operands[0].term)), t_.length(shapeOf(inner->second))))
          t_.same(shapeOf(made), shapeOf(operands[0].term));
      }
      state(b, made);
      return {made, false, {}};
    }
    if (b.kind == BuildKind::Op)
      builtOp(b, operands, made);
    else if (b.kind == BuildKind::Like)
      made = builtLike(b, operands, made);
    for (size_t i = 0; i < b.types.size(); ++i)
      stateType(b.types[i], b.types.size() == 1 && b.resultCount == 1 ? result(made, 0) : result(made, i));
    return {made, false, {}};
  }
  void state(const Build &b, Term value) {
    if (b.types.size() == 1)
      stateType(b.types[0], value);
  }
  /// `-> f32` says the element type alone.
  void stateType(const Expr &type, Term value) {
    if (type.kind == ExprKind::MakeType && type.args.size() == 1)
      t_.same(dtypeOf(value), evaluate(type.args[0], vars_).term);
    else
      hasType(value, evaluate(type, vars_).term);
  }

  void builtOp(const Build &b, const std::vector<Sym> &operands, Term made) {
    const std::vector<OpIndex> versions = b.versions.empty() ? std::vector<OpIndex>{b.op} : b.versions;
    for (size_t r = 0; r < m_.op(b.op).results.size(); ++r) {
      std::vector<std::pair<Term, Term>> all;
      for (OpIndex version : versions) {
        const Op &declared = m_.op(version);
        if (r >= declared.results.size())
          return;
        Vars vars = operandVars(declared, operands, made);
        for (size_t i = 0; i < declared.attrs.size(); ++i) {
          // Where versions have the attribute at other places it is found by name.
          auto stated = std::ranges::find(b.attrs, declared.attrs[i].name, &BuildAttr::name);
          Term is = stated != b.attrs.end()          ? evaluate(stated->value, vars_).term
                    : declared.attrs[i].defaultValue ? evaluate(*declared.attrs[i].defaultValue, vars).term
                                                     : t_.make("absent");
          vars[uint32_t(declared.operands.size() + i)] = {is, false, {}};
        }
        finish(declared, vars);
        auto type = clause(declared, r, vars);
        if (!type)
          return;
        all.push_back(*type);
      }
      auto same = [&](auto part) {
        return std::ranges::all_of(all, [&](auto &t) { return t_.areSame(t.*part, all[0].*part); });
      };
      using Pair = std::pair<Term, Term>;
      if (same(&Pair::first))
        t_.same(dtypeOf(result(made, r)), all[0].first);
      if (same(&Pair::second))
        t_.same(shapeOf(result(made, r)), all[0].second);
    }
  }

  Term builtLike(const Build &b, const std::vector<Sym> &operands, Term made) {
    const MatchedOp *like = opOf(b.like);
    if (!like)
      return made;
    const Match &m = *like->match;
    if (m.each)
      return made;
    Term value = result(made, m.result);
    if (m.ops.byTrait()) {
      if (b.attrs.empty())
        if (auto type = elementwiseType(*like, operands))
          cases(value, m, {*type});
      return made;
    }
    bool list = operands.size() == 1 && b.operands[0].type.isList();
    for (size_t r = 0; !list && r < m_.op(m.ops.ops[0]).results.size(); ++r) {
      std::vector<std::pair<Term, Term>> all;
      for (size_t k = 0; k < m.ops.ops.size(); ++k) {
        const Op &declared = m_.op(m.ops.ops[k]);
        if (r >= declared.results.size())
          return made;
        // Regions that are not as they were give something else.
        Vars vars = operandVars(declared, operands, b.regions.empty() ? like->self : made);
        for (size_t i = 0; i < declared.attrs.size(); ++i)
          vars[uint32_t(declared.operands.size() + i)] = {attrOf(m, k, declared, i, like->self, vars), false, {}};
        for (const BuildAttr &attr : b.attrs) { // by the first op's place
          auto place = std::ranges::find(declared.attrs, attr.name, &OpAttrDecl::name);
          if (place != declared.attrs.end())
            vars[uint32_t(declared.operands.size() + size_t(place - declared.attrs.begin()))] =
                evaluate(attr.value, vars_);
        }
        finish(declared, vars);
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
    Term passed = t_.make("passed", {made}), there = result(made, m.result);
    cases(result(passed, 0), m,
          {{dtypeOf(there), shapeOf(there)}, {dtypeOf(operands[0].term), shapeOf(operands[0].term)}});
    return passed;
  }

  // Expressions ------------------------------------------------------------------------------------------------------
  Sym evaluate(const Expr &e, const Vars &vars) {
    if (isOver())
      return {t_.unknown(), false, {}};
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
  Term termOf(const Expr &e, const Vars &vars) { return evaluate(e, vars).term; }

  /// Which value an expression of kind value, or an op with one result, stands for.
  Term valueOf(const Expr &e, const Vars &vars) {
    Term is = termOf(e, vars);
    return e.type.is(TypeKind::Op) ? result(is, 0) : is;
  }

  Sym evaluated(const Expr &e, const Vars &vars) {
    auto just = [](Term t) { return Sym{t, false, {}}; };
    auto arg = [&](size_t i) { return termOf(e.args[i], vars); };
    switch (e.kind) {
    case ExprKind::Int:
      return just(t_.number(e.i));
    case ExprKind::Float:
      return just(t_.make(fmt::format("float {}", e.f)));
    case ExprKind::Bool:
      return just(t_.make(e.i ? "true" : "false"));
    case ExprKind::String:
      return just(t_.make("\"" + e.text));
    case ExprKind::DType:
      return just(e.text == "?" ? t_.unknown() : t_.make("is " + e.text));
    case ExprKind::None:
      return just(e.type.is(TypeKind::Dim) ? t_.unknown() : t_.make("absent"));
    case ExprKind::List: {
      Sym out{0, true, {}};
      std::vector<Term> terms;
      for (const Expr &element : e.args) {
        out.items.push_back(evaluate(element, vars));
        terms.push_back(out.items.back().term);
      }
      out.term = e.type.element().is(TypeKind::Value) ? t_.make("values", terms) : t_.list(terms);
      out.isList = e.type.element().is(TypeKind::Value);
      return out;
    }
    case ExprKind::Var: {
      auto it = vars.find(e.id);
      if (it != vars.end())
        return it->second;
      if (&vars != &vars_)
        return just(t_.unknown());
      if (MatchedOp *op = opOf(e.var()))
        return just(op->self);
      return just(symbolOf(e.var()));
    }
    case ExprKind::Binary:
      return just(binary(e, vars));
    case ExprKind::Neg:
      return just(t_.difference(t_.number(0), arg(0)));
    case ExprKind::If:
      return just(t_.make("if", {arg(0), arg(1), arg(2)}));
    case ExprKind::Let: {
      Vars inner = vars;
      inner[e.id] = evaluate(e.args[0], vars);
      return evaluateIn(e.args[1], inner, vars);
    }
    case ExprKind::Range:
      return just(t_.make("range", {arg(0), arg(1)}));
    case ExprKind::Comprehension:
      return comprehension(e, vars);
    case ExprKind::Index: {
      Sym list = evaluate(e.args[0], vars);
      Term at = arg(1);
      if (std::optional<int64_t> n = t_.numberOf(at); list.isList && n && *n >= 0 && size_t(*n) < list.items.size())
        return list.items[size_t(*n)];
      return just(t_.index(list.term, at));
    }
    case ExprKind::Slice:
      return just(t_.make("slice", {arg(0), arg(1), arg(2)}));
    case ExprKind::Call: {
      const Fn &fn = m_.fn(e.fn());
      Vars inner;
      for (size_t i = 0; i < fn.params.size() && i < e.args.size(); ++i)
        inner[fn.params[i].raw] = evaluate(e.args[i], vars);
      return evaluate(fn.value, inner);
    }
    case ExprKind::Builtin:
      return just(builtin(e, vars));
    case ExprKind::Property:
      return just(property(e, vars));
    case ExprKind::OpOperand: {
      const MatchedOp *op = e.args[0].kind == ExprKind::Var ? opOf(e.args[0].var()) : nullptr;
      if (op && size_t(e.i) < op->operands.size() && !op->match->commutative && !op->match->ops.byTrait())
        return op->operands[size_t(e.i)];
      return just(t_.make(fmt::format("operand{}", e.i), {arg(0)}));
    }
    case ExprKind::OpAttr: {
      const MatchedOp *op = e.args[0].kind == ExprKind::Var ? opOf(e.args[0].var()) : nullptr;
      if (op && op->match->ops.ops.size() == 1 && !op->match->ops.byTrait()) {
        const Op &declared = m_.op(op->match->ops.ops[0]);
        Vars clause = operandVars(declared, op->operands, op->self);
        return just(attrOf(*op->match, 0, declared, size_t(e.i), op->self, clause));
      }
      return just(t_.make(fmt::format("attr{}", e.i), {arg(0)}));
    }
    case ExprKind::OpResult:
      return just(result(arg(0), size_t(e.i)));
    case ExprKind::Convert: {
      if (e.type.is(TypeKind::Value) && e.args[0].type.is(TypeKind::Op))
        return just(valueOf(e.args[0], vars));
      bool isSame = e.args[0].type.kind == e.type.kind || e.type.kind == TypeKind::Dim ||
                    e.type.kind == TypeKind::Int || e.type.kind == TypeKind::Attr ||
                    e.args[0].type.kind == TypeKind::Attr;
      if (isSame)
        return evaluate(e.args[0], vars);
      Term made = t_.make(fmt::format("convert{}", int(e.type.kind)), {arg(0)});
      if (e.type.is(TypeKind::Value)) { // a constant op has the type of its tensor
        t_.same(dtypeOf(made), dtypeOf(arg(0)));
        t_.same(shapeOf(made), shapeOf(arg(0)));
      }
      return just(made);
    }
    case ExprKind::MakeType:
      return just(t_.make("type", {arg(0), e.args.size() > 1 ? arg(1) : t_.unknown()}));
    case ExprKind::Build: {
      if (&vars != &vars_)
        return just(t_.unknown());
      const Build &b = p_.body.builds[e.build().raw];
      Sym made = build(b);
      if (e.type.is(TypeKind::Value) && b.kind != BuildKind::Chain)
        return just(result(made.term, 0));
      return made;
    }
    default:
      return just(t_.unknown());
    }
  }
  /// `inner` are the variables at `outer` and more; those of the pattern are not copied out.
  Sym evaluateIn(const Expr &e, Vars &inner, const Vars &outer) {
    if (&outer != &vars_)
      return evaluate(e, inner);
    vars_.swap(inner);
    Sym out = evaluate(e, vars_);
    vars_.swap(inner);
    return out;
  }

  Term binary(const Expr &e, const Vars &vars) {
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
    return t_.make(std::string(spelling(e.binary)), {a, b});
  }

  Sym comprehension(const Expr &e, const Vars &vars) {
    if (e.loopVars.size() != 1 || !e.loopGroups.empty() || e.sourceCount() != 1)
      return {t_.unknown(), false, {}};
    Sym source = evaluate(e.args[1], vars);
    Vars inner = vars;
    if (source.isList && !e.hasFilter) {
      Sym out{0, true, {}};
      std::vector<Term> terms;
      for (const Sym &item : source.items) {
        inner[e.loopVars[0].raw] = item;
        Vars each = inner;
        out.items.push_back(evaluateIn(e.args[0], each, vars));
        terms.push_back(out.items.back().term);
      }
      bool values = e.type.element().is(TypeKind::Value);
      out.term = values ? t_.make("values", terms) : t_.list(terms);
      out.isList = values;
      return out;
    }
    Term bound = t_.placeholder();
    inner[e.loopVars[0].raw] = {bound, false, {}};
    if (e.hasFilter) {
      Vars each = inner;
      Term filter = evaluateIn(e.filter(), each, vars).term;
      source.term = t_.make("where", {source.term, t_.map(source.term, filter, bound)});
    }
    return {t_.map(source.term, evaluateIn(e.args[0], inner, vars).term, bound), false, {}};
  }

  Term builtin(const Expr &e, const Vars &vars) {
    if (e.builtin == Builtin::Len) {
      Sym list = evaluate(e.args[0], vars);
      return list.isList ? t_.number(int64_t(list.items.size())) : t_.length(list.term);
    }
    std::vector<Term> args;
    for (const Expr &arg : e.args)
      args.push_back(termOf(arg, vars));
    if (e.builtin == Builtin::Broadcast)
      return t_.broadcast(args[0], args[1]);
    if (e.builtin == Builtin::Exactly)
      return args[0];
    Term made = t_.make(fmt::format("builtin{}", int(e.builtin)), args);
    if (e.builtin == Builtin::Splat || e.builtin == Builtin::Constant) // tensors of a type that is said
      hasType(made, args.back());
    return made;
  }

  Term property(const Expr &e, const Vars &vars) {
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
      return t_.make(fmt::format("property{}", int(e.property)), {dtype, shape});
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
      return t_.make("size", {shapeOf(value)});
    default:
      return t_.make(fmt::format("property{}", int(e.property)), {value});
    }
  }

  const Module &m_;
  const Pattern &p_;
  const Match &root_;
  Terms t_;
  Vars vars_; // of the pattern
  std::map<uint32_t, MatchedOp> ops_;
  std::map<uint32_t, Term> chains_; // what they stand on
  MatchedOp rootOp_;
  static constexpr unsigned kMostDeep = 200, kMostWalked = 200'000;
  unsigned depth_ = 0, walked_ = 0;
};
} // namespace

void Checker::proveTypes(Pattern &pattern) {
  for (Action &action : pattern.actions) {
    if (action.kind != ActionKind::Replace && action.kind != ActionKind::Update)
      continue;
    action.sameType = true;
    if (pattern.assumeSameType)
      continue;
    forEachRootOp(pattern.roots[0], [&](const Match &root) { // each that it may be by itself
      action.sameType = action.sameType && SameTypes(module, pattern, root).proves(action);
    });
  }
}

} // namespace rw::sema
