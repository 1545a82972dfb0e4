// Writer of the `.rwir` text form (described in parser.h).
//
// In:  a program, a function, an op, a type or an attribute.
// Out: text; the same program always gives the same bytes, and reading them gives the same program.
// Elsewhere: reading is parser.h. Files are written by the tools.
//
//   std::string text = printProgram(program);
//   ValueNames names(fn);                       // numbers of the unnamed values: found once, used for many ops
//   std::string line = printOp(op, names);      // "%0 = tensor.relu(%x) : f32[2]"
#pragma once

#include "rw/ir/program.h"
#include "rw/support/flat_array.h"

#include <string>

namespace rw {

/// How the values of a function are written: their own names, and numbers in order of the text for the rest. A value
/// whose name is in scope already is written `%name~1`. Valid until the function changes.
class ValueNames {
public:
  explicit ValueNames(const Function &);
  /// Appends "%name". Values that stand in no region (erased ones) are written `%<value 12>`.
  void append(std::string &out, ValueId) const;
  std::string text(ValueId) const;
  /// Writes the same at `at`, where there is room for kShort bytes, and returns the end; null, if it may take more or
  /// has quotes.
  char *write(char *at, ValueId) const;
  static constexpr size_t kShort = 96;

  /// Set in the label of a value whose name needs no quotes.
  static constexpr uint32_t kBare = 0x80000000u;

private:
  const Function &fn_;
  FlatArray<uint32_t> labels_; // by value: 0 unknown, else 1 + number or 1 + rank among equal names in scope
};

std::string printProgram(const Program &);
std::string printFunction(const Function &);
/// One op on one line, without the contents of its regions ("… then {…} else {…}").
std::string printOp(Op, const ValueNames &);
std::string printAttr(const Context &, AttrId);

/// The same, appended: what the functions above call.
void appendProgram(std::string &out, const Program &);
void appendFunction(std::string &out, const Function &);
/// `declared` is the type under which the attribute is declared: some kinds are then written shorter.
void appendAttr(std::string &out, const Context &, AttrId, AttrType declared = AttrType::Any);

} // namespace rw
