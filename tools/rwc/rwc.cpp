#include "rwc.h"

#include "options.h"
#include "test_file.h"

#include "codegen/emit/emit.h"
#include "codegen/interpret/compiler.h"
#include "codegen/machine/unit_bytes.h"
#include "codegen/plan/plan.h"
#include "frontend/check/check.h"
#include "frontend/docs/docs.h"
#include "frontend/format/format.h"
#include "frontend/parse/parse.h"
#include "rw/load/load_patterns.h"
#include "rw/support/atomic_file.h"
#include "rw/support/exec_sibling.h"
#include "rw/support/output_files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw {

int report(const RwcOptions &options, Diagnostics &diags) {
  bool taken = options.dump != Dump::None || options.list || options.docs || options.format == Format::Print;
  if (options.json)
    (taken ? llvm::errs() : llvm::outs()) << diags.renderJson();
  else
    llvm::errs() << diags.renderText(llvm::sys::Process::StandardErrHasColors());
  return diags.hasErrors() ? 1 : 0;
}

namespace {

class Compiler {
public:
  Compiler(const RwcOptions &options, VerifyCommand verify) : options_(options), verify_(verify), diags_(sources_) {}
  int run();

private:
  /// Prints what was reported; the exit status.
  int finish() { return report(options_, diags_); }
  bool readCompiledFiles(sema::CheckOptions &);
  bool dumpStage(std::string &out);
  void format(FileId, std::string &out);
  SourceRange firstDifference(FileId, std::string_view) const;
  bool list(std::string &out) const;
  void write(const emit::Emitted &);
  std::string depfileText(const std::string &header, const std::string &source) const;

  const RwcOptions &options_;
  VerifyCommand verify_;
  SourceManager sources_;
  Diagnostics diags_;
  std::unique_ptr<ast::Module> tree_;
  std::unique_ptr<sema::Module> module_;
};

int Compiler::run() {
  Result<FileId> added = sources_.addFile(options_.input, ast::kMaxSourceBytes + 1);
  if (!added) {
    diags_.errorInFile("cannot-read", options_.input, "cannot be read: " + added.error());
    return finish();
  }
  const FileId file = *added;
  if (options_.test)
    if (std::optional<int> status = testCommand(options_, std::string(sources_.text(file))))
      return *status;
  std::string out;
  if (options_.dump == Dump::Tokens) {
    dumpTokens(file, sources_, diags_, out);
  } else {
    tree_ = parseModule(file, sources_, diags_);
    if (options_.dump == Dump::Ast)
      ast::dump(*tree_, sources_, out);
    else if (options_.format != Format::None)
      format(file, out);
    else if (options_.verify)
      return diags_.hasErrors() ? finish() : verify_(options_, std::string(sources_.text(file)), sources_, diags_);
    else
      dumpStage(out);
  }
  int status = 0;
  std::string more;
  if (options_.test && !diags_.hasErrors()) {
    TestFile tests(*module_, options_, diags_);
    status = tests();
    more = tests.compilersWords();
  }
  status = std::max(status, finish());
  llvm::errs() << more;
  if (status == 0 || options_.dump == Dump::Tokens || options_.dump == Dump::Ast)
    llvm::outs() << out;
  return status;
}

/// --compiled-files: a project's folder, then its files.
bool Compiler::readCompiledFiles(sema::CheckOptions &options) {
  if (options_.compiledFiles.empty())
    return true;
  auto text = llvm::MemoryBuffer::getFile(options_.compiledFiles, true);
  if (!text) {
    diags_.errorInFile("cannot-read", options_.compiledFiles, "cannot be read: " + text.getError().message());
    return false;
  }
  llvm::SmallString<256> real;
  for (llvm::line_iterator line(**text); !line.is_at_eof(); ++line) {
    std::string path = llvm::sys::fs::real_path(*line, real) ? line->str() : std::string(real);
    if (options.project.empty())
      options.project = path;
    else
      options.compiledFiles.insert(path);
  }
  return true;
}

bool Compiler::dumpStage(std::string &out) {
  sema::CheckOptions options;
  options.importDirs = options_.importDirs;
  options.builtinDir = builtinPatternDir();
  options.parse = [&](FileId f) { return parseModule(f, sources_, diags_); };
  options.warnOfUnnamed = options_.check;
  if (!readCompiledFiles(options))
    return false;
  module_ = sema::check(*tree_, options, sources_, diags_);
  if (diags_.hasErrors())
    return false;
  if (options_.dump == Dump::Sema) {
    sema::dump(*module_, sources_, out);
    return true;
  }
  if (options_.list)
    return list(out);
  if (options_.docs) {
    out = docs::markdown(*module_, sources_, llvm::sys::path::filename(options_.input).str());
    return true;
  }
  plan::Module plans = plan::buildPlans(*module_, sources_, diags_);
  if (diags_.hasErrors())
    return false;
  if (options_.dump == Dump::Plan) {
    out = plan::dump(plans);
    return true;
  }
  if (options_.dump == Dump::Code) {
    out = interpret::dump(interpret::compile(plans, sources_, {}, diags_));
    return !diags_.hasErrors();
  }
  emit::EmitOptions emitOptions{options_.cppNamespace, options_.importDirs, options_.lineDirectives};
  if (!options.builtinDir.empty()) // whose generated headers are installed under the same names
    emitOptions.importDirs.push_back(options.builtinDir);
  if (options_.asData) {
    emitOptions.data = interpret::toBytes(interpret::compile(plans, sources_, {.besideCpp = true}, diags_));
    if (diags_.hasErrors())
      return false;
  }
  emit::Emitted code = emit::emitCpp(plans, sources_, emitOptions, diags_);
  if (diags_.hasErrors())
    return false;
  if (options_.dump == Dump::Cpp)
    out = "// ==== header\n" + code.header + "// ==== source\n" + code.source;
  else if (!options_.check && !options_.test)
    write(code);
  return true;
}

/// Where the file's text begins to differ from another one.
SourceRange Compiler::firstDifference(FileId file, std::string_view other) const {
  std::string_view text = sources_.text(file);
  size_t at = size_t(std::ranges::mismatch(text, other).in1 - text.begin());
  return {sources_.locOf(file, at), sources_.locOf(file, std::min(at + 1, text.size()))};
}

void Compiler::format(FileId file, std::string &out) {
  if (diags_.hasErrors())
    return; // what cannot be parsed stays as it is
  std::string text = formatText(sources_.text(file), lexemes(file, sources_, diags_));
  if (options_.format == Format::Print)
    out = std::move(text);
  else if (options_.format == Format::Check && text != sources_.text(file))
    diags_
        .error("not-formatted", firstDifference(file, text),
               "from here on space or indentation is not as `rwc --format` has it")
        .note("`rwc --format=write` puts it right");
  else if (options_.format == Format::Write)
    if (Result<WriteOutcome> written = writeFileIfChanged(options_.input, text); !written)
      diags_.errorInFile("cannot-write", options_.input, "cannot be written: " + written.error());
}

bool Compiler::list(std::string &out) const {
  auto line = [&](std::string_view kind, const sema::Decl &decl, std::string_view name, std::string_view more = "") {
    std::string_view doc = std::string_view(decl.doc).substr(0, decl.doc.find('\n'));
    out += fmt::format("{:<8} {}{}{}{}\n", kind, name, more, doc.empty() ? "" : "  // ", doc);
  };
  for (const sema::Op &op : module_->ops)
    if (!op.imported) {
      std::string versions = op.since == 0 && !op.until ? ""
                             : op.until                 ? fmt::format(" versions {}..{}", op.since, *op.until)
                                                        : fmt::format(" versions {}..", op.since);
      line("op", op, op.fullName(), versions);
    }
  for (const sema::Fn &fn : module_->fns)
    if (!fn.imported)
      line("fn", fn, fn.name);
  for (const sema::Pattern &p : module_->patterns)
    if (!p.imported)
      line("pattern", p, p.name);
  for (const sema::Pass &p : module_->passes)
    if (!p.imported)
      line(p.conversion ? "conversion" : "pass", p, p.name);
  for (const sema::Pipeline &p : module_->pipelines)
    if (!p.imported)
      line("pipeline", p, p.name, " = " + p.text);
  return true;
}

/// A path in a depfile: spaces, `#` and `$` are special.
std::string escaped(std::string_view path) {
  std::string out;
  for (char c : path) {
    if (c == ' ' || c == '#')
      out += '\\';
    if (c == '$')
      out += '$';
    out += c;
  }
  return out;
}

std::string Compiler::depfileText(const std::string &header, const std::string &source) const {
  std::string text = escaped(header) + " " + escaped(source) + ":";
  for (const sema::File &f : module_->files)
    text += " \\\n  " + escaped(f.path);
  return text + "\n";
}

void Compiler::write(const emit::Emitted &code) {
  llvm::SmallString<256> base(options_.outDir);
  llvm::sys::path::append(base, llvm::sys::path::filename(options_.input));
  std::string header = (base + ".h").str(), source = (base + ".cpp").str();
  const OutputFile outputs[] = {{"the header", header}, {"the C++", source}, {"--depfile", options_.depfile}};
  if (!keepsSources(outputs, sources_, diags_))
    return;
  if (std::error_code ec = llvm::sys::fs::create_directories(options_.outDir)) {
    diags_.errorInFile("cannot-write", options_.outDir, "the folder cannot be made: " + ec.message());
    return;
  }
  auto put = [&](const std::string &path, const std::string &text) {
    if (diags_.hasErrors())
      return;
    if (Result<WriteOutcome> written = writeFileIfChanged(path, text); !written)
      diags_.errorInFile("cannot-write", path, "cannot be written: " + written.error());
  };
  put(header, code.header);
  put(source, code.source);
  if (!options_.depfile.empty())
    put(options_.depfile, depfileText(header, source));
}

} // namespace

int rwcMain(int argc, char **argv, VerifyCommand verify) {
  int status = 0;
  const std::optional<RwcOptions> options = parseOptions(argc, argv, status);
  if (!options)
    return status;
  if (options->verify && !verify) { // before anything is read from standard input
    SourceManager sources;
    Diagnostics diags(sources);
    execSibling("rwc-verify", argv, diags);
    return report(*options, diags);
  }
  return Compiler(*options, verify).run();
}

} // namespace rw
