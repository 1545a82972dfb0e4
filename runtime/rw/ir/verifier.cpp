#include "rw/ir/verifier.h"

#include "rw/ir/builder.h"
#include "rw/ir/printer.h"
#include "rw/ir/text_format.h"
#include "rw/ir/verifier_impl.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>

namespace rw {

// What schemas allow ------------------------------------------------------------------------------------------------

/// Groups before a required one need their slot; a variadic group may be empty.
template <class Group> static CountRange countRange(std::span<const Group> groups, unsigned unbounded) {
  CountRange r;
  unsigned slots = 0;
  unsigned variadic = 0;
  for (const Group &g : groups) {
    if (g.arity == Arity::Variadic) {
      ++variadic;
      continue;
    }
    ++slots;
    if (g.arity == Arity::Single)
      r.least = slots;
  }
  r.most = variadic ? unbounded : slots;
  r.step = variadic > 1 ? variadic : 1;
  return r;
}
CountRange operandCounts(const OpSchema &s) { return countRange(s.operands, UINT32_MAX); }
CountRange resultCounts(const OpSchema &s) { return countRange(s.results, UINT16_MAX); }

std::string_view attrTypeName(AttrType t) {
  switch (t) {
  case AttrType::Int:
    return "whole number";
  case AttrType::Float:
    return "float";
  case AttrType::Bool:
    return "bool";
  case AttrType::String:
    return "string";
  case AttrType::DType:
    return "dtype";
  case AttrType::Type:
    return "type";
  case AttrType::Symbol:
    return "function name";
  case AttrType::Dim:
    return "dimension";
  case AttrType::Ints:
    return "list of whole numbers";
  case AttrType::Floats:
    return "list of floats";
  case AttrType::Bools:
    return "list of bools";
  case AttrType::Strings:
    return "list of strings";
  case AttrType::Dims:
    return "list of dimensions";
  case AttrType::IntLists:
    return "list of lists of whole numbers";
  case AttrType::DTypes:
    return "list of dtypes";
  case AttrType::Types:
    return "list of types";
  case AttrType::Tensor:
    return "dense tensor";
  case AttrType::Any:
    break;
  }
  return "value";
}

bool attrFits(const Context &ctx, AttrId id, AttrType declared) {
  const AttrData &a = ctx.attr(id);
  auto listOf = [&](AttrKind kind) {
    if (a.kind != AttrKind::List)
      return false;
    for (AttrId e : a.elements)
      if (ctx.attr(e).kind != kind)
        return false;
    return true;
  };
  switch (declared) {
  case AttrType::Int:
    return a.kind == AttrKind::Int;
  case AttrType::Float:
    return a.kind == AttrKind::Float;
  case AttrType::Bool:
    return a.kind == AttrKind::Bool;
  case AttrType::String:
    return a.kind == AttrKind::String;
  case AttrType::DType:
    return a.kind == AttrKind::DType;
  case AttrType::Type:
    return a.kind == AttrKind::Type;
  case AttrType::Symbol:
    return a.kind == AttrKind::Symbol;
  case AttrType::Dim:
    return a.kind == AttrKind::Dim;
  case AttrType::Ints:
    return a.kind == AttrKind::Ints || (a.kind == AttrKind::Dims && a.dims.empty());
  case AttrType::Floats:
    return a.kind == AttrKind::Floats;
  case AttrType::Bools:
    return listOf(AttrKind::Bool);
  case AttrType::Strings:
    return listOf(AttrKind::String);
  case AttrType::Dims:
    return a.kind == AttrKind::Dims;
  case AttrType::IntLists:
    return listOf(AttrKind::Ints);
  case AttrType::DTypes:
    return listOf(AttrKind::DType);
  case AttrType::Types:
    return listOf(AttrKind::Type);
  case AttrType::Tensor:
    return a.kind == AttrKind::Dense;
  case AttrType::Any:
    break;
  }
  return true;
}

// Reporting ---------------------------------------------------------------------------------------------------------

namespace detail {

std::string OpChecker::valueText(ValueId v) {
  if (!names_)
    names_ = std::make_unique<ValueNames>(fn_);
  return names_->text(v);
}

void OpChecker::fail(std::string_view tag, OpId op, std::string message) {
  if (failures_++ >= options_.maxErrors) {
    if (failures_ == options_.maxErrors + 1)
      diags_.errorInFile("verify-structure", options_.file.empty() ? "@" + fn_.name() : options_.file,
                         "more violations are not shown");
    return;
  }
  Loc loc = op ? fn_.loc(op) : Loc();
  auto builder = loc ? diags_.error(std::string(tag), tokenAt(loc), std::move(message))
                 : options_.file.empty()
                     ? diags_.errorInFile(std::string(tag), "@" + fn_.name(), std::move(message))
                     : diags_.errorInFile(std::string(tag), options_.file,
                                          (fn_.name() == "main" ? "" : "@" + fn_.name() + ": ") + message);
  if (!op)
    return;
  if (!printable_) {
    KindId kind = fn_.data(op).kind;
    const OpRegistry &ops = fn_.context().ops();
    builder.note("in op number " + std::to_string(op.raw) +
                 (kind != kOpaqueKind && kind.raw < ops.size() ? ", a `" + ops.fullName(kind) + "`" : ""));
    return;
  }
  if (!names_)
    names_ = std::make_unique<ValueNames>(fn_);
  std::string text = printOp(fn_.op(op), *names_);
  constexpr size_t kLongest = 200;
  if (text.size() > kLongest) {
    size_t end = kLongest;
    while (end > 0 && (uint8_t(text[end]) & 0xc0) == 0x80)
      --end;
    text.resize(end);
    text += "…";
  }
  builder.note("in: " + text);
}

/// The word at a position: locations of ops are single positions.
SourceRange OpChecker::tokenAt(Loc loc) const {
  const SourceManager &sources = diags_.sources();
  FileId file = sources.fileOf(loc);
  if (!file)
    return {loc, loc};
  std::string_view rest = sources.text(file).substr(sources.offsetOf(loc));
  uint32_t length = 0;
  while (length < rest.size() && (text::isNameChar(rest[length]) || rest[length] == '.'))
    ++length;
  return {loc, Loc{loc.raw + length}};
}

// One op against its schema -----------------------------------------------------------------------------------------

bool OpChecker::schema(OpId id, bool sound) {
  Op op = fn_.op(id);
  const OpData &d = fn_.data(id);
  Signature signature;
  if (sound && d.kind != kOpaqueKind)
    signature = Signature::of(op);
  auto type = [&](unsigned i) { return fn_.data(ValueId(d.firstResult.raw + i)).type; };
  if (const SignatureTable::Entry *known = right_.find(signature)) {
    bool same = true;
    for (unsigned i = 0; i < d.resultCount; ++i)
      same &= known->types[i] == type(i);
    if (same)
      return true;
  }
  if (!schemaAnew(op, sound))
    return false;
  if (signature) {
    TypeId types[Signature::kResults];
    for (unsigned i = 0; i < d.resultCount; ++i)
      types[i] = type(i);
    right_.add(signature, {types, d.resultCount});
  }
  return true;
}

bool OpChecker::schemaAnew(Op op, bool sound) {
  size_t before = failures_;
  OpId id = op.id;
  const OpSchema &s = op.schema();
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (!op.result(i).typeId())
      fail("verify-type", id, "result " + std::to_string(i) + " has no type");
  if (op.kind() == kOpaqueKind) {
    if (!op.extraAttr(kOpaqueNameAttr))
      fail("verify-attribute", id, "an unregistered op has no name");
    return failures_ == before;
  }
  attributes(op, s);
  if (op.kind() == kReturnKind) {
    if (op.resultCount())
      fail("verify-results", id, "`return` has no results");
    return failures_ == before;
  }
  counts(op, s);
  if (op.regions().size() != s.regions.size())
    fail("verify-regions", id,
         "there are " + std::to_string(op.regions().size()) + " regions instead of " +
             std::to_string(s.regions.size()));
  if (failures_ != before || !sound)
    return false; // the hooks below rely on all of it
  hooks(op, s);
  return failures_ == before;
}

static std::string rangeText(CountRange r) {
  if (r.least == r.most)
    return std::to_string(r.least);
  if (r.step > 1)
    return (r.least ? std::to_string(r.least) + " and " : "") + std::to_string(r.step) + " groups of one size";
  if (r.most >= UINT16_MAX)
    return "at least " + std::to_string(r.least);
  return std::to_string(r.least) + " to " + std::to_string(r.most);
}

/// Whether operands and results are one each as declared: most ops, told quickly.
static bool isPlain(Op op, const OpSchema &s) {
  if (op.operandCount() != s.operands.size() || op.resultCount() != s.results.size())
    return false;
  for (unsigned i = 0; i < s.operands.size(); ++i)
    if (s.operands[i].arity != Arity::Single || !op.operand(i))
      return false;
  for (const ResultSchema &result : s.results)
    if (result.arity != Arity::Single)
      return false;
  return true;
}

void OpChecker::counts(Op op, const OpSchema &s) {
  if (isPlain(op, s))
    return;
  unsigned n = op.operandCount();
  CountRange operands = operandCounts(s), results = resultCounts(s);
  if (!operands.contains(n))
    fail("verify-operands", op.id, "there are " + std::to_string(n) + " operands instead of " + rangeText(operands));
  for (unsigned g = 0; operands.contains(n) && g < s.operands.size(); ++g) {
    OperandGroup group = operandGroup(s, n, g);
    for (unsigned i = 0; i < group.count && s.operands[g].arity != Arity::Optional; ++i)
      if (!op.operand(group.first + i))
        fail("verify-operands", op.id,
             "operand `" + std::string(s.operands[g].name) + "` is left out but not optional");
  }
  if (!results.contains(op.resultCount()))
    fail("verify-results", op.id,
         "there are " + std::to_string(op.resultCount()) + " results instead of " + rangeText(results));
}

void OpChecker::attributes(Op op, const OpSchema &s) {
  Context &ctx = fn_.context();
  const AttrsData &list = ctx.attrs(op.attrsId());
  if (list.fixed.size() > s.attrs.size())
    fail("verify-attribute", op.id, "there are more declared attributes than the op declares");
  for (size_t i = 0; i < s.attrs.size(); ++i) {
    AttrId value = i < list.fixed.size() ? list.fixed[i] : AttrId();
    auto name = [&] { return "attribute `" + std::string(s.attrs[i].name) + "`"; };
    if (!value && s.attrs[i].required)
      fail("verify-attribute", op.id, "the " + name() + " is missing");
    else if (value && !attrFits(ctx, value, s.attrs[i].type))
      fail("verify-attribute", op.id, "the " + name() + " must be a " + std::string(attrTypeName(s.attrs[i].type)));
  }
  for (const NamedAttr &extra : list.extra)
    if (s.attrIndex(ctx.text(extra.name)) >= 0)
      fail("verify-attribute", op.id,
           "the declared attribute `" + std::string(ctx.text(extra.name)) + "` is stored as an undeclared one");
}

/// Of a variadic result, inference says only whether a number of types fits: it is asked for each that the operands and
/// the results of the regions could give.
void OpChecker::resultCount(Op op, const OpSchema &s, const OpInputs &inputs) {
  if (s.results.size() != 1 || s.results[0].arity != Arity::Variadic)
    return;
  size_t most = op.operandCount();
  for (RegionId region : op.regions())
    most += fn_.terminator(region) ? fn_.terminator(region).operandCount() : 0;
  for (size_t n = 0; n <= std::min<size_t>(most, 64); ++n) {
    InlineList<TypeId, 4> types(n, TypeId());
    if (n != op.resultCount() && s.inferTypes(inputs, {types.data(), types.size()}))
      return fail("verify-results", op.id,
                  "there are " + std::to_string(op.resultCount()) + " results instead of " + std::to_string(n));
  }
}

/// What its `type` clause says and what it means may differ only where one of them is not known.
void OpChecker::meaning(Op op, const OpSchema &s, const OpInputs &inputs) {
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  s.meantTypes(inputs, {types.data(), types.size()});
  const Context &ctx = fn_.context();
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (types[i] && !ctx.compatible(types[i], op.result(i).typeId()))
      fail("verify-type", op.id,
           valueText(op.result(i).id) + " is recorded as " + ctx.typeToString(op.result(i).typeId()) +
               ", what the op means gives " + ctx.typeToString(types[i]));
}

void OpChecker::hooks(Op op, const OpSchema &s) {

  struct Sink : CheckSink {
    OpChecker &owner;
    OpId op;
    bool failed = false;
    Sink(OpChecker &o, OpId id) : owner(o), op(id) {}
    void fail(std::string message) override {
      failed = true;
      owner.fail("verify-check", op, std::move(message));
    }
  };
  if (!(options_.checks && s.check) && !(options_.types && s.inferTypes && op.resultCount()))
    return;
  InputsOf inputs(op);
  Sink sink(*this, op.id);
  if (options_.checks && s.check && !s.check(*inputs, sink)) {
    if (!sink.failed)
      sink.fail("the op's own check fails");
    return; // its types follow from inputs that are wrong
  }
  if (!options_.types || !s.inferTypes)
    return;
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  size_t before = failures_;
  if (!s.inferTypes(*inputs, {types.data(), types.size()}))
    resultCount(op, s, *inputs);
  Context &ctx = fn_.context();
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (types[i] && !ctx.compatible(types[i], op.result(i).typeId()))
      fail("verify-type", op.id,
           valueText(op.result(i).id) + " is recorded as " + ctx.typeToString(op.result(i).typeId()) +
               ", inferred as " + ctx.typeToString(types[i]));
  if (failures_ == before && s.meantTypes && s.meantTypes != s.inferTypes) // else it would say the same again
    meaning(op, s, *inputs);
}

} // namespace detail

// Entry points ------------------------------------------------------------------------------------------------------

/// Parameters and results as the outside sees them.
static void verifySignature(Function &fn, detail::OpChecker &checker) {
  llvm::DenseMap<uint64_t, unsigned> ids;
  std::span<const ValueId> params = fn.params(fn.body());
  for (unsigned i = 0; i < params.size(); ++i) {
    const ParamInfo &info = fn.paramInfo(i);
    auto name = [&] { return checker.valueText(params[i]); }; // numbers every value: only when something is wrong
    if (info.role == ParamRole::Arg && info.stableId)
      checker.fail("verify-params", OpId(), name() + " is no model parameter but has an id");
    // DenseMap keeps the two largest keys for itself; an id is never 0, so shifting by two is safe below them.
    if (info.stableId && info.stableId < UINT64_MAX - 1 && !ids.try_emplace(info.stableId, i).second)
      checker.fail("verify-params", OpId(),
                   name() + " and " + checker.valueText(params[ids[info.stableId]]) + " have the same id " +
                       std::to_string(info.stableId));
    if (!fn.data(params[i]).type) {
      checker.fail("verify-type", OpId(), name() + " has no type");
      continue;
    }
    if (!info.defaultValue)
      continue;
    const AttrData &value = fn.context().attr(info.defaultValue);
    if (value.kind == AttrKind::Dense && !fn.context().compatible(value.dense->type, fn.data(params[i]).type))
      checker.fail("verify-params", OpId(), "the default of " + name() + " is of another type");
  }
  const std::vector<StringId> &names = fn.resultNames();
  Op ret = fn.terminator(fn.body());
  if (!names.empty() && ret && names.size() != ret.operandCount())
    checker.fail("verify-results", ret.id,
                 std::to_string(names.size()) + " result names for " + std::to_string(ret.operandCount()) + " results");
  llvm::DenseMap<uint32_t, unsigned> seen;
  for (unsigned i = 0; i < names.size(); ++i)
    if (names[i] && !seen.try_emplace(names[i].raw, i).second)
      checker.fail("verify-results", ret ? ret.id : OpId(),
                   "two results are named `" + std::string(fn.context().text(names[i])) + "`");
}

/// Whether arguments and results are those of the function that is called.
static void verifyCall(Op op, Function &callee, detail::OpChecker &checker) {
  Context &ctx = op.context();
  std::span<const ValueId> params = callee.params(callee.body());
  Op end = callee.terminator(callee.body());
  if (!end)
    return; // told with that function
  auto counts = [&](size_t has, size_t takes, const char *tag, const char *verb) {
    if (has != takes)
      checker.fail(tag, op.id,
                   "`" + callee.name() + "` " + verb + " " + std::to_string(takes) + " values, not " +
                       std::to_string(has));
    return has == takes;
  };
  if (counts(op.operandCount(), params.size(), "verify-operands", "takes"))
    for (unsigned i = 0; i < params.size(); ++i)
      if (TypeId wanted = callee.data(params[i]).type, given = op.operand(i) ? op.operand(i).typeId() : TypeId();
          !given || !ctx.compatible(given, wanted))
        checker.fail("verify-operands", op.id,
                     "argument " + std::to_string(i) + " is " + (given ? ctx.typeToString(given) : "left out") +
                         ", but `" + callee.name() + "` takes " + ctx.typeToString(wanted));
  if (counts(op.resultCount(), end.operandCount(), "verify-results", "returns"))
    for (unsigned i = 0; i < end.operandCount(); ++i)
      if (Value v = end.operand(i); v && !ctx.compatible(v.typeId(), op.result(i).typeId()))
        checker.fail("verify-type", op.id,
                     "result " + std::to_string(i) + " is recorded as " + ctx.typeToString(op.result(i).typeId()) +
                         ", but `" + callee.name() + "` returns " + ctx.typeToString(v.typeId()));
}

/// Functions that ops name by declared attributes exist. One named by `callee` is called: the operands are its
/// arguments, the results its results.
static void verifySymbols(Function &fn, detail::OpChecker &checker, const llvm::StringMap<Function *> &functions) {
  Context &ctx = fn.context();
  for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
    Op op = fn.op(OpId(i));
    if (op.isErased() || op.attrsId() == ctx.noAttrs())
      continue;
    std::span<const AttrSchema> declared = op.schema().attrs;
    for (size_t a = 0; a < declared.size(); ++a) {
      AttrId value = declared[a].type == AttrType::Symbol ? op.attr(unsigned(a)) : AttrId();
      if (!value || ctx.attr(value).kind != AttrKind::Symbol)
        continue;
      Function *named = functions.lookup(ctx.attr(value).text);
      if (!named)
        checker.fail("verify-symbol", op.id, "no function is named `" + std::string(ctx.attr(value).text) + "`");
      else if (declared[a].name == "callee")
        verifyCall(op, *named, checker);
    }
  }
}

/// `functions`: the names of all functions of the program, if it is looked at as a whole.
static bool verifyFunction(Function &fn, Diagnostics &diags, const VerifyOptions &options,
                           const llvm::StringMap<Function *> *functions) {
  detail::OpChecker checker(fn, diags, options);
  if (detail::verifyStructure(fn, checker)) {
    checker.setPrintable();
    verifySignature(fn, checker);
    detail::verifyContents(fn, checker);
    if (functions)
      verifySymbols(fn, checker, *functions);
  }
  return checker.failures() == 0;
}

bool verifyFunction(Function &fn, Diagnostics &diags, const VerifyOptions &options) {
  return verifyFunction(fn, diags, options, nullptr);
}

bool verifyProgram(Program &program, Diagnostics &diags, const VerifyOptions &options) {
  bool ok = true;
  llvm::StringMap<Function *> names;
  for (Function &fn : program.functions())
    if (!names.try_emplace(fn.name(), &fn).second) {
      diags.errorInFile("verify-symbol", options.file.empty() ? "@" + fn.name() : options.file,
                        "two functions are named `" + fn.name() + "`");
      ok = false;
    }
  for (Function &fn : program.functions())
    ok &= verifyFunction(fn, diags, options, &names);
  return detail::verifyDerivations(program, diags) && ok;
}

bool verifyOp(Op op, Diagnostics &diags, const VerifyOptions &options) {
  detail::OpChecker checker(*op.fn, diags, options);
  if (!detail::verifyLinks(op, checker))
    return false;
  checker.setPrintable();
  bool sound = true;
  for (RegionId region : op.regions())
    sound &= bool(op.fn->terminator(region));
  checker.schema(op.id, sound);
  detail::verifyOperandsDominate(op, checker);
  return checker.failures() == 0;
}

} // namespace rw
