== an op's operands and attributes
-- a.rw
dialect t;
/// Puts dimensions in another order.
op transpose(x: tensor) -> tensor { attr perm: [int]; attr mode: "a" | "b" = "a"; attr n: int?; traits pure; }
pattern P { transpose($1) => x }
pattern Q { transpose(transpose(x, $2), perm = $3) => x }
pattern R { transpose(x, mode = "a", perm = [0, $4]) => x }
>> signature 1
t.transpose([x: tensor], perm = [int], mode = "a", n = int?)
>> signature 2
t.transpose(x: tensor, [perm = [int]], mode = "a", n = int?)
>> signature 3
t.transpose(x: tensor, [perm = [int]], mode = "a", n = int?)
>> signature 4
t.transpose(x: tensor, [perm = [int]], mode = "a", n = int?)

== functions, built in and one's own
-- a.rw
fn compose(p: [int], q: [int]) -> [int] = [p[i] for i in q];
fn twice(p: [int]) -> [int] = compose(p, $1);
fn n(p: [int]) -> int = max($2);
fn m(p: [int]) -> bool = is_permutation(p, $3
>> signature 1
compose(p: [int], [q: [int]]) -> [int]
>> signature 2
max([list: [N]]) -> N
max([a: N], b: N) -> N
>> signature 3
is_permutation(list: [int], [n: int]) -> bool

== named matches, rewrites and constraints
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
match relus(a, b) = relu(relu(a)) | relu(a);
rewrite again(x: value, y: value) -> value = relu(x);
constraint fits(a: value, n: int) [{ return true; }]
pattern P { relus(a, $1) => a }
pattern Q { relu(a) where fits(a, $2) => again(a, $3) }
>> signature 1
relus(a, [b])
>> signature 2
fits(a: value, [n: int])
>> signature 3
again(x: value, [y: value])

== nothing outside of calls
-- a.rw
$1fn f(n: int) -> int = n;
// f($2
fn g(n: int) -> int = nobody(n, $3);
>> signature 1
nothing
>> signature 2
nothing
>> signature 3
nothing

== all versions of an op
-- a.rw
dialect t;
op clip versions 1..5 (x: tensor) -> tensor { attr min: float = 0.0; attr max: float = 1.0; traits pure; type x.type; }
op clip versions 6.. (x: tensor, min: tensor?, max: tensor?) -> tensor { traits pure; type x.type; }
pattern P { clip(x, $1) => x }
>> signature 1
t.clip(x: tensor, [min = 0.0], max = 1.0)
t.clip(x: tensor, [min: tensor?], max: tensor?)
