// Program: the functions of one model or module, over one Context.
//
// In:  functions, and attributes of the whole (metadata that readers keep for writers).
// Out: lookup by name; iteration in order.
// Elsewhere: text is parser.h and printer.h; ONNX is rw/onnx.
//
//   Program program(registry);
//   Function &main = program.addFunction("main");
#pragma once

#include "rw/ir/function.h"

#include <deque>
#include <memory>

namespace rw {

class Program {
public:
  /// A program with a context of its own.
  explicit Program(const OpRegistry &ops) : ctx_(std::make_shared<Context>(ops)) {}
  explicit Program(std::shared_ptr<Context> ctx) : ctx_(std::move(ctx)) {}

  Context &context() { return *ctx_; }
  const Context &context() const { return *ctx_; }
  std::shared_ptr<Context> sharedContext() const { return ctx_; }

  Function &addFunction(std::string name) { return functions_.emplace_back(*ctx_, std::move(name)); }
  Function *function(std::string_view name);               ///< quick for those asked for in order
  std::deque<Function> &functions() { return functions_; } ///< addresses are stable while functions are added
  const std::deque<Function> &functions() const { return functions_; }

  /// A copy over the same context, ids kept (used to roll back, and to compare before and after).
  Program clone() const;

private:
  std::shared_ptr<Context> ctx_;
  std::deque<Function> functions_;
  size_t lastFound_ = 0;
};

} // namespace rw
