// What shells and `man` read about a program, and what it says of an option that is none: made from the table of
// options that --help is made from.
//
// In:  the options that are registered with LLVM's command line and are not hidden, and a few words about the program.
// Out: text. An option's value name decides how a value is completed: `program|exec` by these words, FILE and DIR by
//      files, PASS and PATTERN by what the program lists.
//
//   const rw::ProgramText text{
//       .name = "rw-opt", .summary = "runs rewrite passes over a program", .usage = "[options] IN"};
//   std::fputs(rw::completionScript("bash", text).c_str(), stdout); // "" if the shell is neither bash nor zsh
#pragma once

#include <string>
#include <string_view>

namespace rw {

struct ProgramText {
  std::string_view name; ///< of the program, as it is called
  std::string_view version;
  std::string_view summary;     ///< half a line, without a full stop
  std::string_view usage;       ///< what stands behind the name
  std::string_view description; ///< paragraphs, separated by empty lines; what is indented stays as it is
};

/// For `bash` or `zsh`; empty for any other shell.
std::string completionScript(std::string_view shell, const ProgramText &);
/// A manual page in the language of man(7).
std::string manPage(const ProgramText &);
/// What LLVM's command line has said of wrong options, in one line that says what to write instead. (Of a value that is
/// missing or wrong LLVM says so itself.)
std::string inPlainWords(std::string_view said, std::string_view program);

} // namespace rw
