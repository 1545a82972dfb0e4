#include "editor/server/names.h"

#include "frontend/sema/builtins.h"

#include <algorithm>

namespace rw::editor {

NameKind kindOf(const ast::Decl &decl) {
  switch (decl.kind) {
  case ast::DeclKind::Dialect:
    return NameKind::Dialect;
  case ast::DeclKind::Import:
    return NameKind::Import;
  case ast::DeclKind::Op:
    return NameKind::Op;
  case ast::DeclKind::Fn:
    return NameKind::Fn;
  case ast::DeclKind::Pattern:
  case ast::DeclKind::Test:
  case ast::DeclKind::Expect:
    return NameKind::Pattern;
  case ast::DeclKind::Matcher:
    return NameKind::Matcher;
  case ast::DeclKind::Group:
    return NameKind::Group;
  case ast::DeclKind::Native:
    return NameKind::Native;
  case ast::DeclKind::Rewrite:
    return NameKind::Rewrite;
  case ast::DeclKind::Pass:
  case ast::DeclKind::Conversion:
    return NameKind::Pass;
  case ast::DeclKind::Pipeline:
    return NameKind::Pipeline;
  }
  return NameKind::Variable;
}

std::vector<uint32_t> opsNamed(const Analysis &a, std::string_view dialect, std::string_view name) {
  std::vector<uint32_t> out, own;
  auto [begin, end] = a.byName.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    const Declared &declared = a.declared[it->second];
    if (declared.decl->kind != ast::DeclKind::Op || (!dialect.empty() && declared.dialect != dialect))
      continue;
    out.push_back(it->second);
    if (declared.file == 0)
      own.push_back(it->second);
  }
  if (dialect.empty() && !own.empty()) // what the file declares itself is meant first
    std::erase_if(out, [&](uint32_t i) { return a.declared[i].dialect != a.declared[own.front()].dialect; });
  return out;
}

SourceRange placeOf(const Declared &declared) {
  return declared.decl->name.range ? declared.decl->name.range : declared.decl->range;
}

std::string headOf(const Analysis &a, const Declared &declared) {
  const ast::Decl &decl = *declared.decl;
  const std::string_view text = a.written(decl.range);
  size_t end = text.size();
  int depth = 0;
  const bool toAssign =
      decl.kind == ast::DeclKind::Fn || decl.kind == ast::DeclKind::Rewrite || decl.kind == ast::DeclKind::Matcher;
  for (const Word &word : words(text)) {
    const std::string_view sign = text.substr(word.begin, word.end - word.begin);
    if (word.kind == Word::Kind::Native ||
        (word.kind == Word::Kind::Sign && depth == 0 && (sign == "{" || sign == ";" || (toAssign && sign == "=")))) {
      end = word.begin;
      break;
    }
    if (word.kind == Word::Kind::Sign)
      depth += (sign == "(" || sign == "[") - (sign == ")" || sign == "]");
  }
  if (decl.kind == ast::DeclKind::Pipeline || decl.kind == ast::DeclKind::Group)
    end = text.size();
  std::string_view head = text.substr(0, end);
  while (!head.empty() && (head.back() == ' ' || head.back() == '\n' || head.back() == '\r'))
    head.remove_suffix(1);
  return std::string(head);
}

namespace {

class NameWalker {
public:
  explicit NameWalker(const Analysis &a) : a_(a) {}
  std::vector<Occurrence> walk();

private:
  struct Local {
    std::string name;
    SourceRange at;
    NameKind kind;
    std::vector<uint32_t> ops; // of a variable that names an op
  };

  void add(SourceRange range, NameKind kind, std::string key, bool declares = false,
           std::vector<uint32_t> declared = {}, SourceRange binding = {}) {
    if (range && range.end > range.begin && a_.isInRoot(range))
      out_.push_back({range, kind, declares, std::move(key), std::move(declared), binding});
  }
  std::string localKey(SourceRange at) const { return a_.files[0].path + "@" + std::to_string(a_.offset(at.begin)); }
  std::string keyOf(uint32_t declared) const;

  Local *find(std::string_view name) {
    for (auto it = locals_.rbegin(); it != locals_.rend(); ++it)
      if (it->name == name)
        return &*it;
    return nullptr;
  }
  void declare(const ast::Name &name, NameKind kind, std::vector<uint32_t> ops = {}) {
    if (!name)
      return;
    locals_.push_back({name.text, name.range, kind, std::move(ops)});
    add(name.range, kind, localKey(name.range), true, {}, name.range);
  }
  bool useLocal(const ast::Name &name) {
    const Local *local = find(name.text);
    if (local)
      add(name.range, local->kind, localKey(local->at), local->at.begin == name.range.begin, {}, local->at);
    return local;
  }
  /// On a left side: the first use of a name binds it.
  void bind(const ast::Name &name, std::vector<uint32_t> ops = {}) {
    if (name && !useLocal(name))
      declare(name, NameKind::Variable, std::move(ops));
  }
  std::vector<uint32_t> global(std::string_view name, std::initializer_list<ast::DeclKind> kinds) const;
  bool useGlobal(SourceRange, std::string_view name, std::initializer_list<ast::DeclKind> kinds);
  std::vector<uint32_t> useCallee(const ast::QualifiedName &);
  void usePart(const ast::Name &, const std::vector<uint32_t> &ops);
  void useRunnable(const ast::QualifiedName &);

  void decl(const ast::Decl &, std::string_view dialect);
  void op(const ast::OpDecl &, std::string_view dialect);
  void pattern(const ast::PatternDecl &, bool meaning);
  void forClause(const std::vector<ast::Name> &, const std::vector<ast::ForEntry> &, const ast::Name &set);
  void params(const std::vector<ast::Param> &, NameKind);
  void statements(const std::vector<ast::StmtPtr> &);
  void conditions(const std::vector<ast::Condition> &);
  void stages(const std::vector<ast::Stage> &);
  void type(const ast::TypeExpr *, bool binds);
  void expr(const ast::Expr *);
  void comprehension(const ast::ComprehensionExpr &);
  void args(const std::vector<ast::CallArg> &, const std::vector<uint32_t> &ops);
  void match(const ast::Match *, const ast::Name *bound = nullptr);

  const Analysis &a_;
  std::vector<Occurrence> out_;
  std::vector<Local> locals_;
};

std::string NameWalker::keyOf(uint32_t index) const {
  const Declared &declared = a_.declared[index];
  if (declared.decl->kind == ast::DeclKind::Op)
    return "op " + declared.fullName();
  return a_.files[declared.file].path + " " + std::string(ast::declKindName(declared.decl->kind)) + " " + declared.name;
}

std::vector<uint32_t> NameWalker::global(std::string_view name, std::initializer_list<ast::DeclKind> kinds) const {
  std::vector<uint32_t> out;
  auto [begin, end] = a_.byName.equal_range(name);
  for (auto it = begin; it != end; ++it)
    if (std::ranges::find(kinds, a_.declared[it->second].decl->kind) != kinds.end())
      out.push_back(it->second);
  // One's own hides those of imports.
  if (std::ranges::any_of(out, [&](uint32_t i) { return a_.declared[i].file == 0; }))
    std::erase_if(out, [&](uint32_t i) { return a_.declared[i].file != 0; });
  return out;
}

bool NameWalker::useGlobal(SourceRange range, std::string_view name, std::initializer_list<ast::DeclKind> kinds) {
  std::vector<uint32_t> found = global(name, kinds);
  if (found.empty())
    return false;
  const NameKind kind = kindOf(*a_.declared[found.front()].decl);
  std::string key = keyOf(found.front());
  add(range, kind, std::move(key), false, std::move(found));
  return true;
}

/// What stands in front of parentheses; the ops that it can be.
std::vector<uint32_t> NameWalker::useCallee(const ast::QualifiedName &name) {
  using enum ast::DeclKind;
  if (!name.dialect) {
    if (const Local *local = find(name.name.text)) {
      useLocal(name.name);
      return local->ops;
    }
    if (useGlobal(name.name.range, name.name.text, {Fn, Native, Matcher, Rewrite, Group}))
      return {};
  } else if (const Local *local = find(name.dialect.text)) { // x.relu()
    useLocal(name.dialect);
    if (!local->ops.empty()) {
      usePart(name.name, local->ops);
      return {};
    }
    if (useGlobal(name.name.range, name.name.text, {Fn, Native, Rewrite}))
      return {};
  } else {
    add(name.dialect.range, NameKind::Dialect, "dialect " + name.dialect.text);
  }
  std::vector<uint32_t> ops =
      opsNamed(a_, name.dialect && !find(name.dialect.text) ? name.dialect.text : std::string(), name.name.text);
  if (!ops.empty()) {
    add(name.name.range, NameKind::Op, keyOf(ops.front()), false, ops);
    return ops;
  }
  static constexpr std::string_view kTraits[] = {"pure", "elementwise", "commutative", "constant", "moves_elements"};
  if (std::ranges::find(kTraits, name.name.text) != std::end(kTraits))
    add(name.name.range, NameKind::Trait, "trait " + name.name.text);
  else if (std::ranges::find(sema::builtins(), std::string_view(name.name.text), &sema::BuiltinInfo::name) !=
           sema::builtins().end())
    add(name.name.range, NameKind::Builtin, "builtin " + name.name.text);
  return {};
}

void NameWalker::usePart(const ast::Name &name, const std::vector<uint32_t> &ops) {
  std::vector<uint32_t> having;
  NameKind kind = NameKind::Attribute;
  for (uint32_t i : ops) {
    const auto *op = a_.declared[i].decl->as<ast::OpDecl>();
    if (!op)
      continue;
    auto named = [&](const auto &part) { return part.name.text == name.text; };
    auto standsFor = [&](const ast::Param &part) {
      return part.standsFor.type && part.standsFor.name.text == name.text;
    };
    const bool attr = std::ranges::any_of(op->attrs, named), operand = std::ranges::any_of(op->operands, named);
    const bool result = std::ranges::any_of(op->results, named),
               region = std::ranges::find(op->regions, name.text, &ast::Name::text) != op->regions.end();
    if (attr || operand || result || region || std::ranges::any_of(op->operands, standsFor)) {
      if (having.empty())
        kind = attr      ? NameKind::Attribute
               : operand ? NameKind::Operand
               : result  ? NameKind::Result
               : region  ? NameKind::Region
                         : NameKind::Attribute;
      having.push_back(i);
    }
  }
  if (!having.empty()) {
    std::string key = keyOf(having.front()) + "." + name.text;
    add(name.range, kind, std::move(key), false, std::move(having));
  }
}

/// A pattern, pass or pipeline, perhaps with its file in front.
void NameWalker::useRunnable(const ast::QualifiedName &name) {
  using enum ast::DeclKind;
  std::string text = name.spelling();
  SourceRange range = name.range ? name.range : name.name.range;
  if (size_t scope = text.rfind("::"); scope != std::string::npos)
    text.erase(0, scope + 2);
  if (range && range.end.raw - range.begin.raw > text.size())
    range.begin = Loc{uint32_t(range.end.raw - text.size())};
  useGlobal(range, text, {Pattern, Pass, Pipeline, Conversion});
}

void NameWalker::type(const ast::TypeExpr *t, bool binds) {
  if (!t)
    return;
  if (const auto *list = t->as<ast::ListType>())
    return type(list->element.get(), binds);
  if (const auto *tuple = t->as<ast::TupleType>()) {
    for (const ast::TypePtr &element : tuple->elements)
      type(element.get(), binds);
    return;
  }
  const auto &named = t->get<ast::NamedType>();
  const std::string &word = named.name.name.text;
  if (named.name.dialect) {
    useLocal(named.name.dialect);
    add(named.name.name.range, NameKind::Property, "property " + word);
  } else if (!useLocal(named.name.name)) {
    if (sema::isDTypeName(word))
      add(named.name.name.range, NameKind::DType, "dtype " + word);
    else if (!useGlobal(named.name.name.range, word,
                        {ast::DeclKind::Native, ast::DeclKind::Matcher, ast::DeclKind::Fn}) &&
             std::ranges::find(sema::builtins(), std::string_view(word), &sema::BuiltinInfo::name) !=
                 sema::builtins().end())
      add(named.name.name.range, NameKind::Builtin, "builtin " + word);
  }
  for (const ast::TypeDim &dim : named.dims) {
    if (const auto *name = dim.value ? dim.value->as<ast::NameExpr>() : nullptr; name && binds)
      bind(name->name);
    else
      expr(dim.value.get());
    if (dim.name && binds)
      bind(dim.name);
    else if (dim.name)
      useLocal(dim.name);
  }
}

void NameWalker::args(const std::vector<ast::CallArg> &list, const std::vector<uint32_t> &ops) {
  for (const ast::CallArg &arg : list) {
    const size_t before = locals_.size();
    if (arg.form == ast::CallArg::Form::Side)
      declare(arg.name, NameKind::Variable);
    else if (arg.name)
      usePart(arg.name, ops);
    expr(arg.value.get());
    locals_.resize(before);
  }
}

void NameWalker::comprehension(const ast::ComprehensionExpr &e) {
  const size_t before = locals_.size();
  for (const auto &source : e.sources) {
    expr(source.list.get());
    for (const ast::Name &name : source.names)
      declare(name, NameKind::Variable);
  }
  expr(e.element.get());
  expr(e.filter.get());
  locals_.resize(before);
}

void NameWalker::expr(const ast::Expr *e) {
  using enum ast::ExprKind;
  if (!e)
    return;
  const size_t before = locals_.size();
  switch (e->kind) {
  case Int:
  case Float:
  case Bool:
  case String:
    break;
  case Name: {
    const ast::Name &name = e->get<ast::NameExpr>().name;
    if (useLocal(name))
      break;
    if (sema::isDTypeName(name.text))
      add(name.range, NameKind::DType, "dtype " + name.text);
    else if (!useGlobal(name.range, name.text,
                        {ast::DeclKind::Fn, ast::DeclKind::Native, ast::DeclKind::Group, ast::DeclKind::Matcher,
                         ast::DeclKind::Rewrite}))
      if (std::vector<uint32_t> ops = opsNamed(a_, {}, name.text); !ops.empty()) {
        std::string key = keyOf(ops.front());
        add(name.range, NameKind::Op, std::move(key), false, std::move(ops));
      }
    break;
  }
  case Member: {
    const auto &member = e->get<ast::MemberExpr>();
    const auto *head = member.object->as<ast::NameExpr>();
    const Local *local = head ? find(head->name.text) : nullptr;
    if (head && !local && std::ranges::binary_search(a_.dialects, head->name.text)) {
      useCallee({head->name, member.member, e->range});
      break;
    }
    expr(member.object.get());
    const size_t known = out_.size();
    if (local && !local->ops.empty())
      usePart(member.member, local->ops);
    if (out_.size() == known)
      add(member.member.range, NameKind::Property, "property " + member.member.text);
    break;
  }
  case Index: {
    const auto &index = e->get<ast::IndexExpr>();
    expr(index.object.get());
    const auto *head = index.object->as<ast::NameExpr>();
    const bool isType = head && sema::isDTypeName(head->name.text);
    for (const ast::IndexArg &arg : index.args) {
      if (const auto *name = isType && arg.begin ? arg.begin->as<ast::NameExpr>() : nullptr;
          name && !find(name->name.text)) {
        declare(name->name, NameKind::Variable); // a symbol in a type
        continue;
      }
      expr(arg.begin.get());
      expr(arg.end.get());
    }
    if (isType)
      return; // symbols are seen by what follows
    break;
  }
  case Call: {
    const auto &call = e->get<ast::CallExpr>();
    std::vector<uint32_t> ops;
    if (call.target)
      expr(call.target.get());
    else
      ops = useCallee(call.callee);
    args(call.args, ops);
    type(call.statedType.get(), false);
    break;
  }
  case List:
    for (const ast::ExprPtr &element : e->get<ast::ListExpr>().elements)
      expr(element.get());
    break;
  case Tuple:
    for (const ast::ExprPtr &element : e->get<ast::TupleExpr>().elements)
      expr(element.get());
    break;
  case Unary:
    expr(e->get<ast::UnaryExpr>().operand.get());
    break;
  case Binary:
    expr(e->get<ast::BinaryExpr>().lhs.get());
    expr(e->get<ast::BinaryExpr>().rhs.get());
    return; // what `is` binds on the left of `and` is seen on the right, and behind
  case If:
    expr(e->get<ast::IfExpr>().condition.get());
    expr(e->get<ast::IfExpr>().thenValue.get());
    expr(e->get<ast::IfExpr>().elseValue.get());
    break;
  case Let: {
    const auto &let = e->get<ast::LetExpr>();
    expr(let.value.get());
    for (const ast::Name &name : let.names)
      declare(name, NameKind::Variable);
    expr(let.body.get());
    break;
  }
  case Range:
    expr(e->get<ast::RangeExpr>().begin.get());
    expr(e->get<ast::RangeExpr>().end.get());
    break;
  case Comprehension:
    comprehension(e->get<ast::ComprehensionExpr>());
    break;
  case Is:
    expr(e->get<ast::IsExpr>().value.get());
    match(e->get<ast::IsExpr>().match.get());
    return;
  case Region: {
    const auto &region = e->get<ast::RegionExpr>();
    for (const auto &param : region.params) {
      type(param.type.get(), false);
      declare(param.name, NameKind::Param);
    }
    expr(region.result.get());
    break;
  }
  }
  locals_.resize(before);
}

void NameWalker::match(const ast::Match *m, const ast::Name *bound) {
  using enum ast::MatchKind;
  if (!m)
    return;
  switch (m->kind) {
  case Any:
    break;
  case Name:
    bind(m->get<ast::NameMatch>().name);
    break;
  case Bind: {
    const auto &b = m->get<ast::BindMatch>();
    if (b.inner && b.inner->kind == Op) // named once its ops are known
      return match(b.inner.get(), &b.name);
    bind(b.name);
    match(b.inner.get());
    break;
  }
  case Type:
    type(m->get<ast::TypeMatch>().type.get(), true);
    break;
  case Literal:
    break;
  case List:
    for (const ast::MatchPtr &element : m->get<ast::ListMatch>().elements)
      match(element.get());
    break;
  case Const:
    match(m->get<ast::ConstMatch>().inner.get());
    break;
  case Splat:
    match(m->get<ast::SplatMatch>().inner.get());
    break;
  case Op: {
    const auto &op = m->get<ast::OpMatch>();
    std::vector<uint32_t> ops;
    if (bound && *bound) { // in the order of the text
      const size_t mark = out_.size();
      for (const ast::QualifiedName &head : op.heads)
        std::ranges::copy(useCallee(head), std::back_inserter(ops));
      out_.resize(mark);
      bind(*bound, ops);
    }
    ops.clear();
    for (const ast::QualifiedName &head : op.heads)
      std::ranges::copy(useCallee(head), std::back_inserter(ops));
    for (const ast::MatchArg &arg : op.args) {
      if (arg.attr)
        usePart(arg.attr, ops);
      match(arg.match.get());
    }
    if (op.result)
      usePart(op.result, ops);
    break;
  }
  case Alternatives:
    for (const ast::MatchPtr &alternative : m->get<ast::AlternativesMatch>().alternatives)
      match(alternative.get());
    break;
  case Each:
    match(m->get<ast::EachMatch>().inner.get());
    break;
  case Single:
    match(m->get<ast::SingleMatch>().inner.get());
    break;
  case Rest:
    bind(m->get<ast::RestMatch>().name);
    break;
  case Optional:
    match(m->get<ast::OptionalMatch>().inner.get());
    break;
  case Region: {
    const auto &region = m->get<ast::RegionMatch>();
    for (const ast::MatchPtr &param : region.params)
      match(param.get());
    for (const ast::MatchPtr &result : region.results)
      match(result.get());
    break;
  }
  }
}

void NameWalker::params(const std::vector<ast::Param> &list, NameKind kind) {
  for (const ast::Param &param : list) {
    declare(param.name, kind);
    type(param.type.get(), true);
  }
}

void NameWalker::conditions(const std::vector<ast::Condition> &list) {
  for (const ast::Condition &condition : list) {
    expr(condition.value.get());
    for (const ast::Name &name : condition.letNames)
      bind(name);
  }
}

void NameWalker::statements(const std::vector<ast::StmtPtr> &list) {
  for (const ast::StmtPtr &stmt : list) {
    if (const auto *let = stmt->as<ast::LetStmt>()) {
      expr(let->value.get());
      // What is built is an op of which parts can be asked.
      std::vector<uint32_t> ops;
      const auto *call = let->value ? let->value->as<ast::CallExpr>() : nullptr;
      if (call && !call->target && let->names.size() == 1)
        ops = opsNamed(a_, call->callee.dialect.text, call->callee.name.text);
      for (const ast::Name &name : let->names)
        declare(name, NameKind::Variable, ops);
    } else if (const auto *replace = stmt->as<ast::ReplaceStmt>()) {
      useLocal(replace->target);
      expr(replace->value.get());
    } else if (const auto *update = stmt->as<ast::UpdateStmt>()) {
      const Local *local = find(update->target.text);
      const std::vector<uint32_t> ops = local ? local->ops : std::vector<uint32_t>();
      useLocal(update->target);
      args(update->attrs, ops);
    } else if (const auto *erase = stmt->as<ast::EraseStmt>()) {
      useLocal(erase->target);
    } else if (const auto *result = stmt->as<ast::ResultStmt>()) {
      expr(result->value.get());
    }
  }
}

void NameWalker::forClause(const std::vector<ast::Name> &names, const std::vector<ast::ForEntry> &entries,
                           const ast::Name &set) {
  for (const ast::ForEntry &entry : entries)
    for (const ast::ExprPtr &value : entry.values)
      expr(value.get());
  if (set)
    useGlobal(set.range, set.text, {ast::DeclKind::Group});
  for (size_t i = 0; i < names.size(); ++i) {
    // The parts of a name that stands for one of several ops are those of all of them.
    std::vector<uint32_t> ops;
    for (const ast::ForEntry &entry : entries) {
      const ast::Expr *value = i < entry.values.size() ? entry.values[i].get() : nullptr;
      if (const auto *name = value ? value->as<ast::NameExpr>() : nullptr)
        std::ranges::copy(opsNamed(a_, {}, name->name.text), std::back_inserter(ops));
      else if (const auto *member = value ? value->as<ast::MemberExpr>() : nullptr)
        if (const auto *dialect = member->object->as<ast::NameExpr>())
          std::ranges::copy(opsNamed(a_, dialect->name.text, member->member.text), std::back_inserter(ops));
    }
    declare(names[i], NameKind::Param, std::move(ops));
  }
}

void NameWalker::pattern(const ast::PatternDecl &p, bool meaning) {
  for (const ast::ForClause &clause : p.templates)
    forClause(clause.names, clause.entries, clause.set);
  if (!meaning) {
    uint32_t index = UINT32_MAX;
    for (auto [it, end] = a_.byName.equal_range(p.name.text); it != end; ++it)
      if (a_.declared[it->second].decl == &p)
        index = it->second;
    if (index != UINT32_MAX)
      add(p.name.range, NameKind::Pattern, keyOf(index), true, {index});
    for (const ast::NamePart &part : p.nameParts)
      if (part.splice)
        useLocal(part.name);
    for (const ast::MatchPtr &root : p.roots)
      match(root.get());
  }
  conditions(p.conditions);
  statements(p.result);
}

void NameWalker::op(const ast::OpDecl &o, std::string_view dialect) {
  const std::string key = "op " + (dialect.empty() ? "" : std::string(dialect) + ".") + o.name.text;
  std::vector<uint32_t> self = opsNamed(a_, dialect, o.name.text);
  add(o.name.range, NameKind::Op, key, true, self);
  // Parts of the op are seen from outside under the op's name.
  auto part = [&](const ast::Name &name, NameKind kind) {
    if (!name)
      return;
    std::vector<uint32_t> having;
    for (uint32_t i : self)
      if (a_.declared[i].decl == &o)
        having.push_back(i);
    add(name.range, kind, key + "." + name.text, true, std::move(having));
    locals_.push_back({name.text, name.range, kind, {}});
  };
  const size_t before = out_.size();
  for (const ast::Param &operand : o.operands) {
    part(operand.name, NameKind::Operand);
    type(operand.type.get(), true);
    if (operand.standsFor.type) {
      expr(operand.standsFor.byDefault.get());
    }
  }
  for (const ast::Param &result : o.results)
    if (result.name)
      part(result.name, NameKind::Result);
  for (const ast::Name &region : o.regions)
    part(region, NameKind::Region);
  for (const ast::AttrDecl &attr : o.attrs) {
    expr(attr.defaultValue.get());
    part(attr.name, NameKind::Attribute);
  }
  for (const ast::Trait &trait : o.traits)
    add(trait.name.range, NameKind::Trait, "trait " + trait.name.text);
  for (const ast::Require &require : o.requires_) {
    const size_t mark = locals_.size();
    expr(require.condition.get());
    for (const ast::MessagePart &piece : require.message)
      expr(piece.value.get());
    locals_.resize(mark);
  }
  for (const ast::ExprPtr &result : o.types) {
    const size_t mark = locals_.size();
    expr(result.get());
    locals_.resize(mark);
  }
  for (const ast::Fold &fold : o.folds) {
    const size_t mark = locals_.size();
    expr(fold.value.get());
    expr(fold.condition.get());
    locals_.resize(mark);
  }
  for (const auto &meaning : o.means) {
    const size_t mark = locals_.size();
    pattern(*meaning, true);
    locals_.resize(mark);
  }
  for (const ast::QualifiedName &name : o.canonicalize)
    useRunnable(name);
  // Inside the op its parts are used as variables: the same thing under the op's name.
  for (size_t i = before; i < out_.size(); ++i) {
    Occurrence &each = out_[i];
    if (!each.binding || (each.kind != NameKind::Operand && each.kind != NameKind::Attribute &&
                          each.kind != NameKind::Result && each.kind != NameKind::Region))
      continue;
    each.key = key + "." + std::string(a_.written(each.range));
    each.binding = {};
    for (uint32_t s : self)
      if (a_.declared[s].decl == &o)
        each.declared = {s};
  }
}

void NameWalker::stages(const std::vector<ast::Stage> &list) {
  for (const ast::Stage &stage : list) {
    if (stage.pass.name)
      useRunnable(stage.pass);
    stages(stage.stages);
  }
}

void NameWalker::decl(const ast::Decl &d, std::string_view dialect) {
  using enum ast::DeclKind;
  locals_.clear();
  uint32_t index = UINT32_MAX;
  for (auto [it, end] = a_.byName.equal_range(d.name.text); it != end; ++it)
    if (a_.declared[it->second].decl == &d)
      index = it->second;
  auto self = [&] {
    if (index != UINT32_MAX)
      add(d.name.range, kindOf(d), keyOf(index), true, {index});
  };
  switch (d.kind) {
  case Dialect:
    add(d.name.range, NameKind::Dialect, "dialect " + d.name.text, true);
    break;
  case Import:
    add(d.name.range, NameKind::Import, "import " + d.name.text);
    break;
  case Op:
    op(d.get<ast::OpDecl>(), dialect);
    break;
  case Fn: {
    const auto &fn = d.get<ast::FnDecl>();
    self();
    params(fn.params, NameKind::Param);
    type(fn.result.get(), false);
    expr(fn.body.get());
    break;
  }
  case Pattern:
    pattern(d.get<ast::PatternDecl>(), false);
    break;
  case Matcher: {
    const auto &matcher = d.get<ast::MatcherDecl>();
    self();
    for (const auto &param : matcher.params) {
      declare(param.name, NameKind::Param);
      type(param.type.get(), false);
    }
    const size_t mark = locals_.size();
    for (const auto &one : matcher.cases) {
      match(one.match.get());
      conditions(one.conditions);
      locals_.resize(mark);
    }
    break;
  }
  case Group: {
    const auto &group = d.get<ast::GroupDecl>();
    if (group.gives)
      useGlobal(group.name.range, group.name.text, {Group});
    else
      self();
    for (const ast::QualifiedName &member : group.members)
      useCallee(member);
    forClause({}, group.tuples, {});
    break;
  }
  case Native:
    self();
    params(d.get<ast::NativeDecl>().params, NameKind::Param);
    params(d.get<ast::NativeDecl>().results, NameKind::Result);
    break;
  case Rewrite:
    self();
    params(d.get<ast::RewriteDecl>().params, NameKind::Param);
    for (const ast::Param &result : d.get<ast::RewriteDecl>().results)
      type(result.type.get(), false);
    statements(d.get<ast::RewriteDecl>().statements);
    break;
  case Pass: {
    const auto &pass = d.get<ast::PassDecl>();
    self();
    for (const auto &member : pass.members)
      if (member.label)
        add(member.name.name.range, NameKind::Label, "label " + member.name.name.text);
      else
        useRunnable(member.name);
    break;
  }
  case Conversion:
    self();
    for (const auto &clause : d.get<ast::ConversionDecl>().clauses)
      for (const auto &item : clause.items) {
        const std::string &word = clause.word.text;
        if (item.label)
          add(item.name.name.range, NameKind::Label, "label " + item.name.name.text);
        else if (word == "from" || word == "to")
          add(item.name.name.range, NameKind::Dialect, "dialect " + item.name.name.text);
        else if (word == "legal")
          useCallee(item.name);
        else if (word == "patterns")
          useRunnable(item.name);
      }
    break;
  case Pipeline:
    self();
    stages(d.get<ast::PipelineDecl>().stages);
    break;
  case Test: {
    const auto &test = d.get<ast::TestDecl>();
    useRunnable({{}, test.name, test.name.range});
    params(test.params, NameKind::Param);
    const size_t mark = locals_.size();
    expr(test.before.get());
    locals_.resize(mark);
    expr(test.after.get());
    break;
  }
  case Expect:
    for (const ast::QualifiedName &pattern : d.get<ast::ExpectDecl>().patterns)
      useRunnable(pattern);
    break;
  }
}

std::vector<Occurrence> NameWalker::walk() {
  std::string dialect;
  for (const ast::DeclPtr &d : a_.tree().decls) {
    if (d->kind == ast::DeclKind::Dialect)
      dialect = d->name.text;
    decl(*d, dialect);
  }
  std::ranges::stable_sort(out_, {}, [](const Occurrence &o) { return o.range.begin; });
  // A type that binds and is looked at twice gives the same name twice.
  auto same = [](const Occurrence &a, const Occurrence &b) {
    return a.range.begin == b.range.begin && a.range.end == b.range.end;
  };
  out_.erase(std::unique(out_.begin(), out_.end(), same), out_.end());
  return std::move(out_);
}

} // namespace

std::vector<Occurrence> namesOf(const Analysis &a) { return NameWalker(a).walk(); }

const Occurrence *nameAt(const Analysis &a, const std::vector<Occurrence> &names, size_t offset) {
  const Occurrence *before = nullptr;
  for (const Occurrence &each : names) {
    const size_t begin = a.offset(each.range.begin), end = begin + (each.range.end.raw - each.range.begin.raw);
    if (begin <= offset && offset < end)
      return &each;
    if (end == offset)
      before = &each;
  }
  return before;
}

std::vector<SourceRange> placesOf(const Analysis &a, const Occurrence &name) {
  std::vector<SourceRange> out;
  if (name.binding)
    return {name.binding};
  const std::string_view part = a.written(name.range);
  for (uint32_t i : name.declared) {
    const Declared &declared = a.declared[i];
    const auto *op = declared.decl->as<ast::OpDecl>();
    if (!op || name.kind == NameKind::Op) {
      out.push_back(placeOf(declared));
      continue;
    }
    auto look = [&](const ast::Name &each) {
      if (each.text == part)
        out.push_back(each.range);
    };
    for (const ast::Param &each : op->operands) {
      look(each.name);
      if (each.standsFor.type)
        look(each.standsFor.name);
    }
    for (const ast::Param &each : op->results)
      look(each.name);
    for (const ast::AttrDecl &each : op->attrs)
      look(each.name);
    for (const ast::Name &each : op->regions)
      look(each);
  }
  return out;
}

} // namespace rw::editor
