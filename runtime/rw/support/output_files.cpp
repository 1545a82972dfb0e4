#include "rw/support/output_files.h"

#include <filesystem>
#include <fmt/format.h>

namespace rw {

bool isSameFile(const std::string &a, const std::string &b) {
  namespace fs = std::filesystem;
  std::error_code failed;
  auto spelled = [&](const std::string &path) { return fs::weakly_canonical(fs::absolute(path, failed), failed); };
  return a == b || fs::equivalent(a, b, failed) || (!a.empty() && !b.empty() && spelled(a) == spelled(b));
}

bool keepsSources(std::span<const OutputFile> outputs, const SourceManager &sources, Diagnostics &diags,
                  const std::string &mayTake) {
  bool good = true;
  for (const OutputFile &output : outputs)
    for (uint32_t i = 0; output.isNamed() && i < sources.fileCount(); ++i) {
      const std::string read(sources.name(FileId(i)));
      if (!isSameFile(output.path, read) || (!mayTake.empty() && isSameFile(read, mayTake)))
        continue;
      diags
          .errorInFile("written-over", output.path,
                       fmt::format("{} would be written over {}, which is read", output.option, read))
          .note("nothing was written; name another file");
      good = false;
      break;
    }
  return good;
}

} // namespace rw
