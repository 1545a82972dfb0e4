#include "codegen/verify/symbolic.h"

#include "rw/ir/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rw::verify {
namespace {

/// Infers all types anew; false where something is unknown then, or refused.
bool inferAgain(Function &fn) {
  Context &ctx = fn.context();
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind || op.hasTrait(Trait::Constant))
      continue;
    InputsOf inputs(op);
    if (!requirementsHold(*inputs))
      return false;
    InlineList<TypeId, 4> types;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      types.push_back(ctx.unknownType());
    inferResultTypes(*inputs, types);
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      if (!types[i] || !ctx.type(types[i]).known)
        return false;
      fn.setType(op.result(i).id, types[i]);
    }
  }
  return true;
}

/// The program with another dim in place of each of its parameters' types, and of attributes that are lists of dims.
template <class Map> std::unique_ptr<Program> withDims(const Program &program, bool inAttributes, const Map &map) {
  auto out = std::make_unique<Program>(program.clone());
  Function &fn = out->functions().front();
  Context &ctx = out->context();
  auto mapped = [&](const auto &list) {
    std::vector<Dim> dims;
    for (Dim d : list)
      dims.push_back(map(ctx, d));
    return dims;
  };
  if (inAttributes)
    for (Op op : fn.ops(fn.body())) {
      if (op.kind() == kReturnKind || op.kind() == kOpaqueKind)
        continue;
      for (unsigned i = 0; i < op.schema().attrs.size(); ++i) {
        const AttrId id = op.attr(i);
        if (!id || (ctx.attr(id).kind != AttrKind::Dims && op.schema().attrs[i].type != AttrType::Dims))
          continue;
        std::vector<Dim> dims = mapped(ctx.attr(id).dims);
        for (int64_t n : ctx.attr(id).ints)
          dims.push_back(map(ctx, Dim::number(n)));
        fn.setAttrs(op.id, ctx.withAttr(fn.op(op.id).attrsId(), i, ctx.dimsAttr(dims)));
      }
    }
  for (ValueId p : fn.params(fn.body())) {
    const TypeData &type = fn.value(p).type();
    if (type.kind == TypeKind::Tensor && type.ranked)
      fn.setType(p, ctx.tensorType(type.dtype, mapped(type.dims)));
  }
  return inferAgain(fn) ? std::move(out) : nullptr;
}

} // namespace

std::vector<int64_t> sizesOf(Function &fn) {
  std::set<int64_t> out;
  for (ValueId p : fn.params(fn.body()))
    for (Dim d : fn.value(p).type().dims)
      if (d.isKnown() && d.size() > 1)
        out.insert(d.size());
  return {out.begin(), out.end()};
}

std::unique_ptr<Program> withSymbols(const Program &program, std::span<const int64_t> sizes, bool inAttributes) {
  return withDims(program, inAttributes, [&](Context &ctx, Dim d) {
    return d.isKnown() && std::ranges::find(sizes, d.size()) != sizes.end()
               ? ctx.dims().symbol(ctx.intern(fmt::format("n{}", d.size())))
               : d;
  });
}

std::unique_ptr<Program> withSizes(const Program &program, const std::vector<std::pair<StringId, Dim>> &sizes) {
  return withDims(program, true, [&](Context &ctx, Dim d) { return ctx.dims().substitute(d, sizes); });
}

} // namespace rw::verify
