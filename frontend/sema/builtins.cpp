#include "frontend/sema/builtins.h"

#include <algorithm>
#include <cctype>

namespace rw::sema {

static constexpr BuiltinInfo kBuiltins[] = {
    {Builtin::Len, "len", "(list: [T]) -> int", "The number of elements."},
    {Builtin::All, "all", "(list: [bool]) -> bool", "Whether every element is true; stops at the first that is not."},
    {Builtin::Any, "any", "(list: [bool]) -> bool", "Whether some element is true; stops at the first that is."},
    {Builtin::Sum, "sum", "(list: [N]) -> N", "The sum; 0 of an empty list."},
    {Builtin::Product, "product", "(list: [N]) -> N", "The product; 1 of an empty list."},
    {Builtin::MinOf, "min", "(list: [N]) -> N", "The least element; fails on an empty list."},
    {Builtin::MaxOf, "max", "(list: [N]) -> N", "The greatest element; fails on an empty list."},
    {Builtin::Min, "min", "(a: N, b: N) -> N", "The lesser."},
    {Builtin::Max, "max", "(a: N, b: N) -> N", "The greater."},
    {Builtin::Abs, "abs", "(a: N) -> N", "The absolute value."},
    {Builtin::Reversed, "reversed", "(list: [T]) -> [T]", "The elements, last first."},
    {Builtin::Sorted, "sorted", "(list: [int]) -> [int]", "The elements, least first."},
    {Builtin::Argsort, "argsort", "(list: [int]) -> [int]",
     "The indexes of the elements in increasing order of the elements; equal ones keep their order."},
    {Builtin::IsSorted, "is_sorted", "(list: [int]) -> bool", "Whether no element is less than the one before."},
    {Builtin::IsUnique, "is_unique", "(list: [int]) -> bool", "Whether no two elements are equal."},
    {Builtin::IsPermutation, "is_permutation", "(list: [int], n: int) -> bool",
     "Whether the list holds each of 0, 1, ... n - 1 once."},
    {Builtin::Contains, "contains", "(list: [T], x: T) -> bool", "Whether some element equals x."},
    {Builtin::IndexOf, "index_of", "(list: [T], x: T) -> int",
     "The index of the first element equal to x; fails if there is none."},
    {Builtin::Count, "count", "(list: [T], x: T) -> int", "How many elements equal x."},
    {Builtin::Broadcast, "broadcast", "(a: [dim], b: [dim]) -> [dim]",
     "The shape both stretch to, dimensions aligned at the end (a 1 stretches); fails unless that is provable."},
    {Builtin::BroadcastAll, "broadcast", "(shapes: [[dim]]) -> [dim]",
     "The shape all of them stretch to; fails of none."},
    {Builtin::OrUnknown, "or_unknown", "(d: dim) -> dim", "d, or an unknown size where d cannot be computed."},
    {Builtin::OrUnknowns, "or_unknown", "(sizes: [dim], n: int) -> [dim]",
     "The list, or n unknown sizes where it cannot be computed."},
    {Builtin::Holds, "holds", "(condition: bool) -> bool",
     "Whether the condition holds; false where that cannot be told."},
    {Builtin::IsNumber, "is_number", "(d: dim) -> bool", "Whether the dimension is a number."},
    {Builtin::IsKnown, "is_known", "(d: dim) -> bool", "Whether the dimension is a number or said by symbols."},
    {Builtin::SingleElement, "single_element", "(x: value) -> bool",
     "Whether x provably holds one element, of whatever rank."},
    {Builtin::IsConst, "is_const", "(x: value) -> bool", "Whether x is a constant."},
    {Builtin::OneUser, "one_user", "(x: value) -> bool",
     "Whether one op has all uses of x, of which there are at most 16; results of the function and captures are uses."},
    {Builtin::Has, "has", "(x: ?) -> bool",
     "Whether an optional operand, attribute or op is there, or a name bound that only some alternatives bind."},
    {Builtin::IsFloat, "is_float", "(t: dtype) -> bool", "Whether t is a floating-point type."},
    {Builtin::IsInteger, "is_integer", "(t: dtype) -> bool", "Whether t is an integer type; bool is none."},
    {Builtin::IsSigned, "is_signed", "(t: dtype) -> bool", "Whether t is a signed integer type."},
    {Builtin::IsComplex, "is_complex", "(t: dtype) -> bool", "Whether t is a complex type."},
    {Builtin::Bits, "bits", "(t: dtype) -> int", "The bits of one element; fails for strings."},
    {Builtin::BitLength, "bit_length", "(n: int) -> int",
     "How many binary digits n has without leading zeros, 0 of 0; fails of a negative number."},
    {Builtin::IsPowerOfTwo, "is_power_of_two", "(n: int) -> bool", "Whether n is 1, 2, 4, 8 and so on."},
    {Builtin::Splat, "splat", "(element: E, t: type) -> tensor",
     "The constant of type t all of whose elements are `element`; fails unless t has a known shape and can hold it."},
    {Builtin::Constant, "constant", "(elements: [E], t: type) -> tensor",
     "The constant of type t with these elements in row-major order; fails unless there are as many as t has."},
    {Builtin::Exactly, "exactly", "(list: [T], n: int) -> [T]", "The list itself; fails unless it has n elements."},
    {Builtin::Zip, "zip", "(a: [T], b: [T]) -> [[T]]",
     "`for (x, y) in zip(a, b)`: the elements of two or more lists side by side; fails unless they are equally long."},
    {Builtin::Enumerate, "enumerate", "(list: [T]) -> [[T]]",
     "`for (i, x) in enumerate(list)`: each element with its index before it."},
};

std::span<const BuiltinInfo> builtins() { return kBuiltins; }

bool isBuiltin(std::string_view name) {
  return std::ranges::any_of(builtins(), [&](const BuiltinInfo &b) { return b.name == name; });
}

const BuiltinInfo &builtinInfo(Builtin builtin) { return kBuiltins[unsigned(builtin)]; }

static constexpr std::string_view kDTypes[] = {
    "bool", "i8",  "i16",  "i32", "i64", "u8",       "u16",        "u32",    "u64",        "f16", "bf16",   "f32",
    "f64",  "c64", "c128", "str", "i4",  "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "u4",  "f4e2m1",
};

std::span<const std::string_view> dtypeNames() { return kDTypes; }
std::string_view dtypeOfOthers(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTheirs[] = {
      {"float16", "f16"}, {"half", "f16"},   {"bfloat16", "bf16"}, {"float32", "f32"},   {"float64", "f64"},
      {"double", "f64"},  {"int4", "i4"},    {"int8", "i8"},       {"int16", "i16"},     {"int32", "i32"},
      {"int64", "i64"},   {"uint4", "u4"},   {"uint8", "u8"},      {"uint16", "u16"},    {"uint32", "u32"},
      {"uint64", "u64"},  {"string", "str"}, {"boolean", "bool"},  {"complex64", "c64"}, {"complex128", "c128"}};
  auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  for (auto [theirs, ours] : kTheirs)
    if (std::ranges::equal(name, theirs, same))
      return ours;
  return {};
}

std::string_view spellingOfOthers(std::string_view name) {
  return name == "True" ? "true" : name == "False" ? "false" : std::string_view();
}

std::string_view functionOfOthers(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTheirs[] = {
      {"prod", "product"}, {"amax", "max"}, {"amin", "min"},
      {"absolute", "abs"}, {"fabs", "abs"}, {"flip", "reversed"}};
  for (auto [theirs, ours] : kTheirs)
    if (name == theirs)
      return ours;
  auto same = std::ranges::find(kBuiltins, name, &BuiltinInfo::name);
  return same == std::end(kBuiltins) ? std::string_view() : same->name;
}

std::string_view wordOfOthers(std::string_view name) {
  static constexpr std::string_view kUsers =
      "what uses a value is matched as one more root, `d: relu(x), e: neg(d) => …`; how often it is used is `d.uses`";
  static constexpr std::pair<std::string_view, std::string_view> kTheirs[] = {
      {"Value", "a name alone matches any value: `relu(x)`"},
      {"ValueRange", "any number of operands are a name with `...` behind it: `concat(xs...)`"},
      {"Op", "an op is named where it is matched: `d: relu(..)`; one of several is `(relu | exp)(x)`, or of a set"},
      {"Attr", "an attribute is matched by its name: `axis = a`"},
      {"Type", "a type is asked for in the `where`: `d.type == f32[2]`"},
      {"TypeRange", "the types of several values are `[x.type for x in xs]`"},
      {"HasOneUse", "that a value has no other use is asked by `single x` on the left, or `x.uses == 1`"},
      {"hasOneUse", "that a value has no other use is asked by `x.uses == 1`, or `single x` on the left"},
      {"has_one_use", "that a value has no other use is asked by `x.uses == 1`, or `single x` on the left"},
      {"isinstance", "the element type of x is asked by `x.dtype == f32`, which op makes it by `x is relu(_)`"},
      {"producer", "which op makes x is asked by `x is relu(_)`"},
      {"owner", "which op makes x is asked by `x is relu(_)`"},
      {"getType", "the type of x is `x.type`"},
      {"getShape", "the shape of x is `x.shape`"},
      {"getRank", "how many dimensions x has is `x.rank`"},
      {"getElementType", "the element type of x is `x.dtype`"},
      {"getDefiningOp", "which op makes x is asked by `x is relu(_)`"},
      {"users", kUsers},
      {"user", kUsers},
      {"consumers", kUsers},
      {"consumer", kUsers},
      {"getUsers", kUsers},
      {"getUses", kUsers},
      {"const_value", "a constant's tensor is `x.value`, its elements are `x.ints` or `x.floats`"},
      {"integer_zerop", "`splat(0)` matches a constant of zeros"},
      {"integer_onep", "`splat(1)` matches a constant of ones"},
      {"build_zero_cst", "a constant of zeros is `splat(0, x.type)`"},
      {"build_one_cst", "a constant of ones is `splat(1, x.type)`"},
      {"INTEGER_CST", "`const c` matches a constant, `splat(n: int)` one of a single integer"},
      {"and", "what several matches ask of one value stands in the `where`: `x is relu(_), x.rank == 2`"},
      {"OrValue", "alternatives stand in parentheses: `(relu(x) | exp(x))`"},
      {"None", "what is left out is `none`"},
      {"any_of", "alternatives stand in parentheses: `(relu(x) | exp(x))`"},
      {"anyOf", "alternatives stand in parentheses: `(relu(x) | exp(x))`"},
      {"one_of", "alternatives stand in parentheses: `(relu(x) | exp(x))`"},
      {"oneOf", "alternatives stand in parentheses: `(relu(x) | exp(x))`"},
      {"attr", "an attribute is asked for by its name: `axis = a` in the match, `d.axis` of an op that it names"},
      {"getAttr", "an attribute is asked for by its name: `axis = a` in the match, `d.axis` of an op that it names"},
      {"get_attr", "an attribute is asked for by its name: `axis = a` in the match, `d.axis` of an op that it names"},
      {"getOperand", "an operand is asked for by its name, `d.lhs`, or named where it is matched"},
      {"getResult", "a result is asked for by its name: `d.values`"},
      {"_allow_other_attributes", "`..` leaves open all that is not mentioned, `_ = _` all attributes"},
      {"_allow_other_inputs", "`..` leaves open all that is not mentioned"},
      {"_domain", "an op's dialect stands in front of it: `onnx.Relu(x)`"},
      {"_version", "an op is declared for a range of versions: `op relu versions 6..13 (x: tensor) -> tensor`"},
      {"_outputs", "an op has its results by its declaration; one is asked for by name: `svd(x).u`"},
  };
  for (auto [theirs, ours] : kTheirs)
    if (name == theirs)
      return ours;
  return {};
}

bool isDTypeName(std::string_view name) { return std::ranges::find(kDTypes, name) != std::end(kDTypes); }

} // namespace rw::sema
