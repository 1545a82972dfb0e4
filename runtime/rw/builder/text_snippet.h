// Text snippets: ops written as `.rwir` text with placeholders, put into a function as often as needed.
//
// In:  the ops of a function's body up to its `return`, with `{{name}}` where something is filled in, and what fills
//      it.
// Out: the ops in the builder's function and their results; or an error value that shows the place in the snippet, and
//      nothing emitted.
// Elsewhere: the text form is ir/parser.h; programs written as calls are graph_builder.h.
//
//   TextSnippet reduce("reduce", R"(
//     %r = tensor.reduce_sum({{x}}) {axes = {{axes}}, keepdims = {{keep}}}
//     %c = tensor.cast(%r) {dtype = {{t}}}
//     return %r, %c
//   )");
//   GraphResults r = reduce.instantiate(
//       g, SnippetArgs().value("x", x).dims("axes", {1}).boolean("keep", false).dtype("t", DType::F16));
//   GraphValue cast = r.tupleElement(1);
//
// What a placeholder may hold follows from its place: a value among operands and after `return`; a dtype before a `[`;
// a shape, or an int for one dimension, between these brackets; anything but a value in an attribute, where the op's
// declaration says which kind. Quoted text and comments have no placeholders.
#pragma once

#include "rw/builder/graph_builder.h"

namespace rw {

/// What placeholders are filled with, by name.
class SnippetArgs {
public:
  SnippetArgs &dtype(std::string name, DType);
  SnippetArgs &shape(std::string name, std::vector<Dim>);
  SnippetArgs &dims(std::string name, std::vector<int64_t>); ///< numbers of dimensions: axes, a permutation
  SnippetArgs &integer(std::string name, int64_t);
  SnippetArgs &boolean(std::string name, bool);
  SnippetArgs &value(std::string name, GraphValue);

private:
  friend class TextSnippet;
  enum class Kind : uint8_t { DType, Shape, Dims, Int, Bool, Value };
  struct Arg {
    std::string name;
    Kind kind;
    rw::DType dtype = rw::DType::Unknown;
    std::vector<Dim> shape;
    std::vector<int64_t> ints;
    GraphValue value;
  };
  static const char *kindName(Kind);
  std::vector<Arg> args_;
};

class TextSnippet {
public:
  /// `name` is what errors call the text.
  TextSnippet(std::string name, std::string text);

  /// Every placeholder must be filled, and every argument be used.
  GraphResults instantiate(GraphBuilder &, const SnippetArgs &) const;

  /// The names of the placeholders, in order of first appearance.
  std::vector<std::string> placeholders() const;

private:
  enum class Place : uint8_t { Operand, TypeHead, Shape, Attr, AttrElement };
  struct Hole {
    size_t begin, end; // in text_, braces included
    std::string name;
    Place place;
  };
  struct ScanError {
    size_t begin, end;
    std::string message;
  };
  class Scanner;
  class Filler;

  std::string name_, text_;
  std::vector<Hole> holes_;
  std::optional<ScanError> scanError_;
};

} // namespace rw
