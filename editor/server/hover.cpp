// What a name is, in Markdown; types of local names.
#include "editor/server/view.h"

#include "frontend/sema/builtins.h"
#include "frontend/sema/properties.h"

#include <algorithm>

namespace rw::editor {

std::string_view keywordDoc(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kDocs[] = {
      {"dialect", "`dialect tensor;`: the dialect of the ops that follow."},
      {"import", "`import \"onnx/onnx.rw\";`: all that the file declares can be used here."},
      {"op", "`op relu(x: tensor) -> tensor { … }` declares an op of the dialect."},
      {"fn", "`fn twice(n: int) -> int = n * 2;`: a function for conditions and right sides."},
      {"pattern", "`pattern NAME { left side where conditions => right side }`: a rewrite."},
      {"match", "`match scaled(x, c) = mul(x, const c) | mul(const c, x);`: a left side with a name."},
      {"set", "`set views = {reshape, transpose};`: ops by one name."},
      {"trait", "`trait movement;` declares a trait, `trait movement for onnx.Transpose;` gives it."},
      {"extern", "What follows is defined in C++ elsewhere."},
      {"private", "Only this file sees what follows."},
      {"constraint", "`constraint fits(c: attr) [{ C++ }]`: a condition written in C++."},
      {"rewrite", "`rewrite twice(x: value) -> value = …;`: a right side with a name."},
      {"pass",
       "`pass NAME { Pattern, label \"…\"; max_iterations = 10; }`: patterns that run together until none applies."},
      {"pipeline", "`pipeline NAME = canonicalize, repeat(3) { my_pass };`: passes one after another."},
      {"conversion", "`conversion NAME { from a; to onnx 17..24; patterns label \"…\"; }`: a program goes from one "
                     "dialect to another, whole or not at all."},
      {"test", "`test Pattern (x: f32[2]) { before(x) => after(x) }`; `=> unchanged` where nothing may happen."},
      {"expect", "`expect refuted A, B;`: what `rwc --verify` must say of these patterns: proved, checked, refuted, "
                 "vacuous or tag."},
      {"where", "Conditions, separated by commas, in the order in which they are tried."},
      {"single", "`single relu(x)`: the value has no other use."},
      {"const", "`const c`: the value is a constant."},
      {"splat", "`splat(0)`: a constant all of whose elements are equal."},
      {"each", "`each (…)`: every operand matches."},
      {"ordered",
       "`ordered add(const c, x)`: operands only in the order that is written, though the op is commutative."},
      {"is", "`y is relu(x)`: a match inside a condition."},
      {"let", "`let n = len(p)`: a name for a value."},
      {"replace", "`replace d with e;`: every use of d is one of e."},
      {"update", "`update d { perm = p };`: other attributes for an op."},
      {"erase", "`erase d;`: the op goes; it has no use."},
      {"benefit", "`benefit 3`: of several patterns that match, the greatest benefit is tried first."},
      {"fastmath", "The results may differ by rounding: tried only where that is allowed."},
      {"recursive", "The pattern may match what it builds, and comes to an end by itself."},
      {"assume_same_type", "That the types stay the same cannot be proved, and is so."},
      {"label", "`label \"layout\"`: a name by which passes take several patterns."},
      {"versions", "`versions 1..12`: of the dialect, for which the op is declared."},
      {"attr", "`attr axis: int = 0;`: an attribute of the op."},
      {"traits", "`traits pure, elementwise;`: what holds of the op."},
      {"require", "`require x.rank > 0, \"message\";`: what the op asks of its operands."},
      {"type", "`type f32[x.shape];`: the type of each result."},
      {"fold", "`fold x if perm == [0, 1];`: a value that the op can be replaced by."},
      {"means", "`means add(x, y);`: what the op stands for."},
      {"canonicalize", "Of an op: patterns that simplify it wherever it stands. As a pass: all such patterns."},
      {"region", "`region body;`: a function inside the op."},
      {"repeat", "`repeat(3) { … }`: at most so often, until nothing changes."},
      {"unchanged", "Of a test: the pattern does not apply."},
      {"none", "What is left out."},
  };
  for (auto [name, doc] : kDocs)
    if (name == word)
      return doc;
  return {};
}

static std::string codeBlock(std::string_view text) { return "```rw\n" + std::string(text) + "\n```"; }

std::string View::typeOfLocal(SourceRange binding) const {
  if (!types_) {
    types_.emplace();
    if (!a_->module)
      return {};
    auto look = [&](const sema::Decl &decl, const sema::Body &body) {
      if (decl.imported || decl.file != a_->root())
        return;
      for (const sema::Var &var : body.vars) {
        if (!var.range || var.type.isError())
          continue;
        std::string type = sema::toString(var.type);
        auto [it, isNew] = types_->try_emplace(var.range.begin.raw, type);
        if (it->second != type)
          it->second.clear(); // differs among the instances of a template
      }
    };
    for (const sema::Pattern &p : a_->module->patterns)
      look(p, p.body);
    for (const sema::Fn &f : a_->module->fns)
      look(f, f.body);
    for (const sema::Op &o : a_->module->ops)
      look(o, o.body);
    for (const sema::Matcher &m : a_->module->matchers)
      look(m, m.body);
    for (const sema::NamedRewrite &r : a_->module->rewrites)
      look(r, r.body);
    for (const sema::Test &t : a_->module->tests)
      look(t, t.body);
  }
  auto it = types_->find(binding.begin.raw);
  return it == types_->end() ? std::string() : it->second;
}

std::string View::documentation(const Declared &declared) const {
  std::string out = codeBlock(headOf(*a_, declared));
  if (!declared.decl->doc.empty())
    out += "\n" + declared.decl->doc;
  if (const auto *op = declared.decl->as<ast::OpDecl>()) {
    if (!declared.decl->doc.empty() && (!op->attrs.empty() || !op->traits.empty()))
      out += "\n";
    for (const ast::AttrDecl &attr : op->attrs) {
      std::string text(a_->written(attr.range));
      while (!text.empty() && (text.back() == ';' || text.back() == ' '))
        text.pop_back();
      out += "\n- `" + text + "`" + (attr.doc.empty() ? "" : ": " + attr.doc);
    }
    std::string traits;
    for (const ast::Trait &trait : op->traits)
      traits += (traits.empty() ? "" : ", ") + trait.name.text;
    if (!traits.empty())
      out += "\n- traits " + traits;
  }
  if (declared.file != 0)
    out += "\n\n" + std::string(a_->sources.name(a_->files[declared.file].id));
  return out;
}

std::string View::documentation(const Occurrence &name) const {
  const std::string word(a_->written(name.range));
  switch (name.kind) {
  case NameKind::Param:
  case NameKind::Variable: {
    const std::string type = typeOfLocal(name.binding);
    return codeBlock(type.empty() ? word : word + ": " + type);
  }
  case NameKind::Builtin: {
    std::string out;
    for (const sema::BuiltinInfo &info : sema::builtins())
      if (info.name == word)
        out += (out.empty() ? "" : "\n\n") + codeBlock("fn " + word + std::string(info.signature)) + "\n" +
               std::string(info.doc);
    return out;
  }
  case NameKind::DType:
    return codeBlock(word) + "\nAn element type.";
  case NameKind::Property: {
    for (const sema::PropertyInfo &property : sema::properties())
      if (property.name == word)
        return codeBlock("." + word + ": " + toString(property.type)) + "\n" + std::string(property.doc);
    return {};
  }
  case NameKind::Trait:
    return codeBlock("trait " + word);
  case NameKind::Attribute:
  case NameKind::Operand:
  case NameKind::Result:
  case NameKind::Region: {
    for (uint32_t i : name.declared) {
      const auto *op = a_->declared[i].decl->as<ast::OpDecl>();
      for (const ast::AttrDecl &attr : op->attrs)
        if (attr.name.text == word)
          return codeBlock(a_->declared[i].fullName() + "\n" + std::string(a_->written(attr.range))) +
                 (attr.doc.empty() ? "" : "\n" + attr.doc);
      for (const std::vector<ast::Param> *list : {&op->operands, &op->results})
        for (const ast::Param &param : *list)
          if (param.name.text == word || (param.standsFor.type && param.standsFor.name.text == word))
            return codeBlock(a_->declared[i].fullName() + "\n" + std::string(a_->written(param.range)));
      return codeBlock(a_->declared[i].fullName() + "\nregion " + word);
    }
    return {};
  }
  case NameKind::Dialect:
    return codeBlock("dialect " + word);
  case NameKind::Import:
  case NameKind::Label:
    return {};
  default:
    break;
  }
  std::string out;
  for (size_t i = 0; i < name.declared.size() && i < 8; ++i) // versions of an op
    out += (out.empty() ? "" : "\n\n---\n\n") + documentation(a_->declared[name.declared[i]]);
  return out;
}

Json View::hover(Position at) const {
  const size_t where = offset(at);
  auto answer = [&](const std::string &text, Json range) -> Json {
    return text.empty() ? Json()
                        : Json{{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", std::move(range)}};
  };
  if (const Occurrence *name = nameAt(at))
    if (std::string text = documentation(*name); !text.empty())
      return answer(text, range(name->range));
  for (const Word &word : a_->words)
    if (word.begin <= where && where < word.end && word.kind == Word::Kind::Name) {
      const std::string_view text = std::string_view(a_->text.str()).substr(word.begin, word.end - word.begin);
      if (std::string_view doc = keywordDoc(text); !doc.empty())
        return answer(std::string(doc), range(word.begin, word.end));
      // In a declaration that cannot be read a name is looked up as it stands.
      if (auto [begin, end] = a_->byName.equal_range(text); begin != end)
        return answer(documentation(a_->declared[begin->second]), range(word.begin, word.end));
      for (const sema::BuiltinInfo &info : sema::builtins())
        if (info.name == text)
          return answer(codeBlock("fn " + std::string(text) + std::string(info.signature)) + "\n" +
                            std::string(info.doc),
                        range(word.begin, word.end));
    }
  return nullptr;
}

} // namespace rw::editor
