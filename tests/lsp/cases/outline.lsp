== symbols
-- a.rw
import "onnx/onnx.rw";
dialect t;
/// The larger of x and 0.
op relu(x: tensor) -> tensor {
  attr slope: float = 0.0;
  region body;
  traits pure;
  type x.type;
}
fn f(n: int) -> int = n;
constraint c(x: value) [{ return true; }]
rewrite r(x: value) -> value = x;
match m(x) = relu(x);
set s = {relu};
trait movement;
pattern P { relu(x) => x }
pass p { P; }
pipeline q = p;
test P (x: f32[2]) { relu(x) => x }
>> symbols
t dialect 2:1-11
relu op 3:1-9:2
  x operand 4:9-18
  slope attr 5:3-27
  body region 6:10-14
f function 10:1-25
c native 11:1-42
r rewrite 12:1-34
m match 13:1-22
s set 14:1-16
movement set 15:1-16
P pattern 16:1-27
p pass 17:1-14
q pipeline 18:1-16
test P test 19:1-36
>> workspace rl
t.relu a.rw:4:4
>> workspace nothing has this name
nothing
>> workspace P
P a.rw:16:9
p a.rw:17:6

== folding
-- a.rw
import "onnx/onnx.rw";
import "layout/transpose.rw";
dialect t;
// Two lines
// of a comment.
op relu(
  x: tensor
) -> tensor {
  traits pure;
  type x.type;
}
// One line.
constraint c(x: value) [{
  return true;
}]
pattern Broken {
  relu(
    x
>> folding
4-5 comment
6-7
8-10
13-15
1-2 imports

== selections
-- a.rw
dialect t;
op relu(x: tensor) -> tensor { attr slope: float = 0.0; traits pure; type x.type; }
/// A pattern.
pattern P {
  relu(relu(x, sl$1ope = s), slope = 1.0)
  where x.ra$2nk > 1
  => relu(x)
}
>> selection 1
"slope"
"slope = s"
"x, slope = s"
"(x, slope = s)"
"relu(x, slope = s)"
"relu(x, slope = s), slope = 1.0"
"(relu(x, slope = s), slope = 1.0)"
5:3-7:13
4:12-8:1
4:11-8:2
4:1-8:2
3:1-8:2
1:1-9:1
>> selection 2
"rank"
5:3-7:13
4:12-8:1
4:11-8:2
4:1-8:2
3:1-8:2
1:1-9:1

== links
-- lib.rw on disk
dialect t;
-- below/more.rw on disk
dialect u;
-- below/a.rw
import "../lib.rw";
import "more.rw";
import "onnx/onnx.rw";
import "nowhere.rw";
>> links
1:8-19 lib.rw
2:8-17 below/more.rw
3:8-22 …/onnx/onnx.rw
