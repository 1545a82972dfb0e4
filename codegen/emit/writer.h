// Writer: C++ text as a list of lines, each with what it declares and which names it uses.
//
// In:  lines, one by one, with their depth of indentation.
// Out: the text; and, from the lines as data, which declarations are not needed and which names the text uses at all.
//
//   Writer w;
//   w.open("if (a) {");
//   w.declare("Value", "x", "operandOf(op, 0)"); // not written unless a line mentions x
//   w.line("b();");
//   w.close("}");
//   w.settle();
//
// A line belongs to the block of the nearest line before it that is less deep. `settle` drops declarations that no line
// uses, with the tests that stand for them alone, moves reads behind the tests that do not need them, and declares a
// name that several blocks share before the first of them.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rw::emit {

struct Line {
  enum Kind : uint8_t {
    Text,
    Test,        // "if (text) leave"; `conditions` are the parts of an `or`
    Declaration, // "type name = init;", or "type name;" if init is empty; without effects
    Raw,         // whole lines, not indented
    Resume,      // "#line" back to the generated file
  };
  Kind kind = Text;
  unsigned depth = 0;
  unsigned source = 0; // the line of the .rw file that it stands for
  std::string text;    // of a declaration: what it is set to
  std::string type, name;
  std::vector<std::string> conditions;
  std::string leave;
  std::string onlyFor;   // written only if a line that is not for this name alone uses it
  bool assigns = false;  // a declaration whose name is declared further out
  bool closes = false;   // a block
  bool late = false;     // a declaration that moves down to its first use
  bool ifFilled = false; // opens a block that goes if nothing is left in it
  std::vector<std::string> uses;
};

/// The names that C++ text uses: identifiers that are not members of something and do not qualify others, quotes and
/// comments left out.
std::vector<std::string> namesIn(std::string_view code);

class Writer {
public:
  template <class... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    text(fmt::format(format, std::forward<Args>(args)...));
  }
  void text(std::string text);
  /// A local variable. `type` must be one that can be made without a value if several blocks may share the name.
  void declare(std::string type, std::string name, std::string init);
  /// A local variable whose value costs time to read and stays as it is while lines test and declare: it is declared
  /// right before the first line that uses it, so that a test that fails earlier saves the read.
  void read(std::string type, std::string name, std::string init) {
    declare(std::move(type), std::move(name), std::move(init));
    lines_.back().late = true;
  }
  /// "if (condition) leave". Tests that stand one behind the other and leave in the same way are written as one.
  void test(std::string condition, std::string leave);
  /// Elements with a comma behind each, as many on a line as 120 columns hold.
  void elements(const std::vector<std::string> &);
  /// The elements with commas between, as many on a line as 120 columns hold, behind `begin`.
  void packed(std::string begin, const std::vector<std::string> &, std::string_view end);
  /// Whole lines, not indented.
  void raw(std::string lines);
  void blank() { text(""); }
  void open(std::string line) {
    text(std::move(line));
    ++indent_;
  }
  /// A block that is not written if all that stands in it falls away.
  void openIfFilled(std::string line) {
    open(std::move(line));
    lines_.back().ifFilled = true;
  }
  void close(std::string line) {
    --indent_;
    text(std::move(line));
    lines_.back().closes = true;
  }
  void indent() { ++indent_; }
  void dedent() { --indent_; }
  unsigned depth() const { return indent_; }
  void setDepth(unsigned depth) { indent_ = depth; }
  bool empty() const { return lines_.empty(); }
  /// The lines of another writer, at their own depth.
  void append(Writer other);
  /// What is written from now on stands for this line of the .rw file; 0: for none. Returns what was so before.
  unsigned at(unsigned line);
  /// Lines written from now on are for `name` alone (Line::onlyFor); empty: for all.
  void onlyFor(std::string name) { onlyFor_ = std::move(name); }
  /// A line that says that the next one is of the generated file again, behind raw lines with a #line of their own.
  void resume();

  /// See above: `prune` drops declarations, `settle` also declares what blocks share.
  void settle();
  void prune();
  /// The names used by any line.
  std::set<std::string, std::less<>> names() const;
  /// Where lines can be inserted later, or from where on they can be taken back.
  size_t mark() const { return lines_.size(); }
  void takeBack(size_t mark) { lines_.resize(mark); }
  void insert(size_t mark, const std::vector<std::string> &lines);

  /// The text, and the lines stay.
  std::string str() const { return Writer(*this).take(); }
  /// The text. With `file` and `generated`, "#line" directives name the lines of `file` that lines stand for.
  std::string take(std::string_view generated = "", std::string_view file = "");

private:
  void moveReads();
  void share();
  void join();

  std::vector<Line> lines_;
  unsigned indent_ = 0, source_ = 0;
  std::string onlyFor_;
};

} // namespace rw::emit
