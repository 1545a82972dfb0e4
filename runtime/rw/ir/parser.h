// Reader of the `.rwir` text form.
//
// In:  a text in a SourceManager, and a Program (or a registry of op schemas) to read it into.
// Out: the functions, every op with the position of its name as location; or diagnostics and nothing.
// Elsewhere: writing is printer.h, checks of what was read are verifier.h. parse(print(p)) is p.
//
//   SourceManager sources;  Diagnostics diags(sources);
//   Result<FileId> file = sources.addFile("model.rwir");
//   std::unique_ptr<Program> program = parseProgram(*file, sources, diags, registry);   // null: see diags
//
// The form, one op a line by custom (line ends mean nothing; `//` starts a comment):
//
//   func @main(%x: f32[B, 3, 8, 8], %w: param(7) f32[4, 3], %b: f32[] = dense<f32[]: 0>) -> (y: f32[B, 8, 8, 3],
//   i64[*]) {
//     %0 = tensor.transpose(%x) as "Transpose_0" {perm = [0, 2, 3, 1], note = "kept"} : f32[B, 8, 8, 3]
//     %a, %"odd name" = foo.bar@13(%0, _, %w) : i64[*], (f32[2], ?)
//     %c = tensor.cond(%p) : f32[2] then { return %u } else { return %v }
//     return %0, %a
//   }
//
//   values      `%name`, `%"any text"`, `%12` (unnamed), `%name~1` (another value with a name that is in scope); `_` is
//   an
//               optional operand left out. A name may be used again once its region is closed.
//   ops         `dialect.name`, with `@version` for all but the newest; without it an op whose attributes the newest
//               does not declare is of the newest version that does. `"any text"` is always an unregistered op.
//               `: types` may be left out where inference knows them. Of a fixed number of results the last ones need
//               no name (nor type): `%y = onnx.Dropout(%x)`. Regions carry the schema's names, or `region`.
//   types       `f32[2, B*2 + 1, ?]`, `f32[*]` unranked, `?[2]` unknown dtype, `?` nothing known, `(f32[2], i64[])`
//   tuple,
//               `none`, `opaque<"text">`.
//   attributes  1, 1.5, nan, inf, true, "text", @function, f32 (dtype), f32[2] (type), [1, 2], dense<f32[2]: [1, 2]>,
//               dense<f32[2, 2]: 0> (every element), dense<u8[3]: hex "00ff10">, bytes<"00ff">; a name alone is a unit.
//               Where the kind is not clear it is said: int<1>, float<1.0>, dim<B*2>, ints<>, floats<>, dims<B, 2>,
//               list<1, 2>, type<?>, dtype<?>, unit<>.
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

#include <memory>

namespace rw {

struct ParseOptions {
  /// Reports stated result types that cannot be what inference says. Types left out are inferred either way.
  bool checkTypes = true;
  size_t maxErrors = 100; ///< reading stops there
};

/// Adds the functions of the text to `program`. On an error it returns false and adds nothing.
bool parseProgram(FileId, const SourceManager &, Diagnostics &, Program &program, const ParseOptions & = {});
/// The same into a program with a context of its own; null on an error.
std::unique_ptr<Program> parseProgram(FileId, const SourceManager &, Diagnostics &, const OpRegistry &,
                                      const ParseOptions & = {});
/// A text that is one type, or one attribute value; none on an error.
TypeId parseType(FileId, const SourceManager &, Diagnostics &, Context &);
AttrId parseAttr(FileId, const SourceManager &, Diagnostics &, Context &, AttrType expected = AttrType::Any);

} // namespace rw
