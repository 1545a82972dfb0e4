#include "rw/infer/type_rules.h"

#include "rw/ir/builder.h"

#include "llvm/ADT/ScopeExit.h"

namespace rw {

InlineList<TypeId, 4> TypeRules::infer(Op op) {
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  if (op.kind() == kOpaqueKind || op.kind() == kReturnKind || op.resultCount() == 0)
    return types;
  {
    auto forget = llvm::make_scope_exit([this] { fn_.setKnownContents(nullptr); }); // also where a hook throws
    fn_.setKnownContents(&contents_);
    inferResultTypes(*InputsOf(op), types);
  }
  auto *rule = contents_.rulesOf(op).types;
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
