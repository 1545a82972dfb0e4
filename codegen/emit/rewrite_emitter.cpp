// Right sides: everything is computed and built first, then all that is to be replaced is checked, then edited.
#include "codegen/emit/pattern_emitter.h"
#include "codegen/plan/failures.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rw::emit {

using sema::ActionKind;
using sema::Arity;
using sema::Build;
using sema::BuildKind;
using sema::Expr;
using sema::ExprKind;
using sema::TypeKind;

static const std::string kEvaluated = "the right side can be evaluated";

/// From here on failing means `why`; what was built is removed again.
void PatternEmitter::failRewrite(SourceRange range, const std::string &why) {
  if (sideFail_)
    return e_.setFail("return Value();");
  unsigned at = line(range);
  out().at(at);
  e_.setFail({e_.inLambda() ? e_.kLeaveLambda : leave_, "match",
              fmt::format("{}, {}", cppString(why.empty() ? kEvaluated : why), at), created_, why.empty()});
}

/// Says which line of the .rw file comes now, unless that is known.
void PatternEmitter::place(SourceRange range) {
  if (unsigned at = line(range); at != std::exchange(placed_, at))
    out().line("// {}.rw:{}", refs_.stem(pattern_.file), at);
}

/// Whether ops beside the root are replaced, so that it must be seen where new ops can go.
bool PatternEmitter::changesOthers() const {
  return pattern_.roots.size() > 1 || std::ranges::any_of(pattern_.actions, [&](const sema::Action &a) {
           return a.kind == ActionKind::Replace && a.op && slots_[0] != e_.var(a.op).text;
         });
}

/// New ops go above everything that uses what they replace.
void PatternEmitter::placeResults() {
  std::string roots, replaced;
  std::vector<std::string> changed;
  for (plan::Slot s = 0; s < plan_.slots.size(); ++s)
    if (std::ranges::find(rootSlots_, s) != rootSlots_.end())
      roots += (roots.empty() ? "" : ", ") + slots_[s];
  for (const sema::Action &action : pattern_.actions) {
    if (!action.changes())
      continue;
    std::string op = target(action);
    if (action.kind == ActionKind::Replace)
      replaced += (replaced.empty() ? "" : ", ") + op;
    for (const std::string &other : changed) {
      failRewrite(action.range, "the ops that change are not one op");
      e_.failIf(fmt::format("{} == {}", other, op));
    }
    if (std::ranges::find(changed, op) == changed.end())
      changed.push_back(op);
  }
  failRewrite(pattern_.nameRange, "there is a place for new ops");
  e_.failIf(fmt::format("!placeBefore(rw, {{{}}}, {{{}}})", roots, replaced));
}

/// Whether it is asked, before anything changes, that values are there where they are used: the match may have named
/// some inside regions.
bool PatternEmitter::asksPlaces() const { return plan_.looksInRegions || changesOthers(); }

void PatternEmitter::rewrite() {
  std::vector<std::string> commits;
  if (changesOthers())
    placeResults();
  for (const sema::Action &action : pattern_.actions) {
    failRewrite(action.range, "");
    switch (action.kind) {
    case ActionKind::Let: {
      if (action.vars.size() == action.values.size()) {
        for (size_t i = 0; i < action.vars.size(); ++i)
          e_.bind(action.vars[i], {.text = e_.named(action.values[i], pattern_.body.var(action.vars[i]).name)});
        break;
      }
      std::string op = e_.named(action.values[0], "made");
      for (size_t i = 0; i < action.vars.size(); ++i)
        e_.bind(action.vars[i], {.text = fmt::format("{}.result({})", op, i)});
      break;
    }
    case ActionKind::Where:
      failRewrite(action.range, sema::toString(action.values[0], refs_.module(), pattern_.body));
      e_.require(action.values[0]);
      break;
    case ActionKind::Replace:
      replace(action, commits);
      break;
    case ActionKind::Update:
      update(action, commits);
      break;
    case ActionKind::Erase:
      erase(action, commits);
      break;
    }
  }
  if (asksPlaces() && created_) {
    failRewrite(pattern_.nameRange,
                changesOthers() ? "new ops stand below what they need" : "new ops stand where what they need is there");
    e_.failIf("!createdInOrder(rw)");
  }
  for (size_t i = 0; i + 1 < commits.size(); ++i)
    out().line("{};", commits[i]);
  std::string done = commits.empty() ? "false" : commits.back();
  if (closers_.empty()) {
    out().line("return {};", done);
  } else if (!commits.empty()) {
    out().open(fmt::format("if ({})", done));
    out().text("return true;");
    out().dedent();
    if (!searchName_.empty())
      out().line("{}.blame({});", searchName_, blamed_);
  }
  out().at(0);
}

std::string PatternEmitter::target(const sema::Action &action) {
  if (!action.op)
    return slots_[0];
  const VarText &v = e_.var(action.op);
  return v.text.empty() ? "Op()" : v.text;
}

void PatternEmitter::replace(const sema::Action &action, std::vector<std::string> &commits) {
  std::string op = target(action);
  bool oneResult = !action.op && plan_.roots.ops.size() == 1 &&
                   refs_.module().op(plan_.roots.ops[0]).results.size() == 1 &&
                   refs_.module().op(plan_.roots.ops[0]).results[0].arity == Arity::Single;
  bool isOp = action.values.size() == 1 && action.values[0].type.is(TypeKind::Op);
  if (action.values.size() == 1 && oneResult && !isOp && !action.values[0].type.isList()) {
    if (const Build *b = newOpOf(action.values[0]);
        b && commits.empty() && &action == &pattern_.actions.back() && !asksPlaces()) {
      commits.push_back(fmt::format("rw.replaceOpWith{}({}, {})", action.sameType ? "Same" : "New", op, creation(*b)));
      return;
    }
    std::string value = e_.named(action.values[0], "value");
    failRewrite(action.range, "the types go together");
    e_.failIf(fmt::format("!{} || !{}{}.result(), {})", value, action.sameType ? "rw.mayReplace(" : "canReplace(rw, ",
                          op, value));
    if (asksPlaces())
      e_.failIf(fmt::format("!reachesUses({}, {{{}}})", op, value));
    commits.push_back(fmt::format("rw.replaceOp({}, {})", op, value));
    return;
  }
  std::string values;
  if (isOp) {
    std::string by = e_.named(action.values[0], "made");
    values = names_.unique("values");
    out().line("ListOf<Value> {} = resultsOf({});", values, by);
  } else {
    values = operandList(action.values);
  }
  failRewrite(action.range, "there are as many results, and the types go together");
  e_.failIf(fmt::format("!canReplaceAll(rw, {}, {}{})", op, values, action.sameType ? ", true" : ""));
  if (asksPlaces())
    e_.failIf(fmt::format("!reachesUses({}, {})", op, values));
  commits.push_back(fmt::format("replaceAll(rw, {}, {})", op, values));
}

/// The right side if it is a new op with one result whose operands stand one by one and whose type is inferred.
const Build *PatternEmitter::newOpOf(const Expr &e) const {
  if (e.kind != ExprKind::Build)
    return nullptr;
  const Build &b = pattern_.body.builds[e.build().raw];
  if (b.kind != BuildKind::Op || b.resultCount != 1 || !isPlain(b) || !b.regions.empty() || rebuilds_ > 0)
    return nullptr;
  const sema::Op &op = refs_.module().op(b.op);
  return op.results.size() == 1 && op.results[0].arity == Arity::Single ? &b : nullptr;
}

std::string PatternEmitter::settings(const std::vector<sema::BuildAttr> &attrs, bool byName) {
  std::string text;
  for (const sema::BuildAttr &a : attrs) {
    std::string value = e_.attribute(a.value, sema::AttrType::Any);
    std::string name = names_.unique(a.name);
    out().line("AttrId {} = {};", name, value);
    text += fmt::format("{}{{{}, {}}}", text.empty() ? "" : ", ", byName ? cppString(a.name) : std::to_string(a.index),
                        name);
  }
  return text;
}

void PatternEmitter::update(const sema::Action &action, std::vector<std::string> &commits) {
  std::string op = target(action);
  bool move = sema::attrsMove(pattern_.body.var(action.op).ops, action.attrs, refs_.module());
  std::string list = settings(action.attrs, move), updated = names_.unique("updated");
  if (move)
    out().line("AttrsId {} = withNamedAttrs({}, {{{}}});", updated, op, list);
  else
    out().line("AttrsId {} = withAttrs(ctx, {}.attrsId(), {{{}}});", updated, op, list);
  failRewrite(action.range, "the attributes change, and the types do not");
  e_.failIf(
      fmt::format("{0} == {1}.attrsId() || !canUpdate({1}, {0}{2})", updated, op, action.sameType ? ", true" : ""));
  commits.push_back(fmt::format("rw.setAttrs({}, {})", op, updated));
}

void PatternEmitter::erase(const sema::Action &action, std::vector<std::string> &commits) {
  std::string op = target(action);
  failRewrite(action.range, "the op is unused");
  e_.failIf(op + ".hasUses()");
  commits.push_back(fmt::format("rw.erase({})", op));
}

static std::string schemaHint(std::string_view opName) {
  std::string hint = pascalCase(opName);
  hint[0] = char(std::tolower(static_cast<unsigned char>(hint[0])));
  return hint;
}

// Building --------------------------------------------------------------------------------------------------------

std::string PatternEmitter::build(const Expr &e) {
  const Build &b = pattern_.body.builds[e.build().raw];
  if (newOpOf(e) && !e.type.isList() && !e.type.is(TypeKind::Op)) {
    std::string parts = creation(b), name = names_.unique(schemaHint(refs_.module().op(b.op).name));
    out().line("Value {} = rw.createValue({});", name, parts);
    created_ = true;
    failRewrite(b.range, "");
    return name;
  }
  auto result = [&](const std::string &op) {
    if (e.type.is(TypeKind::Op))
      return op;
    if (!e.type.isList() && b.like && pattern_.body.var(b.like).ops.byTrait()) { // which may have no results
      std::string value = names_.unique("made");
      out().line("Value {} = {}.result();", value, op);
      failRewrite(b.range, "");
      e_.failIf("!" + value);
      return value;
    }
    if (!e.type.isList())
      return op + ".result()";
    std::string list = names_.unique("made");
    out().line("ListOf<Value> {} = resultsOf({});", list, op);
    return list;
  };
  switch (b.kind) {
  case BuildKind::Op:
    return result(buildOp(b));
  case BuildKind::Like: {
    const VarText &like = e_.var(b.like);
    if (pattern_.body.var(b.like).optional && (like.text.empty() || like.maybe))
      return like.text.empty() ? e_.value(b.operands[0]) : buildIfThere(b); // an op that may be absent
    return result(buildLike(b));
  }
  case BuildKind::Chain:
    return buildChain(b);
  case BuildKind::Native:
    return buildNative(b);
  }
  return "";
}

/// What is to be built again. Nothing is where none of the alternatives that the match went through binds it.
std::string PatternEmitter::model(plan::VarId var) {
  const VarText &v = e_.var(var);
  if (v.text.empty()) {
    e_.failIf("true");
    return cppType(pattern_.body.var(var).type) + "()";
  }
  if (v.maybe)
    e_.failIf("!" + v.text);
  return v.deref ? "(*" + v.text + ")" : v.text;
}

/// An optional op on another operand: the operand alone where the op is absent.
std::string PatternEmitter::buildIfThere(const Build &b) {
  std::string op = e_.var(b.like).text, operand = e_.value(b.operands[0]), name = names_.unique("passed");
  out().line("Value {} = {};", name, operand);
  out().open(fmt::format("if ({}) {{", op));
  auto saved = e_.save();
  VarText there = e_.var(b.like);
  there.maybe = false;
  e_.bind(b.like, there);
  std::string made = buildLike(b, name); // the operand is built already
  out().line("{} = {}.result();", name, made);
  auto fail = e_.fail();
  e_.restore(std::move(saved));
  e_.setFail(std::move(fail));
  out().close("}");
  return name;
}

/// A tensor as the value of a new constant op.
std::string PatternEmitter::constant(const Expr &e) {
  std::string tensor = e_.value(e.args[0]), name = names_.unique("constant");
  std::string dialect = e.text;
  for (const Build &b : pattern_.body.builds) // a test has no root whose dialect it could be
    if (inTest_ && dialect.empty() && b.kind == BuildKind::Op)
      dialect = refs_.module().op(b.op).dialect;
  out().line("Value {} = materialize(rw, {}, {}, {});", name, inTest_ ? "Op()" : "op", cppString(dialect), tensor);
  created_ = true;
  failRewrite(e.range, "");
  e_.failIf("!" + name);
  return name;
}

/// Whether the op, or some ops of a set, may do without the operand, and the others have one in its place.
static bool isOptional(std::span<const sema::Op *const> ops, size_t operand) {
  auto arity = [&](const sema::Op *op) {
    return operand < op->operands.size() ? op->operands[operand].arity : Arity::Variadic;
  };
  return std::ranges::any_of(ops, [&](auto *op) { return arity(op) == Arity::Optional; }) &&
         std::ranges::none_of(ops, [&](auto *op) { return arity(op) == Arity::Variadic; });
}

/// The ops that a matched op may be; none if only traits are known.
std::vector<const sema::Op *> PatternEmitter::opsOf(plan::VarId like) const {
  std::vector<const sema::Op *> out;
  const sema::OpSet &set = pattern_.body.var(like).ops;
  for (sema::OpIndex op : set.ops)
    out.push_back(&refs_.module().op(op));
  return set.byTrait() ? std::vector<const sema::Op *>() : out;
}

/// Operands as a list of values; some may be lists themselves. What is absent stays so where the op built allows that.
std::string PatternEmitter::operandList(const std::vector<Expr> &operands, std::span<const sema::Op *const> of,
                                        const std::string &first) {
  std::vector<std::string> texts;
  bool lists = false;
  for (const Expr &o : operands) {
    bool optional = isOptional(of, texts.size()) && plan::mayBeAbsent(o, pattern_.body);
    lists |= o.type.isList();
    if (!first.empty() && texts.empty()) {
      texts.push_back(first);
      continue;
    }
    texts.push_back(reached(o, o.type.isList() ? e_.named(o, "operands") : optional ? e_.orAbsent(o) : e_.value(o)));
  }
  if (operands.size() == 1 && lists)
    return texts[0];
  std::string name = names_.unique("operands");
  if (!lists) {
    out().line("ListOf<Value> {}{{{}}};", name, fmt::join(texts, ", "));
    return name;
  }
  out().line("ListOf<Value> {};", name);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!operands[i].type.isList()) {
      out().line("{}.push_back({});", name, texts[i]);
      continue;
    }
    out().open(fmt::format("for (Value value : {})", texts[i]));
    out().line("{}.push_back(value);", name);
    out().dedent();
  }
  return name;
}

/// Inside of a region that is built anew: what stands there for a value of the one that was matched.
std::string PatternEmitter::reached(const Expr &e, const std::string &text) {
  if (rebuilds_ == 0 || e.kind == ExprKind::Build || e.kind == ExprKind::None)
    return text;
  std::string name = names_.unique(e.type.isList() ? "inner" : "value");
  if (e.type.isList()) {
    out().line("ListOf<Value> {};", name);
    out().open(fmt::format("for (Value value : {})", text));
    out().line("{}.push_back(value);", name);
    out().dedent();
  } else {
    out().line("Value {} = {};", name, text);
  }
  ExprEmitter::Fail before = e_.fail();
  failRewrite(e.range, plan::builtAgain(e, refs_.module(), pattern_.body));
  e_.failIf(fmt::format("!rw.takeInside({})", name));
  e_.setFail(std::move(before));
  return name;
}

/// A region of the op that is about to be built.
void PatternEmitter::region(const sema::RegionBuild &r) {
  if (r.copied) {
    std::string copied = e_.named(*r.copied, "region");
    return out().line("rw.copyRegion({});", copied);
  }
  const VarText *source = r.source ? &e_.var(r.source) : nullptr;
  if (source && (source->text.empty() || source->maybe))
    e_.failIf(source->text.empty() ? "true" : "!" + source->text);
  out().line("rw.openRegion({});", source ? source->text.empty() ? "RegionId()" : source->text : "");
  for (const sema::RegionBuild::Param &param : r.params) {
    if (!param.type) {
      const VarText &v = e_.var(param.var);
      if (v.text.empty() || v.maybe)
        e_.failIf(v.text.empty() ? "true" : "!" + v.text);
      if (v.text.empty())
        continue;
      std::string text = v.deref ? "(*" + v.text + ")" : v.text;
      if (param.list)
        out().open(fmt::format("for (Value param : {})", text));
      out().line("rw.repeatParam({});", param.list ? "param" : text);
      if (param.list)
        out().dedent();
      continue;
    }
    std::string name = names_.unique(pattern_.body.var(param.var).name);
    if (param.list) {
      std::string types = e_.named(*param.type, "types");
      out().line("ListOf<Value> {};", name);
      out().open(fmt::format("for (TypeId type : {})", types));
      out().line("{}.push_back(rw.addParam(type));", name);
      out().dedent();
    } else {
      std::string type = e_.value(*param.type);
      out().line("[[maybe_unused]] Value {} = rw.addParam({});", name, type);
    }
    e_.bind(param.var, {.text = name});
  }
  rebuilds_ += bool(r.source);
  if (r.source) {
    failRewrite(r.range, plan::effectsBuiltAgain());
    e_.failIf("!rw.keepEffects()");
    failRewrite(r.range, "");
  }
  for (const auto &[var, value] : r.lets)
    e_.bind(var, {.text = e_.named(value, pattern_.body.var(var).name)});
  std::string results = operandList(r.results);
  rebuilds_ -= bool(r.source);
  out().line("rw.closeRegion({});", results);
}

/// The regions of the op that is about to be built, which takes them.
void PatternEmitter::regions(const Build &b, const std::string &model) {
  created_ = true;
  failRewrite(b.range, "");
  if (model.empty())
    out().line("rw.openRegions({});", schemaOf(b));
  else
    out().line("rw.openRegionsOf({});", model);
  if (model.empty()) {
    for (const sema::RegionBuild &r : b.regions)
      region(r);
    return;
  }
  size_t count = refs_.module().op(pattern_.body.var(b.like).ops.ops.front()).regions.size();
  for (size_t i = 0; i < count; ++i) {
    auto given = std::ranges::find(b.regions, uint32_t(i), &sema::RegionBuild::index);
    if (given != b.regions.end())
      region(*given);
    else
      out().line("rw.copyRegion({}.regions()[{}]);", model, i);
  }
}

/// Whether the attribute has a default that is the same for every op, and is left out where it equals that.
static bool leavesOutDefault(const sema::OpAttrDecl &attr) {
  return attr.defaultValue && plan::isLiteral(*attr.defaultValue);
}

/// Declares what an attribute of a new op becomes.
std::string PatternEmitter::attrVariable(const sema::BuildAttr &a, const Build &b) {
  const sema::Op &op = refs_.module().op(b.op);
  if (a.value.kind == ExprKind::Var && (!b.versions.empty() || !leavesOutDefault(op.attrs[a.index])) &&
      !op.attrs[a.index].optional)
    if (const VarText &v = e_.var(a.value.var()); !v.attr.empty() && !v.maybe)
      return v.attr;
  std::string name = names_.unique(a.name);
  if (op.attrs[a.index].optional && a.value.kind != ExprKind::None && plan::mayBeAbsent(a.value, pattern_.body))
    out().line("AttrId {} = {};", name, e_.orAbsent(a.value));
  else
    declareAttr(name, a.value, op.attrs[a.index].type);
  if (b.versions.empty() && leavesOutDefault(op.attrs[a.index])) { // versions may have other defaults
    out().line("if ({} == {})", name, e_.attribute(*op.attrs[a.index].defaultValue, op.attrs[a.index].type));
    out().line("  {} = AttrId();", name);
  }
  return name;
}

/// "perm, AttrId(), axis" up to the last that is stated. What an attribute has by default anyway is left out, so that
/// equal ops are spelled alike, for people and for cse.
std::string PatternEmitter::attrsText(const Build &b) {
  std::vector<std::string> values;
  for (const sema::BuildAttr &a : b.attrs) {
    if (values.size() <= a.index)
      values.resize(a.index + 1, "AttrId()");
    values[a.index] = attrVariable(a, b);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

/// The schema of what is built, or the choice between those of several versions.
std::string PatternEmitter::schemaOf(const Build &b) {
  if (b.versions.empty())
    return refs_.schema(b.op);
  std::string list;
  for (sema::OpIndex version : b.versions)
    list += (list.empty() ? "&" : ", &") + refs_.schema(version);
  return fmt::format("ofVersion(ctx, {{{}}})", list);
}

/// Whether its operands stand one by one and its types are inferred.
bool PatternEmitter::isPlain(const Build &b) const {
  return b.types.empty() && !b.byName && b.regions.empty() &&
         std::ranges::all_of(refs_.module().op(b.op).operands, [](auto &o) { return o.arity == Arity::Single; });
}

/// "{{"axes", axes}, {"keepdims", keepdims}}": attributes of what is built by name.
std::string PatternEmitter::namedSettings(const Build &b, const sema::Op &op) {
  std::string text;
  for (const sema::BuildAttr &a : b.attrs) {
    std::string name = names_.unique(a.name);
    const sema::OpAttrDecl &declared = op.attrAt(size_t(op.attrNamed(a.name)));
    if (declared.optional && a.value.kind != ExprKind::None && plan::mayBeAbsent(a.value, pattern_.body))
      out().line("AttrId {} = {};", name, e_.orAbsent(a.value));
    else
      declareAttr(name, a.value, declared.type);
    text += fmt::format("{}{{{}, {}}}", text.empty() ? "" : ", ", cppString(a.name), name);
  }
  return "{" + text + "}";
}

/// A list of the types stated; empty if there are none.
std::string PatternEmitter::statedTypes(const Build &b) {
  std::string types;
  for (const Expr &t : b.types)
    types += (types.empty() ? "" : ", ") + e_.value(t);
  if (types.empty())
    return "";
  std::string stated = names_.unique("resultTypes");
  out().line("InlineList<TypeId> {}{{{}}};", stated, types);
  return stated;
}

/// "Schema, rw.attrs(attributes), operands" of an op that isPlain.
std::string PatternEmitter::creation(const Build &b) {
  place(b.range);
  std::string attrs = attrsText(b);
  std::vector<std::string> operands;
  for (const Expr &o : b.operands)
    operands.push_back(reached(o, e_.value(o)));
  return fmt::format("{}, rw.attrs({}){}{}", schemaOf(b), attrs, operands.empty() ? "" : ", ",
                     fmt::join(operands, ", "));
}

std::string PatternEmitter::buildOp(const Build &b) {
  const sema::Op &op = refs_.module().op(b.op);
  std::string name, call;
  if (b.byName) {
    place(b.range);
    std::string attrs = namedSettings(b, op);
    const sema::Op *ops[] = {&op};
    std::string operands = operandList(b.operands, ops), types = statedTypes(b);
    name = names_.unique(schemaHint(op.name));
    if (!b.regions.empty()) {
      regions(b);
      types = types.empty() ? "{}, true" : types + ", true";
    }
    out().line("Op {} = buildNamed(rw, {}, {}, {}, {}{});", name, schemaOf(b), operands, attrs,
               b.resultCount == sema::kOpenResults, types.empty() ? "" : ", " + types);
    created_ = true;
    failRewrite(b.range, "");
    e_.failIf("!" + name);
    return name;
  }
  if (!b.regions.empty()) {
    place(b.range);
    std::string attrs = attrsText(b);
    const sema::Op *ops[] = {&op};
    std::string operands = operandList(b.operands, ops), list = names_.unique("attrs"), types = statedTypes(b);
    out().line("InlineList<AttrId> {}{{{}}};", list, attrs);
    regions(b);
    name = names_.unique(schemaHint(op.name));
    out().line("Op {} = takeRegions(rw, {}, {}, ctx.attrs({}), {}{});", name, schemaOf(b), operands, list,
               b.resultCount == sema::kOpenResults, types.empty() ? "" : ", " + types);
    failRewrite(b.range, "");
    e_.failIf("!" + name);
    return name;
  }
  if (b.resultCount == sema::kOpenResults) {
    place(b.range);
    std::string attrs = attrsText(b);
    const sema::Op *ops[] = {&op};
    std::string operands = operandList(b.operands, ops), list = names_.unique("attrs");
    out().line("InlineList<AttrId> {}{{{}}};", list, attrs);
    name = names_.unique(schemaHint(op.name));
    out().line("Op {} = buildOpen(rw, {}, {}, ctx.attrs({}));", name, schemaOf(b), operands, list);
    created_ = true;
    failRewrite(b.range, "");
    e_.failIf("!" + name);
    return name;
  }
  if (isPlain(b)) {
    std::string parts = creation(b);
    name = names_.unique(schemaHint(op.name));
    call = fmt::format("rw.createOp({})", parts);
  } else {
    place(b.range);
    std::string attrs = attrsText(b);
    const sema::Op *ops[] = {&op};
    std::string operands = operandList(b.operands, ops);
    std::string types;
    for (const Expr &t : b.types)
      types += (types.empty() ? "" : ", ") + e_.value(t);
    std::string list = names_.unique("attrs");
    out().line("InlineList<AttrId> {}{{{}}};", list, attrs);
    name = names_.unique(schemaHint(op.name));
    if (!types.empty()) {
      std::string stated = names_.unique("resultTypes");
      out().line("InlineList<TypeId> {}{{{}}};", stated, types);
      types = ", " + stated;
    }
    call = fmt::format("rw::build(rw, {}, {}, ctx.attrs({}){})", schemaOf(b), operands, list, types);
  }
  out().line("Op {} = {};", name, call);
  created_ = true;
  failRewrite(b.range, "");
  return name;
}

/// `first`: what the first operand is called, if it is built already.
std::string PatternEmitter::buildLike(const Build &b, const std::string &first) {
  std::string model = this->model(b.like);
  std::vector<const sema::Op *> ops = opsOf(b.like);
  if (b.byName) {
    std::string attrs = namedSettings(b, *ops.front()), operands = operandList(b.operands, ops, first),
                types = statedTypes(b);
    std::string name = names_.unique(pattern_.body.var(b.like).name);
    if (!b.regions.empty()) {
      regions(b, model);
      types = types.empty() ? "{}, true" : types + ", true";
    }
    out().line("Op {} = againNamed(rw, {}, {}, {}{});", name, model, operands, attrs,
               types.empty() ? "" : ", " + types);
    created_ = true;
    failRewrite(b.range, "");
    e_.failIf("!" + name);
    return name;
  }
  std::string changed = settings(b.attrs);
  std::vector<std::string> texts;
  // Where only some of the ops may do without an operand, it is seen which one it is.
  auto asks = [&](const Expr &o) {
    size_t i = size_t(&o - b.operands.data());
    return isOptional(ops, i) && plan::mayBeAbsent(o, pattern_.body) &&
           std::ranges::any_of(ops, [&](auto *op) { return op->operands[i].arity == Arity::Single; });
  };
  bool list =
      std::ranges::any_of(b.operands, [&](const Expr &o) { return o.type.isList() || asks(o); }) || !b.regions.empty();
  std::string operands, types;
  for (const Expr &t : b.types)
    types += (types.empty() ? "" : ", ") + e_.value(t);
  if (list || !changed.empty() || !types.empty()) {
    operands = operandList(b.operands, ops, first);
  } else {
    for (size_t i = 0; i < b.operands.size(); ++i)
      operands += (i ? ", " : "") + (!first.empty() && i == 0
                                         ? first
                                         : reached(b.operands[i], isOptional(ops, i) ? e_.orAbsent(b.operands[i])
                                                                                     : e_.value(b.operands[i])));
    operands = "{" + operands + "}";
  }
  std::string name = names_.unique(pattern_.body.var(b.like).name);
  if (list)
    e_.failIf(fmt::format("!takesOperands({}, {})", model, operands));
  if (!b.regions.empty()) {
    std::string stated = types.empty() ? "" : names_.unique("resultTypes");
    if (!types.empty())
      out().line("InlineList<TypeId> {}{{{}}};", stated, types);
    regions(b, model);
    out().line("Op {} = takeRegionsAs(rw, {}, {}, withAttrs(ctx, {}.attrsId(), {{{}}}){});", name, model, operands,
               model, changed, stated.empty() ? "" : ", " + stated);
    failRewrite(b.range, "");
    return name;
  }
  if (!types.empty()) {
    std::string stated = names_.unique("resultTypes");
    out().line("InlineList<TypeId> {}{{{}}};", stated, types);
    out().line("Op {} = againWith(rw, {}, {}, withAttrs(ctx, {}.attrsId(), {{{}}}), {});", name, model, operands, model,
               changed, stated);
  } else if (changed.empty())
    out().line("Op {} = again(rw, {}, {});", name, model, operands);
  else
    out().line("Op {} = againWith(rw, {}, {}, withAttrs(ctx, {}.attrsId(), {{{}}}));", name, model, operands, model,
               changed);
  created_ = true;
  failRewrite(b.range, "");
  return name;
}

std::string PatternEmitter::buildChain(const Build &b) {
  std::string chain = model(b.like);
  std::string input = reached(b.operands[0], e_.value(b.operands[0]));
  std::string name = names_.unique(pattern_.body.var(b.like).name);
  std::string side;
  if (b.sideValue) {
    std::string other = names_.unique(pattern_.body.var(b.sideVar).name);
    Writer inner;
    inner.setDepth(out().depth() + 1);
    Writer &outer = out();
    auto saved = e_.save();
    bool created = created_;
    e_.setOut(inner);
    created_ = true;
    e_.setFail("return Value();");
    e_.bind(b.sideVar, {.text = other});
    sideFail_ = true;
    std::string value = reached(*b.sideValue, e_.value(*b.sideValue));
    sideFail_ = false;
    inner.line("return {};", value);
    e_.setOut(outer);
    e_.restore(saved);
    created_ = created;
    side = fmt::format(", [&]([[maybe_unused]] Value {}) -> Value {{\n{}{}}}", other, inner.take(),
                       std::string(out().depth() * 2, ' '));
  }
  out().line("Value {} = replay(rw, {}, {}{});", name, chain, input, side);
  created_ = true;
  failRewrite(b.range, "");
  e_.failIf("!" + name);
  if (!b.types.empty())
    e_.failIf(fmt::format("!stateType(rw, {}, {})", name, e_.value(b.types[0])));
  return name;
}

std::string PatternEmitter::buildNative(const Build &b) {
  std::string args = "rw";
  for (const Expr &o : b.operands)
    args += ", " + (o.type.kind == TypeKind::Value ? reached(o, o.type.isList() ? e_.named(o, "operands") : e_.value(o))
                    : o.type.isList() ? e_.named(o, "operands")
                                                   : e_.value(o));
  const sema::Native &native = refs_.module().native(b.native);
  std::string name = names_.unique(native.name);
  std::string call = fmt::format("{}({})", refs_.native(b.native), args);
  if (native.results.size() == 1)
    out().line("auto {} = {};", name, call);
  else
    out().line("NativeResults {}({}, {});", name, call, native.results.size());
  created_ = true;
  failRewrite(b.range, "");
  e_.failIf("!" + name);
  return name;
}

} // namespace rw::emit
