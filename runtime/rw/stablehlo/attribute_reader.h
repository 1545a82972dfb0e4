// AttributeReader: attributes of MLIR text as attributes of the program.
//
//   3 : i64                         3                        dense<[1, 2]> : tensor<2xi32>      a dense tensor
//   array<i64: 1, 2>                [1, 2]                   #stablehlo<comparison_type FLOAT>  "FLOAT"
//   array<i1: true>, [true]         a list of bools          {a = 1 : i32}                      list<list<"a", 1>>
//   #stablehlo.dot<a = [0], …>      attributes a, …          @f, "text", f32                     symbol, string, dtype
//
// An op's declaration says what becomes of spellings that mean the same: `fit` makes a list of `dense<[1, 2]>`, say.
#pragma once

#include "rw/ir/schema.h"
#include "rw/stablehlo/type_reader.h"

#include <vector>

namespace rw::stablehlo {

/// An attribute as written, with its place.
struct NamedValue {
  std::string_view name;
  AttrId value;
  const char *from, *to;
};

class AttributeReader : protected TypeReader {
protected:
  using TypeReader::TypeReader;

  /// A value. With `fields`, the parts of a structured one (`#stablehlo.gather<…>`) are appended to it, and `out` is
  /// none.
  bool readValue(AttrId &out, std::vector<NamedValue> *fields = nullptr);
  /// `a = 1, b, …` up to `close`, appended: fields in place of structured values.
  bool readAttributes(char close, std::vector<NamedValue> &out);
  /// `dense<…> : T`, at the word.
  bool readDense(AttrId &out);
  /// `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`.
  bool readConvolutionDimensions(std::vector<NamedValue> &out);
  /// A list of whole numbers in brackets.
  bool readIntegers(InlineList<int64_t, 8> &out);
  /// The value as an attribute that is declared of this type; none if it cannot be one.
  AttrId fit(AttrId value, AttrType declared);
  /// `#name = value` at the top of a text.
  bool readAttributeAlias();
  /// A number, or the bits of one in hex, as bytes.
  bool readNumberElement(DType dtype, std::vector<std::byte> &bytes);
  /// The elements of a dense tensor of integers or bools; nothing of others, or of unreasonably many.
  std::optional<std::vector<int64_t>> integersOf(AttrId dense) const;
  /// The types of results that the last `function_type` stated.
  const TypeList &functionResults() const { return functionResults_; }

private:
  struct Alias {
    AttrId value;
    std::vector<NamedValue> fields; // of a structured value
    std::string_view unreadable;    // the name of a value that programs cannot have; reported where it is used
  };
  bool readNumber(AttrId &out);
  bool readNumberType(DType &out);
  bool readWord(AttrId &out);
  bool readListValue(AttrId &out);
  bool readForeignEntry(AttrId &out, std::vector<NamedValue> &fields);
  bool skipValue();
  bool readArray(AttrId &out);
  bool readHash(AttrId &out, std::vector<NamedValue> *fields);
  bool readStructured(std::string_view name, const char *from, AttrId &out, std::vector<NamedValue> *fields);
  bool readConvolutionSide(std::string_view side, std::string_view first, std::string_view second, char firstLabel,
                           char secondLabel, std::vector<NamedValue> &out);
  bool readElements(TypeId type, const char *literal, const char *literalEnd, AttrId &out);
  bool readDenseHex(TypeId type, size_t count, AttrId &out);
  bool readElement(DType dtype, std::vector<std::byte> &bytes);
  AttrId pairs(std::span<const NamedValue>);
  AttrId makeDense(TypeId type, std::vector<std::byte> bytes);

  std::unordered_map<std::string_view, Alias> aliases_;
  bool mustTell_ = false; // what was tried is of a dialect that is refused by its name
  TypeList functionResults_;
};

} // namespace rw::stablehlo
