// What every syntax node shares: names, source ranges, and how a node is asked for its kind.
//
// In:  made by frontend/parse only.
// Out: read by frontend/check. Nothing is resolved here: names are as spelled.
// Elsewhere: expr.h (expressions, types), match.h (left sides), decl.h (declarations, right sides); ast.h has all.
//
//   if (const CallExpr *call = expr.as<CallExpr>()) use(call->callee);
//   switch (expr.kind) { case ExprKind::Int: return expr.get<IntExpr>().value; … }
#pragma once

#include "rw/support/source.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rw::ast {

/// No tree is deeper than this many levels (the parser reports `too-deep`), so recursion over one is safe.
inline constexpr unsigned kMaxNesting = 200;
/// Larger texts are refused (`too-large`): whoever reads files need read no more than one byte more.
inline constexpr size_t kMaxSourceBytes = 4u << 20;

/// A word as spelled. Any keyword may be one.
struct Name {
  std::string text;
  SourceRange range;
  explicit operator bool() const { return !text.empty(); }
};

/// `add` or `tensor.add`. Parts that the text does not have are empty names.
struct QualifiedName {
  Name dialect;
  Name name;
  SourceRange range;
  std::string spelling() const { return dialect ? dialect.text + "." + name.text : name.text; }
};

/// Base of the five families of nodes (Expr, TypeExpr, Match, Decl, Stmt); `Kind` is the family's enum.
template <class KindT> struct NodeBase {
  using Kind = KindT;
  const KindT kind;
  SourceRange range;

  virtual ~NodeBase() = default;
  NodeBase(const NodeBase &) = delete;
  NodeBase &operator=(const NodeBase &) = delete;

  /// The node as T if it is one, else null.
  template <class T> const T *as() const { return kind == T::kKind ? static_cast<const T *>(this) : nullptr; }
  template <class T> T *as() { return kind == T::kKind ? static_cast<T *>(this) : nullptr; }
  /// The node as T, which the caller knows it to be.
  template <class T> const T &get() const { return static_cast<const T &>(*this); }
  template <class T> T &get() { return static_cast<T &>(*this); }

protected:
  NodeBase(KindT k, SourceRange r) : kind(k), range(r) {}
};

} // namespace rw::ast
