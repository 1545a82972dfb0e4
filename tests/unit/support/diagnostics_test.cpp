#include "rw/support/diagnostics.h"
#include "rw/support/nearest_name.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace rw;

namespace {

struct Fixture {
  SourceManager sources;
  Diagnostics diags{sources};
  FileId file;

  explicit Fixture(std::string text, std::string name = "a.rw") {
    file = sources.addText(std::move(name), std::move(text));
  }
  SourceRange range(size_t begin, size_t end) const { return {sources.locOf(file, begin), sources.locOf(file, end)}; }
  SourceRange find(std::string_view what) const {
    size_t at = sources.text(file).find(what);
    REQUIRE(at != std::string_view::npos);
    return range(at, at + what.size());
  }
};

} // namespace

TEST_CASE("an error with a fix-it and a note looks as documented") {
  Fixture f("op a(x);\npattern P {\n  tranpose(x, perm = p) => x\n}\n", "layout.rw");
  FileId other = f.sources.addText("ops/tensor.rw", "op transpose(x);\n");
  SourceRange decl{f.sources.locOf(other, 3), f.sources.locOf(other, 12)};
  f.diags.error("undefined-op", f.find("tranpose"), "no op named `tranpose`")
      .fixIt(f.find("tranpose"), "transpose")
      .note(decl, "`transpose` is declared here");
  CHECK(f.diags.renderText() == "layout.rw:3:3: error: no op named `tranpose` [undefined-op]\n"
                                "  tranpose(x, perm = p) => x\n"
                                "  ^~~~~~~~\n"
                                "  transpose\n"
                                "ops/tensor.rw:1:4: note: `transpose` is declared here\n");
}

TEST_CASE("columns count code points, carets stand under wide characters and tabs") {
  Fixture f("\tlet äö = 日本 + nix;\n");
  f.diags.error("undefined-name", f.find("nix"), "no `nix`");
  CHECK(f.diags.renderText() == "a.rw:1:16: error: no `nix` [undefined-name]\n"
                                "        let äö = 日本 + nix;\n"
                                "                        ^~~\n");
  Fixture g("日本\tx\n");
  g.diags.warning("w", g.find("x"), "m");
  CHECK(g.diags.renderText() == "a.rw:1:4: warning: m [w]\n日本    x\n        ^\n");
}

TEST_CASE("control characters and invalid bytes are shown, not sent") {
  Fixture f("a\x1b[31m \xff\xfe b\n", "evil\x07.rw");
  f.diags.error("t", f.find("b"), "bad \x1b]0;x");
  CHECK(f.diags.renderText() == "evil<U+0007>.rw:1:11: error: bad <U+001B>]0;x [t]\n"
                                "a<U+001B>[31m <FF><FE> b\n"
                                "                       ^\n");
}

TEST_CASE("a range over lines is underlined to the end of the first; an empty range is one caret") {
  Fixture f("abc def\nghi\n");
  f.diags.error("one", f.range(4, 10), "over two lines");
  f.diags.error("two", f.range(7, 7), "at the line's end");
  f.diags.error("three", f.range(12, 12), "at the file's end");
  CHECK(f.diags.renderText() == "a.rw:1:5: error: over two lines [one]\nabc def\n    ^~~\n"
                                "a.rw:1:8: error: at the line's end [two]\nabc def\n       ^\n"
                                "a.rw:3:1: error: at the file's end [three]\n\n^\n");
}

TEST_CASE("a long line is cut around the caret, whatever its length") {
  std::string text(200000, 'x');
  text.replace(100000, 3, "bad");
  Fixture f(text + "\n");
  f.diags.error("t", f.find("bad"), "m");
  std::string out = f.diags.renderText();
  CHECK(out.size() < 500);
  std::string line = out.substr(out.find('\n') + 1);
  std::string carets = line.substr(line.find('\n') + 1);
  line.resize(line.find('\n'));
  CHECK(line.substr(0, 5) == "...xx");
  CHECK(line.substr(line.size() - 5) == "xx...");
  CHECK(line.find("bad") == carets.find("^~~"));
}

TEST_CASE("a range longer than what is shown stays inside it") {
  Fixture f(std::string(1000, 'y'));
  f.diags.error("t", f.range(0, 1000), "m");
  std::string out = f.diags.renderText();
  CHECK(out.find('^') != std::string::npos);
  CHECK(out.size() < 400);
}

TEST_CASE("source order: by file and place, then what has no place; the same place keeps its order") {
  Fixture f("abc\n");
  FileId second = f.sources.addText("b.rw", "x\n");
  f.diags.errorInFile("bin", "m.onnx", "broken");
  f.diags.error("late", {f.sources.locOf(second, 0), f.sources.locOf(second, 1)}, "b");
  f.diags.error("first", f.range(1, 2), "1");
  f.diags.error("then", f.range(1, 2), "2");
  f.diags.error("start", f.range(0, 1), "0");
  CHECK(f.diags.renderText() == "a.rw:1:1: error: 0 [start]\nabc\n^\n"
                                "a.rw:1:2: error: 1 [first]\nabc\n ^\n"
                                "a.rw:1:2: error: 2 [then]\nabc\n ^\n"
                                "b.rw:1:1: error: b [late]\nx\n^\n"
                                "m.onnx: error: broken [bin]\n");
  CHECK(f.diags.renderText() == "");
  CHECK(f.diags.errorCount() == 5);
  CHECK(f.diags.all().size() == 5);
  f.diags.clear();
  CHECK(!f.diags.hasErrors());
}

TEST_CASE("more errors than the limit are counted, not shown") {
  Fixture f("abc\n");
  for (int i = 0; i < 5; ++i)
    f.diags.error("t", f.range(0, 1), "m");
  f.diags.warning("w", f.range(0, 1), "seen");
  std::string out = f.diags.renderText(false, 2);
  CHECK(out.find("3 more errors\n") != std::string::npos);
  CHECK(out.find("seen") != std::string::npos);
}

TEST_CASE("fix-its: deletion, several on a line, insertion, another line") {
  Fixture f("foo(a,, b)\nend\n");
  f.diags.error("t", f.range(0, 10), "m")
      .fixIt(f.range(6, 7), "")
      .fixIt(f.range(0, 3), "bar")
      .fixIt(f.range(10, 10), ";")
      .fixIt(f.range(11, 14), "stop");
  CHECK(f.diags.renderText() == "a.rw:1:1: error: m [t]\nfoo(a,, b)\n^~~~~~~~~~\n"
                                "      -   ;\nbar\n"
                                "a.rw:2:1: note: write `stop` here\n");
}

TEST_CASE("JSON holds every part") {
  Fixture f("abc\ndef\n");
  f.diags.error("t-a-g", f.range(5, 7), "m\xff")
      .fixIt(f.range(5, 7), "zz")
      .note(f.range(0, 1), "here")
      .note("no place");
  f.diags.warningInFile("w", "x.onnx", "odd");
  auto json = nlohmann::json::parse(f.diags.renderJson());
  REQUIRE(json.size() == 2);
  CHECK(json[0]["severity"] == "error");
  CHECK(json[0]["tag"] == "t-a-g");
  CHECK(json[0]["file"] == "a.rw");
  CHECK(json[0]["line"] == 2);
  CHECK(json[0]["column"] == 2);
  CHECK(json[0]["endColumn"] == 4);
  CHECK(json[0]["offset"] == 5);
  CHECK(json[0]["length"] == 2);
  CHECK(json[0]["fixIts"][0]["replacement"] == "zz");
  CHECK(json[0]["notes"][0]["line"] == 1);
  CHECK(!json[0]["notes"][1].contains("line"));
  CHECK(json[1]["file"] == "x.onnx");
  CHECK(json[1]["severity"] == "warning");
  CHECK(nlohmann::json::parse(f.diags.renderJson()).empty());
}

TEST_CASE("colour wraps, and leaves the text alone") {
  Fixture f("abc\n");
  f.diags.error("t", f.range(0, 1), "m");
  std::string out = f.diags.renderText(true);
  CHECK(out.find("\033[1;31merror: \033[0m") != std::string::npos);
}

TEST_CASE("the nearest name is suggested when it is near enough") {
  std::vector<std::string_view> names{"transpose", "reshape", "relu", "add", "max"};
  CHECK(nearestName("tranpose", names) == "transpose");
  CHECK(nearestName("rehsape", names) == "reshape");
  CHECK(nearestName("Relu", names) == "relu");
  CHECK(nearestName("relu", {"Celu", "Elu", "Relu"}) == "Relu"); // another case is nearer than another letter
  CHECK(nearestName("quantize", names) == "");
  CHECK(nearestName("x", names) == "");
  CHECK(nearestName("", names) == "");
  CHECK(nearestName("mux", {"max", "min", "mul"}) == "max");
  CHECK(nearestName(std::string(100000, 'a'), names) == "");
}

TEST_CASE("a hundred thousand errors on one huge line are reported in linear time") {
  Fixture f(std::string(20'000'000, 'x'));
  for (size_t i = 0; i < 100'000; ++i)
    f.diags.error("t", f.range(i * 200 + 1, i * 200 + 2), "m");
  CHECK(f.diags.renderJson().size() > 1'000'000);
  CHECK(f.sources.lineColumn(f.sources.locOf(f.file, 5)).column == 6);
  CHECK(f.sources.lineColumn(f.sources.locOf(f.file, 7)).column == 8);
  CHECK(f.sources.lineColumn(f.sources.locOf(f.file, 6)).column == 7);
}
