// Reader and writer of StableHLO programs as MLIR text: read in the short form that tools print and in MLIR's generic
// form, written in the generic one.
//
// In:  a text in a SourceManager, and a Program (or a registry with the dialects `stablehlo`, `chlo`, `check` and
// `tensor`). Out: the functions, every op with the position of its name as location; or one diagnostic and nothing.
// Elsewhere: the ops are declared in patterns/stablehlo; docs/stablehlo.md says what is read and how it is put.
//
//   SourceManager sources;  Diagnostics diags(sources);
//   Result<FileId> file = sources.addFile("model.mlir");
//   std::unique_ptr<Program> program = stablehlo::parseProgram(*file, sources, diags, registry.ops); // null: see diags
//
// Both forms of a program give the same one: structured attributes (`#stablehlo.gather<offset_dims = [1], …>`) become
// one attribute for each field, enumerations become strings, lists of whatever spelling lists; an attribute that says
// its default is left out.
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

#include <memory>
#include <string_view>

namespace rw::stablehlo {

struct ParseOptions {
  bool verify = true; ///< check types, and each op by what its declaration requires
};

/// Whether a file that begins so is MLIR, as text or bytecode: for files whose name does not say what they are.
bool looksLikeMlir(std::string_view beginning);

/// Adds the functions of the text to `program`. On an error it returns false and adds nothing.
bool parseProgram(FileId, const SourceManager &, Diagnostics &, Program &program, const ParseOptions & = {});
/// The same into a program with a context of its own; null on an error.
std::unique_ptr<Program> parseProgram(FileId, const SourceManager &, Diagnostics &, const OpRegistry &,
                                      const ParseOptions & = {});

/// The program as text that is read as the same program again; false, and a diagnostic (in `file`, where no op has a
/// place), if something of it is no StableHLO.
bool writeProgram(Program &, std::string &out, std::string_view file, Diagnostics &);

} // namespace rw::stablehlo
