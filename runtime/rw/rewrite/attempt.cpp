#include "rw/rewrite/attempt.h"

#include "rw/ir/stand_ins.h"

#include <array>
#include <numeric>

namespace rw {

// The opening -----------------------------------------------------------------------------------------------------

static constexpr std::array<uint16_t, kOpeningSlots> kEachItself = [] {
  std::array<uint16_t, kOpeningSlots> all{};
  std::iota(all.begin(), all.end(), uint16_t(0));
  return all;
}();

const uint16_t *Attempt::openSlowly(PatternRewriter &rw, Op root, const PatternInfo &info, unsigned order) {
  Attempt attempt(root, rw);
  return attempt.asksAll(info, order) ? attempt.slots_ : nullptr;
}

static TestList::Order orderOf(const PatternRewriter &rw) {
  return rw.opening() ? rw.opening()->order : TestList::Either;
}
unsigned Attempt::firstOrderOf(const PatternRewriter &rw) { return orderOf(rw) == TestList::Swapped; }
unsigned Attempt::endOrderOf(const PatternRewriter &rw) { return orderOf(rw) == TestList::Written ? 1 : 2; }

/// Asks what of an opening no net has asked.
bool Attempt::asksAll(const PatternInfo &info, unsigned order) {
  if (const Opening *known = rewriter_->opening(); known && known->registers) {
    slots_ = known->registers;
    for (uint16_t reg : known->plain())
      if (hasExtraAttrs({root_.fn, OpId(rewriter_->registers()[reg])}))
        return false; // nobody asks why: where somebody does, no net is used
    for (uint16_t test : known->rest())
      if (!ask(info.tests[test], order))
        return false;
    return true;
  }
  slots_ = kEachItself.data();
  rewriter_->useOwnRegisters()[0] = root_.id.raw;
  for (const SharedTest &test : info.tests.first(info.opening))
    if (!ask(test, order))
      return false;
  return true;
}

Value Attempt::operandAt(Function *fn, uint32_t op, unsigned i) { return fn->op(OpId(op)).operand(i); }
AttrId Attempt::attrAt(Function *fn, uint32_t op, unsigned i) { return fn->op(OpId(op)).attr(i); }

bool Attempt::haveSameType(Value a, Value b) {
  TypeId type = typeOf(a);
  return type && type == typeOf(b) && a.context().type(type).known;
}

static bool isOneOf(Op op, const KindSet &kinds) {
  for (const OpSchema *kind : kinds.ops)
    if (op.is(*kind))
      return true;
  Traits have = op.schema().traits;
  return op.kind() != kOpaqueKind && std::any_of(kinds.traits.begin(), kinds.traits.end(),
                                                 [&](Traits traits) { return (have & traits) == traits; });
}

/// Sets what the test finds.
bool Attempt::ask(const SharedTest &t, unsigned order) {
  auto op = [&] { return this->op(t.in); };
  auto value = [&] { return this->value(t.in); };
  auto attr = [&] { return this->attr(t.in); };
  auto set = [&](uint32_t raw) { rewriter_->registers()[slots_[t.out]] = raw; };
  auto operandAt = [&](unsigned i) {
    Value v = op().operand(i);
    set(v.id.raw);
    return v || !t.required || no(t.why, t.line);
  };
  auto holds = [&](bool condition) { return condition || no(t.why, t.line); };
  switch (t.kind) {
  case SharedTest::Operand:
    return operandAt(t.index);
  case SharedTest::OperandAtEnd:
    return operandAt(op().operandCount() - t.index);
  case SharedTest::Def: {
    Op made = definitionOf(value());
    set(made.id.raw);
    return holds(made && (t.op ? made.is(*t.op) : t.kinds && isOneOf(made, *t.kinds)) &&
                 isResult(value(), made, t.index));
  }
  case SharedTest::Attr:
  case SharedTest::AttrOrDefault: {
    AttrId found = t.kind == SharedTest::Attr ? op().attr(t.index) : op().attrOrDefault(t.index);
    set(found.raw);
    return holds(found || !t.required);
  }
  case SharedTest::AttrDefault:
    return isDefault(op(), t.index, t.why, t.line);
  case SharedTest::AttrAbsent:
    return noAttr(op(), t.index, t.why, t.line);
  case SharedTest::AttrInt:
    return equals(attr(), t.number, t.why, t.line);
  case SharedTest::AttrBool:
    return equals(attr(), t.number != 0, t.why, t.line);
  case SharedTest::AttrDType:
    return equals(attr(), DType(t.number), t.why, t.line);
  case SharedTest::AttrString:
    return equals(attr(), t.text, t.why, t.line);
  case SharedTest::Count:
    return operandCount(op(), unsigned(t.number), t.most, t.why, t.line);
  case SharedTest::Absent:
    return noOperand(op(), t.index, t.why, t.line);
  case SharedTest::OneUse:
    return holds(value() && value().hasOneUse());
  case SharedTest::Constant:
    return isConstant(value(), t.why, t.line);
  case SharedTest::DTypeIs:
    return hasDType(value(), DType(t.number), t.why, t.line);
  case SharedTest::FloatType:
    return isFloat(value(), t.why, t.line);
  case SharedTest::IntegerType:
    return isInteger(value(), t.why, t.line);
  case SharedTest::Same:
    return holds(value() == this->value(t.out));
  case SharedTest::NoExtras:
    return noExtras(op(), t.why, t.line);
  case SharedTest::Commute:
    set(op().operand(order).id.raw);
    rewriter_->registers()[slots_[t.out + 1]] = op().operand(1 - order).id.raw;
    return true;
  case SharedTest::SplatInt:
    return isSplat(value(), t.number, t.why, t.line);
  case SharedTest::SplatNumber:
    return true; // never of an opening
  }
  return true;
}

bool Attempt::abandonAt(PatternRewriter &rw, Op root, const char *why, unsigned line) {
  return rw.abandon(root, why, line);
}

bool Attempt::noFit(unsigned operand, const Attempt &asked) {
  if (!rewriter_ || !rewriter_->explains())
    return no(asked.why_, asked.line_);
  return no(("operand " + std::to_string(operand) + " fits: " + asked.why_).c_str(), asked.line_);
}

// Ops and values --------------------------------------------------------------------------------------------------

Value Attempt::lastOperand(Op op, unsigned i, const char *why, unsigned line) {
  return operand(op, op.operandCount() - i, why, line);
}

static bool isOneOf(Op op, std::initializer_list<const OpSchema *> kinds) {
  for (const OpSchema *kind : kinds)
    if (op.is(*kind))
      return true;
  return false;
}

Op Attempt::madeBy(Value v, const OpSchema &kind, const char *why, unsigned line) {
  Op op = definitionOf(v);
  if (op && op.is(kind))
    return op;
  no(why, line);
  return {};
}

Op Attempt::madeBy(Op user, unsigned operand, const OpSchema &kind, const char *why, unsigned line) {
  return madeBy(user.operand(operand), kind, why, line);
}

Op Attempt::madeBy(Value v, std::initializer_list<const OpSchema *> kinds, unsigned result, const char *why,
                   unsigned line) {
  if (Op op = definitionOf(v); op && isOneOf(op, kinds) && isResult(v, op, result))
    return op;
  no(why, line);
  return {};
}

Value Attempt::result(Op op, unsigned i, const char *why, unsigned line) {
  if (i < op.resultCount())
    return op.result(i);
  no(why, line);
  return {};
}

bool Attempt::is(Op op, std::initializer_list<const OpSchema *> kinds, const char *why, unsigned line) {
  return isOneOf(op, kinds) || no(why, line);
}

bool Attempt::operandCount(Op op, unsigned least, unsigned most, const char *why, unsigned line) {
  unsigned count = op.operandCount();
  return (count >= least && count <= most) || no(why, line);
}

RegionId Attempt::region(Op op, unsigned index, const char *why, unsigned line) {
  return found(regionOf(op, index), why, line);
}

bool Attempt::paramCount(RegionId region, unsigned least, unsigned most, const char *why, unsigned line) {
  size_t count = root_.fn->params(region).size();
  return (count >= least && count <= most) || no(why, line);
}

Value Attempt::param(RegionId region, unsigned i, const char *why, unsigned line) {
  std::span<const ValueId> params = root_.fn->params(region);
  return found(i < params.size() ? Value{root_.fn, params[i]} : Value(), why, line);
}

Value Attempt::lastParam(RegionId region, unsigned i, const char *why, unsigned line) {
  size_t count = root_.fn->params(region).size();
  return param(region, i <= count ? unsigned(count - i) : UINT32_MAX, why, line);
}

ListOf<Value> Attempt::params(RegionId region, unsigned first, unsigned end) const {
  ListOf<Value> out;
  std::span<const ValueId> params = root_.fn->params(region);
  for (size_t i = first; i + end < params.size(); ++i)
    out.push_back({root_.fn, params[i]});
  return out;
}

bool Attempt::hasExtras(Op op) { return hasExtraAttrs(op); }

bool Attempt::noOperand(Op op, unsigned i, const char *why, unsigned line) { return !op.operand(i) || no(why, line); }

// Attributes ------------------------------------------------------------------------------------------------------

AttrId Attempt::attrOrDefault(Op op, unsigned i, const char *why, unsigned line) {
  AttrId attr = op.attrOrDefault(i);
  if (!attr)
    no(why, line);
  return attr;
}

bool Attempt::isDefault(Op op, unsigned i, const char *why, unsigned line) {
  return attrIsDefault(op, i) || no(why, line);
}
bool Attempt::noAttr(Op op, unsigned i, const char *why, unsigned line) { return attrIsAbsent(op, i) || no(why, line); }

bool Attempt::equals(AttrId attr, int64_t value, const char *why, unsigned line) {
  return attrAs<int64_t>(root_.context(), attr) == value || no(why, line);
}
bool Attempt::equals(AttrId attr, bool value, const char *why, unsigned line) {
  return attrAs<bool>(root_.context(), attr) == value || no(why, line);
}
bool Attempt::equals(AttrId attr, DType value, const char *why, unsigned line) {
  return attrAs<DType>(root_.context(), attr) == value || no(why, line);
}
bool Attempt::equals(AttrId attr, std::string_view value, const char *why, unsigned line) {
  return attrAs<std::string_view>(root_.context(), attr) == value || no(why, line);
}

// Types and constants ---------------------------------------------------------------------------------------------

bool Attempt::isConstant(Value v, const char *why, unsigned line) { return constantOf(v) || no(why, line); }
bool Attempt::isSplat(Value v, int64_t value, const char *why, unsigned line) {
  return rw::isSplat(root_.context(), constantOf(v), value) || no(why, line);
}
bool Attempt::isSplat(Value v, double value, const char *why, unsigned line) {
  return rw::isSplat(root_.context(), constantOf(v), value) || no(why, line);
}
bool Attempt::isSplat(Value v, bool value, const char *why, unsigned line) {
  return rw::isSplat(root_.context(), constantOf(v), value) || no(why, line);
}

AttrId Attempt::element(Value v, const char *why, unsigned line) {
  AttrId element = elementOf(root_.context(), constantOf(v));
  if (!element)
    no(why, line);
  return element;
}

bool Attempt::hasDType(Value v, DType dtype, const char *why, unsigned line) {
  return dtypeOf(root_.context(), typeOf(v)) == dtype || no(why, line);
}
bool Attempt::isFloat(Value v, const char *why, unsigned line) {
  std::optional<DType> dtype = dtypeOf(root_.context(), typeOf(v));
  return (dtype && rw::isFloat(*dtype)) || no(why, line);
}
bool Attempt::isInteger(Value v, const char *why, unsigned line) {
  std::optional<DType> dtype = dtypeOf(root_.context(), typeOf(v));
  return (dtype && rw::isInteger(*dtype)) || no(why, line);
}
bool Attempt::isSingleElement(Value v, const char *why, unsigned line) {
  return rw::isSingleElement(root_.context(), typeOf(v)) || no(why, line);
}
bool Attempt::hasRank(Value v, int64_t rank, const char *why, unsigned line) {
  return rankOf(root_.context(), typeOf(v)) == rank || no(why, line);
}
bool Attempt::sameDType(Value a, Value b, const char *why, unsigned line) {
  std::optional<DType> left = dtypeOf(root_.context(), typeOf(a));
  return (left && left == dtypeOf(root_.context(), typeOf(b))) || no(why, line);
}

} // namespace rw
