#include "codegen/plan/shared_tests.h"

#include "codegen/plan/literals.h"

#include <algorithm>
#include <map>

namespace rw::plan {

using Row = SharedTestRow;

std::string_view name(Row::Kind kind) {
  static constexpr std::string_view names[] = {
      "Operand",  "OperandAtEnd", "Def",       "Attr",       "AttrOrDefault", "AttrDefault", "AttrAbsent",
      "AttrInt",  "AttrBool",     "AttrDType", "AttrString", "Count",         "Absent",      "OneUse",
      "Constant", "SplatNumber",  "DTypeIs",   "FloatType",  "IntegerType",   "Same",        "Commute"};
  static_assert(std::size(names) == Row::Commute + 1);
  return names[kind];
}

namespace {

class RowMaker {
public:
  RowMaker(const MatchPlan &plan, const sema::Module &module)
      : plan_(plan), module_(module), given_(plan.slots.size(), false), defined_(given_),
        ops_(plan.slots.size(), nullptr) {}

  std::vector<Row> make() {
    for (const Step &s : plan_.steps)
      if (s.kind == StepKind::Def)
        defined_[s.in] = true; // which asks whether there is a value
    for (const Step &s : plan_.steps)
      step(s);
    dropUnused();
    return std::move(rows_);
  }

private:
  /// Steps behind a choice hold for every way it goes too, as long as they look at what was there before it.
  bool given(Slot s) const { return s != kNoSlot && given_[s]; }
  bool set(Slot s, unsigned count = 1) {
    if (s + count > UINT16_MAX) // no table names so many slots
      return false;
    for (unsigned i = 0; i < count; ++i)
      given_[s + i] = true;
    return true;
  }
  Row row(Row::Kind kind, const Step &s) const {
    return {.kind = kind, .in = uint16_t(s.in), .index = uint16_t(s.index)};
  }
  void add(Row::Kind kind, const Step &s) { rows_.push_back(row(kind, s)); }
  void addSetting(Row r, Slot out) {
    if (!set(out))
      return;
    r.out = uint16_t(out);
    rows_.push_back(std::move(r));
  }

  /// Whether operand `index` of every op the step may look at is there if the op verifies.
  bool operandAlwaysThere(const Step &s) const {
    const OpSet *set = ops_[s.in];
    if (!set || set->byTrait() || s.fromEnd)
      return false;
    return std::ranges::all_of(set->ops, [&](sema::OpIndex i) {
      const auto &operands = module_.op(i).operands;
      return s.index < operands.size() && std::all_of(operands.begin(), operands.begin() + s.index + 1,
                                                      [](auto &o) { return o.arity == sema::Arity::Single; });
    });
  }
  /// Whether every op the step may look at has `least` to `most` operands if it verifies.
  bool countAlwaysFits(const Step &s) const {
    const OpSet *set = ops_[s.in];
    if (!set || set->byTrait())
      return false;
    return std::ranges::all_of(set->ops, [&](sema::OpIndex i) {
      const auto &operands = module_.op(i).operands;
      auto needed = std::ranges::count(operands, sema::Arity::Single, [](auto &o) { return o.arity; });
      bool open = std::ranges::any_of(operands, [](auto &o) { return o.arity == sema::Arity::Variadic; });
      return s.least <= size_t(needed) && (open ? s.most == UINT32_MAX : operands.size() <= s.most);
    });
  }
  bool hasDefault(const Step &s) const {
    return s.opSet.byTrait() || std::ranges::any_of(s.opSet.ops, [&](sema::OpIndex op) {
             return std::ranges::any_of(module_.op(op).attrs,
                                        [&](auto &a) { return a.name == s.name && a.defaultValue.has_value(); });
           });
  }

  void step(const Step &s) {
    if (s.kind == StepKind::Root) {
      set(s.out);
      ops_[s.out] = &s.ops;
      return;
    }
    if (!given(s.in) || s.index > UINT16_MAX)
      return;
    switch (s.kind) {
    case StepKind::Operand: {
      Row r = row(s.fromEnd ? Row::OperandAtEnd : Row::Operand, s);
      r.required = !defined_[s.out] && !operandAlwaysThere(s);
      return addSetting(std::move(r), s.out);
    }
    case StepKind::Def: {
      Row r = row(Row::Def, s);
      r.ops = s.ops;
      ops_[s.out] = &s.ops;
      return addSetting(std::move(r), s.out);
    }
    case StepKind::Attr: {
      if (!s.indexes.empty()) // another index for each op
        return;
      Row r = row(hasDefault(s) ? Row::AttrOrDefault : Row::Attr, s);
      r.required = !alwaysThere(s, module_);
      return addSetting(std::move(r), s.out);
    }
    case StepKind::AttrDefault:
    case StepKind::AttrAbsent:
      if (s.indexes.empty())
        add(s.kind == StepKind::AttrDefault ? Row::AttrDefault : Row::AttrAbsent, s);
      return;
    case StepKind::AttrEquals: return literal(s);
    case StepKind::Count:
      if (!countAlwaysFits(s)) {
        Row r = row(Row::Count, s);
        r.number = s.least;
        r.most = s.most;
        rows_.push_back(std::move(r));
      }
      return;
    case StepKind::Absent: return add(Row::Absent, s);
    case StepKind::Single: return add(Row::OneUse, s);
    case StepKind::Const: return add(Row::Constant, s);
    case StepKind::Splat: {
      Row r = row(Row::Constant, s);
      if (std::optional<double> n = splatNumber(s)) {
        r.kind = Row::SplatNumber;
        r.real = *n;
      }
      rows_.push_back(std::move(r));
      return;
    }
    case StepKind::Type:
      if (asksDTypeOnly(s))
        dtype(s);
      return;
    case StepKind::Bind:
      if (plan_.slots[s.in].kind == SlotKind::Value)
        vars_[s.var.raw] = s.in;
      return;
    case StepKind::Same:
      if (auto var = vars_.find(s.var.raw); var != vars_.end() && plan_.slots[s.in].kind == SlotKind::Value) {
        Row r = row(Row::Same, s);
        r.out = uint16_t(var->second);
        rows_.push_back(std::move(r));
      }
      return;
    case StepKind::Commute: // of those that always swap the first
      if (!commutes_ && !s.ifCommutative && set(s.out, 2)) {
        commutes_ = true;
        Row r = row(Row::Commute, s);
        r.out = uint16_t(s.out);
        rows_.push_back(std::move(r));
      }
      return;
    default: return;
    }
  }

  void literal(const Step &s) {
    if (!equalsLiteral(s))
      return;
    Row r = row(Row::AttrInt, s);
    if (std::optional<int64_t> i = literalInt(s)) {
      r.number = *i;
    } else if (s.expr->kind == sema::ExprKind::Bool) {
      r.kind = Row::AttrBool;
      r.number = s.expr->i ? 1 : 0;
    } else {
      r.kind = s.expr->kind == sema::ExprKind::DType ? Row::AttrDType : Row::AttrString;
      r.text = s.expr->text;
    }
    rows_.push_back(std::move(r));
  }

  void dtype(const Step &s) {
    sema::DTypeClass c = s.type->dtypeClass;
    Row r = row(c == sema::DTypeClass::Exactly ? Row::DTypeIs
                : c == sema::DTypeClass::Float ? Row::FloatType
                                               : Row::IntegerType,
                s);
    if (c == sema::DTypeClass::Exactly)
      r.text = s.type->dtype->text;
    rows_.push_back(std::move(r));
  }

  /// Rows that only set what no other row looks at.
  void dropUnused() {
    std::vector<bool> used(plan_.slots.size(), false);
    std::vector<Row> kept;
    for (size_t i = rows_.size(); i-- > 0;) {
      Row &r = rows_[i];
      bool sets = r.kind <= Row::OperandAtEnd || r.kind == Row::Attr || r.kind == Row::AttrOrDefault;
      if ((sets && !r.required && !used[r.out]) || (r.kind == Row::Commute && !used[r.out] && !used[r.out + 1u]))
        continue;
      used[r.in] = true;
      if (r.kind == Row::Same)
        used[r.out] = true;
      kept.push_back(std::move(r));
    }
    rows_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  const MatchPlan &plan_;
  const sema::Module &module_;
  std::vector<bool> given_, defined_; // slots that a row sets; values whose op is asked for
  std::vector<const OpSet *> ops_;    // by slot
  std::map<uint32_t, Slot> vars_;     // bound to a value that a row sets
  std::vector<Row> rows_;
  bool commutes_ = false;
};

} // namespace

std::vector<SharedTestRow> sharedTests(const MatchPlan &plan, const sema::Module &module) {
  return RowMaker(plan, module).make();
}

} // namespace rw::plan
