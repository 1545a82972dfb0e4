// What an equation says in brackets, as the attributes that the primitive's declaration asks for.
#include "rw/jaxpr/program_maker.h"

#include "rw/ir/builder.h"
#include "rw/ir/verifier.h"
#include "rw/jaxpr/primitives.h"
#include "rw/support/numbers.h"

namespace rw::jaxpr {

namespace {
/// numpy's names of element types that are called otherwise here.
struct NumpyName {
  std::string_view name;
  DType dtype;
};
constexpr NumpyName kNumpyNames[] = {{"bool", DType::Bool},
                                     {"bool_", DType::Bool},
                                     {"int8", DType::I8},
                                     {"int16", DType::I16},
                                     {"int32", DType::I32},
                                     {"int64", DType::I64},
                                     {"uint8", DType::U8},
                                     {"uint16", DType::U16},
                                     {"uint32", DType::U32},
                                     {"uint64", DType::U64},
                                     {"int4", DType::I4},
                                     {"uint4", DType::U4},
                                     {"float16", DType::F16},
                                     {"bfloat16", DType::BF16},
                                     {"float32", DType::F32},
                                     {"float64", DType::F64},
                                     {"complex64", DType::C64},
                                     {"complex128", DType::C128},
                                     {"float8_e4m3fn", DType::F8E4M3FN},
                                     {"float8_e4m3fnuz", DType::F8E4M3FNUZ},
                                     {"float8_e5m2", DType::F8E5M2},
                                     {"float8_e5m2fnuz", DType::F8E5M2FNUZ},
                                     {"float4_e2m1fn", DType::F4E2M1}};

std::string_view behindLastDot(std::string_view name) {
  size_t dot = name.rfind('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

AttrId dtypeOf(Context &ctx, const SyntaxValue &v) {
  std::string_view name = behindLastDot(v.text);
  if (v.kind == ValueKind::Opaque) { // <class 'jax.numpy.float32'>
    std::string_view text(v.from, size_t(v.to - v.from));
    size_t quote = text.rfind('\''), open = quote == text.npos || quote == 0 ? text.npos : text.rfind('\'', quote - 1);
    if (open == text.npos)
      return {};
    name = behindLastDot(text.substr(open + 1, quote - open - 1));
  } else if (v.kind != ValueKind::Name && v.kind != ValueKind::String) {
    return {};
  }
  for (const NumpyName &n : kNumpyNames)
    if (n.name == name)
      return ctx.dtypeAttr(n.dtype);
  return {};
}
} // namespace

bool ProgramMaker::dimOf(const SyntaxValue &v, Dim &out) {
  if (v.kind == ValueKind::Number) {
    Parsed<int64_t> n = parseInt(v.text);
    if (!n)
      return false;
    out = Dim::number(n.value);
    return !out.isUnknown();
  }
  if (v.kind == ValueKind::Size)
    out = v.dim;
  else if (v.kind == ValueKind::Name)
    out = ctx_.dims().symbol(ctx_.intern(v.text));
  else
    return false;
  return true;
}

/// None if the value is of another kind.
AttrId ProgramMaker::fit(const SyntaxValue &v, AttrType type) {
  auto number = [](const SyntaxValue &x) { return x.kind == ValueKind::Number ? parseInt(x.text) : Parsed<int64_t>(); };
  auto ints = [&](const SyntaxValue &x, InlineList<int64_t, 8> &out) {
    if (x.kind != ValueKind::Sequence || x.isLost)
      return false;
    for (const SyntaxValue &item : syntax_.items(x)) {
      Parsed<int64_t> n = number(item);
      if (!n)
        return false;
      out.push_back(n.value);
    }
    return true;
  };
  switch (type) {
  case AttrType::Int: {
    Parsed<int64_t> n = number(v);
    return n ? ctx_.intAttr(n.value) : AttrId();
  }
  case AttrType::Float: {
    Parsed<double> n = v.kind == ValueKind::Number ? parseDouble(v.text) : Parsed<double>();
    return n ? ctx_.floatAttr(n.value) : AttrId();
  }
  case AttrType::Bool:
    if (v.kind == ValueKind::Bool)
      return ctx_.boolAttr(v.text == "True");
    return v.kind == ValueKind::Number && (v.text == "0" || v.text == "1") ? ctx_.boolAttr(v.text == "1") : AttrId();
  case AttrType::String:
    if (v.kind == ValueKind::Name)
      return ctx_.stringAttr(behindLastDot(v.text));
    return v.kind == ValueKind::String || v.kind == ValueKind::Number ? ctx_.stringAttr(v.text) : AttrId();
  case AttrType::DType:
    return dtypeOf(ctx_, v);
  case AttrType::Dim: {
    Dim d;
    return dimOf(v, d) ? ctx_.dimAttr(d) : AttrId();
  }
  case AttrType::Ints: {
    InlineList<int64_t, 8> list;
    if (Parsed<int64_t> n = number(v))
      return ctx_.intsAttr({n.value});
    return ints(v, list) ? ctx_.intsAttr(list) : AttrId();
  }
  case AttrType::Dims: {
    Dims list;
    if (v.kind != ValueKind::Sequence || v.isLost)
      return {};
    for (const SyntaxValue &item : syntax_.items(v)) {
      Dim d;
      if (!dimOf(item, d))
        return {};
      list.push_back(d);
    }
    return ctx_.dimsAttr(list);
  }
  case AttrType::IntLists: {
    if (v.kind != ValueKind::Sequence || v.isLost)
      return {};
    InlineList<AttrId, 8> lists;
    for (const SyntaxValue &item : syntax_.items(v)) {
      InlineList<int64_t, 8> list;
      if (!ints(item, list))
        return {};
      lists.push_back(ctx_.intsAttr(list));
    }
    return ctx_.listAttr(lists);
  }
  case AttrType::Any:
    if (v.kind == ValueKind::Bool)
      return ctx_.boolAttr(v.text == "True");
    if (v.kind == ValueKind::Number) {
      if (Parsed<int64_t> n = parseInt(v.text))
        return ctx_.intAttr(n.value);
      Parsed<double> n = parseDouble(v.text);
      return n ? ctx_.floatAttr(n.value) : AttrId();
    }
    return {};
  default:
    return {};
  }
}

/// `dimension_numbers=(([1], [0]), ([], []))`: contracting dimensions of both operands, then batch dimensions.
bool ProgramMaker::setDotDimensions(const Draft &d, const OpSchema &schema, const SyntaxValue &v,
                                    InlineList<AttrId, 16> &fixed) {
  auto wrong = [&] {
    return error("bad-attribute", v.from, v.to,
                 "`dimension_numbers` of `dot_general` are two pairs of lists, `(([1], [0]), ([], []))`");
  };
  constexpr std::string_view kNames[] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                         "lhs_batch_dimensions", "rhs_batch_dimensions"};
  if (v.kind != ValueKind::Sequence || v.items.count != 2)
    return wrong();
  for (size_t i = 0; i < 4; ++i) {
    const SyntaxValue &pair = syntax_.items(v)[i / 2];
    if (pair.kind != ValueKind::Sequence || pair.items.count != 2)
      return wrong();
    AttrId list = fit(syntax_.items(pair)[i % 2], AttrType::Ints);
    if (!list || !setAttribute(d, schema, kNames[i], syntax_.items(pair)[i % 2], fixed))
      return list ? false : wrong();
  }
  return true;
}

bool ProgramMaker::setAttribute(const Draft &d, const OpSchema &schema, std::string_view key, const SyntaxValue &v,
                                InlineList<AttrId, 16> &fixed) {
  int index = schema.attrIndex(key);
  std::string shown = "`" + std::string(key) + "` of `" + std::string(d.equation.primitive) + "`";
  const AttrSchema &declared = schema.attrs[size_t(index)];
  if (fixed[size_t(index)])
    return error("duplicate-attribute", v.from, v.to, shown + " stands here twice");
  if (v.kind == ValueKind::Empty) {
    // `strides=None`: what stands for it by default, or says it where it is bound.
    return true;
  }
  AttrId value = fit(v, declared.type);
  if (!value || !attrFits(ctx_, value, declared.type))
    return error("bad-attribute", v.from, v.to,
                 shown + " is " + std::string(attrTypeName(declared.type)) + ", and this is none that is read");
  fixed[size_t(index)] = value;
  return true;
}

/// The declared attributes, and which jaxpr is the op's region.
bool ProgramMaker::setAttributes(Draft &d, const OpSchema &schema, std::span<const TypeId> results,
                                 InlineList<AttrId, 16> &fixed, uint32_t &body) {
  for (const Param &p : syntax_.paramsOf(d.equation)) {
    const SyntaxValue &v = syntax_.values[p.value];
    if (d.name == "dot_general" && p.key == "dimension_numbers") {
      if (!setDotDimensions(d, schema, v, fixed))
        return false;
      continue;
    }
    if (schema.attrIndex(p.key) >= 0) {
      if (!setAttribute(d, schema, p.key, v, fixed))
        return false;
      continue;
    }
    if (p.key == "jaxpr" && !schema.regions.empty()) {
      if (!jaxprOf(d, v, body))
        return false;
      continue;
    }
    if (isHarmless(d.name, p.key))
      continue;
    bool nothing = v.kind == ValueKind::Sequence && v.items.count == 0 && !v.isLost;
    if (p.key == "consts" && nothing)
      continue;
    if (p.key == "dimension_numbers" && v.kind == ValueKind::Call) { // each field is an attribute
      for (const Param &field : syntax_.fields(v)) {
        if (schema.attrIndex(field.key) < 0)
          return error("unknown-key", field.from, field.from + 1,
                       "the field `" + std::string(field.key) + "` of `" + std::string(d.equation.primitive) +
                           "` is not known");
        if (!setAttribute(d, schema, field.key, syntax_.values[field.value], fixed))
          return false;
      }
      continue;
    }
    return unknownKey(d, p);
  }
  const TypeData *result = results.empty() ? nullptr : &ctx_.type(results[results.size() - 1]);
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i] || !schema.attrs[i].required)
      continue;
    // Versions from 0.9 on leave out what the type of the result says.
    std::string_view n = schema.attrs[i].name;
    if (result && result->kind == TypeKind::Tensor && result->ranked && (n == "shape" || n == "new_sizes"))
      fixed[i] = ctx_.dimsAttr(result->dims);
    else if (result && result->kind == TypeKind::Tensor && (n == "dtype" || n == "new_dtype" || n == "index_dtype"))
      fixed[i] = ctx_.dtypeAttr(result->dtype);
    else
      return error("missing-attribute", d.equation,
                   "`" + std::string(d.equation.primitive) + "` needs the key `" + std::string(n) + "`");
  }
  return true;
}

/// Attributes of an op that hands on keys: the two words of each are a last dimension, which it leaves as it is.
void ProgramMaker::keepWords(const OpSchema &schema, size_t operandRank, size_t resultRank,
                             InlineList<AttrId, 16> &fixed) {
  struct Last {
    std::string_view attribute;
    size_t rank; // how many entries there are with it
    int64_t entry;
  };
  const Last kLast[] = {{"start_indices", operandRank, 0},
                        {"limit_indices", operandRank, 2},
                        {"strides", operandRank, 1},
                        {"new_sizes", resultRank, 2},
                        {"shape", resultRank, 2},
                        {"broadcast_dimensions", operandRank, int64_t(resultRank) - 1},
                        {"permutation", operandRank, int64_t(operandRank) - 1}};
  for (const Last &l : kLast) {
    int index = schema.attrIndex(l.attribute);
    if (index < 0 || !fixed[size_t(index)])
      continue;
    const AttrData &list = ctx_.attr(fixed[size_t(index)]);
    if (list.kind == AttrKind::Ints && list.ints.size() + 1 == l.rank) {
      InlineList<int64_t, 8> longer;
      for (int64_t n : list.ints)
        longer.push_back(n);
      longer.push_back(l.entry);
      fixed[size_t(index)] = ctx_.intsAttr(longer);
    } else if (list.kind == AttrKind::Dims && list.dims.size() + 1 == l.rank) {
      Dims longer;
      for (Dim n : list.dims)
        longer.push_back(n);
      longer.push_back(Dim(l.entry));
      fixed[size_t(index)] = ctx_.dimsAttr(longer);
    }
  }
}

/// The attributes of an op without those that say their default.
void ProgramMaker::dropDefaults(OpId op, InlineList<AttrId, 16> &fixed) {
  Function &fn = *made_->fn;
  const OpSchema &schema = fn.op(op).schema();
  InlineList<AttrId, 16> always = fixed;
  bool mayDrop = false;
  for (unsigned i = 0; i < fixed.size(); ++i)
    if (fixed[i] && schema.attrs[i].hasDefault) {
      always[i] = AttrId();
      mayDrop = true;
    }
  if (!mayDrop)
    return;
  fn.setAttrs(op, ctx_.attrs(always));
  for (unsigned i = 0; i < fixed.size(); ++i)
    if (fixed[i] && !always[i] && fn.op(op).attrDefault(i) == fixed[i])
      fixed[i] = AttrId();
  fn.setAttrs(op, ctx_.attrs(fixed));
}

} // namespace rw::jaxpr
