// rw_session_add_pass and rw_edit_do: passes of the caller's, over a PatternRewriter.
#include "rw/c/attr_json.h"
#include "rw/c/handles.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/text_format.h"
#include "rw/ir/verifier.h"
#include "rw/passes/op_names.h"
#include "rw/rewrite/match_helpers.h"
#include "rw/rewrite/named_builds.h"
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

using namespace rw;
using namespace rw::c;

struct rw_edit {
  rw_edit(Function &function, RewriteListener *listener) : fn(function), rewriter(function, listener) {}
  Function &fn;
  PatternRewriter rewriter;
  bool changed = false;
  bool grouped = false; // ops were created since the last one was replaced or erased: they belong together
};

namespace {
/// What cannot be done with the function as it is.
struct Refused {
  std::string why;
};

class CallerPass : public FunctionPass {
public:
  CallerPass(std::string name, rw_pass pass, void *user, const PassOptions &options)
      : name_(std::move(name)), pass_(pass), user_(user) {
    Json given = Json::object();
    for (const auto &[key, value] : options)
      given[key] = value;
    options_ = jsonText(given);
  }
  std::string_view name() const override { return name_; }
  PassResult run(Function &fn, PassContext &context) override {
    // What a caller asks for may come to nothing, as an attribute set to what it was does: that is no lie.
    const bool asText = context.rewriteConfig.expensiveChecks;
    const std::string before = asText ? printFunction(fn) : "";
    rw_edit edit(fn, context.rewriteConfig.listener);
    if (pass_(&edit, options_.c_str(), user_))
      throw PassFailed();
    PassResult result;
    result.changed = edit.changed && (!asText || printFunction(fn) != before);
    SourceManager sources;
    Diagnostics diags(sources);
    if (edit.changed && !verifyFunction(fn, diags, {.maxErrors = 1})) {
      result.failed = true;
      const Diagnostic &first = diags.all().front();
      result.errors.push_back(
          {first.tag, fmt::format("pass {} leaves a function that does not verify: {}", name_, first.message), {}, {}});
    }
    return result;
  }

private:
  std::string name_, options_;
  rw_pass pass_;
  void *user_;
};

int addPass(rw_session &session, const char *text, rw_pass pass, void *user) {
  Json request = readRequest(text, {"name", "doc"});
  std::string name = textOf(request, "name");
  if (!text::isBareName(name))
    throw WrongRequest("`name` is how pipelines call the pass: letters, digits and _, not \"" + name + "\"");
  if (!pass)
    throw WrongRequest("the pass is a function");
  PassOrPipeline there = session.registry.stage({name});
  if (there.pass || there.pipeline || !there.clash.empty() ||
      std::ranges::find(session.ownPasses, name, &OwnPass::name) != session.ownPasses.end())
    throw WrongRequest("there is a pass or pipeline named `" + name +
                       "` already; passes of one's own have names of their own");
  session.ownPasses.push_back({name, textOf(request, "doc"), [=](const PassOptions &options) -> MadePass {
                                 return std::make_unique<CallerPass>(name, pass, user, options);
                               }});
  return RW_OK;
}

/// One call of rw_edit_do.
class Edit {
public:
  Edit(rw_edit &edit, const Json &request, std::string_view bytes, rw_buffer **data, Json &answer)
      : edit_(edit), fn_(edit.fn), ctx_(edit.fn.context()), rewriter_(edit.rewriter), request_(request), bytes_(bytes),
        data_(data), answer_(answer) {}

  void run() {
    using Member = void (Edit::*)();
    static constexpr std::pair<std::string_view, Member> kAsked[] = {{"function", &Edit::askFunction},
                                                                     {"op", &Edit::askOp},
                                                                     {"value", &Edit::askValue},
                                                                     {"elements", &Edit::askElements}};
    static constexpr std::pair<std::string_view, Member> kDone[] = {{"create", &Edit::create},
                                                                    {"constant", &Edit::constant},
                                                                    {"clone", &Edit::clone},
                                                                    {"replace", &Edit::replace},
                                                                    {"replace_uses", &Edit::replaceUses},
                                                                    {"set_operand", &Edit::setOperand},
                                                                    {"set_attr", &Edit::setAttr},
                                                                    {"erase", &Edit::erase}};
    std::string ask = textOf(request_, "ask"), todo = textOf(request_, "do");
    for (auto [name, member] : kAsked)
      if (ask == name)
        return (this->*member)();
    for (auto [name, member] : kDone)
      if (todo == name) {
        (this->*member)();
        edit_.changed = true;
        return;
      }
    throw WrongRequest("`ask` is function, op, value or elements; or `do` is create, constant, clone, replace, "
                       "replace_uses, set_operand, set_attr or erase");
  }

private:
  // What requests name.
  const Json *given(const char *key) const {
    auto found = request_.find(key);
    return found == request_.end() || found->is_null() ? nullptr : &*found;
  }
  static uint32_t numberOf(const Json &number, std::string_view what) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() >= UINT32_MAX)
      throw WrongRequest(fmt::format("{} is a number that an answer gave, not {}", what, number.dump().substr(0, 80)));
    return number.get<uint32_t>();
  }
  Op opOf(const char *key) const {
    if (!given(key))
      throw WrongRequest(fmt::format("`{}` says which op", key));
    uint32_t number = numberOf(*given(key), "an op");
    if (number >= fn_.opCapacity())
      throw WrongRequest(fmt::format("there is no op {}", number));
    if (fn_.data(OpId(number)).flags & kErased)
      throw Refused{fmt::format("op {} is gone: it was replaced or erased", number)};
    return fn_.op(OpId(number));
  }
  Value valueOf(const Json &json) const {
    uint32_t number = numberOf(json, "a value");
    if (number >= fn_.valueCapacity())
      throw WrongRequest(fmt::format("there is no value {}", number));
    Value value = fn_.value(ValueId(number));
    Op at = value.isParam() ? Op{&fn_, fn_.data(value.paramRegion()).parent} : value.definingOp();
    if (at && at.isErased())
      throw Refused{fmt::format("value {} is gone: its op was replaced or erased", number)};
    return value;
  }
  Value valueOf(const char *key) const {
    if (!given(key))
      throw WrongRequest(fmt::format("`{}` says which value", key));
    return valueOf(*given(key));
  }
  std::vector<Value> valuesOf(const char *key, bool mayBeAbsent) const {
    std::vector<Value> values;
    const Json *list = given(key);
    if (!list)
      return values;
    if (!list->is_array())
      throw WrongRequest(fmt::format("`{}` is a list of values", key));
    for (const Json &one : *list) {
      if (one.is_null() && !mayBeAbsent)
        throw WrongRequest(fmt::format("`{}` is a list of values, none left out", key));
      values.push_back(one.is_null() ? Value() : valueOf(one));
    }
    return values;
  }
  std::string shown(Op op) const { return OpNames(fn_).of(op); }
  std::string shown(Value value) const { return OpNames(fn_).of(value); }

  // Answers.
  static Json idOf(ValueId id) { return id ? Json(id.raw) : Json(); }
  static Json idOf(OpId id) { return id ? Json(id.raw) : Json(); }
  Json idsOf(std::span<const ValueId> ids) const {
    Json list = Json::array();
    for (ValueId id : ids)
      list.push_back(idOf(id));
    return list;
  }
  /// Each op, then what its regions hold.
  void addOps(RegionId region, Json &list, bool inside) const {
    std::vector<OpId> next{fn_.data(region).firstOp};
    while (!next.empty()) {
      OpId id = next.back();
      if (!id) {
        next.pop_back();
        continue;
      }
      next.back() = fn_.data(id).next;
      list.push_back(id.raw);
      if (!inside)
        continue;
      std::span<const RegionId> regions = fn_.regionsOf(id);
      for (size_t i = regions.size(); i-- > 0;)
        next.push_back(fn_.data(regions[i]).firstOp);
    }
  }
  Json regionOf(RegionId region) const {
    Json ops = Json::array();
    addOps(region, ops, false);
    return {{"params", idsOf(fn_.params(region))}, {"ops", ops}};
  }

  void askFunction() {
    answer_["name"] = fn_.name();
    answer_["params"] = idsOf(fn_.params(fn_.body()));
    Json ops = Json::array();
    addOps(fn_.body(), ops, true);
    answer_["ops"] = std::move(ops);
  }

  void askOp() {
    Op op = opOf("op");
    answer_["kind"] = std::string(op.fullName());
    StringId label = fn_.opName(op.id);
    answer_["label"] = label ? Json(std::string(ctx_.text(label))) : Json();
    Json operands = Json::array(), results = Json::array(), attrs = Json::object(), defaults = Json::object(),
         regions = Json::array();
    for (unsigned i = 0; i < op.operandCount(); ++i)
      operands.push_back(idOf(op.operand(i).id));
    for (unsigned i = 0; i < op.resultCount(); ++i)
      results.push_back(op.result(i).id.raw);
    const OpSchema &schema = op.schema();
    for (unsigned i = 0; i < schema.attrs.size(); ++i)
      if (AttrId stored = op.attr(i))
        attrs[std::string(schema.attrs[i].name)] = attrAsJson(ctx_, stored);
      else if (AttrId byDefault = op.attrDefault(i))
        defaults[std::string(schema.attrs[i].name)] = attrAsJson(ctx_, byDefault);
    for (const NamedAttr &extra : ctx_.attrs(op.attrsId()).extra)
      if (std::string_view name = ctx_.text(extra.name); !name.starts_with('$'))
        attrs[std::string(name)] = attrAsJson(ctx_, extra.value);
    for (RegionId region : op.regions())
      regions.push_back(regionOf(region));
    answer_["operands"] = std::move(operands);
    answer_["results"] = std::move(results);
    answer_["attrs"] = std::move(attrs);
    answer_["defaults"] = std::move(defaults);
    answer_["regions"] = std::move(regions);
    answer_["parent"] = idOf(op.parent().id);
    answer_["next"] = idOf(op.next().id);
  }

  void shapeOf(TypeId id) {
    const TypeData &type = ctx_.type(id);
    answer_["dtype"] = type.kind == TypeKind::Tensor && type.dtype != DType::Unknown
                           ? Json(std::string(dtypeName(type.dtype)))
                           : Json();
    answer_["shape"] = Json();
    if (type.kind != TypeKind::Tensor || !type.ranked)
      return;
    Json shape = Json::array();
    for (Dim dim : type.dims)
      shape.push_back(dim.isKnown() ? Json(dim.size()) : dim.isUnknown() ? Json() : Json(ctx_.dims().toString(dim)));
    answer_["shape"] = std::move(shape);
  }

  void askValue() {
    Value value = valueOf("value");
    answer_["name"] = shown(value);
    answer_["type"] = value.typeId() ? ctx_.typeToString(value.typeId()) : "?";
    if (value.typeId())
      shapeOf(value.typeId());
    answer_["op"] = idOf(value.definingOp().id);
    std::span<const ValueId> params = value.isParam() ? fn_.params(value.paramRegion()) : std::span<const ValueId>();
    answer_["index"] =
        value.isParam() ? unsigned(std::ranges::find(params, value.id) - params.begin()) : value.resultIndex();
    Json uses = Json::array();
    for (Use use : value.uses())
      uses.push_back({use.owner.id.raw, use.index});
    std::sort(uses.begin(), uses.end());
    answer_["uses"] = std::move(uses);
    answer_["is_constant"] = bool(value.constant());
  }

  void askElements() {
    Value value = valueOf("value");
    AttrId constant = value.constant();
    const DenseData *dense =
        constant && ctx_.attr(constant).kind == AttrKind::Dense ? ctx_.attr(constant).dense : nullptr;
    if (!dense)
      throw Refused{shown(value) + " is no constant whose elements are in memory"};
    shapeOf(dense->type);
    answer_["splat"] = dense->splat;
    if (!dense->strings.empty()) {
      Json strings = Json::array();
      for (StringId text : dense->strings)
        strings.push_back(std::string(ctx_.text(text)));
      answer_["strings"] = std::move(strings);
    }
    if (!data_)
      return;
    auto out = std::make_unique<rw_buffer>();
    out->bytes.assign(reinterpret_cast<const char *>(dense->bytes.data()), dense->bytes.size());
    *data_ = out.release();
  }

  // Changes.
  /// Where new ops go; what was created since the last replacement belongs together.
  void place() {
    Op before = given("before") ? opOf("before") : fn_.terminator(fn_.body());
    if (!edit_.grouped)
      rewriter_.begin(before);
    edit_.grouped = true;
    rewriter_.setInsertionPoint(before);
  }
  void endGroup() { edit_.grouped = false; }

  std::vector<TypeId> typesOf() {
    std::vector<TypeId> types;
    for (const std::string &text : textsOf(request_, "types")) {
      SourceManager sources;
      Diagnostics diags(sources);
      TypeId type = parseType(sources.addText("type", text), sources, diags, ctx_);
      if (!type)
        throw WrongRequest(
            fmt::format("`{}` is no type: {}", text, diags.all().empty() ? "" : diags.all().front().message));
      types.push_back(type);
    }
    return types;
  }
  void madeOp(Op op) {
    if (std::string label = textOf(request_, "label"); !label.empty())
      fn_.setOpName(op.id, ctx_.intern(label));
    answer_["op"] = op.id.raw;
  }

  KindId kindOf(const std::string &name) const {
    const OpRegistry &ops = ctx_.ops();
    std::string_view dialect = std::string_view(name).substr(0, name.rfind('.'));
    int64_t version = ctx_.dialectVersion(dialect);
    KindId kind = version ? ops.lookup(name, int(version)) : ops.lookup(name);
    if (kind != kOpaqueKind || name == "return")
      return kind;
    if (!ops.names().empty() && std::ranges::any_of(ops.names(), [&](std::string_view known) {
          return known.starts_with(std::string(dialect) + ".");
        })) {
      std::string_view near = nearestName(name, ops.names());
      throw Refused{fmt::format("there is no op `{}`{}{}", name,
                                version ? fmt::format(" in version {} of {}", version, dialect) : "",
                                near == name ? "" : didYouMean(near))};
    }
    return kind;
  }

  void create() {
    std::string name = textOf(request_, "kind");
    if (name.find('.') == std::string::npos)
      throw WrongRequest("`kind` is the op's full name, as \"onnx.Relu\", not \"" + name + "\"");
    std::vector<Value> operands = valuesOf("operands", true);
    std::vector<TypeId> types = typesOf();
    const KindId kind = kindOf(name);
    const Json attrs = given("attrs") ? *given("attrs") : Json::object();
    if (!attrs.is_object())
      throw WrongRequest("`attrs` is an object: attributes by name");
    place();
    if (kind == kOpaqueKind)
      return createUndeclared(name, operands, attrs, std::move(types));
    const OpSchema &schema = ctx_.ops().schema(kind);
    if (!schema.regions.empty())
      throw Refused{fmt::format("{} has regions, which cannot be made here; clone one", name)};
    const uint64_t results = given("results") ? countOf(request_, "results") : std::max<uint64_t>(1, types.size());
    checkCounts(name, schema, operands.size(), types.empty() ? results : types.size());
    std::vector<NamedSetting> settings;
    for (const auto &[key, value] : attrs.items())
      settings.push_back({nameIn(schema, key), attrOf(schema, key, value)});
    if (types.empty() && results != 1 &&
        std::ranges::all_of(settings, [&](const NamedSetting &s) { return schema.attrIndex(s.name) >= 0; })) {
      AttrsId list = ctx_.noAttrs();
      for (const NamedSetting &setting : settings)
        list = ctx_.withAttr(list, unsigned(schema.attrIndex(setting.name)), setting.value);
      return madeOp(rewriter_.create(schema, idsOf(operands), list, unsigned(results)));
    }
    Op op = buildNamed(rewriter_, schema, operands, settings, false, types);
    if (!op)
      throw Refused{fmt::format("{} cannot be made of these operands and attributes", name)};
    madeOp(op);
  }

  static void checkCounts(std::string_view name, const OpSchema &schema, size_t operands, size_t results) {
    auto check = [&](CountRange range, size_t count, std::string_view what) {
      if (!range.contains(unsigned(count)))
        throw Refused{fmt::format("{} has {} {}, not {}", name,
                                  range.least == range.most  ? std::to_string(range.least)
                                  : range.most == UINT32_MAX ? fmt::format("{} or more", range.least)
                                                             : fmt::format("{} to {}", range.least, range.most),
                                  what, count)};
    };
    check(operandCounts(schema), operands, "operands");
    check(resultCounts(schema), results, "results");
  }

  /// The name of an attribute, or of an operand that stands for one, as the schema keeps it.
  static std::string_view nameIn(const OpSchema &schema, const std::string &name) {
    if (int index = schema.attrIndex(name); index >= 0)
      return schema.attrs[size_t(index)].name;
    auto standIn = std::ranges::find(schema.standIns, name, &StandInSchema::name);
    if (standIn != schema.standIns.end())
      return standIn->name;
    std::vector<std::string_view> known;
    for (const AttrSchema &attr : schema.attrs)
      known.push_back(attr.name);
    std::string_view near = nearestName(name, known);
    throw Refused{fmt::format("{} has no attribute `{}`{}", schema.fullName(), name, didYouMean(near))};
  }
  AttrId attrOf(const OpSchema &schema, const std::string &name, const Json &json) {
    int index = schema.attrIndex(name);
    auto standIn = std::ranges::find(schema.standIns, name, &StandInSchema::name);
    AttrType type = index >= 0                         ? schema.attrs[size_t(index)].type
                    : standIn != schema.standIns.end() ? standIn->type
                                                       : AttrType::Any;
    return attrFromJson(ctx_, json, type, name);
  }

  /// An op that nobody declares, as a model may have it.
  void createUndeclared(const std::string &name, const std::vector<Value> &operands, const Json &attrs,
                        std::vector<TypeId> types) {
    AttrsId list = ctx_.withExtra(ctx_.noAttrs(), ctx_.intern(kOpaqueNameAttr), ctx_.stringAttr(name));
    for (const auto &[key, value] : attrs.items())
      list = ctx_.withExtra(list, ctx_.intern(key), attrFromJson(ctx_, value, AttrType::Any, key));
    uint64_t results = given("results") ? countOf(request_, "results") : 1;
    if (results > kMaxResults || operands.size() > kMaxOperands)
      throw Refused{"an op has no more than some thousand results"};
    while (types.size() < results)
      types.push_back(ctx_.unknownType());
    madeOp(rewriter_.createTyped(kOpaqueKind, idsOf(operands), list, types));
  }
  static std::vector<ValueId> idsOf(const std::vector<Value> &values) {
    std::vector<ValueId> ids;
    for (Value value : values)
      ids.push_back(value.id);
    return ids;
  }

  void constant() {
    std::optional<DType> dtype = dtypeFromName(textOf(request_, "dtype"));
    if (!dtype || *dtype == DType::Unknown)
      throw WrongRequest("`dtype` is f32, i64, bool, …, not \"" + textOf(request_, "dtype") + "\"");
    std::vector<Dim> dims;
    uint64_t count = 1;
    for (const Json &size : given("shape") && given("shape")->is_array() ? *given("shape") : Json::array()) {
      if (!size.is_number_unsigned())
        throw WrongRequest("`shape` is a list of sizes");
      dims.push_back(Dim(int64_t(size.get<uint64_t>())));
      if (__builtin_mul_overflow(count, size.get<uint64_t>(), &count))
        throw WrongRequest("`shape` has more elements than can be counted");
    }
    TypeId type = ctx_.tensorType(*dtype, dims);
    std::vector<std::string> texts = textsOf(request_, "strings");
    if (*dtype == DType::String ? texts.size() != count : text::denseBytes(*dtype, size_t(count)) != bytes_.size())
      throw WrongRequest(fmt::format(
          "a constant {} has {} elements, which these {} are not", ctx_.typeToString(type), count,
          *dtype == DType::String ? fmt::format("{} texts", texts.size()) : fmt::format("{} bytes", bytes_.size())));
    AttrId attr;
    if (*dtype == DType::String) {
      std::vector<StringId> ids;
      for (const std::string &text : texts)
        ids.push_back(ctx_.intern(text));
      attr = ctx_.denseStringsAttr(type, ids);
    } else {
      attr = ctx_.denseAttr(type, std::as_bytes(std::span(bytes_.data(), bytes_.size())));
    }
    place();
    Value value = rewriter_.materializeConstant(dialectOf(), attr, type);
    if (!value)
      throw Refused{fmt::format("the dialect {} has no constants", dialectOf())};
    madeOp(value.definingOp());
  }
  /// The one asked for, or the first of the function's ops that has constants.
  std::string dialectOf() const {
    if (std::string dialect = textOf(request_, "dialect"); !dialect.empty())
      return dialect;
    for (Op op : fn_.ops(fn_.body()))
      if (ctx_.ops().constantOp(op.schema().dialect) != kOpaqueKind)
        return std::string(op.schema().dialect);
    return "onnx";
  }

  void clone() {
    Op model = opOf("op");
    if (model.kind() == kReturnKind)
      throw Refused{"there is one return in a region, at its end"};
    std::vector<Value> operands = valuesOf("operands", true);
    if (operands.size() != model.operandCount())
      throw Refused{fmt::format("{} has {} operands, not {}", shown(model), model.operandCount(), operands.size())};
    place();
    madeOp(rewriter_.cloneWithOperands(model, idsOf(operands)));
  }

  void requireReplaceable(Value from, Value to) const {
    if (from.typeId() && to.typeId() && !ctx_.compatible(from.typeId(), to.typeId()))
      throw Refused{fmt::format("{} of type {} cannot stand for {} of type {}", shown(to),
                                ctx_.typeToString(to.typeId()), shown(from), ctx_.typeToString(from.typeId()))};
  }
  void replace() {
    Op op = opOf("op");
    std::vector<Value> values = valuesOf("values", false);
    if (op.kind() == kReturnKind)
      throw Refused{"what a region returns are operands of its last op: set_operand changes them"};
    if (values.size() != op.resultCount())
      throw Refused{
          fmt::format("{} has {} results, and {} values stand for them", shown(op), op.resultCount(), values.size())};
    for (unsigned i = 0; i < values.size(); ++i) {
      requireReplaceable(op.result(i), values[i]);
      if (values[i].definingOp() == op && op)
        throw Refused{fmt::format("{} cannot be replaced by its own results", shown(op))};
    }
    std::string name = shown(op);
    if (!rewriter_.replaceOp(op, idsOf(values)))
      throw Refused{fmt::format("{} cannot be replaced", name)};
    endGroup();
  }
  void replaceUses() {
    Value from = valueOf("from"), to = valueOf("to");
    requireReplaceable(from, to);
    if (from == to)
      throw Refused{fmt::format("{} stands for itself already", shown(from))};
    rewriter_.replaceAllUses(from, to);
    endGroup();
  }
  void setOperand() {
    Op op = opOf("op");
    uint64_t index = countOf(request_, "index");
    if (index >= op.operandCount())
      throw Refused{
          fmt::format("{} has {} operands, and operand {} is none of them", shown(op), op.operandCount(), index)};
    if (given("value"))
      rewriter_.setOperand(op, unsigned(index), valueOf("value"));
    else
      rewriter_.setOperand(op, unsigned(index), Value());
  }
  void setAttr() {
    Op op = opOf("op");
    std::string name = textOf(request_, "name");
    const Json value = given("value") ? *given("value") : Json();
    const OpSchema &schema = op.schema();
    if (op.kind() == kOpaqueKind && !name.empty() && !name.starts_with('$')) {
      AttrId attr = value.is_null() ? AttrId() : attrFromJson(ctx_, value, AttrType::Any, name);
      rewriter_.setAttrs(op, ctx_.withExtra(op.attrsId(), ctx_.intern(name), attr));
      return;
    }
    int index = schema.attrIndex(nameIn(schema, name));
    if (index < 0)
      throw Refused{fmt::format("in this version of {} an operand stands for `{}`: set that", schema.fullName(), name)};
    if (value.is_null() && schema.attrs[size_t(index)].required)
      throw Refused{fmt::format("{} needs its attribute `{}`", schema.fullName(), name)};
    rewriter_.setAttr(op, unsigned(index), value.is_null() ? AttrId() : attrOf(schema, name, value));
  }
  void erase() {
    Op op = opOf("op");
    if (op.kind() == kReturnKind)
      throw Refused{"the return at the end of a region stays"};
    if (op.hasUses())
      throw Refused{fmt::format("cannot erase {}: it is used by {}", shown(op), rewriter_.usersOf(op))};
    rewriter_.erase(op);
    endGroup();
  }

  rw_edit &edit_;
  Function &fn_;
  Context &ctx_;
  PatternRewriter &rewriter_;
  const Json &request_;
  std::string_view bytes_;
  rw_buffer **data_;
  Json &answer_;
};
} // namespace

extern "C" {
int rw_session_add_pass(rw_session *session, const char *request, rw_pass pass, void *user, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return addPass(*session, request, pass, user); });
}

int rw_edit_do(rw_edit *edit, const char *text, const void *bytes, size_t size, rw_buffer **data, rw_buffer **answer) {
  Call call(answer);
  if (data)
    *data = nullptr;
  return call.run([&] {
    Json request = readRequest(text, {"ask",     "do",      "op",    "value",  "kind",  "operands", "attrs",
                                      "types",   "results", "label", "before", "dtype", "shape",    "strings",
                                      "dialect", "values",  "from",  "to",     "index", "name"});
    try {
      Edit(*edit, request, {static_cast<const char *>(bytes), size}, data, call.answer).run();
    } catch (const Refused &refused) {
      call.diags.errorInFile("refused-edit", "@" + edit->fn.name(), refused.why);
      return RW_WRONG_INPUT;
    }
    return RW_OK;
  });
}
}
