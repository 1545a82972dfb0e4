// The root file's declarations as indented text: one line a part, two spaces a level.
#include "frontend/sema/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw::sema {

namespace {
class Dumper {
public:
  Dumper(const Module &module, const SourceManager &sources, std::string &out)
      : m_(module), sources_(sources), out_(out) {}
  void run();

private:
  struct [[nodiscard]] Level {
    int &depth;
    explicit Level(int &d) : depth(d) { ++depth; }
    ~Level() { --depth; }
  };
  template <class... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    out_.append(size_t(depth_) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  std::string at(SourceRange range) const {
    LineColumn where = sources_.lineColumn(range.begin);
    return fmt::format("{}:{}", where.line, where.column);
  }
  std::string text(const Expr &e) const { return toString(e, m_, *body_); }
  std::string ops(const OpSet &) const;
  std::string use(const VarUse &) const;
  std::string type(const TypeMatch &) const;
  std::string condition(const Expr &) const;
  std::string attr(const AttrMatch &) const;
  void doc(const Decl &);
  void op(const Op &);
  void fn(const Fn &);
  void native(const Native &);
  void pattern(const Pattern &);
  void matcher(const Matcher &);
  void rewrite(const NamedRewrite &);
  void group(const Group &);
  void inside(const RegionMatch &);
  void conditions(const std::vector<Condition> &, std::string_view word);
  void action(const Action &);
  void match(std::string_view role, const Match &);
  void vars();
  void pass(const Pass &);
  void test(const Test &);

  const Module &m_;
  const SourceManager &sources_;
  std::string &out_;
  const Body *body_ = nullptr;
  int depth_ = 0;
};

std::string_view aritySuffix(Arity arity) {
  return arity == Arity::Optional ? "?" : arity == Arity::Variadic ? "..." : "";
}
} // namespace

void Dumper::doc(const Decl &decl) {
  if (!decl.doc.empty())
    line("doc {:?}", decl.doc);
}

std::string Dumper::ops(const OpSet &set) const {
  if (set.byTrait())
    return set.any ? "<any>" : "<" + traitsToString(set.traits) + otherHeads(set, m_) + ">";
  std::string out;
  for (OpIndex id : set.ops) {
    const Op &op = m_.op(id);
    out += (out.empty() ? "" : " | ") + op.fullName();
    if (op.since || op.until)
      out += fmt::format("@{}", op.since);
  }
  return out;
}

std::string Dumper::use(const VarUse &use) const {
  static constexpr std::string_view kWords[] = {"", "bind ", "same as ", "bind or same as "};
  return use ? fmt::format("{}{}", kWords[unsigned(use.use)], body_->var(use.var).name) : "";
}

std::string Dumper::type(const TypeMatch &type) const {
  std::string out;
  auto add = [&](std::string_view text) { (out += out.empty() ? "" : " ") += text; };
  switch (type.dtypeClass) {
  case DTypeClass::Any:
    break;
  case DTypeClass::Float:
    add("float");
    break;
  case DTypeClass::Integer:
    add("int");
    break;
  case DTypeClass::Exactly:
    add(text(*type.dtype));
    break;
  }
  if (!type.elements.empty()) {
    std::string elements;
    for (const TypeMatch &element : type.elements)
      elements += (elements.empty() ? "" : ", ") + this->type(element);
    add("(" + elements + ")");
  }
  if (type.dims) {
    std::string dims;
    for (const DimMatch &dim : *type.dims) {
      dims += dims.empty() ? "" : ", ";
      dims += dim.value ? "= " + text(*dim.value) : dim.var ? use(dim.var) : dim.rest ? "" : "_";
      if (dim.rest)
        dims += "...";
    }
    add("[" + dims + "]");
  }
  if (type.singleElement)
    add("single_element");
  if (type.equals)
    add("= " + text(*type.equals));
  for (NativeIndex id : type.native)
    add(m_.native(id).name);
  return out.empty() ? "tensor" : out;
}

std::string Dumper::attr(const AttrMatch &attr) const {
  std::string index;
  for (int i : attr.index)
    index += (index.empty() ? "" : "|") + (i < 0 ? std::string("-") : std::to_string(i));
  std::string out = fmt::format("attr {} {}: ", index, attr.name);
  switch (attr.kind) {
  case AttrMatchKind::Var:
    return out + use(attr.var);
  case AttrMatchKind::Equal:
    return out + "= " + text(*attr.value);
  case AttrMatchKind::OneOf: {
    for (const Expr &choice : attr.choices)
      out += (&choice == &attr.choices[0] ? "= " : " | ") + text(choice);
    return out;
  }
  case AttrMatchKind::Default:
    return out + "default";
  case AttrMatchKind::Absent:
    return out + "absent";
  case AttrMatchKind::Ignored:
    return out + "any";
  case AttrMatchKind::List:
    break;
  }
  std::string list;
  auto add = [&](const std::string &item) { list += (list.empty() ? "" : ", ") + item; };
  for (size_t i = 0; i <= attr.elements.size(); ++i) {
    if (attr.hasRest && attr.restAt == i)
      add(use(attr.rest) + "...");
    if (i == attr.elements.size())
      break;
    const AttrMatch::Element &element = attr.elements[i];
    add(element.value ? "= " + text(*element.value) : element.var ? use(element.var) : "_");
  }
  return out + "[" + list + "]";
}

void Dumper::match(std::string_view role, const Match &m) {
  std::string head;
  switch (m.kind) {
  case MatchKind::Any:
    head = "any";
    break;
  case MatchKind::Op:
    head = fmt::format("op{} {}", m.optional ? "?" : "", ops(m.ops));
    if (m.result)
      head += fmt::format(", result {}", m.result);
    break;
  case MatchKind::Chain:
    head = fmt::format("chain{} {}", m.atLeastOne ? "+" : "*", ops(m.ops));
    break;
  case MatchKind::Const:
    head = "const";
    break;
  case MatchKind::Splat:
    head = "splat " + (m.literal ? "= " + text(*m.literal) : m.splatVar ? use(m.splatVar) : "_");
    break;
  case MatchKind::Alternatives:
    head = "alternatives";
    break;
  }
  if (m.single)
    head += ", single";
  if (m.op)
    head += ", op " + use(m.op);
  if (m.value)
    head += ", " + use(m.value);
  for (const TypeMatch &t : m.types)
    head += ", type " + type(t);
  if (m.commutative)
    head += m.ifCommutative ? ", either order if commutative" : ", commutative";
  if (m.ignoreOperands)
    head += ", more operands";
  if (m.ignoreAttrs)
    head += ", more attributes";
  line("{}{}", role, head);
  Level level(depth_);
  for (size_t i = 0; i < m.operands.size(); ++i) {
    const OperandMatch &operand = m.operands[i];
    switch (operand.kind) {
    case OperandMatchKind::One:
      match(fmt::format("operand {}: ", i), operand.elements[0]);
      break;
    case OperandMatchKind::Maybe:
      match(fmt::format("operand {}, if it is there: ", i), operand.elements[0]);
      break;
    case OperandMatchKind::Absent:
      line("operand {}: absent", i);
      break;
    case OperandMatchKind::Ignored:
      line("operand {}: ignored", i);
      break;
    case OperandMatchKind::List: {
      line("operand {}: list", i);
      Level inner(depth_);
      for (size_t j = 0; j <= operand.elements.size(); ++j) {
        if (operand.hasRest && operand.restAt == j)
          line("rest {}", operand.rest ? use(operand.rest) : "_");
        if (j < operand.elements.size())
          match("", operand.elements[j]);
      }
      break;
    }
    }
  }
  for (const AttrMatch &a : m.attrs)
    line("{}", attr(a));
  for (const RegionMatch &region : m.regions)
    inside(region);
  for (const Match &child : m.children)
    match(m.each ? "each operand: " : m.kind == MatchKind::Chain ? "end: " : "", child);
  for (const Match &side : m.side)
    match("other operands: ", side);
  conditions(m.after, "then");
}

void Dumper::inside(const RegionMatch &region) {
  std::string index;
  for (int i : region.index)
    index += (index.empty() ? "" : "|") + std::to_string(i);
  line("region {}: {}", index, use(region.var));
  if (!region.looksInside)
    return;
  Level level(depth_);
  for (const OperandMatch *list : {&region.params, &region.results}) {
    std::string_view what = list == &region.params ? "param" : "result";
    for (size_t j = 0; j <= list->elements.size(); ++j) {
      if (list->hasRest && list->restAt == j)
        line("{} rest {}", what, list->rest ? use(list->rest) : "_");
      if (j < list->elements.size())
        match(fmt::format("{} ", what), list->elements[j]);
    }
  }
}

void Dumper::conditions(const std::vector<Condition> &list, std::string_view word) {
  for (const Condition &condition : list) {
    switch (condition.kind) {
    case ConditionKind::Test:
      line("{} {}", word, text(condition.expr));
      break;
    case ConditionKind::Let:
      line("{} let {} = {}", word, body_->var(condition.var).name, text(condition.expr));
      break;
    case ConditionKind::Is:
      match(fmt::format("{} {} is ", word, text(condition.expr)), *condition.match);
      break;
    }
  }
}

void Dumper::vars() {
  static constexpr std::string_view kKinds[] = {"param", "operand", "attr",  "let",  "loop",  "value",
                                                "op",    "chain",   "bound", "side", "region"};
  for (size_t i = 0; i < body_->vars.size(); ++i) {
    const Var &var = body_->vars[i];
    std::string more;
    if (var.kind == VarKind::Op || var.kind == VarKind::Chain)
      more = " " + ops(var.ops);
    if (var.optional)
      more += ", optional";
    if (var.perOperand)
      more += ", per operand";
    if (var.localTo)
      more += fmt::format(", local to each {}", var.localTo);
    if (var.mayBeUnbound)
      more += ", may be unbound";
    line("var {} {}: {} {}{}", i, var.name, kKinds[unsigned(var.kind)], toString(var.type), more);
  }
}

void Dumper::op(const Op &op) {
  body_ = &op.body;
  std::string versions;
  if (op.since || op.until)
    versions = fmt::format(" versions {}..{}", op.since, op.until ? std::to_string(*op.until) : "");
  line("op {} {}{}", at(op.nameRange), op.fullName(), versions);
  Level level(depth_);
  doc(op);
  for (size_t i = 0; i < op.operands.size(); ++i)
    line("operand {} {}: {}{}", i, op.operands[i].name, op.operands[i].type ? type(*op.operands[i].type) : "tensor",
         aritySuffix(op.operands[i].arity));
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const OpAttrDecl &attr = op.attrs[i];
    line("attr {} {}: {}{}{}", i, attr.name, attr.spelling(), attr.optional ? "?" : "",
         attr.defaultValue ? " = " + text(*attr.defaultValue) : "");
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    line("result {}{}{}: {}{}", i, op.results[i].name.empty() ? "" : " ", op.results[i].name,
         i < op.types.size() ? text(op.types[i]) : "not stated",
         op.results[i].optional ? "?" : aritySuffix(op.results[i].arity));
  if (op.traits)
    line("traits {}", traitsToString(op.traits));
  for (const std::string &region : op.regions)
    line("region {}", region);
  for (const Require &require : op.requires_) {
    line("require {}", text(require.condition));
    std::string message;
    for (const MessagePiece &piece : require.message)
      message += piece.value ? "{" + text(*piece.value) + "}" : piece.text;
    Level inner(depth_);
    if (!require.message.empty())
      line("message {:?}", message);
  }
  for (const FoldRule &fold : op.folds)
    line("fold {}{}", text(fold.value), fold.condition ? " if " + text(*fold.condition) : "");
  for (PatternIndex id : op.canonicalize)
    line("canonicalize {}", m_.pattern(id).name);
}

void Dumper::fn(const Fn &fn) {
  body_ = &fn.body;
  std::string params;
  for (VarId id : fn.params)
    params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", fn.body.var(id).name, toString(fn.body.var(id).type));
  line("fn {} {}({}) -> {}", at(fn.nameRange), fn.name, params, toString(fn.result));
  Level level(depth_);
  doc(fn);
  line("= {}", text(fn.value));
}

void Dumper::native(const Native &native) {
  std::string params, results;
  for (size_t i = 0; i < native.params.size(); ++i)
    params += fmt::format("{}{}: {}", i ? ", " : "", native.paramNames[i], toString(native.params[i]));
  for (const Type &type : native.results)
    results += (results.empty() ? " -> " : ", ") + toString(type);
  line("{}{} {} {}({}){}", native.isExtern ? "extern " : "", native.isConstraint ? "constraint" : "rewrite",
       at(native.nameRange), native.name, params, results);
  Level level(depth_);
  doc(native);
  if (!native.isExtern)
    line("code {:?}", native.code);
}

void Dumper::action(const Action &action) {
  std::string names, values;
  for (VarId id : action.vars)
    names += (names.empty() ? "" : ", ") + body_->var(id).name;
  for (const Expr &value : action.values)
    values += (values.empty() ? "" : ", ") + text(value);
  std::string op = action.op ? body_->var(action.op).name : "root";
  switch (action.kind) {
  case ActionKind::Let:
    line("let {} = {}", names, values);
    break;
  case ActionKind::Where:
    line("where {}", values);
    break;
  case ActionKind::Replace:
    line("replace {} with {}", op, values);
    break;
  case ActionKind::Erase:
    line("erase {}", op);
    break;
  case ActionKind::Update: {
    line("update {}", op);
    Level level(depth_);
    for (const BuildAttr &attr : action.attrs)
      line("attr {} {} = {}", attr.index, attr.name, text(attr.value));
    break;
  }
  }
}

void Dumper::pattern(const Pattern &p) {
  body_ = &p.body;
  line("pattern {} {} benefit {}{}{}{}", at(p.nameRange), p.name, p.benefit,
       p.fastmath.all() ? " fastmath"
       : p.fastmath     ? " fastmath(" + p.fastmath.list() + ")"
                        : "",
       p.recursive ? " recursive" : "", p.assumeSameType ? " assume_same_type" : "");
  Level level(depth_);
  doc(p);
  for (const std::string &label : p.labels)
    line("label {:?}", label);
  vars();
  for (const Match &root : p.roots)
    match("root: ", root);
  conditions(p.conditions, "where");
  for (size_t i = 0; i < p.body.tests.size(); ++i)
    match(fmt::format("test {}: ", i), p.body.tests[i]);
  for (const Action &a : p.actions)
    action(a);
}

void Dumper::matcher(const Matcher &m) {
  body_ = &m.body;
  line("match {} {}{}", at(m.nameRange), m.name, m.namesOp ? ", an op" : "");
  Level level(depth_);
  doc(m);
  static constexpr std::string_view kRoles[] = {"bound", "bound by some", "given"};
  for (const Matcher::Param &p : m.params)
    line("param {}: {}, {}", p.name, kRoles[unsigned(p.role)], p.var ? toString(body_->var(p.var).type) : "?");
  vars();
  match("", m.match);
  for (size_t i = 0; i < m.body.tests.size(); ++i)
    match(fmt::format("test {}: ", i), m.body.tests[i]);
}

void Dumper::rewrite(const NamedRewrite &r) {
  body_ = &r.body;
  std::string params, results;
  for (VarId id : r.params)
    params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", r.body.var(id).name, toString(r.body.var(id).type));
  for (const Type &type : r.results)
    results += (results.empty() ? "" : ", ") + toString(type);
  line("rewrite {} {}({}) -> {}", at(r.nameRange), r.name, params, results);
  Level level(depth_);
  doc(r);
  for (const auto &[var, value] : r.lets)
    line("let {} = {}", body_->var(var).name, text(value));
  for (const Expr &value : r.values)
    line("= {}", text(value));
}

void Dumper::group(const Group &g) {
  OpSet all;
  all.ops = g.ops;
  line("{} {} {}: {}", g.isTrait ? "trait" : "set", at(g.nameRange), g.name, ops(all));
  Level level(depth_);
  doc(g);
}

void Dumper::pass(const Pass &pass) {
  line("{} {} {}{}", pass.conversion ? "conversion" : "pass", at(pass.nameRange), pass.name,
       pass.maxIterations ? fmt::format(" max_iterations {}", *pass.maxIterations) : "");
  Level level(depth_);
  doc(pass);
  for (const Pass::Member &member : pass.members) {
    if (member.pattern)
      line("pattern {}", m_.pattern(member.pattern).name);
    else
      line("label {:?}", member.label);
  }
  if (!pass.conversion)
    return;
  const Conversion &c = *pass.conversion;
  line("from {}", fmt::join(c.from, ", "));
  line("to {}{}", fmt::join(c.to, ", "),
       c.version ? fmt::format(" {}..{}", *c.version, c.last.value_or(*c.version)) : "");
  if (!c.legal.empty())
    line("legal {}", fmt::join(c.legal, ", "));
  for (const Conversion::Refused &r : c.refused)
    line("refuse {} {:?}", r.type, r.reason);
  if (c.keepsFunctions)
    line("functions keep");
}

void Dumper::test(const Test &test) {
  body_ = &test.body;
  line("test {} {}", at(test.nameRange), test.name);
  Level level(depth_);
  for (const std::string &symbol : test.symbols)
    line("symbol {}", symbol);
  for (const Test::Param &param : test.params)
    line("param {}: {}", body_->var(param.var).name, text(param.type));
  auto side = [&](std::string_view which, const Test::Side &given) {
    for (const Test::Let &let : given.lets)
      line("{} let {} = {}", which, body_->var(let.var).name, text(let.value));
    for (const Expr &e : given.values)
      line("{} {}", which, text(e));
  };
  side("before", test.before);
  side("after", test.after);
  if (test.unchanged)
    line("unchanged");
}

void Dumper::run() {
  for (const File &file : m_.files)
    for (uint32_t import : file.imports)
      if (&file == &m_.files[0])
        line("import {}", m_.files[import].path);
  auto each = [&](const auto &list, auto print) {
    for (const auto &decl : list)
      if (!decl.imported)
        (this->*print)(decl);
  };
  each(m_.ops, &Dumper::op);
  each(m_.fns, &Dumper::fn);
  each(m_.natives, &Dumper::native);
  each(m_.groups, &Dumper::group);
  each(m_.matchers, &Dumper::matcher);
  each(m_.rewrites, &Dumper::rewrite);
  each(m_.patterns, &Dumper::pattern); // and what ops mean
  each(m_.passes, &Dumper::pass);
  for (const Pipeline &pipeline : m_.pipelines)
    if (!pipeline.imported)
      line("pipeline {} {} = {}", at(pipeline.nameRange), pipeline.name, pipeline.text);
  each(m_.tests, &Dumper::test);
  for (const Expectation &expectation : m_.expectations)
    for (const Expectation::Of &of : expectation.patterns)
      line("expect {} {} {}", at(of.range), expectation.verdict, m_.pattern(of.pattern).name);
}

void dump(const Module &module, const SourceManager &sources, std::string &out) { Dumper(module, sources, out).run(); }

} // namespace rw::sema
