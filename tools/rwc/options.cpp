#include "options.h"

#include "codegen/emit/names.h"
#include "rw/support/command_line.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {
namespace {
namespace cl = llvm::cl;

cl::OptionCategory jobs("Jobs (give one)"), category("Settings");
cl::opt<std::string> input(cl::Positional, cl::desc("FILE.rw"), cl::cat(category));
cl::opt<std::string> outDir("o", cl::desc("Write FILE.rw.h and FILE.rw.cpp into this folder, if they change"),
                            cl::value_desc("DIR"), cl::cat(jobs));
cl::list<std::string> importDirs("I", cl::desc("Search imports here after the importing file's folder"),
                                 cl::value_desc("DIR"), cl::Prefix, cl::cat(category));
cl::opt<std::string> depfile("depfile", cl::desc("Write what the outputs depend on, for make and ninja"),
                             cl::value_desc("FILE"), cl::cat(category));
cl::opt<std::string> compiledFiles(
    "compiled-files", cl::value_desc("FILE"), cl::cat(category),
    cl::desc("A folder, then all of its files that are compiled, a line each: importing another one is an error"));
cl::opt<std::string> cppNamespace("namespace", cl::desc("C++ namespace of the generated code (default: rwgen)"),
                                  cl::value_desc("NS"), cl::init("rwgen"), cl::cat(category));
cl::opt<bool>
    lineDirectives("line-directives", cl::cat(category),
                   cl::desc("Name the lines of the .rw file in the C++, so that a debugger stops at and shows those"));
cl::opt<std::string> form(
    "form", cl::value_desc("cpp|data"), cl::init("cpp"), cl::cat(category),
    cl::desc(
        "What patterns become: C++, or data in C++ that rw interprets: slower, and built in a moment (default: cpp)"));
cl::opt<std::string> dump("dump",
                          cl::desc("Print one stage: what it is read as (tokens, ast), checked (sema), planned (plan, "
                                   "the default), runs from source (code) or becomes (cpp)"),
                          cl::value_desc("tokens|ast|sema|plan|code|cpp"), cl::ValueOptional, cl::cat(jobs));
cl::opt<bool> check("check", cl::desc("Diagnostics only"), cl::cat(jobs));
cl::opt<bool> list("list", cl::desc("List the ops, patterns, passes and pipelines that the file defines"),
                   cl::cat(jobs));
cl::opt<bool> docs("docs", cl::desc("A documentation page of what the file defines, in Markdown"), cl::cat(jobs));
cl::opt<bool> test("test", cl::desc("Build and run the tests of the file; -o keeps what is built for the next time"),
                   cl::cat(jobs));
cl::list<std::string> cppFiles("cpp", cl::desc("With --test: C++ that defines what the file declares extern"),
                               cl::value_desc("FILE.cpp"), cl::cat(category));
cl::opt<std::string>
    verify("verify", cl::desc("Prove every pattern of the file, or those of such names, or refute it by an example"),
           cl::value_desc("GLOB"), cl::ValueOptional, cl::cat(jobs));
cl::opt<bool> answersAsJson("json", cl::desc("With --verify: an object a line, for each pattern"), cl::cat(category));
cl::opt<std::string> evidence(
    "evidence",
    cl::desc(
        "With --verify: write counterexamples into this folder, as a test and as a model, and what a solver was asked"),
    cl::value_desc("DIR"), cl::cat(category));
cl::opt<std::string>
    cache("cache",
          cl::desc("With --verify: keep answers in this folder, and take them from there where nothing has changed"),
          cl::value_desc("DIR"), cl::cat(category));
cl::opt<unsigned> programs("programs",
                           cl::desc("With --verify: on how many more programs a pattern is tried once it is decided "
                                    "(default 2000); a million take minutes"),
                           cl::value_desc("N"), cl::cat(category));
cl::list<std::string>
    plugin("plugin",
           cl::desc("With --verify: run the patterns as they are compiled in this library, made by rw_add_patterns(... "
                    "PLUGIN), so that those with native code take part"),
           cl::value_desc("LIB.so"), cl::cat(category));
cl::opt<bool> json(
    "json-diagnostics",
    cl::desc("Diagnostics as JSON, to standard output; to standard error beside --dump, --list, --docs and --format"),
    cl::cat(category));
cl::opt<std::string>
    format("format", cl::desc("Put space and indentation right: print the text, `write` it to the file, or `check` it"),
           cl::value_desc("write|check"), cl::ValueOptional, cl::cat(jobs));

cl::opt<std::string> completion("completion", cl::desc("Print what makes this shell complete options"),
                                cl::value_desc("bash|zsh"), cl::cat(jobs));
cl::opt<bool> man("man", cl::desc("Print the manual page, in the language of man(7)"), cl::cat(jobs));

constexpr const char *kOverview =
    "Compiles rewrite patterns (.rw) to C++.\n\n"
    "  rwc FILE.rw -o DIR [-I DIR] [--depfile F]    FILE.rw.h and FILE.rw.cpp\n"
    "  rwc --dump=STAGE FILE.rw                     one stage, to standard output\n"
    "  rwc --check FILE.rw                          diagnostics only\n"
    "  rwc --list FILE.rw                           what it defines\n"
    "  rwc --docs FILE.rw                           its documentation page, in Markdown\n"
    "  rwc --test FILE.rw [--cpp FILE.cpp]          its tests; with native code, built first\n"
    "  rwc --verify[=GLOB] FILE.rw [--json]         its patterns proved, or refuted by an example\n"
    "  rwc --format[=write|check] FILE.rw           space and indentation put right\n\n"
    "Exit status: 0 done, 1 the input is wrong, 2 the command line is wrong.\n";

/// A C++ namespace: names joined by `::`.
bool isNamespace(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, "::");
  return llvm::all_of(parts, [](llvm::StringRef part) {
    return !part.empty() && !llvm::isDigit(part[0]) &&
           !emit::isCppKeyword(std::string_view(part.data(), part.size())) &&
           llvm::all_of(part, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  });
}
} // namespace

std::optional<RwcOptions> parseOptions(int argc, char **argv, int &exitStatus) {
  exitStatus = 2;
  cl::HideUnrelatedOptions({&jobs, &category});
  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "rwc " RW_VERSION "\n"; });
  for (int i = 1; i < argc; ++i) // without arguments too, help is help
    if (llvm::StringRef(argv[i]) == "-h")
      argv[i] = const_cast<char *>("--help");
  std::string text;
  llvm::raw_string_ostream errors(text);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &errors)) {
    llvm::StringRef said = text;
    said.consume_front(llvm::sys::path::filename(argv[0]));
    said.consume_front(": ");
    if (!said.empty()) // else it was shown
      llvm::errs() << "rwc: error: " << inPlainWords(std::string_view(said.data(), said.size()), "rwc") << "\n";
    return std::nullopt;
  }
  auto usage = [](const llvm::Twine &message) {
    llvm::errs() << "rwc: error: " << message << "\nrwc: --help tells how it is used\n";
    return std::nullopt;
  };
  if (completion.getNumOccurrences() || man) {
    const std::string name = llvm::sys::path::filename(argv[0]).str();
    const ProgramText program{name, RW_VERSION, "compiles rewrite patterns (.rw) to C++", "[options] FILE.rw",
                              kOverview};
    const std::string out = man ? manPage(program) : completionScript(completion.getValue(), program);
    if (out.empty())
      return usage("--completion takes `bash` or `zsh`, not `" + llvm::Twine(completion.getValue()) + "`");
    llvm::outs() << out;
    exitStatus = 0;
    return std::nullopt;
  }
  RwcOptions o;
  o.input = input;
  o.outDir = outDir;
  o.depfile = depfile;
  o.compiledFiles = compiledFiles;
  o.cppNamespace = cppNamespace;
  o.lineDirectives = lineDirectives;
  o.asData = form == "data";
  o.importDirs = {importDirs.begin(), importDirs.end()};
  o.check = check;
  o.list = list;
  o.docs = docs;
  o.test = test;
  o.cppFiles = {cppFiles.begin(), cppFiles.end()};
  o.json = json;
  o.verify = verify.getNumOccurrences() > 0;
  o.verifyOnly = verify;
  o.answersAsJson = answersAsJson;
  o.evidenceDir = evidence;
  o.cacheDir = cache;
  if (programs.getNumOccurrences())
    o.programs = programs;
  o.plugins.assign(plugin.begin(), plugin.end());
  if (form != "cpp" && form != "data")
    return usage("--form takes `cpp` or `data`, not `" + llvm::Twine(std::string(form)) + "`");
  if (dump.getNumOccurrences()) {
    static constexpr std::pair<llvm::StringRef, Dump> stages[] = {
        {"tokens", Dump::Tokens}, {"ast", Dump::Ast}, {"sema", Dump::Sema}, {"plan", Dump::Plan},
        {"code", Dump::Code},     {"cpp", Dump::Cpp}, {"", Dump::Plan}};
    for (auto [name, stage] : stages)
      if (name == llvm::StringRef(dump))
        o.dump = stage;
    if (o.dump == Dump::None)
      return usage("no stage `" + llvm::Twine(std::string(dump)) +
                   "`; there are tokens, ast, sema, plan, code and cpp");
  }
  if (format.getNumOccurrences()) {
    llvm::StringRef how = format;
    o.format = how.empty()      ? Format::Print
               : how == "write" ? Format::Write
               : how == "check" ? Format::Check
                                : Format::None;
    if (o.format == Format::None)
      return usage("--format takes `write` or `check`, not `" + how + "`");
  }
  if (o.input.empty())
    return usage("no input file");
  if (o.format == Format::Write && o.input == "-")
    return usage("--format=write needs a file to write to");
  if (!isNamespace(o.cppNamespace))
    return usage("`" + llvm::Twine(o.cppNamespace) + "` is no C++ namespace");
  int jobs = (!o.outDir.empty() && !o.test) + (o.dump != Dump::None) + o.check + o.list + o.docs + o.test + o.verify +
             (o.format != Format::None);
  if (jobs == 0)
    return usage("nothing to do: give -o DIR, --dump, --check, --list, --docs, --test, --verify or --format");
  if (jobs > 1)
    return usage(
        "-o, --dump, --check, --list, --docs, --test, --verify and --format are one job each: give one of them");
  for (const std::string &folder : o.importDirs)
    if (!llvm::sys::fs::is_directory(folder))
      return usage("-I names folders, and " + llvm::Twine(folder) + " is none");
  if (!o.cppFiles.empty() && !o.test)
    return usage("--cpp needs --test");
  for (const std::string &file : o.cppFiles)
    if (!llvm::sys::fs::exists(file))
      return usage("--cpp names C++ files, and there is no `" + llvm::Twine(file) + "`");
  if (o.test && o.input == "-")
    return usage("--test needs a file");
  if ((o.answersAsJson || !o.evidenceDir.empty() || !o.cacheDir.empty() || programs.getNumOccurrences()) && !o.verify)
    return usage("--json, --evidence, --cache and --programs need --verify");
  if (!o.plugins.empty() && !o.verify)
    return usage("--plugin needs --verify");
  if (!o.plugins.empty() && !o.cacheDir.empty())
    return usage(
        "--cache keeps answers by what stands in the file, and what --plugin runs may be older: give one of them");
  if (!o.depfile.empty() && (o.outDir.empty() || o.test))
    return usage("--depfile needs -o");
  exitStatus = 0;
  return o;
}

} // namespace rw
