// The IR's storage: interning, dims, use lists, order, erasure, compaction.
#include "rw/ir/builder.h"
#include "rw/ir/program.h"
#include "rw/ir/walk.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
constexpr OperandSchema kOneOperand[] = {{"x"}};
constexpr OperandSchema kTwoOperands[] = {{"lhs"}, {"rhs"}};
constexpr OperandSchema kMixed[] = {{"x"}, {"rest", Arity::Variadic}, {"last"}};
constexpr ResultSchema kOneResult[] = {{"result"}};
bool sameType(const OpInputs &in, std::span<TypeId> types) {
  types[0] = in.operand(0).typeId();
  return true;
}
constexpr OpSchema kRelu{.dialect = "t",
                         .name = "relu",
                         .operands = kOneOperand,
                         .results = kOneResult,
                         .traits = Traits(Trait::Pure),
                         .inferTypes = sameType};
constexpr OpSchema kAdd{.dialect = "t",
                        .name = "add",
                        .operands = kTwoOperands,
                        .results = kOneResult,
                        .traits = Trait::Pure | Trait::Commutative,
                        .inferTypes = sameType};
constexpr OpSchema kNew{.dialect = "t", .name = "versioned", .since = 13};
constexpr OpSchema kOld{.dialect = "t", .name = "versioned", .since = 1, .until = 12};
constexpr OpSchema kClash{.dialect = "t", .name = "versioned", .since = 5, .until = 20};

struct Fixture {
  OpRegistry ops;
  Program program{(ops.add(kRelu), ops.add(kAdd), ops)};
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  TypeId f32x2 = ctx.tensorType(DType::F32, {Dim(2)});
};
} // namespace

TEST_CASE("no two registries have one number, copies neither") {
  OpRegistry one, other, copy = one;
  CHECK(one.number() != other.number());
  CHECK(copy.number() != one.number());
  const uint64_t before = copy.number();
  copy = other;
  CHECK(copy.number() != other.number());
  CHECK(copy.number() != before);
}

TEST_CASE("equal content has equal ids") {
  Fixture f;
  CHECK(f.ctx.tensorType(DType::F32, {Dim(2)}) == f.f32x2);
  CHECK(f.ctx.tensorType(DType::F64, {Dim(2)}) != f.f32x2);
  CHECK(f.ctx.unrankedType(DType::F32) != f.ctx.tensorType(DType::F32, {}));
  CHECK(f.ctx.intsAttr({1, 0}) == f.ctx.intsAttr({1, 0}));
  CHECK(f.ctx.intsAttr({1, 0}) != f.ctx.intsAttr({0, 1}));
  CHECK(f.ctx.intAttr(1) != f.ctx.boolAttr(true));
  CHECK(f.ctx.floatAttr(0.0) != f.ctx.floatAttr(-0.0)); // compared by bits
  CHECK(f.ctx.floatAttr(__builtin_nan("")) == f.ctx.floatAttr(__builtin_nan("")));
  AttrId a = f.ctx.intAttr(1), none;
  CHECK(f.ctx.attrs(std::vector<AttrId>{a, none}) == f.ctx.attrs(std::vector<AttrId>{a}));
  StringId x = f.ctx.intern("x"), y = f.ctx.intern("y");
  CHECK(f.ctx.attrs({}, std::vector<NamedAttr>{{x, a}, {y, a}}) ==
        f.ctx.attrs({}, std::vector<NamedAttr>{{y, a}, {x, a}}));
}

TEST_CASE("dense attributes of one repeated element become splats; long ones are found by their contents") {
  Fixture f;
  float ones[2] = {1, 1}, mixed[2] = {1, 2};
  AttrId splat = f.ctx.denseAttr(f.f32x2, std::as_bytes(std::span(ones)));
  CHECK(f.ctx.attr(splat).dense->splat);
  CHECK(splat == f.ctx.splatAttr(f.f32x2, std::as_bytes(std::span(ones)).first(4)));
  CHECK_FALSE(f.ctx.attr(f.ctx.denseAttr(f.f32x2, std::as_bytes(std::span(mixed)))).dense->splat);
  auto big = std::make_shared<std::vector<float>>(100'000, 1.f), same = std::make_shared<std::vector<float>>(*big);
  auto other = std::make_shared<std::vector<float>>(*big);
  other->back() = 2;
  TypeId t = f.ctx.tensorType(DType::F32, {Dim(100'000)});
  AttrId a = f.ctx.denseAttr(t, std::as_bytes(std::span(*big)), big);
  CHECK(a == f.ctx.denseAttr(t, std::as_bytes(std::span(*big)), big));
  CHECK(a == f.ctx.denseAttr(t, std::as_bytes(std::span(*same)), same));
  CHECK(a != f.ctx.denseAttr(t, std::as_bytes(std::span(*other)), other));
  CHECK((const void *)f.ctx.attr(a).dense->bytes.data() == (const void *)big->data());
}

TEST_CASE("dims are polynomials in canonical form") {
  Fixture f;
  DimTable &d = f.ctx.dims();
  Dim b = d.symbol(f.ctx.intern("B")), c = d.symbol(f.ctx.intern("C"));
  CHECK(d.add(d.mul(b, Dim(2)), b) == d.mul(Dim(3), b));
  CHECK(d.mul(b, c) == d.mul(c, b));
  CHECK(d.sub(d.add(b, Dim(4)), Dim(4)) == b);
  CHECK(d.sub(b, b) == Dim(0));
  CHECK(d.floorDiv(d.mul(b, Dim(6)), Dim(3)) == d.mul(b, Dim(2)));
  CHECK(d.floorDiv(d.mul(b, c), c) == b);
  CHECK(d.mod(d.mul(b, Dim(6)), Dim(3)) == Dim(0));
  CHECK(d.toString(d.add(d.mul(b, Dim(196)), Dim(3))) == "B*196 + 3");
  CHECK(d.toString(d.sub(b, Dim(1))) == "B - 1");
  CHECK(d.toString(d.floorDiv(b, Dim(2))) == "floordiv(B, 2)");

  std::vector<std::pair<StringId, int64_t>> most = {{f.ctx.intern("B"), 10}};
  auto bound = [&](Dim dim) { return d.upperBound(dim, most).value_or(-1); };
  CHECK(bound(Dim(7)) == 7);
  CHECK(bound(b) == 10);
  CHECK(bound(c) == -1);
  CHECK(bound(Dim::unknown()) == -1);
  CHECK(bound(d.add(d.mul(b, b), Dim(3))) == 103);
  CHECK(bound(d.sub(Dim(12), b)) == 12); // where B is 0
  CHECK(bound(d.sub(d.mul(b, Dim(2)), c)) == 20);
  CHECK(bound(d.floorDiv(d.sub(b, Dim(3)), Dim(2))) == 3);
  CHECK(bound(d.mul(d.floorDiv(d.sub(b, Dim(3)), Dim(2)), b)) == -1); // a factor that may be negative: not told
  CHECK(bound(d.mod(c, Dim(4))) == 3);
  CHECK(bound(d.sub(Dim(5), c)) == 5);
  CHECK(bound(d.mul(b, Dim(int64_t(1) << 60))) == -1); // too large to say
  CHECK(d.sub(Dim(2), Dim(3)).isUnknown());
  CHECK(d.mul(Dim(INT64_MAX), Dim(2)).isUnknown());
  CHECK(d.mul(Dim(0), Dim::unknown()) == Dim(0));
  CHECK_FALSE(provablyEqual(Dim::unknown(), Dim::unknown()));
  CHECK(d.substitute(d.sub(Dim(10), b), {{f.ctx.intern("B"), Dim(3)}}) == Dim(7));
}

TEST_CASE("dims may be amounts below 0; sizes are not") {
  Fixture f;
  DimTable &d = f.ctx.dims();
  Dim b = d.symbol(f.ctx.intern("B")), three = Dim::number(-3);
  CHECK(Dim::number(3) == Dim(3));
  CHECK(three.isNegative());
  CHECK(three.negative() == -3);
  CHECK_FALSE(three.isKnown());
  CHECK_FALSE(three.isExpression());
  CHECK_FALSE(three.isUnknown());
  CHECK_FALSE(b.isNegative());
  CHECK_FALSE(Dim::unknown().isNegative());
  CHECK(d.toString(three) == "-3");
  CHECK(d.add(Dim(5), three) == Dim(2));
  CHECK(d.add(b, three) == d.sub(b, Dim(3)));
  CHECK(d.sub(Dim(0), three) == Dim(3));
  CHECK(d.mul(three, Dim::number(-2)) == Dim(6));
  CHECK(d.mul(three, Dim(2)).isUnknown()); // what is computed may be a size
  CHECK(d.add(Dim(2), three).isUnknown());
  CHECK(d.floorDiv(three, Dim(2)).isUnknown());
  CHECK(d.mod(b, three).isUnknown());
  Dim parts[] = {Dim(1), three, Dim::number(-4), b, Dim(8)};
  CHECK(d.sum(parts) == d.add(b, Dim(2)));
  CHECK(d.sum({parts, 3}).isUnknown());
  CHECK(d.substitute(three, {}) == three);
  CHECK(Dim::number(-(int64_t(1) << 60)).negative() == -(int64_t(1) << 60));
  CHECK(Dim::number(-(int64_t(1) << 60) - 1).isUnknown());
  CHECK(Dim::number(INT64_MIN).isUnknown());
  CHECK(f.ctx.tensorType(DType::F32, {Dim(2), three}) == f.ctx.tensorType(DType::F32, {Dim(2), Dim::unknown()}));
}

TEST_CASE("types meet") {
  Fixture f;
  Dim b = f.ctx.dims().symbol(f.ctx.intern("B"));
  TypeId known = f.ctx.tensorType(DType::F32, {Dim(4), Dim(3)}), symbolic = f.ctx.tensorType(DType::F32, {b, Dim(3)});
  CHECK(f.ctx.meet(known, symbolic) == known);
  CHECK(f.ctx.meet(f.ctx.unknownType(), symbolic) == symbolic);
  CHECK_FALSE(f.ctx.compatible(known, f.f32x2));
  CHECK_FALSE(bool(f.ctx.meet(known, f.f32x2)));
  CHECK(f.ctx.typeToString(symbolic) == "f32[B, 3]");
}

TEST_CASE("use lists follow every edit") {
  Fixture f;
  Value x = f.fn.addParam(f.f32x2), y = f.fn.addParam(f.f32x2);
  OpBuilder b(f.fn, f.fn.body());
  Op add = b.create(kAdd, {x, x});
  Op relu = b.create(kRelu, {add.result()});
  b.createReturn(std::vector<ValueId>{relu.result().id, add.result().id});
  CHECK(add.result().typeId() == f.f32x2);
  CHECK_FALSE(x.hasOneUse());
  f.fn.setOperand(add.id, 1, y.id);
  CHECK(x.hasOneUse());
  CHECK((*y.uses().begin()).index == 1);
  CHECK_FALSE(add.result().hasOneUse()); // a result of the function is a use
  f.fn.replaceAllUses(relu.result().id, x.id);
  CHECK_FALSE(relu.hasUses());
  CHECK(f.fn.terminator(f.fn.body()).operand(0) == x);
  size_t live = f.fn.liveOps();
  f.fn.erase(relu.id);
  CHECK(f.fn.liveOps() == live - 1);
  CHECK(add.result().hasOneUse());
  f.fn.setOperands(add.id, std::vector<ValueId>{y.id, y.id, y.id});
  CHECK(add.operandCount() == 3);
  size_t uses = 0;
  for (Use u : y.uses())
    uses += u.owner == add;
  CHECK(uses == 3);
}

TEST_CASE("order is kept under insertion at one point") {
  Fixture f;
  Value x = f.fn.addParam(f.f32x2);
  OpBuilder b(f.fn, f.fn.body());
  Op first = b.create(kRelu, {x}), last = b.create(kRelu, {x});
  Op previous = first;
  for (int i = 0; i < 10'000; ++i) {
    Op op = OpBuilder(f.fn, last.id).create(kRelu, {x});
    REQUIRE(previous.isBefore(op));
    REQUIRE(op.isBefore(last));
    previous = op;
  }
}

TEST_CASE("order is kept under insertion at many points, at the front, and after one op") {
  Fixture f;
  Value x = f.fn.addParam(f.f32x2);
  OpBuilder b(f.fn, f.fn.body());
  std::vector<OpId> ops;
  for (int i = 0; i < 200; ++i)
    ops.push_back(b.create(kRelu, {x}).id);
  uint64_t state = 1;
  for (int i = 0; i < 200'000; ++i) { // half of them gather at the front, some right after op 100
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t r = uint32_t(state >> 33);
    OpId before = r % 2 ? f.fn.data(f.fn.body()).firstOp : r % 3 ? ops[r / 6 % ops.size()] : f.fn.data(ops[100]).next;
    ops.push_back(OpBuilder(f.fn, before).create(kRelu, {x}).id);
  }
  uint32_t last = 0;
  size_t count = 0;
  for (Op op : f.fn.ops(f.fn.body())) {
    REQUIRE(f.fn.data(op.id).order > last);
    last = f.fn.data(op.id).order;
    ++count;
  }
  CHECK(count == ops.size());
}

TEST_CASE("ids of erased ops are given again after the next reclaim, and not before") {
  Fixture f;
  ValueId x = f.fn.addParam(f.f32x2).id;
  KindId relu = f.ctx.ops().kindOf(kRelu);
  auto make = [&] { return f.fn.appendOp(f.fn.body(), relu, {&x, 1}, f.ctx.noAttrs(), {&f.f32x2, 1}).id; };
  f.fn.setReuse(true);
  OpId a = make(), b = make(), c = make(), d = make();
  f.fn.erase(a);
  CHECK(make() != a); // nothing is free
  f.fn.reclaim();
  f.fn.erase(b);
  f.fn.eraseUnary(c);
  CHECK(make() == a);
  CHECK(f.fn.opCapacity() == 5);
  CHECK(make().raw == 5); // b and c wait
  f.fn.reclaim();
  f.fn.reclaim();
  f.fn.erase(d);
  OpId first = make(), second = make();
  CHECK(((first == b && second == c) || (first == c && second == b)));
  CHECK(make().raw == 6);
  f.fn.reclaim();
  CHECK(make() == d);
  CHECK(make().raw == 7);
  f.fn.setReuse(false);
  CHECK(f.fn.liveOps() == 8);
  for (Op op : f.fn.ops(f.fn.body()))
    CHECK(op.operand(0).id == x);
}

TEST_CASE("a walk from the end comes to each op once, to regions before what stands ahead of their op") {
  Fixture f;
  ValueId x = f.fn.addParam(f.f32x2).id;
  KindId relu = f.ctx.ops().kindOf(kRelu);
  auto make = [&](RegionId in) { return f.fn.appendOp(in, relu, {&x, 1}, f.ctx.noAttrs(), {&f.f32x2, 1}).id; };
  OpId a = make(f.fn.body()), holder = make(f.fn.body()), z = make(f.fn.body());
  RegionId one = f.fn.addRegion(holder), two = f.fn.addRegion(holder);
  OpId b = make(one), c = make(one), d = make(two);
  std::vector<OpId> seen;
  walkFromEnd(f.fn, f.fn.body(), [&](OpId op) {
    seen.push_back(op);
    return op == holder;
  });
  CHECK((seen == std::vector<OpId>{z, holder, d, c, b, a}));
  seen.clear();
  walkFromEnd(f.fn, f.fn.body(), [&](OpId op) { // not into regions, and ops may go
    seen.push_back(op);
    if (op != holder)
      f.fn.erase(op);
    return false;
  });
  CHECK((seen == std::vector<OpId>{z, holder, a}));
  CHECK(f.fn.liveOps() == 4);
}

TEST_CASE("erasing an op erases what its regions hold; compaction renumbers the rest") {
  Fixture f;
  Value x = f.fn.addParam(f.f32x2);
  OpBuilder b(f.fn, f.fn.body());
  Op dead = b.create(kRelu, {x});
  Op kept = b.create(kRelu, {x});
  f.fn.setValueName(kept.result().id, f.ctx.intern("kept"));
  Op holder = b.createTyped(kOpaqueKind, {}, f.ctx.noAttrs(), {});
  RegionId region = f.fn.addRegion(holder.id);
  Value inner = f.fn.addRegionParam(region, f.f32x2);
  OpBuilder nested(f.fn, region);
  Op captured = nested.create(kAdd, {inner, kept.result()});
  nested.createReturn(std::vector<ValueId>{captured.result().id});
  b.createReturn(std::vector<ValueId>{kept.result().id});
  CHECK_FALSE(kept.result().hasOneUse()); // a capture is a use
  CHECK(captured.parent() == holder);
  f.fn.erase(dead.id);
  f.fn.compact();
  CHECK(f.fn.opCapacity() == f.fn.liveOps());
  Op now = *f.fn.ops(f.fn.body()).begin();
  CHECK(f.ctx.text(f.fn.valueName(now.result().id)) == "kept");
  Op then = now.next();
  REQUIRE(then.regions().size() == 1);
  CHECK((*f.fn.ops(then.regions()[0]).begin()).operand(1) == now.result());
  f.fn.erase(then.id);
  CHECK(now.result().hasOneUse());
  CHECK(f.fn.liveOps() == 2);
}

TEST_CASE("operand groups with optional and variadic operands") {
  constexpr OpSchema mixed{.dialect = "t", .name = "mixed", .operands = kMixed};
  CHECK(operandGroup(mixed, 4, 1).count == 2);
  CHECK(operandGroup(mixed, 4, 2).first == 3);
  CHECK(operandGroup(mixed, 2, 1).count == 0);
  CHECK(operandGroup(mixed, 2, 2).first == 1);
  CHECK(operandGroup(kAdd, 1, 1).count == 0); // left out at the end
}

TEST_CASE("versions of an op share a name") {
  OpRegistry ops;
  KindId fresh = ops.add(kNew), old = ops.add(kOld);
  CHECK(ops.lookup("t.versioned") == fresh);
  CHECK(ops.lookup("t.versioned", 12) == old);
  CHECK(ops.lookup("t.versioned", 17) == fresh);
  CHECK(ops.lookup("t.other") == kOpaqueKind);
  CHECK(ops.add(kClash) == kOpaqueKind);
  CHECK(ops.add(kNew) == fresh);
}

TEST_CASE("one op with one operand and one result takes at most 80 bytes") {
  CHECK(sizeof(OpData) + sizeof(ValueData) + sizeof(SlotData) <= 80);
}
