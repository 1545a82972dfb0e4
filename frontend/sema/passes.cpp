// Passes and pipelines.
#include "frontend/sema/body.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

PatternIndex Checker::patternNamed(const ast::QualifiedName &name) {
  if (name.dialect) {
    error("undefined-pattern", name.range, "patterns belong to no dialect: write the name alone");
    return {};
  }
  if (auto it = patterns.find(name.name.text); it != patterns.end())
    return it->second;
  if (isDamaged(ast::DeclKind::Pattern, name.name.text))
    return {};
  for (const auto &[kind, damaged] : damaged_) // instances of a damaged template have names nobody knows
    if (kind == int(ast::DeclKind::Pattern) && damaged.find('{') != std::string::npos)
      return {};
  std::vector<std::string_view> candidates;
  for (const Pattern &pattern : module.patterns)
    candidates.push_back(pattern.name);
  Report report = error("undefined-pattern", name.range, fmt::format("no pattern named `{}`", name.name.text));
  sayInstances(report, name.name.text);
  std::string_view nearest = nearestName(name.name.text, candidates);
  if (!nearest.empty())
    report.fixIt(name.range, std::string(nearest))
        .note(module.pattern(patterns.lookup(nearest)).nameRange, fmt::format("`{}` is declared here", nearest));
  else
    sayWhatElse(report, name.name.text);
  return {};
}

void Checker::declarePass(Item &item) {
  item.index = uint32_t(module.passes.size());
  fill(module.passes.emplace_back(), *item.decl, item.imported);
  claim(passes, item.decl->name, item.index, "pass");
}

void Checker::declarePipeline(Item &item) {
  item.index = uint32_t(module.pipelines.size());
  fill(module.pipelines.emplace_back(), *item.decl, item.imported);
  pipelineUses_.emplace_back();
  if (auto pass = passes.find(item.decl->name.text); pass != passes.end())
    error("duplicate-name", item.decl->name.range, fmt::format("there already is a pass named `{}`", item.decl->name.text))
        .note(module.passes[pass->second.raw].nameRange, fmt::format("`{}` is declared here first", item.decl->name.text));
  claim(pipelines, item.decl->name, item.index, "pipeline");
}

void Checker::checkPass(Pass &pass, const ast::PassDecl &decl) {
  std::vector<std::pair<std::string, SourceRange>> seen;
  for (const ast::PassDecl::Member &member : decl.members) {
    Pass::Member out;
    std::string key = (member.label ? "label " : "") + member.name.spelling();
    auto before = std::find_if(seen.begin(), seen.end(), [&](auto &s) { return s.first == key; });
    if (before != seen.end()) {
      warning("duplicate-name", member.name.range, fmt::format("`{}` is in this pass already", member.name.spelling()))
          .note(before->second, "here");
      continue;
    }
    seen.emplace_back(key, member.name.range);
    if (member.label) {
      out.label = member.name.name.text;
      std::vector<std::string_view> labels;
      for (const Pattern &pattern : module.patterns)
        for (const std::string &label : pattern.labels)
          labels.push_back(label);
      for (const PatternInstance &instance : instances_)
        for (const ast::Name &label : instance.decl->labels)
          labels.push_back(label.text);
      if (std::find(labels.begin(), labels.end(), out.label) == labels.end())
        if (std::string_view nearest = nearestName(out.label, labels); !nearest.empty())
          warning("undefined-label", member.name.range,
                  fmt::format("no pattern here has the label \"{}\"; did you mean \"{}\"?", out.label, nearest));
      pass.members.push_back(std::move(out));
    } else if ((out.pattern = patternNamed(member.name))) {
      pass.members.push_back(std::move(out));
    }
  }
  if (decl.members.empty())
    error("no-action", decl.name.range, fmt::format("the pass `{}` has no pattern", pass.name));
  SourceRange given;
  for (const ast::Option &option : decl.options) {
    if (option.name.text != "max_iterations") {
      Report report =
          error("undefined-option", option.name.range, fmt::format("a pass has no option `{}`", option.name.text));
      report.note("its only option is max_iterations");
      suggest(report, option.name.range, option.name.text, {"max_iterations"});
      continue;
    }
    if (given)
      error("duplicate-name", option.range, "max_iterations is given twice").note(given, "here first");
    given = option.range;
    const auto *count = option.value->as<ast::IntExpr>();
    if (!count || count->value < 1 || count->value > 1'000'000)
      error("type-mismatch", option.value->range, "max_iterations is a number from 1 to 1000000");
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

void Checker::checkStages(const std::vector<ast::Stage> &stages, std::string &text, std::vector<PipelineIndex> &uses) {
  for (const ast::Stage &stage : stages) {
    if (&stage != &stages.front())
      text += ",";
    if (stage.repeat) {
      if (*stage.repeat < 1 || *stage.repeat > 1'000'000)
        error("bad-repeat", stage.repeatRange, "`repeat` takes a number from 1 to 1000000");
      text += fmt::format("repeat({}){{", *stage.repeat);
      checkStages(stage.stages, text, uses);
      text += "}";
      continue;
    }
    const std::string &name = stage.pass.name.text;
    if (stage.pass.dialect)
      error("undefined-pass", stage.pass.range, "passes belong to no dialect: write the name alone");
    text += name;
    bool external =
        std::find(options.externalPasses.begin(), options.externalPasses.end(), name) != options.externalPasses.end();
    if (auto it = pipelines.find(name); it != pipelines.end()) {
      uses.push_back(it->second);
    } else if (patterns.contains(name) && !passes.contains(name) && !external) {
      Report report = error("undefined-pass", stage.pass.range, fmt::format("no pass named `{}`", name));
      sayWhatElse(report, name);
    }
    else if (!external && !passes.contains(name) && !isDamaged(ast::DeclKind::Pass, name) &&
             !isDamaged(ast::DeclKind::Pipeline, name)) {
      // C++ passes and those of other files get their names at run time, so only what looks like a slip is reported.
      std::vector<std::string_view> candidates(options.externalPasses.begin(), options.externalPasses.end());
      for (const Pass &pass : module.passes)
        candidates.push_back(pass.name);
      for (const Pipeline &pipeline : module.pipelines)
        candidates.push_back(pipeline.name);
      if (std::string_view nearest = nearestName(name, candidates); !nearest.empty())
        warning("undefined-pass", stage.pass.range, fmt::format("no pass named `{}` is declared here", name))
            .fixIt(stage.pass.range, std::string(nearest))
            .note("a pass of another file, or one in C++, is looked up when the pipeline runs");
    }
    if (stage.options.empty())
      continue;
    text += "{";
    std::vector<std::string_view> given;
    for (const ast::Option &option : stage.options) {
      if (std::find(given.begin(), given.end(), option.name.text) != given.end())
        error("duplicate-name", option.name.range, fmt::format("the option `{}` is given twice", option.name.text));
      given.push_back(option.name.text);
      std::optional<std::string> value = optionText(*option.value);
      if (!value || value->find_first_of(",{}=\"\n") != std::string::npos) {
        error("type-mismatch", option.value->range,
              "an option is a number, a word, true, false, or a string of plain characters");
        continue;
      }
      text += fmt::format("{}{}={}", &option == &stage.options.front() ? "" : ",", dashed(option.name.text), *value);
    }
    text += "}";
  }
}

void Checker::checkPipeline(Pipeline &pipeline, const ast::PipelineDecl &decl) {
  uint32_t self = uint32_t(&pipeline - module.pipelines.data());
  checkStages(decl.stages, pipeline.text, pipelineUses_[self]);
  // Reported at the pipeline that closes the circle: all it uses were declared before it or are checked later.
  std::vector<uint32_t> open{self};
  std::vector<bool> seen(module.pipelines.size());
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (PipelineIndex use : pipelineUses_[at]) {
      if (use.raw == self) {
        error("recursive-pipeline", decl.name.range, fmt::format("the pipeline `{}` runs itself", pipeline.name));
        return;
      }
      if (!seen[use.raw]) {
        seen[use.raw] = true;
        open.push_back(use.raw);
      }
    }
  }
}

} // namespace rw::sema
