#include "checked.h"

using namespace rw;
using namespace rw::sema;

static Expr valueOf(const std::string &fn) {
  Checked c(fn);
  REQUIRE_MESSAGE(c.reports().empty(), c.diags.renderText());
  return c.fn("f").value;
}

TEST_CASE("ints become dims where a dim is wanted, and literals at once") {
  Expr e = valueOf("fn f(s: [dim]) -> bool = s[0] == 3;");
  CHECK((e.type == Type(TypeKind::Bool)));
  CHECK((e.args[0].type == Type(TypeKind::Dim)));
  CHECK(e.args[1].kind == ExprKind::Convert);
  CHECK((e.args[1].type == Type(TypeKind::Dim)));
  Expr half = valueOf("fn f() -> float = 1;");
  CHECK(half.kind == ExprKind::Float);
  CHECK(half.f == 1.0);
}

TEST_CASE("a list of ints and dims is a list of dims, element by element") {
  Expr e = valueOf("fn f(d: dim) -> [dim] = [1, d, 2];");
  CHECK(e.kind == ExprKind::List);
  for (const Expr &element : e.args)
    CHECK((element.type == Type(TypeKind::Dim)));
  CHECK(e.args[0].kind == ExprKind::Convert);
  CHECK(e.args[1].kind == ExprKind::Var);
}

TEST_CASE("the empty list is a list of anything") {
  CHECK((valueOf("fn f() -> [string] = [];").type == Type::list(TypeKind::String)));
  CHECK((valueOf("fn f(b: bool) -> [int] = if b then [] else [1];").args[1].type == Type::list(TypeKind::Int)));
  CHECK((valueOf("fn f() -> [[int]] = [[], [1]];").type == Type(TypeKind::Int, 2)));
}

TEST_CASE("generic built-in functions take the type of their arguments") {
  CHECK((valueOf("fn f(s: [dim]) -> dim = product(s);").type == Type(TypeKind::Dim)));
  CHECK((valueOf("fn f(s: [string]) -> [string] = reversed(s);").type == Type::list(TypeKind::String)));
  Expr e = valueOf("fn f(s: [dim], i: int) -> bool = contains(s, i);");
  CHECK(e.args[1].kind == ExprKind::Convert);
  CHECK(valueOf("fn f() -> int = max(1, 2);").builtin == sema::Builtin::Max);
  CHECK(valueOf("fn f() -> int = max([1, 2]);").builtin == sema::Builtin::MaxOf);
}

TEST_CASE("comprehensions: variables in order, filter last") {
  Expr e = valueOf("fn f(a: [int], b: [int]) -> [int] = [x + y for x in a for y in b if x < y];");
  CHECK(e.loopVars.size() == 2);
  CHECK(e.args.size() == 4);
  CHECK(e.hasFilter);
  CHECK(e.filter().binary == BinaryOp::Lt);
}

TEST_CASE("a loop variable ends with its comprehension") {
  Checked c("fn f(a: [int]) -> int = sum(x for x in a) + x;");
  CHECK(c.reports() == std::vector<std::string>{"unbound-name: `x` is not bound here"});
}

TEST_CASE("text of an expression reads back as the same expression") {
  for (const char *text :
       {"(a + b) * 2 - -a", "if a < b then [a] else [b, 1] ++ [2]", "[x for x in 0..a if not x == b]",
        "[1, 2, 3][a..][..b]", "[let c = a in c + c]", "[max(a, b) % 3]", "(if a == b then [a] else [b])[0..1]"}) {
    std::string head = "fn f(a: int, b: int) -> ";
    std::string type = std::string(text).find('[') == std::string::npos ? "int = " : "[int] = ";
    Checked first(head + type + text + ";");
    REQUIRE_MESSAGE(!first.diags.hasErrors(), first.diags.renderText());
    const Fn &f = first.fn("f");
    std::string printed = toString(f.value, *first.module, f.body);
    Checked second(head + type + printed + ";");
    REQUIRE_MESSAGE(!second.diags.hasErrors(), printed);
    CHECK(toString(second.fn("f").value, *second.module, second.fn("f").body) == printed);
  }
}

TEST_CASE("element types are the same words as in the runtime") {
  CHECK(dtypeNames().size() == 23);
  for (std::string_view name : dtypeNames())
    CHECK(isDTypeName(name));
}

TEST_CASE("every built-in function has its place in the table") {
  for (const BuiltinInfo &info : builtins()) {
    CHECK(&builtinInfo(info.builtin) == &info);
    CHECK(info.signature.starts_with("("));
    CHECK(info.doc.ends_with("."));
  }
}
