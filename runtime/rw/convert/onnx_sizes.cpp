#include "rw/convert/onnx_sizes.h"

#include "rw/ir/text_format.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace rw {
namespace {

/// Makes the ops of one size. An expression is taken apart by its text, the one form in which others have it:
///   sum := ['-'] product { ('+' | '-') product }      product := factor { '*' factor }
///   factor := number | symbol | 'floordiv' '(' sum ',' sum ')' | 'mod' '(' sum ',' sum ')'
class SizeMaker {
public:
  explicit SizeMaker(PatternRewriter &rw) : rw_(rw), fn_(rw.function()), ctx_(rw.context()) {}

  Value size(Dim d) {
    if (d.isUnknown())
      return {};
    if (d.isKnown() || d.isNegative())
      return number(d.isKnown() ? d.size() : d.negative());
    if (Value whole = ofParam(d))
      return whole;
    std::string text = ctx_.dims().toString(d);
    text_ = text;
    at_ = 0;
    Value v = sum();
    return at_ == text_.size() ? v : Value();
  }

  Value numbers(std::span<const int64_t> list) {
    TypeId type = ctx_.tensorType(DType::I64, {Dim(int64_t(list.size()))});
    return rw_.materializeConstant("onnx", ctx_.denseAttr(type, std::as_bytes(list)), type);
  }
  Value number(int64_t n) { return numbers({&n, 1}); }

  Value make(std::string_view name, std::initializer_list<Value> operands,
             std::initializer_list<std::pair<std::string_view, int64_t>> attrs = {}, int64_t count = 1) {
    std::string full = "onnx." + std::string(name);
    int version = int(ctx_.dialectVersion("onnx"));
    KindId kind = version ? ctx_.ops().lookup(full, version) : ctx_.ops().lookup(full);
    if (kind == kOpaqueKind)
      return {};
    std::vector<ValueId> ids;
    for (Value v : operands) {
      if (!v)
        return {};
      ids.push_back(v.id);
    }
    AttrsId list = ctx_.noAttrs();
    for (auto [attr, value] : attrs)
      list = ctx_.withAttr(list, unsigned(ctx_.ops().schema(kind).attrIndex(attr)), ctx_.intAttr(value));
    TypeId type = ctx_.tensorType(DType::I64, {Dim(count)});
    return rw_.createTyped(kind, ids, list, {&type, 1}).result();
  }

private:
  /// The size of a parameter of the function that is the dimension.
  Value ofParam(Dim d) {
    for (ValueId id : fn_.params(fn_.body())) {
      Value param = fn_.value(id);
      const TypeData &type = param.type();
      for (size_t i = 0; type.ranked && i < type.dims.size(); ++i)
        if (type.dims[i] == d)
          return make("Shape", {param}, {{"start", int64_t(i)}, {"end", int64_t(i) + 1}});
    }
    return {};
  }

  bool eat(char c) {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  Value sum() {
    bool negative = eat('-');
    Value v = product();
    if (negative)
      v = make("Neg", {v});
    for (;;) {
      if (eat('+'))
        v = make("Add", {v, product()});
      else if (eat('-'))
        v = make("Sub", {v, product()});
      else
        return v;
    }
  }
  Value product() {
    Value v = factor();
    while (eat('*'))
      v = make("Mul", {v, factor()});
    return v;
  }
  Value factor() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"') { // a name that is no word
      size_t end = text_.find('"', at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    }
    while (at_ < text_.size() && text::isNameChar(text_[at_]))
      ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    int64_t n = 0;
    if (auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
        !word.empty() && error == std::errc() && end == word.data() + word.size())
      return number(n);
    bool quotient = word == "floordiv";
    if ((quotient || word == "mod") && eat('(')) {
      Value a = sum();
      bool comma = eat(',');
      Value b = sum(), rest = make("Mod", {a, b}); // of the divisor's sign: it rounds down
      if (!comma || !eat(')'))
        return {};
      return quotient ? make("Div", {make("Sub", {a, rest}), b}) : rest;
    }
    if (word.size() > 1 && word.front() == '"')
      word = word.substr(1, word.size() - 2);
    return word.empty() ? Value() : ofParam(ctx_.dims().symbol(ctx_.intern(word)));
  }

  PatternRewriter &rw_;
  Function &fn_;
  Context &ctx_;
  std::string_view text_;
  size_t at_ = 0;
};

} // namespace

Value onnxSize(PatternRewriter &rw, Dim d) { return SizeMaker(rw).size(d); }

Value onnxShape(PatternRewriter &rw, std::span<const Dim> dims) {
  SizeMaker maker(rw);
  std::vector<int64_t> known;
  std::vector<Value> parts;
  auto flush = [&] {
    if (!known.empty())
      parts.push_back(maker.numbers(known));
    known.clear();
  };
  for (Dim d : dims) {
    if (d.isKnown()) {
      known.push_back(d.size());
      continue;
    }
    flush();
    Value v = maker.size(d);
    if (!v)
      return {};
    parts.push_back(v);
  }
  if (parts.empty())
    return maker.numbers(known); // without dimensions, of none
  flush();
  if (parts.size() == 1)
    return parts.front();
  Context &ctx = rw.context();
  KindId kind = ctx.ops().lookup("onnx.Concat", int(ctx.dialectVersion("onnx") ? ctx.dialectVersion("onnx") : 17));
  if (kind == kOpaqueKind)
    return {};
  std::vector<ValueId> ids;
  for (Value v : parts)
    ids.push_back(v.id);
  AttrsId attrs = ctx.withAttr(ctx.noAttrs(), unsigned(ctx.ops().schema(kind).attrIndex("axis")), ctx.intAttr(0));
  TypeId type = ctx.tensorType(DType::I64, {Dim(int64_t(dims.size()))});
  return rw.createTyped(kind, ids, attrs, {&type, 1}).result();
}

} // namespace rw
