// What can stand at a place, and which parameter stands there. By words, since what is being typed can seldom be read.
#include "editor/server/view.h"

#include "frontend/sema/builtins.h"
#include "frontend/sema/properties.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace rw::editor {
namespace {

namespace fs = std::filesystem;
/// As the protocol numbers kinds of items.
enum class ItemKind {
  Method = 2,
  Function = 3,
  Field = 5,
  Variable = 6,
  Class = 7,
  Module = 9,
  Property = 10,
  Keyword = 14,
  Snippet = 15,
  File = 17,
  EnumMember = 20,
  Type = 25
};

/// The ops that a call's words in front of the parenthesis `open` can be, and what they are called.
struct Callee {
  std::string name;
  std::vector<uint32_t> ops;       // of Analysis::declared
  std::vector<uint32_t> callables; // functions and the like
  std::vector<const sema::BuiltinInfo *> builtins;
};

class Completer {
public:
  Completer(const View &view, size_t offset, bool snippets)
      : view_(view), a_(view.analysis()), around_(a_.text.str(), a_.words, offset), offset_(offset),
        snippets_(snippets) {}
  Json items();
  Callee calleeOf(size_t open) const;
  const Around &around() const { return around_; }

private:
  void add(std::string_view label, ItemKind kind, std::string_view detail = {}, std::string_view rank = "5",
           std::string insert = {}, std::string key = {});
  void addDeclared(uint32_t index, std::string_view label);
  void keywords(std::initializer_list<std::string_view> words, std::string_view rank = "6") {
    for (std::string_view word : words)
      add(word, ItemKind::Keyword, {}, rank);
  }
  void declarations();
  void importPaths();
  void choices();
  void members();
  void types(bool ofMatch);
  void ops();
  void callables();
  void locals();
  void attributes(size_t open);
  void runnables(std::initializer_list<ast::DeclKind>);
  void expressions();
  void clausesOfConversion(std::string_view last);
  std::vector<uint32_t> opsOfVariable(std::string_view name) const;
  bool isLeftSide() const;

  const View &view_;
  const Analysis &a_;
  Around around_;
  size_t offset_;
  bool snippets_;
  Json out_ = Json::array();
  std::set<std::string, std::less<>> seen_;
};

void Completer::add(std::string_view label, ItemKind kind, std::string_view detail, std::string_view rank,
                    std::string insert, std::string key) {
  if (label.empty() || !seen_.emplace(label).second)
    return;
  Json item{{"label", label}, {"kind", int(kind)}, {"sortText", std::string(rank) + std::string(label)}};
  if (!detail.empty())
    item["detail"] = detail;
  if (!insert.empty()) {
    item["insertText"] = insert;
    if (kind == ItemKind::Snippet)
      item["insertTextFormat"] = 2;
  }
  if (!key.empty())
    item["data"] = {{"key", key}, {"uri", uriOfPath(a_.files[0].path)}};
  out_.push_back(std::move(item));
}

void Completer::addDeclared(uint32_t index, std::string_view label) {
  const Declared &declared = a_.declared[index];
  ItemKind kind = ItemKind::Function;
  if (declared.decl->kind == ast::DeclKind::Op)
    kind = ItemKind::Method;
  else if (declared.decl->kind == ast::DeclKind::Pattern || declared.decl->kind == ast::DeclKind::Pass ||
           declared.decl->kind == ast::DeclKind::Conversion || declared.decl->kind == ast::DeclKind::Pipeline)
    kind = ItemKind::Class;
  else if (declared.decl->kind == ast::DeclKind::Group)
    kind = ItemKind::EnumMember;
  std::string detail = headOf(a_, declared);
  std::ranges::replace(detail, '\n', ' ');
  add(label, kind, detail, declared.file == 0 ? "3" : "4", {}, "d" + std::to_string(index));
}

/// The op that a local name stands for: `d: onnx.Relu(...)` somewhere in the declaration.
std::vector<uint32_t> Completer::opsOfVariable(std::string_view name) const {
  for (size_t i = around_.declBegin; i + 3 < std::min(around_.declEnd, around_.total()); ++i) {
    if (around_.at(i) != name ||
        (around_.at(i + 1) != ":" && !(around_.at(i + 1) == "=" && i && around_.at(i - 1) == "let")))
      continue;
    size_t head = i + 2;
    while (head + 1 < around_.total() && (around_.at(head) == "single" || around_.at(head) == "ordered"))
      ++head;
    const bool qualified = around_.at(head + 1) == "." && head + 2 < around_.total();
    std::vector<uint32_t> ops =
        opsNamed(a_, qualified ? around_.at(head) : std::string_view(), around_.at(qualified ? head + 2 : head));
    if (!ops.empty())
      return ops;
  }
  return {};
}

Callee Completer::calleeOf(size_t open) const {
  Callee out;
  if (open == 0)
    return out;
  size_t i = open - 1;
  if (i && (around_.at(i) == "?" || around_.at(i) == "*" || around_.at(i) == "+"))
    --i;
  if (around_.word(i).kind != Word::Kind::Name)
    return out;
  std::string_view name = around_.at(i), dialect;
  if (i >= 2 && around_.at(i - 1) == "." && around_.word(i - 2).kind == Word::Kind::Name)
    dialect = around_.at(i - 2);
  out.name = name;
  if (!std::ranges::binary_search(a_.dialects, dialect))
    dialect = {};
  out.ops = opsNamed(a_, dialect, name);
  if (dialect.empty()) {
    if (out.ops.empty())
      out.ops = opsOfVariable(name); // an op that is built again
    for (auto [it, end] = a_.byName.equal_range(name); it != end; ++it) {
      const ast::DeclKind kind = a_.declared[it->second].decl->kind;
      if (kind == ast::DeclKind::Fn || kind == ast::DeclKind::Native || kind == ast::DeclKind::Matcher ||
          kind == ast::DeclKind::Rewrite)
        out.callables.push_back(it->second);
    }
    for (const sema::BuiltinInfo &info : sema::builtins())
      if (info.name == name)
        out.builtins.push_back(&info);
  }
  return out;
}

void Completer::declarations() {
  struct Form {
    std::string_view word, snippet;
  };
  static constexpr Form kForms[] = {
      {"import", "import \"${1:onnx/onnx.rw}\";"},
      {"dialect", "dialect ${1:name};"},
      {"op", "op ${1:name}(${2:x}: tensor) -> tensor {\n  traits pure;\n  type ${3:x.type};\n}"},
      {"fn", "fn ${1:name}(${2:n}: int) -> ${3:int} = ${4:n};"},
      {"pattern", "pattern ${1:Name} {\n  ${2:relu(relu(x))}\n  where ${3:x.rank > 0}\n  => ${4:relu(x)}\n}"},
      {"match", "match ${1:name}(${2:x}) = ${3:relu(x)};"},
      {"set", "set ${1:name} = {${2:relu}};"},
      {"trait", "trait ${1:name};"},
      {"constraint", "constraint ${1:name}(${2:x}: value) [{\n  return ${3:true};\n}]"},
      {"rewrite", "rewrite ${1:name}(${2:x}: value) -> value = ${3:x};"},
      {"pass", "pass ${1:name} { ${2:Pattern}; }"},
      {"pipeline", "pipeline ${1:name} = ${2:canonicalize};"},
      {"conversion", "conversion ${1:name} { from ${2:mine}; to onnx 17..24; patterns label \"${1:name}\"; }"},
      {"test", "test ${1:Pattern} (${2:x}: f32[2]) { ${3:relu(relu(x))} => ${4:relu(x)} }"},
      {"expect", "expect ${1|proved,checked,refuted,vacuous,tag|} ${2:Pattern};"},
      {"private", ""},
      {"extern", ""},
      {"for", ""},
  };
  for (const Form &form : kForms)
    if (snippets_ && !form.snippet.empty())
      add(form.word, ItemKind::Snippet, {}, "1", std::string(form.snippet), "k" + std::string(form.word));
    else
      add(form.word, ItemKind::Keyword, {}, "1", {}, "k" + std::string(form.word));
}

void Completer::importPaths() {
  std::set<std::string> paths;
  auto look = [&](const fs::path &folder, bool deep) {
    std::error_code error;
    size_t count = 0;
    for (fs::recursive_directory_iterator
             it(folder.empty() ? "." : folder, fs::directory_options::skip_permission_denied, error),
         end;
         !error && it != end && count < 2000; it.increment(error), ++count) {
      if (it->is_directory(error) && (!deep || it.depth() > 4 || it->path().filename().string().starts_with('.')))
        it.disable_recursion_pending();
      if (it->path().extension() == ".rw" && it->path() != fs::path(a_.files[0].path))
        paths.insert(it->path().lexically_relative(folder.empty() ? "." : folder).generic_string());
    }
  };
  look(fs::path(a_.files[0].path).parent_path(), false);
  for (const std::string &folder : view_.importFolders())
    look(folder, true);
  for (const std::string &path : paths)
    add(path, ItemKind::File, {}, path.find('/') == std::string::npos ? "2" : "3");
}

/// The strings that an attribute can be: `mode = "|`.
void Completer::choices() {
  if (around_.open.empty() || around_.before(0) != "=")
    return;
  const Callee callee = calleeOf(around_.open.back());
  for (uint32_t i : callee.ops)
    for (const ast::AttrDecl &attr : a_.declared[i].decl->get<ast::OpDecl>().attrs)
      if (attr.name.text == around_.before(1))
        for (const ast::Name &choice : attr.choices)
          add(choice.text, ItemKind::EnumMember, attr.name.text);
}

void Completer::members() {
  const std::string_view head = around_.before(1);
  const bool isName = around_.count() >= 2 && around_.word(around_.count() - 2).kind == Word::Kind::Name;
  if (isName && std::ranges::binary_search(a_.dialects, head)) {
    for (uint32_t i = 0; i < a_.declared.size(); ++i)
      if (a_.declared[i].decl->kind == ast::DeclKind::Op && a_.declared[i].dialect == head)
        addDeclared(i, a_.declared[i].name);
    return;
  }
  const std::vector<uint32_t> ops = isName ? opsOfVariable(head) : std::vector<uint32_t>();
  for (uint32_t i : ops) {
    const auto &op = a_.declared[i].decl->get<ast::OpDecl>();
    for (const ast::AttrDecl &attr : op.attrs)
      add(attr.name.text, ItemKind::Field, a_.written(attr.range), "1", {},
          "a" + std::to_string(i) + " " + attr.name.text);
    for (const ast::Param &operand : op.operands)
      add(operand.name.text, ItemKind::Property, a_.written(operand.range), "2");
    for (const ast::Param &result : op.results)
      add(result.name.text, ItemKind::Property, a_.written(result.range), "2");
    for (const ast::Name &region : op.regions)
      add(region.text, ItemKind::Property, "region", "2");
  }
  for (const sema::PropertyInfo &property : sema::properties())
    if (!property.isOfOp() || !ops.empty() || !isName)
      add(property.name, ItemKind::Property, toString(property.type), "4", {}, "p" + std::string(property.name));
}

void Completer::types(bool ofMatch) {
  for (std::string_view dtype : sema::dtypeNames())
    add(dtype, ItemKind::Type, {}, "5");
  if (ofMatch) {
    keywords({"const", "single"});
    for (std::string_view word : {"float", "integer", "single_element"})
      add(word, ItemKind::Type, {}, "4");
    for (uint32_t i = 0; i < a_.declared.size(); ++i)
      if (const auto *native = a_.declared[i].decl->as<ast::NativeDecl>();
          native && native->isConstraint && native->params.size() == 1)
        addDeclared(i, a_.declared[i].name);
    ops();
    return;
  }
  for (std::string_view word :
       {"tensor", "value", "int", "float", "bool", "string", "dtype", "dim", "type", "attr", "op"})
    add(word, ItemKind::Type, {}, "4");
}

void Completer::ops() {
  std::map<std::string_view, std::set<std::string_view>> dialectsOf; // what must be written in full
  for (uint32_t i = 0; i < a_.declared.size(); ++i)
    if (a_.declared[i].decl->kind == ast::DeclKind::Op)
      dialectsOf[a_.declared[i].name].insert(a_.declared[i].dialect);
  for (uint32_t i = 0; i < a_.declared.size(); ++i) {
    const Declared &declared = a_.declared[i];
    if (declared.decl->kind != ast::DeclKind::Op)
      continue;
    // Ops of the file's own dialect by their name, others with the dialect, as one writes them.
    const bool own = declared.file == 0 || declared.dialect.empty();
    addDeclared(i, own && dialectsOf[declared.name].size() == 1 ? declared.name : declared.fullName());
  }
  for (const std::string &dialect : a_.dialects)
    add(dialect, ItemKind::Module, "dialect", "3");
  for (uint32_t i = 0; i < a_.declared.size(); ++i)
    if (a_.declared[i].decl->kind == ast::DeclKind::Matcher || a_.declared[i].decl->kind == ast::DeclKind::Group)
      addDeclared(i, a_.declared[i].name);
  for (std::string_view trait : {"elementwise", "commutative", "pure"})
    add(trait, ItemKind::EnumMember, "trait", "5");
}

void Completer::callables() {
  for (uint32_t i = 0; i < a_.declared.size(); ++i) {
    const ast::DeclKind kind = a_.declared[i].decl->kind;
    if (kind == ast::DeclKind::Fn || kind == ast::DeclKind::Native || kind == ast::DeclKind::Rewrite ||
        kind == ast::DeclKind::Group)
      addDeclared(i, a_.declared[i].name);
  }
  for (const sema::BuiltinInfo &info : sema::builtins())
    add(info.name, ItemKind::Function, info.signature, "4", {}, "b" + std::string(info.name));
}

/// Names of the declaration at hand that are no names of other things.
void Completer::locals() {
  for (size_t i = around_.declBegin; i < std::min(around_.declEnd, around_.total()); ++i) {
    const Word &word = around_.word(i);
    if (word.kind != Word::Kind::Name || (word.begin <= offset_ && offset_ <= word.end))
      continue;
    const std::string_view name = around_.at(i),
                           next = i + 1 < around_.total() ? around_.at(i + 1) : std::string_view();
    const std::string_view last = i > around_.declBegin ? around_.at(i - 1) : std::string_view();
    const bool other = last == "." || next == "." || next == "(" || last == "pattern" || last == "fn" || last == "op" ||
                       last == "test" || last == "match" || last == "attr" || last == "rewrite" || last == "constraint";
    const bool attribute = next == "=" && last != "let" && last != ",";
    if (other && last != "attr")
      if (!(next == "." && last != "." && a_.byName.find(name) == a_.byName.end() &&
            !std::ranges::binary_search(a_.dialects, name)))
        continue;
    if (attribute || isDeclarationWord(name) || !keywordDoc(name).empty() || sema::isDTypeName(name) ||
        a_.byName.contains(name) || name == "_" || name == "in" || name == "for" || name == "if" || name == "then" ||
        name == "else" || name == "and" || name == "or" || name == "not")
      continue;
    if (next == "=" && last != "let") // `perm = p`: the attribute's name
      continue;
    add(name, ItemKind::Variable, {}, "2");
  }
}

void Completer::attributes(size_t open) {
  const Callee callee = calleeOf(open);
  std::set<std::string_view> given;
  int depth = 0;
  for (size_t i = open + 1; i + 1 < around_.total() && depth >= 0; ++i) {
    const std::string_view word = around_.at(i);
    depth += (word == "(" || word == "[" || word == "{") - (word == ")" || word == "]" || word == "}");
    if (depth == 0 && around_.at(i + 1) == "=" && around_.word(i).begin != around_.prefixBegin)
      given.insert(word);
  }
  for (uint32_t i : callee.ops)
    for (const ast::AttrDecl &attr : a_.declared[i].decl->get<ast::OpDecl>().attrs)
      if (!given.contains(attr.name.text))
        add(attr.name.text + " =", ItemKind::Field, a_.written(attr.range), "1", attr.name.text + " = ",
            "a" + std::to_string(i) + " " + attr.name.text);
}

void Completer::runnables(std::initializer_list<ast::DeclKind> kinds) {
  for (uint32_t i = 0; i < a_.declared.size(); ++i)
    if (std::ranges::find(kinds, a_.declared[i].decl->kind) != kinds.end())
      addDeclared(i, a_.declared[i].name);
}

/// Whether the place lies before the `where` or `=>` of a pattern or behind the `=` of a named match.
bool Completer::isLeftSide() const {
  const bool isMatch = around_.declKind == "match";
  if (!isMatch && around_.declKind != "pattern" && around_.declKind != "for")
    return false;
  int depth = 0;
  for (size_t i = around_.declBegin; i < around_.count(); ++i) {
    const std::string_view word = around_.at(i);
    depth += (word == "(" || word == "[" || word == "{") - (word == ")" || word == "]" || word == "}");
    if (word == "where" || (!isMatch && word == "=>" && depth <= 1)) // deeper it belongs to a region
      return false;
  }
  return true;
}

void Completer::expressions() {
  locals();
  callables();
  ops();
  for (std::string_view dtype : sema::dtypeNames())
    add(dtype, ItemKind::Type, {}, "7");
  keywords({"if", "let", "not", "true", "false", "none"}, "7");
}

void Completer::clausesOfConversion(std::string_view last) {
  std::string_view clause; // in which the place lies
  for (size_t i = around_.count(); i-- > around_.declBegin && around_.at(i) != ";" && around_.at(i) != "{";)
    clause = around_.at(i);
  if (last == "{" || last == ";") {
    keywords({"from", "to", "legal", "patterns", "refuse"});
  } else if (clause == "from" || clause == "to") {
    for (const std::string &dialect : a_.dialects)
      add(dialect, ItemKind::Module, "dialect", "3");
  } else if (clause == "legal") {
    ops();
  } else if (clause == "patterns") {
    runnables({ast::DeclKind::Pattern});
    keywords({"label"});
  } else if (clause == "refuse") {
    for (std::string_view dtype : sema::dtypeNames())
      add(dtype, ItemKind::Type);
  }
}

Json Completer::items() {
  if (around_.inComment || around_.inNative)
    return out_;
  const std::string_view last = around_.before(0), kind = around_.declKind;
  if (around_.inString) {
    if (last == "import")
      importPaths();
    else
      choices();
    return out_;
  }
  if (kind.empty() || around_.count() == around_.declBegin) {
    declarations();
    return out_;
  }
  if (last == ".") {
    members();
    return out_;
  }
  const bool top = around_.open.empty();
  const std::string_view bracket = top ? std::string_view() : around_.at(around_.open.back());
  if (last == "import") {
    importPaths();
    for (Json &item : out_)
      item["insertText"] = "\"" + item["label"].get<std::string>() + "\"";
    return out_;
  }
  if (last == "private" || last == "extern") {
    keywords({"fn", "op", "pattern", "match", "set", "constraint", "rewrite", "pass", "pipeline"});
    return out_;
  }
  if (kind == "expect") {
    if (last == "expect")
      keywords({"proved", "checked", "refuted", "vacuous", "tag"});
    else
      runnables({ast::DeclKind::Pattern});
    return out_;
  }
  if (isDeclarationWord(last) && last != "test" && !(kind == "op" && bracket == "{"))
    return out_; // a new name
  if (kind == "test" && last == "test") {
    runnables({ast::DeclKind::Pattern, ast::DeclKind::Pass, ast::DeclKind::Pipeline, ast::DeclKind::Conversion});
    return out_;
  }
  if (kind == "pipeline" || kind == "pass") {
    if (kind == "pass")
      runnables({ast::DeclKind::Pattern});
    else
      runnables({ast::DeclKind::Pass, ast::DeclKind::Pipeline, ast::DeclKind::Pattern});
    if (kind == "pipeline")
      for (const std::string &name : sema::CheckOptions().externalPasses)
        add(name, ItemKind::Class, "pass", "4");
    if (kind == "pass")
      keywords({"label", "max_iterations"});
    else
      keywords({"repeat"});
    return out_;
  }
  if (kind == "conversion") {
    clausesOfConversion(last);
    return out_;
  }
  if (kind == "pattern" && top) {
    keywords({"benefit", "fastmath", "recursive", "assume_same_type", "label"});
    return out_;
  }
  if (kind == "op") {
    if (bracket == "{" &&
        (last == "{" || last == ";" || around_.word(around_.count() - 1).kind == Word::Kind::Comment)) {
      keywords({"attr", "traits", "require", "type", "fold", "means", "canonicalize", "region"}, "1");
      return out_;
    }
    for (size_t i = around_.count(); i-- > around_.declBegin;) {
      const std::string_view word = around_.at(i);
      if (word == ";" || word == "{" || word == "(")
        break;
      if (word == "traits") {
        for (std::string_view trait : {"pure", "elementwise", "commutative", "constant", "moves_elements",
                                       "effect(random)", "effect(error)", "effect(state)"})
          add(trait, ItemKind::EnumMember, "trait");
        return out_;
      }
      if (word == "canonicalize") {
        runnables({ast::DeclKind::Pattern});
        return out_;
      }
    }
    if (top) {
      keywords({"versions"});
      return out_;
    }
    if (last == ":" || last == "->") {
      types(false);
      return out_;
    }
  }
  if ((last == ":" || last == "->") && (kind == "fn" || kind == "constraint" || kind == "rewrite" || kind == "test" ||
                                        (kind == "match" && bracket == "(" && around_.open.size() == 1))) {
    types(false);
    return out_;
  }
  const bool left = isLeftSide();
  if (last == ":") {
    types(true);
    return out_;
  }
  if (last == "->") {
    types(false);
    return out_;
  }
  if (bracket == "(" && (last == "(" || last == ","))
    attributes(around_.open.back());
  if (last == "is" || left) {
    locals();
    ops();
    keywords({"const", "single", "splat", "each", "ordered", "none"});
    if (left && around_.open.size() <= 1)
      keywords({"where"});
    return out_;
  }
  expressions();
  if (kind == "pattern" && around_.open.size() <= 2)
    keywords({"replace", "update", "erase", "is", "and", "or"}, "7");
  if (kind == "test")
    keywords({"unchanged"});
  return out_;
}

} // namespace

Json View::completion(Position at, bool snippets) const {
  return {{"isIncomplete", false}, {"items", Completer(*this, offset(at), snippets).items()}};
}

Json View::completionDetail(const Json &item) const {
  Json out = item;
  std::string key;
  if (item.contains("data") && item["data"].is_object() && item["data"].contains("key") &&
      item["data"]["key"].is_string())
    key = item["data"]["key"];
  if (key.size() < 2)
    return out;
  std::string text;
  const std::string rest = key.substr(1);
  auto number = [&] { return std::min<unsigned long>(std::strtoul(rest.c_str(), nullptr, 10), a_->declared.size()); };
  switch (key[0]) {
  case 'd':
    if (size_t i = number(); i < a_->declared.size())
      text = documentation(a_->declared[i]);
    break;
  case 'k':
    text = keywordDoc(rest);
    break;
  case 'a':
    if (size_t i = number(); i < a_->declared.size())
      if (const auto *op = a_->declared[i].decl->as<ast::OpDecl>())
        for (const ast::AttrDecl &attr : op->attrs)
          if (rest.ends_with(" " + attr.name.text))
            text = attr.doc;
    break;
  case 'b':
    for (const sema::BuiltinInfo &info : sema::builtins())
      if (info.name == rest)
        text = info.doc;
    break;
  case 'p':
    for (const sema::PropertyInfo &property : sema::properties())
      if (property.name == rest)
        text = property.doc;
    break;
  default:
    break;
  }
  if (!text.empty())
    out["documentation"] = {{"kind", "markdown"}, {"value", text}};
  return out;
}

Json View::signatureHelp(Position at) const {
  const size_t where = offset(at);
  const Completer completer(*this, where, false);
  const Around &around = completer.around();
  if (around.inComment || around.inNative)
    return nullptr;
  for (size_t level = around.open.size(); level-- > 0;) {
    const size_t open = around.open[level];
    if (around.at(open) != "(")
      continue;
    const Callee callee = completer.calleeOf(open);
    Json signatures = Json::array();
    // Which argument, by its number or by the name in front of `=`.
    size_t argument = 0, begin = open + 1;
    int depth = 0;
    for (size_t i = open + 1; i < around.count(); ++i) {
      const std::string_view word = around.at(i);
      depth += (word == "(" || word == "[" || word == "{") - (word == ")" || word == "]" || word == "}");
      if (depth == 0 && word == ",")
        ++argument, begin = i + 1;
    }
    const std::string_view named =
        begin + 1 < around.count() && around.at(begin + 1) == "=" ? around.at(begin) : std::string_view();
    auto add = [&](const std::string &name, const std::vector<std::pair<std::string, std::string>> &params,
                   const std::string &behind, const std::string &doc) {
      std::string label = name + "(";
      Json list = Json::array();
      size_t active = argument;
      for (size_t i = 0; i < params.size(); ++i) {
        if (i)
          label += ", ";
        list.push_back({{"label", {label.size(), label.size() + params[i].second.size()}}});
        label += params[i].second;
        if (!named.empty() && params[i].first == named)
          active = i;
      }
      label += ")" + behind;
      Json one{{"label", label}, {"parameters", std::move(list)}};
      if (active < params.size())
        one["activeParameter"] = active;
      if (!doc.empty())
        one["documentation"] = {{"kind", "markdown"}, {"value", doc}};
      signatures.push_back(std::move(one));
    };
    for (uint32_t i : callee.ops) {
      const auto &op = a_->declared[i].decl->get<ast::OpDecl>();
      std::vector<std::pair<std::string, std::string>> params;
      for (const ast::Param &operand : op.operands)
        params.emplace_back(operand.name.text, a_->written(operand.range));
      for (const ast::AttrDecl &attr : op.attrs) {
        std::string text = attr.name.text + " = ";
        if (attr.defaultValue)
          text += a_->written(attr.defaultValue->range);
        else if (attr.type)
          text += std::string(a_->written(attr.type->range)) + (attr.optional ? "?" : "");
        else
          text += "\"" + (attr.choices.empty() ? std::string() : attr.choices.front().text) + "\"";
        params.emplace_back(attr.name.text, text);
      }
      add(a_->declared[i].fullName(), params, "", op.doc);
    }
    for (uint32_t i : callee.callables) {
      const ast::Decl &decl = *a_->declared[i].decl;
      std::vector<std::pair<std::string, std::string>> params;
      std::string behind;
      auto take = [&](const std::vector<ast::Param> &list) {
        for (const ast::Param &param : list)
          params.emplace_back(param.name.text, a_->written(param.range));
      };
      if (const auto *fn = decl.as<ast::FnDecl>()) {
        take(fn->params);
        behind = " -> " + std::string(a_->written(fn->result->range));
      } else if (const auto *native = decl.as<ast::NativeDecl>()) {
        take(native->params);
      } else if (const auto *rewrite = decl.as<ast::RewriteDecl>()) {
        take(rewrite->params);
      } else if (const auto *matcher = decl.as<ast::MatcherDecl>()) {
        for (const auto &param : matcher->params)
          params.emplace_back(param.name.text, a_->written(param.range));
      }
      add(decl.name.text, params, behind, decl.doc);
    }
    for (const sema::BuiltinInfo *info : callee.builtins) {
      std::vector<std::pair<std::string, std::string>> params;
      const size_t close = info->signature.rfind(") ->");
      std::string_view inside = info->signature.substr(1, close - 1);
      while (!inside.empty()) {
        const size_t comma = std::min(inside.find(", "), inside.size());
        params.emplace_back(std::string(inside.substr(0, inside.find(':'))), std::string(inside.substr(0, comma)));
        inside.remove_prefix(std::min(comma + 2, inside.size()));
      }
      add(std::string(info->name), params, std::string(info->signature.substr(close + 1)), std::string(info->doc));
    }
    if (!signatures.empty())
      return {{"signatures", std::move(signatures)}, {"activeSignature", 0}};
  }
  return nullptr;
}

} // namespace rw::editor
