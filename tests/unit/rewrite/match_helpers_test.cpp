// Chains on graphs that the patterns of g.rw do not reach: length, links that do not qualify.
#include "rw/rewrite/match_helpers.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
bool sameType(const OpInputs &in, std::span<TypeId> types) {
  types[0] = in.operand(0).typeId();
  return true;
}
constexpr OperandSchema kOne[] = {{"x", Arity::Single}}, kTwo[] = {{"x", Arity::Single}, {"y", Arity::Single}};
constexpr ResultSchema kResult[] = {{"", Arity::Single}};
constexpr OpSchema kUnary{.dialect = "t",
                          .name = "unary",
                          .operands = kOne,
                          .results = kResult,
                          .traits = Trait::Pure | Trait::Elementwise,
                          .inferTypes = sameType};
constexpr OpSchema kBinary{.dialect = "t",
                           .name = "binary",
                           .operands = kTwo,
                           .results = kResult,
                           .traits = Trait::Pure | Trait::Elementwise,
                           .inferTypes = sameType};
constexpr OpSchema kRandom{.dialect = "t",
                           .name = "random",
                           .operands = kOne,
                           .results = kResult,
                           .traits = Trait::Elementwise | Trait::EffectRandom,
                           .inferTypes = sameType};

struct Graph {
  OpRegistry ops;
  Context ctx{ops};
  Function fn{ctx, "f"};
  OpBuilder b{fn, fn.body()};
  Graph() {
    ops.add(kUnary);
    ops.add(kBinary);
    ops.add(kRandom);
  }
  Value param(std::initializer_list<Dim> dims) { return fn.addParam(ctx.tensorType(DType::F32, dims)); }
  static bool elementwise(Op op) { return op.hasTrait(Trait::Elementwise); }
};
} // namespace

TEST_CASE_FIXTURE(Graph, "a chain of 100,000 links is walked and replayed") {
  Value x = param({Dim(2)}), y = param({Dim(2)}), v = x;
  for (int i = 0; i < 100'000; ++i)
    v = b.create(kUnary, {v}).result();
  b.createReturn(std::vector<ValueId>{v.id});
  Chain chain(v, elementwise);
  CHECK(chain.end() == v);
  while (chain.extend())
    ;
  CHECK(chain.length() == 100'000);
  CHECK(chain.end() == x);
  PatternRewriter rw(fn);
  rw.setInsertionPoint(fn.terminator(fn.body()));
  Value copy = replay(rw, chain, y);
  CHECK(copy != v);
  CHECK(rw.created().size() == 100'000);
}

TEST_CASE_FIXTURE(Graph, "what is no link") {
  Value x = param({Dim(2)}), s = param({Dim(1)}), wide = param({Dim(1), Dim(1)}), y = param({Dim(2)});
  auto extends = [&](Op op, bool otherUse = false) {
    std::vector<ValueId> results{op.result().id};
    if (otherUse)
      results.push_back(op.result().id);
    Op ret = b.createReturn(results);
    bool ok = Chain(op.result(), elementwise).extend();
    fn.erase(ret.id);
    return ok;
  };
  CHECK(extends(b.create(kUnary, {x})));
  CHECK(!extends(b.create(kUnary, {x}), true));
  CHECK(!extends(b.create(kRandom, {x})));
  CHECK(extends(b.create(kBinary, {x, s})));
  CHECK(extends(b.create(kBinary, {s, x})));
  CHECK(!extends(b.create(kBinary, {x, y})));
  CHECK(!extends(b.create(kBinary, {x, wide}))); // adds a dimension
  CHECK(!extends(b.create(kBinary, {x, x})));
  CHECK(extends(b.create(kBinary, {s, s})));
}

TEST_CASE_FIXTURE(Graph, "other operands that are rewritten along") {
  Value x = param({Dim(2)}), y = param({Dim(2)});
  Op op = b.create(kBinary, {x, y});
  b.createReturn(std::vector<ValueId>{op.result().id});
  Chain chain(op.result(), elementwise, [&](Value side) { return side == y; });
  REQUIRE(chain.extend());
  CHECK(chain.end() == x);
  PatternRewriter rw(fn);
  rw.setInsertionPoint(fn.terminator(fn.body()));
  CHECK(!replay(rw, chain, x, [](Value) { return Value(); }));
  Value copy = replay(rw, chain, y, [&](Value) { return x; });
  CHECK(copy.definingOp().operand(0) == y);
  CHECK(copy.definingOp().operand(1) == x);
}

TEST_CASE_FIXTURE(Graph, "ranks of single elements under each") {
  Value x = param({Dim(2)}), s = param({Dim(1)}), wide = param({Dim(1), Dim(1)});
  Value scalar = param({}), open = fn.addParam(ctx.unrankedType(DType::F32));
  auto keeps = [&](Value a, Value c, InlineList<bool> single) {
    return singleElementsKeepRank(b.create(kBinary, {a, c}), single);
  };
  CHECK(keeps(x, s, {false, true}));
  CHECK(keeps(x, scalar, {false, true}));
  CHECK(!keeps(x, wide, {false, true}));
  CHECK(!keeps(open, s, {false, true})); // of what rank the other is nobody knows
  CHECK(keeps(open, scalar, {false, true}));
}
