// What the tree looks like. The files under tests/golden/parse show whole files; here are the finer points.
#include "parsed.h"

#include <doctest/doctest.h>

using namespace rw;
using namespace rw::ast;

namespace {

/// The body of a function, printed.
std::string expr(const std::string &text) {
  Parsed p("fn f() -> t = " + text + ";");
  CAPTURE(text);
  REQUIRE(p.errors() == std::vector<std::string>{});
  std::string out = p.dump();
  out = out.substr(out.find("body\n") + 5);
  // Without positions and line ends.
  std::string flat;
  for (size_t i = 0; i < out.size();) {
    if (out[i] == '\n') {
      flat += ';';
      ++i;
      while (i < out.size() && out[i] == ' ')
        ++i;
    } else if (out[i] == ' ' && i + 1 < out.size() && out[i + 1] == '1' && out[i + 2] == ':') {
      ++i;
      while (i < out.size() && out[i] != ' ' && out[i] != '\n')
        ++i;
    } else {
      flat += out[i++];
    }
  }
  return flat.substr(flat.find_first_not_of(' '));
}

} // namespace

TEST_CASE("precedence") {
  CHECK(
      expr("a or b and not c == d + e * -f") ==
      "binary or;name a;binary and;name b;unary not;binary ==;name c;binary +;name d;binary *;name e;unary -;name f;");
  CHECK(expr("a - b - c") == "binary -;binary -;name a;name b;name c;");
  CHECK(expr("a ++ b + c ++ d") == "binary ++;binary ++;name a;binary +;name b;name c;name d;");
  CHECK(expr("(a or b) and c") == "binary and;binary or;name a;name b;name c;");
  CHECK(expr("a and b or c and d") == "binary or;binary and;name a;name b;binary and;name c;name d;");
  CHECK(expr("a == not b") == "binary ==;name a;unary not;name b;");
  CHECK(expr("-x.y[0]") == "unary -;index;member y;name x;at;int 0;");
  CHECK(expr("0..n + 1") == "range;int 0;binary +;name n;int 1;");
  CHECK(expr("not a is const _ and b") == "binary and;unary not;is;name a;const;any;name b;");
}

TEST_CASE("literals") {
  CHECK(expr("0x1F") == "int 31;");
  CHECK(expr("-9223372036854775808") == "int -9223372036854775808;");
  CHECK(expr("--9223372036854775808") == "unary -;int -9223372036854775808;");
  CHECK(expr("1.5e-3") == "float 0.0015;");
  CHECK(expr("\"a\\n\\\"\\u{3bb}\\x41\"") == "string \"a\\n\\\"λA\";");
  CHECK(expr("true") == "bool true;");
  CHECK(expr("()") == "tuple;");
  CHECK(expr("(1, [])") == "tuple;int 1;list;");
}

TEST_CASE("indexes, slices, calls, comprehensions") {
  CHECK(expr("p[1..]") == "index;name p;slice;from;int 1;");
  CHECK(expr("p[..n]") == "index;name p;slice;to;name n;");
  CHECK(expr("p[..]") == "index;name p;slice;");
  CHECK(expr("p[a..b, 0]") == "index;name p;slice;from;name a;to;name b;at;int 0;");
  CHECK(expr("p[if a then 0 else 1]") == "index;name p;at;if;condition;name a;then;int 0;else;int 1;");
  CHECK(expr("f(x, each y, z..., side => g(side), a = 1) -> f32[2, n...]") ==
        "call f;name x;each;name y;spread;name z;side =>;call g;name side;a =;int 1;type;type f32;int 2;rest n;");
  CHECK(expr("[a + b for (a, b) in l for c in d if c > a]") ==
        "comprehension;binary +;name a;name b;for a, b;name l;for c;name d;if;binary >;name c;name a;");
  CHECK(expr("any(i for i in l if i > 0)") == "call any;comprehension;name i;for i;name l;if;binary >;name i;int 0;");
  CHECK(expr("d.add(x)") == "call d.add;name x;");
  CHECK(expr("let a = let b = 1 in b in a") == "let a;value;let b;value;int 1;in;name b;in;name a;");
}

TEST_CASE("matches") {
  Parsed p("pattern P { f(xs..., _..., x: f32[m, ?, ...], _: (a | const c: f32), k = -1, l = [1, r...], (g | "
           "h)?(splat(_)), ..) => x }");
  CHECK(p.errors() == std::vector<std::string>{});
  const auto &op = p.only<PatternDecl>().roots.at(0)->get<OpMatch>();
  REQUIRE(op.args.size() == 7);
  CHECK(op.args[0].match->get<RestMatch>().name.text == "xs");
  CHECK(op.args[1].match->get<RestMatch>().name.text == "");
  const auto &typed = op.args[2].match->get<BindMatch>().inner->get<TypeMatch>().type->get<NamedType>();
  CHECK(typed.hasDims);
  CHECK(typed.dims[1].form == TypeDim::Form::Any);
  CHECK(typed.dims[2].form == TypeDim::Form::Rest);
  CHECK(!op.args[3].match->get<BindMatch>().name);
  CHECK(op.args[3].match->get<BindMatch>().inner->kind == MatchKind::Alternatives);
  CHECK(op.args[4].attr.text == "k");
  CHECK(op.args[4].match->get<LiteralMatch>().value->get<IntExpr>().value == -1);
  CHECK(op.args[5].match->kind == MatchKind::List);
  const auto &optional = op.args[6].match->get<OpMatch>();
  CHECK(optional.heads.size() == 2);
  CHECK(optional.quantifier == OpMatch::Quantifier::Optional);
  CHECK(optional.args[0].match->kind == MatchKind::Splat);
  CHECK(bool(op.rest));
}

TEST_CASE("documentation belongs to what directly follows it") {
  Parsed p("/// no\n\n/// A\n///  b\n//// no\nop f(x: t) {\n  /// of a\n  attr a: int;\n  attr b: int;\n}\n\n///  Of "
           "g.\n/// More.\nfn g() -> int = 1;\n");
  REQUIRE(p.errors() == std::vector<std::string>{});
  const auto &op = p.module->decls[0]->get<OpDecl>();
  CHECK(op.doc == "");
  CHECK(op.attrs[0].doc == "of a");
  CHECK(op.attrs[1].doc == "");
  CHECK(p.module->decls[1]->doc == " Of g.\nMore.");
}

TEST_CASE("positions count bytes behind characters of several") {
  std::string text = "\xef\xbb\xbf/* ö𝄞 */ fn f() -> string = \"日本\" ++ x;";
  Parsed p(text);
  REQUIRE(p.errors() == std::vector<std::string>{});
  const auto &concat = p.only<FnDecl>().body->get<BinaryExpr>();
  CHECK(p.sources.offsetOf(concat.rhs->range.begin) == text.find("x;"));
  CHECK(p.sources.offsetOf(concat.rhs->range.end) == text.find("x;") + 1);
  CHECK(concat.lhs->get<StringExpr>().value == "日本");
}

TEST_CASE("native code is the text between the brackets") {
  std::string text = "constraint c(v: value) [{ if (a[0]) { return b[{1}[0]]; } }}]\nfn f() -> int = 1;";
  Parsed p(text);
  REQUIRE(p.errors() == std::vector<std::string>{});
  SourceRange code = p.module->decls[0]->get<NativeDecl>().code;
  CHECK(text.substr(p.sources.offsetOf(code.begin), p.sources.offsetOf(code.end) - p.sources.offsetOf(code.begin)) ==
        " if (a[0]) { return b[{1}[0]]; } }");
  CHECK(p.module->decls.size() == 2);
}

TEST_CASE("messages are text and expressions") {
  Parsed p("op f(x: t) { require a, \"a {x.rank} {{b}} {f(\\u{31})}\\u{7b}\"; }");
  CHECK(p.diags.hasErrors()); // an escape is no expression
  Parsed q("op f(x: t) { require a, \"a {x.rank} {{b}}\\u{7b}\"; require b, \"\"; }");
  REQUIRE(q.errors() == std::vector<std::string>{});
  const auto &message = q.only<OpDecl>().requires_[0].message;
  REQUIRE(message.size() == 3);
  CHECK(message[0].text == "a ");
  CHECK(message[1].value->get<MemberExpr>().member.text == "rank");
  CHECK(q.sources.lineColumn(message[1].value->range.begin).column == 29);
  CHECK(message[2].text == " {b}{");
}
