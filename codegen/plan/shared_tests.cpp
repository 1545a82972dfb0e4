#include "codegen/plan/shared_tests.h"

#include "codegen/plan/literals.h"

#include <algorithm>
#include <map>

namespace rw::plan {

using Row = SharedTestRow;

std::string_view name(Row::Kind kind) {
  static constexpr std::string_view names[] = {"Operand",     "OperandAtEnd", "Def",     "Attr",      "AttrOrDefault",
                                               "AttrDefault", "AttrAbsent",   "AttrInt", "AttrBool",  "AttrDType",
                                               "AttrString",  "Count",        "Absent",  "OneUse",    "Constant",
                                               "SplatInt",    "SplatNumber",  "DTypeIs", "FloatType", "IntegerType",
                                               "Same",        "Commute",      "NoExtras"};
  static_assert(std::size(names) == Row::NoExtras + 1);
  return names[kind];
}

namespace {

class RowMaker {
public:
  RowMaker(const MatchPlan &plan, const sema::Module &module)
      : plan_(plan), module_(module), given_(plan.slots.size(), false), defined_(given_), known_(given_),
        ops_(plan.slots.size(), nullptr) {}

  SharedTests make() {
    SharedTests out;
    rows_.reserve(plan_.steps.size());
    out.covered.reserve(plan_.steps.size());
    for (const Step &s : plan_.steps)
      if (s.kind == StepKind::Def)
        defined_[s.in] = true; // which asks whether there is a value
    for (const Step &s : plan_.steps) {
      bool swaps = s.kind == StepKind::Commute;
      before_ &= swaps || !isChoice(s);
      size_t first = rows_.size();
      exact_ = false;
      step(s);
      bool opens = before_ && exact_ && s.index <= UINT16_MAX && isKnown(s.in) &&
                   (s.out == kNoSlot || s.out + 1 < kOpeningSlots);
      before_ &= opens || !swaps;
      out.covered.push_back(opens);
      if (opens && s.out != kNoSlot && rows_.size() > first)
        known_[s.out] = known_[s.out + swaps] = true;
      for (size_t i = first; i < rows_.size(); ++i)
        rows_[i].step = opens ? &s : nullptr;
    }
    dropUnused(out);
    // An opening that finds nothing is not worth a table.
    if (std::none_of(rows_.begin(), rows_.end(), [](const Row &r) { return r.step && r.sets(); })) {
      out.covered.assign(out.covered.size(), false);
      std::erase_if(rows_, [](const Row &r) { return r.kind == Row::NoExtras; });
      for (Row &r : rows_)
        r.step = nullptr;
    }
    std::stable_partition(rows_.begin(), rows_.end(), [](const Row &r) { return r.step != nullptr; });
    out.opening = size_t(std::ranges::count_if(rows_, [](const Row &r) { return r.step != nullptr; }));
    out.swaps = std::any_of(rows_.begin(), rows_.begin() + ptrdiff_t(out.opening),
                            [](const Row &r) { return r.kind == Row::Commute; });
    out.rows = std::move(rows_);
    return out;
  }

private:
  static bool isChoice(const Step &s) {
    switch (s.kind) {
    case StepKind::Commute:
    case StepKind::Alternatives:
    case StepKind::Chain:
    case StepKind::Users:
    case StepKind::Each:
      return true;
    default:
      return false;
    }
  }
  /// Whether an opening may look at the slot.
  bool isKnown(Slot s) const { return s != kNoSlot && s < kOpeningSlots && known_[s]; }

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
  void addExact(Row::Kind kind, const Step &s) {
    exact_ = true;
    add(kind, s);
  }
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
             const sema::OpAttrDecl *attr = attrOf(module_.op(op), s);
             return attr && attr->defaultValue.has_value();
           });
  }

  void step(const Step &s) {
    if (s.kind == StepKind::Root) {
      set(s.out);
      known_[s.out] = true;
      ops_[s.out] = &s.ops;
      return;
    }
    if (!given(s.in) || s.index > UINT16_MAX)
      return;
    switch (s.kind) {
    case StepKind::Operand: {
      Row r = row(s.fromEnd ? Row::OperandAtEnd : Row::Operand, s);
      r.required = !defined_[s.out] && !operandAlwaysThere(s);
      exact_ = true;
      return addSetting(std::move(r), s.out);
    }
    case StepKind::Def: {
      Row r = row(Row::Def, s);
      r.ops = s.ops;
      ops_[s.out] = &s.ops;
      exact_ = true;
      return addSetting(std::move(r), s.out);
    }
    case StepKind::Attr: {
      if (!s.indexes.empty() || s.standIn) // another index for each op
        return;
      Row r = row(hasDefault(s) ? Row::AttrOrDefault : Row::Attr, s);
      r.required = !alwaysThere(s, module_);
      exact_ = true;
      return addSetting(std::move(r), s.out);
    }
    case StepKind::AttrDefault:
    case StepKind::AttrAbsent:
      exact_ = s.indexes.empty() && !s.standIn;
      if (exact_)
        add(s.kind == StepKind::AttrDefault ? Row::AttrDefault : Row::AttrAbsent, s);
      return;
    case StepKind::AttrEquals:
      return literal(s);
    case StepKind::Count:
      exact_ = true;
      if (!countAlwaysFits(s)) {
        Row r = row(Row::Count, s);
        r.number = s.least;
        r.most = s.most;
        rows_.push_back(std::move(r));
      }
      return;
    case StepKind::Absent:
      return addExact(Row::Absent, s);
    case StepKind::Single:
      return addExact(Row::OneUse, s);
    case StepKind::Const:
      return addExact(Row::Constant, s);
    case StepKind::NoExtras:
      return before_ ? addExact(Row::NoExtras, s) : void();
    case StepKind::Splat: {
      Row r = row(Row::Constant, s);
      if (std::optional<int64_t> i = splatInt(s)) {
        exact_ = true;
        r.kind = Row::SplatInt;
        r.number = *i;
      } else if (std::optional<double> n = splatNumber(s)) {
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
        exact_ = isKnown(var->second);
      }
      return;
    case StepKind::Commute: // of those that always swap the first
      if (!commutes_ && !s.ifCommutative && set(s.out, 2)) {
        commutes_ = true;
        exact_ = true;
        Row r = row(Row::Commute, s);
        r.out = uint16_t(s.out);
        rows_.push_back(std::move(r));
      }
      return;
    default:
      return;
    }
  }

  void literal(const Step &s) {
    if (!equalsLiteral(s))
      return;
    exact_ = true;
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
    exact_ = true;
    sema::DTypeClass c = s.type->dtypeClass;
    Row r = row(c == sema::DTypeClass::Exactly ? Row::DTypeIs
                : c == sema::DTypeClass::Float ? Row::FloatType
                                               : Row::IntegerType,
                s);
    if (c == sema::DTypeClass::Exactly)
      r.text = s.type->dtype->text;
    rows_.push_back(std::move(r));
  }

  /// Rows that only set what no other row looks at: the pattern reads that where it needs it.
  void dropUnused(SharedTests &out) {
    std::vector<bool> used(plan_.slots.size(), false);
    std::vector<Row> kept;
    kept.reserve(rows_.size());
    for (size_t i = rows_.size(); i-- > 0;) {
      Row &r = rows_[i];
      if (r.kind == Row::Commute ? !used[r.out] && !used[r.out + 1u] : r.setsOnly() && !used[r.out]) {
        if (r.step)
          out.covered[size_t(r.step - plan_.steps.data())] = false;
        continue;
      }
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
  std::vector<bool> known_;           // slots that the opening sets
  std::vector<const OpSet *> ops_;    // by slot
  std::map<uint32_t, Slot> vars_;     // bound to a value that a row sets
  std::vector<Row> rows_;
  bool commutes_ = false;
  bool before_ = true; // no choice yet
  bool exact_ = false; // the row says all that the step at hand says
};

} // namespace

SharedTests sharedTests(const MatchPlan &plan, const sema::Module &module) { return RowMaker(plan, module).make(); }

} // namespace rw::plan
