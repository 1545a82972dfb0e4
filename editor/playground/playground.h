// The page of rw-opt --serve, without HTTP: what it asks, as JSON, and what it is answered.
//
// In:  the text that is being written, with each request; models, which are kept until others take their place.
// Out: help of the language server; what the patterns make of a model. A request that makes no sense throws
//      WrongRequest.
// Elsewhere: HTTP and who may ask are serve.h; the page itself is page/.
//
// Any number of pages may ask at once. A run of one page ends when the same page asks for another.
//
//   Playground playground(registry, {.text = "import \"onnx/onnx.rw\";\n", .model = "model.onnx"});
//   playground.language({{"text", text}, {"ask", Json::array()}});      // {"diagnostics": [...], "answers": []}
//   playground.run({{"text", text}, {"model", "1"}, {"page", "a"}});    // {"statistics": …, "graphs": …}
#pragma once

#include "editor/playground/models.h"
#include "editor/server/server.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rw::editor {

class Rewriting;
struct RewritingOptions;

struct PlaygroundOptions {
  std::string text;                    // that the page begins with
  std::string file;                    // that it was read from and is saved to; empty: none
  std::vector<std::string> importDirs; // searched behind the file's folder
  std::string model;                   // a path that the page begins with; empty: none
  std::string pipeline;                // likewise
  std::string builtinDir;
  std::vector<std::string> prover; // the command of editor/proofs; empty: nothing is proved
  std::string version;
};

class Playground {
public:
  /// `registry`: what is known beside what the text declares; it must outlive this.
  Playground(const Registry &registry, PlaygroundOptions);
  ~Playground();

  /// A request that makes no sense.
  struct WrongRequest {
    std::string message;
  };

  /// What a page needs to begin: {"version", "text", "file", "pipeline", "pipelines", "model"}.
  Json state();
  /// {"text", "ask": [{"method", "params"}]} -> {"diagnostics", "answers"}: of the Language Server Protocol, without
  /// the document's URI, which is this text's.
  Json language(const Json &);
  /// {"text"} -> {"proofs": [{"line", "verdict", "text", "counterexample"}], "running"}: what is known by now; who asks
  /// again gets more.
  Json proofs(const Json &);
  /// {"text", "model", "pipeline", "fastmath", "page"} -> {"trouble", "tests", "patterns", "statistics", "rewrites",
  /// "graphs"}, as far as there are such.
  Json run(const Json &);
  /// Likewise, of the same run what takes longer: {"trouble", "bytes", "difference", "check"}.
  Json facts(const Json &);
  /// Likewise, the rewritten model's bytes; empty and why.
  std::string result(const Json &, std::string &name, std::string &trouble);
  /// {"text"}: to the file that the page was started with; {"trouble"}.
  Json save(const Json &);
  /// A model that was dropped on the page.
  Json addModel(const std::string &name, const ReadBytes &);
  /// Ends what runs, for good.
  void stop() { stopped_ = true, stopAll(); }

private:
  /// A place where patterns run: one for what is wanted at once, one for what takes longer.
  struct Place {
    explicit Place(const Registry &registry, const std::string &builtinDir) : trial(registry, builtinDir) {}
    std::mutex running;
    Trial trial;
    std::map<std::string, unsigned> runs;                            // by path of the model, since it was read
    std::mutex asking;                                               // guards what follows
    std::map<std::string, std::shared_ptr<std::atomic<bool>>> stops; // of the latest request, by page
  };
  Json inPlace(Place &, const Json &request, const std::function<Json(Trial::Loaded &, Trial::Model *, Rewriting *)> &);
  Json describeRun(const Trial::Loaded &, Trial::Model *, Rewriting *, const std::string &model);
  void stopAll();

  const Registry &registry_;
  const PlaygroundOptions options_;
  std::string path_; // that the text is taken for
  Models models_;
  std::atomic<bool> stopped_ = false;
  Place quick_, slow_;

  void tellServer(const std::string &text);
  Json askServer(const std::string &method, Json params);

  std::mutex asking_; // guards what follows
  std::unique_ptr<Server> server_;
  std::string known_; // the text that the server has
  Json diagnostics_;  // of it
  std::map<int, Json> answers_;
  int asked_ = 0, version_ = 0;
};

} // namespace rw::editor
