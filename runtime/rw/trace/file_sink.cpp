#include "rw/trace/file_sink.h"

#include "rw/ir/printer.h"
#include "rw/support/atomic_file.h"
#include "rw/support/json.h"
#include "rw/trace/program_json.h"

#include <filesystem>
#include <fmt/format.h>

namespace rw {
namespace {
constexpr unsigned kMaxRuns = 1'000'000;
} // namespace

void FileTraceSink::write(const std::string &path, std::string_view text) {
  if (Result<void> written = writeFile(path, text); !written && error_.empty())
    error_ = fmt::format("{}: {}", path, written.error());
}

/// The first free number, so that dumps of an earlier run of the tool stay.
bool FileTraceSink::makeRunFolder(std::string &path) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  for (; !failure && nextRun_ <= kMaxRuns; ++nextRun_) {
    path = fmt::format("{}/run-{:04}", folder_, nextRun_);
    if (std::filesystem::create_directory(path, failure))
      return ++nextRun_, true;
  }
  if (error_.empty())
    error_ = fmt::format("{}: {}", folder_, failure ? failure.message() : "there are too many runs in it");
  return false;
}

void FileTraceSink::beforeProgram(const ProgramEvent &e) {
  Run &run = runs_.emplace_back();
  if (!makeRunFolder(run.folder)) {
    run.folder.clear();
    return;
  }
  write(run.folder + "/input.rwir", printProgram(e.program));
}

void FileTraceSink::afterProgram(const ProgramEvent &e) {
  if (runs_.empty()) // installed while the run was under way
    return;
  Run run = std::move(runs_.back());
  runs_.pop_back();
  if (run.folder.empty())
    return;
  write(run.folder + "/program.rwir", printProgram(e.program));
  write(run.folder + "/program.json", programToJson(e.program));
  const Json meta = {{"graph", e.run.graph},
                     {"target", e.run.target},
                     {"backend", e.run.backend},
                     {"pipeline", e.run.pipeline},
                     {"plan_cache_hit", e.run.planCacheHit ? Json(*e.run.planCacheHit) : Json()},
                     {"duration_ns", e.nanoseconds},
                     {"changed", e.changed},
                     {"failed", e.failed}};
  write(run.folder + "/meta.json", jsonText(meta, 2) + "\n");
  write(run.folder + "/stats.json",
        fmt::format("{{\n\"rewrites\": {}, \"folds\": {}, \"erased\": {},\n\"steps\": [{}\n]}}\n", run.rewriteCount,
                    run.foldCount, run.erasedCount, run.steps));
  write(run.folder + "/rewrites.jsonl", run.rewrites);
}

void FileTraceSink::step(std::string text) {
  if (runs_.empty())
    return;
  std::string &steps = runs_.back().steps;
  steps += steps.empty() ? "\n" : ",\n";
  steps += text;
}

void FileTraceSink::afterSpan(const SpanEvent &e) {
  Json span = {{e.kind == SpanEvent::Stage ? "stage" : "round", e.name}, {"duration_ns", e.nanoseconds}};
  if (e.skipped)
    span["skipped"] = e.skipped;
  step(jsonText(span));
}

void FileTraceSink::afterPass(const PassEvent &e) {
  Json pass = {{"pass", e.pass},         {"function", e.function.name()},
               {"depth", e.depth},       {"duration_ns", e.nanoseconds},
               {"changed", e.changed},   {"failed", e.failed},
               {"rewrites", e.rewrites}, {"folds", e.folds},
               {"erased", e.erased},     {"ops_before", e.opsBefore},
               {"ops_after", e.opsAfter}};
  if (!e.message.empty())
    pass["message"] = e.message;
  step(jsonText(pass));
  if (runs_.empty() || e.failed)
    return;
  runs_.back().rewriteCount += e.rewrites;
  runs_.back().foldCount += e.folds;
  runs_.back().erasedCount += e.erased;
}

void FileTraceSink::rewrite(const RewriteEvent &e) {
  if (runs_.empty())
    return;
  static constexpr const char *kKinds[] = {"pattern", "fold", "erase"};
  Json line = {{"kind", kKinds[e.kind]}, {"graph", e.run.graph}, {"pass", e.pass}, {"function", e.function}};
  if (e.kind == RewriteEvent::Pattern) {
    line["pattern"] = e.pattern;
    line["file"] = e.file;
    line["line"] = e.line;
  }
  line["root"] = e.root;
  line["in"] = e.in;
  line["out"] = e.out;
  runs_.back().rewrites += jsonText(line) + "\n";
}

} // namespace rw
