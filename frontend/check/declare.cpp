#include "frontend/check/declare.h"

#include "frontend/check/annotations.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/names.h"
#include "frontend/check/native_code.h"
#include "frontend/check/passes.h"
#include "frontend/check/seen_names.h"
#include "frontend/check/sets_and_traits.h"
#include "frontend/check/templates.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/wording.h"

#include <fmt/format.h>

#include <utility>

namespace rw::sema {

void fillDecl(CheckContext &c, Decl &out, const ast::Decl &decl, bool isImported, bool deferred) {
  out.name = decl.name.text;
  if (!deferred)
    out.doc = decl.doc;
  out.range = decl.range;
  out.nameRange = decl.name.range;
  out.file = c.from;
  out.imported = isImported;
  out.isPrivate = bool(decl.hidden);
}

static bool reportTaken(CheckContext &c, const ast::Name &name, size_t index, std::string_view what,
                        SourceRange first) {
  Report report =
      c.error("duplicate-name", name.range, fmt::format("there already is a {} named `{}`", what, name.text));
  report.note(first, fmt::format("`{}` is declared here first", name.text));
  if (what.ends_with("function") && c.sources.fileOf(first.begin) != c.sources.fileOf(name.range.begin))
    report.note("one that only its own file needs can be `private` there");
  bool spliced =
      c.substitutions && !c.substitutions->empty() &&
      std::ranges::any_of(c.instances[index].decl->nameParts, [](const ast::NamePart &part) { return part.splice; });
  if (spliced)
    report.note("a name holds letters, digits and `_` of an entry only: give the entries a name of their own, `for (f, "
                "n) in {(…, 1), (…, 2)}`");
  else if (c.substitutions && !c.substitutions->empty())
    report.note(fmt::format("a name of the `for` clause in braces tells its patterns apart: `{}_{{{}}}`", name.text,
                            c.substitutions->front().name));
  return false;
}

/// Enters a name that stands for one thing alone, or reports that it is taken.
template <class Index>
static bool claim(CheckContext &c, NameTable<Index> &table, const ast::Name &name, size_t index,
                  std::string_view what) {
  auto [it, isNew] = table.try_emplace(name.text, Index(uint32_t(index)));
  if (isNew)
    return true;
  if constexpr (std::is_same_v<Index, FnIndex>)
    return reportTaken(c, name, index, what, c.module.fns[it->second.raw].nameRange);
  else
    return reportTaken(c, name, index, what, c.module.natives[it->second.raw].nameRange);
}

template <class Index>
bool claim(CheckContext &c, NameLists<Index> &table, const ast::Name &name, size_t index, std::string_view what) {
  llvm::SmallVector<Index, 1> &all = table[name.text];
  for (Index other : all)
    if (c.declOf(other).file == c.sources.fileOf(name.range.begin))
      return reportTaken(c, name, index, what, c.declOf(other).nameRange);
  all.push_back(Index(uint32_t(index)));
  return true;
}
template bool claim(CheckContext &, NameLists<PassIndex> &, const ast::Name &, size_t, std::string_view);
template bool claim(CheckContext &, NameLists<PipelineIndex> &, const ast::Name &, size_t, std::string_view);
template bool claim(CheckContext &, NameLists<PatternIndex> &, const ast::Name &, size_t, std::string_view);
template bool claim(CheckContext &, NameLists<RewriteIndex> &, const ast::Name &, size_t, std::string_view);
template bool claim(CheckContext &, NameLists<GroupIndex> &, const ast::Name &, size_t, std::string_view);
template bool claim(CheckContext &, NameLists<MatcherIndex> &, const ast::Name &, size_t, std::string_view);

/// What is private, or clashes with what is: then nothing further is entered.
static bool claimPrivate(CheckContext &c, const DeclItem &item, const Decl &decl, FnIndex fn, NativeIndex native,
                         std::string_view what) {
  const ast::Name &name = item.decl->name;
  auto other = [&](const Decl &first) {
    bool clashes = &first != &decl && first.file == decl.file;
    if (clashes)
      reportTaken(c, name, item.index, what, first.nameRange);
    return clashes;
  };
  if (const PrivateFn *known = privateNamed(c, name.text))
    return other(known->fn ? static_cast<const Decl &>(c.module.fn(known->fn)) : c.module.native(known->native));
  if (!decl.isPrivate)
    return false;
  FnIndex sameFn = fnNamed(c, name.text);
  NativeIndex sameNative = nativeNamed(c, name.text);
  if ((sameFn && other(c.module.fn(sameFn))) || (sameNative && other(c.module.native(sameNative))))
    return true;
  c.privates[{decl.file.raw, name.text}] = {fn, native};
  return true;
}

bool nameIsNew(CheckContext &c, SeenNames &seen, const ast::Name &name, std::string_view what) {
  const SourceRange *first = seen.add(name.text, name.range);
  if (first)
    c.error("duplicate-name", name.range, fmt::format("{} `{}` has the name of another one", what, name.text))
        .note(*first, fmt::format("`{}` is declared here first", name.text));
  return !first;
}

// ---- ops

/// 0 if there is none of the name.
static uint32_t effectNamed(std::string_view name) {
  return name == "random"  ? trait::effectRandom
         : name == "error" ? trait::effectError
         : name == "state" ? trait::effectState
                           : 0;
}

/// What the traits of a settled op say.
static uint32_t traitBits(const ast::OpDecl &decl) {
  uint32_t bits = 0;
  for (const ast::Trait &written : decl.traits) {
    bits |= traitNamed(written.name.text).value_or(0);
    for (const ast::Name &arg : written.args)
      if (written.name.text == "effect")
        bits |= effectNamed(arg.text);
  }
  return bits;
}

static void claimOp(CheckContext &c, OpIndex index) {
  const Op &op = c.module.op(index);
  OpList &ops = c.opsByName[op.name];
  for (OpIndex other : ops) {
    const Op &first = c.module.op(other);
    bool disjoint = first.dialect != op.dialect || (first.until && *first.until < op.since) ||
                    (op.until && *op.until < first.since);
    if (disjoint)
      continue;
    c.error("duplicate-name", op.nameRange,
            fmt::format("there already is an op `{}`{}", op.fullName(),
                        op.since || op.until || first.since || first.until ? " for some of these versions" : ""))
        .note(first.nameRange, fmt::format("`{}` is declared here first", op.name));
    return;
  }
  ops.push_back(index);
}

static void declareOp(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::OpDecl>();
  item.index = uint32_t(c.module.ops.size());
  Op &op = c.module.ops.emplace_back();
  c.opDecls.push_back(&decl);
  fillDecl(c, op, decl, item.imported, item.deferred);
  op.dialect = item.dialect;
  op.externalDialect = item.external;
  if (item.dialect.empty() && c.withoutDialect.insert(op.file.raw).second)
    c.error("missing-dialect", decl.name.range, fmt::format("the op `{}` belongs to no dialect", op.name))
        .note("write `dialect NAME;` above the ops of a file");
  if (decl.versions.range) {
    if (decl.versions.first > INT32_MAX || decl.versions.last.value_or(0) > INT32_MAX)
      c.error("bad-number", decl.versions.range, fmt::format("a version is at most {}", INT32_MAX));
    op.since = decl.versions.first;
    op.until = decl.versions.last;
  }
  for (const ast::Trait &written : decl.traits)
    if (GroupIndex trait = groupNamed(c, written.name, true); trait && c.module.group(trait).isTrait)
      c.givenTraits.push_back({trait, OpIndex(item.index), nullptr, op.file});
  // Nobody looks at the parts of most ops that are imported.
  if (const uint32_t traits = item.deferred ? traitBits(decl) : 0; item.deferred && !(traits & trait::constant))
    op.traits = traits;
  else
    declareParts(c, op, decl);
  claimOp(c, OpIndex(item.index));
}

static void declareOperands(CheckContext &c, Op &op, const ast::OpDecl &decl) {
  SeenNames seen;
  size_t variadic = 0;
  bool optional = false;
  for (const ast::Param &param : decl.operands) {
    nameIsNew(c, seen, param.name, "the operand");
    auto arity = Arity(unsigned(param.arity));
    variadic += arity == Arity::Variadic;
    optional |= arity == Arity::Optional;
    if (variadic == 1 && arity == Arity::Optional)
      c.error("bad-arity", param.range,
              "an operand behind any number of others is never left out: nobody could tell where these end")
          .note(fmt::format("it may be left out before them: `op f({}: tensor?, xs: tensor...)`", param.name.text));
    else if (variadic > 1 && optional)
      c.error(
           "bad-arity", param.range,
           "an op with several groups of operands has none that may be left out: nobody could tell where a group ends")
          .note("groups have one size, and divide what is there evenly: `op reduce(inputs: tensor..., inits: "
                "tensor...)`");
    op.operands.push_back({param.name.text, arity, std::nullopt, param.range});
    Var var;
    var.name = param.name.text;
    var.type = Type(TypeKind::Value, arity == Arity::Variadic);
    var.kind = VarKind::Operand;
    var.range = param.name.range;
    var.index = uint32_t(op.operands.size() - 1);
    var.optional = arity == Arity::Optional;
    op.body.vars.push_back(std::move(var));
  }
  SeenNames results;
  size_t variadicResults = 0;
  bool unnamed = false;
  for (const ast::Param &param : decl.results) {
    if (param.name)
      nameIsNew(c, results, param.name, "the result");
    else if (decl.results.size() > 1 && !std::exchange(unnamed, true))
      c.error("missing-name", param.range, "each of several results needs a name: `(u: tensor, s: tensor)`")
          .note("an op's results are asked for by these: `d.u`");
    auto arity = Arity(unsigned(param.arity));
    bool optional = arity == Arity::Optional;
    if (optional) {
      if (decl.results.size() == 1)
        c.error("bad-arity", param.range,
                "the only result of an op is there, or there are any number of them: `tensor...`")
            .note("of several, those that may be left out have a `?`: `(y: tensor, mask: tensor?)`");
      arity = Arity::Single;
    }
    if (const auto *named = param.type->as<ast::NamedType>();
        !named || named->hasDims || named->name.spelling() != "tensor")
      c.error("misplaced", param.type->range,
              "the result of an op is a `tensor`; what its type is, a `type` clause says")
          .note("as in `op f(x: tensor) -> tensor { type (x.dtype, x.shape); }`");
    if (arity == Arity::Variadic && ++variadicResults > 1)
      c.error("bad-arity", param.range, "an op has at most one variadic result")
          .note("results of several groups are one: `-> (all: tensor...)`, of which patterns take parts, `d.all[..n]`");
    op.results.push_back({param.name.text, arity, optional, param.range});
  }
}

static std::optional<AttrType> attrType(const ast::TypeExpr &type) {
  if (const auto *outer = type.as<ast::ListType>(); outer && outer->element->kind == ast::TypeKind::List)
    return attrType(*outer->element) == AttrType::Ints ? std::optional(AttrType::IntLists) : std::nullopt;
  bool isList = type.kind == ast::TypeKind::List;
  const ast::TypeExpr &inner = isList ? *type.get<ast::ListType>().element : type;
  const auto *named = inner.as<ast::NamedType>();
  if (!named || named->name.dialect || named->hasDims)
    return std::nullopt;
  static constexpr std::pair<std::string_view, AttrType> kSingle[] = {
      {"int", AttrType::Int},   {"float", AttrType::Float},  {"bool", AttrType::Bool},     {"string", AttrType::String},
      {"type", AttrType::Type}, {"dtype", AttrType::DType},  {"symbol", AttrType::Symbol}, {"dim", AttrType::Dim},
      {"any", AttrType::Any},   {"tensor", AttrType::Tensor}};
  static constexpr std::pair<std::string_view, AttrType> kLists[] = {
      {"int", AttrType::Ints}, {"float", AttrType::Floats}, {"bool", AttrType::Bools}, {"string", AttrType::Strings},
      {"dim", AttrType::Dims}, {"dtype", AttrType::DTypes}, {"type", AttrType::Types}};
  auto find = [&](auto &table) -> std::optional<AttrType> {
    for (const auto &[name, type] : table)
      if (name == named->name.name.text)
        return type;
    return std::nullopt;
  };
  return isList ? find(kLists) : find(kSingle);
}

/// `axes: tensor? as [int]`
static void declareStandIn(CheckContext &c, Op &op, const ast::Param &param, size_t operand) {
  const ast::Param::StandsFor &written = param.standsFor;
  OpAttrDecl out;
  out.name = written.name.text;
  out.operand = uint32_t(operand);
  out.range = written.name.range;
  auto type = attrType(*written.type);
  if (type != AttrType::Int && type != AttrType::Float && type != AttrType::Ints && type != AttrType::Floats) {
    c.error("undefined-type", written.type->range,
            "an operand stands for an attribute of type int, float, [int] or [float]")
        .note("it is read where it is a constant, and built as one");
    return;
  }
  out.type = *type;
  if (param.arity == ast::Param::Arity::Variadic ||
      std::ranges::any_of(op.operands, [](const Operand &o) { return o.arity == Arity::Variadic; })) {
    c.error("bad-arity", param.range, "an op with any number of operands has none that stands for an attribute");
    return;
  }
  if (int known = op.attrNamed(out.name); known >= 0) {
    c.error("duplicate-name", written.name.range,
            fmt::format("the attribute `{}` has the name of another one", out.name))
        .note(op.attrAt(size_t(known)).range, fmt::format("`{}` is declared here", out.name));
    return;
  }
  if (written.byDefault) {
    const ast::Expr *value = written.byDefault.get();
    bool negative = false;
    if (const auto *unary = value->as<ast::UnaryExpr>(); unary && unary->op == ast::UnaryOp::Neg) {
      negative = true;
      value = unary->operand.get();
    }
    Expr number;
    number.range = written.byDefault->range;
    if (const auto *i = value->as<ast::IntExpr>(); i && *type == AttrType::Int) {
      number.kind = ExprKind::Int, number.type = TypeKind::Int;
      number.i = negative ? -i->value : i->value;
      number.f = double(number.i);
    } else if (const auto *f = value->as<ast::FloatExpr>(); f && *type == AttrType::Float) {
      number.kind = ExprKind::Float, number.type = TypeKind::Float;
      number.f = double(float(negative ? -f->value : f->value));
    } else {
      c.error("type-mismatch", written.byDefault->range,
              "what holds where the operand is left out is a number of the attribute's type")
          .note("a list has no default: where it is left out, the attribute is absent");
      return;
    }
    if (param.arity != ast::Param::Arity::Optional) {
      c.error("bad-arity", written.byDefault->range,
              fmt::format("the operand `{}` is never left out, so it has no default", param.name.text))
          .note(param.range, fmt::format("one that may be is `{}: tensor?`", param.name.text));
      return;
    }
    out.defaultValue = std::move(number);
  }
  out.optional = param.arity == ast::Param::Arity::Optional && !out.defaultValue;
  op.standIns.push_back(std::move(out));
}

static void declareAttrs(CheckContext &c, Op &op, const ast::OpDecl &decl) {
  SeenNames seen;
  for (const Operand &operand : op.operands)
    seen.add(operand.name, operand.range);
  for (const ast::AttrDecl &attr : decl.attrs) {
    nameIsNew(c, seen, attr.name, "the attribute");
    OpAttrDecl out;
    out.name = attr.name.text;
    out.doc = attr.doc;
    out.optional = attr.optional;
    out.range = attr.name.range;
    if (!attr.choices.empty()) {
      out.type = AttrType::String;
      SeenNames choices;
      for (const ast::Name &choice : attr.choices)
        if (nameIsNew(c, choices, choice, "the value"))
          out.choices.push_back(choice.text);
    } else if (auto type = attrType(*attr.type)) {
      out.type = *type;
    } else {
      Report report = c.error("undefined-type", attr.type->range, "no attribute has this type");
      report.note(
          "attributes are int, float, bool, string, dtype, type, dim, lists of these in brackets, [[int]], symbol, "
          "tensor or any, or a choice of strings: `\"same\" | \"valid\"`");
      if (const auto *named = attr.type->as<ast::NamedType>())
        suggest(c, report, named->name.range, named->name.name.text,
                {"int", "float", "bool", "string", "dtype", "dim", "type", "symbol", "tensor", "any"});
    }
    if (attr.optional && attr.defaultValue)
      c.error("bad-arity", attr.defaultValue->range,
              fmt::format("the attribute `{}` has a default, so it is never absent", out.name))
          .note(attr.type ? attr.type->range : attr.range, "leave out the `?` or the default");
    Var var;
    var.name = out.name;
    var.type = typeOf(out.type);
    var.kind = VarKind::Attr;
    var.ofAttr = true;
    var.range = attr.name.range;
    var.index = uint32_t(op.attrs.size());
    var.optional = attr.optional;
    var.choices = out.choices;
    op.body.vars.push_back(std::move(var));
    op.attrs.push_back(std::move(out));
  }
  for (size_t i = 0; i < decl.operands.size(); ++i)
    if (decl.operands[i].standsFor.type)
      declareStandIn(c, op, decl.operands[i], i);
}

/// `elementwise(x)`: of the operands that are not named only the type counts.
static void elementwiseOperands(CheckContext &c, const ast::Trait &written, Op &op) {
  op.typeOnly = op.operands.size() <= 16 ? (1u << op.operands.size()) - 1 : 0;
  for (const ast::Name &arg : written.args) {
    auto it = std::ranges::find(op.operands, arg.text, &Operand::name);
    if (it != op.operands.end() && it->arity != Arity::Variadic) {
      op.typeOnly &= ~(1u << (it - op.operands.begin()));
      continue;
    }
    c.error("bad-trait", arg.range,
            fmt::format("`{}` has no operand `{}` of which there is one at most", op.name, arg.text))
        .note("`elementwise(x)` names the operands whose elements are mapped; of the others only the type counts");
  }
}

/// `moves_elements(x)`: of the operands that are not named, what they hold says where elements go.
static void movedOperands(CheckContext &c, const ast::Trait &written, Op &op) {
  const size_t most = std::min<size_t>(op.operands.size(), 32);
  if (written.args.empty())
    op.moved = most == 32 ? UINT32_MAX : (1u << most) - 1;
  for (const ast::Name &arg : written.args) {
    auto it = std::ranges::find(op.operands, arg.text, &Operand::name);
    if (it != op.operands.end() && it - op.operands.begin() < 32)
      op.moved |= 1u << (it - op.operands.begin());
    else
      c.error("bad-trait", arg.range, fmt::format("`{}` has no operand `{}`", op.name, arg.text))
          .note("`moves_elements(x)` names the operands whose elements results are made of; without names it is all");
  }
}

static void declareTraits(CheckContext &c, Op &op, const ast::OpDecl &decl) {
  SourceRange pure, effect;
  for (const ast::Trait &written : decl.traits) {
    const std::string &name = written.name.text;
    if (name == "effect") {
      effect = written.range;
      if (written.args.empty())
        c.error("bad-trait", written.range, "an effect says which: `effect(random)`, `error` or `state`")
            .note("as in `traits effect(random)`");
      for (const ast::Name &arg : written.args) {
        if (uint32_t bit = effectNamed(arg.text)) {
          op.traits |= bit;
        } else {
          Report report = c.error("bad-trait", arg.range, fmt::format("no effect named `{}`", arg.text));
          report.note("effects are random, error and state");
          suggest(c, report, arg.range, arg.text, {"random", "error", "state"});
        }
      }
      continue;
    }
    std::optional<uint32_t> known = traitNamed(name);
    if (GroupIndex own = known ? GroupIndex() : groupNamed(c, written.name); own && c.module.group(own).isTrait) {
      if (!written.args.empty())
        c.error("bad-trait", written.range, fmt::format("the trait `{}` takes no arguments", name))
            .note("`elementwise(x)` and `moves_elements(x)` take some: the operands whose elements are meant");
      if (std::ranges::count(decl.traits, name, [](const ast::Trait &t) { return t.name.text; }) > 1)
        c.error("duplicate-name", written.range, fmt::format("the trait `{}` is given twice", name))
            .note("once is enough");
      continue;
    } else if (own) {
      c.error("bad-trait", written.name.range,
              fmt::format("`{}` is a set: it lists its ops where it is declared", name))
          .note(c.module.group(own).nameRange, fmt::format("`{}` is declared here", name))
          .note(fmt::format("`trait {};` declares a trait, which ops are given", name));
      continue;
    }
    if (!known) {
      if (isDamaged(c, ast::DeclKind::Group, name))
        continue;
      Report report = c.error("bad-trait", written.name.range, fmt::format("no trait named `{}`", name));
      report.note(fmt::format("traits are pure, elementwise, commutative, constant, moves_elements, effect(...), and "
                              "those declared by `trait {};`",
                              name));
      std::vector<std::string_view> candidates{"pure",     "elementwise",    "commutative",
                                               "constant", "moves_elements", "effect"};
      for (const Group &group : c.module.groups)
        if (group.isTrait)
          candidates.push_back(group.name);
      suggest(c, report, written.name.range, name, candidates);
      continue;
    }
    const bool moves = *known == trait::movesElements;
    if (!written.args.empty() && *known != trait::elementwise && !moves)
      c.error("bad-trait", written.range, fmt::format("the trait `{}` takes no arguments", name));
    else if (!written.args.empty() && !moves)
      elementwiseOperands(c, written, op);
    if (moves)
      movedOperands(c, written, op);
    if (op.traits & *known)
      c.error("duplicate-name", written.range, fmt::format("the trait `{}` is given twice", name));
    if (*known == trait::pure)
      pure = written.range;
    op.traits |= *known;
    if (*known == trait::commutative &&
        (op.operands.size() != 2 || op.operands[0].arity != Arity::Single || op.operands[1].arity != Arity::Single))
      c.error("bad-commutative", written.range,
              fmt::format("`{}` cannot be commutative: that takes exactly two operands, neither optional nor variadic",
                          op.name))
          .note(op.nameRange, fmt::format("it has {}", counted(op.operands.size(), "operand")))
          .note(op.operands.size() > 2
                    ? "leave the trait out; a pattern lists the orders that it takes: `(f(const c, x, "
                      "y) | f(x, const c, y))`"
                    : "leave the trait out");
    if ((*known == trait::elementwise || moves) && op.operands.empty())
      c.error("bad-trait", written.range,
              fmt::format("`{}` has no operand whose elements it could {}", op.name, moves ? "move" : "map"))
          .note("leave the trait out, or declare the operand: `op f(x: tensor) -> tensor`");
    if (*known == trait::constant) {
      bool hasValue = false;
      for (const OpAttrDecl &attr : op.attrs)
        hasValue |= attr.name == "value";
      if (!hasValue || !op.operands.empty() || op.results.size() != 1)
        c.error("bad-trait", written.range,
                "a constant op has no operands, one result, and an attribute `value` that holds it")
            .note("as in `op constant() -> tensor { attr value: tensor; traits pure, constant; type value.type; }`");
    }
  }
  constexpr uint32_t kEffects = trait::effectRandom | trait::effectError | trait::effectState;
  if (!op.imported && !pure && !(op.traits & kEffects) &&
      op.traits & (trait::elementwise | trait::commutative | trait::constant))
    c.warning(
         "bad-trait", decl.traits.front().range,
         fmt::format("`{}` is neither pure nor has it effects stated, so it is taken to have all of them", op.name))
        .note(fmt::format("`traits pure, {}`, if it only computes", traitsToString(op.traits)));
  for (const OpResultDecl &result : op.results) {
    auto operand = std::ranges::find(op.operands, result.name, &Operand::name);
    auto attr = std::ranges::find(op.attrs, result.name, &OpAttrDecl::name);
    if (result.name.empty() || op.imported || (operand == op.operands.end() && attr == op.attrs.end()))
      continue;
    std::string_view what = attr != op.attrs.end() ? "attribute" : "operand";
    c.warning(
         "duplicate-name", result.range,
         fmt::format("`{0}` is also an {1} of `{2}`: `d.{0}` of a matched op is the {1}", result.name, what, op.name))
        .note(attr != op.attrs.end() ? attr->range : operand->range, fmt::format("the {} is declared here", what))
        .note("give the result a name of its own");
  }
  if (pure && op.results.empty())
    c.error("bad-trait", pure,
            fmt::format("`{}` is declared pure and has no results, so it does nothing and goes at once", op.name))
        .note(op.nameRange, fmt::format("a result is written behind the operands: `op {}(...) -> tensor`", op.name))
        .note("if it is there for what it does, say so: `traits effect(state)`");
  if (pure && effect)
    c.error("bad-trait", effect, fmt::format("`{}` is declared pure and yet has an effect", op.name))
        .note(pure, "declared pure here");
  if (!op.imported && !decl.saysResults && !(op.traits & (trait::pure | kEffects)))
    c.warning("missing-result", op.nameRange, fmt::format("`{}` has no result: was it left out?", op.name))
        .note(fmt::format("one result is `op {}(...) -> tensor`, none is `-> ()`, or `traits effect(state)` of what is "
                          "there for what it does",
                          op.name));
}

void declareParts(CheckContext &c, Op &op, const ast::OpDecl &decl) {
  declareOperands(c, op, decl);
  declareAttrs(c, op, decl);
  declareTraits(c, op, decl);
  SeenNames regions;
  for (const ast::Name &region : decl.regions) {
    if (!nameIsNew(c, regions, region, "the region"))
      continue;
    // `body.params` and `body.results` read like operand groups that come after the declared ones.
    for (const char *part : {".params", ".results"}) {
      Var var;
      var.name = region.text + part;
      var.type = Type::list(TypeKind::Value);
      var.kind = VarKind::Operand;
      var.range = region.range;
      var.index = uint32_t(op.operands.size() + 2 * op.regions.size() + (part[1] == 'r'));
      op.body.vars.push_back(std::move(var));
    }
    op.regions.push_back(region.text);
  }
}

void reportVersionsLeftOut(CheckContext &c) {
  for (const Op &op : c.module.ops) {
    if (op.imported || op.since <= 1)
      continue;
    const Op *before = nullptr; // the nearest one of earlier versions
    bool follows = false;
    for (OpIndex other : c.opsByName[op.name]) {
      const Op &earlier = c.module.op(other);
      if (earlier.dialect != op.dialect || !earlier.until || *earlier.until >= op.since)
        continue;
      follows |= *earlier.until + 1 == op.since;
      if (!before || *before->until < *earlier.until)
        before = &earlier;
    }
    if (before && !follows)
      c.warning("versions-left-out", op.nameRange,
                fmt::format("`{}` is declared for no version from {} to {}", op.fullName(), *before->until + 1,
                            op.since - 1))
          .note(before->nameRange, "the declaration before it ends there")
          .note(fmt::format("an op that stays the same is declared until the next one begins, `versions {}..{}`",
                            before->since, op.since - 1));
  }
}

// ---- functions, natives, patterns

void declareParts(CheckContext &c, Fn &fn, const ast::FnDecl &decl) {
  SeenNames seen;
  for (const ast::Param &param : decl.params) {
    nameIsNew(c, seen, param.name, "the parameter");
    if (param.arity != ast::Param::Arity::One)
      c.error("bad-arity", param.range, "a function takes each parameter once: any number of values is a list")
          .note(fmt::format("as in `{}: [int]`", param.name.text));
    fn.params.push_back(VarId(uint32_t(fn.body.vars.size())));
    Var var;
    var.name = param.name.text;
    var.type = typeOfAnnotation(c, *param.type, "parameter", false);
    var.kind = VarKind::Param;
    var.range = param.name.range;
    var.index = uint32_t(fn.params.size() - 1);
    fn.body.vars.push_back(std::move(var));
  }
  fn.result = decl.result ? typeOfAnnotation(c, *decl.result, "result", false) : Type();
}

static void declareFn(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::FnDecl>();
  item.index = uint32_t(c.module.fns.size());
  Fn &fn = c.module.fns.emplace_back();
  c.fnDecls.push_back(&decl);
  fillDecl(c, fn, decl, item.imported, item.deferred);
  if (!item.deferred) // nobody looks at the parts of most functions that are imported
    declareParts(c, fn, decl);
  for (const BuiltinInfo &builtin : builtins())
    if (builtin.name == fn.name) {
      c.error("duplicate-name", decl.name.range, fmt::format("`{}` is a function of the language", fn.name))
          .note(fmt::format("{}{}: {}", builtin.name, builtin.signature, builtin.doc));
      return;
    }
  if (claimPrivate(c, item, fn, FnIndex(item.index), {}, "function"))
    return;
  if (NativeIndex native = nativeNamed(c, decl.name.text);
      native && (item.imported || !c.module.native(native).imported))
    c.error("duplicate-name", decl.name.range,
            fmt::format("there already is a native function named `{}`", decl.name.text))
        .note(c.module.native(native).nameRange, fmt::format("`{}` is declared here first", decl.name.text));
  FnIndex hidden = c.fns.lookup(decl.name.text);
  NativeIndex hiddenNative = c.natives.lookup(decl.name.text);
  if (!item.imported &&
      ((hidden && c.module.fn(hidden).imported) || (hiddenNative && c.module.native(hiddenNative).imported)))
    claim(c, c.ownFns, decl.name, item.index, "function");
  else
    claim(c, c.fns, decl.name, item.index, "function");
}

static void declareNative(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::NativeDecl>();
  item.index = uint32_t(c.module.natives.size());
  Native &native = c.module.natives.emplace_back();
  fillDecl(c, native, decl, item.imported);
  native.isConstraint = decl.isConstraint;
  native.isExtern = decl.isExtern;
  native.codeRange = decl.code;
  if (decl.code) {
    std::string_view text = c.sources.text(native.file);
    size_t begin = c.sources.offsetOf(decl.code.begin);
    native.code = text.substr(begin, c.sources.offsetOf(decl.code.end) - begin);
    if (std::optional<CodeMistake> mistake = nativeCodeMistake(native.code)) {
      uint32_t at = decl.code.begin.raw + uint32_t(mistake->offset);
      Report report = c.error("native-code", {Loc{at}, Loc{at + 1}}, mistake->what);
      if (mistake->what.ends_with("block ends"))
        report.note("`}]` ends the block wherever it stands, in a string or comment too");
    }
  }
  SeenNames seen;
  auto typeOfParam = [&](const ast::Param &param, std::string_view what) {
    Type type = typeOfAnnotation(c, *param.type, what, true);
    if (param.arity == ast::Param::Arity::Variadic)
      return type.listOf();
    if (param.arity == ast::Param::Arity::Optional)
      c.error("bad-arity", param.range,
              "a C++ function takes each parameter once, or any number of them: `v: value...`");
    return type;
  };
  for (const ast::Param &param : decl.params) {
    nameIsNew(c, seen, param.name, "the parameter");
    native.params.push_back(typeOfParam(param, "parameter"));
    native.paramNames.push_back(param.name.text);
  }
  for (const ast::Param &param : decl.results) {
    native.results.push_back(typeOfParam(param, "result"));
    native.resultNames.push_back(param.name.text);
  }
  if (!native.isConstraint && native.results.empty())
    c.error("result-count", decl.name.range, fmt::format("the rewrite `{}` yields nothing", native.name))
        .note("say what it builds: `-> value`");
  for (size_t i = 0; i < native.results.size(); ++i)
    if (!native.results[i].isError() && !native.results[i].is(TypeKind::Value))
      c.error("type-mismatch", decl.results[i].range,
              native.results[i] == Type(TypeKind::Value, true)
                  ? fmt::format("how many values the rewrite `{}` yields is to be said", native.name)
                  : fmt::format("a rewrite yields values, not {}", toString(native.results[i])))
          .note("one, or several with a name each: `-> value`, `-> (a: value, b: value)`")
          .note("numbers, lists and types are computed by a `fn`");
  for (const BuiltinInfo &builtin : builtins())
    if (builtin.name == native.name) {
      c.error("duplicate-name", decl.name.range, fmt::format("`{}` is a function of the language", native.name))
          .note(fmt::format("{}{}: {}", builtin.name, builtin.signature, builtin.doc));
      return;
    }
  if (claimPrivate(c, item, native, {}, NativeIndex(item.index), "native function"))
    return;
  if (FnIndex fn = fnNamed(c, decl.name.text); fn && (item.imported || !c.module.fn(fn).imported)) {
    c.error("duplicate-name", decl.name.range, fmt::format("there already is a function named `{}`", native.name))
        .note(c.module.fn(fn).nameRange, fmt::format("`{}` is declared here first", native.name));
    return;
  }
  NativeIndex hidden = c.natives.lookup(decl.name.text);
  if (!item.imported && (c.fns.contains(decl.name.text) || (hidden && c.module.native(hidden).imported)))
    claim(c, c.ownNatives, decl.name, item.index, "native function");
  else
    claim(c, c.natives, decl.name, item.index, "native function");
}

void reportWordAsName(CheckContext &c, const ast::Name &name, std::string_view what,
                      std::initializer_list<std::string_view> words) {
  if (!c.imported && std::ranges::find(words, name.text) != words.end())
    c.warning("word-as-name", name.range, fmt::format("`{}` is the name of the {} here", name.text, what))
        .note(what == "pattern" ? fmt::format("its tags stand behind its name: `pattern Name {} {{ ... }}`",
                                              name.text == "pattern" ? "fastmath" : name.text)
                                : fmt::format("a name stands behind `{}`", what));
}

static void declarePattern(CheckContext &c, DeclItem &item) {
  const auto &decl = item.decl->get<ast::PatternDecl>();
  if (item.meaningOf != UINT32_MAX) {
    item.index = uint32_t(c.instances.size());
    c.instances.push_back({&decl, {}});
    Pattern &pattern = c.module.patterns.emplace_back();
    fillDecl(c, pattern, decl, item.imported);
    pattern.meaningOf = OpIndex(c.items[item.meaningOf].index);
    c.module.ops[pattern.meaningOf.raw].means.push_back(PatternIndex(item.index));
    return;
  }
  reportWordAsName(c, decl.name, "pattern",
                   {"benefit", "fastmath", "recursive", "assume_same_type", "label", "pattern", "for"});
  size_t first = c.instances.size();
  instantiate(c, decl, c.instances);
  item.index = first == c.instances.size() ? UINT32_MAX : uint32_t(first);
  for (size_t i = first; i < c.instances.size(); ++i) {
    Pattern &pattern = c.module.patterns.emplace_back();
    fillDecl(c, pattern, decl, item.imported);
    pattern.name = instanceNameOf(c.instances[i]);
    ast::Name name{pattern.name, decl.name.range};
    c.substitutions = &c.instances[i].substitutions;
    c.instanceName = pattern.name;
    claim(c, c.patterns, name, i, "pattern");
    c.substitutions = nullptr;
  }
}

// ---- all of them

void declareAll(CheckContext &c) {
  size_t ops = 0;
  for (const DeclItem &item : c.items)
    ops += item.decl->kind == ast::DeclKind::Op;
  c.module.ops.reserve(ops);
  for (DeclItem &item : c.items) // which ops' traits name
    if (item.decl->kind == ast::DeclKind::Group) {
      c.imported = item.imported;
      c.from = item.file;
      declareGroup(c, item);
    }
  for (DeclItem &item : c.items) {
    c.imported = item.imported;
    c.from = item.file;
    switch (item.decl->kind) {
    case ast::DeclKind::Op:
      declareOp(c, item);
      break;
    case ast::DeclKind::Fn:
      declareFn(c, item);
      break;
    case ast::DeclKind::Native:
      declareNative(c, item);
      break;
    case ast::DeclKind::Pattern: // below: it may go through a set, whose ops are known by then
    case ast::DeclKind::Group:
      break;
    case ast::DeclKind::Rewrite:
      declareRewrite(c, item);
      break;
    case ast::DeclKind::Matcher:
      declareMatcher(c, item);
      break;
    case ast::DeclKind::Pass:
    case ast::DeclKind::Conversion:
      declarePass(c, item);
      break;
    case ast::DeclKind::Pipeline:
      declarePipeline(c, item);
      break;
    case ast::DeclKind::Test:
      item.index = uint32_t(c.module.tests.size());
      fillDecl(c, c.module.tests.emplace_back(), *item.decl, item.imported);
      break;
    case ast::DeclKind::Expect:
      if (item.imported) // those of the root alone are looked at
        break;
      item.index = uint32_t(c.module.expectations.size());
      fillDecl(c, c.module.expectations.emplace_back(), *item.decl, item.imported);
      break;
    case ast::DeclKind::Dialect:
    case ast::DeclKind::Import:
      break;
    }
  }
  for (DeclItem &item : c.items) {
    c.imported = item.imported;
    c.from = item.file;
    if (item.decl->kind == ast::DeclKind::Group)
      giveTraits(c, item);
  }
  for (DeclItem &item : c.items) {
    c.imported = item.imported;
    c.from = item.file;
    if (item.decl->kind == ast::DeclKind::Pattern)
      declarePattern(c, item);
  }
  c.calls.resize(c.module.fns.size());
  c.imported = false;
}

} // namespace rw::sema
