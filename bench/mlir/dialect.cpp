#include "dialect.h"

using namespace mlir;

#include "BenchDialect.cpp.inc"
#define GET_OP_CLASSES
#include "BenchOps.cpp.inc"

void bench::BenchDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "BenchOps.cpp.inc"
      >();
}

Operation *bench::BenchDialect::materializeConstant(OpBuilder &b, Attribute v, Type t, Location loc) {
  if (auto e = dyn_cast<ElementsAttr>(v))
    return b.create<bench::ConstantOp>(loc, t, e);
  return nullptr;
}

OpFoldResult bench::ConstantOp::fold(FoldAdaptor) { return getValue(); }

static ArrayRef<int64_t> i64s(Attribute a) { return cast<DenseI64ArrayAttr>(a).asArrayRef(); }

bool bench::isInversePerm(Attribute p, Attribute q) {
  ArrayRef<int64_t> a = i64s(p), b = i64s(q);
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < b.size(); ++i)
    if (a[b[i]] != (int64_t)i)
      return false;
  return true;
}

bool bench::isIdentityPerm(Attribute p) {
  ArrayRef<int64_t> a = i64s(p);
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != (int64_t)i)
      return false;
  return true;
}

bool bench::isSplat(Attribute v, float want) {
  auto s = dyn_cast<SplatElementsAttr>(v);
  return s && s.getElementType().isF32() && s.getSplatValue<float>() == want;
}

Attribute bench::composePerm(Attribute p, Attribute q) {
  ArrayRef<int64_t> a = i64s(p), b = i64s(q);
  SmallVector<int64_t, 8> r(b.size());
  for (size_t i = 0; i < b.size(); ++i)
    r[i] = a[b[i]];
  return DenseI64ArrayAttr::get(p.getContext(), r);
}
