#include "rw/ir/common_type.h"

namespace rw {

TypeId commonType(Context &ctx, TypeId a, TypeId b) {
  if (a == b)
    return a;
  const TypeData &x = ctx.type(a), &y = ctx.type(b);
  if (x.kind != TypeKind::Tensor || y.kind != TypeKind::Tensor)
    return ctx.unknownType();
  DType dtype = x.dtype == y.dtype ? x.dtype : DType::Unknown;
  if (!x.ranked || !y.ranked || x.dims.size() != y.dims.size())
    return ctx.unrankedType(dtype);
  Dims dims;
  for (size_t i = 0; i < x.dims.size(); ++i)
    dims.push_back(x.dims[i] == y.dims[i] ? x.dims[i] : Dim::unknown());
  return ctx.tensorType(dtype, dims);
}

} // namespace rw
