// A long text parsed by two threads is parsed as by one: the same tree, the same messages.
#include "frontend/parse/parse.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using namespace rw;

namespace {

struct TreeAndText {
  std::string tree, said;
  size_t strayDocs;
};

TreeAndText treeAndText(const std::string &text, unsigned threads) {
  SourceManager sources;
  Diagnostics diags(sources);
  const FileId file = sources.addText("long.rw", text);
  const std::unique_ptr<ast::Module> module = parseModule(file, sources, diags, threads);
  TreeAndText out{{}, diags.renderText(), module->strayDocs.size()};
  ast::dump(*module, sources, out.tree);
  return out;
}

/// `odd`: a line in the place of one of the patterns.
std::string longText(size_t at, const std::string &odd) {
  std::string text = "dialect d;\n/// An op.\nop relu(x: tensor) -> tensor { traits pure; require x.rank > 0, \"a "
                     "rank, not {x.rank}\"; type x.type; }\n";
  for (size_t i = 0; i < 600; ++i)
    text +=
        i == at
            ? odd + "\n"
            : fmt::format(
                  "/// Number {0}.\npattern P{0} label \"l{0}\" {{ relu(relu(x)) where x.rank == {0} => relu(x) }}\n",
                  i);
  return text;
}

} // namespace

TEST_CASE("a long text is parsed by two threads as by one") {
  const std::string fine = "fn f(n: int) -> int = n + 1;";
  for (const std::string &odd : {fine, std::string("/// of nothing\n\n"), std::string("pattern Wrong { relu( => x }"),
                                 std::string("patern Q { relu(x) => x }"), std::string("pattern Q { relu(x) => \"a"),
                                 std::string("}"), std::string("fn g(n: int) -> int = 99999999999999999999;")})
    for (size_t at : {0, 1, 298, 299, 300, 301, 302, 303, 598, 599}) {
      const std::string text = longText(at, odd);
      const TreeAndText one = treeAndText(text, 1), two = treeAndText(text, 2);
      CHECK_MESSAGE(one.tree == two.tree, odd, " at ", at);
      CHECK(one.said == two.said);
      CHECK(one.strayDocs == two.strayDocs);
      CHECK(one.said.empty() == (odd == fine || odd.starts_with("///")));
    }
  CHECK(treeAndText(longText(300, fine), 1).tree.size() > 100'000);
}
