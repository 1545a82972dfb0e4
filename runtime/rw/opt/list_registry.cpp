#include "rw/opt/list_registry.h"

#include "rw/rewrite/greedy_driver.h"

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
  for (const PatternEntry &entry : registry.patterns.all()) {
    std::string text = summary(entry.info.doc);
    if (FastMath taken = entry.info.fastmath)
      text += fmt::format("{}[fastmath{}]", text.empty() ? "" : " ", taken.all() ? "" : ": " + taken.list());
    rows.push_back({registry.patterns.shownName(entry), std::move(text)});
  }
  return table(std::move(rows));
}

std::string_view suffix(Arity arity) { return arity == Arity::Optional ? "?" : arity == Arity::Variadic ? "..." : ""; }

/// "(x: tensor, bias: tensor?) -> tensor {axis, mode?}": attributes that may be left out with a `?`.
std::string signature(const OpSchema &schema) {
  std::string out = "(";
  for (const OperandSchema &operand : schema.operands)
    out += fmt::format("{}{}: tensor{}", &operand == schema.operands.data() ? "" : ", ", operand.name,
                       suffix(operand.arity));
  out += ") -> ";
  bool plain = schema.results.size() == 1 && schema.results[0].name.empty();
  out += plain ? "" : "(";
  for (const ResultSchema &result : schema.results)
    out += fmt::format("{}{}{}tensor{}", &result == schema.results.data() ? "" : ", ", result.name,
                       result.name.empty() ? "" : ": ", suffix(result.arity));
  out += plain ? "" : ")";
  std::string attrs;
  for (const AttrSchema &attr : schema.attrs)
    attrs += fmt::format("{}{}{}", attrs.empty() ? "" : ", ", attr.name, attr.required ? "" : "?");
  return attrs.empty() ? out : fmt::format("{} {{{}}}", out, attrs);
}

/// Those whose full or short name is such.
std::string ops(const Registry &registry, std::string_view glob) {
  std::vector<Row> rows;
  for (size_t kind = 2; kind < registry.ops.size(); ++kind) {
    const OpSchema &schema = registry.ops.schema(KindId{uint16_t(kind)});
    std::string name = schema.fullName();
    if (!matchesGlob(glob, name) && !matchesGlob(glob, schema.name))
      continue;
    if (schema.since > 0 || schema.until != INT32_MAX)
      name += schema.until == INT32_MAX ? fmt::format("@{}..", schema.since)
                                        : fmt::format("@{}..{}", schema.since, schema.until);
    std::string text = signature(schema), doc = summary(schema.doc);
    if (!schema.file.empty())
      text += fmt::format("  {}", schema.file);
    rows.push_back({name, text + (doc.empty() ? "" : "  " + doc)});
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
  if (!options.listOps.empty())
    out += ops(registry, options.listOps);
  return out;
}

} // namespace rw::opt
