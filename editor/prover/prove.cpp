#include "editor/prover/prove.h"

#include "codegen/verify/verify_file.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace rw::editor {

[[maybe_unused]] static constexpr rlim_t kMostMemory = rlim_t(3) << 30;

int answerProofs() {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read the answers
  if (nice(10) == -1) {             // people type meanwhile; where it may not be, it is not
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which reserve far more addresses than they use
  rlimit memory{};
  if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur > kMostMemory) {
    memory.rlim_cur = kMostMemory;
    setrlimit(RLIMIT_AS, &memory);
  }
#endif
  try {
    const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    const nlohmann::json request = nlohmann::json::parse(text);
    SourceManager sources;
    Diagnostics diags(sources);
    verify::FileToVerify file{.path = request.at("path"), .text = request.at("text")};
    file.importDirs = request.at("importDirs").get<std::vector<std::string>>();
    for (const nlohmann::json &line : request.at("lines"))
      file.lines.insert(line.get<unsigned>());
    verify::verifyFile(file, sources, diags, [](const verify::Answer &answer) {
      std::puts(verify::jsonOf(answer).c_str());
      return std::fflush(stdout) == 0;
    });
    return 0;
  } catch (const std::exception &) { // no memory, or no request
    return 1;
  }
}

} // namespace rw::editor
