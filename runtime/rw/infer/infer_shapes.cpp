#include "rw/infer/infer_shapes.h"

#include "rw/infer/local_symbols.h"
#include "rw/infer/type_rules.h"
#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/rewriter.h"

#include <algorithm>

namespace rw {
namespace {

class ShapeWalk {
public:
  ShapeWalk(Function &fn, RewriteListener *listener, bool folds)
      : fn_(fn), ctx_(fn.context()), listener_(listener), rewriter_(fn, listener), contents_(fn), rules_(fn, contents_),
        names_(fn), folds_(folds) {}

  PassResult run();

private:
  struct Open {
    OpId next;   // in a region entered
    size_t mark; // of available_ before it
    OpId last;   // the op that it is the last region of
  };
  void visit(Op);
  void leave(Op);
  void refine(Op);
  void refineResult(Value, TypeId found);
  void name(Value);
  bool identity(Op);
  bool constants(Op);
  bool again(Op);
  bool replaces(Op, Value by);
  Value constant(Op like, const Content &);

  Function &fn_;
  Context &ctx_;
  RewriteListener *listener_;
  PatternRewriter rewriter_;
  Contents contents_;
  TypeRules rules_;
  LocalSymbols names_; // of unknown dimensions, which are unknown again at the end
  bool folds_, changed_ = false;
  uint64_t replaced_ = 0;
  std::vector<ValueId> available_; // values of computed shapes that dominate what comes next
  std::vector<bool> dominates_;    // by ValueId: whether it is one of them
  std::unordered_multimap<uint64_t, ValueId> byHash_;
};

PassResult ShapeWalk::run() {
  std::vector<Open> open{{fn_.data(fn_.body()).firstOp, 0, {}}};
  for (ValueId p : fn_.params(fn_.body()))
    name(fn_.value(p));
  while (!open.empty()) {
    OpId id = open.back().next;
    if (!id) {
      auto [next, mark, last] = open.back();
      open.pop_back();
      if (last)
        leave(fn_.op(last));
      for (; available_.size() > mark; available_.pop_back())
        dominates_[available_.back().raw] = false;
      continue;
    }
    open.back().next = fn_.data(id).next;
    Op op = fn_.op(id);
    visit(op);
    if (fn_.op(id).isErased())
      continue;
    std::span<const RegionId> regions = op.regions();
    for (size_t i = regions.size(); i-- > 0;) {
      for (ValueId p : fn_.params(regions[i]))
        name(fn_.value(p));
      open.push_back({fn_.data(regions[i]).firstOp, available_.size(), i + 1 == regions.size() ? id : OpId()});
    }
  }
  names_.forget();
  PassResult result;
  result.changed = changed_;
  result.rewrites.changed = changed_;
  result.rewrites.folds = replaced_;
  return result;
}

void ShapeWalk::visit(Op op) {
  if (op.kind() == kReturnKind)
    return;
  refine(op);
  contents_.visit(op);
  if (!folds_ || op.hasTrait(Trait::Constant) || !op.regions().empty() || !isEffectFree(op.schema()) ||
      op.kind() == kOpaqueKind)
    return;
  if (identity(op) || constants(op) || again(op))
    return;
  if (auto *simplify = contents_.rulesOf(op).simplify; simplify && simplify(op, contents_, rewriter_)) {
    changed_ = true;
    ++replaced_;
  }
}

/// What the results' types leave unknown. A type that contradicts what was found stays.
void ShapeWalk::refine(Op op) {
  InlineList<TypeId, 4> types = rules_.infer(op);
  for (unsigned i = 0; i < op.resultCount(); ++i)
    refineResult(op.result(i), types[i]);
}

void ShapeWalk::refineResult(Value v, TypeId found) {
  TypeId both = found ? ctx_.meet(v.typeId(), found) : TypeId();
  if (both && both != v.typeId()) {
    changed_ |= names_.without(both) != names_.without(v.typeId());
    fn_.setType(v.id, both);
  }
  name(v);
}

/// The results of ops with regions are what these say, known once they have been looked at.
void ShapeWalk::leave(Op op) {
  auto *ofRegions = contents_.rulesOf(op).regions.resultType;
  for (unsigned i = 0; ofRegions && i < op.resultCount(); ++i)
    if (TypeId found = ofRegions(op, i, names_)) {
      fn_.setType(op.result(i).id, names_.without(op.result(i).typeId())); // nobody has looked at the names yet
      refineResult(op.result(i), found);
    }
}

/// Gives each unknown dimension of the value a symbol of its own, so that what is computed from its size is known to be
/// that size. In a loop's body it stands for the size in one round; nothing outside looks at a body while the names are
/// there.
void ShapeWalk::name(Value v) {
  TypeId named = names_.named(v.typeId());
  if (named != v.typeId())
    fn_.setType(v.id, named);
}

bool ShapeWalk::replaces(Op op, Value by) {
  if (by == op.result() || !rewriter_.mayReplace(op.result(), by))
    return false;
  if (listener_)
    listener_->folding(op);
  rewriter_.begin(op);
  rewriter_.replaceOp(op, by);
  changed_ = true;
  ++replaced_;
  return true;
}

/// Whether nothing of the type is unknown.
static bool isFullyKnown(const TypeData &t) {
  return t.kind == TypeKind::Tensor && t.ranked && t.dtype != DType::Unknown &&
         std::ranges::none_of(t.dims, [](Dim d) { return d.isUnknown(); });
}

/// An op that changes nothing of its operand.
bool ShapeWalk::identity(Op op) {
  auto *keepsAll = contents_.rulesOf(op).keepsAll;
  Value x = keepsAll ? op.operand(0) : Value();
  return x && x.typeId() == op.result().typeId() && isFullyKnown(x.type()) && keepsAll(op, contents_) &&
         replaces(op, x);
}

Value ShapeWalk::constant(Op like, const Content &content) {
  std::optional<Tensor> t = Contents::tensorOf(content);
  return t ? rewriter_.materializeConstant(like, t->toAttr(ctx_), t->type(ctx_)) : Value();
}

/// Results that are numbers become constants.
bool ShapeWalk::constants(Op op) {
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (const Content *c = contents_.of(op.result(i)); !c || !c->isNumbers())
      return false;
  rewriter_.begin(op);
  InlineList<ValueId, 4> values;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    Value v = constant(op, *contents_.of(op.result(i)));
    if (!v || !rewriter_.mayReplace(op.result(i), v))
      return rewriter_.abandon();
    values.push_back(v.id);
  }
  if (listener_)
    listener_->folding(op);
  rewriter_.replaceOp(op, values);
  changed_ = true;
  ++replaced_;
  return true;
}

/// The same elements were computed before.
bool ShapeWalk::again(Op op) {
  if (op.resultCount() != 1)
    return false;
  const Content *c = contents_.of(op.result());
  if (!c || !c->isComplete())
    return false;
  uint64_t hash = uint64_t(c->dtype) * 31 + c->shape.size();
  for (const Element &e : c->elements)
    hash = (hash ^ e.hash()) * 0x9e3779b97f4a7c15u;
  auto [first, last] = byHash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    Value earlier = fn_.value(it->second);
    if (!dominates_[earlier.id.raw])
      continue; // of a region that is left
    if (const Content *known = contents_.of(earlier); known && known->sameAs(*c) && replaces(op, earlier))
      return true;
  }
  byHash_.emplace(hash, op.result().id);
  available_.push_back(op.result().id);
  if (dominates_.size() <= op.result().id.raw)
    dominates_.resize(fn_.valueCapacity());
  dominates_[op.result().id.raw] = true;
  return false;
}

class InferShapesPass : public FunctionPass {
public:
  explicit InferShapesPass(bool folds) : folds_(folds) {}
  std::string_view name() const override { return folds_ ? "fold_shapes" : "infer_shapes"; }
  bool mayFail() const override { return false; }
  bool worksOnFunctionsAlone() const override { return true; }
  PassResult run(Function &fn, PassContext &context) override {
    return ShapeWalk(fn, context.rewriteConfig.listener, folds_).run();
  }

private:
  bool folds_;
};

template <bool folds> MadePass makeInferShapes(const Registry &, const PassOptions &options) {
  if (Result<void> known = checkOptionNames(options, {}); !known)
    return known.failure();
  return std::make_unique<InferShapesPass>(folds);
}

} // namespace

void registerInferencePasses(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addPass({.name = "infer_shapes",
                    .doc = "Fills what types leave unknown, from operands and from shapes the program computes.",
                    .make = makeInferShapes<false>});
  registry.addPass({.name = "fold_shapes",
                    .doc = "Infers shapes and replaces computed ones by constants or by equal ones computed before.",
                    .make = makeInferShapes<true>});
  registerInlineIfPass(registry);
  registerDeadResultsPass(registry);
}

} // namespace rw
