// nativeCodeMistake: brackets of a block of C++ that do not match, found before the C++ compiler would blame what
// follows.
//
// In:  the text between `[{` and `}]`.
// Out: where the mistake is and what it is; none if the brackets match. Strings, characters and comments are skipped.
// Elsewhere: everything else about the code is the C++ compiler's, which blames the .rw file through `#line`.
//
//   if (std::optional<CodeMistake> mistake = nativeCodeMistake("return true; }")) … // offset 13, "this closes what …"
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rw::sema {

struct CodeMistake {
  size_t offset; // in the text
  std::string what;
};
std::optional<CodeMistake> nativeCodeMistake(std::string_view code);

} // namespace rw::sema
