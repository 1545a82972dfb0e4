// What is known of primitives beside their declarations in patterns/jax: other names, which of them call a jaxpr, which
// are refused and why, and keys that say nothing of what is computed.
//
// In:  names as printed. Out: answers; nothing here looks at a program.
#pragma once

#include <string_view>

namespace rw::jaxpr {

/// How a primitive is called in the dialect `jax`: one name for what versions of JAX have called otherwise (`pjit`,
/// `scatter-add`).
std::string_view canonicalName(std::string_view printed);

/// Whether it runs a jaxpr of its own on its operands, and what it says beside it (a gradient, a policy) does not
/// matter.
bool isCall(std::string_view canonical);

/// Why a primitive is not read at all, and what to do; nothing if it is.
struct Refusal {
  std::string_view what, cure;
  explicit operator bool() const { return !what.empty(); }
};
Refusal refusalOf(std::string_view canonical);

/// Whether a key of this primitive may be left unread: shardings, precisions, names, layouts, gradients.
bool isHarmless(std::string_view canonical, std::string_view key);

} // namespace rw::jaxpr
