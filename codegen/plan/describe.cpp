// Plans as text: `rwc --dump=plan`, and the conditions in messages about patterns that do not match.
#include "codegen/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace rw::plan {
namespace {

/// Words for what a plan looks at.
class Words {
public:
  Words(const MatchPlan &plan, const sema::Module &module)
      : plan_(plan), module_(module), pattern_(module.pattern(plan.pattern)), places_(plan.slots.size()) {
    findPlaces(plan.steps, plan.roots);
    for (const NestedTest &nested : plan.tests) {
      places_[nested.value] = "the value that `is` looks at";
      findPlaces(nested.steps, plan.roots);
    }
  }

  std::string slot(Slot s) const {
    if (s == kNoSlot || s >= plan_.slots.size())
      return "?";
    if (s == 0)
      return "the root";
    if (isNamed(s))
      return "`" + pattern_.body.var(plan_.slots[s].var).name + "`";
    if (!places_[s].empty())
      return places_[s];
    switch (plan_.slots[s].kind) {
    case SlotKind::Op:
      return "the op";
    case SlotKind::Attr:
      return "the attribute";
    case SlotKind::ValueList:
      return "the operands";
    case SlotKind::Chain:
      return "the chain";
    case SlotKind::Region:
      return "the region";
    default:
      return "the value";
    }
  }
  std::string ops(const OpSet &set) const {
    if (set.byTrait())
      return set.any ? "any op" : "any " + sema::traitsToString(set.traits) + " op" + sema::otherHeads(set, module_);
    std::string text;
    for (sema::OpIndex i : set.ops)
      text += (text.empty() ? "" : " | ") + module_.op(i).fullName();
    return text;
  }
  std::string expr(const Expr &e) const { return sema::toString(e, module_, pattern_.body); }
  std::string var(VarId v) const { return pattern_.body.var(v).name; }
  /// The name of the attribute a step looks at, by the op it belongs to.
  std::string attr(const Step &s) const {
    if (!s.name.empty())
      return "`" + s.name + "`";
    return fmt::format("{}", s.index);
  }
  std::string choices(const Step &s) const {
    std::string text;
    for (const Expr &choice : s.choices)
      text += (text.empty() ? "" : " or ") + expr(choice);
    return text;
  }
  std::string typeMatch(const sema::TypeMatch &t) const;
  std::string operator()(const Step &) const;

private:
  void findPlaces(const std::vector<Step> &, const OpSet &);
  std::string operandName(Slot op, uint32_t index) const;
  std::string regionName(const Step &) const;
  /// Then its place is not asked for.
  bool isNamed(Slot s) const { return plan_.slots[s].var && !plan_.slots[s].alias; }

  const MatchPlan &plan_;
  const sema::Module &module_;
  const sema::Pattern &pattern_;
  std::vector<std::string> places_; // what a slot without a name is
  std::vector<std::pair<Slot, const OpSet *>> kinds_;
};

std::string Words::operandName(Slot op, uint32_t index) const {
  for (auto &[slot, set] : kinds_)
    if (slot == op && set->ops.size() == 1 && index < module_.op(set->ops[0]).operands.size())
      return "operand `" + module_.op(set->ops[0]).operands[index].name + "` of " + this->slot(slot);
  return "operand " + std::to_string(index) + " of " + slot(op);
}

std::string Words::regionName(const Step &s) const {
  const sema::Op &op = module_.op(s.opSet.ops.front());
  return "`" + op.regions[s.indexes.empty() ? s.index : unsigned(s.indexes.front())] + "`";
}

void Words::findPlaces(const std::vector<Step> &steps, const OpSet &) {
  for (const Step &s : steps) {
    if (s.kind == StepKind::Result && !isNamed(s.out))
      places_[s.out] = fmt::format("result {} of {}", s.index, slot(s.in));
    if (s.kind == StepKind::Root || s.kind == StepKind::Def || s.kind == StepKind::Users) {
      kinds_.push_back({s.out, &s.ops});
      places_[s.out] =
          !s.ops.byTrait() && s.ops.ops.size() == 1 ? "the " + module_.op(s.ops.ops[0]).fullName() : "the op";
    }
    if (s.kind == StepKind::Operand && !isNamed(s.out))
      places_[s.out] = s.fromEnd ? fmt::format("operand -{} of {}", s.index, slot(s.in)) : operandName(s.in, s.index);
    if ((s.kind == StepKind::Let && !s.var) || s.kind == StepKind::Is)
      places_[s.out] = "`" + expr(*s.expr) + "`";
    if (s.kind == StepKind::Chain)
      places_[s.out + 1] = "the end of the chain";
    if (s.kind == StepKind::Commute) {
      places_[s.out] = "an operand of " + slot(s.in);
      places_[s.out + 1] = "the other operand of " + slot(s.in);
    }
    if (s.kind == StepKind::Region && !isNamed(s.out))
      places_[s.out] = fmt::format("region {} of {}", regionName(s), slot(s.in));
    if (s.kind == StepKind::Param && !isNamed(s.out))
      places_[s.out] = fmt::format("parameter {}{} of {}", s.fromEnd ? "-" : "", s.index, slot(s.in));
    if (s.kind == StepKind::Terminator)
      places_[s.out] = "the end of " + slot(s.in);
    if (s.kind == StepKind::Each)
      places_[s.out] = "the operand";
    for (const std::vector<Step> &alternative : s.alternatives)
      findPlaces(alternative, s.ops);
    if (!s.link.empty())
      places_[s.out + 3] = "an op of the chain";
    findPlaces(s.body, s.ops);
  }
}

/// "2 or more parameters"
static std::string counted(const Step &s, std::string_view what) {
  return s.least == s.most ? fmt::format("{} {}{}", s.least, what, s.least == 1 ? "" : "s")
                           : fmt::format("{} or more {}s", s.least, what);
}

std::string Words::typeMatch(const sema::TypeMatch &t) const {
  if (t.singleElement)
    return "a single element";
  if (t.equals)
    return "of type " + expr(*t.equals);
  if (!t.elements.empty()) {
    std::string elements;
    for (const sema::TypeMatch &element : t.elements)
      elements += (elements.empty() ? "" : ", ") + typeMatch(element);
    return "(" + elements + ")";
  }
  std::string text = t.dtypeClass == sema::DTypeClass::Float     ? "float"
                     : t.dtypeClass == sema::DTypeClass::Integer ? "integer"
                     : t.dtype                                   ? expr(*t.dtype)
                                                                 : "_";
  if (t.dims) {
    text += '[';
    for (size_t i = 0; i < t.dims->size(); ++i) {
      const sema::DimMatch &d = (*t.dims)[i];
      text += i ? ", " : "";
      text += d.var ? var(d.var.var) : d.value ? expr(*d.value) : "_";
      text += d.rest ? "..." : "";
    }
    text += ']';
  }
  for (sema::NativeIndex n : t.native)
    text += " " + module_.native(n).name;
  return text;
}

std::string Words::operator()(const Step &s) const {
  const std::string in = slot(s.in);
  switch (s.kind) { // what every pattern has is put together without reading a format
  case StepKind::Root:
    return "the root is " + ops(s.ops);
  case StepKind::Def:
    return in + " is made by " + ops(s.ops);
  case StepKind::Kind:
    return in + " is " + ops(s.ops);
  case StepKind::Result:
    return fmt::format("{} has a result {}", in, s.index);
  case StepKind::Users:
    return fmt::format("{} is used by {}", in, ops(s.ops));
  case StepKind::Count:
    return s.least == s.most      ? fmt::format("{} has {} operand{}", in, s.least, s.least == 1 ? "" : "s")
           : s.most == UINT32_MAX ? fmt::format("{} has at least {} operand{}", in, s.least, s.least == 1 ? "" : "s")
                                  : fmt::format("{} has {} to {} operands", in, s.least, s.most);
  case StepKind::Operand:
    return s.fromEnd ? fmt::format("operand -{} of {} is there", s.index, in)
                     : "operand " + std::to_string(s.index) + " of " + in + " is there";
  case StepKind::OperandList:
    return fmt::format("operands {} to -{} of {}", s.index, s.most, in);
  case StepKind::Absent:
    return fmt::format("operand {} of {} is left out", s.index, in);
  case StepKind::Attr:
    return "attribute " + attr(s) + " of " + in + " is there";
  case StepKind::AttrDefault:
    return "attribute " + attr(s) + " of " + in + " has its default";
  case StepKind::AttrAbsent:
    return fmt::format("attribute {} of {} is left out", attr(s), in);
  case StepKind::NoExtras:
    return in + " has no undeclared attributes";
  case StepKind::Region:
    return fmt::format("{} has a region {}", in, regionName(s));
  case StepKind::ParamCount:
    return s.negated ? fmt::format("{} holds no ops with effects, which would go with it", in)
                     : fmt::format("{} has {}", in, counted(s, "parameter"));
  case StepKind::Param:
    return fmt::format("parameter {}{} of {} is there", s.fromEnd ? "-" : "", s.index, in);
  case StepKind::ParamList:
    return fmt::format("parameters {} to -{} of {}", s.index, s.most, in);
  case StepKind::Terminator:
    return fmt::format("{} ends", in);
  case StepKind::AttrEquals:
    return fmt::format("the attribute equals {}", expr(*s.expr));
  case StepKind::AttrOneOf:
    return fmt::format("the attribute is {}", choices(s));
  case StepKind::AttrList:
    return fmt::format("the attribute is a list of {}{}", s.elements.size(), s.hasRest ? " or more" : "");
  case StepKind::Bind: {
    std::string name = var(s.var).empty() ? "it" : "`" + std::string(var(s.var)) + "`"; // `_: int` has none
    return name + " is of type " + sema::toString(pattern_.body.var(s.var).type);
  }
  case StepKind::Same:
  case StepKind::BindOrSame:
    return fmt::format("it is the same `{}`", var(s.var));
  case StepKind::Single:
    return fmt::format("{} has no other use", in);
  case StepKind::Type:
    return fmt::format("{} is {}", in, typeMatch(*s.type));
  case StepKind::Const:
    return fmt::format("{} is constant", in);
  case StepKind::Element:
    return fmt::format("{} is a constant of one repeated element", in);
  case StepKind::Splat:
    return fmt::format("{} is a constant of {}", in, expr(*s.expr));
  case StepKind::Let:
    return fmt::format("{} can be computed", expr(*s.expr));
  case StepKind::Test:
    return expr(*s.expr);
  case StepKind::Is:
    return fmt::format("{} {} what is asked", expr(*s.expr), s.negated ? "is not" : "is");
  case StepKind::Commute:
    return fmt::format("the operands of {} in either order{}", in, s.ifCommutative ? " if it is commutative" : "");
  case StepKind::Alternatives:
    return fmt::format("one of {} alternatives", s.alternatives.size());
  case StepKind::Chain:
    return fmt::format("a chain of {} above {}", ops(s.ops), in);
  case StepKind::Each:
    return fmt::format("every operand of {} fits", in);
  }
  return "";
}

/// Steps as lines: what is set, then what is asked.
class Printer {
public:
  Printer(const MatchPlan &plan, const sema::Module &module, std::string &out)
      : describe_(plan, module), plan_(plan), module_(module), out_(out) {}

  void steps(const std::vector<Step> &list, unsigned indent) {
    for (const Step &s : list)
      step(s, indent);
  }

private:
  void line(unsigned indent, const Step &s, std::string_view verb, std::string text) {
    std::string head = fmt::format("{:>5}  {}", s.line ? fmt::format("{}", s.line) : "", std::string(indent * 2, ' '));
    out_ += text.empty() ? fmt::format("{}{}\n", head, verb) : fmt::format("{}{:<11} {}\n", head, verb, text);
  }
  std::string define(Slot s) const {
    return fmt::format("%{}{}", s, plan_.slots[s].var ? " `" + describe_.var(plan_.slots[s].var) + "`" : "");
  }
  std::string attrPlace(const Step &s) const {
    std::string text = fmt::format("%{}.{}", s.in, describe_.attr(s));
    if (!s.indexes.empty())
      text += fmt::format(" at {}", fmt::join(s.indexes, "|"));
    return text;
  }
  void step(const Step &s, unsigned indent);

  Words describe_;
  const MatchPlan &plan_;
  const sema::Module &module_;
  std::string &out_;
};

void Printer::step(const Step &s, unsigned indent) {
  auto put = [&](std::string_view verb, std::string text) { line(indent, s, verb, std::move(text)); };
  switch (s.kind) {
  case StepKind::Root:
    return put("root", fmt::format("%{} is {}", s.out, describe_.ops(s.ops)));
  case StepKind::Def:
    return put("def", fmt::format("{} = op of %{}{}, is {}", define(s.out), s.in,
                                  s.index ? fmt::format(" (result {})", s.index) : "", describe_.ops(s.ops)));
  case StepKind::Kind:
    return put("kind", fmt::format("%{} is {}", s.in, describe_.ops(s.ops)));
  case StepKind::Result:
    return put("result", fmt::format("{} = result {} of %{}", define(s.out), s.index, s.in));
  case StepKind::Users:
    return put("users", fmt::format("{} = {} {} uses below %{}", define(s.out), describe_.ops(s.ops), s.least, s.in));
  case StepKind::Count:
    return put("count", s.most == UINT32_MAX ? fmt::format("%{} has {} or more operands", s.in, s.least)
                        : s.least == s.most  ? fmt::format("%{} has {} operands", s.in, s.least)
                                             : fmt::format("%{} has {} to {} operands", s.in, s.least, s.most));
  case StepKind::Operand:
    return put("operand", fmt::format("{} = %{}.{}{}", define(s.out), s.in, s.fromEnd ? "-" : "", s.index));
  case StepKind::OperandList:
    return put("operands", fmt::format("{} = %{}.{} to -{}", define(s.out), s.in, s.index, s.most));
  case StepKind::Absent:
    return put("absent", fmt::format("%{}.{}", s.in, s.index));
  case StepKind::Attr:
    return put("attr", fmt::format("{} = {}", define(s.out), attrPlace(s)));
  case StepKind::AttrDefault:
    return put("default", attrPlace(s));
  case StepKind::AttrAbsent:
    return put("absent", attrPlace(s));
  case StepKind::NoExtras:
    return put("no-extras", fmt::format("%{}", s.in));
  case StepKind::Region:
    return put("region",
               fmt::format("{} = region {} of %{}", define(s.out),
                           s.indexes.empty() ? std::to_string(s.index) : fmt::format("{}", fmt::join(s.indexes, "|")),
                           s.in));
  case StepKind::ParamCount:
    return s.negated ? put("no-effects", fmt::format("%{}", s.in))
                     : put("params", fmt::format("%{} has {}", s.in, counted(s, "parameter")));
  case StepKind::Param:
    return put("param", fmt::format("{} = %{}.{}{}", define(s.out), s.in, s.fromEnd ? "-" : "", s.index));
  case StepKind::ParamList:
    return put("params", fmt::format("{} = %{}.{} to -{}", define(s.out), s.in, s.index, s.most));
  case StepKind::Terminator:
    return put("end", fmt::format("%{} = what ends %{}", s.out, s.in));
  case StepKind::AttrEquals:
    return put("equals", fmt::format("%{} = {}", s.in, describe_.expr(*s.expr)));
  case StepKind::AttrOneOf:
    return put("one of", fmt::format("%{} = {}", s.in, describe_.choices(s)));
  case StepKind::AttrList: {
    std::string text;
    for (size_t i = 0; i <= s.elements.size(); ++i) {
      if (s.hasRest && s.restAt == i)
        text += fmt::format("{}{}...", text.empty() ? "" : ", ", s.rest ? describe_.var(s.rest.var) : "");
      if (i == s.elements.size())
        break;
      const ListElement &e = s.elements[i];
      text += (text.empty() ? "" : ", ") + (e.var     ? describe_.var(e.var.var)
                                            : e.value ? describe_.expr(*e.value)
                                                      : "_");
    }
    return put("list", fmt::format("%{} = [{}]", s.in, text));
  }
  case StepKind::Bind:
    return put("bind", fmt::format("{} = %{}", describe_.var(s.var), s.in));
  case StepKind::Same:
    return put("same", fmt::format("{} = %{}", describe_.var(s.var), s.in));
  case StepKind::BindOrSame:
    return put("bind/same", fmt::format("{} = %{}", describe_.var(s.var), s.in));
  case StepKind::Single:
    return put("single", fmt::format("%{}", s.in));
  case StepKind::Type:
    return put("type", fmt::format("%{} is {}", s.in, describe_.typeMatch(*s.type)));
  case StepKind::Const:
    return put("const", fmt::format("%{}", s.in));
  case StepKind::Element:
    return put("element", fmt::format("{} = what repeats in %{}", define(s.out), s.in));
  case StepKind::Splat:
    return put("splat", fmt::format("%{} of {}", s.in, describe_.expr(*s.expr)));
  case StepKind::Let:
    return put("let", fmt::format("{} = {}", s.var ? describe_.var(s.var) : fmt::format("%{}", s.out),
                                  describe_.expr(*s.expr)));
  case StepKind::Test:
    return put("test", describe_.expr(*s.expr));
  case StepKind::Is:
    put(s.negated ? "is not" : "is", fmt::format("%{} = {}", s.out, describe_.expr(*s.expr)));
    return steps(s.body, indent + 1);
  case StepKind::Commute:
    return put("commute", fmt::format("%{}, %{} = %{}.0, %{}.1 or swapped{}", s.out, s.out + 1, s.in, s.in,
                                      s.ifCommutative ? " if commutative" : ""));
  case StepKind::Alternatives:
    for (const std::vector<Step> &alternative : s.alternatives) {
      put(&alternative == &s.alternatives[0] ? "either" : "or", "");
      steps(alternative, indent + 1);
    }
    return;
  case StepKind::Chain:
    put("chain", fmt::format("{} = {} or more of {} above %{}; %{} its end", define(s.out), s.least,
                             describe_.ops(s.ops), s.in, s.out + 1));
    if (!s.link.empty()) {
      put("link", fmt::format("%{}", s.out + 3));
      steps(s.link, indent + 1);
    }
    if (!s.body.empty()) {
      put("side", fmt::format("%{}", s.out + 2));
      steps(s.body, indent + 1);
    }
    return;
  case StepKind::Each:
    put("each", fmt::format("%{} of the operands of %{}", s.out, s.in));
    return steps(s.body, indent + 1);
  }
}

std::string_view actionName(sema::ActionKind kind) {
  static constexpr std::string_view names[] = {"let", "where", "replace", "update", "erase"};
  return names[unsigned(kind)];
}

void printAction(const sema::Action &action, const MatchPlan &plan, const sema::Module &module, std::string &out) {
  const sema::Body &body = module.pattern(plan.pattern).body;
  std::string text;
  for (VarId v : action.vars)
    text += (text.empty() ? "" : ", ") + body.var(v).name;
  if (action.changes())
    text += action.op ? body.var(action.op).name : "%0";
  if (!action.values.empty() && action.kind != sema::ActionKind::Where)
    text += action.kind == sema::ActionKind::Let ? " = " : " with ";
  for (size_t i = 0; i < action.values.size(); ++i)
    text += (i ? ", " : "") + sema::toString(action.values[i], module, body);
  for (size_t i = 0; i < action.attrs.size(); ++i)
    text += fmt::format("{}{} = {}", i ? ", " : ": ", action.attrs[i].name,
                        sema::toString(action.attrs[i].value, module, body));
  out += fmt::format("       {:<11} {}\n", actionName(action.kind), text);
}

} // namespace

class Describer::Impl : public Words {
  using Words::Words;
};
Describer::Describer(const MatchPlan &plan, const sema::Module &module) : plan_(plan), module_(module) {}
Describer::~Describer() = default;
std::string Describer::operator()(const Step &s) {
  const std::less<const Step *> before; // a step inside another one is not in the list
  const Step *first = plan_.steps.data(), *end = first + plan_.steps.size();
  if (before(&s, first) || !before(&s, end))
    return describe(s);
  said_.resize(plan_.steps.size());
  std::string &said = said_[size_t(&s - first)];
  if (said.empty())
    said = describe(s);
  return said;
}

std::string Describer::describe(const Step &s) {
  if (!impl_)
    impl_ = std::make_unique<Impl>(plan_, module_);
  std::string words = (*impl_)(s);
  // People read a reason, and every test that a step becomes repeats it: a type of thousands of dimensions is not said
  // whole.
  constexpr size_t kMaxWords = 400;
  if (words.size() > kMaxWords) {
    size_t end = kMaxWords;
    while ((words[end] & 0xC0) == 0x80) // not inside a character
      --end;
    words.resize(end);
    words += "...";
  }
  return words;
}

std::string dump(const Module &plans) {
  std::string out;
  for (const MatchPlan &plan : plans.plans) {
    const sema::Module &module = *plans.source;
    out += fmt::format("plan {}: line {}, benefit {}, depth {}{}{}{}{}{}{}\n", plan.name, plan.line, plan.benefit,
                       plan.depth, plan.looksAtLeaves ? ", looks at leaves" : "",
                       plan.looksAtUses ? ", looks at uses" : "", plan.looksAtUsers ? ", looks at users" : "",
                       plan.looksInRegions ? ", looks in regions" : "",
                       plan.fastmath.all() ? ", fastmath"
                       : plan.fastmath     ? ", fastmath(" + plan.fastmath.list() + ")"
                                           : "",
                       plan.recursive ? ", recursive" : "");
    Printer(plan, module, out).steps(plan.steps, 0);
    for (const NestedTest &test : plan.tests) {
      out += fmt::format("       where %{} is\n", test.value);
      Printer(plan, module, out).steps(test.steps, 1);
    }
    for (const sema::Action &action : module.pattern(plan.pattern).actions)
      printAction(action, plan, module, out);
    out += '\n';
  }
  return out;
}

} // namespace rw::plan
