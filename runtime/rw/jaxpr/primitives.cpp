#include "rw/jaxpr/primitives.h"

#include <algorithm>
#include <iterator>

namespace rw::jaxpr {

namespace {
struct Alias {
  std::string_view printed, canonical;
};
constexpr Alias kAliases[] = {{"pjit", "jit"},
                              {"name", "checkpoint_name"},
                              {"xla_call", "jit"},
                              {"core_call", "closed_call"},
                              {"core_closed_call", "closed_call"},
                              {"call", "closed_call"},
                              {"named_call", "closed_call"},
                              {"remat", "checkpoint"},
                              {"remat2", "checkpoint"},
                              {"remat_call", "checkpoint"},
                              {"custom_jvp_call_jaxpr", "custom_jvp_call"},
                              {"custom_vjp_call_jaxpr", "custom_vjp_call"},
                              {"while_loop", "while"},
                              {"select_and_scatter-add", "select_and_scatter_add"},
                              {"scatter-add", "scatter_add"},
                              {"scatter-mul", "scatter_mul"},
                              {"scatter-min", "scatter_min"},
                              {"scatter-max", "scatter_max"},
                              {"scatter-sub", "scatter_sub"},
                              {"add_jaxvals", "add_any"},
                              {"copy_p", "copy"},
                              {"tie_in", "tie"}};

constexpr std::string_view kCalls[] = {"jit",       "closed_call",     "checkpoint",
                                       "composite", "custom_jvp_call", "custom_vjp_call"};

struct Refused {
  std::string_view name, what, cure;
};
constexpr std::string_view kDevices = "it speaks of several devices";
constexpr std::string_view kOneDevice = "trace the function for one device, without pmap and shard_map";
constexpr std::string_view kHost = "it calls back into Python";
constexpr std::string_view kNoHost =
    "leave the callback (jax.debug, jax.pure_callback, io_callback) out of the function";
constexpr std::string_view kState = "it reads or writes a reference";
constexpr std::string_view kNoState = "trace a function without jax.ref, jax.array_ref or Pallas kernels";
constexpr std::string_view kSolver = "StableHLO has no op for it, JAX calls a library of the device";
constexpr std::string_view kNoSolver =
    "compute it beforehand, or by ops that StableHLO has (cholesky, triangular_solve)";
constexpr Refused kRefused[] = {
    {"xla_pmap", kDevices, kOneDevice},
    {"shard_map", kDevices, kOneDevice},
    {"psum", kDevices, kOneDevice},
    {"psum2", kDevices, kOneDevice},
    {"psum_invariant", kDevices, kOneDevice},
    {"psum_scatter", kDevices, kOneDevice},
    {"reduce_scatter", kDevices, kOneDevice},
    {"pmax", kDevices, kOneDevice},
    {"pmin", kDevices, kOneDevice},
    {"pbroadcast", kDevices, kOneDevice},
    {"pvary", kDevices, kOneDevice},
    {"pgather", kDevices, kOneDevice},
    {"ppermute", kDevices, kOneDevice},
    {"all_gather", kDevices, kOneDevice},
    {"all_gather_invariant", kDevices, kOneDevice},
    {"all_to_all", kDevices, kOneDevice},
    {"ragged_all_to_all", kDevices, kOneDevice},
    {"axis_index", kDevices, kOneDevice},
    {"axis_size", kDevices, kOneDevice},
    {"infeed", kDevices, kOneDevice},
    {"outfeed", kDevices, kOneDevice},
    {"pure_callback", kHost, kNoHost},
    {"io_callback", kHost, kNoHost},
    {"debug_callback", kHost, kNoHost},
    {"debug_print", kHost, kNoHost},
    {"python_callback", kHost, kNoHost},
    {"outside_call", kHost, kNoHost},
    {"get", kState, kNoState},
    {"swap", kState, kNoState},
    {"addupdate", kState, kNoState},
    {"run_state", kState, kNoState},
    {"new_ref", kState, kNoState},
    {"freeze", kState, kNoState},
    {"array_ref", kState, kNoState},
    {"mutable_array", kState, kNoState},
    {"for", kState, kNoState},
    {"pallas_call", "it runs a kernel written for a device", "trace the function that the kernel stands for"},
    {"tpu_custom_call", "it runs a kernel written for a device", "trace the function that the kernel stands for"},
    {"triton_kernel_call", "it runs a kernel written for a device", "trace the function that the kernel stands for"},
    {"ffi_call", "it calls compiled code that is not in the text", "trace the function without jax.ffi"},
    {"custom_partitioning", kDevices, kOneDevice},
    {"lu", kSolver, kNoSolver},
    {"lu_pivots_to_permutation", kSolver, kNoSolver},
    {"qr", kSolver, kNoSolver},
    {"geqrf", kSolver, kNoSolver},
    {"householder_product", kSolver, kNoSolver},
    {"svd", kSolver, kNoSolver},
    {"eigh", kSolver, kNoSolver},
    {"eig", kSolver, kNoSolver},
    {"schur", kSolver, kNoSolver},
    {"hessenberg", kSolver, kNoSolver},
    {"tridiagonal", kSolver, kNoSolver},
    {"tridiagonal_solve", kSolver, kNoSolver},
    {"custom_linear_solve", kSolver, kNoSolver},
    {"rng_uniform", "its numbers depend on the device", "draw numbers by jax.random"}};

/// Keys of any primitive.
constexpr std::string_view kHarmless[] = {"sharding", "out_sharding", "accuracy", "precision",  "weak_type",
                                          "name",     "layout",       "layouts",  "input_shape"};

/// Keys of one.
struct HarmlessKey {
  std::string_view primitive, key;
};
constexpr HarmlessKey kHarmlessKeys[] = {{"jit", "donated_invars"},
                                         {"jit", "in_shardings"},
                                         {"jit", "out_shardings"},
                                         {"jit", "in_layouts"},
                                         {"jit", "out_layouts"},
                                         {"jit", "in_positional_semantics"},
                                         {"jit", "out_positional_semantics"},
                                         {"jit", "resource_env"},
                                         {"jit", "ctx_mesh"},
                                         {"jit", "keep_unused"},
                                         {"jit", "inline"},
                                         {"jit", "compiler_options_kvs"},
                                         {"jit", "backend"},
                                         {"jit", "device"},
                                         {"checkpoint", "policy"},
                                         {"checkpoint", "prevent_cse"},
                                         {"checkpoint", "differentiated"},
                                         {"checkpoint", "concrete"},
                                         {"custom_jvp_call", "jvp"},
                                         {"custom_jvp_call", "jvp_fun"},
                                         {"custom_jvp_call", "jvp_jaxpr_fun"},
                                         {"custom_jvp_call", "jvp_jaxpr_thunk"},
                                         {"custom_jvp_call", "num_consts"},
                                         {"custom_jvp_call", "symbolic_zeros"},
                                         {"custom_vjp_call", "fwd"},
                                         {"custom_vjp_call", "bwd"},
                                         {"custom_vjp_call", "fwd_jaxpr_thunk"},
                                         {"custom_vjp_call", "bwd_jaxpr"},
                                         {"custom_vjp_call", "num_consts"},
                                         {"custom_vjp_call", "out_trees"},
                                         {"custom_vjp_call", "symbolic_zeros"},
                                         {"composite", "attributes"},
                                         {"composite", "version"},
                                         {"cond", "linear"},
                                         {"scan", "linear"},
                                         {"scan", "unroll"},
                                         {"scan", "_split_transpose"},
                                         {"scan", "jaxpr_name"},
                                         {"scan", "ft_in"},
                                         {"scan", "ft_out"},
                                         {"while", "jaxpr_name"},
                                         {"reduce", "computation"},
                                         {"reduce_window", "consts"},
                                         {"scatter", "update_jaxpr"},
                                         {"scatter", "update_consts"},
                                         {"scatter_add", "update_jaxpr"},
                                         {"scatter_add", "update_consts"},
                                         {"scatter_sub", "update_jaxpr"},
                                         {"scatter_sub", "update_consts"},
                                         {"scatter_mul", "update_jaxpr"},
                                         {"scatter_mul", "update_consts"},
                                         {"scatter_min", "update_jaxpr"},
                                         {"scatter_min", "update_consts"},
                                         {"scatter_max", "update_jaxpr"},
                                         {"scatter_max", "update_consts"},
                                         {"conv_general_dilated", "lhs_shape"},
                                         {"conv_general_dilated", "rhs_shape"},
                                         {"top_k", "operand"},
                                         {"top_k", "is_stable"},
                                         {"random_wrap", "impl"},
                                         {"random_clone", "impl"},
                                         {"device_put", "devices"},
                                         {"device_put", "srcs"},
                                         {"device_put", "device"},
                                         {"device_put", "src"},
                                         {"device_put", "donate"},
                                         {"device_put", "copy_semantics"},
                                         {"sharding_constraint", "context_mesh"},
                                         {"sharding_constraint", "resource_env"},
                                         {"sharding_constraint", "unconstrained_dims"}};
} // namespace

std::string_view canonicalName(std::string_view printed) {
  for (const Alias &a : kAliases)
    if (a.printed == printed)
      return a.canonical;
  return printed;
}

bool isCall(std::string_view canonical) {
  return std::find(std::begin(kCalls), std::end(kCalls), canonical) != std::end(kCalls);
}

Refusal refusalOf(std::string_view canonical) {
  for (const Refused &r : kRefused)
    if (r.name == canonical)
      return {r.what, r.cure};
  return {};
}

bool isHarmless(std::string_view canonical, std::string_view key) {
  return std::find(std::begin(kHarmless), std::end(kHarmless), key) != std::end(kHarmless) ||
         std::any_of(std::begin(kHarmlessKeys), std::end(kHarmlessKeys),
                     [&](const HarmlessKey &h) { return h.primitive == canonical && h.key == key; });
}

} // namespace rw::jaxpr
