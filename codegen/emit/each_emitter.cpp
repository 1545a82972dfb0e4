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
    if (!id || sharedOf(id) || (e_.isBound(id) && !e_.var(id).maybe))
      return;
    const sema::Var &v = pattern_.body.var(id);
    if (v.localTo > eachDepth_) // it does not leave the operand
      return;
    Shared::Kind kind = v.perOperand ? Shared::PerOperand
                        : attr       ? Shared::Attr
                        : v.type.is(TypeKind::Value) || v.type.is(TypeKind::Op) || v.type.is(TypeKind::Region)
                            ? Shared::Value
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

/// What is done once the operand fits, if the match went through the alternatives at hand.
void PatternEmitter::commit(const std::string &name, const std::string &statement) {
  commits_.push_back({guard(), name, statement});
}

void PatternEmitter::bindShared(const Step &s) {
  const Shared shared = *sharedOf(s.var);
  const std::string here = slots_[s.in];
  switch (shared.kind) {
  case Shared::PerOperand:
    commit(shared.name, fmt::format("{}.push_back({}{});", shared.name, here,
                                    plan_.slots[s.in].kind == SlotKind::Chain ? ".kept()" : ""));
    return bind(s.var, {.text = here});
  case Shared::Attr:
    e_.failIf(fmt::format("{0} && {0} != {1}", shared.name, here));
    commit(shared.name, fmt::format("{} = {};", shared.name, here));
    return bindSlot(s.var, s.in, here);
  case Shared::Value:
    e_.failIf(fmt::format("{0} && !({0} == {1})", shared.name, here));
    commit(shared.name, fmt::format("{} = {};", shared.name, here));
    return bind(s.var, {.text = here});
  case Shared::Plain:
    return;
  }
}

/// The type of what the `each` at hand binds a variable to, over all of its operands.
sema::Type PatternEmitter::perOperandType(plan::VarId id) const {
  sema::Type type = pattern_.body.var(id).type;
  type.lists = uint8_t(type.lists - (eachDepth_ - pattern_.body.var(id).localTo));
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
    const VarText &before = e_.var(shared.var);
    // what operands of another `each` before this one have bound
    if (shared.kind != Shared::PerOperand && known != outer.end())
      out().declare(type, shared.name, known->name);
    else if (shared.kind != Shared::PerOperand && !before.text.empty()) // or alternatives
      out().declare(type, shared.name, shared.kind == Shared::Attr ? before.attr : before.text);
    else
      out().declare(type, shared.name, "");
  }
}

void PatternEmitter::each(const Step &s) {
  const std::string op = slots_[s.in];
  std::vector<Shared> outer = std::exchange(shared_, {});
  std::vector<Commit> outerCommits = std::exchange(commits_, {});
  std::string outerFlag = std::exchange(singleFlag_, "");
  collectShared(s.body);
  declareShared(outer);
  std::string singles = names_.unique("singles"), i = names_.unique("i"), operand = names_.unique("operand");
  std::string test = names_.unique("test");
  singleFlag_ = names_.unique("isSingle");
  std::string fits = names_.unique("fits");
  out().line("InlineList<bool> {};", singles);
  out().line("bool {} = true;", fits);
  out().open(fmt::format("for (unsigned {0} = 0; {0} < {1}.operandCount(); ++{0}) {{", i, op));
  out().line("Value {} = {}.operand({});", operand, op, i);
  out().line("bool {} = false;", singleFlag_);
  bool inner = eachDepth_ > 0 || !reports_; // the reason is that of the outer one, or nobody's
  std::string asks = inner ? asks_ : names_.unique("asked");
  if (!inner)
    out().line("Attempt {}(op);", asks);
  out().open(fmt::format("auto {} = [&]() -> bool {{", test));
  {
    std::map<uint32_t, std::vector<Home>> homes = std::exchange(homes_, {});
    Frame frame = begin(asks, reports_);
    slots_[s.out] = operand;
    ++eachDepth_;
    steps(s.body);
    --eachDepth_;
    for (const auto &[guard, name, statement] : commits_) {
      out().onlyFor(name);
      if (!guard.empty())
        out().open(fmt::format("if ({})", guard));
      out().text(statement);
      if (!guard.empty())
        out().dedent();
      out().onlyFor("");
    }
    end(std::move(frame), "return true;");
    homes_ = std::move(homes);
  }
  out().close("};");
  std::string passed = names_.unique("passed");
  out().line("bool {} = !{} || isTypeOnly({}, {}); // left out, or without a layout", passed, operand, op, i);
  out().open(fmt::format("if (!{} && !{}()) {{", passed, test));
  if (!inner)
    out().line("{}.noFit({}, {});", asks_, i, asks);
  out().line("{} = false;", fits);
  out().text("break;");
  out().close("}");
  for (const Shared &shared : shared_) {
    sema::Type type = pattern_.body.var(shared.var).type;
    // of ops and regions there are only those that match
    if (shared.kind != Shared::PerOperand || type.kind != TypeKind::Value)
      continue;
    out().onlyFor(shared.name);
    out().open(fmt::format("if ({})", passed));
    sema::Type element = perOperandType(shared.var).element();
    out().line("{}.push_back({});", shared.name, element.isList() ? cppType(element) + "()" : operand);
    out().dedent();
    out().onlyFor("");
  }
  out().line("{}.push_back({});", singles, singleFlag_);
  out().close("}");
  e_.failUnless(fits);
  failWith(s, "single elements have no greater rank than the other operands");
  e_.failIf(fmt::format("!singleElementsKeepRank({}, {})", op, singles));
  singleFlag_ = std::move(outerFlag);
  commits_ = std::move(outerCommits);
  failWith(s);
  std::vector<Shared> mine = shared_;
  afterEach();
  shared_ = std::move(outer);
  for (const Shared &shared : mine)
    if (const Shared *known = sharedOf(shared.var))
      commit(known->name, shared.kind == Shared::PerOperand ? fmt::format("{}.push_back({});", known->name, shared.name)
                                                            : fmt::format("{} = {};", known->name, shared.name));
}

/// What the loop bound, as variables of what follows.
void PatternEmitter::afterEach() {
  for (const Shared &shared : shared_) {
    const sema::Var &v = pattern_.body.var(shared.var);
    switch (shared.kind) {
    case Shared::PerOperand:
      bind(shared.var, {.text = shared.name});
      break;
    case Shared::Value:
      bind(shared.var, {.text = shared.name, .maybe = true});
      break;
    case Shared::Plain:
      bind(shared.var, {.text = shared.name, .maybe = true, .deref = true});
      break;
    case Shared::Attr:
      if (v.type.is(TypeKind::Attr) || v.type.is(TypeKind::Tensor)) {
        bind(shared.var, {.text = shared.name, .attr = shared.name, .maybe = true});
        break;
      }
      std::string name = names_.unique(v.name);
      out().declare(fmt::format("std::optional<{}>", cppAttrView(v.type)), name,
                    fmt::format("attrAs<{}>(ctx, {})", cppAttrView(v.type), shared.name));
      bind(shared.var, {.text = name, .attr = shared.name, .maybe = true, .deref = true});
      break;
    }
  }
}

} // namespace rw::emit
