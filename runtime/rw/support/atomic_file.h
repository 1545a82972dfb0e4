// Output files that are whole or absent: written beside the target, then renamed over it.
//
// In:  a path, bytes.
// Out: the file with all the bytes; or, on any failure, the path as it was before and the system's reason.
//
//   AtomicFile out;
//   if (Result<void> opened = out.open("model.onnx"); !opened) return opened;
//   out.write(header); out.write(body);       // what is not committed is removed by the destructor
//   return out.commit();                      // also fails for a write that failed, e.g. on a full disk
//
//   return writeFileIfChanged("a.rw.h", text); // leaves the time stamp alone when the content is the same
#pragma once

#include "rw/support/result.h"

#include <string>
#include <string_view>

namespace rw {

class AtomicFile {
public:
  AtomicFile() = default;
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  ~AtomicFile();

  /// A target that is no regular file (a pipe, /dev/null) is written directly. A symbolic link stays: the file it
  /// names is replaced. The target keeps its permissions.
  Result<void> open(const std::string &path);
  /// After a failed write the rest are ignored, and `commit` fails.
  void write(std::string_view bytes);
  Result<void> commit();
  void discard();

private:
  int fd_ = -1;
  int failure_ = 0;
  std::string target_, temporary_; // temporary_ is empty when the target is written directly
};

Result<void> writeFile(const std::string &path, std::string_view bytes);

enum class WriteOutcome { Written, Unchanged };
Result<WriteOutcome> writeFileIfChanged(const std::string &path, std::string_view bytes);

} // namespace rw
