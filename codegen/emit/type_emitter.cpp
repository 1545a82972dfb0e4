// Tests of types and constants, and tests that look further, in C++; members of PatternEmitter.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

using plan::Step;
using sema::TypeKind;

// Types -----------------------------------------------------------------------------------------------------------

void PatternEmitter::typeStep(const Step &s) {
  const sema::TypeMatch &t = *s.type;
  std::string type = fmt::format("typeOf({})", slots_[s.in]);
  typeTests(t, type);
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
      commits_.push_back(singleFlag_ + " = true;");
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
    std::string at = i <= restAt || !hasRest ? fmt::format("{}", i) : fmt::format("{}.size() - {}", shape, dims.size() - i);
    std::string here = d.rest ? fmt::format("{}.subspan({}, {}.size() - {})", shape, i, shape, dims.size() - 1)
                              : fmt::format("{}[{}]", shape, at);
    std::string want;
    if (const Shared *shared = d.var && !e_.isBound(d.var.var) ? sharedOf(d.var.var) : nullptr) {
      e_.failIf(fmt::format("{0} && !equal(ctx, *{0}, {1}).value_or(false)", shared->name, here));
      commits_.push_back(fmt::format("{} = {};", shared->name, here));
      e_.bind(d.var.var, {.text = here});
      continue;
    }
    if (d.var && (d.var.use == sema::Use::Bind || !e_.isBound(d.var.var))) {
      std::string name = names_.unique(pattern_.body.var(d.var.var).name);
      out().line("{} {} = {};", d.rest ? "std::span<const Dim>" : "Dim", name, here);
      e_.bind(d.var.var, {.text = name});
      continue;
    }
    if (d.var)
      want = e_.var(d.var.var).deref ? "(*" + e_.var(d.var.var).text + ")" : e_.var(d.var.var).text;
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

void PatternEmitter::splat(const Step &s) {
  if (hoistSplat(s))
    return;
  sema::Type type = s.expr->type;
  std::string cpp = type.is(TypeKind::Float) ? "double" : type.is(TypeKind::Bool) ? "bool" : "int64_t";
  e_.failIf(fmt::format("!isSplat(ctx, constantOf({}), {}({}))", slots_[s.in], cpp, e_.value(*s.expr)));
}

// Tests that look further -----------------------------------------------------------------------------------------

/// Declares whether a value fits steps over its slot; the name of that.
std::string PatternEmitter::fits(const Steps &list, plan::Slot slot, const std::string &value) {
  std::string name = names_.unique("fits");
  out().open(fmt::format("bool {} = [&]() -> bool {{", name));
  auto saved = e_.save();
  auto slots = slots_;
  std::string quiet = std::exchange(quietFail_, "return false;");
  slots_[slot] = value;
  steps(list, 0, [&] { out().text("return true;"); });
  e_.restore(saved);
  slots_ = std::move(slots);
  quietFail_ = quiet;
  out().close("}();");
  return name;
}

void PatternEmitter::is(const Step &s) {
  std::string name = fits(s.body, s.out, e_.named(*s.expr, "looked"));
  failWith(s);
  e_.failIf(s.negated ? name : "!" + name);
}

/// `is` inside a larger condition. The plan holds its steps under the test it stands in.
std::string PatternEmitter::isExpr(const sema::Expr &e) {
  for (const plan::NestedTest &nested : plan_.tests)
    if (nested.test == e.test())
      return fits(nested.steps, nested.value, e_.named(e.args[0], "looked"));
  return "false";
}

} // namespace rw::emit
