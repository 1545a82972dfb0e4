#include "rw/support/growing_block.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/mman.h>
#define RW_HUGE_PAGES 1
#else
#define RW_HUGE_PAGES 0
#endif

namespace rw {
namespace {

void *growSmall(void *block, size_t wanted) {
  void *moved = std::realloc(block, wanted);
  if (!moved)
    throw std::bad_alloc();
  return moved;
}

#if RW_HUGE_PAGES
constexpr size_t kHugePage = size_t(1) << 21;
std::atomic<size_t> largeBytes{0};

bool isLarge(size_t bytes) { return bytes >= kHugePage; }
size_t wholePages(size_t bytes) { return (bytes + kHugePage - 1) & ~(kHugePage - 1); }

/// Whole huge pages of fresh memory, at a multiple of their size. A mapping begins anywhere, so this takes a page more
/// and gives back what lies before and behind.
void *mapPages(size_t bytes) {
  size_t mapped = bytes + kHugePage;
  if (mapped < bytes)
    throw std::bad_alloc();
  void *raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    throw std::bad_alloc();
  char *begin = static_cast<char *>(raw);
  size_t before = wholePages(reinterpret_cast<uintptr_t>(begin)) - reinterpret_cast<uintptr_t>(begin);
  if (before)
    munmap(begin, before);
  if (size_t behind = kHugePage - before)
    munmap(begin + before + bytes, behind);
  madvise(begin + before, bytes, MADV_HUGEPAGE); // a wish: without huge pages there are small ones
  return begin + before;
}

/// Moves the pages of a large block to a larger place, where they do not lie side by side with free ones.
void *movePages(void *block, size_t bytes, size_t wanted) {
  if (mremap(block, bytes, wanted, 0) != MAP_FAILED)
    return block;
  void *place = mapPages(wanted); // at a multiple of the page size, else the system splits huge pages to move them
  if (mremap(block, bytes, wanted, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED)
    return place;
  munmap(place, wanted);
  throw std::bad_alloc();
}
#endif

} // namespace

void *growBlock(void *block, size_t bytes, size_t wanted) {
#if RW_HUGE_PAGES
  if (isLarge(wanted)) {
    if (wholePages(wanted) < wanted) // beyond the address space
      throw std::bad_alloc();
    const size_t have = isLarge(bytes) ? wholePages(bytes) : 0, pages = wholePages(wanted);
    void *grown = block;
    if (!have) {
      grown = mapPages(pages);
      if (bytes)
        std::memcpy(grown, block, bytes);
      std::free(block);
    } else if (pages > have) {
      grown = movePages(block, have, pages);
    }
    largeBytes += wanted - (have ? bytes : 0);
    return grown;
  }
#else
  (void)bytes;
#endif
  return growSmall(block, wanted);
}

void freeBlock(void *block, size_t bytes) noexcept {
#if RW_HUGE_PAGES
  if (isLarge(bytes)) {
    munmap(block, wholePages(bytes));
    largeBytes -= bytes;
    return;
  }
#else
  (void)bytes;
#endif
  std::free(block);
}

void *zeroBlock(size_t bytes) {
#if RW_HUGE_PAGES
  if (isLarge(bytes)) // fresh pages are 0
    return growBlock(nullptr, 0, bytes);
#endif
  void *block = std::calloc(bytes, 1);
  if (!block)
    throw std::bad_alloc();
  return block;
}

void reserveLargePages(std::string &text, size_t bytes) {
#if RW_HUGE_PAGES
  if (bytes > text.capacity() && isLarge(bytes)) {
    // malloc maps large blocks, and the system puts a mapping of whole huge pages at a multiple of their size. What
    // malloc and the string add is less than 64 bytes.
    text.reserve(wholePages(bytes + 64) - 64);
    constexpr uintptr_t kPage = 4096;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(text.data()) & ~(kPage - 1),
                    end = (reinterpret_cast<uintptr_t>(text.data()) + text.capacity() + kPage) & ~(kPage - 1);
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE); // a wish, as above
    return;
  }
#endif
  text.reserve(bytes);
}

size_t largeBlockBytes() noexcept {
#if RW_HUGE_PAGES
  return largeBytes;
#else
  return 0;
#endif
}

} // namespace rw
