#include "codegen/emit/tree_emitter.h"

#include <algorithm>

namespace rw::emit {

using plan::Ask;
using plan::Path;
using plan::PathId;
using plan::Question;
using plan::Step;

// Paths -----------------------------------------------------------------------------------------------------------

/// "x0_1": operand 1 of the op that makes operand 0; "op0_1" the op that makes it; "perm0_1" an attribute of that.
std::string TreeEmitter::nameOf(PathId id) {
  const Path &p = tree_->paths[id];
  std::string suffix;
  for (PathId at = id; at != plan::kNoPath; at = tree_->paths[at].parent)
    if (const Path &step = tree_->paths[at]; step.kind == Path::Operand)
      suffix = fmt::format("{}{}{}{}", step.fromEnd ? "e" : "", step.index, suffix.empty() ? "" : "_", suffix);
  return locals_.unique((p.kind == Path::Operand ? "x" : p.kind == Path::Def ? "op" : p.name) + suffix);
}

std::string TreeEmitter::text(PathId id) const {
  if (auto it = vars_.find(id); it != vars_.end())
    return it->second;
  const Path &p = tree_->paths[id];
  if (p.kind == Path::Root)
    return "op";
  std::string of = text(p.parent);
  switch (p.kind) {
  case Path::Operand:
    return p.fromEnd ? fmt::format("{0}.operand({0}.operandCount() - {1})", of, p.index) : fmt::format("{}.operand({})", of, p.index);
  case Path::Def: return fmt::format("definitionOf({})", of);
  default: return fmt::format("{}.{}({})", of, p.orDefault ? "attrOrDefault" : "attr", p.index);
  }
}

const std::string &TreeEmitter::var(PathId id) {
  static const std::string root = "op";
  if (id == 0)
    return root;
  if (auto it = vars_.find(id); it != vars_.end())
    return it->second;
  const Path &p = tree_->paths[id];
  var(p.parent);
  std::string value = text(id), name = nameOf(id);
  w_.line("{} {} = {};", p.kind == Path::Operand ? "Value" : p.kind == Path::Def ? "Op" : "AttrId", name, value);
  return vars_[id] = name;
}

std::string TreeEmitter::kindOf(PathId op) {
  if (auto it = kinds_.find(op); it != kinds_.end())
    return it->second;
  const std::string &def = var(op);
  std::string name = locals_.unique("kind" + def.substr(def.starts_with("op") ? 2 : 0));
  w_.line("unsigned {} = kinds_.of({});", name, def);
  return kinds_[op] = name;
}

// Questions -------------------------------------------------------------------------------------------------------

std::string TreeEmitter::operandCount(const Step &s, const std::string &op) const {
  if (s.most == UINT32_MAX)
    return fmt::format("{}.operandCount() >= {}", op, s.least);
  if (s.least == s.most)
    return fmt::format("{}.operandCount() == {}", op, s.least);
  return s.least ? fmt::format("{0}.operandCount() >= {1} && {0}.operandCount() <= {2}", op, s.least, s.most)
                 : fmt::format("{}.operandCount() <= {}", op, s.most);
}

std::string TreeEmitter::oneOf(const Step &s, const std::string &op) const {
  std::string test = kindTest(s.ops, refs_, op);
  return fmt::format("{} && {}", op, test.starts_with('(') || s.ops.byTrait() ? test : "(" + test + ")");
}

bool TreeEmitter::declares(const Question &q) const {
  if (q.ask == Ask::Kind)
    return !kinds_.contains(q.path);
  PathId before = q.ask == Ask::IsResult ? tree_->paths[q.path].parent : q.path;
  return declares(q.path) || declares(before) || (q.other != plan::kNoPath && declares(q.other));
}

/// An operand of `&&`.
std::string TreeEmitter::condition(const Question &q, const plan::Answer &a) {
  if (q.ask == Ask::Kind) {
    std::string number = kindOf(q.path);
    return fmt::format("{} == {}", number, kind(a.op));
  }
  const std::string path = var(q.path);
  const Step &s = *a.step;
  switch (q.ask) {
  case Ask::Kind: break;
  case Ask::Number:
  case Ask::String:
  case Ask::Equals: return literalTest(s, path);
  case Ask::SplatNumber: return fmt::format("splatNumber({}) == {}", path, floatLiteral(a.number));
  case Ask::DType: return fmt::format("dtypeOf(ctx, typeOf({})) == {}", path, cppDType(a.text));
  case Ask::DTypeClass:
    return fmt::format("{}(dtypeOf(ctx, typeOf({})).value_or(DType::Unknown))",
                       s.type->dtypeClass == sema::DTypeClass::Float ? "isFloat" : "isInteger", path);
  case Ask::OneOf: return oneOf(s, path);
  case Ask::IsResult: return fmt::format("isResult({}, {}, {})", var(tree_->paths[q.path].parent), path, s.index);
  case Ask::Operands: return operandCount(s, path);
  case Ask::OperandThere:
  case Ask::AttrThere: return path;
  case Ask::OperandAbsent: return "!" + path;
  case Ask::AttrDefault: return fmt::format("attrIsDefault({}, {})", path, s.index);
  case Ask::AttrAbsent: return fmt::format("!{}.attr({})", path, s.index);
  case Ask::NoExtras: return fmt::format("!hasExtraAttrs({})", path);
  case Ask::OneUse: return fmt::format("{}.hasOneUse()", path);
  case Ask::Constant: return fmt::format("constantOf({})", path);
  case Ask::Same: return fmt::format("{} == {}", path, var(q.other));
  }
  return "";
}

// The tree --------------------------------------------------------------------------------------------------------

std::string TreeEmitter::place(const plan::TreeLeaf &leaf) const {
  const plan::MatchPlan &plan = plans_.plans[leaf.plan];
  std::string_view file = sources_.name(plan.file);
  return fmt::format("{}, {}:{}{}", plan.name, file.substr(file.rfind('/') + 1), plan.line, leaf.swapped ? ", operands swapped" : "");
}

std::string TreeEmitter::call(const plan::TreeLeaf &leaf) {
  return fmt::format("run.begin({0}) && run.end({0}, {1}_.matchAndRewrite(op, run.rewriter()))", leaf.member, classes_[leaf.plan]);
}

void TreeEmitter::leaf(uint32_t index) {
  const plan::TreeLeaf &leaf = tree_->leaves[index];
  w_.line("// {}", place(leaf));
  Scope outer = scope();
  std::string conditions;
  unsigned nested = 0;
  for (const plan::TreeTest &test : leaf.own) {
    const Question &q = tree_->questions[test.question];
    if (!conditions.empty() && declares(q)) { // what it declares may rest on the conditions so far
      w_.open(fmt::format("if ({}) {{", conditions));
      ++nested;
      conditions.clear();
    }
    if (conditions.empty() && nested == 0 && declares(q)) {
      std::string first = condition(q, test.answer);
      outer = scope(); // declared for those that follow too
      conditions = first;
      continue;
    }
    std::string next = condition(q, test.answer);
    conditions += (conditions.empty() ? "" : " && ") + next;
  }
  std::string fire = tree_->inOrder ? call(leaf) : "";
  if (!tree_->inOrder) {
    if (conditions.empty()) {
      w_.line("found.add({});", index);
    } else {
      w_.open(fmt::format("if ({})", conditions));
      w_.line("found.add({});", index);
      w_.dedent();
    }
  } else {
    w_.open(fmt::format("if ({}{}{})", conditions, conditions.empty() ? "" : " && ", fire));
    w_.text("return true;");
    w_.dedent();
  }
  for (; nested > 0; --nested)
    w_.close("}");
  leave(std::move(outer));
}

void TreeEmitter::items(const std::vector<plan::TreeItem> &list) {
  for (const plan::TreeItem &item : list)
    item.branch ? branch(*item.branch) : leaf(item.leaf);
}

void TreeEmitter::branch(const plan::TreeBranch &b) {
  const Question &q = tree_->questions[b.question];
  if (b.cases.size() == 1) {
    std::string test = condition(q, b.cases[0].answer);
    Scope outer = scope();
    w_.open(fmt::format("if ({}) {{", test));
    items(b.cases[0].items);
    w_.close("}");
    return leave(std::move(outer));
  }
  switch (q.ask) {
  case Ask::Number: return byNumber(b, var(q.path));
  case Ask::String: return byString(b, var(q.path));
  case Ask::SplatNumber: return bySplat(b, var(q.path));
  case Ask::DType: return byDType(b, var(q.path));
  default: break;
  }
  w_.open(fmt::format("switch ({}) {{", kindOf(q.path)));
  for (const auto &c : b.cases)
    caseOf(kind(c.answer.op), c);
  w_.close("}");
}

/// One case of a switch, with what stands below it.
void TreeEmitter::caseOf(const std::string &label, const plan::TreeBranch::Case &c, const std::string &comment) {
  w_.dedent();
  w_.open(fmt::format("case {}: {{{}{}", label, comment.empty() ? "" : " // ", comment));
  Scope outer = scope();
  items(c.items);
  leave(std::move(outer));
  w_.text("break;");
  w_.close("}");
  w_.indent();
}

void TreeEmitter::byNumber(const plan::TreeBranch &b, const std::string &path) {
  std::string number = locals_.unique("number");
  w_.open(fmt::format("if (std::optional<int64_t> {} = attrAs<int64_t>(ctx, {}))", number, path));
  w_.open(fmt::format("switch (*{}) {{", number));
  for (const auto &c : b.cases)
    caseOf(c.answer.integer == INT64_MIN ? "INT64_MIN" : std::to_string(c.answer.integer), c);
  w_.close("}");
  w_.dedent();
}

/// Answers by binary search in the array `list` of their texts, so that a thousand cost little more than ten.
void TreeEmitter::byPlace(std::string_view type, const std::vector<const plan::TreeBranch::Case *> &cases,
                          const std::function<std::string(const plan::Answer &)> &literal, const std::string &value) {
  std::string list = locals_.unique("kAnswers"), values;
  for (auto *c : cases)
    values += (values.empty() ? "" : ", ") + literal(c->answer);
  w_.line("static constexpr {} {}[] = {{{}}};", type, list, values);
  w_.open(fmt::format("switch (placeOf({}, {})) {{", list, value));
  for (size_t i = 0; i < cases.size(); ++i)
    caseOf(std::to_string(i), *cases[i], cases[i]->answer.text);
  w_.close("}");
}

template <class Key> static std::vector<const plan::TreeBranch::Case *> sortedCases(const plan::TreeBranch &b, const Key &key) {
  std::vector<const plan::TreeBranch::Case *> cases;
  for (const auto &c : b.cases)
    cases.push_back(&c);
  std::ranges::sort(cases, {}, [&](auto *c) { return key(c->answer); });
  return cases;
}

void TreeEmitter::bySplat(const plan::TreeBranch &b, const std::string &path) {
  byPlace("double", sortedCases(b, [](const plan::Answer &a) { return a.number; }),
          [](const plan::Answer &a) { return floatLiteral(a.number); }, fmt::format("splatNumber({})", path));
}

void TreeEmitter::byString(const plan::TreeBranch &b, const std::string &path) {
  auto text = [](const plan::Answer &a) -> std::string_view { return a.step->expr->text; };
  byPlace("std::string_view", sortedCases(b, text), [&](const plan::Answer &a) { return fmt::format("{{{}, {}}}", cppString(text(a)), text(a).size()); },
          fmt::format("attrAs<std::string_view>(ctx, {})", path));
}

void TreeEmitter::byDType(const plan::TreeBranch &b, const std::string &path) {
  w_.open(fmt::format("switch (dtypeOf(ctx, typeOf({})).value_or(DType::Unknown)) {{", path));
  for (const auto &c : b.cases)
    caseOf(cppDType(c.answer.text), c);
  w_.dedent();
  w_.text("default: break;");
  w_.indent();
  w_.close("}");
}

/// The patterns found, by number.
void TreeEmitter::chosen(uint32_t index) {
  const plan::TreeLeaf &leaf = tree_->leaves[index];
  w_.line("case {}: // {}", index, place(leaf));
  w_.indent();
  w_.open(fmt::format("if ({})", call(leaf)));
  w_.text("return true;");
  w_.dedent();
  w_.text("break;");
  w_.dedent();
}

void TreeEmitter::root(const plan::RootTree &tree, const std::string &function) {
  tree_ = &tree;
  vars_.clear();
  kinds_.clear();
  locals_ = NameScope();
  for (const char *name : {"run", "found", "kinds_", "kOther"})
    locals_.unique(name);
  for (auto &[op, name] : names_)
    locals_.unique(name);
  w_.line("// {}", refs_.module().op(tree.root).fullName());
  w_.open(fmt::format("bool {}(Op op, MatchRun &run) const {{", function));
  w_.text("[[maybe_unused]] Context &ctx = op.context();");
  if (!tree.inOrder)
    w_.text("FoundMembers found;");
  items(tree.items);
  if (!tree.inOrder) {
    vars_.clear();
    w_.open("for (uint32_t number : found) {");
    w_.text("switch (number) {");
    for (uint32_t i = 0; i < tree.leaves.size(); ++i)
      chosen(i);
    w_.text("}");
    w_.close("}");
  }
  w_.text("return false;");
  w_.close("}");
}

// The class -------------------------------------------------------------------------------------------------------

const std::string &TreeEmitter::kind(sema::OpIndex op) {
  auto [it, isNew] = names_.try_emplace(op.raw);
  if (isNew) {
    const sema::Op &decl = refs_.module().op(op);
    it->second = "k" + pascalCase(decl.dialect) + refs_.viewName(op);
    while (std::ranges::any_of(names_, [&](auto &n) { return n.first != op.raw && n.second == it->second; }))
      it->second += '_';
    ops_.push_back(op);
  }
  return it->second;
}

/// Numbers first the roots, then what the trees ask for, in that order.
void TreeEmitter::collectKinds(const plan::MergedSet &set) {
  for (const plan::RootTree &tree : set.trees)
    kind(tree.root);
  for (const plan::RootTree &tree : set.trees)
    for (const plan::TreeLeaf &leaf : tree.leaves)
      for (const plan::TreeTest &test : leaf.tests)
        if (tree.questions[test.question].ask == Ask::Kind)
          kind(test.answer.op);
}

void TreeEmitter::emit(const plan::MergedSet &set, const std::string &className) {
  ops_.clear();
  names_.clear();
  collectKinds(set);
  std::string what = set.name.empty() ? "The patterns of no pass" : set.name == "canonicalize" ? "The canonicalizations" : "Pass " + set.name;
  std::vector<std::string> functions;
  NameScope names;
  for (const plan::RootTree &tree : set.trees) {
    functions.push_back(names.unique("at" + kind(tree.root).substr(1)));
  }
  w_.line("/// {}, merged: `rwc --dump=tree` shows the same tree.", what);
  w_.open(fmt::format("class {} final : public MergedMatcher {{", className));
  w_.dedent();
  w_.text("public:");
  w_.indent();
  std::string schemas, enumerators;
  for (sema::OpIndex op : ops_) {
    schemas += fmt::format("{}&{}", schemas.empty() ? "" : ", ", refs_.schema(op));
    enumerators += ", " + kind(op);
  }
  std::string made;
  for (uint32_t member : set.members)
    made += fmt::format(", {}_(ops)", classes_[member]);
  w_.line("explicit {}(const OpRegistry &ops) : kinds_(ops, {{{}}}){} {{}}", className, schemas, made);
  w_.blank();
  w_.open("bool match(Op op, MatchRun &run) const override {");
  w_.text("switch (kinds_.of(op)) {");
  for (size_t i = 0; i < set.trees.size(); ++i)
    w_.line("case {}: return {}(op, run);", kind(set.trees[i].root), functions[i]);
  w_.text("}");
  w_.text("return false;");
  w_.close("}");
  w_.line("uint32_t memberCount() const override {{ return {}; }}", set.members.size());
  w_.blank();
  w_.dedent();
  w_.text("private:");
  w_.indent();
  w_.line("enum Kind : unsigned {{kOther{}}};", enumerators);
  for (size_t i = 0; i < set.trees.size(); ++i) {
    w_.blank();
    root(set.trees[i], functions[i]);
  }
  w_.blank();
  w_.text("KindNumbers kinds_;");
  for (uint32_t member : set.members)
    w_.line("{0} {0}_;", classes_[member]);
  w_.close("};");
  w_.line("std::unique_ptr<MergedMatcher> make{0}(const OpRegistry &ops) {{ return std::make_unique<{0}>(ops); }}", className);
  w_.blank();
}

} // namespace rw::emit
