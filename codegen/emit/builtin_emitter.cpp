// Comprehensions, quantifiers and builtin functions in C++; members of ExprEmitter.
#include "codegen/emit/expr_text.h"

namespace rw::emit {

using sema::Builtin;
using sema::Expr;
using sema::ExprKind;
using sema::TypeKind;
using sema::VarId;

// Loops -----------------------------------------------------------------------------------------------------------

/// Opens the loop of a source that is taken apart into the variables from `first` on.
void ExprEmitter::apartLoop(const Expr &source, const Expr &e, size_t first, size_t count) {
  auto name = [&](size_t i) { return names.unique(body.var(e.loopVars[first + i]).name); };
  bool zip = source.kind == ExprKind::Builtin && source.builtin == Builtin::Zip;
  bool enumerated = source.kind == ExprKind::Builtin && source.builtin == Builtin::Enumerate;
  if (!zip && !enumerated) { // a list of lists
    std::string list = named(source, "list"), element = names.unique("element");
    out().open(fmt::format("for (const auto &{} : {}) {{", element, list));
    failIf(fmt::format("{}.size() != {}", element, count));
    for (size_t i = 0; i < count; ++i)
      bind(e.loopVars[first + i], {.text = fmt::format("{}[{}]", element, i)});
    return;
  }
  std::vector<std::string> lists;
  for (const Expr &list : source.args)
    lists.push_back(named(list, "list"));
  for (size_t i = 1; i < lists.size(); ++i)
    failIf(fmt::format("{}.size() != {}.size()", lists[i], lists[0]));
  std::string index = enumerated ? name(0) : names.unique("i");
  out().open(fmt::format("for (int64_t {0} = 0; {0} < int64_t({1}.size()); ++{0}) {{", index, lists[0]));
  if (enumerated)
    bind(e.loopVars[first], {.text = index});
  for (size_t i = 0; i < lists.size(); ++i) {
    VarId var = e.loopVars[first + i + enumerated];
    std::string element = names.unique(body.var(var).name);
    out().line("[[maybe_unused]] const auto &{} = {}[size_t({})];", element, lists[i], index);
    bind(var, {.text = element});
  }
}

/// One loop per source of a comprehension from `at` on, and the filter; `inner` fills the innermost. `stop`: a
/// condition under which outer loops end too.
void ExprEmitter::loops(const Expr &e, size_t at, const std::function<void()> &inner, std::string_view stop) {
  if (at == 0 && e.sourceCount() > 1) {
    // of a comprehension whose source or element this is
    std::string outer = std::exchange(steps_, names.unique("steps"));
    out().line("size_t {} = 0;", steps_);
    loopsFrom(e, at, inner, stop);
    steps_ = std::move(outer);
    return;
  }
  loopsFrom(e, at, inner, stop);
}

void ExprEmitter::loopsFrom(const Expr &e, size_t at, const std::function<void()> &inner, std::string_view stop) {
  if (at == e.sourceCount()) {
    if (at > 1)
      failIf(fmt::format("++{} > kMaxSteps", steps_));
    if (e.hasFilter) {
      std::string filter = value(e.filter());
      out().open(fmt::format("if ({})", bare(negated(filter))));
      out().text("continue;");
      out().dedent();
    }
    return inner();
  }
  const Expr &source = e.args[1 + at];
  size_t first = 0;
  for (size_t i = 0; i < at; ++i)
    first += e.groupSize(i);
  std::string name = e.groupSize(at) > 1 ? "" : names.unique(body.var(e.loopVars[first]).name);
  if (name.empty()) {
    apartLoop(source, e, first, e.groupSize(at));
  } else if (source.kind == ExprKind::Range) {
    std::string begin = value(source.args[0]);
    std::string end = named(source.args[1], "end");
    if (!plan::isShortRange(source.args[0], source.args[1]))
      failIf(fmt::format("!rangeFits({}, {})", begin, end));
    out().open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", name, begin, end));
  } else {
    std::string list = named(source, "list");
    std::string type = cppType(source.type.element());
    std::string_view unused = body.var(e.loopVars[first]).name.starts_with("_") ? "[[maybe_unused]] " : "";
    out().open(fmt::format("for ({}{} {} : {}) {{", unused, source.type.lists > 1 ? "const auto &" : type, name, list));
  }
  if (!name.empty())
    bind(e.loopVars[first], {.text = name});
  loopsFrom(e, at + 1, inner, stop);
  out().close("}");
  if (!stop.empty() && at > 0) {
    out().open(fmt::format("if ({})", stop));
    out().text("break;");
    out().dedent();
  }
}

std::string ExprEmitter::comprehension(const Expr &e) {
  if (bool toldWhy = !fail_.attempt.empty(); toldWhy && plan::builds(e)) {
    fail_.built = true; // by the elements before
    if (!leavesLoops())
      return builtList(e);
  }
  if (!leavesLoops())
    return checked("list", lambda(e));
  std::string name = names.unique("list");
  out().line("{} {};", cppType(e.type), name);
  loops(
      e, 0,
      [&] {
        std::string element = value(e.args[0]);
        out().line("{}.push_back({});", name, bare(element));
      },
      "");
  return name;
}

// Builtins --------------------------------------------------------------------------------------------------------

std::string ExprEmitter::builtin(const Expr &e) {
  auto arg = [&](size_t i) { return e.args[i].type.isList() ? named(e.args[i], "list") : value(e.args[i]); };
  auto element = [&] { return cppElement(e.args[0].type); };
  auto may = [&](std::string_view hint, std::string_view fn, bool templated) {
    std::string args = ctx();
    std::vector<std::string> texts;
    for (size_t i = 0; i < e.args.size(); ++i)
      texts.push_back(e.rounded == sema::Rounded::None ? arg(i) : named(e.args[i], i ? "element" : "list"));
    if (e.rounded != sema::Rounded::None)
      readRounded(e, texts[0], texts[1]);
    for (const std::string &text : texts)
      args += ", " + text;
    std::string head = templated ? fmt::format("{}<{}>", fn, element()) : std::string(fn);
    return checked(hint, fmt::format("{}({})", head, args));
  };
  switch (e.builtin) {
  case Builtin::Len:
    return fmt::format("int64_t({}.size())", arg(0));
  case Builtin::All:
  case Builtin::Any:
    if (e.args[0].kind == ExprKind::Comprehension)
      return quantifier(e, e.builtin == Builtin::All);
    return fmt::format("{}({})", e.builtin == Builtin::All ? "allOf" : "anyOf", arg(0));
  case Builtin::Sum:
    return checked("total", fmt::format("sum({}, {}({}))", ctx(), cppParam(e.args[0].type), arg(0)));
  case Builtin::Product:
    return checked("total", fmt::format("product({}, {}({}))", ctx(), cppParam(e.args[0].type), arg(0)));
  case Builtin::MinOf:
    return may("smallest", "leastOf", true);
  case Builtin::MaxOf:
    return may("largest", "greatestOf", true);
  case Builtin::Min: {
    std::string type = cppType(e.type);
    std::string a = arg(0), b = arg(1);
    return checked("smaller", fmt::format("least({}, {}({}), {}({}))", ctx(), type, a, type, b));
  }
  case Builtin::Max: {
    std::string type = cppType(e.type);
    std::string a = arg(0), b = arg(1);
    return checked("larger", fmt::format("greatest({}, {}({}), {}({}))", ctx(), type, a, type, b));
  }
  case Builtin::Abs: {
    std::string a = arg(0);
    if (!e.type.is(TypeKind::Int))
      return e.type.is(TypeKind::Dim) ? a : fmt::format("std::abs({})", a);
    std::string name = names.unique("magnitude");
    out().line("int64_t {};", name);
    failIf(fmt::format("absFails({}, {})", a, name));
    return name;
  }
  case Builtin::Reversed: {
    std::string a = arg(0), name = names.unique("backwards");
    out().line("{} {} = reversed<{}>({});", cppType(e.type), name, element(), a);
    return name;
  }
  case Builtin::Sorted:
  case Builtin::Argsort: {
    bool sorted = e.builtin == Builtin::Sorted;
    std::string a = arg(0), name = names.unique(sorted ? "inOrder" : "order");
    out().line("Ints {} = {}({});", name, sorted ? "sorted" : "argsort", a);
    return name;
  }
  case Builtin::IsSorted:
    return fmt::format("isSorted({})", arg(0));
  case Builtin::IsUnique:
    return fmt::format("isUnique({})", arg(0));
  case Builtin::IsPermutation: {
    std::string a = arg(0), n = arg(1);
    return fmt::format("isPermutation({}, {})", a, n);
  }
  case Builtin::Contains:
    return may("found", "contains", true);
  case Builtin::IndexOf:
    return may("place", "indexOf", true);
  case Builtin::Count:
    return may("times", "count", true);
  case Builtin::Broadcast:
  case Builtin::BroadcastAll:
    return may("shape", "broadcastShapes", false);
  case Builtin::OrUnknown: {
    if (!mayFail(e.args[0]))
      return arg(0);
    std::string d = lambda(e.args[0]), name = names.unique("size");
    out().line("Dim {} = {}.value_or(Dim::unknown());", name, d);
    return name;
  }
  case Builtin::OrUnknowns: {
    std::string n = arg(1);
    return checked("sizes", fmt::format("orUnknown({}, {})", lambda(e.args[0]), n));
  }
  case Builtin::Holds: {
    if (!mayFail(e.args[0]))
      return arg(0);
    std::string condition = lambda(e.args[0]), name = names.unique("holds");
    out().line("bool {} = {}.value_or(false);", name, condition);
    return name;
  }
  case Builtin::IsNumber:
    return fmt::format("{}.isNumber()", arg(0));
  case Builtin::IsKnown:
    return fmt::format("!{}.isUnknown()", arg(0));
  case Builtin::SingleElement: {
    std::string a = arg(0);
    return fmt::format("isSingleElement({}, typeOf({}))", ctx(), a);
  }
  case Builtin::IsConst:
    return fmt::format("bool(constantOf({}))", arg(0));
  case Builtin::OneUser:
    return fmt::format("hasOneUser({})", arg(0));
  case Builtin::Has: {
    if (e.args[0].kind == ExprKind::Var) {
      const VarText &v = vars_[e.args[0].var().raw];
      if (!v.text.empty() && !v.maybe && !body.var(e.args[0].var()).optional) // bound by the alternative that matched
        return "true";
      return v.text.empty() ? "false" : v.maybe || !v.deref ? fmt::format("bool({})", v.text) : "true";
    }
    Writer *outer = out_;
    std::string there = lambda(e.args[0]);
    out_ = outer;
    return fmt::format("bool({})", there);
  }
  case Builtin::IsFloat:
    return fmt::format("isFloat({})", arg(0));
  case Builtin::IsInteger:
    return fmt::format("isInteger({})", arg(0));
  case Builtin::IsSigned:
    return fmt::format("isSigned({})", arg(0));
  case Builtin::IsComplex:
    return fmt::format("isComplex({})", arg(0));
  case Builtin::Splat: {
    const Expr &element = e.args[0];
    std::string attr = element.type.is(TypeKind::Attr) ? attribute(element, sema::AttrType::Any)
                       : element.type.is(TypeKind::Float)
                           ? fmt::format("{}.elementAttr({})", ctx(), bare(value(element)))
                           : fmt::format("makeAttr({}, {}({}))", ctx(), cppType(element.type), bare(value(element)));
    std::string type = arg(1), name = names.unique("splat");
    out().line("AttrId {} = splatOf({}, {}, {});", name, ctx(), attr, type);
    failIf("!" + name);
    return name;
  }
  case Builtin::Constant: {
    std::string list = arg(0), type = arg(1), name = names.unique("tensor");
    out().line("AttrId {} = tensorOf({}, {}({}), {});", name, ctx(), cppParam(e.args[0].type), list, type);
    failIf("!" + name);
    return name;
  }
  case Builtin::Exactly: {
    std::string list = arg(0), n = arg(1);
    failIf(fmt::format("int64_t({}.size()) != {}", list, n));
    return list;
  }
  case Builtin::Zip:
  case Builtin::Enumerate:
    return ""; // by apartLoop
  case Builtin::BitLength: {
    std::string a = arg(0), name = names.unique("length");
    out().line("int64_t {};", name);
    failIf(fmt::format("bitLengthFails({}, {})", a, name));
    return name;
  }
  case Builtin::IsPowerOfTwo:
    return fmt::format("isPowerOfTwo({})", arg(0));
  case Builtin::Bits:
    return checked("bits", fmt::format("bitsOf({})", arg(0)));
  }
  return "";
}

} // namespace rw::emit
