#include "codegen/verify/newest_versions.h"

#include <algorithm>

namespace rw::verify {
namespace {

/// The attributes of an op in the places of another version; nothing where that has no such attribute.
std::optional<std::vector<AttrId>> attrsIn(const OpSchema &version, Op op) {
  std::vector<AttrId> out(version.attrs.size());
  for (unsigned i = 0; i < op.schema().attrs.size(); ++i) {
    const AttrId value = op.attr(i);
    const int at = version.attrIndex(op.schema().attrs[i].name);
    if (value && at < 0)
      return std::nullopt;
    if (at >= 0)
      out[size_t(at)] = value;
  }
  return out;
}

} // namespace

std::optional<Instance> inNewestVersions(const Instance &instance, const KernelTable &kernels) {
  Instance out = copyOf(instance);
  Function &fn = out.function();
  const OpRegistry &ops = fn.context().ops();
  bool changed = false;
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind || op.kind() == kOpaqueKind)
      continue;
    const KindId newest = ops.lookup(op.schema().fullName());
    const OpSchema &version = ops.schema(newest);
    if (&version == &op.schema())
      continue;
    std::optional<std::vector<AttrId>> attrs = attrsIn(version, op);
    const bool anyNumber =
        std::ranges::any_of(version.operands, [](const OperandSchema &o) { return o.arity == Arity::Variadic; });
    if (!attrs || (op.operandCount() > version.operands.size() && !anyNumber) ||
        op.resultCount() > version.results.size())
      return std::nullopt;
    fn.setKind(op.id, newest);
    fn.setAttrs(op.id, fn.context().attrs(*attrs));
    fn.context().setDialectVersion(version.dialect,
                                   std::max<int64_t>(fn.context().dialectVersion(version.dialect), version.since));
    changed = true;
  }
  if (!changed || !settleAll(out, kernels))
    return std::nullopt;
  return out;
}

} // namespace rw::verify
