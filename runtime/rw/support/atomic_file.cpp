#include "rw/support/atomic_file.h"

#include "rw/support/failure.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace rw {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

/// The file behind a symbolic link; the path itself when it is none or leads nowhere.
std::string resolved(const std::string &path) {
  char *real = ::realpath(path.c_str(), nullptr);
  if (!real)
    return path;
  std::string out = real;
  std::free(real);
  return out;
}

} // namespace

AtomicFile::~AtomicFile() { discard(); }

Result<void> AtomicFile::open(const std::string &path) {
  discard();
  failure_ = 0;
  target_ = resolved(path);
  struct stat info;
  bool exists = ::stat(target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return Failure{reason(EISDIR)};
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (exists && ::access(target_.c_str(), W_OK) != 0) {
    return Failure{reason(errno)}; // a rename would replace a file that is protected against writing
  } else {
    static std::atomic<unsigned> counter{0};
    do {
      temporary_ = fmt::format("{}.{}.{}.tmp", target_, ::getpid(), counter++);
      fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EEXIST);
    if (fd_ >= 0 && exists)
      (void)!::fchmod(fd_, info.st_mode & 07777);
  }
  if (fd_ < 0) {
    const int why = errno;
    temporary_.clear();
    return Failure{reason(why)};
  }
  return {};
}

void AtomicFile::write(std::string_view bytes) {
  while (fd_ >= 0 && failure_ == 0 && !bytes.empty()) {
    ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done >= 0)
      bytes.remove_prefix(static_cast<size_t>(done));
    else if (errno != EINTR)
      failure_ = errno;
  }
}

Result<void> AtomicFile::commit() {
  if (fd_ < 0)
    return failure("the file is not open");
  int wrong = failure_;
  if (::close(fd_) != 0 && wrong == 0)
    wrong = errno;
  fd_ = -1;
  if (wrong == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0)
    wrong = errno;
  if (wrong == 0)
    temporary_.clear();
  discard();
  if (wrong != 0)
    return Failure{reason(wrong)};
  return {};
}

void AtomicFile::discard() {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
  temporary_.clear();
}

Result<void> writeFile(const std::string &path, std::string_view bytes) {
  AtomicFile file;
  if (Result<void> opened = file.open(path); !opened)
    return opened;
  file.write(bytes);
  return file.commit();
}

Result<WriteOutcome> writeFileIfChanged(const std::string &path, std::string_view bytes) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && static_cast<size_t>(info.st_size) == bytes.size()) {
    auto old = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (old && std::string_view((*old)->getBuffer()) == bytes)
      return WriteOutcome::Unchanged;
  }
  if (Result<void> written = writeFile(path, bytes); !written)
    return written.failure();
  return WriteOutcome::Written;
}

} // namespace rw
