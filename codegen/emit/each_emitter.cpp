// `each`: a loop over the operands of an op. What an operand binds is committed once the operand fits as a whole, so
// that an alternative that fails half-way leaves nothing behind.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;
using sema::TypeKind;

const PatternEmitter::Shared *PatternEmitter::sharedOf(plan::VarId var) const {
  auto it = std::ranges::find(shared_, var, &Shared::var);
  return it == shared_.end() ? nullptr : &*it;
}

/// The variables that the body of an `each` binds.
void PatternEmitter::collectShared(const Steps &list) {
  auto add = [&](plan::VarId id, bool attr) {
    if (!id || sharedOf(id) || e_.isBound(id))
      return;
    const sema::Var &v = pattern_.body.var(id);
    Shared::Kind kind = v.perOperand                                              ? Shared::PerOperand
                        : attr                                                    ? Shared::Attr
                        : v.type.is(TypeKind::Value) || v.type.is(TypeKind::Op) ? Shared::Value
                                                                                  : Shared::Plain;
    shared_.push_back({kind, id, names_.unique(kind == Shared::Attr ? v.name + "Attr" : v.name)});
  };
  for (const Step &s : list) {
    if (s.kind == StepKind::Bind || s.kind == StepKind::BindOrSame)
      add(s.var, plan_.slots[s.in].kind == SlotKind::Attr);
    if (s.kind == StepKind::Type)
      sema::forEachDim(*s.type, [&](const sema::DimMatch &d) {
        if (d.var.use == sema::Use::Bind || d.var.use == sema::Use::BindOrCompare)
          add(d.var.var, false);
      });
    for (const Steps &alternative : s.alternatives)
      collectShared(alternative);
    if (s.kind == StepKind::Each)
      collectShared(s.body);
  }
}

void PatternEmitter::bindShared(const Step &s) {
  const Shared &shared = *sharedOf(s.var);
  const std::string &here = slots_[s.in];
  switch (shared.kind) {
  case Shared::PerOperand:
    commits_.push_back(fmt::format("{}.push_back({});", shared.name, here));
    return e_.bind(s.var, {.text = here});
  case Shared::Attr:
    e_.failIf(fmt::format("{0} && {0} != {1}", shared.name, here));
    commits_.push_back(fmt::format("{} = {};", shared.name, here));
    return bindSlot(s.var, s.in);
  case Shared::Value:
    e_.failIf(fmt::format("{0} && !({0} == {1})", shared.name, here));
    commits_.push_back(fmt::format("{} = {};", shared.name, here));
    return e_.bind(s.var, {.text = here});
  case Shared::Plain: return;
  }
}

/// The type of what the `each` at hand binds a variable to, over all of its operands.
sema::Type PatternEmitter::perOperandType(plan::VarId id) const {
  sema::Type type = pattern_.body.var(id).type;
  type.lists = uint8_t(type.lists - eachDepth_);
  return type;
}

void PatternEmitter::declareShared(const std::vector<Shared> &outer) {
  for (const Shared &shared : shared_) {
    const sema::Var &v = pattern_.body.var(shared.var);
    std::string type = shared.kind == Shared::PerOperand ? cppType(perOperandType(shared.var))
                       : shared.kind == Shared::Attr     ? "AttrId"
                       : shared.kind == Shared::Value    ? cppType(v.type)
                                                         : fmt::format("std::optional<{}>", cppType(v.type));
    auto known = std::ranges::find(outer, shared.var, &Shared::var);
    if (shared.kind == Shared::PerOperand || known == outer.end())
      out().line("{} {};", type, shared.name);
    else // inside another `each`: what its operands before this one have bound
      out().line("{} {} = {};", type, shared.name, known->name);
  }
}

void PatternEmitter::each(const Step &s) {
  const std::string op = slots_[s.in];
  std::vector<Shared> outer = std::exchange(shared_, {});
  std::vector<std::string> outerCommits = std::exchange(commits_, {});
  std::string outerFlag = std::exchange(singleFlag_, "");
  collectShared(s.body);
  declareShared(outer);
  std::string singles = names_.unique("singles"), i = names_.unique("i"), operand = names_.unique("operand");
  std::string test = names_.unique("test");
  singleFlag_ = names_.unique("isSingle");
  out().line("InlineList<bool> {};", singles);
  out().open(fmt::format("for (unsigned {0} = 0; {0} < {1}.operandCount(); ++{0}) {{", i, op));
  out().line("Value {} = {}.operand({});", operand, op, i);
  out().line("bool {} = false;", singleFlag_);
  bool inner = quietFail_.ends_with('('); // the reason that the outer one keeps
  std::string reason = inner ? "" : names_.unique("reason");
  if (!inner)
    out().line("OperandReason {};", reason);
  out().open(fmt::format("auto {} = [&]() -> bool {{", test));
  auto saved = e_.save();
  auto slots = slots_;
  std::string quiet = std::exchange(quietFail_, inner ? quietFail_ : fmt::format("return {}.fail(", reason));
  slots_[s.out] = operand;
  ++eachDepth_;
  steps(s.body, 0, [&] {
    for (const std::string &commit : commits_)
      out().text(commit);
    out().text("return true;");
  });
  --eachDepth_;
  e_.restore(saved);
  slots_ = std::move(slots);
  quietFail_ = quiet;
  out().close("};");
  failWith(s);
  std::string passed = names_.unique("passed");
  out().line("bool {} = !{} || isTypeOnly({}, {}); // left out, or without a layout", passed, operand, op, i);
  if (inner || !quietFail_.empty())
    e_.setFail("return false;");
  else
    e_.setFail(fmt::format("return {}.noMatch(rw, op, {});", reason, i));
  e_.failIf(fmt::format("!{} && !{}()", passed, test));
  failWith(s);
  for (const Shared &shared : shared_) {
    sema::Type type = pattern_.body.var(shared.var).type;
    if (shared.kind != Shared::PerOperand || type.kind == TypeKind::Op) // of ops there are only those that match
      continue;
    out().open(fmt::format("if ({})", passed));
    sema::Type element = perOperandType(shared.var).element();
    out().line("{}.push_back({});", shared.name, element.isList() ? cppType(element) + "()" : operand);
    out().dedent();
  }
  out().line("{}.push_back({});", singles, singleFlag_);
  out().close("}");
  failWith(s, "single elements have no greater rank than the other operands");
  e_.failIf(fmt::format("!singleElementsKeepRank({}, {})", op, singles));
  singleFlag_ = std::move(outerFlag);
  commits_ = std::move(outerCommits);
  failWith(s);
  afterEach();
  for (const Shared &shared : shared_)
    if (auto known = std::ranges::find(outer, shared.var, &Shared::var); known != outer.end())
      commits_.push_back(shared.kind == Shared::PerOperand ? fmt::format("{}.push_back({});", known->name, shared.name)
                                                           : fmt::format("{} = {};", known->name, shared.name));
  shared_ = std::move(outer);
}

/// What the loop bound, as variables of what follows.
void PatternEmitter::afterEach() {
  for (const Shared &shared : shared_) {
    const sema::Var &v = pattern_.body.var(shared.var);
    switch (shared.kind) {
    case Shared::PerOperand: e_.bind(shared.var, {.text = shared.name}); break;
    case Shared::Value: e_.bind(shared.var, {.text = shared.name, .maybe = true}); break;
    case Shared::Plain: e_.bind(shared.var, {.text = shared.name, .maybe = true, .deref = true}); break;
    case Shared::Attr:
      if (v.type.is(TypeKind::Attr) || v.type.is(TypeKind::Tensor)) {
        e_.bind(shared.var, {.text = shared.name, .attr = shared.name, .maybe = true});
        break;
      }
      std::string name = names_.unique(v.name);
      out().line("auto {} = attrAs<{}>(ctx, {});", name, cppAttrView(v.type), shared.name);
      e_.bind(shared.var, {.text = name, .attr = shared.name, .maybe = true, .deref = true});
      break;
    }
  }
}

} // namespace rw::emit
