#include "editor/server/server.h"

#include "frontend/format/format.h"
#include "frontend/parse/parse.h"
#include "rw/support/utf8.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace rw::editor {

namespace fs = std::filesystem;

namespace {
// As JSON-RPC and the protocol number errors.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kInternalError = -32603, kNotInitialized = -32002, kRequestFailed = -32803;
constexpr size_t kMaxFiles = 2000;

const Json &member(const Json &object, const char *name) {
  static const Json kNone;
  if (!object.is_object())
    return kNone;
  auto it = object.find(name);
  return it == object.end() ? kNone : *it;
}
std::string textOf(const Json &object, const char *name) {
  const Json &value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}
uint32_t countOf(const Json &object, const char *name) {
  const Json &value = member(object, name);
  if (!value.is_number())
    return 0;
  const double number = value.get<double>();
  return number <= 0 ? 0 : number >= 4e9 ? 4'000'000'000u : uint32_t(number);
}
} // namespace

Server::Server(ProjectOptions options, std::function<void(const Json &)> send, std::unique_ptr<Trial> trial,
               std::unique_ptr<Proofs> proofs)
    : send_(std::move(send)), base_(options), project_(std::move(options)), trial_(std::move(trial)),
      proofs_(std::move(proofs)) {}
Server::~Server() = default;

void Server::answer(const Json &id, Json result) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}
void Server::refuse(const Json &id, const Error &error) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", error.code}, {"message", error.message}}}});
}
void Server::notify(std::string_view method, Json params) {
  send_({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}
void Server::malformed() {
  refuse(nullptr, {kParseError, "a message begins with `Content-Length: N` and an empty line"});
}

void Server::take(std::string_view text) {
  const Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded())
    return refuse(nullptr, {kParseError, "the message is not JSON"});
  const Json &id = member(message, "id");
  const bool isRequest = id.is_number() || id.is_string();
  if (!message.is_object() || !member(message, "method").is_string()) {
    if (message.is_object() && (message.contains("result") || message.contains("error")))
      return; // an answer of the client's
    return refuse(isRequest ? id : Json(), {kInvalidRequest, "a message is an object with a `method`"});
  }
  const std::string method = message["method"];
  const Json &params = member(message, "params");
  try {
    if (!isRequest) {
      if (initialized_ || method == "exit")
        notification(method, params);
      return;
    }
    if (stopped_)
      throw Error{kInvalidRequest, "the server was told to shut down"};
    if (!initialized_ && method != "initialize")
      throw Error{kNotInitialized, "`initialize` comes first"};
    answer(id, request(method, params));
  } catch (const Error &error) {
    if (isRequest)
      refuse(id, error);
  } catch (const std::exception &error) { // a fault of the server's: the client goes on
    if (isRequest)
      refuse(id, {kInternalError, std::string("internal error: ") + error.what()});
  }
}

Json Server::initialize(const Json &params) {
  if (initialized_)
    throw Error{kInvalidRequest, "`initialize` comes once"};
  initialized_ = true;
  const Json &capabilities = member(params, "capabilities");
  for (const Json &encoding : member(member(capabilities, "general"), "positionEncodings"))
    if (encoding == "utf-8")
      encoding_ = Encoding::Utf8;
  const Json &item = member(member(member(capabilities, "textDocument"), "completion"), "completionItem");
  snippets_ = member(item, "snippetSupport") == true;
  refreshesLenses_ = member(member(member(capabilities, "workspace"), "codeLens"), "refreshSupport") == true;
  for (const Json &folder : member(params, "workspaceFolders"))
    if (std::string uri = textOf(folder, "uri"); !uri.empty())
      folders_.push_back(pathOfUri(uri));
  if (folders_.empty())
    if (std::string uri = textOf(params, "rootUri"); !uri.empty())
      folders_.push_back(pathOfUri(uri));
  configure(member(params, "initializationOptions"));
  Json provides{
      {"positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"completionProvider", {{"triggerCharacters", {".", "\"", "/"}}, {"resolveProvider", true}}},
      {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
      {"documentFormattingProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"foldingRangeProvider", true},
      {"selectionRangeProvider", true},
      {"documentLinkProvider", {{"resolveProvider", false}}},
      {"inlayHintProvider", true},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"executeCommandProvider", {{"commands", {"rw.runTests", "rw.showMatches", "rw.showProof", "rw.showRewrites"}}}},
      {"callHierarchyProvider", true},
      {"semanticTokensProvider", {{"legend", View::semanticTokensLegend()}, {"full", true}, {"range", true}}},
  };
  return {{"capabilities", std::move(provides)}, {"serverInfo", {{"name", "rw-lsp"}, {"version", RW_VERSION}}}};
}

void Server::configure(const Json &settings) {
  const Json &own = settings.is_object() && settings.contains("rw") ? settings["rw"] : settings;
  if (!own.is_object())
    return;
  auto hear = [&](const char *name, bool isRight, const char *what) {
    const Json &given = member(own, name);
    if (!given.is_null() && !isRight)
      notify("window/showMessage", {{"type", 2},
                                    {"message", std::string("rw: the setting `") + name + "` is " + what + ", not " +
                                                    given.dump().substr(0, 80)}});
  };
  const Json &given = member(own, "importDirs");
  const Json folders = given.is_string() ? Json::array({given}) : given; // a single one need not stand in a list
  hear("importDirs", folders.is_array() && std::ranges::all_of(folders, &Json::is_string), "a list of folders");
  hear("model", member(own, "model").is_string(), "the path of a model");
  hear("runTests", member(own, "runTests").is_boolean(), "true or false");
  hear("prove", member(own, "prove").is_boolean(), "true or false");
  hear("wholeUpTo", member(own, "wholeUpTo").is_number_unsigned(), "a number of bytes");
  ProjectOptions options = base_;
  for (const Json &folder : folders)
    if (folder.is_string()) {
      fs::path path = folder.get<std::string>();
      options.importDirs.push_back(
          path.is_relative() && !folders_.empty() ? (fs::path(folders_.front()) / path).string() : path.string());
    }
  std::string model = textOf(own, "model");
  if (!model.empty() && fs::path(model).is_relative() && !folders_.empty())
    model = (fs::path(folders_.front()) / model).lexically_normal().string();
  const bool runTests = member(own, "runTests") != false;
  prove_ = member(own, "prove") != false;
  long_ = member(own, "wholeUpTo").is_number_unsigned() ? countOf(own, "wholeUpTo") : kLong;
  if (model != model_ || runTests != runTests_) {
    model_ = std::move(model);
    runTests_ = runTests;
    for (auto &[path, open] : open_) {
      open.tried = nullptr;
      dirty_.insert(path);
    }
  }
  if (options.importDirs != project_.options().importDirs) {
    project_.configure(std::move(options));
    for (const auto &[path, open] : open_)
      touch(path);
  }
}

std::string Server::pathOf(const Json &params) const {
  const std::string uri = textOf(member(params, "textDocument"), "uri");
  if (uri.empty())
    throw Error{kInvalidParams, "`textDocument.uri` is missing"};
  return pathOfUri(uri);
}

Position Server::positionOf(const Json &params) {
  const Json &at = params.is_object() && params.contains("position") ? params["position"] : params;
  return {countOf(at, "line"), countOf(at, "character")};
}

std::pair<size_t, size_t> Server::rangeOf(const View &view, const Json &params) const {
  const Json &range = member(params, "range");
  if (!range.is_object())
    return {0, SIZE_MAX};
  return {view.offset(positionOf(member(range, "start"))), view.offset(positionOf(member(range, "end")))};
}

const View *Server::viewOf(const std::string &path) {
  if (!open_.contains(path))
    throw Error{kInvalidParams, "the document is not open: " + path};
  const bool current = project_.isCurrent(path);
  std::unique_ptr<View> &view = views_[path];
  if (!view || !current) {
    std::vector<std::string> folders = project_.options().importDirs;
    folders.push_back(project_.options().builtinDir);
    std::shared_ptr<const Analysis> analysis = project_.analyse(path);
    if (!analysis)
      throw Error{kRequestFailed, "the document cannot be read"};
    view = std::make_unique<View>(std::move(analysis), encoding_, std::move(folders));
  }
  return view.get();
}

void Server::forEachFile(std::string_view containing, const std::function<void(const View &)> &visit) {
  std::set<std::string> seen;
  for (const auto &[path, open] : open_)
    if (seen.insert(path).second)
      visit(*viewOf(path));
  size_t count = 0;
  for (const std::string &folder : folders_) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      std::error_code ignored;
      if (it->is_directory(ignored) &&
          (name.starts_with('.') || name == "build" || name == "node_modules" || it.depth() > 12))
        it.disable_recursion_pending();
      if (it->path().extension() != ".rw" || !it->is_regular_file(ignored) ||
          it->file_size(ignored) > ast::kMaxSourceBytes)
        continue;
      const std::string path = pathOfUri(uriOfPath(it->path().string()));
      if (!seen.insert(path).second)
        continue;
      if (++count > kMaxFiles)
        return;
      std::ifstream in(path, std::ios::binary);
      std::stringstream text;
      text << in.rdbuf();
      if (text.str().find(containing) == std::string::npos)
        continue;
      if (std::shared_ptr<const Analysis> analysis = project_.analyse(path, true))
        visit(View(std::move(analysis), encoding_));
    }
  }
}

/// The document, and all that import it.
void Server::touch(const std::string &path) {
  auto due = [&](const std::string &each) {
    if (!open_.contains(each))
      return;
    dirty_.insert(each);
    untried_.erase(each); // once it has been checked again
    unproved_.erase(each);
  };
  due(path);
  for (const std::string &importer : project_.importersOf(path))
    due(importer);
}

void Server::publish(const std::string &path) {
  auto it = open_.find(path);
  if (it == open_.end())
    return;
  const View &view = *viewOf(path);
  Json diagnostics = view.diagnostics();
  if (it->second.tried == view.shared())
    for (Json &failed : view.failures(it->second.outcome))
      diagnostics.push_back(std::move(failed));
  else if (trial_ && !view.analysis().diags.hasErrors() && view.analysis().wrongImports.empty())
    untried_.insert(path);
  Open &open = it->second;
  if (proofs_ && prove_ && open.proved != view.shared() && !view.analysis().diags.hasErrors() &&
      view.analysis().wrongImports.empty())
    unproved_.insert(path);
  if (proofs_ && prove_)
    for (Json &refuted : view.refutations(*proofs_))
      diagnostics.push_back(std::move(refuted));
  inPart_.erase(path);
  open.edited.clear();
  open.shown.clear();
  open.knowsShown = isLong(path);
  if (open.knowsShown)
    for (const Json &diagnostic : diagnostics)
      open.shown.push_back({view.offset(positionOf(diagnostic["range"]["start"])),
                            view.offset(positionOf(diagnostic["range"]["end"])), diagnostic});
  send(open, std::move(diagnostics));
}

void Server::send(const Open &open, Json diagnostics) {
  Json params{{"uri", open.uri}, {"diagnostics", std::move(diagnostics)}};
  if (open.version.is_number())
    params["version"] = open.version;
  notify("textDocument/publishDiagnostics", std::move(params));
}

bool Server::isLong(const std::string &path) const {
  const Text *text = project_.document(path);
  return text && text->str().size() >= long_;
}

/// Diagnostics behind the edit move with the text; those in it go.
void Server::move(Open &open, const Project::Edit &edit) {
  const size_t now = edit.begin + edit.length;
  std::erase_if(open.shown, [&](const Open::Shown &s) { return s.end > edit.begin && s.begin < edit.end; });
  for (Open::Shown &s : open.shown)
    if (s.begin >= edit.end)
      s.begin = s.begin - edit.end + now, s.end = s.end - edit.end + now;
  for (auto &[begin, end] : open.edited) {
    if (begin >= edit.end)
      begin = begin - edit.end + now;
    else
      begin = std::min(begin, edit.begin);
    end = end >= edit.end ? end - edit.end + now : std::max(begin, std::min(end, now));
  }
  open.edited.emplace_back(edit.begin, now);
}

bool Server::publishPart(const std::string &path) {
  Open &open = open_.at(path);
  if (!open.knowsShown || open.edited.empty() || !isLong(path))
    return false;
  const Text &text = *project_.document(path);
  Part part = partAround(text.str(), open.edited);
  if (part.size > text.str().size() / 2)
    return false;
  std::shared_ptr<const Analysis> analysis = project_.check(path, std::move(part.text));
  if (!analysis)
    return false;
  const View view(std::move(analysis), encoding_);
  Json out = Json::array();
  for (const Open::Shown &s : open.shown) {
    if (isIn(part.edited, s.begin))
      continue;
    Json moved = s.diagnostic;
    // Columns are those of the text itself: in the part's other characters are blanks.
    for (const auto &[name, at] : {std::pair("start", s.begin), std::pair("end", s.end)}) {
      const Position position = text.position(at, encoding_);
      moved["range"][name] = {{"line", position.line}, {"character", position.character}};
    }
    out.push_back(std::move(moved));
  }
  for (Json &diagnostic : view.diagnostics())
    if (isIn(part.edited, view.offset(positionOf(diagnostic["range"]["start"]))))
      out.push_back(std::move(diagnostic));
  send(open, std::move(out));
  inPart_.insert(path);
  return true;
}

std::unique_ptr<View> Server::viewOfWords(const std::string &path) const {
  std::shared_ptr<const Analysis> analysis =
      isLong(path) && !project_.isCurrent(path) ? project_.analyseWords(path) : nullptr;
  if (!analysis)
    return nullptr;
  std::vector<std::string> folders = project_.options().importDirs;
  folders.push_back(project_.options().builtinDir);
  return std::make_unique<View>(std::move(analysis), encoding_, std::move(folders));
}

std::string Server::modelOf(const View &view) const {
  std::string model = view.modelInComment();
  return model.empty() ? model_ : model;
}

const Trial::Outcome &Server::tryOut(const std::string &path) {
  const View &view = *viewOf(path);
  Open &open = open_.at(path);
  const std::string model = modelOf(view);
  if (open.tried == view.shared() && open.model == model)
    return open.outcome;
  open.outcome = {};
  open.model = model;
  open.tried = view.shared();
  if (trial_)
    open.outcome = trial_->run(path, view.analysis().text.str(), project_.options().importDirs, model);
  return open.outcome;
}

Json Server::outcomeJson(const Open &open) const {
  Json tests = Json::array(), patterns = Json::array();
  for (const Trial::Test &test : open.outcome.tests)
    tests.push_back({{"name", test.name}, {"line", test.line}, {"passes", test.why.empty()}, {"why", test.why}});
  for (const Trial::Pattern &pattern : open.outcome.patterns) {
    Json misses = Json::array();
    for (const opt::NearMiss &miss : pattern.firing.misses)
      misses.push_back(
          {{"condition", miss.condition}, {"line", miss.line}, {"count", miss.count}, {"example", miss.example}});
    patterns.push_back({{"name", pattern.name},
                        {"line", pattern.line},
                        {"matches", pattern.firing.matches},
                        {"examples", pattern.firing.examples},
                        {"misses", std::move(misses)},
                        {"notTried", pattern.firing.notTried}});
  }
  return {{"trouble", open.outcome.trouble},
          {"model", open.model},
          {"modelOps", open.outcome.modelOps},
          {"tests", std::move(tests)},
          {"patterns", std::move(patterns)}};
}

void Server::refreshLenses() {
  if (refreshesLenses_)
    send_({{"jsonrpc", "2.0"}, {"id", "lenses " + std::to_string(++asked_)}, {"method", "workspace/codeLens/refresh"}});
}

void Server::prove(const std::string &path) {
  const View &view = *viewOf(path);
  open_.at(path).proved = view.shared();
  proving_ = path;
  if (!proofs_->start({.path = path,
                       .text = view.analysis().text.str(),
                       .importDirs = project_.options().importDirs,
                       .patterns = view.provable()}))
    showProofs();
}

void Server::showProofs() {
  if (auto it = open_.find(proving_); it != open_.end() && !dirty_.contains(proving_) && !inPart_.contains(proving_))
    publish(proving_);
  refreshLenses();
}

Json Server::proofOf(const std::string &path, unsigned line) {
  for (const Proofs::Pattern &pattern : viewOf(path)->provable()) {
    const Proofs::State *state = pattern.line == line && proofs_ ? proofs_->known(pattern.key) : nullptr;
    if (state)
      return {{"verdict", state->verdict}, {"text", state->text}, {"counterexample", state->counterexample}};
  }
  return nullptr;
}

Json Server::drawingsOf(const std::string &path, unsigned line) {
  const View &view = *viewOf(path);
  const std::string model = modelOf(view);
  Json out{{"model", model}, {"trouble", ""}, {"rewrites", Json::array()}};
  if (!trial_ || model.empty()) {
    out["trouble"] = "there is no model: a comment `// model: PATH` or the setting `model` names one";
    return out;
  }
  const std::unique_ptr<Trial::Loaded> loaded =
      trial_->load(path, view.analysis().text.str(), project_.options().importDirs);
  if (!loaded->patterns) {
    out["trouble"] = loaded->trouble;
    return out;
  }
  const Trial::Model &tried = trial_->model(model, *loaded);
  if (!tried.file)
    out["trouble"] = tried.trouble;
  else
    for (const Trial::Drawing &d : Trial::draw(*loaded, tried, line))
      out["rewrites"].push_back({{"pattern", d.pattern}, {"root", d.root}, {"before", d.before}, {"after", d.after}});
  if (loaded->knowsMoreOps)
    trial_->forget(model);
  return out;
}

Json Server::execute(const Json &params) {
  const std::string command = textOf(params, "command");
  if (command != "rw.runTests" && command != "rw.showMatches" && command != "rw.showProof" &&
      command != "rw.showRewrites")
    throw Error{kInvalidParams, "no command `" + command + "`"};
  const Json &arguments = member(params, "arguments");
  if (!arguments.is_array() || arguments.empty() || !arguments[0].is_string())
    throw Error{kInvalidParams, "the first argument is a document"};
  const std::string path = pathOfUri(arguments[0].get<std::string>());
  const View &view = *viewOf(path);
  if (view.analysis().diags.hasErrors())
    throw Error{kRequestFailed, "the document has errors"};
  const unsigned line = arguments.size() > 1 && arguments[1].is_number_unsigned() ? arguments[1].get<unsigned>() : 0;
  if (command == "rw.showProof")
    return proofOf(path, line);
  if (command == "rw.showRewrites")
    return drawingsOf(path, line);
  tryOut(path);
  publish(path);
  refreshLenses();
  return outcomeJson(open_.at(path));
}

bool Server::work() {
  std::set<std::string> &due = !dirty_.empty()     ? dirty_
                               : !untried_.empty() ? untried_
                               : !inPart_.empty()  ? inPart_
                                                   : unproved_;
  if (due.empty()) {
    if (!proofs_ || !proofs_->running())
      return false;
    if (proofs_->poll())
      showProofs();
    return true;
  }
  const bool isTrial = &due == &untried_, isEdit = &due == &dirty_, isProof = &due == &unproved_;
  const std::string path = *due.begin();
  due.erase(due.begin());
  try {
    if (isProof) {
      if (open_.contains(path))
        prove(path);
    } else if (!isTrial) {
      if (!isEdit || !open_.contains(path) || !publishPart(path))
        publish(path);
    } else if (auto it = open_.find(path); it != open_.end() && (runTests_ || !modelOf(*viewOf(path)).empty())) {
      if (!viewOf(path)->failures(tryOut(path)).empty())
        publish(path);
      refreshLenses();
    }
  } catch (const Error &) { // it was closed meanwhile, or is too large
  } catch (const std::exception &error) {
    notify("window/logMessage", {{"type", 1}, {"message", std::string("rw-lsp: internal error: ") + error.what()}});
  }
  return true;
}

void Server::notification(const std::string &method, const Json &params) {
  if (method == "exit") {
    exited_ = true;
  } else if (method == "textDocument/didOpen") {
    const Json &document = member(params, "textDocument");
    const std::string path = pathOf(params);
    open_[path] = {textOf(document, "uri"), member(document, "version"), nullptr, {}, {}, {}, false, {}, nullptr};
    project_.open(path, textOf(document, "text"));
    touch(path);
  } else if (method == "textDocument/didChange") {
    const std::string path = pathOf(params);
    auto it = open_.find(path);
    if (it == open_.end())
      return;
    it->second.version = member(member(params, "textDocument"), "version");
    for (const Json &change : member(params, "contentChanges")) {
      std::optional<std::pair<Position, Position>> range;
      if (const Json &where = member(change, "range"); where.is_object())
        range.emplace(positionOf(member(where, "start")), positionOf(member(where, "end")));
      move(it->second, project_.edit(path, range, textOf(change, "text"), encoding_));
    }
    touch(path);
  } else if (method == "textDocument/didClose") {
    const std::string path = pathOf(params);
    auto it = open_.find(path);
    if (it == open_.end())
      return;
    notify("textDocument/publishDiagnostics", {{"uri", it->second.uri}, {"diagnostics", Json::array()}});
    open_.erase(it);
    views_.erase(path);
    dirty_.erase(path);
    untried_.erase(path);
    unproved_.erase(path);
    inPart_.erase(path);
    project_.close(path);
    touch(path);
  } else if (method == "workspace/didChangeWatchedFiles" || method == "textDocument/didSave") {
    project_.filesChanged();
    for (auto &[path, open] : open_)
      open.knowsShown = false; // all of it is checked
    for (const auto &[path, open] : open_)
      dirty_.insert(path);
  } else if (method == "workspace/didChangeConfiguration") {
    configure(member(params, "settings"));
  }
}

Json Server::request(const std::string &method, const Json &params) {
  if (method == "initialize")
    return initialize(params);
  if (method == "shutdown") {
    stopped_ = true;
    return nullptr;
  }
  if (method == "workspace/symbol") {
    Json out = Json::array();
    const std::string query = textOf(params, "query");
    forEachFile("", [&](const View &view) { view.workspaceSymbols(query, out); });
    return out;
  }
  if (method == "completionItem/resolve") {
    const std::string uri = textOf(member(params, "data"), "uri");
    const std::string path = pathOfUri(uri);
    if (uri.empty() || !open_.contains(path))
      return params;
    std::unique_ptr<View> words = viewOfWords(path);
    return words ? words->completionDetail(params) : viewOf(path)->completionDetail(params);
  }
  if (method == "workspace/executeCommand")
    return execute(params);
  if (method == "callHierarchy/incomingCalls")
    return incomingCalls(params);
  if (method == "callHierarchy/outgoingCalls") {
    const Json &item = member(params, "item");
    const std::string path = pathOfUri(textOf(item, "uri"));
    if (open_.contains(path))
      return viewOf(path)->outgoingCalls(item);
    std::shared_ptr<const Analysis> analysis = project_.analyse(path, true);
    return analysis ? View(std::move(analysis), encoding_).outgoingCalls(item) : Json::array();
  }
  static const std::set<std::string> kOfDocuments = {"textDocument/completion",
                                                     "textDocument/signatureHelp",
                                                     "textDocument/hover",
                                                     "textDocument/definition",
                                                     "textDocument/references",
                                                     "textDocument/documentHighlight",
                                                     "textDocument/documentSymbol",
                                                     "textDocument/codeAction",
                                                     "textDocument/formatting",
                                                     "textDocument/prepareRename",
                                                     "textDocument/rename",
                                                     "textDocument/foldingRange",
                                                     "textDocument/selectionRange",
                                                     "textDocument/documentLink",
                                                     "textDocument/inlayHint",
                                                     "textDocument/semanticTokens/full",
                                                     "textDocument/semanticTokens/range",
                                                     "textDocument/prepareCallHierarchy",
                                                     "textDocument/codeLens"};
  if (!kOfDocuments.contains(method))
    throw Error{kMethodNotFound, "no method `" + method + "`"};
  const std::string path = pathOf(params);
  if (!open_.contains(path))
    throw Error{kInvalidParams, "the document is not open: " + path};
  if (method == "textDocument/completion" || method == "textDocument/signatureHelp")
    if (std::unique_ptr<View> words = viewOfWords(path)) // the whole need not be checked for that
      return method == "textDocument/completion" ? words->completion(positionOf(params), snippets_)
                                                 : words->signatureHelp(positionOf(params));
  const View &view = *viewOf(path);
  const std::string what = method.substr(method.find('/') + 1);
  const Position at = positionOf(params);
  if (what == "completion")
    return view.completion(at, snippets_);
  if (what == "signatureHelp")
    return view.signatureHelp(at);
  if (what == "hover")
    return view.hover(at);
  if (what == "definition")
    return view.definition(at);
  if (what == "references")
    return references(path, params, member(member(params, "context"), "includeDeclaration") != false);
  if (what == "documentHighlight")
    return view.highlights(at);
  if (what == "documentSymbol")
    return view.documentSymbols();
  if (what == "codeAction") {
    auto [begin, end] = rangeOf(view, params);
    return view.codeActions(begin, end);
  }
  if (what == "formatting")
    return formatting(path);
  if (what == "prepareRename")
    return prepareRename(path, params);
  if (what == "rename")
    return rename(path, params);
  if (what == "foldingRange")
    return view.folding();
  if (what == "selectionRange") {
    Json out = Json::array();
    for (const Json &each : member(params, "positions"))
      out.push_back(view.selection(positionOf(each)));
    return out;
  }
  if (what == "documentLink")
    return view.links();
  if (what == "codeLens") {
    const Open &open = open_.at(path);
    const bool tried = open.tried == view.shared() && open.outcome.loaded;
    return view.lenses(tried ? &open.outcome : nullptr, open.model, prove_ ? proofs_.get() : nullptr);
  }
  if (what == "inlayHint") {
    auto [begin, end] = rangeOf(view, params);
    return view.inlayHints(begin, end);
  }
  if (what == "semanticTokens/full")
    return view.semanticTokens(0, SIZE_MAX);
  if (what == "semanticTokens/range") {
    auto [begin, end] = rangeOf(view, params);
    return view.semanticTokens(begin, end);
  }
  return prepareCallHierarchy(path, params);
}

// ---- across files

static bool isLocal(NameKind kind) { return kind == NameKind::Param || kind == NameKind::Variable; }

Json Server::references(const std::string &path, const Json &params, bool withDeclaration) {
  Json out = Json::array();
  const View &view = *viewOf(path);
  const Occurrence *name = view.nameAt(positionOf(params));
  if (!name)
    return out;
  const std::string key = name->key, word(view.analysis().written(name->range));
  auto look = [&](const View &each) {
    for (const Occurrence &o : each.names())
      if (o.key == key && (withDeclaration || !o.declares))
        out.push_back(each.location(o.range));
  };
  if (isLocal(name->kind))
    look(view);
  else
    forEachFile(word, look);
  return out;
}

Json Server::prepareRename(const std::string &path, const Json &params) {
  const View &view = *viewOf(path);
  const Occurrence *name = view.nameAt(positionOf(params));
  if (!name)
    throw Error{kRequestFailed, "there is no name to change here"};
  const std::string word(view.analysis().written(name->range));
  switch (name->kind) {
  case NameKind::Dialect:
  case NameKind::Property:
  case NameKind::Builtin:
  case NameKind::DType:
  case NameKind::Trait:
  case NameKind::Label:
  case NameKind::Import:
    throw Error{kRequestFailed, "`" + word + "` is no name that a file declares for itself"};
  default:
    break;
  }
  for (uint32_t i : name->declared) {
    const Declared &declared = view.analysis().declared[i];
    const std::string &file = view.analysis().files[declared.file].path;
    if (project_.isBuiltin(file) && !open_.contains(file))
      throw Error{kRequestFailed, "`" + word + "` is declared in a built-in file: " + file};
    if (const auto *native = declared.decl->as<ast::NativeDecl>(); native && native->isExtern)
      throw Error{kRequestFailed, "`" + word + "` is defined in C++, which has the same name"};
    if (const auto *pattern = declared.decl->as<ast::PatternDecl>(); pattern && pattern->nameParts.size() > 1)
      throw Error{kRequestFailed, "the name is made of several parts"};
  }
  return {{"range", view.range(name->range)}, {"placeholder", word}};
}

Json Server::rename(const std::string &path, const Json &params) {
  prepareRename(path, params);
  const View &view = *viewOf(path);
  const Occurrence name = *view.nameAt(positionOf(params));
  const std::string key = name.key, word(view.analysis().written(name.range)), to = textOf(params, "newName");
  const bool isName = !to.empty() && !std::isdigit(static_cast<unsigned char>(to[0])) && to != "_" &&
                      std::ranges::all_of(to, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!isName)
    throw Error{kInvalidParams, "`" + to + "` is no name: letters, digits and `_`, no digit first"};
  static const std::set<std::string> kReserved = {"if", "then", "else", "for",  "in",    "let",  "and",
                                                  "or", "not",  "is",   "true", "false", "none", "where"};
  if (kReserved.contains(to) || (isLocal(name.kind) && (isDeclarationWord(to) || !keywordDoc(to).empty())))
    throw Error{kInvalidParams, "`" + to + "` is a word of the language"};
  if (to != word) {
    const Analysis &a = view.analysis();
    const ast::Decl *decl = a.declAt(a.offset(name.range.begin));
    for (const Occurrence &other : view.names()) {
      const bool near = !isLocal(name.kind) ||
                        (decl && decl->range.begin <= other.range.begin && other.range.begin < decl->range.end);
      const bool same = isLocal(name.kind) ? isLocal(other.kind) || other.kind == NameKind::Operand ||
                                                 other.kind == NameKind::Attribute
                                           : other.kind == name.kind || isLocal(other.kind);
      if (near && same && other.declares && a.written(other.range) == to && other.key != key)
        throw Error{kRequestFailed, "there is a `" + to + "` already, in line " +
                                        std::to_string(a.sources.lineColumn(other.range.begin).line)};
    }
    if (!isLocal(name.kind) && name.kind != NameKind::Attribute && name.kind != NameKind::Operand &&
        name.kind != NameKind::Result)
      for (auto [it, end] = a.byName.equal_range(to); it != end; ++it)
        if (kindOf(*a.declared[it->second].decl) == name.kind)
          throw Error{kRequestFailed,
                      "there is a `" + to + "` already, in " + a.files[a.declared[it->second].file].path};
  }
  Json changes = Json::object();
  auto look = [&](const View &each) {
    Json edits = Json::array();
    for (const Occurrence &o : each.names())
      if (o.key == key)
        edits.push_back({{"range", each.range(o.range)}, {"newText", to}});
    if (!edits.empty())
      changes[uriOfPath(each.analysis().files[0].path)] = std::move(edits);
  };
  if (isLocal(name.kind))
    look(view);
  else
    forEachFile(word, look);
  return {{"changes", std::move(changes)}};
}

Json Server::formatting(const std::string &path) {
  const Analysis &a = viewOf(path)->analysis();
  Json out = Json::array();
  if (!a.readable)
    return out; // what cannot be read stays as it is
  const std::string &text = a.text.str();
  SourceManager sources;
  Diagnostics diags(sources);
  const FileId file = sources.addText(path, text);
  const std::string formatted = formatText(text, lexemes(file, sources, diags));
  if (diags.hasErrors() || formatted == text)
    return out;
  // The lines that differ, so that cursors elsewhere stay.
  size_t begin = 0, end = 0;
  while (begin < std::min(text.size(), formatted.size()) && text[begin] == formatted[begin])
    ++begin;
  while (begin && text[begin - 1] != '\n')
    --begin;
  while (end < std::min(text.size(), formatted.size()) - begin &&
         text[text.size() - 1 - end] == formatted[formatted.size() - 1 - end])
    ++end;
  while (end && text[text.size() - end - (text.size() > end ? 1 : 0)] != '\n')
    --end;
  out.push_back({{"range", viewOf(path)->range(begin, text.size() - end)},
                 {"newText", formatted.substr(begin, formatted.size() - end - begin)}});
  return out;
}

Json Server::prepareCallHierarchy(const std::string &path, const Json &params) {
  const View &view = *viewOf(path);
  const Occurrence *name = view.nameAt(positionOf(params));
  if (!name || name->declared.empty() ||
      (name->kind != NameKind::Fn && name->kind != NameKind::Native && name->kind != NameKind::Matcher &&
       name->kind != NameKind::Rewrite && name->kind != NameKind::Pattern))
    return nullptr;
  return Json::array({view.callHierarchyItem(name->declared.front())});
}

Json Server::incomingCalls(const Json &params) {
  Json out = Json::array();
  const Json &item = member(params, "item");
  const std::string key = textOf(item, "data"), name = textOf(item, "name");
  if (!key.empty())
    forEachFile(name, [&](const View &view) { view.incomingCalls(key, out); });
  return out;
}

} // namespace rw::editor
