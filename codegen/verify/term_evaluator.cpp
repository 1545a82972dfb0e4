#include "codegen/verify/term_evaluator.h"

#include "codegen/verify/casts.h"
#include "codegen/verify/scalar_laws.h"
#include "codegen/verify/term_numbers.h"
#include "rw/interp/element.h"
#include "rw/rewrite/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>

namespace rw::verify {
namespace {

constexpr unsigned kMostDeep = 300;

/// "2*b + floordiv(a, 3)", as DimTable writes it.
class DimReader {
public:
  DimReader(TermTable &t, std::string_view text) : t_(t), text_(text) {}
  Term read() {
    Term out = sum();
    if (at_ != text_.size())
      throw Undecided{"a size has a form that is not read: " + std::string(text_)};
    return out;
  }

private:
  void space() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }
  bool take(char c) {
    space();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  Term sum() {
    Term out = take('-') ? t_.sub(t_.number(0), product()) : product();
    while (true) {
      if (take('+'))
        out = t_.add(out, product());
      else if (take('-'))
        out = t_.sub(out, product());
      else
        return out;
    }
  }
  Term product() {
    Term out = atom();
    while (take('*'))
      out = t_.mul(out, atom());
    return out;
  }
  Term atom() {
    space();
    size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_' || text_[end] == '.'))
      ++end;
    std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word.empty())
      throw Undecided{"a size has a form that is not read: " + std::string(text_)};
    if (word[0] >= '0' && word[0] <= '9') {
      int64_t n = 0;
      for (char c : word)
        n = n * 10 + (c - '0');
      return t_.number(n);
    }
    if ((word == "floordiv" || word == "mod") && take('(')) {
      Term a = sum();
      take(',');
      Term b = sum();
      take(')');
      return word == "mod" ? t_.mod(a, b) : t_.div(a, b);
    }
    return t_.size(word);
  }

  TermTable &t_;
  std::string_view text_;
  size_t at_ = 0;
};

} // namespace

Term literalTerm(TermTable &t, DType dtype, double v) {
  if (t.isRing(dtype) && (isFloat(dtype) || isComplex(dtype)))
    if (Term number = t.ringLiteral(dtype, v); number != kNoTerm)
      return number;
  Term out = kNoTerm;
  visitAny(dtype, [&]<class T>(T) {
    T e = convertElement<T>(v);
    uint64_t bits[2] = {0, 0};
    std::memcpy(bits, &e, sizeof e);
    if constexpr (kIsInt<T>)
      bits[0] = uint64_t(int64_t(e));
    if constexpr (kIsFloat<T>)
      if (v != v) { // of any bits
        T nan = convertElement<T>(std::numeric_limits<double>::quiet_NaN());
        std::memcpy(bits, &nan, sizeof nan);
      }
    out = t.literal(dtype, bits[0], bits[1]);
    return true;
  });
  if (out == kNoTerm)
    throw Undecided{"numbers of type " + std::string(dtypeName(dtype)) + " have no terms"};
  return out;
}

namespace {
Term elementTerm(TermTable &t, const Tensor &x, size_t i) {
  if (x.isString()) {
    return t.apply("string:" + x.strings()[i], DType::String, {});
  }
  if (isFloat(x.dtype()) && x.width() >= 2)
    return literalTerm(t, x.dtype(), x.floatAt(i));
  if (isComplex(x.dtype())) {
    const std::complex<double> v = x.dtype() == DType::C64 ? std::complex<double>(x.data<std::complex<float>>()[i])
                                                           : x.data<std::complex<double>>()[i];
    if (v.imag() == 0 && t.isRing(x.dtype()))
      return literalTerm(t, x.dtype(), v.real());
  }
  uint64_t bits[2] = {0, 0};
  if (isInteger(x.dtype()))
    return t.literal(x.dtype(), uint64_t(x.intAt(i)));
  std::memcpy(bits, x.data<char>() + i * x.width(), std::min<size_t>(x.width(), 16));
  if (x.dtype() == DType::Bool)
    bits[0] = x.intAt(i) != 0;
  return t.literal(x.dtype(), bits[0], bits[1]);
}
} // namespace

Term TermEvaluator::dimTerm(Dim d) {
  if (d.isUnknown())
    throw Undecided{"a size is not known"};
  if (d.isKnown())
    return t_.number(d.size());
  return DimReader(t_, fn_.context().dims().toString(d)).read();
}

std::vector<Term> TermEvaluator::shapeOf(Value v) {
  const TypeData &type = v.type();
  if (type.kind != TypeKind::Tensor || !type.ranked)
    throw Undecided{"the shape of a value is not known"};
  std::vector<Term> out;
  for (Dim d : type.dims)
    out.push_back(dimTerm(d));
  return out;
}

std::vector<Term> TermEvaluator::freshIndices(unsigned r) {
  Indices out;
  for (Term extent : shapeOf(fn_.terminator(fn_.body()).operand(r)))
    out.push_back(t_.variable(extent));
  return out;
}

Term TermEvaluator::result(unsigned r, const Indices &at) {
  return this->at(fn_.terminator(fn_.body()).operand(r), at);
}

Term TermEvaluator::at(Value v, const Indices &at) {
  auto key = std::pair(v.id.raw, at);
  if (auto it = memo_.find(key); it != memo_.end())
    return it->second;
  if (++depth_ > kMostDeep || t_.exhausted()) {
    --depth_;
    throw Undecided{"the terms grow too large"};
  }
  Term out = kNoTerm;
  try {
    if (v.isParam()) {
      std::span<const ValueId> params = fn_.params(fn_.body());
      const size_t p = size_t(std::ranges::find(params, v.id) - params.begin());
      if (auto it = bound_.find(v.id.raw); it != bound_.end())
        out = it->second;
      else if (p == params.size())
        throw Undecided{"the parameters of this region have no terms"};
      else if (outer_)
        out = outer_->at(outerValues_[p], at);
      else if (p < known_.size() && known_[p]) {
        size_t place = 0;
        for (size_t i = 0; i < at.size(); ++i) {
          std::optional<int64_t> n = t_.asNumber(at[i]);
          if (!n || *n < 0 || *n >= known_[p].dim(i))
            throw Undecided{"a steering operand is read at an index that is no number"};
          place = place * size_t(known_[p].dim(i)) + size_t(*n);
        }
        out = elementTerm(t_, known_[p], place);
      } else {
        if (v.type().dtype == DType::Unknown)
          throw Undecided{"an element type is not known"};
        Indices place = at;
        const std::vector<Term> shape = shapeOf(v);
        for (size_t i = 0; i < place.size() && i < shape.size(); ++i)
          if (t_.asNumber(shape[i]) == 1) // there is no other place
            place[i] = t_.number(0);
        out = t_.element(v.type().dtype, unsigned(p), std::move(place));
      }
    } else if (AttrId constant = v.constant()) {
      out = constantAt(constant, at);
    } else {
      out = operation(v.definingOp(), v.resultIndex(), at);
    }
  } catch (...) {
    --depth_;
    throw;
  }
  --depth_;
  memo_.emplace(std::move(key), out);
  return out;
}

Term TermEvaluator::inRegion(Value result, std::span<const ValueId> params, std::span<const Term> given) {
  if (params.size() != given.size())
    throw Undecided{"a region takes another number of values than it is given"};
  // What was found out of the region's values holds for what its parameters were then.
  auto known = std::tuple(std::exchange(memo_, {}), std::exchange(wholes_, {}), std::exchange(meant_, {}));
  auto bound = bound_;
  for (size_t i = 0; i < params.size(); ++i)
    bound_[params[i].raw] = given[i];
  auto restore = [&] {
    std::tie(memo_, wholes_, meant_) = std::move(known);
    bound_ = std::move(bound);
  };
  try {
    const Term out = at(result, {});
    restore();
    return out;
  } catch (...) {
    restore();
    throw;
  }
}

Term TermEvaluator::constantAt(AttrId attr, const Indices &at) {
  Tensor &x = constants_[attr.raw];
  if (!x) {
    std::optional<Tensor> t = Tensor::fromAttr(fn_.context(), attr);
    if (!t)
      throw Undecided{"a constant cannot be read"};
    x = *t;
  }
  bool same = x.size() > 0 && !x.isString();
  for (size_t i = 1; i < x.size() && same; ++i)
    same = std::memcmp(x.data<char>(), x.data<char>() + i * x.width(), x.width()) == 0;
  if (same)
    return elementTerm(t_, x, 0);
  size_t place = 0;
  bool numbers = true;
  for (size_t i = 0; i < at.size(); ++i) {
    std::optional<int64_t> n = t_.asNumber(at[i]);
    numbers &= n && *n >= 0 && *n < x.dim(i);
    place = place * size_t(x.dim(i)) + size_t(n.value_or(0));
  }
  if (numbers && place < x.size())
    return elementTerm(t_, x, place);
  // By the indices that vary, in one order, and the numbers that they choose from: what was transposed or reshaped
  // holds the same ones.
  std::vector<size_t> varying;
  size_t fixed = 0; // the place of the first element that they choose
  size_t count = 1;
  const Shape strides = stridesOf(x.shape());
  for (size_t i = 0; i < at.size(); ++i) {
    const std::optional<int64_t> n = t_.asNumber(at[i]);
    if (x.isString() || (n && (*n < 0 || *n >= x.dim(i))))
      return t_.apply("constant", x.dtype(), at, {int64_t(attr.raw)});
    if (n) {
      fixed += size_t(*n * strides[i]);
    } else {
      varying.push_back(i);
      count *= size_t(x.dim(i));
    }
  }
  std::ranges::stable_sort(varying, {}, [&](size_t i) { return at[i]; });
  Shape shape, steps;
  Indices indices;
  for (size_t i : varying) {
    shape.push_back(x.dim(i));
    steps.push_back(strides[i]);
    indices.push_back(at[i]);
  }
  std::optional<Tensor> chosen = Tensor::make(x.dtype(), shape);
  if (!chosen)
    throw Undecided{"a constant is too large"};
  Shape index(shape.size(), 0);
  for (size_t k = 0; k < count; ++k) {
    size_t from = fixed;
    for (size_t d = 0; d < index.size(); ++d)
      from += size_t(index[d] * steps[d]);
    std::memcpy(chosen->mutableData<char>() + k * x.width(), x.data<char>() + from * x.width(), x.width());
    for (size_t d = index.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return t_.apply("constant", x.dtype(), indices, {int64_t(chosen->toAttr(fn_.context()).raw)});
}

std::vector<int64_t> TermEvaluator::intsOf(Value v) {
  if (!v)
    throw Undecided{"an operand is left out"};
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (Term extent : shapeOf(v)) {
    const std::optional<int64_t> n = t_.asNumber(extent);
    if (!n || *n > 64)
      throw Undecided{"how long a list is is not known"};
    sizes.push_back(*n);
    count *= *n;
  }
  if (count > 64)
    throw Undecided{"a list is too long"};
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) {
    Indices place(sizes.size(), kNoTerm);
    int64_t rest = i;
    for (size_t d = sizes.size(); d > 0; rest /= sizes[d - 1], --d)
      place[d - 1] = t_.number(rest % sizes[d - 1]);
    const std::optional<int64_t> n = wholeNumber(t_, at(v, place));
    if (!n)
      throw Undecided{"an operand that steers is no constant"};
    out.push_back(*n);
  }
  return out;
}

std::optional<std::vector<int64_t>> TermEvaluator::intsAttr(Op op, std::string_view name) {
  if (std::optional<int64_t> one = attrOf<int64_t>(op, name))
    return std::vector<int64_t>{*one};
  std::optional<std::vector<int64_t>> list = attrOf<std::vector<int64_t>>(op, name);
  if (!list && attrOf<std::span<const Dim>>(op, name))
    throw Undecided{"an amount is a symbol"};
  return list;
}
bool TermEvaluator::hasList(Op op, std::string_view attr, unsigned operand) {
  return bool(intsAttr(op, attr)) || bool(op.operand(operand));
}
std::vector<int64_t> TermEvaluator::listOf(Op op, std::string_view attr, unsigned operand) {
  if (std::optional<std::vector<int64_t>> list = intsAttr(op, attr))
    return *list;
  return intsOf(op.operand(operand));
}
std::vector<int64_t> TermEvaluator::attrNumbers(Op op, std::initializer_list<std::string_view> without) {
  std::vector<int64_t> out;
  for (unsigned i = 0; i < op.schema().attrs.size(); ++i) {
    if (std::ranges::find(without, op.schema().attrs[i].name) != without.end())
      continue;
    out.push_back(op.attrOrDefault(i) ? int64_t(op.attrOrDefault(i).raw) : -1);
  }
  for (const NamedAttr &extra : fn_.context().attrs(op.attrsId()).extra)
    if (!fn_.context().text(extra.name).starts_with("$")) {
      out.push_back(extra.name.raw);
      out.push_back(extra.value.raw);
    }
  return out;
}

Term TermEvaluator::over(std::string_view function, DType dtype, const std::vector<Term> &extents,
                         const ElementOf &element) {
  if (writesOut_) {
    std::vector<int64_t> sizes, index(extents.size(), 0);
    int64_t count = 1;
    for (Term e : extents) {
      std::optional<int64_t> n = t_.asNumber(e);
      if (!n)
        throw Undecided{"how many elements are reduced is not known"};
      sizes.push_back(*n);
      count *= *n;
    }
    if (count > 4096)
      throw Undecided{"too many elements are reduced to be written out"};
    std::vector<Term> all;
    for (int64_t i = 0; i < count; ++i) {
      Indices at;
      for (int64_t k : index)
        at.push_back(t_.number(k));
      all.push_back(element(at));
      for (size_t d = sizes.size(); d > 0; --d) {
        if (++index[d - 1] < sizes[d - 1])
          break;
        index[d - 1] = 0;
      }
    }
    if (function == "sum" && t_.isRing(dtype)) {
      Term sum = t_.ringNumber(dtype, 0);
      for (Term e : all)
        sum = t_.ringAdd(dtype, sum, e);
      return sum;
    }
    if (function == "prod" && t_.isRing(dtype)) {
      Term product = t_.ringNumber(dtype, 1);
      for (Term e : all)
        product = t_.ringMul(dtype, product, e);
      return product;
    }
    if ((function == "and" || function == "or") && dtype == DType::Bool)
      return scalar(t_, function, dtype, dtype, std::move(all), {}, true);
    if (all.empty() && (function == "max" || function == "min") && dtype == DType::Bool)
      return t_.literal(dtype, function == "min");
    const bool anyOrder = function == "max" || function == "min" || function == "and" || function == "or" ||
                          (t_.isRing(dtype) && (function == "prod" || function == "logsumexp"));
    if (all.empty() && function == "dot")
      return literalTerm(t_, dtype, 0);
    if (all.empty() && (function == "max" || function == "min") && isFloat(dtype) && t_.level() == Level::Exact)
      return literalTerm(t_, dtype, (function == "max" ? -1 : 1) * std::numeric_limits<double>::infinity());
    if (all.empty() && (function == "max" || function == "min") && isInteger(dtype) && t_.isRing(dtype))
      if (std::optional<int64_t> end = endOf(dtype, function == "min"))
        return t_.ringNumber(dtype, *end);
    if (all.size() == 1 && function == "l1")
      return scalar(t_, "abs", dtype, dtype, std::move(all), {}, false);
    if (all.size() == 1 &&
        (function == "max" || function == "min" || function == "prod" || function == "sum" || function == "mean"))
      return all[0];
    if ((function == "max" || function == "min") && !all.empty())
      return extreme(t_, function, dtype, std::move(all));
    std::vector<int64_t> numbers;
    if (function == "whole")
      numbers = sizes;
    else if (anyOrder)
      std::ranges::sort(all);
    return t_.apply(fmt::format("{} of", function), dtype, std::move(all), std::move(numbers));
  }
  Indices variables;
  for (Term e : extents)
    variables.push_back(t_.variable(e));
  Term body = element(variables);
  if (function == "whole") { // the extents count, those of 1 as well
    for (size_t i = 0; i < extents.size(); ++i)
      body = t_.apply("along", dtype, {body, extents[i]});
    return t_.reduce("whole", dtype, variables, body);
  }
  return t_.reduce(function, dtype, variables, body);
}

Term TermEvaluator::sumOfProducts(DType dtype, const std::vector<Term> &extents,
                                  const std::function<std::pair<Term, Term>(const Indices &)> &pair) {
  if (t_.isRing(dtype))
    return over("sum", dtype, extents, [&](const Indices &at) {
      auto [a, b] = pair(at);
      return t_.ringMul(dtype, a, b);
    });
  if (dtype == DType::Bool) // whether some pair has both
    return over("or", dtype, extents, [&](const Indices &at) {
      auto [a, b] = pair(at);
      return scalar(t_, "and", dtype, dtype, {a, b}, {}, true);
    });
  return over("dot", dtype, extents, [&](const Indices &at) {
    auto [a, b] = pair(at);
    if (t_.level() != Level::Plain && isFloat(dtype)) { // two signs are none, and that of a factor is a number's
      const bool isNegA = isApply(t_, a, "neg"), isNegB = isApply(t_, b, "neg");
      const std::optional<double> x = numberOf(t_, a), y = numberOf(t_, b);
      if (isNegA && (isNegB || y)) {
        a = t_.node(a).args[0];
        b = isNegB ? t_.node(b).args[0] : literalTerm(t_, dtype, -*y);
      } else if (isNegB && x) {
        a = literalTerm(t_, dtype, -*x);
        b = t_.node(b).args[0];
      }
    }
    return t_.apply("times", dtype, a < b ? std::vector<Term>{a, b} : std::vector<Term>{b, a});
  });
}

/// All of a value, as one term.
Term TermEvaluator::whole(Value v) {
  if (auto it = wholes_.find(v.id.raw); it != wholes_.end())
    return it->second;
  const Term out = over("whole", v.type().dtype, shapeOf(v), [&](const Indices &at) { return this->at(v, at); });
  wholes_.emplace(v.id.raw, out);
  return out;
}

/// Whether an operand of a recurrent op of ONNX is a state to begin with of nothing but +0, which is what the op begins
/// with where the operand is left out (ONNX, LSTM: "If not specified - assumed to be 0").
bool TermEvaluator::isInitialZero(Op op, unsigned operand) {
  constexpr unsigned kInitialHidden = 5, kInitialCell = 6;
  if (operand != kInitialHidden && operand != kInitialCell)
    return false;
  const Value v = op.operand(operand);
  Indices anywhere;
  for (Term extent : shapeOf(v))
    anywhere.push_back(t_.variable(extent));
  const std::optional<double> number = numberOf(t_, at(v, anywhere));
  return number == 0.0 && !std::signbit(*number);
}

Term TermEvaluator::opaque(Op op, unsigned result, const Indices &at) {
  if (!op.regions().empty())
    throw Undecided{"ops with regions have no terms: " + std::string(op.fullName())};
  if (!op.hasTrait(Trait::Pure) && op.region() != fn_.body())
    throw Undecided{"an op with effects in a region has no terms: it is not known how often it runs"};
  usedOpaque_ = true;
  std::vector<Term> args;
  std::vector<int64_t> numbers = attrNumbers(op);
  numbers.push_back(result);
  if (!op.hasTrait(Trait::Pure)) { // each its own
    int64_t count = 0;
    for (Op other : fn_.ops(fn_.body())) {
      if (other == op)
        break;
      count += !other.hasTrait(Trait::Pure) && other.kind() != kReturnKind;
    }
    numbers.push_back(count);
  }
  const bool isRecurrent = t_.level() != Level::Plain &&
                           (op.fullName() == "onnx.LSTM" || op.fullName() == "onnx.GRU" || op.fullName() == "onnx.RNN");
  for (unsigned i = 0; i < op.operandCount(); ++i)
    args.push_back(!op.operand(i) || (isRecurrent && isInitialZero(op, i)) ? t_.apply("left out", DType::Unknown, {})
                                                                           : whole(op.operand(i)));
  if (isRecurrent) // what is left out at the end may be said or not
    while (!args.empty() && isApply(t_, args.back(), "left out"))
      args.pop_back();
  args.insert(args.end(), at.begin(), at.end());
  return t_.apply(fmt::format("op {}", op.fullName()), op.result(result).type().dtype, std::move(args),
                  std::move(numbers));
}

TermEvaluator::Indices TermEvaluator::broadcastIndices(Value v, const Indices &at, const std::vector<Term> &shape) {
  std::vector<Term> own = shapeOf(v);
  if (own.size() > at.size())
    throw Undecided{"an operand has more dimensions than the result"};
  Indices out;
  for (size_t i = 0; i < own.size(); ++i) {
    const size_t place = at.size() - own.size() + i;
    if (t_.asNumber(own[i]) == 1)
      out.push_back(t_.number(0));
    else if (own[i] == shape[place] || t_.asNumber(own[i]).value_or(0) > 1) // what is longer than 1 never stretches
      out.push_back(at[place]);
    else
      throw Undecided{"whether a dimension stretches is not known"};
  }
  return out;
}

/// What an op of ONNX that takes integers alone does, by the name that other dialects have for it; empty where they
/// have none.
std::string_view TermEvaluator::functionOfIntegers(Op op, std::string_view f, DType type) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"bitwiseand", "and"}, {"bitwiseor", "or"}, {"bitwisexor", "xor"}, {"bitwisenot", "not"}};
  for (auto [from, to] : names)
    if (f == from)
      return to;
  if (f == "bitshift" && !isSigned(type))
    return attrOr(op, "direction", "") == "LEFT" ? "shift_left" : "shift_right_logical";
  if (f == "mod" && (!isSigned(type) || attrOr(op, "fmod", 0) != 0))
    return "rem"; // of numbers with sign it rounds down
  return "";
}

Term TermEvaluator::elementwise(Op op, unsigned result, const Indices &at) {
  std::string buffer;
  const std::vector<Term> shape = shapeOf(op.result(result));
  std::vector<Term> args;
  DType first = DType::Unknown;
  const std::string_view dialect = op.schema().dialect;
  // laws hold of their ops, whatever others are called
  const bool known = dialect == "onnx" || dialect == "tensor" || dialect == "stablehlo";
  std::string f(known ? commonName(op.schema().name, buffer) : "");
  if (!known)
    f = "op " + op.schema().fullName();
  const uint32_t typeOnly = op.schema().traits >> 16;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    if (v && !(typeOnly >> i & 1)) {
      if (first == DType::Unknown)
        first = v.type().dtype;
      args.push_back(this->at(v, broadcastIndices(v, at, shape)));
    } else if (!v) {
      args.push_back(t_.apply("left out", DType::Unknown, {}));
    }
  }
  DType type = op.result(result).type().dtype;
  if (type == DType::Unknown || first == DType::Unknown)
    throw Undecided{"an element type is not known"};
  std::vector<int64_t> numbers;
  if (f == "cast") {
    if (op.schema().dialect == "onnx" && isFloat(type) && dtypeBytes(type) == 1) // may saturate or not
      numbers = attrNumbers(op, {"to", "dtype"});
  } else {
    numbers = attrNumbers(op);
  }
  if (!numbers.empty() && f == "cast") {
    f = "cast8";
    // Through a type that holds all values it is the same number that is rounded.
    while (t_.level() != Level::Plain && isApply(t_, args[0], "cast") &&
           holdsAll(DType(t_.node(args[0]).numbers[0]), first)) {
      first = DType(t_.node(args[0]).numbers[0]);
      args[0] = t_.node(args[0]).args[0];
    }
  }
  if (dialect == "onnx" && isInteger(type))
    if (const std::string_view function = functionOfIntegers(op, f, type); !function.empty()) {
      f = function;
      numbers.clear();
    }
  if (dialect == "tensor" && f == "compare") { // one name for each direction
    const std::string_view direction = attrOr(op, "direction", "");
    static constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"eq", "equal"},       {"ne", "equal"},   {"lt", "less"},
        {"le", "lessorequal"}, {"gt", "greater"}, {"ge", "greaterorequal"}};
    for (auto [from, to] : names)
      if (direction == from) {
        const Term out = scalar(t_, to, type, first, std::move(args), {}, to == "equal");
        return direction == "ne" ? scalar(t_, "not", type, type, {out}, {}, false) : out;
      }
  }
  if (f == "max" || f == "min")
    return extreme(t_, f, type, std::move(args));
  // Of 16 bits the slope is not rounded to the type.
  if (f == "leakyrelu" && (type == DType::F32 || type == DType::F64))
    return belowZero(
        t_, type, args[0],
        scalar(t_, "mul", type, type, {args[0], literalTerm(t_, type, attrOr(op, "alpha", 0.01))}, {}, true));
  if (f == "elu" && isFloat(type))
    return belowZero(t_, type, args[0], scalar(t_, f, type, first, args, numbers, false));
  if (dialect == "tensor" && f == "clamp" && args.size() == 3)
    return extreme(t_, "min", type, {extreme(t_, "max", type, {args[0], args[1]}), args[2]});
  return scalar(t_, f, type, first, std::move(args), numbers, op.hasTrait(Trait::Commutative));
}

} // namespace rw::verify
