#include "rw/onnx/from_program.h"

#include "rw/onnx/called_functions.h"
#include "rw/onnx/from_tensor.h"
#include "rw/onnx/proto.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/meaning.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace rw {
namespace onnxio {
namespace {

constexpr int kOpset = 17; // if nothing speaks against it

/// The format's version that first knows the operator set. Source: ONNX's table of versions.
int irVersion(int opset) { return opset <= 18 ? 8 : opset <= 20 ? 9 : opset <= 22 ? 10 : opset <= 23 ? 11 : 12; }

/// What the ops of a function, those in its regions included, ask of a model.
class Survey {
public:
  explicit Survey(Function &fn) : fn_(fn) { region(fn, fn.body()); }
  /// Those of a function that is called as well.
  void add(Function &fn) { region(fn, fn.body()); }

  bool hasTensorOps() const { return tensor_; }
  /// Whether no op is left that means something.
  bool isExpanded() const { return !means_; }
  /// The first and the last operator set that knows all ops.
  int oldest() const { return main_.oldest.set; }
  int newest() const { return main_.newest.set; }
  /// The operator set nearest to the one that the program is of (0: to kOpset) that all ops are of; none, and a
  /// diagnostic, if there is none.
  std::optional<int> opset(int wanted, Diagnostics &diags) const {
    if (!fits(main_, diags))
      return std::nullopt;
    return std::clamp(wanted ? wanted : kOpset, main_.oldest.set, main_.newest.set);
  }
  /// The other domains, each with the first version that all ops are of; none, and a diagnostic, if there is none.
  std::optional<std::map<std::string, int>> domains(Diagnostics &diags) const {
    std::map<std::string, int> versions;
    for (const auto &[domain, range] : domains_) {
      if (!fits(range, diags))
        return std::nullopt;
      versions.emplace(domain, std::max(range.oldest.set, 1));
    }
    return versions;
  }

private:
  void region(Function &fn, RegionId id) {
    for (Op op : fn.ops(id)) {
      visit(op);
      for (RegionId inner : op.regions())
        region(fn, inner);
    }
  }
  void visit(Op op) {
    std::string name(op.fullName());
    if (op.kind() == kReturnKind || name == kKeptInitializer)
      return;
    const OpSchema &s = op.schema();
    tensor_ |= s.dialect == "tensor";
    means_ |= s.expand != nullptr;
    std::string where = name.substr(0, name.rfind('.'));
    if (s.dialect == kDialect)
      main_.add(s, name);
    else if (!s.domain.empty())
      domains_[std::string(s.domain)].add(s, name);
    else if (where != kDialect) // `@` marks look-alikes
      domains_[where.substr(where.starts_with('@'))].add(s, name);
  }

  /// The versions of an operator set that all ops seen so far are of.
  struct Range {
    struct Bound {
      int set;
      std::string op;
    };
    Bound oldest{0, {}}, newest{INT32_MAX, {}};
    void add(const OpSchema &s, const std::string &name) {
      if (s.since > oldest.set)
        oldest = {s.since, name};
      if (s.until < newest.set)
        newest = {s.until, name};
    }
  };
  bool fits(const Range &range, Diagnostics &diags) const {
    if (range.oldest.set <= range.newest.set)
      return true;
    diags.errorInFile("onnx-export", "@" + fn_.name(),
                      fmt::format("{} is of operator set {} and newer, {} of {} and older: no model has both",
                                  range.oldest.op, range.oldest.set, range.newest.op, range.newest.set));
    return false;
  }
  Function &fn_;
  bool tensor_ = false, means_ = false;
  Range main_;
  std::map<std::string, Range> domains_;
};

} // namespace

std::optional<OnnxModel> emptyModel(const std::string &name, const OpRegistry &ops, Diagnostics &diags, int opset,
                                    const std::map<std::string, int> &domains,
                                    const std::vector<onnx::FunctionProto> &functions) {
  onnx::ModelProto model;
  for (const onnx::FunctionProto &function : functions)
    model.add_functions()->CopyFrom(function);
  model.set_ir_version(irVersion(opset));
  model.mutable_graph()->set_name("main");
  model.add_opset_import()->set_version(opset);
  for (const auto &[domain, version] : domains) {
    onnx::OperatorSetIdProto &import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  return importOnnxBytes(model.SerializeAsString(), name, ops, diags);
}

} // namespace onnxio

namespace {
/// Which ops of the program what they mean comes from.
struct Origins final : RewriteListener {
  onnxio::MeantBy by;
  std::vector<std::string> path; // of the op whose meaning is put in
  void patternBegin(const PatternInfo &, Op root) override {
    auto outer = by.find(root.id.raw);
    path = outer == by.end() ? std::vector<std::string>() : outer->second;
    path.insert(path.begin(), onnxio::inBackticks(root.fullName()) +
                                  (root.schema().file.empty() ? "" : " (" + std::string(root.schema().file) + ")"));
  }
  void created(Op op) override { by[op.id.raw] = path; }
};
} // namespace

/// The function with what its ops mean in their place; none if they mean nothing.
static std::optional<Function> expanded(const Function &fn, const OpRegistry &ops, Origins *origins = nullptr) {
  Function copy(fn);
  PatternSet set(ops);
  set.add(makeExpandMeanings(ops));
  GreedyRewriteConfig config;
  config.maxGrowth = kMaxMeaningOps;
  config.maxRewrites = 2'000'000;
  config.listener = origins;
  return applyPatternsGreedily(copy, std::move(set).freeze(), config).changed ? std::optional(std::move(copy))
                                                                              : std::nullopt;
}

/// Reports calls of the program's own functions, which the text form names like ops: only models that were read have
/// functions that are written again.
static bool callsFunctions(const Program &program, Function &main, Diagnostics &diags) {
  std::set<std::string, std::less<>> names;
  for (const Function &fn : program.functions())
    if (&fn != &main)
      names.emplace(fn.name());
  bool calls = false;
  for (Op op : main.ops(main.body()))
    if (op.kind() == kOpaqueKind && names.contains(op.fullName()) && !std::exchange(calls, true))
      diags
          .errorInFile("onnx-export", "@main",
                       "the function @\"" + std::string(op.fullName()) +
                           "\" would not be in the model: functions of a program from text are not written")
          .note("write the model from the file that it was read from, or declare the op with what it means: `means …`");
  return calls;
}

/// Reports inputs and outputs of which it is not known how many dimensions they have: a model says that.
static bool hasUnknownRanks(Function &main, Diagnostics &diags) {
  auto isUnknown = [](Value v) { return v && v.type().kind == TypeKind::Tensor && !v.type().ranked; };
  auto report = [&](const char *what, size_t place) {
    diags
        .errorInFile(
            "onnx-export", "@main",
            fmt::format("{} {} may have any number of dimensions: a model says how many its inputs and outputs have",
                        what, place))
        .note("state its type with a size for each dimension, `?` where that is open");
    return true;
  };
  std::span<const ValueId> params = main.params(main.body());
  for (size_t i = 0; i < params.size(); ++i)
    if (isUnknown(main.value(params[i])))
      return report("parameter", i);
  Op end = main.terminator(main.body());
  for (unsigned i = 0; end && i < end.operandCount(); ++i)
    if (isUnknown(end.operand(i)))
      return report("result", i);
  return false;
}

/// A model whose functions are those that the program calls.
static std::optional<OnnxModel> withFunctions(onnxio::CalledFunctions called, const OpRegistry &ops,
                                              Diagnostics &diags) {
  Program &program = called.program();
  onnxio::Survey survey(*program.function("main"));
  for (Function &fn : program.functions())
    if (fn.name() != "main")
      survey.add(fn);
  std::optional<int> opset = survey.opset(int(program.context().dialectVersion(onnxio::kDialect)), diags);
  std::optional<std::map<std::string, int>> domains = opset ? survey.domains(diags) : std::nullopt;
  if (!domains)
    return std::nullopt;
  std::optional<OnnxModel> model = onnxio::emptyModel("@main", ops, diags, *opset, *domains, called.protos(*opset));
  if (model)
    model->program = std::move(program);
  return model;
}

std::optional<OnnxModel> onnxFromProgram(Program &program, const OpRegistry &ops, Diagnostics &diags) {
  Function &main = *program.function("main");
  if (hasUnknownRanks(main, diags))
    return std::nullopt;
  if (program.functions().size() > 1)
    if (onnxio::CalledFunctions called(program);
        !called.empty() && !onnxio::Survey(*called.program().function("main")).hasTensorOps())
      return withFunctions(std::move(called), ops, diags);
  // What means something in ops of `tensor` goes the same way as these; what means something in ops of ONNX becomes a
  // function of the model.
  if (callsFunctions(program, main, diags))
    return std::nullopt;
  Origins origins;
  std::optional<Function> meant = expanded(main, ops, &origins);
  if (meant && onnxio::Survey(*meant).hasTensorOps())
    return onnxFromTensor(*meant, ops, diags, origins.by);
  onnxio::Survey survey(main);
  if (survey.hasTensorOps())
    return onnxFromTensor(main, ops, diags);
  std::optional<int> opset = survey.opset(int(program.context().dialectVersion(onnxio::kDialect)), diags);
  std::optional<std::map<std::string, int>> domains = opset ? survey.domains(diags) : std::nullopt;
  if (!domains)
    return std::nullopt;
  // What ops mean in that operator set may ask for a newer one.
  Context &ctx = program.context();
  int64_t version = ctx.dialectVersion(onnxio::kDialect);
  ctx.setDialectVersion(onnxio::kDialect, *opset);
  std::optional<Function> meantHere = expanded(main, ops);
  ctx.setDialectVersion(onnxio::kDialect, version);
  if (meant && !(meantHere && onnxio::Survey(*meantHere).isExpanded()))
    if (int needed = onnxio::Survey(*meant).oldest(); needed > *opset && needed <= survey.newest())
      opset = needed;
  std::optional<OnnxModel> model = onnxio::emptyModel("@main", ops, diags, *opset, *domains);
  if (model)
    model->program = program.clone();
  return model;
}

} // namespace rw
