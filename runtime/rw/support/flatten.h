// RW_FLATTEN: all that a function calls is inlined into it, because the driver enters it for each op.
//
// Builds with expensive checks or sanitizers leave it out: they need no speed, and the compiler takes minutes for the
// flattened functions where each access to memory is checked.
#pragma once

#if RW_EXPENSIVE_CHECKS_DEFAULT || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RW_FLATTEN
#else
#define RW_FLATTEN [[gnu::flatten]]
#endif
