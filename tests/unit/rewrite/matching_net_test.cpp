// The matching net against asking each pattern's tests one by one: random tests, random functions; and how much an op
// is asked, and how large nets get, with few and with many patterns.
#include "rw/ir/program.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/rewrite/net_builder.h"

#include <doctest/doctest.h>

#include <bit>
#include <deque>
#include <functional>
#include <random>

using namespace rw;

namespace {

using Random = std::mt19937;
unsigned pick(Random &random, unsigned n) { return unsigned(random() % n); }

// Ops with all that tests ask for.
constexpr OperandSchema kOne[] = {{"x"}}, kTwo[] = {{"x"}, {"y"}}, kOptional[] = {{"x"}, {"y", Arity::Optional}},
                        kMany[] = {{"xs", Arity::Variadic}};
constexpr ResultSchema kResult[] = {{"r"}}, kResults[] = {{"r"}, {"s"}};
constexpr AttrSchema kAttrs[] = {{"number", AttrType::Int, false, true},
                                 {"text", AttrType::String, false},
                                 {"on", AttrType::Bool, false},
                                 {"to", AttrType::DType, false}};
constexpr AttrSchema kValue[] = {{"value", AttrType::Any, true}};
constexpr Traits kPure = Traits(Trait::Pure);
AttrId numberDefault(const OpInputs &in, unsigned index) { return index == 0 ? in.context().intAttr(0) : AttrId(); }

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

AttrId splat(Context &ctx, DType dtype, int64_t number) {
  Dim two(2);
  return splatOf(ctx, ctx.intAttr(number), ctx.tensorType(dtype, std::span(&two, 1)));
}

/// Ops of all kinds on what stands before them.
void fill(Random &random, const Dialect &d, Function &fn, unsigned ops) {
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
            SharedTest::FloatType, SharedTest::IntegerType, SharedTest::Same};
        t = {.kind = kKinds[pick(random, 7)], .in = one(values)};
        if (t.kind == SharedTest::Same)
          t.out = one(values);
        t.real = pick(random, 4);
        t.number = int64_t(pick(random, 2) ? DType::F32 : DType::I32);
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
bool holds(Op root, std::span<const SharedTest> tests, bool all, unsigned order) {
  Context &ctx = root.context();
  std::vector<uint32_t> slots(64, UINT32_MAX);
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
    case SharedTest::AttrDefault: ok = !all || attrIsDefault(op(), t.index); break;
    case SharedTest::AttrAbsent: ok = !all || !op().attr(t.index); break;
    case SharedTest::AttrInt: ok = attrAs<int64_t>(ctx, attr()) == t.number; break;
    case SharedTest::AttrBool: ok = attrAs<bool>(ctx, attr()) == (t.number != 0); break;
    case SharedTest::AttrDType: ok = attrAs<DType>(ctx, attr()) == DType(t.number); break;
    case SharedTest::AttrString: ok = attrAs<std::string_view>(ctx, attr()) == t.text; break;
    case SharedTest::Count: ok = op().operandCount() >= t.number && op().operandCount() <= t.most; break;
    case SharedTest::Absent: ok = !op().operand(t.index); break;
    case SharedTest::OneUse: ok = value(t.in) && value(t.in).hasOneUse(); break;
    case SharedTest::Constant: ok = bool(constantOf(value(t.in))); break;
    case SharedTest::SplatNumber:
      ok = constantOf(value(t.in)) && splatNumber(ctx, constantOf(value(t.in))) == t.real;
      break;
    case SharedTest::DTypeIs: ok = dtype() == DType(t.number); break;
    case SharedTest::FloatType: ok = isFloat(dtype()); break;
    case SharedTest::IntegerType: ok = isInteger(dtype()); break;
    case SharedTest::Same: ok = value(t.in) == value(t.out); break;
    case SharedTest::Commute:
      slots[t.out] = op().operand(order).id.raw;
      slots[t.out + 1u] = op().operand(1 - order).id.raw;
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}
bool holds(Op root, std::span<const SharedTest> tests, bool all) {
  return holds(root, tests, all, 0) || holds(root, tests, all, 1);
}

std::vector<uint32_t> placesOf(const FoundPatterns &found) {
  std::vector<uint32_t> places;
  for (uint64_t left = found.near; left; left &= left - 1)
    places.push_back(uint32_t(std::countr_zero(left)));
  places.insert(places.end(), found.far.begin(), found.far.end());
  return places;
}

/// A pattern of tests that turns its root into an op of another kind.
struct Tested : Pattern {
  Tested(PatternInfo info, std::vector<KindId> roots, std::vector<SharedTest> tests, const OpSchema *to)
      : Pattern(info), tests_(std::move(tests)), to_(to) {
    roots_ = std::move(roots);
    if (info_.fastmath || info_.benefit != 3) // those of benefit 3 are as if written by hand
      info_.tests = tests_;
  }
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    if (!holds(root, tests_, true))
      return false;
    if (to_)
      return rw.replaceOpWithNew(root, *to_, {root.operand(0)});
    return rw.replaceOp(root, root.operand(0));
  }
  std::vector<SharedTest> tests_;
  const OpSchema *to_;
};

} // namespace

TEST_CASE("the net finds just the patterns whose tests hold") {
  Random random(1);
  size_t found = 0, asked = 0;
  for (unsigned round = 0; round < 600; ++round) {
    Dialect d(3 + round % 4);
    std::deque<KindSet> sets;
    std::deque<std::vector<const OpSchema *>> setOps;
    TestMaker maker{random, d, sets, setOps};
    std::vector<std::vector<SharedTest>> patterns(2 + pick(random, round % 10 == 0 ? 200 : 12));
    for (auto &tests : patterns)
      tests = maker.make(pick(random, 9), round % 2);
    NetBuilder builder(d.registry);
    std::vector<NetBuilder::Tests> lists(patterns.begin(), patterns.end());
    KindId kind = d.registry.kindOf(d.both);
    builder.add(kind, lists);
    MatchingNet net = std::move(builder).finish();
    uint32_t root = net.rootOf(kind);
    if (!root)
      continue;
    CHECK(!net.describe(root, d.registry).empty());
    NetRoom room(net);
    Program program(d.registry);
    Function &fn = program.addFunction("f");
    fill(random, d, fn, 40);
    for (Op op : fn.ops(fn.body())) {
      if (op.kind() != kind)
        continue;
      std::vector<uint32_t> places = placesOf(net.find(op, root, room));
      CHECK(places.size() <= net.worst(root).patterns);
      size_t at = 0;
      for (uint32_t i = 0; i < patterns.size(); ++i) {
        bool is = at < places.size() && places[at] == i;
        at += is;
        found += is;
        ++asked;
        std::string tests;
        for (const SharedTest &t : patterns[i])
          tests += "\n  kind " + std::to_string(t.kind) + " in " + std::to_string(t.in) + " out " +
                   std::to_string(t.out) + " index " + std::to_string(t.index);
        INFO("round ", round, ", pattern ", i, tests, "\n", net.describe(root, d.registry));
        if (holds(op, patterns[i], true))
          CHECK(is); // a pattern that may match is tried
        if (is)
          CHECK(holds(op, patterns[i], false)); // and no other, but for what hardly ever fails
      }
      CHECK(at == places.size()); // in order, each once
    }
  }
  CHECK(found > 5'000);
  CHECK(found * 2 < asked);
}

TEST_CASE("patterns of any origin do the same through the net as one by one") {
  Random random(2);
  uint64_t rewrites = 0, tried = 0, triedAlone = 0;
  for (unsigned round = 0; round < 200; ++round) {
    Dialect d(4);
    std::deque<KindSet> sets;
    std::deque<std::vector<const OpSchema *>> setOps;
    TestMaker maker{random, d, sets, setOps};
    PatternSet set(d.registry);
    static constexpr std::string_view kNames[] = {"A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7",
                                                  "A8", "A9", "B0", "B1", "B2", "B3", "B4", "B5"};
    for (std::string_view name : kNames) {
      std::vector<KindId> roots{d.registry.kindOf(d.both)};
      if (pick(random, 4) == 0)
        roots = kindsWithTraits(d.registry, Traits(Trait::Elementwise));
      // What replaces the root is no root of another, so that every set comes to an end.
      const OpSchema *to = pick(random, 2) ? &d.unary[pick(random, 2) * 2 + 1] : nullptr;
      PatternInfo info{.name = name,
                       .benefit = 1 + pick(random, 3),
                       .fastmath = pick(random, 8) == 0,
                       .depth = 10,
                       .looksAtUses = true};
      info.countsUses = true;
      set.add(std::make_unique<Tested>(info, roots, maker.make(pick(random, 7), true), to));
    }
    FrozenPatternSet frozen = std::move(set).freeze();
    PatternFilter filter{.disabled = {"A3", "B*"}, .only = {}};
    auto run = [&](bool merge, Random same) {
      Program program(d.registry);
      Function &fn = program.addFunction("f");
      fill(same, d, fn, 60);
      GreedyRewriteConfig config;
      config.merge = merge;
      config.expensiveChecks = false;
      config.timePatterns = round % 5 == 0; // the slow way
      config.allowFastMath = round % 2;
      if (round % 3 == 0)
        config.filter = &filter;
      RewriteResult result = applyPatternsGreedily(fn, frozen, config);
      std::vector<uint64_t> applied;
      for (const PatternCounters &c : result.patterns) {
        applied.push_back(c.applied);
        (merge ? tried : triedAlone) += c.tried;
      }
      rewrites += result.rewrites;
      std::vector<std::array<uint32_t, 3>> ops;
      for (Op op : fn.ops(fn.body()))
        ops.push_back({op.id.raw, op.kind().raw, op.operand(0).id.raw});
      return std::pair(applied, ops);
    };
    Random same = random;
    CHECK(run(true, same) == run(false, same));
  }
  CHECK(rewrites > 1'000);
  CHECK(tried * 5 < triedAlone * 4);
}

TEST_CASE("a pattern whose operands commute is tried once, whichever order holds") {
  Dialect d(2);
  std::vector<SharedTest> first{{.kind = SharedTest::Commute, .in = 0, .out = 1},
                                {.kind = SharedTest::Def, .in = 1, .out = 3, .op = &d.unary[0]}};
  std::vector<SharedTest> second{{.kind = SharedTest::Operand, .in = 0, .out = 1},
                                 {.kind = SharedTest::Def, .in = 1, .out = 2, .op = &d.unary[1]}};
  NetBuilder builder(d.registry);
  NetBuilder::Tests lists[] = {second, first};
  KindId kind = d.registry.kindOf(d.both);
  builder.add(kind, lists);
  MatchingNet net = std::move(builder).finish();
  NetRoom room(net);
  Program program(d.registry);
  Function &fn = program.addFunction("f");
  Context &ctx = fn.context();
  TypeId type = ctx.tensorType(DType::F32, {});
  ValueId x = fn.addParam(type).id;
  auto make = [&](const OpSchema &s, std::vector<ValueId> operands) {
    return fn.appendOp(fn.body(), d.registry.kindOf(s), operands, ctx.noAttrs(), {&type, 1});
  };
  ValueId u0 = make(d.unary[0], {x}).result().id, u1 = make(d.unary[1], {x}).result().id;
  auto places = [&](ValueId a, ValueId b) { return placesOf(net.find(make(d.both, {a, b}), net.rootOf(kind), room)); };
  using List = std::vector<uint32_t>;
  CHECK(places(u0, u0) == List{1});
  CHECK(places(x, u0) == List{1});
  CHECK(places(u0, x) == List{1});
  CHECK(places(u1, u0) == List{0, 1});
  CHECK(places(x, u1) == List{});
}

TEST_CASE(
    "a thousand patterns of one root ask an op less than twice what ten ask it, and take a hundred times the room") {
  using Make = std::function<std::vector<SharedTest>(const Dialect &, unsigned)>;
  Dialect d(40);
  auto def = [&](unsigned slot, const OpSchema &op) {
    return std::vector<SharedTest>{
        {.kind = SharedTest::Def, .in = uint16_t(slot), .out = uint16_t(slot + 1), .op = &op},
        {.kind = SharedTest::Operand, .in = uint16_t(slot + 1), .out = uint16_t(slot + 2)}};
  };
  auto joined = [](std::initializer_list<std::vector<SharedTest>> parts) {
    std::vector<SharedTest> out;
    for (auto &p : parts)
      out.insert(out.end(), p.begin(), p.end());
    return out;
  };
  const SharedTest operand{.kind = SharedTest::Operand, .in = 0, .out = 1},
      commute{.kind = SharedTest::Commute, .in = 0, .out = 1};
  std::deque<std::string> texts;
  for (unsigned i = 0; i < 1'000; ++i)
    texts.push_back("lib.f" + std::to_string(i));
  auto attr = [&](unsigned op, unsigned index, SharedTest::Kind kind, unsigned i) {
    return std::vector<SharedTest>{
        {.kind = SharedTest::Attr, .in = uint16_t(op), .out = uint16_t(op + 9), .index = uint16_t(index)},
        {.kind = kind, .in = uint16_t(op + 9), .number = int64_t(i) * i, .text = texts[i]}};
  };
  const std::pair<const char *, Make> kinds[] = {
      {"numbers",
       [&](auto &, unsigned i) {
         return joined({{operand}, def(1, d.told), attr(2, 0, SharedTest::AttrInt, i)});
       }},
      {"strings",
       [&](auto &, unsigned i) {
         return joined({{operand}, def(1, d.told), attr(2, 1, SharedTest::AttrString, i)});
       }},
      {"constants",
       [&](auto &, unsigned i) {
         return std::vector<SharedTest>{commute, {.kind = SharedTest::SplatNumber, .in = 2, .real = double(i)}};
       }},
      {"ops",
       [&](auto &, unsigned i) {
         return joined({{operand}, def(1, d.unary[i % 10]), def(3, d.unary[i / 10 % 10]), def(5, d.unary[i / 100])});
       }},
      {"mixed",
       [&](auto &, unsigned i) {
         switch (i % 4) {
         case 0: return std::vector<SharedTest>{commute, {.kind = SharedTest::SplatNumber, .in = 2, .real = double(i)}};
         case 1: return joined({{commute}, def(1, d.told), attr(2, 0, SharedTest::AttrInt, i)});
         case 2:
           return joined({{commute}, def(1, d.unary[i % 40]), def(3, d.told), attr(4, 0, SharedTest::AttrInt, i)});
         default: return joined({{operand}, def(1, d.told), attr(2, 1, SharedTest::AttrString, i)});
         }
       }},
  };
  for (const auto &[name, make] : kinds) {
    CAPTURE(name);
    auto work = [&](unsigned count) {
      std::vector<std::vector<SharedTest>> patterns;
      for (unsigned i = 0; i < count; ++i)
        patterns.push_back(make(d, i));
      std::vector<NetBuilder::Tests> lists(patterns.begin(), patterns.end());
      NetBuilder builder(d.registry);
      KindId kind = d.registry.kindOf(d.both);
      builder.add(kind, lists);
      MatchingNet net = std::move(builder).finish();
      return std::pair(net.worst(net.rootOf(kind)), net.size());
    };
    auto [ten, tenSize] = work(10);
    auto [thousand, thousandSize] = work(1'000);
    CAPTURE(ten.questions);
    CAPTURE(thousand.questions);
    CHECK(thousand.questions <= 2 * ten.questions);
    CHECK(thousand.patterns <= ten.patterns + 2);
    CHECK(thousandSize <= 110 * tenSize);
  }
}
