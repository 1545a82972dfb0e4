#include "rw/opt/diff.h"

#include "rw/ir/printer.h"
#include "rw/opt/report.h"
#include "rw/passes/op_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace rw::opt {
namespace {

/// Attributes of different contexts. Tensors by type and contents; what is in neither dense is short enough as text.
bool sameAttr(const Context &ca, AttrId a, const Context &cb, AttrId b) {
  if (!a || !b)
    return !a && !b;
  const AttrData &x = ca.attr(a), &y = cb.attr(b);
  if (x.kind != y.kind)
    return false;
  if (x.kind == AttrKind::List)
    return std::ranges::equal(x.elements, y.elements, [&](AttrId p, AttrId q) { return sameAttr(ca, p, cb, q); });
  if (x.kind != AttrKind::Dense || !x.dense->strings.empty() || !y.dense->strings.empty())
    return printAttr(ca, a) == printAttr(cb, b);
  if (ca.typeToString(x.dense->type) != cb.typeToString(y.dense->type))
    return false;
  if (x.dense->splat == y.dense->splat)
    return std::ranges::equal(x.dense->bytes, y.dense->bytes);
  const DenseData &one = x.dense->splat ? *x.dense : *y.dense, &all = x.dense->splat ? *y.dense : *x.dense;
  size_t width = one.bytes.size();
  for (size_t at = 0; at < all.bytes.size(); at += width)
    if (!std::ranges::equal(all.bytes.subspan(at, width), one.bytes))
      return false;
  return true;
}

/// What is shown of an attribute.
std::string shown(const Context &ctx, AttrId id) {
  if (!id)
    return "not there";
  const AttrData &a = ctx.attr(id);
  if (a.kind == AttrKind::Dense)
    return ctx.typeToString(a.dense->type) + " of some contents";
  std::string text = printAttr(ctx, id);
  constexpr size_t kMost = 80;
  return text.size() <= kMost ? text : fmt::format("{} bytes of text", text.size());
}

/// What is shown of what a file says.
std::string readable(const std::string &value) {
  constexpr size_t kMost = 80;
  bool plain =
      value.size() <= kMost && std::ranges::all_of(value, [](unsigned char c) { return c >= ' ' && c != 127; });
  return plain ? "`" + value + "`" : fmt::format("{} bytes", value.size());
}

/// Whether it holds an initializer as the file has it.
bool isKept(Op op) { return op.fullName().ends_with(".kept_initializer"); }

/// The ops of a function by the key under which they are paired.
struct Items {
  Function *fn;
  OpNames names;
  std::map<std::string, Op, std::less<>> ops, constants;

  explicit Items(Function &f) : fn(&f), names(f) { region(f.body(), ""); }
  const Context &ctx() const { return fn->context(); }

private:
  void region(RegionId r, const std::string &prefix) {
    std::map<std::string, unsigned> unnamed;
    for (Op op : fn->ops(r)) {
      if (op.kind() == kReturnKind)
        continue;
      std::string key = keyOf(op);
      if (key.empty())
        key = fmt::format("#{} {}", unnamed[std::string(op.fullName())]++, op.fullName());
      key = prefix + key;
      std::map<std::string, Op, std::less<>> &into = isStored(op) ? constants : ops;
      for (std::string base = key; into.count(key) != 0;)
        key = fmt::format("{} #{}", base, ++unnamed[base]);
      into.emplace(key, op);
      for (unsigned i = 0; i < op.regions().size(); ++i)
        region(op.regions()[i], fmt::format("{} / {} / ", key, i));
    }
  }
  std::string keyOf(Op op) const {
    if (StringId name = fn->opName(op.id))
      return std::string(ctx().text(name));
    for (unsigned i = 0; i < op.resultCount(); ++i)
      if (StringId name = fn->valueName(op.result(i).id))
        return std::string(ctx().text(name));
    return {};
  }
  /// Constants, and initializers that are kept as they are.
  static bool isStored(Op op) {
    return op.operandCount() == 0 && op.regions().empty() && (op.schema().hasTrait(Trait::Constant) || isKept(op));
  }
};

/// The elements of a constant as the file has them; none if they are no bytes, or stored in a form that is not read.
std::optional<std::string> bytesOf(const ModelFile &file, Op op) {
  const Context &ctx = op.context();
  if (isKept(op)) {
    Result<std::string> bytes = file.stored(op);
    return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
  }
  for (unsigned i = 0; i < op.schema().attrs.size(); ++i) {
    AttrId value = op.attr(i);
    if (!value || ctx.attr(value).kind != AttrKind::Dense || !ctx.attr(value).dense->strings.empty())
      continue;
    const DenseData &dense = *ctx.attr(value).dense;
    std::string one(reinterpret_cast<const char *>(dense.bytes.data()), dense.bytes.size()), all;
    size_t elements = 1;
    for (Dim d : ctx.type(dense.type).dims)
      elements *= size_t(d.size());
    for (size_t n = dense.splat ? elements : 1; n > 0; --n)
      all += one;
    return all;
  }
  return std::nullopt;
}

/// As one kind: an initializer is kept as the file has it where something else of the file names it, too.
OpHistogram withoutKept(OpHistogram ops) {
  if (auto it = ops.kinds.find("onnx.kept_initializer"); it != ops.kinds.end()) {
    size_t count = it->second;
    ops.kinds.erase(it);
    ops.kinds["onnx.initializer"] += count;
  }
  return ops;
}

class Differ {
public:
  Differ(ModelFile &a, ModelFile &b) : a_(a), b_(b) {}
  std::string text;

  void properties(const std::vector<std::pair<std::string, std::string>> &a,
                  const std::vector<std::pair<std::string, std::string>> &b) {
    std::map<std::string, std::pair<const std::string *, const std::string *>, std::less<>> all;
    for (const auto &[name, value] : a)
      all[name].first = &value;
    for (const auto &[name, value] : b)
      all[name].second = &value;
    section("model", [&] {
      for (const auto &[name, values] : all) {
        const auto &[was, is] = values;
        if (!was)
          line("  + {}: {}", name, readable(*is));
        else if (!is)
          line("  - {}: {}", name, readable(*was));
        else if (*was != *is)
          line("  ~ {}: {} became {}", name, readable(*was),
               readable(*was) == readable(*is) ? "other contents" : readable(*is));
      }
    });
  }

  void functions(Program &a, Program &b) {
    for (Function &fn : a.functions())
      if (Function *other = b.function(fn.name()))
        function(fn, *other);
      else
        line("- function @{}", fn.name());
    for (Function &fn : b.functions())
      if (!a.function(fn.name()))
        line("+ function @{}", fn.name());
  }

  template <class... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

private:
  void function(Function &fa, Function &fb) {
    Items a(fa), b(fb);
    section(fmt::format("interface of @{}", fa.name()), [&] { interface(a, b); });
    section("constants", [&] { initializers(a, b); });
    section("ops", [&] { ops(a, b); });
  }

  /// A headline with counts over what `body` has to say, if it says anything.
  template <class Body> void section(const std::string &headline, Body body) {
    std::string before = std::exchange(text, {});
    body();
    if (text.empty()) {
      text = before;
      return;
    }
    std::map<char, size_t> counts; // of the items, by their mark
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      counts[text[at + 2]]++;
    text = fmt::format("{}{}: {} removed, {} added, {} changed\n{}", before, headline, counts['-'], counts['+'],
                       counts['~'], text);
  }

  void interface(Items &a, Items &b) {
    list("input", inputs(a), inputs(b));
    list("output", outputs(a), outputs(b));
    std::span<const ValueId> pa = a.fn->params(a.fn->body()), pb = b.fn->params(b.fn->body());
    for (unsigned i = 0; i < pa.size() && i < pb.size(); ++i)
      if (!sameAttr(a.ctx(), a.fn->paramInfo(i).defaultValue, b.ctx(), b.fn->paramInfo(i).defaultValue))
        line("  ~ the default value of input {}", a.names.of(a.fn->value(pa[i])));
  }
  static std::vector<std::string> inputs(Items &side) {
    std::vector<std::string> out;
    for (ValueId v : side.fn->params(side.fn->body()))
      out.push_back(side.names.of(side.fn->value(v)) + ": " + side.ctx().typeToString(side.fn->data(v).type));
    return out;
  }
  static std::vector<std::string> outputs(Items &side) {
    std::vector<std::string> out;
    Op end = side.fn->terminator(side.fn->body());
    for (unsigned i = 0; end && i < end.operandCount(); ++i) {
      StringId name = i < side.fn->resultNames().size() ? side.fn->resultNames()[i] : StringId();
      out.push_back((name ? std::string(side.ctx().text(name)) + ": " : std::string()) +
                    side.ctx().typeToString(end.operand(i).typeId()));
    }
    return out;
  }
  void list(const char *what, const std::vector<std::string> &a, const std::vector<std::string> &b) {
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i < a.size() && i < b.size() && a[i] == b[i])
        continue;
      if (i < a.size())
        line("  - {} {} {}", what, i, a[i]);
      if (i < b.size())
        line("  + {} {} {}", what, i, b[i]);
    }
  }

  /// Calls for what only one side has, and for what both have.
  template <class Both>
  void pairs(Items &a, Items &b, std::map<std::string, Op, std::less<>> Items::*which, Both both) {
    auto describe = [&](Items &side, const std::string &key, Op op) {
      return fmt::format("{} {}{}", op.fullName(), key,
                         op.resultCount() ? ": " + side.ctx().typeToString(op.result().typeId()) : "");
    };
    for (auto &[key, op] : a.*which)
      if (auto it = (b.*which).find(key); it == (b.*which).end())
        line("  - {}", describe(a, key, op));
      else
        both(key, op, it->second);
    for (auto &[key, op] : b.*which)
      if (!(a.*which).count(key))
        line("  + {}", describe(b, key, op));
  }

  void initializers(Items &a, Items &b) {
    pairs(a, b, &Items::constants, [&](const std::string &key, Op x, Op y) {
      std::string ta = a.ctx().typeToString(x.result().typeId()), tb = b.ctx().typeToString(y.result().typeId());
      if (ta != tb)
        line("  ~ {}: {} became {}", key, ta, tb);
      else if (isKept(x) != isKept(y))
        stored(key, ta, bytesOf(a_, x), bytesOf(b_, y));
      else if (attributes(a, x, b, y, false))
        line("  ~ {}: {} with other contents", key, ta);
    });
  }

  void stored(const std::string &key, const std::string &type, const std::optional<std::string> &was,
              const std::optional<std::string> &is) {
    if (was != is || !was)
      line("  ~ {}: {} {}", key, type, was && is ? "with other contents" : "stored in another form");
  }

  void ops(Items &a, Items &b) {
    pairs(a, b, &Items::ops, [&](const std::string &key, Op x, Op y) {
      std::string before = std::exchange(text, {});
      if (x.fullName() != y.fullName())
        line("      was {}", x.fullName());
      operands(a, x, b, y);
      attributes(a, x, b, y, true);
      for (unsigned i = 0; i < std::max(x.resultCount(), y.resultCount()); ++i) {
        std::string ta = i < x.resultCount() ? a.ctx().typeToString(x.result(i).typeId()) : "not there";
        std::string tb = i < y.resultCount() ? b.ctx().typeToString(y.result(i).typeId()) : "not there";
        if (ta != tb)
          line("      result {}: {} became {}", i, ta, tb);
      }
      if (x.regions().size() != y.regions().size())
        line("      {} regions became {}", x.regions().size(), y.regions().size());
      text = before + (text.empty() ? std::string() : fmt::format("  ~ {} {}\n", y.fullName(), key) + text);
    });
  }

  void operands(Items &a, Op x, Items &b, Op y) {
    for (unsigned i = 0; i < std::max(x.operandCount(), y.operandCount()); ++i) {
      auto name = [&](Items &side, Op op) {
        return i >= op.operandCount() ? std::string("not there")
               : op.operand(i)        ? side.names.of(op.operand(i))
                                      : "left out";
      };
      if (name(a, x) != name(b, y))
        line("      operand {}: {} became {}", i, name(a, x), name(b, y));
    }
  }

  /// Whether any differ; what, if asked.
  bool attributes(Items &a, Op x, Items &b, Op y, bool say) {
    std::map<std::string, std::pair<AttrId, AttrId>, std::less<>> all;
    gather(a, x, [&](std::string_view name, AttrId value) { all[std::string(name)].first = value; });
    gather(b, y, [&](std::string_view name, AttrId value) { all[std::string(name)].second = value; });
    bool differ = false;
    for (const auto &[name, values] : all) {
      if (name.starts_with('$') || sameAttr(a.ctx(), values.first, b.ctx(), values.second))
        continue;
      differ = true;
      std::string was = shown(a.ctx(), values.first), is = shown(b.ctx(), values.second);
      if (say)
        line("      {}: {} became {}", name, was, was == is ? "other contents" : is);
    }
    return differ;
  }
  template <class Take> static void gather(Items &side, Op op, Take take) {
    const AttrsData &list = side.ctx().attrs(op.attrsId());
    for (size_t i = 0; i < list.fixed.size() && i < op.schema().attrs.size(); ++i)
      if (list.fixed[i])
        take(op.schema().attrs[i].name, list.fixed[i]);
    for (const NamedAttr &extra : list.extra)
      take(side.ctx().text(extra.name), extra.value);
  }

  ModelFile &a_, &b_;
};

std::set<std::string, std::less<>> namesOfValues(Program &program) {
  std::set<std::string, std::less<>> names;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.valueCapacity(); ++i)
      if (StringId name = fn.valueName(ValueId(i)))
        names.emplace(program.context().text(name));
  return names;
}

using Properties = std::vector<std::pair<std::string, std::string>>;

/// Drops recorded types of values that only one of the models has: those come and go with the values.
void dropOneSidedTypes(Properties &was, Properties &is, Program &a, Program &b) {
  std::set<std::string, std::less<>> before = namesOfValues(a), after = namesOfValues(b);
  auto isOneSided = [&](const auto &property) {
    constexpr std::string_view kRecordedType = "recorded type of ";
    std::string_view name = property.first;
    if (!name.starts_with(kRecordedType))
      return false;
    name.remove_prefix(kRecordedType.size());
    return !before.contains(name) || !after.contains(name);
  };
  std::erase_if(was, isOneSided);
  std::erase_if(is, isOneSided);
}

} // namespace

std::string describeDifference(ModelFile &a, ModelFile &b) {
  Differ differ(a, b);
  if (a.format() == b.format()) {
    Properties was = a.properties(), is = b.properties();
    dropOneSidedTypes(was, is, a.program(), b.program());
    differ.properties(was, is);
  } else if (a.opsetVersion() != b.opsetVersion())
    differ.line("operator set {} became {}", a.opsetVersion(), b.opsetVersion());
  differ.functions(a.program(), b.program());
  if (differ.text.empty())
    return {};
  OpHistogram before = withoutKept(countOps(a.program())), after = withoutKept(countOps(b.program()));
  return differ.text + (before == after ? std::string() : "\n" + describeChange(before, after));
}

} // namespace rw::opt
