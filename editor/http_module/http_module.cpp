// The HTTP server behind editor/http/http_server.h, by cpp-httplib: the one file that includes that library.
#include "editor/http/http_server.h"

#include <httplib.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <exception>

namespace rw::http {
namespace {

constexpr size_t kThreads = 8;
constexpr size_t kDrained = 1u << 20; // of a body that nobody wanted

class Server final : public Listener {
public:
  explicit Server(Handler &handler) : handler_(handler) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Not what the library sets by itself: with SO_REUSEPORT two programs share a port without knowing.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1); // a connection that is kept holds a thread
    server_.set_read_timeout(10);
    server_.set_write_timeout(10);
    server_.set_payload_max_length(SIZE_MAX); // the handler counts
    server_.Get(".*", [this](const httplib::Request &request, httplib::Response &response) {
      respond(request, response, [](const auto &) { return true; });
    });
    server_.Post(".*", [this](const httplib::Request &request, httplib::Response &response,
                              const httplib::ContentReader &content) {
      bool wasRead = false;
      respond(request, response, [&](const std::function<bool(std::string_view)> &sink) {
        wasRead = true;
        return !request.is_multipart_form_data() && content([&](const char *data, size_t length) {
          return sink({data, length});
        });
      });
      // A client that is still sending would not hear the answer.
      if (size_t length = 0; !wasRead && !request.is_multipart_form_data())
        content([&](const char *, size_t more) { return (length += more) <= kDrained; });
    });
  }

  bool bind(int port, std::string &error) {
    errno = 0;
    port_ = port ? (server_.bind_to_port("127.0.0.1", port) ? port : -1) : server_.bind_to_any_port("127.0.0.1");
    if (port_ > 0)
      return true;
    const int why = errno;
    error = "port " + std::to_string(port) +
            (why == EADDRINUSE ? " is in use" : std::string(" cannot be used: ") + std::strerror(why));
    return false;
  }

  int port() const override { return port_; }
  void run() override { server_.listen_after_bind(); }
  void stop() override { server_.stop(); }

private:
  void respond(const httplib::Request &from, httplib::Response &to, const ReadBody &body) {
    Request request{.method = from.method, .path = from.path};
    for (const auto &[name, value] : from.params)
      request.query[name] = value;
    for (const auto &[name, value] : from.headers) {
      std::string small;
      for (unsigned char c : name)
        small += char(std::tolower(c));
      request.headers.emplace(std::move(small), value);
    }
    Answer answer;
    try {
      answer = handler_.answer(request, body);
    } catch (const std::exception &error) {
      answer = {.status = 500, .body = std::string("internal error: ") + error.what()};
    }
    to.status = answer.status;
    for (const auto &[name, value] : answer.headers)
      to.set_header(name, value);
    to.set_content(std::move(answer.body), answer.type);
  }

  Handler &handler_;
  httplib::Server server_;
  int port_ = -1;
};

} // namespace
} // namespace rw::http

extern "C" __attribute__((visibility("default"))) rw::http::Listener *rw_http_listen(rw::http::Handler &handler,
                                                                                     int port, std::string &error) {
  auto server = std::make_unique<rw::http::Server>(handler);
  return server->bind(port, error) ? server.release() : nullptr;
}
