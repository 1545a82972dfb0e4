#include "rw/interp/random_inputs.h"

#include "rw/interp/element.h"
#include "rw/interp/size_text.h"
#include "rw/ir/float8.h"
#include "rw/ir/parser.h"

#include <algorithm>
#include <random>

namespace rw {
namespace {

/// The size of the symbol number `symbol`; `few`: as of a batch.
int64_t drawnSize(size_t symbol, bool few, const InputChoice &choice) {
  static constexpr int64_t kSmall[] = {2, 3, 1, 5, 4, 7}, kLarge[] = {4, 8, 16, 32, 64, 224};
  if (choice.sizes == 0)
    return kSmall[(symbol + choice.round) % std::size(kSmall)];
  int64_t size = kLarge[(choice.sizes - 1) / 2 % std::size(kLarge)];
  bool different = choice.sizes % 2 == 1;
  if (different && few)
    return kSmall[(symbol + choice.round) % 3];
  int64_t multiples = size <= 32 ? 3 : size <= 64 ? 2 : 1;
  return size * (1 + int64_t((different ? symbol : 0) + choice.round) % multiples);
}

enum class Whole : uint8_t { Small, Places, Ones, Zeros, Positive, Counting };

/// What suits the operands that are named so, of a slice for one.
std::optional<Whole> wholeByUse(Value v) {
  static constexpr std::pair<std::string_view, Whole> kNamed[] = {
      {"axes", Whole::Counting}, {"starts", Whole::Zeros}, {"ends", Whole::Positive}, {"steps", Whole::Ones}};
  for (Use use : v.uses()) {
    Op op = use.owner;
    std::span<const OperandSchema> operands = op.schema().operands;
    for (auto [name, whole] : kNamed)
      if (use.index < operands.size() && operands[use.index].name == name)
        return whole;
  }
  return std::nullopt;
}

/// How the integers of parameter `i` are drawn.
Whole wholeOf(const InputChoice &choice, Function &fn, unsigned i) {
  unsigned n = choice.integers;
  if (Whole(n) == Whole::Places)
    return wholeByUse(fn.value(fn.params(fn.body())[i])).value_or(Whole::Places);
  if (n < InputChoice::kUniform)
    return Whole(n);
  std::mt19937_64 random(n * 1009 + i);
  return Whole(random() % InputChoice::kUniform);
}

class Drawer {
public:
  Drawer(Function &fn, uint64_t seed, InputChoice &choice) : fn_(fn), seed_(seed), choice_(choice) {}

  std::vector<Tensor> run() {
    std::span<const ValueId> params = fn_.params(fn_.body());
    choice_.known.clear();
    choice_.anySize = choice_.anyInteger = choice_.anyFloat = false;
    collectSizes();
    std::vector<Tensor> out;
    for (unsigned i = 0; i < params.size(); ++i)
      // evaluate takes a default
      out.push_back(fn_.paramInfo(i).defaultValue ? Tensor() : value(fn_.data(params[i]).type, i, 0));
    return out;
  }

private:
  Context &ctx() { return fn_.context(); }

  /// The sizes of all symbols, those that others are computed from first.
  void collectSizes() {
    std::vector<std::pair<StringId, bool>> symbols; // whether it counts what is in a batch
    for (ValueId param : fn_.params(fn_.body())) {
      std::span<const Dim> dims = ctx().type(fn_.data(param).type).dims;
      for (size_t d = 0; d < dims.size(); ++d) {
        std::vector<StringId> here;
        ctx().dims().collectSymbols(dims[d], here);
        for (StringId s : here)
          if (std::ranges::none_of(symbols, [&](const auto &known) { return known.first == s; }))
            symbols.emplace_back(s, d == 0 && dims.size() > 1);
      }
    }
    auto sizeOf = [&](std::string_view name) -> std::optional<int64_t> {
      for (auto [s, few] : symbols)
        if (ctx().text(s) == name)
          return 1;
      return std::nullopt;
    };
    std::vector<StringId> computed;
    for (auto [s, few] : symbols)
      if (sizeOfText(ctx().text(s), sizeOf))
        computed.push_back(s);
      else
        choice_.known.emplace_back(s, Dim(drawnSize(choice_.known.size(), few, choice_)));
    for (StringId s : computed) {
      std::optional<int64_t> size = sizeOfText(ctx().text(s), [&](std::string_view name) -> std::optional<int64_t> {
        for (auto [other, known] : choice_.known)
          if (ctx().text(other) == name)
            return known.size();
        return std::nullopt;
      });
      choice_.known.emplace_back(s, Dim(size.value_or(drawnSize(choice_.known.size(), false, choice_))));
    }
    for (ValueId param : fn_.params(fn_.body()))
      for (Dim d : ctx().type(fn_.data(param).type).dims)
        if (int64_t size = sizeOfDim(d, false); size > 0)
          smallest_ = std::min(smallest_, size);
  }

  int64_t sizeOfDim(Dim d, bool few) {
    choice_.anySize |= !d.isKnown();
    Dim size = d.isExpression() ? ctx().dims().substitute(d, choice_.known) : d;
    return size.isKnown() ? size.size() : choice_.sizes == 0 ? 2 : drawnSize(0, few, choice_);
  }

  Tensor value(TypeId id, unsigned param, unsigned depth) {
    const TypeData &type = ctx().type(id);
    if (type.kind == TypeKind::Tensor)
      return tensor(type, param, depth);
    constexpr unsigned kMostDepth = 4;
    if (type.kind != TypeKind::Opaque || depth > kMostDepth)
      return {};
    if (std::optional<TypeId> inner = held(type.text, "seq<")) {
      std::vector<Tensor> elements;
      for (unsigned i = 0; i < 1 + (choice_.round + 1) % 3; ++i) {
        elements.push_back(value(*inner, param, depth + 1 + i));
        if (!elements.back())
          return {};
      }
      return Tensor::tuple(std::move(elements));
    }
    std::optional<TypeId> inner = held(type.text, "optional<");
    return !inner ? Tensor() : choice_.round % 2 ? Tensor::none() : value(*inner, param, depth + 1);
  }

  /// "seq<f32[2]>" and "seq<": f32[2].
  std::optional<TypeId> held(std::string_view text, std::string_view word) {
    if (!text.starts_with(word) || !text.ends_with('>'))
      return std::nullopt;
    text = text.substr(word.size(), text.size() - word.size() - 1);
    if (text.starts_with("seq<") || text.starts_with("optional<"))
      return ctx().opaqueType(text);
    SourceManager sources;
    Diagnostics diags(sources);
    TypeId type = parseType(sources.addText("type", std::string(text)), sources, diags, ctx());
    return diags.hasErrors() || !type ? std::nullopt : std::optional(type);
  }

  Tensor tensor(const TypeData &type, unsigned param, unsigned salt);

  Function &fn_;
  uint64_t seed_;
  InputChoice &choice_;
  int64_t smallest_ = 4; // dimension of any parameter, at most this
};

/// Numbers between 0 and 1. By hand: the library's distributions differ from one library to the next.
struct Unit {
  std::mt19937_64 &random;
  double operator()() { return double(random() >> 11) * 0x1p-53; }
};

double drawnFloat(Unit unit, unsigned way) {
  switch (way) {
  case 0:
    return (unit() + unit() + unit() - 1.5) * 2;
  case 1:
    return unit();
  case 2:
    return 1 + 3 * unit();
  case 3:
    return (unit() - 0.5) / 16;
  default:
    return -unit();
  }
}

uint64_t drawnWhole(std::mt19937_64 &random, Whole way, size_t i, int64_t smallest) {
  switch (way) {
  case Whole::Small:
    return random() % 4;
  case Whole::Places:
    return random() % uint64_t(std::max<int64_t>(smallest, 1));
  case Whole::Ones:
    return 1;
  case Whole::Zeros:
    return 0;
  case Whole::Positive:
    return 1 + random() % 3;
  case Whole::Counting:
    return i;
  }
  return 0;
}

Tensor drawnTensor(DType dtype, Shape shape, uint64_t seed, bool special, unsigned floats, Whole integers,
                   int64_t smallest) {
  std::optional<Tensor> t = Tensor::make(dtype, std::move(shape));
  if (!t)
    return {};
  std::mt19937_64 random(seed);
  Unit unit{random};
  if (t->isString()) {
    for (std::string &s : t->mutableStrings())
      s = std::string(1, char('a' + random() % 26));
    return *t;
  }
  for (size_t i = 0; isFloat8(dtype) && i < t->size(); ++i)
    t->mutableData<uint8_t>()[i] = toFloat8(dtype, drawnFloat(unit, floats), true);
  visitAny(dtype, [&]<class T>(T) {
    for (size_t i = 0; i < t->size(); ++i) {
      T &e = t->mutableData<T>()[i];
      if constexpr (std::is_same_v<T, Bool>)
        e = Bool(random() % 2);
      else if constexpr (kIsInt<T>)
        e = T(isInteger4(dtype) && integers == Whole::Small ? random() : drawnWhole(random, integers, i, smallest));
      else if constexpr (kIsComplex<T>) {
        double re = unit() * 2 - 1, im = unit() * 2 - 1;
        e = T(typename T::value_type(re), typename T::value_type(im));
      } else
        e = storeElement<T>(drawnFloat(unit, floats));
      if constexpr (kIsFloat<T>) {
        static constexpr double kSpecial[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.0};
        if (special && random() % 64 == 0)
          e = storeElement<T>(kSpecial[random() % std::size(kSpecial)]);
      }
    }
    return true;
  });
  t->holdTo4Bits();
  return *t;
}

Tensor Drawer::tensor(const TypeData &type, unsigned param, unsigned salt) {
  Shape shape;
  for (size_t d = 0; d < type.dims.size(); ++d)
    shape.push_back(sizeOfDim(type.dims[d], d == 0 && type.dims.size() > 1));
  choice_.anyInteger |= isInteger(type.dtype);
  choice_.anyFloat |= isFloat(type.dtype);
  std::optional<size_t> n = elementsIn(shape);
  bool isDrawn = std::ranges::any_of(type.dims, [](Dim d) { return !d.isKnown(); });
  if (!n || *n > (size_t(1) << (isDrawn ? 24 : 28)))
    return {};
  uint64_t seed = seed_ * 1000003 + choice_.round * 1009 + param + uint64_t(salt) * 7919;
  return drawnTensor(type.dtype, shape, seed, choice_.round >= 2, choice_.floats, wholeOf(choice_, fn_, param),
                     smallest_);
}

} // namespace

Tensor randomTensor(DType dtype, Shape shape, uint64_t seed, bool special) {
  return drawnTensor(dtype, std::move(shape), seed, special, 0, Whole::Small, 4);
}

std::vector<Tensor> randomInputs(Function &fn, uint64_t seed, InputChoice &choice) {
  return Drawer(fn, seed, choice).run();
}

std::vector<Tensor> randomInputs(Function &fn, uint64_t seed, unsigned round) {
  InputChoice choice{.round = round};
  return randomInputs(fn, seed, choice);
}

} // namespace rw
