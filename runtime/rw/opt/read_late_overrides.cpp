#include "rw/opt/read_late_overrides.h"

#include "rw/ir/parser.h"
#include "rw/passes/op_names.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

namespace rw::opt {
namespace {

/// The op of that name, or that makes the value of that name.
class OpFinder {
public:
  explicit OpFinder(Program &program) {
    for (Function &fn : program.functions()) {
      OpNames names(fn);
      for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
        Op op = fn.op(OpId(i));
        if (op.isErased())
          continue;
        if (StringId name = fn.opName(op.id))
          ops_.emplace(fn.context().text(name), op);
        for (unsigned r = 0; r < op.resultCount(); ++r)
          ops_.emplace(names.of(op.result(r)), op);
      }
    }
  }

  Op find(const std::string &name, std::string &near) const {
    if (auto it = ops_.find(name); it != ops_.end())
      return it->second;
    std::vector<std::string_view> known;
    for (const auto &[text, op] : ops_)
      known.push_back(text);
    near = nearestName(name, known);
    return {};
  }

private:
  std::map<std::string, Op, std::less<>> ops_;
};

} // namespace

bool readLateOverrides(const Options &options, Program &program, SourceManager &sources, Diagnostics &diags,
                       LateOverrides &table, bool &wrongUse) {
  if (options.lateOverrides.empty())
    return true;
  OpFinder finder(program);
  auto fail = [&](std::string message) { diags.errorInFile("late-override", "command line", std::move(message)); };
  for (const std::string &text : options.lateOverrides) {
    size_t equals = text.find('=');
    size_t dot = equals == std::string::npos ? equals : text.rfind('.', equals);
    std::string name = text.substr(0, dot), near;
    Op op = finder.find(name, near);
    if (!op) {
      fail(fmt::format("no op or value is named `{}`{}", name, didYouMean(near)));
      continue;
    }
    FileId file = sources.addText("--late-override", text.substr(equals + 1));
    AttrId value = parseAttr(file, sources, diags, program.context());
    wrongUse |= !value;
    if (value)
      table.set(op, text.substr(dot + 1, equals - dot - 1), value);
  }
  return !diags.hasErrors();
}

} // namespace rw::opt
