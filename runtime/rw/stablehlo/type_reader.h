// TypeReader: types of MLIR text as types of the program.
//
//   tensor<2x?xf32>            f32[2, ?]         tensor<f32>         f32[]           tensor<*xi1>   bool[*]
//   tensor<4xcomplex<f32>>     c64[4]            tensor<3xindex>     i64[3]          tuple<A, B>    (A, B)
//   !stablehlo.token           opaque<"stablehlo.token">
//
// Bounds of unknown sizes (`#stablehlo.bounds<3, ?>`) are left out; other encodings and quantised types are refused by
// name.
#pragma once

#include "rw/ir/context.h"
#include "rw/ir/parser_tables.h"
#include "rw/stablehlo/lexer.h"
#include "rw/support/inline_list.h"

#include <unordered_map>
#include <utility>

namespace rw::stablehlo {

/// The text of the type that stands for a token: an order of effects.
inline constexpr std::string_view kTokenType = "stablehlo.token";

class TypeReader : protected Lexer {
protected:
  using TypeList = InlineList<TypeId, 4>;

  TypeReader(FileId file, const SourceManager &sources, Diagnostics &diags, Context &ctx)
      : Lexer(file, sources, diags), ctx_(ctx) {}

  bool readType(TypeId &out);
  /// `T`, `(T, T)` or `()`.
  bool readTypes(TypeList &out);
  /// `(T, T) -> T`, at the bracket.
  bool readFunctionType(TypeList &operands, TypeList &results);
  /// An element type's name, as one: `f32`, `complex<f64>`. Unknown, and nothing read or reported, if there is none.
  bool readElementType(DType &out);
  /// `!name = type` at the top of a text.
  bool readTypeAlias();

  /// While it lives, a single number's type, `i1` or `index`, is that of a tensor without dimensions.
  class ScalarTypes {
  public:
    explicit ScalarTypes(TypeReader &reader, bool wanted = true)
        : reader_(reader), before_(std::exchange(reader.scalars_, reader.scalars_ || wanted)) {}
    ~ScalarTypes() { reader_.scalars_ = before_; }

  private:
    TypeReader &reader_;
    bool before_;
  };

  Context &ctx_;

private:
  bool readTypeSlow(TypeId &out);
  bool readTensor(const char *from, TypeId &out);
  bool readEncoding();
  bool readDialectType(TypeId &out);

  bool scalars_ = false;
  text::TextCache cache_;
  std::unordered_map<std::string_view, TypeId> aliases_;
};

} // namespace rw::stablehlo
