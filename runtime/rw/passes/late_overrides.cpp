#include "rw/passes/late_overrides.h"

#include "rw/ir/verifier.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw {
namespace {

/// Why the op does not accept the attribute; empty if it is set now.
std::string setAttribute(Op op, const std::string &name, AttrId value) {
  Context &ctx = op.context();
  if (op.kind() == kOpaqueKind) {
    op.fn->setAttrs(op.id, ctx.withExtra(op.attrsId(), ctx.intern(name), value));
    return "";
  }
  int index = op.schema().attrIndex(name);
  if (index < 0)
    return fmt::format("{} has no attribute `{}`", op.fullName(), name);
  AttrType declared = op.schema().attrs[size_t(index)].type;
  if (!attrFits(ctx, value, declared))
    return fmt::format("attribute `{}` of {} is declared as {}", name, op.fullName(), attrTypeName(declared));
  AttrsId before = op.attrsId();
  op.fn->setAttrs(op.id, ctx.withAttr(before, unsigned(index), value));
  SourceManager sources;
  Diagnostics diags(sources);
  if (verifyOp(op, diags))
    return "";
  op.fn->setAttrs(op.id, before);
  return diags.all().empty() ? std::string("the op does not verify with it") : diags.all().front().message;
}

} // namespace

void LateOverrides::set(Op op, std::string_view name, AttrId value) {
  std::string label(op.fullName());
  if (op.resultCount())
    if (StringId own = op.fn->valueName(op.result().id))
      (label += " %") += op.context().text(own);
  byOp_[keyOf(op)].push_back(uint32_t(entries_.size()));
  entries_.push_back({op, std::string(name), value, std::move(label)});
}

LateOverrides::Outcome LateOverrides::apply() {
  Outcome outcome;
  for (const Entry &entry : entries_) {
    std::string reason = entry.op.isErased() ? "the op is gone" : setAttribute(entry.op, entry.name, entry.value);
    if (reason.empty()) {
      ++outcome.applied;
      continue;
    }
    ++outcome.skipped;
    outcome.reasons.push_back(fmt::format("`{}` of {}: {}", entry.name, entry.label, reason));
  }
  entries_.clear();
  byOp_.clear();
  return outcome;
}

void LateOverrides::checkpoint() {
  saved_ = entries_;
  savedByOp_ = byOp_;
  created_.clear();
}

void LateOverrides::rollBack() {
  entries_ = saved_;
  byOp_ = savedByOp_;
}

void LateOverrides::patternBegin(const PatternInfo &, Op) { created_.clear(); }

void LateOverrides::created(Op op) {
  if (!entries_.empty())
    created_.push_back(op);
}

void LateOverrides::replacing(Value from, Value to) {
  Op old = from.definingOp(), by = to.definingOp();
  if (old && by && std::find(created_.begin(), created_.end(), by) != created_.end())
    move(old, by); // else something that was there already takes the op's place: the entry goes with the op
}

void LateOverrides::move(Op from, Op by) {
  auto it = byOp_.find(keyOf(from));
  if (it == byOp_.end())
    return;
  std::vector<uint32_t> entries = std::move(it->second);
  byOp_.erase(it);
  for (uint32_t index : entries)
    entries_[index].op = by;
  std::vector<uint32_t> &moved = byOp_[keyOf(by)];
  moved.insert(moved.end(), entries.begin(), entries.end());
}

} // namespace rw
