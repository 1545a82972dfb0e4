#include "rw/optimize/interface.h"

#include "rw/ir/derivation.h"
#include "rw/ir/text_format.h"
#include "rw/rewrite/effects.h"
#include "rw/support/failure.h"
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

namespace rw {
namespace {

using SymbolMap = std::vector<std::pair<StringId, Dim>>;

/// The undeclared attribute that says which of the hidden ops one is.
constexpr std::string_view kHiddenAttr = "$kept";

bool isSymbol(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// Says that there is no such name, and which one is near.
void noSuchName(std::string_view what, std::string_view name, const std::vector<std::string_view> &known,
                std::string_view file, Diagnostics &diags) {
  std::string_view near = nearestName(name, known);
  auto error = diags.errorInFile("unknown-value", std::string(file),
                                 fmt::format("{} is named `{}`{}", what, name, didYouMean(near)));
  if (!near.empty() || known.empty())
    return;
  std::string list;
  for (size_t i = 0; i < std::min<size_t>(known.size(), 12); ++i)
    list += (i ? ", `" : "`") + std::string(known[i]) + "`";
  error.note("there are " + list + (known.size() > 12 ? fmt::format(" and {} more", known.size() - 12) : ""));
}

Function *mainOf(Program &program, std::string_view file, Diagnostics &diags) {
  Function *main = program.function("main");
  if (!main)
    diags.errorInFile("no-main", std::string(file),
                      "the program has no function @main, whose inputs and outputs could be meant");
  return main;
}

std::string_view nameOf(Function &fn, ValueId v) {
  StringId name = fn.valueName(v);
  return name ? fn.context().text(name) : std::string_view();
}
/// Whether what somebody wrote means this name, plain or as text shows it: `a/b`, `%"a/b"`.
bool isMeant(std::string_view name, std::string_view written) {
  written.remove_prefix(written.starts_with('%') ? 1 : 0);
  if (name == written || !written.starts_with('"'))
    return name == written;
  std::string quoted;
  text::appendName(quoted, name);
  return quoted == written;
}

/// Puts sizes and symbols in the place of symbols, everywhere in a program.
class Substitution {
public:
  Substitution(Context &ctx, const SymbolMap &map) : ctx_(ctx), map_(map) {}

  void apply(Function &fn) {
    for (uint32_t i = 0; i < fn.valueCapacity(); ++i)
      if (TypeId old = fn.data(ValueId(i)).type)
        fn.setType(ValueId(i), type(old));
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (!(fn.data(OpId(i)).flags & kErased))
        fn.setAttrs(OpId(i), attrs(fn.data(OpId(i)).attrs));
  }

private:
  std::vector<Dim> dims(std::span<const Dim> of) {
    std::vector<Dim> out;
    for (Dim d : of)
      out.push_back(d.isExpression() ? ctx_.dims().substitute(d, map_) : d);
    return out;
  }

  TypeId type(TypeId id) {
    if (auto known = types_.find(id.raw); known != types_.end())
      return known->second;
    const TypeData data = ctx_.type(id);
    TypeId now = id;
    if (data.kind == TypeKind::Tensor && data.ranked) {
      now = ctx_.tensorType(data.dtype, dims(data.dims));
    } else if (data.kind == TypeKind::Tuple) {
      std::vector<TypeId> elements;
      for (TypeId element : data.elements)
        elements.push_back(type(element));
      now = ctx_.tupleType(elements);
    }
    return types_[id.raw] = now;
  }

  AttrId attr(AttrId id) {
    if (!id)
      return id;
    const AttrData data = ctx_.attr(id);
    switch (data.kind) {
    case AttrKind::Type:
      return ctx_.typeAttr(type(data.type));
    case AttrKind::Dim:
      return ctx_.dimAttr(dims(data.dims)[0]);
    case AttrKind::Dims:
      return ctx_.dimsAttr(dims(data.dims));
    case AttrKind::List: {
      std::vector<AttrId> elements;
      for (AttrId element : data.elements)
        elements.push_back(attr(element));
      return ctx_.listAttr(elements);
    }
    default:
      return id;
    }
  }

  AttrsId attrs(AttrsId id) {
    if (auto known = attrs_.find(id.raw); known != attrs_.end())
      return known->second;
    std::vector<AttrId> fixed(ctx_.attrs(id).fixed.begin(), ctx_.attrs(id).fixed.end());
    std::vector<NamedAttr> extra(ctx_.attrs(id).extra.begin(), ctx_.attrs(id).extra.end());
    for (AttrId &a : fixed)
      a = attr(a);
    for (NamedAttr &a : extra)
      a.value = attr(a.value);
    return attrs_[id.raw] = ctx_.attrs(fixed, extra);
  }

  Context &ctx_;
  const SymbolMap &map_;
  std::unordered_map<uint32_t, TypeId> types_;
  std::unordered_map<uint32_t, AttrsId> attrs_;
};

/// The names and new types of inputs, and what becomes of symbols; a diagnostic where that cannot be.
class ShapeFixer {
public:
  ShapeFixer(Program &program, std::string_view file, Diagnostics &diags)
      : ctx_(program.context()), file_(file), diags_(diags) {}

  void input(Function &main, const InputShape &shape) {
    std::vector<std::string_view> known;
    for (ValueId v : main.params(main.body())) {
      std::string_view name = nameOf(main, v);
      if (!name.empty() && isMeant(name, shape.name))
        return param(main, v, shape);
      known.push_back(name);
    }
    noSuchName("no input", shape.name, known, file_, diags_);
  }

  const SymbolMap &symbols() const { return symbols_; }
  const std::vector<std::pair<ValueId, TypeId>> &types() const { return types_; }

private:
  void param(Function &main, ValueId v, const InputShape &shape) {
    const TypeData type = ctx_.type(main.data(v).type);
    if (type.kind != TypeKind::Tensor)
      return fail(shape.name, "is no tensor");
    if (type.ranked && type.dims.size() != shape.dims.size())
      return fail(shape.name, fmt::format("has {} dimension{}, not {}", type.dims.size(),
                                          type.dims.size() == 1 ? "" : "s", shape.dims.size()));
    std::vector<Dim> dims;
    for (size_t i = 0; i < shape.dims.size(); ++i)
      dims.push_back(dim(shape, i, type.ranked ? type.dims[i] : Dim()));
    types_.push_back({v, ctx_.tensorType(type.dtype, dims)});
  }

  Dim dim(const InputShape &shape, size_t i, Dim was) {
    const WantedDim &wanted = shape.dims[i];
    if (wanted.keep)
      return was;
    Dim now = wanted.symbol.empty() ? Dim(wanted.size) : ctx_.dims().symbol(ctx_.intern(wanted.symbol));
    if (was.isKnown() && was != now) {
      fail(shape.name,
           fmt::format("has {} in dimension {}, which cannot become {}", was.size(), i, ctx_.dims().toString(now)));
    } else if (std::optional<StringId> symbol = ctx_.dims().asSymbol(was)) {
      auto known = std::ranges::find(symbols_, *symbol, &SymbolMap::value_type::first);
      if (known == symbols_.end())
        symbols_.push_back({*symbol, now});
      else if (known->second != now)
        fail(shape.name, fmt::format("has `{}` in dimension {}, which becomes {} elsewhere, not {}", ctx_.text(*symbol),
                                     i, ctx_.dims().toString(known->second), ctx_.dims().toString(now)));
    } else if (was.isExpression()) {
      fail(shape.name, fmt::format("has {} in dimension {}: give the symbols in it their sizes instead",
                                   ctx_.dims().toString(was), i));
    }
    return now;
  }

  void fail(std::string_view name, std::string text) {
    diags_.errorInFile("input-shape", std::string(file_), fmt::format("the input `{}` {}", name, text));
  }

  Context &ctx_;
  std::string_view file_;
  Diagnostics &diags_;
  SymbolMap symbols_;
  std::vector<std::pair<ValueId, TypeId>> types_;
};

struct NamedValue {
  ValueId value;
  std::string_view name;
};

/// The value of that name in the body of a function, and the names that there are.
NamedValue valueNamed(Function &fn, std::string_view written, std::vector<std::string_view> &known) {
  NamedValue found;
  auto look = [&](ValueId v) {
    std::string_view own = nameOf(fn, v);
    if (own.empty())
      return;
    if (isMeant(own, written))
      found = {v, own};
    known.push_back(own);
  };
  for (ValueId v : fn.params(fn.body()))
    look(v);
  for (Op op : fn.ops(fn.body()))
    for (unsigned i = 0; i < op.resultCount(); ++i)
      look(op.result(i).id);
  // Results have the outside's names, whatever the value is called that is one.
  Op end = fn.terminator(fn.body());
  const std::vector<StringId> &names = fn.resultNames();
  for (size_t i = 0; i < names.size() && end && i < end.operandCount(); ++i) {
    std::string_view own = names[i] ? fn.context().text(names[i]) : std::string_view();
    if (!own.empty() && !found.value && isMeant(own, written))
      found = {end.operand(unsigned(i)).id, own};
    known.push_back(own);
  }
  return found;
}

/// Erases what no result needs, last ops first.
void eraseUnused(Function &fn) {
  std::vector<Op> ops;
  for (Op op : fn.ops(fn.body()))
    ops.push_back(op);
  for (size_t i = ops.size(); i-- > 0;)
    if (ops[i].kind() != kReturnKind && !ops[i].hasUses() && isRemovableIfUnused(ops[i]))
      fn.erase(ops[i].id);
}
} // namespace

Result<InputShape> readInputShape(std::string_view text) {
  size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0)
    return failure("it is NAME=SIZES, e.g. x=1,3,224,224");
  InputShape shape{std::string(text.substr(0, equals)), {}};
  std::string_view sizes = text.substr(equals + 1);
  while (!sizes.empty()) {
    size_t comma = std::min(sizes.find(','), sizes.size());
    std::string_view one = sizes.substr(0, comma);
    WantedDim dim;
    auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), dim.size);
    if (one == "?") {
      dim = {.keep = true};
    } else if (isSymbol(one)) {
      dim = {.symbol = std::string(one)};
    } else if (error != std::errc() || end != one.data() + one.size() || dim.size < 0) {
      return failure("`{}` is no dimension: a size, 0 or greater, a symbol such as B, or ? for what it is", one);
    }
    shape.dims.push_back(std::move(dim));
    if (comma + 1 == sizes.size())
      return failure("a dimension is missing after the last comma");
    sizes.remove_prefix(std::min(comma + 1, sizes.size()));
  }
  return shape;
}

bool fixShapes(Program &program, const std::vector<InputShape> &shapes, std::string_view file, Diagnostics &diags) {
  if (shapes.empty())
    return true;
  Function *main = mainOf(program, file, diags);
  if (!main)
    return false;
  size_t errors = diags.errorCount();
  ShapeFixer fixer(program, file, diags);
  for (const InputShape &shape : shapes)
    fixer.input(*main, shape);
  if (diags.errorCount() != errors)
    return false;
  if (!fixer.symbols().empty()) {
    Substitution substitution(program.context(), fixer.symbols());
    for (Function &fn : program.functions())
      substitution.apply(fn);
  }
  for (auto [value, type] : fixer.types())
    main->setType(value, type);
  return true;
}

bool cutAt(Program &program, const std::vector<std::string> &inputs, const std::vector<std::string> &outputs,
           std::string_view file, Diagnostics &diags) {
  if (inputs.empty() && outputs.empty())
    return true;
  Function *main = mainOf(program, file, diags);
  if (!main)
    return false;
  Function &fn = *main;
  Context &ctx = program.context();
  size_t errors = diags.errorCount();
  std::vector<StringId> endNames, startNames;
  auto find = [&](const std::vector<std::string> &written, std::vector<ValueId> &values, std::vector<StringId> &names,
                  std::string_view what) {
    for (const std::string &name : written) {
      std::vector<std::string_view> known;
      auto [v, own] = valueNamed(fn, name, known);
      if (!v)
        noSuchName("no value", name, known, file, diags);
      else if (std::ranges::find(values, v) != values.end())
        diags.errorInFile("named-twice", std::string(file), fmt::format("`{}` is twice among the {}", name, what));
      values.push_back(v);
      names.push_back(ctx.intern(own));
    }
  };
  std::vector<ValueId> ends, starts;
  find(outputs, ends, endNames, "outputs");
  find(inputs, starts, startNames, "inputs");
  if (diags.errorCount() != errors)
    return false;
  Program before = program.clone(); // what is wrong shows when it is done
  Op end = fn.terminator(fn.body());
  if (!ends.empty()) {
    fn.setOperands(end.id, ends);
    fn.setResultNames(std::move(endNames));
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    if (fn.value(starts[i]).isParam())
      continue;
    Value param = fn.addParam(fn.data(starts[i]).type);
    fn.setValueName(starts[i], StringId());
    fn.setValueName(param.id, startNames[i]);
    fn.replaceAllUses(starts[i], param.id);
    starts[i] = param.id;
  }
  eraseUnused(fn);
  if (inputs.empty())
    return true;
  for (size_t i = fn.params(fn.body()).size(); i-- > 0;) {
    ValueId v = fn.params(fn.body())[i];
    bool isWeight = fn.paramInfo(unsigned(i)).role == ParamRole::Param || fn.paramInfo(unsigned(i)).defaultValue;
    if (std::ranges::find(starts, v) != starts.end())
      continue;
    if (!fn.value(v).hasUses())
      fn.removeParam(unsigned(i));
    else if (!isWeight)
      diags
          .errorInFile(
              "input-needed", std::string(file),
              fmt::format("the outputs need the input `{}`, which is not among the inputs asked for", nameOf(fn, v)))
          .note("name it as an input, too, or a value between it and the outputs");
  }
  if (diags.errorCount() == errors)
    return true;
  program = std::move(before);
  return false;
}

size_t freezeDefaults(Program &program) {
  Function *main = program.function("main");
  if (!main)
    return 0;
  Function &fn = *main;
  Context &ctx = program.context();
  const KindId kind = ctx.ops().constantOp("onnx");
  const int attr = kind == kOpaqueKind ? -1 : ctx.ops().schema(kind).attrIndex("value");
  if (attr < 0)
    return 0;
  size_t frozen = 0;
  for (size_t i = fn.params(fn.body()).size(); i-- > 0;) {
    const AttrId value = fn.paramInfo(unsigned(i)).defaultValue;
    if (!value || ctx.attr(value).kind != AttrKind::Dense || derivationOf(fn, unsigned(i)))
      continue;
    const ValueId param = fn.params(fn.body())[i];
    std::vector<AttrId> attrs(size_t(attr) + 1);
    attrs[size_t(attr)] = value;
    const TypeId type[] = {ctx.attr(value).dense->type};
    Op constant = fn.insertOp((*fn.ops(fn.body()).begin()).id, kind, {}, ctx.attrs(attrs), type);
    const StringId name = fn.valueName(param);
    fn.setValueName(param, StringId());
    fn.setValueName(constant.result().id, name);
    fn.replaceAllUses(param, constant.result().id);
    fn.removeParam(unsigned(i));
    ++frozen;
  }
  return frozen;
}

bool KeptOps::hide(Program &program, const std::vector<std::string> &names, std::string_view file, Diagnostics &diags) {
  Context &ctx = program.context();
  struct Found {
    Function *fn;
    OpId op;
  };
  std::vector<Found> found;
  std::vector<std::string_view> known;
  std::vector<bool> seen(names.size());
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      if (op.isErased() || op.kind() == kReturnKind)
        continue;
      bool kept = false;
      auto look = [&](std::string_view name) {
        for (size_t n = 0; n < names.size() && !name.empty(); ++n)
          if (isMeant(name, names[n]))
            seen[n] = kept = true;
        if (!name.empty())
          known.push_back(name);
      };
      if (StringId name = fn.opName(op.id))
        look(ctx.text(name));
      for (unsigned r = 0; r < op.resultCount(); ++r)
        look(nameOf(fn, op.result(r).id));
      if (kept && op.kind() != kOpaqueKind)
        found.push_back({&fn, op.id});
    }
  bool good = true;
  for (size_t n = 0; n < names.size(); ++n)
    if (!seen[n]) {
      noSuchName("no op or value", names[n], known, file, diags);
      good = false;
    }
  if (!good)
    return false;
  for (auto [fn, id] : found) {
    const OpData &data = fn->data(id);
    NamedAttr extra[] = {{ctx.intern(kHiddenAttr), ctx.intAttr(int64_t(hidden_.size()))},
                         {ctx.intern(kOpaqueNameAttr), ctx.stringAttr(ctx.ops().fullName(data.kind))}};
    std::ranges::sort(extra, {}, [&](const NamedAttr &a) { return ctx.text(a.name); });
    hidden_.push_back({data.kind, data.attrs});
    fn->setKind(id, kOpaqueKind);
    fn->setAttrs(id, ctx.attrs({}, extra));
  }
  return true;
}

void KeptOps::restore(Program &program) const {
  if (hidden_.empty())
    return;
  Context &ctx = program.context();
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      const OpData &data = fn.data(OpId(i));
      if ((data.flags & kErased) || data.kind != kOpaqueKind)
        continue;
      AttrId number = ctx.extra(data.attrs, kHiddenAttr);
      if (!number)
        continue;
      const Hidden &was = hidden_[size_t(ctx.attr(number).i)];
      fn.setKind(OpId(i), was.kind);
      fn.setAttrs(OpId(i), was.attrs);
    }
}

} // namespace rw
