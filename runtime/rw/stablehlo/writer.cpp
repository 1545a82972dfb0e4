// Writing programs as MLIR text: modules and functions in the short form, ops in the generic one, which each tool
// reads.
#include "rw/ir/text_format.h"
#include "rw/stablehlo/stablehlo.h"
#include "rw/stablehlo/structures.h"
#include "rw/stablehlo/type_reader.h"
#include "rw/support/numbers.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace rw::stablehlo {

namespace {
bool isBareIdentifier(std::string_view s) {
  if (s.empty() || !text::isNameStart(s[0]))
    return false;
  return std::ranges::all_of(s, [](char c) { return text::isNameChar(c) || c == '$' || c == '.'; });
}

class Writer {
public:
  Writer(Program &program, std::string_view file, Diagnostics &diags)
      : program_(program), ctx_(program.context()), file_(file), diags_(diags) {}

  bool run(std::string &out) {
    for (Function &fn : program_.functions())
      noteCalls(fn);
    out_ = "module ";
    processCounts();
    out_ += "{\n";
    for (Function &fn : program_.functions())
      if (!writeFunction(fn))
        return false;
    out_ += "}\n";
    out = std::move(out_);
    return true;
  }

private:
  bool refuse(Op op, std::string message) {
    if (op && op.loc())
      diags_.error("no-spelling", {op.loc(), op.loc()}, std::move(message));
    else
      diags_.errorInFile("no-spelling", file_, std::move(message));
    return false;
  }

  // Names ------------------------------------------------------------------------------------------------------------

  static bool isProcessCount(std::string_view attribute) {
    return std::ranges::count(kProcessCounts, attribute, &ProcessCount::ofOp) != 0;
  }

  /// Functions that others call are private. What ops say of how many processes there are, the module says.
  void noteCalls(Function &fn) {
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      if (op.isErased())
        continue;
      for (unsigned a = 0; a < op.schema().attrs.size(); ++a)
        if (AttrId attr = op.attr(a); attr && ctx_.attr(attr).kind == AttrKind::Symbol)
          called_.insert(ctx_.attr(attr).text);
        else if (attr && ctx_.attr(attr).kind == AttrKind::Int)
          for (size_t c = 0; c < std::size(kProcessCounts); ++c)
            if (op.schema().attrs[a].name == kProcessCounts[c].ofOp)
              processes_[c] = std::max(processes_[c], ctx_.attr(attr).i);
    }
  }
  void processCounts() {
    bool first = true;
    for (size_t c = 0; c < std::size(kProcessCounts); ++c)
      if (processes_[c] != 1) {
        out_ += first ? "attributes {" : ", ";
        (out_ += kProcessCounts[c].ofModule) += " = ";
        text::appendInt(out_, processes_[c]);
        out_ += " : i32";
        first = false;
      }
    if (!first)
      out_ += "} ";
  }

  void symbol(std::string_view name) {
    out_ += '@';
    isBareIdentifier(name) ? void(out_ += name) : string(name);
  }

  void string(std::string_view text) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    out_ += '"';
    for (char c : text) {
      if (c == '"' || c == '\\' || uint8_t(c) < 0x20 || uint8_t(c) >= 0x7f) {
        out_ += '\\';
        out_ += kDigits[uint8_t(c) >> 4];
        out_ += kDigits[uint8_t(c) & 15];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  /// Gives every value of the function a name: its own where MLIR can have it and no other value does, else one made of
  /// it, or a number.
  void nameValues(Function &fn) {
    names_.assign(fn.valueCapacity(), std::string());
    std::unordered_set<std::string> taken;
    nameRegion(fn, fn.body(), taken);
  }
  void nameValue(Function &fn, ValueId value, std::unordered_set<std::string> &taken) {
    std::string &name = names_[value.raw];
    if (StringId own = fn.valueName(value)) {
      for (char c : ctx_.text(own))
        name += text::isNameChar(c) || c == '$' || c == '.' || c == '-' ? c : '_';
      if (name.empty() || text::isDigit(name[0]))
        name = "v" + name;
      std::string stem = name;
      for (int n = 1; !taken.insert(name).second; ++n)
        name = stem + "_" + std::to_string(n);
    } else {
      name = std::to_string(nextNumber_++);
    }
  }
  void nameRegion(Function &fn, RegionId region, std::unordered_set<std::string> &taken) {
    for (ValueId p : fn.params(region))
      nameValue(fn, p, taken);
    for (Op op : fn.ops(region)) {
      for (unsigned i = 0; i < op.resultCount(); ++i)
        nameValue(fn, op.result(i).id, taken);
      for (RegionId r : op.regions())
        nameRegion(fn, r, taken);
    }
  }
  void value(ValueId v) {
    out_ += '%';
    out_ += names_[v.raw];
  }

  // Types ------------------------------------------------------------------------------------------------------------

  static std::string_view elementName(DType t) {
    switch (t) {
    case DType::Bool:
      return "i1";
    case DType::U4:
      return "ui4";
    case DType::U8:
      return "ui8";
    case DType::U16:
      return "ui16";
    case DType::U32:
      return "ui32";
    case DType::U64:
      return "ui64";
    case DType::C64:
      return "complex<f32>";
    case DType::C128:
      return "complex<f64>";
    case DType::F8E4M3FN:
      return "f8E4M3FN";
    case DType::F8E4M3FNUZ:
      return "f8E4M3FNUZ";
    case DType::F8E5M2:
      return "f8E5M2";
    case DType::F8E5M2FNUZ:
      return "f8E5M2FNUZ";
    case DType::F4E2M1:
      return "f4E2M1FN";
    case DType::Unknown:
    case DType::String:
      return {};
    default:
      return dtypeName(t);
    }
  }

  /// False if MLIR has no such type.
  bool type(TypeId id) {
    const TypeData &t = ctx_.type(id);
    switch (t.kind) {
    case TypeKind::Tensor:
      break;
    case TypeKind::Tuple: {
      out_ += "tuple<";
      bool ok = list(t.elements, [&](TypeId e) { return type(e); });
      out_ += '>';
      return ok;
    }
    case TypeKind::Opaque:
      if (t.text != kTokenType)
        return false;
      out_ += "!stablehlo.token";
      return true;
    case TypeKind::None:
      return false;
    }
    std::string_view element = elementName(t.dtype);
    if (element.empty())
      return false;
    out_ += "tensor<";
    if (!t.ranked)
      out_ += "*x";
    for (Dim d : t.dims) {
      d.isKnown() ? text::appendInt(out_, d.size()) : void(out_ += '?');
      out_ += 'x';
    }
    out_ += element;
    out_ += '>';
    return true;
  }

  template <class List, class Item> bool list(const List &items, Item item) {
    bool first = true;
    for (const auto &i : items) {
      if (!first)
        out_ += ", ";
      first = false;
      if (!item(i))
        return false;
    }
    return true;
  }

  // Attributes -------------------------------------------------------------------------------------------------------

  void ints(std::span<const int64_t> values) {
    list(values, [&](int64_t i) {
      text::appendInt(out_, i);
      return true;
    });
  }
  void array(std::span<const int64_t> values) {
    out_ += values.empty() ? "array<i64" : "array<i64: ";
    ints(values);
    out_ += '>';
  }
  void number(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (std::isfinite(value))
      decimal(printFloat(value));
    else
      hexNumber(bits, 8);
  }
  /// MLIR's floats have a point.
  void decimal(std::string digits) {
    size_t e = digits.find('e');
    if (digits.find('.') == std::string::npos)
      digits.insert(e == std::string::npos ? digits.size() : e, ".0");
    out_ += digits;
  }
  void hexNumber(uint64_t bits, unsigned bytes) {
    std::string digits;
    for (unsigned i = 0; i < bytes; ++i) {
      uint8_t byte = uint8_t(bits >> (8 * (bytes - 1 - i)));
      text::appendHex(digits, &byte, 1);
    }
    std::ranges::transform(digits, digits.begin(), [](char c) { return char(std::toupper(uint8_t(c))); });
    out_ += "0x" + digits;
  }

  /// A value as MLIR has it where nothing says what is meant.
  bool plain(AttrId id) {
    const AttrData &a = ctx_.attr(id);
    switch (a.kind) {
    case AttrKind::Unit:
      out_ += "unit";
      return true;
    case AttrKind::Int:
      text::appendInt(out_, a.i);
      out_ += " : i64";
      return true;
    case AttrKind::Float:
      number(a.f);
      out_ += " : f64";
      return true;
    case AttrKind::Bool:
      out_ += a.i ? "true" : "false";
      return true;
    case AttrKind::String:
      string(a.text);
      return true;
    case AttrKind::DType:
      out_ += elementName(a.dtype);
      return !elementName(a.dtype).empty();
    case AttrKind::Type:
      return type(a.type);
    case AttrKind::Symbol:
      symbol(a.text);
      return true;
    case AttrKind::Ints:
      array(a.ints);
      return true;
    case AttrKind::Floats:
      out_ += a.floats.empty() ? "array<f64" : "array<f64: ";
      list(a.floats, [&](double f) {
        number(f);
        return true;
      });
      out_ += '>';
      return true;
    case AttrKind::Dense:
      return dense(*a.dense);
    case AttrKind::List:
      return isDictionary(a) ? dictionary(a) : plainList(a);
    case AttrKind::Dim:
    case AttrKind::Dims:
    case AttrKind::Bytes:
      return false;
    }
    return false;
  }
  bool plainList(const AttrData &a) {
    out_ += '[';
    bool ok = list(a.elements, [&](AttrId e) { return plain(e); });
    out_ += ']';
    return ok;
  }
  /// A list of pairs of a name and a value is what the reader makes of a dictionary, and an empty list of an empty one:
  /// `[]` is a list of numbers.
  bool isDictionary(const AttrData &a) const {
    return std::ranges::all_of(a.elements, [&](AttrId e) {
      std::span<const AttrId> pair = ctx_.attr(e).elements;
      return pair.size() == 2 && ctx_.attr(pair[0]).kind == AttrKind::String && !ctx_.attr(pair[0]).text.empty();
    });
  }
  bool dictionary(const AttrData &a) {
    out_ += '{';
    bool ok = list(a.elements,
                   [&](AttrId e) { return named(ctx_.attr(ctx_.attr(e).elements[0]).text, ctx_.attr(e).elements[1]); });
    out_ += '}';
    return ok;
  }
  bool named(std::string_view name, AttrId value) {
    isBareIdentifier(name) ? void(out_ += name) : string(name);
    if (ctx_.attr(value).kind == AttrKind::Unit)
      return true;
    out_ += " = ";
    return plain(value);
  }

  /// A declared attribute of an op.
  bool declared(std::string_view op, const AttrSchema &schema, AttrId id) {
    const AttrData &a = ctx_.attr(id);
    std::string_view dialect = op.substr(0, op.find('.')), enumeration = enumerationOf(op, schema.name);
    auto choice = [&](AttrId e) {
      ((((out_ += '#') += dialect) += '<') += enumeration) += ' ';
      (out_ += ctx_.attr(e).text) += '>';
      return true;
    };
    if (!enumeration.empty() && a.kind == AttrKind::String)
      return choice(id);
    if (!enumeration.empty() && a.kind == AttrKind::List) {
      out_ += '[';
      list(a.elements, choice);
      out_ += ']';
      return true;
    }
    if (a.kind == AttrKind::Int && isInt32(op, schema.name)) {
      text::appendInt(out_, a.i);
      out_ += " : i32";
      return true;
    }
    if (a.kind == AttrKind::Float) { // of 32 bits, as all that are declared
      float value = float(a.f);
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      std::isfinite(value) ? decimal(printFloat(value)) : hexNumber(bits, 4);
      out_ += " : f32";
      return true;
    }
    if (schema.type == AttrType::Bools) {
      out_ += a.elements.empty() ? "array<i1" : "array<i1: ";
      list(a.elements, [&](AttrId e) { return plain(e); });
      out_ += '>';
      return true;
    }
    if (schema.type == AttrType::IntLists)
      return matrix(a);
    return schema.type == AttrType::Strings && a.kind == AttrKind::List ? plainList(a) : plain(id);
  }
  /// Lists of one length, as a tensor.
  bool matrix(const AttrData &a) {
    size_t columns = a.elements.empty() ? 0 : ctx_.attr(a.elements[0]).ints.size();
    out_ += "dense<";
    bool none = a.elements.empty() || columns == 0;
    if (!none)
      out_ += '[';
    bool even = list(none ? std::span<const AttrId>() : a.elements, [&](AttrId row) {
      out_ += '[';
      ints(ctx_.attr(row).ints);
      out_ += ']';
      return ctx_.attr(row).ints.size() == columns;
    });
    if (!none)
      out_ += ']';
    out_ += "> : tensor<" + std::to_string(a.elements.size()) + "x" + std::to_string(columns) + "xi64>";
    return even;
  }

  // Constants --------------------------------------------------------------------------------------------------------

  void element(DType dtype, const std::byte *p) {
    uint64_t bits = 0;
    unsigned bytes = dtypeBytes(dtype);
    if (isComplex(dtype)) {
      DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
      out_ += '(';
      element(part, p);
      out_ += ", ";
      element(part, p + bytes / 2);
      out_ += ')';
      return;
    }
    std::memcpy(&bits, p, bytes);
    if (dtype == DType::Bool) {
      out_ += bits ? "true" : "false";
      return;
    }
    if (isUnsigned(dtype)) {
      text::appendUnsigned(out_, bits);
      return;
    }
    if (isInteger(dtype)) {
      if (bytes < 8 && (bits >> (8 * bytes - 1)) != 0)
        bits |= ~uint64_t(0) << (8 * bytes);
      text::appendInt(out_, int64_t(bits));
      return;
    }
    if (dtype == DType::F64) {
      double value;
      std::memcpy(&value, &bits, sizeof value);
      std::isfinite(value) ? decimal(printFloat(value)) : hexNumber(bits, bytes);
      return;
    }
    float value = 0;
    if (dtype == DType::F32)
      std::memcpy(&value, &bits, sizeof value);
    else
      value = dtype == DType::F16 ? fromHalf(uint16_t(bits)) : fromBFloat16(uint16_t(bits));
    std::isfinite(value) ? decimal(printFloat(value)) : hexNumber(bits, bytes);
  }

  bool dense(const DenseData &d) {
    const TypeData &t = ctx_.type(d.type);
    std::optional<int64_t> count = ctx_.elementCount(d.type);
    unsigned bytes = dtypeBytes(t.dtype);
    if (!count || t.dtype == DType::String || !d.strings.empty())
      return false;
    constexpr int64_t kMostListed = 64;
    bool spelled =
        bytes > 1 || isInteger(t.dtype) || t.dtype == DType::Bool; // floats of 8 bits, and less, are written as bytes
    spelled = spelled && bytes != 0;
    out_ += "dense<";
    if (d.splat && spelled) {
      element(t.dtype, d.bytes.data());
    } else if (*count == 0) {
    } else if (spelled && !d.splat && *count <= kMostListed) {
      nested(t, d.bytes.data());
    } else {
      std::string digits;
      if (bytes == 0) { // two to a byte here, a byte each there
        for (int64_t i = 0; i < *count; ++i) {
          std::byte each = (d.bytes[size_t(i) / 2] >> (i % 2 * 4)) & std::byte(15);
          text::appendHex(digits, &each, 1);
        }
      } else {
        text::appendHex(digits, d.bytes.data(), d.bytes.size());
      }
      std::ranges::transform(digits, digits.begin(), [](char c) { return char(std::toupper(uint8_t(c))); });
      out_ += "\"0x" + digits + "\"";
    }
    out_ += "> : ";
    return type(d.type);
  }
  void nested(const TypeData &t, const std::byte *data) {
    InlineList<int64_t, 8> done;
    size_t bytes = dtypeBytes(t.dtype);
    if (t.dims.empty()) {
      element(t.dtype, data);
      return;
    }
    do {
      while (done.size() < t.dims.size()) {
        out_ += '[';
        done.push_back(0);
      }
      element(t.dtype, data);
      data += bytes;
      while (!done.empty() && ++done[done.size() - 1] == t.dims[done.size() - 1].size()) {
        out_ += ']';
        done.resize(done.size() - 1);
      }
      if (!done.empty())
        out_ += ", ";
    } while (!done.empty());
  }

  // Ops --------------------------------------------------------------------------------------------------------------

  /// `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`.
  bool convolutionDimensions(Op op) {
    auto attr = [&](std::string_view side, std::string_view rest) -> const AttrData & {
      return ctx_.attr(op.attr(unsigned(op.schema().attrIndex(std::string(side) + std::string(rest)))));
    };
    auto one = [&](std::string_view side, std::string_view first, char firstLabel, std::string_view second,
                   char secondLabel) {
      const AttrData &spatial = attr(side, "_spatial_dimensions");
      std::vector<std::string> labels(spatial.ints.size() + 2);
      auto put = [&](int64_t at, std::string label) {
        if (at < 0 || at >= int64_t(labels.size()) || !labels[size_t(at)].empty())
          return false;
        labels[size_t(at)] = std::move(label);
        return true;
      };
      bool ok = put(attr(side, first).i, std::string(1, firstLabel)) &&
                put(attr(side, second).i, std::string(1, secondLabel));
      for (size_t i = 0; ok && i < spatial.ints.size(); ++i)
        ok = put(spatial.ints[i], std::to_string(i));
      out_ += '[';
      list(labels, [&](const std::string &l) {
        out_ += l;
        return true;
      });
      out_ += ']';
      return ok;
    };
    bool ok = one("input", "_batch_dimension", 'b', "_feature_dimension", 'f');
    out_ += 'x';
    ok = ok && one("kernel", "_output_feature_dimension", 'o', "_input_feature_dimension", 'i');
    out_ += "->";
    return ok && one("output", "_batch_dimension", 'b', "_feature_dimension", 'f');
  }

  /// A structure's fields that the op has; nothing if it has none.
  bool structure(Op op, const StructureUse &use, bool &first) {
    const OpSchema &schema = op.schema();
    bool any = false;
    for (const StructureField &f : structureFields())
      if (f.structure == use.structure)
        if (int i = schema.attrIndex(f.attribute); i >= 0 && op.attr(unsigned(i)))
          any = true;
    bool required = use.structure == "dot" || use.structure == "gather" || use.structure == "scatter";
    if (!any && !required)
      return true;
    separate(first);
    ((((out_ += use.attribute) += " = #stablehlo.") += use.structure) += '<');
    if (use.structure == "conv") {
      bool ok = convolutionDimensions(op);
      out_ += '>';
      return ok;
    }
    bool firstField = true;
    for (const StructureField &f : structureFields()) {
      int i = f.structure == use.structure ? schema.attrIndex(f.attribute) : -1;
      AttrId value = i >= 0 ? op.attr(unsigned(i)) : AttrId();
      if (!value)
        continue;
      separate(firstField);
      (out_ += f.field) += " = ";
      const AttrData &a = ctx_.attr(value);
      if (a.kind == AttrKind::Ints) {
        out_ += '[';
        ints(a.ints);
        out_ += ']';
      } else if (a.kind == AttrKind::Int) {
        text::appendInt(out_, a.i);
      } else {
        out_ += a.kind == AttrKind::Bool ? (a.i ? "true" : "false") : a.text;
      }
    }
    out_ += '>';
    return true;
  }
  void separate(bool &first) {
    if (!first)
      out_ += ", ";
    first = false;
  }

  static bool inStructure(std::string_view op, std::string_view attribute) {
    for (const StructureUse &use : structureUses())
      if (use.op.empty() || use.op == op)
        for (const StructureField &f : structureFields())
          if (f.structure == use.structure && f.attribute == attribute)
            return true;
    return false;
  }

  bool properties(Op op, std::string_view name) {
    const OpSchema &schema = op.schema();
    size_t from = out_.size();
    out_ += " <{";
    bool first = true;
    for (const StructureUse &use : structureUses())
      if (use.op == name || (use.op.empty() && schema.attrIndex("channel_id") >= 0))
        if (!structure(op, use, first))
          return refuse(op, "the dimensions of `" + std::string(name) + "` cannot be written");
    bool always = name == "stablehlo.slice"; // its strides have no default there
    for (unsigned i = 0; i < schema.attrs.size(); ++i) {
      std::string_view attribute = schema.attrs[i].name;
      AttrId value = always ? op.attrOrDefault(i) : op.attr(i);
      if (!value || attribute == "shape" || attribute == "dtype" || isProcessCount(attribute) ||
          inStructure(name, attribute))
        continue;
      separate(first);
      (out_ += attribute) += " = ";
      if (!declared(name, schema.attrs[i], value))
        return refuse(op, "the attribute `" + std::string(attribute) + "` of `" + std::string(name) +
                              "` cannot be written");
    }
    if (AttrId accuracy = op.extraAttr("$result_accuracy")) {
      separate(first);
      if (!resultAccuracy(accuracy))
        return refuse(op, "the accuracy of `" + std::string(name) + "` cannot be written");
    }
    out_ += "}>";
    if (first)
      out_.resize(from);
    return true;
  }
  bool resultAccuracy(AttrId id) {
    const AttrData &a = ctx_.attr(id);
    if (!isDictionary(a))
      return false;
    out_ += "result_accuracy = #stablehlo.result_accuracy<";
    list(a.elements, [&](AttrId e) {
      std::span<const AttrId> pair = ctx_.attr(e).elements;
      const AttrData &value = ctx_.attr(pair[1]);
      (out_ += ctx_.attr(pair[0]).text) += " = ";
      if (value.kind == AttrKind::String)
        ((out_ += "#stablehlo.result_accuracy_mode<") += value.text) += '>';
      else if (value.kind == AttrKind::Int)
        text::appendInt(out_, value.i);
      else
        number(value.f);
      return true;
    });
    out_ += '>';
    return true;
  }

  /// What has no meaning for what is computed.
  bool discardable(Op op) {
    bool first = true;
    for (const NamedAttr &e : ctx_.attrs(op.attrsId()).extra) {
      std::string_view name = ctx_.text(e.name);
      if (!name.starts_with('$'))
        return refuse(op, "the attribute `" + std::string(name) + "` is not declared, and may mean anything");
      if (name == "$result_accuracy")
        continue;
      out_ += first ? " {" : ", ";
      first = false;
      if (!named(name.substr(1), e.value))
        return refuse(op, "the attribute `" + std::string(name.substr(1)) + "` cannot be written");
    }
    if (!first)
      out_ += '}';
    return true;
  }

  bool typesOf(Op op, std::string_view name) {
    out_ += " : (";
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      out_ += i ? ", " : "";
      if (!type(op.operand(i).typeId()))
        return refuse(op, "operand " + std::to_string(i) + " of `" + std::string(name) + "` is of type " +
                              ctx_.typeToString(op.operand(i).typeId()) + ", which MLIR does not have");
    }
    out_ += ") -> ";
    if (op.resultCount() != 1)
      out_ += '(';
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      out_ += i ? ", " : "";
      if (!type(op.result(i).typeId()))
        return refuse(op, "a result of `" + std::string(name) + "` is of type " +
                              ctx_.typeToString(op.result(i).typeId()) +
                              ", which MLIR does not have: infer types first (infer_shapes)");
    }
    if (op.resultCount() != 1)
      out_ += ')';
    out_ += '\n';
    return true;
  }

  bool writeRegion(Function &fn, RegionId region, unsigned indent) {
    if (!fn.params(region).empty()) {
      out_.append(indent, ' ');
      out_ += "^bb0(";
      bool ok = list(fn.params(region), [&](ValueId p) {
        value(p);
        out_ += ": ";
        return type(fn.data(p).type);
      });
      out_ += "):\n";
      if (!ok)
        return refuse({}, "a region of @" + fn.name() + " has a parameter of a type that MLIR does not have");
    }
    for (Op op : fn.ops(region))
      if (!writeOp(fn, op, indent + 2))
        return false;
    return true;
  }

  bool writeOp(Function &fn, Op op, unsigned indent) {
    std::string_view own = op.fullName(), name = own;
    bool isReturn = op.kind() == kReturnKind;
    if (isReturn)
      name = op.region() == fn.body() ? "func.return" : "stablehlo.return";
    else if (own == "tensor.call")
      name = "func.call";
    else if (op.kind() == kOpaqueKind ||
             !(own.starts_with("stablehlo.") || own.starts_with("chlo.") || own.starts_with("check.")))
      return refuse(op, "`" + std::string(own) + "` is no op of StableHLO, and has no spelling there");
    out_.append(indent, ' ');
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      out_ += i ? ", " : "";
      value(op.result(i).id);
    }
    out_ += op.resultCount() ? " = \"" : "\"";
    (out_ += name) += "\"(";
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      out_ += i ? ", " : "";
      if (!op.operand(i))
        return refuse(op, "operand " + std::to_string(i) + " of `" + std::string(own) +
                              "` is left out, which MLIR does not have");
      value(op.operand(i).id);
    }
    out_ += ')';
    if (!isReturn && !properties(op, own))
      return false;
    bool first = true;
    for (RegionId r : op.regions()) {
      out_ += first ? " ({\n" : ", {\n";
      first = false;
      if (!writeRegion(fn, r, indent))
        return false;
      out_.append(indent, ' ');
      out_ += '}';
    }
    if (!first)
      out_ += ')';
    return discardable(op) && typesOf(op, own);
  }

  bool writeFunction(Function &fn) {
    nextNumber_ = 0;
    nameValues(fn);
    bool isPrivate = fn.name() != "main" && called_.contains(fn.name());
    (out_ += "  func.func ") += isPrivate ? "private " : "public ";
    symbol(fn.name());
    out_ += '(';
    unsigned index = 0;
    bool ok = list(fn.params(fn.body()), [&](ValueId p) {
      value(p);
      out_ += ": ";
      return !fn.paramInfo(index++).defaultValue && type(fn.data(p).type);
    });
    if (!ok)
      return refuse({}, "parameter " + std::to_string(index - 1) + " of @" + fn.name() +
                            " has a type that MLIR does not have, or a value that holds where it is left out");
    out_ += ')';
    Op ret = fn.terminator(fn.body());
    if (unsigned results = ret.operandCount()) {
      out_ += " -> (";
      for (unsigned i = 0; i < results; ++i) {
        out_ += i ? ", " : "";
        if (!ret.operand(i) || !type(ret.operand(i).typeId()))
          return refuse(ret,
                        "result " + std::to_string(i) + " of @" + fn.name() + " has a type that MLIR does not have");
        if (i < fn.resultNames().size() && fn.resultNames()[i]) {
          out_ += " {jax.result_info = ";
          string(ctx_.text(fn.resultNames()[i]));
          out_ += '}';
        }
      }
      out_ += ')';
    }
    out_ += " {\n";
    for (Op op : fn.ops(fn.body()))
      if (!writeOp(fn, op, 4))
        return false;
    out_ += "  }\n";
    return true;
  }

  Program &program_;
  Context &ctx_;
  std::string file_;
  Diagnostics &diags_;
  std::string out_;
  std::vector<std::string> names_; // by value
  uint32_t nextNumber_ = 0;
  std::unordered_set<std::string_view> called_;
  int64_t processes_[std::size(kProcessCounts)] = {1, 1};
};
} // namespace

bool writeProgram(Program &program, std::string &out, std::string_view file, Diagnostics &diags) {
  return Writer(program, file, diags).run(out);
}

} // namespace rw::stablehlo
