#include "hand_ops.h"

#include "rw/ir/attr_values.h"
#include "rw/ir/builder.h"

namespace rw::bench {
namespace {

bool sameAsFirst(const OpInputs &in, std::span<TypeId> types) {
  types[0] = in.operand(0).typeId();
  return true;
}
bool ofValue(const OpInputs &in, std::span<TypeId> types) {
  AttrId value = in.attr(0);
  const AttrData *attr = value ? &in.context().attr(value) : nullptr;
  if (!attr || !attr->dense)
    return false;
  types[0] = attr->dense->type;
  return true;
}
bool permuted(const OpInputs &in, std::span<TypeId> types) {
  const TypeData &x = in.operand(0).type();
  AttrId attr = in.attr(0);
  std::optional<std::span<const int64_t>> perm =
      attr ? attrAs<std::span<const int64_t>>(in.context(), attr) : std::nullopt;
  if (!perm || !x.ranked || perm->size() != x.dims.size())
    return false;
  Dims dims;
  for (int64_t p : *perm) {
    if (p < 0 || size_t(p) >= x.dims.size())
      return false;
    dims.push_back(x.dims[size_t(p)]);
  }
  types[0] = in.context().tensorType(x.dtype, dims);
  return true;
}
bool reshaped(const OpInputs &in, std::span<TypeId> types) {
  AttrId attr = in.attr(0);
  std::optional<std::span<const Dim>> shape = attr ? attrAs<std::span<const Dim>>(in.context(), attr) : std::nullopt;
  if (!shape)
    return false;
  types[0] = in.context().tensorType(in.operand(0).type().dtype, *shape);
  return true;
}

constexpr OperandSchema kX[] = {{"x"}}, kLhsRhs[] = {{"lhs"}, {"rhs"}};
constexpr ResultSchema kResult[] = {{"result"}};
constexpr AttrSchema kValue[] = {{"value", AttrType::Tensor}};
constexpr AttrSchema kPerm[] = {{"perm", AttrType::Ints}};
constexpr AttrSchema kShape[] = {{"shape", AttrType::Dims}};
constexpr AttrSchema kDot[] = {{"lhs_batch", AttrType::Ints},
                               {"rhs_batch", AttrType::Ints},
                               {"lhs_contract", AttrType::Ints},
                               {"rhs_contract", AttrType::Ints}};
constexpr Traits kPure = Traits(Trait::Pure);

constexpr OpSchema unary(std::string_view name) {
  return {
      .dialect = "bench", .name = name, .operands = kX, .results = kResult, .traits = kPure, .inferTypes = sameAsFirst};
}
constexpr OpSchema binary(std::string_view name) {
  return {.dialect = "bench",
          .name = name,
          .operands = kLhsRhs,
          .results = kResult,
          .traits = kPure,
          .inferTypes = sameAsFirst};
}

const OpSchema kOps[] = {
    {.dialect = "bench",
     .name = "constant",
     .results = kResult,
     .attrs = kValue,
     .traits = Trait::Pure | Trait::Constant,
     .inferTypes = ofValue},
    unary("relu"),
    unary("tanh"),
    unary("neg"),
    unary("exp"),
    unary("cast"),
    binary("add"),
    binary("mul"),
    binary("sub"),
    {.dialect = "bench",
     .name = "transpose",
     .operands = kX,
     .results = kResult,
     .attrs = kPerm,
     .traits = kPure,
     .inferTypes = permuted},
    {.dialect = "bench",
     .name = "reshape",
     .operands = kX,
     .results = kResult,
     .attrs = kShape,
     .traits = kPure,
     .inferTypes = reshaped},
    {.dialect = "bench",
     .name = "dot_general",
     .operands = kLhsRhs,
     .results = kResult,
     .attrs = kDot,
     .traits = kPure},
    {.dialect = "bench", .name = "sink", .operands = kX, .traits = Traits(Trait::EffectState)},
};

} // namespace

void registerHandOps(OpRegistry &ops) {
  for (const OpSchema &schema : kOps)
    ops.add(schema);
}

} // namespace rw::bench
