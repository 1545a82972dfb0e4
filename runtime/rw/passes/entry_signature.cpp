#include "rw/passes/entry_signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

namespace rw {

EntrySignature EntrySignature::of(const Function &fn) {
  EntrySignature s;
  const Context &ctx = fn.context();
  std::span<const ValueId> params = fn.params(fn.body());
  for (unsigned i = 0; i < params.size(); ++i)
    s.params.push_back({fn.paramInfo(i).role, fn.paramInfo(i).stableId, ctx.typeToString(fn.data(params[i]).type)});
  OpId last = fn.data(fn.body()).lastOp;
  if (!last || fn.data(last).kind != kReturnKind)
    return s;
  const OpData &ret = fn.data(last);
  for (uint32_t i = 0; i < ret.operandCount; ++i) {
    ValueId v = fn.data(SlotId(ret.firstOperand.raw + i)).value;
    s.results.push_back(v ? ctx.typeToString(fn.data(v).type) : "none");
  }
  return s;
}

std::string EntrySignature::text() const {
  std::string list;
  for (const EntryParam &p : params) {
    std::string role = p.role == ParamRole::Arg ? "arg" : p.stableId ? fmt::format("param({})", p.stableId) : "param";
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", role, p.type);
  }
  return fmt::format("({}) -> ({})", list, fmt::join(results, ", "));
}

Digest EntrySignature::digest() const {
  Digester d;
  d.add(uint64_t(params.size()));
  for (const EntryParam &p : params)
    d.add(uint64_t(p.role)).add(p.stableId).add(p.type);
  for (const std::string &type : results)
    d.add(type);
  return d.take();
}

std::vector<uint64_t> stableIdsOf(const Function &fn) {
  std::span<const ValueId> params = fn.params(fn.body());
  std::vector<uint64_t> ids;
  std::unordered_set<uint64_t> taken{0};
  for (unsigned i = 0; i < params.size(); ++i) {
    ids.push_back(fn.paramInfo(i).role == ParamRole::Param ? fn.paramInfo(i).stableId : 0);
    taken.insert(ids.back());
  }
  Digester d;
  for (unsigned i = 0; i < params.size(); ++i) {
    StringId name = fn.valueName(params[i]);
    for (uint64_t salt = 0; fn.paramInfo(i).role == ParamRole::Param && !ids[i]; ++salt) {
      d.add("parameter").add(name ? fn.context().text(name) : "").add(uint64_t(name ? 0 : i + 1)).add(salt);
      if (uint64_t id = d.take().head(); taken.insert(id).second)
        ids[i] = id;
    }
  }
  return ids;
}

} // namespace rw
