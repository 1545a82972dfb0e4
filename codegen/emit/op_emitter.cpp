#include "codegen/emit/op_emitter.h"

#include "codegen/plan/literals.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace rw::emit {

using sema::Arity;
using sema::Expr;
using sema::ExprKind;
using sema::TypeKind;

std::string schemaName(std::string_view viewName) {
  std::string out(viewName.substr(0, viewName.size() - 2)); // without "Op"
  out[0] = char(std::tolower(static_cast<unsigned char>(out[0])));
  return out + "Schema";
}

static std::string prefixOf(std::string_view viewName) {
  std::string s = schemaName(viewName);
  return s.substr(0, s.size() - 6);
}

/// Doc comments as such; `//` inside them is harmless.
static void docComment(std::string_view doc, Writer &w) {
  while (!doc.empty()) {
    size_t end = doc.find('\n');
    std::string line = "/// " + std::string(doc.substr(0, end));
    while (line.ends_with('\\') || line.ends_with(' '))
      line.pop_back(); // a backslash would join the next line
    w.text(line);
    doc = end == std::string_view::npos ? std::string_view() : doc.substr(end + 1);
  }
}

static bool hasVariadic(const sema::Op &op, size_t before) {
  for (size_t i = 0; i < before; ++i)
    if (op.operands[i].arity == Arity::Variadic)
      return true;
  return false;
}

/// A C++ type with `ns` before what the runtime defines.
static std::string qualified(std::string type, std::string_view ns) {
  if (ns.empty())
    return type;
  for (std::string_view own : {"Dims", "Dim", "DType", "TypeId", "AttrId", "Ints", "ListOf", "Value", "Op"}) {
    size_t at = 0;
    while ((at = type.find(own, at)) != std::string::npos) {
      auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
      bool starts = at == 0 || !isName(type[at - 1]);
      size_t end = at + own.size();
      bool ends = end == type.size() || !isName(type[end]);
      if (starts && ends) {
        type.insert(at, ns);
        end += ns.size();
      }
      at = end;
    }
  }
  return type;
}

// Views -----------------------------------------------------------------------------------------------------------

namespace {
/// What a view has beyond its op: accessors and the builder, in a class of its own or, `inForm`, in a template that
/// several views derive from.
std::vector<std::string> membersOf(const sema::Op &op, std::string_view className, bool inForm) {
  const std::string_view self = inForm ? "this->" : "";
  std::vector<std::string> out;
  auto line = [&](std::string_view format, const std::string &name, size_t i) {
    out.push_back(fmt::format(fmt::runtime(format), self, name, i));
  };
  NameScope names;
  for (std::string_view taken : {"id", "context", "loc", "schema", "op_", "Schema"})
    names.unique(taken);
  names.unique(className);
  for (size_t i = 0; i < op.operands.size(); ++i) {
    std::string accessor = names.unique(op.operands[i].name);
    if (op.operands[i].arity == Arity::Variadic)
      line("rw::ListOf<rw::Value> {1}() const {{ return rw::operandGroupOf({0}op_, {2}); }}", accessor, i);
    else if (hasVariadic(op, i))
      line("rw::Value {1}() const {{ return rw::firstOf(rw::operandGroupOf({0}op_, {2})); }}", accessor, i);
    else
      line("rw::Value {1}() const {{ return {0}op_.operand({2}); }}", accessor, i);
  }
  bool variadicResult = std::ranges::any_of(op.results, [](auto &r) { return r.arity == Arity::Variadic; });
  for (size_t i = 0; i < op.results.size(); ++i) {
    std::string accessor =
        names.unique(op.results[i].name.empty() ? variadicResult ? "results" : "result" : op.results[i].name);
    if (op.results[i].arity == Arity::Variadic)
      line("rw::ListOf<rw::Value> {1}() const {{ return rw::resultGroupOf({0}op_, {2}); }}", accessor, i);
    else if (std::any_of(op.results.begin(), op.results.begin() + ptrdiff_t(i),
                         [](auto &r) { return r.arity == Arity::Variadic; }))
      line("rw::Value {1}() const {{ return {0}op_.result({0}op_.resultCount() - {2}); }}", accessor,
           op.results.size() - i);
    else
      line("rw::Value {1}() const {{ return {0}op_.result({2}); }}", accessor, i);
  }
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const sema::OpAttrDecl &attr = op.attrs[i];
    std::string accessor = names.unique(attr.name);
    line("rw::AttrId {1}Attr() const {{ return {0}op_.attrOrDefault({2}); }}", accessor, i);
    sema::Type type = typeOf(attr.type);
    if (type.is(TypeKind::Attr) || type.is(TypeKind::Tensor))
      continue;
    out.push_back(fmt::format("std::optional<{0}> {1}() const {{ return rw::attrAs<{0}>({2}context(), {1}Attr()); }}",
                              qualified(cppAttrView(type), "rw::"), accessor, self));
  }
  // The builder: operands, then attributes; those with defaults may be left out.
  bool plain = std::ranges::all_of(op.operands, [](auto &o) { return o.arity == Arity::Single; });
  if (!plain || !op.regions.empty() || variadicResult)
    return out;
  std::string params, operands, attrs;
  NameScope args;
  for (std::string_view taken : {"schema", "builder", "Schema"})
    args.unique(taken);
  for (const sema::Operand &o : op.operands) {
    std::string arg = args.unique(o.name);
    params += ", rw::Value " + arg;
    operands += (operands.empty() ? "" : ", ") + arg;
  }
  bool optional = true; // only the last ones may have default arguments
  std::vector<std::string> declared;
  for (size_t i = op.attrs.size(); i-- > 0;) {
    optional &= !op.attrs[i].required();
    std::string arg = args.unique(op.attrs[i].name);
    declared.insert(declared.begin(), fmt::format(", rw::AttrId {}{}", arg, optional ? " = {}" : ""));
    attrs = arg + (attrs.empty() ? "" : ", ") + attrs;
  }
  for (const std::string &d : declared)
    params += d;
  std::string head = fmt::format("static rw::Op build(rw::OpBuilder &builder{}) {{", params);
  std::string made =
      fmt::format("return builder.create({}, {{{}}}, {{{}}});", inForm ? "Schema" : "schema()", operands, attrs);
  if (std::string whole = head + " " + made + " }"; whole.size() + 2 <= 120) {
    out.push_back(std::move(whole));
  } else {
    out.push_back(std::move(head));
    out.push_back("  " + made);
    out.push_back("}");
  }
  return out;
}
} // namespace

void emitViews(const std::vector<NamedOp> &ops, Writer &w) {
  if (ops.empty())
    return;
  std::vector<std::string> schemas;
  std::vector<std::string> members; // by op
  std::map<std::string, unsigned> uses;
  for (const NamedOp &op : ops) {
    schemas.push_back(schemaName(op.viewName));
    ++uses[members.emplace_back(fmt::format("{}", fmt::join(membersOf(*op.op, op.viewName, false), "\n")))];
  }
  w.packed("extern const rw::OpSchema ", schemas, ";");
  w.blank();
  std::map<std::string, std::string> forms; // by members
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto &[op, name] = ops[i];
    const bool shared = uses[members[i]] > 1;
    std::string base = fmt::format("rw::ViewOf<{}>", schemas[i]), constructor = "ViewOf";
    if (shared) {
      auto [form, isNew] = forms.try_emplace(members[i], name.substr(0, name.size() - 2) + "Form");
      constructor = form->second;
      base = fmt::format("{}<{}>", constructor, schemas[i]);
      if (isNew) {
        w.text("template <const rw::OpSchema &Schema>");
        w.open(fmt::format("struct {} : rw::ViewOf<Schema> {{", constructor));
        w.text("using rw::ViewOf<Schema>::ViewOf;");
        for (std::string &member : membersOf(*op, constructor, true))
          w.text(std::move(member));
        w.close("};");
      }
    }
    docComment(op->doc, w);
    if (std::string whole = fmt::format("struct {} : {} {{ using {}::{}; }};", name, base, constructor, constructor);
        shared && whole.size() <= 120) {
      w.text(std::move(whole));
      continue;
    }
    w.open(fmt::format("struct {} : {} {{", name, base));
    w.line("using {0}::{0};", constructor);
    if (!shared)
      for (std::string &member : membersOf(*op, name, false))
        w.text(std::move(member));
    w.close("};");
  }
  w.blank();
}

// Hooks -----------------------------------------------------------------------------------------------------------

namespace {
/// One hook of an op: binds the variables that its expressions use.
class Hook {
public:
  Hook(const sema::Op &op, const References &refs, Writer &w) : op_(op), e(refs, op.body, w, names) {}

  void bindAll(const std::vector<const Expr *> &used) {
    std::vector<bool> mentioned(op_.body.vars.size());
    for (const Expr *expr : used)
      plan::collectVars(*expr, mentioned);
    for (const sema::Op::Dimension &d : op_.dimensions)
      if (mentioned[d.var.raw])
        plan::collectVars(d.value, mentioned);
    for (uint32_t i = 0; i < op_.body.vars.size(); ++i)
      if (mentioned[i])
        bindVar(VarId(i));
  }

private:
  void bindVar(sema::VarId id) {
    const sema::Var &v = op_.body.var(id);
    if (v.kind == sema::VarKind::Operand && v.index >= op_.operands.size()) {
      size_t part = v.index - op_.operands.size();
      std::string name = names.unique(v.name);
      e.out().line("auto {} = {}(in, {});", name, part % 2 ? "regionResults" : "regionParams", part / 2);
      return e.bind(id, {.text = name, .maybe = true, .deref = true});
    }
    if (v.kind == sema::VarKind::Operand) {
      if (op_.operands[v.index].arity == Arity::Variadic || hasVariadic(op_, v.index)) {
        bool list = op_.operands[v.index].arity == Arity::Variadic;
        std::string name = names.unique(v.name);
        std::string group = fmt::format("valuesOf(in, {})", v.index);
        e.out().declare(list ? "ListOf<Value>" : "Value", name, list ? group : "firstOf(" + group + ")");
        return e.bind(id, {.text = name});
      }
      std::string name = names.unique(v.name);
      e.out().declare("Value", name, fmt::format("in.operand({})", v.index));
      return e.bind(id, {.text = name});
    }
    for (const sema::Op::Dimension &d : op_.dimensions)
      if (d.var == id) {
        std::string name = names.unique(v.name);
        e.out().line("auto {} = {};", name, e.lambda(d.value));
        return e.bind(id, {.text = name, .maybe = true, .deref = true});
      }
    if (v.kind != sema::VarKind::Attr)
      return;
    std::string name = names.unique(v.name), attr = fmt::format("in.attrOrDefault({})", v.index);
    if (v.type.is(TypeKind::Attr) || v.type.is(TypeKind::Tensor)) {
      e.out().line("AttrId {} = {};", name,
                   v.type.is(TypeKind::Attr) ? attr : fmt::format("tensorAttr(ctx, {})", attr));
      return e.bind(id, {.text = name, .maybe = true});
    }
    e.out().line("auto {} = attrAs<{}>(ctx, {});", name, cppAttrView(v.type), attr);
    e.bind(id, {.text = name, .maybe = true, .deref = true});
  }

  const sema::Op &op_;

public:
  NameScope names;
  ExprEmitter e;
};
} // namespace

static void emitTypes(const sema::Op &op, const References &refs, Writer &w) {
  w.declare("Context &", "ctx", "in.context()");
  Hook hook(op, refs, w);
  std::vector<const Expr *> used;
  for (const Expr &t : op.types)
    used.push_back(&t);
  hook.bindAll(used);
  w.text("bool known = true;");
  size_t count = op.types.size(), variadic = 0;
  while (variadic < count && op.results[variadic].arity != Arity::Variadic)
    ++variadic;
  if (variadic < count && count > 1) // before anything is written where there may be no room
    w.line("if (types.size() < {}) return false;", count - 1);
  for (size_t i = 0; i < count; ++i) {
    const Expr &type = op.types[i];
    std::string at = i > variadic ? fmt::format("types[types.size() - {}]", count - i) : fmt::format("types[{}]", i);
    if (i == variadic) {
      w.open(fmt::format("if (auto list = {}; list && list->size() + {} == types.size())", hook.e.lambda(type),
                         count - 1));
      w.line("std::copy(list->begin(), list->end(), types.begin() + {});", i);
      w.dedent();
      w.open("else");
      w.text("known = false;");
      w.dedent();
    } else if (type.type.isList()) {
      w.line("std::optional<TypeId> tuple{0} = tupleTypeOf(ctx, {1});", i, hook.e.lambda(type));
      w.line("{1} = tuple{0}.value_or(TypeId());", i, at);
      w.line("known &= tuple{}.has_value();", i);
    } else if (const Expr *like = plan::typeOfOne(type)) {
      w.line("known &= sameType(ctx, {}, {});", hook.e.value(*like), at);
    } else if (type.kind == ExprKind::MakeType && type.args.size() == 2) {
      std::string dtype = hook.e.lambda(type.args[0]);
      w.line("std::optional<DType> dtype{} = {};", i, dtype);
      std::string dims = hook.e.lambda(type.args[1]);
      w.line("std::optional<Dims> dims{} = {};", i, dims);
      w.line("known &= inferredType(ctx, dtype{0}, dims{0}, {1});", i, at);
    } else {
      w.line("std::optional<TypeId> type{} = {};", i, hook.e.lambda(type));
      w.line("{1} = type{0}.value_or(TypeId());", i, at);
      w.line("known &= type{}.has_value();", i);
    }
  }
  w.text("return known;");
}

static void emitCheck(const sema::Op &op, const References &refs, Writer &w) {
  w.declare("Context &", "ctx", "in.context()");
  Hook hook(op, refs, w);
  std::vector<const Expr *> used;
  for (const sema::Require &r : op.requires_) {
    used.push_back(&r.condition);
    for (const sema::MessagePiece &piece : r.message)
      if (piece.value)
        used.push_back(&*piece.value);
  }
  hook.bindAll(used);
  w.text("bool valid = true;");
  for (const sema::Require &r : op.requires_) {
    w.open(fmt::format("if (std::optional<bool> holds = {}; holds && !*holds) {{", hook.e.lambda(r.condition)));
    w.text("valid = false;");
    std::string message;
    for (const sema::MessagePiece &piece : r.message) {
      std::string text = fmt::format("std::string({})", cppString(piece.text));
      if (piece.value) {
        std::string value = hook.names.unique("shown");
        w.line("auto {} = {};", value, hook.e.lambda(*piece.value));
        text = piece.value->type.isList()
                   ? fmt::format("({0} ? show<{1}>(ctx, *{0}) : \"?\")", value, cppElement(piece.value->type))
                   : fmt::format("({0} ? show(ctx, *{0}) : \"?\")", value);
      }
      message += (message.empty() ? "" : " + ") + text;
    }
    if (message.empty())
      message = cppString("this does not hold: " + sema::toString(r.condition, refs.module(), op.body));
    w.line("sink.fail({});", message);
    w.close("}");
  }
  w.text("return valid;");
}

static void emitDefaults(const sema::Op &op, const References &refs, Writer &w) {
  w.declare("Context &", "ctx", "in.context()");
  w.open("switch (index) {");
  w.dedent();
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    if (!op.attrs[i].defaultValue)
      continue;
    w.open(fmt::format("case {}: {{ // {}", i, op.attrs[i].name));
    Hook hook(op, refs, w);
    hook.bindAll({&*op.attrs[i].defaultValue});
    hook.e.setFail("return AttrId();");
    std::string value = hook.e.attribute(*op.attrs[i].defaultValue, op.attrs[i].type);
    w.line("return {};", value);
    w.close("}");
  }
  w.indent();
  w.close("}");
  w.text("return AttrId();");
}

static void emitFold(const sema::Op &op, const References &refs, Writer &w) {
  w.declare("Context &", "ctx", "op.context()");
  w.declare("InputsOf", "inputs", "InputsOf(op)");
  w.declare("const OpInputs &", "in", "*inputs");
  Hook hook(op, refs, w);
  std::vector<const Expr *> used;
  for (const sema::FoldRule &f : op.folds) {
    used.push_back(&f.value);
    if (f.condition)
      used.push_back(&*f.condition);
  }
  hook.bindAll(used);
  for (const sema::FoldRule &f : op.folds) {
    if (f.condition)
      w.open(fmt::format("if (std::optional<bool> holds = {}; holds && *holds) {{", hook.e.lambda(*f.condition)));
    else
      w.open("{");
    w.line("auto folded = {};", hook.e.lambda(f.value));
    w.open("if (folded)");
    w.open("if (FoldResult result = foldTo(op, *folded); result.kind != FoldResult::Nothing)");
    w.text("return result;");
    w.dedent();
    w.dedent();
    w.close("}");
  }
  w.text("return {};");
}

// Schemas ---------------------------------------------------------------------------------------------------------

static std::string_view arityName(Arity a) {
  return a == Arity::Single ? "Arity::Single" : a == Arity::Optional ? "Arity::Optional" : "Arity::Variadic";
}

static std::string_view attrTypeText(sema::AttrType t) {
  static constexpr std::string_view names[] = {"Int",    "Float",    "Bool",   "String", "DType",  "Type",
                                               "Symbol", "Dim",      "Ints",   "Floats", "Bools",  "Strings",
                                               "Dims",   "IntLists", "DTypes", "Types",  "Tensor", "Any"};
  return names[unsigned(t)];
}

/// "3, 5 /* type, default */, ": which of the ops in the data it is, and which clauses it has (EmbeddedClauses).
/// Nothing of an op without.
static std::string clausesText(const sema::Op &op, size_t index) {
  const std::pair<bool, std::string_view> clauses[] = {
      {!op.types.empty(), "type"},
      {!op.requires_.empty(), "require"},
      {std::ranges::any_of(op.attrs, [](auto &a) { return a.defaultValue.has_value(); }), "default"},
      {!op.folds.empty(), "fold"},
      {!op.means.empty(), "means"}};
  unsigned bits = 0;
  std::string names;
  for (size_t i = 0; i < std::size(clauses); ++i)
    if (clauses[i].first) {
      bits |= 1u << i;
      names += (names.empty() ? "" : ", ") + std::string(clauses[i].second);
    }
  return bits ? fmt::format("{}, {} /* {} */, ", index, bits, names) : "";
}

void emitSchema(const sema::Op &op, std::string_view viewName, const CommonOps &common, const References &refs,
                const std::optional<Clauses> &data, SharedParts &shared, Writer &w) {
  std::string prefix = prefixOf(viewName);
  using Emit = void (*)(const sema::Op &, const References &, Writer &);
  /// The function, or the same one of an op before; its name.
  auto function = [&](std::string_view result, std::string_view what, std::string_view params, Emit emit) {
    if (data)
      return std::string();
    Writer body;
    body.setDepth(1);
    emit(op, refs, body);
    body.prune();
    auto [known, isNew] = shared.try_emplace(fmt::format("{}{}", what, body.str()), prefix + std::string(what));
    if (isNew) {
      if (shared.size() > 1) // schemas stand above
        w.blank();
      w.open(fmt::format("static {} {}([[maybe_unused]] {}) {{", result, known->second, params));
      w.append(std::move(body));
      w.close("}");
      w.blank();
    }
    return known->second;
  };
  std::string types, check, defaults, fold;
  if (!data && !op.means.empty()) { // defined behind the patterns
    w.line("static bool {}Expand(Op op, PatternRewriter &rw);", prefix);
    w.blank();
  }
  if (!op.types.empty())
    types = function("bool", "Types", "const OpInputs &in, std::span<TypeId> types", emitTypes);
  if (!op.requires_.empty())
    check = function("bool", "Check", "const OpInputs &in, CheckSink &sink", emitCheck);
  if (std::ranges::any_of(op.attrs, [](auto &a) { return a.defaultValue.has_value(); }))
    defaults = function("AttrId", "Default", "const OpInputs &in, unsigned index", emitDefaults);
  if (!op.folds.empty())
    fold = function("FoldResult", "Fold", "Op op", emitFold);
  std::string list;
  auto table = [&](std::string_view type, std::string_view what) -> std::string {
    if (list.empty())
      return "";
    auto [known, isNew] = shared.try_emplace(fmt::format("{}{}", what, list), prefix + std::string(what));
    if (isNew)
      w.line("static constexpr {} {}[] = {{{}}};", type, known->second, list);
    list.clear();
    return known->second;
  };
  for (const sema::Operand &o : op.operands)
    list += fmt::format("{}{{{}, {}}}", list.empty() ? "" : ", ", cppString(o.name), arityName(o.arity));
  std::string operands = table("OperandSchema", "Operands");
  for (const sema::OpResultDecl &r : op.results)
    list += fmt::format("{}{{{}, {}}}", list.empty() ? "" : ", ", cppString(r.name), arityName(r.arity));
  std::string results = table("ResultSchema", "Results");
  for (const sema::OpAttrDecl &a : op.attrs)
    list += fmt::format("{}{{{}, AttrType::{}, {}, {}}}", list.empty() ? "" : ", ", cppString(a.name),
                        attrTypeText(a.type), a.required(), a.defaultValue.has_value());
  std::string attrs = table("AttrSchema", "Attrs");
  for (const sema::OpAttrDecl &a : op.standIns) {
    plan::StandInType type = plan::typeOfStandIn(op, a);
    list += fmt::format("{}{{{}, {}, AttrType::{}, {}, {}, {}, {}}}", list.empty() ? "" : ", ", cppString(a.name),
                        a.operand, attrTypeText(a.type), type.dtype.empty() ? "DType::Unknown" : cppDType(type.dtype),
                        type.rank, a.defaultValue.has_value(), floatLiteral(a.defaultValue ? a.defaultValue->f : 0));
  }
  std::string standIns = table("StandInSchema", "StandIns");
  for (const std::string &r : op.regions)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", cppString(r));
  std::string regions = table("std::string_view", "Regions");

  std::vector<std::string> fields{".name = " + cppString(op.name)};
  if (!op.operands.empty())
    fields.push_back(fmt::format(".operands = {}", operands));
  if (!op.results.empty())
    fields.push_back(fmt::format(".results = {}", results));
  if (!op.attrs.empty())
    fields.push_back(fmt::format(".attrs = {}", attrs));
  if (!op.standIns.empty())
    fields.push_back(fmt::format(".standIns = {}", standIns));
  if (!op.regions.empty())
    fields.push_back(fmt::format(".regions = {}", regions));
  if (uint32_t traits = op.traits | op.typeOnly << 16)
    fields.push_back(
        fmt::format(".traits = {} /* {} */", traits, op.traits ? sema::traitsToString(op.traits) : "none"));
  if (op.moved)
    fields.push_back(fmt::format(".moved = {}", op.moved));
  if (op.since)
    fields.push_back(fmt::format(".since = {}", op.since));
  if (op.until)
    fields.push_back(fmt::format(".until = {}", *op.until));
  if (!op.doc.empty())
    fields.push_back(fmt::format(".doc = {}", cppString(op.doc)));
  if (op.externalDialect != common.domain)
    fields.push_back(fmt::format(".domain = {}", cppString(op.externalDialect)));
  if (!data && (!op.types.empty() || !op.means.empty()))
    fields.push_back(fmt::format(".inferTypes = {}", op.types.empty() ? "inferByMeaning" : types));
  if (!check.empty())
    fields.push_back(fmt::format(".check = {}", check));
  if (!defaults.empty())
    fields.push_back(fmt::format(".defaultAttr = {}", defaults));
  if (!fold.empty())
    fields.push_back(fmt::format(".fold = {}", fold));
  if (!data && !op.means.empty()) {
    fields.push_back(fmt::format(".expand = {}Expand", prefix));
    fields.push_back(".meantTypes = inferByMeaning");
  }
  fields.front().insert(0, "{");
  w.packed(fmt::format("constinit const OpSchema {} = {}({}", schemaName(viewName), common.name,
                       data ? clausesText(op, data->index) : ""),
           fields, "});");
}

void emitExpand(std::string_view viewName, const std::vector<std::string> &meanings, Writer &w) {
  w.open(fmt::format("static bool {}Expand(Op op, PatternRewriter &rw) {{", prefixOf(viewName)));
  w.line("return {};", fmt::format("{}.matchAndRewrite(op, rw)", fmt::join(meanings, ".matchAndRewrite(op, rw) || ")));
  w.close("}");
  w.blank();
}

// Functions -------------------------------------------------------------------------------------------------------

static std::string fnHead(const sema::Fn &fn, std::string_view ns, const std::vector<std::string> &params,
                          bool context) {
  std::string text = fmt::format("std::optional<{}> {}({}Context &{}", qualified(cppType(fn.result), ns),
                                 declName(fn.name), ns, context ? "ctx" : "");
  for (size_t i = 0; i < params.size(); ++i)
    text += fmt::format(", {} {}", qualified(cppParam(fn.body.var(fn.params[i]).type), ns), params[i]);
  return text + ")";
}

std::string fnSignature(const sema::Fn &fn, std::string_view ns, bool usesContext) {
  NameScope names;
  std::vector<std::string> params;
  for (sema::VarId p : fn.params)
    params.push_back(names.unique(fn.body.var(p).name));
  return fnHead(fn, ns, params, usesContext);
}

void emitFn(const sema::Fn &fn, const References &refs, Writer &w) {
  Writer inner;
  inner.setDepth(w.depth() + 1);
  NameScope names;
  ExprEmitter e(refs, fn.body, inner, names);
  std::vector<std::string> params;
  for (sema::VarId p : fn.params) {
    params.push_back(names.unique(fn.body.var(p).name));
    e.bind(p, {.text = params.back()});
  }
  std::string value = e.value(fn.value);
  if (fn.value.type.isList())
    inner.line("return {}({});", cppType(fn.result), value);
  else
    inner.line("return {};", value);
  w.text(fnHead(fn, "", params, e.usesContext) + " {");
  w.append(std::move(inner));
  w.text("}");
  w.blank();
}

std::string nativeSignature(const sema::Native &n, std::string_view ns) {
  std::string result = n.isConstraint          ? "bool"
                       : n.results.size() == 1 ? qualified("Value", ns)
                                               : qualified("ListOf<Value>", ns);
  std::string text = fmt::format("{} {}([[maybe_unused]] {}{} &{}", result, declName(n.name), ns,
                                 n.isConstraint ? "Context" : "PatternRewriter", n.isConstraint ? "ctx" : "rw");
  for (size_t i = 0; i < n.params.size(); ++i)
    text += fmt::format(", {}{} {}", ns.empty() ? "[[maybe_unused]] " : "", qualified(cppParam(n.params[i]), ns),
                        identifier(n.paramNames[i]));
  return text + ")";
}

} // namespace rw::emit
