#include "rw/passes/pass.h"

#include "rw/passes/conversion.h"
#include "rw/passes/pattern_pass.h"
#include "rw/support/failure.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rw {
namespace {

/// Adds it unless it is there already: the same declaration, or one in C++ that says the same.
template <class Entry, class Same> void addOnce(std::vector<Entry> &entries, Entry entry, Same saysTheSame) {
  for (const Entry &e : entries)
    if (e.name == entry.name && e.space == entry.space && e.file == entry.file && e.line == entry.line &&
        saysTheSame(e, entry))
      return;
  entries.push_back(std::move(entry));
}

template <class Entry> std::vector<std::string_view> namesOf(const std::vector<Entry> &entries) {
  std::vector<std::string_view> names;
  for (const Entry &entry : entries)
    names.push_back(entry.name);
  return names;
}

/// For who asked, who knows where the name stands: mostly on a command line.
NameError report(std::string tag, std::string_view, std::string message) {
  return {std::move(tag), std::move(message)};
}

/// What rw-opt and tools like it run when nobody says what.
bool runsUnasked(std::string_view name) { return name == "default" || name == "onnx"; }

} // namespace

Registry::Scope::Scope(Registry &registry, std::string_view space, std::string_view file)
    : registry_(registry), space_(registry.space_), file_(registry.file_) {
  registry.enter(space, file);
}
Registry::Scope::~Scope() { registry_.enter(space_, file_); }

void Registry::enter(std::string_view space, std::string_view file) {
  space_ = space;
  file_ = file;
  patterns.setSpace(space);
}

void Registry::addPass(PassEntry entry) {
  if (entry.space.empty())
    entry.space = space_;
  addOnce(passes_, std::move(entry), [](const PassEntry &a, const PassEntry &b) {
    return a.make == b.make && a.patterns == b.patterns && a.labels == b.labels;
  });
}
void Registry::addPipeline(PipelineEntry entry) {
  if (entry.space.empty())
    entry.space = space_;
  addOnce(pipelines_, std::move(entry),
          [](const PipelineEntry &a, const PipelineEntry &b) { return a.text == b.text; });
}
void Registry::addTest(TestEntry test) {
  if (test.space.empty())
    test.space = space_;
  using Generated = bool (*)(PatternRewriter &, bool, InlineList<Value> &);
  // A generated one is there already if its library is registered twice.
  if (const Generated *generated = test.build.target<Generated>();
      generated && !generatedTests_.insert(*generated).second)
    return;
  tests_.push_back(std::move(test));
}

void Registry::addLowering(LoweringEntry entry) {
  for (const LoweringEntry &known : lowerings_)
    if (known.to == entry.to && known.op == entry.op && known.lower == entry.lower)
      return; // the same library again
  std::vector<std::string> names = entry.aliases;
  names.push_back(entry.op);
  for (const LoweringEntry &known : lowerings_)
    for (const std::string &name : names)
      if (known.to == entry.to && (known.op == name || std::ranges::count(known.aliases, name)))
        doubleLowerings_.push_back(name + "` to `" + entry.to);
  lowerings_.push_back(std::move(entry));
}

/// What other formats call a dialect, both ways: an op of a model has one meaning, and an op of the program one name.
static bool checkDomains(const OpRegistry &ops, Diagnostics &diags) {
  std::map<std::string_view, std::string_view> dialectOf, domainOf;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  bool good = true;
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const OpSchema &op = ops.schema(KindId{uint16_t(i)});
    if (op.domain.empty() || !seen.emplace(op.dialect, op.domain).second)
      continue;
    if ((op.domain == "ai.onnx") != (op.dialect == "onnx")) {
      diags
          .errorInFile("duplicate-domain", "registration",
                       fmt::format("ONNX's own ops, which models call `ai.onnx`, are those of the dialect `onnx`, so "
                                   "none would be `{}` of `{}`",
                                   op.fullName(), op.domain))
          .note("an op that is not of ONNX's own is of another dialect");
      good = false;
      continue;
    }
    std::string_view dialect = dialectOf.try_emplace(op.domain, op.dialect).first->second;
    std::string_view domain = domainOf.try_emplace(op.dialect, op.domain).first->second;
    if (dialect != op.dialect)
      diags
          .errorInFile("duplicate-domain", "registration",
                       fmt::format("other formats call the dialect `{}` `{}`, and the dialect of `{}`, too: no op of a "
                                   "model would be of that",
                                   dialect, op.domain, op.fullName()))
          .note(fmt::format("dialects of one name are one: write `dialect {} \"{}\";` in both files", dialect,
                            op.domain));
    if (domain != op.domain)
      diags
          .errorInFile("duplicate-domain", "registration",
                       fmt::format("other formats call the dialect `{}` both `{}` and, as that of `{}`, `{}`",
                                   op.dialect, domain, op.fullName(), op.domain))
          .note("a dialect has one name there: give one of the two another name here");
    good &= dialect == op.dialect && domain == op.domain;
  }
  return good;
}

bool Registry::check(Diagnostics &diags) const {
  for (const OpSchema *op : ops.refused())
    diags
        .errorInFile("duplicate-op", "registration",
                     fmt::format("there already is an op `{}` for some of these versions", op->fullName()))
        .note("two libraries declare it; one of them can `import` the file of the other");
  for (const auto &[file, why] : unreadable_)
    diags.errorInFile("unreadable-patterns", file, "the patterns that are embedded as data cannot be read: " + why)
        .note("build the library that has them again, with the rwc and the libraries of one version of rw");
  for (const std::string &name : doubleLowerings_)
    diags
        .errorInFile("duplicate-lowering", "registration",
                     fmt::format("there already is a lowering in C++ of `{}`", name))
        .note("one op has one of them; further ones are patterns, of which benefits say which is tried first");
  return checkDomains(ops, diags) && doubleLowerings_.empty() && ops.refused().empty() && unreadable_.empty();
}

PassOrPipeline Registry::stage(const NameRef &ref, const NameScope &scope) const {
  auto find = [&](const NameRef &wanted) {
    std::vector<Declared> all;
    std::vector<PassOrPipeline> stages;
    std::string_view name = shortName(wanted.name);
    for (const PassEntry &pass : passes_)
      if (pass.name == name)
        all.push_back(pass.declared()), stages.push_back({&pass, nullptr, ""});
    for (const PipelineEntry &pipeline : pipelines_)
      if (pipeline.name == name)
        all.push_back(pipeline.declared()), stages.push_back({nullptr, &pipeline, ""});
    std::vector<uint32_t> meant = findMeant(wanted, scope, all);
    if (meant.empty())
      return PassOrPipeline();
    bool pipelines = std::ranges::all_of(meant, [&](uint32_t i) { return stages[i].pipeline; });
    if (meant.size() == 1 || (pipelines && runsUnasked(wanted.name)))
      return stages[meant.back()];
    std::vector<Declared> candidates;
    for (uint32_t i : meant)
      candidates.push_back(all[i]);
    return PassOrPipeline{nullptr, nullptr,
                          describeClash(wanted.name, pipelines ? "pipelines" : "passes and pipelines", candidates)};
  };
  PassOrPipeline found = find(ref);
  if (found.pass || found.pipeline || !found.clash.empty())
    return found;
  // Names declared in .rw hold no `-`; in pipeline text `onnx-safe` is `onnx_safe`, too.
  NameRef spelled = ref;
  std::ranges::replace(spelled.name, '-', '_');
  return find(spelled);
}

std::string Registry::shownName(const Declared &declared) const {
  std::vector<Declared> others;
  for (const PassEntry &pass : passes_)
    if (pass.name == declared.name)
      others.push_back(pass.declared());
  for (const PipelineEntry &pipeline : pipelines_)
    if (pipeline.name == declared.name)
      others.push_back(pipeline.declared());
  return rw::shownName(declared, others);
}

Result<std::vector<const PatternEntry *>> Registry::patternsOf(const PassEntry &pass) const {
  std::vector<const PatternEntry *> out;
  for (const NameRef &name : pass.patterns) {
    std::vector<const PatternEntry *> meant = patterns.meant(name, {pass.space, pass.file});
    if (meant.size() == 1) {
      out.push_back(meant.front());
      continue;
    }
    std::vector<Declared> candidates;
    for (const PatternEntry *pattern : meant)
      candidates.push_back(pattern->info.declared());
    if (meant.empty())
      return failure("pass `{}` names the pattern `{}`, which is not registered", pass.name, name.name);
    return failure("in pass `{}` {}", pass.name, describeClash(name.name, "patterns", candidates));
  }
  auto labelled = [&](const PatternEntry &pattern) {
    return std::ranges::any_of(pass.labels, [&](const std::string &label) {
      return std::ranges::find(pattern.info.labels, label) != pattern.info.labels.end();
    });
  };
  size_t named = out.size();
  if (!pass.labels.empty())
    for (const PatternEntry &pattern : patterns.all())
      if (labelled(pattern) && std::find(out.begin(), out.begin() + named, &pattern) == out.begin() + named)
        out.push_back(&pattern);
  return out;
}

const PatternEntry *Registry::pattern(std::string_view name, NameError &error) const {
  std::vector<const PatternEntry *> meant = patterns.meant(name);
  if (meant.size() == 1)
    return meant.front();
  std::vector<Declared> candidates;
  for (const PatternEntry *pattern : meant)
    candidates.push_back(pattern->info.declared());
  if (!meant.empty()) {
    error = report("name-clash", "command line", describeClash(name, "patterns", candidates));
    return nullptr;
  }
  std::string_view near = nearestName(name, patternNames());
  error = report("unknown-pattern", "command line", fmt::format("no pattern is named `{}`{}", name, didYouMean(near)));
  return nullptr;
}

void Registry::addBackend(BackendPipeline backend) {
  auto same = std::ranges::find(backends_, backend.name, &BackendPipeline::name);
  if (same == backends_.end())
    backends_.push_back(std::move(backend));
  else
    *same = std::move(backend);
}
const BackendPipeline *Registry::backend(std::string_view name) const {
  auto it = std::ranges::find(backends_, name, &BackendPipeline::name);
  return it == backends_.end() ? nullptr : &*it;
}
std::vector<std::string_view> Registry::passNames() const { return namesOf(passes_); }
std::vector<std::string_view> Registry::pipelineNames() const { return namesOf(pipelines_); }

std::vector<std::string_view> Registry::backendNames() const { return namesOf(backends_); }

std::vector<std::string_view> Registry::patternNames() const {
  std::vector<std::string_view> names;
  for (const PatternEntry &entry : patterns.all())
    names.push_back(entry.info.name);
  return names;
}

MadePass Registry::makePass(const PassEntry &entry, const PassOptions &options) const {
  if (entry.conversion)
    return makeConversionPass(*this, entry, options);
  return entry.make ? entry.make(*this, options) : makePatternPass(*this, entry, options);
}

std::optional<NameError> checkFilter(const PatternFilter &filter, const Registry &registry) {
  std::vector<std::string_view> labels;
  for (const PatternEntry &entry : registry.patterns.all())
    for (std::string_view label : entry.info.labels)
      if (std::ranges::find(labels, label) == labels.end())
        labels.push_back(label);
  for (const std::vector<std::string> *names : {&filter.disabled, &filter.only})
    for (std::string_view name : *names) {
      bool label = name.starts_with(kLabelPrefix);
      std::string_view wanted = label ? name.substr(kLabelPrefix.size()) : name;
      NameError error;
      bool known = label ? std::ranges::any_of(labels, [&](std::string_view l) { return matchesGlob(wanted, l); })
                   : isGlob(name)
                       ? std::ranges::any_of(registry.patterns.all(),
                                             [&](const PatternEntry &p) { return isNamed(p.info.declared(), name); })
                       : registry.pattern(name, error) != nullptr;
      if (known)
        continue;
      if (!error.tag.empty())
        return error;
      std::string_view near = nearestName(wanted, label ? labels : registry.patternNames());
      return report("unknown-pattern", "command line",
                    fmt::format("no pattern is {} `{}`{}", label ? "labelled" : "named", wanted, didYouMean(near)));
    }
  return std::nullopt;
}

} // namespace rw
