// Symbols without a name: they stand for unknown sizes while something is proved of them.
//
// In:  a context. Out: dims that are equal to nothing but themselves and that no program holds, for as long as the
//      object lives.
// Elsewhere: symbols that a program has, and arithmetic, are dim.h; what is proved with these is rewrite/type_proof.h.
//
//   NamelessDims unknown(ctx.dims());
//   Dim a = unknown.next(), b = unknown.next();
//   NamelessDims::stretched(a, b) == NamelessDims::stretched(b, a);   // and provably equal, as sizes are
#pragma once

#include "rw/ir/dim.h"

#include <utility>
#include <vector>

namespace rw {

class NamelessDims {
public:
  explicit NamelessDims(DimTable &);
  ~NamelessDims();
  NamelessDims(const NamelessDims &) = delete;

  Dim next();
  /// Whether the name of a symbol is none.
  static bool isNameless(StringId name) { return name.raw >= kFirst; }
  /// What two sizes that broadcast give where neither is a number: unknown, or while a NamelessDims of this thread
  /// lives a size that is the same for the same sizes, in whatever order and however often.
  static Dim stretched(Dim, Dim);

private:
  /// No name has a number from here on: a string table never gets so large.
  static constexpr uint32_t kFirst = uint32_t(1) << 31;
  Dim whole(std::vector<Dim> sizes);

  DimTable &dims_;
  NamelessDims *outer_; // which lives longer, and whose symbols are taken
  uint32_t used_;
  // sizes, in order of their bits, and what stands for them together
  std::vector<std::pair<std::vector<Dim>, Dim>> stretched_;
};

} // namespace rw
