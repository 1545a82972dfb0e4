// Functions, equations, variables; and the entry points.
#include "rw/jaxpr/program_maker.h"

#include "rw/ir/verifier.h"
#include "rw/jaxpr/primitives.h"
#include "rw/jaxpr/syntax_reader.h"
#include "rw/support/nearest_name.h"

#include <algorithm>

namespace rw::jaxpr {

bool ProgramMaker::error(std::string_view tag, const char *from, const char *to, std::string message,
                         std::string note) {
  auto builder = diags_.error(std::string(tag), {locAt(from), locAt(to)}, std::move(message));
  if (!note.empty())
    builder.note(std::move(note));
  return false;
}

bool ProgramMaker::run() {
  for (uint32_t i = 0; i < syntax_.shared.size(); ++i) {
    shared_[syntax_.shared[i].name].push_back(i);
    sharedPlace_[syntax_.shared[i].jaxpr] = i;
  }
  Callee main;
  if (!makeFunction(syntax_.main, "main", main))
    return false;
  sayLost();
  if (draws_ && isOld_)
    diags_
        .warning("random-rule", {locAt(draws_->from), locAt(draws_->nameEnd)},
                 "this text looks older than JAX 0.7, and `" + std::string(draws_->primitive) +
                     "` is computed as JAX does from 0.5 on")
        .note("of a text that was traced without jax_threefry_partitionable the numbers are others; trace it with a "
              "newer version");
  return true;
}

/// The function that a jaxpr is, or the one that it has become.
bool ProgramMaker::makeFunction(uint32_t index, std::string_view wanted, Callee &out) {
  if (auto it = callees_.find(index); it != callees_.end()) {
    out = it->second;
    return true;
  }
  const Jaxpr &jaxpr = syntax_.jaxprs[index];
  size_t limit = limit_;
  if (auto it = sharedPlace_.find(index); it != sharedPlace_.end())
    limit_ = it->second;
  std::string name(wanted);
  while (!functionNames_.insert(name).second)
    name = std::string(wanted) + "_" + std::to_string(nextNumber_[std::string(wanted)]++);
  Function &fn = program_.addFunction(name);
  Made made{&fn, made_, 0, {}, {}};
  made_ = &made;
  Values inputs, results;
  for (const Binder &b : syntax_.bindersOf(jaxpr.inputs)) {
    inputs.push_back({fn.addParam(b.type.type).id, b.type.isKey});
    this->name(inputs.back().value, b.name);
  }
  made.inputs = inputs.size();
  bool ok = makeBody(jaxpr, fn.body(), inputs, {}, results);
  made_ = made.outer;
  limit_ = limit;
  if (!ok)
    return false;
  Ids ids;
  for (const Known &r : results)
    ids.push_back(r.value);
  fn.appendOp(fn.body(), kReturnKind, ids, ctx_.noAttrs(), {}, locAt(jaxpr.to - 1));
  out = {std::move(name), std::move(made.lost)};
  callees_[index] = out;
  return true;
}

ProgramMaker::Scope::~Scope() {
  m_.scope_ = outer_;
  for (; m_.log_.size() > mark_; m_.log_.pop_back())
    m_.variables_[m_.log_.back().first] = m_.log_.back().second;
}

/// The equations of a jaxpr in a region, on these inputs. `expected` has types of the results for literals that state
/// none.
bool ProgramMaker::makeBody(const Jaxpr &jaxpr, RegionId region, std::span<const Known> inputs,
                            std::span<const Binder> expected, Values &results) {
  Scope scope(*this);
  std::span<const Binder> binders = syntax_.bindersOf(jaxpr.inputs);
  if (inputs.size() != binders.size())
    return error("wrong-operand-count", jaxpr.from, jaxpr.from + 1,
                 "this jaxpr takes " + std::to_string(binders.size()) + " values, and is given " +
                     std::to_string(inputs.size()));
  for (size_t i = 0; i < binders.size(); ++i) {
    TypeId given = made_->fn->data(inputs[i].value).type;
    if (!ctx_.compatible(given, binders[i].type.type) || inputs[i].isKey != binders[i].type.isKey)
      return error("type-mismatch", binders[i].from, binders[i].to,
                   "`" + std::string(binders[i].name) + "` is of type " + ctx_.typeToString(binders[i].type.type) +
                       ", and is given " + ctx_.typeToString(given));
    if (!define(binders[i], inputs[i]))
      return false;
  }
  for (const Binder &b : syntax_.bindersOf(jaxpr.constants)) {
    auto [it, isNew] = lostAt_.try_emplace(&b, uint32_t(lost_.size()));
    if (isNew)
      lost_.push_back({b.type.type, std::string(b.name), b.from, b.to});
    if (!define(b, {lostValue(it->second), b.type.isKey}))
      return false;
  }
  for (const Equation &e : syntax_.equationsOf(jaxpr))
    if (!makeEquation(e, region))
      return false;
  std::span<const Atom> atoms = syntax_.atomsOf(jaxpr.results);
  if (atoms.size() > kMaxOperands)
    return error("too-large", jaxpr.from, jaxpr.from + 1,
                 "a jaxpr has at most " + std::to_string(kMaxOperands) + " results");
  for (size_t i = 0; i < atoms.size(); ++i) {
    Known result;
    if (!operand(atoms[i], region, i < expected.size() ? expected[i].type.type : TypeId(), result))
      return false;
    results.push_back(result);
  }
  return true;
}

// Variables -----------------------------------------------------------------------------------------------------------

const ProgramMaker::Known *ProgramMaker::find(std::string_view name) const {
  auto it = variables_.find(name);
  return it != variables_.end() && it->second.scope == scope_ ? &it->second.known : nullptr;
}

bool ProgramMaker::define(const Binder &b, Known known) {
  if (b.name == "_")
    return true;
  Variable &variable = variables_[b.name];
  if (variable.scope == scope_)
    return error("redefined-value", b.from, b.to, "`" + std::string(b.name) + "` is bound already in this jaxpr");
  log_.push_back({b.name, variable});
  variable = {known, scope_};
  return true;
}

void ProgramMaker::name(ValueId value, std::string_view name) {
  if (name != "_")
    made_->fn->setValueName(value, ctx_.intern(name));
}

bool ProgramMaker::bindResults(const Equation &e, std::span<const Known> results) {
  std::span<const Binder> binders = syntax_.bindersOf(e.binders);
  if (binders.size() != results.size())
    return error("wrong-result-count", e,
                 "`" + std::string(e.primitive) + "` has " + std::to_string(results.size()) + " results, and " +
                     std::to_string(binders.size()) + " variables are bound to them");
  for (size_t i = 0; i < binders.size(); ++i) {
    TypeId type = made_->fn->data(results[i].value).type;
    if (!ctx_.compatible(type, binders[i].type.type) || results[i].isKey != binders[i].type.isKey)
      return error("type-mismatch", binders[i].from, binders[i].to,
                   "`" + std::string(binders[i].name) + "` is stated as " + ctx_.typeToString(binders[i].type.type) +
                       ", and is " + ctx_.typeToString(type));
    if (!define(binders[i], results[i]))
      return false;
  }
  return true;
}

/// The value of an operand: a variable's, or a constant.
bool ProgramMaker::operand(const Atom &a, RegionId region, TypeId expected, Known &out) {
  if (!a.isLiteral) {
    if (const Known *known = find(a.name)) {
      out = *known;
      return true;
    }
    if (a.name != "nan" && a.name != "inf")
      return error("undefined-value", a.from, a.to, "no variable `" + std::string(a.name) + "` is bound in this jaxpr",
                   "a jaxpr reads its own variables alone; what stands around it is given to it as an operand");
  }
  return literal(a, region, expected, out);
}

/// All operands. What literals without a type are is seen from the others.
bool ProgramMaker::operands(Draft &d) {
  std::span<const Atom> atoms = syntax_.atomsOf(d.equation.atoms);
  if (atoms.size() > kMaxOperands || d.equation.binders.count > kMaxResults)
    return error("too-large", d.equation,
                 "an equation has at most " + std::to_string(kMaxOperands) + " operands and " +
                     std::to_string(kMaxResults) + " results");
  for (const Atom &a : atoms) {
    Known known;
    if (!a.isLiteral || a.type.type) {
      if (!operand(a, d.region, TypeId(), known))
        return false;
    }
    d.operands.push_back(known);
  }
  for (size_t i = 0; i < atoms.size(); ++i)
    if (!d.operands[i].value && !operand(atoms[i], d.region, expectedOf(d, i), d.operands[i]))
      return false;
  return true;
}

/// The type of a literal that states none; none if nothing says it.
TypeId ProgramMaker::expectedOf(const Draft &d, size_t index) const {
  std::string_view n = d.name;
  auto scalar = [&](TypeId type) {
    if (!type)
      return type;
    const TypeData &data = ctx_.type(type);
    return data.kind == TypeKind::Tensor ? ctx_.tensorType(data.dtype, {}) : TypeId();
  };
  TypeId result = d.equation.binders.count != 0 ? syntax_.binders[d.equation.binders.first].type.type : TypeId();
  if (n == "convert_element_type" || n == "bitcast_convert_type")
    return TypeId(); // the literal says itself what it is
  if (n == "pow") {  // x ** 2 has an int as exponent, x ** 2.0 a float as x is
    const SyntaxValue &literal = syntax_.values[syntax_.atoms[d.equation.atoms.first + index].literal];
    return index == 0 || literal.text.find('.') != literal.text.npos ? scalar(result) : TypeId();
  }
  size_t first = n == "dynamic_slice" ? 1 : n == "dynamic_update_slice" ? 2 : 0;
  if (n == "select_n" && index == 0)
    return TypeId();
  if (n == "select_n" || n == "broadcast_in_dim")
    return scalar(result);
  if (first != 0 && index < first)
    return scalar(result);
  for (size_t i = first; i < d.operands.size(); ++i)
    if (d.operands[i].value)
      return scalar(made_->fn->data(d.operands[i].value).type);
  if (first != 0)
    return ctx_.tensorType(DType::I32, {});
  bool compares = n == "eq" || n == "ne" || n == "lt" || n == "le" || n == "gt" || n == "ge";
  return result && !compares ? scalar(result) : TypeId();
}

/// The parameter, of the function that is being made, that a lost constant is.
ValueId ProgramMaker::lostValue(uint32_t number) {
  auto [it, isNew] = made_->lostValues.try_emplace(number);
  if (isNew) {
    it->second = made_->fn->addParam(lost_[number].type).id;
    made_->lost.push_back(number);
    name(it->second, lost_[number].name);
  }
  return it->second;
}

void ProgramMaker::sayLost() {
  if (lost_.empty())
    return;
  std::string names;
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < lost_.size() && i < kShown; ++i)
    names += (i ? ", `" : "`") + lost_[i].name + ": " + ctx_.typeToString(lost_[i].type) + "`";
  if (lost_.size() > kShown)
    names += " and " + std::to_string(lost_.size() - kShown) + " more";
  bool one = lost_.size() == 1;
  diags_
      .warning("constants-as-inputs", {locAt(lost_[0].from), locAt(lost_[0].to)},
               (one ? "a constant is not in the text: "
                    : std::to_string(lost_.size()) + " constants are not in the text: ") +
                   names)
      .note(
          std::string(one ? "it is a further input" : "they are further inputs") +
          " of @main, behind its own; pass arrays as arguments to have them in an order of yours, or export StableHLO "
          "(`jax.jit(f).lower(…).as_text()`), which holds them");
}

// Equations -----------------------------------------------------------------------------------------------------------

bool ProgramMaker::makeEquation(const Equation &e, RegionId region) {
  Draft d{e, canonicalName(e.primitive), region, {}};
  std::string shown = "`" + std::string(e.primitive) + "`";
  isOld_ |= e.primitive == "pjit" || e.primitive == "xla_call";
  if (!draws_ && (d.name == "random_bits" || d.name == "random_split"))
    draws_ = &e;
  if (Refusal refusal = refusalOf(d.name))
    return error("unsupported", e,
                 "no lowering for primitive \"" + std::string(e.primitive) + "\": " + std::string(refusal.what),
                 std::string(refusal.cure));
  if (isCall(d.name))
    return makeCall(d);
  if (d.name == "cond")
    return makeCond(d);
  if (d.name == "while")
    return makeWhile(d);
  if (d.name == "scan")
    return makeScan(d);
  if (d.name == "random_wrap" || d.name == "random_unwrap" || d.name == "random_clone") {
    // A key and the words it holds are the same here.
    if (!checkKeys(d, {}) || !operands(d))
      return false;
    if (d.operands.size() != 1 || d.equation.binders.count != 1)
      return error("wrong-operand-count", e, shown + " has one operand and one result");
    d.operands[0].isKey = d.name != "random_unwrap";
    if (const Param *impl = find(e, "impl"); impl && syntax_.values[impl->value].text != "fry")
      return error("unsupported", e, "keys of random numbers are read for threefry alone (`impl=fry`)",
                   "make the key by jax.random.key(seed, impl=\"threefry2x32\")");
    return bindResults(e, d.operands);
  }
  return operands(d) && makeOp(d);
}

/// An op of the dialect, as it is declared.
bool ProgramMaker::makeOp(Draft &d) {
  const Equation &e = d.equation;
  std::string shown = "`" + std::string(e.primitive) + "`";
  KindId kind = kindOf("jax." + std::string(d.name));
  if (kind == kOpaqueKind) {
    std::vector<std::string_view> known;
    for (std::string_view full : ctx_.ops().names())
      if (full.starts_with("jax."))
        known.push_back(full.substr(4));
    std::string_view near = nearestName(d.name, known);
    std::string note =
        near.empty() ? "read are the primitives that `rw-opt --list-ops=jax.*` shows"
                     : "did you mean `" + std::string(near) + "`? `rw-opt --list-ops=jax.*` shows all that are read";
    return error("unknown-primitive", e,
                 "no lowering for primitive \"" + std::string(e.primitive) + "\": none of this name is known",
                 std::move(note));
  }
  const OpSchema &schema = ctx_.ops().schema(kind);
  bool makesKeys = d.name == "random_seed" || d.name == "random_split" || d.name == "random_fold_in";
  bool takesKeys = d.name == "random_bits" || d.name == "random_split" || d.name == "random_fold_in";
  constexpr std::string_view kMoves[] = {
      "slice", "squeeze", "reshape", "broadcast_in_dim", "concatenate", "transpose", "expand_dims", "rev", "copy"};
  bool movesKeys = std::ranges::count(kMoves, d.name) != 0 && !d.operands.empty() && d.operands[0].isKey;
  for (const Known &known : d.operands)
    if ((known.isKey && !takesKeys && !movesKeys) || (movesKeys && !known.isKey))
      return error("unsupported", e, shown + " of keys of random numbers is not read",
                   "read keys as numbers by jax.random.key_data, or use jax.random.PRNGKey");
  auto plural = [](size_t n, std::string what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
  if (!operandCounts(schema).contains(unsigned(d.operands.size())))
    return error("wrong-operand-count", e, shown + " does not take " + plural(d.operands.size(), "operand"));
  if (!resultCounts(schema).contains(e.binders.count))
    return error("wrong-result-count", e, shown + " does not have " + plural(e.binders.count, "result"));
  Types types;
  for (const Binder &b : syntax_.bindersOf(e.binders)) {
    if (b.type.isKey && !makesKeys && !movesKeys)
      return error("unsupported", b.from, b.to, "keys of random numbers that " + shown + " makes are not read",
                   "read keys as numbers by jax.random.key_data, or use jax.random.PRNGKey");
    types.push_back(b.type.type);
  }
  InlineList<AttrId, 16> fixed(schema.attrs.size(), AttrId());
  uint32_t body = UINT32_MAX;
  if (!setAttributes(d, schema, types, fixed, body))
    return false;
  if (movesKeys)
    keepWords(schema, ctx_.type(made_->fn->data(d.operands[0].value).type).dims.size(), ctx_.type(types[0]).dims.size(),
              fixed);
  Ids ids;
  for (const Known &known : d.operands)
    ids.push_back(known.value);
  Function &fn = *made_->fn;
  Op op = fn.appendOp(d.region, kind, ids, ctx_.attrs(fixed), types, locAt(e.from));
  if (!schema.regions.empty()) {
    if (body == UINT32_MAX)
      return error("missing-attribute", e, shown + " needs the key `jaxpr`, what it makes of two elements");
    RegionId region = fn.addRegion(op.id);
    Values inputs;
    if (!inputsOfRegion(d, body, 0, region, inputs) || !fillRegion(d, body, region, inputs, {}))
      return false;
  }
  dropDefaults(op.id, fixed);
  Values results;
  std::span<const Binder> binders = syntax_.bindersOf(e.binders);
  for (unsigned i = 0; i < types.size(); ++i) {
    results.push_back({op.result(i).id, binders[i].type.isKey});
    name(op.result(i).id, binders[i].name);
  }
  return bindResults(e, results);
}

// Entry points --------------------------------------------------------------------------------------------------------

bool looksLikeJaxpr(std::string_view text) {
  auto word = [&](std::string_view w) {
    size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || !text.substr(first).starts_with(w))
      return false;
    text.remove_prefix(first + w.size());
    return true;
  };
  if (word("{"))
    return word("lambda");
  if (!word("let"))
    return false;
  size_t equals = text.find('=');
  if (equals == text.npos || text.substr(0, equals).find('\n') != text.npos)
    return false;
  text.remove_prefix(equals + 1);
  return word("{") && word("lambda");
}

std::unique_ptr<Program> parseProgram(FileId file, const SourceManager &sources, Diagnostics &diags,
                                      const OpRegistry &ops, const ParseOptions &options) {
  auto program = std::make_unique<Program>(ops);
  Syntax syntax;
  bool ok = SyntaxReader(file, sources, diags, program->context(), syntax).run() &&
            ProgramMaker(syntax, file, sources, diags, *program).run() &&
            (!options.verify || verifyProgram(*program, diags));
  return ok ? std::move(program) : nullptr;
}

} // namespace rw::jaxpr
