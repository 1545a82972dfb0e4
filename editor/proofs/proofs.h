// Whether patterns are proved, found out beside the editor's server: by another process, which may take long, want much
// memory or end.
//
// In:  a text, and the patterns in it, each under a key that is another one when what it means is.
// Out: what is known of each key: what `rwc --verify` says, or that it takes too long. It is kept.
// Elsewhere: proofs are codegen/verify; the process is `rw-lsp --prove`, whose side is answerProofs in prove.h.
//
//   Proofs proofs({"/opt/rw/bin/rw-lsp", "--prove"});
//   proofs.start({.path = "/w/my.rw", .text = text, .patterns = {{3, key}}});
//   while (proofs.running()) proofs.poll();                  // never waits
//   proofs.known(key)->verdict                               // "proved"
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace rw::editor {

class Proofs {
public:
  /// Of all instances of a pattern the one that says the worst.
  struct State {
    std::string verdict;        // "proved", "checked", "refuted", "vacuous", "tag", "late"; "": nothing is said of it
    std::string text;           // for people: what it was proved for, what a proof lacks, what differs
    std::string counterexample; // of "refuted": a test that fails, and values
  };
  struct Pattern {
    unsigned line; // of its name, from 1
    std::string key;
  };
  struct Request {
    std::string path, text;
    std::vector<std::string> importDirs;
    std::vector<Pattern> patterns; // in the text's order
  };

  /// `command` is started; empty: nothing is ever known. `limit` is how long one pattern may take, of a
  /// processor, and a tenth of how long in all.
  explicit Proofs(std::vector<std::string> command, std::chrono::milliseconds limit = std::chrono::seconds(10));
  ~Proofs();
  Proofs(const Proofs &) = delete;
  Proofs &operator=(const Proofs &) = delete;

  const State *known(const std::string &key) const;
  /// What of the patterns is not known is found out, in place of whatever was being found out. False if all is known.
  bool start(Request);
  bool running() const { return pid_ > 0; }
  /// Takes what has come; true if something is known that was not.
  bool poll();
  void stop();

private:
  bool spawn();
  bool line(std::string_view text);
  void know(const std::string &key, State);
  /// The pattern that is being proved took too long, or the process ended: the next ones.
  bool giveUp(const std::string &why);

  const std::vector<std::string> command_;
  const std::chrono::milliseconds limit_;
  std::map<std::string, State> known_;
  std::vector<std::string> order_;  // of known_, the oldest first
  Request request_;                 // of which `patterns` are those that are not known yet
  std::map<unsigned, State> found_; // by line, of patterns that may have more instances
  /// Since the last answer: the process's own time, and of the clock on the wall.
  bool isLate() const;
  std::chrono::nanoseconds ownTime() const;

  pid_t pid_ = -1;
  int out_ = -1;
  std::string buffer_;
  std::chrono::steady_clock::time_point since_; // the last answer
  std::chrono::nanoseconds ownSince_{};
};

} // namespace rw::editor
