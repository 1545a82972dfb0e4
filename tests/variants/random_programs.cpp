// Random programs of the tensor dialect as text, for tools to be compared on.
//
//   random_programs 7 > programs.rwir      functions f0, f1, … of one program; the same for the same seed
#include "../unit/support/tensor_programs.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <cstdlib>
#include <iostream>

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  rw::Registry registry;
  rw::builtin::register_rw_builtin(registry);
  std::string text;
  for (unsigned i = 0; i < 60; ++i) {
    rw::Program program(registry.ops);
    rw::test::TensorPrograms(program, registry.ops, seed * 1'000 + i,
                             {.contractions = i % 3 == 0 ? 40u : 5u, .ops = 20 + i});
    std::string one = rw::printProgram(program);
    std::string name = "@main";
    one.replace(one.find(name), name.size(), "@f" + std::to_string(i));
    text += one + "\n";
  }
  std::cout << text;
}
