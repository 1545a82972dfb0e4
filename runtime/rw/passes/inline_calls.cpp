#include "rw/passes/inline_calls.h"

#include "rw/ir/clone.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace rw {
namespace {

/// Functions that call each other twice over double with each level: beyond this many ops they are not put in.
constexpr size_t kMostOps = 4'000'000;

class Inliner {
public:
  Inliner(Program &program, CalledBy by) : program_(program), by_(by) {
    for (Function &fn : program.functions())
      functions_.push_back(&fn), indexOf_.emplace(&fn, functions_.size() - 1);
  }

  std::optional<PassError> run(bool &changed) {
    for (size_t i = 0; i < functions_.size(); ++i)
      if (std::optional<PassError> error = inOrder(i))
        return error;
    changed = !called_.empty();
    if (!changed)
      return std::nullopt;
    if (called_.size() == functions_.size())
      return PassError{"recursive-call",
                       "every function of the program is called by another one: there is none to begin with",
                       {},
                       {}};
    keepOthers();
    std::deque<Function> kept;
    for (Function &fn : program_.functions())
      if (!called_.contains(&fn))
        kept.push_back(std::move(fn));
    program_.functions() = std::move(kept);
    return std::nullopt;
  }

private:
  /// What is called in the other way by functions that stay, stays as well.
  void keepOthers() {
    if (by_ == CalledBy::AnySymbol)
      return;
    const CalledBy otherWay = by_ == CalledBy::Callee ? CalledBy::OtherSymbol : CalledBy::Callee;
    std::vector<Function *> pending;
    for (Function *fn : functions_)
      if (!called_.contains(fn))
        pending.push_back(fn);
    while (!pending.empty()) {
      Function *fn = pending.back();
      pending.pop_back();
      for (uint32_t i = 0; i < fn->opCapacity(); ++i) {
        Op op = fn->op(OpId(i));
        if (op.isErased())
          continue;
        Function *other = calledFunction(program_, op, otherWay);
        if (other && called_.erase(other))
          pending.push_back(other);
      }
    }
  }

  struct Call {
    OpId op;
    Function *callee;
  };

  std::vector<Call> callsOf(Function &fn) {
    std::vector<Call> calls;
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (Op op = fn.op(OpId(i)); !op.isErased())
        if (Function *callee = calledFunction(program_, op, by_))
          calls.push_back({op.id, callee});
    return calls;
  }

  /// What a function calls is put into it after what those call: each function is gone through once.
  std::optional<PassError> inOrder(size_t first) {
    enum : uint8_t { New, Open, Done };
    state_.resize(functions_.size(), New);
    struct Item {
      size_t function;
      std::vector<Call> calls;
      size_t next = 0;
    };
    if (state_[first] != New)
      return std::nullopt;
    std::vector<Item> pending;
    auto open = [&](size_t i) {
      state_[i] = Open;
      pending.push_back({i, callsOf(*functions_[i])});
    };
    open(first);
    while (!pending.empty()) {
      Item &item = pending.back();
      if (item.next == item.calls.size()) {
        Function &fn = *functions_[item.function];
        for (const Call &call : item.calls)
          if (std::optional<PassError> error = putIn(fn, call))
            return error;
        state_[item.function] = Done;
        pending.pop_back();
        continue;
      }
      const Call &call = item.calls[item.next++];
      size_t callee = indexOf_.at(call.callee);
      if (state_[callee] == Open)
        return PassError{
            "recursive-call",
            fmt::format("@{} calls itself: a function that does cannot be written without calls", call.callee->name()),
            functions_[item.function]->loc(call.op),
            {}};
      if (state_[callee] == New)
        open(callee);
    }
    return std::nullopt;
  }

  std::optional<PassError> putIn(Function &fn, const Call &call) {
    Op op = fn.op(call.op);
    Function &callee = *call.callee;
    total_ += callee.liveOps();
    if (total_ > kMostOps)
      return PassError{
          "too-many-calls",
          fmt::format("the program has more than {} ops with what its functions call in their place", kMostOps),
          op.loc(),
          {}};
    OpCloner cloner(callee, fn, true);
    std::span<const ValueId> params = callee.params(callee.body());
    for (unsigned i = 0; i < params.size(); ++i)
      cloner.map(params[i], op.operand(i).id);
    for (Op inner : callee.ops(callee.body())) {
      if (inner.kind() == kReturnKind) {
        for (unsigned i = 0; i < op.resultCount(); ++i) {
          ValueId with = cloner.mapped(inner.operand(i).id), old = op.result(i).id;
          if (StringId name = fn.valueName(old); name && !fn.valueName(with))
            fn.setValueName(old, StringId()), fn.setValueName(with, name);
          fn.replaceAllUses(old, with);
        }
        break;
      }
      cloner.copy(inner,
                  [&](KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types) {
                    return fn.insertOp(call.op, kind, operands, attrs, types, callee.loc(inner.id));
                  });
    }
    fn.erase(call.op);
    called_.insert(&callee);
    return std::nullopt;
  }

  Program &program_;
  CalledBy by_;
  std::vector<Function *> functions_;
  std::unordered_map<const Function *, size_t> indexOf_;
  std::vector<uint8_t> state_;
  std::set<const Function *> called_;
  size_t total_ = 0;
};

} // namespace

Function *calledFunction(Program &program, Op op, CalledBy by) {
  if (op.kind() == kReturnKind || op.kind() == kOpaqueKind || !op.regions().empty())
    return nullptr;
  Context &ctx = op.context();
  std::span<const AttrSchema> declared = op.schema().attrs;
  for (unsigned i = 0; i < declared.size(); ++i) {
    const bool isMeant = by == CalledBy::AnySymbol || (by == CalledBy::Callee) == (declared[i].name == "callee");
    AttrId attr = declared[i].type == AttrType::Symbol && isMeant ? op.attr(i) : AttrId();
    Function *fn = attr && ctx.attr(attr).kind == AttrKind::Symbol ? program.function(ctx.attr(attr).text) : nullptr;
    if (fn && fn != op.fn && fn->params(fn->body()).size() == op.operandCount() &&
        fn->terminator(fn->body()).operandCount() == op.resultCount())
      return fn;
    if (fn == op.fn && fn)
      return fn;
  }
  return nullptr;
}

std::optional<PassError> inlineCalls(Program &program, CalledBy by, bool &changed) {
  return Inliner(program, by).run(changed);
}

} // namespace rw
