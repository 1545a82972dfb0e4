#include "editor/proofs/proofs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace rw::editor {

using Json = nlohmann::json;

static constexpr size_t kMostKnown = 4000;

Proofs::Proofs(std::vector<std::string> command, std::chrono::milliseconds limit)
    : command_(std::move(command)), limit_(limit) {}
Proofs::~Proofs() { stop(); }

const Proofs::State *Proofs::known(const std::string &key) const {
  const auto at = known_.find(key);
  return at == known_.end() ? nullptr : &at->second;
}

void Proofs::know(const std::string &key, State state) {
  if (!known_.insert_or_assign(key, std::move(state)).second)
    return;
  order_.push_back(key);
  if (order_.size() <= kMostKnown)
    return;
  for (size_t i = 0; i < kMostKnown / 2; ++i)
    known_.erase(order_[i]);
  order_.erase(order_.begin(), order_.begin() + ptrdiff_t(kMostKnown / 2));
}

void Proofs::stop() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (!request_.patterns.empty() && found_.contains(request_.patterns.front().line)) // not all its instances
      known_.erase(request_.patterns.front().key);
  }
  if (out_ >= 0)
    close(out_);
  pid_ = out_ = -1;
  buffer_.clear();
  found_.clear();
}

bool Proofs::start(Request request) {
  stop();
  request_ = std::move(request);
  std::erase_if(request_.patterns, [&](const Pattern &pattern) { return known_.contains(pattern.key); });
  return spawn();
}

bool Proofs::spawn() {
  if (command_.empty() || request_.patterns.empty())
    return false;
  // The request goes through a file without a name: it may be larger than a pipe holds, and nothing waits here.
  FILE *in = std::tmpfile();
  int out[2];
  if (!in)
    return false;
  if (pipe2(out, O_CLOEXEC) != 0) {
    std::fclose(in);
    return false;
  }
  Json lines = Json::array();
  for (const Pattern &pattern : request_.patterns)
    lines.push_back(pattern.line);
  const std::string text = Json{
      {"path", request_.path},
      {"text", request_.text},
      {"importDirs", request_.importDirs},
      {"lines", lines}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), in);
  std::fflush(in);
  std::rewind(in);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
  posix_spawn_file_actions_adddup2(&files, out[1], 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char *> arguments;
  for (const std::string &word : command_)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  if (posix_spawn(&pid_, arguments[0], &files, nullptr, arguments.data(), environ) != 0)
    pid_ = -1;
  posix_spawn_file_actions_destroy(&files);
  std::fclose(in);
  close(out[1]);
  out_ = out[0];
  fcntl(out_, F_SETFL, O_NONBLOCK);
  since_ = std::chrono::steady_clock::now();
  ownSince_ = {};
  if (pid_ < 0)
    stop();
  return pid_ > 0;
}

/// The greater, the more somebody should know it.
static int weight(const std::string &verdict) {
  static const char *const kOrder[] = {"", "proved", "checked", "late", "vacuous", "tag", "refuted"};
  return int(std::ranges::find(kOrder, verdict) - std::begin(kOrder));
}

/// An answer; true if it is one of ours.
bool Proofs::line(std::string_view text) {
  const Json answer = Json::parse(text, nullptr, false);
  if (!answer.is_object())
    return false;
  since_ = std::chrono::steady_clock::now();
  ownSince_ = ownTime();
  const unsigned at = answer.value("line", 0u);
  auto word = [&](const char *name) {
    return answer.contains(name) && answer[name].is_string() ? answer[name].get<std::string>() : std::string();
  };
  State state{word("verdict"), word("scope"), word("counterexample")};
  if (const std::string arithmetic = word("arithmetic"); !arithmetic.empty())
    state.text += (state.text.empty() ? "" : ", ") + arithmetic;
  if (const std::string why = word("reason"); !why.empty())
    state.text += (state.text.empty() ? "" : "; ") + why;
  // Those before it in the text have all their answers.
  const auto here = std::ranges::find(request_.patterns, at, &Pattern::line);
  if (here == request_.patterns.end())
    return false;
  for (auto before = request_.patterns.begin(); before != here; ++before)
    know(before->key, std::move(found_[before->line]));
  request_.patterns.erase(request_.patterns.begin(), here);
  if (State &known = found_[at]; weight(state.verdict) >= weight(known.verdict))
    known = std::move(state);
  know(request_.patterns.front().key, found_[at]); // what is known by now; another instance may be worse
  return true;
}

bool Proofs::giveUp(const std::string &why) {
  if (request_.patterns.empty()) {
    stop();
    return false;
  }
  const Pattern first = request_.patterns.front();
  // With an answer it is done: it is the next one that takes so long, and has its own time once more.
  const auto answer = found_.find(first.line);
  State state = answer == found_.end() ? State{"late", why, ""} : std::move(answer->second);
  stop();
  know(first.key, std::move(state));
  request_.patterns.erase(request_.patterns.begin());
  spawn();
  return true;
}

std::chrono::nanoseconds Proofs::ownTime() const {
  clockid_t clock;
  timespec time{};
  if (pid_ <= 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return ownSince_;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool Proofs::isLate() const {
  return ownTime() - ownSince_ > limit_ || std::chrono::steady_clock::now() - since_ > 10 * limit_;
}

bool Proofs::poll() {
  if (!running())
    return false;
  bool news = false;
  char bytes[4096];
  ssize_t count;
  while ((count = read(out_, bytes, sizeof bytes)) > 0) {
    buffer_.append(bytes, size_t(count));
    size_t begin = 0;
    for (size_t end; (end = buffer_.find('\n', begin)) != buffer_.npos; begin = end + 1)
      news |= line(std::string_view(buffer_).substr(begin, end - begin));
    buffer_.erase(0, begin);
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    if (!isLate())
      return news;
    return giveUp("it takes longer than " + std::to_string(limit_.count() / 1000) + " s") || news;
  }
  // The end. If all went well nothing more comes; else the pattern at hand was too much.
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return giveUp("the proof wants more memory than it may have") || news;
  for (const Pattern &pattern : request_.patterns) {
    know(pattern.key, std::move(found_[pattern.line]));
    news = true;
  }
  request_.patterns.clear();
  stop();
  return news;
}

} // namespace rw::editor
