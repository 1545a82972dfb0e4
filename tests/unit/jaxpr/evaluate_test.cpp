// What primitives compute, once they are lowered to StableHLO: each against numbers worked out by hand.
#include "jaxpr_fixture.h"

using namespace test;

namespace {
/// f32[n] in, f32[n] out.
std::string unary(const std::string &primitive, const std::string &x, const std::string &type = "f32[3]") {
  return runOne("z:" + type + " = " + primitive + " [" + x + "]:" + type);
}
} // namespace

TEST_CASE("elementwise primitives") {
  CHECK(unary("neg", "1. -2. 0.") == "f32[3] -1.0 2.0 -0.0");
  CHECK(unary("sign", "1.5 -2. -0.0") == "f32[3] 1.0 -1.0 -0.0");
  CHECK(unary("sign", "3 0 7", "u8[3]") == "u8[3] 1 0 1");
  CHECK(unary("floor", "1.5 -1.5 2.") == "f32[3] 1.0 -2.0 2.0");
  CHECK(unary("ceil", "1.5 -1.5 2.") == "f32[3] 2.0 -1.0 2.0");
  CHECK(unary("round[rounding_method=1]", "0.5 1.5 -2.5") == "f32[3] 0.0 2.0 -2.0");
  CHECK(unary("round[rounding_method=RoundingMethod.TO_NEAREST_EVEN]", "0.5 1.5 -2.5") == "f32[3] 0.0 2.0 -2.0");
  CHECK(unary("round[rounding_method=0]", "0.5 1.5 -2.5") == "f32[3] 1.0 2.0 -3.0");
  CHECK(unary("exp", "0. 0. 0.") == "f32[3] 1.0 1.0 1.0");
  CHECK(unary("exp2", "0. 1. -1.") == "f32[3] 1.0 2.0 0.5");
  CHECK(unary("log", "1. 1. 0.") == "f32[3] 0.0 0.0 -inf");
  CHECK(unary("sqrt", "4. 9. 0.25") == "f32[3] 2.0 3.0 0.5");
  CHECK(unary("rsqrt", "4. 16. 0.25") == "f32[3] 0.5 0.25 2.0");
  CHECK(unary("cbrt", "8. 27. -1.") == "f32[3] 2.0 3.0 -1.0");
  CHECK(unary("logistic", "0. 0. 0.") == "f32[3] 0.5 0.5 0.5");
  CHECK(unary("square", "2. -3. 0.5") == "f32[3] 4.0 9.0 0.25");
  CHECK(unary("abs", "2 -3 0", "i32[3]") == "i32[3] 2 3 0");
  CHECK(unary("not", "0 -1 5", "i32[3]") == "i32[3] -1 0 -6");
  CHECK(unary("population_count", "0 -1 5", "i32[3]") == "i32[3] 0 32 2");
  CHECK(unary("clz", "0 -1 5", "i32[3]") == "i32[3] 32 0 29");
  CHECK(runOne("z:bool[3] = is_finite [1. inf nan]:f32[3]") == "bool[3] 1 0 0");
  CHECK(unary("erf", "0. 0. inf") == "f32[3] 0.0 0.0 1.0");
  CHECK(unary("erf_inv", "0. 0. 0.") == "f32[3] 0.0 0.0 0.0");
  CHECK(unary("integer_pow[y=2]", "2. -3. 0.5") == "f32[3] 4.0 9.0 0.25");
  CHECK(unary("integer_pow[y=7]", "2. -3. 1.") == "f32[3] 128.0 -2187.0 1.0");
  CHECK(unary("integer_pow[y=13]", "2 -1 3", "i32[3]") == "i32[3] 8192 -1 1594323");
  CHECK(unary("integer_pow[y=-2]", "2. -4. 0.5") == "f32[3] 0.25 0.0625 4.0");
  CHECK(unary("integer_pow[y=0]", "2. nan 0.") == "f32[3] 1.0 1.0 1.0");
  CHECK(unary("integer_pow[y=1]", "2. -4. 0.5") == "f32[3] 2.0 -4.0 0.5");
  CHECK(runOne("z:i32[3] = convert_element_type[new_dtype=int32 weak_type=False] [1.9 -1.9 3.]:f32[3]") ==
        "i32[3] 1 -1 3");
  CHECK(runOne("z:bool[3] = convert_element_type[new_dtype=bool] [1.9 0. nan]:f32[3]") == "bool[3] 1 0 1");
  CHECK(runOne("z:bf16[3] = convert_element_type[new_dtype=bfloat16] [1.0 0.1 3.]:f32[3]") ==
        "bf16[3] 1.0 0.10009765625 3.0");
  CHECK(runOne("z:u32[2] = bitcast_convert_type[new_dtype=uint32] [1. -2.]:f32[2]") == "u32[2] 1065353216 3221225472");
}

TEST_CASE("two operands: scalars and sizes of 1 stretch") {
  CHECK(runOne("z:f32[3] = add [1. 2. 3.]:f32[3] 1.0:f32[]") == "f32[3] 2.0 3.0 4.0");
  CHECK(runOne("z:f32[3] = sub 1.0:f32[] [1. 2. 3.]:f32[3]") == "f32[3] 0.0 -1.0 -2.0");
  CHECK(runOne("z:f32[2,2] = mul [[1. 2.]]:f32[1,2] [[3.] [4.]]:f32[2,1]") == "f32[2, 2] 3.0 6.0 4.0 8.0");
  CHECK(runOne("z:i32[3] = div [7 -7 9]:i32[3] [2 2 -4]:i32[3]") == "i32[3] 3 -3 -2");
  CHECK(runOne("z:i32[3] = rem [7 -7 9]:i32[3] [2 2 -4]:i32[3]") == "i32[3] 1 -1 1");
  CHECK(runOne("z:f32[3] = rem [7.5 -7.5 9.]:f32[3] 2.0:f32[]") == "f32[3] 1.5 -1.5 1.0");
  CHECK(runOne("z:f32[3] = max [1. nan 3.]:f32[3] 2.0:f32[]") == "f32[3] 2.0 nan 3.0");
  CHECK(runOne("z:f32[3] = min [1. nan 3.]:f32[3] 2.0:f32[]") == "f32[3] 1.0 nan 2.0");
  CHECK(runOne("z:f32[3] = pow [2. 3. 4.]:f32[3] 2:i32[]") == "f32[3] 4.0 9.0 16.0");
  CHECK(runOne("z:f32[3] = pow [2. 3. 4.]:f32[3] 2.0") == "f32[3] 4.0 9.0 16.0");
  CHECK(runOne("z:i32[3] = shift_left [1 2 3]:i32[3] 4") == "i32[3] 16 32 48");
  CHECK(runOne("z:i32[3] = shift_right_arithmetic [-16 16 -1]:i32[3] 2:i32[]") == "i32[3] -4 4 -1");
  CHECK(runOne("z:i32[3] = shift_right_logical [-16 16 -1]:i32[3] 28:i32[]") == "i32[3] 15 0 15");
  CHECK(runOne("z:bool[3] = and [True False True]:bool[3] [True True False]:bool[3]") == "bool[3] 1 0 0");
  CHECK(runOne("z:bool[3] = ge [1. 2. nan]:f32[3] 2.0") == "bool[3] 0 1 0");
  CHECK(runOne("z:bool[3] = ne [1. 2. nan]:f32[3] 2.0:f32[]") == "bool[3] 1 0 1");
  CHECK(runOne("z:bool[2] = lt_to [-0.0 nan]:f32[2] [0.0 1.]:f32[2]") == "bool[2] 1 0");
  CHECK(runOne("z:f32[3] = clamp 0.0:f32[] [-1. 0.5 7.]:f32[3] 1.0:f32[]") == "f32[3] 0.0 0.5 1.0");
  CHECK(runOne("z:f32[2] = select_n [True False]:bool[2] [1. 2.]:f32[2] [3. 4.]:f32[2]") == "f32[2] 3.0 2.0");
  CHECK(runOne("z:f32[2] = select_n True:bool[] [1. 2.]:f32[2] [3. 4.]:f32[2]") == "f32[2] 3.0 4.0");
  CHECK(runOne("z:f32[4] = select_n [0 1 2 9]:i32[4] [1. 1. 1. 1.]:f32[4] [2. 2. 2. 2.]:f32[4] [3. 3. 3. 3.]:f32[4]") ==
        "f32[4] 1.0 2.0 3.0 3.0");
  CHECK(runOne("z:f32[2] = nextafter [1. 0.]:f32[2] [2. 0.]:f32[2]") == "f32[2] 1.0000001 0.0");
  CHECK(runOne("z:c64[2] = complex [1. 2.]:f32[2] [3. 4.]:f32[2]") == "c64[2] 1.0 3.0 2.0 4.0");
  CHECK(runOne("z:c64[] = mul (1+2j):c64[] (0-1j):c64[]") == "c64[] 2.0 -1.0");
}

TEST_CASE("making, moving and joining elements") {
  CHECK(
      runOne("z:f32[2,3] = broadcast_in_dim[broadcast_dimensions=(1,) shape=(2, 3) sharding=None] [1. 2. 3.]:f32[3]") ==
      "f32[2, 3] 1.0 2.0 3.0 1.0 2.0 3.0");
  CHECK(runOne("z:i32[6] = reshape[dimensions=(1, 0) new_sizes=(6,) sharding=None] [[1 2 3] [4 5 6]]:i32[2,3]") ==
        "i32[6] 1 4 2 5 3 6");
  CHECK(runOne("z:i32[3,2] = reshape[dimensions=None new_sizes=(3, 2)] [[1 2 3] [4 5 6]]:i32[2,3]") ==
        "i32[3, 2] 1 2 3 4 5 6");
  CHECK(runOne("z:i32[3,2] = transpose[permutation=(1, 0)] [[1 2 3] [4 5 6]]:i32[2,3]") == "i32[3, 2] 1 4 2 5 3 6");
  CHECK(runOne("z:i32[3] = squeeze[dimensions=(0,)] [[1 2 3]]:i32[1,3]") == "i32[3] 1 2 3");
  CHECK(runOne("z:i32[1,3,1] = expand_dims[dimensions=(0, 2)] [1 2 3]:i32[3]") == "i32[1, 3, 1] 1 2 3");
  CHECK(runOne("z:i32[4] = concatenate[dimension=0] [1 2]:i32[2] [3 4]:i32[2]") == "i32[4] 1 2 3 4");
  CHECK(runOne("z:i32[2,2] = stack[axis=1] [1 2]:i32[2] [3 4]:i32[2]") == "i32[2, 2] 1 3 2 4");
  CHECK(runEquations("y:i32[2] z:i32[2] = unstack[axis=1] [[1 2] [3 4]]:i32[2,2]", "y, z") == "i32[2] 1 3; i32[2] 2 4");
  CHECK(runEquations("y:i32[1] z:i32[3] = split[axis=0 sizes=(1, 3)] [1 2 3 4]:i32[4]", "y, z") ==
        "i32[1] 1; i32[3] 2 3 4");
  CHECK(runOne("z:i32[2,4] = tile[reps=(1, 2)] [[1 2] [3 4]]:i32[2,2]") == "i32[2, 4] 1 2 1 2 3 4 3 4");
  CHECK(runOne("z:i32[5] = pad[padding_config=((1, -1, 1),)] [1 2 3]:i32[3] 9:i32[]") == "i32[5] 9 1 9 2 9");
  CHECK(runOne("z:i32[2] = slice[limit_indices=(4,) start_indices=(1,) strides=(2,)] [1 2 3 4]:i32[4]") ==
        "i32[2] 2 4");
  CHECK(runOne("z:i32[3] = slice[limit_indices=(4,) start_indices=(1,) strides=None] [1 2 3 4]:i32[4]") ==
        "i32[3] 2 3 4");
  CHECK(runOne("z:i32[3] = rev[dimensions=(0,)] [1 2 3]:i32[3]") == "i32[3] 3 2 1");
  CHECK(runOne("z:f32[2,2] = iota[dimension=1 dtype=float32 shape=(2, 2) sharding=None]") ==
        "f32[2, 2] 0.0 1.0 0.0 1.0");
  CHECK(runOne("z:bool[2] = iota[dimension=0 dtype=bool shape=(2,)]") == "bool[2] 0 1");
  CHECK(runEquations("y:i32[2] = copy [1 2]:i32[2]; x:i32[2] = device_put[devices=[None] srcs=[None] "
                     "copy_semantics=[<CopySemantics.ALIAS: 0>]] y; "
                     "w:i32[2] = name[name=h] x; z:i32[2] = optimization_barrier w",
                     "z") == "i32[2] 1 2");
}

TEST_CASE("reading and writing at computed places") {
  CHECK(runOne("z:i32[2] = dynamic_slice[slice_sizes=(2,)] [1 2 3 4]:i32[4] 3:i32[]") == "i32[2] 3 4");
  CHECK(runOne("z:i32[4] = dynamic_update_slice [1 2 3 4]:i32[4] [8 9]:i32[2] 1:i32[]") == "i32[4] 1 8 9 4");
  const std::string rows =
      "dimension_numbers=GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,), "
      "operand_batching_dims=(), "
      "start_indices_batching_dims=()) indices_are_sorted=False slice_sizes=(1, 2) unique_indices=False ";
  const std::string operands = "] [[1. 2.] [3. 4.] [5. 6.]]:f32[3,2] [[2] [-1] [3]]:i32[3,1]";
  CHECK(runOne("z:f32[3,2] = gather[" + rows + "fill_value=None mode=GatherScatterMode.CLIP" + operands) ==
        "f32[3, 2] 5.0 6.0 1.0 2.0 5.0 6.0");
  CHECK(runOne("z:f32[3,2] = gather[" + rows + "fill_value=None mode=GatherScatterMode.PROMISE_IN_BOUNDS" + operands) ==
        "f32[3, 2] 5.0 6.0 1.0 2.0 5.0 6.0");
  CHECK(runOne("z:f32[3,2] = gather[" + rows + "fill_value=None mode=GatherScatterMode.FILL_OR_DROP" + operands) ==
        "f32[3, 2] 5.0 6.0 nan nan nan nan");
  CHECK(runOne("z:f32[3,2] = gather[" + rows + "fill_value=0 mode=GatherScatterMode.FILL_OR_DROP" + operands) ==
        "f32[3, 2] 5.0 6.0 0.0 0.0 0.0 0.0");
  CHECK(runOne("z:i32[3,2] = gather[" + rows +
               "fill_value=None mode=GatherScatterMode.FILL_OR_DROP] [[1 2] [3 4] [5 6]]:i32[3,2] [[2] [-1] "
               "[3]]:i32[3,1]") == "i32[3, 2] 5 6 -2147483648 -2147483648 -2147483648 -2147483648");
  CHECK(
      runOne(
          "z:u8[3,2] = gather[" + rows +
          "fill_value=None mode=GatherScatterMode.FILL_OR_DROP] [[1 2] [3 4] [5 6]]:u8[3,2] [[2] [-1] [3]]:i32[3,1]") ==
      "u8[3, 2] 5 6 255 255 255 255");
  // Two numbers in an index vector.
  CHECK(runOne("z:f32[2] = gather[dimension_numbers=GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0, "
               "1), start_index_map=(0, 1), operand_batching_dims=(), "
               "start_indices_batching_dims=()) fill_value=None indices_are_sorted=False "
               "mode=GatherScatterMode.FILL_OR_DROP slice_sizes=(1, 1) unique_indices=False"
               "] [[1. 2.] [3. 4.] [5. 6.]]:f32[3,2] [[2 1] [2 2]]:i32[2,2]") == "f32[2] 6.0 nan");
  const std::string at = "[dimension_numbers=ScatterDimensionNumbers(update_window_dims=(), inserted_window_dims=(0,), "
                         "scatter_dims_to_operand_dims=(0,), "
                         "operand_batching_dims=(), scatter_indices_batching_dims=()) indices_are_sorted=False "
                         "unique_indices=False update_consts=() "
                         "update_jaxpr={ lambda ; a:i32[] b:i32[]. let c:i32[] = add a b in (c,) } ";
  const std::string places = "] [1 2 3]:i32[3] [[0] [0] [3]]:i32[3,1] [10 20 30]:i32[3]";
  CHECK(runOne("z:i32[3] = scatter-add" + at + "mode=GatherScatterMode.FILL_OR_DROP" + places) == "i32[3] 31 2 3");
  CHECK(runOne("z:i32[3] = scatter_add" + at + "mode=GatherScatterMode.CLIP" + places) == "i32[3] 31 2 33");
  CHECK(runOne("z:i32[3] = scatter_mul" + at + "mode=GatherScatterMode.FILL_OR_DROP" + places) == "i32[3] 200 2 3");
  CHECK(runOne("z:i32[3] = scatter_max" + at + "mode=GatherScatterMode.FILL_OR_DROP" + places) == "i32[3] 20 2 3");
  CHECK(runOne("z:i32[3] = scatter_min" + at + "mode=GatherScatterMode.FILL_OR_DROP" + places) == "i32[3] 1 2 3");
  CHECK(runOne("z:i32[3] = scatter_sub" + at + "mode=GatherScatterMode.FILL_OR_DROP" + places) == "i32[3] -29 2 3");
  CHECK(runOne("z:i32[3] = scatter" + at +
               "mode=GatherScatterMode.FILL_OR_DROP] [1 2 3]:i32[3] [[1] [7]]:i32[2,1] [10 20]:i32[2]") ==
        "i32[3] 1 10 3");
}

TEST_CASE("products and convolutions") {
  CHECK(runOne("z:f32[2,2] = dot_general[dimension_numbers=(([1], [0]), ([], [])) out_sharding=None precision=None "
               "preferred_element_type=float32] "
               "[[1. 2.] [3. 4.]]:f32[2,2] [[5. 6.] [7. 8.]]:f32[2,2]") == "f32[2, 2] 19.0 22.0 43.0 50.0");
  CHECK(runOne("z:f32[2,2] = dot_general[dimension_numbers=(((1,), (1,)), ((), ())) precision=None "
               "preferred_element_type=None] "
               "[[1. 2.] [3. 4.]]:f32[2,2] [[5. 6.] [7. 8.]]:f32[2,2]") == "f32[2, 2] 17.0 23.0 39.0 53.0");
  CHECK(runOne("z:i32[2] = dot_general[dimension_numbers=(([1], [1]), ([0], [0])) precision=None "
               "preferred_element_type=int32] "
               "[[100 2] [3 4]]:i8[2,2] [[100 6] [7 8]]:i8[2,2]") == "i32[2] 10012 53");
  CHECK(runOne("z:f32[1,1,3] = conv_general_dilated[batch_group_count=1 "
               "dimension_numbers=ConvDimensionNumbers(lhs_spec=(0, 1, 2), rhs_spec=(0, 1, 2), out_spec=(0, 1, 2)) "
               "feature_group_count=1 lhs_dilation=(1,) padding=((1, 1),) precision=None preferred_element_type=None "
               "rhs_dilation=(1,) window_strides=(1,)] "
               "[[[1. 2. 3.]]]:f32[1,1,3] [[[1. 10. 100.]]]:f32[1,1,3]") == "f32[1, 1, 3] 210.0 321.0 32.0");
  CHECK(runOne("z:f32[1,2,1] = conv_general_dilated[batch_group_count=1 "
               "dimension_numbers=ConvDimensionNumbers(lhs_spec=(0, 2, 1), rhs_spec=(2, 1, 0), out_spec=(0, 2, 1)) "
               "feature_group_count=1 lhs_dilation=(1,) lhs_shape=(1, 3, 1) padding=((0, 0),) precision=None "
               "preferred_element_type=None rhs_dilation=(1,) "
               "rhs_shape=(2, 1, 1) window_strides=(1,)] [[[1.] [2.] [3.]]]:f32[1,3,1] [[[1.]] [[10.]]]:f32[2,1,1]") ==
        "f32[1, 2, 1] 21.0 32.0");
}

TEST_CASE("reductions and orders") {
  const std::string x = " [[1. 5. 3.] [4. 2. 6.]]:f32[2,3]";
  CHECK(runOne("z:f32[2] = reduce_sum[axes=(1,) out_sharding=None]" + x) == "f32[2] 9.0 12.0");
  CHECK(runOne("z:f32[3] = reduce_prod[axes=(0,)]" + x) == "f32[3] 4.0 10.0 18.0");
  CHECK(runOne("z:f32[] = reduce_max[axes=(0, 1)]" + x) == "f32[] 6.0");
  CHECK(runOne("z:f32[2] = reduce_min[axes=(1,)]" + x) == "f32[2] 1.0 2.0");
  CHECK(runOne("z:i8[] = reduce_max[axes=(0,)] [-128 -128]:i8[2]") == "i8[] -128");
  CHECK(runOne("z:u64[] = reduce_min[axes=(0,)] [18446744073709551615 18446744073709551614]:u64[2]") ==
        "u64[] 18446744073709551614");
  CHECK(runOne("z:i64[] = reduce_min[axes=(0,)] [9223372036854775807]:i64[1]") == "i64[] 9223372036854775807");
  CHECK(runOne("z:bool[] = reduce_and[axes=(0,)] [True False]:bool[2]") == "bool[] 0");
  CHECK(runOne("z:bool[] = reduce_or[axes=(0,)] [True False]:bool[2]") == "bool[] 1");
  CHECK(runOne("z:i32[] = reduce_xor[axes=(0,)] [5 3]:i32[2]") == "i32[] 6");
  CHECK(runOne("z:i32[] = reduce_and[axes=(0,)] [7 13]:i32[2]") == "i32[] 5");
  CHECK(runOne("z:i32[2] = argmax[axes=(1,) index_dtype=int32]" + x) == "i32[2] 1 2");
  CHECK(runOne("z:i32[2] = argmin[axes=(1,) index_dtype=int32]" + x) == "i32[2] 0 1");
  CHECK(runOne("z:i32[] = argmax[axes=(0,) index_dtype=int32] [3. 7. 7. 1.]:f32[4]") == "i32[] 1");
  CHECK(runOne("z:i32[] = argmin[axes=(0,) index_dtype=int32] [3. nan 7. nan]:f32[4]") == "i32[] 1");
  CHECK(runOne("z:f32[] = reduce[computation=<function mul at 0x7f> dimensions=(0,) jaxpr={ lambda ; a:f32[] b:f32[]. "
               "let c:f32[] = mul a b in (c,) }] "
               "[2. 3. 4.]:f32[3] 1.0:f32[]") == "f32[] 24.0");
  CHECK(runOne("z:f32[3] = cumsum[axis=0 reverse=False] [1. 2. 3.]:f32[3]") == "f32[3] 1.0 3.0 6.0");
  CHECK(runOne("z:f32[3] = cumsum[axis=0 reverse=True] [1. 2. 3.]:f32[3]") == "f32[3] 6.0 5.0 3.0");
  CHECK(runOne("z:i32[3] = cumprod[axis=0 reverse=False] [2 3 4]:i32[3]") == "i32[3] 2 6 24");
  CHECK(runOne("z:f32[3] = cummax[axis=0 reverse=False] [-3. -5. 2.]:f32[3]") == "f32[3] -3.0 -3.0 2.0");
  CHECK(runOne("z:f32[3] = cummin[axis=0 reverse=True] [3. 5. 4.]:f32[3]") == "f32[3] 3.0 4.0 4.0");
  CHECK(runOne("z:f32[2] = cumlogsumexp[axis=0 reverse=False] [-inf 2.]:f32[2]") == "f32[2] -inf 2.0");
  for (std::string name : {"cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"})
    CHECK(runOne("z:f32[0] = " + name + "[axis=0 reverse=False] []:f32[0]") == "f32[0]");
  CHECK(runOne("z:f32[5] = sort[dimension=0 is_stable=True num_keys=1] [3. nan -1. -inf 2.]:f32[5]") ==
        "f32[5] -inf -1.0 2.0 3.0 nan");
  CHECK(
      runEquations("y:i32[4] z:i32[4] = sort[dimension=0 is_stable=True num_keys=1] [2 1 2 1]:i32[4] [0 1 2 3]:i32[4]",
                   "y, z") == "i32[4] 1 1 2 2; i32[4] 1 3 0 2");
  CHECK(
      runEquations("y:i32[4] z:i32[4] = sort[dimension=0 is_stable=True num_keys=2] [2 1 2 1]:i32[4] [3 1 0 0]:i32[4]",
                   "y, z") == "i32[4] 1 1 2 2; i32[4] 0 1 0 3");
  CHECK(runEquations("x:i32[2] y:i32[2] z:i32[2] = sort[dimension=0 is_stable=True num_keys=3] [1 1]:i32[2] [2 "
                     "2]:i32[2] [4 3]:i32[2]",
                     "z") == "i32[2] 3 4");
  CHECK(runEquations("w:i32[2] x:i32[2] y:i32[2] z:f32[2] = sort[dimension=0 is_stable=True num_keys=4] [1 1]:i32[2] "
                     "[2 2]:i32[2] [3 3]:i32[2] [0.0 -1.0]:f32[2]",
                     "z") == "f32[2] -1.0 0.0");
  CHECK(runEquations("y:f32[2] z:i32[2] = top_k[axis=0 is_stable=False k=2 operand=None] [1. 4. 4.]:f32[3]", "y, z") ==
        "f32[2] 4.0 4.0; i32[2] 1 2");
  CHECK(runEquations("y:f32[1,2] z:i32[1,2] = top_k[axis=0 k=1] [[1. 4.] [3. 2.]]:f32[2,2]", "y, z") ==
        "f32[1, 2] 3.0 4.0; i32[1, 2] 1 0");
  const std::string window = "[base_dilation=(1,) padding=((0, 1),) window_dilation=(1,) window_dimensions=(2,) "
                             "window_strides=(2,)] [1. -2. -3.]:f32[3]";
  CHECK(runOne("z:f32[2] = reduce_window_sum" + window) == "f32[2] -1.0 -3.0");
  CHECK(runOne("z:f32[2] = reduce_window_max" + window) == "f32[2] 1.0 -3.0");
  CHECK(runOne("z:f32[2] = reduce_window_min" + window) == "f32[2] -2.0 -3.0");
  CHECK(runOne("z:f32[2] = reduce_window[base_dilation=(1,) consts=() jaxpr={ lambda ; a:f32[] b:f32[]. let c:f32[] = "
               "mul a b in (c,) } padding=((0, 1),) "
               "window_dilation=(1,) window_dimensions=(2,) window_strides=(2,)] [1. -2. -3.]:f32[3] 10.0:f32[]") ==
        "f32[2] -20.0 -300.0"); // what pads is the initial value as well
  CHECK(runOne("z:f32[4] = select_and_scatter_add[padding=((0, 0),) select_prim=ge window_dimensions=(2,) "
               "window_strides=(2,)] [10. 20.]:f32[2] [1. 3. 5. 5.]:f32[4]") == "f32[4] 0.0 10.0 20.0 0.0");
}

TEST_CASE("branches and loops") {
  const std::string branches = "cond[branches=({ lambda ; f:f32[]. let g:f32[] = add f 1.0 in (g,) } { lambda ; "
                               "h:f32[]. let i:f32[] = sub h 2.0 in (i,) } "
                               "{ lambda ; j:f32[]. let k:f32[] = add j 3.0 in (k,) })] ";
  CHECK(runOne("z:f32[] = " + branches + "0:i32[] 10.0:f32[]") == "f32[] 11.0");
  CHECK(runOne("z:f32[] = " + branches + "1:i32[] 10.0:f32[]") == "f32[] 8.0");
  CHECK(runOne("z:f32[] = " + branches + "2 10.0") == "f32[] 13.0");
  CHECK(runOne("z:f32[] = " + branches + "-5:i32[] 10.0:f32[]") == "f32[] 13.0");
  const std::string two =
      "cond[branches=({ lambda ; f:f32[]. let g:f32[] = add f 1.0:f32[] in (g,) } { lambda ; h:f32[]. let in (h,) })] ";
  CHECK(runOne("z:f32[] = " + two + "True:bool[] 10.0:f32[]") == "f32[] 10.0");
  CHECK(runOne("z:f32[] = " + two + "False:bool[] 10.0:f32[]") == "f32[] 11.0");
  CHECK(runOne("z:f32[] = " + branches + "True:bool[] 10.0:f32[]") == "f32[] 8.0");
  CHECK(runEquations("y:i32[] z:f32[] = while[body_jaxpr={ lambda ; s:f32[] i:i32[] x:f32[]. let j:i32[] = add i "
                     "1:i32[]; y:f32[] = mul x s in (j, y) } "
                     "body_nconsts=1 cond_jaxpr={ lambda ; n:i32[] i:i32[] x:f32[]. let p:bool[] = lt i n in (p,) } "
                     "cond_nconsts=1] 5:i32[] 2.0:f32[] 0:i32[] 1.0:f32[]",
                     "y, z") == "i32[] 5; f32[] 32.0");
  const std::string scan = "y:i32[] z:i32[3] = scan[jaxpr={ lambda ; k:i32[] c:i32[] x:i32[]. let t:i32[] = mul x k; "
                           "d:i32[] = add c t in (d, c) } "
                           "length=3 linear=(False, False, False) num_carry=1 num_consts=1 unroll=1 reverse=";
  CHECK(runEquations(scan + "False] 10:i32[] 1:i32[] [1 2 3]:i32[3]", "y, z") == "i32[] 61; i32[3] 1 11 31");
  CHECK(runEquations(scan + "True] 10:i32[] 1:i32[] [1 2 3]:i32[3]", "y, z") == "i32[] 61; i32[3] 51 31 1");
  CHECK(runEquations("y:f32[] = scan[jaxpr={ lambda ; c:f32[]. let d:f32[] = add c c in (d,) } length=4 num_carry=1 "
                     "num_consts=0 reverse=False unroll=1] 1.0:f32[]",
                     "y") == "f32[] 16.0");
  CHECK(runEquations("y:f32[] z:f32[0] = scan[jaxpr={ lambda ; c:f32[] x:f32[]. let d:f32[] = add c x in (d, x) } "
                     "length=0 num_carry=1 num_consts=0 reverse=False "
                     "unroll=1] 7.0:f32[] []:f32[0]",
                     "y, z") == "f32[] 7.0; f32[0]");
}

TEST_CASE("random numbers are those of JAX") {
  // Known answers of Threefry-2x32 with 20 rounds (Random123): 6b200159 99ba4efe, 1cb996fc bb002be7, c4923a9c 483df7a0.
  CHECK(runEquations("y:u32[] z:u32[] = threefry2x32 0:u32[] 0:u32[] 0:u32[] 0:u32[]", "y, z") ==
        "u32[] 1797259609; u32[] 2579123966");
  CHECK(
      runEquations("y:u32[] z:u32[] = threefry2x32 4294967295:u32[] 4294967295:u32[] 4294967295:u32[] 4294967295:u32[]",
                   "y, z") == "u32[] 481924860; u32[] 3137350631");
  CHECK(runEquations(
            "y:u32[1] z:u32[1] = threefry2x32 320440878:u32[] 57701188:u32[] [608135816]:u32[1] [2242054355]:u32[1]",
            "y, z") == "u32[1] 3297917596; u32[1] 1212020640");
  // jax.random.split(jax.random.key(42)), as JAX's documentation shows it.
  const std::string key = "k:key<fry>[] = random_seed[impl=fry] 42:i32[]; ";
  CHECK(runEquations(key + "z:u32[2] = random_unwrap k", "z") == "u32[2] 0 42");
  CHECK(runEquations(key + "s:key<fry>[2] = random_split[shape=(2,)] k; z:u32[2,2] = random_unwrap s", "z") ==
        "u32[2, 2] 1832780943 270669613 64467757 2916123636");
  // Bits are both words of the numbers 0, 1, …; a key folded with 1 is the second of those that it splits into.
  CHECK(runEquations(key + "z:u32[2] = random_bits[bit_width=32 shape=(2,)] k", "z") ==
        "u32[2] " + std::to_string(1832780943u ^ 270669613u) + " " + std::to_string(64467757u ^ 2916123636u));
  CHECK(runEquations(key + "z:u64[2,1] = random_bits[bit_width=64 shape=(2, 1)] k", "z") ==
        "u64[2, 1] " + std::to_string((uint64_t(1832780943u) << 32) | 270669613u) + " " +
            std::to_string((uint64_t(64467757u) << 32) | 2916123636u));
  CHECK(runEquations(key + "z:u8[] = random_bits[bit_width=8 shape=()] k", "z") ==
        "u8[] " + std::to_string(uint8_t(1832780943u ^ 270669613u)));
  // keys are handed on whole
  const std::string two = key + "s:key<fry>[2] = random_split[shape=(2,)] k; ";
  const std::string second = runEquations(two + "w:u32[2,2] = random_unwrap s; v:u32[1,2] = slice[limit_indices=(2, 2) "
                                                "start_indices=(1, 0) strides=None] w; z:u32[2] = squeeze[dimensions=("
                                                "0,)] v",
                                          "z");
  CHECK(runEquations(two + "t:key<fry>[1] = slice[limit_indices=(2,) start_indices=(1,) strides=(1,)] s; u:key<fry>[] "
                           "= squeeze[dimensions=(0,)] t; z:u32[2] = random_unwrap u",
                     "z") == second);
  CHECK(runEquations(two + "r:key<fry>[2] = rev[dimensions=(0,)] s; b:key<fry>[2,1] = reshape[dimensions=None "
                           "new_sizes=(2, 1)] r; t:key<fry>[1,2] = transpose[permutation=(1, 0)] b; u:key<fry>[1,1] = "
                           "slice[limit_indices=(1, 1) start_indices=(0, 0) strides=None] t; v:key<fry>[] = "
                           "squeeze[dimensions=(0, 1)] u; z:u32[2] = random_unwrap v",
                     "z") == second);
  CHECK(runEquations(key + "s:key<fry>[2] = broadcast_in_dim[broadcast_dimensions=() shape=(2,)] k; t:key<fry>[1] = "
                           "expand_dims[dimensions=(0,)] k; u:key<fry>[3] = concatenate[dimension=0] s t; "
                           "z:u32[3,2] = random_unwrap u",
                     "z") == "u32[3, 2] 0 42 0 42 0 42");
  CHECK(runOne("z:i32[2] = mul[out_dtype=int32] [100 -100]:i8[2] [100 3]:i8[2]") == "i32[2] 10000 -300");
  CHECK(runEquations(key + "s:key<fry>[] = random_fold_in k 1:u32[]; z:u32[2] = random_unwrap s", "z") ==
        "u32[2] 64467757 2916123636");
  CHECK(runEquations("z:u32[2] = random_unwrap k", "z").find("undefined-value") != std::string::npos);
}

TEST_CASE("functions by their values") {
  CHECK(unary("expm1", "0. 0. 1e-10") == "f32[3] 0.0 0.0 1e-10");
  CHECK(unary("log1p", "0. 0. 1e-10") == "f32[3] 0.0 0.0 1e-10");
  for (const char *odd : {"tanh", "sin", "tan", "asin", "atan", "sinh", "asinh", "atanh", "erf_inv", "bessel_i1e"})
    CHECK(unary(odd, "0. 0. 0.") == "f32[3] 0.0 0.0 0.0");
  CHECK(unary("tanh", "0. inf -inf") == "f32[3] 0.0 1.0 -1.0");
  for (const char *one : {"cos", "cosh", "erfc"})
    CHECK(unary(one, "0. 0. 0.") == "f32[3] 1.0 1.0 1.0");
  CHECK(unary("acos", "1. 1. 1.") == "f32[3] 0.0 0.0 0.0");
  CHECK(unary("acosh", "1. 1. 1.") == "f32[3] 0.0 0.0 0.0");
  CHECK(unary("atan", "inf -inf 0.") == "f32[3] 1.5707964 -1.5707964 0.0");
  CHECK(unary("lgamma", "1. 2. 0.") == "f32[3] 0.0 0.0 inf");
  CHECK(runOne("z:f64[1] = digamma [1.]:f64[1]").substr(0, 17) == "f64[1] -0.5772156");
  CHECK(runOne("z:f32[2] = atan2 [1. 0.]:f32[2] [0. 1.]:f32[2]") == "f32[2] 1.5707964 0.0");
  CHECK(runOne("z:f32[2] = add_any [1. 0.]:f32[2] [0. 1.]:f32[2]") == "f32[2] 1.0 1.0");
  CHECK(runOne("z:i32[2] = or [5 0]:i32[2] 3:i32[]") == "i32[2] 7 3");
  CHECK(runOne("z:i32[2] = xor [5 0]:i32[2] 3:i32[]") == "i32[2] 6 3");
  CHECK(runOne("z:bool[2] = eq [5 0]:i32[2] 0:i32[]") == "bool[2] 0 1");
  CHECK(runOne("z:bool[2] = le [5 0]:i32[2] 0:i32[]") == "bool[2] 0 1");
  CHECK(runOne("z:bool[2] = gt [5 0]:i32[2] 0:i32[]") == "bool[2] 1 0");
  CHECK(runOne("z:bool[2] = eq_to [-0.0 nan]:f32[2] [0.0 nan]:f32[2]") == "bool[2] 0 1");
  CHECK(runOne("z:bool[2] = le_to [0.0 nan]:f32[2] [-0.0 nan]:f32[2]") == "bool[2] 0 1");
  CHECK(runOne("z:c64[1] = conj[input_dtype=complex64] [(1+2j)]:c64[1]").find("syntax") != std::string::npos);
  CHECK(runOne("z:c64[] = conj[input_dtype=complex64] (1+2j):c64[]") == "c64[] 1.0 -2.0");
  CHECK(runOne("z:c64[] = conj[input_dtype=float32] 1.5:f32[]") == "c64[] 1.5 0.0");
  CHECK(runOne("z:f32[] = real (1+2j):c64[]") == "f32[] 1.0");
  CHECK(runOne("z:f32[] = imag (1-2.5e0j):c64[]") == "f32[] -2.5");
  CHECK(runOne("z:f32[] = convert_element_type[new_dtype=float32] (1+2j):c64[]") == "f32[] 1.0");
  CHECK(runOne("z:f32[2] = reduce_precision[exponent_bits=8 mantissa_bits=7] [1.0 0.1]:f32[2]") ==
        "f32[2] 1.0 0.100097656");
}

TEST_CASE("solvers") {
  CHECK(runOne("z:f32[2,1] = triangular_solve[conjugate_a=False left_side=True lower=True transpose_a=False "
               "unit_diagonal=False] "
               "[[2. 0.] [1. 4.]]:f32[2,2] [[2.] [9.]]:f32[2,1]") == "f32[2, 1] 1.0 2.0");
  CHECK(runOne("z:c64[2] = fft[fft_lengths=(2,) fft_type=jaxlib.hlo_helpers.FftType.RFFT] [1. 3.]:f32[2]")
            .starts_with("c64[2] 4.0 0.0 -2.0 "));
}

TEST_CASE("all else that is there hands on what it is given") {
  CHECK(runEquations("a:i32[2] = stop_gradient [1 2]:i32[2]; b:i32[2] = sharding_constraint[sharding=x context_mesh=m "
                     "unconstrained_dims=set()] a; "
                     "c:i32[2] = layout_constraint[layout=l] b; z:i32[2] = tie a c",
                     "z") == "i32[2] 1 2");
  CHECK(runOne("z:f32[2] = empty[dtype=float32 shape=(2,)]") == "f32[2] 0.0 0.0");
  CHECK(runOne("z:f32[3] = select_n [0 0 0]:i32[3] [1. 2. 3.]:f32[3]") == "f32[3] 1.0 2.0 3.0");
}

TEST_CASE("what is lowered, and nothing evaluates") {
  for (const char *equation :
       {"z:f32[2,2] = cholesky [[4. 2.] [2. 5.]]:f32[2,2]", "z:f32[1] = polygamma [1.]:f32[1] [1.]:f32[1]",
        "z:f32[1] = zeta [2.]:f32[1] [1.]:f32[1]",
        "y:u32[4] z:u32[3] = rng_bit_generator[algorithm=RandomAlgorithm.RNG_THREE_FRY dtype=uint32 shape=(3,)] [1 2 3 "
        "4]:u32[4]",
        "y:u32[4] z:u32[3] = rng_bit_generator[algorithm=2 dtype=uint32 shape=(3,)] [1 2 3 4]:u32[4]"}) {
    JaxprText text(std::string("{ lambda ; . let ") + equation + " in (z,) }");
    REQUIRE_MESSAGE(text.program, text.error());
    CHECK(text.lower() == "");
  }
  JaxprText unknown("{ lambda ; a:f32[2]. let z:f32[2] = igamma a a in (z,) }");
  REQUIRE(unknown.program);
  CHECK(unknown.lower() == "no lowering for `jax.igamma`");
}

TEST_CASE("each lowering has been tried above") {
  for (const rw::PatternEntry &entry : builtinRegistry().patterns.all()) {
    bool lowers = std::ranges::find(entry.info.labels, "jax_to_stablehlo") != entry.info.labels.end();
    std::string name(entry.info.name);
    CHECK_MESSAGE((!lowers || appliedPatterns().count(name)), name, " is applied by no test");
  }
}
