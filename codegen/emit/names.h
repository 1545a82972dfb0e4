// Names in generated C++: keyword-safe identifiers, quoted text, C++ types of what expressions are.
//
//   className("dot_general") == "DotGeneralOp"; identifier("while") == "while_"; cppType([dim]) == "Dims"
#pragma once

#include "codegen/plan/plan.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rw::emit {

bool isCppKeyword(std::string_view);
/// The name itself, or with `_` behind it if C++ or the generated code has another use for it.
std::string identifier(std::string_view);
/// The name of a namespace or function: an identifier that generated code does not use itself.
std::string declName(std::string_view);
/// "dot_general" → "DotGeneral"
std::string pascalCase(std::string_view);
std::string cppString(std::string_view);
/// A float literal that C++ reads as the same double.
std::string floatLiteral(double);

/// "f32" → "DType::F32"
std::string cppDType(std::string_view name);
/// Whether generated code uses the name itself.
bool isReserved(std::string_view);
/// Whether generated files may give the name to what belongs to a pattern.
bool looksGenerated(std::string_view);

/// The type of a local variable or result: "int64_t", "Dims", "Value".
std::string cppType(sema::Type);
/// The type as a parameter: lists are spans.
std::string cppParam(sema::Type);
/// The element type of a list: "int64_t" of [int].
inline std::string cppElement(sema::Type t) { return cppType(t.element()); }
/// What attrAs yields for an attribute of this type: lists of numbers are spans.
std::string cppAttrView(sema::Type);

/// The names of one function: each is given once.
class NameScope {
public:
  NameScope();
  /// `wanted`, or with a number behind it.
  std::string unique(std::string_view wanted);

private:
  // names given or reserved; the least number that may be free behind each
  std::unordered_map<std::string, unsigned> next_;
};

/// Static tables by what they say, with their names: who says the same refers to the one that is there.
using SharedParts = std::map<std::string, std::string>;

/// A literal that an attribute is compared with (plan::equalsLiteral): "int64_t(2)", "true", "DType::F32",
/// "std::string_view(…)".
std::string literal(const plan::Step &);
/// The condition that an attribute is that.
std::string literalTest(const plan::Step &, const std::string &attr);

} // namespace rw::emit
