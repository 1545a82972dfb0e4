#include "corpus.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace fs = std::filesystem;

namespace rw::fuzz {

namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isName(std::string_view token) { return isWord(token[0]) && !std::isdigit(static_cast<unsigned char>(token[0])); }
bool isSpace(std::string_view token) {
  return std::isspace(static_cast<unsigned char>(token[0])) || token.starts_with("//") || token.starts_with("/*");
}

bool beginsDeclaration(std::string_view word) {
  static const std::set<std::string_view> words = {
      "dialect", "import",     "op",      "fn",   "pattern",  "match",      "set",  "trait", "extern",
      "private", "constraint", "rewrite", "pass", "pipeline", "conversion", "test", "for"};
  return words.contains(word);
}

std::string contents(const fs::path &path) {
  std::ifstream in(path);
  std::stringstream stream;
  stream << in.rdbuf();
  return stream.str();
}

/// The declarations of a text, each with the space before it.
std::vector<Tokens> declarationsOf(const Tokens &text) {
  std::vector<Tokens> out;
  Tokens now;
  int depth = 0;
  std::string_view first;
  bool isTemplate = false; // a `for` whose `pattern` is still to come
  auto end = [&] {
    out.push_back(std::move(now));
    now.clear();
    first = {};
    isTemplate = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string &token = text[i];
    now.push_back(token);
    if (isSpace(token))
      continue;
    if (first.empty())
      first = token, isTemplate = token == "for";
    isTemplate = isTemplate && token != "pattern";
    depth += token == "(" || token == "[" || token == "{" ? 1 : token == ")" || token == "]" || token == "}" ? -1 : 0;
    if (depth > 0 || isTemplate)
      continue;
    if (token == ";")
      end();
    else if (token == "}") {
      size_t next = i + 1;
      while (next < text.size() && isSpace(text[next]))
        ++next;
      if (next == text.size() || beginsDeclaration(text[next]))
        end();
    }
  }
  return out;
}

} // namespace

size_t below(Random &random, size_t n) { return n ? random() % n : 0; }

Tokens split(std::string_view text) {
  Tokens out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    auto upTo = [&](std::string_view sign) {
      size_t at = text.find(sign, i + 2);
      end = at == std::string_view::npos ? text.size() : at + sign.size();
    };
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    else if (text[i] == '"')
      end = std::min(text.find_first_of("\"\n", end), text.size() - 1) + 1;
    else if (text.substr(i, 2) == "//")
      end = std::min(text.find('\n', i), text.size());
    else if (text.substr(i, 2) == "/*")
      upTo("*/");
    else if (text.substr(i, 2) == "[{")
      upTo("}]");
    out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string join(const Tokens &tokens) {
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

Corpus::Corpus(const std::vector<std::string> &paths, const std::vector<std::string> &importDirs, size_t most) {
  std::vector<fs::path> found;
  for (const std::string &path : paths)
    if (fs::is_directory(path))
      for (const auto &entry : fs::recursive_directory_iterator(path)) {
        if (entry.path().extension() == ".rw" || entry.path().extension() == ".golden")
          found.push_back(entry.path());
      }
    else
      found.push_back(path);
  std::ranges::sort(found); // the same runs on every machine
  dialects_.emplace_back();
  std::vector<std::pair<uint32_t, std::string>> added;
  for (const fs::path &path : found) {
    std::string text = contents(path);
    if (path.extension() == ".rw") {
      added.emplace_back(add(path.string(), text), path.string());
      continue;
    }
    for (size_t at = 0; (at = text.find("==== file ", at)) != std::string::npos;) {
      size_t line = text.find('\n', at), end = std::min(text.find("\n==== ", line), text.size());
      std::string name = line == std::string::npos ? "" : text.substr(at + 10, line - at - 10);
      if (name.ends_with(".rw")) // as if the golden were a folder
        added.emplace_back(add((path / name).string(), text.substr(line + 1, end - line)), (path / name).string());
      at = end;
    }
  }
  for (const auto &[file, path] : added) {
    resolve(file, path, importDirs);
    for (uint32_t i = 0; i < files_[file].decls.size(); ++i)
      if (files_[file].decls[i].kind != "op" || i % 8 == 0) // there are so many of them
        all_.push_back({file, i});
  }
  std::erase_if(wholes_, [&](const Tokens &t) { return t.empty() || t.size() > most; });
}

uint32_t Corpus::add(const std::string &path, const std::string &text) {
  uint32_t id = uint32_t(files_.size());
  byPath_[path] = id;
  files_.emplace_back();
  File &file = files_.back();
  wholes_.push_back(split(text));
  uint32_t dialect = 0;
  for (Tokens &tokens : declarationsOf(wholes_.back())) {
    std::vector<size_t> words; // of what is not space
    for (size_t i = 0; i < tokens.size(); ++i)
      if (!isSpace(tokens[i]))
        words.push_back(i);
    auto word = [&](size_t i) { return i < words.size() ? std::string_view(tokens[words[i]]) : std::string_view(); };
    if (word(0) == "import") {
      if (word(1).size() > 2)
        file.importTexts.emplace_back(word(1).substr(1, word(1).size() - 2));
      continue;
    }
    if (word(0) == "dialect") {
      dialect = uint32_t(dialects_.size());
      dialects_.push_back(std::move(tokens));
      continue;
    }
    size_t at = 0;
    while (word(at) == "private" || word(at) == "extern" || word(at) == "for") {
      if (word(at) == "for")
        while (at < words.size() && word(at) != "pattern")
          ++at;
      else
        ++at;
    }
    Decl decl;
    decl.dialect = dialect;
    const size_t kind = at < words.size() ? words[at] : 0, name = at + 1 < words.size() ? words[at + 1] : 0;
    decl.tokens = std::move(tokens);
    decl.kind = decl.tokens[kind];
    decl.name = name ? std::string_view(decl.tokens[name]) : std::string_view();
    file.decls.push_back(std::move(decl));
  }
  for (uint32_t i = 0; i < file.decls.size(); ++i) {
    const Decl &decl = file.decls[i];
    (decl.kind == "test" ? file.tests : file.byName).emplace(decl.name, i);
  }
  return id;
}

/// Which files the imports are; those that nobody has added are added as imports alone.
void Corpus::resolve(uint32_t id, const std::string &path, const std::vector<std::string> &importDirs) {
  std::vector<std::string> texts = std::move(files_[id].importTexts);
  files_[id].importTexts.clear();
  for (const std::string &text : texts) {
    std::vector<std::string> tries = {(fs::path(path).parent_path() / text).lexically_normal().string()};
    for (const std::string &dir : importDirs)
      tries.push_back((fs::path(dir) / text).lexically_normal().string());
    for (const std::string &each : tries) {
      auto known = byPath_.find(each);
      if (known == byPath_.end() && !fs::is_regular_file(each))
        continue;
      uint32_t imported = known != byPath_.end() ? known->second : add(each, contents(each));
      resolve(imported, each, importDirs);
      std::vector<uint32_t> &imports = files_[id].imports;
      for (uint32_t further : files_[imported].imports)
        imports.push_back(further);
      imports.push_back(imported);
      std::ranges::sort(imports);
      imports.erase(std::ranges::unique(imports).begin(), imports.end());
      break;
    }
  }
}

const std::vector<Corpus::Ref> &Corpus::uses(Ref at) {
  Decl &decl = files_[at.file].decls[at.decl];
  if (decl.uses)
    return *decl.uses;
  std::set<Ref> found;
  auto look = [&](uint32_t file, std::string_view word) {
    const auto &names = files_[file].byName;
    auto [first, last] = names.equal_range(word);
    if (first == last && first != names.begin()) { // `Merge_` of `Merge_add_mul`
      auto before = std::prev(first);
      if (before->first.ends_with('_') && word.starts_with(before->first))
        std::tie(first, last) = names.equal_range(before->first);
    }
    for (; first != last; ++first)
      found.insert({file, first->second});
  };
  std::set<std::string_view> words;
  for (const std::string &token : decl.tokens)
    if (isName(token))
      words.insert(token);
  if (decl.kind == "pattern") // what it computes may become a constant
    words.insert({"constant", "Constant"});
  for (std::string_view word : words) {
    look(at.file, word);
    for (uint32_t file : files_[at.file].imports)
      look(file, word);
  }
  found.erase(at);
  decl.uses.emplace(found.begin(), found.end());
  return *decl.uses;
}

const Tokens &Corpus::whole(Random &random) const { return pick(random, wholes_); }

Tokens Corpus::small(Random &random) {
  constexpr size_t kMostDeclarations = 40;
  std::set<Ref> chosen;
  Ref first = pick(random, all_);
  for (size_t n = 1 + below(random, 3); n > 0; --n) {
    std::vector<Ref> open;
    const File &file = files_[first.file];
    Ref root = chosen.empty() ? first : Ref{first.file, uint32_t(below(random, file.decls.size()))};
    open.push_back(root);
    const Decl &decl = file.decls[root.decl];
    if (auto test = file.tests.find(decl.name); test != file.tests.end() && below(random, 4))
      open.push_back({root.file, test->second});
    while (!open.empty() && chosen.size() < kMostDeclarations) {
      Ref at = open.back();
      open.pop_back();
      if (!chosen.insert(at).second)
        continue;
      const std::vector<Ref> &more = uses(at);
      open.insert(open.end(), more.begin(), more.end());
    }
    if (chosen.size() > kMostDeclarations / 2)
      break;
  }
  Tokens out;
  uint32_t dialect = 0;
  for (Ref at : chosen) {
    const Decl &decl = files_[at.file].decls[at.decl];
    if (decl.dialect != dialect && decl.dialect) {
      out.insert(out.end(), dialects_[decl.dialect].begin(), dialects_[decl.dialect].end());
      out.push_back("\n");
      dialect = decl.dialect;
    }
    out.insert(out.end(), decl.tokens.begin(), decl.tokens.end());
    out.push_back("\n");
  }
  return out;
}

} // namespace rw::fuzz
