// Mutated programs: the checker survives all of them, whatever is left of the text, and gives every error a place.
#include "checked.h"

#include <random>

using namespace rw;

static const std::string kProgram = kOps + R"(
fn inverse(p: [int]) -> [int] = argsort(p);
fn permute(l: [dim], p: [int]) -> [dim] = [l[i] for i in p if i < len(l)];
fn pick(a: int, b: [int]) -> int = let c = a + 1 in if c > 2 and not c == 3 then b[0] else max(b[1..][..2]);
extern constraint fits(v: value);
extern rewrite pack(v: value) -> value;
pattern A benefit 3 { f: elementwise(transpose(x, perm = p)) where f.type.dtype == x.dtype => transpose(f(x), perm = p) }
pattern B { (relu | exp)(max(x, splat(0))) => max(x, relu(x)) }
for (f, g) in {(exp, relu), (relu, exp)} pattern C_{f}_{g} fastmath { f(g(x)) => x }
pattern D { transpose(mid: elementwise+(transpose(x, perm = p), side: f32[_, k]), perm = q)
  where inverse(p) == q => mid(x, side => transpose(side, perm = inverse(p))) }
pattern E { f: elementwise(each (transpose(x, perm = p) | x: single_element)) => transpose(f(each x), perm = p) }
pattern F { a: add(x, const w), b: add(x, const _) where a != b, let y = w.rank => { let z = relu(x); replace a with z; replace b with z; } }
pattern G { d: transpose(x, perm = [0, a, rest...]) where not is_sorted(rest) => update d { perm = [a] ++ rest } }
pattern H { relu(y) where y is exp(z), not z is const _ or fits(z) => pack(z) }
pattern I { svd(a: f32[m, m]) => { let (u, s, v) = svd(a); (u, s, v) } }
pattern J { c: check(splat(true)) => erase c }
pattern K { concat(as..., concat(bs...), relu?(c)) => concat(as..., bs..., c) -> f32[2] }
private match small(x) = relu(x) where x.rank & 3 == 1 | exp(x) where (x.rank << 1 | 1) ^ 2 > 3;
private fn bits_of(n: int) -> int = bit_length(n >> 1);
pattern L fastmath(reassoc, no_nan) { ordered add(small(x), y) where bits_of(y.rank) == 0, is_power_of_two(y.rank) => add(y, x) }
pass p { A, B; max_iterations = 10; }
pipeline q = canonicalize, repeat(2) { cse, p }, other{size = 3};
test A (x: f32[2, k]) { relu(transpose(x, perm = [1, 0])) => unchanged }
)";

static void check(const std::string &text) {
  Checked c(text);
  CAPTURE(text);
  for (const Diagnostic &d : c.diags.all()) {
    REQUIRE(!d.message.empty());
    REQUIRE(d.range.begin.raw <= d.range.end.raw);
    REQUIRE(bool(d.range));
  }
  if (!c.diags.hasErrors())
    c.dump();
}

TEST_CASE("the program that is mutated is correct") {
  Checked c(kProgram);
  CHECK_MESSAGE(!c.diags.hasErrors(), c.diags.renderText());
}

TEST_CASE("words put for other words") {
  std::mt19937 random(5);
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t i = 0; i < kProgram.size();) {
    size_t end = i;
    while (end < kProgram.size() && (std::isalnum(static_cast<unsigned char>(kProgram[end])) || kProgram[end] == '_'))
      ++end;
    if (end > i)
      words.emplace_back(i, end - i);
    i = end + 1;
  }
  for (int i = 0; i < 1500; ++i) {
    std::string text = kProgram;
    for (int edits = 1 + int(random() % 5); edits-- > 0;) {
      auto [at, length] = words[random() % words.size()];
      auto [from, size] = words[random() % words.size()];
      if (at + length <= text.size())
        text.replace(at, length, kProgram.substr(from, size));
    }
    check(text);
  }
}

TEST_CASE("pieces left out, doubled and moved") {
  std::mt19937 random(6);
  for (int i = 0; i < 1500; ++i) {
    std::string text = kProgram;
    for (int edits = 1 + int(random() % 3); edits-- > 0;) {
      size_t at = random() % text.size(), length = 1 + random() % 12;
      switch (random() % 3) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kProgram.substr(random() % kProgram.size(), length));
        break;
      default:
        text.insert(at, 1, "(){}[];,=<>:.|?*+"[random() % 17]);
        break;
      }
    }
    check(text);
  }
}
