#include "codegen/machine/unit_bytes.h"

#include "rw/support/failure.h"

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <type_traits>

namespace rw::interpret {
namespace {

// Tables ----------------------------------------------------------------------------------------------------------
//
// Each function names all fields of its table, once for writing, reading and the version. A field that is added to a
// table and not here does not compile: the names would be too few.

template <class T, class Table>
concept Is = std::same_as<std::remove_const_t<T>, Table>;

template <class A> void fields(A &a, Is<Instr> auto &t) {
  auto &[op, elem, ra, rb, rc, d, onFail] = t;
  a(op, elem, ra, rb, rc, d, onFail);
}
template <class A> void fields(A &a, Is<Reason> auto &t) {
  auto &[text, line] = t;
  a(text, line);
}
template <class A> void fields(A &a, Is<OpName> auto &t) {
  auto &[dialect, name, since] = t;
  a(dialect, name, since);
}
template <class A> void fields(A &a, Is<OpKindSet> auto &t) {
  auto &[ops, traits] = t;
  a(ops, traits);
}
template <class A> void fields(A &a, Is<AttrPlace> auto &t) {
  auto &[indexes] = t;
  a(indexes);
}
template <class A> void fields(A &a, Is<BuildCode> auto &t) {
  auto &[schemas, model, operands, operandList, attrs, settings, byName, named, types, open, plain, sameType, takes] =
      t;
  a(schemas, model, operands, operandList, attrs, settings, byName, named, types, open, plain, sameType, takes);
}
template <class A> void fields(A &a, Is<ReplayCode> auto &t) {
  auto &[side, result, entry] = t;
  a(side, result, entry);
}
template <class A> void fields(A &a, Is<ChainTest> auto &t) {
  auto &[kinds, link, side, linkEntry, sideEntry] = t;
  a(kinds, link, side, linkEntry, sideEntry);
}
template <class A> void fields(A &a, Is<Placement> auto &t) {
  auto &[roots, replaced] = t;
  a(roots, replaced);
}
template <class A> void fields(A &a, Is<FnCode> auto &t) {
  auto &[entry, registers, result] = t;
  a(entry, registers, result);
}
/// What refers to text, ops and kinds stands beside the test (TestRow).
template <class A> void fields(A &a, Is<SharedTest> auto &t) {
  [[maybe_unused]] auto &[kind, required, in, out, index, most, number, real, text, op, kinds, why, line] = t;
  a(kind, required, in, out, index, most, number, real, line);
}
template <class A> void fields(A &a, Is<TestRow> auto &t) {
  auto &[test, text, op, kinds, why] = t;
  a(test, text, op, kinds, why);
}
template <class A> void fields(A &a, Is<PatternCode> auto &t) {
  [[maybe_unused]] auto &[name, doc, file, line, benefit, depth, fastmath, recursive, looksAtLeaves, looksAtUses,
                          countsUses, looksAtUsers, looksInRegions, labels, roots, chains, tests, opening, swaps,
                          opened, entry, registers, chainCount, isMeaning,
                          bound] = t; // `bound` stays behind
  a(name, doc, file, line, benefit, depth, fastmath, recursive, looksAtLeaves, looksAtUses, countsUses, looksAtUsers,
    looksInRegions, labels, roots, chains, tests, opening, swaps, opened, entry, registers, chainCount, isMeaning);
}
template <class A> void fields(A &a, Is<ClauseCode> auto &t) {
  auto &[entry, result] = t;
  a(entry, result);
}
template <class A> void fields(A &a, Is<OpCode::Part> auto &t) {
  auto &[name, arity] = t;
  a(name, arity);
}
template <class A> void fields(A &a, Is<OpCode::Attribute> auto &t) {
  auto &[name, type, required, byDefault] = t;
  a(name, type, required, byDefault);
}
template <class A> void fields(A &a, Is<OpCode::StandIn> auto &t) {
  auto &[name, operand, type, dtype, rank, hasDefault, byDefault] = t;
  a(name, operand, type, dtype, rank, hasDefault, byDefault);
}
template <class A> void fields(A &a, Is<OpCode::TypeRule> auto &t) {
  auto &[kind, value, dims] = t;
  a(kind, value, dims);
}
template <class A> void fields(A &a, Is<OpCode::Requirement::Piece> auto &t) {
  auto &[text, value, elem, isList] = t;
  a(text, value, elem, isList);
}
template <class A> void fields(A &a, Is<OpCode::Requirement> auto &t) {
  auto &[condition, message] = t;
  a(condition, message);
}
template <class A> void fields(A &a, Is<OpCode::Fold> auto &t) {
  auto &[condition, value, isTensor] = t;
  a(condition, value, isTensor);
}
template <class A> void fields(A &a, Is<OpCode> auto &t) {
  auto &[dialect, name, doc, domain, file, since, until, operands, results, attrs, standIns, regions, traits, moved,
         types, requirements, folds, means, registers] = t;
  a(dialect, name, doc, domain, file, since, until, operands, results, attrs, standIns, regions, traits, moved, types,
    requirements, folds, means, registers);
}
template <class A> void fields(A &a, Is<DeclName> auto &t) {
  auto &[name, file, line] = t;
  a(name, file, line);
}
template <class A> void fields(A &a, Is<PassCode::Conversion> auto &t) {
  auto &[from, to, legal, version, lastVersion, refused, keepsFunctions] = t;
  a(from, to, legal, version, lastVersion, refused, keepsFunctions);
}
template <class A> void fields(A &a, Is<PassCode> auto &t) {
  auto &[name, doc, patterns, labels, maxIterations, line, conversion] = t;
  a(name, doc, patterns, labels, maxIterations, line, conversion);
}
template <class A> void fields(A &a, Is<PipelineCode> auto &t) {
  auto &[name, text, doc, line, imports] = t;
  a(name, text, doc, line, imports);
}
template <class A> void fields(A &a, Is<TestCode> auto &t) {
  auto &[name, target, kind, line, unchanged, before, after, registers] = t;
  a(name, target, kind, line, unchanged, before, after, registers);
}
/// What a registry is told, and what runs: the bytes of the second part follow those of the first.
template <class Head, class Code> void fields(Head &head, Code &body, Is<Unit> auto &t) {
  auto &[file, code, reasonOf, reasons, numbers, strings, opNames, kindSets, attrPlaces, builds, replays, chainTests,
         placements, fns, patterns, ops, passes, pipelines, tests, canonicalizations] = t;
  head(file, patterns, passes, pipelines, tests, canonicalizations);
  body(ops, code, reasonOf, reasons, numbers, strings, opNames, kindSets, attrPlaces, builds, replays, chainTests,
       placements, fns);
}
template <class A> void fields(A &a, Is<Unit> auto &t) { fields(a, a, t); }
/// In place of a part that is not asked for.
struct Skip {
  template <class... T> void operator()(T &...) {}
};
template <class A, class First, class Second> void fields(A &a, std::pair<First, Second> &t) { a(t.first, t.second); }
template <class A, class First, class Second> void fields(A &a, const std::pair<First, Second> &t) {
  a(t.first, t.second);
}

template <class T> constexpr bool isVector = false;
template <class T> constexpr bool isVector<std::vector<T>> = true;
template <class T> constexpr bool isOptional = false;
template <class T> constexpr bool isOptional<std::optional<T>> = true;

/// The number of values that an enumeration has, where code of another version might have more.
template <class T> constexpr size_t kEnd = 256;
template <> constexpr size_t kEnd<Opcode> = size_t(Opcode::Head); // from here on they are fused, which no unit has
template <> constexpr size_t kEnd<Elem> = 256;                    // an instruction may have a small number there
template <> constexpr size_t kEnd<SharedTest::Kind> = size_t(SharedTest::NoExtras) + 1; // the last
template <> constexpr size_t kEnd<OpCode::TypeRule::Kind> = size_t(OpCode::TypeRule::Group) + 1;

/// FNV-1a.
uint64_t hash(std::string_view bytes, uint64_t h = 0xcbf29ce484222325) {
  for (unsigned char c : bytes)
    h = (h ^ c) * 0x100000001b3;
  return h;
}

// Writing ---------------------------------------------------------------------------------------------------------

class BytesWriter {
public:
  std::string bytes;

  template <class... T> void operator()(const T &...values) { (put(values), ...); }

  void fixed(uint64_t v) {
    for (int i = 0; i < 8; ++i, v >>= 8)
      bytes += char(v & 0xff);
  }

private:
  void number(uint64_t v) {
    for (; v >= 0x80; v >>= 7)
      bytes += char(v | 0x80);
    bytes += char(v);
  }
  template <class T> void put(const T &v) {
    if constexpr (std::same_as<T, std::string>) {
      number(v.size());
      bytes += v;
    } else if constexpr (std::same_as<T, double>) {
      fixed(std::bit_cast<uint64_t>(v));
    } else if constexpr (isVector<T>) {
      number(v.size());
      for (const auto &element : v)
        put(element);
    } else if constexpr (isOptional<T>) {
      put(v.has_value());
      if (v)
        put(*v);
    } else if constexpr (std::is_enum_v<T>) {
      number(uint64_t(v));
    } else if constexpr (std::same_as<T, Reg>) {
      number(uint16_t(v + 1)); // "no register" is short as well
    } else if constexpr (std::signed_integral<T>) {
      int64_t wide = v;
      number(uint64_t(wide) << 1 ^ uint64_t(wide >> 63));
    } else if constexpr (std::unsigned_integral<T>) {
      number(v);
    } else {
      fields(*this, v);
    }
  }
};

// The version -----------------------------------------------------------------------------------------------------

/// Takes down what tables are made of.
class ShapeWriter {
public:
  std::string shape;

  template <class... T> void operator()(const T &...) { (describe<T>(), ...); }

private:
  template <class T> void describe() {
    if constexpr (std::same_as<T, std::string>)
      shape += 's';
    else if constexpr (std::same_as<T, double>)
      shape += 'd';
    else if constexpr (isVector<T> || isOptional<T>) {
      shape += isVector<T> ? '[' : '?';
      describe<typename T::value_type>();
    } else if constexpr (std::is_enum_v<T>)
      shape += fmt::format("e{}", kEnd<T>);
    else if constexpr (std::integral<T>)
      shape += fmt::format("{}{}", std::signed_integral<T> ? 'i' : 'u', sizeof(T));
    else {
      const T table{};
      shape += '{';
      fields(*this, table);
      shape += '}';
    }
  }
};

/// What code means beyond the names of opcodes and the fields of tables: to be counted up when that changes.
constexpr int kMeaning = 1;

uint64_t formatVersion() {
  static const uint64_t version = [] {
    std::string_view opcodes =
#define X(name) #name " "
        RW_INTERPRET_OPCODES(X)
#undef X
        ;
    ShapeWriter writer;
    writer(Unit());
    return hash(fmt::format("{} {} {} {}", RW_VERSION, kMeaning, opcodes, writer.shape));
  }();
  return version;
}

// Reading ---------------------------------------------------------------------------------------------------------

class BytesReader {
public:
  explicit BytesReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T> void operator()(T &...values) { (take(values), ...); }

  uint64_t fixed() {
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; ++i)
      v |= uint64_t(byte()) << (8 * i);
    return v;
  }
  bool good() const { return good_; }
  size_t left() const { return bytes_.size() - at_; }
  std::string_view rest() const { return bytes_.substr(at_); }

private:
  uint8_t byte() {
    if (at_ < bytes_.size())
      return uint8_t(bytes_[at_++]);
    good_ = false;
    return 0;
  }
  uint64_t number() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t b = byte();
      v |= uint64_t(b & 0x7f) << shift;
      if (b < 0x80)
        return v;
    }
    good_ = false;
    return 0;
  }
  /// Every element takes a byte at least, so there are no more than bytes.
  size_t count() {
    uint64_t n = number();
    if (n > left())
      good_ = false;
    return good_ ? size_t(n) : 0;
  }
  template <class T> void take(T &v) {
    if constexpr (std::same_as<T, std::string>) {
      size_t n = count();
      v = bytes_.substr(at_, n);
      at_ += n;
    } else if constexpr (std::same_as<T, double>) {
      v = std::bit_cast<double>(fixed());
    } else if constexpr (isVector<T>) {
      v.clear();
      size_t n = count();
      v.reserve(n);
      for (size_t i = 0; i < n && good_; ++i)
        take(v.emplace_back());
    } else if constexpr (isOptional<T>) {
      bool there = false;
      take(there);
      v.reset();
      if (there)
        take(v.emplace());
    } else if constexpr (std::is_enum_v<T>) {
      uint64_t n = number();
      good_ &= n < kEnd<T>;
      v = T(n);
    } else if constexpr (std::same_as<T, bool>) {
      uint64_t n = number();
      good_ &= n < 2;
      v = n != 0;
    } else if constexpr (std::same_as<T, Reg>) {
      uint64_t n = number();
      good_ &= n <= UINT16_MAX;
      v = Reg(n - 1);
    } else if constexpr (std::signed_integral<T>) {
      uint64_t n = number();
      int64_t wide = int64_t(n >> 1) ^ -int64_t(n & 1);
      v = T(wide);
      good_ &= int64_t(v) == wide;
    } else if constexpr (std::unsigned_integral<T>) {
      uint64_t n = number();
      v = T(n);
      good_ &= v == n;
    } else {
      fields(*this, v);
    }
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool good_ = true;
};

constexpr std::string_view kMark = "rwunit\r\n"; // bytes that text tools would change
} // namespace

std::string toBytes(const Unit &unit) {
  BytesWriter tables;
  tables(unit);
  BytesWriter out;
  out.bytes = kMark;
  out.fixed(formatVersion());
  out.fixed(tables.bytes.size());
  out.fixed(hash(tables.bytes));
  return out.bytes + tables.bytes;
}

Result<UnitHead> headOf(std::string_view bytes) {
  if (!bytes.starts_with(kMark))
    return failure("they do not begin as embedded patterns do");
  bytes.remove_prefix(kMark.size());
  BytesReader head(bytes.substr(0, std::min<size_t>(bytes.size(), 24)));
  uint64_t version = head.fixed(), size = head.fixed(), sum = head.fixed();
  if (!head.good())
    return failure("they end in the middle");
  if (version != formatVersion())
    return failure("another version of rw has written them");
  bytes.remove_prefix(24);
  if (bytes.size() != size)
    return failure("{}", bytes.size() < size ? "they end in the middle" : "something stands behind their end");
  if (hash(bytes) != sum)
    return failure("they were changed after they were written");
  UnitHead out;
  BytesReader tables(bytes);
  Skip body;
  fields(tables, body, out.unit);
  if (!tables.good())
    return failure("their tables are malformed");
  out.code = tables.rest();
  return out;
}

bool readCode(std::string_view code, Unit &unit) {
  BytesReader tables(code);
  Skip head;
  fields(head, tables, unit);
  return tables.good() && !tables.left() && !unit.code.empty() && unit.reasonOf.size() == unit.code.size();
}

Result<Unit> fromBytes(std::string_view bytes) {
  Result<UnitHead> head = headOf(bytes);
  if (!head)
    return head.failure();
  if (!readCode(head->code, head->unit))
    return failure("their tables are malformed");
  return std::move(head->unit);
}

} // namespace rw::interpret
