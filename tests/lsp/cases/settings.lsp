!! {"initializationOptions": {"importDirs": ["$folder/1/include"]}}
== folders of imports
-- include/t/lib.rw on disk
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
-- a.rw
import "t/lib.rw";
import "t/$1";
pattern P { relu(relu(x)) => relu(x) }
>> diagnostics
2:8-12 error import-missing: `t/` is a folder: an import names a file
    as in `import "t/ops.rw";`
>> completion 1
t/lib.rw
>> notify workspace/didChangeConfiguration {"settings": {"rw": {"importDirs": []}}}
nothing
>> whole import "t/lib.rw";\n
1:8-18 error import-missing: there is no file `t/lib.rw` to import
    looked for t/lib.rw
    an import is searched in the folder of the importing file, then in the -I folders, then among the built-in files

== settings that are none are said, and a folder needs no list
-- include/t/lib.rw on disk
dialect t;
-- a.rw
import "lib.rw";
>> diagnostics
1:8-16 error import-missing: there is no file `lib.rw` to import
    looked for lib.rw
    an import is searched in the folder of the importing file, then in the -I folders, then among the built-in files
>> notify workspace/didChangeConfiguration {"settings": {"rw": {"importDirs": 3, "model": ["a.onnx"], "runTests": "no", "prove": 1, "wholeUpTo": -1, "server": "/x"}}}
nothing
>> messages
rw: the setting `importDirs` is a list of folders, not 3
rw: the setting `model` is the path of a model, not ["a.onnx"]
rw: the setting `runTests` is true or false, not "no"
rw: the setting `prove` is true or false, not 1
rw: the setting `wholeUpTo` is a number of bytes, not -1
>> notify workspace/didChangeConfiguration {"settings": {"rw": {"importDirs": "$folder/include/t", "model": null}}}
nothing
>> messages
nothing
>> whole import "lib.rw";\n
nothing

== a model that a setting names and that cannot be read
-- a.rw
import "onnx/onnx.rw";
pattern P { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
>> notify workspace/didChangeConfiguration {"settings": {"model": "$folder/none.onnx"}}
nothing
>> command rw.showMatches ["$uri", 2]
| {
|  "model": "none.onnx",
|  "modelOps": 0,
|  "patterns": [],
|  "tests": [],
|  "trouble": "the model none.onnx cannot be read: No such file or directory"
| }
>> diagnostics
1:1-23 warning model: the model none.onnx cannot be read: No such file or directory; the setting `model` names it

== a model in quotes
-- m.rwir on disk
func @main(%x: f32[2, 3]) {
  %a = onnx.Relu(%x) : f32[2, 3]
  return %a
}
-- a.rw
// model: "m.rwir"
import "onnx/onnx.rw";
pattern P { onnx.Relu(x) => onnx.Neg(x) }
>> command rw.showMatches ["$uri", 3]
| {
|  "model": "m.rwir",
|  "modelOps": 2,
|  "patterns": [
|   {
|    "examples": [
|     "@main onnx.Relu %a"
|    ],
|    "line": 3,
|    "matches": 1,
|    "misses": [],
|    "name": "P",
|    "notTried": 0
|   }
|  ],
|  "tests": [],
|  "trouble": ""
| }
>> lenses
3:9-10 1 match on m.rwir
