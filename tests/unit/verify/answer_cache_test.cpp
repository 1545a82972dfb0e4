// Answers that are kept: whole, by content, and never half.
#include "codegen/verify/answer_cache.h"

#include "rw/support/source.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace rw;
using namespace rw::verify;

namespace {
Answer anAnswer() {
  Answer a;
  a.pattern = "A";
  a.file = "a.rw";
  a.line = 3;
  a.verdict = Verdict::Tag;
  a.scope = "60 classes";
  a.arithmetic = "over the reals";
  a.why = "0.0 before, -0.0 after";
  a.instances = 60;
  a.perBranch = {{"0", 29}, {"1,0", 31}};
  a.decided = 59;
  a.everySize = 7;
  a.test = "test A () {\n}\n";
  a.counterexample = a.test;
  a.model = "func";
  a.questions = {"(check-sat)"};
  return a;
}
} // namespace

TEST_CASE("an answer is what it was when it is read again") {
  const Answer a = anAnswer();
  const std::optional<Answer> b = deserialised(serialised(a));
  REQUIRE(b);
  CHECK(serialised(*b) == serialised(a));
  CHECK(lineOf(*b) == lineOf(a));
  CHECK(jsonOf(*b) == jsonOf(a));
}

TEST_CASE("what is no answer is none") {
  const std::string whole = serialised(anAnswer());
  for (size_t end = 0; end < whole.size(); end += 7)
    CHECK_FALSE(deserialised(std::string_view(whole).substr(0, end)));
  CHECK_FALSE(deserialised("[]"));
  CHECK_FALSE(deserialised("{\"pattern\": 1}"));
}

TEST_CASE("answers are found by texts, name and line") {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("rw_answers_" + std::to_string(getpid()))).string();
  std::filesystem::remove_all(folder);
  SourceManager sources, others;
  sources.addText("a.rw", "pattern A {}");
  others.addText("a.rw", "pattern A { }");
  const AnswerCache cache(folder, sources, 2000);
  CHECK_FALSE(cache.find("A", 3));
  cache.keep(anAnswer());
  REQUIRE(cache.find("A", 3));
  CHECK(serialised(*cache.find("A", 3)) == serialised(anAnswer()));
  CHECK_FALSE(cache.find("A", 4));
  CHECK_FALSE(cache.find("B", 3));
  CHECK_FALSE(AnswerCache(folder, others, 2000).find("A", 3));
  CHECK_FALSE(AnswerCache(folder, sources, 100).find("A", 3));
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    std::ofstream(entry.path()) << "{";
  CHECK_FALSE(cache.find("A", 3));
  std::filesystem::remove_all(folder);
}
