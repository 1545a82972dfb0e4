// The functions that LSTM, GRU and RNN name as activations.
//
//   if (Activation f = activationNamed("Tanh")) y = f(x);
#pragma once

#include <cmath>
#include <string_view>

namespace rw {

using Activation = double (*)(double);
/// Null if it is none of those evaluated.
inline Activation activationNamed(std::string_view name) {
  if (name == "Sigmoid")
    return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (name == "Tanh")
    return [](double x) { return std::tanh(x); };
  if (name == "Relu")
    return [](double x) { return x > 0 ? x : 0; };
  return nullptr;
}

} // namespace rw
