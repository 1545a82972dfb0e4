// Attributes and variables: reading, comparing, binding; members of PatternEmitter.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>

namespace rw::emit {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;
using sema::TypeKind;

std::string PatternEmitter::attrIndex(const Step &s) const {
  if (s.indexes.empty())
    return fmt::format("{}", s.index);
  // Ops of one set that declare the attribute at different places; out of range where one does not declare it.
  std::string text = "UINT16_MAX";
  for (size_t i = s.indexes.size(); i-- > 0;)
    if (s.indexes[i] >= 0 && i < s.opSet.ops.size())
      text = fmt::format("{}.is({}) ? {} : {}", slots_[s.in], refs_.schema(s.opSet.ops[i]), s.indexes[i], text);
  return text;
}

/// Whether the attribute that the step looks at may be left out and still have a value.
bool PatternEmitter::hasDefault(const Step &s) const {
  return s.opSet.byTrait() || std::ranges::any_of(s.opSet.ops, [&](sema::OpIndex op) {
           return std::ranges::any_of(refs_.module().op(op).attrs,
                                      [&](auto &a) { return a.name == s.name && a.defaultValue.has_value(); });
         });
}

void PatternEmitter::attrStep(const Step &s) {
  std::string name = slots_[s.out] = nameSlot(s.out, slotHint(s.out, "attr") + "Attr"), op = slots_[s.in];
  if (s.indexes.empty() && plan::alwaysThere(s, refs_.module()))
    return out().declare("AttrId", name, readOf(s.in, "attrOf", std::to_string(s.index)));
  find("AttrId", name, s.standIn || hasDefault(s) ? "attrOrDefault" : "attr", fmt::format("{}, {}", op, attrIndex(s)));
}

/// Fails unless two values of a type are the same.
void PatternEmitter::sameElement(const sema::Type &type, const std::string &here, const std::string &want) {
  std::string same = names_.unique("same");
  std::string call = type.isList() ? fmt::format("identical<{}>(ctx, {}, {})", cppElement(type), here, want)
                                   : fmt::format("identical(ctx, {0}({1}), {0}({2}))", cppType(type), here, want);
  out().line("auto {} = {};", same, call);
  e_.failIf(fmt::format("!{0} || !*{0}", same));
}

void PatternEmitter::attrList(const Step &s) {
  const sema::Type &element = s.element;
  std::string list =
      e_.checked("list", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(element.listOf()), slots_[s.in]));
  e_.failIf(fmt::format("{}.size() {} {}", list, s.hasRest ? "<" : "!=", s.elements.size()));
  /// A name is bound to what stands here, or compared with it.
  auto name = [&](const sema::VarUse &use, const sema::Type &type, const std::string &cpp, const std::string &here) {
    const VarText &v = e_.var(use.var);
    bool bound = e_.isBound(use.var) && use.use != sema::Use::Bind;
    std::string text = v.deref ? "(*" + v.text + ")" : v.text;
    if (bound && !v.maybe)
      return sameElement(type, here, text);
    std::string local = names_.unique(pattern_.body.var(use.var).name);
    if (bound) { // by some alternatives
      out().declare(cpp, local,
                    v.deref ? fmt::format("{}.value_or({})", v.text, here)
                            : fmt::format("{0} ? {0} : {1}", v.text, here));
      sameElement(type, here, local);
    } else {
      out().declare(cpp, local, here);
    }
    bind(use.var, {.text = local});
  };
  for (size_t i = 0; i < s.elements.size(); ++i) {
    const plan::ListElement &x = s.elements[i];
    std::string here = s.hasRest && i >= s.restAt ? fmt::format("{0}[{0}.size() - {1}]", list, s.elements.size() - i)
                                                  : fmt::format("{}[{}]", list, i);
    if (x.var)
      name(x.var, element, cppType(element), here);
    else if (x.value)
      sameElement(element, here, e_.value(*x.value));
  }
  if (!s.hasRest || !s.rest)
    return;
  std::string span = cppParam(element.listOf());
  name(s.rest, element.listOf(), span,
       fmt::format("{}({}).subspan({}, {}.size() - {})", span, list, s.restAt, list, s.elements.size()));
}

/// Whether an attribute is one of several literals.
std::string PatternEmitter::oneOf(const Step &s, const std::string &attr) {
  std::string tests, have;
  Step one; // not a copy, which would hold all the choices
  one.kind = StepKind::AttrEquals;
  for (const sema::Expr &choice : s.choices) {
    one.expr = choice;
    std::string test;
    if (plan::equalsLiteral(one)) {
      test = literalTest(one, attr);
    } else if (choice.type.isList() || choice.type.is(TypeKind::Dim)) {
      if (have.empty())
        have = e_.checked("have", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(choice.type), attr));
      std::string element = choice.type.isList() ? fmt::format("<{}>", cppElement(choice.type)) : "";
      test = fmt::format("identical{}(ctx, {}, {}).value_or(false)", element, have, e_.named(choice, "want"));
    } else {
      test =
          fmt::format("{} == {}", attr,
                      e_.attribute(choice, choice.type.is(TypeKind::Attr) ? sema::AttrType::Any : sema::AttrType::Int));
    }
    tests += (tests.empty() ? "" : " || ") + test;
  }
  return tests;
}

// Variables -------------------------------------------------------------------------------------------------------

void PatternEmitter::bindStep(const Step &s) {
  bool bound = e_.isBound(s.var), maybe = bound && e_.var(s.var).maybe;
  if (sharedOf(s.var) && (!bound || maybe))
    return bindShared(s);
  // An operand that may be left out is named once: elsewhere its name asks for the same value, and nothing is the same
  // as none.
  bool named = s.kind == StepKind::Same && pattern_.body.var(s.var).isOptionalOperand();
  if (maybe && !named)
    return bindOrSame(s);
  bound ? same(s) : bindSlot(s.var, s.in, slots_[s.in]);
}

/// Of a variable that only some alternatives have bound.
void PatternEmitter::bindOrSame(const Step &s) {
  const VarText v = e_.var(s.var);
  const std::string here = slots_[s.in];
  std::string name = names_.unique(pattern_.body.var(s.var).name);
  if (plan_.slots[s.in].kind == SlotKind::Attr && !v.attr.empty()) {
    std::string attr = v.attr == v.text ? name : names_.unique(pattern_.body.var(s.var).name + "Attr");
    out().declare("AttrId", attr, fmt::format("{0} ? {0} : {1}", v.attr, here));
    mustHold("same", fmt::format("{}, {}", here, attr));
    return bindSlot(s.var, s.in, attr);
  }
  sema::Type type = pattern_.body.var(s.var).type;
  if (!v.deref) {
    out().declare(cppType(type), name, fmt::format("{0} ? {0} : {1}", v.text, here));
    mustHold("same", fmt::format("{}, {}", here, name));
    return bind(s.var, {.text = name});
  }
  std::string have = here;
  if (plan_.slots[s.in].kind == SlotKind::Attr)
    have = e_.checked("have", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(type), here));
  std::string cpp = type.isList() ? cppType(type) : cppType(type);
  out().declare(cpp, name, fmt::format("{0} ? {1}(*{0}) : {1}({2})", v.text, cpp, have));
  sameElement(type, have, name);
  bind(s.var, {.text = name});
}

void PatternEmitter::bindSlot(plan::VarId var, plan::Slot slot, const std::string &text) {
  sema::Type type = pattern_.body.var(var).type;
  if (plan_.slots[slot].kind != SlotKind::Attr)
    return bind(var, {.text = text});
  if (type.is(TypeKind::Attr))
    return bind(var, {.text = text, .attr = text});
  if (type.is(TypeKind::Tensor)) {
    e_.failIf(fmt::format("!tensorAttr(ctx, {})", text));
    return bind(var, {.text = text, .attr = text});
  }
  const Home *home = homeOf(var);
  bool direct = home && !home->attr.empty() && home->deref && !e_.isBound(var);
  std::string name = direct ? home->name : names_.unique(pattern_.body.var(var).name);
  bool declared = isOfDeclaredType(slot, type);
  if (declared) // nobody needs to ask whether it is, unless somebody reads it
    out().onlyFor(name);
  bool ofKind = !declared && (type.is(TypeKind::Float) || type.is(TypeKind::String)); // which may be of any
  out().declare(fmt::format("std::optional<{}>", cppAttrView(type)), name,
                fmt::format("{}<{}>(ctx, {})", ofKind ? "attrOfKind" : "attrAs", cppAttrView(type), text));
  e_.failIf("!" + name);
  out().onlyFor("");
  bind(var, {.text = name, .attr = text, .deref = true});
}

/// Whether all ops that the attribute may be of declare it with that type: the verifier has seen to it.
bool PatternEmitter::isOfDeclaredType(plan::Slot attr, const sema::Type &type) const {
  std::function<void(const Steps &)> collect = [&](const Steps &list) {
    for (const Step &step : list) {
      if (step.kind == StepKind::Attr)
        attrSteps_.try_emplace(step.out, &step);
      for (const Steps &alternative : step.alternatives)
        collect(alternative);
      for (const Steps *inner : {&step.link, &step.body})
        collect(*inner);
    }
  };
  if (attrSteps_.empty())
    collect(plan_.steps);
  const auto found = attrSteps_.find(attr);
  if (found == attrSteps_.end() || found->second->opSet.byTrait() || found->second->opSet.ops.empty())
    return false;
  const Step &step = *found->second;
  return std::ranges::all_of(step.opSet.ops, [&](sema::OpIndex op) {
    const sema::OpAttrDecl *declared = plan::attrOf(refs_.module().op(op), step);
    return declared && sema::typeOf(declared->type) == type;
  });
}

void PatternEmitter::same(const Step &s) {
  const VarText &v = e_.var(s.var);
  sema::Type type = pattern_.body.var(s.var).type;
  const std::string &here = slots_[s.in];
  if (plan_.slots[s.in].kind == SlotKind::Attr) {
    if (!v.attr.empty())
      return mustHold("same", fmt::format("{}, {}", here, v.attr));
    std::string have = e_.checked("have", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(type), here));
    return sameElement(type, have, v.deref ? "(*" + v.text + ")" : v.text);
  }
  if (plan_.slots[s.in].kind == SlotKind::Value)
    return mustHold("same", fmt::format("{}, {}", here, type.is(TypeKind::Op) ? v.text + ".result()" : v.text));
  e_.failIf(fmt::format("!({} == {})", here, v.text));
}

} // namespace rw::emit
