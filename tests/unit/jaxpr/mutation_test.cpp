// Mutated texts: whatever is read of one, it ends, and either gives a program that verifies, or one diagnostic with a
// place. What is read is lowered as well. RW_JAXPR_MUTATIONS says how many are tried.
#include "../support/mutated_text.h"
#include "jaxpr_fixture.h"

#include <cstdlib>
#include <random>

using namespace test;

namespace {
/// A little of everything.
const std::string &jaxprSeed() {
  static const std::string text = R"(let relu = { lambda ; a:f32[4]. let b:f32[4] = max a 0.0:f32[] in (b,) } in
let <lambda> = { lambda ; a:i32[] b:f32[4]. let c:i32[] = add a 1:i32[] in (c, b) } in
{ lambda k:f32[4]; a:f32[3,4] i:i32[2,1] n:i32[] s:f32[b,2*b + 1] w:u32[2]. let
    c:f32[2,4] = gather[
      dimension_numbers=GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,), operand_batching_dims=(), start_indices_batching_dims=())
      fill_value=None indices_are_sorted=False mode=GatherScatterMode.FILL_OR_DROP slice_sizes=(1, 4) unique_indices=False
    ] a i
    d:f32[4] = reduce_sum[axes=(0,) out_sharding=None] c
    e:f32[4] = jit[name=relu jaxpr=relu] d
    _:i32[] f:f32[4] = while[
      body_jaxpr=<lambda>
      body_nconsts=0
      cond_jaxpr={ lambda ; o:i32[] p:i32[] q:f32[4]. let r:bool[] = lt p o in (r,) }
      cond_nconsts=1
    ] n 0:i32[] e
    g:f32[] h:f32[4] = scan[
      jaxpr={ lambda ; a:f32[] b:f32[] c:f32[]. let d:f32[] = add a b; e:f32[] = mul d c in (e, d) }
      length=4 linear=(False, False, False) num_carry=1 num_consts=1 reverse=True unroll=1
    ] 1.5:f32[] 0.0:f32[] f
    j:f32[4] = cond[branches=(
        { lambda ; a:f32[4] b:f32[]. let  in (a,) }
        { lambda ; a_:f32[4] b:f32[]. let c:f32[4] = broadcast_in_dim[broadcast_dimensions=() shape=(4,) sharding=None] b in (c,) }
        { lambda ; a:f32[4] b_:f32[]. let c:f32[4] = neg a in (c,) }
      )] n h g
    l:f32[4] m:i32[4] = sort[dimension=0 is_stable=True num_keys=1] j [3 1 2 0]:i32[4]
    t:f32[2,2,6] = conv_general_dilated[
      batch_group_count=1 dimension_numbers=ConvDimensionNumbers(lhs_spec=(0, 1, 2), rhs_spec=(0, 1, 2), out_spec=(0, 1, 2))
      feature_group_count=1 lhs_dilation=(1,) padding=((1, 1),) precision=(<Precision.HIGHEST: 2>, <Precision.HIGHEST: 2>)
      preferred_element_type=None rhs_dilation=(1,) window_strides=(1,)
    ] [[[1. 2. 3. 4. 5. 6.]] [[1. 2. 3. 4. 5. 6.]]]:f32[2,1,6] [[[1.0, 2.0, 3.0]], [[1.0, 2.0, nan]]]:f32[2,1,3]
    u:f32[b] = reduce_max[axes=(1,)] s
    v:key<fry>[] = random_wrap[impl=fry] w
    x:u32[3] = random_bits[bit_width=32 shape=(3,)] v
    y:i32[] = argmax[axes=(0,) index_dtype=int32] l
    z:f32[4] = integer_pow[y=3] k
    ba:f32[4] = custom_jvp_call[
      name=f call_jaxpr={ lambda ; a:f32[4]. let b:f32[4] = logistic a in (b,) }
      jvp=<function f.<locals>.jvp at 0x7ac0> symbolic_zeros=False
    ] z
  in (ba, m, t, u, x, y, 2.0:f32[]) }
)";
  return text;
}

std::string mutatedJaxpr(std::mt19937 &random) {
  static const rw::test::TextAlphabet alphabet = {
      .bytes = std::string_view("()[]{}<>\"':;,=-+*.abin_ ?0159^\\ \n\0\xff"
                                "let",
                                38),
      .numbers = {"0", "-1", "9223372036854775807", "18446744073709551616", "4294967296", "65", "1e400", "2.5"},
      // a primitive, a variable or a key becomes another one
      .words = {"sin", "a", "b", "reduce_window", "scan", "dot_general", "nan", "in", "jaxpr", "random_bits",
                "scatter-add", "cumsum", "key<fry>", "f16", "c64", "None"}};
  return rw::test::mutatedText(jaxprSeed(), random, alphabet);
}
} // namespace

TEST_CASE("the text itself") {
  JaxprText text(jaxprSeed());
  REQUIRE_MESSAGE(text.program, text.error());
  CHECK(text.lower() == "");
}

TEST_CASE("mutations of it") {
  const char *asked = std::getenv("RW_JAXPR_MUTATIONS");
  unsigned runs = asked ? unsigned(std::strtoul(asked, nullptr, 10)) : 2000;
  std::mt19937 random(asked ? 12345 : 1);
  size_t read = 0;
  for (unsigned i = 0; i < runs; ++i) {
    std::string text = mutatedJaxpr(random);
    INFO(text);
    JaxprText first(text);
    if (!first.program) {
      REQUIRE(first.diags.hasErrors());
      REQUIRE(bool(first.diags.all().back().range));
      first.diags.renderText();
      continue;
    }
    ++read;
    if (read % 16 == 0)
      first.lower();
  }
  CHECK(read > 0);
}

TEST_CASE("nesting has a limit, and what is shared is not multiplied") {
  std::string open, close;
  for (int i = 0; i < 5000; ++i) {
    open += "{ lambda ; a:f32[]. let b:f32[] = jit[name=f jaxpr=";
    close += "] a in (b,) }";
  }
  CHECK(JaxprText(open + "{ lambda ; a:f32[]. let in (a,) }" + close).error().find("too-deep") != std::string::npos);
  CHECK(JaxprText("{ lambda ; a:f32[]. let b:f32[] = sin[x=" + std::string(100000, '(') + "] a in (b,) }")
            .error()
            .find("too-deep") != std::string::npos);
  CHECK(JaxprText("{ lambda ; a:f32[" + std::string(100000, '(') + "]. let in (a,) }").error().find("too-deep") !=
        std::string::npos);
  std::string shared = "let f0 = { lambda ; a:f32[]. let b:f32[] = sin a in (b,) } in\n";
  for (int i = 1; i < 60; ++i) {
    std::string below = "f" + std::to_string(i - 1);
    shared += "let f" + std::to_string(i) +
              " = { lambda ; a:f32[] i:i32[]. let b:f32[] = cond[branches=({ lambda ; a:f32[]. let b:f32[] = " +
              (i == 1 ? "jit[name=f jaxpr=" + below + "] a" : "jit[name=f jaxpr=" + below + "] a 0:i32[]") +
              " in (b,) } { lambda ; a:f32[]. let b:f32[] = " +
              (i == 1 ? "jit[name=f jaxpr=" + below + "] a" : "jit[name=f jaxpr=" + below + "] a 1:i32[]") +
              " in (b,) })] i a in (b,) } in\n";
  }
  JaxprText text(shared + "{ lambda ; a:f32[]. let b:f32[] = jit[name=f jaxpr=f59] a 0:i32[] in (b,) }");
  REQUIRE_MESSAGE(text.program, text.error());
  CHECK(text.program->functions().size() == 61);
}
