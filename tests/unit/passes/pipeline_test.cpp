// Pipeline text: what it means, and what is said when it is wrong.

#include "pass_fixture.h"

using namespace toy;

namespace {

std::string parsed(std::string_view text) {
  PassFixture t;
  PassManager pm(t.registry);
  return pm.parse(text, t.sources, t.diags) ? printPipeline(pm.items()) : t.diags.renderText();
}
/// The first line of the first diagnostic.
std::string complaint(std::string_view text) {
  std::string all = parsed(text);
  return all.substr(0, all.find('\n'));
}

} // namespace

TEST_CASE("pipelines are read, expanded and printed") {
  CHECK(parsed("") == "");
  CHECK(parsed(" none ") == "");
  CHECK(parsed("canonicalize,repeat(4){canonicalize,cse,dce}, fxx{max-iterations=3}") ==
        "canonicalize,repeat(4){canonicalize,cse,dce},fxx{max-iterations=3}");
  CHECK(parsed("whole") == "repeat(2){canonicalize},repeat(4){canonicalize,cse,dce}");
  CHECK(parsed("cse { order-operands = true }") == "cse{order-operands=true}");
  CHECK(parsed("cse{order-operands=\"true\"}") == "cse{order-operands=true}");
  CHECK(parsed("repeat(1){}") == "repeat(1){}");
}

TEST_CASE("what is wrong with a pipeline is said where it is") {
  CHECK(complaint("canonicalise") == "<pipeline>:1:1: error: no pass or pipeline named `canonicalise` [unknown-pass]");
  CHECK(parsed("cse,canonicalise").find("\n    canonicalize\n") != std::string::npos); // the fix-it, under the name
  CHECK(complaint("repeat(2){cse") ==
        "<pipeline>:1:14: error: `}` is missing at the end of the repetition [pipeline-brace]");
  CHECK(complaint("cse}") == "<pipeline>:1:4: error: this `}` closes nothing [pipeline-brace]");
  CHECK(complaint("}") == "<pipeline>:1:1: error: this `}` closes nothing [pipeline-brace]");
  CHECK(complaint("cse dce") == "<pipeline>:1:5: error: expected `,` between passes, found `d` [pipeline-syntax]");
  CHECK(complaint("cse,") == "<pipeline>:1:4: error: expected a pass after this `,` [pipeline-syntax]");
  CHECK(complaint(",cse") ==
        "<pipeline>:1:1: error: expected the name of a pass or pipeline, found `,` [pipeline-syntax]");
  CHECK(complaint("repeat(0){cse}") ==
        "<pipeline>:1:8: error: expected how often to repeat: 1 to 1000000, `pre` or `post` [pipeline-repeat]");
  CHECK(complaint("repeat(99999999){cse}") ==
        "<pipeline>:1:8: error: expected how often to repeat: 1 to 1000000, `pre` or `post` [pipeline-repeat]");
  CHECK(complaint("repeat(2 cse") ==
        "<pipeline>:1:10: error: expected `)` after the number, found `c` [pipeline-brace]");
  CHECK(complaint("repeat(2)cse") ==
        "<pipeline>:1:10: error: expected `{` and the passes to repeat, found `c` [pipeline-brace]");
  CHECK(complaint("cse{order=1}") ==
        "<pipeline>:1:4: error: no option `order`; there are: order-operands [pass-option]");
  CHECK(complaint("cse{order-operand=1}") ==
        "<pipeline>:1:4: error: no option `order-operand`; did you mean `order-operands`? [pass-option]");
  CHECK(complaint("cse{order-operands=1}") ==
        "<pipeline>:1:4: error: option `order-operands` is true or false, not `1` [pass-option]");
  CHECK(complaint("dce{x=1}") == "<pipeline>:1:4: error: no option `x`; the pass has none [pass-option]");
  CHECK(complaint("fxx{max-iterations=many}") ==
        "<pipeline>:1:4: error: option `max-iterations` takes a number, not `many` [pass-option]");
  CHECK(complaint("fxx{order=sideways}") ==
        "<pipeline>:1:4: error: option `order` is bottom-up or top-down, not `sideways` [pass-option]");
  CHECK(complaint("fxx{fold=true,fold=true}") == "<pipeline>:1:15: error: option `fold` is given twice [pass-option]");
  CHECK(complaint("fxx{fold=true") == "<pipeline>:1:4: error: this `{` is never closed [pipeline-brace]");
  CHECK(complaint("fxx{fold=\"tr") == "<pipeline>:1:10: error: this text is never closed [pipeline-syntax]");
  CHECK(complaint("whole{fold=true}") ==
        "<pipeline>:1:6: error: `whole` is a pipeline and takes no options [pass-option]");
}

TEST_CASE("pipelines that name themselves, grow or nest without end are refused") {
  PassFixture t;
  t.registry.addPipeline({"p", "cse, q", ""});
  t.registry.addPipeline({"q", "p", ""});
  PassManager pm(t.registry);
  CHECK(!pm.parse("p", t.sources, t.diags));
  std::string text = t.diags.renderText();
  CHECK(text.find("pipeline `p` names itself [pipeline-recursion]") != std::string::npos);
  CHECK(text.find("in pipeline `q`, named here") != std::string::npos);

  std::string last = "cse";
  for (int i = 0; i < 40; ++i) {
    std::string name = "twice" + std::to_string(i);
    t.registry.addPipeline({name, last + "," + last, ""});
    last = name;
  }
  CHECK(!pm.parse(last, t.sources, t.diags));
  CHECK(t.diags.renderText().find("[pipeline-size]") != std::string::npos);

  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "repeat(2){";
  CHECK(!pm.parse(deep, t.sources, t.diags));
  CHECK(t.diags.renderText().find("[pipeline-depth]") != std::string::npos);
}

TEST_CASE("any bytes give a pipeline or a diagnostic") {
  std::mt19937 rng(3);
  const std::string_view pieces[] = {"cse", "repeat", "(",  ")",     "{", "}", ",",    "2",
                                     "=",   "\"",     "\\", "whole", " ", "x", "none", std::string_view("\0", 1),
                                     "\xff"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (unsigned n = rng() % 12; n-- > 0;)
      text += pieces[rng() % std::size(pieces)];
    PassFixture t;
    PassManager pm(t.registry);
    bool good = pm.parse(text, t.sources, t.diags);
    CHECK(good == !t.diags.hasErrors());
  }
}
