// How a program of ours uses mimalloc: in pages of 2 MB, where the system has them.
//
// In:  nothing. Out: options of mimalloc, set before the program's first allocation.
// A fresh process touches some thousand pages of 4 KB for the first time, and each costs a fault: loading 1,000
// patterns takes less than half as long in pages of 2 MB (docs/performance.md, "Loading"). What the user says in
// MIMALLOC_… variables goes before. Linked into a program by rw_fast_malloc (cmake/RwDependencies.cmake); libraries
// leave malloc to the program that loads them.
#include <mimalloc.h>

static void useLargePages() {
  // First mmap's own large pages, if somebody has reserved some; else madvise asks for transparent ones.
  mi_option_set_enabled_default(mi_option_large_os_pages, true);
  // Else the first memory of each thread is committed bit by bit, which small pages alone can be.
  mi_option_set_default(mi_option_eager_commit_delay, 0);
  // Giving back a part of a large page splits it. In milliseconds: a program that ends soon gives back nothing, one
  // that stays (rw-lsp, rw-serve) what it no longer needs.
#if MI_MALLOC_VERSION < 210
  mi_option_set_default(mi_option_decommit_delay, 500);
#else
  mi_option_set_default(mi_option_purge_delay, 500);
#endif
}

// Before the constructors of shared libraries, some of which allocate.
[[gnu::section(".preinit_array"), gnu::used]] static void (*const atStart)() = useLargePages;
