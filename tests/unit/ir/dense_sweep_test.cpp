// Large constants that no op has any more lose their bytes, and nothing else does.
#include "rw/ir/dense_sweep.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
constexpr ResultSchema kHolderResult[] = {{"result"}};
constexpr OpSchema kHolder{.dialect = "t", .name = "holder", .results = kHolderResult, .traits = Traits(Trait::Pure)};

struct SweepFixture {
  OpRegistry ops;
  Program program{(ops.add(kHolder), ops)};
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  std::vector<AttrId> gone;
  TypeId type = ctx.tensorType(DType::F32, {Dim(1 << 20)}); // 4 MiB

  AttrId large(float value) {
    auto bytes = std::make_shared<std::vector<float>>(size_t(1) << 20, value);
    return ctx.denseAttr(type, std::as_bytes(std::span(*bytes)), bytes);
  }
  Op holder(AttrId value) {
    NamedAttr attr{ctx.intern("value"), value};
    return fn.appendOp(fn.body(), ops.lookup("t.holder"), {}, ctx.attrs({}, {&attr, 1}), {&type, 1});
  }
};
} // namespace

TEST_CASE("what ops, lists and defaults of parameters hold stays; what nothing holds goes, and is another one when "
          "made again") {
  SweepFixture f;
  AttrId held = f.large(1), inList = f.large(2), byDefault = f.large(3), loose = f.large(4);
  f.holder(held);
  f.holder(f.ctx.listAttr(std::vector<AttrId>{inList}));
  f.fn.addParam(f.type, {.defaultValue = byDefault});
  DenseSweep sweep(f.program, [&](std::span<const AttrId> gone) { f.gone.assign(gone.begin(), gone.end()); });
  sweep.run();
  CHECK(f.gone == std::vector<AttrId>{loose});
  CHECK(f.ctx.attr(loose).dense->bytes.empty());
  CHECK_FALSE(f.ctx.attr(loose).dense->owner);
  for (AttrId id : {held, inList, byDefault})
    CHECK(f.ctx.attr(id).dense->bytes.size() == size_t(4) << 20);
  CHECK(f.ctx.largeDense().size() == 3);
  AttrId again = f.large(4);
  CHECK(again != loose);
  CHECK(f.ctx.attr(again).dense->bytes.size() == size_t(4) << 20);
  CHECK(held == f.large(1));
}

TEST_CASE("it is time when as much was made as a part of what there was, and erased ops hold nothing") {
  SweepFixture f;
  Op first = f.holder(f.large(1));
  DenseSweep sweep(f.program, [&](std::span<const AttrId> gone) { f.gone.assign(gone.begin(), gone.end()); });
  CHECK_FALSE(sweep.due());
  AttrId old = first.extraAttr("value");
  f.holder(f.large(2));
  f.fn.erase(first.id);
  CHECK(sweep.due());
  sweep.run();
  CHECK(f.gone == std::vector<AttrId>{old});
  CHECK_FALSE(sweep.due());
}
