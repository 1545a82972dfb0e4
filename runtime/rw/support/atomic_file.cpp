#include "rw/support/atomic_file.h"

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

bool AtomicFile::open(const std::string &path, std::string &error) {
  discard();
  failure_ = 0;
  target_ = resolved(path);
  struct stat info;
  bool exists = ::stat(target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    error = reason(EISDIR);
    return false;
  }
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (exists && ::access(target_.c_str(), W_OK) != 0) {
    error = reason(errno); // a rename would replace a file that is protected against writing
    return false;
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
    error = reason(errno);
    temporary_.clear();
    return false;
  }
  return true;
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

bool AtomicFile::commit(std::string &error) {
  if (fd_ < 0) {
    error = "the file is not open";
    return false;
  }
  int failure = failure_;
  if (::close(fd_) != 0 && failure == 0)
    failure = errno;
  fd_ = -1;
  if (failure == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0)
    failure = errno;
  if (failure == 0)
    temporary_.clear();
  discard();
  if (failure != 0)
    error = reason(failure);
  return failure == 0;
}

void AtomicFile::discard() {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
  temporary_.clear();
}

bool writeFile(const std::string &path, std::string_view bytes, std::string &error) {
  AtomicFile file;
  if (!file.open(path, error))
    return false;
  file.write(bytes);
  return file.commit(error);
}

WriteOutcome writeFileIfChanged(const std::string &path, std::string_view bytes, std::string &error) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && static_cast<size_t>(info.st_size) == bytes.size()) {
    auto old = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (old && std::string_view((*old)->getBuffer()) == bytes)
      return WriteOutcome::Unchanged;
  }
  return writeFile(path, bytes, error) ? WriteOutcome::Written : WriteOutcome::Failed;
}

} // namespace rw
