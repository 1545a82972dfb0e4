== a text without errors
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern DoubleRelu { relu(relu(x)) => relu(x) }
>> diagnostics
nothing

== a misspelled op, and its cure
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern DoubleRelu { relu($1rellu(x)) => relu(x) }
>> diagnostics
3:27-32 error undefined-op: no op named `rellu`
    `relu` is declared here (a.rw:2:4)
>> actions 1
rw: write `relu`
  -pattern DoubleRelu { relu(rellu(x)) => relu(x) }
  +pattern DoubleRelu { relu(relu(x)) => relu(x) }

== while a declaration is typed the others stand
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
pattern DoubleRelu { relu(relu(x)) => relu(x) }
pattern $1
>> diagnostics
4:7-8 error syntax: expected a name, found the end of the file
    a pattern is written `pattern Name { op(x, attribute = a) where condition => result }`
>> type 1 P { relu(x)\s
4:19-20 error syntax: expected `,` or `=>`, found the end of the file
    a pattern is written `pattern Name { op(x, attribute = a) where condition => result }`
    `{` is opened here (a.rw:4:11)
>> type 1 => x }
nothing
>> type 1 \n
nothing

== an import that is not there
-- a.rw
import "nothing/of/the/kind.rw";
>> diagnostics
1:8-32 error import-missing: there is no file `nothing/of/the/kind.rw` to import
    looked for nothing/of/the/kind.rw
    an import is searched in the folder of the importing file, then in the -I folders, then among the built-in files

== an unsaved text stands in for the file
-- lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
-- lib.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
op $1
-- a.rw
import "lib.rw";
pattern P { relu(relu(x)) => relu(x) }
>> diagnostics
1:8-16 error import-wrong: what is imported has an error
    lib.rw:3:2: expected a name, found the end of the file
>> type 1 tanh(x: tensor) -> tensor { traits pure; type x.type; }
nothing
>> diagnostics a.rw
nothing

== an op of a built-in file, which is not imported
-- a.rw
$1pattern P { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
>> diagnostics
1:13-17 error undefined-dialect: no dialect named `onnx`
    an op of this name is declared by `import "onnx/onnx_elementwise.rw";`
>> actions
rw: add `import "onnx/onnx_elementwise.rw";`
  +import "onnx/onnx_elementwise.rw";

== the file on disk changes
-- lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
-- a.rw
import "lib.rw";
pattern P { relu(relu(x)) => relu(x) }
>> diagnostics
nothing
>> write lib.rw dialect t;\nop tanh(x: tensor) -> tensor;\n
2:13-17 error undefined-op: no op named `relu`
    an op of this name is declared by `import "tensor/tensor_elementwise.rw";`

== cures in words: names that nothing uses
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
op add(x: tensor, y: tensor) -> tensor { traits pure; type x.type; }
fn one($1unused: int) -> int = 1;
pattern Any { add(x, $2y) => x }
pattern Named { relu($3f: relu(x)) => relu(x) }
>> actions 1
rw: begin its name with `_`
  -fn one(unused: int) -> int = 1;
  +fn one(_unused: int) -> int = 1;
>> actions 2
rw: write `_`
  -pattern Any { add(x, y) => x }
  +pattern Any { add(x, _) => x }
>> actions 3
rw: leave out the name
  -pattern Named { relu(f: relu(x)) => relu(x) }
  +pattern Named { relu(relu(x)) => relu(x) }

== cures in words: what may be anything
-- a.rw
dialect t;
op turn(x: tensor) -> tensor { attr perm: [int]; traits pure; type x.dtype[..]; }
pattern P { $1turn(x) => x }
>> actions 1
rw: add `perm = _`
  -pattern P { turn(x) => x }
  +pattern P { turn(x, perm = _) => x }

== cures in words: a pattern that matches itself, a comment, a condition
-- a.rw
dialect t;
op neg(x: tensor) -> tensor { traits pure; type x.type; }
pattern Gr$1ow { neg(x) => neg(neg(x)) }
pattern First { neg(x) where 2$2 > 1, x.rank == 2 => x }
pattern Last { neg(x) where x.rank == 3, 2$3 > 1 => x }
pattern Alone { neg(neg(x)) where 2$4 > 1 => x }
$5/// of nothing

>> actions 1
rw: it is meant: add `recursive`
  -pattern Grow { neg(x) => neg(neg(x)) }
  +pattern Grow recursive { neg(x) => neg(neg(x)) }
>> actions 2
rw: leave the condition out
  -pattern First { neg(x) where 2 > 1, x.rank == 2 => x }
  +pattern First { neg(x) where x.rank == 2 => x }
>> actions 3
rw: leave the condition out
  -pattern Last { neg(x) where x.rank == 3, 2 > 1 => x }
  +pattern Last { neg(x) where x.rank == 3 => x }
>> actions 4
rw: leave the condition out
  -pattern Alone { neg(neg(x)) where 2 > 1 => x }
  +pattern Alone { neg(neg(x)) => x }
>> actions 5
rw: make it an ordinary comment
  -/// of nothing
  +// of nothing

== cures in words: one of two dialects, a list of one
-- a.rw
dialect d;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
dialect e;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
op sum(x: tensor) -> tensor { attr axes: [int]; traits pure; type x.type; }
pattern A { d.relu(x) => re$1lu(x) }
pattern B { e.sum(x, axes = a) => e.sum(x, axes = $21) }
>> actions 1
rw: write `d.relu`
  -pattern A { d.relu(x) => relu(x) }
  +pattern A { d.relu(x) => d.relu(x) }
rw: write `e.relu`
  -pattern A { d.relu(x) => relu(x) }
  +pattern A { d.relu(x) => e.relu(x) }
>> actions 2
rw: put it in brackets
  -pattern B { e.sum(x, axes = a) => e.sum(x, axes = 1) }
  +pattern B { e.sum(x, axes = a) => e.sum(x, axes = [1]) }

== a syntax error of an import hides what the patterns name
-- ops.rw on disk
dialect t;
op relu(x: tensor) -> tensor { traits pure type x.type; }
-- a.rw
import "ops.rw";
pattern P { relu(x) => x }
>> diagnostics
1:8-16 error import-wrong: what is imported has an error
    ops.rw:2:44: expected `;`, found `type`
>> lenses
nothing
>> write ops.rw dialect t;\nop relu(x: tensor) -> tensor { traits pure; type x.type; }\n
nothing
>> diagnostics
nothing
