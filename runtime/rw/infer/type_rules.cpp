#include "rw/infer/type_rules.h"

#include "rw/ir/builder.h"

#include "llvm/ADT/ScopeExit.h"

namespace rw {

TypeRules::TypeRules(Function &fn, Contents &contents) : fn_(fn), contents_(contents) {
  const OpRegistry &ops = fn.context().ops();
  auto rules = std::make_shared<std::vector<Rule>>();
  for (uint16_t i = 0; i < ops.size(); ++i)
    rules->push_back(inferenceRules(ops.fullName(KindId{i})).types);
  rules_ = std::move(rules);
}

InlineList<TypeId, 4> TypeRules::infer(Op op) {
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  if (op.kind() == kOpaqueKind || op.kind() == kReturnKind || op.resultCount() == 0)
    return types;
  {
    auto forget = llvm::make_scope_exit([this] { fn_.setKnownContents(nullptr); }); // also where a hook throws
    fn_.setKnownContents(&contents_);
    inferResultTypes(*InputsOf(op), types);
  }
  Rule rule = op.kind().raw < rules_->size() ? (*rules_)[op.kind().raw] : nullptr;
  if (!rule)
    return types;
  InlineList<TypeId, 4> found(op.resultCount(), TypeId());
  rule(op, contents_, found);
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (found[i])
      types[i] = types[i] ? fn_.context().meet(types[i], found[i]) : found[i];
  return types;
}

} // namespace rw
