#include "rw/passes/pipeline.h"

#include "rw/passes/backend_pipeline.h"
#include "rw/passes/knobs.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw {
namespace {

constexpr unsigned kMaxDepth = 64;   // of nested repetitions and pipelines
constexpr size_t kMaxItems = 10'000; // after expansion: pipelines that double each other stop here
constexpr unsigned kMaxRepeat = kMaxRepetitions;

bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

class PipelineParser {
public:
  PipelineParser(SourceManager &sources, Diagnostics &diags, const Registry &registry, const PipelineSettings &settings)
      : sources_(sources), diags_(diags), registry_(registry), settings_(settings) {}

  bool parseText(FileId file, std::vector<PipelineItem> &items) {
    FileId outerFile = file_;
    std::string_view outerText = text_;
    size_t outerAt = at_;
    file_ = file;
    text_ = sources_.text(file);
    at_ = 0;
    bool good = parseList(items, false);
    file_ = outerFile;
    text_ = outerText;
    at_ = outerAt;
    return good;
  }

private:
  // Text.
  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size())
      return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skipSpace();
    size_t begin = at_;
    while (at_ < text_.size() && isWordChar(text_[at_]))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// A word, or several with `::` between them or in front.
  std::string_view qualifiedWord() {
    skipSpace();
    size_t begin = at_;
    for (;;) {
      while (at_ < text_.size() && isWordChar(text_[at_]))
        ++at_;
      if (!text_.substr(at_).starts_with("::"))
        return text_.substr(begin, at_ - begin);
      at_ += 2;
    }
  }
  SourceRange range(size_t begin, size_t end) const {
    return {sources_.locOf(file_, begin), sources_.locOf(file_, std::max(end, begin))};
  }
  /// The character at the current place, or the place behind the text.
  SourceRange here() {
    skipSpace();
    return range(at_, std::min(at_ + 1, text_.size()));
  }
  std::string found() {
    skipSpace();
    return at_ < text_.size() ? fmt::format("`{}`", text_[at_]) : std::string("the end");
  }
  bool fail(std::string tag, SourceRange range, std::string message) {
    Diagnostics::Builder error = diags_.error(std::move(tag), range, std::move(message));
    for (size_t i = expanding_.size(); i-- > 0;)
      error.note(expanding_[i].range, fmt::format("in pipeline `{}`, named here", expanding_[i].name));
    return false;
  }

  // Grammar.
  bool parseList(std::vector<PipelineItem> &items, bool nested) {
    auto ends = [&] { return nested ? peek() == '}' : (skipSpace(), at_ >= text_.size()); };
    if (ends())
      return true;
    for (;;) {
      if (!parseItem(items))
        return false;
      if (ends())
        return true;
      size_t comma = at_;
      if (!take(',')) {
        if (at_ >= text_.size())
          return fail("pipeline-brace", here(), "`}` is missing at the end of the repetition");
        if (peek() == '}')
          return fail("pipeline-brace", here(), "this `}` closes nothing");
        return fail("pipeline-syntax", here(), fmt::format("expected `,` between passes, found {}", found()));
      }
      if (ends())
        return fail("pipeline-syntax", range(comma, comma + 1), "expected a pass after this `,`");
    }
  }

  bool parseItem(std::vector<PipelineItem> &items) {
    skipSpace();
    size_t begin = at_;
    std::string_view name = qualifiedWord();
    if (name.empty()) {
      if (peek() == '}' && at_ < text_.size())
        return fail("pipeline-brace", here(), "this `}` closes nothing");
      return fail("pipeline-syntax", here(), fmt::format("expected the name of a pass or pipeline, found {}", found()));
    }
    if (++total_ > kMaxItems)
      return fail("pipeline-size", range(begin, at_),
                  fmt::format("the pipeline has more than {} passes when expanded", kMaxItems));
    if (name == "repeat" && peek() == '(')
      return parseRepeat(begin, items);
    PassOrPipeline stage = meant(name);
    if (stage.pass)
      return parsePass(registry_.shownName(*stage.pass), begin, items,
                       [&](const PassOptions &options) { return registry_.makePass(*stage.pass, options); });
    if (auto own = std::ranges::find(settings_.own, name, &OwnPass::name); own != settings_.own.end())
      return parsePass(own->name, begin, items, own->make);
    if (stage.pipeline)
      return expand(*stage.pipeline, begin, name.size(), items);
    if (!stage.clash.empty())
      return fail("name-clash", range(begin, begin + name.size()), stage.clash);
    if (std::optional<size_t> hook = backendHook(name)) {
      std::string text = settings_.backend ? settings_.backend->text(*hook) : std::string();
      return text.empty() || expand({std::string(name), std::move(text), ""}, begin, name.size(), items);
    }
    if (name == "none" && items.empty() && expanding_.empty())
      return true;
    std::vector<std::string_view> known = registry_.passNames();
    for (std::string_view pipeline : registry_.pipelineNames())
      known.push_back(pipeline);
    for (const OwnPass &own : settings_.own)
      known.push_back(own.name);
    known.push_back("repeat");
    known.insert(known.end(), std::begin(kBackendHooks), std::end(kBackendHooks));
    std::string_view near = nearestName(name, known);
    std::string message = fmt::format("no pass or pipeline named `{}`", name);
    Diagnostics::Builder error = diags_.error("unknown-pass", range(begin, begin + name.size()), message);
    for (size_t i = expanding_.size(); i-- > 0;)
      error.note(expanding_[i].range, fmt::format("in pipeline `{}`, named here", expanding_[i].name));
    if (!registry_.patterns.meant(NameRef(name)).empty())
      error.note(fmt::format("`{0}` is a pattern: `run_patterns{{names=\"{0}\"}}` is a pass that runs it", name));
    else if (!near.empty())
      error.fixIt(range(begin, begin + name.size()), std::string(near));
    return false;
  }

  /// What a name means to the pipeline in whose text it stands.
  PassOrPipeline meant(std::string_view name) const {
    if (expanding_.empty())
      return registry_.stage(name);
    const Expansion &in = expanding_.back();
    auto import = std::ranges::find(in.imports, name, &NameRef::name);
    return registry_.stage(import == in.imports.end() ? NameRef(name) : *import, {in.space, in.file});
  }

  bool parseRepeat(size_t begin, std::vector<PipelineItem> &items) {
    if (++depth_ > kMaxDepth)
      return fail("pipeline-depth", range(begin, at_),
                  fmt::format("repetitions are nested more than {} deep", kMaxDepth));
    take('(');
    skipSpace();
    size_t numberAt = at_;
    std::string_view digits = word();
    unsigned count = digits == "pre" ? settings_.preIterations : digits == "post" ? settings_.postIterations : 0;
    bool good = !digits.empty() && digits.size() <= 7;
    for (char c : count ? std::string_view() : digits) {
      good = good && c >= '0' && c <= '9';
      count = count * 10 + unsigned(c - '0');
    }
    if (!good || count == 0 || count > kMaxRepeat)
      return fail("pipeline-repeat", digits.empty() ? here() : range(numberAt, numberAt + digits.size()),
                  fmt::format("expected how often to repeat: 1 to {}, `pre` or `post`", kMaxRepeat));
    if (!take(')'))
      return fail("pipeline-brace", here(), fmt::format("expected `)` after the number, found {}", found()));
    size_t brace = (skipSpace(), at_);
    if (!take('{'))
      return fail("pipeline-brace", here(), fmt::format("expected `{{` and the passes to repeat, found {}", found()));
    PipelineItem item;
    item.count = count;
    if (!parseList(item.items, true))
      return false;
    if (!take('}'))
      return fail("pipeline-brace", range(brace, brace + 1), "this `{` is never closed");
    --depth_;
    items.push_back(std::move(item));
    return true;
  }

  template <class Make>
  bool parsePass(std::string name, size_t begin, std::vector<PipelineItem> &items, const Make &make) {
    PipelineItem item;
    item.name = std::move(name);
    size_t optionsAt = begin, optionsEnd = at_;
    if (peek() == '{') {
      optionsAt = at_;
      if (!parseOptions(item.options))
        return false;
      optionsEnd = at_;
    }
    MadePass made = make(item.options);
    if (!made)
      return fail("pass-option", range(optionsAt, optionsEnd), made.error());
    item.pass = *std::move(made);
    items.push_back(std::move(item));
    return true;
  }

  bool parseOptions(PassOptions &options) {
    size_t brace = at_;
    take('{');
    while (!take('}')) {
      skipSpace();
      size_t keyAt = at_;
      std::string_view key = word();
      if (key.empty()) {
        if (at_ >= text_.size())
          return fail("pipeline-brace", range(brace, brace + 1), "this `{` is never closed");
        return fail("pipeline-syntax", here(), fmt::format("expected the name of an option, found {}", found()));
      }
      std::string value = "true";
      if (take('=') && !parseValue(value))
        return false;
      if (!options.emplace(key, value).second)
        return fail("pass-option", range(keyAt, keyAt + key.size()), fmt::format("option `{}` is given twice", key));
      if (peek() != '}' && !take(',')) {
        if (at_ >= text_.size())
          return fail("pipeline-brace", range(brace, brace + 1), "this `{` is never closed");
        return fail("pipeline-syntax", here(), fmt::format("expected `,` or `}}` after the option, found {}", found()));
      }
    }
    return true;
  }

  bool parseValue(std::string &value) {
    if (peek() != '"') {
      value = word();
      return !value.empty() ||
             fail("pipeline-syntax", here(), fmt::format("expected the value of the option, found {}", found()));
    }
    size_t quote = at_++;
    value.clear();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
      value += text_[at_++];
    }
    if (at_ >= text_.size())
      return fail("pipeline-syntax", range(quote, quote + 1), "this text is never closed");
    ++at_;
    return true;
  }

  bool expand(const PipelineEntry &entry, size_t begin, size_t length, std::vector<PipelineItem> &items) {
    SourceRange at = range(begin, begin + length);
    if (peek() == '{')
      return fail("pass-option", here(), fmt::format("`{}` is a pipeline and takes no options", entry.name));
    Expansion inner{registry_.shownName(entry), at, entry.imports, entry.space, entry.file, entry.line};
    for (const Expansion &outer : expanding_)
      if (outer.isOf(inner))
        return fail("pipeline-recursion", at, fmt::format("pipeline `{}` names itself", entry.name));
    if (expanding_.size() >= kMaxDepth)
      return fail("pipeline-depth", at, fmt::format("pipelines name each other more than {} deep", kMaxDepth));
    FileId file = sources_.addText(fmt::format("<pipeline {}>", inner.name), entry.text);
    if (!file)
      return fail("pipeline-size", at, "no room for the text of the pipeline");
    expanding_.push_back(std::move(inner));
    bool good = parseText(file, items);
    expanding_.pop_back();
    return good;
  }

  SourceManager &sources_;
  Diagnostics &diags_;
  const Registry &registry_;
  const PipelineSettings &settings_;
  FileId file_;
  std::string_view text_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  size_t total_ = 0;
  struct Expansion {
    std::string name;
    SourceRange range; // where it is named
    std::span<const NameRef> imports;
    std::string_view space, file; // where it is declared
    unsigned line;
    bool isOf(const Expansion &o) const {
      return name == o.name && space == o.space && file == o.file && line == o.line;
    }
  };
  std::vector<Expansion> expanding_;
};

void print(std::string &text, const PipelineItem &item) {
  if (item.name.empty()) {
    text += fmt::format("repeat({}){{", item.count);
    for (size_t i = 0; i < item.items.size(); ++i) {
      text += i ? "," : "";
      print(text, item.items[i]);
    }
    text += "}";
    return;
  }
  text += item.name;
  std::string options;
  for (const auto &[key, value] : item.options) {
    bool plain = !value.empty() && std::all_of(value.begin(), value.end(), isWordChar);
    options += (options.empty() ? "" : ",") + key + "=";
    if (plain) {
      options += value;
      continue;
    }
    options += '"';
    for (char c : value) {
      if (c == '"' || c == '\\')
        options += '\\';
      options += c;
    }
    options += '"';
  }
  if (!options.empty())
    text += "{" + options + "}";
}

} // namespace

bool parsePipeline(FileId file, SourceManager &sources, Diagnostics &diags, const Registry &registry,
                   std::vector<PipelineItem> &items, const PipelineSettings &settings) {
  std::vector<PipelineItem> read;
  if (!PipelineParser(sources, diags, registry, settings).parseText(file, read))
    return false;
  items.insert(items.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  return true;
}

std::string printPipeline(const PipelineItem &item) {
  std::string text;
  print(text, item);
  return text;
}

std::string printPipeline(const std::vector<PipelineItem> &items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i)
    text += (i ? "," : "") + printPipeline(items[i]);
  return text;
}

} // namespace rw
