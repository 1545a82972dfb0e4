// Writer: indented C++ text, line by line.
//
//   Writer w;
//   w.open("if (a) {");
//   w.line("b();");
//   w.close("}");
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace rw::emit {

class Writer {
public:
  template <class... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    text(fmt::format(format, std::forward<Args>(args)...));
  }
  void text(std::string_view line) {
    if (!line.empty())
      out_.append(indent_ * 2, ' ').append(line);
    out_ += '\n';
  }
  /// Whole lines, not indented.
  void raw(std::string_view lines) { out_ += lines; }
  void blank() { out_ += '\n'; }
  void open(std::string_view line) {
    text(line);
    ++indent_;
  }
  void close(std::string_view line) {
    --indent_;
    text(line);
  }
  void indent() { ++indent_; }
  void dedent() { --indent_; }
  unsigned depth() const { return indent_; }
  void setDepth(unsigned depth) { indent_ = depth; }
  bool empty() const { return out_.empty(); }
  std::string take() { return std::move(out_); }
  std::string &str() { return out_; }

private:
  std::string out_;
  unsigned indent_ = 0;
};

} // namespace rw::emit
