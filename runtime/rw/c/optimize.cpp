// rw_optimize: the recipe of rw-opt, with requests and answers in place of flags and tables.
#include "rw/optimize/optimize.h"
#include "rw/c/handles.h"
#include "rw/ir/dense_sweep.h"
#include "rw/ir/verifier.h"
#include "rw/opt/check.h"
#include "rw/opt/half_precision.h"
#include "rw/opt/html_report.h"
#include "rw/opt/stats.h"
#include "rw/optimize/interface.h"
#include "rw/passes/op_count.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

using namespace rw;
using namespace rw::c;

namespace {
std::vector<InputShape> shapesOf(const Json &request, const char *key) {
  std::vector<InputShape> shapes;
  auto found = request.find(key);
  if (found == request.end() || found->is_null())
    return shapes;
  if (!found->is_object())
    throw WrongRequest("`" + std::string(key) + "` is an object: input names with lists of sizes");
  for (const auto &[name, dims] : found->items()) {
    if (!dims.is_array())
      throw WrongRequest("the shape of `" + name +
                         "` is a list of sizes, symbols, and null for a dimension that stays");
    InputShape &shape = shapes.emplace_back(InputShape{name, {}});
    for (const Json &dim : dims)
      if (dim.is_null())
        shape.dims.push_back({.keep = true});
      else if (dim.is_number_unsigned())
        shape.dims.push_back({.size = dim.get<int64_t>()});
      else if (dim.is_string() && !dim.get<std::string>().empty())
        shape.dims.push_back({.symbol = dim.get<std::string>()});
      else
        throw WrongRequest("the shape of `" + name + "` has " + dim.dump() +
                           ", which is no size (0 or greater), no symbol and not null");
  }
  return shapes;
}

std::optional<FastMath> fastmathOf(const Json &request) {
  auto found = request.find("fastmath");
  if (found == request.end() || found->is_null())
    return std::nullopt;
  if (found->is_boolean())
    return FastMath(found->get<bool>());
  std::string unknown;
  std::optional<FastMath> freedoms =
      found->is_string() ? FastMath::read(found->get<std::string>(), unknown) : std::nullopt;
  if (!freedoms)
    throw WrongRequest("`fastmath` is true, false or a list of freedoms such as \"reassoc,contract\": " +
                       FastMath::every().list());
  return freedoms;
}

class Optimization {
public:
  Optimization(const rw_session &session, rw_model &model, const Json &request, rw_progress progress, void *user,
               Call &call)
      : registry_(session.registry), ownPasses_(session.ownPasses), model_(model), request_(request),
        progress_(progress), user_(user), call_(call) {}

  /// Reads the request, and makes the model what it asks for before anything else.
  bool start() {
    readOptions();
    return model_.file->format() != "onnx" || asWanted();
  }

  /// `keepsAll`: somebody else has a copy of the program, so that constants nobody needs any more stay.
  int run(bool keepsAll) {
    keepsAll_ = keepsAll;
    Program &program = model_.file->program();
    if (!verifyProgram(program, call_.diags, {.file = model_.name}) || !prepare(program))
      return RW_WRONG_INPUT;
    std::string usual(model_.file->defaultPipeline());
    if (fp16_) {
      std::string passes = opt::halvingPasses(textsOf(request_, "keep_fp32"), fp16Interface_);
      std::string &text = recipe_.pipeline ? *recipe_.pipeline : usual;
      text = text == "none" ? passes : text + "," + passes;
    }
    Optimizer optimizer(registry_, recipe_);
    if (!optimizer.readPipeline(call_.sources, call_.diags) ||
        !optimizer.readDefault(usual, call_.sources, call_.diags))
      return RW_WRONG_INPUT;
    return optimize(optimizer, program) && !call_.diags.hasErrors() ? RW_OK : RW_WRONG_INPUT;
  }

private:
  void readOptions() {
    if (request_.contains("pipeline") && !request_["pipeline"].is_null())
      recipe_.pipeline = textOf(request_, "pipeline");
    recipe_.settings.own = ownPasses_;
    recipe_.askedIn = "request";
    recipe_.filter = {textsOf(request_, "disable"), textsOf(request_, "only")};
    recipe_.fastmath = fastmathOf(request_);
    recipe_.strict = boolOf(request_, "strict");
    recipe_.verifyEach = boolOf(request_, "verify_each");
    if (request_.contains("max_rewrites") && !request_["max_rewrites"].is_null())
      recipe_.maxRewrites = countOf(request_, "max_rewrites");
    if (request_.contains("max_fold_bytes") && !request_["max_fold_bytes"].is_null())
      recipe_.maxFoldBytes = countOf(request_, "max_fold_bytes");
    options_.input = model_.name;
    options_.check = unsigned(std::min<uint64_t>(countOf(request_, "check"), UINT32_MAX));
    options_.checkTolerance = numberOf(request_, "check_tolerance", options_.checkTolerance);
    checkShapes_ = shapesOf(request_, "check_shapes");
    if (!checkShapes_.empty() && !options_.check)
      throw WrongRequest("`check_shapes` says which inputs `check` compares on, and `check` is not there");
    options_.strict = recipe_.strict;
    options_.maxRewrites = recipe_.maxRewrites;
    timing_ = boolOf(request_, "timing");
    report_ = boolOf(request_, "report");
    if (boolOf(request_, "rewrites") || report_)
      recorder_.emplace();
    readFp16();
    opset_ = int(std::min<uint64_t>(countOf(request_, "opset"), 1000));
    if (!opset_ && request_.contains("opset") && !request_["opset"].is_null())
      throw WrongRequest("`opset` is the number of an operator set, 1 or greater, not 0");
    wantedOpset_ = opset_;
    if (!opset_)
      opset_ = model_.file->opsetVersion();
  }

  void readFp16() {
    constexpr double kF16Tolerance = 1e-2;
    auto given = request_.find("fp16");
    if (given != request_.end() && !given->is_null() && !given->is_boolean() && *given != "io")
      throw WrongRequest("`fp16` is true, false or \"io\": inputs and results as well");
    fp16Interface_ = given != request_.end() && given->is_string();
    fp16_ = fp16Interface_ || (given != request_.end() && given->is_boolean() && given->get<bool>());
    if (!fp16_ && !textsOf(request_, "keep_fp32").empty())
      throw WrongRequest("`keep_fp32` says what `fp16` leaves, and `fp16` is not there");
    if (fp16_ && (!request_.contains("check_tolerance") || request_["check_tolerance"].is_null()))
      options_.checkTolerance = kF16Tolerance;
  }

  /// A model in the operator set that is asked for, and with the tensors that something looks at.
  bool asWanted() {
    if (wantedOpset_ && !model_.file->convertOpset(wantedOpset_, registry_.ops, call_.diags))
      return false;
    return !fp16_ || model_.file->readTensors(registry_.ops, call_.diags);
  }

  /// What the caller says of the program beforehand.
  bool prepare(Program &program) {
    if (boolOf(request_, "freeze_defaults"))
      freezeDefaults(program);
    return fixShapes(program, shapesOf(request_, "input_shapes"), model_.name, call_.diags) &&
           cutAt(program, textsOf(request_, "inputs"), textsOf(request_, "outputs"), model_.name, call_.diags);
  }

  bool optimize(Optimizer &optimizer, Program &program) {
    before_ = opt::countOps(program);
    if (!kept_.hide(program, textsOf(request_, "keep"), model_.name, call_.diags))
      return false;
    std::optional<Program> original;
    if (options_.check)
      original.emplace(program.clone());
    optimizer.measure(program, opset_);
    DenseSweep sweep(program, [&](std::span<const AttrId> gone) { model_.file->dropTensors(gone); });
    TraceRun traced{.pipeline = printPipeline(optimizer.items())};
    traced.graph = "-";
    ProgramTrace trace(std::move(traced), program, recorder_ ? &*recorder_ : nullptr);
    LateOverrides none;
    PassManagerResult result = optimizer.run(program, [&](PassManagerOptions &run) {
      run.within = &trace;
      run.rewriteConfig.listener = recorder_ ? &*recorder_ : nullptr;
      if (!original && !keepsAll_)
        run.rewriteConfig.sweep = &sweep;
      config_.filter = run.rewriteConfig.filter;
      config_.allowFastMath = run.rewriteConfig.allowFastMath;
      run.beforePass = [this](std::string_view pass, Function &fn) { tell(pass, fn); };
    });
    kept_.restore(program);
    bool good = reportRun(result, model_.name, "", call_.diags) &&
                finishProgram(program, result.changed, none, trace, model_.name, call_.diags);
    std::optional<opt::CheckOutcome> checked;
    if (good && original)
      checked = check(optimizer, *original, result);
    answer(optimizer, program, result, checked);
    return good && (!checked || checked->good);
  }

  /// Between passes the caller may stop.
  void tell(std::string_view pass, Function &fn) {
    if (!progress_)
      return;
    Json said = {{"pass", std::string(pass)}, {"function", fn.name()}, {"passes", passes_++}, {"ops", fn.liveOps()}};
    if (progress_(jsonText(said).c_str(), user_))
      throw Stopped();
  }

  /// While a check evaluates, now and then.
  void breathe(Program &program) {
    constexpr auto kPause = std::chrono::milliseconds(50);
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < kPause)
      return;
    told_ = now;
    if (!program.functions().empty())
      tell("check", program.functions().front());
  }

  opt::CheckOutcome check(Optimizer &optimizer, Program &original, const PassManagerResult &result) {
    return opt::checkRun({optimizer, original, result, &kept_, checkShapes_, opset_}, *model_.file, options_,
                         call_.diags,
                         {.between = [this, &original] { breathe(original); },
                          .beforeRerun =
                              [this](PassManagerOptions &run) {
                                run.beforePass = [this](std::string_view pass, Function &fn) { tell(pass, fn); };
                              }});
  }

  void answer(Optimizer &optimizer, Program &program, const PassManagerResult &result,
              const std::optional<opt::CheckOutcome> &checked) {
    opt::OpHistogram after = opt::countOps(program);
    std::string pipeline = printPipeline(optimizer.items());
    call_.answer["statistics"] =
        Json::parse(opt::statisticsAsJson(model_.name, pipeline, before_, after, result, checked, timing_));
    call_.answer["table"] = opt::describeChange(before_, after) + renderStatistics(result, timing_);
    if (recorder_) {
      Json rewrites = Json::array();
      for (const opt::RecordedRewrite &r : recorder_->rewrites())
        rewrites.push_back({{"pattern", r.pattern},
                            {"pass", r.pass},
                            {"function", r.function},
                            {"root", r.root},
                            {"file", r.file},
                            {"line", r.line}});
      call_.answer["rewrites"] = std::move(rewrites);
      call_.answer["more_rewrites"] = recorder_->notListed();
    }
    if (report_)
      call_.answer["report"] = opt::renderReport({model_.name, pipeline, before_, after, result, *recorder_,
                                                  opt::findNearMisses(program, optimizer.items(), config_), checked});
  }

  const Registry &registry_;
  std::span<const OwnPass> ownPasses_;
  rw_model &model_;
  const Json &request_;
  rw_progress progress_;
  void *user_;
  Call &call_;
  OptimizeOptions recipe_;
  opt::Options options_; // what a check asks of them
  std::vector<InputShape> checkShapes_;
  bool timing_ = false, report_ = false, keepsAll_ = false;
  int opset_ = 0, wantedOpset_ = 0;
  bool fp16_ = false, fp16Interface_ = false;
  opt::OpHistogram before_;
  KeptOps kept_;
  std::optional<opt::RewriteRecorder> recorder_;
  GreedyRewriteConfig config_;
  uint64_t passes_ = 0;
  std::chrono::steady_clock::time_point told_ = {};
};
} // namespace

extern "C" int rw_optimize(const rw_session *session, rw_model *model, const char *text, rw_progress progress,
                           void *user, rw_buffer **answer) {
  Call call(answer);
  return call.run([&]() -> int {
    Json request = readRequest(
        text, {"pipeline",     "disable",        "only",   "fastmath",        "strict",          "verify_each",
               "max_rewrites", "max_fold_bytes", "check",  "check_tolerance", "check_shapes",    "opset",
               "report",       "rewrites",       "timing", "input_shapes",    "freeze_defaults", "inputs",
               "outputs",      "keep",           "fp16",   "keep_fp32"});
    Optimization optimization(*session, *model, request, progress, user, call);
    if (!optimization.start())
      return RW_WRONG_INPUT;
    if (session->ownPasses.empty())
      return optimization.run(false);
    Program &program = model->file->program();
    Program before = program.clone(); // for when a pass of the caller's fails
    auto takeBack = [&] { program.functions() = std::move(before.functions()); };
    try {
      int status = optimization.run(true);
      if (status != RW_OK)
        takeBack();
      return status;
    } catch (const PassFailed &) {
      takeBack();
      throw;
    }
  });
}
