// Memory of arrays that grow: small blocks from malloc, large ones as huge pages.
//
// In:  how many bytes a block has and how many it is to have.
// Out: the block, its contents kept, for any type of element. A block of 2 MiB or more is a mapping of its own that
//      begins at a multiple of 2 MiB, and the system is asked for huge pages there: a run over a program of 10⁶ ops
//      touches 70 MB, and with pages of 4 KiB up to a tenth of its time goes into finding them. A large block grows by
//      moving its pages, not by copying what they hold.
// Elsewhere: the array on top is flat_array.h. Where the system has no huge pages, or a sanitizer wants to see each
//            allocation, all blocks are malloc's.
//
//   void *block = growBlock(nullptr, 0, 64);
//   block = growBlock(block, 64, 1 << 22);
//   freeBlock(block, 1 << 22);
//
//   void *table = zeroBlock(1 << 22);
//   std::string printed;
//   reserveLargePages(printed, 1 << 24);   // before it is written
#pragma once

#include <cstddef>
#include <string>

namespace rw {

/// `block` (null, if `bytes` is 0) with room for `wanted` bytes, 1 or more and no fewer than `bytes`. Throws
/// std::bad_alloc if there is no memory; the block is as it was then.
void *growBlock(void *block, size_t bytes, size_t wanted);

/// Gives back a block of growBlock() of so many bytes.
void freeBlock(void *block, size_t bytes) noexcept;

/// A block of so many bytes, all 0, that freeBlock() takes back. Throws std::bad_alloc.
void *zeroBlock(size_t bytes);

/// Has room for so many bytes in the text, in huge pages where there are many: each small page costs a fault when it is
/// first touched, more than what is then written into it.
void reserveLargePages(std::string &text, size_t bytes);

/// How many bytes are in large blocks now, of all threads: what malloc's own statistics do not know.
size_t largeBlockBytes() noexcept;

} // namespace rw
