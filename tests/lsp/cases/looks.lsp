== colours
-- a.rw
import "onnx/onnx.rw";
dialect t;
// A comment.
op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
fn f(n: int) -> bool = len([n]) == 1;
set all = {relu, onnx.Relu};
$1pattern P label "x" { d: relu(y: f32[m], slope = s) where f(2), d.slope == s, y.rank > 1 => onnx.Relu(y) }
$2pass p { P; }
>> tokens
1 import:keyword "onnx/onnx.rw":string
2 dialect:keyword t:namespace!
3 // A comment.:comment
4 op:keyword relu:method! x:parameter! attr:keyword slope:property! 0.0:number traits:keyword pure:enumMember type:keyword x:parameter type:property
5 fn:keyword f:function! n:parameter! bool:type len:function n:parameter 1:number
6 set:keyword all:enumMember! relu:method onnx:namespace Relu:method
7 pattern:keyword P:class! label:keyword "x":string d:variable! relu:method y:variable! f32:type m:variable! slope:property s:variable! where:keyword f:function 2:number d:variable slope:property s:variable y:variable rank:property 1:number onnx:namespace Relu:method y:variable
8 pass:keyword p:class! P:class
>> tokens 1 2
7 pattern:keyword P:class! label:keyword "x":string d:variable! relu:method y:variable! f32:type m:variable! slope:property s:variable! where:keyword f:function 2:number d:variable slope:property s:variable y:variable rank:property 1:number onnx:namespace Relu:method y:variable

== types that are not written
-- a.rw
dialect t;
op transpose(x: tensor) -> tensor { attr perm: [int]; attr mode: string = ""; traits pure; }
$1fn inverse(p: [int]) -> [int] = let q = p in [q[i] for i in argsort(p)];
pattern P {
  transpose(transpose(x, perm = p, mode = m), perm = q)
  where let r = [p[i] for i in q], let n = len(r), x.type is f32
  => x
}
$2pattern Q { transpose(x: f32[k], perm = [first, rest...]) where let s = x.shape => x }
>> hints
fn inverse(p: [int]) -> [int] = let q«: [int]» = p in [q[i] for i«: int» in argsort(p)];
  transpose(transpose(x, perm = p«: [int]», mode = m«: string»), perm = q«: [int]»)
  where let r«: [int]» = [p[i] for i«: int» in q], let n«: int» = len(r), x.type is f32
pattern Q { transpose(x: f32[k«: dim»], perm = [first«: int», rest«: [int]»...]) where let s«: [dim]» = x.shape => x }
>> hints 2
nothing

== formatting
-- a.rw
dialect t;
op relu(x:tensor)->tensor{traits pure ;}
// fine
pattern P {   relu(relu(x))
=> relu(x) }
>> format
-op relu(x:tensor)->tensor{traits pure ;}
+op relu(x: tensor) -> tensor { traits pure; }
-pattern P {   relu(relu(x))
-=> relu(x) }
+pattern P { relu(relu(x))
+            => relu(x) }

== formatting what is in form, and what cannot be read
-- a.rw
dialect t;
-- b.rw
dialect   t;
pattern P {
>> format
nothing

== units of columns: characters beyond ASCII in front
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { traits pure; type x.type; }
/* */ pattern P { relu(x) => x }
pattern Q { relu(x) where "ä𝄞" == "𝄞", $1nobody(x) => x }
>> diagnostics
4:42-48 error undefined-function: no function named `nobody`
>> completion 1 1
x, …
