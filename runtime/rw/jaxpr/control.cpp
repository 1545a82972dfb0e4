// Jaxprs inside: functions that are called, branches, loops, and what reductions do with two elements.
#include "rw/jaxpr/program_maker.h"

#include "rw/ir/text_format.h"
#include "rw/jaxpr/primitives.h"
#include "rw/support/numbers.h"

#include <algorithm>

namespace rw::jaxpr {

const Param *ProgramMaker::find(const Equation &e, std::string_view key) const {
  for (const Param &p : syntax_.paramsOf(e))
    if (p.key == key)
      return &p;
  return nullptr;
}

bool ProgramMaker::unknownKey(const Draft &d, const Param &p) {
  return error("unknown-key", p.from, p.from + p.key.size(),
               "the key `" + std::string(p.key) + "` of `" + std::string(d.equation.primitive) + "` is not known",
               "what it says might matter: this version of JAX is newer than those that are read (docs/jaxpr.md)");
}

/// An error for a key that is neither read nor of no matter.
bool ProgramMaker::checkKeys(const Draft &d, std::initializer_list<std::string_view> read) {
  for (const Param &p : syntax_.paramsOf(d.equation))
    if (std::find(read.begin(), read.end(), p.key) == read.end() && !isHarmless(d.name, p.key))
      return unknownKey(d, p);
  return true;
}

/// The jaxpr that a value is, or names.
bool ProgramMaker::jaxprOf(const Draft &, const SyntaxValue &v, uint32_t &out) {
  if (v.kind == ValueKind::Jaxpr) {
    out = v.jaxpr;
    return true;
  }
  std::string_view name = v.kind == ValueKind::Name ? v.text : std::string_view(v.from, size_t(v.to - v.from));
  if (auto it = shared_.find(name); it != shared_.end())
    for (size_t i = it->second.size(); i-- > 0;)
      if (it->second[i] < limit_) {
        out = syntax_.shared[it->second[i]].jaxpr;
        return true;
      }
  return error("unknown-jaxpr", v.from, v.to,
               "this is neither a jaxpr nor the name of one that `let` has introduced above");
}

bool ProgramMaker::jaxprOf(const Draft &d, std::string_view key, uint32_t &out) {
  const Param *p = find(d.equation, key);
  if (!p)
    return error("missing-attribute", d.equation,
                 "`" + std::string(d.equation.primitive) + "` needs the key `" + std::string(key) + "`");
  return jaxprOf(d, syntax_.values[p->value], out);
}

/// What a key says, a whole number; `out` stays if it is not there.
bool ProgramMaker::numberOf(const Draft &d, std::string_view key, int64_t least, int64_t most, int64_t &out) {
  const Param *p = find(d.equation, key);
  if (!p)
    return true;
  const SyntaxValue &v = syntax_.values[p->value];
  Parsed<int64_t> n;
  if (v.kind == ValueKind::Number)
    n = parseInt(v.text);
  if (!n || n.value < least || n.value > most)
    return error("bad-attribute", v.from, v.to,
                 "`" + std::string(key) + "` is a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + " here");
  out = n.value;
  return true;
}

/// The jaxpr inside one that does nothing but call it with its own inputs: custom_jvp_call of a jit, as jax.nn has
/// them.
uint32_t ProgramMaker::skipWrappers(uint32_t index) {
  for (;;) {
    const Jaxpr &j = syntax_.jaxprs[index];
    std::span<const Equation> equations = syntax_.equationsOf(j);
    if (j.constants.count != 0 || equations.size() != 1 || sharedPlace_.contains(index))
      return index;
    const Equation &e = equations[0];
    std::span<const Atom> atoms = syntax_.atomsOf(e.atoms), results = syntax_.atomsOf(j.results);
    std::span<const Binder> inputs = syntax_.bindersOf(j.inputs), binders = syntax_.bindersOf(e.binders);
    auto same = [](std::span<const Atom> a, std::span<const Binder> b) {
      return std::ranges::equal(
          a, b, [](const Atom &x, const Binder &y) { return !x.isLiteral && x.name == y.name && y.name != "_"; });
    };
    if (canonicalName(e.primitive) != "jit" || !same(atoms, inputs) || !same(results, binders))
      return index;
    const Param *p = find(e, "jaxpr");
    if (!p || syntax_.values[p->value].kind != ValueKind::Jaxpr)
      return index;
    for (const Param &key : syntax_.paramsOf(e)) // the equation itself has its say about what is wrong with it
      if (key.key != "jaxpr" && !isHarmless("jit", key.key))
        return index;
    const Jaxpr &inner = syntax_.jaxprs[syntax_.values[p->value].jaxpr];
    std::span<const Binder> innerInputs = syntax_.bindersOf(inner.inputs);
    auto typeOf = [](const Binder &b) { return b.type.type; };
    if (!std::ranges::equal(inputs, innerInputs, {}, typeOf, typeOf))
      return index;
    index = syntax_.values[p->value].jaxpr;
  }
}

bool ProgramMaker::makeCall(Draft &d) {
  const Equation &e = d.equation;
  std::string_view key = "jaxpr";
  for (std::string_view other : {"call_jaxpr", "fun_jaxpr"})
    if (!find(e, key) && find(e, other))
      key = other;
  uint32_t index;
  if (!checkKeys(d, {key}) || !jaxprOf(d, key, index))
    return false;
  index = skipWrappers(index);
  const Jaxpr &jaxpr = syntax_.jaxprs[index];
  std::span<const Binder> inputs = syntax_.bindersOf(jaxpr.inputs);
  std::span<const Atom> atoms = syntax_.atomsOf(e.atoms);
  if (inputs.size() != atoms.size())
    return error("wrong-operand-count", e,
                 "the jaxpr takes " + std::to_string(inputs.size()) + " values, and is given " +
                     std::to_string(atoms.size()));
  if (atoms.size() > kMaxOperands || e.binders.count > kMaxResults)
    return error("too-large", e, "this call has too many operands or results");
  Ids ids;
  Function &fn = *made_->fn;
  for (size_t i = 0; i < atoms.size(); ++i) {
    Known known;
    if (!operand(atoms[i], d.region, inputs[i].type.type, known))
      return false;
    if (!ctx_.compatible(fn.data(known.value).type, inputs[i].type.type) || known.isKey != inputs[i].type.isKey)
      return error("type-mismatch", atoms[i].from, atoms[i].to,
                   "the jaxpr takes " + ctx_.typeToString(inputs[i].type.type) + " here, and is given " +
                       ctx_.typeToString(fn.data(known.value).type));
    ids.push_back(known.value);
  }
  std::string name(d.name);
  if (const Param *p = find(e, "name")) {
    const SyntaxValue &v = syntax_.values[p->value];
    std::string_view printed = v.text.empty() ? std::string_view(v.from, size_t(v.to - v.from)) : v.text;
    std::string plain; // `<lambda>` and what else Python names so
    for (char c : printed)
      if (text::isNameChar(c) || c == '.')
        plain += c;
    if (!plain.empty() && plain.size() <= 256)
      name = plain;
  }
  Callee callee;
  if (!makeFunction(index, name, callee))
    return false;
  for (uint32_t lost : callee.lost)
    ids.push_back(lostValue(lost));
  Types types;
  Values results;
  for (const Binder &b : syntax_.bindersOf(e.binders))
    types.push_back(b.type.type);
  std::span<const Atom> returned = syntax_.atomsOf(jaxpr.results);
  if (returned.size() != types.size())
    return error("wrong-result-count", e,
                 "the jaxpr has " + std::to_string(returned.size()) + " results, and " + std::to_string(types.size()) +
                     " variables are bound to them");
  KindId kind = kindOf("tensor.call");
  int index0 = ctx_.ops().schema(kind).attrIndex("callee");
  AttrsId attrs = ctx_.withAttr(ctx_.noAttrs(), unsigned(index0), ctx_.symbolAttr(callee.name));
  Op op = made_->fn->appendOp(d.region, kind, ids, attrs, types, locAt(e.from));
  std::span<const Binder> binders = syntax_.bindersOf(e.binders);
  for (unsigned i = 0; i < types.size(); ++i) {
    results.push_back({op.result(i).id, binders[i].type.isKey});
    this->name(op.result(i).id, binders[i].name);
  }
  return bindResults(e, results);
}

/// Parameters of a region for what a jaxpr takes behind the first `given`.
bool ProgramMaker::inputsOfRegion(const Draft &, uint32_t index, size_t given, RegionId region, Values &inputs) {
  std::span<const Binder> binders = syntax_.bindersOf(syntax_.jaxprs[index].inputs);
  for (size_t i = given; i < binders.size(); ++i) {
    inputs.push_back({made_->fn->addRegionParam(region, binders[i].type.type).id, binders[i].type.isKey});
    name(inputs.back().value, binders[i].name);
  }
  return true;
}

/// A jaxpr as what a region holds: its equations, or a call of it if it is shared and not small.
bool ProgramMaker::fillRegion(const Draft &d, uint32_t index, RegionId region, std::span<const Known> inputs,
                              std::span<const Binder> expected, Values *out) {
  const Jaxpr &jaxpr = syntax_.jaxprs[index];
  constexpr uint32_t kSmall = 16;
  Values results;
  auto place = sharedPlace_.find(index);
  if (place == sharedPlace_.end() || (jaxpr.isLeaf && jaxpr.equations.count <= kSmall)) {
    size_t limit = limit_;
    if (place != sharedPlace_.end())
      limit_ = place->second;
    bool ok = makeBody(jaxpr, region, inputs, expected, results);
    limit_ = limit;
    if (!ok)
      return false;
  } else {
    Callee callee;
    std::string_view name = syntax_.shared[place->second].name;
    if (name.starts_with("<"))
      name = "lambda";
    std::span<const Binder> binders = syntax_.bindersOf(jaxpr.inputs);
    if (binders.size() != inputs.size())
      return error("wrong-operand-count", d.equation,
                   "the jaxpr takes " + std::to_string(binders.size()) + " values, and is given " +
                       std::to_string(inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!ctx_.compatible(made_->fn->data(inputs[i].value).type, binders[i].type.type))
        return error("type-mismatch", d.equation,
                     "the jaxpr takes " + ctx_.typeToString(binders[i].type.type) + ", and is given " +
                         ctx_.typeToString(made_->fn->data(inputs[i].value).type));
    if (!makeFunction(index, name, callee))
      return false;
    Ids ids;
    for (const Known &k : inputs)
      ids.push_back(k.value);
    for (uint32_t lost : callee.lost)
      ids.push_back(lostValue(lost));
    Function *fn = program_.function(callee.name);
    Types types;
    Op ret = fn->terminator(fn->body());
    for (unsigned i = 0; i < ret.operandCount(); ++i)
      types.push_back(ret.operand(i).typeId());
    KindId kind = kindOf("tensor.call");
    int at = ctx_.ops().schema(kind).attrIndex("callee");
    AttrsId attrs = ctx_.withAttr(ctx_.noAttrs(), unsigned(at), ctx_.symbolAttr(callee.name));
    Op op = made_->fn->appendOp(region, kind, ids, attrs, types, locAt(d.equation.from));
    for (unsigned i = 0; i < types.size(); ++i)
      results.push_back({op.result(i).id, i < expected.size() && expected[i].type.isKey});
  }
  if (out) {
    *out = results;
    return true;
  }
  Ids ids;
  for (const Known &r : results)
    ids.push_back(r.value);
  made_->fn->appendOp(region, kReturnKind, ids, ctx_.noAttrs(), {}, locAt(d.equation.from));
  return true;
}

// cond ----------------------------------------------------------------------------------------------------------------
//
// Branch i runs where the index is i, the last one of n wherever it is none of 0 to n - 2: conds, one inside the other.

bool ProgramMaker::makeCond(Draft &d) {
  const Equation &e = d.equation;
  const Param *p = find(e, "branches");
  if (!checkKeys(d, {"branches"}))
    return false;
  if (!p || syntax_.values[p->value].kind != ValueKind::Sequence || syntax_.values[p->value].items.count == 0)
    return error("missing-attribute", e, "`cond` needs the key `branches`, jaxprs in parentheses");
  InlineList<uint32_t, 4> branches;
  for (const SyntaxValue &v : syntax_.items(syntax_.values[p->value])) {
    uint32_t branch;
    if (!jaxprOf(d, v, branch))
      return false;
    branches.push_back(branch);
  }
  constexpr size_t kMostBranches = 200; // each lies inside the one before
  if (branches.size() > kMostBranches)
    return error("too-deep", e, "`cond` has more than " + std::to_string(kMostBranches) + " branches");
  std::span<const Atom> atoms = syntax_.atomsOf(e.atoms);
  if (atoms.empty() || atoms.size() > kMaxOperands || e.binders.count > kMaxResults)
    return error("wrong-operand-count", e, "`cond` needs an index, and what it gives its branches");
  std::span<const Binder> inputs = syntax_.bindersOf(syntax_.jaxprs[branches[0]].inputs);
  for (size_t i = 0; i < atoms.size(); ++i) {
    Known known;
    TypeId expected = i == 0                  ? ctx_.tensorType(DType::I32, {})
                      : i - 1 < inputs.size() ? inputs[i - 1].type.type
                                              : TypeId();
    if (!operand(atoms[i], d.region, expected, known))
      return false;
    d.operands.push_back(known);
  }
  const TypeData &selector = ctx_.type(made_->fn->data(d.operands[0].value).type);
  if (selector.kind != TypeKind::Tensor || (selector.dtype != DType::Bool && !isInteger(selector.dtype)) ||
      !selector.dims.empty())
    return error("type-mismatch", atoms[0].from, atoms[0].to,
                 "the index of `cond` is one integer or bool, not " +
                     ctx_.typeToString(made_->fn->data(d.operands[0].value).type));
  Values results;
  if (!makeBranch(d, branches, 0, d.region, results))
    return false;
  std::span<const Binder> binders = syntax_.bindersOf(e.binders);
  for (size_t i = 0; i < std::min(results.size(), binders.size()); ++i)
    if (branches.size() > 1)
      name(results[i].value, binders[i].name);
  return bindResults(e, results);
}

/// The choice between branch `index` and those behind it; the last one stands there itself.
bool ProgramMaker::makeBranch(Draft &d, std::span<const uint32_t> branches, size_t index, RegionId region,
                              Values &results) {
  const Equation &e = d.equation;
  std::span<const Known> inputs(d.operands.begin() + 1, d.operands.size() - 1);
  std::span<const Binder> binders = syntax_.bindersOf(e.binders);
  if (index + 1 == branches.size())
    return fillRegion(d, branches[index], region, inputs, binders, &results);
  Types types;
  for (const Binder &b : binders)
    types.push_back(b.type.type);
  KindId kind = kindOf("jax.cond");
  const OpSchema &schema = ctx_.ops().schema(kind);
  AttrsId attrs =
      index == 0 ? ctx_.noAttrs()
                 : ctx_.withAttr(ctx_.noAttrs(), unsigned(schema.attrIndex("branch")), ctx_.intAttr(int64_t(index)));
  ValueId selector = d.operands[0].value;
  Op op = made_->fn->appendOp(region, kind, {&selector, 1}, attrs, types, locAt(e.from));
  RegionId taken = made_->fn->addRegion(op.id);
  if (!fillRegion(d, branches[index], taken, inputs, binders))
    return false;
  RegionId other = made_->fn->addRegion(op.id);
  Values rest;
  if (!makeBranch(d, branches, index + 1, other, rest))
    return false;
  Ids ids;
  for (const Known &r : rest)
    ids.push_back(r.value);
  made_->fn->appendOp(other, kReturnKind, ids, ctx_.noAttrs(), {}, locAt(e.from));
  for (unsigned i = 0; i < types.size(); ++i)
    results.push_back({op.result(i).id, binders[i].type.isKey});
  return true;
}

// while, scan ---------------------------------------------------------------------------------------------------------

bool ProgramMaker::makeWhile(Draft &d) {
  const Equation &e = d.equation;
  uint32_t cond, body;
  int64_t condConsts = 0, bodyConsts = 0;
  int64_t most = e.atoms.count;
  if (!checkKeys(d, {"cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts"}) || !jaxprOf(d, "cond_jaxpr", cond) ||
      !jaxprOf(d, "body_jaxpr", body) || !numberOf(d, "cond_nconsts", 0, most, condConsts) ||
      !numberOf(d, "body_nconsts", 0, most - condConsts, bodyConsts))
    return false;
  std::span<const Binder> condInputs = syntax_.bindersOf(syntax_.jaxprs[cond].inputs),
                          bodyInputs = syntax_.bindersOf(syntax_.jaxprs[body].inputs);
  size_t nc = size_t(condConsts), nb = size_t(bodyConsts), carried = e.atoms.count - nc - nb;
  if (condInputs.size() != nc + carried || bodyInputs.size() != nb + carried || e.binders.count != carried)
    return error("wrong-operand-count", e,
                 "`while` has " + std::to_string(nc) + " constants of its condition, " + std::to_string(nb) +
                     " of its body and " + std::to_string(carried) +
                     " carried values; the jaxprs or its results do not go with that");
  std::span<const Atom> atoms = syntax_.atomsOf(e.atoms);
  if (atoms.size() > kMaxOperands || e.binders.count > kMaxResults)
    return error("too-large", e, "this loop has too many operands or results");
  for (size_t i = 0; i < atoms.size(); ++i) {
    Known known;
    TypeId expected = i < nc ? condInputs[i].type.type : bodyInputs[i - nc].type.type;
    if (!operand(atoms[i], d.region, expected, known))
      return false;
    d.operands.push_back(known);
  }
  Ids ids;
  Types types;
  for (size_t i = nc + nb; i < atoms.size(); ++i)
    ids.push_back(d.operands[i].value);
  std::span<const Binder> binders = syntax_.bindersOf(e.binders);
  for (const Binder &b : binders)
    types.push_back(b.type.type);
  Op op = made_->fn->appendOp(d.region, kindOf("jax.while"), ids, ctx_.noAttrs(), types, locAt(e.from));
  for (bool isBody : {false, true}) {
    RegionId region = made_->fn->addRegion(op.id);
    size_t from = isBody ? nc : 0, count = isBody ? nb : nc;
    Values inputs;
    for (size_t i = 0; i < count; ++i)
      inputs.push_back(d.operands[from + i]);
    uint32_t jaxpr = isBody ? body : cond;
    if (!inputsOfRegion(d, jaxpr, count, region, inputs) ||
        !fillRegion(d, jaxpr, region, inputs, isBody ? binders : std::span<const Binder>()))
      return false;
  }
  Values results;
  for (unsigned i = 0; i < types.size(); ++i) {
    results.push_back({op.result(i).id, binders[i].type.isKey});
    name(op.result(i).id, binders[i].name);
  }
  return bindResults(e, results);
}

bool ProgramMaker::makeScan(Draft &d) {
  const Equation &e = d.equation;
  uint32_t body;
  int64_t length = -1;
  if (!checkKeys(d, {"jaxpr", "length", "reverse", "num_carry", "num_consts"}) || !jaxprOf(d, "jaxpr", body))
    return false;
  const Jaxpr &jaxpr = syntax_.jaxprs[body];
  std::span<const Binder> inputs = syntax_.bindersOf(jaxpr.inputs), binders = syntax_.bindersOf(e.binders);
  std::span<const Atom> atoms = syntax_.atomsOf(e.atoms);
  if (!numberOf(d, "length", 0, INT64_MAX, length))
    return false;
  if (atoms.size() != inputs.size() || atoms.size() > kMaxOperands || binders.size() > kMaxResults)
    return error("wrong-operand-count", e,
                 "the body of `scan` takes " + std::to_string(inputs.size()) + " values, and there are " +
                     std::to_string(atoms.size()) + " operands");
  // Constants and carried values are what the body takes; of further operands it takes slices, of one dimension less:
  // it reads them itself.
  for (size_t i = 0; i < atoms.size(); ++i) {
    Known known;
    if (!operand(atoms[i], d.region, inputs[i].type.type, known))
      return false;
    d.operands.push_back(known);
  }
  Function &fn = *made_->fn;
  size_t whole = atoms.size();
  while (whole != 0 && fn.data(d.operands[whole - 1].value).type != inputs[whole - 1].type.type)
    --whole;
  int64_t carries = -1, consts = -1, reverse = 0;
  if (!numberOf(d, "num_carry", 0, int64_t(whole), carries) || !numberOf(d, "num_consts", 0, int64_t(whole), consts))
    return false;
  if (const Param *p = find(e, "reverse")) {
    const SyntaxValue &v = syntax_.values[p->value];
    if (v.kind != ValueKind::Bool)
      return error("bad-attribute", v.from, v.to, "`reverse` is True or False");
    reverse = v.text == "True";
  }
  if (carries < 0) { // newer versions print trees instead. A result that is gathered has one dimension more than what
                     // the body gives
    carries = 0;
    std::unordered_map<std::string_view, TypeId> types;
    for (const Binder &b : inputs)
      types[b.name] = b.type.type;
    for (const Equation &inner : syntax_.equationsOf(jaxpr))
      for (const Binder &b : syntax_.bindersOf(inner.binders))
        types[b.name] = b.type.type;
    std::span<const Atom> returned = syntax_.atomsOf(jaxpr.results);
    for (size_t i = 0; i < std::min({binders.size(), returned.size(), whole}); ++i) {
      auto it = types.find(returned[i].name);
      TypeId type = returned[i].isLiteral ? returned[i].type.type : it == types.end() ? TypeId() : it->second;
      if (type != binders[i].type.type)
        break;
      ++carries;
    }
  }
  if (consts < 0)
    consts = int64_t(whole) - carries;
  if (consts + carries > int64_t(whole) || size_t(carries) > binders.size())
    return error("wrong-operand-count", e,
                 "`scan` carries " + std::to_string(carries) + " values and has " + std::to_string(consts) +
                     " constants; its operands or results do not go with that");
  for (size_t i = size_t(consts + carries); i < atoms.size(); ++i) {
    const TypeData &given = ctx_.type(fn.data(d.operands[i].value).type), &slice = ctx_.type(inputs[i].type.type);
    bool fits = given.kind == TypeKind::Tensor && given.dtype == slice.dtype &&
                given.dims.size() == slice.dims.size() + 1 &&
                given.dims[0] == (length >= 0 ? Dim(length) : given.dims[0]) &&
                std::equal(slice.dims.begin(), slice.dims.end(), given.dims.begin() + 1);
    if (!fits || d.operands[i].isKey != inputs[i].type.isKey)
      return error("type-mismatch", atoms[i].from, atoms[i].to,
                   "the body of `scan` takes slices of type " + ctx_.typeToString(inputs[i].type.type) +
                       " here, and is given " + ctx_.typeToString(fn.data(d.operands[i].value).type));
  }
  KindId kind = kindOf("jax.scan");
  const OpSchema &schema = ctx_.ops().schema(kind);
  InlineList<AttrId, 16> fixed(schema.attrs.size(), AttrId());
  Dim size(length);
  if (length < 0) {
    const Param *p = find(e, "length");
    if (!p || !dimOf(syntax_.values[p->value], size))
      return error("missing-attribute", e, "`scan` needs the key `length`, how many rounds there are");
  }
  fixed[size_t(schema.attrIndex("length"))] = ctx_.dimAttr(size);
  if (reverse)
    fixed[size_t(schema.attrIndex("reverse"))] = ctx_.boolAttr(true);
  size_t firstScanned = size_t(consts + carries);
  Ids ids;
  Types types;
  for (size_t i = size_t(consts); i < firstScanned; ++i)
    ids.push_back(d.operands[i].value);
  for (const Binder &b : binders)
    types.push_back(b.type.type);
  Op op = fn.appendOp(d.region, kind, ids, ctx_.attrs(fixed), types, locAt(e.from));
  RegionId region = fn.addRegion(op.id);
  ValueId round = fn.addRegionParam(region, ctx_.tensorType(DType::I32, {})).id;
  Values given;
  for (size_t i = 0; i < size_t(consts); ++i)
    given.push_back(d.operands[i]);
  for (size_t i = size_t(consts); i < firstScanned; ++i) {
    given.push_back({fn.addRegionParam(region, inputs[i].type.type).id, inputs[i].type.isKey});
    name(given.back().value, inputs[i].name);
  }
  for (size_t i = firstScanned; i < atoms.size(); ++i) {
    ValueId read[] = {d.operands[i].value, round};
    TypeId slice = inputs[i].type.type;
    Op element = fn.appendOp(region, kindOf("jax.scan_slice"), read, ctx_.noAttrs(), {&slice, 1}, locAt(e.from));
    given.push_back({element.result().id, inputs[i].type.isKey});
    name(given.back().value, inputs[i].name);
  }
  if (!fillRegion(d, body, region, given, {}))
    return false;
  Values results;
  for (unsigned i = 0; i < types.size(); ++i) {
    results.push_back({op.result(i).id, binders[i].type.isKey});
    name(op.result(i).id, binders[i].name);
  }
  return bindResults(e, results);
}

} // namespace rw::jaxpr
