#include "rw/trace/chrome_sink.h"

#include "rw/support/atomic_file.h"
#include "rw/trace/program_json.h"

#include <algorithm>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace rw {
namespace {
namespace json = llvm::json;

template <class Fill> std::string entryArguments(Fill fill) {
  std::string text;
  llvm::raw_string_ostream out(text);
  json::OStream writer(out);
  writer.object([&] { fill(writer); });
  return out.str();
}
} // namespace

void ChromeTraceSink::afterProgram(const ProgramEvent &e) {
  entries_.push_back({"run " + e.run.graph, "run", e.start, e.nanoseconds, entryArguments([&](json::OStream &out) {
                        out.attribute("graph", jsonText(e.run.graph));
                        out.attribute("target", jsonText(e.run.target));
                        out.attribute("backend", jsonText(e.run.backend));
                        out.attribute("pipeline", jsonText(e.run.pipeline));
                        if (e.run.planCacheHit)
                          out.attribute("plan_cache_hit", *e.run.planCacheHit);
                        out.attribute("changed", e.changed);
                        out.attribute("failed", e.failed);
                      })});
}

void ChromeTraceSink::afterSpan(const SpanEvent &e) {
  entries_.push_back({e.name, e.kind == SpanEvent::Stage ? "stage" : "round", e.start, e.nanoseconds,
                      entryArguments([&](json::OStream &out) {
                        out.attribute("graph", jsonText(e.run.graph));
                        if (e.skipped)
                          out.attribute("skipped", int64_t(e.skipped));
                      })});
}

void ChromeTraceSink::afterPass(const PassEvent &e) {
  entries_.push_back({e.pass, "pass", e.start, e.nanoseconds, entryArguments([&](json::OStream &out) {
                        out.attribute("function", jsonText(e.function.name()));
                        out.attribute("rewrites", int64_t(e.rewrites));
                        out.attribute("folds", int64_t(e.folds));
                        out.attribute("erased", int64_t(e.erased));
                        out.attribute("ops_before", int64_t(e.opsBefore));
                        out.attribute("ops_after", int64_t(e.opsAfter));
                        out.attribute("changed", e.changed);
                        out.attribute("failed", e.failed);
                        if (!e.message.empty())
                          out.attribute("message", jsonText(e.message));
                      })});
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
  std::string text;
  llvm::raw_string_ostream out(text);
  json::OStream writer(out);
  writer.object([&] {
    writer.attribute("displayTimeUnit", "ns");
    writer.attributeArray("traceEvents", [&] {
      for (const Entry *entry : order) {
        out << "\n";
        writer.object([&] {
          writer.attribute("name", jsonText(entry->name));
          writer.attribute("cat", entry->category);
          writer.attribute("ph", "X");
          writer.attribute("ts", double(entry->start - zero) / 1000);
          writer.attribute("dur", double(entry->nanoseconds) / 1000);
          writer.attribute("pid", 1);
          writer.attribute("tid", 1);
          writer.attributeBegin("args");
          writer.rawValue(entry->args);
          writer.attributeEnd();
        });
      }
    });
  });
  return out.str() + "\n";
}

Result<void> ChromeTraceSink::write(const std::string &path) const { return writeFile(path, json()); }

} // namespace rw
