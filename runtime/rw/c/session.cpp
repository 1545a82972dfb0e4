#include "rw/c/handles.h"
#include "rw/load/load_patterns.h"
#include "rw/testing/run_tests.h"

#include <span>

using namespace rw;
using namespace rw::c;

namespace {
std::string shown(const Registry &registry, const NameRef &pattern) {
  std::vector<const PatternEntry *> meant = registry.patterns.meant(pattern, {});
  return meant.size() == 1 ? registry.patterns.shownName(*meant.front()) : pattern.name;
}

PatternSource sourceOf(const Json &file) {
  if (!file.is_object())
    throw WrongRequest("a file is {\"path\": ..., \"text\": ...}");
  PatternSource source{textOf(file, "path")};
  if (file.contains("text") && !file["text"].is_null())
    source.text = textOf(file, "text");
  if (source.path.empty())
    throw WrongRequest("a file has a `path`, which diagnostics name, also where its `text` is given");
  return source;
}

int loadInto(rw_session &session, const char *text, Call &call) {
  Json request = readRequest(text, {"files", "import_dirs"});
  std::vector<PatternSource> files;
  if (!request.contains("files") || !request["files"].is_array())
    throw WrongRequest("`files` is a list of {\"path\": ..., \"text\": ...}");
  for (const Json &file : request["files"])
    files.push_back(sourceOf(file));
  LoadOptions options{.importDirs = textsOf(request, "import_dirs")};
  size_t known = session.registry.tests().size();
  Registry with = session.registry; // what fails half way leaves nothing
  std::optional<LoadedPatterns> loaded = loadPatterns(files, options, call.sources, with, call.diags);
  if (!loaded || !with.check(call.diags))
    return RW_WRONG_INPUT;
  session.registry = std::move(with);
  for (const PatternSource &file : files) {
    std::string read;
    if (!file.text)
      if (Result<FileId> id = call.sources.addFile(file.path))
        read = call.sources.text(*id);
    session.files.push_back({file.path, file.text.value_or(read), options.importDirs});
  }
  call.answer["patterns"] = Json::array();
  for (const NameRef &pattern : loaded->patterns)
    call.answer["patterns"].push_back(shown(session.registry, pattern));
  call.answer["passes"] = loaded->passes;
  call.answer["pipelines"] = loaded->pipelines;
  call.answer["tests"] = session.registry.tests().size() - known;
  return RW_OK;
}

int list(const rw_session &session, Json &answer) {
  const Registry &registry = session.registry;
  Json patterns = Json::array(), passes = Json::array(), pipelines = Json::array();
  for (const PatternEntry &entry : registry.patterns.all())
    patterns.push_back({{"name", registry.patterns.shownName(entry)},
                        {"doc", std::string(entry.info.doc)},
                        {"file", std::string(entry.info.file)},
                        {"line", entry.info.line},
                        {"fastmath", entry.info.fastmath.names()}});
  for (const PassEntry &pass : registry.passes())
    passes.push_back({{"name", registry.shownName(pass)}, {"doc", pass.doc}});
  for (const OwnPass &own : session.ownPasses)
    passes.push_back({{"name", own.name}, {"doc", own.doc}});
  for (const PipelineEntry &pipeline : registry.pipelines())
    pipelines.push_back({{"name", registry.shownName(pipeline)}, {"text", pipeline.text}, {"doc", pipeline.doc}});
  answer["patterns"] = std::move(patterns);
  answer["passes"] = std::move(passes);
  answer["pipelines"] = std::move(pipelines);
  return RW_OK;
}

int test(const Registry &registry, size_t first, const char *text, Json &answer) {
  std::string glob = textOf(readRequest(text, {"tests"}), "tests", "*");
  size_t passed = 0;
  Json failed = Json::array();
  for (const TestEntry &entry : std::span(registry.tests()).subspan(first)) {
    if (!matchesGlob(glob, entry.name))
      continue;
    std::string why = runTest(registry, entry);
    if (why.empty())
      ++passed;
    else
      failed.push_back(
          {{"name", std::string(entry.name)}, {"file", std::string(entry.file)}, {"line", entry.line}, {"why", why}});
  }
  answer["passed"] = passed;
  answer["failed"] = std::move(failed);
  return RW_OK;
}
} // namespace

extern "C" {
rw_session *rw_session_copy(const rw_session *session) {
  try {
    return session ? std::make_unique<rw_session>(*session).release() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

void rw_session_free(rw_session *session) { delete session; }

int rw_session_load(rw_session *session, const char *request, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return loadInto(*session, request, call); });
}

int rw_session_list(const rw_session *session, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return list(*session, call.answer); });
}

int rw_session_test(const rw_session *session, const char *request, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return test(session->registry, session->builtinTests, request, call.answer); });
}
}
