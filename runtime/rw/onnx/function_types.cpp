#include "rw/onnx/function_types.h"

#include "rw/ir/common_type.h"

#include <algorithm>
#include <map>
#include <optional>

namespace rw::onnxio {
namespace {

using Types = std::optional<std::vector<TypeId>>; // none: nothing has been seen yet

/// Takes of each function what its first call says, and less with each call that says otherwise, until all calls agree.
/// Until then what depends on a call that was not looked into is left open.
class FunctionTypes {
public:
  FunctionTypes(Program &program, const std::function<bool(std::string_view)> &isCallee,
                const std::function<TypeFlow &(Function &)> &flowOf)
      : ctx_(program.context()) {
    for (Function &fn : program.functions()) {
      Body &body = bodies_.emplace_back();
      body.fn = &fn;
      body.flow = &flowOf(fn);
      for (uint32_t v = 0; v < fn.valueCapacity(); ++v)
        body.imported.push_back(fn.data(ValueId(v)).type);
      body.called = isCallee(fn.name());
      if (body.called)
        callees_.emplace(fn.name(), bodies_.size() - 1);
    }
  }

  void run() {
    for (int rounds = 0; rounds < kMostRounds; ++rounds)
      if (!round()) {
        if (std::ranges::any_of(bodies_, [](const Body &body) { return body.open; }))
          break;
        return;
      }
    for (Body &body : bodies_) // no agreement: what was known before is all that is
      restore(body);
  }

private:
  static constexpr int kMostRounds = 200;

  struct Body {
    Function *fn;
    TypeFlow *flow;
    std::vector<TypeId> imported; // by value
    Types arguments, seen;        // of the calls; those of this round
    Types results;
    std::vector<bool> unseen; // values that depend on a call not looked into yet
    bool called = false, open = false;
  };

  void restore(Body &body) {
    for (uint32_t v = 0; v < body.imported.size(); ++v)
      body.fn->setType(ValueId(v), body.imported[v]);
  }

  /// Whether anything is other than in the round before.
  bool round() {
    bool changed = false;
    for (Body &body : bodies_)
      if (!body.called || body.arguments)
        changed |= walk(body);
    for (Body &body : bodies_) {
      Types seen = std::exchange(body.seen, std::nullopt);
      if (seen && body.arguments)
        join(*seen, *body.arguments);
      if (!seen || seen == body.arguments)
        continue;
      body.arguments = std::move(seen);
      changed = true;
    }
    return changed;
  }

  bool walk(Body &body) {
    Function &fn = *body.fn;
    body.unseen.assign(fn.valueCapacity(), false);
    body.open = false;
    std::span<const ValueId> params = fn.params(fn.body());
    for (size_t i = 0; body.arguments && i < params.size(); ++i)
      fn.setType(params[i], (*body.arguments)[i]);
    body.flow->believeAgain(); // the calls may have said more in the round before
    body.flow->setOther([&](Op op, TypeFlow::Types &types) { return visit(body, op, types); });
    body.flow->region(fn.body());
    body.flow->setOther({});
    body.flow->finish();
    Op end = fn.terminator(fn.body());
    if (!end || anyUnseen(body, end))
      return false;
    Types now = typesOf(body, end, end.operandCount());
    return std::exchange(body.results, now) != now;
  }

  static bool anyUnseen(const Body &body, Op op) {
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value v = op.operand(i); v && body.unseen[v.id.raw])
        return true;
    return false;
  }

  std::vector<TypeId> typesOf(const Body &body, Op op, size_t count) {
    std::vector<TypeId> types(count, ctx_.unknownType());
    for (unsigned i = 0; i < count && i < op.operandCount(); ++i)
      if (Value v = op.operand(i))
        types[i] = body.flow->plain(v.typeId());
    return types;
  }

  void join(std::vector<TypeId> &types, const std::vector<TypeId> &with) {
    for (size_t i = 0; i < types.size(); ++i)
      types[i] = commonType(ctx_, types[i], with[i]);
  }

  /// Whether inference has nothing to say of the op: a call is of the types that the function returns, and of what
  /// depends on a call that was not looked into, nothing is known yet.
  bool visit(Body &body, Op op, TypeFlow::Types &types) {
    auto callee = op.kind() == kOpaqueKind ? callees_.find(op.fullName()) : callees_.end();
    bool unseen = anyUnseen(body, op);
    if (callee != callees_.end())
      unseen |= !call(body, op, bodies_[callee->second], unseen, types);
    body.open |= unseen;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      body.unseen[op.result(i).id.raw] = unseen;
    return unseen || callee != callees_.end();
  }

  /// Whether it is known what the call returns.
  bool call(const Body &body, Op op, Body &callee, bool unseen, TypeFlow::Types &types) {
    if (!unseen) {
      std::vector<TypeId> arguments = typesOf(body, op, callee.fn->params(callee.fn->body()).size());
      if (callee.seen)
        join(arguments, *callee.seen);
      callee.seen = std::move(arguments);
    }
    if (!callee.results)
      return false;
    for (unsigned i = 0; i < op.resultCount() && i < callee.results->size(); ++i)
      types[i] = (*callee.results)[i];
    return true;
  }

  Context &ctx_;
  std::vector<Body> bodies_;
  std::map<std::string, size_t, std::less<>> callees_; // by the name of what is called
};

} // namespace

void inferFunctionTypes(Program &program, const std::function<bool(std::string_view)> &isCallee,
                        const std::function<TypeFlow &(Function &)> &flowOf) {
  FunctionTypes(program, isCallee, flowOf).run();
}

} // namespace rw::onnxio
