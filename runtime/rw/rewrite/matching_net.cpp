#include "rw/rewrite/matching_net.h"

#include "rw/rewrite/match_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace rw {

uint32_t MatchingNet::insert(uint32_t *far, uint32_t count, uint32_t place) {
  uint32_t *at = std::lower_bound(far, far + count, place);
  if (at != far + count && *at == place) // the other order of its operands
    return count;
  std::copy_backward(at, far + count, far + count + 1);
  *at = place;
  return count + 1;
}

uint32_t MatchingNet::placeOf(const NetTable &t, std::string_view text, uint32_t otherwise) const {
  auto begin = texts_.begin() + t.first, end = begin + t.count;
  auto at = std::lower_bound(begin, end, text);
  return at != end && *at == text ? places_[t.places + size_t(at - begin)] : otherwise;
}

uint32_t MatchingNet::placeOf(const NetTable &t, double real, uint32_t otherwise) const {
  const double *begin = reals_.data() + t.first, *end = begin + t.count;
  const double *at = std::lower_bound(begin, end, real);
  return at != end && *at == real ? places_[t.places + size_t(at - begin)] : otherwise;
}

/// The constant that a value is.
AttrId MatchingNet::constant(const Function &fn, uint32_t value) const {
  if (value == ValueId::kNone)
    return AttrId();
  uint32_t def = fn.data(ValueId(value)).def;
  if (def & ValueData::kParam)
    return AttrId();
  const OpData &op = fn.data(OpId(def));
  int index = fn.context().ops().constantAttr(op.kind);
  if (index < 0) [[likely]]
    return AttrId();
  if (AttrId stated = fn.context().attr(op.attrs, unsigned(index))) [[likely]]
    return stated;
  return const_cast<Function &>(fn).value(ValueId(value)).constant(); // perhaps numbers in an attribute of their own
}

uint32_t MatchingNet::placeOf(const NetTable &t, int64_t number, uint32_t otherwise) const {
  if (t.dense) {
    uint64_t at = uint64_t(number) - uint64_t(t.least);
    return at < t.count ? places_[t.places + at] : otherwise;
  }
  const int64_t *begin = numbers_.data() + t.first, *end = begin + t.count;
  const int64_t *at = std::lower_bound(begin, end, number);
  return at != end && *at == number ? places_[t.places + size_t(at - begin)] : otherwise;
}

// Walking ---------------------------------------------------------------------------------------------------------

static constexpr uint32_t kNone = UINT32_MAX; // of every id

static uint32_t kindOf(const Function &fn, uint32_t op) {
  return op == kNone ? kOpaqueKind.raw : fn.data(OpId(op)).kind.raw;
}
static uint32_t definition(const Function &fn, uint32_t value) {
  uint32_t def = value == kNone ? kNone : fn.data(ValueId(value)).def;
  return def & ValueData::kParam ? kNone : def;
}
static uint32_t operandOf(const Function &fn, uint32_t op, uint32_t index) {
  const OpData &d = fn.data(OpId(op));
  return index < d.operandCount ? fn.data(SlotId(d.firstOperand.raw + index)).value.raw : kNone;
}

uint32_t MatchingNet::laterOperand(const Function &fn, const OpData &op, uint32_t index) {
  return fn.data(SlotId(op.firstOperand.raw + index)).value.raw;
}

/// The loop holds what is asked most; the rest is asked apart, so that this needs few registers. The last
/// instruction names patterns itself, so that no branch depends on whether there are any.
FoundPatterns MatchingNet::walk(Op op, const Answer &from, NetRoom &room, const Opening *openings) const {
  const Function &fn = *op.fn;
  const NetCode *code = code_.data(), *at = code + from.next;
  uint32_t *reg = room.registers_.get();
  uint64_t near = from.near;
  uint32_t count = 0; // of those found that are far
  while (at->op != NetCode::End) {
    const NetCode &c = *at++;
    switch (c.op) {
    case NetCode::Near:
      near |= c.bits();
      break;
    case NetCode::Far:
      count = insert(room.found_.get(), count, c.arg);
      break;
    case NetCode::Jump:
      at = code + c.target;
      break;
    case NetCode::GetOperand:
      reg[c.out] = operandOf(fn, reg[c.in], c.index);
      break;
    case NetCode::GetDef:
      reg[c.out] = definition(fn, reg[c.in]);
      break;
    case NetCode::GetOperandDef:
      reg[c.arg] = definition(fn, reg[c.out] = operandOf(fn, reg[c.in], c.index));
      break;
    case NetCode::GetAttr:
      reg[c.out] = Op{op.fn, OpId(reg[c.in])}.attr(c.index).raw;
      break;
    case NetCode::KindSwitch: {
      uint32_t nth = kindOf(fn, reg[c.in]) - c.index;
      at = code + (nth < c.out ? places_[c.arg + nth] : c.target);
      break;
    }
    case NetCode::IntSwitch: {
      const AttrData *a = reg[c.in] == kNone ? nullptr : &fn.context().attr(AttrId(reg[c.in]));
      at = code + (a && a->kind == AttrKind::Int ? placeOf(tables_[c.arg], a->i, c.target) : c.target);
      break;
    }
    case NetCode::KindIs:
      if (kindOf(fn, reg[c.in]) != c.index)
        at = code + c.target;
      break;
    case NetCode::KindIn: {
      uint32_t kind = kindOf(fn, reg[c.in]);
      if (!(kindBits_[c.arg + kind / 64] >> kind % 64 & 1))
        at = code + c.target;
      break;
    }
    case NetCode::Same:
      if (reg[c.in] != reg[c.out])
        at = code + c.target;
      break;
    case NetCode::GetOperandAtEnd:
      reg[c.out] = operandOf(fn, reg[c.in], fn.data(OpId(reg[c.in])).operandCount - c.index);
      break;
    case NetCode::GetAttrOrDefault:
      reg[c.out] = Op{op.fn, OpId(reg[c.in])}.attrOrDefault(c.index).raw;
      break;
    case NetCode::SplatIntSwitch:
      at = code + askSplatInt(c, op, reg);
      break;
    default:
      at = code + ask(c, op, reg);
      break;
    }
  }
  return {near | at->bits(), {room.found_.get(), count}, openings};
}

uint32_t MatchingNet::askSplatInt(const NetCode &c, Op root, const uint32_t *reg) const {
  Context &ctx = root.fn->context();
  AttrId a = constant(*root.fn, reg[c.in]);
  if (!a)
    return c.target;
  if (const DenseData *dense = ctx.attr(a).dense; dense && dense->splat) [[likely]]
    return dense->repeatedInt ? placeOf(tables_[c.arg], *dense->repeatedInt, c.target) : c.target;
  std::optional<int64_t> first = firstInt(ctx, a);
  uint32_t place = first ? placeOf(tables_[c.arg], *first, c.target) : c.target;
  return place == c.target || isSplat(ctx, a, *first) ? place : c.target;
}

/// Where a question that is not asked by walk() leads.
uint32_t MatchingNet::ask(const NetCode &c, Op root, const uint32_t *reg) const {
  const Function &fn = *root.fn;
  Context &ctx = root.fn->context();
  auto value = [&] { return Value{root.fn, ValueId(reg[c.in])}; };
  auto op = [&] { return Op{root.fn, OpId(reg[c.in])}; };
  auto attr = [&] { return AttrId(reg[c.in]); };
  auto dtype = [&] { return dtypeOf(ctx, typeOf(value())).value_or(DType::Unknown); };
  auto lookUp = [&](const auto &answer) { return answer ? placeOf(tables_[c.arg], *answer, c.target) : c.target; };
  auto number = [&](std::optional<DType> t) { return t ? std::optional(int64_t(*t)) : std::nullopt; };
  bool holds = false;
  switch (c.op) {
  case NetCode::KindSearch:
    return placeOf(tables_[c.arg], int64_t(kindOf(fn, reg[c.in])), c.target);
  case NetCode::ResultSwitch:
    return placeOf(tables_[c.arg], int64_t(reg[c.in]) - int64_t(fn.data(OpId(reg[c.out])).firstResult.raw), c.target);
  case NetCode::AttrDTypeSwitch:
    return lookUp(number(attrAs<DType>(ctx, attr())));
  case NetCode::DTypeSwitch:
    return lookUp(number(dtype()));
  case NetCode::StringSwitch:
    return lookUp(attrAs<std::string_view>(ctx, attr()));
  case NetCode::SplatSwitch: {
    AttrId a = constant(fn, reg[c.in]);
    return a ? lookUp(splatNumber(ctx, a)) : c.target;
  }
  case NetCode::Present:
    holds = reg[c.in] != kNone;
    break;
  case NetCode::Absent:
    holds = operandOf(fn, reg[c.in], c.index) == kNone;
    break;
  case NetCode::Count: {
    uint32_t n = fn.data(OpId(reg[c.in])).operandCount;
    holds = n >= counts_[c.arg] && n <= counts_[c.arg + 1];
    break;
  }
  case NetCode::AttrBool:
    holds = attrAs<bool>(ctx, attr()) == (c.index != 0);
    break;
  case NetCode::AttrAbsent:
    holds = !op().attr(c.index);
    break;
  case NetCode::AttrDefault:
    holds = attrIsDefault(op(), c.index);
    break;
  case NetCode::OneUse:
    holds = value() && value().hasOneUse();
    break;
  case NetCode::Constant:
    holds = bool(constant(fn, reg[c.in]));
    break;
  case NetCode::FloatType:
    holds = isFloat(dtype());
    break;
  case NetCode::IntegerType:
    holds = isInteger(dtype());
    break;
  default:
    break; // by walk()
  }
  return holds ? uint32_t(&c - code_.data()) + 1 : c.target;
}

// For people and tests --------------------------------------------------------------------------------------------

static bool isQuestion(NetCode::Op op) { return op >= NetCode::KindSwitch; }

uint32_t MatchingNet::endOf(uint32_t root) const {
  return root + 1 < rootTexts_.size() ? rootTexts_[root + 1].entry : uint32_t(code_.size());
}

MatchingNet::Work MatchingNet::worst(uint32_t root) const {
  if (!root)
    return {};
  uint32_t entry = rootTexts_[root].entry, end = endOf(root);
  std::vector<Work> from(end - entry + 1); // jumps go forwards
  for (uint32_t i = end; i-- > entry;) {
    const NetCode &c = code_[i];
    Work &w = from[i - entry];
    if (c.op == NetCode::End) {
      w.patterns = size_t(std::popcount(c.bits()));
      continue;
    }
    auto way = [&](uint32_t place) {
      const Work &on = from[place - entry];
      w.questions = std::max(w.questions, on.questions);
      w.patterns = std::max(w.patterns, on.patterns);
    };
    if (c.target && c.op != NetCode::Near)
      way(c.target);
    uint32_t first = c.op == NetCode::KindSwitch ? c.arg : 0, count = c.op == NetCode::KindSwitch ? c.out : 0;
    if (c.op >= NetCode::KindSearch && c.op <= NetCode::SplatSwitch) {
      first = tables_[c.arg].places;
      count = tables_[c.arg].count;
    }
    for (uint32_t k = 0; k < count; ++k)
      way(places_[first + k]);
    if (!count && c.op != NetCode::Jump)
      way(i + 1);
    w.questions += isQuestion(c.op);
    w.patterns += c.op == NetCode::Far ? 1 : c.op == NetCode::Near ? size_t(std::popcount(c.bits())) : 0;
  }
  return from[0];
}

std::string MatchingNet::pathText(uint32_t root, uint16_t reg) const {
  const Path &p = rootTexts_[root].paths[reg];
  switch (p.kind) {
  case Path::Root:
    return "root";
  case Path::Operand:
    return fmt::format("{}.{}", pathText(root, p.parent), p.index);
  case Path::OperandAtEnd:
    return fmt::format("{}.-{}", pathText(root, p.parent), p.index);
  case Path::Def:
    return fmt::format("def({})", pathText(root, p.parent));
  case Path::Attr:
  case Path::AttrOrDefault:
    return fmt::format("{}:{}", pathText(root, p.parent), p.index);
  }
  return "";
}

std::string MatchingNet::describe(uint32_t root, const OpRegistry &ops) const {
  std::string out;
  uint32_t entry = rootTexts_[root].entry;
  for (uint32_t i = entry, end = root ? endOf(root) : 0; i < end; ++i) {
    const NetCode &c = code_[i];
    std::string in = pathText(root, c.in), text;
    auto target = [&](uint32_t place) { return place - entry; };
    auto table = [&](std::string what, const auto &key) {
      const NetTable &t = tables_[c.arg];
      text = what + ":";
      for (uint32_t k = 0; k < t.count; ++k)
        if (places_[t.places + k] != c.target)
          text += fmt::format(" {} -> {},", key(t, k), target(places_[t.places + k]));
      text += fmt::format(" else {}", target(c.target));
    };
    auto number = [&](const NetTable &t, uint32_t k) { return t.dense ? t.least + k : numbers_[t.first + k]; };
    auto dtype = [&](const NetTable &t, uint32_t k) { return dtypeName(DType(number(t, k))); };
    auto yes = [&](std::string what) { text = fmt::format("{}? else {}", what, target(c.target)); };
    switch (c.op) {
    case NetCode::End:
    case NetCode::Near:
      text = c.bits() ? "try" : "";
      for (uint64_t left = c.bits(); left; left &= left - 1)
        text += fmt::format(" {}", std::countr_zero(left));
      if (c.op == NetCode::End)
        text += c.bits() ? ", end" : "end";
      break;
    case NetCode::Far:
      text = fmt::format("try {}", c.arg);
      break;
    case NetCode::Jump:
      text = fmt::format("go {}", target(c.target));
      break;
    case NetCode::GetOperandDef:
      text = pathText(root, uint16_t(c.arg));
      break;
    case NetCode::GetOperand:
    case NetCode::GetOperandAtEnd:
    case NetCode::GetDef:
    case NetCode::GetAttr:
    case NetCode::GetAttrOrDefault:
      text = pathText(root, c.out);
      break;
    case NetCode::KindSwitch:
      text = fmt::format("kind of {}:", in);
      for (uint32_t k = 0; k < c.out; ++k)
        if (places_[c.arg + k] != c.target)
          text += fmt::format(" {} -> {},", ops.fullName(KindId{uint16_t(c.index + k)}), target(places_[c.arg + k]));
      text += fmt::format(" else {}", target(c.target));
      break;
    case NetCode::KindSearch:
      table("kind of " + in,
            [&](const NetTable &t, uint32_t k) { return ops.fullName(KindId{uint16_t(number(t, k))}); });
      break;
    case NetCode::ResultSwitch:
      table("which result is " + in, number);
      break;
    case NetCode::IntSwitch:
      table("number " + in, number);
      break;
    case NetCode::AttrDTypeSwitch:
      table("dtype " + in, dtype);
      break;
    case NetCode::DTypeSwitch:
      table("dtype of " + in, dtype);
      break;
    case NetCode::StringSwitch:
      table("string " + in, [&](const NetTable &t, uint32_t k) { return fmt::format("\"{}\"", texts_[t.first + k]); });
      break;
    case NetCode::SplatIntSwitch:
      table("int " + in + " repeats", number);
      break;
    case NetCode::SplatSwitch:
      table("number " + in + " repeats", [&](const NetTable &t, uint32_t k) { return reals_[t.first + k]; });
      break;
    case NetCode::KindIs:
      yes(fmt::format("{} is {}", in, ops.fullName(KindId{c.index})));
      break;
    case NetCode::KindIn: {
      std::string kinds;
      for (uint32_t k = 0; k < ops.size(); ++k)
        if (kindBits_[c.arg + k / 64] >> k % 64 & 1)
          kinds += (kinds.empty() ? "" : " | ") + ops.fullName(KindId{uint16_t(k)});
      yes(fmt::format("{} is {}", in, kinds));
      break;
    }
    case NetCode::Present:
      yes(in + " is there");
      break;
    case NetCode::Absent:
      yes(fmt::format("{}.{} is left out", in, c.index));
      break;
    case NetCode::Count:
      yes(counts_[c.arg + 1] == UINT32_MAX
              ? fmt::format("{} has {} or more operands", in, counts_[c.arg])
              : fmt::format("{} has {} to {} operands", in, counts_[c.arg], counts_[c.arg + 1]));
      break;
    case NetCode::AttrBool:
      yes(fmt::format("{} is {}", in, c.index != 0));
      break;
    case NetCode::AttrAbsent:
      yes(fmt::format("{}:{} is left out", in, c.index));
      break;
    case NetCode::AttrDefault:
      yes(fmt::format("{}:{} is its default", in, c.index));
      break;
    case NetCode::OneUse:
      yes(in + " has one use");
      break;
    case NetCode::Constant:
      yes(in + " is constant");
      break;
    case NetCode::FloatType:
      yes(in + " is float");
      break;
    case NetCode::IntegerType:
      yes(in + " is integer");
      break;
    case NetCode::Same:
      yes(fmt::format("{} is {}", in, pathText(root, c.out)));
      break;
    }
    out += fmt::format("{:>4} {}\n", i - entry, text);
  }
  return out;
}

} // namespace rw
