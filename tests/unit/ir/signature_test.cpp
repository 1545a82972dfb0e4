// Signatures: the verifier asks an op's hooks once for all ops that look the same to them, and again where they do not.

#include "rw/ir/builder.h"
#include "rw/ir/program.h"
#include "rw/ir/signature.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {

int inferred, checked; // calls of the hooks below

/// The type of an op that takes its result's shape from a constant operand, as reshape does.
bool shapeOfConstant(const OpInputs &in, std::span<TypeId> types) {
  ++inferred;
  AttrId shape = in.operand(1).constant();
  if (!shape)
    return false;
  types[0] = in.context().tensorType(in.operand(0).type().dtype, in.context().attr(shape).dims);
  return true;
}
bool notNegative(const OpInputs &in, CheckSink &sink) {
  ++checked;
  if (AttrId by = in.attr(0); by && in.context().attr(by).i < 0)
    sink.fail("`by` is negative");
  return true;
}

constexpr OperandSchema kX[] = {{"x"}}, kXShape[] = {{"x"}, {"shape"}};
constexpr ResultSchema kResult[] = {{"r"}};
constexpr AttrSchema kValue[] = {{"value", AttrType::Any}}, kBy[] = {{"by", AttrType::Int}};
const OpSchema kConstant{
    .dialect = "s", .name = "constant", .results = kResult, .attrs = kValue, .traits = Trait::Pure | Trait::Constant};
const OpSchema kReshape{
    .dialect = "s", .name = "reshape", .operands = kXShape, .results = kResult, .inferTypes = shapeOfConstant};
const OpSchema kShift{
    .dialect = "s", .name = "shift", .operands = kX, .results = kResult, .attrs = kBy, .check = notNegative};

struct SignatureFixture {
  OpRegistry ops;
  std::unique_ptr<Program> program;
  Function *fn;
  Context *ctx;
  TypeId vector, matrix;
  Value x;

  SignatureFixture() {
    for (const OpSchema *schema : {&kConstant, &kReshape, &kShift})
      ops.add(*schema);
    program = std::make_unique<Program>(ops);
    fn = &program->addFunction("main");
    ctx = &program->context();
    vector = ctx->tensorType(DType::F32, {Dim(6)});
    matrix = ctx->tensorType(DType::F32, {Dim(2), Dim(3)});
    x = fn->addParam(vector);
  }
  Value op(const OpSchema &schema, std::initializer_list<Value> operands, AttrId attr, TypeId type) {
    std::vector<ValueId> ids;
    for (Value v : operands)
      ids.push_back(v.id);
    AttrsId attrs = attr ? ctx->attrs({&attr, 1}) : ctx->noAttrs();
    return fn->appendOp(fn->body(), ops.kindOf(schema), ids, attrs, {&type, 1}).result();
  }
  Value shape(std::initializer_list<Dim> dims) {
    return op(kConstant, {}, ctx->dimsAttr({dims.begin(), dims.size()}), ctx->unknownType());
  }
  size_t errors() {
    fn->appendOp(fn->body(), kReturnKind, {}, ctx->noAttrs(), {});
    SourceManager sources;
    Diagnostics diags(sources);
    verifyFunction(*fn, diags);
    return diags.all().size();
  }
};

} // namespace

TEST_CASE("a check runs once for ops that look the same, and for each that does not") {
  SignatureFixture t;
  for (int i = 0; i < 1000; ++i)
    t.op(kShift, {t.x}, t.ctx->intAttr(i % 4), t.vector);
  checked = 0;
  CHECK(t.errors() == 0);
  CHECK(checked == 4);
}

TEST_CASE("what is wrong is reported at each op") {
  SignatureFixture t;
  for (int i = 0; i < 10; ++i)
    t.op(kShift, {t.x}, t.ctx->intAttr(i < 5 ? 1 : -1), t.vector);
  CHECK(t.errors() == 5);
}

TEST_CASE("types that follow from what a constant holds are inferred for each constant") {
  SignatureFixture t;
  Value right = t.shape({Dim(2), Dim(3)}), other = t.shape({Dim(3), Dim(2)});
  t.op(kReshape, {t.x, right}, {}, t.matrix);
  t.op(kReshape, {t.x, other}, {}, t.matrix); // [3, 2] in truth, and operands of the same types as before
  inferred = 0;
  CHECK(t.errors() == 1);
  CHECK(inferred == 2);
}

TEST_CASE("the same inputs with another result type are another case") {
  SignatureFixture t;
  Value shape = t.shape({Dim(2), Dim(3)});
  for (TypeId type : {t.matrix, t.vector, t.matrix, t.ctx->unknownType()})
    t.op(kReshape, {t.x, shape}, {}, type);
  CHECK(t.errors() == 1);
}

TEST_CASE("a table tells signatures apart, however many there are") {
  SignatureFixture t;
  SignatureTable table;
  std::vector<Op> ops;
  for (int i = 0; i < 3000; ++i) {
    ops.push_back(t.op(kShift, {t.x}, t.ctx->intAttr(i), t.vector).definingOp());
    CHECK_FALSE(table.find(Signature::of(ops.back())));
    TypeId type(uint32_t(ops.size()));
    table.add(Signature::of(ops.back()), {&type, 1});
    CHECK(table.find(Signature::of(ops.back())));
  }
  size_t kept = 0;
  for (size_t i = 0; i < ops.size(); ++i)
    if (const SignatureTable::Entry *entry = table.find(Signature::of(ops[i]))) {
      CHECK(entry->types[0] == TypeId(uint32_t(i + 1)));
      ++kept;
    }
  CHECK(kept > 100);
}
