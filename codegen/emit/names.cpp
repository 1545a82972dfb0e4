#include "codegen/emit/names.h"

#include "codegen/plan/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace rw::emit {

static constexpr std::string_view kKeywords[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // Macros of the standard headers.
    "assert",
    "errno",
    "EOF",
    "NULL",
    "INFINITY",
    "NAN",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
};

bool isCppKeyword(std::string_view name) { return std::ranges::find(kKeywords, name) != std::end(kKeywords); }

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])))
    out = "_" + out;
  if (isCppKeyword(out))
    out += '_';
  return out;
}

std::string pascalCase(std::string_view name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    if (c == '_' || !std::isalnum(static_cast<unsigned char>(c))) {
      upper = true;
      continue;
    }
    out += upper ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])))
    out = "N" + out;
  return out;
}

std::string cppString(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '?':
      out += "\\?";
      break; // no trigraphs
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      else
        out += c;
    }
  }
  return out + "\"";
}

std::string floatLiteral(double value) {
  if (std::isnan(value))
    return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value))
    return value < 0 ? "-std::numeric_limits<double>::infinity()" : "std::numeric_limits<double>::infinity()";
  std::string text = fmt::format("{}", value);
  if (double(float(value)) == value) // the literal of an attribute: 0.2f
    if (std::string narrow = fmt::format("{}", float(value)); narrow.size() < text.size())
      return fmt::format("double({}f)", narrow.find_first_of(".e") == narrow.npos ? narrow + ".0" : narrow);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string cppDType(std::string_view name) {
  if (name == "?")
    return "DType::Unknown";
  if (name == "bool")
    return "DType::Bool";
  if (name == "str")
    return "DType::String";
  std::string out = "DType::";
  for (char c : name)
    out += char(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string cppType(sema::Type t) {
  using sema::TypeKind;
  if (t.isList())
    return t.lists > 1               ? fmt::format("ListOf<{}>", cppType(t.element()))
           : t.kind == TypeKind::Int ? "Ints"
           : t.kind == TypeKind::Dim ? "Dims"
                                     : fmt::format("ListOf<{}>", cppType(t.element()));
  switch (t.kind) {
  case TypeKind::Int:
    return "int64_t";
  case TypeKind::Float:
    return "double";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::String:
    return "std::string_view";
  case TypeKind::DType:
    return "DType";
  case TypeKind::Dim:
    return "Dim";
  case TypeKind::Type:
    return "TypeId";
  case TypeKind::Attr:
  case TypeKind::Tensor:
    return "AttrId";
  case TypeKind::Op:
    return "Op";
  case TypeKind::Value:
  case TypeKind::None:
    return "Value";
  case TypeKind::Chain:
    return "Chain";
  case TypeKind::Region:
    return "RegionId";
  case TypeKind::Error:
  case TypeKind::Never:
    break;
  }
  return "int64_t"; // the element of `[]`: any will do
}

std::string cppParam(sema::Type t) {
  return t.isList() ? fmt::format("std::span<const {}>", cppType(t.element())) : cppType(t);
}

std::string cppAttrView(sema::Type t) {
  using sema::TypeKind;
  if (t.lists == 1 && (t.kind == TypeKind::Int || t.kind == TypeKind::Float || t.kind == TypeKind::Dim))
    return cppParam(t);
  return cppType(t);
}

/// What generated functions call or are given.
static constexpr std::string_view kReserved[] = {
    "rw",
    "ctx",
    "op",
    "in",
    "sink",
    "types",
    "registry",
    "std",
    "fmt",
    "names",
    "Op",
    "Value",
    "Dim",
    "Dims",
    "Ints",
    "ListOf",
    "TypeId",
    "RegionId",
    "takeRegions",
    "takeRegionsAs",
    "regionOf",
    "AttrId",
    "AttrsId",
    "OpId",
    "DType",
    "Context",
    "Chain",
    "Trait",
    "OpInputs",
    "InlineList",
    "PatternRewriter",
    "PatternInfo",
    "Attempt",
    "match",
    "quiet",
    "link",
    "side",
    "KindSet",
    "operandOf",
    "lastOperandOf",
    "attrOf",
    "GeneratedPattern",
    "GeneratedMultiOpPattern",
    "OpRegistry",
    "OpRewritePattern",
    "MultiOpPattern",
    "Pattern",
    "Registry",
    "OpSchema",
    "FoldResult",
    "CheckSink",
    "OpView",
    "inferByMeaning",
    "addFails",
    "subFails",
    "mulFails",
    "divFails",
    "modFails",
    "shiftLeftFails",
    "shiftRightFails",
    "bitLengthFails",
    "isPowerOfTwo",
    "negFails",
    "absFails",
    "inRange",
    "sliceFits",
    "dimOf",
    "equal",
    "less",
    "lessOrEqual",
    "divide",
    "modulo",
    "indexOf",
    "count",
    "contains",
    "concat",
    "joinedText",
    "reversed",
    "range",
    "sorted",
    "argsort",
    "isSorted",
    "isUnique",
    "isPermutation",
    "allOf",
    "anyOf",
    "sum",
    "product",
    "least",
    "greatest",
    "leastOf",
    "greatestOf",
    "typeOf",
    "typeOfTensor",
    "shapeOf",
    "rankOf",
    "dtypeOf",
    "sizeOf",
    "isSingleElement",
    "bitsOf",
    "broadcastShapes",
    "constantOf",
    "intsOfTensor",
    "floatsOfTensor",
    "isSplat",
    "attrAs",
    "attrOfKind",
    "tensorAttr",
    "makeAttr",
    "dimsFrom",
    "intsFrom",
    "floatsFrom",
    "show",
    "hasExtraAttrs",
    "attrIsDefault",
    "isResult",
    "usesOf",
    "hasOneUser",
    "operandGroupOf",
    "operandsOf",
    "resultsOf",
    "resultGroupOf",
    "valuesOf",
    "withAttrs",
    "canUpdate",
    "replay",
    "singleElementsKeepRank",
    "again",
    "againWith",
    "build",
    "materialize",
    "elementOf",
    "splatOf",
    "tensorOf",
    "canReplaceAll",
    "canReplace",
    "holdsNoEffects",
    "replaceAll",
    "isFloat",
    "isInteger",
    "isSigned",
    "isComplex",
    "definedBy",
    "dynCast",
    "foldTo",
    "inferredType",
    "sameType",
    "firstOf",
    "regionParams",
    "regionResults",
    "tupleElements",
    "tupleTypeOf",
    "hasExtras",
    "anyExtraAttr",
    "kindsWithTraits",
    "kindsOf",
    "usersBelow",
    "placeBefore",
    "createdInOrder",
    "reachesUses",
    "splatNumber",
    "definitionOf",
    "SharedTest",
    "NativeResults",
    "stateType",
    "buildOpen",
    "rangeFits",
    "joinFits",
    "identical",
    "ofVersion",
    "unrounded",
};

/// Beginnings of the names that generated files give to what belongs to a pattern: `kReluTwiceTests`.
bool looksGenerated(std::string_view name) {
  if (name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])))
    return true;
  for (std::string_view prefix : {"buildTest", "register_"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

bool isReserved(std::string_view name) { return std::ranges::find(kReserved, name) != std::end(kReserved); }

std::string declName(std::string_view name) {
  std::string out = identifier(name);
  return isReserved(out) || looksGenerated(out) ? out + "_" : out;
}

NameScope::NameScope() {
  for (std::string_view name : kReserved)
    next_.try_emplace(std::string(name), 2);
}

std::string NameScope::unique(std::string_view wanted) {
  std::string base = identifier(wanted);
  auto [known, isNew] = next_.try_emplace(base, 2);
  if (isNew)
    return base;
  // Numbers below this one are taken: thousands of one name must not all be counted through again.
  unsigned &next = known->second; // stays where it is when others are added
  for (;;) {
    std::string name = fmt::format("{}{}{}", base, base.back() >= '0' && base.back() <= '9' ? "_" : "", next++);
    if (next_.try_emplace(name, 2).second)
      return name;
  }
}

std::string literal(const plan::Step &s) {
  const sema::Expr &e = *s.expr;
  if (std::optional<int64_t> i = plan::literalInt(s))
    return fmt::format("int64_t({})", *i == INT64_MIN ? "INT64_MIN" : std::to_string(*i));
  switch (e.kind) {
  case sema::ExprKind::Bool:
    return e.i ? "true" : "false";
  case sema::ExprKind::DType:
    return cppDType(e.text);
  default:
    return fmt::format("std::string_view({}, {})", cppString(e.text), e.text.size());
  }
}

std::string literalTest(const plan::Step &s, const std::string &attr) {
  const sema::Expr &e = *s.expr;
  std::string_view type = plan::literalInt(s)               ? "int64_t"
                          : e.kind == sema::ExprKind::Bool  ? "bool"
                          : e.kind == sema::ExprKind::DType ? "DType"
                                                            : "std::string_view";
  return fmt::format("attrAs<{}>(ctx, {}) == {}", type, attr, literal(s));
}

} // namespace rw::emit
