#include "rw/support/command_line.h"

#include "rw/support/diagnostics.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Regex.h>

#include <algorithm>
#include <vector>

namespace rw {
namespace {
namespace cl = llvm::cl;

/// One row of the table.
struct Flag {
  std::string name; ///< with its dashes
  std::string value, help, group;
  bool mayHaveValue = false, needsValue = false, repeats = false;
};

std::vector<Flag> shownFlags() {
  std::vector<Flag> flags;
  for (const auto &entry : cl::getRegisteredOptions()) {
    const cl::Option &option = *entry.second;
    if (option.ArgStr.empty() || option.getOptionHiddenFlag() != cl::NotHidden)
      continue;
    const cl::ValueExpected expected = option.getValueExpectedFlag();
    flags.push_back({.name = (option.ArgStr.size() == 1 ? "-" : "--") + option.ArgStr.str(),
                     .value = option.ValueStr.str(),
                     .help = option.HelpStr.str(),
                     .group = option.Categories.front()->getName().str(),
                     .mayHaveValue = expected != cl::ValueDisallowed && !option.ValueStr.empty(),
                     .needsValue = expected == cl::ValueRequired && !option.ValueStr.empty(),
                     .repeats = option.getNumOccurrencesFlag() == cl::ZeroOrMore});
  }
  llvm::sort(flags, [](const Flag &a, const Flag &b) { return std::tie(a.group, a.name) < std::tie(b.group, b.name); });
  return flags;
}

enum class Values { None, Words, Files, Passes, Patterns };

/// How a value is completed, by its name in the table.
Values valuesOf(llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef> parts;
  value.split(parts, '|');
  if (parts.size() > 1 &&
      llvm::all_of(parts, [](llvm::StringRef part) { return !part.empty() && llvm::none_of(part, llvm::isUpper); }))
    return Values::Words;
  if (value == "PASS" || value == "NAME|TEXT")
    return Values::Passes;
  if (value == "PATTERN" || value == "P")
    return Values::Patterns;
  for (llvm::StringRef file : {"FILE", "DIR", "OUT", "LIB", "A"})
    if (value == file || value.starts_with(file.str() + "."))
      return Values::Files;
  return Values::None;
}

std::string words(llvm::StringRef value) {
  std::string out = value.str();
  std::replace(out.begin(), out.end(), '|', ' ');
  return out;
}

constexpr std::string_view kListPasses = R"("$program" --list-passes 2>/dev/null | awk 'NF && $0 !~ /:$/ {print $1}')";
constexpr std::string_view kListPatterns = R"("$program" --list-patterns 2>/dev/null | awk '{print $1}')";

std::string functionName(std::string_view program) {
  std::string name = "_";
  for (char c : program)
    name += llvm::isAlnum(c) ? c : '_';
  return name;
}

/// Bash splits `--name=value` into three words. A value that may be left out is completed behind `=` alone.
std::string bash(const ProgramText &text) {
  std::string all, cases;
  for (const Flag &flag : shownFlags()) {
    all += (all.empty() ? "" : " ") + flag.name;
    if (!flag.mayHaveValue)
      continue;
    const std::string pattern = flag.needsValue ? fmt::format("{0}|{0}=", flag.name) : flag.name + "=";
    switch (valuesOf(flag.value)) {
    case Values::Words:
      cases += fmt::format("    {}) words=\"{}\" ;;\n", pattern, words(flag.value));
      break;
    case Values::Passes:
      cases += fmt::format("    {}) words=$({}) ;;\n", pattern, kListPasses);
      break;
    case Values::Patterns:
      cases += fmt::format("    {}) words=$({}) ;;\n", pattern, kListPatterns);
      break;
    case Values::Files:
      cases += fmt::format("    {}) files=1 ;;\n", pattern);
      break;
    case Values::None:
      cases += fmt::format("    {}) return ;;\n", pattern);
      break;
    }
  }
  return fmt::format(R"(# bash completion for {0}; load it with: source <({0} --completion=bash)
{1}() {{
  local program=$1 current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words= files=
  if [[ $current == "=" ]]; then
    current= before+="="
  elif [[ $before == "=" ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}=
  fi
  COMPREPLY=()
  case $before in
{2}    *) if [[ $current == -* ]]; then words="{3}"; else files=1; fi ;;
  esac
  if [[ $files ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}}
complete -o filenames -F {1} {0}
)",
                     text.name, functionName(text.name), cases, all);
}

/// Text within the brackets of zsh's _arguments, in single quotes.
std::string zshQuoted(llvm::StringRef help) {
  std::string out;
  for (char c : help)
    if (c == '\'')
      out += "'\\''";
    else
      out += llvm::is_contained("[]\\:", c) ? std::string("\\") + c : std::string(1, c);
  return out;
}

std::string zsh(const ProgramText &text) {
  std::string rows;
  for (const Flag &flag : shownFlags()) {
    std::string action;
    switch (valuesOf(flag.value)) {
    case Values::Words:
      action = fmt::format("({})", words(flag.value));
      break;
    case Values::Passes:
      action = "_rw_passes";
      break;
    case Values::Patterns:
      action = "_rw_patterns";
      break;
    case Values::Files:
      action = flag.value == "DIR" ? "_files -/" : "_files";
      break;
    case Values::None:
      action = " ";
      break;
    }
    const bool one = flag.name.size() == 2; // -o OUT
    const std::string join = !flag.mayHaveValue ? "" : one ? "+" : flag.needsValue ? "=" : "=-";
    const std::string value =
        !flag.mayHaveValue ? "" : fmt::format("{}{}:{}", flag.needsValue ? ":" : "::", zshQuoted(flag.value), action);
    rows += fmt::format("  '{}{}{}[{}]{}' \\\n", flag.repeats ? "*" : "", flag.name, join, zshQuoted(flag.help), value);
  }
  return fmt::format(R"(#compdef {0}
# zsh completion for {0}: a file named _{0} in a folder of $fpath
local program=${{words[1]}}
_rw_passes() {{ compadd -- $({1}) }}
_rw_patterns() {{ compadd -- $({2}) }}
_arguments \
{3}  '*:file:_files'
)",
                     text.name, kListPasses, kListPatterns, rows);
}

/// Text as man(7) shows it as it stands.
std::string manText(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// Paragraphs; lines that are indented are kept.
std::string manParagraphs(llvm::StringRef text) {
  std::string out;
  bool kept = false;
  llvm::SmallVector<llvm::StringRef> lines;
  text.trim('\n').split(lines, '\n');
  for (llvm::StringRef line : lines) {
    const bool keep = line.starts_with("  ");
    if (keep != kept)
      out += keep ? ".PP\n.nf\n" : ".fi\n";
    kept = keep;
    out += line.empty() ? ".PP\n" : manText(keep ? line.drop_front(2) : line) + "\n";
  }
  return out + (kept ? ".fi\n" : "");
}
} // namespace

std::string completionScript(std::string_view shell, const ProgramText &text) {
  return shell == "bash" ? bash(text) : shell == "zsh" ? zsh(text) : "";
}

std::string manPage(const ProgramText &text) {
  std::string out = fmt::format(
      ".TH {} 1 \"\" \"rw {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n{}\n.SH DESCRIPTION\n{}.SH OPTIONS\n",
      manText(llvm::StringRef(text.name).upper()), text.version, manText(text.name), manText(text.summary),
      manText(text.name), manText(text.usage), manParagraphs(text.description));
  std::string group;
  for (const Flag &flag : shownFlags()) {
    if (flag.group != group)
      out += fmt::format(".SS {}\n", manText(group = flag.group));
    const std::string join = flag.name.size() == 2 ? " " : flag.needsValue ? "=" : "[=";
    const std::string value =
        flag.mayHaveValue ? fmt::format("{}\\fI{}\\fR{}", join, manText(flag.value), join == "[=" ? "]" : "") : "";
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", manText(flag.name), value, manText(flag.help));
  }
  return out + ".SH EXIT STATUS\n0 if all went well, warnings included; 1 if the input is wrong or the result is "
               "refused; 2 if the command line is wrong.\n";
}

/// What other optimizers call an option, and what it is called here.
constexpr std::pair<std::string_view, std::string_view> kCalledElsewhere[] = {
    {"passes", "pipeline"}, {"pass-pipeline", "pipeline"}, {"pass", "pipeline"}, {"output", "o"}};

std::string inPlainWords(std::string_view text, std::string_view program) {
  const llvm::StringRef said = llvm::StringRef(text.data(), text.size()).rtrim();
  llvm::SmallVector<llvm::StringRef> part;
  if (llvm::Regex("Unknown command line argument '(-*)([^'=]*).*'").match(said, &part)) {
    std::vector<std::string_view> names;
    for (const auto &entry : cl::getRegisteredOptions())
      if (!entry.second->ArgStr.empty() && entry.second->getOptionHiddenFlag() == cl::NotHidden)
        names.emplace_back(entry.second->ArgStr.data(), entry.second->ArgStr.size());
    std::string_view near = nearestName(part[2].str(), names);
    for (const auto &[elsewhere, here] : kCalledElsewhere)
      if (part[2].str() == elsewhere && std::ranges::find(names, here) != names.end())
        near = here;
    return fmt::format("there is no option {}{};{} {} --help lists them", part[1].str(), part[2].str(),
                       near.empty() ? "" : fmt::format(" did you mean {}{}?", near.size() == 1 ? "-" : "--", near),
                       program);
  }
  if (said.contains("Too many positional arguments"))
    return "there is more than one input; it takes one at a time (the value of an option that may stand alone is "
           "written behind a `=`)";
  return said.str();
}

} // namespace rw
