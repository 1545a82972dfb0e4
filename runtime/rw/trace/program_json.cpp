#include "rw/trace/program_json.h"

#include "rw/ir/printer.h"
#include "rw/support/json.h"

namespace rw {
namespace {

class FunctionWriter {
public:
  explicit FunctionWriter(const Function &fn) : fn_(fn), ctx_(fn.context()), names_(fn) {}

  Json function() {
    Json out = {{"name", fn_.name()}, {"params", params(fn_.body())}};
    if (!fn_.resultNames().empty()) {
      Json &names = out["result_names"] = Json::array();
      for (StringId name : fn_.resultNames())
        names.push_back(ctx_.text(name));
    }
    out["ops"] = ops(fn_.body());
    return out;
  }

private:
  Json params(RegionId region) {
    Json out = Json::array();
    std::span<const ValueId> params = fn_.params(region);
    for (size_t i = 0; i < params.size(); ++i) {
      Json &param = out.emplace_back(value(params[i]));
      if (region != fn_.body())
        continue;
      const ParamInfo &info = fn_.paramInfo(unsigned(i));
      param["role"] = info.role == ParamRole::Param ? "param" : "arg";
      if (info.stableId)
        param["stable_id"] = std::to_string(info.stableId); // 64 bits do not fit into a JSON number
      if (info.defaultValue)
        param["default"] = printAttr(ctx_, info.defaultValue);
    }
    return out;
  }

  Json value(ValueId v) {
    TypeId type = fn_.data(v).type;
    return {{"name", names_.text(v)}, {"type", type ? ctx_.typeToString(type) : std::string()}};
  }

  Json ops(RegionId region) {
    Json out = Json::array();
    for (OpId id = fn_.data(region).firstOp; id; id = fn_.data(id).next)
      out.push_back(op(id));
    return out;
  }

  Json op(OpId id) {
    const OpData &d = fn_.data(id);
    Json out = {{"op", nameOf(d)}};
    if (StringId name = fn_.opName(id))
      out["label"] = ctx_.text(name);
    Json &operands = out["operands"] = Json::array();
    for (uint32_t i = 0; i < d.operandCount; ++i) {
      ValueId v = fn_.data(SlotId(d.firstOperand.raw + i)).value;
      operands.push_back(v ? Json(names_.text(v)) : Json());
    }
    out["attrs"] = attrs(d);
    Json &results = out["results"] = Json::array();
    for (unsigned i = 0; i < d.resultCount; ++i)
      results.push_back(value(ValueId(d.firstResult.raw + i)));
    for (RegionId region : fn_.regionsOf(id))
      out["regions"].push_back({{"params", params(region)}, {"ops", ops(region)}});
    return out;
  }

  std::string_view nameOf(const OpData &d) const {
    if (d.kind != kOpaqueKind)
      return ctx_.ops().fullName(d.kind);
    AttrId name = ctx_.extra(d.attrs, kOpaqueNameAttr);
    return name ? ctx_.attr(name).text : std::string_view("?");
  }

  Json attrs(const OpData &d) {
    Json out = Json::object();
    auto add = [&](std::string_view name, AttrId value, AttrType declared) {
      std::string text;
      appendAttr(text, ctx_, value, declared);
      out[std::string(name)] = text;
    };
    const AttrsData &list = ctx_.attrs(d.attrs);
    std::span<const AttrSchema> declared = ctx_.ops().schema(d.kind).attrs;
    for (size_t i = 0; i < list.fixed.size() && i < declared.size(); ++i)
      if (list.fixed[i])
        add(declared[i].name, list.fixed[i], declared[i].type);
    for (const NamedAttr &extra : list.extra)
      if (ctx_.text(extra.name) != kOpaqueNameAttr)
        add(ctx_.text(extra.name), extra.value, AttrType::Any);
    return out;
  }

  const Function &fn_;
  const Context &ctx_;
  ValueNames names_;
};

} // namespace

std::string programToJson(const Program &program) {
  Json functions = Json::array();
  for (const Function &fn : program.functions())
    functions.push_back(FunctionWriter(fn).function());
  return jsonText(Json{{"functions", std::move(functions)}}, 1) + "\n";
}

} // namespace rw
