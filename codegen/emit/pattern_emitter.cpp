#include "codegen/emit/pattern_emitter.h"

#include "codegen/plan/failures.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rw::emit {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;
using sema::TypeKind;

PatternEmitter::PatternEmitter(const References &refs, const plan::MatchPlan &plan, const SourceManager &sources,
                               Writer &w)
    : PatternEmitter(refs, refs.module().pattern(plan.pattern), plan, sources, w) {}

/// Calls `visit` with each list of steps of a plan.
static void forEachList(const std::vector<Step> &list, const std::function<void(const std::vector<Step> &)> &visit) {
  visit(list);
  for (const Step &s : list) {
    for (const std::vector<Step> &alternative : s.alternatives)
      forEachList(alternative, visit);
    forEachList(s.link, visit);
    forEachList(s.body, visit);
  }
}

PatternEmitter::PatternEmitter(const References &refs, const sema::Pattern &pattern, const plan::MatchPlan &plan,
                               const SourceManager &sources, Writer &w)
    : refs_(refs), plan_(plan), tests_(plan::sharedTests(plan, refs.module())), search_(plan, tests_.covered),
      pattern_(pattern), headAttrs_(plan, pattern.body, refs.module()), describe_(plan, refs.module()),
      sources_(sources), w_(w), e_(refs, pattern_.body, w, names_), slots_(plan.slots.size()),
      origins_(plan.slots.size()), kinds_(plan.slots.size(), nullptr) {
  auto look = [&](const Steps &list) {
    std::set<plan::Slot> operands; // that stand in the same list, so that the op is asked for wherever the operand is
    for (const Step &s : list) {
      if (s.kind == StepKind::Operand)
        operands.insert(s.out);
      if (s.kind == StepKind::Def && operands.contains(s.in))
        defines_.insert(s.in);
      if (s.kind == StepKind::Def || s.kind == StepKind::Root || s.kind == StepKind::Users)
        kinds_[s.out] = &s.ops;
    }
  };
  forEachList(plan.steps, look);
  for (const plan::NestedTest &nested : plan.tests)
    forEachList(nested.steps, look);
  for (const Step &s : plan.steps)
    if (s.kind == StepKind::Users)
      rootSlots_.push_back(s.out);
  e_.onBuild = [this](const sema::Expr &e) { return build(e); };
  e_.onFailure = [this](const sema::Expr &e) {
    std::string why = plan::computed(e, refs_.module(), pattern_.body);
    return why.empty() ? "" : fmt::format("{}, {}", cppString(why), line(e.range));
  };
  e_.onConstant = [this](const sema::Expr &e) { return constant(e); };
  e_.onIs = [this](const sema::Expr &e) { return isExpr(e); };
}

/// In the pattern's file: what a named rewrite of another file builds is the pattern's.
unsigned PatternEmitter::line(SourceRange r) const {
  bool here = r && (!plan_.file || sources_.fileOf(r.begin) == plan_.file);
  return here ? sources_.line(r.begin) : plan_.line;
}

/// Of no trait: that a dialect declares the op.
static std::string traitTest(uint32_t traits, const std::string &op) {
  if (!traits)
    return fmt::format("{}.kind() != kOpaqueKind", op);
  static constexpr std::pair<uint32_t, std::string_view> all[] = {{sema::trait::pure, "Pure"},
                                                                  {sema::trait::elementwise, "Elementwise"},
                                                                  {sema::trait::commutative, "Commutative"},
                                                                  {sema::trait::constant, "Constant"},
                                                                  {sema::trait::effectRandom, "EffectRandom"},
                                                                  {sema::trait::effectError, "EffectError"},
                                                                  {sema::trait::effectState, "EffectState"}};
  std::string text;
  for (auto [bit, name] : all)
    if (traits & bit)
      text += fmt::format("{}{}.hasTrait(Trait::{})", text.empty() ? "" : " && ", op, name);
  return text;
}

std::string kindTest(const sema::OpSet &ops, const References &refs, const std::string &op) {
  std::string text;
  if (ops.byTrait()) {
    text = traitTest(ops.traits, op);
    for (uint32_t traits : ops.otherTraits)
      text = fmt::format("({}) || ({})", text, traitTest(traits, op));
    for (sema::OpIndex i : ops.otherOps)
      text = fmt::format("({}) || {}.is({})", text, op, refs.schema(i));
    return text;
  }
  for (sema::OpIndex i : ops.ops)
    text += fmt::format("{}{}.is({})", text.empty() ? "" : " || ", op, refs.schema(i));
  return ops.ops.size() > 1 ? "(" + text + ")" : text;
}

std::string PatternEmitter::opHint(const sema::OpSet &ops) const {
  if (ops.ops.empty())
    return "matched";
  std::string name = pascalCase(refs_.module().op(ops.ops[0]).name);
  name[0] = char(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

std::string PatternEmitter::slotHint(plan::Slot slot, std::string_view otherwise) const {
  plan::VarId var = plan_.slots[slot].alias ? plan::VarId() : plan_.slots[slot].var;
  return var ? pattern_.body.var(var).name : std::string(otherwise);
}

void PatternEmitter::failWith(const Step &s, std::string why) {
  line_ = reports_ ? s.line : 0;
  why_ = reports_ ? cppString(why.empty() ? describe_(s) : why) : "\"\"";
  e_.setFail({leave_, reports_ ? asks_ : "", fmt::format("{}, {}", why_, line_)});
}

std::string PatternEmitter::ask(std::string_view fn, const std::string &args) const {
  return fmt::format("{}.{}({}, {}, {})", asks_, fn, args, why_, line_);
}

void PatternEmitter::find(const std::string &type, const std::string &name, std::string_view fn,
                          const std::string &args) {
  out().declare(type, name, ask(fn, args));
  e_.failUnless(name);
}

/// "algebra.rw" of the file's path.
std::string PatternEmitter::shortFile() const {
  std::string_view file = sources_.name(plan_.file);
  return std::string(file.substr(file.rfind('/') + 1));
}

/// The pattern: a constant, of what is known of it without running it.
void PatternEmitter::emitObject(const std::string &className, bool tests) {
  std::string labels, roots, chains;
  for (const std::string &label : pattern_.labels)
    labels += (labels.empty() ? "" : ", ") + cppString(label);
  if (!labels.empty())
    labels = table("std::string_view", fmt::format("k{}Labels", className), labels);
  if (!isSeen())
    roots = kindSet(plan_.roots, fmt::format("k{}Roots", className));
  for (size_t i = 0; i < plan_.chains.size(); ++i)
    chains += (i ? ", " : "") +
              kindSet(plan_.chains[i], fmt::format("k{}Links{}", className, i ? std::to_string(i + 1) : ""));
  if (!chains.empty())
    w_.line("constexpr KindSet k{}Chains[] = {{{}}};", className, chains);
  std::vector<std::string> fields{".name = " + cppString(plan_.name)};
  auto field = [&](std::string_view name, auto value) { fields.push_back(fmt::format(".{} = {}", name, value)); };
  if (plan_.benefit != 1)
    field("benefit", plan_.benefit);
  if (plan_.fastmath)
    field("fastmath", plan_.fastmath.all() ? "true" : fmt::format("FastMath::of({})", plan_.fastmath.bits()));
  if (plan_.recursive)
    field("recursive", true);
  if (!labels.empty())
    field("labels", labels);
  if (!pattern_.doc.empty())
    field("doc", cppString(pattern_.doc));
  field("file", cppString(shortFile()));
  field("line", plan_.line);
  field("depth", plan_.depth);
  field("looksAtLeaves", plan_.looksAtLeaves);
  if (plan_.looksAtUses)
    field("looksAtUses", true);
  if (plan_.countsUses)
    field("countsUses", true);
  if (plan_.looksAtUsers)
    field("looksAtUsers", true);
  if (plan_.looksInRegions)
    field("looksInRegions", true);
  if (tests)
    field("tests", fmt::format("k{}Tests", className));
  if (tests_.opening)
    field("opening", tests_.opening);
  if (!roots.empty())
    field("roots", roots);
  if (!chains.empty())
    field("chains", fmt::format("k{}Chains", className));
  w_.open(fmt::format("constexpr {0} k{0}Pattern{{{{", className));
  w_.elements(fields);
  w_.close("}};");
}

/// "{&a::AOp::schema(), &a::BOp::schema()}"
std::string PatternEmitter::schemaList(const sema::OpSet &set) const {
  std::string list;
  for (sema::OpIndex i : set.ops)
    list += fmt::format("{}&{}", list.empty() ? "" : ", ", refs_.schema(i));
  return "{" + list + "}";
}

/// Whether all it starts at are ops of one declaration, seen through their view.
bool PatternEmitter::isSeen() const { return plan_.roots.ops.size() == 1 && !plan_.roots.byTrait(); }

void PatternEmitter::emit(const std::string &className, SharedParts &tables) {
  tables_ = &tables;
  bool tests = emitSharedTests(className);
  w_.line("// {}:{}", shortFile(), plan_.line);
  placed_ = plan_.line;
  if (isSeen()) {
    w_.open(fmt::format("struct {} final : GeneratedPattern<{}> {{", className, refs_.view(plan_.roots.ops[0])));
    w_.text("using GeneratedPattern::GeneratedPattern, GeneratedPattern::matchAndRewrite;");
  } else {
    w_.open(fmt::format("struct {} final : GeneratedMultiOpPattern {{", className));
    w_.text("using GeneratedMultiOpPattern::GeneratedMultiOpPattern;");
  }
  Writer body;
  body.setDepth(w_.depth() + 1);
  members_.setDepth(w_.depth());
  e_.setOut(body);
  body.declare("Context &", "ctx", "rw.context()");
  body.declare("Attempt", "match", "Attempt(op, rw)");
  slots_[0] = "op";
  if (tests_.opening)
    open();
  for (size_t i = 0; i < plan_.steps.size(); ++i)
    if (tests_.covered[i])
      opened(plan_.steps[i]);
    else
      steps({&plan_.steps[i], 1});
  blame(plan::Search::kAll);
  rewrite();
  close("");
  body.settle();
  e_.setOut(w_);
  w_.append(std::move(members_));
  w_.open("bool matchAndRewrite(Op op, PatternRewriter &rw) const override {");
  w_.append(std::move(body));
  w_.close("}");
  w_.close("};");
  emitObject(className, tests);
  w_.blank();
}

// Single steps ----------------------------------------------------------------------------------------------------

/// A name for the op, value or attribute of a slot. What a choice leaves in a variable is declared as that.
std::string PatternEmitter::nameSlot(plan::Slot slot, std::string_view hint) {
  if (plan::VarId var = plan_.slots[slot].var; var && !plan_.slots[slot].alias && !e_.isBound(var))
    if (const Home *home = homeOf(var)) {
      bool attr = plan_.slots[slot].kind == SlotKind::Attr;
      if (attr && !home->attr.empty())
        return home->attr;
      if (!attr && !home->deref)
        return home->name;
    }
  return names_.unique(hint);
}

void PatternEmitter::steps(std::span<const Step> list) {
  for (const Step &s : list) {
    unsigned before = out().at(s.line);
    blameStep(s);
    step(s);
    out().at(before);
  }
}

/// Asks for the opening; where it takes two operands in either order, all that follows stands in a loop.
void PatternEmitter::open() {
  std::string order;
  if (tests_.swaps) {
    out().text("// Operands as written, then swapped.");
    order = names_.unique("order");
    openLoop(fmt::format("for (unsigned {0} = match.firstOrder(); {0} < match.endOrder(); ++{0}) {{", order));
    order = ", " + order;
  }
  failWith(plan_.steps.front());
  e_.failUnless(fmt::format("match.opens(this->info(){})", order));
}

/// A step of the opening: what it found is where the opening left it. What makes an operand of the root is asked of the
/// root again, since reading it there is sooner (Attempt::producer).
void PatternEmitter::opened(const Step &s) {
  unsigned before = out().at(s.line);
  auto slot = [&](plan::Slot slot, const std::string &type, const std::string &reader, const std::string &hint) {
    slots_[slot] = nameSlot(slot, hint);
    out().read(type, slots_[slot], reader);
  };
  auto found = [&](plan::Slot slot, std::string_view what) { return fmt::format("match.{}({})", what, slot); };
  switch (s.kind) {
  case StepKind::Operand:
    slot(s.out, "Value", found(s.out, "value"), slotHint(s.out, "operand"));
    if (s.in == 0 && !s.fromEnd)
      ofRoot_[s.out] = s.index;
    break;
  case StepKind::Def:
    if (auto operand = ofRoot_.find(s.in); operand != ofRoot_.end()) {
      std::string id = opened_[s.out] = names_.unique(slotHint(s.out, opHint(s.ops)) + "Id");
      out().read("OpId", id, fmt::format("match.producer({})", operand->second));
      slot(s.out, "Op", fmt::format("match.op({})", id), slotHint(s.out, opHint(s.ops)));
    } else {
      opened_[s.out] = std::to_string(s.out);
      slot(s.out, "Op", found(s.out, "op"), slotHint(s.out, opHint(s.ops)));
    }
    break;
  case StepKind::Attr:
    slot(s.out, "AttrId", found(s.out, "attr"), slotHint(s.out, "attr") + "Attr");
    break;
  case StepKind::Commute:
    slot(s.out, "Value", found(s.out, "value"), slotHint(s.out, "first"));
    slot(s.out + 1, "Value", found(s.out + 1, "value"), slotHint(s.out + 1, "second"));
    break;
  default:
    break; // it found nothing
  }
  out().at(before);
}

void PatternEmitter::step(const Step &s) {
  failWith(s);
  const std::string in = s.in == plan::kNoSlot ? "" : slots_[s.in];
  switch (s.kind) {
  case StepKind::Root:
    return;
  case StepKind::Def:
    return def(s);
  case StepKind::Kind:
    if (s.ops.byTrait())
      return e_.failIf(fmt::format("!({})", kindTest(s.ops, refs_, slots_[s.in])));
    return mustHold("is", in + ", " + schemaList(s.ops));
  case StepKind::Result:
    slots_[s.out] = nameSlot(s.out, slotHint(s.out, "result"));
    return find("Value", slots_[s.out], "result", fmt::format("{}, {}", in, s.index));
  case StepKind::Count:
    if (s.least > 0 || s.most != UINT32_MAX)
      mustHold("operandCount",
               fmt::format("{}, {}, {}", in, s.least, s.most == UINT32_MAX ? "UINT32_MAX" : std::to_string(s.most)));
    return;
  case StepKind::Operand:
    return operandStep(s);
  case StepKind::OperandList:
    slots_[s.out] = nameSlot(s.out, slotHint(s.out, "operands"));
    return out().declare(
        "ListOf<Value>", slots_[s.out],
        fmt::format("operandsOf({0}, {1}, {2}.operandCount() - {3})", in, s.index, slots_[s.in], s.most));
  case StepKind::Absent:
    return mustHold("noOperand", fmt::format("{}, {}", in, s.index));
  case StepKind::Attr:
    return attrStep(s);
  case StepKind::AttrDefault:
    return mustHold("isDefault", fmt::format("{}, {}", in, attrIndex(s)));
  case StepKind::AttrAbsent:
    return mustHold("noAttr", fmt::format("{}, {}", in, attrIndex(s)));
  case StepKind::NoExtras:
    return mustHold("noExtras", in);
  case StepKind::Region:
    slots_[s.out] = nameSlot(s.out, slotHint(s.out, "region"));
    return find("RegionId", slots_[s.out], "region", fmt::format("{}, {}", in, attrIndex(s)));
  case StepKind::ParamCount:
    if (s.negated)
      return e_.failIf(fmt::format("!holdsNoEffects(rw.function(), {})", slots_[s.in]));
    if (s.least > 0 || s.most != UINT32_MAX)
      mustHold("paramCount",
               fmt::format("{}, {}, {}", in, s.least, s.most == UINT32_MAX ? "UINT32_MAX" : std::to_string(s.most)));
    return;
  case StepKind::Param:
    slots_[s.out] = nameSlot(s.out, slotHint(s.out, "param"));
    return find("Value", slots_[s.out], s.fromEnd ? "lastParam" : "param", fmt::format("{}, {}", in, s.index));
  case StepKind::ParamList:
    slots_[s.out] = nameSlot(s.out, slotHint(s.out, "params"));
    return out().declare("ListOf<Value>", slots_[s.out],
                         fmt::format("{}.params({}, {}, {})", asks_, in, s.index, s.most));
  case StepKind::Terminator:
    slots_[s.out] = names_.unique("end");
    return out().declare("Op", slots_[s.out], fmt::format("{}.terminator({})", asks_, in));
  case StepKind::AttrEquals: {
    if (plan::equalsLiteral(s))
      return mustHold("equals", fmt::format("{}, {}", in, literal(s)));
    // The element of a constant is compared as it is, not as the attribute it would become.
    bool element = s.expr->kind == sema::ExprKind::Convert && s.expr->type.is(TypeKind::Float);
    if (!s.expr->type.isList() && !s.expr->type.is(TypeKind::Dim) && !element) {
      std::string value =
          e_.attribute(*s.expr, s.expr->type.is(TypeKind::Attr) ? sema::AttrType::Any : sema::AttrType::Int);
      return mustHold("same", fmt::format("{}, {}", in, value));
    }
    std::string have = e_.checked("have", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(s.expr->type), in));
    return sameElement(s.expr->type, have, e_.named(*s.expr, "want"));
  }
  case StepKind::AttrOneOf:
    return e_.failIf(fmt::format("!({})", oneOf(s, in)));
  case StepKind::AttrList:
    return attrList(s);
  case StepKind::Bind:
  case StepKind::Same:
  case StepKind::BindOrSame:
    return bindStep(s);
  case StepKind::Single:
    return mustHold("hasOneUse", in);
  case StepKind::Type:
    return typeStep(s);
  case StepKind::Const:
    return mustHold("isConstant", in);
  case StepKind::Element:
    slots_[s.out] = nameSlot(s.out, slotHint(s.out, "element"));
    return find("AttrId", slots_[s.out], "element", in);
  case StepKind::Splat: {
    sema::Type type = s.expr->type;
    std::string cpp = type.is(TypeKind::Float) ? "double" : type.is(TypeKind::Bool) ? "bool" : "int64_t";
    return mustHold("isSplat", fmt::format("{}, {}({})", in, cpp, e_.value(*s.expr)));
  }
  case StepKind::Let: {
    std::string value = e_.named(*s.expr, s.var ? pattern_.body.var(s.var).name : "value");
    if (s.var)
      bind(s.var, {.text = value});
    else
      slots_[s.out] = value;
    return;
  }
  case StepKind::Test:
    return test(*s.expr);
  case StepKind::Is:
    return is(s);
  case StepKind::Each:
    return each(s);
  case StepKind::Commute:
    return commute(s);
  case StepKind::Alternatives:
    return alternatives(s);
  case StepKind::Users:
    return users(s);
  case StepKind::Chain:
    return chain(s);
  }
}

void PatternEmitter::def(const Step &s) {
  const std::string in = slots_[s.in];
  std::string name = slots_[s.out] = nameSlot(s.out, slotHint(s.out, opHint(s.ops)));
  if (s.ops.byTrait()) {
    out().declare("Op", name, fmt::format("definitionOf({})", in));
    return e_.failIf(
        fmt::format("!{0} || !({1}) || !isResult({2}, {0}, {3})", name, kindTest(s.ops, refs_, name), in, s.index));
  }
  const sema::Op *op = s.ops.ops.size() == 1 ? &refs_.module().op(s.ops.ops[0]) : nullptr;
  if (!op || op->results.size() != 1 || op->results[0].arity == sema::Arity::Variadic)
    return find("Op", name, "madeBy", fmt::format("{}, {}, {}", in, schemaList(s.ops), s.index));
  const auto &[user, index] = origins_[s.in];
  std::string value = user.empty() ? in : fmt::format("{}, {}", user, index);
  find("Op", name, "madeBy", fmt::format("{}, {}", value, refs_.schema(s.ops.ops[0])));
}

/// Whether every op that it may be has the operand, so that the verifier has seen to it.
bool PatternEmitter::isFixedOperand(const Step &s) const {
  const sema::OpSet *ops = kinds_[s.in];
  return ops && !s.fromEnd && !ops->byTrait() && std::ranges::all_of(ops->ops, [&](sema::OpIndex i) {
           const auto &operands = refs_.module().op(i).operands;
           return s.index < operands.size() &&
                  std::ranges::all_of(operands, [](auto &o) { return o.arity == sema::Arity::Single; });
         });
}

void PatternEmitter::operandStep(const Step &s) {
  const std::string op = slots_[s.in];
  std::string name = slots_[s.out] = nameSlot(s.out, slotHint(s.out, "operand"));
  std::string place = fmt::format("{}, {}", op, s.index);
  if (!defines_.contains(s.out) && !isFixedOperand(s)) // an optional one may be left out
    return find("Value", name, s.fromEnd ? "lastOperand" : "operand", place);
  if (!s.fromEnd)
    origins_[s.out] = {op, std::to_string(s.index)};
  out().read("Value", name,
             s.fromEnd ? fmt::format("lastOperandOf({})", place) : readOf(s.in, "operandOf", std::to_string(s.index)));
}

/// "match.operandOf(2, 0)" or "match.operandOf(reluId, 0)" of an op that the opening has found, of another one
/// "operandOf(add, 0)".
std::string PatternEmitter::readOf(plan::Slot op, std::string_view what, const std::string &index) const {
  auto opened = opened_.find(op);
  return opened != opened_.end() ? fmt::format("match.{}({}, {})", what, opened->second, index)
                                 : fmt::format("{}({}, {})", what, slots_[op], index);
}

/// Conditions that many patterns have, as calls: `x.rank == 2`, `x.type == y.type`, `x.dtype == y.dtype`.
bool PatternEmitter::commonTest(const sema::Expr &e) {
  if (e.kind != sema::ExprKind::Binary || e.binary != sema::BinaryOp::Eq)
    return false;
  auto valueOf = [&](const sema::Expr &side, sema::Property property) -> std::string {
    if (side.kind != sema::ExprKind::Property || side.property != property || !side.args[0].type.is(TypeKind::Value))
      return "";
    const sema::Expr &of = side.args[0];
    const bool isResult =
        of.kind == sema::ExprKind::OpResult && of.i >= 0 && !of.mayLack && of.args[0].kind == sema::ExprKind::Var;
    if (!isResult && of.kind != sema::ExprKind::Var)
      return "";
    const VarText &v = e_.var(isResult ? of.args[0].var() : of.var());
    if (v.maybe || v.deref)
      return "";
    return isResult ? fmt::format("{}.result({})", v.text, of.i) : v.text;
  };
  if (std::string of = valueOf(e.args[0], sema::Property::Rank); !of.empty() && e.args[1].kind == sema::ExprKind::Int) {
    mustHold("hasRank", fmt::format("{}, {}", of, e.args[1].i));
    return true;
  }
  for (auto [property, fn] : {std::pair(sema::Property::Type, "sameType"), {sema::Property::DType, "sameDType"}})
    if (std::string a = valueOf(e.args[0], property), b = valueOf(e.args[1], property); !a.empty() && !b.empty()) {
      mustHold(fn, a + ", " + b);
      return true;
    }
  return false;
}

void PatternEmitter::test(const sema::Expr &e) {
  if (commonTest(e))
    return;
  const RecalledFrom from = recalledFrom(e);
  if (from.attrs.empty())
    return e_.require(e);
  std::string name = names_.unique("holds");
  std::string call = recall(name, from.attrs, e, "bool", "return false;", [&] {
    e_.require(e);
    out().text("return true;");
  });
  out().declare("bool", name, call);
  if (from.ofHead && leave_ == "return false;" && asks_ == "match") // else there is more to try
    out().test("!" + name, fmt::format("return match.noByAttrs({}, {});", why_, line_));
  else
    e_.failIf("!" + name);
}

} // namespace rw::emit
