// Bodies of functions, and that none calls itself.
#include "frontend/check/body.h"

#include <fmt/format.h>

namespace rw::sema {

void Checker::checkFn(Fn &fn, const ast::FnDecl &decl, FnIndex id) {
  currentFn = id;
  BodyChecker body(*this, fn.body);
  body.of = BodyChecker::Of::Function;
  fn.value = body.exprOf(*decl.body, fn.result, [&] { return fmt::format("the result of `{}`", fn.name); });
  currentFn = {};
  body.reportUnused();
}

void Checker::reportRecursion() {
  enum : uint8_t { Unseen, Open, Done };
  std::vector<uint8_t> state(module.fns.size(), Unseen);
  struct Frame {
    FnIndex fn;
    size_t next = 0;
  };
  for (uint32_t start = 0; start < module.fns.size(); ++start) {
    if (state[start] != Unseen)
      continue;
    std::vector<Frame> stack{{FnIndex{start}}};
    state[start] = Open;
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next == calls[top.fn.raw].size()) {
        state[top.fn.raw] = Done;
        stack.pop_back();
        continue;
      }
      const CallEdge &edge = calls[top.fn.raw][top.next++];
      if (state[edge.callee.raw] == Open) {
        Report report = error("recursive-function", edge.range,
                              fmt::format("`{}` calls itself, and functions cannot", module.fn(edge.callee).name));
        std::string path;
        size_t from = 0;
        while (stack[from].fn != edge.callee)
          ++from;
        for (size_t i = from; i < stack.size(); ++i)
          path += module.fn(stack[i].fn).name + " -> ";
        if (stack.size() - from > 1)
          report.note("the way round: " + path + module.fn(edge.callee).name);
        report.note("go through a list with a comprehension, `all`, `any`, `sum` or `product` instead");
      } else if (state[edge.callee.raw] == Unseen) {
        state[edge.callee.raw] = Open;
        stack.push_back({edge.callee});
      }
    }
  }
}

} // namespace rw::sema
