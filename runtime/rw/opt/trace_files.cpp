#include "rw/opt/trace_files.h"

#include <filesystem>

namespace rw::opt {

bool canBeFolder(const std::string &path, Diagnostics &diags) {
  std::error_code failed;
  if (path.empty() || !std::filesystem::exists(path, failed) || std::filesystem::is_directory(path, failed))
    return true;
  diags.errorInFile("write-failed", path, "is a file, and --dump-dir needs a folder; nothing was written");
  return false;
}

TraceFiles::TraceFiles(const Options &options) : options_(options), files_(options.dumpDir) {
  if (!options.traceFile.empty())
    sinks_.add(&chrome_);
  if (!options.dumpDir.empty())
    sinks_.add(&files_);
}

bool TraceFiles::finish(Diagnostics &diags) {
  if (!options_.traceFile.empty())
    if (Result<void> written = chrome_.write(options_.traceFile); !written)
      diags.errorInFile("write-failed", options_.traceFile, written.error());
  if (!files_.error().empty())
    diags.errorInFile("write-failed", "--dump-dir", files_.error());
  return !diags.hasErrors();
}

} // namespace rw::opt
