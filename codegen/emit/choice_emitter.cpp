// Choices: loops over their alternatives, with all that follows inside; members of PatternEmitter.
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

using plan::Step;
using plan::StepKind;
using sema::TypeKind;

/// Loops that stand in each other within one function. What is deeper goes into a function of its own: compilers take a
/// time for many such loops that grows much faster than their number (40 took GCC 25 seconds).
static constexpr size_t kLoopsInAFunction = 10;
static const std::string kFunctionEnd = "}()) return true;";

// Functions and loops ---------------------------------------------------------------------------------------------

PatternEmitter::Frame PatternEmitter::begin(const std::string &asks, bool reports) {
  return {std::exchange(closers_, {}),
          std::exchange(guards_, {}),
          std::exchange(leave_, "return false;"),
          std::exchange(asks_, asks),
          std::exchange(searchName_, ""),
          std::exchange(reports_, reports),
          e_.save(),
          slots_};
}

/// Ends the loops that are open, `success` standing in the innermost.
void PatternEmitter::close(const std::string &success) {
  if (!success.empty())
    out().text(success);
  bool loops = !closers_.empty();
  for (; loops && !closers_.empty(); closers_.pop_back()) {
    if (closers_.back() == kFunctionEnd)
      out().text("return false;");
    out().close(closers_.back());
    if (!searchName_.empty() && closers_.size() == searchLoop_)
      out().line("{}.ends({}, {});", asks_, searchName_, plan_.line);
  }
  if (loops)
    out().text("return false;");
}

void PatternEmitter::end(Frame frame, const std::string &success) {
  close(success);
  closers_ = std::move(frame.closers);
  guards_ = std::move(frame.guards);
  leave_ = std::move(frame.leave);
  asks_ = std::move(frame.asks);
  searchName_ = std::move(frame.search);
  reports_ = frame.reports;
  e_.restore(std::move(frame.vars));
  slots_ = std::move(frame.slots);
}

void PatternEmitter::openLoop(const std::string &header, const std::string &closer) {
  if (closers_.size() % (kLoopsInAFunction + 1) == kLoopsInAFunction) {
    out().open("if ([&]() __attribute__((noinline)) -> bool {");
    closers_.push_back(kFunctionEnd);
  }
  out().open(header);
  closers_.push_back(closer);
  leave_ = "continue;";
}

/// A loop over the alternatives of a choice, of operand orders or of matches. With few choices all are tried, with many
/// those that can help.
void PatternEmitter::openChoice(const Step &s, const std::string &index, const std::string &count) {
  unsigned choice = search_.choice(s);
  if (choice == plan::Search::kNoChoice)
    return openLoop(fmt::format("for (unsigned {0} = 0; {0} < {1}; ++{0}) {{", index, count));
  if (searchName_.empty()) {
    searchName_ = names_.unique("search");
    out().line("OrderSearch {};", searchName_);
  }
  openLoop(
      fmt::format("for (unsigned {0} = 0; {1}.tries({0}, {2}, {3}); ++{0}) {{", index, searchName_, count, choice));
  if (choice == 0)
    searchLoop_ = closers_.size();
}

void PatternEmitter::blame(uint64_t choices) {
  if (searchName_.empty())
    return;
  blamed_ = choices == plan::Search::kAll ? "OrderSearch::kAll" : fmt::format("{:#x}", choices);
  leave_ = choices ? fmt::format("{{ {}.blame({}); continue; }}", searchName_, blamed_) : "continue;";
}

void PatternEmitter::blameStep(const Step &s) {
  if (!searchName_.empty())
    blame(search_.blame(s));
}

std::string PatternEmitter::guard() const { return fmt::format("{}", fmt::join(guards_, " && ")); }

/// How often a loop runs that only one alternative asks for.
std::string PatternEmitter::onlyHere(const std::string &count) const {
  return guards_.empty() ? count : fmt::format("({} ? {} : 1)", guard(), count);
}

void PatternEmitter::leaveBlock() {
  if (!guards_.empty())
    out().close("}");
}
void PatternEmitter::resumeBlock() {
  if (!guards_.empty())
    out().openIfFilled(fmt::format("if ({}) {{", guard()));
}

// Choices ---------------------------------------------------------------------------------------------------------

void PatternEmitter::commute(const Step &s) {
  leaveBlock();
  std::string order = names_.unique("order"), op = slots_[s.in];
  out().line("// Operands as written, then swapped{}.", s.ifCommutative ? " if the op is commutative" : "");
  std::string orders =
      s.ifCommutative ? fmt::format("({}.hasTrait(Trait::Commutative) ? 2u : 1u)", slots_[s.in]) : "2u";
  if (search_.choice(s) != plan::Search::kNoChoice)
    orders = s.ifCommutative ? fmt::format("({0}.hasTrait(Trait::Commutative) ? ordersOf({0}) : 1u)", slots_[s.in])
                             : fmt::format("ordersOf({})", slots_[s.in]);
  openChoice(s, order, guards_.empty() && orders == "2u" ? "2" : onlyHere(orders));
  blameStep(s);
  resumeBlock();
  for (unsigned i = 0; i < 2; ++i) {
    std::string index = i ? "1 - " + order : order;
    // Names of their own: that of the variable is for what binds it, and both operands, or what is inside one, may be
    // it.
    std::string name = slots_[s.out + i] = names_.unique(slotHint(s.out + i, i ? "second" : "first"));
    origins_[s.out + i] = {op, index};
    out().declare("Value", name, fmt::format("operandOf({}, {})", op, index));
  }
}

void PatternEmitter::alternatives(const Step &s) {
  Bindings all;
  for (const Steps &alternative : s.alternatives) {
    bool first = &alternative == s.alternatives.data();
    Bindings here = bindingsOf(alternative);
    for (auto &[var, binding] : all)
      if (!here.contains(var))
        binding.always = false;
    for (auto &[var, binding] : here) {
      auto [known, isNew] = all.try_emplace(var, binding);
      known->second.always &= binding.always && (first || !isNew);
      known->second.byAttr &= binding.byAttr;
      known->second.computed |= binding.computed;
      known->second.slots.insert(binding.slots.begin(), binding.slots.end());
    }
  }
  leaveBlock();
  std::string way = names_.unique("way");
  openChoice(s, way, onlyHere(fmt::format("{}{}", s.alternatives.size(), guards_.empty() ? "" : "u")));
  std::vector<uint32_t> made;
  resumeBlock();
  makeHomes(all, made);
  leaveBlock();
  auto before = e_.save();
  std::vector<std::vector<VarText>> ends;
  for (size_t i = 0; i < s.alternatives.size(); ++i) {
    e_.restore(before);
    guards_.push_back(fmt::format("{} == {}", way, i));
    resumeBlock();
    steps(s.alternatives[i]);
    leaveBlock();
    guards_.pop_back();
    auto &end = ends.emplace_back();
    for (auto &[var, binding] : all)
      end.push_back(e_.var(sema::VarId(var)));
  }
  e_.restore(std::move(before));
  for (uint32_t var : made)
    homes_[var].pop_back();
  resumeBlock();
  size_t at = 0;
  for (auto &[var, binding] : all) { // bound by all alternatives, by some, or by none
    bool some = false, every = true;
    VarText text = ends[0][at];
    for (const auto &end : ends) {
      bool bound = !end[at].text.empty();
      some |= bound;
      every &= bound && !end[at].maybe;
      if (bound)
        text = end[at];
    }
    text.maybe = !every;
    if (some)
      bind(sema::VarId(var), text);
    ++at;
  }
}

void PatternEmitter::chain(const Step &s) {
  std::string links = nameSlot(s.out, slotHint(s.out, "links"));
  std::string test = kindTest(s.ops, refs_, "link"), side, link = fmt::format("[](Op link) {{ return {}; }}", test);
  if (!s.link.empty()) // its kind, then its attributes
    link = quietLambda("Op", "link", s.out + 3, fmt::format("!({})", test), s.link);
  if (!s.body.empty())
    side = ", " + quietLambda("Value", "side", s.out + 2, "", s.body);
  out().declare("Chain", links, fmt::format("Chain({}, {}{})", slots_[s.in], link, side));
  slots_[s.out] = links;
  slots_[s.out + 1] = links + ".end()";
  if (!searchName_.empty()) // that the chain cannot go on is a failure, too
    out().line("{}.blame({});", searchName_, blamed_);
  leaveBlock();
  std::string again = fmt::format("{}.extend()", links);
  if (!s.least) {
    openLoop("do {", fmt::format("}} while ({}{});", guards_.empty() ? "" : guard() + " && ", again));
  } else if (guards_.empty()) {
    openLoop(fmt::format("while ({}) {{", again));
  } else {
    std::string more = names_.unique("more");
    openLoop(fmt::format("for (bool {0} = !({1}) || {2}; {0}; {0} = {1} && {2}) {{", more, guard(), again));
  }
  resumeBlock();
}

void PatternEmitter::users(const Step &s) {
  std::string from = slots_[s.in]; // bound in several alternatives, it has a slot in each
  if (plan::VarId var = plan_.slots[s.in].var; var && e_.isBound(var)) {
    from = e_.var(var).text;
    if (e_.var(var).maybe) {
      failWith(s);
      e_.failIf("!" + from);
    }
  }
  std::string user = names_.unique(slotHint(s.out, opHint(s.ops)));
  if (!searchName_.empty()) // that there are no more is a failure, too
    out().line("{}.blame({});", searchName_, blamed_);
  out().text("// Users, in program order.");
  openLoop(fmt::format("for (Op {} : usersBelow({}, {}, {})) {{", user, from.empty() ? "Value()" : from, s.least,
                       slots_[0]));
  slots_[s.out] = user;
  blameStep(s);
  failWith(s);
  if (s.ops.byTrait())
    e_.failIf(fmt::format("!({})", kindTest(s.ops, refs_, user)));
  else
    mustHold("is", user + ", " + schemaList(s.ops));
}

// Tests that look further -----------------------------------------------------------------------------------------

/// A lambda that says whether its parameter, `slot`, fits the steps, and `unless` does not hold.
std::string PatternEmitter::quietLambda(const std::string &type, const std::string &param, plan::Slot slot,
                                        const std::string &unless, const Steps &list) {
  Writer inner;
  inner.setDepth(out().depth() + 1);
  Writer &outer = out();
  Frame frame = begin("quiet", false);
  e_.setOut(inner);
  inner.declare("Attempt", "quiet", "Attempt(op)");
  e_.setFail(leave_);
  if (!unless.empty())
    e_.failIf(unless);
  slots_[slot] = param;
  steps(list);
  end(std::move(frame), "return true;");
  inner.settle();
  e_.setOut(outer);
  return fmt::format("[&]([[maybe_unused]] {} {}) -> bool {{\n{}{}}}", type, param, inner.take(),
                     std::string(outer.depth() * 2, ' '));
}

/// Declares whether a value fits steps over its slot; the name of that.
std::string PatternEmitter::fits(const Steps &list, plan::Slot slot, const std::string &value) {
  std::string name = names_.unique("fits"), quiet = names_.unique("quiet");
  auto fail = e_.fail();
  out().open(fmt::format("bool {} = [&]() -> bool {{", name));
  Frame frame = begin(quiet, false);
  out().declare("Attempt", quiet, "Attempt(op)");
  slots_[slot] = value;
  steps(list);
  end(std::move(frame), "return true;");
  out().close("}();");
  e_.setFail(std::move(fail));
  return name;
}

void PatternEmitter::is(const Step &s) {
  std::string name = fits(s.body, s.out, e_.named(*s.expr, "looked"));
  failWith(s);
  e_.failIf(s.negated ? name : "!" + name);
}

/// `is` inside a larger condition. The plan holds its steps under the test it stands in.
std::string PatternEmitter::isExpr(const sema::Expr &e) {
  for (const plan::NestedTest &nested : plan_.tests)
    if (nested.test == e.test())
      return fits(nested.steps, nested.value, e_.named(e.args[0], "looked"));
  return "false";
}

// What alternatives bind ------------------------------------------------------------------------------------------

PatternEmitter::Bindings PatternEmitter::bindingsOf(const Steps &list) const {
  Bindings out;
  auto add = [&](plan::VarId var, bool byAttr, plan::Slot slot, bool always = true) {
    if (!var)
      return;
    auto [known, isNew] = out.try_emplace(var.raw);
    known->second.always |= always;
    known->second.byAttr &= byAttr;
    if (slot != plan::kNoSlot)
      known->second.slots.insert(slot);
  };
  for (const Step &s : list) {
    if (s.kind == StepKind::Bind || s.kind == StepKind::Same || s.kind == StepKind::BindOrSame)
      add(s.var, plan_.slots[s.in].kind == plan::SlotKind::Attr, s.in);
    if (s.kind == StepKind::Type)
      sema::forEachDim(*s.type, [&](const sema::DimMatch &d) { add(d.var.var, false, plan::kNoSlot); });
    for (const plan::ListElement &x : s.elements)
      add(x.var.var, false, plan::kNoSlot);
    if (s.kind == StepKind::AttrList)
      add(s.rest.var, false, plan::kNoSlot);
    if (s.kind == StepKind::Let && s.var) {
      add(s.var, false, plan::kNoSlot);
      out[s.var.raw].computed = true;
    }
    if (s.kind == StepKind::Each)
      for (auto &[var, binding] : bindingsOf(s.body)) {
        bool perOperand = pattern_.body.var(sema::VarId(var)).perOperand;
        add(sema::VarId(var), binding.byAttr && !perOperand, plan::kNoSlot, perOperand);
      }
    std::map<uint32_t, size_t> times;
    for (const Steps &alternative : s.alternatives)
      for (auto &[var, binding] : bindingsOf(alternative)) {
        times[var] += binding.always;
        bool byAttr = binding.byAttr;
        add(sema::VarId(var), byAttr, plan::kNoSlot, times[var] == s.alternatives.size());
        out[var].computed |= binding.computed;
        out[var].slots.insert(binding.slots.begin(), binding.slots.end());
      }
  }
  return out;
}

const PatternEmitter::Home *PatternEmitter::homeOf(plan::VarId var) const {
  auto it = homes_.find(var.raw);
  return it == homes_.end() || it->second.empty() ? nullptr : &it->second.back();
}

/// Declares the variables that alternatives leave names in.
void PatternEmitter::makeHomes(const Bindings &bindings, std::vector<uint32_t> &made) {
  for (auto &[raw, binding] : bindings) {
    plan::VarId id{raw};
    const VarText before = e_.var(id);
    bool wasMaybe = !before.text.empty() && before.maybe;
    if (!before.text.empty() && !wasMaybe)
      continue;
    if (!wasMaybe && binding.always && binding.slots.size() == 1 && !binding.byAttr &&
        !slots_[*binding.slots.begin()].empty())
      continue; // another name for what is known already
    const sema::Var &v = pattern_.body.var(id);
    Home home{names_.unique(v.name), "", "", false};
    bool plainAttr = v.type.is(TypeKind::Attr) || v.type.is(TypeKind::Tensor), absent = true;
    if (binding.byAttr && !plainAttr) {
      home.type = fmt::format("std::optional<{}>", cppAttrView(v.type));
      home.deref = true;
      home.attr = names_.unique(v.name + "Attr");
    } else if (plainAttr || v.type.is(TypeKind::Value) || v.type.is(TypeKind::Op) || v.type.is(TypeKind::Region)) {
      home.type = cppType(v.type);
      home.attr = plainAttr ? home.name : "";
    } else {
      bool borrowed = v.type.lists == 1 && !v.perOperand && !binding.computed &&
                      (v.type.kind == TypeKind::Int || v.type.kind == TypeKind::Float || v.type.kind == TypeKind::Dim);
      home.type = v.perOperand ? cppType(perOperandType(id)) : borrowed ? cppParam(v.type) : cppType(v.type);
      absent = false;
      if (!binding.always || wasMaybe) {
        home.type = fmt::format("std::optional<{}>", home.type);
        home.deref = absent = true;
      }
    }
    if ((!binding.always || wasMaybe) && absent) { // none, or what it was before, until an alternative sets it
      out().declare(home.type, home.name, before.text);
      if (!home.attr.empty() && home.attr != home.name)
        out().declare("AttrId", home.attr, before.attr);
    }
    if (wasMaybe)
      e_.bind(id, {.text = home.name, .attr = home.attr, .maybe = true, .deref = home.deref});
    homes_[raw].push_back(std::move(home));
    made.push_back(raw);
  }
}

/// Binds a variable; where a choice is to leave it in a variable, that is set.
void PatternEmitter::bind(plan::VarId var, VarText text) {
  const Home *home = homeOf(var);
  if (!home)
    return e_.bind(var, std::move(text));
  if (text.text != home->name) {
    std::string value = text.deref && !home->deref ? "*" + text.text : text.text;
    if (home->type.starts_with("ListOf<") || home->type.starts_with("InlineList"))
      value = fmt::format("{}({})", home->type, value);
    out().declare(home->type, home->name, value);
  }
  if (!home->attr.empty() && home->attr != home->name && text.attr != home->attr)
    out().declare("AttrId", home->attr, text.attr);
  e_.bind(var, {.text = home->name, .attr = home->attr, .maybe = text.maybe, .deref = home->deref});
}

} // namespace rw::emit
