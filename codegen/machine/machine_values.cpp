// What the machine does with lists, attributes and comparisons, by kind of element; members of Machine.
#include "codegen/machine/scratch.h"

#include "rw/ir/structure_helpers.h"

#include <bit>

namespace rw::interpret {

// Lists -----------------------------------------------------------------------------------------------------------

/// Room grows by doubling: a list that is pushed onto has room for the next power of two, at least eight.
void Machine::push(Cell &list, const Cell &value, Elem elem) {
  size_t size = list.list.size, width = sizeOf(elem);
  bool full = size == 0 || (size >= 8 && std::has_single_bit(size));
  if (full) {
    size_t capacity = size == 0 ? 8 : size * 2;
    void *data = allocate(capacity * width);
    if (size)
      std::memcpy(data, list.list.data, size * width);
    list.list.data = data;
  }
  store(const_cast<void *>(list.list.data), size, elem, value);
  ++list.list.size;
}

void Machine::pushAll(Cell &list, ListRef from, Elem elem) {
  Cell element;
  for (size_t i = 0; i < from.size; ++i) {
    load(element, elem, from.data, i);
    push(list, element, elem);
  }
}

bool Machine::concat(const Instr &s, bool limited) {
  ListRef a = r_[s.b].list, b = r_[s.c].list;
  if (limited && !joinFits(a.size, b.size))
    return false;
  size_t width = sizeOf(s.elem);
  std::byte *out = static_cast<std::byte *>(allocate((a.size + b.size) * width));
  if (a.size)
    std::memcpy(out, a.data, a.size * width);
  if (b.size)
    std::memcpy(out + a.size * width, b.data, b.size * width);
  r_[s.a].list = {out, a.size + b.size};
  return true;
}

bool Machine::reordered(const Instr &s) {
  if (s.op != Opcode::Reversed) {
    Ints out = s.op == Opcode::Sorted ? sorted(list<int64_t>(s.b)) : argsort(list<int64_t>(s.b));
    setList<int64_t>(r_[s.a], out);
    return true;
  }
  ListRef from = r_[s.b].list;
  size_t width = sizeOf(s.elem);
  std::byte *out = static_cast<std::byte *>(allocate(from.size * width));
  for (size_t i = 0; i < from.size; ++i)
    std::memcpy(out + i * width, static_cast<const std::byte *>(from.data) + (from.size - 1 - i) * width, width);
  r_[s.a].list = {out, from.size};
  return true;
}

void Machine::setValues(Cell &cell, std::span<const Value> values) {
  InlineList<ValueId> ids;
  for (Value v : values)
    ids.push_back(v.id);
  setList<ValueId>(cell, ids);
}

/// Operands or results of an op.
void Machine::group(const Instr &s) {
  Op of = op(s.b);
  switch (s.op) {
  case Opcode::OperandList:
    return setValues(r_[s.a], operandsOf(of, s.c, of.operandCount() - unsigned(s.d)));
  case Opcode::OperandGroup:
    return setValues(r_[s.a], operandGroupOf(of, unsigned(s.d)));
  case Opcode::ResultGroup:
    return setValues(r_[s.a], resultGroupOf(of, unsigned(s.d)));
  default:
    return setValues(r_[s.a], resultsOf(of));
  }
}

bool Machine::region(const Instr &s) {
  auto found =
      s.op == Opcode::RegionParams ? regionParams(*inputs_, unsigned(s.d)) : regionResults(*inputs_, unsigned(s.d));
  if (found)
    setValues(r_[s.a], *found);
  return found.has_value();
}

bool Machine::convertList(const Instr &s) {
  if (s.op == Opcode::FloatsFromInts) {
    setList<double>(r_[s.a], floatsFrom(list<int64_t>(s.b)));
    return true;
  }
  if (s.op == Opcode::IntsFromDims) {
    std::optional<Ints> ints = intsFrom(list<Dim>(s.b));
    if (ints)
      setList<int64_t>(r_[s.a], *ints);
    return ints.has_value();
  }
  std::optional<Dims> dims = dimsFrom(list<int64_t>(s.b));
  if (dims)
    setList<Dim>(r_[s.a], *dims);
  return dims.has_value();
}

bool Machine::broadcast(const Instr &s) {
  std::optional<Dims> dims;
  if (s.c == kNoReg) {
    std::vector<Dims> shapes;
    for (const ListRef &shape : list<ListRef>(s.b))
      shapes.emplace_back(std::span(static_cast<const Dim *>(shape.data), shape.size));
    dims = broadcastShapes(ctx(), shapes);
  } else {
    dims = broadcastShapes(ctx(), list<Dim>(s.b), list<Dim>(s.c));
  }
  if (dims)
    setList<Dim>(r_[s.a], *dims);
  return dims.has_value();
}

bool Machine::tuple(const Instr &s) {
  std::optional<TypeId> tuple = tupleTypeOf(ctx(), ListOf<TypeId>(list<TypeId>(s.b)));
  if (tuple)
    r_[s.a].id = tuple->raw;
  return tuple.has_value();
}

bool Machine::keepsRank(const Instr &s) { return singleElementsKeepRank(op(s.a), InlineList<bool>(list<bool>(s.b))); }

// Comparisons -----------------------------------------------------------------------------------------------------

std::optional<bool> Machine::same(Elem elem, Elem inner, const Cell &a, const Cell &b) {
  switch (elem) {
  case Elem::Int:
  case Elem::Bool:
  case Elem::DType:
    return a.i == b.i;
  case Elem::Float:
    return a.f == b.f;
  case Elem::String:
    return a.list.size == b.list.size && (!a.list.size || !std::memcmp(a.list.data, b.list.data, a.list.size));
  case Elem::Dim:
    return equal(ctx(), Dim::fromBits(a.i), Dim::fromBits(b.i));
  case Elem::Type:
    return equal(ctx(), TypeId(a.id), TypeId(b.id));
  case Elem::Attr:
  case Elem::Value:
  case Elem::Op:
    return a.id == b.id;
  case Elem::List:
    return sameLists(inner, Elem::Int, a.list, b.list);
  }
  return std::nullopt;
}

std::optional<bool> Machine::sameLists(Elem elem, Elem inner, ListRef a, ListRef b) {
  if (a.size != b.size)
    return false;
  bool failed = false;
  Cell x, y;
  for (size_t i = 0; i < a.size; ++i) {
    load(x, elem, a.data, i);
    load(y, elem, b.data, i);
    std::optional<bool> e = same(elem, inner, x, y);
    if (e && !*e)
      return false; // decides, whatever could not be told before
    failed |= !e;
  }
  return failed ? std::nullopt : std::optional(true);
}

/// What matching means by the same: equality, of floats the same bits.
bool Machine::identical(const Instr &s, bool lists) {
  const Cell &a = r_[s.b], &b = r_[s.c];
  if (s.elem == Elem::Float && !lists)
    return a.i == b.i;
  if (s.elem == Elem::Float)
    return a.list.size == b.list.size && (!a.list.size || !std::memcmp(a.list.data, b.list.data, a.list.size * 8));
  return (lists ? sameLists(s.elem, Elem(s.d), a.list, b.list) : same(s.elem, Elem(s.d), a, b)).value_or(false);
}

void Machine::unrounded(const Instr &s) {
  bool list = s.d & 1, lists = s.d & 2;
  if (!list)
    r_[s.a].f = lists ? rw::unrounded(r_[s.b].f, this->list<double>(s.c)) : rw::unrounded(r_[s.b].f, r_[s.c].f);
  else
    setList<double>(r_[s.a], lists ? rw::unrounded(this->list<double>(s.b), this->list<double>(s.c))
                                   : rw::unrounded(this->list<double>(s.b), r_[s.c].f));
}

bool Machine::least(const Instr &s, bool greatest) {
  const Cell &a = r_[s.b], &b = r_[s.c];
  if (s.elem == Elem::Int) {
    r_[s.a].i = greatest ? std::max(a.i, b.i) : std::min(a.i, b.i);
    return true;
  }
  if (s.elem == Elem::Float) {
    std::optional<double> x = greatest ? rw::greatest(ctx(), a.f, b.f) : rw::least(ctx(), a.f, b.f);
    if (x)
      r_[s.a].f = *x;
    return x.has_value();
  }
  Dim p = Dim::fromBits(a.i), q = Dim::fromBits(b.i);
  std::optional<Dim> x = greatest ? rw::greatest(ctx(), p, q) : rw::least(ctx(), p, q);
  if (x)
    r_[s.a].i = x->bits();
  return x.has_value();
}

template <class T> static std::optional<T> total(Opcode op, Context &ctx, std::span<const T> list) {
  switch (op) {
  case Opcode::Sum:
    return sum(ctx, list);
  case Opcode::Product:
    return product(ctx, list);
  case Opcode::LeastOf:
    return leastOf<T>(ctx, list);
  default:
    return greatestOf<T>(ctx, list);
  }
}

bool Machine::aggregate(const Instr &s) {
  if (s.elem == Elem::Float) {
    std::optional<double> x = total(s.op, ctx(), list<double>(s.b));
    if (x)
      r_[s.a].f = *x;
    return x.has_value();
  }
  if (s.elem == Elem::Dim) {
    std::optional<Dim> x = total(s.op, ctx(), list<Dim>(s.b));
    if (x)
      r_[s.a].i = x->bits();
    return x.has_value();
  }
  std::optional<int64_t> x = total(s.op, ctx(), list<int64_t>(s.b));
  if (x)
    r_[s.a].i = *x;
  return x.has_value();
}

/// Contains, IndexOf, CountOf: as the functions of these names in rw/ir/expr_helpers.h say what fails.
bool Machine::find(const Instr &s) {
  ListRef in = r_[s.b].list;
  const Cell x = r_[s.c];
  Cell y;
  bool failed = false;
  int64_t times = 0;
  for (size_t i = 0; i < in.size; ++i) {
    load(y, s.elem, in.data, i);
    std::optional<bool> e = same(s.elem, Elem(s.d), y, x);
    if (s.op == Opcode::IndexOf) {
      if (!e)
        return false;
      if (*e) {
        r_[s.a].i = int64_t(i);
        return true;
      }
    } else if (s.op == Opcode::Contains) {
      if (e && *e) {
        r_[s.a].i = 1;
        return true;
      }
      failed |= !e;
    } else {
      if (!e)
        return false;
      times += *e;
    }
  }
  r_[s.a].i = times;
  return s.op != Opcode::IndexOf && !failed;
}

// Attributes ------------------------------------------------------------------------------------------------------

bool Machine::view(const Instr &s) {
  AttrId a = attr(s.b);
  Cell &out = r_[s.a];
  auto number = [&](auto value) {
    if (value)
      out.i = int64_t(*value);
    return value.has_value();
  };
  auto spanOf = [&](auto value) {
    if (value)
      out.list = {value->data(), value->size()};
    return value.has_value();
  };
  auto copied = [&]<class T>(std::optional<InlineList<T>> value) {
    if (value)
      setList<T>(out, *value);
    return value.has_value();
  };
  switch (View(s.d)) {
  case View::Int:
    return number(attrAs<int64_t>(ctx(), a));
  case View::Float:
  case View::FloatAlone: {
    std::optional<double> f = View(s.d) == View::Float ? attrAs<double>(ctx(), a) : attrOfKind<double>(ctx(), a);
    if (f)
      out.f = *f;
    return f.has_value();
  }
  case View::Bool:
    return number(attrAs<bool>(ctx(), a));
  case View::String:
    return spanOf(attrAs<std::string_view>(ctx(), a));
  case View::StringAlone:
    return spanOf(attrOfKind<std::string_view>(ctx(), a));
  case View::DType:
    return number(attrAs<DType>(ctx(), a));
  case View::Dim: {
    std::optional<Dim> d = attrAs<Dim>(ctx(), a);
    if (d)
      out.i = d->bits();
    return d.has_value();
  }
  case View::Type: {
    std::optional<TypeId> t = attrAs<TypeId>(ctx(), a);
    if (t)
      out.id = t->raw;
    return t.has_value();
  }
  case View::Attr:
    out.id = a.raw;
    return bool(a);
  case View::Ints:
    return spanOf(attrAs<std::span<const int64_t>>(ctx(), a));
  case View::Floats:
    return spanOf(attrAs<std::span<const double>>(ctx(), a));
  case View::Dims:
    return spanOf(attrAs<std::span<const Dim>>(ctx(), a));
  case View::Bools:
    return copied(attrAs<InlineList<bool>>(ctx(), a));
  case View::Strings:
    return copied(attrAs<InlineList<std::string_view>>(ctx(), a));
  case View::DTypes:
    return copied(attrAs<InlineList<DType>>(ctx(), a));
  case View::Types:
    return copied(attrAs<InlineList<TypeId>>(ctx(), a));
  case View::IntLists: {
    std::optional<ListOf<Ints>> lists = attrAs<ListOf<Ints>>(ctx(), a);
    if (!lists)
      return false;
    auto *refs = static_cast<ListRef *>(allocate(lists->size() * sizeof(ListRef)));
    for (size_t i = 0; i < lists->size(); ++i) {
      Cell ints;
      setList<int64_t>(ints, (*lists)[i]);
      refs[i] = ints.list;
    }
    out.list = {refs, lists->size()};
    return true;
  }
  }
  return false;
}

AttrId Machine::makeAttr(const Instr &s) {
  const Cell &v = r_[s.b];
  if (!s.d)
    switch (s.elem) {
    case Elem::Int:
      return rw::makeAttr(ctx(), v.i);
    case Elem::Float:
      return rw::makeAttr(ctx(), v.f);
    case Elem::Bool:
      return rw::makeAttr(ctx(), v.i != 0);
    case Elem::String:
      return rw::makeAttr(ctx(), text(s.b));
    case Elem::DType:
      return rw::makeAttr(ctx(), DType(v.i));
    case Elem::Dim:
      return rw::makeAttr(ctx(), Dim::fromBits(v.i));
    case Elem::Type:
      return rw::makeAttr(ctx(), TypeId(v.id));
    case Elem::Attr:
      return AttrId(v.id);
    default:
      return {};
    }
  switch (s.elem) {
  case Elem::Int:
    return rw::makeAttr(ctx(), list<int64_t>(s.b));
  case Elem::Float:
    return rw::makeAttr(ctx(), list<double>(s.b));
  case Elem::Dim:
    return rw::makeAttr(ctx(), list<Dim>(s.b));
  case Elem::Bool:
    return rw::makeAttr(ctx(), list<bool>(s.b));
  case Elem::String:
    return rw::makeAttr(ctx(), list<std::string_view>(s.b));
  case Elem::DType:
    return rw::makeAttr(ctx(), list<DType>(s.b));
  case Elem::Type:
    return rw::makeAttr(ctx(), list<TypeId>(s.b));
  case Elem::List: {
    ListOf<Ints> lists;
    for (const ListRef &ints : list<ListRef>(s.b))
      lists.push_back(Ints(std::span(static_cast<const int64_t *>(ints.data), ints.size)));
    return rw::makeAttr(ctx(), std::span<const Ints>(lists));
  }
  default:
    return {};
  }
}

bool Machine::contents(const Instr &s) {
  if (s.op == Opcode::IntsOf) {
    std::optional<Ints> ints = intsOfTensor(ctx(), attr(s.b));
    if (ints)
      setList<int64_t>(r_[s.a], *ints);
    return ints.has_value();
  }
  if (s.op == Opcode::ContentsOf) {
    std::optional<Dims> known = contentsOf(value(s.b), s.d != 0);
    if (known)
      setList<Dim>(r_[s.a], *known);
    return known.has_value();
  }
  std::optional<InlineList<double>> floats = floatsOfTensor(ctx(), attr(s.b));
  if (floats)
    setList<double>(r_[s.a], *floats);
  return floats.has_value();
}

bool Machine::tensorOf(const Instr &s) {
  AttrId tensor = s.elem == Elem::Float  ? rw::tensorOf(ctx(), list<double>(s.b), type(s.c))
                  : s.elem == Elem::Bool ? rw::tensorOf(ctx(), list<bool>(s.b), type(s.c))
                                         : rw::tensorOf(ctx(), list<int64_t>(s.b), type(s.c));
  r_[s.a].id = tensor.raw;
  return bool(tensor);
}

} // namespace rw::interpret
