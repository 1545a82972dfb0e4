#include "codegen/emit/writer.h"

#include "codegen/emit/names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace rw::emit {

std::vector<std::string> namesIn(std::string_view code) {
  std::vector<std::string> out;
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < code.size();) {
    if (code.substr(i).starts_with("//")) {
      i = std::min(code.find('\n', i), code.size());
    } else if (code[i] == '"') {
      for (++i; i < code.size() && code[i] != '"'; ++i)
        i += code[i] == '\\';
      ++i;
    } else if (isWord(code[i])) {
      size_t begin = i;
      while (i < code.size() && isWord(code[i]))
        ++i;
      bool member = begin > 0 && code[begin - 1] == '.' && !(begin > 2 && code.substr(begin - 3, 3) == "...");
      bool qualifier = code.substr(i).starts_with("::"); // of a namespace, which may be called like a variable
      if (!member && !qualifier && !std::isdigit(static_cast<unsigned char>(code[begin])))
        out.emplace_back(code.substr(begin, i - begin));
    } else {
      ++i;
    }
  }
  return out;
}

void Writer::text(std::string text) {
  Line l{.depth = indent_, .source = source_, .onlyFor = onlyFor_};
  l.uses = namesIn(text);
  l.text = std::move(text);
  lines_.push_back(std::move(l));
}

void Writer::test(std::string condition, std::string leave) {
  Line l{.kind = Line::Test, .depth = indent_, .source = source_, .leave = std::move(leave), .onlyFor = onlyFor_};
  l.uses = namesIn(condition);
  for (std::string &used : namesIn(l.leave))
    l.uses.push_back(std::move(used));
  l.conditions.push_back(std::move(condition));
  lines_.push_back(std::move(l));
}

void Writer::declare(std::string type, std::string name, std::string init) {
  Line l{.kind = Line::Declaration, .depth = indent_, .source = source_, .onlyFor = onlyFor_};
  l.uses = namesIn(init);
  for (std::string &used : namesIn(type))
    l.uses.push_back(std::move(used));
  l.text = std::move(init);
  l.type = std::move(type);
  l.name = std::move(name);
  lines_.push_back(std::move(l));
}

void Writer::elements(const std::vector<std::string> &list) {
  std::string line;
  for (const std::string &element : list) {
    if (!line.empty() && indent_ * 2 + line.size() + element.size() + 2 > 120)
      text(std::exchange(line, ""));
    line += (line.empty() ? "" : " ") + element + ",";
  }
  if (!line.empty())
    text(std::move(line));
}

void Writer::packed(std::string begin, const std::vector<std::string> &list, std::string_view end) {
  std::string line = std::move(begin);
  bool starts = true; // the line has no element yet
  for (size_t i = 0; i < list.size(); ++i) {
    std::string element = list[i] + std::string(i + 1 < list.size() ? "," : end);
    if (!starts && indent_ * 2 + line.size() + element.size() + 1 > 120) {
      text(std::exchange(line, "  "));
      starts = true;
    }
    line += (starts ? "" : " ") + element;
    starts = false;
  }
  text(std::move(line));
}

void Writer::raw(std::string lines) {
  Line l{.kind = Line::Raw, .depth = indent_, .source = source_};
  l.uses = namesIn(lines);
  l.text = std::move(lines);
  lines_.push_back(std::move(l));
}

void Writer::resume() { lines_.push_back({.kind = Line::Resume}); }

void Writer::append(Writer other) {
  for (Line &l : other.lines_)
    lines_.push_back(std::move(l));
}

unsigned Writer::at(unsigned line) { return std::exchange(source_, line); }

void Writer::insert(size_t mark, const std::vector<std::string> &lines) {
  std::vector<Line> more;
  for (const std::string &text : lines)
    more.push_back({.text = text});
  lines_.insert(lines_.begin() + long(mark), more.begin(), more.end());
}

std::set<std::string, std::less<>> Writer::names() const {
  std::set<std::string, std::less<>> out;
  for (const Line &l : lines_)
    out.insert(l.uses.begin(), l.uses.end());
  return out;
}

// Declarations ----------------------------------------------------------------------------------------------------

void Writer::settle() {
  prune();
  moveReads();
  share();
  join();
}

/// Whether a line may edit the program by `rw`, the rewriter: all that it does but recalling.
static bool mayEdit(const Line &l) {
  return std::ranges::find(l.uses, "rw") != l.uses.end() && l.text.find("rw.recall(") == std::string::npos;
}

/// The last first, so that a read that another one needs comes to stand before it. They stay in their block, and go
/// past tests and declarations only.
void Writer::moveReads() {
  for (size_t i = lines_.size(); i-- > 0;) {
    if (!lines_[i].late)
      continue;
    size_t to = i + 1;
    auto passes = [&](const Line &l) {
      return l.depth == lines_[i].depth && (l.kind == Line::Test || l.kind == Line::Declaration) && !mayEdit(l) &&
             l.name != lines_[i].name && std::ranges::find(l.uses, lines_[i].name) == l.uses.end();
    };
    while (to < lines_.size() && passes(lines_[to]))
      ++to;
    std::rotate(lines_.begin() + long(i), lines_.begin() + long(i) + 1, lines_.begin() + long(to));
  }
}

void Writer::join() {
  std::vector<Line> joined;
  for (Line &l : lines_) {
    Line *last = joined.empty() ? nullptr : &joined.back();
    if (!last || last->kind != Line::Test || l.kind != Line::Test || last->leave != l.leave || last->depth != l.depth ||
        last->source != l.source) {
      joined.push_back(std::move(l));
      continue;
    }
    last->conditions.insert(last->conditions.end(), l.conditions.begin(), l.conditions.end());
    last->uses.insert(last->uses.end(), l.uses.begin(), l.uses.end());
  }
  lines_ = std::move(joined);
}

/// Drops declarations that no line uses, until none is left. What tests a variable alone goes with it.
void Writer::prune() {
  for (bool again = true; again;) {
    std::map<std::string, unsigned, std::less<>> needed; // uses by lines that are not for the name alone
    for (const Line &l : lines_)
      for (const std::string &name : l.uses)
        needed[name] += l.onlyFor != name && !(l.kind == Line::Declaration && l.name == name);
    size_t before = lines_.size();
    std::erase_if(lines_, [&](const Line &l) {
      return (l.kind == Line::Declaration && !needed[l.name]) || (!l.onlyFor.empty() && !needed[l.onlyFor]);
    });
    for (size_t i = 0; i + 1 < lines_.size(); ++i) // blocks with nothing left in them
      if (lines_[i].ifFilled && lines_[i + 1].closes)
        lines_.erase(lines_.begin() + long(i), lines_.begin() + long(i) + 2);
    again = lines_.size() != before;
  }
}

/// Names declared in one block and used outside it, or declared in several: once, before all of them.
void Writer::share() {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> parent(lines_.size(), kNone), open;
  std::map<std::string, std::vector<size_t>, std::less<>> mentions;
  std::map<std::string, std::vector<size_t>, std::less<>> declared;
  for (size_t i = 0; i < lines_.size(); ++i) {
    while (!open.empty() && lines_[open.back()].depth >= lines_[i].depth)
      open.pop_back();
    parent[i] = open.empty() ? kNone : open.back();
    open.push_back(i);
    if (lines_[i].kind == Line::Declaration) {
      declared[lines_[i].name].push_back(i);
      mentions[lines_[i].name].push_back(i);
    }
    for (const std::string &name : lines_[i].uses)
      mentions[name].push_back(i);
  }
  auto blocks = [&](size_t i) { // from the outermost to its own
    std::vector<size_t> out;
    for (size_t b = parent[i]; b != kNone; b = parent[b])
      out.push_back(b);
    std::ranges::reverse(out);
    return out;
  };
  std::vector<std::pair<size_t, Line>> inserted;
  for (auto &[name, places] : declared) {
    std::vector<size_t> &all = mentions[name];
    size_t first = std::ranges::min(all);
    std::vector<size_t> common = blocks(first);
    for (size_t i : all) {
      std::vector<size_t> other = blocks(i);
      size_t same = 0;
      while (same < common.size() && same < other.size() && common[same] == other[same])
        ++same;
      common.resize(same);
    }
    size_t block = common.empty() ? kNone : common.back();
    bool inPlace = lines_[first].kind == Line::Declaration && lines_[first].name == name && parent[first] == block;
    for (size_t i : places)
      lines_[i].assigns = !(inPlace && i == first);
    if (inPlace)
      continue;
    size_t before = first; // the line of the common block that leads to the first mention
    while (parent[before] != block)
      before = parent[before];
    unsigned depth = lines_[before].depth;
    // before `if`, not before its `} else {`
    while (before > 0 && (lines_[before].closes || lines_[before].depth > depth))
      --before;
    inserted.push_back({before,
                        {.kind = Line::Declaration,
                         .depth = lines_[before].depth,
                         .source = lines_[before].source,
                         .type = lines_[places[0]].type,
                         .name = name}});
  }
  std::ranges::stable_sort(inserted, {}, &std::pair<size_t, Line>::first);
  for (size_t i = inserted.size(); i-- > 0;)
    lines_.insert(lines_.begin() + long(inserted[i].first), std::move(inserted[i].second));
}

// Text ------------------------------------------------------------------------------------------------------------

static std::string testText(const Line &l) {
  std::string text = "if (", indent(l.depth * 2, ' ');
  size_t column = indent.size() + text.size();
  for (size_t i = 0; i < l.conditions.size(); ++i) {
    bool mixed = l.conditions.size() > 1 &&
                 (l.conditions[i].find("&&") != std::string::npos || l.conditions[i].find(" ? ") != std::string::npos);
    std::string part = mixed ? "(" + l.conditions[i] + ")" : l.conditions[i];
    if (i > 0 && column + part.size() + 5 > 120) {
      text += " ||\n" + indent + "    ";
      column = indent.size() + 4;
    } else if (i > 0) {
      text += " || ";
      column += 4;
    }
    text += part;
    column += part.size();
  }
  if (text.find('\n') == std::string::npos && column + l.leave.size() + 2 <= 120) // one step, one line
    return fmt::format("{}) {}", text, l.leave);
  return fmt::format("{})\n{}  {}", text, indent, l.leave);
}

static std::string textOf(const Line &l) {
  if (l.kind == Line::Test)
    return testText(l);
  if (l.kind != Line::Declaration)
    return l.text;
  std::string type = l.type.ends_with('&') ? l.type : l.type + " ";
  if (l.assigns)
    return fmt::format("{} = {};", l.name, l.text.empty() ? l.type + "()" : l.text);
  return l.text.empty() ? fmt::format("{}{};", type, l.name) : fmt::format("{}{} = {};", type, l.name, l.text);
}

std::string Writer::take(std::string_view generated, std::string_view file) {
  std::string out;
  size_t lines = 0, counted = 0;
  auto number = [&] { // of the next line
    for (; counted < out.size(); ++counted)
      lines += out[counted] == '\n';
    return lines + 1;
  };
  unsigned expected = 0;            // what a debugger takes the next line for; 0: a line of the generated file
  auto say = [&](unsigned source) { // which line the next one stands for
    if (file.empty() || source == expected)
      return;
    out += source ? fmt::format("#line {} {}\n", source, cppString(file))
                  : fmt::format("#line {} {}\n", number() + 1, cppString(generated));
    expected = source;
  };
  for (const Line &l : lines_) {
    if (l.kind == Line::Resume) {
      out += fmt::format("#line {} {}\n", number() + 1, cppString(generated));
      expected = 0;
      continue;
    }
    say(l.source);
    std::string text = textOf(l);
    if (l.kind == Line::Raw) {
      out += text;
      continue;
    }
    if (!text.empty())
      out.append(l.depth * 2, ' ');
    for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) { // further lines stand for the same one
      end = text.find('\n', begin);
      if (begin > 0)
        say(l.source);
      out.append(text, begin, end == std::string::npos ? end : end - begin) += '\n';
      expected += expected != 0;
    }
  }
  lines_.clear();
  return out;
}

} // namespace rw::emit
