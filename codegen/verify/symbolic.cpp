#include "codegen/verify/symbolic.h"

#include "rw/ir/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rw::verify {
namespace {

/// The program, read through a copy in which parameters of known values are constants, so that types that depend on
/// these values are inferred.
class Steered {
public:
  Steered(Program &program, std::span<const Tensor> known) : program_(program) {
    const std::string_view dialect = constantDialect(program.context());
    if (dialect.empty() || std::ranges::none_of(known, [](const Tensor &t) { return bool(t); }))
      return;
    copy_.emplace(program.clone());
    Function &steered = copy_->functions().front();
    Context &ctx = copy_->context();
    OpBuilder front(steered, (*steered.ops(steered.body()).begin()).id);
    const std::span<const ValueId> params = steered.params(steered.body());
    for (size_t i = 0; i < known.size() && i < params.size(); ++i)
      if (known[i]) {
        const Value constant = front.createConstant(dialect, known[i].toAttr(ctx), known[i].type(ctx));
        steered.replaceAllUses(params[i], constant.id);
        ++inFront_;
      }
  }

  /// Calls `visit(op, inputs, types, set)` with each op but constants: `types` are as many as it has results, all
  /// unknown, and `set(i, type)` gives result i its type. Ends where `visit` returns false.
  template <class Visit> bool forEachOp(const Visit &visit) {
    Function &fn = program_.functions().front(), &read = copy_ ? copy_->functions().front() : fn;
    std::vector<Op> written;
    for (Op op : fn.ops(fn.body()))
      written.push_back(op);
    size_t at = 0;
    for (Op op : read.ops(read.body())) {
      const size_t place = at++;
      if (place < inFront_ || op.kind() == kReturnKind || op.hasTrait(Trait::Constant))
        continue;
      const Op own = written[place - inFront_];
      InlineList<TypeId, 4> types;
      for (unsigned i = 0; i < op.resultCount(); ++i)
        types.push_back(read.context().unknownType());
      const InputsOf inputs(op);
      if (!visit(op, *inputs, types, [&](unsigned i, TypeId type) {
            read.setType(op.result(i).id, type);
            if (copy_)
              fn.setType(own.result(i).id, type); // copies share their context
          }))
        return false;
    }
    return true;
  }

private:
  static std::string_view constantDialect(Context &ctx) {
    for (std::string_view dialect : {"onnx", "tensor", "stablehlo"})
      if (ctx.ops().constantOp(dialect) != kOpaqueKind)
        return dialect;
    return {};
  }

  Program &program_;
  std::optional<Program> copy_;
  size_t inFront_ = 0;
};

/// Infers all types anew; false where something is unknown then, or refused.
bool inferAgain(Program &program, std::span<const Tensor> known) {
  return Steered(program, known).forEachOp([&](Op op, const OpInputs &inputs, auto &types, const auto &set) {
    if (!requirementsHold(inputs))
      return false;
    inferResultTypes(inputs, types);
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      if (!types[i] || !program.context().type(types[i]).known)
        return false;
      set(i, types[i]);
    }
    return true;
  });
}

/// The program with another dim in place of each of its parameters' types, and of attributes that are lists of dims.
template <class Map>
std::unique_ptr<Program> withDims(const Program &program, bool inAttributes, const Map &map,
                                  std::span<const Tensor> known = {}) {
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
  return inferAgain(*out, known) ? std::move(out) : nullptr;
}

} // namespace

std::vector<int64_t> sizesOf(Function &fn) {
  std::set<int64_t> out;
  for (ValueId p : fn.params(fn.body()))
    for (Dim d : fn.value(p).type().dims)
      if (d.isKnown() && d.size() > 1)
        out.insert(d.size());
  for (Op op : fn.ops(fn.body())) // whose shape an attribute says, as iota's
    if (op.kind() != kReturnKind && op.operandCount() == 0 && op.resultCount() > 0)
      for (unsigned i = 0; i < op.schema().attrs.size(); ++i)
        if (op.attr(i) && op.schema().attrs[i].type == AttrType::Dims)
          for (Dim d : op.result(0).type().dims)
            if (d.isKnown() && d.size() > 1)
              out.insert(d.size());
  return {out.begin(), out.end()};
}

std::unique_ptr<Program> withSymbols(const Program &program, std::span<const int64_t> sizes, bool inAttributes,
                                     std::span<const Tensor> known) {
  return withDims(
      program, inAttributes,
      [&](Context &ctx, Dim d) {
        return d.isKnown() && std::ranges::find(sizes, d.size()) != sizes.end()
                   ? ctx.dims().symbol(ctx.intern(fmt::format("n{}", d.size())))
                   : d;
      },
      known);
}

void completeTypes(Program &program, std::span<const Tensor> known) {
  Context &ctx = program.context();
  Steered(program, known).forEachOp([&](Op op, const OpInputs &inputs, auto &types, const auto &set) {
    if (op.kind() == kOpaqueKind)
      return true;
    inferResultTypes(inputs, types);
    for (unsigned i = 0; i < op.resultCount(); ++i)
      if (types[i] && ctx.compatible(types[i], op.result(i).typeId()))
        if (TypeId both = ctx.meet(types[i], op.result(i).typeId()))
          set(i, both);
    return true;
  });
}

std::unique_ptr<Program> withSizes(const Program &program, const std::vector<std::pair<StringId, Dim>> &sizes) {
  return withDims(program, true, [&](Context &ctx, Dim d) { return ctx.dims().substitute(d, sizes); });
}

} // namespace rw::verify
