#include "rw/passes/pass.h"

#include "rw/passes/pattern_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw {
namespace {

template <class Entry> const Entry *findByName(const std::vector<Entry> &entries, std::string_view name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

/// What had the name before, if anything.
template <class Entry> std::optional<Entry> addOrReplace(std::vector<Entry> &entries, Entry entry) {
  auto same = [&](const Entry &e) { return e.name == entry.name; };
  if (auto it = std::find_if(entries.begin(), entries.end(), same); it != entries.end())
    return std::exchange(*it, std::move(entry));
  entries.push_back(std::move(entry));
  return std::nullopt;
}

/// "algebra.rw:12"; empty for what is written in C++.
std::string placeOf(std::string_view file, unsigned line) {
  return file.empty() ? std::string() : fmt::format("{}:{}", file, line);
}

template <class Entry> std::vector<std::string_view> namesOf(const std::vector<Entry> &entries) {
  std::vector<std::string_view> names;
  for (const Entry &entry : entries)
    names.push_back(entry.name);
  return names;
}

} // namespace

void Registry::addPass(PassEntry entry) {
  std::string name = entry.name, now = placeOf(entry.file, entry.line);
  auto make = entry.make;
  auto old = addOrReplace(passes_, std::move(entry));
  if (old && (make ? old->make != make : placeOf(old->file, old->line) != now)) // not the same once more
    replaced_.push_back({"pass", name, placeOf(old->file, old->line), now});
}
void Registry::addPipeline(PipelineEntry entry) {
  std::string name = entry.name, text = entry.text, now = placeOf(entry.file, entry.line);
  if (auto old = addOrReplace(pipelines_, std::move(entry)); old && old->text != text && name != "default" && name != "onnx")
    replaced_.push_back({"pipeline", name, placeOf(old->file, old->line), now});
}

bool Registry::check(Diagnostics &diags) const {
  auto at = [](std::string_view file, unsigned line) { return file.empty() ? std::string("C++") : placeOf(file, line); };
  for (const auto &[entry, first] : patterns.clashes())
    diags.errorInFile("duplicate-pattern", at(entry->info.file, entry->info.line), fmt::format("there already is a pattern named `{}`", entry->info.name))
        .note(fmt::format("the first is declared in {}", at(first->info.file, first->info.line)))
        .note("passes, filters and reports know patterns by name: rename either");
  for (const OpSchema *op : ops.refused())
    diags.errorInFile("duplicate-op", "registration", fmt::format("there already is an op `{}` for some of these versions", op->fullName()))
        .note("two libraries declare it; one of them can `import` the file of the other");
  for (const Replaced &r : replaced_)
    diags.warningInFile("replaced-pass", r.now.empty() ? "C++" : r.now, fmt::format("this {0} takes the place of the {0} `{1}` in every pipeline that names it", r.what, r.name))
        .note(r.before.empty() ? "which is written in C++" : fmt::format("which is declared in {}", r.before))
        .note("if that is not meant, give it another name");
  return patterns.clashes().empty() && ops.refused().empty();
}

/// Names declared in .rw hold no `-`; in pipeline text `onnx-safe` is `onnx_safe`, too.
template <class Entry> static const Entry *findSpelled(const std::vector<Entry> &entries, std::string_view name) {
  if (const Entry *entry = findByName(entries, name))
    return entry;
  std::string spelled(name);
  std::ranges::replace(spelled, '-', '_');
  return findByName(entries, spelled);
}

const PassEntry *Registry::pass(std::string_view name) const { return findSpelled(passes_, name); }
const PipelineEntry *Registry::pipeline(std::string_view name) const { return findSpelled(pipelines_, name); }
void Registry::addBackend(BackendPipeline backend) { addOrReplace(backends_, std::move(backend)); }
const BackendPipeline *Registry::backend(std::string_view name) const { return findByName(backends_, name); }
std::vector<std::string_view> Registry::passNames() const { return namesOf(passes_); }
std::vector<std::string_view> Registry::pipelineNames() const { return namesOf(pipelines_); }

std::vector<std::string_view> Registry::backendNames() const { return namesOf(backends_); }

std::vector<std::string_view> Registry::patternNames() const {
  std::vector<std::string_view> names;
  for (const PatternEntry &entry : patterns.all())
    names.push_back(entry.info.name);
  return names;
}

std::unique_ptr<FunctionPass> Registry::makePass(const PassEntry &entry, const PassOptions &options,
                                                 std::string &error) const {
  return entry.make ? entry.make(*this, options, error) : makePatternPass(*this, entry, options, error);
}

bool checkFilter(const PatternFilter &filter, const Registry &registry, std::string &error) {
  std::vector<std::string_view> names = registry.patternNames(), labels;
  for (const PatternEntry &entry : registry.patterns.all())
    for (std::string_view label : entry.info.labels)
      if (std::find(labels.begin(), labels.end(), label) == labels.end())
        labels.push_back(label);
  for (const std::vector<std::string> *globs : {&filter.disabled, &filter.only})
    for (std::string_view glob : *globs) {
      bool label = glob.starts_with(kLabelPrefix);
      std::string_view wanted = label ? glob.substr(kLabelPrefix.size()) : glob;
      const std::vector<std::string_view> &known = label ? labels : names;
      if (std::any_of(known.begin(), known.end(), [&](std::string_view n) { return matchesGlob(wanted, n); }))
        continue;
      error = fmt::format("no pattern is {} `{}`", label ? "labelled" : "named", wanted);
      if (std::string_view near = nearestName(wanted, known); !near.empty())
        error += fmt::format("; did you mean `{}`?", near);
      return false;
    }
  return true;
}

} // namespace rw
