// The matching net of a pattern set: which patterns are worth trying at an op, found by asking each question once.
//
// In:  the shared tests (shared_tests.h) of all patterns that may match at one kind of op, whatever they were made by.
// Out: at an op the patterns whose tests hold, by their place in order of priority. A filter: each of them still asks
//      for itself all that it wants, so which one fires is the same as if every pattern had been tried in that order.
// Elsewhere: FrozenPatternSet builds one net when it is made (net_builder.h), and the driver walks it at each op. The
//            driver tries patterns without it where there is a cost model, and where someone asks why a pattern does not match.
//
// A net is a list of instructions that only jump forwards. Those of one kind of op begin at its entry: they follow paths from
// the root (`the op that makes operand 0`) into registers, ask questions about them, and name the patterns. Where answers
// exclude each other (which op, which number, which string, which dtype) one look-up tells all patterns apart, so
// that a thousand cost little more than ten. Walking allocates nothing and calls nothing virtual.
//
//   NetRoom room(net);
//   for (uint32_t place : net.find(op, net.entry(op.kind()), room)) try(set.at(op.kind())[place]);
#pragma once

#include "rw/rewrite/match_helpers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace rw {

struct NetCode {
  enum Op : uint8_t {
    End,
    Leaf, // pattern at place `arg`
    Jump, // to `target`
    // Paths: register `out` =
    GetOperand,      // operand `index` of op `in`
    GetOperandAtEnd, // the same, counted from the end
    GetDef,          // the op that makes value `in`
    GetOperandDef,   // operand `index` of op `in`; and register `arg` = the op that makes it
    GetAttr,         // declared attribute `index` of op `in`
    GetAttrOrDefault,
    // Questions with several answers: on to the answer's place, or to `target` if it is none of them.
    KindSwitch,      // op `in`; the places from `arg`, for `out` kinds from kind `index`
    KindSearch,      // op `in`; `arg` is a NetTable, as of all below
    ResultSwitch,    // which result of op `out` is value `in`
    IntSwitch,       // attribute `in`
    AttrDTypeSwitch, // attribute `in`
    DTypeSwitch,     // of value `in`
    StringSwitch,    // attribute `in`
    SplatSwitch,     // the number that the constant `in` repeats
    // Questions that hold, or not: then on to `target`.
    KindIs,      // op `in` is of kind `index`
    KindIn,      // op `in` is of a kind whose bit is set; the words from `arg`
    Present,     // value or attribute `in` is there
    Absent,      // operand `index` of op `in` is left out
    Count,       // op `in` has so many operands: counts[arg] to counts[arg + 1]
    AttrBool,    // attribute `in` is the bool `index`
    AttrAbsent,  // of op `in`
    AttrDefault, // of op `in`
    OneUse,      // value `in`
    Constant,
    FloatType,
    IntegerType,
    Same, // values `in` and `out`
  };
  Op op = End;
  uint16_t in = 0, out = 0, index = 0;
  uint32_t arg = 0, target = 0;
};
static_assert(sizeof(NetCode) == 16);

/// Answers with the place where each goes on. `places` has one for each key, or each number from `least` on.
struct NetTable {
  uint32_t first = 0, count = 0; // of the keys: numbers, texts or reals of the net; and of places
  uint32_t places = 0;
  bool dense = false; // numbers from `least` on, without keys
  int64_t least = 0;
};

class NetRoom;

class MatchingNet {
public:
  /// What a register holds.
  struct Path {
    enum Kind : uint8_t { Root, Operand, OperandAtEnd, Def, Attr, AttrOrDefault } kind = Root;
    uint16_t parent = 0, index = 0;
  };

  /// Where the instructions for ops of a kind begin; 0: there is nothing to share, and all patterns are to be tried.
  uint32_t entry(KindId kind) const { return kind.raw < entries_.size() ? entries_[kind.raw] : 0; }
  /// Places of the patterns to try at `root`, in order and each once. Good until `room` is used again.
  std::span<const uint32_t> find(Op root, uint32_t entry, NetRoom &room) const;

  /// The most questions that one op is asked, and the most patterns that it may have to try.
  struct Work {
    size_t questions = 0, patterns = 0;
  };
  Work worst(uint32_t entry) const;
  /// An instruction a line: "3 kind of def(root.0): tensor.transpose → 4, else 9".
  std::string describe(uint32_t entry, const OpRegistry &) const;
  size_t size() const { return code_.size(); }

private:
  friend class NetBuilder;
  friend class NetRoom;
  static uint32_t insert(uint32_t *found, uint32_t count, uint32_t place);
  AttrId constant(const Function &fn, const Context &ctx, uint32_t value) const;
  uint32_t placeOf(const NetTable &t, int64_t number, uint32_t otherwise) const;
  uint32_t placeOf(const NetTable &t, std::string_view text, uint32_t otherwise) const;
  uint32_t placeOf(const NetTable &t, double real, uint32_t otherwise) const;
  std::string pathText(uint32_t entry, uint16_t reg) const;
  uint32_t endOf(uint32_t entry) const; // of a root's instructions

  std::vector<uint32_t> entries_; // by kind
  std::vector<NetCode> code_{NetCode()}; // 0 is no entry
  std::vector<NetTable> tables_;
  std::vector<uint32_t> places_;
  std::vector<int64_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<double> reals_;
  std::vector<uint32_t> counts_;
  std::vector<uint64_t> kindBits_;
  std::vector<int16_t> constantAttr_; // by kind: the attribute that its result is, or -1
  struct Root {
    uint32_t entry;
    std::vector<Path> paths; // by register
  };
  std::vector<Root> roots_; // in order of entry
  uint32_t registers_ = 1, rows_ = 0; // the most of any root
};

/// What walking needs, made once for a run.
class NetRoom {
public:
  explicit NetRoom(const MatchingNet &net)
      : registers_(std::make_unique<uint32_t[]>(net.registers_)), found_(std::make_unique<uint32_t[]>(net.rows_ + 1)) {}

private:
  friend class MatchingNet;
  std::unique_ptr<uint32_t[]> registers_, found_;
};

// Inline: matching consists of it.

/// The constant that a value is.
inline AttrId MatchingNet::constant(const Function &fn, const Context &ctx, uint32_t value) const {
  if (value == ValueId::kNone)
    return AttrId();
  uint32_t def = fn.data(ValueId(value)).def;
  if (def & ValueData::kParam)
    return AttrId();
  const OpData &op = fn.data(OpId(def));
  int index = constantAttr_[op.kind.raw];
  if (index < 0) [[likely]]
    return AttrId();
  std::span<const AttrId> fixed = ctx.attrs(op.attrs).fixed;
  return unsigned(index) < fixed.size() ? fixed[unsigned(index)] : AttrId();
}

inline uint32_t MatchingNet::placeOf(const NetTable &t, int64_t number, uint32_t otherwise) const {
  if (t.dense) {
    uint64_t at = uint64_t(number) - uint64_t(t.least);
    return at < t.count ? places_[t.places + at] : otherwise;
  }
  const int64_t *begin = numbers_.data() + t.first, *end = begin + t.count;
  const int64_t *at = std::lower_bound(begin, end, number);
  return at != end && *at == number ? places_[t.places + size_t(at - begin)] : otherwise;
}

inline std::span<const uint32_t> MatchingNet::find(Op root, uint32_t entry, NetRoom &room) const {
  constexpr uint32_t kNone = UINT32_MAX; // of every id
  const NetCode *code = code_.data(), *at = code + entry;
  const Function &fn = *root.fn;
  uint32_t *reg = room.registers_.get(), *found = room.found_.get();
  uint32_t count = 0;
  reg[0] = root.id.raw;
  auto context = [&]() -> Context & { return root.fn->context(); };
  auto kindOf = [&](uint32_t op) -> uint32_t { return op == kNone ? kOpaqueKind.raw : fn.data(OpId(op)).kind.raw; };
  auto definition = [&](uint32_t value) {
    uint32_t def = value == kNone ? kNone : fn.data(ValueId(value)).def;
    return def & ValueData::kParam ? kNone : def;
  };
  auto operand = [&](const OpData &d, uint32_t index) {
    return index < d.operandCount ? fn.data(SlotId(d.firstOperand.raw + index)).value.raw : kNone;
  };
  auto value = [&](uint32_t raw) { return Value{root.fn, ValueId(raw)}; };
  auto op = [&](uint32_t raw) { return Op{root.fn, OpId(raw)}; };
  auto type = [&](uint32_t raw) { return raw == kNone ? DType::Unknown : dtypeOf(context(), value(raw).typeId()).value_or(DType::Unknown); };
  for (;;) {
    const NetCode &c = *at++;
    auto go = [&](uint32_t place) { at = code + place; };
    auto unless = [&](bool holds) {
      if (!holds)
        at = code + c.target;
    };
    switch (c.op) {
    case NetCode::End: return {found, count};
    case NetCode::Leaf:
      if (!count || found[count - 1] < c.arg) [[likely]]
        found[count++] = c.arg;
      else
        count = insert(found, count, c.arg);
      break;
    case NetCode::Jump: go(c.target); break;
    case NetCode::GetOperand: reg[c.out] = operand(fn.data(OpId(reg[c.in])), c.index); break;
    case NetCode::GetOperandAtEnd: {
      const OpData &d = fn.data(OpId(reg[c.in]));
      reg[c.out] = operand(d, d.operandCount - c.index);
      break;
    }
    case NetCode::GetDef: reg[c.out] = definition(reg[c.in]); break;
    case NetCode::GetOperandDef: reg[c.arg] = definition(reg[c.out] = operand(fn.data(OpId(reg[c.in])), c.index)); break;
    case NetCode::GetAttr: reg[c.out] = op(reg[c.in]).attr(c.index).raw; break;
    case NetCode::GetAttrOrDefault: reg[c.out] = op(reg[c.in]).attrOrDefault(c.index).raw; break;
    case NetCode::KindSwitch: {
      uint32_t nth = kindOf(reg[c.in]) - c.index;
      go(nth < c.out ? places_[c.arg + nth] : c.target);
      break;
    }
    case NetCode::KindSearch: go(placeOf(tables_[c.arg], int64_t(kindOf(reg[c.in])), c.target)); break;
    case NetCode::ResultSwitch:
      go(placeOf(tables_[c.arg], int64_t(reg[c.in]) - int64_t(fn.data(OpId(reg[c.out])).firstResult.raw), c.target));
      break;
    case NetCode::IntSwitch: {
      std::optional<int64_t> number;
      if (reg[c.in] != kNone)
        number = attrAs<int64_t>(context(), AttrId(reg[c.in]));
      go(number ? placeOf(tables_[c.arg], *number, c.target) : c.target);
      break;
    }
    case NetCode::AttrDTypeSwitch: {
      std::optional<DType> dtype = attrAs<DType>(context(), AttrId(reg[c.in]));
      go(dtype ? placeOf(tables_[c.arg], int64_t(*dtype), c.target) : c.target);
      break;
    }
    case NetCode::DTypeSwitch: go(placeOf(tables_[c.arg], int64_t(type(reg[c.in])), c.target)); break;
    case NetCode::StringSwitch: {
      std::optional<std::string_view> text = attrAs<std::string_view>(context(), AttrId(reg[c.in]));
      go(text ? placeOf(tables_[c.arg], *text, c.target) : c.target);
      break;
    }
    case NetCode::SplatSwitch: {
      AttrId a = constant(fn, context(), reg[c.in]);
      std::optional<double> number = a ? splatNumber(context(), a) : std::nullopt;
      go(number ? placeOf(tables_[c.arg], *number, c.target) : c.target);
      break;
    }
    case NetCode::KindIs: unless(kindOf(reg[c.in]) == c.index); break;
    case NetCode::KindIn: {
      uint32_t kind = kindOf(reg[c.in]);
      unless(kindBits_[c.arg + kind / 64] >> kind % 64 & 1);
      break;
    }
    case NetCode::Present: unless(reg[c.in] != kNone); break;
    case NetCode::Absent: unless(operand(fn.data(OpId(reg[c.in])), c.index) == kNone); break;
    case NetCode::Count: {
      uint32_t n = fn.data(OpId(reg[c.in])).operandCount;
      unless(n >= counts_[c.arg] && n <= counts_[c.arg + 1]);
      break;
    }
    case NetCode::AttrBool: unless(attrAs<bool>(context(), AttrId(reg[c.in])) == (c.index != 0)); break;
    case NetCode::AttrAbsent: unless(!op(reg[c.in]).attr(c.index)); break;
    case NetCode::AttrDefault: unless(attrIsDefault(op(reg[c.in]), c.index)); break;
    case NetCode::OneUse: unless(reg[c.in] != kNone && value(reg[c.in]).hasOneUse()); break;
    case NetCode::Constant: unless(bool(constant(fn, context(), reg[c.in]))); break;
    case NetCode::FloatType: unless(isFloat(type(reg[c.in]))); break;
    case NetCode::IntegerType: unless(isInteger(type(reg[c.in]))); break;
    case NetCode::Same: unless(reg[c.in] == reg[c.out]); break;
    }
  }
}

} // namespace rw
