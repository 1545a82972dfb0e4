#include "rw/infer/contents.h"

#include "rw/infer/rules.h"
#include "rw/interp/constant_folder.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"
#include "rw/interp/kernel.h"
#include "rw/ir/expr_helpers.h"

#include <algorithm>

namespace rw {
namespace {

bool holdsNumbers(DType t) { return isInteger(t) || t == DType::Bool; }

} // namespace

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
  known_ = std::make_shared<const RulesByKind>(ops);
  auto rules = std::make_shared<std::vector<Rule>>(ops.size());
  for (uint16_t i = 0; i < ops.size(); ++i) {
    const OpSchema &schema = ops.schema(KindId{i});
    bool pure = schema.isPure() && schema.regions.empty() && !schema.hasTrait(Trait::Constant);
    (*rules)[i].evaluated = pure && canEvaluate(ops.fullName(KindId{i}));
    (*rules)[i].moves = (*rules)[i].evaluated && schema.hasTrait(Trait::MovesElements);
    const InferenceRules &known = known_->of(KindId{i});
    (*rules)[i].contents = known.contents;
    (*rules)[i].ofTypes = known.ofTypes;
  }
  rules_ = std::move(rules);
}

const InferenceRules &Contents::rulesOf(Op op) const { return known_->of(op.kind()); }

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

std::optional<Dims> Contents::contentsOf(Value v, bool asSizes) {
  constexpr int64_t kMostOpen = 64; // a list that is longer is no shape
  if (const Content *c = of(v)) {
    if (!isInteger(c->dtype))
      return std::nullopt;
    Dims dims;
    for (const Element &e : c->elements)
      dims.push_back(asSizes        ? e.asSize()
                     : e.isNumber() ? Dim::number(std::max(e.value(), Dim::kLeast))
                                    : e.asPolynomial());
    return dims;
  }
  const TypeData &type = v.type();
  if (type.kind != TypeKind::Tensor || !type.ranked || type.dims.size() > 1 ||
      (type.dtype != DType::Unknown && !isInteger(type.dtype)))
    return std::nullopt;
  Dim count = type.dims.empty() ? Dim(1) : type.dims[0];
  return count.isKnown() && count.size() <= kMostOpen ? unknownSizes(count.size()) : std::nullopt;
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
  if (rule.contents && rule.ofTypes)
    return rule.contents(op, *this);
  if ((!rule.contents && !rule.evaluated) || op.operandCount() == 0 || !small(op.result()))
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
  if (some && rule.contents)
    rule.contents(op, *this);
  else if (some && rule.moves)
    move(op);
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

/// Whether the op moves elements of its operand `i`.
static bool isMoved(Op op, unsigned i) {
  const OpSchema &schema = op.schema();
  for (unsigned group = 0; group < schema.operands.size() && group < 32; ++group)
    if (auto [first, count] = operandGroup(schema, op.operandCount(), group); i >= first && i - first < count)
      return schema.moved >> group & 1;
  return false;
}

/// Runs the op on the positions of elements; where they end up, the elements do.
void Contents::move(Op op) {
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
    const bool data = isMoved(op, i);
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

} // namespace rw
