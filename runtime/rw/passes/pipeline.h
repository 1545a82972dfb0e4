// Pipeline text: which passes run in which order.
//
// In:  "canonicalize,repeat(4){canonicalize,cse,dce},my-pass{max-iterations=3}"; names of pipelines stand for their
//      text.
// Out: a tree of passes and repetitions, names resolved and pipelines expanded; or diagnostics.
// Elsewhere: running it is pass_manager.h.
//
//   pipeline := [ item { ',' item } ]        item := 'repeat' '(' N ')' '{' pipeline '}' | name [ '{' options '}' ]
//   N := a number, or `pre` or `post`: how often the loops of the pipeline `full` run (knobs.h)
//   options  := key '=' value { ',' key '=' value }        a value is a word or a "text"; spaces mean nothing
//
// Names may be qualified: `my::opt::fuse` (rewrite/qualified_name.h). In the text of a declared pipeline they mean what
// its file declares or imports first, then what its namespace and those around it have. The text `none` is the empty
// pipeline. `backend-pre`, `backend-legalize`, `backend-fuse` and `backend-cleanup` stand for what the chosen backend
// adds there (backend_pipeline.h): nothing if none is chosen.
#pragma once

#include "rw/passes/pass.h"

#include <span>

namespace rw {

struct PipelineItem {
  std::string name;    // of a pass; empty: a repetition
  PassOptions options; // of a pass
  std::unique_ptr<FunctionPass> pass;
  unsigned count = 0; // of a repetition: runs until nothing changes, at most so often
  std::vector<PipelineItem> items;
};

/// A pass that the caller has beside those of the registry: one that is more than its class, as one that calls another
/// language.
struct OwnPass {
  std::string name, doc;
  std::function<MadePass(const PassOptions &)> make;
};

/// What a pipeline's text leaves open.
struct PipelineSettings {
  unsigned preIterations = 2, postIterations = 4; // `repeat(pre)`, `repeat(post)`
  const BackendPipeline *backend = nullptr;
  std::span<const OwnPass> own = {}; // which texts may name
};

/// Reads the pipeline in text `file` of `sources`; the texts of named pipelines are added to `sources` so that
/// diagnostics can show them. On an error false, and `items` as it was.
bool parsePipeline(FileId file, SourceManager &sources, Diagnostics &, const Registry &,
                   std::vector<PipelineItem> &items, const PipelineSettings & = {});

/// The items as text again, pipelines expanded: "canonicalize,repeat(4){cse,dce}".
std::string printPipeline(const std::vector<PipelineItem> &items);
std::string printPipeline(const PipelineItem &item);

} // namespace rw
