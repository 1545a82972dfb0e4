#include "frontend/check/calls.h"

#include "frontend/check/built_ops.h"
#include "frontend/check/deferred.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/members.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/names.h"
#include "frontend/check/operators.h"
#include "frontend/check/rounding.h"
#include "frontend/check/sets_and_traits.h"
#include "frontend/check/string_choices.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/unknown_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace rw::sema {

/// `mid[0](x)`: an op or a chain of several, by its place, on other operands.
static Expr checkElementCall(BodyContext &b, const ast::CallExpr &e) {
  Expr called = checkExpr(b, *e.target);
  if (!called.type.isError() && !called.type.is(TypeKind::Op) && !called.type.is(TypeKind::Chain)) {
    b.error("type-mismatch", e.target->range,
            fmt::format("this is {}: what is called is a function or an op", toString(called.type)))
        .note("of ops and chains that `each` names there is one for each operand: `mid[0](x)` builds the first again");
    called.type = TypeKind::Error;
  }
  if (called.type.isError()) {
    for (const ast::CallArg &arg : e.args)
      checkExpr(b, *arg.value); // what it names is used
    return called;
  }
  size_t mark = b.openScope();
  VarId id = b.declare(ast::Name{e.callee.name.text, e.callee.range}, called.type, VarKind::Let);
  b.var(id).ops = opsOf(b, called);
  b.var(id).name = e.callee.name.text.substr(0, e.callee.name.text.find('['));
  Expr built = called.type.is(TypeKind::Op) ? checkReplay(b, e, id) : checkChainReplay(b, e, id);
  b.closeScope(mark);
  if (built.type.isError())
    return built;
  Type type = built.type;
  std::vector<Expr> parts;
  parts.push_back(std::move(called));
  parts.push_back(std::move(built));
  Expr out = b.make(ExprKind::Let, type, e.range, std::move(parts));
  out.id = id.raw;
  return out;
}

namespace {
/// Names in an expression, those of what is called among them.
void namesIn(const ast::Expr *e, const std::function<void(const std::string &)> &visit) {
  if (!e)
    return;
  auto in = [&](const ast::ExprPtr &part) { namesIn(part.get(), visit); };
  switch (e->kind) {
  case ast::ExprKind::Name:
    return visit(e->get<ast::NameExpr>().name.text);
  case ast::ExprKind::Member:
    return in(e->get<ast::MemberExpr>().object);
  case ast::ExprKind::Index: {
    const auto &index = e->get<ast::IndexExpr>();
    in(index.object);
    for (const ast::IndexArg &arg : index.args)
      in(arg.begin), in(arg.end);
    return;
  }
  case ast::ExprKind::Call: {
    const auto &call = e->get<ast::CallExpr>();
    in(call.target);
    if (!call.callee.dialect)
      visit(call.callee.name.text);
    for (const ast::CallArg &arg : call.args)
      in(arg.value);
    if (const auto *stated = call.statedType ? call.statedType->as<ast::NamedType>() : nullptr)
      visit(stated->name.dialect.text);
    return;
  }
  case ast::ExprKind::List:
    for (const ast::ExprPtr &element : e->get<ast::ListExpr>().elements)
      in(element);
    return;
  case ast::ExprKind::Tuple:
    for (const ast::ExprPtr &element : e->get<ast::TupleExpr>().elements)
      in(element);
    return;
  case ast::ExprKind::Unary:
    return in(e->get<ast::UnaryExpr>().operand);
  case ast::ExprKind::Binary:
    return in(e->get<ast::BinaryExpr>().lhs), in(e->get<ast::BinaryExpr>().rhs);
  case ast::ExprKind::If:
    return in(e->get<ast::IfExpr>().condition), in(e->get<ast::IfExpr>().thenValue),
           in(e->get<ast::IfExpr>().elseValue);
  case ast::ExprKind::Let:
    return in(e->get<ast::LetExpr>().value), in(e->get<ast::LetExpr>().body);
  case ast::ExprKind::Range:
    return in(e->get<ast::RangeExpr>().begin), in(e->get<ast::RangeExpr>().end);
  case ast::ExprKind::Comprehension: {
    const auto &list = e->get<ast::ComprehensionExpr>();
    in(list.element);
    for (const auto &source : list.sources)
      in(source.list);
    return in(list.filter);
  }
  case ast::ExprKind::Region:
    return in(e->get<ast::RegionExpr>().result);
  default:
    return;
  }
}
} // namespace

std::optional<Expr> checkEachOperand(BodyContext &b, const ast::Expr &e) {
  std::vector<VarId> lists;
  namesIn(&e, [&](const std::string &name) {
    VarId id = name.empty() || b.substituted(name) ? VarId() : b.find(name);
    if (id && b.var(id).perOperand && b.var(id).type.isList() && std::ranges::find(lists, id) == lists.end())
      lists.push_back(id);
  });
  if (lists.empty())
    return std::nullopt;
  size_t mark = b.openScope();
  Expr out = b.make(ExprKind::Comprehension, {}, e.range);
  std::vector<Expr> sources;
  for (VarId list : lists) {
    sources.push_back(b.varExpr(list, e.range));
    Type element = b.var(list).type.element();
    VarId one = b.declare(std::string(b.var(list).name), e.range, element, VarKind::Loop);
    b.var(one).ops = OpSet(b.var(list).ops);
    b.var(one).perOperand = element.isList(); // of the `each` inside
    b.use(one);
    out.loopVars.push_back(one);
  }
  Expr element = checkExpr(b, e);
  b.closeScope(mark);
  if (element.type.isError())
    return element;
  element = convert(b, std::move(element), TypeKind::Value, "an operand");
  if (element.type.isError())
    return element;
  out.type = element.type.listOf();
  out.args.push_back(std::move(element));
  if (sources.size() == 1) {
    out.args.push_back(std::move(sources[0]));
    return out;
  }
  out.loopGroups.push_back(uint8_t(std::min<size_t>(lists.size(), 255)));
  Expr zip = b.make(ExprKind::Builtin, Type::list(TypeKind::Never), e.range, std::move(sources));
  zip.builtin = Builtin::Zip;
  out.args.push_back(std::move(zip));
  return out;
}

/// `x.shape(0)`
static Expr checkMethod(BodyContext &b, const ast::CallExpr &e) {
  const std::string object = e.callee.dialect.text, &member = e.callee.name.text;
  b.use(b.find(object));
  if (std::string_view ours = wordOfOthers(member); !ours.empty()) {
    b.error("undefined-function", e.callee.name.range, fmt::format("nothing is called `{}` here", member))
        .note(std::string(ours));
    return b.errorExpr(e.range);
  }
  Report report = b.error("undefined-function", e.callee.name.range,
                          fmt::format("`{}` is not called: what `{}` has are properties", member, object));
  if (std::ranges::find(builtins(), member, &BuiltinInfo::name) != builtins().end() || b.c.fns.contains(member))
    report.note(fmt::format("it is a function: `{}({}{})`", member, object, e.args.empty() ? "" : ", ..."));
  else
    report.note(e.args.empty()
                    ? fmt::format("without parentheses: `{}.{}`", object, member)
                    : fmt::format("an element of a list: `{}.{}[{}]`", object, member, b.c.textOf(e.args[0].range)));
  return b.errorExpr(e.range);
}

static Expr checkFnCall(BodyContext &b, const ast::CallExpr &e, FnIndex id) {
  std::vector<Expr> args = checkPlainArgs(b, e);
  want(b.c, id);
  const Fn &fn = b.c.module.fn(id);
  if (b.c.currentFn)
    b.c.calls[b.c.currentFn.raw].push_back({id, e.callee.range});
  if (args.size() != fn.params.size()) {
    b.error("argument-count", e.range,
            fmt::format("`{}` takes {}, not {}", fn.name, counted(fn.params.size(), "argument"), args.size()))
        .note(fn.nameRange, fmt::format("`{}` is declared here", fn.name));
    return b.make(ExprKind::None, TypeKind::Error, e.range);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Var &param = fn.body.var(fn.params[i]);
    if (args[i].type != param.type)
      args[i] = convert(b, std::move(args[i]), param.type,
                        [&] { return fmt::format("the parameter `{}` of `{}`", param.name, fn.name); });
  }
  Expr out = b.make(ExprKind::Call, fn.result, e.range, std::move(args));
  out.id = id.raw;
  return out;
}

static Expr checkNativeCall(BodyContext &b, const ast::CallExpr &e, NativeIndex id) {
  const Native &native = b.c.module.native(id);
  if (!native.isConstraint && b.allow != Allow::Builds) {
    Report report = b.error("build-not-allowed", e.callee.range,
                            fmt::format("`{}` builds ops, so it is called right of `=>` only", native.name));
    report.note(native.nameRange, fmt::format("`{}` is declared here", native.name));
    if (b.letsMayBuild)
      report.note(fmt::format("a `let` builds, once all else fits: `where let y = {}(...), y.rank == 2`", native.name));
    return b.errorExpr(e.range);
  }
  if (native.isConstraint && b.allow == Allow::Pure) {
    b.error("native-outside-pattern", e.callee.range,
            fmt::format("`{}` is C++ that looks at the program, so only patterns may call it", native.name));
    return b.errorExpr(e.range);
  }
  std::vector<Expr> args = checkPlainArgs(b, e);
  if (args.size() != native.params.size()) {
    b.error("argument-count", e.range,
            fmt::format("`{}` takes {}, not {}", native.name, counted(native.params.size(), "argument"), args.size()))
        .note(native.nameRange, fmt::format("`{}` is declared here", native.name));
    return b.errorExpr(e.range);
  }
  for (size_t i = 0; i < args.size(); ++i)
    args[i] = convert(b, std::move(args[i]), native.params[i],
                      [&] { return fmt::format("the parameter `{}` of `{}`", native.paramNames[i], native.name); });
  if (native.isConstraint) {
    Expr out = b.make(ExprKind::Native, TypeKind::Bool, e.range, std::move(args));
    out.id = id.raw;
    return out;
  }
  Build build;
  build.kind = BuildKind::Native;
  build.native = id;
  build.operands = std::move(args);
  build.resultCount = uint32_t(native.results.size());
  return finishBuild(b, std::move(build), e.range);
}

// ---- built-in functions: their signatures are the text of the table

namespace {
/// Reads one signature against the arguments of a call.
struct Signature {
  std::vector<std::pair<std::string_view, std::string_view>> params; // name, type
  std::string_view result;

  explicit Signature(std::string_view text) {
    size_t close = text.rfind(") -> ");
    result = text.substr(close + 5);
    for (std::string_view rest = text.substr(1, close - 1); !rest.empty();) {
      size_t comma = rest.find(", ");
      std::string_view param = rest.substr(0, comma);
      size_t colon = param.find(": ");
      params.emplace_back(param.substr(0, colon), param.substr(colon + 2));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 2);
    }
  }
};

/// That of a builtin, read once.
const Signature &signatureOf(const BuiltinInfo &info) {
  static const std::vector<Signature> all = [] {
    std::vector<Signature> out;
    for (const BuiltinInfo &each : builtins())
      out.emplace_back(each.signature);
    return out;
  }();
  return all[size_t(&info - &builtins()[0])];
}
} // namespace

static Type typeNamed(std::string_view text, Type variable) {
  if (text.starts_with("[")) {
    Type element = typeNamed(text.substr(1, text.size() - 2), variable);
    return element.isError() ? element : element.listOf();
  }
  static constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
      {"int", TypeKind::Int},     {"bool", TypeKind::Bool}, {"dim", TypeKind::Dim},      {"dtype", TypeKind::DType},
      {"value", TypeKind::Value}, {"type", TypeKind::Type}, {"tensor", TypeKind::Tensor}};
  for (const auto &[name, kind] : kKinds)
    if (name == text)
      return kind;
  return variable; // T, N, E
}

/// Whether it is a result that each op which this may be declares with a `?`.
static bool isOptionalResult(const BodyContext &b, const Expr &e) {
  OpSet ops = opsOf(b, e.args[0]);
  return e.i >= 0 && !ops.ops.empty() && std::ranges::all_of(ops.ops, [&](OpIndex id) {
           const std::vector<OpResultDecl> &results = b.c.module.op(id).results;
           return size_t(e.i) < results.size() && results[size_t(e.i)].optional;
         });
}

/// Whether an operand or attribute of an op is optional in any that it may be, or the op itself may not be there.
static bool mayBeAbsent(const BodyContext &b, const Expr &part) {
  const Expr &of = part.args[0];
  if (of.kind != ExprKind::Var || b.body.var(of.var()).optional || b.bounds[of.id] == Bound::Maybe)
    return true;
  return std::ranges::any_of(opsOf(b, of).ops, [&](OpIndex id) {
    const Op &op = b.c.module.op(id);
    size_t i = size_t(part.i);
    return part.kind == ExprKind::OpOperand ? op.operands[i].arity == Arity::Optional : op.attrs[i].optional;
  });
}

static Expr checkBuiltinCall(BodyContext &b, const ast::CallExpr &e, const ast::Name &name, std::vector<Expr> args) {
  const BuiltinInfo *chosen = nullptr, *other = nullptr;
  for (const BuiltinInfo &info : builtins())
    if (info.name == name.text)
      (signatureOf(info).params.size() == args.size() && !chosen ? chosen : other) = &info;
  if (!chosen) {
    b.error("argument-count", e.range,
            fmt::format("`{}` does not take {}", name.text, counted(args.size(), "argument")))
        .note(fmt::format("it is {}{}{}", name.text, other->signature,
                          other->builtin == Builtin::Splat ? "; a constant like x is `splat(0, x.type)`" : ""));
    return b.errorExpr(e.range);
  }
  for (const Expr &arg : args)
    if (arg.type.isError())
      return b.errorExpr(e.range);
  if (chosen->builtin == Builtin::Zip || chosen->builtin == Builtin::Enumerate) {
    b.error("misplaced", e.range,
            fmt::format("`{}` stands right of `in` only, with as many names on the left", name.text))
        .note(chosen->builtin == Builtin::Zip ? "`[x * y for (x, y) in zip(a, b)]`"
                                              : "`[i for (i, x) in enumerate(list) if x > 0]`");
    return b.errorExpr(e.range);
  }
  if (chosen->builtin == Builtin::Has) {
    bool isVar = args[0].kind == ExprKind::Var;
    auto asked =
        isVar && b.bounds[args[0].id] == Bound::Yes ? b.askedToBeThere.find(args[0].id) : b.askedToBeThere.end();
    bool optional = isVar && asked == b.askedToBeThere.end() &&
                    (b.var(args[0].var()).optional || b.bounds[args[0].id] == Bound::Maybe);
    if (args[0].kind == ExprKind::OpOperand || args[0].kind == ExprKind::OpAttr)
      optional = mayBeAbsent(b, args[0]);
    if (args[0].kind == ExprKind::OpResult && isOptionalResult(b, args[0])) { // it is there if anything uses it
      Expr uses = b.make(ExprKind::Property, TypeKind::Int, e.range, std::move(args)),
           zero = b.make(ExprKind::Int, TypeKind::Int, e.range);
      uses.property = Property::Uses;
      Expr out = b.make(ExprKind::Binary, TypeKind::Bool, e.range);
      out.binary = BinaryOp::Ne;
      out.args.push_back(std::move(uses));
      out.args.push_back(std::move(zero));
      return out;
    }
    if (!optional) {
      Report report = b.error("type-mismatch", args[0].range,
                              "`has` asks whether something is there that may not be: an optional operand, attribute, "
                              "result or op, or a name that only some alternatives bind; this always is");
      if (asked != b.askedToBeThere.end())
        report.note(asked->second, fmt::format("the match asks here that it is there: `{}?` leaves it open",
                                               b.var(args[0].var()).name));
      else
        report.note("leave the question out; an operand that may be left out is matched by `b?`");
    }
  }
  const Signature &signature = signatureOf(*chosen);
  if (args.size() == 2)
    asNumbers(b, args[0], args[1]);
  std::optional<Type> variable;
  bool numeric = false, element = false;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string_view text = signature.params[i].second;
    bool list = text.starts_with("[");
    std::string_view inner = list ? text.substr(1, text.size() - 2) : text;
    if (inner != "T" && inner != "N" && inner != "E")
      continue;
    numeric |= inner == "N";
    element |= inner == "E";
    if (list && !args[i].type.isList()) {
      Report report = b.error("type-mismatch", args[i].range,
                              fmt::format("`{}` takes a list here, but this is {}", name.text, toString(args[i].type)));
      if (chosen->builtin == Builtin::Len && args[i].type.is(TypeKind::Value))
        report.note(fmt::format("`{0}.rank` is how many dimensions a value has, `{0}.size` how many elements",
                                b.c.textOf(args[i].range)));
      else
        report.note(exampleOf(Type::list(TypeKind::Int)));
      return b.errorExpr(e.range);
    }
    Type here = list ? args[i].type.element() : args[i].type;
    std::optional<Type> common = variable ? commonType(b, *variable, here) : here;
    if (!common) {
      b.error("type-mismatch", args[i].range,
              fmt::format("this is {}, but the first argument of `{}` makes it {}", toString(here), name.text,
                          toString(*variable)));
      return b.errorExpr(e.range);
    }
    variable = common;
  }
  if (variable && (numeric || element) && variable->kind == TypeKind::Never)
    variable = TypeKind::Int;
  if (element && variable->is(TypeKind::Dim))
    variable = TypeKind::Int;
  if (element && !variable->is(TypeKind::Int) && !variable->is(TypeKind::Float) && !variable->is(TypeKind::Bool) &&
      !(variable->is(TypeKind::Attr) && chosen->builtin == Builtin::Splat)) {
    b.error("type-mismatch", args[0].range,
            fmt::format("an element of a constant is a number, true or false, but this is {}", toString(args[0].type)))
        .note("as in `splat(0, x.type)` and `constant([1, 2], (i64, [2]))`");
    return b.errorExpr(e.range);
  }
  if (variable && numeric && !variable->is(TypeKind::Int) && !variable->is(TypeKind::Float) &&
      !variable->is(TypeKind::Dim)) {
    Report report = b.error("type-mismatch", args[0].range,
                            fmt::format("`{}` is for numbers, but this is {}", name.text, toString(args[0].type)));
    if (variable->is(TypeKind::Attr))
      report.note(args[0].kind == ExprKind::Var ? b.var(args[0].var()).range : SourceRange(),
                  fmt::format("where it is bound, say what it is: `{0}: float` or `{0}: int`",
                              args[0].kind == ExprKind::Var ? b.var(args[0].var()).name : "s"));
    return b.errorExpr(e.range);
  }
  for (size_t i = 0; i < args.size() && chosen->builtin != Builtin::Has; ++i) {
    Type wanted = typeNamed(signature.params[i].second, variable.value_or(Type()));
    if (args[i].type != wanted)
      args[i] = convert(b, std::move(args[i]), wanted, [&] {
        return fmt::format("the parameter `{}` of `{}`", signature.params[i].first, name.text);
      });
  }
  Expr out =
      b.make(ExprKind::Builtin, typeNamed(signature.result, variable.value_or(Type())), e.range, std::move(args));
  out.builtin = chosen->builtin;
  if (out.builtin == Builtin::Contains || out.builtin == Builtin::IndexOf || out.builtin == Builtin::Count) {
    out.rounded = rounded(b, out.args[0], out.args[1]);
    for (const Expr &element : out.args[0].args)
      checkComparedChoices(b, element, out.args[1]);
  }
  return out;
}

Expr checkCall(BodyContext &b, const ast::CallExpr &e) {
  if (e.target)
    return checkElementCall(b, e);
  // A variable that holds an op or a chain: the same again, on other operands.
  if (!e.callee.dialect)
    if (VarId id = b.find(e.callee.name.text); id && !b.substituted(e.callee.name.text)) {
      if (b.var(id).type.isError()) {
        for (const ast::CallArg &arg : e.args)
          checkExpr(b, *arg.value); // what it names is used
        return b.errorExpr(e.range);
      }
      if (b.var(id).type.is(TypeKind::Op))
        return checkReplay(b, e, id);
      if (b.var(id).type.is(TypeKind::Chain))
        return checkChainReplay(b, e, id);
      if (b.var(id).type.kind == TypeKind::Op || b.var(id).type.kind == TypeKind::Chain) {
        b.use(id);
        b.error("type-mismatch", e.callee.range,
                fmt::format("`{}` is several {}, one for each operand", e.callee.spelling(),
                            b.var(id).type.kind == TypeKind::Op ? "ops" : "chains"))
            .note(fmt::format("one after another: `[f(y) for (f, y) in zip({}, ...)]`", e.callee.spelling()))
            .note(fmt::format("as operands, `each {0}(x)` is each on its own; one of them is `{0}[0](x)`",
                              e.callee.spelling()));
        for (const ast::CallArg &arg : e.args)
          if (arg.form == ast::CallArg::Form::Plain)
            checkExpr(b, *arg.value);
        return b.errorExpr(e.range);
      }
    }
  if (e.callee.dialect && b.find(e.callee.dialect.text) && !b.substituted(e.callee.dialect.text) &&
      !b.c.isDialect(e.callee.dialect.text))
    return checkMethod(b, e);
  ast::QualifiedName callee = b.resolved(e.callee);
  const std::string &name = callee.name.text;
  if (!callee.dialect) {
    if (FnIndex fn = fnNamed(b.c, name))
      return checkFnCall(b, e, fn);
    if (NativeIndex native = nativeNamed(b.c, name))
      return checkNativeCall(b, e, native);
    if (RewriteIndex rewrite = rewriteOf(b, e.callee))
      return checkRewriteCall(b, e, rewrite);
  }
  bool builtin = !callee.dialect && isBuiltin(name);
  if (builtin && b.allow == Allow::Builds && namesOp(b.c, callee)) {
    // `max(x, y)`: the op on values, the function on numbers.
    bool named = std::any_of(e.args.begin(), e.args.end(), [](const ast::CallArg &arg) { return bool(arg.name); });
    if (named || e.args.empty() || e.args[0].form != ast::CallArg::Form::Plain)
      return checkBuild(b, e, callee, std::nullopt);
    Expr first = checkExpr(b, *e.args[0].value);
    if (first.type.is(TypeKind::Value) || first.type.is(TypeKind::Op) || first.type.is(TypeKind::Tensor))
      return checkBuild(b, e, callee, std::move(first));
    std::vector<Expr> args;
    args.reserve(e.args.size());
    args.push_back(std::move(first));
    for (size_t i = 1; i < e.args.size(); ++i)
      args.push_back(checkExpr(b, *e.args[i].value));
    return checkBuiltinCall(b, e, callee.name, std::move(args));
  }
  if (builtin)
    return checkBuiltinCall(b, e, callee.name, checkPlainArgs(b, e));
  if (namesOp(b.c, callee)) {
    if (b.allow == Allow::Builds)
      return checkBuild(b, e, callee, std::nullopt);
    Report report = b.error("build-not-allowed", e.callee.range,
                            fmt::format("`{}` is an op: ops are built right of `=>` only", e.callee.spelling()));
    if (b.allow == Allow::Matches)
      report.note("to look at the op that made a value, write `x is " + e.callee.spelling() + "(...)`");
    if (b.of == BodyOf::Function)
      report.note(fmt::format("what builds has a name by `rewrite`: `rewrite f(x: value) -> value = {}(...);`",
                              e.callee.spelling()));
    if (b.letsMayBuild)
      report.note(
          fmt::format("a `let` builds, once all else fits: `where let y = {}(...), y.rank == 2`", e.callee.spelling()));
    return b.errorExpr(e.range);
  }
  if (GroupIndex group = callee.dialect ? GroupIndex() : groupNamed(b.c, callee.name)) {
    b.error("misplaced", e.callee.range,
            fmt::format("`{}` is a {}: {}", name, b.c.module.group(group).isTrait ? "trait" : "set",
                        b.allow == Allow::Builds ? "which of its ops is built is not said" : "it is no function"))
        .note(b.c.declOf(group).nameRange, fmt::format("`{}` is declared here", name))
        .note(b.allow == Allow::Builds
                  ? fmt::format("`d: {}(x)` on the left names the op that is there, and `d(y)` builds it again", name)
                  : fmt::format("`x is {}(...)` asks whether one of them made a value", name));
    checkPlainArgs(b, e);
    return b.errorExpr(e.range);
  }
  if (MatcherIndex matcher = matcherOf(b, e.callee)) {
    b.error("misplaced", e.callee.range, fmt::format("`{}` is a named match: it matches, and gives nothing", name))
        .note(b.c.module.matcher(matcher).nameRange, fmt::format("`{}` is declared here", name))
        .note(fmt::format("in the `where`, `x is {}(...)` asks whether a value is that", name));
    for (const ast::CallArg &arg : e.args)
      if (const auto *plain = arg.value->as<ast::NameExpr>(); plain && b.find(plain->name.text))
        b.use(b.find(plain->name.text));
    return b.errorExpr(e.range);
  }
  VarId called = e.callee.dialect || b.substituted(e.callee.name.text) ? VarId() : b.find(e.callee.name.text);
  if (called) {
    b.use(called);
    Report report = b.error("type-mismatch", e.callee.range,
                            fmt::format("`{}` is {}: what is called is a function or an op", e.callee.spelling(),
                                        toString(b.var(called).type)));
    report.note(b.var(called).range, "it is bound here");
    if (b.whyValue.contains(called.raw))
      sayWhyValue(b, report, called);
    else
      report.note("`d: relu(x)` on the left names an op, which `d(y)` builds again");
  } else if (callee.dialect || b.allow == Allow::Builds)
    reportUndefinedOp(b.c, callee, !callee.dialect);
  else
    reportUndefinedFunction(b.c, callee.name);
  for (const ast::CallArg &arg : e.args) { // what is wrong inside is wrong all the same
    const auto *plain = arg.value->as<ast::NameExpr>();
    bool function = plain && !b.find(plain->name.text); // `map(list, f)`
    if (arg.form == ast::CallArg::Form::Plain && !(function && !callee.dialect))
      checkExpr(b, *arg.value);
  }
  return b.errorExpr(e.range);
}

std::vector<Expr> checkPlainArgs(BodyContext &b, const ast::CallExpr &e) {
  std::vector<Expr> args;
  args.reserve(e.args.size());
  if (e.statedType)
    b.error("misplaced", e.statedType->range, "only what builds an op has a stated type")
        .note("it is stated where the op is built: `relu(x) -> x.type`");
  for (const ast::CallArg &arg : e.args) {
    if (arg.form != ast::CallArg::Form::Plain)
      b.error("misplaced", arg.range, "`each`, `...` and `=>` are for the operands of ops");
    else if (arg.name)
      b.error("named-argument", arg.name.range,
              fmt::format("`{}` is a {}: its arguments have no names", e.callee.spelling(),
                          rewriteOf(b, e.callee) ? "named rewrite" : "function"))
          .fixIt({arg.name.range.begin, arg.value->range.begin}, "")
          .note("arguments stand in the order of the parameters; names are for the attributes of ops");
    args.push_back(checkExpr(b, *arg.value));
  }
  return args;
}

} // namespace rw::sema
