// The other side of editor/proofs: a process that proves patterns of one text and ends.
//
// In:  {"path", "text", "importDirs", "lines"} on standard input: of which lines' patterns something is wanted.
// Out: a line of JSON per pattern, as `rwc --verify --json` prints it, as soon as it is known. The exit status: 0
// unless it
//      was given up.
#pragma once

namespace rw::editor {

int answerProofs();

} // namespace rw::editor
