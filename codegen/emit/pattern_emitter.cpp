#include "codegen/emit/pattern_emitter.h"

#include <algorithm>
#include <utility>
#include <cctype>

namespace rw::emit {

using plan::SlotKind;
using plan::Step;
using plan::StepKind;
using sema::TypeKind;

PatternEmitter::PatternEmitter(const References &refs, const plan::MatchPlan &plan, const SourceManager &sources, Writer &w)
    : PatternEmitter(refs, refs.module().pattern(plan.pattern), plan, sources, w) {}

PatternEmitter::PatternEmitter(const References &refs, const sema::Pattern &pattern, const plan::MatchPlan &plan,
                               const SourceManager &sources, Writer &w)
    : refs_(refs), plan_(plan), pattern_(pattern), sources_(sources), w_(w),
      e_(refs, pattern_.body, w, names_), slots_(plan.slots.size()) {
  for (const Step &s : plan.steps)
    if (s.kind == StepKind::Def)
      defines_.insert(s.in); // which asks whether there is a value
    else if (s.kind == StepKind::Users)
      rootSlots_.push_back(s.out);
  e_.onBuild = [this](const sema::Expr &e) { return build(e); };
  e_.onConstant = [this](const sema::Expr &e) { return constant(e); };
  e_.onIs = [this](const sema::Expr &e) { return isExpr(e); };
}

unsigned PatternEmitter::line(SourceRange r) const { return r ? sources_.lineColumn(r.begin).line : plan_.line; }

static std::string traitTest(uint32_t traits, const std::string &op) {
  static constexpr std::pair<uint32_t, std::string_view> all[] = {
      {sema::trait::pure, "Pure"},
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

/// The kinds of a set given by trait, in a constructor that has `ops`.
std::string PatternEmitter::kindList(const sema::OpSet &set) const {
  if (!set.mixed())
    return fmt::format("kindsWithTraits(ops, {})", set.traits);
  std::string traits = fmt::format("{}", set.traits), kinds;
  for (uint32_t more : set.otherTraits)
    traits += fmt::format(", {}", more);
  for (sema::OpIndex i : set.otherOps)
    kinds += fmt::format("{}ops.kindOf({})", kinds.empty() ? "" : ", ", refs_.schema(i));
  return fmt::format("kindsOfSet(ops, {{{}}}, {{{}}})", traits, kinds);
}

std::string PatternEmitter::opHint(const sema::OpSet &ops) const {
  if (ops.ops.empty())
    return "matched";
  std::string name = pascalCase(refs_.module().op(ops.ops[0]).name);
  name[0] = char(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

std::string PatternEmitter::slotHint(plan::Slot slot, std::string_view otherwise) const {
  plan::VarId var = plan_.slots[slot].var;
  return var ? pattern_.body.var(var).name : std::string(otherwise);
}

std::string PatternEmitter::noMatch(std::string_view why, unsigned line) const {
  return fmt::format("return {}{}, {});", isRule_ && !hoist_.empty() ? "m.fail(" : isRule_ ? "m.noMatch(" : "rw.noMatch(op, ", cppString(why), line);
}

void PatternEmitter::failWith(const Step &s, std::string why) {
  if (!quietFail_.empty() && !quietFail_.ends_with('('))
    return e_.setFail(quietFail_);
  if (why.empty())
    why = plan::describe(s, plan_, refs_.module());
  if (!quietFail_.empty()) // inside `each`
    return e_.setFail(fmt::format("{}{}, {});", quietFail_, cppString(why), s.line));
  e_.setFail(noMatch(why, s.line));
}

/// "algebra.rw" of the file's path.
std::string PatternEmitter::shortFile() const {
  std::string_view file = sources_.name(plan_.file);
  return std::string(file.substr(file.rfind('/') + 1));
}

/// What is known of the pattern without running it: `k<name>Info`.
void PatternEmitter::emitInfo(const std::string &className) {
  std::string labels;
  for (const std::string &label : pattern_.labels)
    labels += (labels.empty() ? "" : ", ") + cppString(label);
  if (!labels.empty())
    w_.line("constexpr std::string_view k{}Labels[] = {{{}}};", className, labels);
  bool tests = emitSharedTests(className);
  w_.open(fmt::format("constexpr PatternInfo k{}Info{{", className));
  w_.line(".name = {},", cppString(plan_.name));
  if (plan_.benefit != 1)
    w_.line(".benefit = {},", plan_.benefit);
  if (plan_.fastmath)
    w_.text(".fastmath = true,");
  if (plan_.recursive)
    w_.text(".recursive = true,");
  if (!labels.empty())
    w_.line(".labels = k{}Labels,", className);
  if (!pattern_.doc.empty())
    w_.line(".doc = {},", cppString(pattern_.doc));
  w_.line(".file = {},", cppString(shortFile()));
  w_.line(".line = {},", plan_.line);
  w_.line(".depth = {},", plan_.depth);
  w_.line(".looksAtLeaves = {},", plan_.looksAtLeaves);
  if (plan_.looksAtUses)
    w_.text(".looksAtUses = true,");
  if (plan_.countsUses)
    w_.text(".countsUses = true,");
  if (plan_.looksAtUsers)
    w_.text(".looksAtUsers = true,");
  if (tests)
    w_.line(".tests = k{}Tests,", className);
  w_.close("};");
  w_.blank();
}

void PatternEmitter::emit(const std::string &className) {
  bool view = plan_.roots.ops.size() == 1;
  std::string base = view ? fmt::format("OpRewritePattern<{}>", refs_.view(plan_.roots.ops[0])) : "MultiOpPattern";
  std::string info = "k" + className + "Info";
  emitInfo(className);
  w_.line("// {}:{}", shortFile(), plan_.line);
  w_.open(fmt::format("class {} final : public {} {{", className, base));
  w_.dedent();
  w_.text("public:");
  w_.indent();
  std::string roots = "{}";
  if (plan_.roots.byTrait()) {
    roots = kindList(plan_.roots);
  } else if (!view) {
    roots.clear();
    for (sema::OpIndex i : plan_.roots.ops)
      roots += fmt::format("{}ops.kindOf({})", roots.empty() ? "{" : ", ", refs_.schema(i));
    roots += "}";
  }
  std::string head = fmt::format("explicit {}(const OpRegistry &ops) : {}", className,
                                 view ? fmt::format("OpRewritePattern(ops, {})", info)
                                      : fmt::format("MultiOpPattern({}, {})", info, roots));
  if (plan_.chains.empty()) {
    w_.text(head + " {}");
  } else {
    w_.open(head + " {");
    for (const sema::OpSet &links : plan_.chains) {
      if (links.byTrait()) {
        w_.open(fmt::format("for (KindId kind : {})", kindList(links)));
        w_.text("chainKinds_.push_back(kind);");
        w_.dedent();
      }
      for (sema::OpIndex i : links.ops)
        w_.line("chainKinds_.push_back(ops.kindOf({}));", refs_.schema(i));
    }
    w_.close("}");
  }
  w_.blank();
  if (view) // one virtual call for each attempt in place of three
    w_.line("bool matchAndRewrite(Op op, PatternRewriter &rw) const override {{ return matchAndRewrite({}(op), rw); }}",
            refs_.view(plan_.roots.ops[0]));
  w_.open(fmt::format("bool matchAndRewrite({} op, PatternRewriter &rw) const override {{", view ? refs_.view(plan_.roots.ops[0]) : "Op"));
  w_.text("[[maybe_unused]] Context &ctx = rw.context();");
  slots_[0] = view ? "op.op()" : "op";
  Writer body;
  body.setDepth(w_.depth());
  e_.setOut(body);
  deferring_ = true;
  steps(plan_.steps, 0, [this] { rewrite(); });
  e_.setOut(w_);
  w_.raw(settle(body.take()));
  w_.close("}");
  w_.close("};");
  w_.blank();
}

// Choices ---------------------------------------------------------------------------------------------------------

void PatternEmitter::steps(const Steps &list, size_t from, const Done &done) {
  for (size_t i = from; i < list.size(); ++i) {
    const Step &s = list[i];
    Done rest = [&, i] { steps(list, i + 1, done); };
    if (s.kind >= StepKind::Is) // what stands below holds in there alone
      hoist_.clear();
    switch (s.kind) {
    case StepKind::Commute: return commute(s, rest);
    case StepKind::Alternatives: return alternatives(s, rest);
    case StepKind::Chain: return chain(s, rest);
    case StepKind::Users: return users(s, rest);
    default: step(s);
    }
  }
  done();
}

/// What follows as a lambda; if it fires, so does the pattern.
void PatternEmitter::attempt(const Done &inner) {
  out().open("auto attempt = [&]() -> bool {");
  auto saved = e_.save();       // what is bound in there
  auto slots = slots_;
  auto commits = commits_;
  bool created = created_;
  inner();
  e_.restore(saved);
  slots_ = std::move(slots);
  commits_ = std::move(commits);
  created_ = created;
  out().close("};");
  out().open("if (attempt())");
  out().text("return true;");
  out().dedent();
}

void PatternEmitter::commute(const Step &s, const Done &rest) {
  std::string order = names_.unique("order");
  out().line("// Operands as written, then swapped{}.", s.ifCommutative ? " if the op is commutative" : "");
  std::string orders = s.ifCommutative ? fmt::format("({}.hasTrait(Trait::Commutative) ? 2u : 1u)", slots_[s.in]) : "2";
  out().open(fmt::format("for (unsigned {0} = 0; {0} < {1}; ++{0}) {{", order, orders));
  attempt([&] {
    std::string first = names_.unique(slotHint(s.out, "first")), second = names_.unique(slotHint(s.out + 1, "second"));
    out().line("[[maybe_unused]] Value {} = {}.operand({});", first, slots_[s.in], order);
    out().line("[[maybe_unused]] Value {} = {}.operand(1 - {});", second, slots_[s.in], order);
    slots_[s.out] = first;
    slots_[s.out + 1] = second;
    rest();
  });
  out().close("}");
  out().text("return false;");
}

void PatternEmitter::alternatives(const Step &s, const Done &rest) {
  for (const Steps &alternative : s.alternatives) {
    out().open("{");
    attempt([&] { steps(alternative, 0, rest); });
    out().close("}");
  }
  out().text("return false;");
}

/// `-> bool {…}` of a lambda that answers a question without a report: what `inside` writes.
std::string PatternEmitter::quietLambda(const std::function<void()> &inside) {
  Writer inner;
  inner.setDepth(out().depth() + 1);
  Writer &outer = out();
  auto saved = e_.save();
  auto slots = slots_;
  std::string quiet = std::exchange(quietFail_, "return false;");
  e_.setOut(inner);
  e_.setFail(quietFail_);
  inside();
  e_.restore(saved);
  e_.setOut(outer);
  slots_ = std::move(slots);
  quietFail_ = quiet;
  return fmt::format("-> bool {{\n{}{}}}", inner.take(), std::string(out().depth() * 2, ' '));
}

void PatternEmitter::chain(const Step &s, const Done &rest) {
  std::string links = names_.unique(slotHint(s.out, "links"));
  std::string test = kindTest(s.ops, refs_, "link"), side;
  auto holds = [&] { out().text("return true;"); };
  if (!s.body.empty())
    side = ", [&]([[maybe_unused]] Value side) " + quietLambda([&] {
             slots_[s.out + 2] = "side";
             steps(s.body, 0, holds);
           });
  std::string link = fmt::format("{{ return {}; }}", test);
  if (!s.link.empty()) // its kind, then its attributes
    link = quietLambda([&] {
      e_.failIf(fmt::format("!({})", test));
      slots_[s.out + 3] = "link";
      steps(s.link, 0, holds);
    });
  std::string capture = s.link.empty() ? "" : "&";
  out().line("Chain {}({}, [{}](Op link) {}{});", links, slots_[s.in], capture, link, side);
  slots_[s.out] = links;
  slots_[s.out + 1] = links + ".end()";
  std::string again = fmt::format("while ({}.extend())", links);
  out().open(s.least ? again + " {" : "do {");
  attempt(rest);
  out().close(s.least ? "}" : fmt::format("}} {};", again));
  out().text("return false;");
}

void PatternEmitter::users(const Step &s, const Done &rest) {
  std::string from = slots_[s.in]; // bound in several alternatives, it has a slot in each
  if (plan::VarId var = plan_.slots[s.in].var; var && from.empty()) {
    if (!e_.isBound(var)) // no way the match went binds it
      return out().text("return false;");
    from = e_.var(var).text;
    if (e_.var(var).maybe) {
      failWith(s);
      e_.failIf("!" + from);
    }
  }
  std::string user = names_.unique(slotHint(s.out, opHint(s.ops)));
  out().line("// Users, in program order.");
  out().open(fmt::format("for (Op {} : usersBelow({}, {}, {})) {{", user, from, s.least, slots_[0]));
  slots_[s.out] = user;
  attempt([&] {
    failWith(s);
    e_.failIf(fmt::format("!({})", kindTest(s.ops, refs_, user)));
    rest();
  });
  out().close("}");
  out().text("return false;");
}

// Single steps ----------------------------------------------------------------------------------------------------

void PatternEmitter::step(const Step &s) {
  at_ = &s;
  failWith(s);
  const std::string in = s.in == plan::kNoSlot ? "" : slots_[s.in];
  switch (s.kind) {
  case StepKind::Root: return;
  case StepKind::Def: return define(s);
  case StepKind::Kind: return e_.failIf(fmt::format("!({})", kindTest(s.ops, refs_, in)));
  case StepKind::Result: {
    std::string name = names_.unique(slotHint(s.out, "result"));
    e_.failIf(fmt::format("{}.resultCount() <= {}", in, s.index));
    out().line("Value {} = {}.result({});", name, in, s.index);
    slots_[s.out] = name;
    return;
  }
  case StepKind::Count:
    if (s.most == UINT32_MAX) {
      if (s.least > 0)
        e_.failIf(fmt::format("{}.operandCount() < {}", in, s.least));
    } else if (s.least == s.most) {
      e_.failIf(fmt::format("{}.operandCount() != {}", in, s.least));
    } else {
      e_.failIf(fmt::format("{0}.operandCount() < {1} || {0}.operandCount() > {2}", in, s.least, s.most));
    }
    return;
  case StepKind::Operand: return operandStep(s);
  case StepKind::OperandList: {
    std::string name = names_.unique(slotHint(s.out, "operands"));
    out().line("ListOf<Value> {0} = operandsOf({1}, {2}, {1}.operandCount() - {3});", name, in, s.index, s.most);
    slots_[s.out] = name;
    return;
  }
  case StepKind::Absent: return e_.failIf(fmt::format("{}.operand({})", in, s.index));
  case StepKind::Attr: return attrStep(s);
  case StepKind::AttrDefault: return e_.failIf(fmt::format("!attrIsDefault({}, {})", in, attrIndex(s)));
  case StepKind::AttrAbsent: return e_.failIf(fmt::format("{}.attr({})", in, attrIndex(s)));
  case StepKind::NoExtras: return e_.failIf(fmt::format("hasExtraAttrs({})", in));
  case StepKind::AttrEquals: {
    if (plan::equalsLiteral(s))
      return e_.failIf(fmt::format("!({})", literalTest(s, in)));
    if (!s.expr->type.isList() && !s.expr->type.is(TypeKind::Dim)) {
      std::string value = e_.attribute(*s.expr, s.expr->type.is(TypeKind::Attr) ? sema::AttrType::Any : sema::AttrType::Int);
      return e_.failIf(fmt::format("{} != {}", in, value));
    }
    std::string have = e_.checked("have", fmt::format("attrAs<{}>(ctx, {})", cppAttrView(s.expr->type), in));
    std::string want = e_.named(*s.expr, "want");
    std::string call = s.expr->type.isList() ? fmt::format("identical<{}>(ctx, {}, {})", cppElement(s.expr->type), have, want)
                                             : fmt::format("identical(ctx, {}, {})", have, want);
    std::string same = names_.unique("same");
    out().line("auto {} = {};", same, call);
    return e_.failIf(fmt::format("!{0} || !*{0}", same));
  }
  case StepKind::AttrOneOf: return e_.failIf(fmt::format("!({})", oneOf(s, in)));
  case StepKind::AttrList: return attrList(s);
  case StepKind::Bind:
  case StepKind::Same:
  case StepKind::BindOrSame: return bindStep(s);
  case StepKind::Single: return e_.failIf(fmt::format("!{}.hasOneUse()", in));
  case StepKind::Type: return typeStep(s);
  case StepKind::Const: return e_.failIf(fmt::format("!constantOf({})", in));
  case StepKind::Element: {
    std::string name = names_.unique(slotHint(s.out, "element"));
    out().line("AttrId {} = elementOf(ctx, constantOf({}));", name, in);
    e_.failIf("!" + name);
    slots_[s.out] = name;
    return;
  }
  case StepKind::Splat: return splat(s);
  case StepKind::Let: {
    std::string value = e_.named(*s.expr, s.var ? pattern_.body.var(s.var).name : "value");
    if (s.var)
      e_.bind(s.var, {.text = value});
    else
      slots_[s.out] = value;
    return;
  }
  case StepKind::Test: return hoistTest(s) ? void() : test(*s.expr);
  case StepKind::Is: return is(s);
  case StepKind::Each: return each(s);
  case StepKind::Commute:
  case StepKind::Alternatives:
  case StepKind::Users:
  case StepKind::Chain: return; // by steps()
  }
}

void PatternEmitter::define(const Step &s) {
  const std::string in = slots_[s.in];
  if (s.ops.ops.size() == 1 && !s.ops.byTrait()) {
    const sema::Op &op = refs_.module().op(s.ops.ops[0]);
    std::string name = names_.unique(slotHint(s.out, opHint(s.ops)));
    out().line("auto {} = definedBy<{}>({});", name, refs_.view(s.ops.ops[0]), in);
    std::string test = "!" + name;
    if (op.results.size() != 1 || op.results[0].arity == sema::Arity::Variadic)
      test += fmt::format(" || !isResult({}, {}.op(), {})", in, name, s.index);
    e_.failIf(test);
    slots_[s.out] = name + ".op()";
    return;
  }
  std::string name = names_.unique(slotHint(s.out, opHint(s.ops)));
  out().line("Op {} = {} ? {}.definingOp() : Op();", name, in, in);
  std::string test = kindTest(s.ops, refs_, name);
  e_.failIf(fmt::format("!{0} || !({1}) || !isResult({2}, {0}, {3})", name, test, in, s.index));
  slots_[s.out] = name;
}

void PatternEmitter::operandStep(const Step &s) {
  const std::string op = slots_[s.in];
  std::string name = names_.unique(slotHint(s.out, "operand"));
  if (s.fromEnd)
    out().line("Value {0} = {1}.operand({1}.operandCount() - {2});", name, op, s.index);
  else
    out().line("Value {} = {}.operand({});", name, op, s.index);
  if (!defines_.contains(s.out))
    e_.failIf("!" + name); // an optional one that was left out
  slots_[s.out] = name;
}

} // namespace rw::emit
