#include "rw/trace/file_sink.h"

#include "rw/ir/printer.h"
#include "rw/support/atomic_file.h"
#include "rw/trace/program_json.h"

#include <filesystem>
#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace rw {
namespace {
namespace json = llvm::json;

constexpr unsigned kMaxRuns = 1'000'000;

template <class Fill> std::string object(Fill fill, unsigned indent = 0) {
  std::string text;
  llvm::raw_string_ostream out(text);
  json::OStream writer(out, indent);
  writer.object([&] { fill(writer); });
  return out.str();
}

void list(json::OStream &out, llvm::StringRef name, const std::vector<std::string> &texts) {
  out.attributeArray(name, [&] {
    for (const std::string &text : texts)
      out.value(jsonText(text));
  });
}
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
  write(run.folder + "/meta.json", object(
                                       [&](json::OStream &out) {
                                         out.attribute("graph", jsonText(e.run.graph));
                                         out.attribute("target", jsonText(e.run.target));
                                         out.attribute("backend", jsonText(e.run.backend));
                                         out.attribute("pipeline", jsonText(e.run.pipeline));
                                         if (e.run.planCacheHit)
                                           out.attribute("plan_cache_hit", *e.run.planCacheHit);
                                         else
                                           out.attribute("plan_cache_hit", nullptr);
                                         out.attribute("duration_ns", int64_t(e.nanoseconds));
                                         out.attribute("changed", e.changed);
                                         out.attribute("failed", e.failed);
                                       },
                                       2) +
                                       "\n");
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
  step(object([&](json::OStream &out) {
    out.attribute(e.kind == SpanEvent::Stage ? "stage" : "round", jsonText(e.name));
    out.attribute("duration_ns", int64_t(e.nanoseconds));
    if (e.skipped)
      out.attribute("skipped", int64_t(e.skipped));
  }));
}

void FileTraceSink::afterPass(const PassEvent &e) {
  step(object([&](json::OStream &out) {
    out.attribute("pass", jsonText(e.pass));
    out.attribute("function", jsonText(e.function.name()));
    out.attribute("depth", int64_t(e.depth));
    out.attribute("duration_ns", int64_t(e.nanoseconds));
    out.attribute("changed", e.changed);
    out.attribute("failed", e.failed);
    out.attribute("rewrites", int64_t(e.rewrites));
    out.attribute("folds", int64_t(e.folds));
    out.attribute("erased", int64_t(e.erased));
    out.attribute("ops_before", int64_t(e.opsBefore));
    out.attribute("ops_after", int64_t(e.opsAfter));
    if (!e.message.empty())
      out.attribute("message", jsonText(e.message));
  }));
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
  runs_.back().rewrites += object([&](json::OStream &out) {
                             out.attribute("kind", kKinds[e.kind]);
                             out.attribute("graph", jsonText(e.run.graph));
                             out.attribute("pass", jsonText(e.pass));
                             out.attribute("function", jsonText(e.function));
                             if (e.kind == RewriteEvent::Pattern) {
                               out.attribute("pattern", jsonText(e.pattern));
                               out.attribute("file", jsonText(e.file));
                               out.attribute("line", int64_t(e.line));
                             }
                             out.attribute("root", jsonText(e.root));
                             list(out, "in", e.in);
                             list(out, "out", e.out);
                           }) +
                           "\n";
}

} // namespace rw
