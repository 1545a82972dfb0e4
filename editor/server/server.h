// The language server: requests and notifications of one client.
//
// In:  messages as JSON text, in the order in which they came.
// Out: answers and notifications, handed to a function. Whatever comes, there is an answer; nothing is thrown.
// Elsewhere: bytes are message_stream.h, answers about one document view.h.
//
//   Server server({.builtinDir = builtinPatternDir()}, [&](const Json &message) { stream.send(message.dump()); });
//   while (!server.exited()) server.take(text);      // and server.work() while nothing comes
#pragma once

#include "editor/proofs/proofs.h"
#include "editor/server/part.h"
#include "editor/server/view.h"

#include <deque>
#include <functional>
#include <set>

namespace rw::editor {

class Server {
public:
  /// `trial`: what runs tests, and patterns on models; null: nothing does. `proofs`: likewise what proves patterns.
  Server(ProjectOptions options, std::function<void(const Json &)> send, std::unique_ptr<Trial> trial = nullptr,
         std::unique_ptr<Proofs> proofs = nullptr);
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  void take(std::string_view text);
  /// The answer to a client that sent something that is no message.
  void malformed();
  /// Does a piece of what is due, such as the diagnostics of a document; false if there is nothing.
  bool work();
  /// For how many milliseconds it waits for another message before it works; -1: there is nothing to do.
  int patience() const {
    return !dirty_.empty()                          ? 0
           : !untried_.empty()                      ? kPause
           : !inPart_.empty() || !unproved_.empty() ? kLongPause
           : proofs_ && proofs_->running()          ? kPollPause
                                                    : -1;
  }
  /// What of the work is due at once, and whether patterns are to be proved or just being proved.
  bool isChecking() const { return !dirty_.empty() || !untried_.empty() || !inPart_.empty(); }
  bool isProving() const { return !unproved_.empty() || (proofs_ && proofs_->running()); }
  bool exited() const { return exited_; }
  /// 0 if the client said that it would go.
  int status() const { return stopped_ ? 0 : 1; }

private:
  static constexpr int kPause = 30, kLongPause = 300; // without typing
  static constexpr int kPollPause = 50;               // between two looks at what is being proved
  static constexpr size_t kLong = 100'000;
  struct Open {
    std::string uri;
    Json version;
    std::shared_ptr<const Analysis> tried; // of which the outcome is
    Trial::Outcome outcome;
    std::string model; // it was tried on
    /// Of a long document: what the last check of all of it said, moved with the edits since; and where these were.
    struct Shown {
      size_t begin, end;
      Json diagnostic;
    };
    std::vector<Shown> shown;
    bool knowsShown = false;
    Spans edited;
    std::shared_ptr<const Analysis> proved; // whose patterns were handed to proofs_
  };
  struct Error {
    int code;
    std::string message;
  };

  void answer(const Json &id, Json result);
  void refuse(const Json &id, const Error &);
  void notify(std::string_view method, Json params);
  Json request(const std::string &method, const Json &params);
  void notification(const std::string &method, const Json &params);
  Json initialize(const Json &params);
  void configure(const Json &settings);

  std::string pathOf(const Json &params) const;
  static Position positionOf(const Json &params);
  std::pair<size_t, size_t> rangeOf(const View &, const Json &params) const;
  const View *viewOf(const std::string &path);
  /// Views of all files that may use what other files declare: what is open, and what lies in the folders of the
  /// workspace.
  void forEachFile(std::string_view containing, const std::function<void(const View &)> &);
  void touch(const std::string &path);
  void publish(const std::string &path);
  /// What an edit made of a long document: the declarations there are checked, the others' diagnostics move. False if
  /// the whole must be checked.
  bool publishPart(const std::string &path);
  void send(const Open &, Json diagnostics);
  bool isLong(const std::string &path) const;
  static void move(Open &, const Project::Edit &);
  /// For what goes by words.
  std::unique_ptr<View> viewOfWords(const std::string &path) const;

  /// Runs tests, and patterns on the model.
  const Trial::Outcome &tryOut(const std::string &path);
  std::string modelOf(const View &) const;
  Json outcomeJson(const Open &) const;
  Json execute(const Json &params);
  void refreshLenses();
  /// Has patterns proved of which nothing is known, and shows what is known since.
  void prove(const std::string &path);
  void showProofs();
  Json proofOf(const std::string &path, unsigned line);
  Json drawingsOf(const std::string &path, unsigned line);

  Json references(const std::string &path, const Json &params, bool withDeclaration);
  Json prepareRename(const std::string &path, const Json &params);
  Json rename(const std::string &path, const Json &params);
  Json formatting(const std::string &path);
  Json incomingCalls(const Json &params);
  Json prepareCallHierarchy(const std::string &path, const Json &params);

  std::function<void(const Json &)> send_;
  ProjectOptions base_; // as the program was started
  Project project_;
  Encoding encoding_ = Encoding::Utf16;
  bool initialized_ = false, stopped_ = false, exited_ = false, snippets_ = false;
  std::vector<std::string> folders_;
  std::map<std::string, Open> open_; // by path
  std::set<std::string> dirty_;      // whose diagnostics are due
  std::set<std::string> inPart_;     // of which only a part was checked
  std::set<std::string> untried_;    // that are to be tried out
  std::set<std::string> unproved_;   // whose patterns are to be proved
  std::string proving_;              // whose patterns are being proved
  std::unique_ptr<Trial> trial_;
  std::unique_ptr<Proofs> proofs_;
  size_t long_ = kLong; // setting
  std::string model_;   // setting
  bool runTests_ = true, prove_ = true, refreshesLenses_ = false;
  unsigned asked_ = 0; // requests of the server's own
  std::map<std::string, std::unique_ptr<View>> views_;
};

} // namespace rw::editor
