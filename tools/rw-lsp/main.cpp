// rw-lsp: the language server on standard input and output.
#include "editor/prover/prove.h"
#include "editor/server/message_stream.h"
#include "editor/server/server.h"
#include "rw/builtin.h"
#include "rw/load/load_patterns.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

constexpr const char *kHelp =
    R"(rw-lsp: help for .rw files while they are written, for editors that speak the Language Server Protocol

usage: rw-lsp [-I DIR]... [--stdio]

  -I DIR, -IDIR   search imports here after the importing file's folder
  --stdio         talk over standard input and output, as it does anyway
  --version       print the version
  --help          print this

An editor starts it; editor/ has what Visual Studio Code, Neovim, Vim and Emacs need. docs/editor.md has the rest.
)";

/// Tells what is wrong with the command line.
int misused(const std::string &what) {
  std::fprintf(stderr, "rw-lsp: %s; see rw-lsp --help\n", what.c_str());
  return 1;
}

/// This program as one that proves patterns.
std::vector<std::string> proverOf(const char *calledAs) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {error ? std::string(calledAs) : self.string(), "--prove"};
}

} // namespace

int main(int argc, char **argv) {
  rw::editor::ProjectOptions options{.importDirs = {}, .builtinDir = rw::builtinPatternDir()};
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--help" || arg == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (arg == "--version") {
      std::puts("rw-lsp " RW_VERSION);
      return 0;
    }
    if (arg == "--prove") // what the server starts beside itself
      return rw::editor::answerProofs();
    if (arg == "-I" && i + 1 < argc)
      options.importDirs.emplace_back(argv[++i]);
    else if (arg.size() > 2 && arg.starts_with("-I"))
      options.importDirs.push_back(arg.substr(2));
    else if (arg == "-I")
      return misused("-I is followed by a folder");
    else if (arg != "--stdio")
      return misused("unknown argument `" + arg + "`");
  }
  std::signal(SIGPIPE, SIG_IGN); // an editor that goes is the end, not a fault

  rw::editor::MessageStream stream(0, 1);
  bool heard = true;
  rw::editor::Server server(
      std::move(options),
      [&](const rw::editor::Json &message) {
        // Names from files may hold any bytes; JSON may not.
        heard = stream.send(message.dump(-1, ' ', false, rw::editor::Json::error_handler_t::replace)) && heard;
      },
      std::make_unique<rw::editor::Trial>(rw::registerAll, rw::builtinPatternDir()),
      std::make_unique<rw::editor::Proofs>(proverOf(argv[0])));
  std::string text;
  while (heard && !server.exited()) {
    using Status = rw::editor::MessageStream::Status;
    const Status status = stream.next(text, server.patience());
    if (status == Status::End)
      break;
    if (status == Status::Message)
      server.take(text);
    else if (status == Status::Malformed)
      server.malformed();
    else
      server.work();
  }
  return server.status();
}
