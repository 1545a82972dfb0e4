// A tool for our own dialect alone: the built-in ones are not linked.
#include "dsp_patterns_register.h"
#include "kernels.h"
#include "rw/opt/opt_main.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerCorePasses(registry);
  dsp::register_dsp_patterns(registry);
  dsp::addKernels();
  return rw::optMain(argc, argv, registry);
}
