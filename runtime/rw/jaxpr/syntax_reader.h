// SyntaxReader: a jaxpr's text as a Syntax.
//
//   text     := { "let" name "=" jaxpr "in" } jaxpr
//   jaxpr    := "{ lambda" binder* ";" binder* ". let" { equation (";" | newline) } "in (" atom, .. ") }"
//   binder   := name ":" dtype "[" size, .. "]"
//   equation := [ binder+ "=" ] primitive [ "[" { key "=" value } "]" ] atom*
//   atom     := name | number [ ":" type ]
//
// In:  one text of a SourceManager. Out: its Syntax; or one diagnostic.
// Elsewhere: what is made of it is program_maker.h.
//
// Values are what Python prints of anything: what is no number, name, list or jaxpr is passed over (Opaque), and is an
// error only where it is needed. An equation may go on in the next line; where a name there begins the next
// equation is seen from what stands behind it, and else from its column.
#pragma once

#include "rw/ir/text_scanner.h"
#include "rw/jaxpr/syntax.h"
#include "rw/support/inline_list.h"

namespace rw::jaxpr {

class SyntaxReader : private text::Scanner {
public:
  SyntaxReader(FileId file, const SourceManager &sources, Diagnostics &diags, Context &ctx, Syntax &out)
      : Scanner(file, sources, diags, SIZE_MAX), ctx_(ctx), out_(out) {}
  bool run();

private:
  /// What came of a value: read, not understood (and nothing said), or an error.
  enum class Outcome : uint8_t { Read, Unknown, Failed };

  // syntax_reader.cpp
  bool readJaxpr(uint32_t &out);
  bool atLambda();
  bool readBinders(char end, Range &out);
  bool readBinder(Binder &out);
  bool atEquationsEnd();
  bool readEquation(Equation &out);
  bool readPrimitive(Equation &out);
  bool readAtoms(const char *equation, Range &out);
  bool readResults(Range &out);
  bool readAtom(Atom &out, bool &isAtom);
  bool readLiteral(Atom &out);
  bool beginsBinders(const char *p) const;
  size_t columnOf(const char *p) const;
  bool refuseReferences(const char *from);
  bool writesReference(const char *bracket) const;

  // type_reader.cpp
  bool readType(SyntaxType &out);
  bool readSizes(Dims &out);
  bool readSize(Dim &out, std::string_view where);
  bool sum(Dim &out);
  bool product(Dim &out);
  bool factor(Dim &out);
  Dim applied(std::string_view function, std::span<const Dim> args);
  bool unsupported(const char *from, const char *to, std::string what, std::string cure) {
    return error("unsupported", from, to, std::move(what), {}, std::move(cure));
  }

  // value_reader.cpp
  bool readParams(Range &out);
  bool readValue(SyntaxValue &out);
  Outcome understand(SyntaxValue &out);
  Outcome understandWord(SyntaxValue &out);
  Outcome understandSequence(char close, SyntaxValue &out);
  Outcome understandFields(SyntaxValue &out);
  Outcome understandSize(SyntaxValue &out);
  bool scanNumber();
  bool atOperator() const;
  bool passOver(const char *from);
  uint32_t keep(const SyntaxValue &v) {
    out_.values.push_back(v);
    return uint32_t(out_.values.size() - 1);
  }

  std::string_view slice(const char *from, const char *to) const { return {from, size_t(to - from)}; }
  template <class T, class Pool> Range append(Pool &pool, const T &list) {
    Range r{uint32_t(pool.size()), uint32_t(list.size())};
    pool.insert(pool.end(), list.begin(), list.end());
    return r;
  }

  Context &ctx_;
  Syntax &out_;
  bool sawJaxpr_ = false; // in the values of the equation that is being read
};

} // namespace rw::jaxpr
