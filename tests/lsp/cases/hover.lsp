== ops, attributes, operands
-- a.rw
dialect t;
/// The larger of x and 0.
op relu(x: tensor) -> tensor {
  /// How steep it is below 0.
  attr slope: float = 0.0;
  traits pure;
  type x.type;
}
op split(x: tensor) -> (left: tensor, right: tensor) { traits pure; type x.type, x.type; }
pattern P { d: re$1lu(y, sl$2ope = s) where $3d.slope == $4s, d.$5x.rank > 0 => y }
pattern Q { relu(split(y).ri$6ght) => y }
>> hover 1
of `relu`
| ```rw
| op relu(x: tensor) -> tensor
| ```
| The larger of x and 0.
|
| - `attr slope: float = 0.0`: How steep it is below 0.
| - traits pure
>> hover 2
of `slope`
| ```rw
| t.relu
| attr slope: float = 0.0;
| ```
| How steep it is below 0.
>> hover 3
of `d`
| ```rw
| d: op
| ```
>> hover 4
of `s`
| ```rw
| s: float
| ```
>> hover 5
of `x`
| ```rw
| t.relu
| x: tensor
| ```
>> hover 6
of `right`
| ```rw
| t.split
| right: tensor
| ```

== functions, built in and one's own; types of names
-- a.rw
/// One after the other.
/// Two lines.
fn compose(p: [int], q: [int]) -> [int] = [p[$1i] for i in $2q];
fn twice(p: [int]) -> [int] = let c = com$3pose(p, p) in [$4c[k] for k in arg$5sort(c)];
fn size(s: [dim]) -> dim = produ$6ct(s);
>> hover 1
of `i`
| ```rw
| i: int
| ```
>> hover 2
of `q`
| ```rw
| q: [int]
| ```
>> hover 3
of `compose`
| ```rw
| fn compose(p: [int], q: [int]) -> [int]
| ```
| One after the other.
| Two lines.
>> hover 4
of `c`
| ```rw
| c: [int]
| ```
>> hover 5
of `argsort`
| ```rw
| fn argsort(list: [int]) -> [int]
| ```
| The indexes of the elements in increasing order of the elements; equal ones keep their order.
>> hover 6
of `product`
| ```rw
| fn product(list: [N]) -> N
| ```
| The product; 1 of an empty list.

== properties, element types, words of the language
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern P { $1single relu(x: $2f32[m]) wh$3ere x.$4shape == [m], x.$5rank == 1 => x }
te$6st P (x: f32[2]) { relu(x) => x }
>> hover 1
of `single`
| `single relu(x)`: the value has no other use.
>> hover 2
of `f32`
| ```rw
| f32
| ```
| An element type.
>> hover 3
of `where`
| Conditions, separated by commas, in the order in which they are tried.
>> hover 4
of `shape`
| ```rw
| .shape: [dim]
| ```
| The sizes of a value, tensor or type.
>> hover 5
of `rank`
| ```rw
| .rank: int
| ```
| How many dimensions there are.
>> hover 6
of `test`
| `test Pattern (x: f32[2]) { before(x) => after(x) }`; `=> unchanged` where nothing may happen.

== nothing on spaces and signs
-- a.rw
dialect t;
$1
op relu(x: tensor) $2-> tensor;
>> hover 1
nothing
>> hover 2
nothing

== ops of built-in files, patterns, passes
-- a.rw
import "onnx/onnx.rw";
/// Two are one.
pattern Twice benefit 3 { onnx.Re$1lu(onnx.Relu(x)) => onnx.Relu(x) }
pass relus { Tw$2ice; }
pipeline all = re$3lus, $4canonicalize;
>> hover 1
of `Relu`
| ```rw
| op Relu versions 6.. (X: tensor) -> (Y: tensor)
| ```
| - traits pure, elementwise
|
| …/onnx/onnx_elementwise.rw
>> hover 2
of `Twice`
| ```rw
| pattern Twice benefit 3
| ```
| Two are one.
>> hover 3
of `relus`
| ```rw
| pass relus
| ```
>> hover 4
of `canonicalize`
| Of an op: patterns that simplify it wherever it stands. As a pass: all such patterns.

== all versions of an op
-- a.rw
dialect t;
op clip versions 1..5 (x: tensor) -> tensor { attr min: float = 0.0; traits pure; type x.type; }
op clip versions 6.. (x: tensor, min: tensor?) -> tensor { traits pure; type x.type; }
pattern P { single cl$1ip(x, ..) => x }
>> hover 1
of `clip`
| ```rw
| op clip versions 1..5 (x: tensor) -> tensor
| ```
| - `attr min: float = 0.0`
| - traits pure
|
| ---
|
| ```rw
| op clip versions 6.. (x: tensor, min: tensor?) -> tensor
| ```
| - traits pure

== in a declaration that cannot be read
-- a.rw
dialect t;
/// The larger of x and 0.
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern P { re$1lu(x where le$2n(
>> hover 1
of `relu`
| ```rw
| op relu(x: tensor) -> tensor
| ```
| The larger of x and 0.
|
| - traits pure
>> hover 2
of `len`
| ```rw
| fn len(list: [T]) -> int
| ```
| The number of elements.
