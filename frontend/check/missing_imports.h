// Which file in the import folders declares an op, a pass or a label that is not known here.
//
// In:  an op's name, and its dialect if that was written; the name of a pass or pipeline; a label.
// Out: the path to import it by, or nothing. Files are read as text and only when something is wrong; nothing is
//      parsed.
//
//   std::string file = fileWithOp(c, "onnx", "Relu");
//   if (!file.empty()) report.note(fmt::format("an op of this name is declared by `import \"{}\";`", file));
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// The path to import; empty if there is none.
std::string fileWithOp(const CheckContext &c, std::string_view dialect, std::string_view op);
/// Whether a file of the import folders declares it, or with `builtin` one that comes with rw: `what` is `label` or
/// `pass`.
bool isInLibrary(const CheckContext &c, std::string_view what, std::string_view name, bool builtin = false);
/// Whether a file in the import folders, or that comes with rw, declares an op or a dialect of the name.
bool isKnownElsewhere(const CheckContext &c, bool dialect, std::string_view name);

} // namespace rw::sema
