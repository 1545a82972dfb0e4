#include "frontend/check/passes.h"

#include "frontend/check/declare.h"
#include "frontend/check/deferred.h"
#include "frontend/check/missing_imports.h"
#include "frontend/check/templates.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/visible_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace rw::sema {

/// "layout/transpose.rw" is written `transpose` in front of what it declares.
static std::string stemOf(const std::string &path) { return std::filesystem::path(path).stem().string(); }

PatternIndex patternNamed(CheckContext &c, const ast::QualifiedName &name) {
  if (name.dialect) {
    c.error("undefined-pattern", name.range, "patterns belong to no dialect: write the name alone");
    return {};
  }
  size_t scope = name.name.text.rfind("::");
  std::string text = scope == std::string::npos ? name.name.text : name.name.text.substr(scope + 2);
  auto fileOf = [&](PatternIndex index) {
    auto file = std::ranges::find(c.module.files, c.declOf(index).file, &File::id);
    return file == c.module.files.end() ? std::string() : stemOf(file->path);
  };
  llvm::SmallVector<PatternIndex, 1> found;
  if (scope == std::string::npos) {
    found = meantBy(c, c.patterns, text, c.sources.fileOf(name.range.begin));
  } else if (auto it = c.patterns.find(text); it != c.patterns.end()) {
    for (PatternIndex index : it->second)
      if (fileOf(index) == name.name.text.substr(0, scope))
        found.push_back(index);
  }
  if (found.size() == 1) {
    if (!c.imported) // a pass that the file declares runs it
      want(c, found.front());
    return found.front();
  }
  if (found.size() > 1) {
    Report report = c.error("ambiguous-name", name.range,
                            fmt::format("`{}` is a pattern of several imported files", name.name.text));
    for (PatternIndex index : found)
      report.note(c.declOf(index).nameRange, scope == std::string::npos
                                                 ? fmt::format("write `{}::{}` for this one", fileOf(index), text)
                                                 : "this one");
    return {};
  }
  if (isDamaged(c, ast::DeclKind::Pattern, text))
    return {};
  for (const auto &[kind, damaged] : c.damaged) // instances of a damaged template have names nobody knows
    if (kind == int(ast::DeclKind::Pattern) && damaged.find('{') != std::string::npos)
      return {};
  Report report = c.error("undefined-pattern", name.range, fmt::format("no pattern named `{}`", name.name.text));
  if (scope != std::string::npos) {
    report.note("in front of `::` stands the name of an imported file, without `.rw`");
    if (auto it = c.patterns.find(text); it != c.patterns.end())
      for (PatternIndex index : it->second)
        report.note(c.declOf(index).nameRange, fmt::format("this is `{}::{}`", fileOf(index), text));
    return {};
  }
  std::vector<std::string_view> candidates;
  for (const Pattern &pattern : c.module.patterns)
    if (!pattern.meaningOf)
      candidates.push_back(pattern.name);
  sayInstances(c, report, text);
  std::string_view nearest = c.nearestHint(text, candidates);
  if (std::string_view instance = instanceMeant(c, text); !instance.empty())
    nearest = instance;
  if (!nearest.empty())
    report.fixIt(name.range, std::string(nearest))
        .note(c.declOf(c.patterns.lookup(nearest).front()).nameRange, fmt::format("`{}` is declared here", nearest));
  else
    sayWhatElse(c, report, text);
  return {};
}

void declarePass(CheckContext &c, DeclItem &item) {
  item.index = uint32_t(c.module.passes.size());
  fillDecl(c, c.module.passes.emplace_back(), *item.decl, item.imported);
  reportWordAsName(c, item.decl->name, "pass", {"label", "pass", "pattern", "pipeline"});
  claim(c, c.passes, item.decl->name, item.index, "pass");
}

void declarePipeline(CheckContext &c, DeclItem &item) {
  item.index = uint32_t(c.module.pipelines.size());
  fillDecl(c, c.module.pipelines.emplace_back(), *item.decl, item.imported);
  c.pipelineUses.emplace_back();
  reportWordAsName(c, item.decl->name, "pipeline", {"label", "pass", "pattern", "pipeline", "repeat"});
  for (PassIndex pass : c.passes.lookup(item.decl->name.text))
    if (c.declOf(pass).file == c.sources.fileOf(item.decl->name.range.begin))
      c.error("duplicate-name", item.decl->name.range,
              fmt::format("there already is a pass named `{}`", item.decl->name.text))
          .note(c.declOf(pass).nameRange, fmt::format("`{}` is declared here first", item.decl->name.text));
  claim(c, c.pipelines, item.decl->name, item.index, "pipeline");
}

void checkPassMember(CheckContext &c, const ast::PassDecl::Member &member, Pass &pass,
                     llvm::StringMap<SourceRange> &seen, std::string_view what) {
  Pass::Member out;
  auto [before, isNew] = seen.try_emplace((member.label ? "label " : "") + member.name.spelling(), member.name.range);
  if (!isNew) {
    c.warning("duplicate-name", member.name.range,
              fmt::format("`{}` is in this {} already", member.name.spelling(), what))
        .note(before->second, "here");
    return;
  }
  if (!member.label) {
    if ((out.pattern = patternNamed(c, member.name)))
      pass.members.push_back(std::move(out));
    return;
  }
  out.label = member.name.name.text;
  auto has = [&](const auto &labels) { return std::ranges::find(labels, out.label) != labels.end(); };
  auto bears = [&](const PatternInstance &instance) {
    return std::ranges::any_of(instance.decl->labels, [&](const ast::Name &label) { return label.text == out.label; });
  };
  if (!has(c.options.externalLabels) &&
      std::ranges::none_of(c.module.patterns, [&](const Pattern &p) { return has(p.labels); }) &&
      std::ranges::none_of(c.instances, bears) && !isInLibrary(c, "label", out.label)) {
    std::vector<std::string_view> labels(c.options.externalLabels.begin(), c.options.externalLabels.end());
    for (const Pattern &pattern : c.module.patterns)
      labels.insert(labels.end(), pattern.labels.begin(), pattern.labels.end());
    for (const PatternInstance &instance : c.instances)
      for (const ast::Name &label : instance.decl->labels)
        labels.push_back(label.text);
    std::string_view nearest = c.nearestHint(out.label, labels);
    Report report =
        c.warning("undefined-label", member.name.range,
                  nearest.empty()
                      ? fmt::format("no pattern of this file and its imports has the label \"{}\"", out.label)
                      : fmt::format("no pattern here has the label \"{}\"; did you mean \"{}\"?", out.label, nearest));
    if (!nearest.empty())
      report.fixIt(member.name.range, fmt::format("\"{}\"", nearest));
    else
      report.note(fmt::format(
          "a pattern gets it by `pattern P label \"{}\" {{ ... }}`; import the file if another one declares it",
          out.label));
  }
  pass.members.push_back(std::move(out));
}

void checkPass(CheckContext &c, Pass &pass, const ast::PassDecl &decl) {
  llvm::StringMap<SourceRange> seen;
  for (const ast::PassDecl::Member &member : decl.members)
    checkPassMember(c, member, pass, seen, "pass");
  if (decl.members.empty())
    c.error("no-action", decl.name.range, fmt::format("the pass `{}` has no pattern", pass.name))
        .note(fmt::format("as in `pass {} {{ A, B; }}` or `pass {} = label \"mine\";`", pass.name, pass.name));
  SourceRange given;
  for (const ast::Option &option : decl.options) {
    if (option.name.text != "max_iterations") {
      Report report =
          c.error("undefined-option", option.name.range, fmt::format("a pass has no option `{}`", option.name.text));
      report.note("its only option is max_iterations");
      if (option.name.text == "fastmath")
        report.note(fmt::format("what is allowed is said where the pass runs, `pipeline p = {}{{fastmath = "
                                "\"reassoc\"}};`, or by `rw-opt --fastmath`",
                                pass.name));
      suggest(c, report, option.name.range, option.name.text, {"max_iterations"});
      continue;
    }
    if (given)
      c.error("duplicate-name", option.range, "max_iterations is given twice").note(given, "here first");
    given = option.range;
    const auto *count = option.value->as<ast::IntExpr>();
    if (!count || count->value < 1 || count->value > 1'000'000)
      c.error("type-mismatch", option.value->range, "max_iterations is a number from 1 to 1000000")
          .note("as in `max_iterations = 10;`");
    else
      pass.maxIterations = count->value;
  }
}

static std::string dashed(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

static std::optional<std::string> optionText(const ast::Expr &value) {
  switch (value.kind) {
  case ast::ExprKind::Int:
    return std::to_string(value.get<ast::IntExpr>().value);
  case ast::ExprKind::Float:
    return fmt::format("{}", value.get<ast::FloatExpr>().value);
  case ast::ExprKind::Bool:
    return value.get<ast::BoolExpr>().value ? "true" : "false";
  case ast::ExprKind::String:
    return value.get<ast::StringExpr>().value;
  case ast::ExprKind::Name:
    return value.get<ast::NameExpr>().name.text;
  default:
    return std::nullopt;
  }
}

/// An option for a pass made of patterns, which are the ones that files declare.
static void checkOption(CheckContext &c, const ast::Option &option) {
  const std::string &name = option.name.text;
  static const std::vector<std::string_view> kNumbers = {"max_iterations", "max_rewrites", "max_growth"},
                                             kSwitches = {"fold", "dce"};
  if (std::ranges::find(kNumbers, name) != kNumbers.end()) {
    if (const auto *number = option.value->as<ast::IntExpr>(); !number || number->value < 0)
      c.error("type-mismatch", option.value->range, fmt::format("`{}` is a number", name))
          .note(fmt::format("as in `{} = 10`", name));
  } else if (name == "fastmath") {
    std::optional<std::string> text = optionText(*option.value);
    std::string unknown;
    bool fits = text && !text->empty() && option.value->kind != ast::ExprKind::Int &&
                option.value->kind != ast::ExprKind::Float;
    if (!fits) {
      c.error("type-mismatch", option.value->range,
              "`fastmath` is true, false or a list of freedoms: \"reassoc,contract\"");
    } else if (!FastMath::read(*text, unknown)) {
      Report report = c.error("unknown-freedom", option.value->range,
                              fmt::format("`{}` is no freedom that a pattern can take", unknown));
      std::string_view near = c.nearestHint(unknown, {std::begin(FastMath::kNames), std::end(FastMath::kNames)});
      report.note(near.empty() ? fmt::format("freedoms are {}", FastMath(true).list())
                               : fmt::format("did you mean `{}`?", near));
    }
  } else if (std::ranges::find(kSwitches, name) != kSwitches.end()) {
    if (option.value->kind != ast::ExprKind::Bool)
      c.error("type-mismatch", option.value->range, fmt::format("`{}` is true or false", name))
          .note(fmt::format("as in `{} = true`", name));
  } else if (name == "order") {
    if (std::optional<std::string> order = optionText(*option.value); order != "bottom-up" && order != "top-down")
      c.error("type-mismatch", option.value->range, "`order` is \"bottom-up\" or \"top-down\"")
          .note("as in `order = \"top-down\"`");
  } else {
    Report report = c.error("undefined-option", option.name.range, fmt::format("a pass has no option `{}`", name));
    report.note(
        "in a pipeline its options are max_iterations, max_rewrites, max_growth, order, fold, dce and fastmath");
    suggest(c, report, option.name.range, name,
            {"max_iterations", "max_rewrites", "max_growth", "order", "fold", "dce", "fastmath"});
  }
}

/// Whether the file or its imports declare the pass or pipeline: then it is what the stage means, whatever others are
/// called so.
static bool checkDeclaredStage(CheckContext &c, const ast::QualifiedName &name, Pipeline &pipeline,
                               std::vector<PipelineIndex> &uses) {
  FileId file = c.sources.fileOf(name.range.begin);
  std::vector<Pipeline::Import> found;
  auto isOwn = [&](const Pipeline::Import &i) {
    return (i.pass ? c.declOf(i.pass) : c.declOf(i.pipeline)).file == file;
  };
  for (PassIndex pass : meantBy(c, c.passes, name.name.text, file))
    found.push_back({pass, {}});
  for (PipelineIndex other : meantBy(c, c.pipelines, name.name.text, file))
    found.push_back({{}, other});
  if (auto own = std::ranges::find_if(found, isOwn); own != found.end())
    found = {*own};
  if (found.empty())
    return false;
  if (found.size() > 1) {
    Report report = c.error("ambiguous-name", name.range,
                            fmt::format("`{}` is a pass or pipeline of several imported files", name.name.text));
    for (const Pipeline::Import &i : found) {
      const Decl &decl = i.pass ? c.declOf(i.pass) : c.declOf(i.pipeline);
      auto declared = std::ranges::find(c.module.files, decl.file, &File::id);
      report.note(decl.nameRange, fmt::format("write `{}::{}` for this one", stemOf(declared->path), decl.name));
    }
    return true;
  }
  if (found.front().pipeline)
    uses.push_back(found.front().pipeline);
  auto same = [&](const Pipeline::Import &i) {
    return i.pass == found.front().pass && i.pipeline == found.front().pipeline;
  };
  if (!isOwn(found.front()) && std::ranges::none_of(pipeline.imports, same))
    pipeline.imports.push_back(found.front());
  return true;
}

static void checkStages(CheckContext &c, const std::vector<ast::Stage> &stages, Pipeline &pipeline,
                        std::vector<PipelineIndex> &uses) {
  std::string &text = pipeline.text;
  for (const ast::Stage &stage : stages) {
    if (&stage != &stages.front())
      text += ",";
    if (stage.repeat) {
      if (*stage.repeat < 1 || *stage.repeat > 1'000'000)
        c.error("bad-repeat", stage.repeatRange, "`repeat` takes a number from 1 to 1000000")
            .note("as in `repeat(4) { canonicalize, cse, dce }`");
      text += fmt::format("repeat({}){{", *stage.repeat);
      checkStages(c, stage.stages, pipeline, uses);
      text += "}";
      continue;
    }
    const std::string &name = stage.pass.name.text;
    if (stage.pass.dialect)
      c.error("undefined-pass", stage.pass.range, "passes belong to no dialect: write the name alone");
    text += name;
    bool external = std::find(c.options.externalPasses.begin(), c.options.externalPasses.end(), name) !=
                    c.options.externalPasses.end();
    if (name.find("::") != std::string::npos || checkDeclaredStage(c, stage.pass, pipeline, uses)) {
      // A qualified name is looked up when the pipeline runs: namespaces are known then.
    } else if (c.patterns.contains(name) && !external) {
      Report report = c.error("undefined-pass", stage.pass.range, fmt::format("no pass named `{}`", name));
      sayWhatElse(c, report, name);
    } else if (!external && !isDamaged(c, ast::DeclKind::Pass, name) && !isDamaged(c, ast::DeclKind::Pipeline, name) &&
               !isInLibrary(c, "pass", name, true)) {
      // Other files may declare it, imported or not, those in the import folders are looked through; or it is in C++.
      std::vector<std::string_view> candidates(c.options.externalPasses.begin(), c.options.externalPasses.end());
      for (const Pass &pass : c.module.passes)
        candidates.push_back(pass.name);
      for (const Pipeline &pipeline : c.module.pipelines)
        candidates.push_back(pipeline.name);
      Report report =
          c.warning("undefined-pass", stage.pass.range, fmt::format("no pass named `{}` is declared here", name));
      if (std::string_view nearest = c.nearestHint(name, candidates); !nearest.empty())
        report.fixIt(stage.pass.range, std::string(nearest));
      report.note("a pass of another file is known if that is imported; one in C++ is looked up when the pipeline "
                  "runs, by the name that its "
                  "namespace qualifies: `my::passes::" +
                  name + "`");
    }
    if (stage.options.empty())
      continue;
    text += "{";
    std::vector<std::string_view> given;
    for (const ast::Option &option : stage.options) {
      if (std::find(given.begin(), given.end(), option.name.text) != given.end())
        c.error("duplicate-name", option.name.range, fmt::format("the option `{}` is given twice", option.name.text))
            .note("leave one of the two out");
      given.push_back(option.name.text);
      if (!meantBy(c, c.passes, name, c.sources.fileOf(stage.pass.range.begin)).empty())
        checkOption(c, option);
      std::optional<std::string> value = optionText(*option.value);
      if (!value || value->find_first_of("{}=\"\n") != std::string::npos) {
        c.error("type-mismatch", option.value->range,
                "an option is a number, a word, true, false, or a string of plain characters");
        continue;
      }
      text += fmt::format("{}{}={}", &option == &stage.options.front() ? "" : ",", dashed(option.name.text),
                          value->find(',') == std::string::npos ? *value : '"' + *value + '"');
    }
    text += "}";
  }
}

void checkPipeline(CheckContext &c, Pipeline &pipeline, const ast::PipelineDecl &decl) {
  uint32_t self = uint32_t(&pipeline - c.module.pipelines.data());
  checkStages(c, decl.stages, pipeline, c.pipelineUses[self]);
  // Reported at the pipeline that closes the circle: all it uses were declared before it or are checked later.
  std::vector<uint32_t> open{self};
  std::vector<bool> seen(c.module.pipelines.size());
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (PipelineIndex use : c.pipelineUses[at]) {
      if (use.raw == self) {
        Report report =
            c.error("recursive-pipeline", decl.name.range, fmt::format("the pipeline `{}` runs itself", pipeline.name));
        if (at == self)
          report.note(fmt::format(
              "if another one of this name is meant, write its namespace in front: `rw::builtin::{}`", pipeline.name));
        return;
      }
      if (!seen[use.raw]) {
        seen[use.raw] = true;
        open.push_back(use.raw);
      }
    }
  }
}

void reportUnnamed(CheckContext &c) {
  auto own = [](const Decl &decl) { return !decl.imported; };
  if (std::ranges::none_of(c.module.passes, own) && std::ranges::none_of(c.module.pipelines, own))
    return;
  std::vector<bool> named(c.module.patterns.size());
  for (const Pass &pass : c.module.passes)
    for (const Pass::Member &member : pass.members)
      if (member.pattern)
        named[member.pattern.raw] = true;
  for (const Op &op : c.module.ops)
    for (PatternIndex pattern : op.canonicalize)
      named[pattern.raw] = true;
  for (size_t i = 0; i < c.module.patterns.size(); ++i) {
    const Pattern &pattern = c.module.patterns[i];
    if (named[i] || pattern.imported || pattern.meaningOf || !pattern.labels.empty())
      continue;
    c.warning("unnamed-pattern", pattern.nameRange,
              fmt::format("no pass names the pattern `{}`, so no pipeline runs it", pattern.name))
        .note(fmt::format("name it in a pass, `pass p {{ {0}; }}`, or give it a label that a pass runs", pattern.name))
        .note(fmt::format("`rw-opt --only-pattern {}` runs it alone", pattern.name));
  }
}

} // namespace rw::sema
