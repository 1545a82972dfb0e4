#include "rw/opt/trace_files.h"

namespace rw::opt {

TraceFiles::TraceFiles(const Options &options) : options_(options), files_(options.dumpDir) {
  if (!options.traceFile.empty())
    sinks_.add(&chrome_);
  if (!options.dumpDir.empty())
    sinks_.add(&files_);
}

bool TraceFiles::finish(Diagnostics &diags) {
  std::string error;
  if (!options_.traceFile.empty() && !chrome_.write(options_.traceFile, error))
    diags.errorInFile("write-failed", options_.traceFile, error);
  if (!files_.error().empty())
    diags.errorInFile("write-failed", "--dump-dir", files_.error());
  return !diags.hasErrors();
}

} // namespace rw::opt
