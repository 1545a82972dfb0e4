#include "rw/opt/lists.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw::opt {
namespace {
/// The first sentence, in one line.
std::string summary(std::string_view doc) {
  size_t end = doc.find(". ");
  for (size_t at : {doc.find(".\n"), doc.find("\n\n")})
    end = std::min(end, at);
  std::string text(doc.substr(0, end == doc.npos ? end : end + (doc[end] == '.')));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

struct Row {
  std::string name, text;
};
std::string table(std::vector<Row> rows) {
  std::ranges::sort(rows, {}, &Row::name);
  size_t width = 0;
  for (const Row &row : rows)
    width = std::max(width, row.name.size());
  std::string out;
  for (const Row &row : rows)
    out += row.text.empty() ? row.name + "\n" : fmt::format("{:<{}}  {}\n", row.name, width, row.text);
  return out;
}

std::string passes(const Registry &registry) {
  std::vector<Row> rows, pipelines;
  for (const PassEntry &pass : registry.passes()) {
    std::string text = summary(pass.doc);
    if (text.empty() && !pass.patterns.empty())
      for (const NameRef &pattern : pass.patterns)
        text += (text.empty() ? "" : ", ") + pattern.name;
    if (text.empty() && !pass.labels.empty())
      text = fmt::format("every pattern labelled {}", fmt::join(pass.labels, ", "));
    rows.push_back({registry.shownName(pass), text});
  }
  for (const PipelineEntry &pipeline : registry.pipelines())
    pipelines.push_back({registry.shownName(pipeline), pipeline.text});
  std::string out = "Passes:\n" + table(std::move(rows)) + "\nPipelines:\n" + table(std::move(pipelines));
  if (registry.backends().empty())
    return out;
  std::vector<Row> backends;
  for (const BackendPipeline &backend : registry.backends())
    backends.push_back({backend.name, summary(backend.doc)});
  return out + "\nBackends:\n" + table(std::move(backends));
}

std::string patterns(const Registry &registry) {
  std::vector<Row> rows;
  for (const PatternEntry &entry : registry.patterns.all())
    rows.push_back({registry.patterns.shownName(entry), summary(entry.info.doc)});
  return table(std::move(rows));
}

std::string ops(const Registry &registry) {
  std::vector<Row> rows;
  for (size_t kind = 2; kind < registry.ops.size(); ++kind) {
    const OpSchema &schema = registry.ops.schema(KindId{uint16_t(kind)});
    std::string name = schema.fullName();
    if (schema.since > 0 || schema.until != INT32_MAX)
      name += schema.until == INT32_MAX ? fmt::format("@{}..", schema.since) : fmt::format("@{}..{}", schema.since, schema.until);
    rows.push_back({name, summary(schema.doc)});
  }
  return table(std::move(rows));
}
} // namespace

std::string describeRegistry(const Registry &registry, const Options &options) {
  std::string out;
  if (options.listPasses)
    out += passes(registry);
  if (options.listPatterns)
    out += patterns(registry);
  if (options.listOps)
    out += ops(registry);
  return out;
}

} // namespace rw::opt
