#include "rw/support/source.h"
#include "rw/support/utf8.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

using namespace rw;

TEST_CASE("positions go to file, line and column and back") {
  SourceManager sources;
  FileId a = sources.addText("a", "one\ntwo\r\n\nlast");
  FileId empty = sources.addText("empty", "");
  FileId b = sources.addText("b", "x\n");
  auto at = [&](FileId f, size_t offset) {
    LineColumn lc = sources.lineColumn(sources.locOf(f, offset));
    CHECK(sources.line(sources.locOf(f, offset)) == lc.line);
    return std::pair(lc.line, lc.column);
  };
  CHECK(at(a, 0) == std::pair(1u, 1u));
  CHECK(at(a, 3) == std::pair(1u, 4u));
  CHECK(at(a, 4) == std::pair(2u, 1u));
  CHECK(at(a, 9) == std::pair(3u, 1u));
  CHECK(at(a, 14) == std::pair(4u, 5u));
  CHECK(at(a, 9999) == std::pair(4u, 5u));
  CHECK(at(b, 2) == std::pair(2u, 1u));
  CHECK(sources.lineText(sources.locOf(a, 5)) == "two");
  CHECK(sources.lineText(sources.locOf(a, 8)) == "two");
  CHECK(sources.lineText(sources.locOf(a, 9)) == "");
  CHECK(sources.lineText(sources.locOf(a, 14)) == "last");
  CHECK(sources.fileOf(sources.locOf(a, 14)) == a);
  CHECK(sources.fileOf(sources.locOf(empty, 0)) == empty);
  CHECK(sources.fileOf(sources.locOf(b, 0)) == b);
  CHECK(sources.offsetOf(sources.locOf(b, 1)) == 1);
  CHECK(sources.describe(sources.locOf(b, 0)) == "b:1:1");
}

TEST_CASE("the unknown position belongs nowhere") {
  SourceManager sources;
  CHECK(!sources.fileOf({}));
  CHECK(sources.describe({}) == "<unknown>");
  sources.addText("a", "x");
  CHECK(!sources.fileOf({}));
  CHECK(!sources.fileOf({1000}));
  CHECK(sources.lineText({1000}) == "");
  CHECK(sources.lineColumn({}).line == 0);
}

TEST_CASE("files are read whole; failures give the system's reason") {
  std::string path = (std::filesystem::temp_directory_path() / ("rw_source_" + std::to_string(std::rand()))).string();
  std::ofstream(path, std::ios::binary) << std::string("a\0b\r\n", 5);
  SourceManager sources;
  Result<FileId> id = sources.addFile(path);
  REQUIRE(id);
  CHECK(sources.text(*id) == std::string_view("a\0b\r\n", 5));
  std::filesystem::remove(path);
  id = sources.addFile(path);
  REQUIRE(!id);
  CHECK(id.error() == "No such file or directory");
  id = sources.addFile("/");
  REQUIRE(!id);
  CHECK(id.error() == "Is a directory");
}

TEST_CASE("UTF-8: what is not a code point is one invalid byte") {
  CHECK(utf8::count("aä日😀") == 4);
  CHECK(utf8::isValid("aä日😀"));
  for (std::string_view bad : {"\x80", "\xc0\x80", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe6\x97", "\xf8"}) {
    CAPTURE(bad);
    CHECK(!utf8::isValid(bad));
    CHECK(utf8::count(bad) == bad.size());
  }
  CHECK(utf8::safe("a\tb\xff\u202e") == "a<U+0009>b<FF><U+202E>");
  CHECK(utf8::width(utf8::decode("日", 0)) == 2);
  CHECK(utf8::width(utf8::decode("\u0301", 0)) == 0);
}
