#include "rw/infer/contents.h"

#include "rw/infer/elements.h"
#include "rw/interp/constant_folder.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"
#include "rw/interp/kernel.h"
#include "rw/ir/view.h"

#include <algorithm>

namespace rw {
namespace {

constexpr uint32_t kAllOperands = UINT32_MAX;

struct NamedRule {
  std::string_view name;
  ContentRule rule;
  uint32_t data = 0;
};
/// What is not listed has contents only if all of its operands are numbers.
constexpr NamedRule kRules[] = {
    {"onnx.Shape", ContentRule::Shape},
    {"onnx.Size", ContentRule::Size},
    {"onnx.Gather", ContentRule::Move, 1},
    {"onnx.GatherElements", ContentRule::Move, 1},
    {"onnx.GatherND", ContentRule::Move, 1},
    {"onnx.Slice", ContentRule::Move, 1},
    {"onnx.Squeeze", ContentRule::Move, 1},
    {"onnx.Unsqueeze", ContentRule::Move, 1},
    {"onnx.Reshape", ContentRule::Move, 1},
    {"onnx.Flatten", ContentRule::Move, 1},
    {"onnx.Expand", ContentRule::Move, 1},
    {"onnx.Transpose", ContentRule::Move, 1},
    {"onnx.Tile", ContentRule::Move, 1},
    {"onnx.Split", ContentRule::Move, 1},
    {"onnx.Concat", ContentRule::Move, kAllOperands},
    {"onnx.Where", ContentRule::Move, 6},
    {"onnx.ScatterND", ContentRule::Move, 5},
    {"onnx.ScatterElements", ContentRule::Move, 5},
    {"onnx.Add", ContentRule::Binary},
    {"onnx.Sub", ContentRule::Binary},
    {"onnx.Mul", ContentRule::Binary},
    {"onnx.Div", ContentRule::Binary},
    {"onnx.Mod", ContentRule::Binary},
    {"onnx.Equal", ContentRule::Binary},
    {"onnx.Less", ContentRule::Binary},
    {"onnx.Greater", ContentRule::Binary},
    {"onnx.LessOrEqual", ContentRule::Binary},
    {"onnx.GreaterOrEqual", ContentRule::Binary},
    {"onnx.Max", ContentRule::Binary},
    {"onnx.Min", ContentRule::Binary},
    {"onnx.ReduceProd", ContentRule::Reduce},
    {"onnx.ReduceSum", ContentRule::Reduce},
    {"onnx.Identity", ContentRule::Copy},
    {"onnx.Cast", ContentRule::Copy},
};

bool holdsNumbers(DType t) { return isInteger(t) || t == DType::Bool; }

} // namespace

AttrId attrNamed(Op op, std::string_view name) {
  if (op.kind() != kOpaqueKind)
    if (int i = op.schema().attrIndex(name); i >= 0)
      return op.attrOrDefault(unsigned(i));
  return op.extraAttr(name);
}

std::optional<int64_t> intAttrNamed(Op op, std::string_view name) {
  AttrId id = attrNamed(op, name);
  return id ? intOf(op.context(), id) : std::nullopt;
}

bool Content::isNumbers() const {
  return std::ranges::all_of(elements, [](const Element &e) { return e.isNumber(); });
}

bool Content::isComplete() const {
  return std::ranges::all_of(elements, [](const Element &e) { return e.isKnown(); });
}

bool Content::sameAs(const Content &o) const {
  return dtype == o.dtype && shape == o.shape &&
         std::ranges::equal(elements, o.elements, [](const Element &a, const Element &b) { return a.sameAs(b); });
}

Contents::Contents(Function &fn) : fn_(fn), index_(fn.valueCapacity(), -2) {
  const OpRegistry &ops = fn.context().ops();
  auto rules = std::make_shared<std::vector<Rule>>(ops.size());
  for (uint16_t i = 0; i < ops.size(); ++i) {
    const OpSchema &schema = ops.schema(KindId{i});
    bool pure = schema.isPure() && schema.regions.empty() && !schema.hasTrait(Trait::Constant);
    (*rules)[i].evaluated = pure && canEvaluate(ops.fullName(KindId{i}));
    if (auto it = std::ranges::find(kRules, std::string_view(ops.fullName(KindId{i})), &NamedRule::name);
        it != std::end(kRules)) {
      (*rules)[i].rule = it->rule;
      (*rules)[i].data = it->data;
    }
  }
  rules_ = std::move(rules);
}

std::optional<Tensor> Contents::tensorOf(const Content &content) {
  std::optional<Tensor> t = Tensor::make(content.dtype, content.shape);
  if (!t || t->size() != content.elements.size())
    return std::nullopt;
  visitAny(content.dtype, [&]<class T>(T) {
    for (size_t i = 0; i < t->size(); ++i)
      t->mutableData<T>()[i] = convertElement<T>(content.elements[i].value());
    return true;
  });
  return t;
}

static Content contentOf(const Tensor &t) {
  Content content{t.dtype(), t.shape(), {}};
  content.elements.reserve(t.size());
  for (size_t i = 0; i < t.size(); ++i)
    content.elements.push_back(Element::number(t.intAt(i)));
  return content;
}

const Content *Contents::of(Value v) {
  if (!v)
    return nullptr;
  if (v.id.raw >= index_.size())
    index_.resize(fn_.valueCapacity(), -2);
  int32_t &at = index_[v.id.raw];
  if (at == -2) {
    at = -1;
    AttrId constant = v.constant();
    const DenseData *dense = constant ? v.context().attr(constant).dense : nullptr;
    if (dense && holdsNumbers(v.context().type(dense->type).dtype) && v.context().type(dense->type).dtype != DType::U64)
      if (std::optional<int64_t> n = v.context().elementCount(dense->type); n && uint64_t(*n) <= kMostElements)
        if (std::optional<Tensor> t = Tensor::fromAttr(v.context(), constant))
          set(v, contentOf(*t));
  }
  return index_[v.id.raw] < 0 ? nullptr : &contents_[size_t(index_[v.id.raw])];
}

void Contents::set(Value v, Content &&content) {
  // Recorded types that contradict what was found are believed; nothing is said then.
  const TypeData &type = v.type();
  bool fits = content.elements.size() <= kMostElements && (type.dtype == DType::Unknown || type.dtype == content.dtype);
  if (fits && type.kind == TypeKind::Tensor && type.ranked) {
    fits = type.dims.size() == content.shape.size();
    for (size_t i = 0; fits && i < type.dims.size(); ++i)
      fits = !provablyDifferent(type.dims[i], Dim(content.shape[i]));
  }
  if (!fits)
    return;
  if (v.id.raw >= index_.size())
    index_.resize(fn_.valueCapacity(), -2);
  index_[v.id.raw] = int32_t(contents_.size());
  contents_.push_back(std::move(content));
}

bool Contents::small(Value v) const {
  if (!v)
    return true;
  const TypeData &type = v.type();
  if (type.dtype != DType::Unknown && !holdsNumbers(type.dtype))
    return false;
  std::optional<int64_t> n = fn_.context().elementCount(v.typeId());
  return !n || uint64_t(*n) <= kMostElements;
}

void Contents::visit(Op op) {
  if (op.kind().raw >= rules_->size() || op.resultCount() == 0)
    return;
  const Rule &rule = (*rules_)[op.kind().raw];
  if (rule.rule == ContentRule::Shape)
    return shape(op);
  if (rule.rule == ContentRule::Size)
    return size(op);
  if ((rule.rule == ContentRule::None && !rule.evaluated) || op.operandCount() == 0 || !small(op.result()))
    return;
  bool all = true, some = false;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (Value v = op.operand(i)) {
      const Content *c = small(v) ? of(v) : nullptr;
      some |= c != nullptr;
      all &= c && c->isNumbers();
    }
  if (all && rule.evaluated)
    return numbers(op);
  if (!some)
    return;
  switch (rule.rule) {
  case ContentRule::Move:
    return move(op, rule.data);
  case ContentRule::Binary:
    return binary(op);
  case ContentRule::Reduce:
    return reduce(op);
  case ContentRule::Copy:
    return copy(op);
  default:
    return;
  }
}

void Contents::visitAgain(Op op) {
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (uint32_t v = op.result(i).id.raw; v < index_.size())
      index_[v] = -2;
  visit(op);
}

void Contents::clear() {
  index_.assign(fn_.valueCapacity(), -2);
  contents_.clear();
}

/// All operands are numbers: what the evaluator says.
void Contents::numbers(Op op) {
  std::vector<Tensor> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    std::optional<Tensor> t = op.operand(i) ? tensorOf(*of(op.operand(i))) : Tensor();
    if (!t)
      return;
    operands.push_back(std::move(*t));
  }
  EvalResult r = evaluateOp(op, operands, {.maxBytes = size_t(1) << 20, .maxWork = 1 << 20});
  bool told = r.ok && isDefined(op, operands, r.values[0]);
  for (unsigned i = 0; told && i < op.resultCount(); ++i)
    if (const Tensor &t = r.values[i];
        t && holdsNumbers(t.dtype()) && t.dtype() != DType::U64 && t.size() <= kMostElements)
      set(op.result(i), contentOf(t));
}

void Contents::shape(Op op) {
  const TypeData &type = op.operand(0).type();
  if (type.kind != TypeKind::Tensor || !type.ranked)
    return;
  int64_t rank = int64_t(type.dims.size()), start = intAttrNamed(op, "start").value_or(0);
  int64_t end = intAttrNamed(op, "end").value_or(rank);
  auto wrapped = [rank](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  Content content;
  for (int64_t i = wrapped(start); i < wrapped(end); ++i)
    content.elements.push_back(Element::size(type.dims[size_t(i)]));
  content.shape = {int64_t(content.elements.size())};
  set(op.result(), std::move(content));
}

void Contents::size(Op op) {
  const TypeData &type = op.operand(0).type();
  if (type.kind != TypeKind::Tensor || !type.ranked)
    return;
  Dim product(1);
  for (Dim d : type.dims)
    product = fn_.context().dims().mul(product, d);
  set(op.result(), {DType::I64, {}, {Element::size(product)}});
}

/// Runs the op on the positions of elements; where they end up, the elements do.
void Contents::move(Op op, uint32_t dataOperands) {
  std::vector<Tensor> operands;
  std::vector<Element> pool;
  DType dtype = DType::Unknown;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    if (!v) {
      operands.emplace_back();
      continue;
    }
    const Content *c = of(v);
    if (!c)
      return;
    bool data = i >= 32 ? dataOperands == kAllOperands : dataOperands >> i & 1;
    if (!data && !c->isNumbers())
      return;
    Content positions{DType::I64, c->shape, {}};
    for (size_t e = 0; data && e < c->elements.size(); ++e)
      positions.elements.push_back(Element::number(int64_t(pool.size() + e)));
    std::optional<Tensor> t = tensorOf(data ? positions : *c);
    if (!t)
      return;
    if (data) {
      dtype = c->dtype;
      pool.insert(pool.end(), c->elements.begin(), c->elements.end());
    }
    operands.push_back(std::move(*t));
  }
  EvalResult r = evaluateOp(op, operands, {.maxBytes = size_t(1) << 20, .maxWork = 1 << 20});
  for (unsigned i = 0; r.ok && i < op.resultCount(); ++i) {
    const Tensor &t = r.values[i];
    if (!t || t.dtype() != DType::I64 || t.size() > kMostElements)
      continue;
    Content content{dtype, t.shape(), {}};
    for (size_t e = 0; e < t.size(); ++e)
      content.elements.push_back(pool[size_t(t.intAt(e))]);
    set(op.result(i), std::move(content));
  }
}

void Contents::binary(Op op) {
  std::string_view name = op.schema().name;
  if (op.operandCount() != 2)
    return;
  const Content *a = of(op.operand(0)), *b = of(op.operand(1));
  if (!a || !b || a->dtype != b->dtype)
    return;
  std::optional<Shape> shape = broadcastShapes(a->shape, b->shape);
  std::optional<size_t> n = shape ? elementsIn(*shape) : std::nullopt;
  if (!n || *n > kMostElements || (name == "Mod" && intAttrNamed(op, "fmod").value_or(0) != 0))
    return;
  ElementAlgebra algebra(fn_.context(), a->dtype);
  Content content{algebra.resultType(name), *shape, {}};
  content.elements.reserve(*n);
  Shape as = broadcastStrides(a->shape, *shape), bs = broadcastStrides(b->shape, *shape);
  for (size_t i = 0; i < *n; ++i) {
    int64_t rest = int64_t(i), at = 0, bt = 0;
    for (size_t d = shape->size(); d-- > 0; rest /= (*shape)[d]) {
      at += rest % (*shape)[d] * as[d];
      bt += rest % (*shape)[d] * bs[d];
    }
    content.elements.push_back(algebra.apply(name, a->elements[size_t(at)], b->elements[size_t(bt)]));
  }
  set(op.result(), std::move(content));
}

/// A reduction of all elements of a list to one.
void Contents::reduce(Op op) {
  const Content *c = of(op.operand(0));
  if (!c || c->shape.size() != 1)
    return;
  // Axes that are not given are all of them; of one dimension, so is any list of axes that is not empty.
  bool everything = op.operandCount() < 2 || !op.operand(1);
  if (!everything)
    if (const Content *axes = of(op.operand(1)))
      everything = !axes->elements.empty();
  if (!everything || intAttrNamed(op, "noop_with_empty_axes").value_or(0) != 0)
    return;
  std::string_view step = op.schema().name == "ReduceProd" ? "Mul" : "Add";
  ElementAlgebra algebra(fn_.context(), c->dtype);
  Element all = Element::number(step == "Mul");
  for (const Element &e : c->elements)
    all = algebra.apply(step, all, e);
  set(op.result(), {c->dtype, intAttrNamed(op, "keepdims").value_or(1) ? Shape{1} : Shape{}, {all}});
}

/// The same numbers, perhaps under another integer type that holds them. Sizes are taken to fit 32 bits (docs/onnx.md).
void Contents::copy(Op op) {
  const Content *c = of(op.operand(0));
  if (!c || op.operandCount() != 1)
    return;
  Content content = *c;
  if (op.schema().name == "Cast") {
    DType to = op.result().type().dtype;
    if (to != DType::I64 && to != DType::I32)
      return;
    content.dtype = to;
    if (to != c->dtype)
      for (Element &e : content.elements)
        e = to == DType::I32 && e.isSymbolic() && e.isNonNegative() ? e : ElementAlgebra(fn_.context(), to).fitted(e);
  }
  set(op.result(), std::move(content));
}

} // namespace rw
