#include "rw/passes/unique_names.h"

#include "rw/passes/pattern_pass.h"

#include <unordered_set>

namespace rw {
namespace {

class UniqueNamesPass : public FunctionPass {
public:
  std::string_view name() const override { return "unique_names"; }
  bool mayFail() const override { return false; }
  PassResult run(Function &fn, PassContext &) override {
    PassResult result;
    std::unordered_set<StringId> taken;
    for (ValueId param : fn.params(fn.body()))
      taken.insert(fn.valueName(param));
    walk(fn, fn.body(), taken, result.changed);
    return result;
  }

private:
  /// Nested regions may use a name again that the region around them gives later: which is first is told by the text.
  static void walk(Function &fn, RegionId region, std::unordered_set<StringId> &taken, bool &changed) {
    for (Op op : fn.ops(region)) {
      for (unsigned i = 0; i < op.resultCount(); ++i)
        if (StringId name = fn.valueName(op.result(i).id); name && !taken.insert(name).second) {
          fn.setValueName(op.result(i).id, {});
          changed = true;
        }
      for (RegionId inner : op.regions())
        walk(fn, inner, taken, changed);
    }
  }
};

} // namespace

MadePass makeUniqueNames(const Registry &registry, const PassOptions &options) {
  return makeWithoutOptions<UniqueNamesPass>(registry, options);
}

} // namespace rw
