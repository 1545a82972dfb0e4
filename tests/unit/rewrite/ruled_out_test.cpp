// Which patterns are known not to match at ops of given attributes.
#include "toy.h"

#include "rw/ir/program.h"
#include "rw/rewrite/ruled_out.h"

#include <doctest/doctest.h>

using namespace toy;

namespace {

struct RuledOutFixture {
  OpRegistry ops;
  std::unique_ptr<Program> program;
  Function *fn = nullptr;
  RuledOut ruledOut;

  RuledOutFixture() {
    registerToy(ops);
    program = std::make_unique<Program>(ops);
    fn = &program->addFunction("main");
  }
  /// An op of the kind with the attribute `tag`.
  OpId op(const OpSchema &schema, int64_t tag) {
    Value x = fn->addParam(program->context().tensorType(DType::F32, {Dim(2)}));
    Op made = OpBuilder(*fn, fn->body()).create(schema, {x});
    fn->setAttrs(made.id, program->context().attrs(program->context().intAttr(tag)));
    return made.id;
  }
  uint64_t places(OpId op, OpId maker) const { return ruledOut.places(*fn, op, maker); }
};

} // namespace

TEST_CASE_FIXTURE(RuledOutFixture, "places are ruled out for ops of the same kinds and attributes alone") {
  OpId root = op(a, 1), maker = op(b, 2);
  CHECK(places(root, maker) == 0);
  ruledOut.add(*fn, root, maker, 3);
  ruledOut.add(*fn, root, maker, 63);
  const uint64_t both = uint64_t(1) << 3 | uint64_t(1) << 63;
  CHECK(places(root, maker) == both);
  CHECK(places(op(a, 1), op(b, 2)) == both); // others, of the same attributes
  CHECK(places(op(b, 1), maker) == 0);
  CHECK(places(op(a, 2), maker) == 0);
  CHECK(places(root, op(a, 2)) == 0);
  CHECK(places(root, op(b, 1)) == 0);
  CHECK(places(root, OpId()) == 0);
  CHECK(places(maker, root) == 0);
  ruledOut.add(*fn, root, OpId(), 5); // nothing makes its operand
  CHECK(places(root, OpId()) == uint64_t(1) << 5);
  CHECK(places(root, maker) == both);
}

TEST_CASE_FIXTURE(RuledOutFixture, "what has no room any more is not ruled out") {
  size_t kept = 0;
  std::vector<OpId> roots;
  for (int64_t tag = 0; tag < 3000; ++tag) {
    roots.push_back(op(a, tag));
    ruledOut.add(*fn, roots.back(), OpId(), unsigned(tag) % 64);
  }
  for (int64_t tag = 0; tag < 3000; ++tag)
    if (uint64_t found = places(roots[size_t(tag)], OpId())) {
      CHECK(found == uint64_t(1) << tag % 64); // never that of another
      ++kept;
    }
  CHECK(kept > 0);
  CHECK(kept < 3000);
}
