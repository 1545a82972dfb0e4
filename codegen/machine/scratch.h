// Scratch: the stacks that a thread keeps for its machines, and what of a machine runs at each attempt. Private to the
//          sources
// that make machines.
//
// Machines nest (building an op runs the clauses of its declaration), so each takes what lies above the others' and
// gives it back when it ends.
#pragma once

#include "codegen/machine/machine.h"

#include <deque>
#include <optional>

namespace rw::interpret {

class Scratch {
public:
  static Scratch &ofThread() {
    if (!current) [[unlikely]]
      current = &make();
    return *current;
  }
  static constexpr size_t kCells = size_t(1) << 17;
  static constexpr size_t kBlock = size_t(1) << 16;

  /// Memory for lists; it stays where it is until `rewind`.
  void *allocate(size_t bytes) {
    bytes = (bytes + 15) & ~size_t(15);
    if (block_ < blocks_.size() && used_ + bytes <= blocks_[block_].size) [[likely]] {
      void *at = blocks_[block_].data.get() + used_;
      used_ += bytes;
      return at;
    }
    return allocateBlock(bytes);
  }
  void rewind(size_t block, size_t used) { block_ = block, used_ = used; }
  size_t block() const { return block_; }
  size_t used() const { return used_; }

  // a machine without registers has a root
  std::unique_ptr<Cell[]> cells = std::make_unique_for_overwrite<Cell[]>(kCells + 1);
  Cell *top = cells.get();
  Cell *end() const { return cells.get() + kCells; }
  /// Where to go on after a failure, the innermost last; in the upper half, if a search may pass it by, 1 + its number.
  std::vector<uint64_t> choices;
  std::deque<std::optional<Chain>> chains;
  size_t chainsUsed = 0;

private:
  static Scratch &make();
  static thread_local constinit Scratch *current; // asked for at each attempt: a pointer needs no guard

  struct Block {
    std::unique_ptr<std::byte[]> data;
    size_t size;
  };
  [[gnu::noinline]] void *allocateBlock(size_t bytes) {
    size_t next = blocks_.empty() ? 0 : block_ + 1;
    while (next < blocks_.size() && blocks_[next].size < bytes)
      blocks_.erase(blocks_.begin() + ptrdiff_t(next)); // not in use: those above the current one are free
    if (next == blocks_.size()) {
      size_t size = std::max(bytes, kBlock);
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    }
    block_ = next;
    used_ = bytes;
    return blocks_[block_].data.get();
  }
  std::vector<Block> blocks_;
  size_t block_ = 0, used_ = 0; // of the block that is being filled
};

inline Machine::Machine(const Bound &bound, unsigned registers, unsigned chains, Function &fn,
                        PatternRewriter *rewriter, Op root, const OpInputs *inputs)
    : bound_(bound), code_(rewriter && rewriter->explains() ? bound.plainCode : bound.code),
      scratch_(Scratch::ofThread()), fn_(fn), rw_(rewriter), inputs_(inputs), r_(scratch_.top), root_(root.id) {
  if (scratch_.end() - r_ < ptrdiff_t(registers)) [[unlikely]] {
    exhausted_ = true; // machines nest too deep
    return;
  }
  scratch_.top = r_ + registers;
  r_[0].id = root.id.raw;
  if (chains) [[unlikely]]
    openChains(chains);
}

inline Machine::~Machine() {
  scratch_.top = r_;
  if (isUntidy_) [[unlikely]]
    tidy();
}

template <class Prepare> bool Machine::goOn(uint32_t place, bool built, const Prepare &prepare) {
  created_ = built;
  bool passed = false;
  if (!exhausted_) [[likely]] {
    passed = prepare() && execute(code_ + place);
  }
  if (!passed && created_) [[unlikely]] {
    rw_->abandon();
    created_ = false;
  }
  return passed;
}

inline bool Machine::run(uint32_t entry) {
  return goOn(entry, false, [] { return true; });
}

inline void *Machine::allocate(size_t bytes) {
  spend(int64_t(bytes / 64));
  if (!ownsLists_) {
    ownsLists_ = isUntidy_ = true;
    oldBlock_ = scratch_.block();
    oldUsed_ = scratch_.used();
  }
  return scratch_.allocate(bytes);
}

template <class T> void Machine::setList(Cell &cell, std::span<const T> elements) {
  void *data = allocate(elements.size_bytes());
  if (!elements.empty())
    std::memcpy(data, elements.data(), elements.size_bytes());
  cell.list = {data, elements.size()};
}

inline size_t sizeOf(Elem e) {
  switch (e) {
  case Elem::Int:
  case Elem::Float:
  case Elem::Dim:
    return 8;
  case Elem::Bool:
    return sizeof(bool);
  case Elem::DType:
    return sizeof(DType);
  case Elem::Type:
  case Elem::Attr:
  case Elem::Value:
  case Elem::Op:
    return 4;
  case Elem::String:
  case Elem::List:
    return 16;
  }
  return 0;
}

inline void load(Cell &to, Elem e, const void *list, size_t index) {
  const std::byte *at = static_cast<const std::byte *>(list) + index * sizeOf(e);
  switch (e) {
  case Elem::Int:
  case Elem::Float:
  case Elem::Dim:
    std::memcpy(&to.i, at, 8);
    break;
  case Elem::Bool:
    to.i = *reinterpret_cast<const bool *>(at);
    break;
  case Elem::DType:
    to.i = int64_t(*reinterpret_cast<const DType *>(at));
    break;
  case Elem::Type:
  case Elem::Attr:
  case Elem::Value:
  case Elem::Op:
    std::memcpy(&to.id, at, 4);
    break;
  case Elem::String: {
    const auto &text = *reinterpret_cast<const std::string_view *>(at);
    to.list = {text.data(), text.size()};
    break;
  }
  case Elem::List:
    std::memcpy(&to.list, at, 16);
    break;
  }
}

inline void store(void *list, size_t index, Elem e, const Cell &from) {
  std::byte *at = static_cast<std::byte *>(list) + index * sizeOf(e);
  switch (e) {
  case Elem::Int:
  case Elem::Float:
  case Elem::Dim:
    std::memcpy(at, &from.i, 8);
    break;
  case Elem::Bool:
    *reinterpret_cast<bool *>(at) = from.i != 0;
    break;
  case Elem::DType:
    *reinterpret_cast<DType *>(at) = DType(from.i);
    break;
  case Elem::Type:
  case Elem::Attr:
  case Elem::Value:
  case Elem::Op:
    std::memcpy(at, &from.id, 4);
    break;
  case Elem::String:
    new (at) std::string_view(static_cast<const char *>(from.list.data), from.list.size);
    break;
  case Elem::List:
    std::memcpy(at, &from.list, 16);
    break;
  }
}

} // namespace rw::interpret
