#include "rw/onnx/function_types.h"

#include "rw/ir/builder.h"
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
  FunctionTypes(Program &program, const std::function<bool(std::string_view)> &isCallee) : ctx_(program.context()) {
    for (Function &fn : program.functions()) {
      Body &body = bodies_.emplace_back();
      body.fn = &fn;
      for (uint32_t v = 0; v < fn.valueCapacity(); ++v)
        body.recorded.push_back(fn.data(ValueId(v)).type);
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
    for (Body &body : bodies_) // no agreement: what was recorded is all that is known
      restore(body);
  }

private:
  static constexpr int kMostRounds = 200;

  struct Body {
    Function *fn;
    std::vector<TypeId> recorded; // by value
    Types arguments, seen;        // of the calls; those of this round
    Types results;
    std::vector<bool> unseen; // values that depend on a call not looked into yet
    bool called = false, open = false;
  };

  void restore(Body &body) {
    for (uint32_t v = 0; v < body.recorded.size(); ++v)
      body.fn->setType(ValueId(v), body.recorded[v]);
  }

  void refine(Function &fn, ValueId value, TypeId type) {
    if (TypeId both = type ? ctx_.meet(fn.data(value).type, type) : TypeId())
      fn.setType(value, both);
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
    restore(body);
    body.unseen.assign(fn.valueCapacity(), false);
    body.open = false;
    std::span<const ValueId> params = fn.params(fn.body());
    for (size_t i = 0; body.arguments && i < params.size(); ++i)
      refine(fn, params[i], (*body.arguments)[i]);
    region(body, fn.body());
    Op end = fn.terminator(fn.body());
    if (!end || anyUnseen(body, end))
      return false;
    Types now = typesOf(end, end.operandCount());
    return std::exchange(body.results, now) != now;
  }

  static bool anyUnseen(const Body &body, Op op) {
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value v = op.operand(i); v && body.unseen[v.id.raw])
        return true;
    return false;
  }

  std::vector<TypeId> typesOf(Op op, size_t count) {
    std::vector<TypeId> types(count, ctx_.unknownType());
    for (unsigned i = 0; i < count; ++i)
      if (Value v = op.operand(i))
        types[i] = v.typeId();
    return types;
  }

  void join(std::vector<TypeId> &types, const std::vector<TypeId> &with) {
    for (size_t i = 0; i < types.size(); ++i)
      types[i] = commonType(ctx_, types[i], with[i]);
  }

  void region(Body &body, RegionId id) {
    for (Op op : body.fn->ops(id)) {
      for (RegionId inner : op.regions())
        region(body, inner);
      auto callee = op.kind() == kOpaqueKind ? callees_.find(op.fullName()) : callees_.end();
      bool unseen = anyUnseen(body, op);
      if (callee != callees_.end())
        unseen |= !call(op, bodies_[callee->second], unseen);
      else if (!unseen)
        infer(op);
      body.open |= unseen;
      for (unsigned i = 0; unseen && i < op.resultCount(); ++i)
        body.unseen[op.result(i).id.raw] = true;
    }
  }

  void infer(Op op) {
    if (!op.schema().inferTypes || !op.resultCount())
      return;
    InlineList<TypeId, 4> types(op.resultCount(), TypeId());
    inferResultTypes(*InputsOf(op), types);
    for (unsigned i = 0; i < op.resultCount(); ++i)
      refine(*op.fn, op.result(i).id, types[i]);
  }

  /// Whether it is known what the call returns.
  bool call(Op op, Body &callee, bool unseen) {
    if (!unseen) {
      std::vector<TypeId> types = typesOf(op, callee.fn->params(callee.fn->body()).size());
      if (callee.seen)
        join(types, *callee.seen);
      callee.seen = std::move(types);
    }
    if (!callee.results)
      return false;
    for (unsigned i = 0; i < op.resultCount() && i < callee.results->size(); ++i)
      refine(*op.fn, op.result(i).id, (*callee.results)[i]);
    return true;
  }

  Context &ctx_;
  std::vector<Body> bodies_;
  std::map<std::string, size_t, std::less<>> callees_; // by the name of what is called
};

} // namespace

void inferFunctionTypes(Program &program, const std::function<bool(std::string_view)> &isCallee) {
  FunctionTypes(program, isCallee).run();
}

} // namespace rw::onnxio
