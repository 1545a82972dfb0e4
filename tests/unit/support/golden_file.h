// The inputs of golden tests, for tests that run other things on them.
//
// In:  the path of a .golden file.
// Out: its `==== file *.rwir` sections, each the text of a program.
//
//   for (const std::string &text : rw::test::inputsOf("tests/golden/passes/dce.golden")) parse(text);
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rw::test {

inline std::vector<std::string> inputsOf(const std::filesystem::path &path) {
  std::ifstream in(path);
  std::vector<std::string> inputs;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("==== ")) {
      inside = line.starts_with("==== file ") && line.ends_with(".rwir");
      if (inside)
        inputs.emplace_back();
    } else if (inside) {
      inputs.back() += line + "\n";
    }
  }
  return inputs;
}

} // namespace rw::test
