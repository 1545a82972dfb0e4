#include "codegen/verify/witness.h"

#include "rw/interp/element.h"
#include "rw/ir/verifier.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/support/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rw::verify {
namespace {

std::string elementText(const Tensor &t, size_t i) {
  if (t.isString())
    return "\"" + t.strings()[i] + "\"";
  if (t.dtype() == DType::Bool)
    return t.intAt(i) ? "true" : "false";
  if (isFloat(t.dtype()))
    return t.dtype() == DType::F64 ? printFloat(t.floatAt(i)) : printNumber(t.floatAt(i));
  return std::to_string(t.intAt(i));
}

/// The real parts of complex numbers, if there are no others.
std::optional<Tensor> realPart(const Tensor &t) {
  std::optional<Tensor> out = Tensor::make(t.dtype() == DType::C64 ? DType::F32 : DType::F64, t.shape());
  const bool isReal = out && visitAny(t.dtype(), [&]<class T>(T) {
                        if constexpr (kIsComplex<T>)
                          for (size_t i = 0; i < t.size(); ++i) {
                            if (t.data<T>()[i].imag() != 0 || std::signbit(t.data<T>()[i].imag()))
                              return false;
                            out->mutableData<typename T::value_type>()[i] = t.data<T>()[i].real();
                          }
                        return true;
                      });
  return isReal ? out : std::nullopt;
}

class WitnessWriter {
public:
  explicit WitnessWriter(Function &fn) : fn_(fn), ctx_(fn.context()), names_(fn.valueCapacity()) {}

  std::optional<std::string> operator()(const std::string &pattern) {
    std::string params, lets;
    unsigned n = 0;
    for (ValueId p : fn_.params(fn_.body())) {
      names_[p.raw] = n < 3 ? std::string(1, char('x' + n)) : fmt::format("p{}", n);
      ++n;
      std::optional<std::string> type = typeText(fn_.data(p).type);
      if (!type)
        return std::nullopt;
      params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", names_[p.raw], *type);
    }
    unsigned letCount = 0;
    for (Op op : fn_.ops(fn_.body())) {
      if (op.kind() == kReturnKind || !op.hasUses())
        continue;
      std::optional<std::string> text = expression(op);
      if (!text)
        return std::nullopt;
      const bool isList =
          std::ranges::any_of(op.schema().results, [](const ResultSchema &r) { return r.arity == Arity::Variadic; });
      if (isList && !(op.resultCount() == 1 && isTypeStated(op))) { // its name stands for all of them
        const std::string name = fmt::format("v{}", letCount++);
        lets += fmt::format("let {} = {} in ", name, *text);
        for (unsigned i = 0; i < op.resultCount(); ++i)
          names_[op.result(i).id.raw] = fmt::format("{}[{}]", name, i);
        continue;
      }
      const bool inlined = op.resultCount() == 1 && op.result().hasOneUse();
      if (inlined) {
        names_[op.result().id.raw] = *text;
        continue;
      }
      const std::string name = fmt::format("v{}", letCount++);
      if (op.resultCount() == 1) {
        lets += fmt::format("let {} = {} in ", name, *text);
        names_[op.result().id.raw] = name;
      } else {
        std::string list;
        for (unsigned i = 0; i < op.resultCount(); ++i) {
          names_[op.result(i).id.raw] = fmt::format("{}_{}", name, i);
          list += (i ? ", " : "") + names_[op.result(i).id.raw];
        }
        lets += fmt::format("let ({}) = {} in ", list, *text);
      }
    }
    Op end = fn_.terminator(fn_.body());
    std::string results;
    for (unsigned i = 0; i < end.operandCount(); ++i)
      results += (i ? ", " : "") + names_[end.operand(i).id.raw];
    if (end.operandCount() != 1)
      results = "(" + results + ")";
    return fmt::format("test {} ({}) {{\n  {}{}\n  => unchanged\n}}\n", pattern, params, lets, results);
  }

private:
  std::optional<std::string> typeText(TypeId id) const {
    const TypeData &type = ctx_.type(id);
    if (type.kind != TypeKind::Tensor || !type.ranked || type.dtype == DType::Unknown)
      return std::nullopt;
    std::string dims;
    for (Dim d : type.dims)
      dims += (dims.empty() ? "" : ", ") + ctx_.dims().toString(d);
    return fmt::format("{}[{}]", dtypeName(type.dtype), dims);
  }
  std::optional<std::string> constantText(AttrId attr) const {
    std::optional<Tensor> t = Tensor::fromAttr(ctx_, attr);
    if (!t)
      return std::nullopt;
    const std::string type(dtypeName(t->dtype()));
    const bool isWhole = !isComplex(t->dtype()); // of complex numbers the language has no `splat`
    if (!isWhole) {
      t = realPart(*t);
      if (!t)
        return std::nullopt;
    }
    std::string shape = shapeText(t->shape()), elements;
    bool same = isWhole && t->size() > 0;
    for (size_t i = 0; i < t->size(); ++i) {
      const std::string e = elementText(*t, i);
      same &= e == elementText(*t, 0);
      elements += (i ? ", " : "") + e;
    }
    if (same)
      return fmt::format("splat({}, ({}, {}))", elementText(*t, 0), type, shape);
    return fmt::format("constant([{}], ({}, {}))", elements, type, shape);
  }
  std::optional<std::string> attrText(AttrId id, AttrType declared) const {
    const AttrData &a = ctx_.attr(id);
    auto list = [](const auto &items, auto text) {
      std::string out = "[";
      for (size_t i = 0; i < items.size(); ++i)
        out += (i ? ", " : "") + text(items[i]);
      return out + "]";
    };
    auto dim = [&](Dim d) { return d.isNegative() ? std::to_string(d.negative()) : ctx_.dims().toString(d); };
    switch (a.kind) {
    case AttrKind::Int:
      return std::to_string(a.i);
    case AttrKind::Float:
      return printNumber(a.f);
    case AttrKind::Bool:
      return std::string(a.i ? "true" : "false");
    case AttrKind::String:
      return fmt::format("\"{}\"", a.text);
    case AttrKind::DType:
      return std::string(dtypeName(a.dtype));
    case AttrKind::Dim:
      return dim(a.dims[0]);
    case AttrKind::Ints:
      return list(a.ints, [](int64_t i) { return std::to_string(i); });
    case AttrKind::Floats:
      return list(a.floats, [](double f) { return printNumber(f); });
    case AttrKind::Dims:
      return list(a.dims, dim);
    case AttrKind::List: {
      bool good = true;
      std::string out = list(a.elements, [&](AttrId e) {
        std::optional<std::string> text = attrText(e, AttrType::Any);
        good &= bool(text);
        return text.value_or("");
      });
      return good ? std::optional(out) : std::nullopt;
    }
    case AttrKind::Dense:
      return constantText(id);
    default:
      (void)declared;
      return std::nullopt;
    }
  }
  /// What a region computes: `(u -> f32[], v -> f32[]) => stablehlo.add(u, v)`.
  std::optional<std::string> bodyText(RegionId region) {
    std::string params, results;
    for (ValueId p : fn_.params(region)) {
      names_[p.raw] = fmt::format("u{}", regionParams_++);
      std::optional<std::string> type = typeText(fn_.data(p).type);
      if (!type)
        return std::nullopt;
      params += fmt::format("{}{} -> {}", params.empty() ? "" : ", ", names_[p.raw], *type);
    }
    for (Op op : fn_.ops(region)) {
      for (unsigned i = 0; op.kind() == kReturnKind && i < op.operandCount(); ++i)
        results += (i ? ", " : "") + names_[op.operand(i).id.raw];
      if (op.kind() == kReturnKind)
        return op.operandCount() == 1 ? fmt::format("({}) => {}", params, results)
                                      : fmt::format("({}) => ({})", params, results);
      std::optional<std::string> text = op.resultCount() == 1 ? expression(op) : std::nullopt;
      if (!text)
        return std::nullopt;
      names_[op.result().id.raw] = std::move(*text);
    }
    return std::nullopt;
  }
  /// Whether the type of the first result does not follow: it is stated then, and the result is one value.
  bool isTypeStated(Op op) const {
    InlineList<TypeId, 4> inferred;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      inferred.push_back(ctx_.unknownType());
    inferResultTypes(*InputsOf(op), inferred);
    return !inferred[0] || !ctx_.type(inferred[0]).known;
  }
  std::optional<std::string> expression(Op op) {
    if (op.hasTrait(Trait::Constant) && op.result().hasOneUse()) // written as an op, several uses have one
      if (AttrId value = op.result().constant())
        return constantText(value);
    if (hasExtraAttrs(op) || op.kind() == kOpaqueKind)
      return std::nullopt;
    const OpSchema &schema = op.schema();
    std::string args;
    auto add = [&](const std::string &text) { args += (args.empty() ? "" : ", ") + text; };
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      Value v = op.operand(i);
      add(v ? names_[v.id.raw] : "none");
    }
    // What is left out need not mean the same in all versions.
    const bool inVersions = schema.since > 1 || schema.until != INT32_MAX;
    for (unsigned i = 0; i < schema.attrs.size(); ++i)
      if (AttrId a = inVersions ? op.attrOrDefault(i) : op.attr(i)) {
        std::optional<std::string> text = attrText(a, schema.attrs[i].type);
        if (!text)
          return std::nullopt;
        add(fmt::format("{} = {}", schema.attrs[i].name, *text));
      }
    for (size_t i = 0; i < op.regions().size(); ++i) {
      std::optional<std::string> text = bodyText(op.regions()[i]);
      if (!text)
        return std::nullopt;
      add(fmt::format("{} = {}", schema.regions[i], *text));
    }
    std::string type;
    if (op.resultCount() == 1 && isTypeStated(op)) {
      std::optional<std::string> stated = typeText(op.result().typeId());
      if (!stated)
        return std::nullopt;
      type = " -> " + *stated;
    }
    return fmt::format("{}({}){}", schema.fullName(), args, type);
  }

  Function &fn_;
  Context &ctx_;
  std::vector<std::string> names_;
  unsigned regionParams_ = 0;
};

} // namespace

std::optional<std::string> testText(const std::string &pattern, Function &fn) { return WitnessWriter(fn)(pattern); }

std::string inputsText(std::span<const Tensor> inputs) {
  std::string out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &t = inputs[i];
    std::string elements;
    for (size_t k = 0; t && k < t.size() && k < 64; ++k)
      elements += (k ? ", " : "") + (isComplex(t.dtype()) ? "…" : elementText(t, k));
    out += fmt::format("{} = [{}{}]\n", i < 3 ? std::string(1, char('x' + i)) : fmt::format("p{}", i), elements,
                       t && t.size() > 64 ? ", …" : "");
  }
  return out;
}

size_t sizeOf(const Instance &instance) {
  size_t size = 0;
  for (Op op : instance.function().ops(instance.function().body()))
    size += 10 + op.operandCount();
  for (const Tensor &t : instance.inputs)
    size += t ? 2 * t.rank() + t.size() : 0;
  return size;
}

} // namespace rw::verify
