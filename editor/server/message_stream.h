// Messages of the Language Server Protocol between two file descriptors: a header with a length, then the text.
//
// In:  whatever the client sends.
// Out: one text at a time; a malformed header is reported as such, not as the end.
//
//   MessageStream stream(0, 1);
//   while (stream.next(text, -1) == MessageStream::Status::Message) stream.send(answer(text));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rw::editor {

class MessageStream {
public:
  static constexpr size_t kMaxMessage = 64u << 20;
  enum class Status { Message, Timeout, Malformed, End };

  MessageStream(int in, int out) : in_(in), out_(out) {}
  /// Waits so many milliseconds, -1: for ever.
  Status next(std::string &text, int timeout);
  /// False if the reader is gone.
  bool send(std::string_view text);

private:
  int in_, out_;
  std::string buffer_;
  size_t skip_ = 0; // bytes of a message that was too long
};

} // namespace rw::editor
