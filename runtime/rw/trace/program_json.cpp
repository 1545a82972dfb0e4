#include "rw/trace/program_json.h"

#include "rw/ir/printer.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace rw {
namespace {
namespace json = llvm::json;

class FunctionWriter {
public:
  FunctionWriter(json::OStream &out, const Function &fn) : out_(out), fn_(fn), ctx_(fn.context()), names_(fn) {}

  void write() {
    out_.attribute("name", jsonText(fn_.name()));
    params(fn_.body());
    if (!fn_.resultNames().empty())
      out_.attributeArray("result_names", [&] {
        for (StringId name : fn_.resultNames())
          out_.value(jsonText(ctx_.text(name)));
      });
    ops(fn_.body());
  }

private:
  void params(RegionId region) {
    std::span<const ValueId> params = fn_.params(region);
    out_.attributeArray("params", [&] {
      for (size_t i = 0; i < params.size(); ++i)
        out_.object([&] {
          value(params[i]);
          if (region != fn_.body())
            return;
          const ParamInfo &info = fn_.paramInfo(unsigned(i));
          out_.attribute("role", info.role == ParamRole::Param ? "param" : "arg");
          if (info.stableId)
            out_.attribute("stable_id", std::to_string(info.stableId)); // 64 bits do not fit into a JSON number
          if (info.defaultValue)
            out_.attribute("default", jsonText(printAttr(ctx_, info.defaultValue)));
        });
    });
  }

  void value(ValueId v) {
    out_.attribute("name", jsonText(names_.text(v)));
    TypeId type = fn_.data(v).type;
    out_.attribute("type", jsonText(type ? ctx_.typeToString(type) : std::string()));
  }

  void ops(RegionId region) {
    out_.attributeArray("ops", [&] {
      for (OpId op = fn_.data(region).firstOp; op; op = fn_.data(op).next)
        out_.object([&] { this->op(op); });
    });
  }

  void op(OpId id) {
    const OpData &d = fn_.data(id);
    out_.attribute("op", jsonText(nameOf(d)));
    if (StringId name = fn_.opName(id))
      out_.attribute("label", jsonText(ctx_.text(name)));
    out_.attributeArray("operands", [&] {
      for (uint32_t i = 0; i < d.operandCount; ++i)
        if (ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value)
          out_.value(jsonText(names_.text(v)));
        else
          out_.value(nullptr);
    });
    out_.attributeObject("attrs", [&] { attrs(d); });
    out_.attributeArray("results", [&] {
      for (unsigned i = 0; i < d.resultCount; ++i)
        out_.object([&] { value(ValueId(d.firstResult.raw + i)); });
    });
    if (fn_.regionsOf(id).empty())
      return;
    out_.attributeArray("regions", [&] {
      for (RegionId region : fn_.regionsOf(id))
        out_.object([&] {
          params(region);
          ops(region);
        });
    });
  }

  std::string_view nameOf(const OpData &d) const {
    if (d.kind != kOpaqueKind)
      return ctx_.ops().fullName(d.kind);
    AttrId name = ctx_.extra(d.attrs, kOpaqueNameAttr);
    return name ? ctx_.attr(name).text : std::string_view("?");
  }

  void attrs(const OpData &d) {
    const AttrsData &list = ctx_.attrs(d.attrs);
    std::span<const AttrSchema> declared = ctx_.ops().schema(d.kind).attrs;
    for (size_t i = 0; i < list.fixed.size() && i < declared.size(); ++i)
      if (list.fixed[i])
        attr(declared[i].name, list.fixed[i], declared[i].type);
    for (const NamedAttr &extra : list.extra)
      if (ctx_.text(extra.name) != kOpaqueNameAttr)
        attr(ctx_.text(extra.name), extra.value, AttrType::Any);
  }

  void attr(std::string_view name, AttrId value, AttrType declared) {
    std::string text;
    appendAttr(text, ctx_, value, declared);
    out_.attribute(jsonText(name), jsonText(text));
  }

  json::OStream &out_;
  const Function &fn_;
  const Context &ctx_;
  ValueNames names_;
};

} // namespace

std::string jsonText(std::string_view text) { return json::fixUTF8(llvm::StringRef(text.data(), text.size())); }

std::string programToJson(const Program &program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream, 1);
  out.object([&] {
    out.attributeArray("functions", [&] {
      for (const Function &fn : program.functions())
        out.object([&] { FunctionWriter(out, fn).write(); });
    });
  });
  return stream.str() + "\n";
}

} // namespace rw
