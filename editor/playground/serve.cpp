#include "editor/playground/serve.h"

#include "editor/http/http_server.h"
#include "editor/playground/page_text.h"
#include "editor/playground/playground.h"
#include "rw/support/diagnostics.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <pthread.h>
#include <sstream>
#include <sys/random.h>
#include <thread>
#include <unistd.h>

namespace rw::editor {
namespace {

constexpr size_t kMostText = 4u << 20; // of a request that is JSON

std::string randomText() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
    return {};
  std::string out;
  for (unsigned char byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      out += "0123456789abcdef"[digit];
  return out;
}

/// In a time that does not depend on where they differ.
bool isSameSecret(std::string_view a, std::string_view b) {
  unsigned char different = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    different |= (unsigned char)(a[i] ^ b[i]);
  return !different;
}

/// "localhost" of "localhost:8080".
std::string_view hostOf(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool isPort = colon != text.npos && text.find_first_not_of("0123456789", colon + 1) == text.npos;
  return isPort ? text.substr(0, colon) : text;
}
bool isThisMachine(std::string_view host) { return host == "127.0.0.1" || host == "localhost" || host == "[::1]"; }

http::Answer asJson(const Json &json) {
  return {.type = "application/json", .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}
http::Answer refusal(int status, std::string why) { return {.status = status, .body = std::move(why) + "\n"}; }

class PageHandler final : public http::Handler {
public:
  PageHandler(Playground &playground, std::string token) : playground_(playground), token_(std::move(token)) {}

  http::Answer answer(const http::Request &request, const http::ReadBody &body) override {
    http::Answer out = admitted(request, body);
    const char *const fixed[][2] = {{"Cache-Control", "no-store"},
                                    {"X-Content-Type-Options", "nosniff"},
                                    {"X-Frame-Options", "DENY"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Cross-Origin-Opener-Policy", "same-origin"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"}};
    for (const auto &[name, value] : fixed)
      out.headers.emplace_back(name, value);
    return out;
  }

private:
  http::Answer admitted(const http::Request &request, const http::ReadBody &body) {
    // A site whose name somebody lets stand for this machine is still another site.
    const std::string host = request.header("host");
    if (!isThisMachine(hostOf(host)))
      return refusal(403, "this page is for the machine that it runs on: open it as http://127.0.0.1:PORT");
    if (const std::string origin = request.header("origin");
        request.headers.count("origin") && origin != "http://" + host)
      return refusal(403, "requests come from the page itself");
    if (request.path == "/")
      return request.method == "GET" ? page() : refusal(405, "the page is asked for with GET");
    if (request.path == "/favicon.ico")
      return {.status = 204};
    if (!isSameSecret(request.header("x-rw-token"), token_))
      return refusal(401, "the address lacks its end, or rw-opt was started anew: open the address that it printed");
    if (request.path == "/state")
      return request.method == "GET" ? asJson(playground_.state()) : refusal(405, "/state is asked for with GET");
    if (request.method != "POST")
      return refusal(kJson.contains(request.path) || request.path == "/models" ? 405 : 404, "there is no such page");
    const std::string type = request.header("content-type");
    if (request.path == "/models")
      return type == "application/octet-stream" ? models(request, body)
                                                : refusal(415, "a model is application/octet-stream");
    const auto known = kJson.find(request.path);
    if (known == kJson.end())
      return refusal(404, "there is no such page");
    if (type != "application/json")
      return refusal(415, "a request is application/json");
    std::string text;
    if (!body([&](std::string_view piece) { return text.append(piece).size() <= kMostText; }))
      return text.size() > kMostText ? refusal(413, "a request has at most 4 MiB")
                                     : refusal(400, "not all of the request came");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object())
      return refusal(400, "a request is a JSON object");
    try {
      return (this->*known->second)(json);
    } catch (const Playground::WrongRequest &wrong) {
      return refusal(400, wrong.message);
    }
  }

  http::Answer page() const {
    const std::string nonce = randomText();
    std::string text(pageText());
    constexpr std::string_view kMark = "@NONCE@";
    for (size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at))
      text.replace(at, kMark.size(), nonce);
    http::Answer out{.type = "text/html; charset=utf-8", .body = std::move(text)};
    out.headers.emplace_back("Content-Security-Policy",
                             "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'unsafe-inline'; " +
                                 "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
                                 "frame-ancestors 'none'");
    return out;
  }

  http::Answer models(const http::Request &request, const http::ReadBody &body) {
    const auto name = request.query.find("name");
    return asJson(playground_.addModel(name == request.query.end() ? "" : name->second, body));
  }
  http::Answer language(const Json &request) { return asJson(playground_.language(request)); }
  http::Answer proofs(const Json &request) { return asJson(playground_.proofs(request)); }
  http::Answer run(const Json &request) { return asJson(playground_.run(request)); }
  http::Answer facts(const Json &request) { return asJson(playground_.facts(request)); }
  http::Answer save(const Json &request) { return asJson(playground_.save(request)); }
  http::Answer result(const Json &request) {
    std::string name, trouble, bytes = playground_.result(request, name, trouble);
    if (bytes.empty())
      return refusal(409, trouble);
    http::Answer out{.type = "application/octet-stream", .body = std::move(bytes)};
    out.headers.emplace_back("X-Rw-Name", percentEncoded(name));
    return out;
  }
  /// A name may hold what a header may not.
  static std::string percentEncoded(const std::string &text) {
    std::string out;
    for (unsigned char c : text)
      if (std::isalnum(c) || c == '.' || c == '-' || c == '_')
        out += char(c);
      else
        for (int digit : {-1, c >> 4, c & 15})
          out += digit < 0 ? '%' : "0123456789ABCDEF"[digit];
    return out;
  }

  static inline const std::map<std::string, http::Answer (PageHandler::*)(const Json &)> kJson = {
      {"/language", &PageHandler::language}, {"/proofs", &PageHandler::proofs}, {"/run", &PageHandler::run},
      {"/facts", &PageHandler::facts},       {"/result", &PageHandler::result}, {"/save", &PageHandler::save},
  };
  Playground &playground_;
  const std::string token_;
};

/// rw-lsp beside this program, as one that proves; nothing if it is not there.
std::vector<std::string> proverBeside() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path prover = self.parent_path() / "rw-lsp";
  return !error && std::filesystem::exists(prover, error) ? std::vector<std::string>{prover.string(), "--prove"}
                                                          : std::vector<std::string>();
}

int fail(std::string tag, std::string file, std::string message, std::string cure = {}) {
  SourceManager sources;
  Diagnostics diags(sources);
  Diagnostics::Builder error = diags.errorInFile(std::move(tag), std::move(file), std::move(message));
  if (!cure.empty())
    error.note(std::move(cure));
  const std::string text = diags.renderText(isatty(STDERR_FILENO));
  std::fwrite(text.data(), 1, text.size(), stderr);
  return 1;
}

} // namespace

int servePlayground(const ServeOptions &options, const Registry &registry) {
  PlaygroundOptions how{.file = options.patternFile,
                        .importDirs = options.importDirs,
                        .model = options.model,
                        .pipeline = options.pipeline,
                        .builtinDir = builtinPatternDir(),
                        .prover = proverBeside(),
                        .version = RW_VERSION};
  if (!how.file.empty()) {
    std::ifstream in(how.file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in)
      return fail("unreadable", how.file, "cannot be read");
    how.text = text.str();
  }
  if (std::ifstream in(how.model, std::ios::binary); !how.model.empty() && (!in || in.peek() == EOF))
    return fail("unreadable", how.model, "cannot be read, or is empty");

  // Signals are taken by this thread alone; those that are started from here on inherit that.
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // a browser that goes is no fault

  const std::string token = randomText();
  if (token.empty())
    return fail("serve-failed", "command line", "the system has no random numbers to keep others out with");
  Playground playground(registry, std::move(how));
  PageHandler handler(playground, token);
  Result<std::unique_ptr<http::Listener>> listening = http::listen(handler, options.port);
  if (!listening)
    return fail(
        "serve-failed", "command line", listening.error(),
        listening.error().starts_with("port ")
            ? "--serve alone takes any free port"
            : "it stands in lib/rw beside the program's folder, and needs cpp-httplib (Debian: libcpp-httplib-dev)");
  const std::unique_ptr<http::Listener> listener = *std::move(listening);
  std::thread answering([&] { listener->run(); });
  std::printf("http://127.0.0.1:%d/#%s\nOpen this address in a browser of this machine; Ctrl-C ends it.\n",
              listener->port(), token.c_str());
  std::fflush(stdout);

  int signal = 0;
  sigwait(&signals, &signal);
  playground.stop();
  // What cannot be stopped, as an evaluation, is not waited for: models that were dropped on the page go all the same.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    _exit(0);
  }).detach();
  listener->stop();
  answering.join();
  return 0;
}

} // namespace rw::editor
