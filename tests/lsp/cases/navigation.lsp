== definitions
-- lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
fn half(n: int) -> int = n / 2;
-- a.rw
import "lib$1.rw";
pattern P { d: $2relu(y, $3slope = s) where $4half(3) == 1, d.sl$5ope == s => $6y }
pass p { $7P; }
test $8P (y: f32[2]) { t.$9relu(y) => y }
>> definition 1
lib.rw:1:1 dialect t;
>> definition 2
lib.rw:2:4 op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
>> definition 3
lib.rw:2:37 op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
>> definition 4
lib.rw:3:4 fn half(n: int) -> int = n / 2;
>> definition 5
lib.rw:2:37 op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
>> definition 6
a.rw:2:21 pattern P { d: relu(y, slope = s) where half(3) == 1, d.slope == s => y }
>> definition 7
a.rw:2:9 pattern P { d: relu(y, slope = s) where half(3) == 1, d.slope == s => y }
>> definition 8
a.rw:2:9 pattern P { d: relu(y, slope = s) where half(3) == 1, d.slope == s => y }
>> definition 9
lib.rw:2:4 op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }

== all versions of an op; the built-in files
-- a.rw
import "onnx/onnx.rw";
dialect t;
op clip versions 1..5 (x: tensor) -> tensor { attr min: float = 0.0; traits pure; type x.type; }
op clip versions 6.. (x: tensor, min: tensor?) -> tensor { traits pure; type x.type; }
pattern P { single cl$1ip(x, ..) => onnx.$2Relu(x) }
pattern Q { nobo$3dy(x) => x }
>> definition 1
a.rw:3:4 op clip versions 1..5 (x: tensor) -> tensor { attr min: float = 0.0; traits pure; type x.type; }
a.rw:4:4 op clip versions 6.. (x: tensor, min: tensor?) -> tensor { traits pure; type x.type; }
>> definition 2
…/onnx/onnx_elementwise.rw: op Relu versions 6.. (X: tensor) -> (Y: tensor) {
>> definition 3
nothing

== names of comprehensions, lets and templates
-- a.rw
dialect t;
op exp(x: tensor) -> tensor { traits pure; type x.type; }
op log(x: tensor) -> tensor { traits pure; type x.type; }
fn f(p: [int]) -> [int] = let q = p in [let r = q[$1i] in $2r for i in $3q if i > 0];
for (f, g) in {(exp, log), (log, exp)}
pattern Undo_{f}_{g} { f($4g(x)) where let k = x.rank, $5k > 1 => { let y = x; $6y } }
>> definition 1
a.rw:4:63 fn f(p: [int]) -> [int] = let q = p in [let r = q[i] in r for i in q if i > 0];
>> definition 2
a.rw:4:45 fn f(p: [int]) -> [int] = let q = p in [let r = q[i] in r for i in q if i > 0];
>> definition 3
a.rw:4:31 fn f(p: [int]) -> [int] = let q = p in [let r = q[i] in r for i in q if i > 0];
>> definition 4
a.rw:5:9 for (f, g) in {(exp, log), (log, exp)}
>> definition 5
a.rw:6:42 pattern Undo_{f}_{g} { f(g(x)) where let k = x.rank, k > 1 => { let y = x; y } }
>> definition 6
a.rw:6:69 pattern Undo_{f}_{g} { f(g(x)) where let k = x.rank, k > 1 => { let y = x; y } }

== references in all files
-- lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
fn half(n: int) -> int = n / 2;
-- other.rw on disk
import "lib.rw";
fn quarter(n: int) -> int = half(half(n));
-- unrelated.rw on disk
fn half(n: int) -> int = 0;
fn other(n: int) -> int = half(n);
-- a.rw
import "lib.rw";
pattern P { relu(y, slope = s) where ha$1lf(3) == 1 => t.re$2lu($3y, sl$4ope = s) }
>> references 1
a.rw:2:38 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
lib.rw:3:4 fn half(n: int) -> int = n / 2;
other.rw:2:29 fn quarter(n: int) -> int = half(half(n));
other.rw:2:34 fn quarter(n: int) -> int = half(half(n));
>> references 1 others
a.rw:2:38 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
other.rw:2:29 fn quarter(n: int) -> int = half(half(n));
other.rw:2:34 fn quarter(n: int) -> int = half(half(n));
>> references 2
a.rw:2:13 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
a.rw:2:56 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
lib.rw:2:4 op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
>> references 3
a.rw:2:18 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
a.rw:2:61 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
>> references 4
a.rw:2:21 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
a.rw:2:64 pattern P { relu(y, slope = s) where half(3) == 1 => t.relu(y, slope = s) }
lib.rw:2:37 op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
>> highlights 3
2:18-19 declared
2:61-62
>> highlights 1
2:38-42

== rename: a local name
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern P { relu(relu($1y)) where y.rank == 2 => relu(y) }
pattern Q { relu(y) where let z = y.rank, z > 1 => y }
>> prepare 1
3:23-24 y
>> rename 1 inner
-pattern P { relu(relu(y)) where y.rank == 2 => relu(y) }
+pattern P { relu(relu(inner)) where inner.rank == 2 => relu(inner) }
>> rename 1 where
refused: `where` is a word of the language
>> rename 1 2x
refused: `2x` is no name: letters, digits and `_`, no digit first
>> rename 1 a-b
refused: `a-b` is no name: letters, digits and `_`, no digit first
>> rename 1 none
refused: `none` is a word of the language

== rename: a name that is there already
-- a.rw
dialect t;
op add(x: tensor, y: tensor) -> tensor { traits pure; type x.type; }
fn one(n: int) -> int = n;
fn two(n: int) -> int = n;
pattern P { add($1a, b) => add(b, a) }
pattern Q { add(a, b) where $2one(1) == 1 => b }
>> rename 1 b
refused: there is a `b` already, in line 5
>> rename 2 two
refused: there is a `two` already, in line 4
>> rename 2 three
-fn one(n: int) -> int = n;
+fn three(n: int) -> int = n;
-pattern Q { add(a, b) where one(1) == 1 => b }
+pattern Q { add(a, b) where three(1) == 1 => b }

== rename: an op's attribute and operand, in all files
-- lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; require slope >= 0.0; type x.type; }
-- a.rw
import "lib.rw";
pattern P { d: relu(y, $1slope = s) where d.slope == d.slope, d.$2x.rank > 0 => relu(y, slope = s) }
>> rename 1 steepness
in a.rw
-pattern P { d: relu(y, slope = s) where d.slope == d.slope, d.x.rank > 0 => relu(y, slope = s) }
+pattern P { d: relu(y, steepness = s) where d.steepness == d.steepness, d.x.rank > 0 => relu(y, steepness = s) }
in lib.rw
-op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; require slope >= 0.0; type x.type; }
+op relu(x: tensor) -> tensor { attr steepness: float = 0.0; traits pure; require steepness >= 0.0; type x.type; }
>> rename 2 input
in a.rw
-pattern P { d: relu(y, slope = s) where d.slope == d.slope, d.x.rank > 0 => relu(y, slope = s) }
+pattern P { d: relu(y, slope = s) where d.slope == d.slope, d.input.rank > 0 => relu(y, slope = s) }
in lib.rw
-op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; require slope >= 0.0; type x.type; }
+op relu(input: tensor) -> tensor { attr slope: float = 0.0; traits pure; require slope >= 0.0; type input.type; }

== rename: ops and functions, in all files
-- lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
fn half(n: int) -> int = n / 2;
set all = {relu};
-- other.rw on disk
import "lib.rw";
fn quarter(n: int) -> int = half(half(n));
-- a.rw
import "lib.rw";
pattern P { $1relu(y) where $2half(4) == 2 => t.relu(y) }
>> rename 1 rectify
in a.rw
-pattern P { relu(y) where half(4) == 2 => t.relu(y) }
+pattern P { rectify(y) where half(4) == 2 => t.rectify(y) }
in lib.rw
-op relu(x: tensor) -> tensor { traits pure; type x.type; }
+op rectify(x: tensor) -> tensor { traits pure; type x.type; }
-set all = {relu};
+set all = {rectify};
>> rename 2 halved
in a.rw
-pattern P { relu(y) where half(4) == 2 => t.relu(y) }
+pattern P { relu(y) where halved(4) == 2 => t.relu(y) }
in lib.rw
-fn half(n: int) -> int = n / 2;
+fn halved(n: int) -> int = n / 2;
in other.rw
-fn quarter(n: int) -> int = half(half(n));
+fn quarter(n: int) -> int = halved(halved(n));

== rename: patterns with their tests and passes
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern $1Twice { relu(relu(x)) => relu(x) }
pass $2once { Twice; max_iterations = 3; }
pipeline all = once, repeat(2) { once };
test Twice (x: f32[2]) { relu(relu(x)) => relu(x) }
test once (x: f32[2]) { relu(relu(x)) => relu(x) }
>> rename 1 Double
-pattern Twice { relu(relu(x)) => relu(x) }
-pass once { Twice; max_iterations = 3; }
+pattern Double { relu(relu(x)) => relu(x) }
+pass once { Double; max_iterations = 3; }
-test Twice (x: f32[2]) { relu(relu(x)) => relu(x) }
+test Double (x: f32[2]) { relu(relu(x)) => relu(x) }
>> rename 2 first
-pass once { Twice; max_iterations = 3; }
-pipeline all = once, repeat(2) { once };
+pass first { Twice; max_iterations = 3; }
+pipeline all = first, repeat(2) { first };
-test once (x: f32[2]) { relu(relu(x)) => relu(x) }
+test first (x: f32[2]) { relu(relu(x)) => relu(x) }

== rename: a conversion and what it names
-- a.rw
dialect $1t;
dialect u;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern Lower label "t_to_u" { t.relu(x) => x }
conversion $2t_to_u { from t; to u; legal u.$3relu; patterns Lower, label "t_to_u"; }
pipeline p = t_to_u;
>> rename 2 away
-conversion t_to_u { from t; to u; legal u.relu; patterns Lower, label "t_to_u"; }
-pipeline p = t_to_u;
+conversion away { from t; to u; legal u.relu; patterns Lower, label "t_to_u"; }
+pipeline p = away;
>> rename 3 rectify
-op relu(x: tensor) -> tensor { traits pure; type x.type; }
+op rectify(x: tensor) -> tensor { traits pure; type x.type; }
-conversion t_to_u { from t; to u; legal u.relu; patterns Lower, label "t_to_u"; }
+conversion t_to_u { from t; to u; legal u.rectify; patterns Lower, label "t_to_u"; }
>> definition 1
a.rw:1:9 dialect t;

== rename: what nobody here can rename
-- a.rw
import "onnx/onnx.rw";
extern constraint fits(x: value);
pattern P { onnx.$1Relu(x) where $2len([1]) == 1, x.$3rank > 1, x.dtype == $4f32, $5fits(x) => x }
$6
>> prepare 1
refused: `Relu` is declared in a built-in file: …/onnx/onnx_elementwise.rw
>> prepare 2
refused: `len` is no name that a file declares for itself
>> prepare 3
refused: `rank` is no name that a file declares for itself
>> prepare 4
refused: `f32` is no name that a file declares for itself
>> prepare 5
refused: `fits` is defined in C++, which has the same name
>> prepare 6
refused: there is no name to change here

== callers and callees
-- lib.rw on disk
fn half(n: int) -> int = n / 2;
-- a.rw
import "lib.rw";
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
fn quarter(n: int) -> int = $1half(half(n));
fn eighth(n: int) -> int = half($2quarter(n));
pattern $3P { relu(x) where quarter(8) == 2, eighth(8) == 1 => x }
$4
>> callers 1
eighth a.rw:5:4, 5:28-32
quarter a.rw:4:4, 4:29-33, 4:34-38
>> callees 1
nothing
>> callers 2
P a.rw:6:9, 6:27-34
eighth a.rw:5:4, 5:33-40
>> callees 2
half lib.rw:1:4, 4:29-33, 4:34-38
>> callees 3
eighth a.rw:5:4, 6:44-50
quarter a.rw:4:4, 6:27-34
>> callers 4
nothing
