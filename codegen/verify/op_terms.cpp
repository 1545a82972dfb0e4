// What ops do to elements: those that move them, reduce them, or work along one axis.
#include "codegen/verify/casts.h"
#include "codegen/verify/proposals.h"
#include "codegen/verify/scalar_laws.h"
#include "codegen/verify/term_evaluator.h"
#include "codegen/verify/term_numbers.h"
#include "rw/ir/expr_helpers.h"
#include "rw/rewrite/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace rw::verify {

/// One op at one place of its result.
class OpTerms {
public:
  using Indices = std::vector<Term>;
  OpTerms(TermEvaluator &e, Op op, unsigned result, const Indices &at)
      : e_(e), t_(e.t_), op_(op), result_(result), at_(at) {}

  /// The term; nothing if the op is of a kind that has none here.
  std::optional<Term> operator()() {
    using Rule = std::optional<Term> (OpTerms::*)();
    static const std::unordered_map<std::string_view, Rule> rules = {
        {"onnx.Transpose", &OpTerms::transpose},
        {"tensor.transpose", &OpTerms::transpose},
        {"stablehlo.transpose", &OpTerms::transpose},
        {"onnx.Reshape", &OpTerms::reshape},
        {"tensor.reshape", &OpTerms::reshape},
        {"stablehlo.reshape", &OpTerms::reshape},
        {"tensor.merge_dims", &OpTerms::reshape},
        {"tensor.reshape_like", &OpTerms::reshape},
        {"onnx.Flatten", &OpTerms::reshape},
        {"onnx.Squeeze", &OpTerms::reshape},
        {"onnx.Unsqueeze", &OpTerms::reshape},
        {"onnx.Identity", &OpTerms::identity},
        {"onnx.Dropout", &OpTerms::dropout},
        {"onnx.Expand", &OpTerms::broadcast},
        {"tensor.broadcast", &OpTerms::broadcast},
        {"tensor.broadcast_in_dim", &OpTerms::broadcastInDim},
        {"stablehlo.broadcast_in_dim", &OpTerms::broadcastInDim},
        {"onnx.Slice", &OpTerms::onnxSlice},
        {"tensor.slice", &OpTerms::slice},
        {"stablehlo.slice", &OpTerms::slice},
        {"onnx.Concat", &OpTerms::concat},
        {"tensor.concat", &OpTerms::concat},
        {"stablehlo.concatenate", &OpTerms::concat},
        {"onnx.Split", &OpTerms::split},
        {"onnx.Pad", &OpTerms::onnxPad},
        {"tensor.pad", &OpTerms::pad},
        {"onnx.Gather", &OpTerms::gather},
        {"tensor.gather", &OpTerms::gather},
        {"tensor.reverse", &OpTerms::reverse},
        {"stablehlo.reverse", &OpTerms::reverse},
        {"onnx.Tile", &OpTerms::tile},
        {"onnx.Shape", &OpTerms::shape},
        {"onnx.ConstantOfShape", &OpTerms::constantOfShape},
        {"onnx.ReduceSum", &OpTerms::reduction},
        {"onnx.ReduceMean", &OpTerms::reduction},
        {"onnx.ReduceMax", &OpTerms::reduction},
        {"onnx.ReduceMin", &OpTerms::reduction},
        {"onnx.ReduceProd", &OpTerms::reduction},
        {"onnx.ReduceL1", &OpTerms::reduction},
        {"onnx.ReduceL2", &OpTerms::reduction},
        {"onnx.ReduceLogSum", &OpTerms::reduction},
        {"onnx.ReduceLogSumExp", &OpTerms::reduction},
        {"onnx.ReduceSumSquare", &OpTerms::reduction},
        {"tensor.reduce_sum", &OpTerms::reduction},
        {"stablehlo.reduce", &OpTerms::reductionByBody},
        {"stablehlo.reduce_window", &OpTerms::windowsByBody},
        {"stablehlo.if", &OpTerms::branches},
        {"tensor.cond", &OpTerms::branches},
        {"onnx.If", &OpTerms::branches},
        {"stablehlo.map", &OpTerms::mapped},
        {"stablehlo.while", &OpTerms::loop},
        {"tensor.while", &OpTerms::loop},
        {"stablehlo.bitcast_convert", &OpTerms::bitcast},
        {"tensor.reduce_max", &OpTerms::reduction},
        {"tensor.reduce_min", &OpTerms::reduction},
        {"tensor.reduce_prod", &OpTerms::reduction},
        {"tensor.reduce_mean", &OpTerms::reduction},
        {"tensor.reduce_and", &OpTerms::reduction},
        {"tensor.reduce_or", &OpTerms::reduction},
        {"onnx.GlobalAveragePool", &OpTerms::globalPool},
        {"onnx.GlobalMaxPool", &OpTerms::globalPool},
        {"onnx.ArgMax", &OpTerms::argument},
        {"onnx.ArgMin", &OpTerms::argument},
        {"tensor.reduce_argmax", &OpTerms::argument},
        {"onnx.Softmax", &OpTerms::softmax},
        {"onnx.LogSoftmax", &OpTerms::softmax},
        {"onnx.Hardmax", &OpTerms::softmax},
        {"tensor.softmax", &OpTerms::softmax},
        {"onnx.LpNormalization", &OpTerms::alongAxis},
        {"tensor.cumsum", &OpTerms::cumulated},
        {"tensor.sort", &OpTerms::sorted},
        {"onnx.CumSum", &OpTerms::cumSum},
        {"onnx.MatMul", &OpTerms::matmul},
        {"onnx.Gemm", &OpTerms::gemm},
        {"onnx.Einsum", &OpTerms::einsum},
        {"onnx.GatherElements", &OpTerms::gatherElements},
        {"onnx.ScatterElements", &OpTerms::scatterElements},
        {"onnx.ScatterND", &OpTerms::scatterRows},
        {"onnx.TopK", &OpTerms::topK},
        {"onnx.Compress", &OpTerms::compress},
        {"tensor.dot_general", &OpTerms::dotGeneral},
        {"onnx.Conv", &OpTerms::conv},
        {"tensor.conv", &OpTerms::conv},
        {"stablehlo.convolution", &OpTerms::hloConvolution},
        {"onnx.BatchNormalization", &OpTerms::batchNorm},
        {"onnx.LRN", &OpTerms::acrossChannels},
        {"onnx.LayerNormalization", &OpTerms::layerNorm},
        {"onnx.InstanceNormalization", &OpTerms::instanceNorm},
        {"onnx.MaxPool", &OpTerms::perImage},
        {"onnx.AveragePool", &OpTerms::perImage},
        {"onnx.LpPool", &OpTerms::perImage},
        {"onnx.Resize", &OpTerms::resize},
        {"onnx.Upsample", &OpTerms::resize},
        {"tensor.iota", &OpTerms::iota},
        {"onnx.Where", &OpTerms::elementwise},
        {"onnx.Max", &OpTerms::elementwise},
        {"onnx.Min", &OpTerms::elementwise},
        {"onnx.Sum", &OpTerms::elementwise},
        {"onnx.Mean", &OpTerms::elementwise},
        {"tensor.select", &OpTerms::elementwise},
        {"onnx.Clip", &OpTerms::clip},
        {"onnx.Constant", &OpTerms::constant},
        {"onnx.QuantizeLinear", &OpTerms::quantize},
        {"onnx.DequantizeLinear", &OpTerms::quantize},
        {"onnx.DepthToSpace", &OpTerms::blocks},
        {"onnx.SpaceToDepth", &OpTerms::blocks},
        {"tensor.dropout", &OpTerms::dropout},
        {"onnx.Swish", &OpTerms::swish},
        {"tensor.swish", &OpTerms::swish},
        {"tensor.silu", &OpTerms::swish},
        {"onnx.Mish", &OpTerms::mish},
        {"onnx.ConvTranspose", &OpTerms::convTranspose},
        {"tensor.clamp", &OpTerms::elementwise},
        {"onnx.PRelu", &OpTerms::prelu},
        {"tensor.get", &OpTerms::element},
        {"stablehlo.get_tuple_element", &OpTerms::element},
        {"tensor.dynamic_slice", &OpTerms::dynamicSlice},
        {"tensor.dynamic_update_slice", &OpTerms::dynamicUpdate},
    };
    auto it = rules.find(op_.fullName());
    if (it == rules.end())
      return op_.hasTrait(Trait::Elementwise) && op_.resultCount() == 1 && op_.operandCount() > 0 ? elementwise()
                                                                                                  : std::nullopt;
    return (this->*it->second)();
  }

private:
  Value in(unsigned i) const { return op_.operand(i); }
  DType type() const { return op_.result(result_).type().dtype; }
  Term element(unsigned operand, const Indices &at) { return e_.at(in(operand), at); }
  std::vector<Term> shapeOf(unsigned operand) { return e_.shapeOf(in(operand)); }
  std::vector<Term> resultShape() { return e_.shapeOf(op_.result(result_)); }
  Term number(int64_t n) { return t_.number(n); }
  std::optional<int64_t> axis(int64_t a, size_t rank) {
    a = a < 0 ? a + int64_t(rank) : a;
    return a >= 0 && a < int64_t(rank) ? std::optional(a) : std::nullopt;
  }
  bool isOnnx() const { return op_.schema().dialect == "onnx"; }

  /// The numbers and symbols of an attribute; none if it is left out.
  std::vector<Term> amounts(std::string_view name) {
    std::vector<Term> out;
    const AttrId id = op_.attrNamed(name);
    if (!id)
      return out;
    const AttrData &a = e_.fn_.context().attr(id);
    for (int64_t n : a.ints)
      out.push_back(number(n));
    for (Dim d : a.dims)
      out.push_back(d.isNegative() ? number(d.negative()) : e_.dimTerm(d));
    return out;
  }
  std::optional<Term> elementwise() { return e_.elementwise(op_, result_, at_); }
  std::optional<Term> identity() { return element(0, at_); }
  /// In inference, and where nothing is dropped.
  std::optional<Term> dropout() {
    if (result_ != 0)
      return std::nullopt;
    const bool trains = op_.operandCount() > 2 && in(2);
    auto isZero = [&](unsigned i) {
      const Term x = element(i, Indices(shapeOf(i).size(), number(0)));
      return x == literalTerm(t_, in(i).type().dtype, 0);
    };
    if (trains && !isZero(2) && !(in(1) && isZero(1)))
      return std::nullopt;
    return element(0, at_);
  }
  /// min(max(x, lower), upper), either left out.
  std::optional<Term> clip() {
    Term out = element(0, at_);
    for (auto [f, attr, operand] : {std::tuple("max", "min", 1u), std::tuple("min", "max", 2u)}) {
      Term limit = kNoTerm;
      if (op_.schema().attrIndex(attr) >= 0) {
        if (std::optional<double> stated = attrOf<double>(op_, attr))
          limit = literalTerm(t_, type(), *stated);
      } else if (operand < op_.operandCount() && in(operand)) {
        limit = element(operand, Indices(shapeOf(operand).size(), number(0)));
      }
      if (limit == kNoTerm)
        continue;
      std::vector<Term> args{out, limit};
      if (t_.level() != Level::Plain) {
        const TermNode n = t_.node(out);
        if (n.kind == TermKind::Apply && n.text == f && n.dtype == type()) {
          args = n.args;
          args.push_back(limit);
        }
        std::ranges::sort(args);
        args.erase(std::unique(args.begin(), args.end()), args.end());
      }
      out = args.size() == 1 ? args[0] : t_.apply(f, type(), args);
    }
    return out;
  }
  std::optional<Term> constant() {
    for (std::string_view name : {"value_float", "value_int", "value_floats", "value_ints"}) {
      AttrId id = op_.attrNamed(name);
      if (!id)
        continue;
      const AttrData &a = e_.fn_.context().attr(id);
      if (a.kind == AttrKind::Float)
        return literalTerm(t_, DType::F32, a.f);
      if (a.kind == AttrKind::Int)
        return t_.literal(DType::I64, uint64_t(a.i));
      std::optional<int64_t> at = at_.empty() ? std::nullopt : t_.asNumber(at_[0]);
      if (!at)
        return std::nullopt;
      if (a.kind == AttrKind::Floats && size_t(*at) < a.floats.size())
        return literalTerm(t_, DType::F32, a.floats[size_t(*at)]);
      if (a.kind == AttrKind::Ints && size_t(*at) < a.ints.size())
        return t_.literal(DType::I64, uint64_t(a.ints[size_t(*at)]));
    }
    return std::nullopt;
  }
  /// One scale for all, or one for each place along an axis.
  std::optional<Term> quantize() {
    std::vector<Term> shape = shapeOf(0), scales = shapeOf(1);
    std::vector<Term> args{element(0, at_)};
    for (unsigned i = 1; i < op_.operandCount(); ++i) {
      if (!in(i))
        continue;
      std::vector<Term> own = shapeOf(i);
      const bool one = std::ranges::all_of(own, [&](Term size) { return t_.asNumber(size) == 1; });
      if (const int64_t block = attrOr(op_, "block_size", 0); block != 0) {
        std::optional<int64_t> a = axis(attrOr(op_, "axis", 1), shape.size());
        if (!a || block < 0 || own.size() != shape.size())
          return std::nullopt;
        Indices place = at_;
        place[size_t(*a)] = t_.div(place[size_t(*a)], number(block));
        args.push_back(element(i, place));
      } else if (one) {
        args.push_back(element(i, Indices(own.size(), number(0))));
      } else if (own.size() == 1) {
        std::optional<int64_t> a = axis(attrOr(op_, "axis", 1), shape.size());
        if (!a)
          return std::nullopt;
        args.push_back(element(i, {at_[size_t(*a)]}));
      } else {
        return std::nullopt;
      }
    }
    if (op_.schema().name == "QuantizeLinear" && givesBack(args))
      return t_.node(args[0]).args[0];
    if (op_.schema().name == "QuantizeLinear")
      args[0] = withoutLeastZero(args);
    return t_.apply(op_.fullName(), type(), args, e_.attrNumbers(op_, {"axis", "block_size"}));
  }
  /// Whether an integer of up to 16 bits becomes a float and is quantized again by the same scale and zero point.
  ///
  /// Then it is the integer: with d = q - z, at most 65,535, the float is d·s·(1 + e), and divided by s it is
  /// d·(1 + e)(1 + f) with |e| and |f| at most 2⁻²⁴, since nothing of it is subnormal or infinite. That is less than a
  /// half away from d.
  bool givesBack(const std::vector<Term> &args) const {
    if (!isApply(t_, args[0], "onnx.DequantizeLinear"))
      return false;
    const TermNode &n = t_.node(args[0]);
    const std::optional<double> scale = numberOf(t_, args[1]);
    return attrOr(op_, "precision", 0) == 0 && n.dtype == DType::F32 && t_.node(args[1]).dtype == DType::F32 &&
           isInteger(type()) && dtypeBytes(type()) <= 2 && t_.node(n.args[0]).dtype == type() &&
           n.args.size() == args.size() && std::equal(args.begin() + 1, args.end(), n.args.begin() + 1) && scale &&
           *scale > 1e-30 && *scale < 1e30;
  }
  /// What is quantized, without a maximum with 0 where all below 0 becomes the least integer as 0 itself does: the zero
  /// point is the least integer, and the scale is above 0. A NaN stays one.
  Term withoutLeastZero(const std::vector<Term> &args) {
    const std::optional<double> scale = numberOf(t_, args[1]);
    if (t_.level() == Level::Plain || !isApply(t_, args[0], "max") || !isInteger(type()) || !scale || !(*scale > 0) ||
        std::isinf(*scale))
      return args[0];
    if ((args.size() > 2 ? wholeNumber(t_, args[2]) : std::optional<int64_t>(0)) != endOf(type(), false))
      return args[0];
    std::vector<Term> others;
    for (Term a : t_.node(args[0]).args)
      if (numberOf(t_, a) != 0.0 && wholeNumber(t_, a) != 0)
        others.push_back(a);
    if (others.empty() || others.size() == t_.node(args[0]).args.size())
      return args[0];
    return extreme(t_, "max", t_.node(args[0]).dtype, std::move(others));
  }
  std::optional<Term> blocks() {
    const bool toSpace = op_.schema().name == "DepthToSpace";
    const Term b = number(attrOr(op_, "blocksize", 1));
    std::vector<Term> shape = shapeOf(0);
    if (shape.size() != 4)
      return std::nullopt;
    if (toSpace) {
      const Term h = t_.div(at_[2], b), w = t_.div(at_[3], b), bh = t_.sub(at_[2], t_.mul(h, b)),
                 bw = t_.sub(at_[3], t_.mul(w, b));
      const Term block = t_.add(t_.mul(bh, b), bw), channels = t_.div(shape[1], t_.mul(b, b));
      const Term c = attrOr(op_, "mode", "") == "CRD" ? t_.add(t_.mul(at_[1], t_.mul(b, b)), block)
                                                      : t_.add(t_.mul(block, channels), at_[1]);
      return element(0, {at_[0], c, h, w});
    }
    const Term block = t_.div(at_[1], shape[1]), c = t_.sub(at_[1], t_.mul(block, shape[1]));
    const Term bh = t_.div(block, b), bw = t_.sub(block, t_.mul(bh, b));
    return element(0, {at_[0], c, t_.add(t_.mul(at_[2], b), bh), t_.add(t_.mul(at_[3], b), bw)});
  }
  std::optional<Term> swish() {
    const Term x = element(0, at_);
    if (!t_.isRing(type()))
      return elementwise();
    const Term scaledX = t_.ringMul(type(), x, literalTerm(t_, type(), attrOr(op_, "alpha", 1.0)));
    return t_.ringMul(type(), x, scalar(t_, "sigmoid", type(), type(), {scaledX}, {}, false));
  }
  std::optional<Term> mish() {
    const Term x = element(0, at_);
    if (!t_.isRing(type()))
      return elementwise();
    return t_.ringMul(type(), x, t_.apply("tanh", type(), {scalar(t_, "softplus", type(), type(), {x}, {}, false)}));
  }

  std::optional<Term> transpose() {
    std::optional<std::vector<int64_t>> perm =
        e_.intsAttr(op_, op_.schema().dialect == "stablehlo" ? "permutation" : "perm");
    if (!perm || perm->size() != at_.size())
      return std::nullopt;
    Indices from(at_.size());
    for (size_t i = 0; i < at_.size(); ++i)
      from.at(size_t((*perm)[i])) = at_[i];
    return element(0, from);
  }

  /// The same elements in row-major order under another shape.
  std::optional<Term> reshape() {
    std::vector<Term> from = shapeOf(0), to = resultShape();
    // Dimensions of 1 have no say, equal ones at either end go over by themselves.
    Indices out(from.size(), number(0));
    size_t a = 0, b = 0;
    auto skip = [&](const std::vector<Term> &s, size_t &i) {
      while (i < s.size() && t_.asNumber(s[i]) == 1)
        ++i;
    };
    while (true) {
      skip(from, a);
      skip(to, b);
      if (a >= from.size() && b >= to.size())
        return element(0, out);
      // Groups of dimensions with the same product.
      size_t endA = a, endB = b;
      auto product = [&](const std::vector<Term> &s, size_t first, size_t last) {
        Term p = number(1);
        for (size_t i = first; i < last; ++i)
          p = t_.mul(p, s[i]);
        return p;
      };
      bool found = false;
      for (size_t n = 1; n <= from.size() - a && !found; ++n)
        for (size_t m = 1; m <= to.size() - b && !found; ++m)
          if (product(from, a, a + n) == product(to, b, b + m)) {
            endA = a + n;
            endB = b + m;
            found = true;
          }
      if (!found) {
        // Of nothing there is nothing to say.
        if (product(from, 0, from.size()) == number(0))
          return t_.apply("nothing", type(), {});
        throw Undecided{"how the dimensions of a reshape go together is not known"};
      }
      Term linear = number(0);
      for (size_t i = b; i < endB; ++i)
        linear = t_.add(t_.mul(linear, to[i]), at_[i]);
      for (size_t i = endA; i > a; --i) {
        const Term rest = i - 1 == a ? number(0) : t_.div(linear, from[i - 1]);
        out[i - 1] = i - 1 == a ? linear : t_.sub(linear, t_.mul(rest, from[i - 1]));
        linear = rest;
      }
      a = endA;
      b = endB;
    }
  }

  std::optional<Term> broadcast() { return element(0, e_.broadcastIndices(in(0), at_, resultShape())); }
  std::optional<Term> broadcastInDim() {
    std::optional<std::vector<int64_t>> dims =
        e_.intsAttr(op_, op_.schema().dialect == "stablehlo" ? "broadcast_dimensions" : "dims");
    if (!dims)
      dims = e_.intsAttr(op_, "dimensions");
    std::vector<Term> own = shapeOf(0), shape = resultShape();
    if (!dims || dims->size() != own.size())
      return std::nullopt;
    Indices out;
    for (size_t i = 0; i < own.size(); ++i) {
      const size_t place = size_t((*dims)[i]);
      if (t_.asNumber(own[i]) == 1)
        out.push_back(number(0));
      else if (own[i] == shape.at(place))
        out.push_back(at_[place]);
      else
        throw Undecided{"whether a dimension stretches is not known"};
    }
    return element(0, out);
  }

  std::optional<Term> slice() {
    std::vector<Term> shape = shapeOf(0);
    const bool hlo = op_.schema().dialect == "stablehlo";
    const std::vector<Term> starts = amounts(hlo ? "start_indices" : "start"),
                            strides = amounts(hlo ? "strides" : "stride");
    if (starts.size() != shape.size() || strides.size() != shape.size())
      return std::nullopt;
    Indices out;
    for (size_t i = 0; i < shape.size(); ++i)
      out.push_back(t_.add(starts[i], t_.mul(at_[i], strides[i])));
    return element(0, out);
  }
  std::optional<Term> onnxSlice() {
    std::vector<Term> shape = shapeOf(0);
    const bool attrs = bool(e_.intsAttr(op_, "starts"));
    std::vector<int64_t> starts = e_.listOf(op_, "starts", 1), ends = e_.listOf(op_, "ends", 2), axes, steps;
    if (!attrs && in(4))
      steps = e_.intsOf(in(4));
    // All of a dimension, whichever it is.
    if (std::ranges::all_of(starts, [](int64_t n) { return n == 0; }) &&
        std::ranges::all_of(ends, [](int64_t n) { return n == std::numeric_limits<int64_t>::max(); }) &&
        std::ranges::all_of(steps, [](int64_t n) { return n == 1; }))
      return element(0, at_);
    if (attrs ? bool(e_.intsAttr(op_, "axes")) : bool(in(3)))
      axes = e_.listOf(op_, "axes", 3);
    else
      for (size_t i = 0; i < starts.size(); ++i)
        axes.push_back(int64_t(i));
    Indices out = at_;
    for (size_t k = 0; k < starts.size(); ++k) {
      std::optional<int64_t> a = axis(axes.at(k), shape.size());
      if (!a)
        return std::nullopt;
      const Term extent = shape[size_t(*a)];
      const int64_t step = steps.empty() ? 1 : steps.at(k);
      const std::optional<int64_t> n = t_.asNumber(extent);
      Term start;
      if (n) {
        int64_t s = starts[k] < 0 ? starts[k] + *n : starts[k];
        start = number(step > 0 ? std::clamp<int64_t>(s, 0, *n) : std::clamp<int64_t>(s, 0, *n - 1));
      } else if (starts[k] == 0 && step > 0) {
        start = number(0);
      } else {
        throw Undecided{"where a slice of a size that is a symbol begins is not known"};
      }
      out[size_t(*a)] = t_.add(start, t_.mul(at_[size_t(*a)], number(step)));
    }
    return element(0, out);
  }

  std::optional<Term> concat() {
    std::vector<Term> shape = resultShape();
    std::optional<int64_t> a =
        axis(attrOr(op_, op_.schema().dialect == "stablehlo" ? "dimension" : "axis", 0), shape.size());
    if (!a)
      return std::nullopt;
    const size_t d = size_t(*a);
    // From the last: where the index is below the end of each.
    std::vector<Term> begins{number(0)};
    for (unsigned i = 0; i < op_.operandCount(); ++i)
      begins.push_back(t_.add(begins.back(), shapeOf(i)[d]));
    Term out = kNoTerm;
    for (unsigned i = op_.operandCount(); i > 0; --i) {
      const Term below = t_.below(at_[d], begins[i]);
      if (t_.asNumber(shapeOf(i - 1)[d]) == 0 || (out != kNoTerm && t_.asNumber(below) == 0))
        continue;
      if (t_.asNumber(t_.below(at_[d], begins[i - 1])) == 1) // it lies before
        continue;
      Indices at = at_;
      at[d] = t_.sub(at_[d], begins[i - 1]);
      const Term here = element(i - 1, at);
      out = out == kNoTerm ? here : t_.choice(type(), below, here, out);
    }
    return out == kNoTerm ? t_.apply("nothing", type(), {}) : out;
  }
  std::optional<Term> split() {
    std::vector<Term> shape = shapeOf(0);
    std::optional<int64_t> a = axis(attrOr(op_, "axis", 0), shape.size());
    if (!a)
      return std::nullopt;
    Term begin = number(0);
    for (unsigned r = 0; r < result_; ++r)
      begin = t_.add(begin, e_.shapeOf(op_.result(r))[size_t(*a)]);
    Indices at = at_;
    at[size_t(*a)] = t_.add(at[size_t(*a)], begin);
    return element(0, at);
  }

  std::optional<Term> padded(const std::vector<Term> &low, const std::vector<int64_t> &interior, Term fill) {
    std::vector<Term> shape = shapeOf(0);
    Indices at;
    std::vector<std::pair<Term, Term>> bounds; // 0 <= first < second
    std::vector<Term> holes;
    for (size_t i = 0; i < shape.size(); ++i) {
      Term x = t_.sub(at_[i], low[i]);
      const int64_t step = interior[i] + 1;
      Term whole = t_.add(t_.mul(t_.sub(shape[i], number(1)), number(step)), number(1));
      bounds.emplace_back(x, whole);
      if (step != 1) {
        const Term q = t_.div(x, number(step));
        holes.push_back(t_.sub(x, t_.mul(q, number(step))));
        x = q;
      }
      at.push_back(x);
    }
    // Which ones may be outside.
    std::vector<Term> conditions;
    for (auto &[x, end] : bounds) {
      if (!t_.isNonNegative(x))
        conditions.push_back(t_.below(t_.sub(number(-1), number(0)), x)); // -1 < x
      if (!t_.isBelow(x, end))
        conditions.push_back(t_.below(x, end));
    }
    for (Term h : holes)
      conditions.push_back(t_.below(h, number(1)));
    const auto inside = [&] { return element(0, at); };
    return where(conditions, inside, fill);
  }
  /// What there is where all conditions hold, else `otherwise`. An element outside is not asked for: where a place is a
  /// number, all is decided already.
  template <class Inside> Term where(std::vector<Term> conditions, const Inside &inside, Term otherwise) {
    if (std::ranges::any_of(conditions, [&](Term c) { return t_.asNumber(c) == 0; }))
      return otherwise;
    Term out = inside();
    std::ranges::sort(conditions);
    for (Term c : conditions)
      out = t_.choice(type(), c, out, otherwise);
    return out;
  }
  /// The index along a dimension of that extent which a place has once it is padded and spread. Adds the conditions
  /// under which there is an element.
  Term indexAt(Term place, Term extent, int64_t spread, bool maybeBefore, bool maybeBehind,
               std::vector<Term> &conditions) {
    if (maybeBefore && !t_.isNonNegative(place))
      conditions.push_back(t_.below(number(-1), place));
    if (spread != 1) {
      const Term step = number(spread), q = t_.div(place, step);
      conditions.push_back(t_.below(t_.sub(place, t_.mul(q, step)), number(1)));
      place = q;
    }
    if (maybeBehind && !t_.isBelow(place, extent))
      conditions.push_back(t_.below(place, extent));
    return place;
  }
  Term zero() { return literalTerm(t_, type(), 0); }
  std::optional<Term> onnxPad() {
    const std::string_view mode = attrOr(op_, "mode", "");
    std::vector<Term> shape = shapeOf(0);
    std::vector<int64_t> pads = e_.listOf(op_, "pads", 1);
    if (op_.operandCount() > 3 && in(3)) { // along some axes
      std::vector<int64_t> axes = e_.intsOf(in(3)), all(2 * shape.size(), 0);
      if (pads.size() != 2 * axes.size())
        return std::nullopt;
      for (size_t i = 0; i < axes.size(); ++i) {
        std::optional<int64_t> a = axis(axes[i], shape.size());
        if (!a)
          return std::nullopt;
        all[size_t(*a)] = pads[i];
        all[shape.size() + size_t(*a)] = pads[axes.size() + i];
      }
      pads = all;
    }
    if (pads.size() != 2 * shape.size())
      return std::nullopt;
    if (!mode.empty() && mode != "constant") { // places inside stand for those outside
      Indices from;
      for (size_t i = 0; i < shape.size(); ++i) {
        const Term x = t_.sub(at_[i], number(pads[i]));
        if (t_.isNonNegative(x) && t_.isBelow(x, shape[i])) {
          from.push_back(x);
          continue;
        }
        std::optional<int64_t> p = t_.asNumber(x), n = t_.asNumber(shape[i]);
        if (n == 0) // there is nothing to stand for anything
          return t_.apply("nothing", type(), {});
        if (!p || !n)
          return std::nullopt;
        if (mode == "edge") {
          from.push_back(number(std::clamp<int64_t>(*p, 0, *n - 1)));
        } else if (mode == "wrap") {
          from.push_back(number((*p % *n + *n) % *n));
        } else if (mode == "reflect") {
          const int64_t period = std::max<int64_t>(2 * (*n - 1), 1), q = (*p % period + period) % period;
          from.push_back(number(q < *n ? q : period - q));
        } else {
          return std::nullopt;
        }
      }
      return element(0, from);
    }
    Term fill = zero();
    if (op_.operandCount() > 2 && in(2))
      fill = scalar(t_, "cast", type(), in(2).type().dtype, {element(2, Indices(shapeOf(2).size(), number(0)))}, {},
                    false);
    else if (double v = attrOr(op_, "value", 0.0); v != 0)
      fill = literalTerm(t_, type(), v);
    std::vector<Term> low;
    for (size_t i = 0; i < shape.size(); ++i)
      low.push_back(number(pads[i]));
    return padded(low, std::vector<int64_t>(shape.size(), 0), fill);
  }
  std::optional<Term> pad() {
    const std::vector<Term> low = amounts("low");
    std::optional<std::vector<int64_t>> interior = e_.intsAttr(op_, "interior");
    if (!interior || low.size() != at_.size() || interior->size() != at_.size())
      return std::nullopt;
    return padded(low, *interior, element(1, Indices(shapeOf(1).size(), number(0))));
  }

  /// An integer before it was put into a type that holds it as well.
  Term narrowest(Term x) const {
    while (t_.level() != Level::Plain && isApply(t_, x, "cast") && isInteger(t_.node(t_.node(x).args[0]).dtype) &&
           holdsAll(t_.node(t_.node(x).args[0]).dtype, t_.node(x).dtype))
      x = t_.node(x).args[0];
    return x;
  }
  std::optional<Term> gather() {
    std::vector<Term> shape = shapeOf(0), places = shapeOf(1);
    std::optional<int64_t> a = axis(attrOr(op_, "axis", 0), shape.size());
    if (!a)
      return std::nullopt;
    const size_t d = size_t(*a);
    Indices where(at_.begin() + long(d), at_.begin() + long(d + places.size()));
    const Term index = element(1, where);
    // An index that is a number; else a function of the whole dimension.
    Indices from(at_.begin(), at_.begin() + long(d));
    from.push_back(number(0));
    from.insert(from.end(), at_.begin() + long(d + places.size()), at_.end());
    if (std::optional<int64_t> i = wholeNumber(t_, index)) {
      from[d] = *i >= 0 ? number(*i) : t_.add(shape[d], number(*i));
      return element(0, from);
    }
    const Term row = e_.over("whole", type(), {shape[d]}, [&](const Indices &k) {
      Indices each = from;
      each[d] = k[0];
      return element(0, each);
    });
    const Term place = narrowest(index);
    return t_.apply("picked", type(), {row, place});
  }
  std::optional<Term> reverse() {
    std::vector<Term> shape = shapeOf(0);
    std::optional<std::vector<int64_t>> axes =
        e_.intsAttr(op_, op_.schema().dialect == "stablehlo" ? "dimensions" : "axes");
    if (!axes)
      return std::nullopt;
    Indices at = at_;
    for (int64_t a : *axes)
      at.at(size_t(a)) = t_.sub(t_.sub(shape[size_t(a)], number(1)), at[size_t(a)]);
    return element(0, at);
  }
  std::optional<Term> tile() {
    std::vector<Term> shape = shapeOf(0);
    Indices at;
    for (size_t i = 0; i < shape.size(); ++i)
      at.push_back(t_.mod(at_[i], shape[i]));
    return element(0, at);
  }
  std::optional<Term> shape() {
    std::vector<Term> all = shapeOf(0);
    int64_t start = attrOr(op_, "start", 0);
    start = std::clamp<int64_t>(start < 0 ? start + int64_t(all.size()) : start, 0, int64_t(all.size()));
    std::optional<int64_t> i = t_.asNumber(at_.at(0));
    if (!i)
      return t_.apply("shape", DType::I64, {at_[0]}, [&] {
        std::vector<int64_t> n;
        for (Term s : all)
          n.push_back(s);
        return n;
      }());
    const Term size = all.at(size_t(start + *i));
    if (std::optional<int64_t> n = t_.asNumber(size))
      return literalTerm(t_, DType::I64, double(*n));
    return t_.apply("size", DType::I64, {size});
  }
  std::optional<Term> constantOfShape() {
    AttrId value = op_.attrNamed("value");
    if (!value)
      return literalTerm(t_, type(), 0);
    return e_.constantAt(value, {number(0)});
  }
  std::optional<Term> iota() {
    const size_t a = size_t(attrOr(op_, "axis", 0));
    if (std::optional<int64_t> n = t_.asNumber(at_.at(a)))
      return literalTerm(t_, type(), double(*n));
    return numberAt(at_[a]);
  }

  // Reductions.
  static std::vector<Term> extentsOf(const std::vector<Term> &shape, const std::vector<bool> &reduced) {
    std::vector<Term> out;
    for (size_t i = 0; i < shape.size(); ++i)
      if (reduced[i])
        out.push_back(shape[i]);
    return out;
  }
  /// Where an element of operand 0 stands that is reduced: at `k` along the reduced dimensions, which the result may
  /// keep as ones, and as the result's element along the others.
  Indices placeOf(const std::vector<bool> &reduced, bool keeps, const Indices &k) const {
    Indices at;
    size_t from = 0, inner = 0;
    for (bool isReduced : reduced) {
      at.push_back(isReduced ? k[inner++] : at_[from]);
      from += !isReduced || keeps;
    }
    return at;
  }
  /// What a body of one operand does that is one op of its two parameters, as reductions call it; empty of others.
  std::string_view functionOfBody() {
    static constexpr std::pair<std::string_view, std::string_view> functions[] = {
        {"add", "sum"}, {"multiply", "prod"}, {"maximum", "max"}, {"minimum", "min"}, {"and", "and"}, {"or", "or"}};
    Function &fn = *op_.fn;
    if (op_.operandCount() != 2 || op_.regions().size() != 1)
      return "";
    const RegionId region = op_.regions()[0];
    const Op end = fn.terminator(region), by = end.operandCount() == 1 ? end.operand(0).definingOp() : Op();
    if (!by || by.region() != region || by.operandCount() != 2 || by.resultCount() != 1 ||
        by.schema().dialect != "stablehlo")
      return "";
    std::span<const ValueId> params = fn.params(region);
    const ValueId a = by.operand(0).id, b = by.operand(1).id;
    const auto function =
        std::ranges::find(functions, by.schema().name, &std::pair<std::string_view, std::string_view>::first);
    if (params.size() != 2 || function == std::end(functions) || a == b || std::ranges::count(params, a) == 0 ||
        std::ranges::count(params, b) == 0)
      return "";
    if (in(0).type().dtype != type() || in(1).type().dtype != type()) // the body works in a wider type
      return "";
    return function->second;
  }
  /// From the initial value on, element after element.
  Term reducedFrom(std::string_view f, Term init, const std::vector<Term> &extents,
                   const std::function<Term(const Indices &)> &each) {
    const DType t = type();
    if (f == "max" || f == "min")
      return extreme(t_, f, t, {init, e_.over(f, t, extents, each)});
    if ((f == "sum" || f == "prod") && t_.isRing(t)) {
      const Term all = e_.over(f, t, extents, each);
      return f == "sum" ? t_.ringAdd(t, init, all) : t_.ringMul(t, init, all);
    }
    if (f == "and" || f == "or")
      return scalar(t_, f, t, t, {init, e_.over(f, t, extents, each)}, {}, true);
    // In order, with what is rounded on the way; where the accumulated value stands does not count.
    const std::string name = fmt::format("{} from", f);
    return t_.apply(name, t, {init, e_.over(name, t, extents, each)});
  }
  std::optional<Term> reductionByBody() {
    const std::string_view f = functionOfBody();
    if (f.empty())
      return std::nullopt;
    const std::vector<Term> shape = shapeOf(0);
    std::vector<bool> reduced(shape.size());
    for (int64_t d : e_.intsAttr(op_, "dimensions").value_or(std::vector<int64_t>())) {
      std::optional<int64_t> at = axis(d, shape.size());
      if (!at)
        return std::nullopt;
      reduced[size_t(*at)] = true;
    }
    return reducedFrom(f, element(1, {}), extentsOf(shape, reduced),
                       [&](const Indices &k) { return element(0, placeOf(reduced, false, k)); });
  }
  /// The same of each window. What lies beside the elements, and between them, is the initial value.
  std::optional<Term> windowsByBody() {
    const std::string_view f = functionOfBody();
    const std::vector<Term> shape = shapeOf(0);
    auto list = [&](std::string_view name) {
      return e_.intsAttr(op_, name).value_or(std::vector<int64_t>(shape.size(), 1));
    };
    const std::vector<int64_t> sizes = list("window_dimensions"), strides = list("window_strides"),
                               reaches = list("window_dilations"), spreads = list("base_dilations");
    const std::optional<std::vector<int64_t>> padding = flatAttr("padding", 2 * shape.size(), 0);
    for (const auto *l : {&sizes, &strides, &reaches, &spreads})
      if (l->size() != shape.size())
        return std::nullopt;
    if (f.empty() || !padding)
      return std::nullopt;
    const Term init = element(1, {});
    std::vector<Term> extents;
    for (int64_t size : sizes)
      extents.push_back(number(size));
    return reducedFrom(f, init, extents, [&](const Indices &k) {
      Indices at;
      std::vector<Term> conditions;
      for (size_t i = 0; i < shape.size(); ++i) {
        const int64_t low = (*padding)[2 * i], high = (*padding)[2 * i + 1];
        const Term place =
            t_.sub(t_.add(t_.mul(at_[i], number(strides[i])), t_.mul(k[i], number(reaches[i]))), number(low));
        at.push_back(indexAt(place, shape[i], spreads[i], low != 0, high != 0, conditions));
      }
      const auto inside = [&] { return element(0, at); };
      return where(conditions, inside, init);
    });
  }
  /// Whether an op of the region may fail at some indices, as a gather does: then it matters whether the region runs.
  /// Ops of StableHLO hold indices to the range.
  bool mayFail(RegionId region) {
    for (Op op : op_.fn->ops(region)) {
      if (op.kind() == kReturnKind || op.kind() == kOpaqueKind || op.schema().dialect == "stablehlo")
        continue;
      const OpSchema &schema = op.schema();
      for (unsigned i = 0; i < op.operandCount() && i < schema.operands.size(); ++i)
        if (op.operand(i) && !op.operand(i).constant() && Proposals::isSteering(schema.name, schema.operands[i].name))
          return true;
    }
    return false;
  }
  /// What the branch results in that the predicate picks.
  std::optional<Term> branches() {
    Function &fn = *op_.fn;
    if (op_.regions().size() != 2 || op_.operandCount() != 1)
      return std::nullopt;
    for (RegionId region : op_.regions())
      if (mayFail(region))
        throw Undecided{"an op of a branch may fail where that branch does not run"};
    const bool isElseFirst = op_.schema().regions[0] == "else_branch";
    Term results[2];
    for (unsigned i = 0; i < 2; ++i) {
      const Value v = fn.terminator(op_.regions()[i]).operand(result_);
      if (v.type().dtype != type() || e_.shapeOf(v) != e_.shapeOf(op_.result(result_)))
        return std::nullopt;
      results[(i == 0) != isElseFirst] = e_.at(v, at_); // where it holds: the second
    }
    const Term predicate = element(0, Indices(in(0).type().dims.size(), number(0)));
    return scalar(t_, "select", type(), DType::Bool, {predicate, results[1], results[0]}, {}, false);
  }
  /// What a loop carries without changing it, and all of a loop that does not run.
  std::optional<Term> loop() {
    Function &fn = *op_.fn;
    const RegionId cond = op_.regions()[0], body = op_.regions()[1];
    const Value goesOn = fn.terminator(cond).operand(0);
    const Indices first(goesOn.type().dims.size(), number(0));
    const bool isLeftOut = goesOn.constant() && numberOf(t_, e_.constantAt(goesOn.constant(), first)) == 0.0;
    if (!isLeftOut && fn.terminator(body).operand(result_).id != fn.params(body)[result_])
      return std::nullopt;
    return element(result_, at_);
  }
  /// What the computation makes of the elements at that place.
  std::optional<Term> mapped() {
    Function &fn = *op_.fn;
    const RegionId region = op_.regions()[0];
    std::vector<Term> elements;
    for (unsigned i = 0; i < op_.operandCount(); ++i)
      elements.push_back(element(i, at_));
    return e_.inRegion(fn.terminator(region).operand(0), fn.params(region), elements);
  }
  std::optional<Term> reduction() {
    std::vector<Term> shape = shapeOf(0);
    std::vector<int64_t> axes;
    const bool none = !e_.hasList(op_, "axes", 1);
    if (!none)
      axes = e_.listOf(op_, "axes", 1);
    const bool everything = isOnnx() && axes.empty();
    const bool nothing = everything && attrOr(op_, "noop_with_empty_axes", 0) != 0;
    std::vector<bool> reduced(shape.size(), everything && !nothing);
    for (int64_t a : axes) {
      std::optional<int64_t> at = axis(a, shape.size());
      if (!at)
        return std::nullopt;
      reduced[size_t(*at)] = true;
    }
    const bool keeps = attrOr(op_, "keepdims", isOnnx() ? 1 : 0) != 0;
    std::string f(op_.schema().name);
    f = f.starts_with("Reduce") ? f.substr(6) : f.substr(7);
    std::ranges::transform(f, f.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    const std::vector<Term> extents = extentsOf(shape, reduced);
    auto indices = [&](const Indices &k) { return placeOf(reduced, keeps, k); };
    const DType t = type();
    auto plain = [&](const Indices &k) { return element(0, indices(k)); };
    if (isInteger(t) && t_.isRing(t)) { // in whatever order
      const Term sum = f == "mean" || f == "logsum" ? e_.over("sum", t, extents, plain) : kNoTerm;
      std::vector<Term> args{sum};
      args.insert(args.end(), extents.begin(), extents.end());
      if (f == "mean" && extents.empty())
        return sum;
      if (sum != kNoTerm) {
        std::sort(args.begin() + 1, args.end());
        std::erase(args, number(1));
        return t_.apply(f, t, args);
      }
      if (f == "l1")
        return e_.over("sum", t, extents,
                       [&](const Indices &k) { return scalar(t_, "abs", t, t, {plain(k)}, {}, false); });
      if (f == "l2")
        return t_.apply("root", t, {e_.over("sum", t, extents, [&](const Indices &k) {
                          Term x = plain(k);
                          return t_.ringMul(t, x, x);
                        })});
    }
    if (t_.isRing(t)) {
      auto squares = [&](const Indices &k) {
        Term x = plain(k);
        return t_.ringMul(t, x, x);
      };
      if (f == "sumsquare")
        return e_.over("sum", t, extents, squares);
      if (isComplex(t) && f == "mean")
        return mean(e_.over("sum", t, extents, plain), extents);
      if (isFloat(t)) {
        if (f == "l1")
          return e_.over("sum", t, extents,
                         [&](const Indices &k) { return scalar(t_, "abs", t, t, {plain(k)}, {}, false); });
        if (f == "mean")
          return mean(e_.over("sum", t, extents, plain), extents);
        if (f == "l2")
          return scalar(t_, "sqrt", t, t, {e_.over("sum", t, extents, squares)}, {}, false);
        if (f == "logsum")
          return scalar(t_, "log", t, t, {e_.over("sum", t, extents, plain)}, {}, false);
        if (f == "logsumexp")
          return scalar(t_, "log", t, t,
                        {e_.over("sum", t, extents, [&](const Indices &k) { return exponential(t_, t, plain(k)); })},
                        {}, false);
      }
    }
    return e_.over(f, t, extents, plain);
  }
  /// Of real numbers.
  Term mean(Term sum, const std::vector<Term> &extents) {
    Term count = number(1);
    for (Term e : extents)
      count = t_.mul(count, e);
    if (std::optional<int64_t> n = t_.asNumber(count); n && *n)
      return t_.ringMul(type(), sum, t_.ringInverse(type(), t_.ringNumber(type(), *n)));
    return t_.ringMul(type(), sum, t_.apply("one over", type(), {count}));
  }
  std::optional<Term> globalPool() {
    std::vector<Term> shape = shapeOf(0), extents(shape.begin() + 2, shape.end());
    auto plain = [&](const Indices &k) {
      Indices at(at_.begin(), at_.begin() + 2);
      at.insert(at.end(), k.begin(), k.end());
      return element(0, at);
    };
    if (op_.schema().name == "GlobalMaxPool")
      return e_.over("max", type(), extents, plain);
    if (t_.isRing(type()))
      return mean(e_.over("sum", type(), extents, plain), extents);
    return e_.over("mean", type(), extents, plain);
  }
  std::optional<Term> argument() {
    std::vector<Term> shape = shapeOf(0);
    std::optional<int64_t> a = axis(attrOr(op_, "axis", 0), shape.size());
    if (!a)
      return std::nullopt;
    const bool keeps = attrOr(op_, "keepdims", isOnnx() ? 1 : 0) != 0;
    // The place of the least float is that of the greatest negative.
    const DType from = in(0).type().dtype;
    const bool turns = op_.schema().name == "ArgMin" && isFloat(from) && t_.level() != Level::Plain;
    const Term row = e_.over("whole", from, {shape[size_t(*a)]}, [&](const Indices &k) {
      Indices at = at_;
      if (keeps)
        at[size_t(*a)] = k[0];
      else
        at.insert(at.begin() + *a, k[0]);
      const Term x = element(0, at);
      return turns ? scalar(t_, "neg", from, from, {x}, {}, false) : x;
    });
    return t_.apply(turns ? std::string_view("onnx.ArgMax") : op_.fullName(), type(), {row},
                    e_.attrNumbers(op_, {"axis", "keepdims"}));
  }

  /// Elements along an axis through this place.
  Term row(unsigned operand, size_t axis) {
    return e_.over("whole", in(operand).type().dtype, {shapeOf(operand)[axis]}, [&](const Indices &k) {
      Indices at = at_;
      at[axis] = k[0];
      return element(operand, at);
    });
  }
  std::optional<Term> softmax() {
    std::vector<Term> shape = shapeOf(0);
    const bool flattens = isOnnx() && op_.schema().until < 13;
    std::optional<int64_t> a = axis(attrOr(op_, "axis", flattens ? 1 : -1), std::max<size_t>(shape.size(), 1));
    if (!a)
      return std::nullopt;
    std::string name(op_.schema().name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    const size_t first = size_t(*a), last = flattens || shape.empty() ? shape.size() : first + 1;
    std::vector<Term> extents(shape.begin() + long(first), shape.begin() + long(last));
    auto along = [&](const Indices &k) {
      Indices at = at_;
      std::ranges::copy(k, at.begin() + long(first));
      return element(0, at);
    };
    const DType t = type();
    if (t_.isRing(t) && name != "hardmax") {
      const Term sum = e_.over("sum", t, extents, [&](const Indices &k) { return exponential(t_, t, along(k)); });
      if (name == "softmax")
        return scalar(t_, "div", t, t, {exponential(t_, t, element(0, at_)), sum}, {}, false);
      return t_.ringAdd(t, element(0, at_), t_.ringScale(t, scalar(t_, "log", t, t, {sum}, {}, false), -1));
    }
    // In which order they stand counts: sums.
    std::vector<Term> args{e_.over("whole", t, extents, along)};
    args.insert(args.end(), at_.begin() + long(first), at_.begin() + long(last));
    return t_.apply(name, t, args);
  }
  std::optional<Term> alongAxis() {
    std::vector<Term> shape = shapeOf(0);
    std::optional<int64_t> a = axis(attrOr(op_, "axis", -1), shape.size());
    if (!a)
      return std::nullopt;
    return t_.apply(op_.fullName(), type(), {row(0, size_t(*a)), at_[size_t(*a)]}, e_.attrNumbers(op_, {"axis"}));
  }
  /// The sum of the elements up to this one.
  std::optional<Term> cumulated() {
    std::vector<Term> shape = shapeOf(0);
    const size_t a = size_t(*axis(attrOr(op_, "axis", 0), shape.size()));
    const bool exclusive = attrOr(op_, "exclusive", 0) != 0, reverse = attrOr(op_, "reverse", 0) != 0;
    auto at = [&](Term k) {
      Indices place = at_;
      place[a] = k;
      return element(0, place);
    };
    const DType t = type();
    if (t_.isRing(t)) {
      // From there on as many as lie before or behind.
      const Term own = number(exclusive ? 0 : 1), here = number(exclusive ? 1 : 0);
      const Term count = reverse ? t_.add(t_.sub(t_.sub(shape[a], number(1)), at_[a]), own) : t_.add(at_[a], own);
      if (t_.asNumber(count) == 0)
        return zero();
      return e_.over("sum", t, {count},
                     [&](const Indices &k) { return at(reverse ? t_.add(t_.add(at_[a], here), k[0]) : k[0]); });
    }
    const std::optional<int64_t> n = t_.asNumber(shape[a]), last = t_.asNumber(at_[a]);
    if (!n || !last)
      return alongAxis();
    std::vector<Term> all;
    for (int64_t k = reverse ? *n - 1 : 0; k != *last; k += reverse ? -1 : 1)
      all.push_back(at(number(k)));
    if (!exclusive)
      all.push_back(at(number(*last)));
    if (all.empty())
      return zero();
    return all.size() == 1 ? all[0] : t_.apply("cumulated", t, std::move(all)); // one after another
  }
  /// An element of a row in order. That of a row in order, and that of one element, stay where they are.
  std::optional<Term> sorted() {
    std::vector<Term> shape = shapeOf(0);
    const size_t a = size_t(*axis(attrOr(op_, "axis", -1), shape.size()));
    if (t_.asNumber(shape[a]) == 1)
      return element(0, at_);
    const std::vector<int64_t> numbers = e_.attrNumbers(op_, {"axis"});
    const Op maker = in(0).definingOp();
    if (t_.level() != Level::Plain && maker && maker.fullName() == op_.fullName() &&
        e_.attrNumbers(maker) == e_.attrNumbers(op_))
      return element(0, at_);
    return t_.apply(op_.fullName(), type(), {row(0, a), at_[a]}, numbers);
  }
  std::optional<Term> cumSum() {
    std::vector<int64_t> list = e_.intsOf(in(1));
    std::optional<int64_t> a = list.empty() ? std::nullopt : axis(list[0], shapeOf(0).size());
    if (!a)
      return std::nullopt;
    return t_.apply(op_.fullName(), type(), {row(0, size_t(*a)), at_[size_t(*a)]}, e_.attrNumbers(op_));
  }

  /// An element of the row through this place, by an index that stands there.
  std::optional<Term> gatherElements() {
    std::optional<int64_t> a = axis(attrOr(op_, "axis", 0), shapeOf(0).size());
    if (!a)
      return std::nullopt;
    const Term index = element(1, at_);
    if (std::optional<int64_t> i = wholeNumber(t_, index)) {
      Indices from = at_;
      from[size_t(*a)] = *i >= 0 ? number(*i) : t_.add(shapeOf(0)[size_t(*a)], number(*i));
      return element(0, from);
    }
    return t_.apply("picked", type(), {row(0, size_t(*a)), narrowest(index)});
  }
  /// Where all rows have updates: of the row's elements, indices and updates.
  std::optional<Term> scatterElements() {
    const std::vector<Term> shape = shapeOf(0), places = shapeOf(1);
    std::optional<int64_t> a = axis(attrOr(op_, "axis", 0), shape.size());
    if (!a || places.size() != shape.size() || places != shapeOf(2))
      return std::nullopt;
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != size_t(*a) && places[i] != shape[i]) { // what lies behind the places stays
        const std::optional<int64_t> place = t_.asNumber(at_[i]), count = t_.asNumber(places[i]);
        if (!place || !count)
          return std::nullopt;
        if (*place >= *count)
          return element(0, at_);
      }
    return t_.apply(op_.fullName(), type(),
                    {row(0, size_t(*a)), row(1, size_t(*a)), row(2, size_t(*a)), at_[size_t(*a)]},
                    e_.attrNumbers(op_, {"axis"}));
  }
  /// Rows at places that constants say: of several at one place the last one stays.
  std::optional<Term> scatterRows() {
    const std::string_view reduction = attrOr(op_, "reduction", "");
    const std::vector<Term> shape = shapeOf(0), places = shapeOf(1);
    const size_t depth = places.empty() ? 0 : size_t(t_.asNumber(places.back()).value_or(0));
    if ((!reduction.empty() && reduction != "none") || depth < 1 || depth > shape.size())
      return std::nullopt;
    const std::vector<int64_t> list = e_.intsOf(in(1));
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < depth; ++d) {
      const std::optional<int64_t> n = t_.asNumber(shape[d]);
      if (!n)
        return std::nullopt;
      sizes.push_back(*n);
    }
    // Element `row` of the updates, counted along the dimensions that places have in front of their last one.
    auto update = [&](Term row) {
      Indices at(places.size() - 1, number(0));
      if (const std::optional<int64_t> n = t_.asNumber(row)) {
        int64_t rest = *n;
        for (size_t d = at.size(); d > 0; --d) {
          const int64_t extent = *t_.asNumber(places[d - 1]);
          at[d - 1] = number(rest % extent);
          rest /= extent;
        }
      } else {
        at.back() = row;
      }
      at.insert(at.end(), at_.begin() + long(depth), at_.end());
      return element(2, at);
    };
    // All rows in order, whichever is asked for.
    bool inOrder = depth == 1 && places.size() == 2 && int64_t(list.size()) == sizes[0];
    for (size_t k = 0; k < list.size(); ++k)
      inOrder &= list[k] == int64_t(k);
    if (inOrder)
      return update(at_[0]);
    std::vector<int64_t> wanted;
    for (size_t d = 0; d < depth; ++d) {
      const std::optional<int64_t> n = sizes[d] == 1 ? 0 : t_.asNumber(at_[d]);
      if (!n)
        return std::nullopt;
      wanted.push_back(*n);
    }
    for (size_t row = list.size() / depth; row > 0; --row) {
      bool is = true;
      for (size_t d = 0; d < depth; ++d) {
        const int64_t n = list[(row - 1) * depth + d];
        is &= (n < 0 ? n + sizes[d] : n) == wanted[d];
      }
      if (is)
        return update(number(int64_t(row - 1)));
    }
    return element(0, at_);
  }
  /// The greatest elements of a row, or their places.
  std::optional<Term> topK() {
    std::optional<int64_t> a = axis(attrOr(op_, "axis", -1), shapeOf(0).size());
    if (!a)
      return std::nullopt;
    std::vector<int64_t> numbers = e_.attrNumbers(op_, {"axis"});
    numbers.push_back(result_);
    std::vector<Term> args{row(0, size_t(*a)), at_[size_t(*a)]};
    if (op_.operandCount() > 1)
      args.push_back(e_.whole(in(1)));
    return t_.apply(op_.fullName(), type(), args, numbers);
  }
  /// Along an axis: the elements of a row at which a condition of all rows holds.
  std::optional<Term> compress() {
    constexpr int64_t kNone = std::numeric_limits<int64_t>::min(); // of all elements in a row
    const int64_t along = attrOr(op_, "axis", kNone);
    std::optional<int64_t> a = axis(along, shapeOf(0).size());
    if (along == kNone || !a)
      return std::nullopt;
    return t_.apply(op_.fullName(), type(), {row(0, size_t(*a)), e_.whole(in(1)), at_[size_t(*a)]});
  }

  // Products.
  std::optional<Term> einsum() {
    std::string text(attrOr(op_, "equation", ""));
    std::erase(text, ' ');
    if (text.find('.') != text.npos)
      return std::nullopt;
    const size_t arrow = text.find("->");
    std::vector<std::string> names(1);
    for (char c : text.substr(0, arrow))
      if (c == ',')
        names.emplace_back();
      else
        names.back() += c;
    std::string result;
    if (arrow != text.npos) {
      result = text.substr(arrow + 2);
    } else { // what stands once, by the alphabet
      for (char c = 'A'; c <= 'z'; ++c)
        if (std::ranges::count(text, c) == 1)
          result += c;
    }
    if (names.size() != op_.operandCount() || names.size() > 2 || result.size() != at_.size())
      return std::nullopt;
    std::map<char, Term> extents;
    std::string summed; // in the order in which they stand
    for (unsigned i = 0; i < names.size(); ++i) {
      const std::vector<Term> shape = shapeOf(i);
      if (shape.size() != names[i].size())
        return std::nullopt;
      for (size_t d = 0; d < shape.size(); ++d) {
        auto [it, isNew] = extents.try_emplace(names[i][d], shape[d]);
        if (t_.asNumber(it->second) == 1) // which is stretched
          it->second = shape[d];
        else if (it->second != shape[d] && t_.asNumber(shape[d]) != 1)
          return std::nullopt;
        if (isNew && result.find(names[i][d]) == result.npos)
          summed += names[i][d];
      }
    }
    std::vector<Term> sums;
    for (char c : summed)
      sums.push_back(extents.at(c));
    auto operand = [&](unsigned i, const Indices &k) {
      Indices place;
      const std::vector<Term> shape = shapeOf(i);
      for (size_t d = 0; d < names[i].size(); ++d) {
        const size_t sum = summed.find(names[i][d]);
        place.push_back(t_.asNumber(shape[d]) == 1 ? number(0)
                        : sum != summed.npos       ? k[sum]
                                                   : at_[result.find(names[i][d])]);
      }
      return element(i, place);
    };
    if (names.size() == 1)
      return e_.over("sum", type(), sums, [&](const Indices &k) { return operand(0, k); });
    return e_.sumOfProducts(type(), sums, [&](const Indices &k) { return std::pair(operand(0, k), operand(1, k)); });
  }
  std::optional<Term> matmul() {
    std::vector<Term> a = shapeOf(0), b = shapeOf(1);
    if (a.empty() || b.empty())
      return std::nullopt;
    const Term k = a.back();
    size_t tail = (a.size() > 1) + (b.size() > 1);
    Indices batch(at_.begin(), at_.end() - long(tail));
    const Term row = a.size() > 1 ? at_[batch.size()] : kNoTerm, column = b.size() > 1 ? at_.back() : kNoTerm;
    auto batchOf = [&](const std::vector<Term> &shape) {
      Indices out;
      const size_t rank = shape.size() > 2 ? shape.size() - 2 : 0;
      for (size_t i = 0; i < rank; ++i)
        out.push_back(t_.asNumber(shape[i]) == 1 ? number(0) : batch[batch.size() - rank + i]);
      return out;
    };
    return e_.sumOfProducts(type(), {k}, [&](const Indices &at) {
      Indices x = batchOf(a), y = batchOf(b);
      if (a.size() > 1)
        x.push_back(row);
      x.push_back(at[0]);
      y.push_back(at[0]);
      if (b.size() > 1)
        y.push_back(column);
      return std::pair(element(0, x), element(1, y));
    });
  }
  Term rootOf(DType t, Term x) { return scalar(t_, "sqrt", t, t, {x}, {}, false); }
  std::optional<Term> gemm() {
    const bool ta = attrOr(op_, "transA", 0) != 0, tb = attrOr(op_, "transB", 0) != 0;
    const double alpha = attrOr(op_, "alpha", 1.0), beta = attrOr(op_, "beta", 1.0);
    const DType t = type();
    Term product = e_.sumOfProducts(t, {shapeOf(0)[ta ? 0 : 1]}, [&](const Indices &k) {
      return std::pair(element(0, ta ? Indices{k[0], at_[0]} : Indices{at_[0], k[0]}),
                       element(1, tb ? Indices{at_[1], k[0]} : Indices{k[0], at_[1]}));
    });
    bool hasC = op_.operandCount() > 2 && in(2);
    Term c = hasC ? element(2, e_.broadcastIndices(in(2), at_, resultShape())) : kNoTerm;
    const auto isWhole = [](double v) { return std::floor(v) == v && std::fabs(v) <= 1024; };
    if (t_.isRing(t) && (isFloat(t) || (isWhole(alpha) && isWhole(beta)))) {
      const auto factor = [&](double v) { return isFloat(t) ? literalTerm(t_, t, v) : t_.ringNumber(t, int64_t(v)); };
      Term out = t_.ringMul(t, product, factor(alpha));
      return hasC ? t_.ringAdd(t, out, t_.ringMul(t, c, factor(beta))) : out;
    }
    if (!hasC && alpha == 1)
      return product;
    std::vector<Term> args{product};
    if (hasC)
      args.push_back(c);
    return t_.apply("gemm", t, args, {std::bit_cast<int64_t>(alpha), hasC ? std::bit_cast<int64_t>(beta) : 0});
  }
  std::optional<Term> dotGeneral() {
    std::vector<int64_t> lb = e_.intsAttr(op_, "lhs_batch").value_or(std::vector<int64_t>{}),
                         rb = e_.intsAttr(op_, "rhs_batch").value_or(std::vector<int64_t>{}),
                         lc = e_.intsAttr(op_, "lhs_contract").value_or(std::vector<int64_t>{}),
                         rc = e_.intsAttr(op_, "rhs_contract").value_or(std::vector<int64_t>{});
    std::vector<Term> a = shapeOf(0), b = shapeOf(1);
    const bool last = attrOr(op_, "batch_last", 0) != 0;
    Indices x(a.size(), kNoTerm), y(b.size(), kNoTerm);
    size_t place = last ? at_.size() - lb.size() : 0;
    for (size_t i = 0; i < lb.size(); ++i) {
      x[size_t(lb[i])] = at_[place + i];
      y[size_t(rb[i])] = at_[place + i];
    }
    place = last ? 0 : lb.size();
    for (auto [list, contracted] : {std::pair(&x, &lc), std::pair(&y, &rc)})
      for (size_t i = 0; i < list->size(); ++i)
        if ((*list)[i] == kNoTerm && std::ranges::find(*contracted, int64_t(i)) == contracted->end())
          (*list)[i] = at_.at(place++);
    std::vector<Term> extents;
    for (int64_t d : lc)
      extents.push_back(a[size_t(d)]);
    return e_.sumOfProducts(type(), extents, [&](const Indices &k) {
      for (size_t i = 0; i < k.size(); ++i) {
        x[size_t(lc[i])] = k[i];
        y[size_t(rc[i])] = k[i];
      }
      return std::pair(element(0, x), element(1, y));
    });
  }
  struct Window {
    bool known = false;
    std::vector<int64_t> strides, dilations, pads;
  };
  /// Of an op whose window has these sizes: attributes, and what auto_pad makes of them.
  Window windowOf(const std::vector<Term> &x, const std::vector<Term> &kernel) {
    const size_t spatial = x.size() - 2;
    Window out;
    std::vector<int64_t> ones(spatial, 1), zeros(2 * spatial, 0);
    out.strides = e_.intsAttr(op_, "strides").value_or(ones);
    out.dilations = e_.intsAttr(op_, "dilations").value_or(ones);
    out.pads = e_.intsAttr(op_, "pads").value_or(zeros);
    if (out.strides.empty())
      out.strides = ones;
    if (out.dilations.empty())
      out.dilations = ones;
    if (out.pads.empty())
      out.pads = zeros;
    const std::string_view autoPad = attrOr(op_, "auto_pad", "");
    out.known = out.strides.size() == spatial && out.dilations.size() == spatial && out.pads.size() == 2 * spatial;
    if (autoPad == "" || autoPad == "NOTSET" || !out.known)
      return out;
    out.pads = zeros;
    if (autoPad == "VALID")
      return out;
    for (size_t i = 0; i < spatial; ++i) {
      std::optional<int64_t> size = t_.asNumber(x[2 + i]), k = t_.asNumber(kernel[i]);
      if (!size || !k || (autoPad != "SAME_UPPER" && autoPad != "SAME_LOWER")) {
        out.known = false;
        return out;
      }
      const int64_t count = (*size + out.strides[i] - 1) / out.strides[i];
      const int64_t total =
          std::max<int64_t>((count - 1) * out.strides[i] + (*k - 1) * out.dilations[i] + 1 - *size, 0);
      out.pads[i] = autoPad == "SAME_LOWER" ? total - total / 2 : total / 2;
      out.pads[spatial + i] = total - out.pads[i];
    }
    return out;
  }
  std::optional<Term> convTranspose() {
    std::vector<Term> x = shapeOf(0), w = shapeOf(1);
    if (x.size() < 3 || w.size() != x.size())
      return std::nullopt;
    Window window = windowOf(x, std::vector<Term>(w.begin() + 2, w.end()));
    const std::string_view autoPad = attrOr(op_, "auto_pad", "");
    if (autoPad.starts_with("SAME") || e_.intsAttr(op_, "output_shape")) {
      // What the result's size leaves over is taken away on both sides.
      const std::vector<Term> result = resultShape();
      const std::vector<int64_t> extra =
          e_.intsAttr(op_, "output_padding").value_or(std::vector<int64_t>(x.size() - 2, 0));
      window.known = window.strides.size() == x.size() - 2 && window.dilations.size() == x.size() - 2 &&
                     window.pads.size() == 2 * x.size() - 4 && extra.size() == x.size() - 2;
      for (size_t i = 0; window.known && i + 2 < x.size(); ++i) {
        const Term full = t_.add(t_.add(t_.mul(t_.sub(x[2 + i], number(1)), number(window.strides[i])),
                                        t_.mul(t_.sub(w[2 + i], number(1)), number(window.dilations[i]))),
                                 number(1 + extra[i]));
        const std::optional<int64_t> over = t_.asNumber(t_.sub(full, result[2 + i]));
        window.known = over.has_value();
        const int64_t total = std::max<int64_t>(over.value_or(0), 0);
        window.pads[i] = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
      }
    }
    if (!window.known)
      return std::nullopt;
    const size_t spatial = x.size() - 2;
    const int64_t group = attrOr(op_, "group", 1);
    const Term perGroup = t_.div(x[1], number(group)), g = group == 1 ? number(0) : t_.div(at_[1], w[1]);
    std::vector<Term> extents{perGroup};
    extents.insert(extents.end(), w.begin() + 2, w.end());
    const DType t = type();
    Term out = e_.sumOfProducts(t, extents, [&](const Indices &k) {
      const Term c = t_.add(t_.mul(g, perGroup), k[0]);
      Indices xi{at_[0], c}, wi{c, t_.sub(at_[1], t_.mul(g, w[1]))};
      std::vector<Term> conditions;
      for (size_t i = 0; i < spatial; ++i) {
        const Term p =
            t_.sub(t_.add(at_[2 + i], number(window.pads[i])), t_.mul(k[1 + i], number(window.dilations[i])));
        const Term q = t_.div(p, number(window.strides[i]));
        xi.push_back(q);
        wi.push_back(k[1 + i]);
        conditions.push_back(t_.below(number(-1), q));
        conditions.push_back(t_.below(q, x[2 + i]));
        if (window.strides[i] != 1)
          conditions.push_back(t_.below(t_.sub(p, t_.mul(q, number(window.strides[i]))), number(1)));
      }
      const bool outside = std::ranges::any_of(conditions, [&](Term b) { return t_.asNumber(b) == 0; });
      Term value = outside ? zero() : widened(0, xi, t);
      std::ranges::sort(conditions);
      if (!outside)
        for (Term b : conditions)
          value = t_.choice(t, b, value, zero());
      return std::pair(value, element(1, wi));
    });
    if (op_.operandCount() > 2 && in(2)) {
      const Term bias = element(2, {at_[1]});
      out = t_.isRing(t) ? t_.ringAdd(t, out, bias) : t_.apply("conv and bias", t, {out, bias});
    }
    return out;
  }
  /// What a convolution is, whichever dimensions its operands have their batch, features and places in.
  struct Convolution {
    size_t batch = 0, features = 1, in = 1, out = 0, resultBatch = 0, resultFeatures = 1;
    std::vector<int64_t> places, kernel, resultPlaces;
    std::vector<int64_t> strides, low, dilations, inputDilations; // for each place
    std::vector<bool> reversed;
    std::vector<bool> padded; // whether places may lie before, then behind
    int64_t groups = 1, batchGroups = 1;
    DType products = DType::Unknown; // what is summed, before it is brought to the result's type; Unknown: of that type
  };
  Term convolved(const Convolution &c) {
    const std::vector<Term> x = shapeOf(0), w = shapeOf(1);
    std::vector<Term> extents{w[c.in]};
    for (int64_t k : c.kernel)
      extents.push_back(w[size_t(k)]);
    const Term feature = at_[c.resultFeatures];
    const Term group = c.groups == 1 ? number(0) : t_.div(feature, t_.div(w[c.out], number(c.groups)));
    Term image = at_[c.resultBatch];
    if (c.batchGroups != 1)
      image = t_.add(image, t_.mul(t_.div(feature, t_.div(w[c.out], number(c.batchGroups))),
                                   t_.div(x[c.batch], number(c.batchGroups))));
    const DType t = c.products == DType::Unknown ? type() : c.products;
    const Term sum = e_.sumOfProducts(t, extents, [&](const Indices &k) {
      Indices xi(x.size(), kNoTerm), wi(w.size(), kNoTerm);
      xi[c.batch] = image;
      xi[c.features] = t_.add(t_.mul(group, w[c.in]), k[0]);
      wi[c.out] = feature;
      wi[c.in] = k[0];
      std::vector<Term> conditions;
      for (size_t i = 0; i < c.places.size(); ++i) {
        const size_t xd = size_t(c.places[i]), wd = size_t(c.kernel[i]);
        const Term tap = k[1 + i];
        wi[wd] = c.reversed[i] ? t_.sub(t_.sub(w[wd], number(1)), tap) : tap;
        const Term place = t_.sub(
            t_.add(t_.mul(at_[size_t(c.resultPlaces[i])], number(c.strides[i])), t_.mul(tap, number(c.dilations[i]))),
            number(c.low[i]));
        xi[xd] = indexAt(place, x[xd], c.inputDilations[i], c.padded[i], c.padded[c.places.size() + i], conditions);
      }
      const auto inside = [&] { return widened(0, xi, t); };
      const Term value = where(conditions, inside, literalTerm(t_, t, 0));
      return std::pair(value, widened(1, wi, t));
    });
    if (t == type())
      return sum;
    // Such a sum is rounded once, not to its own type first: bit for bit this is no cast of a convolution.
    return t_.level() == Level::Reals ? scalar(t_, "cast", type(), t, {sum}, {}, false)
                                      : t_.apply("rounded sum", type(), {sum});
  }
  /// An element of an operand in the type in which products are summed.
  Term widened(unsigned operand, const Indices &at, DType to) {
    return scalar(t_, "cast", to, in(operand).type().dtype, {element(operand, at)}, {}, false);
  }
  std::optional<Term> conv() {
    std::vector<Term> x = shapeOf(0), w = shapeOf(1);
    if (x.size() < 3 || w.size() != x.size())
      return std::nullopt;
    const size_t spatial = x.size() - 2;
    Window window = windowOf(x, std::vector<Term>(w.begin() + 2, w.end()));
    if (!window.known)
      return std::nullopt;
    Convolution c;
    for (size_t i = 0; i < spatial; ++i)
      c.places.push_back(int64_t(2 + i));
    c.kernel = c.resultPlaces = c.places;
    c.strides = window.strides;
    c.dilations = window.dilations;
    c.low.assign(window.pads.begin(), window.pads.begin() + long(spatial));
    c.inputDilations = e_.intsAttr(op_, "input_dilations").value_or(std::vector<int64_t>(spatial, 1));
    if (c.inputDilations.size() != spatial)
      return std::nullopt;
    c.reversed.assign(spatial, false);
    for (int64_t p : window.pads)
      c.padded.push_back(p != 0);
    c.groups = attrOr(op_, isOnnx() ? "group" : "groups", 1);
    const DType t = type();
    Term out = convolved(c);
    if (op_.operandCount() > 2 && in(2)) {
      const Term bias = element(2, {at_[1]});
      out = t_.isRing(t) ? t_.ringAdd(t, out, bias) : t_.apply("conv and bias", t, {out, bias});
    }
    return out;
  }
  /// The elements of a list of lists or of bools, one after another.
  std::optional<std::vector<int64_t>> flatAttr(std::string_view name, size_t count, int64_t otherwise) {
    const AttrId id = op_.attrNamed(name);
    std::vector<int64_t> out;
    if (!id)
      return std::vector<int64_t>(count, otherwise);
    const Context &ctx = e_.fn_.context();
    for (AttrId e : ctx.attr(id).elements) {
      const AttrData &a = ctx.attr(e);
      if (a.kind == AttrKind::Ints)
        out.insert(out.end(), a.ints.begin(), a.ints.end());
      else
        out.push_back(a.i);
    }
    return out.size() == count ? std::optional(out) : std::nullopt;
  }
  std::optional<Term> hloConvolution() {
    const std::vector<Term> x = shapeOf(0);
    auto dim = [&](std::string_view name) { return size_t(attrOr(op_, name, 0)); };
    Convolution c;
    c.batch = dim("input_batch_dimension");
    c.features = dim("input_feature_dimension");
    c.in = dim("kernel_input_feature_dimension");
    c.out = dim("kernel_output_feature_dimension");
    c.resultBatch = dim("output_batch_dimension");
    c.resultFeatures = dim("output_feature_dimension");
    const size_t spatial = x.size() - 2;
    auto list = [&](std::string_view name) {
      return e_.intsAttr(op_, name).value_or(std::vector<int64_t>(spatial, 1));
    };
    c.places = list("input_spatial_dimensions");
    c.kernel = list("kernel_spatial_dimensions");
    c.resultPlaces = list("output_spatial_dimensions");
    c.strides = list("window_strides");
    c.inputDilations = list("lhs_dilation");
    c.dilations = list("rhs_dilation");
    const std::optional<std::vector<int64_t>> padding = flatAttr("padding", 2 * spatial, 0),
                                              reversed = flatAttr("window_reversal", spatial, 0);
    c.groups = attrOr(op_, "feature_group_count", 1);
    c.batchGroups = attrOr(op_, "batch_group_count", 1);
    for (const auto *l : {&c.places, &c.kernel, &c.resultPlaces, &c.strides, &c.inputDilations, &c.dilations})
      if (l->size() != spatial)
        return std::nullopt;
    const DType summed = in(0).type().dtype;
    const bool areIntegers = isInteger(summed) && isInteger(type()); // sums wrap, whichever type is wider
    if (!padding || !reversed || summed != in(1).type().dtype || (summed == DType::Bool) != (type() == DType::Bool))
      return std::nullopt;
    if (summed != type() && !areIntegers && !holdsAll(summed, type())) {
      if (!isFloat(summed) || !isFloat(type()))
        return std::nullopt;
      c.products = summed;
    }
    for (size_t side = 0; side < 2; ++side)
      for (size_t i = 0; i < spatial; ++i)
        c.padded.push_back((*padding)[2 * i + side] != 0);
    for (size_t i = 0; i < spatial; ++i) {
      c.low.push_back((*padding)[2 * i]);
      c.reversed.push_back((*reversed)[i] != 0);
    }
    return convolved(c);
  }

  // Normalisations.
  std::optional<Term> batchNorm() {
    if (result_ != 0 || attrOr(op_, "training_mode", 0) != 0 || attrOr(op_, "spatial", 1) == 0)
      return std::nullopt;
    const DType t = type();
    const Term x = element(0, at_);
    std::vector<Term> p;
    for (unsigned i = 1; i < 5; ++i)
      p.push_back(element(i, {at_.at(1)}));
    const double epsilon = attrOr(op_, "epsilon", 1e-5);
    if (t_.isRing(t)) {
      const Term root = rootOf(t, t_.ringAdd(t, p[3], literalTerm(t_, t, epsilon)));
      const Term centred = t_.ringAdd(t, x, t_.ringScale(t, p[2], -1));
      return t_.ringAdd(t, t_.ringMul(t, scalar(t_, "div", t, t, {centred, root}, {}, false), p[0]), p[1]);
    }
    return t_.apply("batch norm", t, {x, p[0], p[1], p[2], p[3]}, {std::bit_cast<int64_t>(epsilon)});
  }
  /// A function of what stands at this place in all channels, and of which channel it is.
  std::optional<Term> acrossChannels() {
    if (at_.size() < 2)
      return std::nullopt;
    return t_.apply(op_.fullName(), type(), {row(0, 1), at_[1]}, e_.attrNumbers(op_));
  }
  /// (x - mean) / sqrt(variance + epsilon), over the given dimensions from `first` on.
  Term normalised(size_t first, double epsilon) {
    std::vector<Term> shape = shapeOf(0), extents(shape.begin() + long(first), shape.end());
    auto along = [&](const Indices &k) {
      Indices at(at_.begin(), at_.begin() + long(first));
      at.insert(at.end(), k.begin(), k.end());
      return element(0, at);
    };
    const DType t = in(0).type().dtype;
    if (t_.isRing(t)) {
      const Term m = mean(e_.over("sum", t, extents, along), extents);
      const Term square = mean(e_.over("sum", t, extents,
                                       [&](const Indices &k) {
                                         const Term d = t_.ringAdd(t, along(k), t_.ringScale(t, m, -1));
                                         return t_.ringMul(t, d, d);
                                       }),
                               extents);
      const Term root = rootOf(t, t_.ringAdd(t, square, literalTerm(t_, t, epsilon)));
      return scalar(t_, "div", t, t, {t_.ringAdd(t, element(0, at_), t_.ringScale(t, m, -1)), root}, {}, false);
    }
    std::vector<Term> args{e_.over("whole", t, extents, along)};
    args.insert(args.end(), at_.begin() + long(first), at_.end());
    return t_.apply("normalised", t, args, {std::bit_cast<int64_t>(epsilon)});
  }
  Term scaled(Term x, Term scale, Term bias) {
    const DType t = type();
    if (t_.isRing(t)) {
      x = t_.ringMul(t, x, scale);
      return bias == kNoTerm ? x : t_.ringAdd(t, x, bias);
    }
    std::vector<Term> args{x, scale};
    if (bias != kNoTerm)
      args.push_back(bias);
    return t_.apply("scaled", t, args);
  }
  std::optional<Term> layerNorm() {
    std::vector<Term> shape = shapeOf(0);
    std::optional<int64_t> a = axis(attrOr(op_, "axis", -1), shape.size());
    if (result_ != 0 || !a)
      return std::nullopt;
    const bool hasBias = op_.operandCount() > 2 && in(2);
    const Term scale = element(1, e_.broadcastIndices(in(1), at_, shape));
    const Term bias = hasBias ? element(2, e_.broadcastIndices(in(2), at_, shape)) : kNoTerm;
    return scaled(normalised(size_t(*a), attrOr(op_, "epsilon", 1e-5)), scale, bias);
  }
  std::optional<Term> instanceNorm() {
    return scaled(normalised(2, attrOr(op_, "epsilon", 1e-5)), element(1, {at_.at(1)}), element(2, {at_.at(1)}));
  }
  /// A window written out: where places are numbers.
  std::optional<Term> window(const std::vector<Term> &shape) {
    const size_t spatial = shape.size() - 2;
    std::optional<std::vector<int64_t>> kernel = e_.intsAttr(op_, "kernel_shape");
    if (!kernel || kernel->size() != spatial || op_.schema().name == "LpPool")
      return std::nullopt;
    std::vector<Term> sizes;
    for (int64_t k : *kernel)
      sizes.push_back(number(k));
    Window w = windowOf(shape, sizes);
    if (!w.known)
      return std::nullopt;
    const bool alone = std::ranges::all_of(*kernel, [](int64_t k) { return k == 1; }) &&
                       std::ranges::all_of(w.pads, [](int64_t p) { return p == 0; });
    std::vector<int64_t> at, size;
    for (size_t i = 0; i < spatial; ++i) {
      std::optional<int64_t> o = t_.asNumber(at_[2 + i]), n = t_.asNumber(shape[2 + i]);
      if ((!o || !n) && !alone)
        return std::nullopt;
      at.push_back(o.value_or(0));
      size.push_back(n.value_or(1));
    }
    const DType t = type();
    const bool isMax = op_.schema().name == "MaxPool", pads = attrOr(op_, "count_include_pad", 0) != 0;
    std::vector<Term> all;
    int64_t count = 0;
    std::vector<int64_t> k(spatial, 0);
    while (true) {
      Indices from(at_.begin(), at_.begin() + 2);
      bool inside = true, padded = true;
      for (size_t i = 0; i < spatial; ++i) {
        if (alone) {
          from.push_back(t_.mul(at_[2 + i], number(w.strides[i])));
          continue;
        }
        const int64_t p = at[i] * w.strides[i] + k[i] * w.dilations[i] - w.pads[i];
        inside &= p >= 0 && p < size[i];
        padded &= p < size[i] + w.pads[spatial + i];
        from.push_back(number(p));
      }
      count += pads ? padded : inside;
      if (inside)
        all.push_back(element(0, from));
      size_t d = spatial;
      while (d > 0 && ++k[d - 1] == (*kernel)[d - 1])
        k[--d] = 0;
      if (d == 0)
        break;
    }
    if (isMax) {
      std::ranges::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
      const bool infinite = isFloat(t);
      const Term lowest = infinite ? literalTerm(t_, t, -std::numeric_limits<double>::infinity()) : kNoTerm;
      if (all.size() > 1)
        std::erase(all, lowest);
      std::vector<Term> flat;
      for (Term x : all)
        if (const TermNode &n = t_.node(x);
            t_.level() != Level::Plain && n.kind == TermKind::Apply && n.text == "max" && n.dtype == t)
          flat.insert(flat.end(), n.args.begin(), n.args.end());
        else
          flat.push_back(x);
      std::ranges::sort(flat);
      flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
      return flat.size() == 1 ? flat[0] : t_.apply("max", t, flat);
    }
    // What is added begins with 0, so that zeros among it change nothing.
    if (t_.isRing(t) && isFloat(t) && count) {
      Term sum = t_.ringNumber(t, 0);
      for (Term x : all)
        sum = t_.ringAdd(t, sum, x);
      return t_.ringMul(t, sum, t_.ringInverse(t, t_.ringNumber(t, count)));
    }
    std::erase(all, zero());
    return t_.apply("average of", t, all, {count});
  }
  /// Each image of a batch and each channel by itself.
  std::optional<Term> perImage() {
    std::vector<Term> shape = shapeOf(0);
    if (shape.size() < 3)
      return std::nullopt;
    if (result_ != 0) { // places of what was found greatest: how many windows there are says the type
      std::vector<Term> args{e_.whole(in(0))};
      args.insert(args.end(), at_.begin(), at_.end());
      return t_.apply("places of the greatest", type(), args, e_.attrNumbers(op_, {"ceil_mode"}));
    }
    if (std::optional<Term> written = window(shape))
      return written;
    std::vector<Term> extents(shape.begin() + 2, shape.end());
    std::vector<Term> args{e_.over("whole", type(), extents, [&](const Indices &k) {
      Indices at(at_.begin(), at_.begin() + 2);
      at.insert(at.end(), k.begin(), k.end());
      return element(0, at);
    })};
    args.insert(args.end(), at_.begin() + 2, at_.end());
    return t_.apply(op_.fullName(), type(), args, e_.attrNumbers(op_));
  }
  /// What Resize is told of one dimension.
  struct Resized {
    bool isTold = false;       // else it stays as it is
    std::vector<Term> numbers; // the factor, unless it is the quotient of the sizes; begin and end of the part cut out
    bool isByOne = false;      // the factor is 1 where the size stays
  };
  /// The elements of an operand that is a list of this length; nothing if it is none.
  std::optional<std::vector<Term>> listed(unsigned operand, size_t count) {
    if (operand >= op_.operandCount() || !in(operand))
      return std::nullopt;
    const std::vector<Term> shape = shapeOf(operand);
    if (shape.size() != 1 || t_.asNumber(shape[0]) != int64_t(count))
      return std::nullopt;
    std::vector<Term> out;
    for (size_t i = 0; i < count; ++i)
      out.push_back(element(operand, {number(int64_t(i))}));
    return out;
  }
  bool isEmptyList(unsigned operand) {
    const std::vector<Term> shape = shapeOf(operand);
    return shape.size() == 1 && t_.asNumber(shape[0]) == 0;
  }
  /// Of each dimension of the operand; nothing where it is not known.
  std::optional<std::vector<Resized>> resizedDimensions(const std::vector<Term> &from, bool crops) {
    std::vector<int64_t> axes;
    if (std::optional<std::vector<int64_t>> some = e_.intsAttr(op_, "axes"); some && !some->empty())
      axes = std::move(*some);
    else
      for (size_t d = 0; d < from.size(); ++d)
        axes.push_back(int64_t(d));
    const bool old = op_.schema().operands.size() <= 2;
    const bool bySizes = !old && op_.operandCount() > 3 && in(3) && !isEmptyList(3);
    const std::string_view policy = attrOr(op_, "keep_aspect_ratio_policy", "");
    std::vector<Term> factors;
    DType factorType = DType::F64;
    if (bySizes && !policy.empty() && policy != "stretch") { // one for all, whatever the order of sizes
      std::optional<std::vector<Term>> sizes = listed(3, axes.size());
      if (!sizes)
        return std::nullopt;
      std::vector<Term> quotients;
      bool isOne = false, allKnown = true;
      for (size_t k = 0; k < axes.size(); ++k)
        if (std::optional<int64_t> d = axis(axes[k], from.size())) {
          quotients.push_back(t_.apply("quotient", DType::F64, {(*sizes)[k], from[size_t(*d)]}));
          const std::optional<int64_t> above = wholeNumber(t_, (*sizes)[k]), below = t_.asNumber(from[size_t(*d)]);
          isOne |= above && above == below;
          allKnown &= above && below && *below > 0 && (policy == "not_larger" ? *above >= *below : *above <= *below);
        }
      std::ranges::sort(quotients);
      // The least or greatest quotient is 1 where one is and the others lie on its other side.
      const bool isByOne = isOne && allKnown && (policy == "not_larger" || policy == "not_smaller");
      factors.assign(axes.size(),
                     isByOne ? literalTerm(t_, factorType, 1) : t_.apply(policy, DType::F64, std::move(quotients)));
    } else if (!bySizes) {
      if (op_.schema().attrIndex("scales") >= 0) {
        for (double f : attrOr(op_, "scales", std::span<const double>()))
          factors.push_back(literalTerm(t_, DType::F64, f));
      } else if (const unsigned at = old ? 1 : 2; op_.operandCount() > at && in(at) && in(at).constant()) {
        if (auto found = floatsOfTensor(e_.fn_.context(), in(at).constant()))
          for (double f : *found)
            factors.push_back(literalTerm(t_, DType::F64, f));
      } else if (std::optional<std::vector<Term>> list = listed(at, axes.size())) {
        factors = std::move(*list);
        factorType = in(at).type().dtype;
      }
      if (factors.size() != axes.size())
        return std::nullopt;
    }
    std::optional<std::vector<Term>> part;
    if (crops && !(part = listed(1, 2 * axes.size())))
      return std::nullopt;
    std::vector<Resized> out(from.size());
    for (size_t k = 0; k < axes.size(); ++k) {
      const std::optional<int64_t> d = axis(axes[k], from.size());
      if (!d)
        return std::nullopt;
      Resized &one = out[size_t(*d)];
      one.isTold = true;
      one.isByOne = factors.empty();
      if (!factors.empty()) {
        one.numbers.push_back(factors[k]);
        one.isByOne = factors[k] == literalTerm(t_, factorType, 1);
      }
      if (part)
        one.numbers.insert(one.numbers.end(), {(*part)[k], (*part)[axes.size() + k]});
    }
    return out;
  }
  /// The nearest element has its place along each dimension by itself. Weighted sums go along one dimension after
  /// another, in their order. A dimension that keeps its size by a factor of 1 is not looked at.
  std::optional<Term> resize() {
    const std::string_view mode = attrOr(op_, "mode", "");
    const bool crops = attrOr(op_, "coordinate_transformation_mode", "") == "tf_crop_and_resize";
    std::vector<Term> from = shapeOf(0), to = resultShape();
    const std::optional<std::vector<Resized>> dims = resizedDimensions(from, crops);
    if (!dims)
      return std::nullopt;
    const std::vector<int64_t> how = e_.attrNumbers(op_, {"scales", "axes"});
    Indices at = at_;
    std::vector<Term> args, extents, outside;
    std::vector<size_t> resized;
    for (size_t d = 0; d < from.size(); ++d) {
      const Resized &told = (*dims)[d];
      if (!told.isTold ? !crops : from[d] == to[d] && told.isByOne && !crops)
        continue;
      std::vector<Term> place{at_[d], from[d], to[d]};
      place.insert(place.end(), told.numbers.begin(), told.numbers.end());
      if (mode == "nearest") {
        if (crops)
          outside.push_back(t_.apply("outside", DType::Bool, place, how));
        at[d] = t_.asNumber(from[d]) == 1 ? number(0) // there is no other
                                          : t_.apply("the nearest place", DType::I64, std::move(place), how);
        continue;
      }
      args.insert(args.end(), place.begin(), place.end());
      extents.push_back(from[d]);
      resized.push_back(d);
    }
    if (!outside.empty()) {
      std::ranges::sort(outside);
      // What is inside goes through floats of 64 bits.
      outside.push_back(element(0, at));
      return t_.apply("resized part", type(), std::move(outside), how);
    }
    if (resized.empty() && (mode == "nearest" || holdsAll(type(), DType::F64)))
      return element(0, at);
    args.insert(args.begin(), e_.over("whole", type(), extents, [&](const Indices &k) {
      Indices place = at_;
      for (size_t i = 0; i < resized.size(); ++i)
        place[resized[i]] = k[i];
      return element(0, place);
    }));
    return t_.apply(op_.fullName(), type(), std::move(args), how);
  }
  std::optional<Term> element() {
    const Op maker = in(0).definingOp();
    const int64_t index = attrOr(op_, "index", -1);
    if (!maker || (maker.fullName() != "tensor.tuple" && maker.fullName() != "stablehlo.tuple") || index < 0 ||
        index >= int64_t(maker.operandCount()))
      return std::nullopt;
    return e_.at(maker.operand(unsigned(index)), at_);
  }
  /// Where a slice of that size begins, held to where it lies inside.
  Term startOf(unsigned operand, Term size, Term extent) {
    const Term most = t_.sub(extent, size), x = narrowest(element(operand, {}));
    if (t_.asNumber(most) == 0)
      return number(0);
    if (std::optional<int64_t> start = wholeNumber(t_, x)) {
      if (*start <= 0 && (*start == 0 || isSigned(t_.node(x).dtype)))
        return number(0);
      if (std::optional<int64_t> last = t_.asNumber(most))
        return number(*start < 0 ? *last : std::min(*start, *last)); // without sign it is a great one
      if (*start > 0 && t_.isNonNegative(t_.sub(most, number(*start))))
        return number(*start);
    }
    if (std::optional<int64_t> last = t_.asNumber(most))
      if (std::optional<Term> place = placeWithin(x, *last))
        return *place;
    return t_.start(x, most);
  }
  /// An element that is held to 0 … m, with what is held and m.
  std::optional<std::pair<Term, int64_t>> heldFromZero(Term x) {
    const TermNode n = t_.node(x);
    if (n.kind != TermKind::Apply || (n.text != "min" && n.text != "max") || n.args.size() != 2)
      return std::nullopt;
    const bool isMin = n.text == "min";
    auto numberAt = [&](Term at) -> std::optional<int64_t> {
      const std::optional<int64_t> v = wholeNumber(t_, at);
      const unsigned bits = elementBits(n.dtype);
      return v && !isSigned(n.dtype) && bits < 64 ? *v & ((int64_t(1) << bits) - 1) : v;
    };
    for (size_t i : {0, 1}) {
      const std::optional<int64_t> end = numberAt(n.args[i]);
      const Term other = n.args[1 - i];
      const TermNode inside = t_.node(other);
      if (!end || *end < 0 || (!isMin && *end != 0))
        continue;
      if (isMin && !isSigned(n.dtype))
        return std::pair(other, *end);
      if (inside.kind == TermKind::Apply && inside.text == (isMin ? "max" : "min") && inside.args.size() == 2)
        for (size_t k : {0, 1})
          if (std::optional<int64_t> w = numberAt(inside.args[k]); w && (isMin ? *w == 0 : *w >= 0))
            return std::pair(inside.args[1 - k], isMin ? *end : *w);
    }
    return std::nullopt;
  }
  /// The place that an element names which is a sum of elements, each held, so that it lies in 0 … last by itself; or
  /// that is held to more than that.
  std::optional<Term> placeWithin(Term x, int64_t last) {
    const TermNode n = t_.node(x);
    if (!isInteger(n.dtype) || !t_.isRing(n.dtype) || !holdsUpTo(n.dtype, last) || last > INT32_MAX)
      return std::nullopt;
    if (std::optional<std::pair<Term, int64_t>> one = heldFromZero(x); one && one->second >= last)
      return t_.start(one->first, number(last));
    constexpr size_t kMostMonomials = 8;
    if (n.kind == TermKind::Polynomial && n.numbers.size() > 3 * kMostMonomials)
      return std::nullopt;
    const std::vector<int64_t> alone{1, 1, int64_t(x)};
    const std::vector<int64_t> &monomials = n.kind == TermKind::Polynomial ? n.numbers : alone;
    Term out = number(0);
    int64_t least = 0, most = 0;
    for (size_t i = 0; i < monomials.size(); i += 2 + size_t(monomials[i + 1])) {
      const int64_t coefficient = monomials[i];
      if (monomials[i + 1] > 1 || coefficient > INT32_MAX || coefficient < -INT32_MAX)
        return std::nullopt;
      if (monomials[i + 1] == 0) {
        out = t_.add(out, number(coefficient));
        least += coefficient, most += coefficient;
        continue;
      }
      std::optional<std::pair<Term, int64_t>> one = heldFromZero(Term(monomials[i + 2]));
      if (!one || one->second > INT32_MAX)
        return std::nullopt;
      out = t_.add(out, t_.mul(number(coefficient), t_.start(one->first, number(one->second))));
      (coefficient < 0 ? least : most) += coefficient * one->second;
      if (least < -INT32_MAX || most > INT32_MAX)
        return std::nullopt;
    }
    return least >= 0 && most <= last ? std::optional(out) : std::nullopt;
  }
  /// The same bits as another type of as many.
  std::optional<Term> bitcast() {
    const DType from = in(0).type().dtype;
    if (from == type())
      return element(0, at_);
    if (dtypeBytes(from) == 0 || dtypeBytes(from) != dtypeBytes(type()) || shapeOf(0).size() != at_.size())
      return std::nullopt;
    const Term x = element(0, at_);
    if (t_.level() != Level::Plain && isApply(t_, x, "bits") && t_.node(x).numbers[0] == int64_t(type()))
      return t_.node(x).args[0];
    return t_.apply("bits", type(), {x}, {int64_t(from)});
  }
  std::optional<Term> dynamicSlice() {
    std::vector<Term> shape = shapeOf(0), sizes = resultShape();
    Indices at = at_;
    for (size_t i = 0; i < shape.size(); ++i) {
      at[i] = t_.add(at[i], startOf(unsigned(1 + i), sizes[i], shape[i]));
    }
    return element(0, at);
  }
  /// An index as an element. Of places that are held to where a slice lies inside, the elements that they were, held.
  Term numberAt(Term index) {
    const Term whole = t_.apply("number", type(), {index});
    const TermNode n = t_.node(index);
    if (t_.level() == Level::Plain || !isInteger(type()) || !t_.isRing(type()) || n.numbers.size() > 24)
      return whole;
    Term out = t_.ringNumber(type(), 0);
    int64_t greatest = 0; // of the index
    auto add = [&](int64_t coefficient, Term place) {
      const TermNode p = t_.node(place);
      const std::optional<int64_t> most =
          p.kind == TermKind::Apply && p.text == "start" ? t_.asNumber(p.args[1]) : std::nullopt;
      if (!most || t_.node(p.args[0]).dtype != type() || *most > INT32_MAX || coefficient < 0 ||
          coefficient > INT32_MAX || !holdsUpTo(type(), greatest += coefficient * *most))
        return false;
      const Term held =
          extreme(t_, "min", type(),
                  {t_.ringNumber(type(), *most), extreme(t_, "max", type(), {t_.ringNumber(type(), 0), p.args[0]})});
      out = t_.ringAdd(type(), out, t_.ringScale(type(), held, coefficient));
      return true;
    };
    if (n.kind != TermKind::Polynomial)
      return add(1, index) ? out : whole;
    bool anyPlace = false;
    for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
      if (n.numbers[i + 1] == 0 && n.numbers[i] >= 0 && n.numbers[i] <= INT32_MAX &&
          holdsUpTo(type(), greatest += n.numbers[i]))
        out = t_.ringAdd(type(), out, t_.ringNumber(type(), n.numbers[i]));
      else if (n.numbers[i + 1] == 1 && add(n.numbers[i], Term(n.numbers[i + 2])))
        anyPlace = true;
      else
        return whole;
    }
    return anyPlace ? out : whole;
  }
  std::optional<Term> dynamicUpdate() {
    std::vector<Term> shape = shapeOf(0), sizes = shapeOf(1);
    for (Term s : sizes)
      if (t_.asNumber(s) == 0)
        return element(0, at_);
    Indices at = at_;
    std::vector<Term> conditions;
    for (size_t i = 0; i < shape.size(); ++i) {
      at[i] = t_.sub(at[i], startOf(unsigned(2 + i), sizes[i], shape[i]));
      if (!t_.isNonNegative(at[i]))
        conditions.push_back(t_.below(number(-1), at[i]));
      if (!t_.isBelow(at[i], sizes[i]))
        conditions.push_back(t_.below(at[i], sizes[i]));
    }
    if (std::ranges::any_of(conditions, [&](Term c) { return t_.asNumber(c) == 0; }))
      return element(0, at_);
    Term out = element(1, at);
    std::ranges::sort(conditions);
    for (Term c : conditions)
      out = t_.choice(type(), c, out, element(0, at_));
    return out;
  }
  std::optional<Term> prelu() {
    const std::vector<Term> shape = resultShape();
    const Term x = element(0, at_), slope = element(1, e_.broadcastIndices(in(1), at_, shape));
    return belowZero(t_, type(), x, scalar(t_, "mul", type(), type(), {x, slope}, {}, true));
  }

  TermEvaluator &e_;
  TermTable &t_;
  Op op_;
  unsigned result_;
  const Indices &at_;
};

Term TermEvaluator::operation(Op op, unsigned result, const Indices &at) {
  if (op.kind() == kOpaqueKind)
    return opaque(op, result, at);
  if (op.schema().expand) { // what it means
    auto it = meant_.find(op.id.raw);
    if (it == meant_.end()) {
      std::unique_ptr<TermEvaluator> inner;
      if (std::optional<MeaningFunction> meaning = meaningOf(*InputsOf(op), op.resultCount())) {
        meanings_.push_back(std::make_unique<Function>(std::move(meaning->function)));
        inner = std::make_unique<TermEvaluator>(t_, *meanings_.back());
        inner->outer_ = this;
        inner->writesOut_ = writesOut_;
        for (unsigned i : meaning->operands)
          inner->outerValues_.push_back(op.operand(i));
      }
      it = meant_.emplace(op.id.raw, std::move(inner)).first;
    }
    if (it->second)
      return it->second->result(result, at);
  }
  if (std::optional<Term> out = OpTerms(*this, op, result, at)())
    return *out;
  return opaque(op, result, at);
}

} // namespace rw::verify
