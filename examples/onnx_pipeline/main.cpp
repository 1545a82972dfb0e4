// deploy-opt model.onnx -o out.onnx --pipeline deploy --fastmath
#include "deploy_patterns_register.h"
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  deploy::register_deploy_patterns(registry);
  return rw::optMain(argc, argv, registry);
}
