// --trace and --dump-dir: the sinks of a run of the tool, and writing what they gathered.
//
// In:  the options. Out: a sink to run with; after finish() the files, or a diagnostic.
// Elsewhere: the sinks are rw/trace.
#pragma once

#include "rw/opt/options.h"
#include "rw/support/diagnostics.h"
#include "rw/trace/chrome_sink.h"
#include "rw/trace/file_sink.h"

namespace rw::opt {

/// Whether dumps can go into this folder, if one is named; asked before anything runs.
bool canBeFolder(const std::string &path, Diagnostics &);

class TraceFiles {
public:
  explicit TraceFiles(const Options &);
  /// Null if neither is asked for.
  TraceSink *sink() { return sinks_.empty() ? nullptr : &sinks_; }
  bool finish(Diagnostics &);

private:
  const Options &options_;
  ChromeTraceSink chrome_;
  FileTraceSink files_;
  TraceSinks sinks_;
};

} // namespace rw::opt
