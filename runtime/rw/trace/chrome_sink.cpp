#include "rw/trace/chrome_sink.h"

#include "rw/support/atomic_file.h"
#include "rw/support/json.h"

#include <algorithm>

namespace rw {

void ChromeTraceSink::afterProgram(const ProgramEvent &e) {
  Json args = {
      {"graph", e.run.graph}, {"target", e.run.target}, {"backend", e.run.backend}, {"pipeline", e.run.pipeline}};
  if (e.run.planCacheHit)
    args["plan_cache_hit"] = *e.run.planCacheHit;
  args["changed"] = e.changed;
  args["failed"] = e.failed;
  entries_.push_back({"run " + e.run.graph, "run", e.start, e.nanoseconds, jsonText(args)});
}

void ChromeTraceSink::afterSpan(const SpanEvent &e) {
  Json args = {{"graph", e.run.graph}};
  if (e.skipped)
    args["skipped"] = e.skipped;
  entries_.push_back({e.name, e.kind == SpanEvent::Stage ? "stage" : "round", e.start, e.nanoseconds, jsonText(args)});
}

void ChromeTraceSink::afterPass(const PassEvent &e) {
  Json args = {
      {"function", e.function.name()}, {"rewrites", e.rewrites},  {"folds", e.folds},     {"erased", e.erased},
      {"ops_before", e.opsBefore},     {"ops_after", e.opsAfter}, {"changed", e.changed}, {"failed", e.failed}};
  if (!e.message.empty())
    args["message"] = e.message;
  entries_.push_back({e.pass, "pass", e.start, e.nanoseconds, jsonText(args)});
}

std::string ChromeTraceSink::json() const {
  // What began first comes first, and of two that began together the longer one: it holds the other.
  std::vector<const Entry *> order;
  for (const Entry &entry : entries_)
    order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const Entry *a, const Entry *b) {
    return a->start != b->start ? a->start < b->start : a->nanoseconds > b->nanoseconds;
  });
  uint64_t zero = order.empty() ? 0 : order.front()->start;
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)";
  for (const Entry *entry : order) {
    text += entry == order.front() ? "\n" : "\n,";
    text += jsonText(Json{{"name", entry->name},
                          {"cat", entry->category},
                          {"ph", "X"},
                          {"ts", double(entry->start - zero) / 1000},
                          {"dur", double(entry->nanoseconds) / 1000},
                          {"pid", 1},
                          {"tid", 1},
                          {"args", Json::parse(entry->args)}});
  }
  return text + "]}\n";
}

Result<void> ChromeTraceSink::write(const std::string &path) const { return writeFile(path, json()); }

} // namespace rw
