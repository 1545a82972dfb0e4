!! {"initializationOptions": {"runTests": false}}
== tests of the document
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
op tanh(x: tensor) -> tensor { traits pure; type x.type; }
pattern Twice { relu(relu(x)) => relu(x) }
test Twice (x: f32[2]) { relu(relu(x)) => relu(x) }
test Twice (x: f32[2]) { tanh(tanh(x)) => tanh(x) }
test Twice (x: f32[2]) { tanh(x) => unchanged }
>> lenses
5:6-11 run test
6:6-11 run test
7:6-11 run test
>> command rw.runTests ["$uri", 5]
| {
|  "model": "",
|  "modelOps": 0,
|  "patterns": [],
|  "tests": [
|   {
|    "line": 5,
|    "name": "Twice",
|    "passes": true,
|    "why": ""
|   },
|   {
|    "line": 6,
|    "name": "Twice",
|    "passes": false,
|    "why": "from:\nfunc @test(%x: f32[2]) -> f32[2] {\n  %0 = t.tanh(%x) : f32[2]\n  %1 = t.tanh(%0) : f32[2]\n  return %1\n}\ncame the same:\nfunc @test(%x: f32[2]) -> f32[2] {\n  %0 = t.tanh(%x) : f32[2]\n  %1 = t.tanh(%0) : f32[2]\n  return %1\n}\nbut should come:\nfunc @test(%x: f32[2]) -> f32[2] {\n  %0 = t.tanh(%x) : f32[2]\n  return %0\n}\n"
|   },
|   {
|    "line": 7,
|    "name": "Twice",
|    "passes": true,
|    "why": ""
|   }
|  ],
|  "trouble": ""
| }
>> lenses
5:6-11 passes
6:6-11 fails
7:6-11 passes
>> diagnostics
6:6-11 error test-fails: the test fails
    from:
    func @test(%x: f32[2]) -> f32[2] {
      %0 = t.tanh(%x) : f32[2]
      %1 = t.tanh(%0) : f32[2]
      return %1
    }
    came the same:
    func @test(%x: f32[2]) -> f32[2] {
      %0 = t.tanh(%x) : f32[2]
      %1 = t.tanh(%0) : f32[2]
      return %1
    }
    but should come:
    func @test(%x: f32[2]) -> f32[2] {
      %0 = t.tanh(%x) : f32[2]
      return %0
    }
>> whole dialect t;\n
nothing
>> lenses
nothing

== patterns on a model that a comment names
-- m.rwir on disk
func @main(%x: f32[2, 3], %y: f32[2, 3]) {
  %a = tensor.relu(%x) : f32[2, 3]
  %b = tensor.relu(%a) : f32[2, 3]
  %c = tensor.relu(%b) : f32[2, 3]
  %d = tensor.relu(%y) : f32[2, 3]
  %e = tensor.relu(%d) : f32[2, 3]
  return %c, %d, %e
}
-- a.rw
// model: m.rwir
import "tensor/tensor.rw";
pattern Twice { tensor.relu(single tensor.relu(x)) => tensor.relu(x) }
pattern Long { tensor.relu(tensor.relu(x)) where x.rank > 2 => tensor.relu(x) }
pattern Never { tensor.exp(tensor.log(x)) where x.rank == 0 => x }
>> command rw.showMatches ["$uri", 3]
| {
|  "model": "m.rwir",
|  "modelOps": 6,
|  "patterns": [
|   {
|    "examples": [
|     "@main tensor.relu %b",
|     "@main tensor.relu %c"
|    ],
|    "line": 3,
|    "matches": 2,
|    "misses": [
|     {
|      "condition": "operand `x` of the root has no other use",
|      "count": 1,
|      "example": "@main tensor.relu %e",
|      "line": 3
|     }
|    ],
|    "name": "Twice",
|    "notTried": 0
|   },
|   {
|    "examples": [],
|    "line": 4,
|    "matches": 0,
|    "misses": [
|     {
|      "condition": "x.rank > 2",
|      "count": 3,
|      "example": "@main tensor.relu %b",
|      "line": 4
|     }
|    ],
|    "name": "Long",
|    "notTried": 0
|   },
|   {
|    "examples": [],
|    "line": 5,
|    "matches": 0,
|    "misses": [],
|    "name": "Never",
|    "notTried": 0
|   }
|  ],
|  "tests": [],
|  "trouble": ""
| }
>> lenses
3:9-14 2 matches on m.rwir, 1 nearly: operand `x` of the root has no other use
4:9-13 0 matches on m.rwir, 3 nearly: x.rank > 2
5:9-14 0 matches on m.rwir

== a model that is not there
-- a.rw
// model: nowhere.onnx
import "tensor/tensor.rw";
pattern Twice { tensor.relu(tensor.relu(x)) => tensor.relu(x) }
>> command rw.showMatches ["$uri", 3]
| {
|  "model": "nowhere.onnx",
|  "modelOps": 0,
|  "patterns": [],
|  "tests": [],
|  "trouble": "the model nowhere.onnx cannot be read: No such file or directory"
| }
>> lenses
nothing
>> diagnostics
1:1-23 warning model: the model nowhere.onnx cannot be read: No such file or directory

== a model with ops of the document's own
-- m.rwir on disk
func @main(%x: f32[2]) {
  %a = mine.half(%x) : f32[2]
  %b = mine.half(%a) : f32[2]
  return %b
}
-- a.rw
// model: m.rwir
dialect mine;
op half(x: tensor) -> tensor { traits pure; type x.type; }
op quarter(x: tensor) -> tensor { traits pure; type x.type; }
pattern Quarter { half(half(x)) => quarter(x) }
>> command rw.showMatches ["$uri", 5]
| {
|  "model": "m.rwir",
|  "modelOps": 3,
|  "patterns": [
|   {
|    "examples": [
|     "@main mine.half %b"
|    ],
|    "line": 5,
|    "matches": 1,
|    "misses": [],
|    "name": "Quarter",
|    "notTried": 0
|   }
|  ],
|  "tests": [],
|  "trouble": ""
| }

== what cannot be tried
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
constraint fits(x: value) [{ return true; }]
pattern P { relu(relu(x)) where fits(x) => relu(x) }
test P (x: f32[2]) { relu(relu(x)) => relu(x) }
>> command rw.runTests ["$uri", 5]
| {
|  "model": "",
|  "modelOps": 0,
|  "patterns": [],
|  "tests": [],
|  "trouble": "conditions in C++ run where they are compiled: `fits` is C++, and a file that runs from its source has none"
| }
>> lenses
5:6-7 run test
>> command rw.runTests []
| {
|  "code": -32602,
|  "message": "the first argument is a document"
| }
>> command rw.fly ["$uri"]
| {
|  "code": -32602,
|  "message": "no command `rw.fly`"
| }
>> whole dialect t; op\n
1:13-14 error syntax: expected a name, found the end of the file
    an op is written `op name(x: tensor) -> tensor { attr k: int = 0; traits pure; type x.type; }`
>> command rw.runTests ["$uri", 1]
| {
|  "code": -32803,
|  "message": "the document has errors"
| }

== what a pattern makes of the model, drawn
-- m.rwir on disk
func @main(%x: f32[2]) -> f32[2] {
  %a = onnx.Relu(%x)
  %b = onnx.Relu(%a)
  return %b
}
-- a.rw
// model: m.rwir
import "onnx/onnx.rw";
pattern Twice { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }
pattern Never { onnx.Tanh(x) => x }
>> command rw.showRewrites ["$uri", 3]
| {
|  "model": "m.rwir",
|  "rewrites": [
|   {
|    "after": "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 95 198\" width=\"95\" height=\"198\" role=\"img\" aria-label=\"after\"><path class=\"e\" d=\"M47 133C47 150 47 150 47 164\"/><path class=\"h\" d=\"M47 167l-4 -7h8z\"/><path class=\"e\" d=\"M47 46C47 63 47 63 47 77\"/><path class=\"h\" d=\"M47 80l-4 -7h8z\"/><g class=\"n t\"><rect x=\"8\" y=\"80\" width=\"79\" height=\"53\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"95\">onnx.Relu</text><text x=\"47\" y=\"110\">%b</text><text x=\"47\" y=\"125\">f32[2]</text></g><g class=\"b\"><rect x=\"15\" y=\"167\" width=\"65\" height=\"23\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"182\">results</text></g><g class=\"b\"><rect x=\"18\" y=\"8\" width=\"58\" height=\"38\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"23\">%x</text><text x=\"47\" y=\"38\">f32[2]</text></g></svg>",
|    "before": "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 95 285\" width=\"95\" height=\"285\" role=\"img\" aria-label=\"before\"><path class=\"e\" d=\"M47 220C47 237 47 237 47 251\"/><path class=\"h\" d=\"M47 254l-4 -7h8z\"/><path class=\"e\" d=\"M47 133C47 150 47 150 47 164\"/><path class=\"h\" d=\"M47 167l-4 -7h8z\"/><path class=\"e\" d=\"M47 46C47 63 47 63 47 77\"/><path class=\"h\" d=\"M47 80l-4 -7h8z\"/><g class=\"n t\"><rect x=\"8\" y=\"167\" width=\"79\" height=\"53\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"182\">onnx.Relu</text><text x=\"47\" y=\"197\">%b</text><text x=\"47\" y=\"212\">f32[2]</text></g><g class=\"b\"><rect x=\"15\" y=\"254\" width=\"65\" height=\"23\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"269\">results</text></g><g class=\"n t\"><rect x=\"8\" y=\"80\" width=\"79\" height=\"53\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"95\">onnx.Relu</text><text x=\"47\" y=\"110\">%a</text><text x=\"47\" y=\"125\">f32[2]</text></g><g class=\"b\"><rect x=\"18\" y=\"8\" width=\"58\" height=\"38\" rx=\"4\"/><text class=\"o\" x=\"47\" y=\"23\">%x</text><text x=\"47\" y=\"38\">f32[2]</text></g></svg>",
|    "pattern": "Twice",
|    "root": "onnx.Relu %b"
|   }
|  ],
|  "trouble": ""
| }
>> command rw.showRewrites ["$uri", 4]
| {
|  "model": "m.rwir",
|  "rewrites": [],
|  "trouble": ""
| }
>> command rw.showRewrites ["$uri", 1]
| {
|  "model": "m.rwir",
|  "rewrites": [],
|  "trouble": ""
| }
