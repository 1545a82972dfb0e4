// The part of a long text that an edit can have changed the meaning of, as far as a reader sees at once.
//
// In:  a text and the bytes that were edited.
// Out: the text of the same length in which only the declarations there are left, those that they name, directly or
// not, imports and
//      dialects; everything else is blank. Places in it are places in the text.
// Elsewhere: the server checks such a text with every keystroke, and all of it when typing stops (server.h).
//
//   Part part = partAround(text, {{5000, 5001}});      // part.text: the pattern around byte 5000, its ops and
//   functions
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rw::editor {

/// Bytes [begin, end), one or several times.
using Spans = std::vector<std::pair<size_t, size_t>>;

struct Part {
  std::string text;
  Spans edited;    // the declarations that were edited
  size_t size = 0; // bytes that are not blanked
};

/// Where declarations begin: at a word in the first column that begins one, or at the comment that documents it. The
/// first is 0.
std::vector<size_t> declarationStarts(std::string_view text);

Part partAround(std::string_view text, const Spans &edits);
bool isIn(const Spans &, size_t at);

} // namespace rw::editor
