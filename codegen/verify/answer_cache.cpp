#include "codegen/verify/answer_cache.h"

#include "codegen/verify/solver.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace rw::verify {
namespace {

/// FNV-1a, twice from different beginnings: 128 bits are enough for what nobody chooses to fall together.
struct Digest {
  uint64_t a = 0xcbf29ce484222325u, b = 0x84222325cbf29ce4u;
  void add(std::string_view text) {
    for (unsigned char c : text) {
      a = (a ^ c) * 0x100000001b3u;
      b = (b ^ c) * 0x100000001b3u;
      b ^= b >> 47;
    }
    a = (a ^ text.size()) * 0x100000001b3u; // where a text ends counts
    b = (b ^ ~text.size()) * 0x100000001b3u;
  }
};

/// The program that runs: another one may answer otherwise.
const Digest &ofProgram() {
  static const Digest digest = [] {
    Digest d;
    std::ifstream in("/proc/self/exe", std::ios::binary);
    std::string part(1 << 20, '\0');
    while (in.read(part.data(), std::streamsize(part.size())) || in.gcount() > 0)
      d.add(std::string_view(part).substr(0, size_t(in.gcount())));
    d.add(hasSolver() ? "with a solver" : "");
    return d;
  }();
  return digest;
}

} // namespace

std::string serialised(const Answer &a) {
  nlohmann::json j;
  j["pattern"] = a.pattern;
  j["file"] = a.file;
  j["line"] = a.line;
  j["verdict"] = unsigned(a.verdict);
  j["scope"] = a.scope;
  j["arithmetic"] = a.arithmetic;
  j["cycle"] = a.cycle;
  j["why"] = a.why;
  j["counts"] = {a.instances, a.branches, a.attempts, a.decided, a.everySize, a.someSizes};
  j["per_branch"] = a.perBranch;
  j["test"] = a.test;
  j["counterexample"] = a.counterexample;
  j["model"] = a.model;
  j["questions"] = a.questions;
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Answer> deserialised(std::string_view text) {
  const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
  if (!j.is_object())
    return std::nullopt;
  Answer a;
  auto read = [&](const char *name, auto &to) {
    auto at = j.find(name);
    using T = std::remove_reference_t<decltype(to)>;
    if constexpr (std::is_same_v<T, std::string>) {
      if (at == j.end() || !at->is_string())
        return false;
      to = at->template get<std::string>();
    } else {
      if (at == j.end() || !at->is_number_unsigned())
        return false;
      to = at->template get<unsigned>();
    }
    return true;
  };
  unsigned verdict = 0;
  if (!read("pattern", a.pattern) || !read("file", a.file) || !read("line", a.line) || !read("verdict", verdict) ||
      !read("scope", a.scope) || !read("arithmetic", a.arithmetic) || !read("cycle", a.cycle) || !read("why", a.why) ||
      !read("test", a.test) || !read("counterexample", a.counterexample) || !read("model", a.model) ||
      verdict > unsigned(Verdict::Tag))
    return std::nullopt;
  a.verdict = Verdict(verdict);
  unsigned *const counts[] = {&a.instances, &a.branches, &a.attempts, &a.decided, &a.everySize, &a.someSizes};
  const auto list = j.find("counts"), questions = j.find("questions"), branches = j.find("per_branch");
  if (list == j.end() || !list->is_array() || list->size() != std::size(counts) || questions == j.end() ||
      !questions->is_array() || branches == j.end() || !branches->is_object())
    return std::nullopt;
  for (const auto &[branch, count] : branches->items()) {
    if (!count.is_number_unsigned())
      return std::nullopt;
    a.perBranch[branch] = count.get<unsigned>();
  }
  for (size_t i = 0; i < std::size(counts); ++i) {
    if (!(*list)[i].is_number_unsigned())
      return std::nullopt;
    *counts[i] = (*list)[i].get<unsigned>();
  }
  for (const nlohmann::json &q : *questions) {
    if (!q.is_string())
      return std::nullopt;
    a.questions.push_back(q.get<std::string>());
  }
  return a;
}

AnswerCache::AnswerCache(std::string folder, const SourceManager &sources, unsigned programs)
    : folder_(std::move(folder)) {
  Digest d = ofProgram();
  d.add(std::to_string(programs));
  for (uint32_t i = 0; i < sources.fileCount(); ++i)
    d.add(sources.text(FileId(i)));
  key_[0] = d.a;
  key_[1] = d.b;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
}

std::string AnswerCache::pathOf(std::string_view pattern, unsigned line) const {
  Digest d{key_[0], key_[1]};
  d.add(pattern);
  d.add(std::to_string(line));
  return fmt::format("{}/{:016x}{:016x}.json", folder_, d.a, d.b);
}

std::optional<Answer> AnswerCache::find(std::string_view pattern, unsigned line) const {
  std::ifstream in(pathOf(pattern, line), std::ios::binary);
  if (!in)
    return std::nullopt;
  std::optional<Answer> answer = deserialised(std::string(std::istreambuf_iterator<char>(in), {}));
  return answer && answer->pattern == pattern ? answer : std::nullopt;
}

void AnswerCache::keep(const Answer &answer) const {
  const std::string path = pathOf(answer.pattern, answer.line), own = fmt::format("{}.{}", path, getpid());
  {
    std::ofstream out(own, std::ios::binary);
    out << serialised(answer);
    if (!out.flush())
      return;
  }
  std::error_code ignored; // as a whole, or not at all
  std::filesystem::rename(own, path, ignored);
}

} // namespace rw::verify
