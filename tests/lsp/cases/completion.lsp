!! {"workspaceFolders": []}
== between declarations: what can be declared
-- a.rw
dialect t;
$1
>> completion 1
constraint, conversion, dialect, expect, extern, fn, for, import, match, op, pass, pattern, pipeline, private, rewrite, set, test, trait
>> item 1 pattern
pattern (14)
| `pattern NAME { left side where conditions => right side }`: a rewrite.
>> type 1 pa
2:1-3 error unknown-declaration: no declaration begins with `pa`
    declarations begin with `dialect`, `import`, `op`, `fn`, `pattern`, `match`, `set`, `trait`, `for`, `extern`, `constraint`, `rewrite`, `pass`, `pipeline`, `conversion`, `test` or `expect`
>> completion 1
pass, pattern

== dialects and files behind import
-- lib.rw on disk
dialect t;
-- a.rw
import $1
import "$2";
import "onnx/fu$3";
import "lay$4
>> completion 1 3
lib.rw, names.rw, contrib/com_microsoft.rw, …
>> completion 2 2
lib.rw, names.rw, …
>> completion 3
onnx/fuse.rw, onnx/fuse_layer_norm.rw, onnx/fuse_relu.rw, onnx/fuse_softmax.rw
>> completion 4
layout/across_reshape.rw, layout/into_einsum.rw, layout/reshape.rw, layout/shape_of.rw, layout/sink.rw, layout/sink_along_axis.rw, layout/sink_broadcast.rw, layout/sink_channels.rw, layout/sink_computed.rw, layout/sink_out_of_loop.rw, layout/sink_pad.rw, layout/sink_products.rw, layout/sink_quantize_tile_reduce.rw, layout/sink_repeated.rw, layout/sink_resize.rw, layout/sink_softmax.rw, layout/sink_split.rw, layout/sink_tensor.rw, layout/sink_windows.rw, layout/transpose.rw, layout/transpose_pairs.rw

== ops on a left side, with their documentation
-- a.rw
dialect t;
/// The larger of x and 0.
op relu(x: tensor) -> tensor {
  /// How steep it is below 0.
  attr slope: float = 0.0;
  attr mode: "exact" | "fast" = "exact";
  traits pure;
  type x.type;
}
op reshape(x: tensor, shape: tensor) -> tensor { traits pure; }
pattern P { re$1 }
>> completion 1
relu, reshape
>> item 1 relu
relu (2) op relu(x: tensor) -> tensor
| ```rw
| op relu(x: tensor) -> tensor
| ```
| The larger of x and 0.
|
| - `attr slope: float = 0.0`: How steep it is below 0.
| - `attr mode: "exact" | "fast" = "exact"`
| - traits pure
>> item 1 reshape
reshape (2) op reshape(x: tensor, shape: tensor) -> tensor
| ```rw
| op reshape(x: tensor, shape: tensor) -> tensor
| ```
| - traits pure

== attributes of the op that is called, those that are not given yet
-- a.rw
dialect t;
op relu(x: tensor) -> tensor {
  /// How steep it is below 0.
  attr slope: float = 0.0;
  attr mode: "exact" | "fast" = "exact";
  traits pure;
  type x.type;
}
pattern P { relu($1) => x }
pattern Q { relu(x, slope = s, $2) => x }
pattern R { relu(x, mode = "$3") => x }
pattern S { relu(x) => relu(x, s$4) }
>> completion 1 4
mode =, slope =, x, relu, …
>> completion 2 3
mode =, s, x, …
>> completion 3
exact, fast
>> completion 4
slope =, single_element, sorted, splat, sum, str
>> item 4 slope =
slope = (5) attr slope: float = 0.0;
inserts "slope = "
| How steep it is below 0.

== members of an op that a name stands for
-- a.rw
dialect t;
op split(x: tensor) -> (left: tensor, right: tensor) { attr axis: int = 0; traits pure; type x.type, x.type; }
op neg(x: tensor) -> tensor { traits pure; type x.type; }
pattern P { d: split(y) where d.$1 => neg(y) }
pattern Q { d: split(y) where d.ax$2 == 0, y.$3 => neg(y) }
pattern R { neg(x) where x.shape.$4 => x }
>> completion 1
axis, left, right, x, attribute_names, attributes, contents, dialect, dtype, elements, floats, ints, name, operands, rank, results, shape, size, sizes, type, uses, value
>> completion 2
axis
>> completion 3
contents, dtype, elements, floats, ints, rank, shape, size, sizes, type, uses, value
>> completion 4
contents, dtype, elements, floats, ints, rank, shape, size, sizes, type, uses, value
>> item 3 shape
shape (10) [dim]
| The sizes of a value, tensor or type.

== ops of a dialect
-- a.rw
import "onnx/onnx.rw";
pattern P { onnx.Rel$1 }
pattern Q { onnx.Relu(onnx.Transp$2) => x }
pattern R { Gemm$3
>> completion 1
Relu
>> item 1 Relu
Relu (2) op Relu versions 6.. (X: tensor) -> (Y: tensor)
| ```rw
| op Relu versions 6.. (X: tensor) -> (Y: tensor)
| ```
| - traits pure, elementwise
|
| …/onnx/onnx_elementwise.rw
>> completion 2
Transpose
>> completion 3
nothing

== functions and names in conditions and on right sides
-- a.rw
dialect t;
op transpose(x: tensor) -> tensor { attr perm: [int]; traits pure; }
/// One after the other.
fn compose(p: [int], q: [int]) -> [int] = [p[i] for i in q];
fn inverse(p: [int]) -> [int] = argsort(p);
private fn identity(n: int) -> [int] = 0..n;
pattern P {
  transpose(transpose(x, perm = first), perm = second)
  where $1
  => x
}
pattern Q {
  transpose(transpose(x, perm = first), perm = second)
  where is_per$2
  => x
}
pattern R {
  transpose(transpose(x, perm = first), perm = second)
  => transpose(x, perm = com$3)
}
pattern S {
  transpose(transpose(x, perm = first), perm = second)
  => transpose(f$4, perm = compose(first, second))
}
>> completion 1 12
first, second, x, compose, identity, inverse, t, transpose, abs, all, any, argsort, …
>> completion 2
is_permutation
>> item 2 is_permutation
is_permutation (3) (list: [int], n: int) -> bool
| Whether the list holds each of 0, 1, ... n - 1 once.
>> completion 3
compose, commutative
>> item 3 compose
compose (3) fn compose(p: [int], q: [int]) -> [int]
| ```rw
| fn compose(p: [int], q: [int]) -> [int]
| ```
| One after the other.
>> completion 4
first, f16, f32, f4e2m1, f64, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, false

== clauses and traits of an op
-- a.rw
dialect t;
op relu(x: $1) -> $2 {
  $3
}
op tanh(x: tensor) -> tensor {
  attr a: in$4;
  traits $5;
  traits pure, e$6;
}
>> completion 1
attr, dim, dtype, float, int, op, string, tensor, type, value, bf16, bool, c128, c64, f16, f32, f4e2m1, f64, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, i16, i32, …
>> completion 2 3
versions
>> completion 3
attr, canonicalize, fold, means, region, require, traits, type
>> completion 4
int
>> completion 5
commutative, constant, effect(error), effect(random), effect(state), elementwise, moves_elements, pure
>> completion 6
effect(error), effect(random), effect(state), elementwise

== tags, passes, pipelines, tests
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern Twice $1 { relu(relu(x)) => relu(x) }
pass simplify { $2 }
pipeline all = $3;
test $4
expect $5
expect proved $6, $7;
>> completion 1
assume_same_type, benefit, fastmath, label, recursive
>> completion 2
Twice, label, max_iterations
>> completion 3 4
Twice, simplify, canonicalize, cse, …
>> completion 4
Twice, simplify
>> completion 5
checked, proved, refuted, tag, vacuous
>> completion 6 7
Twice

== clauses of a conversion
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
conversion t_to_onnx { $1 }
conversion other { from $2; legal t.$3; patterns $4; refuse c$5; }
>> completion 1
from, legal, patterns, refuse, to
>> completion 2
t
>> completion 3
relu
>> completion 4
label
>> completion 5
c128, c64

== nothing where there is nothing to say
-- a.rw
dialect t;
// a comment $1
op $2
fn $3
constraint c(x: value) [{ return $4 }]
>> completion 1
nothing
>> completion 2
nothing
>> completion 3
nothing
>> completion 4
nothing

== a type behind a colon on a left side
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
constraint is_small(x: value) [{ return true; }]
pattern P { relu(x: f$1) => x }
pattern Q { relu(x: is$2) => x }
>> completion 1
float, f16, f32, f4e2m1, f64, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz
>> completion 2
is_small

== what a set and a named match are called
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
op tanh(x: tensor) -> tensor { traits pure; type x.type; }
/// Functions that are flat somewhere.
set flats = {relu, tanh};
match flattened(x) = flats(x);
pattern P { flat$1 }
>> completion 1
flats, flattened
>> item 1 flats
flats (20) set flats = {relu, tanh};
| ```rw
| set flats = {relu, tanh};
| ```
| Functions that are flat somewhere.
>> item 1 flattened
flattened (3) match flattened(x)
| ```rw
| match flattened(x)
| ```
