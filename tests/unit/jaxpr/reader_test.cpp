// What texts become: jaxprs as several versions of JAX print them.
#include "jaxpr_fixture.h"

using namespace test;

namespace {
/// The ops of @main, a line each, names left out.
std::string opsOf(const std::string &text) {
  JaxprText read(text);
  return read.print();
}
} // namespace

TEST_CASE("equations, literals with types and without") {
  const std::string expected = R"(func @main(%a: f32[8], %b: f32[8]) -> f32[] {
  %c = jax.sin(%b) : f32[8]
  %0 = jax.constant() {value = dense<f32[]: 3>} : f32[]
  %d = jax.mul(%c, %0) : f32[8]
  %e = jax.add(%a, %d) : f32[8]
  %f = jax.reduce_sum(%e) {axes = [0]} : f32[]
  return %f
}
)";
  CHECK(opsOf(R"({ lambda ; a:f32[8] b:f32[8]. let
    c:f32[8] = sin b
    d:f32[8] = mul c 3.0
    e:f32[8] = add a d
    f:f32[] = reduce_sum[axes=(0,)] e
  in (f,) })") == expected);
  CHECK(opsOf(R"({ lambda ; a:f32[8] b:f32[8]. let
    c:f32[8] = sin[accuracy=None] b
    d:f32[8] = mul c 3.0:f32[]
    e:f32[8] = add a d
    f:f32[] = reduce_sum[axes=(0,) out_sharding=None] e
  in (f,) })") == expected);
  CHECK(opsOf("{ lambda ; a:f32[8] b:f32[8]. let c:f32[8] = sin b; d:f32[8] = mul c 3.0; e:f32[8] = add a d; "
              "f:f32[] = reduce_sum[axes=(0,)] e in (f,) }") == expected);
  CHECK(opsOf("{ lambda ;\na:f32[8]\nb:f32[8] . let\nc:f32[8] =\n sin\n  b\nd:f32[8] = mul c\n  3.0:f32[]\ne:f32[8] = "
              "add\n  a\n  d\n"
              "f:f32[] = reduce_sum[\n  axes=(0,)\n  input_shape=(8,)\n  ] e\nin (f,) }") == expected);
}

TEST_CASE("what the type of the result says") {
  const std::string expected = R"(func @main() -> (f32[2, 3], i32[3]) {
  %0 = jax.constant() {value = dense<f32[]: 1>} : f32[]
  %a = jax.broadcast_in_dim(%0) {shape = [2, 3]} : f32[2, 3]
  %b = jax.iota() {shape = [3], dtype = i32} : i32[3]
  return %a, %b
}
)";
  CHECK(opsOf("{ lambda ; . let a:f32[2,3] = broadcast_in_dim[broadcast_dimensions=() shape=(2, 3)] 1.0\n"
              "b:i32[3] = iota[dimension=0 dtype=int32 shape=(3,)] in (a, b) }") == expected);
  CHECK(opsOf("{ lambda ; . let a:f32[2,3] = broadcast_in_dim 1.0:f32[]\n"
              "b:i32[3] = iota[dimension=0 dtype=int32 shape=(3,) sharding=None] \n in (a, b) }") == expected);
  CHECK(opsOf("{ lambda ; . let a:f32[2,3] = broadcast_in_dim[broadcast_dimensions=() shape=(2, 3) sharding=None] "
              "1.0:f32[]\n"
              "b:i32[3] = iota\n in (a, b) }") == expected);
}

TEST_CASE("variables called as words of the text, and after 240 of them") {
  CHECK(opsOf(R"({ lambda ; do:f32[] if:f32[] is:f32[]. let
    in:f32[] = add do if
    let:f32[] = mul in is
    lambda:f32[] = sub in let
    nan:f32[] = neg lambda
    inf:f32[] = add nan nan:f32[]
    True_:f32[] = add inf in
    in_:f32[] = max inf -inf:f32[]
  in (in, in_, True_) })") == R"(func @main(%do: f32[], %if: f32[], %is: f32[]) -> (f32[], f32[], f32[]) {
  %in = jax.add(%do, %if) : f32[]
  %let = jax.mul(%in, %is) : f32[]
  %lambda = jax.sub(%in, %let) : f32[]
  %nan = jax.neg(%lambda) : f32[]
  %0 = jax.constant() {value = dense<f32[]: nan>} : f32[]
  %inf = jax.add(%nan, %0) : f32[]
  %True_ = jax.add(%inf, %in) : f32[]
  %1 = jax.constant() {value = dense<f32[]: -inf>} : f32[]
  %in_ = jax.max(%inf, %1) : f32[]
  return %in, %in_, %True_
}
)");
}

TEST_CASE("calls: functions by their names, shared jaxprs once, names of the scope around hidden") {
  CHECK(opsOf(R"(let relu = { lambda ; a:f32[4]. let b:f32[4] = max a 0.0:f32[] in (b,) } in
{ lambda ; a:f32[4]. let
    b:f32[4] = jit[name=relu jaxpr=relu] a
    c:f32[4] = jit[name=relu jaxpr=relu] b
    d:f32[4] = custom_jvp_call[
      name=relu
      call_jaxpr={ lambda ; a:f32[4]. let
          b:f32[4] = jit[name=relu jaxpr={ lambda ; a:f32[4]. let
              b:f32[4] = max a 0.0:f32[]
            in (b,) }] a
        in (b,) }
      jvp=jvp
      symbolic_zeros=False
    ] c
  in (d,) })") == R"(func @main(%a: f32[4]) -> f32[4] {
  %b = tensor.call(%a) {callee = @relu} : f32[4]
  %c = tensor.call(%b) {callee = @relu} : f32[4]
  %d = tensor.call(%c) {callee = @relu_0} : f32[4]
  return %d
}

func @relu(%a: f32[4]) -> f32[4] {
  %0 = jax.constant() {value = dense<f32[]: 0>} : f32[]
  %b = jax.max(%a, %0) : f32[4]
  return %b
}

func @relu_0(%a: f32[4]) -> f32[4] {
  %0 = jax.constant() {value = dense<f32[]: 0>} : f32[]
  %b = jax.max(%a, %0) : f32[4]
  return %b
}
)");
}

TEST_CASE("loops and branches read what is around them") {
  CHECK(opsOf(R"({ lambda ; a:f32[16] b:i32[]. let
    c:f32[16] = broadcast_in_dim 1.0:f32[]
    _:i32[] _:i32[] e:f32[16] = while[
      body_jaxpr={ lambda ; f:f32[16] g:f32[16] h:i32[] i:i32[] j:f32[16]. let
          k:i32[] = add h 1:i32[]
          l:f32[16] = mul f 3.0:f32[]
          m:f32[16] = add j l
          n:f32[16] = add m g
        in (k, i, n) }
      body_nconsts=2
      cond_jaxpr={ lambda ; o:i32[] p:i32[] q:f32[16]. let
          r:bool[] = lt o p
        in (r,) }
      cond_nconsts=0
    ] c a 0:i32[] b a
    s:f32[16] = cond[
      branches=(
        { lambda ; f:f32[16]. let  in (f,) }
        { lambda ; f:f32[16]. let g:f32[16] = neg f in (g,) }
        { lambda ; f_:f32[16]. let g:f32[16] = broadcast_in_dim 2.0:f32[] in (g,) }
      )
    ] b e
  in (s,) })") == R"(func @main(%a: f32[16], %b: i32[]) -> f32[16] {
  %0 = jax.constant() {value = dense<f32[]: 1>} : f32[]
  %c = jax.broadcast_in_dim(%0) {shape = [16]} : f32[16]
  %1 = jax.constant() {value = dense<i32[]: 0>} : i32[]
  %2, %3, %e = jax.while(%1, %b, %a) : i32[], i32[], f32[16] cond(%o: i32[], %p: i32[], %q: f32[16]) {
    %r = jax.lt(%o, %p) : bool[]
    return %r
  } body(%h: i32[], %i: i32[], %j: f32[16]) {
    %4 = jax.constant() {value = dense<i32[]: 1>} : i32[]
    %k = jax.add(%h, %4) : i32[]
    %5 = jax.constant() {value = dense<f32[]: 3>} : f32[]
    %l = jax.mul(%c, %5) : f32[16]
    %m = jax.add(%j, %l) : f32[16]
    %n = jax.add(%m, %a) : f32[16]
    return %k, %i, %n
  }
  %s = jax.cond(%b) : f32[16] taken {
    return %e
  } otherwise {
    %6 = jax.cond(%b) {branch = 1} : f32[16] taken {
      %g = jax.neg(%e) : f32[16]
      return %g
    } otherwise {
      %7 = jax.constant() {value = dense<f32[]: 2>} : f32[]
      %g = jax.broadcast_in_dim(%7) {shape = [16]} : f32[16]
      return %g
    }
    return %6
  }
  return %s
}
)");
}

TEST_CASE("scan, as versions print it") {
  const std::string expected = R"(func @main(%a: f32[16], %b: f32[], %c: f32[16]) -> (f32[], f32[16]) {
  %0 = jax.constant() {value = dense<f32[]: 0>} : f32[]
  %d, %e = jax.scan(%0) {length = 16} : f32[], f32[16] body(%1: i32[], %g: f32[]) {
    %h = jax.scan_slice(%a, %1) : f32[]
    %i = jax.scan_slice(%c, %1) : f32[]
    %j = jax.mul(%h, %i) : f32[]
    %l = jax.add(%g, %j) : f32[]
    %n = jax.add(%l, %b) : f32[]
    return %n, %g
  }
  return %d, %e
}
)";
  const std::string body = R"({ lambda ; f:f32[] g:f32[] h:f32[] i:f32[]. let
          j:f32[] = mul h i
          l:f32[] = add g j
          n:f32[] = add l f
        in (n, g) })";
  const std::string begin = "{ lambda ; a:f32[16] b:f32[] c:f32[16]. let\n    d:f32[] e:f32[16] = scan[\n      ";
  CHECK(opsOf(begin + "_split_transpose=False jaxpr=" + body +
              " length=16 linear=(False, False, False, False) num_carry=1 num_consts=1 reverse=False unroll=1 ] b 0.0 "
              "a c\n  in (d, e) }") == expected);
  CHECK(opsOf(begin + "jaxpr=" + body +
              "\n      length=16\n      num_carry=1\n      num_consts=1\n      reverse=False\n      unroll=1\n    ] b "
              "0.0:f32[] a c\n  in (d, e) }") == expected);
  // Trees in place of numbers: what is carried follows from the types.
  CHECK(opsOf(begin + "ft_in=FlatTree((*, (*,), (*, *))) ft_out=FlatTree((*, *)) jaxpr=" + body +
              " length=16 reverse=False unroll=1 ] b 0.0:f32[] a c\n  in (d, e) }") == expected);
}

TEST_CASE("constants without values become inputs, and are named") {
  JaxprText text(R"({ lambda a:f32[3]; b:f32[3]. let
    c:f32[3] = jit[name=f jaxpr={ lambda d:f32[3]; e:f32[3]. let
        g:f32[3] = mul d e
        h:f32[3] = add g [...]:f32[3]
      in (h,) }] b
    i:f32[3] = add a c
  in (i,) })");
  CHECK(text.print() == R"(func @main(%b: f32[3], %a: f32[3], %d: f32[3], %constant: f32[3]) -> f32[3] {
  %c = tensor.call(%b, %d, %constant) {callee = @f} : f32[3]
  %i = jax.add(%a, %c) : f32[3]
  return %i
}

func @f(%e: f32[3], %d: f32[3], %constant: f32[3]) -> f32[3] {
  %g = jax.mul(%d, %e) : f32[3]
  %h = jax.add(%g, %constant) : f32[3]
  return %h
}
)");
  CHECK(text.diags.warningCount() == 1);
  CHECK(text.diags.all()[0].tag == "constants-as-inputs");
  CHECK(text.diags.all()[0].message == "3 constants are not in the text: `a: f32[3]`, `d: f32[3]`, `constant: f32[3]`");
}

TEST_CASE("sizes are expressions over symbols") {
  CHECK(opsOf(R"({ lambda ; a:f32[b,3]. let
    c:f32[3*b] = reshape[dimensions=None new_sizes=(3*b,) sharding=None] a
    d:f32[3*b + 1] = pad[padding_config=((0, 1, 0),)] c 0.0:f32[]
    e:f32[floordiv(b, 2),3] = slice[limit_indices=(floordiv(b, 2), 3) start_indices=(0, 0) strides=None] a
    f:f32[b,mod(b, 3)] = broadcast_in_dim[broadcast_dimensions=() shape=(b, mod(b, 3)) sharding=None] 0.0:f32[]
  in (c, d, f) })") == R"(func @main(%a: f32[b, 3]) -> (f32[b*3], f32[b*3 + 1], f32[b, mod(b, 3)]) {
  %c = jax.reshape(%a) {new_sizes = [b*3]} : f32[b*3]
  %0 = jax.constant() {value = dense<f32[]: 0>} : f32[]
  %d = jax.pad(%c, %0) {padding_config = [[0, 1, 0]]} : f32[b*3 + 1]
  %e = jax.slice(%a) {start_indices = [0, 0], limit_indices = [floordiv(b, 2), 3]} : f32[floordiv(b, 2), 3]
  %1 = jax.constant() {value = dense<f32[]: 0>} : f32[]
  %f = jax.broadcast_in_dim(%1) {shape = [b, mod(b, 3)]} : f32[b, mod(b, 3)]
  return %c, %d, %f
}
)");
}

TEST_CASE("structured values: a field is an attribute") {
  CHECK(opsOf(R"({ lambda ; a:f32[5,4] b:i32[3,1] c:f32[2,5]. let
    d:f32[3,4] = gather[
      dimension_numbers=GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,), operand_batching_dims=(), start_indices_batching_dims=())
      fill_value=None
      indices_are_sorted=False
      mode=GatherScatterMode.FILL_OR_DROP
      slice_sizes=(1, 4)
      unique_indices=False
    ] a b
    e:f32[2,4] = dot_general[
      dimension_numbers=(([1], [0]), ([], []))
      out_sharding=None
      precision=(<Precision.HIGHEST: 2>, <Precision.HIGHEST: 2>)
      preferred_element_type=float32
    ] c a
  in (d, e) })") == R"(func @main(%a: f32[5, 4], %b: i32[3, 1], %c: f32[2, 5]) -> (f32[3, 4], f32[2, 4]) {
  %d = jax.gather(%a, %b) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], slice_sizes = [1, 4], mode = "FILL_OR_DROP"} : f32[3, 4]
  %e = jax.dot_general(%c, %a) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]} : f32[2, 4]
  return %d, %e
}
)");
}

TEST_CASE("how a jaxpr begins") {
  CHECK(rw::jaxpr::looksLikeJaxpr("{ lambda ; a:f32[]. let"));
  CHECK(rw::jaxpr::looksLikeJaxpr("\n  {lambda a"));
  CHECK(rw::jaxpr::looksLikeJaxpr("let f = { lambda ; a"));
  CHECK(!rw::jaxpr::looksLikeJaxpr("let f = 3"));
  CHECK(!rw::jaxpr::looksLikeJaxpr("module {"));
  CHECK(!rw::jaxpr::looksLikeJaxpr("func @main() {"));
  CHECK(!rw::jaxpr::looksLikeJaxpr(""));
}
