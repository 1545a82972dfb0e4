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
