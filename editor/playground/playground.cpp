#include "editor/playground/playground.h"

#include "editor/playground/graph_data.h"
#include "editor/playground/rewriting.h"
#include "rw/opt/svg_drawing.h"
#include "rw/support/atomic_file.h"

#include <filesystem>
#include <set>

namespace rw::editor {

namespace fs = std::filesystem;

namespace {
constexpr auto kLongestRun = std::chrono::seconds(30);
constexpr unsigned kRunsOfAModel = 100; // what runs leave in a model's tables goes when it is read anew
constexpr size_t kModelsRead = 3;       // that are held in memory at once
constexpr size_t kMostDifference = 200'000, kMostListed = 1000;
constexpr unsigned kCheckedInputs = 2;

/// What a page may ask the language server.
const std::set<std::string> kMethods = {"textDocument/completion",     "textDocument/signatureHelp",
                                        "textDocument/hover",          "textDocument/definition",
                                        "textDocument/codeAction",     "textDocument/formatting",
                                        "textDocument/documentSymbol", "textDocument/documentHighlight",
                                        "textDocument/inlayHint",      "textDocument/semanticTokens/full",
                                        "textDocument/rename",         "textDocument/prepareRename",
                                        "completionItem/resolve"};

const Json &member(const Json &object, const char *name) {
  static const Json kNone;
  if (!object.is_object())
    throw Playground::WrongRequest{"a request is a JSON object"};
  auto it = object.find(name);
  return it == object.end() ? kNone : *it;
}

std::string textOf(const Json &request, const char *name, bool needed = false) {
  const Json &value = member(request, name);
  if (value.is_string())
    return value.get<std::string>();
  if (!value.is_null() || needed)
    throw Playground::WrongRequest{std::string("`") + name + "` is a text"};
  return {};
}

/// Diagnostics in one sentence or more, for people.
std::string messageOf(const Diagnostics &diags) {
  std::string out;
  for (const Diagnostic &d : diags.all()) {
    if (d.severity != Severity::Error)
      continue;
    out += (out.empty() ? "" : "\n") + d.message;
    for (const Diagnostic::Note &note : d.notes)
      out += "; " + note.message;
  }
  return out;
}

std::vector<std::string> warningsOf(const Diagnostics &diags) {
  std::vector<std::string> out;
  for (const Diagnostic &d : diags.all())
    if (d.severity == Severity::Warning)
      out.push_back(d.message);
  return out;
}
} // namespace

Playground::Playground(const Registry &registry, PlaygroundOptions options)
    : registry_(registry), options_(std::move(options)), quick_(registry, options_.builtinDir),
      slow_(registry, options_.builtinDir) {
  std::error_code error;
  path_ = fs::absolute(options_.file.empty() ? "playground.rw" : options_.file, error).lexically_normal().string();
  if (!options_.model.empty())
    models_.add(options_.model);
}
Playground::~Playground() = default;

Json Playground::state() {
  Json pipelines = Json::array(), model;
  for (const PipelineEntry &pipeline : registry_.pipelines())
    pipelines.push_back(registry_.shownName(pipeline));
  if (std::optional<Models::Entry> first = models_.find("1"); first && !first->own)
    model = {{"id", first->id}, {"name", first->name}};
  return {{"version", options_.version},
          {"text", options_.text},
          {"file", options_.file},
          {"path", path_},
          {"pipeline", options_.pipeline},
          {"pipelines", std::move(pipelines)},
          {"model", std::move(model)},
          {"mostBytes", Models::kMostBytes},
          {"legend", View::semanticTokensLegend()["tokenTypes"]}};
}

Json Playground::language(const Json &request) {
  const std::string text = textOf(request, "text", true);
  const Json &ask = member(request, "ask");
  if (!ask.is_null() && !ask.is_array())
    throw WrongRequest{"`ask` is a list of requests"};
  for (const Json &one : ask)
    if (!kMethods.contains(textOf(one, "method", true)))
      throw WrongRequest{"a page does not ask for `" + textOf(one, "method") + "`"};

  std::lock_guard lock(asking_);
  tellServer(text);
  while (server_->isChecking())
    server_->work();
  Json answers = Json::array();
  for (const Json &one : ask) {
    Json params = one.contains("params") && one["params"].is_object() ? one["params"] : Json::object();
    params["textDocument"] = {{"uri", uriOfPath(path_)}};
    answers.push_back(askServer(one["method"], std::move(params)));
  }
  return {{"diagnostics", diagnostics_}, {"answers", std::move(answers)}, {"uri", uriOfPath(path_)}};
}

/// The text as it is now.
void Playground::tellServer(const std::string &text) {
  const std::string uri = uriOfPath(path_);
  auto send = [&](const Json &message) { server_->take(message.dump(-1, ' ', false, Json::error_handler_t::replace)); };
  if (!server_) {
    server_ = std::make_unique<Server>(
        ProjectOptions{.importDirs = options_.importDirs, .builtinDir = options_.builtinDir},
        [this](const Json &message) {
          if (message.contains("id"))
            answers_[message["id"].is_number() ? message["id"].get<int>() : 0] = message;
          else if (message["method"] == "textDocument/publishDiagnostics")
            diagnostics_ = message["params"]["diagnostics"];
        },
        nullptr, std::make_unique<Proofs>(options_.prover));
    send({{"id", 0}, {"method", "initialize"}, {"params", {{"capabilities", Json::object()}}}});
    send({{"method", "textDocument/didOpen"},
          {"params", {{"textDocument", {{"uri", uri}, {"version", ++version_}, {"text", text}}}}}});
  } else if (text != known_) {
    send({{"method", "textDocument/didChange"},
          {"params",
           {{"textDocument", {{"uri", uri}, {"version", ++version_}}},
            {"contentChanges", Json::array({{{"text", text}}})}}}});
  }
  known_ = text;
}

Json Playground::askServer(const std::string &method, Json params) {
  answers_.clear();
  const int id = ++asked_;
  server_->take(Json{{"id", id}, {"method", method}, {"params", std::move(params)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
  const Json &answer = answers_[id];
  return answer.is_object() && answer.contains("result") ? answer["result"] : Json();
}

Json Playground::proofs(const Json &request) {
  const std::string text = textOf(request, "text", true), uri = uriOfPath(path_);
  std::lock_guard lock(asking_);
  tellServer(text);
  while (server_->isChecking())
    server_->work();
  for (int i = 0; i < 2 && server_->isProving(); ++i) // it is begun, and looked at
    server_->work();
  Json out = Json::array();
  const Json lenses = askServer("textDocument/codeLens", {{"textDocument", {{"uri", uri}}}});
  for (const Json &lens : lenses) {
    if (lens["command"]["command"] != "rw.showProof")
      continue;
    Json proof = askServer("workspace/executeCommand",
                           {{"command", "rw.showProof"}, {"arguments", lens["command"]["arguments"]}});
    if (!proof.is_object())
      continue;
    proof["line"] = lens["command"]["arguments"][1];
    proof["title"] = lens["command"]["title"];
    out.push_back(std::move(proof));
  }
  return {{"proofs", std::move(out)}, {"running", server_->isProving()}};
}

void Playground::stopAll() {
  for (Place *place : {&quick_, &slow_}) {
    std::lock_guard lock(place->asking);
    for (auto &[page, stop] : place->stops)
      *stop = true;
  }
}

/// Runs what a request says, unless the same page asks for something else meanwhile.
Json Playground::inPlace(Place &place, const Json &request,
                         const std::function<Json(Trial::Loaded &, Trial::Model *, Rewriting *)> &then) {
  const std::string text = textOf(request, "text", true), id = textOf(request, "model"), page = textOf(request, "page");
  RewritingOptions how{.pipeline = textOf(request, "pipeline"), .fastmath = member(request, "fastmath") == true};
  auto stop = std::make_shared<std::atomic<bool>>(false);
  {
    std::lock_guard lock(place.asking);
    if (place.stops.size() > 64) // pages that are long gone
      place.stops.clear();
    if (auto &latest = place.stops[page]; latest)
      *latest = true;
    place.stops[page] = stop;
  }
  std::lock_guard lock(place.running);
  const Json stopped = {{"stopped", true}};
  if (*stop || stopped_)
    return stopped;
  const std::unique_ptr<Trial::Loaded> loaded = place.trial.load(path_, text, options_.importDirs);
  if (!loaded->patterns)
    return {{"trouble", loaded->trouble}, {"wrongText", true}};
  if (id.empty())
    return then(*loaded, nullptr, nullptr);
  const std::optional<Models::Entry> entry = models_.find(id);
  if (!entry)
    return {{"trouble", "the model is not here any more; open it once more"}, {"noModel", true}};
  const bool isMany = !place.runs.contains(entry->path) && place.runs.size() >= kModelsRead;
  if (++place.runs[entry->path] > kRunsOfAModel || isMany) {
    for (const auto &[path, runs] : place.runs)
      place.trial.forget(path);
    place.runs = {{entry->path, 1}};
  }
  struct Forget { // what was read with this text's ops must not outlive them
    Trial &trial;
    const std::string path;
    bool due;
    ~Forget() {
      if (due)
        trial.forget(path);
    }
  } forget{place.trial, entry->path, loaded->knowsMoreOps};
  Trial::Model &model = place.trial.model(entry->path, *loaded);
  if (!model.file)
    return {{"trouble", model.trouble}, {"noModel", true}};
  how.stop = stop.get();
  how.deadline = std::chrono::steady_clock::now() + kLongestRun;
  SourceManager sources;
  Diagnostics diags(sources);
  Rewriting rewriting(*loaded, model, std::move(how));
  try {
    if (!rewriting.run(diags)) {
      Json out = then(*loaded, &model, nullptr);
      out["trouble"] = messageOf(diags);
      return out;
    }
    Json out = then(*loaded, &model, &rewriting);
    if (std::vector<std::string> warnings = warningsOf(diags); !warnings.empty())
      out["warnings"] = std::move(warnings);
    return out;
  } catch (const Stopped &) {
    if (*stop || stopped_)
      return stopped;
    return {{"trouble", "the run was stopped after 30 seconds; rw-opt runs as long as it takes"}};
  }
}

static Json testsOf(const Trial::Outcome &outcome) {
  Json out = Json::array();
  for (const Trial::Test &test : outcome.tests)
    out.push_back({{"name", test.name}, {"line", test.line}, {"why", test.why}});
  return out;
}

static Json patternsOf(const Trial::Outcome &outcome) {
  Json out = Json::array();
  for (const Trial::Pattern &pattern : outcome.patterns) {
    Json misses = Json::array();
    for (const opt::NearMiss &miss : pattern.firing.misses)
      misses.push_back(
          {{"condition", miss.condition}, {"line", miss.line}, {"count", miss.count}, {"example", miss.example}});
    out.push_back({{"name", pattern.name},
                   {"line", pattern.line},
                   {"matches", pattern.firing.matches},
                   {"examples", pattern.firing.examples},
                   {"misses", std::move(misses)},
                   {"notTried", pattern.firing.notTried}});
  }
  return out;
}

Json Playground::describeRun(const Trial::Loaded &loaded, Trial::Model *model, Rewriting *rewriting,
                             const std::string &name) {
  Trial::Outcome outcome;
  Trial::runTests(loaded, outcome);
  if (model)
    Trial::findMatches(loaded, *model, outcome);
  Json out{{"tests", testsOf(outcome)}, {"patterns", patternsOf(outcome)}};
  if (model && !rewriting)
    out["graphs"] = {{"before", graphData(model->file->program(), model->file->program())}};
  if (!rewriting)
    return out;
  Json rewrites = Json::array();
  for (const opt::RecordedRewrite &r : rewriting->rewrites()) {
    if (rewrites.size() == kMostListed)
      break;
    Json one{{"pattern", r.pattern}, {"line", r.line}, {"root", r.root}, {"pass", r.pass}};
    if (r.drawn) {
      one["before"] = opt::drawSvg(r.before, "before");
      one["after"] = r.after.nodes.empty() ? "" : opt::drawSvg(r.after, "after");
    }
    rewrites.push_back(std::move(one));
  }
  out["rewritesInAll"] = rewriting->rewrites().size() + rewriting->rewritesNotListed();
  out["rewrites"] = std::move(rewrites);
  out["statistics"] = Json::parse(rewriting->statistics(name));
  out["graphs"] = {{"before", graphData(rewriting->before(), rewriting->after())},
                   {"after", graphData(rewriting->after(), rewriting->before())}};
  return out;
}

Json Playground::run(const Json &request) {
  return inPlace(quick_, request, [&](Trial::Loaded &loaded, Trial::Model *model, Rewriting *rewriting) {
    const std::optional<Models::Entry> entry = models_.find(textOf(request, "model"));
    return describeRun(loaded, model, rewriting, entry ? entry->name : "");
  });
}

Json Playground::facts(const Json &request) {
  return inPlace(slow_, request, [&](Trial::Loaded &, Trial::Model *, Rewriting *rewriting) {
    Json out = Json::object();
    if (!rewriting)
      return out;
    const std::optional<Models::Entry> entry = models_.find(textOf(request, "model"));
    std::error_code error;
    if (const uintmax_t size = entry ? fs::file_size(entry->path, error) : 0; entry && !error)
      out["bytes"]["before"] = size;
    SourceManager sources;
    Diagnostics diags(sources);
    if (std::string bytes; rewriting->bytes(bytes, diags))
      out["bytes"]["after"] = bytes.size();
    else
      out["unwritten"] = messageOf(diags);
    out["difference"] = rewriting->difference(kMostDifference);
    bool differs = false;
    const std::vector<std::string> lines = rewriting->check(kCheckedInputs, differs);
    out["check"] = {{"differs", differs}, {"lines", lines}};
    return out;
  });
}

std::string Playground::result(const Json &request, std::string &name, std::string &trouble) {
  std::string bytes;
  const Json outcome = inPlace(slow_, request, [&](Trial::Loaded &, Trial::Model *, Rewriting *rewriting) {
    if (!rewriting)
      return Json::object();
    SourceManager sources;
    Diagnostics diags(sources);
    if (!rewriting->bytes(bytes, diags)) {
      bytes.clear();
      return Json{{"trouble", messageOf(diags)}};
    }
    const std::optional<Models::Entry> entry = models_.find(textOf(request, "model"));
    name = fs::path(entry ? entry->name : "model").stem().string() + ".rewritten." + std::string(rewriting->format());
    return Json::object();
  });
  if (outcome.contains("trouble"))
    trouble = outcome["trouble"];
  else if (bytes.empty())
    trouble = outcome.contains("stopped") ? "another request of this page came first" : "there is no model";
  return bytes;
}

Json Playground::save(const Json &request) {
  const std::string text = textOf(request, "text", true);
  if (options_.file.empty())
    return {{"trouble", "the page was started without a file: rw-opt --serve --patterns FILE.rw"}};
  if (Result<void> written = writeFile(options_.file, text); !written)
    return {{"trouble", options_.file + " cannot be written: " + written.error()}};
  return {{"file", options_.file}};
}

Json Playground::addModel(const std::string &name, const ReadBytes &read) {
  std::string trouble;
  const std::string id = models_.add(name, read, trouble);
  if (id.empty())
    return {{"trouble", trouble}};
  const std::optional<Models::Entry> entry = models_.find(id);
  return {{"id", id}, {"name", entry ? entry->name : name}};
}

} // namespace rw::editor
