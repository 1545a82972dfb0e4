// What a name means: ops, functions, natives, traits of the language.
//
// In:  a name as it is written, and the file that it stands in.
// Out: what it means there, or none; what is ambiguous is reported.
// Elsewhere: what several files may declare, patterns, passes, named matches, is visible_names.h; what to say where
//      there is nothing of the name, unknown_names.h; variables are body_context.h.
//
//   OpList versions = lookupOp(c, name);     // reports
//   bool isOp = namesOp(c, name);            // asks
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// All versions of the op a name says, or nothing after a report.
OpList lookupOp(CheckContext &c, const ast::QualifiedName &name);
/// Whether it says an op, in silence.
bool namesOp(CheckContext &c, const ast::QualifiedName &name);
/// Functions by the name that the declaration being checked knows them by, or none: those of its own file hide imported
/// ones.
FnIndex fnNamed(const CheckContext &c, std::string_view name);
/// Likewise natives.
NativeIndex nativeNamed(const CheckContext &c, std::string_view name);
/// What the file at hand keeps to itself under the name, or null.
const PrivateFn *privateNamed(const CheckContext &c, std::string_view name);
/// The bit of a trait of the language, or none.
std::optional<uint32_t> traitNamed(std::string_view name);

} // namespace rw::sema
