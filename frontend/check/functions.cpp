#include "frontend/check/functions.h"

#include "frontend/check/body_context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/unused.h"

#include <fmt/format.h>

namespace rw::sema {

void checkFn(CheckContext &c, Fn &fn, const ast::FnDecl &decl, FnIndex id) {
  c.currentFn = id;
  BodyContext b(c, fn.body);
  b.of = BodyOf::Function;
  fn.value = checkExprAs(b, *decl.body, fn.result, [&] { return fmt::format("the result of `{}`", fn.name); });
  c.currentFn = {};
  reportUnused(b);
}

void reportRecursion(CheckContext &c) {
  enum : uint8_t { Unseen, Open, Done };
  std::vector<uint8_t> state(c.module.fns.size(), Unseen);
  struct Frame {
    FnIndex fn;
    size_t next = 0;
  };
  for (uint32_t start = 0; start < c.module.fns.size(); ++start) {
    if (state[start] != Unseen)
      continue;
    std::vector<Frame> stack{{FnIndex(start)}};
    state[start] = Open;
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next == c.calls[top.fn.raw].size()) {
        state[top.fn.raw] = Done;
        stack.pop_back();
        continue;
      }
      const CallEdge &edge = c.calls[top.fn.raw][top.next++];
      if (state[edge.callee.raw] == Open) {
        Report report = c.error("recursive-function", edge.range,
                                fmt::format("`{}` calls itself, and functions cannot", c.module.fn(edge.callee).name));
        std::string path;
        size_t from = 0;
        while (stack[from].fn != edge.callee)
          ++from;
        for (size_t i = from; i < stack.size(); ++i)
          path += c.module.fn(stack[i].fn).name + " -> ";
        if (stack.size() - from > 1)
          report.note("the way round: " + path + c.module.fn(edge.callee).name);
        report.note("go through a list with a comprehension, `all`, `any`, `sum` or `product` instead");
      } else if (state[edge.callee.raw] == Unseen) {
        state[edge.callee.raw] = Open;
        stack.push_back({edge.callee});
      }
    }
  }
}

} // namespace rw::sema
