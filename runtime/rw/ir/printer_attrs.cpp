// How attributes are written. Where several kinds could be meant by the short form, the kind is said: `ints<1, 2>`.
#include "rw/ir/printer.h"
#include "rw/ir/text_format.h"

namespace rw {

using namespace text;

namespace {
/// Most elements of a dense tensor that are spelled out; longer ones are written in hex.
constexpr size_t kSpelledElements = 64;

class AttrWriter {
public:
  AttrWriter(std::string &out, const Context &ctx) : out_(out), ctx_(ctx) {}

  void write(AttrId id, AttrType declared) {
    if (!id) {
      out_ += "<no attribute>";
      return;
    }
    const AttrData &a = ctx_.attr(id);
    switch (a.kind) {
    case AttrKind::Unit:
      out_ += "unit<>";
      return;
    case AttrKind::Bool:
      out_ += a.i ? "true" : "false";
      return;
    case AttrKind::String:
      appendQuoted(out_, a.text);
      return;
    case AttrKind::Symbol:
      appendName(out_ += '@', a.text);
      return;
    case AttrKind::Dense:
      dense(*a.dense);
      return;
    case AttrKind::Bytes:
      out_ += "bytes<\"";
      appendHex(out_, a.text.data(), a.text.size());
      out_ += "\">";
      return;
    case AttrKind::Int:
      return wrapped("int", declared != AttrType::Float && declared != AttrType::Dim && declared != AttrType::Type,
                     [&] { appendInt(out_, a.i); });
    case AttrKind::Float:
      return wrapped("float", declared != AttrType::Dim && declared != AttrType::Type,
                     [&] { appendFloat(out_, a.f, true); });
    case AttrKind::DType:
      // An unknown dtype is `?`, which alone would say nothing.
      return wrapped("dtype", declared == AttrType::DType || (plain(declared) && a.dtype != DType::Unknown),
                     [&] { out_ += dtypeName(a.dtype); });
    case AttrKind::Type:
      return wrapped("type", declared == AttrType::Type || (plain(declared) && startsWithDType(a.type)),
                     [&] { out_ += ctx_.typeToString(a.type); });
    case AttrKind::Dim:
      return wrapped("dim", declared == AttrType::Dim, [&] { out_ += ctx_.dims().toString(a.dims[0]); });
    case AttrKind::Ints:
      return list("ints", a.ints, declared == AttrType::Ints || bareElements(declared),
                  [&](int64_t v) { appendInt(out_, v); });
    case AttrKind::Floats:
      return list("floats", a.floats, declared == AttrType::Floats || (bareElements(declared) && !a.floats.empty()),
                  [&](double v) { appendFloat(out_, v, true); });
    case AttrKind::Dims:
      return list("dims", a.dims, declared == AttrType::Dims, [&](Dim v) { out_ += ctx_.dims().toString(v); });
    case AttrKind::List: {
      bool bare = holdsList(declared) || (bareElements(declared) && mixed(a.elements));
      return list("list", a.elements, bare, [&](AttrId v) { write(v, AttrType::Any); });
    }
    }
  }

private:
  /// Declarations under which a bare dtype or type reads as what it looks like.
  static bool plain(AttrType t) { return t != AttrType::Dim && t != AttrType::DType && t != AttrType::Type; }
  /// Declarations under which `[…]` is told by its elements.
  static bool bareElements(AttrType t) {
    return t != AttrType::Ints && t != AttrType::Floats && t != AttrType::Dims && !holdsList(t) && t != AttrType::Dim &&
           t != AttrType::Type;
  }
  bool startsWithDType(TypeId id) const {
    const TypeData &t = ctx_.type(id);
    return t.kind == TypeKind::Tensor && t.dtype != DType::Unknown;
  }
  /// Whether `[…]` of these elements reads as a list and not as ints or floats.
  bool mixed(std::span<const AttrId> elements) const {
    bool ints = true, floats = true;
    for (AttrId e : elements) {
      ints &= ctx_.attr(e).kind == AttrKind::Int;
      floats &= ctx_.attr(e).kind == AttrKind::Float;
    }
    return !ints && !floats;
  }

  template <class Body> void wrapped(std::string_view kind, bool bare, Body body) {
    if (!bare)
      (out_ += kind) += '<';
    body();
    if (!bare)
      out_ += '>';
  }
  template <class T, class Item> void list(std::string_view kind, std::span<const T> items, bool bare, Item item) {
    if (bare)
      out_ += '[';
    else
      (out_ += kind) += '<';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i)
        out_ += ", ";
      item(items[i]);
    }
    out_ += bare ? ']' : '>';
  }

  void dense(const DenseData &d) {
    out_ += "dense<";
    out_ += ctx_.typeToString(d.type);
    out_ += ": ";
    size_t mark = out_.size();
    if (!spelled(d)) {
      out_.resize(mark);
      out_ += d.splat ? "splat hex \"" : "hex \"";
      appendHex(out_, d.bytes.data(), d.bytes.size());
      out_ += '"';
    }
    out_ += '>';
  }

  /// Element by element; false if the tensor is too long or has elements without a spelling.
  bool spelled(const DenseData &d) {
    const TypeData &t = ctx_.type(d.type);
    if (t.dtype == DType::String)
      return nested(d, t.dims, [&](size_t i) {
        appendQuoted(out_, ctx_.text(d.strings[i]));
        return true;
      });
    if (d.splat)
      return d.bytes.size() == dtypeBytes(t.dtype) && appendElement(out_, t.dtype, d.bytes.data());
    std::optional<int64_t> count = ctx_.elementCount(d.type);
    size_t each = dtypeBytes(t.dtype);
    if (!count || size_t(*count) > kSpelledElements || each == 0 || d.bytes.size() != size_t(*count) * each)
      return false;
    return nested(d, t.dims, [&](size_t i) { return appendElement(out_, t.dtype, d.bytes.data() + i * each); });
  }

  template <class Element> bool nested(const DenseData &d, std::span<const Dim> dims, Element element) {
    size_t count = size_t(ctx_.elementCount(d.type).value_or(0));
    if (count == 0) {
      out_ += "[]";
      return true;
    }
    // Brackets open before element i at every level whose size divides i, and close likewise after it.
    auto levelsAt = [&](size_t i) {
      size_t levels = 0, block = 1;
      for (size_t k = dims.size(); k-- > 0 && i % (block *= size_t(dims[k].size())) == 0;)
        ++levels;
      return levels;
    };
    for (size_t i = 0; i < count; ++i) {
      if (i)
        out_ += ", ";
      out_.append(levelsAt(i), '[');
      if (!element(i))
        return false;
      out_.append(levelsAt(i + 1), ']');
    }
    return true;
  }

  std::string &out_;
  const Context &ctx_;
};
} // namespace

void appendAttr(std::string &out, const Context &ctx, AttrId id, AttrType declared) {
  AttrWriter(out, ctx).write(id, declared);
}

} // namespace rw
