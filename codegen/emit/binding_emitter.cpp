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
  const Step *def = nullptr;
  std::function<void(const Steps &)> find = [&](const Steps &list) {
    for (const Step &step : list) {
      if ((step.kind == StepKind::Def || step.kind == StepKind::Root || step.kind == StepKind::Users) && step.out == s.in)
        def = &step;
      for (const Steps &alternative : step.alternatives)
        find(alternative);
      find(step.body);
    }
  };
  find(plan_.steps);
  for (size_t i = s.indexes.size(); def && i-- > 0;)
    if (s.indexes[i] >= 0)
      text = fmt::format("{}.is({}) ? {} : {}", slots_[s.in], refs_.schema(def->ops.ops[i]), s.indexes[i], text);
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
  std::string name = names_.unique(slotHint(s.out, "attr") + "Attr");
  out().line("AttrId {} = {}.{}({});", name, slots_[s.in], hasDefault(s) ? "attrOrDefault" : "attr", attrIndex(s));
  e_.failIf("!" + name);
  slots_[s.out] = name;
}

void PatternEmitter::attrList(const Step &s) {
  sema::Type element = s.elements.empty() ? sema::Type(TypeKind::Int) : sema::Type();
  if (s.rest)
    element = pattern_.body.var(s.rest.var).type.element();
  for (const plan::ListElement &x : s.elements)
    element = x.var ? pattern_.body.var(x.var.var).type : x.value ? x.value->type : element;
  if (element.isError())
    element = sema::Type(TypeKind::Int);
  std::string list = e_.checked("list", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(element.listOf()), slots_[s.in]));
  e_.failIf(fmt::format("{}.size() {} {}", list, s.hasRest ? "<" : "!=", s.elements.size()));
  for (size_t i = 0; i < s.elements.size(); ++i) {
    const plan::ListElement &x = s.elements[i];
    std::string here = s.hasRest && i >= s.restAt ? fmt::format("{0}[{0}.size() - {1}]", list, s.elements.size() - i)
                                                  : fmt::format("{}[{}]", list, i);
    std::string want;
    if (x.var && (x.var.use == sema::Use::Bind || !e_.isBound(x.var.var))) {
      std::string name = names_.unique(pattern_.body.var(x.var.var).name);
      out().line("{} {} = {};", cppType(element), name, here);
      e_.bind(x.var.var, {.text = name});
      continue;
    }
    if (x.var)
      want = e_.var(x.var.var).text;
    else if (x.value)
      want = e_.value(*x.value);
    else
      continue;
    std::string same = names_.unique("same");
    out().line("auto {} = identical(ctx, {}({}), {}({}));", same, cppType(element), here, cppType(element), want);
    e_.failIf(fmt::format("!{0} || !*{0}", same));
  }
  if (!s.hasRest || !s.rest)
    return;
  std::string span = cppParam(element.listOf());
  std::string rest = fmt::format("{}({}).subspan({}, {}.size() - {})", span, list, s.restAt, list, s.elements.size());
  plan::VarId id = s.rest.var;
  if (s.rest.use == sema::Use::Bind || !e_.isBound(id)) {
    std::string name = names_.unique(pattern_.body.var(id).name);
    out().line("{} {} = {};", span, name, rest);
    return e_.bind(id, {.text = name});
  }
  const VarText &v = e_.var(id);
  std::string same = names_.unique("same");
  out().line("auto {} = identical<{}>(ctx, {}, {});", same, cppType(element), rest, v.deref ? "(*" + v.text + ")" : v.text);
  e_.failIf(fmt::format("!{0} || !*{0}", same));
}

std::string literalTest(const Step &s, const std::string &attr) {
  const sema::Expr &e = *s.expr;
  if (std::optional<int64_t> i = plan::literalInt(s))
    return fmt::format("attrAs<int64_t>(ctx, {}) == int64_t({})", attr, *i == INT64_MIN ? "INT64_MIN" : std::to_string(*i));
  switch (e.kind) {
  case sema::ExprKind::Bool: return fmt::format("attrAs<bool>(ctx, {}) == {}", attr, e.i ? "true" : "false");
  case sema::ExprKind::DType: return fmt::format("attrAs<DType>(ctx, {}) == {}", attr, cppDType(e.text));
  default: return fmt::format("attrAs<std::string_view>(ctx, {}) == std::string_view({}, {})", attr, cppString(e.text), e.text.size());
  }
}

/// Whether an attribute is one of several literals.
std::string PatternEmitter::oneOf(const Step &s, const std::string &attr) {
  std::string tests, have;
  for (const sema::Expr &choice : s.choices) {
    Step one = s;
    one.kind = StepKind::AttrEquals;
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
      test = fmt::format("{} == {}", attr, e_.attribute(choice, choice.type.is(TypeKind::Attr) ? sema::AttrType::Any : sema::AttrType::Int));
    }
    tests += (tests.empty() ? "" : " || ") + test;
  }
  return tests;
}

// Variables -------------------------------------------------------------------------------------------------------

void PatternEmitter::bindStep(const Step &s) {
  if (sharedOf(s.var) && !e_.isBound(s.var))
    return bindShared(s);
  if (e_.isBound(s.var))
    return same(s);
  bindSlot(s.var, s.in);
}

void PatternEmitter::bindSlot(plan::VarId var, plan::Slot slot) {
  sema::Type type = pattern_.body.var(var).type;
  const std::string &text = slots_[slot];
  if (plan_.slots[slot].kind != SlotKind::Attr)
    return e_.bind(var, {.text = text});
  if (type.is(TypeKind::Attr))
    return e_.bind(var, {.text = text, .attr = text});
  if (type.is(TypeKind::Tensor)) {
    e_.failIf(fmt::format("!tensorAttr(ctx, {})", text));
    return e_.bind(var, {.text = text, .attr = text});
  }
  std::string name = names_.unique(pattern_.body.var(var).name);
  std::string declaration = fmt::format("auto {} = attrAs<{}>(ctx, {});", name, cppAttrView(type), text);
  if (hoistAttr(slot, cppAttrView(type))) {
    lateAttrs_.push_back({name, declaration});
  } else if (deferring_ && isOfDeclaredType(slot, type)) {
    defer(name, declaration);
  } else {
    out().text(declaration);
    e_.failIf("!" + name);
  }
  e_.bind(var, {.text = name, .attr = text, .deref = true});
}

void PatternEmitter::same(const Step &s) {
  const VarText &v = e_.var(s.var);
  sema::Type type = pattern_.body.var(s.var).type;
  const std::string &here = slots_[s.in];
  if (plan_.slots[s.in].kind == SlotKind::Attr) {
    if (!v.attr.empty())
      return e_.failIf(fmt::format("{} != {}", here, v.attr));
    std::string have = e_.checked("have", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(type), here));
    std::string text = v.deref ? "(*" + v.text + ")" : v.text, equal = names_.unique("same");
    if (type.isList())
      out().line("auto {} = identical<{}>(ctx, {}, {});", equal, cppElement(type), have, text);
    else
      out().line("auto {} = identical(ctx, {}, {});", equal, have, text);
    return e_.failIf(fmt::format("!{0} || !*{0}", equal));
  }
  std::string text = type.is(TypeKind::Op) ? v.text + ".result()" : v.text;
  e_.failIf(fmt::format("!({} == {})", here, text));
}

} // namespace rw::emit
