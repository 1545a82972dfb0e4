#include "codegen/machine/op_clauses.h"

#include "codegen/machine/cell_text.h"
#include "codegen/machine/scratch.h"
#include "rw/ir/structure_helpers.h"
#include "rw/rewrite/attempt.h"

namespace rw::interpret {

namespace {

/// The code of an op's clauses, about to run on what is known of an op.
class Running {
public:
  Running(const OpClauses &clauses, const OpInputs &in)
      : code_(clauses.op), machine_(clauses.unit, code_.registers, 0, in.function(), nullptr, Op(), &in) {}
  /// The register of the value; null if the clause has none.
  const Cell *run(const ClauseCode &clause) {
    return clause && machine_.run(clause.entry) ? &machine_.cell(clause.result) : nullptr;
  }
  const OpCode &code() const { return code_; }

private:
  const OpCode &code_;
  Machine machine_;
};
} // namespace

bool inferTypes(const OpClauses &code, const OpInputs &in, std::span<TypeId> types) {
  Context &ctx = in.context();
  Running clauses(code, in);
  const std::vector<OpCode::TypeRule> &rules = clauses.code().types;
  using Rule = OpCode::TypeRule;
  size_t group = 0;
  while (group < rules.size() && rules[group].kind != Rule::Group)
    ++group;
  if (group < rules.size() && types.size() + 1 < rules.size())
    return false;
  bool known = true;
  for (size_t i = 0; i < rules.size(); ++i) {
    const Rule &rule = rules[i];
    if (i == group) {
      const Cell *list = clauses.run(rule.value);
      bool fits = list && list->list.size + rules.size() - 1 == types.size();
      for (size_t k = 0; fits && k < list->list.size; ++k)
        types[i + k] = listOf<TypeId>(*list)[k];
      known &= fits;
      continue;
    }
    TypeId &out = i > group ? types[types.size() - (rules.size() - i)] : types[i];
    if (rule.kind == Rule::Parts) {
      std::optional<DType> dtype;
      if (const Cell *cell = clauses.run(rule.value))
        dtype = DType(cell->i);
      std::optional<Dims> dims;
      if (const Cell *cell = clauses.run(rule.dims))
        dims = Dims(listOf<Dim>(*cell));
      known &= inferredType(ctx, dtype, dims, out);
      continue;
    }
    const Cell *cell = clauses.run(rule.value);
    if (rule.kind == Rule::Like) {
      known &= cell && sameType(ctx, {&in.function(), ValueId(cell->id)}, out);
    } else if (rule.kind == Rule::Tuple) {
      std::optional<ListOf<TypeId>> elements;
      if (cell)
        elements.emplace(listOf<TypeId>(*cell));
      std::optional<TypeId> tuple = tupleTypeOf(ctx, elements);
      out = tuple.value_or(TypeId());
      known &= tuple.has_value();
    } else {
      out = !cell ? TypeId() : TypeId(cell->id);
      known &= cell != nullptr;
    }
  }
  return known;
}

bool check(const OpClauses &code, const OpInputs &in, CheckSink &sink) {
  Running clauses(code, in);
  bool valid = true;
  for (const OpCode::Requirement &r : clauses.code().requirements) {
    const Cell *holds = clauses.run(r.condition);
    if (!holds || holds->i)
      continue;
    valid = false;
    std::string message;
    for (const OpCode::Requirement::Piece &piece : r.message) {
      if (!piece.value) {
        message += piece.text;
        continue;
      }
      const Cell *value = clauses.run(piece.value);
      message += value ? textOf(in.context(), piece.elem, piece.isList, *value) : "?";
    }
    sink.fail(std::move(message));
  }
  return valid;
}

AttrId defaultAttr(const OpClauses &code, const OpInputs &in, unsigned index) {
  Running clauses(code, in);
  if (index >= clauses.code().attrs.size())
    return {};
  const Cell *cell = clauses.run(clauses.code().attrs[index].byDefault);
  return cell ? AttrId(cell->id) : AttrId();
}

FoldResult fold(const OpClauses &code, Op op) {
  InputsOf inputs(op);
  Running clauses(code, *inputs);
  for (const OpCode::Fold &f : clauses.code().folds) {
    if (f.condition) {
      const Cell *holds = clauses.run(f.condition);
      if (!holds || !holds->i)
        continue;
    }
    const Cell *to = clauses.run(f.value);
    if (!to)
      continue;
    FoldResult result = f.isTensor ? foldTo(op, AttrId(to->id)) : foldTo(op, Value{op.fn, ValueId(to->id)});
    if (result.kind != FoldResult::Nothing)
      return result;
  }
  return {};
}

} // namespace rw::interpret
