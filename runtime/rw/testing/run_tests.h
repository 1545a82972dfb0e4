// Runs the `test` declarations of .rw files.
//
// In:  a registry, and a glob over the names of what is tested.
// Out: what failed, as text; the exit status of a tool.
// Elsewhere: rwc generates what a test builds (passes/pass.h, TestEntry); `rw-opt --test` and the program that
//            rw_add_patterns(… TESTS) makes call this.
//
//   rw::Registry registry;
//   my::register_my(registry);
//   return rw::runTests(registry, "*");   // prints "12 tests passed"
//
// A test of a pattern runs that pattern alone until it no longer applies, fastmath allowed, without folding. A test of
// a pass or pipeline runs that as a tool would. The results are compared as graphs: the order of ops does not count;
// then both sides are evaluated on random inputs, where every op has a kernel or a meaning, and must agree but for
// rounding.
#pragma once

#include "rw/passes/pass.h"

#include <string>
#include <string_view>

namespace rw {

/// Adds what stands left of `=>` in a test, or right of it (`after`), to `program` as a function; false if it cannot be
/// built, of which `why` is told.
bool buildTestSide(Program &program, const TestEntry &, bool after, RewriteListener *why = nullptr);
/// What the test's file means by the name of what is tested: libraries beside it may have another of it.
NameRef targetOf(const TestEntry &);
/// Why a test fails; empty if it passes.
std::string runTest(const Registry &, const TestEntry &);
/// Runs all tests whose name the glob matches, from the one registered as number `first`; prints to standard output. 0
/// if there were some and all passed.
int runTests(const Registry &, std::string_view glob = "*", size_t first = 0);

} // namespace rw
