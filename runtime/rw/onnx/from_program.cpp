#include "rw/onnx/from_program.h"

#include "rw/onnx/from_tensor.h"
#include "rw/onnx/proto.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/meaning.h"

#include <algorithm>
#include <set>
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
  explicit Survey(Function &fn) : fn_(fn) { region(fn.body()); }

  bool hasTensorOps() const { return tensor_; }
  /// Whether no op is left that means something.
  bool isExpanded() const { return !means_; }
  const std::set<std::string> &domains() const { return domains_; }
  /// The first and the last operator set that knows all ops.
  int oldest() const { return oldest_.set; }
  int newest() const { return newest_.set; }
  /// The operator set nearest to kOpset that all ops are of; none, and a diagnostic, if there is none.
  std::optional<int> opset(Diagnostics &diags) const {
    if (oldest_.set > newest_.set) {
      diags.errorInFile("onnx-export", "@" + fn_.name(),
                        fmt::format("{} is of operator set {} and newer, {} of {} and older: no model has both", oldest_.op, oldest_.set,
                                    newest_.op, newest_.set));
      return std::nullopt;
    }
    return std::clamp(kOpset, oldest_.set, newest_.set);
  }

private:
  void region(RegionId id) {
    for (Op op : fn_.ops(id)) {
      visit(op);
      for (RegionId inner : op.regions())
        region(inner);
    }
  }
  void visit(Op op) {
    std::string name(op.fullName());
    if (op.kind() == kReturnKind || name == kKeptInitializer)
      return;
    const OpSchema &s = op.schema();
    tensor_ |= s.dialect == "tensor";
    means_ |= s.expand != nullptr;
    if (s.dialect == kDialect) {
      if (s.since > oldest_.set)
        oldest_ = {s.since, name};
      if (s.until < newest_.set)
        newest_ = {s.until, name};
    } else if (!s.domain.empty()) {
      domains_.emplace(s.domain);
    } else if (std::string where = name.substr(0, name.rfind('.')); where != kDialect) { // `@` marks look-alikes
      domains_.insert(where.substr(where.starts_with('@')));
    }
  }

  struct Bound {
    int set;
    std::string op;
  };
  Function &fn_;
  bool tensor_ = false, means_ = false;
  std::set<std::string> domains_;
  Bound oldest_{0, {}}, newest_{INT32_MAX, {}};
};

} // namespace

std::optional<OnnxModel> emptyModel(const std::string &name, const OpRegistry &ops, Diagnostics &diags, int opset,
                                    const std::set<std::string> &domains) {
  onnx::ModelProto model;
  model.set_ir_version(irVersion(opset));
  model.mutable_graph()->set_name("main");
  model.add_opset_import()->set_version(opset);
  for (const std::string &domain : domains) {
    onnx::OperatorSetIdProto &import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(1);
  }
  return importOnnxBytes(model.SerializeAsString(), name, ops, diags);
}

} // namespace onnxio

/// The function with what its ops mean in their place; none if they mean nothing.
static std::optional<Function> expanded(const Function &fn, const OpRegistry &ops) {
  Function copy(fn);
  PatternSet set(ops);
  set.add(makeExpandMeanings(ops));
  GreedyRewriteConfig config;
  config.maxGrowth = kMaxMeaningOps;
  config.maxRewrites = 2'000'000;
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
      diags.errorInFile("onnx-export", "@main",
                  "the function @\"" + std::string(op.fullName()) + "\" would not be in the model: functions of a program from text are not written")
          .note("write the model from the file that it was read from, or declare the op with what it means: `means …`");
  return calls;
}

std::optional<OnnxModel> onnxFromProgram(Program &program, const OpRegistry &ops, Diagnostics &diags) {
  Function &main = *program.function("main");
  // What means something in ops of `tensor` goes the same way as these; what means something in ops of ONNX becomes a
  // function of the model.
  if (callsFunctions(program, main, diags))
    return std::nullopt;
  std::optional<Function> meant = expanded(main, ops);
  if (meant && onnxio::Survey(*meant).hasTensorOps())
    return onnxFromTensor(*meant, ops, diags);
  onnxio::Survey survey(main);
  if (survey.hasTensorOps())
    return onnxFromTensor(main, ops, diags);
  std::optional<int> opset = survey.opset(diags);
  if (!opset)
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
  std::optional<OnnxModel> model = onnxio::emptyModel("@main", ops, diags, *opset, survey.domains());
  if (model)
    model->program = program.clone();
  return model;
}

} // namespace rw
