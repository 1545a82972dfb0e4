#include "rw/builder/tracer.h"

#include "rw/ir/expr_helpers.h"

#include <fmt/format.h>

namespace rw {

const Binding *Patches::find(std::string_view name) const {
  auto it = active_.find(std::string(name));
  return it == active_.end() ? nullptr : &it->second;
}

ActivationScope::ActivationScope(Patches &patches, std::vector<Patch> patch) : patches_(patches) {
  before_.reserve(patch.size());
  for (Patch &p : patch) {
    Binding &at = patches.active_[p.name];
    before_.push_back({p.name, std::move(at)});
    at = std::move(p.binding);
  }
}

ActivationScope::~ActivationScope() {
  while (!before_.empty()) { // the last first: a name may be in it twice
    Patch &p = before_.back();
    if (p.binding)
      patches_.active_[p.name] = std::move(p.binding);
    else
      patches_.active_.erase(p.name);
    before_.pop_back();
  }
}

AbstractResult abstractEval(Context &ctx, std::string_view primitive, std::span<const TensorSpec> operands,
                            std::vector<GraphAttr> attrs, unsigned variadicResults) {
  Function scratch(ctx, "abstract");
  GraphBuilder builder(scratch, "jax");
  std::vector<GraphValue> values;
  for (const TensorSpec &spec : operands)
    values.push_back(builder.param("", spec));
  GraphResults results = builder.emit(primitive, std::move(values), std::move(attrs), variadicResults);
  AbstractResult out;
  if (!results) {
    out.error = results.error();
    return out;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    GraphValue v = results.size() == 1 ? results.intoValue() : results.tupleElement(i);
    out.types.push_back(v.value().typeId());
  }
  return out;
}

GraphValue Tracer::scalar(double number, DType dtype) {
  Context &ctx = context();
  AttrId dense = splatOf(ctx, ctx.elementAttr(number), ctx.tensorType(dtype, {}));
  return dense ? constant(dense) : fail(fmt::format("scalar: {} is no element of {}", number, dtypeName(dtype)));
}

GraphValue Tracer::dimAsValue(Dim size) {
  Context &ctx = context();
  if (size.isUnknown())
    return fail("dim_as_value: the size is not known");
  return value("dim_as_value", {}, {{"dim", ctx.dimAttr(size)}, {"dtype", ctx.dtypeAttr(DType::I32)}});
}

GraphValue Tracer::call(std::string_view name, std::vector<GraphValue> operands, std::vector<GraphAttr> attrs) {
  for (const GraphValue &v : operands)
    if (!v && !v.error().empty())
      return fail(std::string(v.error()));
  const Binding *active = patches_.find(name);
  if (!active)
    return fail(fmt::format("nothing is active that is called `{}`: an ActivationScope that says what it becomes must "
                            "live around the trace",
                            name));
  constexpr unsigned kMostCalls = 200;
  if (depth_ == kMostCalls)
    return fail(fmt::format("`{}` is called by what it becomes, again and again", name));
  struct Deeper {
    unsigned &depth;
    explicit Deeper(unsigned &d) : depth(d) { ++depth; }
    ~Deeper() { --depth; }
  } deeper(depth_);
  Binding binding = *active; // it may open scopes of its own
  return builder_.capture([&](GraphBuilder &) { return binding(*this, operands, attrs); });
}

} // namespace rw
