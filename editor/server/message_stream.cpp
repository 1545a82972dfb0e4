#include "editor/server/message_stream.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <optional>
#include <poll.h>
#include <unistd.h>

namespace rw::editor {

/// The length that a header states.
static std::optional<size_t> lengthIn(std::string_view header) {
  constexpr std::string_view kName = "content-length:";
  for (size_t at = 0; at < header.size();) {
    size_t end = std::min(header.find('\n', at), header.size());
    std::string_view line = header.substr(at, end - at);
    at = end + 1;
    auto sameLetter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    if (line.size() < kName.size() ||
        !std::equal(kName.begin(), kName.end(), line.begin(), [&](char b, char a) { return sameLetter(a, b); }))
      continue;
    line.remove_prefix(kName.size());
    while (!line.empty() && line.front() == ' ')
      line.remove_prefix(1);
    size_t length = 0;
    auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), length);
    if (error == std::errc() && (rest == line.data() + line.size() || *rest == '\r'))
      return length;
    return std::nullopt;
  }
  return std::nullopt;
}

MessageStream::Status MessageStream::next(std::string &text, int timeout) {
  for (;;) {
    if (skip_) {
      const size_t now = std::min(skip_, buffer_.size());
      buffer_.erase(0, now);
      skip_ -= now;
    }
    size_t end = buffer_.find("\r\n\r\n"), gap = 4;
    if (size_t bare = buffer_.find("\n\n"); bare < end)
      end = bare, gap = 2;
    if (!skip_ && end != buffer_.npos) {
      const std::optional<size_t> length = lengthIn(std::string_view(buffer_).substr(0, end));
      if (!length || *length > kMaxMessage) {
        buffer_.erase(0, end + gap);
        // What is beyond all reason is no length.
        skip_ = length && *length <= 16 * kMaxMessage ? *length : 0;
        return Status::Malformed;
      }
      if (buffer_.size() - end - gap >= *length) {
        text.assign(buffer_, end + gap, *length);
        buffer_.erase(0, end + gap + *length);
        return Status::Message;
      }
    } else if (!skip_ && buffer_.size() > 64u << 10) { // no header is so long
      buffer_.clear();
      return Status::Malformed;
    }
    pollfd waited{in_, POLLIN, 0};
    const int ready = poll(&waited, 1, timeout);
    if (ready == 0)
      return Status::Timeout;
    if (ready < 0 && errno == EINTR)
      continue;
    char chunk[1 << 16];
    const ssize_t count = ready < 0 ? -1 : read(in_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return Status::End;
    buffer_.append(chunk, size_t(count));
  }
}

bool MessageStream::send(std::string_view text) {
  std::string all = "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n";
  all += text;
  for (size_t at = 0; at < all.size();) {
    const ssize_t count = write(out_, all.data() + at, all.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += size_t(count);
  }
  return true;
}

} // namespace rw::editor
