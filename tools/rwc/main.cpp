#include "rwc.h"

int main(int argc, char **argv) {
  return rw::rwcMain(argc, argv, {.verify = rw::verifyCommand, .test = rw::testCommand});
}
