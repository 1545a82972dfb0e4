// Which C++ a declaration asks for: what its readers ask to tell what can run without a compiler.
//
// In:  checked declarations. Out: the native functions that they call, themselves or through functions of .rw files.
//
//   if (plan::nativesOf(pattern, module).empty()) interpret(pattern);
#pragma once

#include "frontend/sema/module.h"

#include <set>

namespace rw::plan {

/// Indexes into Module::natives.
using NativeSet = std::set<uint32_t>;

/// Of a meaning of an op: those of the op and all its meanings, which run as one.
NativeSet nativesOf(const sema::Pattern &, const sema::Module &);
/// Of its clauses; those of its meanings are the patterns'.
NativeSet nativesOf(const sema::Op &, const sema::Module &);
NativeSet nativesOf(const sema::Test &, const sema::Module &);

} // namespace rw::plan
