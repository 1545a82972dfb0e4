// Random functions and random shared tests, for tests of the matching net.
//
// Out: `Dialect`: ops with all that tests ask for; `fill`: a random function of them; `TestMaker`: random tests in an
//      order that is right; `holds`: what shared_tests.h says of them, one by one.
#pragma once

#include "rw/ir/program.h"
#include "rw/rewrite/match_helpers.h"

#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

/// What a failing check shows of places in a net: `{0, 1}`.
template <> struct doctest::StringMaker<std::vector<uint32_t>> {
  static String convert(const std::vector<uint32_t> &list) {
    std::string out = "{";
    for (size_t i = 0; i < list.size(); ++i)
      out += (i ? ", " : "") + std::to_string(list[i]);
    return (out + "}").c_str();
  }
};

namespace rw::net_test {

using Random = std::mt19937;
inline unsigned pick(Random &random, unsigned n) { return unsigned(random() % n); }

// Ops with all that tests ask for.
inline constexpr OperandSchema kOne[] = {{"x"}}, kTwo[] = {{"x"}, {"y"}}, kOptional[] = {{"x"}, {"y", Arity::Optional}},
                               kMany[] = {{"xs", Arity::Variadic}};
inline constexpr ResultSchema kResult[] = {{"r"}}, kResults[] = {{"r"}, {"s"}};
inline constexpr AttrSchema kAttrs[] = {{"number", AttrType::Int, false, true},
                                        {"text", AttrType::String, false},
                                        {"on", AttrType::Bool, false},
                                        {"to", AttrType::DType, false}};
inline constexpr AttrSchema kValue[] = {{"value", AttrType::Any, true}};
inline constexpr Traits kPure = Traits(Trait::Pure);
inline AttrId numberDefault(const OpInputs &in, unsigned index) {
  return index == 0 ? in.context().intAttr(0) : AttrId();
}

struct Dialect {
  std::deque<std::string> names;
  std::deque<OpSchema> unary;
  OpSchema both{
      .dialect = "n", .name = "both", .operands = kTwo, .results = kResult, .traits = Trait::Pure | Trait::Commutative};
  OpSchema maybe{.dialect = "n", .name = "maybe", .operands = kOptional, .results = kResult, .traits = kPure};
  OpSchema many{.dialect = "n", .name = "many", .operands = kMany, .results = kResult, .traits = kPure};
  OpSchema two{.dialect = "n", .name = "two", .operands = kOne, .results = kResults, .traits = kPure};
  OpSchema told{.dialect = "n",
                .name = "told",
                .operands = kOne,
                .results = kResult,
                .attrs = kAttrs,
                .traits = kPure,
                .defaultAttr = numberDefault};
  OpSchema constant{
      .dialect = "n", .name = "constant", .results = kResult, .attrs = kValue, .traits = Trait::Pure | Trait::Constant};
  OpSchema unknown{.dialect = "n", .name = "unknown", .operands = kOne, .results = kResult}; // not registered
  std::vector<const OpSchema *> all;
  OpRegistry registry;

  explicit Dialect(unsigned unaries) {
    for (unsigned i = 0; i < unaries; ++i) {
      const std::string &name = names.emplace_back("u" + std::to_string(i));
      unary.push_back({.dialect = "n",
                       .name = name,
                       .operands = kOne,
                       .results = kResult,
                       .traits = i % 2 ? kPure : Trait::Pure | Trait::Elementwise});
    }
    for (const OpSchema &u : unary)
      all.push_back(&u);
    all.insert(all.end(), {&both, &maybe, &many, &two, &told, &constant});
    for (const OpSchema *s : all)
      registry.add(*s);
  }
};

inline AttrId splat(Context &ctx, DType dtype, int64_t number) {
  Dim two(2);
  return splatOf(ctx, ctx.intAttr(number), ctx.tensorType(dtype, std::span(&two, 1)));
}

/// Ops of all kinds on what stands before them.
inline void fill(Random &random, const Dialect &d, Function &fn, unsigned ops) {
  Context &ctx = fn.context();
  Dim two(2);
  auto typeOf = [&](DType t) { return ctx.tensorType(t, std::span(&two, 1)); };
  const DType kTypes[] = {DType::F32, DType::F16, DType::I32};
  std::vector<ValueId> values;
  for (DType t : kTypes)
    values.push_back(fn.addParam(typeOf(t)).id);
  for (unsigned i = 0; i < ops; ++i) {
    auto any = [&] { return values[values.size() - 1 - pick(random, std::min<unsigned>(unsigned(values.size()), 5))]; };
    const OpSchema &s = *d.all[pick(random, unsigned(d.all.size()))];
    std::vector<ValueId> operands;
    unsigned count = &s == &d.many    ? pick(random, 4)
                     : &s == &d.maybe ? 1 + pick(random, 2)
                                      : unsigned(s.operands.size());
    for (unsigned k = 0; k < count; ++k)
      operands.push_back(any());
    if (&s == &d.maybe && pick(random, 4) == 0)
      operands.back() = operands.size() == 2 ? ValueId() : operands.back();
    std::vector<AttrId> attrs;
    if (&s == &d.told) {
      attrs = {ctx.intAttr(pick(random, 4)), ctx.stringAttr(std::string(1, char('a' + pick(random, 3)))),
               ctx.boolAttr(pick(random, 2)), ctx.dtypeAttr(kTypes[pick(random, 3)])};
      for (AttrId &a : attrs)
        if (pick(random, 3) == 0)
          a = AttrId();
    } else if (&s == &d.constant) {
      attrs = {splat(ctx, kTypes[pick(random, 3)], pick(random, 4))};
    }
    std::vector<TypeId> types(s.results.size(), typeOf(kTypes[pick(random, 3)]));
    Op op = fn.appendOp(fn.body(), d.registry.kindOf(s), operands, ctx.attrs(attrs), types);
    for (unsigned k = 0; k < op.resultCount(); ++k)
      values.push_back(op.result(k).id);
  }
  std::vector<ValueId> last(values.end() - std::min<ptrdiff_t>(3, ptrdiff_t(values.size())), values.end());
  fn.appendOp(fn.body(), kReturnKind, last, ctx.noAttrs(), {});
}

/// Random tests in an order that is right: each behind what sets its slots.
struct TestMaker {
  Random &random;
  const Dialect &d;
  std::deque<KindSet> &sets;
  std::deque<std::vector<const OpSchema *>> &setOps;

  std::vector<SharedTest> make(unsigned count, bool hardlyFailing) {
    std::vector<uint16_t> ops{0}, values, attrs;
    std::vector<SharedTest> out;
    uint16_t next = 1;
    bool commutes = false;
    auto one = [&](const std::vector<uint16_t> &of) { return of[pick(random, unsigned(of.size()))]; };
    while (out.size() < count) {
      SharedTest t;
      unsigned what = pick(random, hardlyFailing ? 22 : 19);
      if (what < 5) {
        t = {.kind = pick(random, 6) ? SharedTest::Operand : SharedTest::OperandAtEnd,
             .required = pick(random, 3) == 0,
             .in = one(ops),
             .out = next};
        t.index = uint16_t(t.kind == SharedTest::Operand ? pick(random, 2) : 1 + pick(random, 2));
        values.push_back(next++);
      } else if (what < 9) {
        if (values.empty())
          continue;
        t = {.kind = SharedTest::Def, .in = one(values), .out = next};
        t.index = pick(random, 8) == 0;
        unsigned how = pick(random, 20);
        if (how == 0) {
          t.op = &d.unknown;
        } else if (how < 14) {
          t.op = d.all[pick(random, unsigned(d.all.size()))];
        } else {
          std::vector<const OpSchema *> &list = setOps.emplace_back();
          for (unsigned i = 0; i < 3; ++i)
            list.push_back(d.all[pick(random, unsigned(d.all.size()))]);
          static constexpr Traits kElementwise[] = {Traits(Trait::Elementwise)};
          KindSet &set = sets.emplace_back(KindSet{list, {}});
          if (how > 16)
            set.traits = kElementwise;
          t.kinds = &set;
        }
        ops.push_back(next++);
      } else if (what == 9 && !commutes) {
        t = {.kind = SharedTest::Commute, .in = one(ops), .out = next};
        values.push_back(next++);
        values.push_back(next++);
        commutes = true;
      } else if (what < 13 && !values.empty()) {
        static constexpr SharedTest::Kind kKinds[] = {
            SharedTest::OneUse,    SharedTest::Constant,    SharedTest::SplatNumber, SharedTest::DTypeIs,
            SharedTest::FloatType, SharedTest::IntegerType, SharedTest::Same,        SharedTest::SplatInt};
        t = {.kind = kKinds[pick(random, 8)], .in = one(values)};
        if (t.kind == SharedTest::Same)
          t.out = one(values);
        t.real = pick(random, 4);
        t.number = t.kind == SharedTest::SplatInt ? int64_t(pick(random, 4))
                                                  : int64_t(pick(random, 2) ? DType::F32 : DType::I32);
      } else if (what < 15) {
        t = {.kind = SharedTest::Attr,
             .required = false,
             .in = one(ops),
             .out = next,
             .index = uint16_t(pick(random, 4))};
        attrs.push_back(next++);
      } else if (what < 17 && !attrs.empty()) {
        static constexpr SharedTest::Kind kKinds[] = {SharedTest::AttrInt, SharedTest::AttrBool, SharedTest::AttrDType,
                                                      SharedTest::AttrString};
        t = {.kind = kKinds[pick(random, 4)], .in = one(attrs)};
        static constexpr std::string_view kTexts[] = {"a", "b", "c"};
        t.text = kTexts[pick(random, 3)];
        t.number =
            t.kind == SharedTest::AttrDType ? int64_t(pick(random, 2) ? DType::F32 : DType::I32) : pick(random, 3);
        if (t.kind == SharedTest::AttrBool)
          t.number = pick(random, 2);
      } else if (what == 17) {
        t = {.kind = SharedTest::Count,
             .in = one(ops),
             .most = pick(random, 2) ? 1 + pick(random, 2) : UINT32_MAX,
             .number = pick(random, 2)};
      } else if (what == 18) {
        t = {.kind = SharedTest::Absent, .in = one(ops), .index = uint16_t(pick(random, 2))};
      } else if (what > 18) {
        t = {.kind = what == 19   ? SharedTest::AttrDefault
                     : what == 20 ? SharedTest::AttrAbsent
                                  : SharedTest::AttrOrDefault,
             .in = one(ops),
             .index = uint16_t(pick(random, 4))};
        if (what == 21) {
          t.required = true;
          t.out = next;
          attrs.push_back(next++);
        }
      } else {
        continue;
      }
      out.push_back(t);
    }
    return out;
  }
};

/// The tests as shared_tests.h says them, one by one. What the net need not ask is left out where `all` is false.
inline bool holds(Op root, std::span<const SharedTest> tests, bool all, unsigned order,
                  std::vector<uint32_t> *found = nullptr) {
  Context &ctx = root.context();
  std::vector<uint32_t> own, &slots = found ? *found : own;
  slots.assign(64, UINT32_MAX);
  slots[0] = root.id.raw;
  for (const SharedTest &t : tests) {
    auto op = [&] { return Op{root.fn, OpId(slots[t.in])}; };
    auto value = [&](uint16_t slot) { return Value{root.fn, ValueId(slots[slot])}; };
    auto attr = [&] { return AttrId(slots[t.in]); };
    auto dtype = [&] { return dtypeOf(ctx, typeOf(value(t.in))).value_or(DType::Unknown); };
    bool ok = true;
    switch (t.kind) {
    case SharedTest::Operand:
    case SharedTest::OperandAtEnd: {
      Value v = op().operand(t.kind == SharedTest::Operand ? t.index : op().operandCount() - t.index);
      slots[t.out] = v.id.raw;
      ok = !t.required || v;
      break;
    }
    case SharedTest::Def: {
      Op made = definitionOf(value(t.in));
      slots[t.out] = made.id.raw;
      ok = made && isResult(value(t.in), made, t.index);
      if (ok && t.op) {
        ok = made.is(*t.op);
      } else if (ok) {
        bool in = false;
        for (const OpSchema *s : t.kinds->ops)
          in |= made.is(*s);
        for (Traits traits : t.kinds->traits)
          in |= (made.schema().traits & traits) == traits;
        ok = in;
      }
      break;
    }
    case SharedTest::Attr:
    case SharedTest::AttrOrDefault:
      slots[t.out] = (t.kind == SharedTest::Attr ? op().attr(t.index) : op().attrOrDefault(t.index)).raw;
      ok = !all || !t.required || slots[t.out] != UINT32_MAX;
      break;
    case SharedTest::AttrDefault:
      ok = !all || attrIsDefault(op(), t.index);
      break;
    case SharedTest::AttrAbsent:
      ok = !all || !op().attr(t.index);
      break;
    case SharedTest::AttrInt:
      ok = attrAs<int64_t>(ctx, attr()) == t.number;
      break;
    case SharedTest::AttrBool:
      ok = attrAs<bool>(ctx, attr()) == (t.number != 0);
      break;
    case SharedTest::AttrDType:
      ok = attrAs<DType>(ctx, attr()) == DType(t.number);
      break;
    case SharedTest::AttrString:
      ok = attrAs<std::string_view>(ctx, attr()) == t.text;
      break;
    case SharedTest::Count:
      ok = op().operandCount() >= t.number && op().operandCount() <= t.most;
      break;
    case SharedTest::Absent:
      ok = !op().operand(t.index);
      break;
    case SharedTest::OneUse:
      ok = value(t.in) && value(t.in).hasOneUse();
      break;
    case SharedTest::Constant:
      ok = bool(constantOf(value(t.in)));
      break;
    case SharedTest::SplatInt:
      ok = isSplat(ctx, constantOf(value(t.in)), t.number);
      break;
    case SharedTest::SplatNumber:
      ok = constantOf(value(t.in)) && splatNumber(ctx, constantOf(value(t.in))) == t.real;
      break;
    case SharedTest::DTypeIs:
      ok = dtype() == DType(t.number);
      break;
    case SharedTest::FloatType:
      ok = isFloat(dtype());
      break;
    case SharedTest::IntegerType:
      ok = isInteger(dtype());
      break;
    case SharedTest::Same:
      ok = value(t.in) == value(t.out);
      break;
    case SharedTest::Commute:
      slots[t.out] = op().operand(order).id.raw;
      slots[t.out + 1u] = op().operand(1 - order).id.raw;
      break;
    case SharedTest::NoExtras:
      ok = !all || !hasExtraAttrs(op());
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}
inline bool holds(Op root, std::span<const SharedTest> tests, bool all) {
  return holds(root, tests, all, 0) || holds(root, tests, all, 1);
}

} // namespace rw::net_test
