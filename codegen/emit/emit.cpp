#include "codegen/emit/emit.h"

#include "codegen/emit/op_emitter.h"
#include "codegen/emit/pattern_emitter.h"
#include "codegen/plan/natives.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

namespace rw::emit {
namespace fs = std::filesystem;

// References ------------------------------------------------------------------------------------------------------

static std::string stemOf(std::string_view path) {
  std::string stem = fs::path(path).filename().string();
  if (stem.ends_with(".rw"))
    stem.resize(stem.size() - 3);
  return declName(stem);
}

std::string registerName(std::string_view path) {
  std::string stem = stemOf(path);
  return "register_" + stem;
}

References::References(const sema::Module &module) : module_(module) {
  for (const sema::Op &op : module.ops)
    if (auto [it, isNew] = named_.try_emplace(op.dialect + "." + pascalCase(op.name) + "Op", op.name);
        !isNew && it->second != op.name)
      it->second = {};
}

std::string References::stem(FileId file) const {
  for (const sema::File &f : module_.files)
    if (f.id == file)
      return stemOf(f.path);
  return "rw";
}

std::string References::viewName(sema::OpIndex index) const {
  const sema::Op &op = module_.op(index);
  // By the declaration alone, so that files which see different other versions agree.
  if (op.until)
    return fmt::format("{}V{}Op", pascalCase(op.name), op.since);
  std::string name = pascalCase(op.name) + "Op";
  if (named_.lookup(op.dialect + "." + name) != op.name) // another one differs only in `_` or case
    return identifier(op.name) + "_Op";
  return name;
}

std::string References::view(sema::OpIndex index) const {
  const sema::Op &op = module_.op(index);
  return fmt::format("{}{}::{}", op.imported ? "rw::names::" : "", declName(op.dialect), viewName(index));
}

std::string References::fn(sema::FnIndex index) const {
  const sema::Fn &fn = module_.fn(index);
  return fmt::format("{}{}::{}", fn.imported ? "rw::names::" : "", stem(fn.file), declName(fn.name));
}

std::string References::native(sema::NativeIndex index) const {
  const sema::Native &n = module_.native(index);
  return fmt::format("{}{}::{}", n.imported ? "rw::names::" : "", stem(n.file), declName(n.name));
}

// Files -----------------------------------------------------------------------------------------------------------

namespace {
class FileEmitter {
public:
  FileEmitter(const plan::Module &plans, const SourceManager &sources, const EmitOptions &options, Diagnostics &diags)
      : plans_(plans), module_(*plans.source), sources_(sources), options_(options), diags_(diags), refs_(module_),
        stem_(stemOf(module_.files[0].path)) {}
  Emitted emit();

private:
  std::string header();
  std::string source();
  void headerFns(Writer &);
  void forwardNames(Writer &);
  void patterns(Writer &);
  void data(Writer &);
  void opsOfFile(const std::string &file, Writer &);
  std::string domainOf(const std::vector<sema::OpIndex> &) const;
  /// The constant with what the ops of a dialect have in common.
  static std::string opsName(unsigned dialect) { return dialect ? fmt::format("kOps{}", dialect + 1) : "kOps"; }
  std::optional<Clauses> clausesOf(sema::OpIndex) const;
  bool hasDataClauses() const;
  static bool hasClauses(const sema::Op &op) {
    return !op.types.empty() || !op.requires_.empty() || !op.folds.empty() || !op.means.empty() ||
           std::ranges::any_of(op.attrs, [](auto &attr) { return attr.defaultValue.has_value(); });
  }
  std::vector<const sema::Fn *> fns() const;
  void registration(Writer &, bool own);
  void addPatterns(Writer &);
  template <class D> bool isData(const D &decl) const {
    return options_.data && plan::nativesOf(decl, module_).empty();
  }
  bool isData(const plan::MatchPlan &plan) const { return isData(module_.pattern(plan.pattern)); }
  /// With its meanings.
  bool isData(const sema::Op &op) const {
    return options_.data &&
           (op.means.empty() ? plan::nativesOf(op, module_) : plan::nativesOf(module_.pattern(op.means[0]), module_))
               .empty();
  }
  /// Of an op, which the op's schema refers to: no pattern of the registry.
  bool isMeaning(const plan::MatchPlan &plan) const { return bool(module_.pattern(plan.pattern).meaningOf); }
  void meanings(Writer &);
  std::map<uint32_t, std::vector<std::string>> meanings_; // by op: the constants
  void passes(Writer &);
  void conversion(Writer &, const sema::Conversion &);
  std::string reference(const sema::Decl &) const;
  void tests(Writer &);
  std::vector<std::string> testEntries_;
  SharedParts tables_; // of patterns
  std::string includeOf(const sema::File &) const;
  std::string ownNamespace() const;
  std::string className(const std::string &pattern);
  /// Whether some pattern is a class.
  bool hasClasses() const {
    return std::ranges::any_of(plans_.plans, [&](const plan::MatchPlan &plan) { return !isData(plan); });
  }
  bool hasTests() const {
    return std::ranges::any_of(module_.tests, [&](const sema::Test &test) { return !test.imported && !isData(test); });
  }
  std::string fileName() const { return fs::path(module_.files[0].path).filename().string(); }
  unsigned line(SourceRange r) const { return sources_.line(r.begin); }
  /// Ops of the root file by dialect, in order of first appearance.
  std::vector<std::pair<std::string, std::vector<sema::OpIndex>>> dialects() const;

  const plan::Module &plans_;
  const sema::Module &module_;
  const SourceManager &sources_;
  const EmitOptions &options_;
  Diagnostics &diags_;
  References refs_;
  std::string stem_;
  std::set<std::string> classNames_, dialectNames_;
};
} // namespace

std::vector<std::pair<std::string, std::vector<sema::OpIndex>>> FileEmitter::dialects() const {
  std::vector<std::pair<std::string, std::vector<sema::OpIndex>>> out;
  for (uint32_t i = 0; i < module_.ops.size(); ++i) {
    if (module_.ops[i].imported)
      continue;
    auto it = std::ranges::find(out, module_.ops[i].dialect, &decltype(out)::value_type::first);
    if (it == out.end())
      it = out.insert(out.end(), {module_.ops[i].dialect, {}});
    it->second.push_back(sema::OpIndex(i));
  }
  return out;
}

/// How the generated code of an import is included: by its path below an import folder, or relative to this file.
std::string FileEmitter::includeOf(const sema::File &file) const {
  fs::path path = fs::absolute(file.path).lexically_normal();
  fs::path root = fs::absolute(module_.files[0].path).lexically_normal().parent_path();
  std::string best;
  for (const std::string &dir : options_.importDirs) {
    fs::path folder = fs::absolute(dir).lexically_normal();
    std::string relative = path.lexically_relative(folder).generic_string();
    if (!relative.empty() && !relative.starts_with("..") && (best.empty() || relative.size() < best.size()))
      best = relative;
  }
  if (best.empty())
    best = path.lexically_relative(root).generic_string();
  return best + ".h";
}

void FileEmitter::headerFns(Writer &w) {
  bool any = false;
  auto begin = [&] {
    if (!any)
      w.line("namespace {} {{", stem_);
    any = true;
  };
  for (const sema::Fn *fn : fns()) {
    begin();
    w.line("{};", fnSignature(*fn, "rw::", true));
  }
  for (const sema::Native &n : module_.natives)
    if (!n.imported) {
      begin();
      w.line("{};{}", nativeSignature(n, "rw::"), n.isExtern ? " // to be defined by the user" : "");
    }
  if (any) {
    w.line("}} // namespace {}", stem_);
    w.blank();
  }
}

static void usingNames(std::string_view space, const std::vector<std::string> &names, Writer &w) {
  w.line("namespace rw::names::{} {{", declName(space));
  std::string line = "using";
  for (size_t i = 0; i < names.size(); ++i) {
    if (line.size() + names[i].size() + 2 > 120)
      w.text(std::exchange(line, " "));
    line += " " + names[i] + (i + 1 < names.size() ? "," : ";");
  }
  w.text(std::move(line));
  w.text("}");
}

/// Under which names code generated from other files, of whatever namespace, refers to what this one declares.
void FileEmitter::forwardNames(Writer &w) {
  for (auto &[dialect, ops] : dialects()) {
    std::vector<std::string> views;
    for (sema::OpIndex op : ops)
      views.push_back(fmt::format("::{}::{}::{}", options_.cppNamespace, declName(dialect), refs_.viewName(op)));
    usingNames(dialect, views, w);
  }
  std::set<std::string> names;
  for (const sema::Fn *fn : fns())
    names.insert(declName(fn->name));
  for (const sema::Native &n : module_.natives)
    if (!n.imported)
      names.insert(declName(n.name));
  if (names.empty())
    return;
  std::vector<std::string> functions;
  for (const std::string &name : names)
    functions.push_back(fmt::format("::{}::{}::{}", options_.cppNamespace, stem_, name));
  usingNames(stem_, functions, w);
}

std::string FileEmitter::header() {
  Writer w;
  w.line("// Generated by rwc from {}.", fileName());
  w.line("// registers: {}::{}", options_.cppNamespace, registerName(module_.files[0].path));
  w.text("#pragma once");
  w.blank();
  if (std::ranges::any_of(module_.ops, [](const sema::Op &op) { return !op.imported && !op.attrs.empty(); })) {
    w.text("// Of a view, `nameAttr()` is the attribute `name`, or its default; none if it is not there.");
    w.blank();
  }
  for (size_t i = 1; i < module_.files.size(); ++i)
    w.line("#include \"{}\"", includeOf(module_.files[i]));
  w.text("#include \"rw/ir/expr_helpers.h\"");
  w.blank();
  w.text("namespace rw {\nclass Registry;\nclass PatternRewriter;\n}");
  w.blank();
  w.line("namespace {} {{", options_.cppNamespace);
  w.blank();
  w.text("/// Adds the ops, patterns, passes and pipelines of the file.");
  w.line("void {}(rw::Registry &);", registerName(module_.files[0].path));
  w.blank();
  for (auto &[dialect, ops] : dialects()) {
    w.line("namespace {} {{", declName(dialect));
    w.blank();
    std::vector<NamedOp> views;
    for (sema::OpIndex op : ops)
      views.push_back({&module_.op(op), refs_.viewName(op)});
    emitViews(views, w);
    w.line("}} // namespace {}", declName(dialect));
    w.blank();
  }
  headerFns(w);
  w.line("}} // namespace {}", options_.cppNamespace);
  w.blank();
  forwardNames(w);
  return w.take();
}

/// Where the file keeps what no other sees. It has a name as well as being unnamed, so that several generated files can
/// be compiled as one, in which a single unnamed namespace would have each file's `kPatterns`, and patterns of the same
/// name.
std::string FileEmitter::ownNamespace() const {
  std::string name = "of_" + stem_;
  for (auto &[dialect, ops] : dialects())
    if (declName(dialect) == name)
      return name + "_";
  return name;
}

/// A class of the pattern's name, unless something else has it.
std::string FileEmitter::className(const std::string &pattern) {
  std::string base = identifier(pattern);
  if (dialectNames_.empty())
    for (const auto &[dialect, ops] : dialects())
      dialectNames_.insert(declName(dialect));
  bool taken = isReserved(base) || base == stem_ || dialectNames_.contains(base);
  if (taken || looksGenerated(base))
    base += "Pattern";
  std::string name = base;
  for (unsigned i = 2; !classNames_.insert(name).second; ++i)
    name = fmt::format("{}_{}", base, i);
  return name;
}

std::string FileEmitter::source() {
  Writer w;
  w.line("// Generated by rwc from {}.", fileName());
  w.line("#include \"{}.h\"", fileName());
  w.blank();
  w.text("#include \"rw/passes/pass.h\"");
  w.text("#include \"rw/rewrite/match_helpers.h\"");
  if (hasClasses() || hasTests())
    w.text("#include \"rw/rewrite/attempt.h\"");
  auto setsByName = [&](const sema::Pattern &p) {
    return std::ranges::any_of(p.body.builds, &sema::Build::byName) ||
           std::ranges::any_of(p.actions, [&](const sema::Action &a) {
             return a.kind == sema::ActionKind::Update && a.op && attrsMove(p.body.var(a.op).ops, a.attrs, module_);
           });
  };
  if (std::ranges::any_of(module_.patterns, [&](auto &p) { return !p.imported && setsByName(p); }) ||
      std::ranges::any_of(module_.tests, [](auto &t) {
        return !t.imported && std::ranges::any_of(t.body.builds, &sema::Build::byName);
      }))
    w.text("#include \"rw/rewrite/named_builds.h\"");
  if (std::ranges::any_of(module_.ops,
                          [&](const sema::Op &op) { return !op.imported && !op.means.empty() && !isData(op); }))
    w.text("#include \"rw/rewrite/meaning.h\"");
  if (options_.data)
    w.text("#include \"rw/load/embedded_patterns.h\"");
  w.blank();
  bool inlined = std::ranges::any_of(module_.natives, [](auto &n) { return !n.imported && !n.isExtern; });
  if (inlined) { // which may use them, and counts lines
    w.text("#include <cmath>");
    w.text("#include <limits>");
    w.blank();
  }
  size_t includes = w.mark();
  w.line("namespace {} {{", options_.cppNamespace);
  w.text("using namespace rw;");
  w.blank();
  std::string file = includeOf(module_.files[0]);
  file.resize(file.size() - 2); // without ".h"
  if (options_.data || !dialects().empty()) {
    w.line("namespace {} {{ namespace {{", ownNamespace());
    w.blank();
    if (options_.data)
      data(w);
    opsOfFile(file, w);
    w.line("}}}} // namespace {}", ownNamespace());
    w.blank();
  }
  unsigned number = 0;
  for (auto &[dialect, ops] : dialects()) {
    w.line("namespace {} {{", declName(dialect));
    w.blank();
    SharedParts shared;
    const CommonOps common{fmt::format("{}::{}", ownNamespace(), opsName(number++)), domainOf(ops)};
    for (sema::OpIndex op : ops)
      emitSchema(module_.op(op), refs_.viewName(op), common, refs_, clausesOf(op), shared, w);
    w.blank();
    w.line("}} // namespace {}", declName(dialect));
    w.blank();
  }
  const std::vector<const sema::Fn *> functionsOfFile = fns();
  bool functions = !functionsOfFile.empty() ||
                   std::ranges::any_of(module_.natives, [](auto &n) { return !n.imported && !n.isExtern; });
  if (functions) {
    w.line("namespace {} {{", stem_);
    w.blank();
    for (const sema::Native &n : module_.natives)
      if (!n.imported && !n.isExtern) {
        w.text(nativeSignature(n, "") + " {");
        w.line("#line {} {}", line(n.codeRange), cppString(sources_.name(n.file)));
        // the same columns
        w.raw(std::string(sources_.lineColumn(n.codeRange.begin).column - 1, ' ') + n.code + "\n}\n");
        w.resume();
        w.blank();
      }
    for (const sema::Fn *fn : functionsOfFile) {
      w.line("// {}:{}", fileName(), line(fn->nameRange));
      emitFn(*fn, refs_, w);
    }
    w.line("}} // namespace {}", stem_);
    w.blank();
  }
  const bool own = hasClasses() || hasTests();
  if (own) {
    w.line("namespace {} {{ namespace {{", ownNamespace());
    w.blank();
  }
  if (hasClasses())
    patterns(w);
  tests(w);
  if (own) {
    w.line("}}}} // namespace {}", ownNamespace());
    w.blank();
  }
  meanings(w);
  registration(w, own || options_.data);
  w.line("}} // namespace {}", options_.cppNamespace);
  // Each costs compilers as much as ten patterns.
  std::set<std::string, std::less<>> names = w.names();
  auto uses = [&](std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](auto name) { return names.contains(name); });
  };
  std::vector<std::string> more;
  if (uses({"regionParams", "regionResults", "tupleElements", "tupleTypeOf"}))
    more.push_back("#include \"rw/ir/structure_helpers.h\"");
  if (uses({"holdsNoEffects"}))
    more.push_back("#include \"rw/rewrite/effects.h\"");
  if (uses({"canReplace"}))
    more.push_back("#include \"rw/rewrite/type_proof.h\"");
  if (!inlined && uses({"abs", "fmod"}))
    more.push_back("#include <cmath>");
  if (!inlined && uses({"numeric_limits"}))
    more.push_back("#include <limits>");
  if (!more.empty())
    more.push_back("");
  w.insert(includes, more);
  return w.take(fileName() + ".cpp", options_.lineDirectives ? sources_.name(module_.files[0].id) : "");
}

/// What the schemas of ops refer to that mean something.
void FileEmitter::meanings(Writer &w) {
  for (auto &[dialect, ops] : dialects()) {
    if (std::ranges::none_of(ops, [&](sema::OpIndex op) { return meanings_.contains(op.raw); }))
      continue;
    w.line("namespace {} {{", declName(dialect));
    w.blank();
    for (sema::OpIndex op : ops)
      if (auto it = meanings_.find(op.raw); it != meanings_.end())
        emitExpand(refs_.viewName(op), it->second, w);
    w.line("}} // namespace {}", declName(dialect));
    w.blank();
  }
}

void FileEmitter::tests(Writer &w) {
  unsigned number = 0;
  for (const sema::Test &test : module_.tests) {
    if (test.imported || isData(test))
      continue;
    sema::Pattern pattern; // as far as building looks at one
    pattern.name = test.name;
    pattern.file = test.file;
    pattern.nameRange = test.nameRange;
    pattern.body = test.body;
    plan::MatchPlan plan;
    plan.line = line(test.nameRange);
    plan.slots.resize(1);
    std::string name = fmt::format("buildTest{}", ++number);
    PatternEmitter(refs_, pattern, plan, sources_, w).emitTest(test, name);
    std::string_view kind = test.pattern ? "Pattern" : test.pass ? "Pass" : "Pipeline";
    const sema::Decl *tested = nullptr;
    if (test.pattern)
      tested = &module_.pattern(test.pattern);
    else if (test.pass)
      tested = &module_.passes[test.pass.raw];
    else if (test.pipeline)
      tested = &module_.pipelines[test.pipeline.raw];
    std::string target = tested && tested->imported ? fmt::format(", .target = {}", reference(*tested)) : "";
    testEntries_.push_back(fmt::format(
        "{{.name = {}, .kind = TestEntry::Kind::{}, .file = {}, .line = {}, .unchanged = {}, .build = {}{}}}",
        cppString(test.name), kind, cppString(fileName()), plan.line, test.unchanged, name, target));
  }
}

/// The bytes as a string literal, which compilers read much faster than a list of numbers.
void FileEmitter::data(Writer &w) {
  w.text("// The patterns, tests and clauses of ops that ask for no C++, as data.");
  w.text("constexpr char kPatternData[] =");
  constexpr size_t kPerLine = 1024; // nobody reads it
  const std::string &bytes = *options_.data;
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += kPerLine) {
    text += "    \"";
    for (size_t i = at; i < std::min(at + kPerLine, bytes.size()); ++i) {
      unsigned char c = bytes[i];
      if (c == '"' || c == '\\' || c == '?') // `?`: trigraphs
        text += '\\', text += char(c);
      else if (c >= ' ' && c < 127)
        text += char(c);
      else
        fmt::format_to(std::back_inserter(text), "\\{:03o}", c);
    }
    text += at + kPerLine < bytes.size() ? "\"\n" : "\";\n";
  }
  w.raw(text);
  if (hasDataClauses())
    w.text("constinit const EmbeddedClauses kClauses{{kPatternData, sizeof kPatternData - 1}};");
  w.blank();
}

bool FileEmitter::hasDataClauses() const {
  return std::ranges::any_of(module_.ops,
                             [&](const sema::Op &op) { return !op.imported && hasClauses(op) && isData(op); });
}

/// What other formats call the dialect of the ops; empty if that is not the same of all.
std::string FileEmitter::domainOf(const std::vector<sema::OpIndex> &ops) const {
  const std::string &first = module_.op(ops[0]).externalDialect;
  bool same = std::ranges::all_of(ops, [&](sema::OpIndex op) { return module_.op(op).externalDialect == first; });
  return same ? first : "";
}

void FileEmitter::opsOfFile(const std::string &file, Writer &w) {
  unsigned number = 0;
  for (auto &[dialect, ops] : dialects()) {
    const std::string common = fmt::format("{}, {}, {}", cppString(dialect), cppString(file), cppString(domainOf(ops)));
    if (hasDataClauses())
      w.line("constexpr EmbeddedOpsOfFile {}{{{{{}}}, kClauses}};", opsName(number++), common);
    else
      w.line("constexpr OpsOfFile {}{{{}}};", opsName(number++), common);
  }
  if (number)
    w.blank();
}

/// Where the data has the clauses of an op: it has all ops of the file, in their order.
std::optional<Clauses> FileEmitter::clausesOf(sema::OpIndex index) const {
  if (!isData(module_.op(index)))
    return std::nullopt;
  auto before = std::span(module_.ops).first(index.raw);
  return Clauses{size_t(std::ranges::count(before, false, &sema::Op::imported))};
}

static std::vector<uint32_t> calleesOf(const sema::Expr &e) {
  std::vector<uint32_t> out;
  if (e.kind == sema::ExprKind::Call)
    out.push_back(e.fn().raw);
  for (const sema::Expr &arg : e.args)
    for (uint32_t callee : calleesOf(arg))
      out.push_back(callee);
  return out;
}

/// The functions of the file that are C++. Where all that may call them is data, those are not that no other file sees.
std::vector<const sema::Fn *> FileEmitter::fns() const {
  const bool all = !options_.data || hasClasses() || hasTests() ||
                   std::ranges::any_of(module_.natives, [](auto &n) { return !n.imported; }) ||
                   std::ranges::any_of(module_.ops, [&](const sema::Op &op) { return !op.imported && !isData(op); });
  std::set<uint32_t> wanted;
  auto want = [&](auto &&self, uint32_t fn) -> void {
    if (!module_.fns[fn].imported && wanted.insert(fn).second)
      for (uint32_t callee : calleesOf(module_.fns[fn].value))
        self(self, callee);
  };
  for (uint32_t i = 0; i < module_.fns.size(); ++i)
    if (!module_.fns[i].imported && (all || !module_.fns[i].isPrivate))
      want(want, i);
  std::vector<const sema::Fn *> out;
  for (uint32_t i : wanted)
    out.push_back(&module_.fns[i]);
  return out;
}

/// Adds them in the order of the file, runs of data and C++ by turns.
void FileEmitter::addPatterns(Writer &w) {
  if (!options_.data) {
    if (!std::ranges::all_of(plans_.plans, [&](const plan::MatchPlan &plan) { return isMeaning(plan); })) {
      w.open("for (const Pattern *pattern : kPatterns)");
      w.text("registry.patterns.add(*pattern);");
      w.dedent();
    }
    return;
  }
  w.line("const EmbeddedPatterns embedded(registry, {}, {{kPatternData, sizeof kPatternData - 1}});",
         cppString(fileName()));
  size_t data = 0, classes = 0;
  for (size_t i = 0, end; i < plans_.plans.size(); i = end) {
    end = i + 1;
    if (!isData(plans_.plans[i])) {
      if (!isMeaning(plans_.plans[i]))
        w.line("registry.patterns.add(*kPatterns[{}]);", classes++);
      continue;
    }
    bool adds = !isMeaning(plans_.plans[i]);
    for (; end < plans_.plans.size() && isData(plans_.plans[end]); ++end)
      adds |= !isMeaning(plans_.plans[end]);
    if (adds)
      w.line("embedded.addPatterns({}, {});", data, data + (end - i));
    data += end - i;
  }
}

/// The patterns' classes, and the list of all.
void FileEmitter::patterns(Writer &w) {
  std::vector<std::string> classes;
  for (const plan::MatchPlan &plan : plans_.plans) {
    if (isData(plan))
      continue;
    std::string name = className(plan.name);
    std::string_view doc = module_.pattern(plan.pattern).doc;
    if (!doc.empty())
      w.line("/// {}", doc.substr(0, doc.find('\n')));
    PatternEmitter(refs_, plan, sources_, w).emit(name, tables_);
    if (isMeaning(plan))
      meanings_[module_.pattern(plan.pattern).meaningOf.raw].push_back(
          fmt::format("{}::k{}Pattern", ownNamespace(), name));
    else
      classes.push_back(std::move(name));
  }
  if (classes.empty())
    return;
  w.open("constexpr const Pattern *kPatterns[] = {");
  for (std::string &name : classes)
    name = fmt::format("&k{}Pattern", name);
  w.elements(classes);
  w.close("};");
  w.blank();
}

void FileEmitter::registration(Writer &w, bool own) {
  w.open(fmt::format("void {}(Registry &registry) {{", registerName(module_.files[0].path)));
  if (own)
    w.line("using namespace {};", ownNamespace());
  w.line("const Registry::Scope scope(registry, {}, {});", cppString(options_.cppNamespace), cppString(fileName()));
  std::vector<std::string> schemas;
  for (auto &[dialect, ops] : dialects())
    for (sema::OpIndex op : ops)
      schemas.push_back(fmt::format("&{}::{}", declName(dialect), schemaName(refs_.viewName(op))));
  if (!schemas.empty()) {
    w.open("for (const OpSchema *op : {");
    w.elements(schemas);
    w.close("})");
    w.indent();
    w.text("registry.ops.add(*op);");
    w.dedent();
  }
  addPatterns(w);
  std::set<uint32_t> canonical;
  for (const sema::Op &op : module_.ops)
    if (!op.imported)
      for (sema::PatternIndex p : op.canonicalize)
        if (canonical.insert(p.raw).second)
          w.line("registry.addCanonicalization({});", reference(module_.pattern(p)));
  passes(w);
  if (options_.data &&
      std::ranges::any_of(module_.tests, [&](const sema::Test &test) { return !test.imported && isData(test); }))
    w.text("embedded.addTests();");
  for (const std::string &entry : testEntries_)
    w.line("registry.addTest({});", entry);
  w.close("}");
  w.blank();
}

/// How the registry is told of a declaration: one of this file by its name, one of an import by its place as well.
std::string FileEmitter::reference(const sema::Decl &decl) const {
  if (!decl.imported)
    return cppString(decl.name);
  return fmt::format("{{{}, {}, {}}}", cppString(decl.name),
                     cppString(fs::path(sources_.name(decl.file)).filename().string()), line(decl.nameRange));
}

/// The clauses of a conversion, behind what it has as a pass.
void FileEmitter::conversion(Writer &w, const sema::Conversion &c) {
  auto list = [&](std::string_view member, const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + cppString(name);
    if (!text.empty())
      w.line(".{} = {{{}}},", member, text);
  };
  w.open(".conversion = std::make_shared<const ConversionEntry>(ConversionEntry{");
  list("from", c.from);
  list("to", c.to);
  list("legal", c.legal);
  if (c.version)
    w.line(".version = {}, .lastVersion = {},", *c.version, c.last.value_or(*c.version));
  std::string refused;
  for (const sema::Conversion::Refused &r : c.refused)
    refused += fmt::format("{}{{{}, {}}}", refused.empty() ? "" : ", ", cppString(r.type), cppString(r.reason));
  if (!refused.empty())
    w.line(".refused = {{{}}},", refused);
  if (c.keepsFunctions)
    w.line(".keepsFunctions = true,");
  w.close("}),");
}

void FileEmitter::passes(Writer &w) {
  for (const sema::Pass &pass : module_.passes) {
    if (pass.imported)
      continue;
    bool asArray = pass.members.size() > 32; // strings made one by one in the call would take compilers long
    std::string patterns, labels;
    for (const sema::Pass::Member &m : pass.members) {
      std::string &list = m.pattern ? patterns : labels;
      std::string item = m.pattern ? reference(module_.pattern(m.pattern)) : cppString(m.label);
      if (m.pattern && asArray && !module_.pattern(m.pattern).imported)
        item = "{" + item + "}";
      list += (list.empty() ? "" : ", ") + item;
    }
    if (asArray && !patterns.empty()) {
      w.line("static constexpr NameRef::Text {}Patterns[] = {{{}}};", declName(pass.name), patterns);
      patterns = fmt::format("std::begin({0}Patterns), std::end({0}Patterns)", declName(pass.name));
    }
    std::vector<std::string> fields{".name = " + cppString(pass.name), ".doc = " + cppString(pass.doc)};
    if (!patterns.empty())
      fields.push_back(fmt::format(".patterns = {{{}}}", patterns));
    if (!labels.empty())
      fields.push_back(fmt::format(".labels = {{{}}}", labels));
    if (pass.maxIterations)
      fields.push_back(fmt::format(".maxIterations = {}", *pass.maxIterations));
    fields.push_back(fmt::format(".file = {}", cppString(fileName())));
    fields.push_back(fmt::format(".line = {}", line(pass.nameRange)));
    w.open("registry.addPass({");
    w.elements(fields);
    if (pass.conversion)
      conversion(w, *pass.conversion);
    w.close("});");
  }
  for (const sema::Pipeline &p : module_.pipelines) {
    if (p.imported)
      continue;
    std::string imports;
    for (const sema::Pipeline::Import &import : p.imports) {
      const sema::Decl &decl = import.pass ? static_cast<const sema::Decl &>(module_.passes[import.pass.raw])
                                           : module_.pipelines[import.pipeline.raw];
      imports += (imports.empty() ? "" : ", ") + reference(decl);
    }
    w.line("registry.addPipeline({{.name = {}, .text = {}, .doc = {}, .file = {}, .line = {}{}}});", cppString(p.name),
           cppString(p.text), cppString(p.doc), cppString(fileName()), line(p.nameRange),
           imports.empty() ? "" : fmt::format(", .imports = {{{}}}", imports));
  }
}

Emitted FileEmitter::emit() {
  std::string head = header();
  return {std::move(head), source()};
}

Emitted emitCpp(const plan::Module &plans, const SourceManager &sources, const EmitOptions &options,
                Diagnostics &diags) {
  return FileEmitter(plans, sources, options, diags).emit();
}

} // namespace rw::emit
