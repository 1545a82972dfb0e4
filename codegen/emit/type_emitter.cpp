// Tests of types; members of PatternEmitter.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

using plan::Step;
using sema::TypeKind;

// Types -----------------------------------------------------------------------------------------------------------

void PatternEmitter::typeStep(const Step &s) {
  const sema::TypeMatch &t = *s.type;
  const std::string &in = slots_[s.in];
  bool bare = !t.equals && !t.dims && t.elements.empty() && t.native.empty();
  bool exactly = t.dtypeClass == sema::DTypeClass::Exactly;
  if (bare && t.singleElement && t.dtypeClass == sema::DTypeClass::Any) {
    mustHold("isSingleElement", in);
    if (!singleFlag_.empty())
      commit(singleFlag_, singleFlag_ + " = true;");
    return;
  }
  if (bare && !t.singleElement && exactly && t.dtype->kind == sema::ExprKind::DType)
    return mustHold("hasDType", fmt::format("{}, {}", in, e_.value(*t.dtype)));
  if (bare && !t.singleElement && !exactly && t.dtypeClass != sema::DTypeClass::Any)
    return mustHold(t.dtypeClass == sema::DTypeClass::Float ? "isFloat" : "isInteger", in);
  typeTests(t, fmt::format("typeOf({})", in));
  for (sema::NativeIndex n : t.native)
    e_.failIf(fmt::format("!{}(ctx, {})", refs_.native(n), slots_[s.in]));
}

/// `type`: C++ for the TypeId that is looked at.
void PatternEmitter::typeTests(const sema::TypeMatch &t, const std::string &type) {
  if (!t.elements.empty()) {
    std::string elements = names_.unique("elements");
    out().line("auto {} = tupleElements(ctx, {});", elements, type);
    e_.failIf(fmt::format("!{0} || {0}->size() != {1}", elements, t.elements.size()));
    for (size_t i = 0; i < t.elements.size(); ++i)
      typeTests(t.elements[i], fmt::format("(*{})[{}]", elements, i));
    return;
  }
  if (t.singleElement) {
    e_.failIf(fmt::format("!isSingleElement(ctx, {})", type));
    if (!singleFlag_.empty())
      commit(singleFlag_, singleFlag_ + " = true;");
  }
  if (t.dtypeClass != sema::DTypeClass::Any) {
    std::string dtype = e_.checked("dtype", fmt::format("dtypeOf(ctx, {})", type));
    if (t.dtypeClass == sema::DTypeClass::Exactly)
      e_.failIf(fmt::format("{} != {}", dtype, e_.value(*t.dtype)));
    else
      e_.failIf(fmt::format("!{}({})", t.dtypeClass == sema::DTypeClass::Float ? "isFloat" : "isInteger", dtype));
  }
  if (t.dims)
    dims(type, *t.dims);
  if (t.equals) {
    std::string want = e_.named(*t.equals, "type"), same = names_.unique("same");
    out().line("auto {} = equal(ctx, {}, {});", same, type, want);
    e_.failIf(fmt::format("!{0} || !*{0}", same));
  }
}

void PatternEmitter::dims(const std::string &type, const std::vector<sema::DimMatch> &dims) {
  std::string shape = e_.checked("shape", fmt::format("shapeOf(ctx, {})", type));
  auto rest = std::ranges::find_if(dims, [](auto &d) { return d.rest; });
  size_t restAt = size_t(rest - dims.begin());
  bool hasRest = rest != dims.end();
  e_.failIf(fmt::format("{}.size() {} {}", shape, hasRest ? "<" : "!=", dims.size() - hasRest));
  for (size_t i = 0; i < dims.size(); ++i) {
    const sema::DimMatch &d = dims[i];
    std::string at =
        i <= restAt || !hasRest ? fmt::format("{}", i) : fmt::format("{}.size() - {}", shape, dims.size() - i);
    std::string here = d.rest ? fmt::format("{}.subspan({}, {}.size() - {})", shape, i, shape, dims.size() - 1)
                              : fmt::format("{}[{}]", shape, at);
    std::string want;
    const VarText before = d.var ? e_.var(d.var.var) : VarText();
    bool isBound = d.var && !before.text.empty() && d.var.use != sema::Use::Bind;
    std::string cpp = d.rest ? "std::span<const Dim>" : "Dim";
    if (const Shared *shared = d.var && (before.text.empty() || before.maybe) ? sharedOf(d.var.var) : nullptr) {
      std::string name = names_.unique(pattern_.body.var(d.var.var).name);
      out().declare(cpp, name, here);
      e_.failIf(fmt::format("{0} && !equal(ctx, *{0}, {1}).value_or(false)", shared->name, name));
      commit(shared->name, fmt::format("{} = {};", shared->name, name));
      bind(d.var.var, {.text = name});
      continue;
    }
    if (d.var && !isBound) {
      std::string name = names_.unique(pattern_.body.var(d.var.var).name);
      out().declare(cpp, name, here);
      bind(d.var.var, {.text = name});
      continue;
    }
    if (d.var && before.maybe) { // by some alternatives
      want = names_.unique(pattern_.body.var(d.var.var).name);
      out().declare(cpp, want,
                    fmt::format("{0} ? {1}({2}{0}) : {1}({3})", before.text, cpp, before.deref ? "*" : "", here));
      bind(d.var.var, {.text = want});
    } else if (d.var)
      want = before.deref ? "(*" + before.text + ")" : before.text;
    else if (d.value)
      want = e_.value(*d.value);
    else
      continue;
    std::string same = names_.unique("same");
    if (d.rest)
      out().line("auto {} = equal<Dim>(ctx, {}, {});", same, here, want);
    else
      out().line("auto {} = equal(ctx, {}, Dim({}));", same, here, want);
    e_.failIf(fmt::format("!{0} || !*{0}", same));
  }
}

} // namespace rw::emit
