#include "rw/builder/text_snippet.h"

#include "rw/ir/clone.h"
#include "rw/ir/parser.h"
#include "rw/ir/verifier.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rw {

// Arguments -----------------------------------------------------------------------------------------------------------

SnippetArgs &SnippetArgs::dtype(std::string name, DType t) {
  args_.push_back({.name = std::move(name), .kind = Kind::DType, .dtype = t});
  return *this;
}
SnippetArgs &SnippetArgs::shape(std::string name, std::vector<Dim> dims) {
  args_.push_back({.name = std::move(name), .kind = Kind::Shape, .shape = std::move(dims)});
  return *this;
}
SnippetArgs &SnippetArgs::dims(std::string name, std::vector<int64_t> numbers) {
  args_.push_back({.name = std::move(name), .kind = Kind::Dims, .ints = std::move(numbers)});
  return *this;
}
SnippetArgs &SnippetArgs::integer(std::string name, int64_t number) {
  args_.push_back({.name = std::move(name), .kind = Kind::Int, .ints = {number}});
  return *this;
}
SnippetArgs &SnippetArgs::boolean(std::string name, bool b) {
  args_.push_back({.name = std::move(name), .kind = Kind::Bool, .ints = {b}});
  return *this;
}
SnippetArgs &SnippetArgs::value(std::string name, GraphValue v) {
  args_.push_back({.name = std::move(name), .kind = Kind::Value, .value = std::move(v)});
  return *this;
}

const char *SnippetArgs::kindName(Kind kind) {
  switch (kind) {
  case Kind::DType:
    return "a dtype";
  case Kind::Shape:
    return "a shape";
  case Kind::Dims:
    return "a list of dimension numbers";
  case Kind::Int:
    return "an int";
  case Kind::Bool:
    return "a bool";
  case Kind::Value:
    break;
  }
  return "a value";
}

// Placeholders --------------------------------------------------------------------------------------------------------

/// Finds the placeholders of a text and what each stands for, from the brackets around it.
class TextSnippet::Scanner {
public:
  explicit Scanner(TextSnippet &snippet) : snippet_(snippet), text_(snippet.text_) {}

  void run() {
    while (at_ < text_.size() && !snippet_.scanError_) {
      char c = text_[at_];
      if (c == '"')
        skipQuoted();
      else if (text_.compare(at_, 2, "//") == 0)
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_.compare(at_, 2, "{{") == 0)
        readHole();
      else
        readChar(c);
    }
  }

private:
  static bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  void skipQuoted() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      at_ += text_[at_] == '\\';
    at_ = std::min(at_ + 1, text_.size());
    last_ = '"';
  }
  void readChar(char c) {
    if (c == '(' || c == '{')
      open_ += c;
    else if (c == '[') // right behind an element type: a shape
      open_ += at_ && (isWord(text_[at_ - 1]) || text_[at_ - 1] == '}' || text_[at_ - 1] == '?') ? 's' : '[';
    else if ((c == ')' || c == '}' || c == ']') && !open_.empty())
      open_.pop_back();
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
      last_ = c;
    ++at_;
  }
  void fail(size_t begin, size_t end, std::string message) { snippet_.scanError_ = {begin, end, std::move(message)}; }

  void readHole() {
    size_t begin = at_, close = text_.find_first_of("}\n", begin);
    if (close == text_.npos || text_.compare(close, 2, "}}") != 0)
      return fail(begin, begin + 2, "this placeholder is never closed by `}}`");
    std::string_view name = std::string_view(text_).substr(begin + 2, close - begin - 2);
    while (!name.empty() && name.front() == ' ')
      name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ')
      name.remove_suffix(1);
    at_ = close + 2;
    if (name.empty() || !std::all_of(name.begin(), name.end(), isWord))
      return fail(begin, at_, "a placeholder is a name of letters, digits and `_` in `{{` and `}}`");
    Place place = at_ < text_.size() && text_[at_] == '[' ? Place::TypeHead
                  : !open_.empty() && open_.back() == 's' ? Place::Shape
                  : !open_.empty() && open_.back() == '[' ? Place::AttrElement
                  : last_ == '='                          ? Place::Attr
                                                          : Place::Operand;
    snippet_.holes_.push_back({begin, at_, std::string(name), place});
    last_ = '}';
  }

  TextSnippet &snippet_;
  const std::string &text_;
  size_t at_ = 0;
  std::string open_; // brackets around: `(`, `{`, `[` of a list, `s` of a shape
  char last_ = 0;    // the last character that is no space
};

TextSnippet::TextSnippet(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  Scanner(*this).run();
}

std::vector<std::string> TextSnippet::placeholders() const {
  std::vector<std::string> names;
  for (const Hole &hole : holes_)
    if (std::find(names.begin(), names.end(), hole.name) == names.end())
      names.push_back(hole.name);
  return names;
}

// Filling in ----------------------------------------------------------------------------------------------------------

/// One instantiation: the text filled in, read and checked, every error shown at its place in the snippet.
class TextSnippet::Filler {
public:
  Filler(const TextSnippet &snippet, GraphBuilder &g, const SnippetArgs &args)
      : snippet_(snippet), g_(g), args_(args.args_), file_(sources_.addText(snippet.name_, snippet.text_)),
        program_(std::shared_ptr<Context>(std::shared_ptr<Context>(), &g.context())) {}

  bool run() {
    if (snippet_.scanError_)
      return error("snippet-placeholder", snippet_.scanError_->begin, snippet_.scanError_->end,
                   snippet_.scanError_->message);
    return matchArgs() && fillIn() && read();
  }
  std::string errors() {
    std::string text = diags_.renderText();
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    return text;
  }
  Function &body() { return program_.functions().front(); }
  const std::vector<Value> &values() const { return values_; }

private:
  using Kind = SnippetArgs::Kind;

  SourceRange range(size_t begin, size_t end) const {
    return {sources_.locOf(file_, begin), sources_.locOf(file_, end)};
  }
  bool error(const char *tag, size_t begin, size_t end, std::string message) {
    diags_.error(tag, range(begin, end), std::move(message));
    return false;
  }
  const SnippetArgs::Arg *arg(std::string_view name) const {
    for (const SnippetArgs::Arg &a : args_)
      if (a.name == name)
        return &a;
    return nullptr;
  }
  static bool fits(Kind kind, Place place) {
    switch (place) {
    case Place::Operand:
      return kind == Kind::Value;
    case Place::TypeHead:
      return kind == Kind::DType;
    case Place::Shape:
      return kind == Kind::Shape || kind == Kind::Int;
    case Place::AttrElement:
      return kind == Kind::Int || kind == Kind::Bool || kind == Kind::DType;
    case Place::Attr:
      break;
    }
    return kind != Kind::Value;
  }
  static const char *wanted(Place place) {
    switch (place) {
    case Place::Operand:
      return "a value";
    case Place::TypeHead:
      return "a dtype";
    case Place::Shape:
      return "a shape or an int";
    case Place::AttrElement:
      return "an int, a bool or a dtype";
    case Place::Attr:
      break;
    }
    return "an attribute";
  }

  /// Missing, unused, repeated and mistyped arguments, all of them at once.
  bool matchArgs() {
    std::vector<std::string_view> given, holes;
    for (const SnippetArgs::Arg &a : args_)
      given.push_back(a.name);
    for (const Hole &hole : snippet_.holes_) {
      holes.push_back(hole.name);
      const SnippetArgs::Arg *a = arg(hole.name);
      if (!a) {
        auto report = diags_.error("snippet-missing", range(hole.begin, hole.end),
                                   fmt::format("nothing is given for `{}`", hole.name));
        if (std::string_view near = nearestName(hole.name, given); !near.empty())
          report.note(fmt::format("there is an argument `{}`", near));
      } else if (!fits(a->kind, hole.place)) {
        error("snippet-mistyped", hole.begin, hole.end,
              fmt::format("`{}` is {}, but {} stands here", hole.name, SnippetArgs::kindName(a->kind),
                          wanted(hole.place)));
      }
    }
    std::set<std::string_view> seen;
    for (const SnippetArgs::Arg &a : args_) {
      if (!seen.insert(a.name).second)
        diags_.errorInFile("snippet-argument", snippet_.name_, fmt::format("the argument `{}` is given twice", a.name));
      else if (std::find(holes.begin(), holes.end(), a.name) == holes.end())
        unused(a.name, holes);
      if (a.kind == Kind::Value && !a.value)
        diags_.errorInFile("snippet-argument", snippet_.name_,
                           fmt::format("the argument `{}`: {}", a.name, a.value.error()));
      else if (a.kind == Kind::Value && !g_.isLive(a.value.value()))
        diags_.errorInFile("snippet-argument", snippet_.name_,
                           fmt::format("the argument `{}` is no value of this function", a.name));
      if (a.kind == Kind::DType && a.dtype == DType::Unknown)
        diags_.errorInFile("snippet-argument", snippet_.name_,
                           fmt::format("the argument `{}` is no known dtype", a.name));
    }
    return !diags_.hasErrors();
  }
  void unused(const std::string &name, const std::vector<std::string_view> &holes) {
    std::string message = fmt::format("the argument `{}` fills no placeholder", name);
    message += didYouMean(nearestName(name, holes));
    diags_.errorInFile("snippet-unused", snippet_.name_, std::move(message));
  }

  std::string textOf(const SnippetArgs::Arg &a, Place place) {
    Context &ctx = g_.context();
    std::string list;
    switch (a.kind) {
    case Kind::DType:
      return std::string(dtypeName(a.dtype));
    case Kind::Int:
      return std::to_string(a.ints[0]);
    case Kind::Bool:
      return a.ints[0] ? "true" : "false";
    case Kind::Shape:
      for (Dim d : a.shape)
        list += (list.empty() ? "" : ", ") + ctx.dims().toString(d);
      return place == Place::Shape ? list : "dims<" + list + ">"; // kinds are said, so that declarations can tell them
    case Kind::Dims:
      for (int64_t i : a.ints)
        list += (list.empty() ? "" : ", ") + std::to_string(i);
      return "ints<" + list + ">";
    case Kind::Value:
      break;
    }
    return "%\"{{" + a.name + "}}\"";
  }

  /// A function whose parameters are the values, around the text with everything else written out.
  bool fillIn() {
    std::string params;
    for (const SnippetArgs::Arg &a : args_) {
      if (a.kind != Kind::Value)
        continue;
      params += (values_.empty() ? "" : ", ") + textOf(a, Place::Operand) + ": " +
                g_.context().typeToString(a.value.value().typeId());
      values_.push_back(a.value.value());
    }
    std::string filled = "func @snippet(" + params + ") {";
    size_t at = 0;
    for (const Hole &hole : snippet_.holes_) {
      pieces_.push_back({filled.size(), at, false});
      filled.append(snippet_.text_, at, hole.begin - at);
      pieces_.push_back({filled.size(), hole.begin, true, hole.end});
      filled += textOf(*arg(hole.name), hole.place);
      at = hole.end;
    }
    pieces_.push_back({filled.size(), at, false});
    filled.append(snippet_.text_, at);
    filled += "\n}\n";
    filledFile_ = sources_.addText("<filled>", std::move(filled));
    return filledFile_ || (diags_.errorInFile("snippet-size", snippet_.name_, "the text is too long"), false);
  }

  bool read() {
    Diagnostics found(sources_);
    bool good = parseProgram(filledFile_, sources_, found, program_);
    if (good && program_.functions().size() != 1) {
      found.errorInFile("snippet-syntax", snippet_.name_, "a snippet is the body of one function");
      good = false;
    }
    good = good && verifyProgram(program_, found);
    if (good && g_.create_)
      for (Op op : body().ops(body().body()))
        if (!op.regions().empty() && good) {
          found.error("snippet-regions", {op.loc(), op.loc()}, "ops with regions cannot be made through a rewriter");
          good = false;
        }
    for (const Diagnostic &d : found.all())
      moveBack(d);
    return good;
  }

  /// A diagnostic about the filled text as one about the snippet.
  void moveBack(const Diagnostic &d) {
    auto report = d.range ? diags_.error(d.tag, moveBack(d.range), d.message)
                          : diags_.errorInFile(d.tag, snippet_.name_, d.message);
    for (const Diagnostic::Note &note : d.notes)
      note.range ? report.note(moveBack(note.range), note.message) : report.note(note.message);
  }
  SourceRange moveBack(SourceRange r) const {
    if (!(sources_.fileOf(r.begin) == filledFile_))
      return r;
    size_t begin = moveBack(sources_.offsetOf(r.begin), false);
    size_t end = sources_.fileOf(r.end) == filledFile_ ? moveBack(sources_.offsetOf(r.end), true) : begin;
    return range(begin, std::max(begin, end));
  }
  size_t moveBack(size_t offset, bool isEnd) const {
    size_t original = 0;
    for (const Piece &piece : pieces_) {
      if (offset < piece.filled || (isEnd && offset == piece.filled))
        break;
      original = !piece.hole ? piece.original + (offset - piece.filled) : isEnd ? piece.holeEnd : piece.original;
    }
    return std::min(original, snippet_.text_.size());
  }

  const TextSnippet &snippet_;
  GraphBuilder &g_;
  const std::vector<SnippetArgs::Arg> &args_;
  SourceManager sources_;
  FileId file_, filledFile_;
  Diagnostics diags_{sources_};
  Program program_;
  std::vector<Value> values_; // one per parameter of the filled function
  struct Piece {
    size_t filled, original;
    bool hole;
    size_t holeEnd = 0;
  };
  std::vector<Piece> pieces_;
};

GraphResults TextSnippet::instantiate(GraphBuilder &g, const SnippetArgs &args) const {
  Filler filler(*this, g, args);
  if (!filler.run())
    return g.failed(filler.errors());
  Function &body = filler.body();
  OpCloner cloner(body, g.function());
  for (size_t i = 0; i < filler.values().size(); ++i)
    cloner.map(body.params(body.body())[i], filler.values()[i].id);
  GraphResults results;
  results.builder_ = &g;
  for (Op op : body.ops(body.body())) {
    if (op.kind() == kReturnKind)
      for (unsigned i = 0; i < op.operandCount(); ++i)
        results.values_.push_back(g.function().value(cloner.mapped(op.operand(i).id)));
    else
      cloner.copy(op, [&](KindId kind, std::span<const ValueId> operands, AttrsId attrs,
                          std::span<const TypeId> types) { return g.create(kind, operands, attrs, types); });
  }
  return results;
}

} // namespace rw
